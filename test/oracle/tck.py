"""Networks of timed automata in TChecker's text form, read, run and written for Cairn.

A file has one declaration per line (`clock:1:x`, `edge:P:from:to:event{provided: ... : do: ...}`),
and `#` begins a comment. What is read here is what the models of the corpus use, and urgent
locations and weak synchronisation; statements are assignments only, clocks are set to 0 only, there
are no arrays of clocks.

    expression = number | ('var', name) | ('at', name, index) | (operator, left, right) | ('not',
    operand) constraint = (clock, operator, constant)
"""
import itertools
import re
from types import SimpleNamespace

LEVELS = (('&&',), ('==', '!=', '<', '<=', '>=', '>'), ('+', '-'), ('*', '/', '%'))
COMPARE = {'==': lambda a, b: a == b, '!=': lambda a, b: a != b, '<': lambda a, b: a < b,
           '<=': lambda a, b: a <= b, '>=': lambda a, b: a >= b, '>': lambda a, b: a > b}
COMPUTE = {'+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b, '/': lambda a,
           b: int(a / b), '%': lambda a, b: a - b * int(a / b)}


# ---- expressions ----

def parse(text):
    tokens = re.findall(r'\d+|[A-Za-z_][\w.]*|&&|[=!<>]=|\S', text) + ['']
    place = 0

    def take(expected=None):
        nonlocal place
        place += 1
        if expected and tokens[place - 1] != expected:
            raise ValueError(f'{expected} expected in {text}')
        return tokens[place - 1]

    def operand():
        token = take()
        if token == '(':
            inner = level(0)
            take(')')
            return inner
        if token in '-!' and token:
            return ('-', 0, operand()) if token == '-' else ('not', operand())
        if token.isdigit():
            return int(token)
        if not re.match(r'[A-Za-z_]', token):
            raise ValueError(f'an operand expected in {text}')
        if tokens[place] != '[':
            return 'var', token
        take('[')
        index = level(0)
        take(']')
        return 'at', token, index

    def level(n):
        if n == len(LEVELS):
            return operand()
        left = level(n + 1)
        while tokens[place] in LEVELS[n]:
            left = take(), left, level(n + 1)
        return left

    result = level(0)
    if tokens[place]:
        raise ValueError(f'{tokens[place]} not expected in {text}')
    return result


def value(e, state):
    """Of an expression; state has a number for each variable, arrays as name[index]."""
    if isinstance(e, int):
        return e
    if e[0] == 'var':
        return state[e[1]]
    if e[0] == 'at':
        return state[f'{e[1]}[{value(e[2], state)}]']
    if e[0] == 'not':
        return not value(e[1], state)
    if e[0] == '&&':
        return value(e[1], state) and value(e[2], state)
    return {**COMPARE, **COMPUTE}[e[0]](value(e[1], state), value(e[2], state))


def split(e, clocks):
    """The conjuncts of a condition: on variables, and constraints of clocks."""
    if e[0] == '&&':
        (a, b), (c, d) = split(e[1], clocks), split(e[2], clocks)
        return a + c, b + d
    if e[0] in COMPARE and isinstance(e[1], tuple) and e[1][0] == 'var' and e[1][1] in clocks:
        return [], [(e[1][1], e[0], value(e[2], {}))]
    return [e], []


# ---- files ----

def read(text):
    system = SimpleNamespace(name='', clocks=[], arrays={}, locations={}, edges={},
                             synchronisations=[])
    for line in text.splitlines():
        line = line.split('#')[0].strip()
        if line:
            head, _, attributes = line.partition('{')
            declare(system, head.strip().split(':'),
                    dict(re.findall(r'(\w+)\s*:\s*([^:}]*?)\s*(?=[:}])', attributes)))
    return system


def declare(system, words, attributes):
    kind = words[0]
    def condition():
        key = 'invariant' if kind == 'location' else 'provided'
        return split(parse(attributes[key]), system.clocks) if attributes.get(key) else ([], [])
    if kind == 'system':
        system.name = words[1]
    elif kind == 'process':
        system.locations[words[1]], system.edges[words[1]] = {}, []
    elif kind == 'clock' and words[1] == '1':
        system.clocks.append(words[2])
    elif kind == 'int':
        system.arrays[words[5]] = tuple(map(int, words[1:5]))
    elif kind == 'location':
        when, invariant = condition()
        labels = [label.strip() for label in attributes.get('labels', '').split(',')
                  if label.strip()]
        if when:
            raise ValueError(f'an invariant of variables: {words}')
        system.locations[words[1]][words[2]] = SimpleNamespace(invariant=invariant, labels=labels,
                                                               **{a: a in attributes
            for a in ('initial', 'committed', 'urgent')})
    elif kind == 'edge':
        when, guard = condition()
        steps = [tuple(map(parse, s.split('='))) for s in attributes.get('do', '').split(';')
                 if s.strip()]
        resets = [target[1] for target, _ in steps if target[1] in system.clocks]
        if any(target[1] in system.clocks and e != 0 for target, e in steps):
            raise ValueError(f'a clock is set to something: {words}')
        system.edges[words[1]].append(
            SimpleNamespace(process=words[1], source=words[2], target=words[3], event=words[4],
                            when=when, guard=guard, resets=resets,
                            sets=[s for s in steps if s[0][1] not in system.clocks]))
    elif kind == 'sync':
        system.synchronisations.append(
            [(w.rstrip('?').split('@')[0], w.rstrip('?').split('@')[1], w.endswith('?'))
             for w in words[1:]])
    elif kind != 'event':
        raise ValueError(f'not understood: {words}')


def variables(system):
    """Name, lowest, highest and first value of each."""
    return [(name if size == 1 else f'{name}[{i}]', low, high, first)
            for name, (size, low, high, first) in system.arrays.items() for i in range(size)]


# ---- steps ----

def steps(system, at):
    """The sets of edges that can be taken together from these locations, conditions aside."""
    together = {(p, event) for synchronisation in system.synchronisations
                for p, event, _ in synchronisation}
    found = [(e,) for p in at for e in system.edges[p] if e.source == at[p]
             and (p, e.event) not in together]
    for synchronisation in system.synchronisations:
        choices = [[e for e in system.edges[p] if e.source == at[p] and e.event == event]
                   or ([None] if weak else []) for p, event, weak in synchronisation]
        found += [step
                  for step in (tuple(e for e in chosen if e)
                               for chosen in itertools.product(*choices)) if step]
    hurry = {p for p in at if system.locations[p][at[p]].committed}
    return [step for step in found if not hurry or any(e.process in hurry for e in step)]


def apply(system, step, at, state):
    """Locations and variables after a step, or None where it is not possible."""
    if not all(value(e, state) for edge in step for e in edge.when):
        return None
    at, state = dict(at), dict(state)
    for edge in step:
        at[edge.process] = edge.target
        for target, e in edge.sets:
            _, low, high, _ = system.arrays[target[1]]
            result = value(e, state)
            if not low <= result <= high:
                return None
            state[target[1] if target[0] == 'var'
                  else f'{target[1]}[{value(target[2], state)}]'] = result
    return at, state


# ---- as a text for Cairn ----

NAMES = {'==': 'eq', '!=': 'ne', '<': 'lt', '<=': 'le', '>=': 'ge', '>': 'gt', '+': 'add 0',
         '-': 'sub 0', '*': 'mul 0', '/': 'div 0', '%': 'mod 0', '&&': 'and'}


def term(e, system):
    if isinstance(e, int):
        return str(e)
    if e[0] == 'var':
        return f'"{e[1]}"'
    if e[0] == 'at':
        size = system.arrays[e[1]][0]
        return f'(at "{e[1]}[0]" {size} (within index 0..{size - 1} {term(e[2], system)}))'
    if e[0] == 'not':
        return f'(not {term(e[1], system)})'
    return f'({NAMES[e[0]]} {term(e[1], system)} {term(e[2], system)})'


def constraint(c):
    return f'"{c[0]}" {c[1].replace("==", "=")} {c[2]}'


def assignment(target, e, system):
    _, low, high, _ = system.arrays[target[1]]
    text = term(e, system)
    return [f'    require (and (le {low} {text}) (le {text} {high}))',
            f'    set {term(target, system)} (within range {low}..{high} {text})']


def is_hurried(place):
    return place.committed or place.urgent


def to_cairn(system):
    """The same network; locations are numbered in the order of declaration. A process that must not
    wait somewhere has one more clock, which is 0 there."""
    at = {p: list(locations) for p, locations in system.locations.items()}
    hurried = [p for p, locations in system.locations.items()
               if any(map(is_hurried, locations.values()))]
    out = ['cairn 1',
           f'model "{system.name}"'] + [f'clock "{clock}"'
                                        for clock in system.clocks + [f'{p}.now' for p in hurried]]
    for p, locations in system.locations.items():
        out.append(f'process "{p}" type "{p}" pc "{p}.pc"')
        for i, (name, place) in enumerate(locations.items()):
            out.append(f'  location {i} "{name}"'
                       + ''.join(f' invariant {constraint(c)}'
                                 for c in place.invariant + [(f'{p}.now', '<=', 0)]
                                 * is_hurried(place)))
    first = {p: next(i for i, place in enumerate(locations.values()) if place.initial)
             for p, locations in system.locations.items()}
    out += [f'variable "{p}.pc" of "{p}" 0..{len(at[p]) - 1} = {first[p]}' for p in at]
    out += [f'variable "{name}" {low}..{high} = {start}'
            for name, low, high, start in variables(system)]
    together = {(p, event) for synchronisation in system.synchronisations
                for p, event, _ in synchronisation}
    for p in at:
        for e in system.edges[p]:
            if (p, e.event) not in together:
                out += rule(system, at, [e], [])
    for synchronisation in system.synchronisations:
        choices = [[e for e in system.edges[p] if e.event == event] + [(p, event)] * weak
                   for p, event, weak in synchronisation]
        for chosen in itertools.product(*choices):
            step, absent = [e for e in chosen if not isinstance(e, tuple)], [e for e in chosen
                if isinstance(e, tuple)]
            if step:
                out += rule(system, at, step, absent)
    return '\n'.join(out) + '\n'


def rule(system, at, step, absent):
    """`absent`: processes and events that would have to take part if they could."""
    where = {(p, name): f'"{p}.pc" {i}' for p in at for i, name in enumerate(at[p])}
    out = [f'rule "{step[0].event}"']
    for e in step:
        out += [f'  part "{e.process}"',
                f'    when (eq {where[e.process, e.source]})'] + [f'    when {term(c, system)}'
            for c in e.when]
    out += [f'    when (ne {where[p, e.source]})' for p, event in absent for e in system.edges[p]
            if e.event == event]
    if not any(system.locations[e.process][e.source].committed for e in step):
        taking = {e.process for e in step}
        out += [f'    when (ne {where[p, name]})' for p in at if p not in taking for name in at[p]
                if system.locations[p][name].committed]
    out += [f'  set {where[e.process, e.target]}' for e in step if e.source != e.target]
    sets = [line for e in step for target, value in e.sets
            for line in assignment(target, value, system)]
    out += ['  do', *sets, '  end'] * bool(sets)
    for e in step:
        now = [f'{e.process}.now'] * is_hurried(system.locations[e.process][e.target])
        out += [f'  guard {constraint(c)}' for c in e.guard] + [f'  reset "{clock}"'
                                                                for clock in e.resets + now]
    return out


def labelled(system, label):
    """The condition, for Cairn, that a process is in a location with this label."""
    places = [f'(eq "{p}.pc" {i})' for p, locations in system.locations.items()
              for i, place in enumerate(locations.values()) if label in place.labels]
    condition = places[0] if places else 'false'
    for place in places[1:]:
        condition = f'(or {condition} {place})'
    return condition
