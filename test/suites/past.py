"""Past-freeze order: random models with a rank, against breadth-first search and against the metric
of the paper; frozen and resumed runs; damaged folders; full disks.

A random model is a random cyclic part beside a random acyclic automaton whose states are numbered
topologically: the rank. Every claim is about counts and verdicts, which must be those of
breadth-first search, and about traces, which must replay.
"""
import os
import random
import re
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, at_work, check, crashed,
                 finish, folder, refuses, run, section, spent, told, write)
from kit.damage import cut, flip, remove
from kit.torn import torn_runs
from ranked import random_local, random_model

os.environ['CAIRN_NO_SYNC'] = '1'   # of test builds: nothing here survives the machine anyway
COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks')


def reached_future(edges, sizes):
    """Equation 2 with the erratum, over the clusters that are there: for the i-th of them, how many
    later ones the first i lead to; the largest such number, and one."""
    there = sorted(sizes)
    best, future = 0, set()
    for rank in there:
        future |= {to for to in edges[rank] if to in sizes}
        future.discard(rank)
        future = {to for to in future if to > rank}
        best = max(best, len(future))
    return 1 + best


def essence(claim):
    """What must not depend on the order."""
    keys = {key: claim[key] for key in COUNTS}
    keys['errors'], keys['ends'] = claim['statistics'].get('runtime_errors'), claim[
        'statistics'].get('ends')
    keys['silent'] = (claim['statistics']['rules_never_taken'],
                      claim['statistics']['locations_never_reached'])
    keys['complete'] = claim['complete']
    keys['properties'] = [(p['name'], p['verdict'], p.get('vacuous'), p.get('reason'))
                          for p in claim.get('properties', [])]
    return keys


def differs(claim, other, result):
    if claim is None or other is None or claim.get('engine') is None:
        return f'no object: {result.returncode} {result.stderr[-600:]}'
    one, two = essence(claim), essence(other)
    return ('' if one == two
            else str({key: (one[key], two[key]) for key in one if one[key] != two[key]}))


def trace_lengths(claim):
    return [len(p['trace']['steps']) if p['trace'] else None for p in claim['properties']]


def random_runs(program, count, name, rng):
    wrong = []
    for n in range(count):
        text, edges = random_model(rng)
        model = write('random.cairn', text)
        usual, bfs = told('check', model, '--order', 'bfs')
        result, past = told('check', model, '--order', 'past-freeze', program=program)
        fault = (differs(past, bfs, result)
                 or ('crash ' + result.stderr[-500:] if crashed(result) else ''))
        if not fault and result.returncode != usual.returncode:
            fault = f'status {result.returncode}, not {usual.returncode}'
        if (not fault
            and any(p['verdict'] == 'violated' and not p['trace'] for p in past['properties'])):
            fault = 'a violation without a trace'
        if not fault and past['complete']:
            statistics = past['statistics']
            if 'cluster_sizes' in statistics:
                sizes = dict(map(tuple, statistics['cluster_sizes']))
                metric = reached_future(edges, sizes) if len(sizes) else 0
                starts = past['initial_states'] > 1   # several initial ranks are live at first
                if sum(sizes.values()) != past['states'] or len(sizes) != statistics['clusters']:
                    fault = f'sizes {sizes}'
                elif statistics['live_clusters_peak'] > metric and not starts:
                    fault = (f'{statistics["live_clusters_peak"]} clusters at once, more than '
                             f'{metric}')
                elif statistics['freed_states'] != past['states'] - sizes[max(sizes)]:
                    fault = f'freed {statistics["freed_states"]}'
        where = folder()
        result, frozen = told('check', model, '--order', 'past-freeze', '--freeze', where,
                              program=program)
        fault = (fault or differs(frozen, bfs, result)
                 or ('crash ' + result.stderr[-500:] if crashed(result) else ''))
        if not fault and trace_lengths(frozen) != trace_lengths(past):
            fault = 'other traces from files than from memory'
        result, again = told('check', model, '--order', 'past-freeze', '--freeze', where,
                             '--resume', program=program)
        fault = (fault or differs(again, bfs, result)
                 or ('crash ' + result.stderr[-500:] if crashed(result) else ''))
        if not fault and trace_lengths(again) != trace_lengths(past):
            fault = 'other traces after --resume'
        if fault:
            wrong.append(f'model {n}: {fault}\n{text}')
    check(f'{name}: {count} random models, breadth-first against past-freeze, frozen, resumed',
          not wrong, f'{len(wrong)} wrong: {wrong[:1]}')


def reduced_runs(program, count, name, rng):
    """--reduce: every verdict and every deadlock of breadth-first search, in fewer states."""
    wrong, whole, reduced = [], 0, 0
    for n in range(count):
        model = write('local.cairn',
                      random_local(rng) if rng.random() < 0.8 else random_model(rng)[0])
        _, bfs = told('check', model, '--order', 'bfs')
        expected = {p['name']: p['verdict'] for p in bfs['properties']}
        for reduction in (('por',), ('deadlock',), ('two-phase', '--keep', 'ctl'),
                          ('two-phase', '--keep', 'ltl')):
            result, past = told('check', model, '--order', 'past-freeze', '--reduce', *reduction,
                                program=program)
            if past is None or crashed(result):
                fault = f'{result.returncode} {result.stderr[-500:]}'
            else:
                verdicts = {p['name']: p['verdict'] for p in past['properties']}
                fault = (verdicts != expected and f'verdicts {verdicts}, not {expected}'
                         or bfs['complete'] and past['deadlocks'] != bfs['deadlocks']
                         and f'{past["deadlocks"]} deadlocks, not {bfs["deadlocks"]}'
                         or bfs['complete'] and past['states'] > bfs['states']
                         and 'more states than there are'
                         or bfs['complete'] and 'deadlock' not in reduction and not past['complete']
                         and 'not complete'
                         or any(p['verdict'] == 'violated' and not p['trace']
                                for p in past['properties']) and 'a violation without a trace')
                if bfs['complete']:
                    whole, reduced = whole + bfs['states'], reduced + past['states']
            if fault:
                wrong.append(
                    f'model {n} {reduction}: {fault}\n{open(model, encoding="utf-8").read()}')
    check(f'{name}: {count} random models, reduced: {reduced} of {whole} states',
          reduced < 0.95 * whole and not wrong, f'{len(wrong)} wrong: {wrong[:1]}')


def killed_runs(count, rng):
    """The n-th write is torn and the program killed, for every n; then the run is resumed,
    sometimes killed again."""
    wrong, kills = [], 0
    for n in range(count):
        text, _ = random_model(rng, ranks=rng.choice([8, 25, 60]))
        model = write('killed.cairn', text)
        _, bfs = told('check', model, '--order', 'bfs')
        _, past = told('check', model, '--order', 'past-freeze')
        search = ('check', model, '--order', 'past-freeze')
        for words, at, times in torn_runs(search, rng, wrong):
            kills += times
            result, resumed = told(*words, program=DEGENERATE)
            fault = ('crash ' + result.stderr[-500:] if crashed(result)
                     else differs(resumed, bfs, result))
            if not fault and trace_lengths(resumed) != trace_lengths(past):
                fault = f'other traces: {trace_lengths(resumed)}, not {trace_lengths(past)}'
            if fault:
                wrong.append(f'model {n}, write {at}: {fault}\n{text}')
    check(f'{kills} runs killed in the middle of a write have the result of an undisturbed one',
          kills > 5 and not wrong, f'{len(wrong)} wrong: {wrong[:1]}')


def line(events, bits, queue=1):
    """A line of events for a system whose bits flip freely while its queue is empty."""
    text = ['cairn 1 model "line" process "b" type "B" process "c" type "C"',
            f'variable "r" of "c" 0..{events} = 0 variable "q" 0..{queue} = 0']
    text += [f'variable "x{i}" of "b" 0..1 = 0' for i in range(bits)]
    text.append(f'table {events + 1} '
                + ' '.join(str(min(r + 1, events)) for r in range(events + 1)) + ' rank "r"')
    text.append(f'final (eq "r" {events})')
    text.append(f'rule "send" part "c" when (eq "q" 0) when (lt "r" {events}) set "r" (table 0 '
                f'"r") set "q" {queue}')
    text.append('rule "get" part "b" when (gt "q" 0) set "q" 0')
    text += [f'rule "f{i}" part "b" when (eq "q" 0) set "x{i}" (sub 1 1 "x{i}")'
             for i in range(bits)]
    text.append(f'property "end" invariant formula (not (and (eq "r" {events}) (and (eq "q" 0) (eq '
                f'"x{bits - 1}" 1))))')
    return '\n'.join(text) + '\n'


def parallel(events):
    """The Behavior process with a queue of one and so many distinct events in parallel: section
    4.3."""
    subsets = sorted(range(1 << events), key=lambda m: (bin(m).count('1'), m))
    number = {m: i for i, m in enumerate(subsets)}
    text = ['cairn 1 model "parallel" process "b" type "B" process "c" type "C"',
            f'variable "r" of "c" 0..{len(subsets) - 1} = 0 variable "q" 0..{events} = 0']
    text += [f'variable "s{i}" of "b" 0..1 = 0' for i in range(events)]
    for i in range(events):
        text.append(f'table {len(subsets)} '
                    + ' '.join(str(0 if m >> i & 1 else number[m | 1 << i]) for m in subsets))
    text.append('rank "r"')
    for i in range(events):
        text.append(f'rule "send{i}" part "c" when (eq "q" 0) when (ne (table {i} "r") 0) set "r" '
                    f'(table {i} "r") set "q" {i + 1}')
        text.append(f'rule "get{i}" part "b" when (eq "q" {i + 1}) set "q" 0 set "s{i}" (sub 1 1 '
                    f'"s{i}")')
    edges = {number[m]: {number[m | 1 << i] for i in range(events) if not m >> i & 1}
             for m in subsets}
    return '\n'.join(text) + '\n', edges


rng = random.Random(f'past {SEED}')
section(random_runs, CAIRN, 400 if LONG else 30, 'release', rng)
section(random_runs, DEGENERATE, 400 if LONG else 20, 'degenerate', rng)
# The degenerate program has the sanitizers, too.
if LONG:
    section(random_runs, ASAN, 100, 'sanitized', rng)
section(reduced_runs, CAIRN, 600 if LONG else 30, 'release', rng)
section(reduced_runs, DEGENERATE, 300 if LONG else 15, 'degenerate', rng)
if LONG:
    section(reduced_runs, ASAN, 100, 'sanitized', rng)
section(killed_runs, 40 if LONG else 8, rng)

# ---- the figures of the paper ----

# more ranks than clusters: neighbouring ranks share one
LONG_LINE = write('long_line.cairn', line(20000, 1))
counts = [told('explore', LONG_LINE, '--order', order)[1] for order in ('bfs', 'past-freeze')]
check('a line of 20,000 events has the same counts in both orders',
      all(counts)
      and all(counts[0][key] == counts[1][key] for key in ('states', 'transitions', 'deadlocks')),
      counts)
check('... with 8,192 clusters at most',
      counts[1] and counts[1]['statistics']['clusters'] <= 8192
      and counts[1]['statistics']['live_clusters_peak'] == 2,
      counts[1] and counts[1]['statistics']['clusters'])
LINE = write('line.cairn', line(1000, 3))
_, claim = told('explore', LINE, '--order', 'past-freeze')
check('a line of 1,000 events needs two clusters',
      claim and claim['statistics']['live_clusters_peak'] == 2
      and claim['statistics']['clusters'] == 1001, claim and claim['statistics'])
check('... and frees over 99% of its states',
      claim and claim['statistics']['freezability'] > 0.99
      and claim['statistics']['relative_progress'] == 1)
text, edges = parallel(10)
PARALLEL = write('parallel.cairn', text)
_, claim = told('explore', PARALLEL, '--order', 'past-freeze')
check('10 events in parallel: 6,144 states, 10,240 transitions',
      claim and (claim['states'], claim['transitions']) == (6144, 10240), claim and claim['states'])
metric = reached_future(edges, edges)
check('... with no more clusters than the reached-future metric',
      claim and claim['statistics']['live_clusters_peak'] <= metric, metric)
shown = run('explore', PARALLEL, '--order', 'past-freeze', '-v')
check('the text report has clusters and their sizes',
      'clusters' in shown.stdout and 'cluster sizes' in shown.stdout
      and 'rank by rank' in shown.stdout, shown.stdout)

# ---- what is refused ----


PLAIN = write('plain.cairn',
              'cairn 1 model "m" variable "x" 0..3 = 0 rule "a" part global set "x" 1\n')
refuses('a model without a rank', '--context', 'check', PLAIN, '--order', 'past-freeze')
refuses('--freeze in another order', '--order past-freeze', 'check', LINE, '--order', 'dfs',
        '--freeze', folder())
refuses('--resume without a folder', '--freeze', 'check', LINE, '--order', 'past-freeze',
        '--resume')
refuses('--reduce with files', '--reduce', 'check', LINE, '--order', 'past-freeze', '--reduce',
        'por', '--freeze', folder())
refuses('--reduce in parts', '--reduce', 'check', LINE, '--split', 'auto', '--reduce', 'por')
refuses('--bound', '--bound', 'check', LINE, '--order', 'past-freeze', '--bound', '3')
refuses('the symbolic engine', 'explicit', 'check', LINE, '--order', 'past-freeze', '--engine',
        'symbolic')
refuses('a translation', 'past-freeze', 'translate', LINE, '--order', 'past-freeze', '--to', 'dot')
refuses('a folder below a file', 'folder', 'check', LINE, '--order', 'past-freeze', '--freeze',
        PLAIN + '/x')
other = folder('other')
os.mkdir(other)
with open(os.path.join(other, 'notes'), 'w') as notes:
    notes.write('mine')
refuses("somebody else's folder", 'not empty', 'check', LINE, '--order', 'past-freeze', '--freeze',
        other)
refuses("somebody else's folder with --resume", 'not empty', 'check', LINE, '--order',
        'past-freeze', '--freeze', other, '--resume')
check("... which stays as it is", os.listdir(other) == ['notes'])
where = folder()
run('check', LINE, '--order', 'past-freeze', '--freeze', where)
refuses('an earlier run', '--resume', 'check', LINE, '--order', 'past-freeze', '--freeze', where)
refuses('a run of another model', 'another model', 'check', PARALLEL, '--order', 'past-freeze',
        '--freeze', where, '--resume')
refuses('a run that asked something else', 'something else', 'check', LINE, '--order',
        'past-freeze', '--freeze', where, '--resume', '--no-deadlock')
refuses('temporal properties', '--order bfs', 'check', LINE, '--order', 'past-freeze', '-p',
        'deadlock', '--ctl', '(all (globally (exists (finally (eq "q" 0)))))', status=3)

wrong = []
for n in range(30):
    model = write('wrong.cairn', random_model(rng, ranks=rng.choice([2, 3, 8]), wrong=True)[0])
    _, bfs = told('check', model, '--order', 'bfs')
    result, past = told('check', model, '--order', 'past-freeze', program=DEGENERATE)
    met = past and past['statistics']['stop'] and 'rank smaller' in past['statistics']['stop']
    bad = ([p for p, q in zip(past['properties'], bfs['properties'])
            if p['verdict'] not in ('unknown', q['verdict'])] if past else ['none'])
    if (bad or crashed(result) or (met and past['complete'])
        or (not met and differs(past, bfs, result))):
        wrong.append((result.returncode, result.stderr[-300:], bad))
check('a rank that is wrong ends the search without a wrong verdict', not wrong, wrong[:1])

# ---- limits ----

BIG = write('big.cairn', line(40, 14))
_, bfs = told('check', BIG, '--order', 'bfs')
_, past = told('check', BIG, '--order', 'past-freeze')
check('a larger line', bfs and past and not differs(past, bfs, None))
check('... needs much less memory', past['peak_memory_bytes'] * 4 < bfs['peak_memory_bytes'],
      (past['peak_memory_bytes'], bfs['peak_memory_bytes']))
result, claim = told('check', BIG, '--order', 'past-freeze', '--memory', '1400K')
check('little memory: the logs go first, and a violation is told with its last state',
      result.returncode == 1 and claim['complete'] and claim['states'] == bfs['states']
      and any(p['verdict'] == 'violated' and not p['trace'] and 'state' in p
              and '--freeze' in p['reason'] for p in claim['properties']),
      (result.returncode, claim and claim['assurance'], claim and claim['properties']))
shown = run('check', BIG, '--order', 'past-freeze', '--memory', '1400K')
check('... in words too',
      shown.returncode == 1 and 'is violated in this state' in shown.stdout
      and '--freeze' in shown.stdout, shown.stdout[-600:])
result, claim = told('check', BIG, '--order', 'past-freeze', '--memory', '600K')
check('too little memory: unknown, and how far it came',
      result.returncode == 3 and not claim['complete']
      and 0 <= claim['statistics']['relative_progress'] < 1, claim and claim['assurance'])
where = folder()
result, claim = told('check', BIG, '--order', 'past-freeze', '--time', '0.02s', '--freeze', where)
check('a time limit: unknown',
      result.returncode == 3 and claim
      and re.search('ranks are done|before a search could begin', claim['assurance']),
      claim and claim['assurance'])
result, claim = told('check', BIG, '--order', 'past-freeze', '--freeze', where, '--resume')
check('... and --resume finishes it',
      claim and not differs(claim, bfs, result) and trace_lengths(claim) == trace_lengths(past),
      differs(claim, bfs, result))

# ---- kill -9 at random moments ----

before = spent()
run('check', BIG, '--order', 'past-freeze', '--freeze', folder())
whole_run = spent() - before
wrong, kills, resumed_clusters = [], 0, 0
for n in range(40 if LONG else 6):
    where = folder('kill')
    arguments = ['check', BIG, '--order', 'past-freeze', '--freeze', where, '--json']
    for attempt in range(rng.randint(1, 3)):
        process = subprocess.Popen([CAIRN, *arguments] + (['--resume'] if attempt else []),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        at_work(process.pid, rng.random() * whole_run)
        process.kill()
        kills += process.wait() == -signal.SIGKILL
    result, claim = told(*arguments[:-1], '--resume')
    fault = (differs(claim, bfs, result)
             or ('' if trace_lengths(claim) == trace_lengths(past) else 'other traces'))
    if fault:
        wrong.append(fault)
    else:
        resumed_clusters += claim['statistics'].get('clusters_resumed', 0)
check(f'kill -9 at random moments ({kills} times), then --resume: the result of an undisturbed run',
      kills and not wrong, wrong[:1])
# how many depends on the moment: on a slow machine none may be done
print(f'note: {resumed_clusters} clusters were taken over after kill -9', file=sys.stderr)

# ---- damage ----


def damage(name, spoil, program=DEGENERATE, count=1):
    """After a complete run, spoils its folder; the next command must notice or be right."""
    wrong = []
    for n in range(count):
        where = folder('damage')
        arguments = ('check', SMALL, '--order', 'past-freeze', '--freeze', where)
        run(*arguments, program=program)
        how = spoil(where)
        result, claim = told(*arguments, '--resume', program=program)
        if crashed(result):
            wrong.append((how, result.returncode, result.stderr[-500:]))
        elif claim is None or claim.get('engine') is None:
            if result.returncode != 2 or 'folder' not in result.stderr:
                wrong.append((how, result.returncode, result.stderr[-300:]))
        else:
            bare = dict(essence(claim), properties=None) == dict(essence(undisturbed),
                properties=None)
            verdicts = [p['verdict'] for p in claim['properties']] == [p['verdict']
                for p in undisturbed['properties']]
            reasons = all(p['trace'] or 'state' in p and p['reason'] for p in claim['properties']
                          if p['verdict'] == 'violated')
            if not (bare and verdicts and reasons) and result.returncode != 3:
                wrong.append(
                    (how, result.returncode, differs(claim, undisturbed, result),
                     claim['assurance']))
            seen.update(p['reason'] for p in claim['properties'] if p.get('reason'))
    check(f'damage: {name}', not wrong, f'{len(wrong)} of {count} wrong: {wrong[:1]}')


seen = set()
SMALL = write('small.cairn', line(30, 3))
_, undisturbed = told('check', SMALL, '--order', 'past-freeze')
many = 150 if LONG else 20
damage('none', lambda where: '')
damage('a bit of a pack', flip(rng, 'pack-*'), count=many)
damage('a bit of the journal', flip(rng, 'journal'), count=many)
damage('a cut pack', cut(rng, 'pack-*'), count=many)
damage('a cut journal', cut(rng, 'journal'), count=many)
damage('a missing pack', remove(rng, 'pack-*'), count=many // 4)
damage('a missing journal', remove(rng, 'journal'))
damage('a bit of a pack, large blocks', flip(rng, 'pack-*'), program=CAIRN, count=many // 2)
check('damage that costs a trace is told as such',
      any('checksum' in reason or 'missing' in reason or 'cut off' in reason for reason in seen),
      seen)

# ---- full disks ----

wrong, full = [], 0
for n in range(1, 400 if LONG else 30):
    where = folder('full')
    arguments = ('check', SMALL, '--order', 'past-freeze', '--freeze', where)
    result, claim = told(*arguments, program=DEGENERATE, env={'CAIRN_FAIL_WRITE': str(n)})
    if result.returncode == 1 and not differs(claim, undisturbed, result):
        break
    full += 1
    if (crashed(result) or result.returncode not in (1, 2, 3)
        or 'No space left' not in result.stderr + result.stdout
        or (claim and claim.get('complete'))):
        wrong.append((n, result.returncode, result.stderr[-300:], result.stdout[-300:]))
    result, claim = told(*arguments, '--resume', program=DEGENERATE)
    if differs(claim, undisturbed, result) or trace_lengths(claim) != trace_lengths(undisturbed):
        wrong.append((n, 'resumed', differs(claim, undisturbed, result)))
check(f'the disk is full at any of {full} writes: inconclusive, and what is there can be resumed',
      full > 3 and not wrong, wrong[:1])
limited = folder('limited')
small = subprocess.run(
    ['sh', '-c', f'ulimit -f 2; exec "$0" "$@"', CAIRN, 'check', BIG, '--order', 'past-freeze',
     '--freeze', limited], capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE)
check('a limit on the size of files ends the run with status 3',
      small.returncode in (1, 3) and 'too large' in small.stdout,
      (small.returncode, small.stdout[-400:], small.stderr))
result, claim = told('check', BIG, '--order', 'past-freeze', '--freeze', limited, '--resume')
check('... and --resume finishes it', claim and not differs(claim, bfs, result),
      differs(claim, bfs, result))

# ---- a context that does nothing: it was refused, as if there were none ----

IDLE = write('idle.fcr',
             'process P is states s, t var x : 0..9 := 0\n  from s on x < 9; x := x + 1; select to '
             's [] to t end\n  from t x := 0; to s\ncomponent Sys is par P end\nSys\n')
NOTHING = write('nothing.cdl',
                'predicate p is { {P}1:x < 7 }\ncdl c is { assert p main is { skip } }\n')
_, plain = told('check', IDLE, '--context', NOTHING, '--order', 'bfs')
wrong, where = [], folder('idle')
for options in (('--order', 'past-freeze'), ('--order', 'past-freeze', '--freeze', where),
                ('--order', 'past-freeze', '--freeze', where, '--resume'), ('--split', 'always'),
                ('--split', 'auto')):
    result, claim = told('check', IDLE, '--context', NOTHING, *options)
    fault = differs(claim, plain, result)
    if (fault or trace_lengths(claim) != trace_lengths(plain)
        or claim['statistics'].get('live_clusters_peak', 1) != 1):
        wrong.append((options, fault, result.stderr))
check('a context that does nothing is one cluster',
      plain and plain['verdict'] == 'violated' and not wrong, wrong[:1])
finish()
