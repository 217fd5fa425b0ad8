"""The syntax of Fiacre on real files: every one of them parses, what is printed parses to what
prints the same, and texts damaged at random break nothing.

Files of examples/ and of ../shared/corpus (CORPUS: another folder than that) are used when they are
there. LONG=1 damages many more texts; a failure names its text and seed:
build/asan/tools/fiacre_print --mutate SEED COUNT FILES. Single rules of the grammar are tested in
test/unit/fiacre.c.
"""
import glob
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, check, finish, write
from kit.again import Again

CORPUS = os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus'))

# A little of everything, so that there is something to damage without the corpus.
SMALL = '''#define TOP 255
#define NEXT(x, n) ((x + 1) % n)
#if defined(TOP) && TOP > 1
type byte is 0..TOP
#else
type byte is bool
#endif
type event is union go | speed, stop of int end union
type box is record size : byte, items : array 2 of event end
channel pair is byte # event
const N : nat is 2
function next(x : byte) : byte is var y : byte := 0 begin y := NEXT(x, N); while y > N do y := y - \
1 end; return y end
process Sender [out1 : out pair, tick : none] (&q : queue 2 of event, &x : read byte) is
states idle, busy
var e : event := speed 3, b : box := {size = 1, items = [go, stop 2]}
init to idle
from idle /*@{start}*/ select
    on not (full q); q := enqueue(q, speed 25); to busy
  [] wait [0,2.5[; e := any where e <> go; #late; loop
  unless tick; if x = 3 or empty q then null elsif x > N then x := x ? 1 : 0 else b.items[0], x := \
go, next(x) end if; to idle end
from busy
    case first q of speed x -> q := dequeue q | go -> null | any -> loop end case; out1 ! x, e; to \
idle
process Receiver [in1 : in pair] is states s from s in1 ? any, stop 3 where true; foreach v do \
null end; to s
component Main is
var q : queue 2 of event := {||}, x : byte
port p : pair in ]1,...[, t : sync in [1,1] is Main/1/state idle
priority t > p
par p in * -> Sender[p, t](&q, &x) || Receiver[p] end par
Main
property one is ltl [] (Main/1/state idle => <> Main/1/value x = 3) until Main/2/event p
property two is present enter Main/1/state busy within [0,3] after one
property three is (one) leadsto two
property four is ctl AG EF x = 3 & E[Sender[1] @ idle U q[0].full]
assert one true "yes"
'''
FORMULAS = ['G F P[1].x == 3', 'AG (proc[1].x = 2 -> EF q[0].full)', 'E[x U y & z]',
            'A[ x < 3 W P @ s ]', '!(a && b) || c <-> d => e', 'x U y R z W w',
            'F = 1 & G + 1 > 2', 'P.state = s', '[] (a => <> b)', '() a until b release c',
            'A[0] = 1', 'E(F p)', 'AGEF p', 'Main/1/2/state s',
            'Main/value x = 3 and not y', 'enter Main/1/state s', 'evtSpeed 25 = first q',
            'empty q & full q | length q >= 2', 'a leadsto b',
            'present x within [0,3]', 'not a = b', 'x ? y : z', 'f(x, y + 1)[2].z <= -3',
            'name: a & b', 'read and write']


tool = Again('fiacre_print')
tool.build()
files = sorted(glob.glob(os.path.join(ROOT, 'examples', '**', '*.fcr'), recursive=True)
               + glob.glob(os.path.join(CORPUS, 'fiacre', '*', '*.fcr'))
               + glob.glob(os.path.join(CORPUS, 'cdl', '*.fcr')))
if not any(name.startswith(CORPUS) for name in files):
    print(f'no corpus in {CORPUS}: only the examples are read')
texts = [write('small.fcr', SMALL)]
texts += files
done = tool.run('release', '--stable', *texts)
said = dict(reversed(line.split(' ', 1)) for line in done.stdout.splitlines()
            if re.match('(stable|unstable|errors) ', line))
for name in texts:
    check(f'{name} parses, and so does what is printed', said.get(name) == 'stable',
          done.stdout[-1000:])
small = [name for name in texts if os.path.getsize(name) < 9000]
tool.mutate('a small file', '--mutate', 6000, texts[:1])
tool.mutate('small files', '--mutate', 3000, small)
tool.mutate('all files', '--mutate', 300, texts)
tool.mutate('formulas', '--mutate-formulas', 40000, FORMULAS)
print(f'{len(texts)} files')
finish()
