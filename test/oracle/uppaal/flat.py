"""A UPPAAL model as one timed automaton in Cairn's own text form: a location for every discrete
state, so that what engines say about runs in dense time can be compared without any front end.

Refused, because the text has no words for it: what zones refuse (symbolic.py), clocks that are set
to anything but 0, invariants with a choice. Where no time may pass, a clock of its own says so.
"""
from .syntax import Refused
from .symbolic import Atom, Zones, sides
from .values import Failure

KINDS = {'A[]': 'always', 'E<>': 'sometime', 'E[]': 'keeps', 'A<>': 'meets', '-->': 'leads',
         'sup': 'sup', 'inf': 'inf', 'bounds': 'bounds'}
CONSTANTS = {True: 'true', False: 'false'}


def joined(operator, parts):
    """Conditions with `and` or `or` between them."""
    absorbing, neutral = ('false', 'true') if operator == 'and' else ('true', 'false')
    if absorbing in parts:
        return absorbing
    parts = [part for part in parts if part != neutral]
    text = parts[0] if parts else neutral
    for part in parts[1:]:
        text = f'({operator} {text} {part})'
    return text


def negated(text):
    return {'true': 'false', 'false': 'true'}.get(text, f'(not {text})')


def clock_name(number):
    return f'"x{number}"' if number else '0'


def constraint(i, j, bound):
    """x_i - x_j <= or < a number, as the text has it."""
    sign, number = ('<=' if bound & 1 else '<'), bound >> 1
    if i and j:
        return f'"x{i}" - "x{j}" {sign} {number}'
    if i:
        return f'"x{i}" {sign} {number}'
    return f'"x{j}" {sign.replace("<", ">")} {-number}'


class Flat(Zones):
    def __init__(self, system, limit=60):
        super().__init__(system)
        self.numbers, self.states, self.rules, self.failed = {}, [], [], False
        self.limit = limit
        if any(system.first_clocks):
            raise Refused('first values of clocks')
        first = system.first_state()
        self.number_of(first[:2])
        at = 0
        while at < len(self.states):
            self.expand(at)
            at += 1

    def number_of(self, discrete):
        if discrete not in self.numbers:
            self.numbers[discrete] = len(self.states)
            self.states.append(discrete)
            if len(self.states) > self.limit:
                raise Refused('too many states')
        return self.numbers[discrete]

    def load(self, at):
        self.system.load(self.states[at] + ((0,) * len(self.system.all_clocks),))

    def expand(self, at):
        system = self.system
        self.load(at)
        committed = any(system.place(process).committed for process in system.processes)
        for edges, cases in list(self.combinations()):
            self.load(at)
            if committed and not system.is_committed(edges):
                continue
            self.sets = []
            try:
                for edge in edges:
                    system.locations[edge.process.index] = edge.target
                for edge in edges:
                    for tree in edge.update:
                        system.evaluate(tree, edge.scope)
                inside = self.invariant()
            except Failure:
                self.failed = True
                continue
            if not inside:
                continue
            if any(value for _, value in self.sets):
                raise Refused('clocks that are set to numbers')
            target = self.number_of(system.save()[:2])
            self.rules += [(at, target, case, sorted({x for x, _ in self.sets}))
                           for case in cases]

    # ---- text ----

    def location(self, at):
        system = self.system
        self.load(at)
        cases = self.invariant()
        if len(cases) != 1:
            raise Refused('invariants with a choice')
        stops = any(system.place(p).committed or system.place(p).urgent for p in system.processes)
        lines = [f'  location {at} "s{at}"'] + [f'    invariant {constraint(*c)}' for c in cases[0]]
        if stops or self.is_urgent():
            lines.append('    invariant "still" <= 0')
        return lines

    def rule(self, number, rule):
        source, target, case, resets = rule
        lines = [f'rule "r{number}"', '  part "p"', f'    when (eq "pc" {source})',
                 f'  set "pc" {target}'] + [f'  guard {constraint(*c)}' for c in case]
        return lines + [f'  reset "x{x}"' for x in resets] + ['  reset "still"']

    def condition(self, tree, scope):
        """In the state that is loaded."""
        if tree is None:
            return 'true'
        if tree[0] == 'deadlock':
            return '(deadlock)'
        if tree[0] == 'unary' and tree[1] == '!':
            return negated(self.condition(tree[2], scope))
        if tree[0] == 'binary' and tree[1] in ('&&', '||', 'imply'):
            left, right = (self.condition(each, scope) for each in tree[2:])
            if tree[1] == 'imply':
                left = negated(left)
            return joined('and' if tree[1] == '&&' else 'or', [left, right])
        if tree[0] == 'each' and tree[1] != 'sum':
            return joined('and' if tree[1] == 'forall' else 'or',
                          [self.condition(tree[4], inner)
                           for inner in self.system.selections([tree[2:4]], scope)])
        value = self.system.evaluate(tree, scope)
        return self.atom(value) if isinstance(value, Atom) else CONSTANTS[bool(value)]

    def atom(self, value):
        (i, j, more), (k, l, constant) = sides(value.a), sides(value.b)
        plus, minus, sign = i or l, j or k, value.operator
        if not plus: # 3 <= x
            plus, minus, constant, more = minus, plus, more, constant
            sign = sign.translate(str.maketrans('<>', '><'))
        text = clock_name(plus) + (f' - {clock_name(minus)}' if minus else '')
        number = constant - more
        if sign == '!=':
            return f'(not (clock {text} = {number}))'
        return f'(clock {text} {"=" if sign == "==" else sign} {number})'

    def formula(self, tree):
        """In all states: those with the same condition together."""
        by_condition = {}
        for at in range(len(self.states)):
            self.load(at)
            text = self.condition(tree, self.system.globals)
            by_condition.setdefault(text, []).append(f'(eq "pc" {at})')
        return joined('or', [joined('and', [joined('or', places), text])
                             for text, places in by_condition.items() if text != 'false'])

    def query(self, query, text):
        lines = [f'query {KINDS[query[0]]}', f'  text "{text}"',
                 f'  formula {self.formula(query[1])}']
        if query[0] == '-->':
            lines.append(f'  then {self.formula(query[2])}')
        return lines

    def text(self, queries):
        """The model with queries (tree, text)."""
        lines = ['cairn 1', 'model "flat"', 'clock "still"']
        lines += [f'clock "x{x}"' for x in range(1, len(self.system.all_clocks) + 1)]
        lines.append('process "p" type "P" pc "pc"')
        for at in range(len(self.states)):
            lines += self.location(at)
        lines.append(f'variable "pc" of "p" 0..{max(1, len(self.states) - 1)} = 0')
        for number, rule in enumerate(self.rules):
            lines += self.rule(number, rule)
        for query, text in queries:
            lines += self.query(query, text)
        return '\n'.join(lines) + '\n'
