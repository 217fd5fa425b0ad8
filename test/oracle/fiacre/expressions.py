"""Random types, values, expressions and patterns: the lower half of generate.py.

A piece of text is a Piece: how strongly its outermost operator binds, the text, and for numbers the
bounds of its value, so that generated programs stay inside their ranges unless they want to fail.
"""
import itertools
from collections import namedtuple

COND, OR, AND, CMP, ADD, MUL, UNARY, LEAF = range(8)
Piece = namedtuple('Piece', 'level text low high', defaults=(0, 0))


class Type:
    """low and high are the bounds that programs keep to; of nat and int they are much narrower than
    the type."""

    def __init__(self, kind, text, low=0, high=0, infinite=False, n=0, item=None, fields=(),
                 constructors=()):
        self.kind, self.text, self.low, self.high, self.infinite = kind, text, low, high, infinite
        self.n, self.item, self.fields, self.constructors = n, item, fields, constructors

    def finite(self):
        parts = ([self.item] if self.item
                 else [t for _, t in self.fields] + [t for _, t in self.constructors if t])
        return not self.infinite and all(t.finite() for t in parts)

    def size(self):
        if self.kind == 'bool':
            return 2
        if self.kind == 'int':
            return self.high - self.low + 1
        if self.kind == 'array':
            return self.item.size() ** self.n
        if self.kind == 'queue':
            return sum(self.item.size() ** k for k in range(self.n + 1))
        if self.kind == 'record':
            total = 1
            for _, t in self.fields:
                total *= t.size()
            return total
        return sum(t.size() if t else 1 for _, t in self.constructors)

    def small(self):
        return self.finite() and self.size() <= 5

    def accepts(self, other):
        """Whether a variable of this type may take every value of the other."""
        if self.kind == other.kind == 'int':
            return self.low <= other.low and other.high <= self.high
        return self is other or self.kind == other.kind == 'bool'


class Expressions:
    def __init__(self, rng):
        self.rng, self.counter = rng, itertools.count()
        self.types, self.functions, self.constants, self.out = [], [], [], []
        self.underscore = rng.random() < 0.15
        self.closing = rng.random() < 0.6               # `end if` rather than `end`
        self.needless = rng.random() * 0.2              # parentheses that nobody needs
        self.risky = False

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return self.rng.choice(items)

    def name(self, prefix):
        return f'{"_" if self.underscore else ""}{prefix}{next(self.counter)}'

    # ---- types ----
    def add_types(self):
        self.types = [Type('bool', 'bool')]
        if self.chance(0.3):
            self.types.append(Type('int', 'nat', 0, self.rng.randint(1, 3), infinite=True))
        if self.chance(0.2):
            self.types.append(
                Type('int', 'int', -self.rng.randint(0, 2), self.rng.randint(0, 2), infinite=True))
        for _ in range(self.pick([1, 1, 2])):
            low = self.pick([0, 0, 0, 1, -1, -2])
            self.types.append(
                self.declared(
                Type('int',
                     f'{self.number_text(low)}..{self.number_text(low + self.rng.randint(1, 3))}',
                     low), bounds=True))
        for _ in range(self.pick([0, 0, 1, 1, 2])):
            self.constants.append(self.constant())
        for maker in self.rng.sample(
            [self.enumeration, self.union, self.record, self.array, self.queue],
            self.pick([1, 2, 2, 3])):
            self.types.append(maker())
        if self.chance(0.2):
            self.types.append(self.pick([self.record, self.array, self.queue])())
        self.scalars = [t for t in self.types if t.kind in ('bool', 'int', 'union')]

    def declared(self, t, bounds=False):
        """Gives the type a name, or leaves its text where it is used."""
        if bounds:
            low, high = t.text.split('..')
            t.low, t.high = int(low), int(high)
        if t.kind in ('union', 'record') or self.chance(0.6):
            name = self.name('t')
            self.out.append(f'type {name} is {t.text}')
            t.text = name
        return t

    def constant(self):
        name = self.name('k')
        value = self.rng.randint(0, 3)
        self.out.append(f'const {name} : nat is {value}' if self.chance(0.7)
                        else f'const {name} : int is {value} + 0')
        return Piece(LEAF, name, value, value)

    def small_type(self):
        return self.pick([t for t in self.types if t.small()])

    def enumeration(self):
        constructors = [(self.name('e'), None) for _ in range(self.rng.randint(2, 3))]
        separator = ', ' if self.chance(0.3) else ' | '
        return self.declared(
            Type('union', f'union {separator.join(c for c, _ in constructors)} {self.end("union")}',
                 constructors=constructors))

    def union(self):
        constructors = [
            (self.name('e'), self.small_type() if number == 0 or self.chance(0.4) else None)
            for number in range(self.rng.randint(2, 3))]
        self.rng.shuffle(constructors)
        texts = [f'{c} of {t.text}' if t else c for c, t in constructors]
        return self.declared(
            Type('union', f'union {" | ".join(texts)} {self.end("union")}',
                 constructors=constructors))

    def record(self):
        fields = [(self.name('m'), self.small_type()) for _ in range(self.rng.randint(1, 2))]
        return self.declared(
            Type('record',
                 f'record {", ".join(f"{f} : {t.text}" for f, t in fields)} {self.end("record")}',
                 fields=fields))

    def array(self):
        n, item = self.rng.randint(1, 2), self.small_type()
        return self.declared(Type('array', f'array {n} of {item.text}', n=n, item=item))

    def queue(self):
        n, item = self.rng.randint(1, 2), self.small_type()
        return self.declared(Type('queue', f'queue {n} of {item.text}', n=n, item=item))

    def channel(self):
        """Text and types of what a port carries."""
        kind = self.rng.random()
        if kind < 0.4:
            types, text = [], self.pick(['none', 'sync'])
        else:
            types = [self.pick([t for t in self.types if t.size() <= 9])
                     for _ in range(1 if kind < 0.85 else 2)]
            text = ' # '.join(t.text for t in types)
        if self.chance(0.2):
            name = self.name('h')
            self.out.append(f'channel {name} is {text}')
            text = name
        return Channel(types, text)

    # ---- text ----
    def number_text(self, n):
        return str(n)

    def wrap(self, piece, level):
        """The text of a piece where an operand at least this strong is needed."""
        if piece.level < level or piece.level < LEAF and self.chance(self.needless):
            return f'({piece.text})'
        return piece.text

    def join(self, level, op, a, b, low=0, high=0):
        """Operators group to the left; comparisons do not group at all."""
        return Piece(level,
                     f'{self.wrap(a, level + (level == CMP))} {op} {self.wrap(b, level + 1)}', low,
                     high)

    def number(self, n):
        return Piece(UNARY if n < 0 else LEAF, self.number_text(n), n, n)

    # ---- values ----
    def literal(self, t):
        if t.kind == 'bool':
            return Piece(LEAF, self.pick(['true', 'false']))
        if t.kind == 'int':
            return self.number(self.rng.randint(t.low, t.high))
        if t.kind == 'array':
            return Piece(LEAF, f'[{", ".join(self.literal(t.item).text for _ in range(t.n))}]')
        if t.kind == 'queue':
            items = [self.literal(t.item).text for _ in range(self.pick([0, 0, 1, t.n]))]
            return Piece(LEAF, f'{{|{", ".join(items)}|}}')
        if t.kind == 'record':
            return self.record_of([(f, self.literal(inner)) for f, inner in t.fields])
        name, argument = self.pick(t.constructors)
        return self.applied(name, self.literal(argument)) if argument else Piece(LEAF, name)

    def record_of(self, fields):
        self.rng.shuffle(fields)
        return Piece(LEAF, f'{{{", ".join(f"{f} = {piece.text}" for f, piece in fields)}}}')

    def applied(self, name, argument):
        """A constructor with its argument."""
        simple = argument.text.isalnum() and argument.level == LEAF
        return Piece(LEAF,
                     f'{name} {argument.text}' if simple and self.chance(0.4)
                     else f'{name}({argument.text})')

    def readable(self, ctx, fits):
        """Pieces for variables and their parts whose type the test accepts."""
        found = []

        def visit(text, t):
            if fits(t):
                found.append(Piece(LEAF, text, t.low, t.high))
            if t.kind == 'record':
                for f, inner in t.fields:
                    visit(f'{text}.{f}', inner)
            elif t.kind == 'array':
                visit(f'{text}[{self.rng.randrange(t.n)}]', t.item)

        for v in ctx.readable:
            visit(v.name, v.type)
        return found

    def value_for(self, t, ctx, depth, risky=False):
        """A value of the type; risky: one that may be outside it, or fail on the way."""
        if t.kind == 'int':
            piece = self.arithmetic(ctx, depth, risky)
            # then even a reader could find the error
            known = (piece.low == piece.high or piece.low > t.high or piece.high < t.low)
            return piece if risky and not known else self.fit(piece, t.low, t.high)
        if t.kind == 'bool':
            return self.condition(ctx, depth)
        options = self.readable(ctx, lambda u: u is t)
        calls = [f for f in self.functions if f.result is t]
        queues = [v.name for v in ctx.readable if v.type.kind == 'queue' and v.type.item is t]
        kind = self.rng.random()
        if queues and kind < 0.2:
            return self.first_of(self.pick(queues), self.literal(t))
        if options and kind < 0.45:
            return self.pick(options)
        if calls and kind < 0.55 and depth:
            return self.call(self.pick(calls), ctx, depth)
        if depth and kind < 0.62:
            return Piece(COND,
                         f'{self.wrap(self.condition(ctx, depth - 1), OR)} ? '
                         f'{self.wrap(self.value_for(t, ctx, depth - 1), OR)} : '
                               f'{self.value_for(t, ctx, depth - 1).text}')
        return self.built(t, ctx, depth)

    def first_of(self, queue, otherwise, low=0, high=0):
        """The first item of a queue, or something else when it is empty."""
        return Piece(COND, f'empty {queue} ? {otherwise.text} : first {queue}', low, high)

    def built(self, t, ctx, depth):
        if depth == 0 or self.chance(0.3):
            return self.literal(t)
        if t.kind == 'array':
            items = [self.value_for(t.item, ctx, depth - 1).text for _ in range(t.n)]
            return Piece(LEAF, f'[{", ".join(items)}]')
        if t.kind == 'record':
            return self.record_of(
                [(f, self.value_for(inner, ctx, depth - 1)) for f, inner in t.fields])
        if t.kind == 'queue':
            items = [self.value_for(t.item, ctx, depth - 1).text
                     for _ in range(self.rng.randint(0, t.n))]
            return Piece(LEAF, f'{{|{", ".join(items)}|}}')
        name, argument = self.pick(t.constructors)
        return (self.applied(name, self.value_for(argument, ctx, depth - 1)) if argument
                else Piece(LEAF, name))

    def call(self, function, ctx, depth):
        risky = self.risky and self.chance(0.1)
        arguments = [self.value_for(t, ctx, max(depth - 1, 0), risky).text
                     for t in function.parameters]
        return Piece(LEAF, f'{function.name}({", ".join(arguments)})', function.result.low,
                     function.result.high)

    # ---- numbers ----
    def fit(self, piece, low, high):
        """A number brought into bounds by a remainder."""
        if low <= piece.low and piece.high <= high:
            return piece
        if piece.low != 0:
            piece = (self.join(ADD, '-', piece, self.number(piece.low), 0, piece.high - piece.low)
                     if piece.low > 0 else
                     self.join(ADD, '+', piece, self.number(-piece.low), 0, piece.high - piece.low))
        piece = self.join(MUL, '%', piece, self.number(high - low + 1), 0,
                          min(high - low, piece.high))
        if low != 0:
            op, by = ('+', low) if low > 0 else ('-', -low)
            piece = self.join(ADD, op, piece, self.number(by), piece.low + low, piece.high + low)
        return piece

    def arithmetic(self, ctx, depth, risky=False):
        kind = self.rng.random()
        variables = self.readable(ctx, lambda t: t.kind == 'int') + self.constants
        if depth == 0 or kind < 0.3:
            return (self.pick(variables) if variables and self.chance(0.75)
                    else self.number(self.rng.randint(-1 if self.chance(0.1) else 0, 3)))
        if risky and kind < 0.45:
            return self.failing(ctx, depth, variables)
        if kind < 0.4:
            return self.counted(ctx, depth)
        if kind < 0.48:
            a, b = self.arithmetic(ctx, depth - 1), self.arithmetic(ctx, depth - 1)
            return Piece(COND,
                         f'{self.wrap(self.condition(ctx, depth - 1), OR)} ? {self.wrap(a, OR)} : '
                         f'{b.text}', min(a.low, b.low), max(a.high, b.high))
        a, b = self.arithmetic(ctx, depth - 1), self.arithmetic(ctx, depth - 1)
        if kind < 0.7:
            return self.join(ADD, '+', a, b, a.low + b.low, a.high + b.high)
        if kind < 0.85:
            return self.join(ADD, '-', a, b, a.low - b.high, a.high - b.low)
        if kind < 0.92:
            ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return self.join(MUL, '*', a, b, min(ends), max(ends))
        divisor = self.number(self.pick([2, 3, -2] if self.chance(0.3) else [2, 3]))
        largest = max(abs(a.low), abs(a.high))
        if self.chance(0.5):
            return self.join(MUL, '/', a, divisor,
                             0 if a.low >= 0 and divisor.low > 0 else -largest, largest)
        return self.join(MUL, '%', a, divisor, 0 if a.low >= 0 else -2, 2)

    def counted(self, ctx, depth):
        """A number that is not made of numbers."""
        queues = self.readable(ctx, lambda t: t.kind == 'queue')
        calls = [f for f in self.functions if f.result.kind == 'int']
        numbers = [v for v in ctx.readable if v.type.kind == 'queue' and v.type.item.kind == 'int']
        if numbers and self.chance(0.4):
            v = self.pick(numbers)
            return self.first_of(v.name, self.literal(v.type.item), v.type.item.low,
                                 v.type.item.high)
        if queues and self.chance(0.4):
            return Piece(UNARY, f'length {self.wrap(self.pick(queues), UNARY)}', 0, 2)
        if calls and self.chance(0.8):
            return self.call(self.pick(calls), ctx, depth)
        piece = self.arithmetic(ctx, depth - 1)
        if piece.level == LEAF and not piece.text[0].isdigit():
            return Piece(UNARY, f'-{piece.text}', -piece.high, -piece.low)
        return piece

    def failing(self, ctx, depth, variables):
        """A number whose computation may fail."""
        queues = [v for v in ctx.readable if v.type.kind == 'queue' and v.type.item.kind == 'int']
        arrays = [v for v in ctx.readable if v.type.kind == 'array' and v.type.item.kind == 'int']
        kind = self.rng.random()
        if queues and kind < 0.3:
            v = self.pick(queues)
            return Piece(UNARY, f'first {v.name}', v.type.item.low, v.type.item.high)
        if arrays and kind < 0.6:
            v = self.pick(arrays)
            index = self.failing_index(v.type.n, ctx)
            if index:
                return Piece(LEAF, f'{v.name}[{index}]', v.type.item.low, v.type.item.high)
        variables = [v for v in variables if v.low < v.high]
        if not variables:
            return self.number(1)
        if kind < 0.7:
            return self.join(MUL, '*', Piece(LEAF, '2000000000'), self.pick(variables), -9, 9)
        a = self.arithmetic(ctx, depth - 1)
        largest = max(abs(a.low), abs(a.high))
        return self.join(MUL, self.pick('/%'), a, self.pick(variables), -largest, largest)

    def failing_index(self, n, ctx):
        """An index that is sometimes in bounds, as far as its variables tell; None if there is
        none."""
        for _ in range(4):
            piece = self.arithmetic(ctx, 1)
            if piece.low < piece.high and piece.low < n and piece.high >= 0:
                return piece.text
        return None

    # ---- conditions ----
    def condition(self, ctx, depth):
        kind = self.rng.random()
        flags = self.readable(ctx, lambda t: t.kind == 'bool')
        if depth == 0 or kind < 0.25:
            if flags and self.chance(0.7):
                return (self.pick(flags) if self.chance(0.6)
                        else Piece(UNARY, f'not {self.wrap(self.pick(flags), UNARY)}'))
            return self.comparison(ctx, 0)
        if kind < 0.6:
            return self.comparison(ctx, depth - 1)
        if kind < 0.68:
            return Piece(UNARY, f'not {self.wrap(self.condition(ctx, depth - 1), UNARY)}')
        if kind < 0.78:
            return self.join(AND, 'and', self.condition(ctx, depth - 1),
                             self.condition(ctx, depth - 1))
        if kind < 0.88:
            return self.join(OR, 'or', self.condition(ctx, depth - 1),
                             self.condition(ctx, depth - 1))
        queues = self.readable(ctx, lambda t: t.kind == 'queue')
        if queues and kind < 0.94:
            return Piece(UNARY,
                         f'{self.pick(["empty", "full"])} {self.wrap(self.pick(queues), UNARY)}')
        calls = [f for f in self.functions if f.result.kind == 'bool']
        if calls and kind < 0.97:
            return self.call(self.pick(calls), ctx, depth)
        return Piece(LEAF, 'true')

    def comparison(self, ctx, depth):
        others = [v for v in ctx.readable if v.type.kind not in ('bool', 'int')]
        if others and self.chance(0.35):
            v = self.pick(others)
            return self.join(CMP, self.pick(['=', '<>']), Piece(LEAF, v.name),
                             self.value_for(v.type, ctx, 0))
        variables = self.readable(ctx, lambda t: t.kind == 'int')
        if not variables:
            flags = self.readable(ctx, lambda t: t.kind == 'bool')
            if flags:
                return self.join(CMP, self.pick(['=', '<>']), self.pick(flags),
                                 self.literal(self.types[0]))
            return Piece(LEAF, self.pick(['true', 'true', 'false']))
        a = self.pick(variables)
        b = (self.arithmetic(ctx, depth) if depth or self.chance(0.3)
             else self.number(self.rng.randint(a.low, max(a.low, min(a.high, a.low + 3)))))
        return self.join(CMP, self.pick(['=', '=', '<>', '<', '<=', '>', '>=']), a, b)

    # ---- patterns ----
    def scrutinee(self, ctx):
        """Something to look at with case: a variable (or part) of a union, bool or number type, or
        a number."""
        options = []
        for t in self.scalars:
            options += [TypedPiece(p.text, t) for p in self.readable(ctx, lambda u, t=t: u is t)]
        unions = [o for o in options if o.type.kind == 'union']
        if unions and self.chance(0.7):
            return self.pick(unions)
        if options and self.chance(0.8):
            return self.pick(options)
        piece = self.arithmetic(ctx, 1)
        return TypedPiece(piece.text, Type('int', '', piece.low, piece.high))

    def binder(self, t, ctx, taken=()):
        """A pattern for anything of the type: any, or a variable that takes it."""
        fitting = [v.name for v in ctx.writable if v.type.accepts(t) and v.name not in taken]
        return self.pick(fitting) if fitting and self.chance(0.6) else 'any'

    def patterns(self, value, ctx):
        """Patterns that together match every value."""
        t = value.type
        if t.kind == 'bool':
            return self.pick([['true', 'false'], ['false', 'true'], ['true', 'any']])
        if t.kind == 'int':
            some = self.rng.sample(range(t.low, min(t.high, t.low + 4) + 1),
                                   self.rng.randint(1, min(2, t.high - t.low + 1)))
            return [self.number_text(n) for n in some] + [self.binder(t, ctx)]
        patterns = []
        for name, argument in self.rng.sample(t.constructors, len(t.constructors)):
            if argument and argument.kind in ('int', 'bool') and self.chance(0.3):
                patterns.append(self.constructor_pattern(name, self.literal(argument).text))
            patterns.append(self.constructor_pattern(name, self.binder(argument, ctx)) if argument
                            else name)
        if self.chance(0.2):
            patterns = patterns[:-1] + ['any']
        return patterns

    def constructor_pattern(self, name, inner):
        return f'{name} {inner}' if self.chance(0.5) else f'{name}({inner})'

    def pattern_of(self, t, ctx, taken):
        """A pattern that matches some values; it binds no variable of `taken`."""
        if t.kind in ('bool', 'int'):
            return self.literal(t).text
        if t.kind != 'union':
            return 'any'
        name, argument = self.pick(t.constructors)
        if not argument:
            return name
        inner = self.binder(argument, ctx, taken)
        taken.add(inner)
        return self.constructor_pattern(name, inner)


Channel = namedtuple('Channel', 'types text')
TypedPiece = namedtuple('TypedPiece', 'text type')
