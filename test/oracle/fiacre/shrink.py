#!/usr/bin/env python3
"""Makes a Fiacre program smaller as long as a test says that it is still interesting.

    shrink.py FILE --test COMMAND [--dialect obp|frac] [--max-states N] [--output FILE]

COMMAND is run with {} replaced by the name of a candidate; exit status 0 means interesting.  Every
candidate is a valid program with at most N states (default 20000) for the reference implementation.
 Works on the text: declarations, transitions, instances, variables, branches and statements are
left out, statements are replaced by what is inside them, expressions by parts of themselves or by
constants.
"""
import argparse
import os
import subprocess
import sys
import tempfile

if __package__ in (None, ''):
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from fiacre.explore import explore
from fiacre.parse import ModelError, Parser
from fiacre.timed import Timed

CONSTANTS = ['0', 'true', 'false', '1']


class Spans(Parser):
    """Reads a program and remembers where its pieces are: kind, first and last token."""

    def __init__(self, text):
        super().__init__(text)
        self.text, self.spans = text, []
        starts = [0]
        for line in text.split('\n'):
            starts.append(starts[-1] + len(line) + 1)
        self.begin = [starts[line - 1] + column - 1 for _, _, (line, column) in self.tokens]

    def spanned(self, kind, read):
        start = self.at
        result = read()
        self.spans.append((kind, start, self.at - 1))
        return result

    def statement(self):
        return self.spanned('statement', super().statement)

    def block(self):
        return self.spanned('block', super().block)

    def expression(self):
        return self.spanned('expression', super().expression)

    def unary(self):
        return self.spanned('expression', super().unary)

    def composed(self):
        return self.spanned('instance', super().composed)

    def case_branch(self):
        return self.spanned('branch', super().case_branch)

    def program(self):
        result = super().program()
        words = [(at, word) for at, (kind, word, _) in enumerate(self.tokens) if kind == 'keyword']
        tops = [at for at, word in words
                if word in ('type', 'channel', 'const', 'function', 'process', 'component')]
        for start, end in zip(tops, tops[1:] + [len(self.tokens) - 2]):
            self.spans.append(('declaration', start, end - 1))
        froms = [at for at, word in words if word == 'from']
        stops = sorted(froms + tops + [len(self.tokens) - 2])
        for start in froms:
            self.spans.append(('declaration', start, next(x for x in stops if x > start) - 1))
        for at, word in words:
            if word in ('var', 'init', 'priority', 'port'):
                end = next((x for x, other in words if x > at
                            and other in ('var', 'init', 'priority', 'port', 'from', 'par',
                                          'begin')), None)
                if end:
                    self.spans.append(('declaration', at, end - 1))
        return result

    def piece(self, start, end):
        """The characters from one token to another, both included."""
        return self.begin[start], self.begin[end] + len(self.tokens[end][1])

    def candidates(self):
        """Texts that are smaller, the boldest first."""
        for kind, start, end in sorted(self.spans, key=lambda s: (s[1] - s[2], s)):
            inside = [s for s in self.spans if start <= s[1] and s[2] <= end
                      and s[1:] != (start, end)]
            before, after = (self.tokens[start - 1][1],
                             self.tokens[end + 1][1] if end + 1 < len(self.tokens) else '')
            if kind == 'declaration':
                yield self.replaced(start, end, '')
            elif kind in ('statement', 'block', 'instance', 'branch'):
                separators = {'statement': ';', 'block': '[]', 'instance': '||',
                              'branch': '|'}[kind]
                if after == separators:
                    yield self.replaced(start, end + 1, '')
                elif before == separators:
                    yield self.replaced(start - 1, end, '')
                if kind == 'statement' and end > start:
                    for _, a, b in sorted((s for s in inside if s[0] == 'block'),
                                          key=lambda s: s[1] - s[2]):
                        yield self.replaced(start, end, self.text[slice(*self.piece(a, b))])
                    yield self.replaced(start, end, 'null')
            elif kind == 'expression':
                for constant in CONSTANTS:
                    if start != end:
                        yield self.replaced(start, end, constant)
                for other, a, b in sorted(inside, key=lambda s: s[1] - s[2]):
                    if other == 'expression' and b - a < end - start:
                        yield self.replaced(start, end, self.text[slice(*self.piece(a, b))])

    def replaced(self, start, end, text):
        a, b = self.piece(start, end)
        return self.text[:a] + text + self.text[b:]


def valid(text, dialect, max_states):
    try:
        if Timed(text, dialect).explore(max_states).complete:
            return explore(text, dialect, max_states, ignore_time=True)['complete']
    except (ModelError, RecursionError):
        pass
    return False


def shrink(text, interesting, dialect='obp', max_states=20000):
    """The smallest text found; interesting(text) is only asked about valid programs."""
    tried, changed = {text}, True
    while changed:
        changed = False
        spans = Spans(text)
        spans.program()
        for candidate in spans.candidates():
            if len(candidate) < len(text) and candidate not in tried:
                tried.add(candidate)
                if valid(candidate, dialect, max_states) and interesting(candidate):
                    text, changed = candidate, True
                    break
    return '\n'.join(line.rstrip() for line in text.split('\n') if line.strip()) + '\n'


def main():
    parser = argparse.ArgumentParser(description='Makes Fiacre programs smaller.')
    parser.add_argument('file')
    parser.add_argument('--test', required=True)
    parser.add_argument('--dialect', choices=['obp', 'frac'], default='obp')
    parser.add_argument('--max-states', type=int, default=20000)
    parser.add_argument('--output')
    options = parser.parse_args()
    with open(options.file, encoding='utf-8') as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'candidate.fcr')

        def interesting(candidate):
            with open(path, 'w', encoding='utf-8') as out:
                out.write(candidate)
            return subprocess.run(options.test.replace('{}', path), shell=True,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode == 0

        if not interesting(text):
            print('the program itself is not interesting', file=sys.stderr)
            return 2
        result = shrink(text, interesting, options.dialect, options.max_states)
    if options.output:
        with open(options.output, 'w', encoding='utf-8') as file:
            file.write(result)
    else:
        print(result, end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
