#!/usr/bin/env python3
"""Reference implementation of the Milestones language, to compare Cairn with.

    oracle.py MODEL [-D NAME=VALUE ...] [--max-states N] [--json]

Explores the model breadth-first in the most obvious way, evaluates its properties, and prints one
JSON object. Exit status: 0 the model was read (whatever the verdicts), 2 bad usage or a model
error.
"""
import argparse
import itertools
import json
import operator
import sys
from types import SimpleNamespace

from milparse import MAX_CONSTANT, ModelError, parse
from temporal import Ctl, is_propositional, ltl_holds

COMPARE = {'==': operator.eq, '!=': operator.ne, '<': operator.lt, '<=': operator.le,
           '>': operator.gt, '>=': operator.ge}


def bits(value):
    return max(1, value.bit_length())


# ---- exact arithmetic: widths, counts, indices, values of constants ----
def exact(e, lookup, pos=None):
    """lookup(name or 'self', pos) gives the value of a name.  Intermediate results may be
    negative."""
    if e[0] == 'num':
        return e[1]
    if e[0] == 'name':
        return lookup(e[1], e[2])
    if e[0] == 'self':
        return lookup('self', e[1])
    if e[0] == 'member':
        raise ModelError('a constant expected, found a variable of a process', e[4])
    a, b = exact(e[2], lookup, pos), exact(e[3], lookup, pos)
    if e[1] in '/%' and b == 0:
        raise ModelError('division by zero in a constant expression', pos)
    quotient = (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if e[1] in '/%' else 0
    result = {'+': a + b, '-': a - b, '*': a * b, '/': quotient, '%': a - b * quotient}[e[1]]
    if abs(result) > MAX_CONSTANT:
        raise ModelError('a constant expression needs more than 63 bits', pos)
    return result


def natural(e, lookup, what, pos):
    value = exact(e, lookup, pos)
    if value < 0:
        raise ModelError(f'{what} is negative', pos)
    return value


# ---- arithmetic of states ----
# A resolved expression is ('const', value), ('var', index, width) or ('bin', op, left, right).
def width_of(e):
    if e[0] == 'const':
        return bits(e[1])
    if e[0] == 'var':
        return e[2]
    return max(width_of(e[2]), width_of(e[3]))


def arithmetic(e, width):
    """A function from states to the value of e modulo 2^width.  Raises ZeroDivisionError."""
    if e[0] == 'const':
        return lambda state: e[1]
    if e[0] == 'var':
        return lambda state: state[e[1]]
    left, right, modulus = arithmetic(e[2], width), arithmetic(e[3], width), 2 ** width
    function = {'+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.floordiv,
                '%': operator.mod}[e[1]]
    return lambda state: function(left(state), right(state)) % modulus


def comparison(op, left, right):
    width = max(width_of(left), width_of(right))
    a, b, compare = arithmetic(left, width), arithmetic(right, width), COMPARE[op]
    return lambda state: compare(a(state), b(state))


def assigned(e, width):
    """The value of e as it is stored in a variable of this width."""
    value = arithmetic(e, max(width, width_of(e)))
    return lambda state: value(state) % 2 ** width


# ---- from syntax to a set of rules ----
class Model:
    """variables: [(name, width, possible initial values)]; hidden: numbers of variables; rules:
    [(name, conditions, [(variable, value function)])]."""

    def __init__(self, text, overrides=None):
        self.syntax = parse(text)
        self.hidden = set() # variables that never distinguish states
        self.warnings, self.variables, self.rules, self.instances, self.properties = ([], [], [],
            [], [])
        self.read_constants(dict(overrides or {}))
        self.read_types()
        unique(self.syntax.actions, 'action')
        unique(self.syntax.variables, 'variable')
        self.globals = {v[0]: self.add_variable(v, v[0], {}) for v in self.syntax.variables}
        self.create_instances()
        self.create_rules()
        for name, kind, formula in self.syntax.properties:
            if kind == 'invariant' and not is_propositional(formula):
                raise ModelError(f'{name}: no temporal operators in an invariant')
            atoms = {}
            self.resolve_atoms(formula, atoms)
            self.properties.append((name, kind, formula, atoms))

    # -- declarations
    def read_constants(self, overrides):
        self.constants = {}
        unique(self.syntax.constants, 'constant')
        for name, value, pos in self.syntax.constants:
            given = overrides.pop(name, None)
            if given is not None and not 0 <= given <= MAX_CONSTANT:
                raise ModelError(f'the value given for {name} does not fit into 63 bits')
            self.constants[name] = (natural(value, self.constant, f'constant {name}', pos)
                                    if given is None else given)
        for name in overrides:
            raise ModelError(f'no constant is called {name}')

    def constant(self, name, pos):
        if name not in self.constants:
            raise ModelError(f'{name} is not a constant', pos)
        return self.constants[name]

    def read_types(self):
        self.types = {}
        unique([(t.name, t.pos) for t in self.syntax.types], 'process type')
        for kind in self.syntax.types:
            for items, what in ((kind.locations, 'location'), (kind.actions, 'action'),
                                (kind.variables, 'variable')):
                unique(items, what)
            following, kind.values = 0, {}
            for name, value, pos in kind.locations:
                kind.values[name] = (following if value is None
                                     else natural(value, self.constant, f'location {name}', pos))
                following = kind.values[name] + 1
            self.types[kind.name] = kind

    def add_variable(self, declaration, name, locations):
        _, width, initial, pos = declaration
        width = exact(width, self.constant, pos)
        if not 1 <= width <= 32:
            raise ModelError(f'{name}: the width {width} is not between 1 and 32', pos)
        values = range(2 ** width)
        if initial is not None:
            e = self.constant_expression(initial, dict(locations, **self.constants))
            try:
                value = arithmetic(e, max(width, width_of(e)))(())
            except ZeroDivisionError:
                raise ModelError(f'{name}: division by zero in the initial value', pos) from None
            if value >= 2 ** width:
                self.warnings.append(f'{name}: the initial value {value} is cut to {width} bits')
            values = [value % 2 ** width]
        if pos in self.syntax.hidden:
            if name.endswith('.pc'):
                raise ModelError(f'{name}: the program counter cannot be hidden', pos)
            self.hidden.add(len(self.variables))
        self.variables.append((name, width, values))
        return len(self.variables) - 1

    def constant_expression(self, e, values):
        """Resolves an expression whose names are all constants (evaluated like any other, not
        exactly)."""
        if e[0] == 'num':
            return ('const', e[1])
        if e[0] == 'name' and e[1] in values:
            return ('const', values[e[1]])
        if e[0] == 'self' and 'self' in values:
            return ('const', values['self'])
        if e[0] == 'bin':
            return ('bin', e[1], self.constant_expression(e[2], values),
                    self.constant_expression(e[3], values))
        raise ModelError(f'{e[1] if e[0] != "self" else "self"} is not a constant here', e[-1])

    def create_instances(self):
        self.procs = {}
        unique(self.syntax.procs, 'process')
        for name, type_name, count, pos in self.syntax.procs:
            if type_name not in self.types:
                raise ModelError(f'no process type is called {type_name}', pos)
            kind = self.types[type_name]
            self.procs[name] = []
            for index in range(
                natural(count, self.constant, f'the number of processes {name}', pos)):
                process = SimpleNamespace(name=f'{name}[{index}]', type=kind, index=index)
                process.variables = {
                    v[0]: self.add_variable(v, f'{process.name}.{v[0]}', kind.values)
                    for v in kind.variables}
                self.procs[name].append(process)
                self.instances.append(process)

    # -- names.  `process` is the process whose command is read, None outside.
    def variable(self, index):
        return ('var', index, self.variables[index][1])

    def member(self, e, process):
        _, proc, index, name, pos = e
        if proc not in self.procs:
            raise ModelError(f'no process is called {proc}', pos)
        if index is None:
            if len(self.procs[proc]) != 1:
                raise ModelError(
                    f'{proc} has {len(self.procs[proc])} instances: an index is needed', pos)
            at = 0
        else:
            values = dict(process.type.values, self=process.index) if process else {}
            values.update(self.constants)
            at = exact(index, lambda n, p: values[n] if n in values else self.constant(n, p), pos)
        if not 0 <= at < len(self.procs[proc]):
            raise ModelError(f'{proc}[{at}]: the index is out of range', pos)
        found = self.procs[proc][at]
        if name not in found.variables:
            raise ModelError(f'{found.name} has no variable {name}', pos)
        return found.variables[name], found.type

    def arithmetic_of(self, e, process, compared_with=None):
        if e[0] == 'num':
            return ('const', e[1])
        if e[0] == 'bin':
            return ('bin', e[1], self.arithmetic_of(e[2], process),
                    self.arithmetic_of(e[3], process))
        if e[0] == 'member':
            return self.variable(self.member(e, process)[0])
        if e[0] == 'self':
            if process is None:
                raise ModelError('self outside a process', e[1])
            return ('const', process.index)
        name, pos = e[1], e[2]
        if process and name in process.variables:
            return self.variable(process.variables[name])
        if name in self.globals:
            return self.variable(self.globals[name])
        if name in self.constants:
            return ('const', self.constants[name])
        if process:
            values = {process.type.values[name]} if name in process.type.values else set()
        elif compared_with and name in compared_with.values:
            values = {compared_with.values[name]}
        else:
            values = {t.values[name] for t in self.types.values() if name in t.values}
        if len(values) > 1:
            raise ModelError(f'the location {name} has several values', pos)
        if not values:
            raise ModelError(f'unknown name {name}', pos)
        return ('const', values.pop())

    def pc_type(self, e, process):
        """The type of p when e is p.pc, outside a process."""
        if process is None and e[0] == 'member' and e[3] == 'pc':
            return self.member(e, process)[1]
        return None

    def condition(self, f, process):
        """A function from states to True or False that evaluates from left to right and stops
        early."""
        if f[0] == 'cmp':
            return comparison(f[1], self.arithmetic_of(f[2], process, self.pc_type(f[3], process)),
                              self.arithmetic_of(f[3], process, self.pc_type(f[2], process)))
        if f[0] in ('true', 'false'):
            return lambda state: f[0] == 'true'
        a = self.condition(f[1], process)
        if f[0] == 'not':
            return lambda state: not a(state)
        b = self.condition(f[2], process)
        return {'and': lambda state: a(state) and b(state),
                'or': lambda state: a(state) or b(state),
                'imp': lambda state: not a(state) or b(state),
                'iff': lambda state: a(state) == b(state)}[f[0]]

    def resolve_atoms(self, f, atoms):
        if is_propositional(f):
            atoms[f] = self.condition(f, None)
        else:
            for part in f[1:]:
                self.resolve_atoms(part, atoms)

    # -- rules
    def command(self, command, process):
        """(conditions, assignments) of one command of one process, or of MAIN when process is
        None."""
        conditions, assignments = [], {}
        has_pc = process is not None and 'pc' in process.variables
        if has_pc != (command.pc is not None):
            raise ModelError('[pc] [action] expected' if has_pc else '[action] expected',
                             command.pos)
        if has_pc:
            pc = self.constant_expression(command.pc,
                                          dict(process.type.values, self=process.index,
                                               **self.constants))
            test = comparison('==', self.variable(process.variables['pc']), pc)
            try:
                test((0,) * len(self.variables))
            except ZeroDivisionError:
                raise ModelError('division by zero in a constant expression', command.pos) from None
            conditions.append(test)
        conditions.append(self.condition(command.condition, process))
        for target, value in command.assignments:
            if target[0] == 'member':
                index = self.member(target, process)[0]
            elif process and target[1] in process.variables:
                index = process.variables[target[1]]
            elif target[1] in self.globals:
                index = self.globals[target[1]]
            else:
                raise ModelError(f'{target[1]} is not a variable', target[2])
            merge(assignments,
                  {index: assigned(self.arithmetic_of(value, process), self.variables[index][1])},
                  self.variables, command.pos)
        return conditions, assignments

    def create_rules(self):
        self.participants = []                  # per rule: the processes that take part
        actions = {a[0] for a in self.syntax.actions}
        blocks = []                             # per instance: global action -> its commands
        for process in self.instances:
            kind, own, sync = process.type, {a[0] for a in process.type.actions}, {a[0]
                for a in process.type.sync}
            for name, pos in kind.actions:
                if name in actions:
                    raise ModelError(f'the action {name} is both local and global', pos)
            for name, pos in kind.sync:
                if name not in actions:
                    raise ModelError(f'{name} is not a global action', pos)
            offers = {name: [] for name in sync}
            for command in kind.commands:
                if command.action not in own and command.action not in actions:
                    raise ModelError(f'unknown action {command.action}', command.pos)
                conditions, assignments = self.command(command, process)
                if command.action in own:
                    self.rules.append(
                        (f'{process.name}.{command.action}', conditions, list(assignments.items())))
                    self.participants.append([process])
                elif command.action in sync:
                    offers[command.action].append((conditions, assignments))
            blocks.append(offers)
        for command in self.syntax.commands:
            if command.action not in actions:
                raise ModelError(f'unknown action {command.action}', command.pos)
            last = self.command(command, None)
            taking_part = [offers[command.action] for offers in blocks if command.action in offers]
            members = [process for process, offers in zip(self.instances, blocks)
                       if command.action in offers]
            for combination in itertools.product(*taking_part):
                conditions, assignments = [], {}
                for more_conditions, more_assignments in (*combination, last):
                    conditions += more_conditions
                    merge(assignments, more_assignments, self.variables, command.pos)
                self.rules.append((command.action, conditions, list(assignments.items())))
                self.participants.append(members)


def unique(items, what):
    seen = set()
    for item in items:
        if item[0] in seen:
            raise ModelError(f'the {what} {item[0]} is declared twice', item[-1])
        seen.add(item[0])


def merge(assignments, more, variables, pos):
    for index, value in more.items():
        if index in assignments:
            raise ModelError(f'{variables[index][0]} is written twice in one rule', pos)
        assignments[index] = value


# ---- exploration ----
def explore(model, limit):
    """Breadth-first.  `successors[i]` has one entry per enabled rule; `errors[i]` counts rules that
    divide by zero."""
    g = SimpleNamespace(states=[], distance=[], successors=[], taken=[], errors=[], levels=[],
                        complete=True, initial=[])
    number = {}

    def visit(state, distance):
        if state not in number:
            if len(g.states) == limit:
                g.complete = False
                return None
            number[state] = len(g.states)
            g.states.append(state)
            g.distance.append(distance)
        return number[state]

    for state in itertools.product(*(values for _, _, values in model.variables)):
        if visit(state, 0) is None:
            break
    g.initial = list(range(len(g.states)))
    at = 0
    while at < len(g.states) and g.complete:
        state, nexts, taken, errors = g.states[at], [], [], 0
        for rule, (_, conditions, assignments) in enumerate(model.rules):
            try:
                if not all(condition(state) for condition in conditions):
                    continue
                new = list(state)
                for index, value in assignments:
                    new[index] = value(state)
            except ZeroDivisionError:
                errors += 1
                continue
            nexts.append(visit(tuple(new), g.distance[at] + 1))
            taken.append(rule)
        g.successors.append(nexts)
        g.taken.append(taken)
        g.errors.append(errors)
        at += 1
    return count_levels(g)


def count_levels(g):
    g.depth = max(g.distance, default=0)
    counts = [0] * (g.depth + 1)
    for distance in g.distance:
        counts[distance] += 1
    g.levels = list(itertools.accumulate(counts))
    return g


def project(model, g):
    """A complete graph as it looks without the hidden variables; `exact` says whether that is one:
    states that look the same have the same steps, to states that look the same. If not, it has the
    steps of one of them."""
    def look(state):
        return tuple(value for index, value in enumerate(state) if index not in model.hidden)

    number, first, behaviour = {}, [], {}
    for s, state in enumerate(g.states):
        if look(state) not in number:
            number[look(state)] = len(first)
            first.append(s) # the nearest one: states are numbered breadth-first
    of = [number[look(state)] for state in g.states]
    for s in range(len(g.states)):
        behaviour.setdefault(of[s],
                             set()).add(
            (tuple((rule, of[t]) for rule, t in zip(g.taken[s], g.successors[s])), g.errors[s]))
    q = SimpleNamespace(states=[g.states[s] for s in first],
                        distance=[g.distance[s] for s in first],
                        successors=[[of[t] for t in g.successors[s]] for s in first],
                        taken=[g.taken[s] for s in first], errors=[g.errors[s] for s in first],
                        complete=True, initial=sorted({of[s] for s in g.initial}))
    q.exact = all(len(kinds) == 1 for kinds in behaviour.values())
    q.steps = {(of[s], rule) for s, taken in enumerate(g.taken) for rule in taken} # of all states
    return count_levels(q)


def nearest(g, states):
    return min((g.distance[s] for s in states), default=None)


def weak_fairness(model, g):
    """Per process: the states in which it can do nothing, and the steps (from, to) in which it
    takes part."""
    result = []
    for process in model.instances:
        own = {r for r, members in enumerate(model.participants)
               if any(member is process for member in members)}
        idle = {s for s, taken in enumerate(g.taken) if not own.intersection(taken)}
        moves = {(s, t) for s, taken in enumerate(g.taken) for r, t in zip(taken, g.successors[s])
                 if r in own}
        result.append((idle, moves))
    return result


def check(model, g, fair):
    """The list of properties with their verdicts."""
    total = [nexts or [state] for state, nexts in enumerate(g.successors)]
    result = []

    def report(name, kind, bad, bad_states=None):
        entry = {'name': name, 'kind': kind, 'verdict': 'violated' if bad else 'holds'}
        if bad and bad_states is not None:
            entry['distance'] = nearest(g, bad_states)
        result.append(entry)

    for name, kind, f, atoms in model.properties:
        def atom(part, state):
            return part == ('true',) or atoms[part](g.states[state])
        try:
            plain = (f if kind == 'invariant' else f[1] if f[0] in ('AG', 'G')
                     and is_propositional(f[1]) else None)
            violating = (None if plain is None
                         else [s for s in range(len(total)) if not atom(plain, s)])
            if kind == 'invariant':
                bad = bool(violating)
            elif kind == 'ctl':
                satisfying = Ctl(total, atom).sat(f)
                bad = any(s not in satisfying for s in g.initial)
            else:
                bad = not ltl_holds(total, g.initial, atom, f,
                                    weak_fairness(model, g) if fair else ())
            assert violating is None or bad == bool(violating)
            report(name, kind, bad, violating)
        except ZeroDivisionError:
            result.append({'name': name, 'kind': kind, 'verdict': 'error'})
    dead = [s for s, nexts in enumerate(g.successors) if not nexts]
    failing = [s for s, errors in enumerate(g.errors) if errors]
    report('deadlock', 'builtin', dead, dead)
    report('runtime-error', 'builtin', failing, failing)
    return result


def run(text, overrides=None, limit=200000, fair=False):
    """What the command prints, as a dictionary. Hidden variables never distinguish states, where
    that changes nothing else; otherwise the marks do not count. fair: LTL only on runs on which no
    process can move for ever without moving."""
    model = Model(text, overrides)
    g = explore(model, limit)
    if model.hidden and g.complete and project(model, g).exact:
        g = project(model, g)
    result = {'complete': g.complete, 'states': len(g.states),
              'transitions': sum(len(n) for n in g.successors),
              'initial_states': len(g.initial), 'deadlocks': sum(not n for n in g.successors),
              'depth': g.depth,
              'levels': g.levels, 'runtime_errors': sum(g.errors), 'rules': len(model.rules),
              'warnings': model.warnings}
    if g.complete:
        result['properties'] = check(model, g, fair)
    else:
        names = [(name, kind) for name, kind, _, _ in model.properties] + [('deadlock', 'builtin'),
            ('runtime-error', 'builtin')]
        result['properties'] = [{'name': name, 'kind': kind, 'verdict': 'unknown'}
                                for name, kind in names]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('model')
    parser.add_argument('-D', dest='overrides', metavar='NAME=VALUE', action='append', default=[])
    parser.add_argument('--max-states', type=int, default=200000)
    parser.add_argument('--json', action='store_true', help='accepted; the output is always JSON')
    options = parser.parse_args()
    sys.setrecursionlimit(20000)
    try:
        overrides = {}
        for item in options.overrides:
            name, _, value = item.partition('=')
            if not (value.isascii() and value.isdigit()):
                raise ModelError(f'-D {item}: NAME=VALUE with a natural number expected')
            overrides[name] = int(value)
        with open(options.model, encoding='utf-8') as file:
            result = run(file.read(), overrides, options.max_states)
    except (ModelError, OSError, UnicodeDecodeError) as error:
        print(f'{options.model}: {error}', file=sys.stderr)
        return 2
    for warning in result['warnings']:
        print(f'{options.model}: warning: {warning}', file=sys.stderr)
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
