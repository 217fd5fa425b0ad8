"""Partitioning points with time: random timed models, known ones and examples, divided by random
p-points, against breadth-first search; with memory for a part of the states; by several threads;
allocations that fail.

With `--zones equal` every count must be that of breadth-first search, on disk and in memory; by
inclusion discrete states and verdicts. Every violation has a trace, with dates, which replays.
"""
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, ROOT, SEED, check, crashed, finish, path, run,
                 section, timeless, told, write)
from automata import csmacd, fischer, train_gate
from fiacre.generate_timed import draw
from points import some_points
from timed_ranks import random_model

EXAMPLES = [('examples/fischer/fischer.fcr',), ('examples/fischer/broken.fcr',),
            ('examples/train-gate/crossing.fcr',), ('examples/train-gate/restarted.fcr',),
            ('examples/mouse/mouse.fcr',), ('examples/mouse/tie.fcr',),
            ('examples/landing-gear/landing.fcr', '--context',
             'examples/landing-gear/contexts.cdl:nominal', '-D', 'sets=1'),
            ('examples/landing-gear/landing.fcr', '--context',
             'examples/landing-gear/contexts.cdl:with_f5_2', '-D', 'handles=1')]


def points_of(model, rng):
    return some_points(run('translate', *model, '--to', 'cairn').stdout, rng, [1, 1, 2, 3, 8])


def is_decided(claim):
    """Whether it ended because there was nothing left to ask."""
    return claim['statistics']['stop'] == 'everything asked was decided'


def essence(claim, equal, verdicts_only=False):
    """What must not depend on how it is divided."""
    statistics = claim['statistics']
    verdicts = [(p['name'], p['verdict'], p.get('vacuous')) for p in claim.get('properties', [])
                if 'whole graph' not in (p.get('reason') or '') and p['kind'] != 'ltl']
    if verdicts_only:
        return {'verdicts': verdicts, 'stop': statistics['stop'] and not is_decided(claim)}
    keys = {'verdicts': verdicts, 'discrete': statistics['discrete_states'],
            'silent': (statistics['rules_never_taken'], statistics['locations_never_reached']),
            'complete': claim['complete'], 'extrapolation': statistics['extrapolation'],
            'errors': (statistics.get('runtime_errors') or 0) > 0,
            'dead': claim['deadlocks'] and claim['deadlocks'] > 0,
            'ends': (statistics.get('ends') or 0) > 0}
    if equal:
        keys['counts'] = (claim['states'], claim['transitions'], claim['initial_states'],
                          claim['deadlocks'], statistics.get('ends'),
                          statistics.get('runtime_errors'))
    return keys


seen = {'violated': 0, 'exact': 0, 'traces': 0, 'spilled': 0, 'spilled by inclusion': 0,
        'divided': 0, 'threads': 0}


def fault_of(result, ours, plain, equal):
    if crashed(result) or ours is None or 'statistics' not in ours or ours['engine'] != 'timed':
        return f'no object: {result.returncode} {result.stderr[-800:]}'
    decided = is_decided(ours) or is_decided(plain)
    one, two = essence(ours, equal, decided), essence(plain, equal, decided)
    if one != two:
        return {key: (one.get(key), two.get(key)) for key in {**one, **two}
                if one.get(key) != two.get(key)}
    statistics = ours['statistics']
    if ours['complete'] and not (statistics['counts_are_net']
                                 and statistics['states_gross'] >= ours['states']):
        return 'not net'
    for p in ours.get('properties', []):
        if p['verdict'] == 'violated' and p['kind'] not in ('ctl', 'ltl'):
            if not p['trace']:
                return f'{p["name"]} has no trace'
            seen['traces'] += 1
            if not all('date' in step or 'delay' in step for step in p['trace']['steps'][1:]):
                return f'{p["name"]}: a trace without dates'
    seen['violated'] += any(p['verdict'] == 'violated' for p in ours.get('properties', []))
    seen['exact'] += statistics['extrapolation'] == 'M+'
    seen['spilled' if equal else 'spilled by inclusion'] += statistics['spills'] > 0
    seen['divided'] += statistics['partitions'] > 2
    seen['threads'] += statistics.get('threads', 1) > 1
    return ''


def compare(model, rng, program, more=()):
    """Explored and checked, both ways of keeping zones; what is wrong, or nothing."""
    labels = rng.choice(['auto', points_of(model, rng), points_of(model, rng)])
    for command in ('explore', 'check'):
        for equal in (True, False):
            zones = ('--engine', 'timed', '--zones', 'equal' if equal else 'inclusion')
            threads = rng.choice([(), (), ('--threads', '3')])
            reduced = rng.choice([(), (), ('--reduce', 'por', '--keep', 'deadlock')])
            usual, plain = told(command, *model, *zones, *(reduced or ('--order', 'bfs')))
            itf = path('parts.itf.json')
            if os.path.exists(itf):
                os.remove(itf)
            trace = ('--trace', itf) if command == 'check' else ()
            result, ours = told(command, *model, *zones, '--partition', labels, *threads, *more,
                                *reduced, *trace, program=program)
            fault = fault_of(result, ours, plain, equal)
            if not fault and result.returncode != usual.returncode and not more:
                fault = f'status {result.returncode}, not {usual.returncode}'
            if not fault and os.path.exists(itf) and run('replay', itf).returncode:
                fault = 'the trace does not replay'
            if fault:
                return command, zones, labels, threads, reduced, fault
    return ''


def random_runs(program, count, name, rng):
    wrong = []
    for n in range(count):
        if n % 3:
            text = random_model(rng, most=8)
            model = write('random.cairn', text)
        else:
            text = draw(rng)
            text = text if isinstance(text, str) else text[0]
            model = write('random.fcr', text)
        fault = compare((model,), rng, program)
        if fault:
            wrong.append((n, fault, text))
    check(f'{name}: {count} random timed models, breadth-first against p-paths', not wrong,
          f'{len(wrong)} wrong: {wrong[:1]}')


def known(program, name, rng):
    for what, text in (('fischer', fischer(3)), ('broken', fischer(3, strict=False)),
                       ('csmacd', csmacd(3)), ('train', train_gate(3))):
        fault = compare((write(f'{what}.cairn', text),), rng, program)
        check(f'{name}: {what}', not fault, fault)
    for model in EXAMPLES if program == CAIRN or LONG else EXAMPLES[:-2]:
        fault = compare([os.path.join(ROOT, part) if '/' in part else part for part in model], rng,
                        program)
        check(f'{name}: {" ".join(model)}', not fault, fault)


def little_memory():
    """With memory for some of the states: the same; with less, a result that says so."""
    rng = random.Random(SEED + 7)
    full = cut = 0
    for what, text, labels in (('fischer', fischer(6), 'auto'),
                               ('csmacd', csmacd(5), points_of((write('c.cairn', csmacd(5)),),
                                                               rng))):
        model = write(f'{what}.cairn', text)
        for equal in (True, False):
            zones = ('--zones', 'equal' if equal else 'inclusion')
            _, plain = told('explore', model, *zones)
            need = plain['peak_memory_bytes']
            for share in (0.8, 0.6, 0.5, 0.4):
                for more in ((), ('--threads', '2')):
                    memory = int(need * share)
                    result, ours = told('explore', model, *zones, '--partition', labels, '--memory',
                                        memory, *more)
                    name = f'{what} {zones[1]}, {labels}, {share} of {need} bytes {more}'
                    if ours is None or 'statistics' not in ours or not ours['complete']:
                        cut += 1
                        check(f'{name}: a limit', not crashed(result) and result.returncode == 3,
                              (result.returncode, result.stderr[-500:]))
                        continue
                    fault = fault_of(result, ours, plain, equal)
                    check(f'{name}: the same', not fault, fault)
                    check(f'{name}: within it', ours['peak_memory_bytes'] <= memory,
                          ours['peak_memory_bytes'])
                    full += ours['statistics']['spills'] > 0
    check('memory was full, and sometimes too little', full > 3, (full, cut))


def same_object():
    """However many threads there are, as long as all fits in memory."""
    for what, text in (('fischer', fischer(4)), ('csmacd', csmacd(3))):
        model = write(f'{what}.cairn', text)
        for zones in ('equal', 'inclusion'):
            objects = []
            for threads in (1, 2, 3):
                _, ours = told('check', model, '--zones', zones, '--partition', 'auto',
                               '--threads', threads)
                ours = timeless(ours)
                for key in ('threads', 'searches', 'space_bytes'):
                    ours['statistics'].pop(key, None)
                objects.append(ours)
            check(f'{what} {zones}: the same object with several threads',
                  objects[0] == objects[1] == objects[2],
                  [(key, [o.get(key) for o in objects]) for key in objects[0]
                   if objects[0][key] != objects[1].get(key)])


def faults():
    """The n-th allocation fails: the same, or a result that is not complete."""
    model = write('faults.cairn', fischer(3))
    _, plain = told('explore', model, '--zones', 'equal')
    last = 0
    for n in list(range(1, 600, 1 if LONG else 41)) + list(range(600, 8000, 23 if LONG else 411)):
        for more in ((), ('--threads', '3')):
            result, ours = told('explore', model, '--zones', 'equal', '--partition', 'auto', *more,
                                program=DEGENERATE, env={'CAIRN_FAIL_ALLOCATION': str(n)})
            good = not crashed(result) and (ours is None or not ours['complete']
                                            or essence(ours, True) == essence(plain, True))
            last = n if result.returncode == 3 else last
            check(f'allocation {n} fails {more}', good, (result.returncode, result.stderr[-500:]))
    check('some failures mattered', last > 100, last)


rng = random.Random(f'partitions timed {SEED}')
section(random_runs, CAIRN, 300 if LONG else 18, 'release', rng)
section(random_runs, DEGENERATE, 300 if LONG else 24, 'degenerate', rng)
# The degenerate program has the sanitizers, too.
if LONG:
    section(random_runs, ASAN, 60, 'sanitized', rng)
section(known, CAIRN, 'release', rng)
section(known, DEGENERATE, 'degenerate', rng)
section(little_memory)
section(same_object)
section(faults)
check('... and they say something', min(seen.values()) > 2, seen)
finish()
