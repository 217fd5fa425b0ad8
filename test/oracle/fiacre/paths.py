"""The computation paths of a process instance as Python functions on states.

A transition `from s ...` becomes a function path(S, out, com, bad, tr, top) that walks all paths of
    the statement from the state S, depth first: out(...)    a path ended without communication
    com(...)    a path came to a communication: its number, and the state in which what follows it
    goes on bad(...)    a path met a run-time error: the ways in which it could have ended (None:
silently, else a port's index), a message A communication has three more functions: the values it
sends, the patterns it matches, and the paths that follow it.

In a function, a variable that no path has written yet is read from S; one that may have been
written is a Python variable.  Where a path branches (select, any), each branch is a nested function
that gets the written variables as arguments, and what follows is another one: so branches do not
see each other's assignments.  Before such a statement everything it may write becomes a Python
variable, hence all functions that belong to it have the same parameters.  What is deterministic
(if, case, while, foreach) is plain Python; `return` ends a path.

With `traced`, a path carries what identifies it (tr: which transition, which branches and values
were chosen) and its `wait` interval (iv), for clocks.  `top` says, for each select with `unless`,
the last group that is enabled: earlier groups are skipped then (None: nothing is skipped); `ug` is
the group that a path went through.
"""
import itertools
from types import SimpleNamespace

from fiacre import values as V
from fiacre.code import (Writer, assign, base_name, checked, converted, expression, match,
                         place_type, stored)
from fiacre.parse import ModelError
from fiacre.values import BOOL

SENT_ANY = '<any>'              # a sent value that the others choose
EXCHANGES = ('sync', 'send', 'receive')
ENDS = ('to', 'loop', 'finish')
# What out(...) gets: the new state; with unless also the group; traced also (trace, wait interval,
# moved by `to`, group).
PLAIN, WITH_GROUP, TRACED = range(3)


# ---- what a block may do ----
def inner_blocks(s):
    if s[0] == 'if':
        return [b for _, b in s[1]] + [s[2]]
    if s[0] == 'case':
        return [b for _, b in s[2]]
    if s[0] == 'select':
        return [b for group in s[1] for b in group]
    return [s[2]] if s[0] in ('while', 'foreach') else []


def walk(block):
    for s in block:
        yield s
        for inner in inner_blocks(s):
            yield from walk(inner)


def branches(s):
    """Whether a statement leads to several paths, or to a communication inside."""
    return any(x[0] in ('select', 'choose') + EXCHANGES for x in walk([s]))


def has_unless(block):
    return any(s[0] == 'select' and len(s[1]) > 1 for s in walk(block))


def falls_through(block):
    """Whether some path comes to the end of the block, as far as its structure tells."""
    for s in block:
        if (s[0] in ENDS or s[0] in ('if', 'case', 'select')
            and not any(falls_through(b) for b in inner_blocks(s))):
            return False
    return True


def effects(block):
    """What paths through a block may do: a set of (ended, waits, communications), counted up to
    2."""
    found = {(False, 0, 0)}
    for s in block:
        if s[0] in ENDS:
            after = {(True, 0, 0)}
        elif s[0] in ('wait', *EXCHANGES):
            after = {(False, int(s[0] == 'wait'), int(s[0] != 'wait'))}
        elif s[0] in ('while', 'foreach'):
            once = effects(s[2])
            after = {(False, 0, 0)} | {(ended, 2 * waits, 2 * exchanges)
                                       for ended, waits, exchanges in once}
        else:
            after = set().union({(False, 0, 0)} if not inner_blocks(s) else (),
                                *map(effects, inner_blocks(s)))
        found = {p for p in found if p[0]} | {(ended, min(2, w + x), min(2, n + m))
                                              for done, w, n in found if not done
                                              for ended, x, m in after}
    return found


def check_paths(block, pos):
    """At most one communication or one wait on a path; later groups of unless are silent."""
    if any(waits + exchanges > 1 for _, waits, exchanges in effects(block)):
        raise ModelError('a second wait or communication on a path', pos)
    for s in walk(block):
        if (s[0] == 'select'
            and any(x[0] in EXCHANGES for group in s[1][1:] for b in group for x in walk(b))):
            raise ModelError('a communication under unless', s[-1])


def written_names(block, is_place):
    """Variables that a block may assign; is_place tells variables from constructors and
    constants."""
    patterns, names = [], set()
    for s in walk(block):
        if s[0] in ('assign', 'choose'):
            patterns += s[1]
        elif s[0] == 'case':
            patterns += [pattern for pattern, _ in s[2]]
        elif s[0] == 'receive':
            patterns += s[2]
        elif s[0] == 'foreach':
            names.add(s[1])
    for pattern in patterns:
        while pattern[0] == 'con':
            pattern = pattern[2]
        names.add(base_name(pattern) if pattern[0] in ('name', 'index', 'field') else None)
    return {name for name in names if name and is_place(name)}


class PathCompiler:
    """Compiles one process instance (or the init of a component)."""

    def __init__(self, model, process, traced=False, trace_if=True):
        self.model, self.g, self.process = model, model.g, process
        self.traced, self.trace_if = traced, trace_if
        self.communications, self.pending = [], []
        self.marks = {name: (receives, sends) for name, receives, sends, _ in process.unit.ports}
        self.read_only = {name for name, reference, _, writes, _ in process.unit.parameters
                          if reference and not writes}
        self.g.python['SENT_ANY'] = SENT_ANY

    def compile(self):
        """starts[state]: a list of transitions; communications: what each call of com(number, ...)
        means."""
        unit, self.starts = self.process.unit, {}
        for number, (state, block, pos) in enumerate(unit.transitions):
            if falls_through(block):
                raise ModelError('a path without to or loop', pos)
            check_paths(block, pos)
            self.state = state
            self.shape = TRACED if self.traced else WITH_GROUP if has_unless(block) else PLAIN
            start = SimpleNamespace(path=self.function(block, (number,)),
                                    ends=frozenset(self.endings(block)), unless=has_unless(block))
            start.silent = None in start.ends
            self.starts.setdefault(unit.states.index(state), []).append(start)
            self.finish_communications()
        return self

    def compile_init(self, block):
        """A function for an `init`; that of a component ends where its text ends."""
        self.state, self.shape = None, PLAIN
        if hasattr(self.process.unit, 'states'):
            if falls_through(block):
                raise ModelError('init without to', self.process.unit.pos)
        else:
            block = block + [('finish',)]
        if (self.endings(block) != {None} or has_unless(block)
            or any(s[0] == 'wait' for s in walk(block))):
            raise ModelError('a communication, wait or unless in init', self.process.unit.pos)
        for name in written_names(block, self.is_place):
            if self.process.scope[name][1] not in self.process.initial:
                raise ModelError(f'{name!r} is shared and written in init', self.process.unit.pos)
        return self.function(block, ())

    # ---- scope ----
    def fresh_scope(self):
        """All names as in S; nothing written."""
        self.scope, self.slot_names, self.dirty = {}, {}, set()
        for name, e in self.process.scope.items():
            self.scope[name] = ('variable', f'S[{e[1]}]', e[2]) if e[0] == 'slot' else e
            if e[0] == 'slot':
                self.slot_names.setdefault(e[1], []).append(name)

    def is_place(self, name):
        return self.process.scope.get(name, ('value',))[0] == 'slot'

    def touch(self, statement):
        """Makes Python variables of everything that a statement may write."""
        for slot in sorted(
            {self.process.scope[name][1] for name in written_names([statement], self.is_place)}
            - self.dirty):
            self.w.put(f'v{slot} = S[{slot}]')
            self.mark(slot)

    def mark(self, slot):
        self.dirty.add(slot)
        for name in self.slot_names[slot]:
            self.scope[name] = 'variable', f'v{slot}', self.scope[name][2]

    def saved(self):
        return dict(self.scope), set(self.dirty)

    def restore(self, saved):
        self.scope, self.dirty = dict(saved[0]), set(saved[1])

    def arguments(self, chosen=None, group=None, extra=()):
        """What a nested function is called with; without arguments to this one: its parameters, or
        the same values again."""
        texts = [f'v{slot}' for slot in sorted(self.dirty)]
        if self.traced:
            texts += [f'tr + {chosen}' if chosen else 'tr', 'iv']
        return ', '.join(texts + [repr(group) if group else 'ug', *extra])

    # ---- functions ----
    def function(self, block, start):
        """A Python function that walks the paths of a block."""
        self.w = Writer()
        self.fresh_scope()
        self.w.put('def path(S, out, com, bad, tr, top):')
        self.w.depth += 1
        if self.traced and start:
            self.w.put(f'tr = tr + {start!r}')
        self.w.put('iv = ug = None')
        self.guarded(lambda: self.block(block, None, []))
        return self.made('path')

    def made(self, name):
        exec(compile(self.w.text(), f'<{self.process.name}>', 'exec'), self.g.python)
        return self.g.python[name]

    def guarded(self, body):
        """A function's body; the statement that fails is known by its line, and the ends of its
        paths were noted with the line."""
        self.w.put('try:')
        self.w.depth += 1
        self.w.put('pass')
        body()
        self.w.depth -= 1
        self.w.put('except Failure as e:')
        self.w.put(f'    bad({self.g.keep("notes", self.w.notes)}[e.__traceback__.tb_lineno], '
                   f'str(e))')
        self.w.put('except Blocked:')
        self.w.put('    pass')

    def nested(self, body, extra=()):
        """Defines a nested function with the written variables as parameters; returns its name. 
        The scope afterwards is as before."""
        name, saved, note = self.g.name('f'), self.saved(), self.w.note
        self.w.put(f'def {name}({self.arguments(extra=extra)}):')
        self.w.depth += 1
        self.guarded(body)
        self.w.depth -= 1
        self.restore(saved)
        self.w.note = note
        return name

    def endings(self, block, after=frozenset()):
        """The ways in which paths through a block may end, where `after` are those of what follows
        it."""
        ends = set(after)
        for s in reversed(block):
            if s[0] in ENDS:
                ends = {None}
            elif s[0] in EXCHANGES:
                ends = {self.port(s).index}
            elif s[0] in ('if', 'case', 'select'):
                ends = set().union(*(self.endings(b, ends) for b in inner_blocks(s)))
            elif s[0] in ('while', 'foreach'):
                ends |= self.endings(s[2], ends)
        return ends

    def port(self, s):
        if s[1] not in self.process.ports:
            raise ModelError(f'no port {s[1]!r}', s[-1])
        return self.process.ports[s[1]]

    # ---- blocks ----
    def block(self, statements, follow, after):
        """Code for statements; then `follow` (a nested function) is called or, without it, the
        Python text goes on behind this block. `after`: the statements that come later, wherever
        their code is."""
        for at, s in enumerate(statements):
            rest = statements[at + 1:]
            later = rest + after
            self.w.note = frozenset(self.endings([s] + later))
            if s[0] in ENDS:
                return self.end_path(s)
            if s[0] in EXCHANGES:
                return self.exchange(s, later)
            if not branches(s):
                getattr(self, 'on_' + s[0])(s, None, later)
                continue
            if s[0] in ('while', 'foreach'):
                raise ModelError('a choice or communication inside a loop', s[-1])
            self.touch(s)
            target = self.nested(lambda: self.block(rest, follow, after)) if rest else follow
            getattr(self, 'on_' + s[0])(s, target, later)
            return self.w.put('return')
        if follow:
            self.w.put(f'{follow}({self.arguments()})')
            self.w.put('return')

    def end_path(self, s):
        changes = {}
        if s[0] != 'finish':
            unit = self.process.unit
            if s[0] == 'loop' and self.state is None or not hasattr(unit, 'states'):
                raise ModelError(f'{s[0]!r} in init', s[-1])
            state = s[1] if s[0] == 'to' else self.state
            if state not in unit.states:
                raise ModelError(f'no state {state!r}', s[-1])
            if state != self.state:
                changes = {self.process.control: unit.states.index(state)}
        new = self.new_state(changes)
        self.w.put({PLAIN: f'out({new})', WITH_GROUP: f'out(({new}, ug))',
                    TRACED: f'out(({new}, tr, iv, {s[0] == "to"}, ug))'}[self.shape])
        self.w.put('return')

    def new_state(self, changes):
        """Text of S with the written variables and the changes in it."""
        texts = {slot: f'v{slot}' for slot in self.dirty} | {slot: str(value)
                                                             for slot, value in changes.items()}
        if not texts:
            return 'S'
        parts, at = [], 0
        for slot in sorted(texts):
            parts += [f'*S[{at}:{slot}]'] if slot > at else []
            parts.append(texts[slot])
            at = slot + 1
        parts += [f'*S[{at}:]'] if at < len(self.model.slots) else []
        return '(' + ', '.join(parts) + ',)'

    # ---- statements: s, the nested function to call at their end or None, the statements that come
    # later ----
    def on_null(self, s, follow, later):
        pass

    on_tag = on_null

    def on_on(self, s, follow, later):
        self.w.put(f'if not {checked(self.g, s[1], self.scope, BOOL)}: return')

    def on_wait(self, s, follow, later):
        if self.traced:
            self.w.put(f'iv = {self.g.keep("interval", s[1])}')

    def on_assign(self, s, follow, later):
        assign(self, s)

    def bind(self, bindings):
        for pattern, value, t in bindings:
            if base_name(pattern) in self.read_only:
                raise ModelError(f'{base_name(pattern)!r} is only read')
            slot = self.process.scope[base_name(pattern)][1]
            text = converted(self.g, value, t, place_type(self.g, pattern, self.scope))
            self.w.put(f'v{slot} = {stored(self.g, pattern, self.scope, text)}')
            self.mark(slot)

    def fail_match(self, condition):
        self.w.put(f'if not ({condition}): return')

    def inline(self, s, number, block, follow, later, bindings=()):
        """A branch of an if or case: indented Python."""
        saved = self.saved()
        self.w.depth += 1
        self.w.put(f'tr = tr + (({s[-1]!r}, {number}),)' if self.traced and self.trace_if
                   else 'pass')
        self.w.note = frozenset(self.endings(block, self.endings(later)))
        self.bind(bindings)
        self.block(block, follow, later)
        self.w.depth -= 1
        self.restore(saved)
        self.w.note = frozenset(self.endings([s] + later))

    def on_if(self, s, follow, later):
        self.touch(s)
        for number, (condition, block) in enumerate(s[1]):
            self.w.put(f'{"elif" if number else "if"} '
                       f'{checked(self.g, condition, self.scope, BOOL)}:')
            self.inline(s, number, block, follow, later)
        self.w.put('else:')
        self.inline(s, len(s[1]), s[2], follow, later)

    def on_case(self, s, follow, later):
        text, t = expression(self.g, s[1], self.scope)
        value = self.g.name('t')
        self.w.put(f'{value} = {text}')
        self.touch(s)
        for number, (pattern, block) in enumerate(s[2]):
            conditions, bindings = match(self.g, pattern, self.scope, value, t)
            self.w.put(f'{"elif" if number else "if"} {" and ".join(conditions) or "True"}:')
            self.inline(s, number, block, follow, later, bindings)
        self.w.put('else: return')

    def on_while(self, s, follow, later):
        self.touch(s)
        saved, count = self.saved(), self.g.name('n')
        self.w.put(f'{count} = 0')
        self.w.put(f'while {checked(self.g, s[1], self.scope, BOOL)}:')
        self.w.depth += 1
        self.w.put(f'{count} = count_iteration({count})')
        self.block(s[2], None, later)
        self.w.depth -= 1
        self.restore(saved)

    def on_foreach(self, s, follow, later):
        if not self.is_place(s[1]):
            raise ModelError(f'no variable {s[1]!r}', s[3])
        self.touch(s)
        saved, (_, text, t) = self.saved(), self.scope[s[1]]
        self.w.put(f'for {text} in {self.g.keep("values", V.values(t))}:')
        self.w.depth += 1
        self.w.put('pass')
        self.block(s[2], None, later)
        self.w.depth -= 1
        self.restore(saved)

    def on_select(self, s, follow, later):
        unless = len(s[1]) > 1
        if unless and self.shape == PLAIN:
            raise ModelError('unless in init or after a communication', s[-1])
        for group, blocks in enumerate(s[1]):
            for number, block in enumerate(blocks):
                name = self.nested(lambda b=block: self.block(b, follow, later))
                top = (s[-1], group) if unless else None
                call = f'{name}({self.arguments(((s[-1], group, number),), top)})'
                self.w.put(f'if top is None or top.get({s[-1]!r}, 0) <= {group}: {call}' if unless
                           else call)

    def on_choose(self, s, follow, later):
        """One path for each combination of values of the places that `where` lets through."""
        types = [place_type(self.g, pattern, self.scope) for pattern in s[1]]

        def body():
            self.bind([(pattern, f'chosen[{i}]', t)
                       for i, (pattern, t) in enumerate(zip(s[1], types))])
            if s[2]:
                self.w.put(f'if not {checked(self.g, s[2], self.scope, BOOL)}: return')
            self.w.note = frozenset(self.endings(later))
            self.block([], follow, later)

        name = self.nested(body, extra=('chosen',))
        values = list(itertools.product(*map(V.values, types)))
        self.w.put(f'for chosen in {self.g.keep("values", values)}:')
        self.w.put(f'    {name}({self.arguments(f"(({s[-1]!r}, chosen),)", extra=("chosen",))})')

    # ---- communication ----
    def exchange(self, s, later):
        """The path stops here; three functions of their own go on."""
        if self.shape == PLAIN and self.state is None:
            raise ModelError('a communication in init', s[-1])
        if self.endings(later) != {None} or has_unless(later):
            raise ModelError('a second communication or unless on a path', s[-1])
        if (s[0] == 'send' and not self.marks[s[1]][1] or s[0] == 'receive'
            and not self.marks[s[1]][0]):
            raise ModelError('the port is for the other direction', s[-1])
        number = len(self.communications)
        communication = SimpleNamespace(kind=s[0], port=self.port(s), number=number, pos=s[-1],
                                        state=self.state)
        self.communications.append(communication)
        self.pending.append((communication, s, later))
        self.w.put(f'com(({number}, {self.new_state({})}, tr))')
        self.w.put('return')

    def finish_communications(self):
        shape = self.shape
        self.shape = TRACED if self.traced else PLAIN
        for communication, s, later in self.pending:
            if (s[0] != 'sync' and communication.port.channel
                and len(s[2]) != len(communication.port.channel)):
                raise ModelError('a wrong number of values', s[-1])
            communication.width = len(s[2]) if s[0] != 'sync' else 0
            types = communication.port.channel or [None] * communication.width
            if s[0] == 'send':
                communication.values = self.values_function(s, types)
            elif s[0] == 'receive':
                communication.receive = self.receive_function(s, types)
            communication.suffix = self.function(later, ())
        self.pending, self.shape = [], shape

    def values_function(self, s, types):
        self.w = Writer()
        self.fresh_scope()
        texts = []
        for e, t in zip(s[2], types):
            if e == 'any':
                texts.append('SENT_ANY')
            else:
                text, source = expression(self.g, e, self.scope, t)
                texts.append(converted(self.g, text, source, t) if t else text)
        self.w.put(f'def values(S): return ({", ".join(texts)},)')
        return self.made('values')

    def receive_function(self, s, types):
        """receive(S, R): the state after the patterns took the values R, or None if they do not
        match."""
        self.w = Writer()
        self.fresh_scope()
        self.w.put('def receive(S, R):')
        self.w.depth += 1
        for i, (pattern, t) in enumerate(zip(s[2], types)):
            conditions, bindings = match(self.g, pattern, self.scope, f'R[{i}]', t)
            if conditions:
                self.w.put(f'if not ({" and ".join(conditions)}): return None')
            self.bind(bindings)
        if s[3]:
            self.w.put(f'if not {checked(self.g, s[3], self.scope, BOOL)}: return None')
        self.w.put(f'return {self.new_state({})}')
        return self.made('receive')
