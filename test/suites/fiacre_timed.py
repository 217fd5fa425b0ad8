"""Random timed Fiacre programs: the zones of the timed engine against the brute force of
test/oracle/fiacre/timed.py (whole moments, or regions where open bounds and priorities need them).
Compares the discrete states that are reachable, deadlocks, run-time errors, verdicts of invariants
about control states; every counterexample must replay with its delays. Also that `--zones equal`
and the sanitizer build agree. A third of the programs choose under every `wait`: `any`, select, if
and case in each other."""
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, LONG, SEED, check, finish, path, run, run_json, write
from fiacre.generate_timed import draw
from fiacre.timed import explore


def controls(state):
    """{process: control state} of a listed state."""
    return {name: value for name, value in state.items() if name.endswith(']') and '.' not in name
            and name.count('[') == 1}


def zero_based(name):
    head, number = name[:-1].rsplit('[', 1)
    return f'{head}[{int(number) - 1}]'


def invariants(rng, listed):
    """Claims that two processes are never in two control states at once, some true and some
    false."""
    names = sorted(controls(listed[0]))
    values = {name: sorted({controls(state)[name] for state in listed}) for name in names}
    if len(names) < 2:
        return
    for _ in range(4):
        a, b = rng.sample(names, 2)
        x, y = rng.choice(values[a]), rng.choice(values[b])
        reachable = any(controls(state)[a] == x and controls(state)[b] == y for state in listed)
        yield (f'not ({zero_based(a)} @ {x} and {zero_based(b)} @ {y})',
               'violated' if reachable else 'holds')


def compare(seed, frac, choices):
    name = f'seed {seed}{" frac" if frac else ""}{" choices" if choices else ""}'
    text, _ = draw(seed, frac, choices=True, most=1500) if choices else draw(seed, frac)
    dialect = 'frac' if frac else 'obp'
    theirs = explore(text, dialect, listed=True)
    model = write('timed.fcr', text)
    options = ('-q', '--dialect', dialect, '--engine', 'timed')
    for label, program, extra in (('', CAIRN, ()), (' equal', CAIRN, ('--zones', 'equal')),
                                  (' asan', ASAN, ())):
        if label == ' asan' and seed % 4:
            continue
        status, ours = run_json('explore', model, *options, *extra, program=program)
        if (not check(f'{name}{label} explores', ours is not None and ours.get('complete'),
                      (status, ours))):
            return
        statistics = ours['statistics']
        check(f'{name}{label} discrete states',
              statistics['discrete_states'] == theirs['discrete_states'],
              f'{statistics["discrete_states"]} instead of {theirs["discrete_states"]}')
        check(f'{name}{label} deadlocks', (ours['deadlocks'] > 0) == (theirs['deadlocks'] > 0),
              (ours['deadlocks'], theirs['deadlocks']))
        check(f'{name}{label} run-time errors',
              (statistics['runtime_errors'] > 0) == (theirs['failing_states'] > 0))
    for claim, verdict in invariants(random.Random(seed), theirs['list']):
        trace = path('timed.itf.json')
        if os.path.exists(trace):
            os.remove(trace)
        status, ours = run_json('check', model, *options, '--invariant', claim, '-p',
                                'invariant[0]', '--trace', trace)
        if (not check(f'{name} {claim} is checked', ours is not None and 'properties' in ours,
                      status)):
            continue
        check(f'{name} {claim}', ours['properties'][0]['verdict'] == verdict,
              ours['properties'][0]['verdict'])
        if verdict == 'violated':
            replayed = run('replay', trace, '--dialect', dialect)
            check(f'{name} {claim} replays',
                  replayed.returncode == 0 and 'replays' in replayed.stdout,
                  replayed.stdout + replayed.stderr)


count = 1500 if LONG else 15
for number in range(count):
    compare(SEED * 100000 + number, number % 5 == 4, number % 3 == 2)
finish()
