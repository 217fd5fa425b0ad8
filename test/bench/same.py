"""Two builds say the same: version 0.1 (or --with COMMIT) and today's program, on the examples of
that commit, on the corpus and on random models, in every order, reduction, engine and number of
threads. Compared are status, counts, verdicts, runs, and the whole JSON object, but for seconds and
memory. What the older program refuses is not compared, nor what takes it longer than --limit
seconds, nor other orders of that engine then. Large models are compared in a third of the ways,
another third for each (--every: in all).

All of it takes an hour or so of CPU time. With --kept FILE what was compared is kept in that file,
and the next call goes on from there: it compares what is missing, what was different, and what
took longer than a smaller --limit. It begins anew when one of the programs is another one.

  same.py                          version 0.1: examples, corpus, some random models
  same.py --random 2000            more of them (LONG=1: 2,000)
  same.py --with COMMIT            another commit; nothing may differ then but what is ALWAYS
  same.py --only examples --names philosophers,dfs      cases whose name has all these words
  same.py --text                   also what is printed for people
  same.py --lengths                of runs only their lengths, and not what they explain
  same.py --list                   names of cases
  same.py --kept FILE --seconds 240      a piece: after so many seconds no other case is begun

Differences that version 0.2 makes on purpose are in EXPLAINED and ALWAYS, each with its reason;
they are counted and told at the end. Every other one is a line, and a failure.
"""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, ROOT, SEED
from kit import builds
from kit.cases import KINDS, Case, Maker
from kit.flat import MISSING, differences

CORPUS = os.path.join(os.path.dirname(ROOT), 'shared', 'corpus')

# Each way of searching that version 0.1 had. What a model cannot do is refused at once.
# FOLDER stands for an empty folder.
EXPLICIT = [
    ('bfs', '--engine explicit'), ('dfs', '--engine explicit --order dfs'),
    ('threads 2', '--engine explicit --threads 2'), ('threads 3', '--engine explicit --threads 3'),
    ('por', '--engine explicit --reduce por'), ('deadlock', '--engine explicit --reduce deadlock'),
    ('depth 5', '--engine explicit --bound 5'), ('first', '--engine explicit --first'),
    ('partition', '--partition auto'), ('partition threads 2', '--partition auto --threads 2'),
    ('partition hidden', '--partition auto --partition-hidden'),
    ('partition hidden threads 2', '--partition auto --partition-hidden --threads 2'),
    ('past-freeze', '--order past-freeze'), ('frozen', '--order past-freeze --freeze FOLDER'),
    ('split', '--order past-freeze --split always'),
]
GUIDED = [
    ('unrolled', '--bound 4'), ('rounds', '--bound auto'),
    ('unrolled past-freeze', '--bound 4 --order past-freeze'),
    ('unrolled frozen', '--bound 4 --order past-freeze --freeze FOLDER'),
    ('unrolled split', '--bound 4 --order past-freeze --split always'),
    ('alternatives', '--split alternatives'), ('permutations', '--split permutations'),
    ('position', '--split position'),
]
TIMED = [
    ('timed', '--engine timed'), ('timed equal', '--engine timed --zones equal'),
    ('timed equal past-freeze', '--engine timed --zones equal --order past-freeze'),
    ('timed past-freeze', '--engine timed --order past-freeze'),
    ('timed frozen', '--engine timed --order past-freeze --freeze FOLDER'),
]
OTHERS = [
    ('auto', ''),
    ('symbolic', '--engine symbolic'), ('symbolic bfs', '--engine symbolic --order bfs'),
    ('symbolic chaining', '--engine symbolic --order chaining'),
    ('symbolic por', '--engine symbolic --reduce por'),
    ('symbolic improviso', '--engine symbolic --reduce improviso'),
    ('symbolic deadlock', '--engine symbolic --reduce deadlock'),
    ('bounded', '--engine bounded --bound 5'),
    ('bounded por', '--engine bounded --reduce por --bound 5'),
    ('bounded steps', '--engine bounded --reduce steps --bound 5'),
]
WAYS = [(name, tuple(words.split())) for name, words in EXPLICIT + GUIDED + TIMED + OTHERS]
COMMANDS = {'bfs': ('check', 'explore'), 'dfs': ('check', 'explore'), 'por': ('check', 'explore'),
            'timed': ('check', 'explore'), 'timed equal': ('check', 'explore'),
            'past-freeze': ('check', 'explore'), 'partition': ('check', 'explore')}


class Difference:
    """One path at which two objects differ; objects: both of them."""

    def __init__(self, case, path, old, new, objects):
        self.case, self.path, self.old, self.new, self.objects = case, path, old, new, objects

    def inside(self):
        """Both objects, or of several those that the path leads to, and the rest of the path."""
        match = re.match(r'contexts\[(\d+)\]\.', self.path)
        if not match:
            return self.objects, self.path
        return ([((each or {}).get('contexts') or [None] * 9999)[int(match.group(1))]
                 for each in self.objects], self.path[match.end():])

    def statistic(self, name):
        """What both objects say about it."""
        return [(each or {}).get('statistics', {}).get(name) for each in self.objects]


INSIDE = r'(?:contexts\[\d+\]\.)?'  # an object of several
STEP = INSIDE + r'properties\[\d+\]\.(?:branches\[\d+\]\.)*(?:trace|run)\.steps\[\d+\]\.'


def added(pattern):
    """A key that version 0.1 did not have."""
    whole = re.compile(pattern)
    return lambda d: d.old is MISSING and whole.fullmatch(d.path)


def is_course(d):
    """context.state = 5 is context = {at: 5, next: [...]} now, and so are guides."""
    return (re.search(r'\b(?:context|guide)(?:\.state)?\b(?:\.(?:at|next(?:\[\d+\])?))?$', d.path)
            or (d.old, d.new) in (('context.state', 'context'), ('guide.state', 'guide')))


# What an assurance says in other words: what a reduction keeps, how a guide is read, and how many
# properties were decided in which way.
REWORDED = re.compile(r', which keeps (?:LTL|CTL) without X|reduced \([^)]*\)'
                      r'|, where what it forbids holds no step back, neither by priority nor by a'
                      r' deadline'
                      r'|hidden (?=variables that influence nothing)'
                      r'|(?<=variables that influence nothing) that is asked'
                      r'|(?:; )?\d+ (?:temporal )?propert(?:y|ies) (?:was|were) (?:checked|decided)'
                      r'[^;]*')


def more_is_said(d):
    """An assurance with all that it said before."""
    if not d.path.endswith('assurance') or not isinstance(d.new, str):
        return False
    old, new = (set(REWORDED.sub('', text).split('; ')) for text in (d.old, d.new))
    return not old - new


def is_shared_clock(d):
    """Fewer timers make fewer or coarser zones; discrete states stay."""
    (old, new), path = d.inside()
    before, now = ((each or {}).get('statistics', {}) for each in (old, new))
    if not now.get('timers', 0) < before.get('timers', 0):
        return False
    if path == 'assurance':  # how many there are
        said = [re.sub(r'\b[\d,]+(?= (?:reachable )?symbolic states)', '', each)
                for each in (d.old, d.new)]
        return said[0] == said[1]
    if before.get('discrete_states') != now.get('discrete_states') and 'depth limit' not in str(
            now.get('stop')):
        return False
    return re.fullmatch(r'states|transitions|depth|deadlocks|statistics\.(?:timers|most_clocks'
                        r'|expanded|levels(?:\[\d+\])?|zones|zone_bytes|clocks|covered|given_up'
                        r'|configurations|live_states_peak|freed_states|freezability'
                        r'|relative_progress|largest_cluster.*|cluster_sizes.*)', path)


def newly_decided(d):
    """Numbers of properties that were unknown and are now violated, with a run."""
    old, new = ((each or {}).get('properties', []) for each in d.objects)
    return [i for i, (p, q) in enumerate(zip(old, new)) if p['name'] == q['name']
            and (p['verdict'], q['verdict']) == ('unknown', 'violated') and q['trace']]


def is_decided(d):
    """What such a property says, what follows for the whole, and where --first stops then."""
    numbers = newly_decided(d)
    match = re.match(r'properties\[(\d+)\]\.(?:verdict|reason|trace)', d.path)
    if match and int(match.group(1)) in numbers:
        return True
    if numbers and d.path in ('status', 'verdict'):
        return (d.old, d.new) in ((3, 1), ('unknown', 'violated'))
    if not numbers or not d.case.endswith(' first'):
        return False
    if match is None:
        return not d.path.startswith('properties')
    now = d.objects[1]['properties'][int(match.group(1))]
    return (now['verdict'] == 'unknown'
            and now['reason'] == 'the search stopped at the first violation')


def is_seen(d):
    """A run that ends where p is false, and is not longer, instead of one with a cycle."""
    match = re.match(r'properties\[(\d+)\]\.(?:why$|trace\.(?:steps|loop))', d.path)
    if not match:
        return False
    old, new = (each['properties'][int(match.group(1))] for each in d.objects)
    if (old['verdict'], new['verdict']) != ('violated', 'violated'):
        return False
    (a, b), loops = lengths(d, int(match.group(1))), [(each['trace'] or {}).get('loop', None)
                                                      for each in (old, new)]
    return loops[0] is not None and loops[1] is None and b <= a


def is_other_part(d):
    """A reduction of the symbolic engine visits another part."""
    return d.case.endswith(' symbolic por') and re.fullmatch(r'states|transitions|deadlocks|depth'
                                                             r'|assurance|statistics\..*', d.path)


def has_threads(d):
    """So many as were asked for."""
    return (re.fullmatch(INSIDE + r'statistics\.threads', d.path) and d.old is MISSING
            and d.case.endswith(f'threads {d.new}'))


def is_next_region(d):
    """One state less in a search that ended early."""
    old, new = ((each or {}).get('states') for each in d.objects)
    if ' partition' not in d.case or None in d.statistic('stop') or old != new + 1:
        return False
    said = d.old.replace(f'{old:,} states', f'{new:,} states') if d.path == 'assurance' else None
    return d.path == 'states' or said == d.new


def lengths(d, number):
    """Of the runs of a property in both objects."""
    return [len((each['properties'][number].get('trace') or {}).get('steps', ()))
            for each in d.objects]


def is_other_run(d):
    """Another run of the same length for the same property, and what it explains."""
    match = re.match(r'properties\[(\d+)\]\.(?:why$|trace\.steps\[)', d.path)
    if not match or not re.search(r' threads \d+$', d.case):
        return False
    old, new = lengths(d, int(match.group(1)))
    return old == new > 0


def is_no_interaction(d):
    """Another step between the same states, in rounds."""
    match = re.fullmatch(r'properties\[(\d+)\]\.trace\.steps\[\d+\]\.(?:label|line|column)', d.path)
    if not match or not d.case.endswith(' rounds'):
        return False
    old, new = lengths(d, int(match.group(1)))
    return old == new


def is_shorter_loop(d):
    """A run that repeats, without steps that do not matter."""
    match = re.fullmatch(r'properties\[(\d+)\]\.trace\..*', d.path)
    if not match:
        return False
    old, new = lengths(d, int(match.group(1)))
    return old is not None and new is not None and new < old


# (what, reason, whether a difference is of this kind), whatever the older commit is
ALWAYS = [
    ('interaction', 'where two steps lead to a state, a run shows the one that is no interaction',
     is_no_interaction),
    ('run', 'several threads show the run that one shows, before it was one as long', is_other_run),
    ('region', 'once all is decided the state that the next region begins with is not added',
     is_next_region),
    ('loop', 'steps that do not matter are left out of runs that repeat', is_shorter_loop),
    ('threads', 'searches have several threads that had one (run/combine.c)', has_threads),
]
# ...; of version 0.1 alone
EXPLAINED = ALWAYS + [
    ('format', 'results are of format 2',
     lambda d: re.fullmatch(INSIDE + 'format', d.path) and (d.old, d.new) == (1, 2)),
    ('under', 'claims name what they stand on', added(INSIDE + r'under\..*')),
    ('assurance', 'claims name constants, restrictions, readings and what is kept', more_is_said),
    ('place', 'a step has its place, and what it changes',
     added(STEP + r'(?:file|line|column|changed(?:\[\d+\])?)')),
    ('coverage', 'how often each rule was taken, and which locations were reached',
     added(INSIDE + r'statistics\.coverage\..*')),
    ('participants', 'who takes part in a run', added(INSIDE + r'.*\bparticipants\b.*')),
    ('advice', 'what to try next when a limit ended a search', added(INSIDE + r'advice\b.*')),
    ('context', 'where a context or a guide stands has no internal name, and says what may follow',
     is_course),
    ('date', 'a step of a timed model has its date', added(STEP + 'date')),
    ('why', 'a violation has its explanation', added(INSIDE + r'properties\[\d+\]\.why')),
    ('guide', 'results say which reading of a guide is in force',
     added(INSIDE + r'guide\.semantics')),
    ('searches', 'what is repeated is told', added(r'statistics\.searches\[\d+\]\.\w+')),
    ('vacuous', 'the bounded engine tells vacuous properties, too',
     lambda d: 'bounded' in d.case and d.path.endswith('.vacuous') and d.old is MISSING),
    ('clocks', 'paths of one transition that differ in values only share a clock', is_shared_clock),
    ('decided', 'what is written as G p or AG p is seen in the visited states', is_decided),
    ('seen', 'so what violates it is a run without a cycle', is_seen),
    ('keep', 'symbolic por keeps for each property what it needs', is_other_part),
]

EQUAL, DIFFERENT, REFUSED = 'equal', 'different', 'refused by the older one'
TOO_LONG, SKIPPED = 'too long', 'too long in another order'
LEFT = 'large, and this way is left to other models'
LARGE = 100000, 5000  # steps of a model that is large: without time, and with it


class Outcome:
    """What came of one run: one of the words above, at which limit, how often which kind of
    difference was explained, and how many steps the older program took."""

    def __init__(self, word, limit=0, kinds=(), steps=0):
        self.word, self.limit, self.steps = word, limit, steps
        self.kinds = collections.Counter(kinds)

    def stands(self, options):
        """Whether another look would show nothing new."""
        if self.word in (TOO_LONG, SKIPPED):
            return options.limit <= self.limit
        return self.word != DIFFERENT and (self.word != LEFT or not options.every)


class Outcomes:
    """Outcomes of runs by name, also in a file: lines of JSON behind one that tells the programs,
    and of two lines with a name the later one counts."""

    def __init__(self, path, programs):
        self.path, self.found, self.lock = path, {}, threading.Lock()
        lines = []
        if path and os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                lines = [parsed(line) for line in file]
        if lines[:1] == [programs]:
            for line in lines[1:]:
                if line:  # the last one may have been cut
                    self.found[line[0]] = Outcome(*line[1:])
        elif path:
            with open(path, 'w', encoding='utf-8') as file:
                print(json.dumps(programs), file=file)

    def add(self, name, outcome, faults):
        line = json.dumps([name, outcome.word, outcome.limit, outcome.kinds, outcome.steps])
        with self.lock:
            self.found[name] = outcome
            for fault in faults:
                print(f'DIFFERENT {name}: {fault}'[:900], flush=True)
            if self.path:
                with open(self.path, 'a', encoding='utf-8') as file:
                    print(line, file=file)

    def tell(self):
        """Prints what they are; returns how many are equal, and how many are not."""
        words = collections.Counter(each.word for each in self.found.values())
        kinds = sum((each.kinds for each in self.found.values()), collections.Counter())
        for word in (REFUSED, TOO_LONG, SKIPPED, LEFT):
            if words[word]:
                print(f'not compared: {words[word]:,} runs, {word}')
        for what, reason, _ in EXPLAINED:
            if kinds[what]:
                print(f'on purpose: {kinds[what]:,} of kind "{what}": {reason}')
        return words[EQUAL], words[DIFFERENT]


def digest(program):
    with open(program, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def run(program, arguments, folder, limit):
    """None: not ended after so many seconds of CPU time."""
    done = subprocess.run(['prlimit', f'--cpu={limit}', program, *arguments], cwd=folder, text=True,
                          capture_output=True, errors='replace', stdin=subprocess.DEVNULL)
    return None if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else done


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def shortened(value):
    """An object whose runs are only lengths, without explanations, which stand on runs."""
    if isinstance(value, list):
        return [shortened(each) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get('steps'), list):
        return {**value, 'steps': len(value['steps'])}
    return {key: shortened(each) for key, each in value.items() if key != 'why'}


def for_people(text):
    """What is printed, without seconds and memory."""
    return re.sub(r'\d[\d,.]* ?(?:ms|s|h|min|[KMG]i?B|bytes|states per second)\b', '#', text)


def shown(value, other):
    """A value, of long texts only what the other one does not have."""
    if isinstance(value, str) and isinstance(other, str) and len(value) > 60:
        return repr('; '.join(part for part in value.split('; ') if part not in other.split('; ')))
    return repr(value)


def was_cut(done):
    """Whether a process for one of several contexts was ended by the limit."""
    contexts = (parsed(done.stdout) or {}).get('contexts', [])
    return any('states' not in each for each in contexts)


def family(words):
    """The engine of a way: what is too long in one order is not tried in the others. The number of
    paths is another matter than that of states."""
    if '--partition-hidden' in words:
        return 'paths'
    return words[words.index('--engine') + 1] if '--engine' in words else 'explicit'


class Comparison:
    def __init__(self, options):
        self.options = options
        self.folder, self.old, self.new = builds.both(options.commit)
        self.is_first = builds.folder_of(builds.VERSION_0_1) == self.folder
        self.end = time.monotonic() + options.seconds
        self.is_whole = True  # no case was left to another call
        asked = [options.text, options.lengths]
        self.outcomes = Outcomes(options.kept, [digest(self.old), digest(self.new), *asked])

    def arguments(self, command, case, words, scratch):
        empty = os.path.join(scratch, 'folder')
        shutil.rmtree(empty, ignore_errors=True)
        words = [empty if word == 'FOLDER' else word for word in words]
        return [command, case.model, *case.options, *words]

    def compare(self, command, case, way, words, scratch):
        """Runs both; the outcome and the faults."""
        forms = (('--json', '-q'), ()) if self.options.text else (('--json', '-q'),)
        faults, kinds, steps = [], collections.Counter(), 0
        for more in forms:
            ask = lambda: [*self.arguments(command, case, words, scratch), *more]
            old = run(self.old, ask(), self.folder, self.options.limit)
            if old is None or was_cut(old):
                return Outcome(TOO_LONG, self.options.limit), []
            if old.returncode == 2:
                return Outcome(REFUSED), []
            raw = ['--raw'] if self.is_first and command == 'check' else []  # as version 0.1 did
            new = run(self.new, ask() + raw, self.folder, 2 * self.options.limit + 2)
            if new is None:
                faults.append(f'not ended after {2 * self.options.limit + 2} s of CPU time')
                break
            faults += self.differ(f'{command} {case.name} {way}', old, new, more, kinds)
            steps = steps or (parsed(old.stdout) or {}).get('transitions') or 0
        return Outcome(DIFFERENT if faults else EQUAL, kinds=kinds, steps=steps), faults

    def differ(self, name, old, new, more, kinds):
        """The faults; what is explained is counted in kinds."""
        found = []
        if old.returncode != new.returncode:
            found.append(('status', old.returncode, new.returncode))
        if '--json' in more:
            objects = parsed(old.stdout), parsed(new.stdout)
            found += differences(*(map(shortened, objects) if self.options.lengths else objects))
        elif for_people(old.stdout) != for_people(new.stdout):
            pairs = zip(for_people(old.stdout).splitlines(), for_people(new.stdout).splitlines())
            found.append(('text', *next((pair for pair in pairs if pair[0] != pair[1]), ('', ''))))
        objects = [parsed(each.stdout) if '--json' in more else None for each in (old, new)]
        faults = []
        for path, a, b in found:
            kind = self.explanation(Difference(name, path, a, b, objects))
            if kind:
                kinds[kind] += 1
            else:
                faults.append(f'{path}: {shown(a, b)} now {shown(b, a)}')
        if len(faults) > 6:
            faults = faults[:6] + [f'and {len(faults) - 6} more']
        return faults

    def explanation(self, difference):
        for what, reason, matches in EXPLAINED if self.is_first else ALWAYS:
            if matches(difference):
                return what
        return None

    def names(self, of):
        """(name, command, way, its words) of every run of a case that is asked for."""
        for way, words in WAYS:
            for command in COMMANDS.get(way, ('check',)):
                name = f'{command} {of} {way}'
                if all(word in name for word in self.options.names):
                    yield name, command, way, words

    def is_left(self, name, words, known):
        """Whether a run is left out: its model is large, by what is known of it, and another model
        is searched like that."""
        if self.options.every or family(words) in ('symbolic', 'bounded'):
            return False
        steps = max((each.steps for each in known), default=0)
        return steps > LARGE[family(words) == 'timed'] and zlib.crc32(name.encode()) % 3 > 0

    def left(self, of):
        """Its runs that have no outcome; none when it is too late."""
        runs = list(self.names(of))
        if self.options.list:
            print('\n'.join(name for name, *_ in runs))
            return []
        found = self.outcomes.found
        runs = [each for each in runs
                if each[0] not in found or not found[each[0]].stands(self.options)]
        if runs and time.monotonic() > self.end:
            self.is_whole = False
            return []
        return runs

    def search(self, case):
        """One case in every way in which it has no outcome."""
        found, too_long = self.outcomes.found, set()
        runs = self.left(case.name)
        known = [found[name] for name, *_ in self.names(case.name) if name in found]
        with tempfile.TemporaryDirectory(prefix='cairn-same-', dir=memory_folder()) as scratch:
            for name, command, way, words in runs:
                faults = []
                if family(words) in too_long:
                    outcome = Outcome(SKIPPED, self.options.limit)
                elif self.is_left(name, words, known):
                    outcome = Outcome(LEFT)
                else:
                    outcome, faults = self.compare(command, case, way, words, scratch)
                known.append(outcome)
                if outcome.word == TOO_LONG:
                    too_long.add(family(words))
                self.outcomes.add(name, outcome, faults)

    def random(self, number):
        """The random model of a number, its kind in turn. To make one can take long."""
        kind = self.options.kinds[number % len(self.options.kinds)]
        seed = f'{SEED} {number}' if SEED else number
        if self.left(Maker.name(kind, seed)):
            with tempfile.TemporaryDirectory(prefix='cairn-same-', dir=memory_folder()) as folder:
                self.search(Maker(folder).make(kind, seed))


def memory_folder():
    return '/dev/shm' if os.path.isdir('/dev/shm') else None


def expected_options(model):
    """Options of the model's // expect lines, without those that are ways of searching."""
    with open(model, encoding='utf-8') as file:
        lines = re.findall(r'^// expect((?: -D \w+=\d+| --(?:context|guide) \S+?)*)'
                           r'(?: --bound \S+?)?:', file.read(), re.MULTILINE)
    found = [()]
    for line in lines:
        words = line.split()
        place = os.path.dirname(model)
        words = tuple(os.path.join(place, w) if '.cdl' in w or '.xgdl' in w else w for w in words)
        if words not in found:
            found.append(words)
    return found


def examples(folder):
    """Cases of the examples and the regression models, as they were then."""
    cwd = os.getcwd()
    os.chdir(folder)
    files = sorted(glob.glob('examples/*/*.*') + glob.glob('test/regress/*.*'))
    cases = []
    for model in files:
        if model.endswith(('.mil', '.fcr', '.cairn')):
            for options in expected_options(model):
                short = ' '.join([model.removeprefix('examples/'), *map(os.path.basename, options)])
                cases.append(Case(short, model, options))
    for model in (case.model for case in list(cases)):
        context = os.path.splitext(model)[0] + '.cdl'
        if context in files and 'regress' in model:
            cases.append(Case(f'{model} with context', model, ('--context', context)))
    os.chdir(cwd)
    return cases


def corpus():
    """Models of others in languages that version 0.1 read."""
    files = sorted(glob.glob(os.path.join(CORPUS, 'fiacre', '*', '*.fcr'))
                   + glob.glob(os.path.join(CORPUS, 'cdl', '*.fcr')), key=os.path.getsize)
    cases = []
    for model in files:
        name = os.path.relpath(model, CORPUS)
        cases.append(Case(name, model))
        context = os.path.splitext(model)[0] + '.cdl'
        if os.path.exists(context):
            cases.append(Case(f'{name} with context', model, ('--context', context)))
    return cases


def read_options():
    parser = argparse.ArgumentParser(description='Two builds say the same.')
    parser.add_argument('--with', dest='commit', default=builds.VERSION_0_1)
    parser.add_argument('--random', type=int, default=2000 if LONG else 60)
    parser.add_argument('--only', choices=('examples', 'corpus', 'random'))
    parser.add_argument('--kinds', default=','.join(KINDS), help='of random models')
    parser.add_argument('--names', default='', help='only cases with all these words')
    parser.add_argument('--limit', type=int, default=60 if LONG else 2,
                        help='seconds of CPU time for each run of the older program')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--every', action='store_true', help='every way also of large models')
    parser.add_argument('--kept', help='file of what was compared, to go on from')
    parser.add_argument('--seconds', type=float, default=float('inf'),
                        help='after which no other case is begun')
    parser.add_argument('--text', action='store_true')
    parser.add_argument('--lengths', action='store_true', help='of runs only their lengths')
    parser.add_argument('--list', action='store_true')
    options = parser.parse_args()
    options.names = [word for word in options.names.split(',') if word]
    options.kinds = options.kinds.split(',')
    return options


def main():
    options = read_options()
    comparison = Comparison(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = []
        if options.only in (None, 'examples'):
            waiting += [pool.submit(comparison.search, case)
                        for case in examples(comparison.folder)]
        if options.only in (None, 'corpus'):
            if not os.path.isdir(CORPUS):
                print('no corpus: its models are left out')
            waiting += [pool.submit(comparison.search, case) for case in corpus()]
        if options.only in (None, 'random'):
            waiting += [pool.submit(comparison.random, i) for i in range(options.random)]
        for each in waiting:
            each.result()
    passed, failed = comparison.outcomes.tell()
    if not comparison.is_whole:
        print(f'not all of it yet: go on with the same words and {options.kept}')
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed or not comparison.is_whole else 0)


if __name__ == '__main__':
    main()
