"""Guides (xGDL) by the inference rules of the paper (Le Roux and Teodorov, SEFM 2019, section 3.2),
to the letter: a term's steps are computed from its text alone, the automaton is what is reached,
and sets of terms are made deterministic and minimal in the simplest way. Slow, and independent of
the program.

Two additions to the rules, without which the paper's own examples (handle*; f; handle*) would be
stuck: skip; C may become C, and {i,j} of n terms with j > n is {min(i,n),n} ("the size can not
exceed n")."""

BOTTOM = ('bottom',)
TAU = None


def seq(parts):
    """a; (b; (c ...))"""
    whole = parts[-1]
    for part in reversed(parts[:-1]):
        whole = ('seq', part, whole)
    return whole


def alt(parts):
    whole = parts[-1]
    for part in reversed(parts[:-1]):
        whole = ('alt', part, whole)
    return whole


def par(parts):
    whole = parts[-1]
    for part in reversed(parts[:-1]):
        whole = ('par', part, whole)
    return whole


def steps(term):
    """[(label or TAU, term)]"""
    kind = term[0]
    if kind == 'bottom':
        return []
    if kind == 'event':
        return [(term[1], BOTTOM)]
    if kind == 'seq':
        first, second = term[1:]
        if first == BOTTOM:
            return [(TAU, second)]
        if first[0] == 'event':
            return [(first[1], second)]
        return [(label, ('seq', after, second)) for label, after in steps(first)]
    if kind == 'alt':
        return [(TAU, term[1]), (TAU, term[2])]
    if kind == 'par':
        first, second = term[1:]
        found = [(label, ('par', after, second))
                 for label, after in steps(first)] + [(label, ('par', first, after))
                                                      for label, after in steps(second)]
        if first == BOTTOM:
            found.append((TAU, second))
        if second == BOTTOM:
            found.append((TAU, first))
        return found
    if kind == 'opt':
        return [(TAU, ('alt', BOTTOM, term[1]))]
    if kind == 'star':
        return [(TAU, ('opt', ('seq', term[1], term)))]
    if kind == 'plus':
        return [(TAU, ('seq', term[1], ('star', term[1])))]
    if kind == 'rep':
        low, high, body = term[1:]
        if low > 0:
            return [(TAU, ('seq', body, ('rep', low - 1, high - 1, body)))]
        if high > 0:
            return [(TAU, ('opt', ('seq', body, ('rep', 0, high - 1, body))))]
        return [(TAU, BOTTOM)]
    low, high, terms = term[1:]
    high = min(high, len(terms))
    low = min(low, high)
    if not terms or high == 0:
        return [(TAU, BOTTOM)]
    found = []
    for k, one in enumerate(terms):
        rest = terms[:k] + terms[k + 1:]
        if low > 0:
            found.append((TAU, ('seq', one, ('of', low - 1, high - 1, rest))))
        else:
            found.append((TAU, ('opt', ('seq', one, ('of', 0, high - 1, rest)))))
    return found


class TooLarge(Exception):
    pass


def close(terms, known, limit):
    """What is reached without an interaction."""
    found, todo = set(terms), list(terms)
    while todo:
        term = todo.pop()
        if term not in known:
            known[term] = steps(term)
            if len(known) > limit:
                raise TooLarge
        for label, after in known[term]:
            if label is TAU and after not in found:
                found.add(after)
                todo.append(after)
    return frozenset(found)


def automaton(term, limit=4000):
    """The minimal automaton: a list of dictionaries from labels to states; 0 is the first state.
    All states accept."""
    known = {}
    start = close([term], known, limit)
    number, sets, edges = {start: 0}, [start], []
    for terms in sets:
        after = {}
        for one in terms:
            for label, to in known[one]:
                if label is not TAU:
                    after.setdefault(label, set()).add(to)
        edges.append({})
        for label in sorted(after):
            to = close(after[label], known, limit)
            if to not in number:
                number[to] = len(sets)
                sets.append(to)
                if len(sets) > limit:
                    raise TooLarge
            edges[-1][label] = number[to]
    return minimal(edges)


def minimal(edges):
    block = [0] * len(edges)
    while True:
        signs = [(block[s], tuple(sorted((label, block[to]) for label, to in edges[s].items())))
                 for s in range(len(edges))]
        names = {}
        refined = [names.setdefault(sign, len(names)) for sign in signs]
        if len(names) == len(set(block)):
            break
        block = refined
    order, result = {block[0]: 0}, []
    example = [0]
    for s in example:
        result.append({})
        for label in sorted(edges[s]):
            to = block[edges[s][label]]
            if to not in order:
                order[to] = len(example)
                example.append(edges[s][label])
            result[-1][label] = order[to]
    return result


def transitions(dfa):
    return sum(len(edges) for edges in dfa)


def unrolled(dfa, bound):
    """(states, transitions, paths, words of each length)"""
    level, states, edges, paths, lengths = {0: 1}, 1, 0, 0, [1]
    for _ in range(bound):
        following = {}
        for state, count in level.items():
            if not dfa[state]:
                paths += count
            for to in dfa[state].values():
                edges += 1
                following[to] = following.get(to, 0) + count
        level = following
        states += len(level)
        lengths.append(sum(level.values()))
    return states, edges, paths + sum(level.values()), lengths


def words(dfa, most, order):
    """The first words, shorter ones first, those of a length by the order of labels."""
    found, todo = [], [((), 0)]
    while todo and len(found) < most:
        following = []
        for word, state in todo:
            found.append(list(word))
            for label in sorted(dfa[state], key=order.index):
                following.append((word + (label,), dfa[state][label]))
        todo = following
    return found[:most]


def difference(a, b, both):
    """The length of a shortest word of a (or, with both, of either) that the other one does not
    have; None: there is none."""
    seen, todo, length = {(0, 0)}, [(0, 0)], 0
    while todo:
        following = []
        for p, q in todo:
            for label in set(a[p]) | set(b[q]):
                x, y = a[p].get(label), b[q].get(label)
                if x is None and not both:
                    continue
                if x is None or y is None:
                    return length + 1
                if (x, y) not in seen:
                    seen.add((x, y))
                    following.append((x, y))
        todo, length = following, length + 1
    return None


def allows(dfa, word):
    state = 0
    for label in word:
        state = dfa[state].get(label)
        if state is None:
            return False
    return True


# ---- random terms, as trees and texts ----

STRENGTH = {'par': 0, 'alt': 1, 'seq': 2}


def generate(random, labels, depth):
    """(tree, text, strength of the text's outermost operator)"""
    kind = random.choice(['event'] * 2 + ['skip'] if depth == 0
                         else ['event', 'seq', 'seq', 'alt', 'par', 'opt', 'star', 'plus', 'rep',
                               'of', 'of'])
    if kind == 'skip' and random.random() < 0.6:
        kind = 'event'
    if kind == 'skip':
        return BOTTOM, 'skip', 4
    if kind == 'event':
        label = random.choice(labels)
        return ('event', label), f'"{label}"' if random.random() < 0.05 else label, 4
    if kind in STRENGTH:
        parts = [generate(random, labels, depth - 1) for _ in range(random.choice((2, 2, 3)))]
        texts = [text if strength > STRENGTH[kind] and random.random() < 0.9 else f'({text})'
                 for _, text, strength in parts]
        sign = {'par': '||', 'alt': '[]', 'seq': ';'}[kind]
        between = random.choice((f' {sign} ', sign, f'{sign} '))
        return {'par': par, 'alt': alt,
                'seq': seq}[kind]([tree for tree, _, _ in parts]), between.join(texts), STRENGTH[
            kind]
    low = random.randint(0, 2)
    high = low + random.randint(0, 2)
    count = f'{{{low}}}' if low == high else f'{{{low},{high}}}'
    if kind == 'of':
        parts = [generate(random, labels, random.randint(0, depth - 1))
                 for _ in range(random.randint(1, 4))]
        return (('of', low, high, tuple(tree for tree, _, _ in parts)),
                f'{count} of [{", ".join(text for _, text, _ in parts)}]', 4)
    body, text, strength = generate(random, labels, depth - 1)
    text = text if strength > 2 else f'({text})'
    if kind == 'rep':
        return ('rep', low, high, body), text + count, 3
    return (kind, body), text + {'opt': '?', 'star': '*', 'plus': '+'}[kind], 3
