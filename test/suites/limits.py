"""Limits hold in every phase: each case explodes in one of them, and is run with a limit on time
and memory, or is told to end by a signal.

Whatever the program is busy with, it must end with status 3 within three times --time and a second
of CPU time, with at most twice --memory, and with --json leave one object. A case that is refused,
or that simply succeeds, would test nothing: status 3 is demanded, and what ended it is looked for
in what is told. Usually a few cases run, with half a second each; all of them, with two seconds,
with LONG=1.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, CASE, LONG, ROOT, check, finish, path, write

SECONDS = 2 if LONG else 0.5
MEGABYTES = 200
REGRESS = os.path.join(ROOT, 'test', 'regress')


class Run:
    """What a run told, and what it cost: CPU time and memory of the process and all that it waited
    for."""
    def __init__(self, arguments, interrupt=None, stdin=subprocess.DEVNULL):
        out, err = path('limits.out'), path('limits.err')

        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (60, 61))

        with open(out, 'wb') as to_out, open(err, 'wb') as to_err:
            process = subprocess.Popen([CAIRN, *map(str, arguments)], stdin=stdin, stdout=to_out,
                                       stderr=to_err, cwd=ROOT, preexec_fn=prepare)
        timer = threading.Timer(300, process.kill)
        timer.start()
        if interrupt:
            wait_until_busy(process, 0.1)
            os.kill(process.pid, interrupt)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        self.status, self.cpu, self.megabytes = (process.returncode,
                                                 usage.ru_utime + usage.ru_stime,
                                                 usage.ru_maxrss / 1024)
        with open(err, encoding='utf-8', errors='replace') as file:
            self.stderr = file.read(100000)
        self.size = os.path.getsize(out)
        with open(out, encoding='utf-8', errors='replace') as file:
            self.stdout = file.read(1000000)

    def __str__(self):
        return (f'status {self.status}, {self.cpu:.1f} s, {self.megabytes:.0f} MB, stderr: '
                f'{self.stderr[-400:]!r}, stdout: {self.stdout[-300:]!r}')


def judge(name, run, threads=1, statuses=(3,), needs_object=False):
    most = (3 * SECONDS + 1) * threads
    wrong = []
    if run.status not in statuses:
        wrong.append(f'status {statuses} expected')
    if run.cpu > most:
        wrong.append(f'more than {most} s')
    if run.megabytes > 2 * MEGABYTES:
        wrong.append('too much memory')
    told = (run.stdout + run.stderr).lower()
    if (run.status == 3
        and not any(word in told
                    for word in ('limit', 'out of memory', 'interrupted', 'too hard', 'too large',
                                 'more than 16777216 states', 'time_limit'))):
        wrong.append('no limit is named')
    if needs_object:
        try:
            json.loads(run.stdout)
        except ValueError:
            wrong.append('not one JSON object')
    check(name, not wrong, f'{"; ".join(wrong)}: {run}')
    if os.environ.get('SHOW'):
        said = run.stderr.strip().splitlines() or run.stdout.strip().splitlines()[-1:] or ['']
        print(f'{name:34} {run.status} {run.cpu:5.2f} s {run.megabytes:5.0f} MB  {said[-1][:150]}',
              flush=True)


# ---- models that explode ----

HANG = os.path.join(REGRESS, 'hard', 'guards.mil')


def milestones(guard='true', update='', variables='', rest='', bits=32, processes=2):
    return f'''{variables}
LOCAL P
  ACTIONS a; b; END
  VARIABLES pc : 1 := 0; x : {bits} := 3; y : {bits} := 5; z : {bits} := 7; END
  CASE
    [0] [a] {guard} : pc := 1; {update}
    [0] [b] true : pc := 1;
    [1] [a] true : pc := 0;
  END
END
MAIN PROC p : P[{processes}]; END END
{rest}'''


def counter(bits, rest=''):
    return (f'VARIABLES n : {bits} := 0; END MAIN ACTIONS END CASE [t] true : n := n + 1; END END '
            f'{rest}'.replace('MAIN ACTIONS END', 'ACTIONS t; END MAIN'))


def wide_sync(processes, commands):
    lines = '\n'.join(f'    [0] [go] x == {i} : x := {i + 1};' for i in range(commands))
    return f'''ACTIONS go; END
LOCAL P
  VARIABLES pc : 1 := 0; x : 6 := 0; END
  CASE
{lines}
  END
  SYNC go; END
END
MAIN PROC p : P[{processes}]; END CASE [go] true : ; END END'''


def many_rules(count, guard='x * {i} > y'):
    lines = '\n'.join(f'    [0] [a] {guard.format(i=i)} : x := x + {i}; y := y * 3;'
                      for i in range(count))
    return f'''LOCAL P
  ACTIONS a; END
  VARIABLES pc : 1 := 0; x : 16 := 3; y : 16 := 5; END
  CASE
{lines}
  END
END
MAIN PROC p : P[2]; END END'''


def large_table(entries):
    return (f'cairn 1 model "t"\ntable {entries} '
            + ' '.join(str(i * 7919 % 65521) for i in range(entries))
            + f'\nvariable "x" 0..{entries - 1} = 0\nvariable "y" 0..65535 = 0\nrule "r" part '
            f'global set "x" (table 0 "x") set "y" (table 0 "x")\n'
            + 'property "p" invariant formula (ne "y" 3)\n')


def large_code(steps, vars=6):
    """Code whose symbolic execution doubles with each condition."""
    body = ''.join(
        f'if (lt "a[{i % vars}]" (at "a[0]" {vars} (mod 0 "a[{(i + 1) % vars}]" {vars}))) set (at '
        f'"a[0]" {vars} (mod 0 "a[{(i + 2) % vars}]" {vars})) (mod 0 (add 0 (mul 0 "a[{i % vars}]" '
        f'3) {i}) 251) end\n' for i in range(steps))
    variables = ''.join(f'variable "a[{i}]" 0..250 = {i}\n' for i in range(vars))
    return (f'cairn 1 model "c"\n{variables}rule "r" part global do {body} end\nproperty "p" '
            f'invariant formula (ne "a[0]" 250)\n')


def slow_code(rounds, nested):
    """A step that takes very long: so many rounds of a loop, or so many times so many."""
    def loop(name, body):
        return (f'set (local "{name}") 0 while (lt (local "{name}") {rounds}) {body} set (local '
                f'"{name}") (mod 0 (add 0 (local "{name}") 1) 999999) end')
    body = loop('i', loop('j', '')) if nested else loop('i', '')
    return (f'cairn 1 model "w"\nvariable "n" 0..1000000 = 0\nlocal "i" 0..1000000\nlocal "j" '
            f'0..1000000\nrule "r" part global do {body} set "n" (mod 0 (add 0 "n" 1) 1000000) '
            f'end\n')


def many_priorities(classes):
    above = '\n'.join(f'priority {i} > {i + 1}' for i in range(classes - 1))
    rules = '\n'.join(f'rule "r{i}" part global when (ne "x" {i}) set "x" {i} class {i}'
                      for i in range(classes))
    return (f'cairn 1 model "p"\nclasses {classes}\nvariable "n" 0..100000000 = 0\nvariable "x" '
            f'0..{classes} = 0\n{above}\n{rules}\n')


def deep_formula(depth, kind='CTL'):
    inner = 'n == 3'
    for i in range(depth):
        inner = (f'!({inner} -> AX (n == {i % 7}))' if kind == 'CTL'
                 else f'!({inner}) U (n == {i % 7})')
    return counter(8, f'{kind} {inner}; END')


def long_formula(terms):
    return ' & '.join(f'(G F (n == {i}) | F G (n != {i + 1}))' for i in range(terms))


def until_formula(depth):
    return ' & '.join(
        f'(G ((n == {i}) -> F ((n == {i + 1}) & F ((n == {i + 2}) & F (n == {i + 3})))))'
        for i in range(depth))


def fiacre(body, declarations='', states='s0, s1', variables=''):
    return f'''{declarations}
process P is
  states {states}
  {variables}
{body}
component C is par P end
C
'''


def fiacre_any(count, width):
    names = ', '.join(f'x{i}' for i in range(count))
    steps = ''.join(f' x{i} := any;' for i in range(count))
    return fiacre(f'  from s0{steps} to s1\n  from s1 to s0', f'type T is 0..{width}',
                  variables=f'var {names} : T := 0')


def fiacre_selects(count):
    steps = '\n'.join('    select n := n + 1 [] n := n + 2 [] null end;' for _ in range(count))
    return fiacre(f'  from s0\n{steps}\n    to s0', variables='var n : int := 0')


def fiacre_array(size):
    return fiacre('  from s0 a[0] := a[1] + 1; to s0', f'type A is array {size} of 0..9',
                  states='s0', variables=f'var a : A := [{", ".join(["0"] * size)}]')


def fiacre_nested_array(depth):
    types = 'type T0 is 0..3\n' + '\n'.join(f'type T{i + 1} is record a : T{i}, b : T{i} end'
                                            for i in range(depth))
    return fiacre('  from s0 to s0', types, states='s0', variables=f'var v : T{depth}')


def fiacre_sync(processes, offers):
    lines = '\n     '.join(f'{"[] " if i else ""}on n = {i}; p; n := {i + 1}; to s0'
                           for i in range(offers))
    return f'''process P [p : none] is
  states s0
  var n : 0..{offers} := 0
  from s0 select
     {lines}
  end
component C is
  port p : none
  par * in {' || '.join(['P [p]'] * processes)} end
C
'''


def fiacre_loop():
    return fiacre('  from s0 n := f(n); to s0', '''function f (m : int) : int is
  var i : int := 0, j : int := 0
  begin
    while i < 900000 do
      j := 0;
      while j < 900000 do j := j + 1 end;
      i := i + 1
    end;
    return m
  end''', states='s0', variables='var n : int := f(3)')


def fiacre_queue(processes):
    """What a context talks to, beside processes with very many states."""
    counters = ' || '.join(['Count'] * processes)
    return f'''type Box is queue 4 of 0..9
process Behavior (&box : Box) is
  states s0
  from s0 on not (empty box); box := dequeue box; to s0
process Count is
  states s0
  var n : 0..999 := 0
  from s0 n := (n + 1) % 1000; to s0
component System is
  var Behavior_1 : Box := {{||}}
  par Behavior (&Behavior_1) || {counters} end
System
'''


def timed_many(processes):
    return f'''process P is
  states s0, s1
  from s0 wait [1, 1000]; to s1
  from s1 wait [1, 1000]; to s0
process Q is
  states s0
  var n : 0..20 := 0
  from s0 wait [1, 1]; n := (n + 1) % 20; to s0
component C is par Q || {' || '.join(['P'] * processes)} end
C
'''


def context(text, events):
    sends = '\n'.join(f'event e{i} is {{ send {i} to {{Behavior}}1 }}' for i in range(events))
    return f'{sends}\n{text}\n'


def interleaved(count):
    return ' || '.join(f'{{ event e{i % 9} ; event e{(i * 7 + 1) % 9} ; event e{(i * 5 + 3) % 9} }}'
                       for i in range(count))


OPEN = os.path.join(ROOT, 'examples', 'behavior', 'open.fcr')


def shuffle(names, repeats):
    return ' || '.join('(' + '; '.join(f'{name}{i}' for i in range(repeats)) + ')*'
                       for name in names)


def long_trace(states):
    meta = {'format': 'ITF', 'source': write('small.mil', counter(30))}
    steps = [{'n': i} for i in range(states)]
    return json.dumps({'#meta': meta, 'vars': ['n'], 'states': steps})


# ---- cases: name, phase in words, arguments; a function makes files when the case is run ----

def mil(name, text):
    return write(name + '.mil', text)


CASES = []


def case(name, *, short=False, **options):
    def add(make):
        CASES.append((name, short, options, make))
        return make
    return add


def product(name='product'):
    """Hard guards, hard values, and more states than anybody visits: x counts."""
    return mil(name,
               milestones('x * y * z != x + y', 'x := x + 1; y := y * z + x; z := z * x + y;',
                          rest='INVARIANTS p[0].x * p[0].y != 123456789; END'))


def guessing(length):
    """Which a was it? As many sets of states as there are words of this length."""
    more = f'(mod 0 (add 0 "x" 1) {length + 1})'
    rules = [f'rule "{letter}" part "p" when {when} set "x" {to}' for letter in 'ab'
             for when, to in (('(eq "x" 0)', 0), (f'(and (ge "x" 1) (lt "x" {length}))', more))]
    return write('guessing.cairn', '\n'.join(
        ['cairn 1 model "guessing" process "p" type "P"', f'variable "x" of "p" 0..{length} = 0',
         'rule "a" part "p" when (eq "x" 0) set "x" 1', *rules, '']))


def chain(length):
    """A long cycle, and as many rounds until all its states are told apart."""
    return write('chain.cairn', f'''cairn 1 model "chain" process "p" type "P"
variable "x" of "p" 0..{length} = 0
rule "a" part "p" when (lt "x" {length}) set "x" (mod 0 (add 0 "x" 1) {length + 1})
rule "b" part "p" when (eq "x" {length}) set "x" 0
''')


# processes and linearity: what review found first
case('hard-steps',
     statuses=(0, 3))(
    lambda: ['check', HANG, '--engine', 'bounded', '--reduce', 'steps', '--phase', 'auto'])
case('hard-por',
     statuses=(0, 3))(lambda: ['explore', HANG, '--engine', 'explicit', '--reduce', 'por'])
case('hard-auto')(lambda: ['check', os.path.join(REGRESS, 'hard', 'guards-many-states.mil')])
case('process-model', short=True,
     needs_json=True)(lambda: ['explore', HANG, '--show', 'process-model'])
case('process-model-many')(
    lambda: ['explore', mil('rules', many_rules(3000)), '--show', 'process-model'])
case('por-hard',
     short=True)(lambda: ['explore', product(), '--engine', 'explicit', '--reduce', 'por'])
case('deadlock-hard')(lambda: ['check', product(), '--engine', 'explicit', '--reduce', 'deadlock'])
case('steps-hard')(
    lambda: ['check', product(), '--engine', 'bounded', '--reduce', 'steps', '--phase', 'auto',
             '-p', 'invariant[0]'])
case('improviso-hard')(
    lambda: ['check', product(), '--engine', 'symbolic', '--reduce', 'improviso'])
case('por-symbolic')(lambda: ['check', product(), '--engine', 'symbolic', '--reduce', 'por'])
case('por-many-rules')(
    lambda: ['explore', mil('rules', many_rules(2000)), '--engine', 'explicit', '--reduce', 'por'])
# engines
case('auto-product', short=True, needs_json=True)(lambda: ['check', product()])
case('symbolic-product', short=True)(lambda: ['check', product(), '--engine', 'symbolic'])
case('symbolic-monolithic')(
    lambda: ['check', product(), '--engine', 'symbolic', '--relation', 'monolithic'])
case('symbolic-labelled')(
    lambda: ['check', product(), '--engine', 'symbolic', '--relation', 'labelled'])
case('bounded-product')(
    lambda: ['check', product(), '--engine', 'bounded', '--bound', 'auto', '-p', 'invariant[0]'])
case('bounded-division')(
    lambda: ['check',
             mil('division',
                 milestones('x > 1',
                            'x := (x * y) / (z + 1); y := (x * 77 + z) % (y + 3); z := x / 3 + y;',
                            rest='INVARIANTS p[0].x != 123456789; END')), '--engine', 'bounded',
             '-p', 'invariant[0]'])
case('bounded-many-rules')(
    lambda: ['check', mil('rules', many_rules(6000)), '--engine', 'bounded', '--invariant',
             'p[0].x != 77'])
case('symbolic-many-rules')(
    lambda: ['check', mil('rules', many_rules(6000)), '--engine', 'symbolic'])
case('explicit-initial',
     short=True)(
    lambda: ['explore', mil('initial', counter(30).replace('n : 30 := 0', 'n : 32; m : 32')),
             '--engine', 'explicit'])
case('threads', threads=2)(lambda: ['explore', product(), '--engine', 'explicit', '--threads', '2'])
case('race', threads=3)(lambda: ['check', product(), '--threads', '3'])
case('dfs')(lambda: ['explore', mil('counter', counter(32)), '--order', 'dfs'])
case('partition')(lambda: ['explore', product(), '--partition', 'a'])
case('partition-auto')(lambda: ['explore', product(), '--partition', 'auto'])
case('partition-hidden')(lambda: ['explore', product(), '--partition', 'a', '--partition-hidden'])
case('partition-timed')(
    lambda: ['explore', write('timed.fcr', timed_many(40)), '--partition', 'auto'])
case('orders-subsets', short=True)(
    lambda: ['explore', guessing(60), '--partition', 'a,b', '--show', 'orders'])
case('orders-rounds')(
    lambda: ['explore', chain(1000000), '--partition', 'a,b', '--show', 'orders'])
case('orders-enumerated')(
    lambda: ['explore', guessing(3), '--partition', 'a,b', '--show', 'enumerated-orders'])
case('timed-many')(lambda: ['explore', write('timed.fcr', timed_many(40)), '--engine', 'timed'])
case('timed-many-ltl')(lambda: ['check', write('timed.fcr', timed_many(7)), '--ltl', 'G F true'])
for engine in ('explicit', 'timed'):
    case(f'slow-code-{engine}',
         short=engine
         == 'explicit')(
        lambda engine=engine: ['explore', write('slow.cairn', slow_code(60000, False)), '--engine',
                               engine])
    case(f'slowest-code-{engine}',
         short=engine
         == 'explicit')(
        lambda engine=engine: ['explore', write('slowest.cairn', slow_code(60000, True)),
                               '--engine', engine])
case('slowest-code-threads',
     threads=2)(
    lambda: ['explore', write('slowest.cairn', slow_code(60000, True)), '--engine', 'explicit',
             '--threads', '2'])
case('slow-code-dfs')(
    lambda: ['explore', write('slow.cairn', slow_code(60000, False)), '--order', 'dfs'])
case('slow-code-partition')(
    lambda: ['explore', write('slow.cairn', slow_code(60000, False)), '--partition', 'r'])
case('long-trace-found')(
    lambda: ['check', mil('deep', counter(26, 'INVARIANTS n != 60000000; END')), '--engine',
             'explicit'])
# formulas
case('automaton',
     short=True)(
    lambda: ['automaton', '--ltl', long_formula(12).replace('n == ', 'a').replace('n != ', 'b')])
case('automaton-until')(lambda: ['automaton', '--ltl', until_formula(40).replace('n == ', 'a')])
case('automaton-implies')(
    lambda: ['automaton', '--ltl', long_formula(8).replace('n == ', 'a').replace('n != ', 'b'),
             '--implies', long_formula(9).replace('n == ', 'a').replace('n != ', 'b')])
for engine in ('explicit', 'symbolic', 'bounded'):
    case(f'ltl-{engine}',
         short=engine
         == 'explicit')(
        lambda engine=engine: ['check', mil('ltl', counter(16)), '--ltl',
                               f'!({until_formula(7)} & {until_formula(12)})', '--engine', engine])
    case(f'until-{engine}')(
        lambda engine=engine: ['check', mil('until', counter(16)), '--ltl',
                               f'!({until_formula(10)})', '--engine', engine])
case('ltl-tableau')(
    lambda: ['check', mil('ltl', counter(8)), '--ltl', long_formula(40), '--engine', 'symbolic',
             '--tableau'])
case('ltl-timed')(
    lambda: ['check', write('timed.fcr', timed_many(5)), '--ltl',
             f'!({until_formula(10)})'.replace('n == ', 'Q[0].n = ')])
case('ctl-many')(
    lambda: ['check',
             mil('ctl',
                 counter(20,
                         'CTL ' + ' '.join(f'AG EF (n == {i});' for i in range(3000)) + ' END')),
             '--engine', 'explicit'])
case('ctl-many-symbolic')(
    lambda: ['check',
             mil('ctl',
                 counter(24,
                         'CTL ' + ' '.join(f'AG EF (n * n == {i});' for i in range(3000))
                         + ' END')), '--engine', 'symbolic'])
# readers and passes
case('wide-sync', short=True, needs_json=True)(lambda: ['explore', mil('sync', wide_sync(6, 12))])
case('many-processes')(lambda: ['explore', mil('many', milestones(processes=65000))])
case('large-table')(lambda: ['explore', write('table.cairn', large_table(6000000))])
case('priorities')(
    lambda: ['explore', write('priorities.cairn', many_priorities(4096)), '--engine', 'symbolic',
             '--relation', 'monolithic'])
case('priorities-symbolic')(
    lambda: ['explore', write('priorities.cairn', many_priorities(3000)), '--engine', 'symbolic'])
case('flatten',
     short=True)(lambda: ['check', write('code.cairn', large_code(60)), '--engine', 'symbolic'])
case('flatten-bounded')(
    lambda: ['check', write('code.cairn', large_code(60)), '--engine', 'bounded'])
case('fiacre-any')(lambda: ['explore', write('any.fcr', fiacre_any(2, 430))])
case('fiacre-selects', short=True,
     needs_json=True)(lambda: ['explore', write('selects.fcr', fiacre_selects(40))])
case('fiacre-array')(lambda: ['explore', write('array.fcr', fiacre_array(2000000))])
case('fiacre-records')(lambda: ['explore', write('records.fcr', fiacre_nested_array(22))])
case('fiacre-sync')(lambda: ['explore', write('sync.fcr', fiacre_sync(12, 12))])
case('fiacre-loop', short=True)(lambda: ['explore', write('loop.fcr', fiacre_loop())])
# contexts and guides
case('context-par', short=True,
     needs_json=True)(
    lambda: ['explore', OPEN, '--context',
             write('par.cdl', context('cdl c is { main is { ' + interleaved(28) + ' } }', 30))])
case('context-loop')(
    lambda: ['explore', OPEN, '--context',
             write('loop.cdl',
                   context('cdl c is { main is { loop 3000000 { event e0 ; event e1 } || loop 3 { '
                           'event e2 } } }', 3))])
case('context-several')(
    lambda: ['explore', OPEN, '--context',
             write('several.cdl',
                   context('\n'.join(f'cdl c{k} is {{ main is {{ ' + interleaved(28 - k) + ' } }'
                                     for k in range(2)), 30))])
case('context-guide')(
    lambda: ['guide',
             write('par.cdl', context('cdl c is { main is { ' + interleaved(28) + ' } }', 30))])
case('guide-shuffle', short=True,
     needs_json=True)(
    lambda: ['guide', write('shuffle.xgdl', f'guide g = {shuffle("abcdefghijkl", 7)};')])
case('guide-some-of')(
    lambda: ['guide',
             write('some.xgdl',
                   'guide g = {0,20} of [' + ', '.join(f'(a{i}; b{i}; c{i})' for i in range(40))
                   + '];')])
case('guide-bound')(
    lambda: ['guide', write('loop.xgdl', f'guide g = {shuffle("abc", 7)};'), '--bound',
             '1000000000'])
case('guide-words')(
    lambda: ['guide', write('loop.xgdl', f'guide g = {shuffle("abc", 7)};'), '--words',
             '1000000000'])
case('guide-equal')(
    lambda: ['guide', write('shuffle.xgdl', f'guide g = {shuffle("abcdefgh", 6)};'), '--equal',
             write('other.xgdl', f'guide g = {shuffle("hgfedcba", 6)};')])
case('guide-powers')(
    lambda: ['guide',
             write('power.xgdl',
                   'guide g = ' + '(' * 20 + 'a; b?' + ''.join('){3,30}' for _ in range(20))
                   + ';')])
case('guide-search')(
    lambda: ['explore', mil('counter', counter(30)), '--guide',
             write('shuffle.xgdl', f'guide g = {shuffle("abcdefghijkl", 7)};')])
case('guide-search-bound')(
    lambda: ['explore', mil('counter', counter(30)), '--guide',
             write('plain.xgdl', 'guide g = t*;'), '--bound', '1000000000'])
# exports
for to in ('promela', 'smv', 'aiger', 'cairn'):
    case(f'to-{to}')(
        lambda to=to: ['translate', mil('sync', wide_sync(6, 12)), '--to', to, '-o', '/dev/null'])
    if to != 'cairn':
        case(f'flat-to-{to}',
             short=to
             == 'smv')(lambda to=to: ['translate', write('code.cairn', large_code(60)), '--to', to])
case('table-to-smv')(
    lambda: ['translate', write('table.cairn', large_table(3000000)), '--to', 'smv', '-o',
             '/dev/null'])
case('to-dimacs')(
    lambda: ['translate', product(), '--to', 'dimacs', '-p', 'invariant[0]', '--bound', '100000',
             '-o', '/dev/null'])
case('to-dot',
     short=True)(
    lambda: ['translate', mil('counter', counter(30)), '--to', 'dot', '-o', '/dev/null'])
case('to-aut')(lambda: ['translate', mil('counter', counter(30)), '--to', 'aut', '-o', '/dev/null'])
case('to-dot-timed')(
    lambda: ['translate', write('timed.fcr', timed_many(40)), '--to', 'dot', '-o', '/dev/null'])
# runs
case('simulate-steps', short=True,
     needs_json=True)(
    lambda: ['simulate', mil('counter', counter(30)), '--steps', '1000000000000', '-q'])
case('simulate-runs')(
    lambda: ['simulate', mil('counter', counter(30)), '--runs', '1000000000000', '-q'])
case('simulate-code')(
    lambda: ['simulate', write('slowest.cairn', slow_code(60000, True)), '--steps', '3'])
case('replay-long')(lambda: ['replay', write('long.itf.json', long_trace(2500000))])
case('split')(
    lambda: ['explore', write('sender.fcr', fiacre_queue(8)), '--context',
             write('split.cdl',
                   context('cdl c is { main is { ' + ' || '.join(f'event e{i}' for i in range(9))
                           + ' } }', 9)), '--split', 'always', '--split-depth', '3'])
case('past-freeze')(
    lambda: ['explore', write('sender.fcr', fiacre_queue(8)), '--context',
             write('split.cdl',
                   context('cdl c is { main is { ' + ' || '.join(f'event e{i}' for i in range(9))
                           + ' } }', 9)), '--order', 'past-freeze'])


def limits_of(arguments):
    return [*arguments, '--time', f'{SECONDS}s', '--memory', f'{MEGABYTES}M']


def run_cases():
    for name, short, options, make in CASES:
        if CASE and CASE not in name or not CASE and not LONG and not short:
            continue
        arguments = make()
        needs_json = options.pop('needs_json', False)
        judge(name, Run(limits_of(arguments)), **options)
        if needs_json:
            judge(f'{name} --json', Run(limits_of(arguments) + ['--json']), needs_object=True,
                  **options)


def wait_until_busy(process, seconds):
    """Waits until the process has used so much processor time."""
    while process.poll() is None:
        with open(f'/proc/{process.pid}/stat', encoding='utf-8') as file:
            fields = file.read().rsplit(')', 1)[1].split()
        if (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK') >= seconds:
            return
        time.sleep(0.01)


# every one of these would go on for minutes
SIGNALLED = ['process-model-many', 'por-many-rules', 'symbolic-product', 'bounded-division',
             'bounded-many-rules', 'explicit-initial', 'timed-many', 'slow-code-explicit',
             'slowest-code-explicit', 'ltl-symbolic', 'ltl-bounded', 'ctl-many', 'flatten',
             'fiacre-loop', 'context-par', 'guide-shuffle', 'guide-some-of', 'to-dot',
             'flat-to-smv', 'simulate-runs']


def run_signalled():
    """Without a limit on time, a signal ends each phase."""
    by_name = {name: make for name, _, _, make in CASES}
    for number, name in enumerate(SIGNALLED):
        if CASE and CASE not in name or not CASE and not LONG and number % 5:
            continue
        arguments = by_name[name]()
        sent = signal.SIGINT if number % 2 else signal.SIGTERM
        run = Run([*arguments, '--memory', f'{MEGABYTES}M',
                   *(['--time', f'{SECONDS}s'] if name.startswith('slowest') else [])],
                  interrupt=sent)
        judge(f'{name}, {sent.name}', run)


def run_blocked():
    """A file that never ends to come: the limit on time is kept, too."""
    pipe = path('pipe.mil')
    os.mkfifo(pipe)
    holder = os.open(pipe, os.O_RDWR)
    judge('a pipe that nobody writes to', Run(limits_of(['explore', pipe])))
    judge('a pipe that nobody writes to, --json', Run(limits_of(['explore', pipe, '--json'])),
          needs_object=True)
    os.close(holder)


run_cases()
run_signalled()
if not CASE:
    run_blocked()
finish()
