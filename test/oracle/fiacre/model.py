"""From a parsed program to its instances: which variables a state has, which ports exist, who takes
part in them, what has priority.

A state is a tuple.  Each variable of a component or process instance has a slot in it, and so has
the control state of each process instance. Parameters by reference are other names of slots,
parameters by value are constants.

Dialects: in `obp` every process instance connected to a port takes part in each exchange on it; in
`frac` the interfaces written in `par` decide.
"""
from types import SimpleNamespace

from fiacre import values as V
from fiacre.code import FunctionCompiler, Globals, converted, expression
from fiacre.parse import ModelError, parse


class Model:
    """slots: (name, type or None for a control state, instance or None); processes; ports; groups:
    who exchanges together."""

    def __init__(self, text, dialect='obp', transitive=True, **reading):
        program = parse(text)
        self.dialect, self.g = dialect, Globals(**reading)
        self.units = {}
        self.slots, self.processes, self.components, self.ports, self.priorities, self.inits = ([],
            [], [], [], [], [])
        for d in program.declarations:
            self.declare(d)
        if program.root not in self.units:
            raise ModelError(f'no process or component {program.root!r}', program.root_pos)
        root = self.units[program.root]
        if any(p[1] for p in root.parameters) or root.parameters:
            raise ModelError('the root has parameters', root.pos)
        ports = {name: self.add_port(name, self.g.channel(channel), None)
                 for name, _, _, channel in root.ports}
        alone = self.instantiate(root, ports, {})
        for port in self.ports:
            if dialect == 'obp':
                members = [p.index for p in self.processes if port.index in p.connected]
                port.groups = [tuple(members)] if members else []
        for name, port in ports.items():
            if dialect == 'frac':
                port.groups = [tuple(sorted(s)) for s in alone.get(port.index, [])]
        self.rank(transitive)

    # ---- declarations ----
    def declare(self, d):
        g = self.g
        if d.kind == 'type':
            self.new_name(g.types, d)
            g.types[d.name] = g.type(d.type)
        elif d.kind == 'channel':
            self.new_name(g.channels, d)
            g.channels[d.name] = g.channel(d.channel)
        elif d.kind == 'const':
            self.new_name(g.constants, d)
            t = g.type(d.type)
            g.constants[d.name] = 'value', g.evaluate(d.value, t), t
        elif d.kind == 'function':
            self.new_name(g.functions, d)
            FunctionCompiler(g, d).compile()
        else:
            self.new_name(self.units, d)
            self.units[d.name] = d

    def new_name(self, table, d):
        if d.name in table:
            raise ModelError(f'{d.name!r} is declared twice', d.pos)

    def add_port(self, name, channel, interval):
        port = SimpleNamespace(index=len(self.ports), name=name, channel=channel, interval=interval,
                               groups=[])
        self.ports.append(port)
        return port

    def add_slot(self, name, t, unit):
        self.slots.append((name, t, unit))
        return len(self.slots) - 1

    # ---- instances ----
    def instantiate(self, unit, ports, scope):
        """Adds an instance and what is inside; returns {port: [set of process instances that may
        exchange on it together]} (frac)."""
        number = 1 + sum(other.unit is unit for other in self.processes + self.components)
        if unit.kind == 'process':
            return self.add_process(unit, f'{unit.name}[{number}]', ports, scope)
        return self.add_component(unit, f'{unit.name}[{number}]', ports, scope)

    def add_variables(self, unit, name, scope, owner):
        """The unit's own variables: their slots and initial values."""
        initial = {}
        for variable, t, value, pos in unit.variables:
            t = self.g.type(t, scope)
            slot = self.add_slot(f'{name}.{variable}', t, owner)
            initial[slot] = self.initial_value(value, t, scope) if value else V.default(t)
            scope[variable] = 'slot', slot, t
        return initial

    def initial_value(self, e, t, scope):
        constants = {name: entry for name, entry in scope.items() if entry[0] == 'value'}
        if e[0] == 'array' and t[0] == 'array' and len(e[1]) < t[1]:
            items = [self.initial_value(x, t[2], scope) for x in e[1]]
            return tuple(items) + (V.default(t[2]),) * (t[1] - len(items))
        return self.g.evaluate(e, t, constants)

    def add_process(self, unit, name, ports, scope):
        process = SimpleNamespace(index=len(self.processes), unit=unit, name=name, ports=ports,
                                  connected={p.index for p in ports.values()})
        self.processes.append(process)
        process.control = self.add_slot(name, None, process.index)
        process.scope = dict(scope)
        for state, _, pos in unit.transitions:
            if state not in unit.states:
                raise ModelError(f'no state {state!r}', pos)
        process.initial = self.add_variables(unit, name, process.scope, process.index)
        process.initial[process.control] = unit.states.index(unit.transitions[0][0])
        self.inits.append(process)
        return {port: [{process.index}] for port in process.connected}

    def add_component(self, unit, name, ports, scope):
        component = SimpleNamespace(unit=unit, name=name, scope=dict(scope), ports=dict(ports))
        self.components.append(component)
        component.initial = self.add_variables(unit, name, component.scope, None)
        local = []
        for port, channel, interval, pos in unit.local_ports:
            component.ports[port] = self.add_port(port, self.g.channel(channel, scope), interval)
            local.append(component.ports[port])
        self.inits.append(component)
        first = len(self.processes)
        together = self.compose(unit.body, component)
        inside = set(range(first, len(self.processes)))
        for high, low, pos in unit.priorities:
            for port in (high, low):
                if port not in component.ports:
                    raise ModelError(f'no port {port!r}', pos)
            self.priorities.append((component.ports[high], component.ports[low], inside, pos))
        for port in local:
            if self.dialect == 'frac':
                port.groups = [tuple(sorted(s)) for s in together.pop(port.index, [])]
        return together

    def compose(self, par, component):
        """Blocks that have a port in their interface exchange on it together, the others each for
        itself."""
        blocks = []
        for interface, block in par.blocks:
            groups = (self.compose(block, component) if block.kind == 'par'
                      else self.add_instance(block, component))
            names = set()
            for written in (par.shared, interface):
                names |= (set(groups) if written == '*'
                          else {self.port_named(p, component, par.pos).index for p in written})
            blocks.append((names, groups))
        together = {}
        for port in {p for _, groups in blocks for p in groups}:
            joint, alone = [set()], []
            members = [groups[port] for names, groups in blocks if port in names and port in groups]
            for groups in members:
                joint = [a | b for a in joint for b in groups]
            for names, groups in blocks:
                if port not in names:
                    alone += groups.get(port, [])
            together[port] = (joint if members else []) + alone
        return together

    def port_named(self, name, component, pos):
        if name not in component.ports:
            raise ModelError(f'no port {name!r}', pos)
        return component.ports[name]

    def add_instance(self, instance, component):
        unit = self.units.get(instance.name)
        if not unit:
            raise ModelError(f'no process or component {instance.name!r}', instance.pos)
        if (len(instance.ports) != len(unit.ports)
            or len(instance.arguments) != len(unit.parameters)):
            raise ModelError('a wrong number of ports or arguments', instance.pos)
        ports, scope = {}, {}
        for (name, _, _, channel), actual in zip(unit.ports, instance.ports):
            ports[name] = self.port_named(actual, component, instance.pos)
        for (name, reference, _, _, t), (by_reference, e) in zip(unit.parameters,
            instance.arguments):
            t = self.g.type(t)
            if reference != by_reference:
                raise ModelError(f'parameter {name!r}: by reference or not?', instance.pos)
            scope[name] = self.argument(e, t, reference, component, instance.pos)
        return self.instantiate(unit, ports, scope)

    def argument(self, e, t, reference, component, pos):
        if reference:
            entry = component.scope.get(e[1]) if e[0] == 'name' else None
            if not entry or entry[0] != 'slot':
                raise ModelError('a variable expected after &', pos)
            if entry[2] != t:
                raise ModelError('a variable of another type', pos)
            return entry
        constants = {name: entry for name, entry in component.scope.items() if entry[0] == 'value'}
        text, source = expression(self.g, e, constants, t)
        return 'value', eval(converted(self.g, text, source, t), self.g.python), t

    # ---- priorities ----
    def rank(self, transitive):
        """self.above[(port, group number)]: those that must not be fireable for it to fire."""
        pairs = set()
        for high, low, inside, _ in self.priorities:
            for i, p in enumerate(high.groups):
                for j, q in enumerate(low.groups):
                    if inside & set(p) and inside & set(q):
                        pairs.add(((high.index, i), (low.index, j)))
        closed = set(pairs)
        while True:
            more = {(p, r) for p, q in closed for s, r in closed if q == s} - closed
            if not more:
                break
            closed |= more
        if any(p == q for p, q in closed):
            raise ModelError('a priority above itself', self.priorities[0][3])
        self.above = {}
        for p, q in closed if transitive else pairs:
            self.above.setdefault(q, set()).add(p)

    # ---- names ----
    def show(self, state):
        """A state as {name: text}; a process instance's name stands for its control state."""
        shown = {}
        for value, (name, t, owner) in zip(state, self.slots):
            shown[name] = V.show(value, t) if t else self.processes[owner].unit.states[value]
        return shown
