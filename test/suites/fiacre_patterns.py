"""Fiacre's patterns in every scope, on random runs that repeat, against what they say about
stretches of positions: no temporal logic here."""
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, SEED, check, finish, run_json, write

SCOPES = ('', 'before {r}', 'after {q}', 'between {q} and {r}', 'after {q} until {r}')


def inside(kind, word, first, end, checked):
    """The pattern on positions first .. end - 1. What must be answered later is asked of positions
    before `checked` only: later ones repeat."""
    positions = range(first, end)
    if kind == 'absent':
        return not any(word[k][0] for k in positions)
    if kind == 'always':
        return all(word[k][0] for k in positions)
    if kind == 'present':
        return any(word[k][0] for k in positions)
    if kind == 'leadsto':
        return all(not word[k][0] or any(word[i][1] for i in range(k, end)) for k in positions
                   if k < checked)
    for k in positions: # precedes
        if word[k][0] or word[k][1]:
            return word[k][0]
    return True


def holds(kind, scope, stem, loop):
    word, once = stem + 4 * loop, len(stem) + len(loop)
    end, checked = len(word), once + len(loop)
    q, r = [k for k in range(end) if word[k][2]], [k for k in range(end) if word[k][3]]
    if scope == 0:
        return inside(kind, word, 0, end, checked)
    if scope == 1:
        return not r or inside(kind, word, 0, r[0], end)
    if scope == 2:
        return not q or inside(kind, word, q[0], end, checked)
    for first in (k for k in q if k < once and not word[k][3]):
        last = next((k for k in r if k > first), None)
        if last is None and scope == 3:
            continue
        if not inside(kind, word, first, *((end, checked) if last is None else (last, end))):
            return False
    return True


def model(word, back):
    """A process that goes through the positions; the letters of a position are functions of it."""
    size = len(word)
    lines = []
    for letter, name in enumerate('abqr'):
        places = ' or '.join(f'n = {k}' for k in range(size) if word[k][letter]) or 'false'
        lines.append(
            f'function {name} (n : 0..{size}) : bool is begin if {places} then return true else '
            f'return false end end')
    lines.append(
        f'process P is states s var n : 0..{size} from s n := (n = {size - 1} ? {back} : n + 1); '
        f'to s')
    return '\n'.join(lines)


for seed in range(1 + 1000 * SEED, 1 + 1000 * SEED + (400 if LONG else 30)):
    rng = random.Random(f'patterns {seed}')
    often = rng.choice((0.2, 0.4, 0.6))
    stem = [[rng.random() < often for _ in 'abqr'] for _ in range(rng.randint(0, 5))]
    loop = [[rng.random() < often for _ in 'abqr'] for _ in range(rng.randint(1, 4))]
    expected, text = {}, model(stem + loop, len(stem))
    for kind in ('absent', 'present', 'always', 'leadsto', 'precedes'):
        for number, scope in enumerate(SCOPES):
            name = f'{kind}_{number}'
            body = (f'{kind} a(P.n)' if kind in ('absent', 'present', 'always')
                    else f'a(P.n) {kind} b(P.n)')
            text += f'\nproperty {name} is {body} {scope.format(q="q(P.n)", r="r(P.n)")}'
            expected[name] = 'holds' if holds(kind, number, stem, loop) else 'violated'
    _, result = run_json('check', write('patterns.fcr', text + '\nP\n'), '-q')
    if check(f'seed {seed} is checked', result and 'properties' in result, result):
        got = {item['name']: item['verdict'] for item in result['properties']}
        for name, verdict in expected.items():
            check(f'seed {seed} {name}', got.get(name) == verdict,
                  f'{got.get(name)} instead of {verdict}: {stem} {loop}')
finish()
