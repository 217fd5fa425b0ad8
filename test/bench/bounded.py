"""The bounded engine on the thesis' case studies: plain search, bounded partial exploration (BPE),
steps of independent rules, proofs by induction; beside the thesis' tables
7.6, 7.8, 7.10, 7.11 and 7.12 and other tools (published.py).

One run per cell, one after the other, CPU seconds of the whole process. A cell is interrupted after
LIMIT CPU seconds (60 unless told: make bench LIMIT=300); then its time is "-" and its k is "> N":
no violation within N steps. What is larger with the same method is not tried then. Memory is what
the process allocated at most, the solver included. Prints the tables of docs/benchmarks.md on
standard output, progress on standard error.

Arguments choose parts: pc (producers-consumers), cp (cash points), el (elevators), phils
(philosophers), proofs.

At the end it says which of the facts hold that these runs must show, and exits with 1 when one does
not. Ratios are taken within one run.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT
from published import BMC, BPE, PHASES, SAT, SAT_PEERS
from symbolic import rows, say

LIMIT = int(os.environ.get('LIMIT') or 60)
LONG = max(300, LIMIT) if LIMIT >= 60 else 4 * LIMIT  # for the largest cell that must end
SHORT = min(40, LIMIT)  # for elevators, cash points and philosophers
PROOF = min(20, LIMIT)
MEMORY = os.environ.get('MEMORY') or '3G'
EIGHT_HOURS = 8 * 3600

PC = 'examples/producer-consumer/pc.mil'
CP = 'examples/cash-point/cp.mil'
EL = 'examples/elevator/el.mil'
PHILS = 'examples/philosophers/phils.mil'
SIZES = (1, 2, 3, 4, 5, 6, 7)
LARGER = SIZES + (10, 20)
TILLS = ('tills=2', 'tills=3', 'tills=4')
TABLES = ('n=5', 'n=10', 'n=15', 'n=50')
ELEVATORS = ('users=2 floors=2 bits=1', 'users=2 floors=4 bits=2', 'users=3 floors=4 bits=2',
             'users=4 floors=12 bits=4')

PLAIN = ['--no-induction']
REDUCED = PLAIN + ['--reduce', 'por', '--phase', '8']
STEPS = PLAIN + ['--reduce', 'steps']
BOTH = STEPS + ['--phase', 'auto']
METHODS = [('BMC', PLAIN), ('BPE', PLAIN + ['--reduce', 'por', '--phase', 'auto']),
           ('steps', STEPS), ('steps, safe ones first', BOTH)]
PROOFS = [('examples/peterson/peterson.mil', '',
           ('mutex', 'no_overtaking', 'no_starvation', 'deadlock')),
          ('examples/peterson/peterson-n.mil', 'n=2', ('mutex', 'no_starvation')),
          ('examples/peterson/peterson-n.mil', 'n=3', ('mutex',)),
          ('examples/szymanski/szymanski.mil', 'n=2', ('mutex', 'no_starvation')),
          (PHILS, 'n=3', ('one_fork_one_owner',)),
          ('examples/turntable/tt.mil', 'n=10', ('rejects', 'deadlock')),
          (PC, 'm=7', ('bounded',)), (PC, 'm=1', ('exclusive', 'tokens')),
          (CP, 'tills=4', ('two_at_a_time_ltl',))]

facts = []


# ---- measuring ----

def cpu_seconds(process):
    """So far, as the system counts them; 0 when it has ended."""
    try:
        with open(f'/proc/{process}/stat') as file:
            fields = file.read().rsplit(')', 1)[1].split()
    except FileNotFoundError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def wait(child, limit):
    """Asks it to end at the limit, and makes it end a little later."""
    while True:
        process, status, usage = os.wait4(child.pid, os.WNOHANG)
        if process:
            child.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        used = cpu_seconds(child.pid)
        if used > limit:
            child.send_signal(signal.SIGKILL if used > limit + 10 else signal.SIGINT)
            time.sleep(0.2)
        time.sleep(0.01)


def measure(model, size, name, options, limit=None):
    """What one run found: a cell."""
    definitions = [x for definition in size.split() for x in ('-D', definition)]
    with tempfile.TemporaryFile('w+') as output:
        child = subprocess.Popen(
            [CAIRN, 'check', model, *definitions, '-p', name, '--engine', 'bounded', *options,
             '--memory', MEMORY, '--json', '-q'], stdout=output,
            stderr=subprocess.DEVNULL, cwd=ROOT)
        seconds = wait(child, limit or LIMIT)
        output.seek(0)
        found = (next((p for p in json.load(output)['properties'] if p['name'] == name), {})
                 if child.returncode in (0, 1, 3) else {})
        output.seek(0)
        memory = json.load(output)['peak_memory_bytes'] if found else 0
    cell = {'ended': child.returncode in (0, 1), 'verdict': found.get('verdict', 'unknown'),
            'seconds': seconds, 'k': found.get('bound'), 'cycles': found.get('cycles'),
            'mb': memory / 1e6, 'method': found.get('method') or '',
            'steps': len(found['trace']['steps']) - 1 if found.get('trace') else None}
    say(f'{os.path.basename(model)} {size} {name} {" ".join(options)}: {cell["verdict"]}, k '
        f'{cell["k"]}, {seconds:.2f} s' + ('' if cell['ended'] else ', interrupted'))
    return cell


def series(model, sizes, name, options, limits={}):
    """By size; those after one that did not end are None."""
    cells, gone = {}, False
    for size in sizes:
        cells[size] = (None if gone
                       else measure(model, size if isinstance(size, str) else f'm={size}', name,
                                    options, limits.get(size)))
        gone |= not gone and not cells[size]['ended']
    return cells


# ---- cells as text ----

def number(value):
    return '-' if value is None else f'{value:,}'


def seconds(value):
    return ('-' if value is None else f'{value:.3f}' if value < 1 else f'{value:.2f}' if value < 100
            else f'{value:,.0f}')


def depth(cell):
    return '-' if cell is None else number(cell['k']) if cell['ended'] else f'> {number(cell["k"])}'


def shown(cell, *keys):
    """k, cycles, seconds, mb."""
    if cell is None:
        return ['-'] * len(keys)
    show = {'k': depth, 'cycles': lambda c: number(c['cycles']) if c['ended'] else '-',
            'seconds': lambda c: seconds(c['seconds']) if c['ended'] else '-',
            'mb': lambda c: f'{c["mb"]:.1f}' if c['mb'] < 10 else f'{c["mb"]:.0f}',
            'verdict': lambda c: c['verdict'], 'method': lambda c: c['method'],
            'steps': lambda c: number(c['steps'])}
    return [show[key](cell) for key in keys]


def ratio(slow, fast, limit):
    """Of two times; slow is None when it took more than the limit."""
    if fast is None:
        return '-'
    value = (slow or limit) / fast
    return ('' if slow else '> ') + (f'{value:.1f}' if value < 10 else f'{value:,.0f}')


def time_of(cell):
    return cell['seconds'] if cell and cell['ended'] else None


def fact(text, good):
    facts.append((text, bool(good)))


# ---- producers and consumers ----

def published(figures, width):
    return ['-'] * width if figures is None else [number(x) for x in figures]


def plain_and_reduced(name, plain, reduced):
    print(f'**{name} (Table {dict(P1="7.10", P2="7.11")[name]})**\n')
    lines = []
    for m in SIZES:
        theirs = BMC[name].get(m), BPE[name][m]
        lines.append(
            [str(m), *published(theirs[0], 3), *published(theirs[1], 4),
             ratio(theirs[0] and theirs[0][1], theirs[1][2], EIGHT_HOURS),
             *shown(plain[m], 'k', 'seconds', 'mb'),
             *shown(reduced[m], 'k', 'cycles', 'seconds', 'mb'),
             ratio(time_of(plain[m]), time_of(reduced[m]), LIMIT)])
    rows(['m', 'thesis BMC k', 's', 'MB', 'thesis BPE k', 'cycles', 's', 'MB', 'BMC / BPE',
          'Cairn BMC k', 'CPU s', 'MB', 'Cairn BPE k', 'cycles', 'CPU s', 'MB', 'BMC / BPE'], lines)


def with_steps(name, reduced, steps, both):
    print(f'**{name} with steps of independent rules**\n')
    lines = [[str(m), *shown(reduced[m], 'k', 'seconds'),
              *shown(steps[m], 'k', 'seconds', 'mb', 'steps'),
              *shown(both[m], 'k', 'cycles', 'seconds', 'mb', 'steps')] for m in LARGER]
    rows(['m', 'BPE k', 'CPU s', 'steps k', 'CPU s', 'MB', 'rules in the trace',
          'steps, safe ones first: k', 'cycles', 'CPU s', 'MB', 'rules in the trace'], lines)


def producers_and_consumers():
    print('### Producers-consumers: BMC and BPE\n')
    found = {}
    for name in ('P1', 'P2'):
        cells = found[name] = {'plain': series(PC, SIZES, name, PLAIN),
                               'reduced': series(PC, LARGER, name, REDUCED),
                               'steps': series(PC, LARGER, name, STEPS, {20: LONG}),
                               'both': series(PC, LARGER, name, BOTH)}
        plain_and_reduced(name, cells['plain'], cells['reduced'])
        with_steps(name, cells['reduced'], cells['steps'], cells['both'])
    return found


def facts_of_sizes(found):
    for name, bounds in (('P1', {1: 10, 2: 18, 3: 26}), ('P2', {1: 26, 2: 44})):
        cells = found[name]
        got = {m: depth(cells['plain'][m]) for m in bounds}
        fact(f'{name}: plain search finds the violation at k = '
             f'{", ".join(map(str, bounds.values()))} for m = {", ".join(map(str, bounds))} '
             f'(found: {", ".join(got.values())})',
             all(got[m] == str(k) for m, k in bounds.items()))
        cycles = {'P1': 2, 'P2': 9}[name]
        fact(f'{name}: BPE with n = 8 needs {cycles} cycles for every m',
             all(c and c['ended'] and c['cycles'] == cycles for c in cells['reduced'].values()))
        k = {'P1': 10, 'P2': 26}[name]
        fact(f'{name}: steps need k = {k} for every m',
             all(c and c['ended'] and c['k'] == k for c in cells['steps'].values()))
        fact(f'{name}: m = 20 ends with steps ({"/".join(shown(cells["steps"][20], "seconds"))} s)',
             time_of(cells['steps'][20]))
    slow, fast = found['P1']['plain'][4], time_of(found['P1']['reduced'][7])
    times = (time_of(slow) or LIMIT) / fast if fast else 0
    fact(f'P1: BPE with m = 7 is at least 20 times faster than plain search with m = 4 '
         f'({ratio(time_of(slow), fast, LIMIT)} times)', times >= 20)


def phases(found):
    """Table 7.12."""
    print('### The number of safe steps (Table 7.12, m = 2)\n')
    for name in ('P1', 'P2'):
        lines = []
        for n, theirs in enumerate(PHASES[name]):
            options = PLAIN + ['--reduce', 'por', '--phase', str(n)]
            cell = found[name]['reduced'][2] if n == 8 else measure(PC, 'm=2', name, options)
            lines.append(
                [str(n), *published(theirs, 4), *shown(cell, 'k', 'cycles', 'seconds', 'mb')])
            same = cell['ended'] and (cell['k'], cell['cycles']) == theirs[:2]
            lines[-1].append('yes' if same else 'no')
        lines.append(
            ['auto', *[''] * 4,
             *shown(measure(PC, 'm=2', name, METHODS[1][1]), 'k', 'cycles', 'seconds', 'mb'), ''])
        print(f'**{name}**\n')
        rows(['n', 'thesis k', 'cycles', 's', 'MB', 'Cairn k', 'cycles', 'CPU s', 'MB',
              'same k and cycles'], lines)


def peers(found):
    print('### Plain search beside other tools\n')
    lines = []
    for (name, m), figures in SAT_PEERS.items():
        cell, (plain, incremental, experiment) = found[name]['plain'][m], figures
        lines.append(
            [f'{name} m={m}', depth(cell), f'{plain:g}', f'{incremental:g}', f'{experiment:g}',
             number(BMC[name].get(m, (None, None))[1]), number(BPE[name][m][2]),
             *shown(cell, 'seconds'),
             *(ratio(t, time_of(cell), None) for t in (plain, incremental, experiment))])
    rows(['', 'k', 'NuSMV', 'NuSMV incremental', 'CaDiCaL experiment', 'thesis BMC', 'thesis BPE',
          'Cairn BMC', 'NuSMV / Cairn', 'incremental / Cairn', 'experiment / Cairn'], lines)


# ---- the other systems ----

def compare(title, model, sizes, name):
    """One property with every method."""
    print(f'### {title}\n')
    if name in SAT:
        print(f'Thesis, in its full size: BMC {SAT[name][0]:,} s, BMC with BPE {SAT[name][1]:,} s, '
              f'NuSMV\'s BMC {SAT[name][2]:,} s.\n')
    cells = {title: series(model, sizes, name, options, dict.fromkeys(sizes, SHORT))
             for title, options in METHODS}
    lines = []
    for size in sizes:
        plain = cells['BMC'][size]
        for title, _ in METHODS:
            cell = cells[title][size]
            gain = ratio(time_of(plain), time_of(cell), SHORT) if cell else '-'
            lines.append(
                [size, title, *shown(cell, 'k', 'cycles', 'seconds', 'mb', 'steps'),
                 '' if title == 'BMC' else gain])
    rows(['size', 'method', 'k', 'cycles', 'CPU s', 'MB', 'rules in the trace', 'BMC / this'],
         lines)


def cash_points():
    compare('Cash points: a double lock (exclusive_ltl, (7.18))', CP, TILLS, 'exclusive_ltl')


def elevators():
    compare('Elevators: starvation (served_ltl, (7.10))', EL, ELEVATORS, 'served_ltl')


def philosophers():
    compare('Philosophers: deadlock', PHILS, TABLES, 'deadlock')


def proofs():
    print('### Proofs by induction\n')
    lines = []
    for model, size, names in PROOFS:
        for name in names:
            cell = measure(model, size, name, [], PROOF)
            lines.append(
                [f'{os.path.basename(model)} {size}'.strip(), name,
                 *shown(cell, 'verdict', 'k', 'method', 'seconds')])
    rows(['model', 'property', 'verdict', 'k', 'method', 'CPU s'], lines)


def tell_facts():
    if not facts:
        return True
    print('### What these runs must show\n')
    for text, good in facts:
        print(f'- {"yes" if good else "NO"}: {text}')
    print(flush=True)
    return all(good for _, good in facts)


def all_of_pc():
    found = producers_and_consumers()
    phases(found)
    peers(found)
    facts_of_sizes(found)


def main():
    parts = {'pc': all_of_pc, 'cp': cash_points, 'el': elevators, 'phils': philosophers,
             'proofs': proofs}
    start, load = time.time(), os.getloadavg()[0]
    for part in [a for a in sys.argv[1:] if a in parts] or parts:
        parts[part]()
    good = tell_facts()
    print(f'Limits: {LIMIT} CPU seconds per cell ({LONG} for steps with m = 20, {SHORT} for cash '
          f'points, elevators and philosophers, {PROOF} for proofs), {MEMORY} of memory; '
          f'{(time.time() - start) / 60:.0f} minutes in all; load average {load:.1f} at the '
          f'beginning, {os.getloadavg()[0]:.1f} at the end.')
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()
