"""Queries about runs in dense time: what is known of small models, values, evidence that is
replayed, where queries come from, what is refused. Random models: test/unit/timed.c."""
import json
import os
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, ROOT, check, crashed, finish, path, run, section, write

GO = '''rule "go"
  part "p"
    when (eq "l" 0)
  set "l" 1
  guard "x" >= 3
  reset "x"
rule "on"
  part "p"
    when (eq "l" 1)
  set "l" 2
  reset "x"
'''
HEAD = '''cairn 1
model "m"
clock "x"
clock "y"
process "p" type "p" pc "l"
  location 0 "a"
    invariant "x" <= 5
  location 1 "b"
  location 2 "c"
    invariant "x" <= 2
variable "l" of "p" 0..2 = 0
variable "n" 0..3 = 0
''' + GO + '''  set "n" 3
  guard "x" >= 1
'''
ROUND = HEAD + '''rule "back"
  part "p"
    when (eq "l" 2)
  set "l" 0
  reset "x"
'''
# a deadline after another: y counts all of them; then nothing is possible
CHAIN = '''cairn 1
model "chain"
clock "x"
clock "y"
process "p" type "p" pc "l"
  location 0 "a"
    invariant "x" <= 5
  location 1 "b"
    invariant "x" < 7
  location 2 "c"
    invariant "x" <= 0
variable "l" of "p" 0..2 = 0
''' + GO + '''  guard "x" > 4
'''
# y is never reset, and no state rests
PERIODIC = '''cairn 1
model "periodic"
clock "x"
clock "y"
process "p" type "p" pc "l"
  location 0 "a"
    invariant "x" <= 2
variable "l" of "p" 0..0 = 0
rule "tick"
  part "p"
    when (eq "l" 0)
  guard "x" >= 2
  reset "x"
'''
UNTIMED = '''cairn 1
model "untimed"
variable "n" 0..3 = 0
rule "up"
  part global
    when (lt "n" 3)
  set "n" (within range 0..3 (add 0 "n" 1))
'''


def answers(text, *words, program=ASAN):
    """Properties by name, as JSON tells them; and the whole."""
    result = run('check', write('model.cairn', text), '--json', *words, program=program)
    if not check('there is a result', not crashed(result) and result.stdout.startswith('{'),
                 f'{result.returncode} {result.stderr}'):
        return {}, {}, result.returncode
    told = json.loads(result.stdout)
    return {row['name']: row for row in told.get('properties', ())}, told, result.returncode


def verdicts(name, text, expected, *words):
    """Each query with its verdict."""
    whole = text + ''.join(f'query {query}\n' for query, _ in expected)
    rows, _, status = answers(whole, *words)
    for i, (query, verdict) in enumerate(expected):
        row = rows.get(f'query[{i}]', {})
        check(f'{name}: {query}', row.get('verdict') == verdict, row)
        check(f'{name}: {query} is a query', row.get('kind') == 'query', row)
        seeks = query.split()[0] in ('sometime', 'keeps')
        shown = verdict == ('holds' if seeks else 'violated')
        check(f'{name}: {query} has a run where one shows it',
              bool(row.get('trace')) == shown or verdict == 'unknown', row)
    bad = any(verdict == 'violated' for _, verdict in expected)
    open_ = any(verdict == 'unknown' for _, verdict in expected)
    check(f'{name}: the status', status == (1 if bad else 3 if open_ else 0), status)
    saved = path('run.itf.json')
    for i, (query, verdict) in enumerate(expected):
        if query.split()[0] in ('sup', 'inf', 'bounds'):
            continue
        run('check', write('model.cairn', whole), '-p', f'query[{i}]', '--trace', saved, '-q')
        if not os.path.exists(saved):
            continue
        again = run('replay', saved)
        check(f'{name}: the run of {query} is replayed',
              again.returncode in (0, 1) and f'query[{i}]' in again.stdout
              and ' not ' not in again.stdout.split(f'query[{i}]')[-1].split('\n')[0],
              again.stdout + again.stderr)
        os.remove(saved)


def known():
    verdicts('a round', ROUND, (
        ('always formula (implies (eq "l" 0) (clock "x" <= 5))', 'holds'),
        ('always formula (clock "x" < 5)', 'violated'),
        ('sometime formula (and (eq "l" 0) (clock "x" = 5))', 'holds'),
        ('sometime formula (and (eq "l" 0) (clock "x" > 5))', 'violated'),
        ('sometime formula (and (eq "l" 2) (clock "y" < 4))', 'violated'),
        ('sometime formula (and (eq "l" 2) (clock "y" <= 4))', 'holds'),
        ('always formula (not (deadlock))', 'holds'),
        ('leads formula (eq "l" 0) then (eq "l" 1)', 'holds'),
        ('leads formula (eq "l" 1) then (eq "l" 2)', 'violated'),
        ('keeps formula (clock "x" <= 5)', 'holds'),
        ('keeps formula (clock "x" < 3)', 'violated'),
        ('keeps formula (or (clock "x" < 3) (and (clock "x" >= 3) (clock "y" < 20)))', 'violated'),
        ('meets formula (clock "y" >= 20)', 'holds'),
        ('keeps formula (not (deadlock))', 'holds'),
        ('meets formula (deadlock)', 'violated'),
        ('meets formula (eq "l" 1)', 'holds'),
        ('meets formula (clock "x" > 5)', 'violated'),
        ('leads formula (and (eq "l" 1) (clock "x" < 1)) then (clock "x" >= 1)', 'holds'),
        ('leads formula (and (eq "l" 2) (clock "x" < 1)) then (clock "x" = 1)', 'holds')))
    verdicts('an end', CHAIN, (
        ('always formula (not (deadlock))', 'violated'),
        ('always formula (iff (deadlock) (eq "l" 2))', 'holds'),
        ('meets formula (deadlock)', 'holds'),
        ('meets formula (eq "l" 2)', 'holds'),
        ('keeps formula (clock "y" < 12)', 'holds'),
        ('keeps formula (clock "y" < 7)', 'violated'),
        ('leads formula (clock "y" > 11) then (deadlock)', 'holds')))
    verdicts('no clocks', UNTIMED, (
        ('always formula (le "n" 3)', 'holds'),
        ('sometime formula (and (eq "n" 3) (deadlock))', 'holds'),
        ('keeps formula (eq "n" 0)', 'holds'),
        ('meets formula (eq "n" 1)', 'violated'),
        ('keeps formula (ne "n" 0)', 'violated')))


def values():
    def value(text, query, *words):
        rows, _, _ = answers(text + f'query {query}\n', *words)
        row = rows.get('query[0]', {})
        return row.get('verdict'), row.get('value')
    for text, query, expected in (
            (ROUND, 'sup formula true term "x" clock "x" term "n + 1" value (add 0 "n" 1)',
             {'x': {'sup': 'infinite'}, 'n + 1': {'sup': 4}}),
            (ROUND, 'bounds formula (eq "l" 0) term "x" clock "x"',
             {'x': {'sup': '<= 5', 'inf': '>= 0'}}),
            (ROUND, 'bounds formula (eq "l" 2) term "x" clock "x" term "y" clock "y"',
             {'x': {'sup': '<= 2', 'inf': '>= 0'}, 'y': {'sup': 'infinite', 'inf': '>= 4'}}),
            (ROUND, 'sup formula (and (eq "l" 0) (clock "x" < 4)) term "x" clock "x"',
             {'x': {'sup': '< 4'}}),
            (ROUND, 'sup formula (clock "y" < 0) term "x" clock "x"', {'x': {'sup': None}}),
            (CHAIN, 'bounds formula true term "y" clock "y"',
             {'y': {'sup': '< 12', 'inf': '>= 0'}}),
            (CHAIN, 'bounds formula (eq "l" 2) term "y" clock "y"',
             {'y': {'sup': '< 12', 'inf': '> 7'}}),
            (CHAIN, 'inf formula (deadlock) term "x" clock "x"', {'x': {'inf': '>= 0'}})):
        got = value(text, query)
        check(f'the values of {query}', got == ('holds', expected), got)
    got = value(PERIODIC, 'sup formula (clock "x" > 1) term "y" clock "y" term "x" clock "x"')
    check('rounds without end', got == ('holds', {'y': {'sup': 'infinite'}, 'x': {'sup': '<= 2'}}),
          got)
    zeno = PERIODIC.replace('>= 2', '>= 0')
    got = value(zeno, 'sup formula true term "y" clock "y"')
    check('no largest value is guessed', got == ('unknown', None), got)
    got = value(PERIODIC, 'bounds formula true term "x" clock "x"')
    check('what is reset has one', got == ('holds', {'x': {'sup': '<= 2', 'inf': '>= 0'}}), got)
    shown = run('check', write('model.cairn',
                               CHAIN + 'query sup formula true term "y" clock "y"\n'))
    check('text has the values', 'y: sup < 12' in shown.stdout, shown.stdout)


def sources():
    text = ROUND + 'query always formula (clock "x" <= 5)\nquery meets formula (eq "l" 1)\n'
    rows, _, status = answers(text)
    check('queries are asked, and deadlock is not', set(rows) ==
          {'query[0]', 'query[1]', 'runtime-error'} and status == 1, rows)
    rows, _, status = answers(text, '-p', 'deadlock', '-p', 'query[1]')
    check('deadlock is asked by name', status == 0 and rows['deadlock']['verdict'] == 'holds'
          and 'query[0]' not in rows, rows)
    rows, told, status = answers(text, '--query', 'sometime formula (clock "x" > 3)')
    check('--query replaces those of the file', set(rows) == {'query[0]', 'runtime-error'}
          and rows['query[0]']['verdict'] == 'holds' and status == 0, rows)
    check('what is found ends the search', told['complete'] is False, told)
    check('its text is told', rows['query[0]']['text'] == 'E<> x > 3', rows)
    given = write('more.q', 'always formula (clock "y" >= 0)\nquery sometime formula (deadlock)\n')
    rows, _, status = answers(text, '--queries', given, '--query', 'meets formula (eq "l" 1)',
                              '--query', 'keeps formula (eq "l" 0)')
    check('a file and texts', [rows[f'query[{i}]']['verdict'] for i in range(4)]
          == ['holds', 'violated', 'holds', 'violated'] and status == 1, rows)
    rows, _, _ = answers(text, '--query', 'always formula (clock "x" <= 5)', '-p', 'deadlock')
    check('what the command line asks is asked', 'query[0]' in rows and 'deadlock' in rows, rows)
    refused = run('check', os.path.join(ROOT, 'examples/peterson/peterson.mil'), '--query', 'E<> x')
    check('a language without queries', refused.returncode == 2
          and 'have no queries' in refused.stderr, refused.stderr)
    refused = run('check', write('model.cairn', text), '--queries', path('nowhere'))
    check('a file that is not there', refused.returncode == 2, refused.stderr)
    refused = run('check', write('model.cairn', text), '--query', 'always formula (clock "z" < 3)')
    check('a mistake has its place', refused.returncode == 2 and '--query:1:' in refused.stderr,
          refused.stderr)
    refused = run('check', write('model.cairn', UNTIMED), '--engine', 'explicit', '--query',
                  'keeps formula (eq "n" 0)')
    check('other engines do not decide them', refused.returncode == 2, refused.stdout)
    rows, _, _ = answers(UNTIMED, '--engine', 'explicit', '--query', 'always formula (le "n" 3)')
    check('about values all engines do', rows['query[0]']['verdict'] == 'holds', rows)
    rows, _, _ = answers(ROUND, '--query', 'always formula (clock "x" - "y" < 3)', '--query',
                         'keeps formula (clock "x" - "y" < 3)')
    check('differences of clocks are decided in states and along runs',
          rows['query[0]']['verdict'] == 'holds' and rows['query[1]']['verdict'] == 'holds', rows)
    for query, left_out in (('always formula (clock "x" <= 9)', ['n']),
                            ('always formula (or (eq "n" 0) (clock "x" <= 9))', None),
                            ('meets formula (clock "x" > 5)', None)):
        _, whole, _ = answers(ROUND, '--query', query)
        check(f'what {query} does not depend on is left out',
              whole['statistics'].get('hidden_left_out') == left_out, whole['statistics'])
    divided = run('check', write('model.cairn', CHAIN
                                 + 'query sometime formula (clock "y" > 11)\n'
                                 'query keeps formula (clock "y" < 12)\n'
                                 'query bounds formula (eq "l" 1) term "y" clock "y"\n'),
                  '--json', '--context', write('two.cdl', 'cdl one is { main is { skip } }\n'
                                               'cdl two is { main is { skip } }\n'))
    rows = {row['name']: row for row in json.loads(divided.stdout)['properties']}
    check('contexts together', divided.returncode == 0
          and [rows[f'query[{i}]']['verdict'] for i in range(3)] == ['holds'] * 3
          and rows['query[2]']['value'] == {'y': {'sup': '< 12', 'inf': '>= 3'}}, rows)


def ways():
    """Threads and kinds of zones change nothing."""
    queries = ('query always formula (not (deadlock))\n'
               'query sometime formula (and (eq "l" 2) (clock "y" <= 4))\n'
               'query always formula (implies (eq "l" 0) (clock "y" < 30))\n')
    plain, _, _ = answers(ROUND + queries)
    wanted = {name: row['verdict'] for name, row in plain.items()}
    check('one is violated', sorted(wanted.values()).count('violated') == 1, wanted)
    for words in (('--threads', '3'), ('--zones', 'equal'), ('--first',)):
        rows, _, _ = answers(ROUND + queries, *words)
        got = {name: row['verdict'] for name, row in rows.items()}
        check(f'with {words}', got == wanted or '--first' in words, got)
    for limit in (1, 3, 10, 40, 200):
        result = run('check', write('model.cairn', ROUND + queries
                                    + 'query leads formula (eq "l" 0) then (eq "l" 1)\n'),
                     '--memory', f'{limit}k', program=ASAN)
        check(f'with {limit} KiB', not crashed(result) and result.returncode in (0, 1, 3),
              f'{result.returncode} {result.stderr}')


def printed():
    """Clocks that conditions compare with expressions, below operators: the text form reads what it
    writes."""
    model = write('printed.xta', 'clock x, y; int[0,3] n; process P() { state A { x <= 3 }; '
                  'init A; trans A -> A { guard x >= 1; assign x = 0, n = (n + 1) % 3; }; }\n'
                  'system P;\n'
                  'query { A[] not (x > n + 3 and P.A) or y < 1 }\n'
                  'query { E<> (n == 1 or x - y >= n - 2) and x < 2 * n }\n'
                  'query { n == 1 --> x == n + 2 and (y > n or P.A) }\n')
    first = run('translate', model, '--to', 'cairn').stdout
    again = run('translate', write('printed.cairn', first), '--to', 'cairn', program=ASAN)
    check('what is printed is read, and prints the same', again.stdout == first,
          again.stderr + first)
    verdicts = []
    for file in (model, path('printed.cairn')):
        result = run('check', file, '--json')
        verdicts.append([entry['verdict'] for entry in json.loads(result.stdout)['properties']])
    check('and has the same verdicts', verdicts[0] == verdicts[1]
          and verdicts[0][:3] == ['holds', 'holds', 'violated'], verdicts)


section(known)
section(values)
section(sources)
section(ways)
section(printed)
finish()
