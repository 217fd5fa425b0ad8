"""Logs against models (`cairn conform`): random logs of random models, with and without time,
against sets of states that are followed line by line (test/oracle/logs.py); long logs, other
languages, contexts and guides, messages, bad input, limits."""
import json
import os
import random
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, LONG, ROOT, SEED, Wrong, check, crashed, finish, refuses, run,
                 section, told, write)
import logs

PHILS = os.path.join(ROOT, 'examples/philosophers/phils.mil')
FISCHER = os.path.join(ROOT, 'examples/fischer/broken.fcr')


def text_of(log):
    return ''.join(json.dumps(line) + '\n' for line in log)


def words_of(options):
    return [*(('--unlogged', ','.join(options['unlogged'])) if 'unlogged' in options else ()),
            *(('--gaps',) if 'gaps' in options else ()),
            *(('--tolerance', options['tolerance']) if 'tolerance' in options else ())]


def step_of(one):
    return one['label'], one['process'] or ''


def fault_of(result, claim, log, options, truth):
    passed, possible, bridged = truth
    if crashed(result) or claim is None:
        return f'{result.returncode} {result.stderr[-500:]}'
    conforms = passed == len(log)
    if (claim['verdict'], result.returncode) != (('holds', 0) if conforms else ('violated', 1)):
        return f'{claim["verdict"]}, {result.returncode}: {passed} of {len(log)} lines conform'
    if claim['conforming'] != passed:
        return f'{claim["conforming"]} lines conform, not {passed}'
    if not claim['trace'] or len(claim['matches']) != passed:
        return f'no run for the lines that conform: {claim["matches"]}'
    if conforms:
        return 'there is a next line' if claim['next'] else ''
    if options.get('gaps'):
        return 'what is possible is told' if claim['next']['possible'] is not None else ''
    told_possible = {step_of(one) for one in claim['next']['possible']}
    if told_possible != {(label, ', '.join(names)) for label, names in possible}:
        return f'possible: {told_possible}, not {possible}'
    if (claim['next']['explained_by'] is not None) != bridged:
        return f'explained by {claim["next"]["explained_by"]}, not {bridged}'
    return ''


def random_logs(kind, count, programs):
    rng = random.Random(f'conform {kind.__name__} {SEED}')
    wrong, verdicts = Wrong(f'random logs, {kind.__name__.lower()}'), {True: 0, False: 0}
    for n in range(count):
        system = kind(1000 * SEED + n)
        model = write(f'system.{system.ending}', system.text)
        for _ in range(4):
            drawn = logs.draw(system, rng)
            if drawn is None:
                continue
            log, options = drawn
            truth = logs.judge(system, log, **options)
            verdicts[truth[0] == len(log)] += 1
            file = write('log.jsonl', text_of(log))
            for program in programs:
                result, claim = told('conform', model, file, *words_of(options), program=program)
                fault = fault_of(result, claim, log, options, truth)
                wrong.add(fault and f'{options}: {fault}', model, file)
    wrong.close(count)
    check(f'both verdicts, {kind.__name__.lower()}: {verdicts}', min(verdicts.values()) > count / 4)


section(random_logs, logs.Untimed, 1500 if LONG else 60, [CAIRN])
section(random_logs, logs.Timed, 1500 if LONG else 70, [CAIRN])
section(random_logs, logs.Timed, 100 if LONG else 6, [ASAN])


def conforms(name, model, log, status, words, *options):
    result = run('conform', model, write('log.jsonl', text_of(log)), *options)
    missing = [each for each in words if each not in result.stdout + result.stderr]
    check(name, result.returncode == status and not missing and not crashed(result),
          f'{result.returncode}, without {missing}: {result.stdout} {result.stderr}')


def known():
    take = [{'label': 'take_left', 'process': f'phil[{i}]'} for i in range(3)]
    n = '-D', 'n=3'
    conforms('an empty log', PHILS, [], 0, ['conforms', '0 lines', 'with n = 3'], *n)
    conforms('all take their left fork', PHILS, take, 0, ['3 lines'], *n)
    conforms('what blocks a step is told', PHILS, [*take[:2], {'label': 'take_right'} | {
        'process': 'phil[0]'}], 1, ['2 of 3 lines', 'fork[1].taken == 0 is false', 'log.jsonl:3',
                                    'possible there: take_right by phil[1]',
                                    'put_left by phil[1]'], *n)
    conforms('values as the language writes them', PHILS,
             [take[0] | {'state': {'phil[0].pc': 'hungry', 'fork[0].taken': 1}}], 0, [], *n)
    conforms('another value is told', PHILS, [take[0] | {'state': {'phil[0].pc': 'eating'}}], 1,
             ['phil[0].pc is hungry then; the log says eating'], *n)
    conforms('no such value', PHILS, [take[0] | {'state': {'phil[0].pc': 'asleep'}}], 1,
             ['the model has no such value of phil[0].pc'], *n)
    conforms('no such step', PHILS, [{'label': 'sleep'}], 1, ['the model has no such step'], *n)
    conforms('a step without a name', PHILS, [{}, {}], 0, ['2 lines'], *n)
    conforms('a log of steps that never happen together', PHILS, [{'state': {
        'phil[0].pc': 'eating', 'phil[1].pc': 'eating'}}], 1, ['no steps before it'], *n)
    conforms('times of an untimed model', PHILS, [take[0] | {'time': 3}], 0, ['not compared'], *n)
    steps = [{'label': 'idle->writing', 'process': 'Station[0]', 'time': 1},
             {'label': 'writing->checking', 'process': 'Station[0]', 'time': 2.5}]
    conforms('times', FISCHER, steps, 0, ['at 5/2'])
    late = [steps[0], steps[1] | {'time': 3.5}]
    conforms('a step that is too late', FISCHER, late, 1, ['such a step is possible there'])
    conforms('a step that is nearly in time', FISCHER, late, 0, [], '--tolerance', '1/2')
    conforms('a tolerance that is too small', FISCHER, late, 1, [], '--tolerance', '0.249')


section(known)


def traces():
    """The steps of a trace, one per line, are a log of it, and the run that is told replays."""
    for name, model, options in (
            ('philosophers', PHILS, ('-D', 'n=4')), ('fischer', FISCHER, ()),
            ('train gate', os.path.join(ROOT, 'examples/uppaal/gate.xml'), ())):
        file = write('run.itf.json', '')
        run('simulate', model, *options, '--steps', '30', '--trace', file)
        with open(file, encoding='utf-8') as itf:
            states = json.load(itf)['states']
        log = [{'label': state['#meta'].get('label'), 'state': {
            key: value for key, value in state.items() if key != '#meta'}} for state in states]
        log = json.loads(json.dumps(log), object_hook=lambda each: int(each['#bigint'])
                         if set(each) == {'#bigint'} else each)
        again = write('again.itf.json', '')
        result, claim = told('conform', model, write('log.jsonl', text_of(log)), *options,
                             '--trace', again)
        check(f'a saved run is a log: {name}', result.returncode == 0
              and claim['conforming'] == len(states), f'{result.stderr} {claim}')
        replayed = run('replay', again, '--model', model, *options)
        check(f'the run that is told replays: {name}', replayed.returncode == 0,
              replayed.stderr)


section(traces)


def long_logs():
    """More lines than there are clusters: how many conform is still exact."""
    round_ = [{'label': each, 'process': 'phil[0]'}
              for each in ('take_left', 'take_right', 'put_left', 'put_right')]
    log = [round_[i % 4] for i in range(20000)]
    result, claim = told('conform', PHILS, write('long.jsonl', text_of(log)), '-D', 'n=3')
    names = [step['label'] for step in claim['trace']['steps'][1:5]] if claim else None
    check('20,000 lines', result.returncode == 0 and claim['conforming'] == 20000,
          f'{result.stderr} {names}')
    for at in (8191, 13001):
        broken = [*log[:at], {'label': 'take_left', 'process': 'phil[7]'}, *log[at:]]
        result, claim = told('conform', PHILS, write('long.jsonl', text_of(broken)), '-D', 'n=3')
        check(f'the first bad line of 20,000 is line {at + 1}', result.returncode == 1
              and claim['conforming'] == at and claim['next']['line'] == at + 1,
              f'{result.stderr} {claim and claim["conforming"]}')


section(long_logs)


def messages():
    def bad(name, words, text, *options, status=2):
        refuses(name, words, 'conform', PHILS, write('bad.jsonl', text), '-D', 'n=3', *options,
                status=status)
    bad('no JSON', 'bad.jsonl:2:', '{}\n{"label"\n')
    bad('no object', 'a line of a log is a JSON object', '[]\n')
    bad('a label that is no text', "'label' is no text", '{"label": 3}\n')
    bad('a state that is no object', "'state' is no object", '{"state": []}\n')
    bad('an unknown variable', "did you mean 'fork[0].taken'?", '{"state": {"fork[0].take": 1}}\n')
    bad('a time that is none', "'time' is no time", '{"time": -1}\n')
    bad('a key twice', 'duplicate', '{"label": "a", "label": "b"}\n')
    bad('an unknown member', "'lable' is not looked at", '{"lable": "take_left"}\n', status=0)
    bad('unlogged steps that are none', "did you mean 'take_left'?", '', '--unlogged', 'take_lef')
    bad('no tolerance', 'is no time', '', '--tolerance', 'x')
    refuses('no log', 'needs a MODEL LOG', 'conform', PHILS)
    refuses('a log that is not there', 'nothing.jsonl', 'conform', PHILS, 'nothing.jsonl')
    refuses('three files', 'is a second one', 'conform', PHILS, 'a', 'b')
    refuses('times that are too fine', 'use --tolerance', 'conform', FISCHER,
            write('fine.jsonl', '{"time": "1/1000003"}\n{"time": "1/1000033"}\n'))


section(messages)


def hostile():
    rng = random.Random(f'hostile {SEED}')
    wrong = Wrong('damaged logs')
    good = text_of([{'label': 'take_left', 'process': 'phil[0]', 'state': {'phil[0].pc': 'hungry'},
                     'time': 2.5}, {'label': None}]).encode()
    for _ in range(400 if LONG else 40):
        text = bytearray(good)
        for _ in range(rng.randint(1, 3)):
            text[rng.randrange(len(text))] = rng.randrange(256)
        result = run('conform', PHILS, write('damaged.jsonl', bytes(text)), '-D', 'n=3',
                     program=ASAN)
        wrong.add(crashed(result) and f'{result.returncode} {result.stderr[-500:]} {bytes(text)}')
    wrong.close()
    deep = '{"state": {"phil[0].pc": ' + '[' * 100000 + ']' * 100000 + '}}\n'
    result = run('conform', PHILS, write('deep.jsonl', deep), '-D', 'n=3', program=ASAN)
    check('a deep value', result.returncode == 2 and not crashed(result), result.stderr[-300:])


section(hostile)


def limits():
    log = write('log.jsonl', text_of([{'label': 'take_left', 'process': 'phil[0]'}] * 2))
    for option in (('--memory', '3M'), ('--time', '0.3s')):
        result, claim = told('conform', PHILS, log, '-D', 'n=16', '--gaps', *option)
        check(f'a limit: {option}', result.returncode == 3 and claim
              and claim['verdict'] == 'unknown', f'{result.returncode} {result.stderr} {claim}')


section(limits)
finish()
