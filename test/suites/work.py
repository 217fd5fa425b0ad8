"""Work folders that many processes share: parts claimed, taken over, joined. Whatever happens to
workers (killed at random moments, standing still, with a wrong clock, seeing files late, on a full
disk), the joined answer is that of one undisturbed search: nothing is lost, nothing counted twice.
"""
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, check, finish, folder, is_valid,
                 refuses, run, section, told, until, write)

os.environ['CAIRN_NO_SYNC'] = '1'   # of test builds: nothing here survives the machine anyway
rng = random.Random(f'work {SEED}')
CDL = 'examples/contexts/contexts.cdl'
MODEL = 'examples/contexts/behavior.fcr'
SMALL = write('small.cdl', ''.join(
    f'cdl c{i} is {{ main is {{ {"; ".join(["send 1 to {P}1"] * (i % 4 + 1))} }} }}\n'
    for i in range(12)))
BOX = write('box.fcr', '''type Box is queue 4 of 0..1
process P (&box : Box) is
  states idle, busy
  var x : 0..40 := 0
  from idle on not (empty box); box := dequeue box; to busy
  from busy select x := (x + 1) % 41; to busy [] to idle end
component Sys is var P_1 : Box par P(&P_1) end
Sys
''')
SEVERAL = ('check', BOX, '--context', SMALL)
SPLIT = ('check', MODEL, '--context', f'{CDL}:c7', '--split', 'always', '--split-depth', '2')
PATHS = ('check', 'examples/scheduling/scheduling.mil', '--partition', 'auto', '--split', 'always')


def essence(claim):
    """What must not depend on who did it, nor on how often."""
    if claim is None:
        return None
    keys = {key: claim.get(key) for key in (
        'verdict', 'complete', 'states', 'transitions', 'initial_states', 'deadlocks', 'depth',
        'engine', 'assurance')}
    keys['properties'] = [(p['name'], p['verdict'], p.get('reason'), p.get('vacuous'),
                           p['trace'] and len(p['trace']['steps'])) for p in claim['properties']]
    keys['contexts'] = [(c['context'], c.get('states'), c.get('transitions'), c.get('verdict'))
                        for c in claim.get('contexts', [])]
    statistics = claim['statistics']
    keys['statistics'] = [statistics.get(key) for key in (
        'expanded', 'ends', 'counts_are_net', 'gross_states', 'parts', 'parts_not_searched')]
    return keys


def differs(claim, other, result=None):
    one, two = essence(claim), essence(other)
    if one is None or two is None:
        return f'no object: {result and result.stderr[-500:]}'
    return {key: (one[key], two[key]) for key in one if one[key] != two[key]}


def start(*arguments, program=None, env=None):
    return subprocess.Popen([program or CAIRN, *map(str, arguments)], cwd=ROOT,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, **(env or {})))


def join(arguments, where, **more):
    return told(*arguments, '--work', where, '--join', **more)


def state(where):
    result = run('status', where, '--json')
    if result.returncode:
        return None
    claim = json.loads(result.stdout)
    is_valid(claim, ('status', where))
    return claim


# ---- the three steps ----

def three_steps(name, arguments):
    where = folder('work')
    alone, whole = told(*arguments)
    prepared = run(*arguments, '--work', where, '--prepare')
    check(f'{name}: prepared', prepared.returncode == 0, prepared.stderr)
    seen = state(where)
    check(f'{name}: parts wait', seen and seen['counts']['waiting'] and not seen['over'], seen)
    early, claim = join(arguments, where)
    check(f'{name}: joined too early it is inconclusive',
          early.returncode == 3 and claim and not claim['complete'],
          (early.returncode, early.stderr))
    workers = [start(*arguments, '--work', where, '--part', 'auto') for _ in range(3)]
    ends = [worker.communicate(timeout=PATIENCE) for worker in workers]
    codes = {worker.returncode for worker in workers}
    seen = state(where)
    check(f'{name}: three workers end', codes <= {0, 1} and seen['over'] and not
          seen['counts']['waiting'], (codes, ends, seen))
    result, claim = join(arguments, where)
    check(f'{name}: the joined answer is that of one search',
          result.returncode == alone.returncode and not differs(claim, whole, result),
          (result.returncode, differs(claim, whole, result)))
    joins = [start(*arguments, '--work', where, '--join', '--json') for _ in range(2)]
    texts = [each.communicate(timeout=PATIENCE)[0] for each in joins]
    two = [json.loads(text) for text in texts]
    for each in two:   # of the process that joins, not of the search
        for one in [each, *each.get('contexts', [])]:
            one.pop('peak_memory_bytes', None)
    check(f'{name}: two joins at once say the same', two[0] == two[1],
          [key for key in two[0] if two[0][key] != two[1].get(key)])
    again = run(*arguments, '--work', where, '--part', 'auto')
    check(f'{name}: there is nothing to do for another worker', again.returncode == 0,
          (again.returncode, again.stderr))
    return where


section(three_steps, 'contexts', SEVERAL)
section(three_steps, 'a split', SPLIT)
section(three_steps, 'p-paths', PATHS)


def one_run():
    """Without the steps: a run does all, and shares with others."""
    for arguments in (SEVERAL, SPLIT):
        where = folder('work')
        _, whole = told(*arguments)
        other = start(*arguments, '--work', where, '--part', 'auto')
        result, claim = told(*arguments, '--work', where, '--resume')
        other.communicate(timeout=PATIENCE)
        check('one run and a worker: the answer of one search', not differs(claim, whole, result),
              differs(claim, whole, result))


section(one_run)


def refusals():
    where = folder('work')
    run(*SEVERAL, '--work', where, '--prepare')
    refuses('a folder of another search', 'another model', *SEVERAL, '--no-deadlock', '--work',
            where, '--part', 'auto')
    refuses('a folder with an earlier run', '--resume', *SEVERAL, '--work', where)
    refuses('no folder to join', 'no work', *SEVERAL, '--work', folder('none'), '--join')
    refuses('nothing that is divided', 'divided', 'check', 'examples/peterson/peterson.mil',
            '--work', folder('none'), '--part', 'auto')
    refuses('a worker without a folder', '--work', *SEVERAL, '--part', 'auto')
    refuses('two steps at once', 'of their own', *SEVERAL, '--work', where, '--prepare', '--join')
    refuses('Slurm without a folder', '--work', *SEVERAL, '--slurm', '--mem=1G')
    result = run('status', folder('none'))
    check('no status of a folder without work',
          result.returncode == 2 and 'no work' in result.stderr, result.stderr)
    table = run('status', where)
    check('status: a table', table.returncode == 0 and '12 contexts' in table.stdout
          and 'waiting' in table.stdout, table.stdout)
    memory = run(*SEVERAL, '--work', where, '--part', 'auto', '--memory', '900M', '--time', '1h',
                 '--threads', '2', '-v')
    check('workers may have other memory, time and threads', memory.returncode == 0, memory.stderr)


section(refusals)


# ---- trouble ----

def kill(name, arguments, count, program=None):
    """Workers killed with -9 at random moments, all of them with their processes."""
    _, whole = told(*arguments)
    where, kills = folder('work'), 0
    before = time.monotonic()
    run(*arguments, '--work', folder('once'), '--part', 'auto', program=program)
    took = time.monotonic() - before
    for _ in range(count):
        workers = [start(*arguments, '--work', where, '--part', 'auto', program=program)
                   for _ in range(2)]
        time.sleep(rng.uniform(0, took))
        for worker in workers:
            kills += worker.poll() is None
            worker.kill()
        for worker in workers:
            worker.communicate()
        if kills and rng.random() < 0.2:
            join(arguments, where)   # somebody who looks disturbs nobody
    last = run(*arguments, '--work', where, '--part', 'auto', program=program)
    result, claim = join(arguments, where)
    check(f'{name}: {kills} workers killed at random moments, then one that does the rest',
          last.returncode in (0, 1) and not differs(claim, whole, result),
          (last.returncode, last.stderr[-300:], differs(claim, whole, result)))
    return kills


def killed():
    total = kill('contexts', SEVERAL, 25 if LONG else 2) + kill('a split', SPLIT, 25 if LONG else 2)
    if LONG:
        kill('p-paths', PATHS, 25)
        kill('degenerate', SPLIT, 25, program=DEGENERATE)
    check('... some of them while they were at work', total > 0, total)


section(killed)


def late():
    """Files of others are seen late, as on machines that have an old list of a folder."""
    env = {'CAIRN_SEE_LATE': '700'}
    for arguments in (SEVERAL, SPLIT):
        where = folder('work')
        _, whole = told(*arguments)
        workers = [start(*arguments, '--work', where, '--part', 'auto', program=DEGENERATE, env=env)
                   for _ in range(2)]
        ends = [worker.communicate(timeout=PATIENCE)[1][-300:] for worker in workers]
        result, claim = join(arguments, where)
        check('files that are seen late: the answer of one search',
              {w.returncode for w in workers} <= {0, 1} and not differs(claim, whole, result),
              (ends, differs(claim, whole, result)))


section(late)


def other_host(text):
    """A claim as if somebody else had made it, on another machine."""
    lines = [line if not line.startswith('owner ') else 'owner elsewhere_1_1_deadbeef_1'
             for line in text.splitlines()]
    return '\n'.join(lines) + '\n'


def stale():
    """Claims of owners on other machines: by their age, on the clock of the file system."""
    for arguments, where_claims in ((SEVERAL, 'claims'), (SPLIT, 'parts/claims')):
        where = folder('work')
        _, whole = told(*arguments)
        run(*arguments, '--work', where, '--prepare')
        name = 'c3' if arguments is SEVERAL else '000001'
        claim_file = os.path.join(where, where_claims, name)
        with open(claim_file, 'w') as file:
            file.write(other_host('cairn claim 1\nstate running\nowner x\nsince 1.0\nend\n'))
        result = run(*arguments, '--work', where, '--part', 'auto', '--no-wait')
        seen = state(where)
        check('a claim of another machine that is fresh is respected',
              result.returncode == 0 and seen['counts']['running'] == 1, (result.stderr, seen))
        # as if it had not been renewed for long; the clock of this machine says nothing
        old = time.time() - 3000
        os.utime(claim_file, (old, old))
        check('... one that is old is shown as gone', state(where)['counts']['gone'] == 1)
        result = run(*arguments, '--work', where, '--part', 'auto')
        joined, claim = join(arguments, where)
        check('... and is taken over', result.returncode == 0 and not differs(claim, whole, joined),
              (result.stderr, differs(claim, whole, joined)))
    # an attempt of a machine that may live still is copied, not touched
    where = folder('work')
    arguments = SPLIT
    run(*arguments, '--work', where, '--part', 'auto')
    part = os.path.join(where, 'parts', '000001')
    kept = glob.glob(os.path.join(part, 'kept.*'))[0]
    foreign = os.path.join(part, 'try.elsewhere_1_1_deadbeef_1.0')
    os.rename(kept, foreign)
    os.remove(os.path.join(part, 'done'))
    os.remove(os.path.join(foreign, 'outcome'))
    os.remove(os.path.join(where, 'parts', 'claims', '000001'))
    before = {name: os.path.getmtime(os.path.join(foreign, name)) for name in os.listdir(foreign)}
    result = run(*arguments, '--work', where, '--part', 'auto')
    joined, claim = join(arguments, where)
    _, whole = told(*arguments)
    after = {name: os.path.getmtime(os.path.join(foreign, name)) for name in os.listdir(foreign)}
    check('what another machine has begun is copied and left alone',
          before == after and not differs(claim, whole, joined),
          (before, after, differs(claim, whole, joined)))


section(stale)


def standing_still():
    """A worker that stands still for longer than others wait, and then goes on."""
    where = folder('work')
    _, whole = told(*SPLIT)
    slow = start(*SPLIT, '--work', where, '--part', 'auto', '--takeover', '1s')
    until(lambda: slow.poll() is not None
          or glob.glob(os.path.join(where, 'parts', 'claims', '0*')))
    slow.send_signal(signal.SIGSTOP)
    other = run(*SPLIT, '--work', where, '--part', 'auto', '--takeover', '1s')
    slow.send_signal(signal.SIGCONT)
    _, errors = slow.communicate(timeout=PATIENCE)
    result, claim = join(SPLIT, where)
    check('a worker that stood still: nothing is counted twice',
          other.returncode == 0 and slow.returncode in (0, 3) and not differs(claim, whole, result),
          (other.returncode, slow.returncode, errors[-300:], differs(claim, whole, result)))


section(standing_still)


def more_memory():
    """A run whose parts end for want of memory, while another one, with enough, does them."""
    arguments = ('check', MODEL, '--context', f'{CDL}:c7', '-D', 'size=20', '--split', 'always',
                 '--split-depth', '2')
    _, whole = told(*arguments)
    where = folder('work')
    run(*arguments, '--work', where, '--prepare')
    held = os.path.join(where, 'parts', 'claims', '000010')
    with open(held, 'w') as file:
        file.write(other_host('cairn claim 1\nstate running\nowner x\nsince 1.0\nend\n'))
    small = start(*arguments, '--work', where, '--resume', '--memory', '1300K', '--json', '-q')

    def is_stuck():
        counts = state(where)['counts']
        return counts['failed'] > 3 and not counts['waiting'] and counts['running'] == 1
    until(lambda: small.poll() is not None or is_stuck())
    large = run(*arguments, '--work', where, '--part', 'auto', '--no-wait')
    waited = small.poll() is None
    os.remove(held)
    last = run(*arguments, '--work', where, '--part', 'auto')
    output, errors = small.communicate(timeout=PATIENCE)
    joined, claim = join(arguments, where)
    check('more memory: what is joined is whole',
          large.returncode == last.returncode == 0 and claim and claim['complete']
          and claim['states'] >= whole['states'], (large.stderr, last.stderr, joined.stderr))
    ours = json.loads(output)
    check('more memory: who waited says what the folder says, or that something is missing',
          waited and (not ours['complete'] or ours['states'] == claim['states']),
          (waited, errors[-300:], ours['complete'], ours['states'], claim['states']))


section(more_memory)


def full_disk():
    for at in range(1, 30 if LONG else 6, 2):
        where = folder('work')
        run(*SPLIT, '--work', where, '--prepare')
        first = run(*SPLIT, '--work', where, '--part', 'auto', program=DEGENERATE,
                    env={'CAIRN_FAIL_WRITE': str(at)})
        second = run(*SPLIT, '--work', where, '--part', 'auto')
        result, claim = join(SPLIT, where)
        if not check('a full disk: status 3, and the next worker goes on',
                     first.returncode in (0, 3) and second.returncode == 0
                     and not differs(claim, told(*SPLIT)[1], result),
                     (at, first.returncode, second.returncode, second.stderr[-300:],
                      differs(claim, told(*SPLIT)[1], result))):
            break
    where = folder('work')
    run(*SEVERAL, '--work', where, '--prepare')
    limited = subprocess.run(['sh', '-c', 'ulimit -f 1; exec "$0" "$@"', CAIRN, *SEVERAL, '--work',
                              where, '--part', 'auto'], capture_output=True, text=True, cwd=ROOT,
                             timeout=PATIENCE)
    check('results that cannot be written: no crash', limited.returncode in (1, 2, 3),
          (limited.returncode, limited.stderr[-300:]))
    run(*SEVERAL, '--work', where, '--part', 'auto')
    result, claim = join(SEVERAL, where)
    check('... and the next worker goes on', not differs(claim, told(*SEVERAL)[1], result),
          differs(claim, told(*SEVERAL)[1], result))


section(full_disk)


# ---- ends ----

VIOLATED = write('violated.cdl', 'predicate small is { {P}1:x < 40 }\n' + ''.join(
    f'cdl c{i} is {{ {"assert small" if i == 0 else ""} main is {{ send 1 to {{P}}1 }} }}\n'
    for i in range(8)))
BAD = ('check', BOX, '--context', VIOLATED)


def stopping():
    where = folder('work')
    worker = run(*BAD, '--work', where, '--part', 'auto')
    check('a worker that found a violation says so', worker.returncode == 1, worker.stderr)
    result, claim = join(BAD, where)
    check('... and so does the join', result.returncode == 1
          and not differs(claim, told(*BAD)[1], result), differs(claim, told(*BAD)[1], result))
    where = folder('work')
    first = run(*BAD, '--first', '--work', where, '--part', 'auto')
    seen = state(where)
    check('--first: a violation stops all', first.returncode == 1 and seen['stopped']
          and seen['counts']['waiting'] and os.path.exists(os.path.join(where, 'stop')), seen)
    result, claim = join((*BAD, '--first'), where)
    check('... and the answer is that it is violated',
          result.returncode == 1 and claim['verdict'] == 'violated', (result.returncode, claim))
    for name in (signal.SIGTERM, signal.SIGUSR1):
        where = folder('work')
        arguments = ('check', MODEL, '--context', f'{CDL}:c40', '-D', 'size=200', '--split',
                     'always', '--split-depth', '2')
        worker = start(*arguments, '--work', where, '--part', 'auto')
        until(lambda: worker.poll() is not None
              or len(glob.glob(os.path.join(where, 'parts', 'claims', '0*'))) > 1)
        worker.send_signal(name)
        _, errors = worker.communicate(timeout=PATIENCE)
        seen = state(where)
        check(f'{name.name}: the worker leaves its part to others',
              worker.returncode in (0, 3) and not seen['counts']['running']
              and not seen['counts']['gone'], (worker.returncode, errors[-300:], seen['counts']))
        run(*arguments, '--work', where, '--part', 'auto')
        result, claim = join(arguments, where)
        check('... who go on with it', not differs(claim, told(*arguments)[1], result),
              differs(claim, told(*arguments)[1], result))
    where = folder('work')
    os.mkdir(where)
    write(os.path.join(where, 'stop'), '')
    stopped = run(*SEVERAL, '--work', where, '--part', 'auto')
    check('a file stop ends a worker at once', state(where)['counts']['waiting'] >= 11
          and stopped.returncode in (0, 3), (stopped.returncode, state(where)['counts']))
    run(*SEVERAL, '--work', where, '--prepare')
    check('... and --prepare lets them go on', not state(where)['stopped'])


section(stopping)


def frozen():
    """Contexts that are frozen: a worker that leaves one has not lost what it did."""
    where = folder('work')
    arguments = ('check', MODEL, '--context', CDL, '-p', 'deadlock')
    more = ('--freeze', os.path.join(where, 'frozen'))
    worker = start(*arguments, '--work', where, *more, '--part', 'auto')
    until(lambda: worker.poll() is not None
          or glob.glob(os.path.join(where, 'frozen', '*', 'try.*')))
    worker.kill()
    worker.communicate()
    run(*arguments, '--work', where, *more, '--part', 'auto', '--threads', '2')
    result, claim = join(arguments, where)
    _, whole = told(*arguments, '--freeze', folder('plain'))
    check('frozen contexts, killed and gone on with', not differs(claim, whole, result),
          differs(claim, whole, result))
    check('... leave no files', not glob.glob(os.path.join(where, 'frozen', '*')),
          glob.glob(os.path.join(where, 'frozen', '*', '*')))


section(frozen)


def damage():
    where = folder('work')
    _, whole = told(*SPLIT)
    run(*SPLIT, '--work', where, '--part', 'auto')
    for name in ('done', 'kept.*/outcome', 'kept.*/journal', 'gone'):
        again = folder('again')
        shutil.copytree(where, again)
        pattern = 'done' if name == 'gone' else name
        file = rng.choice(glob.glob(os.path.join(again, 'parts', '0*', pattern)))
        if name == 'gone':
            os.remove(file)
        else:
            with open(file, 'r+b') as out:
                out.truncate(os.path.getsize(file) // 2)
        worker = run(*SPLIT, '--work', again, '--part', 'auto')
        result, claim = join(SPLIT, again)
        keys = differs(claim, whole, result)
        gross = claim and not claim['statistics'].get('counts_are_net', True)
        check(f'a damaged {name}: searched again, or counts that say they are gross',
              not keys or (gross and claim['verdict'] == whole['verdict'])
              or set(keys) == {'statistics'}, (worker.stderr, keys))


section(damage)
finish()
