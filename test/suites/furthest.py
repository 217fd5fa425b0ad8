"""Nothing found is lost: wherever a search is repeated or divided and a limit cuts it short, the
result is that of the furthest search and the verdicts are those of all. Stages of --engine auto,
races, --bound auto, --split auto, a search that begins again with exact zones, contexts. All limits
are of memory or of states, so that every run ends where it ended before."""
import json
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, LONG, ROOT, SEED, check, crashed, finish, run, run_json, write
from generate import generate

EXAMPLE = os.path.join(ROOT, 'examples')
REGRESS = os.path.join(ROOT, 'test', 'regress')
PHILS = os.path.join(EXAMPLE, 'philosophers', 'phils.mil')
DECIDED = ('holds', 'violated')


def verdicts(claim):
    return {item['name']: item['verdict'] for item in claim.get('properties', [])}


def told(name, *arguments, program=None, env=None):
    """(status, object) of a run that must not crash; the object is None when it failed."""
    result = run(*arguments, '-q', '--json', program=program, env=env)
    try:
        claim = json.loads(result.stdout)
    except ValueError:
        claim = None
    return (check(f'{name}: ends with a result', not crashed(result) and claim is not None,
                  f'{result.returncode} {result.stderr} {result.stdout}')
            and (result.returncode, claim))


# ---- --bound auto ----

def rounds():
    """The story of finding 8: after a violation, --bound auto did not go on with files when memory
    was full."""
    model, guide = os.path.join(REGRESS, 'guide-violation-then-memory.mil'), os.path.join(REGRESS,
        'guide-violation-then-memory.xgdl')
    asked = ('check', model, '--guide', f'{guide}:all', '--bound', 'auto', '--no-deadlock')
    status, all_memory = told('--bound auto', *asked)
    check('--bound auto: in much memory',
          verdicts(all_memory) == {'early': 'violated', 'never': 'holds', 'runtime-error': 'holds'},
          all_memory)
    with_files = 0
    for memory in ('500K', '800K', '900K', '1200K'):
        _, alone = told(f'--bound auto, {memory}, alone', *asked, '-p', 'never', '--memory', memory)
        status, both = told(f'--bound auto, {memory}', *asked, '--memory', memory)
        if alone['complete']:
            check(f'--bound auto, {memory}: what holds alone holds beside a violation',
                  status == 1 and verdicts(both) == verdicts(all_memory), (alone, both))
        check(f'--bound auto, {memory}: not fewer states', both['states'] >= alone['states'],
              (both['states'], alone['states']))
        check(f'--bound auto, {memory}: the violation is kept',
              verdicts(both)['early'] == 'violated')
        with_files += both['complete'] and both['statistics']['order'] == 'p-paths'
        trace = next(item for item in both['properties'] if item['name'] == 'early')['trace']
        check(f'--bound auto, {memory}: its run', trace and len(trace['steps']) == 3, trace)
    check('--bound auto: files were needed', with_files >= 2, with_files)
    status, first = told('--bound auto, --first', *asked, '--memory', '900K', '--first')
    check('--bound auto, --first: no files after the first violation',
          status == 1 and 'searches' not in first['statistics'], first)


# ---- stages ----

def compare_stages(name, claim, truth):
    """The told search is the furthest of those that are listed, and nobody contradicts a search
    without limits."""
    asked = claim.get('properties', [])
    for item in asked:
        right = truth[item['name']]
        check(f'{name}: {item["name"]}', item['verdict'] in ('unknown', right),
              f'{item["verdict"]} instead of {right}')
        has_run = (item['verdict'] != 'violated' or item['trace'] or item.get('state')
                   or item['kind'] == 'ctl')
        check(f'{name}: {item["name"]} has its run', has_run, item)
    searches = claim['statistics'].get('searches', [])
    open_ = not asked or 'unknown' in verdicts(claim).values()
    if searches and open_ and not claim['complete'] and claim['engine'] != 'bounded':
        most = max(int(each['states'] or 0) for each in searches)
        check(f'{name}: the furthest is told', int(claim['states']) == most,
              (claim['states'], searches))
        check(f'{name}: it says so', 'furthest' in claim['statistics']['why_engine'],
              claim['statistics']['why_engine'])
    return len(searches) > 1


def stages():
    """Explicit, bounded, symbolic, bounded: each with the same memory, in models of which some do
    not fit."""
    asked = ('check', PHILS, '-D', 'n=10')
    truth = verdicts(run_json('check', PHILS, '-D', 'n=10', '--engine', 'explicit')[1])
    for memory in ('400K', '700K', '1M', '1300K', '1600K', '2M', '3M'):
        _, claim = told(f'stages, {memory}', *asked, '--memory', memory)
        compare_stages(f'stages, {memory}', claim, truth)
        less = f'{int(memory[:-1]) * (1024 if memory.endswith("M") else 1) - 64}K'
        for engine in ('explicit', 'symbolic'):
            _, alone = told(f'stages, {engine} alone, {memory}', *asked, '--memory', less,
                            '--engine', engine)
            lost = [key for key, verdict in verdicts(alone).items() if verdict in DECIDED
                    and verdicts(claim)[key] != verdict]
            check(f'stages, {memory}: what {engine} decides alone is decided', not lost, lost)
            if not claim['complete'] and claim['engine'] != 'bounded':
                check(f'stages, {memory}: not fewer states than {engine}',
                      claim['states'] >= alone.get('states', 0), (claim['states'], alone))
    text = run(*asked, '--memory', '1M', '-v').stdout
    check('stages: the heading names the engine', 'phils.mil: explicit engine: ' in text,
          text[:200])
    check('stages: -v lists them', all(f'search {i} ' in text for i in (1, 2, 3, 4)), text[:1000])
    check('stages: another engine decided one',
          '1 property was decided by the bounded engine;' in text, text[-700:])
    check('stages: the violation of the first is kept', 'deadlock is violated after' in text,
          text[-700:])


def small_stages():
    """The same on random models, with a first stage of few states (a hook of the sanitized
    build)."""
    several = 0
    for seed in range(1000 * SEED, 1000 * SEED + (200 if LONG else 12)):
        rng = random.Random(seed)
        model = write('staged.mil', generate(seed))
        exact = run_json('check', model, '--engine', 'explicit')[1]
        if not exact or not exact['complete'] and 'unknown' in verdicts(exact).values():
            continue
        truth = verdicts(exact)
        for pause in (3, rng.randrange(4, 60)):
            for memory in ('1M', '300M'):
                name = f'seed {seed}, {pause} states, {memory}'
                both = told(name, 'check', model, '--memory', memory, program=ASAN,
                            env={'CAIRN_PAUSE': f'{pause} 1'})
                several += bool(both) and compare_stages(name, both[1], truth)
    check('some models had several stages', several >= 5, several)


# ---- --split auto ----

def split_in_memory(name, *arguments):
    """Whatever the memory: what the search decides unsplit it decides split, with as many states at
    least."""
    whole = told(name, *arguments, '--order', 'past-freeze')[1]
    parts = 0
    for share in ((0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.02, 1.1, 1.4, 2) if LONG
                  else (0.7, 0.85, 0.95, 1.02, 1.4)):
        memory = int(share * whole['peak_memory_bytes'])
        _, alone = told(f'{name}, {memory} bytes, unsplit', *arguments, '--order', 'past-freeze',
                        '--memory', memory)
        _, claim = told(f'{name}, {memory} bytes, split', *arguments, '--split', 'auto', '--memory',
                        memory)
        lost = [key for key, verdict in verdicts(alone).items() if verdict in DECIDED
                and verdicts(claim).get(key) != verdict]
        check(f'{name}, {memory} bytes: no verdict is lost', not lost, (alone, claim))
        check(f'{name}, {memory} bytes: complete where the unsplit search is',
              claim['complete'] or not alone['complete'], (alone, claim))
        check(f'{name}, {memory} bytes: not fewer states',
              claim['complete'] or claim.get('states', 0) >= alone.get('states', 0), (alone, claim))
        wrong = {key for key, verdict in verdicts(claim).items() if verdict in DECIDED
                 and verdicts(whole)[key] != verdict}
        check(f'{name}, {memory} bytes: no verdict is wrong', not wrong, wrong)
        parts += claim['complete'] and claim['statistics'].get('parts_split', 0) > 0
    return parts


def splits():
    """Parts took 12 MB for files, so that --split auto reached no state at 8M where the unsplit
    search needed 1M."""
    login, timed, contexts = (os.path.join(EXAMPLE, 'device-login', each)
                              for each in ('login.fcr', 'timed.fcr', 'contexts.cdl'))
    many = os.path.join(EXAMPLE, 'contexts')
    parts = split_in_memory('login', 'check', login, '--context', f'{contexts}:devices3', '-D',
                            'n=3')
    parts += split_in_memory('login with time', 'check', timed, '--context',
                             f'{contexts}:deadline2', '-D', 'n=2')
    for name in ('c1', 'c10', 'c27') if LONG else ('c10', 'c27'):
        parts += split_in_memory(name, 'check', os.path.join(many, 'behavior.fcr'), '--context',
                                 os.path.join(many, f'contexts.cdl:{name}'), '-D', 'size=200')
    check('some were split', parts >= 2, parts)


# ---- exact zones ----

def zones():
    """A search with zones that begins again: in little memory, and when the n-th allocation fails,
    which may be in the second search."""
    model = os.path.join(REGRESS, 'timed-begins-again.fcr')
    for memory in range(300, 480, 30):
        _, claim = told(f'zones, {memory}K', 'check', model, '--memory', f'{memory}K')
        searches = claim.get('statistics', {}).get('searches', [])
        check(f'zones, {memory}K: the furthest is told',
              not searches or claim['states'] == max(each['states'] for each in searches), claim)
        check(f'zones, {memory}K: what was found is kept',
              claim.get('states', 0) < 6 or verdicts(claim)['early'] == 'violated', claim)
    cut = 0
    for n in range(100, 900, 10 if LONG else 40):
        both = told(f'zones, allocation {n}', 'check', model, program=ASAN,
                    env={'CAIRN_FAIL_ALLOCATION': str(n)})
        claim = both and both[1] or {}
        searches = claim.get('statistics', {}).get('searches', [])
        cut += claim.get('states', 0) == 904 or len(searches) == 2 and searches[1]['states'] < 1992
        check(f'zones, allocation {n}: the first search is told, at least',
              not searches or claim['states'] >= 904 and verdicts(claim)['early'] == 'violated',
              claim)
    check('zones: the second search was cut', cut, cut)
    again = os.path.join(REGRESS, 'timed-deeper-again.cairn')
    _, claim = told('zones, deeper', 'check', again, '--bound', '4')
    check('zones: of two searches with as many states the one that has expanded more is told',
          (claim['states'], claim['depth'], claim['deadlocks']) == (16, 4, 1), claim)
    timed = (os.path.join(EXAMPLE, 'device-login', 'timed.fcr'), '--context',
             os.path.join(EXAMPLE, 'device-login', 'contexts.cdl:deadline2'), '-D', 'n=2',
             '--order', 'past-freeze')
    one, parts = (told('zones of parts', 'check', *timed, *more)[1]['statistics']['zone_storage']
                  for more in ((), ('--split', 'always')))
    check('zones: parts say how they were kept', one == parts == 'inclusion', (one, parts))


# ---- contexts ----

def contexts_cut():
    """What holds in one context is not called proved when another one could not be searched; what
    was counted stays counted."""
    login, file = (os.path.join(EXAMPLE, 'device-login', each)
                   for each in ('login.fcr', 'contexts.cdl'))
    with open(file, encoding='utf-8') as source:
        text = source.read()
    # only the contexts devices1 and devices4 stay
    for name in ('hasty', 'deadline', 'devices2', 'devices3'):
        text = re.sub(rf'^cdl {name}\w* is \{{$.*?^\}}$', '', text, flags=re.M | re.S)
    two = write('two.cdl', text)
    cut = 0
    for memory in range(450, 1500, 30):
        status, claim = told(f'contexts, {memory}K', 'check', login, '--context', two, '-D', 'n=4',
                             '-p', 'R1_1', '--memory', f'{memory}K')
        if 'contexts' not in claim:
            continue
        searched = ['states' in each for each in claim['contexts']]
        merged, cells = verdicts(claim), [verdicts(each) for each in claim['contexts']]
        if searched == [True, False] and cells[0].get('R1_1') == 'holds':
            cut += 1
            check(f'contexts, {memory}K: not proved for one that was not searched',
                  status == 3 and merged['R1_1'] == 'unknown' and claim['verdict'] == 'unknown',
                  claim)
            check(f'contexts, {memory}K: what was visited is counted',
                  claim['states'] == claim['contexts'][0]['states'], claim['states'])
        check(f'contexts, {memory}K: a verdict of all is one of each',
              merged.get('R1_1') != 'holds' or all(each.get('R1_1') == 'holds' for each in cells),
              claim)
    check('contexts: one was searched and the other was not', cut, cut)


for part in (rounds, stages, small_stages, splits, zones, contexts_cut):
    part()
finish()
