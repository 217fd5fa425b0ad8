"""Exports to AIGER. Every file is read by a strict reader of its own (test/tools/aiger.py); the
binary form is the same graph as the text. Reachable states, successors of every state, distances to
bad states and verdicts of LTL formulas, found by brute force in the graph, are those of the oracle
(random models) and of `cairn check` (examples, models with ranges). ABC, an independent hardware
model checker, decides the bad states with PDR."""
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, LONG, PATIENCE, ROOT, SEED, check, crashed, finish, path, run,
                 run_json, section, write)
sys.path.insert(0, os.path.join(ROOT, 'test', 'tools'))
import aiger
from generate import generate
import oracle

TOO_MANY = 12 # inputs: 2^n steps from every state


def export(name, model, *arguments, program=CAIRN):
    """The graph, read from both forms, or None."""
    text = run('translate', model, '--to', 'aag', *arguments, program=program)
    binary = run('translate', model, '--to', 'aiger', *arguments, '-q', text=False, program=program)
    if (not check(f'{name} is written',
                  text.returncode == binary.returncode == 0 and not crashed(text), text.stderr)):
        return None
    try:
        graph, other = aiger.read(text.stdout.encode()), aiger.read(binary.stdout)
    except aiger.FormatError as error:
        check(f'{name} is well formed', False, error)
        return None
    check(f'{name}: both forms are one graph', graph == other)
    check(f'{name}: no gate is dead, double or trivial', not aiger.untidy(graph),
          aiger.untidy(graph))
    check(f'{name}: everything has a name',
          len(graph.names)
          == sum(map(len, (graph.latches, graph.bads, graph.constraints, graph.justice)))
          + graph.inputs)
    check(f'{name}: the comment has no path', '/' not in graph.comment[0], graph.comment[0])
    graph.notes = text.stderr
    return graph


def variables(graph):
    """{variable: its latches, lowest bit first}; the latches of automata have other names."""
    found = {}
    for i in range(len(graph.latches)):
        match = re.fullmatch(r'(.*)\.(\d+)', graph.names['l', i])
        if match:
            latches = found.setdefault(match.group(1), [])
            assert len(latches) == int(match.group(2))
            latches.append(i)
    return found


def rule_inputs(graph):
    return [i for i in range(graph.inputs) if graph.names['i', i].startswith('rule[')]


def model_search(graph):
    """The model alone, without automata."""
    return aiger.Search(graph, rule_inputs(graph), sorted(sum(variables(graph).values(), [])), [])


def check_verdicts(name, graph, expected):
    """expected: {property: (verdict, distance or None)}."""
    distances = aiger.bad_distances(graph)
    for i, distance in enumerate(distances):
        verdict, wanted = expected[graph.names['b', i]]
        # the oracle gives up; the program's "unknown" is: violated in no state in which it is
        # defined
        if (verdict != 'error'):
            check(f'{name} {graph.names["b", i]}',
                  (distance is not None) == (verdict == 'violated'), f'{distance} but {verdict}')
        if verdict == 'violated' and wanted is not None:
            check(f'{name} {graph.names["b", i]} distance', distance == wanted,
                  f'{distance} instead of {wanted}')
    for i, literals in enumerate(graph.justice):
        verdict, found = expected[graph.names['j', i]][0], aiger.justice_found(graph, literals)
        if verdict in ('holds', 'violated'):
            check(f'{name} {graph.names["j", i]}', found == (verdict == 'violated'),
                  f'{found} but {verdict}')
    present = {graph.names[key] for key in graph.names if key[0] in 'bj'}
    for item in set(expected) - present:
        check(f'{name} says that {item} is left out',
              f'cairn: note: {item} is left out' in graph.notes, graph.notes)


# ---- random models: the oracle ----

def compare_states(name, graph, model, g):
    """The same states, and from each one the same successors; steps in which nothing changes are
    allowed."""
    search, latches = model_search(graph), variables(graph)
    position = {latch: i for i, latch in enumerate(search.latches)}

    def decode(state):
        return tuple(
            sum(1 << k for k, latch in enumerate(latches.get(variable, []))
                if state[position[latch]] == '1') for variable, *_ in model.variables)

    ours = {decode(state): {decode(step[0]) for step in steps}
            for state, steps in search.steps.items()}
    theirs = {state: {g.states[t] for t in g.successors[s]} for s, state in enumerate(g.states)}
    check(f'{name} states', set(ours) == set(theirs), f'{len(ours)} instead of {len(theirs)}')
    check(f'{name} initial states',
          {decode(state) for state in search.initial} == {g.states[s] for s in g.initial})
    wrong = [state for state in theirs if state in ours
             and ours[state] | {state} != theirs[state] | {state}]
    check(f'{name} successors', not wrong, wrong[:2])


def random_model(seed, size, temporal, program):
    name, text = f'seed {seed}', generate(seed, size, temporal)
    model = oracle.Model(text)
    g = oracle.explore(model, 10000)
    file = write('random.mil', text)
    graph = export(name, file, program=program)
    if graph is None or graph.inputs > TOO_MANY:
        return 0
    compare_states(name, graph, model, g)
    verdicts = {item['name']: (item['verdict'], item.get('distance'))
                for item in oracle.check(model, g, False)}
    check_verdicts(name, graph, verdicts)
    if seed % 3 == 0:
        in_abc(name, file, [], {item: verdict for item, (verdict, _) in verdicts.items()})
    return len(graph.justice)


def random_models():
    first, justice = 700000 + 10000 * SEED, 0
    for seed in range(first, first + (3000 if LONG else 50)):
        justice += random_model(seed, 'small', True, ASAN if seed % 10 == 0 else CAIRN)
    for seed in range(first, first + (300 if LONG else 15)):
        random_model(seed, 'medium', False, CAIRN)
    check('LTL formulas were among them', justice > 30, justice)


# ---- ABC ----

def in_abc(name, model, constants, verdicts):
    """ABC reads no justice, so the properties of single states are named one by one."""
    graph = export(f'{name} for ABC', model, *constants, '-q')
    bads = [graph.names['b', i] for i in range(len(graph.bads))]
    done = run('translate', model, '--to', 'aiger', '-q', *constants, '-o', path('abc.aig'),
               *(word for bad in bads for word in ('-p', bad)))
    check(f'{name} is written for ABC', done.returncode == 0, done.stderr)
    script = f'read_aiger {path("abc.aig")}; logic; undc; strash; zero; ' + ('fold; '
        if graph.constraints else '') + 'pdr -a'
    output = subprocess.run(['berkeley-abc', '-q', script], capture_output=True, text=True,
                            cwd=path(''), timeout=PATIENCE).stdout
    counts = re.search(r'All = (\d+)\. Proved = (\d+)\. Disproved = (\d+)\. Undecided = 0', output)
    if not check(f'{name} is decided by ABC', counts, output):
        return
    violated = {bads[int(number)]
                for number in re.findall(r'Output\s+(\d+) was (?:trivially )?asserted', output)}
    check(f'{name} ABC counts',
          int(counts.group(1)) == len(bads) and int(counts.group(3)) == len(violated), output)
    for bad in bads:
        if verdicts[bad] in ('holds', 'violated'):
            check(f'{name} {bad} in ABC', (bad in violated) == (verdicts[bad] == 'violated'),
                  f'{bad in violated} but {verdicts[bad]}')


# ---- examples, ranges ----

def checked(model, constants):
    """Verdicts and distances of the program itself."""
    ours = run_json('check', model, '-q', '--engine', 'explicit', *constants)[1]
    result = {}
    for item in ours['properties']:
        steps = item['trace'] and item['trace'].get('steps')
        whole = (item['trace'] and item['trace'].get('loop') is None
                 and item['kind'] in ('invariant', 'deadlock', 'runtime-error', 'builtin'))
        result[item['name']] = (item['verdict'], len(steps) - 1 if steps and whole else None)
    return ours, result


def compare_with_program(name, model, constants=(), brute=True):
    ours, verdicts = checked(model, constants)
    graph = export(name, model, *constants)
    if graph is None:
        return
    if brute:
        search = model_search(graph)
        check(f'{name} states', len(search.distance) == int(ours['states']),
              f'{len(search.distance)} instead of {ours["states"]}')
        check(f'{name} initial states', len(search.initial) == ours['initial_states'])
        check_verdicts(name, graph, verdicts)
    in_abc(name, model, constants, {item: verdict for item, (verdict, _) in verdicts.items()})


EXAMPLES = [('running/running.mil', [], True), ('peterson/peterson.mil', [], True),
            ('peterson/peterson-n.mil', ['-D', 'n=3'], True),
            ('philosophers/phils.mil', ['-D', 'n=3'], True),
            ('szymanski/szymanski.mil', ['-D', 'n=2'], True),
            ('producer-consumer/pc.mil', [], True),
            ('turntable/tt.mil', [], False), ('cash-point/cp.mil', ['-D', 'tills=1'], False),
            ('philosophers/phils.mil', ['-D', 'n=8'], False)]

RANGES = '''cairn 1
model "folder/ranges"
variable "x" 3..7 = any
variable "y" -2..2 = 1
variable "z" -4611686018427387904..4611686018427387903 = -4611686018427387904
variable "one" 5..5 = any
variable "b" 0..2 = any
rule "r"
  part global
    when (gt "x" 5)
  set "y" 2
rule "s"
  part global
  set "z" 4611686018427387903
rule "t"
  part global
    when (eq (div 3 6 "b") 3)
  set "b" 0
property "in range" invariant
  formula (and (le "x" 7) (le "b" 2))
property "never 7" invariant
  formula (lt "x" 7)
property "y" invariant
  formula (or (gt "x" 5) (lt "y" 2))
property "z" invariant
  formula (lt "z" 0)
property "divides" invariant
  formula (lt (div 3 6 "b") 6)
property "divides, else holds" invariant
  formula (lt (div 3 6 "b") 7)
property "divides, else holds in the end" ltl
  formula (finally (globally (lt (div 3 6 "b") 7)))
property "goes up" ltl
  formula (finally (gt "z" 0))
property "b stays" ltl
  formula (implies (eq "b" 1) (globally (eq "b" 1)))
'''


def ranges():
    file = write('ranges.cairn', RANGES)
    compare_with_program('ranges', file)
    graph = export('ranges', file)
    check('ranges: a run on which a formula divides by zero is no violation',
          [aiger.justice_found(graph, graph.justice[i]) for i in range(len(graph.justice))
          if graph.names['j', i] == 'divides, else holds in the end'] == [False])
    check('ranges: what divides by zero is unknown or violated',
          checked(file, [])[1]['divides, else holds'][0] == 'unknown'
          and checked(file, [])[1]['divides'][0] == 'violated')
    check('ranges: variables that start with any value',
          [reset for _, reset in graph.latches].count(None) == 5)
    check('ranges: constraints',
          [graph.names['c', i] for i in range(len(graph.constraints))]
          == ['x is within its range', 'b is within its range'], graph.names)
    check('ranges: 63 bits', len(variables(graph)['z']) == 63 and 'one' not in variables(graph))
    check('ranges: offsets are told',
          {'x is its bits + 3', 'y is its bits - 2', 'z is its bits - 4611686018427387904'}
          <= set(graph.comment), graph.comment)


# ---- odd models ----

def flat(rules, variables='variable "x" 0..1 = 0\n', more=''):
    return 'cairn 1\nmodel "odd"\n' + variables + ''.join(rules) + more


def odd_models():
    step = '''rule "r"
  part global
    when (eq "x" 0)
  set "x" 1
'''
    cases = {'nothing at all': flat([], ''), 'no rules': flat([]),
             'no variables': flat(['rule "r"\n  part global\n'], ''), 'one rule': flat([step]),
             'two rules': flat([step, 'rule "s"\n  part global\n  set "x" 0\n']),
             'three rules': flat([step] * 3), 'four rules': flat([step] * 4),
             'five rules': flat([step] * 5),
             'a false guard': flat(['rule "r"\n  part global\n    when false\n']),
             'LTL without rules': flat([],
                                       more='property "f" ltl\n  formula (finally (eq "x" '
                                       '1))\nproperty "g" ltl\n  formula (finally (globally (eq '
                                       '"x" 0)))\n'),
             'constant LTL': flat([step],
                                  more='property "f" ltl\n  formula (finally false)\nproperty "g" '
                                  'ltl\n  formula (finally true)\n'),
             'only failures': flat(['rule "r"\n  part global\n  set "x" (div 1 1 "x")\n'])}
    for name, text in cases.items():
        compare_with_program(name, write('odd.cairn', text))
    inputs = {'nothing at all': 0, 'no rules': 0, 'one rule': 0, 'two rules': 1, 'three rules': 2,
              'four rules': 2, 'five rules': 3}
    for name, count in inputs.items():
        graph = export(f'{name}: inputs', write('odd.cairn', cases[name]))
        check(f'{name} has {count} inputs', graph.inputs == count, graph.inputs)
    header = run('translate', write('odd.cairn', cases['nothing at all']), '--to',
                 'aag').stdout.splitlines()
    check('the empty model: deadlocked, no run-time error',
          header[:3] == ['aag 0 0 0 0 0 2', '1', '0'], header[:3])


def many_rules():
    """A counter whose steps are one rule each: gates grow with the rules, not with their square,
    and not in a long path."""
    count = 20000
    text = flat([f'rule "r{i}"\n  part global\n    when (eq "x" {i})\n  set "x" {i + 1}\n'
                 for i in range(count)], f'variable "x" 0..{count} = 0\n')
    graph = export('many rules', write('many.cairn', text), '-q')
    check('many rules: inputs', graph.inputs == 15)
    check('many rules: gates per rule', len(graph.gates) < 30 * count, len(graph.gates))
    level = [0] * (1 + graph.inputs + len(graph.latches))
    for large, small in graph.gates:
        level.append(1 + max(level[large // 2], level[small // 2]))
    check('many rules: depth', max(level) < 100, max(level))


def told():
    running = os.path.join(ROOT, 'examples/running/running.mil')
    peterson = os.path.join(ROOT, 'examples/peterson/peterson.mil')
    check('-q is quiet', run('translate', running, '--to', 'aag', '-q').stderr == '')
    graph = export('-p', peterson, '-p', 'mutex', '-p', 'deadlock')
    check('-p chooses',
          [graph.names['b', i] for i in range(len(graph.bads))] == ['mutex', 'deadlock']
          and not graph.justice and graph.notes == '', graph.names)
    result = run('translate', peterson, '--to', 'aag', '-p', 'mutes')
    check('-p: an unknown property',
          result.returncode == 2 and "did you mean 'mutex'" in result.stderr, result.stderr)
    result = run('translate', peterson, '--to', 'smv', '-p', 'mutex')
    check('-p is for AIGER only', result.returncode == 2 and '--to aiger' in result.stderr,
          result.stderr)
    graph = export('rules are told', running)
    check('rules are told',
          'rule 0 is Xpp by a[0], line 31' in graph.comment
          and any('by a[0], b[0], lines' in line for line in graph.comment), graph.comment)
    check('the model is named', graph.comment[0] == 'running.mil, written by cairn.',
          graph.comment[0])
    result = run('translate', running, '--to', 'aig')
    check('formats are listed', result.returncode == 2 and 'aiger, aag' in result.stderr,
          result.stderr)


sys.setrecursionlimit(20000)
for example, settings, small in EXAMPLES:
    compare_with_program(' '.join([example, *settings]), os.path.join(ROOT, 'examples', example),
                         settings, small)
section(ranges)
section(odd_models)
section(many_rules)
told()
section(random_models)
finish()
