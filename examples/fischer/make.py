#!/usr/bin/env python3
"""Fischer's protocol for any number of stations: make.py [N [WRITE [CHECK]]] > FILE.fcr

N stations (default 3); WRITE is the time it takes to write the lock (default [0,1]), CHECK the time before it is looked at again (default [2,...[).
Times and instances are part of the text of a Fiacre program, so this script writes the program.
"""
import sys


def interval(text):
    """Its numbers, and whether its ends are open: (low, low_open, high, high_open); high is None for no end."""
    low, high = text[1:-1].split(',')
    return float(low), text[0] == ']', None if high == '...' else float(high), text[-1] == '['


def is_safe(write, check):
    """Every write must be over before anybody who wrote earlier looks again."""
    _, _, latest, latest_open = interval(write)
    earliest, earliest_open, _, _ = interval(check)
    return latest is not None and (latest < earliest or (latest == earliest and (latest_open or earliest_open)))


def model(n=3, write='[0,1]', check='[2,...['):
    verdict = 'holds' if is_safe(write, check) or n < 2 else 'violated'
    stations = ' || '.join(f'Station(&lock, &inside, {i + 1})' for i in range(n))
    return f'''// expect: property mutex {verdict}
// expect: property reachable holds
// expect: property deadlock holds

// Fischer's mutual exclusion: one shared variable, and time. Who finds the lock free writes its own number there within {write};
// who still finds its own number after {check} may enter.
// Written by make.py {n} {write} {check}

const n : nat is {n}

type Number is 0..n                      // 0: nobody

process Station (&lock : Number, &inside : Number, me : Number) is
    states idle, writing, checking, critical

    from idle
        on lock = 0;
        to writing

    from writing
        wait {write};
        lock := me;
        to checking

    from checking
        select
            on lock = me;
            wait {check};
            inside := inside + 1;
            to critical
        []  on lock <> me;
            to idle
        end

    from critical
        lock := 0;
        inside := inside - 1;
        to idle

component Main is
    var lock, inside : Number
    par
        {stations}
    end

property mutex     is invariant inside <= 1
property reachable is ctl EF Station[0] @ critical

Main
'''


if __name__ == '__main__':
    arguments = sys.argv[1:]
    if arguments[:1] in (['-h'], ['--help']) or len(arguments) > 3:
        sys.exit(__doc__)
    sys.stdout.write(model(*([int(arguments[0])] + arguments[1:] if arguments else [])))
