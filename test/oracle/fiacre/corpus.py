#!/usr/bin/env python3
"""Compares the reference exploration with the known figures of the corpus; prints one line per
model and `N passed, N failed`.

    corpus.py [--corpus DIR] [--most N] [--seconds N] [NAME ...]

Takes the `verified` rows with at most --most states (default 60000), or the named models.  A
`published` row only has states and transitions without self loops.  Models that exceed --seconds
(default 600) are neither passed nor failed.
"""
import argparse
import csv
import os
import sys

if __package__ in (None, ''):
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from fiacre.explore import explore

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.environ.get('CORPUS', os.path.join(HERE, '..', '..', '..', '..', 'shared', 'corpus'))
FIGURES = ('states', 'transitions', 'transitions_no_selfloop', 'deadlocks')
# Models of the folder cdl with figures in the corpus' README.
CDL = {'AliceBobMeetPeterson': {'states': 10, 'transitions': 16},
       'LamportCorrect_280116': {'states': 11, 'transitions': 18},
       'Lamport83Figure5': {'states': 11, 'transitions': 27}}


def rows(corpus):
    with open(os.path.join(corpus, 'fiacre', 'beem', 'known.csv'), encoding='utf-8') as file:
        for row in csv.DictReader(file):
            known = {figure: int(row[figure]) for figure in FIGURES if row[figure]}
            yield row['model'], os.path.join(corpus, 'fiacre', 'beem',
                                             row['model'] + '.fcr'), known, row['status']
    for name, known in CDL.items():
        yield name, os.path.join(corpus, 'cdl', name + '.fcr'), known, 'verified'


def main():
    parser = argparse.ArgumentParser(
        description='Reference exploration against the known figures of the corpus.')
    parser.add_argument('names', nargs='*')
    parser.add_argument('--corpus', default=CORPUS)
    parser.add_argument('--most', type=int, default=60000)
    parser.add_argument('--seconds', type=float, default=600)
    options = parser.parse_args()
    if not os.path.isdir(options.corpus):
        print('the corpus is not here: skipped')
        print('0 passed, 0 failed')
        return 0
    passed = failed = 0
    for name, path, known, status in rows(options.corpus):
        if (name not in options.names if options.names else status != 'verified'
            or known['states'] > options.most):
            continue
        with open(path, encoding='utf-8') as file:
            got = explore(file.read(), seconds=options.seconds)
        good = (all(got[figure] == value for figure, value in known.items())
                and not got['failing_pairs'])
        verdict = ('same' if good else 'DIFFERS') if got['complete'] else 'out of time'
        passed, failed = passed + (verdict == 'same'), failed + (verdict == 'DIFFERS')
        print(f'{name:22} {" ".join(f"{got[figure]:>9}" for figure in FIGURES)} '
              f'{got["seconds"]:>8}s  {verdict}'
              + (f' known {known} failing {got["failing_pairs"]} {got["errors"]}'
                 if verdict == 'DIFFERS' else ''), flush=True)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
