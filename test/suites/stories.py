"""Runs that repeat, told as stories: small random models with LTL formulas, whose steps are known
here. Each run is followed and its formula evaluated by the definition; each sentence of its story
is looked at in its states; no step of it can be left out; `--shortest` is held against every short
run there is. Timed runs of simulations are shortened, too.
"""
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, SEED, check, finish, run_json, section, write

CASES = 1500 if LONG else 60


class Model:
    """Two automata and a variable of two bits. A step: label, process, from, to, the value of x
    that it needs (or None), the one that it sets (or None)."""

    def __init__(self, chance):
        self.steps = []
        for process in (0, 1):
            for i in range(chance.randint(2, 4)):
                self.steps.append((f's{process}{i}', process, chance.randrange(3),
                                   chance.randrange(3), chance.choice([None, None, 0, 1, 2]),
                                   chance.choice([None, None, 0, 1, 2])))

    def text(self):
        lines = ['VARIABLES', '  x : 2 := 0;', 'END']
        for process in (0, 1):
            mine = [step for step in self.steps if step[1] == process]
            lines += [f'LOCAL T{process}', '  LOCATIONS l0; l1; l2; END',
                      '  ACTIONS ' + ' '.join(f'{step[0]};' for step in mine) + ' END',
                      '  VARIABLES pc : 2 := l0; END', '  CASE']
            for label, _, at, to, needs, sets in mine:
                guard = 'true' if needs is None else f'x == {needs}'
                does = f' pc := l{to};' + ('' if sets is None else f' x := {sets};')
                lines.append(f'    [l{at}] [{label}] {guard} :{does}')
            lines += ['  END', 'END']
        return '\n'.join(lines + ['MAIN', '  PROC p : T0; q : T1; END', 'END', ''])

    def possible(self, state):
        """Steps and what they lead to; a stuck state repeats."""
        return [(step, self.take(step, state)) for step in self.steps
                if state[1 + step[1]] == step[2] and step[4] in (None, state[0])]

    def take(self, step, state):
        x, places = state[0] if step[5] is None else step[5], list(state[1:])
        places[step[1]] = step[3]
        return (x, *places)


# ---- formulas: atoms are (variable, value) ----

def atom(chance):
    name = chance.choice(['x', 'p[0].pc', 'q[0].pc'])
    return ('atom', name, chance.randrange(3))


def formula(chance, depth):
    kind = chance.choice(['atom', '!', '&', '|', '->', 'X', 'F', 'G', 'U', 'R', 'W'])
    if not depth or kind == 'atom':
        return atom(chance)
    if kind in '!XFG':
        return (kind, formula(chance, depth - 1))
    return (kind, formula(chance, depth - 1), formula(chance, depth - 1))


def draw(chance):
    a, b = atom(chance), atom(chance)
    usual = [('G', ('->', a, ('F', b))), ('G', ('F', a)), ('F', ('G', a)), ('F', a), ('U', a, b),
             ('G', ('->', a, ('X', b))), ('->', ('G', ('F', a)), ('G', ('F', b))), ('W', a, b),
             ('R', a, b), ('!', ('G', ('F', a)))]
    return chance.choice(usual) if chance.random() < 0.6 else formula(chance, 3)


def spell(f):
    if f[0] == 'atom':
        return f'{f[1]} == {f[2] if f[1] == "x" else f"l{f[2]}"}'
    if len(f) == 2:
        return f'{f[0]} ({spell(f[1])})'
    return f'({spell(f[1])}) {f[0]} ({spell(f[2])})'


def values(f, states, loop):
    """In each state of the run, by fixed points."""
    n = len(states)

    def after(i):
        return i + 1 if i + 1 < n else loop
    if f[0] == 'atom':
        place = {'x': 0, 'p[0].pc': 1, 'q[0].pc': 2}[f[1]]
        return [state[place] == f[2] for state in states]
    a = values(f[1], states, loop)
    b = values(f[2], states, loop) if len(f) > 2 else None
    if f[0] in ('!', '&', '|', '->', 'X'):
        return [{'!': lambda: not a[i], '&': lambda: a[i] and b[i], '|': lambda: a[i] or b[i],
                 '->': lambda: not a[i] or b[i], 'X': lambda: a[after(i)]}[f[0]]()
                for i in range(n)]
    if f[0] in 'FG':
        a, b = ([True] * n, a) if f[0] == 'F' else ([False] * n, a)
    op = {'F': 'U', 'G': 'R'}.get(f[0], f[0])
    now = [op != 'U'] * n
    for _ in range(2 * n + 2):
        now = [b[i] and (a[i] or now[after(i)]) if op == 'R' else b[i] or (a[i] and now[after(i)])
               for i in range(n)]
    return now


def is_false(f, states, loop):
    return not values(f, states, loop)[0]


# ---- what is told ----

def state_of(state):
    return (state['x'], int(state['p[0].pc'][1:]), int(state['q[0].pc'][1:]))


def read_atom(words):
    match = re.fullmatch(r'(x|[pq]\[0\]\.pc) (==|!=) (?:l)?(\d)', words)
    return match and (match[1], match[2] == '==', int(match[3]))


def atom_in(words, state):
    name, equal, value = read_atom(words)
    return (state[{'x': 0, 'p[0].pc': 1, 'q[0].pc': 2}[name]] == value) == equal


def judge_story(why, model, labels, states, loop):
    """What is wrong with it, or None; counts of sentences that were judged."""
    judged, here = 0, None
    cycle = list(range(loop, len(states)))
    for line in why.split('\n'):
        line = line.strip()
        if match := re.match(r'in state (\d+)', line):
            here = int(match[1])
        elif match := re.match(r'from (?:state (\d+)|the beginning) on (.*?) is (never|always) '
                               r'true(: .*)?$', line):
            first = int(match[1] or 0)
            if read_atom(match[2]):
                wanted = match[3] == 'always'
                if any(atom_in(match[2], states[i]) != wanted
                       for i in {*range(first, len(states)), *cycle}):
                    return line, judged
                judged += 1
        elif match := re.match(r'(.*?) is (true|false): ', line):
            if read_atom(match[1]) and atom_in(match[1], states[here]) != (match[2] == 'true'):
                return line, judged
            judged += 1
        elif match := re.match(r'([pq])\[0\] never takes a step in the loop, though it could '
                               r'(.*)', line):
            process = 'pq'.index(match[1])
            can = [any(step[1] == process for step, _ in model.possible(states[i]))
                   for i in cycle]
            if any(label[1] == str(process) for label in labels[loop:]):
                return line, judged
            always = 'every state' in match[2] or 'all the time' in match[2]
            if always != all(can) or not any(can):
                return line, judged
            judged += 1
        elif match := re.match(r'\[(\w+)\] of [pq]\[0\] is never taken in the loop, though it is '
                               r'possible (.*)', line):
            can = [any(step[0] == match[1] for step, _ in model.possible(states[i]))
                   for i in cycle]
            if match[1] in labels[loop:] or not any(can) \
                    or ('every state' in match[2] or 'all the time' in match[2]) != all(can):
                return line, judged
            judged += 1
        elif line.startswith('every step that is possible in the loop'):
            if {step[0] for i in cycle for step, _ in model.possible(states[i])} \
                    - set(labels[loop:]):
                return line, judged
            judged += 1
    return None, judged


def follow(model, labels, loop):
    """The states of a run by labels, the last of which closes the loop; None: it is none. A stuck
    state repeats: then there is one label less."""
    states = [(0, 0, 0)]
    for label in labels:
        steps = [target for step, target in model.possible(states[-1]) if step[0] == label]
        if not steps:
            return None
        states.append(steps[0])
    if loop < len(labels):
        return states[:-1] if states[-1] == states[loop] else None
    return states if not model.possible(states[-1]) and loop == len(labels) else None


def shorter(model, f, labels, loop):
    """A run without one of the steps that is a violation, too."""
    for i in range(len(labels)):
        left = labels[:i] + labels[i + 1:]
        at = loop - (i < loop)
        if loop < len(labels) and at >= len(left):
            continue
        states = follow(model, left, at)
        if states and is_false(f, states, at):
            return left
    return None


def least(model, f, most):
    """How many states the shortest run has that violates the formula, up to so many."""
    paths = [((0, 0, 0),)]
    for length in range(1, most + 1):
        for states in paths:
            steps = model.possible(states[-1])
            for loop, state in enumerate(states):
                closes = any(target == state for _, target in steps) \
                    or (not steps and loop == length - 1)
                if closes and is_false(f, states, loop):
                    return length
        paths = [(*states, target) for states in paths
                 for target in {target for _, target in model.possible(states[-1])}]
        if len(paths) > 4000:
            return None
    return None


def random_runs():
    judged, told, equal, known = 0, 0, 0, 0
    for case in range(CASES):
        chance = random.Random(f'{SEED}-{case}-stories')
        model, f = Model(chance), draw(chance)
        file = write(f'stories-{case}.mil', model.text())
        lengths = {}
        for options in (('--engine', 'explicit'), ('--shortest',), ('--engine', 'symbolic'),
                        ('--engine', 'bounded', '--bound', '12')):
            if case % 4 and 'bounded' in options:
                continue
            status, claim = run_json('check', file, '--no-deadlock', '--ltl', spell(f), *options)
            name = f'case {case}, {" ".join(options)}: {spell(f)}'
            if not check(f'{name}: an answer', claim is not None, status):
                continue
            entry = next(e for e in claim['properties'] if e['kind'] == 'ltl')
            trace = entry['trace']
            if entry['verdict'] != 'violated' or not trace or trace['loop'] is None:
                continue
            steps, loop = trace['steps'], trace['loop']
            states = [state_of(step['state']) for step in steps]
            labels = [step['label'] for step in steps[1:]]
            closing = [step[0] for step, target in model.possible(states[-1])
                       if target == states[loop]]
            runs = [labels + [label] for label in closing] if closing else [labels]
            labels = next((each for each in runs if follow(model, each, loop) == states), None)
            if not check(f'{name}: the run is one of the model', labels is not None, trace):
                continue
            check(f'{name}: the formula is false', is_false(f, states, loop), states)
            left = shorter(model, f, labels, loop)
            check(f'{name}: no step can be left out', not left, f'{labels} {loop}: {left}')
            if closing:
                wrong = [judge_story(entry.get('why', ''), model, each, states, loop)
                         for each in runs]
                check(f'{name}: the story is true', any(w[0] is None for w in wrong),
                      f'{wrong} in {entry.get("why")}')
                judged += max(w[1] for w in wrong)
            told += 'why' in entry
            check(f'{name}: there is a story', 'why' in entry)
            lengths[options[0] if options[0] == '--shortest' else options[1]] = len(states)
        if '--shortest' in lengths:
            # of runs whose loop the formula's automaton closes after one round, as the bounded
            # engine's need not be
            check(f'case {case}: --shortest is not longer',
                  lengths['--shortest'] <= lengths.get('explicit', 10 ** 9), lengths)
            best = least(model, f, lengths['--shortest'])
            if best is not None:
                known += 1
                equal += best == lengths['--shortest']
                check(f'case {case}: no run is shorter than the shortest',
                      best <= lengths['--shortest'])
    print(f'stories: {told} told, {judged} sentences judged; --shortest is the least of all runs '
          f'in {equal} of {known}')
    check('most sentences can be judged', judged > CASES // 2, judged)
    check('--shortest is the least of all runs nearly always', equal >= 0.9 * known,
          f'{equal} of {known}')


if __name__ == '__main__':
    section(random_runs)
    finish()
