"""Observers: random ones beside random systems in random contexts, against a brute force that follows the definition (test/oracle/observers.py), in every engine; timed ones against dates by hand and
against a brute force over whole dates."""
import json
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, DEGENERATE, LONG, SEED, check, crashed, finish, path, run, write
import contexts
import observers

rng = random.Random(f'observers {SEED}')


def told(*arguments, program=None, timeout=100):
    result = run(*arguments, '--json', program=program, timeout=timeout)
    try:
        return result, json.loads(result.stdout)
    except ValueError:
        return result, None


def watched(rng, most=3000):
    while True:
        case = contexts.make(rng)
        case = observers.Watched(case, rng)
        try:
            return case, case.explore(most)
        except contexts.TooLarge:
            continue


def fault_of(claim, result, truth, exact):
    states, transitions, deadlocks, violated = truth
    if crashed(result) or claim is None or claim.get('engine') is None:
        return f'{result.returncode} {result.stderr[-500:]}'
    if exact and (claim['states'], claim['transitions'], claim['deadlocks']) != (states, transitions, deadlocks):
        return f'{claim["states"]} states, {claim["transitions"]} transitions, {claim["deadlocks"]} deadlocks, not {truth[:3]}'
    for p in claim['properties']:
        right = ('violated' if p['name'] in violated else 'holds') if p['name'].startswith('o') else 'violated' if p['name'] == 'deadlock' and deadlocks else 'holds'
        if p['verdict'] != right and not (p['verdict'] == 'unknown' and not exact):
            return f'{p["name"]} is {p["verdict"]}, not {right}'
        if p['verdict'] == 'violated' and not p['trace']:
            return f'{p["name"]} has no run'
        shortest = violated.get(p['name'])
        if p['verdict'] == 'violated' and shortest is not None and claim['engine'] == 'explicit' and claim['statistics']['order'] == 'bfs' and len(p['trace']['steps']) != shortest + 1:
            return f'{p["name"]} is violated after {len(p["trace"]["steps"]) - 1} steps, not {shortest}'
    return ''


WAYS = [(('--order', 'bfs'), CAIRN, False), (('--engine', 'symbolic'), CAIRN, True), (('--engine', 'bounded', '--bound', '12'), CAIRN, False), (('--order', 'past-freeze'), CAIRN, False), (('--engine', 'explicit', '--order', 'dfs'), CAIRN, False)]
wrong, violations, held, cut = [], 0, 0, 0
for n in range(600 if LONG else 45):
    case, truth = watched(rng)
    model, context = write('watched.fcr', case.case.model), write('watched.cdl', case.context)
    closed = case.case.words == {()}
    violations += len(truth[3])
    held += sum(not o.is_restriction for o in case.observers) - len(truth[3])
    cut += any(o.is_restriction for o in case.observers)
    result, claim = told('explore', model, '--context', context, '--engine', 'explicit')
    fault = ''
    if crashed(result) or claim is None or (claim.get('states'), claim.get('transitions'), claim.get('deadlocks')) != truth[:3]:
        fault = f'explore: {claim and (claim.get("states"), claim.get("transitions"), claim.get("deadlocks"))}, not {truth[:3]}: {result.stderr}'
    for options, program, exact in WAYS:
        if fault or closed and 'past-freeze' in options:
            continue
        result, claim = told('check', model, '--context', context, *options, program=program)
        complete = claim is not None and claim.get('complete')
        fault = fault_of(claim, result, truth, 'bounded' not in options and complete)
        fault = fault and f'{options}: {fault}'
    if fault:
        wrong.append(f'{fault}\n{case.case.model}\n{case.context}')
check(f'random observers: {violations} violations, {held} that hold, {cut} systems with restrictions, in {len(WAYS)} ways', violations > 5 and held > 5 and not wrong, f'{len(wrong)} wrong: {wrong[:1]}')
finish()
