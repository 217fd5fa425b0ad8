"""Random timed Fiacre programs: intervals, in some programs with open ends, with whole bounds from
0 to 6 or no upper bound, on waits and ports; priorities, shared variables.

Used through `generate.py --timed`.  No run-time errors and no unless.  A program is only kept if
its discrete states do not depend on whether the branch of an if or case belongs to the identity of
a path (and so to its clock), nor on the other readings of generate.py.
"""
import random

from fiacre import timed
from fiacre.explore import explore
from fiacre.expressions import Type
from fiacre.generate import Generator
from fiacre.parse import ModelError

READINGS = [('if ', {'trace_if': False}), ('case ', {'trace_if': False}),
            (' - ', {'natural_steps': True}), ('priority', {'transitive': False})]
COMPARED = ('list', 'deadlocks', 'failing_states', 'initial_states')


class TimedGenerator(Generator):
    def __init__(self, rng, frac=False):
        super().__init__(rng, frac)
        self.risky = self.with_unless = False
        self.often = rng.random()                       # how many ports have an interval
        self.largest = rng.randint(2, 6)               # the largest bound
        self.open = 0.3 if rng.random() < 0.3 else 0   # how many ends are open

    def add_types(self):
        super().add_types()
        self.types = [t for t in self.types if t.size() <= 4] + [Type('bool', 'bool')]
        self.scalars = [t for t in self.types if t.kind in ('bool', 'int', 'union')]

    def interval(self):
        low = self.rng.randint(0, self.largest)
        kind = self.rng.random()
        left = ']' if self.open and self.chance(self.open) else '['
        if kind < 0.2:
            return f'{left}{low},...['
        high = self.rng.randint(low, self.largest)
        if kind < 0.5 or high == low:
            return f'[{low},{low}]'
        return f'{left}{low},{high}{"[" if self.open and self.chance(self.open) else "]"}'

    def port_interval(self):
        return f' in {self.interval()}' if self.chance(self.often) else ''

    def wait(self, ctx, comm):
        """Paths that have communicated must not wait."""
        if not comm or self.chance(0.25):
            return []
        return [f'wait {self.interval()}'] + ([self.guard(ctx)] if self.chance(0.25) else [])

    def ending(self, ctx):
        return 'loop' if self.chance(0.3) else f'to {self.pick(ctx.states)}'

    def transition(self, ctx):
        kind = self.rng.random()
        if kind < 0.35:
            block = ([self.guard(ctx)] if self.chance(0.3) else []) + self.wait(ctx, True)
            return block + ([self.assign(ctx)] if self.chance(0.6) else []) + [self.ending(ctx)]
        if kind < 0.7 and ctx.ports:
            block = [self.guard(ctx)] if self.chance(0.25) else []
            return block + [self.communication(ctx)] + ([self.assign(ctx)] if self.chance(0.5)
                                                        else []) + [self.ending(ctx)]
        return self.path(ctx, True, self.pick([0, 1, 1]), self.pick([1, 2, 4]))

    def program(self):
        self.out = []
        self.add_types()
        if self.chance(0.2):
            self.add_function()
        shared = [self.pick(self.types) for _ in range(self.pick([0, 1, 1, 2]))]
        channels = [self.channel() for _ in range(self.pick([0, 1, 2, 2, 3]))]
        processes = []
        for _ in range(self.pick([1, 2, 2, 3])):
            used = [self.pick(channels) for _ in range(self.rng.randint(1, 3))] if channels else []
            processes.append(
                self.add_process(self.rng.sample(shared, self.rng.randint(0, len(shared))), used))
        units = processes + [self.pick(processes) for _ in range(self.pick([0, 1, 1, 2]))]
        units = (units + units)[:max(2, min(4, len(units)))]
        root = self.add_component(units, shared,
                                  channels + [self.pick(channels)] * self.chance(0.5) if channels
                                  else [])
        return self.text(root) if root else None


class ChoosingGenerator(TimedGenerator):
    """Choices under `wait`: `any`, select, if and case in each other. Every if and case has a
    choice in one of its branches, so that these are different paths for everybody, and there is one
    reading only."""

    def choice(self, ctx):
        block = self.choose(ctx, 4)
        if ':= any' in block[0]:
            return block
        return [('select', [('', ['null']), ('[]', block)], self.end('select'))]

    def chosen(self, ctx, depth):
        """Statements of which some part ways, and that do not end."""
        before = [self.assign(ctx)] if self.chance(0.4) else []
        after = [self.assign(ctx)] if self.chance(0.4) else []
        kind = self.rng.random()
        if not depth or kind < 0.3:
            block = self.choice(ctx)
        elif kind < 0.5:
            block = [('select',
                      [('', self.chosen(ctx, depth - 1)),
                       ('[]', [self.guard(ctx), self.assign(ctx)])], self.end('select'))]
        elif kind < 0.85:
            block = [self.if_statement(ctx, lambda: self.chosen(ctx, depth - 1))]
        else:
            block = [self.case_statement(ctx, lambda c: self.chosen(c, depth - 1))]
        return before + block + after

    def transition(self, ctx):
        if self.chance(0.3):
            return [self.guard(ctx)] + self.wait(ctx, True) + [self.assign(ctx), self.ending(ctx)]
        block = [self.guard(ctx)] if self.chance(0.3) else []
        wait = [f'wait {self.interval()}'] if self.chance(0.9) else []
        late = self.chance(0.2)         # `wait` may stand anywhere on a path
        block += [] if late else wait
        block += self.chosen(ctx, self.pick([0, 1, 1, 2])) + (wait if late else [])
        return block + ([self.guard(ctx)] if self.chance(0.2) else []) + [self.ending(ctx)]


def acceptable(text, most, rng, dialect, readings=READINGS):
    """The result of the timed exploration if the program is worth keeping, else None."""
    if 'wait' not in text and ' in [' not in text and ' in ]' not in text:
        return None
    got = timed.explore(text, dialect, max_states=most, listed=True)
    if not got['complete'] or got['failing_states']:
        return None
    if (rng.random()
        > (0.02 if got['discrete_states'] < 4 else 0.3 if got['discrete_states'] < 10 else 1)):
        return None
    if got['timed_states'] == got['discrete_states'] and rng.random() > 0.05:
        return None
    for word, reading in readings:
        if word in text:
            other = timed.explore(text, dialect, max_states=4 * most, listed=True, **reading)
            if any(got[key] != other[key] for key in COMPARED):
                return None
    untimed = explore(text, dialect, max_states=4 * most, ignore_time=True)
    if untimed['doubtful'] or untimed['states'] == got['discrete_states'] and rng.random() > 0.2:
        return None
    return got


def draw(seed, frac=False, most=6000, choices=False):
    """(text, result) of the program of a seed; most: how many states with clocks it may have;
    choices: under every wait."""
    rng = random.Random(f'timed fiacre {seed} {frac}{" choices" if choices else ""}')
    generator = ChoosingGenerator if choices else TimedGenerator
    readings = [r for r in READINGS if not choices or 'trace_if' not in r[1]]
    while True:
        text = generator(rng, frac).program()
        if text is None:
            continue
        text = f'/* seed {seed}, timed{", frac" if frac else ""} */\n{text}'
        try:
            result = acceptable(text, most, rng, 'frac' if frac else 'obp', readings)
        except ModelError as error:
            if any(words in str(error) for words in ('too many values', 'above itself')):
                continue
            raise AssertionError(f'an invalid program: {error}\n{text}') from error
        if result:
            return text, result
