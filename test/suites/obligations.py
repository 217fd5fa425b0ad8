"""What is owed: random patterns of every kind in random contexts of random systems, in every engine
and order, against two answers that know nothing of observers: a brute force over the composed
system with the definition of docs/patterns.md as a machine, and hand-written LTL on the same
composed model (test/oracle/patterns.py has both). Patterns with a bound on systems with time.
Random observers with `pending`, and with `success` alone, also in several contexts at once, against
a brute force."""
import collections
import copy
import json
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, LONG, SEED, check, crashed, finish, path, run, section, write
import contexts
import observers
import patterns

MOST_STATES = 400        # of a composed system
MOST_OPERATORS = 12      # of a formula
MOST_BITS = 5            # that make steps visible
tally = collections.Counter()
wrong = []

# Every way says holds or violated, except as said: what a way does not decide it must not call
# decided, and must give a reason for.
WAYS = {
    'auto': '',
    'bfs': '--engine explicit',
    'dfs': '--engine explicit --order dfs',
    'por': '--engine explicit --reduce por',
    'threads': '--engine explicit --threads 2',
    'race': '--threads 2',
    'symbolic': '--engine symbolic',
    'symbolic forward': '--engine symbolic --direction forward',
    'symbolic backward': '--engine symbolic --direction backward --order bfs',
    'tableau': '--engine symbolic --tableau',
    'tableau backward': '--engine symbolic --tableau --direction backward',
    'monolithic': '--engine symbolic --relation monolithic',
    'symbolic por': '--engine symbolic --reduce por',
    'bounded': '--engine bounded --bound 8 --time 10s',
    'bounded por': '--engine bounded --reduce por --no-induction --bound 6',
    'bounded steps': '--engine bounded --reduce steps --no-induction --bound 8',
    'timed': '--engine timed',
    'timed equal': '--engine timed --zones equal',
    'past-freeze': '--order past-freeze',
    'split': '--split always',
    'partition': '--partition auto',
    'partition threads': '--engine explicit --partition auto --threads 2',
}
SINGLE_STATES = ('past-freeze', 'split', 'partition',
    'partition threads')  # these decide what single states show: never what is owed for ever
BOUNDED = ('bounded', 'bounded por', 'bounded steps')
TIMED_WAYS = ('auto', 'timed', 'timed equal', 'past-freeze', 'split', 'race')


def told(*arguments, program=None):
    result = run(*arguments, '--json', program=program, timeout=100)
    try:
        return result, json.loads(result.stdout)
    except ValueError:
        return result, None


def blame(case, text, detail):
    """Noted, and told at once: a long run may be ended before its sum."""
    wrong.append(f'{detail}\n--- model:\n{case.model}--- context:\n{text}')
    print(f'  wrong: {detail[:300]}', flush=True)


def told_wrong(since=0):
    """The first line of everything that is wrong, then the first of it whole."""
    heads = [w.split('\n', 1)[0][:150] for w in wrong[since:]]
    return '\n'.join(heads + wrong[since:since + 1])


# ---- systems ----

class Graph:
    """A composed system with restrictions, explored: states are numbers."""

    def __init__(self, case, watched, restrictions):
        first = (frozenset(case.words), (0,) * len(case.machines), ((),) * len(case.machines), ())
        self.first, self.out, self.cut = 0, [], []
        self.states = [(first, tuple(r.first(first) for r in restrictions))]
        number = {self.states[0]: 0}
        for old, where in self.states:  # it grows
            self.cut.append('cut' in where)
            steps = []
            for new, tag in () if self.cut[-1] else case.tagged_steps(old):
                other = (new, tuple(r.after(at, old, new, tag) for r,
                    at in zip(restrictions, where)))
                if other not in number:
                    number[other] = len(self.states)
                    self.states.append(other)
                steps.append((frozenset(name for name, seen in watched.items()
                    if seen.happens(old, new, tag)), number[other], tag, old, new))
            self.out.append(steps)
            if len(self.states) > MOST_STATES:
                raise contexts.TooLarge

    def steps(self, state):
        return [(events, other) for events, other, *_ in self.out[state]]

    def is_cut(self, state):
        return self.cut[state]


def pick_events(case, chance, count):
    """Events of all kinds, and their declarations."""
    found, bodies = {}, set()
    for i in range(40):
        seen = observers.seen_event(case, chance, f'c{i}')
        if not seen.declaration:
            event = next(e for e in case.events if seen.text in (e.name, e.body()))
            seen.text = event.body()
        if seen.text not in bodies or chance.random() < 0.1:  # sometimes two names for one event
            bodies.add(seen.text)
            found[f'e{len(found)}'] = seen
        if len(found) == count:
            break
    declarations = ''.join(f'{s.declaration}event {name} is {{ {s.text} }}\n' for name,
        s in found.items())
    return found, declarations


class Setting:
    """A system with a context and events, explored."""

    def __init__(self, chance):
        while True:
            self.case = case = contexts.make(chance)
            self.events, self.declarations = pick_events(case, chance, chance.randint(4, 6))
            self.restrictions = [observers.Observer('cuts', True, case,
                chance)] if chance.random() < 0.2 else []
            try:
                self.graph = Graph(case, self.events, self.restrictions)
            except contexts.TooLarge:
                continue
            if len(self.events) >= 4 and len(self.graph.states) > 1:
                break
        self.declarations += ''.join(r.text() for r in self.restrictions)
        self.is_cut = any(self.graph.cut)

    def context(self, properties, text):
        use = f'properties {", ".join(properties)} ' + ''.join(f'restrictions {r.name} '
            for r in self.restrictions)
        return self.declarations + text + self.case.context.replace('cdl c is {',
            f'cdl c is {{ {use}', 1)


# ---- patterns ----

def pick_patterns(setting, chance, timed):
    """Patterns with what is true of them. One that can never hold must be refused."""
    chosen = []
    for _ in range(1 if timed else 4):
        p = patterns.random_pattern(chance, f'p{len(chosen)}', list(setting.events), timed)
        monitor = patterns.Monitor(p)
        if monitor.start in monitor.doomed:
            text = setting.context([p.name], p.text())
            done = run('explore', write('never.fcr', setting.case.model), '--context',
                write('never.cdl', text))
            tally['patterns that can never hold'] += 1
            if done.returncode != 2 or f"'{p.name}' can never hold" not in done.stderr:
                blame(setting.case, text,
                    f'a pattern that can never hold is not refused: {done.stderr}')
            continue
        chosen.append((p, monitor, *patterns.verdict(setting.graph, monitor)))
    return chosen


def complain(way, claim, result, chosen):
    """What is wrong with the verdicts of a search; '' for nothing."""
    if crashed(result) or claim is None or not claim.get('properties'):
        return f'{result.returncode} {result.stderr[-600:]} {str(claim)[:600]}'
    found = {q['name']: q for q in claim['properties']}
    verdicts = []
    for p, monitor, violated, rejected in chosen:
        q = found.get(p.name)
        if q is None:
            return f'{p.name} has no verdict'
        verdicts.append(q['verdict'])
        truth = 'violated' if violated else 'holds'
        must_decide = way not in BOUNDED
        if way in SINGLE_STATES:
            must_decide = rejected or not p.has_obligation()
        if q['verdict'] == 'unknown' and not must_decide:
            tally['unknown where that is allowed'] += 1
            if way in SINGLE_STATES and not q.get('reason'):
                return f'{p.name} is unknown without a reason'
            if way in SINGLE_STATES and p.has_obligation() is False:
                return f'{p.name} has nothing without a deadline, and is unknown'
            continue
        if q['verdict'] != truth:
            return f'{p.name} is {q["verdict"]}, not {truth}'
        if truth == 'violated' and not q['trace']:
            return f'{p.name} has no run'
        can_repeat = 'timed' not in way and p.bound is None
        if truth == 'violated' and not rejected and q['trace']['loop'] is None and can_repeat:
            return f'{p.name} owes something for ever, and its run does not repeat'
        tally[f'verdicts in {way}'] += 1
        tally['verdicts'] += 1
    expected = 1 if 'violated' in verdicts else 3 if 'unknown' in verdicts else 0
    if result.returncode != expected:
        return f'status {result.returncode}, verdicts {verdicts}'
    if claim['verdict'] != {0: 'holds', 1: 'violated', 3: 'unknown'}[expected]:
        return f'"verdict" is {claim["verdict"]}, status {result.returncode}'
    return ''


def asked(chosen):
    return [word for p, *_ in chosen for word in ('-p', p.name)]


def replay(setting, text, chosen, model, context, options):
    """Each violated property alone: its run is saved, and replays."""
    for p, _, violated, _ in chosen:
        if not violated:
            continue
        trace = path('owed.itf.json')
        if os.path.exists(trace):
            os.remove(trace)
        done = run('check', model, '--context', context, '-p', p.name, *options, '--trace', trace)
        again = run('replay', trace)
        tally['runs replayed'] += 1
        if done.returncode != 1 or again.returncode:
            blame(setting.case, text,
                f'{p.name} {options}: the run does not replay: {done.returncode} {again.stderr}')


def read_back(setting, text, chosen, model, context):
    """The observers as texts, and the composed model as a text, have the same verdicts."""
    printed = run('translate', model, '--context', context, '--to', 'observers', '-q')
    observers_text = re.sub(r'^(property|restriction) cuts is \{.*?\n\}\n', '', printed.stdout,
        flags=re.S | re.M)
    kept = [c for c in chosen if f'property {c[0].name} is {{\n' in printed.stdout]
    declared = [m.group(0) for m in re.finditer(r'^property (\w+) is \{.*?\n?\}\n', observers_text,
        flags=re.S | re.M) if '--' in m.group(0)]
    kept = [c for c in kept if any(d.startswith(f'property {c[0].name} is') for d in declared)]
    if kept:
        again = setting.context([c[0].name for c in kept], ''.join(declared))
        result, claim = told('check', model, '--context', write('again.cdl', again), *asked(kept))
        fault = complain('read back', claim, result, kept)
        if fault:
            blame(setting.case, again, f'observers read back: {fault}')
    composed = run('translate', model, '--context', context, '--to', 'cairn', '-q')
    result, claim = told('check', write('composed.cairn', composed.stdout), *asked(chosen))
    fault = complain('read back', claim, result, chosen)
    if fault:
        blame(setting.case, text, f'the composed model read back: {fault}')


def formula(setting, p, monitor, violated, model, chance):
    """The hand-written formula on the composed model, in which helpers make steps visible. A helper
    is an observer with two states, and does nothing but change with each such step."""
    f = patterns.Formula(p).formula
    if f is None or setting.is_cut and monitor.doomed:
        return
    f = patterns.weakened(f) if setting.restrictions else f
    if patterns.operators(f) > MOST_OPERATORS or len(patterns.steps_in(f)) > MOST_BITS:
        return
    engine = ['--engine', 'symbolic' if patterns.operators(f) <= 5 and chance.random() < 0.3
        else 'explicit']
    names = {step: f'see{i}' for i, step in enumerate(patterns.steps_in(f))}
    text = setting.context(list(names.values()),
        ''.join(patterns.helper(*item) for item in names.items()))
    composed = run('translate', model, '--context', write('seen.cdl', text), '--to', 'cairn', '-q')
    where = re.search(r'process "cuts".*?(\d+) "cut"', composed.stdout, re.S)
    cut = f'(eq "cuts.state" {where.group(1)})' if where else 'false'
    result, claim = told('check', write('seen.cairn', composed.stdout), '-p', p.name, '--ltl',
        f'{p.name}: ' + patterns.written(f, names, cut), *engine)
    found = next((q for q in (claim or {}).get('properties', []) if q['name'] == p.name),
        {'verdict': f'nothing: {result.stderr}'})
    if found['verdict'] == 'unknown' and 'automaton' in found.get('reason', ''):
        tally['formulas whose automaton is too large'] += 1
        return
    tally['patterns compared with LTL'] += 1
    tally['patterns compared with LTL: unbounded obligations'] += p.has_obligation()
    truth = 'violated' if violated else 'holds'
    if found['verdict'] != truth:
        blame(setting.case, setting.context([p.name], p.text()),
            f'{p.name}: LTL says {found}, brute force {truth} {result.stderr[-300:]}\n{f}')


def show_counts(chosen):
    for p, monitor, violated, rejected in chosen:
        tally['patterns'] += 1
        tally['patterns with an obligation'] += p.has_obligation()
        tally[f'{p.family}'] += 1
        tally[f'scope {p.scope}'] += 1
        tally['violated'] += violated
        tally['holds'] += not violated
        tally['violated by what never comes alone'] += violated and not rejected


def compare_patterns(chance, n, ways_per_case):
    timed = n % 8 == 7
    setting = Setting(chance)
    chosen = pick_patterns(setting, chance, timed)
    if not chosen:
        return
    show_counts(chosen)
    text = setting.context([p.name for p, *_ in chosen], ''.join(p.text() for p, *_ in chosen))
    model, context = write('owed.fcr', setting.case.model), write('owed.cdl', text)
    every = list(TIMED_WAYS if timed else WAYS)
    ways = ['bfs' if not timed else 'timed'] + chance.sample([w for w in every
        if w not in ('bfs', 'timed')[timed:timed + 1]], ways_per_case if not timed else 2)
    before = len(wrong)
    for i, way in enumerate(ways):
        program = ASAN if i == 0 and n % 10 == 0 and os.path.exists(ASAN) else CAIRN
        result, claim = told('check', model, '--context', context, *asked(chosen),
            *WAYS[way].split(), program=program)
        fault = complain(way, claim, result, chosen)
        if fault:
            blame(setting.case, text, f'{way} ({WAYS[way]}): {fault}')
    if len(wrong) > before:
        return
    if n % 3 == 0:
        way = chance.choice([w for w in ways if w not in BOUNDED + SINGLE_STATES])
        replay(setting, text, chosen, model, context, WAYS[way].split())
    if n % 3 == 1:
        read_back(setting, text, chosen, model, context)
    for p, monitor, violated, _ in chosen if not timed else ():
        formula(setting, p, monitor, violated, model, chance)


def random_patterns():
    chance = random.Random(f'obligations {SEED}')
    cases = int(os.environ.get('CASES', 3200 if LONG else 40))
    for n in range(cases):
        compare_patterns(chance, n, 2)
        if n % 100 == 99:
            print(f'  {n + 1} systems, {tally["verdicts"]} verdicts, '
                  f'{tally["patterns compared with LTL"]} patterns compared with LTL', flush=True)
        if len(wrong) >= 5:
            break
    check(f'random patterns: {tally["patterns"]} patterns', not wrong, told_wrong())


# ---- patterns with a bound, on a system with time ----

class Clockwork:
    """One process: in each of its states it waits for a while, within bounds, and goes on to one of
    some others; states without a way on are stuck. All bounds are closed and whole, so whole dates
    show everything."""

    def __init__(self, chance):
        self.count = chance.randint(2, 5)
        self.waits = [sorted((chance.randint(0, 2), chance.randint(1, 3)))
            for _ in range(self.count)]
        self.targets = [sorted(chance.sample(range(self.count),
            chance.randint(chance.random() < 0.85, min(2, self.count)))) for _ in range(self.count)]
        self.targets[0] = self.targets[0] or [self.count - 1]
        self.places = {f'e{i}': sorted(chance.sample(range(self.count),
            chance.choice((1, 1, 1, 2)))) for i in range(5)}
        self.model = f'process P is\n  states {", ".join(f"s{i}" for i in range(self.count))}\n'
        for i, ways in enumerate(self.targets):
            if ways:
                low, high = self.waits[i]
                select = ' [] '.join(f'to s{t}' for t in ways)
                self.model += f'  from s{i} wait [{low}, {high}]; select {select} end\n'
        self.model += 'component Main is par P end\nMain\n'

    def context(self, pattern):
        places = {e: ' or '.join(f'{{P}}1@s{i}' for i in inside) for e,
            inside in self.places.items()}
        events = ''.join(f'predicate in_{e} is {{ {text} }}\n'
                         f'event {e} is {{ in_{e} becomes true }}\n'
                         for e, text in places.items())
        return f'{events}{pattern.text()}cdl c is {{ properties p main is {{ skip }} }}\n'

    def steps(self, at):
        low, high = self.waits[at]
        for to in self.targets[at]:
            events = {e for e, inside in self.places.items() if at not in inside and to in inside}
            for delay in range(low, high + 1):
                yield delay, events, to

    def violated(self, monitor):
        """A node has the time since the bound began to count, up to one more than the bound."""
        bound = monitor.p.bound
        first, nexts = (0, monitor.start, 0), {}
        work = [first]
        while work:
            node = work.pop()
            if node in nexts:
                continue
            at, config, since = node
            nexts[node] = []
            for delay, events, to in self.steps(at):
                before, elapsed = config, min(since + delay, bound + 1)
                if monitor.is_timed(config) and elapsed > bound:
                    before = monitor.late(config)
                after = monitor.after(before, events)
                is_new_round = monitor.p.family == 'precedence' and before[0] == 'answered' \
                    and after[0] == 'wait'
                begins = not monitor.is_timed(before) or is_new_round
                nexts[node].append((to, after, 0 if begins else elapsed))
            if not self.targets[at] and monitor.is_timed(config):
                nexts[node].append((at, monitor.late(config), 0))
            work += nexts[node]
        owing = {n for n in nexts if monitor.is_pending(n[1])}
        return any(n[1] == patterns.REJECT for n in nexts) or patterns.stays(owing, nexts,
            lambda n: not nexts[n])


def timed_pattern(chance, events):
    """`immediately` gives a permission again while it is there, and begins to count again: that is
    left out."""
    while True:
        p = patterns.random_pattern(chance, 'p', events, timed=True)
        p.bound = chance.randint(0, 8)
        if p.right is None and chance.random() < 0.6:
            continue
        monitor = patterns.Monitor(p)
        if monitor.start not in monitor.doomed and not (p.immediate
                and p.family == 'precedence') and (p.needs and not p.is_strict
                or chance.random() < 0.2):
            return p, monitor


def random_clockworks():
    chance = random.Random(f'obligations with time {SEED}')
    failed = len(wrong)
    for n in range(int(os.environ.get('CASES', 3000 if LONG else 120))):
        system = Clockwork(chance)
        p, monitor = timed_pattern(chance, list(system.places))
        truth = 'violated' if system.violated(monitor) else 'holds'
        text = system.context(p)
        result, claim = told('check', write('clock.fcr', system.model), '--context',
            write('clock.cdl', text), '-p', 'p', *chance.choice(([], [], ['--zones', 'equal'])))
        found = next((q['verdict'] for q in (claim or {}).get('properties', [])
            if q['name'] == 'p'), None)
        if 'at most 16 are possible' in result.stderr:  # edges of a state with a clock
            continue
        tally[f'bounds on a system with time: {truth}'] += 1
        tally['bounds on a system with time, something owed beside'] += p.has_obligation()
        if found != truth or result.returncode != (truth == 'violated'):
            blame(system, text,
                f'{found}, not {truth}: status {result.returncode} {result.stderr[-400:]}')
        if len(wrong) >= failed + 5:
            break
    check('random patterns with a bound, on systems with time', len(wrong) == failed,
        told_wrong(failed))


# ---- observers written by hand ----

class Asking(observers.Observer):
    """An observer with `success` alone, or with `pending`, or with neither."""

    def __init__(self, name, case, chance):
        super().__init__(name, False, case, chance)
        self.owing, self.kind = set(), chance.choice(('reach', 'pending', 'pending', 'pending'))
        if self.kind == 'reach' or chance.random() < 0.4:
            for e in self.edges:
                e.source, e.target = (x.replace('reject', 'success') for x in (e.source, e.target))
        states = {x for e in self.edges for x in (e.source, e.target)} | {'start'}
        if self.kind == 'pending':
            owing = sorted(states - {'reject'})
            self.owing = set(chance.sample(owing, chance.randint(1, len(owing))))
        self.is_reach = 'success' in states and 'reject' not in states and not self.owing

    def text(self):
        text = super().text()
        return text[:-2] + (f';\n    pending {", ".join(sorted(self.owing))}\n}}\n' if self.owing
            else '}\n')

    def truth(self, graph):
        """Whether it holds, and whether single states show that."""
        first = (0, self.first(graph.states[0][0]))
        nexts, work = {}, [first]
        while work:
            node = work.pop()
            if node not in nexts:
                nexts[node] = [(other, self.after(node[1], old, new, tag)) for _, other, tag, old,
                    new in graph.out[node[0]]]
                work += nexts[node]
        if self.is_reach:
            return any(at == 'success' for _, at in nexts), True
        if any(at == 'reject' for _, at in nexts):
            return False, True
        owing = {n for n in nexts if n[1] in self.owing and not graph.is_cut(n[0])}
        return not patterns.stays(owing, nexts, lambda n: not nexts[n]), not self.owing


class Several:
    """One system in one to three contexts, with the same observers in each."""

    def __init__(self, chance):
        while True:
            base = contexts.make(chance)
            self.base, self.cases, self.scenarios = base, [], []
            self.asking = [Asking(f'o{i}', base, chance) for i in range(chance.randint(1, 3))]
            self.restrictions = [observers.Observer('cuts', True, base,
                chance)] if chance.random() < 0.2 else []
            try:
                for i in range(chance.randint(1, 3)):
                    self.add(chance, f'c{i}')
                self.graphs = [Graph(case, {}, self.restrictions) for case in self.cases]
                break
            except contexts.TooLarge:
                continue
        self.truth = [{o.name: o.truth(graph) for o in self.asking} for graph in self.graphs]
        declarations = re.sub(r'cdl c is .*', '', base.context)
        self.text = declarations + ''.join(o.text() for o in self.asking
            + self.restrictions) + ''.join(self.scenarios)

    def add(self, chance, name):
        case = copy.copy(self.base)
        case.init, case.main = case.term(chance, 1), case.term(chance, 2)
        both = ('seq', [case.init, case.main])
        case.words, case.tags = contexts.words(both), {e.value for e in case.mentioned(both)
            if e.kind == 'sync'}
        use = f'properties {", ".join(o.name for o in self.asking)} '
        use += ''.join(f'restrictions {r.name} ' for r in self.restrictions)
        self.cases.append(case)
        init, main = contexts.show(case.init, chance), contexts.show(case.main, chance)
        parts = f'{use} init is {{ {init} }} main is {{ {main} }}'
        self.scenarios.append(f'cdl {name} is {{ {parts} }}\n')

    def wanted(self, o):
        """(verdict, whether single states show it), of all contexts."""
        truths = [t[o.name] for t in self.truth]
        if o.is_reach:
            return ('holds' if any(holds for holds, _ in truths) else 'violated'), True
        shown = any(is_shown and not holds for holds, is_shown in truths) or all(is_shown for _,
            is_shown in truths)
        return ('holds' if all(holds for holds, _ in truths) else 'violated'), shown


def fault_of(way, several, result, claim):
    if crashed(result) or claim is None or not claim.get('properties'):
        return f'{result.returncode} {result.stderr[-600:]} {str(claim)[:600]}'
    found, verdicts = {q['name']: q for q in claim['properties']}, []
    for o in several.asking:
        q, (truth, is_shown) = found[o.name], several.wanted(o)
        verdicts.append(q['verdict'])
        kind = 'reach' if o.is_reach else 'ltl' if o.owing else 'invariant'
        if q['kind'] != kind:
            return f'{o.name} is of kind {q["kind"]}, not {kind}'
        if q['verdict'] == 'unknown' and (way in BOUNDED or way in SINGLE_STATES and not is_shown):
            continue
        if q['verdict'] != truth:
            return f'{o.name} ({kind}) is {q["verdict"]}, not {truth}'
        if bool(q['trace']) != (truth == ('holds' if o.is_reach else 'violated')):
            return f'{o.name} ({kind}) {truth}: its run is {q["trace"]}'
        tally[f'observers of kind {kind}: {truth}'] += 1
        tally['verdicts of observers'] += 1
    expected = 1 if 'violated' in verdicts else 3 if 'unknown' in verdicts else 0
    if result.returncode != expected or claim['verdict'] != {0: 'holds', 1: 'violated',
            3: 'unknown'}[expected]:
        return f'status {result.returncode}, "verdict" {claim["verdict"]}, verdicts {verdicts}'
    return ''


def quiet_fault(several, model, context, options):
    """-q has the same verdicts, and the same status."""
    shown = run('check', model, '--context', context, *asked_of(several), *options, '-q')
    result, claim = told('check', model, '--context', context, *asked_of(several), *options)
    if shown.returncode != result.returncode:
        return f'-q: status {shown.returncode}, not {result.returncode}'
    if len(several.cases) == 1:
        lines = dict(reversed(line.split()[:2]) for line in shown.stdout.splitlines()
            if line.startswith('  '))
        found = {q['name']: q['verdict'] for q in claim['properties']}
        if any(lines.get(o.name) != found[o.name] for o in several.asking):
            return f'-q: {shown.stdout}'
    elif f'All together: {claim["verdict"]}' not in shown.stdout:
        return f'-q: {shown.stdout}, not {claim["verdict"]}'
    for o in several.asking if len(several.cases) > 1 else ():
        # A run is offered in every context where there is one, and in no other.
        wanted = 'holds' if o.is_reach else 'is violated'
        offered = set(re.findall(rf'^{o.name} {wanted} in (\w+)', shown.stdout, re.M))
        having = {f'c{i}' for i, t in enumerate(several.truth) if t[o.name][0] == o.is_reach}
        runs = re.findall(rf'^{o.name} .*the run: ', shown.stdout, re.M)
        if offered != having or len(runs) != len(having):
            return f'{o.name} has a run in {having}: {shown.stdout}'
    for row, truths in zip(claim.get('contexts', ()), several.truth):
        verdicts = {q['name']: q['verdict'] for q in row['properties']}
        for o in several.asking:
            if verdicts[o.name] != ('holds' if truths[o.name][0] else 'violated'):
                return f'{o.name} is {verdicts[o.name]} in {row["context"]}, not {truths[o.name]}'
    return ''


def asked_of(several):
    return [word for o in several.asking for word in ('-p', o.name)]


def random_observers():
    chance = random.Random(f'obligations of observers {SEED}')
    failed = len(wrong)
    for n in range(int(os.environ.get('CASES', 1000 if LONG else 40))):
        several = Several(chance)
        model, context = write('asked.fcr', several.base.model), write('asked.cdl', several.text)
        for way in chance.sample(list(WAYS), 3):
            result, claim = told('check', model, '--context', context, *asked_of(several),
                *WAYS[way].split())
            fault = fault_of(way, several, result, claim)
            if fault:
                blame(several.base, several.text, f'{way}: {fault}')
        fault = quiet_fault(several, model, context,
            ['--engine', chance.choice(('explicit', 'symbolic', 'timed'))]) if n % 3 == 0 else ''
        if fault:
            blame(several.base, several.text, fault)
        if len(wrong) >= failed + 5:
            break
    check(f'random observers: {tally["verdicts of observers"]} verdicts', len(wrong) == failed,
        told_wrong(failed))


section(random_patterns)
section(random_clockworks)
section(random_observers)
for key, value in sorted(tally.items()):
    print(f'  {key}: {value}')
finish()
