"""What names stand for, and values of variables."""
from .syntax import Refused


class Failure(Exception):
    """An error at run time: the step does not exist."""


class Scope:
    def __init__(self, outer):
        self.outer, self.names = outer, {}

    def find(self, name):
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise Refused(f'unknown name {name}')


class Ref:
    """A variable or a part of one."""

    def __init__(self, root, path, type_):
        self.root, self.path, self.type = root, path, type_

    def get(self):
        value = self.root
        for key in self.path:
            value = value[key]
        return value

    def set(self, value):
        place = self.root
        for key in self.path[:-1]:
            place = place[key]
        place[self.path[-1]] = value

    def part(self, key, type_):
        return Ref(self.root, self.path + (key,), type_)


class Clock:
    def __init__(self, number, first):
        self.number, self.first = number, first


class Chan:
    def __init__(self, number, urgent, broadcast):
        self.number, self.urgent, self.broadcast, self.rank = number, urgent, broadcast, 0


class Function:
    def __init__(self, name, type_, parameters, body, scope):
        self.name, self.type, self.parameters = name, type_, parameters
        self.body, self.scope = body, scope


class Process:
    def __init__(self, index, name, arguments, scope, priority):
        self.index, self.name, self.arguments = index, name, arguments
        self.scope, self.priority = scope, priority

    def full_name(self):
        return f'{self.name}({",".join(map(str, self.arguments))})' if self.arguments else self.name


def plain(value):
    """A copy that shares nothing; clocks and channels stay what they are."""
    return [plain(each) for each in value] if isinstance(value, list) else value


def frozen(value):
    return tuple(frozen(each) for each in value) if isinstance(value, list) else value


def thawed(value):
    return [thawed(each) for each in value] if isinstance(value, tuple) else value


def index_range(type_):
    if type_[0] == 'int':
        return type_[1], type_[2]
    if type_[0] == 'scalar':
        return 0, type_[1] - 1
    raise Refused('no bounded integers')


def values_of(type_):
    low, high = index_range(type_)
    return range(low, high + 1)
