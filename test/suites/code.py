"""Random models with code, arrays, exact arithmetic, failures and priorities (test/tools/random_code.c): engines and exports against a naive search with the reference evaluator
(test/tools/naive.c): counts, run-time errors, invariants. What cannot be flattened, and what has time, is refused with a reason."""
import json
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, LONG, ROOT, SEED, check, crashed, finish, path, run, run_json, write
sys.path.insert(0, os.path.join(ROOT, 'test', 'tools'))
import aiger
import smv

COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks')
for tool in ('naive', 'random_code'):
    subprocess.run(['make', '-s', f'build/release/tools/{tool}'], cwd=ROOT, check=True)


def tool(name, *arguments):
    return subprocess.run([os.path.join(ROOT, 'build/release/tools', name), *arguments], capture_output=True, text=True, timeout=120).stdout


def symbolic(name, model, naive):
    for options in ((), ('--order', 'bfs'), ('--order', 'chaining'), ('--relation', 'monolithic'))[:1 + 3 * (naive['states'] < 200)]:
        status, ours = run_json('explore', model, '-q', '--engine', 'symbolic', *options, program=CAIRN if options else ASAN)
        if not check(f'{name} {options} explores', ours and ours['complete'], status):
            continue
        check(f'{name} {options} counts', [ours[key] for key in COUNTS] == [naive[key] for key in COUNTS], [ours[key] for key in COUNTS])
        check(f'{name} {options} run-time errors', ours['statistics']['runtime_errors'] == naive['runtime_errors'], ours['statistics']['runtime_errors'])


def verdicts(name, model, naive, engine):
    """Checks invariants and built-in properties; returns all verdicts."""
    expected = dict(naive['invariants'], deadlock='violated' if naive['deadlocks'] else 'holds', **{'runtime-error': 'violated' if naive['runtime_errors'] else 'holds'})
    status, ours = run_json('check', model, '-q', '--engine', engine, '--time', '20s')
    if not check(f'{name} {engine} checks', ours is not None, status):
        return {}
    found = {item['name']: item['verdict'] for item in ours['properties']}
    for key, verdict in expected.items():
        good = found[key] == ('unknown' if verdict == 'error' else verdict) or (engine == 'bounded' and found[key] == 'unknown')
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
        check(f'{name} in smv: in other versions', smv.System(done.stdout).search(downwards=True) == (states, transitions, initial, deadlocks, holds))
    except smv.Problem as problem:
        check(f'{name} in smv', False, problem)
        return
    check(f'{name} in smv: counts', [states, transitions, initial, deadlocks] == [naive[key] for key in COUNTS], [states, transitions, initial, deadlocks])
    for key, value in holds.items():
        check(f'{name} in smv: {key}', value == (naive['invariants'][key] == 'holds'), value)


def in_aiger(name, model, naive):
    done = run('translate', model, '--to', 'aag', '-q')
    if not check(f'{name} to aag', done.returncode == 0, done.stderr):
        return
    graph = aiger.read(done.stdout.encode())
    latches = [i for i in range(len(graph.latches)) if re.fullmatch(r'v\d+\.\d+', graph.names['l', i])]
    inputs = [i for i in range(graph.inputs) if graph.names['i', i].startswith('rule[')]
    found = len(aiger.Search(graph, inputs, latches, []).distance)
    check(f'{name} in aiger: states', found == naive['states'], found)
    distances = aiger.bad_distances(graph)
    for i, distance in enumerate(distances):
        key = graph.names['b', i]
        expected = {'deadlock': naive['deadlocks'] > 0, 'runtime-error': naive['runtime_errors'] > 0}.get(key, naive['invariants'].get(key) == 'violated')
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
    for command in (['spin', '-a', 'm.pml'], ['gcc', '-O1', '-w', '-DNOREDUCE', '-DNOCLAIM', '-DSAFETY', '-DVECTORSZ=8192', '-o', 'pan', 'pan.c']):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if not check(f'{name}: {command[0]}', done.returncode == 0, done.stdout + done.stderr):
            return True
    output = subprocess.run(['./pan', '-m1000000', '-c0'], cwd=folder, capture_output=True, text=True).stdout
    stored = re.search(r'(\d+) states, stored', output)
    check(f'{name} in Spin: states', stored and int(stored.group(1)) - 1 == naive['states'], output)
    check(f'{name} in Spin: deadlock', ('errors: 0' not in output) == (naive['deadlocks'] > 0), output)
    return True


def random_models():
    spins, count = 0, 400 if LONG else 40
    for seed in range(1 + 100000 * SEED, 1 + 100000 * SEED + count):
        name = f'seed {seed}'
        model = write('random.cairn', tool('random_code', str(seed), *(['wild'] if seed % 7 == 0 else []), *(['small'] if seed % 3 == 0 else [])))
        naive = json.loads(tool('naive', model) or '{}')
        if not check(f'{name} is searched', naive.get('states')) or naive['states'] > 3000:
            continue
        symbolic(name, model, naive)
        first, second = verdicts(name, model, naive, 'symbolic'), verdicts(name, model, naive, 'bounded')
        for key in set(first) & set(second):
            check(f'{name} {key}: two engines', 'unknown' in (first[key], second[key]) or first[key] == second[key], (first[key], second[key]))
        in_smv(name, model, naive)
        if naive['states'] < 300:
            in_aiger(name, model, naive)
        if naive['initial_states'] == 1 and spins < count / 8:
            spins += in_spin(name, model, naive)
    check('some were searched in Spin', spins >= 3, spins)


HEAD = 'cairn 1\nmodel "m" ranged\nsource "m.src"\nvariable "x" 0..1000000 = 0\nvariable "y" 0..1000000 = any\n'
ENDLESS = write('endless.cairn', HEAD + 'rule "count" part global do while (lt "x" "y") at 3:4 set "x" (within range 0..1000000 (add 0 "x" 1)) at 4:5 end end\nproperty "p" invariant formula (eq "x" 0)\n')
TIMED = write('timed.cairn', 'cairn 1\nmodel "m"\nvariable "x" 0..1 = 0\nrule "r" part global when (eq "x" 0) set "x" 1 interval [1, 2]\n')
CLOCKS = write('clocks.cairn', 'cairn 1\nmodel "m"\nclock "c"\nvariable "x" 0..1 = 0\nrule "r" part global when (eq "x" 0) set "x" 1\n')


def refused(name, wanted, *arguments):
    result = run(*arguments, program=ASAN)
    check(f'{name}: status', result.returncode == 2 and not crashed(result), f'{result.returncode} {result.stderr}')
    check(f'{name}: reason', wanted in result.stderr, result.stderr)


def refusals():
    for engine in ('symbolic', 'bounded'):
        refused(f'a loop for the {engine} engine', f"the rule 'count' cannot be turned into conditions for the {engine} engine", 'check', ENDLESS, '--engine', engine)
    check('where the loop is', 'm.src:3:4: error:' in run('check', ENDLESS, '--engine', 'symbolic').stderr or 'm.src:4:5: error:' in run('check', ENDLESS, '--engine', 'symbolic').stderr)
    for form in ('promela', 'smv', 'ord', 'aiger', 'aag'):
        refused(f'a loop to {form}', f"cannot be turned into conditions for {form}", 'translate', ENDLESS, '--to', form)
    refused('a loop to dimacs', 'cannot be turned into conditions for dimacs', 'translate', ENDLESS, '--to', 'dimacs', '-p', 'p', '--bound', '2')
    for model in (TIMED, CLOCKS):
        for engine in ('explicit', 'symbolic', 'bounded'):
            refused(f'time in the {engine} engine', 'the model has clocks or time intervals: use --engine timed', 'check', model, '--engine', engine)
        for form in ('promela', 'smv', 'ord', 'aiger', 'aag', 'dot', 'aut'):
            refused(f'time to {form}', 'the model has clocks or time intervals', 'translate', model, '--to', form)
        refused('time to dimacs', 'the model has clocks or time intervals', 'translate', model, '--to', 'dimacs', '-p', 'deadlock', '--bound', '2')
        refused('time in the simulator', 'the model has clocks or time intervals', 'simulate', model)
        check('time as text', run('translate', model, '--to', 'cairn').returncode == 0)
    wide = write('wide.cairn', 'cairn 1\nmodel "m" ranged\nvariable "x" -3000000..3000000 = 0\nrule "r" part global when (lt (mul 0 "x" "x") 5) set "x" 1\n')
    for form in ('promela', 'smv'):
        refused(f'numbers beyond {form}', 'a sum or product may be too large', 'translate', wide, '--to', form)


random_models()
refusals()
finish()
