"""Table 1 of the paper on partitions (Lindström, Pettersson 2006): which share of the execution
orders of examples/scheduling is found in the same memory by the base-line and by partitions.

    python3 test/bench/orders.py              the table, printed
    python3 test/bench/orders.py --write      and written into examples/scheduling/README.md
    python3 test/bench/orders.py 'n=5'        only rows of this size
    python3 test/bench/orders.py --dense      the same of scheduling.xml, in dense time

The base-line is the paper's: ask for a run to the final state, then for one with another p-path,
and so on until there is none, or no memory. Of what it finds the maximal orders count. A question
about p-paths needs them in the state, so the model gets a variable in which each dispatch is a
digit; the search is depth-first, as the paper's was, and breadth-first in dense time, where no
other one is for it. Limits are shares of the memory in which the base-line finds all orders.
Partitions have the model as it is: `--partition-hidden` is the paper's method (a p-path at a time),
`--partition` the exact one, whose states are compared with those of breadth-first search. (In dense
time zones are told apart when they are equal: only so are states of both the same ones.)
"""
import json
import os
import re
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT

FOLDER = os.path.join(ROOT, 'examples', 'scheduling')
DOCUMENT = os.path.join(ROOT, 'examples', 'scheduling', 'README.md')
SHARES = (1, 2, 4, 8)
HEADER = ('size', 'memory', 'maximal orders', 'base-line', '`--partition-hidden`',
          '`--partition`: states', 'breadth-first: states')


def asked(model, size, *options):
    defines = [word for each in size.split() for word in ('-D', each)]
    done = subprocess.run([CAIRN, options[0], model, '-q', '--json', *defines, *options[1:]],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f'{options}: status {done.returncode}: {done.stderr[-500:]}')
    return json.loads(done.stdout)


class Discrete:
    mark = 'by python3 test/bench/orders.py,'
    sizes = ('n=5', 'n=6', 'n=6 jitter=6')
    file = 'scheduling.mil'
    edits = (('  now      : bits := 0;', '  path : 30 := 0;\n  now      : bits := 0;'),
             (': busy := 1; pc := running;',
              ': busy := 1; path := path * 4 + self + 1; pc := running;'))
    options = ()

    @staticmethod
    def question(condition):
        return ('--find', f'occurred == n & working == 0 & {condition}', '--no-deadlock', '-p',
                'find[0]', '--order', 'dfs')

    @staticmethod
    def different(paths):
        return ' & '.join(f'path != {path}' for path in paths) or 'path >= 0'


class Dense:
    mark = 'by python3 test/bench/orders.py --dense,'
    sizes = ('n=4',)
    file = 'scheduling.xml'
    edits = (('clock now; ', 'int[0, 1073741823] path; clock now; '),
             ('who = k</label>', 'who = k, path = path * 4 + k + 1</label>'))
    options = ('--zones', 'equal')

    @staticmethod
    def question(condition):
        return ('--query', 'E<> (forall (i : event_t) Event(i).Over) and '
                f'(forall (i : task_t) Task(i).Passive) and {condition}')

    @staticmethod
    def different(paths):
        return ' and '.join(f'path != {path}' for path in paths) or 'path >= 0'


def with_paths(study, folder):
    """The model with a variable for the p-path: a digit in base 4 for each dispatch. What it asks
    itself is left out."""
    with open(os.path.join(FOLDER, study.file), encoding='utf-8') as file:
        text = re.sub(r'<queries>.*</queries>', '', file.read(), flags=re.S)
    for old, new in study.edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    name = os.path.join(folder, 'paths' + os.path.splitext(study.file)[1])
    with open(name, 'w', encoding='utf-8') as output:
        output.write(text)
    return name


def baseline(study, model, size, limit):
    """The p-paths that it finds, and whether these are all."""
    found = []
    while True:
        result = asked(model, size, 'check', *study.options,
                       *study.question(study.different(found)), '--memory', str(limit))
        one = next((each for each in result.get('properties', ())
                    if each['name'] in ('find[0]', 'query[0]')), {})
        if not one.get('trace'):
            return found, result.get('complete', False)
        path = one['trace']['steps'][-1]['state']['path']
        assert path not in found
        found.append(path)


def is_beginning(path, other):
    """Whether the p-path is another one without its last dispatches."""
    while other > path:
        other //= 4
    return other == path


def rows(study, size, folder):
    model, whole_model = with_paths(study, folder), os.path.join(FOLDER, study.file)

    def explored(*more):
        return asked(whole_model, size, 'explore', *study.options, *more)

    orders = int(asked(whole_model, size, 'explore', '--partition', 'run', '--show', 'orders')
                 ['statistics']['execution_orders']['maximal'])
    whole = asked(model, size, 'check', *study.options,
                  *study.question('path == 0'))['peak_memory_bytes']
    states = explored()['states']
    for share in SHARES:
        limit = whole * 21 // 20 // share
        found, is_complete = baseline(study, model, size, limit)
        if share == 1: # what no run follows any further; the automaton has counted them, too
            maximal = {path for path in found
                       if not any(is_beginning(path, other) for other in found if other != path)}
            assert is_complete and len(maximal) == orders, (len(maximal), orders)
        hidden = explored('--partition', 'run', '--partition-hidden', '--memory', str(limit))
        exact, breadth = (explored(*more, '--memory', str(limit)) for more in (
            ('--partition', 'run'), ()))
        row = [f'`{size}`', f'{limit / (1 << 20):.2f} MiB' + (f' (1/{share})' if share > 1 else ''),
               f'{orders:,}', percent(len(maximal.intersection(found)), orders),
               percent(hidden.get('statistics', {}).get('complete_p_paths', 0), orders),
               percent(exact.get('states', 0), states), percent(breadth.get('states', 0), states)]
        print('| ' + ' | '.join(row) + ' |', flush=True)
        yield row


def percent(part, whole):
    return f'{100 * part // whole}%'


def replace(study, size, found):
    """Rows of this size in the table of the document."""
    with open(DOCUMENT, encoding='utf-8') as file:
        lines = file.read().split('\n')
    begin = next(i for i, line in enumerate(lines) if study.mark in line)
    head = subprocess.run(['git', 'rev-parse', '--short=7', 'HEAD'], cwd=ROOT, capture_output=True,
                          text=True).stdout.strip()
    lines[begin] = re.sub(r', commit \S+', f', commit {head}', lines[begin])
    end = lines.index('<!-- docs: end -->', begin)
    kept = [line for line in lines[begin + 3:end] if not line.startswith(f'| `{size}` |')]
    lines[begin + 3:end] = kept + ['| ' + ' | '.join(row) + ' |' for row in found]
    with open(DOCUMENT, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))


def main():
    study = Dense if '--dense' in sys.argv else Discrete
    chosen = [each for each in sys.argv[1:] if not each.startswith('--')] or study.sizes
    print('| ' + ' | '.join(HEADER) + ' |\n' + '|---' * len(HEADER) + '|')
    with tempfile.TemporaryDirectory() as folder:
        for size in chosen:
            found = list(rows(study, size, folder))
            if '--write' in sys.argv:
                replace(study, size, found)
    return 0


sys.exit(main())
