"""Faults of the machine: the n-th allocation fails, for every n; the disk is full; nobody reads the
output; a file may not grow.

A sanitized build is run with CAIRN_FAIL_ALLOCATION=n for n = 1, 2, 3, ... until the run is no
longer affected. Every run must end with one of the documented statuses, without a leak or a report
of a sanitizer, and with a status of 0 or 1 only when it tells the same as the undisturbed run.
"""
import concurrent.futures
import json
import os
import re
import resource
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, check, crashed, finish, path,
                 run, write)

EXAMPLE = os.path.join(ROOT, 'examples')
WORKERS = 2
# sanitized too; its store makes 2 allocations at first instead of 256
SMALL = (DEGENERATE if os.path.exists(DEGENERATE) else ASAN)
# more allocations than this in one command: some are left out, others with every SEED
ALL = (14 if not LONG else 100000)

# ---- the n-th allocation fails ----

TINY = write('tiny.mil', '''CONST n = 2;
ACTIONS meet; END
VARIABLES turn : 2 := 0; free : 1; END
LOCAL Worker
  LOCATIONS idle; busy; END
  ACTIONS think; END
  VARIABLES x : 2 := 0; END
  CASE
    [idle] [think] x < 2 : x := x + 1;
    [idle] [meet] turn == self : pc := busy;
    [busy] [think] 4 / (3 - x) > 1 & free == 1 : x := x + 1; turn := self;
    [busy] [meet] true : pc := idle;
  END
  SYNC meet; END
END
MAIN
  PROC w : Worker[n]; END
  CASE [meet] turn < 3 : turn := turn + 1; END
END
CTL  AG turn < 2; AG EF w[0].pc == idle; END
LTL  G F w[1].x == 0;  G (turn == 3 -> w[0].x <= 3); END
INVARIANTS small: w[0].x + w[1].x < 4; END
''')
WRONG = write('wrong.mil', '''CONST n = m; m = n;
VARIABLES x : 40 := 0; counter : 2; counter : 3; END
LOCAL T VARIABLES pc : 1 := 0; END CASE [0] [nothing] countr == 1 : pc := 1; END END
MAIN PROC p : S[2]; END CASE [a] true : ; ; END END
CTL AG (x; F x == 1; END
''')
TIMED = write('timed.cairn', '''cairn 1 model "timed" clock "x" classes 2 priority 1 > 0
process "p" type "P" pc "pc" location 0 "on" invariant "x" <= 4 location 1 "off" location 2 "out"
variable "pc" of "p" 0..2 = 0 variable "n" 0..3 = any
rule "a" part "p" when (eq "pc" 0) set "pc" 1 set "n" (add 2 "n" 1) guard "x" > 1 reset "x" class 0
rule "b" part "p" when (eq "pc" 1) when (lt "n" 3) set "pc" 0 interval [1, 2) class 1
rule "c" part "p" stays when (eq "pc" 1) set "n" (div 2 "n" 3) interval (2, infinity) class 0
rule "d" part "p" when (eq "pc" 1) when (eq "n" 3) set "pc" 2 set "n" (div 2 3 (sub 2 3 "n")) \
guard "x" < 2
property "small" invariant formula (le "n" 2)
property "back" ctl formula (exists (finally (and (eq "pc" 0) (eq "n" 2))))
''')
RUSHING = write('rushing.cairn', '''cairn 1 model "rushing" ranged clock "x" init 1 clock "y"
process "p" type "P" pc "pc" location 0 "on" location 1 "off" urgent location 2 "out"
variable "pc" of "p" 0..2 = 0 variable "n" 0..3 = any variable "y.set" hidden sets "y" -1..3 = -1
stays "p" 0 invariant "x" <= (add 0 "n" 3) if (gt "n" 1) invariant "y" - "x" <= 3
rule "a" urgent part "p" when (eq "pc" 0) guard "x" >= 2 guard "y" <= "n" set "pc" 1 reset "x" 1
rule "b" part "p" when (eq "pc" 1) set "pc" 0 set "y.set" (sub 0 "n" 1) guard "x" - "y" <= "n"
rule "c" part "p" when (eq "pc" 0) set "n" (sub 2 3 "n") guard "y" - "x" >= 1 if (eq "n" 2)
  reset "y"
rule "d" part "p" when (eq "pc" 1) set "pc" 2
property "small" invariant formula (le "n" 2)
''')
CLAIM = write('claim.hoa',
              'HOA: v1 States: 2 Start: 0 Start: 1 AP: 2 "a" "b" Alias: @x 0 & !1 Acceptance: 2 '
              'Inf(0) & Inf(!1) --BODY-- State: 0 [@x | 1] 1 {0} State: 1 {1} [t] 0 [!@x] 1 '
              '--END--\n')
TRACE = path('trace.itf.json')
DELAYS = path('delays.itf.json')
TEXT = path('tiny.cairn')


def normal(text):
    """What a run tells, without what differs from run to run, and without sizes of diagrams and
    clauses: a reordering that was refused changes these alone, or the end of the search for what is
    only watched."""
    text = re.sub(
        r'"(seconds|encoding_seconds|reach_seconds|peak_memory_bytes|peak_nodes|table_bytes|collect'
        r'ions|reorderings|\w+_nodes)": [^,\n]*', r'"\1": 0', text)
    text = re.sub(
        r'[\d.]+ s\b|\([\d,]+ states per second\)|[\d.]+ [KMG]iB|[\d,]+ clauses, [\d,]+ conflicts',
        '#', text)
    # the list is no reason to end
    text = re.sub(r' *("cluster_sizes|cluster sizes|ranks -?\d+ to).*\n', '', text)
    text = re.sub(r' *(reorderings|iteration \d+:).*\n', '', text)
    return re.sub(r'time +#.*|memory +#.*|\(largest frontier.*', '#', text)


def but_traces(claim, other):
    """What a claim tells, but for runs that either had no memory left for and says so."""
    lost = [one['name'] for each in (claim, other) for one in each['properties']
            if one['verdict'] == 'violated' and 'memory' in (one.get('reason') or '')]
    properties = [{key: one[key] for key in one if key not in ('trace', 'why', 'reason')}
                  if one['name'] in lost else one for one in claim['properties']]
    statistics = {key: value for key, value in claim['statistics'].items()
                  if key not in ('searches', 'space_bytes')}
    return normal(json.dumps(claim | {'properties': properties, 'statistics': statistics},
                             indent=1))


def fail(arguments, n, program=None):
    return run(*arguments, program=program or SMALL, env={'CAIRN_FAIL_ALLOCATION': str(n)})


def examine(name, arguments, n, usual, result):
    detail = (f'n={n} status={result.returncode} (usually '
              f'{usual.returncode})\n{result.stderr[-900:]}')
    if crashed(result):
        return f'crash: {detail}'
    if result.returncode == 3 and usual.returncode != 3:
        if 'memory' not in result.stderr + result.stdout:
            return f'no word about memory: {detail}'
        if '--json' in arguments and result.stdout.strip():
            try:
                claimed = json.loads(result.stdout)
            except ValueError:
                return f'half a JSON object on standard output: {detail}\n{result.stdout[-200:]}'
            if claimed['complete']:
                return f'claims to be complete with status 3: {detail}'
    elif result.returncode != usual.returncode:
        expected = json.loads(usual.stdout) if '--json' in arguments else None
        if (expected and result.returncode == 1
            and json.loads(result.stdout)['verdict'] == 'violated' == expected['verdict']):
            return None
        return f'another status: {detail}'
    # past-freeze order gives up its logs first, and with them traces; all else is the same
    elif 'forgotten for lack of memory' in result.stdout:
        def verdicts(text):
            return re.findall(
                r'"verdict": "\w+"|"states": \d+|"transitions": \d+|^  (?:holds|violated|unknown) '
                r'+\S+|[\d,]+ states, [\d,]+ transitions', text, re.M)
        if verdicts(result.stdout) != verdicts(usual.stdout):
            return f'another result without logs: {detail}'
    elif result.returncode in (0, 1) and normal(result.stdout) != normal(usual.stdout):
        if '--json' not in arguments:
            # A search that was cut short after it found a violation tells less, and says so.
            return None if 'ncomplete' in result.stdout else f'another result: {detail}'
        claimed, expected = json.loads(result.stdout), json.loads(usual.stdout)
        if claimed['complete'] and not expected['complete']:
            return f'claims to be complete: {detail}'
        for one, other in zip(claimed.get('properties', []), expected.get('properties', [])):
            if one['verdict'] not in ('unknown', other['verdict']):
                return f'another verdict of {one["name"]}: {detail}'
        if claimed['complete'] and but_traces(claimed, expected) != but_traces(expected, claimed):
            return f'another result: {detail}'
    return None


def undisturbed(arguments, program):
    """The usual run, and how many allocations it makes, which the program tells at its end."""
    usual = run(*arguments, program=program or SMALL, env={'CAIRN_COUNT_ALLOCATIONS': '1'})
    told = re.search(r'allocations: (\d+)\n\Z', usual.stderr)
    usual.stderr = usual.stderr[:told.start()] if told else usual.stderr
    return usual, int(told.group(1)) if told else 0


def every_allocation(name, *arguments, program=None):
    usual, count = undisturbed(arguments, program)
    if not check(f'{name}: the undisturbed run', not crashed(usual) and count,
                 usual.stderr[-900:]):
        return
    total = count + 5  # beyond the last one a run is the undisturbed one
    step = max(1, -(-total // ALL))
    numbers = sorted(set(range(1 + SEED % step, total + 1, step))
                     | set(range(1, min(total, 200 if LONG else 8) + 1))
                     | set(range(max(1, total - (100 if LONG else 28)), total + 1,
                                 1 if LONG else 4)))
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for n, result in zip(numbers, pool.map(lambda n: fail(arguments, n, program), numbers)):
            complaint = examine(name, arguments, n, usual, result)
            if complaint:
                wrong.append(complaint)
    check(f'{name}: each of {len(numbers)} of {total} allocations may fail', not wrong,
          f'{len(wrong)} wrong, the first: {wrong[:1]}')


if not check('there is a sanitized build', os.path.exists(ASAN), ASAN):
    finish()
check('a trace to replay',
      run('check', TINY, '-q', '--trace', TRACE).returncode == 1 and os.path.exists(TRACE))
check('a model text', run('translate', TINY, '--to', 'cairn', '-o', TEXT).returncode == 0)
every_allocation('check', 'check', TINY, '--engine', 'explicit')
every_allocation('automaton', 'automaton', '--ltl', 'G(a -> F b) & FGc', '--implies',
                 'GF(a | c) | FG!a')
every_allocation('automaton FILE', 'automaton', CLAIM, '--to', 'hoa', '--buchi')
every_allocation('check --json', 'check', TINY, '--json', '--engine', 'explicit', program=ASAN)
every_allocation('check --json, depth first', 'check', TINY, '--json', '--order', 'dfs',
                 '--invariant', 'turn / free < 9')
RANKED = write('ranked.cairn', '''cairn 1 model "ranked" process "p" type "P" process "c" type "C"
variable "r" of "c" 0..5 = 0 variable "x" of "p" 0..3 = 0 rank "r" table 6 1 2 4 4 5 5
rule "next" part "c" when (lt "r" 5) when (ne "x" 1) set "r" (table 0 "r") set "x" 0 rule "skip" \
part "c" when (eq "r" 1) set "r" 3
rule "up" part "p" when (lt "x" 3) set "x" (add 2 "x" 1) rule "bad" part "p" when (eq "r" 4) set \
"x" (mod 0 (div 0 3 "x") 4)
property "low" invariant formula (not (and (eq "r" 4) (eq "x" 3)))
''')
every_allocation('check --json, past-freeze', 'check', RANKED, '--json', '--order', 'past-freeze')
every_allocation('check, past-freeze', 'check', RANKED, '--order', 'past-freeze', '-v',
                 program=ASAN)
every_allocation('check --json, symbolic', 'check', TINY, '--json', '--engine', 'symbolic')
every_allocation('check --json, symbolic, breadth-first, one relation', 'check', TINY, '--json',
                 '--engine', 'symbolic', '--order', 'bfs', '--relation', 'monolithic')
every_allocation('explore, symbolic, labelled, verbose', 'explore', TINY, '-v', '--engine',
                 'symbolic', '--relation', 'labelled')
every_allocation('check --json, bounded', 'check', TINY, '--json', '--engine', 'bounded', '--bound',
                 '7')
every_allocation('check --json, bounded, proofs', 'check', TINY, '--json', '--engine', 'bounded',
                 '--bound', '3', '-p', 'ctl[0]', '--ltl', 'G F turn < 4', '--invariant', 'turn < 4')
every_allocation('check, bounded, safe steps', 'check', TINY, '--engine', 'bounded', '--bound', '8',
                 '--reduce', 'por', '-p', 'small', '--ltl', 'X turn == 0')
every_allocation('check, bounded, sets', 'check', TINY, '--engine', 'bounded', '--bound', '6',
                 '--reduce', 'steps', '--phase', 'auto', '--no-induction', '-p', 'ltl[1]', '-p',
                 'deadlock')
every_allocation('translate --to dimacs', 'translate', TINY, '--to', 'dimacs', '-p', 'small',
                 '--bound', '3')
every_allocation('translate --to dimacs, LTL', 'translate', TINY, '--to', 'dimacs', '-p', 'ltl[0]',
                 '--bound', '3')
check('a timed trace to replay',
      run('check', TIMED, '-q', '--trace', DELAYS).returncode == 1 and os.path.exists(DELAYS))
every_allocation('check, timed', 'check', TIMED)
every_allocation('check --json, timed, LTL', 'check', TIMED, '--json', '--ltl',
                 '(globally (finally (eq "pc" 0)))', '--ltl', '(finally (eq "pc" 1))')
every_allocation('check, timed, the whole zone graph', 'check', TIMED, '--zones', 'equal', '-v')
every_allocation('explore --json, timed', 'explore', TIMED, '--json', program=ASAN)
every_allocation('check, urgent rules and differences of clocks', 'check', RUSHING, '--zones',
                 'equal')
every_allocation('translate, urgent rules and differences of clocks', 'translate', RUSHING, '--to',
                 'cairn')
every_allocation('simulate, timed', 'simulate', TIMED, '--steps', '6', '--no-deadlock')
every_allocation('replay, timed', 'replay', DELAYS)
for form in ('dot', 'aut'):
    every_allocation(f'translate --to {form}, timed', 'translate', TIMED, '--to', form)
every_allocation('check in a context', 'check', os.path.join(EXAMPLE, 'behavior', 'open.fcr'),
                 '--context', os.path.join(EXAMPLE, 'behavior', 'orders.cdl') + ':five', '-D',
                 'n=5', '--engine', 'explicit')
every_allocation('check, a wrong model', 'check', WRONG)
every_allocation('check, a model text', 'check', TEXT, '--no-deadlock', '--engine', 'explicit')
every_allocation('check --trace --json=', 'check', TINY, '--trace', path('fault.itf.json'),
                 f'--json={path("fault.json")}', '-q', '--engine', 'explicit')
every_allocation('explore --json', 'explore', os.path.join(EXAMPLE, 'running', 'running.mil'),
                 '--json', '--engine', 'explicit')
every_allocation('check --reduce', 'check', TINY, '--reduce', 'por', '--ltl', 'X turn == 0',
                 '--json', '--engine', 'explicit')
every_allocation('explore --show', 'explore', TINY, '--show', 'process-model', '-p', 'small',
                 '--json')
every_allocation('simulate', 'simulate', TINY, '--seed', '3', '--steps', '5', '--no-deadlock')
every_allocation('simulate --json', 'simulate', TINY, '--json', '--trace', path('fault.itf.json'))
every_allocation('replay', 'replay', TRACE)
for form in ('cairn', 'dot', 'aut', 'promela', 'smv', 'ord', 'aiger', 'aag'):
    every_allocation(f'translate --to {form}', 'translate', TINY, '--to', form)

# ---- the disk is full, the output is closed ----


def complains(name, result, statuses=(2,)):
    good = result.returncode in statuses and not crashed(result) and 'error' in result.stderr
    check(name, good, f'status {result.returncode}: {result.stderr[-500:]}')


def to_full(*arguments):
    with open('/dev/full', 'w') as full:
        return subprocess.run([ASAN, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                              cwd=ROOT, timeout=PATIENCE, stdin=subprocess.DEVNULL)


def to_closed_pipe(*arguments):
    read, wrote = os.pipe()
    os.close(read)
    try:
        return subprocess.run([ASAN, *arguments], stdout=wrote, stderr=subprocess.PIPE, text=True,
                              cwd=ROOT, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    finally:
        os.close(wrote)


def without_stdout(*arguments):
    return subprocess.run([ASAN, *arguments], stderr=subprocess.PIPE, text=True, cwd=ROOT,
                          timeout=PATIENCE, stdin=subprocess.DEVNULL,
                          preexec_fn=lambda: os.close(1))


GOOD = write('good.mil',
             'VARIABLES x : 2 := 0; END ACTIONS a; END MAIN CASE [a] true : x := x + 1; END END '
             'INVARIANTS x <= 3; END\n')
commands = {
    'check': ('check', GOOD), 'check --json': ('check', GOOD, '--json'),
    'check with a violation': ('check', TINY),
    'check --engine bounded': ('check', GOOD, '--engine', 'bounded'),
    'translate --to dimacs': ('translate', GOOD, '--to', 'dimacs', '-p', 'deadlock', '--bound',
                              '3'),
    'explore': ('explore', GOOD), 'explore --json': ('explore', GOOD, '--json'),
    'simulate': ('simulate', GOOD),
    'simulate --json': ('simulate', GOOD, '--json'), 'simulate -i': ('simulate', GOOD, '-i'),
    'replay': ('replay', TRACE), 'replay -q': ('replay', TRACE, '-q'),
    'translate --to cairn': ('translate', GOOD, '--to', 'cairn'),
    'translate --to dot': ('translate', GOOD, '--to', 'dot'),
    'translate --to aut': ('translate', GOOD, '--to', 'aut'),
    'translate --to promela': ('translate', GOOD, '--to', 'promela'),
    'translate --to smv': ('translate', GOOD, '--to', 'smv'),
    'translate --to aiger': ('translate', GOOD, '--to', 'aiger'),
    'check --help': ('check', '--help'), '--help': ('--help',), '--version': ('--version',),
    '--manual': ('--manual',), '--completion': ('--completion',),
}
for name, command in commands.items():
    for where, runner in (('/dev/full', to_full), ('a closed pipe', to_closed_pipe),
                          ('no standard output', without_stdout)):
        complains(f'{name} to {where}', runner(*command))
for name, command in {
    'check --json=/dev/full': ('check', GOOD, '--json=/dev/full'),
    'explore --json=/dev/full': ('explore', GOOD, '--json=/dev/full'),
    'check --trace /dev/full': ('check', TINY, '--trace', '/dev/full'),
    'simulate --trace /dev/full': ('simulate', GOOD, '--trace', '/dev/full'),
    'simulate --json=/dev/full': ('simulate', GOOD, '--json=/dev/full'),
    'translate -o /dev/full': ('translate', GOOD, '--to', 'cairn', '-o', '/dev/full'),
    'dot -o /dev/full': ('translate', GOOD, '--to', 'dot', '-o', '/dev/full'),
    'check --json=folder': ('check', GOOD, f'--json={EXAMPLE}'),
    'check --json=nowhere': ('check', GOOD, '--json=/nowhere/at/all.json'),
    'check --json=': ('check', GOOD, '--json='),
    'check --trace folder': ('check', TINY, '--trace', EXAMPLE),
    'translate -o folder': ('translate', GOOD, '--to', 'smv', '-o', EXAMPLE),
}.items():
    complains(name, run(*command, program=ASAN))

saved = run('simulate', GOOD, '-i', program=ASAN, stdin='1\nw /dev/full\nw /nowhere/x\nw \nq\n')
check('simulate -i goes on when a run cannot be saved',
      saved.returncode == 0 and saved.stderr.count('cannot write') == 2 and not crashed(saved),
      saved.stderr[-500:])

# A limit on the size of files (SIGXFSZ would kill a program that does not expect it).
small = subprocess.run(
    [CAIRN, 'check', os.path.join(EXAMPLE, 'philosophers', 'phils.mil'),
     f'--json={path("big.json")}'], capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE,
    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
check('a file may not grow: said, not killed',
      small.returncode == 2 and 'cannot write' in small.stderr,
      f'status {small.returncode}: {small.stderr[-300:]}')

# Little memory for the whole process: malloc itself refuses.
for megabytes in (16, 32, 64):
    tight = subprocess.run(
        [CAIRN, 'explore', os.path.join(EXAMPLE, 'producer-consumer', 'pc.mil'), '-D', 'm=4',
         '--json', '--engine', 'explicit'], capture_output=True, text=True, cwd=ROOT,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                              (megabytes << 20, megabytes << 20)))
    try:
        told = json.loads(tight.stdout)
    except ValueError:
        told = None
    check(f'{megabytes} MB of address space',
          tight.returncode == 3 and told and told['complete'] is False,
          f'status {tight.returncode}: {tight.stderr[-300:]} {tight.stdout[-200:]}')
finish()
