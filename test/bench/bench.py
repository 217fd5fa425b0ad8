"""Cairn beside Spin on the same models (exported Promela), single thread, one run after the other
on this machine.

Spin: full search without reduction (-DNOREDUCE -DSAFETY -O2), time of the verifier alone (its
compilation is listed apart). Both are CPU seconds as the system counts them; the better of RUNS
runs. Bytes per state: Spin's own figure for stored states, without its hash table ("actual memory
usage for states"); for Cairn everything it allocated, hash table included.

Prints the tables of docs/benchmarks.md. --scale adds the cost per state from 10^5 to 10^8 states:
one model, cut at growing depths, so that the work per state stays alike (needs 3 GB and some
minutes).
"""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT

RUNS = int(os.environ.get('RUNS', '2'))
MODELS = [('philosophers', 'examples/philosophers/phils.mil', ['-D', 'n=14']),
          ('Peterson', 'examples/peterson/peterson-n.mil', ['-D', 'n=5']),
          ('producers-consumers', 'examples/producer-consumer/pc.mil', ['-D', 'm=3'])]
SCALE = ('philosophers n=17', 'examples/philosophers/phils.mil', ['-D', 'n=17'],
         (7, 9, 11, 14, 17, 21, None))


def timed(command, **more):
    """Runs a command; returns (CPU seconds, output)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, cwd=more.pop('cwd', ROOT),
                          **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def best(command, **more):
    return min((timed(command, **more) for _ in range(RUNS)), key=lambda pair: pair[0])


def cairn(model, constants):
    seconds, output = best([CAIRN, 'explore', model, *constants, '--json', '-q'])
    result = json.loads(output)
    return {'states': result['states'], 'transitions': result['transitions'], 'seconds': seconds,
            'bytes': result['peak_memory_bytes'] / result['states'],
            'peak': result['peak_memory_bytes']}


def spin(model, constants, folder):
    subprocess.run(
        [CAIRN, 'translate', model, *constants, '--to', 'promela', '-o',
         os.path.join(folder, 'm.pml')], check=True, cwd=ROOT)
    compile_seconds = timed(['spin', '-a', 'm.pml'], cwd=folder)[0]
    flags = ['-O2', '-DNOREDUCE', '-DNOCLAIM', '-DSAFETY', '-DVECTORSZ=4096', '-DMEMLIM=16000',
             '-w']
    compile_seconds += timed(['gcc', *flags, '-o', 'pan', 'pan.c'], cwd=folder)[0]
    seconds, output = best(['./pan', '-m10000000', '-w24', '-c0'], cwd=folder)
    states = int(re.search(r'(\d+) states, stored', output).group(1))
    memory = (re.search(r'([\d.]+)\s+actual memory usage for states', output)
              or re.search(r'([\d.]+)\s+equivalent memory usage for states', output))
    return {'states': states - 1, 'seconds': seconds, 'compile': compile_seconds,
            'bytes': float(memory.group(1)) * 2 ** 20 / states}


def beside_spin():
    print('| model | states | transitions | Cairn CPU s | Cairn states/s | Cairn bytes/state | '
          'Spin CPU s | Spin states/s | Spin bytes/state | speed ratio | memory ratio |')
    print('|---|---|---|---|---|---|---|---|---|---|---|')
    for name, model, constants in MODELS:
        ours = cairn(model, constants)
        with tempfile.TemporaryDirectory() as folder:
            theirs = spin(model, constants, folder)
        same = 'same' if ours['states'] == theirs['states'] else f'DIFFERENT: {theirs["states"]:,}'
        print(f'| {name} {" ".join(constants[1::2])} | {ours["states"]:,} ({same}) | '
              f'{ours["transitions"]:,} | {ours["seconds"]:.2f} | '
              f'{ours["states"] / ours["seconds"]:,.0f} | '
              f'{ours["bytes"]:.1f} | {theirs["seconds"]:.2f} (+ {theirs["compile"]:.1f} to '
              f'compile) | {theirs["states"] / theirs["seconds"]:,.0f} | {theirs["bytes"]:.1f} | '
              f'{theirs["seconds"] / ours["seconds"]:.2f} | {ours["bytes"] / theirs["bytes"]:.2f} '
              f'|', flush=True)


def cost_per_state():
    name, model, constants, bounds = SCALE
    print('| model | depth | states | transitions | ns per transition | bytes per state |')
    print('|---|---|---|---|---|---|')
    for bound in bounds:
        ours = cairn(model, [*constants, *(['--bound', str(bound)] if bound else [])])
        print(f'| {name} | {bound or "all"} | {ours["states"]:,} | {ours["transitions"]:,} | '
              f'{1e9 * ours["seconds"] / ours["transitions"]:.0f} | {ours["bytes"]:.1f} |',
              flush=True)


if __name__ == '__main__':
    beside_spin()
    if '--scale' in sys.argv:
        print()
        cost_per_state()
