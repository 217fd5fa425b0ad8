"""A second exploration of untimed programs, to test the first one: it interprets statements instead
of compiling them, and finds paths by replaying.

A run asks `choose(n)` wherever there is a choice (which transition, which branch, which value); the
answers are a list of numbers, and all lists are tried one after the other.  It shares with the
other implementation the parser, the instances (model.py) and the operations on values (values.py).
"""
from fiacre import values as V
from fiacre.model import Model
from fiacre.parse import parse
from fiacre.paths import SENT_ANY
from fiacre.values import MAX, MIN


class Dead(Exception):
    """The path is not enabled."""


class Return(Exception):
    pass


class Choices:
    """Enumerates lists of answers: the last answer that can be larger becomes so, what is behind it
    is forgotten."""

    def __init__(self):
        self.answers, self.sizes, self.at = [], [], 0

    def choose(self, n):
        if n == 0:
            raise Dead()
        if self.at == len(self.answers):
            self.answers.append(0)
            self.sizes.append(n)
        self.at += 1
        return self.answers[self.at - 1]

    def advance(self):
        self.at = 0
        while self.answers and self.answers[-1] + 1 == self.sizes[-1]:
            self.answers.pop()
            self.sizes.pop()
        if not self.answers:
            return False
        self.answers[-1] += 1
        return True


class Naive:
    def __init__(self, text, functions, dialect='obp'):
        self.model, self.functions = Model(text, dialect), functions
        self.g = self.model.g

    # ---- expressions: env gives names: ('slot', n, type), ('value', v, type) or ('local', [v],
    # type) ----
    def get(self, name, env):
        kind, what, t = env.get(name) or self.g.constants[name]
        return self.state[what] if kind == 'slot' else what[0] if kind == 'local' else what

    def type_of(self, e, env):
        """The type of a place, call or queue expression, else None."""
        if e[0] == 'name' and (e[1] in env or e[1] in self.g.constants):
            return (env.get(e[1]) or self.g.constants[e[1]])[2]
        if e[0] in ('name', 'call'):
            return (self.functions[e[1]].result_type if e[1] in self.functions
                    else self.g.constructors[e[1]][0][0])
        if e[0] == 'index':
            return self.type_of(e[1], env)[2]
        if e[0] == 'field':
            return dict(self.type_of(e[1], env)[1])[e[2]]
        if e[0] == 'un' and e[1] in ('dequeue', 'first'):
            t = self.type_of(e[2], env)
            return t if e[1] == 'dequeue' else t[2]
        if e[0] == 'bin' and e[1] in ('enqueue', 'append'):
            return self.type_of(e[2], env)
        return None

    def eval(self, e, env):
        kind = e[0]
        if kind in ('num', 'bool'):
            return e[1]
        if kind == 'name':
            if e[1] in env or e[1] in self.g.constants:
                return self.get(e[1], env)
            union, number = self.g.constructors[e[1]][0]
            return V.make(union, number, None)
        if kind == 'call':
            return self.call(e, env)
        if kind == 'index':
            return V.item(self.eval(e[1], env), self.eval(e[2], env))
        if kind == 'field':
            return self.eval(e[1], env)[[f for f, _ in self.type_of(e[1], env)[1]].index(e[2])]
        if kind == 'cond':
            return self.eval(e[2] if self.eval(e[1], env) else e[3], env)
        if kind in ('array', 'queue'):
            return tuple(self.eval(x, env) for x in e[1])
        if kind == 'record':
            fields = next(t[1] for t in self.g.types.values() if t[0] == 'record'
                          and {f for f, _ in t[1]} == {f for f, _ in e[1]})
            given = {f: self.eval(x, env) for f, x in e[1]}
            return tuple(given[f] for f, _ in fields)
        return self.unary(e, env) if kind == 'un' else self.binary(e, env)

    def unary(self, e, env):
        value = self.eval(e[2], env)
        if e[1] == 'not':
            return not value
        if e[1] == '-':
            return V.within(-value, MIN, MAX)
        if e[1] == 'full':
            return len(value) == self.type_of(e[2], env)[1]
        return {'+': lambda: value, '$': lambda: value, 'empty': lambda: value == (),
                'length': lambda: len(value),
                'first': lambda: V.first(value), 'dequeue': lambda: V.dequeue(value)}[e[1]]()

    def binary(self, e, env):
        op, a = e[1], self.eval(e[2], env)
        if op in ('and', 'or'):
            return self.eval(e[3], env) if a == (op == 'and') else a
        b = self.eval(e[3], env)
        if op in ('enqueue', 'append'):
            t = self.type_of(e[2], env)
            return (V.enqueue if op == 'enqueue' else V.append)(a, t[1], V.convert(b, t[2]))
        if op in ('=', '<>', '<', '<=', '>', '>='):
            return {'=': lambda: a == b, '<>': lambda: a != b, '<': lambda: a < b,
                    '<=': lambda: a <= b, '>': lambda: a > b, '>=': lambda: a >= b}[op]()
        return V.within(
            {'+': lambda: a + b, '-': lambda: a - b, '*': lambda: a * b,
             '/': lambda: V.divide(a, b), '%': lambda: V.remainder(a, b)}[op](), MIN, MAX)

    def call(self, e, env):
        values = [self.eval(x, env) for x in e[2]]
        if e[1] not in self.functions:
            union, number = self.g.constructors[e[1]][0]
            return number, V.convert(values[0], union[2][number][1])
        f = self.functions[e[1]]
        inner = {name: ('local', [V.convert(v, t)], t)
                 for (name, _), v, t in zip(f.parameters, values, f.types)}
        for name, t, value, _ in f.variables:
            t = self.g.type(t)
            inner[name] = 'local', [V.convert(self.eval(value, inner), t) if value
                                    else V.default(t)], t
        try:
            self.block(f.body, inner)
        except Return as result:
            return V.convert(result.args[0], f.result_type)
        raise V.Failure('a function that does not return')

    # ---- patterns and statements ----
    def store(self, place, value, env):
        """The innermost type is checked; then the variable is rebuilt from inside out."""
        if place[0] == 'name':
            kind, what, t = env[place[1]]
            V.convert(value, t)
            if kind == 'slot':
                self.state[what] = value
            else:
                what[0] = value
            return
        t, old = self.type_of(place[1], env), self.eval(place[1], env)
        at = (self.eval(place[2], env) if place[0] == 'index'
              else [f for f, _ in t[1]].index(place[2]))
        V.convert(value, t[2] if place[0] == 'index' else t[1][at][1])
        self.store(place[1], V.with_item(old, at, value), env)

    def matches(self, pattern, value, env):
        """Whether it matches; variables are assigned."""
        if pattern[0] == 'any':
            return True
        if pattern[0] in ('num', 'bool'):
            return pattern[1] == value
        if pattern[0] == 'name' and pattern[1] not in env:
            return self.eval(pattern, env) == value
        if pattern[0] == 'con':
            _, number = self.g.constructors[pattern[1]][0]
            return value[0] == number and self.matches(pattern[2], value[1], env)
        self.store(pattern, value, env)
        return True

    def block(self, statements, env):
        """Runs statements of a function or a loop; returns what ended the path, or None."""
        for s in statements:
            ended = getattr(self, 'do_' + s[0])(s, env)
            if ended:
                return ended
        return None

    def do_null(self, s, env):
        pass

    do_tag = do_wait = do_null

    def do_to(self, s, env):
        return s

    do_loop = do_to

    def do_return(self, s, env):
        raise Return(self.eval(s[1], env))

    def do_on(self, s, env):
        if not self.eval(s[1], env):
            raise Dead()

    def do_assign(self, s, env):
        values = [self.eval(e, env) for e in s[2]]
        for pattern, value in zip(s[1], values):
            if not self.matches(pattern, value, env):
                raise Dead()

    def do_choose(self, s, env):
        for pattern in s[1]:
            values = V.values(self.type_of(pattern, env))
            self.store(pattern, values[self.choices.choose(len(values))], env)
        if s[2] and not self.eval(s[2], env):
            raise Dead()

    def branch(self, s, env):
        """The block of an if, case or select that is taken."""
        if s[0] == 'if':
            return next((block for condition, block in s[1] if self.eval(condition, env)), s[2])
        if s[0] == 'case':
            value = self.eval(s[1], env)
            for pattern, block in s[2]:
                if self.matches(pattern, value, env):
                    return block
            raise Dead()
        branches = [(group, block) for group, blocks in enumerate(s[1]) for block in blocks]
        group, block = branches[self.choices.choose(len(branches))]
        if self.tops is not None and group < self.tops.get((self.here, s[-1]), 0):
            raise Dead()
        if len(s[1]) > 1:
            self.passed = (self.here, s[-1]), group
        return block

    def do_if(self, s, env):
        return self.block(self.branch(s, env), env)

    do_case = do_if

    def do_while(self, s, env):
        n = 0
        while self.eval(s[1], env):
            n = V.count_iteration(n)
            ended = self.block(s[2], env)
            if ended:
                return ended
        return None

    def do_foreach(self, s, env):
        for value in V.values(env[s[1]][2]):
            self.store(('name', s[1]), value, env)
            ended = self.block(s[2], env)
            if ended:
                return ended
        return None

    def do_sync(self, s, env):
        return 'meet', s

    do_send = do_receive = do_sync

    # ---- steps ----
    def runs(self, S, run):
        """All states that run() can lead to, once for each list of choices; errors are passed
        over."""
        self.choices = Choices()
        while True:
            self.state, self.passed = list(S), None
            try:
                run()
                yield tuple(self.state)
            except (Dead, V.Failure):
                pass
            if not self.choices.advance():
                return

    def start(self, i):
        """Process i chooses a transition and runs to its end or to a communication; what follows a
        communication is kept for later."""
        process = self.model.processes[i]
        self.here = i
        blocks = [block for state, block, _ in process.unit.transitions
                  if process.unit.states.index(state) == self.origin[process.control]]
        block = blocks[self.choices.choose(len(blocks))]
        return self.resume(process, block)

    def resume(self, process, statements):
        """Runs statements to an end or a communication.  Branches are put in place of what chose
        them, so that the rest is always known."""
        while statements:
            s, rest = statements[0], statements[1:]
            if s[0] in ('if', 'case', 'select'):
                statements = self.branch(s, process.scope) + rest
                continue
            ended = getattr(self, 'do_' + s[0])(s, process.scope)
            if ended and ended[0] == 'meet':
                return s, rest
            if ended:
                if ended[0] == 'to':
                    self.state[process.control] = process.unit.states.index(ended[1])
                return None, None
            statements = rest
        raise AssertionError('a path without an end')

    def silent(self, i):
        meeting, _ = self.start(i)
        if meeting:
            raise Dead()

    def joint(self, port, group):
        met = []
        for i in group:
            s, rest = self.start(i)
            if s is None or self.model.processes[i].ports[s[1]] is not port:
                raise Dead()
            met.append((i, s, rest))
        senders = [m for m in met if m[1][0] == 'send']
        self.exchange(port, met, senders)
        for i, _, rest in senders + [m for m in met if m not in senders]:
            self.here = i
            self.resume(self.model.processes[i], rest)

    def exchange(self, port, met, senders):
        offered = []
        for i, s, _ in senders:
            scope = self.model.processes[i].scope
            offered.append(
                [SENT_ANY if e == 'any' else V.convert(self.eval(e, scope), t)
                 for e, t in zip(s[2], port.channel)])
        values = []
        for position, t in enumerate(port.channel):
            fixed = {o[position] for o in offered} - {SENT_ANY}
            if len(fixed) > 1:
                raise Dead()
            options = list(fixed) or V.values(t)
            values.append(options[self.choices.choose(len(options))])
        for i, s, _ in met:
            if s[0] == 'receive':
                scope = self.model.processes[i].scope
                if (not all(self.matches(p, v, scope) for p, v in zip(s[2], values)) or s[3]
                    and not self.eval(s[3], scope)):
                    raise Dead()

    def successors(self, S):
        self.origin, self.tops = S, None
        tops = {}
        for i in range(len(self.model.processes)):
            for _ in self.runs(S, lambda: self.silent(i)):
                if self.passed:
                    tops[self.passed[0]] = max(tops.get(self.passed[0], 0), self.passed[1])
        self.tops = tops
        silent = [T for i in range(len(self.model.processes))
                  for T in self.runs(S, lambda: self.silent(i))]
        joint = {}
        for port in self.model.ports:
            for number, group in enumerate(port.groups):
                joint[port.index, number] = list(self.runs(S, lambda: self.joint(port, group)))
        enabled = {key for key, found in joint.items() if found}
        return silent + [T for key, found in joint.items()
                         if not self.model.above.get(key, set()) & enabled for T in found]


def explore(text, initial, dialect='obp', limit=None):
    """(states, transitions, deadlocks), from given initial states (init is not done here); None
    above the limit."""
    functions = {d.name: d for d in parse(text).declarations if d.kind == 'function'}
    naive = Naive(text, functions, dialect)
    for f in functions.values():
        f.types, f.result_type = [naive.g.type(t) for _, t in f.parameters], naive.g.type(f.result)
    seen, stack, transitions, deadlocks = set(initial), list(initial), 0, 0
    while stack:
        out = naive.successors(stack.pop())
        transitions += len(out)
        deadlocks += not out
        fresh = set(out) - seen
        seen |= fresh
        stack += fresh
        if limit and transitions > limit:
            return None
    return len(seen), transitions, deadlocks
