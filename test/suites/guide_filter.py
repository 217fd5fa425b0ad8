"""The two readings of what a guide forbids (--guide-semantics): it is not enabled, or it is enabled
and waits.

With priorities or time these differ: what is forbidden holds back what is below it, and its
deadline counts, or not. Random models with priorities and guides in both readings against products
by brute force, in every engine; random timed models; parts of guides; the model's own text;
messages."""
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, DEGENERATE, LONG, SEED, check, crashed, finish, path, run, run_json, section,
                 told, write)
import guided
import guides

FACTOR = 30 if LONG else 1
SPLITS = ('alternatives', 'permutations', 'position', 'position=2')


def verdicts(claim):
    return {entry['name']: entry['verdict'] for entry in claim['properties']}


# ---- priorities ----

def count_fault(claim, product):
    if not claim or not claim['complete']:
        return 'no complete result'
    right = product.counts()
    found = {key: claim[key] for key in ('states', 'transitions', 'deadlocks')
             if claim[key] is not None}
    return {key: (found[key], right[key]) for key in found if found[key] != right[key]}


def search_fault(model, options, product, rng):
    """Counts in every order and engine that has them."""
    for how in ((), ('--order', 'dfs'), ('--engine', 'symbolic'), ('--bound', 'auto'),
                ('--threads', 2, '--engine', 'explicit')):
        program = rng.choice([None, None, ASAN, DEGENERATE]) if LONG or not how else None
        result, claim = told('explore', model, *options, *how, program=program)
        fault = 'crashed' if crashed(result) else count_fault(claim, product)
        if fault:
            return f'{how}: {fault} {result.stderr[-300:]}'
    return None


def verdict_fault(model, options, product):
    right = product.verdicts()
    for engine in ('explicit', 'symbolic', 'bounded'):
        result, claim = told('check', model, *options, '--engine', engine)
        if crashed(result) or not claim:
            return f'{engine}: {result.returncode} {result.stderr[-300:]}'
        found = verdicts(claim)
        wrong = {name: (found[name], right[name]) for name in right
                 if found[name] not in ('unknown', right[name])}
        if wrong or engine != 'bounded' and 'unknown' in found.values():
            return f'{engine}: {wrong or found}'
        if claim['guide']['semantics'] not in options:
            return f'{engine}: says {claim["guide"]["semantics"]}'
    return None


def text_fault(model, options, product):
    """The composed model as a text: what waits for the guide still holds others back."""
    copy = path('composed.cairn')
    run('translate', model, *options, '--to', 'cairn', '-o', copy, '-q')
    return count_fault(told('explore', copy)[1], product)


def parts_fault(model, file, semantics, product, rng):
    """What parts say together is true of the whole; with a filter all that is asked in each state
    is decided."""
    right = product.verdicts()
    for how in rng.sample(SPLITS, len(SPLITS)):
        result, claim = told('check', model, '--guide', file, '--guide-semantics', semantics,
                             '--split', how)
        if 'to split by' in result.stderr:
            continue
        if crashed(result) or not claim:
            return f'{how}: {result.returncode} {result.stderr[-300:]}'
        found = verdicts(claim)
        wrong = {name: (found[name], right[name]) for name in right
                 if found[name] not in ('unknown', right[name])}
        if semantics == 'filter' and found['never'] != right['never']:
            wrong['never'] = found['never'], right['never']
        return wrong and f'{how}: {wrong}'
    return None


def priorities(count):
    rng = random.Random(f'guide filter {SEED}')
    faults, differ, cases, parts = [], 0, 0, 0
    while cases < count:
        network = guided.Ranked(rng)
        if not network.written:
            continue
        guide = guided.random_guide(rng, [names for names in network.rules if names] or [['x']])
        try:
            products = {'filter': guided.Product(network, guide, limit=2000),
                        'disable': guided.Disabled(network, guide, limit=2000)}
        except guides.TooLarge:
            continue
        is_other = products['filter'].counts() != products['disable'].counts()
        if not is_other and rng.random() < 0.97: # most cases would say nothing about the difference
            continue
        is_fiacre = network.is_plain and rng.random() < 0.5
        model = (write('ranked.fcr', network.fiacre()) if is_fiacre
                 else write('ranked.cairn', network.cairn()))
        file = write('ranked.xgdl', guide.text)
        cases += 1
        differ += is_other
        for semantics, product in products.items():
            options = ('--guide', file, '--guide-semantics', semantics)
            fault = (search_fault(model, options, product, rng)
                     or verdict_fault(model, options, product)
                     or text_fault(model, options, product))
            if not fault and cases % 3 == 0:
                fault = parts_fault(model, file, semantics, product, rng)
                parts += 1
            if fault:
                faults.append(f'{semantics}: {fault}\n{open(model).read()}\n{guide.text}')
    check(f'priorities, {cases} cases, {parts} in parts', not faults and parts,
          f'{len(faults)} wrong: {faults[:1]}')
    check(f'{differ} of them differ', differ >= count // 3, differ)


# ---- time ----

def timed(count):
    rng = random.Random(f'guide filter timed {SEED}')
    faults, differ, stuck_cases, cases = [], 0, 0, 0
    while cases < count:
        network = guided.Network(rng, timed=True)
        guide = guided.random_guide(rng, [names for names in network.rules if names] or [['x']])
        try:
            found, plain = guided.timed_product(network, guide, 20000,
                                                True), guided.timed_product(network, guide, 20000)
        except guides.TooLarge:
            continue
        if found is None or plain is None:
            continue
        is_other = set(found[0]) != set(plain)
        if not is_other and rng.random() < 0.8:
            continue
        (places, stuck), cases, differ = found, cases + 1, differ + is_other
        model = (write('timed.fcr', network.fiacre()) if cases % 2
                 else write('timed.cairn', network.cairn()))
        file = write('timed.xgdl', guide.text)
        for how in (('--zones', 'equal'), ('--zones', 'inclusion'), ('--bound', 'auto')):
            result, claim = told('explore', model, '--guide', file, '--guide-semantics', 'filter',
                                 *how, program=ASAN if cases % 8 == 0 else None)
            fault = None
            if crashed(result) or not claim or not claim['complete']:
                fault = f'{result.returncode} {result.stderr[-300:]}'
            elif claim['statistics']['discrete_states'] != len(places):
                fault = (f'{claim["statistics"]["discrete_states"]} discrete states, not '
                         f'{len(places)}')
            elif stuck and not claim['deadlocks'] + claim['statistics'].get('ends', 0):
                fault = f'nothing is stuck; {stuck} are'
            if fault:
                faults.append(f'{how} {fault}\n{open(model).read()}\n{guide.text}')
        stuck_cases += bool(stuck)
        result, claim = told('check', model, '--guide', file, '--guide-semantics', 'filter',
                             '--zones', 'equal')
        bad = any(state[0] == network.places[0] - 1 for state, _ in places)
        if (not claim or verdicts(claim)['never'] != ('violated' if bad else 'holds')
            or claim.get('broken')):
            faults.append(
                f'never is not {"violated" if bad else "holds"}: {claim and verdicts(claim)} '
                f'{result.stderr[-400:]}\n{open(model).read()}\n{guide.text}')
        elif 'violated' in verdicts(claim).values():
            trace = path('timed.itf.json')
            run('check', model, '--guide', file, '--guide-semantics', 'filter', '--zones', 'equal',
                '--trace', trace, '-q')
            done = run('replay', trace, '-q')
            if done.returncode not in (0, 1) or 'error' in done.stderr:
                faults.append(
                    f'the trace does not replay: {done.stderr[-400:]}\n{open(model).read()}\n'
                    f'{guide.text}')
    check(f'time, {cases} cases, {stuck_cases} with stuck states', not faults,
          f'{len(faults)} wrong: {faults[:1]}')
    check(f'{differ} of them differ', differ >= count // 6, differ)


# ---- known cases ----

PRIORITY = write('priority.cairn', '''cairn 1 model "m" classes 2 priority 0 > 1
process "q" type "Q" pc "q.pc"
variable "q.pc" of "q" 0..1 = 0
variable "n" 0..3 = 0
rule "urgent" part "q" when (eq "q.pc" 0) set "n" (mod 0 (add 0 "n" 1) 4) class 0
rule "slow" internal part "q" when (eq "q.pc" 0) set "q.pc" 1 class 1
property "safe" invariant formula (eq "q.pc" 0)
''')
BEAT = write('beat.fcr', '''process P (&late : bool) is
  states s, t
  from s
    select /*@beat*/ wait [1,1]; to s
    [] wait [5,5]; late := true; to t end
component Main is
  var late : bool := false
  par P(&late) end
property safe is invariant not late
Main
''')


def known():
    """A step of higher priority, and one with a deadline, that the guide forbids."""
    none, two = write('none.xgdl', 'guide none = urgent{0};\n'), write('two.xgdl',
        'guide two = beat{0,2};\n')
    for model, guide, engines in ((PRIORITY, none, ('explicit', 'symbolic', 'bounded')),
                                  (BEAT, two, ('timed',))):
        for engine in engines:
            for semantics, wanted in (('disable', 'violated'), ('filter', 'holds')):
                code, claim = run_json('check', model, '--guide', guide, '--guide-semantics',
                                       semantics, '--engine', engine, '-p', 'safe')
                check(f'{os.path.basename(model)}, {engine}: {semantics}',
                      claim and verdicts(claim)['safe'] == wanted, claim)
                says = {'disable': 'holds no step back',
                        'filter': 'as a filter: what it forbids keeps its priority'}[semantics]
                check(f'{os.path.basename(model)}, {engine}: says {semantics}',
                      says in claim['assurance'], claim['assurance'])
        code, claim = run_json('check', model, '--guide', guide, '-p', 'safe')
        check(f'{os.path.basename(model)}: disable is the default',
              claim['guide']['semantics'] == 'disable' and code == 1, claim)
    choice = write('choice.xgdl', 'guide g = urgent [] slower;\n')
    code, claim = run_json('check', PRIORITY, '--guide', choice, '--guide-semantics', 'filter',
                           '--split', 'alternatives')
    check('parts say it, too',
          claim['under']['guide_semantics'] == 'filter'
          and '; the guide as a filter: ' in claim['assurance'], claim['assurance'])
    done = run('check', PRIORITY, '--guide', write('urgent.xgdl', 'guide g = (urgent; other)*;\n'),
               '--guide-semantics', 'filter', '-p', 'deadlock')
    check('why nothing moves',
          done.returncode == 1 and 'the guide does not allow urgent here' in done.stdout,
          done.stdout)
    text = run('translate', PRIORITY, '--guide', none, '--guide-semantics', 'filter', '--to',
               'cairn', '-q').stdout
    check('a permission as text', '\n  permit false\n' in text, text)
    both = open(PRIORITY).read().replace('model "m"', 'model "m" ticks 1').replace('class 0',
        'class 0 interval [ 1 , 2 ]')
    done = run('check', write('both.cairn', both), '--guide', none, '--guide-semantics', 'filter')
    check('priorities and time at once',
          done.returncode == 2 and 'priorities and time intervals at once' in done.stderr,
          done.stderr)
    done = run('check',
               write('both.cairn', both.replace('class 0 int', 'class 0 permit false int')))
    check('... in a text',
          done.returncode == 2 and 'permissions, priorities and time at once' in done.stderr,
          done.stderr)
    for clause, message in (('permit true permit true', 'has a permission already'),
                            ('permit 3', 'condition')):
        done = run('check',
                   write('bad.cairn',
                         open(PRIORITY).read().replace('class 1', 'class 1 ' + clause)))
        check(f'{clause}: {message}', done.returncode == 2 and message in done.stderr, done.stderr)
    for options, message in (
        (('--guide', none, '--guide-semantics', 'both'), "is disable or filter, not 'both'"),
        (('--guide-semantics', 'filter'), 'goes with --guide')):
        done = run('check', PRIORITY, *options)
        check(f'{options[-1]}: {message}', done.returncode == 2 and message in done.stderr,
              done.stderr)
    failing = open(PRIORITY).read().replace('set "n" (mod 0 (add 0 "n" 1) 4)',
                                            'set "n" (mod 0 1 "n")')
    code, claim = run_json('check', write('failing.cairn', failing), '--guide', none,
                           '--guide-semantics', 'filter', '-p', 'runtime-error')
    check('a step that would fail and is forbidden', code == 0 and claim['complete'], claim)


section(known)
section(priorities, 25 * FACTOR)
section(timed, 12 * FACTOR)
finish()
