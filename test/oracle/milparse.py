"""Reader of Milestones models (.mil): text to plain tuples, no meaning attached yet.

Part of the reference implementation that the tests compare Cairn with.  Written for clarity, not
speed.

Arithmetic:  ('num', value)  ('name', id, pos)  ('self', pos)  ('member', proc, index or None, var,
             pos) ('bin', op, left, right)                                            op in + - * /
% Conditions:  ('true',)  ('false',)  ('cmp', op, left, right)                     op in == != < <=
             > >= ('not', f)  ('and', f, g)  ('or', f, g)  ('imp', f, g)  ('iff', f, g)
LTL:         ('X', f)  ('F', f)  ('G', f)  ('U', f, g)  ('R', f, g)  ('W', f, g)
CTL:         ('EX', f) ... ('AG', f)  ('EU', f, g)  ('ER', f, g)  ('EW', f, g)  ('AU', f, g)  ('AR',
f, g)  ('AW', f, g)
"""
import re
from types import SimpleNamespace

KEYWORDS = {'CONST', 'ACTION', 'ACTIONS', 'VARIABLE', 'VARIABLES', 'LOCAL', 'LOCATIONS', 'CASE',
            'SYNC', 'END',
            'MAIN', 'GLOBAL', 'PROC', 'CTL', 'LTL', 'INVARIANT', 'INVARIANTS'}
SPELLINGS = {'=': '==', '<>': '!=', '≠': '!=', '≤': '<=', '≥': '>=', '&&': '&', 'and': '&',
             '∧': '&',
             '||': '|', 'or': '|', '∨': '|', '=>': '->', '⇒': '->', '<=>': '<->', '⇔': '<->',
             'not': '!', '¬': '!', 'mod': '%', '×': '*'}
COMPARISONS = {'==', '!=', '<', '<=', '>', '>='}
ARITHMETIC = {'+', '-', '*', '/', '%'}
CTL_UNARY = {'EX', 'EF', 'EG', 'AX', 'AF', 'AG'}
MAX_CONSTANT = 2 ** 63 - 1

TOKEN = re.compile(r'''
    (?P<space>\s+ | //[^\n]* | /\*.*?\*/)
  | (?P<number>[0-9]+(?![A-Za-z_0-9]))
  | (?P<word>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<symbol><->|<=>|:=|==|!=|<=|>=|<>|&&|\|\||->|=>|[-+*/%<>=!&|()\[\]:;,.≠≤≥∧∨⇒⇔¬×])
''', re.VERBOSE | re.DOTALL)


class ModelError(Exception):
    """The model (or a property, or a constant given from outside) is wrong."""

    def __init__(self, text, pos=None):
        super().__init__(f'{pos[0]}:{pos[1]}: error: {text}' if pos else f'error: {text}')


def tokenize(text):
    """A list of (kind, text, (line, column)); kinds are number, name, keyword, symbol and end."""
    tokens, at, line, start = [], 0, 1, 0
    while at < len(text):
        match = TOKEN.match(text, at)
        pos = (line, at - start + 1)
        if not match:
            raise ModelError(f'unexpected character {text[at]!r}', pos)
        word = match.group()
        if match.lastgroup == 'number':
            tokens.append(('number', word, pos))
        elif match.lastgroup == 'word' and word in KEYWORDS:
            tokens.append(('keyword', word, pos))
        elif match.lastgroup == 'word' and word not in ('and', 'or', 'not', 'mod'):
            tokens.append(('name', word, pos))
        elif match.lastgroup != 'space':
            tokens.append(('symbol', SPELLINGS.get(word, word), pos))
        newlines = word.count('\n')
        if newlines:
            line, start = line + newlines, at + word.rindex('\n') + 1
        at = match.end()
    tokens.append(('end', 'end of file', (line, at - start + 1)))
    return tokens


class Parser:
    def __init__(self, text):
        self.tokens = tokenize(text)
        self.at = 0
        self.hidden = []                        # the positions of variables that are marked so
        self.logic = 'none'                     # 'ctl' or 'ltl' while such a formula is read

    # ---- tokens ----
    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self):
        token = self.peek()
        self.at += 1
        return token

    def fail(self, wanted):
        raise ModelError(f'{wanted} expected, found {self.peek()[1]!r}', self.peek()[2])

    def is_symbol(self, *symbols):
        return self.peek()[0] == 'symbol' and self.peek()[1] in symbols

    def is_keyword(self, *words):
        return self.peek()[0] == 'keyword' and self.peek()[1] in words

    def is_name(self, *names):
        return self.peek()[0] == 'name' and (not names or self.peek()[1] in names)

    def symbol(self, *symbols):
        if not self.is_symbol(*symbols):
            self.fail(' or '.join(repr(s) for s in symbols))
        return self.take()[1]

    def name(self, what='a name'):
        if not self.is_name() or self.peek()[1] in ('true', 'false', 'self'):
            self.fail(what)
        return self.take()[1]

    def end(self):
        if not self.is_keyword('END'):
            self.fail("'END'")
        self.take()

    def separators(self):
        while self.is_symbol(';', ','):
            self.take()

    def closing(self, at):
        """The index of the token after the bracket that closes the one at index `at`."""
        depth = 0
        for i in range(at, len(self.tokens)):
            kind, text, _ = self.tokens[i]
            if kind == 'symbol' and text in '([':
                depth += 1
            elif kind == 'symbol' and text in ')]':
                depth -= 1
                if depth == 0:
                    return i + 1
        return len(self.tokens) - 1

    # ---- arithmetic ----
    def sum(self):
        left = self.product()
        while self.is_symbol('+', '-'):
            left = ('bin', self.take()[1], left, self.product())
        return left

    def product(self):
        left = self.operand()
        while self.is_symbol('*', '/', '%'):
            left = ('bin', self.take()[1], left, self.operand())
        return left

    def operand(self):
        kind, text, pos = self.peek()
        if self.is_symbol('('):
            self.take()
            inside = self.sum()
            self.symbol(')')
            return inside
        if kind == 'number':
            self.take()
            if int(text) > MAX_CONSTANT:
                raise ModelError(f'the constant {text} needs more than 63 bits', pos)
            return ('num', int(text))
        if kind == 'name' and text == 'self':
            self.take()
            return ('self', pos)
        return self.reference('a number or a variable')

    def member_follows(self, ahead=0):
        """At a name: do `.x`, `[i].x` or `[i]:x` come next?"""
        after = self.peek(ahead + 1)
        if after[:2] == ('symbol', '.'):
            return True
        if after[:2] == ('symbol', '['):
            return self.tokens[self.closing(self.at + ahead + 1)][:2] in (('symbol', '.'),
                ('symbol', ':'))
        return False

    def reference(self, what):
        pos, member = self.peek()[2], self.member_follows()
        name = self.name(what)
        if not member:
            return ('name', name, pos)
        index = None
        if self.is_symbol('['):
            self.take()
            index = self.sum()
            self.symbol(']')
            self.symbol('.', ':')
        else:
            self.symbol('.')
        return ('member', name, index, self.name('a variable of a process'), pos)

    # ---- conditions and formulas, loosest first ----
    def formula(self):
        left = self.implication()
        while self.is_symbol('<->'):
            self.take()
            left = ('iff', left, self.implication())
        return left

    def implication(self):
        left = self.disjunction()
        if self.is_symbol('->'):
            self.take()
            return ('imp', left, self.implication())
        return left

    def disjunction(self):
        left = self.conjunction()
        while self.is_symbol('|'):
            self.take()
            left = ('or', left, self.conjunction())
        return left

    def conjunction(self):
        left = self.until()
        while self.is_symbol('&'):
            self.take()
            left = ('and', left, self.until())
        return left

    def until(self):
        left = self.unary()
        if self.logic == 'ltl' and self.is_name('U', 'R', 'W'):
            operator = self.take()[1]
            return (operator, left, self.until())
        return left

    def is_operator(self):
        """Is the name here a temporal operator?  Not when what follows makes it a variable or a
        process."""
        after = self.peek(1)
        if after[0] == 'symbol' and after[1] in COMPARISONS | ARITHMETIC or self.member_follows():
            return False
        text = self.peek()[1]
        if self.logic == 'ltl':
            return re.fullmatch('[XFG]+', text) is not None
        if self.logic == 'ctl':
            return (text in CTL_UNARY or text in ('E', 'A')
                    and after[:2] in (('symbol', '['), ('symbol', '(')))
        return False

    def unary(self):
        if self.is_symbol('!'):
            self.take()
            return ('not', self.unary())
        if self.is_name('true', 'false'):
            return (self.take()[1],)
        if self.is_name() and self.is_operator():
            text = self.take()[1]
            if text in ('E', 'A'):
                close = {'[': ']', '(': ')'}[self.take()[1]]
                left = self.formula()
                if not self.is_name('U', 'R', 'W'):
                    self.fail("'U', 'R' or 'W'")
                operator = text + self.take()[1]
                right = self.formula()
                self.symbol(close)
                return (operator, left, right)
            inside = self.unary()
            for operator in [text] if self.logic == 'ctl' else reversed(text):
                inside = (operator, inside)
            return inside
        if self.is_symbol('('):
            kind, text, _ = self.tokens[self.closing(self.at)]
            if not (kind == 'symbol' and text in COMPARISONS | ARITHMETIC):
                self.take()
                inside = self.formula()
                self.symbol(')')
                return inside
        left = self.sum()
        operator = self.symbol(*sorted(COMPARISONS))
        return ('cmp', operator, left, self.sum())

    def formula_in(self, logic):
        self.logic = logic
        result = self.formula()
        self.logic = 'none'
        return result

    # ---- sections ----
    def names(self):
        """The rest of a list of names: [(name, pos)]."""
        self.separators()
        result = []
        while not self.is_keyword('END'):
            pos = self.peek()[2]
            result.append((self.name(), pos))
            self.separators()
        self.end()
        return result

    def constants(self):
        """[(name, expression, pos)]"""
        result = []
        while self.is_name():
            pos, name = self.peek()[2], self.name()
            self.symbol('==', ':=')             # '==' because '=' is one of its spellings
            result.append((name, self.sum(), pos))
            self.symbol(';')
        if self.is_keyword('END'):
            self.take()
        return result

    def variables(self):
        """[(name, width, initial value or None, pos)]; the names after the mark `hidden` have their
        positions in self.hidden."""
        self.separators()
        result = []
        while not self.is_keyword('END'):
            if self.is_name('hidden', 'HIDDEN') and self.peek(1)[1] != ':':
                self.take()
                self.hidden.append(self.peek()[2])
            pos, name = self.peek()[2], self.name()
            self.symbol(':')
            width, initial = self.sum(), None
            if self.is_symbol(':='):
                self.take()
                initial = self.sum()
            result.append((name, width, initial, pos))
            self.separators()
        self.end()
        return result

    def locations(self):
        """[(name, value or None, pos)]"""
        self.separators()
        result = []
        while not self.is_keyword('END'):
            pos, name, value = self.peek()[2], self.name(), None
            if self.is_symbol(':='):
                self.take()
                value = self.sum()
            result.append((name, value, pos))
            self.separators()
        self.end()
        return result

    def commands(self):
        self.separators()
        result = []
        while not self.is_keyword('END'):
            pos = self.peek()[2]
            self.symbol('[')
            first = self.sum()
            self.symbol(']')
            pc = None
            if self.is_symbol('['):
                self.take()
                pc, first = first, ('name', self.name('an action'), pos)
                self.symbol(']')
            if first[0] != 'name':
                raise ModelError('the name of an action expected', pos)
            condition = self.formula()
            self.symbol(':')
            self.separators()
            assignments = []
            while self.is_name():
                target = self.reference('a variable')
                self.symbol(':=')
                assignments.append((target, self.sum()))
                self.separators()
            result.append(
                SimpleNamespace(pc=pc, action=first[1], condition=condition,
                                assignments=assignments, pos=pos))
        self.end()
        return result

    def local(self):
        pos = self.peek()[2]
        kind = SimpleNamespace(name=self.name('the name of a process type'), pos=pos, locations=[],
                               actions=[],
                               variables=[], commands=[], sync=[])
        seen = set()
        while not self.is_keyword('END'):
            section = self.section(seen, 'LOCATIONS', 'ACTIONS', 'VARIABLES', 'CASE', 'SYNC')
            if section == 'LOCATIONS':
                kind.locations = self.locations()
            elif section == 'ACTIONS':
                kind.actions = self.names()
            elif section == 'VARIABLES':
                kind.variables = self.variables()
            elif section == 'CASE':
                kind.commands = self.commands()
            else:
                kind.sync = self.names()
        self.end()
        return kind

    def section(self, seen, *allowed):
        """Takes the keyword that opens a section and returns its main spelling; at most once
        each."""
        kind, text, pos = self.take()
        text = {'ACTION': 'ACTIONS', 'VARIABLE': 'VARIABLES', 'GLOBAL': 'MAIN',
                'INVARIANT': 'INVARIANTS'}.get(text, text)
        if kind != 'keyword' or text not in allowed:
            raise ModelError(f'a section expected, found {text!r}', pos)
        if text in seen and text not in ('CONST', 'LOCAL'):
            raise ModelError(f'a second section {text}', pos)
        seen.add(text)
        return text

    def main(self, model):
        seen = set()
        while not self.is_keyword('END'):
            if self.section(seen, 'PROC', 'CASE') == 'CASE':
                model.commands = self.commands()
                continue
            self.separators()
            while not self.is_keyword('END'):
                pos, name = self.peek()[2], self.name()
                self.symbol(':', ':=')
                kind = self.name('a process type')
                self.symbol('[')
                model.procs.append((name, kind, self.sum(), pos))
                self.symbol(']')
                self.separators()
            self.end()
        self.end()

    def properties(self, kind):
        """[(name, kind, formula)]"""
        self.separators()
        result = []
        while not self.is_keyword('END'):
            name = f'{kind}[{len(result)}]'
            if self.is_name() and self.peek(1)[:2] == ('symbol', ':'):
                name = self.name('the name of a property')
                self.symbol(':')
            result.append((name, kind, self.formula_in(kind if kind in ('ctl', 'ltl') else 'none')))
            self.separators()
        self.end()
        return result

    def model(self):
        model = SimpleNamespace(constants=[], actions=[], variables=[], types=[], procs=[],
                                commands=[], properties=[], hidden=self.hidden)
        seen = set()
        while self.peek()[0] != 'end':
            section = self.section(seen, 'CONST', 'ACTIONS', 'VARIABLES', 'LOCAL', 'MAIN', 'CTL',
                                   'LTL', 'INVARIANTS')
            if section == 'CONST':
                model.constants += self.constants()
            elif section == 'ACTIONS':
                model.actions = self.names()
            elif section == 'VARIABLES':
                model.variables = self.variables()
            elif section == 'LOCAL':
                model.types.append(self.local())
            elif section == 'MAIN':
                self.main(model)
            else:
                model.properties += self.properties(
                    {'CTL': 'ctl', 'LTL': 'ltl', 'INVARIANTS': 'invariant'}[section])
        return model


def parse(text):
    return Parser(text).model()
