"""Tables of figures in documents: which command each cell comes from.

Every table is between two comments in its document, "figures NAME, commit C" and "end"
(documents.py). TABLES says by name how its cells come about; cells that it does not speak of stay
as they are. Tables have sizes in one direction and measures in the other: `across` when sizes are
columns, `down` when they are rows. A command has {} for the size; it may also be a dictionary from
sizes to commands. A measure is the way to a figure in the JSON result, or a function of the result
(and the size).

Counts are compared in every run of the suite, and always written. Seconds are only written with
TIMES=1. What takes long is compared and written with LONG=1.
"""
import inspect


# ---- how figures are written ----

def count(value):
    """1,234; from 10^8 on 1.23e08 without the zero, as documents have them."""
    value = int(value)
    if value < 10 ** 8:
        return f'{value:,}'
    digits = len(str(value)) - 1
    tenths = (value * 100 + 10 ** digits // 2) // 10 ** digits
    return f'{tenths // 100}.{tenths % 100:02}e{digits}'


def at(way):
    """The value at a.b.c of a result."""
    def look(claim):
        for key in way.split('.'):
            claim = claim[int(key)] if isinstance(claim, list) else claim[key]
        return claim
    return look


def measured(way, size=None):
    """The text of a measure: a function of a result."""
    if not callable(way):
        return lambda claim: count(at(way)(claim))
    return way if len(inspect.signature(way).parameters) == 1 else lambda claim: way(claim, size)


def seconds(claim):
    """Written with TIMES=1 only."""
    return f'{claim["seconds"]:.1f} s'


def all_digits(claim):
    return f'{int(claim["states"]):,}'


def with_other(way, other):
    """One figure, and another one in brackets if it is not 0."""
    def both(claim):
        one, two = (count(at(key)(claim)) for key in (way, other))
        return f'{one} ({two})' if two != '0' else one
    return both


def violated(claim):
    return ', '.join(item['name'] for item in claim['properties'] if item['verdict'] == 'violated')


def steps(claim):
    return count(len(claim['properties'][0]['trace']['steps']) - 1)


# ---- cells ----

def bare(label):
    return label.replace('`', '')


class Cells:
    """Cells of a table: for each size a command, for each measure a row or column. long: sizes that
    take long, or all."""
    def __init__(self, command, measures, sizes_are_columns, only, long, key=1):
        self.command, self.measures, self.sizes_are_columns, self.only, self.long = (command,
            measures, sizes_are_columns, only, long)
        self.key = key   # columns that make up a size

    def of(self, table):
        """[(row, column, command, measure, whether it is a time, whether it takes long)]"""
        found = []
        labels = (table.header if self.sizes_are_columns
                  else [' '.join(row[:self.key]) for row in table.rows])
        for place, label in enumerate(map(bare, labels)):
            command = self.command_for(label) if place or not self.sizes_are_columns else None
            is_long = table.long or self.long is True or (self.long and label in self.long)
            for name, way in self.measures.items() if command else ():
                row, column = self.place(table, name, place)
                found.append((row, column, command, measured(way, label), way is seconds, is_long))
        return found

    def command_for(self, label):
        if self.only and label not in self.only:
            return None
        return (self.command.get(label) if isinstance(self.command, dict)
                else self.command.replace('{}', label))

    def place(self, table, name, place):
        if self.sizes_are_columns:
            return next(i for i, row in enumerate(table.rows) if row[0] == name), place
        return place, table.header.index(name)


class Differences:
    """A row that says how much each figure of another row is more than the one before."""
    def __init__(self, row, of):
        self.row, self.other = row, of

    def of(self, table):
        rows = {row[0]: i for i, row in enumerate(table.rows)}
        figures = [int(cell.replace(',', '')) for cell in table.rows[rows[self.other]][1:]]
        return [(rows[self.row], i + 2, None, lambda _, more=two - one: count(more), False, False)
                for i, (one, two) in enumerate(zip(figures, figures[1:]))]


def across(command, measures, only=None, long=()):
    return Cells(command, measures, True, only, long)


def down(command, measures, only=None, long=(), key=1):
    return Cells(command, measures, False, only, long, key)


# ---- the tables ----

COUNTS = {'states': 'states', 'transitions': 'transitions'}
DEPTHS = dict(COUNTS, depth='depth')
ZONES = {'symbolic states': 'states', 'without clocks': 'statistics.discrete_states'}
LANDING = 'examples/landing-gear/landing.fcr'
NOMINAL = f'check {LANDING} --context examples/landing-gear/contexts.cdl:nominal'
GUIDED = f'explore {LANDING} -D closed=1 --guide examples/guides/landing.xgdl'
LOGIN, CRUISE, SCHEDULING = ('examples/device-login', 'examples/cruise-control',
                             'examples/scheduling/scheduling.mil')
ORDERS = ('n=5', 'n=6 jitter=6', 'n=7 jitter=8', 'n=7 m=4 jitter=6 intervals=3')
TASKS = 'examples/scheduling/scheduling.xml'
POINTS = ('start', 'occur', 'stop', 'run', 'occur,run')
PRODUCERS = 'explore examples/producer-consumer/pc.mil'
WORKERS = "check workers.mil --engine bounded --invariant 'few: done < 2' -p few --no-induction"
C40 = ('explore examples/contexts/behavior.fcr --context examples/contexts/contexts.cdl:c40 -D '
       'size=200')

# Files that commands read, and who writes them.
FILES = {'landing1.cdl': 'python3 examples/landing-gear/make.py --sets 1',
         'tree.cairn': 'python3 -c "import sys; sys.path.insert(0, \'test/oracle\'); import '
         'timed_ranks; print(timed_ranks.tree(7, 6, 800))"',
         **{f'fischer{n}.fcr': f'python3 examples/fischer/make.py {n}' for n in range(2, 8)}}
FAILURES = ('f1_1', 'f1_2', 'f2_1', 'f2_2', 'f3_1', 'f3_2', 'f4_1', 'f4_2', 'f5_1', 'f5_2', 'f6_1',
            'f6_2', 'f7', 'f8', 'f9', 'f10', 'f11', 'f12')


def of_failure(way):
    """Of the part of a guide with one failure; a column may stand for several, which are alike."""
    return lambda claim, size: count(at(way)(claim['contexts'][FAILURES.index(size.split(',')[0])]))


def after_moves(claim, size):
    return count(claim['statistics']['cluster_sizes'][int(size.split()[0])][1])


def one_failure(sets):
    command = f'{GUIDED}:one -D sets={sets} --split alternatives --bound auto --threads 2'
    return across(
        {label: command for label in FAILURES + ('f8, f9, f11, f12', 'f8, f9', 'f11, f12')},
        {'complete bound': of_failure('guide.complete_bound'),
         'symbolic states': of_failure('states'),
         'without clocks': of_failure('statistics.discrete_states')}, long=True)


TABLES = {
    'alarm': [
    across('check examples/uppaal/alarm.xml -D N={}', {'symbolic states': 'states'}, long=('6',)),
    across('check examples/uppaal/alarm.xml -D N={} --reduce por',
           {'with `--reduce por`': 'states'})],
    'alternating-bit': [
    across('explore examples/alternating-bit/abp.fcr -D room={}', {'states, two kinds': 'states'}),
    across('explore examples/alternating-bit/abp.fcr -D room={} -D kinds=3',
           {'states, three kinds': 'states'})],
    'behavior': [
    across('explore examples/behavior/behavior.fcr -D n={}', COUNTS,
           only=('1', '2', '3', '4', '5', '10'))],
    'bounded-workers': [
    down({'plain': WORKERS,
          '--reduce por (n = 2 for every worker, chosen automatically), --phase 2':
              f'{WORKERS} --reduce por',
          **{options: f'{WORKERS} {options}' for options in (
              '--reduce por --phase 1', '--reduce por --phase 0', '--reduce steps',
              '--reduce steps --phase auto')}},
         {'depth': 'properties.0.bound', 'cycles': 'properties.0.cycles',
          'rules in the counterexample': steps})],
    'cash-point': [across('explore examples/cash-point/cp.mil -D tills={}', DEPTHS, long=('3',))],
    'cruise-control': [
    down({'buttons: three buttons and a hill': f'check {CRUISE}/cruise.fcr --context '
          f'{CRUISE}/contexts.cdl:buttons',
          'together: one button and the brake': f'check {CRUISE}/cruise.fcr --context '
          f'{CRUISE}/contexts.cdl:together',
          'drive: three buttons, the brake twice, a hill': f'check {CRUISE}/cruise.fcr --context '
          f'{CRUISE}/contexts.cdl:drive'},
         COUNTS, long=('drive: three buttons, the brake twice, a hill',))],
    'device-login': [
    across(f'check {LOGIN}/login.fcr --context {LOGIN}/contexts.cdl:devices{{}} -D n={{}}',
           {'`login.fcr`, `devices`k: states': 'states', 'transitions': 'transitions'},
           long=('4',)),
    across(f'check {LOGIN}/login.fcr --context {LOGIN}/contexts.cdl:hasty{{}} -D n={{}}',
           {'`hasty`k: states': 'states'}, long=('4',)),
    across(f'check {LOGIN}/timed.fcr --context {LOGIN}/contexts.cdl:deadline{{}} -D n={{}}',
           {'`timed.fcr`, `deadline`k: symbolic states': 'states'}, only=('1', '2', '3'))],
    'elevator': [
    down({f'{u} {f} {b}': f'explore examples/elevator/el.mil -D users={u} -D floors={f} -D bits={b}'
          for u, f, b in (
                      (1, 3, 2), (2, 2, 1), (2, 3, 2))},
         dict(COUNTS, **{'initial states': 'initial_states'}), key=3),
    down({'4 12 4': 'explore examples/elevator/el.mil --engine symbolic'}, {'states': all_digits},
         long=True, key=3)],
    'fischer': [
    across('explore fischer{}.fcr',
           {'discrete states (without clocks)': 'statistics.discrete_states'})],
    'guides': [
    down({f'{name}{rest}': f'guide examples/guides/landing.xgdl:{name}' for name, rest in (
                    ('pilot', ': handle*'), ('failures', ': {0,3} of the twelve groups'),
                    ('scope', ': both, interleaved'),
                    ('one', r': handle* \|\| one failure'),
                    ('early', ': handle{0,7}; f5_2 or f6_2; handle*'))},
         {'states': 'dfa.states', 'transitions': 'dfa.transitions'})],
    'landing-gear-pilot': [
    across(f'{NOMINAL} -D handles={{}}', ZONES, long=('4', '5', '6', '7', '8')),
    Differences('more than before', 'without clocks')],
    'landing-gear-failures': [
    across(f'check {LANDING} --context examples/landing-gear/contexts.cdl:with_{{}} -D handles=3',
           dict(ZONES, violated=violated), long=True)],
    'landing-gear-moves': [
    across({str(n): f'{GUIDED}:pilot -D sets=1 --bound 90' for n in range(78)},
           {'symbolic states': after_moves}, long=True)],
    'landing-gear-bounds': [down(f'{GUIDED}:pilot -D sets={{}} --bound auto',
                                 dict(ZONES,
                                      **{'complete bound': 'guide.complete_bound',
                                         'time': seconds}), long=('3',))],
    'landing-gear-one': [one_failure(1)],
    'landing-gear-one-of-three-sets': [one_failure(3)],
    'partitioning': [
    down({'scheduling, n=7 jitter=8': f'check {SCHEDULING} -D n=7 -D jitter=8 --partition run '
          f'--memory 2457K',
          'scheduling, n=7 m=4 jitter=6 intervals=3':
                               f'check {SCHEDULING} -D n=7 -D m=4 -D jitter=6 -D intervals=3 '
          f'--partition run --memory 23347K',
          'Peterson, n=5': 'check examples/peterson/peterson-n.mil -D n=5 --partition enter '
          '--memory 28M'},
         {'states': 'states',
          'partitions (largest)': with_other('statistics.partitions',
                                             'statistics.largest_partition'),
          'gross states': 'statistics.states_gross'}, long=True)],
    'partitioning-orders': [
    down({size: f'explore {SCHEDULING} -D {" -D ".join(size.split())} --partition run --show orders'
          for size in ORDERS},
         {'states': 'states', 'maximal orders': 'statistics.execution_orders.maximal',
          'p-paths': 'statistics.execution_orders.all',
          'automaton': 'statistics.order_automaton_states'},
         long=ORDERS[2:]),
    down({size: f'explore {SCHEDULING} -D {" -D ".join(size.split())} --partition run --show '
          f'enumerated-orders' for size in ORDERS},
         {'one by one: states': 'statistics.order_states'}, long=ORDERS[2:])],
    'partitioning-parts': [
    down({f'--split-depth {depth}': f'explore {SCHEDULING} -D n=5 --partition run --split always '
          f'--split-depth {depth}' for depth in (1, 2, 3)},
         {'states': 'states', 'parts': 'statistics.parts',
          'gross states': 'statistics.gross_states'})],
    'past-freeze-time': [
    down({'landing gear, 10 moves of the handle': f'{NOMINAL} -D handles=10 --order past-freeze',
          '100 moves': f'{NOMINAL} -D handles=100 --order past-freeze',
          '100 moves, sets=1': f'check {LANDING} --context landing1.cdl:nominal -D sets=1 -D '
          f'handles=100 --order past-freeze'},
         {'symbolic states': 'states', 'clusters (most at once)':
          with_other('statistics.clusters', 'statistics.live_clusters_peak')}, long=True)],
    'peterson': [across('explore examples/peterson/peterson-n.mil -D n={}', DEPTHS, long=('5',))],
    'philosophers': [across('explore examples/philosophers/phils.mil -D n={}', COUNTS)],
    'producer-consumer': [across(f'{PRODUCERS} -D m={{}} --engine symbolic', {'states': 'states'}),
                          across(f'{PRODUCERS} -D m={{}} --engine symbolic',
                                 {'transitions': 'transitions'}, only=('1', '2', '3'))],
    'scheduling': [
    down({f'-D {size}': f'check {SCHEDULING} -D {size} --partition run --memory {memory}'
          for size, memory in (
                        ('n=6 -D jitter=6', '973K'), ('n=7 -D jitter=8', '2457K'),
                        ('n=7 -D m=4 -D jitter=6 -D intervals=3', '23347K'))},
         {'states': 'states', 'partitions': 'statistics.partitions',
          'gross': 'statistics.states_gross'}, long=True)],
    'scheduling-points': [
    down({points: f'explore {TASKS} -D n=6 -D jitter=6 --zones equal --partition '
          f'{points} --memory 13M' for points in POINTS},
         {'symbolic states': 'states', 'partitions': 'statistics.partitions',
          'largest': 'statistics.largest_partition', 'gross': 'statistics.states_gross'},
         long=True)],
    'scheduling-orders': [
    down({size: f'explore {TASKS} -D {" -D ".join(size.split())} --partition run --show orders'
          for size in ('n=4', 'n=5', 'n=6 jitter=6')},
         {'symbolic states': 'states', 'maximal orders': 'statistics.execution_orders.maximal',
          'p-paths': 'statistics.execution_orders.all'}, long=('n=6 jitter=6',))],
    'splitting-time': [
    down({f'--split auto --memory 20M{zones}': f'check tree.cairn --split auto --memory 20M{zones}'
          for zones in ('', ' --zones equal')},
         {'discrete states': 'statistics.discrete_states',
          'parts (gross states)': with_other('statistics.parts', 'statistics.gross_states')},
         long=True)],
    'splitting': [
    down({'breadth-first': C40,
          **{f'--split auto --memory {size}': f'{C40} --split auto --memory {size}'
                                                  for size in ('60M', '30M', '22M', '20M')}},
         {'states': 'states'}, long=('--split auto --memory 22M', '--split auto --memory 20M')),
    down({f'--split auto --memory {size}': f'{C40} --split auto --memory {size}'
          for size in ('60M', '30M', '22M', '20M')},
         {'parts (split again)': with_other('statistics.parts', 'statistics.parts_split'),
          'gross states': 'statistics.gross_states'},
         long=True)],  # they change with every byte that the program needs
    'symbolic-reductions': [
    down({'chaining': f'{PRODUCERS} -D m=5 --engine symbolic --order chaining',
          'breadth-first': f'{PRODUCERS} -D m=5 --engine symbolic --order bfs',
          'breadth-first, monolithic': f'{PRODUCERS} -D m=5 --engine symbolic --order bfs '
          f'--relation monolithic',
          'breadth-first, labelled': f'{PRODUCERS} -D m=5 --engine symbolic --order bfs --relation '
          f'labelled',
          '--reduce por --keep ctl (1,963 states)': f'{PRODUCERS} -D m=5 --engine symbolic '
          f'--reduce por --keep ctl'},
         {'post-images': 'statistics.post_images',
          'largest frontier (nodes)': 'statistics.largest_frontier_nodes'},
         long=('breadth-first, labelled',))],
    'szymanski': [
    across('explore examples/szymanski/szymanski.mil -D n={}', DEPTHS, long=('5', '6'))],
    'turntable': [across('explore examples/turntable/tt.mil -D n={}', DEPTHS)],
    'uppaal': [down('check examples/uppaal/{}', {'symbolic states': 'states'})],
}
