"""LTL and automata: known relations and sizes, random formulas against a naive evaluator of words,
HOA written, read and damaged.

Files of ../shared/corpus/ltl (CORPUS: another folder than ../shared/corpus) are used when they are
there. Input i of seed SEED is always the same; LONG=1 runs many more.
"""
import csv
import os
import random
import re
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, LONG, ROOT, SEED, check, crashed, finish, path, run, run_json, write

CORPUS = os.path.join(os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus')), 'ltl')
FORMULAS = 4000 if LONG else 60
DAMAGED = 20000 if LONG else 100


def rows(name):
    file = os.path.join(CORPUS, name)
    if not os.path.exists(file):
        print(f'skipped: {name} is not here')
        return []
    with open(file, encoding='utf-8') as lines:
        return list(csv.DictReader(lines))


# ---- known answers ----

for row in rows('relations.csv'):
    for f, g, key in ((row['f'], row['g'], 'f_implies_g'), (row['g'], row['f'], 'g_implies_f')):
        result = run('automaton', '--ltl', f, '--implies', g)
        check(f'{f}  implies  {g}', result.returncode == 1 - int(row[key]),
              result.stdout + result.stderr)
    if row['f_implies_g'] == row['g_implies_f'] == '1':
        check(f'{row["f"]}  ==  {row["g"]}',
              run('automaton', '--ltl', row['f'], '--equivalent', row['g']).returncode == 0)

ratios = {'tgba_states': [], 'ba_states': []}
for row in rows('patterns.csv'):
    for column, options in (('tgba_states', ()), ('ba_states', ('--buchi',))):
        status, told = run_json('automaton', '--ltl', row['formula'], *options)
        if check(f'{row["id"]} has an automaton', status == 0 and told):
            ratios[column].append(told['states'] / int(row[column]))
            check(f'{row["id"]}, {column}: not many more states',
                  told['states'] <= 4 * int(row[column]), told['states'])
for column, list_ in ratios.items():
    if list_:
        average = sum(list_) / len(list_)
        print(f'{column}: {len(list_)} automata, {average:.3f} times the listed size on average')
        check(f'{column}: at most twice the listed size on average', average <= 2, average)
for row in rows('beem.csv'):
    for formula, column in ((row['formula'], 'ba_states'),
                            (f'!({row["formula"]})', 'neg_ba_states')):
        status, told = run_json('automaton', '--ltl', formula, '--buchi')
        check(f'{row["id"]}: at most twice the listed size',
              status == 0 and told['states'] <= 2 * int(row[column]), told)


# ---- a naive evaluator ----

UNARY, BINARY = ('!', 'X', 'F', 'G'), ('&', '|', '->', '<->', '^', 'U', 'R', 'W', 'M')


def make(rng, size, names):
    if size <= 1:
        return rng.choice(names) if rng.random() < 0.93 else rng.choice(['true', 'false'])
    if rng.random() < 0.45:
        return rng.choice(UNARY), make(rng, size - 1, names)
    left = rng.randint(1, max(1, size - 2))
    return rng.choice(BINARY), make(rng, left, names), make(rng, size - 1 - left, names)


def show(f):
    if isinstance(f, str):
        return f
    if len(f) == 2:
        return f'{f[0]} ({show(f[1])})'
    return f'({show(f[1])}) {f[0]} ({show(f[2])})'


def values(f, word, loop):
    """At which positions of the word f is true. From the definitions: what is true at i depends on
    the positions i, i+1, ... of the unrolled word."""
    n = len(word)
    if f == 'true' or f == 'false':
        return [f == 'true'] * n
    if isinstance(f, str):
        return [f in letter for letter in word]
    op, a = f[0], values(f[1], word, loop)
    b = values(f[2], word, loop) if len(f) == 3 else None

    def future(i):
        """The positions that a run from i on visits, each once, in order of the first visit."""
        return list(range(i, n)) + [j for j in range(loop, i) if j < i]

    def until(left, right, i):
        for j in future(i):
            if right[j]:
                return True
            if not left[j]:
                return False
        return False

    yes, opposite = [True] * n, [not v for v in a]
    result = []
    for i in range(n):
        if op == '!':
            value = not a[i]
        elif op == 'X':
            value = a[i + 1] if i + 1 < n else a[loop]
        elif op == 'F':
            value = until(yes, a, i)
        elif op == 'G':
            value = not until(yes, opposite, i)
        elif op == '&':
            value = a[i] and b[i]
        elif op == '|':
            value = a[i] or b[i]
        elif op == '->':
            value = not a[i] or b[i]
        elif op == '<->':
            value = a[i] == b[i]
        elif op == '^':
            value = a[i] != b[i]
        elif op == 'U':
            value = until(a, b, i)
        elif op == 'W':
            value = until(a, b, i) or all(a[j] for j in future(i))
        elif op == 'R':
            value = not until(opposite, [not v for v in b], i)
        else:
            value = until(b, [x and y for x, y in zip(a, b)], i)
        result.append(value)
    return result


def random_word(rng, names):
    word = [{name for name in names if rng.random() < 0.5} for _ in range(rng.randint(1, 6))]
    return word, rng.randrange(len(word))


def show_word(word, loop, names):
    letters = [' & '.join(name if name in letter else '!' + name for name in names)
               for letter in word]
    return '; '.join(letters[:loop] + ['cycle{' + '; '.join(letters[loop:]) + '}'])


def read_word(told):
    prefix, cycle = told['word']['prefix'], told['word']['cycle']
    return [set(letter) for letter in prefix + cycle], len(prefix)


NAMES = ['a', 'b', 'c']
check('the evaluator knows G F',
      values(('G', ('F', 'a')), [{'a'}, set(), {'a'}], 1)[0]
      and not values(('G', ('F', 'a')), [{'a'}, set()], 1)[0])

for i in range(FORMULAS):
    rng = random.Random(f'ltl {SEED} {i}')
    f, g = make(rng, rng.randint(2, 14), NAMES), make(rng, rng.randint(2, 8), NAMES)
    text, other = show(f), show(g)
    program = ASAN if i % 16 == 0 else None
    check(f'{i}: f and !f have no word in common: {text}',
          run('automaton', '--ltl', text, '--implies', text, program=program).returncode == 0)
    hoa, buchi = path('random.hoa'), path('buchi.hoa')
    written = run('automaton', '--ltl', text, '--to', 'hoa', '-o', hoa, '-q', program=program)
    check(f'{i}: written: {text}', written.returncode == 0, written.stderr)
    run('automaton', '--ltl', text, '--to', 'hoa', '-o', buchi, '--buchi', '-q')
    for _ in range(2):
        word, loop = random_word(rng, NAMES)
        shown, expected = show_word(word, loop, NAMES), 0 if values(f, word, loop)[0] else 1
        for what, source in (('the formula', ('--ltl', text)), ('its file', (hoa,)),
                             ('its Büchi automaton', (buchi,))):
            result = run('automaton', *source, '--accepts', shown, program=program)
            check(f'{i}: {what} and the evaluator agree on {shown}: {text}',
                  result.returncode == expected, result.stdout + result.stderr)
    for what, source in (('file', hoa), ('Büchi automaton', buchi)):
        check(f'{i}: the {what} implies the formula: {text}',
              run('automaton', source, '--implies', text).returncode == 0)
    again = run('automaton', hoa, '--to', 'hoa')
    with open(hoa, encoding='utf-8') as file:
        check(f'{i}: read and written again, the file is the same: {text}',
              re.sub('^name: .*\n', '', file.read(), flags=re.M) == again.stdout,
              again.stdout + again.stderr)
    # what is told of two formulas: a word that parts them is one, and no random word contradicts an
    # implication
    status, told = run_json('automaton', '--ltl', text, '--implies', other, program=program)
    if status == 1:
        word, loop = read_word(told)
        check(f'{i}: the word shows that {text} does not imply {other}',
              values(f, word, loop)[0] and not values(g, word, loop)[0], told)
    else:
        samples = [random_word(rng, NAMES) for _ in range(50)]
        check(f'{i}: {text} implies {other}',
              status == 0 and not any(values(f, *s)[0] and not values(g, *s)[0] for s in samples),
              told)

# ---- the text of formulas ----

for left, right in (('GFa', 'G (F a)'), ('[]<>a', 'GFa'), ('a V b', 'a R b'),
                    ('a U b U c', 'a U (b U c)'), ('a -> b -> c', 'a -> (b -> c)'),
                    ('a | b & c', 'a | (b & c)'),
                    ('a & b U c', 'a & (b U c)'), ('!a U b', '(!a) U b'), ('"a" <=> a', '1'),
                    ('X!a', '!Xa'), ('a xor b', 'a ^ b'), ('"F x" & Fy', 'Fy & "F x"')):
    check(f'{left} is read as {right}',
          run('automaton', '--ltl', left, '--equivalent', right).returncode == 0)
for bad, words in (('', 'formula'), ('a &', 'formula'), ('(a', r"'\)'"), ('a b', 'operator'),
                   ('a U', 'formula'), ('2', 'formula'), ('G', 'formula'), ('a)', 'operator'),
                   ('(' * 5000, 'nested'),
                   ('!' * 5000 + 'a', 'nested'), ('X' * 200 + 'a' + ' U a' * 3000, 'nested'),
                   ('a $ b', 'character'), (' & '.join(f'p{i}' for i in range(70)), '64'),
                   ('"a', 'string')):
    result = run('automaton', '--ltl', bad, program=ASAN)
    check(f'refused: {bad[:40]}', result.returncode == 2 and re.search(words, result.stderr),
          result)
for large in (' & '.join(f'GFp{i}' for i in range(40)), ' <-> '.join(f'GFp{i}' for i in range(12)),
              ' | '.join(f'(a U (b{i} & X c{i}))' for i in range(30)), 'X' * 250 + 'a',
              ' & '.join(f'(a{i} U b{i})' for i in range(30)),
              'G(' + ' | '.join('X' * i + f'p{i % 20}' for i in range(30)) + ')'):
    result = run('automaton', '--ltl', large)
    check(f'a large formula ends: {large[:40]}',
          result.returncode in (0, 2, 3) and (result.returncode == 0 or 'too' in result.stderr),
          result)
for bad in ('a', 'cycle', 'cycle{', 'cycle{}', 'a; b', 'a & !a; cycle{a}', 'cycle{a} b',
            'cycle{a;}', '; cycle{a}', '!cycle{a}'):
    result = run('automaton', '--ltl', 'Fa', '--accepts', bad, program=ASAN)
    check(f'refused word: {bad}', result.returncode == 2 and 'error' in result.stderr, result)

# ---- HOA ----

HEAD = 'HOA: v1\nStates: 2\nStart: 0\nAP: 2 "a" "b"\n'
BUCHI = 'acc-name: Buchi\nAcceptance: 1 Inf(0)\n'


def body(text):
    return f'--BODY--\n{text}\n--END--\n'


EVENTUALLY = 'State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1'
for name, text, formula in (
        ('accepting states', HEAD + BUCHI + body(EVENTUALLY), 'Fa'),
        ('marks on edges', HEAD + BUCHI + body('State: 0\n[t] 0\n[0] 0 {0}'), 'GFa'),
        ('labels on states', HEAD + BUCHI + body('State: [0] 0 {0}\n0 1\nState: [1] 1\n1 0'),
         'a & G(a | b) & GFa'),
        ('implicit labels', HEAD + BUCHI + body('State: 0 0 1 0 1\nState: 1 {0} 1 1 1 1'), 'Fa'),
        ('an alias',
         HEAD + 'Alias: @x 0 & !1\nAlias: @y !@x\n' + BUCHI
         + body('State: 0\n[@y] 0\n[@x] 1\nState: 1 {0}\n[t] 1'), 'F(a & !b)'),
        ('two sets',
         HEAD + 'Acceptance: 2 Inf(0) & Inf(1)\n'
         + body('State: 0\n[t] 0\n[0] 0 {0}\n[1] 0 {1}\n[0&1] 0 {0 1}'), 'GFa & GFb'),
        ('parentheses',
         HEAD + 'Acceptance: 2 (Inf(0) & (Inf(1)) & t)\n' + body('State: 0\n[0] 0 {0 1}'), 'Ga'),
        ('all', HEAD + 'acc-name: all\nAcceptance: 0 t\n' + body('State: 0\n[0 | 1] 0'),
         'G(a | b)'),
        ('none', HEAD + 'acc-name: none\nAcceptance: 0 f\n' + body('State: 0\n[t] 0'), 'false'),
        ('a complemented set',
         HEAD + 'Acceptance: 1 Inf(!0)\n' + body('State: 0\n[0] 0\n[!0] 0 {0}'), 'GFa'),
        ('several starts',
         HEAD + 'Start: 1\n' + BUCHI + body('State: 0\n[0] 0 {0}\nState: 1\n[1] 1 {0}'), 'Ga | Gb'),
        ('no start', HEAD.replace('Start: 0\n', '') + BUCHI + body('State: 0\n[t] 0 {0}'), 'false'),
        ('no count of states', HEAD.replace('States: 2\n', '') + BUCHI + body(EVENTUALLY), 'Fa'),
        ('comments and other headers',
         '/* a /* b */ c */' + HEAD
         + 'name: "x \\" y"\ntool: "t" "1"\nproperties: deterministic\nowner: me 3 "x"\n' + BUCHI
         + body('State: 0 "zero" /* x */\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1'), 'Fa'),
        ('a label with brackets', HEAD + BUCHI + body('State: 0\n[!(0 & (1 | f))] 0 {0}'),
         'G!(a & b)')):
    file = write('hand.hoa', text)
    result = run('automaton', file, '--implies', formula, program=ASAN)
    check(f'{name}: implies {formula}', result.returncode == 0, result)
    rng = random.Random(name)
    for _ in range(12):
        shown = show_word(*random_word(rng, NAMES[:2]), NAMES[:2])
        by_file, by_formula = run('automaton', file, '--accepts', shown), run('automaton', '--ltl',
            f'({formula}) & (a | !a) & (b | !b)', '--accepts', shown)
        check(f'{name}: accepts as {formula} does: {shown}',
              by_file.returncode == by_formula.returncode in (0, 1),
              by_file.stdout + by_file.stderr)
for name, text, words in (
        ('nothing', '', 'HOA: v1'),
        ('another version', HEAD.replace('v1', 'v2') + BUCHI + body(''), 'version'),
        ('Fin', HEAD + 'Acceptance: 1 Fin(0)\n' + body(''), 'not supported'),
        ('Rabin', HEAD + 'Acceptance: 2 Fin(0) & Inf(1)\n' + body(''), 'not supported'),
        ('Streett', HEAD + 'Acceptance: 2 Inf(0) | Inf(1)\n' + body(''), 'not supported'),
        ('alternation', HEAD + BUCHI + body('State: 0\n[t] 0&1'), 'lternating'),
        ('alternating start', HEAD + 'Start: 0&1\n' + BUCHI + body(''), 'lternating'),
        ('no acceptance', HEAD + body(''), 'Acceptance'),
        ('an unknown capital header', HEAD + 'Foo: 1\n' + BUCHI + body(''), 'capital'),
        ('no such state', HEAD + BUCHI + body('State: 0\n[t] 7'), 'no state'),
        ('no such proposition', HEAD + BUCHI + body('State: 0\n[2] 0'), 'no proposition'),
        ('no such set', HEAD + BUCHI + body('State: 0\n[t] 0 {1}'), 'no acceptance set'),
        ('no such alias', HEAD + BUCHI + body('State: 0\n[@z] 0'), 'alias'),
        ('a state twice', HEAD + BUCHI + body('State: 0\n[t] 0\nState: 0\n[t] 0'), 'twice'),
        ('a proposition twice', HEAD.replace('"b"', '"a"') + BUCHI + body(''), 'twice'),
        ('an aborted automaton', HEAD + BUCHI + '--BODY--\nState: 0\n--ABORT--\n', 'aborted'),
        ('too few implicit labels', HEAD + BUCHI + body('State: 0 0 0 0'), 'every letter'),
        ('mixed labels', HEAD + BUCHI + body('State: 0\n[t] 0\n1'), 'with and without'),
        ('no end', HEAD + BUCHI + '--BODY--\nState: 0\n[t] 0', '--END--'),
        ('text after the end', HEAD + BUCHI + body('') + 'x', 'after --END--'),
        ('an open comment', HEAD + '/* ', 'comment'),
        ('an open string', HEAD + 'name: "x\n', 'string'),
        ('65 propositions', 'HOA: v1\nAP: 65 ' + '"x" ' * 65, '64'),
        ('a deep label', HEAD + BUCHI + body('State: 0\n[' + '(' * 100000 + '0'), 'nested'),
        ('many negations', HEAD + BUCHI + body('State: 0\n[' + '!' * 100000 + '0]'), 'nested'),
        ('a long chain', HEAD + BUCHI + body('State: 0\n[' + '0 & ' * 100000 + '0] 0'), 'nested'),
        ('a huge number', HEAD + BUCHI + body('State: 99999999999999999999'), 'no state'),
        ('exponential aliases',
         HEAD + ''.join(f'Alias: @{i + 1} @{i} & @{i}\n' if i else 'Alias: @1 0\n'
                        for i in range(100)) + BUCHI + body('State: 0\n[@100] 0'), 'too many'),
        ('a lone start', HEAD.replace('Start: 0', 'Start: 5') + BUCHI + body(''), 'initial')):
    result = run('automaton', write('bad.hoa', text), program=ASAN)
    check(f'refused: {name}',
          result.returncode == 2 and re.search(words, result.stderr) and not crashed(result),
          (result.returncode, result.stderr[:500]))
result = run('automaton', write('bad.hoa', HEAD + BUCHI + '--BODY--\nState: 0\n  [0 $ 1] 0\n'))
check('an error has its position', 'bad.hoa:9:6: error: ' in result.stderr, result.stderr)
many = ('HOA: v1\nStates: 60000\nStart: 0\nAP: 1 "a"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n'
        + ''.join(f'[0] {i}\n' for i in range(60000))
        + ''.join(f'State: {i}\n[t] {i + 1}\n' for i in range(1, 59999))
        + 'State: 59999\n[t] 59999 {0}\n--END--\n')
for options in ((), ('--to', 'hoa'), ('--buchi', '--to', 'dot'), ('--implies', 'Fa')):
    result = run('automaton', write('many.hoa', many), *options)
    check(f'60,000 states and edges {options}', result.returncode == 0,
          (result.returncode, result.stdout[:200], result.stderr[:200]))

# ---- damaged files ----

PIECES = ['State:', '[', ']', '{', '}', '(', ')', '!', '&', '|', 't', 'f', '0', '1', '2', '63',
          '64', '4294967295', '4294967296', '@x', 'Alias: @x 0', 'Start: 0', 'States: 1',
          'States: 0', 'AP: 0', 'AP: 1 "a"', 'Acceptance: 0 t',
          'Acceptance: 2 Inf(0)&Inf(!1)', 'Inf(', 'Fin(0)', '--BODY--', '--END--', '--ABORT--',
          'HOA: v1', '"', '\\', '/*', '*/', '\0', '\n', '\xff', 'acc-name: Buchi',
          'properties: univ-branch']
seeds = [HEAD + BUCHI + body(EVENTUALLY),
         HEAD + 'Alias: @x 0 & !1\n' + BUCHI
         + body('State: [@x|1] 0 "s" {0}\n0 1 {0}\nState: 1\n[!@x] 0'),
         run('automaton', '--ltl', '(a U b) & GF(c & Xa) & FGd', '--to', 'hoa').stdout,
         HEAD + 'Acceptance: 2 Inf(0)&Inf(!1)\n'
         + body('State: 0 0 1 {0} 0 {1} 1\nState: 1 {0 1} 1 1 1 1')]
for i in range(DAMAGED):
    rng = random.Random(f'hoa {SEED} {i}')
    text = rng.choice(seeds)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at, length = rng.randrange(len(text) + 1), rng.choice([0, 0, 1, 2, 8])
        text = text[:at] + rng.choice(
            [rng.choice(PIECES), ' ' + rng.choice(PIECES) + ' ', chr(rng.randrange(256)), '',
             text[at:at + 30] * 2]) + text[at + length:]
    options = rng.choice(
        [(), ('--json',), ('--to', 'hoa'), ('--to', 'dot'), ('--to', 'text', '--buchi'),
         ('--implies', 'GFa'), ('--accepts', 'a; cycle{b}')])
    result = run('automaton', write('damaged.hoa', text.encode('latin-1')), *options, program=ASAN)
    check(f'damaged file {i} {options}', not crashed(result), (text, result.stderr[-600:]))
    if result.returncode == 0 and options == ('--to', 'hoa'):
        check(f'damaged file {i}: what was written can be read',
              run('automaton', write('again.hoa', result.stdout)).returncode == 0, result.stdout)

# ---- the command ----

status, told = run_json('automaton', '--ltl', 'a U b', '--implies', 'Fa')
check('--json',
      status == 1 and told['verdict'] == 'violated' and told['question'] == 'implies'
      and told['states'] == 2 and told['propositions'] == ['a', 'b'], told)
check('--json of an empty automaton', run_json('automaton', '--ltl', 'a & !a')[1]['empty'] is True)
check('--to dot', run('automaton', '--ltl', 'GF"x\\"', '--to', 'dot').stdout.startswith('digraph'))
check('--to text', 'state 0 (initial)' in run('automaton', '--ltl', 'GFa', '--to', 'text').stdout)
model = write('model.pml',
              'bool a, b, c; active proctype p() { do :: a = !a :: b = !b :: c = !c od }\n')
for formula in ('G(a -> F b)', 'a U (b & Xc)', 'GFa & GFb', 'a & !a', 'true', 'FGa'):
    claim = path('claim.pml')
    run('automaton', '--ltl', formula, '--to', 'never', '-o', claim)
    spin = subprocess.run(['spin', '-a', '-N', claim, model], capture_output=True, text=True,
                          cwd=os.path.dirname(claim))
    check(f'Spin reads the never claim of {formula}',
          spin.returncode == 0 and 'rror' not in spin.stdout + spin.stderr,
          spin.stdout + spin.stderr)
for options in ((), ('--ltl', 'a', '--ltl', 'b'), ('x.hoa', '--ltl', 'a'),
                ('--ltl', 'a', '--to', 'smv'), ('--ltl', 'a', '--to', 'hoa', '--json'),
                ('--ltl', 'a', '--implies', 'a', '--accepts', 'cycle{a}'),
                (hoa, '--equivalent', 'a'), ('--ltl', 'a', '-o', path('x')),
                (path('missing.hoa'),), ('--ltl', 'a', '--bound', '3'),
                ('--ltl', 'a', '-D', 'n=3')):
    result = run('automaton', *options)
    check(f'bad usage {options}', result.returncode == 2 and 'error' in result.stderr, result)
before = open(hoa, encoding='utf-8').read()
check('the input is not overwritten',
      run('automaton', hoa, '--to', 'hoa', '-o', hoa).returncode == 2
      and open(hoa, encoding='utf-8').read() == before)
check('--help',
      '--implies' in run('automaton', '--help').stdout
      and '--implies' not in run('check', '--help').stdout)
finish()
