"""TChecker's text form: a bad text for every message, with its position; what statements do; names
in formulas and in traces; weak synchronisation, several initial locations, arrays of clocks. Zone
graphs of .tck files against a plain implementation are in the suite zones.

In a text the mark § stands before the place that the message points to, and is taken out. At the
end every message of src/lang/tck must have been seen."""
import glob
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, check, finish, run, run_json, write

HEAD = ('system:s\nevent:a\nevent:b\nclock:1:x\nclock:2:y\nint:1:0:3:0:i\nint:2:0:3:1:w\n'
        'process:P\n')
seen = []


def bad(text, message, *options):
    before = text[:text.index('§')] if '§' in text else None
    file = write('bad.tck', text.replace('§', ''))
    done = run('check', file, *options)
    seen.append(done.stderr)
    place = ('' if before is None
             else f'{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}: ')
    check(message, done.returncode == 2 and f'{place}error: {message}' in done.stderr,
          f'{done.returncode}\n{place}{message}\n--- {done.stderr}\n--- {text}')


def edge(more, location='initial:'):
    return f'{HEAD}location:P:l{{{location}}}\nedge:P:l:l:a{{{more}}}\n'


def states(text, *options):
    status, result = run_json('explore', write('good.tck', text), *options)
    return (result['states'], result['transitions']) if result else status


# ---- messages ----

bad('§process:P\n', "'system:', which comes first, is needed here, not 'process'")
bad('system:s\n§wheel:x\n', 'system, process, event, clock, int, location, edge or sync is needed')
bad('system:s\nprocess §P\n', "':' is needed here")
bad('system:s\nsystem:§t\n', 'a file has one system: this is a second one')
bad('system:s\nprocess:P\nprocess:§P\n', "the process 'P' is declared twice")
bad('system:s\nprocess:§P\n', "the process 'P' has no initial location")
bad('system:s\nclock:§0:x\n', 'the number of clocks lies between 1 and')
bad('system:s\nclock:1:x\nint:1:0:1:0:§x\n', "'x' is a clock already")
bad('system:s\nint:1:0:1:0:x\nclock:1:§x\n', "'x' is a variable already")
bad('system:s\nint:1:0:1:§2:x\n', 'the initial value lies between 0 and 1')
bad('system:s\nlocation:§Q:l\n', "there is no process 'Q' so far")
bad(HEAD + 'location:P:l{initial:}\nedge:P:l:§m:a\n', "there is no location of this process 'm'")
bad(HEAD + 'location:P:l{initial:}\nsync:§P@a\n', 'a synchronisation needs two processes or more')
bad(HEAD + 'location:P:l{initial:}\nsync:P@a:§P@b\n', 'a process takes part in a synchronisation')
bad(HEAD + 'location:P:l{initial:} §more\n', "the end of the declaration is needed here")
bad(edge('provided: §k>1'), "there is no variable 'k'")
bad(edge('do: i=§x'), 'a number is needed here, not a clock')
bad(edge('provided: i==§'), "a number, a name or '(' is needed here")
bad(edge('provided: x§<x'), 'a clock, or a difference of two, is compared with a number')
bad(edge('provided: x§!=1'), 'a clock is not compared with !=')
bad(edge('provided: !(x>1 §&& i==0)'), 'conditions on clocks are joined by && alone')
bad(edge('provided: §w==1'), 'this is an array: it needs an index')
bad(edge('provided: §i[0]==1'), 'this is no array')
bad(edge('provided: w[§2]==1'), 'this index lies outside 0 .. 1')
bad(edge('provided: §y<1'), 'this is an array of clocks: it needs an index')
bad(edge('provided: y[§2]<1'), 'this index lies outside 0 .. 1')
bad(edge('provided: x§<1/i'), 'a clock is compared with a number whose evaluation may fail')
bad(edge('provided: x§<2000000000'), 'clocks are compared with numbers up to 2^30')
bad(edge('do: x=x§+1'), 'a clock that becomes what another clock is, is not supported')
bad(edge('do: x=§-1'), 'a clock is set to a number from 0 to 2^30')
bad(edge('do: local §i'), "'i' is declared twice")
bad(edge('do: local t[§i]'), 'the size of an array is a constant from 1 on')
bad(edge('do: i=1 §i=2'), "';' is needed here")
bad(edge('do: §3=i'), 'a variable or a clock is needed here')
bad(edge('do: if i==1 §i=2 end'), "'then' is needed here")
bad(edge('provided: ' + '(' * 2000 + 'i' + ')' * 2000), 'something that is not nested so deeply')
bad(edge('', location='initial: : invariant: i==1'), 'no initial state')
bad(edge(''), '-D n: the model has no constants', '-D', 'n=1')
bad(edge(''), 'temporal operators belong to LTL or CTL', '--invariant', 'F i==1')
bad(edge(''), 'LTL has no path quantifiers', '--ltl', 'AG i==1')
bad(edge(''), 'this operator needs a path quantifier in CTL', '--ctl', 'G i==1')
bad(edge(''), 'a path quantifier is followed by a path formula', '--ctl', 'A(i==1)')
bad(edge(''), 'a temporal formula is no number', '--ltl', '(F i==1)+1')
bad(edge(''), "there is no variable, label or PROCESS.LOCATION 'P.m'", '--find', 'P.m')
bad(edge(''), 'the end of the formula is needed here', '--find', 'i==1 2')
big = ''.join(f'clock:100:z{k}\n' for k in range(2))
bad(edge('provided: z0[i]-z1[j]§<1').replace('process', big + 'int:1:0:90:0:j\nprocess', 1),
    'too many clocks may be meant here')
many = ''.join(f'process:Q{k}\nlocation:Q{k}:l{{initial:}}\nlocation:Q{k}:m{{initial:}}\n'
               for k in range(17))
bad('system:s\n' + many, 'more than 65536 initial states')
wide = ''.join(f'process:Q{k}\nlocation:Q{k}:l{{initial:}}\n' + f'edge:Q{k}:l:l:a\n' * 40
               for k in range(4))
bad('system:s\nevent:a\n' + wide + 'sync:' + ':'.join(f'Q{k}@a' for k in range(4)) + '\n',
    'more than 1048576 combinations of edges that synchronise')
odd = edge('colour: red').replace('l{initial:', 'l{tint: 3 : initial:')
done = run('check', write('odd.tck', odd))
check('unknown attributes are warned of and ignored',
      done.returncode == 0 and done.stderr.count('is not known, and ignored') == 2, done.stderr)
seen.append(done.stderr)
deep = 'i' + '+i' * 1100
seen.append(run('check', write('deep.tck', edge(f'provided: {deep}'))).stderr)

# ---- what statements do ----

LOOP = edge('do: local s=0;local t[2];t[1]=2;while s<t[1] do s=s+1;i=i+1 end;'
            'if i==2 then w[0]=3 else w[0]=(if i>2 then 1 else 2) end;nop')
check('loops, branches, locals: i becomes 2, and 4 is outside its range', states(LOOP) == (2, 1),
      states(LOOP))
check('a value outside its range makes a step impossible', states(edge('do: i=i+1')) == (4, 3))
done = run('check', write('divide.tck', edge('do: i=1/i')), '--no-deadlock')
check('division by zero is an error at run time', done.returncode == 1 and 'runtime-error'
      in done.stdout, done.stdout)
TWO = HEAD.replace('process:P\n', '') + ''.join(
    f'process:{p}\nlocation:{p}:l{{initial:}}\nlocation:{p}:m{{initial: : labels: far,{p}m}}\n'
    for p in 'PQ')
check('several initial locations', states(TWO)[0] == 4, states(TWO))
check('labels', run('check', write('two.tck', TWO), '--find', 'Pm && Qm && P.m && far').returncode
      == 0 and run('check', write('two.tck', TWO), '--find', 'Pm && P.l').returncode == 1)
WEAK = ('system:s\nevent:a\n' + ''.join(
    f'process:{p}\nlocation:{p}:l{{initial:}}\nlocation:{p}:m\nedge:{p}:l:m:a\n' for p in 'PQ')
    + 'sync:P@a?:Q@a?\n')
check('weak parties go together where they can', states(WEAK) == (2, 1), states(WEAK))

missing = []
for name in glob.glob(os.path.join(ROOT, 'src', 'lang', 'tck', '*.c')):
    with open(name, encoding='utf-8') as file:
        text = re.sub(r'"\s*\n\s*"', '', file.read())
    for message in re.findall(r'(?:diag_\w+|complain|tck_unexpected)\([^;]*?"((?:[^"\\]|\\.)*)"',
                              text, re.S):
        first = re.split(r'%[^ ]*', message)[0].strip()
        if first and not any(first in text for text in seen):
            missing.append(message)
check('every message was seen', not missing, missing)
finish()
