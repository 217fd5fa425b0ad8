"""The symbolic engine in all its methods. On the examples: counts and verdicts as their first lines
say, in every method. On random models: the same counts, verdicts and lengths of counterexamples as
the independent oracle (test/oracle); reduced state spaces are no larger and give the same verdicts.
Producers and consumers: the closed formula for their states, and the number of post-images. Some
runs use the sanitizer and degenerate builds."""
import glob
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, ROOT, SEED, check, finish, run, run_json, section,
                 write)
from generate import generate
import oracle

COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks')
FULL = ['', '--direction forward', '--direction backward', '--tableau',
        '--tableau --direction backward', '--order bfs', '--order chaining --direction backward',
        '--no-frontier', '--relation monolithic', '--relation labelled --direction backward']
REDUCED = ['--reduce por', '--reduce por --variant 2',
           '--reduce por --variant 3 --direction backward', '--reduce por --tableau',
           '--reduce deadlock',
           '--reduce improviso']
FAIR = ['--fair', '--fair --direction backward', '--fair --tableau']
METHODS = FULL + REDUCED


def check_model(model, constants, method, program=CAIRN):
    return run_json('check', model, '-q', '--engine', 'symbolic', *constants, *method.split(),
                    program=program)


# ---- examples ----

def expectations(model):
    """Per list of constants: counts, and verdicts of properties."""
    found = {}
    with open(model, encoding='utf-8') as file:
        for line in file:
            match = re.match(r'// expect((?: -D \w+=\d+)*): (.*)', line.strip())
            if not match:
                continue
            counts, verdicts = found.setdefault(match.group(1), ({}, {}))
            words = match.group(2).split()
            if words[0] == 'property':
                verdicts[words[1]] = words[2]
            else:
                counts.update(word.split('=') for word in words)
    return found


def examples():
    limit = 10 ** 5 if LONG else 4000 # states; larger ones take some methods long
    for model in sorted(glob.glob(os.path.join(ROOT, 'examples', '*', '*.mil'))
                        + glob.glob(os.path.join(ROOT, 'test', 'regress', '*.mil'))):
        for constants, (counts, verdicts) in expectations(model).items():
            if int(counts.get('states', limit + 1)) > limit:
                continue
            for method in METHODS:
                name = f'{os.path.basename(model)}{constants} {method}'
                status, ours = check_model(model, constants.split(), method)
                if not check(f'{name} runs', ours is not None and ours['complete'], status):
                    continue
                for key, value in counts.items():
                    if key in COUNTS and method in FULL:
                        check(f'{name} {key}', str(ours[key]) == value,
                              f'{ours[key]} instead of {value}')
                    elif key == 'states':
                        check(f'{name} visits no more', int(ours[key]) <= int(value), ours[key])
                for item in ours['properties']:
                    if item['name'] in verdicts:
                        check(f'{name} {item["name"]}', item['verdict'] == verdicts[item['name']],
                              item['verdict'])


# ---- random models ----

def compare(seed, text, theirs, method, program):
    name = f'seed {seed} {method}' + ('' if program == CAIRN
                                      else f' {os.path.basename(os.path.dirname(program))}')
    status, ours = check_model(write('symbolic.mil', text), ['--time', '20s'], method, program)
    if not check(f'{name} runs', ours is not None, status):
        return
    # division by a wide variable: diagrams explode
    if (ours['statistics']['stop'] == 'the time limit was reached'):
        global exploded
        exploded += 1
        return
    reduced = method in REDUCED
    for key in COUNTS:
        good = ours[key] <= theirs[key] if reduced else ours[key] == theirs[key]
        check(f'{name} {key}', good, f'{ours[key]} instead of {theirs[key]}')
    check(f'{name} deadlocks are kept', (ours['deadlocks'] > 0) == (theirs['deadlocks'] > 0))
    expected = {item['name']: item for item in theirs['properties']}
    for item in ours['properties']:
        other = expected[item['name']]
        if item['verdict'] == 'unknown': # a proposition divides by zero: the oracle says "error"
            check(f'{name} {item["name"]} decided', other['verdict'] == 'error', item.get('reason'))
            continue
        check(f'{name} {item["name"]}', item['verdict'] == other['verdict'],
              f'{item["verdict"]} instead of {other["verdict"]}')
        if item['verdict'] == 'violated' and 'distance' in other and not reduced:
            steps = len(item['trace']['steps']) - 1
            check(f'{name} distance of {item["name"]}', steps == other['distance'],
                  f'{steps} instead of {other["distance"]}')


def random_models():
    first = 1 + 1000000 * SEED
    for seed in range(first, first + (5000 if LONG else 24)):
        text = generate(seed)
        theirs = oracle.run(text)
        for i, method in enumerate(METHODS): # every method on every third model, or on every one
            if LONG or (seed + i) % 3 == 0:
                compare(seed, text, theirs, method, CAIRN)
        method = METHODS[seed % len(METHODS)]
        compare(seed, text, theirs, method, DEGENERATE if seed % 2 else ASAN)
        if seed % 3 == 0:
            fair = oracle.run(text, fair=True)
            for method in FAIR:
                compare(seed, text, fair, method, CAIRN)


# ---- known counts ----

def pc_transitions(m):
    """Each of the m producers, and consumers, works in 8 of its 9 places, and settles in one of 2;
    the rest are steps of all together."""
    work = 2 * 7 * 81 ** m + 12 * 18 ** m + 24 * 9 ** m
    return (8 * m * work // 9 + m * (12 * 18 ** m + 20 * 2 ** m) // 2
            + 48 * 9 ** m + 20 * 2 ** m + 80)


def producers_consumers():
    model = os.path.join(ROOT, 'examples/producer-consumer/pc.mil')
    check('transitions of pc as the explicit engine counts them',
          [pc_transitions(m) for m in (1, 2)] == [2072, 181680], '')
    for m in [*range(1, 21), 100, 400]:
        known = 7 * 81 ** m + 12 * 18 ** m + 24 * 9 ** m + 20 * 2 ** m + 20
        ours = run_json('explore', model, '-D', f'm={m}', '--engine', 'symbolic', '-q')[1]
        check(f'pc m={m} has N(m) states', ours and int(ours['states']) == known,
              ours and ours['states'])
        check(f'pc m={m} has as many transitions as steps of its parts',
              ours and int(ours['transitions']) == pc_transitions(m), ours and ours['transitions'])
    for m in (1, 2, 3, 4, 10):
        ours = run_json('explore', model, '-D', f'm={m}', '--engine', 'symbolic', '--order', 'bfs',
                        '-q')[1]
        images = ours and ours['statistics']['post_images']
        check(f'pc m={m} takes 80 m + 32 post-images', images == 80 * m + 32, images)
    turntable = os.path.join(ROOT, 'examples/turntable/tt.mil')
    for n in (1, 2, 3, 4, 10, 20):
        ours = run_json('explore', turntable, '-D', f'n={n}', '--engine', 'symbolic', '-q')[1]
        check(f'tt n={n} has 2178 7^n + 2922 states',
              ours and int(ours['states']) == 2178 * 7 ** n + 2922, ours and ours['states'])


def times(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def philosophers_transitions(n):
    """Philosophers think, are hungry, eat, leave; M[x][y]: one in x may sit before one in y. Every
    ring of n is reachable but the one in which all are leaving."""
    M = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 0, 0, 1], [1, 0, 0, 1]]
    others, square = [[int(i == j) for j in range(4)] for i in range(4)], M
    for bit in range((n - 1).bit_length()):
        others = times(others, square) if (n - 1) >> bit & 1 else others
        square = times(square, square)
    ring = times(M, others)
    able = (sum(others[0][before] for before in (0, 1)) # the fork to the left is free
            + sum(others[after][1] for after in (0, 3)) # the one to the right
            + ring[2][2] + ring[3][3])
    return n * able - n


def philosophers():
    model = os.path.join(ROOT, 'examples/philosophers/phils.mil')
    check('transitions of philosophers as the explicit engine counts them',
          [philosophers_transitions(n) for n in (2, 3, 4, 5)] == [10, 51, 212, 805], '')
    for n in (2, 5, 21, 22, 23, 300, 2000):
        for options in ((), ('--order', 'bfs')) if n < 20 else ((),):
            ours = run_json('explore', model, '-D', f'n={n}', '--engine', 'symbolic', '-q',
                            *options)[1]
            found = ours and [int(ours[key]) for key in ('states', 'transitions', 'deadlocks')]
            check(f'{n} philosophers {" ".join(options)}: 3^n - 1 states, known transitions',
                  found == [3 ** n - 1, philosophers_transitions(n), 1], str(found)[:200])


# ---- pauses of the explicit engine ----

def essence(ours):
    return (ours['states'], ours['transitions'], ours['deadlocks'],
            [(item['name'], item['verdict']) for item in ours.get('properties', [])])


def pauses():
    """--engine auto after some states, in a build in which these can be few: the others answer in
    the pause, or have no time for it, and then the explicit engine goes on."""
    went_on = answered = 0
    for seed in range(1000 * SEED, 1000 * SEED + (300 if LONG else 25)):
        model = write('paused.mil', generate(seed))
        for command in ('explore', 'check'):
            options = (() if command == 'explore' else ('-p', 'deadlock', '-p', 'runtime-error')
                       if seed % 2 else ('-p', 'runtime-error'))
            alone = run_json(command, model, '--engine', 'explicit', *options)[1]
            for pause in ('3 0.000000001', '3 600', '1 0.000000001'):
                ours = run_json(command, model, *options, program=ASAN,
                                env={'CAIRN_PAUSE': pause})[1]
                if not check(f'{command} of {seed}, paused {pause}: an answer', ours and alone):
                    continue
                verdicts, wanted = essence(ours)[3], essence(alone)[3]
                check(f'{command} of {seed}, paused {pause}: verdicts',
                      all(a == b or 'unknown' in (a[1], b[1]) for a, b in zip(verdicts, wanted)),
                      (verdicts, wanted))
                if ours['complete'] and alone['complete'] and ours['engine'] != 'bounded':
                    check(f'{command} of {seed}, paused {pause}: counts',
                          essence(ours)[:3] == essence(alone)[:3], (essence(ours), essence(alone)))
                went_on += (ours['engine'] == 'explicit'
                            and 'the other engines' in ours['statistics'].get('why_engine', ''))
                answered += ours['engine'] == 'symbolic'
    check('some searches went on after a pause', went_on >= 10, went_on)
    check('some were answered in one', answered >= 10, answered)


# ---- what users see ----

def told():
    running = os.path.join(ROOT, 'examples/running/running.mil')
    text = run('explore', running, '--engine', 'symbolic', '--order', 'bfs', '-v').stdout
    check('iterations are shown',
          all(f'iteration {i}: {n} states' in text for i, n in enumerate((1, 3, 5, 6, 7))), text)
    text = run('check', running, '--ctl', 'AX g == 0', '--reduce', 'por', '--engine', 'symbolic',
               '--json').stdout
    check('a property with X is not reduced', 'without reduction: it has X' in text, text)
    small = run_json('check', running)[1]
    check('auto takes the explicit engine for a small model',
          small['engine'] == 'explicit' and 'small' in small['statistics']['why_engine'])
    large = run_json('explore', os.path.join(ROOT, 'examples/producer-consumer/pc.mil'), '-D',
                     'm=12')[1]
    check('auto takes the symbolic engine for a large one',
          large['engine'] == 'symbolic' and 'states' in large['statistics']['why_engine'],
          large['engine'])
    for wrong in ('--reduce por --bound 3', '--fair --reduce por', '--order dfs',
                  '--relation monolithic --order chaining', '--no-frontier --order saturation',
                  '--variant 4', '--reduce some'):
        result = run('check', running, '--engine', 'symbolic', *wrong.split())
        check(f'{wrong} is refused with a word',
              result.returncode == 2 and 'error' in result.stderr, result.stderr)
    result = run('check', running, '--engine', 'explicit', '--direction', 'forward')
    check('a symbolic choice with the explicit engine',
          result.returncode == 2 and '--engine symbolic' in result.stderr, result.stderr)


exploded = 0
sys.setrecursionlimit(20000)
section(examples)
section(random_models)
check('few random models are too hard', exploded < (300 if LONG else 20), exploded)
section(producers_consumers)
section(philosophers)
section(pauses)
told()
finish()
