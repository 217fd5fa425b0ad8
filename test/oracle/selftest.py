#!/usr/bin/env python3
"""Checks of the reference implementation itself: models with known answers, model errors, temporal
logic by brute force.

Prints `N passed, N failed`; the exit status is 1 when something failed.
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

import generate
import oracle
from milparse import ModelError, Parser
from temporal import Ctl, ltl_holds

HERE = os.path.dirname(os.path.abspath(__file__))
counts = {True: 0, False: 0}


def check(what, got, wanted=True):
    counts[got == wanted] += 1
    if got != wanted:
        print(f'FAILED {what}: {got!r}, expected {wanted!r}')


RUNNING_EXAMPLE = '''
ACTION Gpp; GE0; xExMy; END
VARIABLE g : 1 := 0; END
LOCAL A
  ACTION Xpp; Zpp; END
  VARIABLE pc: 2 := 0; x: 1 := 0; z: 1 := 0; END
  CASE
    [0] [Xpp] true : pc := 1; x := x + 1;
    [1] [Zpp] true : pc := 2; z := z + 1;
    [2] [xExMy] true :
  END
  SYNC xExMy; END
END
LOCAL B
  ACTION Ypp; YE0; END
  VARIABLE pc: 1 := 0; y: 1 := 0; END
  CASE
    [0] [Ypp] g == 0 : pc := 1; y := y + 1;
    [1] [YE0] g == 0 : pc := 0; y := 0;
    [1] [xExMy] true :
  END
  SYNC xExMy; END
END
GLOBAL
  PROC a: A[1]; b: B[1]; END
  CASE
    [Gpp] a[0].pc == 2 & b[0].pc == 1 & g == 0: g := g + 1;
    [GE0] a[0].pc == 2 & b[0].pc == 1 & g == 1: g := 0;
    [xExMy] a[0].pc == 2 & b[0].pc == 1:
  END
END
CTL AG EF (g == 1); END
LTL F(G g == 1); END
'''

PHILOSOPHERS = '''
CONST n = 3;
LOCAL Fork VARIABLES taken : 1 := 0; END END
LOCAL Phil
  LOCATIONS thinking; waiting; eating; END
  ACTIONS left; right; done; END
  VARIABLES pc : 2 := thinking; END
  CASE
    [thinking] [left]  fork[self].taken == 0           : pc := waiting; fork[self].taken := 1;
    [waiting]  [right] fork[(self + 1) % n].taken == 0 : pc := eating; fork[(self + 1) % n].taken \
:= 1;
    [eating]   [done]  true : pc := thinking; fork[self].taken := 0; fork[(self + 1) % n].taken := \
0;
  END
END
MAIN PROC fork : Fork[n]; phil : Phil[n]; END END
INVARIANTS exclusive: !(phil[0].pc == eating & phil[1].pc == eating); busy: phil[0].pc != eating; \
END
LTL F phil[0].pc == eating; END
CTL EF phil[0].pc == eating; END
'''


def verdicts(result):
    return {p['name']: p['verdict'] for p in result['properties']}


def distances(result):
    return {p['name']: p['distance'] for p in result['properties'] if 'distance' in p}


def numbers(result, *names):
    return [result[name] for name in names]


def known_models():
    r = oracle.run(RUNNING_EXAMPLE)
    check('running example',
          numbers(r, 'states', 'transitions', 'deadlocks', 'initial_states', 'depth', 'rules',
                  'levels'),
          [7, 14, 0, 1, 4, 7, [1, 3, 5, 6, 7]])
    check('running example, properties', verdicts(r),
          {'ctl[0]': 'holds', 'ltl[0]': 'violated', 'deadlock': 'holds', 'runtime-error': 'holds'})

    for n in (2, 3, 4):     # no fork is held twice; the deadlock is that every left hand holds one
        r = oracle.run(PHILOSOPHERS, {'n': n})
        legal = sum(all(not (a == 2 and b != 0) for a, b in zip(places, places[1:] + places[:1]))
                    for places in itertools.product(range(3), repeat=n))
        check(f'{n} philosophers', numbers(r, 'states', 'deadlocks', 'rules'), [legal, 1, 3 * n])
        check(f'{n} philosophers, properties', verdicts(r),
              {'exclusive': 'holds', 'busy': 'violated', 'ltl[0]': 'violated', 'ctl[0]': 'holds',
               'deadlock': 'violated',
               'runtime-error': 'holds'})
        check(f'{n} philosophers, distances', distances(r), {'busy': 2, 'deadlock': n})

    # When the left fork is put back before the right one, the forks (free, held by the left, by the
    # right hand) say it all,
    # and only one combination cannot be reached: every fork held by a right hand alone.
    slow = PHILOSOPHERS.replace('waiting; eating;',
                                'waiting; eating; leaving;').replace('done; END',
        'first; second; END')
    slow = slow.replace(
        '[eating]   [done]  true : pc := thinking; fork[self].taken := 0; fork[(self + 1) % '
        'n].taken := 0;',
        '[eating]   [first]  true : pc := leaving; fork[self].taken := 0;\n'
        '                        [leaving]  [second] true : pc := thinking; fork[(self + 1) % '
        'n].taken := 0;')
    for n in (2, 3, 4, 5):
        check(f'{n} slow philosophers',
              numbers(oracle.run(slow, {'n': n}), 'states', 'initial_states', 'deadlocks', 'rules'),
              [3 ** n - 1, 1, 1, 4 * n])

    r = oracle.run('''VARIABLES v : 1; w : 2 := 1; END
        LOCAL T ACTIONS a; END VARIABLES pc : 1 := 0; END CASE [0] [a] v == 0 : pc := 1; END END
        MAIN PROC t : T[1]; END END
        CTL v == 0 | v == 1; AF t.pc == 1; EF t.pc == 1; AG v == 0; END''')
    check('two initial states',
          numbers(r, 'states', 'transitions', 'initial_states', 'deadlocks', 'levels'),
          [3, 1, 2, 2, [2, 3]])
    check('two initial states, properties', list(verdicts(r).values()),
          ['holds', 'violated', 'violated', 'violated', 'violated', 'holds'])
    check('two initial states, distances', distances(r), {'ctl[3]': 0, 'deadlock': 0})

    # A rendezvous: 2 commands of p times 1 of each q times 2 global commands; equal effects count
    # twice.
    r = oracle.run('''ACTIONS go, never, blocked END
        LOCAL P VARIABLES pc : 1 := 0 END CASE [0] [go] true : pc := 1 [0] [go] true : pc := 1 [0] \
[never] true : END
          SYNC go never blocked END END
        LOCAL Q VARIABLES x : 1 := 0 END CASE [go] x == 0 : x := 1 END SYNC go END END
        MAIN PROC p := P[1] q := Q[2] END CASE [go] true : [go] true : [blocked] true : END END''')
    check('rendezvous', numbers(r, 'states', 'transitions', 'rules', 'deadlocks'), [2, 4, 4, 1])

    r = oracle.run('''VARIABLES x : 2 := 2; END
        LOCAL T ACTIONS a; b; c; END
          CASE [a] x > 0 : x := x - 1; [b] 6 / x > 1 : x := 0; [c] x != 0 & 6 % x > 1 : x := 6 / \
(x - x); END
        END
        MAIN PROC t : T[1]; END END''')
    # a: 2 -> 1 -> 0; b: enabled for 2 and 1, error for 0; c: 6 % 2 and 6 % 1 are 0, so never
    # enabled, no error for 0
    check('division by zero', numbers(r, 'states', 'transitions', 'runtime_errors', 'deadlocks'),
          [3, 4, 1, 1])
    check('division by zero, distances', distances(r), {'deadlock': 1, 'runtime-error': 1})
    check('a limit', numbers(oracle.run(PHILOSOPHERS, limit=5), 'states', 'complete'), [5, False])


def arithmetic():
    """Comparisons that must hold with x:2 = 3, y:4 = 12, b:1 = 1, z:4 = 0."""
    true = ['2*x + y == 2', 'x + x == 6', 'x + x == 2', 'b + b == 0', 'b + 1 == 2',
            'b - b - b == b', '0 - b == 1',
            '0 - x == 1', 'y + 4 == 0', 'y * 2 == 24', 'y * 2 == 8', '(y + 8) / 2 == 2',
            '(y + 8) / 2 + 16 * 0 == 10',
            'x % 2 == 1', '7 - 2 - 1 == 4', '2 + 3 * 2 == 0', '8 / 2 / 2 == 2', 'y mod 5 = 2',
            '3 × x ≠ 8', '!x == 2',
            'z == 0 | 5 / z == 1', 'z != 0 -> 5 / z == 1', '!(z != 0 & 5 / z == 1)',
            '4611686018427387904 * 2 == 0',
            'true -> false -> true', 'false -> true -> false', '!(false | true & false)',
            'true <-> false <-> false',
            'x == 3 & (x) + 1 == 4 & ((x + 1) == (4))', '(x == 3)', 'x <= 3 and not x > 3 or false',
            'x + 1 == 0', '!(x + 1 > 3)', '5 - 6 == 255', '(true -> false) -> false']
    false = ['2*x == 7', 'x + 1 > 3', '(false -> true) -> false', 'x < 3', '5 - 6 == 15 - 0 * 16',
             '!false & false']
    # x + x == 6: the constant 6 makes it 3 bits wide; x + x == 2: W is 2; y * 2 == 24: W is 5;
    # 4611686018427387904 is 2^62.
    text = 'VARIABLES x : 2 := 3; y : 4 := 12; b : 1 := 1; z : 4 := 0; END INVARIANTS %s; END'
    for wanted, formulas in (('holds', true), ('violated', false)):
        for formula in formulas:
            result = verdicts(oracle.run(text % formula))['invariant[0]']
            check(formula, result, wanted)
    for width, value, wanted in ((2, '3 + 1', 0), (4, '3 + 1', 4), (4, '0 - 1', 15),
                                 (2, '7 / 2', 3), (2, '9', 1),
                                 (32, '0 - 1', 2 ** 32 - 1), (3, '8 - 1', 7), (1, '2 - 1', 1)):
        model = oracle.Model(f'VARIABLES v : {width} := {value}; END')
        check(f'v : {width} := {value}', oracle.explore(model, 9).states, [(wanted,)])
    # assignments: the target counts as a leaf, then the result is cut
    for width, value, wanted in ((4, 'x + 1', 4), (1, 'y / 4', 1), (2, '2*x + y', 2),
                                 (4, 'x * x', 9), (2, 'x * x', 1)):
        model = f'''VARIABLES x : 2 := 3; y : 4 := 12; r : {width} := 0; END ACTIONS go; END
            MAIN CASE [go] true : r := {value}; END END'''
        check(f'r : {width}; r := {value}', oracle.explore(oracle.Model(model), 99).states[1][2],
              wanted)


def names():
    model = '''CONST n = 2; VARIABLES X : 1 := 1; G : 2 := 2; E : 1 := 0; END
        LOCAL A LOCATIONS idle; busy := 3; END VARIABLES pc : 2 := busy; G : 1 := 0; END END
        LOCAL B LOCATIONS busy; END VARIABLES pc : 1 := busy; END END
        MAIN PROC a : A[n]; E : B[1]; END END
        LTL X == 1 & G == 2; G X == 1; XX X == 1; GF (X + 1) == 2; named: G (X == 1) U X == 0; X - \
1 == E U true; END
        CTL E == 0; E[0].pc == busy & a[1].pc == busy & busy == a[n-1]:pc; E[E == 0 U X == 0]; A(E \
== 0 W false);
            E[X == 1 R E.pc == 0]; AG a[0].G == idle; END'''
    result = list(verdicts(oracle.run(model)).items())[:-2]
    wanted = ['holds'] * 4 + ['violated'] + ['holds'] * 3 + ['violated'] + ['holds'] * 3
    check('names', [v for _, v in result], wanted)
    check('names of properties', [n for n, _ in result][3:7],
          ['ltl[3]', 'named', 'ltl[5]', 'ctl[0]'])


def model_errors():
    process = '''ACTIONS go; END VARIABLES g : 2 := 0; END
        LOCAL T ACTIONS a; END VARIABLES pc : 1 := 0; x : 2; END CASE %s END SYNC go; END END '''
    main = 'MAIN PROC t : T[2]; END CASE %s END END'
    check('a correct one',
          oracle.run(process % '[0] [a] true : x := 1' + main % '[go] true :')['rules'], 2)
    for text in ['VARIABLES v : 33; END', 'VARIABLES v : 0; END',
                 'VARIABLES v : 64 := 9223372036854775808; END',
                 'CONST c = 9223372036854775807 + 1;', 'CONST c = 1 - 2;', 'CONST c = 1 / 0;',
                 'VARIABLES v : 1; v : 2; END',
                 'VARIABLES v : 1 := 1 / 0; END', 'VARIABLES v : w; END', 'CTL x == 1; END',
                 'INVARIANTS AG true; END',
                 'LTL AG true; END', 'CTL G true; END', 'VARIABLES v : 1 END LTL v U v == 1; END',
                 'LOCAL END END', 'MAIN', '/* x',
                 'MAIN PROC t : T[1]; END END', 'VARIABLES v : 1 END VARIABLES w : 1 END',
                 'VARIABLES CASE : 1; END', '#',
                 process % '[0] [a] true : x := 1; x := 2' + main % '',
                 process % '[0] [a] true : x := 1; t[self].x := 2' + main % '',
                 process % '[0] [go] true : g := 1' + main % '[go] true :',
                 process % '[0] [a] y == 1 :' + main % '',
                 process % '[0] [a] true : y := 1' + main % '',
                 process % '[0] [b] true :' + main % '',
                 process % '[a] true :' + main % '', process % '[x] [a] true :' + main % '',
                 process % '' + main % '[a] true :',
                 process % '[0] [a] t[self + 1].x == 0 :' + main % '',
                 process % '' + main % '[go] self == 0 :',
                 process % '' + main % '[go] t.x == 0 :',
                 process % '' + main % '[go] t[0].y == 0 :', process % '[0] [a] x :' + main % '',
                 process % '[0] [a] x == 1 == 1 :' + main % '',
                 process % '[0] [a] true : self := 1' + main % '']:
        try:
            oracle.run(text)
            check(f'a model error: {text}', 'accepted', 'rejected')
        except ModelError:
            check(text, True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'm.mil')
        for text, options, status in ((RUNNING_EXAMPLE, [], 0),
                                      (PHILOSOPHERS, ['-D', 'n=2', '--json'], 0),
                                      (PHILOSOPHERS, ['-D', 'm=2'], 2),
                                      ('VARIABLES v : 40; END', [], 2)):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            command = [sys.executable, os.path.join(HERE, 'oracle.py'), path, *options]
            done = subprocess.run(command, capture_output=True, check=False)
            check('exit status', done.returncode, status)
            check('output', bool(done.stderr) if status else 'states' in json.loads(done.stdout))


# ---- temporal logic: p and q are the atoms; a labelling is a list of sets ----
P, Q = ('cmp', 'p'), ('cmp', 'q')


def on_lasso(f, labels, loop, i):
    """The textbook meaning of an LTL formula at position i of a path whose last position goes back
    to `loop`."""
    if f[0] == 'cmp':
        return f[1] in labels[i]
    if f[0] == 'not':
        return not on_lasso(f[1], labels, loop, i)
    if f[0] == 'and':
        return on_lasso(f[1], labels, loop, i) and on_lasso(f[2], labels, loop, i)
    if f[0] == 'or':
        return on_lasso(f[1], labels, loop, i) or on_lasso(f[2], labels, loop, i)
    path = [i]                                  # every position that can be met from i, in order
    while len(path) <= 2 * len(labels):
        path.append(path[-1] + 1 if path[-1] + 1 < len(labels) else loop)
    if f[0] == 'X':
        return on_lasso(f[1], labels, loop, path[1])
    first = [on_lasso(f[1], labels, loop, k) for k in path]
    if f[0] == 'F':
        return any(first)
    if f[0] == 'G':
        return all(first)
    second = [on_lasso(f[2], labels, loop, k) for k in path]
    until = any(second[k] and all(first[:k]) for k in range(len(path)))
    if f[0] == 'U':
        return until
    if f[0] == 'W':
        return until or all(first)
    if f[0] == 'R':                             # g as long as no earlier position had f
        return all(second[k] or any(first[:k]) for k in range(len(path)))
    raise AssertionError(f)


def random_formula(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([P, Q])
    op = rng.choice(['not', 'X', 'F', 'G', 'and', 'or', 'U', 'R', 'W', 'U', 'R', 'W'])
    return (op,
            *(random_formula(rng, depth - 1)
              for _ in range(1 if op in ('not', 'X', 'F', 'G') else 2)))


def atom_of(labels):
    # f has no temporal operator
    return (lambda f, state: f == ('true',) or on_lasso(f, labels, state, state))


def lassos():
    rng = random.Random(1)
    subsets = [set(), {'p'}, {'q'}, {'p', 'q'}]
    for labels in itertools.product(subsets, repeat=3):
        for loop in range(3):
            successors = [[1], [2], [loop]]
            formulas = [(op, f, g) for op in 'URW' for f, g in ((P, Q), (('not', P), Q))]
            formulas += [random_formula(rng, 3) for _ in range(3)]
            for f in formulas:
                wanted = on_lasso(f, labels, loop, 0)
                check(f'{f} on {labels} back to {loop}',
                      ltl_holds(successors, [0], atom_of(labels), f), wanted)
                if f in formulas[:6]:
                    for quantifier in 'AE':
                        states = Ctl(successors,
                                     atom_of(labels)).sat((quantifier + f[0], f[1], f[2]))
                        check(f'{quantifier}{f} on {labels} back to {loop}', 0 in states, wanted)


def branching():
    """On graphs with choices: A f in CTL is f in LTL, E f is not A not f."""
    rng = random.Random(2)
    for _ in range(250):
        size = rng.randint(1, 6)
        successors = [[rng.randrange(size) for _ in range(rng.randint(1, 3))] for _ in range(size)]
        atom = atom_of([{x for x in 'pq' if rng.random() < 0.6} for _ in range(size)])
        ctl = Ctl(successors, atom)
        for f in (('X', P), ('F', P), ('G', P), ('U', P, Q), ('R', P, Q), ('W', P, Q)):
            for state in range(size):
                for quantifier in 'AE':
                    path = f if quantifier == 'A' else ('not', f)
                    wanted = ltl_holds(successors, [state], atom, path) == (quantifier == 'A')
                    check(f'{quantifier}{f} in {successors}',
                          state in ctl.sat((quantifier + f[0], *f[1:])), wanted)


def precedence():
    def ltl(text):
        return Parser(text).formula_in('ltl')
    for a, b in (('a=1 U b=1 U c=1', 'a=1 U (b=1 U c=1)'), ('!a=1 U b=1', '(!a=1) U b=1'),
                 ('G a=1 U b=1', '(G a=1) U b=1'),
                 ('a=1 & b=1 U c=1', 'a=1 & (b=1 U c=1)'), ('GFX a=1', 'G F X (a=1)'),
                 ('a=1 | b=1 & c=1', 'a=1 | (b=1 & c=1)'),
                 ('a=1 -> b=1 -> c=1', 'a=1 -> (b=1 -> c=1)'),
                 ('a=1 <-> b=1 -> c=1', 'a=1 <-> (b=1 -> c=1)'),
                 ('a=1 | b=1 -> c=1', '(a=1 | b=1) -> c=1'), ('a+2*b-c=1', '(a+(2*b))-c=1')):
        def strip(f):
            return (tuple(strip(x) for x in f
                          if not (isinstance(x, tuple) and x and isinstance(x[0], int)))
                    if isinstance(f, tuple) else f)
        check(f'{a} is {b}', strip(ltl(a)), strip(ltl(b)))


def random_models():
    for seed in range(40):
        for temporal, extensions in ((True, True), (False, True), (True, False)):
            text = generate.generate(seed, 'small', temporal, extensions)
            check('the same seed, the same model',
                  generate.generate(seed, 'small', temporal, extensions), text)
            result = oracle.run(text)
            check('a random model', result['complete'] and 'error' not in verdicts(result).values())
            extras = [w for w in ('CONST', 'LOCATIONS', 'self', 'INVARIANT') if w in text]
            check('no extensions', extensions or not extras)
            if not temporal:
                check('no nesting',
                      all('distance' in p for p in result['properties']
                          if p['verdict'] == 'violated'))


def main():
    for part in (known_models, arithmetic, names, model_errors, precedence, lassos, branching,
                 random_models):
        part()
    print(f'{counts[True]} passed, {counts[False]} failed')
    return 1 if counts[False] else 0


if __name__ == '__main__':
    sys.exit(main())
