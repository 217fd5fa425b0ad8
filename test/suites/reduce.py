"""Partial-order reduction of the explicit engine. On random models with many local steps:

 - the process model against its definition, by brute force over all reachable states: every rule
   called safe commutes with every rule of other processes, these never change what its process can
   do where it is enabled, it changes no proposition of the property and no run-time error; a linear
   one is alone;
 - the reduced graph (cairn translate --to dot --reduce por): its states and steps are the model's,
   a state has all its steps or all those of one process, which are safe, and every cycle has a
   state with all its steps;
 - what --keep promises: random formulas without X over the variables that the result names are true
   on the exported part exactly when they are true on the whole graph, LTL with --keep ltl, CTL with
   --keep ctl; both engines name the same variables;
 - verdicts of all properties with --reduce por, together and one by one, and of deadlock with
 --reduce deadlock, are those without."""
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from collections import Counter
from lib import CAIRN, DEGENERATE, LONG, SEED, ROOT, check, finish, run, run_json, section, write
from generate import generate
import oracle
import random
import temporal

totals = Counter()


# ---- the definition, by brute force ----
class Space:
    """All reachable states, with the effect of every rule in each of them: steps[state] is {rule:
    state}, fails[state] a set of rules."""
    def __init__(self, text):
        self.model = oracle.Model(text)
        graph = oracle.explore(self.model, 10**6)
        self.states, self.initial = graph.states, graph.initial
        self.number = {state: i for i, state in enumerate(self.states)}
        self.steps, self.fails = [], []
        for state in self.states:
            steps, fails = {}, set()
            for r, (_, conditions, assignments) in enumerate(self.model.rules):
                try:
                    if all(condition(state) for condition in conditions):
                        new = list(state)
                        for index, value in assignments:
                            new[index] = value(state)
                        steps[r] = self.number[tuple(new)]
                except ZeroDivisionError:
                    fails.add(r)
            self.steps.append(steps)
            self.fails.append(fails)
        self.parts = [self.participants(name) for name, _, _ in self.model.rules]

    def participants(self, name):
        if '.' in name:
            return {name.rsplit('.', 1)[0]}
        return {p.name for p in self.model.instances if name in {a[0] for a in p.type.sync}}


def same_rules(space, rows):
    """The rules of the program are those of the oracle, in the same order as far as it matters."""
    if len(rows) != len(space.parts):
        return False
    for row, parts, (name, _, _) in zip(rows, space.parts, space.model.rules):
        if (row['label'] != name.rsplit('.', 1)[-1]
            or set((row['process'] or '').split(', ')) - {''} != parts):
            return False
    return True


def truth(space, atoms, state):
    values = []
    for atom in atoms.values():
        try:
            values.append(bool(atom(space.states[state])))
        except ZeroDivisionError:
            values.append(None)
    return values


def wrong_rule(space, rows, r, atoms):
    """What is wrong with calling rule r safe (and perhaps linear), or None."""
    process, = space.parts[r]
    own = {q for q in range(len(rows)) if process in space.parts[q]}
    for s, steps in enumerate(space.steps):
        enabled = own & steps.keys()
        if r in enabled:
            to = steps[r]
            if any(not rows[q]['safe'] for q in enabled):
                return f'state {s}: an unsafe rule of {process} is enabled too'
            if rows[r]['linear'] and enabled != {r}:
                return f'state {s}: it is not alone'
            if truth(space, atoms, s) != truth(space, atoms, to):
                return f'state {s}: it is visible'
            if space.fails[s] != space.fails[to]:
                return f'state {s}: it changes which rules fail'
            if not (steps.keys() - own) <= (space.steps[to].keys() - own):
                return f'state {s}: it disables what others can do'
        for o in steps.keys() - own:
            after = space.steps[steps[o]]
            if r in enabled and (own & after.keys()) != enabled:
                return f'state {s}: rule {o} changes what {process} can do'
            if r in steps and r not in after:
                return f'state {s}: rule {o} disables it'
            if r in enabled and after[r] != space.steps[steps[r]][o]:
                return f'state {s}: it does not commute with rule {o}'
    return None


def check_process_model(name, space, model, *chosen):
    status, told = run_json('explore', model, '--show', 'process-model', *chosen)
    if not check(f'{name} {chosen} process model', told is not None and status == 0, status):
        return None
    rows = told['process_model']
    if not check(f'{name} has the rules of the oracle', same_rules(space, rows)):
        return None
    atoms = {}
    for property_name, _, _, more in space.model.properties:
        if chosen and property_name == chosen[1]:
            atoms = more
    for r, row in enumerate(rows):
        check(f'{name} {chosen} rule {r}: reasons',
              (row['why'] is None) == row['linear'] and row['linear'] <= row['safe'], row)
        if row['safe']:
            wrong = wrong_rule(space, rows, r, atoms)
            check(f'{name} {chosen} rule {r} is safe', wrong is None, wrong)
            totals['safe rules'] += 1
        totals['rules'] += 1
    return rows


# ---- the reduced graph ----
def read_dot(space, text):
    """{state: [successors]}, numbered as in the space; None for a state that is not there."""
    names = [name for name, _, _ in space.model.variables]
    values = {f'{p.name}.pc': p.type.values for p in space.model.instances}
    first, numbers = {}, {}
    for number, lines in re.findall(r'^  s(\d+) \[label="\d+((?:\\n[^"\\]*)*)"', text, re.M):
        found = dict(line.split(' = ') for line in lines.split('\\n')[1:])
        first = first or found
        words = {**first, **found}
        state = tuple(int(word) if word.isdigit() else values[name][word]
                      for name, word in ((n, words[n]) for n in names))
        numbers[number] = space.number.get(state)
    graph = {state: [] for state in numbers.values()}
    for a, b in re.findall(r'^  s(\d+) -> s(\d+)', text, re.M):
        graph[numbers[a]].append(numbers[b])
    return graph


def has_cycle(graph, inside):
    """Of states `inside` only."""
    degree = Counter(to for s in inside for to in graph[s] if to in inside)
    ready = [s for s in inside if not degree[s]]
    left = len(inside)
    while ready:
        left -= 1
        for to in graph[ready.pop()]:
            if to in inside:
                degree[to] -= 1
                if not degree[to]:
                    ready.append(to)
    return left > 0


def partial(space, rows, state, successors):
    """Whether the successors are those of one process with safe rules."""
    for process in {p.name for p in space.model.instances}:
        own = [r for r in space.steps[state] if process in space.parts[r]]
        if (own and all(rows[r]['safe'] for r in own)
            and Counter(space.steps[state][r] for r in own) == Counter(successors)):
            return True
    return False


def check_graph(name, space, rows, model):
    dot = run('translate', model, '--to', 'dot', '--reduce', 'por')
    if not check(f'{name} draws', dot.returncode == 0, dot.stderr):
        return
    graph = read_dot(space, dot.stdout)
    if not check(f'{name} reduced states are reachable ones', None not in graph):
        return
    check(f'{name} initial states are there', set(space.initial) <= graph.keys())
    halves = set()
    for state, successors in graph.items():
        if Counter(space.steps[state].values()) != Counter(successors):
            halves.add(state)
            check(f'{name} state {state} is expanded by one process',
                  partial(space, rows, state, successors), successors)
    check(f'{name} no cycle of partial expansions', not has_cycle(graph, halves))
    check(f'{name} same deadlocks',
          {s for s in graph if not graph[s]}
          == {s for s, steps in enumerate(space.steps) if not steps})
    totals['states'] += len(space.states)
    totals['reduced states'] += len(graph)
    totals['models with fewer states'] += len(graph) < len(space.states)


# ---- what is kept ----
def random_formula(chance, variables, logic, depth):
    """Without X; atoms are ('cmp', variable, value)."""
    if not depth or chance.random() < 0.2:
        name, high = chance.choice(variables)
        return ('cmp', name, chance.randint(0, high))
    unary, binary = ((('EF', 'EG', 'AF', 'AG', 'not'), ('EU', 'AU', 'and', 'or')) if logic == 'ctl'
                     else (('F', 'G', 'not'), ('U', 'W', 'and', 'or')))
    op = chance.choice(unary + binary)
    return (op,
            *(random_formula(chance, variables, logic, depth - 1)
              for _ in range(1 if op in unary else 2)))


def closed(graph):
    """Every state has a successor: a deadlocked one repeats."""
    return {s: next_states or [s] for s, next_states in graph.items()}


def truth_on(space, graph, formula, logic, names):
    """Whether the formula is true in all initial states of a graph over states of the space."""
    order = list(graph)
    number = {s: i for i, s in enumerate(order)}
    successors = [[number[t] for t in graph[s]] for s in order]

    def atom(f, s):
        if f[0] == 'true':
            return True
        if f[0] == 'cmp':
            return space.states[order[s]][names.index(f[1])] == f[2]
        values = [atom(part, s) for part in f[1:]]
        return (not values[0] if f[0] == 'not' else values[0] and values[1] if f[0] == 'and'
                else values[0] or values[1])
    initial = [number[s] for s in space.initial]
    if logic == 'ctl':
        return set(initial) <= temporal.Ctl(successors, atom).sat(formula)
    return temporal.ltl_holds(successors, initial, atom, formula)


def check_keeping(name, space, model, chance):
    names = [variable for variable, _, _ in space.model.variables]
    whole = closed({s: list(steps.values()) for s, steps in enumerate(space.steps)})
    states = {}
    for logic in ('ltl', 'ctl'):
        options = ('--reduce', 'por', '--keep', logic)
        results = [run_json('explore', model, '--engine', engine, *options)[1]
                   for engine in ('explicit', 'symbolic')]
        under = [result['under']['reduction'] for result in results]
        check(f'{name} keep {logic}: both engines say the same',
              under[0] == under[1] and under[0]['keeps'] == logic, under)
        states[logic] = [result['states'] for result in results]
        dot = run('translate', model, '--to', 'dot', *options)
        if (not check(f'{name} keep {logic}: a part',
                      dot.returncode == 0 and 'a part of the state graph' in dot.stderr,
                      dot.stderr)):
            continue
        part = closed(read_dot(space, dot.stdout))
        over = [(each, max(state[names.index(each)] for state in space.states))
                for each in under[0]['over']]
        for _ in range(4 if over else 0):
            formula = random_formula(chance, over, logic, 3)
            found = truth_on(space, part, formula, logic, names)
            check(f'{name} keep {logic}', found == truth_on(space, whole, formula, logic, names),
                  f'{formula} is {found} on the part')
            totals[f'kept {logic} formulas'] += 1
    check(f'{name}: a part has no more states than the whole',
          max(states['ltl'] + states['ctl']) <= len(space.states), states)


# ---- verdicts ----
def verdicts(told):
    return {item['name']: (item['verdict'], item.get('vacuous')) for item in told['properties']}


def has_next(f):
    return (isinstance(f, tuple)
            and (f[0] in ('X', 'EX', 'AX') or any(has_next(part) for part in f[1:])))


def check_verdicts(name, space, model, program, *extra):
    (full_status, full), (status,
                          told) = (run_json('check', model, '-q', *extra, *more, program=program)
                                   for more in ((), ('--reduce', 'por')))
    if not check(f'{name} checks', full is not None and told is not None, (full_status, status)):
        return
    check(f'{name} {extra} verdicts', verdicts(told) == verdicts(full),
          f'{verdicts(told)} instead of {verdicts(full)}')
    check(f'{name} {extra} status', status == full_status, status)
    check(f'{name} {extra} states', told['states'] <= full['states'] or not full['complete'])
    with_next = {property_name for property_name, _, formula, _ in space.model.properties
                 if has_next(formula)}
    for item in told['properties']:
        refused = item.get('method', '').startswith('without reduction')
        check(f'{name} {item["name"]} is reduced unless it has X',
              refused == (item['name'] in with_next), item.get('method'))
        totals['refused' if refused else 'reduced ' + item['kind']] += 1
        totals['violated'] += item['verdict'] == 'violated'


def check_explore(name, model, program):
    told = {kind: run_json('explore', model, '-q', '--reduce', kind, program=program)[1]
            for kind in ('none', 'por', 'deadlock')}
    if not check(f'{name} explores', None not in told.values()):
        return
    for kind in ('por', 'deadlock'):
        check(f'{name} {kind} keeps deadlocks',
              told[kind]['deadlocks'] == told['none']['deadlocks'],
              (told[kind]['deadlocks'], told['none']['deadlocks']))
        errors = [bool(told[each]['statistics']['runtime_errors']) for each in ('none', kind)]
        check(f'{name} {kind} keeps run-time errors', errors[0] == errors[1], errors)
    check(f'{name} fewer states for deadlocks',
          told['deadlock']['states'] <= told['none']['states'])
    for key in ('rules_never_taken', 'locations_never_reached'):
        check(f'{name} {key}', told['por']['statistics'][key] == told['none']['statistics'][key])


def compare(seed, size):
    text = generate(seed, size, local=True)
    name, model, space = f'seed {seed} {size}', write('local.mil', text), Space(text)
    before = sys.modules['lib'].failed
    rows = check_process_model(name, space, model)
    if rows:
        check_graph(name, space, rows, model)
    program = DEGENERATE if seed % 10 == 5 and os.path.exists(DEGENERATE) else CAIRN
    if len(space.states) < 400:
        check_keeping(name, space, model, random.Random(seed))
    check_explore(name, model, program)
    check_verdicts(name, space, model, program)
    for property_name in [p[0] for p in space.model.properties]:
        check_verdicts(name, space, model, CAIRN, '-p', property_name)
        check_process_model(name, space, model, '-p', property_name)
    if sys.modules['lib'].failed > before:
        print(text)


# ---- models that tell right from nearly right ----
# A choice of one process that others do not notice: branching time knows when it was made, so CTL
# needs an ample set of one rule.
CHOICE = '''VARIABLES g : 1 := 0; r : 2 := 0; END
LOCAL P
  ACTIONS left; right; tell; END
  VARIABLES pc : 2 := 0; END
  CASE
    [0] [left] true : pc := 1;
    [0] [right] true : pc := 2;
    [1] [tell] g == 1 : r := 1; pc := 3;
    [2] [tell] g == 1 : r := 2; pc := 3;
  END
END
LOCAL Q ACTIONS signal; END VARIABLES pc : 1 := 0; END CASE [0] [signal] true : g := 1; pc := 1; \
END END
MAIN PROC p : P[1]; q : Q[1]; END END
CTL open: EF (g == 1 & EF r == 1 & EF r == 2); END
LTL some: F r != 0; END
'''
# A process that goes round for ever on its own: the step of the other must not be put off for ever,
# nor must the rounds be forgotten.
ROUNDS = '''VARIABLES g : 1 := 0; END
LOCAL P ACTIONS turn; END VARIABLES pc : 2 := 0; free : 1; END CASE [0] [turn] true : pc := 1; [1] \
[turn] true : pc := 2; [2] [turn] true : pc := 0; END END
LOCAL Q ACTIONS set; END VARIABLES pc : 1 := 0; END CASE [0] [set] true : g := 1; pc := 1; END END
LOCAL Idle ACTIONS idle; END VARIABLES x : 1 := 0; END CASE [idle] true : x := x; END END
MAIN PROC p : P[2]; q : Q[1]; i : Idle[1]; END END
CTL never: AG g == 0; reach: EF g == 1; around: EG g == 0; surely: AF g == 1; END
LTL later: F g == 1; stay: G g == 0; then: G (g == 1 -> G g == 1); END
'''
# A run-time error behind a process that loops: a search for deadlocks must find it too.
FAILS = '''LOCAL P ACTIONS turn; END VARIABLES x : 1 := 0; END CASE [turn] true : x := 1 - x; END \
END
LOCAL Q ACTIONS go; END VARIABLES pc : 1 := 0; z : 1 := 0; END CASE [0] [go] true : pc := 1; [1] \
[go] 1 / z == 1 : pc := 0; END END
MAIN PROC p : P[1]; q : Q[1]; END END
'''


def verdicts_by_hand():
    for name, text, expected in (('choice', CHOICE, {'open': 'holds', 'some': 'holds'}),
                                 ('rounds', ROUNDS,
                                  {'never': 'violated', 'reach': 'holds', 'around': 'holds',
                                   'surely': 'violated', 'later': 'violated',
                                   'stay': 'violated', 'then': 'holds'})):
        model = write(f'{name}.mil', text)
        for chosen in [(), *(('-p', each) for each in expected)]:
            status, told = run_json('check', model, '-q', '--no-deadlock', '--reduce', 'por',
                                    *chosen)
            if not check(f'{name} {chosen} checks', told is not None, status):
                continue
            told = {item['name']: item['verdict'] for item in told['properties']}
            for each in chosen[1:] or expected:
                check(f'{name} {each} {chosen}', told[each] == expected[each], told[each])
    told = run_json('explore', write('fails.mil', FAILS), '--reduce', 'deadlock')[1]
    check('a failure behind a loop', told['statistics']['runtime_errors'] > 0)
    model = write('rounds.mil', ROUNDS)
    states = [run_json('explore', model, '--reduce', kind)[1]['states']
              for kind in ('none', 'por', 'deadlock')]
    check('rounds: deadlocks need only the loop', states[0] > states[1] > states[2] == 12, states)


# ---- by hand ----
def by_hand():
    model = os.path.join(ROOT, 'examples/turntable/tt.mil')
    status, told = run_json('check', model, '-p', 'deadlock', '--reduce', 'deadlock')
    full = run_json('check', model, '-p', 'deadlock')[1]
    check('deadlock: fewer states', status == 0 and told['states'] < full['states'] / 2,
          told and told['states'])
    check('deadlock: said so',
          told['statistics']['reduction'] == 'deadlock' and 'reduced' in told['assurance'],
          told['assurance'])
    status, told = run_json('check', model, '--reduce', 'deadlock', '--ltl', 'G true')
    methods = {item['kind']: item.get('method', '') for item in told['properties']}
    check('deadlock: others are refused',
          'keeps deadlocks' in methods['ltl'] and not methods['deadlock'], methods)
    check('deadlock: second search',
          told['statistics']['unreduced_states'] == full['states']
          and 'second search' in told['assurance'])
    status, told = run_json('check', model, '--reduce', 'por', '-p', 'none-of-these')
    check('por: an unknown property', status == 2)
    result = run('check', model, '--reduce', 'por', '--ltl', 'X true', '-p', 'runtime-error')
    check('por: X is refused in words',
          'without reduction: it has X' in result.stdout and 'second search' in result.stdout,
          result.stdout)
    for options, word in (('--reduce por --order dfs', '--order'),
                          ('--reduce por --bound 3', '--bound'),
                          ('--reduce improviso --engine explicit', 'symbolic')):
        result = run('explore', model, *options.split())
        check(f'{options} is refused', result.returncode == 2 and word in result.stderr,
              result.stderr)
    choice = write('choice.mil', CHOICE)
    for engine in ('explicit', 'symbolic'):
        states = [run_json('explore', choice, '--engine', engine, '--reduce',
                           *options.split())[1]['states']
                  for options in ('por', 'por --keep ltl', 'two-phase', 'por --keep ctl', 'none',
                                  'por --keep deadlock', 'deadlock --keep deadlock', 'deadlock')]
        check(f'{engine}: --keep chooses',
              states[0] == states[1] == states[2] < states[3] <= states[4]
              and states[5] == states[6] == states[7], states)
        told = run_json('check', choice, '--engine', engine, '--reduce', 'por', '--keep', 'ltl')[1]
        check(f'{engine}: what is not kept is decided without reduction',
              [item.get('method') for item in told['properties']
               if item['name'] == 'open'][0].startswith('without reduction: --keep ltl')
              and told['properties'][0]['verdict'] == 'holds', told['properties'])
    for options, word in (('--keep ltl', 'add --reduce por'),
                          ('--reduce deadlock --keep ltl', 'preserves deadlocks, but not ltl'),
                          ('--reduce deadlock --keep ctl', 'preserves deadlocks, but not ctl'),
                          ('--reduce improviso --keep ltl',
                           'which values are reachable, but not ltl'),
                          ('--reduce por --keep x', "--keep does not know 'x'")):
        for command in (('explore', model), ('check', model), ('translate', model, '--to', 'aut')):
            result = run(*command, *options.split())
            check(f'{command[0]} {options} is refused',
                  result.returncode == 2 and word in result.stderr, result.stderr)
    result = run('check', model, '--engine', 'bounded', '--reduce', 'por', '--keep', 'ctl')
    check('bounded: CTL is not kept', result.returncode == 2 and 'decides no CTL' in result.stderr,
          result.stderr)
    result = run('explore', model, '--show', 'process-model')
    check('process model in words',
          '19 of 29 rules are safe, 17 of them linear' in result.stdout
          and "'arrive' can be enabled at the same time" in result.stdout)
    known, context = (os.path.join(ROOT, f'test/regress/reduce-context-sync.{ending}')
                      for ending in ('fcr', 'cdl'))
    for options, states in ((('por',), 2), (('por', '--order', 'past-freeze'), 2),
                            (('deadlock',), 1)):
        told = run_json('check', known, '--context', context, '--engine', 'explicit', '--reduce',
                        *options)[1]
        check(f'a context that takes part: {" ".join(options)}',
              told and told['states'] == states and told['verdict'] == 'holds', told)
    result = run('explore', model, '-p', 'deadlock')
    check('explore decides nothing', result.returncode == 2 and 'cairn check' in result.stderr)


sys.setrecursionlimit(20000)
section(by_hand)
section(verdicts_by_hand)
first = 1 + 1000000 * SEED
for seed in range(first, first + (2000 if LONG else 60)):
    compare(seed, 'medium' if seed % 10 == 0 else 'small')
print(', '.join(f'{count} {what}' for what, count in sorted(totals.items())))
check('enough was reduced',
      totals['safe rules'] * 4 > totals['rules'] and totals['models with fewer states'] > 20,
      totals)
finish()
