"""Models with time: past-freeze order with files, and searches that are split. Frozen runs against
unfrozen ones, killed, resumed, damaged, with full disks; split searches against unsplit ones, on
examples with contexts and on random models, in much and in little memory, with zones of both kinds.

With `--zones equal` every count of a split search must be that of the unsplit one; by inclusion
discrete states and verdicts. A resumed run has every count of an undisturbed one, in both.
"""
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from kit.damage import cut, flip, remove, spoil_file
from lib import (ASAN, CAIRN, DEGENERATE, LONG, ROOT, SEED, at_work, check, crashed, finish, folder,
                 in_memory, path, refuses, run, section, spent, told, write)
from timed_ranks import line, random_model, tree

os.environ['CAIRN_NO_SYNC'] = '1'   # of test builds: nothing here survives the machine anyway
rng = random.Random(f'split timed {SEED}')
own_temporary = os.path.join(in_memory.name, 'tmp')
os.mkdir(own_temporary)
# where the program puts its own folders: nothing may be left there
os.environ['TMPDIR'] = own_temporary
PAST = ('--order', 'past-freeze')
TIMED = ('--engine', 'timed')
ZONES = ('equal', 'inclusion')
COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks', 'complete')
DETAILS = ('discrete_states', 'zones', 'zone_bytes', 'covered', 'given_up', 'most_clocks',
           'extrapolation', 'cluster_sizes', 'clusters', 'live_clusters_peak', 'live_states_peak',
           'freed_states', 'ends',
           'runtime_errors', 'expanded', 'rules_never_taken', 'locations_never_reached')


def verdicts(claim):
    return [(p['name'], p['verdict'], p.get('vacuous'), p.get('reason'))
            for p in claim.get('properties', [])]


def steps(claim):
    return [p['trace'] and p['trace']['steps'] for p in claim.get('properties', [])]


def no_claim(claim, result):
    if crashed(result):
        return f'crash: {result.returncode} {result.stderr[-800:]}'
    return ('' if claim and claim.get('engine') == 'timed'
            else f'no object: {result.returncode} {result.stderr[-600:]}')


def frozen_differs(claim, whole, result):
    """What a frozen run, resumed or not, has that an unfrozen one has not: nothing may differ, not
    even runs."""
    if no_claim(claim, result):
        return no_claim(claim, result)
    one = [claim[key] for key in COUNTS] + [claim['statistics'].get(key)
                                            for key in DETAILS] + [verdicts(claim), steps(claim)]
    two = [whole[key] for key in COUNTS] + [whole['statistics'].get(key)
                                            for key in DETAILS] + [verdicts(whole), steps(whole)]
    return '' if one == two else str([(a, b) for a, b in zip(one, two) if a != b])[:1500]


def split_differs(claim, whole, result, equal):
    if no_claim(claim, result):
        return no_claim(claim, result)
    if (any(p['verdict'] == 'violated' and p['kind'] != 'ctl' and not p['trace']
            for p in claim.get('properties', []))):
        return 'a violation without a run'
    if [v[:2] for v in verdicts(claim)] != [v[:2] for v in verdicts(whole)]:
        return f'verdicts {verdicts(claim)}, not {verdicts(whole)}'
    if not claim['complete'] and not whole['complete']:
        return ''

    def essence(c):
        s = c['statistics']
        keys = {'verdicts': verdicts(c), 'complete': c['complete'],
                'discrete': s['discrete_states'], 'initial': c['initial_states'],
                'extrapolation': s['extrapolation'],
                'silent': (s['rules_never_taken'], s['locations_never_reached']),
                'dead': c['deadlocks'] and c['deadlocks'] > 0, 'ends': (s.get('ends') or 0) > 0,
                'errors': (s.get('runtime_errors') or 0) > 0}
        if equal:
            keys['counts'] = (c['states'], c['transitions'], c['deadlocks'], s.get('ends'),
                              s.get('runtime_errors'), s['covered'], s['expanded'])
        return keys
    one, two = essence(claim), essence(whole)
    if equal and not claim['statistics'].get('counts_are_net', True):
        return f'counts are gross: {claim["statistics"].get("why_gross")}'
    return ('' if one == two
            else str({key: (one[key], two[key]) for key in one if one[key] != two[key]}))


def unsound(claim, whole):
    """What an incomplete search says wrongly, or nothing."""
    right = {p['name']: p['verdict'] for p in whole['properties']}
    return [p['name'] for p in claim['properties']
            if p['verdict'] not in ('unknown', right[p['name']])]


# ---- frozen, killed, resumed ----

seen = {'kills': 0, 'exact': 0, 'violated': 0, 'resumed': 0}


def frozen_runs(program, count, name, kills):
    wrong = []
    for n in range(count):
        text = random_model(rng)
        model = write('frozen.cairn', text)
        for zones in ZONES:
            arguments = ('check', model, *TIMED, '--zones', zones, *PAST)
            usual, whole = told(*arguments)
            where, itf = folder(), path('frozen.itf.json')
            if os.path.exists(itf):
                os.remove(itf)
            for _ in range(rng.randint(0, kills)):
                result = run(*arguments, '--freeze', where, '--resume', program=program,
                             env={'CAIRN_KILL_WRITE': str(rng.randint(1, 30))})
                seen['kills'] += result.returncode == -signal.SIGKILL
            result, claim = told(*arguments, '--freeze', where, '--resume', '--trace', itf,
                                 program=program)
            fault = (frozen_differs(claim, whole, result)
                     or (result.returncode != usual.returncode
                         and f'status {result.returncode}, not {usual.returncode}'))
            if not fault and os.path.exists(itf) and run('replay', itf).returncode:
                fault = 'the trace does not replay'
            # everything is there already
            again, claim = told(*arguments, '--freeze', where, '--resume', program=program)
            fault = fault or frozen_differs(claim, whole, again)
            if fault:
                wrong.append(f'model {n}, {zones}: {fault}\n{text}')
            else:
                seen['exact'] += claim['statistics']['extrapolation'] == 'M+'
                seen['violated'] += any(p['verdict'] == 'violated' for p in claim['properties'])
                seen['resumed'] += claim['statistics'].get('clusters_resumed', 0)
    check(f'{name}: {count} random models, frozen and resumed, have every count and run of an '
          f'unfrozen search', not wrong, f'{len(wrong)} wrong: {wrong[:1]}')


section(frozen_runs, CAIRN, 100 if LONG else 4, 'release', 0)
section(frozen_runs, DEGENERATE, 300 if LONG else 14, 'degenerate, killed', 3)
# The degenerate program has the sanitizers, too.
if LONG:
    section(frozen_runs, ASAN, 60, 'sanitized', 1)
check('... and they say something', min(seen.values()) > 3, seen)

MIDDLE = write('middle.cairn', line(60, 2))
FROZEN = ('check', MIDDLE, '--zones', 'equal', *PAST)
_, whole = told(*FROZEN)
finished = folder('finished')
result, claim = told(*FROZEN, '--freeze', finished)
check('a run through all clusters, from files',
      not frozen_differs(claim, whole, result)
      and len(claim['properties'][0]['trace']['steps']) > 60, frozen_differs(claim, whole, result))


refuses('a folder with an earlier run', '--resume', *FROZEN, '--freeze', finished)
refuses('a folder of a run with other zones', 'another model', 'check', MIDDLE, '--zones',
        'inclusion', *PAST, '--freeze', finished, '--resume')
refuses('a folder of an unsplit run', 'is not empty', 'check', MIDDLE, '--zones', 'equal',
        '--split', 'auto', '--freeze', finished, '--resume')

small = write('small.cairn', line(25, 2))
CASES = [('check', small, '--zones', zones, *PAST, *more) for zones in ZONES
         for more in ((), ('-p', 'deadlock'))]
wholes, folders = {}, {}
for number, case in enumerate(CASES):
    _, wholes[case] = told(*case)
    folders[case] = [folder(f'base-{number}-{killed}') for killed in (0, 1)]
    for killed, where in enumerate(folders[case]):
        run(*case, '--freeze', where, program=DEGENERATE,
            env={'CAIRN_KILL_WRITE': '40'} if killed else None)
wrong, refused, right, traceless, resumed = [], 0, 0, 0, 0
for n in range(400 if LONG else 32):
    case, where = CASES[n % len(CASES)], folder('damaged')
    shutil.copytree(rng.choice(folders[case]), where)
    files = glob.glob(os.path.join(where, '*'))
    for file in rng.sample(files, rng.choice([1, 1, 2])):
        spoil_file(rng, file, (remove, cut, flip, flip))
    result, claim = told(*case, '--freeze', where, '--resume', program=DEGENERATE)
    if result.returncode == 2 and result.stderr and not crashed(result):
        refused += 1
        continue
    end = claim['properties'][0] if claim and 'properties' in claim else None
    if (end and not end['trace'] and end['verdict'] == 'violated' and end['reason']
        and claim['states'] == wholes[case]['states'] and not crashed(result)):
        traceless += 1   # told: a log that only the run needs cannot be read
        continue
    right += 1
    fault = frozen_differs(claim, wholes[case], result)
    resumed += (0 if fault
                else 0 < claim['statistics'].get('clusters_resumed', 0)
                < claim['statistics']['clusters'])
    if fault:
        wrong.append(f'{file}: {fault} {result.stderr}')
check(f'damaged files: {right} times the right result ({resumed} partly searched again), '
      f'{traceless} without the run that they had, {refused} refused',
      right > 8 and resumed > 3 and refused < right and not wrong,
      f'{len(wrong)} wrong: {wrong[:1]}')

wrong, full = [], 0
for at in range(1, 60 if LONG else 40, 1 if LONG else 6):
    where = folder('full')
    first, claim = told(*CASES[2], '--freeze', where, program=DEGENERATE,
                        env={'CAIRN_FAIL_WRITE': str(at)})
    full += first.returncode == 3
    if (crashed(first) or first.returncode not in (1, 2, 3)
        or (claim and claim['complete'] and first.returncode == 3)):
        wrong.append(f'write {at}: {first.returncode} {first.stderr}')
    result, claim = told(*CASES[2], '--freeze', where, '--resume', program=DEGENERATE)
    fault = frozen_differs(claim, wholes[CASES[2]], result)
    if fault:
        wrong.append(f'write {at}, resumed: {fault}')
check(f'{full} times the disk was full: status 3, and --resume has the result',
      full > 2 and not wrong, f'{len(wrong)} wrong: {wrong[:1]}')

# ---- split: examples with contexts ----

LANDING, LOGIN = 'examples/landing-gear', 'examples/device-login'
EXAMPLES = [(f'{LOGIN}/timed.fcr', '--context', f'{LOGIN}/contexts.cdl:{name}')
            for name in ('deadline1', 'deadline2')]
EXAMPLES += [
    (f'{LANDING}/landing.fcr', '--context', f'{LANDING}/contexts.cdl:nominal', '-D', f'handles={n}',
     *more) for n, more in ((2, ()), (2, ('-D', 'patient=0')), *(((4, ()),) if LONG else ()))]
EXAMPLES += (
    [(f'{LOGIN}/login.fcr', '--context', f'{LOGIN}/contexts.cdl:deadline2'),
     (f'{LANDING}/landing.fcr', '--context', f'{LANDING}/contexts.cdl:with_f1_2')] if LONG else [])
for example in EXAMPLES:
    for zones in ZONES:
        arguments = ('check', *example, '--zones', zones)
        usual, whole = told(*arguments, *PAST)
        for depth in (1, 2) if LONG else (2,):
            result, claim = told(*arguments, '--split', 'always', '--split-depth', depth,
                                 '--threads', 2)
            fault = (split_differs(claim, whole, result, zones == 'equal')
                     or (claim['statistics']['parts'] < 2 and 'not split')
                     or (result.returncode != usual.returncode and 'status'))
            check(f'{example[2]} {example[-1]}, {zones}, {depth} steps deep: the same', not fault,
                  fault)

# ---- split: random models in little memory ----

split, limited, parts, exact, changed, wrong, violated = {zone: 0
                                                          for zone in ZONES}, 0, 0, 0, 0, [], 0
for n in range(200 if LONG else 80):
    if min(split.values()) and exact and changed and violated and not LONG:
        break
    zones = min(ZONES, key=split.get)
    text = random_model(rng, weight=400 if zones == 'equal' else 1000, most=34)
    model = write('heavy.cairn', text)
    arguments = ('check', model, *TIMED, '--zones', zones)
    usual, whole = told(*arguments, *PAST)
    if whole['states'] < (150 if zones == 'equal' else 60) or whole['statistics']['clusters'] < 4:
        continue
    least = (whole['peak_memory_bytes'] >> 10) + 550   # what the model, reading and writing need
    most = least + 300 + min((2 if zones == 'equal' else 4)
                             * whole['statistics']['live_states_peak'], 1000)
    where = folder('changed')
    for attempt, memory in enumerate(
        [*sorted(rng.sample(range(least, most), 5 if LONG else 3)), 6000]):
        # killed with some memory, resumed with other memory, until it is done
        resumes = (('--freeze', where, '--resume') if n % 2 else ())
        env = {'CAIRN_KILL_WRITE': str(rng.randint(2, 30))} if n % 2 and attempt < 2 else None
        result, claim = told(*arguments, '--split', 'auto', '--memory', f'{memory}K', *resumes,
                             program=DEGENERATE, env=env)
        incomplete = (claim and 'properties' in claim and not claim['complete']
                      and not crashed(result)
                      and [v[:2] for v in verdicts(claim)] != [v[:2] for v in verdicts(whole)])
        fault = (unsound(claim, whole) if incomplete
                 else split_differs(claim, whole, result, zones == 'equal'))
        if not claim and result.returncode == 3 and not crashed(result):
            incomplete, fault = True, ''
        limited += bool(incomplete)
        if fault:
            wrong.append(f'{memory}K, {zones}, {resumes}: {fault} {result.stderr}\n'
                         + '\n'.join(row for row in text.split('\n') if 'variable "w' not in row))
        elif not incomplete and claim['statistics'].get('parts_split'):
            split[zones] += 1
            parts += claim['statistics']['parts']
            changed += bool(resumes)
            exact += claim['statistics']['extrapolation'] == 'M+'
            violated += any(p['verdict'] == 'violated' for p in claim['properties'])
    if incomplete:
        wrong.append(f'not done with 6 MB: {result.stderr}')
check(f'degenerate: searches split for want of memory ({split}, {parts} parts, {exact} with exact '
      f'zones, {changed} resumed, {limited} did not fit) have the result of one',
      min(split.values()) > 0 and exact and changed and violated and not wrong,
      f'{len(wrong)} wrong: {wrong[:1]}')
check('nothing is left behind', not os.listdir(own_temporary), os.listdir(own_temporary))

wide = write('wide.cairn', tree(7, 6, 800))
for zones in ZONES if LONG else ('inclusion',):
    arguments = ('check', wide, '--zones', zones)
    _, whole = told(*arguments, *PAST)
    unsplit, claim = told(*arguments, *PAST, '--memory', '20M')
    check(f'a tree of clusters does not fit in 20 MB, {zones}',
          unsplit.returncode == 3 and claim and 'memory' in claim['assurance'],
          unsplit.stdout[-300:])
    result, claim = told(*arguments, '--split', 'auto', '--memory', '20M')
    fault = split_differs(claim, whole, result, zones == 'equal')
    check('... and does, split',
          not fault and claim['statistics']['parts_split'] > 0
          and claim['peak_memory_bytes'] <= 20 << 20, fault or claim['statistics'])
    check('... and says whether counts are gross',
          claim
          and claim['statistics']['counts_are_net'] == (zones == 'equal')
          == ('gross' not in claim['assurance']), claim and claim['assurance'])
# How much is too little for files, and enough for some states, depends on what reading takes: from
# little to enough.
tried = []
for kilobytes in range(300, 900, 10):
    result, claim = told('check', f'{LOGIN}/timed.fcr', '--context',
                         f'{LOGIN}/contexts.cdl:devices2', '-D', 'n=2', '--split', 'auto',
                         '--memory', f'{kilobytes}K')
    tried.append((kilobytes, result.returncode, claim and claim.get('states'), result.stderr))
    if result.returncode != 3:
        break
check('too little for files: status 3, no line on standard error, and as far as the whole gets',
      any(status == 3 and states and not errors for _, status, states, errors in tried)
      and tried[-1][1] == 0, tried)

# ---- split: listed, one by one, killed, damaged ----

LISTED = ('check', f'{LOGIN}/timed.fcr', '--context', f'{LOGIN}/contexts.cdl:deadline2', '--zones',
          'equal', '--split', 'always', '--split-depth', '2')
_, whole = told(*LISTED[:6], *PAST)
complete = folder('complete')
result, claim = told(*LISTED, '--freeze', complete)
rows = claim['statistics']['parts_list']
check('the listing has every part',
      len(rows) == claim['statistics']['parts'] > 2
      and sum(row['states'] for row in rows) == claim['statistics']['gross_states']
      >= claim['states'], rows)
check('... also as text, with -v', run(*LISTED, '-v').stdout.count(' done\n') == len(rows) - 1)
where = folder()
alone = []
for number in range(len(rows)):
    result, claim = told(*LISTED, '--freeze', where, '--part', number)
    alone.append(claim['complete'] if claim else result.stderr)
check('parts one by one: the last one makes the whole result',
      alone == [False] * (len(rows) - 1) + [True] and not split_differs(claim, whole, result, True),
      (alone, split_differs(claim, whole, result, True)))
refuses('a part that is not there', f'parts are 0 to {len(rows) - 1}', *LISTED, '--freeze', where,
        '--part', 99)

SLOW = ('check', f'{LANDING}/landing.fcr', '--context', f'{LANDING}/contexts.cdl:nominal', '-D',
        'handles=6', '--split', 'always', '--split-depth', '2')
_, slow = told(*SLOW[:6], *PAST)
before = spent()
run(*SLOW, '--freeze', folder())
whole_run = spent() - before
kills, where = 0, folder()
for attempt in range(12 if LONG else 2):
    process = subprocess.Popen(
        [CAIRN, *SLOW, '--freeze', where, *(['--resume'] if attempt else []), '--json'], cwd=ROOT,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kills += at_work(process.pid, rng.uniform(0.05, 0.4) * whole_run)
    process.kill()
    process.wait()
result, claim = told(*SLOW, '--freeze', where, '--resume')
check(f'killed {kills} times with all its processes, then resumed: the result of an undisturbed '
      f'run', kills and not split_differs(claim, slow, result, False),
      split_differs(claim, slow, result, False))

begun = folder('begun')
for number in (0, 1):
    run(*LISTED, '--freeze', begun, '--part', number)
wrong, refused, gross, right, traceless = [], 0, 0, 0, 0
for n in range(200 if LONG else 10):
    where = folder('damaged')
    shutil.copytree(rng.choice([complete, begun, begun]), where)
    files = [f for f in glob.glob(os.path.join(where, '**', '*'), recursive=True)
             if os.path.isfile(f)]
    for file in rng.sample(files, rng.choice([1, 1, 3])):
        spoil_file(rng, file, (remove, cut, flip, flip))
    result, claim = told(*LISTED, '--freeze', where, '--resume')
    if result.returncode == 2 and result.stderr:   # the list itself
        refused += 1
        continue
    if (claim and claim['complete'] and not claim['statistics']['counts_are_net']
        and verdicts(claim) == verdicts(whole)):
        gross += 1   # told: a folder that only counting needs cannot be read
        continue
    fault = split_differs(claim, whole, result, True)
    if (fault == 'a violation without a run'
        and all(p['verdict'] != 'violated' or p['trace'] or p['reason']
                for p in claim['properties'])
        and [v[:2] for v in verdicts(claim)] == [v[:2] for v in verdicts(whole)]):
        traceless += 1   # told: a log that only the run needs cannot be read
        continue
    right += 1
    if fault:
        wrong.append(f'{file}: {fault} {result.stderr}')
check(f'damaged files: {right} times the right result, {traceless} without a run, {refused} '
      f'refused, {gross} with gross counts that say so', right > 2 and not wrong,
      f'{len(wrong)} wrong: {wrong[:2]}')

wrong, refused = [], 0
for n in range(1, 420, 2 if LONG else 71):   # the n-th allocation fails, in the parent or in a part
    result, claim = told('check', f'{LOGIN}/timed.fcr', '--context',
                         f'{LOGIN}/contexts.cdl:deadline1', '--split', 'always', program=ASAN,
                         env={'CAIRN_FAIL_ALLOCATION': str(n)})
    refused += result.returncode == 3
    if crashed(result) or claim is None or os.listdir(own_temporary):
        wrong.append(f'{n}: {result.returncode} {result.stderr} {os.listdir(own_temporary)}')
check(f'memory refused ({refused} times): an object, no crash, no folder', refused and not wrong,
      wrong[:1])
check('nothing is left behind in the end', not os.listdir(own_temporary), os.listdir(own_temporary))
finish()
