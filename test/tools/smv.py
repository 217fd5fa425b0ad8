"""What Cairn writes for NuSMV, read and searched by brute force: an interpreter of that part of the
language, eager like NuSMV (all branches of a case and all operands are evaluated, nothing may
divide by zero or leave 32 bits). Quotients of negative numbers are cut towards zero or, as in old
versions, downwards. Written from the manual of NuSMV 2.6."""
import itertools
import re

TOKEN = re.compile(
    r'\s*(?:(--[^\n]*)|(\d+)|([A-Za-z_][\w]*)|(<->|->|<=|>=|!=|\.\.|:=|[-+*/&|!=<>(){}:;,]))')
LIMIT = 2 ** 31 - 1


class Problem(Exception):
    pass


def tokens(text):
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Problem(f'a strange character: {text[at:at + 20]!r}')
        at = match.end()
        if match.group(1) is None:
            found.append(match.group(0).strip())
    return found + ['']


def number(value):
    if abs(value) > LIMIT:
        raise Problem('a number of more than 32 bits')
    return value


DOWNWARDS = [False]


def divide(a, b, rest):
    if b == 0:
        raise Problem('division by zero')
    quotient = a // b if DOWNWARDS[0] or (a < 0) == (b < 0) else -(abs(a) // abs(b))
    return a - b * quotient if rest else quotient


LEVELS = [['->'], ['<->'], ['|'], ['&'], ['=', '!=', '<', '<=', '>', '>='], ['+', '-'],
          ['*', '/', 'mod']]
APPLY = {'->': lambda a, b: not a or b, '<->': lambda a, b: a == b, '|': lambda a, b: a or b,
         '&': lambda a, b: a and b, '=': lambda a, b: a == b, '!=': lambda a, b: a != b,
         '<': lambda a, b: a < b, '<=': lambda a, b: a <= b, '>': lambda a, b: a > b,
         '>=': lambda a, b: a >= b, '+': lambda a, b: number(a + b), '-': lambda a,
         b: number(a - b),
         '*': lambda a, b: number(a * b), '/': lambda a, b: divide(a, b, False), 'mod': lambda a,
         b: divide(a, b, True)}


class Parser:
    """Expressions become nested tuples: ('=', a, b), ('name', x), ('next', x), ('number', 3),
    ('case', [(condition, value)])."""

    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0

    def peek(self):
        return self.tokens[self.at]

    def take(self, wanted=None):
        token = self.tokens[self.at]
        if wanted is not None and token != wanted:
            raise Problem(f'{wanted} expected, found {token}')
        self.at += 1
        return token

    def expression(self, level=0):
        if level == len(LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while self.peek() in LEVELS[level]:
            operator = self.take()
            left = (operator, left, self.expression(level + 1))
        return left

    def unary(self):
        token = self.take()
        if token in ('!', '-'):
            return (token + 'x', self.unary())
        if token == '(':
            inner = self.expression()
            self.take(')')
            return inner
        if token == 'case':
            rows = []
            while self.peek() != 'esac':
                condition = self.expression()
                self.take(':')
                rows.append((condition, self.expression()))
                self.take(';')
            self.take('esac')
            return ('case', rows)
        if token == 'next':
            self.take('(')
            name = self.take()
            self.take(')')
            return ('next', name)
        if token.isdigit():
            return ('number', int(token))
        return ('name', token)


class System:
    def __init__(self, text):
        parser = Parser(text)
        self.ranges, self.definitions, self.rules, self.actions, self.initial, self.invariants = (
            {}, {}, [], [], None, {})
        parser.take('MODULE')
        parser.take('main')
        while parser.peek():
            section = parser.take()
            if section == 'IVAR':
                self.action = parser.take()
                while parser.take() != '}':
                    if parser.peek() not in (',', '{'):
                        self.actions.append(parser.peek())
                parser.take(';')
            elif section == 'VAR':
                while parser.tokens[parser.at + 1] == ':':
                    name = parser.take()
                    parser.take(':')
                    low = self.bound(parser)
                    parser.take('..')
                    self.ranges[name] = (low, self.bound(parser))
                    parser.take(';')
            elif section == 'INIT':
                self.initial = parser.expression()
                parser.take(';')
            elif section == 'DEFINE':
                while parser.tokens[parser.at + 1] == ':=':
                    name = parser.take()
                    parser.take(':=')
                    self.definitions[name] = parser.expression()
                    parser.take(';')
            elif section == 'TRANS':
                self.rules = [self.split(rule) for rule in self.parts(parser.expression(), '|')]
            elif section == 'INVARSPEC':
                parser.take('NAME')
                name = parser.take()
                parser.take(':=')
                self.invariants[name] = parser.expression()
                parser.take(';')
            else: # other properties
                while parser.take() != ';':
                    pass

    @staticmethod
    def bound(parser):
        sign = -1 if parser.peek() == '-' else 1
        if sign < 0:
            parser.take()
        return sign * int(parser.take())

    def parts(self, expression, operator):
        if expression[0] != operator:
            return [expression]
        return self.parts(expression[1], operator) + self.parts(expression[2], operator)

    def split(self, rule):
        """(guards, {variable: its next value})"""
        guards, stores = [], {}
        for part in self.parts(rule, '&'):
            if part[0] == '=' and part[1][0] == 'next':
                stores[part[1][1]] = part[2]
            elif not (part[0] == '=' and part[1] == ('name', self.action)):
                guards.append(part)
        return guards, stores

    def value(self, expression, state, known):
        kind = expression[0]
        if kind == 'number':
            return expression[1]
        if kind == 'name':
            name = expression[1]
            if name in ('TRUE', 'FALSE'):
                return name == 'TRUE'
            if name in state:
                return state[name]
            if name not in known:
                known[name] = self.value(self.definitions[name], state, known)
            return known[name]
        if kind == 'case':
            rows = [(self.value(condition, state, known), self.value(value, state, known))
                    for condition, value in expression[1]]
            return next(value for condition, value in rows if condition)
        if kind == '!x':
            return not self.value(expression[1], state, known)
        if kind == '-x':
            return -self.value(expression[1], state, known)
        return APPLY[kind](self.value(expression[1], state, known),
                           self.value(expression[2], state, known))

    def search(self, downwards=False):
        """(states, transitions, initial states, deadlocks, {invariant: holds})"""
        DOWNWARDS[0] = downwards
        names = list(self.ranges)
        found = {}
        for case in self.parts(self.initial, '|'):
            fixed = {part[1][1]: part[2] for part in self.parts(case, '&') if part[0] == '='}
            choices = [[self.value(fixed[name], {}, {})] if name in fixed else range(low, high + 1)
                       for name, (low, high) in self.ranges.items()]
            found.update(dict.fromkeys(itertools.product(*choices)))
        waiting, transitions, deadlocks, initial, holds = list(found), 0, 0, len(
            found), dict.fromkeys(self.invariants, True)
        while waiting:
            values = waiting.pop()
            state, known, enabled = dict(zip(names, values)), {}, 0
            for name, invariant in self.invariants.items():
                holds[name] &= bool(self.value(invariant, state, known))
            for guards, stores in self.rules:
                if not all([self.value(guard, state, known) for guard in guards]):
                    continue
                successor = tuple(self.value(stores[name], state, known) for name in names)
                if (any(not low <= value <= high
                        for value, (low, high) in zip(successor, self.ranges.values()))):
                    continue # there is no such state
                enabled += 1
                if successor not in found:
                    found[successor] = None
                    waiting.append(successor)
            transitions += enabled
            deadlocks += not enabled
        return len(found), transitions, initial, deadlocks, holds
