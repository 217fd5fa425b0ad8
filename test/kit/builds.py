"""Programs of two versions: today's, and that of another commit.

The other one is built once, in a folder of its own, build/commits/HASH, which also has the
examples of that commit. Nothing of it is ever changed.
"""
import os
import subprocess
import sys
from lib import ROOT

VERSION_0_1 = 'b41d18bd70051a5fef28f41b8dc1ccd958a90dac'  # the last commit of version 0.1


def git(*arguments, **more):
    return subprocess.run(['git', '-C', ROOT, *arguments], capture_output=True, check=True, **more)


def make(folder):
    """Builds the release program of a folder. make of today may be at work around us."""
    environment = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MFLAGS', 'MODE')}
    built = subprocess.run(['make', '-s', '-j2', 'cairn'], cwd=folder, env=environment,
                           capture_output=True, text=True)
    if built.returncode:
        sys.exit(f'the build of {folder} failed:\n{built.stderr[-3000:]}')
    return os.path.join(folder, 'cairn')


def folder_of(commit):
    """The folder of a commit, with its sources, its examples and its program."""
    name = git('rev-parse', '--verify', f'{commit}^{{commit}}', text=True).stdout.strip()
    folder = os.path.join(ROOT, 'build', 'commits', name[:12])
    if not os.path.exists(os.path.join(folder, 'Makefile')):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(['tar', '-x', '-C', folder], input=git('archive', name).stdout, check=True)
    return folder


def both(commit):
    """(folder of the other commit, its program, today's program)"""
    folder = folder_of(commit)
    return folder, make(folder), make(ROOT)
