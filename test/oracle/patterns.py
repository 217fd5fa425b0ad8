"""Random property patterns, their meaning as a machine over steps, and their meaning in LTL.

Both are written from docs/patterns.md alone and share nothing but the order in which the events of
a step are read: the machine (`Monitor`) follows rounds and counters, the formulas (`Formula`)
follow the table of that page, unrolled over counts where a set has more than one occurrence.
Nothing of this is taken from the program that it checks.

A formula is a tuple: ('true',), ('step', event, others), ('cut',), ('not', f), ('X', f),
('and' | 'or' | 'U' | 'W', f, g). A step is true in a state when the step that leaves it is that
event and none of the others, which are read before it."""

TRUE, FALSE = ('true',), ('not', ('true',))
FAMILIES = ('response', 'precedence', 'absence', 'existence')
SCOPES = ('globally', 'before', 'after', 'between', 'until')
NUMBERS = {1: 'one'}


class TooLong(Exception):
    pass


class Set:
    """kind: 'AN', 'ALL Ordered' or 'ALL Combined'; items: (event, count, is_exact)."""

    def __init__(self, kind, items):
        self.kind, self.items = kind, items
        self.events = [item[0] for item in items]

    def text(self):
        def item(event, count, is_exact):
            number = NUMBERS.get(count, str(count))
            how_many = f'exactly {number}' if is_exact else f'{number} or more'
            return f'{how_many} occurrence{"" if count == 1 else "s"} of {event}'
        return self.kind + ' ' + ' '.join(item(*i) for i in self.items) + ' end'

    def zero(self):
        return (0,) * len(self.items)

    def is_complete(self, counts, i):
        return counts[i] == self.items[i][1]

    def occurred(self, counts):
        complete = [self.is_complete(counts, i) for i in range(len(self.items))]
        return any(complete) if self.kind == 'AN' else all(complete)

    def counted(self, counts):
        """The items that are looked for now."""
        if self.kind == 'AN' and self.occurred(counts):
            return []
        open_ = [i for i in range(len(self.items)) if not self.is_complete(counts, i)]
        return open_[:1] if self.kind == 'ALL Ordered' else open_

    def surplus(self, counts):
        """Events that must not happen again."""
        return [item[0] for i, item in enumerate(self.items) if item[2]
            and self.is_complete(counts, i)]

    def more(self, counts):
        """Events of which more is welcome."""
        return [item[0] for i, item in enumerate(self.items) if not item[2]
            and self.is_complete(counts, i)]

    def begins(self):
        return self.events[:1] if self.kind == 'ALL Ordered' else self.events

    def plus(self, counts, i):
        return counts[:i] + (counts[i] + 1,) + counts[i + 1:]

    def after(self, counts, event):
        for i in self.counted(counts):
            if self.events[i] == event:
                return self.plus(counts, i)
        return counts

    def is_plain(self):
        """One or more of any of its events; of a single event, all kinds say the same."""
        return (self.kind == 'AN' or len(self.items) == 1) and all(
            count == 1 and not is_exact for _, count, is_exact in self.items)

    def is_single(self):
        """One event, once."""
        return len(self.items) == 1 and self.items[0][1] == 1


class Pattern:
    def __init__(self, name, scope, open_, close, family, left, right, immediate, repeats, options,
            bound=None):
        self.name, self.scope, self.open, self.close = name, scope, open_, close
        self.family, self.left, self.right = family, left, right
        self.immediate, self.repeats, self.options, self.bound = immediate, repeats, options, bound
        self.is_strict = scope in ('before', 'between')
        self.needs = [o[1] for o in options if o[0] == 'must']
        self.waits = [(o[1], o[2]) for o in options if o[0] == 'cannot']
        order = {'response': (right, left), 'precedence': (left, right)}.get(family, (left,))
        self.letters = []
        for event in [e for s in order for e in s.events] + [e for mays in (False, True)
                for o in options if o[0].startswith('may') == mays for e in named(o)]:
            if event not in self.letters:
                self.letters.append(event)

    def text(self):
        scope = {'globally': '', 'before': f'before {self.close} ', 'after': f'after {self.open} ',
            'between': f'between {self.open} and {self.close} ',
                 'until': f'after {self.open} until {self.close} '}[self.scope]
        bound = '' if self.bound is None else f' [0..{self.bound}]'
        how = 'immediately' if self.immediate else 'eventually'
        family = {'response': f'{how} leads-to{bound}',
            'precedence': f'{"immediately " if self.immediate else ""}precedes{bound}',
            'absence': f'never occurs{bound}',
                  'existence': f'eventually occurs{bound}'}[self.family]
        right = f' {self.right.text()}' if self.right else ''
        text = f'Property {self.name};\n{scope}{self.left.text()}\n{family}{right}\n'
        for o in self.options:
            text += {'must': lambda: f'{o[1]} must occur\n',
                'may never': lambda: f'{o[1]} may never occur\n',
                'cannot': lambda: f'one of {", ".join(o[1])} cannot occur before {o[2]}\n',
                     'may': lambda: f'one of {", ".join(o[1])} may occur before {o[2]}\n'}[o[0]]()
        return text + (f'repeatability: {"true" if self.repeats else "false"}\n' if self.right
            else '')

    def has_obligation(self):
        """Whether something has no deadline."""
        return not self.is_strict and (bool(self.needs) or self.bound is None
            and self.family in ('response', 'existence'))


def named(option):
    return [option[2], *option[1]] if option[0] in ('cannot', 'may') else [option[1]]


# ---- random ones ----

def random_set(chance, events, plain):
    size = chance.choice((1, 1, 1, 2, 2, 3))
    chosen = chance.sample(events, min(size, len(events)))
    if plain:
        return Set('AN', [(e, 1, False) for e in chosen])
    exact = chance.choice((0, 0, 0.5, 1))
    kind = chance.choice(('AN', 'ALL Ordered', 'ALL Combined'))
    return Set(kind, [(e, chance.choice((1, 1, 1, 1, 2, 2, 3)), chance.random() < exact)
        for e in chosen])


def random_options(chance, events):
    options, said = [], {}
    for _ in range(chance.choice((0, 0, 0, 0, 1, 1, 2, 3))):
        kind = chance.choice(('must', 'must', 'may never', 'cannot', 'cannot', 'may'))
        if kind in ('must', 'may never'):
            event = chance.choice(events)
            if said.setdefault(event, kind) == kind:
                options.append((kind, event))
        elif len(events) > 1:
            before, *late = chance.sample(events, min(len(events), chance.randint(2, 3)))
            if all(said.get((e, before), kind) == kind for e in late):
                said.update(((e, before), kind) for e in late)
                options.append((kind, late, before))
    return options


def random_pattern(chance, name, events, timed=False):
    """Over at least four events."""
    family, scope = chance.choice(('response', 'response', 'precedence', 'absence', 'existence',
        'existence')), chance.choice(SCOPES)
    plain = chance.random() < 0.35
    close = chance.choice(events) if scope in ('before', 'between', 'until') else None
    inside = [e for e in events if e != close]
    open_ = chance.choice(inside) if scope in ('after', 'between', 'until') else None
    left = random_set(chance, inside[:], plain)
    if family in ('response', 'precedence'):
        rest = [e for e in inside if e not in left.events]
        if not rest:
            return random_pattern(chance, name, events, timed)
        right = random_set(chance, rest, plain)
    else:
        right = None
    options = random_options(chance, inside)
    return Pattern(name, scope, open_, close, family, left, right, right is not None
        and chance.random() < 0.2, chance.random() < 0.6, options, chance.randint(0, 2) if timed
        else None)


# ---- the machine ----

OUTSIDE, OVER, BROKEN, REJECT = ('outside',), ('over',), ('broken',), ('reject',)


class Monitor:
    """Configurations are OUTSIDE, OVER, BROKEN (what went wrong counts when the scope is closed),
    REJECT, or (stage, counts of the left set, counts of the right set, waits that are over, needs
    that are met).

    Stages: 'look' for the left set, 'wait' for the right one, 'answered', 'free' (the rounds ask
    for nothing any more)."""

    def __init__(self, pattern):
        self.p = pattern
        self.start = self.fresh() if pattern.open is None else OUTSIDE
        self.doomed = set()
        self.find_doomed()

    def fresh(self):
        p = self.p
        return ('look', p.left.zero(), p.right.zero() if p.right else (), (False,) * len(p.waits),
            (False,) * len(p.needs))

    def read(self, happening, config):
        """The one event that a step counts as, or None."""
        p = self.p
        if p.close is not None and p.close in happening:
            return p.close
        if config == OUTSIDE:
            return p.open if p.open in happening else None
        return next((e for e in p.letters if e in happening), None)

    def after(self, config, happening):
        """After a step."""
        if config in (OVER, REJECT):
            return config
        event = self.read(happening, config)
        after = config if event is None else self.count(config, event)
        return REJECT if after in self.doomed else after

    def count(self, config, event):
        p = self.p
        if config == OUTSIDE:
            return self.fresh() if event == p.open else config
        if event == p.close:
            if config == BROKEN or self.is_unmet(config):
                return REJECT
            return OVER if p.scope == 'before' else OUTSIDE
        if config == BROKEN:
            return config
        stage, left, right, over, met = config
        for (late, _), is_over in zip(p.waits, over):
            if event in late and not is_over:
                return self.bad()
        over = tuple(o or event == before for (_, before), o in zip(p.waits, over))
        met = tuple(m or event == need for need, m in zip(p.needs, met))
        stage, left, right = getattr(self, p.family)(stage, left, right, event)
        return self.bad() if stage == 'bad' else (stage, left, right, over, met)

    def bad(self):
        return BROKEN if self.p.is_strict else REJECT

    def is_inside(self, config):
        return len(config) == 5

    def is_unmet(self, config):
        """Something is asked for that has not come."""
        stage, _, _, _, met = config
        return not all(met) or (self.p.family, stage) in (('response', 'wait'),
            ('existence', 'look'))

    def is_pending(self, config):
        """Something is owed that has no deadline."""
        if not self.is_inside(config) or self.p.is_strict:
            return False
        return self.is_unmet(config) if self.p.bound is None else not all(config[4])

    # Rounds: (stage, left, right) after an event inside of the scope; stage 'bad' is a violation.

    def begin(self, event):
        p = self.p
        left = p.left.after(p.left.zero(), event)
        return ('wait' if p.left.occurred(left) else 'look'), left, p.right.zero()

    def answered(self, left, right, event):
        p = self.p
        if event in p.right.surplus(right):
            return 'bad', left, right
        if event in p.left.begins():
            return self.begin(event) if p.repeats else ('free', p.left.zero(), p.right.zero())
        return 'answered', left, right

    def response(self, stage, left, right, event):
        p = self.p
        if stage == 'look':
            if event in p.left.surplus(left):
                return 'bad', left, right
            left = p.left.after(left, event)
            return ('wait' if p.left.occurred(left) else 'look'), left, right
        if stage == 'wait':
            if event in p.left.surplus(left) or event in p.right.surplus(right):
                return 'bad', left, right
            now = p.right.after(right, event)
            if p.immediate and now == right and event not in p.right.more(right):
                return 'bad', left, right
            return ('answered' if p.right.occurred(now) else 'wait'), left, now
        return self.answered(left, right, event) if stage == 'answered' else (stage, left, right)

    def precedence(self, stage, left, right, event):
        p = self.p
        if stage == 'look':
            if event in p.left.surplus(left):
                return 'bad', left, right
            left, right = p.left.after(left, event), p.right.after(right, event)
            if p.left.occurred(left):
                return 'wait', left, p.right.zero()
            return ('bad' if p.right.occurred(right) else 'look'), left, right
        if stage == 'wait':
            if event in p.left.surplus(left) or event in p.right.surplus(right):
                return 'bad', left, right
            now = p.right.after(right, event)
            if p.immediate and now == right and event not in p.right.more(right):
                return self.begin(event)
            return ('answered' if p.right.occurred(now) else 'wait'), left, now
        return self.answered(left, right, event) if stage == 'answered' else (stage, left, right)

    def existence(self, stage, left, right, event):
        s = self.p.left
        if event in s.surplus(left):
            return 'bad', left, right
        left = s.after(left, event)
        return ('answered' if s.occurred(left) else 'look'), left, right

    def absence(self, stage, left, right, event):
        left = self.p.left.after(left, event) if stage == 'look' else left
        return ('bad' if stage == 'look' and self.p.left.occurred(left) else stage), left, right

    # Time.

    def is_timed(self, config):
        p = self.p
        if p.bound is None or not self.is_inside(config):
            return False
        if p.family == 'precedence':
            return config[0] == 'wait' or config[0] == 'answered' and p.repeats
        return config[0] == ('wait' if p.family == 'response' else 'look')

    def late(self, config):
        """The bound is over."""
        _, left, right, over, met = config
        p = self.p
        if p.family in ('response', 'existence'):
            after = self.bad()
        elif p.family == 'absence':
            after = ('free', left, right, over, met)
        else:
            after = ('look', p.left.zero(), p.right.zero(), over, met)
        return REJECT if after in self.doomed else after

    def find_doomed(self):
        """Configurations from which no steps lead to one where a run may stay."""
        p = self.p
        found, work, before = {self.start}, [self.start], {}
        while work:
            config = work.pop()
            nexts = [self.late(config)] if self.is_timed(config) else []
            if config not in (OVER, REJECT):
                nexts += [self.count(config, e)
                    for e in ([p.open, p.close] if config == OUTSIDE else [*p.letters, p.close])
                    if e is not None]
            for other in nexts:
                before.setdefault(other, set()).add(config)
                if other not in found:
                    found.add(other)
                    work.append(other)
        self.configs = found
        good = {c for c in found if c != REJECT and not self.is_pending(c) and not self.is_timed(c)}
        work = list(good)
        while work:
            for config in before.get(work.pop(), ()):
                if config not in good:
                    good.add(config)
                    work.append(config)
        self.doomed = found - good - {REJECT}


def verdict(graph, monitor):
    """(violated, rejected) for a graph with `first`, `is_cut(state)` and `steps(state)`, which
    gives pairs of a set of events and a state."""
    first = (graph.first, REJECT if monitor.start in monitor.doomed else monitor.start)
    nexts, work = {}, [first]
    while work:
        node = work.pop()
        if node in nexts:
            continue
        state, config = node
        nexts[node] = [(other, monitor.after(config, events)) for events,
            other in graph.steps(state)]
        if monitor.is_timed(config) and not graph.is_cut(state):
            nexts[node].append((state, monitor.late(config)))
        work += nexts[node]
    rejected = any(config == REJECT for _, config in nexts)
    owing = {n for n in nexts if monitor.is_pending(n[1]) and not graph.is_cut(n[0])}
    return rejected or stays(owing, nexts, lambda n: not nexts[n]), rejected


def stays(inside, nexts, is_stuck):
    """Whether a run can stay in these nodes for ever: there is a cycle of them, or a stuck one,
    which repeats."""
    if any(is_stuck(n) for n in inside):
        return True
    before, left = {n: [] for n in inside}, {}
    for n in inside:
        left[n] = 0
        for other in nexts[n]:
            if other in before:
                before[other].append(n)
                left[n] += 1
    work = [n for n in inside if not left[n]]
    gone = len(work)
    while work:
        for n in before[work.pop()]:
            left[n] -= 1
            if not left[n]:
                work.append(n)
                gone += 1
    return gone < len(inside)


# ---- LTL ----

def land(*parts):
    result = TRUE
    for f in reversed(parts):
        if f == FALSE or result == FALSE:
            result = FALSE
        elif f != TRUE:
            result = f if result == TRUE else ('and', f, result)
    return result


def lnot(f):
    return f[1] if f[0] == 'not' else ('not', f)


def lor(*parts):
    return lnot(land(*map(lnot, parts)))


def until(f, g):
    return g if g in (TRUE, FALSE) else ('U', f, g)


def weak(f, g):
    return TRUE if TRUE in (f, g) else ('W', f, g)


def after_step(f):
    return f if f == TRUE else ('X', f)


class Formula:
    """The formula of a pattern without a bound; None when it is not short."""

    def __init__(self, pattern):
        self.p = pattern
        self.first = () if pattern.close is None else (pattern.close,)
        self.end = FALSE if pattern.close is None else ('step', pattern.close, ())
        self.size = 0
        try:
            inside = self.inside()
            self.formula = None if inside is None else self.scoped(inside)
        except TooLong:
            self.formula = None

    def letter(self, event):
        """The step counts as this event."""
        return ('step', event, self.first + tuple(self.p.letters[:self.p.letters.index(event)]))

    def none(self, events):
        """The step counts as none of these, and does not end the scope."""
        return land(lnot(self.end), *(lnot(self.letter(e)) for e in events))

    def scoped(self, inside):
        p = self.p
        if p.is_strict:
            inside = lor(lnot(until(TRUE, self.end)), inside)
        if p.open is None:
            return inside
        opened = ('step', p.open, self.first)
        once = weak(lnot(opened), land(opened, after_step(inside)))
        if p.scope == 'after':
            return once
        return land(once, self.always(lor(lnot(self.end), after_step(once)), FALSE))

    def always(self, f, end):
        return weak(f, end)

    def inside(self):
        p = self.p
        body = getattr(self, p.family)()
        if body is None:
            return None
        needs = [until(self.none([e]), self.letter(e)) for e in p.needs]
        waits = [weak(self.none(late), lor(self.letter(before), self.end)) for late,
            before in p.waits]
        return land(body, *needs, *waits)

    def collect(self, s, counts, is_strong, forbidden, done):
        """The set is looked for, and then `done(counts)` holds from the next step on. Forbidden:
        what must not happen meanwhile, given the counts."""
        self.size += 1
        if self.size > 14:
            raise TooLong
        if s.occurred(counts):
            return done(counts)
        ways = [land(self.letter(s.events[i]),
            after_step(self.collect(s, s.plus(counts, i), is_strong, forbidden, done)))
            for i in s.counted(counts)]
        stay = self.none([s.events[i] for i in s.counted(counts)]
            + [e for e in forbidden(counts) if e not in [s.events[i] for i in s.counted(counts)]])
        return until(stay, lor(*ways)) if is_strong else weak(stay, lor(self.end, *ways))

    def no_more(self, events, begins=()):
        """None of these until the scope ends or one of the others comes."""
        return weak(self.none([*events, *begins]),
            lor(self.end, *map(self.letter, begins))) if events else TRUE

    def absence(self):
        plain = Set(self.p.left.kind, [(e, n, False) for e, n, _ in self.p.left.items])
        return lnot(self.collect(plain, plain.zero(), True, lambda counts: [], lambda counts: TRUE))

    def existence(self):
        s = self.p.left
        return self.collect(s, s.zero(), True, s.surplus,
            lambda counts: self.no_more(s.surplus(counts)))

    def wait(self, left_surplus, right_counts):
        p = self.p
        events = left_surplus + p.right.surplus(right_counts)
        if p.immediate:
            events += [e for e in p.letters if e not in events
                and e not in p.right.more(right_counts)]
        return events

    def response(self):
        p = self.p
        left, right = p.left, p.right
        if not p.repeats:
            def waiting(left_counts):
                return self.collect(right, right.zero(), True,
                    lambda counts: self.wait(left.surplus(left_counts), counts),
                    lambda counts: self.no_more(right.surplus(counts), left.begins()))
            return self.collect(left, left.zero(), False, left.surplus, waiting)
        if not (left.is_plain() or left.is_single()) or not (right.is_plain() or right.is_single()):
            return None
        one = left.plus(left.zero(), 0)
        answer = self.collect(right, right.zero(), True,
            lambda counts: self.wait(left.surplus(one), counts), lambda counts: TRUE)
        begins = lor(*map(self.letter, left.events))
        always = self.always(lor(lnot(begins), after_step(answer)), self.end)
        if right.is_plain():
            return always
        again = self.always(lor(lnot(self.letter(right.events[0])),
            after_step(self.no_more(right.events, left.events))), self.end)
        return land(always, weak(self.none(left.events),
            lor(self.end, land(begins, after_step(again)))))

    def precedence(self):
        p = self.p
        left, right = p.left, p.right
        if p.immediate or not (right.is_plain() or right.is_single()):
            return None
        if not p.repeats:
            def waiting(left_counts):
                return self.collect(right, right.zero(), False,
                    lambda counts: left.surplus(left_counts),
                    lambda counts: self.no_more(right.surplus(counts), left.begins()))
            return self.collect(left, left.zero(), False, lambda counts: left.surplus(counts)
                + right.events, waiting)
        if not (left.is_plain() or left.is_single()):
            return None
        first = weak(self.none(right.events), lor(self.end, *map(self.letter, left.events)))
        parts = [first]
        if not right.is_plain():
            parts.append(self.always(lor(lnot(self.letter(right.events[0])), after_step(first)),
                self.end))
        if not left.is_plain():
            parts.append(self.always(lor(lnot(self.letter(left.events[0])),
                after_step(self.no_more(left.events, right.events))), self.end))
        return land(*parts)


def weakened(f, positive=True):
    """Negations at the events, and nothing asked for any more once the run is cut."""
    op = f[0]
    cut = ('cut',)
    if op == 'not':
        return weakened(f[1], not positive)
    if op == 'true':
        return TRUE if positive else cut
    if op == 'step':
        return ('or', cut, f if positive else lnot(f))
    if op == 'X':
        return ('or', cut, ('X', weakened(f[1], positive)))
    a, b = (weakened(part, positive) for part in f[1:])
    if positive or op in ('and', 'or'):
        return (op if positive else {'and': 'or', 'or': 'and'}[op], a, b)
    return ({'U': 'W', 'W': 'U'}[op], b, ('and', a, b))


def operators(f):
    return 0 if f[0] == 'step' else (f[0] in ('X', 'U', 'W')) + sum(operators(part)
        for part in f[1:])


def steps_in(f):
    """The different steps of a formula."""
    if f[0] == 'step':
        return [f]
    found = []
    for part in f[1:]:
        found += [x for x in steps_in(part) if x not in found]
    return found


def helper(step, name):
    """An observer that every such step moves from one of its two states to the other."""
    _, event, others = step
    edges = [f'{a} -- / / {e} / -> {a if e in others else b}' for a,
        b in (('start', 'odd'), ('odd', 'start')) for e in (*others, event)]
    return f'property {name} is {{\n    ' + ';\n    '.join(edges) + '\n}\n'


def written(f, names, cut):
    """In the notation of Cairn's own text form; names: of the helpers."""
    op = f[0]
    if op == 'true':
        return 'true'
    if op == 'cut':
        return cut
    if op == 'step':
        odd = f'(eq "{names[f]}.state" 1)'
        return f'(or (and {odd} (next (not {odd}))) (and (not {odd}) (next {odd})))'
    name = {'U': 'until', 'W': 'weak', 'X': 'next'}.get(op, op)
    return f'({name} {" ".join(written(part, names, cut) for part in f[1:])})'
