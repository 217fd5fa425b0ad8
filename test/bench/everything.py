"""`make bench`: all tables of docs/benchmarks.md, written into it, in less than twenty minutes.

Each part is a script of this folder that prints tables, and has a share of the time, in CPU seconds
of itself and what it starts: when it is over, the part is ended, and what it has printed by then
counts. Tables of the document whose title and head are those of a printed one get its cells, behind
the marker that names the script; what was not measured (-) or not printed stays as it is, and the
first table says so. Ratios come first: they are taken within one run, on one machine, so they mean
something where other programs run, too; seconds do not.

SCALE=1 adds the cost per state up to 10^8 states (some minutes more); LIMIT=N gives each run of the
symbolic and the bounded engine N CPU seconds instead of 2 and 5, and each part as much more time.
Names of parts as arguments: only these; what the others printed last is kept in build/bench, for
the first table. --show prints, and writes nothing.
"""
import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN, ROOT

DOCUMENT = os.path.join(ROOT, 'docs', 'benchmarks.md')
KEPT = os.path.join(ROOT, 'build', 'bench')
LIMIT = int(os.environ.get('LIMIT') or 0)
SCALE = os.environ.get('SCALE')


def part(script, seconds, *arguments, marker=None, needs=None, **environment):
    """needs: the program beside which its tables are; without it they stay as they are."""
    scaled = seconds * (1 + LIMIT / 10 if LIMIT and 'LIMIT' in environment else 1)
    if LIMIT and 'LIMIT' in environment:
        environment['LIMIT'] = str(LIMIT)
    return {'script': script, 'seconds': scaled, 'arguments': arguments,
            'environment': environment, 'needs': needs,
            'marker': marker or f'python3 test/bench/{script}.py'}


# Their shares are 1,150 seconds together.
PARTS = [part('beside', 120, LIMIT='15'),
         part('bench', 150, RUNS='1'),
         *([part('bench', 1800, '--scale', marker='python3 test/bench/bench.py --scale', RUNS='1')]
           if SCALE else []),
         part('symbolic', 330, LIMIT='2'),
         part('bounded', 180, 'pc', 'phils', 'proofs', LIMIT='5'),
         part('fiacre', 150, '--runs', '1', '--most', '6000000'),
         part('timed', 120, needs='tck-reach'),
         part('contexts', 100)]


# ---- tables in texts ----

def tables(lines, title=''):
    """[(title, head, first line, line after the last)]: the title is the last line before that is
    bold or a heading."""
    found = []
    for i, line in enumerate(lines):
        if line.startswith(('**', '#')):
            title = line.strip('*# ')
        if line.startswith('|---') and i and lines[i - 1].startswith('|'):
            end = i + 1
            while end < len(lines) and lines[end].startswith('|'):
                end += 1
            found.append((title, cells(lines[i - 1]), i - 1, end))
    return found


def cells(line):
    return [cell.strip() for cell in line.strip().strip('|').split('|')]


def is_marker(line, marker):
    return re.match(r'<!-- docs: measured by (?:[A-Z]+=\S+ )*' + re.escape(marker) + ',', line)


def is_nothing(cell):
    return cell in ('', '-') or cell.startswith('>')


def merged(old, new):
    """The rows of a table: new ones, with old cells where nothing was measured, and old rows that
    are not among them. Also how many cells were kept."""
    rows, kept = {cells(line)[0] + '|' + cells(line)[1]: cells(line) for line in old}, 0
    for line in new:
        row = cells(line)
        was = rows.get(row[0] + '|' + row[1]) or next(
            (each for each in rows.values() if each[0] == row[0] and len(rows) == len(new)), None)
        key = next((key for key, each in rows.items() if each is was), row[0] + '|' + row[1])
        if was and len(was) == len(row):
            kept += sum(is_nothing(cell) and not is_nothing(before)
                        for cell, before in zip(row, was))
            row = [before if is_nothing(cell) and not is_nothing(before) else cell
                   for cell, before in zip(row, was)]
        rows[key] = row
    return [f'| {" | ".join(row)} |' for row in rows.values()], kept


def put(document, part, printed, head):
    """Writes printed tables over those of the document; returns how many, and how many cells
    stayed."""
    written, stayed, lines = 0, 0, printed.split('\n')
    for title, columns, first, end in tables(lines):
        at = 0
        while at < len(document):
            if not is_marker(document[at], part['marker']):
                at += 1
                continue
            last = document.index('<!-- docs: end -->', at)
            inside = document[at:last]
            above = next((line.strip('*# ') for line in document[at::-1] if line.startswith('#')),
                         '')
            same = [table for table in tables(inside, above)
                    if table[1] == columns and (table[0] == title or not title)]
            if same and end - first > 2:
                rows, kept = merged(inside[same[0][2] + 2:same[0][3]], lines[first + 2:end])
                inside[same[0][2] + 2:same[0][3]] = rows
                with_limit = ''.join(f'{name}={value} ' for name, value
                                     in part['environment'].items())
                inside[0] = (f'<!-- docs: measured by {with_limit}{part["marker"]}, commit {head} '
                             f'-->')
                document[at:last] = inside
                written, stayed = written + 1, stayed + kept
                break
            at = last
    return written, stayed


# ---- running ----

def cpu_seconds(process):
    """Of a process, of those that it has waited for, and of those that run for it."""
    try:
        with open(f'/proc/{process}/stat') as file:
            fields = file.read().rsplit(')', 1)[1].split()
        with open(f'/proc/{process}/task/{process}/children') as file:
            children = file.read().split()
    except OSError:
        return 0
    own = sum(map(int, fields[11:15])) / os.sysconf('SC_CLK_TCK')
    return own + sum(cpu_seconds(child) for child in children)


def run(part):
    """What it printed, and whether it ended by itself."""
    patience, begun = 6 * part['seconds'], time.time()
    with tempfile.TemporaryFile('w+') as output:
        child = subprocess.Popen(
            [sys.executable, os.path.join(ROOT, 'test', 'bench', part['script'] + '.py'),
             *part['arguments']], stdout=output, cwd=ROOT, start_new_session=True,
            env={**os.environ, 'LIMIT': '', **part['environment']})
        ended = None
        while ended is None:
            try:
                child.wait(1)
                ended = True
            except subprocess.TimeoutExpired:
                if (cpu_seconds(child.pid) > part['seconds'] or time.time() - begun > patience):
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
                    ended = False
        output.seek(0)
        return output.read(), ended


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        return (done.stdout + done.stderr).strip().split('\n')[0]
    except (OSError, subprocess.TimeoutExpired):
        return ''


def versions():
    known = {'Spin': (('spin', '-V'),), 'LTSmin': (('prom2lts-mc', '--version'),),
             'TChecker': (('tck-reach', '--version'),), 'NuSMV': (('NuSMV', '-help'),),
             'ABC': (('berkeley-abc', '-q', 'version'), ('abc', '-q', 'version'))}
    texts = []
    for tool, commands in known.items():
        command = next((each for each in commands if shutil.which(each[0])), None)
        if not command:
            texts.append(f'{tool}: not installed')
            continue
        match = re.search(r'\d+(\.\d+)+', first_line(*command))
        texts.append(f'{tool} {match.group(0)}' if match else f'{tool}: installed')
    return texts


def ratios(printed):
    """Rows of the first table: (beside whom, model, times as fast, share of the memory)."""
    found = []
    for script, text in printed.items():
        lines = text.split('\n')
        for _, columns, first, end in tables(lines):
            for line in lines[first + 2:end]:
                row = dict(zip(columns, cells(line)))
                if script == 'beside':
                    found.append((row['beside'], row['model'], row['times as fast'], ''))
                elif script == 'bench' and 'speed ratio' in row:
                    found.append(('Spin', row['model'], row['speed ratio'], row['memory ratio']))
                elif script == 'fiacre' and row.get('ratio'):
                    found.append(('OBP, published', row['model'], row['ratio'], ''))
                elif script == 'timed' and row.get('times faster'):
                    found.append(('TChecker', f'{row["model"]}, {row["zones"]}',
                                  row['times faster'], row['of the memory']))
                elif script == 'symbolic' and row.get('Cairn / experiment'):
                    share = float(row['Cairn / experiment'])
                    found.append(('a saturation experiment, earlier', row['model'],
                                  f'{1 / share:.1f}' if share else '', ''))
    return found


def summary(kept):
    """The lines of the first table and what stands before it."""
    minutes = sum(each['seconds'] for each in kept.values()) / 60
    loads = [load for each in kept.values() for load in each['loads']]
    told = '; '.join(
        f'{name} {each["seconds"]:.0f} s'
        + ('' if each['ended'] else ', ended when its time was over')
        + (f', {each["stayed"]} cells as they were' if each['stayed'] else '')
        for name, each in kept.items())
    lines = [f'Written by `make bench` on {datetime.date.today():%d %B %Y}, {minutes:.0f} minutes '
             f'with a load average of {min(loads):.0f} to {max(loads):.0f} on {os.cpu_count()} '
             f'processors ({told}). {first_line(CAIRN, "--version").capitalize()}; '
             f'{"; ".join(versions())}.', '',
             '| beside | model | times as fast | of the memory |', '|---|---|---|---|']
    rows = sorted(set(ratios({name: each['text'] for name, each in kept.items()})))
    return lines + [f'| {" | ".join(row)} |' for row in rows]


def read_document():
    with open(DOCUMENT, encoding='utf-8') as file:
        return file.read().split('\n')


def write_document(lines):
    with open(DOCUMENT, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))


def measure(part, head, shows):
    print(f'# {part["script"]}, at most {part["seconds"]:.0f} CPU seconds', file=sys.stderr,
          flush=True)
    begun, load, stayed = time.time(), os.getloadavg()[0], 0
    text, ended = run(part)
    print(text, flush=True)
    if not shows and (not part['needs'] or shutil.which(part['needs'])):
        document = read_document()
        stayed = put(document, part, text, head)[1]
        write_document(document)
    os.makedirs(KEPT, exist_ok=True)
    with open(os.path.join(KEPT, part['script'] + '.json'), 'w', encoding='utf-8') as file:
        json.dump({'text': text, 'ended': ended, 'seconds': time.time() - begun, 'stayed': stayed,
                   'loads': [load, os.getloadavg()[0]]}, file)


def main():
    names = [name for name in sys.argv[1:] if not name.startswith('-')]
    shows = '--show' in sys.argv
    head = first_line('git', '-C', ROOT, 'rev-parse', '--short=7', 'HEAD')
    for each in PARTS:
        if not names or each['script'] in names:
            measure(each, head, shows)
    kept = {}
    for each in PARTS:
        path = os.path.join(KEPT, each['script'] + '.json')
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                kept[each['script']] = json.load(file)
    lines = summary(kept)
    print('\n'.join(lines))
    if shows:
        return
    document = read_document()
    begin = next(i for i, line in enumerate(document) if is_marker(line, 'make bench'))
    document[begin] = re.sub(r', commit \S+', f', commit {head}', document[begin])
    document[begin + 1:document.index('<!-- docs: end -->', begin)] = lines
    write_document(document)


if __name__ == '__main__':
    main()
