"""Guides (xGDL) by derivatives (Brzozowski, 1964): what is left of a term after an interaction is a
term again. A second construction, which shares nothing with the inference rules of guides.py but
the trees: no steps without an interaction, no sets of terms. Terms are kept in a normal form, so
that there are finitely many: choices are sets, operands of || are sorted, units vanish. NOTHING is
the term without a word, not even the empty one; no guide is."""
from guides import TooLarge, minimal

NOTHING, EMPTY = ('nothing',), ('empty',)


def choice(terms):
    found = set()
    for term in terms:
        found |= term[1] if term[0] == 'choice' else {term}
    found.discard(NOTHING)
    return (NOTHING if not found else found.pop() if len(found) == 1
            else ('choice', frozenset(found)))


def chain(first, second):
    if NOTHING in (first, second):
        return NOTHING
    if EMPTY in (first, second):
        return second if first == EMPTY else first
    return (('chain', first[1], chain(first[2], second)) if first[0] == 'chain'
            else ('chain', first, second))


def beside(terms):
    parts = []
    for term in terms:
        parts += term[1] if term[0] == 'beside' else [term]
    if NOTHING in parts:
        return NOTHING
    parts = sorted((part for part in parts if part != EMPTY), key=repr)
    return EMPTY if not parts else parts[0] if len(parts) == 1 else ('beside', tuple(parts))


def times(low, high, term):
    return EMPTY if high == 0 or term == EMPTY else ('times', low, high, term)


def some(low, high, terms):
    high = min(high, len(terms))
    return (EMPTY if high == 0
            else ('some', max(0, min(low, high)), high, tuple(sorted(terms, key=repr))))


def normal(tree):
    """A tree of guides.py in normal form."""
    kind = tree[0]
    if kind == 'bottom':
        return EMPTY
    if kind == 'event':
        return tree
    if kind == 'of':
        return some(tree[1], tree[2], [normal(each) for each in tree[3]])
    if kind == 'rep':
        return times(tree[1], tree[2], normal(tree[3]))
    parts = [normal(part) for part in tree[1:]]
    if kind in ('seq', 'alt', 'par'):
        return chain(*parts) if kind == 'seq' else choice(parts) if kind == 'alt' else beside(parts)
    ever = EMPTY if parts[0] == EMPTY else ('ever', parts[0])
    return (ever if kind == 'star' else chain(parts[0], ever) if kind == 'plus'
            else choice([EMPTY, parts[0]]))


def can_be_empty(term):
    kind = term[0]
    if kind == 'chain':
        return can_be_empty(term[1]) and can_be_empty(term[2])
    if kind in ('choice', 'beside'):
        return (any if kind == 'choice' else all)(map(can_be_empty, term[1]))
    if kind == 'times':
        return term[1] == 0 or can_be_empty(term[3])
    if kind == 'some':
        return sum(map(can_be_empty, term[3])) >= term[1]
    return kind in ('empty', 'ever')


def after(term, label):
    kind = term[0]
    if kind == 'event':
        return EMPTY if term[1] == label else NOTHING
    if kind == 'chain':
        return choice(
            [chain(after(term[1], label), term[2]),
             after(term[2], label) if can_be_empty(term[1]) else NOTHING])
    if kind == 'choice':
        return choice(after(each, label) for each in term[1])
    if kind == 'beside':
        return choice(beside([after(each, label), *term[1][:i], *term[1][i + 1:]])
                      for i, each in enumerate(term[1]))
    if kind == 'ever':
        return chain(after(term[1], label), term)
    if kind == 'times':
        return chain(after(term[3], label), times(max(0, term[1] - 1), term[2] - 1, term[3]))
    if kind != 'some':
        return NOTHING
    found = []
    for i, each in enumerate(term[3]):
        rest = some(term[1] - 1, term[2] - 1, term[3][:i] + term[3][i + 1:])
        found += [chain(after(each, label), rest),
                  after(rest, label) if can_be_empty(each) else NOTHING]
    return choice(found)


def automaton(tree, labels, limit=4000):
    """As guides.automaton. Every term that is left has a word, so every state accepts prefixes."""
    terms, edges = [normal(tree)], []
    number = {terms[0]: 0}
    for term in terms:
        edges.append({})
        for label in labels:
            rest = after(term, label)
            if rest == NOTHING:
                continue
            if rest not in number:
                number[rest] = len(terms)
                terms.append(rest)
                if len(terms) > limit:
                    raise TooLarge
            edges[-1][label] = number[rest]
    return minimal(edges)
