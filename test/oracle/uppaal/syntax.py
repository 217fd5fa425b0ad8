"""Reads the texts of UPPAAL models (declarations, processes, labels, queries) into trees.

A tree is a tuple whose first member says what it is.
Expressions: ('num', n), ('name', id), ('index', e, e), ('dot', e, id), ('call', e, [e]),
    ('unary', op, e), ('binary', op, e, e), ('cond', e, e, e), ('assign', op, e, e),
    ('step', op, is_prefix, e), ('rate', e), ('each', word, id, type, e), ('deadlock',).
Types: ('int', lo, hi) with expressions or None, ('bool',), ('clock',), ('chan', prefixes),
    ('void',), ('scalar', e), ('struct', [(type, id, dims)]), ('named', id); a type with its
    prefixes is ('type', prefixes, base). Dimensions of arrays are ('size', e) or ('by', type).
Declarations: ('var', type, id, dims, init), ('typedef', type, id, dims),
    ('func', type, id, params, body), ('process', Template), ('inst', id, params, id, args),
    ('system', groups), ('priority', groups). Parameters are (type, is_reference, id, dims).
Statements: ('block', declarations, statements), ('expr', e), ('for', i, c, n, s),
    ('iterate', id, type, s), ('while', c, s), ('do', s, c), ('if', c, s, s), ('return', e),
    ('assert', e).
Queries: ('A[]', e), ('E<>', e), ('E[]', e), ('A<>', e), ('-->', e, e),
    ('sup' | 'inf' | 'bounds', e or None, [e]).
"""
import re
from types import SimpleNamespace


class Refused(Exception):
    """What is no classical UPPAAL, or no model at all."""


TOKEN = re.compile(r'''
    (?P<space>(?:\s|\\\r?\n|//[^\n]*|/\*.*?\*/)+)
  | (?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)
  | (?P<name>[A-Za-z_][A-Za-z0-9_$\#]*)
  | (?P<text>"[^"]*")
  | (?P<operator>-u->|-->|->|<<=|>>=|<=|>=|==|!=|:=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\+\+|--|\*\*|<\?|>\?
      |<<|>>|&&|\|\||[-+*/%<>=!&|^?:;,.(){}\[\]'~])
''', re.VERBOSE | re.DOTALL)

# From the loosest to the tightest; all of them from left to right.
LEVELS = [['||', 'or', 'xor', 'imply'], ['&&', 'and'], ['|'], ['^'], ['&'], ['==', '!='],
          ['<', '<=', '>=', '>'], ['<?', '>?'], ['<<', '>>'], ['+', '-'], ['*', '/', '%'], ['**']]
SAME = {'or': '||', 'and': '&&', 'not': '!', ':=': '='}
ASSIGNMENTS = ['=', ':=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=']
PREFIXES = ['urgent', 'broadcast', 'const', 'meta', 'hybrid']
BASES = ['int', 'bool', 'clock', 'chan', 'void', 'scalar', 'struct', 'double', 'string']
STATEMENTS = ['for', 'while', 'do', 'if', 'return', 'assert']
RESERVED = set(PREFIXES + BASES + STATEMENTS + [
    'and', 'or', 'not', 'imply', 'true', 'false', 'system', 'process', 'state', 'commit', 'init',
    'trans', 'guard', 'sync', 'assign', 'else', 'typedef', 'select', 'branchpoint', 'probability',
    'xor', 'forall', 'exists', 'sum', 'priority'])


def tokens(text, in_query):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Refused(f'no token: {text[at:at + 20]!r}')
        kind, word = match.lastgroup, match.group()
        if word == '-->' and not in_query:
            kind, word = 'operator', '--'
        if kind == 'text' or kind == 'number' and not word.isdigit():
            raise Refused(f'floating point or string {word}')
        if kind != 'space':
            found.append((kind, word))
        at += len(word)
    return found + [('end', '')]


class Parser:
    def __init__(self, text, in_query=False):
        self.tokens, self.at, self.in_query = tokens(text, in_query), 0, in_query

    # ---- tokens ----

    def word(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def kind(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][0]

    def take(self, *words):
        """The next word, if it is one of these."""
        if self.kind() != 'end' and self.word() in words:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def need(self, *words):
        taken = self.take(*words)
        if not taken:
            before = ' '.join(word for _, word in self.tokens[max(0, self.at - 8):self.at])
            raise Refused(f'{words} expected before {self.word()!r}, after {before}')
        return taken

    def is_name(self, ahead=0):
        return self.kind(ahead) == 'name' and self.word(ahead) not in RESERVED

    def name(self):
        if not self.is_name():
            raise Refused(f'a name expected before {self.word()!r}')
        self.at += 1
        return self.tokens[self.at - 1][1]

    def end(self):
        if self.kind() != 'end':
            raise Refused(f'the end expected before {self.word()!r}')

    def separated(self, read, *words):
        found = [read()]
        while self.take(*(words or (',',))):
            found.append(read())
        return found

    # ---- expressions ----

    def expression(self):
        left = self.conditional()
        if self.word() in ASSIGNMENTS and self.kind() == 'operator':
            operator = self.take(*ASSIGNMENTS)
            return ('assign', SAME.get(operator, operator), left, self.expression())
        return left

    def conditional(self):
        condition = self.binary(0)
        if not self.take('?'):
            return condition
        yes = self.expression()
        self.need(':')
        return ('cond', condition, yes, self.expression_without_assignment())

    def expression_without_assignment(self):
        return self.conditional()

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.word() in LEVELS[level]:
            operator = self.take(*LEVELS[level])
            left = ('binary', SAME.get(operator, operator), left, self.binary(level + 1))
        return left

    def unary(self):
        operator = self.take('!', 'not', '-', '+')
        if operator:
            return ('unary', SAME.get(operator, operator), self.unary())
        operator = self.take('++', '--')
        if operator:
            return ('step', operator, True, self.unary())
        if self.word() in ('forall', 'exists', 'sum') and self.word(1) == '(':
            word = self.take('forall', 'exists', 'sum')
            self.need('(')
            name = self.name()
            self.need(':')
            type_ = self.type()
            self.need(')')
            return ('each', word, name, type_, self.expression())
        return self.postfix(self.primary())

    def postfix(self, e):
        while True:
            if self.take('['):
                e = ('index', e, self.expression())
                self.need(']')
            elif self.take('.'):
                e = ('dot', e, self.name())
            elif self.take('('):
                arguments = [] if self.word() == ')' else self.separated(self.expression)
                self.need(')')
                e = ('call', e, arguments)
            elif self.take("'"):
                e = ('rate', e)
            elif self.word() in ('++', '--'):
                e = ('step', self.take('++', '--'), False, e)
            else:
                return e

    def primary(self):
        if self.take('('):
            e = self.expression()
            self.need(')')
            return e
        if self.kind() == 'number':
            self.at += 1
            return ('num', int(self.tokens[self.at - 1][1]))
        if self.take('true'):
            return ('num', 1)
        if self.take('false'):
            return ('num', 0)
        if self.in_query and self.take('deadlock'):
            return ('deadlock',)
        return ('name', self.name())

    # ---- types and declarations ----

    def type(self):
        prefixes = []
        while self.word() in PREFIXES:
            prefixes.append(self.take(*PREFIXES))
        return ('type', prefixes, self.base(prefixes))

    def base(self, prefixes):
        word = self.take(*BASES)
        if word in ('double', 'string') or 'hybrid' in prefixes:
            raise Refused(f'type {word}')
        if not word:
            return ('named', self.name())
        if word == 'int':
            if not self.take('['):
                return ('int', None, None)
            low = self.expression()
            self.need(',')
            high = self.expression()
            self.need(']')
            return ('int', low, high)
        if word == 'scalar':
            self.need('[')
            size = self.expression()
            self.need(']')
            return ('scalar', size)
        return ('struct', self.members()) if word == 'struct' else (word, prefixes)

    def members(self):
        members = []
        self.need('{')
        while not self.take('}'):
            type_ = self.type()
            for name, dims in self.separated(lambda: (self.name(), self.dims())):
                members.append((type_, name, dims))
            self.need(';')
        return members

    def is_type(self):
        """Whether a type begins here: a name is one when another name follows."""
        return (self.word() in PREFIXES + BASES
                or self.is_name() and (self.is_name(1) or self.word(1) == '&'))

    def dims(self):
        dims = []
        while self.take('['):
            whole = self.at
            if self.word() in PREFIXES + BASES:
                dims.append(('by', self.type()))
            else:
                self.at = whole
                dims.append(('size', self.expression())) # the name of a type, perhaps
            self.need(']')
        return dims

    def initialiser(self):
        if not self.take('{'):
            return self.expression()
        def member():
            if self.is_name() and self.word(1) == ':':
                self.at += 2
            return self.initialiser()
        members = self.separated(member)
        self.need('}')
        return ('list', members)

    def parameters(self, end=')'):
        def parameter():
            type_ = self.type()
            is_reference = bool(self.take('&'))
            return (type_, is_reference, self.name(), self.dims())
        found = [] if self.word() == end else self.separated(parameter)
        self.need(end)
        return found

    def variables(self):
        """Variables or a function."""
        type_ = self.type()
        if self.is_name() and self.word(1) == '(':
            name = self.name()
            self.need('(')
            return [('func', type_, name, self.parameters(), self.block())]
        def variable():
            name, dims = self.name(), self.dims()
            return ('var', type_, name, dims,
                    self.initialiser() if self.take('=', ':=') else None)
        found = self.separated(variable)
        self.need(';')
        return found

    def typedef(self):
        self.need('typedef')
        type_ = self.type()
        found = self.separated(lambda: ('typedef', type_, self.name(), self.dims()))
        self.need(';')
        return found

    def groups(self, read):
        """Names with priorities: a list of lists."""
        found = [[read()]]
        while True:
            if self.take(','):
                found[-1].append(read())
            elif self.take('<'):
                found.append([read()])
            else:
                self.need(';')
                return found

    def instantiation(self):
        name = self.name()
        parameters = self.parameters() if self.take('(') else []
        self.need('=', ':=')
        template = self.name()
        self.need('(')
        arguments = [] if self.word() == ')' else self.separated(self.expression)
        self.need(')')
        self.need(';')
        return ('inst', name, parameters, template, arguments)

    def channel(self):
        return None if self.take('default') else self.postfix(('name', self.name()))

    def declaration(self):
        if self.take(';'):
            return []
        if self.word() == 'typedef':
            return self.typedef()
        if self.word() in ('import', 'dynamic', 'before_update', 'after_update'):
            raise Refused(self.word())
        if self.take('process'):
            return [('process', self.process())]
        if self.take('system'):
            return [('system', self.groups(self.name))]
        if self.word() == 'chan' and self.word(1) == 'priority':
            self.at += 2
            return [('priority', self.groups(self.channel))]
        if self.word() in ('progress', 'gantt') and self.word(1) == '{':
            while not self.take('}'):
                self.at += 1
                if self.kind() == 'end':
                    raise Refused('no } of progress or gantt')
            return []
        return self.variables() if self.is_type() else [self.instantiation()]

    def declarations(self):
        found = []
        while self.kind() != 'end':
            found += self.declaration()
        return found

    # ---- statements ----

    def block(self):
        self.need('{')
        declarations, statements = [], []
        while self.is_type() or self.word() == 'typedef':
            declarations += self.typedef() if self.word() == 'typedef' else self.variables()
        while not self.take('}'):
            statements.append(self.statement())
        return ('block', declarations, statements)

    def listed(self, end):
        """Expressions up to a word; the value is the last one's."""
        found = [] if self.word() == end else self.separated(self.expression)
        self.need(end)
        return found

    def statement(self):
        if self.word() == '{':
            return self.block()
        if self.take(';'):
            return ('block', [], [])
        word = self.take(*STATEMENTS)
        if not word:
            return ('expr', self.listed(';'))
        if word == 'return':
            e = None if self.word() == ';' else self.expression()
            self.need(';')
            return ('return', e)
        if word == 'assert':
            return ('assert', self.listed(';'))
        if word == 'do':
            body = self.statement()
            self.need('while')
            self.need('(')
            condition = self.listed(')')
            self.need(';')
            return ('do', body, condition)
        self.need('(')
        if word == 'if':
            condition, yes = self.listed(')'), self.statement()
            return ('if', condition, yes,
                    self.statement() if self.take('else') else ('block', [], []))
        if word == 'while':
            return ('while', self.listed(')'), self.statement())
        if self.is_name() and self.word(1) == ':':
            name = self.name()
            self.need(':')
            type_ = self.type()
            self.need(')')
            return ('iterate', name, type_, self.statement())
        return ('for', self.listed(';'), self.listed(';'), self.listed(')'), self.statement())

    # ---- processes in XTA ----

    def process(self):
        name = self.name()
        template = new_template(name)
        template.parameters = self.parameters() if self.take('(') else []
        self.need('{')
        while self.word() not in ('state', '}'):
            template.declarations += self.declaration()
        while not self.take('}'):
            self.part(template)
        return template

    def part(self, template):
        word = self.need('state', 'branchpoint', 'commit', 'urgent', 'init', 'trans')
        if word == 'state':
            for location in self.separated(self.location):
                template.locations[location.name] = location
        elif word == 'init':
            template.initial = self.name()
        elif word == 'trans':
            source = None
            edge = self.edge(source)
            template.edges.append(edge)
            while self.take(','):
                edge = self.edge(edge.source)
                template.edges.append(edge)
        else:
            for name in self.separated(self.name):
                if word == 'branchpoint':
                    template.branches.append(name)
                elif word == 'commit':
                    template.locations[name].committed = True
                else:
                    template.locations[name].urgent = True
        self.need(';')

    def location(self):
        location = new_location(self.name())
        if self.take('{'):
            if self.word() not in (';', '}'):
                location.invariant = self.expression()
            if self.take(';'):
                while self.word() != '}':
                    self.at += 1
            self.need('}')
        return location

    def edge(self, source):
        edge = new_edge()
        edge.source = source if self.word() in ('->', '-u->') else self.name()
        self.need('->', '-u->')
        edge.target = self.name()
        self.need('{')
        if self.take('select'):
            edge.select = self.selects()
            self.need(';')
        if self.take('guard'):
            edge.guard = self.expression()
            self.need(';')
        if self.take('sync'):
            edge.sync = self.sync()
            self.need(';')
        if self.take('assign'):
            edge.update = self.separated(self.expression)
            self.need(';')
        if self.take('probability'):
            self.expression()
            self.need(';')
        self.need('}')
        return edge

    def selects(self):
        def select():
            name = self.name()
            self.need(':')
            return (name, self.type())
        return self.separated(select)

    def sync(self):
        channel = self.postfix(('name', self.name()))
        return (channel, self.need('!', '?'))

    # ---- queries ----

    def query(self):
        if self.word() in ('sup', 'inf', 'bounds') and self.word(1) in (':', '{'):
            word, condition = self.take('sup', 'inf', 'bounds'), None
            if self.take('{'):
                condition = self.expression()
                self.need('}')
            self.need(':')
            query = (word, condition, self.separated(self.expression))
        else:
            query = self.temporal()
        self.end()
        return query

    def temporal(self):
        for word in ('A[]', 'E<>', 'E[]', 'A<>'):
            if ''.join(self.word(i) for i in range(3)) == word:
                self.at += 3
                return (word, self.expression())
        left = self.expression()
        self.need('-->')
        return ('-->', left, self.expression())


def new_template(name):
    return SimpleNamespace(name=name, parameters=[], declarations=[], locations={}, branches=[],
                           initial=None, edges=[])


def new_location(name):
    return SimpleNamespace(name=name, invariant=None, urgent=False, committed=False)


def new_edge():
    return SimpleNamespace(source=None, target=None, select=[], guard=None, sync=None, update=[])


def read_query(text):
    return Parser(text, in_query=True).query()


def read_declarations(text):
    return Parser(text).declarations()


def read_label(text, how):
    parser = Parser(text)
    found = how(parser)
    parser.end()
    return found
