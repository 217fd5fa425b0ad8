"""Random models: the engine against the independent oracle (test/oracle) and a naive search with
the reference evaluator (test/tools/naive.c), in the release build, breadth-first (with states in
the table itself, and whole), depth-first and best-first, and in the degenerate build (4-bit hash,
tiny tables, sanitizers). Compares states, transitions, initial states, deadlocks, depth, levels,
run-time errors, rules, verdicts and the length of counterexamples."""
import os
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, CAIRN, DEGENERATE, LONG, SEED, check, finish, run_json, write
from generate import generate
import json
import oracle
import subprocess

NAIVE = os.path.join(ROOT, 'build/release/tools/naive')
COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks')


def compare_counts(name, ours, theirs, breadth_first):
    for key in COUNTS:
        check(f'{name} {key}', ours[key] == theirs[key], f'{ours[key]} instead of {theirs[key]}')
    statistics = ours['statistics']
    check(f'{name} run-time errors', statistics['runtime_errors'] == theirs['runtime_errors'])
    check(f'{name} rules', statistics['rules'] == theirs['rules'])
    if breadth_first:
        check(f'{name} depth', ours['depth'] == theirs['depth'])
        check(f'{name} levels', statistics['levels'] == theirs['levels'])


def compare_verdicts(name, ours, theirs, breadth_first):
    expected = {item['name']: item for item in theirs['properties']}
    for item in ours['properties']:
        other = expected.get(item['name'])
        if not check(f'{name} has {item["name"]}', other is not None):
            continue
        if item['verdict'] == 'unknown': # a proposition divides by zero: the oracle says "error"
            check(f'{name} {item["name"]} decided', other['verdict'] == 'error')
            continue
        check(f'{name} {item["name"]}', item['verdict'] == other['verdict'],
              f'{item["verdict"]} instead of {other["verdict"]}')
        if item['verdict'] == 'violated' and 'distance' in other:
            steps = len(item['trace']['steps']) - 1
            good = steps == other['distance'] if breadth_first else steps >= other['distance']
            check(f'{name} distance of {item["name"]}', good,
                  f'{steps} instead of {other["distance"]}')


def compare(seed, **options):
    text = generate(seed, **options)
    theirs = oracle.run(text)
    model = write('random.mil', text)
    naive = json.loads(subprocess.run([NAIVE, model], capture_output=True, text=True).stdout
                       or '{}')
    for key in (*COUNTS, 'runtime_errors', 'depth'):
        check(f'seed {seed} {options} reference evaluator {key}', naive.get(key) == theirs[key],
              f'{naive.get(key)} instead of {theirs[key]}')
    for label, program, extra in (('bfs', CAIRN, ()), ('flat', CAIRN, ('--store', 'flat')),
                                  ('tree', DEGENERATE, ('--store', 'tree')),
                                  ('dfs', CAIRN, ('--order', 'dfs')),
                                  ('best-first', CAIRN, ('--order', 'best-first')),
                                  ('degenerate', DEGENERATE, ())):
        name = f'seed {seed} {options} {label}'
        breadth_first = label not in ('dfs', 'best-first')
        status, ours = run_json('explore', model, '-q', *extra, program=program)
        if not check(f'{name} explores', ours is not None and ours['complete'], status):
            continue
        compare_counts(name, ours, theirs, breadth_first)
        status, ours = run_json('check', model, '-q', *extra, program=program)
        if check(f'{name} checks', ours is not None, status):
            compare_verdicts(name, ours, theirs, breadth_first)
            violated = any(item['verdict'] == 'violated' for item in ours['properties'])
            unknown = any(item['verdict'] == 'unknown' for item in ours['properties'])
            check(f'{name} exit status', status == (1 if violated else 3 if unknown else 0), status)


sys.setrecursionlimit(20000)
first = 1 + 1000000 * SEED
count = 5000 if LONG else 110
for seed in range(first, first + count):
    compare(seed)
    if seed % 5 == 0:
        compare(seed, temporal=False, extensions=False)
    if seed % 10 == 0:
        compare(seed, size='medium', temporal=False)
finish()
