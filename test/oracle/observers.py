"""Random observers beside the random systems of contexts.py, by brute force.

An observer sees every step of the composed system: after it, it takes the first of its edges, in
the order of the text, whose predicate is true in the new state and whose event was this step; if
there is none it stays. In an initial state it takes the first edge that asks for no event and whose
predicate is true there. A property is violated when its observer is in `reject`; a restriction in
`cut` ends the search in that state, which is no deadlock. Nothing of this is taken from the program
that it checks."""
from contexts import TooLarge


class Atom:
    """A condition on a state of the system, with its text."""

    def __init__(self, text, holds):
        self.text, self.holds = text, holds


def atom(case, chance):
    kind = chance.choice(('place', 'place', 'length', 'first', 'answers', 'empty'))
    m = chance.choice(case.machines)
    n = m.number
    if kind == 'place':
        place = chance.randrange(m.places)
        return Atom(f'{{M{n}}}1@p{place}', lambda s: s[1][n] == place)
    if kind == 'length':
        size, sign = chance.randint(0, m.size), chance.choice(('=', '<=', '<>'))
        test = {'=': lambda a: a == size, '<=': lambda a: a <= size,
                '<>': lambda a: a != size}[sign]
        return Atom(f'{{Sys}}1:M{n}_1.length {sign} {size}', lambda s: test(len(s[2][n])))
    if kind == 'first':
        value = chance.randrange(case.values)
        return Atom(f'{{Sys}}1:M{n}_1[0] = {value}', lambda s: s[2][n][:1] == (value,))
    if kind == 'answers':
        size = chance.randint(0, case.answers)
        return Atom(f'{{Sys}}1:toContext.length >= {size}', lambda s: len(s[3]) >= size)
    return Atom('empty {Sys}1:toContext', lambda s: not s[3])


def condition(case, chance, depth=2):
    kind = chance.choice(('atom', 'atom', 'not', 'and', 'or')) if depth else 'atom'
    if kind == 'atom':
        return atom(case, chance)
    a = condition(case, chance, depth - 1)
    if kind == 'not':
        return Atom(f'not ({a.text})', lambda s: not a.holds(s))
    b = condition(case, chance, depth - 1)
    if kind == 'and':
        return Atom(f'({a.text}) and ({b.text})', lambda s: a.holds(s) and b.holds(s))
    return Atom(f'({a.text}) or ({b.text})', lambda s: a.holds(s) or b.holds(s))


class Seen:
    """An event as an observer sees it: of the old state, the new one and the tag of the step."""

    def __init__(self, text, happens, declaration=''):
        self.text, self.happens, self.declaration = text, happens, declaration


def seen_event(case, chance, name):
    """One of the events of the context, by name or written out, or a change of a condition."""
    if chance.random() < 0.4:
        c, value = condition(case, chance), chance.random() < 0.7
        return Seen(f'{name} becomes {"true" if value else "false"}', lambda old, new,
                    tag: c.holds(old) != value and c.holds(new) == value,
                    f'predicate {name} is {{ {c.text} }}\n')
    e = chance.choice(case.events)
    text = chance.choice((e.name, e.body()))
    if e.kind == 'send':
        return Seen(text, lambda old, new,
                    tag: len(new[2][e.machine]) == len(old[2][e.machine]) + 1
                    and new[2][e.machine][-1] == e.value)
    if e.kind == 'receive':
        return Seen(text, lambda old, new,
                    tag: len(new[3]) + 1 == len(old[3]) and old[3][0] == e.value)
    return Seen(text, lambda old, new, tag: tag == e.value)


class Edge:
    def __init__(self, source, target, predicate, event):
        self.source, self.target, self.predicate, self.event = source, target, predicate, event

    def text(self):
        return (f'{self.source} -- / {self.predicate.text if self.predicate else ""} / '
                f'{self.event.text if self.event else ""} / -> {self.target}')


class Observer:
    def __init__(self, name, is_restriction, case, chance):
        self.name, self.is_restriction = name, is_restriction
        self.bad = 'cut' if is_restriction else 'reject'
        states = ['start', *(f's{i}' for i in range(chance.randint(0, 3))), self.bad]
        self.edges = []
        for _ in range(chance.randint(1, 2 * len(states))):
            source = chance.choice(states if self.edges else ['start'])
            predicate = condition(case, chance) if chance.random() < 0.5 else None
            event = (seen_event(case, chance, f'{name}_{len(self.edges)}')
                     if chance.random() < (0.8 if predicate else 0.95) else None)
            self.edges.append(Edge(source, chance.choice(states[1:] + states), predicate, event))

    def text(self):
        kind = 'restriction' if self.is_restriction else 'property'
        declarations = ''.join(e.event.declaration for e in self.edges if e.event)
        return f'{declarations}{kind} {self.name} is {{\n    ' + ';\n    '.join(e.text()
            for e in self.edges) + '\n}\n'

    def first(self, state):
        for e in self.edges:
            if (e.source == 'start' and e.event is None
                and (e.predicate is None or e.predicate.holds(state))):
                return e.target
        return 'start'

    def after(self, where, old, new, tag):
        for e in self.edges:
            if (e.source == where and (e.predicate is None or e.predicate.holds(new))
                and (e.event is None or e.event.happens(old, new, tag))):
                return e.target
        return where


class Watched:
    """A case with observers."""

    def __init__(self, case, chance):
        self.case = case
        self.observers = [Observer(f'o{i}', chance.random() < 0.3, case, chance)
                          for i in range(chance.randint(1, 3))]
        properties = [o.name for o in self.observers if not o.is_restriction]
        restrictions = [o.name for o in self.observers if o.is_restriction]
        use = (f'properties {", ".join(properties)} ' if properties
               else '') + (f'restrictions {", ".join(restrictions)} ' if restrictions else '')
        self.context = ''.join(o.text()
                               for o in self.observers) + case.context.replace('cdl c is {',
            f'cdl c is {{ {use}', 1)

    def steps(self, state):
        return self.case.tagged_steps(state)

    def explore(self, most=20000):
        """What there is: (states, transitions, deadlocks, {property: violated}, the fewest steps to
        each violation)."""
        case = self.case
        system = (frozenset(case.words), (0,) * len(case.machines), ((),) * len(case.machines), ())
        closed = case.words == {()}
        first = (system, tuple(o.first(system) for o in self.observers))
        seen, level, depth, transitions, deadlocks, violated = {first}, [first], 0, 0, 0, {}
        while level:
            later = []
            for state in level:
                old, where = state
                for o, at in zip(self.observers, where):
                    if at == 'reject' and not o.is_restriction:
                        violated.setdefault(o.name, depth)
                if any(at == 'cut' and o.is_restriction for o, at in zip(self.observers, where)):
                    continue
                after = list(self.steps(old))
                transitions += len(after)
                deadlocks += not after and (closed or () not in old[0])
                for new, tag in after:
                    other = (new,
                             tuple(o.after(at, old, new, tag)
                                   for o, at in zip(self.observers, where)))
                    if other not in seen:
                        seen.add(other)
                        later.append(other)
                if len(seen) > most:
                    raise TooLarge
            level = later
            depth += 1
        return len(seen), transitions, deadlocks, violated
