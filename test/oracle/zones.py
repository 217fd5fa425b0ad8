"""Zone graphs of networks of timed automata (tck.py), the plain way: matrices of all clocks, closed
by Floyd and Warshall after every change, with a choice of extrapolations.

    graph(system, extra='LU+', local=True, elapsed=True, values=True, inclusion=False,
          simulation=False)

`extra`: '' (none: may not end), 'M', 'M+', 'LU', 'LU+' (Behrmann, Bouyer, Larsen, Pelanek 2006).
`local`: bounds per location of a process (Behrmann, Bouyer, Fleury, Larsen 2003), the largest of
all processes; otherwise those of the whole network. `elapsed`: time passes at the end of a step
instead of at its beginning. `values`: the extrapolations that look at a lower bound of a clock
compare its constant only, so that x > 5 is not above 5; otherwise it is. `inclusion`: a zone in a
known one of the same discrete state is dropped, and one that lies in a new one is given up.
`simulation`: the same with a zone that is simulated by another (in its a_LU: Herbreteau,
Srivathsan, Walukiewicz 2012); then it ends without any extrapolation, too.

Bounds are numbers, (constant, 1 for <= or 0 for <) as 2 * constant + that.
"""
from collections import deque
from types import SimpleNamespace
from tck import apply, steps, value, variables

NONE = -1
INFINITY = float('inf')
WEAK = 1


def add(a, b):
    return INFINITY if INFINITY in (a, b) else a + b - ((a | b) & 1)


# ---- zones ----

def close(zone):
    """The tightest bounds, or None: there is no point."""
    size = range(len(zone))
    for k in size:
        for i in size:
            through = zone[i][k]
            if through != INFINITY and i != k:
                zone[i] = [min(old, add(through, more)) for old, more in zip(zone[i], zone[k])]
    return None if any(zone[i][i] < WEAK for i in size) else zone


def constrain(zone, clocks, constraints):
    if zone is None or not constraints:
        return zone
    zone = [row[:] for row in zone]
    for clock, operator, constant in constraints:
        x = clocks[clock]
        if operator in ('<', '<=', '=='):
            zone[x][0] = min(zone[x][0], 2 * constant + (operator != '<'))
        if operator in ('>', '>=', '=='):
            zone[0][x] = min(zone[0][x], -2 * constant + (operator != '>'))
    return close(zone)


def reset(zone, clocks, names):
    zone = [row[:] for row in zone]
    for name in names:
        x = clocks[name]
        zone[x] = zone[0][:]
        for row in zone:
            row[x] = row[0]
        zone[x][x] = WEAK
    return zone


def pass_time(zone):
    return [zone[0][:]] + [[INFINITY] + row[1:] for row in zone[1:]]


def extrapolate(zone, lower, upper, plus, values):
    def above(b, constant): # of a bound b of y - x: x - y is larger than the constant
        return constant == NONE or (b >> 1 < -constant if values else b < -2 * constant + WEAK)
    new = [row[:] for row in zone]
    size = range(len(zone))
    for i in size:
        for j in size:
            if i == j:
                continue
            if i and (lower[i] == NONE or (zone[i][j] != INFINITY and zone[i][j] >> 1 > lower[i])):
                new[i][j] = INFINITY
            elif i and plus and above(zone[0][i], lower[i]):
                new[i][j] = INFINITY
            elif (j and zone[i][j] != INFINITY
                  and above(zone[0][j] if plus else zone[i][j], upper[j])):
                new[i][j] = ((INFINITY if i else WEAK) if upper[j] == NONE or (plus and i)
                             else -2 * upper[j])
    return close(new)


# ---- bounds of clocks ----

def raise_bounds(bounds, clocks, constraints):
    for clock, operator, constant in constraints:
        pair = bounds[clocks[clock]]
        if operator in ('>', '>=', '=='):
            pair[0] = max(pair[0], constant)
        if operator in ('<', '<=', '=='):
            pair[1] = max(pair[1], constant)


def local_bounds(system, clocks):
    """For each process and location, [L, U] of each clock: constants in guards and invariants from
    here on, up to the next reset by an edge of the process."""
    bounds = {(p, l): [[NONE, NONE] for _ in range(len(clocks) + 1)] for p in system.locations
              for l in system.locations[p]}
    for p in system.locations:
        for l, place in system.locations[p].items():
            raise_bounds(bounds[p, l], clocks, place.invariant)
        for e in system.edges[p]:
            raise_bounds(bounds[p, e.source], clocks, e.guard)
        changed = True
        while changed:
            changed = False
            for e in system.edges[p]:
                for name, x in clocks.items():
                    here, there = bounds[p, e.source][x], bounds[p, e.target][x]
                    for k in range(2):
                        if name not in e.resets and there[k] > here[k]:
                            here[k], changed = there[k], True
    return bounds


def largest(lists):
    return [[max(pair[k] for pair in pairs) for k in range(2)] for pairs in zip(*lists)]


# ---- the graph ----

class Search:
    def __init__(self, system, extra, local, elapsed, values):
        self.system, self.extra, self.elapsed, self.values = system, extra, elapsed, values
        self.clocks = {name: i + 1 for i, name in enumerate(system.clocks)}
        self.bounds = local_bounds(system, self.clocks)
        self.common = None if local else largest(self.bounds.values())
        self.names = [name for name, *_ in variables(system)]

    def invariant(self, at):
        return [c for p, l in at.items() for c in self.system.locations[p][l].invariant]

    def may_wait(self, at):
        return not any(place.committed or place.urgent
                       for place in (self.system.locations[p][l] for p, l in at.items()))

    def bounds_at(self, at):
        return self.common or largest([self.bounds[p, l] for p, l in at.items()])

    def finish(self, at, zone):
        """What is kept of a zone that has been entered; None where it cannot be."""
        zone = constrain(zone, self.clocks, self.invariant(at))
        if zone and self.elapsed and self.may_wait(at):
            zone = constrain(pass_time(zone), self.clocks, self.invariant(at))
        if not zone or not self.extra:
            return zone
        bounds = self.bounds_at(at)
        both = [(max(pair), max(pair)) for pair in bounds] if self.extra[0] == 'M' else bounds
        return extrapolate(zone, [pair[0] for pair in both], [pair[1] for pair in both],
                           self.extra.endswith('+'), self.values)

    def initial(self):
        at = {p: next(l for l, place in places.items() if place.initial)
              for p, places in self.system.locations.items()}
        zone = self.finish(at,
                           [[WEAK] * (len(self.clocks) + 1) for _ in range(len(self.clocks) + 1)])
        return at, {name: first for name, _, _, first in variables(self.system)}, zone

    def successors(self, at, state, zone):
        zone = constrain(zone, self.clocks, self.invariant(at))
        if not self.elapsed and self.may_wait(at):
            zone = constrain(pass_time(zone), self.clocks, self.invariant(at))
        for step in steps(self.system, at):
            after = apply(self.system, step, at, state)
            guarded = after and constrain(zone, self.clocks, [c for e in step for c in e.guard])
            next_zone = (guarded
                         and self.finish(after[0],
                                         reset(guarded, self.clocks,
                                               [c for e in step for c in e.resets])))
            if next_zone:
                yield after[0], after[1], next_zone


def is_in(zone, other):
    return all(a <= b for row, others in zip(zone, other) for a, b in zip(row, others))


def is_simulated(zone, other, bounds):
    """Whether no two clocks tell a point of the zone from all that simulate it in the other."""
    def differ(y, x): # L and U of the reference are 0
        lower, upper = bounds[y][0] if y else 0, bounds[x][1] if x else 0
        return (NONE not in (lower, upper) and zone[0][x] >= -2 * upper + WEAK
                and other[y][x] < zone[y][x] and add(other[y][x], -2 * lower) < zone[0][x])
    return not any(differ(y, x) for y in range(len(zone)) for x in range(len(zone)))


def graph(system, extra='LU+', local=True, elapsed=True, values=True, inclusion=False,
          simulation=False, limit=10 ** 6):
    """The number of states, of transitions, the discrete states as (locations, values), and the
    zones of each; None when there are more states than the limit."""
    search = Search(system, extra, local, elapsed, values)
    known, queue, states, transitions = {}, deque(), 0, 0

    def visit(at, state, zone):
        nonlocal states
        zones = known.setdefault((tuple(at.values()), tuple(state[name] for name in search.names)),
                                 {})
        key = tuple(map(tuple, zone))
        bounds = simulation and search.bounds_at(at)

        def stands_for(large, small):
            return is_simulated(small, large, bounds) if simulation else is_in(small, large)
        covers = inclusion or simulation
        if key in zones or (covers and any(stands_for(other, key) for other in zones)):
            return
        for other in [other for other in zones if covers and stands_for(key, other)]:
            zones.pop(other)
            states -= 1
        zones[key] = True
        states += 1
        queue.append((at, state, zone, zones, key))

    at, state, zone = search.initial()
    if zone:
        visit(at, state, zone)
    while queue:
        at, state, zone, zones, key = queue.popleft()
        if key not in zones:
            continue
        for after in search.successors(at, state, zone):
            transitions += 1
            visit(*after)
        if states > limit:
            return None
    return SimpleNamespace(states=states, transitions=transitions, zones=known)
