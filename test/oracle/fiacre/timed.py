#!/usr/bin/env python3
"""Explores a timed Fiacre program by brute force and prints one JSON object about its discrete
states.

    timed.py FILE [--dialect obp|frac] [--time regions|integers|auto] [--invariant F ...]
    [--max-states N] [--list] [--no-trace-if]

An enabled combination of paths (an interaction) with a `wait` or a port with an interval has a
clock.  It starts at 0 when the interaction becomes enabled, and again when it fires itself or when
one of its parties moves by `to`; it goes on when its parties were not touched or only did `loop`. 
Time passes only as long as no enabled interaction leaves its interval above.  An interaction fires
when its clock is inside its interval, unless one of higher priority is enabled with its clock
inside.

Time is dense.  Two ways to make it finite:

integers: clocks are whole numbers.  Along a sequence of interactions the moments of firing only
    have to satisfy differences t - t' <= c with whole c (t' the moment at which a clock started;
    bounds are closed; enabledness depends on the sequence alone), and such a system that has a
    solution has a whole one.  So this reaches the same discrete states as dense time, unless there
are priorities or open bounds. regions: a priority adds strict differences t - t' < c (the higher
    clock has not reached its lower bound yet).  Then whole moments are not enough: 0 < t < 1 may be
    needed.  Nor is any fixed finer grain: with p > q, p in [1,1] restarted by q, a q may happen at
    t1 > t2 - 1 > t3 - 2 > ... > 0, each a bit earlier in its unit than the one before, and n such
    steps need a grain of 1/n.  So clocks are kept as regions (Alur and Dill): the whole part of
    each clock, and the order of the fractional parts.  A bound is a whole number, so all clocks of
    a region can do the same.  A step of time goes to the next region.  This is exact for open
    bounds and priorities; decimals are scaled to whole numbers first.

discrete_states: what is reachable when clocks are forgotten; deadlocks: discrete states in which no
interaction is enabled; failing_states: discrete states in which some path meets a run-time error;
invariants: 'holds' or 'violated', on reachable discrete states.
"""
import argparse
import json
import math
import os
import sys
import time

if __package__ in (None, ''):
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from fiacre.invariant import predicate
from fiacre.machine import Machine
from fiacre.parse import ModelError
from fiacre.paths import walk

OVER = None                             # a clock beyond everything that matters


def intervals(model):
    found = [port.interval for port in model.ports if port.interval]
    for process in model.processes:
        for _, block, _ in process.unit.transitions:
            found += [s[1] for s in walk(block) if s[0] == 'wait']
    return found


class Interaction:
    """One enabled interaction of a discrete state."""

    def __init__(self, target, identity, interval, moved, parties, group, scale):
        self.target, self.identity, self.moved, self.parties, self.group = (target, identity, moved,
            parties, group)
        low, self.low_open, high, self.high_open = interval or (0, False, None, True)
        self.low, self.high = int(low * scale), None if high is None else int(high * scale)
        self.timed = self.high is not None or self.low > 0 or self.low_open

    # A clock's value is (whole part, rank of the fractional part; rank 0: no fractional part) or
    # OVER.
    def started(self, clock):
        """At or above the lower bound."""
        if clock is OVER:
            return True
        whole, rank = clock
        return whole > self.low or whole == self.low and (rank > 0 or not self.low_open)

    def in_time(self, clock):
        """Not above the upper bound."""
        if self.high is None:
            return True
        if clock is OVER:
            return False
        whole, rank = clock
        return whole < self.high or whole == self.high and rank == 0 and not self.high_open

    def saturated(self, clock):
        """Whether all later values behave alike: OVER then."""
        if self.high is None and self.started(clock):
            return OVER
        return clock


class Timed:
    def __init__(self, text, dialect='obp', regions=True, **reading):
        self.machine = Machine(text, dialect, traced=True, **reading)
        self.regions = regions
        self.scale = math.lcm(1,
                              *(bound.denominator for i in intervals(self.machine.model)
                                for bound in (i[0], i[2]) if bound is not None))
        self.enabled = {}               # discrete state: its interactions
        self.failing = set()

    def interactions(self, S):
        if S not in self.enabled:
            machine = self.machine
            found = []
            for target, identity, interval, moved, group in machine.expand(S):
                parties = (frozenset(machine.groups[group][2]) if group is not None
                           else frozenset([identity[0]]))
                found.append(
                    Interaction(target, identity, interval, moved, parties, group, self.scale))
            if machine.failed:
                self.failing.add(S)
            if len({i.identity for i in found}) != len(found):
                raise AssertionError('two interactions with one identity')
            self.enabled[S] = found
        return self.enabled[S]

    def initial(self):
        return [(S, self.normal([i.saturated((0, 0)) for i in self.interactions(S)]))
                for S in self.machine.initial()[0]]

    def normal(self, clocks):
        """Ranks without gaps: rank 0 is no fractional part, the others are 1, 2, ... in order."""
        ranks = {rank: at + 1
                 for at, rank in enumerate(
            sorted({c[1] for c in clocks if c is not OVER and c[1]}))}
        return tuple(c if c is OVER or not c[1] else (c[0], ranks[c[1]]) for c in clocks)

    def later(self, S, clocks):
        """The clocks after a step of time, or None if no time may pass or nothing changes."""
        interactions = self.interactions(S)
        if self.regions:
            if any(c is not OVER and c[1] == 0 for c in clocks):
                new = [c if c is OVER else (c[0], c[1] + 1) for c in clocks]
            else:
                last = max((c[1] for c in clocks if c is not OVER), default=0)
                new = [(c[0] + 1, 0) if c is not OVER and c[1] == last else c for c in clocks]
        else:
            new = [c if c is OVER else (c[0] + 1, 0) for c in clocks]
        if not all(i.in_time(c) for i, c in zip(interactions, new)):
            return None
        new = self.normal([c if c is OVER else i.saturated(c) for i, c in zip(interactions, new)])
        return None if new == clocks else new

    def fireable(self, S, clocks):
        interactions, machine = self.interactions(S), self.machine
        ready = [i for i, c in zip(interactions, clocks) if i.started(c)]
        groups = {machine.key[i.group] for i in ready if i.group is not None}
        return [i for i in ready if i.group is None or not machine.above[i.group] & groups]

    def after(self, S, clocks, fired):
        """The clocks in the state that an interaction leads to."""
        old = {i.identity: c for i, c in zip(self.interactions(S), clocks)}
        new = []
        for i in self.interactions(fired.target):
            kept = (i.identity in old and i.identity != fired.identity
                    and not i.parties & fired.moved)
            new.append(i.saturated(old[i.identity] if kept else (0, 0)))
        return self.normal(new)

    def explore(self, max_states=None, seconds=None):
        started = time.monotonic()
        self.seen = set(self.initial())
        level, self.complete = list(self.seen), True
        while level:
            following = []
            for S, clocks in level:
                successors = [(i.target, self.after(S, clocks, i))
                              for i in self.fireable(S, clocks)]
                passed = self.later(S, clocks)
                for state in successors + ([(S, passed)] if passed else []):
                    if state not in self.seen:
                        self.seen.add(state)
                        following.append(state)
                if (max_states and len(self.seen) > max_states or seconds
                    and time.monotonic() - started > seconds):
                    self.complete = False
                    return self
            level = following
        return self


def explore(text, dialect='obp', mode='auto', invariants=(), max_states=None, seconds=None,
            listed=False, **reading):
    """The result as a dictionary."""
    started = time.monotonic()
    if mode == 'auto':
        model = Machine(text, dialect).model
        closed = not any(i[1] or i[2] is not None and i[3] for i in intervals(model))
        mode = 'integers' if closed and not model.above else 'regions'
    timed = Timed(text, dialect, mode == 'regions', **reading).explore(max_states, seconds)
    model = timed.machine.model
    discrete = {S for S, _ in timed.seen}
    verdicts = {}
    for f in invariants:
        holds = predicate(model, f)
        verdicts[f] = 'holds' if all(map(holds, discrete)) else 'violated'
    result = {'discrete_states': len(discrete), 'timed_states': len(timed.seen),
              'initial_states': len(timed.initial()),
              'deadlocks': sum(not timed.interactions(S) for S in discrete),
              'failing_states': len(timed.failing & discrete),
              'invariants': verdicts, 'time': mode, 'complete': timed.complete,
              'seconds': round(time.monotonic() - started, 2)}
    if listed:
        result['list'] = sorted((model.show(S) for S in discrete), key=str)
    return result


def main():
    parser = argparse.ArgumentParser(description='Reference exploration of timed Fiacre programs.')
    parser.add_argument('file')
    parser.add_argument('--dialect', choices=['obp', 'frac'], default='obp')
    parser.add_argument('--time', choices=['auto', 'integers', 'regions'], default='auto')
    parser.add_argument('--invariant', action='append', default=[])
    parser.add_argument('--max-states', type=int)
    parser.add_argument('--seconds', type=float)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--no-trace-if', action='store_true',
                        help='the branch of an if or case does not belong to the identity of a '
                        'path')
    options = parser.parse_args()
    try:
        with open(options.file, encoding='utf-8') as file:
            result = explore(file.read(), options.dialect, options.time, options.invariant,
                             options.max_states, options.seconds, options.list,
                             trace_if=not options.no_trace_if)
    except (ModelError, OSError) as error:
        print(f'{options.file}: {error}', file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
