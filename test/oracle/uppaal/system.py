"""Makes trees into a system: variables with initial values, channels, clocks, processes.

Types, resolved: ('int', lo, hi), ('scalar', n), ('clock',), ('chan', Chan...), ('void',),
('array', lowest index, size, element), ('struct', [(name, type)]). A bool is an int of 0..1.
Values are numbers, and lists for arrays and structs; a clock is a Clock, a channel a Chan: they
never change. A variable is a Ref: a list, where in it, and its type. All variables of a state are
in one list (Machine.values), constants and locals of functions in lists of their own. A `meta`
variable is read as any other: the same wherever it is written before it is read in a step, and
what models need that hand values from one committed step to the next.
"""
from types import SimpleNamespace
from itertools import product
from .machine import Machine
from .syntax import Refused
from .values import Chan, Clock, Function, Process, Ref, Scope, index_range, plain, values_of

BUILT_IN = {'INT8_MIN': -2 ** 7, 'INT8_MAX': 2 ** 7 - 1, 'UINT8_MAX': 2 ** 8 - 1,
            'INT16_MIN': -2 ** 15, 'INT16_MAX': 2 ** 15 - 1, 'UINT16_MAX': 2 ** 16 - 1,
            'INT32_MIN': -2 ** 31, 'INT32_MAX': 2 ** 31 - 1}
BUILT_IN_TYPES = {'int8_t': (-2 ** 7, 2 ** 7 - 1), 'uint8_t': (0, 2 ** 8 - 1),
                  'int16_t': (-2 ** 15, 2 ** 15 - 1), 'uint16_t': (0, 2 ** 16 - 1),
                  'int32_t': (-2 ** 31, 2 ** 31 - 1)}


class System(Machine):
    def __init__(self, declarations):
        super().__init__()
        self.globals = Scope(None)
        for name, value in BUILT_IN.items():
            self.globals.names[name] = Ref([value], (0,), ('int', value, value))
        for name, (low, high) in BUILT_IN_TYPES.items():
            self.globals.names[name] = ('int', low, high)
        self.groups, self.channel_groups = [], None
        for declaration in declarations:
            self.declare(declaration, self.globals)
        if not self.groups:
            raise Refused('no system line')
        for priority, names in enumerate(self.groups):
            for name in names:
                self.add_processes(name, priority)
        self.rank_channels()
        self.first_values = list(map(plain, self.values))
        self.first_clocks = [clock.first for clock in self.all_clocks]

    # ---- declarations ----

    def declare(self, tree, scope):
        kind = tree[0]
        if kind == 'typedef':
            scope.names[tree[2]] = self.array(self.resolve(tree[1], scope), tree[3], scope)
        elif kind == 'var':
            self.declare_variable(tree, scope)
        elif kind == 'func':
            scope.names[tree[2]] = Function(tree[2], self.resolve(tree[1], scope), tree[3],
                                            tree[4], scope)
        elif kind == 'process':
            scope.names[tree[1].name] = SimpleNamespace(
                name=tree[1].name, parameters=tree[1].parameters, template=tree[1], scope=scope)
        elif kind == 'inst':
            scope.names[tree[1]] = SimpleNamespace(name=tree[1], parameters=tree[2], template=None,
                                                   of=tree[3], arguments=tree[4], scope=scope)
        elif kind == 'system':
            self.groups = tree[1]
        elif kind == 'priority':
            self.channel_groups = tree[1]

    def declare_variable(self, tree, scope):
        _, (_, prefixes, _), name, dims, init = tree
        type_ = self.array(self.resolve(tree[1], scope), dims, scope)
        if 'const' in prefixes and type_ == ('int', -2 ** 15, 2 ** 15 - 1):
            type_ = ('int', -2 ** 31, 2 ** 31 - 1) # constants may be larger than variables
        value = self.first_value(type_, init, scope)
        if 'const' in prefixes or kind_of(type_) in ('clock', 'chan'):
            scope.names[name] = Ref([value], (0,), type_)
        else:
            scope.names[name] = self.new_variable(value, type_)

    def new_variable(self, value, type_):
        self.values.append(value)
        return Ref(self.values, (len(self.values) - 1,), type_)

    def first_value(self, type_, init, scope):
        kind = type_[0]
        if kind == 'clock':
            value = self.evaluate(init, scope) if init else 0
            self.all_clocks.append(Clock(len(self.all_clocks), value))
            return self.all_clocks[-1]
        if kind == 'chan':
            self.channels.append(Chan(len(self.channels), type_[1], type_[2]))
            return self.channels[-1]
        if init is not None and init[0] != 'list':
            return self.fit(self.evaluate(init, scope), type_)
        if kind == 'array':
            inits = init[1] if init else [None] * type_[2]
            if len(inits) != type_[2]:
                raise Refused('an array has another number of initial values')
            return [self.first_value(type_[3], each, scope) for each in inits]
        if kind == 'struct':
            inits = init[1] if init else [None] * len(type_[1])
            return [self.first_value(member, each, scope)
                    for (_, member), each in zip(type_[1], inits)]
        low, high = index_range(type_)
        return 0 if low <= 0 <= high else low

    # ---- types ----

    def resolve(self, tree, scope):
        """The type of ('type', prefixes, base)."""
        _, prefixes, base = tree
        if base[0] == 'int':
            low = -2 ** 15 if base[1] is None else self.evaluate(base[1], scope)
            high = 2 ** 15 - 1 if base[2] is None else self.evaluate(base[2], scope)
            return ('int', low, high)
        if base[0] == 'bool':
            return ('int', 0, 1)
        if base[0] == 'scalar':
            return ('scalar', self.evaluate(base[1], scope))
        if base[0] == 'struct':
            return ('struct', [(name, self.array(self.resolve(type_, scope), dims, scope))
                               for type_, name, dims in base[1]])
        if base[0] == 'chan':
            return ('chan', 'urgent' in prefixes, 'broadcast' in prefixes)
        if base[0] == 'named':
            found = scope.find(base[1])
            if not isinstance(found, tuple):
                raise Refused(f'{base[1]} is no type')
            return found
        return (base[0],)

    def array(self, type_, dims, scope):
        for how, what in reversed(dims):
            if how == 'size' and what[0] == 'name' and isinstance(scope.find(what[1]), tuple):
                how, what = 'by', ('type', [], ('named', what[1]))
            if how == 'by':
                low, high = index_range(self.resolve(what, scope))
                type_ = ('array', low, high - low + 1, type_)
            else:
                type_ = ('array', 0, self.evaluate(what, scope), type_)
        return type_

    # ---- processes ----

    def add_processes(self, name, priority):
        made = self.globals.find(name)
        if not isinstance(made, SimpleNamespace):
            raise Refused(f'{name} is no process')
        if not made.parameters:
            self.add_process(name, made, [], priority)
            return
        ranges = []
        for type_, is_reference, _, dims in made.parameters:
            if is_reference or dims:
                raise Refused(f'{name} has parameters that are no bounded integers')
            ranges.append(values_of(self.resolve(type_, made.scope)))
        for values in product(*ranges):
            self.add_process(name, made, values, priority)

    def add_process(self, name, made, values, priority):
        arguments = [Ref([value], (0,), ('int', value, value)) for value in values]
        template, scope = self.instantiate(made, arguments)
        process = Process(len(self.processes), name, tuple(values), scope, priority)
        for declaration in template.declarations:
            self.declare(declaration, scope)
        process.locations = list(template.locations.values())
        process.number = {place.name: i for i, place in enumerate(process.locations)}
        process.initial = process.number[template.initial]
        process.edges = [self.edges_from(template, place.name, scope, process)
                         for place in process.locations]
        self.processes.append(process)
        self.sets.setdefault(name, {})[tuple(values)] = process

    def instantiate(self, made, arguments):
        """The template of an instantiation, and a scope that has its parameters."""
        scope = Scope(made.scope)
        if len(arguments) != len(made.parameters):
            raise Refused(f'{made.name} has another number of parameters')
        for (type_, is_reference, name, dims), argument in zip(made.parameters, arguments):
            resolved = self.array(self.resolve(type_, scope), dims, scope)
            if is_reference or kind_of(resolved) in ('clock', 'chan'):
                scope.names[name] = argument
            else:
                value = self.fit(plain(argument.get()), resolved)
                scope.names[name] = (Ref([value], (0,), resolved) if 'const' in type_[1]
                                     else self.new_variable(value, resolved))
        if made.template:
            return made.template, scope
        of = made.scope.find(made.of)
        if not isinstance(of, SimpleNamespace):
            raise Refused(f'{made.of} is no template')
        return self.instantiate(of, [self.argument(each, parameter, scope)
                                     for each, parameter in zip(made.arguments, of.parameters)])

    def argument(self, tree, parameter, scope):
        """A reference to what is given; of a value, to a copy."""
        if parameter[1] or parameter[0][2][0] in ('clock', 'chan'):
            return self.refer(tree, scope)
        return Ref([plain(self.evaluate(tree, scope))], (0,), ('int', -2 ** 31, 2 ** 31 - 1))

    def edges_from(self, template, source, scope, process):
        """Edges of a location: one for each choice at a branch point and of selected values."""
        found = []
        for edge in template.edges:
            if edge.source != source:
                continue
            ways = ([(edge.target, edge.update)] if edge.target not in template.branches
                    else [(second.target, edge.update + second.update)
                          for second in template.edges if second.source == edge.target])
            for chosen in self.selections(edge.select, scope):
                found += [SimpleNamespace(process=process, target=process.number[target],
                                          scope=chosen, guard=edge.guard, sync=edge.sync,
                                          update=update) for target, update in ways]
        return found

    def selections(self, select, scope):
        if not select:
            return [scope]
        name, type_ = select[0]
        resolved, found = self.resolve(type_, scope), []
        for value in values_of(resolved):
            inner = Scope(scope)
            inner.names[name] = Ref([value], (0,), resolved)
            found += self.selections(select[1:], inner)
        return found

    # ---- priorities ----

    def rank_channels(self):
        """The place of each channel in the list of priorities; the rest, and steps without a
        channel, are where `default` is, or below all."""
        self.default_rank = 0
        for rank, group in enumerate(self.channel_groups or [], 1):
            for tree in group:
                if tree is None:
                    self.default_rank = rank
        for channel in self.channels:
            channel.rank = self.default_rank
        for rank, group in enumerate(self.channel_groups or [], 1):
            for tree in group:
                for channel in every_channel(tree and self.evaluate(tree, self.globals)):
                    channel.rank = rank


def every_channel(value):
    if isinstance(value, list):
        return [channel for each in value for channel in every_channel(each)]
    return [value] if value is not None else []


def kind_of(type_):
    return kind_of(type_[3]) if type_[0] == 'array' else type_[0]
