#!/usr/bin/env python3
"""Random Fiacre programs for differential tests.

    generate.py --seed S [--count N --dir DIR] [--timed] [--frac] [--most STATES]

Prints one valid program (or writes N of them, SEED.fcr, with the expected results in SEED.json;
seeds S, S+1, ...); the same options always give the same program.  Candidates with a trivial or too
large state space are thrown away and drawn again, and so are those whose answer depends on
something that the language page leaves open: they are explored in several readings (VARIANTS), and
all must agree.

Things that are never generated because the page leaves them open: the value of a foreach variable
after its loop; an index that changes in the assignment in which it is used; a case without a match
in a function; choices before a select with unless, and guards after it; an initial state that is
not both the first `from` and the first of `states`.
"""
import argparse
import json
import os
import random
import sys
from types import SimpleNamespace

if __package__ in (None, ''):
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from fiacre.expressions import Expressions
from fiacre.explore import explore
from fiacre.parse import ModelError

# Readings between which no generated program may tell: is the difference of naturals checked before
# it is stored, are intermediate results
# held to 32 bits, is priority transitive?  Each with a text without which it cannot matter.
VARIANTS = [(' - ', {'natural_steps': True}), ('000', {'wide_steps': True}),
            ('priority', {'transitive': False})]
COMPARED = ('states', 'transitions', 'transitions_no_selfloop', 'deadlocks', 'deadlocks_failing',
            'levels', 'initial_states', 'failing_states')


class Generator(Expressions):
    def __init__(self, rng, frac=False, timed=False):
        super().__init__(rng)
        self.frac, self.timed = frac, timed
        self.risky = rng.random() < 0.35 and not timed  # run-time errors now and then
        self.with_unless = rng.random() < 0.2 and not timed
        self.marks = rng.random() < 0.5                 # in, out, read, write
        self.labels = rng.random() < 0.2

    # ---- layout ----
    def end(self, word):
        return f'end {word}' if self.closing and self.chance(0.8) else 'end'

    def lay(self, statements, indent):
        """A block as text: one statement per line."""
        return (';\n').join(self.statement_text(s, indent) for s in statements)

    def statement_text(self, s, indent):
        """A statement is a string, or (opening, [(head, block)], closing)."""
        pad = '    ' * indent
        if isinstance(s, str):
            label = (f'/*@{self.pick(["go", "{l}", "step one"])}*/ ' if self.labels
                     and self.chance(0.1) else '')
            return pad + label + s
        head, parts, tail = s
        lines = [pad + head] if head else []
        for title, block in parts:
            lines += [pad + title] if title else []
            lines += [self.lay(block, indent + 1)] if block else []
        return '\n'.join(lines + [pad + tail])

    # ---- simple statements ----
    def assign(self, ctx):
        """An assignment of one or two places."""
        places = [self.place(v, ctx)
                  for v in self.rng.sample(ctx.writable,
                                           min(len(ctx.writable), 2 if self.chance(0.15) else 1))]
        if not places:
            return 'null'
        texts = []
        for place, t in places:
            text = place
            for _ in range(3):
                text = (self.value_for(t, ctx, self.pick([1, 1, 2]),
                                       risky=self.risky and self.chance(0.5)).text if text == place
                        else text)
            texts.append(text)
        return f'{", ".join(place for place, _ in places)} := {", ".join(texts)}'

    def place(self, variable, ctx):
        """A variable or a part of it, with the part's type.  Indices are constants or read
        variables that no assignment here changes."""
        text, t = variable.name, variable.type
        while t.kind in ('array', 'record') and self.chance(0.75):
            if t.kind == 'array':
                index = str(self.rng.randrange(t.n))
                fixed = [v for v in ctx.readable if v not in ctx.writable and v.type.kind == 'int'
                         and v.type.low >= 0 and v.type.high < t.n]
                if fixed and self.chance(0.5):
                    index = self.pick(fixed).name
                elif self.risky and self.chance(0.1):
                    index = self.failing_index(t.n, ctx) or index
                text, t = f'{text}[{index}]', t.item
            else:
                field, t = self.pick(t.fields)
                text = f'{text}.{field}'
        return text, t

    def guard(self, ctx):
        condition = self.condition(ctx, 2).text
        kind = self.rng.random()
        if kind < 0.7:
            return f'on {condition}'
        if kind < 0.85:
            return f'true := {condition}' if self.chance(0.7) else f'false := not ({condition})'
        return ('case ' + condition + ' of', [('true ->', ['null'])], self.end('case'))

    def queue_step(self, ctx):
        """Puts into or takes from a queue, mostly behind the right question."""
        queues = [v for v in ctx.writable if v.type.kind == 'queue']
        if not queues:
            return [self.assign(ctx)]
        q = self.pick(queues)
        if self.chance(0.5):
            step = (f'{q.name} := {self.pick(["enqueue", "enqueue", "append"])}({q.name}, '
                    f'{self.value_for(q.type.item, ctx, 1).text})')
            test = f'not (full {q.name})' if self.chance(0.6) else f'length {q.name} < {q.type.n}'
        else:
            step, test = f'{q.name} := dequeue {q.name}', f'not (empty {q.name})'
            fitting = [v for v in ctx.writable if v.type.accepts(q.type.item)]
            if fitting and self.chance(0.7):
                step = f'{self.pick(fitting).name}, {q.name} := first {q.name}, dequeue {q.name}'
        if self.risky and self.chance(0.15):
            return [step]
        if ctx.may_block and self.chance(0.6):
            return [f'on {test}', step]
        return [('if ' + test + ' then', [('', [step])], self.end('if'))]

    def loop_statement(self, ctx):
        """A foreach or while that ends."""
        counters = [v for v in ctx.writable if v.counter]
        if not counters:
            return [self.assign(ctx)]
        v = self.pick(counters)
        inner = ctx.without(v)
        body = self.simple_block(inner, 1, loops=False)
        if self.chance(0.5):
            return [('foreach ' + v.name + ' do', [('', body)], self.end('foreach')),
                    f'{v.name} := {self.literal(v.type).text}']
        low, high = v.type.low, v.type.high
        start, step = self.rng.randint(low, high), self.pick([1, 1, 2])
        return [f'{v.name} := {self.number_text(start)}',
                (f'while {v.name} {self.pick(["<", "<="]) if step == 1 else "<"} '
                 f'{self.number_text(high - step)} do',
                 [('', body + [f'{v.name} := {v.name} + {step}'])], self.end('while'))]

    def simple_block(self, ctx, depth, loops=True):
        """Statements without choice, communication or end; each a string or a structured one."""
        block = []
        for _ in range(self.pick([1, 1, 1, 2])):
            kind = self.rng.random()
            if kind < 0.55 or depth == 0:
                block.append(self.assign(ctx))
            elif kind < 0.7:
                block += self.queue_step(ctx)
            elif kind < 0.77:
                block.append(
                    self.if_statement(ctx, lambda: self.simple_block(ctx, depth - 1, loops)))
            elif kind < 0.85:
                block.append(
                    self.case_statement(ctx, lambda c: self.simple_block(c, depth - 1, loops)))
            elif kind < 0.93 and loops:
                block += self.loop_statement(ctx)
            elif kind < 0.95 and ctx.may_block:
                block.append(self.guard(ctx))
            else:
                block.append('null')
        return block

    def if_statement(self, ctx, block, must_else=False):
        parts = [('', block())]
        head = f'if {self.condition(ctx, 2).text} then'
        while self.chance(0.2):
            parts.append((f'elsif {self.condition(ctx, 1).text} then', block()))
        if must_else or self.chance(0.5):
            parts.append(('else', block()))
        return head, parts, self.end('if')

    def case_statement(self, ctx, block):
        """A case over something readable; it has a branch for everything, unless the context may
        block."""
        value = self.scrutinee(ctx)
        patterns = self.patterns(value, ctx)
        if ctx.may_block and len(patterns) > 1 and self.chance(0.3):
            patterns.pop(self.rng.randrange(len(patterns)))
        parts = [((f'| {p} ->' if number else f'{p} ->'), block(ctx))
                 for number, p in enumerate(patterns)]
        return f'case {value.text} of', parts, self.end('case')

    # ---- paths ----
    def ending(self, ctx):
        return 'loop' if self.chance(0.15) else f'to {self.pick(ctx.states)}'

    def path(self, ctx, comm, depth, budget):
        """A block all of whose paths end.  comm: a communication is still allowed; budget: how many
        paths it may have."""
        block = []
        if self.chance(0.3):
            block.append(self.guard(ctx))
        if self.chance(0.25):
            block += self.simple_block(ctx, 1)
        kind = self.rng.random()
        if depth > 0 and budget >= 2 and kind < 0.3:
            more, may = self.select(ctx, comm, depth, budget)
        elif depth > 0 and kind < 0.42:
            more, may = self.fork(ctx, comm, depth, budget)
        elif depth > 0 and kind < 0.52 and budget >= 2:
            return block + self.choose(ctx, budget) + self.path(ctx, comm, depth - 1,
                                                                max(1, budget // 4))
        elif comm and ctx.ports and kind < 0.8:
            more, may = [self.communication(ctx)], True
            if self.chance(0.5):
                more += self.simple_block(ctx, 1)
            if depth > 0 and self.chance(0.3):
                return block + more + self.path(ctx, False, depth - 1, budget)
            return block + more + [self.ending(ctx)]
        else:
            return block + self.wait(ctx, comm) + self.simple_block(ctx, 1) + [self.ending(ctx)]
        block += more
        if may is None:                     # all branches have ended
            return block
        return block + (self.path(ctx, comm and not may, depth - 1, max(1, budget // 3))
                        if depth > 1 and self.chance(0.4)
                        else self.simple_block(ctx, 1) + [self.ending(ctx)])

    def wait(self, ctx, comm):
        return []

    def branch_blocks(self, ctx, comm, depth, budget, count):
        """Blocks for branches, and whether one has communicated; None if all of them end."""
        blocks, fall, may = [], 0, False
        for _ in range(count):
            if self.chance(0.55):
                blocks.append(self.path(ctx, comm, depth - 1, budget))
                continue
            fall += 1
            block = [self.guard(ctx)] if self.chance(0.4) else []
            if comm and ctx.ports and self.chance(0.4):
                block += [self.communication(ctx)]
                may = True
            blocks.append(block + self.simple_block(ctx, 1))
        return blocks, may if fall else None

    def select(self, ctx, comm, depth, budget):
        count = self.rng.randint(2, min(3, budget))
        blocks, may = self.branch_blocks(ctx, comm, depth, budget // count, count)
        return [('select', [(('[]' if number else ''), b) for number, b in enumerate(blocks)],
                 self.end('select'))], may

    def fork(self, ctx, comm, depth, budget):
        """An if or case whose branches may end, communicate and choose."""
        if self.chance(0.5):
            count = self.pick([2, 2, 3])
            blocks, may = self.branch_blocks(ctx, comm, depth, budget, count)
            parts = [('', blocks[0])] + [(f'elsif {self.condition(ctx, 1).text} then', b)
                                         for b in blocks[1:-1]] + [('else', blocks[-1])]
            return [(f'if {self.condition(ctx, 2).text} then', parts, self.end('if'))], may
        value = self.scrutinee(ctx)
        patterns = self.patterns(value, ctx)
        if len(patterns) > 1 and self.chance(0.3):
            patterns.pop(self.rng.randrange(len(patterns)))
        blocks, may = self.branch_blocks(ctx, comm, depth, budget, len(patterns))
        parts = [((f'| {p} ->' if number else f'{p} ->'), b)
                 for number, (p, b) in enumerate(zip(patterns, blocks))]
        return [(f'case {value.text} of', parts, self.end('case'))], may

    def choose(self, ctx, budget):
        """An assignment of any value."""
        small = [(p, t) for p, t in (self.place(v, ctx) for v in ctx.writable) if t.finite()
                 and t.size() <= min(budget, 6)]
        if not small:
            return [self.assign(ctx)]
        place, t = self.pick(small)
        condition = f' where {self.condition(ctx, 1).text}' if self.chance(0.35) else ''
        return [f'{place} := any{condition}']

    def communication(self, ctx):
        port = self.pick(ctx.ports)
        if not port.channel:
            return port.name
        if self.chance(0.5):
            port.sends = True
            sent = [('any' if t.finite() and t.size() <= 4 and self.chance(0.07)
                     else self.value_for(t, ctx, 1, risky=self.risky and self.chance(0.2)).text)
                    for t in port.channel]
            return (f'{port.name}!{", ".join(sent)}' if self.chance(0.5)
                    else f'{port.name} ! {", ".join(sent)}')
        port.receives = True
        patterns, taken = [], set()
        for t in port.channel:
            fitting = [v for v in ctx.writable if v.type.accepts(t) and v.name not in taken]
            if fitting and self.chance(0.75):
                v = self.pick(fitting)
                taken.add(v.name)
                patterns.append(v.name)
            else:
                patterns.append('any' if self.chance(0.4) else self.pattern_of(t, ctx, taken))
        condition = f' where {self.condition(ctx, 1).text}' if self.chance(0.25) else ''
        return f'{port.name}?{", ".join(patterns)}{condition}'

    def unless(self, ctx, comm):
        """A select with unless as the rest of a transition: deterministic guards before it, every
        branch ends, nothing follows."""
        groups, local = [], ctx.local()
        talks = comm and bool(ctx.ports) and self.chance(0.4)
        for number in range(self.pick([2, 2, 3])):
            here = local if talks else ctx
            blocks = []
            for _ in range(self.pick([1, 1, 2])):
                block = [self.guard(here)] if self.chance(0.7) else []
                if number == 0 and talks:
                    block += [self.communication(ctx)]
                blocks.append(block + ([self.assign(here)] if self.chance(0.7) else [])
                              + [self.ending(ctx)])
            groups.append(blocks)
        parts = []
        for g, blocks in enumerate(groups):
            for n, b in enumerate(blocks):
                parts.append(('' if g == n == 0 else 'unless' if n == 0 else '[]', b))
        return [('select', parts, self.end('select'))]

    # ---- functions ----
    def add_function(self):
        result = self.pick([t for t in self.types if t.kind in ('bool', 'int', 'union')])
        parameters = [self.variable(self.pick(self.types), 'a')
                      for _ in range(self.rng.randint(1, 3))]
        name = self.name('f')
        declared = self.declared_together([(v.name, v.type) for v in parameters])
        if self.chance(0.25):
            ctx = Context(parameters, [], [], [])
            self.out.append(
                f'function {name} ({declared}) : {result.text} is return '
                f'{self.value_for(result, ctx, 2).text}')
        else:
            local = [self.variable(result, 'r')] + [self.variable(self.pick(self.types), 'l')
                                                    for _ in range(self.rng.randint(0, 2))]
            for v in local + parameters:
                v.counter = v.type.kind == 'int' and v.type.small()
            ctx = Context(parameters + local, parameters + local, [], [])
            body = self.simple_block(ctx, 2)
            if self.chance(0.4):
                body.append(self.if_statement(ctx,
                                              lambda: self.simple_block(ctx, 1)
                                              + [f'return {self.value_for(result, ctx, 1).text}']))
            last = (local[0].name if self.chance(0.6)
                    else self.value_for(result, ctx, 2, risky=self.risky and self.chance(0.2)).text)
            variables = ',\n    '.join(f'{v.name} : {v.type.text} := {self.literal(v.type).text}'
                                       for v in local)
            self.out.append(
                f'function {name} ({declared}) : {result.text} is\nvar '
                f'{variables}\nbegin\n{self.lay(body + ["return " + last], 1)}\nend')
        self.functions.append(
            SimpleNamespace(name=name, parameters=[v.type for v in parameters], result=result))

    def declared_together(self, pairs):
        """`a, b : t, c : u`, neighbours of one type together now and then."""
        groups = []
        for name, t in pairs:
            if groups and groups[-1][1] is t and self.chance(0.7):
                groups[-1][0].append(name)
            else:
                groups.append(([name], t))
        return ', '.join(f'{", ".join(names)} : {t.text}' for names, t in groups)

    # ---- processes ----
    def variable(self, t, prefix):
        return SimpleNamespace(name=self.name(prefix), type=t, counter=False, shared=False)

    def add_process(self, shared, channels, root=False):
        """A process declaration; shared: the types of parameters by reference; channels: those of
        its ports."""
        process = SimpleNamespace(name=self.name('P'), kind='process', ports=[], references=[],
                                  constants=[])
        for channel in channels:
            process.ports.append(
                SimpleNamespace(name=self.name('p'), channel=channel.types, text=channel.text,
                                sends=False, receives=False))
        for t in shared:
            v = self.variable(t, 's')
            v.shared, v.mark = (True,
                                self.pick(['', '', '', 'read', 'read write']) if self.marks else '')
            process.references.append(v)
        if self.chance(0.2) and not root:
            process.constants.append(self.variable(self.pick(self.scalars), 'c'))
        local = [self.variable(self.pick(self.types), 'x')
                 for _ in range(
            self.pick([0, 1, 1, 2, 2, 3] if process.references else [1, 1, 2, 3]))]
        for v in local:
            v.counter = v.type.kind == 'int' and v.type.small()
        states = [self.name('s') for _ in range(self.rng.randint(1, 4))]
        readable = process.references + process.constants + local
        writable = [v for v in process.references if v.mark != 'read'] + local
        ctx = Context(readable, writable, process.ports, states, may_block=True)
        lines = []
        self.out.append(lines)              # its place; the header needs to know what the body uses
        variables = [f'{v.name} : {v.type.text}'
                     + (f' := {self.literal(v.type).text}' if self.chance(0.6) else '')
                     for v in local]
        init = self.init_block(ctx, local, states) if self.chance(0.5) else None
        start = states if init is None else self.rng.sample(states, len(states))
        body = []
        for state in [start[0]] + [self.pick(states)
                                   for _ in range(self.pick([0, 1, 2]))] + start[1:]:
            if body and self.chance(0.1):
                continue
            block = self.transition(ctx)
            body.append(f'from {state}\n{self.lay(block, 1)}')
        lines.append(self.process_header(process))
        lines.append(f'states {", ".join(states)}')
        lines += ['var ' + ',\n    '.join(variables)] if variables else []
        lines += ['init\n' + self.lay(init, 1)] if init else []
        lines += body
        return process

    def transition(self, ctx):
        if self.chance(0.2):
            return self.simple_block(ctx, 1) + [self.ending(ctx)]
        if self.with_unless and self.chance(0.3):
            return ([self.guard(ctx.local())] if self.chance(0.3) else []) + self.unless(ctx, True)
        return self.path(ctx, True, self.pick([0, 1, 1, 2]), self.pick([1, 2, 4, 8]))

    def init_block(self, ctx, local, states):
        inner = Context(local, local, [], states)
        block = self.simple_block(inner, 1) if local else []
        if self.chance(0.15) and local:
            block += self.choose(inner, 3)
        return block + [f'to {states[0] if self.chance(0.5) else self.pick(states)}']

    def process_header(self, process):
        ports = []
        for p in process.ports:
            marks = {(True, True): ['', 'in out'], (True, False): ['', 'out', 'in out'],
                     (False, True): ['', 'in'], (False, False): ['', 'in', 'out']}
            mark = self.pick(marks[p.sends, p.receives]) if self.marks else ''
            ports.append(f'{p.name} : {mark + " " if mark else ""}{p.text}')
        parameters = [f'&{v.name} : {v.mark + " " if v.mark else ""}{v.type.text}'
                      for v in process.references]
        parameters += [f'{v.name} : {v.type.text}' for v in process.constants]
        return (f'process {process.name}' + (f' [{", ".join(ports)}]' if ports else '')
                + (f' ({", ".join(parameters)})' if parameters else '') + ' is')

    # ---- components ----
    def instance(self, unit, variables, ports):
        """Text of an instance; variables and ports of the surrounding component that fit are
        connected to it.  None if something is missing."""
        connected, arguments = [], []
        for p in unit.ports:
            fitting = [q for q in ports if q.text == p.text]
            fresh = [q for q in fitting if q.name not in connected]
            if not fitting:
                return None
            connected.append(self.pick(fresh or fitting).name)
        for v in unit.references:
            fitting = [w for w in variables if w.type is v.type]
            if not fitting:
                return None
            arguments.append(f'&{self.pick(fitting).name}')
        arguments += [self.literal(v.type).text for v in unit.constants]
        text = unit.name + (f'[{", ".join(connected)}]' if connected
                            else '') + (f'({", ".join(arguments)})' if arguments else '')
        return SimpleNamespace(text=text, ports=connected)

    def add_component(self, units, shared, channels, name=None, formals=(), references=()):
        component = SimpleNamespace(name=name or self.name('C'), kind='component', constants=[])
        component.ports = [SimpleNamespace(name=self.name('p'), text=c.text, channel=c.types)
                           for c in formals]
        component.references = [self.variable(t, 's') for t in references]
        own = [self.variable(t, 'v') for t in shared]
        local = [SimpleNamespace(name=self.name('p'), text=c.text, channel=c.types)
                 for c in channels]
        blocks = [i
                  for i in (self.instance(u, own + component.references, component.ports + local)
                            for u in units) if i]
        if not blocks:
            return None
        head = f'component {component.name}'
        if component.ports:
            head += f' [{", ".join(f"{p.name} : {p.text}" for p in component.ports)}]'
        if component.references:
            head += f' ({", ".join(f"&{v.name} : {v.type.text}" for v in component.references)})'
        lines = [head + ' is']
        if own:
            lines.append('var '
                         + ',\n    '.join(f'{v.name} : {v.type.text}'
                                          + (f' := {self.literal(v.type).text}' if self.chance(0.5)
                                             else '') for v in own))
        if local:
            lines.append('port '
                         + ',\n    '.join(f'{p.name} : {p.text}{self.port_interval()}'
                                          for p in local))
        priorities = self.priorities(component.ports + local)
        lines += ['priority ' + ', '.join(priorities)] if priorities else []
        if own and self.chance(0.25):
            lines.append('init\n' + self.lay(self.simple_block(Context(own, own, [], []), 1), 1))
        lines.append(self.composition(blocks, 0))
        self.out.append(lines)
        return component

    def port_interval(self):
        return ''

    def priorities(self, ports):
        if len(ports) < 2 or self.with_unless or not self.chance(0.5):
            return []
        order = self.rng.sample([p.name for p in ports], min(len(ports), 3))
        if len(order) == 3 and self.chance(0.5):
            return [self.pick(
                [f'{order[0]} > {order[1]} > {order[2]}', f'{order[0]} | {order[1]} > {order[2]}',
                 f'{order[0]} > {order[1]} | {order[2]}',
                 f'{order[2]} < {order[1]} < {order[0]}'])]
        return [f'{order[0]} > {order[1]}' if self.chance(0.7) else f'{order[1]} < {order[0]}']

    def composition(self, blocks, indent):
        pad = '    ' * indent
        if len(blocks) > 2 and self.chance(0.25):
            split = self.rng.randint(1, len(blocks) - 1)
            blocks = [SimpleNamespace(text=self.composition(blocks[:split], indent + 1).strip(),
                                      ports=[p for b in blocks[:split] for p in b.ports])] + blocks[
                split:]
        shared = '* in ' if self.chance(0.2) else ''
        common = sorted(set.intersection(*(set(b.ports) for b in blocks)))
        if self.frac:
            shared = ('* in ' if self.chance(0.4) else f'{", ".join(common)} in ' if common
                      and self.chance(0.5) else '')
        texts = []
        for b in blocks:
            interface = ''
            if self.frac and b.ports and self.chance(0.4):
                interface = ('* -> ' if self.chance(0.4)
                             else f'{self.pick(sorted(set(b.ports)))} -> ')
            texts.append(f'{pad}    {interface}{b.text}')
        return f'{pad}par {shared}\n' + f'\n{pad}|| \n'.join(texts) + f'\n{pad}{self.end("par")}'

    # ---- the whole ----
    def program(self):
        self.out = []
        self.add_types()
        for _ in range(self.pick([0, 0, 1, 1, 2, 3])):
            self.add_function()
        if self.chance(0.05) and not self.timed:
            root = self.add_process([], [], root=True)
            return self.text(root)
        shared = [self.pick(self.types) for _ in range(self.pick([0, 1, 1, 2, 3]))]
        channels = [self.channel() for _ in range(self.pick([0, 1, 2, 2, 3]))]
        processes = []
        for _ in range(self.pick([1, 2, 2, 3])):
            used = ([self.pick(channels) for _ in range(self.rng.randint(self.chance(0.8), 3))]
                    if channels else [])
            processes.append(
                self.add_process(self.rng.sample(shared, self.rng.randint(0, len(shared))), used))
        units = processes + [self.pick(processes) for _ in range(self.pick([0, 1, 1, 2]))]
        if self.chance(0.3) and len(units) > 1:
            inside = self.rng.sample(units, self.rng.randint(1, len(units) - 1))
            formals = self.rng.sample(channels, self.rng.randint(0, len(channels)))
            inner = self.add_component(inside, shared[:1] if self.chance(0.5) else [],
                                       self.rng.sample(channels,
                                                       self.rng.randint(0, len(channels))),
                                       formals=formals, references=shared)
            if inner:
                units = [u for u in units if u not in inside] + [inner] * self.pick([1, 1, 2])
        self.rng.shuffle(units)
        root = self.add_component(units[:5], shared,
                                  channels + [self.pick(channels)] * self.chance(0.3) if channels
                                  else [])
        return self.text(root) if root else None

    def text(self, root):
        return '\n\n'.join('\n'.join(part) if isinstance(part, list) else part
                           for part in self.out) + f'\n\n{root.name}\n'


class Context:
    """Where a statement stands: what may be read, written, exchanged and gone to; whether it may
    block."""

    def __init__(self, readable, writable, ports, states, may_block=False):
        self.readable, self.writable, self.ports, self.states, self.may_block = (readable, writable,
            ports, states, may_block)

    def without(self, v):
        return Context(self.readable, [w for w in self.writable if w is not v], self.ports,
                       self.states, self.may_block)

    def local(self):
        return Context([v for v in self.readable if not v.shared],
                       [v for v in self.writable if not v.shared], [], self.states, self.may_block)


def acceptable(text, most, rng, dialect):
    """The exploration's result if the program is worth keeping, else None."""
    got = explore(text, dialect, max_states=most)
    if (not got['complete'] or got['doubtful'] or got['init_errors']
        or got['transitions'] > 20 * most):
        return None
    if rng.random() > (0.005 if got['states'] < 5 else 0.3 if got['states'] < 30 else 1):
        return None
    for word, variant in VARIANTS:
        if word not in text:
            continue
        other = explore(text, dialect, max_states=most, **variant)
        if any(got[key] != other[key] for key in COMPARED):
            return None
    return got


def draw(seed, frac=False, most=3000):
    """(text, result) of the program of a seed."""
    rng = random.Random(f'fiacre {seed} {frac}')
    while True:
        text = Generator(rng, frac).program()
        if text is None:
            continue
        text = f'/* seed {seed}{", frac" if frac else ""} */\n{text}'
        try:
            result = acceptable(text, most, rng, 'frac' if frac else 'obp')
        except ModelError as error:
            if any(words in str(error) for words in ('too many values', 'above itself')):
                continue
            raise AssertionError(f'an invalid program: {error}\n{text}') from error
        if result:
            return text, result


def main():
    parser = argparse.ArgumentParser(description='Random Fiacre programs.')
    parser.add_argument('--seed', type=int, required=True)
    parser.add_argument('--count', type=int, default=1)
    parser.add_argument('--dir')
    parser.add_argument('--timed', action='store_true')
    parser.add_argument('--frac', action='store_true')
    parser.add_argument('--most', type=int)
    options = parser.parse_args()
    from fiacre import generate_timed       # it needs this module
    drawing = generate_timed.draw if options.timed else draw
    for seed in range(options.seed, options.seed + options.count):
        text, result = drawing(seed, options.frac,
                               **({'most': options.most} if options.most else {}))
        if options.dir:
            for ending, content in (('fcr', text), ('json', json.dumps(result) + '\n')):
                with open(os.path.join(options.dir, f'{seed}.{ending}'), 'w',
                          encoding='utf-8') as file:
                    file.write(content)
        else:
            print(text, end='')


if __name__ == '__main__':
    main()
