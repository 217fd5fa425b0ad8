"""Property patterns of CDL (docs/patterns.md): a bad text for every message, with its position;
listing 5 of the literature as it is; verdicts on Fiacre models, with time and without; observers
that are printed, read back and give the same verdicts; what has no deadline and may never come.

In a text the mark § stands before the place that the message points to, and is taken out. At the
end every message of the files below must have been seen."""
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, LONG, ROOT, SEED, check, crashed, finish, run, run_json, write
from kit.messages import place_of

FILES = ('src/lang/cdl/pattern.c', 'src/lang/cdl/patterns.c', 'src/context/pattern.c',
         'src/context/pattern_text.c')
# the reader asks for what these say, before
UNSEEN = {'a set of events is empty', "the bound of '%s' is negative"}
seen = []

# A ring of states, with a shortcut: a b c d a ..., or a b d a ...
RING = """process P is
  states a, b, c, d
  from a to b
  from b select to c [] to d end
  from c to d
  from d to a
component Main is
  par P end
Main
"""
EVENTS = ''.join(f'predicate at_{s} is {{ {{P}}1@{s} }}\nevent {s} is {{ at_{s} becomes true }}\n'
                 for s in 'abcd')
ring = write('ring.fcr', RING)


def context(pattern, more=''):
    return (f'{EVENTS}{more}\nProperty p;\n{pattern}\ncdl c is {{ properties p main is {{ skip }} '
            f'}}\n')


def some(*events, kind='AN', count='one or more'):
    return kind + ' ' + ' '.join(f'{count} occurrence of {event}' for event in events) + ' end'


def told(pattern, message, severity='error', notes=(), more='', options=()):
    text = context(pattern, more)
    file = write('bad.cdl', text.replace('§', '', 1))
    done = run('explore', ring, '--context', file, *options, program=ASAN)
    seen.append(done.stderr)
    place = 'bad.cdl:%d:%d: ' % place_of(text) if '§' in text else ''
    wanted = f'{place}{severity}: {message}'
    good = (done.returncode == (2 if severity == 'error' else 0) and wanted in done.stderr
            and all(note in done.stderr for note in notes))
    check(message, good,
          f'{done.returncode}\n{wanted}\n--- found:\n{done.stdout}{done.stderr}\n--- '
          f'in:\n{pattern}')


def messages():
    a, b = some('a'), some('b')
    told('§foo', 'expected a set of events (AN ... end, or ALL ... end), found \'foo\'')
    told(f'{a} eventually leads-to §foo',
         "expected a set of events (AN ... end, or ALL ... end) after 'leads-to' or 'precedes', "
         "found 'foo'")
    told('ALL §one', "expected 'Ordered' or 'Combined' after 'ALL', found 'one'")
    told('AN §foo',
         "expected 'exactly one' or 'one or more' occurrence of an event, or 'end' in the set, "
         "found 'foo'")
    told('AN §end',
         "expected 'exactly one' or 'one or more' occurrence of an event, or 'end' in the set, "
         "found 'end'")
    told('AN one §occurrence of a end',
         "expected 'or more' after the number (or 'exactly' before it), found 'occurrence'")
    told('AN exactly §few occurrences of a end',
         "expected 'one' or a number of occurrences, found 'few'")
    told('AN exactly §0 occurrences of a end', 'occurrences are counted from 1 to 100')
    told('AN exactly §101 occurrences of a end', 'occurrences are counted from 1 to 100')
    told('AN exactly one §of a end', "expected 'occurrence' after the number, found 'of'")
    told('AN exactly one occurrence §a end', "expected 'of' after 'occurrence', found 'a'")
    told('AN exactly one occurrence of §; end',
         "expected a name of an event after 'occurrence of', found ';'")
    told(f'{a} §leads to {b}',
         "expected 'eventually leads-to', 'immediately leads-to', 'precedes', 'never occurs' or "
         "'eventually occurs' after the set, found 'leads'")
    told(f'{a} eventually §happens',
         "expected 'leads-to', 'precedes' or 'occurs' after 'eventually', found 'happens'")
    told(f'{a} immediately §occurs',
         "expected 'leads-to' or 'precedes' after 'immediately', found 'occurs'")
    told(f'{a} never §again', "expected 'occurs' after 'never', found 'again'")
    told(f'before §, {a} never occurs', "expected a name of an event after 'before', found ','")
    told(f'after §, {a} never occurs', "expected a name of an event after 'after', found ','")
    told(f'after a until §, {a} never occurs',
         "expected a name of an event after 'until', found ','")
    told(f'between §, {a} never occurs', "expected a name of an event after 'between', found ','")
    told(f'between a §until b {a} never occurs',
         "expected 'and' after the event that begins the scope, found 'until'")
    told(f'between a and §, {a} never occurs', "expected a name of an event after 'and', found ','")
    told(f'{a} eventually leads-to [§1..2] {b}',
         'expected 0: a bound is written [0..limit], found \'1\'')
    told(f'{a} eventually leads-to [0§,2] {b}', "expected '..' after 0, found ','")
    told(f'{a} eventually leads-to [0..§;] {b}',
         "expected a number or the name of a constant after '..', found ';'")
    told(f'{a} eventually leads-to [0..2 §{b}', "expected ']' after the bound, found 'AN'")
    told(f'{a} eventually leads-to [0..§limit] {b}',
         "there is no constant 'limit' in the model or given with -D")
    told(f'{a} eventually leads-to [0..§limit] {b}', 'a bound cannot be -1',
         options=('-D', 'limit=-1'))
    told(f'{a} never occurs one of §; cannot occur before b',
         "expected a name of an event after 'one of', found ';'")
    told(f'{a} never occurs one of b §must occur',
         "expected 'cannot' or 'may' after the events, found 'must'")
    told(f'{a} never occurs one of b cannot §happen',
         "expected 'occur' after 'cannot' or 'may', found 'happen'")
    told(f'{a} never occurs one of b cannot occur §after c',
         "expected 'before' after 'occur', found 'after'")
    told(f'{a} never occurs one of b cannot occur before §;',
         "expected a name of an event after 'before', found ';'")
    told(f'{a} never occurs b may §occur', "expected 'never' after 'may', found 'occur'")
    told(f'{a} never occurs b must §happen', "expected 'occur' after 'must', found 'happen'")
    told(f'{a} never occurs b may never §happen', "expected 'occur' after 'never', found 'happen'")
    told(f'{a} never occurs b §cannot occur',
         "expected 'may never occur' or 'must occur' after the event ('cannot' needs 'one of' "
         "before it), found 'cannot'")
    told(f'{a} eventually leads-to {b} repeatability §true',
         "expected ':' after 'repeatability', found 'true'")
    told(f'{a} eventually leads-to {b} repeatability: §yes',
         "expected 'true' or 'false' after 'repeatability:', found 'yes'")
    told(f'{a} eventually leads-to {b} repeatability: true §repeatability: true',
         'repeatability is given twice')
    told(f'{a} never occurs §repeatability: true',
         "repeatability is about 'leads-to' and 'precedes' only")
    told(f'{a} never occurs §nonsense',
         'expected a declaration (event, predicate, activity, property, restriction or cdl), found '
         '\'nonsense\'')
    told(f'AN one or more occurrence of §e end never occurs', "there is no event 'e'")
    told('AN one or more occurrence of a one or more occurrence of §a end never occurs',
         "event 'a' occurs twice in a set")
    told(f'{a} eventually leads-to AN one or more occurrence of §a end',
         "event 'a' is in both sets")
    told(f'before b AN one or more occurrence of §b end never occurs',
         "event 'b' ends the scope, so it never occurs inside")
    told(f'before b {a} never occurs §b must occur',
         "event 'b' ends the scope, so it never occurs inside")
    told(f'before b {a} never occurs one of §c cannot occur before b',
         "event 'b' ends the scope, so it never occurs inside")
    told(f'{a} never occurs one of §b cannot occur before b',
         "event 'b' cannot be asked to come after itself")
    told(f'{a} never occurs b must occur §b may never occur',
         "this contradicts what was said of 'b' before", notes=('note: here',))
    told(f'between a and a {b} never occurs',
         "the scope of 'p' begins and ends with the same event 'a'")
    told(some(*'ab', 'c', 'd', *(f'e{i}' for i in range(5))).replace('of e4', 'of §e4')
         + ' never occurs', 'a set has at most 8 events',
         more=''.join(f'event e{i} is {{ at_a becomes false }}\n' for i in range(5)))
    told(f'{a} never occurs ' + 'b must occur ' * 8 + '§b must occur',
         'a pattern has at most 8 options')
    told(f'{a} never occurs ' + 'b may never occur ' * 8 + '§b may never occur',
         'a pattern has at most 8 options')
    told(f'{a} never occurs a must occur',
         "'p' can never hold: what it asks for is also forbidden by it")
    told(some('a', 'b', 'c', 'd', kind='ALL Combined', count='20 or more') + ' never occurs',
         "the observer of 'p' would have more than 1000 states")
    told(f'AN one or more occurrence of a §(id, f(x)) end never occurs',
         "arguments say nothing here: this is the event 'a', as it is declared", 'warning')
    told('AN one or more occurrence of a (id never occurs',
         "expected 'exactly one' or 'one or more' occurrence of an event, or 'end' in the set")


def verdict(model, file, *options):
    status, result = run_json('check', model, '--context', file, '--no-deadlock', *options)
    found = [p['verdict'] for p in (result or {}).get('properties', []) if p['name'] == 'p']
    return found[0] if found else status


def decide(pattern, wanted):
    """The verdict, by the pattern and by its observer as a text."""
    file = write('good.cdl', context(pattern))
    found = verdict(ring, file)
    check(pattern, found == wanted,
          f'{found} instead of {wanted}\n' + run('check', ring, '--context', file).stderr)
    printed = run('translate', ring, '--context', file, '--to', 'observers', '-q')
    check(f'{pattern}: printed',
          printed.returncode == 0 and 'property p is {' in printed.stdout and not printed.stderr,
          printed.stderr)
    if '--' in printed.stdout:
        again = write('again.cdl',
                      f'{EVENTS}{printed.stdout}cdl c is {{ properties p main is {{ skip }} }}\n')
        found = verdict(ring, again)
        check(f'{pattern}: read back', found == wanted, f'{found}\n{printed.stdout}')
        second = run('translate', ring, '--context', again, '--to', 'observers', '-q')
        check(f'{pattern}: printed again', second.stdout == re.sub('^//.*\n', '', printed.stdout),
              second.stdout + second.stderr)
    return printed.stdout


def verdicts():
    # Runs are words of (b c d a | b d a)*: the initial state a is no event.
    decide(some('c') + ' never occurs', 'violated')
    decide(f'before a {some("c")} never occurs', 'violated')
    decide(f'between d and b {some("c")} never occurs', 'holds')
    decide(f'between b and d {some("a")} never occurs', 'holds')
    decide(f'between b and d {some("c")} eventually occurs', 'violated')
    decide(f'between b and a {some("d")} eventually occurs', 'holds')
    decide(f'after b until a {some("d", count="exactly one")} eventually occurs', 'holds')
    decide(f'{some("b")} precedes {some("c")}', 'holds')
    decide(f'{some("c")} precedes {some("d")}', 'violated')
    decide(f'{some("b", count="exactly one")} precedes {some("d", count="exactly one")}', 'holds')
    decide(f'{some("c", count="exactly one")} eventually leads-to {some("d")}', 'holds')
    decide(f'{some("b", count="exactly one")} eventually leads-to {some("c")}', 'violated')
    decide(f'{some("b")} immediately leads-to {some("d")}\na may never occurs', 'holds')
    decide(f'{some("b")} immediately leads-to {some("d")}\nc may never occurs', 'violated')
    decide(f'between b and a {some("b", "c", kind="ALL Ordered")} eventually leads-to {some("d")}',
           'holds')
    decide(f'{some("b")} eventually leads-to'
           f' {some("d", "a", kind="ALL Ordered", count="exactly one")}\none of d, c cannot occur '
           f'before b', 'holds')
    decide(f'before d {some("b")} never occurs\nc must occur', 'violated')
    # The fifth of these was refused, although eight are possible: each names two events.
    decide(f'{some("b")} immediately leads-to {some("d")}\n' + 'one of a may occur before c\n' * 8,
           'violated')
    printed = decide(f'{some("c")} eventually leads-to {some("d")}', 'holds')
    check('the formula over events',
          '// in LTL over events: (G (((c & !d)) -> (F ((d)))))\n' in printed, printed)


def obligations():
    """What an observer alone cannot reject: something that has no deadline may never come."""
    decide(f'{some("d")} eventually leads-to {some("c")}', 'violated')
    decide(f'{some("b")} eventually leads-to {some("d", "a", kind="ALL Ordered")}', 'holds')
    decide(f'{some("b")} eventually leads-to {some("d", "a", "c", kind="ALL Combined")}',
           'violated')
    decide(f'{some("c")} eventually occurs', 'violated')
    decide(f'after b {some("a", "b", "d", kind="ALL Combined", count="2 or more")} eventually '
           f'occurs', 'holds')
    decide(f'{some("b")} precedes {some("d")}\nc must occur', 'violated')
    decide(f'after c until b {some("d")} precedes {some("a")}\na must occur', 'holds')
    file = write('good.cdl', context(f'{some("c")} eventually occurs'))
    for options, reason in ((['--order', 'past-freeze'], 'past-freeze order'),
                            (['--partition', 'b->c'], 'partitions are searched')):
        done = run('check', ring, '--context', file, '--no-deadlock', '-q', *options)
        check(f'{options}: unknown, and why',
              done.returncode == 3 and f'unknown   p' in done.stdout and reason in done.stdout,
              done.stdout + done.stderr)


def owed():
    """A response and an existence without a deadline, in contexts in which they never come; what a
    restriction cuts owes nothing, and the claim names it."""
    model, contexts = (os.path.join(ROOT, f'test/regress/pattern-owed.{ending}')
                       for ending in ('fcr', 'cdl'))
    status, result = run_json('check', model, '--context', contexts, '--no-deadlock')
    found = {row['context']: {p['name']: p['verdict'] for p in row['properties']
                              if p['kind'] == 'ltl'} for row in result['contexts']}
    wanted = {'Answered': 'violated', 'Comes': 'violated', 'Asked': 'holds'}
    check('what is owed in several contexts',
          status == 1 and result['verdict'] == 'violated'
          and found == {'both': wanted, 'refused': wanted, 'cut': {'Answered': 'holds'}}, found)
    check('all together: the restriction is named',
          'restricted by no_more' in result['assurance']
          and result['under']['restrictions'] == ['no_more'], result['assurance'])
    status, result = run_json('check', model, '--context', contexts + ':cut', '--no-deadlock')
    check('a restriction is named',
          status == 0
          and 'restricted by no_more: what that cuts was not searched' in result['assurance']
          and result['under']['restrictions'] == ['no_more'], result)


def written():
    """Observers with `pending`, and with `success` alone, written by hand."""
    def observer(body):
        return (f'{EVENTS}property p is {{ {body} }}\ncdl c is {{ properties p main is {{ skip }} '
                f'}}\n')

    def of(body):
        status, result = run_json('check', ring, '--context', write('written.cdl', observer(body)),
                                  '-p', 'p')
        entry = next(p for p in result['properties'] if p['name'] == 'p')
        return (status, entry['kind'], entry['verdict'],
                entry['trace'] and len(entry['trace']['steps']) - 1, result['complete'])

    found = of('start -- / / b / -> s; s -- / / c / -> start; pending s')
    check('a run stays in a pending state', found[:3] == (1, 'ltl', 'violated'), found)
    found = of('start -- / / b / -> s; s -- / / d / -> start; pending s;')
    check('no run does', found[:3] == (0, 'ltl', 'holds'), found)
    found = of('start -- / / b / -> pending; pending -- / / d / -> start; pending pending')
    check('a state may be called pending', found[:3] == (0, 'ltl', 'holds'), found)
    found = of('start -- / / c / -> reject; start -- / / b / -> s; s -- / / c / -> start; pending '
               's')
    check('reject and pending', found[:3] == (1, 'ltl', 'violated'), found)
    found = of('start -- / / c / -> s; s -- / / a / -> success')
    check('success is sought, and found before the end', found == (0, 'reach', 'holds', 4, False),
          found)
    found = of('start -- / / c / -> s; s -- / / c / -> success; s -- / / d / -> t')
    check('success is sought, and not there', found == (1, 'reach', 'violated', None, True), found)
    reach = write('reach.cdl', observer('start -- / / c / -> s; s -- / / a / -> success'))
    status, result = run_json('simulate', ring, '--context', reach, '-p', 'p', '--runs', '20')
    check('a simulation may reach success',
          status == 0 and result['verdict'] == 'holds'
          and len(result['properties'][0]['trace']['steps']) >= 5, result)
    rejected = write('rejected.cdl', observer('start -- / / c / -> reject; pending start'))
    status, result = run_json('simulate', ring, '--context', rejected, '-p', 'p', '--runs', '20')
    check('a simulation sees what is rejected',
          status == 1 and result['verdict'] == 'violated' and result['properties'][0]['trace'],
          result)
    for engine in ('symbolic', 'bounded', 'timed'):
        status, result = run_json('check', ring, '--context',
                                  write('reach.cdl',
                                        observer('start -- / / c / -> s; s -- / / a / -> success')),
                                  '-p', 'p', '--engine', engine)
        entry = result['properties'][0]
        check(f'success is sought by the {engine} engine',
              status == 0 and entry['verdict'] == 'holds' and len(entry['trace']['steps']) == 5,
              entry)


# Answers within 1 to 2 time units. The listing is that of the paper, letter by letter.
CONTROLLER = """type Request is union login1 | logout1 end
type In is queue 1 of Request
process SM (&requests : In) is
  states Boot, State_Init, Checking, Done
  from Boot wait [1,1]; to State_Init
  from State_Init wait [0,0]; on not (empty requests); requests := dequeue requests; to Checking
  from Checking wait [1,2]; to Done
component Main is
  var SM_1 : In
  par SM (&SM_1) end
Main
"""
LISTING = """predicate S_CP_State_Init is {{SM} 1@State_Init}
event S_CP_hasReachState_Init is {S_CP_State_Init becomes true}
predicate done is { {SM}1@Done }
event ackLog is { done becomes true }
event login1 is { send login1 to {SM}1 }

Property P1;

ALL Ordered

exactly one occurrence of S_CP_hasReachState_Init
exactly one occurrence of login1
end
eventually leads-to [0..maxD_log]
AN

one or more occurrence of ackLog (id)
end
S_CP_hasReachState_Init may never occurs
login1 may never occurs
one of ackLog (id) cannot occur before login1
repeatability: true

cdl R2 is { properties P1 main is { event login1 } }
"""


def listing():
    with open(os.path.join(ROOT, 'docs', 'patterns.md'), encoding='utf-8') as file:
        page = file.read()
    model, file = write('controller.fcr', CONTROLLER), write('listing.cdl', LISTING)
    printed = run('translate', model, '--context', file, '-D', 'maxD_log=3', '--to', 'observers',
                  '-q')
    shown = re.search(r'    property P1 is \{\n.*?\n    \}\n', page, re.S).group(0)
    check('the observer of listing 5 is that of the page',
          printed.stdout == re.sub('^    ', '', shown, flags=re.M), printed.stdout + printed.stderr)
    picture = run('translate', model, '--context', file, '-D', 'maxD_log=3', '--to',
                  'observers-dot', '-q')
    check('its picture',
          picture.stdout.count(' -> ') == 16 and 's0 -> s5 [label="1: ackLog"]' in picture.stdout
          and '"1: time > 3"' in picture.stdout, picture.stdout)
    for limit, wanted in ((0, 'violated'), (1, 'violated'), (2, 'holds'), (3, 'holds')):
        status, result = run_json('check', model, '--context', file, '--no-deadlock', '-D',
                                  f'maxD_log={limit}')
        found = {p['name']: p['verdict'] for p in result['properties']}.get('P1')
        check(f'R2 within {limit}', found == wanted, result)
    halves = write('halves.fcr', CONTROLLER.replace('wait [1,2]', 'wait [1,2.5]'))
    for limit, wanted in ((2, 'violated'), (3, 'holds')):
        status, result = run_json('check', halves, '--context', file, '--no-deadlock', '-D',
                                  f'maxD_log={limit}')
        check(f'R2 within {limit}, answers within 2.5',
              {p['name']: p['verdict'] for p in result['properties']}.get('P1') == wanted, result)
    printed = run('translate', halves, '--context', file, '-D', 'maxD_log=3', '--to', 'observers',
                  '-q')
    check('bounds are printed in units of time', 'time > 3 ' in printed.stdout, printed.stdout)


def timed():
    """Other bounded families on the controller: Boot until 1, Checking some time after, Done 1 to 2
    later."""
    head = LISTING[:LISTING.index('Property')]
    model = write('controller.fcr', CONTROLLER)
    ready, login, ack = (some(e) for e in ('S_CP_hasReachState_Init', 'login1', 'ackLog'))
    for pattern, wanted in ((f'{ready} eventually occurs [0..1]', 'holds'),
                            (f'{ready} eventually occurs [0..0]', 'violated'),
                            (f'{ready} never occurs [0..0]', 'holds'),
                            (f'{ready} never occurs [0..1]', 'violated'),
                            (f'{ack} never occurs [0..1]', 'holds'),
                            (f'{ack} never occurs [0..2]', 'violated'),
                            (f'after login1 {ack} never occurs [0..0]', 'holds'),
                            (f'after login1 {ack} never occurs [0..1]', 'violated'),
                            (f'after login1 {ack} eventually occurs [0..3]', 'holds'),
                            (f'after login1 {ack} eventually occurs [0..2]', 'violated'),
                            (f'between login1 and ackLog {ready} eventually occurs [0..1]',
                             'violated'),
                            (f'before ackLog {ready} eventually occurs [0..1]', 'holds'),
                            (f'before ackLog {login} eventually occurs [0..1]', 'violated'),
                            (f'{login} precedes [0..3] {ack}', 'holds'),
                            (f'{login} precedes [0..2] {ack}', 'violated'),
                            (f'{ready} precedes [0..9] {ack}', 'violated')):
        file = write('timed.cdl',
                     f'{head}Property p;\n{pattern}\ncdl c is {{ properties p main is {{ event '
                     f'login1 }} }}\n')
        found = verdict(model, file)
        check(pattern, found == wanted,
              f'{found} instead of {wanted}\n'
              + run('check', model, '--context', file, '--no-deadlock').stderr)
        printed = run('translate', model, '--context', file, '--to', 'observers', '-q')
        again = write('again.cdl',
                      f'{head}{printed.stdout}cdl c is {{ properties p main is {{ event login1 }} '
                      f'}}\n')
        found = verdict(model, again)
        check(f'{pattern}: read back', found == wanted, f'{found}\n{printed.stdout}')


def damaged():
    """Texts with pieces missing or doubled never crash."""
    chance = random.Random(SEED)
    model = write('controller.fcr', CONTROLLER)
    for i in range(400 if LONG else 30):
        tokens = re.findall(r'\w+|\s+|.', LISTING[LISTING.index('Property'):])
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(tokens))
            tokens[at:at + chance.randint(0, 2)] = chance.sample(tokens, chance.randint(0, 2))
        file = write('damaged.cdl', LISTING[:LISTING.index('Property')] + ''.join(tokens))
        done = run('check', model, '--context', file, '-D', 'maxD_log=2', program=ASAN)
        check(f'damaged text {i}', not crashed(done), done.stderr[-800:] + ''.join(tokens))


def every_message():
    everything = '\n'.join(seen)
    calls = (r'\b(?:diag_error|diag_note|diag_warning|cdl_unexpected|cdl_expect|cdl_expect_word|cdl'
             r'_expect_name|expect_either|parse_event)\((.*)\);')
    found = 0
    for name in FILES:
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            code = file.read()
        for match in re.finditer(calls, re.sub(r'" PRI[du]64', 'd"', code).replace(',\n', ', ')):
            for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', match.group(1)):
                if ' ' not in literal.strip() or literal in UNSEEN:
                    continue
                found += 1
                pieces = re.split(r'%[-.0-9]*z?[a-zA-Z]', literal)
                check(f'{name}: "{literal}" is given for some text',
                      re.search('.*?'.join(map(re.escape, pieces)), everything))
    check('there are many messages', found > 40, found)


for part in (messages, verdicts, obligations, owed, written, listing, timed, damaged,
             every_message):
    part()
done = run('translate', ring, '--to', 'observers')
check('observers need a context',
      done.returncode == 2 and '--to observers needs --context' in done.stderr, done.stderr)
finish()
