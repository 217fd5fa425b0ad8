"""Exports in Spin: the same number of states (Spin has one more, before the initial values are set)
and the same answer about deadlocks, for the examples with one initial state and for random models;
the same verdicts of the LTL formulas of the examples."""
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, ROOT, SEED, check, finish, path, run, run_json, write
from generate import generate

EXAMPLES = [('running/running.mil', []), ('peterson/peterson.mil', []),
            ('peterson/peterson-n.mil', ['-D', 'n=3']),
            ('szymanski/szymanski.mil', []), ('philosophers/phils.mil', []),
            ('producer-consumer/pc.mil', []),
            ('producer-consumer/pc.mil', ['-D', 'm=2']), ('turntable/tt.mil', []),
            ('cash-point/cp.mil', ['-D', 'tills=1']),
            ('cash-point/cp.mil', ['-D', 'tills=2'])]


def in_spin(model, constants):
    """(states, whether there is an invalid end state), or None with a reason."""
    folder = path('spin')
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    done = run('translate', model, *constants, '--to', 'promela', '-o',
               os.path.join(folder, 'm.pml'))
    if done.returncode:
        return None, done.stderr
    for command in (['spin', '-a', 'm.pml'],
                    ['gcc', '-O0', '-w', '-DNOREDUCE', '-DNOCLAIM', '-DSAFETY', '-DVECTORSZ=8192',
                     '-o', 'pan', 'pan.c']):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return None, done.stdout + done.stderr
    output = subprocess.run(['./pan', '-m1000000', '-c0'], cwd=folder, capture_output=True,
                            text=True).stdout
    match = re.search(r'(\d+) states, stored', output)
    errors = re.search(r'errors: (\d+)', output)
    if not match or not errors or 'max search depth too small' in output:
        return None, output
    return (int(match.group(1)) - 1, int(errors.group(1)) > 0), ''


def compare(name, model, constants):
    ours = run_json('explore', model, '-q', *constants)[1]
    if ours['initial_states'] != 1 or ours['statistics']['runtime_errors']:
        return False
    theirs, reason = in_spin(model, constants)
    if 'cannot be translated' in reason: # numbers that Promela does not have
        return False
    if check(f'{name} runs in Spin', theirs, reason):
        check(f'{name} states', theirs[0] == ours['states'],
              f'Spin {theirs[0]}, Cairn {ours["states"]}')
        check(f'{name} deadlock', theirs[1] == (ours['deadlocks'] > 0))
    return True


def compare_ltl(model, constants):
    """The verdicts of LTL formulas without X, which Spin checks as never claims; -E: a deadlock is
    not what we ask about here."""
    name = ' '.join([model, *constants])
    model = os.path.join(ROOT, 'examples', model)
    ours = run_json('check', model, '-q', *constants)[1]
    folder = path('ltl')
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    run('translate', model, *constants, '--to', 'promela', '-o', os.path.join(folder, 'm.pml'))
    for command in (['spin', '-a', 'm.pml'],
                    ['gcc', '-O0', '-w', '-DNOREDUCE', '-DVECTORSZ=8192', '-o', 'pan', 'pan.c']):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if (not check(f'{name} compiles with its formulas', done.returncode == 0,
                      done.stdout + done.stderr)):
            return
    for item in ours['properties']:
        if item['kind'] != 'ltl':
            continue
        output = subprocess.run(['./pan', '-m1000000', '-a', '-E', '-N', item['name']], cwd=folder,
                                capture_output=True, text=True).stdout
        errors = re.search(r'errors: (\d+)', output)
        verdict = 'unknown' if not errors else 'violated' if int(errors.group(1)) else 'holds'
        check(f'{name} {item["name"]} in Spin', verdict == item['verdict'],
              f'Spin: {verdict}, Cairn: {item["verdict"]}')


LTL_EXAMPLES = [('running/running.mil', []), ('peterson/peterson.mil', []),
                ('peterson/peterson-n.mil', ['-D', 'n=3']),
                ('szymanski/szymanski.mil', ['-D', 'n=2']),
                ('philosophers/phils.mil', ['-D', 'n=3']), ('producer-consumer/pc.mil', []),
                ('turntable/tt.mil', []), ('cash-point/cp.mil', ['-D', 'tills=1'])]
for model, constants in LTL_EXAMPLES:
    compare_ltl(model, constants)
for model, constants in EXAMPLES:
    compare(' '.join([model, *constants]), os.path.join(ROOT, 'examples', model), constants)
compared, seed, wanted = 0, 500000 + 1000 * SEED, 200 if LONG else 6
while compared < wanted:
    seed += 1
    compared += compare(f'seed {seed}', write('spin.mil', generate(seed)), [])
finish()
