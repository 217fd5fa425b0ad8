"""What scripts and editors use: expected verdicts (--expect), diagnostics as JSON and SARIF,
progress as JSON."""
import glob
import json
import os
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, ROOT, check, crashed, finish, path, refuses, run, section, write

TURNTABLE = os.path.join(ROOT, 'examples/turntable/tt.mil')
PHILS = os.path.join(ROOT, 'examples/philosophers/phils.mil')
COUNTER = '''CONST n = 3;
VARIABLE x : 2 := 0; END
ACTION up; END
GLOBAL
  CASE [up] x < n : x := x + 1; END
END
INVARIANT
  small: x < 2;
  fits: x < 4;
END
'''


def expects(name, status, words, lines, *options, text=COUNTER):
    model = write('counter.mil', text)
    file = write('wanted.txt', lines)
    result = run('check', model, '--expect', file, *options)
    missing = [word for word in words if word not in result.stdout + result.stderr]
    check(f'expect: {name}', result.returncode == status and not missing and not crashed(result),
          f'{result.returncode}, without {missing}: {result.stdout} {result.stderr}')


def expectations():
    right = '''// expect: property small violated distance=2
// expect: property deadlock violated
expect: states=4 transitions=3 deadlocks=1
# expect -D n=1: property small holds
<!-- expect -D n=1: property deadlock violated -->
'''
    expects('all as expected', 0, ['All is as expected (3 lines'], right)
    expects('other constants, other lines', 0, ['All is as expected (2 lines'], right, '-D', 'n=1')
    expects('constants that no line has', 1, ['small is violated, not holds'], right, '-D', 'n=2')
    expects('what no line speaks of holds', 1, ['deadlock is violated, not holds'],
            'expect: property small violated\n')
    expects('another verdict', 1, ['fits is holds, not violated (', 'wanted.txt:1)'],
            'expect: property fits violated\n' + right)
    expects('another distance', 1, ['its distance is 2, not 3'],
            'expect: property small violated distance=3\nexpect: property deadlock violated\n')
    expects('another count', 1, ['the number of states is 4, not 5'], right + 'expect: states=5\n')
    expects('one property asked', 0, [], right, '-p', 'fits')
    expects('unknown verdicts can be expected', 0, [],
            ''.join(f'expect --bound 1: property {name} unknown\n'
                    for name in ('small', 'fits', 'deadlock', 'runtime-error')), '--bound', '1')
    expects('a verdict that is none', 2, ["'good' is no verdict"], 'expect: property small good\n')
    expects('a word that is none', 2, ["'stars=3' is not understood"], 'expect: stars=3\n')
    expects('no colon', 2, ["':' is missing"], 'expect -D n=3\n')
    expects('an option that is none', 2, ['is no option of an expectation'],
            'expect --engine x: states=3\n')
    refuses('no file of expectations', 'nothing.txt', 'check', PHILS, '--expect', 'nothing.txt')
    wrong = []
    for model in sorted(glob.glob(os.path.join(ROOT, 'examples/*/*.mil'))):
        result = run('check', model, '--expect', model, '-q', '--time', '20s' if LONG else '0.2s')
        if crashed(result) or result.returncode == 2:
            wrong.append(f'{model}: {result.returncode} {result.stderr}')
    check('expectations of examples are understood', not wrong, wrong)


section(expectations)


def diagnostics():
    bad = write('bad.mil', 'VARIABLE x : 2 := y; END\nVARIABEL END\n')
    result = run('check', bad, '--diagnostics', 'json')
    lines = [json.loads(line) for line in result.stderr.splitlines()]
    check('diagnostics as lines of JSON', result.returncode == 2 and lines
          and all(each['severity'] == 'error' and each['file'] == bad and each['line']
                  and each['column'] and each['text'] and each['code'] for each in lines), lines)
    plain = run('check', bad).stderr
    check('the same as in text', lines and all(
        f'{bad}:{each["line"]}:{each["column"]}: error: {each["text"]}' in plain
        for each in lines), plain)
    file = path('found.sarif')
    result = run('check', bad, '--diagnostics', f'sarif={file}')
    with open(file, encoding='utf-8') as sarif:
        document = json.load(sarif)
    found = document['runs'][0]['results']
    rules = {rule['id'] for rule in document['runs'][0]['tool']['driver']['rules']}
    check('SARIF', result.returncode == 2 and not result.stderr and document['version'] == '2.1.0'
          and len(found) == len(lines) and all(one['ruleId'] in rules and one['level'] == 'error'
                                               for one in found), document)
    places = [(one['locations'][0]['physicalLocation']['region']['startLine'],
               one['message']['text']) for one in found]
    check('SARIF has the places', places == [(each['line'], each['text']) for each in lines],
          places)
    run('check', PHILS, '-D', 'n=3', '--engine', 'auto', '--threads', '2', '--diagnostics',
        f'sarif={file}')
    with open(file, encoding='utf-8') as sarif:
        document = json.load(sarif)
    check('a document without results, also after a race', document['runs'][0]['results'] == [])
    refuses('a file that cannot be written', 'cannot write', 'check', PHILS, '--diagnostics',
            'json=/nowhere/x')
    refuses('a form that is none', "does not know 'xml'", 'check', PHILS, '--diagnostics', 'xml')
    refuses('text has no file', 'standard error', 'check', PHILS, '--diagnostics', 'text=x')


section(diagnostics)


def progress():
    def lines_of(*arguments):
        result = run(*arguments, '--progress', 'json')
        return result, [json.loads(line) for line in result.stderr.splitlines()
                        if line.startswith('{')]
    result, lines = lines_of('explore', PHILS, '-D', 'n=14', '--engine', 'explicit')
    check('progress of a search', result.returncode == 0 and lines
          and all(one['progress'] == 'search' and one['states'] >= one['waiting']
                  and one['memory_bytes'] > 0 and one['seconds'] > 0 for one in lines)
          and sorted(lines, key=lambda one: one['states']) == lines, lines[:3])
    check('nothing else is among it', '\x1b' not in result.stderr)
    check('a forecast, or why there is none',
          all(('why_not' in one['forecast']) != ('seconds' in one['forecast']) for one in lines)
          and all(low <= high for one in lines for low, high in
                  [one['forecast'][key] for key in ('seconds', 'share', 'states')
                   if key in one['forecast']]), lines[-1])
    result, lines = lines_of('check', TURNTABLE, '-D', 'n=6', '-p', 'deadlock', '--engine',
                             'explicit', '--memory', '40M')
    warned = [one for one in lines if 'warning' in one]
    quick = len(lines) < 4  # on a fast machine it is over before that is seen
    check('memory that will be full is told once, with advice', result.returncode == 3
          and (quick or len(warned) == 1 and 'memory' in warned[0]['warning']
               and all(one['why'] and one['command'] for one in warned[0]['advice'])
               and warned[0]['advice']), lines[-1:])
    result = run('check', TURNTABLE, '-D', 'n=6', '-p', 'deadlock', '--engine', 'explicit',
                 '--memory', '40M', '--progress', 'always')
    check('the same for people', quick
          or result.stderr.count('cairn: note: memory will be full') == 1
          and 'waiting' in result.stderr, result.stderr[-600:])
    result, lines = lines_of('check', TURNTABLE, '-D', 'n=9', '-p', 'T3', '--engine', 'symbolic',
                             '--time', '1s')
    check('diagrams have no forecast', all('why_not' in one['forecast'] for one in lines)
          and not crashed(result), result.stderr)


section(progress)
finish()
