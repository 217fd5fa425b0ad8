"""The bounded engine. On random models, against the independent oracle and the explicit engine: what it calls violated is violated and what it proves holds; plain search finds every violated
invariant, deadlock and run-time error at the breadth-first distance, and every violated LTL formula within the length of the explicit engine's lasso; a search to a depth at which
nothing is violated says so with status 3. Reductions find the same violations. On the examples: known verdicts and the depths of the thesis' tables. Some runs use the sanitizer build."""
import os
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, LONG, ROOT, SEED, check, finish, run, run_json, write
from generate import generate
import oracle

PLAIN = ['', '--no-induction']
REDUCED = ['--reduce por', '--reduce por --phase 1 --no-induction', '--reduce por --phase 3 --no-induction', '--reduce por --phase 0 --no-induction', '--reduce steps --no-induction',
           '--reduce steps --phase 2 --no-induction', '--reduce steps --phase auto']
METHODS = PLAIN + REDUCED
statistics = {'violated': 0, 'proved': 0, 'open': 0, 'missed': 0}


def check_model(model, options, program=CAIRN):
    return run_json('check', model, '-q', '--engine', 'bounded', '--time', '20s', *options, program=program)


# ---- random models ----

def lasso_length(item):
    """The number of steps of the explicit engine's run, the one that closes the loop included."""
    return len(item['trace']['steps'])


def check_violation(name, item, other, plain, lasso):
    statistics['violated'] += 1
    check(f'{name} is violated', other['verdict'] in ('violated', 'error'), other['verdict'])
    if not plain:
        if 'distance' in other:
            check(f'{name} takes no more cycles than steps', item['cycles'] <= other['distance'], f'{item["cycles"]} for {other["distance"]}')
    elif 'distance' in other:
        steps = len(item['trace']['steps']) - 1
        check(f'{name} is shortest', steps == other['distance'] == item['bound'], f'{steps} instead of {other["distance"]}')
    elif lasso:
        check(f'{name} is no longer than the explicit run', item['bound'] <= lasso, f'{item["bound"]} instead of {lasso}')


def check_open(name, item, other, plain, lasso, bound, stopped):
    """Unknown: it must be for a reason."""
    statistics['open'] += 1
    if other['verdict'] != 'violated' or stopped:
        return
    if item['kind'] == 'ctl' and 'bound' not in item:
        return # not decided by this engine
    if 'distance' in other:
        check(f'{name} is not overlooked', not plain or other['distance'] > bound, f'distance {other["distance"]}, searched to {item.get("bound")}')
    elif plain and lasso:
        check(f'{name} is not overlooked', lasso > bound, f'a run of {lasso} steps, searched to {item.get("bound")}')
    elif not plain:
        statistics['missed'] += 1


def compare(seed, text, theirs, explicit, method, program):
    name = f'seed {seed} {method}' + ('' if program == CAIRN else f' {os.path.basename(os.path.dirname(program))}')
    plain = method in PLAIN
    bound = 12 if plain else 60 if '--no-induction' in method else 30
    status, ours = check_model(write('bounded.mil', text), ['--bound', str(bound), *method.split()], program)
    if not check(f'{name} runs', ours is not None and status in (0, 1, 3), status):
        return
    expected = {item['name']: item for item in theirs['properties']}
    lassos = {item['name']: lasso_length(item) for item in explicit['properties'] if item['kind'] == 'ltl' and item['trace'] and item['trace']['loop'] is not None}
    stopped = ours['statistics']['stop'] == 'the time limit was reached'
    for item in ours['properties']:
        other, which, lasso = expected[item['name']], f'{name} {item["name"]}', lassos.get(item['name'])
        if item['verdict'] == 'violated':
            check_violation(which, item, other, plain, lasso)
        elif item['verdict'] == 'holds':
            statistics['proved'] += 1
            check(f'{which} holds', other['verdict'] == 'holds', other['verdict'])
        else:
            check_open(which, item, other, plain, lasso, bound, stopped)
    verdicts = {item['verdict'] for item in ours['properties']}
    expected_status = 1 if 'violated' in verdicts else 3 if 'unknown' in verdicts else 0
    check(f'{name} status', status == expected_status, f'{status} instead of {expected_status}')


def random_models():
    first = 1 + 1000000 * SEED
    for seed in range(first, first + (5000 if LONG else 120)):
        text = generate(seed)
        theirs = oracle.run(text)
        explicit = run_json('check', write('bounded.mil', text), '-q', '--engine', 'explicit')[1]
        for i, method in enumerate(METHODS):
            if LONG or (seed + i) % 3 == 0:
                compare(seed, text, theirs, explicit, method, CAIRN)
        if seed % 4 == 0:
            compare(seed, text, theirs, explicit, METHODS[seed // 4 % len(METHODS)], ASAN)


sys.setrecursionlimit(20000)
random_models()
print(statistics)
finish()
