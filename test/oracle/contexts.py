"""Random systems with queues in random contexts, and their composition by brute force.

A context is a set of words: sequence is concatenation, alternatives are a union, interleaving is a
shuffle. What the environment may still do is the set of the words that are left, so equal futures
are equal sets and nothing is minimised. The system is a few machines, each with a queue, that
answer into one queue to the environment. Nothing of this is taken from the program that it
checks."""


def shuffle(a, b, memory):
    if not a or not b:
        return {a + b}
    if (a, b) not in memory:
        memory[a,
               b] = {(a[0],) + w for w in shuffle(a[1:], b, memory)} | {(b[0],) + w
            for w in shuffle(a, b[1:], memory)}
    return memory[a, b]


class TooLarge(Exception):
    pass


def words(term):
    """The words of a term: ('event', e), ('skip',), ('seq' | 'alt' | 'par', terms), ('loop', n,
    term)."""
    kind = term[0]
    if kind == 'event':
        return {(term[1],)}
    if kind == 'skip':
        return {()}
    if kind == 'loop':
        found = {()}
        for _ in range(term[1]):
            found = {a + b for a in found for b in words(term[2])}
    elif kind == 'alt':
        found = set().union(*(words(t) for t in term[1]))
    else:
        found, memory = {()}, {}
        for part in term[1]:
            other = words(part)
            if kind == 'par' and sum(len(a) + len(b) for a in found for b in other) > 3000:
                raise TooLarge
            found = ({a + b for a in found for b in other} if kind == 'seq'
                     else set().union(*(shuffle(a, b, memory) for a in found for b in other)))
            if len(found) > 3000:
                raise TooLarge
    if len(found) > 3000:
        raise TooLarge
    return found


STRENGTH = {'par': 1, 'alt': 2, 'seq': 3}
SIGN = {'par': ' || ', 'alt': ' [] ', 'seq': ' ; '}


def show(term, chance, outer=0):
    """The text of a term, with as few braces as the precedence allows, and sometimes more."""
    kind = term[0]
    if kind == 'event':
        return term[1].text(chance)
    if kind == 'skip':
        return 'skip'
    if kind == 'loop':
        body = show(term[2], chance, 4)
        return f'loop {term[1]} {body}'
    text = SIGN[kind].join(show(t, chance, STRENGTH[kind] + 1) for t in term[1])
    return '{ ' + text + ' }' if STRENGTH[kind] < outer or chance.random() < 0.2 else text


class Event:
    def __init__(self, name, kind, machine, value):
        self.name, self.kind, self.machine, self.value = name, kind, machine, value

    def body(self):
        if self.kind == 'send':
            return f'send {self.value} to {{M{self.machine}}}1'
        return f'receive {self.value}' if self.kind == 'receive' else f'sync t{self.value}'

    def text(self, chance):
        return chance.choice((self.body(), self.name, f'event {self.name}'))


class Case:
    def __init__(self, chance):
        self.values = chance.randint(1, 3)
        self.answers = chance.randint(1, 2)
        self.machines = [Machine(i, chance, self) for i in range(chance.randint(1, 2))]
        events = [Event(f's{m.number}_{v}', 'send', m.number, v) for m in self.machines
                  for v in range(self.values)]
        events += [Event(f'r{v}', 'receive', None, v) for v in range(self.values)]
        if any(b.tag is not None for m in self.machines for b in m.branches):
            events += [Event(f'y{t}', 'sync', None, t)
                       for t in {b.tag for m in self.machines for b in m.branches
                                 if b.tag is not None}]
        self.events = events
        self.init = self.term(chance, chance.randint(0, 1))
        self.main = self.term(chance, chance.randint(1, 3))
        self.words = words(('seq', [self.init, self.main]))
        self.tags = {e.value for e in self.mentioned(('seq', [self.init, self.main]))
                     if e.kind == 'sync'}
        self.context = ''.join(f'event {e.name} is {{ {e.body()} }}\n' for e in events)
        parts = [f'main is {{ {show(self.main, chance)} }}',
                 f'init is {{ {show(self.init, chance)} }}']
        chance.shuffle(parts)
        self.context += f'cdl c is {{ {" ".join(parts)} }}\n'
        self.model = self.text()

    def term(self, chance, depth):
        if depth == 0 or chance.random() < 0.2:
            return ('skip',) if chance.random() < 0.15 else ('event', chance.choice(self.events))
        kind = chance.choice(('seq', 'seq', 'alt', 'par', 'par', 'loop'))
        if kind == 'loop':
            return ('loop', chance.choice((0, 1, 2, 2, 3)), self.term(chance, depth - 1))
        return (kind, [self.term(chance, depth - 1) for _ in range(chance.randint(2, 3))])

    def mentioned(self, term):
        if term[0] == 'event':
            return [term[1]]
        parts = [term[2]] if term[0] == 'loop' else term[1] if len(term) > 1 else []
        return [e for part in parts for e in self.mentioned(part)]

    def text(self):
        head = (f'type Value is 0..{max(self.values - 1, 1)}\ntype Answers is queue {self.answers} '
                f'of Value\n')
        body = ''.join(m.text() for m in self.machines)
        variables = ', '.join(f'M{m.number}_1 : Box{m.number}' for m in self.machines)
        blocks = ' || '.join(f'M{m.number}(&M{m.number}_1, &toContext)' for m in self.machines)
        return (f'{head}{body}component Sys is\n  var {variables}, toContext : Answers\n  par '
                f'{blocks} end\nSys\n')

    def steps(self, state):
        """The successors, one for each step that is possible."""
        return (after for after, _ in self.tagged_steps(state))

    def tagged_steps(self, state):
        """The same, each with the tag of the step or None."""
        left, places, boxes, out = state
        firsts = {}
        for word in left:
            if word:
                firsts.setdefault(word[0].name, (word[0], set()))[1].add(word[1:])
        for event, rest in firsts.values():
            rest = frozenset(rest)
            if event.kind == 'send':
                box = boxes[event.machine]
                if len(box) < self.machines[event.machine].size:
                    yield (rest, places,
                           boxes[:event.machine] + (box + (event.value,),)
                           + boxes[event.machine + 1:], out), None
            elif event.kind == 'receive' and out[:1] == (event.value,):
                yield (rest, places, boxes, out[1:]), None
        tags = {event.value: frozenset(rest) for event, rest in firsts.values()
                if event.kind == 'sync'}
        for m in self.machines:
            for b in m.branches:
                box = boxes[m.number]
                if (places[m.number] != b.place or (b.value is not None and box[:1] != (b.value,))
                    or (b.answer is not None and len(out) == self.answers)):
                    continue
                if b.tag in self.tags and b.tag not in tags:
                    continue
                after = tags[b.tag] if b.tag in self.tags else left
                moved = places[:m.number] + (b.target,) + places[m.number + 1:]
                less = (boxes if b.value is None
                        else boxes[:m.number] + (box[1:],) + boxes[m.number + 1:])
                yield (after, moved, less, out if b.answer is None else out + (b.answer,)), b.tag

    def explore(self):
        first = (frozenset(self.words), (0,) * len(self.machines), ((),) * len(self.machines), ())
        closed = self.words == {()}
        seen, waiting, transitions, deadlocks = {first}, [first], 0, 0
        while waiting:
            state = waiting.pop()
            after = list(self.steps(state))
            transitions += len(after)
            deadlocks += not after and (closed or () not in state[0])
            for other in after:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
            if len(seen) > 20000:
                raise TooLarge
        return len(seen), transitions, deadlocks


class Branch:
    def __init__(self, place, value, answer, tag, target):
        self.place, self.value, self.answer, self.tag, self.target = (place, value, answer, tag,
            target)


class Machine:
    def __init__(self, number, chance, case):
        self.number = number
        self.size = chance.choice((1, 1, 2, 3))
        self.places = chance.randint(1, 3)
        self.branches = []
        for place in range(self.places):
            for value in [*range(case.values), None]:
                for _ in range(chance.choice((0, 1, 1, 2)) if value is not None
                               else chance.random() < 0.3):
                    answer = chance.randrange(case.values) if chance.random() < 0.4 else None
                    tag = chance.randint(0, 1) if chance.random() < 0.25 else None
                    self.branches.append(
                        Branch(place, value, answer, tag, chance.randrange(self.places)))

        if not self.branches: # a process without transitions is refused
            self.branches.append(Branch(0, 0, None, None, 0))

    def text(self):
        n = self.number
        text = (f'type Box{n} is queue {self.size} of Value\nprocess M{n} (&box : Box{n}, &ans : '
                f'Answers) is\n  states {", ".join(f"p{i}" for i in range(self.places))}\n  init '
                f'to p0\n')
        for place in range(self.places):
            ways = []
            for b in self.branches:
                if b.place != place:
                    continue
                way = ''
                if b.value is not None:
                    way += f'on not (empty box); on first box = {b.value}; '
                if b.answer is not None:
                    way += 'on not (full ans); '
                if b.value is not None:
                    way += 'box := dequeue box; '
                if b.answer is not None:
                    way += f'ans := enqueue(ans, {b.answer}); '
                way += f'/*@t{b.tag}*/ ' if b.tag is not None else ''
                ways.append(f'{way}to p{b.target}')
            if ways:
                text += f'  from p{place} select ' + '\n    [] '.join(ways) + ' end\n'
        return text


def make(chance):
    """A case that is not too large."""
    while True:
        try:
            case = Case(chance)
            case.explore()
            return case
        except TooLarge:
            continue
