"""Hidden variables of models. Random models with hidden variables that influence nothing have
exactly the counts and verdicts of the same model without them, in every engine. Random models in
which any variables are hidden, against a brute force over the whole state space: either everything
is exact, or nothing is called complete and nothing holds, and violations replay. Known models,
code, contexts, guides, exports, messages."""
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ROOT, CAIRN, DEGENERATE, LONG, SEED, check, finish, path, run, run_json, section,
                 write)
from hidden_models import LEFT_OUT, Harmless, Marked, draw
import oracle


# ---- nothing is influenced ----
COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks')
EXPLORERS = (('bfs', CAIRN, ()), ('dfs', CAIRN, ('--order', 'dfs')), ('degenerate', DEGENERATE, ()),
             ('threads', CAIRN, ('--engine', 'explicit', '--threads', '2')),
             ('partition', CAIRN, ('--partition', 'auto')),
             ('symbolic', CAIRN, ('--engine', 'symbolic', '--time', '20')))
CHECKERS = (('bfs', ()), ('symbolic', ('--engine', 'symbolic', '--time', '20')),
            ('bounded', ('--engine', 'bounded', '--bound', '8')), ('por', ('--reduce', 'por')))


def compare_verdicts(name, ours, theirs):
    expected = {item['name']: item['verdict'] for item in theirs}
    for item in ours['properties']:
        if item['verdict'] != 'unknown' and expected[item['name']] != 'error':
            check(f'{name} {item["name"]}', item['verdict'] == expected[item['name']],
                  item['verdict'])


def replays(name, model, ours):
    """The first trace is saved: it must be one of the model with all its variables."""
    if not any(item['trace'] for item in ours['properties']):
        return
    result = run('replay', path('hidden.itf.json'), '-q')
    check(f'{name} replays', result.returncode == 0 and 'does not violate' not in result.stdout,
          result.stdout + result.stderr)


def harmless(seed):
    text, _, _ = draw(Harmless, seed, lambda text: LEFT_OUT.sub('', text))
    theirs = oracle.run(LEFT_OUT.sub('', text))
    model = write('harmless.mil', text)
    for label, program, extra in EXPLORERS:
        name = f'harmless {seed} {label}'
        status, ours = run_json('explore', model, '-q', *extra, program=program)
        if label == 'symbolic' and ours and 'time' in (ours['statistics']['stop'] or ''):
            continue # products explode, with and without hidden variables
        if not check(f'{name} is complete', ours and ours['complete'], (status, text)):
            continue
        for key in COUNTS:
            check(f'{name} {key}', ours[key] == theirs[key],
                  f'{ours[key]} instead of {theirs[key]}')
        check(f'{name} run-time errors',
              ours['statistics']['runtime_errors'] == theirs['runtime_errors'])
        check(f'{name} says so',
              'zh' in ours['statistics']['hidden_left_out']
              and ours['statistics']['hidden_influencing'] == [])
    for label, extra in CHECKERS:
        name = f'harmless {seed} {label}'
        status, ours = run_json('check', model, '-q', '--trace', path('hidden.itf.json'), *extra)
        if check(f'{name} checks', ours is not None, status):
            compare_verdicts(name, ours, theirs['properties'])
            check(f'{name} decides',
                  label == 'bounded' or 'time' in (ours['statistics']['stop'] or '')
                  or all(item['verdict'] != 'unknown' for item in ours['properties'])
                  or any(item['verdict'] == 'error' for item in theirs['properties']))
            replays(name, model, ours)


# ---- anything may be influenced ----
told = {'exact': 0, 'influenced': 0, 'fewer': 0, 'violated': 0}


def exact_counts(name, ours, seen):
    check(f'{name}: what looks the same behaves the same', seen.exact)
    expected = (len(seen.states), len(seen.steps), len(seen.initial),
                sum(not nexts for nexts in seen.successors))
    check(f'{name} counts', tuple(ours[key] for key in COUNTS) == expected, (expected, ours))
    check(f'{name} run-time errors', ours['statistics']['runtime_errors'] == sum(seen.errors))
    if ours['depth'] is not None:
        check(f'{name} depth', ours['depth'] == seen.depth, seen.depth)


def marked(seed):
    text, model, graph = draw(Marked, seed)
    seen, theirs = oracle.project(model, graph), oracle.check(model, graph, False)
    file = write('marked.mil', text)
    for label, program, extra in (('bfs', CAIRN, ()), ('dfs', CAIRN, ('--order', 'dfs')),
                                  ('degenerate', DEGENERATE, ())):
        name = f'marked {seed} {label}'
        result, ours = run_json('explore', file, '-q', *extra, program=program)
        if not check(f'{name} explores', ours is not None, result):
            return
        influenced = bool(ours['statistics'].get('hidden_influencing'))
        check(f'{name} is complete or not', ours['complete'] != influenced)
        if influenced:
            told['fewer'] += ours['states'] < len(seen.states)
            check(f'{name} status', result in (1, 3) and ours['depth'] is None, result)
            check(f'{name} has no more states',
                  ours['states'] <= len(seen.states) and ours['transitions'] <= len(seen.steps),
                  ours['states'])
            check(f'{name} initial states', ours['initial_states'] == len(seen.initial))
            check(f'{name} says so',
                  'coverage is not guaranteed' in ours['assurance']
                  and ours['statistics']['hidden_influencing'][0] in ours['assurance'])
        else:
            exact_counts(name, ours, seen)
        result, ours = run_json('check', file, '-q', '--trace', path('hidden.itf.json'), *extra,
                                program=program)
        if not check(f'{name} checks', ours is not None, result):
            continue
        influenced = bool(ours['statistics'].get('hidden_influencing'))
        told['influenced' if influenced else 'exact'] += 1
        verdicts = [item['verdict'] for item in ours['properties']]
        check(f'{name} never claims',
              not influenced
              or ('holds' not in verdicts and ours['verdict'] != 'holds' and not ours['complete']
                  and result in (1, 3)), (verdicts, result))
        compare_verdicts(name, ours, theirs)
        replays(name, file, ours)
        told['violated'] += influenced and 'violated' in verdicts


# ---- known models ----
TURNS = '''VARIABLES hidden i : 3 := 0; x : 3 := 0; END
LOCAL P  ACTIONS up; other; END  VARIABLES pc : 1 := 0; END
  CASE [0] [up] x < 4 : x := x + 1; i := i + 1;  [0] [other] CONDITION : pc := 1;  [1] [up] true : \
pc := 0;  END
END
MAIN PROC p : P; END END
INVARIANTS small: x < 4; PROPERTY END
'''


def turns_text(condition='x == 2', property=''):
    return TURNS.replace('CONDITION', condition).replace('PROPERTY', property)


def turns(condition='x == 2', property=''):
    return write('turns.mil' if condition == 'x == 2' else 'influenced.mil',
                 turns_text(condition, property))


CODE = '''cairn 1
model "code" ranged
variable "x" 0..3 = 0
variable "h" hidden 0..9 = 0
variable "a" hidden 0..3 = 1
variable "b" hidden 0..3 = 2
local "l" 0..9
rule "step" part global when (lt "x" 3)
  set "x" (within range 0..3 (add 0 "x" 1))
  do
    set (local "l") (within range 0..9 (add 0 X 1))
    set "h" (local "l")
    copy 1 "a" "b"
    AFTER
  end
'''


def explored(model, *extra, **more):
    status, ours = run_json('explore', model, '-q', *extra, **more)
    return status, ours, ours['statistics'] if ours else {}


def known():
    status, ours, statistics = explored(turns())
    check('a counter is left out',
          status == 0 and ours['states'] == 6 and statistics['hidden_left_out'] == ['i']
          and statistics['coverage_guaranteed'], ours)
    status, ours, statistics = explored(turns('i == 2'))
    check('a guard reads it',
          status == 3 and statistics['hidden_influencing'] == ['i']
          and not statistics['coverage_guaranteed'], ours)
    status, ours, _ = explored(turns(property='few: i < 2;'))
    check('what is not asked for does not count', status == 0 and ours['complete'])
    status, ours = run_json('check', turns(property='few: i < 7;'), '-q', '--no-deadlock')
    check('a property that reads it is not decided',
          status == 1 and not ours['complete']
          and [item['verdict'] for item in ours['properties']]
          == ['violated', 'unknown', 'unknown'], ours)
    status, ours = run_json('check', turns(property='few: i < 7;'), '-q', '-p', 'small')
    check('another one is',
          ours['statistics']['hidden_left_out'] == ['i'] and ours['complete'] is False
          and ours['verdict'] == 'violated')
    steps = ours['properties'][0]['trace']['steps']
    check('a trace shows its values', [step['state']['i'] for step in steps] == [0, 1, 2, 3, 4],
          steps)
    status, ours = run_json('check', turns(property='few: i < 3;'), '-q', '-p', 'few')
    check('a violation is found', status == 1 and ours['properties'][0]['verdict'] == 'violated')
    result = run('check', turns('i == 2'), '-p', 'deadlock')
    check('a warning points at the reader',
          ":3:62: warning: the hidden variable 'i' influences what can be seen" in result.stderr,
          result.stderr)
    for formula, influenced in (('(lt "x" 3)', False), ('(lt "h" 3)', True), ('(lt "a" 3)', True)):
        result, ours = run_json('check',
                                write('code.cairn', CODE.replace('X', '"x"').replace('AFTER', '')),
                                '-q', '--invariant', formula)
        check(f'code and {formula}', bool(ours['statistics']['hidden_influencing']) == influenced,
              ours)


def code():
    for value, after, influencing in (('"x"', '', []), ('"a"', '', []), ('"h"', '', ['h']),
                                      ('"x"', 'if (lt "h" 3) set "x" 0 end', ['h']),
                                      ('"x"', 'require (lt "a" 3)', ['a', 'b']),
                                      ('"x"', 'set "b" (within range 0..3 (add 0 "b" 1))', ['b']),
                                      ('"a"', 'set "x" (within range 0..3 (local "l"))',
                                       ['a', 'b'])):
        text = CODE.replace('X', value).replace('AFTER', after)
        status, ours, statistics = explored(write('code.cairn', text))
        check(f'code with {value} and {after}', statistics.get('hidden_influencing') == influencing,
              (statistics, status))
        status, ours, _ = explored(write('plain.cairn', text.replace('" hidden', '"')), '--engine',
                                   'explicit')
        if not influencing:
            check(f'code with {value} and {after}: as without the mark',
                  explored(path('code.cairn'))[1]['transitions'] == ours['transitions'])
    failing = CODE.replace('X', '"x"').replace('AFTER',
                                               'set "a" (div 2 1 "x")').replace(
        'set "x" (within range 0..3 (add 0 "x" 1))', '')
    for engine in ('explicit', 'symbolic', 'bounded'):
        status, ours = run_json('check', write('failing.cairn', failing), '-q', '--engine', engine,
                                '-p', 'runtime-error')
        check(f'a failure that does not depend on it is kept ({engine})',
              status == 1 and ours['properties'][0]['trace'], ours)
    partless = ('cairn 1\nmodel "partless"\nvariable "h" hidden 0..1 = 0\nvariable "x" 0..1 = '
                '0\nrule "fail" part global\n  set "h" (div 1 1 "x")\n')
    status, ours = run_json('check', write('partless.cairn', partless), '-q', '-p', 'runtime-error')
    check('what it is assigned fails',
          status == 1 and ours['statistics']['hidden_left_out'] == ['h'], ours)
    listed = ('cairn 1\nmodel "listed"\nvariable "h" hidden 0..3 = 0\nvariable "x" 0..3 = '
              '0\ninitial 3 1\ninitial 2 1\ninitial 1 2\nrule "r" part global\n  set "h" (within '
              'range 0..3 (sub 0 3 "x"))\n  set "x" "x"\n')
    model = write('listed.cairn', listed)
    status, ours, _ = explored(model)
    check('listed initial states',
          (ours['states'], ours['initial_states'], ours['complete']) == (2, 2, True), ours)
    status, ours = run_json('check', model, '-q', '--invariant', '(eq "x" 2)')
    check('a trace begins in one of them',
          ours['properties'][0]['trace']['steps'][0]['state'] in ({'h': 3, 'x': 1},
        {'h': 2, 'x': 1}), ours)
    status, ours, statistics = explored(
        write('listed.cairn', listed.replace('set "x" "x"', 'set "x" "h"')))
    check('listed initial states that look the same',
          (ours['initial_states'], statistics['hidden_influencing']) == (2, ['h']), ours)


# ---- time ----
def counted(text):
    """The model with a hidden counter of all its steps."""
    head, *rules = re.split(r'(?m)^(?=rule )',
                            text.replace('\nvariable ',
                                         '\nvariable "count" hidden 0..7 = 0\nvariable ', 1))
    return head + ''.join(
        re.sub(r'(?m)^(\s+part .*)$', r'\1\n    set "count" (add 3 "count" 1)', rule, count=1)
        for rule in rules)


def timed():
    text = run('translate', 'examples/train-gate/crossing.fcr', '--to', 'cairn').stdout
    plain, model = write('plain.cairn', text), write('counted.cairn', counted(text))
    wrong = ('--invariant', 'never: (not (eq "Controller[0].trains" 2))')
    (status, theirs), (other, ours) = run_json('check', plain, '-q', *wrong), run_json('check',
        model, '-q', *wrong)
    check('time: the same',
          status == other and ours['statistics']['hidden_left_out'] == ['count']
          and all(ours[key] == theirs[key] for key in COUNTS), (status, other))
    check('time: verdicts',
          [item['verdict'] for item in ours['properties']]
          == [item['verdict'] for item in theirs['properties']])
    steps = next((item['trace']['steps'] for item in ours['properties'] if item['trace']), [])
    check('time: a trace counts',
          steps
          and [step['state']['count'] for step in steps] == [i % 8 for i in range(len(steps))],
          steps)
    result = run('check', model, '--invariant', '(lt "count" 7)', '--no-deadlock')
    check('time: an influence is refused',
          result.returncode == 2 and 'does not go with the timed engine' in result.stderr,
          result.stderr)


# ---- what is woven in ----
def documented():
    """The guiding automaton of docs/partitioning.md."""
    with open(os.path.join(ROOT, 'docs/partitioning.md'), encoding='utf-8') as file:
        model = write('guiding.mil', re.search(r'```\n(CONST.*?)```', file.read(), re.S).group(1))
    status, ours = run_json('check', model, '-q')
    verdicts = {item['name']: item['verdict'] for item in ours['properties']}
    check('the guiding automaton',
          status == 1 and verdicts['extended'] == 'violated' and verdicts['mutex'] == 'unknown'
          and ours['statistics']['hidden_influencing'] == ['i'], ours)
    check('and mutual exclusion alone', run('check', model, '-q', '-p', 'mutex').returncode == 3)


def woven():
    guide = write('turns.xgdl', 'guide g = (up; other)*;\n')
    status, ours, statistics = explored(turns(), '--guide', guide)
    check('a guide reads nothing', status == 0 and statistics['hidden_left_out'] == ['i'], ours)
    for model, influenced in ((turns(), False), (turns('i == 2'), True)):
        status, ours = run_json('check', model, '-q', '--no-deadlock', '--guide', guide, '--bound',
                                '3')
        check('a bounded guide',
              ours and bool(ours['statistics']['hidden_influencing']) == influenced
              and not ours['complete'], ours)
    context = '''predicate high is { {p}1:%s > 1 }
event rise is { high becomes true }
property never is { start -- / / rise / -> reject }
cdl c is { properties never main is { skip } }
'''
    model = write('own.mil',
                  turns_text()
                  .replace('END  VARIABLES',
                           'END  VARIABLES hidden own : 3 := 0; hidden zero : 2 := 0;')
                  .replace('i := i + 1;', 'i := i + 1; own := own + 1;'))
    # what is never written never becomes anything
    for variable, influencing in (('pc', []), ('own', ['p[0].own']), ('zero', [])):
        status, ours = run_json('check', model, '-q', '-p', 'never', '--context',
                                write('own.cdl', context % variable))
        check(f'an observer of {variable}',
              ours is not None and ours['statistics']['hidden_influencing'] == influencing,
              (status, ours))


# ---- other ways to search, and other languages ----
def refusals():
    model = turns('i == 2')
    for extra, what in ((('--engine', 'symbolic'), '--engine'), (('--engine', 'timed'), '--engine'),
                        (('--reduce', 'por'), '--reduce'), (('--partition', 'up'), '--partition'),
                        (('--partition', 'up', '--partition-hidden'), '--partition')):
        result = run('explore', model, *extra)
        check(f'{extra} is refused',
              result.returncode == 2 and f'does not go with {what}' in result.stderr
              and '(i)' in result.stderr, result.stderr)
    result = run('check', model, '--engine', 'bounded')
    check('the bounded engine is refused',
          result.returncode == 2 and 'does not go with --engine' in result.stderr, result.stderr)
    for threads in (('--threads', '2'), ('--engine', 'explicit', '--threads', '2')):
        result, ours = run_json('explore', model, *threads)
        check(f'{threads}: one',
              result == 3 and ours['engine'] == 'explicit' and not ours['complete'], result)
    for extra in (('--bound', '1'), ('--time', '1000'), ('--order', 'dfs'), ('--order', 'bfs')):
        status, ours, _ = explored(model, *extra)
        check(f'{extra}: not complete',
              status == 3 and 'coverage is not guaranteed' in ours['assurance'], ours)
    wide = write('wide.mil',
                 'VARIABLES hidden w : 32; x : 1 := 0; END LOCAL P ACTIONS t; END CASE [t] w != 5 '
                 ': x := 1; END END MAIN PROC p : P; END END')
    status, ours, _ = explored(wide, '--time', '1')
    check('very many initial values',
          status == 3 and ours['initial_states'] == 1 and 'time limit' in ours['assurance'], ours)
    for to in ('promela', 'smv', 'ord', 'aag', 'aiger', 'dot', 'aut'):
        result = run('translate', model, '--to', to)
        check(f'no {to}',
              result.returncode == 2
              and 'hidden variables influence what can be seen (i)' in result.stderr, result.stderr)
        result = run('translate', turns(), '--to', to, '-q', text=to != 'aiger')
        check(f'{to} without it', result.returncode == 0 and result.stdout, result.stderr)
    for to in ('aut', 'dot'):
        result = run('translate', turns(), '--to', to, '-q')
        check(f'{to}: 6 states',
              '(0, 6, 6)' in result.stdout or result.stdout.count('[label="') >= 6
              and 'i =' not in result.stdout, result.stdout)
    printed = run('translate', model, '--to', 'cairn').stdout
    again = run('translate', write('again.cairn', printed), '--to', 'cairn').stdout
    check('the text form keeps the mark',
          'variable "i" hidden 0..7 = 0 at 1:18' in printed and printed == again, printed)


MESSAGES = (
    ('VARIABLES x : 3 hidden; END',
     "1:17: error: the mark 'hidden' stands before the name of a variable"),
    ('VARIABLES x : hidden 3; END',
     "1:15: error: the mark 'hidden' stands before the name of a variable"),
    ('VARIABLES HIDDEN; END',
     "1:11: error: the mark 'HIDDEN' stands before the name of a variable: 'HIDDEN x : 3;'"),
    ('VARIABLES hidden END', "1:11: error: the mark 'hidden' stands before"),
    ('HIDDEN x : 3; END', "the mark 'HIDDEN' stands in VARIABLES, before a name"),
    ('LOCAL P VARIABLES hidden pc : 1 := 0; END END MAIN PROC p : P; END END',
     '1:26: error: the program counter cannot be hidden'),
)
TEXTS = (
    ('variable "x" hidden 0..1 = 0\nrank "x"\n', '4:6: error: the rank cannot be hidden'),
    ('process "p" type "P" pc "x"\nvariable "x" hidden of "p" 0..1 = 0\n',
     '3:25: error: the variable that says where a process stands cannot be hidden'),
    ('variable hidden "x" 0..1 = 0\n', '3:10: error:'),
)


def messages():
    for number, (text, expected) in enumerate(MESSAGES):
        result = run('explore', write('bad.mil', text))
        check(f'message {number}', result.returncode == 2 and expected in result.stderr,
              result.stderr)
    for number, (text, expected) in enumerate(TEXTS):
        result = run('explore', write('bad.cairn', 'cairn 1\nmodel "m"\n' + text))
        check(f'text form, message {number}', result.returncode == 2 and expected in result.stderr,
              result.stderr)
    for text, states in (('VARIABLES hidden : 2; END', 4),
                         ('VARIABLES hidden hidden : 2; HIDDEN HIDDEN : 1; x : 1; END', 2),
                         ('VARIABLES x : 1 hidden y : 2 END', 2),
                         ('CONST hidden = 2; VARIABLES x : hidden; END', 4)):
        status, ours, _ = explored(write('good.mil', text))
        check(f'{text} has {states} states', status == 0 and ours['states'] == states, ours)


sys.setrecursionlimit(20000)
first = 1 + 1000000 * SEED
for seed in range(first, first + (1000 if LONG else 14)):
    harmless(seed)
for seed in range(first, first + (3000 if LONG else 50)):
    marked(seed)
check('random models are of every kind',
      all(count >= (5 if kind != 'fewer' else 1) for kind, count in told.items()), told)
section(known)
section(code)
section(documented)
section(timed)
section(woven)
section(refusals)
section(messages)
finish()
