"""What Cairn adds to Milestones: quantifiers and sums over indices, in random models against the
same models with everything written out by hand; every mistake has its message."""
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, DEGENERATE, LONG, SEED, Wrong, check, crashed, finish, run, section
from lib import told, write

WORDS = {'forall': ('&', 'true'), 'exists': ('|', 'false'), 'sum': ('+', '0')}


class Writer:
    """Random conditions as trees, which are written with quantifiers or without."""

    def __init__(self, rng, n):
        self.rng, self.n = rng, n

    def index(self, names):
        kind = self.rng.random()
        if names and kind < 0.7:
            name = ('name', self.rng.choice(names))
            return ('next', name) if kind < 0.2 else name
        return 'number', self.rng.randrange(self.n)

    def limits(self, names):
        kind = self.rng.random()
        if kind < 0.4:
            return None
        low = self.index(names) if kind < 0.8 else ('number', self.rng.randrange(self.n))
        return low, ('number', self.rng.randrange(self.n))

    def each(self, word, names, depth):
        name = self.rng.choice('ijk')
        inner = [*names, name]
        limits = self.limits(names)
        body = self.number(inner) if word == 'sum' else self.condition(inner, depth - 1)
        return 'each', word, name, limits, body

    def number(self, names):
        kind = self.rng.random()
        if kind < 0.2 and names:
            return 'plus', self.index(names)
        return 'member', self.index(names)

    def condition(self, names, depth):
        kind = self.rng.random()
        if depth and kind < 0.45:
            return self.each(self.rng.choice(('forall', 'exists')), names, depth)
        if depth and kind < 0.6:
            op = self.rng.choice(('&', '|', '->'))
            return 'both', op, self.condition(names, depth - 1), self.condition(names, depth - 1)
        left = self.each('sum', names, 0) if kind > 0.8 else self.number(names)
        return 'compare', left, self.rng.choice(('==', '<', '<=', '!=')), self.rng.randrange(8)


def written(tree, n, env=None):
    """The text; with an environment, written out."""
    kind = tree[0]
    if kind == 'number':
        return str(tree[1])
    if kind == 'name':
        return tree[1] if env is None else str(env[tree[1]])
    if kind == 'next':
        return f'({written(tree[1], n, env)} + 1) % {n}'
    if kind == 'member':
        return f'p[{written(tree[1], n, env)}].x'
    if kind == 'plus':
        return f'(p[{written(tree[1], n, env)}].x + {written(tree[1], n, env)})'
    if kind == 'both':
        return f'({written(tree[2], n, env)} {tree[1]} {written(tree[3], n, env)})'
    if kind == 'compare':
        return f'({written(tree[1], n, env)} {tree[2]} {tree[3]})'
    _, word, name, limits, body = tree
    if env is None:
        over = 'p' if limits is None else '..'.join(written(limit, n) for limit in limits)
        return f'({word} {name} in {over}: {written(body, n)})'
    low, high = (0, n - 1) if limits is None else (
        eval(written(limit, n, env)) for limit in limits)
    operator, nothing = WORDS[word]
    parts = [written(body, n, {**env, name: i}) for i in range(low, high + 1)]
    return f'({f" {operator} ".join(parts)})' if parts else nothing


def model(n, guards, sums, invariants, formulas, env):
    def text(tree):
        return written(tree, n, env)
    commands = '\n'.join(f'    [a{i}] {text(guard)} : x := {text(total)};'
                         for i, (guard, total) in enumerate(zip(guards, sums)))
    names = ' '.join(f'a{i};' for i in range(len(guards)))
    return f'''LOCAL P
  ACTIONS {names} END
  VARIABLES x : 2; END
  CASE
{commands}
  END
END
MAIN PROC p : P[{n}]; END END
INVARIANTS {" ".join(f"v{i}: {text(each)};" for i, each in enumerate(invariants))} END
CTL {" ".join(f"c{i}: AG EF {text(each)};" for i, each in enumerate(formulas))} END
LTL {" ".join(f"l{i}: F {text(each)};" for i, each in enumerate(formulas))} END
'''


def random_models():
    wrong, moved = Wrong('random models: the same written out'), 0
    for seed in range(1500 if LONG else 150):
        rng = random.Random(9300000 + 1000 * SEED + seed)
        n = rng.randint(1, 4)
        writer = Writer(rng, n)
        parts = ([writer.condition([], 3) for _ in range(3)],
                 [writer.each('sum', [], 0) if rng.random() < 0.6 else writer.number([])
                  for _ in range(3)],
                 [writer.condition([], 3) for _ in range(3)],
                 [writer.condition([], 2) for _ in range(2)])
        short = write('short.mil', model(n, *parts, None))
        out = write('out.mil', model(n, *parts, {}))
        first, ours = told('check', short, program=(CAIRN, ASAN, DEGENERATE)[seed % 3])
        second, theirs = told('check', out)
        if crashed(first) or not ours or not theirs or 'states' not in ours:
            wrong.add(f'{first.stderr[-400:]} {second.stderr[-300:]}', short, out)
            continue
        facts = [[claim[key] for key in ('states', 'transitions', 'deadlocks', 'verdict')]
                 + [item['verdict'] for item in claim['properties']] for claim in (ours, theirs)]
        moved += ours['transitions'] > 0
        wrong.add('' if facts[0] == facts[1] else str(facts), short, out)
    wrong.close(least=100)
    check(f'{moved} of them move', moved > 40)


FRAME = '''VARIABLES x : 3 := 0; sum : 2 := 1; END ACTION up; END
LOCAL P VARIABLES y : 2 := 0; END END
MAIN PROC p : P[2]; q : P; END CASE [up] %s : x := %s; END END
INVARIANTS %s; END
'''


def messages():
    for name, guard, value, invariant, message in (
            ('an unknown process', 'true', '0', 'forall i in r: p[i].y == 0',
             "4:24: error: unknown process 'r'"),
            ('an index that is none', 'true', '0', 'forall i in 0..2: p[i].y == 0',
             '4:30: error: there is no process p[2]'),
            ('no colon', 'true', '0', 'forall i in p p[i].y == 0', "expected ':'"),
            ('bounds that are no constants', 'true', '0', 'forall i in 0..x: p[i].y == 0',
             'a constant is needed here'),
            ('a number is no range', 'true', '0', 'forall i in 3: p[i].y == 0', 'a range such as'),
            ('the name is gone behind it', 'true', '0', '(forall i in p: p[i].y == 0) & i == 0',
             "unknown variable 'i'"),
            ('too many', 'true', '0', 'forall i in 0..99999999: x == i', 'are not possible'),
            ('too large', 'true', '0',
             'forall i in 0..9999: forall j in 0..9999: x == i + j', 'too large'),
            ('a condition is no summand', 'true', 'sum i in p: (p[i].y == 0)', 'true',
             'a number is needed here')):
        result = run('check', write('bad.mil', FRAME % (guard, value, invariant)), program=ASAN)
        check(f'message: {name}', result.returncode == 2 and message in result.stderr
              and result.stderr.count('error') == 1 and not crashed(result), result.stderr)
    kept = run('check', write('kept.mil', FRAME % ('sum < 3 & x < 4', 'x + sum', 'sum == 1')))
    check('sum is still a name', 'holds     invariant[0]' in kept.stdout, kept.stdout + kept.stderr)


# ---- valid ends ----

ENDS = '''ACTIONS go; END
LOCAL P LOCATIONS start; work; done; stuck; END ACTIONS begin; finish; jam; END
  CASE [start] [begin] true : pc := work; [work] [finish] true : pc := done;
       [work] [jam] JAM : pc := stuck; END
  FINAL done; ENDS END
END
LOCAL Data VARIABLES x : 1 := 0; END END
MAIN PROC p : P[2]; d : Data; END END
'''


def ends():
    """A deadlock in which everybody stands at a final location is none, in every engine."""
    for name, jam, more, verdict, count in (('all are done', 'false', '', 'holds', 0),
                                            ('one may be stuck', 'true', '', 'violated', 3),
                                            ('stuck is fine', 'true', 'stuck;', 'holds', 0)):
        model = write('ends.mil', ENDS.replace('JAM', jam).replace('ENDS', more))
        for engine in ('explicit', 'symbolic', 'bounded', 'timed'):
            words = ('check', model, '-p', 'deadlock', '--engine', engine)
            _, ours = told(*words, program=ASAN)
            item = ours['properties'][0]
            check(f'ends: {name}, {engine}', item['verdict'] == verdict
                  and (verdict == 'holds' or item['trace']), ours)
        _, ours = told('explore', model)
        stuck = 4 if jam == 'true' else 1  # states in which nothing is enabled
        check(f'ends: {name}, counted', ours['deadlocks'] == count
              and ours['statistics']['ends'] == stuck - count, ours['statistics'])
        again = run('translate', model, '--to', 'cairn').stdout
        _, theirs = told('check', write('again.cairn', again), '-p', 'deadlock')
        check(f'ends: {name}, as text', theirs['properties'][0]['verdict'] == verdict)
    for name, old, new, message in (
            ('no such location', 'FINAL done;', 'FINAL gone;', "has no location 'gone'"),
            ('a value', 'FINAL done;', 'FINAL done := 2;', 'no value is given here')):
        text = ENDS.replace('JAM', 'true').replace('ENDS', '').replace(old, new)
        result = run('check', write('ends.mil', text), program=ASAN)
        check(f'ends: {name}', result.returncode == 2 and message in result.stderr
              and not crashed(result), result.stderr)
    without = ENDS.replace('JAM', 'true').replace('ENDS', '').replace(
        'LOCAL Data VARIABLES x : 1 := 0; END END',
        'LOCAL Data LOCATIONS a; END ACTIONS no; END CASE [a] [no] false : pc := a; END END')
    result = run('check', write('ends.mil', without), '-p', 'deadlock')
    check('ends: a type that says nothing', result.returncode == 1
          and 'process type Data has no FINAL locations' in result.stderr, result.stderr)


section(random_models)
section(messages)
section(ends)
finish()
