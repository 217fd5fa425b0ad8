"""The bounded engine on what is known: the verdicts that the examples' first lines say, in every
method; the depths of the thesis' tables 7.10 to 7.12 for producers and consumers, of independent
steps, of the cash points' double lock; proofs; what is refused and what is told; DIMACS, whose
answer another solver finds too."""
import glob
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import subprocess
from lib import (ASAN, CAIRN, LONG, PATIENCE, ROOT, SEED, check, finish, path, run, run_json,
                 section, write)

PC, CP, EL, PETERSON, RUNNING = (os.path.join(ROOT, 'examples', name)
                                 for name in ('producer-consumer/pc.mil', 'cash-point/cp.mil',
                                              'elevator/el.mil', 'peterson/peterson.mil',
                                              'running/running.mil'))
METHODS = ['', '--no-induction', '--reduce por', '--reduce por --phase 2', '--reduce steps',
           '--reduce steps --phase 1', '--reduce steps --phase auto --no-induction']


def bounded(model, *options, program=CAIRN):
    return run_json('check', model, '-q', '--engine', 'bounded', *options, program=program)


def of(result, name):
    return next(item for item in result['properties'] if item['name'] == name)


# ---- examples ----

def in_turn(number):
    """Plain unrolling and two other methods. (Each of them decides random models in the suite
    bounded.)"""
    others = METHODS[1:]
    return [METHODS[0], others[number % len(others)], others[(number + 3) % len(others)]]


def expectations(model):
    """Per list of constants: verdicts and distances of properties."""
    found = {}
    with open(model, encoding='utf-8') as file:
        for line in file:
            match = re.match(
                r'// expect((?: -D \w+=\d+)*): property (\w+) (\w+)(?: distance=(\d+))?',
                line.strip())
            if match:
                found.setdefault(match.group(1), {})[match.group(2)] = (match.group(3),
                    match.group(4))
    return found


def examples():
    number = SEED
    for model in sorted(glob.glob(os.path.join(ROOT, 'examples', '*', '*.mil'))):
        for constants, known in expectations(model).items():
            number += 1
            for method in METHODS if LONG else in_turn(number):
                name = f'{os.path.basename(model)}{constants} {method}'
                status, ours = bounded(model, *constants.split(), *method.split(), '--bound',
                                       '30' if 'por' in method else '14', '--time',
                                       '15s' if LONG else '0.6s')
                if not check(f'{name} runs', ours is not None and status in (0, 1, 3), status):
                    continue
                for item in ours['properties']:
                    verdict, distance = known.get(item['name'], (None, None))
                    if verdict and item['verdict'] != 'unknown':
                        check(f'{name} {item["name"]}', item['verdict'] == verdict, item['verdict'])
                    if (distance and item['verdict'] == 'violated'
                        and method in ('', '--no-induction')):
                        check(f'{name} {item["name"]} distance', item['bound'] == int(distance),
                              item['bound'])


# ---- depths ----

def depth(name, model, property_name, options, bound, cycles=None):
    status, ours = bounded(model, '-p', property_name, '--no-induction', *options.split())
    item = ours and of(ours, property_name)
    good = check(f'{name} {options} is violated', status == 1 and item['verdict'] == 'violated',
                 status)
    if good:
        check(f'{name} {options} bound', item['bound'] == bound,
              f'{item["bound"]} instead of {bound}')
        check(f'{name} {options} cycles', cycles is None or item['cycles'] == cycles,
              f'{item["cycles"]} instead of {cycles}')


def thesis():
    for m, k in ((1, 10), (2, 18), (3, 26)):
        depth('P1', PC, 'P1', f'-D m={m}', k)
    for m, k in ((1, 26), (2, 44)) if LONG else ((1, 26),):
        depth('P2', PC, 'P2', f'-D m={m}', k)
    for m in range(1, 8):
        depth('P1', PC, 'P1', f'-D m={m} --reduce por --phase 8', 32 * m + 2, 2)
    for m in range(1, 8 if LONG else 4):
        depth('P2', PC, 'P2', f'-D m={m} --reduce por --phase 8', 144 * m + 9, 9)
    # table 7.12: m = 2; the number of cycles for every n
    for n, p1, p2 in zip(range(0, 10), (18, 7, 5, 4, 3, 3, 3, 3, 2, 2),
                         (44, 19, 15, 13, 11, 11, 11, 11, 9, 9)):
        per_cycle = 4 * n + 1
        depth('P1', PC, 'P1', f'-D m=2 --reduce por --phase {n}', p1 * per_cycle, p1)
        if n >= 3 or LONG:
            depth('P2', PC, 'P2', f'-D m=2 --reduce por --phase {n}', p2 * per_cycle, p2)
    for m in (1, 2, 5, 20):
        depth('P1', PC, 'P1', f'-D m={m} --reduce steps', 10)
    for m in (1, 2, 3, 20) if LONG else (1, 2):
        depth('P2', PC, 'P2', f'-D m={m} --reduce steps', 26)
    depth('double lock', CP, 'exclusive_ltl', '', 19)
    depth('starvation', EL, 'served_ltl', '-D users=2', 13)


# ---- proofs ----

def proofs():
    for program in (CAIRN, ASAN):
        status, ours = bounded(PETERSON, '-p', 'mutex', '-p', 'deadlock', program=program)
        check('mutual exclusion of Peterson is proved',
              status == 0 and ours['complete'] and of(ours, 'mutex')['verdict'] == 'holds', status)
        check('the method is told', 'induction' in of(ours, 'mutex')['method'], of(ours, 'mutex'))
        status, ours = bounded(EL, '-p', 'standing', '-p', 'errand', program=program)
        check('invariants of the elevators are proved at full size',
              status == 0 and ours['complete'], status)
    status, ours = bounded(PETERSON, '-p', 'no_starvation', '-p', 'mutex')
    check('liveness of Peterson is proved',
          status == 0 and 'liveness' in of(ours, 'no_starvation')['method'], status)
    status, ours = bounded(PETERSON, '-p', 'no_overtaking')
    check('a safety formula of Peterson is proved',
          status == 0 and 'automaton' in of(ours, 'no_overtaking')['method'], status)
    status, ours = bounded(PETERSON, '-p', 'mutex', '--bound', '5')
    check('a bound that is too small proves nothing',
          status == 3 and of(ours, 'mutex')['verdict'] == 'unknown' and not ours['complete'],
          status)
    check('the depth is told', of(ours, 'mutex')['bound'] == 5 and ours['statistics']['bound'] == 5,
          of(ours, 'mutex'))
    status, ours = bounded(PETERSON, '-p', 'mutex', '--bound', '40', '--no-induction')
    check('nothing is proved without induction',
          status == 3 and of(ours, 'mutex')['verdict'] == 'unknown', status)


    model = write('ends.mil',
                  'ACTIONS up; END\nVARIABLES x : 3 := 0; y : 1; END\nMAIN CASE [up] x < 5 : x := '
                  'x + 1; END END\nINVARIANTS small: x <= 5; odd: x != 7 & y <= 1; END\n')
    for method in ('--no-induction', '--no-induction --reduce steps'):
        status, ours = bounded(model, '--no-deadlock', *method.split())
        check(f'where all runs end, everything is known {method}',
              status == 0 and of(ours, 'small')['method'] == 'no run is longer'
              and of(ours, 'small')['bound'] == 6, ours and ours['properties'])
    status, ours = bounded(model)
    check('and the deadlock is found', status == 1 and of(ours, 'deadlock')['bound'] == 5, status)


# ---- what users see ----

def told():
    text = run('check', PETERSON, '--engine', 'bounded', '-p', 'mutex', '--bound', '5')
    check('the depth is told in words',
          text.returncode == 3 and 'not violated within 5 steps' in text.stdout
          and 'nothing is known about longer runs' in text.stdout, text.stdout)
    text = run('check', RUNNING, '--engine', 'bounded', '--ltl', 'X false', '--no-induction',
               '--bound', '3').stdout
    check('a prefix refutes', 'by every run that begins with' in text, text)
    status, ours = bounded(RUNNING)
    check('states are not counted',
          ours['states'] is None and ours['transitions'] is None and ours['deadlocks'] is None,
          ours['states'])
    check('depths are listed',
          ours['statistics']['depths'][0]['clauses'] > 0
          and ours['statistics']['sat_variables'] > 0, ours['statistics'])
    text = run('check', RUNNING, '--engine', 'bounded', '-v').stdout
    check('depths are shown', 'depth 0:' in text and 'conflicts so far' in text, text)
    for wrong, word in (('--order bfs', '--order'), ('--fair', 'fair'),
                        ('--reduce deadlock', 'por'), ('--phase 3', '--reduce'),
                        ('--phase x --reduce por', 'natural number'),
                        ('--phase 1001 --reduce por', '1000'),
                        ('--direction forward', 'direction'), ('--bound 0', 'at least one')):
        result = run('check', RUNNING, '--engine', 'bounded', *wrong.split())
        check(f'{wrong} is refused with a word', result.returncode == 2 and word in result.stderr,
              result.stderr)
    for wrong in ('--reduce steps', '--no-induction', '--phase 2', '--bound auto'):
        result = run('check', RUNNING, *wrong.split())
        check(f'{wrong} asks for the engine',
              result.returncode == 2 and '--engine bounded' in result.stderr, result.stderr)
    result = run('explore', RUNNING, '--engine', 'bounded')
    check('exploring is refused', result.returncode == 2 and 'cairn check' in result.stderr,
          result.stderr)
    result = run('check', PETERSON, '--engine', 'bounded', '--bound', 'auto', '-p', 'mutex')
    check('--bound auto goes on until it is proved', result.returncode == 0, result.stdout)


# ---- DIMACS ----

def satisfiable(model, property_name, options):
    file = path('question.cnf')
    result = run('translate', model, '--to', 'dimacs', '-p', property_name, *options.split(), '-o',
                 file)
    if not check(f'{property_name} {options} is written', result.returncode == 0, result.stderr):
        return None
    return subprocess.run(['picosat', '-n', file], capture_output=True,
                          timeout=PATIENCE).returncode == 10


def dimacs():
    for options, known in (('--bound 9', False), ('--bound 10', True),
                           ('--bound 34 --reduce por --phase 8', True),
                           ('--bound 33 --reduce por --phase 8', False),
                           ('--bound 9 --reduce steps -D m=3', False),
                           ('--bound 10 --reduce steps -D m=3', True)):
        check(f'P1 {options}: another solver agrees', satisfiable(PC, 'P1', options) is known)
    for options, known in (('--bound 25', False), ('--bound 26', True)):
        check(f'P2 {options}: another solver agrees', satisfiable(PC, 'P2', options) is known)
    for wrong, word in (('--bound 3', '-p'), ('-p P1', '--bound'),
                        ('-p P1 --bound 3 --order bfs', '--order'), ('-p P9 --bound 3', 'P9')):
        result = run('translate', PC, '--to', 'dimacs', *wrong.split())
        check(f'dimacs {wrong} is refused with a word',
              result.returncode == 2 and word in result.stderr, result.stderr)


section(examples)
section(thesis)
section(proofs)
told()
section(dimacs)
finish()
