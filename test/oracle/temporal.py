"""Plain evaluation of CTL and LTL on an explicit graph: part of the reference implementation of the
tests.

A graph is a list of successor lists over states 0 .. n-1; every state must have a successor. 
Formulas are the tuples of milparse.  Parts without temporal operators are handed, whole, to
`atom(formula, state)`.
"""
import itertools

BOOLEAN = {'true', 'false', 'cmp', 'not', 'and', 'or', 'imp', 'iff'}


def is_propositional(f):
    if f[0] in ('true', 'false', 'cmp'):
        return True
    return f[0] in BOOLEAN and all(is_propositional(part) for part in f[1:])


# ---- CTL: the set of states that satisfy a formula ----
class Ctl:
    def __init__(self, successors, atom):
        self.successors, self.atom = successors, atom
        self.all = set(range(len(successors)))
        self.predecessors = [set() for _ in successors]
        for state, nexts in enumerate(successors):
            for other in nexts:
                self.predecessors[other].add(state)

    def ex(self, f):
        return {p for state in f for p in self.predecessors[state]}

    def eu(self, f, g):
        result, work = set(g), list(g)
        while work:
            for p in self.predecessors[work.pop()]:
                if p in f and p not in result:
                    result.add(p)
                    work.append(p)
        return result

    def eg(self, f):
        result = set(f)
        left = {s: sum(t in result for t in set(self.successors[s])) for s in result}
        work = [s for s in result if left[s] == 0]
        while work:
            state = work.pop()
            result.discard(state)
            for p in self.predecessors[state]:
                if p in result:
                    left[p] -= 1
                    if left[p] == 0:
                        work.append(p)
        return result

    def sat(self, f):
        if is_propositional(f):
            return {s for s in self.all if self.atom(f, s)}
        op, args = f[0], [self.sat(part) for part in f[1:]]
        every = self.all
        a = args[0]
        b = args[1] if len(args) > 1 else None
        if op == 'not':
            return every - a
        if op == 'and':
            return a & b
        if op == 'or':
            return a | b
        if op == 'imp':
            return (every - a) | b
        if op == 'iff':
            return every - (a ^ b)
        if op == 'EX':
            return self.ex(a)
        if op == 'EF':
            return self.eu(every, a)
        if op == 'EG':
            return self.eg(a)
        if op == 'AX':
            return every - self.ex(every - a)
        if op == 'AF':
            return every - self.eg(every - a)
        if op == 'AG':
            return every - self.eu(every, every - a)
        if op == 'EU':
            return self.eu(a, b)
        if op == 'EW':
            return self.eu(a, b) | self.eg(a)
        if op == 'ER':
            return every - self.au(every - a, every - b)
        if op == 'AU':
            return self.au(a, b)
        if (op == 'AW'):  # fails on a path along which not g lasts until neither f nor g
            return every - self.eu(every - b, every - (a | b))
        if op == 'AR':
            return every - self.eu(every - a, every - b)
        raise AssertionError(op)

    def au(self, f, g):
        """A path without f U g keeps g false for ever, or until both are false."""
        return self.all - (self.eg(self.all - g) | self.eu(self.all - g, self.all - (f | g)))


# ---- LTL: search for a path that satisfies the negation ----
def core(f):
    """The same formula with only atom, not, and, X, U."""
    if is_propositional(f):
        return ('atom', f)
    true = ('atom', ('true',))

    def negate(x):
        return x[1] if x[0] == 'not' else ('not', x)
    op, args = f[0], [core(part) for part in f[1:]]
    a = args[0]
    b = args[1] if len(args) > 1 else None
    if op == 'not':
        return negate(a)
    if op in ('and', 'X', 'U'):
        return (op, *args)
    if op == 'or':
        return negate(('and', negate(a), negate(b)))
    if op == 'imp':
        return negate(('and', a, negate(b)))
    if op == 'iff':
        return ('and', negate(('and', a, negate(b))), negate(('and', b, negate(a))))
    if op == 'F':
        return ('U', true, a)
    if op == 'G':
        return negate(('U', true, negate(a)))
    if op == 'R':
        return negate(('U', negate(a), negate(b)))
    if op == 'W':
        return negate(('and', negate(('U', a, b)), ('U', true, negate(a))))
    raise AssertionError(op)


def parts(f, kind):
    """All subformulas of one kind, without repetition."""
    found = [f] if f[0] == kind else []
    for part in f[1:] if f[0] != 'atom' else ():
        found += [x for x in parts(part, kind) if x not in found]
    return found


def ltl_holds(successors, initial, atom, f, fair=()):
    """Does f hold on every infinite path from every initial state?

    `fair` has pairs (states, steps): only paths count that meet one of the states or take one of
    the steps again and again.

    A node of the product is (state, promises): for every X h, and for every X (f U g) that unfolds
    an until, the promises say whether h holds in the next node.  A path of nodes that keeps its
    promises, and in which no until stays unfulfilled for ever, is a path of the graph labelled with
    the true formulas.  So f is violated if and only if some such path starts in an initial node
    where not f is true.
    """
    goal = ('not', core(f))
    atoms, untils = parts(goal, 'atom'), parts(goal, 'U')
    promised = [x[1] for x in parts(goal, 'X')]
    promised += [u for u in untils if u not in promised]
    slot = {h: i for i, h in enumerate(promised)}
    vectors = list(itertools.product((False, True), repeat=len(promised)))

    def truth(x, label, promises):
        if x[0] == 'atom':
            return label[x]
        if x[0] == 'not':
            return not truth(x[1], label, promises)
        if x[0] == 'and':
            return truth(x[1], label, promises) and truth(x[2], label, promises)
        if x[0] == 'X':
            return promises[slot[x[1]]]
        return truth(x[2], label, promises) or truth(x[1], label, promises) and promises[slot[x]]

    labels = [{a: bool(atom(a[1], s)) for a in atoms} for s in range(len(successors))]
    keys = [tuple(label.values()) for label in labels]
    keeps = {}  # label -> what the previous node must have promised -> the promises possible here
    starts, fulfilled = {}, {}
    for key, label in zip(keys, labels):
        if key in keeps:
            continue
        keeps[key] = {}
        for v in vectors:
            keeps[key].setdefault(tuple(truth(h, label, v) for h in promised), []).append(v)
            fulfilled[key,
                      v] = {u for u in untils if truth(u[2], label, v) or not truth(u, label, v)}
        starts[key] = [v for v in vectors if truth(goal, label, v)]

    def nexts(node):
        state, promises = node
        return [(t, v) for t in set(successors[state]) for v in keeps[keys[t]].get(promises, ())]

    def accepting(component):
        inside = set(component)
        if not any(other in inside for node in component for other in nexts(node)):
            return False
        done = set().union(*(fulfilled[keys[s], v] for s, v in component))
        if not all(u in done for u in untils):
            return False
        reached = {s for s, _ in component}
        steps = ({(s, other[0]) for s, v in component for other in nexts((s, v)) if other in inside}
                 if fair else set())
        return all(reached & states or steps & moves for states, moves in fair)

    roots = [(s, v) for s in initial for v in starts[keys[s]]]
    return not any(accepting(c) for c in components(roots, nexts))


def components(roots, nexts):
    """The strongly connected components reachable from the roots (Tarjan's algorithm without
    recursion)."""
    order, low, on_stack, stack = {}, {}, set(), []
    for root in roots:
        if root in order:
            continue
        work = [(root, None)]
        while work:
            node, rest = work.pop()
            if rest is None:
                order[node] = low[node] = len(order)
                stack.append(node)
                on_stack.add(node)
                rest = iter(nexts(node))
            for other in rest:
                if other not in order:
                    work += [(node, rest), (other, None)]
                    break
                if other in on_stack:
                    low[node] = min(low[node], order[other])
            else:
                if low[node] == order[node]:
                    component = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    yield component
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
