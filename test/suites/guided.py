"""Searches along guides (--guide): random models and guides against a product by brute force
(test/oracle/guided.py): counts, ends, verdicts; unrolled to bounds, in both orders; the least
complete bound; parts of guides and what they say together; engines against each other; time; kept
results, killed runs; traces that replay."""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, Wrong, check, crashed, finish,
                 path, run, section, told, until, write)
import generate
import guided
import guides

FACTOR = 25 if LONG else 1


def counts(claim):
    statistics = claim['statistics']
    return {**{key: claim[key] for key in ('states', 'transitions', 'initial_states', 'deadlocks')},
            'ends': statistics.get('ends', 0), 'errors': statistics.get('runtime_errors', 0)}


def same_counts(claim, product):
    """Nothing, or what differs. A step that may fail elsewhere is not known to wait, so an end may
    be called a deadlock then."""
    ours, right = counts(claim), product.counts()
    if product.system.may_fail and ours['ends'] <= right['ends']:
        ours['deadlocks'], right['deadlocks'] = (each['deadlocks'] + each['ends']
                                                 for each in (ours, right))
        ours['ends'] = right['ends']
    return {key: (ours[key], right[key]) for key in ours if ours[key] != right[key]}


def random_system(rng, seed, kinds='mmfc'):
    """(system, file)"""
    kind = rng.choice(kinds)
    if kind == 'm':
        system = guided.Milestones(generate.generate(f'guided {seed}', temporal=True))
        return system, write('random.mil', system.text)
    system = guided.Network(rng)
    return (system,
            write('random.fcr', system.fiacre()) if kind == 'f'
            else write('random.cairn', system.cairn()))


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
    result, claim = told('explore', model, '--guide', file,
                         *rng.choice([(), ('--engine', 'explicit'), ('--order', 'dfs')]),
                         program=program)
    if crashed(result) or not claim or not claim['complete']:
        return f'no result: {result.returncode} {result.stderr[-500:]}'
    return same_counts(claim, product)


def auto_fault(case, program):
    system, model, guide, file, product = case
    result, claim = told('explore', model, '--guide', file, '--bound', 'auto', program=program)
    if crashed(result) or not claim or not claim['complete']:
        return f'no result: {result.returncode} {result.stderr[-500:]}'
    found, right = (claim['guide'].get('complete_bound'),
                    claim['guide'].get('states_by_interactions')), (len(product.states_by_round)
        - 1, product.states_by_round)
    return same_counts(claim, product) or (found != right and f'{found} instead of {right}')


def bound_fault(case, bound, order, program):
    system, model, guide, file, product = case
    unrolled = guided.Product(system, guide, bound, limit=20000)
    result, claim = told('explore', model, '--guide', file, '--bound', bound, *order,
                         program=program)
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
    plain, auto, bounds = Wrong(f'{name}: the composition'), Wrong(
        f'{name}: the least complete bound'), Wrong(f'{name}: unrolled')
    printed = Wrong(f'{name}: printed')
    for seed in range(count):
        case = random_case(rng, f'{SEED} {name} {seed}')
        files = case[1], case[3]
        plain.add(product_fault(rng, case, program), *files)
        auto.add(auto_fault(case, program), *files)
        try:
            printed.add(printed_fault(case, rng.choice([0, 1, 3]), seed) if seed % 4 == 0 else '',
                        *files)
        except guides.TooLarge:
            pass
        for bound in range(1, 7) if LONG else rng.sample(range(1, 7), 2):
            try:
                bounds.add(bound_fault(case, bound,
                                       rng.choice(
                    [(), ('--order', 'bfs'), ('--order', 'past-freeze'), ('--split', 'always')]),
                                       program), *files)
            except guides.TooLarge:
                pass
    plain.close(count)
    printed.close()
    auto.close(count)
    bounds.close(count)


def printed_fault(case, bound, seed):
    """The composed model as a text of its own, and a random run in it."""
    system, model, guide, file, product = case
    options = ('--guide', file, *(('--bound', bound) if bound else ()))
    text = run('translate', model, *options, '--to', 'cairn', '-q')
    if text.returncode:
        return f'not printed: {text.stderr[-300:]}'
    result, claim = told('explore', write('printed.cairn', text.stdout))
    unrolled = guided.Product(system, guide, bound, limit=20000) if bound else product
    simulated = run('simulate', model, *options, '-q', '--seed', seed)
    if crashed(result) or crashed(simulated) or not claim:
        return f'no result: {result.stderr[-300:]} {simulated.stderr[-300:]}'
    return same_counts(claim, unrolled)


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
    return {name: (found.get(name), verdict) for name, verdict in right.items()
            if found.get(name) != verdict and not (may_be_unknown and found.get(name) == 'unknown')}


def missing_trace(claim):
    return next((f'{entry["name"]}: no trace' for entry in claim['properties']
                 if entry['verdict'] == 'violated' and not entry['trace']
                 and entry['kind'] != 'ctl'), '')


METHODS = ((('--engine', 'explicit'), False), (('--bound', 'auto'), False),
           (('--engine', 'symbolic'), False), (('--engine', 'bounded', '--time', '0.5s'), True),
           (('--threads', '2'), False), (('--reduce', 'por'), False))


def replay_fault(trace, claim):
    if not os.path.exists(trace):
        return ''
    result = run('replay', trace, '-q')
    return ('' if result.returncode == 0
            and re.search('It violates|not verified again', result.stdout)
            else f'the trace does not replay: {result.returncode} {result.stdout[-200:]} '
            f'{result.stderr[-300:]}')


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
    """A search that was cut: what it finds in single states is real, and it finds all that there is
    within the bound; nothing else is said."""
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
        each_state = (entry['kind'] in ('deadlock', 'runtime-error', 'invariant')
                      or name in system.in_each_state)
        if (verdict == 'holds' or verdict == 'violated' and whole[name] != 'violated' or each_state
            and (verdict == 'violated') != (within[name] == 'violated')):
            return (f'bound {bound}: {entry["text"]} {verdict}; within the bound {within[name]}, '
                    f'in all {whole[name]}')
    return ('' if result.returncode == (1 if 'violated' in verdicts_of(claim).values() else 3)
            else f'status {result.returncode}')


def random_verdicts(count):
    rng = random.Random(f'guided verdicts {SEED}')
    wrong, cut = {options: Wrong(f'verdicts {" ".join(options)}')
                  for options, _ in METHODS}, Wrong('verdicts under a bound')
    for seed in range(count):
        case = random_case(rng, f'{SEED} verdicts {seed}', 'mmmfc', limit=600)
        system, model, guide, file, product = case
        right = trusted(product, product.verdicts())
        for options, may_be_unknown in METHODS if LONG or seed % 3 == 0 else rng.sample(METHODS, 3):
            result, claim, fault = checked(model, '--guide', file, *options,
                                           program=ASAN if seed % 12 == 0 else None)
            if not fault:
                fault = contradiction(claim, right, may_be_unknown)
            if (not fault and claim['engine'] == 'symbolic' and product.counts()['errors'] == 0
                and claim['states'] != product.counts()['states']):
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
        part = guided.Product(system, guide.part(tree), part_of=guide, limit=20000)
        reached |= part.model_states()
        if number > 4 and not LONG and rng.random() < 0.7:
            continue
        result, claim = told('explore', model, '--guide', file, '--split', how, '--guide-part',
                             number, *rng.choice([(), ('--bound', 'auto')]))
        if crashed(result) or not claim or not claim['complete']:
            return f'part {number}: {result.returncode} {result.stderr[-500:]}'
        if same_counts(claim, part):
            return f'part {number}: {same_counts(claim, part)}'
    number = rng.randint(1, len(trees))
    result, claim, fault = checked(model, '--guide', file, '--split', how, '--guide-part', number,
                                   *rng.choice([(), ('--bound', 3), ('--bound', 'auto')]))
    if fault:
        return f'part {number}: {fault}'
    if reached != product.model_states():
        return 'the parts together reach other states'
    result, claim = told('check', model, '--guide', file, '--split', how, '--threads',
                         rng.choice([1, 2]))
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
        fault = (fault
                 or {name: 'violated in a part' for name, verdict in right.items()
                     if found[name] == 'violated' and verdict == 'holds'})
    found = set(verdicts_of(claim).values())
    status = 1 if 'violated' in found else 3 if 'unknown' in found else 0
    return fault or (result.returncode != status and f'status {result.returncode}, not {status}')


SPLITS = ('alternatives', 'permutations', 'position', 'position=2', 'position=3')


def random_parts(count):
    rng = random.Random(f'guided parts {SEED}')
    wrong, seed = Wrong('parts'), 0
    while wrong.cases < count and seed < 10 * count:
        seed += 1
        case = random_case(rng, f'{SEED} parts {seed}', 'mmfc',
                           rng.choice(
            ['one failure', 'one failure', 'beside all', 'any', 'then all', 'finite']), limit=500)
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
    """Reached places and states of the guide, by brute force and by zones; --bound auto has the
    symbolic states of the search without bound."""
    places = len(found)
    claims = {}
    for zones in ('equal', 'inclusion'):
        for bound in ((), ('--bound', 'auto')):
            result, claim = told('explore', model, '--guide', file, '--engine', 'timed', '--zones',
                                 zones, *bound)
            if crashed(result) or not claim or not claim['complete']:
                return f'{zones} {bound}: {result.returncode} {result.stderr[-400:]}'
            if claim['statistics']['discrete_states'] != places:
                return (f'{zones} {bound}: {claim["statistics"]["discrete_states"]} discrete '
                        f'states, not {places}')
            claims[zones, bool(bound)] = claim
    least = max(found.values())
    for zones in ('equal', 'inclusion'):
        if claims[zones, True]['guide']['complete_bound'] < least:
            return (f'{zones}: complete at {claims[zones, True]["guide"]["complete_bound"]}, but '
                    f'something is reached after {least} interactions')
    one, other = claims['equal', False], claims['equal', True]
    for key in ('states', 'transitions', 'deadlocks'):
        if one[key] != other[key]:
            return f'{key}: {one[key]} without a bound, {other[key]} by interactions'
    return (sum(other['guide']['states_by_interactions']) != other['states']
            and 'the rounds have other states')


def timed_bound_fault(network, guide, model, file, found, bound):
    """Under a bound: what is reached within it, once for each number of interactions."""
    orders = []
    for order in (('--order', 'bfs'), ('--order', 'past-freeze')):
        result, claim = told('explore', model, '--guide', file, '--engine', 'timed', '--bound',
                             bound, *order)
        if crashed(result) or not claim:
            return f'{order}: {result.returncode} {result.stderr[-400:]}'
        if order[1] == 'past-freeze' and len(guide.dfa) == 1 and not guide.dfa[0]:
            continue
        orders.append((claim['statistics']['discrete_states'], claim['complete']))
    if len(set(orders)) > 1:
        return f'orders differ: {orders}'
    result, claim, fault = checked(model, '--guide', file, '--bound', bound)
    real = any(state[0] == network.places[0] - 1 for state, _ in found)
    # at the cut, interactions that are due do not hold up time any more
    if (fault or verdicts_of(claim)['never'] == 'violated' and not real):
        return fault or 'a violation that is not real'
    return (bool(orders)
            and (orders[0][1] == guided.Product(network, guide, bound, limit=20000).is_cut())
            and 'wrongly complete')


def timed_parts_fault(model, file, rng):
    """What the parts say together, against the whole guide; LTL needs the whole zone graph."""
    _, whole, fault = checked(model, '--guide', file, '--zones', 'equal')
    how = next((how for how in rng.sample(SPLITS, len(SPLITS))
                if run('guide', f'{file}:g', '--split', how, '-q', '-o',
                       path('parts.xgdl')).returncode == 0), None)
    if fault or not how:
        return fault
    parts = len(guided.Reader(open(path('parts.xgdl')).read()).file()[0])
    result, claim = told('check', model, '--guide', file, '--zones', 'equal', '--split', how)
    return together_fault(result, claim, verdicts_of(whole), parts)


def random_timed(count):
    rng = random.Random(f'guided timed {SEED}')
    wrong, bounds, parts = Wrong('time'), Wrong('time, unrolled'), Wrong('time, in parts')
    for seed in range(count):
        network = guided.Network(rng, timed=True)
        guide = guided.random_guide(rng, [names for names in network.rules if names] or [['x']])
        found = guided.timed_product(network, guide, 20000)
        if found is None:
            continue
        model = (write('timed.fcr', network.fiacre()) if seed % 2
                 else write('timed.cairn', network.cairn()))
        file = write('guide.xgdl', guide.text)
        wrong.add(timed_fault(network, guide, model, file, found), model, file)
        bounds.add(timed_bound_fault(network, guide, model, file, found, rng.randint(1, 4)), model,
                   file)
        if seed % 3 == 0:
            parts.add(timed_parts_fault(model, file, rng), model, file)
    wrong.close(count // 2)
    parts.close()
    bounds.close(count // 2)


section(random_products, CAIRN, 40 * FACTOR, 'release')
section(random_products, ASAN, 2 * FACTOR, 'asan')
section(random_products, DEGENERATE, 4 * FACTOR, 'degenerate')
section(random_verdicts, 30 * FACTOR)
section(random_parts, 20 * FACTOR)
section(random_timed, 20 * FACTOR)

# ---- guides that allow everything ----

for example in ('examples/peterson/peterson.mil', 'examples/philosophers/phils.mil',
                'examples/running/running.mil', 'examples/device-login/timed.fcr',
                'examples/mouse/mouse.fcr'):
    text = run('translate', example, '--to', 'cairn', '-q').stdout
    labels = sorted(set(re.findall(r'^rule "([^"]*)"(?! internal)', text, re.M)))
    neutral = write('neutral.xgdl',
                    'guide all = (' + ' [] '.join(f'"{label}"' for label in labels) + ')*;\n')
    _, without = told('check', example)
    for options in ((), ('--bound', 'auto')):
        _, claim = told('check', example, '--guide', neutral, *options)
        keys = ('states', 'transitions', 'initial_states', 'deadlocks',
                'complete')[1 if options and without['engine'] == 'timed' else 0:]
        # by inclusion, which zones cover which depends on the order
        if (options and without['engine'] == 'timed'):
            keys = ('initial_states', 'deadlocks', 'complete')
        same = (claim and [claim[key] for key in keys] == [without[key] for key in keys]
                and verdicts_of(claim) == verdicts_of(without))
        check(f'{example}: the neutral guide {options} changes nothing', labels and same,
              claim and ([claim[key] for key in keys], verdicts_of(claim)))

# ---- several guides, kept results ----

CASH = ('examples/cash-point/cp.mil', '-D', 'tills=2', '--guide')
CARD = ('insert [] ask [] enter_pin [] check [] call [] granted [] denied [] finish [] closed [] '
        'retry [] take_card')
SERVER = ', '.join(
    sorted(set(
    re.findall(r'^rule "([^"]*)"(?! internal)',
               run('translate', CASH[0], '--to', 'cairn', '-q').stdout, re.M))
           - set(CARD.split(' [] ')) - {'show', 'pay', 'sorry', 'take_cash', 'confirm'}))
GUIDES = write('cash.xgdl',
               f'let card = {CARD};\nguide look = card* || {{0,2}} of [show*, take_cash, pay, '
               f'confirm, sorry];\nguide card_only = card*;\nignore {SERVER};\n')


def essence(claim):
    return [(part['context'], part['states'], part['transitions'], verdicts_of(part))
            for part in claim['contexts']], verdicts_of(claim), claim['states'], claim['complete']


_, both = told('check', *CASH, GUIDES)
for part in both['contexts']:
    _, alone = told('check', *CASH, f'{GUIDES}:{part["context"]}')
    check(f'{part["context"]}: one of several guides, as alone',
          (alone['states'], alone['transitions'], verdicts_of(alone))
          == (part['states'], part['transitions'], verdicts_of(part)), part)
check('several guides: both are searched',
      [part['context'] for part in both['contexts']] == ['look', 'card_only'])

PARTS = ('check', *CASH, f'{GUIDES}:look', '--split', 'permutations', '--threads', '2', '-p',
         'exclusive', '-p', 'deadlock', '-p', 'two_at_a_time_ltl')
_, right = told(*PARTS)
check('ten parts', len(right['contexts']) == 10, len(right['contexts']))
results = path('results')


def killed_after(count, signals):
    """Runs it until so many results are kept, then ends it; its status."""
    process = subprocess.Popen([CAIRN, *PARTS, '--results', results, '--json'], cwd=ROOT,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    until(lambda: process.poll() is not None
          or len(glob.glob(os.path.join(results, '*.result'))) >= count)
    if signals == signal.SIGKILL:
        os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.send_signal(signals)
    output = process.communicate(timeout=PATIENCE)[0]
    return process.returncode, output


for signals in (signal.SIGKILL, signal.SIGINT):
    shutil.rmtree(results, ignore_errors=True)
    status, output = killed_after(3, signals)
    kept = len(glob.glob(os.path.join(results, '*.result')))
    if signals == signal.SIGINT:
        claim = json.loads(output)
        check('interrupted: the rest is unknown',
              status in (1, 3) and (kept == 10 or not claim['complete']), (status, kept))
    result = run(*PARTS, '--results', results, '--resume', '--json')
    claim = json.loads(result.stdout)
    check(f'{signals.name}: {kept} results are kept, the rest is searched',
          kept >= 3 and f'{kept} of 10 results were taken' in result.stderr
          and essence(claim) == essence(right), result.stderr)
first = os.path.join(results, 'look_1.result')
for name, damage in (('cut', lambda data: data[:len(data) // 2]),
                     ('of another search',
                      lambda data: data.replace(b'cairn result 1 ', b'cairn result 1 0', 1)),
                     ('empty', lambda data: b''), ('a list', lambda data: b'[1]')):
    data = open(first, 'rb').read()
    with open(first, 'wb') as file:
        file.write(damage(data))
    result = run(*PARTS, '--results', results, '--resume', '--json')
    check(f'a result that is {name} is not taken',
          '9 of 10 results were taken' in result.stderr
          and essence(json.loads(result.stdout)) == essence(right), result.stderr)
result = run(*PARTS, '--results', results, '--resume', '--json', '-p', 'two_at_a_time_ctl')
check('another question: nothing is taken',
      'were taken' not in result.stderr and result.returncode in (0, 1), result.stderr)
shutil.rmtree(results)
for kept in ('', '10 of 10 results were taken'):
    result = run(*PARTS, '--bound', '3', '--results', results, '--resume', '--json')
    check('results under a bound are kept, too',
          kept in result.stderr and result.returncode in (1, 3)
          and not json.loads(result.stdout)['complete'], result.stderr)
shutil.rmtree(results)
result = run(*PARTS, '--results', results, '--time', '0.000001s', '--json')
check('those of searches that were cut short are not',
      not os.listdir(results) and not json.loads(result.stdout)['complete'], os.listdir(results))

# ---- contexts ----

BEHAVIOR = ('examples/contexts/behavior.fcr', '--context', 'examples/contexts/contexts.cdl:c7')
_, without = told('explore', *BEHAVIOR)
events = [f'e{i}' for i in range(1, 11)]
for term, same in ((f'({" [] ".join(events)})*', True), ('e1*', False)):
    _, claim = told('explore', *BEHAVIOR, '--guide',
                    write('events.xgdl', f'guide g = {term};\nignore serve;\n'))
    check(f'events of a context: {term}',
          claim and claim['complete'] and (claim['states'] == without['states']) == same
          and claim['states'] <= without['states'], claim and claim['states'])

# ---- limits, refused memory ----

_, claim = told('explore', *CASH, f'{GUIDES}:card_only', '--bound', 'auto', '--time', '0.000001s')
check('no time: no bound is claimed',
      claim and not claim['complete'] and claim['guide'].get('complete_bound') is None,
      claim and claim['guide'])
_, whole = told('explore', *CASH, f'{GUIDES}:look', '--bound', 'auto')
_, claim = told('explore', *CASH, f'{GUIDES}:look', '--bound', 'auto', '--memory', '1M')
check('little memory: the same bound, with files',
      claim and claim['statistics']['spills'] and claim['complete']
      and counts(claim) == counts(whole)
      and claim['guide'] == {**whole['guide'], 'states_by_interactions': None},
      claim and claim['guide'])
# not even enough to read the model; enough for some rounds or for all of them
for memory in ('300K', '600K', '800K'):
    _, claim = told('explore', *CASH, f'{GUIDES}:look', '--bound', 'auto', '--memory', memory)
    check(f'{memory}: a bound is claimed only of a complete search',
          claim and claim['complete'] == (claim.get('guide', {}).get('complete_bound') is not None)
          and (not claim['complete'] or claim['states'] == whole['states']), claim)


def refused(name, *arguments):
    """The n-th allocation fails, for some n: no crash, no claim that is not that of an undisturbed
    run."""
    rng = random.Random(f'refused {SEED} {name}')
    usual = json.loads(run(*arguments, '-q', '--json', program=DEGENERATE).stdout)
    faults = []
    for n in sorted(rng.sample(range(1, 1500), 200 if LONG else 6)):
        result = run(*arguments, '-q', '--json', program=DEGENERATE,
                     env={'CAIRN_FAIL_ALLOCATION': str(n)})
        if crashed(result):
            faults.append((n, result.returncode, result.stderr[-600:]))
        elif result.stdout:
            claim = json.loads(result.stdout)
            known = {p['name']: p['verdict'] for p in usual.get('properties', [])}
            wrong = [p['name'] for p in claim.get('properties', [])
                     if p['verdict'] not in ('unknown', known[p['name']])]
            if wrong or claim['complete'] and claim['states'] != usual['states']:
                faults.append((n, wrong, claim['states'], usual['states']))
    check(f'{name}: memory is refused', not faults, faults[:2])


NETWORK = guided.Network(random.Random('a network'))
SMALL = write('refused.fcr', NETWORK.fiacre())
TIMED = write('refused.cairn', guided.Network(random.Random('a timed one'), timed=True).cairn())
G = write('refused.xgdl', 'let f = y [] a;\nguide g = x* || {0,2} of [f, b, z];\nignore w, c;\n')
refused('by interactions', 'check', SMALL, '--guide', G, '--bound', 'auto')
refused('unrolled', 'check', SMALL, '--guide', G, '--bound', '3')
refused('a part', 'check', SMALL, '--guide', G, '--split', 'permutations', '--guide-part', '2')
refused('by interactions, timed', 'explore', TIMED, '--guide', G, '--bound', 'auto')

# ---- ends ----

ENDS = write('ends.mil',
             'ACTIONS END LOCAL P ACTIONS a; b; END VARIABLES pc : 2 := 0; END CASE [0] [a] true : '
             'pc := 1; [1] [b] true : pc := 2; END END MAIN PROC p : P[1]; END END')
for text, deadlocks, ends, why in (('a', 0, 1, 'b waits for the guide, which has ended'),
                                   ('a; b', 1, 0, 'nothing waits'),
                                   ('a; b; a', 1, 0, 'the guide goes on'),
                                   ('(a [] b)*', 1, 0, 'the guide goes on'),
                                   ('skip', 0, 1, 'a waits'),
                                   ('b', 1, 0, 'the guide goes on, but not as the model does')):
    _, claim = told('explore', ENDS, '--guide',
                    write('ends.xgdl', f'guide g = {text};\nlet unused = b;\n'))
    check(f'{text}: {why}',
          claim and (claim['deadlocks'], claim['statistics'].get('ends', 0)) == (deadlocks, ends),
          claim)

# The parts of a guide whose words end were said to be stuck where all of them end, so that no split
# of such a guide could prove that there is no deadlock. Where a part ends, and the whole guide
# after the same words too, is an end.
LOOP = write('loop.mil',
             'ACTIONS END LOCAL P ACTIONS a; b; c; END VARIABLES pc : 1 := 0; END CASE [0] [a] '
             'true : pc := 0; [0] [b] true : pc := 0; [0] [c] true : pc := 0; END END MAIN PROC p '
             ': P[1]; END END')
for text, how, status, verdict in (('{0,2} of [a, b, c]', 'permutations', 0, 'holds'),
                                   ('a [] b; c', 'alternatives', 0, 'holds'),
                                   ('a{0,3}; b; c', 'position', 0, 'holds'),
                                   ('a [] a; b', 'alternatives', 3, 'unknown')):
    result, claim = told('check', LOOP, '--guide', write('ends.xgdl', f'guide g = {text};\n'),
                         '--split', how)
    check(f'{text}, split by {how}: deadlock {verdict}',
          claim and (result.returncode, verdicts_of(claim)['deadlock']) == (status, verdict)
          and claim['complete'], claim)
result, claim = told('check', LOOP, '--guide',
                     write('ends.xgdl', 'guide g = {0,2} of [a, b, c];\n'), '--split',
                     'permutations', '--bound', '1')
check('parts that are cut, together: what was covered',
      claim and result.returncode == 3 and not claim['complete']
      and 'no words of more than 1 interaction were followed' in claim['assurance'], claim)

QUEUE = write('queue.fcr', '''type Inputs is queue 1 of nat
process Out (&q : Inputs) is states s init to s from s on not (full q); q := enqueue (q, 1); \
/*@put*/ to s
process In (&q : Inputs) is states s, t init to s from s on not (empty q); q := dequeue q; \
/*@get*/ to t
component Sys is var q : Inputs := {||} par Out (&q) || In (&q) end
Sys
''')
for text, deadlocks, ends, why in (('put', 0, 1, 'put has code that could fail, and waits'),
                                   ('put; put', 1, 0, 'the queue stays full'),
                                   ('put*', 1, 0, 'the same')):
    _, claim = told('explore', QUEUE, '--guide',
                    write('ends.xgdl', f'guide g = {text};\nignore get;\n'))
    check(f'{text}: {why}',
          claim and (claim['deadlocks'], claim['statistics'].get('ends', 0)) == (deadlocks, ends),
          claim and (claim['deadlocks'], claim['statistics']))

# ---- a run has as many interactions as its round ----

for clock in ('', ' interval [1, 4]'):
    two = write('two.cairn', f'''cairn 1 model "two" {'ticks 1' if clock else ''}
process "p" type "P" pc "pc" location 0 "on" location 1 "off"
variable "pc" of "p" 0..1 = 0
rule "x" part "p" when (eq "pc" 0) set "pc" 1{clock}
rule "w" part "p" when (eq "pc" 0) set "pc" 1{clock}
property "never" invariant formula (eq "pc" 0)
''')
    claim = told('check', two, '--bound', 'auto', '--guide',
                 write('two.xgdl', 'guide g = x*;\nignore "w";\n'))[1]
    labels = claim and [step.get('label') for step in claim['properties'][0]['trace']['steps']]
    check(f'two ways to a state of the first round: not by an interaction{clock}',
          labels and labels[1:] == ['w'], labels)

# ---- what cannot be ----

G = write('small.xgdl', 'guide g = a* || b;\nguide h = a;\n')
for arguments, status, words in (
    ((f'{G}:g', '--split', 'position', '--guide-part', 99), 2, '--guide-part chooses one'),
    ((f'{G}:g', '--guide-part', 1), 2, 'goes with --split'),
    ((f'{G}:g', '--guide-part', 0, '--split', 'position'), 2, 'counted from 1'),
    ((f'{G}:g', '--bound', 'auto', '--engine', 'symbolic'), 2, 'explicit and the timed engine'),
    ((f'{G}:none',), 2, 'none'), ((path('no.xgdl'),), 2, 'no.xgdl'),
    ((f'{G}:h', '--split', 'permutations'), 2, 'nothing to split'),
    ((f'{G}:h', '--order', 'past-freeze'), 0, ''),
    ((f'{G}:g', '--order', 'past-freeze'), 2, 'has no rank'), ((f'{G}:g', '--bound', '0'), 2, '')):
    result = run('explore', ENDS, '--guide', *arguments)
    check(f'{arguments[0][-8:]} {arguments[1:]}: status {status}',
          result.returncode == status and words in result.stderr and not crashed(result),
          (result.returncode, result.stderr))
result = run('explore', ENDS, '--guide', write('names.xgdl', 'guide g = a; bb;\n'))
check('a name that the model does not have, and one that the guide does not have',
      "no step for the interaction 'bb'" in result.stderr
      and 'does not mention an interaction' in result.stderr, result.stderr)
check('several guides where one is needed',
      'choose one' in run('simulate', ENDS, '--guide', G).stderr)
finish()
