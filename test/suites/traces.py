"""Several runs of a property (--traces N): random models against all violating states that the
oracle finds: each run is one, the shortest come first, no two are alike, every nearest violating
state has its run; several threads, other orders, time; known answers; what is refused."""
import collections
import os
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, DEGENERATE, LONG, ROOT, SEED, Wrong, check, crashed, finish, path
from lib import refuses, run, section, told, write
from generate import generate
import oracle

PHILS = os.path.join(ROOT, 'examples/philosophers/phils.mil')
PETERSON = os.path.join(ROOT, 'examples/peterson/peterson.mil')
FISCHER = os.path.join(ROOT, 'examples/fischer/broken.fcr')
MANY = 1000
THREE = '''VARIABLES x : 3 := 0; END
ACTIONS direct; round; back; wait; END
GLOBAL CASE
  [direct] x == 0 : x := 4;
  [round] x == 0 : x := 1;
  [back] x == 1 : x := 5;
  [wait] x == 4 : x := 6;
END END
INVARIANTS low: x < 4; END
'''


def steps_of(trace):
    return collections.Counter((step['label'], step['process']) for step in trace['steps'][1:])


def alike(one, other):
    """The definition: the steps of one are among those of the other, and if they are the same, they
    lead to the same state."""
    mine, theirs = steps_of(one), steps_of(other)
    if mine == theirs:
        return one['steps'][-1]['state'] == other['steps'][-1]['state']
    return not mine - theirs or not theirs - mine


def wrong_runs(item, bad, distance, ordered=True):
    """bad: {state as a tuple: distance} of all states that violate it."""
    runs = item.get('traces')
    if not bad:
        return 'runs of what holds' if runs else ''
    if not runs:
        return 'no runs'
    if runs[0]['steps'] != item['trace']['steps']:
        return 'trace is not the first one'
    lengths = [len(trace['steps']) - 1 for trace in runs]
    if ordered and lengths != sorted(lengths):
        return f'not the shortest first: {lengths}'
    if any(alike(one, other) for i, one in enumerate(runs) for other in runs[:i]):
        return 'two runs are alike'
    ends = [tuple(trace['steps'][-1]['state'].values()) for trace in runs]
    if any(end not in bad for end in ends):
        return 'a run to a state that does not violate it'
    if ordered and any(bad[end] != length for end, length in zip(ends, lengths)):
        return 'a way that is not shortest'
    near = {state for state, far in bad.items() if far == distance}
    if ordered and not near <= set(ends):
        return f'{len(near)} nearest states, runs to {len(set(ends) & near)}'
    return ''


def violating(model, graph, name):
    """{state: distance} of what violates the property, or None: it cannot be evaluated."""
    if name == 'deadlock':
        found = [s for s, nexts in enumerate(graph.successors) if not nexts]
    else:
        f, atoms = next((f, atoms) for one, _, f, atoms in model.properties if one == name)
        try:
            found = [s for s in range(len(graph.states))
                     if not (f == ('true',) or atoms[f](graph.states[s]))]
        except ZeroDivisionError:
            return None
    return {graph.states[s]: graph.distance[s] for s in found}


def random_models():
    kinds = {kind: Wrong(f'random models: {kind}') for kind in ('bfs', 'dfs', 'best-first')}
    threads = Wrong('random models: two threads show what one shows')
    several = 0
    for seed in range(900 if LONG else 90):
        text = generate(8100000 + 1000 * SEED + seed, temporal=False, extensions=False)
        model, file = oracle.Model(text), write('traces.mil', text)
        graph = oracle.explore(model, 3000)
        if not graph.complete or any(graph.errors):
            continue
        for order, wrong in kinds.items():
            program = (CAIRN, DEGENERATE, ASAN)[seed % 3]
            words = ('check', file, '--traces', str(MANY), '--order', order, '--raw')
            result, ours = told(*words, program=program)
            if crashed(result) or not ours:
                wrong.add(f'{result.returncode} {result.stderr[-400:]}', file)
                continue
            if order == 'bfs':
                other = told(*words, '--threads', '2')[1]
                threads.add('' if other and other['properties'] == ours['properties'] else 'others',
                            file)
            for item in ours['properties']:
                if item['kind'] not in ('invariant', 'deadlock'):
                    continue
                bad = violating(model, graph, item['name'])
                if bad is None or len(bad) > MANY:
                    continue
                several += len(item.get('traces', ())) > 1
                wrong.add(wrong_runs(item, bad, min(bad.values(), default=0), order == 'bfs'), file)
    for kind in (*kinds.values(), threads):
        kind.close(least=30)
    check(f'{several} properties have several runs', several > 30)


def known():
    model = write('three.mil', THREE)
    result, ours = told('check', model, '-p', 'low', '--traces', '9')
    runs = ours['properties'][0]['traces']
    check('two runs: one directly, one on the other way; none that only goes on',
          [[step['label'] for step in trace['steps'][1:]] for trace in runs]
          == [['direct'], ['round', 'back']], runs)
    text = run('check', model, '-p', 'low', '--traces', '9').stdout
    check('in text', 'low is violated after 1 step:' in text
          and 'low is also violated after 2 steps:' in text, text)
    check('as many as are asked for',
          len(told('check', model, '-p', 'low', '--traces', '1')[1]['properties'][0].get('traces',
              [])) == 0
          and told('check', model, '-p', 'low', '--traces', '2')[1]['complete'] is False)
    _, ours = told('check', FISCHER, '--traces', '4')
    runs = [item for item in ours['properties'] if item['trace']][0]['traces']
    check('with time: dated runs', len(runs) == 4 and all(
        'date' in trace['steps'][1] for trace in runs), [len(trace['steps']) for trace in runs])
    _, ours = told('check', PETERSON, '--find', 'p[0].pc == waiting & p[1].pc == waiting', '-p',
                   'find[0]', '--traces', '5')
    check('what is sought: the same steps to two states',
          ours['properties'][0]['verdict'] == 'holds'
          and len(ours['properties'][0]['traces']) == 2, ours['properties'])
    saved = path('first.itf.json')
    run('check', model, '-p', 'low', '--traces', '9', '--trace', saved)
    check('the first one is saved', 'replays: 1 step' in run('replay', saved).stdout)


def refused():
    for words, why in ((('--engine', 'symbolic'), 'the symbolic one shows one run'),
                       (('--engine', 'bounded'), 'the bounded one shows one run'),
                       (('--partition', 'take_left'), 'remembers one violation'),
                       (('--freeze', path('frozen')), 'remembers one violation'),
                       (('--reduce', 'por'), 'a reduction leaves out'),
                       (('--first',), '--first ends the search')):
        refuses(f'--traces {" ".join(words[:2])}', why, 'check', PHILS, '--traces', '2', *words)
    refuses('--traces 0', 'a number from 1 to 1000', 'check', PHILS, '--traces', '0')


section(random_models)
section(known)
section(refused)
finish()
