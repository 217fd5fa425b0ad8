"""Every command and option: exit status, JSON shape, traces, replay, simulation, exports."""
import json
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT, check, finish, path, run, run_json, write

EXAMPLE = {name: os.path.join(ROOT, 'examples', *file) for name, file in
           {'running': ('running', 'running.mil'), 'phils': ('philosophers', 'phils.mil'),
            'pc': ('producer-consumer', 'pc.mil'),
            'peterson': ('peterson', 'peterson.mil')}.items()}

DIVIDES = write('divides.mil', '''
VARIABLES x : 2 := 3; y : 2 := 0; END
LOCAL P
  ACTIONS down; split; END
  VARIABLES pc : 1 := 0; END
  CASE
    [0] [down] x > 0 : x := x - 1;
    [0] [split] 6 / x > 2 : y := 1;
  END
END
MAIN PROC p : P[1]; END END
INVARIANTS fine: y < 2; never: y == 3 -> x == 0; split_first: 3 / x > 0; END
''')
TWO_STARTS = write('starts.mil',
                   'VARIABLES x : 1; END LOCAL P ACTIONS a; END VARIABLES pc : 1 := 0; END CASE '
                   '[0] [a] x == 1 : pc := 1; END END MAIN PROC p : P[1]; END END')


def explore_and_check():
    status, result = run_json('explore', EXAMPLE['running'])
    check('explore: status', status == 0)
    keys = ['cairn', 'format', 'command', 'model', 'engine', 'complete', 'assurance', 'under',
            'states', 'transitions', 'initial_states', 'deadlocks', 'depth',
            'seconds', 'peak_memory_bytes', 'statistics']
    check('explore: keys', list(result) == keys, list(result))
    check('explore: values',
          (result['states'], result['transitions'], result['depth'], result['deadlocks'],
           result['initial_states']) == (7, 14, 4, 0, 1))
    status, result = run_json('check', EXAMPLE['phils'], '-p', 'deadlock')
    check('check: status of a violation', status == 1 and result['verdict'] == 'violated')
    check('check: keys',
          list(result) == keys[:5] + ['verdict'] + keys[5:15] + ['properties', 'statistics'],
          list(result))
    deadlock = result['properties'][0]
    check('check: property keys',
          list(deadlock) == ['name', 'kind', 'text', 'verdict', 'engine', 'why', 'trace'],
          list(deadlock))
    trace = deadlock['trace']
    check('check: trace',
          len(trace['steps']) == 6 and trace['loop'] is None and trace['steps'][0]['label'] is None
          and trace['steps'][1]['label'] == 'take_left'
          and trace['steps'][1]['process'].startswith('phil[')
          and len(trace['steps'][0]['state']) == 10, trace)
    check('check: holds', run('check', EXAMPLE['peterson'], '-p', 'mutex').returncode == 0)
    status, result = run_json('check', EXAMPLE['running'])
    lasso = result['properties'][1]['trace']
    check('check: CTL and LTL',
          status == 1
          and [item['verdict'] for item in result['properties']]
          == ['holds', 'violated', 'holds', 'holds'])
    check('check: a lasso', lasso['loop'] is not None and lasso['loop'] < len(lasso['steps']),
          lasso)
    status, result = run_json('check', EXAMPLE['phils'])
    check('check: a deadlocked state repeats', result['properties'][1]['trace']['loop'] == 5,
          result['properties'][1])
    check('check: --no-deadlock',
          run('check', EXAMPLE['phils'], '--no-deadlock', '-p', 'one_fork_one_owner').returncode
          == 0)
    check('check: --invariant',
          run('check', EXAMPLE['running'], '-p', 'deadlock', '--invariant', 'g == 0').returncode
          == 1)
    check('check: --ctl',
          run('check', EXAMPLE['running'], '-p', 'deadlock', '--ctl', '!EF g == 1').returncode == 1)
    check('check: --ltl',
          run('check', EXAMPLE['running'], '-p', 'deadlock', '--ltl', 'G g <= 1').returncode == 0)
    check('check: bad formula', run('check', EXAMPLE['running'], '--ltl', 'G g <=').returncode == 2)
    check('check: formula of the wrong logic',
          'belongs to CTL' in run('check', EXAMPLE['running'], '--ltl', 'AG g == 1').stderr)
    check('check: unknown property',
          run('check', EXAMPLE['running'], '-p', 'nothing').returncode == 2)
    status, result = run_json('explore', EXAMPLE['phils'], '--order', 'dfs', '-D', 'n=6')
    check('dfs: same states, no depth',
          status == 0 and result['states'] == 728 and result['depth'] is None)
    status, result = run_json('check', EXAMPLE['phils'], '--order', 'dfs', '-p', 'deadlock')
    check('dfs: a trace', status == 1 and result['properties'][0]['trace'])
    status, result = run_json('explore', EXAMPLE['pc'], '--bound', '20')
    check('bound: incomplete', status == 3 and not result['complete'] and result['depth'] == 20,
          result)
    status, result = run_json('explore', TWO_STARTS)
    check('two initial states',
          (result['states'], result['initial_states'], result['deadlocks']) == (3, 2, 2), result)


def honesty():
    text = run('check', DIVIDES).stdout
    check('a run-time error has a trace and a reason',
          'runtime-error is violated after 3 steps' in text and 'division by zero' in text, text)
    check('vacuous', 'vacuously' in text, text)
    status, result = run_json('check', DIVIDES)
    by_name = {item['name']: item for item in result['properties']}
    check('vacuous in JSON', by_name['never'].get('vacuous') is True)
    check('a property that cannot be evaluated is unknown',
          by_name['split_first']['verdict'] == 'unknown'
          and 'zero' in by_name['split_first']['reason'])
    check('a run-time error is a violation',
          status == 1 and by_name['runtime-error']['verdict'] == 'violated')
    check('explore tells of run-time errors', run('explore', DIVIDES).returncode == 1)
    text = run('explore',
               write('silent.mil',
                     'VARIABLES x : 1 := 0; END LOCAL P LOCATIONS here; there; END ACTIONS a; b; '
                     'END\nCASE [here] [a] x == 0 : x := 0;\n'
                     '[there] [b] true : x := 1; END END MAIN PROC p : P[1]; END END')).stdout
    check('never taken', 'never taken' in text and 'silent.mil:3: [b]' in text, text)
    check('never reached', 'never reached' in text and 'location there of p[0]' in text, text)
    text = run('check', EXAMPLE['phils'], '-p', 'deadlock').stdout
    check('an explained deadlock',
          'phil[0] stands at hungry' in text
          and 'fork[1].taken == 0 is false: fork[1].taken = 1' in text, text)
    text = run('check', EXAMPLE['running'], '-p', 'deadlock', '--invariant',
               'g == 0 & a[0].x + a[0].z < 3').stdout
    check('an explained invariant',
          'g == 0 is false: g = 1' in text
          and 'a[0].z' not in text.split('in the last state:')[1].split('\n')[1], text)


def traces():
    itf = path('trace.itf.json')
    check('a trace is saved',
          run('check', EXAMPLE['phils'], '-p', 'deadlock', '-D', 'n=4', '--trace', itf).returncode
          == 1)
    with open(itf, encoding='utf-8') as file:
        trace = json.load(file)
    check('ITF',
          trace['#meta']['format'] == 'ITF' and len(trace['states']) == 5
          and trace['states'][1]['#meta']['label'] == 'take_left' and
          set(trace['vars']) <= set(trace['states'][0]), trace)
    replayed = run('replay', itf)
    check('it replays, with its constants',
          replayed.returncode == 0 and 'The trace replays: 4 steps' in replayed.stdout,
          replayed.stdout + replayed.stderr)
    trace['states'][2]['fork[0].taken'] = 0
    check('a wrong trace does not',
          run('replay', write('wrong.itf.json', json.dumps(trace))).returncode == 2)
    check('--full shows everything',
          run('check', EXAMPLE['phils'], '-p', 'deadlock', '--full').stdout.count('phil[4].pc =')
          == 6)


def simulation():
    one, two = (run('simulate', EXAMPLE['pc'], '-p', 'deadlock', '--seed', '5', '--steps', '30')
                for _ in range(2))
    check('simulate: reproducible',
          one.stdout == two.stdout and one.returncode == 3 and 'proves nothing' in one.stdout)
    check('simulate: other seeds differ',
          one.stdout
          != run('simulate', EXAMPLE['pc'], '-p', 'deadlock', '--seed', '6', '--steps',
                 '30').stdout)
    found = run('simulate', EXAMPLE['phils'], '-D', 'n=2', '--runs', '1000')
    check('simulate: finds the deadlock',
          found.returncode == 1 and 'deadlock is violated' in found.stdout, found.stdout[-500:])
    saved = path('run.itf.json')
    hand = run('simulate', EXAMPLE['phils'], '-D', 'n=2', '-i',
               stdin=f'1\nl\nu\n1\ns\n99\n2\nt\nw {saved}\nr\n\n?\nq\n')
    check('simulate -i',
          hand.returncode == 0 and 'there is no step 99' in hand.stdout and 'saved' in hand.stdout,
          hand.stdout)
    check('simulate -i: the saved run replays', run('replay', saved).returncode == 0)
    check('simulate -i: end of input', run('simulate', EXAMPLE['phils'], '-i').returncode == 0)
    status, result = run_json('simulate', EXAMPLE['running'])
    check('simulate --json',
          status == 3 and result['verdict'] == 'unknown' and result['complete'] is False
          and {item['verdict'] for item in result['properties']} == {'unknown'}, result)


def exports():
    aut = run('translate', EXAMPLE['running'], '--to', 'aut').stdout.splitlines()
    check('aut: header', aut[0] == 'des (0, 14, 7)', aut[0])
    check('aut: edges', len(aut) == 15 and '(0, "Xpp a[0]", 1)' in aut, aut)
    check('aut: several initial states',
          run('translate', TWO_STARTS, '--to', 'aut').stdout.startswith('des (0, 3, 4)\n'))
    dot = run('translate', EXAMPLE['running'], '--to', 'dot').stdout
    check('dot', dot.startswith('digraph') and dot.count('->') == 15, dot)
    once = run('translate', EXAMPLE['phils'], '--to', 'cairn').stdout
    again = run('translate', write('phils.cairn', once), '--to', 'cairn').stdout
    check('the model text round-trips', once == again and len(once) > 1000)
    check('the model text means the same',
          run_json('explore', path('phils.cairn'))[1]['states'] == 242)
    smv = path('running.smv')
    check('smv',
          run('translate', EXAMPLE['running'], '--to', 'smv', '-o', smv).returncode == 0
          and 'TRANS' in open(smv).read())
    order = open(path('running.ord')).read().split()
    check('smv: the order of variables', order[:3] == ['action', 'g', 'a_0_pc'] and len(order) == 7,
          order)
    check('unknown format', run('translate', EXAMPLE['running'], '--to', 'latex').returncode == 2)
    if shutil.which('dot'):
        drawn = subprocess.run(['dot', '-Tsvg'], input=dot, capture_output=True, text=True)
        check('dot draws it', drawn.returncode == 0 and '<svg' in drawn.stdout, drawn.stderr)


def messages():
    bad = write('bad.mil',
                'VARIABLES\n  turn : 1 := 0;\n  x : 99 := 0;\nEND\nLOCAL P\n  ACTIONS go; END\n  '
                'VARIABLES pc : 1 := 0; END\n  CASE\n    [0] [goo] trun == 1 : pc := 1;\n'
                '    [0] [go] turn + 1 : pc = 1;\n  END\nEND\nMAIN PROC p : Q[1]; END END\n')
    text = run('check', bad).stderr
    check('several errors in one run', text.count(': error: ') >= 3, text)
    check('position, line, caret',
          re.search(
        r"bad\.mil:3:7: error: the variable 'x' has 99 bits.*\n      x : 99 := 0;\n          \^\n",
        text), text)
    bad = write('bad2.mil',
                'VARIABLES\n  turn : 1 := 0;\nEND\nLOCAL P\n  ACTIONS go; END\n  VARIABLES pc : 1 '
                ':= 0; END\n  CASE\n    [0] [goo] true : pc := 1;\n'
                '    [0] [go] trun == 1 : pc := 1;\n    [0] [go] turn : pc := 1;\n  END\nEND\nMAIN '
                'PROC p : P[1]; END END\n')
    text = run('check', bad).stderr
    check('suggestions', "did you mean 'go'?" in text and "did you mean 'turn'?" in text, text)
    check('a number is no condition', "compare the variable, as in 'turn != 0'" in text, text)
    for early in ('VARIABLES x : 2 := x; END',
                  'LOCAL P VARIABLES x : 2 := y; y : 2 := 0; END END MAIN PROC p : P; END END'):
        done = run('check', write('early.mil', early))
        check('an initial value that is a later variable', done.returncode == 2
              and 'an initial value is a constant' in done.stderr, done.stderr)
    twice = write('twice.mil',
                  'ACTIONS a; END VARIABLES x : 1 := 0; END\nLOCAL P CASE\n [a] true : x := 1;\n '
                  'END SYNC a; END END\nMAIN PROC p : P[2]; END CASE [a] true : END END')
    text = run('check', twice).stderr
    check('two writes in one step',
          "written twice" in text and 'note: the other write is here' in text
          and run('check', twice).returncode == 2, text)
    check('an unknown option',
          'did you mean --memory?' in run('check', EXAMPLE['running'], '--memroy', '1G').stderr)
    check('an unknown command', "did you mean 'check'?" in run('chek', EXAMPLE['running']).stderr)
    check('an unknown constant',
          "did you mean 'n'?" in run('check', EXAMPLE['phils'], '-D', 'nn=3').stderr)
    check('an order that needs a context',
          '--context' in run('explore', EXAMPLE['running'], '--order', 'past-freeze').stderr)


def documentation():
    for command in ('explore', 'check', 'simulate', 'replay', 'translate'):
        text = run(command, '--help')
        check(f'{command} --help',
              text.returncode == 0 and '--help' in text.stdout and len(text.stdout) > 200)
    check('--help', 'Exit status' in run('--help').stdout)
    result = run('examples/peterson/peterson.mil')
    check('a model without a command', result.returncode == 2
          and "try 'cairn check examples/peterson/peterson.mil'" in result.stderr, result.stderr)
    result = run('check', write('typo.mil', open(
        os.path.join(ROOT, 'examples/peterson/peterson.mil')).read().replace(
            'p[0].pc == critical & ', 'p[0].pc == critcal & ')))
    check('a location that is misspelt', "did you mean 'critical'?" in result.stderr,
          result.stderr)
    check('--version', run('--version').stdout.startswith('cairn 0.'))


def memory():
    """The release build, which has no sanitizer, under valgrind, linked so that it sees the C
    library."""
    program = os.path.join(ROOT, 'build', 'release', 'cairn-shared')
    made = subprocess.run(['make', '-s', program[len(ROOT) + 1:]], cwd=ROOT, capture_output=True,
                          text=True)
    check('there is a program for valgrind', not made.returncode, made.stderr)
    for arguments in (('check', EXAMPLE['phils'], '-D', 'n=3'),
                      ('explore', EXAMPLE['running'], '--json'), ('simulate', EXAMPLE['pc'])):
        done = subprocess.run(
            ['valgrind', '-q', '--error-exitcode=99', '--leak-check=full', program, *arguments],
            capture_output=True, text=True, cwd=ROOT)
        check(f'valgrind: {arguments[0]}', done.returncode != 99, done.stderr[-1500:])


for part in (explore_and_check, honesty, traces, simulation, exports, messages, documentation,
             memory):
    part()
finish()
