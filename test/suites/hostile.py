"""Hostile input: every bad input gets a clear message and status 2 (or 3 where a limit is the
reason), never a crash, a hang or exhausted memory.

Every run has limits on memory and processor time, so that a failure is seen and does not take the
machine with it. Inputs that grow with a number are run in the ordinary build with a processor limit
that only an algorithm of too high an order exceeds; everything else also runs sanitized.
"""
import concurrent.futures
import glob
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, PATIENCE, ROOT, SEED, at_work, check, crashed, finish, path, scratch,
                 write)

EXAMPLE = os.path.join(ROOT, 'examples')
PC = os.path.join(EXAMPLE, 'producer-consumer', 'pc.mil')
PHILS = os.path.join(EXAMPLE, 'philosophers', 'phils.mil')
PETERSON = os.path.join(EXAMPLE, 'peterson', 'peterson.mil')
GB = 1 << 30
HAS_ASAN = os.path.exists(ASAN)
check('there is a sanitized build', HAS_ASAN, ASAN)

# ---- running with limits ----


class Result:
    def __init__(self, returncode, stdout, stderr, cpu, megabytes):
        self.returncode, self.stdout, self.stderr = returncode, stdout, stderr
        self.cpu, self.megabytes = cpu, megabytes

    def __str__(self):
        return (f'status {self.returncode}, {self.cpu:.1f} s of processor, {self.megabytes} MB\n'
                f'stderr: {self.stderr[-600:]}\nstdout: {self.stdout[-300:]}')


def launch(*arguments, program=CAIRN, stdin=b'', cpu=10, address=3 * GB, cwd=ROOT, interrupt=None,
           stdout=None):
    """Runs the program with limits on everything; `interrupt` is [(CPU seconds, signal), ...]: sent
    when it has used so much."""
    number = next(counter)
    names = [path(f'run{number}.{what}') for what in ('in', 'out', 'err')]
    with open(names[0], 'wb') as file:
        file.write(stdin)
    environment = dict(os.environ,
                       ASAN_OPTIONS='detect_leaks=1:allocator_may_return_null=1:hard_rss_limit_mb=3'
                       '000')

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        if program == CAIRN:
            resource.setrlimit(resource.RLIMIT_AS, (address, address))

    with open(names[0], 'rb') as source, open(names[1], 'wb') as out, open(names[2], 'wb') as err:
        process = subprocess.Popen([os.fsencode(program), *map(os.fsencode, arguments)],
                                   stdin=source, stdout=stdout or out, stderr=err, env=environment,
                                   cwd=cwd, preexec_fn=limit)
    net = threading.Timer(PATIENCE, process.kill)
    net.start()
    for after, number in interrupt or []:
        at_work(process.pid, after)
        os.kill(process.pid, number)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    net.cancel()
    texts = []
    for name in names[1:]:
        with open(name, 'rb') as file:
            texts.append(file.read(20 << 20).decode('utf-8', 'replace'))
    for name in names:
        os.unlink(name)
    return Result(process.returncode, *texts, usage.ru_utime + usage.ru_stime,
                  usage.ru_maxrss >> 10)


class Counter:
    def __init__(self):
        self.value, self.lock = 0, threading.Lock()

    def __next__(self):
        with self.lock:
            self.value += 1
            return self.value


counter = Counter()
pool = concurrent.futures.ThreadPoolExecutor(2)
waiting = []   # (name, future, verdict function)


def later(name, judge, *arguments, **options):
    waiting.append((name, pool.submit(launch, *arguments, **options), judge))


def collect():
    for name, future, judge in waiting:
        result = future.result()
        complaint = 'crash' if crashed(result) else judge(result)
        check(name, not complaint, f'{complaint}: {result}')
    waiting.clear()


def refused(*words, statuses=(2,), most=16000):
    """A message with all the words, one of the statuses, and no flood of text."""
    def judge(result):
        if result.returncode not in statuses:
            return f'status {statuses} expected'
        if 'error:' not in result.stderr:
            return 'no error message'
        missing = [word for word in words if not re.search(word, result.stderr)]
        if missing:
            return f'the message does not say {missing}'
        if len(result.stderr) > most:
            return f'a message of {len(result.stderr)} characters'
        if '--json' not in result.stderr and result.stdout.strip():
            return 'something on standard output'
        return None
    return judge


def fine(*statuses, words=()):
    def judge(result):
        if result.returncode not in statuses:
            return f'status {statuses} expected'
        missing = [word for word in words if not re.search(word, result.stdout + result.stderr)]
        return f'does not say {missing}' if missing else None
    return judge


def bad_model(name, text, *words, extension='.mil', statuses=(2,), slow=False, options=(),
              **limits):
    """Both builds refuse the model, with a message that has the words. slow: only the ordinary
    build, which must be quick."""
    file = write(re.sub(r'\W', '_', name) + extension, text)
    if slow:
        limits = {'cpu': 4, **limits}
    later(name, refused(*words, statuses=statuses), 'check', file, *options, **limits)
    if HAS_ASAN and not slow:
        later(f'{name} (sanitized)', refused(*words, statuses=statuses), 'check', file, *options,
              program=ASAN, **{'cpu': 20, **limits})


def model(body='', variables='x : 2 := 0;', commands='[a] true : x := x + 1;', before=''):
    return (f'{before}\nACTIONS a; END\nVARIABLES {variables} END\nMAIN CASE {commands} END '
            f'END\n{body}\n')


GOOD = write('good.mil', model('INVARIANTS x <= 3; END'))
BIG = write('big.mil',
            model(variables='x : 32 := 0; y : 32 := 0;',
                  commands='[a] true : x := x + 1; [a] true : y := y + 1;'))

# ---- files ----

rng = random.Random(f'hostile {SEED}')
bad_model('an empty file', '', 'empty')
bad_model('white space only', ' \n\t\r\n  \f\n', 'empty')
bad_model('a comment only', '// nothing\n/* at all */', 'empty')
bad_model('random bytes', bytes(rng.randrange(256) for _ in range(5000)))
bad_model('random text', ''.join(chr(rng.randrange(32, 127)) for _ in range(5000)))
bad_model('NUL bytes', b'VARIABLES x : \0 1 := 0; END MAIN END', '0x00', 'text file')
bad_model('only NUL bytes', b'\0' * 100000, '0x00')
bad_model('bad UTF-8', b'VARIABLES x\xff\xfe : 1 := 0; END MAIN END')
bad_model('cut UTF-8', b'VARIABLES x : 1 := 0; END MAIN END \xe2\x89')
bad_model('UTF-16', 'VARIABLES x : 1 := 0; END MAIN END'.encode('utf-16'))
bad_model('terminal escapes', b'VARIABLES x : 1 := \x1b[31m\x9b2J; END MAIN END')
bad_model('a comment without an end', 'VARIABLES x : 1 := 0; END MAIN END /* never', 'does not end')
bad_model('a string without an end', 'VARIABLES x : 1 := 0; END MAIN END "never', 'does not end')
bad_model('an ELF file', open(CAIRN, 'rb').read(200000))
bad_model('a JSON file', '{"a": [1, 2, 3]}')
with open(GOOD, 'rb') as good:
    plain = good.read()
for name, text in {'a byte order mark': b'\xef\xbb\xbf' + plain,
                   'CRLF': plain.replace(b'\n', b'\r\n'), 'CR in comments': b'// a\rb\n' + plain,
                   'form feeds': plain.replace(b'\n', b'\f\n')}.items():
    later(name, fine(0), 'check', write(re.sub(r'\W', '_', name) + '.mil', text), program=ASAN)
crlf = write('crlf_wrong.mil', b'VARIABLES x : 1 := 0;\r\n  y : 1 := zz;\r\nEND\r\nMAIN END\r\n')
later('the line of an error in a CRLF file has no stray sign',
      lambda r: None if re.search(r'y : 1 := zz; *\n', r.stderr) and r.returncode == 2
      else 'not the line as written', 'check', crlf)

later('a folder', refused('folder'), 'check', EXAMPLE)
later('a folder as a trace', refused('folder'), 'replay', EXAMPLE)
later('a missing file', refused('No such file'), 'check', path('missing.mil'))
later('an empty file name', refused('No such file'), 'check', '')
later('a file name that is too long', refused('too long'), 'check', 'x' * 6000 + '.mil')
later('/dev/null', refused('empty'), 'check', '/dev/null')
later('/dev/zero', refused('larger than|0x00'), 'check', '/dev/zero', cpu=8)
later('/dev/full', refused(), 'check', '/dev/full', cpu=8)
later('standard input', fine(0), 'check', '-', stdin=plain)
later('standard input, empty', refused('empty'), 'check', '-')
os.mkfifo(path('fifo.mil'))
later('a FIFO without a writer', refused('empty'), 'check', path('fifo.mil'))
later('a FIFO without a writer as a trace', refused(), 'replay', path('fifo.mil'))
unreadable = write('unreadable.mil', plain)
os.chmod(unreadable, 0)
if not os.access(unreadable, os.R_OK):
    later('an unreadable file', refused('ermission'), 'check', unreadable)
later('an unreadable kernel file', refused(), 'check', '/proc/self/mem')
huge = path('huge.mil')
with open(huge, 'wb') as file:
    file.truncate(65 << 20)
later('a file of 65 MB', refused('larger than 64'), 'check', huge, cpu=8)
later('a trace of 65 MB', refused('larger than 64'), 'replay', huge, cpu=8)
later('a file of 20 MB of semicolons, 1 GB of memory', refused(statuses=(2, 3)), 'check',
      write('semicolons.mil', b';' * (20 << 20)), address=GB, cpu=20)
later('a file of 20 MB of spaces', refused('empty'), 'check',
      write('spaces.mil', b' ' * (20 << 20)), address=GB, cpu=8)

# ---- UPPAAL's models ----

def uppaal(before='', labels='', parameter='', local='', templates='', system='system T;'):
    edge = f'<transition><source ref="a"/><target ref="b"/>{labels}</transition>'
    return (f'<nta><declaration>{before}</declaration>{templates}<template><name>T</name>'
            f'<parameter>{parameter}</parameter><declaration>{local}</declaration>'
            f'<location id="a"><name>A</name></location>'
            f'<location id="b"/><init ref="a"/>{edge}</template><system>{system}</system></nta>')


def label(kind, text):
    return f'<label kind="{kind}">{text}</label>'


for name, text, words in (
    ('a quantifier without bounds', uppaal('int x;', label('guard', 'forall (i : int) i != x')),
     ('more than 2000 values', "in the guard of the edge from 'A' to '_b' of template 'T'")),
    ('an empty range to select from', uppaal(labels=label('select', 'i : int[5, 2]')),
     ('the range 5 .. 2 is empty', "in the selection of the edge from 'A' to '_b'")),
    ('a range from 0 to -3', uppaal(local='int[0, -3] n;'),
     ('the range 0 .. -3 is empty', "in the declarations of template 'T'")),
    ('a selection of 2^32 values',
     uppaal(labels=label('select', 'i : int[-2147483648, 2147483647]')),
     ('more than 65536 values',)),
    ('a set of 10^6 processes', uppaal(parameter='const int[1, 1000000] id'),
     ('more than 65536 values', "in the parameters of template 'T'")),
    ('10^6 processes, 1,000 by 1,000',
     uppaal(parameter='const int[1, 1000] a, const int[1, 1000] b'),
     ('more than 20000 processes', 'in the system declarations')),
    ('10^7 combinations of selected values',
     uppaal(labels=label('select', 'i : int[0,999], j : int[0,999], k : int[i,i+9]')),
     ('more than 1000000 combinations', "in the selection of the edge from 'A' to '_b'")),
    ('an unknown name in an update', uppaal(labels=label('assignment', 'y = 1')),
     ("no 'y' here", "in the update of the edge from 'A' to '_b' of template 'T'")),
    ('no such location', uppaal().replace('source ref="a"', 'source ref="z"'),
     ("no location with the id 'z'",)),
    ('a function that calls itself',
     uppaal('int f(int n) { return n &lt; 1 ? 0 : f(n - 1); }', label('guard', 'f(5) == 0')),
     ("'f' calls itself",)),
    ('a type made of itself', uppaal('typedef struct { t x; } t; t y;'), ("no type 't' here",)),
    ('an array of 2^31 elements', uppaal('int a[2147483647];'), ('too large',))):
    bad_model(f'UPPAAL: {name}', text, *words, extension='.xml')
bad_model('UPPAAL: 100,000 dimensions', uppaal(f'int a{"[1]" * 100000};'),
          'more than 100 dimensions', extension='.xml')
# names are found in a table: looking through all of them took minutes
bad_model('UPPAAL: 100,000 types, each of the one before',
          uppaal('typedef int t0;' + ''.join(f'typedef t{i} t{i + 1};' for i in range(100000))
                 + 'u x;'), "no type 'u'", extension='.xml', slow=True)
bad_model('UPPAAL: 100,000 processes by name',
          uppaal(system=''.join(f'P{i} = T();' for i in range(100000)) + 'system '
                 + ', '.join(f'P{i}' for i in range(100000)) + ';'), 'more than 20000 processes',
          extension='.xml', slow=True)

# each rule of a broadcast has a local for each receiver, which all rules share; edges are looked
# at process by process: it took minutes
later('UPPAAL: 600 processes that all send and receive a broadcast', fine(1), 'check',
      write('broadcast.xta', 'broadcast chan c; process P(const int[1,600] i) { state A, B; '
            'init A; trans A -> B { sync c!; }, A -> B { sync c?; }; } system P;'), cpu=6)
later('UPPAAL: a query over 1,000 by 1,000 processes', fine(0, words=('holds +query',)), 'check',
      write('pairs.xta', ''.join(f'process {p}(const int[1,1000] i) {{ state A; init A; }} '
                                 for p in 'PQ') + 'system P, Q; query { A[] forall (i:int[1,1000]) '
            'forall (j:int[1,1000]) P(i).A or Q(j).A }'), cpu=6)
for kind, around in (('xta', '%s'), ('xml', '<nta><declaration>%s</declaration></nta>')):
    later(f'UPPAAL: 100 MB of {kind}', refused('is larger than 64 MiB'), 'check',
          write(f'large.{kind}', around % ('int x;' * 17500000)), cpu=4)
later('UPPAAL: a query over 2,000 by 2,000 processes', refused('more than 2000000 cases'), 'check',
      write('more.xta', 'process P(const int[1,2000] i) { state A; init A; } system P; query { A[] '
            'forall (i:int[1,2000]) forall (j:int[1,2000]) P(i).A or P(j).A }'), cpu=15)
later('UPPAAL: 1,000 processes that receive a broadcast by their clocks',
      refused('can be received in more than 100000 ways', "of template 'P'"), 'check',
      write('clocks.xta', 'broadcast chan c; process P(const int[1,1000] i) { clock x; state A, B; '
            'init A; trans A -> B { sync c!; }, A -> B { guard x >= 1; sync c?; }; } system P;'),
      cpu=6)

# what invariants say is looked at once, not for each rule
later('TChecker: 5,000 processes with invariants', fine(0, 3), 'check', write('many.tck',
      'system:many\nevent:a\n' + ''.join(
          f'clock:1:x{i}\nprocess:P{i}\nlocation:P{i}:A{{initial:}}\n'
          f'location:P{i}:B{{invariant:x{i}<=3}}\nedge:P{i}:A:B:a{{do:x{i}=0}}\n'
          for i in range(5000))), '--bound', '1', '--no-deadlock', cpu=5)

# ---- depth ----

N = 100000
deep = {
    'parentheses in a guard': model(commands='[a] ' + '(' * N + 'x == 0' + ')' * N + ' : x := 1;'),
    'parentheses in arithmetic': model(commands='[a] ' + '(' * N + 'x' + ')' * N
                                       + ' == 0 : x := 1;'),
    'open parentheses': model(commands='[a] ' + '(' * N),
    'parentheses in a width': model(variables='x : ' + '(' * N + '2' + ')' * N + ' := 0;'),
    'parentheses in a stored value': model(commands='[a] true : x := ' + '(' * N + 'x' + ')' * N
                                           + ';'),
    'parentheses in CTL': model('CTL ' + '(' * N + 'x == 0' + ')' * N + '; END'),
    'parentheses in LTL': model('LTL ' + '(' * N + 'x == 0' + ')' * N + '; END'),
    'negations': model('INVARIANTS ' + '!' * N + 'x == 0; END'),
    'negations as words': model('CTL ' + 'not ' * N + 'x == 0; END'),
    'minus signs': model('INVARIANTS ' + '-' * N + 'x == 0; END'),
    'minus signs in a constant': model(before='CONST n = ' + '-' * N + '1;'),
    'implications': model('INVARIANTS ' + 'x == 0 -> ' * N + 'x == 0; END'),
    'implications in a guard': model(commands='[a] ' + 'x == 0 => ' * N + 'x == 0 : x := 1;'),
    'equivalences': model('INVARIANTS ' + 'x == 0 <-> ' * N + 'x == 0; END'),
    'conjunctions': model(commands='[a] ' + 'x == 0 & ' * N + 'x == 0 : x := 1;'),
    'comparisons': model(commands='[a] ' + 'x == ' * N + 'x : x := 1;'),
    'temporal operators': model('LTL ' + 'F ' * N + 'x == 0; END'),
    'temporal operators in one word': model('LTL ' + 'FG' * N + ' x == 0; END'),
    'quantified operators': model('CTL ' + 'AG ' * N + 'x == 0; END'),
    'quantifiers': model('CTL ' + 'A ' * N + 'x == 0; END'),
    'E[ ... U ...]': model('CTL ' + 'E[' * N + 'x == 0' + ' U x == 1]' * N + '; END'),
    'E[ without an end': model('CTL ' + 'E[' * N + '; END'),
    'A( ... W ...)': model('CTL ' + 'A(' * N + 'x == 0' + ' W x == 1)' * N + '; END'),
    'E[ on the right': model('CTL ' + 'E[x == 1 U ' * N + 'x == 0' + ']' * N + '; END'),
    'untils': model('LTL ' + 'x == 0 U ' * N + 'x == 0; END'),
    'a sum of 200,000 terms': model(commands='[a] true : x := ' + 'x + ' * 200000 + '1;'),
    'a product of 200,000 factors': model(commands='[a] true : x := ' + 'x * ' * 200000 + '1;'),
    'a sum of 200,000 constants': model(before='CONST n = ' + '1 + ' * 200000 + '1;'),
}
for name, text in deep.items():
    bad_model(f'deep: {name}', text, ' error: ', 'deep|expected', cpu=20)
# Each index is an expression of its own.
process = 'LOCAL T VARIABLES pc : 1 := 0; END CASE END END MAIN PROC p : T[2]; END END\n'
bad_model('deep: indices in a formula',
          process + 'INVARIANTS ' + 'p[' * 30000 + '0' + '].pc' * 30000 + ' == 0; END', ' error: ',
          slow=True)
bad_model('deep: indices in a formula (10,000)',
          process + 'INVARIANTS ' + 'p[' * 10000 + '0' + '].pc' * 10000 + ' == 0; END', ' error: ',
          cpu=20)
bad_model('deep: indices without an end', process + 'INVARIANTS ' + 'p[' * 100000 + ' == 0; END',
          ' error: ', slow=True)
# Constants that are defined by later ones: nothing bounds the chain.
chain = ' '.join(f'c{i} = c{i + 1};' for i in range(N))
later('deep: a chain of 100,000 constants', fine(0, 2), 'explore',
      write('chain.mil',
            f'CONST {chain} c{N} = 1;\nACTIONS a; END VARIABLES x : c0 := 0; END MAIN CASE [a] '
            f'true : x := x + 1; END END'))
later('deep: a chain of 20,000 constants (sanitized)', fine(0, 2), 'explore',
      write('chain2.mil',
            f'CONST {" ".join(f"c{i} = c{i + 1};" for i in range(20000))} c20000 = 1;\nACTIONS a; '
            'END VARIABLES x : c0 := 0; END MAIN CASE [a] true : x := x + 1; END END'),
      program=ASAN)
bad_model('deep: a circle of 100,000 constants',
          f'CONST {chain} c{N} = c0;\nVARIABLES x : c0 := 0; END MAIN END', 'by itself|deep',
          slow=True)
# The same in the model's own text form.
CAIRN_HEAD = 'cairn 1\nmodel "m"\nvariable "x" 0..3 = 0\n'
for name, text in {
    'not': 'rule "r"\n part global\n when ' + '(not ' * N + 'true' + ')' * N,
    'add': 'rule "r"\n part global\n set "x" ' + '(add 2 1 ' * N + '"x"' + ')' * N,
    'globally': 'property "p" ltl formula ' + '(globally ' * N + 'true' + ')' * N,
    'parentheses': 'rule "r"\n part global\n when ' + '(' * N,
}.items():
    bad_model(f'deep: {name} in a model text', CAIRN_HEAD + text + '\n', ' error: ',
              extension='.cairn', cpu=20)
# Just below the limits everything must work to the end: parsing, checking, explaining, printing.
for name, text in {
    'negations': 'INVARIANTS ' + '!' * 990 + '(x == 0); END',
    'sums': 'INVARIANTS ' + 'x + ' * 2900 + '1 == 0; END',
    'implications': 'CTL AG (' + 'x == 0 -> ' * 900 + 'x == 1); END',
    'disjunctions': 'CTL AG (' + 'x == 0 | ' * 2900 + 'x == 1); END',
    'parentheses': 'LTL G ' + '(' * 450 + 'x == 0' + ')' * 450 + '; END',
    'nested formulas': 'LTL ' + 'G (x == 0 & ' * 150 + 'x == 0' + ')' * 150 + '; END',
}.items():
    file = write(f'below_{name.replace(" ", "_")}.mil', model(text))
    later(f'just below the limit: {name}', fine(0, 1, 3), 'check', file, program=ASAN, cpu=20)
    for form in ('cairn', 'promela', 'smv', 'aag'):
        later(f'just below the limit: {name} to {form}', fine(0, 2), 'translate', file, '--to',
              form, program=ASAN, cpu=20)

# ---- length ----

million = 'x' * 1000000
bad_model('a name of 1 MB', model(variables=f'{million} : 1 := 0;'), '1000000 characters')
bad_model('an unknown name of 1 MB', model(commands=f'[a] {million} == 0 : x := 1;'),
          '1000000 characters')
bad_model('an action of 1 MB', model(commands=f'[{million}] true : x := 1;'), '1000000 characters')
bad_model('a word of 1 MB instead of a section', million, '1000000 characters')
bad_model('a number of 1 MB', model(variables=f'x : {"9" * 1000000} := 0;'), '63 bits')
bad_model('an error at the end of a line of 1 MB',
          model(commands='[a] true : x := 1;' + ' ' * 1000000 + 'y := 1;'), "unknown variable 'y'")
bad_model('an error at the start of a line of 1 MB',
          model(commands='[a] true : y := 1; ' + '/*' + 'é' * 500000 + '*/'),
          "unknown variable 'y'")
bad_model('a string of 1 MB in a model text',
          f'cairn 1\nmodel "{million}"\nvariable "{million}" 0..3 = 0\nrule "{million}" part '
          f'global set "{million[1:]}" 1', 'unknown', extension='.cairn')

# ---- size: nothing may take more than linear time, or memory without a bound ----

bad_model('width 10^9', model(variables='x : 1000000000 := 0;'), '1000000000 bits: 1 to 32')
bad_model('width 0', model(variables='x : 0 := 0;'), '0 bits: 1 to 32')
bad_model('width 33', model(variables='x : 33 := 0;'), '33 bits')
bad_model('width -1', model(variables='x : 0 - 1 := 0;'), '-1 bits')
bad_model('width 2^63', model(variables='x : 9223372036854775808 := 0;'), '63 bits')
bad_model('width of a local variable',
          'LOCAL T VARIABLES pc : 99 := 0; END CASE END END MAIN PROC p : T; END END', '99 bits')
bad_model('a number over 63 bits', model(commands='[a] x < 9223372036854775808 : x := 1;'),
          'does not fit in 63 bits')
bad_model('a constant over 63 bits', model(before='CONST n = 9223372036854775807 + 1;'),
          'does not fit in 63 bits')
bad_model('a product over 63 bits', model(before='CONST n = 4294967296 * 4294967296;'),
          'does not fit in 63 bits')
bad_model('a negative constant', model(before='CONST n = 3 - 5;'), 'negative')
bad_model('a constant divided by zero', model(before='CONST n = 5 / (3 - 3);'), 'division by zero')
bad_model('an initial value divided by zero', model(variables='x : 2 := 1 / 0;'),
          'division by zero')
bad_model('a number followed by letters', model(variables='x : 2abc := 0;'), 'letter')
later('the largest number', fine(0), 'check',
      write('largest.mil',
            model(commands='[a] x < 9223372036854775807 : x := 9223372036854775807 * '
                  '9223372036854775807;')), program=ASAN)


def processes(count, body='[0] [t] true : pc := 1;'):
    return (f'LOCAL T ACTIONS t; END VARIABLES pc : 1 := 0; END CASE {body} END END\nMAIN PROC p : '
            f'T[{count}]; END END\n')


for count in ('1000000', '1000000000000', '9223372036854775807', '65537', '4294967297'):
    bad_model(f'{count} processes', processes(count), 'too many processes')
bad_model('-1 processes', processes('0 - 1'), 'negative')
bad_model('too many processes in pieces',
          'LOCAL T END MAIN PROC ' + ' '.join(f'p{i} : T[9000000000000000000];' for i in range(3))
          + ' END END', 'too many processes')
bad_model('2 processes and 2^63 - 1 more',
          'LOCAL T END MAIN PROC p : T[2]; q : T[9223372036854775807]; END END',
          'too many processes')
bad_model('too many variables',
          'LOCAL T VARIABLES ' + ' '.join(f'x{i} : 1 := 0;' for i in range(100))
          + ' END END MAIN PROC p : T[60000]; END END', 'too many variables')
later('no processes', fine(0, 1), 'check', write('zero.mil', processes('0')), program=ASAN)
bad_model('a variable of no process', processes('0') + 'INVARIANTS p[0].pc == 0; END', 'p')


def rendezvous(count, commands, top='[a] true : ;'):
    return (f'ACTIONS a; END LOCAL T VARIABLES pc : 1 := 0; END CASE {commands} END SYNC a; END '
            f'END MAIN PROC p : T[{count}]; END CASE {top} END END\n')


bad_model('20 processes x 10 commands', rendezvous(20, '[0] [a] true : pc := 1; ' * 10),
          'too many combinations')
bad_model('65,536 processes x 2 commands', rendezvous(65536, '[0] [a] true : pc := 1; ' * 2),
          'too many combinations', cpu=30)
bad_model('22 processes x 2 commands', rendezvous(22, '[0] [a] true : pc := 1; ' * 2),
          statuses=(2, 3), slow=True, cpu=12, options=('--memory', '256M'))
for name, text in {'4 million rules of 22 parts': rendezvous(21, '[0] [a] true : pc := 1; ' * 2),
                   'rules of 65,537 parts': rendezvous(65536, '[0] [a] true : pc := 1;',
                                                       '[a] true : ; ' * 300),
                   'a million local rules': processes(50000,
                                                      '[0] [t] true : pc := 1; ' * 20)}.items():
    later(f'--memory 200M counts while reading: {name}',
          lambda r: None if r.returncode in (2, 3) and 'error' in r.stderr and r.megabytes < 500
          else 'not stopped by --memory',
          'check', write(re.sub(r'\W', '_', name) + '.mil', text), '--memory', '200M', cpu=20)


def quick(name, text, *statuses, command='check', options=(), extension='.mil', cpu=4):
    """Ends within the processor limit (which is generous for linear time)."""
    file = write('quick_' + re.sub(r'\W', '_', name) + extension, text)
    later(f'quick: {name}', lambda r: None if r.returncode in statuses else 'another status',
          command, file, *options, cpu=cpu)


quick('200,000 lines with an open bracket', 'MAIN CASE\n' + '[\n' * 200000 + 'END END\n', 2)
quick('100,000 lines with an open index', model(commands='\n' + '[a] x[\n' * 100000), 2)
quick('100,000 properties',
      model('INVARIANTS\n' + ''.join(f'q{i} : x <= 3;\n' for i in range(100000)) + 'END'), 0,
      options=('-q',), cpu=8)
quick('20,000 misspelt names, 20,000 variables',
      model(variables=' '.join(f'variable{i} : 1 := 0;' for i in range(20000)),
            commands='\n'.join(f'[a] variabl{i}x == 0 : ;' for i in range(20000))), 2)
quick('20,000 misspelt actions',
      'ACTIONS ' + ' '.join(f'action{i};' for i in range(20000)) + ' END MAIN CASE '
      + '\n'.join(f'[actin{i}x] true : ;' for i in range(20000)) + ' END END', 2)
quick('20,000 misspelt constants',
      'CONST ' + ' '.join(f'const{i} = {i};' for i in range(20000)) + ' VARIABLES '
      + ' '.join(f'x{i} : 1 := cons{i}t;' for i in range(20000)) + ' END MAIN END', 2)
quick('3,000 types, processes and actions',
      'ACTIONS ' + ' '.join(f'a{i};' for i in range(3000)) + ' END '
      + ' '.join(
    f'LOCAL T{i} VARIABLES pc : 1 := 0; END CASE [0] [a{i}] true : pc := 1; END SYNC a{i}; END END'
      for i in range(3000)) + ' MAIN PROC ' + ' '.join(f'p{i} : T{i};' for i in range(3000))
      + ' END CASE ' + ' '.join(f'[a{i}] true : ;' for i in range(3000)) + ' END END\n', 0, 1, 3,
      options=('--bound', '1'))
quick('60,000 commands that are never taken',
      'LOCAL T ACTIONS a; END VARIABLES pc : 1 := 0; x : 32 := 0; END CASE '
      + '\n'.join(f'[1] [a] x == {i} : pc := 0;' for i in range(60000))
      + ' END END MAIN PROC p : T; END END', 1)
quick('60,000 processes in a deadlock', processes(60000, '[1] [t] true : pc := 0; ' * 20), 1,
      cpu=10)
quick('a process that lists 2,000 actions, 2,000 times',
      'ACTIONS ' + ' '.join(f'a{i};' for i in range(2000))
      + ' END LOCAL T VARIABLES pc : 1 := 0; END CASE '
      + '\n'.join(f'[1] [a{i}] true : pc := 0;' for i in range(2000))
      + ' END SYNC ' + ' '.join(f'a{i};' for i in range(2000))
      + ' END END MAIN PROC p : T[500]; END END', 1, cpu=8)
quick('20,000 errors', model(commands='\n'.join(f'[b{i}] true : ;' for i in range(20000))), 2)
quick('100,000 variables in one state',
      model(variables=' '.join(f'x{i} : 32 := 0;' for i in range(100000))), 2, 1, 0)

# ---- names ----

bad_model('a constant of itself', model(before='CONST n = n;'), 'by itself')
bad_model('constants in a circle', model(before='CONST n = m + 1; m = k * 2; k = n;'), 'by itself')
bad_model('an unknown variable', model(commands='[a] y == 0 : x := 1;'), "unknown variable 'y'")
bad_model('an unknown constant in a width', model(variables='x : n := 0;'), "'n'")
bad_model('a variable as a width', model(variables='x : 2 := 0; y : x := 0;'), 'constant')
bad_model('an unknown action', model(commands='[b] true : x := 1;'), "unknown global action 'b'")
bad_model('an unknown type', 'MAIN PROC p : T; END END', "unknown process type 'T'")
bad_model('an unknown process', model('INVARIANTS q[0].x == 0; END'), "unknown process 'q'")
bad_model('an unknown member', process + 'INVARIANTS p[0].y == 0; END', "'y'")
bad_model('an index that is too large', process + 'INVARIANTS p[2].pc == 0; END', 'no process',
          '0 to 1')
bad_model('a negative index', process + 'INVARIANTS p[0-1].pc == 0; END', 'no process')
bad_model('an index that is a variable',
          'VARIABLES x : 1 := 0; END ' + process + 'INVARIANTS p[x].pc == 0; END', 'constant')
bad_model('no index', process + 'INVARIANTS p.pc == 0; END', 'say which')
bad_model('a process as a variable', process + 'INVARIANTS p == 0; END', 'is a process')
bad_model('an action that SYNC does not know', 'LOCAL T SYNC b; END END MAIN PROC p : T; END END',
          "unknown global action 'b'")
bad_model('a location without pc',
          'LOCAL T ACTIONS a; END VARIABLES x : 1 := 0; END CASE [0] [a] true : x := 1; END END '
          'MAIN PROC p : T; END END', 'no variable pc')
for what, text in (
    {'variables': model(variables='x : 1 := 0; x : 2 := 0;'),
     'actions': 'ACTIONS a; a; END MAIN END', 'constants': 'CONST n = 1; n = 2; MAIN END',
     'types': 'LOCAL T END LOCAL T END MAIN END',
     'processes': 'LOCAL T END MAIN PROC p : T; p : T; END END',
     'locations': 'LOCAL T LOCATIONS l; l; END END MAIN PROC p : T; END END',
     'local variables': 'LOCAL T VARIABLES y : 1; y : 1; END END MAIN PROC p : T; END END',
     'local actions': 'LOCAL T ACTIONS y; y; END END MAIN PROC p : T; END END'}.items()):
    bad_model(f'two {what} of one name', text, 'twice')
bad_model('two properties of one name', model('INVARIANTS q: x <= 3; q: x <= 2; END'),
          'two properties')
bad_model('two MAINs', 'MAIN END MAIN END', 'second MAIN')
bad_model('a variable written twice', model(commands='[a] true : x := 1; x := 2;'), 'written twice')
for name in ('deadlock', 'runtime-error'):
    if name == 'deadlock':
        bad_model(f'a property that calls itself {name}', model(f'INVARIANTS {name}: x <= 3; END'),
                  name)
    bad_model(f'a property of a model text that calls itself {name}',
              f'{CAIRN_HEAD}property "{name}" invariant formula true\n', name, extension='.cairn')
bad_model('a keyword as a name', 'VARIABLES END : 1; END MAIN END')
bad_model('assignment to a constant', model(before='CONST n = 1;', commands='[a] true : n := 1;'),
          'constant')
bad_model('a number as a condition', model(commands='[a] x : x := 1;'), 'condition')
bad_model('a condition as a number', model(commands='[a] true : x := x == 1;'), 'number')
bad_model('temporal operators in a guard', model(commands='[a] AG x == 0 : x := 1;'))
bad_model('a section in a section', 'LOCAL T MAIN END END')

# ---- how errors are told ----


def judge_form(result):
    lines = result.stderr.split('\n')
    places = [i for i, line in enumerate(lines) if re.match(r'.+:\d+:\d+: error: \S', line)]
    if len(places) < 3:
        return 'three errors expected in one run'
    for i in places:
        if not lines[i + 1].startswith('    ') or not re.fullmatch(r' +\^', lines[i + 2]):
            return f'no source line and caret after {lines[i]}'
        line, column = map(int, re.match(r'.+?:(\d+):(\d+): ', lines[i]).groups())
        shown, caret = lines[i + 1][4:], lines[i + 2].index('^') - 4
        if shown != several.split('\n')[line - 1] or caret != column - 1:
            return f'the caret or the line is wrong below {lines[i]}'
    return None if result.returncode == 2 and not result.stdout else 'status 2 expected'


several = ('ACTIONS go; END\nVARIABLES\n  counter : 2 := 0;\n  "é" ≠ wide : 40 := 0;\nEND\nLOCAL '
           'T\n  VARIABLES pc : 1 := 0; END\n  CASE\n    [0] [jump] true : pc := 1;\n  END\nEND\n'
           'MAIN\n  PROC p : Tee[2]; END\n  CASE [go] countr == 1 : counter := 1; '
           'END\nEND\nINVARIANTS counter == ; END\n')
later('several errors, each with its line and a caret', judge_form, 'check',
      write('several.mil', several), program=ASAN)
later('at most 20 errors, then a count',
      lambda r: None if r.stderr.count(' error: ') == 20
      and re.search(r'30 more errors, 50 in all', r.stderr) else 'not 20 and a count',
      'check', write('fifty.mil', model(commands='\n'.join(f'[b{i}] true : ;' for i in range(50)))))
later('at most 20 warnings, then a count',
      lambda r: None if r.stderr.count(' warning: ') == 20
      and re.search(r'30 more warnings', r.stderr) else 'not 20 and a count',
      'check',
      write('warned.mil', model() + 'ACTIONS ' + ' '.join(f'b{i};' for i in range(50)) + ' END'))
for wrong, right, text in (
        ('countr', 'counter',
         model(variables='counter : 2 := 0;', commands='[a] countr == 1 : counter := 1;')),
        ('advnce', 'advance', 'ACTIONS advance; END MAIN CASE [advnce] true : ; END END'),
        ('Wroker', 'Worker', 'LOCAL Worker END MAIN PROC p : Wroker; END END'),
        ('wrker', 'worker',
         'LOCAL T VARIABLES pc : 1 := 0; END END MAIN PROC worker : T; END END INVARIANTS '
         'wrker[0].pc == 0; END'),
        ('lenght', 'length',
         'LOCAL T VARIABLES length : 1 := 0; END END MAIN PROC p : T; END END INVARIANTS '
         'p[0].lenght == 0; END'),
        ('VARIABELS', 'VARIABLE', 'VARIABELS x : 1; END MAIN END'),
        ('sise', 'size', model(before='CONST size = 2;', variables='x : sise := 0;')),
        ('metting', 'meeting',
         'ACTIONS meeting; END LOCAL T SYNC metting; END END MAIN PROC p : T; END CASE [meeting] '
         'true : ; END END'),
        ('bussy', 'busy',
         'LOCAL T LOCATIONS idle; busy; END ACTIONS t; END CASE [bussy] [t] true : pc := idle; END '
         'END MAIN PROC p : T; END END')):
    bad_model(f'a suggestion for {wrong}', text, f"'{wrong}'.*did you mean '?{right}")
for command, suggestion in ((('chek', GOOD), 'check'), (('check', GOOD, '--tim', '3s'), '--time'),
                            (('check', GOOD, '--no-dedlock'), '--no-deadlock'),
                            (('check', GOOD, '-p', 'invariant[1]'), r'invariant\[0\]'),
                            (('check', PHILS, '-D', 'm=3'), 'n|no such constant'),
                            (('check', PC, '-D', 'nn=3'), 'constant')):
    later(f'a suggestion for {" ".join(command[1:] if command[0] != "chek" else command[:1])}',
          refused(suggestion), *command)

# ---- options ----

wrong_options = [
    [], ['nothing'], ['--nothing'], ['-x'], [''], ['check'], ['explore'], ['simulate'], ['replay'],
    ['translate'], ['translate', GOOD], ['check', GOOD, GOOD], ['check', GOOD, ''], ['guide', 'x'],
    ['--help', 'check', 'x'], ['check', '--', '--help'],
    *[['check', GOOD, option]
      for option in ('--time', '--memory', '--bound', '-D', '-p', '--ltl', '--ctl', '--invariant',
                     '--trace', '--order', '--engine', '--threads', '--reduce', '--seed', '--color',
                                            '--progress', '--unknown', '--unknown=3', '-z', '--',
                     '--=', '--=3', '---', '--steps', '-i', '--to', '-o', '-qv', '-qq', '--quiet=1',
                     '--json-file', '--no-deadlock=yes',
                                            '--%n%s', '-%n', '--\x1b[31m', '--' + 'x' * 100000)
      if option != '--'],
    *[['check', GOOD, '--time', value]
      for value in ('', '-1', '-1s', 'x', '5x', '5 s', 's', 'nan', 'inf', '1e99', '1e400',
                    '99999999999h', '--json', '5ss', '%n')],
    *[['check', GOOD, '--memory', value]
      for value in ('', '0', '0G', '-1', '-5M', 'x', 'M', '5X', '5MM', '1e99', 'nan', 'inf', '5 M',
                    '99999999T', '0.0001', '1e400')],
    *[['check', GOOD, '--bound', value]
      for value in ('', '0', '-1', 'x', '3x', '1.5', '99999999999999999999', 'auto ', '+')],
    *[['check', GOOD, '--threads', value]
      for value in ('', '0', '-1', 'x', '99999999999999999999')],
    *[['simulate', GOOD, option, value] for option in ('--steps', '--runs', '--seed')
      for value in ('', '-1', 'x', '1e3', '99999999999999999999', '0x10')],
    *[['check', GOOD, '--order', value]
      for value in ('', 'd', 'b', 'dfsx', 'BFS', 'random', 'past-freeze')],
    *[['check', GOOD, '--engine', value] for value in ('', 'x', 'explicitx', 'EXPLICIT')],
    *[['check', GOOD, '--reduce', value] for value in ('', 'x')],
    *[['check', GOOD, option, value] for option in ('--color', '--progress')
      for value in ('', 'x', 'autox')],
    *[['translate', GOOD, '--to', value]
      for value in ('', 'x', 'Promela', 'smv ', '%n', 'x' * 100000)],
    *[['check', PHILS, '-D', value]
      for value in ('', '=', '=3', 'n', 'n=', 'n=x', 'n=3x', 'n=-1', 'n=--3',
                    'n=99999999999999999999', 'n=1e3', 'n=0x10', 'zzz=3', ' n=3', 'n =3', 'N=3',
                    'n=3=4', '%n=3', 'x' * 100000 + '=3',
                                                 'n=65536', 'n=1000000000000',
                    'n=9223372036854775807')],
    ['check', GOOD, '-Dx'], ['check', GOOD, '-D'], ['check', GOOD, '-Dx=3'],
    ['explore', GOOD, '--trace', 'x'], ['explore', GOOD, '-p', 'x'], ['replay', GOOD, '--json'],
    ['explore', GOOD, '--invariant', 'x==0'],
    ['check', GOOD, '-p', ''], ['check', GOOD, '-p', 'x' * 100000],
    ['check', GOOD, '-p', 'invariant[1]'], ['check', GOOD, '-p', '%n%s'],
    ['check', GOOD, '-p', 'invariant[0]', '-p', 'nothing'],
]
for words in wrong_options:
    shown = ' '.join(word if len(word) < 40 else word[:40] + '...'
                     for word in words[:1]
                     + ['M' if word in (GOOD, PHILS) else word for word in words[1:]])
    later(f'refused: cairn {shown}', refused(most=3000), *words,
          program=ASAN if len(waiting) % 2 else CAIRN)
for words in (
    ['check', GOOD, '--time', '5', '--time', '6s', '--memory', '1G', '--memory', '2GiB', '-q', '-q',
     '-v', '-v'], ['check', '--', GOOD], ['check', GOOD, '--json', '--json'],
    ['check', GOOD, '--bound', '18446744073709551615'],
    ['check', GOOD, '-p', 'invariant[0]', '-p', 'invariant[0]'], ['check', GOOD, '--threads', '5'],
    ['check', GOOD, '--seed', '18446744073709551615'],
    ['check', GOOD, '--color', 'always', '--progress', 'always'],
    ['check', GOOD, '--help', '--time', '5'], ['simulate', GOOD, '--steps', '0'],
    ['simulate', GOOD, '--runs', '0']):
    later(f'accepted: cairn {" ".join(words)}', fine(0, 3), *words, program=ASAN)
later('-D twice: the last one counts', fine(0, 1), 'check', PHILS, '-D', 'n=2', '-D', 'n=3',
      program=ASAN)
later('a value that is too large is not "not a number"',
      lambda r: None if 'not a number' not in r.stderr and r.returncode == 2 else 'misleading',
      'check', PHILS, '-D', 'n=99999999999999999999')

# ---- formulas on the command line ----

N = 30000     # an argument is at most 128 KB
for option in ('--ltl', '--ctl', '--invariant'):
    for formula in ('', ' ', ';', ')', '(', '()', '(x', 'x', 'x ==', '== x', 'x == 0 &', '& x == 0',
                    'x == 0 x == 1', 'x == 0; x == 1', 'y == 0', 'true false',
                    'x == 99999999999999999999', 'x == 0 /* open', '"x"', '"', '\x01', '\x7f',
                    'é', '%n%s%n', '</script>', 'END', 'MAIN END', ': x == 0', 'q: ',
                    'q: r: x == 0', 'p[0].x == 0', 'x.y == 0', 'x[0] == 0', 'x[', 'x[0].', 'x := 0',
                    '#', '$(id)', "'; rm", 'x == 1 / 0 :', '(' * N, '!' * N, '-' * N,
                    'x == 0 -> ' * (N // 10) + 'x == 0', 'x' * 100000, '9' * 100000):
        later(f'{option} {formula[:24]!r}', refused(f'{option}:', most=3000), 'check', GOOD, option,
              formula, program=ASAN if len(formula) < 100 else CAIRN)
for option, formula, word in (('--ltl', 'AG x == 0', 'quantifier'),
                              ('--ltl', 'E[x == 0 U x == 1]', 'quantifier'),
                              ('--ltl', 'G EF x == 0', 'quantifier'),
                              ('--ctl', 'G x == 0', 'quantifier'),
                              ('--ctl', 'x == 0 U x == 1', 'quantifier'),
                              ('--ctl', 'A x == 0', ''), ('--ctl', 'E[x == 0]', 'path formula'),
                              ('--ctl', 'AG F x == 0', 'quantifier'),
                              ('--ctl', 'A[E[x == 0 U x == 1]]', 'path formula'),
                              ('--invariant', 'G x == 0', ''),
                              ('--invariant', 'AG x == 0', ''),
                              ('--invariant', 'x + 1', 'condition'),
                              ('--ltl', 'x U x', 'condition')):
    later(f'{option} {formula}', refused(f'{option}:', word), 'check', GOOD, option, formula,
          program=ASAN)
later('a property of the name of another', refused('two properties'), 'check',
      write('named.mil', model('INVARIANTS q: x <= 3; END')), '--invariant', 'q: x <= 2',
      program=ASAN)
later('--invariant that divides by zero', fine(3, words=['divides by zero']), 'check', GOOD,
      '--invariant', '1 / x < 9', program=ASAN)
later('1,000 formulas', fine(0), 'check', GOOD, *(['--invariant', 'x <= 3'] * 1000), '-q',
      program=ASAN)

# ---- file names ----



def judge_json(result):
    try:
        told = json.loads(result.stdout)
    except ValueError:
        return 'not JSON'
    return None if result.returncode == 1 and told['verdict'] == 'violated' else 'violated expected'


def judge_comment(result):
    """The file name stands in a comment, which it must not end."""
    escaped = (re.search(r'(?m)^ *\.?(MODULE evil|line\.mil)', result.stdout)
               or 'MODULE evil' in ''.join(result.stdout.split('*/')[1:]))
    return 'the name gets out of its comment' if escaped or result.returncode else None


for number, name in enumerate(
    ('%n%s%n%d.mil', '</script><b>.mil', '"quoted".mil', "it's.mil", '-dash.mil', '--json.mil',
     ' .mil', 'new\nline.mil', 'tab\t.mil', '\x1b[31mred.mil', 'é≠😀.mil', b'bad\xff\xfe.mil',
     'back\\slash\\.mil',
     '*/ MODULE evil */.mil', '--\nMODULE evil\n.mil', '$(id).mil', '`id`.mil', 'x' * 240 + '.mil',
     '.mil', 'no extension', 'x.MIL', '#.mil', '{.mil')):
    folder = os.fsencode(scratch.name)
    file = os.path.join(folder, os.fsencode(name))
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, 'wb') as out:
        out.write(model('INVARIANTS x < 3; END').encode())

    trace = os.fsencode(path(f'name{number}.itf.json'))
    shown = repr(name)[:40]
    later(f'file name {shown}', judge_json, 'check', b'--json', b'--trace', trace, b'--',
          os.fsencode(name), cwd=folder, program=ASAN)
    later(f'file name {shown} as text', fine(1), 'check', b'--', os.fsencode(name), cwd=folder,
          program=ASAN)
    collect()
    later(f'replay with file name {shown}',
          fine(0) if b'\xff' not in os.fsencode(name) else fine(0, 2), 'replay', trace, cwd=folder,
          program=ASAN)
    for form in ('promela', 'smv', 'aag', 'dot', 'cairn'):
        later(f'file name {shown} to {form}', judge_comment if form != 'cairn' else fine(0),
              'translate', '--to', form, b'--', os.fsencode(name), cwd=folder)
    wrong_folder = os.path.join(folder, b'wrong')
    os.makedirs(os.path.dirname(os.path.join(wrong_folder, os.fsencode(name))), exist_ok=True)
    with open(os.path.join(wrong_folder, os.fsencode(name)), 'wb') as out:
        out.write(b'VARIABLES x : 99; END MAIN END')
    later(f'an error in {shown}', refused('99 bits'), 'check', b'--', os.fsencode(name),
          cwd=wrong_folder, program=ASAN)
collect()

# ---- the model's own text form ----

for name, text in {
    'nothing': '', 'another version': 'cairn 2\nmodel "m"\n', 'version 0': 'cairn 0',
    'a huge version': 'cairn 99999999999999999999\nmodel "m"', 'no version': 'cairn\nmodel "m"\n',
    'no model': 'cairn 1\n',
    'an empty range': 'cairn 1\nmodel "m"\nvariable "x" 3..2 = 3\n',
    'an initial value outside': 'cairn 1\nmodel "m"\nvariable "x" 0..2 = 3\n',
    'two variables': CAIRN_HEAD + 'variable "x" 0..1 = 0',
    'an unknown variable': CAIRN_HEAD + 'rule "r" part global when (eq "y" 0)',
    'a range left': CAIRN_HEAD + 'rule "r" part global set "x" (add 3 "x" 1)',
    'modulus 0': CAIRN_HEAD + 'rule "r" part global set "x" (add 0 "x" 1)',
    'modulus 64': CAIRN_HEAD + 'rule "r" part global set "x" (add 64 "x" 1)',
    'a small modulus': CAIRN_HEAD + 'rule "r" part global set "x" (add 1 "x" 1)',
    'two writes': CAIRN_HEAD + 'rule "r" part global set "x" 1 set "x" 2',
    'a condition as a value': CAIRN_HEAD + 'rule "r" part global set "x" true',
    'a value as a condition': CAIRN_HEAD + 'rule "r" part global when 1',
    'too many operands': CAIRN_HEAD + 'rule "r" part global when (eq "x" 1 2)',
    'too few operands': CAIRN_HEAD + 'rule "r" part global when (eq "x")',
    'an unknown operator': CAIRN_HEAD + 'rule "r" part global when (equals "x" 1)',
    'no part': CAIRN_HEAD + 'rule "r" when true',
    'an unknown process': CAIRN_HEAD + 'rule "r" part "p"',
    'locations of itself': CAIRN_HEAD + 'process "p" type "T" locations of "p"',
    'an unknown pc': CAIRN_HEAD + 'process "p" type "T" pc "y"',
    'a line without a source': 'cairn 1\nmodel "m"\nvariable "x" 0..3 = 0 at 1:1',
    'temporal operators in a guard': CAIRN_HEAD + 'rule "r" part global when (globally true)',
    'quantifiers in LTL': CAIRN_HEAD + 'property "p" ltl formula (all (globally true))',
    'no quantifier in CTL': CAIRN_HEAD + 'property "p" ctl formula (globally true)',
    'no property kind': CAIRN_HEAD + 'property "p" formula true',
    'a number over 63 bits': 'cairn 1\nmodel "m"\nvariable "x" 0..9223372036854775808 = 0',
    'NUL': b'cairn 1\nmodel "m\0"\n',
    'NUL in a string': b'cairn 1\nmodel "m"\nvariable "x\0y" 0..1 = 0',
}.items():
    bad_model(f'model text: {name}', text, extension='.cairn')
full = CAIRN_HEAD.replace('0..3 = 0',
                          '-9223372036854775807..9223372036854775807 = 9223372036854775807')
# A range of more than 63 bits: the explicit engine packed value - low into a signed number, and
# gave wrong verdicts.
for name, text, status in (
    ('a range of 64 bits',
     full + 'rule "r" part global when (gt "x" 5) set "x" -9223372036854775807\nproperty "p" '
     'invariant formula (ge "x" 0)\n', (1, 2)),
    ('a range of 64 bits, any initial value',
     full.replace('= 9223372036854775807', '= any')
     + 'rule "r" part global when (le "x" 5) set "x" 7\nproperty "p" invariant formula (lt "x" '
     '100)\n', (1, 2, 3)),
    ('a range of 64 bits, lowest',
     full.replace('= 9223372036854775807', '= -9223372036854775807')
     + 'rule "r" part global when (eq "x" -9223372036854775807) set "x" '
     '9223372036854775807\nproperty "p" invariant formula (lt "x" 0)\n', (1, 2))):
    file = write(re.sub(r'\W', '_', name) + '.cairn', text)
    for command in (('check', file, '--time', '1s', '--memory', '64M'),
                    ('explore', file, '--json', '--time', '1s', '--memory', '64M'),
                    ('simulate', file, '--steps', '3')):
        later(f'{command[0]}: {name}',
              fine(*status, 0, 1, 3) if command[0] != 'check' else fine(*status), *command,
              program=ASAN)
# A rule without a part: reports looked at its first part.
for name, text in {'enabled': CAIRN_HEAD + 'rule "r" set "x" 1\n',
                   'failing': CAIRN_HEAD + 'rule "r" set "x" (div 2 1 "x")\n',
                   'beside others': CAIRN_HEAD
                   + 'rule "r" set "x" 1 rule "s" part global when (eq "x" 9)\n'}.items():
    file = write(f'partless_{name.replace(" ", "_")}.cairn', text)
    for command in (('check', file), ('check', file, '--json'), ('explore', file, '--json'),
                    ('simulate', file), ('simulate', file, '-i'),
                    *(('translate', file, '--to', form)
                      for form in ('cairn', 'dot', 'aut', 'promela', 'smv', 'aag'))):
        later(f'{" ".join(command[0:1] + command[2:])}: a rule without parts, {name}',
              fine(0, 1, 2, 3), *command, program=ASAN, stdin=b'1\nl\n\nt\n')
# The pc of a process may be a variable of nobody, or of another process: its locations are reached
# all the same.
foreign = write('foreign_pc.cairn',
                'cairn 1\nmodel "m"\nprocess "p" type "T" pc "x"\n location 0 "a"\n location 1 '
                '"b"\nvariable "x" 0..1 = 0\nrule "r" part "p" when (eq "x" 0) set "x" 1\n')
later('a location is reached through a pc of nobody',
      lambda r: None if 'never reached' not in r.stdout else 'said to be never reached', 'check',
      foreign, program=ASAN)
# Text that would end a string of another language.
odd = write('odd.cairn',
            'cairn 1\nmodel "m\\"\nprocess "p\\n*/" type "T{}"\nvariable "x\\" of "p\\n*/" 0..3 = '
            '0\nrule "r\\"\n part "p\\n*/" when (lt "x\\" 3)\n set "x\\" (add 2 "x\\" 1)\n'
            'property "</script>%n" invariant\n text "%s%n\\" formula (lt "x\\" 3)\n')
later('a backslash in a label does not end its string',
      lambda r: None if r.returncode == 0 and not re.search(r'(?<!\\)(\\\\)*\\"\]', r.stdout)
      else 'label="...\\"]', 'translate', odd, '--to', 'dot', program=ASAN)
for command in (('check', odd), ('check', odd, '--json'), ('simulate', odd),
                *(('translate', odd, '--to', form)
                  for form in ('cairn', 'aut', 'promela', 'smv', 'ord', 'aag'))):
    later(f'odd names: {" ".join(command[0:1] + command[2:])}', fine(0, 1, 3), *command,
          program=ASAN)

# ---- replay ----

tiny = write('tiny.mil', model('INVARIANTS x < 2; END'))
TRACE = path('tiny.itf.json')
launch('check', tiny, '--trace', TRACE)
with open(TRACE, encoding='utf-8') as file:
    whole = file.read()
    good_trace = json.loads(whole)
later('a trace replays', fine(0, words=['replays']), 'replay', TRACE, program=ASAN)


def bad_trace(name, content, *words, statuses=(2,), options=(), **limits):
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    file = write('bad_' + re.sub(r'\W', '_', name) + '.itf.json', text)

    def judge(result):
        if result.returncode not in statuses or 'error' not in result.stderr:
            return f'status {statuses} and a message expected'
        missing = [word for word in words if not re.search(word, result.stderr)]
        return f'the message does not say {missing}' if missing else None
    later(f'trace: {name}', judge, 'replay', file, *options, program=ASAN, **limits)


def changed(**changes):
    copy = json.loads(whole)
    copy.update(changes)
    return {key: value for key, value in copy.items() if value != 'gone'}


def changed_state(index, **changes):
    copy = json.loads(whole)
    copy['states'][index].update(changes)
    return copy


for cut in (0, 1, 10, len(whole) // 3, len(whole) // 2, len(whole) - 3):
    bad_trace(f'the first {cut} characters', whole[:cut])
bad_trace('random bytes', bytes(rng.randrange(256) for _ in range(3000)))
bad_trace('two objects', whole + whole)
bad_trace('a model', plain)
for value in ('null', '1', '""', '[]', '{}', 'true', '{"states": []}', '{"states": 1}',
              '{"states": [1, 2]}', '{"states": {}}', '{"states": [[]]}',
              '{"#meta": 3, "states": [{}]}', '{"#meta": {"source": 5}, "states": [{}]}'):
    bad_trace(value, value)
bad_trace('states that are numbers', changed(states=[1, 2, 3]), 'state')
bad_trace('no states', changed(states='gone'), 'no states')
bad_trace('no meta', changed(**{'#meta': 'gone'}), '--model')
bad_trace('a missing model', changed(**{'#meta': {'source': '/nowhere/model.mil'}}), 'No such file')
bad_trace('a folder as model', changed(**{'#meta': {'source': '/tmp'}}), 'folder')
bad_trace('a model from outside', changed(**{'#meta': {'source': '/etc/passwd'}}))
bad_trace('the trace itself as model',
          changed(**{'#meta': {'source': 'bad_the_trace_itself_as_model.itf.json'}}))
# A constant that the model does not have is no obstacle: the steps decide.
bad_trace('the wrong model', whole, options=('--model', PETERSON))
bad_trace('a missing --model', whole, 'No such file', options=('--model', path('missing.mil')))
bad_trace('not an initial state', changed_state(0, x=1), 'initial')
bad_trace('a wrong value', changed_state(1, x=3), 'step 1')
bad_trace('a value out of range', changed_state(1, x=77), 'step 1')
bad_trace('a huge value', changed_state(1, x=9223372036854775807), 'step 1')
bad_trace('a value of 65 bits', whole.replace('"x": 1', '"x": 99999999999999999999'))
bad_trace('a bigint that is none', changed_state(1, x={'#bigint': 'seven'}))
bad_trace('a real value', whole.replace('"x": 1', '"x": 1.5'))
bad_trace('a value of null', changed_state(1, x=None))
bad_trace('a value that is an object', changed_state(1, x={'x': {}}))
bad_trace('another label', changed_state(1, **{'#meta': {'label': 'nothing'}}), 'step 1')
bad_trace('an empty state', changed(states=[good_trace['states'][0], {}]), "'x'")
bad_trace('a repeated key', whole.replace('"states"', '"states": [], "states"', 1))
bad_trace('deep arrays', '[' * 100000)
bad_trace('deep balanced arrays', '[' * 100000 + ']' * 100000)
bad_trace('deep objects', '{"a":' * 100000)
bad_trace('a NUL in a name', whole.replace('"label"', '"la\\u0000bel"'))
later('a trace of 400,000 states', refused('step|initial', statuses=(2,)), 'replay',
      write('long.itf.json', json.dumps(changed(states=[good_trace['states'][0]] * 400000))), '-q',
      cpu=20, address=2 * GB)
later('a trace with labels left out', fine(0), 'replay',
      write('plain.itf.json',
            json.dumps({'states': [{'x': s['x']} for s in good_trace['states']]})), '--model', tiny,
      program=ASAN)
later('values as strings and bigints', fine(0), 'replay',
      write('big.itf.json',
            json.dumps(
    {'states': [{'x': {'#bigint': str(s['x'])}} for s in good_trace['states']]})), '--model', tiny,
      program=ASAN)
later('replay does not claim what it has not seen',
      lambda r: None if 'violating deadlock' not in r.stdout
      else 'says that the last state violates deadlock',
      'replay',
      write('claim.itf.json',
            json.dumps(changed(**{'#meta': {'source': tiny, 'property': 'deadlock'}}))))
# A trace of a model text: it was said to belong to the text's source, with constants that a text
# does not take.
text_model = path('phils.cairn')
launch('translate', PHILS, '--to', 'cairn', '-o', text_model)
launch('check', text_model, '--trace', path('text.itf.json'))
later('the trace of a model text replays', fine(0, words=['replays']), 'replay',
      path('text.itf.json'), '--model', text_model, program=ASAN)
with open(path('text.itf.json'), encoding='utf-8') as file:
    check('the trace of a model text names that text',
          json.load(file)['#meta']['source'].endswith('phils.cairn'))
collect()

# ---- simulation by hand ----

# written once: a search that is still running must not meet a half-written file
no_variables = write('empty_main.mil', 'MAIN END\n')
for name, text in {
    'nothing': b'', 'garbage': bytes(rng.randrange(256) for _ in range(20000)),
    'numbers': b'0\n-1\n1\n2\n3\n99999999999999999999999\n1 2\n1x\n+1\n 1\n0x1\n',
    'NULs': b'\0\0\n\0' * 50, 'a long line': b'1' * 100000 + b'\n',
    'long commands': b'w ' + b'x' * 10000 + b'\n',
    'all letters': b''.join(bytes([c]) + b'\n' for c in range(256) if c != 113),
    'undo too often': b'u\nu\n1\nu\nu\nr\nt\ns\nl\n?\n', 'format signs': b'%n%s\nw %n%s%n\n',
    'no newline': b'1',
    'saving nowhere': b'w\nw \nw /nowhere/x\nw .\n', '5,000 random steps': b'\n' * 5000,
}.items():
    for what, file in (('a model', tiny), ('no variables', no_variables)):
        later(f'simulate -i, {what}: {name}', fine(0), 'simulate', file, '-i', stdin=text,
              cwd=scratch.name, program=ASAN, cpu=20)
for command in (('simulate',), ('simulate', '--json'),
                ('simulate', '--trace', path('none.itf.json')), ('check',),
                ('check', '--json', '--trace', path('none.itf.json')), ('explore', '--json'),
                ('explore', '--order', 'dfs'),
                ('translate', '--to', 'dot'), ('translate', '--to', 'aut'),
                ('translate', '--to', 'cairn'), ('translate', '--to', 'promela'),
                ('translate', '--to', 'smv'), ('translate', '--to', 'aag')):
    later(f'a model without variables: {" ".join(command[:3])}', fine(0, 1, 2, 3), command[0],
          path('empty_main.mil'), *command[1:], program=ASAN)

# ---- limits ----


def cut_short(most_seconds=20, most_megabytes=3000):
    def judge(result):
        try:
            told = json.loads(result.stdout)
        except ValueError:
            return 'standard output is not one JSON object'
        if (result.returncode != 3 or told['complete'] is not False
            or told.get('verdict', 'unknown') != 'unknown'):
            return 'status 3, "complete": false and "unknown" expected'
        if not told['assurance'].startswith('incomplete'):
            return 'the assurance does not say that the search is incomplete'
        return (None if result.cpu < most_seconds and result.megabytes < most_megabytes
                else f'not within {most_seconds} s of processor and {most_megabytes} MB')
    return judge


for size in ('1', '1K', '100K'):
    later(f'explore --memory {size}: a message, or a result', fine(3, words=['memory']), 'explore',
          PC, '-D', 'm=4', '--json', '--memory', size, program=ASAN)
for size in ('1M', '2M', '10M'):
    later(f'explore --memory {size}', cut_short(), 'explore', PC, '-D', 'm=4', '--json', '--memory',
          size, '--engine', 'explicit')
    later(f'check --memory {size}', cut_short(), 'check', BIG, '--json', '--memory', size,
          '--engine', 'explicit', program=ASAN)
    later(f'check --memory {size}, by induction', fine(0, words=['"holds"']), 'check', BIG,
          '--json', '--memory', size, program=ASAN)
    later(f'explore --memory {size} --order dfs', cut_short(), 'explore', PC, '-D', 'm=4', '--json',
          '--memory', size, '--order', 'dfs')
later('explore --memory 100M keeps to it', cut_short(most_megabytes=160), 'explore', BIG, '--json',
      '--memory', '100M', '--engine', 'explicit')
for limit in ('0', '0.01s', '0.5'):
    later(f'explore --time {limit}', cut_short(4), 'explore', PC, '-D', 'm=4', '--json', '--time',
          limit)
    later(f'check --time {limit} --order dfs', cut_short(4), 'check', BIG, '--json', '--time',
          limit, '--order', 'dfs')
later('check --time 0.01s with a violation in time', fine(1, 3, words=['"complete": false']),
      'check', PC, '-D', 'm=4', '--json', '--time', '0.01s')
later('--time with 2^64 initial states', cut_short(4), 'check',
      write('initial.mil', model(variables='x : 32; y : 32;')), '--json', '--time', '0.3s')
later('--memory with 2^64 initial states', cut_short(20), 'check', path('initial.mil'), '--json',
      '--memory', '20M', '--engine', 'explicit')
# The clock was looked at once in 2,048 states: with 32,768 rules that took a minute and a half.
rules = write('rules.mil',
              'ACTIONS a; END VARIABLES z : 20 := 0; END LOCAL T VARIABLES x : 2 := 0; END CASE '
              '[a] x * 1 < 100 : x := x; [a] x * 2 < 100 : x := x + 1; END SYNC a; END END\n'
              'MAIN PROC p : T[14]; END CASE [a] true : z := z + 1; END END\n')
for order in ('bfs', 'dfs'):
    later(f'--time with 16,384 rules, {order}', cut_short(5), 'explore', rules, '--json', '--time',
          '0.3s', '--order', order, cpu=6)
later('Ctrl-C with 16,384 rules', cut_short(5), 'explore', rules, '--json', cpu=6,
      interrupt=[(1, signal.SIGINT)])
collect()
for name, words, times in (
    ('SIGINT', ('explore', BIG, '--json', '--memory', '1G', '--engine', 'explicit'),
     [(0.3, signal.SIGINT)]),
    ('SIGTERM', ('check', BIG, '--json', '--memory', '1G', '--order', 'dfs'),
     [(0.3, signal.SIGTERM)])):
    later(f'{name} during a search', cut_short(15), *words, interrupt=times, cpu=20)
later('SIGINT during a search, as text', fine(3, words=['ncomplete', 'interrupted']), 'check', BIG,
      '--memory', '1G', '--engine', 'explicit', interrupt=[(0.3, signal.SIGINT)], cpu=20)
later('SIGINT twice', fine(3), 'check', BIG, '--memory', '1G', '--json', '--engine', 'explicit',
      interrupt=[(0.3, signal.SIGINT), (0.31, signal.SIGINT)], cpu=20)
later('SIGINT during a translation', fine(3, words=['not complete', 'interrupted']), 'translate',
      BIG, '--to', 'dot', '-o', '/dev/null', '--memory', '500M', interrupt=[(0.3, signal.SIGINT)],
      cpu=20)
later('SIGINT during a simulation', fine(0, 3, words=['"simulate"']), 'simulate', BIG, '--runs',
      '99999999999', '--json', interrupt=[(0.3, signal.SIGINT)], cpu=20)
later('translate --to dot --time', fine(3, words=['not complete']), 'translate', BIG, '--to', 'dot',
      '-o', '/dev/null', '--time', '0.2s', cpu=20)
later('translate --to aut --memory', fine(3, words=['not complete|memory']), 'translate', BIG,
      '--to', 'aut', '--memory', '5M', program=ASAN, cpu=20)
later('simulate with endless steps in 300 MB', fine(0, 3), 'simulate', BIG, '--steps',
      '18446744073709551615', '-q', address=300 << 20, cpu=20)

# ---- files are not destroyed ----

for name, words in {'--trace': ('check', '--trace'), '--json=': ('check', '--json='),
                    'translate -o': ('translate', '--to', 'dot', '-o')}.items():
    victim = write('victim.mil', model('INVARIANTS x < 2; END'))
    command = ([words[0], victim, *words[1:-1], words[-1] + victim] if words[-1].endswith('=')
               else [words[0], victim, *words[1:], victim])
    result = launch(*command)
    with open(victim, encoding='utf-8') as file:
        check(f'{name} of the model itself does not overwrite it',
              file.read() == model('INVARIANTS x < 2; END') and result.returncode == 2, result)

# ---- all kept models ----

for file in sorted(glob.glob(os.path.join(ROOT, 'test', 'regress', '*.mil'))
                   + glob.glob(os.path.join(ROOT, 'test', 'regress', '*.cairn'))):
    for command in (('check',), ('check', '--json'), ('explore', '--order', 'dfs'),
                    ('simulate', '--steps', '20'), ('simulate', '-i')):
        later(f'{os.path.basename(file)}: {" ".join(command)}', fine(0, 1, 2, 3), command[0], file,
              *command[1:],
              *(['--time', '2s', '--memory', '64M'] if command[0] in ('check', 'explore') else []),
              program=ASAN, stdin=b'1\nl\nt\n')
collect()
finish()
