"""Models of the corpus (CORPUS: another folder than ../shared/corpus) with zones kept by inclusion
and by simulation: the table of docs/timed.md. One run per cell, CPU seconds of whole processes.

--bytes: where the memory of about a million symbolic states goes, the other table. A full matrix
has (clocks + 1)^2 bounds of 4 bytes; what zones take is their strings alone, without what finds
them.
Beginnings of names: only these rows.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import networks
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


def large(folder):
    """(name, file, options)"""
    yield ('scheduling, n = 6, jitter = 6',
           os.path.join(ROOT, 'examples/scheduling/scheduling.xml'), 'equal',
           ['-D', 'n=6', '-D', 'jitter=6'])
    for name, text, zones in (('Fischer, 9', networks.fischer(9), 'equal'),
                              ('Fischer, 11', networks.fischer(11), 'inclusion'),
                              ('CSMA/CD, 7', networks.csmacd(7), 'equal'),
                              ('gear controllers, 2', networks.gear(2), 'equal')):
        file = os.path.join(folder, 'model.tck')
        with open(file, 'w', encoding='utf-8') as output:
            output.write(text)
        yield name, file, zones, []


def bytes_of_states(names):
    print('| model | zones | clocks | symbolic states | different zones | bytes of one | as a '
          'matrix | bytes per symbolic state, all | of these in zones | matrices alone |')
    print('|---|---|---|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        for name, file, zones, options in large(folder):
            if names and not any(name.startswith(each) for each in names):
                continue
            done = subprocess.run([CAIRN, 'explore', '-q', '--json', '--zones', zones, '--time',
                                   '150s', *options, file], capture_output=True, text=True)
            ours = json.loads(done.stdout)
            found, states = ours['statistics'], ours['states']
            matrix = 4 * (found['most_clocks'] + 1) ** 2
            print(f'| {name} | {zones} | {found["most_clocks"]} | {states:,} | '
                  f'{found["zones"]:,} ({100 * found["zones"] / states:.0f}%) | '
                  f'{found["zone_bytes"] / found["zones"]:.1f} | {matrix} | '
                  f'{found["space_bytes"] / states:.1f} | '
                  f'{found["zone_bytes"] / states:.1f} '
                  f'({100 * found["zone_bytes"] / found["space_bytes"]:.0f}%) | '
                  f'{matrix * found["zones"] / states:.0f} |', flush=True)
    return 0


def main():
    if '--bytes' in sys.argv:
        return bytes_of_states([each for each in sys.argv[1:] if each != '--bytes'])
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
