"""Expressions, assignments and functions of Fiacre as Python text.

The text of an expression is evaluated with the names of values.RUNTIME around it; it raises Failure
for a run-time error and Blocked when a function has a `case` without a match.  Types travel with
the text, so that a range is only checked where it may be left.

Scopes map a name to ('value', value, type) for constants or ('variable', text, type).
"""
from fiacre import values as V
from fiacre.parse import ModelError
from fiacre.values import BOOL, INT, MAX, MIN, NAT

PYTHON = {'=': '==', '<>': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=', 'and': 'and',
          'or': 'or'}


class Globals:
    """The types, channels, constants, constructors and functions of a program, and the Python names
    that its compiled text uses."""

    def __init__(self, natural_steps=False, wide_steps=False):
        self.types, self.channels, self.constants, self.constructors, self.functions = ({}, {}, {},
            {}, {})
        self.python = dict(V.RUNTIME)
        # Other readings of the page: the difference of two naturals must be a natural, not only
        # what is stored; only what is stored is
        # held to 32 bits.
        self.natural_steps, self.wide_steps = natural_steps, wide_steps
        self.fresh = 0

    def name(self, prefix):
        self.fresh += 1
        return f'{prefix}{self.fresh}'

    def keep(self, prefix, thing):
        """A Python name for an object."""
        name = self.name(prefix)
        self.python[name] = thing
        return name

    def evaluate(self, e, expected, scope=None):
        """The value of a constant expression."""
        text, t = expression(self, e, scope or {}, expected)
        try:
            return (eval(converted(self, text, t, expected), self.python) if expected
                    else eval(text, self.python))
        except V.Failure as failure:
            raise ModelError(f'in a constant expression: {failure}') from None

    def number(self, e, scope=None):
        value = self.evaluate(e, None, scope)
        if type(value) is not int:
            raise ModelError('a number expected')
        return value

    def type(self, t, scope=None):
        """A type as written to a type as a tuple."""
        if t[0] in ('bool', 'nat', 'int'):
            return {'bool': BOOL, 'nat': NAT, 'int': INT}[t[0]]
        if t[0] == 'name':
            if t[1] not in self.types:
                raise ModelError(f'no type {t[1]!r}', t[2])
            return self.types[t[1]]
        if t[0] == 'interval':
            low, high = self.number(t[1], scope), self.number(t[2], scope)
            if low > high:
                raise ModelError('an empty interval', t[3])
            return 'int', low, high
        if t[0] in ('array', 'queue'):
            n = self.number(t[1], scope)
            if n < 0:
                raise ModelError('a negative size', t[3])
            return t[0], n, self.type(t[2], scope)
        if t[0] == 'record':
            return 'record', tuple((name, self.type(f, scope)) for name, f in t[1])
        union = 'union', self.name('union'), tuple((name, self.type(a, scope) if a else None)
                                                   for name, a in t[1])
        for number, (name, _) in enumerate(union[2]):
            self.constructors.setdefault(name, []).append((union, number))
        return union

    def channel(self, channel, scope=None):
        """The types of the values of an exchange."""
        if len(channel) == 1 and channel[0][0] == 'name' and channel[0][1] in self.channels:
            return self.channels[channel[0][1]]
        return [self.type(t, scope) for t in channel]

    def constructor(self, name, expected, pos):
        found = self.constructors[name]
        if len(found) > 1:
            found = [(union, number) for union, number in found if union == expected]
        if len(found) != 1:
            raise ModelError(f'which {name!r} is meant?', pos)
        return found[0]


def converted(g, text, source, target):
    """Text of the same value, checked to be of the target type."""
    if not V.compatible(source, target):
        raise ModelError(f'a value of type {source} where {target} is needed')
    if V.fits(source, target):
        return text
    if target[0] == 'int':
        return f'within({text}, {target[1]}, {target[2]})'
    if source is None and target[0] in ('bool', 'union'):
        return text
    return f'{g.keep("convert", lambda value: V.convert(value, target))}({text})'


# ---- expressions ----
def expression(g, e, scope, expected=None):
    """(text, type).  The expected type only helps to understand literals; it is not checked."""
    return globals()['on_' + e[0]](g, e, scope, expected)


def checked(g, e, scope, target):
    """Text of an expression whose value is of the target type."""
    text, t = expression(g, e, scope, target)
    return converted(g, text, t, target)


def on_num(g, e, scope, expected):
    if e[1] > MAX:
        raise ModelError('a number that needs more than 31 bits')
    return str(e[1]), ('int', e[1], e[1])


def on_bool(g, e, scope, expected):
    return str(e[1]), BOOL


def on_name(g, e, scope, expected):
    if e[1] in scope or e[1] in g.constants:
        kind, what, t = scope.get(e[1]) or g.constants[e[1]]
        if kind == 'value':
            return f'({what!r})', t if t[0] != 'int' else ('int', what, what)
        return what, t
    if e[1] in g.constructors:
        union, number = g.constructor(e[1], expected, e[2])
        if union[2][number][1]:
            raise ModelError(f'{e[1]!r} needs an argument', e[2])
        return repr(V.make(union, number, None)), union
    raise ModelError(f'no variable, constant or constructor {e[1]!r}', e[2])


def on_call(g, e, scope, expected):
    _, name, arguments, pos = e
    if name in g.functions:
        function = g.functions[name]
        if len(arguments) != len(function['parameters']):
            raise ModelError('a wrong number of arguments', pos)
        texts = [checked(g, a, scope, t) for a, t in zip(arguments, function['parameters'])]
        return f'{function["python"]}({", ".join(texts)})', function['result']
    if name not in g.constructors:
        raise ModelError(f'no function or constructor {name!r}', pos)
    union, number = g.constructor(name, expected, pos)
    if len(arguments) != 1 or not union[2][number][1]:
        raise ModelError('a wrong number of arguments', pos)
    return f'({number}, {checked(g, arguments[0], scope, union[2][number][1])})', union


def on_index(g, e, scope, expected):
    array, t = expression(g, e[1], scope)
    index, i = expression(g, e[2], scope)
    if t[0] != 'array' or i[0] != 'int':
        raise ModelError('an index of something that is no array, or that is no number', e[3])
    if 0 <= i[1] and i[2] < t[1]:
        return f'{array}[{index}]', t[2]
    return f'item({array}, {index})', t[2]


def on_field(g, e, scope, expected):
    record, t = expression(g, e[1], scope)
    if t[0] != 'record' or e[2] not in dict(t[1]):
        raise ModelError(f'no field {e[2]!r} there', e[3])
    number = [name for name, _ in t[1]].index(e[2])
    return f'{record}[{number}]', t[1][number][1]


def on_un(g, e, scope, expected):
    op = e[1]
    text, t = expression(g, e[2], scope, expected if op in ('dequeue', '+', '$') else None)
    wanted = {'not': 'bool', '-': 'int', '+': 'int', '$': 'int'}.get(op, 'queue')
    if t[0] != wanted:
        raise ModelError(f'{op!r} of a wrong type', e[3])
    if op == 'not':
        return f'(not {text})', BOOL
    if op in '+$':
        return text, t
    if op == '-':
        return bounded(g, f'(-{text})', -t[2], -t[1])
    if op == 'empty':
        return f'(not {text})', BOOL
    if op == 'full':
        return f'(len({text}) == {t[1]})', BOOL
    if op == 'length':
        return f'len({text})', ('int', 0, t[1])
    return f'{op}({text})', t[2] if op == 'first' else t


def bounded(g, text, low, high):
    """A result of arithmetic: it must fit in 32 bits."""
    if MIN <= low and high <= MAX or g.wide_steps:
        return text, ('int', low, high)
    return f'within({text}, {MIN}, {MAX})', ('int', max(low, MIN), min(high, MAX))


def on_bin(g, e, scope, expected):
    _, op, left, right, pos = e
    if op in ('enqueue', 'append'):
        queue, t = expression(g, left, scope, expected)
        if expected and expected[0] == 'queue' and left[0] == 'queue':
            queue, t = converted(g, queue, t, expected), expected
        if t[0] != 'queue':
            raise ModelError('a queue expected', pos)
        return f'{op}({queue}, {t[1]}, {checked(g, right, scope, t[2])})', t
    a, s = expression(g, left, scope)
    b, t = expression(g, right, scope, s)
    if op in ('=', '<>'):
        if (left[0] in ('name', 'call', 'record', 'queue')
            and right[0] not in ('name', 'call', 'record', 'queue')):
            a, s = expression(g, left, scope, t)
        if not V.compatible(s, t):
            raise ModelError('a comparison of different types', pos)
        return f'({a} {PYTHON[op]} {b})', BOOL
    wanted = 'bool' if op in ('and', 'or') else 'int'
    if s[0] != wanted or t[0] != wanted:
        raise ModelError(f'{op!r} of wrong types', pos)
    if op in PYTHON:
        return f'({a} {PYTHON[op]} {b})', BOOL
    return arithmetic(g, op, a, s, b, t)


def arithmetic(g, op, a, s, b, t):
    if op == '+':
        return bounded(g, f'({a} + {b})', s[1] + t[1], s[2] + t[2])
    if op == '-':
        if g.natural_steps and s[1] >= 0 and t[1] >= 0:
            return f'within({a} - {b}, 0, {MAX})', NAT
        return bounded(g, f'({a} - {b})', s[1] - t[2], s[2] - t[1])
    if op == '*':
        ends = [x * y for x in s[1:] for y in t[1:]]
        return bounded(g, f'({a} * {b})', min(ends), max(ends))
    if op == '/':
        largest = max(abs(s[1]), abs(s[2]))
        return bounded(g, f'divide({a}, {b})', 0 if s[1] >= 0 and t[1] >= 0 else -largest, largest)
    largest = max(max(abs(t[1]), abs(t[2])) - 1, 0)
    return f'remainder({a}, {b})', ('int', 0 if s[1] >= 0 else -largest, largest)


def on_cond(g, e, scope, expected):
    condition, c = expression(g, e[1], scope)
    yes, s = expression(g, e[2], scope, expected)
    no, t = expression(g, e[3], scope, expected)
    if c != BOOL:
        raise ModelError('a condition expected', e[4])
    return f'({yes} if {condition} else {no})', join_at(s, t, e[4])


def join_at(s, t, pos):
    try:
        return V.join(s, t)
    except ModelError:
        raise ModelError('two values of different types', pos) from None


def on_array(g, e, scope, expected):
    inner = expected[2] if expected and expected[0] == 'array' else None
    items = [expression(g, x, scope, inner) for x in e[1]]
    t = items[0][1]
    for _, other in items:
        t = join_at(t, other, e[2])
    return '(' + ''.join(text + ', ' for text, _ in items) + ')', ('array', len(items), t)


def on_queue(g, e, scope, expected):
    inner = expected[2] if expected and expected[0] == 'queue' else None
    items = [expression(g, x, scope, inner) for x in e[1]]
    t = items[0][1] if items else inner
    for _, other in items:
        t = join_at(t, other, e[2])
    if inner and len(items) <= expected[1] and all(V.fits(other, inner) for _, other in items):
        return '(' + ''.join(text + ', ' for text, _ in items) + ')', expected
    return '(' + ''.join(text + ', ' for text, _ in items) + ')', ('queue', len(items), t)


def on_record(g, e, scope, expected):
    names = [name for name, _ in e[1]]
    if len(set(names)) != len(names):
        raise ModelError('a field is given twice', e[2])
    candidates = [expected] if expected and expected[0] == 'record' else list(g.types.values())
    fields = dict(
        next((t[1] for t in candidates if t[0] == 'record' and {f for f, _ in t[1]} == set(names)),
             ()))
    given = {name: expression(g, x, scope, fields.get(name)) for name, x in e[1]}
    order = list(fields) or names
    return '(' + ''.join(given[name][0] + ', ' for name in order) + ')', ('record',
        tuple((name, given[name][1]) for name in order))


# ---- places and patterns ----
def base_name(pattern):
    """The variable that an assignable pattern is a part of."""
    while pattern[0] in ('index', 'field'):
        pattern = pattern[1]
    return pattern[1] if pattern[0] == 'name' else None


def place_type(g, pattern, scope):
    return expression(g, pattern, scope)[1]


def stored(g, pattern, scope, value):
    """Text of the whole variable after the place got the value (of the place's type).  A place is
    read from `scope`."""
    if pattern[0] == 'name':
        return value
    outer, t = expression(g, pattern[1], scope)
    if pattern[0] == 'field':
        number = [name for name, _ in t[1]].index(pattern[2])
        return stored(g, pattern[1], scope, f'with_item({outer}, {number}, {value})')
    index, i = expression(g, pattern[2], scope)
    if t[0] != 'array' or i[0] != 'int':
        raise ModelError('an index of something that is no array, or that is no number', pattern[3])
    return stored(g, pattern[1], scope, f'with_item({outer}, {index}, {value})')


def match(g, pattern, scope, value, t):
    """(conditions, bindings): texts that must hold, and (place, text, type) to assign.  `value` is
    a name, so it may be repeated."""
    kind = pattern[0]
    if kind == 'any':
        return [], []
    if kind in ('num', 'bool'):
        if t and t[0] != ('int' if kind == 'num' else 'bool'):
            raise ModelError('a pattern of a wrong type')
        return [f'{value} == {pattern[1]}'], []
    if kind == 'name' and pattern[1] not in scope:
        if pattern[1] in g.constants:
            return [f'{value} == {g.constants[pattern[1]][1]!r}'], []
        if pattern[1] not in g.constructors:
            raise ModelError(f'no variable or constructor {pattern[1]!r}', pattern[2])
        union, number = g.constructor(pattern[1], t, pattern[2])
        if not V.compatible(union, t) or union[2][number][1]:
            raise ModelError('a pattern of a wrong type', pattern[2])
        return [f'{value} == {V.make(union, number, None)!r}'], []
    if kind == 'con':
        if pattern[1] not in g.constructors:
            raise ModelError(f'no constructor {pattern[1]!r}', pattern[3])
        union, number = g.constructor(pattern[1], t, pattern[3])
        if not V.compatible(union, t) or not union[2][number][1]:
            raise ModelError('a pattern of a wrong type', pattern[3])
        conditions, bindings = match(g, pattern[2], scope, f'{value}[1]', union[2][number][1])
        return [f'{value}[0] == {number}'] + conditions, bindings
    if scope.get(base_name(pattern), ('value',))[0] != 'variable':
        raise ModelError('something that cannot be assigned')
    return [], [(pattern, value, t)]


# ---- functions ----
class Writer:
    """Lines of Python.  Each line remembers what `note` was when it was put: {line number:
    note}."""

    def __init__(self):
        self.lines, self.depth, self.note, self.notes = [], 0, None, {}

    def put(self, line):
        self.lines.append('    ' * self.depth + line)
        self.notes[len(self.lines)] = self.note

    def text(self):
        return '\n'.join(self.lines) + '\n'


class FunctionCompiler:
    def __init__(self, g, declaration):
        self.g, self.d, self.w = g, declaration, Writer()

    def compile(self):
        g, d, w = self.g, self.d, self.w
        parameters = [(name, g.type(t)) for name, t in d.parameters]
        self.result = g.type(d.result)
        self.scope = {name: ('variable', f'p_{name}', t) for name, t in parameters}
        python = g.name('function')
        w.put(f'def {python}({", ".join(f"p_{name}" for name, _ in parameters)}):')
        w.depth += 1
        for name, t, value, pos in d.variables:
            t = g.type(t)
            w.put(f'p_{name} = {checked(g, value, self.scope, t) if value else repr(V.default(t))}')
            self.scope[name] = 'variable', f'p_{name}', t
        self.block(d.body)
        w.put("raise Failure('a function that does not return')")
        exec(compile(w.text(), f'<function {d.name}>', 'exec'), g.python)
        g.functions[d.name] = {'python': python, 'parameters': [t for _, t in parameters],
                               'result': self.result}

    def block(self, statements):
        for statement in statements:
            getattr(self, 'on_' + statement[0], self.unknown)(statement)

    def indented(self, statements):
        self.w.depth += 1
        self.w.put('pass')
        self.block(statements)
        self.w.depth -= 1

    def unknown(self, s):
        raise ModelError(f'a statement that functions do not have ({s[0]})',
                         s[-1] if isinstance(s[-1], tuple) else None)

    def on_null(self, s):
        pass

    def on_return(self, s):
        self.w.put(f'return {checked(self.g, s[1], self.scope, self.result)}')

    def condition(self, e):
        return checked(self.g, e, self.scope, BOOL)

    def on_if(self, s):
        for number, (condition, block) in enumerate(s[1]):
            self.w.put(f'{"elif" if number else "if"} {self.condition(condition)}:')
            self.indented(block)
        self.w.put('else:')
        self.indented(s[2])

    def on_while(self, s):
        count = self.g.name('n')
        self.w.put(f'{count} = 0')
        self.w.put(f'while {self.condition(s[1])}:')
        self.w.depth += 1
        self.w.put(f'{count} = count_iteration({count})')
        self.block(s[2])
        self.w.depth -= 1

    def on_foreach(self, s):
        kind, text, t = self.scope.get(s[1], (None, None, None))
        if kind != 'variable':
            raise ModelError(f'no variable {s[1]!r}', s[3])
        self.w.put(f'for {text} in {self.g.keep("values", V.values(t))}:')
        self.indented(s[2])

    def on_case(self, s):
        text, t = expression(self.g, s[1], self.scope)
        value = self.g.name('t')
        self.w.put(f'{value} = {text}')
        for number, (pattern, block) in enumerate(s[2]):
            conditions, bindings = match(self.g, pattern, self.scope, value, t)
            self.w.put(f'{"elif" if number else "if"} {" and ".join(conditions) or "True"}:')
            self.w.depth += 1
            self.bind(bindings)
            self.w.depth -= 1
            self.indented(block)
        self.w.put('else:')
        self.w.put('    raise Blocked()')

    def on_assign(self, s):
        assign(self, s)

    def bind(self, bindings):
        for pattern, value, t in bindings:
            name = base_name(pattern)
            text = converted(self.g, value, t, place_type(self.g, pattern, self.scope))
            self.w.put(f'{self.scope[name][1]} = {stored(self.g, pattern, self.scope, text)}')

    def fail_match(self, condition):
        self.w.put(f'if not ({condition}): raise Blocked()')


def assign(compiler, s):
    """An assignment: all right sides, then the places from left to right.  A pattern that does not
    match blocks."""
    g, w, (_, patterns, expressions, pos) = compiler.g, compiler.w, s
    if len(patterns) != len(expressions):
        raise ModelError('a wrong number of values', pos)
    pairs = []
    for pattern, e in zip(patterns, expressions):
        assignable = (pattern[0] in ('index', 'field') or pattern[0] == 'name'
                      and pattern[1] in compiler.scope)
        expected = place_type(g, pattern, compiler.scope) if assignable else None
        text, t = expression(g, e, compiler.scope, expected)
        if len(patterns) > 1 or not assignable:
            value = g.name('t')
            w.put(f'{value} = {text}')
            text = value
        pairs.append((pattern, text, t))
    for pattern, text, t in pairs:
        conditions, bindings = match(g, pattern, compiler.scope, text, t)
        if conditions:
            compiler.fail_match(' and '.join(conditions))
        compiler.bind(bindings)
