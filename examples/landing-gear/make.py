#!/usr/bin/env python3
"""Contexts for landing.fcr: make.py [--sets 1|3] [--separate] > FILE.cdl

A pilot who moves the handle so often as the constant `handles` says, next to nothing, one, two or three failures at any time. Of the failures of one electrical part only one can
happen: that leaves 18 single ones, 147 pairs and 720 triples, 885 scenarios. `failures` is all of them, as one context with a choice; each single failure is a context of its own;
--separate makes one of each of the 885. --sets is for the model with -D sets=1.
"""
import argparse
import itertools

BLOCKED = ('SWITCH', 'GENERAL', 'OPENING', 'CLOSING', 'EXTENDING', 'RETRACTING')
STUCK = ('DOOR_FRONT', 'DOOR_LEFT', 'DOOR_RIGHT', 'GEAR_FRONT', 'GEAR_LEFT', 'GEAR_RIGHT')
MESSAGES = {f'f{i + 1}_{j + 1}': f'{part}_{way}' for i, part in enumerate(BLOCKED) for j, way in enumerate(('OPEN', 'CLOSED'))}
MESSAGES.update({f'f{i + 7}': part for i, part in enumerate(STUCK)})

OPEN, CLOSE, EXTEND, RETRACT = (f'{{Landing}}1:order[{v}] = true' for v in (1, 2, 3, 4))
DOWN, UP = '{Landing}1:handle = DOWN', '{Landing}1:handle = UP'


def scenarios():
    """Sets of one to three failures that are possible together, fewer first."""
    for size in (1, 2, 3):
        for chosen in itertools.combinations(MESSAGES, size):
            if len({name.split('_')[0] for name in chosen}) == size:
                yield chosen


def every(what, place, sets):
    return '(' + ' and '.join(f'{{Landing}}1:{what}[{i}] = {place}' for i in range(sets)) + ')'


def some(what, place, sets):
    return '(' + ' or '.join(f'{{Landing}}1:{what}[{i}] = {place}' for i in range(sets)) + ')'


def assertions(sets):
    """Conditions on states: name and text."""
    return (
        ('R21', f'not ({RETRACT}) or {UP}'),
        ('R22', f'not ({EXTEND}) or {DOWN}'),
        ('R31', f'not ({EXTEND} or {RETRACT}) or {every("door", "wide", sets)}'),
        ('R41', f'not ({OPEN} and {CLOSE})'),
        ('R42', f'not ({EXTEND} and {RETRACT})'),
        ('R51', f'not ({OPEN} or {CLOSE} or {EXTEND} or {RETRACT}) or {{Landing}}1:order[0] = true'),
        ('calm', '{Landing}1:red = false'))


def deadlines(sets):
    """What must not last: name, condition, guard of the clock under which it has lasted too long."""
    dark = '{Landing}1:red = false'
    shut = every('door', 'shut', sets)
    return (
        ('R11', f'{DOWN} and not ({every("gear", "down", sets)} and {shut})', '>= 150'),
        ('R12', f'{UP} and not ({every("gear", "up", sets)} and {shut})', '>= 150'),
        ('R61', f'{dark} and {OPEN} and {some("door", "shut", sets)}', '> 70'),
        ('R62', f'{dark} and {CLOSE} and {some("door", "wide", sets)}', '> 70'),
        ('R63', f'{dark} and {RETRACT} and {some("gear", "down", sets)}', '> 70'),
        ('R64', f'{dark} and {EXTEND} and {some("gear", "up", sets)}', '> 70'),
        ('R71', f'{dark} and {OPEN} and not {every("door", "wide", sets)}', '> 70'),
        ('R72', f'{dark} and {CLOSE} and not {shut}', '> 70'),
        ('R73', f'{dark} and {RETRACT} and not {every("gear", "up", sets)}', '> 100'),
        ('R74', f'{dark} and {EXTEND} and not {every("gear", "down", sets)}', '> 100'),
        ('R81', f'{dark} and {DOWN} and not {every("gear", "down", sets)}', '> 150'),
        ('R82', f'{dark} and {UP} and not {every("gear", "up", sets)}', '> 150'))


def requirements(sets):
    lines = ['// Requirements that are conditions on states.']
    lines += [f'predicate {name} is {{ {text} }}' for name, text in assertions(sets)]
    lines += ['', '// The doors are ordered to open or close only while no gear is on its way.',
              f'predicate gear_moving is {{ {some("gear", "moving", sets)} }}',
              f'predicate doors_ordered is {{ {OPEN} or {CLOSE} }}',
              'event doors_get_order is { doors_ordered becomes true }',
              'property R32 is { start -- / gear_moving / doors_get_order / -> reject }',
              '', '// Requirements with time: a condition that must not last, and the clock that says how long it has lasted.']
    for name, text, guard in deadlines(sets):
        lines += [f'predicate {name}_due is {{ {text} }}',
                  f'predicate {name}_met is {{ not {name}_due }}',
                  f'property {name} is {{',
                  f'    start -- / {name}_due / / ck := 0 -> waiting;',
                  f'    waiting -- / {name}_met / / disable ck -> start;',
                  f'    waiting -- ck {guard} / / / disable ck -> reject',
                  '}']
    return lines


def cdl(name, checked, main):
    return [f'cdl {name} is {{', *(f'    {each}' for each in checked), f'    main is {{ {main} }}', '}']


def contexts(sets, separate):
    normal = ['assert R21, R22, R31, R41, R42, R51, calm', 'properties R11, R12, R32']
    failing = ['assert R41, R42, R51', 'properties R61, R62, R63, R64, R71, R72, R73, R74, R81, R82']
    lines = ['event handle is { send HANDLE to {Dispatcher}1 }']
    lines += [f'event {name} is {{ send {message} to {{Dispatcher}}1 }}' for name, message in MESSAGES.items()]
    lines += ['', *requirements(sets), '', 'activity PILOT is { loop handles event handle }', '']
    names = {'_and_'.join(chosen): ' || '.join(f'event {each}' for each in chosen) for chosen in scenarios()}
    lines += ['// Every set of failures that is possible, its members in any order.', 'activity PERTURBATOR is {']
    lines += ['    ' + '\n [] '.join(f'{{ {failures} }}' for failures in names.values()), '}', '']
    lines += ['// With -D pilot=1, the pilot of the model: the handle as often as he likes.', *cdl('free', normal, 'skip')]
    lines += cdl('nominal', normal, 'PILOT') + cdl('failures', failing, 'PILOT || PERTURBATOR')
    for name, failures in names.items():
        if separate or '||' not in failures:
            lines += cdl(f'with_{name}', failing, f'PILOT || {failures}')
    return lines


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sets', type=int, default=3, choices=(1, 3), help='landing sets that the requirements look at')
    parser.add_argument('--separate', action='store_true', help='a context for each of the 885 scenarios')
    options = parser.parse_args()
    print(f'// Written by make.py --sets {options.sets}' + (' --separate' if options.separate else ''))
    print('// Needs landing.fcr. One unit of time is 100 ms.\n')
    print('\n'.join(contexts(options.sets, options.separate)))
