"""Logs of random models, and whether they conform, by following sets of states line by line: what
`cairn conform` is compared with. Milestones models are those of oracle.py; networks of timed
automata are made here, with closed constraints, so that whole moments are enough when a log has
whole times."""
import itertools
import random

import generate
import oracle


class Untimed:
    """A Milestones model as a graph: steps are (label, processes)."""

    def __init__(self, seed):
        self.text, self.ending = generate.generate(seed, temporal=False), 'mil'
        model = oracle.Model(self.text)
        graph = oracle.explore(model, 100000)
        self.names = [name for name, _, _ in model.variables]
        self.hidden = set()
        self.steps = []
        for (label, _, _), parts in zip(model.rules, model.participants):
            processes = tuple(process.name for process in parts)
            own = label.split('.', 1)[1] if '.' in label and len(parts) == 1 else label
            self.steps.append((own, processes))
        self.graph = graph
        self.initial = set(graph.initial)

    def successors(self, state):
        return zip((self.steps[rule] for rule in self.graph.taken[state]),
                   self.graph.successors[state])

    def values(self, state):
        return dict(zip(self.names, self.graph.states[state]))

    def date(self, state):
        return None

    def later(self, states):
        return states


class Timed:
    """A network of timed automata, explored in whole moments up to a horizon. A state is
    (locations, clocks, v, date)."""
    HORIZON, LATEST = 22, 14  # of what is explored; of logs: what follows them is explored, too

    def __init__(self, seed):
        rng = random.Random(f'timed {seed}')
        self.ending = 'xta'
        self.processes = []
        for p in range(rng.randint(1, 2)):
            count = rng.randint(2, 3)
            invariants = [rng.choice((None, None, rng.randint(1, 5))) for _ in range(count)]
            edges = []
            for _ in range(rng.randint(2, 4)):
                low, high = rng.choice((0, 0, 1, 2, 3)), rng.choice((None, None, 2, 3, 4))
                edges.append((rng.randrange(count), rng.randrange(count), low, high,
                              rng.random() < 0.6, rng.choice((None, 0, 1, 2)),
                              rng.choice((None, None, 'a!', 'a?', 'b!', 'b?'))))
            self.processes.append((count, invariants, edges))
        self.names = ['v']
        self.hidden = set()
        self.text = self.write()
        first = (tuple(0 for _ in self.processes), tuple(0 for _ in self.processes), 0, 0)
        self.initial = {first} if self.lasts(first[0], first[1]) else set()

    def write(self):
        lines = ['chan a, b; int[0,2] v;']
        for p, (count, invariants, edges) in enumerate(self.processes):
            states = ', '.join(f'l{i}' + (f' {{ x <= {limit} }}' if limit is not None else '')
                               for i, limit in enumerate(invariants))
            written = []
            for start, end, low, high, resets, value, sync in edges:
                guard = f'x >= {low}' + (f' && x <= {high}' if high is not None else '')
                updates = (['x := 0'] if resets else []) + ([f'v := {value}']
                                                            if value is not None else [])
                written.append(f'l{start} -> l{end} {{ guard {guard};'
                               + (f' sync {sync};' if sync else '')
                               + (f' assign {", ".join(updates)};' if updates else '') + ' }')
            lines.append(f'process T{p}() {{ clock x; state {states}; init l0; trans '
                         + ', '.join(written) + '; }')
        names = ', '.join(f'p{p}' for p in range(len(self.processes)))
        lines += [f'p{p} = T{p}();' for p in range(len(self.processes))]
        return '\n'.join([*lines, f'system {names};']) + '\n'

    def lasts(self, locations, clocks):
        return all(limit is None or clock <= limit for limit, clock in zip(
            (invariants[at] for (_, invariants, _), at in zip(self.processes, locations)), clocks))

    def ready(self, locations, clocks, p):
        for edge in self.processes[p][2]:
            start, _, low, high = edge[:4]
            if locations[p] == start and low <= clocks[p] and (high is None or clocks[p] <= high):
                yield edge

    def take(self, state, moves):
        locations, clocks, value, date = list(state[0]), list(state[1]), state[2], state[3]
        for p, (_, end, _, _, resets, new, _) in moves:
            locations[p] = end
            clocks[p] = 0 if resets else clocks[p]
            value = value if new is None else new
        if self.lasts(locations, clocks):
            yield tuple(locations), tuple(clocks), value, date

    def successors(self, state):
        found = []
        locations, clocks = state[:2]
        for p in range(len(self.processes)):
            for edge in self.ready(locations, clocks, p):
                if edge[6] is None:
                    step = f'l{edge[0]}->l{edge[1]}', (f'p{p}',)
                    found += [(step, new) for new in self.take(state, [(p, edge)])]
                if edge[6] is None or edge[6][1] != '!':
                    continue
                for q in range(len(self.processes)):
                    for other in self.ready(locations, clocks, q) if q != p else ():
                        if other[6] == edge[6][0] + '?':
                            step = edge[6][0], (f'p{p}', f'p{q}')
                            found += [(step, new)
                                      for new in self.take(state, [(p, edge), (q, other)])]
        return found

    def later(self, states):
        """With all that can come by waiting, whole moment by whole moment."""
        found, waiting = set(states), list(states)
        while waiting:
            locations, clocks, value, date = waiting.pop()
            new = locations, tuple(clock + 1 for clock in clocks), value, date + 1
            if date < self.HORIZON and self.lasts(locations, new[1]) and new not in found:
                found.add(new)
                waiting.append(new)
        return found

    def values(self, state):
        return {'v': state[2], **{f'p{p}.location': f'l{at}' for p, at in enumerate(state[0])}}

    def date(self, state):
        return state[3]


def admits(line, step):
    label, processes = step
    if 'label' in line and line['label'] != label:
        return False
    return 'process' not in line or line['process'] in (*processes, ', '.join(processes))


def looks_like(system, line, state, tolerance):
    values = system.values(state)
    if any(values[name] != value for name, value in line.get('state', {}).items()):
        return False
    date = system.date(state)
    return date is None or 'time' not in line or abs(date - line['time']) <= tolerance


def closure(system, states, hides):
    """Everything that unlogged steps and time lead to."""
    found = set(system.later(states))
    waiting = list(found)
    while waiting:
        for step, new in system.successors(waiting.pop()):
            if hides(step) and new not in found:
                more = system.later({new}) - found
                found |= more
                waiting += more
    return found


def follow(system, states, line, hides, tolerance):
    before = closure(system, states, hides)
    if 'label' in line and line['label'] is None:
        return {state for state in before if looks_like(system, line, state, tolerance)}
    return {new for state in before for step, new in system.successors(state)
            if admits(line, step) and looks_like(system, line, new, tolerance)}


def judge(system, log, unlogged=(), gaps=False, tolerance=0):
    """(how many lines conform, what is possible there, whether a gap explains the next line)"""
    def hides(step):
        return gaps or step[0] in unlogged
    states, passed = system.initial, 0
    for line in log:
        after = follow(system, states, line, hides, tolerance)
        if not after:
            break
        states, passed = after, passed + 1
    possible = {step for state in closure(system, states, hides)
                for step, _ in system.successors(state) if not hides(step)}
    bridged = (passed < len(log)
               and bool(follow(system, states, log[passed], lambda step: True, tolerance)))
    return passed, possible, bridged


def random_run(system, rng, most):
    """[(step or None, state after it)], the first one initial; empty: there is no state."""
    if not system.initial:
        return []
    run = [(None, rng.choice(sorted(system.initial)))]
    for _ in range(most):
        states = sorted(system.later({run[-1][1]}), key=system.date) if system.date(
            run[-1][1]) is not None else [run[-1][1]]
        states = [state for state in states if (system.date(state) or 0) <= Timed.LATEST]
        nexts = [each for state in rng.sample(states, min(2, len(states)))
                 for each in system.successors(state)]
        if not nexts:
            break
        run.append(rng.choice(nexts))
    return run


def line_of(system, rng, step, state):
    """What a log says of a step: some of what there is to say."""
    line = {'label': None} if step is None else {}
    if step and rng.random() < 0.8:
        line['label'] = step[0]
    if step and step[1] and rng.random() < 0.6:
        line['process'] = rng.choice([*step[1], ', '.join(step[1])])
    if rng.random() < 0.5:
        values = system.values(state)
        names = rng.sample(sorted(values), rng.randint(0, min(3, len(values))))
        line['state'] = {name: values[name] for name in names}
    if system.date(state) is not None and rng.random() < 0.6:
        line['time'] = system.date(state)
    return line


def damage(system, rng, log, steps):
    """Something in one line becomes something else."""
    line = rng.choice(log)
    names = [name for name in line.get('state', {}) if isinstance(line['state'][name], int)]
    ways = [way for way, there in (('label', line.get('label')), ('process', 'process' in line),
                                   ('state', names), ('time', 'time' in line)) if there]
    way = rng.choice(ways or ['swap'])
    if way == 'label':
        line['label'] = rng.choice([*sorted({step[0] for step in steps}), 'nothing'])
    elif way == 'process':
        line['process'] = rng.choice([*sorted({p for step in steps for p in step[1]}), 'nobody'])
    elif way == 'state':
        line['state'][rng.choice(names)] = rng.randint(0, 3)
    elif way == 'time':
        line['time'] = min(max(0, line['time'] + rng.randint(-2, 2)), system.LATEST)
    elif len(log) > 1:
        at = rng.randrange(len(log) - 1)
        log[at], log[at + 1] = log[at + 1], log[at]


def draw(system, rng):
    """A log with the options under which it is judged, or None."""
    run = random_run(system, rng, rng.randint(0, 6))
    if not run:
        return None
    steps = [step for step, _ in itertools.islice(
        (each for _, state in run for each in system.successors(state)), 50)]
    log = [line_of(system, rng, step, state) for step, state in run]
    if rng.random() < 0.6:
        log = log[1:]
    options = {}
    if steps and rng.random() < 0.4:
        options['unlogged'] = sorted({step[0] for step in rng.sample(steps, 1)})
        if rng.random() < 0.7:
            log = [line for line in log if line.get('label') not in options['unlogged']]
    elif rng.random() < 0.3:
        options['gaps'] = True
        log = [line for line in log if rng.random() < 0.7]
    if system.ending == 'xta' and rng.random() < 0.3:
        options['tolerance'] = rng.randint(0, 2)
    if log and rng.random() < 0.6:
        damage(system, rng, log, steps)
    return log, options
