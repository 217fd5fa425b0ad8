"""What the test suites share: running the program, counting results, reading its JSON.

A suite is a script in test/suites. It calls check(...) and ends with finish(), which prints
"N passed, N failed". What --json prints is held against the schema (validator.py): the first
objects of a suite all, then some.

Environment: CAIRN is the program (default ./cairn), CAIRN_ASAN and CAIRN_DEGENERATE the other
builds, LONG=1 asks for longer runs, SEED shifts random choices.

CASE, or the words behind the name of a suite, choose cases: if a section of the suite has them in
its name, only such sections run; otherwise only checks with these words in their names count.
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from validator import Schema

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CAIRN = os.environ.get('CAIRN', os.path.join(ROOT, 'cairn'))
ASAN = os.environ.get('CAIRN_ASAN', os.path.join(ROOT, 'build/asan/cairn'))
DEGENERATE = os.environ.get('CAIRN_DEGENERATE', os.path.join(ROOT, 'build/degenerate/cairn'))
LONG = os.environ.get('LONG', '') not in ('', '0')
SEED = int(os.environ.get('SEED', '0'))
sys.path.insert(0, os.path.join(ROOT, 'test', 'oracle'))

PATIENCE = 1200  # seconds until a run counts as hanging: a net, never a measure of speed

CASE = os.environ.get('CASE') or ' '.join(each for each in sys.argv[1:] if each[:1] != '-')

passed = failed = 0
scratch = tempfile.TemporaryDirectory(prefix='cairn-test-')


def chosen_sections():
    """Functions of the suite with CASE in their names."""
    suite = getattr(sys.modules['__main__'], '__file__', None)
    if not CASE or not suite:
        return []
    with open(suite, encoding='utf-8') as file:
        called = re.findall(r'^section\((\w+)', file.read(), re.MULTILINE)
    return [name for name in called if CASE.replace(' ', '_') in name]


SECTIONS = chosen_sections()
in_section = False


def section(function, *arguments, **more):
    """Runs a function of the suite, if CASE does not choose others."""
    global in_section
    if not SECTIONS or function.__name__ in SECTIONS:
        in_section = bool(SECTIONS)
        function(*arguments, **more)
        in_section = False


def is_chosen(name):
    """Whether a check of this name counts."""
    return not CASE or (in_section if SECTIONS else CASE in name)


def check(name, good, detail=''):
    """Counts one result; a failure is shown with its detail."""
    global passed, failed
    if not is_chosen(name):
        return bool(good)
    if good:
        passed += 1
    else:
        failed += 1
        print(f'FAIL {name}' + (f': {str(detail)[:1500]}' if detail != '' else ''), flush=True)
    return bool(good)


def finish():
    if CASE and not passed + failed:
        check(CASE, False, 'there is no such case')
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed else 0)


def path(name):
    return os.path.join(scratch.name, name)


def write(name, text):
    """A file in the scratch folder; text may be bytes. One that is there is replaced at once:
    somebody may be reading it."""
    mode = 'wb' if isinstance(text, bytes) else 'w'
    with open(path(name + '.new'), mode, **({} if 'b' in mode else {'encoding': 'utf-8'})) as file:
        file.write(text)
    os.replace(path(name + '.new'), path(name))
    return path(name)


def run(*arguments, program=None, stdin='', timeout=PATIENCE, env=None, text=True, **more):
    """Runs the program; the result has returncode, stdout, stderr."""
    environment = dict(os.environ, ASAN_OPTIONS='detect_leaks=1:allocator_may_return_null=1',
                       **(env or {}))
    try:
        return subprocess.run([program or CAIRN, *map(str, arguments)],
                              input=stdin if text else None, capture_output=True, text=text,
                              timeout=timeout, env=environment, cwd=ROOT,
                              errors='replace' if text else None, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, -999, '', 'timeout')


ALL_VALIDATED, THEN_EACH = 12, 64
schema, objects = None, 0


def is_valid(claim, arguments):
    """Holds an object against the schema; a fault is a failure of the suite."""
    global schema, objects
    objects += 1
    if objects > ALL_VALIDATED and objects % THEN_EACH:
        return
    schema = schema or Schema()
    fault = schema.fault(claim)
    if fault:
        check('the object matches the schema: ' + ' '.join(map(str, arguments)), False, fault)


def told(*arguments, **more):
    """Runs the program with --json; returns (what it printed, the object or None)."""
    result = run(*arguments, '--json', **more)
    try:
        claim = json.loads(result.stdout)
    except ValueError:
        return result, None
    is_valid(claim, arguments)
    return result, claim


def run_json(*arguments, **more):
    """The same, but the status instead of what it printed."""
    result, claim = told(*arguments, **more)
    return result.returncode, claim


def refuses(name, words, *arguments, status=2):
    """A run that ends with this status and says these words."""
    result = run(*arguments)
    check(name, result.returncode == status and words in result.stderr + result.stdout
          and not crashed(result), f'{result.returncode} {result.stderr} {result.stdout[-300:]}')


in_memory = tempfile.TemporaryDirectory(prefix='cairn-frozen-',
                                        dir='/dev/shm' if os.path.isdir('/dev/shm') else None)


def folder(name='work'):
    """An empty place for a folder that is not there; in memory, since syncing a disk is slow."""
    where = os.path.join(in_memory.name, name)
    shutil.rmtree(where, ignore_errors=True)
    return where


class Wrong:
    """Collects what is wrong with a kind of case; one result for each kind."""

    def __init__(self, name):
        self.name, self.cases, self.faults = name, 0, []

    def add(self, fault, *files):
        self.cases += 1
        if fault:
            texts = '\n'.join(f'--- {os.path.basename(file)}\n{open(file).read()}'
                              for file in files)
            self.faults.append(f'{fault}\n{texts}')

    def close(self, least=1):
        good = self.cases >= least and not self.faults
        check(f'{self.name}: {self.cases} cases', good,
              f'{len(self.faults)} wrong: {self.faults[:1]}')


# ---- waiting for something to happen; never for a time, which depends on how busy the machine is

def until(condition, pause=0.005):
    """Waits until the condition holds; returns what it says in the end."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(pause)
    return condition()


def processes():
    """{process: (its parent, its state, its CPU seconds)}, with the CPU time of children that it
    has waited for."""
    found, tick = {}, os.sysconf('SC_CLK_TCK')
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{name}/stat', encoding='utf-8', errors='replace') as file:
                words = file.read().rsplit(')', 1)[1].split()
        except OSError:
            continue
        found[int(name)] = int(words[1]), words[0], sum(map(int, words[11:15])) / tick
    return found


def family(process):
    """The process, its children, their children, ... as {process: (parent, state, CPU seconds)}"""
    everyone = processes()
    found = {process: everyone[process]} if process in everyone else {}
    size = 0
    while len(found) > size:
        size = len(found)
        found.update({one: facts for one, facts in everyone.items() if facts[0] in found})
    return found


def at_work(process, seconds):
    """Waits until the process and its children have used so much CPU time, or it has ended (which
    is not waited for); whether it still runs."""
    def ended(found):
        return process not in found or found[process][1] == 'Z'

    def enough():
        found = family(process)
        return ended(found) or sum(facts[2] for facts in found.values()) >= seconds
    until(enough, pause=max(0.005, min(0.05, seconds / 10)))  # all processes are looked at
    return not ended(family(process))


def spent():
    """CPU seconds of all processes that this one has started and waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timeless(claim):
    """The whole object, without what may differ from run to run."""
    copy = json.loads(json.dumps(claim))
    for key in ('seconds', 'time', 'states_per_second', 'peak_memory_bytes', 'command_line'):
        copy.pop(key, None)
    for key in ('threads', 'seconds', 'rules_per_second'):
        copy['statistics'].pop(key, None)
    return copy


def crashed(result):
    """A signal, a sanitizer report, a hang or an internal error."""
    return (result.returncode < 0 or result.returncode not in (0, 1, 2, 3)
            or 'Sanitizer' in result.stderr
            or 'runtime error' in result.stderr.replace('runtime-error', ''))
