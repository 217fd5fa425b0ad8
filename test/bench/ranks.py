"""What several ranks cost and gain: elapsed and CPU time of `cairn` with one thread and of
`cairn-mpi`, the least of three runs each, on a machine that should have nothing else to do. The
start of mpirun is not counted (`seconds` of the result), its CPU time is.

  ranks.py               all rows, with two ranks
  ranks.py --ranks 4     with four
  ranks.py --corpus DIR  the folder that has fiacre/beem/leader_election_5.fcr; without it that row
                         is left out
"""
import argparse
import json
import os
import resource
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT

MPIRUN = ['mpirun', '--oversubscribe', '--quiet']
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def least(command):
    """Elapsed seconds, CPU seconds, the result."""
    runs = []
    for _ in range(3):
        before = cpu()
        out = subprocess.run([*command, '-q', '--json'], cwd=ROOT, check=True, env=ENVIRONMENT,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        result = json.loads(out)
        runs.append((result['seconds'], cpu() - before, result))
    return min(run[0] for run in runs), min(run[1] for run in runs), runs[0][2]


def main():
    parser = argparse.ArgumentParser(description='One thread, and several ranks.')
    parser.add_argument('--ranks', type=int, default=2)
    parser.add_argument('--corpus')
    options = parser.parse_args()
    rows = [('philosophers n=14', ['examples/philosophers/phils.mil', '-D', 'n=14'])]
    if options.corpus:
        rows.append(('leader_election_5',
                     [os.path.join(options.corpus, 'fiacre/beem/leader_election_5.fcr')]))
    print(f'| search | one thread | {options.ranks} ranks | ratio | CPU per transition, one thread '
          '| ranks | bytes per state sent | sent per transition |')
    print('|---|---|---|---|---|---|---|---|')
    for name, words in rows:
        one = least(['./cairn', 'explore', *words, '--engine', 'explicit'])
        more = least([*MPIRUN, '-n', str(options.ranks), './cairn-mpi', 'explore', *words])
        assert one[2]['states'] == more[2]['states']
        assert one[2]['transitions'] == more[2]['transitions']
        transitions = one[2]['transitions']
        ranks = more[2]['statistics']['ranks']
        sent = sum(rank['states_sent'] for rank in ranks)
        print(f'| {name} | {one[0]:.2f} s | {more[0]:.2f} s | {one[0] / more[0]:.2f} '
              f'| {one[1] / transitions * 1e9:.0f} ns | {more[1] / transitions * 1e9:.0f} ns '
              f'| {sum(rank["bytes"] for rank in ranks) / max(sent, 1):.1f} '
              f'| {sent / transitions:.2f} |', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
