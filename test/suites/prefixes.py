"""Searches that are split by the beginnings of p-paths: the union of all parts against
breadth-first search, with and without time; what a part visits against a plain walk; parts one by
one, several at once; runs killed and resumed; little memory.

A part visits the states on runs whose p-path begins as it says, from there on. Parts meet, so that
their sum is gross; what is told of all of them is net, or says that it is not.
"""
import collections
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, SEED, check, crashed, finish, folder, in_memory,
                 path, refuses, run, section, told, write)
from fiacre.generate_timed import draw
from generate import generate
from pointed import odd_model
from points import some_points
import timed_ranks

os.environ['CAIRN_NO_SYNC'] = '1'  # of test builds: nothing here survives the machine anyway
own_temporary = os.path.join(in_memory.name, 'tmp')
os.mkdir(own_temporary)
os.environ['TMPDIR'] = own_temporary  # nothing may be left there
SCHEDULING = ('examples/scheduling/scheduling.mil', '-D', 'n=3', '--partition', 'run')


def points_of(model, rng):
    return some_points(run('translate', *model, '--to', 'cairn').stdout, rng, [1, 1, 2, 3, 6])


def essence(claim, exact=True):
    """What must not depend on the split; exact: symbolic states, too."""
    statistics = claim['statistics']
    keys = {'verdicts': [(p['name'], p['verdict'], p.get('vacuous'))
                         for p in claim.get('properties', [])
                         if 'whole graph' not in (p.get('reason') or '') and p['kind'] != 'ltl'],
            'complete': claim['complete'], 'discrete': statistics.get('discrete_states'),
            'silent': (statistics['rules_never_taken'], statistics['locations_never_reached']),
            'initial': claim['initial_states']}
    if exact:
        keys['counts'] = (claim['states'], claim['transitions'], claim['deadlocks'],
                          statistics.get('ends'), statistics.get('runtime_errors'))
    if not claim['complete']:
        keys = {'verdicts': keys['verdicts']}
    return keys


def differs(claim, other, result, exact=True):
    """What is wrong with a claim, or nothing."""
    if crashed(result):
        return f'crash: {result.returncode} {result.stderr[-800:]}'
    if claim is None or 'statistics' not in claim:
        return f'no object: {result.returncode} {result.stderr[-600:]}'
    one, two = essence(claim, exact), essence(other, exact)
    if not claim['complete'] or not other['complete']:
        one, two = {'verdicts': one['verdicts']}, {'verdicts': two['verdicts']}
    elif exact and not claim['statistics']['counts_are_net']:
        return f'counts are gross: {claim["statistics"].get("why_gross")}'
    if any(p['verdict'] == 'violated' and p['kind'] not in ('ctl', 'ltl') and not p['trace']
           for p in claim.get('properties', [])):
        return 'a violation without a run'
    return ('' if one == two
            else str({key: (one[key], two[key]) for key in one if one[key] != two[key]}))


def compare(model, words, rng, program, exact=True):
    """Split by random p-points; returns what is wrong, or nothing, and how many parts met."""
    labels = rng.choice(['auto', points_of(model, rng), points_of(model, rng)])
    itf = path('prefixes.itf.json')
    how = ('--partition', labels, '--split', 'always', '--split-depth', rng.choice([1, 1, 2, 3, 5]),
           '--threads', rng.choice([1, 1, 3]))
    usual, whole = told(*words, *model, '--order', 'bfs')
    if usual.returncode not in (0, 1):
        return '', 0
    if os.path.exists(itf):
        os.remove(itf)
    result, claim = told(*words, *model, *how, *(('--trace', itf) if words[0] == 'check' else ()),
                         program=program)
    fault = differs(claim, whole, result, exact)
    if not fault and result.returncode not in (usual.returncode, 3):
        fault = f'status {result.returncode}, not {usual.returncode}'
    if not fault and os.path.exists(itf) and run('replay', itf).returncode:
        fault = 'the trace does not replay'
    if fault:
        return f'{fault}\n{" ".join(map(str, (*words, *model, *how)))}', 0
    statistics = claim['statistics']
    return '', claim['complete'] and statistics['gross_states'] > claim['states']


def random_runs(program, count, name, seed):
    rng = random.Random(f'prefixes {name} {SEED}')
    wrong, met = [], 0
    for n in range(count):
        kind = rng.choice(['milestones', 'odd', 'odd'])
        if kind == 'milestones':
            text = generate(seed + n + 100000 * SEED, temporal=False, size='small')
        else:
            text = odd_model(rng)
        model = write('random.mil' if kind == 'milestones' else 'random.cairn', text)
        fault, some = compare((model,), (rng.choice(['explore', 'check']),), rng, program)
        met += some
        if fault:
            wrong.append(f'{fault}\n{text}')
    check(f'{name}: {count} random models, split by p-paths ({met} times parts met), have the '
          'result of one search', met and not wrong, f'{len(wrong)} wrong: {wrong[:1]}')


def timed_runs(program, count, name):
    rng = random.Random(f'timed prefixes {name} {SEED}')
    wrong, met = [], 0
    for n in range(count):
        if n % 3:
            text = timed_ranks.random_model(rng, most=8)
            model = write('random.cairn', text)
        else:
            text = draw(rng)
            text = text if isinstance(text, str) else text[0]
            model = write('random.fcr', text)
        exact = rng.random() < 0.6
        words = (rng.choice(['explore', 'check']), '--engine', 'timed', '--zones',
                 'equal' if exact else 'inclusion')
        fault, some = compare((model,), words, rng, program, exact)
        met += some
        if fault:
            wrong.append(f'{fault}\n{text}')
    check(f'{name}: {count} random models with time, split by p-paths ({met} times parts met), '
          'have the result of one search', met and not wrong, f'{len(wrong)} wrong: {wrong[:1]}')


section(random_runs, CAIRN, 1500 if LONG else 40, 'release', 1)
section(random_runs, DEGENERATE, 150 if LONG else 8, 'degenerate', 5000)
# The degenerate program has the sanitizers, too.
if LONG:
    section(random_runs, ASAN, 60, 'asan', 9000)
section(timed_runs, CAIRN, 900 if LONG else 24, 'release')
section(timed_runs, DEGENERATE, 90 if LONG else 4, 'degenerate')


# ---- what a part visits ----

def graph_of(model, points):
    """The steps of a model, state by state: [(p-point or None, to)]."""
    steps = collections.defaultdict(list)
    for line in run('translate', *model, '--to', 'aut').stdout.splitlines()[1:]:
        source, label, to = re.match(r'\((\d+), "(.*)", (\d+)\)', line).groups()
        words = label.split()
        point = f'{words[1]}.{words[0]}' if words[0] in points else None
        steps[int(source)].append((point, int(to)))
    return steps


def walk(steps, prefix):
    """States on runs whose p-path begins so, from there on; and the p-paths one longer that are
    possible."""
    states = {0}
    for point in (*prefix, None):
        todo = list(states)
        while todo:
            for other, to in steps[todo.pop()]:
                if other is None and to not in states:
                    states.add(to)
                    todo.append(to)
        if point is None:
            break
        states = {to for state in states for other, to in steps[state] if other == point}
    entries = {other for state in states for other, _ in steps[state] if other}
    todo = list(states)
    while todo:
        for _, to in steps[todo.pop()]:
            if to not in states:
                states.add(to)
                todo.append(to)
    return states, sorted(entries)


def prefixes_of(steps, length):
    found = [()]
    for _ in range(length):
        found = [(*prefix, point) for prefix in found for point in walk(steps, prefix)[1]]
    return found


def parts():
    for model, label in ((('examples/peterson/peterson.mil',), 'enter'),
                         (('examples/scheduling/scheduling.mil', '-D', 'n=3'), 'run'),
                         (('examples/tie-breaker/tie-breaker.mil',), 'announce')):
        steps = graph_of(model, (label,))
        for length in (1, 2, 3):
            _, claim = told('explore', *model, '--partition', label, '--split', 'always',
                            '--split-depth', length)
            rows = claim['statistics']['parts_list'][1:]
            ours = {tuple(row['p_path'].split()): row['states'] for row in rows}
            plain = {prefix: len(walk(steps, prefix)[0]) for prefix in prefixes_of(steps, length)}
            check(f'{model[0]}: {len(plain)} p-paths of {length}, a part for each, with the states '
                  'on runs that begin so', plain and ours == plain, (ours, plain))


section(parts)


# ---- one by one ----

def one_by_one():
    words = ('check', *SCHEDULING, '--split', 'always', '--split-depth', 2)
    _, whole = told('check', *SCHEDULING[:3], '--order', 'bfs')
    where = folder()
    result, claim = told(*words, '--freeze', where, '--part', 0)
    rows = claim['statistics']['parts_list']
    check('part 0 alone finds the others: status 3, and they wait',
          result.returncode == 3 and len(rows) > 3 and rows[0]['state'] == 'split'
          and all(row['state'] == 'waiting' and row['parent'] == 0 for row in rows[1:])
          and claim['statistics']['p_points'] == [f'task[{i}].run' for i in range(3)], rows)
    for number in random.Random(SEED).sample(range(1, len(rows)), len(rows) - 1):
        result, claim = told(*words, '--freeze', where, '--part', number)
    check('... and all of them, in any order, have the result of one search',
          result.returncode == 0 and not differs(claim, whole, result),
          differs(claim, whole, result))
    result, _ = told(*words[:-1], 1, '--freeze', where, '--resume')
    check('another depth is another search', result.returncode == 2, result.returncode)
    listed = run(*words, '-v').stdout
    check('-v lists parts with their p-paths',
          all(row['p_path'] in listed for row in rows) and 'first states' in listed, listed)


section(one_by_one)


# ---- kills and limits ----

def killed():
    rng = random.Random(f'prefixes killed {SEED}')
    words = ('check', *SCHEDULING, '--split', 'always', '--split-depth', 3)
    _, whole = told(*words)
    wrong, kills = [], 0
    for n in range(40 if LONG else 8):
        where = folder()
        for attempt in range(3):
            env = {'CAIRN_KILL_WRITE': str(rng.randint(1, 4))} if attempt < 2 else None
            result, claim = told(*words, '--freeze', where, '--resume', '--threads',
                                 rng.choice([1, 2]), program=DEGENERATE, env=env)
            kills += 'was killed' in result.stderr
        fault = differs(claim, whole, result)
        if fault or claim['statistics']['parts_list'][0]['p_path'] != '(none)':
            wrong.append(fault)
    check(f'{kills} times parts were killed: --resume has the result of an undisturbed run',
          kills and not wrong, wrong[:1])
    where = folder()
    result, claim = told('explore', *SCHEDULING[:1], '-D', 'n=6', *SCHEDULING[3:], '--split',
                         'always', '--split-depth', 3, '--freeze', where, '--time', '0.001')
    check('a time limit: status 3', result.returncode == 3 and not claim['complete'], claim)
    result, claim = told('explore', *SCHEDULING[:1], '-D', 'n=6', *SCHEDULING[3:], '--split',
                         'always', '--split-depth', 3, '--freeze', where, '--resume')
    _, whole = told('explore', *SCHEDULING[:1], '-D', 'n=6', '--order', 'bfs')
    check('... and --resume goes on', not differs(claim, whole, result),
          differs(claim, whole, result))


section(killed)


def little_memory():
    """A part that does not fit is divided by the states that it begins with; when that does not
    help, p-paths are searched one after the other, on disk."""
    model = ('examples/scheduling/scheduling.mil', '-D', 'n=6')
    _, whole = told('explore', *model, '--order', 'bfs')
    seen = set()
    for memory in ('6M', '2M', '900K'):
        result, claim = told('explore', *model, '--partition', 'run', '--split', 'always',
                             '--split-depth', 2, '--memory', memory)
        fault = differs(claim, whole, result)
        check(f'{memory}: complete, with the counts of one search',
              not fault and claim['complete'] and claim['peak_memory_bytes'] < 12 << 20,
              fault or claim and claim['assurance'])
        if claim:
            seen.add('parts' if 'parts' in claim['statistics'] else 'partitions')
    check('in parts, and on disk', seen == {'parts', 'partitions'}, seen)
    check('nothing is left behind', not os.listdir(own_temporary), os.listdir(own_temporary))


section(little_memory)

refuses('parts when memory is full', 'puts states on disk when memory is full', 'check',
        *SCHEDULING, '--split', 'auto')
refuses('too many p-paths', 'too many p-paths', 'check', *SCHEDULING, '--split', 'always',
        '--split-depth', 60)
refuses('files without parts', 'vanish with it', 'check', *SCHEDULING, '--freeze', folder())
finish()
