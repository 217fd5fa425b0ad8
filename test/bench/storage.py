"""Models of the corpus (CORPUS: another folder than ../shared/corpus) with zones kept by inclusion
and by simulation: the table of docs/timed.md. One run per cell, CPU seconds of whole processes."""
import json
import os
import resource
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT


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


def main():
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


sys.exit(main())
