"""Which discrete states are reachable, by zones: no extrapolation, no clever order, a number of
steps that is bounded. For constants that are too large for regions, and to compare regions with.

A guard is a union of conjunctions of clock constraints, once the integers are known (`cases`), so
that open bounds, differences, negations (of a receiver that is not enabled) and disjunctions are
all the same to it. Refused: priorities, and clock guards of edges with urgent channels, which need
zones without other zones; regions do these.

Bounds are numbers as in test/oracle/zones.py: 2 * constant, and 1 more for <=.
"""
from itertools import product
from zones import WEAK, close, pass_time
from .machine import Difference
from .syntax import Refused
from .values import Clock, Failure

NOT = {'<': '>=', '<=': '>', '>=': '<', '>': '<=', '==': '!=', '!=': '=='}


class Atom:
    """A comparison of clocks. It is neither true nor false."""

    def __init__(self, operator, a, b):
        self.operator, self.a, self.b = operator, a, b

    def __bool__(self):
        raise Refused('a clock constraint where a number should be')

    __int__ = __index__ = __bool__


def sides(value):
    """(clock counted from 1 or 0, clock that is subtracted, number)"""
    if isinstance(value, Clock):
        return value.number + 1, 0, 0
    if isinstance(value, Difference):
        return value.left.number + 1, value.right.number + 1, 0
    return 0, 0, value


def bounds(operator, a, b):
    """Cases of a comparison: each a list of (i, j, bound of clock i - clock j)."""
    (i, j, more), (k, l, constant) = sides(a), sides(b)
    plus, minus = [each for each in (i, l) if each], [each for each in (j, k) if each]
    if len(plus) > 1 or len(minus) > 1:
        raise Refused('a comparison of two differences')
    x, y = (plus or [0])[0], (minus or [0])[0]
    c = constant - more
    upper, lower = [(x, y, 2 * c + WEAK)], [(y, x, -2 * c + WEAK)]
    if operator == '!=':
        return bounds('<', a, b) + bounds('>', a, b)
    return [{'<': [(x, y, 2 * c)], '<=': upper, '==': upper + lower, '>=': lower,
             '>': [(y, x, -2 * c)]}[operator]]


def tightened(zone, constraints):
    zone = [row[:] for row in zone]
    for i, j, bound in constraints:
        zone[i][j] = min(zone[i][j], bound)
    return close(zone)


def with_clock(zone, x, value):
    """After clock x was set."""
    zone = [row[:] for row in zone]
    size = range(len(zone))
    for j in size:
        if j != x:
            zone[x][j] = zone[0][j] + 2 * value
            zone[j][x] = zone[j][0] - 2 * value
    return zone


class Zones:
    def __init__(self, system):
        self.system = system
        system.unit = 1
        system.compare_times = Atom
        system.set_clock = self.set_clock
        if len({process.priority for process in system.processes}) > 1 or system.channel_groups:
            raise Refused('priorities')

    def set_clock(self, clock, value):
        if value < 0:
            raise Failure('a negative time')
        self.sets.append((clock.number + 1, value))

    # ---- conditions ----

    def cases(self, tree, scope, wanted=True):
        """Where a condition is true (or false): a list of lists of bounds; [[]] is everywhere."""
        if tree is None:
            return [[]] if wanted else []
        if tree[0] == 'unary' and tree[1] == '!':
            return self.cases(tree[2], scope, not wanted)
        if tree[0] == 'binary' and tree[1] in ('&&', '||', 'imply'):
            _, operator, left, right = tree
            first = self.cases(left, scope, wanted != (operator == 'imply'))
            if (operator == '&&') != wanted: # one of both
                return [[]] if [] in first else first + self.cases(right, scope, wanted)
            return [a + b for a in first for b in self.cases(right, scope, wanted)] if first else []
        if tree[0] == 'cond':
            return self.cases(tree[2] if self.system.truth(tree[1], scope) else tree[3], scope,
                              wanted)
        if tree[0] == 'each' and tree[1] != 'sum':
            return self.each(tree, scope, wanted)
        value = self.system.evaluate(tree, scope)
        if isinstance(value, Atom):
            return bounds(value.operator if wanted else NOT[value.operator], value.a, value.b)
        return [[]] if bool(value) == wanted else []

    def each(self, tree, scope, wanted):
        _, word, name, type_, body = tree
        found = None
        for inner in self.system.selections([(name, type_)], scope):
            cases = self.cases(body, inner, wanted)
            if found is None:
                found = cases
            elif (word == 'forall') == wanted:
                found = [a + b for a in found for b in cases]
            else:
                found = found + cases
        return found

    def invariant(self):
        """Cases of all invariants of the current locations."""
        found = [[]]
        for process in self.system.processes:
            cases = self.cases(self.system.place(process).invariant, process.scope)
            found = [a + b for a in found for b in cases]
        return found

    # ---- steps ----

    def combinations(self):
        """(edges, cases): broadcasts say of everybody else that he is not enabled."""
        system = self.system
        here = [[(edge, self.cases(edge.guard, edge.scope))
                 for edge in process.edges[system.locations[process.index]]]
                for process in system.processes]
        here = [[(edge, cases) for edge, cases in edges if cases] for edges in here]
        for process, edges in zip(system.processes, here):
            for edge, cases in edges:
                if not edge.sync:
                    yield (edge,), cases
                elif edge.sync[1] == '!':
                    channel = system.evaluate(edge.sync[0], edge.scope)
                    others = [[(each, more) for each, more in theirs
                               if each.sync and each.sync[1] == '?'
                               and system.evaluate(each.sync[0], each.scope) is channel]
                              for other, theirs in zip(system.processes, here)
                              if other is not process]
                    if channel.urgent and any(case for _, more in [(0, cases)] + sum(others, [])
                                              for case in more):
                        raise Refused('clock guards of an urgent channel')
                    yield from (self.broadcast(edge, cases, others) if channel.broadcast else
                                (((edge, each), [a + b for a in cases for b in more])
                                 for each, more in sum(others, [])))

    def broadcast(self, edge, cases, others):
        ways = []
        for theirs in others:
            nobody = [[]]
            for each, _ in theirs:
                nobody = [a + b for a in nobody for b in self.cases(each.guard, each.scope, False)]
            ways.append([((each,), more) for each, more in theirs] + [((), nobody)])
        for chosen in product(*ways):
            found = cases
            for _, more in chosen:
                found = [a + b for a in found for b in more]
            if found:
                yield (edge,) + tuple(e for some, _ in chosen for e in some), found

    def is_urgent(self):
        system = self.system
        for edges, _ in self.combinations():
            if edges[0].sync and system.evaluate(edges[0].sync[0], edges[0].scope).urgent:
                return True
        return False

    def entered(self, zone):
        """Zones in which the current discrete state, entered in a zone, can be."""
        system, found = self.system, []
        waits = (not any(system.place(p).committed or system.place(p).urgent
                         for p in system.processes) and not self.is_urgent())
        for case in self.invariant():
            inside = tightened(zone, case)
            if inside and waits:
                inside = tightened(pass_time(inside), case)
            if inside:
                found.append(inside)
        return found

    def after(self, discrete, zone):
        """(discrete state, zone) of every step."""
        system = self.system
        state = discrete + ((0,) * len(system.all_clocks),)
        system.load(state)
        committed = any(system.place(process).committed for process in system.processes)
        for edges, cases in list(self.combinations()):
            system.load(state)
            if committed and not system.is_committed(edges):
                continue
            for case in cases:
                inside = tightened(zone, case)
                if inside:
                    yield from self.take(edges, state, inside)

    def take(self, edges, state, zone):
        system, self.sets = self.system, []
        system.load(state)
        try:
            for edge in edges:
                system.locations[edge.process.index] = edge.target
            for edge in edges:
                for tree in edge.update:
                    system.evaluate(tree, edge.scope)
            for x, value in self.sets:
                zone = with_clock(zone, x, value)
            discrete = system.save()[:2]
            entered = self.entered(zone)
        except Failure:
            return
        for each in entered:
            yield discrete, each

    def explore(self, steps=10 ** 6, limit=10 ** 5):
        """({discrete state: [zones]}, whether this is all), as far as steps and zones go."""
        system, known, count = self.system, {}, 0
        first = system.first_state()
        system.load(first)
        size = len(system.all_clocks) + 1
        zone = [[WEAK] * size for _ in range(size)]
        for x, value in enumerate(system.first_clocks, 1):
            zone = with_clock(zone, x, value)
        self.sets = []
        level = [(first[:2], each) for each in self.entered(zone)]
        for discrete, each in level:
            known.setdefault(discrete, []).append(each)
        for _ in range(steps):
            new = []
            for discrete, zone in level:
                for pair in self.after(discrete, zone):
                    zones = known.setdefault(pair[0], [])
                    if not any(is_in(pair[1], other) for other in zones):
                        zones.append(pair[1])
                        new.append(pair)
                        count += 1
            if not new:
                return known, True
            if count > limit:
                return known, False
            level = new
        return known, False

    def reaches(self, known, tree):
        """Whether a condition is true somewhere."""
        for discrete, zones in known.items():
            self.system.load(discrete + ((0,) * len(self.system.all_clocks),))
            cases = self.cases(tree, self.system.globals)
            if any(tightened(zone, case) for zone in zones for case in cases):
                return True
        return False


def is_in(zone, other):
    return all(a <= b for row, others in zip(zone, other) for a, b in zip(row, others))
