"""Past-freeze order in the timed engine: random timed models with a rank against breadth-first
search, landing gear and device login with contexts, limits, what is refused.

A random model is two cyclic timed processes beside a random acyclic automaton whose states are
numbered topologically: the rank. With `--zones equal` every count must be that of breadth-first
search; by inclusion discrete states and verdicts. Every violation has a trace, which replays.
"""
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, ROOT, SEED, check, crashed, finish, path, refuses,
                 run, section, told, write)
from timed_ranks import line, random_model

PAST = ('--order', 'past-freeze')


def essence(claim, equal):
    """What must not depend on the order. A search that ends early because everything is decided has
    verdicts only."""
    statistics = claim['statistics']
    if statistics['stop']:
        return {'verdicts': [(p['name'], p['verdict']) for p in claim['properties']],
                'stop': statistics['stop']}
    keys = {'discrete': statistics['discrete_states'], 'initial': claim['initial_states'],
            'silent': (statistics['rules_never_taken'], statistics['locations_never_reached']),
            'complete': claim['complete'], 'extrapolation': statistics['extrapolation'],
            'errors': (statistics.get('runtime_errors') or 0) > 0,
            'dead': claim['deadlocks'] and claim['deadlocks'] > 0,
            'ends': (statistics.get('ends') or 0) > 0,
            'properties': [(p['name'], p['verdict'], p.get('vacuous'), p.get('reason'))
                           for p in claim.get('properties', [])]}
    if equal:
        keys['counts'] = (claim['states'], claim['transitions'], claim['deadlocks'],
                          statistics.get('ends'), statistics.get('runtime_errors'),
                          statistics['covered'])
    return keys


def differs(past, bfs, equal, result):
    if past is None or bfs is None or past.get('engine') != 'timed' or bfs.get('engine') != 'timed':
        return f'no object: {result.returncode} {result.stderr[-600:]}'
    one, two = essence(past, equal), essence(bfs, equal)
    return ('' if one == two
            else str(
        {key: (one.get(key), two.get(key)) for key in {**one, **two}
         if one.get(key) != two.get(key)}))


def check_clusters(past):
    statistics = past['statistics']
    if not past['complete'] or 'cluster_sizes' not in statistics:
        return ''
    sizes = dict(map(tuple, statistics['cluster_sizes']))
    if (sum(sizes.values()) != past['states'] or len(sizes) != statistics['clusters']
        or statistics['clusters_finished'] != len(sizes)):
        return f'sizes {sizes}, {past["states"]} states'
    if statistics['freed_states'] != past['states'] - (sizes[max(sizes)] if sizes else 0):
        return f'freed {statistics["freed_states"]}'
    return ('' if statistics['live_states_peak'] >= max(sizes.values(), default=0)
            else 'fewer at once than in one cluster')


def replays(name):
    return run('replay', name).returncode == 0


seen = {'violated': 0, 'exact': 0, 'traces': 0, 'states': 0}


def random_runs(program, count, name, rng):
    wrong = []
    for n in range(count):
        text = random_model(rng)
        model = write('random.cairn', text)
        timed = ('--engine', 'timed')
        for equal in (True, False):
            zones = ('--zones', 'equal' if equal else 'inclusion')
            usual, bfs = told('check', model, *timed, *zones)
            itf = path('past.itf.json')
            if os.path.exists(itf):
                os.remove(itf)
            result, past = told('check', model, *timed, *zones, *PAST, '--trace', itf,
                                program=program)
            fault = ('crash ' + result.stderr[-500:] if crashed(result)
                     else differs(past, bfs, equal, result) or check_clusters(past))
            if not fault and result.returncode != usual.returncode:
                fault = f'status {result.returncode}, not {usual.returncode}'
            if (not fault
                and any(p['verdict'] == 'violated' and p['kind'] != 'ctl' and not p['trace']
                        for p in past['properties'])):
                fault = 'a violation without a trace'
            if not fault and os.path.exists(itf) and not replays(itf):
                fault = 'the trace does not replay'
            if not fault:
                seen['violated'] += any(p['verdict'] == 'violated' for p in past['properties'])
                seen['exact'] += past['statistics']['extrapolation'] == 'M+'
                seen['traces'] += os.path.exists(itf)
                seen['states'] += past['states']
            explored, past = told('explore', model, *timed, *zones, *PAST, program=program)
            _, bfs = told('explore', model, *timed, *zones)
            fault = (fault
                     or ('crash ' + explored.stderr[-500:] if crashed(explored)
                         else differs(past, bfs, equal, explored) or check_clusters(past)))
            if fault:
                wrong.append(f'model {n}, {zones[1]}: {fault}\n{text}')
    check(f'{name}: {count} random timed models, breadth-first against past-freeze, equal zones '
          f'and inclusion', not wrong, f'{len(wrong)} wrong: {wrong[:1]}')


rng = random.Random(f'past timed {SEED}')
section(random_runs, CAIRN, 500 if LONG else 30, 'release', rng)
section(random_runs, DEGENERATE, 300 if LONG else 12, 'degenerate', rng)
# The degenerate program has the sanitizers, too.
if LONG:
    section(random_runs, ASAN, 100, 'sanitized', rng)
check('... and they say something', min(seen.values()) > 5 and seen['states'] > 2000, seen)

# ---- a rank that becomes smaller ----

wrong, ended = [], 0
for n in range(100 if LONG else 25):
    model = write('wrong.cairn', random_model(rng, wrong=True))
    _, bfs = told('check', model, '--engine', 'timed')
    result, past = told('check', model, '--engine', 'timed', *PAST, program=DEGENERATE)
    met = past and past['statistics']['stop'] and 'rank smaller' in past['statistics']['stop']
    ended += bool(met)
    bad = ([p for p, q in zip(past['properties'], bfs['properties'])
            if p['verdict'] not in ('unknown', q['verdict'])] if past else ['none'])
    if (bad or crashed(result) or (met and past['complete'])
        or (not met and differs(past, bfs, False, result))):
        wrong.append((result.returncode, result.stderr[-300:], bad))
check('a rank that is wrong ends the search without a wrong verdict', ended and not wrong,
      wrong[:1] or ended)

# ---- a line of events, with time ----

LINE = write('line.cairn', line(1000, 2))
result, claim = told('explore', LINE, *PAST)
check('a line of 1,000 events needs two clusters',
      claim and claim['complete'] and claim['statistics']['live_clusters_peak'] == 2
      and claim['statistics']['clusters'] == 1001, claim and claim['statistics'])
check('... and frees over 99% of its states',
      claim and claim['statistics']['freezability'] > 0.99
      and claim['statistics']['relative_progress'] == 1, claim and claim['statistics'])
MIDDLE = write('middle.cairn', line(200, 2))
_, bfs = told('check', MIDDLE, '--zones', 'equal')
result, past = told('check', MIDDLE, '--zones', 'equal', *PAST, '--trace', path('middle.itf.json'))
check('a line with more states', past and not differs(past, bfs, True, result),
      differs(past, bfs, True, result))
check('... in much less memory', past and past['peak_memory_bytes'] * 3 < bfs['peak_memory_bytes'],
      past and (past['peak_memory_bytes'], bfs['peak_memory_bytes']))
check('... with a run through all clusters that replays',
      past and replays(path('middle.itf.json'))
      and len(past['properties'][0]['trace']['steps']) > 200)
shown = run('explore', MIDDLE, *PAST, '-v')
check('the text report has clusters and their sizes',
      'clusters' in shown.stdout and 'cluster sizes' in shown.stdout
      and 'rank by rank' in shown.stdout and 'depth' not in shown.stdout, shown.stdout)

# ---- limits ----

outcomes = set()
most = past['peak_memory_bytes'] if past else 0
for share in range(30, 101, 2):
    result, claim = told('check', MIDDLE, '--zones', 'equal', *PAST, '--memory',
                         f'{most * share // 100}', program=CAIRN)
    if crashed(result) or not claim or 'properties' not in claim:
        check(f'{share}% of the memory', result.returncode == 3 and not crashed(result),
              (result.returncode, result.stderr[-300:]))
        continue
    end = claim['properties'][0]
    kind = 'all' if end['trace'] else 'state' if end['verdict'] == 'violated' else 'unknown'
    good = {'all': claim['states'] == past['states'],
            'state': 'state' in end and 'forgotten' in end['reason']
            and claim['states'] <= past['states'],
            'unknown': result.returncode == 3 and not claim['complete']
            # one that could not begin has none
            and claim['statistics'].get('relative_progress', 0) < 1}[kind]
    check(f'{share}% of the memory: {kind}', good, (result.returncode, claim['statistics'], end))
    outcomes.add(kind)
check('little memory: first runs are forgotten, then the search ends',
      outcomes == {'all', 'state', 'unknown'}, outcomes)
result, claim = told('explore', write('long.cairn', line(100000, 2)), *PAST, '--time', '0.3s')
check('a time limit: unknown, and how far it came',
      result.returncode == 3 and claim and 0 < claim['statistics']['relative_progress'] < 1
      and 'ranks are done' in claim['assurance'], claim and claim['assurance'])
model, wrong, endings, number = write('small.cairn', line(5, 2)), [], {'all': 0, 'state': 0,
        'unknown': 0, 'nothing': 0}, 0
undisturbed = 0
_, whole = told('check', model, *PAST)
while undisturbed < 30 and number < 20000:   # until there are no more allocations
    number += 1 if LONG else 3
    result, claim = told('check', model, *PAST, program=DEGENERATE,
                         env={'CAIRN_FAIL_ALLOCATION': str(number)})
    if crashed(result) or result.returncode not in (1, 3):
        wrong.append((number, result.returncode, result.stderr[-400:]))
        continue
    end = claim['properties'][0] if claim and 'properties' in claim else None
    kind = ('nothing' if not end else 'all' if end['trace'] else 'state'
            if end['verdict'] == 'violated' else 'unknown')
    endings[kind] += 1
    undisturbed = undisturbed + 1 if kind == 'all' else 0
    if (kind in ('all', 'state')
        and (claim['states'], claim['transitions']) != (whole['states'], whole['transitions'])
        or (kind == 'state' and 'forgotten' not in end['reason'])):
        wrong.append((number, kind, claim))
check('the n-th allocation fails: a result without its run, or none',
      not wrong and endings['state'] > 10 and endings['nothing'] > 10, (endings, wrong[:1]))

# ---- what is refused ----


refuses('a translation', 'past-freeze', 'translate', MIDDLE, *PAST, '--to', 'dot')
refuses('--bound', '--bound', 'check', MIDDLE, *PAST, '--bound', '3')
refuses('LTL', 'whole graph', 'check', MIDDLE, *PAST, '-p', 'deadlock', '--ltl',
        '(globally (finally (eq "x0" 0)))', status=3)
refuses('a timed model without a rank', '--context', 'check', 'examples/train-gate/restarted.fcr',
        *PAST)

# ---- examples with contexts ----

LANDING = os.path.join(ROOT, 'examples/landing-gear/landing.fcr')
CONTEXTS = os.path.join(ROOT, 'examples/landing-gear/contexts.cdl')
for zones in ('equal', 'inclusion'):
    arguments = ('check', LANDING, '--context', CONTEXTS + ':nominal', '-D', 'handles=2', '--zones',
                 zones)
    _, bfs = told(*arguments)
    result, past = told(*arguments, *PAST)
    check(f'landing gear, two moves of the handle, {zones}',
          past and not differs(past, bfs, zones == 'equal', result) and not check_clusters(past),
          differs(past, bfs, zones == 'equal', result))
LOGIN = os.path.join(ROOT, 'examples/device-login')
for context in ('deadline1', 'deadline2'):
    for zones in ('equal', 'inclusion'):
        arguments = ('check', f'{LOGIN}/timed.fcr', '--context', f'{LOGIN}/contexts.cdl:{context}',
                     '--zones', zones)
        _, bfs = told(*arguments)
        result, past = told(*arguments, *PAST)
        check(f'device login, {context}, {zones}',
              past and not differs(past, bfs, zones == 'equal', result)
              and not check_clusters(past), differs(past, bfs, zones == 'equal', result))
result, past = told('check', LANDING, '--context', CONTEXTS + ':nominal', '-D', 'handles=2', '-D',
                    'patient=0', '-p', 'R11', *PAST, '--trace', path('landing.itf.json'))
check('landing gear with a mistake: R11 is violated',
      result.returncode == 1 and past['properties'][0]['verdict'] == 'violated'
      and past['properties'][0]['trace'], past and past['properties'])
check('... by a run that replays', replays(path('landing.itf.json')))
finish()
