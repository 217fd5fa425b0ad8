"""What --json prints, and the lines of --progress json and --diagnostics json, match the schema
that is installed: every command, engine, order and option that adds something to an object. The
schema itself is closed, and whatever is added to an object, taken from it or changed in it is
found."""
import copy
import json
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, SEED, check, finish, path, run, section, told, write
from validator import FILE, Schema

EXAMPLES = os.path.join(ROOT, 'examples')
REGRESS = os.path.join(ROOT, 'test', 'regress')
SCHEMA = Schema()


def example(name):
    return os.path.join(EXAMPLES, name)


PETERSON, PHILS = example('peterson/peterson.mil'), example('philosophers/phils.mil')
FISCHER, CRUISE = example('fischer/broken.fcr'), example('cruise-control/cruise.fcr')
CONTEXTS, LANDING = example('cruise-control/contexts.cdl'), example('guides/landing.xgdl')
GUIDED = os.path.join(REGRESS, 'shown-guide')
HIDDEN = '''VARIABLES x : 2 := 0; hidden h : 2 := 0; hidden idle : 2 := 0; END ACTION up; END
GLOBAL CASE [up] x < 3 & h < 3 : x := x + 1; h := h + 1; idle := idle + 1; END END
CTL back: AG EF x == 0; END LTL on: G (x == 9 -> F x == 0); END'''
OPEN = '''VARIABLES a : 1 := 0; b : 1 := 0; END ACTIONS l; r; END
GLOBAL CASE [l] a == 0 : a := 1; [r] a == 0 : b := 1; a := 1; END END
CTL both: AG !(EX b == 1 & EX (a == 1 & b == 0)); END'''

# arguments, and a member that the object must have: what is tested is there
RUNS = (
    (('check', PETERSON), 'properties'), (('check', PETERSON, '--raw'), 'properties'),
    (('check', PHILS, '--engine', 'symbolic'), 'statistics/reach_nodes'),
    (('check', PHILS, '--engine', 'symbolic', '-v'), 'statistics/iterations'),
    (('check', PHILS, '-D', 'n=3', '--engine', 'bounded', '-p', 'deadlock'), 'statistics/depths'),
    (('check', PHILS, '-D', 'n=3', '--engine', 'bounded', '--reduce', 'steps', '-p', 'deadlock'),
     'under/reduction/name'),
    (('check', PHILS, '-D', 'n=3', '--trace', '%trace'), 'under/constants/n'),
    (('check', PHILS, '--threads', '2'), 'statistics/why_engine'),
    (('check', PHILS, '--threads', '2', '--engine', 'explicit'), 'statistics/threads'),
    (('check', PHILS, '--reduce', 'por', '--engine', 'explicit', '--ltl', 'X phil[0].pc == hungry'),
     'statistics/unreduced_states'),
    (('check', PHILS, '--fair', '--engine', 'symbolic', '--ltl', 'G F phil[0].pc == eating'),
     'under/fair'),
    (('check', PHILS, '--find', 'phil[0].pc == eating'), 'properties/0/trace'),
    (('check', PHILS, '--memory', '300K', '--engine', 'explicit', '-D', 'n=9'), 'statistics/stop'),
    (('check', PHILS, '--order', 'dfs'), 'statistics/longest_stack'),
    (('check', PHILS, '--order', 'best-first', '--engine', 'explicit'), 'statistics/order'),
    (('check', '%open', '--engine', 'symbolic'), 'properties/0/branches'),
    (('check', '%hidden'), 'statistics/hidden_influencing'),
    (('check', FISCHER), 'statistics/zones'), (('check', FISCHER, '--raw'), 'properties/0/trace'),
    (('explore', FISCHER, '--zones', 'equal'), 'statistics/most_clocks'),
    (('explore', PHILS, '--reduce', 'por', '--keep', 'ltl'), 'under/reduction'),
    (('explore', PHILS, '--show', 'process-model'), 'process_model'),
    (('explore', PHILS, '-D', 'n=3', '--partition', 'take_left'), 'statistics/p_path_list'),
    (('explore', PHILS, '-D', 'n=3', '--partition', 'take_left', '--partition-hidden'),
     'statistics/complete_p_paths'),
    (('explore', CRUISE, '--context', CONTEXTS + ':together', '--partition', 'engage', '--show',
      'orders', '--words', '5'), 'statistics/execution_orders/words'),
    (('check', CRUISE, '--context', CONTEXTS), 'contexts/1/arguments'),
    (('explore', CRUISE, '--context', CONTEXTS), 'contexts/1/arguments'),
    (('check', CRUISE, '--context', CONTEXTS, '-D', 'nothing=1'), 'assurance'),
    (('explore', CRUISE, '--context', CONTEXTS + ':together', '--order', 'past-freeze'),
     'statistics/cluster_sizes'),
    (('explore', CRUISE, '--context', CONTEXTS + ':together', '--split', 'always'),
     'statistics/parts_list'),
    (('check', GUIDED + '.mil', '--guide', GUIDED + '.xgdl:short'), 'guide/semantics'),
    (('check', GUIDED + '.mil', '--guide', GUIDED + '.xgdl:short', '--bound', 'auto'),
     'guide/states_by_interactions'),
    (('check', GUIDED + '.mil', '--guide', '%guides'), 'contexts/0'),
    (('check', example('uppaal/bridge.xml')), 'properties/0/kind'),
    (('check', example('uppaal/gate.xml'), '--query', 'sup: Controller.length'),
     'properties/0/value'),
    (('check', example('uppaal/gate.xml'), '--query', 'A[] true', '--query', 'Pr[<=3](<> true)',
      '--skip-unsupported'), 'skipped'),
    (('simulate', PHILS, '--steps', '30', '--seed', '3'), 'seed'),
    (('simulate', FISCHER, '--steps', '9', '--raw'), 'properties'),
    (('conform', PHILS, example('philosophers/table.jsonl'), '-D', 'n=3'), 'matches'),
    (('conform', FISCHER, example('fischer/station.jsonl')), 'trace'),
    (('conform', PHILS, '%badlog'), 'next/possible'),
    (('guide', LANDING), 'guides/0/dfa'), (('guide', LANDING + ':pilot', '--bound', '3'), 'dag'),
    (('guide', LANDING + ':pilot', '--words', '4', '--bound', '3'), 'words'),
    (('guide', LANDING + ':pilot', '--equal', LANDING + ':pilot'), 'question'),
    (('guide', GUIDED + '.xgdl:short', '--within', LANDING + ':pilot'), 'difference'),
    (('guide', LANDING + ':scope', '--split', 'permutations'), 'parts'),
    (('guide', CONTEXTS), 'guides/0/orders'), (('guide', CONTEXTS + ':together'), 'reached_future'),
    (('automaton', '--ltl', 'G (a -> F b)'), 'acceptance_sets'),
    (('automaton', '--ltl', 'G a', '--implies', 'F b'), 'word/prefix'),
    (('check', '%bad'), 'assurance'), (('explore', '%bad'), 'assurance'))


def member(value, where):
    for step in where.split('/'):
        value = value[int(step) if step.isdigit() else step]
    return value


def objects():
    files = {'open': write('open.mil', OPEN), 'hidden': write('hidden.mil', HIDDEN),
             'guides': write('two.xgdl', 'guide short = want; enter;\nguide long = want*;\n'),
             'bad': write('bad.mil', 'VARIABLE'), 'trace': path('run.itf.json'),
             'badlog': write('bad.jsonl', '{"label": "eat"}\n')}
    kept = {}
    for arguments, where in RUNS:
        words = [files[word[1:]] if word[:1] == '%' else word for word in arguments]
        result, claim = told(*words)
        name = ' '.join(os.path.basename(word) for word in words)
        if not check(f'{name}: there is an object', claim is not None, result.stderr[-300:]):
            continue
        fault = SCHEMA.fault(claim)
        check(f'{name}: it matches the schema', not fault, fault)
        try:
            member(claim, where)
        except (KeyError, IndexError, TypeError):
            check(f'{name}: it has {where}', False, json.dumps(claim)[:600])
        kept.setdefault((claim['command'], *claim), claim)
    return list(kept.values())


def lines():
    """Progress and diagnostics, one object per line."""
    for name, arguments in (
            ('search', ('explore', PHILS, '-D', 'n=13', '--engine', 'explicit')),
            ('search', ('explore', PHILS, '-D', 'n=13', '--engine', 'symbolic', '--order', 'bfs')),
            ('jobs', ('check', CRUISE, '--context', CONTEXTS))):
        found = [json.loads(line) for line in run(*arguments, '--progress', 'json',
                                                  '--json').stderr.splitlines() if line[:1] == '{']
        faults = [fault for fault in map(SCHEMA.fault, found) if fault]
        check(f'progress: {" ".join(arguments[2:])}', not faults, faults[:1])
    bad = write('worse.mil', 'VARIABLE x : 2 := y; END\nVARIABEL END\n')
    found = [json.loads(line) for line in run('check', bad, '--diagnostics',
                                              'json').stderr.splitlines()]
    faults = [SCHEMA.fault(one, 'diagnostic') for one in found]
    check('diagnostics', found and not any(faults), faults)


def places(value, path=()):
    """The paths to all objects inside of a value, but those whose keys are names of a model."""
    if isinstance(value, dict):
        if not path or path[-1] not in ('state', 'constants', 'clocks', 'value', 'orders'):
            yield path
            for key, inner in value.items():
                yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value[:3]):
            yield from places(inner, (*path, index))


def planted(claims):
    """Every object of the claims gets a key that is none, in turn; members get another type."""
    missed, tried = [], 0
    for claim in claims:
        for place in places(claim):
            tried += 1
            bad = copy.deepcopy(claim)
            target = bad
            for step in place:
                target = target[step]
            target['surprise'] = 1
            if not SCHEMA.fault(bad):
                missed.append(('added', claim['command'], place))
            for key in list(target)[:-1]:
                target[key], before = {'surprise': None}, target[key]
                del target['surprise']
                if not SCHEMA.fault(bad) and not isinstance(before, dict):
                    missed.append(('changed', claim['command'], place, key))
                target[key] = before
                target['surprise'] = 1
        for key in ('cairn', 'format', 'command', 'model'):
            bad = {name: value for name, value in claim.items() if name != key}
            if not SCHEMA.fault(bad):
                missed.append(('removed', claim['command'], key))
    check(f'what does not belong is found, {tried} times', tried > 200 and not missed, missed[:3])


def closed():
    """Every object of the schema is closed or a map; every definition is used; what the validator
    does not know, it refuses."""
    with open(FILE, encoding='utf-8') as file:
        text = file.read()
    schema, loose = json.loads(text), []

    def look(part, where):
        if isinstance(part, dict):
            if part.get('type') == 'object' and 'additionalProperties' not in part:
                loose.append(where)
            if not set(part.get('required', ())) <= part.get('properties', {}).keys():
                loose.append(where)
            for key, inner in part.items():
                look(inner, f'{where}/{key}')
        elif isinstance(part, list):
            for index, inner in enumerate(part):
                look(inner, f'{where}/{index}')
    look(schema, '')
    check('every object is closed', not loose, loose)
    used = set(re.findall(r'"#/\$defs/(\w+)"', text))
    check('every definition is used', used == set(schema['$defs']), used ^ set(schema['$defs']))
    try:
        Schema({'maxLength': 3})
        check('an unknown keyword is refused', False)
    except AttributeError:
        check('an unknown keyword is refused', True)


section(closed)
CLAIMS = objects()
section(planted, CLAIMS)
section(lines)
finish()
