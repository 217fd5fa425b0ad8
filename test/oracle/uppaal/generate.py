"""Random UPPAAL models with queries: a few small processes, every feature with some probability.

    model = draw(seed)      texts of it: xta(model), xml(model, queries), model.queries

Times are multiples of a constant U, whose value is that of the texts: what is true does not depend
on it, so that an oracle which counts can take 1, and others something large.

A model is made of texts that shrink.py can leave out one by one. Which features it may have is
drawn first: models without open bounds, differences, errors, and so on, are wanted, too.
"""
import random
from types import SimpleNamespace
from xml.sax.saxutils import escape

FEATURES = {'open': 0.5, 'diagonal': 0.25, 'error': 0.25, 'priority': 0.2, 'process_priority': 0.12,
            'urgent_guard': 0.25, 'receive_guard': 0.25, 'varying': 0.5, 'functions': 0.5,
            'records': 0.4, 'branch': 0.25, 'select': 0.5, 'meta': 0.15, 'sets': 0.5,
            'partial': 0.25, 'scalar': 0.15, 'reference': 0.4, 'integer_invariant': 0.3,
            'reset_to': 0.4, 'local_clock': 0.5, 'first_clock': 0.1, 'code_clock': 0.15}


UNIT = ' * U'
TRUTHS = ('b', 's.g[1]') # booleans: what they do with other numbers is not said


def new_template(name):
    return SimpleNamespace(name=name, parameters=[], declarations=[], locations=[], branches=[],
                           edges=[], clocks=[], numbers=[], channels=[])


class Drawer:
    def __init__(self, seed):
        self.rng = random.Random(f'uppaal {seed}')
        self.has = {name: self.rng.random() < p for name, p in FEATURES.items()}
        self.largest = self.rng.choice([2, 3, 3, 4])
        self.model = SimpleNamespace(declarations=[], templates=[], instances=[], groups=[],
                                     priority=None, queries=[])
        self.clocks, self.numbers, self.writable, self.channels = [], [], [], []
        self.ranges = {}
        self.functions = []

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *choices):
        return self.rng.choice(choices)

    # ---- expressions ----

    def number(self, names, depth=2):
        """An integer expression."""
        if depth == 0 or self.chance(0.35):
            known = names and self.chance(0.7)
            return self.rng.choice(names) if known else str(self.pick(0, 1, 2, 3))
        a, b = self.number(names, depth - 1), self.number(names, depth - 1)
        form = self.pick('{a} + {b}', '{a} - {b}', '{a} * {b}', '({a} <? {b})', '({a} >? {b})',
                         '({c} ? {a} : {b})', '({a}) % 3', '({a}) / 2', '-({a})', '{a} + 1',
                         '(({a}) & 3)', 'abs_({a})' if self.functions else '{a}',
                         'sum (k : int[0,1]) (k * {a})', '({a} | 1)', '({a} ^ {b})', '({a} << 1)')
        return '(' + form.format(a=a, b=b, c=self.condition(names, depth - 1)) + ')'

    def condition(self, names, depth=2):
        if depth == 0 or self.chance(0.5):
            a = self.rng.choice(names) if names else '1'
            return f'{a} {self.pick("==", "!=", "<", "<=", ">", ">=")} {self.number(names, 0)}'
        a, b = self.condition(names, depth - 1), self.condition(names, depth - 1)
        form = self.pick('{a} && {b}', '{a} || {b}', '!({a})', '({a} imply {b})', '({a}) == ({b})',
                         'forall (k : int[0,2]) k != {n} || {a}',
                         'exists (k : int[0,2]) (k == {n} && {a})', '{a} xor {b}')
        return '(' + form.format(a=a, b=b, n=self.number(names, 1)) + ')'

    def bound(self, names):
        """What a clock is compared with: a number of units from 0 to 4, or so."""
        return f'{self.units(names)}{UNIT}'

    def units(self, names):
        if self.has['varying'] and names and self.chance(0.35):
            name = self.rng.choice(names)
            return name if self.chance(0.6) else f'({name} + 1)'
        return self.pick('K', str(self.rng.randint(0, self.largest)),
                         str(self.rng.randint(0, self.largest)))

    def operator(self, *which):
        allowed = [each for each in which if self.has['open'] or '=' in each]
        return self.rng.choice(allowed)

    def atom(self, clocks, names):
        if self.has['diagonal'] and len(clocks) > 1 and self.chance(0.35):
            x, y = self.rng.sample(clocks, 2)
            if self.chance(0.3):
                return f'{x} {self.operator("<", "<=", ">=", ">", "==")} {y}'
            bound = self.pick(self.bound(names), f'-{self.rng.randint(0, 2)}{UNIT}')
            return f'{x} - {y} {self.operator("<", "<=", ">=", ">", "==")} {bound}'
        x = self.rng.choice(clocks)
        operator = self.operator('<', '<=', '>=', '>=', '>', '==')
        if self.chance(0.1):
            return f'{self.bound(names)} {operator} {x}'
        return f'{x} {operator} {self.bound(names)}'

    def guard(self, clocks, names, timed=True):
        parts = []
        if self.chance(0.25):
            parts.append(self.condition(names))
        if timed and clocks and self.chance(0.5):
            parts.append(self.atom(clocks, names))
            if self.chance(0.2):
                parts.append(self.atom(clocks, names))
            if self.chance(0.08) and names:
                parts.append(f'({self.condition(names, 0)} || {self.atom(clocks, names)})')
        return ' && '.join(parts)

    def assignment(self, names, writable):
        name, low, high = self.rng.choice(writable)
        value = self.number(names)
        may_fail = self.has['error'] and name not in TRUTHS
        if self.chance(0.25):
            return name + self.pick('++', '--') if may_fail else f'{name} = {low}'
        if may_fail and self.chance(0.5):
            return f'{name} {self.pick("=", ":=", "+=", "-=")} {value}'
        if may_fail and self.chance(0.1):
            return f'{name} = {value} {self.pick("/", "%")} ({self.number(names, 1)})'
        return f'{name} = (({value}) <? {high}) >? {low}'

    def update(self, clocks, names, writable):
        parts = []
        for _ in range(self.pick(0, 1, 1, 2)):
            if clocks and self.chance(0.55):
                parts.append(f'{self.rng.choice(clocks)} = {self.reset_value(names)}')
            elif self.functions and self.chance(0.3):
                parts.append(self.call(names, writable))
            elif writable:
                parts.append(self.assignment(names, writable))
        if self.has['meta'] and self.chance(0.3) and writable:
            name, low, high = self.rng.choice(writable)
            parts.append(f'm = ({self.number(names, 1)} & 3)')
            parts.append(f'{name} = (m <? {high}) >? {low}')
        return ', '.join(parts)

    def reset_value(self, names):
        if self.has['reset_to'] and self.chance(0.4):
            return self.pick('1', '2', f'({self.condition(names, 0)} ? 1 : 0)') + UNIT
        return '0'

    def call(self, names, writable):
        name, low, high = self.rng.choice(writable)
        return self.pick(f'step()', f'{name} = (abs_({self.number(names, 1)}) <? {high}) >? {low}',
                         f'put({self.number(names, 1)})')

    # ---- declarations ----

    def variable(self, name, low, high, first=None, prefix=''):
        self.model.declarations.append(
            f'{prefix}int[{low},{high}] {name}{"" if first is None else f" = {first}"};')
        self.numbers.append(name)
        self.writable.append((name, low, high))

    def declare(self):
        out = self.model.declarations
        out.append(f'const int K = {self.rng.randint(1, 3)};')
        out.append('typedef int[0,1] id_t;')
        self.variable('v', 0, self.pick(1, 2, 3))
        if self.chance(0.6):
            self.variable('w', self.pick(-1, 0), 2, self.pick(None, 0, 1))
        if self.chance(0.3):
            out.append('bool b = true;')
            self.numbers.append('b')
            self.writable.append(('b', 0, 1))
        if self.has['records']:
            out.append(f'int[0,2] a[{self.pick("2", "id_t")}] = {{1, 0}};')
            out.append('struct { int[0,1] f; bool g[2]; } s;')
            self.numbers += ['a[0]', 'a[1]', 's.f', 's.g[1]']
            self.writable += [('a[1]', 0, 2), ('a[v & 1]', 0, 2), ('s.f', 0, 1), ('s.g[1]', 0, 1)]
            if self.has['error']:
                self.writable.append(('a[v]', 0, 2))
        if self.has['meta']:
            out.append('meta int[0,3] m;')
        if self.has['scalar']:
            out.append('typedef scalar[2] s_t;')
            out.append('s_t t;')
        for i in range(self.pick(0, 1, 1, 2)):
            name = 'xy'[i]
            first = f' = 1{UNIT}' if self.has['first_clock'] and self.chance(0.5) else ''
            out.append(f'clock {name}{first};')
            self.clocks.append(name)
        if self.chance(0.15) and len(self.clocks) < 2:
            out.append('clock z[2];')
            self.clocks += ['z[0]', 'z[1]']
        self.declare_channels()
        if self.has['functions']:
            self.declare_functions()

    def declare_channels(self):
        out = self.model.declarations
        for name, prefix in (('c', ''), ('d', 'broadcast '), ('u', 'urgent '),
                             ('ub', 'urgent broadcast '), ('e', '')):
            if name != 'c' and not self.chance({'ub': 0.2, 'e': 0.3, 'u': 0.4}.get(name, 0.5)):
                continue
            size = '[2]' if name == 'e' else ''
            out.append(f'{prefix}chan {name}{size};')
            self.channels.append((name, 'u' in name, 'broadcast' in prefix))
        if self.has['priority']:
            names = [name for name, _, _ in self.channels if name != 'e'] + ['default']
            if 'e' in [name for name, _, _ in self.channels]:
                names.append('e[1]')
            self.rng.shuffle(names)
            names = names[:self.rng.randint(2, len(names))]
            text = names[0]
            for name in names[1:]:
                text += self.pick(' < ', ' < ', ', ') + name
            self.model.priority = f'chan priority {text};'

    def declare_functions(self):
        out = self.model.declarations
        self.functions = ['abs_', 'step', 'put']
        out.append('int abs_(int i) { if (i < 0) return -i; else return i; }')
        body = self.pick('for (i : int[0,1]) { v = (v + i) % 2; }',
                         'int i = 0; while (i < 2) { v = (v * 2 + i) % 2; i++; }',
                         'int[0,3] i; for (i = 0; i < 2; i++) v = v > 0 ? v - 1 : 1;',
                         'int i; do { i += 1; v = i % 2; } while (i < v + 1);')
        if self.has['code_clock'] and self.clocks:
            body += f' if (v == 1) {self.clocks[0]} = {self.pick(0, 1)}{UNIT};'
        out.append(f'void step() {{ {body} }}')
        out.append('void set_(int[0,1] &r, int i) { if (i > 0) r = 1; else { r = 0; } }')
        out.append('void put(int i) { int[0,1] k; set_(k, i); v = k; }')

    # ---- processes ----

    def template(self, name):
        t = new_template(name)
        is_set = self.has['sets'] and self.chance(0.4)
        clocks, names, writable = list(self.clocks), list(self.numbers), list(self.writable)
        channels = list(self.channels)
        if is_set:
            t.parameters.append((self.pick('const id_t', 'const int[0,1]', 'id_t'), 'id', None))
            names.append('id')
        elif self.chance(0.3):
            t.parameters.append(('const int', 'n', str(self.rng.randint(0, 2))))
            names.append('n')
        if not is_set and self.has['reference'] and self.chance(0.5):
            if clocks and self.chance(0.5):
                t.parameters.append(('clock &', 'rx', self.rng.choice(clocks)))
                clocks.append('rx')
                if self.has['diagonal']:
                    clocks.remove(t.parameters[-1][2])
            plain = [each for each in writable if '[v' not in each[0] and each[0] in 'vw']
            if plain and self.chance(0.5):
                real, low, high = self.rng.choice(plain)
                t.parameters.append((f'int[{low},{high}] &', 'rv', real))
                names.append('rv')
                writable.append(('rv', low, high))
            if self.chance(0.5):
                real, urgent, broadcast = self.rng.choice(channels)
                if real != 'e':
                    prefix = ('urgent ' if urgent else '') + ('broadcast ' if broadcast else '')
                    t.parameters.append((f'{prefix}chan &', 'rc', real))
                    channels.append(('rc', urgent, broadcast))
        if self.has['local_clock'] and self.chance(0.7) and len(self.clocks) < 2:
            t.declarations.append('clock lx;')
            clocks.append('lx')
            t.clocks.append('lx')
        if self.chance(0.4):
            t.declarations.append('int[0,2] l;')
            names.append('l')
            writable.append(('l', 0, 2))
            t.numbers.append('l')
        self.body(t, clocks, names, writable, channels)
        return t

    def body(self, t, clocks, names, writable, channels):
        count = self.pick(1, 2, 2, 3, 3, 4)
        places = [f'L{i}' for i in range(count)]
        for i, place in enumerate(places): # a way through all of them, so that they are reached
            if i and self.chance(0.8):
                t.edges.append(self.edge(places[i - 1], place, clocks, names, writable, channels))
            parts = []
            if clocks and self.chance(0.3):
                x = self.rng.choice(clocks)
                parts.append(f'{x} {self.operator("<=", "<=", "<")} {self.bound(names)}')
                if self.chance(0.15):
                    parts.append(f'{self.rng.choice(clocks)} <= {self.bound(names)}')
            if self.has['integer_invariant'] and i and self.chance(0.3):
                parts.append(self.condition(names, 1))
            kind = '' if self.chance(0.88) else self.pick('urgent', 'commit')
            t.locations.append([place, ' && '.join(parts), kind])
        if self.has['branch'] and self.chance(0.5):
            t.branches.append('B')
        for _ in range(self.rng.randint(1, 4)):
            source, target = self.rng.choice(places), self.rng.choice(places + t.branches)
            t.edges.append(self.edge(source, target, clocks, names, writable, channels))
        if t.branches:
            for _ in range(2):
                t.edges.append(['B', self.rng.choice(places), '', '', '',
                                self.update(clocks, names, writable), 'probability 1'])

    def edge(self, source, target, clocks, names, writable, channels):
        select = ''
        if self.has['select'] and self.chance(0.2):
            select = f'i : {self.pick("id_t", "int[0,1]", "int[1,2]")}'
            names = names + ['i']
        sync, timed = '', True
        if channels and self.chance(0.4):
            name, urgent, broadcast = self.rng.choice(channels)
            mark = self.pick('!', '?')
            index = ''
            if name == 'e':
                chosen = 'i' if select else '0'
                index = f'[{self.pick("0", "1", chosen, "v", self.rng.choice(names))} & 1]'
            sync = name + index + mark
            if urgent and not self.has['urgent_guard']:
                timed = False
            if broadcast and mark == '?' and not self.has['receive_guard']:
                timed = False
        update = self.update(clocks, names, writable)
        if self.has['scalar'] and self.chance(0.1):
            update = update + (', ' if update else '') + 't = q'
            select = select + (', ' if select else '') + 'q : s_t'
        return [source, target, select, self.guard(clocks, names, timed), sync, update, '']

    def system(self):
        names = []
        for t in self.model.templates:
            if not t.parameters:
                names.append(t.name)
            elif t.parameters[0][2] is None:
                if self.has['partial'] and self.chance(0.5):
                    self.model.instances.append(f'S{t.name}(const id_t k) = {t.name}(k);')
                    names.append('S' + t.name)
                    t.instances = [f'S{t.name}(0)', f'S{t.name}(1)']
                    continue
                names.append(t.name)
                t.instances = [f'{t.name}(0)', f'{t.name}(1)']
                continue
            else:
                arguments = ', '.join(real for _, _, real in t.parameters)
                self.model.instances.append(f'I{t.name} = {t.name}({arguments});')
                names.append('I' + t.name)
            t.instances = [names[-1]]
        self.model.groups = [names[0]]
        for name in names[1:]:
            self.model.groups += ['<' if self.has['process_priority'] and self.chance(0.6) else ',',
                                  name]

    # ---- queries ----

    def state_atom(self, timed=True):
        t = self.rng.choice(self.model.templates)
        process = self.rng.choice(t.instances)
        roll = self.rng.random()
        clocks = self.clocks + [f'{p}.{x}' for each in self.model.templates for p in each.instances
                                for x in each.clocks]
        if roll < 0.45:
            return f'{process}.{self.rng.choice(t.locations)[0]}'
        if roll < 0.65 and timed and clocks:
            return self.query_clock(clocks)
        if roll < 0.75 and t.numbers:
            name = f'{process}.{self.rng.choice(t.numbers)}'
            return f'{name} {self.pick("==", ">", "<=")} {self.pick(0, 1, 2)}'
        if roll < 0.8:
            return 'deadlock'
        if roll < 0.84 and len(t.instances) == 2:
            name = process.split('(')[0]
            word = self.pick('forall', 'exists')
            return f'({word} (k : id_t) {name}(k).{self.rng.choice(t.locations)[0]})'
        return self.condition(self.numbers, 1)

    def query_clock(self, clocks):
        x = self.rng.choice(clocks)
        if self.has['diagonal'] and len(clocks) > 1 and self.chance(0.4):
            y = self.rng.choice([each for each in clocks if each != x])
            operator = self.pick("<=", ">=", "<", ">", "==")
            return f'{x} - {y} {operator} {self.rng.randint(-1, 2)}{UNIT}'
        operator = self.pick("<=", ">=", "<", ">", "==", "!=")
        return f'{x} {operator} {self.rng.randint(0, self.largest)}{UNIT}'

    def state_formula(self):
        a = self.state_atom()
        if self.chance(0.2):
            a = f'!({a})'
        if self.chance(0.45):
            return a
        b = self.state_atom()
        return f'({a} {self.pick("and", "or", "imply", "&&")} {b})'

    def query(self):
        kind = self.pick(*2 * ('A[]', 'E<>', 'E[]', 'A<>', '-->'), 'sup')
        if kind == '-->':
            return f'{self.state_formula()} --> {self.state_formula()}'
        if kind != 'sup':
            return f'{kind} {self.state_formula()}'
        word = self.pick('sup', 'inf', 'bounds')
        terms = self.numbers + self.clocks * 2
        count = self.pick(1, 1, 2)
        condition = '{' + self.state_formula() + '}' if self.chance(0.6) else ''
        return f'{word}{condition}: {", ".join(self.rng.sample(terms, min(count, len(terms))))}'


def draw(seed):
    drawer = Drawer(seed)
    drawer.declare()
    for i in range(drawer.pick(1, 2, 2, 3, 3, 4)):
        drawer.model.templates.append(drawer.template('PQRT'[i]))
    drawer.system()
    drawer.model.queries = [drawer.query() for _ in range(drawer.rng.randint(3, 8))]
    drawer.model.features = [name for name, on in drawer.has.items() if on]
    return drawer.model


# ---- texts ----

def parameter_text(t):
    return ', '.join(f'{type_}{"" if type_.endswith("&") else " "}{name}'
                     for type_, name, _ in t.parameters)


def process_text(t):
    lines = [f'process {t.name}({parameter_text(t)}) {{'] + ['  ' + d for d in t.declarations]
    places = [name + (f' {{ {invariant} }}' if invariant else '')
              for name, invariant, _ in t.locations]
    lines.append(f'  state {", ".join(places)};')
    if t.branches:
        lines.append(f'  branchpoint {", ".join(t.branches)};')
    for word in ('commit', 'urgent'):
        names = [name for name, _, kind in t.locations if kind == word]
        if names:
            lines.append(f'  {word} {", ".join(names)};')
    lines.append(f'  init {t.locations[0][0]};')
    edges = []
    for source, target, select, guard, sync, update, weight in t.edges:
        parts = [f'{word} {text};' for word, text in
                 (('select', select), ('guard', guard), ('sync', sync), ('assign', update))
                 if text] + ([weight + ';'] if weight else [])
        edges.append(f'    {source} -> {target} {{ {" ".join(parts)} }}')
    if edges:
        lines += ['  trans', ',\n'.join(edges) + ';']
    return '\n'.join(lines + ['}'])


def end_text(model):
    lines = ([model.priority] if model.priority else []) + model.instances
    return '\n'.join(lines + [f'system {" ".join(model.groups)};'])


def with_unit(model, unit):
    return [f'const int U = {unit};'] + model.declarations


def xta(model, unit=1):
    return '\n'.join(with_unit(model, unit) + [process_text(t) for t in model.templates]
                     + [end_text(model)]) + '\n'


def label(kind, text):
    return f'<label kind="{kind}">{escape(text)}</label>' if text else ''


def template_xml(t):
    out = [f'<template><name>{t.name}</name><parameter>{escape(parameter_text(t))}</parameter>',
           f'<declaration>{escape(chr(10).join(t.declarations))}</declaration>']
    for name, invariant, kind in t.locations:
        mark = {'': '', 'commit': '<committed/>', 'urgent': '<urgent/>'}[kind]
        out.append(f'<location id="id_{name}"><name>{name}</name>{label("invariant", invariant)}'
                   f'{mark}</location>')
    out += [f'<branchpoint id="id_{name}"/>' for name in t.branches]
    out.append(f'<init ref="id_{t.locations[0][0]}"/>')
    for source, target, select, guard, sync, update, weight in t.edges:
        out.append(f'<transition><source ref="id_{source}"/><target ref="id_{target}"/>'
                   + label('assignment', update) + label('guard', guard)
                   + label('synchronisation', sync) + label('select', select)
                   + label('probability', weight.removeprefix('probability ')) + '</transition>')
    return '\n'.join(out + ['</template>'])


def xml(model, queries, unit=1):
    asked = '\n'.join(f'<query><formula>{escape(query)}</formula><comment/></query>'
                      for query in queries)
    return ('<?xml version="1.0" encoding="utf-8"?>\n'
            "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'flat-1_1.dtd'>\n"
            f'<nta><declaration>{escape(chr(10).join(with_unit(model, unit)))}</declaration>\n'
            + '\n'.join(map(template_xml, model.templates))
            + f'\n<system>{escape(end_text(model))}</system>\n<queries>{asked}</queries></nta>\n')
