#!/usr/bin/env python3
"""Random acyclic contexts for behavior.fcr: generate.py [--option NUMBER]... > FILE.cdl

Algorithm 2 of the Past-Free[ze] paper: a pool of activities begins with single events; in each of N rounds, sequences and then alternatives of
what is in the pool are added to it; a context is a few members of the pool in parallel. The same seed gives the same file everywhere.
"""
import argparse
import random

PARAMETERS = (  # name, default (those of the paper), meaning
    ('seed', 1, 'of the random numbers'),
    ('N', 2, 'rounds'),
    ('nEvents', 10, 'different events'),
    ('nSeq', 10, 'sequences made in each round'),
    ('nAlt', 10, 'alternatives made in each round'),
    ('nPar', 50, 'contexts'),
    ('maxSeq', 10, 'longest sequence'),
    ('maxAlt', 5, 'most branches of an alternative'),
    ('maxPar', 3, 'most activities in parallel'))


class Dice:
    """Draws from random() alone, the one generator that Python promises to keep as it is."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def number(self, low, high):
        return low + int(self.random() * (high - low + 1))

    def some(self, pool, most):
        """Two to `most` different members of the pool, in random order."""
        left = list(pool)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(self.number(2, most), len(left)))]


def compose(dice, pool, made, count, kind, operator, most):
    """`count` new activities of members of the pool; one that is there already is not made again (the pool is a set)."""
    added = []
    for _ in range(count):
        body = f' {operator} '.join(dice.some(pool, most))
        if body not in made.values():
            name = f'{kind}{sum(each.startswith(kind) for each in made) + 1}'
            made[name] = body
            added.append(name)
    pool += added


def generate(seed, N, nEvents, nSeq, nAlt, nPar, maxSeq, maxAlt, maxPar):
    dice = Dice(seed)
    pool, made = [f'event e{i}' for i in range(1, nEvents + 1)], {}
    for _ in range(N):
        compose(dice, pool, made, nSeq, 'seq', ';', maxSeq)
        compose(dice, pool, made, nAlt, 'alt', '[]', maxAlt)
    lines = [f'event e{i} is {{ send {i} to {{Behavior}}1 }}' for i in range(1, nEvents + 1)]
    lines += [''] + [f'activity {name} is {{ {body} }}' for name, body in made.items()] + ['']
    lines += [f'cdl c{i} is {{ main is {{ {" || ".join(dice.some(pool, maxPar))} }} }}' for i in range(1, nPar + 1)]
    lines += ['', '// Everything at once: 2^n + n 2^(n-1) configurations and n 2^n transitions for n events.']
    lines += [f'cdl all is {{ main is {{ {" || ".join(f"event e{i}" for i in range(1, nEvents + 1))} }} }}']
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, meaning in PARAMETERS:
        parser.add_argument(f'--{name}', type=int, default=default, help=f'{meaning} (default {default})')
    chosen = vars(parser.parse_args())
    print('// Written by generate.py ' + ' '.join(f'--{name} {chosen[name]}' for name, _, _ in PARAMETERS) + '\n')
    print(generate(**chosen), end='')
