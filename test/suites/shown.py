"""What results show. Values as their language writes them, in text, JSON, ITF and pages, and
replayed in every form, on models of all languages; explanations in the user's words; vacuity, in
every engine and order of search, against the reachability of the antecedent; and that a simulation
tells one story in its text, its JSON object and its exit status."""
import glob
import json
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, LONG, ROOT, SEED, check, crashed, finish, path, run, run_json,
                 section, told, write)
from generate import generate
from reportpage import ReportPage, differences

REGRESS = os.path.join(ROOT, 'test', 'regress')
VALUES, BLOCKED = os.path.join(REGRESS, 'shown-values.fcr'), os.path.join(REGRESS,
        'shown-blocked.fcr')
CONTEXT, GUIDE = os.path.join(REGRESS, 'shown-context'), os.path.join(REGRESS, 'shown-guide')
INTERNAL = ('table0', 'temporary', 'false is false', '.length', 'context.state', '.seen')


def property_of(claim, name):
    return next(item for item in claim['properties'] if item['name'] == name)


def read(name):
    with open(path(name), encoding='utf-8') as file:
        return file.read()


# ---- values ----

def values():
    status, claim = run_json('check', VALUES, program=ASAN)
    steps = property_of(claim, 'deadlock')['trace']['steps']
    states = [step['state'] for step in steps]
    check('the first state',
          states[0]
          == {'q': [], 'P[0].state': 'first_', 'P[0].table': [{'a': 0, 'b': False}] * 2,
              'P[0].inner': [[], []], 'P[0].k': 'idle', 'P[0].n': -3, 'P[0].ok': False}, states[0])
    check('a queue of constructors',
          [state['q'] for state in states]
          == [[], [{'data': 2}], [{'data': 2}, {'pair': {'a': 1, 'b': True}}],
              [{'pair': {'a': 1, 'b': True}}], []], states)
    check('a constructor',
          [state['P[0].k'] for state in states]
          == ['idle', 'idle', {'pair': {'a': 1, 'b': True}}, {'data': 2}, 'idle'], states)
    check('true is no number',
          states[1]['P[0].table'][1]['b'] is True and states[4]['P[0].ok'] is True, states)
    check('what a step changes',
          [step['changed'] for step in steps[:2]] == [[], ['q', 'P[0].state', 'P[0].table']],
          steps[:2])
    check('where a step stands',
          [(step['file'], step['line'], step['column']) for step in steps[:2]]
          == [(None, None, None), ('shown-values.fcr', 13, 5)], steps[:2])
    check('the keys of a step',
          list(steps[1]) == ['label', 'process', 'participants', 'file', 'line', 'column', 'state',
                             'changed'], list(steps[1]))
    check('why',
          property_of(claim, 'small')['why']
          == 'in the last state:\n  P[0].n < 5 is false: P[0].n = 7', property_of(claim, 'small'))
    raw = property_of(run_json('check', VALUES, '--raw')[1],
                      'deadlock')['trace']['steps'][2]['state']
    check('--raw: numbers, variable by variable',
          raw['q.length'] == 2 and raw['q[1]'] == 2 and raw['P[0].state'] == 2
          and raw['P[0].table[1].b'] == 1
          and all(isinstance(value, int) and not isinstance(value, bool) for value in raw.values()),
          raw)
    text = run('check', VALUES).stdout
    for words in ('q = {|data(2)|} -> {|data(2), pair({a = 1, b = true})|}',
                  'P[0].table[1].b = false -> true',
                  'P[0].table = [{a = 0, b = false}, {a = 0, b = false}]',
                  'P[0].inner[1] = {||} -> {|true|}'):
        check(f'text: {words}', ' '.join(words.split()) in ' '.join(text.split()), text)
    check('text: --raw', 'q.length = 0 -> 1' in run('check', VALUES, '--raw').stdout)
    mutex = run_json('check', os.path.join(ROOT, 'examples', 'philosophers', 'phils.mil'), '-p',
                     'deadlock')[1]['properties'][0]['trace']['steps']
    check('Milestones: locations by name',
          mutex[1]['state']['phil[0].pc'] in ('thinking', 'hungry') and mutex[1]['line'] == 35,
          mutex[1])
    timed = property_of(run_json('check', os.path.join(REGRESS, 'timed-late-failure.fcr'))[1],
                        'deadlock')['trace']['steps']
    check('time: a step has its date',
          'delay' not in timed[0] and all('delay' in step and 'date' in step for step in timed[1:]),
          timed[1])
    named = write('named.cairn',
                  'cairn 1\nmodel "m"\nvariable "x" 0..1 = 0 named "red" "green"\nvariable "b" '
                  '0..1 = 0 named "false" "true"\nvariable "big" 0..9223372036854775807 = '
                  '9007199254740993\n'
                  'rule "r" part global when (eq "x" 0) set "x" 1 set "b" 1\n')
    state = run_json('check', named, '-p', 'deadlock', '--trace',
                     path('named.itf.json'))[1]['properties'][0]['trace']['steps'][1]['state']
    check("Cairn's own text: names and truth values",
          state == {'x': 'green', 'b': True, 'big': '9007199254740993'}, state)
    check('and they are replayed', run('replay', path('named.itf.json')).returncode == 0)
    twice = write('twice.cairn',
                  'cairn 1\nmodel "m"\nprocess "p" type "T" pc "x"\n location 0 "a"\n location 1 '
                  '"a"\nvariable "x" of "p" 0..1 = 0\nvariable "c" 0..2 = 0 named "r" "r" "1"\n'
                  'rule "r" part "p" when (eq "x" 0) set "x" 1 set "c" 2\n')
    state = run_json('check', twice, '-p', 'deadlock', '--trace',
                     path('twice.itf.json'))[1]['properties'][0]['trace']['steps'][1]['state']
    check('names that two values have, or that look like numbers',
          state == {'x': 1, 'c': '1'} and run('replay', path('twice.itf.json')).returncode == 0,
          state)


def replays():
    """Every run that the models of the repository have to show, and random ones, are replayed in
    both forms; what changes is what differs."""
    files = [file for folder in ('examples/*', 'test/regress') for kind in ('mil', 'fcr', 'cairn')
             for file in sorted(glob.glob(os.path.join(ROOT, folder, '*.' + kind)))]
    wrong, runs = [], 0
    for number, file in enumerate(files):
        for raw in ((), ('--raw',)):
            for command in (('simulate', file, '--steps', '40', '--seed', str(SEED + number)),
                            ('check', file, '-q', '--engine', 'explicit', '--time', '2s',
                             '--no-deadlock')):
                if not LONG and (number + SEED) % (8 if command[0] == 'check' else 3):
                    continue
                if os.path.exists(path('run.itf.json')):
                    os.remove(path('run.itf.json'))
                run(*command, *raw, '--trace', path('run.itf.json'))
                if not os.path.exists(path('run.itf.json')):
                    continue
                runs += 1
                again = run('replay', path('run.itf.json'), '-q', '--model', file,
                            program=ASAN if number % 8 == 0 else CAIRN)
                if again.returncode or crashed(again):
                    wrong.append((command, raw, again.stderr[-300:]))
    check(f'{runs} runs are replayed, in the form of their language and raw',
          runs > 20 and not wrong, wrong[:2])
    trace = path('run.itf.json')
    run('check', VALUES, '-p', 'deadlock', '--trace', trace)
    good = json.loads(read('run.itf.json'))
    for name, key, value in (('a constructor that is none', 'P[0].k', 'other'),
                             ('an argument too many', 'P[0].k', {'idle': 3}),
                             ('an argument too few', 'P[0].k', 'data'),
                             ('two constructors', 'P[0].k', {'data': 1, 'pair': 2}),
                             ('a queue that is too long', 'q', [{'data': 1}] * 3),
                             ('an array that is too short', 'P[0].table', []),
                             ('a field that is missing', 'P[0].table', [{'a': 1}, {'a': 1}]),
                             ('a record that is a number', 'P[0].table', 3), ('nothing', 'q', None),
                             ('a location that is none', 'P[0].state', 'nowhere'),
                             ('another value', 'q', [{'data': 3}])):
        bad = json.loads(json.dumps(good))
        bad['states'][1][key] = value
        result = run('replay', write('bad.itf.json', json.dumps(bad)), '--model', VALUES,
                     program=ASAN)
        check(f'replay refuses {name}',
              result.returncode == 2 and 'error' in result.stderr and not crashed(result),
              result.stderr)


# ---- names ----

# what a name may have that no source has: the variable of a place, of a context, of a guide
OWN_WORDS = {'pc', 'state', 'location', 'context', 'guide'}
INSIDES = re.compile(r'\btable\d+\[|\btemporary\b|\bcontext\d*\.state|\bguide\d*\.state|\.seen = '
                     r'|\.set = |\.value = |\bnext \w+ = ')


def words_of(text):
    return set(re.findall(r'[A-Za-z_]\w*', text))


def strange(value, known):
    """Words in the names and the strings of a value that its sources do not have."""
    if isinstance(value, dict):
        return set().union(*(strange(key, known) | strange(inner, known)
                             for key, inner in value.items() if key not in ('at', 'next')),
                           *([strange(value['next'], known)] if 'next' in value else []))
    if isinstance(value, list):
        return set().union(*(strange(inner, known) for inner in value))
    return words_of(value) - known if isinstance(value, str) else set()


def told_states(claim):
    for item in claim['properties']:
        if item['trace']:
            yield from (step['state'] for step in item['trace']['steps'])


def compositions():
    """Every example and regression model, alone, in its contexts and under its guides."""
    for folder in ('examples/*', 'test/regress', 'test/regress/uppaal'):
        for kind in ('mil', 'fcr', 'xml', 'xta', 'tck'):
            for file in sorted(glob.glob(os.path.join(ROOT, folder, '*.' + kind))):
                yield file, ()
                with open(file, encoding='utf-8') as source:
                    lines = re.findall(
                        r'^// expect((?: -D \w+=\d+)*) --(context|guide) (\S+?):(\w+)',
                        source.read(), re.MULTILINE)
                for defines, option, other, name in sorted(set(lines)):
                    other = os.path.join(os.path.dirname(file), other)
                    yield file, (*defines.split(), f'--{option}', f'{other}:{name}')
    for name in ('waits', 'floods', 'steps'):
        yield CONTEXT + '.fcr', ('--context', f'{CONTEXT}.cdl:{name}')
    yield GUIDE + '.mil', ('--guide', GUIDE + '.xgdl:short')
    yield (os.path.join(ROOT, 'examples/cash-point/cp.mil'),
           ('--guide', os.path.join(ROOT, 'examples/cash-point/queue.xgdl')))


def sources_of(file, options):
    """The words of the model, of what it includes, and of its context or guide."""
    known = set(OWN_WORDS)
    for one in (file, *(word.rsplit(':', 1)[0] for word in options if '.cdl' in word or '.xgdl' in
                        word)):
        with open(one, encoding='utf-8', errors='replace') as source:
            known |= words_of(source.read())
    return known | {'true', 'false'}


def names():
    """No name and no value that the sources do not have, in JSON, ITF, text and pages."""
    wrong, runs, states = [], 0, 0
    for number, (file, options) in enumerate(compositions()):
        known, trace, page = sources_of(file, options), path('names.itf.json'), path('names.html')
        for command in (('simulate', file, *options, '--steps', '60', '--seed', str(SEED + number)),
                        ('check', file, *options, '--time', '1s', '--report', page)):
            if command[0] == 'check' and not LONG and (number + SEED) % 4:
                continue
            for old in (trace, page):
                if os.path.exists(old):
                    os.remove(old)
            result, claim = told(*command, '--trace', trace)
            if not claim or 'properties' not in claim:
                continue
            runs += 1
            shown = list(told_states(claim))
            if os.path.exists(trace):
                shown += [{key: value for key, value in state.items() if key != '#meta'}
                          for state in json.loads(read('names.itf.json'))['states']]
            if os.path.exists(page):
                shown += [{one[0]: True for one in part['result'].get('variables', ())}
                          for part in ReportPage(page).data['results']]
            states += len(shown)
            found = strange(shown, known)
            text = ' '.join(item.get('why', '') for item in claim['properties'])
            if command[0] == 'simulate':
                text += run(*command, '--full').stdout
            text += ' '.join(f'{name} = ' for state in shown[:1] for name in state)
            said = {found for found in INSIDES.findall(text) if words_of(found) - known or '.state'
                    in found}
            if found or said:
                wrong.append((command[:2], options, sorted(found)[:5], said))
    check(f'{runs} runs, {states} states: only names and values of their sources',
          runs > 60 and states > 3000 and not wrong, wrong[:4])


# ---- how states look ----

def looks():
    """--hide and --show-expr: in every form, and nothing else changes."""
    phils = os.path.join(ROOT, 'examples/philosophers/phils.mil')
    gate = os.path.join(ROOT, 'examples/uppaal/gate.xml')
    forks = ' + '.join(f'fork[{i}].taken' for i in range(3))
    words = ('--hide', 'fork, phil[2]', '--show-expr', f'forks = {forks}', '--show-expr',
             'hungry = phil[0].pc == hungry | phil[2].pc == hungry', '--show-expr',
             'first = phil[0].pc')
    trace, page = path('looks.itf.json'), path('looks.html')
    asked = ('check', phils, '-D', 'n=3', '-p', 'deadlock')
    plain = run_json(*asked)[1]['properties'][0]['trace']['steps']
    claim = run_json(*asked, *words, '--trace', trace, '--report', page, program=ASAN)[1]
    states = [step['state'] for step in claim['properties'][0]['trace']['steps']]

    def expected(state):
        return {'phil[0].pc': state['phil[0].pc'], 'phil[1].pc': state['phil[1].pc'],
                'forks': sum(state[f'fork[{i}].taken'] for i in range(3)),
                'hungry': 'hungry' in (state['phil[0].pc'], state['phil[2].pc']),
                'first': state['phil[0].pc']}
    check('looks: JSON', states == [expected(step['state']) for step in plain], states)
    check('looks: what changes',
          claim['properties'][0]['trace']['steps'][3]['changed'] == ['forks', 'hungry']
          or claim['properties'][0]['trace']['steps'][3]['changed'] == ['forks'],
          claim['properties'][0]['trace']['steps'][3])
    check('looks: ITF', [{key: value for key, value in state.items() if key != '#meta'}
                         for state in json.loads(read('looks.itf.json'))['states']] == states)
    check('looks: replayed', 'It violates deadlock' in run('replay', trace, program=ASAN).stdout)
    check('looks: replayed, and shown so',
          'forks = 2 -> 3' in run('replay', trace, *words).stdout)
    check('looks: the page', not differences(ReportPage(page), claim))
    text = run('simulate', phils, *words[:4], '--steps', '9', '--full').stdout
    check('looks: a simulation', 'forks = ' in text and 'fork[' not in text.split('no rule')[0],
          text)
    moved = run_json('simulate', gate, '--steps', '30', '--hide', 'Train*,Controller.queue',
                     '--show-expr', 'n = Controller.length + 1', '--show-expr',
                     'some = Controller.length > 0', '--trace', trace)[1]
    states = json.loads(read('looks.itf.json'))['states']
    check('looks: UPPAAL', moved and all(
        state['n'] == state['Controller.length'] + 1
        and state['some'] is (state['Controller.length'] > 0)
        and 'Controller.queue' not in state and 'Train(0).location' not in state
        for state in states), states[:2])
    check('looks: UPPAAL, replayed', run('replay', trace, '--model', gate).returncode == 0)
    run('check', VALUES, '-p', 'deadlock', '--hide', 'q,P[0].inner', '--show-expr',
        'big = (P[0].n > 3)', '--trace', trace)
    check('looks: Fiacre', 'q' not in json.loads(read('looks.itf.json'))['vars']
          and run('replay', trace).returncode == 0, read('looks.itf.json')[:600])
    for name, option, value, message in (
            ('an unknown variable', '--show-expr', 'a = nope + 1', "--show-expr:1:5: error"),
            ('no name', '--show-expr', '= 1', 'needs NAME = E'),
            ('no expression', '--show-expr', 'a == 1', 'needs NAME = E'),
            ('a name that is there', '--show-expr', 'fork[0].taken = 1', 'is shown already'),
            ('a formula', '--show-expr', 'a = F phil[0].pc == eating', 'error'),
            ('nothing to hide', '--hide', 'spoon', "nothing that is called 'spoon'")):
        result = run('check', phils, option, value, program=ASAN)
        check(f'looks: {name}', result.returncode == 2 and message in result.stderr
              and not crashed(result), result.stderr)


# ---- explanations ----

def explanations():
    for name, words, arguments in (
            ('instances of a process',
             ('m.id = wanted is false: Waiter[0].m = {id = 1, ok = true}, two = 2',
              'm.id = wanted is false: Waiter[1].m = {id = 2, ok = true}, three = 3'), (BLOCKED,)),
            ('a context that waits for a message',
             ('the context waits for told (receive answer from {Server}1)',
              'the message is not the first one in the queue: toContext = {|refusal|}',
              'not empty input is false: Server_1 = {||}'),
             (CONTEXT + '.fcr', '--context', CONTEXT + '.cdl:waits')),
            ('a context that waits for a queue',
             ('the context waits for ask (send request to {Server}1)',
              'the queue has no room for the message: Server_1 = {|request|}'),
             (CONTEXT + '.fcr', '--context', CONTEXT + '.cdl:floods')),
            ('a context that waits for a step',
             ('the context does not allow replied (sync reply of {Server}1) here: it allows taken '
              '(sync take of {Server}1)', 'the context waits for taken (sync take of {Server}1)'),
             (CONTEXT + '.fcr', '--context', CONTEXT + '.cdl:steps')),
            ('a guide',
             ('the guide never allows leave',
              'the guide does not allow want here: it allows enter'),
             (GUIDE + '.mil', '--guide', GUIDE + '.xgdl:short'))):
        text = run('check', *arguments, '-p', 'deadlock', '--no-deadlock', program=ASAN)
        end = text.stdout.split('in the last state:')[-1].split('\n\n')[0]
        status, claim = run_json('check', *arguments, '-p', 'deadlock')
        why = property_of(claim, 'deadlock')['why'] if status == 1 else ''
        for word in words:
            check(f'{name}: {word}', word in end and word in why, end)
        check(f'{name}: no internals',
              status == 1 and not any(word in end or word in why for word in INTERNAL)
              and not crashed(text), end)
        check(f'{name}: JSON says what the text says',
              [line.strip() for line in why.split('\n')[1:]]
              == [line.strip() for line in end.strip().split('\n')], (why, end))
    observed = run('check', CONTEXT + '.fcr', '--context', CONTEXT + '.cdl:waits', '-p',
                   'deadlock').stdout
    check('observers only look on', 'calm stands at' not in observed, observed)


# ---- vacuity ----

COUNTER = """VARIABLES x : 3 := 0; y : 1 := 0; END
LOCAL P LOCATIONS a; b; END ACTIONS up; back; END
CASE [a] [up] x < 5 : x := x + 1; [a] [back] x == 5 : x := 0; END END
MAIN PROC p : P[1]; END END
INVARIANTS never: x == 7 -> y == 1; met: x == 1 -> y == 0; END
LTL lnever: G (x > 5 -> F y == 1); lmet: G (x == 2 -> F x == 3); END
CTL cnever: AG (x > 6 -> AF y == 1); END
"""


def told_vacuous(claim):
    return {item['name'] for item in claim['properties'] if item.get('vacuous')}


def vacuity():
    model = write('vacuous.mil', COUNTER)
    every, single = {'never', 'lnever', 'cnever'}, {'never'}
    for method, expected in ((('--engine', 'explicit'), every),
                             (('--engine', 'explicit', '--order', 'dfs'), every),
                             (('--engine', 'explicit', '--threads', '2'), every),
                             (('--engine', 'symbolic'), every),
                             (('--engine', 'bounded'), every - {'cnever'}),
                             (('--engine', 'bounded', '--reduce', 'steps'), every - {'cnever'}),
                             (('--engine', 'timed'), every - {'cnever'}),
                             (('--partition', 'up'), single),
                             (('--threads', '3'), every), ((), every),
                             (('--engine', 'explicit', '--reduce', 'por'), every)):
        status, claim = run_json('check', model, *method, program=ASAN)
        check(f'vacuous: {" ".join(method)}', claim and told_vacuous(claim) == expected,
              claim and [(p['name'], p['verdict'], p.get('vacuous')) for p in claim['properties']])
    check('vacuous: -q says it', run('check', model, '-q').stdout.count('vacuously') == 3)
    cut = run_json('check', model, '--engine', 'explicit', '--bound', '3')[1]
    check('nothing is vacuous in a search that was cut', not told_vacuous(cut), cut['properties'])
    check('--no-induction: not known',
          not told_vacuous(
        run_json('check', model, '--engine', 'bounded', '--no-induction', '--bound', '9')[1]))
    page = path('vacuous.html')
    run('check', model, '--report', page)
    told = [p for p in ReportPage(page).data['results'][0]['result']['properties']
            if p.get('vacuous')]
    check('the page: what is vacuous', len(told) == 3, told)
    matrix()


def matrix():
    """Vacuous in one context and not in the other: in each row, and in all together only when it is
    so in every row."""
    never, sometimes = ('toContext[0] = answer => Server@idle',
                        'toContext[0] = refusal => toContext.length = 1')
    arguments = ('check', CONTEXT + '.fcr', '--context', CONTEXT + '.cdl', '--invariant', never,
                 '--invariant', sometimes, '--no-deadlock')
    status, claim = run_json(*arguments, '--report', path('matrix.html'), program=ASAN)
    check('contexts: the rows',
          [told_vacuous(row) for row in claim['contexts']]
          == [{'invariant[0]'}, {'invariant[0]'}, {'invariant[0]', 'invariant[1]'}],
          [told_vacuous(row) for row in claim['contexts']])
    check('contexts: all together', told_vacuous(claim) == {'invariant[0]'}, claim['properties'])
    shown = run(*arguments).stdout
    check('contexts: the matrix in text',
          shown.count('holds (v)') == 4 and '(v) vacuously: its antecedent is never true' in shown,
          shown)
    page = ReportPage(path('matrix.html'))
    check('contexts: the page',
          not differences(page, claim)
          and sum(len(told_vacuous(row['result'])) for row in page.data['results']) == 4,
          page.faults)
    for options in (('--order', 'past-freeze'), ('--split', 'always'),
                    ('--split', 'always', '--threads', '2')):
        one = run_json('check', CONTEXT + '.fcr', '--context', CONTEXT + '.cdl:floods',
                       '--invariant', never, '--invariant', sometimes, '--no-deadlock', *options,
                       program=ASAN)[1]
        check(f'vacuous: {" ".join(options)}', one and told_vacuous(one) == {'invariant[0]'},
              one and one['properties'])


def random_vacuity():
    """A property that holds is vacuous exactly when the negation of its antecedent is an invariant.
    The bounded engine may leave it open, but is never wrong."""
    wrong, known, open_ = [], {True: 0, False: 0}, 0
    for seed in range(1 + 1000000 * SEED, 1 + 1000000 * SEED + (1500 if LONG else 16)):
        rng, model = random.Random(seed), write('random.mil', generate(seed))
        run('simulate', model, '--steps', '0', '-q', '--trace', path('start.itf.json'))
        variables = json.loads(read('start.itf.json'))['vars']
        if not variables:
            continue

        def atom():
            return (f'{rng.choice(variables)} {rng.choice(("==", "==", "<", ">", "!="))} '
                    f'{rng.randrange(4)}')
        antecedent = atom() if rng.random() < 0.5 else f'({atom()} & {atom()})'
        formula = (('--invariant', f'{antecedent} -> {atom()} | {atom()}') if rng.random() < 0.6
                   else ('--ltl', f'G ({antecedent} -> F ({atom()} | true))'))
        reference = run_json('check', model, '-q', '--engine', 'explicit', '--invariant',
                             f'!({antecedent})')[1]
        never = [item for item in reference['properties']
                 if item['text'] == f'!({antecedent})'][0]['verdict']
        for method in (('--engine', 'explicit'), ('--engine', 'symbolic'),
                       ('--engine', 'bounded', '--time', '10s'),
                       ('--engine', 'bounded', '--reduce', 'por', '--time', '10s')):
            claim = run_json('check', model, '-q', *method, *formula,
                             program=ASAN if seed % 8 == 0 else CAIRN)[1]
            item = [item for item in claim['properties'] if item['text'] == formula[1]][-1]
            vacuous, is_bounded = item.get('vacuous', False), 'bounded' in method
            if item['verdict'] != 'holds' or never == 'unknown':
                continue
            if vacuous != (never == 'holds') and (vacuous or not is_bounded):
                wrong.append((seed, method, formula, never, vacuous))
            known[vacuous] += 1
            open_ += is_bounded and vacuous != (never == 'holds')
    check(f'random models: vacuous {known[True]} times, not {known[False]} times, {open_} left '
          f'open by the bounded engine',
          not wrong and known[True] > 2 and known[False] > 2 and open_ * 4 <= known[True],
          wrong[:3])


# ---- simulation ----

def simulation():
    phils = os.path.join(ROOT, 'examples', 'philosophers', 'phils.mil')
    for name, expected, arguments in (('a violation', 1, (phils, '-D', 'n=2', '--runs', '1000')),
                                      ('no violation', 3, (phils, '--steps', '3', '--seed', '2')),
                                      ('a deadlock that nobody asks for', 3,
                                       (BLOCKED, '--no-deadlock')), ('a deadlock', 1, (BLOCKED,)),
                                      ('no runs', 3, (phils, '--runs', '0'))):
        status, claim = run_json('simulate', *arguments, program=ASAN)
        verdicts = [item['verdict'] for item in claim['properties']]
        check(f'simulate, {name}: status {expected}',
              status == expected == run('simulate', *arguments).returncode
              == run('simulate', *arguments, '-q').returncode, status)
        check(f'simulate, {name}: JSON says the same',
              claim['verdict'] == ('violated' if expected == 1 else 'unknown')
              and claim['complete'] is False and ('violated' in verdicts) == (expected == 1)
              and 'holds' not in verdicts and (claim['property'] is not None) == (expected == 1)
              and ('violates' in claim['assurance']) == (expected == 1), claim)
        check(f'simulate, {name}: every verdict has its evidence or reason',
              all(item['trace'] and item['why'] if item['verdict'] == 'violated' else item['reason']
                  for item in claim['properties']), claim['properties'])
    status, claim = run_json('simulate', write('wrong.mil', 'VARIABLES x : 2 := ; END'))
    check('simulate, a bad model: status 2',
          status == 2 and claim['verdict'] == 'unknown' and claim['complete'] is False, claim)
    result = run('simulate', phils, '-i', '--json')
    check('simulate -i has no JSON object',
          result.returncode == 2 and '--interactive' in result.stderr, result.stderr)


def counted():
    """Random runs tell what they have met: the counts are those of their steps."""
    for model, runs in (('examples/peterson/peterson.mil', 20), ('examples/uppaal/gate.xml', 6),
                        ('examples/airlock/mended.fcr', 10)):
        asked = ('simulate', os.path.join(ROOT, model), '--runs', str(runs), '--steps', '40')
        _, claim = run_json(*asked)
        counts = claim['coverage']['rules']
        check(f'counted: {model}', sum(rule['count'] for rule in counts) == claim['steps'] > 0
              and any(each['reached'] for each in claim['coverage']['locations']), counts)
        text = run(*asked).stdout
        sums = {}
        for rule in counts:
            sums[rule['label'], rule['line']] = sums.get((rule['label'], rule['line']), 0) \
                + rule['count']
        told = {(match[3], int(match[2])): int(match[1]) for match in re.finditer(
            r'^ +(\d+)  \S+?:(\d+): \[(\S+)\]', text, re.M)}
        check(f'counted: {model}, in text', sum(told.values()) == claim['steps'] or len(told) == 20,
              text)
    trace = path('one.itf.json')
    _, claim = run_json('simulate', os.path.join(ROOT, 'examples/peterson/peterson.mil'), '--steps',
                        '30', '--trace', trace)
    with open(trace, encoding='utf-8') as file:
        labels = [state['#meta'].get('label') for state in json.load(file)['states'][1:]]
    met = {}
    for rule in claim['coverage']['rules']:
        met[rule['label']] = met.get(rule['label'], 0) + rule['count']
    check('counted: one run', {label: labels.count(label) for label in met} == met, (labels, met))


def shortened():
    """Runs that were met by chance: replayed, no step can be left out, as short as the shortest one
    often enough."""
    phils = os.path.join(ROOT, 'examples/philosophers/phils.mil')
    lengths = []
    for seed in range(1, 13):
        trace = path('short.itf.json')
        status, claim = run_json('simulate', phils, '-D', 'n=3', '-p', 'deadlock', '--steps',
                                 '2000', '--seed', str(seed), '--trace', trace,
                                 program=ASAN if seed < 4 else CAIRN)
        run_of = claim['properties'][0]['trace']
        lengths.append((claim['steps'], len(run_of['steps']) - 1))
        check(f'shortened: seed {seed}', status == 1 and lengths[-1][1] == 3
              and run('replay', trace).stdout.count('replays: 3 steps') == 1, lengths[-1])
    check('shortened: some were longer', any(before > after for before, after in lengths), lengths)
    text = run('simulate', phils, '-D', 'n=3', '-p', 'deadlock', '--steps', '2000', '--seed', '2')
    check('shortened: in text', ('which is shortened above' in text.stdout)
          == (lengths[1][0] > 3) and 'no rule is enabled' in text.stdout, text.stdout[-900:])
    timed = os.path.join(ROOT, 'examples/fischer/broken.fcr')
    dated = []
    for seed in range(1, 5):
        trace = path('short-timed.itf.json')
        status, claim = run_json('simulate', timed, '-p', 'mutex', '--steps', '3000', '--seed',
                                 str(seed), '--trace', trace, program=ASAN if seed < 2 else CAIRN)
        run_of = claim['properties'][0]['trace']
        dated.append((claim['steps'], len(run_of['steps']) - 1 if run_of else None))
        check(f'shortened: with time, seed {seed}', status == 1 and 6 <= dated[-1][1] < 14
              and f'replays: {dated[-1][1]} steps' in run('replay', trace).stdout, dated[-1])
    check('shortened: with time, some were longer', any(a > b for a, b in dated), dated)
    wrong, seen = [], 0
    for seed in range(300 if LONG else 40):
        model = write('short.mil', generate(9700000 + 1000 * SEED + seed, temporal=False))
        _, claim = run_json('simulate', model, '--steps', '60', '--seed', str(seed + 1))
        nearest = None
        for item in (claim or {}).get('properties', ()):
            if item['verdict'] != 'violated' or not item['trace']:
                continue
            nearest = nearest or run_json('check', model, '--order', 'bfs')[1]
            other = property_of(nearest, item['name'])['trace']
            seen += 1
            if not other or len(other['steps']) > len(item['trace']['steps']):
                wrong.append((seed, item['name']))
    check(f'shortened: {seen} random runs, none shorter than the shortest', seen > 10 and not wrong,
          wrong)


def read_waves(file):
    """The states of a value change dump: one for each change of `step`."""
    names, states, now = {}, [], {}
    with open(file, encoding='utf-8') as lines:
        for line in lines:
            words = line.split()
            if words[:1] == ['$var']:
                names[words[3]] = ' '.join(words[4:-1])
            elif line[:1] == 's' and names[words[-1]] == 'step':
                now = {**now, 'step': words[0][1:]}
                states.append(now)
            elif line[:1] == 's':
                now[names[words[-1]]] = words[0][1:]
            elif line[:1] == 'b':
                value = int(words[0][1:], 2)
                now[names[words[1]]] = value - (1 << 64) * (value >> 63)
    return states


def waves():
    """Runs as value change dumps: names, values and labels are those of JSON."""
    for model, *options in (('examples/peterson/peterson.mil', '-p', 'in_turn'),
                            ('examples/fischer/broken.fcr', '-p', 'mutex'),
                            ('examples/philosophers/phils.mil', '-p', 'deadlock'),
                            ('examples/airlock/first.fcr', '-p', 'never_both')):
        file = path('run.vcd')
        _, claim = run_json('check', os.path.join(ROOT, model), *options, '--trace', file)
        steps = next(p['trace'] for p in claim['properties'] if p['trace'])['steps']
        told = read_waves(file)
        plain = [{name: value for name, value in step['state'].items()
                  if isinstance(value, (int, str)) and not isinstance(value, bool)}
                 for step in steps]
        check(f'waves: {model}: the same states', len(told) == len(steps) and all(
            {name: each[name] for name in known} == known for each, known in zip(told, plain)),
            f'{told} {plain}')
        check(f'waves: {model}: the same steps',
              [each['step'] for each in told[1:]] == [step['label'] for step in steps[1:]])


for part in (values, replays, names, looks, explanations, vacuity, random_vacuity, simulation,
             shortened, waves, counted):
    section(part)
finish()
