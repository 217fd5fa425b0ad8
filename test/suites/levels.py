"""Breadth-first searches with a folder (--freeze, --resume): random models against the same search
without one; runs that are killed, stopped by limits, or lose a part of their folder; full disks.

What a run with a folder tells, whether it went on from another run or not, is the whole object that
a plain search tells: counts, levels, verdicts, traces, rules and locations, and not only their
essence. Only what is about the folder itself, time and memory may differ.
"""
import os
import random
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from kit.damage import cut, flip, remove
from kit.torn import torn_runs
from lib import ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, at_work, check, crashed, finish
from lib import folder, refuses, run, section, spent, timeless, told, write
from hidden_models import Marked, draw
import generate
import ranked

os.environ['CAIRN_NO_SYNC'] = '1'  # of test builds: nothing here survives the machine anyway
PLAIN = ('--order', 'bfs', '--engine', 'explicit')


def whole(claim):
    """Everything but what is about the folder."""
    if not claim or not claim.get('engine'):
        return claim
    copy = timeless(claim)
    for key in ('frozen_bytes', 'levels_resumed'):
        copy['statistics'].pop(key, None)
    return copy


def differs(claim, plain, result):
    """What a run tells that a plain search does not."""
    if crashed(result):
        return f'crash: {result.returncode} {result.stderr[-600:]}'
    if not claim or not claim.get('engine'):
        return f'no object: {result.returncode} {result.stderr[-600:]}'
    one, two = whole(claim), whole(plain)
    return '' if one == two else str({key: (one.get(key), two.get(key))
                                      for key in one if one.get(key) != two.get(key)})[:1200]


def random_model(rng):
    """A file: with ranks, with temporal formulas, or with hidden variables."""
    kind = rng.random()
    if kind < 0.5:
        return write('random.cairn', ranked.random_model(rng)[0])
    seed = rng.randrange(1 << 30)
    if kind < 0.8:
        return write('random.mil', generate.generate(seed, rng.choice(['small', 'medium'])))
    return write('random.mil', draw(Marked, seed, lambda text: text)[0])


def text_of(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


# ---- random models ----

def random_runs(program, count, name, rng):
    wrong, resumed = [], 0
    for n in range(count):
        model = random_model(rng)
        command = 'explore' if rng.random() < 0.2 else 'check'
        extra = rng.choice([(), (), (), ('--first',), ('--bound', str(rng.randint(1, 6))),
                            ('--threads', '2')])
        extra = extra if command == 'check' or '--first' not in extra else ()
        usual, plain = told(command, model, *PLAIN, *extra, program=program)
        where = folder()
        result, frozen = told(command, model, '--freeze', where, *extra, program=program)
        fault = differs(frozen, plain, result)
        again, claim = told(command, model, '--freeze', where, '--resume', *extra, program=program)
        fault = fault or differs(claim, plain, again)
        if not fault and {result.returncode, again.returncode} != {usual.returncode}:
            fault = f'status {result.returncode}, {again.returncode}, not {usual.returncode}'
        resumed += 0 if fault else claim['statistics']['levels_resumed']
        if fault:
            wrong.append(f'model {n} {command} {extra}: {fault}\n{text_of(model)}')
    check(f'{name}: {count} random models, plain, frozen and resumed', not wrong and resumed,
          f'{len(wrong)} wrong: {wrong[:1]}')


def bounds(count, rng):
    """A run goes on with any other bound, and is that of this bound."""
    wrong = []
    for n in range(count):
        model = random_model(rng)
        where = folder()
        for bound in [rng.randint(0, 8) for _ in range(4)]:
            extra = ('--bound', str(bound)) if bound else ()
            _, plain = told('check', model, *PLAIN, *extra)
            result, claim = told('check', model, '--freeze', where, '--resume', *extra,
                                 program=DEGENERATE)
            fault = differs(claim, plain, result)
            if fault:
                wrong.append(f'model {n} bound {bound}: {fault}\n{text_of(model)}')
    check(f'{count} random models with one bound after the other', not wrong, wrong[:1])


# ---- kill -9 ----

def killed_writes(count, rng):
    """The n-th write is torn and the program killed; then the run goes on, or is killed again."""
    wrong, kills, resumed = [], 0, 0
    for n in range(count):
        model = random_model(rng)
        _, plain = told('check', model, *PLAIN)
        for words, at, times in torn_runs(('check', model), rng, wrong):
            kills += times
            result, claim = told(*words, program=DEGENERATE)
            fault = differs(claim, plain, result)
            resumed += 0 if fault else claim['statistics']['levels_resumed']
            if fault:
                wrong.append(f'model {n}, write {at}: {fault}\n{text_of(model)}')
    check(f'{kills} runs killed in the middle of a write go on as if nothing had been',
          kills > 5 and resumed and not wrong, f'{len(wrong)} wrong: {wrong[:1]}')


def cube(bits, steps):
    """Bits that flip freely, and a counter: many states, in many levels, violated late."""
    lines = ['cairn 1 model "cube" process "p" type "P"', f'variable "n" of "p" 0..{steps} = 0']
    lines += [f'variable "x{i}" of "p" 0..1 = 0' for i in range(bits)]
    lines += [f'rule "f{i}" part "p" set "x{i}" (sub 1 1 "x{i}")' for i in range(bits)]
    lines.append(f'rule "step" part "p" when (lt "n" {steps}) '
                 f'set "n" (mod 0 (add 0 "n" 1) {steps + 1})')
    every = '(and ' * (bits - 1) + '(eq "x0" 1) ' + ' '.join(
        f'(eq "x{i}" 1))' for i in range(1, bits))
    lines.append(f'property "all" invariant formula (not (and (eq "n" {steps}) {every}))')
    lines.append('property "back" ctl formula (all (globally (exists (finally (eq "x0" 0)))))')
    return '\n'.join(lines) + '\n'


def killed_at_random(count, rng, big, plain):
    before = spent()
    run('check', big, '--freeze', folder())
    all_of_it = spent() - before
    wrong, kills, resumed = [], 0, 0
    for _ in range(count):
        words = ['check', big, '--freeze', folder('kill')]
        for attempt in range(rng.randint(1, 3)):
            process = subprocess.Popen([CAIRN, *words] + (['--resume'] if attempt else []),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       cwd=ROOT)
            at_work(process.pid, rng.random() * all_of_it)
            process.kill()
            kills += process.wait() == -signal.SIGKILL
        result, claim = told(*words, '--resume')
        fault = differs(claim, plain, result)
        resumed += 0 if fault else claim['statistics']['levels_resumed']
        wrong += [fault] if fault else []
    check(f'kill -9 at random moments ({kills} times): the result of an undisturbed run',
          kills and not wrong, wrong[:1])
    print(f'note: {resumed} levels were taken over after kill -9', file=sys.stderr)


# ---- limits ----

def limits(rng, big, plain):
    where = folder('limits')
    result, claim = told('check', big, '--freeze', where, '--time', '0.05s')
    check('a time limit ends it as unknown', result.returncode == 3 and not claim['complete'],
          (result.returncode, claim and claim['assurance']))
    result, claim = told('check', big, '--freeze', where, '--resume')
    check('... and --resume finishes it', not differs(claim, plain, result),
          differs(claim, plain, result))
    memory, where, seen = 300, folder('limits'), []
    while memory < 1 << 16:
        result, claim = told('check', big, '--freeze', where, '--resume', '--memory', f'{memory}K')
        refused = result.returncode == 2 and 'memory was refused' in result.stderr
        good = refused or not claim['complete'] and result.returncode in (1, 3)
        if crashed(result) or not good:
            break
        seen.append((result.returncode, claim['states'] if claim.get('engine') else 0))
        memory = memory * 5 // 4
    check('more and more memory: it goes on, and ends with the usual result',
          result.returncode == 1 and not differs(claim, plain, result) and len(seen) > 3
          and len({states for _, states in seen}) > 2,
          (memory, seen, differs(claim, plain, result), result.stderr[-300:]))
    signalled(big, plain)


def signalled(big, plain):
    where = folder('limits')
    process = subprocess.Popen([CAIRN, 'check', big, '--freeze', where], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, cwd=ROOT)
    at_work(process.pid, 0.05)
    process.send_signal(signal.SIGINT)
    status = process.wait()
    result, claim = told('check', big, '--freeze', where, '--resume')
    check('a signal ends it, and --resume finishes it',
          status in (1, 3, -signal.SIGINT) and not differs(claim, plain, result),
          (status, differs(claim, plain, result)))


def refused_memory(program, most, name):
    """The n-th allocation is refused, of a new run and of one that goes on: it ends in order, and
    what it leaves can be resumed."""
    model = write('tiny.cairn', cube(3, 4))
    _, plain = told('check', model, *PLAIN)
    words = ('check', model, '--freeze', folder('refused'))
    run(*words, program=program)
    wrong, limited, n = [], 0, 0
    while n < most:
        n += 1 + n // (400 if LONG else 20)
        for resumes in (False, True):
            if not resumes:
                folder('refused')
            result, claim = told(*words, *(('--resume',) if resumes else ()), program=program,
                                 env={'CAIRN_FAIL_ALLOCATION': str(n)})
            limited += result.returncode == 3
            if crashed(result) or claim and claim.get('complete') and differs(claim, plain, result):
                wrong.append((n, resumes, result.returncode, result.stderr[-600:]))
            result, claim = told(*words, '--resume', program=program)
            if differs(claim, plain, result):
                wrong.append((n, resumes, 'resumed', differs(claim, plain, result)))
    check(f'{name}: the n-th allocation is refused, with a folder', limited and not wrong,
          f'{len(wrong)} wrong: {wrong[:1]}')


# ---- damage ----

def damage(name, spoil, model, plain, program=DEGENERATE, count=1):
    """After a complete run, spoils its folder: the next one must notice, or be right."""
    wrong = []
    for _ in range(count):
        where = folder('damage')
        words = ('check', model, '--freeze', where)
        run(*words, program=program)
        how = spoil(where)
        result, claim = told(*words, '--resume', program=program)
        if claim is None or claim.get('engine') is None:
            if crashed(result) or result.returncode != 2 or 'folder' not in result.stderr:
                wrong.append((how, result.returncode, result.stderr[-300:]))
        elif differs(claim, plain, result):
            wrong.append((how, result.returncode, differs(claim, plain, result)))
        else:
            again, claim = told(*words, '--resume', program=program)
            if differs(claim, plain, again):
                wrong.append((how, 'the second time', differs(claim, plain, again)))
    check(f'damage: {name}', not wrong, f'{len(wrong)} of {count} wrong: {wrong[:1]}')


def damages(rng, small):
    _, plain = told('check', small, *PLAIN)
    many = 150 if LONG else 20
    damage('none', lambda where: '', small, plain)
    damage('a bit of a pack', flip(rng, 'pack-*'), small, plain, count=many)
    damage('a bit of the journal', flip(rng, 'journal'), small, plain, count=many)
    damage('a cut pack', cut(rng, 'pack-*'), small, plain, count=many)
    damage('a cut journal', cut(rng, 'journal'), small, plain, count=many)
    damage('a missing pack', remove(rng, 'pack-*'), small, plain, count=many // 4)
    damage('a missing journal', remove(rng, 'journal'), small, plain)
    damage('a bit, sanitized', flip(rng, '*'), small, plain, program=ASAN, count=many // 4)
    damage('a bit of a pack, large blocks', flip(rng, 'pack-*'), small, plain, program=CAIRN,
           count=many // 2)


def full_disks(small, big, big_plain):
    _, plain = told('check', small, *PLAIN)
    wrong, full = [], 0
    for n in range(1, 400 if LONG else 30):
        words = ('check', small, '--freeze', folder('full'))
        result, claim = told(*words, program=DEGENERATE, env={'CAIRN_FAIL_WRITE': str(n)})
        if result.returncode == 1 and not differs(claim, plain, result):
            break
        full += 1
        if (crashed(result) or result.returncode not in (1, 2, 3)
                or 'No space left' not in result.stderr + result.stdout
                or (claim and claim.get('complete'))):
            wrong.append((n, result.returncode, result.stderr[-300:], result.stdout[-300:]))
        result, claim = told(*words, '--resume', program=DEGENERATE)
        if differs(claim, plain, result):
            wrong.append((n, 'resumed', differs(claim, plain, result)))
    check(f'the disk is full at any of {full} writes: inconclusive, and it can be resumed',
          full > 3 and not wrong, wrong[:1])
    limited = folder('limited')
    ended = subprocess.run(['sh', '-c', 'ulimit -f 2; exec "$0" "$@"', CAIRN, 'check', big,
                            '--freeze', limited], capture_output=True, text=True, cwd=ROOT,
                           timeout=PATIENCE)
    check('a limit on the size of files ends the run with status 3',
          ended.returncode in (1, 3) and 'too large' in ended.stdout,
          (ended.returncode, ended.stdout[-400:], ended.stderr))
    result, claim = told('check', big, '--freeze', limited, '--resume')
    check('... and --resume finishes it', not differs(claim, big_plain, result),
          differs(claim, big_plain, result))


# ---- what is refused, and shown ----

def refusals(small):
    other = folder('other')
    os.mkdir(other)
    with open(os.path.join(other, 'notes'), 'w', encoding='utf-8') as notes:
        notes.write('mine')
    refuses("somebody else's folder", 'not empty', 'check', small, '--freeze', other)
    refuses("somebody else's folder, resumed", 'not empty', 'check', small, '--freeze', other,
            '--resume')
    check('... which stays as it is', os.listdir(other) == ['notes'])
    refuses('a folder below a file', 'folder', 'check', small, '--freeze', small + '/x')
    where = folder()
    run('check', small, '--freeze', where)
    refuses('an earlier run', '--resume', 'check', small, '--freeze', where)
    refuses('a run of another model', 'another model', 'check', write('one.cairn', cube(2, 2)),
            '--freeze', where, '--resume')
    refuses('a run that asked something else', 'something else', 'check', small, '--freeze', where,
            '--resume', '--no-deadlock')
    rank = write('rank.cairn', ranked.random_model(random.Random(SEED), ranks=5)[0])
    where = folder()
    run('check', rank, '--freeze', where)
    refuses('a run in another order', 'something else', 'check', rank, '--freeze', where,
            '--resume', '--order', 'past-freeze')
    for words in (('--order', 'dfs'), ('--reduce', 'por'), ('--engine', 'symbolic'),
                  ('--engine', 'bounded'), ('--order', 'saturation')):
        refuses(' '.join(words), '--freeze', 'check', small, *words, '--freeze', folder())
    refuses('states with zones', 'past-freeze', 'check', small, '--engine', 'timed', '--freeze',
            folder())
    refuses('a model with time', 'past-freeze', 'check', 'examples/fischer/fischer.fcr',
            '--freeze', folder())
    shown = run('explore', small, '--freeze', folder())
    check('the text report has the bytes', 'in files' in shown.stdout, shown.stdout)
    none = write('none.cairn', 'cairn 1 model "none" process "p" type "P"\n'
                               'rule "idle" part "p"\n')
    where = folder()
    _, plain = told('check', none, *PLAIN)
    for words in ((), ('--resume',)):
        result, claim = told('check', none, '--freeze', where, *words)
        check(f'a model without variables {words}', not differs(claim, plain, result),
              differs(claim, plain, result))


RNG = random.Random(f'levels {SEED}')
SMALL = write('small.cairn', cube(5, 30))
BIG = write('big.cairn', cube(12, 40))
_, BIG_PLAIN = told('check', BIG, *PLAIN)
check('a larger model is violated', BIG_PLAIN and BIG_PLAIN['verdict'] == 'violated', BIG_PLAIN)
section(random_runs, CAIRN, 400 if LONG else 16, 'release', RNG)
section(random_runs, DEGENERATE, 400 if LONG else 8, 'degenerate', RNG)
# The degenerate program has the sanitizers, too.
if LONG:
    section(random_runs, ASAN, 100, 'sanitized', RNG)
section(bounds, 100 if LONG else 8, RNG)
section(killed_writes, 40 if LONG else 4, RNG)
section(killed_at_random, 40 if LONG else 4, RNG, BIG, BIG_PLAIN)
section(limits, RNG, BIG, BIG_PLAIN)
section(refused_memory, DEGENERATE, 4000 if LONG else 60, 'degenerate')
if LONG:
    section(refused_memory, ASAN, 4000, 'sanitized')
section(damages, RNG, SMALL)
section(full_disks, SMALL, BIG, BIG_PLAIN)
section(refusals, SMALL)
finish()
