"""UPPAAL models. Small ones with answers worked out by hand, for the oracle and for Cairn. Random
ones, as XTA and as XML: verdicts of every kind of query, run-time errors, first states that there
are not, against the graph of regions of test/oracle/uppaal, which shares nothing with Cairn. Runs
that are shown must replay. Queries come from the XML, from a file, or by `--query`. Some models
also with `--zones equal`, and in the sanitized program.

CASES is the number of models, SEED shifts them; FIRST=n begins with another one. SHRINK=1 makes
wrong ones small before they are printed, SAVE=FOLDER writes them there. The oracle is compared with
itself, too: its regions with its zones, and with whole moments where these must be enough. Models
that are plain enough are also written as one automaton in the model's own text.
"""
import copy
import os
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, SEED, check, crashed, finish, path, section, told,
                 run, write)
from uppaal.by_hand import CASES as BY_HAND
from uppaal.flat import Flat
from uppaal.generate import draw, xml, xta
from uppaal.regions import NoState, Regions, TooLarge
from uppaal.shrink import shrink
from uppaal.symbolic import Zones
from uppaal.syntax import Refused, read_declarations, read_query
from uppaal.system import System

CASES = int(os.environ.get('CASES', 3000 if LONG else 60))
FIRST = int(os.environ.get('FIRST', 100000 * SEED))
LARGE = 2500 # regions of a model that is left out
SUPREMA = 24 # clocks are followed up to here where their largest value is asked

# What Cairn may refuse, as parts of its messages.
MAY_REFUSE = ('does not go together with priorities',)


def clocks_asked(system, queries):
    """Clocks whose largest or smallest value is asked, as the oracle wants to know them."""
    found = {}
    for query in queries:
        if query[0] in ('sup', 'inf', 'bounds'):
            for tree in query[2]:
                value = system.evaluate(tree, system.globals)
                if hasattr(value, 'number'):
                    found[value.number] = SUPREMA
    return found


def expect(model, moments=False):
    """What is true: (verdicts or values, whether a step fails), or None: it is too large."""
    system = System(read_declarations(xta(model)))
    queries = [read_query(text) for text in model.queries]
    system.load(system.first_state())
    graph = Regions(system, LARGE, moments, clocks_asked(system, queries), queries)
    return [graph.decide(query) for query in queries], bool(graph.failures)


def files(model, as_xml, unit):
    """Arguments for the model and its queries."""
    if as_xml:
        return [write('model.xml', xml(model, model.queries, unit))]
    written = write('model.xta', xta(model, unit))
    if len(model.queries) % 3 == 0:
        return [written] + [word for query in model.queries for word in ('--query', query)]
    return [written, '--queries', write('model.q', '\n'.join(model.queries) + '\n')]


def is_value(kind, right, said, unit):
    """Whether the result says of a largest or smallest value what the oracle knows: a number, or
    as of clocks "<= 5", "> 3", "infinite"; null when there is none."""
    if right is None or isinstance(said, int) or said is None:
        return said == (right and right[0])
    if right == 'large':
        return said == 'infinite' or int(said.split()[-1]) > SUPREMA * unit
    number, is_reached = right
    if kind == 'inf' and number == SUPREMA and not is_reached:
        return int(said.split()[-1]) >= SUPREMA * unit # followed so far, and no further
    sign = {'sup': '<', 'inf': '>'}[kind] + '=' * is_reached
    return said == f'{sign} {number * unit}'


def wrong_values(text, expected, property_, unit):
    kind = text.split(':')[0].split('{')[0].strip()
    terms = [term.strip() for term in text.rsplit(':', 1)[1].split(',')]
    kinds = ('inf', 'sup') if kind == 'bounds' else (kind,)
    said = property_.get('value') or {}
    if property_['verdict'] == 'unknown' and ['large'] in [each[-1:] for each in expected]:
        return None # that a clock has no largest value is not always proved
    for term, rights in zip(terms, expected):
        for each, right in zip(kinds, rights):
            if term not in said or each not in said[term]:
                return f'{text}: no {each} of {term} in {said}'
            if not is_value(each, right, said[term][each], unit):
                return f'{text}: {each} of {term} is {said[term][each]} instead of {right}'
    verdict = property_['verdict']
    return None if verdict == 'holds' else f'{text}: {verdict}, but it has values'


def wrong_query(text, expected, property_, unit=1):
    verdict = property_['verdict']
    if isinstance(expected, bool):
        right = 'holds' if expected else 'violated'
        return None if verdict == right else f'{text}: {verdict} instead of {right}'
    return wrong_values(text, expected, property_, unit)


def faults(model, as_xml, unit=1, program=CAIRN, options=()):
    """What is wrong with Cairn's answer: a list of (kind, text); None: nothing to compare."""
    try:
        expected, fails = expect(model)
    except TooLarge:
        return None
    except NoState:
        expected = None
    trace = path('model.itf.json')
    if os.path.exists(trace):
        os.remove(trace)
    result, ours = told('check', *files(model, as_xml, unit), '--skip-unsupported', '--trace',
                        trace, *options, program=program, timeout=300)
    if crashed(result) or result.returncode == 4:
        return [('crash', f'{result.returncode} {result.stderr[-1500:]}')]
    if result.returncode == 2:
        if expected is None or any(words in result.stderr for words in MAY_REFUSE):
            return None
        return [('refused', result.stderr[:600])]
    found = []
    if ours is None:
        return [('no object', result.stdout[:300])]
    if expected is None: # refused, or of clocks: there are no states
        return [('first state', f'there is none: {ours["states"]}')] if ours['states'] else None
    by_text = {}
    for property_ in ours['properties']:
        by_text.setdefault(property_['text'].strip(), property_)
        if property_['kind'] == 'runtime-error' and property_['verdict'] != 'unknown':
            if (property_['verdict'] == 'violated') != fails:
                found.append(('runtime-error', f'{property_["verdict"]} of errors'))
    for text, right in zip(model.queries, expected):
        if text in by_text:
            fault = wrong_query(text, right, by_text[text], unit)
            if fault:
                found.append(('verdict', fault))
        elif text not in str(ours.get('skipped')):
            found.append(('missing', f'{text} is not in the result'))
    if os.path.exists(trace):
        replayed = run('replay', trace, timeout=300)
        if replayed.returncode != 0 or 'replays' not in replayed.stdout:
            found.append(('replay', replayed.stdout[-300:] + replayed.stderr[-500:]))
    return found


def same_kind(model, as_xml, kind, **more):
    try:
        return any(each == kind for each, _ in faults(model, as_xml, **more) or ())
    except (Refused, KeyError, ValueError, IndexError, AttributeError, TypeError):
        return False


def report(name, model, as_xml, wrong, **more):
    """Counts the case; a wrong one is kept, and made small when asked."""
    detail = ''
    if wrong:
        if os.environ.get('SHRINK'):
            kind = wrong[0][0]
            model = shrink(model, lambda m: same_kind(m, as_xml, kind, **more))
            wrong = faults(model, as_xml, **more)
        text = xta(model, more.get('unit', 1))
        detail = '\n'.join(map(str, wrong)) + '\n' + text + '\n'.join(model.queries)
        if os.environ.get('SAVE'):
            where = os.path.join(os.environ['SAVE'], name.replace(' ', '-'))
            with open(where + '.xta', 'w', encoding='utf-8') as file:
                file.write(text)
            with open(where + '.q', 'w', encoding='utf-8') as file:
                file.write('\n'.join(model.queries) + '\n')
            with open(where + '.txt', 'w', encoding='utf-8') as file:
                file.write('\n'.join(f'{kind}: {what}' for kind, what in wrong) + '\n')
    check(name, not wrong, detail)


def random_models():
    compared = 0
    for seed in range(FIRST, FIRST + CASES):
        model, as_xml = draw(seed), seed % 3 == 0
        ways = [('', {'unit': 50 if seed % 5 == 0 else 1})]
        if seed % 4 == 1:
            ways.append((' equal', {'options': ('--zones', 'equal')}))
        if seed % 8 == 2 and os.path.exists(ASAN):
            ways.append((' sanitized', {'program': ASAN}))
        if 'receive_guard' in model.features and os.path.exists(DEGENERATE):
            ways.append((' in groups', {'program': DEGENERATE})) # see lang/uppaal/broadcast.c
        for label, more in ways:
            wrong = faults(model, as_xml, **more)
            if wrong is not None:
                compared += 1
                report(f'seed {seed}{label}', model, as_xml, wrong, **more)
        if seed % 3 == 1 and model.queries: # one question sees little, so that steps are left out
            alone = copy.copy(model)
            alone.queries = [model.queries[seed // 3 % len(model.queries)]]
            reduced = {'options': ('--reduce', 'por')}
            wrong = faults(alone, as_xml, **reduced)
            if wrong is not None:
                report(f'seed {seed} reduced', alone, as_xml, wrong, **reduced)
    check('enough models were compared', compared >= CASES * 3 // 5, f'{compared} of {CASES}')


def discrete_states(model, moments=False):
    system = System(read_declarations(xta(model)))
    return {state[:2] for state in Regions(system, LARGE, moments).states}


def is_plain(model):
    """Whether whole moments are enough for what is reachable: see regions.py."""
    return not {'open', 'diagonal', 'priority', 'process_priority', 'urgent_guard',
                'receive_guard'} & set(model.features)


def oracle_against_itself():
    """Regions, zones and whole moments reach the same discrete states."""
    counts = {'zones': 0, 'moments': 0}
    for seed in range(FIRST, FIRST + CASES):
        model = draw(seed)
        try:
            reached = discrete_states(model)
            if is_plain(model):
                check(f'seed {seed}: whole moments', discrete_states(model, True) == reached)
                counts['moments'] += 1
            known, is_all = Zones(System(read_declarations(xta(model)))).explore(limit=300)
        except (TooLarge, NoState, Refused):
            continue
        check(f'seed {seed}: zones', set(known) == reached if is_all else set(known) <= reached)
        counts['zones'] += 1
    check('the oracle was compared with itself',
          counts['zones'] >= CASES // 3 and counts['moments'] >= CASES // 40, counts)


def by_hand():
    for name, (text, answers) in BY_HAND.items():
        system, queries = System(read_declarations(text)), [read_query(each) for each in answers]
        graph = Regions(system, 10 ** 5, False, clocks_asked(system, queries), queries)
        for query, (asked, right) in zip(queries, answers.items()):
            check(f'{name}: {asked}, oracle', graph.decide(query) == right, graph.decide(query))
        model = write('hand.xta', text)
        programs = [CAIRN] # the other one decides for all broadcasts at the step who receives them
        if 'broadcast' in text and os.path.exists(DEGENERATE):
            programs.append(DEGENERATE)
        for program in programs:
            compare_by_hand(f'{name} ({os.path.basename(os.path.dirname(program))})', model,
                            answers, program)


def compare_by_hand(name, model, answers, program):
    asked = write('hand.q', '\n'.join(answers) + '\n')
    result, ours = told('check', model, '--queries', asked, program=program)
    if not check(f'{name}: answered', ours and ours.get('properties'), result.stderr[:900]):
        return
    found = [each for each in ours['properties'] if each['kind'] == 'query']
    check(f'{name}: every query is told', len(found) == len(answers), found)
    for number, (each, (asked, right)) in enumerate(zip(found, answers.items())):
        check(f'{name}: {asked} has its name', each['name'] == f'query[{number}]', each)
        fault = wrong_query(asked, right, each)
        check(f'{name}: {asked}', not fault, fault)


def without_front_end():
    """The same models as one automaton in the model's own text."""
    compared = 0
    for seed in range(FIRST, FIRST + CASES):
        model = draw(seed)
        model.queries = [text for text in model.queries
                         if text[:3] not in ('sup', 'inf', 'bou')]
        try:
            queries = [(read_query(text), text) for text in model.queries]
            flat = Flat(System(read_declarations(xta(model)))).text(queries)
            expected, _ = expect(model)
        except (Refused, TooLarge, NoState):
            continue
        result, ours = told('check', write('flat.cairn', flat))
        found = [each for each in (ours or {}).get('properties', ()) if each['kind'] == 'query']
        if check(f'seed {seed}, flat: answered', len(found) == len(queries), result.stderr[:900]):
            faults_ = [wrong_query(text, right, each)
                       for text, right, each in zip(model.queries, expected, found)]
            check(f'seed {seed}, flat', not any(faults_), f'{faults_}\n{flat}')
            compared += 1
    check('enough flat models were compared', compared >= CASES // 4, f'{compared} of {CASES}')


section(by_hand)
section(oracle_against_itself)
section(random_models)
section(without_front_end)
finish()
