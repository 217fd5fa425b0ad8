"""How much faster two workers are than one, on contexts of the landing gear (one landing set), and
the same as jobs of Slurm in one command.

    python3 test/bench/workers.py 1 2           50 contexts with two moves of the handle, by 1, then 2
    python3 test/bench/workers.py slurm         these 50 as an array of two jobs
    python3 test/bench/workers.py slurm-885     all 885 failure scenarios, with one move

Prints elapsed seconds from the start of the first worker to the end of the last one, CPU seconds,
and what the join says. The start of Slurm is not counted.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test'))
from kit.slurm import OneNode

CAIRN = os.environ.get('CAIRN', os.path.join(ROOT, 'cairn'))
MODEL = os.path.join(ROOT, 'examples', 'landing-gear', 'landing.fcr')
scratch = tempfile.TemporaryDirectory(prefix='cairn-workers-')


def contexts(count):
    """So many of the 885 scenarios, spread evenly over them; None: all."""
    text = subprocess.run([sys.executable, os.path.join(ROOT, 'examples/landing-gear/make.py'),
                           '--sets', '1', '--separate'], capture_output=True, text=True,
                          check=True).stdout
    head, *rest = text.split('\ncdl ')
    chosen = [each for each in rest if each.startswith('with_')]
    if count:
        chosen = chosen[::len(chosen) // count][:count]
    file = os.path.join(scratch.name, f'{count}.cdl')
    with open(file, 'w') as out:
        out.write('\ncdl '.join([head, *chosen]))
    return file


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tell(name, seconds, spent, claim, status):
    print(f'{name}: {seconds:.1f} s elapsed, {spent:.1f} s of CPU; joined: status {status}, '
          f'{claim["verdict"]}, complete {claim["complete"]}, {len(claim["contexts"])} contexts, '
          f'{claim["states"]:,} states', flush=True)


def by_workers(count):
    arguments = [CAIRN, 'check', MODEL, '-D', 'sets=1', '-D', 'handles=2', '--context', contexts(50),
                 '--work', os.path.join(scratch.name, f'work{count}')]
    before, spent = time.monotonic(), cpu()
    workers = [subprocess.Popen([*arguments, '--part', 'auto', '-q']) for _ in range(count)]
    for worker in workers:
        worker.wait()
    seconds, spent = time.monotonic() - before, cpu() - spent
    joined = subprocess.run([*arguments, '--join', '--json'], capture_output=True, text=True)
    tell(f'{count} worker{"s" if count > 1 else ""}', seconds, spent, json.loads(joined.stdout),
         joined.returncode)
    return seconds


def by_slurm(count, handles):
    with OneNode() as node:
        if node.why:
            print(f'skipped: {node.why}')
            return
        page = os.path.join(scratch.name, 'page.html')
        before = time.monotonic()
        result = subprocess.run(
            [CAIRN, 'check', MODEL, '-D', 'sets=1', '-D', f'handles={handles}', '--context',
             contexts(count), '--work', os.path.join(scratch.name, 'slurm'), '--slurm',
             '--array=0-1 --mem=500 --time=30', '--json', '--report', page], env=node.env,
            capture_output=True, text=True)
        seconds = time.monotonic() - before
        tell('an array of two jobs', seconds, 0, json.loads(result.stdout), result.returncode)
        print(f'a page of {os.path.getsize(page):,} bytes', flush=True)


if __name__ == '__main__':
    times = {}
    for word in sys.argv[1:] or ['1', '2']:
        if word == 'slurm':
            by_slurm(50, 2)
        elif word == 'slurm-885':
            by_slurm(None, 1)
        else:
            times[int(word)] = by_workers(int(word))
    if 1 in times and 2 in times:
        print(f'2 workers are {times[1] / times[2]:.2f} times as fast as 1')
