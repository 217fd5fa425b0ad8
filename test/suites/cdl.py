"""Contexts (CDL): a bad text for every message, with its position; counts that are known; engines
agree; woven models as texts; traces that replay; random contexts against a brute force that
composes words (test/oracle/contexts.py).

In a text the mark § stands before the place that the message points to, and is taken out. At the
end every message of src/lang/cdl must have been seen."""
import glob
import json
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, LONG, ROOT, SEED, check, crashed, finish, path, run, run_json, write
from kit.messages import literals_of, pattern_of, place_of
import contexts

seen = []

# Two processes P with a queue each, one Q that answers, a synchronised step at port `meet`.
MODEL = """const most : nat is 5
type Small is 1..3
type Pair is record x : Small, bits : array 2 of bool end
type Msg is union go | halt | put of Small | pair of Pair end
type Box is queue 2 of Msg
type Answers is queue 1 of Small
process P [meet : sync] (&box : Box, &ans : Answers) is
  states idle, busy
  var x : 0..9, flag : bool, a : array 3 of 0..5, r : Pair, last : Msg, mine : Box
  from idle on not (empty box); last := first box; box := dequeue box; to busy
  from busy on not (full ans); ans := enqueue(ans, 2); to idle
  from busy meet; to idle
process Q [meet : sync] is
  states one
  from one meet; to one
component Main is
  var P_1 : Box, P_2 : Box, toContext : Answers, v : 0..9, Q_1 : bool
  port meet : sync
  par * in P [meet] (&P_1, &toContext) || P [meet] (&P_2, &toContext) || Q [meet] end
property positive is invariant v >= 0
Main
"""
MILESTONES = os.path.join(ROOT, 'examples/philosophers/phils.mil')
model_file = write('model.fcr', MODEL)


def told(text, message, severity, *options, model=None, name=None, notes=()):
    file = write('bad.cdl', text.replace('§', '', 1))
    done = run('explore', model or model_file, '--context', file, *options)
    seen.append(done.stderr)
    place = 'bad.cdl:%d:%d: ' % place_of(text) if '§' in text else ''
    wanted = f'{place}{severity}: {message}'
    good = (done.returncode == (2 if severity == 'error' else 0) and wanted in done.stderr
            and all(note in done.stderr for note in notes))
    good = good and (severity != 'error' or done.stdout == '')
    return check(name or message, good,
                 f'{done.returncode}\n{wanted}\n--- found:\n{done.stdout}{done.stderr}\n--- '
                 f'in:\n{text[:1000]}')


def bad(text, message, *options, **more):
    return told(text, message, 'error', *options, **more)


def odd(text, message, *options, **more):
    return told(text, message, 'warning', *options, **more)


def main(activity, before=''):
    return f'{before}\ncdl c is {{ main is {{ {activity} }} }}\n'


def predicate(text, more=''):
    return f'{more}\npredicate p is {{ {text} }}\ncdl c is {{ assert p main is {{ skip }} }}\n'


def observer(edges, more=''):
    return f'{more}\nproperty o is {{ {edges} }}\ncdl c is {{ properties o main is {{ skip }} }}\n'


def syntax():
    empty = main('skip')
    bad('§', 'the file has no context (cdl NAME is { ... })')
    bad('predicate p is { true }\n', 'the file has no context')
    bad('§evnt e is { }\n' + empty,
        "expected a declaration (event, predicate, activity, property, restriction or cdl), found "
        "'evnt': did you mean 'event'?")
    bad('§; ' + empty,
        'expected a declaration (event, predicate, activity, property, restriction or cdl), found '
        '\';\'\n')
    bad('event §{ p becomes true }' + empty, "expected a name after 'event', found '{'")
    bad('event e §{ p becomes true }' + empty, "expected 'is' after the name, found '{'")
    bad('event e is §p becomes true' + empty, "expected '{' after 'is', found 'p'")
    bad('event e is { p §turns true }' + empty,
        "expected 'becomes' after the name of the predicate (or send, receive, sync), found "
        "'turns'")
    bad('event e is { p becomes §maybe }' + empty,
        "expected 'true' or 'false' after 'becomes', found 'maybe'")
    bad('event e is { p becomes true §; }' + empty,
        "expected '}' at the end of the event, found ';'")
    bad('event e is { send go §{P}1 }' + empty, "expected 'to' after the message, found '{'")
    bad('event e is { send go to §P }' + empty,
        "expected an instance such as {P}1 after 'to', found 'P'")
    bad('event e is { send go to {P} §}' + empty,
        "expected the number of the instance, from 1, after {...}, found '}'")
    bad('event e is { receive go from §P }' + empty,
        "expected an instance such as {P}1 after 'from', found 'P'")
    bad('event e is { sync §3 }' + empty, "expected a name of steps after 'sync', found '3'")
    bad('event e is { sync meet of §Q }' + empty,
        "expected an instance such as {P}1 after 'of', found 'Q'")
    bad('event e is { send -§go to {P}1 }' + empty, "expected a number after '-', found 'go'")
    bad('event e is { send §) to {P}1 }' + empty, "expected a value, found ')'")
    bad('event e is { send put(1 §to {P}1 }' + empty, "expected ')' after the values, found 'to'")
    bad('event e is { send {x §1} to {P}1 }' + empty,
        "expected '=' after the name of the field, found '1'")
    bad('event e is { send {§1} to {P}1 }' + empty, "expected a name of a field, found '1'")
    bad(predicate('§)'),
        "expected a condition (a predicate, {P}1@state or a comparison), found ')'")
    bad(predicate('({P}1@idle §]'),
        "expected ')' or an operator (and, or) in the parentheses, found ']'")
    bad(predicate('{P}1@idle §{P}1@busy'),
        "expected '}' or an operator (and, or) in the predicate, found '{'")
    bad(predicate('{P}1@§3'), "expected a name of a state after '@', found '3'")
    bad(predicate('{P}1§;x'), "expected ':' or '@' after the instance, found ';'")
    bad(predicate('{P}1:§3'), "expected a name of a variable after ':', found '3'")
    bad(predicate('{P}1:a[§)] = 1'),
        "expected a number or the name of a constant between the brackets, found ')'")
    bad(predicate('{P}1:a[1 §= 1'), "expected ']' after the index, found '='")
    bad(predicate('{P}1:r.§3 = 1'), "expected a name after '.', found '3'")
    bad(predicate('3 §and true'),
        "expected a comparison (=, <>, <, <=, >, >=) after the value, found 'and'")
    bad(predicate('(' * 1100 + 'true' + ')' * 1100), 'brackets are nested too deeply')
    bad(predicate(' and '.join(['true'] * 1100)), 'brackets are nested too deeply',
        name='a long chain of operators')
    bad(main('{ event e §event e }'),
        "expected ';', '[]', '||' or '}' after an activity, found 'event'",
        notes=['the brace was opened here'])
    bad(main('event §3'), "expected a name after 'event', found '3'")
    bad(main('loop §; skip'), "expected a number or the name of a constant after 'loop', found ';'")
    bad(main('skip ; §;'), "expected an activity (an event, a name, loop, skip or '{'), found ';'")
    bad(main('skip §or skip'), "expected ';', '[]', '||' or '}' after an activity, found 'or'")
    bad('activity a is §skip' + empty, "expected '{' after 'is', found 'skip'")
    bad('cdl c is { §skip }',
        "expected assert, properties, restrictions, init, main or '}' in the context, found 'skip'")
    bad('cdl c is { assert §3 }', "expected a name of a predicate, found '3'")
    bad('cdl c is { properties §3 }', "expected a name of a property, found '3'")
    bad('cdl c is { restrictions §3 }', "expected a name of a restriction, found '3'")
    bad('cdl c is { main §{ skip } }', "expected 'is' after 'main', found '{'")
    bad('cdl c is { init §{ skip } }', "expected 'is' after 'init', found '{'")
    bad('cdl c is { main is { skip } §main is { skip } }', 'this context has this part already',
        notes=['here'])
    bad(observer('§; start'), "expected a name of a state, found ';'")
    bad(observer('start §- / / / -> s').replace('- /', '-> /'),
        "expected '-' (of '--') after the state, found '->'")
    bad(observer('start -§/ / / / -> s'), "expected '-' (of '--') after the state, found '/'")
    bad(observer('start -- ck §/ / / -> s'),
        "expected a comparison (<, <=, >, >=, =) after the clock, found '/'")
    bad(observer('start -- ck < §/ / / -> s'),
        "expected a number or the name of a constant after the comparison, found '/'")
    bad(observer('start -- ck < 3 and §/ / / -> s'), "expected a name of a clock, found '/'")
    bad(observer('start -- ck < 3 §-> s'),
        "expected '/' after the guards of clocks (the four fields are guards / predicate / event / "
        "actions), found '->'")
    bad(observer('start -- / p §-> s'),
        "expected '/' after the predicate (the four fields are guards / predicate / event / "
        "actions), found '->'")
    bad(observer('start -- / / e §-> s'),
        "expected '/' after the event (the four fields are guards / predicate / event / actions), "
        "found '->'")
    bad(observer('start -- / / §3 / -> s'), "expected a name of an event, found '3'")
    bad(observer('start -- / / / ck §-> s'), "expected ':=' after the clock, found '->'")
    bad(observer('start -- / / / §3 -> s'), "expected a name of a clock or 'disable', found '3'")
    bad(observer('start -- / / / disable §3 -> s'),
        "expected a name of a clock after 'disable', found '3'")
    bad(observer('start -- / / / ck := §1 -> s'),
        "expected 0: a clock can be started, with := 0, or disabled, found '1'")
    bad(observer('start -- / / / ck := 0 §; s'), "expected '->' after the actions, found ';'")
    bad(observer('start -- / / / -> §3'), "expected a name of a state after '->', found '3'")
    bad(observer('start -- / / / -> s §start'),
        "expected '}' or ';' in the property, found 'start'")
    bad('event e §; predicate p is { true }\nactivity §' + empty, 'expected',
        name='several errors in one file')
    bad('predicate p is { §$ }' + empty, "unexpected character '$'")
    bad('§/* never ends' + empty, 'this comment does not end')
    for name in ('event', 'activity', 'predicate', 'property', 'restriction', 'cdl'):
        kind = 'context' if name == 'cdl' else name
        body = {'event': 'p becomes true', 'activity': 'skip', 'predicate': 'true',
                'cdl': 'main is { skip }'}.get(name, 'start -- / / / -> reject')
        bad(f'{name} d is {{ {body} }}\n{name} §d is {{ {body} }}\n' + empty,
            f"there is a {kind} 'd' already", notes=['here'])
    bad('property d is { start -- / / / -> reject }\nrestriction §d is { start -- / / / -> cut }\n'
        + empty, "there is a property 'd' already", name='properties and restrictions share names')


def names():
    bad(main('event §nothing'), "there is no event 'nothing'\n")
    bad(main('event §ev1', 'event ev2 is { send go to {P}1 }'),
        "there is no event 'ev1': did you mean 'ev2'?")
    bad(main('§nothing'), "there is no activity or event 'nothing'\n")
    bad(main('§act1', 'activity act2 is { skip }'),
        "there is no activity or event 'act1': did you mean 'act2'?")
    bad(main('a', 'activity a is { skip ; §b }\nactivity b is { a }').replace('§b',
        'b').replace('{ a }', '{ §a }', 1), "the activity 'a' contains itself: contexts are finite")
    bad(main('event e',
             'event e is { p becomes true }\npredicate p is { true }').replace('event e }',
        'event §e }'),
        "the environment sends, receives and synchronises: 'e' is a change in the system")
    bad(main('§p becomes false', 'predicate p is { true }'),
        "the environment sends, receives and synchronises: 'p becomes false' is a change in the "
        "system")
    bad('cdl c is { assert §q }\npredicate p is { true }', "there is no predicate 'q'\n")
    bad('cdl c is { assert §pred1 }\npredicate pred2 is { true }',
        "there is no predicate 'pred1': did you mean 'pred2'?")
    bad('cdl c is { properties §o }\nrestriction o is { start -- / / / -> cut }',
        "there is no property 'o'\n")
    bad('cdl c is { restrictions §o }', "there is no restriction 'o'\n")
    bad('cdl c is { assert p, §p }\npredicate p is { true }', "'p' is listed twice")
    bad('cdl c is { assert p properties §p }\npredicate p is { true }\nproperty p is { start -- / '
        '/ / -> reject }', "'p' is listed twice", name='an assertion and a property of one name')
    bad('cdl c is { assert §positive }\npredicate positive is { true }',
        "the model has a property 'positive' already")
    bad('predicate §p is { not p }\ncdl c is { assert p }',
        "the predicate 'p' is defined by itself")
    bad(main('loop §rounds { skip }'),
        "there is no constant 'rounds' in the model or given with -D\n")
    bad(main('loop §mist { skip }'),
        "there is no constant 'mist' in the model or given with -D: did you mean 'most'?")
    bad(main('loop §rounds skip'), 'a loop cannot have -1 rounds', '-D', 'rounds=-1')
    chain = ''.join(f'activity a{i} is {{ a{i + 1} }}\n'
                    for i in range(6000)) + 'activity a6000 is { skip }\n'
    bad(main('a0', chain), 'activities are nested too deeply')
    chain = ''.join(f'predicate p{i} is {{ p{i + 1} }}\n'
                    for i in range(6000)) + 'predicate p6000 is { true }\ncdl c is { assert p0 }\n'
    bad(chain, 'predicates are nested too deeply')
    bad(main('loop 2000000000 {loop 2000 {e}}', 'event e is { send go to {P}1 }').replace('cdl c',
        'cdl §c'), 'the scenario of this context has too many states')
    several = write('several.cdl', 'cdl one is { }\ncdl two is { }\n')
    done = run('explore', model_file, '--context', several)
    check('several contexts are searched one by one',
          done.returncode == 0 and 'one ' in done.stdout and 'two ' in done.stdout,
          done.stdout + done.stderr)
    done = run('simulate', model_file, '--context', several)
    check('several contexts are listed where one is needed',
          done.returncode == 2
          and 'has several contexts: choose one with --context FILE:NAME: one, two\n'
          in done.stderr,
          done.stderr)
    done = run('explore', model_file, '--context', several + ':tow')
    check('a context that is misspelt',
          done.returncode == 2 and "has no context 'tow': did you mean 'two'?" in done.stderr,
          done.stderr)
    done = run('explore', model_file, '--context', several + ':nothing')
    check('a context that is not there',
          done.returncode == 2 and "has no context 'nothing'; it has one, two" in done.stderr,
          done.stderr)
    check('one that is', run('explore', model_file, '--context', several + ':two').returncode == 0)
    done = run('explore', model_file, '--context', path('none.cdl'))
    check('a file that is not there', done.returncode == 2 and 'none.cdl' in done.stderr,
          done.stderr)
    done = run('explore', model_file, '--context',
               write('unused.cdl',
                     main('skip',
                          'predicate p is { {Nobody}7:x = 1 and q }\nevent e is { send go to '
                          '{Nobody}1 }')))
    check('what a context does not use is not resolved', done.returncode == 0, done.stderr)


def references():
    bad(predicate('{§Nobody}1:x = 1'), "the model has no process or component 'Nobody'\n")
    bad(predicate('{§Mains}1:v = 1'),
        "the model has no process or component 'Mains': did you mean 'Main'?")
    bad(predicate('{§Nobody}1:x = 1'), "the model has no process 'Nobody'\n", model=MILESTONES)
    bad(predicate('{Q}§2@one'), "there is one 'Q': {Q}1")
    bad(predicate('{P}§0@idle'), "there are 2 instances of 'P': {P}1 to {P}2")
    bad(predicate('{P}§3@idle'), "there are 2 instances of 'P': {P}1 to {P}2",
        name='one instance too many')
    bad(predicate('{P}1@§idel'), "'P' has no state 'idel': did you mean 'idle'?")
    bad(predicate('{P}1@§nowhere'), "'P' has no state 'nowhere'\n")
    bad(predicate('§{Main}1@idle'), '{Main}1 has no states')
    bad(predicate('{P}1:§fleg'), "{P}1 has no variable 'fleg': did you mean 'flag'?")
    bad(predicate('{P}1:§nothing = 1'),
        "{P}1 has no variable 'nothing': it has box, ans, x, flag, a, r, last, mine\n")
    bad(predicate('{Q}1:§nothing = 1'), "{Q}1 has no variable 'nothing'\n")
    bad(predicate('{P}1:x[§0] = 1'), 'this is no array: a number has no elements')
    bad(predicate('{P}1:a[§3] = 1'), 'the index 3 is outside 0..2')
    bad(predicate('{P}1:a[§none] = 1'), "there is no constant 'none' in the model or given with -D")
    bad(predicate('{P}1:mine[§2] = go'), 'the index 2 is outside 0..1')
    bad(predicate('{P}1:x.§f = 1'), "'.f': this is no record")
    bad(predicate('{P}1:mine.§size = 1'), "a queue has 'length' and elements, not 'size'")
    bad(predicate('{P}1:r.§z = 1'), "the record has no field 'z'\n")
    bad(predicate('{P}1:r.§bit = [true, false]'),
        "the record has no field 'bit': did you mean 'bits'?")
    bad(predicate('{P}1:r = {§bit = [true, false]}'),
        "the record has no field 'bit': did you mean 'bits'?", name='a field of a value')
    bad(predicate('§3 = 4'),
        'a comparison of two values: one side must be a variable, such as {P}1:x')
    bad(predicate('{P}1:flag §< true'),
        'only numbers have an order: a Boolean can be compared with = and <>')
    bad(predicate('{P}1:flag §< {P}2:flag'),
        'only numbers have an order: a Boolean can be compared with = and <>',
        name='the order of two variables')
    bad(predicate('{P}1:flag §= {P}2:x'), 'a Boolean and a number cannot be compared')
    bad(predicate('{P}1:mine §= {P}2:mine'), 'a queue and this other one cannot be compared')
    bad(predicate('{P}1:x = §true'), 'a number is expected here\n')
    bad(predicate('{P}1:x = §go'), "a number is expected here, and there is no constant 'go'")
    bad(predicate('{P}1:flag = §2'), '2 is outside 0..1')
    bad(predicate('{P}1:last = §3'), 'a constructor is expected here\n')
    bad(predicate('{P}1:last = §halts'),
        "there is no 'halts' among the values that are possible here: did you mean 'halt'?")
    bad(predicate('{P}1:last = §nothing'),
        "there is no 'nothing' among the values that are possible here\n")
    bad(predicate('{P}1:last = §go(1)'), "'go' has no argument")
    bad(predicate('{P}1:last = put(1, §2)'), "'put' has one argument")
    bad(predicate('{P}1:last = put({§P}3:x)').replace('{§P}', '§{P}'),
        'a value is expected here, not a variable')
    bad(predicate('{P}1:a = §[1, 2]'), 'an array of 3 elements is expected here: this one has 2')
    bad(predicate('{P}1:a = §3'), 'an array is expected here\n')
    bad(predicate('{P}1:r = §3'), 'a record is expected here\n')
    bad(predicate('{P}1:r = §{x = 1}'), "the field 'bits' has no value")
    bad(predicate('{P}1:r = {x = 1, §x = 1}'), "the field 'x' has a value already")
    bad(predicate('{P}1:r = {x = 1, §zzz = 1}'), "the record has no field 'zzz'\n")
    bad(predicate('{P}1:mine = §go'),
        'queues cannot be compared or sent: compare their elements or their length')
    bad(predicate('§{P}1:x'), 'this is a number: a comparison is expected')
    bad(predicate('empty §{P}1:x'), 'this is a number, not a queue')
    odd(predicate('{P}1:x <> §12'), 'the variable never has this value: it lies in 0..9')


def events():
    bad(main('send go to {§R}1'), "the model has no process or component 'R'")
    bad(main('send go to {P}§3'), "there are 2 instances of 'P'",
        name='an event for an instance that is not there')
    bad(main('send §stop to {P}1'), "there is no 'stop' among the values that are possible here\n")
    bad(main('send §put to {P}1'), "'put' needs an argument")
    bad(main('send put(§4) to {P}1'), '4 is outside 1..3')
    bad(main('send put §0 to {P}1'), '0 is outside 1..3')
    bad(main('send pair({x = 2, bits = [true, §3]}) to {P}1'), '3 is outside 0..1')
    bad(main('§send true to {Q}1'), "messages need a queue, and 'Q_1' is none")
    bad(main('receive §4'), '4 is outside 1..3', name='a reception of a value that is not possible')
    without = write('without.fcr', MODEL.replace('P_2', 'other').replace('toContext', 'elsewhere'))
    bad(main('send go to {§P}2'),
        "there is neither a queue 'P_2' of a component nor a step 'go' of {P}2", model=without)
    bad(main('send 3 to {§P}2'), "there is no queue 'P_2' of a component\n", model=without)
    bad(main('§receive go'),
        "there is neither a queue 'toContext' of a component nor a step 'go'\n", model=without)
    bad(main('receive go from {§Q}1'),
        "there is neither a queue 'toContext' of a component nor a step 'go' of {Q}1",
        model=without)
    bad(main('sync §meat'), "the model has no step 'meat': did you mean 'meet'?")
    bad(main('sync §nothing'), "the model has no step 'nothing'\n")
    bad(main('sync "idle->busy" of {§Q}1'), "{Q}1 takes part in no step 'idle->busy'")
    bad(main('sync meet of {§Main}1'), "'Main' is a component: only processes take part in steps")
    bad(main('a ; b', 'event a is { sync meet }\nevent §b is { sync meet of {P}1 }'),
        "a step 'meet' would be both 'a' and 'b'", notes=['here'])
    text = run('translate', model_file, '--to', 'cairn').stdout
    model = write('model.cairn', text)
    bad(main('send §go to {P}1'),
        "this model does not say what 'go' carries: take the model in its own language",
        model=model)


def observers():
    bad('property §o is { s -- / / / -> reject }\ncdl c is { properties o }',
        "the property 'o' has no edge from 'start', where it begins")
    bad('restriction §o is { s -- / / / -> reject }\ncdl c is { restrictions o }',
        "the restriction 'o' has no edge from 'start', where it begins")
    odd('predicate p is { {P}1@busy }\nproperty §o is { start -- / p / / -> s }\ncdl c is { '
        'properties o }', "the property 'o' has no state 'reject': it always holds")
    odd('predicate p is { {P}1@busy }\nrestriction §o is { start -- / p / / -> s }\ncdl c is { '
        'restrictions o }', "the restriction 'o' has no state 'cut': it cuts nothing")
    odd('predicate p is { {P}1@busy }\nproperty §o is { start -- / p / / -> s ; t -- / p / / -> '
        'reject }\ncdl c is { properties o }',
        "the state 'reject' of the property 'o' is not reached from 'start'")
    odd('predicate p is { {P}1@busy }\nproperty §o is { start -- / p / / -> s ; t -- / p / / -> '
        'success }\ncdl c is { properties o }',
        "the state 'success' of the property 'o' is not reached from 'start'")
    bad('predicate p is { {P}1@busy }\nproperty o is { start -- / p / / -> s ; pending §stat '
        '}\ncdl c is { properties o }',
        "the property 'o' has no state 'stat': did you mean 'start'?")
    bad('predicate p is { {P}1@busy }\nproperty o is { start -- / p / / -> reject ; pending '
        '§reject }\ncdl c is { properties o }',
        "a run is violated at once in 'reject': nothing is pending there")
    bad('predicate p is { {P}1@busy }\nrestriction o is { start -- / p / / -> cut ; §pending start '
        '}\ncdl c is { restrictions o }',
        "expected another edge (only properties have pending states), found 'pending'")
    odd('predicate p is { {P}1@busy }\nproperty o is { start -- / p / / -> s ; §start -- / p / / '
        '-> reject }\ncdl c is { properties o }',
        'this edge is never taken: one above is always taken instead', notes=['here'])
    bad('property o is { start -- ck < §big / / / -> reject ; start -- / / / ck := 0 -> start '
        '}\ncdl c is { properties o }', 'a clock cannot be compared with -4', '-D', 'big=-4')
    timed = run('check', model_file, '--context',
                write('clock.cdl',
                      'predicate p is { true }\nproperty o is { start -- ck < 3 / p / / -> reject '
                      '}\ncdl c is { properties o }'))
    seen.append(timed.stderr)
    check('a clock that is never started',
          "the clock 'ck' is never started: this is never true" in timed.stderr, timed.stderr)


# ---- what is counted ----

BEHAVIOR = """const n : nat is 5
type Order is 0..(n - 1)
type Bits is array n of bool
type Mailbox is queue 1 of Order
process Behavior (&box : Mailbox) is
    states s0
    var flipped : Bits
    from s0
        on not (empty box);
        flipped[first box] := not flipped[first box];
        box := dequeue box;
        to s0
component System is
    var Behavior_1 : Mailbox
    par Behavior(&Behavior_1) end
System
"""


def counts(model, context, *options, command='explore'):
    code, found = run_json(command, model, '--context', context, *options)
    return ((found['states'], found['transitions'], found['deadlocks']) if found
            and 'states' in found else (code, found))


def behavior():
    model = write('behavior.fcr', BEHAVIOR)
    for n in range(1, 13):
        text = ''.join(f'event e{i} is {{ send {i} to {{Behavior}}1 }}\n'
                       for i in range(n)) + main(' || '.join(f'event e{i}' for i in range(n)))
        context = write(f'behavior{n}.cdl', text)
        wanted = (2 ** n + n * 2 ** (n - 1), n * 2 ** n, 0)
        check(f'behavior with {n} events',
              counts(model, context, '-D', f'n={n}', '--engine', 'explicit') == wanted, wanted)
        if n <= 8:
            check(f'behavior with {n} events, symbolic',
                  counts(model, context, '-D', f'n={n}', '--engine', 'symbolic') == wanted, wanted)
    for activity, wanted in (('loop 3 e', (7, 6)), ('loop rounds e', (9, 8)), ('loop 0 e', (1, 0)),
                             ('e ; f', (5, 4)), ('e [] f', (5, 4)), ('e [] e', (3, 2)),
                             ('e [] e ; f', (5, 4)), ('e || e', (5, 4)), ('{ e [] f } ; e', (9, 8)),
                             ('skip', (1, 0)), ('{ } || e ; skip', (3, 2)), ('2E', (5, 4)),
                             ('send 0 to {Behavior}1 [] e', (3, 2)), ('e || f [] e', (10, 10)),
                             ('loop 2 { e ; f }', (9, 8)), ('a || e', (10, 10))):
        text = main(activity,
                    'event e is { send 0 to {Behavior}1 }\nevent f is { send 1 to {Behavior}1 '
                    '}\nactivity 2E is { loop 2 e }\nactivity a is { e [] f }')
        found = counts(model, write('small.cdl', text),
                       *(['-D', 'rounds=4'] if 'rounds' in activity else []))
        check(f'{activity}', found[:2] == wanted, (found, wanted))
    text = 'event e is { send 0 to {Behavior}1 }\ncdl c is { main is { e } init is { e ; e } }\n'
    check('init, then main', counts(model, write('init.cdl', text))[:2] == (7, 6))


def agree():
    """Engines, texts and replayed traces."""
    activity = ('event send1 ; { receive 2 [] sync meet } || send put(3) to {P}2 ; receive 2 from '
                '{P}2')
    text = ('predicate calm is { not ({P}1@busy and {P}2@busy) }\npredicate loaded is { '
            '{P}1:box.length = 1 and {P}1:box[0] = go }\npredicate last is { {P}2:last = put(3) }\n'
            'predicate put is { {P}2:last = put }\nevent send1 is { send go to {P}1 }\nevent busy2 '
            'is { last becomes true }\n'
            'property once is { start -- / / busy2 / -> s ; s -- / / busy2 / -> reject }\n'
            'restriction early is { start -- / / send1 / -> after ; after -- / put / / -> cut }\n'
            f'cdl plain is {{ main is {{ {activity} }} }}\n'
            f'cdl full is {{ assert calm, last properties once main is {{ {activity} }} }}\ncdl '
            f'cut is {{ assert calm restrictions early main is {{ {activity} }} }}\n')
    file = write('agree.cdl', text)
    for name in ('plain', 'full', 'cut'):
        context = f'{file}:{name}'
        found = counts(model_file, context, '--engine', 'explicit')
        check(f'{name}: symbolic', counts(model_file, context, '--engine', 'symbolic') == found,
              found)
        check(f'{name}: sanitized',
              run('explore', model_file, '--context', context, program=ASAN).returncode == 0)
        woven = run('translate', model_file, '--context', context, '--to', 'cairn').stdout
        again = write('again.cairn', woven)
        check(f'{name}: as a text',
              run('translate', again, '--to', 'cairn').stdout.replace(again, model_file)
              == woven.replace(again, model_file), woven)
        code, read = run_json('explore', again)
        check(f'{name}: read back',
              read and (read['states'], read['transitions'], read['deadlocks']) == found,
              (code, read, found))
        verdicts = []
        for engine in ('explicit', 'symbolic', 'bounded'):
            code, checked = run_json('check', model_file, '--context', context, '--engine', engine)
            verdicts.append({p['name']: p['verdict'] for p in checked['properties']} if checked
                            else code)
        check(f'{name}: verdicts', verdicts[0] == verdicts[1] == verdicts[2], verdicts)
        if name == 'full':
            check('an assertion that does not hold',
                  verdicts[0].get('calm') == 'violated' and verdicts[0].get('last') == 'violated'
                  and verdicts[0].get('once') == 'holds', verdicts)
            trace = path('calm.itf.json')
            run('check', model_file, '--context', context, '-p', 'calm', '--trace', trace)
            with open(trace, encoding='utf-8') as saved:
                meta = json.load(saved)['#meta']
            check('a trace knows its context', meta.get('context') == context, meta)
            done = run('replay', trace)
            check('a trace replays in its context',
                  done.returncode == 0 and 'It violates calm.' in done.stdout,
                  done.stdout + done.stderr)
            check('a simulation',
                  run('simulate', model_file, '--context', context).returncode in (1, 3))


def milestones():
    """Steps that scenario and system take together: philosophers who are told when to take and put
    their forks."""
    context = write('phils.cdl',
                    main('send take_left to {Phil}1 ; sync take_right of {Phil}1 || sync take_left '
                         'of {phil}2'))
    found = counts(MILESTONES, context, '-D', 'n=2', '--engine', 'explicit')
    check('philosophers: engines',
          counts(MILESTONES, context, '-D', 'n=2', '--engine', 'symbolic') == found, found)
    woven = write('phils.cairn',
                  run('translate', MILESTONES, '--context', context, '-D', 'n=2', '--to',
                      'cairn').stdout)
    code, read = run_json('explore', woven)
    check('philosophers: read back',
          read and (read['states'], read['transitions'], read['deadlocks']) == found, (read, found))
    allowed = write('phils2.cdl',
                    main('sync take_left of {Phil}1 ; sync take_right of {Phil}1 ; sync put_left '
                         'of {Phil}1 ; sync put_right of {Phil}1'))
    one = counts(MILESTONES, allowed, '-D', 'n=2')
    check('philosophers: a meal in order', isinstance(one, tuple) and one[0] > 4, one)
    variable = write('phils3.cdl',
                     'predicate p is { not ({Phil}1:pc = {Phil}2:pc and {Fork}1:taken = 1) }\ncdl '
                     'c is { assert p }')
    code, checked = run_json('check', MILESTONES, '--context', variable, '-D', 'n=2')
    check('philosophers: variables by name',
          checked
          and {p['name']: p['verdict'] for p in checked['properties']}.get('p') == 'violated',
          checked)
    bad(main('send §go to {Phil}1').replace('§go to {', 'go to {§'),
        "there is neither a queue 'Phil_1' of a component nor a step 'go' of {Phil}1",
        model=MILESTONES)


DEAD_CONTEXTS = """event n is { sync never }
event e is { sync extra of {P}1 }
event g is { sync go }
event w is { sync said of {P}1 }
property never_n is { start -- / / n / -> reject }
property g_then_e is { start -- / / g / -> s ; s -- / / e / -> reject ; s -- / / sync said / -> \
reject }
cdl observed is { properties never_n, g_then_e main is { } }
cdl waits is { main is { g ; n ; g } }
cdl either is { properties g_then_e main is { { e [] g } ; { n [] g } || sync said of {Q}1 } }
cdl said is { main is { w [] g } }
"""
DEAD_GUIDES = """guide all = (never [] go [] extra [] back [] meet [] said)*;
guide one = go ; "P[0].never" [] back;
"""


def verdicts(result):
    return ({p['name']: p['verdict'] for p in result['properties']} if result
            and 'properties' in result else result)


def dead_steps():
    """Steps that constants switch off are those that a variable which never changes switches off,
    for contexts, guides and p-points."""
    with open(os.path.join(ROOT, 'test/regress/dead-steps.fcr'), encoding='utf-8') as file:
        text = file.read()
    constant = write('dead.fcr', text)
    # the same with conditions that only a search can refute
    variable = text.replace('states s, t\n', 'states s, t\n  var off : bool\n').replace('on x < 0',
        'on off').replace('on on_off', 'on off')
    variable = variable.replace('from s\n', 'from s ').replace('  states s\n  from s meet; to s',
                                                               '  states s\n  var off : bool\n  '
                                                               'from s meet; to s\n  from s on '
                                                               'off; talk; to s')
    living = write('living.fcr', variable)
    printed = write('dead.cairn', run('translate', constant, '--to', 'cairn').stdout)
    again = run('translate', printed, '--to', 'cairn').stdout
    with open(printed, encoding='utf-8') as file:
        check('dead steps: printed, read and printed',
              file.read().replace('"dead.fcr"', '') == again.replace('"dead.fcr"', '')
              and again.count('\ndead ') == 3, again)
    context, guide = write('dead.cdl', DEAD_CONTEXTS), write('dead.xgdl', DEAD_GUIDES)
    for name in ('observed', 'waits', 'either', 'said'):
        wanted = run_json('check', living, '--context', f'{context}:{name}')
        for model in (constant, printed):
            for more in ((), ('--engine', 'symbolic'), ('--order', 'past-freeze')):
                if name == 'observed' and more and more[0] == '--order':
                    continue
                found = run_json('check', model, '--context', f'{context}:{name}', *more)
                good = (found[0] == wanted[0] and verdicts(found[1]) == verdicts(wanted[1])
                        and found[1]['states'] == wanted[1]['states'])
                check(f'dead steps: context {name}, {os.path.basename(model)} {more}', good,
                      (found, wanted))
    for name in ('all', 'one'):
        wanted = run_json('check', living, '--guide', f'{guide}:{name}')
        for model in (constant, printed):
            done = run('check', model, '--guide', f'{guide}:{name}')
            found = run_json('check', model, '--guide', f'{guide}:{name}')
            good = (found[0] == wanted[0] and verdicts(found[1]) == verdicts(wanted[1])
                    and found[1]['states'] == wanted[1]['states'])
            check(f'dead steps: guide {name}, {os.path.basename(model)}',
                  good and 'no step' not in done.stderr, (done.stderr, found, wanted))
            check(f'dead steps: guide {name} forbids', ('extra' in done.stderr) == (name == 'one'),
                  done.stderr)
    for points in ('never', 'never,go', 'P.extra', 'P[0].said,back', 'Q.said'):
        wanted = run_json('explore', living, '--partition', points)[1]
        for model in (constant, printed):
            found = run_json('explore', model, '--partition', points)[1]
            same = (found
                    and all(found[key] == wanted[key]
                            for key in ('states', 'transitions', 'deadlocks')))
            check(f'dead steps: p-points {points}, {os.path.basename(model)}',
                  same and found['statistics']['p_paths'] == wanted['statistics']['p_paths'], found)
    bad(main('sync §nevr'), "the model has no step 'nevr': did you mean 'never'?", model=constant,
        name='a misspelt step that is never taken')
    bad(main('sync never of {§Q}1'), "{Q}1 takes part in no step 'never'", model=constant,
        name='a step of somebody else that is never taken')
    mil = write('dead.mil', """CONST n = 0;
VARIABLES x : 2 := 0; END
ACTIONS both; lonely; END
LOCAL W ACTIONS work; rest; END SYNC both; END LOCATIONS a; END CASE [a] [work] true : x := x + 1; \
END END
LOCAL V ACTIONS other; END LOCATIONS a; END CASE [a] [other] true : x := 0; END END
MAIN PROC w : W[1]; v : V[n]; END END
""")
    for step in ('work', 'rest of {w}1', 'both', 'lonely', 'other'):
        done = run('explore', mil, '--context', write('mil.cdl', main(f'sync {step}')))
        check(f'dead steps in Milestones: {step}', done.returncode == 0, done.stderr)
    bad(main('sync §nobody'), "the model has no step 'nobody'", model=mil,
        name='an action that Milestones does not have')


AMBIGUOUS = """type M is 0..3
type Q is queue 1 of M
process P (&q : Q, &o : Q) is
  states s
  from s on not (empty q); on not (full o); select o := enqueue(o, 2) [] o := enqueue(o, 3) end; q \
:= dequeue q; to s
component Sys is
  var P_1 : Q, toContext : Q
  par P(&P_1, &toContext) end
Sys
"""


def choices():
    """Alternatives that begin with the same event: a note, because a deadlock of one of them alone
    is not found."""
    model = write('ambiguous.fcr', AMBIGUOUS)
    before = ('event a is { send 1 to {P}1 }\nevent r2 is { receive 2 }\nevent r3 is { receive 3 '
              '}\nactivity b is { skip [] a }\n')
    for activity, event in (('{ a ; r2 } [] §{ a ; r3 }', 'a'),
                            ('r2 [] loop 2 { a ; r2 } [] §{ b ; r3 }', 'a'),
                            ('a ; { r2 [] r3 }', None), ('{ a ; r2 } [] { a ; r2 }', None),
                            ('{ a || r2 } [] §{ r3 || r2 }', 'r2'), ('loop 0 a [] a ; r2', None),
                            ('{ b ; r2 } [] §{ r2 ; a }', 'r2'),
                            ('{ a ; r2 } || { a ; r3 }', None)):
        text = main(activity, before)
        done = run('explore', model, '--context', write('choice.cdl', text.replace('§', '')),
                   program=ASAN)
        place = 'choice.cdl:%d:' % place_of(text)[0] if '§' in text else ''
        wanted = f"note: this alternative begins with '{event}', like another one"
        seen.append(done.stderr)
        check(f'choices: {activity}',
              (wanted in done.stderr and place in done.stderr) if event
              else 'note' not in done.stderr, done.stderr)
    early, one = (counts(model, write('early.cdl', main(activity, before)))
                  for activity in ('{ a ; r2 } [] { a ; r3 }', 'a ; r2'))
    check('choices: a deadlock of one alternative', early[2] == 0 and one[2] == 1, (early, one))
    check('choices: quiet',
          'note' not in run('explore', model, '-q', '--context', path('early.cdl')).stderr)


def sender_process(rng, number):
    """A process that adds messages to a queue in one of several ways; msg(m) stands where it sends
    m."""
    states = ['s', 't', 'u']
    lines = [f'process P{number} [p : none] (&o : Q, &x : D) is', '  states s, t, u',
             '  var b : bool']
    for state in states:
        for _ in range(rng.randint(1, 2)):
            to = rng.choice(states)
            put = f'on not (full o); o := enqueue(o, msg({number}, {rng.randint(0, 1)}))'
            kind = rng.random()
            if kind < 0.5:
                lines.append(f'  from {state} {put}; to {to}')
            elif kind < 0.6:
                lines.append(
                    f'  from {state} on not (full o); if x = 1 then o := enqueue(o, msg({number}, '
                    f'1)); x := 0 else x := 1 end; to {to}')
            elif kind < 0.7:
                lines.append(
                    f'  from {state} on length o + 2 <= CAP; o := enqueue(o, msg({number}, 0)); o '
                    f':= enqueue(o, msg({number}, 1)); to {to}')
            elif kind < 0.85:
                lines.append(
                    f'  from {state} p; on not (full o); o := enqueue(o, msg({number}, '
                    f'{rng.randint(0, 1)})); to {to}')
            else:
                lines.append(f'  from {state} x := {rng.randint(0, 1)}; to {to}')
    return '\n'.join(lines)


def sender_scenario(rng, events, depth):
    kind = rng.random()
    if not depth or kind < 0.2:
        return rng.choice(events)
    if kind < 0.3:
        return f'loop {rng.randint(0, 3)} {{ {sender_scenario(rng, events, depth - 1)} }}'
    operator = rng.choice([' ; ', ' ; ', ' [] ', ' || '])
    return '{ ' + operator.join(sender_scenario(rng, events, depth - 1)
                                for _ in range(rng.randint(2, 3))) + ' }'


def senders():
    """Receptions that ask for a sender: like a model in which every message says who sent it."""
    for case in range(300 if LONG else 25):
        rng = random.Random(f'senders {SEED} {case}')
        count, capacity = rng.randint(1, 3), rng.randint(1, 3)
        # what is there in the beginning is nobody's: 7 in the other model
        first = rng.choice(['', '', ' := {|0|}'])
        text = ['type D is 0..1', 'type M is 0..40',
                f'type Q is queue {capacity} of M'] + [sender_process(rng, n) for n in range(count)]
        text += ['process K [p : none] is states s from s p; to s', 'component Sys is',
                 f'  var toContext : Q{first}, x : D',
                 '  port ' + ', '.join(f'p{n} : none' for n in range(count)),
                 '  par * in '
                 + ' || '.join(f'P{n} [p{n}] (&toContext, &x) || K [p{n}]' for n in range(count))
                 + ' end', 'Sys']
        text = '\n'.join(text).replace('CAP', str(capacity))
        plain = write('senders.fcr', re.sub(r'msg\((\d), (\d)\)', r'\2', text))
        tagged = write('tagged.fcr',
                       re.sub(r'msg\((\d), (\d)\)',
                              lambda found: str(10 * int(found[1]) + 10 + int(found[2])),
                              text).replace('{|0|}', '{|7|}'))
        events = {f'e{n}': (f'receive 1 from {{P{n}}}1', f'receive {10 * n + 11}')
                  for n in range(count)}
        every = ' [] '.join([f'receive {10 * n + 10}' for n in range(count)] + ['receive 7'])
        scenario = sender_scenario(rng, [*events, 'any0'], 3)
        edges = [f'start -- / / {rng.choice([*events])} / -> s',
                 f's -- / / {rng.choice([*events])} / -> reject'] + [f's -- / / {e} / -> start'
            for e in events]
        edges += [f'start -- / / {e} / -> start' for e in events]
        results = []
        for kind, model in enumerate((plain, tagged)):
            context = ''.join(f'event {name} is {{ {body[kind]} }}\n'
                              for name, body in events.items())
            context += (f'activity any0 is {{ {("receive 0", every)[kind]} }}\nproperty o is {{ '
                        f'{" ; ".join(edges)} }}\n')
            context += f'cdl c is {{ properties o main is {{ {scenario} }} }}\n'
            done = run_json('check', model, '--context', write(f'senders{kind}.cdl', context),
                            '--engine', 'explicit')
            results.append(
                (done[0], done[1] and {key: done[1].get(key) for key in ('states', 'deadlocks')},
                 verdicts(done[1])))
        unused = count == 1 and not first # then nothing needs to be told apart
        good = (results[0] == results[1] and (results[0][1] or {}).get('states') and not unused
                or results[0][2] == results[1][2] and unused)
        check(f'senders: case {case} of seed {SEED}', good, (results, scenario, text))
    known, context = (os.path.join(ROOT, f'test/regress/receive-from.{ending}')
                      for ending in ('fcr', 'cdl'))
    for name, states, wanted in (('waits', 3, {'never': 'holds', 'deadlock': 'violated'}),
                                 ('takes', 5,
                                  {'never': 'holds', 'once': 'violated', 'some': 'violated'}),
                                 ('anybody', 5, {'never': 'holds', 'once': 'violated'})):
        for more in ((), ('--engine', 'symbolic'), ('--engine', 'bounded')):
            found = run_json('check', known, '--context', f'{context}:{name}', *more)[1]
            told_of = {key: verdict for key, verdict in verdicts(found).items() if key in wanted
                       and verdict != 'unknown'}
            check(f'senders: {name} {more}',
                  told_of.items() <= wanted.items()
                  and (more or (told_of == wanted and found['states'] == states)), found)
    model = write('from.fcr', """type Q is queue 2 of 0..3
process P (&o : Q) is states s, t
  from s on not (full o); o := enqueue(o, 2); to t
process R (&o : Q, &k : 0..3) is states s, t
  from s on false; o := enqueue(o, 2); to t
process T (&o : Q) is states s, t
  from s on not (empty o); o := dequeue o; to t
process Head (&o : Q) is states s, t
  from s on not (full o); o := append(o, 1); to t
component Sys is var toContext : Q, x : 0..3 par P(&toContext) || R(&toContext, &x) || OTHER end
component In is var x : Q par P(&x) end
Sys
""".replace(' || OTHER', ''))
    odd(main('receive 2 from {§R}1'), "this never happens: no step of R[0] writes 'toContext'",
        model=model)
    for more, why in ((' || T(&toContext)', 'a step does more than adding a message at its end'),
                      (' || Head(&toContext)',
                       'a step does more than adding a message at its end')):
        with open(model, encoding='utf-8') as file:
            text = file.read().replace('&x) end', f'&x){more} end')
        bad(main('receive 2 from {§P}1'),
            "it cannot be told who sends the messages in 'toContext': " + why,
            model=write('from2.fcr', text), notes=['the step'], name=f'senders: {more}')
    both = write('both.fcr', """type Q is queue 2 of 0..3
process A [p : none] (&o : Q) is states s from s p; o := enqueue(o, 2); to s
component In (&q : Q) is port p : none par * in A [p] (&q) || A [p] (&q) end
component Sys is var toContext : Q par In (&toContext) end
Sys
""")
    bad(main('receive 2 from {§A}1'),
        "it cannot be told who sends the messages in 'toContext': several processes take part in a "
        "step that writes it", model=both, notes=['the step'])
    bad(main('receive 2 from {§In}1'), "'In' is a component: messages come from processes",
        model=both)
    check('messages of the outermost component are everybody\'s',
          run('explore', both, '--context',
              write('sys.cdl', main('receive 2 from {Sys}1'))).returncode == 1)


TIMED = """type Box is queue 2 of 0..1
process S (&box : Box) is states idle, work
  var k : 0..1
  from idle on not (empty box); wait [1,2]; k := first box; box := dequeue box; to work
  from work wait [3,4]; k := 0; to idle
"""


def timed():
    """A context acts at any time and disturbs no timer: the same as a process that does the
    same."""
    closed = TIMED + """process E (&box : Box) is states a, b, c, d
  from a on not (full box); box := enqueue(box, 0); to b
  from b on not (full box); box := enqueue(box, 1); to c
  from c on not (full box); box := enqueue(box, 0); to d
component M is var S_1 : Box par S(&S_1) || E(&S_1) end
M
"""
    opened = TIMED + 'component M is var S_1 : Box par S(&S_1) end\nM\n'
    context = write('timed.cdl', main('send 0 to {S}1 ; send 1 to {S}1 ; send 0 to {S}1'))
    for zones in ('inclusion', 'equal'):
        ours = run_json('explore', write('opened.fcr', opened), '--context', context, '--zones',
                        zones)[1]
        theirs = run_json('explore', write('closed.fcr', closed), '--zones', zones)[1]
        check(f'time, zones {zones}',
              ours and all(ours[key] == theirs[key] for key in ('states', 'transitions', 'depth'))
              and ours['deadlocks'] == 0 and theirs['deadlocks'] == 1, (ours, theirs))


def documentation():
    """The first text of docs/cdl.md is one; a trace keeps constants that only the context has."""
    with open(os.path.join(ROOT, 'docs/cdl.md'), encoding='utf-8') as file:
        text = re.search(r'^```\n(.*?)^```\n', file.read(), re.M | re.S).group(1)
    model = write('server.fcr', """type Msg is union go | halt | done end
type Box is queue 2 of Msg
process Server (&box : Box, &ans : Box) is
  states waiting, working
  var count : 0..9
  from waiting on not (empty box); box := dequeue box; count := count + 1; to working
  from working on not (full ans); ans := enqueue(ans, done); to waiting
component Sys is
  var Server_1 : Box, Server_2 : Box, toContext : Box
  par Server(&Server_1, &toContext) || Server(&Server_2, &toContext) end
Sys
""")
    code, found = run_json('check', model, '--context', write('session.cdl', text))
    check('documentation: the first context',
          code == 1 and {p['name'] for p in found['properties']} >= {'small', 'answered'},
          (code, found))
    context = write('rounds.cdl',
                    'predicate few is { {Server}1:count < rounds }\ncdl c is { assert few main is '
                    '{ loop 2 { send go to {Server}1 ; receive done } } }\n')
    trace = path('rounds.itf.json')
    done = run('check', model, '--context', context, '-D', 'rounds=2', '-p', 'few', '--trace',
               trace)
    check('a constant of the context', done.returncode == 1, done.stdout + done.stderr)
    done = run('replay', trace)
    check('a trace keeps it', done.returncode == 0 and 'It violates few.' in done.stdout,
          done.stdout + done.stderr)


def exports():
    for form in ('promela', 'smv', 'ord', 'aiger', 'aag', 'dot', 'aut'):
        done = run('translate', model_file, '--context', path('agree.cdl') + ':plain', '--to', form,
                   text=False)
        check(f'translated to {form}', done.returncode == 0 and done.stdout, done.stderr)


def published():
    """The contexts of the demosite, when the files are there: the counts that are told in them."""
    model = os.path.join(os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus')),
                         'cdl', 'demosite_full.fcr')
    if not os.path.exists(model):
        print('the corpus is not here: its contexts were left out')
        return
    for name, wanted in (('ctx_cut_goalReached', (7639424, 27620992)),
                         ('ctx_cut_goalReached1', (7430592, 26904576)),
                         ('ctx_goalReached', (15233280, 55241984))):
        found = counts(model, model.replace('.fcr', '.cdl') + ':' + name, '--engine', 'symbolic')
        check(f'demosite: {name}', found[:2] == wanted, (found, wanted))


def random_contexts():
    rounds = 400 if LONG else 60
    for seed in range(SEED, SEED + rounds):
        case = contexts.make(random.Random(seed))
        model, context = write('random.fcr', case.model), write('random.cdl', case.context)
        wanted = case.explore()
        for engine in ('explicit', 'symbolic') if seed % 3 == 0 else ('explicit',):
            found = counts(model, context, '--engine', engine)
            check(f'random context {seed}, {engine}', found == wanted,
                  f'{found} instead of {wanted}\n{case.context}\n{case.model}')


def limits():
    """A scenario that takes minutes to build ends after --time, with a result."""
    events = ''.join(f'event {e} is {{ send {i} to {{Behavior}}1 }}\n' for i, e in enumerate('efg'))
    large = 'loop 400 { e [] f } || loop 400 { f ; g } || loop 400 { g [] e }'
    model, context = write('limits.fcr', BEHAVIOR), write('limits.cdl', events + main(large))
    code, found = run_json('check', model, '--context', context, '--time', '0.5s')
    check('time while a scenario is built',
          code == 3 and found and found['verdict'] == 'unknown' and found['complete'] is False
          and 'time limit' in found['assurance'], (code, found))
    done = run('explore', model, '--context', context, '--time', '0.5s')
    check('time while a scenario is built, in words',
          done.returncode == 3
          and 'the time limit was reached while the model was read' in done.stderr
          and not done.stdout, done.stderr)
    several = write('several.cdl',
                    events
                    + f'cdl small is {{ main is {{ e }} }}\ncdl large is {{ main is {{ {large} }} '
                    f'}}\n')
    code, found = run_json('check', model, '--context', several, '--time', '0.5s')
    check('time while one of several scenarios is built',
          code == 3 and found and found['complete'] is False
          and (found['contexts'][0]['complete'] or found['contexts'][0].get('seconds', 1) >= 0.5)
          and not found['contexts'][1].get('complete'), (code, found))


def damaged():
    """Texts with pieces missing or doubled never crash."""
    with open(path('agree.cdl'), encoding='utf-8') as file:
        text = file.read()
    chance = random.Random(SEED)
    for i in range(300 if LONG else 60):
        tokens = re.findall(r'\w+|\s+|.', text)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(tokens))
            tokens[at:at + chance.randint(0, 2)] = chance.sample(tokens, chance.randint(0, 2))
        done = run('explore', model_file, '--context',
                   write('damaged.cdl', ''.join(tokens)) + ':plain', program=ASAN)
        check(f'damaged text {i}', not crashed(done), done.stderr[-800:] + ''.join(tokens))


# ---- all messages ----

def every_message():
    everything = '\n'.join(seen)
    calls = (r'\b(?:diag_error|diag_note|diag_warning|cdl_unexpected|cdl_expect|cdl_expect_word|cdl'
             r'_expect_name)\(')
    found = 0
    for file in sorted(glob.glob(os.path.join(ROOT, 'src/lang/cdl/*.c'))):
        # patterns have a suite of their own
        if (os.path.basename(file) in ('pattern.c', 'patterns.c')):
            continue
        with open(file, encoding='utf-8') as source:
            code = source.read()
        for literal, line in literals_of(code, calls):
            found += 1
            check(f'{os.path.basename(file)}:{line}: "{literal}" is given for some text',
                  pattern_of(literal.strip()).search(everything))
    check('there are many messages', found > 80, found)


for part in (syntax, names, references, events, observers, behavior, agree, exports, milestones,
             dead_steps, senders, choices, timed, documentation, published, random_contexts, limits,
             damaged, every_message):
    part()
finish()
