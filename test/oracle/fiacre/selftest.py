#!/usr/bin/env python3
"""Checks of the reference implementation of Fiacre itself: small models whose answers were found by
hand.

Prints `N passed, N failed`; the exit status is 1 when something failed.
"""
import os
import re
import sys

if __package__ in (None, ''):
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from fiacre import generate, generate_timed, naive
from fiacre.explore import explore
from fiacre.machine import Machine
from fiacre.parse import ModelError
from fiacre.timed import explore as timed_explore

counts = {True: 0, False: 0}


def check(what, got, wanted=True):
    counts[got == wanted] += 1
    if got != wanted:
        print(f'FAILED {what}: {got!r}, expected {wanted!r}')


def alone(body, variables='', types='', states='a, b, c'):
    """A program of one process."""
    return (f'{types}\nprocess P is states {states} {"var " + variables if variables else ""} '
            f'{body}\nP')


# name, program, expected figures. `list` gives the values of P[1].x (or, without x, the control
# states of P[1]) that are reached.
UNTIMED = [
    ('one path per select branch, also with equal effects',
     alone('from a select null [] null [] on false end; to b'),
     dict(states=2, transitions=2, deadlocks=1)),
    ('several from', alone('from a to b from a to b from b to a'),
     dict(states=2, transitions=3, deadlocks=0)),
    ('a self loop counts', alone('from a loop from a to a'),
     dict(states=1, transitions=2, transitions_no_selfloop=0, deadlocks=0)),
    ('the first from is initial', alone('from b to a'), dict(list=['a', 'b'], states=2)),
    ('init decides', alone('init x := 3; to c from a to b', 'x : nat'),
     dict(list=['3'], deadlocks=1)),
    ('init may choose',
     alone('init select x := 1 [] x := 2 [] x := 1 end; to c from a to b', 'x : nat'),
     dict(list=['1', '2'], initial_states=2)),
    ('init may choose any', alone('init x := any where x > 2; to c from a to b', 'x : 0..5'),
     dict(list=['3', '4', '5'], initial_states=3)),
    ('defaults', alone('from a to b', 'x : -3..4, y : nat, z : int, q : queue 2 of bool'),
     dict(list=['-3'])),
    ('default of a union', alone('from a to b', 'x : u', 'type u is union one of 2..3 | two end'),
     dict(list=['one(2)'])),
    ('if is one path',
     alone('from a if x = 0 then x := 1 else x := 2 end; if x = 1 then to b else to c end',
           'x : nat'), dict(states=2, transitions=1, list=['0', '1'])),
    ('if without else', alone('from a if x > 0 then to c end; to b', 'x : nat'),
     dict(states=2, list=['0'])),
    ('elsif',
     alone('from a if x = 1 then x := 5 elsif x = 0 then x := 6 elsif true then x := 7 end if; to '
           'b', 'x : nat'), dict(list=['0', '6'])),
    ('case takes the first that matches',
     alone('from a case x of 0 -> x := 5 | any -> x := 6 end; to b', 'x : nat'),
     dict(list=['0', '5'], transitions=1)),
    ('case without a match blocks',
     alone('from a case x of 1 -> null | 2 -> null end case; to b', 'x : nat'),
     dict(states=1, transitions=0, deadlocks=1)),
    ('case assigns variables',
     alone('from a case e of one (x) -> null | two -> x := 9 end; to b', 'x : nat, e : u := one 4',
           'type u is union one of nat | two end union'),
     dict(list=['0', '4'])),
    ('a nested constructor',
     alone('from a case e of w (one 3) -> x := 1 | w (one y) -> x := y | v -> x := 2 end; to b',
           'x, y : nat, e : t := w(one(7))',
           'type u is union one of nat | two end type t is union v | w of u end'),
     dict(list=['0', '7'])),
    ('an assignment may be a pattern',
     alone('from a true := x = 0; x := 1; to b from b true := x = 0; to c', 'x : nat'),
     dict(states=2, transitions=1)),
    ('a guard after an assignment sees it',
     alone('from a x := 1; on x = 0; to b from a x := 1; on x = 1; to b', 'x : nat'),
     dict(states=2, transitions=1)),
    ('multiple assignment', alone('from a x, y := y, x + 5; to b', 'x : nat := 1, y : nat := 2'),
     dict(list=['1', '2'], states=2)),
    ('to ends a path inside a sequence',
     alone('from a if x = 0 then x := 3; to b end; x := 4; to c', 'x : nat'),
     dict(list=['0', '3'], transitions=1)),
    ('select continues every branch',
     alone('from a select x := 1 [] x := 2 [] to c end; x := x + 10; to b', 'x : nat'),
     dict(list=['0', '11', '12'], transitions=3, states=4)),
    ('branches do not see each other',
     alone('from a x := 1; select x := x + 1; select x := x + 1 [] x := x + 2 end [] on x = 1; x '
           ':= 9 end; to b', 'x : nat'),
     dict(list=['0', '3', '4', '9'], transitions=3)),
    ('choices of a choice',
     alone('from a x := any where x <> 1; select null [] on x = 2 end; to b', 'x : 0..3'),
     dict(transitions=4, states=4)),
    ('two variables at once', alone('from a x, y := any where x < y; to b', 'x, y : 0..2'),
     dict(transitions=3, list=['0', '1'])),
    ('any of an element', alone('from a x[1] := any; to b', 'x : array 2 of bool'),
     dict(list=['[false,false]', '[false,true]'], transitions=2)),
    ('any of a union',
     alone('from a x := any; to b', 'x : u', 'type u is union one of bool | two, three end'),
     dict(transitions=4, states=5)),
    ('while and foreach',
     alone('from a while x < 10 do x := x + 3 end while; foreach i do x := x + i end foreach; to b',
           'x : nat, i : 1..3'), dict(list=['0', '18'])),
    ('an endless loop fails', alone('from a while true do null end; to b', 'x : nat'),
     dict(failing_states=1, failing_pairs=1, transitions=0, deadlocks=1)),
    ('queues',
     alone('from a q := enqueue(q, 1); q := enqueue(q, 2); q := append(q, 3); x := first q; q := '
           'dequeue q; on full {|1|} or length q = 2; to b '
           'from b x := 10 * first q + first (dequeue q); on not empty q and not full q; to c',
           'x : nat, q : queue 3 of nat'), dict(list=['0', '12', '3'])),
    ('a full queue',
     alone('from a q := enqueue(q, 1); q := enqueue(q, 1); to b', 'q : queue 1 of nat'),
     dict(failing_pairs=1)),
    ('an empty queue',
     alone('from a x := first q; to b from a q := dequeue q; to b', 'x : nat, q : queue 1 of nat'),
     dict(failing_pairs=2, failing_states=1)),
    ('interval left', alone('from a x := x + 1; loop', 'x : 0..3'),
     dict(states=4, transitions=3, failing_pairs=1)),
    ('natural left', alone('from a x := x - 1; loop', 'x : nat := 2'),
     dict(states=3, transitions=2, failing_pairs=1)),
    ('a difference below zero is not stored', alone('from a on x - 1 < 0; to b', 'x : nat'),
     dict(states=2, transitions=1, failing_pairs=0)),
    ('32 bits', alone('from a x := x * 2; loop', 'x : int := 1'), dict(states=31, failing_pairs=1)),
    ('index', alone('from a on t[x] = 0; x := x + 1; loop', 'x : nat, t : array 3 of nat'),
     dict(states=4, failing_pairs=1)),
    ('index of a place', alone('from a t[x] := 1; x := x + 1; loop', 'x : nat, t : array 2 of nat'),
     dict(states=3, failing_pairs=1)),
    ('division',
     alone('from a x := (0 - 7) / 2 * 100 + (0 - 7) % 2; to b from b x := 7 / (x - x); to c',
           'x : int'), dict(list=['-301', '0'], failing_pairs=1)),
    ('short circuit',
     alone('from a on x = 0 or 1 / x = 1; on not (x <> 0 and 1 / x = 1); x := x = 0 ? 5 : 1 / x; '
           'to b', 'x : nat'), dict(list=['0', '5'], failing_pairs=0)),
    ('a guard before an error', alone('from a on false; x := 1 / x; to b', 'x : nat'),
     dict(failing_pairs=0, deadlocks=1)),
    ('an error before a guard', alone('from a x := 1 / x; on false; to b', 'x : nat'),
     dict(failing_pairs=1)),
    ('errors of branches',
     alone('from a select x := 1 / x [] x := 2 [] x := 1 / x end; to b', 'x : nat'),
     dict(failing_pairs=2, transitions=1)),
    ('records',
     alone('from a r := {g = true, f = 2}; r.f := r.f + 1; to b from b on r = {f = 3, g = true}; x '
           ':= r.f; to c', 'r : t, x : nat',
           'type t is record f : nat, g : bool end record'), dict(list=['0', '3'], states=3)),
    ('arrays of records',
     alone('from a r[1].f[0] := 3; x := r[1].f[0] + r[0].f[0]; to b', 'r : array 2 of t, x : nat',
           'type t is record f : array 1 of nat end'),
     dict(list=['0', '3'])),
    ('functions', alone('from a x := f(4, true); to b', 'x : nat', '''function f(n : nat, b : \
bool) : nat is var r : nat := 1, i : 0..2 begin
     while n > 1 do r := r * n; n := n - 1 end; foreach i do if b then r := r + i end \
end; case r of 27 -> return r | any -> return 0 end end'''),
     dict(list=['0', '27'])),
    ('a function with return only',
     alone('from a x := f(4) + f(1); to b', 'x : nat', 'function f(n : nat) : nat is return n + 1'),
     dict(list=['0', '7'])),
    ('a function that blocks',
     alone('from a x := f(4); to b from a x := f(1); to b', 'x : nat',
           'function f(n : nat) : nat is begin case n of 1 -> return 2 end end'),
     dict(transitions=1, list=['0', '2'])),
    ('a function whose argument is out of range',
     alone('from a x := f(x + 4); to b', 'x : nat', 'function f(n : 0..3) : nat is return n'),
     dict(failing_pairs=1)),
    ('a result out of range',
     alone('from a x := f(x + 4); to b', 'x : nat', 'function f(n : nat) : 0..3 is return n'),
     dict(failing_pairs=1)),
    ('unless: the later group wins',
     alone('from a select x := 1 [] x := 2 unless on y = 0; x := 3 [] x := 4 unless on y = 1; x := '
           '5 end; to b', 'x, y : nat'),
     dict(list=['0', '3', '4'], transitions=2)),
    ('unless: the last group wins',
     alone('from a select x := 1 [] x := 2 unless on y = 0; x := 3 [] x := 4 unless on y = 0; x := '
           '5 end; to b', 'x, y : nat'),
     dict(list=['0', '5'], transitions=1)),
    ('unless: no later group enabled',
     alone('from a select x := 1 [] x := 2 unless on y = 1; x := 3 end; to b', 'x, y : nat'),
     dict(list=['0', '1', '2'])),
    ('unless: what follows counts',
     alone('from a select x := 1 unless x := 3 end; on x < 2; to b', 'x : nat'),
     dict(list=['0', '1'], transitions=1)),
    ('constants and expressions',
     alone('from a x := N * (N + 1) - -N % 2; to b', 'x : nat', 'const N : nat is 2 + 3'),
     dict(list=['0', '31'])),
    ('precedence',
     alone('from a on not true or 1 + 2 * 3 = 7 and 8 - 2 - 1 = 5; x := true ? 1 : false ? 2 : 3; '
           'to b', 'x : nat'), dict(list=['0', '1'])),
]

TWO = '''
process A [p : {0}] (&s : nat) is states a, b var x : 0..9 {1}
process B [p : {0}] (&s : nat) is states a, b var x : 0..9 {2}
component main is var s : nat port p : {0} par A[p](&s) || B[p](&s) end
main'''
THREE = '''
process A [p : {0}] (&s : nat) is states a, b var x : 0..9 {1}
process B [p : {0}] (&s : nat) is states a, b var x : 0..9 {2}
process C [p : {0}] (&s : nat) is states a, b var x : 0..9 {3}
component main is var s : nat port p : {0} par A[p](&s) || B[p](&s) || C[p](&s) end
main'''
# name, program, figures; `last` is the list of (s, A.x, B.x ...) of deadlocked states
TOGETHER = [
    ('both must come', TWO.format('none', 'from a p; to b', 'from a on x = 1; p; to b'),
     dict(transitions=0, states=1)),
    ('a value', TWO.format('0..9', 'from a p!x + 3; x := 1; to b', 'from a p?x; to b'),
     dict(transitions=1, last=[('0', '1', '3')])),
    ('a value that does not match', TWO.format('0..9', 'from a p!3; to b', 'from a p?4; to b'),
     dict(transitions=0)),
    ('where',
     TWO.format('0..9', 'from a p!3; to b from a p!5; to b', 'from a p?x where x > 4; to b'),
     dict(transitions=1, last=[('0', '0', '5')])),
    ('a value out of the channel', TWO.format('0..2', 'from a p!x + 3; to b', 'from a p?x; to b'),
     dict(transitions=0, failing_pairs=1)),
    ('a value out of the variable', TWO.format('nat', 'from a p!x + 30; to b', 'from a p?x; to b'),
     dict(transitions=0, failing_pairs=1)),
    ('nobody sends', TWO.format('0..3', 'from a p?x; to b', 'from a p?x where x <> 2; to b'),
     dict(transitions=3, last=[('0', '0', '0'), ('0', '1', '1'), ('0', '3', '3')])),
    ('any is sent', TWO.format('0..3', 'from a p!any; to b', 'from a p?x where x <> 2; to b'),
     dict(transitions=3)),
    ('any and a value are sent',
     THREE.format('0..3', 'from a p!any; to b', 'from a p?x; to b', 'from a p!2; to b'),
     dict(transitions=1, last=[('0', '0', '2', '0')])),
    ('senders agree',
     THREE.format('0..3', 'from a p!1; to b from a p!2; to b', 'from a p?x; to b',
                  'from a p!2; to b from a p!3; to b'),
     dict(transitions=1, last=[('0', '0', '2', '0')])),
    ('one sends, two receive',
     THREE.format('nat', 'from a p!7; to b', 'from a p?x; to b', 'from a p?x; to b'),
     dict(transitions=1, last=[('0', '0', '7', '7')])),
    ('several values',
     TWO.format('nat # bool # 0..3', 'from a p!1, x = 0, 2; to b', 'from a p?any, true, x; to b'),
     dict(transitions=1, last=[('0', '0', '2')])),
    ('combinations of paths',
     TWO.format('none', 'from a select p [] p end; to b',
                'from a p; select null [] null [] null end; to b'), dict(transitions=6, states=2)),
    ('prefixes first, in order',
     TWO.format('nat', 'from a s := s + 1; p!s; s := s * 2; to b',
                'from a s := s * 5; p?x; s := s + 1; to b'),
     dict(transitions=1, last=[('11', '0', '5')])),
    ('senders go on first',
     TWO.format('nat', 'from a p?x; s := s * 2; to b', 'from a p!1; s := s + 3; to b'),
     dict(transitions=1, last=[('6', '1', '0')])),
    ('a receiver that fails later',
     TWO.format('nat', 'from a p!3; to b', 'from a p?x; x := x * 4; to b'),
     dict(transitions=0, failing_pairs=1)),
    ('a failing prefix needs partners',
     TWO.format('none', 'from a s := 1 / s; p; to b', 'init to a from b p; to b'),
     dict(failing_pairs=0)),
    ('a failing prefix with partners',
     TWO.format('none', 'from a s := 1 / s; p; to b', 'from a p; to b'),
     dict(failing_pairs=1, doubtful=0)),
    ('a guard before a failing prefix',
     TWO.format('none', 'from a on s = 1; p; to b', 'from a s := 1 / s; p; to b'),
     dict(failing_pairs=0, doubtful=0)),
    ('unless against a communication',
     TWO.format('none', 'from a select p unless on s = 0; s := 1 end; loop', 'from a p; to b'),
     dict(states=3, transitions=2)),
]

NEST = '''
process W [p : none, q : none] (n : nat, &s : nat) is states a, b from a p; s := s + n; to b from \
a q; to a
component inner [p : none] (&s : nat) is port q : none par W[p, q](2, &s) || W[p, q](3, &s) end
component main is var s : nat port p, q : none {0} init s := 10
par {1} W[p, q](1, &s) || {2} inner[p](&s) end
main'''
PRIORITY = '''
process W [p, q, r : none] is states a, b, c from a p; to b from a q; to c from b q; to c from b \
r; to a
component main is port p, q, r : none priority {0} par W[p, q, r] end
main'''


def deadlocked(listed):
    return sorted(tuple(v for name, v in state.items() if name.endswith(('.s', '.x')))
                  for state in listed if state['A[1]'] == state['B[1]'] == 'b')


def untimed():
    for name, program, wanted in UNTIMED + TOGETHER:
        got = explore(program, listed=True)
        for key, value in wanted.items():
            if key == 'list':
                shown = {s.get('P[1].x', s['P[1]']) for s in got['list']}
                check(name, sorted(shown), value)
            elif key == 'last':
                check(name, deadlocked(got['list']), sorted(value))
            else:
                check(f'{name}: {key}', got[key], value)
        check(f'{name}: doubtful', got['doubtful'], 0)
    # All three W on p; the q of `inner` with its two; the q of main with one.
    got = explore(NEST.format('', '', ''), listed=True)
    check('nested',
          (got['states'], got['transitions'], sorted(s['main[1].s'] for s in got['list'])),
          (2, 3, ['10', '16']))
    # In frac nothing is shared without interfaces: each W alone on p and q.
    got = explore(NEST.format('', '', ''), 'frac')
    check('frac, no interface', (got['states'], got['transitions']), (8, 24))
    got = explore(NEST.format('', '* in', ''), 'frac')
    # With it the first W goes together with either of the two in `inner`, where nothing is shared.
    check('frac, outer interface', (got['states'], got['transitions']), (3, 5 + 1 + 1))
    check('priority', explore(PRIORITY.format('p > q'))['transitions'], 1 + 2)
    check('priorities', explore(PRIORITY.format('p > q > r'))['states'], 3)
    check('priority with |', explore(PRIORITY.format('q < p | r'))['transitions'], 2)


ERRORS = [
    alone('from a null'), alone('from a if true then to b end'), alone('from a x := 1; to b'),
    alone('from a to d'), alone('from a on 1; to b'),
    alone('from a x := true; to b', 'x : nat'), alone('from a x := 1 = true; to b', 'x : bool'),
    alone('from a p; to b'), alone('init loop from a to b'),
    alone('from a x := any; to b', 'x : nat'), 'process P is states a from a loop Q',
    alone('from a case x of two -> to b end', 'x : nat', 'type u is union one | two end'),
    TWO.format('none', 'from a p; p; to b', 'from a p; to b'),
    TWO.format('nat', 'from a p!1, 2; to b', 'from a p?x; to b'), PRIORITY.format('p > q, q > p'),
    alone('from a wait [1,1]; wait [1,1]; to b'), alone('from a wait [2,1]; to b'),
    alone('from a if x then wait [1,1] end; select null [] wait [2,2] end; to b', 'x : bool'),
    TWO.format('none', 'from a wait [1,1]; p; to b', 'from a p; to b'),
    TWO.format('none', 'from a select null unless p end; to b', 'from a p; to b'),
    TWO.format('none', 'init s := 1; to a from a p; to b', 'from a p; to b'),
    alone('from a while x = 1 do select null [] null end end; to b', 'x : nat'),
    alone('from a to b', 'x : nat', 'function f(n : nat) : nat is return g(n)'),
]


def errors():
    for program in ERRORS:
        try:
            explore(program)
            check(f'accepted: {program}', False)
        except ModelError:
            check('an error', True)


def together(ports, priority, *processes):
    """A program of processes P1, P2, ... that all know the shared variable s; each is connected to
    the ports that it names."""
    text, instances = '', []
    for number, (names, body) in enumerate(processes, 1):
        header = f'[{", ".join(n + " : none" for n in names)}]' if names else ''
        text += f'process P{number} {header} (&s : nat) is states a, b, c {body}\n'
        instances.append(f'P{number}{"[" + ", ".join(names) + "]" if names else ""}(&s)')
    local = ('port ' + ', '.join(f'{n} : none{" in " + i if i else ""}' for n, i in ports.items())
             if ports else '')
    return (f'{text}component main is var s : nat {local} '
            f'{"priority " + priority if priority else ""} par {" || ".join(instances)} end\nmain')


# name, program, the reached combinations of control states (and of s, when it ever changes)
TICK = 'from a wait [1,1]; to a'
TIMED = [
    ('the earlier deadline wins',
     together({}, '', ('', 'from a select wait [1,1]; to b [] wait [2,2]; to c end')), 'a b'),
    ('overlapping intervals',
     together({}, '', ('', 'from a select wait [0,1]; to b [] wait [1,2]; to c end')), 'a b c'),
    ('overlapping open intervals',
     together({}, '', ('', 'from a select wait [0,1[; to b [] wait [1,2]; to c end')), 'a b'),
    ('open at both ends',
     together({}, '', ('', 'from a select wait ]0,1]; to b [] wait [0,0]; to c end')), 'a c'),
    ('decimals',
     together({}, '', ('', 'from a select wait [0,1.5]; to b [] wait [1.25,2]; to c end')),
     'a b c'),
    ('no upper bound',
     together({}, '', ('', 'from a select wait [3,...[; to b [] wait [2,2]; to c end')), 'a c'),
    ('no upper bound, no hurry',
     together({}, '', ('', 'from a select wait [3,...[; to b [] wait [5,5]; to c end')), 'a b c'),
    ('loop keeps clocks',
     together({}, '', ('', 'from a select wait [1,1]; loop [] wait [2,2]; to b end')), 'a b'),
    ('to restarts clocks',
     together({}, '', ('', 'from a select wait [1,1]; to a [] wait [2,2]; to b end')), 'a'),
    ('loop restarts its own clock',
     together({}, '',
              ('', 'from a select wait [2,2]; on s < 2; s := s + 1; loop [] wait [3,3]; to b end')),
     'a0 a1 b1'),
    ('another process does not matter',
     together({}, '', ('', 'from a wait [2,2]; to b'), ('', TICK)), 'aa ba'),
    ('a guard that toggles restarts',
     together({}, '', ('', 'from a wait [2,2]; on s = 0; to b'),
              ('', 'from a wait [1,1]; s := 1; to b from b wait [0,0]; s := 0; to a')), 'aa0 ab1'),
    ('a guard that stays does not',
     together({}, '', ('', 'from a wait [2,2]; on s < 2; to b'),
              ('', 'from a wait [1,1]; s := 1; to b from b wait [0,0]; s := 0; to a')),
     'aa0 ab1 ba0 bb1'),
    ('a port with an interval',
     together({'p': '[2,2]'}, '', ('p', 'from a p; to b'),
              ('p', 'from a wait [1,1]; to b from b p; to c'), ('', 'from a wait [3,3]; to b')),
     'aaa aba bca abb bcb'),
    ('a port restarts when a party moves',
     together({'p': '[2,2]'}, '', ('p', 'from a p; to b'),
              ('p', 'from a p; to b from a wait [1,1]; to a')), 'aa'),
    ('a port goes on when a party loops',
     together({'p': '[2,2]'}, '', ('p', 'from a p; to b'),
              ('p', 'from a p; to b from a wait [1,1]; loop')), 'aa bb'),
    ('priority holds back',
     together({'p': '[1,1]', 'q': '[1,1]'}, 'p > q', ('p', 'from a p; to b'),
              ('q', 'from a q; to b')), 'aa ba bb'),
    ('priority only when in time',
     together({'p': '[1,1]', 'q': '[0,1]'}, 'p > q', ('p', 'from a p; to b'),
              ('q', 'from a q; to b')), 'aa ba ab bb'),
    # q must come before p is ready (t < 1), v after r started later than 0 (1 < t + 1): only
    # between whole moments.
    ('strictly between',
     together({'p': '[1,1]', 'q': '', 'r': '[1,1]', 'v': '[1,1]'}, 'p > q, r > v',
              ('qr', 'from a q; to b from b r; to c'), ('p', 'from a p; to b'),
              ('v', 'from a v; to b')),
     'aaa baa aba aab bba bbb abb cbb bab cba caa cab'),
]


def timed():
    for name, program, wanted in TIMED:
        got = timed_explore(program, listed=True)
        shows_s = len({state['main[1].s'] for state in got['list']}) > 1
        shown = {''.join(v for n, v in state.items() if n.startswith('P'))
                 + (state['main[1].s'] if shows_s else '') for state in got['list']}
        check(name, ' '.join(sorted(shown)), ' '.join(sorted(wanted.split())))
    between = TIMED[-1][1]
    check('not at whole moments',
          timed_explore(between, mode='integers',
                        invariants=['not (P1[1]@b and P2[1]@a and P3[1]@b)'])['invariants'],
          {'not (P1[1]@b and P2[1]@a and P3[1]@b)': 'holds'})
    # A tick at every whole moment, a q between any two ticks (s counts both), less than 1 after the
    # q before: so each q comes a bit earlier in its unit of
    # time than the one before.  No grain is fine enough for all lengths.
    drift = together({'p': '[1,1]', 'q': ''}, 'p > q',
                     ('', 'from a wait [1,1]; s := s % 2 = 1 ? s + 1 : 99; to a'),
                     ('pq', 'from a q; s := s + 1; to b from b on s % 2 = 0 and s < 12; q; s := s '
                      '+ 1; to b from b p; to c'))
    check('drift',
          timed_explore(drift, mode='regions', invariants=['main[1].s <> 11'])['invariants'],
          {'main[1].s <> 11': 'violated'})
    check('drift in whole moments',
          timed_explore(drift, mode='integers',
                        invariants=['main[1].s <> 3', 'main[1].s <> 5'])['invariants'],
          {'main[1].s <> 3': 'violated', 'main[1].s <> 5': 'holds'})


def scaled(program, n):
    """The program with all bounds of intervals n times as large."""
    return re.sub(r'(wait|in) \[(\d+),(\d+|\.\.\.)',
                  lambda m: f'{m[1]} [{int(m[2]) * n},{m[3] if m[3] == "..." else int(m[3]) * n}',
                  program)


def random_programs(count, seed):
    """What must agree on any program."""
    for s in range(seed, seed + count):
        frac = s % 4 == 3
        text, got = generate.draw(s, frac)
        check(f'seed {s}: drawn again', generate.draw(s, frac)[0] == text)
        dialect = 'frac' if frac else 'obp'
        machine = Machine(text, dialect, traced=True)
        if got['transitions'] < 1500:
            check(f'seed {s}: interpreted', naive.explore(text, machine.initial()[0], dialect),
                  (got['states'], got['transitions'], got['deadlocks']))
        if not machine.has_priorities:
            transitions, seen = 0, set(machine.initial()[0])
            stack = list(seen)
            while stack:
                out = machine.expand(stack.pop())
                check(f'seed {s}: identities', len({x[1] for x in out}) == len(out))
                transitions += len(out)
                stack += {x[0] for x in out} - seen
                seen |= {x[0] for x in out}
            check(f'seed {s}: traced', (len(seen), transitions),
                  (got['states'], got['transitions']))
        text, got = generate_timed.draw(s, frac)
        if got['time'] == 'integers':
            other = timed_explore(text, dialect, mode='regions', listed=True)
            check(f'seed {s}: regions',
                  all(got[key] == other[key] for key in ('list', 'deadlocks')))
        else:
            other = timed_explore(scaled(text, 3), dialect, mode='integers', listed=True)
            check(f'seed {s}: thirds', all(state in got['list'] for state in other['list']))


def main():
    untimed()
    errors()
    timed()
    random_programs(100 if os.environ.get('LONG', '0') not in ('', '0') else 10,
                    int(os.environ.get('SEED', '0')))
    print(f'{counts[True]} passed, {counts[False]} failed')
    return 1 if counts[False] else 0


if __name__ == '__main__':
    sys.exit(main())
