"""The timed engine: timed automata with published sizes, random timed Fiacre programs against the
independent exploration by regions, untimed models against the explicit engine, traces with delays
and what replay says to wrong ones, LTL, limits, options. Random models in C are in
test/unit/timed.c."""
import json
import os
import random
import re
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from fractions import Fraction
from lib import (ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, at_work, check, crashed,
                 finish, path, run, run_json, write)
from automata import csmacd, fischer, network, process, train_gate
from fiacre.generate_timed import draw


def size(text, zones, *more):
    """States and transitions of the zone graph, without looking for stuck states: these need other
    zones."""
    model = write('model.cairn', text)
    _, result = run_json('check', model, '--no-deadlock', '--invariant', 'true', '--zones', zones,
                         *more)
    return (result['states'], result['transitions']) if result and result['complete'] else result


# ---- published sizes (TChecker, zones with local LU extrapolation) ----

for name, text, equal, included in (('fischer 3', fischer(3), (71, 126), 65),
                                    ('csmacd 3', csmacd(3), (391, 757), 70),
                                    ('train gate 2', train_gate(2), (56, 84), None),
                                    ('train gate 3', train_gate(3), (765, 1503), None)):
    got = size(text, 'equal')
    check(f'{name}: the zone graph has the published size', got == equal, got)
    got = size(text, 'inclusion')
    check(f'{name}: with inclusion', included is None or got[0] == included, got)

# ---- Fischer ----

for n in range(2, 8 if LONG else 7):
    model = write('fischer.cairn', fischer(n))
    status, result = run_json('check', model)
    check(f'fischer {n} holds',
          status == 0 and result['verdict'] == 'holds' and result['complete']
          and result['engine'] == 'timed', result)
    check(f'fischer {n}: no zone of a discrete state lies outside another',
          result['states'] == result['statistics']['discrete_states'], result['statistics'])
    if n <= 5:
        status, small = run_json('check', model, program=DEGENERATE)
        check(f'fischer {n}, degenerate',
              small
              and (small['states'], small['transitions'])
              == (result['states'], result['transitions']), small)
    broken = write('broken.cairn', fischer(n, strict=False))
    status, result = run_json('check', broken, '--trace', path('broken.itf.json'))
    check(f'fischer {n} is broken when waiting as long is enough',
          status == 1 and result['properties'][0]['verdict'] == 'violated', result)
    steps = result['properties'][0]['trace']['steps']
    delays = [step['delay'] for step in steps[1:]]
    check(f'fischer {n}: the shortest way',
          len(steps) == 7 and sum(Fraction(d) for d in delays) == 20, delays)
    check(f'fischer {n}: it replays',
          run('replay', path('broken.itf.json'), '-q').stdout.endswith('It violates p0.\n'))

# ---- timed Fiacre against regions ----


def initial(result):
    return result['initial_states'], result['statistics']['discrete_states']


for seed in range(1 + 1000 * SEED, 1 + 1000 * SEED + (400 if LONG else 16)):
    text, expected = draw(seed)
    model = write('random.fcr', text)
    for program, zones in ((CAIRN, 'inclusion'), (CAIRN, 'equal'),
                           (DEGENERATE, 'inclusion'))[:3 if seed % 4 == 0 else 2]:
        status, result = run_json('explore', model, '--engine', 'timed', '--zones', zones,
                                  program=program)
        name = f'timed Fiacre, seed {seed}, {zones}'
        if status == 2 and 'too many to try' in run('explore', model).stderr:
            break # the reader gives up where the oracle tries all values
        if not check(f'{name}: complete', result and result['complete'], status):
            continue
        check(f'{name}: discrete states',
              initial(result) == (expected['initial_states'], expected['discrete_states']),
              (initial(result), expected['discrete_states']))
        check(f'{name}: deadlocks', (result['deadlocks'] > 0) == (expected['deadlocks'] > 0),
              result['deadlocks'])
    if expected['deadlocks']:
        trace = path('random.itf.json')
        result = run('check', model, '-p', 'deadlock', '-q', '--trace', trace)
        replayed = run('replay', trace, '-q')
        check(f'seed {seed}: the deadlock replays',
              result.returncode == 1 and 'It violates deadlock.' in replayed.stdout,
              result.stderr + replayed.stdout + replayed.stderr)

# ---- which paths share a clock ----

MANY = ' '.join(f't{i} := any;' for i in range(12))
ANY = """process P is
states a, b
var {names} : bool := false, k : 0..1 := 0, other : 0..3 := 0
from a {body}
from b wait [2,3]; to a
component Main is par P end
Main
"""
for name, body, clocks in (('any alone', 'wait [1,1]; t0 := any; t1 := any; t2 := any; to b', 1),
                           ('any in an if',
                            f'wait [1,1]; if k < 1 then {MANY} k := k + 1 end; to b', 1),
                           ('a condition after any',
                            'wait [1,1]; t0 := any; t1 := any; t2 := any; on k < 1; to b', 1),
                           ('an if after any',
                            'wait [1,1]; t0 := any; t1 := any; if k < 1 then to b else to a end',
                            1),
                           ('a step that may fail',
                            'wait [1,1]; t0 := any; t1 := any; other := other + 1; to b', 1),
                           ('a condition of the chosen value',
                            'wait [1,1]; other := any where other <> k; to b', 3),
                           ('the path ends in loop', 'wait [1,1]; other := any; loop', 4)):
    model = write('any.fcr', ANY.format(names=', '.join(f't{i}' for i in range(12)), body=body))
    status, result = run_json('explore', model, '--memory', '200M')
    got = result and result['statistics']['most_clocks']
    check(f'{name}: {clocks} clocks', result and result['complete'] and got == clocks,
          (status, got))
status, result = run_json('explore', os.path.join(ROOT, 'test/regress/timed-any-one-clock.fcr'))
check('two processes that choose: two clocks',
      result['complete'] and result['statistics']['most_clocks'] == 2, result['statistics'])

status, result = run_json('check', os.path.join(ROOT, 'test/regress/timed-stores-decide.cairn'),
                          '-p', 'never')
check('what is stored decides about timers, too', status == 0 and result['states'] == 3, result)

# ---- untimed models: the explicit engine ----

KEYS = ('states', 'transitions', 'initial_states', 'deadlocks', 'depth')
for example in ('peterson/peterson.mil', 'philosophers/phils.mil', 'producer-consumer/pc.mil',
                'running/running.mil', 'szymanski/szymanski.mil'):
    model = os.path.join(ROOT, 'examples', example)
    _, one = run_json('check', model, '--engine', 'explicit')
    _, other = run_json('check', model, '--engine', 'timed')
    for p, q in zip(one['properties'], other['properties']):
        if q['verdict'] == 'unknown':
            check(f'{example} {q["name"]}: only CTL is left out',
                  q['kind'] == 'ctl' and 'reachability' in q['reason'], q)
        else:
            check(f'{example} {q["name"]}: as the explicit engine', p['verdict'] == q['verdict'],
                  (p['verdict'], q['verdict']))
    _, one = run_json('explore', model, '--engine', 'explicit')
    _, other = run_json('explore', model, '--engine', 'timed')
    check(f'{example}: the same counts', [one[k] for k in KEYS] == [other[k] for k in KEYS],
          [other[k] for k in KEYS])

# ---- formulas ----

LAMP = write('lamp.cairn', network('lamp', [
    process('lamp', ['off', ('dim', '"x" <= 10'), 'bright'],
            [('off', 'dim', 'press', {'reset': ['x']}),
             ('dim', 'bright', 'press', {'guard': ['"x" < 5']}),
             ('dim', 'off', 'press', {'guard': ['"x" >= 5']}),
             ('bright', 'off', 'press')])], ['x']))


def verdict(kind, formula, model=LAMP):
    _, result = run_json('check', model, '--no-deadlock', f'--{kind}', formula)
    entry = result['properties'][0]
    return entry['verdict'], entry


for kind, formula, expected in (('ctl', '(exists (finally (eq "lamp.pc" 2)))', 'holds'),
                                ('ctl', '(not (exists (finally (eq "lamp.pc" 2))))', 'violated'),
                                ('ctl', '(all (globally (lt "lamp.pc" 2)))', 'violated'),
                                ('ctl', '(not (all (globally (lt "lamp.pc" 3))))', 'violated'),
                                ('ctl', '(all (finally (eq "lamp.pc" 2)))', 'unknown'),
                                ('invariant', '(lt "lamp.pc" 3)', 'holds'),
                                ('ltl', '(globally (finally (eq "lamp.pc" 0)))', 'holds'),
                                ('ltl', '(globally (finally (eq "lamp.pc" 2)))', 'violated'),
                                ('ltl', '(finally (eq "lamp.pc" 1))', 'holds'),
                                ('ltl', '(next (eq "lamp.pc" 1))', 'holds'),
                                ('ltl', '(globally (implies (eq "lamp.pc" 2) (next (eq "lamp.pc" '
                                 '0))))', 'holds')):
    got, entry = verdict(kind, formula)
    check(f'{formula} is {expected}', got == expected, entry)
    if kind == 'ltl' and expected == 'violated':
        check(f'{formula}: the run has delays and a loop',
              entry['trace']['loop'] is not None and 'wait' in entry['trace']
              and all('delay' in s for s in entry['trace']['steps'][1:]), entry)

# ---- traces ----

TRACE = path('lamp.itf.json')
result = run('check', LAMP, '--no-deadlock', '--invariant', '(or (ne "lamp.pc" 0) true)',
             '--invariant', '(ne "lamp.pc" 2)', '--trace', TRACE)
check('a timed trace in text', 'at 0' in result.stdout and result.returncode == 1, result.stdout)
with open(TRACE, encoding='utf-8') as file:
    itf = json.load(file)
check('delays in ITF', [state['#meta'].get('delay') for state in itf['states']] == [None, 0, 0],
      itf)


def replay(name, change, message):
    changed = json.loads(json.dumps(itf))
    change(changed['states'])
    result = run('replay', write('changed.itf.json', json.dumps(changed)), '--model', LAMP)
    good = (result.returncode == (2 if message else 0)
            and (message or 'The trace replays') in result.stdout + result.stderr)
    check(f'replay: {name}', good and not crashed(result),
          f'{result.returncode} {result.stdout} {result.stderr}')


def delay(state, value):
    return lambda states: states[state]['#meta'].update(delay=value)


replay('as saved', lambda states: None, '')
replay('other delays that are possible',
       lambda states: (delay(1, '7/2')(states), delay(2, '4.999')(states)), '')
replay('too late for the second press', delay(2, 5),
       'step 2 does not lead to the state that the trace gives')
replay('too late for the invariant', delay(2, '21/2'),
       'step 2 is not possible in the model after its delay')
replay('a negative delay', delay(1, -1), 'a delay is not a time')
replay('not a time', delay(1, 'soon'), 'a delay is not a time')
replay('divided by zero', delay(1, '1/0'), 'a delay is not a time')
replay('a huge denominator',
       lambda states: (delay(1, '1/9007199254740993')(states),
                       delay(2, '1/9007199254740997')(states)), 'too many digits')
replay('a huge delay', delay(1, '9223372036854775807'), 'step 1 is not possible')
replay('no delay', lambda states: states[1]['#meta'].pop('delay'), 'a step has no delay')
replay('a wait that lasts too long',
       lambda states: (states.pop(), states[1]['#meta'].update(wait=11)),
       'the last state does not last as long')
replay('a wait', lambda states: (states.pop(), states[1]['#meta'].update(wait='19/2')), '')

# A stuck state that waiting brings about: the wait is in the result.
STUCK = write('stuck.cairn',
              network('stuck',
                      [process('p', ['a', 'b'],
                               [('a', 'b', 'go', {'guard': ['"x" <= 2']}),
                                ('b', 'a', 'back', {'reset': ['x']})])], ['x']))
status, result = run_json('check', STUCK)
trace = result['properties'][0]['trace']
check('stuck after waiting',
      status == 1 and trace['wait'] == '5/2' and len(trace['steps']) == 1
      and result['statistics']['extrapolation'] == 'M+', trace)
result = run('check', STUCK)
check('stuck after waiting, in text',
      'then 5/2 passes, until 5/2' in result.stdout and 'x <= 2 is false: x = 5/2' in result.stdout,
      result.stdout)
check('nobody asked',
      run_json('check', STUCK, '--no-deadlock', '--invariant', 'true')[1]['deadlocks'] is None)

# ---- conditions, bounds that vary, differences, clocks set by code, urgency ----

WHOLE = '''cairn 1 model "whole" ranged clock "x" init 1 clock "y"
process "p" type "P" pc "pc"
  location 0 "wait" location 1 "late" urgent location 2 "done" location 3 "never"
variable "pc" of "p" 0..3 = 0 variable "n" 0..4 = 3
variable "y.set" hidden sets "y" -1..4 = -1
stays "p" 0 invariant "x" <= (add 0 "n" 3) invariant "y" <= 1 if (eq "n" 0)
rule "go" urgent part "p" when (eq "pc" 0) guard "x" >= "n" guard "x" - "y" <= 1 if (gt "n" 1)
  set "pc" 1 set "y.set" (sub 0 "n" 1) reset "x" 5
rule "slow" part "p" when (eq "pc" 0) guard "x" > "n" set "pc" 3
rule "end" part "p" when (eq "pc" 1) guard "x" - "y" = 3 set "pc" 2
rule "rest" part "p" when (eq "pc" 2)
property "never" invariant formula (ne "pc" 3)
property "done" invariant formula (ne "pc" 2)
'''
whole = write('whole.cairn', WHOLE)
for extra in ((), ('--zones', 'equal'), ('--threads', 2)):
    status, result = run_json('check', whole, *extra)
    verdicts = {p['name']: p['verdict'] for p in result['properties']}
    check(f'all of timed automata {extra}',
          verdicts == {'never': 'holds', 'done': 'violated', 'deadlock': 'holds',
                       'runtime-error': 'holds'} and not result['statistics'].get('stop'), verdicts)
    trace = next(p['trace'] for p in result['properties'] if p['name'] == 'done')
    check(f'all of timed automata, dates {extra}',
          [step.get('delay') for step in trace['steps'][1:]] == [2, 0], trace)
result = run('check', write('set.cairn', WHOLE.replace('"y" = 3', '"y" = 2')))
check('a difference that is never so',
      'violated  deadlock' in result.stdout
      and 'x - y <= 2 is false: x = 5, y = 2' in result.stdout,
      result.stdout)
HIDDEN = '''cairn 1 model "hidden" clock "x"
variable "n" 0..2 = 0 variable "h" hidden 0..3 = 0
rule "a" part global guard "x" >= 1 reset "x" set "h" "n" do
  if (lt "h" 2) set "h" (within range 0..3 (add 0 "h" 1)) set "n" (within range 0..2 "h") end end
property "small" invariant formula (lt "n" 2)
'''
status, result = run_json('check', write('hidden.cairn', HIDDEN))
check('a hidden variable that is assigned before it is read',
      result and result['properties'][0]['verdict'] == 'violated'
      and result['discrete_states' if 'discrete_states' in result else 'states'] >= 3
      and result['statistics']['coverage_guaranteed'], result)
result = run('check', write('hidden.cairn', HIDDEN.replace('set "h" "n" do', 'do')))
check('one that is not is refused',
      result.returncode == 2 and 'influence what can be seen' in result.stderr, result.stderr)

for name, text, message in (
    ('a bound that may be too long',
     WHOLE.replace('"n" 0..4', '"n" 0..1073741823').replace('(sub 0 "n" 1)', '2'),
     'may have more than 2^30 ticks'),
    ('a difference that varies too much',
     WHOLE.replace('"n" 0..4', '"n" 0..5000').replace('(sub 0 "n" 1)', '2').replace(
         '"x" - "y" = 3', '"x" - "y" <= "n"'),
     'one of more than 4,096 numbers'),
    ('two times that are too long together',
     WHOLE.replace('reset "x" 5', 'reset "x" 1000000000').replace('"y" = 3', '"y" = 900000000'),
     'two times have more than 2^30 ticks together'),
    ('a clock that begins too late', WHOLE.replace('init 1', 'init 1073741825'),
     'a time has more than 2^30 ticks')):
    result = run('check', write('refused.cairn', text))
    check(f'{name} is refused', result.returncode == 2 and message in result.stderr,
          f'{result.returncode} {result.stderr}')

# ---- random runs ----

LIVELY = write('lively.cairn', WHOLE.replace('formula (ne "pc" 2)', 'formula true'))
for model in (LAMP, STUCK, LIVELY, write('fischer.cairn', fischer(3)),
              write('csmacd.cairn', csmacd(3))):
    for seed in range(1, 6):
        trace = path('simulated.itf.json')
        result = run('simulate', model, '--seed', seed, '--steps', 30, '--no-deadlock', '--trace',
                     trace, program=ASAN)
        again = run('replay', trace, '-q', program=ASAN)
        good = (result.returncode == 3 and not crashed(result) and again.returncode == 0
                and 'The trace replays: ' in again.stdout)
        check(f'{os.path.basename(model)} simulated with seed {seed}', good,
              result.stdout[-300:] + result.stderr + again.stderr)

# ---- by hand ----


def by_hand(model, seed):
    """Random commands; what was done is saved, replays, and can be gone on from."""
    dice = random.Random(seed)
    first, second = path('hand.itf.json'), path('further.itf.json')
    lines = []
    for _ in range(40):
        lines.append(dice.choice(('', '1', '2', f'{dice.randint(1, 3)} {dice.randint(0, 9)}/2',
                                  f'd {dice.choice(("0", "1/3", "0.5", "2", "7"))}', 'u',
                                  f'j {dice.randint(0, 9)}', 's', 't', '3 x', 'd', 'j')))
    done = run('simulate', model, '-i', '--seed', seed, program=ASAN,
               stdin='\n'.join(lines + [f'w {first}', 'q', '']))
    good = done.returncode == 0 and run('replay', first).returncode == 0
    again = run('simulate', model, '-i', stdin='\n'.join(
        [f'o {first}', *lines[:10], f'w {second}', '']))
    good = good and again.returncode == 0 and run('replay', second).returncode == 0
    check(f'{os.path.basename(model)} by hand, seed {seed}', good,
          lines + [done.stdout[-2000:], done.stderr, again.stderr])


for seed in range(1 + SEED, 6 + SEED):
    for model in (LAMP, os.path.join(ROOT, 'examples/fischer/broken.fcr'),
                  os.path.join(ROOT, 'examples/train-gate/crossing.fcr')):
        by_hand(model, seed)

# ---- exports ----

aut = run('translate', LAMP, '--to', 'aut').stdout.splitlines()
header = re.match(r'des \(0, (\d+), (\d+)\)$', aut[0])
check('.aut: one line per edge', header and int(header[1]) == len(aut) - 1, aut[:3])
check('.aut: the zone graph',
      header
      and (int(header[2]), int(header[1])) == size(open(LAMP, encoding='utf-8').read(), 'equal'),
      aut[0])
dot = run('translate',
          write('beat.cairn',
                open(LAMP, encoding='utf-8').read()
                + 'rule "beat" part "lamp" when (eq "lamp.pc" 2) interval [2, 2]\n'), '--to',
          'dot').stdout
check('.dot: states with zones',
      dot.startswith('digraph') and dot.rstrip().endswith('}') and 'nbeat lamp <= 2"' in dot,
      dot[:900])

# ---- options and refusals ----

for name, arguments in {
    'another engine': ('check', LAMP, '--engine', 'explicit'),
    'depth first': ('explore', LAMP, '--order', 'dfs'),
    'a reduction': ('explore', LAMP, '--reduce', 'por'),
    'timed and a reduction': ('explore', LAMP, '--engine', 'timed', '--reduce', 'por'),
    'timed and depth first': ('explore', LAMP, '--engine', 'timed', '--order', 'dfs'),
    'zones of another engine': ('explore', LAMP, '--engine', 'symbolic', '--zones', 'equal'),
    'other zones': ('explore', LAMP, '--zones', 'round'),
    'timed and symbolic choices': ('check', LAMP, '--engine', 'timed', '--tableau'),
    'a time that is too long': ('check',
                                write('long.cairn',
                                      open(LAMP, encoding='utf-8').read().replace('"x" >= 5',
        f'"x" >= {2 ** 31}'))),
}.items():
    result = run(*arguments, program=ASAN)
    check(f'refused: {name}',
          result.returncode == 2 and 'error' in result.stderr and not crashed(result),
          f'{result.returncode} {result.stderr}')
check('--threads 2 is no race for a timed model',
      run_json('check', LAMP, '--no-deadlock', '--threads', '2')[0] == 0)

# ---- limits ----

LARGE = write('large.cairn', csmacd(9))
for name, arguments, reason in (('memory', ('--memory', '8M'), 'the memory limit was reached'),
                                ('time', ('--time', '0.5s'), 'the time limit was reached'),
                                ('depth', ('--bound', '3'), 'the depth limit was reached')):
    for zones in ('inclusion', 'equal'):
        status, result = run_json('explore', LARGE, '--zones', zones, *arguments)
        check(f'limited by {name}, {zones}',
              status == 3 and result and not result['complete']
              and result['statistics']['stop'] == reason and result['states'] > 0,
              result and result['statistics']['stop'])
status, result = run_json('check', LARGE, '--zones', 'equal', '--memory', '8M', '--ltl',
                          '(globally (finally (eq "S1.pc" 0)))', '--no-deadlock')
check('LTL after a limit is unknown',
      status == 3 and result['properties'][0]['verdict'] == 'unknown', result)
search = subprocess.Popen([CAIRN, 'explore', LARGE, '--json'], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
at_work(search.pid, 0.5)
search.send_signal(signal.SIGINT)
out, err = search.communicate(timeout=PATIENCE)
check('interrupted: what is known is told',
      search.returncode == 3 and json.loads(out)['statistics']['stop'] == 'it was interrupted', err)

# ---- what a symbolic state costs ----

_, result = run_json('explore', write('fischer.cairn', fischer(8)), '--zones', 'equal')
cost = result['statistics']['space_bytes'] / result['states']
check('a symbolic state of 8 clocks costs less than its matrix',
      result['states'] > 100000 and cost < 9 * 9 * 2, cost)
finish()
