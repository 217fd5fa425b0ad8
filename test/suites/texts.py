"""The model's own text form with code, arrays, priorities and time: what is printed is read back
with the same bytes, and every mistake has its message. Random models go through test/unit/text.c,
damaged ones through the suite fuzz."""
import os
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, check, crashed, finish, path, run, write

HEAD = '''cairn 1
model "m" ranged
source "m.src"
ticks 3
clock "x"
clock "y" at 1:2
classes 3
priority 0 > 1
priority 1 > 2
process "p" type "P" pc "pc"
  location 0 "here"
    invariant "x" <= 5 at 1:1
    invariant "x" - "y" < 3
  location 1 "there"
variable "pc" of "p" 0..1 = 0
variable "a[0].f" 0..1 = 0
variable "a[0].g" -5..5 = 0
variable "a[1].f" 0..1 = 0
variable "a[1].g" -5..5 = 0
variable "n" 0..7 = 3
local "i" 0..3
local "t[0]" -5..5
local "t[1]" -5..5
local "i" 0..3
'''
RULE = HEAD + 'rule "r"\n  part "p"\n'
DO = RULE + '  do\n'


def whole(name, text, wanted=()):
    """Printed, read and printed again: the same."""
    first = path('first.cairn')
    result = run('translate', write('given.cairn', text), '--to', 'cairn', '-o', first,
                 program=ASAN)
    if not check(f'{name} is read', result.returncode == 0, result.stderr):
        return
    with open(first, encoding='utf-8') as file:
        printed = file.read()
    again = run('translate', first, '--to', 'cairn', program=ASAN)
    check(f'{name} is printed twice with the same bytes', again.stdout == printed,
          printed + again.stdout + again.stderr)
    for piece in wanted:
        check(f'{name} has {piece}', piece in printed, printed)


def bad(name, text, message):
    result = run('translate', write('bad.cairn', text), '--to', 'cairn', program=ASAN)
    check(f'{name} is refused', result.returncode == 2 and not crashed(result),
          f'{result.returncode} {result.stderr}')
    check(f'{name} has its message', message in result.stderr, result.stderr)
    check(f'{name} prints nothing', result.stdout == '', result.stdout)


whole('a head', HEAD, ['ticks 3', 'priority 0 > 2', 'invariant "x" - "y" < 3'])
whole('nothing new',
      'cairn 1\nmodel "m"\nvariable "x" 0..3 = 0\nrule "r" part global when (le "x" 3) set "x" 1\n',
      ['(le "x" 3)'])
whole('ranges that decide',
      'cairn 1\nmodel "m" ranged\nvariable "x" 0..3 = 0\nrule "r" part global when (le "x" 3) when '
      '(ne "x" 0) set "x" 1\n', ['when (ne "x" 0)'])
whole('the lowest number',
      'cairn 1\nmodel "m"\nvariable "x" lowest..-3 = lowest\nrule "r" part global when (eq "x" '
      'lowest) set "x" (sub 0 -9223372036854775807 1)\n', ['lowest..-3 = lowest', 'set "x" lowest'])
whole('code', DO + '''
    copy 2 (local "t[0]") "a[0].f" at 1:1
    set (local 0) 0
    while (lt (local 0) 2) at 1:2
      set (at "a[0].g" 3 (mul 0 2 (within index 0..1 (local 0)))) (within range -5..5 (mul 0 \
(local_at "t[0]" 2 (within index 0..1 (local 3))) -2))
      set (local 0) (within range 0..3 (add 0 (local 0) 1))
    end
    if (eq "n" 1)
    else
      require (choose (gt "n" 2) (lt "n" 5) true) at 1:4
    end
    if true leave else end
    call nothing
  end
''',
      ['model "m" ranged', 'copy 2 (local "t[0]") "a[0].f" at 1:1', 'while (lt (local 0) 2) at 1:2',
       '      set (at "a[0].g" 3 (mul 0 2 (within index 0..1 (local 0))))',
       '    else\n      require (choose'])
whole('initial states and names',
      'cairn 1\nmodel "m"\nvariable "x" -1..1 = 0 named "low" "middle" "high"\nvariable "y" 0..3 = '
      'any\ninitial 1 0\ninitial -1 3\n',
      ['variable "x" -1..1 = 0 named "low" "middle" "high"', 'initial -1 3\n', 'initial 1 0\n'])
whole('functions', HEAD + '''
function 1
  if (gt "n" 3) leave end
  set "n" (within full 0..7 (add 0 "n" 1))
end
function 2
  call 1 call 1
end
rule "r" part "p" do call 2 call 1 end
rule "s" part "p" do call 2 at 3:4 end
''',
      ['function 1\n  if (gt "n" 3)\n    leave\n  end\n', 'function 2\n  call 1\n  call 1\nend',
       'call 2 at 3:4'])
whole('time', RULE + '''
  class 0 class 2
  interval (0, 7] guard "x" = 3 guard "x" - "y" > -2 at 1:1 guard 0 - 0 <= 1 reset "x" reset "y"
rule "s" part "p" stays at 1:1 part global interval [2, infinity)
''',
      ['interval (0, 7]',
       'guard "x" <= 3\n  guard "x" >= 3\n  guard "y" - "x" < 2 at 1:1\n  guard 0 - 0 <= 1',
       'part "p" stays at 1:1', 'interval [2, infinity)', 'class 0\n  class 2'])
whole('queries', HEAD + '''
query always at 2:3
  text "A[] not deadlock"
  formula (not (deadlock))
query sometime formula (iff (clock "x" = 3) (or (clock "x" - "y" < -2) (eq "n" 2)))
query keeps formula (implies (clock "y" > 2) (eq "pc" 1))
query meets formula (clock 0 - "x" < -1)
query leads formula (eq "pc" 0) then (and (eq "pc" 1) (deadlock))
query sup formula true term "x" clock "x" term "n + 1" value (add 0 "n" 1)
query inf formula (clock "x" >= 2) term "y" clock "y"
query bounds formula (eq "pc" 1) term "n" value "n"
''', ('query always at 2:3', '  text "A[] not deadlock"', '(clock "x" - "y" < -2)',
     '  then (and (eq "pc" 1) (deadlock))', '  term "n + 1" value (add 0 "n" 1)',
     '  term "x" clock "x"', 'query leads', '(clock "x" > 1)'))
WHOLE = HEAD.replace('clock "y" at 1:2', 'clock "y" init 2 at 1:2').replace(
    'location 1 "there"', 'location 1 "there" urgent at 1:3')
whole('all of timed automata', WHOLE + '''
variable "x.set" hidden sets "x" -1..9 = -1
stays "p" 0 invariant "y" <= (add 0 "n" 1) at 2:2 invariant "x" <= 4 if (gt "n" 3)
rule "r" urgent port "c" part "p" guard "x" >= "n" guard "x" - "y" < 3 if (eq "n" 1) at 3:3
  guard "x" = (add 0 1 1) reset "x" 0 reset "y" 7
rule "s" internal urgent part "p" set "x.set" "n"
''',
      ['clock "y" init 2 at 1:2', 'location 1 "there" urgent at 1:3',
       'variable "x.set" hidden sets "x" -1..9 = -1',
       'stays "p" 0\n  invariant "x" <= 5 at 1:1\n  invariant "x" - "y" < 3\n'
       '  invariant "y" <= (add 0 "n" 1) at 2:2\n  invariant "x" <= 4 if (gt "n" 3)\n',
       'rule "r" urgent port "c"', 'guard 0 - "x" <= (sub 0 0 "n")',
       'guard "x" - "y" < 3 if (eq "n" 1) at 3:3', 'guard "x" <= 2\n', 'reset "x"\n',
       'reset "y" 7\n', 'rule "s" internal urgent\n'])
whole('bounds without ranges',
      'cairn 1\nmodel "m"\nclock "x"\nvariable "n" 0..7 = 3\nrule "r" part global guard "x" <= "n" '
      'if (lt "n" 5)\n', ['guard "x" <= "n" if (lt "n" 5)'])
whole('dead steps',
      RULE + 'dead "never" dead "idle" internal port "q" of "p" dead "x" of "p" of "p"\n',
      ['dead "never"\n', 'dead "idle" internal port "q" of "p"\n', 'dead "x" of "p" of "p"\n'])
whole('fields',
      RULE
      + '  when (lt (at "a[0].f" 3 (mul 0 2 (within index 0..1 "n"))) 2)\n  when (eq (at "a[0].f" '
      '4 (within index 0..3 "n")) 2)\n  when (lt (at "a[0].f" 4 -6..6 (cut 1 "n")) 3)\n',
      ['when (eq (at "a[0].f" 4 (within index 0..3 "n")) 2)', '(at "a[0].f" 4 -6..6 (cut 1 "n"))'])

for name, text, message in (
    ('an unknown reason', RULE + 'when (eq (within rang 0..1 "n") 1)', 'a reason: division'),
    ('no reason', RULE + 'when (eq (within 0..1 "n") 1)', 'a reason'),
    ('an empty range', RULE + 'when (eq (within range 1..0 "n") 1)', 'is empty'),
    ('within a condition', RULE + 'when (eq (within range 0..1 true) 1)', 'a number is needed'),
    ('a choice of two kinds', RULE + 'when (choose true 1 false)', 'a number is needed'),
    ('a choice by a number', RULE + 'when (choose "n" true false)', 'a condition is needed'),
    ('temporal operators in a choice',
     HEAD + 'property "q" ltl formula (choose (eq "n" 1) (globally true) true)', "below 'choose'"),
    ('an offset outside', RULE + 'when (eq (at "a[0].f" 3 "n") 1)',
     'may be 0 to 7, but there are 3 cells'),
    ('a constant offset outside', RULE + 'when (eq (at "a[0].f" 3 3) 1)', 'there are 3 cells'),
    ('a negative offset', RULE + 'when (eq (at "a[0].f" 3 -1) 1)', 'there are 3 cells'),
    ('no cells', RULE + 'when (eq (at "a[0].f" 0 0) 1)', 'at least one cell'),
    ('too many cells', RULE + 'when (eq (at "a[0].f" 6 0) 1)', 'only 5 cells'),
    ('bounds that lie', RULE + 'when (eq (at "a[0].g" 3 0..1 (cut 1 "n")) 1)',
     'have values from -5 to 5'),
    ('a condition as an offset', RULE + 'when (eq (at "a[0].f" 3 true) 1)', 'a number is needed'),
    ('a local outside code', RULE + 'when (eq (local 0) 1)', 'in code blocks only'),
    ('a local in a property', HEAD + 'property "q" invariant formula (eq (local 0) 1)',
     'in code blocks only'),
    ('an array of locals outside code', RULE + 'set "n" (local_at "t[0]" 2 0)',
     'in code blocks only'),
    ('an ambiguous local', DO + 'set (local "i") 1 end', 'several locals "i"'),
    ('an unknown local', DO + 'set (local "t[2]") 1 end', 'did you mean'),
    ('a local that is not there', DO + 'set (local 4) 1 end', 'no local number 4'),
    ('a value outside', DO + 'set "n" (add 0 "n" 1) end', 'may leave the range of "n"'),
    ('a value outside one of the fields', DO + 'set (at "a[0].f" 4 (within index 0..3 "n")) 2 end',
     'may leave the range of "a[0].f"'),
    ('a condition as a value', DO + 'set "n" true end', 'a number is needed'),
    ('a number as a condition', DO + 'require "n" end', 'a condition is needed'),
    ('a copy too far', DO + 'copy 3 (local "t[0]") "a[0].g" end', 'may leave the range'),
    ('a copy beyond the end', DO + 'copy 2 "n" (local "t[0]") end', 'more than there are'),
    ('a copy of nothing', DO + 'copy 0 "n" "n" end', 'at least one cell'),
    ('a copy that does not fit', DO + 'copy 2 "a[0].f" (local "t[0]") end',
     'may leave the range of their target'),
    ('a huge copy', DO + 'copy 4294967295 "n" "n" end', 'more than there are'),
    ('a missing end', DO + 'if true leave end', "a statement or 'end'"),
    ('a missing end before an item', DO + 'set "n" 1\nrule "s" part "p"\n', "a statement or 'end'"),
    ('an end too many', DO + 'end end', 'expected source'),
    ('else without if', DO + 'else end', "a statement or 'end'"),
    ('two blocks', DO + 'leave end do leave end', 'a second one'),
    ('a call of the future', DO + 'call 1 end', 'no function 1 yet'),
    ('a call of itself', HEAD + 'function 1 call 1 end', 'no function 1 yet'),
    ('a call of nobody', DO + 'call end', 'the number of a function'),
    ('a function out of order', HEAD + 'function 2 end', 'counted from 1'),
    ('a statement that is none', DO + 'assign "n" 1 end', "a statement or 'end'"),
    ('an unknown class', RULE + 'class 3', 'no class 3'),
    ('classes that descend', RULE + 'class 1 class 0', 'ascend'),
    ('a class twice', RULE + 'class 1 class 1', 'ascend'),
    ('priorities in a circle', HEAD + 'priority 2 > 0', 'in a circle'),
    ('a class above itself', HEAD + 'priority 1 > 1', 'in a circle'),
    ('a priority of nobody', HEAD + 'priority 1 > 3', 'no class 3'),
    ('classes twice', HEAD + 'classes 2', 'given twice'),
    ('too many classes', 'cairn 1\nmodel "m"\nclasses 4097', 'at most 4096'),
    ('an empty interval', RULE + 'interval [3, 2]', 'is empty'),
    ('an open point', RULE + 'interval [3, 3)', 'is empty'),
    ('a negative interval', RULE + 'interval [-1, 2]', 'begins with 0'),
    ('infinity included', RULE + 'interval [1, infinity]', "expected ')'"),
    ('two intervals', RULE + 'interval [0, 1] interval [0, 1]', 'a second one'),
    ('half an interval', RULE + 'interval [0', "','"),
    ('no ticks', 'cairn 1\nmodel "m"\nticks 0', 'at least one tick'),
    ('a clock twice', HEAD + 'clock "x"', 'declared twice'),
    ('an unknown clock', RULE + 'reset "z"', 'unknown clock'),
    ('a clock below 0', HEAD.replace('clock "x"', 'clock "x" init -1'), 'no clock is below 0'),
    ('a clock that is set below 0', RULE + 'reset "x" -1', 'no clock is below 0'),
    ('a bound that may fail', RULE + 'guard "x" <= (div 0 5 "n")', 'this may fail'),
    ('a bound that is none', RULE + 'guard "x" <= (eq "n" 1)', 'a number is needed'),
    ('a condition that may fail', RULE + 'guard "x" <= 3 if (eq (mod 0 5 "n") 1)', 'this may fail'),
    ('a condition that is none', RULE + 'guard "x" <= 3 if "n"', 'a condition is needed'),
    ('an urgent rule with an interval', HEAD + 'rule "r" urgent part "p" interval [1, 2]',
     'the rule is urgent'),
    ('a location that is not there', HEAD + 'stays "p" 7 invariant "x" <= 5', 'has no location 7'),
    ('a process that is not there', HEAD + 'stays "q" 0 invariant "x" <= 5', 'unknown process'),
    ('a setter that is not hidden', HEAD + 'variable "s" sets "x" 0..3 = 0',
     'only a hidden variable'),
    ('two setters', HEAD + 'variable "s" hidden sets "x" 0..3 = 0\n'
     'variable "t" hidden sets "x" 0..3 = 0', 'sets this clock already'),
    ('a setter that is read', HEAD + 'variable "s" hidden sets "x" 0..3 = 0\n'
     'rule "r" part "p" when (eq "s" 1)', 'reads what sets the clock'),
    ('a guard on a variable', RULE + 'guard "n" <= 3', 'unknown clock'),
    ('a guard on a number', RULE + 'guard 1 <= 3', 'a clock in quotes, or 0'),
    ('a guard without a number', RULE + 'guard "x" <= if', 'a number'),
    ('a guard with a clock for a number', RULE + 'guard "x" <= "y"', 'unknown variable'),
    ('a guard without a comparison', RULE + 'guard "x" 3', '<, <=, =, >= or >'),
    ('a bound too low', RULE + 'guard "x" >= lowest', 'too low'),
    ('an invariant without a clock', HEAD.replace('invariant "x" <=', 'invariant <='),
     'a clock in quotes'),
    ('cut exactly', RULE + 'set "n" (cut 0 "n")', "'cut' has 1 to 63 bits"),
    ('an exact sum in a modulus', RULE + 'set "n" (add 3 (sub 0 "n" 1) 1)', 'may be -1 to 6'),
    ('too few names', HEAD + 'variable "z" 0..2 = 0 named "a" "b"', 'a name for each value'),
    ('too many names', HEAD + 'variable "z" 0..0 = 0 named "a" "b"', 'a name for each value'),
    ('no names', HEAD + 'variable "z" 0..0 = 0 named', 'a name for each value'),
    ('half an initial state', HEAD + 'initial 0 0 0', 'a value for each variable'),
    ('an initial value outside its range', HEAD + 'initial 0 0 6 0 0 0', 'is outside -5..5'),
    ('initial states of nothing', 'cairn 1\nmodel "m"\ninitial\n', 'no variables yet'),
    ('an initial state twice',
     HEAD + 'initial 0 0 0 0 0 0\ninitial 0 0 1 0 0 0\ninitial 0 0 0 0 0 0\n', 'listed twice'),
    ('a variable after initial states', HEAD + 'initial 0 0 0 0 0 0\nvariable "z" 0..0 = 0',
     'declared before initial states'),
    ('a fail with operands', RULE + 'set "n" (fail index 3)', "')'"),
    ('deep code', DO + 'if true ' * 2000 + 'end ' * 2001, 'nested too deeply'),
    ('deep code without ends', DO + 'while true ' * 100000, 'nested too deeply'),
    ('a query of no kind', HEAD + 'query never formula true', "'always', 'sometime'"),
    ('a query without a formula', HEAD + 'query always', "'formula'"),
    ('a query of a number', HEAD + 'query always formula 3', 'a condition is needed'),
    ('a temporal query', HEAD + 'query always formula (all (globally true))', 'not allowed here'),
    ('half a query', HEAD + 'query leads formula true', "'then'"),
    ('nothing to measure', HEAD + 'query sup formula true', "'term'"),
    ('a condition to measure', HEAD + 'query sup formula true term "c" value true', 'a number'),
    ('no clock to measure', HEAD + 'query sup formula true term "z" clock "z"', 'unknown clock'),
    ('a clock in a property', HEAD + 'property "q" ctl formula (clock "x" < 3)', 'in queries only'),
    ('a clock in a rule', RULE + 'when (deadlock)', 'in queries only'),
    ('a constraint of nothing', HEAD + 'query always formula (clock "x")', '<, <=, =, >= or >'),
    ('two of a name', HEAD + 'property "query[0]" invariant formula true\n'
     'query always formula true', 'another property'),
    ('a dead step without a label', HEAD + 'dead 3', 'the label of a step in quotes'),
    ('a dead step of nobody', HEAD + 'dead "d" of "q"', 'unknown process'),
    ('a dead step without its port', HEAD + 'dead "d" port 3', 'the name of a port in quotes'),
    ('a dead step of a number', HEAD + 'dead "d" of 3', 'process'),
    ('deep calls',
     HEAD + 'function 1 end\n' + ''.join(f'function {i} call {i - 1} end\n' for i in range(2, 1200))
     + 'rule "r" part "p" do call 1199 end', 'nested too deeply'),
    ('deep expressions',
     DO + 'set "n" ' + '(within range 0..7 (sub 0 0 ' * 3000 + '1' + '))' * 3000 + ' end',
     'nested too deeply'),
):
    bad(name, text, message)
many = run('translate',
           write('many.cairn',
                 DO + 'set "n" 9 set "nn" 1 set "n" true call 7 end\nrule "s" part "q" do require '
                 '1 end'), '--to', 'cairn', program=ASAN).stderr
check('several mistakes in one run', many.count(': error: ') == 6, many)
finish()
