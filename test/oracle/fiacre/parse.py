"""Reader of Fiacre programs (.fcr): text to plain tuples, no meaning attached yet.

Expressions  ('num', n) ('bool', b) ('name', id, pos) ('call', id, [e], pos) ('index', e, e, pos)
             ('field', e, id, pos) ('at', e, id, pos) ('un', op, e, pos) ('bin', op, e, e, pos)
('cond', e, e, e, pos) ('array', [e], pos) ('record', [(id, e)], pos) ('queue', [e], pos) Patterns  
  ('num', n) ('bool', b) ('any',) ('name', id, pos) ('con', id, pattern, pos) ('index', pattern, e,
pos) ('field', pattern, id, pos) Statements   ('null',) ('loop', pos) ('to', id, pos) ('tag', id)
             ('on', e, pos) ('wait', interval, pos) ('assign', [pattern], [e], pos) ('choose',
             [pattern], e or None, pos) ('if', [(e, block)], block, pos) ('select', [[block]], pos)
             ('case', e, [(pattern, block)], pos) ('while', e, block, pos) ('foreach', id, block,
             pos) ('return', e, pos) ('sync', port, pos) ('send', port, [e or 'any'], pos)
('receive', port, [pattern], e or None, pos) A block is a list of statements.  A position is (line,
column) and also serves as the identity of a statement. Types        ('bool',) ('nat',) ('int',)
             ('name', id, pos) ('interval', e, e, pos) ('array', e, t, pos) ('queue', e, t, pos)
('union', [(id, t or None)], pos) ('record', [(id, t)], pos) Intervals    (low, low is open, high or
None, high is open), numbers are Fractions
"""
import re
from fractions import Fraction
from types import SimpleNamespace

KEYWORDS = set('''and any append array assert begin bool case channel component const dequeue do \
else elsif empty end enqueue extern false first
foreach from full function if in init int is length loop nat none not null of on or out par port
priority process property queue read
record return select states sync then to true type union unless var wait where while
write'''.split())
TOKEN = re.compile(r'''
    (?P<space>\s+ | //[^\n]* | /\*.*?\*/)
  | (?P<decimal>[0-9]+\.[0-9]+)
  | (?P<number>[0-9]+)
  | (?P<word>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<symbol>\.\.\.|\.\.|:=|<>|<=|>=|->|\{\||\|\}|\|\||\[\]|[-+*/%$&\#!?;:,.|<>=\[\](){}@])
''', re.VERBOSE | re.DOTALL)
COMPARISONS = {'=', '<>', '<', '<=', '>', '>='}
UNARY = {'not', '-', '+', '$', 'first', 'dequeue', 'empty', 'full', 'length'}
LOOSEST_FIRST = [{'or'}, {'and'}, COMPARISONS, {'+', '-'}, {'*', '/', '%'}]
ENDS_STATEMENT = {';', '[]', '|', 'end', 'elsif', 'else', 'unless', 'from', 'process', 'component',
                  'type', 'channel', 'const', 'function', 'extern',
                  'property', 'assert', 'par', ''}


class ModelError(Exception):
    """The model is wrong, or uses what this implementation does not know."""

    def __init__(self, text, pos=None):
        super().__init__(f'{pos[0]}:{pos[1]}: error: {text}' if pos else f'error: {text}')


def tokenize(text):
    """A list of (kind, text, (line, column)); kinds are decimal, number, name, keyword, symbol and
    end."""
    tokens, at, line, start = [], 0, 1, 0
    while at < len(text):
        match = TOKEN.match(text, at)
        pos = (line, at - start + 1)
        if not match:
            raise ModelError(f'unexpected character {text[at]!r}', pos)
        word, kind = match.group(), match.lastgroup
        if kind == 'word':
            kind = 'keyword' if word in KEYWORDS else 'name'
        if kind != 'space':
            tokens.append((kind, word, pos))
        newlines = word.count('\n')
        if newlines:
            line, start = line + newlines, at + word.rindex('\n') + 1
        at = match.end()
    tokens.append(('end', '', (line, at - start + 1)))
    return tokens


class Parser:
    def __init__(self, text):
        self.tokens, self.at = tokenize(text), 0
        # constructors that take one: they may be applied without parentheses
        self.with_argument = set()

    # ---- tokens ----
    @property
    def kind(self):
        return self.tokens[self.at][0]

    @property
    def word(self):
        """The text of the next token, unless it is a name (so that names never look like
        symbols)."""
        return self.tokens[self.at][1] if self.tokens[self.at][0] != 'name' else None

    @property
    def pos(self):
        return self.tokens[self.at][2]

    def advance(self):
        self.at += 1
        return self.tokens[self.at - 1][1]

    def accept(self, *words):
        if self.word in words and self.kind != 'end':
            return self.advance()
        return None

    def expect(self, word):
        if not self.accept(word):
            raise ModelError(f'{word!r} expected, found {self.tokens[self.at][1]!r}', self.pos)

    def name(self):
        if self.kind != 'name':
            raise ModelError(f'a name expected, found {self.tokens[self.at][1]!r}', self.pos)
        return self.advance()

    def listed(self, item, separator=','):
        items = [item()]
        while self.accept(separator):
            items.append(item())
        return items

    def ended(self, word):
        self.expect('end')
        self.accept(word)

    # ---- types ----
    def type(self):
        pos = self.pos
        if self.accept('bool', 'nat', 'int'):
            return (self.tokens[self.at - 1][1],)
        if self.accept('array', 'queue'):
            kind, size = self.tokens[self.at - 1][1], self.sum()
            self.expect('of')
            return kind, size, self.type(), pos
        if self.accept('union'):
            constructors = [c for group in self.listed(self.constructors, '|') for c in group]
            self.ended('union')
            return 'union', constructors, pos
        if self.accept('record'):
            fields = [f for group in self.listed(self.fields) for f in group]
            self.ended('record')
            return 'record', fields, pos
        low = self.sum()
        if self.accept('..'):
            return 'interval', low, self.sum(), pos
        if low[0] != 'name':
            raise ModelError('a type expected', pos)
        return low

    def constructors(self):
        names = self.listed(self.name)
        argument = self.type() if self.accept('of') else None
        if argument:
            self.with_argument.update(names)
        return [(name, argument) for name in names]

    def fields(self):
        names = self.listed(self.name)
        self.expect(':')
        type_ = self.type()
        return [(name, type_) for name in names]

    def channel(self):
        """A list of types, empty for none, or one name (of a channel or a type)."""
        if self.accept('none', 'sync'):
            return []
        return self.listed(self.type, '#')

    def interval(self):
        def time():
            if self.kind not in ('number', 'decimal'):
                raise ModelError('a number expected', self.pos)
            return Fraction(self.advance())

        low_open = {'[': False, ']': True}.get(self.word)
        if low_open is None:
            raise ModelError('an interval expected', self.pos)
        pos, _ = self.pos, self.advance()
        low = time()
        self.expect(',')
        if self.accept('...'):
            self.expect('[')
            return low, low_open, None, True
        high = time()
        if self.word not in ('[', ']'):
            raise ModelError("'[' or ']' expected", self.pos)
        high_open = self.advance() == '['
        if low > high or low == high and (low_open or high_open):
            raise ModelError('an empty interval', pos)
        return low, low_open, high, high_open

    # ---- expressions ----
    def expression(self):
        condition, pos = self.binary(0), self.pos
        if not self.accept('?'):
            return condition
        yes = self.expression()
        self.expect(':')
        return 'cond', condition, yes, self.expression(), pos

    def binary(self, level):
        if level == len(LOOSEST_FIRST):
            return self.unary()
        left = self.binary(level + 1)
        while self.word in LOOSEST_FIRST[level]:
            pos, op = self.pos, self.advance()
            left = 'bin', op, left, self.binary(level + 1), pos
        return left

    def sum(self):
        """Sizes and bounds of types: no comparisons there."""
        return self.binary(3)

    def unary(self):
        if self.word in UNARY:
            pos, op = self.pos, self.advance()
            return 'un', op, self.unary(), pos
        return self.postfix(self.primary())

    def postfix(self, e):
        while True:
            pos = self.pos
            if self.accept('['):
                e = 'index', e, self.expression(), pos
                self.expect(']')
            elif self.accept('.'):
                e = 'field', e, self.name(), pos
            elif self.accept('@'):
                e = 'at', e, self.name(), pos
            else:
                return e

    def primary(self):
        pos = self.pos
        if self.kind == 'number':
            return 'num', int(self.advance())
        if self.accept('true', 'false'):
            return 'bool', self.tokens[self.at - 1][1] == 'true'
        if self.accept('('):
            e = self.expression()
            self.expect(')')
            return e
        if self.accept('['):
            items = self.listed(self.expression)
            self.expect(']')
            return 'array', items, pos
        if self.accept('{'):
            fields = self.listed(self.field_value)
            self.expect('}')
            return 'record', fields, pos
        if self.accept('{|'):
            items = [] if self.word == '|}' else self.listed(self.expression)
            self.expect('|}')
            return 'queue', items, pos
        if self.accept('enqueue', 'append'):
            op = self.tokens[self.at - 1][1]
            self.expect('(')
            queue = self.expression()
            self.expect(',')
            item = self.expression()
            self.expect(')')
            return 'bin', op, queue, item, pos
        return self.named(pos)

    def field_value(self):
        name = self.name()
        self.expect('=')
        return name, self.expression()

    def named(self, pos):
        name = self.name()
        if self.accept('('):
            arguments = [] if self.word == ')' else self.listed(self.expression)
            self.expect(')')
            return 'call', name, arguments, pos
        if (name in self.with_argument or self.kind in ('number', 'name')
            or self.word in ('true', 'false', '{', '{|')):
            return 'call', name, [self.postfix(self.primary())], pos
        return 'name', name, pos

    # ---- patterns ----
    def pattern(self):
        pattern = self.pattern_start()
        while self.word in ('[', '.'):
            pos = self.pos
            if self.accept('['):
                pattern = 'index', pattern, self.expression(), pos
                self.expect(']')
            else:
                self.advance()
                pattern = 'field', pattern, self.name(), pos
        return pattern

    def pattern_start(self):
        pos = self.pos
        if self.accept('('):
            pattern = self.pattern()
            self.expect(')')
            return pattern
        if self.accept('any'):
            return ('any',)
        if self.accept('true', 'false'):
            return 'bool', self.tokens[self.at - 1][1] == 'true'
        if self.kind == 'number' or self.word in ('-', '+'):
            sign = -1 if self.accept('-') else 1
            self.accept('+')
            if self.kind != 'number':
                raise ModelError('a number expected', self.pos)
            return 'num', sign * int(self.advance())
        name = self.name()
        if self.kind in ('number', 'name') or self.word in ('true', 'false', 'any', '(', '-', '+'):
            return 'con', name, self.pattern(), pos
        return 'name', name, pos

    # ---- statements ----
    def block(self):
        return self.listed(self.statement, ';')

    def statement(self):
        pos = self.pos
        if (self.word in ('null', 'loop', 'to', '#', 'on', 'wait', 'if', 'select', 'case', 'while',
                          'foreach', 'return')):
            word = self.advance()
            return getattr(self,
                           {'if': 'if_', '#': 'tag', 'while': 'while_',
                            'return': 'return_'}.get(word, word))(pos)
        if self.kind == 'name':
            following = self.tokens[self.at + 1]
            if following[0] == 'symbol' and following[1] in '!?':
                return self.exchange(pos)
            if following[0] != 'name' and following[1] in ENDS_STATEMENT or following[0] == 'end':
                return 'sync', self.advance(), pos
        return self.assignment(pos)

    def null(self, pos):
        return ('null',)

    def loop(self, pos):
        return 'loop', pos

    def to(self, pos):
        return 'to', self.name(), pos

    def tag(self, pos):
        return 'tag', self.name()

    def on(self, pos):
        return 'on', self.expression(), pos

    def wait(self, pos):
        return 'wait', self.interval(), pos

    def return_(self, pos):
        return 'return', self.expression(), pos

    def if_(self, pos):
        branches = [self.branch()]
        while self.accept('elsif'):
            branches.append(self.branch())
        otherwise = self.block() if self.accept('else') else []
        self.ended('if')
        return 'if', branches, otherwise, pos

    def branch(self):
        condition = self.expression()
        self.expect('then')
        return condition, self.block()

    def select(self, pos):
        groups = self.listed(lambda: self.listed(self.block, '[]'), 'unless')
        self.ended('select')
        return 'select', groups, pos

    def case(self, pos):
        value = self.expression()
        self.expect('of')
        branches = self.listed(self.case_branch, '|')
        self.ended('case')
        return 'case', value, branches, pos

    def case_branch(self):
        pattern = self.pattern()
        self.expect('->')
        return pattern, self.block()

    def while_(self, pos):
        condition = self.expression()
        self.expect('do')
        body = self.block()
        self.ended('while')
        return 'while', condition, body, pos

    def foreach(self, pos):
        name = self.name()
        self.expect('do')
        body = self.block()
        self.ended('foreach')
        return 'foreach', name, body, pos

    def exchange(self, pos):
        port = self.name()
        if self.advance() == '!':
            return 'send', port, self.listed(lambda: self.accept('any') or self.expression()), pos
        patterns = self.listed(self.pattern)
        return 'receive', port, patterns, self.expression() if self.accept('where') else None, pos

    def assignment(self, pos):
        patterns = self.listed(self.pattern)
        self.expect(':=')
        if self.accept('any'):
            return 'choose', patterns, self.expression() if self.accept('where') else None, pos
        return 'assign', patterns, self.listed(self.expression), pos

    # ---- declarations ----
    def program(self):
        """The declarations in order, and the name of the root."""
        declarations = []
        while self.kind == 'keyword':
            pos, word = self.pos, self.advance()
            reader = {'type': self.type_declaration, 'channel': self.channel_declaration,
                      'const': self.const_declaration,
                      'function': self.function, 'process': self.process,
                      'component': self.component}.get(word)
            if not reader:
                raise ModelError(f'a declaration with {word!r} is not known here', pos)
            declarations.append(reader(pos))
        root_pos, root = self.pos, self.name()
        if self.kind != 'end':
            raise ModelError('the name of the root must be the last word', self.pos)
        return SimpleNamespace(declarations=declarations, root=root, root_pos=root_pos)

    def type_declaration(self, pos):
        name = self.name()
        self.expect('is')
        return SimpleNamespace(kind='type', name=name, type=self.type(), pos=pos)

    def channel_declaration(self, pos):
        name = self.name()
        self.expect('is')
        return SimpleNamespace(kind='channel', name=name, channel=self.channel(), pos=pos)

    def const_declaration(self, pos):
        name = self.name()
        self.expect(':')
        type_ = self.type()
        self.expect('is')
        return SimpleNamespace(kind='const', name=name, type=type_, value=self.expression(),
                               pos=pos)

    def function(self, pos):
        name = self.name()
        self.expect('(')
        parameters = ([] if self.word == ')'
                      else [f for group in self.listed(self.fields) for f in group])
        self.expect(')')
        self.expect(':')
        result = self.type()
        self.expect('is')
        variables = self.variables() if self.accept('var') else []
        if self.word == 'return':
            body = [self.statement()]
        else:
            self.expect('begin')
            body = self.block()
            self.expect('end')
        return SimpleNamespace(kind='function', name=name, parameters=parameters, result=result,
                               variables=variables, body=body, pos=pos)

    def variables(self):
        """A list of (name, type, expression or None, position)."""
        variables = []
        while True:
            names, pos = self.listed(self.name), self.pos
            self.expect(':')
            type_ = self.type()
            value = self.expression() if self.accept(':=') else None
            variables += [(name, type_, value, pos) for name in names]
            if not self.accept(','):
                return variables

    def header(self, pos):
        """Name, ports as (name, 'in' allowed, 'out' allowed, channel), parameters as (name, by
        reference, read, write, type)."""
        name, ports, parameters = self.name(), [], []
        if self.accept('['):
            ports = [p for group in self.listed(self.ports) for p in group]
            self.expect(']')
        if self.accept('('):
            if self.word != ')':
                parameters = [p for group in self.listed(self.parameters) for p in group]
            self.expect(')')
        self.expect('is')
        return SimpleNamespace(name=name, ports=ports, parameters=parameters, pos=pos)

    def two_marks(self, first, second):
        """Whether each is allowed; neither written means both."""
        marks = ({self.advance() for _ in range(2) if self.word in (first, second)}
                 or {first, second})
        return first in marks, second in marks

    def ports(self):
        names = self.listed(self.name)
        self.expect(':')
        can_receive, can_send = self.two_marks('in', 'out')
        channel = self.channel()
        return [(name, can_receive, can_send, channel) for name in names]

    def parameters(self):
        names = self.listed(lambda: (bool(self.accept('&')), self.name()))
        self.expect(':')
        reads, writes = self.two_marks('read', 'write')
        type_ = self.type()
        return [(name, reference, reads, writes, type_) for reference, name in names]

    def process(self, pos):
        process = self.header(pos)
        process.kind = 'process'
        self.expect('states')
        process.states = self.listed(self.name)
        process.variables = self.variables() if self.accept('var') else []
        process.init = self.block() if self.accept('init') else None
        process.transitions = []
        while self.word == 'from':
            at, _ = self.pos, self.advance()
            process.transitions.append((self.name(), self.block(), at))
        if not process.transitions:
            raise ModelError('a process without transitions', pos)
        return process

    def component(self, pos):
        component = self.header(pos)
        component.kind = 'component'
        component.variables = self.variables() if self.accept('var') else []
        component.local_ports = ([p for group in self.listed(self.local_ports) for p in group]
                                 if self.accept('port') else [])
        component.priorities = ([p for group in self.listed(self.priority) for p in group]
                                if self.accept('priority') else [])
        component.init = self.block() if self.accept('init') else None
        component.body = self.composition()
        return component

    def local_ports(self):
        names, pos = self.listed(self.name), self.pos
        self.expect(':')
        self.two_marks('in', 'out')
        channel = self.channel()
        interval = self.interval() if self.accept('in') else None
        if self.word == 'is':
            raise ModelError('probes are not known here', self.pos)
        return [(name, channel, interval, pos) for name in names]

    def priority(self):
        """Pairs (higher, lower, position) of ports."""
        pos, pairs, left = self.pos, [], self.listed(self.name, '|')
        while self.word in ('<', '>'):
            op, right = self.advance(), self.listed(self.name, '|')
            pairs += [(p, q, pos) if op == '>' else (q, p, pos) for p in left for q in right]
            left = right
        if not pairs:
            raise ModelError("'>' or '<' expected", self.pos)
        return pairs

    def composition(self):
        pos = self.pos
        self.expect('par')
        shared = self.port_set('in')
        blocks = [self.composed()]
        while self.accept('||'):
            blocks.append(self.composed())
        self.ended('par')
        return SimpleNamespace(kind='par', shared=shared, blocks=blocks, pos=pos)

    def port_set(self, follower):
        """'*' or a list of ports if they are written here, else an empty list."""
        start = self.at
        if self.accept('*') and self.accept(follower):
            return '*'
        self.at = start
        if self.kind == 'name':
            names = self.listed(self.name)
            if self.accept(follower):
                return names
        self.at = start
        return []

    def composed(self):
        interface, pos = self.port_set('->'), self.pos
        if self.word == 'par':
            return interface, self.composition()
        name, ports, arguments = self.name(), [], []
        if self.accept('['):
            ports = self.listed(self.name)
            self.expect(']')
        if self.accept('('):
            if self.word != ')':
                arguments = self.listed(self.argument)
            self.expect(')')
        return interface, SimpleNamespace(kind='instance', name=name, ports=ports,
                                          arguments=arguments, pos=pos)

    def argument(self):
        """(by reference, expression)."""
        return bool(self.accept('&')), self.expression()


def parse(text):
    return Parser(text).program()
