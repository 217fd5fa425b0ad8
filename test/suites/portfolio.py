"""Several engines at the same time: --engine auto --threads N. The same verdicts and statuses as
the engines alone, on the examples and on random models; one JSON object; no process is left behind,
however the run ends; limits; Ctrl-C; processes that crash, lie or give up (hooks of the sanitized
build)."""
import fcntl
import glob
import json
import os
import re
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, LONG, PATIENCE, ROOT, SEED, at_work, check, crashed, finish, path,
                 processes, run, run_json, until, write)
from generate import generate

EXAMPLE = os.path.join(ROOT, 'examples')
RUNNING, PHILS, PETERSON = (os.path.join(EXAMPLE, *name)
                            for name in (('running', 'running.mil'), ('philosophers', 'phils.mil'),
                                         ('peterson', 'peterson.mil')))
HARD = os.path.join(EXAMPLE, 'elevator', 'el.mil') # neither engine ends soon
DIVIDES = write('divides.mil',
                'VARIABLES x : 2 := 3; END LOCAL P ACTIONS down; split; END VARIABLES pc : 1 := 0; '
                'END CASE [0] [down] x > 0 : x := x - 1; [0] [split] 6 / x > 2 : pc := 0; END END '
                'MAIN PROC p : P[1]; END END INVARIANTS fine: x < 4; third: 3 / x > 0; END')
RACE = ('--threads', '2')
numbers = iter(range(1 << 30))


# ---- processes ----

def alive(mark):
    """The processes that were started with this mark in their environment; zombies have none."""
    found = []
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{name}/environ', 'rb') as file:
                marked = f'CAIRN_MARK={mark}\0'.encode() in file.read()
        except OSError:
            continue
        if marked:
            found.append(int(name))
    return sorted(found)


def children(parent):
    """(process, state) of all children, zombies too."""
    return [(one, state) for one, (other, state, _) in processes().items() if other == parent]


def launch(*arguments, program=CAIRN, env=None, stdout=subprocess.PIPE):
    """Starts the program in a group of its own, with a mark."""
    mark = f'{os.getpid()}-{next(numbers)}'
    environment = dict(os.environ, CAIRN_MARK=mark,
                       ASAN_OPTIONS='detect_leaks=1:allocator_may_return_null=1', **(env or {}))
    process = subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.DEVNULL,
                               stdout=stdout, stderr=subprocess.PIPE, text=True, errors='replace',
                               env=environment, cwd=ROOT, start_new_session=True)
    return process, mark


def collect(process):
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return subprocess.CompletedProcess([], -999, out, err + 'timeout')
    return subprocess.CompletedProcess([], process.returncode, out, err)


def parse(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def race(name, *arguments, program=CAIRN, env=None):
    """One race with --json, which leaves nobody behind and tells one object; returns (result,
    object)."""
    process, mark = launch(*arguments, *RACE, '--json', program=program, env=env)
    result = collect(process)
    check(f'{name}: nobody is left', until(lambda: not alive(mark)), alive(mark))
    return result, parse(result.stdout)


# ---- the same answers ----

def agree(name, command, model, *arguments, program=CAIRN):
    alone = {engine: run_json(command, model, *arguments, '-q', '--engine', engine, '--time', '20s')
             for engine in ('explicit', 'symbolic')}
    result, ours = race(name, command, model, *arguments, '-q', program=program)
    if (not check(f'{name}: an object', ours is not None and not crashed(result),
                  f'{result.returncode} {result.stderr}')):
        return
    check(f'{name}: status', result.returncode in [status for status, _ in alone.values()],
          f'{result.returncode}, alone {alone["explicit"][0]} and {alone["symbolic"][0]}')
    if not check(f'{name}: an engine', ours['engine'] in alone, ours['engine']):
        return
    status, theirs = alone[ours['engine']]
    for key in ('states', 'transitions', 'deadlocks', 'complete', 'verdict'):
        check(f'{name}: {key}', ours.get(key) == theirs.get(key),
              f'{ours.get(key)} instead of {theirs.get(key)}')
    check(f'{name}: status of that engine', result.returncode == status,
          f'{result.returncode} instead of {status}')
    for one, other in zip(ours.get('properties', []), theirs.get('properties', [])):
        check(f'{name}: {one["name"]}', one['verdict'] == other['verdict'],
              f'{one["verdict"]} instead of {other["verdict"]}')
    check(f'{name}: why',
          ours['statistics']['why_engine'] == 'it was the first of explicit and symbolic to answer',
          ours['statistics']['why_engine'])


def examples():
    for model in sorted(glob.glob(os.path.join(EXAMPLE, '*', '*.mil'))
                        + glob.glob(os.path.join(ROOT, 'test', 'regress', '*.mil'))):
        with open(model, encoding='utf-8') as file:
            found = re.findall(r'^// expect((?: -D \w+=\d+)*): .*\bstates=(\d+)', file.read(), re.M)
        for constants, states in found:
            if int(states) <= (10 ** 5 if LONG else 3000):
                for command in ('check', 'explore'):
                    agree(f'{os.path.basename(model)}{constants} {command}', command, model,
                          *constants.split())


def random_models():
    first = 1 + 1000000 * SEED
    for seed in range(first, first + (1000 if LONG else 8)):
        model = write('random.mil', generate(seed))
        agree(f'seed {seed} check', 'check', model, program=ASAN if seed % 4 == 0 else CAIRN)
        if seed % 2:
            agree(f'seed {seed} explore', 'explore', model)
        if seed % 5 == 0:
            result, ours = race(f'seed {seed} --first', 'check', model, '--first', '-q')
            check(f'seed {seed} --first: status',
                  result.returncode
                  == run('check', model, '-q', '--engine', 'explicit', '--first').returncode
                  and ours, result.stderr)
        if seed % 5 == 1:
            result, ours = race(f'seed {seed} --reduce', 'check', model, '--reduce', 'por', '-q')
            check(f'seed {seed} --reduce: status',
                  result.returncode
                  == run('check', model, '-q', '--engine', 'explicit', '--reduce', 'por').returncode
                  and ours, result.stderr)


# ---- what users see ----

def options():
    for value in ('0', '-1', 'x', '', '99999999999999999999', '1.5'):
        check(f'--threads {value} is refused',
              run('check', RUNNING, '--threads', value).returncode == 2)
    for value in ('2', '3', '64', '1000000', '18446744073709551615'):
        status, ours = run_json('check', RUNNING, '--threads', value)
        check(f'--threads {value}', status == 1 and 'first of' in ours['statistics']['why_engine'],
              ours)
    status, ours = run_json('check', RUNNING, '--threads', '1')
    check('--threads 1 is one engine after the other',
          status == 1 and 'small' in ours['statistics']['why_engine'], ours)
    for words in (('--engine', 'explicit'), ('--engine', 'symbolic'), ('--order', 'dfs'),
                  ('--order', 'bfs'), ('--bound', '3'), ('--relation', 'monolithic')):
        result = run('check', RUNNING, *RACE, *words, '--json')
        ours = parse(result.stdout)
        several = ours and 'threads' in ours['statistics']
        check(f'{" ".join(words)} is one engine',
              ours and ('one thread' in result.stderr) != several
              and 'why_engine' not in ours['statistics'], result.stderr)
    check('a race says nothing about one thread', run('check', RUNNING, *RACE).stderr == '')
    check('--show is no race',
          run('explore', RUNNING, *RACE, '--show', 'process-model').returncode == 0)
    check('a bad model',
          run('check', write('bad.mil', 'VARIABLES x'), *RACE, '--json').returncode == 2)
    check('an unknown property', run('check', RUNNING, *RACE, '-p', 'nothing').returncode == 2)


def reports():
    itf, told = path('race.itf.json'), path('race.json')
    result = run('check', PHILS, *RACE, '-p', 'deadlock', '--trace', itf, f'--json={told}', '-v')
    check('the trace is saved',
          result.returncode == 1 and result.stdout.count('Saved the trace') == 1
          and run('replay', itf).returncode == 0, result.stderr)
    with open(told, encoding='utf-8') as file:
        check('the object is saved', json.load(file)['verdict'] == 'violated')
    check('-v tells how it went',
          re.search(r'note: the (explicit|symbolic) engine answered after', result.stderr)
          and re.search(r'note: the (explicit|symbolic) engine (was stopped|answered) after',
                        result.stderr), result.stderr)
    text = run('check', PETERSON, *RACE).stdout
    check('the text says why',
          text.count('this engine because it was the first of explicit and symbolic to answer')
          == 1, text)
    with open('/dev/full', 'w', encoding='utf-8') as full:
        process, mark = launch('check', PHILS, *RACE, stdout=full)
        result = collect(process)
    check('a full disk',
          result.returncode == 2 and result.stderr.count('cannot write') == 1 and not alive(mark),
          result.stderr)
    for closed in ('>&-', '>&- <&-', '>&- <&- 2>&-', '<&-'):
        done = subprocess.run(
            ['timeout', str(PATIENCE), 'sh', '-c',
             f'exec "$0" check "$1" --threads 2 --json {closed}', CAIRN, PHILS],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        check(f'closed streams: {closed}', done.returncode == (2 if '>&-' in closed else 1),
              done.returncode)
    result = run('check', DIVIDES, *RACE, '--json')
    ours = parse(result.stdout)
    check('what has no answer is not searched for ever',
          result.returncode == 1 and ours['complete']
          and 'first' in ours['statistics']['why_engine'], result.stdout)
    result = run('check', DIVIDES, *RACE, '-p', 'third', '--json')
    check('nor when nothing else was asked',
          parse(result.stdout)['properties'][0]['verdict'] == 'unknown', result.stdout)


def one_speaker():
    """While the chosen process tells, the others are gone; progress comes from one process at a
    time."""
    source, sink = os.pipe()
    fcntl.fcntl(sink, 1031, 4096) # F_SETPIPE_SZ: less than the object needs
    process, mark = launch('check', PHILS, '-D', 'n=7', *RACE, '--json', stdout=sink)
    os.close(sink)
    check('the chosen one tells alone',
          until(lambda: len(children(process.pid)) == 1) and len(alive(mark)) == 2,
          children(process.pid))
    check('no zombie waits', until(lambda: [state for _, state in children(process.pid)] == ['S']),
          children(process.pid))
    with os.fdopen(source, encoding='utf-8') as file:
        check('all of the object comes', parse(file.read()) is not None)
    process.communicate()
    result = run('explore', HARD, *RACE, '--progress', 'always', '--time', '3s')
    lines = [line for line in re.split('[\r\n]\033\\[K', result.stderr) if line]
    known = re.compile(
        r"[\d,]+ states, [\d.]+ M/s, depth \d+, [\d,]+ waiting, [\d.]+ \w+, \d+ s"
        r"( of [\d.]+ \w+ to [\d.]+ \w+ \(\d+% to \d+% done\))?(, memory full in [\d.]+ \w+)?"
        r"|[^:]{1,60}: [\d,]+ nodes, \d+ s, [\d.]+ \w+")
    check('progress does not mix', lines and all(known.fullmatch(line) for line in lines), lines)
    check('no progress without a terminal',
          run('explore', HARD, *RACE, '--time', '1s').stderr == '')
    process, _ = launch('explore', HARD, *RACE, '--progress', 'always', program=ASAN,
                        env={'CAIRN_RACE': 'explicit:crash'})
    shown = ''
    while 'nodes' not in shown and (more := process.stderr.read(1)):
        shown += more
    process.send_signal(signal.SIGINT)
    collect(process)
    check('the next one goes on showing progress', 'nodes' in shown, shown)


# ---- limits and signals ----

def limits():
    result, ours = race('--time', 'explore', HARD, '--time', '1.5s', '-q')
    check('--time ends it',
          result.returncode == 3 and not ours['complete']
          and 'time limit' in ours['statistics']['stop'], result.stderr)
    check('--time: the furthest',
          'it got furthest of explicit and symbolic' in ours['statistics']['why_engine'],
          ours['statistics'])
    result, ours = race('--memory', 'explore', HARD, '--memory', '40M', '--time',
                        '40s' if LONG else '3s', '-q')
    check('--memory ends it', result.returncode == 3 and not ours['complete'], result.stderr)
    check('--memory is shared', ours['peak_memory_bytes'] <= 24 << 20, ours['peak_memory_bytes'])
    for size in ('1', '1K', '100K', '300K', '1M', '2M', '4M'):
        result, ours = race(f'--memory {size}', 'check', PHILS, '--memory', size, program=ASAN)
        check(f'--memory {size}',
              not crashed(result) and ours is not None and result.returncode in (1, 3),
              f'{result.returncode} {result.stderr} {result.stdout}')
    for span in ('0', '0.001s', '0.01s'):
        result, ours = race(f'--time {span}', 'check', PHILS, '-D', 'n=8', '--time', span,
                            program=ASAN)
        check(f'--time {span}',
              not crashed(result) and ours is not None and result.returncode in (1, 3),
              f'{result.returncode} {result.stderr}')


def interruptions():
    def both(process):
        return until(lambda: len(children(process.pid)) == 2)

    for name, send in (('SIGINT', lambda p: p.send_signal(signal.SIGINT)),
                       ('Ctrl-C', lambda p: os.killpg(p.pid, signal.SIGINT)),
                       ('SIGTERM', lambda p: p.send_signal(signal.SIGTERM)),
                       ('SIGTERM to all', lambda p: os.killpg(p.pid, signal.SIGTERM))):
        for program in (CAIRN, ASAN):
            process, mark = launch('check', HARD, *RACE, '--json', program=program)
            check(f'{name}: two processes', both(process), children(process.pid))
            at_work(process.pid, 0.5)
            send(process)
            result = collect(process)
            ours = parse(result.stdout)
            check(f'{name}: what is known is told',
                  result.returncode == 3 and ours and 'interrupted' in ours['statistics']['stop'],
                  f'{result.returncode} {result.stderr} {result.stdout[-300:]}')
            check(f'{name}: nobody is left', until(lambda: not alive(mark)), alive(mark))
    process, mark = launch('check', HARD, *RACE, '--json')
    both(process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    result = collect(process)
    check('twice Ctrl-C', result.returncode == 3 and until(lambda: not alive(mark)),
          f'{result.returncode} {alive(mark)}')
    process, mark = launch('check', HARD, *RACE)
    both(process)
    process.kill()
    collect(process)
    check('kill -9 leaves nobody', until(lambda: not alive(mark)), alive(mark))
    process, mark = launch('explore', HARD, *RACE, '--json', '--time', '3s')
    both(process)
    os.kill(children(process.pid)[0][0], signal.SIGKILL)
    result = collect(process)
    check('a process that was killed',
          result.returncode == 3 and 'engine crashed: Killed' in result.stderr
          and parse(result.stdout) and not alive(mark), result.stderr)


# ---- processes that misbehave ----

def misbehave(name, deeds, status, *arguments, stderr='', engine=None, why='', at_once=None,
              forks=None, model=RUNNING):
    env = {'CAIRN_RACE': deeds, 'CAIRN_RACE_CONTENDERS': '2'}
    if at_once is not None:
        env['CAIRN_RACE_AT_ONCE'] = at_once
    if forks is not None:
        env['CAIRN_RACE_FORKS'] = forks
    result, ours = race(name, *(arguments or ('check', model)), program=ASAN, env=env)
    check(f'{name}: status', result.returncode == status,
          f'{result.returncode} instead of {status}: {result.stderr}')
    check(f'{name}: message', re.search(stderr, result.stderr) and 'Sanitizer' not in result.stderr,
          result.stderr)
    check(f'{name}: output',
          (ours is None and not result.stdout) if status == 4 else ours is not None, result.stdout)
    if engine:
        check(f'{name}: engine', ours and ours['engine'] == engine, ours and ours['engine'])
    if why:
        check(f'{name}: why', ours and why in ours['statistics']['why_engine'],
              ours and ours['statistics'])
    return ours


def misbehaviour():
    if not check('there is a sanitized build', os.path.exists(ASAN), ASAN):
        return
    misbehave('a crash', 'explicit:crash symbolic:last', 1,
              stderr='warning: the explicit engine crashed: Killed', engine='symbolic')
    misbehave('an assertion', 'symbolic:abort explicit:last', 1,
              stderr='warning: the symbolic engine crashed: Aborted', engine='explicit')
    misbehave('an early exit', 'explicit:exit symbolic:last', 1,
              stderr='explicit engine ended with status 0 and without an answer', engine='symbolic')
    misbehave('two crashes', 'explicit:crash symbolic:abort', 4, stderr='no engine is left')
    misbehave('a crash while telling', 'explicit:telling symbolic:last', 4,
              stderr='explicit engine crashed')
    misbehave('one hangs', 'explicit:hang', 1, engine='symbolic')
    misbehave('a crash, and the other gives up', 'explicit:crash symbolic:giveup', 3,
              stderr='explicit engine crashed', engine='symbolic',
              why='furthest of explicit and symbolic')
    misbehave('broken', 'explicit:broken symbolic:last', 4, stderr='BUG: a test asked for it')
    misbehave('broken, and the other waits', 'explicit:broken,explicit:last symbolic:giveup', 4,
              stderr='BUG: a test asked for it')
    misbehave('a trace that does not replay', 'explicit:badtrace symbolic:last', 4, 'check', PHILS,
              '-p', 'deadlock', stderr='BUG: the trace of .deadlock. does not replay')
    misbehave('a contradiction', 'explicit:partial,explicit:lie symbolic:last', 4, 'check',
              PETERSON,
              stderr="BUG: 'mutex' holds for the symbolic engine and is violated for the explicit "
              "engine")
    misbehave('a contradiction, the other way', 'symbolic:partial,symbolic:lie explicit:last', 4,
              'check', PETERSON,
              stderr="BUG: 'mutex' holds for the explicit engine and is violated for the symbolic "
              "engine")
    misbehave('one gives up', 'explicit:giveup symbolic:last', 1, engine='symbolic',
              why='first of explicit and symbolic')
    misbehave('one gives up late', 'symbolic:giveup explicit:last', 1, engine='explicit',
              why='first of explicit and symbolic')
    misbehave('both give up', 'explicit:giveup symbolic:giveup', 3, why='furthest')
    misbehave('both give up exploring', 'explicit:giveup symbolic:giveup', 3, 'explore', RUNNING,
              why='furthest')
    ours = misbehave('the one that decided more', 'explicit:giveup symbolic:partial', 3, 'check',
                     PETERSON, '-p', 'mutex', '-p', 'runtime-error', engine='symbolic',
                     why='furthest')
    check('partial verdicts',
          ours and {item['verdict'] for item in ours['properties']} == {'holds', 'unknown'})
    ours = misbehave('what only another one decided', 'explicit:partial symbolic:tail', 0, 'check',
                     PETERSON, '-p', 'mutex', '-p', 'runtime-error', engine='explicit')
    check('what only another one decided: is told',
          ours
          and {p['name']: (p['verdict'], p['engine']) for p in ours['properties']}
          == {'mutex': ('holds', 'explicit'), 'runtime-error': ('holds', 'symbolic')}, ours)
    two = ('check', PETERSON, '-p', 'first', '-p', 'second', '-p', 'runtime-error', '--invariant',
           'first: p[0].pc != critical', '--ltl', 'second: G F p[0].pc == critical')
    for deeds in ('explicit:partial symbolic:tail', 'explicit:tail symbolic:partial'):
        ours = misbehave(f'runs of another one, {deeds}', deeds, 1, *two)
        told = {p['name']: p for p in ours['properties']} if ours else {}
        check(f'runs of another one, {deeds}: both are shown',
              told
              and all(told[name]['verdict'] == 'violated' and told[name]['trace']
                      for name in ('first', 'second'))
              and told['second']['trace']['loop'] is not None
              and len({p['engine'] for p in told.values()}) == 2, ours)
    misbehave('a violation goes first', 'explicit:giveup symbolic:partial', 1, engine='symbolic')
    misbehave('memory refused in one', 'explicit:refuse symbolic:last', 1, engine='symbolic')
    ours = misbehave('memory refused in both', 'explicit:refuse symbolic:refuse', 3,
                     stderr='out of memory')
    check('memory refused: the object',
          ours and ours['engine'] is None and 'memory' in ours['assurance'], ours)
    misbehave('memory refused, the other gives up', 'explicit:refuse symbolic:giveup', 3,
              engine='symbolic')
    misbehave('one at a time', '', 1, engine='explicit', why='no other engine was started',
              at_once='1')
    misbehave('one at a time, and it gives up', 'explicit:giveup', 1, engine='symbolic',
              why='first of explicit and symbolic to answer, 1 at a time', at_once='1')
    misbehave('one at a time, and it crashes', 'explicit:crash', 1, engine='symbolic', at_once='1',
              stderr='explicit engine crashed')
    misbehave('no time for the next one', 'explicit:giveup,explicit:slow', 3, 'check', RUNNING,
              '--time', '0.3s', engine='explicit', at_once='1', why='no other engine was started')
    misbehave('no process', '', 1, 'check', RUNNING, '-v', engine='explicit', why='small',
              forks='0', stderr='no process for the explicit engine')
    misbehave('no process, in silence', '', 1, engine='explicit', forks='0', stderr='^$')
    misbehave('one process', 'explicit:slow', 1, engine='explicit',
              why='no other engine was started', forks='1')


def faults():
    """Allocations that fail, in the one process or in both."""
    usual = {item['name']: item['verdict']
             for item in run_json('check', RUNNING, '--engine', 'explicit')[1]['properties']}
    for n in [*range(1, 200, 1 if LONG else 41), *range(200, 3000, 1 if LONG else 263)]:
        result, ours = race(f'allocation {n}', 'check', RUNNING, program=ASAN,
                            env={'CAIRN_FAIL_ALLOCATION': str(n)})
        good = (not crashed(result) and ours
                and all(item['verdict'] in ('unknown', usual[item['name']])
                        for item in ours.get('properties', [])))
        check(f'allocation {n} fails',
              good and (result.returncode != 3 or 'memory' in result.stderr + result.stdout),
              f'{result.returncode} {result.stderr} {result.stdout}')


for part in (options, reports, examples, random_models, one_speaker, limits, interruptions,
             misbehaviour, faults):
    part()
finish()
