"""The preprocessor: what it makes of texts, against known answers and, for random macros, against
gcc -E; messages with their places; -D; hostile texts; damaged ones.

LONG=1 tries many more. A failing random text is shown; it is that of its number and SEED.
"""
import os
import random
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, PATIENCE, ROOT, SEED, check, finish, path, run, write

TOOLS = {}
for mode in ('release', 'asan'):
    subprocess.run(['make', '-s', f'MODE={mode}', f'build/{mode}/tools/preprocess'], cwd=ROOT,
                   check=True)
    TOOLS[mode] = os.path.join(ROOT, f'build/{mode}/tools/preprocess')


def tool(*arguments, mode='asan'):
    command = [TOOLS[mode], *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors='replace',
                          timeout=PATIENCE)


def makes(text, expected, *defines, name='text.fcr'):
    done = tool(*defines, write(name, text))
    check(f'{text!r} makes {expected!r}', done.returncode == 0 and done.stdout == expected + '\n',
          done.stdout + done.stderr)


def refused(text, message, *more):
    """The first message is this one, at the mark; `more` is somewhere after it."""
    before = text[:text.index('§')] if '§' in text else None
    done = tool(write('bad.fcr', text.replace('§', '', 1)))
    place = (f':{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}'
             if before is not None else '')
    wanted = f'bad.fcr{place}: error: {message}'
    first = done.stdout.split('\n')[0]
    check(message,
          done.returncode == 2 and first.endswith(wanted)
          and all(word in done.stdout for word in more),
          f'{text}\n{wanted}\n{done.stdout}{done.stderr}')


def definitions():
    makes('a b', 'a b')
    makes('#define A 1\nA B A', '1 B 1')
    makes('#define A\nx A y', 'x y')
    makes('  #  define A 1 + 2 // comment\nA', '1 + 2')
    makes('/* c */ #define A 1\nA', '1')
    makes('#define A /* over\nlines */ 1\nA', '1')
    makes('#define A 1 + \\\n 2\nA', '1 + 2')
    makes('#define A 1 + \\\r\n 2\r\nA', '1 + 2')
    makes('#define A 1\n#undef A\nA', 'A')
    makes('#undef A\nA', 'A')
    makes('#define A 1\n#define A 1\nA', '1')
    makes('#define A B\n#define B C\nA', 'C')
    makes('#define A B\n#define B A\nA B', 'A B')
    makes('#define A A + 1\nA', 'A + 1')
    makes('#define process task\nprocess', 'task')
    makes('#define A process\nA', 'process')
    makes('#define A "a b"\nA', '"a b"')
    makes('x #tag y', 'x # tag y')
    makes('x\n#tag\ny', 'x # tag y')
    makes('x\n#Define\ny', 'x # Define y')
    makes('x #define y', 'x # define y')
    makes('#pragma once it\'s nothing\nx', 'x')
    makes('', '')
    makes('#define A 1', '')


def arguments():
    makes('#define F(x) x + x\nF(1) F(a b)', '1 + 1 a b + a b')
    makes('#define F(x, y) y x\nF(1, 2) F((1, 2), 3)', '2 1 3 ( 1 , 2 )')
    makes('#define F() 1\nF() F( ) F', '1 1 F')
    makes('#define F(x) [x]\nF()', '[]'.replace('[]', '[ ]'))
    makes('#define F (x)\nF', '( x )')
    makes('#define F(x) x\nF\n(\n1\n)', '1')
    makes('#define F(x) x\nF /* ( */ 1', 'F 1')
    makes('#define F(x) F(x) + 1\nF(F(2))', 'F ( F ( 2 ) + 1 ) + 1')
    makes('#define F(x) G(x)\n#define G(x) x * 2\nF(F(3))', '3 * 2 * 2')
    makes('#define F(x) x\n#define G F\nG(1)', '1')
    makes('#define F(x) x\n#define G F(\nG 1)', '1')
    makes('#define CALL(f, x) f(x)\n#define INC(y) y + 1\nCALL(INC, 3)', '3 + 1')
    makes('#define f(a) a * g\n#define g(a) f(a)\nf(2)(9)', '2 * 9 * g')
    makes('#define J(a, b) a ## b\nJ(x, y) J(x, 1) J(1, 2) J(pro, cess)', 'xy x1 12 process')
    makes('#define A 7\n#define J(a, b) a ## b\n#define K(a, b) J(a, b)\nJ(A, 1) K(A, 1)', 'A1 71')
    makes('#define J(a) x ## a ## y\nJ(1)', 'x1y')
    makes('#define C nat # nat\nC', 'nat # nat')


def conditions():
    for text, value in (('1', 1), ('0', 0), ('X', 0), ('1 + 2 * 3 == 7', 1),
                        ('(1 + 2) * 3 == 7', 0), ('!0 && !X', 1), ('1 || 1 / 0', 1),
                        ('0 && 1 / 0', 0), ('1 ? 2 : 1 / 0', 1),
                        ('-1 < 0', 1), ('~0 == -1', 1),
                        ('7 / 2 == 3 && -7 / 2 == -3 && 7 % 3 == 1', 1), ('1 << 4 == 16', 1),
                        ('256 >> 4 == 16', 1), ('1 << 64', 0), ('6 & 3 | 8 ^ 8', 1),
                        ('6 & 3 == 3', 0), ('1 < 2 != 0', 1), ('2 >= 2 && 2 <= 2 && 3 > 2', 1),
                        ('defined A', 1), ('defined(A) && !defined(B)', 1), ('A == 3', 1),
                        ('F(2) == 4', 1),
                        ('9223372036854775807 + 1 < 0', 1), ('1 - - 1 == 2', 1),
                        ('0 ? 1 : 0 ? 2 : 3', 1), ('A -1', 1)):
        makes(f'#define A 3\n#define F(x) x + x\n#if {text}\nyes\n#else\nno\n#endif',
              'yes' if value else 'no')
    makes('#ifdef A\na\n#elif 1\nb\n#else\nc\n#endif', 'b')
    makes('#if 0\na\n#elif 0\nb\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif', 'c')
    makes('#ifndef A\na\n#endif\n#define A\n#ifndef A\nb\n#endif', 'a')
    makes('#if 0\n it\'s "not \x01 read /* \n#endif */\n#if 1\n#else\n#endif\n#define A '
          '1\n#endif\nA', 'A')
    makes('#if 0\n#ifdef X\n#elif\n#else\n#endif\n#else\nx\n#endif', 'x')
    makes('#if 1\n#if 0\na\n#else\nb\n#endif\nc\n#else\nd\n#endif', 'b c')
    makes('#define V TRUE\n#ifeq V TRUE\na\n#endif\n#ifeq V FALSE\nb\n#endif\n#ifneq V '
          'FALSE\nc\n#endif\n#ifeq W W\nd\n#endif', 'a c d')
    makes('#ifndef N\n#define N 3\n#endif\nN', '3')
    makes('#ifndef N\n#define N 3\n#endif\nN', '5', 'N=5')
    makes('#if N < 0\nN\n#endif', '- 7', 'N=-7')
    makes('N', 'N', 'N=5')
    makes('#if 0\n' + '\n' * 50000 + '#endif\nx', 'x')
    makes('#if 0\n' + '/* c */\n' * 20000 + '#endif\nx', 'x')


def files():
    write('inner.h', '#define INNER 7\ninside\n')
    makes('#include "inner.h"\nINNER', 'inside 7')
    os.makedirs(path('folder'), exist_ok=True)
    write('folder/deep.h', 'deep\n#include "beside.h"\n#include "../inner.h"\n')
    write('folder/beside.h', '#ifndef ONCE\n#define ONCE\nbeside\n#endif')
    makes('#include "folder/deep.h"\n#include "folder/beside.h"\nend', 'deep beside inside end')
    makes(f'#include "{path("inner.h")}"\nx', 'inside x')
    write('self.h', '#include "self.h"\n')
    done = tool(write('bad.fcr', '#include "self.h"\n'))
    check('a file that includes itself',
          done.returncode == 2 and 'self.h:1:10: error: the file ' in done.stdout
          and 'includes itself' in done.stdout, done.stdout)
    write('ping.h', '#include "pong.h"\n')
    write('pong.h', '#include "ping.h"\n')
    done = tool(write('bad.fcr', '#include "ping.h"\n'))
    check('files that include each other',
          done.returncode == 2 and 'pong.h:1:10: error: ' in done.stdout
          and 'includes itself' in done.stdout, done.stdout)
    os.symlink('link.h', path('other.h'))
    write('link.h', '#include "./link.h"\n')
    done = tool(write('bad.fcr', '#include "link.h"\n'))
    check('other names of one file',
          done.returncode == 2 and 'too many files are included' in done.stdout, done.stdout[:300])
    for i in range(12):
        write(f'double{i}.h', f'#include "double{i + 1}.h"\n' * 2)
    write('double12.h', 'x\n')
    done = tool(write('bad.fcr', '#include "double0.h"\n'))
    check('files that double',
          done.returncode == 2 and 'too many files are included' in done.stdout, done.stdout[:300])
    for name, what in (('/dev/zero', 'is no ordinary file'), ('/dev/stdin', ''),
                       ('-', 'cannot open'), ('nothing.h', 'cannot open'),
                       ('folder', 'is a folder'), ('..', 'is a folder')):
        done = tool(write('bad.fcr', f'\n #include "{name}"\n'))
        check(f'no {name}',
              done.returncode == 2 and 'bad.fcr:2:11: error: ' in done.stdout
              and what in done.stdout, done.stdout)
    os.mkfifo(path('pipe.h'))
    refused('#include §"pipe.h"', f'{path("pipe.h")}: is no ordinary file')
    write('error.h', '\n process 1 +\n')
    done = run('check', write('bad.fcr', '#include "error.h"\nP\n'))
    check('an error in an included file',
          done.returncode == 2 and 'error.h:2:10: error: expected' in done.stderr, done.stderr)


def messages():
    refused('§#define\n', "expected a name after '#define'")
    refused('#define §3\n', "expected a name after '#define'")
    refused('#define §defined 1\n', "'defined' cannot be a macro")
    refused('#define F(§1) x\n', "expected the names of parameters, and ')'")
    refused('#define §F(a\n', "expected the names of parameters, and ')'")
    refused('#define F(a §b) x\n', "expected the names of parameters, and ')'")
    refused('#define F(a, §a) x\n', "the parameter 'a' is there twice")
    refused('#define A 1\n#define §A 2\n', "the macro 'A' is defined already",
            'bad.fcr:1:9: note: here')
    refused('#define F(a) 1\n#define §F(b) 1\n', "the macro 'F' is defined already")
    refused('#undef A §B\n', 'expected the end of the line')
    refused('#ifdef A §B\n#endif\n', 'expected the end of the line')
    refused('§#ifdef\n#endif\n', "expected a name after '#ifdef'")
    refused('§#if\n#endif\n', 'a condition ends too early')
    refused('#if 1 +\n#endif\n'.replace('#if', '§#if'), 'a condition ends too early')
    refused('#if 1 §2\n#endif\n', 'expected an operator or the end of the line')
    refused('§#if (1\n#endif\n', "expected ')' in this condition")
    refused('§#if 1 ? 2\n#endif\n', "expected ':' in this condition")
    refused('#if §* 2\n#endif\n', 'expected a number or a name in this condition')
    refused('#if §"a"\n#endif\n', 'expected a number or a name in this condition')
    refused('§#if 1 / 0\n#endif\n', 'division by zero in a condition')
    refused('#if §defined 3\n#endif\n', "expected a name after 'defined'")
    refused('#if §defined(A\n#endif\n', "expected a name after 'defined'")
    refused('§#ifeq A\n#endif\n', 'expected two names or numbers to compare')
    refused('§#endif\n', 'there is no #if for this #endif')
    refused('§#else\n', 'there is no #if for this #else')
    refused('#if 1\n#else\n§#else\n#endif\n', '#else after #else')
    refused('#if 1\n#else\n§#elif 1\n#endif\n', '#elif after #else')
    refused('#if 1\n#else §x\n#endif\n', 'expected the end of the line')
    refused('#if 0\n#endif §x\n', 'expected the end of the line')
    refused('a\n§#if 1\n#if 0\n#endif\nb', 'this condition has no #endif')
    refused('a\n§#if 0\n#if 0\n#endif\nb', 'this condition has no #endif')
    refused('§#include\n', "expected the name of a file in quotes after '#include'")
    refused('#include §<a.h>\n', "expected the name of a file in quotes after '#include'")
    refused('#include §""\n', "expected the name of a file in quotes after '#include'")
    refused('#include "inner.h" §x\n', 'expected the end of the line')
    refused('§#error do not 1\n', '#error do not 1')
    refused('#define F(x) x\n§F(1\n', "the arguments of the macro 'F' do not end")
    refused('#define F(x) x\n§F(1, 2)\n', "the macro 'F' has 1 parameter, and 2 are given",
            'bad.fcr:1:9: note: here')
    refused('#define F(x, y) x\n§F(1)\n', "the macro 'F' has 2 parameters, and 1 is given")
    refused('#define F() x\n§F(1)\n', "the macro 'F' has 0 parameters, and 1 is given")
    refused('#define F(x) x\nF(1\n§#if 1\n)\n', 'a directive inside the arguments of a macro')
    refused('#define J(a) + ## a\n§J(x)', "'+' ## 'x' makes no name and no number",
            "note: in the expansion of 'J'")
    refused('#define J(a) 1 ## a\n§J(x)', "'1' ## 'x' makes no name and no number")
    done = tool(write('bad.fcr', '#warning take care\nx\n'))
    check('#warning',
          done.returncode == 0 and 'bad.fcr:1:1: warning: #warning take care' in done.stdout,
          done.stdout)


def expansions():
    """Errors of the parser, and of what comes behind it, in what macros made."""
    def check_error(text, *lines):
        done = run('check', write('bad.fcr', text))
        check(f'{lines[0]}',
              done.returncode == 2 and all(f'bad.fcr:{line}' in done.stderr for line in lines),
              text + done.stderr)
    check_error('#define TYPE 0 .. x\nprocess P is states a var v : TYPE := 0\n from a to a\nP\n',
                "2:31: error: there is no 'x' here", "1:9: note: in the expansion of 'TYPE'")
    check_error('#define ID(x) x\nprocess P is states a var v : ID(0 .. y) := 0\n from a to a\nP\n',
                "2:39: error: there is no 'y' here")
    check_error('#define A B\n#define B qq\nconst c : nat is A\nprocess P is states s from s to '
                's\nP\n', "3:18: error: there is no 'qq' here",
                "1:9: note: in the expansion of 'A'")
    text = ('#define LIMIT 3\nprocess P is states a var x : 0..7 := 0\n from a on x < LIMIT; x := '
            'x + 1; to a\nP\n')
    done = run('explore', write('good.fcr', text))
    check('a model with macros',
          done.returncode == 0 and 'states                       4' in done.stdout,
          done.stdout + done.stderr)
    guarded = '#ifndef LIMIT\n#define LIMIT 3\n#endif\n' + text.split('\n', 1)[1]
    done = run('explore', write('good.fcr', guarded), '-D', 'LIMIT=5')
    check('-D reaches a condition',
          done.returncode == 0 and 'states                       6' in done.stdout
          and 'LIMIT' in done.stdout, done.stdout + done.stderr)
    done = run('explore', write('good.fcr', guarded), '-D', 'LIMITS=5')
    check('-D that nobody asks for',
          done.returncode == 2 and 'the model has no such constant' in done.stderr, done.stderr)


def hostile():
    """Everything ends soon, with a message."""
    def ends(name, text, word):
        done = tool(write('hostile.fcr', text))
        check(f'{name} ends', done.returncode in (0, 2) and word in done.stdout[:3000],
              done.stdout[:500] + done.stderr[-500:])
    doubling = ''.join(f'#define A{i} A{i + 1} A{i + 1}\n' for i in range(60)) + 'A0\n'
    ends('names that double', doubling, 'macros make more than 1048576 tokens')
    ends('arguments that double', '#define D(x) x x\n' + 'D(' * 60 + 'y' + ')' * 60,
         'macros make more than')
    ends('bodies that double',
         ''.join(f'#define F{i}(x) F{i + 1}(x x)\n' for i in range(60)) + 'F0(y)\n',
         'macros make more than')
    ends('a condition that doubles', doubling.replace('A0\n', '#if A0\n#endif\n'),
         'macros make more than')
    ends('long chains', ''.join(f'#define A{i} A{i + 1}\n' for i in range(5000)) + 'A0\n',
         'macros are nested too deeply')
    ends('calls in calls', '#define F(x) x\n' + 'F(' * 5000 + ')' * 5000, 'macros ')
    ends('parentheses in conditions', '#if ' + '(' * 100000 + '\n#endif\n',
         'this condition is nested too deeply')
    ends('signs in conditions', '#if ' + '!' * 100000 + '1\n#endif\n',
         'this condition is nested too deeply')
    ends('choices in conditions', '#if ' + '1 ? ' * 100000 + '1\n#endif\n',
         'this condition is nested too deeply')
    ends('conditions in conditions', '#if 1\n' * 5000, 'conditions are nested too deeply')
    ends('conditions in a branch that is not taken', '#if 0\n' * 50000 + '#endif\n' * 50000, '\n')
    ends('many macros', ''.join(f'#define M{i} {i}\n' for i in range(50000)) + 'M49999', '49999')
    ends('many parameters',
         '#define F(' + ','.join(f'p{i}' for i in range(3000)) + ') p1\nF('
         + ','.join('x' * 1 for i in range(3000)) + ')', 'x')
    ends('many uses', '#define A 1\n' + 'A ' * 200000, '1 1 1')
    ends('a long splice', '#define A ' + '\\\n' * 100000 + '1\nA', '1')
    ends('a paste that grows',
         ''.join(f'#define P{i}(x) P{i + 1}(x ## x)\n' for i in range(20)) + 'P0(a)\n', '')
    ends('only hashes', '#\n' * 100000, '#')
    ends('zeros', '#define A \0\0\nA', '')


# ---- random macros, against the preprocessor of C ----

def random_text(rng):
    """Macros with few names, so that they meet each other: bodies, arguments and conditions."""
    names = [f'M{i}' for i in range(rng.randint(2, 6))]
    parameters = {name: rng.choice([None, None, 0, 1, 2]) for name in names}

    def tokens(own, depth):
        made = []
        for _ in range(rng.randint(0, 3)):
            kind = rng.randrange(7)
            if kind == 0:
                made.append(rng.choice(['x', 'y', '1', '2', '+', ';']))
            elif kind == 1:
                made += ['(', *tokens(own, depth + 1), ')'] if depth < 3 else ['z']
            elif kind == 2 and own:
                made.append(rng.choice(own))
            else:
                name = rng.choice(names)
                made.append(name)
                if parameters[name] is not None and rng.random() < 0.8 and depth < 3:
                    made.append('(')
                    for i in range(parameters[name]):
                        made += ([','] if i else []) + tokens(own, depth + 1)
                    made.append(')')
        return made

    lines = []
    for name in names:
        if rng.random() < 0.1:
            continue
        own = ['a', 'b'][:parameters[name] or 0]
        head = name if parameters[name] is None else f'{name}({", ".join(own)})'
        body = tokens(own, 0)
        if rng.random() < 0.15 and own:
            body += [own[0], '##', rng.choice(['q', '7'])]
        lines.append(f'#define {head} ' + ' '.join(body))
    for _ in range(rng.randint(1, 6)):
        roll = rng.randrange(6)
        if roll == 0:
            lines += [f'#if{rng.choice(["def", "ndef"])} {rng.choice(names)}',
                      ' '.join(tokens([], 0)),
                      rng.choice(['#else', f'#elif defined({rng.choice(names)})']), 'other',
                      '#endif']
        elif roll == 1:
            a, b = rng.randint(0, 9), rng.randint(1, 9)
            first = rng.choice(['+', '-', '*', '/', '%', '<', '>=', '==', '&', '|', '^', '&&', '||',
                                '<<', '>>'])
            second = rng.choice(['+', '*', '<', '!=', '&&', '|'])
            lines += [f'#if {a} {first} {b} {second} {rng.randint(0, 3)}', 'yes', '#else', 'no',
                      '#endif']
        elif roll == 2:
            lines.append(f'#undef {rng.choice(names)}')
        else:
            lines.append(' '.join(tokens([], 0)))
    return '\n'.join(lines) + '\n'


def compare(number):
    rng = random.Random(f'preprocess {SEED} {number}')
    text = random_text(rng)
    name = write('random.fcr', text)
    ours = tool(name, mode='asan' if number % 10 == 0 else 'release')
    if ours.returncode == 2 and 'macros ' in ours.stdout:  # gcc would go on for hours
        return True
    try:
        theirs = subprocess.run(['gcc', '-E', '-P', '-w', '-x', 'c', '-std=c11', name],
                                capture_output=True, text=True, timeout=20)
    # macros that explode end for us with a message, and for gcc not at all
    except subprocess.TimeoutExpired:
        return True
    if theirs.returncode:
        check(f'random text {number}: both refuse', ours.returncode == 2,
              f'{text}\n{theirs.stderr}\n{ours.stdout}')
        return True
    again = tool(write('theirs.fcr', theirs.stdout.replace('#', ' # ')), mode='release')
    check(f'random text {number}', ours.returncode == 0 and ours.stdout == again.stdout,
          f'{text}\n--- ours\n{ours.stdout}--- gcc\n{again.stdout}{theirs.stdout}')
    return False


def damaged():
    rng = random.Random(f'damaged {SEED}')
    words = ['#define ', '#if ', '#endif\n', '#else\n', '#elif ', '#include "inner.h"\n', '#undef ',
             'defined(', '(', ')', ',', '##', '\\\n', '\n', '/*', '*/', '//', '"', '\0', 'M0', 'M1',
             '1', '\xff']
    count = 4000 if LONG else 60
    bad = 0
    for number in range(count):
        text = random_text(rng)
        for _ in range(rng.randint(1, 8)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(words) + text[at + rng.choice([0, 0, 1, 5]):]
        done = tool(write('damaged.fcr', text.encode('utf-8', 'surrogateescape')))
        if done.returncode not in (0, 2):
            bad += 1
            check(f'damaged text {number}', False,
                  f'{text!r}\n{done.stdout[-500:]}{done.stderr[-1500:]}')
    check(f'{count} damaged texts', not bad)


for part in (definitions, arguments, conditions, files, messages, expansions, hostile):
    part()
refusals = 0
for number in range(20000 if LONG else 80):
    refusals += compare(number)
check('most random texts are accepted', refusals < (20000 if LONG else 80) / 2, refusals)
damaged()
finish()
