"""Timed observers by brute force over dates on a fine grid.

The system is some processes that do not know each other: each stays in a place for a time within
the interval of one of its ways out, whose upper end it may not overstay. An observer sees every
step when it happens, as in observers.py; an edge can ask for its clock, which runs since it was
started last. An edge that asks for nothing but its clock is taken as soon as that is true, without
a step: before any step that happens then or later.

Intervals and guards have whole numbers as ends. Moments are quarters: between two whole numbers
there is room for three different moments, which is enough for the few strict comparisons that these
systems can put in a row between two whole ones."""

GRAIN = 4


class Way:
    def __init__(self, target, low, high, low_open, high_open, tag):
        self.target, self.low, self.high, self.low_open, self.high_open, self.tag = (target, low,
            high, low_open, high_open, tag)

    def text(self):
        wait = (f'wait {"]" if self.low_open else "["}{self.low}, '
                f'{"..." if self.high is None else self.high}'
                f'{"[" if self.high_open or self.high is None else "]"}; ')
        return f'{wait}/*@{self.tag}*/ to p{self.target}'

    def may(self, clock):
        low, high = self.low * GRAIN, None if self.high is None else self.high * GRAIN
        return ((clock > low if self.low_open else clock >= low)
                and (high is None or (clock < high if self.high_open else clock <= high)))

    def lets_be(self, clock):
        """Whether the process may still be there."""
        return (self.high is None
                or (clock < self.high * GRAIN if self.high_open else clock <= self.high * GRAIN))


class Process:
    def __init__(self, number, chance, tags):
        self.number = number
        self.ways = []
        for place in range(chance.randint(1, 3)):
            ways = []
            for _ in range(chance.choice((1, 1, 2)) if place == 0 or chance.random() < 0.8 else 0):
                low = chance.randint(0, 4)
                high = None if chance.random() < 0.15 else low + chance.randint(0, 3)
                low_open = chance.random() < 0.2 and low != high
                high_open = high is not None and chance.random() < 0.2 and low != high
                if low_open and high_open and high - low < 1:
                    low_open = False
                ways.append((low, high, low_open, high_open, chance.choice(tags)))
            self.ways.append(ways)
        places = len(self.ways)
        self.ways = [[Way(chance.randrange(places), *way) for way in ways] for ways in self.ways]

    def text(self):
        text = (f'process P{self.number} is\n  states '
                f'{", ".join(f"p{i}" for i in range(len(self.ways)))}\n  init to p0\n')
        for place, ways in enumerate(self.ways):
            if len(ways) == 1:
                text += f'  from p{place} {ways[0].text()}\n'
            elif ways:
                text += f'  from p{place} select ' + ' [] '.join(w.text() for w in ways) + ' end\n'
        return text


TESTS = {'<': lambda a, b: a < b, '<=': lambda a, b: a <= b, '>': lambda a, b: a > b,
         '>=': lambda a, b: a >= b, '=': lambda a, b: a == b}


class Edge:
    def __init__(self, source, target, guards, place, tag, starts):
        self.source, self.target, self.guards, self.place, self.tag, self.starts = (source, target,
            guards, place, tag, starts)

    def is_alone(self):
        return self.guards and self.place is None and self.tag is None

    def text(self):
        guards = ' and '.join(f'ck {sign} {number}' for sign, number in self.guards)
        predicate = f'{{P{self.place[0]}}}1@p{self.place[1]}' if self.place else ''
        event = f'sync {self.tag}' if self.tag else ''
        return (f'{self.source} -- {guards} / {predicate} / {event} / '
                f'{"ck := 0" if self.starts else ""} -> {self.target}')

    def guard_holds(self, clock):
        return all(clock is not None and TESTS[sign](clock, number * GRAIN)
                   for sign, number in self.guards)

    def given(self, places, tag, clock):
        return (self.guard_holds(clock)
                and (self.place is None or places[self.place[0]] == self.place[1])
                and (self.tag is None or self.tag == tag))


class Observer:
    """In `start` the clock does not count; the way to `run` starts it; `late` and `reject` need no
    clock."""

    def __init__(self, processes, chance, tags):
        def place():
            p = chance.choice(processes)
            return p.number, chance.randrange(len(p.ways))

        def guards():
            if chance.random() < 0.15:
                low = chance.randint(0, 4)
                return [('>=', low), ('<', low + chance.randint(1, 3))]
            return [(chance.choice(list(TESTS)), chance.randint(0, 7))]

        self.edges = [
            Edge('start', 'run', [], place() if chance.random() < 0.3 else None,
                 chance.choice(tags) if chance.random() < 0.9 else None, True)]
        for _ in range(chance.randint(1, 4) if chance.random() < 0.8 else 7):
            kind = chance.random()
            target = chance.choice(('reject', 'reject', 'late', 'start', 'run'))
            if kind < 0.3:   # of time alone
                low = chance.randint(0, 6)
                alone = chance.choice(
                    ([('>', low)], [('>=', low)], [('=', low)], [('>=', low), ('<', low + 1)],
                     [('>', low), ('<=', low + 2)], [('<', low + 1)]))
                target = chance.choice(('reject', 'late', 'late', 'start', 'run'))
                # then there is a time when it begins to hold, and a round of it takes time
                closed = (alone[0][0] in ('>=', '=') and low)
                self.edges.append(
                    Edge('run', target if target != 'run' or closed else 'late', alone, None, None,
                         target == 'run' and bool(closed)))
            else:
                self.edges.append(
                    Edge('run', target, guards() if kind < 0.8 else [],
                         place() if chance.random() < 0.3 else None,
                         chance.choice(tags) if chance.random() < 0.8 else None, target == 'run'))
                if self.edges[-1].is_alone():
                    self.edges.pop()
        if chance.random() < 0.5:
            self.edges.append(
                Edge('late', chance.choice(('reject', 'start')), [], None, chance.choice(tags),
                     False))
        self.edges = [e for e in self.edges if e.guards or e.place or e.tag or e.source == 'start']

    def text(self, name):
        return f'property {name} is {{\n    ' + ';\n    '.join(e.text()
                                                               for e in self.edges) + '\n}\n'

    def settle(self, where, clock):
        """What time alone makes of it."""
        for _ in range(20):
            for e in self.edges:
                if e.source == where and e.is_alone() and e.guard_holds(clock):
                    where, clock = e.target, 0 if e.starts else clock
                    break
            else:
                return where, clock
        return where, clock

    def first(self, places):
        for e in self.edges:
            if (e.source == 'start' and e.tag is None and not e.guards
                and (e.place is None or places[e.place[0]] == e.place[1])):
                return self.settle(e.target, 0 if e.starts else None)
        return 'start', None

    def after(self, where, clock, places, tag):
        for e in self.edges:
            if e.source == where and not e.is_alone() and e.given(places, tag, clock):
                return self.settle(e.target, 0 if e.starts else clock)
        return self.settle(where, clock)


class System:
    def __init__(self, chance, observers=1):
        tags = ['a', 'b', 'c'][:chance.randint(2, 3)]
        self.processes = [Process(i, chance, tags) for i in range(chance.randint(1, 2))]
        self.tags = sorted({w.tag for p in self.processes for ways in p.ways for w in ways})
        self.observers = [Observer(self.processes, chance, self.tags) for _ in range(observers)]

    def model(self):
        blocks = ' || '.join(f'P{p.number}' for p in self.processes)
        return ''.join(p.text()
                       for p in self.processes) + f'component Sys is par {blocks} end\nSys\n'

    def context(self):
        names = [f'o{i}' for i in range(len(self.observers))]
        return (''.join(o.text(n) for o, n in zip(self.observers, names))
                + f'cdl c is {{ properties {", ".join(names)} main is {{ skip }} }}\n')

    def violated(self, most=400000):
        """Which observers can be in `reject`; None: too many moments."""
        found = set()
        top = GRAIN * 9
        places = tuple(0 for _ in self.processes)
        first = (places, tuple(0 for _ in self.processes),
                 tuple(o.first(places) for o in self.observers))
        seen, stack = {first}, [first]
        while stack:
            places, clocks, watch = stack.pop()
            found |= {i for i, (where, _) in enumerate(watch) if where == 'reject'}
            after = []
            if (all(w.lets_be(clocks[p.number] + 1) for p in self.processes
                    for w in p.ways[places[p.number]])):
                moved = tuple(o.settle(where, None if clock is None else min(clock + 1, top))
                              for o, (where, clock) in zip(self.observers, watch))
                after.append((places, tuple(min(c + 1, top) for c in clocks), moved))
            for p in self.processes:
                n = p.number
                for w in p.ways[places[n]]:
                    if w.may(clocks[n]):
                        there = places[:n] + (w.target,) + places[n + 1:]
                        after.append(
                            (there, clocks[:n] + (0,) + clocks[n + 1:],
                             tuple(o.after(where, clock, there, w.tag)
                                   for o, (where, clock) in zip(self.observers, watch))))
            for state in after:
                if state not in seen:
                    seen.add(state)
                    stack.append(state)
            if len(seen) > most:
                return None
        return found
