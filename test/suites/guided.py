"""Searches along guides (--guide): random models and guides against a product by brute force (test/oracle/guided.py): counts, ends, verdicts; unrolled to bounds, in both orders; the least complete bound; parts of guides and what
they say together; engines against each other; time; kept results, killed runs; traces that replay."""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, DEGENERATE, LONG, ROOT, SEED, check, crashed, finish, path, run, write
import generate
import guided
import guides

FACTOR = 25 if LONG else 1
EACH_STATE = re.compile(r'(AG|G)\b(?!.*\b[EA]?[FGXURW]\b)')


def told(*arguments, program=None):
    """(result, its object or None); a crash is a failure of its own."""
    result = run(*arguments, '-q', '--json', program=program, timeout=100)
    try:
        return result, json.loads(result.stdout)
    except ValueError:
        return result, None


def counts(claim):
    statistics = claim['statistics']
    return {**{key: claim[key] for key in ('states', 'transitions', 'initial_states', 'deadlocks')}, 'ends': statistics.get('ends', 0), 'errors': statistics.get('runtime_errors', 0)}


def same_counts(claim, product):
    """Nothing, or what differs. A step that may fail elsewhere is not known to wait, so an end may be called a deadlock then."""
    ours, right = counts(claim), product.counts()
    if product.system.may_fail and ours['ends'] <= right['ends']:
        ours['deadlocks'], right['deadlocks'] = (each['deadlocks'] + each['ends'] for each in (ours, right))
        ours['ends'] = right['ends']
    return {key: (ours[key], right[key]) for key in ours if ours[key] != right[key]}


class Wrong:
    """Collects what is wrong with a kind of case; one result for each kind."""

    def __init__(self, name):
        self.name, self.cases, self.faults = name, 0, []

    def add(self, fault, *files):
        self.cases += 1
        if fault:
            self.faults.append(f'{fault}\n' + '\n'.join(open(file).read() for file in files))

    def close(self, least=1):
        check(f'{self.name}: {self.cases} cases', self.cases >= least and not self.faults, f'{len(self.faults)} wrong: {self.faults[:1]}')


def random_system(rng, seed, kinds='mmfc'):
    """(system, file)"""
    kind = rng.choice(kinds)
    if kind == 'm':
        system = guided.Milestones(generate.generate(f'guided {seed}', temporal=True))
        return system, write('random.mil', system.text)
    system = guided.Network(rng)
    return system, write('random.fcr', system.fiacre()) if kind == 'f' else write('random.cairn', system.cairn())


def random_case(rng, seed, kinds='mmfc', shape=None, limit=3000):
    """(system, model file, guide, guide file, product)"""
    while True:
        system, model = random_system(rng, seed, kinds)
        guide = guided.random_guide(rng, [names for names in system.rules if names], shape)
        try:
            product = guided.Product(system, guide, limit=limit)
        except guides.TooLarge:
            seed = f'{seed}+'
            continue
        return system, model, guide, write('guide.xgdl', guide.text), product


# ---- counts ----


def product_fault(rng, case, program):
    system, model, guide, file, product = case
    result, claim = told('explore', model, '--guide', file, *rng.choice([(), ('--engine', 'explicit'), ('--order', 'dfs')]), program=program)
    if crashed(result) or not claim or not claim['complete']:
        return f'no result: {result.returncode} {result.stderr[-500:]}'
    return same_counts(claim, product)


def auto_fault(case, program):
    system, model, guide, file, product = case
    result, claim = told('explore', model, '--guide', file, '--bound', 'auto', program=program)
    if crashed(result) or not claim or not claim['complete']:
        return f'no result: {result.returncode} {result.stderr[-500:]}'
    found, right = (claim['guide'].get('complete_bound'), claim['guide'].get('states_by_interactions')), (len(product.states_by_round) - 1, product.states_by_round)
    return same_counts(claim, product) or (found != right and f'{found} instead of {right}')


def bound_fault(case, bound, order, program):
    system, model, guide, file, product = case
    unrolled = guided.Product(system, guide, bound, limit=20000)
    result, claim = told('explore', model, '--guide', file, '--bound', bound, *order, program=program)
    if crashed(result) or not claim:
        return f'no result: {result.returncode} {result.stderr[-500:]}'
    if claim['complete'] == unrolled.is_cut() or claim['guide']['cut'] != unrolled.is_cut():
        return f'bound {bound}: complete {claim["complete"]}'
    if result.returncode != (1 if unrolled.counts()['errors'] else 3 if unrolled.is_cut() else 0):
        return f'bound {bound}: status {result.returncode}'
    reached = {node[:2] for node in unrolled.nodes}
    if (len(reached) == len(product.nodes)) != (bound >= len(product.states_by_round) - 1):
        return 'the oracle contradicts itself'
    return same_counts(claim, unrolled)


def random_products(program, count, name):
    rng = random.Random(f'guided {SEED} {name}')
    plain, auto, bounds = Wrong(f'{name}: the composition'), Wrong(f'{name}: the least complete bound'), Wrong(f'{name}: unrolled')
    for seed in range(count):
        case = random_case(rng, f'{SEED} {name} {seed}')
        files = case[1], case[3]
        plain.add(product_fault(rng, case, program), *files)
        auto.add(auto_fault(case, program), *files)
        for bound in range(1, 7) if LONG else rng.sample(range(1, 7), 2):
            try:
                bounds.add(bound_fault(case, bound, rng.choice([(), ('--order', 'bfs'), ('--order', 'past-freeze')]), program), *files)
            except guides.TooLarge:
                pass
    plain.close(count)
    auto.close(count)
    bounds.close(count)


# ---- verdicts ----


def verdicts_of(claim):
    return {entry['name']: entry['verdict'] for entry in claim['properties']}


def trusted(case_product, right):
    """Without the deadlock where the program may take an end for one, as above."""
    if case_product.system.may_fail and case_product.graph.ends:
        right.pop('deadlock')
    return right


def contradiction(claim, right, may_be_unknown):
    found = verdicts_of(claim)
    return {name: (found.get(name), verdict) for name, verdict in right.items() if found.get(name) != verdict and not (may_be_unknown and found.get(name) == 'unknown')}


def missing_trace(claim):
    return next((f'{entry["name"]}: no trace' for entry in claim['properties'] if entry['verdict'] == 'violated' and not entry['trace'] and entry['kind'] != 'ctl'), '')


METHODS = ((('--engine', 'explicit'), False), (('--bound', 'auto'), False), (('--engine', 'symbolic'), False), (('--engine', 'bounded', '--time', '5s'), True), (('--threads', '2'), False), (('--reduce', 'por'), False))


def replay_fault(trace, claim):
    if not os.path.exists(trace):
        return ''
    result = run('replay', trace, '-q')
    return '' if result.returncode == 0 and re.search('It violates|not verified again', result.stdout) else f'the trace does not replay: {result.returncode} {result.stdout[-200:]} {result.stderr[-300:]}'


def checked(*arguments, program=None):
    """told(), with the trace of what is violated replayed: (result, claim, fault)"""
    trace = path('guided.itf.json')
    if os.path.exists(trace):
        os.remove(trace)
    result, claim = told('check', *arguments, '--trace', trace, program=program)
    if crashed(result) or not claim or 'properties' not in claim:
        return result, claim, f'no result: {arguments} {result.returncode} {result.stderr[-500:]}'
    return result, claim, missing_trace(claim) or replay_fault(trace, claim)


def cut_fault(case, bound):
    """A search that was cut: what it finds in single states is real, and it finds all that there is within the bound; nothing else is said."""
    system, model, guide, file, product = case
    unrolled = guided.Product(system, guide, bound, limit=20000)
    result, claim, fault = checked(model, '--guide', file, '--bound', bound)
    if fault:
        return fault
    within, whole = trusted(unrolled, unrolled.verdicts()), trusted(product, product.verdicts())
    if not unrolled.is_cut():
        return contradiction(claim, within, False)
    for entry in claim['properties']:
        name, verdict = entry['name'], entry['verdict']
        if name not in within or name not in whole:
            continue
        each_state = entry['kind'] in ('deadlock', 'runtime-error', 'invariant') or EACH_STATE.match(entry['text'].strip())
        if verdict == 'holds' or verdict == 'violated' and whole[name] != 'violated' or each_state and (verdict == 'violated') != (within[name] == 'violated'):
            return f'bound {bound}: {entry["text"]} {verdict}; within the bound {within[name]}, in all {whole[name]}'
    return '' if result.returncode == (1 if 'violated' in verdicts_of(claim).values() else 3) else f'status {result.returncode}'


def random_verdicts(count):
    rng = random.Random(f'guided verdicts {SEED}')
    wrong, cut = {options: Wrong(f'verdicts {" ".join(options)}') for options, _ in METHODS}, Wrong('verdicts under a bound')
    for seed in range(count):
        case = random_case(rng, f'{SEED} verdicts {seed}', 'mmmfc', limit=600)
        system, model, guide, file, product = case
        right = trusted(product, product.verdicts())
        for options, may_be_unknown in METHODS if LONG or seed % 3 == 0 else rng.sample(METHODS, 3):
            result, claim, fault = checked(model, '--guide', file, *options, program=ASAN if seed % 12 == 0 else None)
            if not fault:
                fault = contradiction(claim, right, may_be_unknown)
            if not fault and claim['engine'] == 'symbolic' and product.counts()['errors'] == 0 and claim['states'] != product.counts()['states']:
                fault = f'{claim["states"]} states'
            wrong[options].add(fault, model, file)
        try:
            cut.add(cut_fault(case, rng.randint(1, 5)), model, file)
        except guides.TooLarge:
            pass
    for each in wrong.values():
        each.close(count // 3)
    cut.close(count // 2)


# ---- parts ----


def part_faults(case, how, rng):
    """Each part against its own product, all together against the whole."""
    system, model, guide, file, product = case
    written = run('guide', f'{file}:g', '--split', how, '-o', path('parts.xgdl'), '-q')
    if 'has nothing to split by' in written.stderr:
        return None
    if written.returncode:
        return f'not split: {written.stderr}'
    trees, ignored = guided.Reader(open(path('parts.xgdl')).read()).file()
    if set(ignored) != guide.ignored:
        return f'ignored: {ignored}'
    reached = set()
    for number, tree in enumerate(trees.values(), 1):
        part = guided.Product(system, guide.part(tree), is_part=True, limit=20000)
        reached |= part.model_states()
        if number > 4 and not LONG and rng.random() < 0.7:
            continue
        result, claim = told('explore', model, '--guide', file, '--split', how, '--guide-part', number, *rng.choice([(), ('--bound', 'auto')]))
        if crashed(result) or not claim or not claim['complete']:
            return f'part {number}: {result.returncode} {result.stderr[-500:]}'
        if same_counts(claim, part):
            return f'part {number}: {same_counts(claim, part)}'
    if reached != product.model_states():
        return 'the parts together reach other states'
    result, claim = told('check', model, '--guide', file, '--split', how, '--threads', rng.choice([1, 2]))
    return together_fault(result, claim, trusted(product, product.verdicts()), len(trees))


def together_fault(result, claim, right, parts):
    if crashed(result) or not claim:
        return f'no result: {result.returncode} {result.stderr[-500:]}'
    if parts == 1:
        return contradiction(claim, right, True)
    if len(claim['contexts']) != parts:
        return f'{len(claim["contexts"])} parts'
    fault = contradiction(claim, right, True)
    for part in claim['contexts']:
        found = verdicts_of(part)
        fault = fault or {name: 'violated in a part' for name, verdict in right.items() if found[name] == 'violated' and verdict == 'holds'}
    found = set(verdicts_of(claim).values())
    status = 1 if 'violated' in found else 3 if 'unknown' in found else 0
    return fault or (result.returncode != status and f'status {result.returncode}, not {status}')


SPLITS = ('alternatives', 'permutations', 'position', 'position=2', 'position=3')


def random_parts(count):
    rng = random.Random(f'guided parts {SEED}')
    wrong, seed = Wrong('parts'), 0
    while wrong.cases < count and seed < 10 * count:
        seed += 1
        case = random_case(rng, f'{SEED} parts {seed}', 'mmfc', rng.choice(['one failure', 'one failure', 'beside all', 'any', 'then all', 'finite']), limit=500)
        for how in rng.sample(SPLITS, len(SPLITS)):
            try:
                fault = part_faults(case, how, rng)
            except guides.TooLarge:
                break
            if fault is not None:
                wrong.add(fault, case[1], case[3])
                break
    wrong.close(count)


# ---- time ----


def timed_fault(network, guide, model, file, found):
    """Reached places and states of the guide, by brute force and by zones; --bound auto has the symbolic states of the search without bound."""
    places = len(found)
    claims = {}
    for zones in ('equal', 'inclusion'):
        for bound in ((), ('--bound', 'auto')):
            result, claim = told('explore', model, '--guide', file, '--engine', 'timed', '--zones', zones, *bound)
            if crashed(result) or not claim or not claim['complete']:
                return f'{zones} {bound}: {result.returncode} {result.stderr[-400:]}'
            if claim['statistics']['discrete_states'] != places:
                return f'{zones} {bound}: {claim["statistics"]["discrete_states"]} discrete states, not {places}'
            claims[zones, bool(bound)] = claim
    least = max(found.values())
    for zones in ('equal', 'inclusion'):
        if claims[zones, True]['guide']['complete_bound'] < least:
            return f'{zones}: complete at {claims[zones, True]["guide"]["complete_bound"]}, but something is reached after {least} interactions'
    one, other = claims['equal', False], claims['equal', True]
    for key in ('states', 'transitions', 'deadlocks'):
        if one[key] != other[key]:
            return f'{key}: {one[key]} without a bound, {other[key]} by interactions'
    return sum(other['guide']['states_by_interactions']) != other['states'] and 'the rounds have other states'


def timed_bound_fault(network, guide, model, file, found, bound):
    """Under a bound: what is reached within it, once for each number of interactions."""
    orders = []
    for order in (('--order', 'bfs'), ('--order', 'past-freeze')):
        result, claim = told('explore', model, '--guide', file, '--engine', 'timed', '--bound', bound, *order)
        if crashed(result) or not claim:
            return f'{order}: {result.returncode} {result.stderr[-400:]}'
        if order[1] == 'past-freeze' and len(guide.dfa) == 1 and not guide.dfa[0]:
            continue
        orders.append((claim['statistics']['discrete_states'], claim['complete']))
    if len(set(orders)) > 1:
        return f'orders differ: {orders}'
    return bool(orders) and (orders[0][1] == guided.Product(network, guide, bound, limit=20000).is_cut()) and 'wrongly complete'


def random_timed(count):
    rng = random.Random(f'guided timed {SEED}')
    wrong, bounds = Wrong('time'), Wrong('time, unrolled')
    for seed in range(count):
        network = guided.Network(rng, timed=True)
        guide = guided.random_guide(rng, [names for names in network.rules if names] or [['x']])
        found = guided.timed_product(network, guide, 20000)
        if found is None:
            continue
        model = write('timed.fcr', network.fiacre()) if seed % 2 else write('timed.cairn', network.cairn())
        file = write('guide.xgdl', guide.text)
        wrong.add(timed_fault(network, guide, model, file, found), model, file)
        bounds.add(timed_bound_fault(network, guide, model, file, found, rng.randint(1, 4)), model, file)
    wrong.close(count // 2)
    bounds.close(count // 2)


random_products(CAIRN, 24 * FACTOR, 'release')
random_products(ASAN, 2 * FACTOR, 'asan')
random_products(DEGENERATE, 4 * FACTOR, 'degenerate')
random_verdicts(30 * FACTOR)
random_parts(20 * FACTOR)
random_timed(16 * FACTOR)
finish()
