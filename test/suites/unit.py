"""C tests of single modules, with sanitizers, in the ordinary and the degenerate variant; decision
diagrams against BuDDy; and the oracle's own tests."""
import glob
import os
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, ROOT, SEED, check, finish

TESTS = sorted(os.path.basename(path)[:-2]
               for path in glob.glob(os.path.join(ROOT, 'test', 'unit', '*.c')))
# What they test has no tables that the degenerate build makes small: twice only with LONG.
ONCE = (() if LONG
        else ('bits', 'bounded', 'circuits', 'combine', 'conclude', 'diag', 'fiacre', 'flatten',
              'forecast', 'hide', 'kit', 'lasso', 'library', 'pattern', 'planted', 'runs', 'sat',
              'sort', 'text', 'uppaal', 'values', 'wire'))
# Random sequences of operations on decision diagrams, the same in BuDDy: how many, and how long. A
# failure names its seed: build/MODE/tools/dd_buddy SEED 1 STEPS.
DIAGRAMS = {'asan': (10, 120), 'degenerate': (2, 120), 'release': (40, 150)}


def count(name, words):
    """Runs a program that counts its own results."""
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    lines = result.stdout.strip().splitlines()
    last = lines[-1] if lines else ''
    if (check(f'{name} ends', result.returncode in (0, 1) and ' passed, ' in last,
              result.stdout[-800:] + result.stderr[-1500:])):
        words = last.split()
        check(f'{name}', words[2] == '0', '\n'.join(lines[:20]))


def build(mode, programs):
    """By one make, which has to look at all sources; if it fails, by one for each."""
    paths = [f'build/{mode}/{program}' for program in programs]
    make = ['make', '-s', f'MODE={mode}']
    together = subprocess.run([*make, *paths], cwd=ROOT, capture_output=True, text=True)
    for path in paths:
        built = together if together.returncode == 0 else subprocess.run(
            [*make, path], cwd=ROOT, capture_output=True, text=True)
        check(f'{path} builds', built.returncode == 0, built.stderr)


for mode, (sequences, steps) in DIAGRAMS.items():
    tests = [test for test in TESTS
             if mode == 'asan' or mode == 'degenerate' and test not in ONCE]
    build(mode, [f'test/{test}' for test in tests] + ['tools/dd_buddy'])
    for test in tests:
        count(f'{test} ({mode})', [f'build/{mode}/test/{test}'])
    count(f'diagrams against BuDDy ({mode})',
          [f'build/{mode}/tools/dd_buddy', str(1 + 100000 * SEED),
           str(sequences * (50 if LONG else 1)), str(steps)])
count('the oracle itself', [sys.executable, 'test/oracle/selftest.py'])
finish()
