"""Rules as machine code, side by side with version 0.1 (or --with COMMIT), on models with data:
CPU seconds of one run with one thread, the compiler's told apart.

  native.py              the whole table
  native.py --names gear rows whose name has this
  native.py --handles 6  fewer moves of the handle, for a first look
  native.py --runs 3     the least of so many runs

Columns: version 0.1; today with --native never; with --native always, without the compiler; what
the compiler took; then how many times as fast today is, with the compiler counted and without, and
what was asked for. A row counts the same states and transitions in all runs, or says so.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT
from kit import builds

CORPUS = os.path.join(os.path.dirname(ROOT), 'shared/corpus/fiacre/beem')
EXPLICIT = '--engine explicit'


def rows(handles):
    """[(name, least ratio or None, words)]"""
    found = [
        (f'landing gear, nominal, {handles} moves', 4,
         f'examples/landing-gear/landing.fcr --context examples/landing-gear/contexts.cdl:nominal '
         f'-D handles={handles} --order past-freeze'),
        ('device login, hasty4', 2.5,
         'examples/device-login/login.fcr -D n=4 --order past-freeze '
         '--context examples/device-login/contexts.cdl:hasty4'),
        ('leader_election_5', 2, f'{CORPUS}/leader_election_5.fcr {EXPLICIT}'),
        ('telephony_3', None, f'{CORPUS}/telephony_3.fcr {EXPLICIT}'),
        ('philosophers, 14', 1.6, f'examples/philosophers/phils.mil -D n=14 {EXPLICIT}'),
        ('Peterson, 5', 1.6, f'examples/peterson/peterson-n.mil -D n=5 {EXPLICIT}'),
    ]
    return [row for row in found if os.path.exists(os.path.join(ROOT, row[2].split()[0]))]


def measure(program, words, folder, runs):
    """(CPU seconds of the process, of processes that it waited for, states, transitions)"""
    best = None
    for _ in range(runs):
        report = os.path.join(folder, 'times')
        # the shell's `times` tells its own children; the compiler is a child of the program
        command = [sys.executable, '-c', CHILD, report, program, 'explore', *words, '--json', '-q']
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT,
                              env={**os.environ, 'XDG_CACHE_HOME': folder + '/none', 'HOME': ''})
        with open(report, encoding='utf-8') as file:
            own, others = map(float, file.read().split())
        claim = json.loads(done.stdout)
        now = own, others, claim['states'], claim['transitions']
        best = now if best is None or now[0] + now[1] < best[0] + best[1] else best
    return best


# The program's own time: what it had used when it ended, as the system counts it per process
# (fields 14 to 17 of its stat, read before it is waited for).
CHILD = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
fields = open(f'/proc/{process.pid}/stat').read().rsplit(')', 1)[1].split()
tick = os.sysconf('SC_CLK_TCK')
own, others = (int(fields[11]) + int(fields[12])) / tick, (int(fields[13]) + int(fields[14])) / tick
open(sys.argv[1], 'w').write(f'{own} {others}')
sys.exit(process.wait())
"""


def main():
    parser = argparse.ArgumentParser(description='Rules as machine code.')
    parser.add_argument('--with', dest='commit', default=builds.VERSION_0_1)
    parser.add_argument('--names', default='')
    parser.add_argument('--handles', type=int, default=12)
    parser.add_argument('--runs', type=int, default=1)
    options = parser.parse_args()
    _, old, new = builds.both(options.commit)
    print('| model | states | then s | never s | always s | compiler s | ratio | without compiler '
          '| asked for |\n|---|---|---|---|---|---|---|---|---|')
    short = 0
    with tempfile.TemporaryDirectory(prefix='cairn-native-') as folder:
        for name, least, text in rows(options.handles):
            if options.names not in name:
                continue
            words = text.split()
            then = measure(old, words, folder, options.runs)
            never = measure(new, [*words, '--native', 'never'], folder, options.runs)
            always = measure(new, [*words, '--native', 'always'], folder, options.runs)
            same = then[2:] == never[2:] == always[2:]
            ratio, alone = then[0] / (always[0] + always[1]), then[0] / always[0]
            short += not same or (least or 0) > alone
            print(f'| {name} | {always[2]:,}{"" if same else " (differ!)"} | {then[0]:.2f} '
                  f'| {never[0]:.2f} | {always[0]:.2f} | {always[1]:.2f} | {ratio:.2f} '
                  f'| {alone:.2f} | {least or ""} |', flush=True)
    return 1 if short else 0


if __name__ == '__main__':
    sys.exit(main())
