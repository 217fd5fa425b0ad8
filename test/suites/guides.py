"""Guides (xGDL): a bad text for every message, with its position; sizes that are known; random
guides against the inference rules of the paper (test/oracle/guides.py) and against derivatives of
terms (test/oracle/derivatives.py): automata, unrolled ones, words, differences, splits; shapes of
results; limits."""
import glob
import json
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, DEGENERATE, LONG, ROOT, SEED, check, crashed, finish, path, run, run_json,
                 spent, write)
import derivatives
import guides as oracle

LANDING = os.path.join(ROOT, 'examples/guides/landing.xgdl')
seen = []


# ---- messages ----

def told(text, message, severity='error', notes=(), name=None):
    """In a text the mark § stands before the place that the message points to."""
    before = text[:text.index('§')] if '§' in text else ''
    place = ('bad.xgdl:%d:%d: ' % (before.count('\n') + 1, len(before) - before.rfind('\n'))
             if '§' in text else '')
    done = run('guide', write('bad.xgdl', text.replace('§', '', 1)))
    seen.append(done.stderr)
    wanted = f'{place}{severity}: {message}'
    good = (done.returncode == (2 if severity == 'error' else 0) and wanted in done.stderr
            and all(note in done.stderr for note in notes))
    check(name or message, good and (severity != 'error' or done.stdout == ''),
          f'{done.returncode}\n{wanted}\n--- found:\n{done.stdout}{done.stderr}\n--- '
          f'in:\n{text[:500]}')


def messages():
    told('§', 'the file has no guide (guide NAME = ...;)')
    told('let a = b;\n', 'the file has no guide', name='only a let')
    told('§giude g = a;',
         "expected a declaration (let, guide or ignore), found 'giude': did you mean 'guide'?")
    told('§; guide g = a;', "expected a declaration (let, guide or ignore), found ';'\n")
    told('guide §= a;', "expected a name after 'guide', found '='")
    told('let §3 = a;', "expected a name after 'let', found '3'")
    told('guide §skip = a;', "'skip' is a word of the language: choose another name")
    told('guide g §a;', "expected '=' after the name, found 'a'")
    told('guide g = §;', "expected a term (a name, skip, '(' or '{i,j} of [...]'), found ';'")
    told('guide g = a; §of;', "expected a term (a name, skip, '(' or '{i,j} of [...]'), found 'of'")
    told('guide g = a §b;', "expected an operator or ';' after the term, found 'b'")
    told('guide g = a§', "expected an operator or ';' after the term, found the end of the file")
    told('guide g = (a [] b§;\nlet c = d;', "expected an operator or ')', found ';'",
         notes=['the parenthesis was opened here'])
    told('guide g = a{§};', "expected a number, found '}'")
    told('guide g = a{1§;2};', "expected ',' or '}' in the count, found ';'")
    told('guide g = a{1,§};', "expected a number, found '}'", name='no second number')
    told('guide g = a§{5,2};', '{5,2}: the second number must not be less than the first')
    told('guide g = §{3,1} of [a, b, c];',
         '{3,1}: the second number must not be less than the first')
    told('guide g = a{§99999999};', '99999999 is too large: a count is at most 16777216')
    told('guide g = a{§99999999999999999999};', 'this number does not fit in 63 bits')
    told('guide g = {1,2} §[a, b];',
         "expected 'of' after a count that stands before a term, found '['")
    told('guide g = {1,2} of §a;', "expected '[' after 'of', found 'a'")
    told('guide g = {1,2} of [a, b§;\nlet x = y;',
         "expected an operator, ',' or ']' in the list of terms, found ';'")
    told('guide g = §{1} of [' + ', '.join(['a'] * 5000) + '];',
         'there are 5000 terms to choose from: at most 4096 are allowed')
    told('guide g = §{1,5} of [a, b];',
         'there are only 2 terms to choose from: {1,5} is read as {1,2}', 'warning')
    told('guide g = §{3} of [a];', 'there are only 1 term to choose from: {3,3} is read as {1,1}',
         'warning')
    told('guide g = a || §"";', 'an interaction without a name')
    told('guide g = a; ignore §"";', 'an interaction without a name', name='nothing is ignored')
    told('guide g = a §| b;', "expected an operator or ';' after the term, found '|'")
    told('guide g = a §$ b;', "unexpected character '$'")
    told('guide g = ' + '(' * 600 + 'a' + ')' * 600 + ';', 'brackets are nested too deeply')
    told('guide g = a' + '?' * 3000 + ';', 'terms are nested too deeply')
    told(''.join(f'let x{i} = (x{i + 1}; y)?;\n' for i in range(3000))
         + 'let x3000 = a;\nguide g = x0;', 'terms are nested too deeply',
         name='a long chain of definitions')
    told('let x0 = a;\n' + ''.join(f'let x{i + 1} = (x{i}; y)?;\n' for i in range(3000))
         + 'guide g = x3000;', 'terms are nested too deeply',
         name='a long chain, the other way round')
    told('let a = b;\nlet §a = c;\nguide g = a;', "'a' is defined already",
         notes=['bad.xgdl:1:5: note: here'])
    told('guide g = a;\nguide §g = b;', "'g' is defined already")
    told('let a = b; §a;\nguide g = a;', "the definition of 'a' contains itself",
         notes=['it begins here; repetition is written with * or +'])
    told('let a = b [] c;\nlet b = x || §a;\nguide g = a;', "the definition of 'a' contains itself")
    told('guide g = a; §g?;', "the definition of 'g' contains itself")
    told('ignore §;\nguide g = a;', "expected the name of an interaction to ignore, found ';'")
    told('ignore §guide g = a;', "'guide' is a word of the language: choose another name")
    told('ignore a §b;\nguide g = c;', "expected ',' or ';' after the interaction, found 'b'")
    told('let a = b;\nignore §a;\nguide g = a;',
         "'a' is defined in this file: only interactions can be ignored",
         notes=['bad.xgdl:1:5: note: here'])
    told('guide g = a; b;\nignore c, §b;', "'b' cannot be ignored: the file speaks of it",
         notes=['bad.xgdl:1:14: note: here'])
    told('ignore a, §a;\nguide g = b;', "'a' is ignored already", 'warning')
    told('let §a = b;\nguide g = c;', "nothing uses 'a'", 'warning')
    text = 'guide g = ;\nlet = 3;\nguide h = a{2,1};\nguide k = b;\n'
    done = run('guide', write('several.xgdl', text))
    check('several errors in one file', done.stderr.count('error: ') == 3 and done.returncode == 2,
          done.stderr)
    sources = ''.join(open(name, encoding='utf-8').read()
                      for name in glob.glob(os.path.join(ROOT, 'src/lang/xgdl/*.c')))
    everything = ''.join(seen)
    for message in re.findall(
        r'(?:diag_error|diag_warning|diag_note|unexpected)\([^;]*?"((?:[^"\\]|\\.)*)"', sources):
        pieces = [piece for piece in re.split(r"%[.\d]*(?:s|d|u)|%\" *PRIu\d+ *\"", message)
                  if len(piece) > 4]
        pieces = [piece.rstrip('%') for piece in pieces]
        check(f'a test for: {message}', all(piece in everything for piece in pieces), message)


# ---- the command ----

def command():
    one, two = write('one.xgdl', 'guide first = a; b*;\nguide second = a?;\n'), write('two.xgdl',
        'ignore c;\nguide only = a; b+;\n')
    for words, message in (
        (('--equal', one + ':frist'), "has no guide 'frist': did you mean 'first'?"),
        (('--equal', one + ':nothing'), "has no guide 'nothing'; it has first, second"),
        (('--equal', one, '--within', one), 'are asked one at a time'),
        (('--equal', one, '--bound', '3'), 'do not go with --equal'),
        (('--to', 'dot', '--words', '3'), 'do not go with --equal'),
        (('-D', 'n=3'), 'guides have no constants'), (('--split', 'nothing'), "not by 'nothing'"),
        (('--split', 'position=0'), "not by 'position=0'"),
        (('--split', 'position=x'), "not by 'position=x'"),
        (('--split', 'permutations'), "the guide 'only' has nothing to split by permutations"),
        (('--words', '0'), '--words needs at least one'),
        (('--bound', '0'), '--bound needs at least one'),
        (('--equal', 'x.cdl'), "'x.cdl' is no file of guides"),
        (('--equal', path('absent.xgdl')), 'absent.xgdl'),
        (('--to', 'aut'), "writes --to dot, not 'aut'"),
        (('--to', 'dot', '--json'), 'one at a time'), (('--bound', 'auto'), '--bound auto')):
        done = run('guide', two, *words)
        check(f'guide {" ".join(words)}',
              done.returncode == 2 and message in done.stderr
              and not (done.stdout and '--json' not in words),
              f'{done.returncode} {done.stdout} {done.stderr}')
    done = run('guide', one + ':thrid')
    check('an unknown guide',
          done.returncode == 2 and "has no guide 'thrid'; it has first, second" in done.stderr,
          done.stderr)
    done = run('guide', one, '--split', 'alternatives')
    check('one guide is split',
          done.returncode == 2 and 'one guide is split at a time' in done.stderr, done.stderr)
    done = run('guide', os.path.join(ROOT, 'examples/behavior/orders.cdl'), '--bound', '3')
    check('contexts are not unrolled',
          done.returncode == 2 and 'are for guides: files that end in .xgdl' in done.stderr,
          done.stderr)
    code, all_of_it = run_json('guide', one)
    check('several guides',
          code == 0 and [g['name'] for g in all_of_it['guides']] == ['first', 'second']
          and all_of_it['ignored'] == [], all_of_it)
    code, shape = run_json('guide', two, '--bound', '4', '--words', '4')
    check('the shape of a result',
          code == 0 and shape['command'] == 'guide' and shape['name'] == 'only'
          and shape['dfa'] == {'states': 2, 'transitions': 2, 'finite': False}, shape)
    check('the shape of a result: dag',
          shape['dag']
          == {'bound': 4, 'states': 5, 'transitions': 4, 'paths': 1,
              'words_by_length': [1, 1, 1, 1, 1]}, shape)
    check('the shape of a result: words',
          shape['words'] == [[], ['a'], ['a', 'b'], ['a', 'b', 'b']] and shape['ignored'] == ['c']
          and shape['interactions'] == 2, shape)
    code, finite = run_json('guide', one + ':second')
    check('a finite guide',
          finite['dfa']
          == {'states': 2, 'transitions': 1, 'finite': True, 'words': 2, 'paths': 1, 'shortest': 1,
              'longest': 1} and 'dag' not in finite, finite)
    done = run('guide', two, '--bound', '3', '-v', '--words', '9')
    check('as text',
          done.returncode == 0 and 'infinitely many' in done.stdout
          and 'unrolled to 3 interactions' in done.stdout and '(nothing)' in done.stdout
          and '\n    a; b; b\n' in done.stdout, done.stdout)
    check('no more words than there are', done.stdout.count('a; ') == 2, done.stdout)
    done = run('guide', two, '--to', 'dot', '-o', path('g.dot'))
    with open(path('g.dot'), encoding='utf-8') as file:
        text = file.read()
    check('a picture',
          done.returncode == 0 and done.stdout == '' and text.startswith('digraph "only" {')
          and '0 -> 1 [label="a"];' in text and '1 -> 1 [label="b"];' in text, text)
    done = run('guide', two, '--json', '-o', path('g.json'))
    with open(path('g.json'), encoding='utf-8') as file:
        check('JSON in a file', json.load(file)['dfa']['states'] == 2 and done.stdout == '')
    done = run('guide', write('odd.xgdl', 'guide odd = "a b"; not; or; "skip"; "x\\n";\n'),
               '--split', 'position')
    check('names in quotes', done.returncode == 2 and 'nothing to split' in done.stderr,
          done.stderr)
    done = run('guide',
               write('odd.xgdl',
                     'let a = b;\nignore "let it be", c;\nguide g = ("a b" [] "a" [] a [] "skip" '
                     '[] not); skip;\n'), '--split', 'alternatives')
    check('a quoted name is an interaction',
          re.sub(r' \|\| names|^let .*\n', '', done.stdout, flags=re.M).splitlines()[1:]
          == ['ignore "let it be", c;', 'guide g_1 = "a b";', 'guide g_2 = a;', 'guide g_3 = b;',
              'guide g_4 = "skip";', 'guide g_5 = not;'], done.stdout)
    check('a part knows all names',
          done.stdout.splitlines()[2].startswith(
        'let names = (b [] "a b" [] a [] "skip" [] not){0};')
          and done.stdout.count(' || names;\n') == 5, done.stdout)
    check('what is split can be read',
          run('guide', write('again.xgdl', done.stdout), '--equal', path('odd.xgdl')).returncode
          == 0)
    done = run('guide', write('clash.xgdl', 'guide g = g_1 [] g_part_7 [] names;\n'), '--split',
               'alternatives')
    check('names of parts are new',
          [line.split()[1] for line in done.stdout.splitlines()[1:]]
          == ['all_names', 'g_part_part_1', 'g_part_part_2', 'g_part_part_3'], done.stdout)
    check('... and can be read',
          run('guide', write('again.xgdl', done.stdout), '--equal', path('clash.xgdl')).returncode
          == 0)


def comparison():
    text = write('cmp.xgdl',
                 'guide star = handle* || f;\nguide sequence = handle*; f; handle*;\nguide short = '
                 'handle{0,3}; f; handle*;\nguide two = handle*; f?; f?; handle*;\n')
    done = run('guide', text + ':star', '--equal', text + ':sequence')
    check('handle* || f = handle*; f; handle*',
          done.returncode == 0 and done.stdout.startswith('holds'), done.stdout)
    code, told_ = run_json('guide', text + ':star', '--equal', text + ':sequence')
    check('equal, in JSON',
          code == 0 and told_['verdict'] == 'holds' and told_['difference'] is None
          and told_['dfa'] == {'states': 2, 'transitions': 3}
          and told_['other']['dfa']['states'] == 2 and told_['question'] == 'equal', told_)
    code, told_ = run_json('guide', text + ':star', '--within', text + ':short')
    check('not within',
          code == 1 and told_['verdict'] == 'violated'
          and told_['difference'] == {'word': ['handle'] * 4, 'only_in': 'first'}
          and told_['other']['name'] == 'short', told_)
    check('within', run('guide', text + ':short', '--within', text + ':star').returncode == 0)
    code, told_ = run_json('guide', text + ':star', '--equal', text + ':two')
    check('the other one has more',
          code == 1 and told_['difference'] == {'word': ['f', 'f'], 'only_in': 'other'}, told_)
    done = run('guide', text + ':star', '--equal', text + ':two')
    check('a difference as text',
          done.returncode == 1
          and 'a shortest word that only the second one allows: f; f\n' in done.stdout, done.stdout)
    code, told_ = run_json('guide', text, '--equal', text + ':two')
    check('all guides of a file together',
          told_['guides'] == 4 and told_['name'] is None and code == 0, told_)
    # what is ignored is allowed at any time
    a, b, c, d = write('ia.xgdl', 'ignore x;\nguide g = a*;\n'), write('ib.xgdl',
        'guide g = a*;\n'), write('ic.xgdl', 'guide g = (a [] x)*;\n'), write('id.xgdl',
        'ignore x, y;\nguide g = a* [] skip;\n')
    code, told_ = run_json('guide', a, '--equal', b)
    check('what one ignores and the other forbids',
          code == 1 and told_['difference'] == {'word': ['x'], 'only_in': 'first'}, told_)
    check('... forbids less',
          run('guide', b, '--within', a).returncode == 0
          and run('guide', a, '--within', b).returncode == 1)
    check('what one ignores and the other allows at any time',
          run('guide', a, '--equal', c).returncode == 0)
    check('what both ignore',
          run('guide', a, '--within', d).returncode == 0
          and run('guide', d, '--within', a).returncode == 1)


# ---- sizes that are known ----

def sizes(text, name='known', *options):
    return run_json('guide', write(name + '.xgdl', text), *options)[1]


def choose(n, k):
    return 1 if k == 0 else choose(n - 1, k - 1) * n // k


def letters(n):
    return ', '.join(f'a{i}' for i in range(n))


def known():
    wanted = {'pilot': (1, 1), 'failures': (80, 1206), 'scope': (80, 1286), 'one': (2, 20)}
    code, landing = run_json('guide', LANDING)
    found = {guide['name']: (guide['dfa']['states'], guide['dfa']['transitions'])
             for guide in landing['guides']}
    for name, size in wanted.items():
        check(f'the landing gear: {name}', found.get(name) == size, found)
    check('the landing gear: failures, words',
          next(g for g in landing['guides'] if g['name'] == 'failures')['dfa'].get('paths') == 4320)
    two = sizes('guide g = handle* || f;')
    check('handle* || f', two['dfa'] == {'states': 2, 'transitions': 3, 'finite': False}, two)
    for low, high, n in ((0, 3, 18), (3, 3, 18), (0, 2, 9), (4, 4, 4), (0, 6, 12)):
        made = sizes(f'guide g = {{{low},{high}}} of [{letters(n)}];')['dfa']
        states = sum(choose(n, k) for k in range(high)) + 1
        edges = sum(choose(n, k) * (n - k) for k in range(high))
        check(f'{{{low},{high}}} of {n}',
              (made['states'], made['transitions'], made['paths'])
              == (states, edges, choose(n, high) * [1, 1, 2, 6, 24, 120, 720][high]), made)
    before = spent()
    large = sizes(f'guide g = {{6}} of [{letters(30)}];')['dfa']
    check('6 of 30', (large['states'], large['transitions']) == (174438, 4397880), large)
    check('6 of 30 takes little time', spent() - before < 30, spent() - before)
    check('equal operands count once',
          sizes('guide g = {0,20} of [' + ', '.join(['a'] * 40) + '];')['dfa']['states'] == 21)
    check('operands that may be nothing',
          sizes('guide g = {30} of [' + ', '.join(f'a{i}?' for i in range(12)) + ', '
                + ', '.join(['b?'] * 18) + '];', 'known', '-q')['dfa']['states'] == 2 ** 12 * 19)
    check('many equal operands of ||',
          sizes('guide g = ' + ' || '.join(['a'] * 60) + ';')['dfa']
          == {'states': 61, 'transitions': 60, 'finite': True, 'words': 61, 'paths': 1,
              'shortest': 60, 'longest': 60})
    check('a cube',
          sizes('guide g = ' + ' || '.join(f'a{i}' for i in range(12)) + ';')['dfa']['states']
          == 4096)
    check('free interactions',
          sizes('guide g = ' + ' || '.join(f'a{i}*' for i in range(500)) + ';')['dfa']['states']
          == 1)
    check('a long repetition', sizes('guide g = a{100000}; b;')['dfa']['states'] == 100002)
    check('a repetition of what may be nothing',
          sizes('guide g = (a? [] b?){0,3000};')['dfa']['states'] == 3001)
    doubled = 'let x0 = a [] b;\n' + ''.join(f'let x{i + 1} = x{i}; x{i};\n'
                                             for i in range(13)) + 'guide g = x13;\n'
    check('a doubled term', sizes(doubled)['dfa']['paths'] == str(2 ** 2 ** 13))
    many = sizes('guide g = (a [] b [] c)*;', 'known', '--bound', '500')['dag']
    check('large numbers',
          many['paths'] == str(3 ** 500) and many['states'] == 501 and many['transitions'] == 1500
          and many['words_by_length'][499] == str(3 ** 499), many['paths'])
    done = run('guide',
               write('large.xgdl', 'guide g = ' + ' || '.join(f'a{i}' for i in range(40)) + ';'),
               '--memory', '200M')
    check('too large',
          done.returncode == 3
          and ('out of memory' in done.stderr or 'needs more than' in done.stderr), done.stderr)
    done = run('guide', write('large.xgdl', 'guide g = a{16777215}; a{16777215};'), '--memory',
               '8G')
    check('too many states',
          done.returncode == 3 and "the guide 'g' needs more than 16777216 states" in done.stderr,
          done.stderr)
    doubled = 'let x0 = a [] b;\n' + ''.join(f'let x{i + 1} = (x{i}; x{i})+;\n'
                                             for i in range(60)) + 'guide g = x60;\n'
    done = run('guide', write('large.xgdl', doubled))
    check('a term that is doubled very often',
          done.returncode == 3 and "the guide 'g' needs more than 16777216 states" in done.stderr,
          done.stderr)
    done = run('guide', write('large.xgdl', 'guide g = a*;'), '--bound', '99999999999', '--json')
    check('too large a bound',
          done.returncode == 3
          and "unrolled to this bound, the guide 'g' needs more than 16777216 states" in done.stderr
          and json.loads(done.stdout)['complete'] is False, done.stderr)


# ---- splits ----

def split(file, how, wanted=None, name=None):
    """The terms of the parts, after their union was compared with the guide."""
    out = path('parts.xgdl')
    done = run('guide', file, '--split', how, '-o', out)
    label = name or f'split {os.path.basename(file)} by {how}'
    if not check(f'{label}', done.returncode == 0, done.stderr):
        return []
    with open(out, encoding='utf-8') as text:
        parts = [re.sub(r' \|\| names$', '', line.split(' = ', 1)[1].rstrip(';\n')) for line in text
                 if line.startswith('guide ')]
    check(f'{label}: equal', run('guide', out, '--equal', file).returncode == 0)
    check(f'{label}: number of parts', wanted is None or len(parts) == wanted, len(parts))
    code, told_ = run_json('guide', file, '--split', how)
    check(f'{label}: in JSON',
          code == 0 and told_['parts'] == len(parts)
          and [re.sub(r' \|\| (?:\([^()]*\)|\w+)\{0\}$', '', part['term'])
               for part in told_['guides']] == parts and told_['verdict'] == 'holds', told_)
    return parts


def splits():
    before = spent()
    parts = split(LANDING + ':scope', 'permutations', 720)
    check('the 720 parts',
          spent() - before < 60 and len(set(parts)) == 720
          and parts[0] == 'handle* || {0,3} of [f1_1, f2_1, f3_1]', parts[:1])
    out = path('parts.xgdl')
    check('the 720 parts within the scope',
          run('guide', out + ':scope_17', '--within', LANDING + ':scope').returncode == 0)
    check('the scope not within one part',
          run('guide', LANDING + ':scope', '--within', out + ':scope_17').returncode == 1)
    lines = open(out, encoding='utf-8').read().splitlines()
    code, told_ = run_json('guide', write('fewer.xgdl', '\n'.join(lines[:400] + lines[401:])),
                           '--equal', LANDING + ':scope')
    missing = lines[400].split('[')[1].split(']')[0].split(', ')
    check('a part that is missing is found',
          code == 1 and sorted(told_['difference']['word']) == sorted(missing)
          and told_['difference']['only_in'] == 'other', told_)
    check('one failure',
          split(LANDING + ':one', 'alternatives', 18)[:2] == ['handle* || f1_1', 'handle* || f1_2'])
    file = write('one.xgdl', 'guide one = handle* || {1,1} of [f1 [] f2, f3];')
    check('one failure of some',
          split(file, 'permutations', 3) == ['handle* || f1', 'handle* || f2', 'handle* || f3'])
    check('a position',
          split(write('pos.xgdl', 'guide g = handle* || f;'), 'position=3', 4)
          == ['f; handle*', 'handle; f; handle*', 'handle{2}; f; handle*',
              'handle{3}; handle*; f; handle*'])
    check('a position, by default',
          len(split(write('pos.xgdl', 'guide g = handle*; f; handle*;'), 'position', 9)) == 9)
    check('a bounded position',
          split(write('pos.xgdl', 'guide g = handle{1,3}; f; handle*;'), 'position', 3)
          == ['handle; f; handle*', 'handle{2}; f; handle*', 'handle{3}; f; handle*'])
    check('a bounded position, cut',
          split(write('pos.xgdl', 'guide g = handle{0,7}; f; handle*;'), 'position=2', 3)[2]
          == 'handle{2,7}; f; handle*')
    check('a position with more',
          split(write('pos.xgdl', 'guide g = (a+; f; a*) || c*;'), 'position=2', 3)
          == ['a; f; a* || c*', 'a{2}; f; a* || c*', 'a{3}; a*; f; a* || c*'])
    split(LANDING + ':early', 'position', 8)
    split(LANDING + ':early', 'alternatives', 2)
    done = run('guide', write('many.xgdl', 'guide g = ' + '; '.join(['(a [] b [] c)'] * 12) + ';'),
               '--split', 'alternatives')
    check('too many parts',
          done.returncode == 2
          and 'has more than 100000 parts when it is split by alternatives' in done.stderr,
          done.stderr)
    done = run('guide', write('many.xgdl', f'guide g = {{0,10}} of [{letters(40)}];'), '--split',
               'permutations')
    check('too many permutations',
          done.returncode == 2 and 'has more than 100000 parts' in done.stderr, done.stderr)


# ---- random guides ----

LABELS = ['a', 'b', 'c', 'd']


def random_file(rng, number):
    """[(tree, dfa)] and the text of a file with these guides, some of them through definitions."""
    guides, text = [], ''
    while len(guides) < number:
        tree, written, _ = oracle.generate(rng, LABELS[:rng.randint(1, 4)],
                                           rng.choice((1, 2, 2, 3)))
        try:
            dfa = oracle.automaton(tree)
        except (oracle.TooLarge, RecursionError):
            continue
        name = f'g{len(guides)}'
        if rng.random() < 0.2:
            text += f'guide {name} = x{name}; // forward\nlet x{name} = {written};\n'
        else:
            text += f'guide {name} = {written};\n'
        guides.append((tree, dfa))
    return guides, text


def compare_random(seed, program):
    rng = random.Random(seed)
    guides, text = random_file(rng, 25)
    file, bound = write('random.xgdl', text), rng.randint(1, 9)
    code, told_ = run_json('guide', file, '--bound', bound, '--words', 40, '-q', program=program)
    if not check(f'random guides {seed}', code == 0 and told_, text):
        return
    # interactions are numbered as they are met
    order = list(
        dict.fromkeys(re.findall(r'[abcd]\b', re.sub(r'x?g\d+|let|guide|skip|of|//.*', ' ', text))))
    for index, (_, dfa) in enumerate(guides):
        found, label = told_['guides'][index], f'random guide {seed}, g{index}'
        check(f'{label}: size',
              (found['dfa']['states'], found['dfa']['transitions'])
              == (len(dfa), oracle.transitions(dfa)), f'{found["dfa"]} {dfa}\n{text}')
        states, edges, paths, lengths = oracle.unrolled(dfa, bound)
        check(f'{label}: unrolled',
              (found['dag']['states'], found['dag']['transitions'], found['dag']['paths'],
               found['dag']['words_by_length']) == (states, edges, paths, lengths),
              f'{found["dag"]} {text}')
        wanted = [word for word in oracle.words(dfa, 40, order) if len(word) <= bound]
        check(f'{label}: words', found['words'] == wanted, f'{found["words"]}\n{wanted}\n{text}')
    for _ in range(4):
        x, y = rng.randrange(25), rng.randrange(25)
        for both, option in ((True, '--equal'), (False, '--within')):
            wanted = oracle.difference(guides[x][1], guides[y][1], both)
            code, answer = run_json('guide', f'{file}:g{x}', option, f'{file}:g{y}',
                                    program=program)
            good = (answer and code == (0 if wanted is None else 1)
                    and (answer['difference'] is None) == (wanted is None))
            if good and wanted is not None:
                word, first = answer['difference']['word'], answer['difference'][
                    'only_in'] == 'first'
                inside, outside = (x, y) if first else (y, x)
                good = (len(word) == wanted and oracle.allows(guides[inside][1], word)
                        and not oracle.allows(guides[outside][1], word) and (both or first))
            check(f'random {seed}: g{x} {option} g{y}', good, f'{wanted} {answer} {text}')
    for _ in range(4):
        x, how = rng.randrange(25), rng.choice(
            ('alternatives', 'permutations', 'position', 'position=2'))
        done = run('guide', f'{file}:g{x}', '--split', how, '-q', program=program)
        if done.returncode == 2:
            check(f'random {seed}: split g{x} by {how}',
                  'nothing to split' in done.stderr or 'more than 100000' in done.stderr,
                  done.stderr + text)
        else:
            check(f'random {seed}: split g{x} by {how}',
                  done.returncode == 0
                  and run('guide', write('parts.xgdl', done.stdout), '--equal', f'{file}:g{x}',
                          program=program).returncode == 0, done.stderr + done.stdout + text)


def compare_derivatives(seed, number):
    """Automata by derivatives, a construction without rules and sets: as large, and unrolled as the
    program does; larger terms than the rules can treat."""
    rng = random.Random(f'derivatives {seed}')
    dfas, text, bound = [], '', rng.randint(1, 12)
    while len(dfas) < number:
        tree, written, _ = oracle.generate(rng, LABELS[:rng.randint(1, 4)],
                                           rng.choice((2, 3, 3, 4)))
        try:
            dfa = derivatives.automaton(tree, LABELS, 1000)
        except (oracle.TooLarge, RecursionError):
            continue
        text += f'guide g{len(dfas)} = {written};\n'
        dfas.append(dfa)
    code, told_ = run_json('guide', write('derivatives.xgdl', text), '--bound', bound, '-q')
    faults = [] if code == 0 and told_ else ['no result']
    for dfa, found in zip(dfas, told_['guides'] if told_ else []):
        dag = found['dag']
        if ((found['dfa']['states'], found['dfa']['transitions'])
            != (len(dfa), oracle.transitions(dfa))
            or (dag['states'], dag['transitions'], dag['paths'], dag['words_by_length'])
            != oracle.unrolled(dfa, bound)):
            faults.append(f'{found} instead of {dfa}')
    check(f'{number} random guides by derivatives, {seed}', not faults, f'{faults[:1]}\n{text}')


def damaged():
    """Nothing that is read may crash."""
    rng = random.Random(SEED)
    text = open(LANDING, encoding='utf-8').read()
    tokens = re.findall(r'\w+|\|\||\[\]|\s+|.', text)
    for i in range(200 if LONG else 30):
        mutated = tokens[:]
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(mutated))
            mutated[at:at
                    + rng.randint(0, 2)] = rng.choice(
                (['{'], ['}'], ['['], [']'], ['('], [')'], [';'], ['||'], ['[]'], ['*'], ['{0,3}'],
                 [' of '], ['skip'], ['guide'], ['let'], ['ignore '], ['"'], ['?'], [','], ['F1'],
                 ['scope'], ['/*']))
        done = run('guide', write('damaged.xgdl', ''.join(mutated)), '--bound', '4', program=ASAN)
        check(f'damaged guides {i}', not crashed(done), done.stderr[-800:])


def faults():
    """Every allocation may be refused."""
    small = write('small.xgdl',
                  'let f = a [] b;\nignore x;\nguide g = h* || {0,2} of [f, c, d?];\nguide k = h*; '
                  '(a [] c){1,3}; h*;\n')
    other = write('other.xgdl', 'guide g = h* || {0,2} of [a, b, c];\n')
    for words in ((small, '--bound', '3', '--words', '5', '--json'), (small, '--to', 'dot'),
                  (small + ':g', '--equal', other),
                  (small + ':g', '--split', 'permutations', '--json')):
        plain = run('guide', *words, program=DEGENERATE)
        n, same = 1, 0
        while same < 3 and n < 3000:
            done = run('guide', *words, program=DEGENERATE, env={'CAIRN_FAIL_ALLOCATION': str(n)})
            if (crashed(done)
                or (done.returncode != 3
                    and (done.returncode, done.stdout) != (plain.returncode, plain.stdout))):
                check(f'guide {" ".join(map(os.path.basename, words))} with allocation {n} refused',
                      False, f'{done.returncode} {done.stderr[-800:]}')
                break
            same = (same + 1 if done.returncode == plain.returncode and done.stderr == plain.stderr
                    else 0)
            n += 1 if n < 150 or LONG else 7
        check(f'guide {" ".join(map(os.path.basename, words))}: allocations refused', n > 40, n)


for part in (messages, command, comparison, known, splits):
    part()
for seed in range(40 if LONG else 12):
    compare_random(1000 * SEED + seed,
                   ASAN if seed % 3 == 1 else DEGENERATE if seed % 3 == 2 else None)
for seed in range(40 if LONG else 4):
    compare_derivatives(1000 * SEED + seed, 100)
damaged()
faults()
finish()
