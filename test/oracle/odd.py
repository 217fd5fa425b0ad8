#!/usr/bin/env python3
"""Random models in Cairn's own text form, for what Milestones cannot say: ranges that are no power
of two, below zero or of one value, rules without conditions or effects, processes without a
location, models without rules, variables or processes.

    odd.py SEED

Prints one model; the same seed always gives the same one.
"""
import random
import sys


class Odd:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.variables = []         # (name, low, high, owner)
        self.loops, self.local = self.chance(0.3), self.chance(0.5)

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return self.rng.choice(items)

    def variable(self, owner=None):
        own = [v for v in self.variables if v[3] == owner]
        near = own if own and self.local else own + [v for v in self.variables if v[3] is None]
        return self.pick(near if owner and near else self.variables)

    # ---- expressions ----
    def comparison(self, owner, divides):
        if not self.variables:
            return self.pick(['true', 'false', '(eq 1 1)'])
        op, v, other = self.pick(['eq', 'eq', 'eq', 'ne', 'lt', 'le', 'gt', 'ge']), self.variable(
            owner), self.variable(owner)
        if divides and self.chance(0.5):
            return f'({op} (div 4 (cut 4 "{v[0]}") (cut 4 "{other[0]}")) {self.rng.randint(0, 2)})'
        if self.chance(0.15):
            return f'({op} "{v[0]}" "{other[0]}")'
        return f'({op} "{v[0]}" {self.rng.randint(v[1] - self.chance(0.1), v[2])})'

    def condition(self, depth, owner=None, divides=False):
        if self.chance(0.04):
            return self.pick(['true', 'false'])
        if depth == 0 or self.chance(0.3):
            return self.comparison(owner, divides)
        op = self.pick(['not', 'and', 'and', 'or', 'or', 'implies', 'iff'])
        return f'({op} ' + ' '.join(self.condition(depth - 1, owner, divides)
                                    for _ in range(1 if op == 'not' else 2)) + ')'

    def ltl(self, depth):
        if depth == 0 or self.chance(0.1):
            return self.condition(self.chance(0.3), divides=self.chance(0.03))
        op = self.pick(['not', 'and', 'or', 'implies', 'iff', 'until', 'until', 'release', 'weak']
                       + 3 * ['globally', 'finally'] + ['next'])
        unary = op in ('not', 'globally', 'finally', 'next')
        return f'({op} ' + ' '.join(self.ltl(depth - 1) for _ in range(1 if unary else 2)) + ')'

    def value(self, v, owner):
        """Something within the range of a variable."""
        name, low, high, _ = v
        fitting = [w[0] for w in self.variables if w[1] >= low and w[2] <= high
                   and (not owner or not self.local or w[3] == owner)]
        roll = self.rng.random()
        if roll < 0.2 and fitting:
            return f'"{self.pick(fitting)}"'
        if roll < 0.5 and low == 0 and high > 0:
            other = v if self.chance(0.7) else self.variable(owner)
            number = f'"{other[0]}"' if other[1] >= 0 else f'(cut 4 "{other[0]}")'
            second = f'(cut 4 "{self.variable(owner)[0]}")' if self.chance(0.1) else None
            return (f'(mod 5 (div 5 {number} {second}) {high + 1})' if second
                    else f'(mod 5 ({self.pick(["add", "mul", "sub"])} 5 {number} '
                    f'{self.rng.randint(1, 3)}) {high + 1})')
        return str(self.rng.randint(low, high))

    # ---- the model ----
    def declare(self):
        out, variables = [], []
        self.places = []
        for p in range(self.pick([0, 1, 2, 2, 3])):
            low, count, has_pc = self.pick([0, 0, -1, 5]), self.pick([1, 2, 3, 3, 4]), self.chance(
                0.9)
            self.places.append(range(low, low + count) if has_pc else None)
            out.append(f'process "p{p}" type "T{p}"' + (f' pc "pc{p}"' if has_pc else ''))
            if has_pc:
                out += [f'  location {at} "l{at}"' for at in self.places[p] if self.chance(0.8)]
                variables.append((f'pc{p}', low, low + count - 1, f'p{p}', low))
        for i in range(self.pick([0, 1, 1, 2, 2, 3])):
            low = self.pick([0, 0, 0, 0, -1, -2, -3, 1, 3])
            high = low + self.pick([0, 1, 1, 1, 2, 2, 3, 4, 5])
            owner = (f'p{self.rng.randrange(len(self.places))}' if self.places and self.chance(0.5)
                     else None)
            variables.append(
                (f'v{i}', low, high, owner,
                 'any' if self.chance(0.15) else self.rng.randint(low, high)))
        for name, low, high, owner, start in variables:
            out.append(f'variable "{name}"' + (f' of "{owner}"' if owner else '')
                       + f' {low}..{high} = {start}')
            self.variables.append((name, low, high, owner))
        return out

    def store(self, owner, stores):
        v = self.variable(owner)
        if v[0] not in stores and not (owner and v[0].startswith('pc')):
            stores[v[0]] = self.value(v, owner)

    def rule(self, number):
        out, stores = [f'rule "r{number}"'], {}
        processes = self.rng.sample(range(len(self.places)),
                                    min(len(self.places),
                                        self.pick([0, 1, 1, 1, 1, 1, 1, 2, 2, 3])))
        for p in processes:
            out.append(f'  part "p{p}"')
            if self.places[p] and self.chance(0.92):
                out.append(f'    when (eq "pc{p}" {self.pick(self.places[p])})')
                if self.chance(0.15 if self.loops else 0.9):
                    stores[f'pc{p}'] = self.pick(self.places[p])
            if self.variables and self.chance(0.35):
                out.append(f'    when {self.condition(1, f"p{p}", self.chance(0.08))}')
            if self.variables and self.chance(0.6):
                self.store(f'p{p}', stores)
        if not processes or self.chance(0.1):
            out.append('  part global')
            if self.variables and self.chance(0.6):
                out.append(f'    when {self.condition(1, divides=self.chance(0.08))}')
            if self.variables and self.chance(0.8):
                self.store(None, stores)
        return out + [f'  set "{name}" {value}' for name, value in stores.items()]

    def model(self):
        out = ['cairn 1', 'model "odd"', *self.declare()]
        for i in range(self.pick([0, 1, 2, 3, 4, 5, 6, 8, 10])):
            out += self.rule(i)
        out += [f'property "i{i}" invariant formula {self.condition(2, divides=self.chance(0.1))}'
                for i in range(self.pick([1, 1, 2, 3]))]
        out += [f'property "t{i}" ltl formula {self.ltl(self.rng.randint(1, 4))}'
                for i in range(self.pick([1, 2, 3]))]
        return '\n'.join(out) + '\n'


def odd(seed):
    return Odd(seed).model()


if __name__ == '__main__':
    print(odd(int(sys.argv[1])), end='')
