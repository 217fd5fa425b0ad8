"""C tests of single modules, with sanitizers, in the ordinary and the degenerate variant; decision
diagrams against BuDDy; and the oracle's own tests."""
import glob
import os
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, ROOT, SEED, check, finish


def count(name, result):
    lines = result.stdout.strip().splitlines()
    last = lines[-1] if lines else ''
    if (check(f'{name} ends', result.returncode in (0, 1) and ' passed, ' in last,
              result.stdout[-800:] + result.stderr[-1500:])):
        words = last.split()
        check(f'{name}', words[2] == '0', '\n'.join(lines[:20]))


# What they test has no tables that the degenerate build makes small: twice only with LONG.
ONCE = (() if LONG
        else ('bits', 'bounded', 'circuits', 'combine', 'conclude', 'diag', 'fiacre', 'flatten',
              'hide', 'kit', 'lasso', 'library', 'pattern', 'planted', 'runs', 'sat', 'sort',
              'text', 'uppaal', 'values', 'wire'))
for path in sorted(glob.glob(os.path.join(ROOT, 'test', 'unit', '*.c'))):
    test = os.path.basename(path)[:-2]
    for mode in ('asan',) if test in ONCE else ('asan', 'degenerate'):
        built = subprocess.run(['make', '-s', f'MODE={mode}', f'build/{mode}/test/{test}'],
                               cwd=ROOT, capture_output=True, text=True)
        if check(f'{test} builds ({mode})', built.returncode == 0, built.stderr):
            count(f'{test} ({mode})',
                  subprocess.run([os.path.join(ROOT, f'build/{mode}/test/{test}')],
                                 capture_output=True, text=True))
# Random sequences of operations on decision diagrams, the same in BuDDy. A failure names its seed:
# build/MODE/tools/dd_buddy SEED 1 STEPS.
for mode, sequences, steps in (('asan', 10, 120), ('degenerate', 2, 120), ('release', 60, 150)):
    program = f'build/{mode}/tools/dd_buddy'
    built = subprocess.run(['make', '-s', f'MODE={mode}', program], cwd=ROOT, capture_output=True,
                           text=True)
    if check(f'dd_buddy builds ({mode})', built.returncode == 0, built.stderr):
        sequences *= 50 if LONG else 1
        count(f'diagrams against BuDDy ({mode})',
              subprocess.run(
            [os.path.join(ROOT, program), str(1 + 100000 * SEED), str(sequences), str(steps)],
            capture_output=True, text=True))
count('the oracle itself',
      subprocess.run([sys.executable, os.path.join(ROOT, 'test/oracle/selftest.py')],
                     capture_output=True, text=True))
finish()
