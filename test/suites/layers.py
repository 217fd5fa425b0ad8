"""Includes only point down, siblings never see each other, headers compile alone, names tell their
file, files stay readable."""
import glob
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, check, finish

# Bottom first; entries of one row are siblings. A folder belongs to the row with its longest
# prefix.
LAYERS = [['base'], ['solver', 'automaton/activity', 'automaton/guide', 'automaton/buchi'],
          ['model'], ['context'], ['result'], ['lang/common', 'lang/kit'],
          ['lang/milestones', 'lang/cairn', 'lang/fiacre', 'lang/uppaal', 'lang/tck', 'lang/cdl',
           'lang/xgdl', 'lang/ltl', 'automaton'],
          ['lang'], ['bits', 'program', 'pass', 'graph'], ['reduce', 'past', 'native'],
          ['clauses', 'search'],
          ['engine/explicit', 'engine/symbolic', 'engine/bounded', 'engine/timed', 'export'],
          ['run'], ['report'], ['serve', 'lsp'], ['cli', 'lib'], ['doors', 'mpi'], ['']]
# The door of the command line asks run/ for everything, and stays small.
CLI_MAY_INCLUDE = ('cli', 'run', 'report', 'base')
CLI_MAX_LINES = 4200

# A name that other files see (a function, a type of a header) begins with the name of its file.
# FILE_PART.c is a part of the module FILE;
# a table of things has their plural (term_seq, terms_init). In these folders, which are one module
# each, the folder's name serves as well.
MODULES = ['solver/dd', 'solver/zone', 'engine/symbolic', 'lang/cdl', 'lang/fiacre',
           'lang/milestones', 'lang/tck', 'lang/uppaal', 'lang/xgdl', 'program', 'report',
           'model', 'lsp', 'native']
# Headers that are the vocabulary of everything above them: their types are words of the domain.
VOCABULARIES = ['model/model.h', 'model/code.h', 'context/context.h', 'result/result.h',
                'program/program.h', 'lang/uppaal/scope.h']
# Further words of single headers: things that a module deals in besides the one it is named after.
# Their functions begin with them, too.
WORDS = {
    'base/diag.h': 'place source diagnostic', 'base/mem.h': 'arena', 'base/text.h': 'names',
    'bits/circuit.h': 'gate lit', 'clauses/unroll.h': 'step_kind schedule unrolling',
    'clauses/watch.h': 'watcher', 'engine/symbolic/encode.h': 'encoded_rule encoding',
    'engine/symbolic/evidence.h': 'walk', 'engine/symbolic/partial.h': 'part',
    'engine/symbolic/temporal.h': 'shown', 'export/names.h': 'naming number_span numbers',
    'lang/common/lexer.h': 'token tokens lexis', 'model/expr.h': 'failure',
    'pass/hide.h': 'hiding', 'program/dispatch.h': 'comparison', 'program/layout.h': 'field',
    'reduce/process_model.h': 'unsafe_reason', 'report/machine.h': 'simulation',
    'result/value.h': 'shown', 'run/ask.h': 'engine split', 'cli/options.h': 'when command',
    'cli/door.h': 'screen', 'solver/dd/dd.h': 'bdd', 'search/space.h': 'worker',
    'search/findings.h': 'monitor', 'search/search.h': 'lot', 'solver/zone/bound.h': 'dbm_bound'}
# What is not yet as it should be. This list only shrinks: a row, or a word of it, that is not
# needed is a failure.
NOT_YET = {
    'lang/cairn/reader.h': 'term frame late_pc function',
    'lang/fiacre/inline.c': 'function',
    'lang/fiacre/lower.c': 'emit complain_types env constructor',
    'lang/fiacre/scope.h': 'plural binding env constructor function port instance component group '
    'init_stage lowering step_kind path '
                           'dead_steps',
    'lang/fiacre/statements.c': 'pattern case_branch lower function',
    'lang/milestones/expression.c': 'parse', 'lang/milestones/parse.c': 'parser',
    'lang/milestones/scope.h': 'type_scope meaning'}
# Asserts and checks per 1,000 lines of a folder, at least; the longest prefix decides. Each states
# an invariant or a contract.
ASSERTS = {'': 3, 'automaton': 10, 'bits': 10, 'clauses': 10, 'engine': 10, 'graph': 10,
           'past': 10, 'program': 10, 'search': 10, 'solver': 10}
MAX_LINES = 1200
MAX_WIDTH = 100
# Scripts with wider lines. This list only shrinks.
WIDE_NOT_YET = []


def layer(path):
    best = None
    for number, row in enumerate(LAYERS):
        for folder in row:
            inside = folder == '' or path.startswith(folder + '/')
            if inside and (best is None or len(folder) > len(best[1])):
                best = (number, folder)
    return best


def seen_names(name, text):
    """The names that a file gives to others: functions that are not static, and in a header also
    static ones, and types."""
    is_header = name.endswith('.h')
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    text = re.sub(r'__attribute__\(\([^;]*?\)\)(?=[;{ ])', '', text, flags=re.S)
    text = re.sub(r'(?m)^#(.*\\\n)*.*$', '', text)
    for head, function in re.findall(r'(?m)^((?:[A-Za-z_][\w ]*?[ *])+?)(\w+)\([^;{}]*\)\s*\{',
                                     text):
        if is_header or not re.search(r'\bstatic\b', head):
            yield function, False
    if is_header:
        for pattern in (r'(?m)^(?:typedef )?(?:struct|enum|union) (\w+) \{', r'(?m)^\} (\w+);',
                        r'(?m)^typedef [^{};]*?(\w+)(?:\([^;]*\))?;'):
            for kind in re.findall(pattern, text):
                yield kind, True


def begins_with(name, word):
    forms = {word, word + 's', word + 'es', word.removesuffix('s')}
    return any(name == form or name.startswith(form + '_') for form in forms)


def check_names(name, text, used):
    folder, stem = os.path.split(name[:-2])
    words = [stem, stem.split('_')[0]] + ([os.path.basename(folder)] if folder in MODULES else [])
    further = WORDS.get(os.path.join(folder, stem + '.h'), '').split()
    for seen, is_type in seen_names(name, text):
        if (any(begins_with(seen, word) for word in words + further)
            or (is_type and name in VOCABULARIES)):
            continue
        late = [word for word in NOT_YET.get(name, '').split() if begins_with(seen, word)]
        used.update((name, word) for word in late)
        check(f'{name}: the name {seen} tells its file', late,
              f'it should begin with {" or ".join(dict.fromkeys(words))}')


def begins_its_file(name):
    """Whether the C file of a header begins with it: then the header compiles alone."""
    path = os.path.join(source, name[:-1] + 'c')
    if not os.path.exists(path):
        return False
    with open(path, encoding='utf-8') as file:
        first = re.search(r'(?m)^ *#.*$', file.read())
    return first is not None and first[0] == f'#include "{name}"'


def check_asserts():
    counts = {}
    for path in glob.glob(os.path.join(source, '**', '*.[ch]'), recursive=True):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        count = counts.setdefault(os.path.dirname(os.path.relpath(path, source)), [0, 0])
        count[0] += len(re.findall(r'\b(?:assert|CHECKED)\(', text))
        count[1] += text.count('\n')
    for folder, (asserts, lines) in counts.items():
        least = ASSERTS[max((prefix for prefix in ASSERTS if folder.startswith(prefix)), key=len)]
        check(f'{folder}/ has {least} asserts per 1,000 lines', 1000 * asserts >= least * lines,
              f'{asserts} in {lines} lines')


source = os.path.join(ROOT, 'src')
written = [path for folder in ('src', 'test/unit', 'test/tools')
           for path in sorted(
    glob.glob(os.path.join(ROOT, folder, '**', '*.[ch]'), recursive=True))]
scripts = sorted(glob.glob(os.path.join(ROOT, 'test', '**', '*.py'), recursive=True))
for path in written + scripts:
    name = os.path.relpath(path, ROOT)
    with open(path, encoding='utf-8') as file:
        wide = [number for number, line in enumerate(file, 1)
                if len(line.rstrip('\n')) > MAX_WIDTH]
    if name.removeprefix('test/').removesuffix('.py') in WIDE_NOT_YET:
        check(f'{name} still needs its row in WIDE_NOT_YET', wide, 'remove it from the list')
        continue
    check(f'{name} has at most {MAX_WIDTH} columns', not wide, f'lines {wide[:9]}')
layout = subprocess.run(['clang-format', '--dry-run', *written], cwd=ROOT, capture_output=True,
                        text=True)
check('the layout tool would change nothing (clang-format -i)',
      layout.returncode == 0 and not layout.stderr, layout.stderr[:2000])
names_not_yet = set()
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
            check(f'{name} includes {included} from where it may',
                  included.split('/')[0] in CLI_MAY_INCLUDE)
    check_names(name, text, names_not_yet)
    for word in ('TODO', 'FIXME', 'XXX '):
        check(f'{name} has no {word}', word not in text)
    if name.endswith('.c'):
        second = subprocess.run(
            ['clang', '-std=c11', '-D_GNU_SOURCE', '-fsyntax-only', '-Wall', '-Wextra', '-Wshadow',
             '-Werror', '-I', source, path],
            capture_output=True, text=True)
        check(f'{name} compiles with clang without a warning', second.returncode == 0,
              second.stderr)
    if name.endswith('.h') and not begins_its_file(name):
        alone = subprocess.run(
            ['gcc', '-std=c11', '-D_GNU_SOURCE', '-fsyntax-only', '-I', source, '-x', 'c', path],
            capture_output=True, text=True)
        check(f'{name} compiles alone', alone.returncode == 0, alone.stderr)
check_asserts()
with open(os.path.join(ROOT, 'ARCHITECTURE.md'), encoding='utf-8') as file:
    page = file.read()
for folder in (folder for row in LAYERS for folder in row if folder):
    check(f'ARCHITECTURE.md has a row for {folder}/', re.search(rf'(?m)^\|[^|]*`{folder}/`', page))
with open(os.path.join(ROOT, 'CONTRIBUTING.md'), encoding='utf-8') as file:
    listed = ' '.join(re.findall(r'(?m)^\|([^|]*)\|', file.read().split('## Tests at a glance')[1]))
for path in sorted(glob.glob(os.path.join(ROOT, 'test', 'suites', '*.py'))):
    suite = os.path.basename(path)[:-3]
    check(f'CONTRIBUTING.md has one row for the suite {suite}', listed.count(f'`{suite}`') == 1)
for name, words in NOT_YET.items():
    for word in words.split():
        check(f'{name} still needs "{word}" in NOT_YET', (name, word) in names_not_yet,
              'remove it from the list')

def places(pattern):
    """Lines of the sources that have this."""
    found = []
    for path in glob.glob(os.path.join(source, '**', '*.c'), recursive=True):
        with open(path, encoding='utf-8') as file:
            found += [os.path.relpath(path, source) for line in file if re.search(pattern, line)]
    return found


loops = places(r'\bprogram_next\(')
check('one loop goes through the rules of a state', loops == ['search/space.c'], loops)
modes = places(r'[!=]= &\w+_order\b')
check('nobody asks a search which order it has', not modes, modes)
door = 0
for path in glob.glob(os.path.join(source, 'cli', '*.[ch]')):
    with open(path, encoding='utf-8') as file:
        door += file.read().count('\n')
check(f'cli/ has at most {CLI_MAX_LINES} lines', door <= CLI_MAX_LINES, door)
finish()
