"""Tools that read a language and print it again (test/tools/again.h)."""
import os
import subprocess
from lib import LONG, PATIENCE, ROOT, SEED, check, finish


class Again:
    """The tool of this name in test/tools."""

    def __init__(self, name):
        self.name = name

    def build(self):
        """In both builds; ends the suite when that fails."""
        for mode in ('release', 'asan'):
            built = subprocess.run(['make', '-s', f'MODE={mode}',
                                    f'build/{mode}/tools/{self.name}'],
                                   cwd=ROOT, capture_output=True, text=True)
            if not check(f'{self.name} builds ({mode})', built.returncode == 0, built.stderr):
                finish()
                raise SystemExit(1)

    def run(self, mode, *arguments):
        name = f'build/{mode}/tools/{self.name}'
        return subprocess.run([os.path.join(ROOT, name), *map(str, arguments)],
                              capture_output=True, text=True, errors='replace', cwd=ROOT,
                              timeout=PATIENCE)

    def mutate(self, name, command, count, inputs):
        """Texts damaged at random: some parse, some do not, and nothing breaks."""
        done = self.run('asan', command, 1 + SEED, count * (40 if LONG else 1), *inputs)
        last = (done.stdout.strip().splitlines() or [''])[-1].split()
        good = check(f'{name}: nothing breaks', done.returncode == 0 and last[1:2] == ['texts,'],
                     (done.stdout + done.stderr)[-1400:])
        if good:  # damage that leaves nothing, or everything, intact would test nothing
            check(f'{name}: some parse, some do not',
                  count // 100 < int(last[2]) < int(last[0]) // 2 + 1, done.stdout[-200:])
