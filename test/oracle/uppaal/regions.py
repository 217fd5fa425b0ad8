"""Decides queries on the graph of all regions of clocks (Alur and Dill 1994), or of whole moments.

Clocks are numbers in parts of a unit. A value is floor * unit + rank: fractional parts are ranked,
0 for none, 1 for the smallest that is not 0, and so on; `unit` is larger than all ranks. So every
comparison with an integer, and of a difference with one, has the truth that it has everywhere in
the region: dense time, exactly, with open bounds, urgent channels with clock guards, receivers of
broadcasts with clock guards, and priorities. Time goes from a region to the next one; where all
clocks are above all constants that matter, time goes on for ever.

Constants are those that comparisons meet while states are explored: if one is larger than those
assumed so far, the exploration begins again. Without differences of clocks, a clock above its
largest constant is one value. With them, all clocks have the largest constant M of all; clocks are
above M + the largest number that a clock is set to, differences above M or below -M: then a reset
to c turns a clock above into a difference below -M.

With `moments`, only whole numbers are looked at: a unit at a time. This is the same as dense time
for what is reachable when all constraints are closed, receivers of broadcasts and steps held back
by priorities have no clock guards, and edges with urgent channels have lower bounds only: the
points reached along edges are then a zone with integer corners, and every integer point in it is
reached at whole moments. A query adds nothing new as long as it is closed, or has strict lower
bounds only (round all clocks up), or strict upper bounds only (round them down). E[], A<>, --> and
deadlock negate, and are only promised for conditions without clocks and edges with one clock each.
Regions need no such promise.
"""
from collections import deque
from .machine import Difference
from .values import Clock


class TooLarge(Exception):
    pass


class NoState(Exception):
    """The first state violates an invariant."""


class Again(Exception):
    """Constants are larger than assumed."""


class Regions:
    def __init__(self, system, limit=20000, moments=False, least=None, queries=()):
        """`least`: {number of a clock: its constant at least}; queries are [tree]"""
        self.system, self.limit, self.moments = system, limit, moments
        count = len(system.all_clocks)
        system.unit = 1 if moments else count + 2
        self.largest = [0] * count
        for number, value in (least or {}).items():
            self.largest[number] = value
        self.set_to, self.diagonals = max(system.first_clocks, default=0), False
        system.compare_times = self.compare_times
        system.set_clock = self.set_clock
        self.queries, self.scope = queries, system.globals
        while True:
            try:
                self.explore()
                self.truths = {}
                for query in queries:
                    for tree in conditions(query):
                        self.truths[id(tree)] = self.where(tree)
                break
            except Again:
                pass

    # ---- what constants there are ----

    def compare_times(self, operator, a, b):
        clocks = [side for side in (a, b) if isinstance(side, Clock)]
        bounds = [abs(side) for side in (a, b) if not isinstance(side, (Clock, Difference))]
        again = False
        if len(clocks) != 1 or not bounds:
            again, self.diagonals = not self.diagonals, True
        for bound in bounds:
            for number in [clock.number for clock in clocks] or range(len(self.largest)):
                if bound > self.largest[number]:
                    self.largest[number], again = bound, True
        if again:
            raise Again
        return type(self.system).compare_times(self.system, operator, a, b)

    def set_clock(self, clock, value):
        type(self.system).set_clock(self.system, clock, value)
        if value > self.set_to:
            self.set_to = value
            if self.diagonals:
                raise Again

    def caps(self):
        if self.diagonals:
            return [max(self.largest) + self.set_to] * len(self.largest)
        return self.largest

    # ---- time ----

    def ranked(self, clocks):
        """The clocks with ranks 1, 2, ... without gaps; those above are one value, if they may."""
        unit, caps = self.system.unit, self.caps()
        inside = [self.diagonals or value <= cap * unit for value, cap in zip(clocks, caps)]
        ranks = sorted({value % unit for value, counts in zip(clocks, inside)
                        if counts and value % unit})
        rank = {old: new for new, old in enumerate(ranks, 1)}
        rank[0] = 0
        return tuple(value // unit * unit + rank[value % unit] if counts else (cap + 1) * unit
                     for value, cap, counts in zip(clocks, caps, inside))

    def region(self, clocks):
        """Equal for clocks that nothing can tell apart, now or later."""
        if not self.diagonals:
            return clocks
        unit, cap, most = self.system.unit, self.caps()[0], max(self.largest)
        inside = [value <= cap * unit for value in clocks]
        ranks = sorted({value % unit for value, counts in zip(clocks, inside) if counts} | {0})
        alone = [(value // unit, ranks.index(value % unit)) if counts else None
                 for value, counts in zip(clocks, inside)]
        pairs = []
        for i, a in enumerate(clocks):
            for b in clocks[i + 1:]:
                whole = a // unit - b // unit
                order = (a % unit > b % unit) - (a % unit < b % unit)
                pair = 2 * whole + order
                pairs.append(max(-2 * most - 1, min(2 * most + 1, pair)))
        return (tuple(alone), tuple(pairs))

    def later(self, clocks):
        """The next region, or the same clocks: nothing changes any more."""
        unit, start = self.system.unit, self.region(clocks)
        while True:
            caps = self.caps()
            if all(value > cap * unit for value, cap in zip(clocks, caps)):
                return None
            active = [self.diagonals or value <= cap * unit for value, cap in zip(clocks, caps)]
            if self.moments:
                clocks = tuple(value + unit * on for value, on in zip(clocks, active))
            elif any(on and value % unit == 0 for value, on in zip(clocks, active)):
                clocks = tuple(value + on for value, on in zip(clocks, active))
            else:
                top = max(value % unit for value, on in zip(clocks, active) if on)
                clocks = tuple((value // unit + 1) * unit if on and value % unit == top else value
                               for value, on in zip(clocks, active))
            clocks = self.ranked(clocks)
            if self.region(clocks) != start:
                return clocks

    def is_instant(self, clocks):
        """Whether a region is left as soon as time passes."""
        unit = self.system.unit
        return self.moments or any(value % unit == 0 and value <= cap * unit
                                   for value, cap in zip(clocks, self.caps()))

    def wait(self, state):
        """The state in the next region, the same state (for ever), or None: time cannot pass."""
        system = self.system
        if not system.may_wait(state) or system.is_urgent(state):
            return None
        clocks = self.later(state[2])
        if clocks is None:
            return state
        after = (state[0], state[1], clocks)
        system.load(after)
        if not system.invariants_hold():
            return None
        if not self.is_instant(clocks) and system.is_urgent(after):
            return None
        return after

    # ---- the graph ----

    def key(self, state):
        return (state[0], state[1], self.region(state[2]))

    def add(self, state, parent):
        state = (state[0], state[1], self.ranked(state[2]))
        key = self.key(state)
        if key not in self.number:
            self.number[key] = len(self.states)
            self.states.append(state)
            self.parents.append(parent)
            if len(self.states) > self.limit:
                raise TooLarge
        return self.number[key]

    def explore(self):
        """States, and for each its steps (edges, number) and where waiting leads (or None)."""
        self.number, self.states, self.parents, self.failures = {}, [], [], []
        self.actions, self.waits = [], []
        first = self.system.first_state()
        self.system.load(first)
        if not self.system.invariants_hold():
            raise NoState
        self.add(first, None)
        at = 0
        while at < len(self.states):
            state = self.states[at]
            steps = self.system.steps(state)
            self.failures += [(at, text) for _, _, text in self.system.failures]
            self.actions.append([(edges, self.add(after, at)) for edges, after in steps])
            after = self.wait(state)
            self.waits.append(None if after is None else self.add(after, at))
            at += 1
        self.deadlocks = [self.is_deadlock(at) for at in range(len(self.states))]

    def is_deadlock(self, at):
        while True:
            if self.actions[at]:
                return False
            if self.waits[at] in (None, at):
                return True
            at = self.waits[at]

    # ---- queries ----

    def where(self, tree):
        """The truth of a condition in each state."""
        if tree is None:
            return [True] * len(self.states)
        found = []
        for at, state in enumerate(self.states):
            self.system.load(state)
            self.system.is_deadlocked = lambda at=at: self.deadlocks[at]
            found.append(self.system.truth(tree, self.scope))
        return found

    def next(self, at):
        after = [target for _, target in self.actions[at]]
        return after + ([self.waits[at]] if self.waits[at] is not None else [])

    def keeps(self, p):
        """Where a run begins that has p all the time."""
        good = list(p)
        before = [[] for _ in self.states]
        left = [0] * len(self.states)
        for at in range(len(self.states)):
            for target in self.next(at):
                before[target].append(at)
                left[at] += good[target]
        ends = [not self.next(at) for at in range(len(self.states))]
        queue = deque(at for at in range(len(self.states))
                      if good[at] and not ends[at] and not left[at])
        for at in queue:
            good[at] = False
        while queue:
            for source in before[queue.popleft()]:
                left[source] -= 1
                if good[source] and not left[source] and not ends[source]:
                    good[source] = False
                    queue.append(source)
        return good

    def decide(self, query):
        """True or False; of sup and inf a list of values, see extreme()."""
        kind = query[0]
        if kind in ('sup', 'inf', 'bounds'):
            p = self.truths[id(query[1])]
            kinds = ('inf', 'sup') if kind == 'bounds' else (kind,)
            return [[self.extreme(each, tree, p) for each in kinds] for tree in query[2]]
        p = self.truths[id(query[1])]
        if kind == 'A[]':
            return all(p)
        if kind == 'E<>':
            return any(p)
        if kind == 'E[]':
            return self.keeps(p)[0]
        if kind == 'A<>':
            return not self.keeps([not each for each in p])[0]
        away = self.keeps([not each for each in self.truths[id(query[2])]])
        return not any(a and b for a, b in zip(p, away))

    def extreme(self, kind, tree, p):
        """(bound, whether it is reached), 'large' for a clock above all that was looked at, or
        None: p is nowhere."""
        best = None
        for at, state in enumerate(self.states):
            if not p[at]:
                continue
            self.system.load(state)
            value = self.system.evaluate(tree, self.scope)
            if isinstance(value, Clock):
                unit, number = self.system.unit, value.number
                now, cap = state[2][number], self.caps()[number]
                if now > cap * unit:
                    if kind == 'sup':
                        return 'large'
                    pair = (cap, 0)
                else:
                    up = kind == 'sup' and now % unit > 0
                    pair = (now // unit + up, int(now % unit == 0))
            else:
                pair = (value, 1)
            if best is None or better(kind, pair, best):
                best = pair
        return best

    def way(self, at):
        """Numbers of states from the first to this one."""
        found = [at]
        while self.parents[found[-1]] is not None:
            found.append(self.parents[found[-1]])
        return found[::-1]


def better(kind, pair, other):
    if pair[0] != other[0]:
        return (pair[0] > other[0]) == (kind == 'sup')
    return pair[1] > other[1]


def conditions(query):
    """Those trees of a query that are true or false in a state."""
    if query[0] in ('sup', 'inf', 'bounds'):
        return [query[1]]
    return [tree for tree in query[1:] if tree is not None]
