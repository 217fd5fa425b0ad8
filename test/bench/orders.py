"""Table 1 of the paper on partitions (Lindström, Pettersson 2006): which share of the execution
orders of examples/scheduling is found in the same memory by the base-line and by partitions.

    python3 test/bench/orders.py              the table, printed
    python3 test/bench/orders.py --write      and written into examples/scheduling/README.md
    python3 test/bench/orders.py 'n=5'        only rows of this size

The base-line is the paper's: ask for a run to the final state, then for one with another p-path,
and so on until there is none, or no memory. Of what it finds the maximal orders count. A question
about p-paths needs them in the state, so the model gets a variable in which each dispatch is a
digit; the search is depth-first, as the paper's was. Limits are shares of the memory in which the
base-line finds all orders. Partitions have the model as it is: `--partition-hidden` is the paper's
method (a p-path at a time), `--partition` the exact one, whose states are compared with those of
breadth-first search.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT

MODEL = os.path.join(ROOT, 'examples', 'scheduling', 'scheduling.mil')
DOCUMENT = os.path.join(ROOT, 'examples', 'scheduling', 'README.md')
SIZES = ('n=5', 'n=6', 'n=6 jitter=6')
SHARES = (1, 2, 4, 8)
FINAL = 'occurred == n & working == 0'
HEADER = ('size', 'memory', 'maximal orders', 'base-line', '`--partition-hidden`',
          '`--partition`: states', 'breadth-first: states')


def asked(model, size, *options):
    defines = [word for each in size.split() for word in ('-D', each)]
    done = subprocess.run([CAIRN, options[0], model, '-q', '--json', *defines, *options[1:]],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f'{options}: status {done.returncode}: {done.stderr[-500:]}')
    return json.loads(done.stdout)


def with_paths(folder):
    """The model with a variable for the p-path: a digit in base 4 for each dispatch."""
    with open(MODEL, encoding='utf-8') as file:
        text = file.read()
    for old, new in ((r'  now      : bits := 0;', '  path : 30 := 0;\n  now      : bits := 0;'),
                     (r': busy := 1; pc := running;',
                      ': busy := 1; path := path * 4 + self + 1; pc := running;')):
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = os.path.join(folder, 'paths.mil')
    with open(file, 'w', encoding='utf-8') as output:
        output.write(text)
    return file


def baseline(model, size, limit):
    """The p-paths that it finds, and whether these are all."""
    found = []
    while True:
        others = ''.join(f' & path != {path}' for path in found)
        result = asked(model, size, 'check', '--find', f'{FINAL}{others}', '--no-deadlock',
                       '-p', 'find[0]', '--order', 'dfs', '--memory', str(limit))
        one = next((each for each in result.get('properties', ()) if each['name'] == 'find[0]'), {})
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


def rows(size, folder):
    model = with_paths(folder)
    orders = int(asked(MODEL, size, 'explore', '--partition', 'run', '--show', 'orders')
                 ['statistics']['execution_orders']['maximal'])
    whole = asked(model, size, 'check', '--find', f'{FINAL} & path == 0', '--no-deadlock', '-p',
                  'find[0]', '--order', 'dfs')['peak_memory_bytes']
    states = asked(MODEL, size, 'explore')['states']
    for share in SHARES:
        limit = whole * 21 // 20 // share
        found, is_complete = baseline(model, size, limit)
        if share == 1: # what no run follows any further; the automaton has counted them, too
            maximal = {path for path in found
                       if not any(is_beginning(path, other) for other in found if other != path)}
            assert is_complete and len(maximal) == orders, (len(maximal), orders)
        hidden = asked(MODEL, size, 'explore', '--partition', 'run', '--partition-hidden',
                       '--memory', str(limit))
        exact, breadth = (asked(MODEL, size, 'explore', *more, '--memory', str(limit)) for more in (
            ('--partition', 'run'), ()))
        row = [f'`{size}`', f'{limit / (1 << 20):.2f} MiB' + (f' (1/{share})' if share > 1 else ''),
               f'{orders:,}', percent(len(maximal.intersection(found)), orders),
               percent(hidden.get('statistics', {}).get('complete_p_paths', 0), orders),
               percent(exact.get('states', 0), states), percent(breadth.get('states', 0), states)]
        print('| ' + ' | '.join(row) + ' |', flush=True)
        yield row


def percent(part, whole):
    return f'{100 * part // whole}%'


def replace(size, found):
    """Rows of this size in the table of the document."""
    with open(DOCUMENT, encoding='utf-8') as file:
        lines = file.read().split('\n')
    begin = next(i for i, line in enumerate(lines) if 'by python3 test/bench/orders.py' in line)
    head = subprocess.run(['git', 'rev-parse', '--short=7', 'HEAD'], cwd=ROOT, capture_output=True,
                          text=True).stdout.strip()
    lines[begin] = re.sub(r', commit \S+', f', commit {head}', lines[begin])
    end = lines.index('<!-- docs: end -->', begin)
    kept = [line for line in lines[begin + 3:end] if not line.startswith(f'| `{size}` |')]
    lines[begin + 3:end] = kept + ['| ' + ' | '.join(row) + ' |' for row in found]
    with open(DOCUMENT, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))


def main():
    chosen = [each for each in sys.argv[1:] if each != '--write'] or SIZES
    print('| ' + ' | '.join(HEADER) + ' |\n' + '|---' * len(HEADER) + '|')
    with tempfile.TemporaryDirectory() as folder:
        for size in chosen:
            found = list(rows(size, folder))
            if '--write' in sys.argv:
                replace(size, found)
    return 0


sys.exit(main())
