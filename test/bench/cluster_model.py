"""What a search of very many states costs on a cluster: a calculation on paper, and a simulation of
its levels that checks it. Costs are those that ranks.py measures on one machine; network, memory and
size of the cluster are options.

On paper: everything is even, and computing and sending do not overlap. The simulation draws, for
each level, how many states each rank owns, and how fast its core happens to be; a rank goes on to
the next level when all have told it that they are done, and a node sends for all its ranks over one
link.
"""
import argparse
import math
import random
import sys


def options_of():
    parser = argparse.ArgumentParser(description='One search on a cluster.')
    parser.add_argument('--nodes', type=int, default=1000)
    parser.add_argument('--cores', type=int, default=32, help='ranks of a node')
    parser.add_argument('--memory', type=float, default=256e9, help='bytes of a node')
    parser.add_argument('--states', type=float, default=1e13)
    parser.add_argument('--steps', type=float, default=6, help='transitions of a state')
    parser.add_argument('--levels', type=int, default=500)
    parser.add_argument('--state-bytes', type=float, default=21, help='of a state, with its place')
    parser.add_argument('--transition', type=float, default=110e-9, help='seconds of CPU time')
    parser.add_argument('--overhead', type=float, default=45e-9, help='more, with several ranks')
    parser.add_argument('--sent', type=float, default=0.7, help='states sent per transition')
    parser.add_argument('--sent-bytes', type=float, default=11, help='of a state that is sent')
    parser.add_argument('--link', type=float, default=12.5e9, help='bytes per second of a node')
    parser.add_argument('--latency', type=float, default=5e-6, help='of a message, in seconds')
    parser.add_argument('--message', type=float, default=16384, help='bytes of a message')
    parser.add_argument('--uneven', type=float, default=0.05, help='spread of the speed of cores')
    return parser.parse_args()


def on_paper(of):
    ranks = of.nodes * of.cores
    transitions = of.states * of.steps
    computing = transitions * (of.transition + of.overhead) / ranks
    traffic = transitions * of.sent * (ranks - 1) / ranks * of.sent_bytes
    sending = traffic / of.nodes / of.link
    meeting = of.levels * of.latency * (2 * math.log2(ranks) + ranks / 1000)
    return {'ranks': ranks, 'computing': computing, 'traffic': traffic, 'sending': sending,
            'meeting': meeting, 'buffers': (ranks + 32) * (of.message + 512),
            'bytes': of.states * of.state_bytes / of.nodes}


def widths(of):
    """States of each level: few at the ends, most in the middle."""
    shape = [math.exp(-((k + 0.5) / of.levels - 0.5) ** 2 / 0.045) for k in range(of.levels)]
    whole = sum(shape)
    return [of.states * each / whole for each in shape]


def simulate(of, paper, rng):
    """Seconds: computing and sending of the slowest node, level by level."""
    ranks, elapsed, waited = paper['ranks'], 0.0, 0.0
    sample = min(ranks, 4096)  # the slowest of so many is drawn, then corrected for all
    extra = math.sqrt(math.log(ranks) / math.log(sample)) if ranks > sample else 1
    for width in widths(of):
        mean = width / ranks
        cost = of.steps * (of.transition + of.overhead)
        slowest = total = 0.0
        for _ in range(sample):
            states = max(0.0, rng.gauss(mean, math.sqrt(mean)))
            time = states * cost * max(0.5, rng.gauss(1, of.uneven))
            slowest = max(slowest, time)
            total += time
        average = total / sample
        slowest = average + (slowest - average) * extra
        sent = width * of.steps * of.sent * of.sent_bytes / of.nodes / of.link
        # sending goes on while states are expanded; what is left comes after it
        elapsed += max(slowest, sent) + of.latency * (2 * math.log2(ranks) + ranks / 1000)
        waited += max(slowest, sent) - average
    return elapsed, waited


def size(value):
    for unit in ('bytes', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'):
        if value < 1000 or unit == 'EB':
            return f'{value:.3g} {unit}'
        value /= 1000
    return ''


def hours(seconds):
    return f'{seconds / 3600:.1f} h' if seconds >= 3600 else f'{seconds:.1f} s'


def main():
    of = options_of()
    paper = on_paper(of)
    elapsed, waited = simulate(of, paper, random.Random(1))
    whole = paper['computing'] + paper['sending'] + paper['meeting']
    print('| | |')
    print('|---|---|')
    print(f'| ranks | {paper["ranks"]:,} on {of.nodes:,} nodes |')
    print(f'| states, transitions | {of.states:.3g}, {of.states * of.steps:.3g} |')
    print(f'| memory of states | {size(paper["bytes"])} per node of {size(of.memory)}'
          f'{"" if paper["bytes"] < 0.9 * of.memory else ": too much"} |')
    print(f'| memory of messages being filled | {size(paper["buffers"] * of.cores)} per node |')
    print(f'| traffic | {size(paper["traffic"])}, {size(paper["traffic"] / of.nodes)} per node |')
    print(f'| computing | {hours(paper["computing"])} |')
    print(f'| sending | {hours(paper["sending"])} |')
    print(f'| meetings | {hours(paper["meeting"])} |')
    print(f'| on paper, one after the other | {hours(whole)} |')
    print(f'| simulated, sending while computing | {hours(elapsed)}, '
          f'{100 * waited / elapsed:.0f}% of it waiting |')
    print(f'| a snapshot of all levels | {size(of.states * of.state_bytes / 2)} |')
    return 0


if __name__ == '__main__':
    sys.exit(main())
