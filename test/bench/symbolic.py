"""The symbolic engine on the case studies of the thesis: every order, relation and reduction,
beside the thesis' own tables (published.py).

One run per cell, one after the other, CPU seconds of the whole process. A cell ends after LIMIT CPU
seconds (10 unless told: make bench LIMIT=60) or MEMORY (3G); then it is "-", and so is everything
larger with the same method, without being tried, and the variants 2 and 3 of PE where variant 1
did not end, and properties where exploration did not end. The saturation table takes the best of
five runs, since its times are near those of starting a process. Prints the tables of
docs/benchmarks.md on standard output, progress on standard error.

Checks on the way: all unreduced methods must find the same number of states, all methods the same
verdict. Where they do not, the cell says DIFFERENT.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT
from published import PEERS, PROPERTIES, THESIS

LIMIT = int(os.environ.get('LIMIT') or 10)
MEMORY = os.environ.get('MEMORY') or '3G'

FULL = [('labelled', 'BFS labelled', ['--order', 'bfs', '--relation', 'labelled']),
        ('monolithic', 'BFS label-free', ['--order', 'bfs', '--relation', 'monolithic']),
        ('chaining', 'chaining', ['--order', 'chaining']),
        ('saturation', 'saturation', ['--order', 'saturation'])]
REDUCED = [('pe1', 'PE 1', ['--reduce', 'por', '--keep', 'ctl', '--variant', '1']),
           ('pe2', 'PE 2', ['--reduce', 'por', '--keep', 'ctl', '--variant', '2']),
           ('pe3', 'PE 3', ['--reduce', 'por', '--keep', 'ctl', '--variant', '3']),
           ('dead', 'PE(dead)', ['--reduce', 'deadlock']),
           ('improviso', 'ImProviso', ['--reduce', 'improviso']),
           ('one', 'PE 1 label-free',
            ['--reduce', 'por', '--keep', 'ctl', '--variant', '1', '--relation', 'monolithic'])]
METHODS = FULL + REDUCED
CHECKS = [('forward', 'forward', ['--direction', 'forward']),
          ('backward', 'backward', ['--direction', 'backward'])] + REDUCED[:3]
NEEDS = {'forward': 'saturation', 'backward': 'saturation', 'pe1': 'pe1', 'pe2': 'pe2',
         'pe3': 'pe3'}

MODELS = {'pc': ('Producers-consumers', 'examples/producer-consumer/pc.mil',
                 [f'm={m}' for m in (1, 2, 3, 4, 10, 20)]),
          'tt': ('Turntable', 'examples/turntable/tt.mil',
                 [f'n={n}' for n in (1, 2, 3, 4, 10, 20, 40, 60)]),
          'tt2': ('Turntable with locations', 'test/bench/turntable-locations.mil',
                  [f'n={n}' for n in (1, 2, 3, 4, 10, 20, 40, 60)]),
          'el': ('Elevators', 'examples/elevator/el.mil',
                 ['users=2 floors=2 bits=1', 'users=2 floors=4 bits=2', 'users=4 floors=2 bits=1',
                  'users=4 floors=12 bits=4']),
          'cp': ('Cash points', 'examples/cash-point/cp.mil', [f'tills={n}' for n in (1, 2, 3, 4)]),
          'phils': ('Philosophers', 'examples/philosophers/phils.mil', ['n=10', 'n=50', 'n=100'])}
EL = ('served_ctl', 'arrives_ctl', 'relief_ctl', 'served_ltl', 'arrives_ltl', 'relief_ltl')
CP = ('two_at_a_time_ctl', 'exclusive_ctl', 'answered_ctl', 'two_at_a_time_ltl', 'exclusive_ltl',
      'answered_ltl')
ASKED = [('pc', ('P1', 'P2'), ('m=2', 'm=7')),
         ('tt', ('p6', 'p11', 'T3'), ('n=10', 'n=20', 'n=40')),
         ('tt2', ('p6', 'p11', 'T3'), ('n=10', 'n=20', 'n=40')),
         ('el', EL, ('users=2 floors=4 bits=2', 'users=4 floors=12 bits=4')),
         ('cp', CP, ('tills=2', 'tills=3', 'tills=4'))]


# ---- measuring ----

def measure(arguments):
    """CPU seconds and the JSON result; None when it did not end within the limits."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryFile('w+') as output:
        child = subprocess.Popen(
            [CAIRN, *arguments, '--engine', 'symbolic', '--memory', MEMORY, '--json', '-q'],
            stdout=output, stderr=subprocess.DEVNULL,
            cwd=ROOT, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            return None
        output.seek(0)
        result = json.load(output)
    return ({'seconds': usage.ru_utime + usage.ru_stime, 'result': result, **result['statistics']}
            if result['complete'] else None)


def arguments_of(key, size):
    return [MODELS[key][1], *(x for definition in size.split() for x in ('-D', definition))]


def say(text):
    print(f'{time.strftime("%H:%M:%S")} {text}', file=sys.stderr, flush=True)


def tell(what, cell):
    say(f'{what}: ' + ('-' if cell is None else f'{cell["seconds"]:.3f} s'))


def explore_all(keys):
    cells = {}
    for key in keys:
        for name, title, options in METHODS:
            gone = False
            for size in MODELS[key][2]:
                gone |= name in ('pe2', 'pe3') and cells[key, size, 'pe1'] is None
                cell = None if gone else measure(['explore', *arguments_of(key, size), *options])
                gone |= cell is None
                cells[key, size, name] = cell
                tell(f'{key} {size} {title}', cell)
    return cells


def check_all(keys, cells):
    answers = {}
    for key, names, sizes in ASKED:
        for property_name in names if key in keys else ():
            for name, title, options in CHECKS:
                gone = False
                for size in sizes:
                    gone |= ((key, size, NEEDS[name]) in cells
                             and cells[key, size, NEEDS[name]] is None)
                    gone |= (name in ('pe2', 'pe3')
                             and answers[key, property_name, size, 'pe1'] is None)
                    cell = (None if gone
                            else measure(
                        ['check', *arguments_of(key, size), '-p', property_name, *options]))
                    gone |= cell is None
                    answers[key, property_name, size, name] = cell
                    tell(f'{key} {size} {property_name} {title}', cell)
    return answers


# ---- tables ----

def number(value):
    if value is None:
        return '-'
    if isinstance(value, str):
        value = value if 'e' in value else int(value)
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f'{value:,.0f}'
    if value < 10 ** 9:
        return f'{value:,}'
    digits = len(str(value)) - 1
    rounded = (value + 5 * 10 ** (digits - 3)) // 10 ** (digits - 2)
    return f'{rounded / 100:.2f}e{digits}'


def seconds(value):
    if value is None or value == '-':
        return '-'
    return f'{value:.3f}' if value < 10 else f'{value:.2f}' if value < 100 else f'{value:,.1f}'


def one_column(names, line):
    """The three variants of PE in one column, where their figures are apart only if they differ."""
    at = names.index('PE 1')
    if line is names:
        return [*names[:at], 'PE 1, 2, 3', *names[at + 3:]]
    found = list(dict.fromkeys(x for x in line[at:at + 3] if x != '-')) or ['-']
    return [*line[:at], '; '.join(found), *line[at + 3:]]


def rows(header, lines, merge=False):
    if merge:
        header, lines = one_column(header, header), [one_column(header, line) for line in lines]
    print('| ' + ' | '.join(header) + ' |')
    print('|' + '---|' * len(header))
    for line in lines:
        print('| ' + ' | '.join(line) + ' |')
    print(flush=True)


def published(key, size, column, show):
    """A figure of the thesis; nothing where it has no such row."""
    line = THESIS[key].get(size)
    return '' if line is None else show(line[column])


def pair(a, b):
    return '-' if a is None else f'{number(float(a))} / {number(b)}'


def of_thesis(key, size, kind, show):
    if kind != 'frontier':
        return [published(key, size, f'{kind} {m}', show) for m in ('bfs', 'dead', 'pe')]
    line = THESIS[key].get(size)
    return ['' if line is None else pair(line[f'average {m}'], line[f'largest {m}'])
            for m in ('bfs', 'dead', 'pe')]


def statistic(cells, key, title, kind, show, methods, ours):
    names = [f'thesis {x}' for x in ('BFS', 'PE(dead)', 'PE')] if THESIS[key] else []
    print(f'**{MODELS[key][0]}: {title}**\n')
    lines = []
    for size in MODELS[key][2]:
        theirs = of_thesis(key, size, kind, show) if names else []
        lines.append([size, *theirs, *(ours(cells[key, size, name]) for name, _, _ in methods)])
    rows(['size', *names, *(t for _, t, _ in methods)], lines, kind != 'seconds')


def field(name, show=number):
    return lambda cell: '-' if cell is None else show(cell[name])


def states_table(cells, key):
    names = [f'thesis {x}' for x in ('BFS', 'PE(dead)', 'PE')] if THESIS[key] else []
    print(f'**{MODELS[key][0]}: states**\n')
    lines = []
    for size in MODELS[key][2]:
        found = {str(cell['result']['states']) for name, _, _ in FULL
                 if (cell := cells[key, size, name])}
        full = ('DIFFERENT ' + ' '.join(sorted(found)) if len(found) > 1 else number(found.pop())
                if found else '-')
        reduced = [number(str(cell['result']['states'])) if (cell := cells[key, size, name])
                   else '-' for name, _, _ in REDUCED]
        lines.append(
            [size, *(of_thesis(key, size, 'states', number) if names else []), full, *reduced])
    rows(['size', *names, 'unreduced', *(t for _, t, _ in REDUCED)], lines, True)


def relation_table(cells, key):
    print(f'**{MODELS[key][0]}: nodes of relations**\n')
    lines = []
    for size in MODELS[key][2]:
        theirs = ([published(key, size, column, number) for column in ('relation', 'rule')]
                  if THESIS[key] else [])
        one = next((cells[key, size, name] for name in ('saturation', 'chaining', 'pe1')
                    if cells[key, size, name]), None)
        lines.append(
            [size, *theirs, field('relation_nodes')(cells[key, size, 'labelled']),
             field('relation_nodes')(cells[key, size, 'monolithic']),
             field('relation_nodes')(one), field('largest_rule_nodes')(one)])
    rows(['size', *(['thesis R', 'thesis largest R_i'] if THESIS[key] else []), 'R labelled',
          'R label-free', 'all R_i together', 'largest R_i'], lines)


def exploration_tables(cells, key):
    print(f'### {MODELS[key][0]}\n')
    steps = [method for method in METHODS if method[0] != 'saturation']
    statistic(cells, key, 'CPU seconds', 'seconds', seconds, METHODS, field('seconds', seconds))
    states_table(cells, key)
    statistic(cells, key, 'post-images', 'post', number, steps, field('post_images'))
    statistic(cells, key, 'nodes of the set of reached states', 'reach', number, METHODS,
              field('reach_nodes'))
    statistic(cells, key, 'nodes of frontiers, average / largest', 'frontier', number, steps,
              lambda cell: '-' if cell is None
              else pair(cell['average_frontier_nodes'], cell['largest_frontier_nodes']))
    relation_table(cells, key)


def verdict_of(answers, key, name, size):
    found = {next(p['verdict'] for p in cell['result']['properties'] if p['name'] == name)
             for check, _, _ in CHECKS if (cell := answers[key, name, size, check])}
    return 'DIFFERENT' if len(found) > 1 else found.pop() if found else '-'


def property_line(answers, key, name, size):
    line = PROPERTIES.get((name, size))
    theirs = ['' if line is None else '' if line[c] is None else seconds(line[c])
              for c in ('nusmv', 'backward', 'forward', 'reduced')]
    nusmv = [line[c] for c in ('nusmv', 'nusmv df', 'nusmv plain') if line and line[c] is not None]
    measured = ' / '.join('' if line is None or line[c] is None else f'{line[c]:g}'
                          for c in ('nusmv df', 'nusmv plain'))
    cells = [answers[key, name, size, check] for check, _, _ in CHECKS]
    ratio = f'{min(nusmv) / cells[0]["seconds"]:.1f}' if nusmv and cells[0] else ''
    return [name, f'{MODELS[key][0].lower()} {size}', verdict_of(answers, key, name, size), *theirs,
            '' if measured == ' / ' else measured,
            *('-' if cell is None else seconds(cell['seconds']) for cell in cells), ratio]


def property_table(answers):
    print('### Properties\n')
    order = sorted(answers, key=lambda k: [a[0] for a in ASKED].index(k[0]))
    lines = [property_line(answers, *triple) for triple in dict.fromkeys(k[:3] for k in order)]
    rows(['property', 'model', 'verdict', 'thesis NuSMV', 'thesis BWD', 'thesis FWD',
          'thesis reduced', 'NuSMV 2.6 -df / plain', *(t for _, t, _ in CHECKS),
          'best NuSMV / forward'], lines)


# ---- saturation ----

def saturation_table():
    """Best of five; what is asked of it stands in the last column."""
    print('### Saturation beside other tools\n')
    best, lines = {}, []
    for (key, size), peers in PEERS.items():
        runs = [measure(['explore', *arguments_of(key, size), '--order', 'saturation'])
                for _ in range(5)]
        cell = min((run for run in runs if run), key=lambda run: run['seconds'], default=None)
        best[key, size] = cell['seconds'] if cell else None
        tell(f'saturation {key} {size}', cell)
        ours = (['-'] * 2 if cell is None
                else [number(str(cell['result']['states'])), seconds(cell['seconds'])])
        experiment = '' if peers[4] is None else f'{peers[4]:.3f}'
        ratio = '' if peers[4] is None or cell is None else f'{cell["seconds"] / peers[4]:.2f}'
        lines.append(
            [f'{MODELS[key][0].lower()} {size}', ours[0], *(p or '' for p in peers[:4]), experiment,
             *ours[1:], ratio])
    rows(['model', 'states', 'NuSMV, action variable', 'NuSMV', 'BuDDy, one relation',
          'BuDDy, chaining', 'saturation experiment', 'Cairn CPU s',
          'Cairn / experiment'], lines)
    if best['pc', 'm=10'] and best['pc', 'm=20']:
        print(f'Producers-consumers from m = 10 to m = 20: '
              f'{best["pc", "m=20"] / best["pc", "m=10"]:.2f} times the CPU seconds.\n', flush=True)


def main():
    keys = [a for a in sys.argv[1:] if a in MODELS] or list(MODELS)
    load = os.getloadavg()[0]
    start = time.time()
    if len(keys) == len(MODELS):
        saturation_table()
    cells = explore_all(keys)
    for key in keys:
        exploration_tables(cells, key)
    property_table(check_all(keys, cells))
    print(f'Limits: {LIMIT} CPU seconds, {MEMORY} of memory per cell; '
          f'{(time.time() - start) / 60:.0f} minutes in all; load average {load:.1f} at the '
          f'beginning, '
          f'{os.getloadavg()[0]:.1f} at the end.')


if __name__ == '__main__':
    main()
