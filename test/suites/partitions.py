"""Partitioning points: random models and examples, divided by random p-points, against
breadth-first search; with memory for a part of the states only; by several threads; the variant
with a hidden position; messages.

The claim is always the same: the union of the partitions is the state space, so that all counts,
verdicts and silent rules are those of breadth-first search, or the result says that it is
incomplete. Several threads have the same object as one as long as memory suffices, down to the list
of p-paths and the runs. With LONG=1 also in a build with the thread sanitizer.
"""
import glob
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, at_work, check, crashed,
                 finish, run, section, spent, timeless, told, write)
from generate import generate
from points import some_points
from pointed import odd_model
import ranked
import timed_ranks

TSAN = os.path.join(ROOT, 'build/tsan/cairn')
COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks')


def essence(claim):
    statistics = claim['statistics']
    keys = {key: claim[key] for key in COUNTS}
    keys.update({key: statistics.get(key)
                 for key in ('runtime_errors', 'ends', 'rules_never_taken',
                             'locations_never_reached')})
    return keys


def verdicts(claim):
    """Of what is decided in single states; temporal properties stay unknown."""
    return {p['name']: (p['verdict'], p.get('vacuous')) for p in claim['properties']
            if 'whole graph' not in (p.get('reason') or '')}


def points_of(model, rng):
    """Labels, labels of a process, and locations, some of them."""
    return some_points(run('translate', model, '--to', 'cairn').stdout, rng,
                       [1, 1, 2, 3, 6, 50])


def compare(name, model, points, program, plain, checked, more=(), asked=()):
    result, ours = told('explore', model, '--partition', points, *more, program=program)
    if (not check(f'{name} explores', ours is not None and not crashed(result),
                  result.stderr[-1500:])):
        return None
    if ours['complete']:
        one, two = essence(ours), essence(plain)
        check(f'{name} counts', one == two,
              {key: (one[key], two[key]) for key in one if one[key] != two[key]})
        check(f'{name} net',
              ours['statistics']['counts_are_net']
              and ours['statistics']['states_gross'] >= ours['states'])
        list_ = ours['statistics']['p_path_list']
        check(f'{name} listed',
              len(list_) != ours['statistics']['partitions']
              or sum(p['states'] for p in list_) == ours['statistics']['states_gross'])
    else:
        check(f'{name} incomplete', '--memory' in more and result.returncode in (1, 3),
              (more, result.returncode, ours['assurance']))
    if checked is None:
        return ours
    result, ours_checked = told('check', model, '--partition', points, *more, *asked,
                                program=program)
    if (not check(f'{name} checks', ours_checked is not None and not crashed(result),
                  result.stderr[-1500:])):
        return None
    if 'properties' not in ours_checked:
        check(f'{name}: no memory to begin with',
              '--memory' in more and result.returncode == 3 and not ours_checked['complete'],
              result.returncode)
        return ours
    one, two = verdicts(ours_checked), verdicts(checked)
    if not ours_checked['complete']: # then less may be known, and nothing else
        one = {key: value for key, value in one.items() if value[0] != 'unknown'}
    two = {key: value for key, value in two.items() if key in one}
    check(f'{name} verdicts', one == two, (one, two))
    for p in ours_checked['properties']:
        check(f'{name} evidence of {p["name"]}', p['verdict'] != 'violated' or p['trace'], p)
    return ours


used = 0


def several(name, arguments, program, counts=(2, 3), same=True):
    """The same object whatever the number of threads; `same`: also that of one thread, which has to
    be complete, and in which nothing may have gone to disk."""
    global used
    first = None
    for threads in (1, *counts) if same else counts:
        result, ours = told(*arguments, '--threads', threads, program=program)
        if (not check(f'{name} --threads {threads}: an object',
                      ours is not None and 'statistics' in ours and not crashed(result),
                      result.stderr[-1500:])):
            return None
        used += ours['statistics'].get('threads') == threads
        first = first or timeless(ours)
        check(f'{name} --threads {threads}: always the same object', timeless(ours) == first,
              [(key, timeless(ours).get(key), first[key]) for key in first
               if timeless(ours).get(key) != first[key]])
    return first


def random_runs():
    rng = random.Random(SEED + 3)
    spilled = skipped = 0
    for n in range(1500 if LONG else 26):
        if n % 2:
            model = write('random.mil',
                          generate(1 + n + 100000 * SEED, temporal=False,
                                   size=rng.choice(['small', 'medium'])))
        else:
            model = write('random.cairn', odd_model(rng))
        _, plain = told('explore', model, '--order', 'bfs')
        _, checked = told('check', model, '--order', 'bfs')
        if (not check(f'random {n}: breadth-first', plain and plain['complete'] and checked,
                      open(model).read()[:1500])):
            continue
        points = points_of(model, rng)
        for label, program in (('release', CAIRN), ('degenerate', DEGENERATE),
                               ('asan', ASAN))[:3 if n % 4 == 0 else 2]:
            if program == DEGENERATE and plain['transitions'] > (60000 if LONG else 8000):
                continue
            ours = compare(f'random {n} {label} --partition {points}', model, points, program,
                           plain, checked)
            if ours:
                spilled += ours['statistics']['spills'] > 0
                skipped += ours['statistics']['skipped'] > 0
                check(f'random {n} {label} once',
                      ours['statistics']['spills']
                      or ours['statistics']['states_gross'] == ours['states'])
                threads = rng.choice([2, 3])
                compare(f'random {n} {label} --partition {points} --threads {threads}', model,
                        points, program, plain, checked, ('--threads', threads))
                if not ours['statistics']['spills']:
                    several(f'random {n} {label} --partition {points}',
                            ('check', model, '--partition', points), program, (threads,))
    check('some random runs had too little memory, and some p-paths were not extended',
          spilled and skipped, (spilled, skipped))


def by_rank():
    """With past-freeze order: clusters one after the other, each p-path by p-path; with and without
    time."""
    rng = random.Random(f'partitions by rank {SEED}')
    spilled = clusters = 0
    for n in range(400 if LONG else 14):
        timed = n % 2 == 1
        text = timed_ranks.random_model(rng, most=8) if timed else ranked.random_model(rng)[0]
        model = write('ranked.cairn', text)
        engine = ('--engine', 'timed', '--zones', 'equal') if timed else ('--engine', 'explicit')
        _, plain = told('explore', model, *engine, '--order', 'bfs')
        _, checked = told('check', model, *engine, '--order', 'bfs')
        if not plain or not plain['complete']:
            continue
        points = points_of(model, rng)
        for label, program in (('release', CAIRN), ('degenerate', DEGENERATE)):
            more = ('--order', 'past-freeze', *engine, '--threads', rng.choice([1, 3]))
            ours = compare(f'ranked {n} {label} --partition {points}', model, points, program,
                           plain, checked, more)
            if ours and timed:
                check(f'ranked {n} {label}: discrete states',
                      ours['statistics']['discrete_states']
                      == plain['statistics']['discrete_states'], text)
            spilled += bool(ours and ours['statistics']['spills'])
            clusters += bool(ours and ours['statistics'].get('clusters', 0) > 1)
    check('several clusters, some of them in little memory', spilled and clusters,
          (spilled, clusters))


def guided():
    """Under a guide with a bound: counts of breadth-first search under that guide."""
    rng = random.Random(f'guided partitions {SEED}')
    done = 0
    for n in range(300 if LONG else 10):
        timed = n % 3 == 2
        text = timed_ranks.random_model(rng, most=5) if timed else ranked.random_model(rng, 3)[0]
        text = re.sub('^rank .*$', '', text, flags=re.MULTILINE)  # the guide's is the rank
        model = write('guided.cairn', text)
        labels = sorted(set(re.findall(r'^rule "(\w+)"', text, re.MULTILINE)))
        chosen = rng.sample(labels, min(len(labels), 2))
        others = [label for label in labels if label not in chosen]
        guide = write('guided.xgdl', f'guide g = ({" [] ".join(chosen)})*;'
                      + (f' ignore {", ".join(others)};' if others else '') + '\n')
        words = ('explore', model, '--guide', guide, '--bound', rng.randint(1, 4), '--engine',
                 *(('timed', '--zones', 'equal') if timed else ('explicit',)))
        _, plain = told(*words, '--order', 'bfs')
        if not plain or 'statistics' not in plain:
            continue
        points = points_of(model, rng)
        for more in ((), ('--order', 'past-freeze'), ('--split', 'always')):
            result, ours = told(*words, '--partition', points, *more,
                                program=rng.choice([CAIRN, DEGENERATE]))
            one = ours and 'statistics' in ours and (essence(ours), ours['complete'])
            check(f'guided {n} --partition {points} {" ".join(more)}',
                  not crashed(result) and one == (essence(plain), plain['complete']),
                  (one, essence(plain), result.stderr[-500:], text))
            done += bool(one)
    check('some were searched', done > 6, done)


def reduced():
    """In two phases: verdicts of the whole, in much and little memory."""
    rng = random.Random(f'reduced partitions {SEED}')
    spilled = fewer = 0
    first = 1 + 1000000 * SEED
    for n in range(first, first + (1500 if LONG else 12)):
        model = write('local.mil', generate(n, 'medium' if n % 4 == 0 else 'small',
                                            temporal=False, local=True))
        _, plain = told('check', model, '--order', 'bfs')
        points, kind = points_of(model, rng), rng.choice(['por', 'por', 'deadlock'])
        for label, program in (('release', CAIRN), ('degenerate', DEGENERATE)):
            name = f'local {n} {label} --partition {points} --reduce {kind}'
            result, ours = told('check', model, '--partition', points, '--reduce', kind,
                                program=program)
            if not check(f'{name} checks', ours and 'statistics' in ours and not crashed(result),
                         result.stderr[-1500:]):
                continue
            statistics = ours['statistics']
            check(f'{name} verdicts', verdicts(ours) == verdicts(plain),
                  (verdicts(ours), verdicts(plain)))
            check(f'{name} counts', not plain['complete'] or ours['states'] <= plain['states']
                  and (not ours['complete'] or statistics['counts_are_net']), ours['states'])
            for p in ours['properties']:
                check(f'{name} evidence of {p["name"]}', p['verdict'] != 'violated' or p['trace'],
                      p)
            spilled += statistics['spills'] > 0
            fewer += ours['complete'] and ours['states'] < plain['states']
    check('some were reduced, some in little memory', spilled and fewer, (spilled, fewer))


def little_memory():
    """The same counts with memory for some of the states; with less, a result that says so."""
    rng = random.Random(SEED + 5)
    spilled = 0
    for file, define, points in (('examples/peterson/peterson-n.mil', 'n=4', 'enter,leave'),
                                 ('examples/peterson/peterson-n.mil', 'n=4', 'p[0].enter'),
                                 ('examples/philosophers/phils.mil', 'n=9', 'auto')):
        _, plain = told('explore', file, '-D', define, '--order', 'bfs')
        _, checked = told('check', file, '-D', define, '--order', 'bfs', '-p', 'deadlock')
        need = plain['peak_memory_bytes']
        for share in (0.75, 0.5, 0.35, 0.25) if LONG else (0.6, 0.3):
            memory = int(need * share)
            ours = compare(f'{file} {points} {memory} bytes', file, points, CAIRN, plain, checked,
                           ('-D', define, '--memory', memory), ('-p', 'deadlock'))
            if ours and ours['complete']:
                spilled += ours['statistics']['spills'] > 0
                check(f'{file} within {memory} bytes', ours['peak_memory_bytes'] <= memory,
                      ours['peak_memory_bytes'])
                for threads in (2, 3): # each of them has room of its own
                    more = ('-D', define, '--memory', memory + threads * 32768, '--threads',
                            threads)
                    ours = compare(f'{file} {points} {memory} bytes {threads} threads', file,
                                   points, CAIRN, plain, checked, more, ('-p', 'deadlock'))
                    check(f'{file} within {memory} bytes with {threads} threads',
                          ours and ours['complete']
                          and ours['peak_memory_bytes'] <= memory + threads * 32768,
                          ours and ours['peak_memory_bytes'])
                    spilled += bool(ours and ours['statistics']['spills']
                                    and ours['statistics'].get('threads') == threads)
                # the same memory each time
                several(f'{file} {points} {memory} bytes',
                        ('explore', file, '--partition', points, '-D', define, '--memory', memory),
                        CAIRN, (3,) * (12 if LONG else 4), same=False)
    check('memory was full in some runs', spilled, spilled)
    text = odd_model(random.Random(8))
    model = write('tiny.cairn', text)
    _, plain = told('explore', model, '--order', 'bfs')
    for memory in (20000, 40000, 60000, 100000, 200000): # from hardly enough to load the model on
        result, ours = told('explore', model, '--partition', 'auto', '--memory', memory,
                            program=ASAN)
        good = (result.returncode in (0, 1, 3) and not crashed(result)
                and (ours is None or not ours['complete'] or essence(ours) == essence(plain)))
        check(f'{memory} bytes: a result or a limit', good,
              (result.returncode, result.stderr[-500:]))
        for more in ((), ('--partition-hidden',)):
            result, ours = told('explore', model, '--partition', 'auto', '--memory', memory,
                                '--threads', 3, *more, program=ASAN)
            good = (result.returncode in (0, 1, 3) and not crashed(result)
                    and (ours is None or not ours['complete'] or essence(ours) == essence(plain)))
            check(f'{memory} bytes, several threads {more}: a result or a limit', good,
                  (result.returncode, result.stderr[-500:]))


def limits():
    """Time, a disk that cannot be written, a file that lies."""
    model = 'examples/peterson/peterson-n.mil'
    for more in ((), ('--threads', 2), ('--threads', 3, '--partition-hidden')):
        before = spent()
        result, ours = told('check', model, '-D', 'n=5', '--partition', 'enter', '--time', '0.1',
                            *more)
        check(f'time {more}: status 3',
              result.returncode == 3 and not ours['complete'] and ours['verdict'] == 'unknown'
              and spent() - before < 20, result.returncode)
        check(f'time {more}: says how far',
              ours and ours['statistics']['stop'] == 'the time limit was reached'
              and not ours['statistics']['counts_are_net'], ours and ours['statistics'])
        process = subprocess.Popen(
            [CAIRN, 'explore', model, '-D', 'n=5', '--partition', 'enter', *(str(m) for m in more),
             '--json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        at_work(process.pid, 0.5)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        ours = json.loads(output) if output else None
        check(f'SIGINT {more} is a result',
              process.returncode == 3 and ours and not ours['complete']
              and 'interrupt' in ours['statistics']['stop'], (process.returncode, errors[-300:]))
    for where, more in (('/nonexistent', ()), ('/proc', ()), ('/nonexistent', ('--threads', 2))):
        result, ours = told('check', model, '-D', 'n=4', '--partition', 'enter', '--memory', '700K',
                            *more, env={'TMPDIR': where})
        check(f'no temporary file in {where}: status 3',
              result.returncode == 3 and ours and not ours['complete']
              and ours['statistics'].get('stop_detail'),
              (result.returncode, result.stderr[-300:], ours and ours['assurance']))


def short_files():
    # files of at most 100 KiB, as on a disk that is nearly full
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))


def full_disk():
    for threads in (1, 2, 3):
        result = subprocess.run(
            [CAIRN, 'explore', 'examples/peterson/peterson-n.mil', '-D', 'n=4', '--partition',
             'enter', '--memory', '900K', '--threads', str(threads), '--json'],
            cwd=ROOT, capture_output=True, text=True, preexec_fn=short_files, timeout=PATIENCE)
        ours = json.loads(result.stdout) if result.stdout else None
        check(f'a full disk, {threads} threads: status 3',
              result.returncode == 3 and ours and not ours['complete']
              and ours['statistics'].get('stop_detail'),
              (result.returncode, result.stderr[-300:], ours and ours['assurance']))


def faults():
    """The n-th allocation fails: the same counts, or a result that is not complete."""
    model = write('faults.cairn', odd_model(random.Random(21)))
    _, plain = told('explore', model, '--order', 'bfs')
    points = points_of(model, random.Random(4))
    last = 0
    for n in list(range(1, 400, 1 if LONG else 29)) + list(range(400, 20000, 23 if LONG else 613)):
        result, ours = told('explore', model, '--partition', points, program=DEGENERATE,
                            env={'CAIRN_FAIL_ALLOCATION': str(n)})
        good = (not crashed(result)
                and (ours is None or not ours['complete'] or essence(ours) == essence(plain))
                and (result.returncode in (0, 1))
                == bool(ours and ours['complete'] or result.returncode == 1))
        last = n if result.returncode == 3 else last
        check(f'allocation {n} fails', good, (result.returncode, result.stderr[-500:]))
        if n % 3 == 0 or LONG:
            result, ours = told('explore', model, '--partition', points, '--threads', 3,
                                program=DEGENERATE, env={'CAIRN_FAIL_ALLOCATION': str(n)})
            good = (not crashed(result)
                    and (ours is None or not ours['complete'] or essence(ours) == essence(plain))
                    and (result.returncode in (0, 1))
                    == bool(ours and ours['complete'] or result.returncode == 1))
            check(f'allocation {n} fails with several threads', good,
                  (result.returncode, result.stderr[-500:]))
            result, ours = told('check', model, '--partition', points, '--partition-hidden',
                                '--threads', 3, program=ASAN, env={'CAIRN_FAIL_ALLOCATION': str(n)})
            check(f'allocation {n} fails, hidden',
                  not crashed(result) and result.returncode in (1, 3),
                  (result.returncode, result.stderr[-500:]))
    check('some failures mattered', last, last)


def messages():
    model = 'examples/peterson/peterson-n.mil'
    for arguments, text in ((('--partition', 'entr'), "did you mean 'enter'"),
                            (('--partition', ''), 'needs labels'),
                            (('--partition', 'enter,,leave'), 'needs labels'),
                            (('--partition', 'p[0].entre'), "did you mean 'p[0].enter'"),
                            (('--partition-hidden',), 'goes with --partition'),
                            (('--partition', 'enter', '--order', 'dfs'), '--order does not go'),
                            (('--partition', 'enter', '--engine', 'symbolic'),
                             'the explicit and the timed engine'),
                            (('--partition', 'enter', '--partition-hidden', '--reduce', 'por'),
                             'from the initial states'),
                            (('--partition', 'enter', '--bound', '3'), '--bound does not go'),
                            (('--partition', 'enter', '--split', 'auto'),
                             'puts states on disk when memory is full'),
                            (('--partition', 'Process.nowhere'),
                             'there are want, climb, enter, leave, 0, 2, 3 (of Process)'),
                            (('--partition', 'xyzzy'), 'there are want, climb')):
        result = run('check', model, *arguments)
        check(f'message for {arguments}', result.returncode == 2 and text in result.stderr,
              (result.returncode, result.stderr))
    result, ours = told('check', 'examples/fischer/fischer.fcr', '--partition', 'auto')
    check('models with time are searched, too',
          result.returncode == 0 and ours['engine'] == 'timed' and ours['complete'],
          (result.returncode, result.stderr))
    fiacre = 'examples/alternating-bit/abp.fcr'
    for file, points, named in ((fiacre, 'Weather.lose', ['Weather[0].lose', 'Weather[1].lose']),
                                (fiacre, 'Weather[1].lose', ['Weather[1].lose']),
                                (fiacre, 'bad, waiting',
                                 ['Weather[0].bad', 'Weather[1].bad', 'Sender[0].waiting']),
                                (fiacre, 'User.wrong', ['User[0].wrong']),
                                (fiacre, 'done', ['done']),
                                (model, 'Process.3', [f'p[{i}].3' for i in range(4)]),
                                (model, 'p[2].3,p[2].enter', ['p[2].3', 'p[2].enter']),
                                ('examples/scheduling/scheduling.mil', 'passive', None),
                                ('examples/tie-breaker/tie-breaker.mil', 'critical',
                                 ['p[0].critical', 'p[1].critical'])):
        result, ours = told('explore', file, '--partition', points)
        got = ours and ours['statistics']['p_points']
        check(f'{file}: p-points of {points}',
              ours and ours['complete']
              and (got == named if named else len(got) > 1
                   and all(x.endswith('.passive') for x in got)), (result.stderr, got))
    for points, text in (('Weather[1].lsoe', "did you mean 'Weather[1].lose'"),
                         ('Sender.idle',
                          'there are send, done, ignore, accept, ready, waiting (of Sender)'),
                         ('waitng', "did you mean 'waiting'"),
                         ('User[0].Wrong', "did you mean 'User[0].wrong'")):
        result = run('explore', fiacre, '--partition', points)
        check(f'message for {points}', result.returncode == 2 and text in result.stderr,
              (result.returncode, result.stderr))
    result = run('explore', model, '-D', 'n=3', '--partition', 'enter', '-v')
    check('-v lists p-paths',
          re.search(r'\d+  p\[0\]\.enter\n', result.stdout) and '(none)' in result.stdout,
          result.stdout)


def examples():
    """All of them that have no time, with p-points chosen at random and automatically, once with
    memory for a part of the states."""
    rng = random.Random(SEED + 11)
    tried = spilled = 0
    for file in sorted(glob.glob(os.path.join(ROOT, 'examples/*/*.mil'))
                       + glob.glob(os.path.join(ROOT, 'examples/*/*.fcr'))):
        name = os.path.relpath(file, ROOT)
        result, plain = told('explore', file, '--order', 'bfs', '--memory', '4G' if LONG else '12M')
        if (plain is None or plain['engine'] != 'explicit' or not plain['complete']
            or (not LONG and plain['states'] > 80000)):
            continue # with time, or too large
        tried += 1
        for points in ('auto', points_of(file, rng)):
            compare(f'{name} --partition {points}', file, points, CAIRN, plain, None)
        several(f'{name} --partition {points}', ('explore', file, '--partition', points), CAIRN)
        points = points_of(file, rng)
        ours = compare(f'{name} little memory --partition {points}', file, points, CAIRN, plain,
                       None, ('--memory', int(plain['peak_memory_bytes'] * 0.6)))
        spilled += bool(ours and ours['complete'] and ours['statistics']['spills'])
        if plain['transitions'] < 3000 or LONG:
            compare(f'{name} degenerate --partition {points}', file, points, DEGENERATE, plain,
                    None)
    check('there are examples, and some had too little memory', tried > 10 and spilled,
          (tried, spilled))


def quarter():
    """The scheduling study with a quarter of the memory that the whole needs: breadth-first search
    fails, partition by partition it succeeds."""
    model = 'examples/scheduling/scheduling.mil'
    for options in (('-D', 'n=6', '-D', 'jitter=6'), ('-D', 'n=7', '-D', 'jitter=8'),
                    ('-D', 'n=7', '-D', 'm=4', '-D', 'jitter=6', '-D', 'intervals=3'))[:3 if LONG
        else 2]:
        _, whole = told('check', model, *options, '--order', 'bfs')
        memory = whole['peak_memory_bytes'] // 4
        result, plain = told('check', model, *options, '--order', 'bfs', '--memory', memory)
        check(f'scheduling {options}: a quarter is too little for breadth-first search',
              result.returncode == 3 and not plain['complete'], result.returncode)
        result, ours = told('check', model, *options, '--partition', 'run', '--memory', memory)
        if (check(f'scheduling {options}: and enough for partitions',
                  ours and ours['complete']
                  and result.returncode == (1 if whole['verdict'] == 'violated' else 0),
                  result.stderr[-500:])):
            check(f'scheduling {options}: counts', essence(ours) == essence(whole),
                  (essence(ours), essence(whole)))
            check(f'scheduling {options}: verdicts', verdicts(ours) == verdicts(whole))
            check(f'scheduling {options}: memory', ours['peak_memory_bytes'] <= memory,
                  ours['peak_memory_bytes'])
            check(f'scheduling {options}: no partition is large',
                  ours['statistics']['largest_partition'] < whole['states'] / 4)


BESIDE = """cairn 1 model "beside"
process "a" type "A" pc "a" location 0 location 1 location 2
process "b" type "B" pc "b" location 0 location 1
variable "a" of "a" 0..2 = 0
variable "b" of "b" 0..1 = 0
rule "p" part "a" when (eq "a" 0) set "a" 1
rule "n" part "a" when (eq "a" 0) set "a" 2
rule "m" part "a" when (eq "a" 2) set "a" 1
rule "q" part "b" when (eq "a" 1) when (eq "b" 0) set "b" 1
"""


def hidden():
    """The variant of the paper: violations with runs, never a complete result; every p-path by
    itself."""
    result, ours = told('check', 'examples/tie-breaker/tie-breaker.mil', '-p', 'mutex',
                        '--partition', 'announce,enter', '--partition-hidden')
    check('hidden: nothing is proved',
          result.returncode == 3 and ours['verdict'] == 'unknown' and not ours['complete'],
          result.returncode)
    check('hidden: says that coverage is not guaranteed',
          'coverage is not guaranteed' in ours['assurance']
          and ours['statistics']['coverage_guaranteed'] is False, ours['assurance'])
    for n in (2, 3, 4):
        for program in (CAIRN, ASAN):
            result, ours = told('check', 'examples/philosophers/phils.mil', '-D', f'n={n}', '-p',
                                'deadlock', '--partition', 'take_left', '--partition-hidden',
                                program=program)
            check(f'hidden: {n} philosophers',
                  result.returncode == 1 and ours['properties'][0]['trace']
                  and not ours['complete'], (result.returncode, result.stderr[-500:]))
    result, ours = told('explore', write('beside.cairn', BESIDE), '--partition', 'p,q',
                        '--partition-hidden')
    check('hidden: status', result.returncode == 3, result.returncode)
    check('hidden: p-paths',
          path_texts(ours) == {'', 'p', 'q', 'p q'} and ours['statistics']['complete_p_paths'] == 2,
          path_texts(ours))
    result, ours = told('explore', write('beside.cairn', BESIDE), '--partition', 'p,q')
    check('exact: what p leads to was visited without it',
          path_texts(ours) == {'', 'q'} and ours['complete'] and ours['states'] == 4
          and ours['statistics']['skipped'] == 1, ours['statistics'])


def hidden_time():
    """With zones: nothing is found that there is not, and runs have dates."""
    rng = random.Random(SEED + 29)
    found = 0
    for n in range(200 if LONG else 10):
        model = write('timed.cairn', timed_ranks.random_model(rng, most=5))
        program = (CAIRN, ASAN, DEGENERATE)[n % 3]
        _, plain = told('check', model, '--order', 'bfs')
        expected = {p['name']: p['verdict'] for p in plain['properties']}
        for points in ('auto', points_of(model, rng)):
            result, ours = told('check', model, '--partition', points, '--partition-hidden',
                                '--time', '2', program=program)
            name = f'hidden: with time {n} {points}'
            if (not check(f'{name}: a result',
                          ours and not crashed(result) and not ours['complete']
                          and ours['engine'] == 'timed', result.stderr[-1500:])):
                continue
            wrong = [(p['name'], p['verdict']) for p in ours['properties']
                     if p['verdict'] not in ('unknown', expected[p['name']])]
            check(f'{name}: nothing that there is not', not wrong, wrong)
            check(f'{name}: runs',
                  all(p['trace'] for p in ours['properties'] if p['verdict'] == 'violated'),
                  ours['properties'])
            found += any(p['verdict'] == 'violated' for p in ours['properties'])
            list_ = ours['statistics']['p_path_list']
            check(f'{name}: listed',
                  ours['statistics']['p_paths_waiting']
                  or sum(p['states'] for p in list_) == ours['statistics']['states_gross'], list_)
    check('hidden: with time something is violated', found, found)
    for file, options in (('examples/fischer/fischer.fcr', ()),
                          ('examples/fischer/broken.fcr', ('-p', 'mutex'))):
        _, plain = told('check', file, *options)
        result, ours = told('check', file, *options, '--partition', 'Station.critical',
                            '--partition-hidden', program=ASAN)
        violated = [p['name'] for p in plain['properties'] if p['verdict'] == 'violated']
        check(f'hidden: {file}',
              ours
              and [p['name'] for p in ours['properties'] if p['verdict'] == 'violated'] == violated
              and not ours['complete'], result.stderr[-500:])
        check(f'hidden: {file}: p-points are locations',
              ours['statistics']['p_points'] == [f'Station[{i}].critical' for i in range(3)],
              ours['statistics']['p_points'])


def hidden_threads():
    """The same p-paths, counts and violations with every number of threads."""
    rng = random.Random(SEED + 17)
    examples = [('explore', 'examples/scheduling/scheduling.mil', '-D', 'n=4', '--partition',
                 'run'),
                ('check', 'examples/tie-breaker/tie-breaker.mil', '--partition', 'announce,enter'),
                ('check', 'examples/philosophers/phils.mil', '-D', 'n=4', '--partition',
                 'take_left')]
    for arguments in examples:
        several(f'hidden: {arguments}', (*arguments, '--partition-hidden'), CAIRN, (2, 5))
    _, alone = told(*examples[0], '--partition-hidden')
    several('hidden: memory for one',
            (*examples[0], '--partition-hidden', '--memory', alone['peak_memory_bytes'] * 3 // 2),
            CAIRN, (2, 7))
    for n in range(300 if LONG else 8):
        model = write('hidden.cairn', odd_model(rng))
        points = points_of(model, rng)
        result, ours = told('check', model, '--partition', points, '--partition-hidden', '--time',
                            '1')
        if (ours is None or 'time' in (ours['statistics']['stop'] or '')
            or (ours['statistics']['p_paths_waiting']
                and 'coverage' in ours['statistics']['stop'])):
            continue
        program = (CAIRN, ASAN)[n % 2]
        several(f'hidden: random {n} {points}',
                ('explore', model, '--partition', points, '--partition-hidden'), program)
        several(f'hidden: random {n} {points}: check',
                ('check', model, '--partition', points, '--partition-hidden'), program,
                same='decided' not in ours['statistics']['stop'])


def sanitized():
    """With the thread sanitizer."""
    built = subprocess.run(['make', '-s', '-j2', 'MODE=tsan', 'build/tsan/cairn'], cwd=ROOT,
                           capture_output=True, text=True)
    if not check('the build with the thread sanitizer', built.returncode == 0, built.stderr):
        return
    rng = random.Random(SEED + 23)
    for n in range(40):
        model = write('sanitized.cairn', odd_model(rng))
        points = points_of(model, rng)
        several(f'tsan {n} {points}', ('explore', model, '--partition', points), TSAN)
    for file, define, points, memory in (
        ('examples/peterson/peterson-n.mil', 'n=4', 'enter', '900K'),
        ('examples/peterson/peterson-n.mil', 'n=4', 'enter,leave', '700K'),
        ('examples/philosophers/phils.mil', 'n=9', 'auto', '500K')):
        several(f'tsan {file}', ('explore', file, '-D', define, '--partition', points), TSAN,
                (2, 4))
        # it may end early
        several(f'tsan {file} check',
                ('check', file, '-D', define, '--partition', points, '-p', 'deadlock'), TSAN,
                (2, 4), same=False)
        ours = several(f'tsan {file} little memory',
                       ('explore', file, '-D', define, '--partition', points, '--memory', memory),
                       TSAN, (3, 3), same=False)
        check(f'tsan {file}: memory was full',
              ours and ours['complete'] and ours['statistics']['spills'],
              ours and ours['statistics'])
    several('tsan hidden',
            ('explore', 'examples/scheduling/scheduling.mil', '-D', 'n=3', '--partition', 'run',
             '--partition-hidden'), TSAN, (2, 4))
    several('tsan hidden, violated',
            ('check', 'examples/philosophers/phils.mil', '-D', 'n=4', '--partition', 'take_left',
             '--partition-hidden'), TSAN, (2, 4))


def path_texts(claim):
    texts = []
    for item in claim['statistics']['p_path_list']:
        texts.append('' if item['parent'] is None
                     else (texts[item['parent']] + ' ' + item['p_point']).strip())
    return set(texts)


def orders():
    """P-points as the paper has them: a p-path is an order, and one that is not extended leads to
    nothing new."""
    _, ours = told('explore', 'examples/tie-breaker/tie-breaker.mil', '--partition',
                   'announce,enter')
    paths = path_texts(ours)
    check('tie-breaker: both announce in either order or one enters',
          {'', 'p[0].announce', 'p[1].announce', 'p[0].announce p[0].enter'} <= paths, paths)
    check('tie-breaker: nobody enters without announcing',
          all(p.split()[0].endswith('announce') for p in paths if p), paths)
    _, ours = told('explore', 'examples/tie-breaker/tie-breaker.mil', '--partition',
                   'p[0].critical')
    check('a location: its entering',
          path_texts(ours) <= {'', 'p[0].critical', 'p[0].critical p[0].critical'}
          and ours['states'] == 20, path_texts(ours))
    result, ours = told('check', 'examples/tie-breaker/tie-breaker.mil', '--partition', 'auto')
    check('auto: names what it chose',
          ours['statistics']['p_points'] and ours['statistics']['p_points_chosen'],
          ours['statistics'])
    check('temporal properties stay unknown',
          result.returncode == 3
          and [p['verdict'] for p in ours['properties'] if p['name'] == 'can_enter'] == ['unknown'],
          result.returncode)


section(random_runs)
section(examples)
section(by_rank)
section(guided)
section(reduced)
section(little_memory)
section(quarter)
section(hidden)
section(hidden_time)
section(hidden_threads)
section(orders)
section(limits)
section(full_disk)
section(faults)
section(messages)
if LONG:
    sanitized()
check('several threads were used', used > 40, used)
finish()
