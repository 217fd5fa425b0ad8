#!/usr/bin/env python3
"""Random Milestones models for differential tests.

    generate.py --seed S [--size small|medium] [--no-temporal] [--no-extensions] [--local]

Prints one valid model; the same options always give the same model.  Candidates that the reference
implementation rejects (two writes to one variable), or whose state space is trivial or too large,
are thrown away and drawn again.
"""
import argparse
import random
import sys
from types import SimpleNamespace

import oracle
from milparse import ModelError

# Binding strength of an expression's outermost operator; a piece of text is a pair (strength,
# text).
IFF, IMP, OR, AND, UNTIL, UNARY, CMP, ADD, MUL, LEAF = range(10)
SPELLINGS = {'==': ['==', '==', '==', '='], '!=': ['!=', '!=', '<>', '≠'], '<=': ['<=', '<=', '≤'],
             '>=': ['>=', '>=', '≥'],
             '<': ['<'], '>': ['>'], '&': ['&', '&', '&&', 'and', '∧'],
             '|': ['|', '|', '||', 'or', '∨'],
             '->': ['->', '->', '=>', '⇒'], '<->': ['<->', '<->', '<=>', '⇔'],
             '!': ['!', '!', 'not ', '¬'],
             '%': ['%', '%', 'mod'], '*': ['*', '*', '×'], '+': ['+'], '-': ['-'], '/': ['/']}
COMPARISONS = ['==', '==', '==', '!=', '!=', '<', '<=', '>', '>=']
TEMPORAL_NAMES = ['F', 'G', 'X', 'U', 'R', 'W', 'A', 'E', 'AG', 'EX', 'GF']


class Generator:
    def __init__(self, rng, processes, temporal, extensions):
        self.rng, self.processes, self.temporal, self.extensions = (rng, processes, temporal,
            extensions)
        self.plain = rng.random() < 0.6         # one spelling of each operator
        self.risky = rng.random() < 0.3         # divisions that may fail
        self.live = rng.random() < 0.4          # few conditions, so few deadlocks
        self.ends = rng.random() < 0.6          # processes tend to come to an end
        self.foreign = extensions and rng.random() < 0.25
        self.free_bits = 5                      # bits of variables without an initial value

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return self.rng.choice(items)

    # ---- expressions ----
    def spell(self, op):
        return SPELLINGS[op][0] if self.plain else self.pick(SPELLINGS[op])

    def wrap(self, piece, strength):
        """The text of a piece where an operand at least this strong is needed, now and then in
        needless parentheses."""
        if piece[0] < strength or piece[0] < LEAF and self.chance(0.12):
            return f'({piece[1]})'
        return piece[1]

    def join(self, strength, op, left, right, right_to_left=False):
        a, b = self.wrap(left, strength + right_to_left), self.wrap(right,
            strength + (not right_to_left))
        return strength, f'{a} {self.spell(op)} {b}'

    def negate(self, piece):
        return UNARY, self.spell('!') + self.wrap(piece, UNARY)

    def number(self, width=2):
        return LEAF, str(self.rng.randrange(2 ** self.rng.randint(1, width)))

    def leaf(self, scope, width):
        roll = self.rng.random()
        if scope.variables and roll < 0.6:
            return LEAF, self.pick(scope.variables)[0]
        if scope.constants and roll < 0.75:
            return LEAF, self.pick(scope.constants)
        if self.chance(0.05):
            return LEAF, str(self.rng.randrange(2 ** self.pick([5, 7, 12, 33, 62])))
        return self.number(width)

    def arithmetic(self, scope, depth, width, divisors):
        """Variables that must not be zero are added to `divisors`."""
        if depth == 0 or self.chance(0.3):
            return self.leaf(scope, width)
        op = self.pick('++---**/%')
        left = self.arithmetic(scope, depth - 1, width, divisors)
        if op in '+-':
            return self.join(ADD, op, left, self.arithmetic(scope, depth - 1, width, divisors))
        if op == '*':
            return self.join(MUL, op, left, self.arithmetic(scope, depth - 1, width, divisors))
        if self.risky and scope.may_fail and self.chance(0.4):
            return self.join(MUL, op, left, self.leaf(scope, width))
        if scope.variables and self.chance(0.6):
            divisor = self.pick(scope.variables)[0]
            divisors.add(divisor)
            return self.join(MUL, op, left, (LEAF, divisor))
        return self.join(MUL, op, left, (LEAF, str(self.rng.randint(1, 5))))

    def guard(self, divisors, piece):
        """`piece` behind tests that the divisors are not zero."""
        for divisor in sorted(divisors):
            if self.chance(0.8):
                test = self.join(CMP, self.pick(['!=', '!=', '>']), (LEAF, divisor), (LEAF, '0'))
                piece = self.join(AND, '&', test, piece)
            else:
                test = self.join(CMP, '==', (LEAF, divisor), (LEAF, '0'))
                piece = self.join(AND, '&', self.negate(test), piece)
        return piece

    def comparison(self, scope):
        divisors = set()
        variable, width = self.pick(scope.variables) if scope.variables else ('1', 1)
        depth = self.pick([0, 0, 0, 1, 1, 2])
        if depth == 0:
            left = (LEAF, variable)
        else:
            left = self.join(ADD, self.pick('+-'), (LEAF, variable),
                             self.arithmetic(scope, depth - 1, width, divisors))
        right = self.arithmetic(scope, self.pick([0, 0, 1]), width, divisors)
        if depth == 0 and self.chance(0.6):
            right = self.number(width)
        if variable in scope.places and depth == 0 and self.chance(0.6):
            right = (LEAF, self.pick(scope.places[variable]))
        if self.chance(0.2):
            left, right = right, left
        piece = self.join(CMP, self.pick(COMPARISONS), left, right)
        if not divisors or (self.risky and scope.may_fail and self.chance(0.3)):
            return piece
        return self.guard(divisors, piece)

    def condition(self, scope, depth):
        if self.chance(0.04):
            return LEAF, self.pick(['true', 'false'])
        if depth == 0 or self.chance(0.35):
            return self.comparison(scope)
        return self.connect(lambda: self.condition(scope, depth - 1))

    def connect(self, part):
        op = self.pick(['!', '&', '&', '|', '|', '->', '<->'])
        if op == '!':
            return self.negate(part())
        strength = {'&': AND, '|': OR, '->': IMP, '<->': IFF}[op]
        return self.join(strength, op, part(), part(), op == '->')

    # ---- declarations ----
    def separator(self):
        return self.pick([';', ';', ';', ';', ',', '']) if self.loose else ';'

    def names(self, keyword, names, may_omit=True):
        if not names and may_omit and self.chance(0.6):
            return []
        return [f'{keyword} ' + ' '.join(n + self.separator() for n in names) + ' END']

    def declare(self, name, width):
        """The text of a variable's declaration."""
        text = f'{name} : {self.constant(width)}'
        if self.free_bits >= width and self.chance(0.05):
            self.free_bits -= width
        elif self.chance(0.08):
            text += f' := {self.rng.randint(1, 4)} {self.pick("+-*")} {self.rng.randint(0, 4)}'
        else:
            value = self.rng.randrange(2 ** width) if self.chance(0.3) else 0
            if self.chance(0.02):
                value += 2 ** width
            text += f' := {value}'
        return text + self.separator()

    def constant(self, value):
        """The text of a number, perhaps the name of a constant that has this value."""
        same = [name for name in self.constants if self.constants[name] == value]
        return self.pick(same) if same and self.chance(0.7) else str(value)

    def process_type(self, number, name):
        t = SimpleNamespace(name=name)
        t.has_pc = not (self.extensions and self.chance(0.1))
        t.pc_width = self.pick([1, 1, 2, 2, 2, 3]) if t.has_pc else 0
        t.places = min(2 ** t.pc_width, self.pick([2, 2, 3, 3, 4, 5]))
        t.locations = []
        if t.has_pc and self.extensions and self.chance(0.45):
            t.locations = [f'l{number}_{i}' for i in range(t.places)]
            if self.chance(0.3):                # a name that several types share
                t.locations[0] = 'idle'
        t.variables = [(self.local_name(number, i), self.pick([1, 1, 1, 2, 2, 3]))
                       for i in range(self.pick([0, 1, 1, 2] if t.has_pc else [1, 1, 2]))]
        t.actions = [f'a{number}_{i}' for i in range(self.rng.randint(0 if self.actions else 1, 2))]
        t.sync = [a for a in self.actions if self.chance(0.5)]
        return t

    def local_name(self, number, i):
        if i < len(self.globals) and self.chance(0.08):
            return self.globals[i][0]           # hides a global variable
        return 'xyz'[i] if self.chance(0.8) else f'v{number}{i}'

    def draw(self):
        rng = self.rng
        self.loose = self.chance(0.25)
        self.constants = {}
        if self.extensions and self.chance(0.4):
            self.constants = {name: rng.randint(1, 5)
                              for name in rng.sample(['n', 'limit', 'K', 'step'],
                                                     rng.randint(1, 2))}
        names = rng.sample(['g', 'h', 'turn', 'count', 'flag', 'Total', 'r_1'], 4)
        if self.chance(0.06):
            names[0] = self.pick(TEMPORAL_NAMES)
        self.globals = [(name, self.pick([1, 1, 1, 1, 2, 2, 2, 3, 3, 4]))
                        for name in names[:rng.randint(0 if self.extensions else 1, 4)]]
        if self.globals and self.chance(0.04):
            self.globals[-1] = ('wide', self.pick([5, 8, 16, 31, 32]))
        self.actions = ['go', 'sync', 'meet'][:self.pick([0, 1, 1, 2, 2, 3])]
        type_names = rng.sample(['A', 'B', 'Worker', 'Server', 'Cell', 'E'], 3)
        self.types = [self.process_type(i, type_names[i]) for i in range(rng.randint(1, 3))]
        self.procs, left = [], self.processes
        for t in self.types:
            count = rng.randint(1, max(1, min(3, left - len(self.types) + 1)))
            left -= count
            name = t.name.lower() + self.pick(['', '_p'])
            if self.chance(0.06) and t.name not in names:
                name = t.name                   # a process that may be called A or E
            self.procs.append((name, t, count))
        if left > 0 and self.chance(0.15):
            self.procs.append(('extra', self.pick(self.types), 1))

    # ---- what a command or a property may read ----
    def scope(self, variables, constants=(), places=None, may_fail=True):
        return SimpleNamespace(variables=list(variables), constants=list(constants),
                               places=places or {}, may_fail=may_fail)

    def members(self, index):
        """[(text, width, type)] of variables of processes; `index(count)` gives the text of an
        index."""
        result = []
        for name, t, count in self.procs:
            for variable, width in ([('pc', t.pc_width)] if t.has_pc else []) + t.variables:
                ref = f'{name}[{index(count)}]' + (':' if not self.plain and self.chance(0.1)
                                                   else '.') + variable
                if count == 1 and self.chance(0.4):
                    ref = f'{name}.{variable}'
                result.append((ref, width, t if variable == 'pc' else None))
        return result

    def inner_scope(self, t, is_global_action):
        own = ([('pc', t.pc_width)] if t.has_pc and self.chance(0.3) else []) + t.variables
        hidden = {name for name, _ in t.variables}
        outside = [v for v in self.globals if v[0] not in hidden]
        if is_global_action and not (self.extensions and self.chance(0.2)):
            outside = []
        constants = list(self.constants)
        if self.extensions and self.chance(0.3):
            constants.append('self')
        places = {'pc': t.locations} if t.locations else {}
        variables = own + outside
        if self.foreign and self.chance(0.5):
            others = self.members(
                lambda n: self.pick([str(self.rng.randrange(n)), f'self % {self.constant(n)}',
                                                      f'(self + 1) % {self.constant(n)}']))
            variables = variables + [self.pick(others)[:2]] if others else variables
        return self.scope(variables, constants, places)

    def outer_scope(self, only_globals=False, may_fail=True):
        places = {}
        variables = list(self.globals)
        if not only_globals:
            members = self.members(lambda n: str(self.rng.randrange(n)) if self.chance(0.9)
                                   or n == 1 else f'{n} - 1')
            variables += [m[:2] for m in members]
            places = {m[0]: m[2].locations for m in members if m[2] and m[2].locations}
        return self.scope(variables, self.constants, places, may_fail)

    # ---- commands ----
    def command(self, head, scope, targets, jump=None):
        assignments, divisors = [jump] if jump else [], set()
        width_of = dict(targets)
        for target in self.rng.sample(sorted(width_of),
                                      min(len(width_of), self.pick([0, 1, 1, 2]))):
            value = self.arithmetic(scope, self.pick([0, 1, 1, 1, 2]), width_of[target], divisors)
            if self.chance(0.35):
                value = self.join(ADD, '+', (LEAF, target), (LEAF, '1'))
            assignments.append(f'{target} := {value[1]}')
        condition = (LEAF, 'true')
        if scope.variables and self.chance(0.25 if self.live else 0.6):
            condition = self.condition(scope, self.pick([0, 1, 1, 2]))
        if not (self.risky and self.chance(0.3)):
            condition = self.guard(divisors, condition)
        self.rng.shuffle(assignments)
        return f'    {head} {condition[1]} : ' + ' '.join(a + self.separator() for a in assignments)

    def local_command(self, t, place, action):
        is_global = action in self.actions
        scope = self.inner_scope(t, is_global)
        hidden = {name for name, _ in t.variables}
        targets = list(t.variables)
        if not is_global or self.extensions and self.chance(0.05):
            targets += [v for v in self.globals if v[0] not in hidden]
        if self.foreign and self.chance(0.15):
            targets += [v for v in scope.variables if '.' in v[0] and not v[0].endswith('.pc')]
        head, jump = f'[{action}]', None
        if t.has_pc:
            named = t.locations and self.chance(0.8)
            head = f'[{t.locations[place] if named else place}] {head}'
            if self.chance(0.96 if self.ends else 0.85):
                to = ((place + 1) % t.places if self.chance(0.85 if self.ends else 0.6)
                      else self.rng.randrange(t.places))
                jump = f'pc := {t.locations[to] if t.locations and self.chance(0.8) else to}'
                if self.chance(0.05):
                    jump = f'pc := (pc + 1) % {t.places}'
        return self.command(head, scope, targets, jump)

    def local_commands(self, t):
        lines = []
        for place in range(t.places if t.has_pc else 1):
            last = self.ends and t.has_pc and place == t.places - 1
            for _ in range(self.pick([1, 1, 1, 2, 2]) if t.actions
                           and self.chance(0.1 if last else 0.92) else 0):
                lines.append(self.local_command(t, place, self.pick(t.actions)))
        for action in t.sync:
            for _ in range(0 if self.chance(0.04) else self.pick([1, 1, 2, 3])):
                lines.append(self.local_command(t, self.rng.randrange(t.places), action))
        return lines

    # ---- properties ----
    def ctl(self, scope, depth):
        if depth == 0 or self.chance(0.2):
            return self.condition(scope, self.pick([0, 0, 1]))
        if self.chance(0.3):
            return self.connect(lambda: self.ctl(scope, depth - 1))
        if self.chance(0.7):
            op = self.pick(['EX', 'EF', 'EG', 'AX', 'AF', 'AG', 'EF', 'AG'])
            return UNARY, f'{op} {self.wrap(self.ctl(scope, depth - 1), UNARY)}'
        left, right = (self.wrap(self.ctl(scope, depth - 1), UNARY) for _ in range(2))
        opening, closing = self.pick(['[]', '[]', '()'])
        return UNARY, f'{self.pick("AE")}{opening}{left} {self.pick("UUURW")} {right}{closing}'

    def ltl(self, scope, budget):
        """`budget` bounds the number of temporal operators; W counts twice."""
        if budget == 0 or self.chance(0.15):
            return self.condition(scope, self.pick([0, 0, 1]))
        if self.chance(0.35):
            shares = [budget // 2, budget - budget // 2]
            return self.connect(lambda: self.ltl(scope, shares.pop()))
        if self.chance(0.7) or budget == 1:
            run = ''.join(self.pick('XFGFG') for _ in range(min(budget, self.pick([1, 1, 1, 2]))))
            if self.chance(0.5):
                run = ' '.join(run)
            rest = self.ltl(scope, budget - len(run.replace(' ', '')))
            return UNARY, f'{run} {self.wrap(rest, UNARY)}'
        op = self.pick('UURW')
        budget -= 2 if op == 'W' else 1
        left = self.wrap(self.ltl(scope, budget // 2), UNARY)
        return UNTIL, f'{left} {op} {self.wrap(self.ltl(scope, budget - budget // 2), UNTIL)}'

    def properties(self, keyword, prefix, count, draw):
        if not count and self.chance(0.6):
            return []
        lines = [keyword]
        for i in range(count):
            name = f'{prefix}{i}: ' if self.chance(0.4) else ''
            lines.append(f'  {name}{draw()[1]};')
        return lines + ['END']

    def all_properties(self):
        scope = self.outer_scope(only_globals=not self.extensions, may_fail=False)
        if not scope.variables:
            return []

        def always(op):
            return UNARY, f'{op} {self.wrap(self.condition(scope, 2), UNARY)}'
        lines = self.properties('CTL', 'c', self.rng.randint(0, 3),
                                lambda: self.ctl(scope, 3) if self.temporal and self.chance(0.8)
                                else always('AG'))
        lines += self.properties('LTL', 'l', self.rng.randint(0, 3),
                                 lambda: self.ltl(scope, self.rng.randint(1, 4)) if self.temporal
                                 and self.chance(0.8)
                                 else always('G'))
        if self.extensions:
            lines += self.properties(self.pick(['INVARIANTS', 'INVARIANT']), 'i',
                                     self.rng.randint(0, 2),
                                     lambda: self.condition(scope, 2))
        return lines

    # ---- the whole file ----
    def model(self):
        self.draw()
        old = self.chance(0.3)
        actions, variables = ('ACTION', 'VARIABLE') if old else ('ACTIONS', 'VARIABLES')
        lines = ['/* a random model */'] if self.chance(0.3) else []
        if self.constants:
            lines.append('CONST '
                         + ' '.join(f'{name} = {value};' for name, value in self.constants.items()))
        lines += self.names(actions, self.actions)
        if self.globals or self.chance(0.5):
            lines += [variables, *(f'  {self.declare(*v)}' for v in self.globals), 'END']
        for t in self.types:
            lines.append(f'LOCAL {t.name}')
            if t.locations:
                places = t.locations
                if self.chance(0.2):
                    places = [f'{name} := {i}' for i, name in enumerate(t.locations)]
                    self.rng.shuffle(places)
                lines += ['  ' + self.names('LOCATIONS', places)[0]]
            lines += ['  ' + line for line in self.names(actions, t.actions)]
            lines += [f'  {variables}', *(f'    {self.declare(*v)}' for v in t.variables)]
            if t.has_pc:
                lines += [f'    pc : {t.pc_width} :='
                          f' {self.pick([0, 0, 0, self.rng.randrange(t.places)])}'
                          f'{self.separator()}']
            lines += ['  END', '  CASE', *self.local_commands(t), '  END']
            lines += ['  ' + line for line in self.names('SYNC', t.sync)] + ['END']
        assign = self.pick([':', ':', ':='])
        lines += ['GLOBAL' if old else 'MAIN', '  PROC']
        for name, t, count in self.procs:
            lines.append(f'    {name} {assign} {t.name}[{self.constant(count)}]{self.separator()}')
        lines.append('  END')
        commands = []
        for action in self.actions:
            for _ in range(0 if self.chance(0.05) else self.pick([1, 1, 1, 2])):
                commands.append(self.command(f'[{action}]', self.outer_scope(), self.globals))
        if commands or self.chance(0.5):
            lines += ['  CASE', *commands, '  END']
        lines += ['END', *self.all_properties()]
        if self.chance(0.3):
            lines = [line + '  // a note' if self.chance(0.1) else line for line in lines]
        return '\n'.join(lines) + '\n'


class LocalGenerator(Generator):
    """Several processes that mostly mind their own business: many rules that partial-order
    reduction may take alone, among them cycles, steps that stay where they are, choices; and now
    and then one that reads or writes what others do. Few formulas with X."""
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.shy = self.pick([0.5, 0.8, 0.8, 0.95])   # how often a rule is local
        self.ends = self.chance(0.4)
        self.live = self.chance(0.7)
        self.risky = self.chance(0.25)

    def process_type(self, number, name):
        t = super().process_type(number, name)
        if t.has_pc and not t.locations:
            t.pc_width = self.pick([1, 2, 2, 3])
            t.places = min(2 ** t.pc_width, self.pick([2, 3, 3, 4, 5]))
        t.variables = [(name, min(width, 2))
                       for name, width in t.variables[:self.pick([0, 1, 1, 2] if t.has_pc
            else [1, 1, 2])]]
        if not t.variables and not t.has_pc:
            t.variables = [('x', 1)]
        t.actions = t.actions or [f'a{number}_0']
        t.sync = [action for action in t.sync if self.chance(0.4)]
        return t

    def draw(self):
        super().draw()
        self.globals = [(name, min(width, 2)) for name, width in self.globals[:2]]
        if len(self.types) == 1 and sum(count for _, _, count in self.procs) == 1:
            self.procs = [(self.procs[0][0], self.types[0], 2)]

    def declare(self, name, width):
        if self.free_bits > width and self.chance(0.06):
            self.free_bits -= width + 1
            return f'{name} : {width}{self.separator()}'
        return super().declare(name, width)

    def local_command(self, t, place, action):
        if action in self.actions or not self.chance(self.shy):
            return super().local_command(t, place, action)
        own = ([('pc', t.pc_width)] if t.has_pc and self.chance(0.2) else []) + t.variables
        head, jump = f'[{action}]', None
        if t.has_pc:
            head = f'[{t.locations[place] if t.locations else place}] {head}'
            if self.chance(0.8):
                to = (place + 1) % t.places if self.chance(0.7) else self.rng.randrange(t.places)
                jump = f'pc := {to}'
        return self.command(head, self.scope(own, self.constants), t.variables, jump)

    def all_properties(self):
        self.with_next = self.chance(0.1)
        return super().all_properties()

    def pick(self, items):
        if (items in ('XFGFG', ['EX', 'EF', 'EG', 'AX', 'AF', 'AG', 'EF', 'AG'])
            and not self.with_next):
            items = [item for item in items if 'X' not in item]
        return super().pick(items)

    def outer_scope(self, only_globals=False, may_fail=True):
        """A property reads few variables."""
        scope = super().outer_scope(only_globals, may_fail)
        if may_fail or len(scope.variables) < 3:
            return scope
        chosen = self.rng.sample(scope.variables, self.pick([1, 2, 2, 3]))
        return self.scope(chosen, scope.constants,
                          {name: scope.places[name] for name, _ in chosen if name in scope.places},
                          may_fail)


def generate(seed, size='small', temporal=True, extensions=True, local=False):
    limit, processes = {'small': (400, 4), 'medium': (3000, 6)}[size]
    for attempt in range(1000):
        rng = random.Random(f'{seed} {size} {temporal} {extensions} {attempt}'
                            + (' local' if local else ''))
        text = (LocalGenerator if local else Generator)(rng, processes - min(attempt // 10, 2),
                                                        temporal, extensions).model()
        try:
            model = oracle.Model(text)
        except ModelError as error:
            if 'written twice' in str(error):
                continue
            raise
        graph = oracle.explore(model, limit)
        states = len(graph.states)
        if (graph.complete
            and rng.random()
            < (0.02 if states == 1 else min(1, states / (20 if size == 'small' else 150)))):
            return text
    raise AssertionError('no acceptable model found')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seed', required=True)
    parser.add_argument('--size', choices=['small', 'medium'], default='small')
    parser.add_argument('--no-temporal', action='store_true', help='only invariants, AG p and G p')
    parser.add_argument('--no-extensions', action='store_true', help="only the thesis's language")
    parser.add_argument('--local', action='store_true',
                        help='many steps that concern one process only')
    options = parser.parse_args()
    sys.stdout.reconfigure(encoding='utf-8')
    print(generate(options.seed, options.size, not options.no_temporal, not options.no_extensions,
                   options.local), end='')


if __name__ == '__main__':
    main()
