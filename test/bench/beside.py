"""Cairn beside the tools that are installed here: the same model, written in their language, the
same question, one after the other on this machine; CPU seconds of the whole process.

    Spin      all states, one thread, without reduction         (its verifier alone)
    LTSmin    all states, one thread (prom2lts-mc, spins)
    NuSMV     all states, as decision diagrams, in the order that Cairn writes for it
    ABC       one property of single states (pdr)

A tool that is not in PATH has no rows. Each run has LIMIT CPU seconds (20 unless told); where one
does not end, the ratio says that it is more than so many. Prints one table, the ratios first.
TChecker is in timed.py.
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT

LIMIT = int(os.environ.get('LIMIT') or 20)
PHILS = 'examples/philosophers/phils.mil'
PC = 'examples/producer-consumer/pc.mil'
PETERSON = 'examples/peterson/peterson-n.mil'
EXPLICIT = [(PHILS, 'n=12'), (PETERSON, 'n=4'), (PC, 'm=3')]
SYMBOLIC = [(PHILS, 'n=20'), (PC, 'm=7'), ('examples/turntable/tt.mil', 'n=10')]
PROPERTIES = [(PHILS, 'n=8', 'one_fork_one_owner'), (PETERSON, 'n=3', 'mutex'),
              ('examples/szymanski/szymanski.mil', 'n=3', 'mutex'), (PC, 'm=2', 'exclusive'),
              (PC, 'm=20', 'bounded')]


def found(*names):
    return next((name for name in names if shutil.which(name)), None)


def timed(command, cwd=ROOT):
    """(CPU seconds, or None when it did not end, output)"""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return (None if done.returncode < 0 else seconds), done.stdout + done.stderr


def translate(model, constants, to, name, folder, *more):
    subprocess.run([CAIRN, 'translate', model, *constants, '--to', to, '-q', '-o',
                    os.path.join(folder, name), *more], check=True, cwd=ROOT, capture_output=True)


def number(pattern, output):
    match = re.search(pattern, output)
    return float(match.group(1).replace(',', '')) if match else None


# ---- the others: seconds, and what they say: a number of states, or a verdict ----

def spin(model, constants, _, folder):
    translate(model, constants, 'promela', 'm.pml', folder)
    subprocess.run(['spin', '-a', 'm.pml'], cwd=folder, check=True, capture_output=True)
    subprocess.run(['gcc', '-O2', '-DNOREDUCE', '-DNOCLAIM', '-DSAFETY', '-DVECTORSZ=4096',
                    '-DMEMLIM=4000', '-w', '-o', 'pan', 'pan.c'], cwd=folder, check=True)
    seconds, output = timed(['./pan', '-m10000000', '-w22', '-c0'], folder)
    states = number(r'(\d+) states, stored', output)
    return seconds, states and states - 1


def ltsmin(model, constants, _, folder):
    translate(model, constants, 'promela', 'm.pml', folder)
    subprocess.run(['spins', 'm.pml'], cwd=folder, check=True, capture_output=True)
    seconds, output = timed(['prom2lts-mc', 'm.pml.spins', '--threads=1', '--strategy=bfs'], folder)
    return seconds, number(r'(\d+) states', output)


def nusmv(model, constants, _, folder):
    translate(model, constants, 'smv', 'm.smv', folder)
    with open(os.path.join(folder, 'script'), 'w') as script:
        script.write('read_model -i m.smv\nflatten_hierarchy\nencode_variables -i m.ord\n'
                     'build_model\nprint_reachable_states\nquit\n')
    seconds, output = timed(['NuSMV', '-source', 'script'], folder)
    return seconds, number(r'reachable states: ([\d.e+]+)', output)


def abc(model, constants, name, folder):
    translate(model, constants, 'aiger', 'm.aig', folder, '-p', name)
    script = 'read_aiger m.aig; logic; undc; strash; zero; fold; pdr'
    seconds, output = timed([found('berkeley-abc', 'abc'), '-q', script], folder)
    verdict = ('holds' if 'Property proved' in output
               else 'violated' if 'was asserted' in output else None)
    return seconds, verdict


# ---- ours ----

def explore(model, constants, _, engine):
    seconds, output = timed([CAIRN, 'explore', model, *constants, '--engine', engine, '--json',
                             '-q'])
    return seconds, seconds and int(json.loads(output)['states'])


def check(model, constants, name, _):
    seconds, output = timed([CAIRN, 'check', model, *constants, '-p', name, '--json', '-q'])
    return seconds, seconds and json.loads(output)['properties'][0]['verdict']


def is_same(ours, theirs):
    if isinstance(ours, str) or theirs is None:
        return ours == theirs
    return abs(ours - theirs) <= 1e-4 * ours    # NuSMV prints few digits


def compare(tool, how, mine, engine, model, size, name=None):
    constants = ['-D', size]
    ours, said = mine(model, constants, name, engine)
    with tempfile.TemporaryDirectory() as folder:
        try:
            theirs, answered = how(model, constants, name, folder)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f'{tool} on {model}: {error}', file=sys.stderr)
            return
    ratio = ('' if ours is None or (theirs is None and ours > LIMIT)
             else f'> {LIMIT / ours:.0f}' if theirs is None else f'{theirs / ours:.1f}')
    same = '' if ours is None or theirs is None else 'yes' if is_same(said, answered) else 'NO'
    what = (f'{os.path.basename(model).split(".")[0]} {size}' + (f' {name}' if name else ''))
    shown = f'{said:.3e}' if isinstance(said, int) and said >= 10 ** 9 else (
        f'{said:,}' if isinstance(said, int) else said or '')
    print(f'| {tool} | {what} | {ratio} | {"-" if ours is None else f"{ours:.3f}"} | '
          f'{"-" if theirs is None else f"{theirs:.3f}"} | {shown} | {same} |', flush=True)


def main():
    print('| beside | model | times as fast | Cairn CPU s | its CPU s | states, or verdict | '
          'the same |')
    print('|---|---|---|---|---|---|---|')
    for tool, needed, how, mine, engine, rows in (
            ('Spin', 'spin', spin, explore, 'explicit', EXPLICIT),
            ('LTSmin', 'prom2lts-mc', ltsmin, explore, 'explicit', EXPLICIT),
            ('NuSMV', 'NuSMV', nusmv, explore, 'symbolic', SYMBOLIC),
            ('ABC', found('berkeley-abc', 'abc') or 'abc', abc, check, None, PROPERTIES)):
        if not shutil.which(needed):
            print(f'{tool} is not in PATH', file=sys.stderr)
            continue
        for row in rows:
            compare(tool, how, mine, engine, *row)


if __name__ == '__main__':
    main()
