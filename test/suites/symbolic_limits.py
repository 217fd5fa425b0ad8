"""The symbolic engine at its limits: little memory, little time, interruption, models of very many
variables, bits and rules, arithmetic whose diagrams explode.

Every run must end with a documented status, near its limits, and no verdict may differ from the one
that is known.
"""
import concurrent.futures
import json
import os
import resource
import signal
import subprocess
import sys
import threading
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, at_work, check, crashed, finish,
                 path, write)

EXAMPLE = os.path.join(ROOT, 'examples')
MODEL = {name: os.path.join(EXAMPLE, folder, name + '.mil') for name, folder in
         {'pc': 'producer-consumer', 'phils': 'philosophers', 'tt': 'turntable',
          'szymanski': 'szymanski', 'el': 'elevator'}.items()}


class Result:
    """What a run told, and what it cost."""
    def __init__(self, returncode, stdout, stderr, cpu, megabytes):
        self.returncode, self.stdout, self.stderr, self.cpu, self.megabytes = (returncode, stdout,
            stderr, cpu, megabytes)
        try:
            self.told = json.loads(stdout)
        except ValueError:
            self.told = None

    def __str__(self):
        return (f'status {self.returncode}, {self.cpu:.1f} s of CPU time, {self.megabytes} '
                f'MB\nstderr: {self.stderr[-700:]}\nstdout: {self.stdout[-300:]}')


numbers = iter(range(1 << 30))
lock = threading.Lock()


def launch(*arguments, program=CAIRN, interrupt=None, stack=None, cpu=40, engine=True):
    """`interrupt`: after so many CPU seconds."""
    with lock:
        number = next(numbers)
    out, err = path(f'limit{number}.out'), path(f'limit{number}.err')

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        if stack:
            resource.setrlimit(resource.RLIMIT_STACK,
                               (stack, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    with open(out, 'wb') as to_out, open(err, 'wb') as to_err:
        process = subprocess.Popen(
            [program, *map(str, arguments), *(['--engine', 'symbolic'] if engine else []), '--json',
             '-q'], stdin=subprocess.DEVNULL, stdout=to_out, stderr=to_err, cwd=ROOT,
            preexec_fn=limit)
    net = threading.Timer(PATIENCE, process.kill)
    net.start()
    if interrupt:
        at_work(process.pid, interrupt)
        os.kill(process.pid, signal.SIGINT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    net.cancel()
    texts = []
    for name in (out, err):
        with open(name, encoding='utf-8', errors='replace') as file:
            texts.append(file.read())
        os.unlink(name)
    return Result(process.returncode, *texts, usage.ru_utime + usage.ru_stime,
                  usage.ru_maxrss >> 10)


pool = concurrent.futures.ThreadPoolExecutor(2)
waiting = []


def later(name, judge, *arguments, **options):
    waiting.append((name, pool.submit(launch, *arguments, **options), judge))


def collect():
    for name, future, judge in waiting:
        result = future.result()
        complaint = 'crash' if crashed(result) else judge(result)
        check(name, not complaint, f'{complaint}: {result}')
    waiting.clear()


def limited(known=None, seconds=30, megabytes=None, statuses=(0, 1, 3), says=''):
    """A documented status, a whole result or a word about memory, known verdicts, near the
    limits."""
    def judge(result):
        if result.returncode not in statuses:
            return f'status {statuses} expected'
        if result.cpu > seconds:
            return f'more than {seconds} s of CPU time'
        if megabytes and result.megabytes > megabytes:
            return f'more than {megabytes} MB'
        if not result.told:
            return 'no JSON object'
        if result.returncode == 3 and result.told['complete']:
            return 'complete with status 3'
        if says and says not in result.stdout:
            return f'does not say {says!r}'
        for entry in result.told.get('properties', []):
            if (known and entry['name'] in known
                and entry['verdict'] not in ('unknown', known[entry['name']])):
                return f'another verdict of {entry["name"]}: {entry["verdict"]}'
        return None
    return judge


def verdicts(*arguments):
    told = launch('check', *arguments, cpu=60).told
    return {entry['name']: entry['verdict'] for entry in told['properties']}


# ---- memory ----

# Reachable states scattered over 36 bits: encoding is easy, exploring is not, and what is wrong is
# near. Diagrams of the encoding were given
# up together with the exploration and used afterwards.
SCATTER = write('scatter.mil', '''VARIABLES x : 12 := 1; y : 12 := 0; z : 12 := 0; END ACTIONS a; \
b; c; END
MAIN CASE [a] true : x := x * 5 + 3; [b] x < 4000 : y := y + x; [c] 4 / (x % 64) < 9 : z := z + y; \
END END
INVARIANTS low: z < 1; other: x != 43; fine: x >= 0; unequal: y != 9 | x != 8; END
CTL near: AG z < 1; END
''')
KNOWN = {'low': 'violated', 'other': 'violated', 'fine': 'holds', 'unequal': 'violated',
         'near': 'violated', 'deadlock': 'holds'}
for order in ('saturation', 'bfs', 'chaining'):
    for size in ('1M', '1500K', '2M', '4M', '6M', '12M') if LONG else ('1M', '2M', '6M'):
        later(f'scattered states, {order}, --memory {size}', limited(KNOWN, megabytes=60), 'check',
              SCATTER, '--order', order, '--memory', size, '--time', '1s')
        later(f'scattered states, {order}, --memory {size}, degenerate', limited(KNOWN), 'check',
              SCATTER, '--order', order, '--memory', size, '--time', '1s', program=DEGENERATE)
collect()
for name, constants in {'pc': ('m=2',), 'phils': ('n=9',), 'tt': ('n=3',),
                        'szymanski': ('n=3',)}.items():
    define = [word for constant in constants for word in ('-D', constant)]
    known = verdicts(MODEL[name], *define)
    check(f'{name}: decided without limits', 'unknown' not in known.values(), known)
    for size in ('900K', '1200K', '1M', '2M', '3M', '8M') if LONG else ('1200K', '2M'):
        for options in ((), ('--order', 'bfs', '--direction', 'backward'),
                        ('--relation', 'monolithic')):
            later(f'{name} {" ".join(options)} --memory {size}', limited(known, megabytes=60),
                  'check', MODEL[name], *define, '--memory', size, '--time', '4s', *options)
collect()
for name, constants in {'pc': ('m=8',), 'phils': ('n=200',), 'szymanski': ('n=7',),
                        'el': ()}.items():
    define = [word for constant in constants for word in ('-D', constant)]
    for size, most in (('2M', 40), ('16M', 50), ('64M', 100)):
        later(f'{name}, large, --memory {size}', limited(megabytes=most), 'check', MODEL[name],
              *define, '--memory', size, '--time', '1s')
collect()

# Breadth-first, both engines count the same states and as many levels; a bound cuts both at the
# same level.
for name in ('pc', 'phils', 'tt', 'szymanski'):
    for options in ((), ('--bound', '3'), ('--bound', '1')):
        one, two = launch('explore', MODEL[name], '--order', 'bfs',
                          *options).told, launch('explore', MODEL[name], '--engine', 'explicit',
                                                 *options, engine=False).told
        keys = ('states', 'depth', 'complete',
                'initial_states') + (() if options else ('transitions', 'deadlocks'))
        check(f'{name} {" ".join(options)}: levels as in the explicit engine',
              one and two and all(one[key] == two[key] for key in keys),
              [[told.get(key) for key in keys] for told in (one or {}, two or {})])

# ---- arithmetic that explodes, rules in their thousands ----

PRODUCT = write('product.mil',
                'VARIABLES x : 32; y : 32; z : 32 := 0; END ACTIONS a; b; END MAIN CASE [a] x * y '
                '== z : z := x % y; [b] true : z := x / y; END END INVARIANTS z * z < 100; END\n')
WIDE = write('wide.cairn',
             subprocess.run([CAIRN, 'translate', PRODUCT, '--to', 'cairn'], capture_output=True,
                            text=True, cwd=ROOT).stdout)
ADDS = write('adds.mil',
             'VARIABLES ' + ' '.join(f'v{i} : 32 := 0;' for i in range(100))
             + ' END ACTIONS a; END MAIN CASE '
             + ' '.join(f'[a] v{i % 100} != {i} : v{i % 100} := v{i % 100} + {7 * i + 1};'
                        for i in range(4000)) + ' END END\n')
JUMPS = write('jumps.mil', 'VARIABLES x : 16 := 0; y : 16 := 0; END ACTIONS a; END MAIN CASE '
              + ' '.join(f'[a] x == {i} : x := {(i * 7919 + 1) % 65536}; y := y + {i};'
                         for i in range(20000)) + ' END END\n')
SHIFT = write('shift.mil',
              'VARIABLES '
              + ' '.join(f'v{i} : 1' + (' := 0' if i else '') + ';' for i in range(3400))
              + ' END ACTIONS a; b; END MAIN CASE [a] true : '
              + ' '.join(f'v{i} := v{i - 1};' for i in range(1, 3400))
              + ' [b] true : v0 := 1 - v0; END END INVARIANTS v100 == 0; END\n')
for name, file in {'products': PRODUCT, 'products, as text': WIDE, 'adding rules': ADDS,
                   '20,000 rules': JUMPS, 'a shift register': SHIFT}.items():
    later(f'{name}, --memory 40M', limited(megabytes=90, statuses=(1, 3)), 'check', file,
          '--memory', '40M', '--time', '2s')
    later(f'{name}, --time 1s', limited(seconds=8, statuses=(1, 3)), 'check', file, '--time', '1s')
    # CPU seconds; earlier it might still be reading, which a signal just ends
    later(f'{name}, Ctrl-C', limited(seconds=15, statuses=(1, 3)), 'check', file, interrupt=3)
    later(f'{name}, --order bfs --time 1s', limited(seconds=8, statuses=(1, 3)), 'check', file,
          '--order', 'bfs', '--time', '1s')
collect()

# A property that cannot be evaluated in one state, whatever the circuit says there, is neither
# violated nor true because of that state.
for text in ('4 / x < 5', '4 / x > 1 | x > 1', '4 % x < 4', '!(4 % x > 3)'):
    file = write('divides.mil',
                 f'VARIABLES x : 3 := 3; END ACTIONS a; END MAIN CASE [a] x > 0 : x := x - 1; [a] '
                 f'x == 0 : x := 3; END END INVARIANTS p: {text}; END\n')
    later(f'a property that divides by zero: {text}',
          lambda r: None if r.told and r.told['properties'][0]['verdict'] == 'unknown'
          else 'unknown expected', 'check', file)
    collect()

# ---- bits ----


def loose(count, step=1):
    """Variables of one bit; every step-th may be set."""
    return write(f'loose{count}_{step}.mil',
                 'VARIABLES ' + ' '.join(f'v{i} : 1 := 0;' for i in range(count))
                 + ' END ACTIONS a; END MAIN CASE '
                 + ' '.join(f'[a] v{i} == 0 : v{i} := 1;' for i in range(0, count, step))
                 + ' END END\n')


def has_states(exponent):
    def judge(result):
        return (None if result.returncode == 0 and result.told
                and int(result.told['states']) == 2 ** exponent
                else f'2^{exponent} states expected')
    return judge


sys.set_int_max_str_digits(0) if hasattr(sys, 'set_int_max_str_digits') else None
later('2^1500 states', has_states(1500), 'explore', loose(3000, 2))
for name, stack in {'256 KB': 256 << 10, '1 GB': 1 << 30}.items():
    later(f'2^320 states in 16,000 bits, with a stack of {name}', has_states(320), 'explore',
          loose(16000, 50), stack=stack)
later('2^1000 states in 50,000 bits', has_states(1000), 'explore', loose(50000, 50), '--memory',
      '200M')
if LONG:
    later('2^2000 states in 100,000 bits, with a stack of 1 MB', has_states(2000), 'explore',
          loose(100000, 50), stack=1 << 20)
later('2^500 states, all together, sanitized', has_states(500), 'explore', loose(1000, 2),
      program=ASAN)
for size in ('2M', '4M', '8M', '16M', '32M') if LONG else ('2M', '16M'):
    later(f'16,000 bits, --memory {size}', limited(statuses=(0, 3), megabytes=100), 'explore',
          loose(16000, 50), '--memory', size)
for limits in (('--memory', '6M'), ('--memory', '20M'), ('--time', '1s')):
    later(f'2,000 philosophers, {" ".join(limits)}', limited(statuses=(0, 1, 3), megabytes=120,
          seconds=8), 'check', MODEL['phils'], '-D', 'n=2000', '--time', '1s', *limits,
          stack=256 << 10)
    later(f'500 producers and consumers, {" ".join(limits)}', limited(statuses=(0, 1, 3),
          megabytes=120, seconds=8), 'check', MODEL['pc'], '-D', 'm=500', '--time', '1s', *limits)
for order in ('saturation', 'bfs', 'chaining'):
    later(f'a shift register, {order}, sanitized', limited(statuses=(1, 3)), 'check', SHIFT,
          '--order', order, '--time', '2s', program=ASAN)
collect()
finish()
