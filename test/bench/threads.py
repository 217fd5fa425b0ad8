"""How much faster searches are with several threads: elapsed time with one and with more, the least
of three runs each, on a machine that should have nothing else to do.

  threads.py                all rows, with two threads
  threads.py --threads 4    with four
  threads.py --names bfs    rows whose name has all these words
"""
import argparse
import os
import subprocess
import sys
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT

# Code that comes during a run would blur what is compared.
NATIVE = os.environ.get('NATIVE', 'never')

LANDING = ('examples/landing-gear/landing.fcr --context examples/landing-gear/contexts.cdl:nominal '
           '-D handles=12')
LOGIN = 'examples/device-login/login.fcr -D n=4 --context examples/device-login/contexts.cdl:hasty4'

# name, what explore is asked, the ratio that two threads are to reach
ROWS = [('philosophers n=14 bfs', 'examples/philosophers/phils.mil -D n=14 --engine explicit', 1.7),
        ('Peterson n=5 bfs', 'examples/peterson/peterson-n.mil -D n=5 --engine explicit', 1.7),
        ('device login hasty4 past-freeze', f'{LOGIN} --order past-freeze', 1.5),
        ('landing gear inclusion', f'{LANDING} --zones inclusion', 1.5),
        ('landing gear past-freeze', f'{LANDING} --zones inclusion --order past-freeze', 1.5)]


def least(words, threads):
    seconds = []
    for _ in range(3):
        begun = time.monotonic()
        subprocess.run([os.path.join(ROOT, 'cairn'), 'explore', *words.split(), '-q', '--native',
                        NATIVE, '--threads', str(threads)], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
        seconds.append(time.monotonic() - begun)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser(description='Elapsed time with one thread and with several.')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--names', default='', help='only rows with all these words')
    options = parser.parse_args()
    wanted = [word for word in options.names.split(',') if word]
    print(f'| search | one thread | {options.threads} threads | ratio | two are to reach |')
    print('|---|---|---|---|---|')
    for name, words, goal in ROWS:
        if all(word in name for word in wanted):
            one, more = least(words, 1), least(words, options.threads)
            print(f'| {name} | {one:.2f} s | {more:.2f} s | {one / more:.2f} | {goal} |',
                  flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
