"""Observers: random ones beside random systems in random contexts, against a brute force that
follows the definition (test/oracle/observers.py), in every engine; timed ones against dates by hand
and against a brute force over whole dates."""
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, DEGENERATE, LONG, SEED, check, crashed, finish, path, run, told, write
import contexts
import observers
import observers_timed

rng = random.Random(f'observers {SEED}')


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
    if (exact
        and (claim['states'], claim['transitions'], claim['deadlocks'])
        != (states, transitions, deadlocks)):
        return (f'{claim["states"]} states, {claim["transitions"]} transitions, '
                f'{claim["deadlocks"]} deadlocks, not {truth[:3]}')
    for p in claim['properties']:
        right = (('violated' if p['name'] in violated else 'holds') if p['name'].startswith('o')
                 else 'violated' if p['name'] == 'deadlock' and deadlocks else 'holds')
        if p['verdict'] != right and not (p['verdict'] == 'unknown' and not exact):
            return f'{p["name"]} is {p["verdict"]}, not {right}'
        if p['verdict'] == 'violated' and not p['trace']:
            return f'{p["name"]} has no run'
        shortest = violated.get(p['name'])
        if (p['verdict'] == 'violated' and shortest is not None and claim['engine'] == 'explicit'
            and claim['statistics']['order'] == 'bfs' and len(p['trace']['steps']) != shortest + 1):
            return (f'{p["name"]} is violated after {len(p["trace"]["steps"]) - 1} steps, not '
                    f'{shortest}')
    return ''


WAYS = [(('--order', 'bfs'), CAIRN, False), (('--engine', 'symbolic'), CAIRN, True),
        (('--engine', 'bounded', '--bound', '12'), CAIRN, False),
        (('--order', 'past-freeze'), CAIRN, False),
        (('--engine', 'explicit', '--order', 'dfs'), CAIRN, False)]
wrong, violations, held, cut = [], 0, 0, 0
for n in range(600 if LONG else 45):
    case, truth = watched(rng)
    model, context = write('watched.fcr', case.case.model), write('watched.cdl', case.context)
    violations += len(truth[3])
    held += sum(not o.is_restriction for o in case.observers) - len(truth[3])
    cut += any(o.is_restriction for o in case.observers)
    result, claim = told('explore', model, '--context', context, '--engine', 'explicit')
    fault = ''
    if (crashed(result) or claim is None
        or (claim.get('states'), claim.get('transitions'), claim.get('deadlocks')) != truth[:3]):
        told_of = claim and [claim.get(key) for key in ('states', 'transitions', 'deadlocks')]
        fault = f'explore: {told_of}, not {truth[:3]}: {result.stderr}'
    for options, program, exact in WAYS:
        if fault:
            continue
        result, claim = told('check', model, '--context', context, *options, program=program)
        complete = claim is not None and claim.get('complete')
        fault = fault_of(claim, result, truth, 'bounded' not in options and complete)
        fault = fault and f'{options}: {fault}'
    if fault:
        wrong.append(f'{fault}\n{case.case.model}\n{case.context}')
check(f'random observers: {violations} violations, {held} that hold, {cut} systems with '
      f'restrictions, in {len(WAYS)} ways', violations > 5 and held > 5 and not wrong,
      f'{len(wrong)} wrong: {wrong[:1]}')

# ---- a deadline: p2 within 10 units of time after p1 ----

DEADLINES = {
    'time alone, open': ('waiting -- ck > 10 / / / -> reject; waiting -- / / {p2} / -> start',
                         lambda low, high, opened: high > 10),
    'time alone, closed': ('waiting -- ck >= 10 / / / -> reject; waiting -- / / {p2} / -> start',
                           lambda low, high, opened: high > 10 or high == 10 and not opened),
    'the same, the other way round': (
    'waiting -- / / {p2} / -> start; waiting -- ck >= 10 / / / -> reject', lambda low, high,
    opened: high > 10 or high == 10 and not opened),
    'at the step, closed': (
    'waiting -- ck <= 10 / / {p2} / -> start; waiting -- / / {p2} / -> reject', lambda low, high,
    opened: high > 10),
    'at the step, open': ('waiting -- ck < 10 / / {p2} / -> start; waiting -- / / {p2} / -> reject',
                          lambda low, high, opened: high > 10 or high == 10 and not opened),
    'too early': ('waiting -- ck < 10 / / {p2} / -> reject; waiting -- / / {p2} / -> start',
                  lambda low, high, opened: low < 10),
    'late, then p2': (
    'waiting -- ck > 10 / / / -> late; waiting -- / / {p2} / -> start; late -- / / {p2} / -> '
    'reject', lambda low, high, opened: high > 10),
}
INTERVALS = [('[5, 10]', 5, 10, False), ('[5, 10[', 5, 10, True), ('[5, 9]', 5, 9, False),
             ('[10, 10]', 10, 10, False), ('[5, 11[', 5, 11, True), ('[11, 12]', 11, 12, False),
             (']9, 10]', 9, 10, False),
             ('[5, ...[', 5, 10 ** 6, True), (']10, 11[', 10.001, 11, True)]
wrong, deadline_runs = [], 0
for way, (edges, violated) in DEADLINES.items():
    for interval, low, high, opened in INTERVALS:
        model = write('deadline.fcr',
                      f'process P is states s0, s1 init to s0\n  from s0 wait [0, 3]; /*@p1*/ to '
                      f's1\n  from s1 wait {interval}; /*@p2*/ to s0\ncomponent Sys is par P '
                      f'end\nSys\n')
        for p1, p2 in (('sync p1', 'sync p2'), ('there becomes true', 'there becomes false')):
            text = (f'predicate there is {{ {{P}}1@s1 }}\nproperty in_time is {{ start -- / / {p1} '
                    f'/ ck := 0 -> waiting; {edges.format(p2=p2)} }}\ncdl c is {{ properties '
                    f'in_time main is {{ skip }} }}\n')
            trace = path('deadline.itf.json')
            result, claim = told('check', model, '--context', write('deadline.cdl', text),
                                 '--trace', trace)
            verdicts = ({p['name']: p['verdict'] for p in claim['properties']} if claim
                        and claim.get('engine') else None)
            right = 'violated' if violated(low, high, opened) else 'holds'
            deadline_runs += 1
            if (not verdicts or verdicts['in_time'] != right or verdicts['deadlock'] != 'holds'
                or crashed(result)):
                wrong.append(f'{way}, {interval}, {p1}: {verdicts}, not {right} {result.stderr}')
            elif right == 'violated' and run('replay', trace).returncode:
                wrong.append(f'{way}, {interval}: the run does not replay')
check(f'deadlines, closed and open: {deadline_runs} of them hold exactly when they should',
      not wrong, wrong[:5])

# ---- random timed ones ----

wrong, violations, held = [], 0, 0
for n in range(1500 if LONG else 70):
    system = observers_timed.System(rng, rng.choice((1, 1, 2)))
    violated = system.violated(60000)
    if violated is None:
        continue
    model, context = write('timed.fcr', system.model()), write('timed.cdl', system.context())
    result, claim = told('check', model, '--context', context)
    _, bare = told('check', model)
    if crashed(result) or claim is None or claim.get('engine') is None:
        wrong.append(f'{result.returncode} {result.stderr}\n{system.model()}{system.context()}')
        continue
    for p in claim['properties']:
        right = (('violated' if int(p['name'][1:]) in violated else 'holds')
                 if p['name'].startswith('o')
                 else {q['name']: q['verdict'] for q in bare['properties']}[p['name']])
        violations += right == 'violated'
        held += right == 'holds'
        if p['verdict'] != right:
            wrong.append(
                f'{p["name"]} is {p["verdict"]}, not {right}\n{system.model()}{system.context()}')
check(f'random timed observers: {violations} violations, {held} that hold; deadlocks are those of '
      f'the system alone', violations > 10 and held > 10 and not wrong,
      f'{len(wrong)} wrong: {wrong[:1]}')

# ---- bugs that were ----

same_date = '../regress/observer-same-date'
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), same_date)
for name, right in (('sooner', 'holds'), ('first_of_two', 'holds'), ('at_start', 'holds')):
    result, claim = told('check', here + '.fcr', '--context', f'{here}.cdl:{name}')
    verdicts = ({p['name']: p['verdict'] for p in claim['properties']} if claim
                and claim.get('engine') else result.stderr)
    check(f'observer-same-date, {name}', isinstance(verdicts, dict) and verdicts[name] == right,
          verdicts)
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../regress/observer-guards')
for name, message in (
    ('alone',
     "an edge of 'alone' has 70 guards of clocks (an equality is two): at most 10 are possible"),
    ('with_event', "an edge of 'with_event' has 12 guards of clocks"),
    ('ways', "the edges from state 'run' of 'ways' have too many guards of clocks together")):
    result = run('check', here + '.fcr', '--context', f'{here}.cdl:c_{name}')
    check(f'observer-guards, {name}',
          result.returncode == 2 and 'observer-guards.cdl:' in result.stderr
          and message in result.stderr, f'{result.returncode} {result.stderr}')
result, claim = told('check', here + '.fcr', '--context', here + '.cdl:c_eight')
check('observer-guards, eight edges',
      claim
      and {p['name']: p['verdict'] for p in claim['properties']}
      == {'eight': 'holds', 'eighth': 'violated', 'deadlock': 'holds', 'runtime-error': 'holds'},
      result.stderr or claim)


# Receivers of a broadcast with clock guards, whose part in a step is decided when it is taken: the
# observer's priorities once ended in a BUG there. The degenerate program decides so for two, the
# ordinary one for many; both agree where the ordinary one writes the product out.
def receivers(count):
    return (f'clock x; broadcast chan c;\n'
            'process S() { state A { x <= 6 }, B; init A; trans A -> B { sync c!; }; }\n'
            f'process R(const int[0,{count - 1}] i) {{ state I, J; init I;\n'
            '    trans I -> J { guard x > i && x <= i + 3; sync c?; }; }\nsystem S, R;\n')


LATE = write('late.cdl', '''property late is {
    start -- / {S}1@B / / ck := 0 -> run;
    run -- ck > 3 / / / -> reject
}
cdl c is { properties late main is { skip } }
''')
counts = []
for count, program in ((2, CAIRN), (2, DEGENERATE), (5, CAIRN)):
    result, claim = told('check', write('receivers.xta', receivers(count)), '--context', LATE,
                         '--zones', 'equal', program=program)
    counts.append(claim and claim.get('states'))
    check(f'an observer with clocks beside {count} receivers with clocks',
          claim and claim['verdict'] == 'violated' and claim['states'] > 10, result.stderr)
check('... the same states', counts[0] == counts[1], counts)
finish()
