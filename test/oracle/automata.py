"""Timed automata that everybody knows, as texts for Cairn: networks of processes with clocks,
synchronised edges and committed locations.

    process = {'name': ..., 'locations': [(name, invariant or None, committed), ...], 'edges':
    [(from, to, event or None, when, guard, resets, sets), ...]}

Conditions (`when`), guards and invariants are lists in Cairn's own form; `sets` are pairs
(variable, expression). The first location is the initial one. A process and an event that stand in
no synchronisation move alone; a synchronisation is a list of (process, event), and every
combination of such edges is a rule. While a process is in a committed location no time passes and
only rules that leave such a location are taken.
"""
import itertools


def process(name, locations, edges):
    return {'name': name,
            'locations': [(*entry, None, False)[:3] if isinstance(entry, tuple)
                          else (entry, None, False) for entry in locations],
            'edges': [
        {'from': e[0], 'to': e[1], 'event': e[2], 'when': (), 'guard': (), 'reset': (), 'set': (),
         **(e[3] if len(e) > 3 else {})} for e in edges]}


def network(name, processes, clocks, variables=(), synchronisations=(), properties=()):
    out = ['cairn 1', f'model "{name}"'] + [f'clock "{clock}"' for clock in clocks]
    at = {p['name']: {location[0]: i for i, location in enumerate(p['locations'])}
          for p in processes}
    committed = {
        p['name']: [at[p['name']][location[0]] for location in p['locations'] if location[2]]
        for p in processes}
    for p in processes:
        out.append(f'process "{p["name"]}" type "{p["name"]}" pc "{p["name"]}.pc"')
        for i, (location, invariant, _) in enumerate(p['locations']):
            out.append(f'  location {i} "{location}"'
                       + (f' invariant {invariant}' if invariant else ''))
    out += [f'variable "{p["name"]}.pc" of "{p["name"]}" 0..{len(p["locations"]) - 1} = 0'
            for p in processes]
    out += [f'variable "{v}" {low}..{high} = {first}' for v, low, high, first in variables]
    together = {pair for synchronisation in synchronisations for pair in synchronisation}
    steps = [[(p['name'], e)] for p in processes for e in p['edges']
             if (p['name'], e['event']) not in together]
    edges = {p['name']: p['edges'] for p in processes}
    for synchronisation in synchronisations:
        steps += [list(zip([p for p, _ in synchronisation], chosen))
                  for chosen in itertools.product(
            *[[e for e in edges[p] if e['event'] == event] for p, event in synchronisation])]
    for step in steps:
        out += rule(step, at, committed)
    for i, (kind, text) in enumerate(properties):
        out.append(f'property "p{i}" {kind} formula {text}')
    return '\n'.join(out) + '\n'


def rule(step, at, committed):
    leaves = any(at[p][e['from']] in committed[p] for p, e in step)
    out = [f'rule "{step[0][1]["event"] or "move"}"']
    for number, (p, e) in enumerate(step):
        out += [f'  part "{p}"',
                f'    when (eq "{p}.pc" {at[p][e["from"]]})'] + [f'    when {condition}'
            for condition in e['when']]
        if not number and not leaves:
            out += [f'    when (ne "{q}.pc" {value})' for q in committed for value in committed[q]
                    if q not in dict(step)]
    for p, e in step:
        out += [f'  set "{p}.pc" {at[p][e["to"]]}'] * (e['from']
                                                       != e['to']) + [f'  set "{v}" {value}'
            for v, value in e['set']]
    out += ['  interval [0, 0]'] * leaves
    for _, e in step:
        out += [f'  guard {guard}' for guard in e['guard']] + [f'  reset "{clock}"'
                                                               for clock in e['reset']]
    return out


def fischer(n, delay=10, strict=True):
    """Mutual exclusion by waiting longer than anybody needs to write; broken when one may wait
    exactly as long."""
    def one(i):
        x = f'x{i}'
        return process(f'P{i}', ['A', ('req', f'"{x}" <= {delay}'), 'wait', 'cs'],
                       [('A', 'req', None, {'when': ['(eq "id" 0)'], 'reset': [x]}),
                        ('req', 'wait', None,
                         {'guard': [f'"{x}" <= {delay}'], 'reset': [x], 'set': [('id', i)]}),
                        ('wait', 'req', None, {'when': ['(eq "id" 0)'], 'reset': [x]}),
                        ('wait', 'cs', None,
                         {'when': [f'(eq "id" {i})'],
                          'guard': [f'"{x}" {">" if strict else ">="} {delay}']}),
                        ('cs', 'A', None, {'set': [('id', 0)]})])
    apart = '(not (and (eq "P1.pc" 3) (eq "P2.pc" 3)))'
    return network(f'fischer {n}', [one(i) for i in range(1, n + 1)],
                   [f'x{i}' for i in range(1, n + 1)], [('id', 0, n, 0)],
                   properties=[('invariant', apart)])


def csmacd(n, sending=808, delay=26):
    """Stations on a bus that collide and try again."""
    y = '"y"'
    bus = process('Bus', ['Idle', 'Active', ('Collision', f'{y} < {delay}'), ('Loop', None, True)],
                  [('Idle', 'Active', 'begin', {'reset': ['y']}),
                   ('Active', 'Collision', 'begin', {'guard': [f'{y} < {delay}'], 'reset': ['y']}),
                   ('Active', 'Active', 'busy', {'guard': [f'{y} >= {delay}']}),
                   ('Active', 'Idle', 'end', {'reset': ['y']}),
                   ('Collision', 'Loop', None, {'guard': [f'{y} < {delay}'], 'set': [('j', 1)]}),
                   ('Loop', 'Idle', None,
                    {'when': [f'(eq "j" {n + 1})'], 'guard': [f'{y} < {delay}'], 'reset': ['y'],
                     'set': [('j', 1)]})]
                  + [('Loop', 'Loop', f'cd{i}', {'when': [f'(eq "j" {i})'], 'set': [('j', i + 1)]})
                     for i in range(1, n + 1)])
    def station(i):
        x = f'x{i}'
        retry = {'guard': [f'"{x}" < {2 * delay}'], 'reset': [x]}
        return process(f'S{i}',
                       ['Wait', ('Start', f'"{x}" <= {sending}'),
                        ('Retry', f'"{x}" < {2 * delay}')],
                       [('Wait', 'Start', 'begin', {'reset': [x]}),
                        ('Wait', 'Retry', 'busy', {'reset': [x]}),
                        ('Wait', 'Wait', 'cd', {'reset': [x]}),
                        ('Wait', 'Retry', 'cd', {'reset': [x]}),
                        ('Start', 'Wait', 'end', {'guard': [f'"{x}" = {sending}'], 'reset': [x]}),
                        ('Start', 'Retry', 'cd', {'guard': [f'"{x}" < {delay}'], 'reset': [x]}),
                        ('Retry', 'Start', 'begin', retry),
                        ('Retry', 'Retry', 'busy', retry), ('Retry', 'Retry', 'cd', retry)])
    together = [[('Bus', bus_event), (f'S{i}', event)] for i in range(1, n + 1)
                for bus_event, event in (('begin', 'begin'), ('busy', 'busy'), (f'cd{i}', 'cd'),
                                         ('end', 'end'))]
    return network(f'csmacd {n}', [bus] + [station(i) for i in range(1, n + 1)],
                   ['y'] + [f'x{i}' for i in range(1, n + 1)], [('j', 1, n + 1, 1)], together)


def train_gate(n):
    """Trains that a gate stops and lets go, first come, first served."""
    def nth(offset):
        return f'(at "b[0]" {n} (mod 0 (add 0 "head" {offset}) {n}))'
    last = f'(at "b[0]" {n} (mod 0 (add 0 (add 0 "head" "length") {n - 1}) {n}))'
    def edges(i):
        enter = [(f'b[{k}]', f'(choose (eq (mod 0 (add 0 "head" "length") {n}) {k}) {i} "b[{k}]")')
                 for k in range(n)]
        longer = enter + [('length', f'(within range 0..{n} (add 0 "length" 1))')]
        first = ['(gt "length" 0)', f'(eq {nth(0)} {i})']
        shorter = [('head', f'(mod 0 (add 0 "head" 1) {n})'),
                   ('length', f'(within range 0..{n} (sub 0 "length" 1))')]
        return [('Free', 'Occ', f'go{i}', {'when': first}),
                ('Free', 'Occ', f'appr{i}', {'when': ['(eq "length" 0)'], 'set': longer}),
                ('Occ', 'Transient', f'appr{i}', {'set': longer}),
                ('Occ', 'Free', f'leave{i}', {'when': first, 'set': shorter}),
                ('Transient', 'Occ', f'stop{i}', {'when': ['(gt "length" 0)', f'(eq {last} {i})']})]
    gate = process('Gate', ['Free', 'Occ', ('Transient', None, True)],
                   [edge for i in range(1, n + 1) for edge in edges(i)])
    def train(i):
        x = f'x{i}'
        return process(f'T{i}',
                       ['Safe', ('Appr', f'"{x}" <= 20'), 'Stop', ('Start', f'"{x}" <= 15'),
                        ('Cross', f'"{x}" <= 5')],
                       [('Safe', 'Appr', 'appr', {'reset': [x]}),
                        ('Appr', 'Cross', None, {'guard': [f'"{x}" >= 10'], 'reset': [x]}),
                        ('Appr', 'Stop', 'stop', {'guard': [f'"{x}" <= 10']}),
                        ('Stop', 'Start', 'go', {'reset': [x]}),
                        ('Start', 'Cross', None, {'guard': [f'"{x}" >= 7'], 'reset': [x]}),
                        ('Cross', 'Safe', 'leave', {'guard': [f'"{x}" >= 3']})])
    together = [[(f'T{i}', event), ('Gate', f'{event}{i}')] for i in range(1, n + 1)
                for event in ('appr', 'stop', 'go', 'leave')]
    variables = [(f'b[{k}]', 1, n, 1) for k in range(n)] + [('head', 0, n - 1, 0),
                                                            ('length', 0, n, 0)]
    return network(f'train gate {n}', [gate] + [train(i) for i in range(1, n + 1)],
                   [f'x{i}' for i in range(1, n + 1)], variables, together)


if __name__ == '__main__':
    import sys
    print(globals()[sys.argv[1]](*map(int, sys.argv[2:])), end='')
