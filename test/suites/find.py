"""Runs that are sought (--find), and best-first order, which goes for them: random models in every
order and engine against their invariants, runs replayed; a large space in which few states are
enough; what is asked beside; what is refused; little memory."""
import os
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, DEGENERATE, LONG, ROOT, SEED, Wrong, check, crashed, finish, path
from lib import refuses, run, section, told, write
from generate import generate

PHILS = os.path.join(ROOT, 'examples/philosophers/phils.mil')
FISCHER = os.path.join(ROOT, 'examples/fischer/broken.fcr')
ORDERS = {'bfs': ('--order', 'bfs'), 'dfs': ('--order', 'dfs'),
          'best-first': ('--order', 'best-first'), 'symbolic': ('--engine', 'symbolic'),
          'bounded': ('--engine', 'bounded', '--bound', '12'), 'auto': ()}
GRID = '''CONST n = 4;
LOCAL Counter
  ACTIONS up; down; END
  VARIABLES
    x : 4 := 0;
  END
  CASE
    [up]   x < 15 : x := x + 1;
    [down] x > 0  : x := x - 1;
  END
END
MAIN
  PROC
    c : Counter[n];
  END
END
'''


def replays(model, words, program=CAIRN):
    """Whether the run that a search saves is one."""
    saved = path('found.itf.json')
    run('check', model, *words, '--trace', saved, program=program)
    again = run('replay', saved)
    return again.returncode == 0 and 'It was saved for find[0]' in again.stdout


def wrong_answer(invariant, ours, status, order):
    """What is wrong with what is told of --find '!(invariant)', beside the invariant's verdict."""
    found = [p for p in ours['properties'] if p['name'] == 'find[0]']
    if len(found) != 1 or found[0]['kind'] != 'reach':
        return f'no find[0]: {ours["properties"]}'
    expected = {'violated': 'holds', 'holds': 'violated', 'unknown': 'unknown'}
    verdict = found[0]['verdict']
    if verdict == 'unknown' and (order == 'bounded' or invariant['verdict'] == 'unknown'):
        return '' if status in (1, 3) else f'status {status} though it is unknown'
    if verdict != expected[invariant['verdict']]:
        return f'{verdict}, and the invariant is {invariant["verdict"]}'
    if verdict == 'holds' and not found[0].get('trace'):
        return 'no run'
    if verdict == 'holds' and order == 'bfs':
        ways = [len(each['trace']['steps']) for each in (found[0], invariant)]
        if ways[0] != ways[1]:
            return f'{ways[0]} states in the run instead of {ways[1]}'
    return ''


def random_models():
    kinds = {order: Wrong(f'random models: {order}') for order in ORDERS}
    runs = Wrong('random models: runs replay')
    for seed in range(600 if LONG else 60):
        model = write('find.mil', generate(7000000 + 1000 * SEED + seed, temporal=False))
        _, plain = told('check', model, '--order', 'bfs')
        invariants = [p for p in (plain or {}).get('properties', ()) if p['kind'] == 'invariant']
        for invariant in invariants[:1]:
            sought = ('--find', f'!({invariant["text"]})', '-p', 'find[0]')
            for order, words in ORDERS.items():
                program = (CAIRN, DEGENERATE, ASAN)[seed % 3]
                result, ours = told('check', model, *words, *sought, program=program)
                if crashed(result) or not ours:
                    kinds[order].add(f'{result.returncode} {result.stderr[-400:]}', model)
                    continue
                kinds[order].add(wrong_answer(invariant, ours, result.returncode, order), model)
            if invariant['verdict'] == 'violated':
                runs.add('' if replays(model, (*ORDERS['best-first'], *sought)) else 'no', model)
    for kind in (*kinds.values(), runs):
        kind.close(least=10)


def same_states():
    """All states when nothing is found, and when it is asked on."""
    wrong = Wrong('best-first: the counts of breadth-first')
    for seed in range(300 if LONG else 40):
        model = write('find.mil', generate(7500000 + 1000 * SEED + seed))
        answers = [told('check', model, '--order', order, program=DEGENERATE if seed % 4 else ASAN)
                   for order in ('bfs', 'best-first')]
        keys = ('complete', 'states', 'transitions', 'initial_states', 'deadlocks')
        if any(crashed(result) or not ours for result, ours in answers):
            wrong.add(answers[1][0].stderr[-500:] or 'no result', model)
            continue
        (first, plain), (second, best) = answers
        facts = [[each[key] for key in keys] + [(p['name'], p['verdict'])
                                                for p in each['properties']]
                 for each in (plain, best)]
        differs = facts[0] != facts[1] or first.returncode != second.returncode
        wrong.add(f'{facts[1]} instead of {facts[0]}' if differs and plain['complete'] else '',
                  model)
    wrong.close(least=20)


def large_space():
    """What is sought is far from the start: 65,536 states, of which few are on the way."""
    model = write('grid.mil', GRID)
    goals = {' & '.join(f'c[{i}].x == 15' for i in range(4)): 60,
             'c[0].x >= 14 & !(c[1].x <= 13 | c[2].x < 14)': 42,
             'c[0].x + c[1].x + c[2].x + c[3].x == 60': 60}
    for goal, steps in goals.items():
        claims = {order: told('check', model, '--find', goal, '--order', order)[1]
                  for order in ('bfs', 'best-first')}
        best, plain = claims['best-first'], claims['bfs']
        check(f'{goal}: few states', best['states'] * 20 < plain['states'],
              f'{best["states"]} and {plain["states"]}')
        check(f'{goal}: it holds', best['verdict'] == plain['verdict'] == 'holds')
        check(f'{goal}: not complete', not best['complete'])
        for claim in claims.values():
            run_of = claim['properties'][0]['trace']['steps']
            check(f'{goal}: a shortest run', len(run_of) == steps + 1, len(run_of))
        check(f'{goal}: its run replays', replays(model, ('--find', goal, *ORDERS['best-first'])))
    result, none = told('check', model, '--find', 'c[0].x == 7 & c[0].x == 8',
                        *ORDERS['best-first'])
    check('there is none: status 1, complete', result.returncode == 1 and none['complete']
          and none['states'] == 65536, none)


def asked_beside():
    """Deadlocks are not asked when only runs are; run-time errors are no reason to go on."""
    model = write('grid.mil', GRID)
    result, ours = told('check', model, '--find', 'c[0].x == 3')
    check('--find alone: no deadlock', [p['name'] for p in ours['properties']]
          == ['find[0]', 'runtime-error'], ours['properties'])
    check('--find alone: status 0', result.returncode == 0 and not ours['complete'])
    for more, names in ((('--invariant', 'true'), {'deadlock', 'invariant[0]'}),
                        (('--find', 'false'), {'find[1]'}), (('-p', 'deadlock'), {'deadlock'})):
        _, ours = told('check', model, '--find', 'c[0].x == 3', *more)
        found = {p['name'] for p in ours['properties']} - {'runtime-error'}
        check(f'--find and {more}', found == names | {'find[0]'}, found)
    _, ours = told('check', PHILS, '-Dn=4', '--find', 'phil[0].pc == eating', '-p', 'find[0]')
    check('of a model with properties', ours['verdict'] == 'holds', ours['verdict'])
    _, ours = told('check', FISCHER, '--find', 'true')
    found = {p['name']: p['verdict'] for p in ours['properties']}
    check('with time', found['find[0]'] == 'holds', found)
    told_by = run('simulate', model, '--find', 'c[0].x == 2', '--steps', 500, '--seed', 1)
    check('simulated', told_by.returncode == 0 and 'find[0] is reached' in told_by.stdout,
          told_by.stdout[-400:])
    text = run('check', model, '--find', 'c[0].x == 2', '--order', 'best-first').stdout
    check('in words', 'find[0] is reached after 2 steps' in text and ', best-first,' in text, text)


def refused():
    model = write('grid.mil', GRID)
    refuses('no temporal operators', 'temporal', 'check', model, '--find', 'F c[0].x == 1')
    refuses('no temporal operators (Fiacre)', 'has no temporal operators', 'check', FISCHER,
            '--find', '[] true')
    refuses('a mistake has its place', '--find:1:', 'check', model, '--find', 'c[0].y == 1')
    for words in (('--engine', 'symbolic'), ('--bound', 3), ('--reduce', 'por'),
                  ('--partition', 'auto'), ('--engine', 'timed'), ('--freeze', path('f'))):
        refuses(f'best-first and {words}', 'error', 'check', model, '--order', 'best-first', *words)
    refuses('best-first and time', 'only the timed engine knows time', 'check', FISCHER,
            '--order', 'best-first')


def little_memory():
    """A search that memory ends says so, and keeps what was found."""
    model = write('grid.mil', GRID)
    words = ('check', model, '--order', 'best-first', '--invariant', 'c[0].x < 5')
    for program in (CAIRN, DEGENERATE):
        result, ours = told(*words, '--memory', '600K', program=program)
        check(f'little memory: {os.path.basename(os.path.dirname(program))}',
              not crashed(result) and result.returncode == 1 and not ours['complete'],
              f'{result.returncode} {result.stderr[-500:]}')
    for number in range(1, 400, 1 if LONG else 7):
        result = run('check', write('small.mil', GRID.replace('n = 4', 'n = 2')), '--find',
                     'c[0].x == 3 & c[1].x > 3', '--order', 'best-first', program=ASAN,
                     env={'CAIRN_FAIL_ALLOCATION': str(number)})
        if crashed(result) or result.returncode not in (0, 3):
            check(f'allocation {number} refused', False, f'{result.returncode} {result.stderr}')
    check('allocations were refused', True)


section(random_models)
section(same_states)
section(large_space)
section(asked_beside)
section(refused)
section(little_memory)
finish()
