"""One search by several ranks (cairn-mpi): counts, verdicts and lengths of counterexamples are
those of one process, whatever the number of ranks, the size of messages and the order in which they
arrive; what is refused; limits, signals and ranks that die.

A start of ranks takes half a second, so that builds with test hooks do many searches in one
(CAIRN_LINES). CAIRN_MESSAGE is the size of messages, CAIRN_TROUBLE has them arrive late and in
another order. With LONG=1: all examples and all models of the corpus with fewer than a million
states."""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, LONG, PATIENCE, ROOT, SEED, check, finish, path, told, write
from generate import generate
from wide import random_model

RELEASE = os.path.join(ROOT, 'cairn-mpi')
HOOKS = os.path.join(ROOT, 'build/asan/cairn-mpi')
MPIRUN = ['mpirun', '--oversubscribe', '--quiet', '--mca', 'mpi_yield_when_idle', '1']
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1',
                   ASAN_OPTIONS='detect_leaks=0')
# What a complete search must have in common.
TOTALS = ('states', 'transitions', 'initial_states', 'deadlocks', 'depth')
FIGURES = ('runtime_errors', 'ends', 'expanded', 'levels', 'rules_never_taken',
           'locations_never_reached', 'discrete_states')


def start(ranks, *words, program=RELEASE, **more):
    """mpirun, with a process group of its own."""
    return subprocess.Popen([*MPIRUN, '-n', str(ranks), program, *map(str, words)],
                            env=dict(ENVIRONMENT, **more), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True)


def ended(process, patience=PATIENCE):
    try:
        out, errors = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
        return None, None, out, errors
    try:
        told_object = json.loads(out)
    except ValueError:
        told_object = None
    return process.returncode, told_object, out, errors


def search(ranks, *words, **more):
    return ended(start(ranks, *words, '--json', **more))


def many(ranks, lines, **more):
    """Status and object of each command, from one start."""
    file = write('lines', '\n'.join('\t'.join(map(str, line + ('--json',))) for line in lines))
    _, _, out, errors = ended(start(ranks, program=HOOKS, CAIRN_LINES=file, **more))
    results, rest = [], out
    for piece in re.split(r'\nstatus (\d+)\n', out)[:-1:2]:
        rest = rest[len(piece):]
        status = int(re.match(r'\nstatus (\d+)\n', rest).group(1))
        rest = rest[len(f'\nstatus {status}\n'):]
        try:
            results.append((status, json.loads(piece)))
        except ValueError:
            results.append((status, None))
    check(f'{ranks} ranks: all {len(lines)} searches ended', len(results) == len(lines),
          [line for line in errors.split('\n') if 'vm:' not in line or 'ssert' in line][:20])
    return results


def length(item):
    return len(item['trace']['steps']) if item.get('trace') else None


def agree(name, one, several, counts=True):
    """Of one process, and of ranks."""
    if not check(f'{name}: an object', several and 'statistics' in several, several):
        return
    wrong = {}
    if counts and one['complete'] and several['complete']:
        wrong = {key: (one[key], several[key]) for key in TOTALS if one[key] != several[key]}
        a, b = one['statistics'], several['statistics']
        wrong |= {key: (a.get(key), b.get(key)) for key in FIGURES if a.get(key) != b.get(key)}
    elif one['complete'] != several['complete'] and 'ranks' not in str(several['properties']):
        wrong['complete'] = (one['complete'], several['complete'])
    for ours, theirs in zip(several.get('properties', []), one.get('properties', [])):
        if 'rank' in (ours.get('reason') or ''):
            continue
        pair = [(p['name'], p['verdict'], p.get('vacuous'), length(p)) for p in (theirs, ours)]
        if pair[0] != pair[1]:
            wrong[ours['name']] = pair
    check(name, not wrong, wrong)


def alone(line):
    """One process, with the engine that ranks have."""
    _, one = told(*line, '--engine', 'timed' if '--zones' in line else 'explicit')
    if one is None or 'statistics' not in one:
        _, one = told(*line)
    return one if one and one.get('engine') in ('explicit', 'timed') else None


def compare(title, lines, settings):
    known = [(line, alone(line)) for line in lines]
    known = [(line, one) for line, one in known if one]
    for ranks, more in settings:
        words = ' '.join(f'{key[6:].lower()} {value}' for key, value in more.items())
        results = many(ranks, [line for line, _ in known], **more)
        for (line, one), (_, several) in zip(known, results):
            name = ' '.join(map(str, line)).replace(ROOT + '/', '')
            agree(f'{title}: {name}, {ranks} ranks, {words}', one, several,
                  one['engine'] != 'timed' or 'equal' in line)


def examples():
    """Models of examples/, and of the corpus, with their commands."""
    shapes = ('mil', 'cairn', 'fcr', 'xta', 'xml', 'tck')
    files = sorted(file for shape in shapes
                   for file in glob.glob(os.path.join(ROOT, 'examples', '*', f'*.{shape}')))
    if not LONG:
        files = files[SEED % 3::3]
    return [('check', file, '--zones', 'equal') if is_timed(file) else ('check', file)
            for file in files]


def is_timed(file):
    result, _ = told('check', file, '--engine', 'explicit', '--bound', 1)
    return bool(re.search('has clocks|dense time|timed engine', result.stderr))


def check_random():
    lines = []
    for seed in range(1 + 1000000 * SEED, (200 if LONG else 16) + 1 + 1000000 * SEED):
        rng = random.Random(f'mpi {seed}')
        own = write(f'random{seed}.cairn', random_model(rng))
        lines.append(('check', own))
        if seed % 4 == 0:
            lines.append(('check', own, '--bound', rng.randint(1, 6)))
            lines.append(('explore', own))
        if seed % 2 == 0:
            other = write(f'oracle{seed}.mil', generate(seed, temporal=False))
            lines.append(('check', other))
    compare('random', lines, [(1, {}), (2, {'CAIRN_MESSAGE': '1', 'CAIRN_TROUBLE': '5'}),
                              (3, {'CAIRN_MESSAGE': '65536', 'CAIRN_TROUBLE': '7'}),
                              (4, {'CAIRN_MESSAGE': '24'})])


def check_examples():
    compare('examples', examples(), [(2, {'CAIRN_MESSAGE': '1'}),
                                     (3, {'CAIRN_TROUBLE': '11'})])


def check_release():
    """As users start it."""
    model = os.path.join(ROOT, 'examples/philosophers/phils.mil')
    _, one = told('check', model, '-D', 'n=9', '--engine', 'explicit')
    for ranks in (2, 4):
        status, several, _, errors = search(ranks, 'check', model, '-D', 'n=9')
        agree(f'release, {ranks} ranks', one, several)
        check(f'release, {ranks} ranks: status', status == 1, (status, errors[-500:]))
        each = several['statistics']['ranks'] if several else []
        check(f'{ranks} ranks have all states',
              len(each) == ranks and sum(rank['states'] for rank in each) == one['states']
              and sum(rank['transitions'] for rank in each) == one['transitions'], each)
    process = start(2, 'check', model, '-D', 'n=5', '--invariant', 'phil[0].pc != eating')
    status, _, out, _ = ended(process)
    check('text with a table of ranks', status == 1 and 'rank ' in out, out)
    page = path('page.html')
    status, _, out, _ = ended(start(2, 'check', model, '-D', 'n=5', '--report', page))
    with open(page, encoding='utf-8') as file:
        check('a page with what ranks did', '"states_sent"' in file.read(), out)


def check_refused():
    model = os.path.join(ROOT, 'examples/philosophers/phils.mil')
    lines = [('check', model, *words) for words in
             (('--order', 'dfs'), ('--engine', 'symbolic'), ('--reduce', 'por'),
              ('--traces', '3'), ('--partition', 'take_left'))]
    for line, (status, several) in zip(lines, many(2, lines)):
        check(f'refused: {line[2:]}', status == 2, (status, several))
    status, _, _, errors = ended(start(3, 'check', path('nothing.mil')))
    check('no model: one message', status == 2 and errors.count('cannot open') == 1,
          (status, errors))


def check_limits():
    model = os.path.join(ROOT, 'examples/philosophers/phils.mil')
    status, several, _, errors = search(2, 'explore', model, '-D', 'n=17', '--time', '1')
    check('time', status == 3 and several and not several['complete']
          and 'time' in several['statistics']['stop'], (status, several, errors[-500:]))
    status, several, _, errors = search(3, 'explore', model, '-D', 'n=16', '--memory', '4M')
    check('memory', status == 3 and several and 'memory' in several['statistics']['stop'],
          (status, several, errors[-500:]))
    process = start(2, 'explore', model, '-D', 'n=18', '--json')
    time.sleep(2)
    os.kill(process.pid, signal.SIGTERM)
    begun = time.time()
    status, several, out, errors = ended(process, 60)
    check('a signal ends all', status is not None and time.time() - begun < 60, errors[-500:])


def ranks_of(process):
    """Processes that mpirun has started."""
    found = []
    for entry in os.listdir('/proc'):
        if not entry.isdigit():
            continue
        try:
            with open(f'/proc/{entry}/stat', encoding='utf-8') as file:
                fields = file.read().rsplit(')', 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process.pid:
            found.append(int(entry))
    return found


def check_killed():
    """A rank dies, at any moment; another number of ranks goes on."""
    model = os.path.join(ROOT, 'examples/philosophers/phils.mil')
    words = ('check', model, '-D', 'n=8', '--invariant', 'phil[0].pc != eating')
    _, one = told(*words, '--engine', 'explicit')
    rng = random.Random(f'killed {SEED}')
    resumed = 0
    for turn in range(10 if LONG else 2):
        folder = path(f'killed{turn}')
        process = start(3, *words, '--freeze', folder, '--json', program=HOOKS,
                        CAIRN_TROUBLE=str(turn), CAIRN_MESSAGE='1')
        limit = time.time() + 60
        while time.time() < limit and not glob.glob(os.path.join(folder, '*', '*', 'journal')):
            time.sleep(0.02)
        time.sleep(rng.random() * 1.5)
        victims = ranks_of(process)
        if victims:
            try:
                os.kill(rng.choice(victims), signal.SIGKILL)
            except ProcessLookupError:
                pass
        status, _, _, errors = ended(process, 120)
        check(f'killed {turn}: nobody hangs', status is not None, errors[-500:])
        status, several, _, errors = search(rng.choice((1, 2, 3, 4)), *words, '--freeze', folder,
                                            '--resume', program=HOOKS)
        agree(f'killed {turn}, resumed', one, several)
        if several:
            resumed += several['statistics'].get('levels_resumed', 0)
    check('levels were taken over', resumed > 0, resumed)


def check_folders():
    model = os.path.join(ROOT, 'examples/philosophers/phils.mil')
    folder = path('used')
    os.mkdir(folder)
    with open(os.path.join(folder, 'mine'), 'w', encoding='utf-8'):
        pass
    status, _, _, errors = search(2, 'explore', model, '--freeze', folder)
    check('a folder with something else', status == 2 and 'not empty' in errors, errors)
    _, one = told('check', model, '-D', 'n=6', '--engine', 'explicit')
    for turn, write_number in enumerate((1, 2, 3, 5, 8, 13) if LONG else (1, 4)):
        folder = path(f'full{turn}')
        words = ('check', model, '-D', 'n=6', '--freeze', folder)
        status, several, out, errors = search(2, *words, program=HOOKS,
                                              CAIRN_FAIL_WRITE=str(write_number))
        check(f'a full disk at write {write_number}: inconclusive, or it came too late',
              status in (1, 3) and several or status == 2, (status, out[-500:], errors[-500:]))
        status, several, out, errors = search(3, *words, '--resume', program=HOOKS)
        agree(f'a full disk at write {write_number}, resumed', one, several)


def ready():
    if not shutil.which('mpirun') or not shutil.which('mpicc'):
        print('skipped: there is no mpirun or mpicc (libopenmpi-dev, openmpi-bin)')
        return False
    for words in (['with-mpi'], ['MODE=asan', 'build/asan/cairn-mpi']):
        built = subprocess.run(['make', '-s', '-j2', *words], cwd=ROOT, capture_output=True,
                               text=True)
        if not check(f'built: {words}', built.returncode == 0, built.stderr[-2000:]):
            return False
    status, _, out, errors = ended(start(2, '--version'), 60)
    if status != 0:
        print('skipped: mpirun does not start here:', errors[-300:])
        return False
    return True


if ready():
    check_random()
    check_release()
    check_refused()
    check_limits()
    check_killed()
    check_folders()
    check_examples()
finish()
