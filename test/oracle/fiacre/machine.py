"""The steps of a model: initial states, and for a state all enabled combinations of paths.

Order inside a synchronisation: what comes before the communication, for all parties in instance
order; the values of all senders; the patterns of all receivers; what follows, for senders and then
for the others (each in instance order).  Each part sees the writes of the parts before.

A run-time error makes a *failing pair*: the combination is no transition.  It counts only if
everything before it let the combination pass.  Some situations are not decided by the language page
(who fails when a combination is not known completely at the moment of the error, or is held back by
a priority); they are counted as `doubtful`, and generated models avoid them.
"""
import itertools

from fiacre import values as V
from fiacre.model import Model
from fiacre.parse import ModelError
from fiacre.paths import SENT_ANY, PathCompiler


class Machine:
    def __init__(self, text, dialect='obp', traced=False, trace_if=True, **reading):
        self.model = model = Model(text, dialect, **reading)
        self.traced = traced
        self.compiled = [PathCompiler(model, process, traced, trace_if).compile()
                         for process in model.processes]
        self.controls = [process.control for process in model.processes]
        self.groups = [(port, number, group) for port in model.ports
                       for number, group in enumerate(port.groups)]
        # the groups in which a process instance takes part
        self.of_process = [[] for _ in model.processes]
        for at, (port, _, group) in enumerate(self.groups):
            for i in group:
                self.of_process[i].append((port.index, at))
        self.offers = []  # per instance and control state: the groups it may be ready for
        for i, compiled in enumerate(self.compiled):
            self.offers.append({})
            for state, starts in compiled.starts.items():
                ends = frozenset().union(*(start.ends for start in starts))
                self.offers[i][state] = [at for port, at in self.of_process[i] if port in ends]
        self.sizes = [len(group) for _, _, group in self.groups]
        self.key = [(port.index, number) for port, number, _ in self.groups]
        self.above = [model.above.get(key, set()) for key in self.key]
        self.has_priorities = bool(model.above)

    # ---- initial states ----
    def initial(self):
        """(list of distinct initial states, messages of errors in init)."""
        values, errors = {}, []
        for unit in self.model.inits:
            values |= unit.initial
        states = [tuple(values[slot] for slot in range(len(self.model.slots)))]
        for unit in self.model.inits:
            if unit.unit.init is None:
                continue
            if not hasattr(unit, 'control'):
                unit.ports = {}
            run, out = PathCompiler(self.model, unit).compile_init(unit.unit.init), []
            for state in states:
                run(state, out.append, None, lambda ends, text: errors.append(text), None, None)
            states = out
        return list(dict.fromkeys(states)), errors

    # ---- one state ----
    def expand(self, S):
        """Fills self.out with the enabled transitions of a state, self.failed with messages of
        failing pairs; counts self.doubtful. Plain: out has new states.  Traced: out has (new state,
        identity, interval, indices of parties that moved by `to`, group or None)."""
        self.out, self.failed, self.doubtful, self.S = [], [], 0, S
        counts, live, here = {}, set(), []
        for i, control in enumerate(self.controls):
            state = S[control]
            starts = self.compiled[i].starts.get(state)
            if not starts:
                continue
            here.append((i, starts))
            for at in self.offers[i][state]:
                counts[at] = counts.get(at, 0) + 1
                if counts[at] == self.sizes[at]:
                    live.add(at)
        live_ports = {self.groups[at][0].index for at in live}
        self.ready, self.tops = {}, {}
        for i, starts in here:
            self.ready[i] = self.run(i, starts, S, live_ports, True)
        by_group = {}
        for at in sorted(live):
            port, _, group = self.groups[at]
            silent = self.out
            self.out = []
            failures = len(self.failed)
            self.combine(port, group, 0, S, [], at)
            if self.has_priorities:
                by_group[at] = self.out, failures, len(self.failed)
                self.out = silent
            else:
                silent += self.out
                self.out = silent
        if self.has_priorities:
            self.hold_back(by_group)
        return self.out

    def hold_back(self, by_group):
        """Leaves out what a higher priority forbids (untimed; with time the caller does that)."""
        enabled = {self.key[at] for at, (out, _, _) in by_group.items() if out}
        for at, (out, before, after) in by_group.items():
            if self.traced or not self.above[at] & enabled:
                self.out += out
            elif after > before:
                self.doubtful += 1
            if (after > before
                and any(self.key[at] in self.above[other] and by_group[other][0]
                        for other in by_group)):
                self.doubtful += 1

    def run(self, i, starts, S, live_ports, from_start):
        """Runs the transitions of instance i from S; returns (communications reached, errors before
        one).  With from_start silent paths count; otherwise another party has already changed S,
        and only communications are of interest."""
        reached, errors = [], []
        for start in starts:
            if start.silent and from_start or not live_ports.isdisjoint(start.ends):
                top = None
                if start.unless:
                    top = self.tops[i] = self.top(i, start) if from_start else self.tops[i]
                out = [] if start.unless or self.traced or not from_start else self.out
                start.path(S, out.append, reached.append, lambda ends,
                           text: errors.append((ends, text)), (), top)
                if from_start and out is not self.out:
                    self.out += (
                        [(x[0], (i, x[1]), x[2], frozenset([i] if x[3] else []), None) for x in out]
                        if self.traced else [x[0] for x in out])
        if from_start:
            for ends, text in errors:
                if None in ends:
                    self.failed.append(text)
                    self.doubtful += len(ends) > 1
        return reached, errors

    def top(self, i, start):
        """For each select with unless: the last group through which a silent path of this state
        goes."""
        out, errors, top = [], [], {}
        start.path(self.S, out.append, lambda x: None, lambda ends, text: errors.append(text), (),
                   None)
        for x in out:
            if x[-1]:
                top[x[-1][0]] = max(top.get(x[-1][0], 0), x[-1][1])
        self.doubtful += bool(errors)
        return {**self.tops.get(i, {}), **top}

    def combine(self, port, group, k, S, chosen, at):
        """Party k of the group runs to its communication on the port, in the state that the parties
        before it left."""
        if k == len(group):
            return self.complete(port, group, S, chosen, at)
        i = group[k]
        if S is self.S:
            reached, errors = self.ready[i]
        else:
            reached, errors = self.run(i, self.compiled[i].starts[self.S[self.controls[i]]], S,
                                       {port.index}, False)
        for ends, text in errors:
            if port.index in ends:
                self.failed.append(text)
                others_come = all(
                    any(self.compiled[j].communications[c[0]].port is port
                        for c in self.ready[j][0]) for j in group[k + 1:])
                self.doubtful += ends != {port.index} or not others_come
        for number, state, trace in reached:
            communication = self.compiled[i].communications[number]
            if communication.port is port:
                self.combine(port, group, k + 1, state, chosen + [(i, communication, trace)], at)

    def complete(self, port, group, S, chosen, at):
        """All parties are at their communication: values, patterns, and what follows."""
        senders = [c for c in chosen if c[1].kind == 'send']
        receivers = [c for c in chosen if c[1].kind == 'receive']
        order = senders + [c for c in chosen if c[1].kind != 'send']
        try:
            offered = [sender[1].values(S) for sender in senders]
        except V.Failure as failure:
            self.failed.append(str(failure))
            self.doubtful += len(senders) > 1
            return
        except V.Blocked:
            return
        for values in self.exchanged(port, offered, senders + receivers):
            self.receive(values, receivers, order, S, chosen, at,
                         values if self.traced
                         and any(SENT_ANY in o for o in offered or [[SENT_ANY]]) else None)

    def exchanged(self, port, offered, parties):
        """The values that may be exchanged: what the senders agree on; what nobody fixes may be
        anything of its type."""
        if not parties:
            return [()]
        width = parties[0][1].width
        if any(party[1].width != width for party in parties):
            raise ModelError('different numbers of values on one port', parties[0][1].pos)
        choices = []
        for position in range(width):
            fixed = {o[position] for o in offered if o[position] != SENT_ANY}
            if len(fixed) > 1:
                return []
            if not fixed and not port.channel:
                raise ModelError(
                    'nobody says which value is exchanged, and the channel has no type',
                    parties[0][1].pos)
            choices.append(list(fixed) or V.values(port.channel[position]))
        return itertools.product(*choices)

    def receive(self, values, receivers, order, S, chosen, at, free):
        try:
            for _, communication, _ in receivers:
                S = communication.receive(S, values)
                if S is None:
                    return
        except V.Failure as failure:
            self.failed.append(str(failure))
            return
        except V.Blocked:
            return
        if self.traced:
            identity = tuple((i, trace, communication.number)
                             for i, communication, trace in chosen) + ((free,) if free else ())
            self.follow_traced(order, 0, S, identity, (), frozenset(), at)
        else:
            self.follow(order, 0, S)

    def follow(self, order, k, S):
        if k == len(order):
            self.out.append(S)
            return
        out = []
        order[k][1].suffix(S, out.append, None, lambda ends, text: self.failed.append(text), (),
                           None)
        for state in out:
            self.follow(order, k + 1, state)

    def follow_traced(self, order, k, S, identity, traces, moved, at):
        if k == len(order):
            self.out.append((S, (identity, traces), self.groups[at][0].interval, moved, at))
            return
        out = []
        order[k][1].suffix(S, out.append, None, lambda ends, text: self.failed.append(text), (),
                           None)
        for state, trace, _, by_to, _ in out:
            self.follow_traced(order, k + 1, state, identity, traces + (trace,),
                               moved | {order[k][0]} if by_to else moved, at)
