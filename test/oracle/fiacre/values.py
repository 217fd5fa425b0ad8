"""Types, values, and what can go wrong while a program runs.

A type is a tuple:  ('bool',)  ('int', low, high)  ('array', n, T)  ('queue', n, T)  ('record',
                    ((field, T), ...)) ('union', name, ((constructor, T or None), ...))
All numbers have a type ('int', low, high): nat is 0 .. 2^31 - 1 and int is -2^31 .. 2^31 - 1. 
Unions are nominal, the rest is structural. A value is immutable: bool, int, a tuple of items
(array, record, queue; a queue's tuple is as long as the queue is full), a constructor's number
(union without arguments) or a pair (number, argument or None).
"""
import functools
import itertools

from fiacre.parse import ModelError

MIN, MAX = -2 ** 31, 2 ** 31 - 1
BOOL, NAT, INT = ('bool',), ('int', 0, MAX), ('int', MIN, MAX)
LOOP_LIMIT = 1000000
MOST_VALUES = 100000


class Failure(Exception):
    """A run-time error: the step that meets it does not exist, the state is reported."""


class Blocked(Exception):
    """A `case` without a matching branch inside a function: the path is not enabled."""


# ---- what compiled code calls ----
def within(value, low, high):
    if low <= value <= high:
        return value
    raise Failure(f'value {value} outside {low}..{high}')


def divide(a, b):
    if b == 0:
        raise Failure('division by zero')
    return a // b if (a < 0) == (b < 0) or a % b == 0 else a // b + 1


def remainder(a, b):
    return a - b * divide(a, b)


def item(array, i):
    if 0 <= i < len(array):
        return array[i]
    raise Failure(f'index {i} of an array of {len(array)}')


def with_item(array, i, value):
    if 0 <= i < len(array):
        return array[:i] + (value,) + array[i + 1:]
    raise Failure(f'index {i} of an array of {len(array)}')


def first(queue):
    if queue:
        return queue[0]
    raise Failure('first of an empty queue')


def dequeue(queue):
    if queue:
        return queue[1:]
    raise Failure('dequeue of an empty queue')


def enqueue(queue, size, value):
    if len(queue) < size:
        return queue + (value,)
    raise Failure('enqueue on a full queue')


def append(queue, size, value):
    if len(queue) < size:
        return (value,) + queue
    raise Failure('append on a full queue')


def count_iteration(n):
    if n >= LOOP_LIMIT:
        raise Failure('a loop that does not end')
    return n + 1


RUNTIME = {f.__name__: f
           for f in (within, divide, remainder, item, with_item, first, dequeue, enqueue, append,
                     count_iteration, Failure, Blocked)}


# ---- types ----
def has_arguments(union):
    return any(argument for _, argument in union[2])


def default(t):
    if t[0] == 'bool':
        return False
    if t[0] == 'int':
        return 0 if t == INT else t[1]
    if t[0] == 'array':
        return (default(t[2]),) * t[1]
    if t[0] == 'queue':
        return ()
    if t[0] == 'record':
        return tuple(default(f) for _, f in t[1])
    return make(t, 0, default(t[2][0][1]) if t[2][0][1] else None)


def make(union, number, argument):
    return (number, argument) if has_arguments(union) else number


def size(t):
    """How many values the type has."""
    if t[0] == 'bool':
        return 2
    if t[0] == 'int':
        return t[2] - t[1] + 1
    if t[0] == 'array':
        return size(t[2]) ** t[1]
    if t[0] == 'queue':
        return sum(size(t[2]) ** n for n in range(t[1] + 1))
    if t[0] == 'record':
        total = 1
        for _, f in t[1]:
            total *= size(f)
        return total
    return sum(size(argument) if argument else 1 for _, argument in t[2])


@functools.lru_cache(maxsize=None)
def values(t):
    """All values, in the type's order: false before true, constructors as declared, the last
    component changes fastest, short queues first."""
    if size(t) > MOST_VALUES:
        raise ModelError('a type with too many values to go through')
    if t[0] == 'bool':
        return [False, True]
    if t[0] == 'int':
        return list(range(t[1], t[2] + 1))
    if t[0] == 'array':
        return list(itertools.product(values(t[2]), repeat=t[1]))
    if t[0] == 'queue':
        return [v for n in range(t[1] + 1) for v in itertools.product(values(t[2]), repeat=n)]
    if t[0] == 'record':
        return list(itertools.product(*(values(f) for _, f in t[1])))
    return [make(t, n, v) for n, (_, argument) in enumerate(t[2])
            for v in (values(argument) if argument else [None])]


def fits(source, target):
    """Whether every value of the first type is one of the second, as far as types tell."""
    if source == target:
        return True
    if source is None or source[0] != target[0] or source[0] in ('bool', 'union'):
        return False
    if source[0] == 'int':
        return target[1] <= source[1] and source[2] <= target[2]
    if source[0] == 'array':
        return source[1] == target[1] and (source[1] == 0 or fits(source[2], target[2]))
    if source[0] == 'queue':
        return source[1] == 0 or source[1] <= target[1] and fits(source[2], target[2])
    return (len(source[1]) == len(target[1])
            and all(a[0] == b[0] and fits(a[1], b[1]) for a, b in zip(source[1], target[1])))


def compatible(source, target):
    """Whether some value of the first type may be one of the second."""
    if source is None or target is None:
        return True
    if source[0] != target[0]:
        return False
    if source[0] == 'union':
        return source == target
    if source[0] in ('bool', 'int'):
        return True
    if source[0] == 'array':
        return source[1] == target[1] and compatible(source[2], target[2])
    if source[0] == 'queue':
        return source[1] == 0 or target[1] == 0 or compatible(source[2], target[2])
    return (len(source[1]) == len(target[1])
            and all(a[0] == b[0] and compatible(a[1], b[1]) for a, b in zip(source[1], target[1])))


def join(a, b):
    """A type for values of either."""
    if a is None or b is None or a == b:
        return a or b
    if a[0] == b[0] == 'int':
        return 'int', min(a[1], b[1]), max(a[2], b[2])
    if a[0] == b[0] == 'array' and a[1] == b[1]:
        return 'array', a[1], join(a[2], b[2])
    if a[0] == b[0] == 'queue':
        return ('queue', max(a[1], b[1]),
                b[2] if a[1] == 0 else a[2] if b[1] == 0 else join(a[2], b[2]))
    if a[0] == b[0] == 'record' and [f for f, _ in a[1]] == [f for f, _ in b[1]]:
        return 'record', tuple((f, join(s, t)) for (f, s), (_, t) in zip(a[1], b[1]))
    raise ModelError('two values of different types')


def convert(value, t):
    """The value if it is one of the type."""
    if t[0] == 'int':
        return within(value, t[1], t[2])
    if t[0] in ('array', 'queue'):
        if t[0] == 'queue' and len(value) > t[1]:
            raise Failure('a queue too long for its type')
        for v in value:
            convert(v, t[2])
    elif t[0] == 'record':
        for v, (_, f) in zip(value, t[1]):
            convert(v, f)
    return value                            # a union's argument was checked when it was made


def show(value, t):
    """A value as Fiacre text."""
    if t[0] == 'bool':
        return 'true' if value else 'false'
    if t[0] == 'int':
        return str(value)
    if t[0] == 'array':
        return '[' + ','.join(show(v, t[2]) for v in value) + ']'
    if t[0] == 'queue':
        return '{|' + ','.join(show(v, t[2]) for v in value) + '|}'
    if t[0] == 'record':
        return '{' + ','.join(f'{name}={show(v, f)}' for v, (name, f) in zip(value, t[1])) + '}'
    number, argument = value if has_arguments(t) else (value, None)
    name, type_ = t[2][number]
    return f'{name}({show(argument, type_)})' if type_ else name
