"""Includes only point down, siblings never see each other, headers compile alone, files stay readable."""
import glob
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, check, finish

# Bottom first; entries of one row are siblings. A folder belongs to the row with its longest prefix.
LAYERS = [['base'], ['solver', 'automaton'], ['model'], ['context'], ['result'], ['lang/common'], ['lang/milestones', 'lang/cairn', 'lang/fiacre', 'lang/cdl', 'lang/xgdl', 'logic'], ['lang'], ['bits', 'program', 'pass', 'graph'], ['reduce', 'past'],
          ['engine/explicit', 'engine/symbolic', 'engine/bounded', 'engine/timed', 'export'], ['run'], ['report'], ['cli', 'lib'], ['']]
MAX_LINES = 1200
MAX_WIDTH = 100
MAX_DOOR = 3500


def layer(path):
    best = None
    for number, row in enumerate(LAYERS):
        for folder in row:
            inside = folder == '' or path.startswith(folder + '/')
            if inside and (best is None or len(folder) > len(best[1])):
                best = (number, folder)
    return best


source = os.path.join(ROOT, 'src')
written = [path for folder in ('src', 'test/unit', 'test/tools')
           for path in sorted(glob.glob(os.path.join(ROOT, folder, '**', '*.[ch]'), recursive=True))]
for path in written:
    with open(path, encoding='utf-8') as file:
        wide = [number for number, line in enumerate(file, 1) if len(line.rstrip('\n')) > MAX_WIDTH]
    check(f'{os.path.relpath(path, ROOT)} has at most {MAX_WIDTH} columns', not wide, f'lines {wide[:9]}')
layout = subprocess.run(['clang-format', '--dry-run', *written], cwd=ROOT, capture_output=True, text=True)
check('the layout tool would change nothing (clang-format -i)', layout.returncode == 0 and not layout.stderr, layout.stderr[:2000])
for path in sorted(glob.glob(os.path.join(source, '**', '*.[ch]'), recursive=True)):
    name = os.path.relpath(path, source)
    number, folder = layer(name)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    check(f'{name} has a layer of its own', folder != '' or name in ('main.c', 'cairn.h'))
    check(f'{name} has at most {MAX_LINES} lines', text.count('\n') <= MAX_LINES, text.count('\n'))
    for included in re.findall(r'#include "([^"]+)"', text):
        other, other_folder = layer(included)
        good = other < number or other_folder == folder
        check(f'{name} may include {included}', good, 'it points up or sideways')
        if folder == 'cli':
            check(f'{name} is a door: {included}', included.split('/')[0] in ('cli', 'run', 'report', 'base'), 'it includes run/, report/ and base/ only')
    for word in ('TODO', 'FIXME', 'XXX '):
        check(f'{name} has no {word}', word not in text)
    if name.endswith('.c'):
        second = subprocess.run(['clang', '-std=c11', '-D_GNU_SOURCE', '-fsyntax-only', '-Wall', '-Wextra', '-Wshadow', '-Werror', '-I', source, path],
                                capture_output=True, text=True)
        check(f'{name} compiles with clang without a warning', second.returncode == 0, second.stderr)
    if name.endswith('.h'):
        alone = subprocess.run(['gcc', '-std=c11', '-D_GNU_SOURCE', '-fsyntax-only', '-I', source, '-x', 'c', path], capture_output=True, text=True)
        check(f'{name} compiles alone', alone.returncode == 0, alone.stderr)
door = 0
for path in glob.glob(os.path.join(source, 'cli', '*.[ch]')):
    with open(path, encoding='utf-8') as file:
        door += file.read().count('\n')
check(f'cli/ has at most {MAX_DOOR} lines', door <= MAX_DOOR, door)
finish()
