"""Damaged inputs: models, model texts, traces and formulas with bytes and tokens changed at random.
Nothing may crash, hang, or end as an internal error.

Deterministic: input i of seed SEED is always the same. LONG=1 runs many more. A failing input is
kept in the folder FUZZ_KEEP, when that is set.
"""
import concurrent.futures
import glob
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, LONG, PATIENCE, ROOT, SEED, check, crashed, finish, path, run, write
from generate import generate

COUNT = 12000 if LONG else 150
WORKERS = 2
KEEP = os.environ.get('FUZZ_KEEP', '')

TOKEN = re.compile(
    r'"[^"\n]*"|\w+|<->|<=>|:=|->|=>|==|!=|<=|>=|&&|\|\||\.\.|//[^\n]*|/\*.*?\*/|\s+|.', re.S)
MIL_WORDS = ['ACTIONS', 'VARIABLES', 'LOCAL', 'END', 'MAIN', 'GLOBAL', 'PROC', 'CASE', 'SYNC',
             'CTL', 'LTL', 'CONST', 'LOCATIONS', 'INVARIANTS', 'pc', 'self',
             'true', 'false', 'and', 'or', 'not', 'mod', 'A', 'E', 'X', 'F', 'G', 'U', 'R', 'W',
             'AG', 'EF', 'GF', 'AGEF', '[', ']', '(', ')', ';', ',', ':', ':=', '.',
             '+', '-', '*', '/', '%', '=', '==', '!=', '<', '<=', '->', '<->', '!', '&', '|', '≠',
             '¬', '0', '1', '2', '3', '32', '33', '63', '4294967295',
             '9223372036854775807', '9223372036854775808', '/*', '*/', '//', '"', '"x"']
CAIRN_WORDS = ['source', 'constant', 'process', 'variable', 'rule', 'property', 'location',
               'locations of', 'part', 'part global', 'when', 'set', 'text', 'formula', 'at', 'in',
               'of', 'type', 'pc', 'any', 'global', 'add', 'sub', 'mul', 'div', 'mod', 'cut', 'eq',
               'ne', 'lt', 'le', 'gt', 'ge', 'and', 'or', 'not', 'implies', 'iff', 'next',
               'finally', 'globally', 'until', 'release', 'weak', 'all', 'exists', 'ctl', 'ltl',
               'invariant', '(', ')', '..', '=', '-', '"', '0', '1', '2', '63', '64', '-1',
               '-9223372036854775807', '9223372036854775807', '4294967295', '4294967296', 'true',
               'false', ':', 'lowest', 'ranged', 'choose', 'within', 'fail', 'at', 'local',
               'local_at',
               'index', 'range', 'full', 'empty', 'loop', 'do', 'end', 'if', 'else', 'while',
               'require', 'copy', 'call', 'call 1', 'call nothing', 'leave', 'function',
               'function 1', 'class',
               'classes', 'priority', '>', '<=', 'ticks', 'clock', 'interval', 'guard', 'reset',
               'stays', 'infinity', '[', ']', ',', 'named', 'initial']
JSON_WORDS = ['{', '}', '[', ']', ',', ':', '"', 'null', 'true', '0', '-1', '1e3', '1.5',
              '9223372036854775808', '"#meta"', '"label"', '"states"', '"source"', '"constants"',
              '"#bigint"', '""', '"\\u0000"', '{"#bigint": "7"}', '[]', '{}']


def corpus():
    """[(kind, text)]"""
    texts = []
    for name in sorted(glob.glob(os.path.join(ROOT, 'examples', '*', '*.mil'))
                       + glob.glob(os.path.join(ROOT, 'test', 'regress', '*.mil'))):
        with open(name, encoding='utf-8', errors='surrogateescape') as file:
            texts.append(('mil', file.read()))
    for i in range(12):
        texts.append(('mil', generate(f'fuzz {SEED} {i}')))
    tool = os.path.join(ROOT, 'build/release/tools/random_code')
    subprocess.run(['make', '-s', 'build/release/tools/random_code'], cwd=ROOT, check=True)
    for i in range(30):
        texts.append(
            ('code', subprocess.run(
            [tool, str(1000 * SEED + i + 1), *(['timed'] if i % 3 == 0 else [])],
            capture_output=True, text=True).stdout))
    models = [text for kind, text in texts if kind == 'mil']
    for i, text in enumerate(models):
        name = write(f'corpus{i}.mil', text.encode('utf-8', 'surrogateescape'))
        printed = run('translate', name, '--to', 'cairn', '-q')
        if printed.returncode == 0 and len(printed.stdout) < 20000:
            texts.append(('cairn', printed.stdout))
        trace = path(f'corpus{i}.itf.json')
        if (run('simulate', name, '-q', '--steps', '4', '--trace', trace).returncode in (1, 3)
            and os.path.exists(trace)):
            with open(trace, encoding='utf-8') as file:
                texts.append(('itf.json', file.read()))
    return texts


def change_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at = rng.randrange(len(data) + 1)
        action = rng.randrange(6)
        if action == 0:
            data[at:at
                 + 1] = bytes(
                [rng.choice([0, 9, 10, 13, 27, 34, 92, 127, 128, 192, 255, rng.randrange(256)])])
        elif action == 1:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 3, 40])))
        elif action == 2:
            del data[at:at + rng.choice([1, 1, 5, 50])]
        elif action == 3:
            end = min(len(data), at + rng.randrange(1, 60))
            data[at:at] = data[at:end] * rng.choice([1, 2, 30])
        elif action == 4:
            del data[at:]
        elif data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
    return bytes(data)


def change_tokens(rng, text, words, other):
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        if not tokens:
            break
        at = rng.randrange(len(tokens))
        action = rng.randrange(8)
        if action == 0:
            tokens[at] = rng.choice(words)
        elif action == 1:
            tokens.insert(at, ' ' + rng.choice(words) + ' ')
        elif action == 2:
            del tokens[at:at + rng.choice([1, 1, 2, 6])]
        elif action == 3:
            to = rng.randrange(len(tokens))
            tokens[at], tokens[to] = tokens[to], tokens[at]
        elif action == 4:
            end = at + rng.randrange(1, 40)
            tokens[at:at] = tokens[at:end] * rng.choice([1, 1, 3])
        elif action == 5:
            numbers = [i for i, token in enumerate(tokens) if token.isdigit()]
            if numbers:
                tokens[rng.choice(numbers)] = rng.choice(
                    ['0', '1', '2', '7', '31', '32', '33', '255', '65535', '65536', '4294967295',
                     '9223372036854775807'])
        elif action == 6:
            same = [i for i, token in enumerate(tokens) if token.strip()
                    and token[0] == tokens[at][0]]
            tokens[at] = tokens[rng.choice(same)] if same else tokens[at]
        else:
            piece = TOKEN.findall(other)
            start = rng.randrange(len(piece)) if piece else 0
            tokens[at:at] = piece[start:start + rng.randrange(1, 60)]
    return ''.join(tokens)


def damage(rng, kind, text, other):
    if rng.random() < 0.75:
        words = {'mil': MIL_WORDS, 'cairn': CAIRN_WORDS, 'code': CAIRN_WORDS}.get(kind, JSON_WORDS)
        text = change_tokens(rng, text, words, other)
        data = text.encode('utf-8', 'surrogateescape')
        return data if rng.random() < 0.8 else change_bytes(rng, data)
    return change_bytes(rng, text.encode('utf-8', 'surrogateescape'))


def formula(rng, text):
    """A piece of a model, or words, as a formula on the command line (which cannot hold a NUL)."""
    tokens = TOKEN.findall(text)
    at = rng.randrange(len(tokens))
    piece = (tokens[at:at + rng.randrange(1, 30)] if rng.random() < 0.6
             else [rng.choice(MIL_WORDS + CAIRN_WORDS) + ' ' for _ in range(rng.randrange(12))])
    return ''.join(piece).replace('\0', '').encode('utf-8', 'surrogateescape')


def choose(i):
    """Input number i: (extension, bytes, list of commands)."""
    rng = random.Random(f'{SEED} {i}')
    kind, text = rng.choice(texts)
    others = [t for k, t in texts if k == kind]
    if rng.random() < 0.12 and kind == 'mil':
        data, extra = text.encode('utf-8',
                                  'surrogateescape'), [
            rng.choice(['--ltl', '--ctl', '--invariant']), formula(rng, rng.choice(others))]
    else:
        data, extra = damage(rng, kind, text, rng.choice(others)), []
    limits = ['--time', '1s', '--memory', '64M']
    if kind == 'itf.json':
        return kind, data, [['replay']]
    if kind == 'code':
        engine = ['check', *rng.choice([[], ['--engine', 'symbolic'], ['--engine', 'bounded']]),
                  *limits]
        return 'cairn', data, [
            ['translate', '--to', rng.choice(['cairn', 'promela', 'smv', 'aag']), *limits], engine]
    commands = [['check', *limits, *extra,
                 *rng.choice([[], ['--json'], ['--order', 'dfs'], ['--full', '-v']])]]
    commands.append(
        rng.choice(
        [['explore', *limits, '--json'], ['simulate', '--steps', '30', '--runs', '3'],
         ['simulate', '-i'],
         ['translate', '--to',
          rng.choice(['cairn', 'dot', 'aut', 'promela', 'smv', 'ord', 'aiger', 'aag']), *limits]]))
    return kind, data, commands


def guard():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 25))


def execute(command, name, data):
    environment = dict(os.environ,
                       ASAN_OPTIONS='detect_leaks=1:allocator_may_return_null=1:hard_rss_limit_mb=3'
                       '000')
    try:
        done = subprocess.run(
            [os.fsencode(ASAN), *map(os.fsencode, [command[0], name, *command[1:]])],
            capture_output=True, cwd=ROOT, timeout=PATIENCE, env=environment, preexec_fn=guard,
            input=b'1\n\nu\nl\ns\nt\nr\n2\nq\n')
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -999, '', 'timeout')
    return subprocess.CompletedProcess(command, done.returncode,
                                       done.stdout.decode('utf-8', 'replace'),
                                       done.stderr.decode('utf-8', 'replace'))


def complaint_about(command, data, result):
    if (crashed(result) and 'runtime error' not in result.stderr
        and result.returncode in (0, 1, 2, 3) and b'Sanitizer' in data):
        return None
    if crashed(result):
        return 'crash'
    if result.returncode == 2 and 'error' not in result.stderr and command[0] != 'simulate':
        return 'status 2 without a message'
    if (result.returncode == 3
        and not re.search('memory|complete|unknown|proves nothing', result.stderr + result.stdout)):
        return 'status 3 without a reason'
    if '--json' in command and result.returncode in (0, 1):
        try:
            told = json.loads(result.stdout)
        except ValueError:
            return 'not one JSON object'
        if result.returncode == 0 and not told['complete'] and told.get('verdict') != 'holds':
            return 'status 0 for an incomplete search'
    return None


def one(i):
    kind, data, commands = choose(i)
    name = write(f'input{i}.{kind}', data)
    wrong = []
    for command in commands:
        result = execute(command, name, data)
        complaint = complaint_about(command, data, result)
        if complaint:
            shown = ' '.join(os.fsdecode(word) for word in command)
            wrong.append(
                f'{complaint}: cairn {shown} (input {i}, seed {SEED}, .{kind}): status '
                f'{result.returncode}: {result.stderr[-700:]}')
            if KEEP:
                os.makedirs(KEEP, exist_ok=True)
                shutil.copy(name, os.path.join(KEEP, f'{SEED}-{i}.{kind}'))
    os.unlink(name)
    return len(commands), wrong


if not check('there is a sanitized build', os.path.exists(ASAN), ASAN):
    finish()
texts = corpus()
for kind in ('mil', 'cairn', 'code', 'itf.json'):
    check(f'the corpus has .{kind}', sum(1 for k, _ in texts if k == kind) >= 5)
runs = 0
with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
    for outcome in pool.map(one, range(COUNT)):
        runs += outcome[0]
        for complaint in outcome[1]:
            check('a damaged input', False, complaint)
check(f'{COUNT} damaged inputs in {runs} runs', runs >= COUNT)
finish()
