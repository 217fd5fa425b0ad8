"""Explicit exploration of the Fiacre models of the corpus, beside the times that the authors' own
tool (OBP 1.4.7, Java, 2014) published for them.

Models one after the other, each several times (--runs, 3), by one thread and by two: the least CPU
seconds of the whole process count, and the least elapsed seconds of two threads, because other
programs can only add to them; states and transitions must be the published ones (their tool does
not count steps that change nothing, so more transitions are right where there are such steps).
Without the corpus there is nothing to measure. Prints the table of docs/benchmarks.md, progress on
standard error. Arguments: --least N states (default 1,000,000), --most N (default 50,000,000),
names of models.

At the end it says which models are explored at less than 20 times their states per second, by one
thread and by two, and exits with 1 when there is one by two threads.
"""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT

FOLDER = os.path.join(os.path.dirname(ROOT), 'shared', 'corpus', 'fiacre', 'beem')
WANTED = 20


def run(name, threads):
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    result = subprocess.run(
        [CAIRN, 'explore', '--engine', 'explicit', '--threads', str(threads), '-q', '--json',
         os.path.join(FOLDER, name + '.fcr')], capture_output=True, text=True)
    after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - started
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (seconds if threads == 1 else elapsed,
            json.loads(result.stdout) if result.stdout else None)


def measure(name, runs, threads):
    return min((run(name, threads) for _ in range(runs)), key=lambda measured: measured[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--least', type=int, default=1000000)
    parser.add_argument('--most', type=int, default=50000000)
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    if not os.path.isdir(FOLDER):
        print('The corpus of Fiacre models is not here.')
        return 0
    with open(os.path.join(FOLDER, 'known.csv'), encoding='utf-8') as file:
        rows = [row for row in csv.DictReader(file) if row['states']
                and options.least <= int(row['states']) <= options.most]
    print('| model | states | transitions | CPU s | states/s | bytes/state | OBP s | OBP states/s '
          '| ratio | two threads, s | ratio |')
    print('|---|---|---|---|---|---|---|---|---|---|---|')
    slow, slow_both, wrong = [], [], []
    for row in rows:
        if options.names and row['model'] not in options.names:
            continue
        seconds, ours = measure(row['model'], options.runs, 1)
        elapsed, both = measure(row['model'], options.runs, 2)
        states, theirs = int(row['states']), float(row['obp_seconds'])
        if (not ours or not both
            or any(found.get('states') != states
                   or found['transitions'] < int(row['transitions_no_selfloop'])
                   for found in (ours, both))):
            wrong.append(row['model'])
            print(f'| {row["model"]} | differs | | | | | | | | | |', flush=True)
            continue
        ratio = theirs / seconds
        if ratio < WANTED:
            slow.append(f'{row["model"]} ({ratio:.1f})')
        if theirs / elapsed < WANTED:
            slow_both.append(f'{row["model"]} ({theirs / elapsed:.1f})')
        print(f'| {row["model"]} | {states:,} | {ours["transitions"]:,} | {seconds:.2f} | '
              f'{states / seconds:,.0f} | {ours["peak_memory_bytes"] / states:.1f} '
              f'| {theirs:.1f} | {states / theirs:,.0f} | {ratio:.1f} | {elapsed:.2f} | '
              f'{theirs / elapsed:.1f} |', flush=True)
        print(f'{row["model"]}: {seconds:.2f} s, {ratio:.0f} times', file=sys.stderr, flush=True)
    print()
    print(f'Different counts: {", ".join(wrong) or "none"}. Below {WANTED} times: '
          f'{", ".join(slow) or "none"}; with two threads: {", ".join(slow_both) or "none"}.')
    return 1 if wrong or slow_both else 0


sys.exit(main())
