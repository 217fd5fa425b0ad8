"""Bytes per state of breadth-first searches, one thread, with --store flat and tree: the peak of
allocated memory, less what stands after the first level, over states. (CORPUS: another folder than
../shared/corpus; names of models as arguments: only these.)"""
import json
import os
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT

MODELS = (('leader_election_4', 30), ('leader_election_5', 30), ('firewire_tree_4', 30),
          ('lifts_5', 16), ('telephony_4', 18))


def explore(model, *options):
    done = subprocess.run([CAIRN, 'explore', '-q', '--json', '--engine', 'explicit', *options,
                           model], capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    corpus = os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus'))
    print('| model | states | before | flat | tree | at most |\n|---|---|---|---|---|---|')
    for name, most in MODELS:
        model = os.path.join(corpus, 'fiacre', 'beem', name + '.fcr')
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        before = explore(model, '--bound', '1')['peak_memory_bytes']
        flat, tree = (explore(model, '--store', store) for store in ('flat', 'tree'))
        cells = [(each['peak_memory_bytes'] - before) / each['states'] for each in (flat, tree)]
        print(f'| {name} | {tree["states"]:,} | {before:,} | {cells[0]:.1f} | {cells[1]:.1f} '
              f'| {most} |', flush=True)
    return 0


sys.exit(main())
