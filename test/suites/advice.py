"""What to try next: searches that little memory, little time or a signal ended say commands, which
are accepted and never say the opposite of what is true."""
import json
import os
import shlex
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (CAIRN, PATIENCE, ROOT, at_work, check, finish, folder, path, run, section, told,
                 write)


def example(name):
    return os.path.join(ROOT, 'examples', name)


BEHAVIOR = example('contexts/behavior.fcr')
C7 = '--context', example('contexts/contexts.cdl') + ':c7'
SCHEDULING = example('scheduling/scheduling.mil')
TURNTABLE = example('turntable/tt.mil')
PHILS = example('philosophers/phils.mil')
TIMED = example('device-login/timed.fcr')

HOLDS = {'deadlock': 'holds', 'runtime-error': 'holds'}
TURNS = {**dict.fromkeys(('p6', 'p11', 'rejects', 'T3'), 'holds'), 'wakes_up': 'violated', **HOLDS}

# name, the request, its limits, options that must be among the advice, what is true
CASES = [
    ('a context', ['check', BEHAVIOR, *C7, '--engine', 'explicit'], ['--memory', '900K'],
     ['--order past-freeze', '--partition auto'], {'one_by_one': 'holds', **HOLDS}),
    ('a context, rank by rank', ['check', BEHAVIOR, *C7, '--order', 'past-freeze'],
     ['--memory', '700K'], ['--split auto'], {'one_by_one': 'holds', **HOLDS}),
    ('p-points', ['check', SCHEDULING, '--engine', 'explicit'], ['--memory', '500K'],
     ['--partition auto', '--engine symbolic', '--engine bounded'],
     {'task0_in_time': 'holds', **HOLDS}),
    ('an exploration', ['explore', SCHEDULING, '--engine', 'explicit'], ['--memory', '500K'],
     ['--partition auto', '--engine symbolic'], {'states': 30836}),
    ('temporal formulas beside others', ['check', TURNTABLE, '-D', 'n=4', '--engine', 'explicit'],
     ['--memory', '1M'], ['--property rejects --property deadlock', '--reduce por',
                          '--engine symbolic'], TURNS),
    ('little time', ['check', TURNTABLE, '-D', 'n=6', '--engine', 'explicit'], ['--time', '0.1s'],
     ['--threads 2', '--reduce por', '--engine symbolic'], TURNS),
    ('little time, no engine named', ['check', TURNTABLE, '-D', 'n=6', '-p', 'deadlock'],
     ['--time', '0.1s'], ['--engine explicit --threads 2'], HOLDS),
    ('the symbolic engine', ['check', TURNTABLE, '-D', 'n=20', '-p', 'T3', '--engine',
                             'symbolic'], ['--time', '0.1s'], ['--engine bounded'], TURNS),
    ('the bounded engine', ['check', TURNTABLE, '-D', 'n=6', '-p', 'deadlock', '--engine',
                            'bounded'], ['--time', '0.1s'],
     ['--reduce steps', '--engine symbolic'], HOLDS),
    ('time', ['check', TIMED, '--context', example('device-login/contexts.cdl') + ':deadline2',
              '--zones', 'equal', '-p', 'deadlock'], ['--memory', '450K'],
     ['--order past-freeze'], None),
]


def advised(claim):
    return claim.get('advice') or []


def run_advice(one):
    """The command, as a shell would run it, in a folder of its own."""
    words = shlex.split(one['command'])
    words[2:2] = ['--json', '--progress', 'never']
    if '--time' not in words:
        words[2:2] = ['--time', '0.25s']  # the other limits are what is tested
    where = path('here')
    os.makedirs(where, exist_ok=True)
    result = subprocess.run(words, capture_output=True, text=True, cwd=where, timeout=PATIENCE,
                            check=False)
    try:
        return result, json.loads(result.stdout)
    except ValueError:
        return result, None


def verdicts(claim):
    return {entry['name']: entry['verdict'] for entry in claim.get('properties', [])
            if entry['verdict'] != 'unknown'}


def contradicts(one, other):
    return [name for name, verdict in one.items() if other.get(name, verdict) != verdict]


def is_wrong(result, answer, truth):
    return (answer is None or result.returncode not in (0, 1, 3)
            or contradicts(verdicts(answer), truth)
            or (answer['complete'] and answer['states'] != truth.get('states', answer['states'])))


def tight_limits():
    for name, request, limits, wanted, truth in CASES:
        _, claim = told(*request, *limits)
        if not check(f'{name}: a limit ends it', claim and not claim['complete'], claim):
            continue
        commands = [one['command'] for one in advised(claim)]
        missing = [words for words in wanted if not any(words in each for each in commands)
                   and not (os.cpu_count() == 1 and '--threads' in words)]
        check(f'{name}: the advice', not missing and len(commands) <= 4
              and len(set(commands)) == len(commands), (missing, commands))
        truth = truth or verdicts(told(*request)[1])
        for one in advised(claim):
            result, answer = run_advice(one)
            check(f'{name}: {one["why"][:40]}', not is_wrong(result, answer, truth),
                  f'{one["command"]}: {result.returncode} {result.stderr[-300:]}')


section(tight_limits)


def nothing_to_advise():
    for name, request in (('complete', ['check', PHILS, '-D', 'n=3']),
                          ('everything is decided', ['check', PHILS, '-D', 'n=14', '-p',
                                                     'deadlock', '--first']),
                          ('a bound', ['check', PHILS, '--bound', '2'])):
        _, claim = told(*request)
        check(f'no advice: {name}', 'advice' not in claim, claim.get('advice'))


section(nothing_to_advise)


def interrupted():
    """A run with a folder says how to go on; that ends like one that was never interrupted."""
    where = folder('resumed')
    words = ['check', TURNTABLE, '-D', 'n=4', '-p', 'deadlock', '-p', 'rejects', '--engine',
             'explicit']
    _, whole = told(*words)
    process = subprocess.Popen([CAIRN, *words, '--freeze', where, '--json'], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    if at_work(process.pid, 0.02):
        process.send_signal(signal.SIGINT)
    claim = json.loads(process.communicate()[0])
    if claim['complete']:
        return check('interrupted: it was too quick', True)
    first = advised(claim)[0]
    check('interrupted: resume comes first', first['command'].endswith('--resume')
          and where in first['why'], first)
    result, answer = run_advice({'command': first['command'] + ' --time 20s'})
    return check('interrupted: the resumed run ends like the other',
                 answer and answer['states'] == whole['states']
                 and verdicts(answer) == verdicts(whole), result.stderr)


section(interrupted)


def limited_and_kept():
    """A folder of a search that time ended: resumed, with threads; memory needs another folder."""
    for limits in (['--time', '0.1s'], ['--memory', '3M']):
        where = folder('kept')
        _, claim = told('check', TURNTABLE, '-D', 'n=5', '-p', 'deadlock', '--engine', 'explicit',
                        '--freeze', where, *limits)
        check(f'kept, {limits}: a limit ends it', not claim['complete'] and advised(claim))
        for one in advised(claim):
            result, answer = run_advice(one)
            check(f'kept, {limits}: {one["why"][:40]}', answer and result.returncode != 2
                  and not contradicts(verdicts(answer), {'deadlock': 'holds'}),
                  f'{one["command"]}: {result.stderr}')


section(limited_and_kept)


def quoted():
    """Whatever files and formulas are called, a shell reads the command as it was."""
    with open(TURNTABLE, encoding='utf-8') as file:
        model = write("it's $HOME `x` \"y\".mil", file.read())
    claim = json.loads(run('check', '-D', 'n=6', '--engine', 'explicit', '--time', '0.05s',
                           '--json', '--invariant', 'tester.pc != tested | at_tester == bad', '-p',
                           'deadlock', '--', model).stdout)
    for one in advised(claim):
        result, answer = run_advice(one)
        check('quoted: it is understood', answer and result.returncode in (0, 1, 3)
              and answer['model'] == model, f'{one["command"]}: {result.stderr}')
    check('quoted: there is advice', len(advised(claim)) > 1, claim)


section(quoted)


def several():
    """One of several contexts is named."""
    result, claim = told('check', BEHAVIOR, '--context', example('contexts/contexts.cdl'), '-q',
                         '--memory', '900K', '--engine', 'explicit')
    rows = [row for row in claim['contexts'] if advised(row)]
    check('several: contexts that did not fit have advice', rows
          and all(f'contexts.cdl:{row["context"]} ' in advised(row)[0]['command'] + ' '
                  for row in rows), result.stderr)
    answer = run_advice(advised(rows[0])[0])
    check('several: it is accepted', answer[1] and answer[0].returncode != 2, answer[0].stderr)


section(several)


def in_words():
    text = subprocess.run([CAIRN, 'check', BEHAVIOR, *C7, '--engine', 'explicit', '--memory',
                           '900K'], capture_output=True, text=True, check=False).stdout
    check('text: the command stands alone in its line',
          'What to try next:\n- the context only goes forward' in text
          and any(line.startswith('    ' + CAIRN) and line.endswith('--order past-freeze')
                  for line in text.splitlines()), text)


section(in_words)
finish()
