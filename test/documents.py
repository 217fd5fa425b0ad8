"""What documents show, and whether it is true: commands with their outputs, tables of figures,
sentences with figures.

A document is Markdown. In a block of code a line "$ COMMAND" is a command, and the lines after it
are its output; in a block whose first line is a command (cairn ..., python3 examples/...) every
line is one, shown without output. So is a piece of code inside a sentence that begins with cairn
and names a file of the examples. Commands are run by a shell in a folder of their own, one for each
document, which has `cairn` and `examples`; what one command writes the next can read.

In a shown output "..." stands for anything: alone in its line for lines, inside a line for a piece
of it. What differs from machine to machine is not compared: seconds, memory, states per second
(NORMAL). Everything else is, to the last figure.

Comments in the source, which nobody sees in the rendered page, say what cannot be guessed. They are
about what comes next:

    <!-- docs: file NAME -->            the next block is the text of this file
    <!-- docs: file NAME (lines) -->    the lines of the comment are the text of this file
    <!-- docs: part of NAME -->         the next block stands in this file now, from the line with
    its first word to its last line <!-- docs: with A=x B=y -->         in commands of the next
    block A and B stand for x and y <!-- docs: quotes FILE -->          the next block stands in
    this file, line by line <!-- docs: long -->                 commands of the next block,
    or figures, take long: only with LONG=1 <!-- docs: status 2: WHY -->        the next block shows
    a mistake: its commands end with this status <!-- docs: not run: WHY -->         the next block
    is not for this suite <!-- docs: says "{states} states": COMMAND -->      the next paragraph has
    this text, with figures of the JSON result <!-- docs: printed by cairn --OPTION --> TEXT <!--
    docs: end -->    what the program prints of itself <!-- docs: figures NAME, commit C --> TABLE
    <!-- docs: end -->           cells are those that test/figures.py computes <!-- docs: measured
    by COMMAND, commit C --> TABLES <!-- docs: end -->   times, or what takes hours: nobody runs it
    here
"""
import difflib
import json
import os
import re
import subprocess
from lib import PATIENCE, ROOT, scratch

MARKER = re.compile(r'<!-- docs: (.*?)-->\n?', re.S)
COMMAND = re.compile(r'(\./)?cairn [a-z]|python3 examples/')
INLINE = re.compile(
    r'`((?:\./)?cairn (?:check|explore|simulate|translate|guide|automaton) [^`]*examples/[^`]*)`')
PLACEHOLDER = re.compile(r'(?<=\s)[A-Z]+(?=[\s:]|$)')
NORMAL = ((re.compile(r' *\b[\d,.]+ s\b'), ' # s'),  # seconds, and the spaces that align them
          (re.compile(r' *\b[\d,.]+ [KMG]iB\b'), ' # B'),
          (re.compile(r'\b[\d,.]+ (\w+) per second'), r'# \1 per second'))


def normal(text):
    for pattern, instead in NORMAL:
        text = pattern.sub(instead, text)
    return text.rstrip()


# ---- a document and what is in it ----

class Shown:
    """A command that a document shows: where (line numbers from 0), its output (None: not shown),
    and what markers say of it."""
    def __init__(self, command, line, end, indent, output, marks):
        self.command, self.line, self.end, self.indent, self.output, self.marks = (command, line,
            end, indent, output, marks)
        self.status = int(marks['status'].split(':')[0]) if 'status' in marks else None
        self.result = self.real = None

    def words(self):
        """The command with what stands for its placeholders."""
        command = self.command.removeprefix('./')
        for name, value in dict(pair.split('=', 1)
                                for pair in self.marks.get('with', '').split()).items():
            command = re.sub(rf'\b{name}\b', value, command)
        return command


class Document:
    """Pieces in order: ('file', name, text), ('command', Shown), ('table', Table), ('says',
    Sentence)."""
    def __init__(self, name, text):
        self.name, self.lines, self.pieces, self.bare = name, text.split('\n'), [], []
        self.marks, self.section, self.previous, at = {}, None, '', 0
        while at < len(self.lines):
            at = self.read(at)

    def read(self, at):
        """Reads what begins in this line; returns the line after it."""
        line = self.lines[at]
        if line.startswith('<!-- docs: '):
            end = next(i for i in range(at, len(self.lines)) if '-->' in self.lines[i]) + 1
            self.mark(MARKER.match('\n'.join(self.lines[at:end]) + '\n').group(1), at)
            return end
        if line.startswith('```'):
            end = next(i for i in range(at + 1, len(self.lines)) if self.lines[i].startswith('```'))
            self.block(at + 1, end, '')
            return end + 1
        if line.startswith('    ') and not self.previous.strip():
            end = at
            while (end < len(self.lines)
                   and (self.lines[end].startswith('    ') or not self.lines[end].strip())):
                end += 1
            while not self.lines[end - 1].strip():
                end -= 1
            self.block(at, end)
            return end
        if line.startswith('|'):
            end = at
            while end < len(self.lines) and self.lines[end].startswith('|'):
                end += 1
            self.table(at, end)
            return end
        for command in INLINE.findall(line):
            self.pieces.append(('command', Shown(command, at, at + 1, '', None, dict(self.marks))))
        if line.strip():
            self.marks = {}
        self.previous = line
        return at + 1

    def mark(self, text, line):
        word, _, rest = text.strip().partition(' ')
        if word == 'file' and '\n' in rest:
            name, _, content = rest.partition('\n')
            self.pieces.append(('file', name.strip(), content.rstrip() + '\n'))
        elif word in ('figures', 'measured'):
            self.section = word, rest.rsplit(', commit ', 1)[0], line
        elif word == 'end':
            self.section = None
        elif word == 'says':
            template, command = re.fullmatch(r'"(.*)": (.*)', rest, re.S).groups()
            self.pieces.append(
                ('says', Sentence(self, line, template, ' '.join(command.split()),
                                  'long' in self.marks)))
        else:
            self.marks['not run' if word == 'not' else word.rstrip(':')] = rest
        self.previous = ''

    def block(self, at, end, indent=None):
        lines, marks = self.lines[at:end], self.marks
        self.marks, self.previous = {}, ''
        if indent is None:
            indent = min((line[:len(line) - len(line.lstrip())] for line in lines if line.strip()),
                         key=len)
        bare = [line[len(indent):] for line in lines]
        if 'file' in marks:
            self.pieces.append(('file', marks['file'], '\n'.join(bare) + '\n'))
        if 'quotes' in marks:
            self.pieces.append(('quotes', marks['quotes'], bare, at))
        if 'part' in marks:
            self.pieces.append(('part', marks['part'].removeprefix('of '), bare))
        prompts = [i for i, line in enumerate(bare) if line.startswith('$ ')]
        if not prompts and COMMAND.match(bare[0]):
            for i, line in enumerate(bare):
                self.pieces.append(
                    ('command', Shown(line, at + i, at + i + 1, indent, None, marks)))
        for i, after in zip(prompts, prompts[1:] + [len(bare)]):
            output = ('\n'.join(bare[i + 1:after]).rstrip('\n').split('\n') if after > i + 1
                      else None)
            length = 1 + (len(output) if output else 0)
            self.pieces.append(
                ('command', Shown(bare[i][2:], at + i, at + i + length, indent, output, marks)))

    def table(self, at, end):
        table = Table(self, at, end, 'long' in self.marks)
        self.marks = {}
        if self.section and self.section[0] == 'figures':
            table.name, table.marker = self.section[1:]
            self.pieces.append(('table', table))
        elif not self.section and table.figures() >= 8:
            self.bare.append(table)


class Table:
    """A table: its lines in the document, and its cells."""
    def __init__(self, document, line, end, long):
        self.document, self.line, self.end, self.long = document, line, end, long
        rows = [re.split(r'(?<!\\)\|', text.strip().strip('|'))
                for text in document.lines[line:end]]
        self.header, self.rows = [cell.strip() for cell in rows[0]], [[cell.strip() for cell in row]
            for row in rows[2:]]

    def figures(self):
        return sum(bool(re.fullmatch(r'[\d,]+(\.\d+)?', cell)) for row in self.rows for cell in row)

    def set(self, row, column, cell):
        """Whether that was something else."""
        same = self.rows[row][column] == cell
        self.rows[row][column] = cell
        if not same:
            line = '| ' + ' | '.join(self.rows[row]) + ' |'
            self.document.lines[self.line + 2 + row] = re.sub(r'\|  (?=\|)', '| ', line)
        return not same


class Sentence:
    """A text with figures in the paragraph after a marker."""
    def __init__(self, document, line, template, command, long):
        self.document, self.line, self.template, self.command, self.long = (document, line,
            template, command, long)

    def paragraph(self):
        """(first line, line after the last)"""
        lines, at = self.document.lines, self.line
        while lines[at].startswith('<!--') or not lines[at].strip():
            at = (next(i for i in range(at, len(lines)) if '-->' in lines[i]) + 1
                  if lines[at].startswith('<!--') else at + 1)
        end = at
        while end < len(lines) and lines[end].strip():
            end += 1
        return at, end


# ---- running ----

class Folder:
    """Where the commands of a document run."""
    def __init__(self, name, program):
        self.path = os.path.join(scratch.name, 'documents', re.sub(r'\W', '_', name))
        os.makedirs(self.path)
        for link, target in (('examples', os.path.join(ROOT, 'examples')),
                             ('test', os.path.join(ROOT, 'test')), ('cairn', program)):
            os.symlink(target, os.path.join(self.path, link))

    def prepare(self, command, files):
        """Makes the files that the command names, if they are not there: {name: command that prints
        it}."""
        for name, maker in files.items():
            if name in command and not os.path.exists(os.path.join(self.path, name)):
                self.write(name, self.run(maker).stdout)

    def quotes(self, name, lines):
        """Whether these lines stand one after the other in a file; indentation is free."""
        with open(os.path.join(self.path, name), encoding='utf-8') as file:
            text = [line.strip() for line in file]
        wanted = [line.strip() for line in lines]
        return any(text[i:i + len(wanted)] == wanted for i in range(len(text)))

    def write(self, name, text):
        assert not name.startswith(('examples/', 'test/')), name  # they are links
        with open(os.path.join(self.path, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def replace(self, name, lines):
        """Lines take the place of those from the first one with the same first word to the first
        one after it that is the last."""
        with open(os.path.join(self.path, name), encoding='utf-8') as file:
            text = file.read().split('\n')
        begin = next(i for i, line in enumerate(text) if line.split()[:1] == lines[0].split()[:1])
        end = text.index(lines[-1], begin)
        self.write(name, '\n'.join(text[:begin] + lines + text[end + 1:]))

    def run(self, command):
        environment = dict(os.environ, PATH=self.path + os.pathsep + os.environ['PATH'])
        return subprocess.run(['sh', '-c', command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              cwd=self.path, env=environment, timeout=PATIENCE, errors='replace')


results = {}


def claim(command, program, where=ROOT):
    """The JSON object of a command that documents do not show; each is run once."""
    if (command, where) not in results:
        done = subprocess.run(f'{program} {command} --json -q', shell=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, cwd=where, timeout=3 * PATIENCE)
        if done.returncode in (2, 4) or done.returncode < 0:
            raise RuntimeError(f'cairn {command}: status {done.returncode}: {done.stderr[-500:]}')
        results[command, where] = json.loads(done.stdout)
    return results[command, where]


# ---- comparing ----

def line_matches(shown, real):
    """Both normal."""
    pieces = shown.split('...')
    return (bool(re.fullmatch('.*'.join(map(re.escape, pieces)), real)) if len(pieces) > 1
            else shown == real)


def matches(shown, real):
    """Whether lines with elisions are what was printed. The pieces between elisions are looked for
    from left to right."""
    pieces, real = [[]], [normal(line) for line in real]
    for line in shown:
        if line.strip() == '...':
            pieces.append([])
        else:
            pieces[-1].append(normal(line))

    def is_at(piece, at):
        return (at + len(piece) <= len(real)
                and all(line_matches(line, real[at + i]) for i, line in enumerate(piece)))
    at = len(pieces[0])
    if not is_at(pieces[0], 0) or len(pieces) == 1:
        return is_at(pieces[0], 0) and at == len(real)
    for piece in pieces[1:-1]:
        at = next((i for i in range(at, len(real) + 1) if is_at(piece, i)), None)
        if at is None:
            return False
        at += len(piece)
    last = len(real) - len(pieces[-1])
    return last >= at and is_at(pieces[-1], last)


# ---- writing anew, with the same elisions ----

class Gap(str):
    """A token that is an elision, as it is written."""


def pairs(shown, real, close):
    """The best way to pair tokens in order: [index in real or None for each of shown]. close: 0
    (unlike) to 1 (equal)."""
    best = [[0.0] * (len(real) + 1) for _ in range(len(shown) + 1)]
    like = [[0.0 if isinstance(token, Gap) else close(token, other) for other in real]
            for token in shown]
    for i in reversed(range(len(shown))):
        for j in reversed(range(len(real))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1],
                             best[i + 1][j + 1] + like[i][j] if like[i][j] > 0 else 0)
    found, i, j = [], 0, 0
    while i < len(shown):
        if j < len(real) and like[i][j] > 0 and best[i][j] == best[i + 1][j + 1] + like[i][j]:
            found.append(j)
            i, j = i + 1, j + 1
        elif j < len(real) and best[i][j] == best[i][j + 1]:
            j += 1
        else:
            found.append(None)
            i += 1
    return found


def refit(shown, real, close, merge, gap):
    """Real tokens with the elisions of the shown ones: a piece between two of them reaches from the
    first to the last token that it has in common with what is real; the first piece from the
    beginning. The last piece, if what ends it is no longer there, reaches to the end; if it is and
    more than one token has come after it, they are elided (gap)."""
    found, gaps, output = pairs(shown, real,
                                close), [i for i, token in enumerate(shown)
                                         if isinstance(token, Gap)], []
    for begin, end in zip([0] + [i + 1 for i in gaps], gaps + [len(shown)]):
        partner = {found[i]: i for i in range(begin, end) if found[i] is not None}
        is_last, is_first = end == len(shown), begin == 0
        if not is_first and not (output and isinstance(output[-1], Gap)):
            output.append(shown[begin - 1])
        first = 0 if is_first else min(partner, default=None)
        last = (len(real) - 1 if is_last and begin < end and found[-1] is None
                else max(partner, default=None))
        if begin == end or first is None or last is None:
            continue
        if is_last and last == len(real) - 2:
            last += 1
        output += [merge(shown[partner[j]] if j in partner else None, real[j])
                   for j in range(first, last + 1)]
        if is_last and last < len(real) - 1:
            output.append(Gap(gap))
    return output


def split_words(text):
    return [Gap(word) if word.strip() == '...' else word
            for word in re.findall(r'\s?\.\.\.\s?|\w+|\s+|[^\w\s]', text)]


def close_words(one, other):
    if one == other:
        return 0.2 if one.isspace() else 1
    return 0.6 if one.isdigit() and other.isdigit() else 0


def close_lines(one, other):
    one, other = (re.sub(r'\d+', '0', normal(text)) for text in (one, other))
    if one == other or '...' in one and line_matches(one, other):
        return 1
    likeness = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
    return likeness if likeness > 0.6 and bool(one.strip()) == bool(other.strip()) else 0


def with_old_times(line, now):
    """What is not compared stays as it was, where there is as much of it as before."""
    for pattern, _ in NORMAL:
        old = pattern.findall(line) and [match.group() for match in pattern.finditer(line)]
        if old and len(old) == len(pattern.findall(now)):
            old = iter(old)
            now = pattern.sub(lambda _: next(old), now)
    return now


def rewritten(shown, real, times):
    """The output as it is now, with the elisions it had. A line that differs in times alone stays,
    unless times are wanted."""
    if matches(shown, real) and not times:
        return shown

    def merge(line, now):
        if line is None:
            return now.rstrip()
        if not times:
            if line_matches(normal(line), normal(now)):
                return line
            now = with_old_times(line, now)
        if '...' in line:
            words = refit(split_words(line), split_words(now.replace('...', '')), close_words,
                          lambda _, word: word, ' ...')
            now = re.sub(r' +\.\.\. +', ' ... ', ''.join(words))
        return now.rstrip()
    gap = next((line for line in shown if line.strip() == '...'), '  ...')
    return refit([Gap(line) if line.strip() == '...' else line for line in shown], real,
                 close_lines, merge, gap)
