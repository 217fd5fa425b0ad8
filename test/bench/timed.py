"""The timed engine: beside TChecker, and how Fischer's protocol grows.

    python3 test/bench/timed.py               both tables, printed
    python3 test/bench/timed.py --write       and written into docs/benchmarks.md
    python3 test/bench/timed.py 'fischer 11'  only this row of the first table; more with commas
    python3 test/bench/timed.py --growth 10   only the second table, up to so many stations

Beside TChecker both programs read the same text (networks.py) and search it breadth-first, zones
covered by inclusion (tck-reach -a covreach), or all of them (-a reach). CPU seconds are of
whole processes, the mean of as many runs as take a second (20 at most). Memory is the largest
resident set, less that of the same program with a model of one state: so programs that bring a
large library with them are not blamed for it. Zones must be as many in both; by inclusion one in a
hundred may differ, because the two read Extra-LU+ differently (docs/timed.md; in fddi, as
test/suites/zones.py shows), and transitions are compared as well. Without tck-reach in PATH its
columns, and those beside them, are left as they are.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT
import networks

MAKE = os.path.join(ROOT, 'examples', 'fischer', 'make.py')
DOCUMENT = os.path.join(ROOT, 'docs', 'benchmarks.md')
OTHER = shutil.which('tck-reach')
KINDS = {'fischer': networks.fischer, 'csmacd': networks.csmacd, 'fddi': networks.fddi,
         'gear': networks.gear}
ROWS = [('fischer 8', 'inclusion'), ('fischer 9', 'inclusion'), ('fischer 10', 'inclusion'),
        ('fischer 11', 'inclusion'), ('csmacd 6', 'inclusion'), ('csmacd 7', 'inclusion'),
        ('csmacd 8', 'inclusion'), ('fddi 5', 'inclusion'), ('gear 1', 'inclusion'),
        ('gear 2', 'inclusion'), ('fischer 8', 'equal'), ('csmacd 6', 'equal'), ('gear 2', 'equal')]
HEADER = ['model', 'zones', 'times faster', 'of the memory', 'symbolic states', 'transitions',
          'CPU s', 'TChecker: CPU s', 'MiB', 'TChecker: MiB', 'the same zones']
NOTHING = 'system:nothing\nprocess:P\nlocation:P:only{initial:}\n'


# ---- one run ----

class Meter:
    """What runs cost (test/tools/measure.c)."""
    def __init__(self, folder):
        self.program, self.file = (os.path.join(folder, name) for name in ('measure', 'cost'))
        subprocess.run([os.environ.get('CC', 'cc').split()[-1], '-O1', '-o', self.program,
                        os.path.join(ROOT, 'test', 'tools', 'measure.c')], check=True)

    def run(self, command):
        """CPU seconds, largest resident set in KiB, what was printed."""
        done = subprocess.run([self.program, self.file, *command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise RuntimeError(f'{" ".join(command)}: status {done.returncode}: '
                               f'{done.stdout[-500:]}')
        with open(self.file, encoding='utf-8') as file:
            seconds, memory = file.read().split()
        return float(seconds), int(memory), done.stdout

    def repeated(self, command):
        """The mean of CPU seconds, the least largest resident set, what was printed."""
        all_seconds, all_memory = [], []
        while not all_seconds or sum(all_seconds) < 1 and len(all_seconds) < 20:
            seconds, memory, printed = self.run(command)
            all_seconds.append(seconds)
            all_memory.append(memory)
        return sum(all_seconds) / len(all_seconds), min(all_memory), printed


def ours(model, zones):
    return [CAIRN, 'check', model, '-q', '--json', '--no-deadlock', '--invariant', 'true',
            '--zones', zones]


def theirs(model, zones):
    return [OTHER, '-a', 'covreach' if zones == 'inclusion' else 'reach', '-s', 'bfs', model]


# ---- beside TChecker ----

def beside(chosen, folder, meter):
    """{(model, zones): cells}; whether all zones agree."""
    nothing = write(folder, 'nothing.tck', NOTHING)
    base = meter.repeated(ours(nothing, 'inclusion'))[1]
    other_base = meter.repeated(theirs(nothing, 'inclusion'))[1] if OTHER else 0
    cells, all_agree = {}, True
    for name, zones in ROWS:
        if chosen and name not in chosen:
            continue
        kind, size = name.split()
        model = write(folder, 'model.tck', KINDS[kind](int(size)))
        seconds, memory, printed = meter.repeated(ours(model, zones))
        result, megabytes = json.loads(printed), (memory - base) / 1024
        row = dict.fromkeys(HEADER, '')
        row.update({'model': name, 'zones': zones, 'symbolic states': f'{result["states"]:,}',
                    'transitions': f'{result["transitions"]:,}', 'CPU s': f'{seconds:.3f}',
                    'MiB': f'{megabytes:.1f}'})
        if OTHER:
            other_seconds, other_memory, printed = meter.repeated(theirs(model, zones))
            other_megabytes = (other_memory - other_base) / 1024
            agree, words = compared(result, zones, printed)
            all_agree &= agree
            row.update({'times faster': f'{other_seconds / seconds:.1f}',
                        'of the memory': f'{100 * megabytes / other_megabytes:.0f}%',
                        'TChecker: CPU s': f'{other_seconds:.3f}',
                        'TChecker: MiB': f'{other_megabytes:.1f}', 'the same zones': words})
        cells[name, zones] = [row[key] for key in HEADER]
        print('| ' + ' | '.join(cells[name, zones]) + ' |', flush=True)
    return cells, all_agree


def compared(result, zones, printed):
    """Whether both searches have the same zones, and what the table says of it."""
    other = {word: int(number) for word, number in re.findall(r'([A-Z_]+) (\d+)\s*$', printed,
                                                              re.MULTILINE)}
    states = other['STORED_STATES' if zones == 'inclusion' else 'VISITED_STATES']
    if states == result['states']:
        return True, 'yes'
    close = (zones == 'inclusion' and other['VISITED_TRANSITIONS'] == result['transitions']
             and abs(states - result['states']) * 100 <= max(100, states))
    return close, f'{states:,}' if close else f'DIFFERENT: {states:,}'


def write(folder, name, text):
    file = os.path.join(folder, name)
    with open(file, 'w', encoding='utf-8') as output:
        output.write(text)
    return file


# ---- how Fischer's protocol grows ----

def growth(most, folder, meter):
    """Rows of the second table."""
    rows = []
    for n in range(2, most + 1):
        model = write(folder, f'fischer{n}.fcr',
                      subprocess.run([sys.executable, MAKE, str(n)], capture_output=True, text=True,
                                     check=True).stdout)
        cells = []
        for zones in ('inclusion', 'equal'):
            seconds, _, printed = meter.run(
                [CAIRN, 'explore', '-q', '--json', '--zones', zones, '--time', '120s', model])
            found = json.loads(printed)
            statistics = found['statistics']
            if not found['complete']:
                cells += ['not in 120 s', '', '']
                continue
            # small graphs are dominated by tables of a fixed first size
            size = (f'{statistics["space_bytes"] / found["states"]:.0f}'
                    if found['states'] > 50000 else '')
            cells += [f'{found["states"]:,} / {found["transitions"]:,}', f'{seconds:.2f}', size]
        rows.append([str(n), f'{statistics["discrete_states"]:,}', *cells,
                     str(statistics['most_clocks']), f'{statistics["zones"]:,}'])
        print('| ' + ' | '.join(rows[-1]) + ' |', flush=True)
    return rows


# ---- the document ----

def replace(marker, rows, key):
    """Rows of the table behind the marker whose first cells (so many) are those of a given one;
    cells that are empty stay as they are."""
    with open(DOCUMENT, encoding='utf-8') as file:
        lines = file.read().split('\n')
    begin = next(i for i, line in enumerate(lines) if f'measured by {marker},' in line)
    end = lines.index('<!-- docs: end -->', begin)
    head = subprocess.run(['git', 'rev-parse', '--short=7', 'HEAD'], cwd=ROOT, capture_output=True,
                          text=True).stdout.strip()
    lines[begin] = re.sub(r', commit \S+', f', commit {head}', lines[begin])
    for row in rows:
        at = next((i for i in range(begin + 3, end)
                   if [cell.strip() for cell in lines[i].split('|')[1:key + 1]] == row[:key]), None)
        if at is None:
            lines.insert(end, '')
            at, end = end, end + 1
        old = [cell.strip() for cell in lines[at].split('|')[1:-1]] or [''] * len(row)
        lines[at] = '| ' + ' | '.join(new or was for new, was in zip(row, old)) + ' |'
    with open(DOCUMENT, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))


def main():
    arguments = [each for each in sys.argv[1:] if each != '--write']
    only_growth = arguments[:1] == ['--growth']
    chosen = [each.strip() for word in arguments for each in word.split(',') if not only_growth]
    all_agree = True
    with tempfile.TemporaryDirectory() as folder:
        meter = Meter(folder)
        if not only_growth:
            if not OTHER:
                print('tck-reach is not in PATH: Cairn alone', file=sys.stderr)
            print('| ' + ' | '.join(HEADER) + ' |\n' + '|---' * len(HEADER) + '|')
            cells, all_agree = beside(chosen, folder, meter)
            if '--write' in sys.argv:
                replace('python3 test/bench/timed.py', list(cells.values()), 2)
        if not chosen:
            print('\n| stations | discrete states | inclusion: states / transitions | CPU s | '
                  'bytes/state | full: states / transitions | CPU s | bytes/state | clocks | '
                  'zones |\n'
                  + '|---' * 10 + '|')
            rows = growth(int(arguments[1]) if only_growth and len(arguments) > 1 else 10, folder,
                          meter)
            if '--write' in sys.argv:
                replace('python3 test/bench/timed.py --growth', rows, 1)
    return 0 if all_agree else 1


sys.exit(main())
