"""Models as UPPAAL's and TChecker's text (translate --to xta, q, tck), read back: the same states,
transitions, run-time errors and verdicts. With time: the same discrete states and verdicts; the
same zone graphs where nothing has a time interval. What is refused is refused with its reason.

Twins: the timed automata of the corpus have the same zone graphs as .tck, as the .xta made from it,
and as a .tck made from it. Examples, models of the corpus (CORPUS: another folder than
../shared/corpus) and random ones. LONG=1: more of them; SEED shifts the random ones.
"""
import glob
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, ROOT, SEED, check, finish, path, run, run_json, section, write
from generate import generate
from fiacre.generate import draw as draw_fiacre
from fiacre.generate_timed import draw as draw_timed
from uppaal.generate import draw as draw_uppaal, xta

CORPUS = os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus'))
TIME = '60s' if LONG else '10s'
seen = {}  # how often: what became of a model


def explored(model, *options):
    """Sizes of the state space; None: it was not searched whole."""
    _, result = run_json('explore', model, '--zones', 'equal', '--time', TIME, *options)
    if not result or not result['complete']:
        return None
    more = result['statistics']
    return {'states': result['states'], 'transitions': result['transitions'],
            'discrete': more.get('discrete_states'), 'errors': more.get('runtime_errors')}


def asked(file):
    """Names of the properties of a query file, in their order: those that are not left out."""
    with open(file, encoding='utf-8') as queries:
        lines = queries.read().splitlines()
    return [re.match(r'// ([^:]*)', name)[1] for name, query in zip(lines[::2], lines[1::2])
            if not query.startswith('//')]


def compare_verdicts(name, model, export, options):
    query = export[:-len('xta')] + 'q'
    names = asked(query)
    if not names:
        return
    _, ours = run_json('check', model, '--time', TIME, *options)
    _, theirs = run_json('check', export, '--queries', query, '--time', TIME)
    if not check(f'{name}: verdicts', ours and theirs, (ours is None, theirs is None)):
        return
    known = {each['name']: each for each in ours['properties']}
    said = [each for each in theirs['properties'] if each['kind'] == 'query']
    check(f'{name}: every query is asked', len(said) == len(names), (len(said), names))
    for key, query in zip(names, said):
        if key not in known:  # a deadlock that was not asked for
            continue
        ours = known[key]['verdict'], known[key].get('values')
        theirs = query['verdict'], query.get('values')
        check(f'{name}: {key}', ours == theirs or 'unknown' in (ours[0], theirs[0]),
              f'{ours} in the model, {theirs} in the text')


def compare(name, model, to='xta', *options, zones=True):
    """What became of it: 'refused', 'large', 'same', or 'discrete' (other zones)."""
    export = path('export.' + to)
    done = run('translate', model, '--to', to, '-o', export, *options)
    if done.returncode:
        check(f'{name}: refused by {to} with a reason',
              done.returncode == 2 and f'cannot be translated to {to}: ' in done.stderr,
              f'{done.returncode} {done.stderr}')
        check(f'{name}: nothing is written', not os.path.getsize(export))
        return count('refused ' + to)
    ours, theirs = explored(model, *options), explored(export)
    if not ours:
        return count('large')
    if not check(f'{name}: {to} is read back', theirs is not None,
                 run('check', export, '--time', TIME).stderr):
        return 'bad'
    if to == 'tck':  # what fails is no step there
        ours['errors'] = theirs['errors'] = None
    same = ours == theirs
    is_right = (ours['discrete'] == theirs['discrete'] if ours['discrete'] and not zones
                else same)
    check(f'{name}: the states as {to}', is_right, f'{ours}\n{theirs}')
    if to == 'xta':
        compare_verdicts(name, model, export, options)
    return count(('same ' if same else 'discrete ') + to)


def count(what):
    seen[what] = seen.get(what, 0) + 1
    return what.split()[0]


def has_intervals(model):
    return model.endswith('.fcr')


def examples():
    """All that are exported, and why others are not."""
    for model in sorted(glob.glob(os.path.join(ROOT, 'examples', '*', '*'))):
        if not model.endswith(('.mil', '.fcr', '.xml')) or model.endswith('cp.mil'):
            continue
        for to in ('xta', 'tck'):
            compare('/'.join(model.split('/')[-2:]), model, to, zones=not has_intervals(model))
    check('most examples are written as XTA', seen.get('same xta', 0) > 14, seen)


def twins():
    """The zone graphs of TChecker's models, by every text."""
    for model in sorted(glob.glob(os.path.join(CORPUS, 'tck', '*.tck'))):
        name = os.path.basename(model)[:-len('.tck')]
        for to in ('xta', 'tck'):
            found = compare(f'twin {name}', model, to)
            check(f'twin {name}: the same zone graph as {to}', found == 'same', found)


def corpus():
    """Models of UPPAAL and Fiacre with known verdicts: those that are searched in a moment."""
    small = ('demo-bridge.xml', 'demo-fischer-n3.xml', 'demo-interrupt*.xml', 'docs-LightContr.xml',
             'demo-train-gate-n3.xml', 'epos-*.xml', 'logica-*.xml', 'pyuppaal-*.xml', 'gear-*.xml',
             'xta-*.xta', 'orders-*.xml', 'testgen-*.xml')
    names = ('*.xml', '*.xta', '*.ta') if LONG else small
    for pattern in names:
        for model in sorted(glob.glob(os.path.join(CORPUS, 'uppaal', pattern))):
            if run('explore', model, '--time', '1s').returncode == 0:
                compare(os.path.basename(model), model, zones=False)


def drawn():
    """Random models of all languages."""
    for seed in range(1 + 10000 * SEED, 1 + 10000 * SEED + (300 if LONG else 4)):
        for name, text, ending in (('Milestones', generate(seed), 'mil'),
                                   ('Fiacre', draw_fiacre(seed)[0], 'fcr'),
                                   ('timed Fiacre', draw_timed(seed)[0], 'fcr'),
                                   ('UPPAAL', xta(draw_uppaal(seed)), 'xta'),
                                   ('tck', network(seed), 'tck')):
            model = write('drawn.' + ending, text)
            if run('explore', model, '--time', TIME).returncode not in (0, 1):
                continue
            for to in ('xta', 'tck'):
                compare(f'{name} {seed}', model, to, zones=name not in ('timed Fiacre', 'UPPAAL'))
    for kind in ('same xta', 'same tck', 'refused xta', 'refused tck'):
        check(f'random models: {kind}', seen.get(kind, 0) > 1, seen)


def network(seed):
    zones = os.path.join(ROOT, 'test', 'suites', 'zones.py')
    return subprocess.run([sys.executable, zones, '--print', str(seed)], capture_output=True,
                          text=True).stdout


# ---- meta variables ----

META = '''meta int[0,9] m;
int[0,3] v;
clock x;
void add() { m = 1; m = m + v; v = m > 3 ? 0 : m; }
process P() {
    state A { x <= 2 }, B;
    init A;
    trans A -> A { guard x >= 1; assign MORE, x = 0; }, A -> B { assign m = 5; };
}
system P;
'''


def meta():
    """Hidden where every step that reads them has assigned them before."""
    for more, hidden in (('add()', True), ('m = v, v = m', True), ('v = (v + 1) % 4', True),
                         ('v = m > 3 ? 0 : m, m = 1', False)):
        model = write('meta.xta', META.replace('MORE', more))
        plain = write('plain.xta', META.replace('MORE', more).replace('meta ', ''))
        said = run('explore', model).stderr
        ours, others = explored(model), explored(plain)
        check(f'meta, {more}: told where it is none', ('reads the meta variable' in said) != hidden,
              said)
        check(f'meta, {more}: states', ours and (ours['discrete'] < others['discrete']) ==
              (more == 'add()'), (ours, others))
        check(f'meta, {more}: with its position', hidden or 'meta.xta:1:15: warning' in said, said)
        compare(f'meta, {more}', model, 'xta')
    asks = run('check', write('meta.xta', META.replace('MORE', 'add()')), '--query', 'E<> m == 5')
    check('a query that reads a meta variable is not answered', asks.returncode == 2
          and 'hidden' in asks.stderr, f'{asks.returncode} {asks.stderr}')


section(examples)
section(twins)
section(corpus)
section(drawn)
section(meta)
print(', '.join(f'{seen[what]} {what}' for what in sorted(seen)))
finish()
