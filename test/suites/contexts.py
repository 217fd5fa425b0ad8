"""All contexts of a file in one run: the matrix as text, as one JSON object and as a page;
statuses; contexts with errors, with too little memory, interrupted; files of each context."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, PATIENCE, ROOT, at_work, check, crashed, finish, path, run, told, write
from reportpage import ReportPage, differences

MODEL = 'examples/contexts/behavior.fcr'
MANY = 'examples/contexts/contexts.cdl'
EVENTS = ''.join(f'event e{i} is {{ send {i} to {{Behavior}}1 }}\n' for i in range(1, 6))
GOOD = EVENTS + '''
predicate small is { {System}1:Behavior_1.length <= 1 }
predicate idle is { empty {System}1:Behavior_1 }
predicate busy is { not (empty {System}1:Behavior_1) }
property no_two is { start -- / / e2 / -> reject }
property two_before_one is { start -- / / e2 / -> fine; start -- / / e1 / -> reject }
cdl first is { assert small properties no_two main is { e1 ; e3 } }
cdl second is { assert small properties no_two, two_before_one main is { e1 ; e2 || e3 } }
cdl third is { assert idle main is { e4 } }
cdl fourth is { assert busy main is { e4 } }
'''
GOOD_CDL = write('good.cdl', GOOD)


def check_page(name, file, claim):
    page = ReportPage(file)
    check(f'{name}: the page is well formed', not page.faults, page.faults)
    wrong = differences(page, claim) if page.data else ['no data']
    check(f'{name}: it has every context, property, verdict and step', not wrong, wrong[:5])
    return page.data


# ---- one result of several ----

page, trace = path('good.html'), path('run.itf.json')
result, claim = told('check', MODEL, '--context', GOOD_CDL, '--report', page, '--trace', trace)
check('violations: status 1, one object',
      result.returncode == 1 and claim and claim['verdict'] == 'violated' and claim['complete']
      and not result.stderr, (result.returncode, result.stderr))
names = ['first', 'second', 'third', 'fourth']
check('the contexts are listed in the order of the file',
      [row['context'] for row in claim['contexts']] == names)
needed = {'cairn', 'format', 'command', 'model', 'engine', 'verdict', 'complete', 'assurance',
          'under', 'states', 'transitions', 'initial_states', 'deadlocks', 'depth', 'seconds',
          'peak_memory_bytes', 'properties', 'statistics'}
check('the object has what every result has', needed <= set(claim), needed - set(claim))
alone = {name: told('check', MODEL, '--context', f'{GOOD_CDL}:{name}')[1] for name in names}
for row in claim['contexts']:
    other = alone[row['context']]
    same = {key: row[key] for key in other
            if key not in ('seconds', 'peak_memory_bytes', 'properties')} == {key: other[key]
        for key in other if key not in ('seconds', 'peak_memory_bytes', 'properties')}
    runs = [(p['name'], p['verdict'], p['trace'] and p['trace']['steps'])
            for p in row['properties']] == [
        (p['name'], p['verdict'], p['trace'] and p['trace']['steps']) for p in other['properties']]
    check(f'{row["context"]}: what is said of it is what a search of it alone says', same and runs)
for key in ('states', 'transitions', 'initial_states', 'deadlocks'):
    check(f'{key} are added up', claim[key] == sum(one[key] for one in alone.values()), claim[key])
check('the depth is the largest', claim['depth'] == max(one['depth'] for one in alone.values()))
verdicts = {p['name']: p for p in claim['properties']}
check('a property that is violated in one context is violated',
      {name: p['verdict'] for name, p in verdicts.items()}
      == {'one_by_one': 'holds', 'small': 'holds', 'no_two': 'violated',
          'two_before_one': 'violated',
      'idle': 'violated', 'busy': 'violated', 'deadlock': 'holds', 'runtime-error': 'holds'},
      verdicts.keys())
check('... with the run of that context',
      all(bool(p['trace']) == (p['verdict'] == 'violated') for p in verdicts.values())
      and verdicts['no_two']['context'] == 'second',
      {n: p.get('context') for n, p in verdicts.items()})
check('... also when it has no step', len(verdicts['busy']['trace']['steps']) == 1)
words = check_page('good', page, claim)
check('runs are saved, one file for each context',
      sorted(os.path.basename(f) for f in glob.glob(path('run.*')))
      == ['run.fourth.itf.json', 'run.second.itf.json', 'run.third.itf.json'],
      glob.glob(path('run.*')))
check('... which replay',
      all(run('replay', file).returncode == 0 for file in glob.glob(path('run.*'))))
shown = run('check', MODEL, '--context', GOOD_CDL)
check('the matrix as text has a row per context, a number per long name, the violations',
      shown.returncode == 1 and all(f'\n{name} ' in shown.stdout for name in names)
      and 'two_before_one' in shown.stdout
      and 'no_two is violated in second' in shown.stdout and 'after 1 step;' in shown.stdout
      and 'All together: violated' in shown.stdout, shown.stdout)
command = [line.split('the run: cairn ')[1] for line in shown.stdout.splitlines()
           if line.startswith('no_two is violated')][0]
again = run(*[word.strip("'") for word in command.split()])
check('... and how to see the run: that command does',
      again.returncode == 1 and 'no_two is violated' in again.stdout and ' e2 ' in again.stdout,
      again.stdout)
# The command had no -D: it showed another model, in which nothing was wrong.
counted = write('counted.fcr',
                'const most : nat is 1\nprocess P is states s var x : 0..9 := 0\n  from s on x < '
                'most; x := x + 1; to s\ncomponent Sys is par P end\nSys\n')
bounds = write('bounds.cdl',
               'predicate small is { {P}1:x < limit }\ncdl one is { assert small main is { skip } '
               '}\ncdl two is { main is { skip } }\n')
shown = run('check', counted, '--context', bounds, '-D', 'most=5', '-D', 'limit=3', '--no-deadlock')
command = [line.split('the run: cairn ')[1] for line in shown.stdout.splitlines()
           if line.startswith('small is violated')][0]
again = run(*[word.strip("'") for word in command.split()])
check('... with the constants of the search',
      '-D most=5 -D limit=3' in command and again.returncode == 1
      and 'small is violated after 3 steps' in again.stdout, command + again.stdout + again.stderr)
for threads in (2, 8):
    result, other = told('check', MODEL, '--context', GOOD_CDL, '--threads', threads)
    strip = lambda c: [
        (row['context'], row['states'], [(p['name'], p['verdict']) for p in row['properties']])
        for row in c['contexts']]
    check(f'with {threads} at the same time nothing is different',
          other and strip(other) == strip(claim) and result.returncode == 1)
result = run('check', MODEL, '--context', GOOD_CDL, f'--json={path("own.json")}')
check('--json=FILE: the object in the file, the matrix on standard output',
      json.load(open(path('own.json')))['states'] == claim['states']
      and 'All together' in result.stdout)
result, claim = told('explore', MODEL, '--context', GOOD_CDL, '--report', path('explore.html'))
check('explore: no verdict, no properties',
      result.returncode == 0 and claim and 'verdict' not in claim and 'properties' not in claim
      and claim['states'] == sum(one['states'] for one in alone.values()), claim and claim.keys())
check_page('explore', path('explore.html'), claim)
result, claim = told('check', MODEL, '--context', GOOD_CDL, '-p', 'small', '-p', 'no_two')
check('-p: a context that does not have the property does without',
      result.returncode == 1
      and {p['name'] for p in claim['properties']} <= {'small', 'no_two', 'runtime-error'}
      and not result.stderr, (result.returncode, result.stderr))
result, claim = told('check', MODEL, '--context', GOOD_CDL, '-p', 'nothing_like_it')
check('... one that none has is a mistake',
      result.returncode == 2 and result.stderr.count('nothing_like_it') == 1 and claim
      and claim['verdict'] == 'unknown', result.stderr)
result, claim = told('check', MODEL, '--context', GOOD_CDL, '--engine', 'bounded', '--bound', 3)
check('a count that one context does not know is not known',
      claim and claim['states'] is None and claim['depth'] is None, claim and claim['states'])
result, claim = told('check', MODEL, '--context', GOOD_CDL, '--engine', 'symbolic')
check('the symbolic engine counts the same',
      claim and claim['states'] == sum(one['states'] for one in alone.values()))

# ---- many ----

result, claim = told('check', MODEL, '--context', MANY, '--order', 'past-freeze', '--threads', 2,
                     '--report', path('many.html'))
check('fifty-one contexts: all hold',
      result.returncode == 0 and claim and claim['verdict'] == 'holds'
      and len(claim['contexts']) == 51 and claim['contexts'][-1]['states'] == 6144,
      result.returncode)
check('... with what past-freeze did in each',
      all('freezability' in row['statistics'] for row in claim['contexts']))
data = check_page('many', path('many.html'), claim)
check('... and sizes of clusters for plots, the sources once',
      sum(len(row['result']['statistics'].get('cluster_sizes', [])) > 1
          for row in data['results']) > 40
      and len(data['sources']) == 1 and not any('page' in row for row in claim['contexts']))

# ---- mistakes ----

BAD = write('bad.cdl',
            GOOD
            + 'predicate lost is { {Behavior}1@nowhere }\ncdl fifth is { assert lost main is { e1 '
            '} }\ncdl sixth is { assert lost main is { e2 } }\n')
result, claim = told('check', MODEL, '--context', BAD, '--report', path('bad.html'))
check('a context with an error: status 2, the others have their results',
      result.returncode == 2 and claim and not claim['complete']
      and [row.get('states') for row in claim['contexts'][:4]]
      == [one['states'] for one in alone.values()]
      and claim['contexts'][4]['verdict'] == 'unknown', result.returncode)
check('... an error is told once',
      result.stderr.count('nowhere') == 2 and 'the same in 1 other context' in result.stderr,
      result.stderr)
check('... violations and counts stay',
      claim['verdict'] == 'violated'
      and claim['states'] == sum(row.get('states', 0) for row in claim['contexts']) > 0,
      claim['states'])
check_page('bad', path('bad.html'), claim)
result, claim = told('check', write('bad.fcr', 'process P is states'), '--context', MANY,
                     '--threads', 2)
check('a mistake in the model is told once, not 51 times',
      result.returncode == 2 and result.stderr.count('error:') == 1
      and 'in 50 other contexts' in result.stderr and claim and len(claim['contexts']) == 51,
      result.stderr)
result, claim = told('check', MODEL, '--context', write('syntax.cdl', GOOD + 'cdl wrong is {'))
check('bad syntax of the file: status 2, one object, one message',
      result.returncode == 2 and claim and claim['verdict'] == 'unknown'
      and result.stderr.count('error:') == 1, result.stderr)
result, claim = told('check', MODEL, '--context', f'{GOOD_CDL}:nobody')
check('a context that is not there', result.returncode == 2 and 'nobody' in result.stderr)

# ---- names ----

ODD = write('odd & <b>"names".cdl', '''predicate p is { {System}1:Behavior_1.length < 1 and \
{System}1:Behavior_1.length < 2 }
cdl one is { assert p main is { send 1 to {Behavior}1 } }
cdl 2E is { assert p main is { send 2 to {Behavior}1 } }
''')
shutil.copy(os.path.join(ROOT, MODEL), path('odd <i>&amp;.fcr'))
result, claim = told('check', path('odd <i>&amp;.fcr'), '--context', ODD, '--report',
                     path('odd.html'))
data = check_page('odd names', path('odd.html'), claim)
check('odd names are text, not tags',
      data['whole']['model'].endswith('odd <i>&amp;.fcr') and result.returncode == 1)
result = run('check', path('odd <i>&amp;.fcr'), '--context', f'{ODD}:one', '--report',
             path('single.html'))
_, single = told('check', path('odd <i>&amp;.fcr'), '--context', f'{ODD}:one')
check_page('a single context', path('single.html'), single)
bytes_ = os.path.join(os.path.dirname(path('x')).encode(), b'caf\xe9.fcr')
shutil.copy(os.path.join(ROOT, MODEL), bytes_)
result = subprocess.run(
    [CAIRN, 'check', bytes_, '--context', ODD, '--json', '--report', path('latin.html')],
    capture_output=True, cwd=ROOT)
claim = json.loads(result.stdout.decode())
check('a file name that is no UTF-8',
      result.returncode == 1 and 'caf' in claim['model'] and len(claim['contexts']) == 2, result)
check_page('latin', path('latin.html'), claim)
result, claim = told('check', 'test/regress/parallel-edges.mil', '--ltl', 'F false', '--report',
                     path('loop.html'))
check('a run that repeats',
      result.returncode == 1
      and any(p['trace'] and p['trace']['loop'] is not None for p in claim['properties']),
      result.stderr)
check_page('a run that repeats', path('loop.html'), claim)
result = run('check', MODEL, '--context', GOOD_CDL, '--report', '/proc/nobody/page.html')
check('a page that cannot be written: status 2, and the result is told',
      result.returncode == 2 and 'All together' in result.stdout and 'page.html' in result.stderr,
      result.stderr)

# ---- limits ----

HEAVY = EVENTS + 'cdl light is { main is { e1 ; e2 } }\ncdl heavy is { main is { ' + ' || '.join(
    f'{{ e{i} ; e{i % 5 + 1} ; e{(i + 1) % 5 + 1} ; e{i} ; e{i} }}'
    for i in range(1, 6)) + ' } }\ncdl light_too is { main is { e3 } }\n'
heavy = write('heavy.cdl', HEAVY)
result, claim = told('check', MODEL, '--context', heavy, '-D', 'size=400', '--engine', 'explicit',
                     '--memory', '16M', '--threads', 2)
verdicts = {row['context']: row['verdict'] for row in claim['contexts']} if claim else None
check('a context that runs out of memory leaves the others alone',
      result.returncode == 3
      and verdicts == {'light': 'holds', 'heavy': 'unknown', 'light_too': 'holds'}
      and not claim['complete'] and claim['verdict'] == 'unknown', (result.returncode, verdicts))
check('... and says why', 'memory' in claim['contexts'][1]['assurance'])
result, claim = told('check', MODEL, '--context', heavy, '-D', 'size=400', '--engine', 'explicit',
                     '--time', '0.005s')
# reading has a second
late = ({row['context']: row.get('seconds', 1) for row in claim['contexts']
         if row['verdict'] == 'unknown'} if claim else {})
check('a time limit is each context\'s own: who is late has used all of it',
      result.returncode == 3 and 'heavy' in late
      and all(seconds >= 0.005 for seconds in late.values()), (result.returncode, late))
slow = write('slow.cdl',
             HEAVY.replace('cdl heavy is { main is {',
                           'cdl heavy is { main is { { e1 ; e2 ; e3 ; e4 ; e5 ; e1 } || { e2 ; e2 '
                           '; e3 ; e3 } ||'))
process = subprocess.Popen(
    [CAIRN, 'check', MODEL, '--context', slow, '-D', 'size=20', '--engine', 'explicit', '--json'],
    cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
at_work(process.pid, 0.4)
process.send_signal(signal.SIGINT)   # while the second one is being read
output, errors = process.communicate(timeout=PATIENCE)
claim = json.loads(output)
check('Ctrl-C: status 3, one object with what is known',
      process.returncode == 3 and claim['contexts'][0]['verdict'] == 'holds'
      and claim['contexts'][1]['verdict'] == 'unknown' and not errors,
      (process.returncode, errors, output[:200]))
check('... and what was not begun is said to be so',
      claim['contexts'][2]['verdict'] == 'holds'
      or 'interrupted' in claim['contexts'][2]['assurance'], claim['contexts'][2])

# ---- frozen ----

where = path('frozen')
arguments = ('check', MODEL, '--context', GOOD_CDL, '--order', 'past-freeze', '--freeze', where)
result, first = told(*arguments)
check('--freeze: a folder for each context',
      result.returncode == 1 and sorted(os.listdir(where)) == sorted(names), result.stderr)
result, again = told(*arguments)
check('... which are not overwritten', result.returncode == 2 and '--resume' in result.stderr)
result, again = told(*arguments, '--resume')
check('... and can be resumed',
      result.returncode == 1
      and [row['states'] for row in again['contexts']]
      == [row['states'] for row in first['contexts']]
      and all(row['statistics']['clusters_resumed'] for row in again['contexts']), result.stderr)
where = path('split')
result, claim = told('check', MODEL, '--context', GOOD_CDL, '--split', 'always', '--freeze', where,
                     '--threads', 2)
check('--split: every context in parts',
      result.returncode == 1
      and [row['states'] for row in claim['contexts']]
      == [row['states'] for row in first['contexts']]
      and all(row['statistics']['parts'] > 1 for row in claim['contexts']), result.stderr)
if os.path.exists(ASAN):
    result = run('check', MODEL, '--context', BAD, '--threads', 2, '--json', '--report',
                 path('asan.html'), program=ASAN)
    check('nothing is wrong with memory', not crashed(result) and result.returncode == 2,
          result.stderr)
finish()
