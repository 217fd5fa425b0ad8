"""Damage to the folder of a frozen run: each function returns one that spoils a file of a folder,
and says how."""
import glob
import os


def _one(rng, where, pattern):
    return rng.choice(sorted(glob.glob(os.path.join(where, pattern))))


def flip(rng, pattern):
    """One bit of a file."""
    def spoil(where):
        file = _one(rng, where, pattern)
        with open(file, 'r+b') as out:
            data = bytearray(out.read())
            if not data:
                return f'{file}: nothing'
            at = rng.randrange(len(data))
            data[at] ^= 1 << rng.randrange(8)
            out.seek(0)
            out.write(data)
        return f'{os.path.basename(file)} byte {at}'
    return spoil


def cut(rng, pattern):
    """A file ends earlier."""
    def spoil(where):
        file = _one(rng, where, pattern)
        size = rng.randrange(os.path.getsize(file) + 1)
        os.truncate(file, size)
        return f'{os.path.basename(file)} cut to {size}'
    return spoil


def remove(rng, pattern):
    """A file is missing."""
    def spoil(where):
        file = _one(rng, where, pattern)
        os.remove(file)
        return os.path.basename(file) + ' removed'
    return spoil


def empty(rng, pattern):
    """Nothing is left of a file."""
    def spoil(where):
        file = _one(rng, where, pattern)
        os.truncate(file, 0)
        return os.path.basename(file) + ' emptied'
    return spoil


def spoil_file(rng, file, ways):
    """This file, in one of these ways."""
    return rng.choice(ways)(rng, glob.escape(os.path.basename(file)))(os.path.dirname(file))
