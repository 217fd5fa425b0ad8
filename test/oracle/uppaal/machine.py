"""Evaluates expressions and statements, and takes steps, at one point of time.

What a clock is, is for others to say: `clocks` has a number for each, in parts of a unit of time
(`unit` of them are one). A machine has one current state (`locations`, `values`, `clocks`), which
`load` sets and `save` gives; a state is a tuple of three tuples.
"""
from itertools import product
from .syntax import Refused
from .values import (Clock, Failure, Function, Process, Ref, Scope, frozen, index_range, plain,
                     thawed, values_of)

LIMIT = 100000 # iterations of a loop


class Returned(Exception):
    def __init__(self, value):
        super().__init__()
        self.value = value


class Difference:
    def __init__(self, left, right):
        self.left, self.right = left, right


def is_timed(value):
    return isinstance(value, (Clock, Difference))


def divide(a, b):
    if b == 0:
        raise Failure('division by zero')
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def shift(a, b):
    if b < 0:
        raise Failure('negative shift')
    return b


ARITHMETIC = {
    '+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b, '/': divide,
    '%': lambda a, b: a - b * divide(a, b), '**': lambda a, b: a ** b,
    '<<': lambda a, b: a << shift(a, b), '>>': lambda a, b: a >> shift(a, b),
    '<?': min, '>?': max, '&': lambda a, b: a & b, '|': lambda a, b: a | b,
    '^': lambda a, b: a ^ b}
COMPARISONS = {
    '<': lambda a, b: a < b, '<=': lambda a, b: a <= b, '==': lambda a, b: a == b,
    '!=': lambda a, b: a != b, '>=': lambda a, b: a >= b, '>': lambda a, b: a > b}


class Machine:
    def __init__(self):
        self.values, self.locations, self.clocks = [], [], []
        self.unit = 1
        self.all_clocks, self.channels, self.processes, self.sets = [], [], [], {}
        self.is_deadlocked = None # asked for the atom `deadlock` of queries

    # ---- states ----

    def load(self, state):
        self.locations[:] = state[0]
        self.values[:] = map(thawed, state[1])
        self.clocks[:] = state[2]

    def save(self):
        return (tuple(self.locations), tuple(map(frozen, self.values)), tuple(self.clocks))

    def first_state(self):
        return (tuple(process.initial for process in self.processes),
                tuple(map(frozen, self.first_values)),
                tuple(self.unit * value for value in self.first_clocks))

    # ---- expressions ----

    def evaluate(self, tree, scope):
        return getattr(self, 'eval_' + tree[0])(tree, scope)

    def truth(self, tree, scope):
        return tree is None or bool(self.evaluate(tree, scope))

    def eval_num(self, tree, _):
        return tree[1]

    def eval_name(self, tree, scope):
        found = scope.find(tree[1])
        if not isinstance(found, Ref):
            raise Refused(f'{tree[1]} is no variable')
        return found.get()

    def eval_index(self, tree, scope):
        return self.refer(tree, scope).get()

    def eval_dot(self, tree, scope):
        process = self.process_of(tree[1], scope)
        if process and tree[2] in process.number:
            return int(self.locations[process.index] == process.number[tree[2]])
        if process and tree[2] == 'location' and 'location' not in process.scope.names:
            return self.locations[process.index]
        return self.refer(tree, scope).get()

    def process_of(self, tree, scope):
        """The process that a tree names, or None: it names none."""
        arguments = ()
        if tree[0] == 'call':
            arguments = tuple(self.evaluate(each, scope) for each in tree[2])
            tree = tree[1]
        if tree[0] != 'name' or tree[1] not in self.sets:
            return None
        if isinstance(scope.find(tree[1]), Ref): # a variable hides it
            return None
        if arguments not in self.sets[tree[1]]:
            raise Refused(f'no process {tree[1]}{arguments}')
        return self.sets[tree[1]][arguments]

    def eval_unary(self, tree, scope):
        value = self.evaluate(tree[2], scope)
        return {'!': int(not value), '-': -value, '+': value}[tree[1]]

    def eval_binary(self, tree, scope):
        _, operator, left, right = tree
        if operator in ('&&', '||', 'imply'):
            first = self.truth(left, scope)
            if first == (operator == '||'):
                return int(operator != '&&')
            return int(self.truth(right, scope))
        if left[0] == 'rate':
            if operator != '==' or self.evaluate(right, scope) != 1:
                raise Refused('clock rate')
            return 1
        a, b = self.evaluate(left, scope), self.evaluate(right, scope)
        if operator == 'xor':
            return int(bool(a) != bool(b))
        if operator in COMPARISONS:
            if is_timed(a) or is_timed(b):
                return self.compare_times(operator, a, b)
            return int(COMPARISONS[operator](a, b))
        if is_timed(a) or is_timed(b):
            if operator != '-' or not (isinstance(a, Clock) and isinstance(b, Clock)):
                raise Refused('arithmetic of clocks')
            return Difference(a, b)
        return ARITHMETIC[operator](a, b)

    def compare_times(self, operator, a, b):
        return int(COMPARISONS[operator](self.time(a), self.time(b)))

    def time(self, value):
        """In parts of a unit."""
        if isinstance(value, Clock):
            return self.clocks[value.number]
        if isinstance(value, Difference):
            return self.time(value.left) - self.time(value.right)
        return self.unit * value

    def eval_cond(self, tree, scope):
        return self.evaluate(tree[2] if self.truth(tree[1], scope) else tree[3], scope)

    def eval_assign(self, tree, scope):
        return self.assign(tree, scope).get()

    def eval_step(self, tree, scope):
        _, operator, is_prefix, target = tree
        ref = self.refer(target, scope)
        old = ref.get()
        ref.set(self.fit(old + (1 if operator == '++' else -1), ref.type))
        return ref.get() if is_prefix else old

    def eval_rate(self, tree, scope):
        raise Refused('clock rate')

    def eval_each(self, tree, scope):
        _, word, name, type_, body = tree
        resolved, inner, total = self.resolve(type_, scope), Scope(scope), 0
        cell = [0]
        inner.names[name] = Ref(cell, (0,), resolved)
        for value in values_of(resolved):
            cell[0] = value
            if word == 'sum':
                total += self.evaluate(body, inner)
            elif self.truth(body, inner) == (word == 'exists'):
                return int(word == 'exists')
        return total if word == 'sum' else int(word == 'forall')

    def eval_deadlock(self, _tree, _scope):
        return int(self.is_deadlocked())

    def eval_call(self, tree, scope):
        function = None
        if tree[1][0] == 'name':
            function = scope.find(tree[1][1])
        elif tree[1][0] == 'dot' and self.process_of(tree[1][1], scope):
            function = self.process_of(tree[1][1], scope).scope.names.get(tree[1][2])
        if not isinstance(function, Function):
            raise Refused('a call of what is no function')
        inner = Scope(function.scope)
        for (type_, is_reference, name, dims), argument in zip(function.parameters, tree[2]):
            resolved = self.array(self.resolve(type_, function.scope), dims, function.scope)
            if is_reference:
                inner.names[name] = self.refer(argument, scope)
            else:
                value = self.fit(self.evaluate(argument, scope), resolved)
                inner.names[name] = Ref([plain(value)], (0,), resolved)
        try:
            self.run(function.body, inner)
        except Returned as returned:
            return (None if function.type[0] == 'void'
                    else self.fit(returned.value, function.type))
        if function.type[0] != 'void':
            raise Failure('a function ends without a value')
        return None

    # ---- variables ----

    def refer(self, tree, scope):
        if tree[0] == 'name':
            found = scope.find(tree[1])
            if not isinstance(found, Ref):
                raise Refused(f'{tree[1]} is no variable')
            return found
        if tree[0] == 'index':
            whole, key = self.refer(tree[1], scope), self.evaluate(tree[2], scope)
            if whole.type[0] != 'array':
                raise Refused('no array')
            _, low, size, element = whole.type
            if not low <= key < low + size:
                raise Failure('index out of range')
            return whole.part(key - low, element)
        if tree[0] == 'dot':
            return self.refer_member(tree, scope)
        if tree[0] == 'cond':
            return self.refer(tree[2] if self.truth(tree[1], scope) else tree[3], scope)
        if tree[0] == 'assign':
            return self.assign(tree, scope)
        if tree[0] == 'step' and tree[2]:
            self.eval_step(tree, scope)
            return self.refer(tree[3], scope)
        value = self.evaluate(tree, scope) # what a function returns, perhaps
        return Ref([value], (0,), ('int', -2 ** 31, 2 ** 31 - 1))

    def refer_member(self, tree, scope):
        process = self.process_of(tree[1], scope)
        if process:
            if tree[2] not in process.scope.names:
                raise Refused(f'{process.name} has no {tree[2]}')
            return process.scope.names[tree[2]]
        whole = self.refer(tree[1], scope)
        names = [name for name, _ in whole.type[1]] if whole.type[0] == 'struct' else []
        if tree[2] not in names:
            raise Refused(f'no member {tree[2]}')
        number = names.index(tree[2])
        return whole.part(number, whole.type[1][number][1])

    def assign(self, tree, scope):
        _, operator, target, source = tree
        ref = self.refer(target, scope)
        value = self.evaluate(source, scope)
        if ref.type[0] == 'clock':
            self.set_clock(ref.get(), value)
            return ref
        if operator != '=':
            value = ARITHMETIC[operator[:-1]](ref.get(), value)
        ref.set(plain(self.fit(value, ref.type)))
        return ref

    def set_clock(self, clock, value):
        if is_timed(value):
            raise Refused('a clock is set to a clock')
        if value < 0:
            raise Failure('a negative time')
        self.clocks[clock.number] = self.unit * value

    def fit(self, value, type_):
        """The value, if it is in the range of the type."""
        if type_[0] in ('int', 'scalar'):
            low, high = index_range(type_)
            if not low <= value <= high:
                raise Failure('value out of range')
        elif type_[0] == 'array':
            return [self.fit(each, type_[3]) for each in value]
        elif type_[0] == 'struct':
            return [self.fit(each, member) for each, (_, member) in zip(value, type_[1])]
        return value

    # ---- statements ----

    def last(self, trees, scope):
        value = 1
        for tree in trees:
            value = self.evaluate(tree, scope)
        return value

    def run(self, tree, scope):
        getattr(self, 'run_' + tree[0])(tree, scope)

    def run_block(self, tree, scope):
        inner = Scope(scope)
        for each in tree[1]:
            if each[0] == 'typedef':
                self.declare(each, inner)
            else:
                _, type_, name, dims, init = each
                resolved = self.array(self.resolve(type_, inner), dims, inner)
                inner.names[name] = Ref([self.first_value(resolved, init, inner)], (0,), resolved)
        for each in tree[2]:
            self.run(each, inner)

    def run_expr(self, tree, scope):
        self.last(tree[1], scope)

    def run_if(self, tree, scope):
        self.run(tree[2] if self.last(tree[1], scope) else tree[3], scope)

    def run_while(self, tree, scope):
        self.loop(tree[1], [], tree[2], scope)

    def run_for(self, tree, scope):
        self.last(tree[1], scope)
        self.loop(tree[2], tree[3], tree[4], scope)

    def run_do(self, tree, scope):
        self.run(tree[1], scope)
        self.loop(tree[2], [], tree[1], scope)

    def loop(self, condition, after, body, scope):
        for _ in range(LIMIT):
            if not self.last(condition, scope):
                return
            self.run(body, scope)
            self.last(after, scope)
        raise Refused('a loop does not end')

    def run_iterate(self, tree, scope):
        resolved = self.resolve(tree[2], scope)
        for value in values_of(resolved):
            inner = Scope(scope)
            inner.names[tree[1]] = Ref([value], (0,), resolved)
            self.run(tree[3], inner)

    def run_return(self, tree, scope):
        raise Returned(None if tree[1] is None else plain(self.evaluate(tree[1], scope)))

    def run_assert(self, tree, scope):
        if not self.last(tree[1], scope):
            raise Failure('an assertion fails')

    # ---- steps ----

    def place(self, process):
        return process.locations[self.locations[process.index]]

    def invariants_hold(self):
        return all(self.truth(self.place(process).invariant, process.scope)
                   for process in self.processes)

    def is_enabled(self, edge):
        return self.truth(edge.guard, edge.scope)

    def combinations(self):
        """(edges that go together, their channel or None) of the current state, with guards that
        hold; the first edge is the sender's. Invariants, commitment and priorities aside."""
        enabled = [[edge for edge in process.edges[self.locations[process.index]]
                    if self.is_enabled(edge)] for process in self.processes]
        heard = {} # (channel, process): edges that receive
        for process, edges in zip(self.processes, enabled):
            for edge in edges:
                if edge.sync and edge.sync[1] == '?':
                    channel = self.evaluate(edge.sync[0], edge.scope)
                    heard.setdefault((channel, process.index), []).append(edge)
        for process, edges in zip(self.processes, enabled):
            for edge in edges:
                if not edge.sync:
                    yield (edge,), None
                elif edge.sync[1] == '!':
                    channel = self.evaluate(edge.sync[0], edge.scope)
                    receivers = [heard[channel, other.index] for other in self.processes
                                 if other is not process and (channel, other.index) in heard]
                    if channel.broadcast:
                        for chosen in product(*receivers):
                            yield (edge, *chosen), channel
                    else:
                        for receiver in (each for edges in receivers for each in edges):
                            yield (edge, receiver), channel

    def take(self, edges):
        """The state after these edges from the current one, or None: invariants forbid it."""
        for edge in edges:
            self.locations[edge.process.index] = edge.target
        for edge in edges:
            for tree in edge.update:
                self.evaluate(tree, edge.scope)
        return self.save() if self.invariants_hold() else None

    def is_committed(self, edges):
        return any(self.place(edge.process).committed for edge in edges)

    def rank(self, edges, channel):
        return (channel.rank if channel else self.default_rank,
                max(edge.process.priority for edge in edges))

    def steps(self, state):
        """(edges, state after) of every step; in `failures` what went wrong in others."""
        self.load(state)
        found, self.failures = [], []
        committed = any(self.place(process).committed for process in self.processes)
        candidates = [(edges, channel) for edges, channel in list(self.combinations())
                      if not committed or self.is_committed(edges)]
        for edges, channel in candidates:
            self.load(state)
            try:
                after = self.take(edges)
            except Failure as failure:
                self.failures.append((self.rank(edges, channel), edges, str(failure)))
                continue
            if after:
                found.append((self.rank(edges, channel), edges, after))
        self.load(state)
        best = max((rank for rank, _, _ in found), default=None)
        if best is not None:
            self.failures = [each for each in self.failures if each[0] >= best]
        return [(edges, after) for rank, edges, after in found if rank == best]

    def may_wait(self, state):
        """Whether no location forbids that time passes."""
        self.load(state)
        return not any(self.place(process).committed or self.place(process).urgent
                       for process in self.processes)

    def is_urgent(self, state):
        """Whether a synchronisation over an urgent channel is enabled."""
        self.load(state)
        return any(channel and channel.urgent for _, channel in self.combinations())
