"""Several threads in the explicit and the timed engine: the same counts, verdicts and lengths of
counterexamples as with one thread, whatever the number of threads, and always the same object;
limits, signals, what has one thread.

Random models are of two kinds: those of the oracle's generator, and our own, which have wider
levels, failing rules, final states, priorities and several initial states. Builds with test hooks
use several threads for levels of two states already. With LONG=1 also in a build with the thread
sanitizer."""
import json
import os
import random
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, at_work, check, crashed,
                 finish, path, run, spent, timeless, told, write)
from generate import generate
import ranked
import timed_ranks
from wide import random_model

EXPLICIT = ('--engine', 'explicit')
TSAN = os.path.join(ROOT, 'build/tsan/cairn')


def length(item):
    return len(item['trace']['steps']) if item.get('trace') else None


def essence(claim):
    """What must be as with one thread in a search that came to its end."""
    statistics = claim['statistics']
    keys = {key: claim[key]
            for key in ('states', 'transitions', 'initial_states', 'deadlocks', 'depth',
                        'complete')}
    keys |= {key: statistics.get(key)
             for key in ('runtime_errors', 'ends', 'expanded', 'levels', 'rules_never_taken',
                         'locations_never_reached', 'stop')}
    keys['properties'] = [(p['name'], p['verdict'], p.get('vacuous'), p.get('reason'), length(p))
                          for p in claim.get('properties', [])]
    return keys


def agree(name, one, several):
    """With one thread, and with several: alike, also where a search ends early, but for limits of
    memory and time."""
    if not any(limit in (one['statistics']['stop'] or '') for limit in ('memory', 'time')):
        ours, theirs = essence(several), essence(one)
        wrong = {key: (ours[key], theirs[key]) for key in theirs if ours[key] != theirs[key]}
        return check(name, not wrong, wrong)
    wrong = [(q['name'], 'holds in an incomplete search') for q in one['properties']
             if q['verdict'] == 'holds']
    return check(f'{name}, stopped', not wrong, wrong)


used = 0


def compare(name, arguments, program, counts, engine=EXPLICIT):
    global used
    base, one = told(*arguments, *engine, program=program)
    if (not check(f'{name}: one thread', one is not None and 'statistics' in one,
                  (base.stderr[-800:], one))):
        return
    first = None
    for threads in counts:
        result, ours = told(*arguments, *engine, '--threads', threads, program=program)
        where = f'{name} --threads {threads}'
        if (not check(f'{where}: an object',
                      ours is not None and 'statistics' in ours and not crashed(result),
                      result.stderr[-1500:])):
            continue
        agree(where, one, ours)
        if one['complete'] or ours['statistics']['stop'] == one['statistics']['stop']:
            check(f'{where}: status', result.returncode == base.returncode,
                  (result.returncode, base.returncode))
        if threads > 1 and 'threads' in ours['statistics']:
            used += 1
            check(f'{where}: so many', ours['statistics']['threads'] == threads, ours['statistics'])
            first = first or timeless(ours)
            check(f'{where}: always the same object', timeless(ours) == first,
                  [key for key in first if timeless(ours).get(key) != first[key]])


BUILDS = [('release', CAIRN), ('asan', ASAN), ('degenerate', DEGENERATE)]
if LONG:
    built = subprocess.run(['make', '-s', '-j2', 'MODE=tsan', 'build/tsan/cairn'], cwd=ROOT,
                           capture_output=True, text=True)
    if check('the build with the thread sanitizer', built.returncode == 0, built.stderr):
        BUILDS.append(('tsan', TSAN))

# ---- random models ----
for seed in range(1 + 1000000 * SEED, (400 if LONG else 18) + 1 + 1000000 * SEED):
    rng = random.Random(f'threads {seed}')
    own = write('random.cairn', random_model(rng))
    label, program = BUILDS[seed % len(BUILDS)]
    counts = (2, 3, 8) if seed % 2 else (1, 2, 5)
    compare(f'seed {seed} {label} check', ('check', own), program, counts)
    compare(f'seed {seed} {label} explore', ('explore', own), program, counts[1:])
    if seed % 3 == 0:
        compare(f'seed {seed} {label} --first', ('check', own, '--first'), program, counts[1:])
        compare(f'seed {seed} {label} --bound', ('check', own, '--bound', rng.randint(1, 6)),
                program, counts[1:])
    if seed % 2 == 0:
        compare(f'seed {seed} {label} oracle',
                ('check', write('random.mil', generate(seed, temporal=False))), program, (2, 3))

# ---- with time: zones ----
TIMED = ('--engine', 'timed')


def whole(claim):
    """With zones everything must be as with one thread, the statistics included."""
    ours = timeless(claim)
    ours['statistics'] = {key: value for key, value in ours['statistics'].items()
                          if key != 'threads' and 'bytes' not in key}
    for search in ours['statistics'].get('searches') or []:
        search.pop('seconds')
    return ours


def compare_zones(name, arguments, program):
    _, one = told(*arguments, *TIMED, program=program)
    for threads in (2, 3):
        result, ours = told(*arguments, *TIMED, '--threads', threads, program=program)
        good = one is not None and ours is not None and not crashed(result)
        if check(f'{name} --threads {threads}: an object', good, result.stderr[-1500:]):
            two = whole(ours)
            check(f'{name} --threads {threads}: that of one', two == whole(one),
                  {key: (two.get(key), value) for key, value in whole(one).items()
                   if two.get(key) != value})


ZONES = [(), ('--zones', 'equal'), ('--order', 'past-freeze'),
         ('--order', 'past-freeze', '--zones', 'equal'), ('--first',), ('--bound', '4'),
         ('--ltl', '(finally (globally (eq "x" 0)))'), ('--no-deadlock',)]
for seed in range(1 + 1000000 * SEED, (200 if LONG else 24) + 1 + 1000000 * SEED):
    rng = random.Random(f'zones {seed}')
    own = write('timed.cairn', timed_ranks.random_model(rng))
    label, program = BUILDS[seed % len(BUILDS)]
    for more in rng.sample(ZONES, 3):
        compare_zones(f'zones {seed} {label} {" ".join(more)}', ('check', own, *more), program)
for label, program in BUILDS:
    for more in ZONES[:4] + [('--ltl', '(finally (globally (eq "x1" 0)))')]:
        compare_zones(f'line {label} {" ".join(more)}',
                      ('check', write('line.cairn', timed_ranks.line(12, 2)), *more), program)
for name in ('fischer/fischer.fcr', 'fischer/broken.fcr', 'train-gate/crossing.fcr',
             'train-gate/restarted.fcr'):
    for label, program in BUILDS:
        for more in ZONES[:2]:
            compare_zones(f'{name} {label} {" ".join(more)}',
                          ('check', os.path.join('examples', name), *more), program)

# ---- examples ----
EXAMPLES = [('peterson/peterson-n.mil', '-D', 'n=3'), ('philosophers/phils.mil', '-D', 'n=7'),
            ('producer-consumer/pc.mil', '-D', 'm=1'),
            ('producer-consumer/pc.mil', '-D', 'm=3', '--bound', '20'),
            ('szymanski/szymanski.mil',),
            ('alternating-bit/abp.fcr',), ('running/running.mil',),
            ('cash-point/cp.mil', '-D', 'tills=2')]
for name, *more in EXAMPLES:
    compare(f'{name} explore', ('explore', os.path.join('examples', name), *more), CAIRN, (2, 8))
compare('philosophers asan', ('explore', 'examples/philosophers/phils.mil', '-D', 'n=5'), ASAN,
        (2, 3, 8))
compare('novariables', ('explore', 'test/regress/novariables.mil'), ASAN, (2,))
for build in BUILDS[3:]:
    for name, *more in EXAMPLES:
        compare(f'{name} {build[0]}', ('explore', os.path.join('examples', name), *more), build[1],
                (2, 4))
check('several threads were used', used > 50, used)

# ---- violations of every kind, and their runs ----
WIDE = write('wide.cairn',
             '\n'.join(
    ['cairn 1 model "wide"', 'process "p" type "P"', *[f'variable "{x}" 0..19 = 0' for x in 'abc'],
     *[f'rule "{x}" part "p" when (lt "{x}" 19) set "{x}" (mod 0 (add 0 "{x}" 1) 20)'
       for x in 'abc'],
     'rule "bad" part "p" when (ge (add 0 "a" "b") 30) when (lt "c" 10) set "c" (mod 0 (add 0 19 '
     '(div 0 19 (sub 0 "c" 4))) 20)',
     'property "sum" invariant formula (lt (add 0 (add 0 "a" "b") "c") 25)',
     'property "low" invariant formula (or (lt "a" 12) (lt "b" 12))',
     'property "met" invariant formula (implies (eq "a" 17) (le "b" 19))',
     'property "never" invariant formula (implies (gt "a" 19) (lt "b" 3))']) + '\n')
for label, program in BUILDS:
    if label == 'degenerate':
        continue  # 4 bits of hash for 8,000 states take long
    compare(f'wide {label}', ('check', WIDE), program, (2, 3, 8))
result, claim = told('check', WIDE, *EXPLICIT, '--threads', 2, '--trace', path('wide.itf'))
verdicts = {p['name']: (p['verdict'], p.get('vacuous'), length(p)) for p in claim['properties']}
check('what wide violates',
      [verdicts[x][0] for x in ('sum', 'low', 'met', 'never', 'deadlock', 'runtime-error')]
      == ['violated', 'violated', 'holds', 'holds', 'violated', 'violated'], verdicts)
check('shortest runs',
      [verdicts[x][2] for x in ('sum', 'low', 'deadlock', 'runtime-error')] == [26, 25, 44, 35],
      verdicts)
check('vacuity', (verdicts['met'][1], verdicts['never'][1]) in ((False, True), (None, True)),
      verdicts)
check('the run replays', run('replay', path('wide.itf')).returncode == 0)

# ---- limits ----
BIG = ('explore', 'examples/philosophers/phils.mil', '-D', 'n=13', *EXPLICIT)
for memory in ('1M', '3M', '8M', '20M'):
    result, claim = told(*BIG, '--threads', 3, '--memory', memory)
    good = (claim and not claim['complete'] and claim['statistics']['stop']
            and 'memory' in claim['statistics']['stop']
            and claim['peak_memory_bytes'] <= int(memory[:-1]) << 20)
    check(f'--memory {memory} is a result', result.returncode == 3 and good,
          (result.stderr[-500:], claim and claim['statistics']['stop']))
result, one = told(*BIG, '--memory', '20M')
check('as much fits as with one thread, nearly',
      claim and one and claim['states'] > 0.6 * one['states'],
      (claim and claim['states'], one and one['states']))
before = spent()
result, claim = told('explore', 'examples/philosophers/phils.mil', '-D', 'n=16', *EXPLICIT,
                     '--threads', 2, '--time', '0.6')
check('--time is a result',
      result.returncode == 3 and claim and 'time' in claim['statistics']['stop']
      and spent() - before < 15, (result.stderr[-500:], claim))
process = subprocess.Popen(
    [CAIRN, 'explore', 'examples/philosophers/phils.mil', '-D', 'n=16', *EXPLICIT, '--threads', '3',
     '--json', '--progress', 'always'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    cwd=ROOT)
at_work(process.pid, 2)
process.send_signal(signal.SIGINT)
output, errors = process.communicate(timeout=PATIENCE)
claim = json.loads(output) if output else None
check('SIGINT is a result',
      process.returncode == 3 and claim and not claim['complete']
      and 'interrupt' in claim['statistics']['stop'], (process.returncode, errors[-300:]))
check('progress', 'states' in errors, errors[:300])
for n in range(1, 900, 1 if LONG else 41):
    result = run('check', WIDE, *EXPLICIT, '--threads', 3, '--json', program=ASAN,
                 env={'CAIRN_FAIL_ALLOCATION': str(n)})
    check(f'refused allocation {n}', not crashed(result), result.stderr[-800:])

# ---- where searches end ----
def fan(wide, every, steps):
    """A level of so many states; each `every`th of them has so many steps, all to bad states."""
    lines = ['cairn 1 model "fan"', 'process "p" type "P"', 'variable "x" 0..999 = 0']
    lines += [f'rule "go" part "p" when (eq "x" 0) set "x" {i}' for i in range(1, wide + 1)]
    lines += [f'rule "on" part "p" when (and (ge "x" 1) (lt "x" 200)) '
              f'when (eq (mod 0 (sub 0 "x" 1) {every}) 0) set "x" (mod 0 (add 0 "x" {more}) 1000)'
              for more in range(200, 200 * (steps + 1), 200)]
    return '\n'.join([*lines, 'property "low" invariant formula (lt "x" 200)']) + '\n'


def ends(claim):
    return claim and (claim['states'], claim['transitions'], claim['statistics']['expanded'])


# Lots are 64 states or steps: a search ends after one, but not with only a part of a level's last
# state. (Once one state more was expanded where a lot had ended by its states.)
for shape, expected in (((100, 2, 1), (133, 132, 65)), ((66, 2, 1), (99, 98, 65)),
                        ((65, 2, 1), (99, 98, 66)), ((100, 1, 1), (165, 164, 64)),
                        ((22, 1, 3), (89, 88, 23)), ((23, 1, 3), (88, 87, 22))):
    for threads in (1, 2):
        _, claim = told('check', write('fan.cairn', fan(*shape)), '--first', '--no-deadlock',
                        *EXPLICIT, '--threads', threads)
        check(f'where --first ends: {shape}, {threads} threads', ends(claim) == expected,
              (ends(claim), expected))



def grid(size, bad):
    """Three counters, and a state that is bad, after many rounds with nothing to say."""
    lines = ['cairn 1 model "grid"', 'process "p" type "P"']
    lines += [f'variable "{v}" 0..{size - 1} = 0' for v in 'xyz']
    lines += [f'rule "{v}" part "p" when (lt "{v}" {size - 1}) '
              f'set "{v}" (mod 0 (add 0 "{v}" 1) {size})' for v in 'xyz']
    wrong = ' '.join(f'(or (ne "{v}" {at})' for v, at in zip('xyz', bad))
    return '\n'.join([*lines, 'rule "back" part "p" when (eq "x" "y") set "z" 0',
                      f'property "good" invariant formula {wrong} (ne "x" {bad[0]}))))']) + '\n'


# So do they when rounds were added by what was told of them.
for size, program in ((61, CAIRN), (25, DEGENERATE)):
    for bad in ((size // 2, size // 2 - 2, size // 4), (size // 5, 4 * size // 5, 3)):
        file = write('grid.cairn', grid(size, bad))
        expected = None
        for threads in (1, 2, 3):
            _, claim = told('check', file, '--first', *EXPLICIT, '--threads', threads,
                            program=program)
            expected = expected or ends(claim)
            check(f'where --first ends: {size} {bad}, {threads} threads',
                  ends(claim) == expected and expected[0] > 1000, (ends(claim), expected))

# Depth-first, a state is added as it is found: none after the end. (Once there was one more.)
_, claim = told('check', write('fan.cairn', fan(2, 1, 2)), '-p', 'deadlock', *EXPLICIT, '--order',
                'dfs')
check('where a depth-first search ends', ends(claim) == (3, 2, 1), ends(claim))

# States of a rank are found while others of it are expanded, by one thread or by several.
for seed in range(1 + 1000000 * SEED, (300 if LONG else 16) + 1 + 1000000 * SEED):
    own = write('ranked.cairn', ranked.random_model(random.Random(f'ends {seed}'))[0])
    compare(f'ranks {seed} --first', ('check', own, '--order', 'past-freeze', '--first'),
            DEGENERATE, (2, 3), ())

# ---- what had one thread once ----
PHILS = ('examples/philosophers/phils.mil', '-D', 'n=4')
CASH = ('examples/cash-point/cp.mil', '-D', 'tills=2')
for label, arguments in (
        ('ctl', ('check', *PHILS, '--ctl', 'AG(EF(true))', '--ltl', 'G(F(true))')),
        ('hidden', ('explore', 'examples/tie-breaker/counted.mil')),
        ('interactions', ('explore', *CASH, '--guide', 'examples/cash-point/queue.xgdl',
                          '--bound', 'auto'))):
    before = used
    compare(label, arguments, CAIRN, (2, 3))
    compare(label, arguments, DEGENERATE, (2, 3))
    check(f'{label}: several threads', used == before + 4, used - before)

# ---- what has one thread ----
for label, arguments in (('dfs', ('explore', *PHILS, *EXPLICIT, '--order', 'dfs')),
                         ('reduce', ('explore', *PHILS, *EXPLICIT, '--reduce', 'por')),
                         ('symbolic', ('explore', *PHILS, '--engine', 'symbolic'))):
    base, one = told(*arguments)
    result, claim = told(*arguments, '--threads', 4)
    check(f'{label} has one thread, and says so',
          claim and 'threads' not in claim['statistics'] and 'one thread' in result.stderr
          and 'one thread' not in base.stderr, result.stderr)
    check(f'{label} has the same result',
          claim and one and claim.get('states') == one.get('states')
          and result.returncode == base.returncode)
    check(f'{label} -q says nothing',
          'one thread' not in run(*arguments, '--threads', 4, '-q').stderr)
result, claim = told('explore', *PHILS, '--order', 'bfs', '--threads', 2)
check('--order bfs is the explicit engine, too',
      claim and claim['engine'] == 'explicit' and claim['complete'] and not result.stderr,
      result.stderr)
result, claim = told('check', *PHILS, '--threads', 2)
check('--engine auto is still a race', claim and 'first of' in claim['statistics']['why_engine'],
      claim and claim['statistics'])
finish()
