"""Instructions and memory of two builds, today's and version 0.1 (or --with COMMIT): explore, in
every order that version 0.1 had, on models that are large enough. Instructions do not depend on how
busy the machine is. They are counted by perf where it can, and otherwise by valgrind.

  instructions.py                       the whole table
  instructions.py --names Peterson,dfs  rows whose name has all these words
  instructions.py --list                names of rows
  instructions.py --small               smaller sizes, for a first look
  instructions.py --threads 2           elapsed time with one thread and with several, in both
                                        builds, the best of three runs each

A row with more than 3% more instructions is marked with !, one with more bytes per state with +.
The status is 1 if there is any.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT
from kit import builds

MOST = 1.03
MOST_BYTES = 1.005  # the model itself has grown by some hundred bytes
TELEPHONY = os.path.join(os.path.dirname(ROOT), 'shared/corpus/fiacre/beem/telephony_2.fcr')
LANDING = 'examples/landing-gear/landing.fcr'
NOMINAL = '--context examples/landing-gear/contexts.cdl:nominal'
HASTY = '-D n={0} --context examples/device-login/contexts.cdl:hasty{0}'

# Guides that allow everything: a search by interactions visits the states of the model.
GUIDES = {'philosophers': 'guide g = take_left*; ignore take_right, put_left, put_right;\n',
          'peterson': 'guide g = enter*; ignore want, climb, leave, volunteer, overtaken, look;\n'}

PLAIN = [('bfs', '--engine explicit'), ('dfs', '--engine explicit --order dfs'),
         ('two-phase', '--engine explicit --reduce por'),
         ('partition', '--partition auto')]
HIDDEN = [('partition hidden', '--partition auto --partition-hidden')]
RANKED = [('past-freeze', '--order past-freeze'), ('frozen', '--order past-freeze --freeze FOLDER')]
ROUNDS = [('rounds', '--guide GUIDE --bound auto'),
          ('unrolled past-freeze', '--guide GUIDE --bound {bound} --order past-freeze')]
TIMED = [('inclusion', '--zones inclusion'), ('equal', '--zones equal'),
         ('inclusion past-freeze', '--zones inclusion --order past-freeze'),
         ('equal past-freeze', '--zones equal --order past-freeze'),
         ('inclusion frozen', '--zones inclusion --order past-freeze --freeze FOLDER')]


def rows(small):
    """[(name, words of the command line)]"""
    n, m, handles, devices = (8, 3, 1, 2) if small else (11, 4, 3, 3)
    models = [
        (f'philosophers n={n}', f'examples/philosophers/phils.mil -D n={n}', PLAIN + ROUNDS),
        (f'Peterson n={m}', f'examples/peterson/peterson-n.mil -D n={m}', PLAIN + ROUNDS),
        ('telephony_2', TELEPHONY, PLAIN),
        (f'landing gear handles={handles}', f'{LANDING} {NOMINAL} -D handles={handles}', TIMED),
        ('landing gear pilot', f'{LANDING} -D closed=1 -D sets=1', [
            ('rounds', '--guide examples/guides/landing.xgdl:pilot --bound auto')]),
        (f'device login hasty{devices}', 'examples/device-login/login.fcr ' + HASTY.format(devices),
         PLAIN + RANKED),
        ('philosophers n=4', 'examples/philosophers/phils.mil -D n=4', HIDDEN),  # very many paths
    ]
    found = []
    for name, model, orders in models:
        for order, words in orders:
            guide = 'GUIDE-peterson' if 'Peterson' in name else 'GUIDE-philosophers'
            words = words.format(bound=4).replace('GUIDE', guide) if 'GUIDE' in words else words
            found.append((f'{name} {order}', f'{model} {words}'.split()))
    return found


class Counter:
    """How instructions are counted here."""

    def __init__(self):
        try:
            done = subprocess.run(['perf', 'stat', '-x,', '-e', 'instructions:u', 'true'],
                                  capture_output=True, text=True)
            self.has_perf = done.returncode == 0 and re.search(r'^\d+,', done.stderr, re.MULTILINE)
        except OSError:
            self.has_perf = False

    def name(self):
        return 'perf' if self.has_perf else 'valgrind'

    def count(self, command):
        """(instructions, output)"""
        if self.has_perf:
            done = subprocess.run(['perf', 'stat', '-x,', '-e', 'instructions:u', *command],
                                  capture_output=True, text=True, cwd=ROOT)
            found = re.findall(r'^(\d+),[^,]*,instructions', done.stderr, re.MULTILINE)
        else:
            tool = ['valgrind', '--tool=cachegrind', '--cache-sim=no',
                    '--cachegrind-out-file=/dev/null']
            done = subprocess.run([*tool, *command], capture_output=True, text=True, cwd=ROOT)
            found = re.findall(r'I +refs: +([\d,]+)', done.stderr)
        return sum(int(each.replace(',', '')) for each in found), done


class Bench:
    def __init__(self, options):
        self.options = options
        _, self.old, self.new = builds.both(options.commit)
        self.counter = Counter()
        self.above = 0

    def command(self, program, words, folder):
        empty = tempfile.mkdtemp(dir=folder) + '/frozen'
        words = [empty if word == 'FOLDER' else word for word in words]
        words = [os.path.join(folder, word[6:] + '.xgdl') if word.startswith('GUIDE-') else word
                 for word in words]
        return [program, 'explore', *words, '--json', '-q']

    def measure(self, program, words, folder):
        """(instructions, states, bytes per state), or what the program said instead."""
        count, done = self.counter.count(self.command(program, words, folder))
        try:
            claim = json.loads(done.stdout)
            return count, claim['states'], claim['peak_memory_bytes'] / claim['states']
        except (ValueError, KeyError):
            said = [line for line in done.stderr.splitlines() if not line.startswith('==')]
            return f'status {done.returncode}: {" ".join(said)[:100]}'

    def row(self, name, words, folder):
        old, new = (self.measure(each, words, folder) for each in (self.old, self.new))
        if isinstance(old, str) or isinstance(new, str):
            self.above += isinstance(new, str)
            return f'| {name} | {old if isinstance(old, str) else ""} | {new} | | | | |'
        ratio = new[0] / old[0]
        marks = ' !' * (ratio > MOST), ' +' * (new[2] > MOST_BYTES * old[2])
        self.above += any(marks)
        states = f'{new[1]:,}' if new[1] == old[1] else f'{new[1]:,} (were {old[1]:,})'
        return (f'| {name} | {old[0]:,} | {new[0]:,} | {ratio:.3f}{marks[0]} | {states} '
                f'| {old[2]:.1f} | {new[2]:.1f}{marks[1]} |')

    def elapsed(self, program, words, folder):
        best = None
        for _ in range(3):
            command = self.command(program, words, folder)
            begun = time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
            seconds = time.monotonic() - begun
            if done.returncode == 2:
                return None
            best = seconds if best is None else min(best, seconds)
        return best

    def speed_row(self, name, words, folder):
        cells = []
        for program in (self.old, self.new):
            one = self.elapsed(program, words, folder)
            more = self.elapsed(program, [*words, '--threads', str(self.options.threads)], folder)
            cells.append('refused' if one is None or more is None else
                         f'{one:.2f} s / {more:.2f} s = {one / more:.2f}')
        return f'| {name} | {" | ".join(cells)} |'


def read_options():
    parser = argparse.ArgumentParser(description='Instructions of two builds.')
    parser.add_argument('--with', dest='commit', default=builds.VERSION_0_1)
    parser.add_argument('--names', default='', help='only rows with all these words')
    parser.add_argument('--small', action='store_true')
    parser.add_argument('--threads', type=int, help='elapsed time with so many threads')
    parser.add_argument('--list', action='store_true')
    return parser.parse_args()


def main():
    options = read_options()
    wanted = [word for word in options.names.split(',') if word]
    chosen = [(name, words) for name, words in rows(options.small)
              if all(word in name for word in wanted)
              and (os.path.exists(TELEPHONY) or TELEPHONY not in words)]
    if options.list:
        print('\n'.join(name for name, _ in chosen))
        return 0
    bench = Bench(options)
    if options.threads:
        print(f'| search | one thread / {options.threads}, then | now |\n|---|---|---|')
    else:
        print(f'counted by {bench.counter.name()}; ! above {MOST}, + more bytes per state')
        print('| search | instructions then | now | ratio | states | bytes per state then | now |')
        print('|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory(prefix='cairn-instructions-') as folder:
        for name, text in GUIDES.items():
            with open(os.path.join(folder, f'{name}.xgdl'), 'w', encoding='utf-8') as file:
                file.write(text)
        for name, words in chosen:
            row = bench.speed_row if options.threads else bench.row
            print(row(name, words, folder), flush=True)
    return 1 if bench.above else 0


if __name__ == '__main__':
    sys.exit(main())
