#!/usr/bin/env python3
"""Explores a Fiacre program breadth-first, in the most obvious way, and prints one JSON object.

    explore.py FILE [--dialect obp|frac] [--max-states N] [--seconds N] [--list] [--ignore-time]
    python3 -m fiacre.explore ...                       (with test/oracle on the path)

states, transitions, transitions_no_selfloop, deadlocks (no transition; deadlocks_failing of them
have a failing pair), depth, levels (new states at each distance), initial_states, failing_states
(with a failing pair), failing_pairs, errors (their messages), doubtful (see machine.py), complete.
Exit status: 0 explored, 2 bad usage or a model error.
"""
import argparse
import collections
import json
import os
import sys
import time

if __package__ in (None, ''):
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from fiacre.machine import Machine
from fiacre.parse import ModelError
from fiacre.paths import walk


def is_timed(model):
    return (any(port.interval for port in model.ports) or any(
        s[0] == 'wait' for process in model.processes for _, block, _ in process.unit.transitions
        for s in walk(block)))


def explore(text, dialect='obp', max_states=None, seconds=None, listed=False, ignore_time=False,
            **variant):
    """The result as a dictionary; with `listed` also the states themselves."""
    started = time.monotonic()
    machine = Machine(text, dialect, **variant)
    if is_timed(machine.model) and not ignore_time:
        raise ModelError('the model is timed')
    initial, init_errors = machine.initial()
    seen, level, levels = set(initial), initial, []
    result = collections.Counter()
    errors, complete = collections.Counter(init_errors), True
    expand = machine.expand
    while level and complete:
        levels.append(len(level))
        following = []
        for S in level:
            out = expand(S)
            result['transitions'] += len(out)
            result['selfloops'] += out.count(S)
            if machine.failed:
                errors.update(machine.failed)
                result['failing_states'] += 1
                result['failing_pairs'] += len(machine.failed)
            if not out:
                result['deadlocks'] += 1
                result['deadlocks_failing'] += bool(machine.failed)
            result['doubtful'] += machine.doubtful
            for T in out:
                if T not in seen:
                    seen.add(T)
                    following.append(T)
            if (max_states and len(seen) > max_states or seconds
                and time.monotonic() - started > seconds):
                complete = False
                break
        level = following
    summary = {'states': len(seen), 'transitions': result['transitions'],
               'transitions_no_selfloop': result['transitions'] - result['selfloops'],
               'deadlocks': result['deadlocks'], 'deadlocks_failing': result['deadlocks_failing'],
               'depth': len(levels) - 1, 'levels': levels,
               'initial_states': len(initial), 'failing_states': result['failing_states'],
               'failing_pairs': result['failing_pairs'],
               'init_errors': len(init_errors), 'errors': dict(sorted(errors.items())),
               'doubtful': result['doubtful'], 'complete': complete,
               'seconds': round(time.monotonic() - started, 2)}
    if listed:
        summary['list'] = sorted((machine.model.show(S) for S in seen), key=str)
    return summary


def main():
    parser = argparse.ArgumentParser(description='Reference exploration of Fiacre programs.')
    parser.add_argument('file')
    parser.add_argument('--dialect', choices=['obp', 'frac'], default='obp')
    parser.add_argument('--max-states', type=int)
    parser.add_argument('--seconds', type=float)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--ignore-time', action='store_true')
    options = parser.parse_args()
    try:
        with open(options.file, encoding='utf-8') as file:
            result = explore(file.read(), options.dialect, options.max_states, options.seconds,
                             options.list, options.ignore_time)
    except (ModelError, OSError) as error:
        print(f'{options.file}: {error}', file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
