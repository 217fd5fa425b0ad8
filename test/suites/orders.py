"""Execution orders (--show orders): counted exactly, against an enumeration of words.

Of random models with and without time the graph is read (translate --to aut), and words are
enumerated on it by brute force, one by one with the states that each leads to; where there are
infinitely many, up to a length. Of timed models it is asked in another way, too, without that
graph: a variable has the word as a number, and one search by inclusion says which numbers are
reached: all that were listed, and none that continues them otherwise. Then known answers, numbers
of any size, limits, and what is refused.
"""
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, ROOT, SEED, check, crashed, finish, refuses, run,
                 section, told, write)
from generate import generate
from timed_ranks import random_model

SCHEDULING = os.path.join(ROOT, 'examples/scheduling/scheduling.mil')
MOST = 300  # words that are enumerated


def read_graph(model):
    """Initial states, and per state its edges: (label and processes, to)."""
    text = run('translate', model, '--to', 'aut').stdout
    edges = {}
    for source, label, to in re.findall(r'(?m)^\((\d+), "(.*)", (\d+)\)$', text):
        edges.setdefault(int(source), []).append((label, int(to)))
    starts = [to for label, to in edges.get(0, []) if label == 'i']
    return starts or [0], edges


def close(states, edges, labels):
    """All that steps that are no p-points lead to."""
    todo, seen = list(states), set(states)
    while todo:
        for label, to in edges.get(todo.pop(), []):
            if label.split()[0] not in labels and to not in seen:
                seen.add(to)
                todo.append(to)
    return seen


def enumerate_words(starts, edges, labels, most):
    """The first words, the shortest first, each with whether it is maximal; and whether these are
    all. Nothing is remembered but the words themselves."""
    words, at = [((), close(starts, edges, labels))], 0
    ends = []
    while at < len(words) and len(words) <= most:
        word, states = words[at]
        at += 1
        after = {}
        for state in states:
            for label, to in edges.get(state, []):
                if label.split()[0] in labels:
                    after.setdefault(label, set()).add(to)
        ends.append(not after)
        words += [(word + (label,), close(to, edges, labels)) for label, to in after.items()]
    return [word for word, _ in words], ends, at == len(words)


def count_by_sets(starts, edges, labels):
    """How many words, how many maximal ones: by sets of states, where words are too many."""
    first = frozenset(close(starts, edges, labels))
    after, todo = {}, [first]
    while todo:
        states = todo.pop()
        if states in after:
            continue
        steps = {}
        for state in states:
            for label, to in edges.get(state, []):
                if label.split()[0] in labels:
                    steps.setdefault(label, set()).add(to)
        after[states] = [frozenset(close(to, edges, labels)) for to in steps.values()]
        todo += after[states]
    ends = {states for states in after if not after[states]}
    useful = set(ends)  # that lead to an end
    while any(states not in useful and useful & set(after[states]) for states in after):
        useful |= {states for states in after if useful & set(after[states])}

    def count(kept, is_end):
        """Ways through these sets; 'infinite' when there is a cycle among them."""
        known = {}
        while len(known) < len(kept):
            ready = [s for s in kept if s not in known
                     and all(to in known for to in after[s] if to in kept)]
            if not ready:
                return 'infinite'
            for s in ready:
                known[s] = is_end(s) + sum(known[to] for to in after[s] if to in kept)
        return known.get(first, 0)
    return count(set(after), lambda s: 1), count(useful, lambda s: s in ends)


seen = {'finite': 0, 'infinite': 0, 'many': 0, 'timed': 0, 'asked': 0}


def shown(claim):
    return [(tuple(w['p_path']), w['maximal'])
            for w in claim['statistics']['execution_orders'].get('words', [])]


def differs(model, labels, more, program):
    result, claim = told('explore', model, '--partition', ','.join(labels), '--show', 'orders',
                         '--words', str(MOST), *more, program=program)
    if crashed(result) or claim is None or not claim['complete']:
        return f'no answer: {result.returncode} {result.stderr[-500:]}', None
    orders = claim['statistics']['execution_orders']
    starts, edges = read_graph(model)
    words, ends, is_all = enumerate_words(starts, edges, labels, MOST)
    ours = (len(words), sum(ends)) if is_all else count_by_sets(starts, edges, labels)
    if (orders['all'], orders['maximal']) != ours:
        return f'{orders}, enumerated {ours}', claim
    if is_all:
        _, slow = told('explore', model, '--partition', ','.join(labels), '--show',
                       'enumerated-orders', *more, program=program)
        if slow['statistics']['execution_orders'] != {k: orders[k] for k in ('maximal', 'all')}:
            return f'{orders}, one by one {slow["statistics"]["execution_orders"]}', claim
    # a letter is a p-point: names differ, lengths and numbers of words must not
    lengths = sorted(len(word) for word in words)[:len(shown(claim))]
    if [len(word) for word, _ in shown(claim)] != lengths or (is_all and len(lengths) < len(words)
                                                              and len(words) <= MOST):
        return f'listed {shown(claim)[:5]} ..., enumerated {words[:5]} ...', claim
    if is_all and sum(maximal for _, maximal in shown(claim)) != sum(ends):
        return 'other words are maximal', claim
    seen['finite'] += is_all
    seen['infinite'] += orders['all'] == 'infinite'
    seen['many'] += len(words) > 20
    return '', claim


def labels_of(model):
    return sorted({label.split()[0] for out in read_graph(model)[1].values() for label, _ in out
                   if label != 'i' and ',' not in label and label.split()[0] != label})


def untimed(program, count, name, rng):
    wrong, done = [], 0
    while done < count:
        model = write('random.mil', generate(rng.randrange(10 ** 6), temporal=False))
        labels = labels_of(model)
        if not labels:
            continue
        done += 1
        labels = rng.sample(labels, rng.randint(1, min(3, len(labels))))
        fault, _ = differs(model, labels, rng.choice([(), ('--threads', '3')]), program)
        if fault:
            wrong.append((fault, labels, open(model).read()))
    check(f'{name}: {count} random models, orders against enumerated words', not wrong, wrong[:1])


# ---- with time ----

def with_history(text, points):
    """A variable has the word as a number. Only letters in `points` count."""
    base, letters = len(points) + 1, {label: i + 1 for i, label in enumerate(points)}

    out = []
    for one in text.split('\n'):
        found = re.match(r'rule "(\w+)"', one)
        if found and found.group(1) in letters:
            at = re.search(r'interval|guard|reset|class', one)
            at = at.start() if at else len(one)
            one = (f'{one[:at]} set "word" (mod 0 (add 0 (mul 0 "word" {base}) '
                   f'{letters[found.group(1)]}) 100000000001) {one[at:]}')
        if not one.startswith('property'):
            out.append(one)
    at = next(i for i, one in enumerate(out) if one.startswith('variable'))
    out.insert(at, 'variable "word" 0..100000000000 = 0')
    return '\n'.join(out) + '\n', base, letters


def ask_history(text, points, claim):
    """Whether exactly the listed words are reached, when they are all."""
    words = [word for word, _ in shown(claim)]
    if len(words) >= MOST or len(words) * len(points) > 400:
        return ''
    changed, base, letters = with_history(text, points)
    number = {(): 0}
    for word in words[1:]:
        number[word] = number[word[:-1]] * base + letters[word[-1].split('.')[-1]]
    if len(set(number.values())) < len(words):
        return ''  # two p-points with one label
    asked = {n: True for n in number.values()}
    for n in list(asked):
        for letter in letters.values():
            asked.setdefault(n * base + letter, False)
    finds = [option for n in asked for option in ('--find', f'(eq "word" {n})')]
    result, answer = told('check', write('history.cairn', changed), '--engine', 'timed', *finds)
    if answer is None or 'properties' not in answer:
        return f'no answer: {result.stderr[-500:]}'
    wrong = [(n, p['verdict']) for (n, is_word), p in zip(asked.items(), answer['properties'])
             if p['verdict'] != ('holds' if is_word else 'violated')]
    seen['asked'] += len(asked)
    return f'reached otherwise: {wrong[:5]}' if wrong else ''


def timed(program, count, name, rng):
    wrong = []
    for _ in range(count):
        text = random_model(rng, most=5)
        model = write('random.cairn', text)
        ranked = sorted(set(re.findall(r'rule "(e\w+)"', text)))
        every = ranked + sorted(set(re.findall(r'rule "(s\d)"', text)))
        points = ranked if ranked and rng.random() < 0.6 else rng.sample(every,
                                                                         min(2, len(every)))
        more = ('--engine', 'timed') + rng.choice([(), ('--threads', '3'), ('--zones', 'equal')])
        fault, claim = differs(model, points, more, program)
        if not fault and points == ranked:
            fault = ask_history(text, points, claim)
        seen['timed'] += 1
        if fault:
            wrong.append((fault, points, text))
    check(f'{name}: {count} random timed models, orders against enumerated words and against what '
          'a variable remembers', not wrong, wrong[:1])


rng = random.Random(f'orders {SEED}')
section(untimed, CAIRN, 400 if LONG else 25, 'release', rng)
# The degenerate program has the sanitizers, too.
if LONG:
    section(untimed, ASAN, 60, 'sanitized', rng)
section(timed, CAIRN, 400 if LONG else 40, 'release', rng)
section(timed, DEGENERATE, 100 if LONG else 5, 'degenerate', rng)
check('... and they say something', min(seen.values()) > 2, seen)

# ---- known answers ----

_, claim = told('explore', SCHEDULING, '-D', 'n=6', '-D', 'jitter=6', '--partition', 'run',
                '--show', 'orders')
check('scheduling has 1,018 execution orders',
      claim and claim['statistics']['execution_orders'] == {'maximal': 1018, 'all': 4150}
      and claim['states'] == 137990, claim and claim['statistics'])

_, slow = told('explore', SCHEDULING, '-D', 'n=6', '-D', 'jitter=6', '--partition', 'run',
               '--show', 'enumerated-orders')
check('... also one by one, with more states',
      slow['statistics']['execution_orders'] == {'maximal': 1018, 'all': 4150}
      and slow['statistics']['order_states'] > 137990, slow['statistics'])

BITS = 80
bits = write('bits.cairn', '\n'.join(
    ['cairn 1 model "bits" process "p" type "P"', f'variable "n" of "p" 0..{BITS} = 0']
    + [f'rule "{label}" part "p" when (lt "n" {BITS}) set "n" (mod 0 (add 0 "n" 1) {BITS + 1})'
       for label in ('a', 'b')]))
_, claim = told('explore', bits, '--partition', 'a,b', '--show', 'orders', '--words', '7')
orders = claim['statistics']['execution_orders']
check('numbers of any size',
      (orders['all'], orders['maximal']) == (str(2 ** (BITS + 1) - 1), str(2 ** BITS)), orders)
check('... and the first words, the shortest first',
      [word['p_path'] for word in orders['words']]
      == [[], ['a'], ['b'], ['a', 'a'], ['a', 'b'], ['b', 'a'], ['b', 'b']], orders)
text = run('explore', bits, '--partition', 'a,b', '--show', 'orders', '--words', '4').stdout
check('... as text', re.search(r'maximal orders +1208925819614629174706176 ', text)
      and '\n                  a a\n' in text, text)

# Both words end at once in x = 2; a zone that stood for the other would have c after b.
CLOCKED = write('clocked.cairn', '''cairn 1 model "clocked" clock "k"
process "p" type "P" pc "x" location 0 location 1 location 2
variable "x" of "p" 0..2 = 0
rule "a" part "p" when (eq "x" 0) set "x" 1 guard "k" <= 1
rule "b" part "p" when (eq "x" 0) set "x" 1 guard "k" >= 3
rule "c" part "p" when (eq "x" 1) set "x" 2 guard "k" <= 2
''')
_, claim = told('explore', CLOCKED, '--partition', 'a,b,c', '--show', 'orders', '--words', '9')
check('clocks forbid an order', shown(claim) == [((), False), (('a',), False), (('b',), True),
                                                 (('a', 'c'), True)], shown(claim))
_, claim = told('explore', bits, '--partition', 'p.a', '--show', 'orders')
check('what is no p-point is silent',
      claim['statistics']['execution_orders'] == {'maximal': 1, 'all': BITS + 1},
      claim['statistics']['execution_orders'])

# a for ever, or b and then the end: infinitely many p-paths, two of which end
ESCAPE = write('escape.cairn', '''cairn 1 model "escape" process "p" type "P"
variable "x" of "p" 0..3 = 0
rule "a" part "p" when (eq "x" 0) set "x" 1
rule "a" part "p" when (eq "x" 1) set "x" 1
rule "b" part "p" when (eq "x" 0) set "x" 2
rule "c" part "p" when (eq "x" 2) set "x" 3
rule "d" part "p" when (eq "x" 2) set "x" 3
''')
_, claim = told('explore', ESCAPE, '--partition', 'a,b,c,d', '--show', 'orders')
check('infinitely many p-paths may have few ends',
      claim['statistics']['execution_orders'] == {'maximal': 2, 'all': 'infinite'},
      claim['statistics']['execution_orders'])
_, claim = told('explore', write('leave.cairn', open(ESCAPE).read() + '''
rule "b" part "p" when (eq "x" 1) set "x" 2'''), '--partition', 'a,b,c,d', '--show', 'orders')
check('... or infinitely many',
      claim['statistics']['execution_orders'] == {'maximal': 'infinite', 'all': 'infinite'},
      claim['statistics']['execution_orders'])

# ---- limits and what is refused ----

result, claim = told('explore', SCHEDULING, '-D', 'n=6', '-D', 'jitter=6', '--partition', 'run',
                     '--show', 'orders', '--memory', '7M')
check('without enough memory nothing is said',
      result.returncode == 3 and not claim['complete']
      and claim['statistics']['execution_orders'] == {'maximal': None, 'all': None}, claim)
result, claim = told('explore', ESCAPE, '--partition', 'a,b', '--show', 'enumerated-orders',
                     '--memory', '2M')
check('... nor one by one where there is no end',
      result.returncode == 3 and claim['statistics']['execution_orders']['all'] is None, claim)
for n in range(1, 700, 3 if LONG else 37):
    for what in ('orders', 'enumerated-orders'):
        result, claim = told('explore', CLOCKED, '--partition', 'a,b,c', '--show', what,
                             program=DEGENERATE, env={'CAIRN_FAIL_ALLOCATION': str(n)})
        check(f'{what}: allocation {n} fails',
              not crashed(result) and result.returncode in (0, 3)
              and (claim is None or not claim['complete']
                   or claim['statistics']['execution_orders'] == {'maximal': 2, 'all': 4}),
              (result.returncode, result.stderr[-300:], claim))
refuses('orders need p-points', '--partition', 'explore', bits, '--show', 'orders')
refuses('a hidden position misses p-paths', '--partition-hidden', 'explore', bits, '--partition',
        'a', '--partition-hidden', '--show', 'orders')
refuses('inclusion of zones adds orders', '--zones equal', 'explore', CLOCKED, '--partition', 'a',
        '--zones', 'inclusion', '--show', 'orders')
refuses('what is enumerated is not listed', '--show orders', 'explore', bits, '--partition', 'a',
        '--show', 'enumerated-orders', '--words', '3')
refuses('words of what', '--show orders', 'explore', bits, '--words', '3')
refuses('orders are counted by explore', '--show', 'check', bits, '--partition', 'a', '--show',
        'orders')
finish()
