"""Zone graphs against a plain one (test/oracle/zones.py): sizes that were published for TChecker,
its models in the corpus, random networks of timed automata, each read from its own text form
(test/oracle/tck.py) and written for Cairn.

Files of ../shared/corpus/tck (CORPUS: another folder than ../shared/corpus) are used when they are
there. LONG=1: larger ones, more random networks; SEED shifts these.

    python3 test/suites/zones.py --print SEED      prints the random network of that seed
"""
import glob
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, ROOT, SEED, check, finish, run, run_json, write
sys.path.insert(0, os.path.join(ROOT, 'test', 'bench'))
import networks
import tck
from zones import graph, is_in

CORPUS = os.path.join(os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus')), 'tck')
EXTRAPOLATIONS = ('LU+', 'LU', 'M+', 'M')


def size(found):
    return found and (found.states, found.transitions)


def searched(model, zones, *more):
    """States and transitions, without looking for stuck states (these need other zones); the number
    of discrete states."""
    _, result = run_json('check', model, '--no-deadlock', '--invariant', 'true', '--zones', zones,
                         *more)
    if not result or not result['complete']:
        return result, None
    return (result['states'], result['transitions']), result['statistics']['discrete_states']


def is_reachable(model, condition):
    status, _ = run_json('check', model, '--no-deadlock', '--invariant', f'(not {condition})')
    return {0: False, 1: True}.get(status)


# ---- random networks, drawn ----

def draw(seed):
    """A text, and whether Cairn's zones must be those of the oracle: when every clock belongs to
    the process that has invariants of it. Otherwise the bounds of clocks, which are found per
    process, may be put down to different ones."""
    dice = random.Random(seed)
    plain = dice.random() < 0.6
    count = dice.choice((1, 2, 2, 3))
    clocks = [[f'x{i}{k}' for k in range(dice.choice((1, 1, 2)))] for i in range(count)]
    everybody = [clock for own in clocks for clock in own]
    lines = ['system:drawn', 'event:a', 'event:b', 'event:c', 'int:1:0:2:0:v',
             'int:2:0:1:0:w'] + [f'clock:1:{clock}' for clock in everybody]
    for i in range(count):
        own = clocks[i] if plain else everybody
        locations = [f'l{k}' for k in range(dice.randint(2, 4))]
        lines.append(f'process:P{i}')
        invariants = {l: [] for l in locations}
        for clock in clocks[i] if plain or dice.random() < 0.5 else ():
            invariants[dice.choice(locations)].append(
                f'{clock}{dice.choice(("<", "<="))}{dice.randint(1, 4)}')
        for k, l in enumerate(locations):
            more = ['initial:'] * (k
                                   == 0) + [f'invariant: {" && ".join(invariants[l])}'] * bool(
                invariants[l])
            more += [dice.choice(('committed:', 'urgent:'))] * (not plain and k > 0
                                                                and dice.random() < 0.2)
            lines.append(f'location:P{i}:{l}{{{" : ".join(more)}}}')
        for k in range(dice.randint(3, 6)):
            lines.append(
                f'edge:P{i}:{dice.choice(locations)}:{dice.choice(locations)}'
                f':{"abc"[k] if k < 3 else dice.choice("abc")}{{{edge(dice, own)}}}')
    if count > 1:
        event, other = dice.choice('ab'), dice.choice('ab')
        lines.append(f'sync:P0@{event}:P1@{other}' + '?' * (not plain and dice.random() < 0.5))
    return '\n'.join(lines) + '\n', plain


def edge(dice, clocks):
    guards = [f'{dice.choice(clocks)}{dice.choice(("<", "<=", ">=", ">", "=="))}'
              f'{dice.randint(1, 4)}' for _ in range(dice.choice((0, 1, 1, 2)))]
    guards += [dice.choice(('v==0', 'v>0', 'w[v%2]==1', 'w[0]!=w[1]'))] * (dice.random() < 0.2)
    does = [f'{clock}=0' for clock in clocks
            if dice.random()
            < 0.4] + [dice.choice(('v=v+1', 'v=0', 'v=v-1', 'w[v%2]=1-w[0]', 'v=1;w[v]=0'))] * (
        dice.random() < 0.3)
    return ' : '.join([f'provided: {" && ".join(guards)}'] * bool(guards)
                      + [f'do: {";".join(does)}'] * bool(does))


if sys.argv[1:2] == ['--print']: # the network of a seed
    print(draw(int(sys.argv[2]))[0], end='')
    sys.exit(0)

# ---- published sizes ----

def network(name, clocks, processes, synchronisations):
    """A process is a name, locations with their attributes and edges (from, to, event,
    attributes)."""
    events = sorted({edge[2] for _, _, edges in processes for edge in edges})
    lines = [f'system:{name}'] + [f'event:{event}' for event in events] + [f'clock:1:{clock}'
        for clock in clocks]
    for p, locations, edges in processes:
        lines += [f'process:{p}'] + [f'location:{p}:{l}{{{attributes}}}'
                                     for l, attributes in locations] + [
            f'edge:{p}:{a}:{b}:{event}{{{more}}}' for a, b, event, more in edges]
    return '\n'.join(lines
                     + ['sync:' + ':'.join(f'{p}@{event}' for p, event in pairs)
                        for pairs in synchronisations]) + '\n'


def workers(n):
    """parallel-c: each asks for a lock for less than one unit of time, and keeps it for one to
    three."""
    def worker(i):
        return (f'W{i}', [('away', 'initial:'), ('asking', ''), ('inside', f'invariant: x{i}<=3')],
                [('away', 'asking', 'ask', f'do: x{i}=0'),
                 ('asking', 'away', 'ask', f'provided: x{i}>=1'),
                 ('asking', 'inside', 'take', f'provided: x{i}<1 : do: x{i}=0'),
                 ('inside', 'away', 'give', f'provided: x{i}>=1')])
    lock = ('lock', [('open', 'initial:'), ('shut', '')],
            [('open', 'shut', 'take', 'provided: y>=1'), ('shut', 'open', 'give', 'do: y=0')])
    return network('workers', [f'x{i}' for i in range(n)] + ['y'],
                   [worker(i) for i in range(n)] + [lock],
                   [[(f'W{i}', event), ('lock', event)] for i in range(n)
                    for event in ('take', 'give')])


def philosophers(n, patience=3, meal=10, slow=0):
    """Who does not get the second fork in time puts down the first one (after Lugiez, Niebert,
    Zennou 2005)."""
    def philosopher(i):
        x, left, right = f'x{i}', (i - 1) % n, i
        return (f'P{i}',
                [('idle', 'initial:'), ('one', f'invariant: {x}<={patience}'),
                 ('both', f'invariant: {x}<={meal}'), ('full', f'invariant: {x}<={slow}')],
                [('idle', 'one', f'up{left}', f'do: {x}=0'),
                 ('one', 'idle', f'down{left}', f'provided: {x}>={patience}'),
                 ('one', 'both', f'up{right}', f'provided: {x}<={patience} : do: {x}=0'),
                 ('both', 'full', f'down{right}', f'provided: {x}>={meal} : do: {x}=0'),
                 ('full', 'idle', f'down{left}', '')])
    forks = [(f'F{i}', [('free', 'initial:'), ('taken', '')],
              [('free', 'taken', f'up{i}', ''), ('taken', 'free', f'down{i}', '')])
             for i in range(n)]
    return network('philosophers', [f'x{i}' for i in range(n)],
                   [philosopher(i) for i in range(n)] + forks,
                   [[(f'P{i}', f'{event}{f}'), (f'F{f}', f'{event}{f}')] for i in range(n)
                    for f in ((i - 1) % n, i) for event in ('up', 'down')])


# Extra-LU+ with local bounds, as published (lower bounds compared by their constants alone) and
# here (x > 5 is above 5); with inclusion.
for name, text, published, ours, included in (
    ('parallel-c 3', workers(3), (1312, 4311), (1048, 3360), 49),
    ('philosophers 3', philosophers(3), (274, 648), (274, 648), 40)):
    system = tck.read(text)
    model = write('known.cairn', tck.to_cairn(system))
    found, coarse = graph(system), graph(system, values=False)
    check(f'{name}: the published size', size(found) == published, size(found))
    check(f'{name}: the published size, with inclusion',
          graph(system, inclusion=True).states == included)
    check(f'{name}: our size', size(coarse) == ours, size(coarse))
    got, discrete = searched(model, 'equal')
    check(f'{name}: the zone graph',
          got == ours and discrete == len(found.zones) and set(found.zones) == set(coarse.zones),
          (got, discrete))
    got, discrete = searched(model, 'inclusion')
    check(f'{name}: with inclusion', got[0] == included, got)

# Both readings have the same zones of this one, but for a few bounds: with inclusion one zone more
# is kept here than by TChecker, whatever the order.
FDDI = networks.fddi(4)
system = tck.read(FDDI)
for values, included in ((True, 93), (False, 94)):
    every, kept = graph(system, values=values), graph(system, values=values, inclusion=True)
    check(f'fddi 4, {values}: all zones', size(every) == (587, 702), size(every))
    check(f'fddi 4, {values}: with inclusion those that lie in no other are kept',
          kept.states == included == sum(not any(other != zone and is_in(zone, other)
                                                 for other in zones)
                                         for zones in every.zones.values() for zone in zones),
          kept.states)
check('fddi 4: our size', searched(write('fddi.tck', FDDI), 'equal')[0] == (587, 702))
check('fddi 4: our size, with inclusion',
      searched(write('fddi.tck', FDDI), 'inclusion')[0][0] == 94)

# ---- models of the corpus ----

# Sizes published with the tool's tests: time-elapsed zones, local bounds; states and transitions by
# extrapolation.
PUBLISHED = {
    'fischer_3_10': {'LU+': (71, 126), 'LU': (71, 126), 'M+': (127, 231), 'M': (139, 255)},
    'parallel-b_3': {'LU+': (2848, 9912)}, 'parallel-c_3': {'LU+': (1312, 4311)},
    'csmacd_3': {'LU+': (391, 757)}, 'train_gate_2': {'LU+': (56, 84)},
    'train_gate_3': {'LU+': (765, 1503)},
}
# states, with inclusion
INCLUDED = {'fischer_3_10': 65, 'parallel-b_3': 79, 'parallel-c_3': 49, 'csmacd_3': 70,
            'critical-region_2_10': 191, 'train_gate_2': 56, 'train_gate_3': 765}
# Whether all labels of the model can be seen at once.
TOGETHER = {'ad94': True, 'parallel-c_3': False, 'train_gate_2': False, 'train_gate_3': False}


def compare_simulation(name, system, model, included, discrete_states):
    """By simulation the same zones are kept with and without extrapolation (nodes.h), and never
    more than by inclusion."""
    got, discrete = searched(model, 'simulation')
    check(f'{name}: discrete states, by simulation', discrete == discrete_states,
          (discrete, discrete_states))
    check(f'{name}: by simulation no more than by inclusion', got[0] <= included, (got, included))
    plain, kept = (graph(system, extra, simulation=True, limit=3000) for extra in ('', 'LU+'))
    check(f'{name}: by simulation, extrapolation makes no difference',
          (plain and plain.states) == (kept and kept.states), (size(plain), size(kept)))
    return got[0] < included


def compare(name):
    with open(os.path.join(CORPUS, name + '.tck'), encoding='utf-8') as file:
        system = tck.read(file.read())
    model = write('corpus.cairn', tck.to_cairn(system))
    exact = graph(system, values=False)
    got, discrete = searched(model, 'equal')
    check(f'{name}: the zone graph', got == size(exact), (got, size(exact)))
    check(f'{name}: discrete states', discrete == len(exact.zones), (discrete, len(exact.zones)))
    file = os.path.join(CORPUS, name + '.tck')
    check(f'{name}: the same from its own file', searched(file, 'equal') == (got, discrete),
          searched(file, 'equal'))
    for extra, expected in PUBLISHED.get(name, {}).items():
        found = graph(system, extra)
        check(f'{name}: the published size of {extra}',
              size(found) == expected and set(found.zones) == set(exact.zones), size(found))
    got, discrete = searched(model, 'inclusion')
    check(f'{name}: discrete states, by inclusion', discrete == len(exact.zones),
          (discrete, len(exact.zones)))
    check(f'{name}: the published size, by inclusion', got[0] == INCLUDED.get(name, got[0]), got)
    compare_simulation(name, system, model, got[0], len(exact.zones))
    seen = [{label for p, l in zip(system.locations, at) for label in system.locations[p][l].labels}
            for at, _ in exact.zones]
    labels = sorted(
        {label for places in system.locations.values() for place in places.values()
         for label in place.labels})
    for label in labels:
        check(f'{name}: {label}',
              is_reachable(model, tck.labelled(system, label)) == any(label in s for s in seen))
        found = run('check', file, '--find', label).returncode
        check(f'{name}: {label} from its own file', found == int(not any(label in s for s in seen)),
              found)
    if name in TOGETHER:
        everything = 'true'
        for label in labels:
            everything = f'(and {everything} {tck.labelled(system, label)})'
        check(f'{name}: all labels together',
              is_reachable(model, everything) == TOGETHER[name]
              == any(s.issuperset(labels) for s in seen))


# take the plain search seconds to minutes
LARGE = ('csmacd_4', 'csmacd_5', 'critical-region_3_10', 'fddi_5', 'fischer_5_10', 'train_gate_4')
names = [os.path.basename(file)[:-len('.tck')]
         for file in sorted(glob.glob(os.path.join(CORPUS, '*.tck')))]
if not names:
    print('the corpus is not here: its timed automata were left out')
for name in names:
    if LONG or name not in LARGE:
        compare(name)

# ---- random networks, searched ----


gains = {'fewer': 0}


def compare_random(seed):
    text, plain = draw(seed)
    system = tck.read(text)
    model = write('random.cairn', tck.to_cairn(system))
    exact = graph(system, values=False, limit=300)
    if not exact:
        return 'large'
    name = f'network {seed}'
    got, discrete = searched(model, 'equal')
    check(f'{name}: discrete states', discrete == len(exact.zones),
          (got, discrete, len(exact.zones)))
    check(f'{name}: the zone graph', not plain or got == size(exact), (got, size(exact)))
    own = searched(write('random.tck', text), 'equal')
    check(f'{name}: the same from its own file', own[1] == discrete and own[0] == got or not plain,
          (own, got, discrete))
    got, discrete = searched(model, 'inclusion')
    check(f'{name}: discrete states, by inclusion', discrete == len(exact.zones),
          (discrete, len(exact.zones)))
    gains['fewer'] += compare_simulation(name, system, model, got[0], len(exact.zones))
    _, result = run_json('explore', model, '--zones', 'equal')
    method = result['statistics']['extrapolation'] # finer where a state may be stuck
    stuck = graph(system, method, values=False, limit=1000)
    check(f'{name}: the zone graph of {method}',
          not plain or not stuck or (result['states'], result['transitions']) == size(stuck),
          (result['states'], size(stuck)))
    for extra in EXTRAPOLATIONS:
        other = graph(system, extra, local=seed % 2 == 0, elapsed=seed % 3 > 0, values=seed % 5 > 0,
                      inclusion=seed % 7 == 0, limit=1000)
        check(f'{name}: the oracle agrees with itself, {extra}',
              not other or set(other.zones) == set(exact.zones))
    dice = random.Random(seed)
    at = {p: dice.randrange(len(system.locations[p])) for p in system.locations}
    condition = 'true'
    for p in at:
        condition = f'(and {condition} (eq "{p}.pc" {at[p]}))'
    expected = any(list(where) == [list(system.locations[p])[at[p]] for p in at]
                   for where, _ in exact.zones)
    check(f'{name}: a tuple of locations', is_reachable(model, condition) == expected,
          (condition, expected))
    return method if plain else 'other'


kinds = [compare_random(seed)
         for seed in range(1 + 10000 * SEED, 1 + 10000 * SEED + (2000 if LONG else 100))]
check('random networks of all kinds',
      min(kinds.count(kind) for kind in ('LU+', 'M+', 'other')) > 10,
      {kind: kinds.count(kind) for kind in set(kinds)})
check('simulation keeps less in some of them', gains['fewer'] > 2, gains)

# ---- a location that code writes again ----

# The rule's own assignment says 1, its code says 2: the clock is tested in 2, so it matters in 0.
# (In 1 it does not.)
AGAIN = write('again.cairn', '''cairn 1
model "again"
clock "x"
process "p" type "p" pc "p.pc"
  location 0 "a"
  location 1 "b"
  location 2 "c"
  location 3 "d"
variable "p.pc" of "p" 0..3 = 0
rule "go" part "p" when (eq "p.pc" 0) set "p.pc" 1 do set "p.pc" 2 end
rule "late" part "p" when (eq "p.pc" 2) set "p.pc" 3 guard "x" >= 5
''')
result = run('check', AGAIN, '--no-deadlock', '--invariant', '(ne "p.pc" 3)')
check('code writes a location again', result.returncode == 1 and 'at 5' in result.stdout,
      result.stdout + result.stderr)
finish()
