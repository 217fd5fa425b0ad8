"""Fiacre: the models of the corpus (when it is there) against their published figures, and random
programs against the independent implementation in test/oracle/fiacre: states, transitions,
deadlocks, levels, run-time errors; in the release build, in the degenerate build, in a naive search
with the reference evaluator."""
import csv
import json
import os
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, CAIRN, DEGENERATE, LONG, SEED, check, finish, run, run_json, section, write
from fiacre.generate import draw

NAIVE = os.path.join(ROOT, 'build/release/tools/naive')
CORPUS = os.path.join(os.path.dirname(ROOT), 'shared', 'corpus')


def known_models():
    """Models with a figure that somebody trusts. The large ones only with LONG."""
    folder = os.path.join(CORPUS, 'fiacre', 'beem')
    if not os.path.isdir(folder):
        print('the corpus is not here: its models were left out')
        return
    most = 20000000 if LONG else 120000
    with open(os.path.join(folder, 'known.csv'), encoding='utf-8') as file:
        rows = [row for row in csv.DictReader(file) if row['states'] and int(row['states']) <= most]
    for row in rows:
        name = row['model']
        status, ours = run_json('explore', os.path.join(folder, name + '.fcr'), '-q', '--engine',
                                'explicit')
        if not check(f'{name} explores', ours is not None and ours.get('complete'), status):
            continue
        for key in ('states', 'transitions', 'deadlocks'):
            if row[key]:
                check(f'{name} {key}', ours[key] == int(row[key]),
                      f'{ours[key]} instead of {row[key]}')
        if not row['transitions']: # their tool leaves out steps that change nothing
            check(f'{name} transitions', ours['transitions'] >= int(row['transitions_no_selfloop']),
                  ours['transitions'])
    for name, states, transitions in (('LamportCorrect_280116', 11, 18),
                                      ('Lamport83Figure5', 11, 27),
                                      ('AliceBobMeetPeterson', 10, 16)):
        status, ours = run_json('explore', os.path.join(CORPUS, 'cdl', name + '.fcr'), '-q')
        check(name, ours and (ours['states'], ours['transitions']) == (states, transitions), ours)


def other_engines(name, model, dialect, theirs):
    """The symbolic engine sees the program without code, a reduced search sees a part of it."""
    result = run('explore', model, '-q', '--engine', 'symbolic', '--json', '--time', '20s',
                 *dialect)
    if 'several initial states' not in result.stderr:
        ours = json.loads(result.stdout or '{}')
        if check(f'{name} symbolic', 'states' in ours, result.stderr) and ours['complete']:
            for key in ('states', 'transitions', 'initial_states'):
                check(f'{name} symbolic {key}', ours[key] == theirs[key],
                      f'{ours[key]} instead of {theirs[key]}')
    status, ours = run_json('explore', model, '-q', '--engine', 'explicit', '--reduce', 'deadlock',
                            *dialect)
    if check(f'{name} reduced', ours is not None and ours.get('complete'), status):
        check(f'{name} reduced states', ours['states'] <= theirs['states'], ours['states'])
        if not theirs['deadlocks_failing']:
            check(f'{name} reduced deadlocks', (ours['deadlocks'] > 0) == (theirs['deadlocks'] > 0),
                  (ours['deadlocks'], theirs['deadlocks']))


def compare(seed, frac):
    text, theirs = draw(seed, frac)
    model = write('random.fcr', text)
    dialect = ('--dialect', 'frac') if frac else ()
    # where nobody sends, all values are tried: refused at once when the type has too many, though
    # the place may never be reached
    if 'too many to try' in run('explore', model, '-q', *dialect).stderr:
        return
    for label, program, extra in (('bfs', CAIRN, ()), ('dfs', CAIRN, ('--order', 'dfs')),
                                  ('degenerate', DEGENERATE, ())):
        name = f'seed {seed}{" frac" if frac else ""} {label}'
        status, ours = run_json('explore', model, '-q', '--engine', 'explicit', *dialect, *extra,
                                program=program)
        if not check(f'{name} explores', ours is not None and ours.get('complete'), (status, ours)):
            continue
        for key in ('states', 'transitions', 'initial_states'):
            check(f'{name} {key}', ours[key] == theirs[key],
                  f'{ours[key]} instead of {theirs[key]}')
        failing = theirs['deadlocks_failing']
        check(f'{name} deadlocks',
              theirs['deadlocks'] - failing <= ours['deadlocks'] <= theirs['deadlocks'],
              f'{ours["deadlocks"]} instead of {theirs["deadlocks"]} ({failing})')
        check(f'{name} run-time errors',
              (ours['statistics']['runtime_errors'] > 0) == (theirs['failing_states'] > 0),
              ours['statistics']['runtime_errors'])
        if label != 'dfs':
            check(f'{name} depth', ours['depth'] == theirs['depth'], ours['depth'])
            check(f'{name} levels',
                  [b - a for a, b in zip([0] + ours['statistics']['levels'],
                                         ours['statistics']['levels'])] == theirs['levels'])
    other_engines(f'seed {seed}{" frac" if frac else ""}', model, dialect, theirs)
    if not frac:
        naive = json.loads(subprocess.run([NAIVE, model], capture_output=True, text=True).stdout
                           or '{}')
        for key in ('states', 'transitions', 'depth'):
            check(f'seed {seed} reference evaluator {key}', naive.get(key) == theirs[key],
                  f'{naive.get(key)} instead of {theirs[key]}')


section(known_models)
count = 1500 if LONG else 16
for number in range(count):
    compare(SEED * 100000 + number, number % 5 == 4)
finish()
