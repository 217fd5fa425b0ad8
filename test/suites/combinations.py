"""Every combination of order, space, threads, disk, reduction and hidden variables, on random
models: either it runs, and says what a plain breadth-first search says, or the table of
combinations has a row against it, and it is refused with status 2. A combination that was never run
fails the suite.

The table is that of `cairn --combinations`. A row is about all choices of its first column (`+`,
and one of a list); it does not count when there is a choice of its second column. Models have a
rank, so that all orders are possible, and a guide that allows everything. With time zones are kept
whole: only then do counts not depend on the order.
"""
import collections
import itertools
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ASAN, CAIRN, DEGENERATE, LONG, SEED, check, crashed, finish, folder, run
from lib import told, write
import ranked
import timed_ranks

os.environ['CAIRN_NO_SYNC'] = '1'  # of test builds: nothing here survives the machine anyway

ORDERS = {'breadth': ('--order', 'bfs'), 'depth': ('--order', 'dfs'),
          'best': ('--order', 'best-first'),
          'rank': ('--order', 'past-freeze'), 'points': ('--partition', 'auto'),
          'ranks and points': ('--order', 'past-freeze', '--partition', 'auto'),
          'parts by points': ('--partition', 'auto', '--split', 'always'),
          'positions': ('--partition', 'auto', '--partition-hidden', '--time', '2'),
          'interactions': ('--guide', 'GUIDE', '--bound', 'auto'), 'two-phase': ('--reduce', 'por')}
INFLUENCE = 'hidden variables that influence what can be seen'
COUNTS = ('states', 'transitions', 'initial_states', 'deadlocks')
SEARCHED = ('invariant', 'deadlock', 'runtime-error')  # kinds that every order decides

Cell = collections.namedtuple('Cell', 'order space threads disk reduction hidden')
CELLS = [Cell(*each) for each in itertools.product(
    ORDERS, ('untimed', 'timed'), (1, 2), ('memory', 'disk'), ('whole', 'por'), ('plain', 'hidden'))
    if not (each[0] == 'two-phase' and each[4] == 'por')]  # it is a reduction


# ---- the table ----

def items(text, separators):
    """The choices of a list, as they are written."""
    return [each.strip() for each in re.split(separators, text) if each.strip()]


def rows(last='reason'):
    """[(all of these, one of these or nothing, none of these, reason)], of tables whose last column
    is called so"""
    found = []
    for part in run('--combinations').stdout.split(f'| {last} |')[1:]:
        for line in part.split('###')[0].splitlines()[2:]:
            if not line.startswith('|'):
                continue
            together, unless, reason = [each.strip() for each in line.strip('|').split('|')][:3]
            parts = items(together, r' \+ ')
            lists = [each.removeprefix('one of ') for each in parts if each.startswith('one of ')]
            found.append(([each for each in parts if not each.startswith('one of ')],
                          items(lists[0], ', | and ') if lists else [], items(unless, ', '),
                          reason))
    return found


def choices(cell):
    """What there is in a cell, in words of the table."""
    engine = '`--engine timed`' if cell.space == 'timed' else '`--engine explicit`'
    there = {'a model', 'a search', 'a file', 'a model with a rank', engine,
             *{'breadth': ('`--order`', '`--order bfs`'), 'depth': ('`--order`', '`--order dfs`'),
               'best': ('`--order`', '`--order best-first`'),
               'rank': ('`--order`', '`--order past-freeze`'), 'points': ('`--partition`',),
               'ranks and points': ('`--order`', '`--order past-freeze`', '`--partition`'),
               'parts by points': ('`--partition`', '`--split auto` or `always`',
                                   '`--split always`'),
               'positions': ('`--partition`', '`--partition-hidden`'),
               'interactions': ('`--guide`', '`--guide` and `--bound auto`'),
               'two-phase': ('`--reduce`',)}[cell.order]}
    there |= {'a model with time', '`--zones`'} if cell.space == 'timed' else set()
    there |= {'`--threads`'} if cell.threads > 1 else set()
    there |= {'`--freeze`'} if cell.disk == 'disk' else set()
    there |= {'`--reduce`'} if cell.reduction == 'por' else set()
    there |= {INFLUENCE, 'hidden variables'} if cell.hidden == 'hidden' else set()
    return there


def reason_against(cell, table):
    there = choices(cell)
    for together, one_of, unless, reason in table:
        if (there.issuperset(together) and (not one_of or there.intersection(one_of))
                and not there.intersection(unless)):
            return reason
    return None


# ---- models ----

def hides(text):
    """The same model with a hidden variable, or nothing: it must influence what can be seen."""
    hidden = re.sub(r'^variable "(x1|d)"', r'variable "\1" hidden', text, count=1,
                    flags=re.MULTILINE)
    if hidden == text:
        return None
    result, claim = told('explore', write('hidden.cairn', hidden))
    influences = 'hidden variables influence' in result.stderr
    return hidden if influences or claim and claim.get('complete') is False else None


def draw(rng, space):
    """Files: {'plain', 'hidden', 'guide'}"""
    while True:
        text = (timed_ranks.random_model(rng, most=5) if space == 'timed'
                else ranked.random_model(rng, ranks=rng.choice([2, 3, 5, 8]))[0])
        hidden = hides(text)
        if hidden:
            break
    labels = sorted(set(re.findall(r'^rule "(\w+)"', text, re.MULTILINE)))
    chosen = rng.choice(labels)
    others = [label for label in labels if label != chosen]
    guide = f'guide g = {chosen}*;' + (f' ignore {", ".join(others)};' if others else '')
    return {'plain': write(f'{space}.cairn', text),
            'hidden': write(f'{space}-hidden.cairn', hidden),
            'guide': write(f'{space}.xgdl', guide + '\n')}


def command(cell, files):
    words = ['check', files[cell.hidden], *ORDERS[cell.order]]
    words = [files['guide'] if word == 'GUIDE' else word for word in words]
    timed = cell.space == 'timed'
    if cell.order != 'positions':
        words += ['--engine', 'timed' if timed else 'explicit']
    words += ['--zones', 'equal'] if timed else []
    words += ['--threads', str(cell.threads)] if cell.threads > 1 else []
    words += ['--reduce', 'por'] if cell.reduction == 'por' else []
    words += ['--freeze', folder()] if cell.disk == 'disk' else []
    return words


# ---- what must be the same ----

def verdicts(claim):
    return {p['name']: p['verdict'] for p in claim['properties']}


def wrong_verdicts(cell, ours, plain):
    """A verdict that is not that of the plain search; unknown only where an order cannot know."""
    expected = verdicts(plain)
    return [(p['name'], p['verdict'], expected[p['name']]) for p in ours['properties']
            if p['verdict'] != expected[p['name']]
            and (p['verdict'] != 'unknown' or p['kind'] in SEARCHED)]


def fault(cell, ours, plain):
    """What is wrong with what a cell says, beside a breadth-first search of the whole model."""
    reduced = 'two-phase' in cell or 'por' in cell
    if cell.order == 'positions':  # p-paths may be missing: what is found is there, no more
        expected = verdicts(plain)
        wrong = [name for name, verdict in verdicts(ours).items()
                 if verdict not in ('unknown', expected[name])]
        return wrong or (ours['complete'] and 'more is claimed than a hidden position allows')
    if cell.hidden == 'hidden':
        if ours['complete'] or 'holds' in verdicts(ours).values():
            return 'more is claimed than hidden variables allow'
        expected = verdicts(plain)
        wrong = [name for name, verdict in verdicts(ours).items()
                 if verdict == 'violated' and expected[name] == 'holds']
        return wrong or (ours['states'] > plain['states'] and 'more states than there are')
    if ours['complete'] != plain['complete']:
        return f'complete: {ours["complete"]}'
    differ = {key: (ours[key], plain[key]) for key in COUNTS if ours[key] != plain[key]}
    if reduced:
        differ = 'more states than there are' if ours['states'] > plain['states'] else ''
    return differ or wrong_verdicts(cell, ours, plain)


def wrong_note(cell, text, alone):
    """Whether one thread searched, and the reason was not told; or it was, and is none."""
    why = re.search('--threads: one thread, because (.*)', text)
    if alone[cell]:
        return '' if why and why[1] == alone[cell] else f'not told: {alone[cell]}'
    return why and f'told, though it has several: {why[1]}'


def examine(cell, files, plain, reason, program, alone):
    """The fault of one run, or nothing; and whether it ran."""
    words = command(cell, files)
    result, ours = told(*words, program=program)
    if crashed(result):
        return f'{result.returncode} {result.stderr[-500:]}', False
    if reason:
        good = result.returncode == 2 and 'error' in result.stderr
        return '' if good else f'not refused, though {reason}: status {result.returncode}', False
    if not ours or 'states' not in ours:
        return f'no result: {result.returncode} {result.stderr[-400:]}', False
    return fault(cell, ours, plain) or wrong_note(cell, result.stderr, alone), True


def text_of(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def main():
    table, threads = rows(), rows('because')
    reasons = {cell: reason_against(cell, table) for cell in CELLS}
    alone = {cell: reason_against(cell, threads) for cell in CELLS}
    ran, faults = collections.Counter(), collections.defaultdict(list)
    for seed in range(60 if LONG else 6):
        rng = random.Random(f'combinations {SEED} {seed}')
        program = (CAIRN, DEGENERATE, ASAN)[seed % 3]
        for space in ('untimed', 'timed'):
            files = draw(rng, space)
            first = next(cell for cell in CELLS if cell.space == space)  # breadth-first, plain
            _, plain = told(*command(first, files))
            if not check(f'{space} {seed}: a plain search', plain and plain['complete'], plain):
                continue
            for cell in CELLS:
                if cell.space != space or reasons[cell] and seed > 1:
                    continue  # refusals do not depend on the model
                wrong, did_run = examine(cell, files, plain, reasons[cell], program, alone)
                ran[cell] += did_run
                if wrong:
                    faults[cell].append('\n'.join([str(wrong), *command(cell, files),
                                                   text_of(files[cell.hidden])]))
    for cell in CELLS:
        name = ' '.join(map(str, cell))
        check(f'{name}: as breadth-first' if not reasons[cell] else f'{name}: refused',
              not faults[cell], f'{len(faults[cell])} wrong: {faults[cell][:1]}')
        if not reasons[cell]:
            check(f'{name}: it was run', ran[cell])
    check('some are refused, and some are not', 10 < sum(map(bool, reasons.values())) < len(CELLS))


main()
finish()
