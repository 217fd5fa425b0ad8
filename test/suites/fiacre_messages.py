"""Fiacre: what users are told. One small bad model per diagnostic of the front end: the message,
its position, exit status 2; run-time errors with their reason, exit status 1 and a trace that
replays; limits; odd files.

In a model the mark § stands before the place that the message points to, and is taken out. At the
end every message of src/lang/fiacre must have been seen, except those in UNSEEN."""
import glob
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, ROOT, check, finish, path, run, write
from kit.messages import literals_of, pattern_of, place_of

seen = []


def process(body, head='', var='', before=''):
    """A model of one process whose first transition has this body."""
    return (f'{before}\nprocess P{head} is\n  states s, t\n  {"var " + var if var else ""}\n  from '
            f's {body}\nP\n')


def function(text, call='f(1)'):
    return f'{text}\nprocess P is\n  states s\n  var x : nat\n  from s x := {call}; to s\nP\n'


def component(text, before='process Q is\n  states s\n  from s to s\n'):
    return f'{before}component C is\n  {text}\nC\n'


def prop(text, more=''):
    """A property of a small system: two processes P, one Q, a variable v of the main component, an
    array a."""
    return ('process P is\n  states idle, busy\n  var x : 0..3\n  from idle to busy\n  from busy '
            'to idle\n'
            'process Q is\n  states one\n  from one loop\n'
            f'component Main is\n  var v : nat, a : array 2 of nat, q : queue 2 of array 2 of '
            f'nat\n  par P || P || Q end\n{text}\n{more}\nMain\n')


def bad(model, message, *options, notes=(), name=None):
    """The model is refused with this message at the mark; every message that is given is
    remembered."""
    name = name or message
    marked = '§' in model
    file = write('bad.fcr', model.replace('§', '', 1) if marked else model)
    done = run('check', file, *options)
    seen.append(done.stderr)
    place = 'bad.fcr:%d:%d: ' % place_of(model) if marked else ''
    wanted = f'{place}error: {message}'
    good = (done.returncode == 2 and wanted in done.stderr and done.stdout == ''
            and all(note in done.stderr for note in notes))
    return check(name, good,
                 f'{done.returncode}\n{wanted}\n--- found:\n{done.stdout}{done.stderr}\n--- '
                 f'in:\n{model[:1000]}')


def text():
    bad(process('/*@' + 'x' * 256 + '*/ to s').replace('/*@', '§/*@', 1),
        'the label in this comment is too long or no text')
    bad(process('§/* never ends to s'), 'this comment does not end')
    bad(process(f'§{"y" * 256} := 1; to s'),
        'this name has 256 characters: at most 255 are allowed')
    bad(process('x := §99999999999999999999; to s', var='x : nat'),
        'this number does not fit in 63 bits')
    bad(process('x := 12§ab; to s', var='x : nat'), 'a letter directly after a number')
    bad(f'{process("to s")}assert a true §"never ends\n', 'this string does not end on its line')
    bad('§#ifdef DEBUG\nP\n', 'this condition has no #endif')
    bad(process('x §~ 1; to s'), "unexpected character '~'")
    bad(process('x := §é; to s'), 'unexpected character\n')
    bad('process P is\n  states s\0 from s to s\nP\n'.replace('\0', '§\0'),
        'unexpected byte 0x00: is this a text file?')
    bad('', 'the file is empty: a model needs at least a process')
    bad('// nothing\n/* at all */\n', 'the file is empty: a model needs at least a process')


def declarations():
    bad('type §is nat\nP\n', "expected a name after 'type', found the keyword 'is'")
    bad('type T §nat\nP\n', "expected 'is' after the name of the type, found 'nat'")
    bad('channel c §nat\nP\n', "expected 'is' after the name of the channel, found 'nat'")
    bad('const n §nat is 1\nP\n', "expected ':' after the name of the constant, found 'nat'")
    bad('const n : nat §:= 1\nP\n', "expected 'is' after the type of the constant, found ':='")
    bad('§proces P is states s from s to s\nP\n',
        "expected a declaration or the name of the main component, found 'proces': did you mean "
        "'process'?")
    bad('§nonsense P is states s from s to s\nP\n',
        "expected a declaration or the name of the main component, found 'nonsense'\n")
    bad('§) ' + process('to s'),
        "expected a declaration (type, channel, const, function, extern, process, component, "
        "property or assert), found ')'")
    bad('process P is\n  states s from s to §s\n// and then?\n',
        'the file ends without the name of its main component')
    bad('process Proc is states s from s to s\n§Prok\n',
        "there is no process or component 'Prok': did you mean 'Proc'?")
    bad('process Proc is states s from s to s\n§Main\n',
        "there is no process or component 'Main'\n")
    bad(process('to s', head=' (x : nat)').replace('\nP\n', '\n§P\n'),
        "the main component 'P' has parameters: nothing gives them a value")
    bad('type T is nat\ntype §T is bool\n' + process('to s'), "'T' is declared twice")
    bad('const n : nat is 1\nconst §n : nat is 2\n' + process('to s'), "'n' is declared twice")
    bad('process P is states s from s to s\nprocess §P is states s from s to s\nP\n',
        "'P' is declared twice")
    bad('channel c is nat\nchannel §c is nat\n' + process('to s'), "'c' is declared twice")
    bad('function f () : nat is return 1\nfunction §f () : nat is return 1\n' + process('to s'),
        "'f' is declared twice")
    bad('const n : nat is §m\n' + process('to s'), "there is no 'm' here")
    bad('const n : 0..3 is §4\n' + process('to s'), "the constant 'n' is 4, outside 0..3")
    bad('const n : 0..3 is §1\n' + process('to s'), "the constant 'n' is 9, outside 0..3", '-D',
        'n=9')
    bad('const n : bool is §1\n' + process('to s'),
        "the value of 'n' must be a constant of its type")
    bad('const n : nat is §1 / 0\n' + process('to s'),
        "the value of 'n' must be a constant of its type")
    bad(process('to s'), '-D m: the model has no such constant\n', '-D', 'm=9')
    bad(process('to s', before='const flag : bool is true'),
        "-D falg: the model has no such constant: did you mean 'flag'?", '-D', 'falg=0')
    bad(process('to s', before='const §a : array 2 of nat is [1, 2]'),
        '-D a: only constants that are numbers, bools or constructors without a value can be set',
        '-D', 'a=1')
    refused = run('check', write('bad.fcr', process('to s', before='const n : 0..3 is 1')), '-D',
                  'n=9')
    check('a constant out of its range is told once', refused.stderr.count('error: ') == 1,
          refused.stderr)
    bad('extern f §: nat is "f"\n' + process('to s'), "expected '(' after the name, found ':'")
    bad('extern f (nat §: nat is "f"\n' + process('to s'),
        "expected ',' or ')' in the types of the arguments, found ':'")
    bad('extern f (nat) §nat is "f"\n' + process('to s'),
        "expected ':' after the types of the arguments, found 'nat'")
    bad('extern f (nat) : nat §"f"\n' + process('to s'),
        "expected 'is' after the type of the result, found 'f'")
    bad('extern f (nat) : nat is "f"\n' + process('x := §f(1); to s', var='x : nat'),
        "'f' is an external function, which is not supported")
    bad(process('to s').replace('\nP\n', '\n§Obs > P\nP\n'),
        'observers (`Obs > P`) are not supported')
    bad('process Deep is states s from s to s\n' * 3 + 'Deep\n', "'Deep' is declared twice",
        name='three of a name')


def types():
    bad('type T is §..3\n' + process('to s'), "expected a type, found '..'")
    bad('type T is 3 §is\n' + process('to s'), "expected '..' and the end of the range, found 'is'")
    bad('type T is array 3 §nat\n' + process('to s'),
        "expected 'of' after the size of the array, found 'nat'")
    bad('type T is queue 3 §nat\n' + process('to s'),
        "expected 'of' after the size of the queue, found 'nat'")
    bad('type T is record x §nat end\n' + process('to s'),
        "expected ':' after the field's name, found 'nat'")
    bad('type T is record x : nat; end\n'.replace(';', '§;') + process('to s'),
        "expected ',' or 'end' in the 'record', found ';'")
    bad('type T is union a, b §nat end\n' + process('to s'),
        "expected '|', 'of' or 'end' in the 'union', found 'nat'")
    bad('type T is §Tt\n' + process('to s'), "there is no type 'Tt'")
    bad('type Time is nat\ntype T is §Tima\n' + process('to s'),
        "there is no type 'Tima': did you mean 'Time'?")
    bad('type §T is T\n' + process('to s'), "the type 'T' contains itself")
    bad('type §T is array 2 of U\ntype U is record f : T end\n' + process('to s'),
        "the type 'T' contains itself")
    bad('type §List is union nil | cons of record head : nat, tail : List end end\n'
        + process('to s'), "the type 'List' contains itself")
    bad('type T is §3..1\n' + process('to s'), 'the interval 3..1 is empty')
    bad('type T is §0..4294967295\n' + process('to s'), 'the interval 0..4294967295 leaves 32 bits')
    bad('type T is array §0 of nat\n' + process('to s'),
        'array of 0 elements: the size must be at least 1')
    bad('type T is queue §0 of nat\n' + process('to s'),
        'queue of 0 elements: the size must be at least 1')
    bad('type T is queue §-1 of nat\n' + process('to s'),
        'queue of -1 elements: the size must be at least 1')
    bad('type T is array §99999999999 of nat\n' + process('to s'),
        'this array is too large: it has more than 16777216 cells')
    bad('type T is array 4096 of nat\ntype U is queue §4096 of T\n' + process('to s'),
        'this queue is too large: it has more than 16777216 cells')
    bad('type T is array 10000000 of nat\ntype U is §record a, b : T end\n' + process('to s'),
        'this type is too large: it has more than 16777216 cells')
    bad(process('to s', var='§a : array 10000000 of nat',
                before='process Q is states s from s to s').replace('var §a',
        'var b : array 10000000 of nat, §a'),
        'the system is too large: more than 16777216 cells')
    bad('type T is record x : nat, §x : bool end\n' + process('to s'),
        "'x' is declared twice in this type")
    bad('type T is union a | §a of nat end\n' + process('to s'),
        "'a' is declared twice in this type")
    bad('type T is array §n of nat\n' + process('to s'), "there is no 'n' here")
    bad('type T is array (§1 / 0) of nat\n' + process('to s'),
        'the size of a type that cannot be computed')
    bad('type T is 0..(§1 % 0)\n' + process('to s'), 'the bound of a type that cannot be computed')
    bad('type T0 is nat\n'
        + ''.join(f'type T{i + 1} is array 1 of T{i}\n'
                  for i in range(600)).replace('T501 is array', 'T501 is §array') + process('to s'),
        'types are nested too deeply')
    bad(process('x := §y; to s', var='x : nat, yy : nat'),
        "there is no 'y' here: did you mean 'yy'?")


def processes():
    bad('process P §states s from s to s\nP\n', "expected 'is' after the heading, found 'states'")
    bad('process P is §from s to s\nP\n', "expected 'states', found 'from'")
    bad('process P is states s §to s\nP\n', "expected 'var', 'init' or 'from', found 'to'")
    bad('process P is states s, §s from s to s\nP\n', "the state 's' is declared twice")
    bad('process P is states s init to s §init to s from s to s\nP\n', "a second 'init'")
    bad('process P is states s var §nat from s to s\nP\n',
        "expected a name after 'var', found the keyword 'nat'")
    bad('process P is states s var x §nat from s to s\nP\n',
        "expected ':' after the name, found 'nat'")
    bad('process P is states s var x, y §nat from s to s\nP\n',
        "expected ':' after the names, found 'nat'")
    bad('process P is states s var x : nat §= 1 from s to s\nP\n',
        "an initial value is given with ':='")
    bad('process P is states s var x : nat, §x : bool from s to s\nP\n', "'x' is declared twice")
    bad('process P (&x : nat§] is states s from s to s\nP\n',
        "expected ',' or ')' in the parameters, found ']'")
    bad('process P [p §none] is states s from s to s\nP\n',
        "expected ':' after the name of the port, found 'none'")
    bad('process P [p : none§) is states s from s to s\nP\n',
        "expected ',' or ']' in the ports, found ')'")
    bad(process('§to u'), "the process has no state 'u'")
    bad('process P is states start from start §to strat\nP\n',
        "the process has no state 'strat': did you mean 'start'?")
    bad('process P is states s from §q to s\nP\n', "the process has no state 'q'")
    bad('process P is states s init §loop from s to s\nP\n', 'init cannot end in `loop`')
    bad('process P [p : none] is states s init §p; to s from s to s\nP\n',
        'no communication and no waiting in init')
    bad('process P is states s init §wait [0,1]; to s from s to s\nP\n',
        'no communication and no waiting in init')
    bad('process P is states s §init null from s to s\nP\n',
        'a path here ends without `to` or `loop`')
    bad('process P is states s var x : nat §init on x = 1; to s from s to s\nP\n',
        'no way through init is possible')
    bad('process P is states s var x : 0..399 §init x := any; to s from s to s\ncomponent C is par '
        'P || P end\nC\n', 'more than 100000 initial states')
    bad('process P is states s var x, y : 0..999 init x := any; y := any; §to s from s to s\nP\n',
        "the process 'P' has more than 200000 computation paths")
    bad('process P is states s var x : nat := §1 - 2 from s to s\nP\n',
        'initialisation leaves the range of a type')
    bad('process P is states s var x : nat init §x := 1 / x; to s from s to s\nP\n',
        'initialisation divides by zero')
    bad('process P is states s var a : array 2 of nat, x : nat := 2 init §a[x] := 1; to s from s '
        'to s\nP\n', 'initialisation uses an index out of bounds')
    bad('process P is states s var q : queue 1 of nat := {|1|} init q := §enqueue(q, 1); to s from '
        's to s\nP\n', 'initialisation writes a full queue')
    bad('process P is states s var q : queue 1 of nat init q := §dequeue q; to s from s to s\nP\n',
        'initialisation reads an empty queue')
    bad('process P is states s var x : nat init §while true do x := 1 end; to s from s to s\nP\n',
        'initialisation has a loop that does not end')


def statements():
    bad(process('x := 1 §to s', var='x : nat'), "expected ';' or an operator, found 'to'")
    bad(process('§)'), "expected a statement, found ')'")
    bad(process('to s;').replace('\nP\n', '\n§P\n'),
        "expected a statement, found what seems to be the main component: a ';' too many before "
        "it?")
    bad(process('to s §else to t'), "expected ';' or the next transition, found 'else'")
    bad(process('x §= 1; to s', var='x : nat'), "an assignment is written with ':='")
    bad(process('x, y §:= 1; to s', var='x, y : nat'),
        "2 on the left of ':=', 1 on the right: an assignment has as many values as variables")
    bad(process('1§; to s'), "expected ':=' after this pattern, found ';'")
    bad(process('x, y§; to s', var='x, y : nat'), "expected ':=' after these patterns, found ';'")
    bad(process('if true §to s end'), "expected 'then' after the condition, found 'to'")
    bad(process('if true then to s').replace('\nP', '\n§P'),
        "expected ';', 'elsif', 'else' or 'end' in the 'if', found 'P'")
    bad(process('select to s [] to t').replace('\nP', '\n§P'),
        "expected ';', '[]', 'unless' or 'end' in the 'select', found 'P'")
    bad(process('case 1 §1 -> to s end'), "expected 'of' after the value of the case, found '1'")
    bad(process('case 1 of 1 §to s end'), "expected '->' after the pattern, found 'to'")
    bad(process('case 1 of -§a -> to s end'), "expected a number after the sign, found 'a'")
    bad(process('case 1 of §; -> to s end'), "expected a pattern, found ';'")
    bad(process('case 1 of (1 §-> to s end'), "expected ')' in the pattern, found '->'")
    bad(process('while true §x := 1 end; to s', var='x : nat'),
        "expected 'do' after the condition, found 'x'")
    bad(process('foreach x §x := 1 end; to s', var='x : nat'),
        "expected 'do' after the variable, found 'x'")
    bad(process('foreach §x do null end; to s', var='x : nat'),
        'foreach needs a variable of a finite scalar type with at most 1000000 values')
    bad(process('foreach §z do null end; to s', var='x : nat'), "'z' is not a variable")
    bad(process('while x < 3 do §to s end; to s', var='x : nat'),
        'a choice, a communication or a change of state is not possible inside a loop or a '
        'function')
    bad(process('§return 1'), "'return' is allowed only in a function")
    bad(process('§wait 3; to s').replace('§wait 3', 'wait §3'),
        "expected a time interval, such as [0,3] or ]1,...[, found '3'")
    bad(process('wait [0§; 1]; to s'),
        "expected ',' after the beginning of the interval, found ';'")
    bad(process('wait [0,1§); to s'), "expected ']' after the end of the interval, found ')'")
    bad(process('wait §[2,1]; to s'), 'this interval ends before it begins')
    bad(process('wait §]1,1]; to s'), 'this interval is empty')
    bad(process('wait [1,...§]; to s'), "after '...' the interval ends with '['")
    bad(process('x := §1.5; to s', var='x : nat'),
        'a number with a point is allowed only in a time interval')
    bad(process('wait [§k,1]; to s', var='x : nat'), "expected a number after '[', found 'k'")
    bad(process('seelct §to s [] to t end'), "expected ';', '!', '?' or ':=', found 'to'",
        notes=["did you mean 'select' here?"])
    bad('process P is\n  states s\n  §from s null\nP\n', 'a path here ends without `to` or `loop`')
    bad('process P is\n  states s\n  §from s if true then to s end\nP\n',
        'a path here ends without `to` or `loop`')
    bad(process('p; §p; to s', head=' [p : none]'),
        'a path communicates once: this is the second time')
    bad(process('p; §wait [0,1]; to s', head=' [p : none]'),
        'a path that communicates cannot wait, and no path waits twice')
    bad(process('wait [0,1]; §wait [0,1]; to s'),
        'a path that communicates cannot wait, and no path waits twice')
    bad(process('§x; to s', var='x : nat'), "'x' is not a port")
    bad(process('§nothing ! 1; to s'), "'nothing' is not a port")
    bad(process('§x := any; to s', var='x : nat'), '`any` has too many values here: at most 65536')
    bad(process('§1 := any; to s', var='x : nat'), '`any` needs a variable here')
    bad(process('select to s unless to t end; to s').replace('to s unless',
                                                             'null unless').replace('to t end',
        'null end').replace('; to s\nP', '; §select null unless null end; to s\nP'),
        'a path can pass one select with `unless` only')
    bad(process('a[0], §b := 1, 2; to s', var='a : array 1 of nat'), "there is no 'b' here")
    bad('process Q (&x : read nat) is states s from s §x := 1; to s\ncomponent C is var v : nat '
        'par Q(&v) end\nC\n', "'x' cannot be assigned to: it was passed to be read only")
    bad('process Q (&x : nat) is states s from s §x := 1; to s\ncomponent D (&y : read nat) is par '
        'Q(&y) end\ncomponent C is var v : nat par D(&v) end\nC\n',
        "'x' cannot be assigned to: it was passed to be read only")
    bad('process Q (&x : read write nat) is states s from s x := 1; to s\ncomponent D (&y : read '
        'nat) is par Q(&§y) end\ncomponent C is var v : nat par D(&v) end\nC\n',
        "'y' cannot be assigned to: it was passed to be read only")
    bad('process Q (n : nat) is states s from s §n := n + 1; to s\ncomponent C is par Q(1) '
        'end\nC\n', "'n' cannot be assigned to: it is a constant (to compare it, write `on`)")
    bad(process('x, §n := 1, 2; to s', var='x : nat', before='const n : nat is 3'),
        "'n' cannot be assigned to: it is a constant (to compare it, write `on`)")
    bad(process('to s', var='a : array 3 of nat := §[1, 2]'), '2 elements for an array of 3',
        '--dialect', 'frac')
    bad('process Q (n : nat) is states s from s §n[0] := 1; to s\ncomponent C is par Q(1) end\nC\n',
        "'n' cannot be assigned to\n")
    bad(process('case 5 of §u 1 -> to s end', before='type T is union u of nat end'),
        "'u' is no constructor of a number")
    bad(process('case v of u §y -> to s end', var='v : T, y : bool',
                before='type T is union u of nat end'), 'this is bool, and the value is nat')
    bad(process('case v of §u -> to s end', var='v : T', before='type T is union u of nat end'),
        "the constructor 'u' needs an argument: `any` matches all")
    bad(process('case v of §w 1 -> to s end', var='v : T',
                before='type T is union u of nat | w end'), "the constructor 'w' has no argument")
    bad(process('; '.join(['null'] * 6000) + '; to s').replace('null', '§null', 5002).replace('§',
        '', 5001), 'a path of more than 5000 statements')
    bad('process P is\n  states s\n  §from s ' + '; '.join(['select null [] null end'] * 18)
        + '; to s\nP\n', "the process 'P' has more than 200000 computation paths")


def expressions():
    bad(process('x := §; to s', var='x : nat'), "expected an expression, found ';'")
    bad(process('on x §== 1; to s', var='x : nat'),
        "expected ';' or an operator, found '==': Fiacre writes '='")
    bad(process('on x = 1 §&& true; to s', var='x : nat'),
        "expected ';' or an operator, found '&&': Fiacre writes 'and'")
    bad(process('x := (1 §; to s', var='x : nat'),
        "expected an operator or ')' in the parentheses, found ';'")
    bad(process('x := a[1§; to s', var='x : nat'),
        "expected an operator or ']' in the index, found ';'")
    bad(process('x := f(1 §; to s', var='x : nat'),
        "expected ',', an operator or ')' in the arguments, found ';'")
    bad(process('x := [1, 2 §; to s', var='x : nat'),
        "expected ',', an operator or ']' in the array, found ';'")
    bad(process('x := {|1, 2 §; to s', var='x : nat'),
        "expected ',', an operator or '|}' in the queue, found ';'")
    bad(process('x := {a §1}; to s', var='x : nat'),
        "expected '=' after the field's name, found '1'")
    bad(process('x := {a = 1 §; to s', var='x : nat'),
        "expected ',', an operator or '}' in the record, found ';'")
    bad(process('x := enqueue §x; to s', var='x : nat'), "expected '(' after 'enqueue', found 'x'")
    bad(process('x := enqueue(x§); to s', var='x : nat'), "expected ',' after the queue, found ')'")
    bad(process('x := enqueue(x, 1§; to s', var='x : nat'),
        "expected ')' after the element, found ';'")
    bad(process('x := true ? 1 §; to s', var='x : nat'),
        "expected ':' after the first choice of '?', found ';'")
    bad(process('x := x.§1; to s', var='x : nat'), "expected a name after '.', found '1'")
    bad(process('x := §true; to s', var='x : nat'), 'this should be nat and is bool')
    bad(process('x := 1 + §true; to s', var='x : nat'), 'this should be a number and is bool')
    bad(process('on §x; to s', var='x : nat'), 'this should be bool and is nat')
    bad(process('x := not §x; to s', var='x : nat'), 'this should be bool and is nat')
    bad(process('on x §= true; to s', var='x : nat'), 'this should be nat and is bool')
    bad(process('x := true ? 1 : §false; to s', var='x : nat'),
        'this should be a number and is bool')
    bad(process('x := §b; to s', var='x : array 2 of nat, b : array 3 of nat'),
        'this should be array 2 of nat and is array 3 of nat')
    bad(process('x := §q; to s', var='x : nat', head=' [q : none]'), "'q' is a port, not a value")
    bad(process('x := §u; to s', var='x : T', before='type T is union u of nat | w end'),
        "the constructor 'u' needs one argument")
    bad(process('x := §w 1; to s', var='x : T', before='type T is union u of nat | w end'),
        "the constructor 'w' has no argument")
    bad(process('x := §x[0]; to s', var='x : nat'), 'only arrays have elements')
    bad(process('x := §x.f; to s', var='x : nat'), 'only records have fields')
    bad(process('x := §r.fild; to s', var='x : nat, r : record field : nat end'),
        "the record has no field 'fild': did you mean 'field'?")
    bad(process('x := §r.zzz; to s', var='x : nat, r : record field : nat end'),
        "the record has no field 'zzz'\n")
    bad(process('a := §[1, 2]; to s', var='a : array 3 of nat'), '2 elements for an array of 3')
    bad(process('q := §{|1, 2|}; to s', var='q : queue 1 of nat'), '2 elements for a queue of 1')
    bad(process('x := first §{|1|}; to s', var='x : nat'),
        'the type of this queue is not known here')
    bad(process('x := §{f = 1}.f; to s', var='x : nat'),
        'the type of this record is not known here')
    bad(process('r := §{f = 1}; to s', var='r : record f, g : nat end'),
        '1 field for a record of 2')
    bad(process('r := {f = 1, §f = 2}; to s', var='r : record f, g : nat end'),
        "the field 'f' is set twice")
    bad(process('x := first §x; to s', var='x : nat'), 'this is not a queue')
    bad(process('on a §= b; to s', var='a, b : array 5000 of nat'),
        'values of 5000 cells are too large to compare')
    bad(process('x := §zebra(1); to s', var='x : nat'), "there is no 'zebra' here\n")
    deep = process('x := ' + '(' * 3000 + '1' + ')' * 3000 + '; to s', var='x : nat')
    bad(deep, 'this is nested too deeply: more than', name='nested brackets')
    bad(process('on ' + 'not ' * 5000 + 'true; to s'), 'this is nested too deeply: more than',
        name='nested operators')
    bad(process('if true then ' * 3000 + 'to s'), 'this is nested too deeply: more than',
        name='nested statements')
    bad('type T is ' + 'array 1 of ' * 3000 + 'nat\n' + process('to s'),
        'this is nested too deeply: more than', name='nested types')
    bad(process('x := ' + ' + '.join(['1'] * 200000) + '; to s', var='x : nat'),
        'this expression is nested too deeply: more than', name='a long sum')


def functions():
    bad(function('function f (x : nat) §nat is return x'),
        "expected ':' after the parameters, found 'nat'")
    bad(function('function f (x : nat) : nat §return x'),
        "expected 'is' after the type of the result, found 'return'")
    bad(function('function f (x : nat) : nat is §x'),
        "expected 'var', 'begin' or 'return', found 'x'")
    bad(function('function f §x : nat is return x'), "expected '(' after the name, found 'x'")
    bad(function('function f (x : nat) : nat is begin return x').replace('\nprocess', '\n§process'),
        "expected ';' or 'end' in the function, found 'process'")
    bad(function('function f (x : nat) : nat is begin §to s end'),
        "'to' is not allowed in a function")
    bad(function('function f (x : nat) : nat is begin §select null end end'),
        "'select' is not allowed in a function")
    bad(function('function f (x : nat) : nat is begin §wait [0,1] end'),
        "'wait' is not allowed in a function")
    bad(function('function f (x : nat) : nat is begin p §! 1; return x end'),
        "expected ':=' after 'p': a function has no ports")
    bad(function('function §f (x : nat) : nat is begin x := 1 end'),
        "the function 'f' may end without `return`")
    bad(function('function §f (x : nat) : nat is begin if x = 1 then return 1 end end'),
        "the function 'f' may end without `return`")
    bad(function(
        'function f (x : nat) : nat is begin if x = 0 then return 0 end; return f(§true) end'),
        'this should be nat and is bool')
    bad(function(
        'function f (x : nat) : nat is return g(§x, x)\n'
        'function g (x : nat) : nat is return f(x)').replace('g(§x', '§g(x'),
        "'g' has 1 parameter, and 2 arguments are given")
    bad(function('function f (x : nat) : nat is return f(x)\nconst c : nat is §f(1)').replace(
        'return f(x)', 'return §f(x)').replace('is §f(1)', 'is f(1)'),
        'a call of a function with statements is not possible in a constant')
    bad(function('function f (x : nat) : nat is var §x : nat return x'), "'x' is declared twice")
    bad(function('function f (x : nat) : nat is return x', call='§f(1, 2)'),
        "'f' has 1 parameter, and 2 arguments are given")
    bad(function('function f (x : nat) : nat is return x', call='f(§true)'),
        'this should be nat and is bool')
    bad(function('function f (x : nat) : nat is return §true'), 'this should be nat and is bool')
    bad(function('function f (x : 0..9) : nat is begin §x := any; return x end'),
        'a choice, a communication or a change of state is not possible inside a loop or a '
        'function')
    chain = ''.join(f'function f{i} (x : nat) : nat is var y : nat := f{i - 1}(x) return y\n'
                    for i in range(1, 300))
    bad(function('function f0 (x : nat) : nat is return x\n' + chain,
                 call='f299(1)').replace('f201 (', '§f201 ('), 'calls are nested too deeply')
    bad('function f () : 0..9 is var y : 0..9 begin y := 10; return y end\nconst n : nat is §f()\n'
        + process('to s'), 'a call of a function with statements is not possible in a constant')
    bad('function f () : nat is begin while true do null end; return 1 end\nconst n : nat is §f()\n'
        + process('to s'), 'a call of a function with statements is not possible in a constant')


def components():
    two = 'process Q [p : nat] (&x : nat, n : 0..3) is\n  states s\n  from s p ! n; to s\n'
    bad(component('§Q'), "expected 'var', 'port', 'priority', 'init' or 'par', found 'Q'")
    bad(component('par §1 end'), "expected a process, a component or 'par', found '1'")
    bad(component('par Q §Q end'), "expected '||' or 'end' in the 'par', found 'Q'")
    bad(component('par §R end'), "there is no process or component 'R'")
    bad(component('var v : nat, §v : nat par Q end'), "'v' is declared twice")
    bad(component('var v : nat port §v : none par Q end'), "'v' is declared twice")
    bad(component('port p : none is §Q/state s par Q end').replace('port p',
        'port §p').replace('is §Q', 'is Q'), 'probes (`is ...` at a port) are not supported')
    bad(component('port p, r : none priority p §r par Q end'),
        "expected '|', '>' or '<', found 'r'")
    bad(component('port p, r : none priority p > r, §r > p par Q end').replace('§',
        '').replace('port p', 'port §p'), "the port 'p' has priority over itself")
    bad(component('port p : none priority p > §q par Q end'), "'q' is not a port of this component")
    bad(component('port p : none par §r in Q end'), "'r' is not a port of this component")
    bad(component('port p : none par §r -> Q end'), "'r' is not a port of this component")
    bad(component('var v : nat port p : nat par §Q(&v, 1) end', two),
        "'Q' has 1 port, and 0 are given")
    bad(component('var v : nat port p : nat par §Q[p](&v) end', two),
        "'Q' has 2 parameters, and 1 argument is given")
    bad(component('var v : nat port p : nat par Q[§v](&v, 1) end', two),
        "'v' is not a port of this component")
    bad(component('var v : nat port p : bool par Q[§p](&v, 1) end', two),
        "the port 'p' carries other values than 'p' of 'Q'")
    bad(component('var v : nat port p : nat par Q[p](§v, 1) end', two),
        "'x' is passed by reference: write &")
    bad(component('var v : nat port p : nat par Q[p](&v, §&v) end', two),
        "'n' is passed by value: no & here")
    bad(component('var v : bool port p : nat par Q[p](§&v, 1) end', two),
        "'x' refers to nat, this is bool")
    bad(component('var v : nat port p : nat par Q[p](&v, §4) end', two),
        "the argument for 'n' is outside 0..3")
    bad(component('var v : nat port p : nat par Q[p](&v, §v) end', two),
        "the argument for 'n' must be a constant of its type")
    bad(component('var v : nat port p : nat par Q[p](&v, 1§] end', two),
        "expected ',' or ')' in the arguments, found ']'")
    bad(component('var v : nat port p : nat par Q[p§)(&v, 1) end', two),
        "expected ',' or ']' in the ports, found ')'")
    bad(component('port p : §d par Q end'), "there is no type 'd'")
    bad('channel §c is c\n' + component('port p : c par Q end'), "the channel 'c' contains itself")
    bad('component §C is par C end\nC\n',
        "components are nested too deeply: does 'C' contain itself?")
    bad(component('par ' + ' || '.join(['Q'] * 10001) + ' end').replace('Q end', '§Q end'),
        'more than 10000 processes')
    bad(component('port §p : none par ' + ' || '.join(['Q[p]'] * 65) + ' end',
                  'process Q [p : none] is states s from s p; to s\n'),
        "more than 64 processes, or too many ways, at the port 'p'")
    bad(component('init §to s par Q end'),
        'a choice, a communication or a change of state is not possible inside a loop or a '
        'function')


def communication():
    pair = ('process Q [p : {0}] is states s var x : nat, b : bool from s {1}; to s\nprocess R [p '
            ': {0}] is states s var x : nat from s {2}; to s\n'
            'component C is port p : {0} par Q[p] || R[p] end\nC\n')
    bad(pair.format('nat', 'p ! §true', 'p ? x'), "the channel of 'p' carries other values")
    bad(pair.format('none', 'p ! 1', '§p ? x, x'),
        "2 values here, and 1 in another process at the port 'p'")
    bad(pair.format('nat', '§p ! 1, 2', 'p ? x'), "the channel of 'p' carries 1 value, not 2")
    bad(pair.format('nat', '§p', 'p ? x'), "the channel of 'p' carries 1 value, not 0")
    bad(pair.format('nat', '§p ? x', 'p ? x'),
        'nobody sends a value here, and there are too many to try')
    silent = run('explore', write('silent.fcr', pair.format('none', 'p ? x', 'p ? x')))
    seen.append(silent.stderr)
    check('a combination without a sender is left out, with a word',
          silent.returncode == 0
          and 'silent.fcr:1:63: warning: nobody sends a value here, and the channel does not say '
          'its type: left out' in silent.stderr
          and 'deadlocks                    1' in silent.stdout, silent.stdout + silent.stderr)
    bad(pair.format('none', '§p ! ' + ', '.join(['1'] * 65), 'p ? x'),
        'more than 64 values at once')
    many = ' [] '.join(['p'] * 30)
    bad(component('port p : none par ' + ' || '.join(['Q[p]'] * 5) + ' end',
                  f'process Q [p : none] is states s §from s select {many} end; to s\n'),
        'the system has more than 2000000 rules')


def times():
    bad(process('wait [0.0000001,1]; to s').replace('to s\n',
                                                    'to s\n  from t wait §[0.00000000003,1]; to '
                                                    's\n'),
        'the times of this model have no common unit that is large enough')
    bad(process('wait §[0,99999999999]; to s'), 'this time is too large, in units of 1/1')
    bad(process('wait §[0,200000000]; to s').replace('to s\n',
                                                     'to s\n  from t wait [0.01,1]; to s\n'),
        'this time is too large, in units of 1/100')
    ports = ', '.join(f'p{i}' for i in range(2001))
    chain = ' > '.join(f'p{i}' for i in range(2001))
    bad(component(f'port {ports} : none priority {chain} par Q end'),
        'more than 2000 levels of priority')


def properties():
    bad(prop('property a §ltl v = 1'), "expected 'is' after the property's name, found 'ltl'")
    bad(prop('property a is ltl v = 1\nproperty §a is ltl v = 2'), "'a' is declared twice")
    bad(prop('assert §b'), "there is no property 'b'")
    bad(prop('property §deadlock is ltl v = 1'), "'deadlock' is the name of a built-in property")
    bad(prop('property a is ltl v = 1\nassert a\nassert a').replace('property a', 'property §a'),
        "there are two properties named 'a'")
    bad(prop('property a is ltl §P.x = 1'), 'there are 2 instances of \'P\': write P[0] to P[1]')
    bad(prop('property a is ltl §P[2].x = 1'), 'there are 2 instances of \'P\': write P[0] to P[1]')
    bad(prop('property a is ltl §Q[1] @ one'), 'there is 1 instance of \'Q\': write Q[0]\n')
    bad(prop('property a is ltl §Main @ one'), 'before `@` stands a process')
    bad(prop('property a is ltl q[§2] = a'), 'the index 2 is outside 0..1')
    bad(prop('property a is ltl q[§true] = a'), 'this should be a number and is bool')
    bad(prop('property a is ltl §v.length = 1'), 'only records have fields')
    bad(prop('property a is ltl §P[0] @ bussy'), "'P' has no state 'bussy': did you mean 'busy'?")
    bad(prop('property a is ltl §P[0] @ nowhere'), "'P' has no state 'nowhere'\n")
    bad(prop('property a is ltl §w = 1'), "there is no 'w' here")
    bad(prop('property a is ltl §v'), 'this should be bool and is nat')
    bad(prop('property a is ltl §v @ idle'), 'before `@` stands a process')
    bad(prop('property a is ltl §Other/1/state idle'),
        "the path must begin with the main component, 'Main'")
    bad(prop('property a is ltl Main/§4/state idle'), 'there is no block number 4 here')
    bad(prop('property a is ltl §Main/state idle'),
        'this path leads to a component, not to a process')
    bad(prop('property a is ltl Main/1/tag §idle'),
        'properties of events and tags are not supported: observe states and values')
    bad(prop('property a is ltl Main/1/event §idle'),
        'properties of events and tags are not supported: observe states and values')
    bad(prop('property a is ltl Main/1/state §ide'), "'P' has no state 'ide': did you mean 'idle'?")
    bad(prop('property a is invariant §[] v = 1'),
        "an invariant has no temporal operators: 'G' belongs to LTL or CTL")
    bad(prop('property a is ltl §AG v = 1'), "LTL has no path quantifiers: 'A' belongs to CTL")
    bad(prop('property a is ctl §G v = 1'), "'G' without a path quantifier in CTL")
    bad(prop('property a is ctl §A (G v = 1 and F v = 1)'),
        "'A' must be followed by a path formula such as [f U g]")
    bad(prop('property a is §present v = 1 within [0,1]'),
        'this pattern speaks of time, which is not supported: use an observer process')
    bad(prop('property a is §present v = 1 lasting 3'),
        'this pattern speaks of time, which is not supported: use an observer process')
    bad(prop('property a is not (§deadlockfree)'),
        'deadlocks are looked for by default: leave `deadlockfree` out')
    bad(prop('property a is ctl §present v = 1'), 'patterns are LTL')
    bad(prop('property a is §infinitelyoften v = 1 between v = 2 and v = 3'),
        'this pattern with this scope is not supported: write it in LTL')
    bad(prop('property a is §live v = 1'), 'this pattern is not supported')
    bad(prop('property b is ltl §b'), 'properties that refer to each other too deeply')
    bad(prop('property b is ltl [] §c\nproperty c is ltl <> b'),
        'properties that refer to each other too deeply')
    bad(prop('property a is ltl §a'), 'this should be bool and is array 2 of nat',
        name='a property and a variable of one name')
    bad(prop('property a is ltl Q.§z = 1'), "there is no 'z' here")
    bad(prop('property a is ltl true = §present v = 1'),
        "the operator 'present' after an operator that binds tighter: put it in parentheses")
    bad(prop('property a is ltl (§<> v = 1) = true'), 'this is not possible in an expression here')
    bad(prop('property a is ltl §enter v = 1'), '`enter` and `leave` are not supported')
    bad(prop('property a is present v = 1 after v = 2 §before v = 3'),
        'a second scope of this pattern')
    bad(prop('property a is present v = 1 within [0,1] §within [0,1]'),
        "a second 'within' in this pattern")
    bad(prop('property a is present v = 1 between v = 2 §or v = 3'),
        "expected 'and' after the beginning of 'between', found 'or'")
    bad(prop('property a is ctl E[v = 1 U v = 2§)'),
        "expected an operator or ']' in the formula of paths, found ')'")
    bad(prop('property a is ltl a[§2] = 1'), 'the index 2 is outside 0..1')
    bad(prop('property a is ltl §first q = [1, 2]'),
        "'first' of a queue of such values is not possible in a property")
    bad(prop('property a is ltl a = §[1, 2]'), 'an array is not possible in a property')
    bad(prop('property a is ltl q = §{||}'), 'a queue is not possible in a property')
    bad(prop('property a is ltl §dequeue q = q'),
        'a queue that changes is not possible in a property')
    bad(prop('property a is ltl (§v = 1 ? a : a) = a').replace('§', '').replace('(v = 1 ?',
        '(§v = 1 ?'), 'a choice between such values is not possible in a property')
    record = ('type R is record f, g : nat end\ntype U is union u of nat | w end\nprocess P is '
              'states s var r : R, x : U from s to s\nproperty a is ltl {}\nP\n')
    bad(record.format('P.r = §{f = 1, g = 2}'), 'a record is not possible in a property')
    bad(record.format('P.x = §u 1'), 'a value of a union is not possible in a property')
    model = write('fine.fcr', prop(''))
    for option, formula, message in (
        ('--ltl', 'v = ', 'expected an expression, found the end of the formula'),
        ('--ltl', 'v = 1 1', "expected an operator or the end of the formula, found '1'"),
        ('--invariant', 'G v = 1', 'an invariant has no temporal operators'),
        ('--find', 'F v = 1', 'what is to be found has no temporal operators'),
        ('--ctl', 'A v = 1', ''), ('--ltl', 'w = 1', "there is no 'w' here")):
        done = run('check', model, option, formula)
        seen.append(done.stderr)
        check(f'{option} {formula}', done.returncode == 2 and message in done.stderr, done.stderr)


def marks():
    """What OBP does not look at gets a warning, once, and is done."""
    text = ('process Q [p : in nat, r : out nat] (&v : write nat) is states s var x : nat from s '
            '§p ! 1; to s from s §r ? x; to s from s x := §v; v := 1; to s\n'
            'process R [p, r : nat] is states s var x : nat, a : array 2 of nat := §[1] from s p ? '
            'x; to s from s r ! 1; to s\n'
            'component C is var v : nat port p, r : nat par * in R[p, r] || Q[p, r](&v) end\n'
            'component E is par C || C end\nproperty p is invariant C[0].v <= 1\nE\n')
    places = []
    while '§' in text:
        places.append(place_of(text))
        text = text.replace('§', '', 1)
    done = run('check', write('marks.fcr', text), '--no-deadlock')
    seen.append(done.stderr)
    check('marks: done', done.returncode == 0 and 'holds     p' in done.stdout,
          done.stdout + done.stderr)
    for place, words in zip(places,
                            ("'p' is marked `in`, and a value is sent here",
                             "'r' is marked `out`, and a value is received here",
                             "'v' is marked `write`, and is read here",
                             '1 element for an array of 2: the others begin with the first value '
                             'of their type')):
        check(f'marks: {words}',
              done.stderr.count('marks.fcr:%d:%d: warning: %s' % (*place, words)) == 1, done.stderr)


def deadlockfree():
    done = run('check',
               write('deadlockfree.fcr',
                     'process P is states s from s to s\nproperty fine is deadlockfree\nassert '
                     'fine\nP\n'))
    seen.append(done.stderr)
    check('deadlockfree: what it is',
          done.returncode == 0
          and 'deadlockfree.fcr:2:18: warning: this is the property `deadlock`, which is checked '
          'in any case' in done.stderr
          and 'holds     deadlock' in done.stdout, done.stdout + done.stderr)


def dialects():
    text = ('process Q [p : none] is states s from s p; to s\ncomponent C is\n  port p, r : none\n '
            ' par Q[p] || Q[p] || Q[r] || Q[r] end\nC\n')
    done = run('check', write('dialects.fcr', text))
    seen.append(done.stderr)
    check('dialects: a warning',
          done.returncode == 0
          and "dialects.fcr:3:8: warning: who takes part in 'p' and 1 other port differs between "
          "the dialects: read as OBP does; --dialect frac reads it the other way"
          in done.stderr, done.stderr)
    done = run('check', path('dialects.fcr'), '--dialect', 'frac')
    check('dialects: the other way', 'read as frac does; --dialect obp' in done.stderr, done.stderr)
    text = ('process Q [p : none] is states s, t from s p; to t\ncomponent C is port p : none par '
            'Q[p] || Q[p] end\nC\n')
    done = run('check', write('dialects2.fcr', text), '--dialect', 'frac', '-q', '--trace',
               path('frac.itf.json'))
    again = run('replay', path('frac.itf.json'), '-q')
    check('dialects: a trace knows its own',
          'The trace replays: 2 steps' in again.stdout and 'It violates deadlock' in again.stdout,
          done.stderr + again.stdout + again.stderr)
    check('dialects: unless another is asked for',
          run('replay', path('frac.itf.json'), '-q', '--dialect', 'obp').returncode != 0)
    check('dialects: quiet', run('check', path('dialects.fcr'), '-q').stderr == '')


RUNTIME = [  # what fails, how deep, the reason at the mark's line
           ('index', 'x : 0..5, a : array 3 of nat',
            'x := x + 1; to s\n  from s on x > 2;\n§  a[x] := 1; to s', 3, 'index 3 outside 0..2'),
    ('a constant index', 'a : array 3 of nat', 'null;\n§  a[3] := 1; to s', 0,
     'index outside its range'),
    ('an index that is read', 'x : 0..5 := 5, a : array 3 of nat', 'null;\n§  on a[x] = 0; to s', 0,
     'index 5 outside 0..2'),
    ('range', 'x : 0..2', 'null;\n§  x := x + 1; to s', 2, 'value 3 outside 0..2'),
    ('below zero', 'x : nat', 'null;\n§  x := x - 1; to s', 0, 'value -1 outside 0..2147483647'),
    ('32 bits', 'x : int := 1', 'null;\n§  x := x * 16; to s', 7,
     'value 4294967296 outside -2147483648..2147483647'),
    ('64 bits', 'x : int := 2147483647', 'null;\n§  x := x * x * x % 7; to s', 0,
     'a number does not fit in 64 bits'),
    ('full', 'q : queue 2 of nat', 'null;\n§  q := enqueue(q, 1); to s', 2, 'the queue is full'),
    ('full, at the head', 'q : queue 2 of nat', 'null;\n§  q := append(q, 1); to s', 2,
     'the queue is full'),
    ('empty', 'q : queue 2 of nat', 'null;\n§  q := dequeue q; to s', 0, 'the queue is empty'),
    ('first', 'q : queue 2 of nat, x : nat', 'null;\n§  x := first q; to s', 0,
     'the queue is empty'),
    ('first of records', 'q : queue 2 of record f : nat end, x : nat',
     'null;\n§  x := (first q).f; to s', 0, 'the queue is empty'),
    ('division', 'x : nat := 3', 'null;\n  x := x - 1;\n§  on 6 / x > 0; to s', 2,
     'division by zero'),
    ('remainder', 'x, y : nat', 'null;\n§  y := 6 % x; to s', 0, 'division by zero'),
    ('a loop', 'x : nat', 'null;\n§  while x < 3 do x := 2 end; to s', 0, 'the loop does not end'),
    ('inside a function', 'x : nat', 'null;\n  x := down(x); to s', 0,
     'value -1 outside 0..2147483647'),
]


def runtime_errors():
    before = ('function down (x : nat) : nat is\n  var y : nat\n  begin\n§    y := x - 1; return '
              'y\n  end')
    for name, var, body, steps, reason in RUNTIME:
        model = process(body, var=var, before=before if 'down' in body else '')
        line = place_of(model)[0]
        file = write('fails.fcr', model.replace('§', '', 1))
        trace = path('fails.itf.json')
        if os.path.exists(trace):
            os.remove(trace)
        done = run('check', file, '-p', 'runtime-error', '--trace', trace)
        wanted = f'{reason} at fails.fcr:{line}:'
        check(f'run-time error: {name}',
              done.returncode == 1 and wanted in done.stdout
              and f'runtime-error is violated after {steps} step' in done.stdout,
              f'{done.returncode}\n{wanted}\n{done.stdout}{done.stderr}')
        replayed = run('replay', trace)
        check(f'run-time error: {name}, replayed',
              replayed.returncode == 0 and f'The trace replays: {steps} step' in replayed.stdout,
              replayed.stdout + replayed.stderr)
        check(f'run-time error: {name}, explored', run('explore', file).returncode == 1)
    sends = ('process Q [p : 0..3] is states s var x : nat from s\n  p ! x; x := x + 1; to '
             's\nprocess R [p : 0..3] is states s var y : 0..2 from s p ? y; to s\n'
             'component C is port p : 0..3 par Q[p] || R[p] end\nC\n')
    done = run('check', write('sends.fcr', sends))
    check('run-time error: a value that its receiver has no room for',
          done.returncode == 1 and 'value 3 outside 0..2 at sends.fcr:3' in done.stdout,
          done.stdout)
    done = run('check', write('sends.fcr', sends.replace('y : 0..2', 'y : nat')))
    check('run-time error: a value that its channel does not carry',
          done.returncode == 1 and 'value 4 outside 0..3 at sends.fcr:2' in done.stdout,
          done.stdout)


def properties_that_fail():
    model = write('fine.fcr',
                  process('x := (x + 1) % 3; to s',
                          var='x : 0..2, a : array 2 of nat, q : queue 1 of nat'))
    for formula in ('P.a[P.x] = 0', 'first P.q = 0', '1 / P.x >= 0'):
        done = run('check', model, '--invariant', formula)
        check(f'a property that cannot be evaluated: {formula}',
              done.returncode == 3 and 'it cannot be evaluated in a reachable state' in done.stdout,
              done.stdout + done.stderr)


def shown_names():
    """Properties may use the names that states are shown with."""
    model = write('names.fcr', '''
        type Color is union red | green | blue end
        type Msg is union nothing | text of nat | pair of array 2 of Color end
        process P is states s, t var c : Color, q : queue 2 of Msg, m, m2 : Msg, a : array 2 of \
record f : -3..3 end
          from s m := text 7; q := enqueue(q, pair([green, blue])); c := blue; to t
        component Sub is var inner : nat := 5 par P end
        component Main is var v : bool par Sub || Sub end
        Main''')
    for formula, verdict in (('P[0].q.length = 0', 'violated'), ('P[0].q.length <= 1', 'holds'),
                             ('P[0].q[0] = nothing', 'violated'),
                             ('P[0].q[0] = pair or P[0] @ s', 'holds'),
                             ('P[0].q[1] <> pair', 'holds'), ('P[0].q[0].value < 1', 'violated'),
                             ('P[0].q[0].value[1] <= 2', 'holds'),
                             ('P[0].q[0].value[1] < 2', 'violated'),
                             ('P[0].q[length P[0].q] = nothing', 'holds'),
                             ('P[0].m = text or P[0].m = nothing', 'holds'),
                             ('P[0].m <> text', 'violated'),
                             ('P[0].m.value = 7 -> P[0] @ t', 'holds'),
                             ('P[0].m = P[0].m2', 'violated'),
                             ('P[1].c = red or P[1].c = blue', 'holds'),
                             ('P[1].c = red', 'violated'),
                             ('P[0].a[1].f = -3', 'holds'),
                             ('P[0].a[length P[0].q].f = -3', 'holds'),
                             ('Sub[0].inner = 5', 'holds'), ('Sub[1].inner < 5', 'violated'),
                             ('Main.v = v', 'holds'),
                             ('Main/2/1/value m = text', 'violated'),
                             ('Main/2/1/value (length q < 2)', 'holds'),
                             ('P[0].state = s | P[0].state = t', 'holds'),
                             ('P[0].state != t', 'violated')):
        done = run('check', model, '-q', '-p', 'runtime-error', '--invariant', formula)
        check(f'shown names: {formula}',
              f'  {verdict} ' in done.stdout.replace('  holds     runtime-error', '')
              and done.returncode == (verdict == 'violated'), done.stdout + done.stderr)


def odd_files():
    """Everything is a message: no crash, no silence."""
    texts = {'nul bytes': b'process P is\0\0\0 states s from s to s\nP\n',
             'nul at the end': process('to s').encode() + b'\0', 'only nul': b'\0' * 1000,
             'binary': bytes(range(256)) * 20,
             'latin-1': 'process Ä is states s from s to s\nÄ\n'.encode('latin-1'),
             'no end of line': b'process P is states s from s to', 'half a word': b'proc',
             'only the root': b'Main\n',
             'a root twice': b'process P is states s from s to s\nP\nP\n',
             'brackets': b'[' * 100000, 'a million letters': b'a' * 1000000,
             'from': b'from ' * 100000, 'quotes': b'"' * 99999, 'hashes': b'#' * 99999,
             'slashes': b'/' * 99999, 'comments': b'/*' * 99999}
    for name, text in texts.items():
        file = write('odd.fcr', text)
        for program in [CAIRN] + [ASAN] * os.path.exists(ASAN):
            done = run('explore', file, program=program, text=False)
            good = (done.returncode == 2 and b'error: ' in done.stderr and b'odd.fcr' in done.stderr
                    and len(done.stderr) < 100000)
            check(f'odd file: {name}', good or (name == 'a root twice' and done.returncode == 0),
                  f'{done.returncode} {done.stderr[:600]}')
    done = run('explore', write('bom.fcr', b'\xef\xbb\xbf' + process('to s').encode()))
    check('a byte order mark', done.returncode == 0, done.stderr)
    done = run('explore',
               write('crlf.fcr', process('/*@ go */ to s').replace('\n', '\r\n').encode()))
    check('lines that end in CR LF', done.returncode == 0, done.stderr)
    several = run('check',
                  write('several.fcr',
                        process('x := ; to s\n  from s y = 1; to s\n  from t to s')
                        + 'process Q is from s to s\n'))
    check('several errors in one run', several.stderr.count(': error: ') >= 3, several.stderr)
    line = run('check', write('bad.fcr', process('x :=§ $$; to s').replace('§', '')))
    check('the line and a caret',
          re.search(r'bad\.fcr:5:\d+: error: .*\n      from s x := \$\$; to s\n +\^\n',
                    line.stderr), line.stderr)


def documentation():
    """The list of what is not supported in docs/fiacre.md is true (the suite docs runs the rest of
    the page)."""
    with open(os.path.join(ROOT, 'docs/fiacre.md'), encoding='utf-8') as file:
        page = file.read()
    table = page[
        page.index('## What is not supported'):page.index('## Where the definition is open')]
    everything = '\n'.join(seen)
    for message in re.findall(r'^\| .* \| (`+)(.*?)\1 \|$', table, re.M):
        words = message[1].strip().replace("'f'", "").replace('O > Main', 'Obs > P')
        check(f'documentation: {words}', words in everything)


# Messages that no model gives: a later pass than the parser repeats what the parser has told, or
# nothing gets there.
UNSEEN = {
    'this cannot be assigned to',  # a place that is no place: the parser reads none
}


def every_message():
    """The string literals of all calls that tell something."""
    everything = '\n'.join(seen)
    calls = (r'\b(?:diag_error|complain|fiacre_error|fiacre_error_expected|diag_note|diag_warning|r'
             r'emark|may_emit|fiacre_expect|fiacre_expect_close)\(')
    found = 0
    for file in sorted(glob.glob(os.path.join(ROOT, 'src/lang/fiacre/*.c'))):
        with open(file, encoding='utf-8') as source:
            code = source.read()
        for literal, line in literals_of(code, calls):
            if literal in UNSEEN:
                continue
            found += 1
            check(f'{os.path.basename(file)}:{line}: "{literal}" is given for some model',
                  pattern_of(literal.strip()).search(everything))
    check('there are many messages', found > 150, found)


for part in (text, declarations, types, processes, statements, expressions, functions, components,
             communication, times, properties, marks, deadlockfree, dialects, runtime_errors,
             properties_that_fail, shown_names, odd_files, documentation, every_message):
    part()
finish()
