"""Guides as texts that are searched, compared and split: a name that a guide mentions stays one it
knows.

A part of a guide that `cairn guide --split` writes forgot the names it had no place for: it took
"q[0].b" for b, and found states that the whole guide forbids. Here random guides with names of
single processes, `ignore` and names that are allowed no times are split in every way; each written
part must do what its own text says, by brute force, and all of them together what the whole guide
does. Guides are compared (--equal, --within) by what they do to the steps of any model, by brute
force again."""
import itertools
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, LONG, ROOT, SEED, Wrong, check, crashed, finish, path, run, run_json,
                 section, write)
import generate
import guided
import guides

SPLITS = ('alternatives', 'permutations', 'position', 'position=1', 'position=3')
SHAPES = ('one failure', 'one failure', 'beside all', 'any', 'then all', 'finite')
MOST_PARTS = 12


# ---- what is reached, by the program ----

def graph_of(model, *options):
    """({state of the model}, {(state, label of a step, state)}), read from a picture; or None."""
    done = run('translate', model, *options, '--to', 'dot', '-q')
    if done.returncode:
        return None
    states, first = {}, {}
    for name, text in re.findall(r'^  s(\d+) \[label="([^"]*)"', done.stdout, re.M):
        values = dict(first)
        values.update(line.split(' = ', 1) for line in text.split('\\n')[1:] if ' = ' in line)
        values.pop('guide', None)
        first = first or values
        states[name] = tuple(sorted(values.items()))
    edges = re.findall(r'^  s(\d+) -> s(\d+) \[label="([^"]*)"', done.stdout, re.M)
    return set(states.values()), {(states[a], label, states[b]) for a, b, label in edges}


def verdicts(claim):
    return {entry['name']: entry['verdict'] for entry in claim['properties']}


# ---- random guides ----

def random_system(rng, seed):
    kind = rng.choice('mmmfc')
    if kind == 'm':
        system = guided.Milestones(generate.generate(f'guide parts {seed}', temporal=True))
        return system, write('parts.mil', system.text)
    system = guided.Network(rng)
    text = system.fiacre() if kind == 'f' else system.cairn()
    return system, write('parts.fcr' if kind == 'f' else 'parts.cairn', text)


def with_nothing(rng, system, guide):
    """The guide, and some names that may happen no times."""
    names = sorted({name for each in system.rules for name in each} - guide.ignored)
    some = rng.sample(names, min(len(names), rng.choice([0, 0, 1, 2])))
    if not some:
        return guide
    term = re.match(r'guide g = (.*?);\n', guide.text, re.S).group(1)
    tree = guided.guides.par([guide.tree] + [('rep', 0, 0, ('event', name)) for name in some])
    text = ' || '.join([f'({term})'] + [f'"{name}"{rng.choice(["{0}", "{0,0}"])}' for name in some])
    return guided.Guide(tree, text, guide.ignored)


def random_case(rng, seed):
    """(system, model, guide, product with it)"""
    while True:
        seed += '+'
        system, model = random_system(rng, seed)
        names = [each for each in system.rules if each]
        guide = guided.random_guide(rng, names, rng.choice(SHAPES), rng.choice([0.15, 0.5, 0.8]))
        try:
            guide = with_nothing(rng, system, guide)
            return system, model, guide, guided.Product(system, guide, limit=300)
        except guides.TooLarge:
            continue


# ---- parts ----

def alone(tree, ignored):
    """A guide by its own text, as if nobody had heard of a whole."""
    text = ('guide', tree, ignored)
    made = guided.Guide.__new__(guided.Guide)
    made.tree, made.names, made.ignored, made.text = tree, guided.mentioned(tree), set(
        ignored), text
    made.dfa = guides.automaton(tree, 2000)
    return made


def part_fault(model, file, name, product):
    """The search of a part against brute force."""
    code, claim = run_json('explore', model, '--guide', f'{file}:{name}', '-q')
    right = product.counts()
    if code not in (0, 1) or not claim or not claim['complete']: # 1: a step fails
        return f'{name}: status {code}'
    found = {key: claim[key] for key in ('states', 'transitions', 'initial_states')}
    return {key: (name, found[key], right[key]) for key in found if found[key] != right[key]}


def together_fault(whole, parts, in_each_state):
    """Verdicts: what is violated in each state is so in a part if and only if in the whole; a state
    in which the whole is stuck is one in a part, too (but a part may be stuck where another one
    goes on)."""
    found = {name: [] for name in whole}
    for part in parts:
        for name, verdict in verdicts(part).items():
            found[name].append(verdict)
    for name, verdict in whole.items():
        seen = set(found[name])
        if name in in_each_state | {'runtime-error'} and 'unknown' not in seen | {verdict}:
            if (verdict == 'violated') != ('violated' in seen):
                return f'{name}: {verdict}, in parts {found[name]}'
        if name == 'deadlock' and verdict == 'violated' and 'violated' not in seen:
            return f'{name}: {verdict}, in parts {found[name]}'
    return None


def union_fault(case, how):
    """None: it cannot be split in this way; otherwise what is wrong with its parts, or ''."""
    system, model, guide, product = case
    file, parts = write('whole.xgdl', guide.text), path('parts.xgdl')
    done = run('guide', f'{file}:g', '--split', how, '-o', parts, '-q')
    if done.returncode == 2 and 'to split by' in done.stderr:
        return None
    if done.returncode:
        return f'not split: {done.stderr}'
    trees, ignored = guided.Reader(open(parts, encoding='utf-8').read()).file()
    if len(trees) > MOST_PARTS:
        return None
    states, edges, reached = set(), set(), set()
    for name, tree in trees.items():
        part = guided.Product(system, alone(tree, ignored), limit=3000)
        reached |= part.model_states()
        fault = part_fault(model, parts, name, part)
        graph = graph_of(model, '--guide', f'{parts}:{name}')
        if fault or not graph:
            return fault or f'{name}: no picture'
        states, edges = states | graph[0], edges | graph[1]
    if reached != product.model_states():
        return 'by brute force the parts reach other states than the whole guide'
    if (states, edges) != graph_of(model, '--guide', f'{file}:g'):
        return 'the searches of the parts reach other states or steps than that of the whole guide'
    whole, several = (run_json('check', model, '--guide', each, '-q')[1] for each in (file, parts))
    if not whole or not several:
        return 'no result'
    fault = together_fault(verdicts(whole), several['contexts'], system.in_each_state)
    done = run('guide', parts, '--equal', file, program=ASAN if LONG else None)
    return (fault
            or ('' if done.returncode == 0 and not crashed(done) else f'not equal: {done.stdout}'))


def unions(count):
    rng = random.Random(f'guide parts {SEED}')
    wrong, kinds, seed = Wrong('written parts together'), {}, 0
    while wrong.cases < count:
        seed += 1
        case = random_case(rng, f'{SEED} {seed}')
        for how in rng.sample(SPLITS, len(SPLITS)):
            try:
                fault = union_fault(case, how)
            except guides.TooLarge:
                break
            if fault is not None:
                kinds[how] = kinds.get(how, 0) + 1
                wrong.add(fault and f'{how}: {fault}', case[1], path('whole.xgdl'),
                          path('parts.xgdl'))
                break
    wrong.close(count)
    check(f'every kind of split: {kinds}', len(kinds) == len(SPLITS), kinds)


# ---- comparison ----

NAMES = ('a', 'b', 'p.a', 'q.a', 'p.b', 'c')
STEPS = [(process, label) for process in 'pqr' for label in 'abc'] # r has no names of its own


def random_side(rng):
    """([guide], ignored names, text): the guides of a file."""
    ignored = rng.sample(NAMES, rng.choice([0, 0, 1, 2]))
    names = [name for name in NAMES if name not in ignored]
    found, text = [], ''
    for number in range(rng.choice([1, 1, 2, 3])):
        some = rng.sample(names, rng.randint(1, min(3, len(names))))
        shape = rng.randrange(3)
        tree, written, _ = guides.generate(rng, [f'zq{i}z' for i in range(len(some))],
                                           rng.choice([1, 1, 2]))
        if shape == 0: # sides that are often equal
            tree, written = ('star', ('event', 'zq0z')), 'zq0z*'
        tree = guided.real_names(tree, some)
        written = re.sub(r'"?zq(\d+)z"?', lambda match: f'"{some[int(match.group(1))]}"', written)
        for name in rng.sample(names, rng.choice([0, 0, 1])):
            tree = ('par', tree, ('rep', 0, 0, ('event', name)))
            written = f'({written}) || "{name}"{{0}}'
        found.append(alone(tree, ignored))
        text += f'guide g{number} = {written};\n'
    if ignored:
        text += 'ignore ' + ', '.join(f'"{name}"' for name in ignored) + ';\n'
    return found, text


def after(side, states, step):
    """What a step makes of the states of a side's guides; None: forbidden by a guide."""
    following = []
    for guide, state in zip(side, states):
        names = [name for name in (f'{step[0]}.{step[1]}', step[1])
                 if name in guide.names | guide.ignored]
        if state is None or not names:
            following.append(None)
        else:
            following.append(state if names[0] in guide.ignored else guide.dfa[state].get(names[0]))
    return tuple(following)


def difference(one, two, both):
    """The length of a shortest sequence of steps that only one (not both: the first) allows, or
    None."""
    begin = (0,) * len(one), (0,) * len(two)
    seen, level, length = {begin}, [begin], 0
    while level:
        following = []
        for (x, y), step in itertools.product(level, STEPS):
            p, q = after(one, x, step), after(two, y, step)
            is_one, is_two = any(s is not None for s in p), any(s is not None for s in q)
            if is_one != is_two and (is_one or both):
                return length + 1
            if is_one and is_two and (p, q) not in seen:
                seen.add((p, q))
                following.append((p, q))
        level, length = following, length + 1
    return None


def allows(side, word):
    states = (0,) * len(side)
    for name in word:
        process, _, label = name.rpartition('.')
        states = after(side, states, (process or 'r', label))
    return any(state is not None for state in states)


def comparisons(count):
    rng = random.Random(f'guide comparisons {SEED}')
    wrong, held = Wrong('comparisons'), 0
    while wrong.cases < count:
        try:
            (one, first), (two, second) = random_side(rng), random_side(rng)
        except guides.TooLarge:
            continue
        both = rng.random() < 0.5
        files = write('one.xgdl', first), write('two.xgdl', second)
        right = difference(one, two, both)
        code, claim = run_json('guide', files[0], '--equal' if both else '--within', files[1], '-q')
        found = claim and claim['difference']
        fault = code != (0 if right is None else 1) or (found is None) != (right is None)
        if found and not fault:
            sides = (one, two) if found['only_in'] == 'first' else (two, one)
            fault = (len(found['word']) != right or not allows(sides[0], found['word'])
                     or allows(sides[1], found['word']))
        held += right is None
        wrong.add(fault and f'{both} {right} {code} {claim}', *files)
    wrong.close(count)
    check(f'{held} of them hold', held > count // 20, held)


# ---- known cases ----

MODEL = 'test/regress/guide-alphabet.mil'
GUIDES = {name: os.path.join(ROOT, f'test/regress/{file}.xgdl:{name}') for name, file in
          (('w', 'guide-alphabet'), ('i', 'guide-alphabet-ignored'),
           ('zero', 'guide-alphabet-ignored'))}


def known():
    """The findings that this suite began with."""
    for name, how in (('w', 'alternatives'), ('i', 'permutations')):
        parts = path('known.xgdl')
        done = run('guide', GUIDES[name], '--split', how, '-o', parts)
        check(f'{name}: split', done.returncode == 0, done.stderr)
        for guide, title in ((GUIDES[name], 'the whole guide'), (parts, 'its parts')):
            done = run('check', MODEL, '--guide', guide, '-p', 'deadlock', '-q')
            check(f'{name}: {title}', done.returncode == {'w': 1, 'i': 0}[name], done.stdout)
        graphs = [graph_of(MODEL, '--guide', f'{parts}:{name}_{number}') for number in (1, 2)]
        together = tuple(one | two for one, two in zip(*graphs))
        check(f'{name}: states and steps', together == graph_of(MODEL, '--guide', GUIDES[name]),
              together)
        done = run('guide', parts, '--equal', GUIDES[name])
        check(f'{name}: equal', done.returncode == 0 and not done.stderr, done.stdout + done.stderr)
        text = re.sub(r'^let .*\n| \|\| names', '', open(parts, encoding='utf-8').read(),
                      flags=re.M)
        for question, status in (('--equal', 1), ('--within', 1)):
            done = run('guide', write('forgetful.xgdl', text), question, GUIDES[name])
            told = 'does not mention "q[0].b", which counts as b there' in done.stdout
            check(f'{name}: parts that forgot names, {question}',
                  done.returncode == status and told, done.stdout)
        code, claim = run_json('guide', GUIDES[name], '--split', how)
        text = ''.join(f'guide {part["name"]} = {part["term"]};\n' for part in claim['guides'])
        if claim['ignored']:
            text += 'ignore ' + ', '.join(claim['ignored']) + ';\n'
        done = run('guide', write('json.xgdl', text), '--equal', GUIDES[name])
        check(f'{name}: terms of an object', done.returncode == 0 and claim['alphabet'],
              done.stdout)
    done = run('check', MODEL, '--guide', GUIDES['zero'], '-p', 'never', '-q')
    check('what may happen no times does not happen', done.returncode == 0, done.stdout)
    text = 'guide q = a* || b{0,0};\nignore b;\n'
    done = run('check', MODEL, '--guide', write('both.xgdl', text))
    told = "'b' cannot be ignored: the file speaks of it" in done.stderr
    check('what may happen no times is not ignored', done.returncode == 2 and told, done.stderr)
    one, two = write('one.xgdl', 'guide g = b*;\n'), write('two.xgdl',
                                                           'guide g = b* || "q[0].b"{0};\n')
    code, claim = run_json('guide', one, '--equal', two)
    check('equal words, other names',
          code == 1 and claim['difference'] == {'word': ['q[0].b'], 'only_in': 'first'}
          and claim['why']
          == 'g does not mention "q[0].b", which counts as b there; the second one mentions '
          '"q[0].b" and allows it never', claim)
    done = run('guide', one, '--within', write('three.xgdl', 'guide g = (b [] c)*;\n'))
    check('what names do not show',
          done.returncode == 0 and "the guide 'g' does not mention c" in done.stderr, done.stderr)


section(known)
section(unions, 2000 if LONG else 40)
section(comparisons, 5000 if LONG else 250)
finish()
