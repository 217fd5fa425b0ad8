"""The timed engine on Fischer's protocol (examples/fischer/make.py): how the zone graph grows with
the number of stations, with inclusion and in full.

One run per cell, CPU seconds of the whole process. Prints the table of docs/benchmarks.md.
Argument: the largest number of stations (default 10). Or `zones`: models of the corpus (CORPUS:
another folder than ../shared/corpus) with zones kept by inclusion and by simulation, for
docs/timed.md.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT

MAKE = os.path.join(ROOT, 'examples', 'fischer', 'make.py')


def measure(model, zones, *command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(
        [CAIRN, *(command or ('explore',)), '-q', '--json', '--zones', zones, '--time', '120s',
         model], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(result.stdout)


KEPT = ('tck/ad94.tck', 'tck/critical-region_3_10.tck', 'tck/csmacd_5.tck', 'tck/fddi_3.tck',
        'tck/fddi_5.tck', 'tck/fischer_5_10.tck', 'tck/leader-election_3_5.tck',
        'tck/parallel-b_3.tck', 'tck/train_gate_4.tck', 'uppaal/demo-fischer.xml',
        'uppaal/theta-fddi-2.xta', 'uppaal/gear-project.xml')


def compare_storage():
    corpus = os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus'))
    print('| model of the corpus | discrete states | by inclusion | CPU s | by simulation | '
          'CPU s |')
    print('|---|---|---|---|---|---|')
    for name in KEPT:
        cells = []
        for zones in ('inclusion', 'simulation'):
            seconds, ours = measure(os.path.join(corpus, name), zones, 'check', '--no-deadlock',
                                    *(() if name.endswith('.xml')
                                      else ('--invariant', 'true')))
            cells.append(f'{ours["states"]:,} | {seconds:.2f}')
        print(f'| `{name}` | {ours["statistics"]["discrete_states"]:,} | {cells[0]} | {cells[1]} |',
              flush=True)
    return 0


def main():
    if sys.argv[1:] == ['zones']:
        return compare_storage()
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print('| stations | discrete states | inclusion: states / transitions | CPU s | bytes/state | '
          'full: states / transitions | CPU s | bytes/state | clocks | zones |')
    print('|---|---|---|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        for n in range(2, most + 1):
            model = os.path.join(folder, f'fischer{n}.fcr')
            with open(model, 'w', encoding='utf-8') as file:
                file.write(subprocess.run([sys.executable, MAKE, str(n)], capture_output=True,
                                          text=True, check=True).stdout)
            cells = []
            for zones in ('inclusion', 'equal'):
                seconds, ours = measure(model, zones)
                statistics = ours['statistics']
                if not ours['complete']:
                    cells.append('not in 120 s | | ')
                    continue
                # small graphs are dominated by tables of a fixed first size
                size = (f'{statistics["space_bytes"] / ours["states"]:.0f}'
                        if ours['states'] > 50000 else '')
                cells.append(
                    f'{ours["states"]:,} / {ours["transitions"]:,} | {seconds:.2f} | {size}')
            print(f'| {n} | {statistics["discrete_states"]:,} | {cells[0]} | {cells[1]} | '
                  f'{statistics["most_clocks"]} | {statistics["zones"]:,} |', flush=True)
    return 0


sys.exit(main())
