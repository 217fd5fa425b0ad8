"""Random models with code, arrays, exact arithmetic, failures and priorities
(test/tools/random_code.c): engines and exports against a naive search with the reference evaluator
(test/tools/naive.c): counts, run-time errors, invariants. What cannot be flattened, and what has
time, is refused with a reason."""
import json
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, LONG, PATIENCE, ROOT, SEED, check, crashed, finish, path, run,
                 run_json, section, write)
sys.path.insert(0, os.path.join(ROOT, 'test', 'tools'))
import aiger
from fiacre.generate import draw
import smv

COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks')
for tool in ('naive', 'random_code'):
    subprocess.run(['make', '-s', f'build/release/tools/{tool}'], cwd=ROOT, check=True)


def tool(name, *arguments):
    return subprocess.run([os.path.join(ROOT, 'build/release/tools', name), *arguments],
                          capture_output=True, text=True, timeout=PATIENCE).stdout


def explicit(name, model, naive):
    for options in ((), ('--order', 'dfs')):
        status, ours = run_json('explore', model, '-q', '--engine', 'explicit', *options)
        if check(f'{name} explicit {options} explores', ours and ours['complete'], status):
            check(f'{name} explicit {options} counts',
                  [ours[key] for key in COUNTS] == [naive[key] for key in COUNTS],
                  [ours[key] for key in COUNTS])
            check(f'{name} explicit {options} run-time errors',
                  ours['statistics']['runtime_errors'] == naive['runtime_errors'],
                  ours['statistics']['runtime_errors'])


def symbolic(name, model, naive):
    for options in ((), ('--order', 'bfs'), ('--order', 'chaining'),
                    ('--relation', 'monolithic'))[:1 + 3 * (naive['states'] < 200)]:
        status, ours = run_json('explore', model, '-q', '--engine', 'symbolic', *options,
                                program=CAIRN if options else ASAN)
        if not check(f'{name} {options} explores', ours and ours['complete'], status):
            continue
        check(f'{name} {options} counts',
              [ours[key] for key in COUNTS] == [naive[key] for key in COUNTS],
              [ours[key] for key in COUNTS])
        check(f'{name} {options} run-time errors',
              ours['statistics']['runtime_errors'] == naive['runtime_errors'],
              ours['statistics']['runtime_errors'])


def verdicts(name, model, naive, engine):
    """Checks invariants and built-in properties; returns all verdicts."""
    expected = dict(naive['invariants'], deadlock='violated' if naive['deadlocks'] else 'holds',
                    **{'runtime-error': 'violated' if naive['runtime_errors'] else 'holds'})
    status, ours = run_json('check', model, '-q', '--engine', engine, '--time',
                            '3s' if engine == 'bounded' and not LONG else '20s')
    if not check(f'{name} {engine} checks', ours is not None, status):
        return {}
    found = {item['name']: item['verdict'] for item in ours['properties']}
    for key, verdict in expected.items():
        good = (found[key] == ('unknown' if verdict == 'error' else verdict)
                or (engine == 'bounded' and found[key] == 'unknown'))
        check(f'{name} {engine} {key}', good, f'{found[key]} instead of {verdict}')
    return found


def in_smv(name, model, naive):
    done = run('translate', model, '--to', 'smv')
    if 'cannot be translated' in done.stderr:
        return
    if not check(f'{name} to smv', done.returncode == 0, done.stderr):
        return
    try:
        states, transitions, initial, deadlocks, holds = smv.System(done.stdout).search()
        check(f'{name} in smv: in other versions',
              smv.System(done.stdout).search(downwards=True)
              == (states, transitions, initial, deadlocks, holds))
    except smv.Problem as problem:
        check(f'{name} in smv', False, problem)
        return
    check(f'{name} in smv: counts',
          [states, transitions, initial, deadlocks] == [naive[key] for key in COUNTS],
          [states, transitions, initial, deadlocks])
    for key, value in holds.items():
        check(f'{name} in smv: {key}', value == (naive['invariants'][key] == 'holds'), value)


def in_aiger(name, model, naive):
    done = run('translate', model, '--to', 'aag', '-q')
    if not check(f'{name} to aag', done.returncode == 0, done.stderr):
        return
    graph = aiger.read(done.stdout.encode())
    latches = [i for i in range(len(graph.latches))
               if re.fullmatch(r'v\d+\.\d+', graph.names['l', i])]
    inputs = [i for i in range(graph.inputs) if graph.names['i', i].startswith('rule[')]
    # when initial states are listed
    started = [i for i in range(len(graph.latches))
               if graph.names['l', i] == 'the first step is taken']
    found = len({state[:len(latches)]
                 for state in aiger.Search(graph, inputs, latches + started, []).distance})
    check(f'{name} in aiger: states', found == naive['states'], found)
    distances = aiger.bad_distances(graph)
    for i, distance in enumerate(distances):
        key = graph.names['b', i]
        expected = {'deadlock': naive['deadlocks'] > 0,
                    'runtime-error': naive['runtime_errors'] > 0}.get(key,
            naive['invariants'].get(key) == 'violated')
        check(f'{name} in aiger: {key}', (distance is not None) == expected, distance)


def in_spin(name, model, naive):
    folder = path('spin')
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    done = run('translate', model, '--to', 'promela', '-o', os.path.join(folder, 'm.pml'))
    if 'cannot be translated' in done.stderr:
        return False
    if not check(f'{name} to promela', done.returncode == 0, done.stderr):
        return False
    for command in (['spin', '-a', 'm.pml'],
                    ['gcc', '-O1', '-w', '-DNOREDUCE', '-DNOCLAIM', '-DSAFETY', '-DVECTORSZ=8192',
                     '-o', 'pan', 'pan.c']):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if not check(f'{name}: {command[0]}', done.returncode == 0, done.stdout + done.stderr):
            return True
    output = subprocess.run(['./pan', '-m1000000', '-c0'], cwd=folder, capture_output=True,
                            text=True).stdout
    stored = re.search(r'(\d+) states, stored', output)
    check(f'{name} in Spin: states', stored and int(stored.group(1)) - 1 == naive['states'], output)
    check(f'{name} in Spin: deadlock', ('errors: 0' not in output) == (naive['deadlocks'] > 0),
          output)
    return True


def random_models():
    spins, count = 0, 400 if LONG else 12
    for seed in range(1 + 100000 * SEED, 1 + 100000 * SEED + count):
        name = f'seed {seed}'
        model = write('random.cairn',
                      tool('random_code', str(seed), *(['wild'] if seed % 7 == 0 else []),
                           *(['small'] if seed % 3 == 0 else [])))
        naive = json.loads(tool('naive', model) or '{}')
        if not check(f'{name} is searched', naive.get('states')) or naive['states'] > 3000:
            continue
        explicit(name, model, naive)
        symbolic(name, model, naive)
        verdicts(name, model, naive, 'explicit')
        first, second = verdicts(name, model, naive, 'symbolic'), verdicts(name, model, naive,
            'bounded')
        for key in set(first) & set(second):
            check(f'{name} {key}: two engines',
                  'unknown' in (first[key], second[key]) or first[key] == second[key],
                  (first[key], second[key]))
        in_smv(name, model, naive)
        if naive['states'] < 300:
            in_aiger(name, model, naive)
        if naive['initial_states'] == 1 and spins < max(3, count / 8):
            spins += in_spin(name, model, naive)
    check('some were searched in Spin', spins >= (3 if LONG else 1), spins)


def fiacre_programs():
    """Symbolically and as text: the same counts as explicitly."""
    count = 200 if LONG else 6
    for seed in range(1 + 100000 * SEED, 1 + 100000 * SEED + count):
        model, text, again = write('random.fcr',
                                   draw(seed, False)[0]), path('first.cairn'), path('second.cairn')
        status, naive = run_json('explore', model, '-q', '--engine', 'explicit')
        if not naive or not naive['complete'] or naive['states'] > 20000:
            continue
        naive['runtime_errors'] = naive['statistics']['runtime_errors']
        symbolic(f'program {seed}', model, naive)
        done = run('translate', model, '--to', 'cairn', '-o', text), run('translate', text, '--to',
            'cairn', '-o', again)
        if (check(f'program {seed} as text', not done[0].returncode and not done[1].returncode,
                  done[1].stderr)):
            with open(text, encoding='utf-8') as first, open(again, encoding='utf-8') as second:
                check(f'program {seed} as text, again', first.read() == second.read())
            status, ours = run_json('explore', text, '-q', '--engine', 'explicit')
            check(f'program {seed} read from text',
                  ours and [ours[key] for key in COUNTS] == [naive[key] for key in COUNTS], status)


HEAD = ('cairn 1\nmodel "m" ranged\nsource "m.src"\nvariable "x" 0..1000000 = 0\nvariable "y" '
        '0..1000000 = any\n')
ENDLESS = write('endless.cairn',
                HEAD
                + 'rule "count" part global do while (lt "x" "y") at 3:4 set "x" (within range '
                '0..1000000 (add 0 "x" 1)) at 4:5 end end\nproperty "p" invariant formula (eq "x" '
                '0)\n')
TIMED = write('timed.cairn',
              'cairn 1\nmodel "m"\nvariable "x" 0..1 = 0\nrule "r" part global when (eq "x" 0) set '
              '"x" 1 interval [1, 2]\n')
CLOCKS = write('clocks.cairn',
               'cairn 1\nmodel "m"\nclock "c"\nvariable "x" 0..1 = 0\nrule "r" part global when '
               '(eq "x" 0) set "x" 1\n')


def refused(name, wanted, *arguments):
    result = run(*arguments, program=ASAN)
    check(f'{name}: status', result.returncode == 2 and not crashed(result),
          f'{result.returncode} {result.stderr}')
    check(f'{name}: reason', wanted in result.stderr, result.stderr)


def refusals():
    for engine in ('symbolic', 'bounded'):
        refused(f'a loop for the {engine} engine',
                f"the rule 'count' cannot be turned into conditions for the {engine} engine",
                'check', ENDLESS, '--engine', engine)
    check('where the loop is',
          'm.src:3:4: error:' in run('check', ENDLESS, '--engine', 'symbolic').stderr
          or 'm.src:4:5: error:' in run('check', ENDLESS, '--engine', 'symbolic').stderr)
    for form in ('promela', 'smv', 'ord', 'aiger', 'aag'):
        refused(f'a loop to {form}', f"cannot be turned into conditions for {form}", 'translate',
                ENDLESS, '--to', form)
    refused('a loop to dimacs', 'cannot be turned into conditions for dimacs', 'translate', ENDLESS,
            '--to', 'dimacs', '-p', 'p', '--bound', '2')
    for model in (TIMED, CLOCKS):
        for engine in ('explicit', 'symbolic', 'bounded'):
            refused(f'time in the {engine} engine',
                    'clocks or time intervals: only the timed engine knows time (--engine timed)',
                    'check', model, '--engine', engine)
        for form in ('promela', 'smv', 'ord', 'aiger', 'aag'):
            refused(f'time to {form}', 'the model has clocks or time intervals', 'translate', model,
                    '--to', form)
        refused('time to dimacs', 'the model has clocks or time intervals', 'translate', model,
                '--to', 'dimacs', '-p', 'deadlock', '--bound', '2')
        check('time as text', run('translate', model, '--to', 'cairn').returncode == 0)
    wide = write('wide.cairn',
                 'cairn 1\nmodel "m" ranged\nvariable "x" -3000000..3000000 = 0\nrule "r" part '
                 'global when (lt (mul 0 "x" "x") 5) set "x" 1\n')
    for form in ('promela', 'smv'):
        refused(f'numbers beyond {form}', 'a sum or product may be too large', 'translate', wide,
                '--to', form)


FAILS = write('fails.cairn', '''cairn 1
model "fails" ranged
source "fails.src"
process "p" type "P" pc "p.pc" at 1:1
  location 0 "idle"
variable "p.pc" of "p" 0..1 = 0
variable "x" 0..7 = 0
variable "q" 0..255 = 250
variable "a[0]" 0..3 = 0
variable "a[1]" 0..3 = 1
local "i" 0..7
rule "up" part "p" at 4:1 when (eq "p.pc" 0) at 4:2
  do
    set (local "i") "x" at 5:1
    set (at "a[0]" 2 (within index 0..1 (local "i"))) 1 at 6:3
    set "x" (within range 0..7 (add 0 "x" 1)) at 7:3
  end
rule "grow" part "p" at 9:1 when (eq "p.pc" 0) at 9:2
  do
    require (lt "x" 1) at 10:3
    set "q" (within range 0..255 (add 0 "q" 3)) at 11:3
  end
rule "stuck" part "p" at 12:1 when (choose (gt "x" 1) (lt (at "a[0]" 2 (mod 0 "x" 2)) 1) false) at \
12:2
property "cells" invariant formula (implies (gt "x" 1) (ne (at "a[0]" 2 (mod 0 "x" 2)) 1))
property "chosen" invariant formula (choose (lt "x" 2) true (eq "q" 0))
''')


def explanations():
    for engine in ('explicit', 'symbolic', 'bounded'):
        told = run('check', FAILS, '--engine', engine).stdout
        for piece in ('a[x % 2] != 1 is false: x = 2, a[0] = 1', 'q == 0 is false: q = 250',
                      'x < 2 is false: x = 2', 'it fails: index 2 outside 0..1 at fails.src:6',
                      'its code requires what is not true at fails.src:10: x < 1',
                      'a[x % 2] < 1 is false: x = 2, a[0] = 1',
                      'value 256 outside 0..255 at fails.src:11'):
            check(f'{engine}: {piece}', piece in told, told)
    head = ('cairn 1\nmodel "m" ranged\nsource "m.src"\nvariable "x" 1..9 = 3\nrule "r" part '
            'global do ')
    for what, reason in (('set "x" (fail full) at 1:1', 'the queue is full'),
                         ('set "x" (choose (eq "x" 3) (fail empty) 1) at 1:1',
                          'the queue is empty'), ('while true at 1:1 end', 'the loop does not end'),
                         ('set "x" (within range 1..9 (mul 0 "x" (mul 0 9223372036854775807 "x"))) '
                          'at 1:1', 'a number does not fit in 64 bits'),
                         ('set "x" (within range 1..9 (div 0 4 (sub 0 "x" 3))) at 1:1',
                          'division by zero'),
                         ('set "x" (fail range) at 1:1', 'value outside its range'),
                         ('set "x" (fail index) at 1:1', 'index outside its range')):
        model = write('fails2.cairn', head + what + ' end\n')
        told = run('simulate', model, '-i', stdin='q\n', program=ASAN).stdout
        check(f'simulate: {reason}', f'the step [r] fails here: {reason}' in told, told)
        told = run('check', model, '--engine', 'explicit', program=ASAN).stdout
        check(f'check: {reason}', f'{reason} at m.src:1' in told, told)


section(random_models)
section(fiacre_programs)
section(refusals)
section(explanations)
finish()
