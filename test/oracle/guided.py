"""Models composed with guides by brute force: what a search with --guide must find.

A system has `rules`, each with the names that its interaction goes by (best first; none: a step
that is no interaction), `initial()`, `steps(state)`: [(rule, state after it, or None: it fails)],
and `is_possible(state, rule)` for those that fail: a step that would fail can wait for a guide,
too. A guide is an automaton of guides.py with the names that its file mentions or ignores. A state
of the product is (state of the system, state of the guide), unrolled to a bound also the number of
interactions so far."""
import itertools
import re
from types import SimpleNamespace

import guides
import oracle
from temporal import is_propositional

# ---- guides as texts ----

TOKEN = re.compile(r'\s+|//[^\n]*|("[^"]*"|\w+|\|\||\[\]|.)')
POSTFIX = {'?': 'opt', '*': 'star', '+': 'plus'}


class Reader:
    """Reads what `--split` writes: definitions stand before the guides that use them."""

    def __init__(self, text):
        self.tokens, self.at = [token for token in TOKEN.findall(text) if token] + [''], 0
        self.defined = {}

    def take(self, *expected):
        token = self.tokens[self.at]
        assert not expected or token in expected, (token, expected)
        self.at += 1
        return token

    def sees(self, *expected):
        return self.tokens[self.at] in expected

    def file(self):
        """({name: tree}, ignored names)"""
        found, ignored = {}, []
        while not self.sees(''):
            word = self.take('guide', 'let', 'ignore')
            if word != 'ignore':
                name = self.take()
                self.take('=')
                self.defined[name] = self.term()
                if word == 'guide':
                    found[name] = self.defined[name]
            else:
                ignored.append(self.take().strip('"'))
                while self.sees(','):
                    self.take()
                    ignored.append(self.take().strip('"'))
            self.take(';')
        return found, ignored

    def joined(self, sign, part, make):
        parts = [part()]
        while (self.sees(sign)
               and not (sign == ';'
                        and self.tokens[self.at + 1] in ('guide', 'let', 'ignore', ''))):
            self.take()
            parts.append(part())
        return make(parts)

    def term(self):
        return self.joined('||',
                           lambda: self.joined('[]',
                                               lambda: self.joined(';', self.repeated, guides.seq),
                                               guides.alt), guides.par)

    def counts(self):
        self.take('{')
        low = high = int(self.take())
        if self.take(',', '}') == ',':
            high = int(self.take())
            self.take('}')
        return low, high

    def repeated(self):
        tree = self.single()
        while self.sees('?', '*', '+', '{'):
            tree = ('rep', *self.counts(), tree) if self.sees('{') else (POSTFIX[self.take()], tree)
        return tree

    def single(self):
        if self.sees('('):
            self.take()
            tree = self.term()
            self.take(')')
            return tree
        if self.sees('{'):
            low, high = self.counts()
            self.take('of')
            self.take('[')
            terms = [self.term()]
            while self.take(',', ']') == ',':
                terms.append(self.term())
            return ('of', low, high, tuple(terms))
        name = self.take()
        if name in self.defined:
            return self.defined[name]
        return guides.BOTTOM if name == 'skip' else ('event', name.strip('"'))


def mentioned(tree):
    """What is to happen no times is mentioned, too: it is known, and forbidden."""
    if tree[0] == 'event':
        return {tree[1]}
    return set().union(
        *(mentioned(part) for part in (tree[3] if tree[0] == 'of' else tree[1:])
          if isinstance(part, tuple)))


class Guide:
    def __init__(self, tree, text, ignored):
        """text: of the term; ignored: names."""
        self.tree, self.names, self.ignored = tree, mentioned(tree), set(ignored)
        self.dfa = guides.automaton(tree, 600)
        quoted = ', '.join(f'"{name}"' for name in sorted(ignored))
        self.text = f'guide g = {text};\n' + (f'ignore {quoted};\n' if ignored else '')

    def part(self, tree):
        """The same file, another term: a part knows what the whole guide mentions."""
        other = SimpleNamespace(tree=tree, names=self.names, ignored=self.ignored,
                                dfa=guides.automaton(tree, 4000))
        return other

    def is_finite(self):
        colour = [0] * len(self.dfa)

        def cyclic(state):
            colour[state] = 1
            found = any(colour[to] == 1 or colour[to] == 0 and cyclic(to)
                        for to in self.dfa[state].values())
            colour[state] = 2
            return found
        return not cyclic(0)


def random_guide(rng, names, shape=None, special=0.15):
    """names: lists of the names that go for an interaction; a guide that speaks of some of them,
    and with this probability by any of its names, not by the last one."""
    plain = sorted({each[-1] if rng.random() >= special else rng.choice(each) for each in names})
    rng.shuffle(plain)
    loose = [name for name in plain[:rng.randint(0, max(0, len(plain) - 1))] if rng.random() < 0.5]
    chosen = ([name for name in plain if name not in loose and rng.random() < 0.93] or plain[:1]
              or ['ghost'])
    loose = [name for name in loose if name not in chosen]
    if rng.random() < 0.1:
        chosen.append('ghost')
    stand_in = [f'zq{i}z' for i in range(len(chosen))]
    shape = (shape
             or rng.choice(
        ['any', 'any', 'then all', 'beside all', 'neutral', 'finite', 'one failure']))
    everything = guides.alt([('event', name) for name in stand_in])
    all_text = '(' + ' [] '.join(stand_in) + ')*'
    while True:
        if shape == 'neutral':
            tree, text = ('star', everything), all_text
        else:
            tree, text, _ = guides.generate(rng, stand_in, rng.choice([1, 2, 2, 3]))
            if shape == 'then all':
                tree, text = ('seq', tree, ('star', everything)), f'({text}); {all_text}'
            if shape == 'beside all':
                some = rng.sample(stand_in, rng.randint(1, min(2, len(stand_in))))
                tree, text = ('par', ('star', guides.alt([('event', name) for name in some])),
                              tree), '(' + ' [] '.join(some) + f')* || ({text})'
            if shape == 'one failure' and len(stand_in) > 1:
                first, rest = stand_in[0], stand_in[1:4]
                low, high = rng.choice([(0, 1), (1, 1), (0, 2), (1, 2)])
                tree, text = (
                    ('par', ('star', ('event', first)),
                     ('of', low, high, tuple(('event', name) for name in rest))),
                    f'{first}* || {{{low},{high}}} of [{", ".join(rest)}]')
        try:
            tree = real_names(tree, chosen)
            text = re.sub(r'"?zq(\d+)z"?', lambda match: spelled(rng, chosen[int(match.group(1))]),
                          text)
            made = Guide(tree, text, loose)
        except guides.TooLarge:
            continue
        if shape != 'finite' or made.is_finite():
            return made


def real_names(tree, chosen):
    if tree[0] == 'event':
        return ('event', chosen[int(tree[1][2:-1])])
    return tuple(tuple(real_names(each, chosen) for each in part) if tree[0] == 'of'
                 and isinstance(part, tuple) else real_names(part, chosen)
                 if isinstance(part, tuple) else part for part in tree)


def spelled(rng, name):
    return (name if re.fullmatch(r'[A-Za-z_]\w*', name)
            and name not in ('let', 'guide', 'ignore', 'skip', 'of', 'g') and rng.random() < 0.7
            else f'"{name}"')


# ---- the product ----


def ends_of(dfa, whole):
    """The states after which neither the guide goes on, nor the whole that it is a part of,
    whatever led there."""
    seen, todo = {(0, 0)}, [(0, 0)]
    for a, b in todo:
        for label, to in dfa[a].items():
            pair = to, whole[b][label]
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return {a for a, b in seen if not dfa[a]} - {a for a, b in seen if whole[b]}


class Product:
    """graph: as oracle.explore has it, with `ends` (stuck states that are no deadlocks) and
    `rounds`: per (state, state of the guide) the fewest interactions that lead there."""

    def __init__(self, system, guide, bound=None, part_of=None, limit=60000):
        self.system, self.guide, self.bound = system, guide, bound
        self.ends = ends_of(guide.dfa, (part_of or guide).dfa)
        spoken = guide.names | guide.ignored
        self.kind = []      # per rule: 'internal', 'forbidden' or its interaction
        for names in system.rules:
            name = next((each for each in names if each in spoken), None)
            self.kind.append(('internal',) if not names or name in guide.ignored else ('forbidden',)
                             if name is None else ('name', name))
        self.explore(limit)
        self.count_rounds()

    def after(self, g, k, rule):
        """(state of the guide, interactions) after a step, or None: it is not allowed."""
        kind = self.kind[rule]
        if kind[0] == 'internal':
            return g, k
        if (kind[0] == 'forbidden' or kind[1] not in self.guide.dfa[g] or k is not None
            and k == self.bound):
            return None
        return self.guide.dfa[g][kind[1]], None if k is None else k + 1

    def explore(self, limit):
        start = None if self.bound is None else 0
        self.nodes = [(s, 0, start) for s in self.system.initial()]
        number = {node: i for i, node in enumerate(self.nodes)}
        g = SimpleNamespace(states=[], successors=[], taken=[], errors=[],
                            distance=[0] * len(self.nodes), initial=list(range(len(self.nodes))),
                            complete=True, ends=set())
        at = 0
        while at < len(self.nodes):
            s, where, k = self.nodes[at]
            nexts, taken, errors, waits = [], [], 0, False
            for rule, target in self.steps_at(s, where, k):
                there = self.after(where, k, rule)
                if there is None:
                    waits |= target is not None or self.system.is_possible(s, rule)
                elif target is None:
                    errors += 1
                else:
                    node = (target, *there)
                    if node not in number:
                        number[node] = len(self.nodes)
                        self.nodes.append(node)
                        g.distance.append(g.distance[at] + 1)
                    nexts.append(number[node])
                    taken.append(rule)
            g.states.append(s)
            g.successors.append(nexts)
            g.taken.append(taken)
            g.errors.append(errors)
            if not nexts and self.is_end(where, k, waits):
                g.ends.add(at)
            at += 1
            if len(self.nodes) > limit:
                raise guides.TooLarge
        self.graph, self.number = g, number

    def steps_at(self, s, where, k):
        """Steps of the system; those that the guide does not allow are only waited for."""
        return self.system.steps(s)

    def is_end(self, where, k, waits):
        """Of a stuck state."""
        if self.guide.dfa[where]:
            return k is not None and k == self.bound
        return waits and where in self.ends

    def count_rounds(self):
        """0-1 breadth-first: steps that are no interactions cost nothing."""
        g, self.rounds = self.graph, {}
        level, depth = list(g.initial), 0
        while level:
            following, todo = [], [n for n in dict.fromkeys(level) if n not in self.rounds]
            self.rounds.update((n, depth) for n in todo)
            while todo:
                n = todo.pop()
                for rule, to in zip(g.taken[n], g.successors[n]):
                    if self.kind[rule][0] == 'name':
                        following.append(to)
                    elif to not in self.rounds:
                        self.rounds[to] = depth
                        todo.append(to)
            level, depth = following, depth + 1
        counts = [0] * (max(self.rounds.values()) + 1)
        for depth in self.rounds.values():
            counts[depth] += 1
        self.states_by_round = counts

    def counts(self):
        g = self.graph
        dead = sum(not nexts for nexts in g.successors) - len(g.ends)
        return {'states': len(self.nodes), 'transitions': sum(map(len, g.successors)),
                'initial_states': len(g.initial), 'deadlocks': dead, 'ends': len(g.ends),
                'errors': sum(g.errors)}

    def is_cut(self):
        """Whether the guide has words that are longer than the bound."""
        level = {0}
        for _ in range(self.bound):
            level = {to for state in level for to in self.guide.dfa[state].values()}
        return any(self.guide.dfa[state] for state in level)

    def model_states(self):
        return {s for s, _, _ in self.nodes}

    def verdicts(self):
        """{name: verdict} of the model's properties, 'deadlock' and 'runtime-error'."""
        found = {entry['name']: 'unknown' if entry['verdict'] == 'error' else entry['verdict']
                 for entry in self.system.check(self.graph)}
        found['deadlock'] = 'violated' if self.counts()['deadlocks'] else 'holds'
        return found


class Disabled(Product):
    """Of a system with priorities: what the guide does not allow holds nothing back. (A Product is
    the other reading: the system keeps its own rules.)"""

    def steps_at(self, s, where, k):
        steps = self.system.steps_alone(s)
        allowed = [rule for rule, _ in steps if self.after(where, k, rule) is not None]
        return [(rule, target) for rule, target in steps if rule not in allowed
                or not self.system.waits_for(rule, allowed)]


# ---- Milestones ----


class Milestones:
    def __init__(self, text):
        self.text, self.model = text, oracle.Model(text)
        self.rules, self.known = [], {}
        for (name, _, _), members in zip(self.model.rules, self.model.participants):
            label = name.rsplit('.', 1)[-1]
            self.rules.append([f'{member.name}.{label}' for member in members] + [label])
        self.in_each_state = {name for name, kind, f, _ in self.model.properties
                              if kind == 'invariant' or f[0] in ('AG', 'G')
                              and is_propositional(f[1])}
        self.may_fail = ('/' in re.sub(r'//[^\n]*|/\*.*?\*/', '', text, flags=re.S) or '%' in text
                         or 'mod' in text)

    def initial(self):
        return list(itertools.product(*(values for _, _, values in self.model.variables)))

    def steps(self, state):
        if state not in self.known:
            self.known[state] = found = []
            for rule, (_, conditions, assignments) in enumerate(self.model.rules):
                try:
                    if not all(condition(state) for condition in conditions):
                        continue
                    new = list(state)
                    for index, value in assignments:
                        new[index] = value(state)
                    found.append((rule, tuple(new)))
                except ZeroDivisionError:
                    found.append((rule, None))
        return self.known[state]

    def is_possible(self, state, rule):
        """Of a rule that fails: whether its conditions do not."""
        try:
            return all(condition(state) for condition in self.model.rules[rule][1])
        except ZeroDivisionError:
            return False

    def check(self, graph):
        return oracle.check(self.model, graph, False)


# ---- networks of small processes, as Fiacre and as text of a model ----


class Way:
    def __init__(self, **parts):
        self.__dict__.update(parts)

    def may(self, clock):
        return self.low <= clock and (self.high is None or clock <= self.high)


class Network:
    """Processes with places and ways between them; a way is nameless, has a tag, or is a party of a
    port, with or without a tag. A shared variable is asked for and set. With `timed`, ways without
    port have intervals, and there is no variable, and nobody uses ports. All that a rule needs is
    in `parties`: [(process, way)]."""

    def __init__(self, rng, timed=False):
        self.timed, self.ports = timed, [] if timed else ['a', 'b', 'c'][:rng.randint(0, 3)]
        count = rng.randint(1, 2) if timed else rng.randint(1, 3)
        self.places = [rng.randint(1, 3) for _ in range(count)]
        self.users = {port: sorted(rng.sample(range(count), rng.randint(1, count)))
                      for port in self.ports}
        self.has_variable = not timed and rng.random() < 0.6
        self.ways = [
            [self.random_way(rng, p, place) for place in range(self.places[p])
             for _ in range(rng.choice([0, 1, 1, 2, 2]) if place else rng.choice([1, 2, 2]))]
            for p in range(count)]
        self.combine()
        self.known, self.may_fail, self.in_each_state = {}, False, {'never'}

    def random_way(self, rng, p, place):
        ports = [port for port in self.ports if p in self.users[port]]
        port = rng.choice(ports) if ports and rng.random() < 0.5 else None
        first = port is None or self.users[port][0] == p    # only one party names and assigns
        tag = (rng.choice('xyzw') if first
               and rng.random() < (0.3 if port else 0.6 if not self.timed else 0.75) else None)
        low = rng.randint(0, 3)
        high = None if rng.random() < 0.2 else low + rng.randint(0, 3)
        return Way(place=place, port=port, tag=tag, target=rng.randrange(self.places[p]), low=low,
                   high=high,
                   test=rng.randrange(3) if self.has_variable and rng.random() < 0.4 else None,
                   value=rng.randrange(3) if self.has_variable and first and rng.random() < 0.5
                   else None)

    def combine(self):
        """One rule for each way without port and for each combination of ways of a port."""
        self.parties = [[(p, way)] for p, ways in enumerate(self.ways) for way in ways
                        if way.port is None]
        for port, users in self.users.items():
            self.parties += [list(each)
                             for each in itertools.product(
                *([(p, way) for way in self.ways[p] if way.port == port] for p in users))]
        self.rules = []
        for parties in self.parties:
            label = next((way.tag for _, way in parties if way.tag), parties[0][1].port)
            self.rules.append([f'P{p}[0].{label}' for p, _ in parties] + [label]
                              + [parties[0][1].port] * (parties[0][1].port not in (None, label))
                              if label else [])

    def initial(self):
        return [(*(0 for _ in self.places), 0)]

    def enabled(self, state, parties):
        return all(state[p] == way.place and way.test in (None, state[-1]) for p, way in parties)

    def steps(self, state):
        if state not in self.known:
            self.known[state] = found = []
            for rule, parties in enumerate(self.parties):
                if self.enabled(state, parties):
                    new = list(state)
                    for p, way in parties:
                        new[p] = way.target
                        new[-1] = new[-1] if way.value is None else way.value
                    found.append((rule, tuple(new)))
        return self.known[state]

    def check(self, graph):
        """What text() says as properties."""
        bad = any(state[0] == self.places[0] - 1 and state[-1] == 2 * self.has_variable
                  for state in graph.states)
        return [{'name': 'never', 'verdict': 'violated' if bad else 'holds'},
                {'name': 'runtime-error', 'verdict': 'holds'}]

    def fiacre(self):
        lines = ['type Small is 0..2'] if self.has_variable else []
        for p, ways in enumerate(self.ways):
            ports = [port for port in self.ports if p in self.users[port]]
            shown = ', '.join(f'{port} : none' for port in ports)
            lines.append(f'process P{p} {"[" + shown + "] " if ports else ""}'
                         f'{"(&v : Small) " if self.has_variable else ""}is')
            lines += [f'  states {", ".join(f"p{i}" for i in range(self.places[p]))}',
                      '  init to p0']
            for way in ways:
                parts = [f'on v = {way.test}'] if way.test is not None else []
                if self.timed:
                    parts.append(
                        f'wait [{way.low}, {"..." if way.high is None else way.high}'
                        f'{"[" if way.high is None else "]"}')
                parts += ([way.port] if way.port else []) + ([f'v := {way.value}']
                                                             if way.value is not None else [])
                lines.append(f'  from p{way.place} '
                             + '; '.join(parts
                                         + [(f'/*@{way.tag}*/ ' if way.tag else '')
                                            + f'to p{way.target}']))
        lines.append('component Sys is')
        if self.has_variable:
            lines.append('  var v : Small := 0')
        if self.ports:
            lines.append(f'  port {", ".join(self.ports)} : none')
        blocks = []
        for p in range(len(self.ways)):
            ports = [port for port in self.ports if p in self.users[port]]
            blocks.append(f'P{p}' + (f'[{", ".join(ports)}]' if ports else '')
                          + ('(&v)' if self.has_variable else ''))
        lines += [f'  par {"* in " if self.ports else ""}{" || ".join(blocks)} end',
                  f'property never is ltl [] not (P0 @ '
                  f'p{self.places[0] - 1}{" and v = 2" if self.has_variable else ""})', 'Sys']
        return '\n'.join(lines) + '\n'

    def cairn(self):
        lines = ['cairn 1 model "network"'] + (['ticks 1'] if self.timed else [])
        for p, places in enumerate(self.places):
            lines.append(f'process "P{p}[0]" type "P{p}" pc "P{p}[0].pc"'
                         + ''.join(f' location {i} "p{i}"' for i in range(places)))
        lines += [f'variable "P{p}[0].pc" of "P{p}[0]" 0..{places - 1} = 0'
                  for p, places in enumerate(self.places)]
        lines += ['variable "v" 0..2 = 0'] if self.has_variable else []
        for names, parties in zip(self.rules, self.parties):
            label, port = (names[len(parties)], parties[0][1].port) if names else ('nameless', None)
            text = f'rule "{label}"' + (' internal' if not names else '') + (f' port "{port}"'
                if port and port != label else '')
            for p, way in parties:
                text += f' part "P{p}[0]" when (eq "P{p}[0].pc" {way.place})' + (
                    f' when (eq "v" {way.test})' if way.test is not None else '')
            for p, way in parties:
                text += f' set "P{p}[0].pc" {way.target}' + (f' set "v" {way.value}'
                                                             if way.value is not None else '')
            if self.timed:
                way = parties[0][1]
                text += f' interval [ {way.low} , ' + ('infinity )' if way.high is None
                                                       else f'{way.high} ]')
            lines.append(text)
        condition = f'(eq "P0[0].pc" {self.places[0] - 1})'
        if self.has_variable:
            condition = f'(and {condition} (eq "v" 2))'
        return '\n'.join(lines
                         + [f'property "never" ltl formula (globally (not {condition}))']) + '\n'


class Ranked(Network):
    """Ports have priorities; in the text form other rules may have some, too."""

    def __init__(self, rng):
        super().__init__(rng)
        order = rng.sample(self.ports, len(self.ports))
        links = [(high, low) for high, low in itertools.combinations(order, 2)
                 if rng.random() < 0.7]
        self.links = set(links) # and what follows from them, which need not be written
        while True:
            more = {(a, d) for a, b in self.links for c, d in self.links if b == c} - self.links
            if not more:
                break
            self.links |= more
        self.written = links
        self.is_plain = rng.random() < 0.5 # as Fiacre knows it
        self.classes = [parties[0][1].port
                        or (None if self.is_plain or not order else rng.choice([None, *order]))
                        for parties in self.parties]

    def waits_for(self, rule, others):
        return any((self.classes[other], self.classes[rule]) in self.links for other in others)

    def steps_alone(self, state):
        return super().steps(state)

    def steps(self, state):
        found = self.steps_alone(state)
        return [(rule, target) for rule, target in found
                if not self.waits_for(rule, [other for other, _ in found])]

    def fiacre(self):
        links = ', '.join(f'{high} > {low}' for high, low in self.written)
        return super().fiacre().replace('\n  par ',
                                        f'\n  priority {links}\n  par ' if links else '\n  par ', 1)

    def cairn(self):
        lines, number = super().cairn().splitlines(), 0
        lines[0] += f' classes {len(self.ports)}' + ''.join(
            f' priority {self.ports.index(high)} > {self.ports.index(low)}'
            for high, low in self.written)
        for i, line in enumerate(lines):
            if line.startswith('rule '):
                name = self.classes[number]
                lines[i] += '' if name is None else f' class {self.ports.index(name)}'
                number += 1
        return '\n'.join(lines) + '\n'


def timed_product(network, guide, most=150000, filters=False):
    """{(places, state of the guide): fewest interactions} by brute force over clocks that are whole
    numbers: with closed bounds and without priorities nothing else is needed. A rule has a clock
    while its process is there and the guide allows it (with `filters`, also where the guide does
    not): it starts when that becomes true, and when its process moves. None: too many. With
    `filters` also whether some state is stuck, in whole numbers."""
    plain = Product(network, guide)
    rules = list(zip(network.parties, plain.kind))
    top = 1 + max((way.high or way.low for parties in network.parties for _, way in parties),
                  default=0)

    def clocks_after(state, g, old, moved):
        new = []
        for rule, (parties, _) in enumerate(rules):
            can = (network.enabled(state, parties)
                   and (filters or plain.after(g, None, rule) is not None))
            new.append((old[rule] if old and old[rule] is not None and parties[0][0] != moved
                        else 0) if can else None)
        return tuple(new)

    first = network.initial()[0]
    level, depth, found, seen = [(first, 0, clocks_after(first, 0, None, None))], 0, {}, set()
    # for being stuck: where time leads, and where something can be taken
    later_of, moving = {}, set()
    while level:
        following, todo = [], [node for node in dict.fromkeys(level) if node not in seen]
        seen.update(todo)
        while todo:
            state, g, clocks = todo.pop()
            found.setdefault((state, g), depth)
            later = tuple(None if clock is None else min(clock + 1, top) for clock in clocks)
            after = []
            if (all(clock is None or parties[0][1].high is None or clock <= parties[0][1].high
                    for clock, (parties, _) in zip(later, rules))):
                after.append((False, (state, g, later)))
                later_of[state, g, clocks] = (state, g, later)
            for rule, target in network.steps(state):
                there = plain.after(g, None, rule)
                p, way = network.parties[rule][0]
                if there and way.may(clocks[rule]):
                    moving.add((state, g, clocks))
                    after.append(
                        (plain.kind[rule][0] == 'name',
                         (target, there[0], clocks_after(target, there[0], clocks, p))))
            for counts, node in after:
                if counts:
                    following.append(node)
                elif node not in seen:
                    seen.add(node)
                    todo.append(node)
            if len(seen) > most:
                return None
        level, depth = following, depth + 1
    if not filters:
        return found

    def is_stuck(node):
        passed = set()
        while node not in moving:
            if node not in later_of or node in passed:
                return True
            passed.add(node)
            node = later_of[node]
        return False
    stuck = {(node[0], node[1]) for node in seen if is_stuck(node)}
    return found, stuck
