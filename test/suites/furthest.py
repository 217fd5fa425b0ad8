"""Nothing found is lost: wherever a search is repeated or divided and a limit cuts it short, the result is that of the furthest
search and the verdicts are those of all. Stages of --engine auto, races, --bound auto, --split auto, a search that begins again with
exact zones, contexts. All limits are of memory or of states, so that every run ends where it ended before."""
import json
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, LONG, ROOT, SEED, check, crashed, finish, path, run, run_json, write
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
    return check(f'{name}: ends with a result', not crashed(result) and claim is not None,
                 f'{result.returncode} {result.stderr} {result.stdout}') and (result.returncode, claim)


# ---- --bound auto ----

def rounds():
    """The story of finding 8: after a violation, --bound auto did not go on with files when memory was full."""
    model, guide = os.path.join(REGRESS, 'guide-violation-then-memory.mil'), os.path.join(REGRESS, 'guide-violation-then-memory.xgdl')
    asked = ('check', model, '--guide', f'{guide}:all', '--bound', 'auto', '--no-deadlock')
    status, all_memory = told('--bound auto', *asked)
    check('--bound auto: in much memory', verdicts(all_memory) == {'early': 'violated', 'never': 'holds', 'runtime-error': 'holds'}, all_memory)
    with_files = 0
    for memory in ('500K', '800K', '900K', '1200K'):
        _, alone = told(f'--bound auto, {memory}, alone', *asked, '-p', 'never', '--memory', memory)
        status, both = told(f'--bound auto, {memory}', *asked, '--memory', memory)
        if alone['complete']:
            check(f'--bound auto, {memory}: what holds alone holds beside a violation', status == 1 and verdicts(both) == verdicts(all_memory), (alone, both))
        check(f'--bound auto, {memory}: not fewer states', both['states'] >= alone['states'], (both['states'], alone['states']))
        check(f'--bound auto, {memory}: the violation is kept', verdicts(both)['early'] == 'violated')
        with_files += both['complete'] and both['statistics']['order'] == 'p-paths'
        trace = next(item for item in both['properties'] if item['name'] == 'early')['trace']
        check(f'--bound auto, {memory}: its run', trace and len(trace['steps']) == 3, trace)
    check('--bound auto: files were needed', with_files >= 2, with_files)
    status, first = told('--bound auto, --first', *asked, '--memory', '900K', '--first')
    check('--bound auto, --first: no files after the first violation', status == 1 and 'searches' not in first['statistics'], first)


# ---- stages ----

def compare_stages(name, claim, truth):
    """The told search is the furthest of those that are listed, and nobody contradicts a search without limits."""
    asked = claim.get('properties', [])
    for item in asked:
        right = truth[item['name']]
        check(f'{name}: {item["name"]}', item['verdict'] in ('unknown', right), f'{item["verdict"]} instead of {right}')
        has_run = item['verdict'] != 'violated' or item['trace'] or item.get('state') or item['kind'] == 'ctl'
        check(f'{name}: {item["name"]} has its run', has_run, item)
    searches = claim['statistics'].get('searches', [])
    open_ = not asked or 'unknown' in verdicts(claim).values()
    if searches and open_ and not claim['complete'] and claim['engine'] != 'bounded':
        most = max(int(each['states'] or 0) for each in searches)
        check(f'{name}: the furthest is told', int(claim['states']) == most, (claim['states'], searches))
        check(f'{name}: it says so', 'furthest' in claim['statistics']['why_engine'], claim['statistics']['why_engine'])
    return len(searches) > 1


def stages():
    """Explicit, bounded, symbolic, bounded: each with the same memory, in models of which some do not fit."""
    asked = ('check', PHILS, '-D', 'n=10')
    truth = verdicts(run_json('check', PHILS, '-D', 'n=10', '--engine', 'explicit')[1])
    for memory in ('400K', '700K', '1M', '1300K', '1600K', '2M', '3M'):
        _, claim = told(f'stages, {memory}', *asked, '--memory', memory)
        compare_stages(f'stages, {memory}', claim, truth)
        less = f'{int(memory[:-1]) * (1024 if memory.endswith("M") else 1) - 64}K'
        for engine in ('explicit', 'symbolic'):
            _, alone = told(f'stages, {engine} alone, {memory}', *asked, '--memory', less, '--engine', engine)
            lost = [key for key, verdict in verdicts(alone).items() if verdict in DECIDED and verdicts(claim)[key] != verdict]
            check(f'stages, {memory}: what {engine} decides alone is decided', not lost, lost)
            if not claim['complete'] and claim['engine'] != 'bounded':
                check(f'stages, {memory}: not fewer states than {engine}', claim['states'] >= alone.get('states', 0), (claim['states'], alone))
    text = run(*asked, '--memory', '1M', '-v').stdout
    check('stages: the heading names the engine', 'phils.mil: explicit engine: ' in text, text[:200])
    check('stages: -v lists them', all(f'search {i} ' in text for i in (1, 2, 3, 4)), text[:1000])
    check('stages: another engine decided one', '1 property was decided by the bounded engine;' in text, text[-700:])
    check('stages: the violation of the first is kept', 'deadlock is violated after' in text, text[-700:])


def small_stages():
    """The same on random models, with a first stage of few states (a hook of the sanitized build)."""
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
                both = told(name, 'check', model, '--memory', memory, program=ASAN, env={'CAIRN_PAUSE': f'{pause} 1'})
                several += bool(both) and compare_stages(name, both[1], truth)
    check('some models had several stages', several >= 5, several)


for part in (rounds, stages, small_stages):
    part()
finish()
