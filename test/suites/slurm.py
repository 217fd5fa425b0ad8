"""Divided searches as jobs of Slurm (--slurm), on a Slurm of one node that this suite starts by
itself, in a folder of its own: the answer of one search, with names that a shell would read
otherwise; limits of jobs; jobs that are killed, cancelled, requeued and submitted again. Skipped,
with a word, where Slurm cannot start."""
import json
import os
import shutil
import subprocess
import sys
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from kit.slurm import OneNode
from lib import CAIRN, PATIENCE, ROOT, check, finish, folder, path, told, write

MODEL, CDL = 'examples/contexts/behavior.fcr', 'examples/contexts/contexts.cdl'


def slurm(node, arguments, where, options, *more, timeout=PATIENCE):
    return subprocess.run([CAIRN, *map(str, arguments), '--work', where, '--slurm', options, *more],
                          cwd=ROOT, env=node.env, capture_output=True, text=True, timeout=timeout)


def essence(claim):
    return claim and {key: claim.get(key) for key in (
        'verdict', 'complete', 'states', 'transitions', 'deadlocks', 'depth', 'assurance')}


def same(name, result, claim, alone, whole):
    check(name, result.returncode == alone.returncode and essence(claim) == essence(whole),
          (result.returncode, result.stderr[-600:], essence(claim), essence(whole)))


def read(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def names(node):
    """Spaces, quotes, newlines and what else shells and sbatch read, in names of files."""
    odd = os.path.join(path('odd'), 'a "b" \'c\' $(touch x) %j\n; `d` \\e&')
    os.makedirs(odd)
    model, context = os.path.join(odd, 'a model.fcr'), os.path.join(odd, "it's.cdl")
    shutil.copy(os.path.join(ROOT, MODEL), model)
    with open(context, 'w') as file:
        file.write('cdl one is { main is { send 1 to {Behavior}1 } }\n'
                   'cdl two is { main is { send 2 to {Behavior}1 } }\n')
    if told('check', model, '--context', context)[0].returncode not in (0, 1, 3):
        shutil.copy(os.path.join(ROOT, CDL), context)
    arguments = ('check', model, '--context', context)
    alone, whole = told(*arguments)
    report = os.path.join(odd, 'a page.html')
    result = slurm(node, arguments, os.path.join(odd, 'the work'), '--array=0-1 --time=5', '--json',
                   '--report', report)
    same('names with spaces, quotes and newlines', result, read(result.stdout), alone, whole)
    check('... and the page', os.path.exists(report) and os.path.getsize(report) > 10000)
    check('... no shell has read them', not os.path.exists(os.path.join(ROOT, 'x'))
          and not os.path.exists(os.path.join(odd, 'x')))


def split(node):
    arguments = ('check', MODEL, '--context', f'{CDL}:c7', '--split', 'always', '--split-depth', '2')
    alone, whole = told(*arguments)
    where = folder('work')
    result = slurm(node, arguments, where, '-a 0-1 --mem 200 -t 5', '--json', '-v')
    same('a split search', result, read(result.stdout), alone, whole)
    check('... in three jobs, one after the other', result.stderr.count('afterany') == 2
          and '--array=0-1' in result.stderr, result.stderr)
    jobs = {part.get('job') for part in json.loads(subprocess.run(
        [CAIRN, 'status', where, '--json'], capture_output=True, text=True, cwd=ROOT).stdout)['parts']}
    check('... whose numbers are noted', any(job and '_' in job for job in jobs), jobs)
    result = slurm(node, arguments, where, '--array=0-1 --time=5', '--json')
    same('submitted again: nothing is left to do', result, read(result.stdout), alone, whole)


BOX = '''type Box is queue 4 of 0..1
process P (&box : Box) is
  states idle, busy
  var x : 0..60 := 0, y : 0..{size} := 0
  from idle on not (empty box); box := dequeue box; to busy
  from busy select x := (x + 1) % 61; to busy [] y := (y + 1) % {more}; to busy [] to idle end
component Sys is var P_1 : Box par P(&P_1) end
Sys
'''


def trouble(node):
    """Tasks killed, the array cancelled: submitted again it goes on where it was."""
    model = write('long.fcr', BOX.format(size=3999, more=4000))
    context = write('long.cdl', 'predicate small is { {P}1:x <= 60 }\n' + ''.join(
        f'cdl c{i} is {{ assert small main is {{ send 1 to {{P}}1; send 0 to {{P}}1 }} }}\n'
        for i in range(6)))
    arguments = ('check', model, '--context', context, '--engine', 'explicit')
    alone, whole = told(*arguments)
    where = folder('work')
    waiting = subprocess.Popen([CAIRN, *arguments, '--work', where, '--slurm',
                                '--array=0-1 --time=5', '--json'], cwd=ROOT, env=node.env,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    node.until(lambda: os.path.isdir(os.path.join(where, 'claims'))
               and any(name[0] == 'c' for name in os.listdir(os.path.join(where, 'claims'))), 60)
    node.ask('scancel', '--signal=KILL', '--full', '--name=cairn-work')
    node.ask('scancel', '--name=cairn-work')
    output, errors = waiting.communicate(timeout=PATIENCE)
    claim = read(output)
    check('an array that was cancelled: the join says what is known',
          waiting.returncode in (0, 3) and claim is not None, (waiting.returncode, errors))
    result = slurm(node, arguments, where, '--array=0-1 --time=5', '--json')
    same('... and submitted again it goes on', result, read(result.stdout), alone, whole)


def limits(node):
    """Memory, processors and the end of the job are those of the job."""
    script = write('limits.sh', '#!/bin/sh\nexec "$@"\n')
    where = folder('work')
    model = write('huge.fcr', BOX.format(size=999999, more=1000000))
    context = write('huge.cdl', ''.join(
        f'cdl c{i} is {{ main is {{ send 1 to {{P}}1 }} }}\n' for i in range(2)))
    arguments = ('check', model, '--context', context, '--engine', 'explicit')
    result = node.ask('sbatch', '--wait', '--time=1', '--mem=60', '--output', path('limits.out'),
                      script, CAIRN, *arguments, '--work', where, '--part', 'auto', '--no-wait')
    status = json.loads(subprocess.run([CAIRN, 'status', where, '--json'], capture_output=True,
                                       text=True, cwd=ROOT).stdout)
    with open(path('limits.out')) as file:
        text = file.read()
    check('the memory of a job is its limit', status['counts']['failed'] == 2
          and all('memory' in part['reason'] for part in status['parts']), (status, text, result))
    joined, claim = told(*arguments, '--work', where, '--join')
    check('... and the join says so', joined.returncode == 3 and claim['verdict'] == 'unknown'
          and 'memory' in json.dumps(claim), (joined.returncode, essence(claim)))
    env = dict(node.env, SLURM_JOB_ID='1', SLURM_JOB_END_TIME=str(int(time.time()) + 2),
               SLURM_MEM_PER_CPU='1000', SLURM_CPUS_PER_TASK='1')
    where = folder('work')
    before = time.monotonic()
    result = subprocess.run([CAIRN, *arguments, '--work', where, '--part', 'auto'], cwd=ROOT, env=env, capture_output=True, text=True,
                            timeout=PATIENCE)
    counts = json.loads(subprocess.run([CAIRN, 'status', where, '--json'], capture_output=True,
                                       text=True, cwd=ROOT).stdout)['counts']
    check('before the end of its job a worker leaves its parts to others',
          result.returncode == 3 and counts['left'] == 1 and not counts['running'],
          (result.returncode, counts, result.stderr, time.monotonic() - before))


with OneNode() as one:
    if one.why:
        print(f'skipped: {one.why}')
    else:
        names(one)
        split(one)
        trouble(one)
        limits(one)
finish()
