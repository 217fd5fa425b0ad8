"""What README, docs and examples show is what happens: every command is run, outputs and tables of
figures are compared with what is shown (test/documents.py says how, test/figures.py where tables
come from). Then every figure that was compared is changed in memory, one at a time: each change
must be found.

--update (make figures) writes what is shown instead. Lines and cells that differ in times alone
stay as they are, unless TIMES=1; what is marked as long is run with LONG=1, here as there. Names of
documents after it choose some.
"""
import glob
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import lib
from lib import CAIRN, LONG, ROOT, check, finish, spent
import documents
import figures

UPDATE = '--update' in sys.argv
TIMES = os.environ.get('TIMES', '') not in ('', '0')
CHOSEN = [name for name in sys.argv[1:] if os.path.exists(os.path.join(ROOT, name))]
lib.CASE = '' if CHOSEN else lib.CASE # documents are no cases
NAMES = ['README.md', *sorted(glob.glob('docs/*.md', root_dir=ROOT)), 'examples/README.md',
         *sorted(glob.glob('examples/*/README.md', root_dir=ROOT))]
SLOW = 4  # CPU seconds: what takes longer should be marked as long
found = {'changes': 0}


def commit():
    """That of the program whose figures are written; with a + when it has been changed since."""
    head = subprocess.run(['git', 'rev-parse', '--short=7', 'HEAD'], cwd=ROOT, capture_output=True,
                          text=True).stdout.strip()
    changed = subprocess.run(['git', 'diff', '--quiet', 'HEAD', '--', 'src', 'examples', ':!*.md'],
                             cwd=ROOT).returncode
    return head + ('+' if changed else '')


def note(text):
    if UPDATE:
        print(text, flush=True)


# ---- commands ----

def run_shown(document, shown, folder):
    """Runs it; whether there is something to compare."""
    name = f'{document.name}:{shown.line + 1}: {shown.command}'
    if 'not run' in shown.marks or ('long' in shown.marks and not LONG):
        return False
    left = documents.PLACEHOLDER.search(re.sub(r"'[^']*'", '', shown.words()))
    if (not check(f'{name}: what stands for {left and left.group()}?', not left,
                  'a marker "with" says it')):
        return False
    before = spent()
    shown.result = folder.run(shown.words())
    if spent() - before > SLOW and 'long' not in shown.marks:
        note(f'{name}: {spent() - before:.0f} s of CPU time; mark it as long?')
    status = shown.result.returncode
    good = status == shown.status if shown.status is not None else status in (0, 1, 3)
    shown.real = shown.result.stdout.rstrip('\n').split('\n')
    return (check(f'{name}: status {status}', good, shown.result.stdout[-600:])
            and shown.output is not None)


def compare_output(document, shown):
    name = f'{document.name}:{shown.line + 1}: {shown.command}'
    if UPDATE:
        return
    if (check(f'{name}: its output', documents.matches(shown.output, shown.real),
              '\n'.join(['shown:', *shown.output, 'now:', *shown.real[:60]]))):
        change_output(name, shown)


def change_output(name, shown):
    """Each figure of a line, times aside, is changed: then the output is no longer what happens."""
    for number, line in enumerate(shown.output):
        kept = documents.normal(line)
        for figure in re.finditer(r'\d+', kept):
            other = kept[:figure.start()] + str(int(figure.group()) + 1) + kept[figure.end():]
            changed = shown.output[:number] + [other] + shown.output[number + 1:]
            found['changes'] += 1
            if documents.matches(changed, shown.real):
                check(f'{name}: a wrong figure is found', False, f'{line} -> {other}')


# ---- tables and sentences ----

def compare_cell(document, table, row, column, now, source):
    """Compares a cell, or fills it in; whether it has changed."""
    shown = table.rows[row][column]
    if not UPDATE:
        found['changes'] += 1
        return not check(f'{document.name}:{table.line + 3 + row}: {source}', shown == now,
                         f'{shown} is shown, {now} is true')
    return table.set(row, column, now)


def examine_table(document, table, folder):
    """All its cells; whether one has changed."""
    if (not check(f'{document.name}:{table.line + 1}: there is a table {table.name}',
                  table.name in figures.TABLES)):
        return False
    changed = False
    for cells in figures.TABLES[table.name]:
        for row, column, command, measure, is_time, is_long in cells.of(table):
            if (is_long and not LONG) or (is_time and not (UPDATE and TIMES)):
                continue
            if command:
                folder.prepare(command, figures.FILES)
            now = measure(documents.claim(command, CAIRN, folder.path) if command else None)
            changed |= compare_cell(document, table, row, column, now, f'cairn {command}')
    return changed


def sentence_text(sentence, folder):
    claim = documents.claim(sentence.command, CAIRN, folder.path)
    return re.sub(r'\{([\w.]+)\}', lambda way: figures.measured(way.group(1))(claim),
                  sentence.template)


def examine_sentence(document, sentence, folder):
    """Compares its figures, or writes them."""
    if sentence.long and not LONG:
        return
    begin, end = sentence.paragraph()
    paragraph, text = '\n'.join(document.lines[begin:end]), sentence_text(sentence, folder)
    if not UPDATE:
        check(f'{document.name}:{begin + 1}: "{text}" (cairn {sentence.command})',
              text in ' '.join(paragraph.split()))
        return
    pattern = r'[\d,.e]*\d'.join(
        map(re.escape, re.split(r'\{[\w.]+\}', sentence.template))).replace(r'\ ', r'\s+')
    if check(f'{document.name}:{begin + 1}: a place for "{text}"', re.search(pattern, paragraph)):
        if text not in ' '.join(paragraph.split()):
            document.lines[begin:end] = re.sub(pattern, lambda _: text, paragraph, 1).split('\n')


# ---- documents ----

def examine_printed(name, text):
    """Compares what the program prints of itself, or writes it; the text as it is then."""
    def now(shown):
        real = subprocess.run([CAIRN, *shown.group(2).split()], capture_output=True, text=True,
                              check=True).stdout
        if not UPDATE:
            check(f'{name}: what cairn {shown.group(2)} prints', shown.group(3) == f'\n{real}\n',
                  'make figures writes it')
        return f'{shown.group(1)}\n{real}\n{shown.group(4)}'
    return re.sub(r'(<!-- docs: printed by cairn (\S+) -->\n)(.*?)(<!-- docs: end -->)', now, text,
                  flags=re.S)


MOST_LETTERS = 900  # of a paragraph
MOST_LINES = 12     # before something can be run


def check_reading(name, text):
    """A page opens with something to run, and has paragraphs, not walls."""
    plain = re.sub(r'<!--.*?-->|^```.*?^```', '', text, flags=re.S | re.M)
    long = [part[:60] for block in re.split(r'\n\s*\n', plain)
            for part in re.split(r'\n(?=- |\d+\. |\|)', block)
            if len(part) > MOST_LETTERS and part[0] not in ' |']
    check(f'{name}: paragraphs, not walls', not long, long)
    opening = text.split('\n')[:MOST_LINES]
    check(f'{name}: it opens with something to run',
          any(re.match(r'    (\$ )?(mpirun .*)?cairn(-mpi)? ', line) for line in opening)
          or '<!-- docs: file' in '\n'.join(opening), opening)


def examine(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        text = file.read()
    written = examine_printed(name, text)
    if UPDATE and written != text:
        with open(os.path.join(ROOT, name), 'w', encoding='utf-8') as file:
            file.write(written)
        print(f'{name}: written anew')
    text = written
    if name.startswith('docs/'):
        check_reading(name, text)
    document = documents.Document(name, text)
    folder = documents.Folder(name, CAIRN)
    for table in document.bare:
        check(f'{name}:{table.line + 1}: the table of figures says where it comes from', False,
              'a marker "figures" or "measured" says it')
    outputs, tables = [], []
    for kind, *what in document.pieces:
        if kind == 'file':
            folder.write(*what)
        elif kind == 'part':
            folder.replace(*what)
        elif kind == 'quotes':
            check(f'{name}:{what[2] + 1}: {what[0]} is quoted as it is',
                  folder.quotes(*what[:2]))
        elif kind == 'command' and run_shown(document, what[0], folder):
            compare_output(document, what[0])
            outputs.append(what[0])
        elif kind == 'table' and examine_table(document, what[0], folder):
            tables.append(what[0])
        elif kind == 'says':
            examine_sentence(document, what[0], folder)
    if UPDATE:
        update(document, text, outputs, tables)


def update(document, text, outputs, tables):
    """Writes the document anew, from its end on, so that line numbers before stay true."""
    lines = document.lines
    for piece in sorted(outputs + tables, key=lambda piece: -piece.line):
        if isinstance(piece, documents.Table):
            lines[piece.marker] = re.sub(r', commit \S+', f', commit {commit()}',
                                         lines[piece.marker])
        else:
            now = documents.rewritten(piece.output, piece.real, TIMES)
            lines[piece.line + 1:piece.end] = [(piece.indent + line).rstrip() for line in now]
    if '\n'.join(lines) != text:
        with open(os.path.join(ROOT, document.name), 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines))
        print(f'{document.name}: written anew')


# ---- the suite itself ----


def elisions():
    """Comparing and writing anew, on texts of our own."""
    real = ['a: 5 states, 0.01 s', '  b 1', '  c 2', 'd 3 and 4 and 5']
    for shown, good in ((real, True), (['a: 5 states, 7.2 s', '...', 'd 3 and 4 and 5'], True),
                        (['a: 6 states, 0.01 s', '...'], False),
                        (['...', '  c 2', '...'], True), (['...', '  c 2'], False),
                        (['...', 'd 3 ... 5'], True), (['...', 'd 3 ... 4'], False),
                        (['a: 5 states, 0.01 s', '  b 1', '  c 2'], False),
                        (['...', '  c 2', '  b 1', '...'], False)):
        check(f'{shown} is what happens', documents.matches(shown, real) == good)
    for shown, wanted in (
        (['a: 6 states, 1.00 s', '  ...', 'd 3 and ... 6'],
         ['a: 5 states, 1.00 s', '  ...', 'd 3 and ... 5']),
        (['a: 5 states, 1.00 s', '  ...', 'd 4 and 4 and 5'],
         ['a: 5 states, 1.00 s', '  ...', real[3]]),
        (['...', '  c 3', '...'], ['...', '  c 2', '...']), (real[:2], real[:2] + ['  ...']),
        (real[:3], real), (real[:2] + ['gone'], real)):
        check(f'{shown} written anew', documents.rewritten(shown, real, False) == wanted,
              documents.rewritten(shown, real, False))


if not UPDATE:
    elisions()
for name in CHOSEN or NAMES:
    examine(name)
if not UPDATE:
    check('wrong figures were tried', CHOSEN or found['changes'] > 300, found)
finish()
