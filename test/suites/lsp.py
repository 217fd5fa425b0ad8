"""The language server: a scripted client on every example, under the address sanitizer; positions;
malformed messages; definitions and references against the texts themselves; what editors are
configured with."""
import glob
import json
import os
import random
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, LONG, PATIENCE, ROOT, SEED, check, finish, path, run, section,
                 until, write)
from lspclient import LANGUAGES, Client, path_of, position, uri_of

EXAMPLES = sorted(name for name in glob.glob(os.path.join(ROOT, 'examples', '*', '*.*'))
                  if os.path.splitext(name)[1] in LANGUAGES)
KEYWORD = 14


def short(name):
    return os.path.relpath(name, os.path.join(ROOT, 'examples'))


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def code_of(name, text):
    """The text without comments, strings and markup: spaces stand for them."""
    if name.endswith('.xml'):
        text = re.sub(r'<!--.*?-->', blank, text, flags=re.S)
        text = re.sub(r'<(comments|comment|expect)\b.*?</\1>|<[^>]*>', blank, text, flags=re.S)
        text = re.sub(r'&\w+;', blank, text)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', blank, text, flags=re.S)


def words_of(name, text):
    return [(match.start(), match.group())
            for match in re.finditer(r'(?<!\w)[A-Za-z_]\w*', code_of(name, text))]


def start_of(place):
    return place['range']['start']['line'], place['range']['start']['character']


def errors_of(diagnostics):
    return [each['message'] for each in diagnostics if each['severity'] == 1]


def symbols_of(outline):
    for each in outline:
        yield each
        yield from symbols_of(each['children'])


def within(inner, outer):
    def pair(place):
        return place['line'], place['character']
    return (pair(outer['start']) <= pair(inner['start'])
            and pair(inner['end']) <= pair(outer['end']))


def ends_well(name, client):
    status = client.end()
    check(f'{name}: the server ends with status 0, and says nothing',
          status == 0 and not client.errors, client.errors.decode()[-2000:])


# ---- every example ----

def navigate(client, uri, text, label):
    """Asks everything at some places; the answers make sense."""
    words = words_of(label, text)
    chosen = random.Random(SEED + len(text)).sample(words, min(len(words), 12 if LONG else 4))
    for offset, word in chosen:
        place = position(text, offset)
        hover = client.ask('hover', uri, *place)
        definition = client.ask('definition', uri, *place)
        check(f'{label}: {word} at {place} has a hover if it has a definition',
              bool(hover) == bool(definition), (hover, definition))
        if not definition:
            continue
        check(f'{label}: the hover of {word} names it',
              word in hover['contents']['value'].split('```')[1], hover)
        uses = client.references(uri, *place)
        check(f'{label}: {word} at {place} is one of its references',
              place in [start_of(use) for use in uses if use['uri'] == uri], uses)
    outline = list(symbols_of(client.ask('documentSymbol', uri)))
    check(f'{label}: names lie in what they name',
          all(within(each['selectionRange'], each['range']) for each in outline))
    completed = client.ask('completion', uri, *position(text, len(text) // 2))
    check(f'{label}: completion has keywords', any(item['kind'] == KEYWORD for item in completed)
          or label.endswith('.cairn'))
    actions = client.ask('codeAction', uri, range={'start': {'line': 0, 'character': 0},
                                                   'end': {'line': 9999, 'character': 0}},
                         context={'diagnostics': []})
    check(f'{label}: there is nothing to mend', actions == [], actions)
    return outline, client.ask('codeLens', uri)


def every_example():
    with Client(ASAN) as client:
        client.initialize()
        for name in EXAMPLES:
            label = short(name)
            uri = client.open(name)
            text = client.texts[uri]
            first = client.diagnostics(uri)
            check(f'{label} has no errors', not errors_of(first), first)
            outline, lenses = navigate(client, uri, text, label)
            check(f'{label} has an outline', outline)
            # broken in the middle: what is known of it stays
            middle = text.index('\n', len(text) // 2) + 1
            line = text[:middle].count('\n')
            at = {'line': line, 'character': 0}
            damage = '\n< & ;\n' if name.endswith('.xml') else '\n@ } ) ] ;\n'
            client.changes(uri, [{'range': {'start': at, 'end': at}, 'text': damage}])
            check(f'{label}, broken, has an error', errors_of(client.diagnostics(uri)))
            again = list(symbols_of(client.ask('documentSymbol', uri)))
            check(f'{label}, broken, still has its outline',
                  [each['name'] for each in again] == [each['name'] for each in outline])
            moved = [each['selectionRange']['start']['line'] for each in again]
            check(f'{label}, broken: what is behind it has moved',
                  moved == [old['selectionRange']['start']['line']
                            + (2 if old['selectionRange']['start']['line'] >= line else 0)
                            for old in outline], moved)
            client.changes(uri, [{'range': {'start': at, 'end': {'line': line + 2,
                                                                  'character': 0}}, 'text': ''}])
            check(f'{label}, mended, is as before', client.diagnostics(uri) == first)
            check(f'{label}, mended, has the same lenses', client.ask('codeLens', uri) == lenses)
            client.close(uri)
        ends_well('every example', client)


# ---- definitions and references ----

# Each use of a word in a line, and the line where it is declared; lines from 1.
DEFINITIONS = {
    'a.mil': ('''CONST n = 2; END
VARIABLES turn : 2 := 0; END
ACTIONS go; END
LOCAL P
  LOCATIONS idle, busy; END
  ACTIONS work; END
  VARIABLES pc : 1 := idle; x : n := 0; END
  CASE
    [idle] [work] turn == self : pc := busy; x := x + 1;
    [busy] [go] true : pc := idle;
  END
  SYNC go; END
END
MAIN
  PROC p : P[n]; END
  CASE
    [go] turn < n : turn := turn + 1;
  END
END
INVARIANTS
  fine : p[0].x < n | p[1].pc == busy;
END
''', [(7, 'idle', 5), (7, 'n', 1), (9, 'turn', 2), (9, 'work', 6), (9, 'x', 7), (10, 'go', 3),
      (10, 'busy', 5), (12, 'go', 3), (15, 'P', 4), (17, 'go', 3), (21, 'p', 15), (21, 'x', 7),
      (21, 'busy', 5), (21, 'n', 1)]),
    'a.fcr': ('''const size : nat is 3
type point is record x, y : 0..7 end
type shape is union dot of point | line of 0..3 end
function up (p : point) : point is
  var q : point := p
begin q.x := p.x + 1; return q end
process Draw [draw : in out shape] (&last : point) is
  states idle, done
  var s : shape, n : 0..size := 0
  from idle
    s := any where n < size;
    case s of
      dot (last) -> last := up(last)
    | line n -> null
    end;
    draw ! s;
    to done
  from done
    #again;
    to idle
component Main is
  var last : point := {x = 0, y = 1}
  port p : shape
  par p -> Draw [p] (&last) end
property ends is ltl F (Draw[0]@done)
Main
''', [(3, 'point', 2), (5, 'p', 4), (6, 'q', 5), (6, 'x', 2), (7, 'shape', 3), (7, 'point', 2),
      (9, 'size', 1), (11, 's', 9), (13, 'dot', 3), (13, 'last', 7), (13, 'up', 4),
      (14, 'line', 3), (14, 'n', 9), (16, 'draw', 7), (17, 'done', 8), (18, 'done', 8),
      (22, 'point', 2), (22, 'y', 2), (24, 'p', 23), (24, 'Draw', 7), (24, 'last', 22),
      (25, 'Draw', 7), (25, 'done', 8), (26, 'Main', 21)]),
    'a.cdl': ('''// model: a.fcr
event again is { sync again }
predicate there is { {Draw}1@done and {Draw}1:n < size }
activity twice is { again ; event again }
property right is { start -- / there / again / -> reject }
cdl all is {
  properties right
  assert there
  main is { twice }
}
''', [(3, 'done', ('a.fcr', 8)), (3, 'Draw', ('a.fcr', 7)), (3, 'n', ('a.fcr', 9)),
      (3, 'size', ('a.fcr', 1)), (4, 'again', 2), (5, 'there', 3), (5, 'again', 2),
      (7, 'right', 5), (8, 'there', 3), (9, 'twice', 4)]),
    'a.xgdl': ('''// model: a.mil
let once = (work; go);
guide all = once* [] "p[0].work";
''', [(2, 'work', ('a.mil', 6)), (2, 'go', ('a.mil', 3)), (3, 'once', 2)]),
    'a.xta': ('''const int N = 3;
typedef int[0, N - 1] id_t;
typedef struct { id_t who; int[0, 9] much; } note_t;
chan go[N];
note_t board;
int[0, 9] most(int[0, 9] a) { int[0, 9] b = a; for (i : id_t) { b = b > a ? b : a; } return b; }
process P(const id_t id) {
  clock x;
  int[0, 9] N2;
  state a { x <= N }, b, c;
  commit c;
  init a;
  trans
    a -> b { select i : id_t; guard i != id && x >= 1; sync go[i]!; assign board.who = i, N2 = 1; },
    b -> c { guard forall (k : id_t) k < N; sync go[id]?; assign board.much = most(N2); },
    c -> a { };
}
Q = P(1);
R = P(2);
system Q, R;
''', [(2, 'N', 1), (3, 'id_t', 2), (4, 'N', 1), (5, 'note_t', 3), (6, 'id_t', 2), (6, 'b', 6),
      (7, 'id_t', 2), (10, 'x', 8), (10, 'N', 1), (11, 'c', 10), (12, 'a', 10), (14, 'a', 10),
      (14, 'b', 10), (14, 'id', 7), (14, 'go', 4), (14, 'board', 5), (14, 'who', 3),
      (14, 'N2', 9), (15, 'go', 4), (15, 'much', 3), (15, 'most', 6), (16, 'c', 10), (18, 'P', 7),
      (20, 'Q', 18), (20, 'R', 19)]),
}


def definitions():
    for name, (text, _) in DEFINITIONS.items():
        write(name, text)
    with Client(ASAN) as client:
        client.initialize()
        for name, (text, wanted) in DEFINITIONS.items():
            uri = client.open(path(name))
            found = client.diagnostics(uri)
            check(f'{name} is good', not errors_of(found), found)
            lines = text.split('\n')
            for line, word, there in wanted:
                file, number = there if isinstance(there, tuple) else (name, there)
                for use in re.finditer(rf'\b{word}\b', code_of(name, lines[line - 1])):
                    answer = client.ask('definition', uri, line - 1, use.start())
                    check(f'{name}:{line}: {word} is declared in line {number} of {file}',
                          answer and path_of(answer['uri']) == path(file)
                          and answer['range']['start']['line'] == number - 1, answer)
        ends_well('definitions', client)


def complete_references():
    """References of every name are where the text has it, word by word: each word is in the list of
    exactly one declaration, and all that mean something have one."""
    chosen = EXAMPLES if LONG else [name for i, name in enumerate(EXAMPLES)
                                    if (i + SEED) % 4 == 0 and os.path.getsize(name) < 20000]
    with Client() as client:
        client.initialize()
        for name in chosen:
            label = short(name)
            uri = client.open(name)
            text = client.texts[uri]
            client.diagnostics(uri)
            keywords = {item['label'] for item in client.ask('completion', uri)
                        if item['kind'] == KEYWORD}
            means, lists = {}, {}
            for offset, word in words_of(name, text):
                place = position(text, offset)
                answer = client.ask('definition', uri, *place)
                means.setdefault(word, {})[place] = answer and (answer['uri'], start_of(answer))
                if answer and (answer['uri'], start_of(answer)) not in lists:
                    lists[answer['uri'], start_of(answer)] = sorted(
                        start_of(use) for use in client.references(uri, *place)
                        if use['uri'] == uri)
            for word, places in means.items():
                unknown = [place for place, there in places.items() if not there]
                check(f'{label}: {word} is known', not unknown or word in keywords | FREE
                      or name.endswith('names.xgdl'), unknown[:5])
                # a naive scan: a name that is declared once is wherever its word is
                known = {there for there in places.values() if there}
                if len(known) == 1 and not unknown:
                    check(f'{label}: references of {word} are all places where it stands',
                          lists[known.pop()] == sorted(places), places)
                for there in known:
                    check(f'{label}: references of {word} are those with this definition',
                          lists[there] == sorted(place for place, other in places.items()
                                                 if other == there))
            client.close(uri)
        ends_well('complete references', client)


# Words of formulas, of values that languages have built in, and of -D: names elsewhere.
FREE = set('''true false self hidden A E F G X U W R AG AF AX EG EF EX GF FG ltl ctl invariant
absent present always leadsto precedes deadlock sup inf length default within rounds'''.split())


def renamed():
    """A name that is replaced wherever it is used gives the same model; one that is forgotten, or
    is another one's, does not."""
    names = [name for name in EXAMPLES if name.endswith(('.mil', '.fcr', '.xml'))]
    chosen = names if LONG else [name for i, name in enumerate(names) if (i + SEED) % 6 == 0]
    with Client() as client:
        client.initialize()
        for name in chosen:
            uri = client.open(name)
            text = client.texts[uri]
            client.diagnostics(uri)
            ending = os.path.splitext(name)[1]
            wanted = translated(write('renamed' + ending, text)).count('\n')
            words, seen = words_of(name, text), set()
            if not LONG:
                words = random.Random(SEED).sample(words, min(len(words), 25))
            for offset, word in words:
                place = position(text, offset)
                uses = client.references(uri, *place)
                if not uses or start_of(uses[0]) in seen or word == 'pc':  # which is not any name
                    continue
                seen.add(start_of(uses[0]))
                lines = text.split('\n')
                for line, character in sorted((start_of(use) for use in uses), reverse=True):
                    row = lines[line]
                    lines[line] = row[:character] + 'another_' + row[character:]
                made = translated(write('renamed' + ending, '\n'.join(lines)))
                check(f'{short(name)}: {word} at {place} under another name',
                      made.count('\n') == wanted, made[:500])
            client.close(uri)
        ends_well('renamed', client)


def translated(name):
    done = run('translate', name, '--to', 'cairn')
    return done.stdout or done.stderr


# ---- positions ----

def positions():
    text = ('// \U0001F600 \u00e4\u20ac\nVARIABLES /* \U0001F600\U0001F600 */ one : 3 := 0; END\r\n'
            'INVARIANTS\r\n /* \u20ac */ low : one < 4;\n high : ome > 0; END\n')
    for encodings, unit in ((['utf-16'], 'utf-16-le'), (['utf-8', 'utf-16'], 'utf-8')):
        with Client(ASAN) as client:
            able = client.initialize(general={'positionEncodings': encodings})
            check(f'{unit}: is agreed upon',
                  able['capabilities']['positionEncoding'] == encodings[0])

            def column(line, word):
                row = text.split('\n')[line]
                return len(row[:row.index(word)].encode(unit)) // (2 if unit != 'utf-8' else 1)
            uri = client.open('untitled:positions', text, 'milestones')
            found = client.diagnostics(uri)
            check(f'{unit}: the mistake is where it is',
                  [start_of(each) for each in found] == [(4, column(4, 'ome'))], found)
            fixes = client.ask('codeAction', uri, range=found[0]['range'],
                               context={'diagnostics': found})
            edit = fixes[0]['edit']['changes'][uri][0] if fixes else None
            check(f'{unit}: there is one suggestion', len(fixes) == 1 and edit['newText'] == 'one',
                  fixes)
            client.changes(uri, [{'range': edit['range'], 'text': edit['newText']}])
            check(f'{unit}: which mends it', client.diagnostics(uri) == [])
            answer = client.ask('definition', uri, 3, column(3, 'one'))
            check(f'{unit}: behind wide characters', start_of(answer) == (1, column(1, 'one')),
                  answer)
            uses = [start_of(use) for use in client.references(uri, 1, column(1, 'one'))]
            check(f'{unit}: references', uses == [(1, column(1, 'one')), (3, column(3, 'one')),
                                                  (4, column(4, 'ome'))], uses)
            # the middle of a pair is before it
            client.changes(uri, [{'range': {'start': {'line': 0, 'character': 4},
                                            'end': {'line': 0, 'character': 4}}, 'text': 'x'}])
            check(f'{unit}: an edit inside of a character', client.diagnostics(uri) == [])
            ends_well(unit, client)


def random_edits():
    """Changes of parts, one by one or several at once, give the text that they should: everything
    is where it is in a document that was opened with that text."""
    chance = random.Random(SEED + 1)
    pieces = ['\n', '\r\n', ' ', '/* \U0001F680 */', '// \u00e4\n', 'x', '', ';', '\U0001F600',
              'VARIABLES x : 2 := 1; END\n']
    with Client(ASAN) as client:
        client.initialize()
        start = 'CONST k = 2; END\nVARIABLES a : k := 1; b : 3 := a; END\nLTL p : G a < b; END\n'
        for round_number in range(60 if LONG else 12):
            uri = client.open(f'untitled:edits{round_number}', start, 'milestones')
            text = start
            for _ in range(chance.randrange(1, 6)):
                changes = []
                for _ in range(chance.randrange(1, 4)):
                    low = chance.randrange(len(text) + 1)
                    high = min(len(text), low + chance.choice((0, 0, 1, 3)))
                    # positions cannot stand between the halves of an end of line
                    while low and text[low - 1] == '\r':
                        low -= 1
                    while high < len(text) and text[high - 1:high] == '\r':
                        high += 1
                    piece = chance.choice(pieces)
                    (a, b), (c, d) = position(text, low), position(text, high)
                    changes.append({'range': {'start': {'line': a, 'character': b},
                                              'end': {'line': c, 'character': d}}, 'text': piece})
                    text = text[:low] + piece + text[high:]
                client.changes(uri, changes)
            other = client.open(f'untitled:same{round_number}', text, 'milestones')
            one = json.dumps(client.diagnostics(uri))
            two = json.dumps(client.diagnostics(other)).replace('same', 'edits')
            check(f'round {round_number}: edits give the text that they say', one == two,
                  (text, one, two))
            client.close(uri)
            client.close(other)
        ends_well('random edits', client)


# ---- malformed messages ----

def malformed():
    def frame(body):
        return b'Content-Length: %d\r\n\r\n' % len(body) + body

    def survives(name, data, errors):
        """Sends bytes; the server answers with so many errors, and goes on."""
        with Client(ASAN) as client:
            client.initialize()
            client.raw(data)
            answer = client.request('textDocument/hover', {'textDocument': {'uri': 'file:///no'}})
            check(f'{name}: the next request is answered', answer.get('result', 0) is None, answer)
            bad = client.answers.pop('null', None)
            check(f'{name}: an error is told', errors in (None, bool(bad)) and (
                not bad or bad['error']['code'] in (-32700, -32600)), bad)
            ends_well(name, client)

    survives('no JSON', frame(b'{"jsonrpc":'), True)
    survives('not UTF-8', frame(b'{"method": "\xff\xfe"}'), True)
    survives('an array', frame(b'[]'), True)
    survives('a number', frame(b'17'), True)
    survives('deep nesting', frame(b'[' * 100000), True)
    survives('no method, no id', frame(b'{}'), True)
    survives('an id that is none', frame(b'{"id": {}, "method": "x"}'), True)
    survives('an empty body', frame(b''), True)
    survives('no length', b'Content-Type: x\r\n\r\n', True)
    survives('a negative length', b'Content-Length: -5\r\n\r\n', True)
    survives('a length that is no number', b'Content-Length: abc\r\n\r\n', True)
    survives('a length of 30 digits', b'Content-Length: ' + b'9' * 30 + b'\r\n\r\n', True)
    survives('garbage', b'\x00\x01garbage\r\n\r\n' * 5, True)
    survives('an endless header', b'x' * 20000 + b'\r\n', None)  # if there was time to see it
    survives('a length that is too small', b'Content-Length: 3\r\n\r\n{"jsonrpc": "2.0"}', True)
    survives('another header', b'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n'
             b'content-length: 33\r\n\r\n{"jsonrpc":"2.0","method":"none"}', False)
    too_large = 65 << 20
    survives('a message of 65 MiB', b'Content-Length: %d\r\n\r\n' % too_large + b' ' * too_large,
             True)


def odd_requests():
    with Client(ASAN) as client:
        early = client.request('textDocument/hover')
        check('a request before initialize', early['error']['code'] == -32002, early)
        client.initialize()
        check('initialize, twice', client.request('initialize')['error']['code'] == -32600)
        check('an unknown method', client.request('workspace/no')['error']['code'] == -32601)
        client.notify('no/such')
        client.notify('$/setTrace', {'value': 'off'})
        for params in ({}, {'textDocument': 3}, {'textDocument': {'uri': 5}}, [1, 2], 'x',
                       {'textDocument': {'uri': 'file:///no'}, 'position': {}}):
            for question in ('hover', 'definition', 'references', 'documentSymbol', 'completion',
                             'codeAction', 'codeLens', 'documentHighlight'):
                answer = client.request(f'textDocument/{question}', params)
                check(f'{question} with {params}', answer.get('result', 0) is None, answer)
        for method in ('didOpen', 'didChange', 'didClose', 'didSave'):
            for params in ({}, {'textDocument': {}}, {'textDocument': {'uri': 'file:///no'}}, [3]):
                client.notify(f'textDocument/{method}', params)
        uri = client.open('untitled:x', 'VARIABLES x : 1 := 0; END', 'milestones')
        client.diagnostics(uri)
        for place in ({'line': -1, 'character': 0}, {'line': 10 ** 15, 'character': 10 ** 15},
                      {'line': 1.5, 'character': 'x'}, None):
            answer = client.request('textDocument/hover', {'textDocument': {'uri': uri},
                                                           'position': place})
            check(f'hover at {place}', 'error' not in answer, answer)
        client.changes(uri, [{'range': {'start': {'line': 7, 'character': 7},
                                        'end': {'line': 0, 'character': 2}}, 'text': 'y'}])
        client.changes(uri, [{'text': 7}])
        client.changes(uri, 'x')
        client.changes(uri, [{'text': 'VARIABLES x\u0000 : 1 := 0; END'}])
        check('a text with a zero byte', errors_of(client.diagnostics(uri)))
        for command in ({}, {'command': 'x'}, {'command': 'cairn.check'},
                        {'command': 'cairn.check', 'arguments': ['file:///no', 3]}):
            check(f'execute {command}', 'error' in client.request('workspace/executeCommand',
                                                                  command))
        check('a file of no language of ours', client.open('untitled:z', 'x', 'python')
              and client.ask('documentSymbol', 'untitled:z') is None)
        check('stop without checks', client.request('workspace/executeCommand',
                                                    {'command': 'cairn.stop'})['result'] is None)
        check('shutdown', client.request('shutdown')['result'] is None)
        late = client.request('textDocument/hover')
        check('a request after shutdown', late['error']['code'] == -32600, late)
        client.notify('exit')
        check('its status', client.process.wait(PATIENCE) == 0 and not client.errors,
              client.errors)
    with Client(ASAN) as client:
        client.initialize()
        client.notify('exit')
        check('exit without shutdown is status 1', client.process.wait(PATIENCE) == 1)
    with Client(ASAN) as client:
        client.initialize()
        client.process.stdin.close()
        check('so is the end of the pipe', client.process.wait(PATIENCE) == 1)
    done = run('lsp', 'model.mil')
    check('lsp takes no file', done.returncode == 2 and 'takes no file' in done.stderr)


# ---- contexts and guides beside models ----

def company():
    for folder in ('said', 'same', 'only', 'none', 'two'):
        os.makedirs(path(folder), exist_ok=True)
    model = ('process Fast [a : sync] is states s from s a; to s\n'
             'component Main is port a : sync par a -> Fast [a] end\nMain\n')
    contexts = ('event go is { sync a of {Fast}1 }\npredicate p is { {Fast}1@s }\n'
                'cdl c is { assert p main is { go } }\n')
    unknown = contexts.replace('@s', '@t')
    for name in ('said/one.fcr', 'said/two.fcr', 'same/ways.fcr', 'same/other.fcr',
                 'only/alone.fcr', 'two/one.fcr', 'two/two.fcr'):
        write(name, model if name != 'said/two.fcr' else model.replace('Fast', 'Slow'))
    with Client(ASAN) as client:
        client.initialize()
        for name, text, messages in (
                ('said/x.cdl', '// model: one.fcr\n' + contexts, 0),
                ('said/x.cdl', '/* model: two.fcr */\n' + contexts, 1),
                ('said/x.cdl', '// model: no.fcr\n' + contexts, 1),
                ('same/ways.cdl', unknown, 1), ('only/y.cdl', unknown, 1),
                ('none/z.cdl', unknown, 0), ('two/z.cdl', unknown, 0),
                ('none/bad.cdl', 'cdl c is { main is { } ', 1)):
            uri = client.open(path(name), text)
            found = client.diagnostics(uri)
            check(f'{name}: {text[:20]!r} has {messages} messages', bool(found) == bool(messages),
                  found)
            client.close(uri)
        # what is typed into the model counts before it is saved
        uri = client.open(path('only/y.cdl'), contexts)
        check('the model as it is saved', client.diagnostics(uri) == [])
        other = client.open(path('only/alone.fcr'))
        client.diagnostics(other)
        before = len(client.told)
        client.change(other, model.replace('states s from s a; to s', 'states t from t a; to t'))
        until(lambda: client.ask('codeLens', uri) is not None and any(
            message['params']['uri'] == uri and message['params']['diagnostics']
            for message in client.told[before:] if 'diagnostics' in message.get('params', {})))
        check('the model as it is typed', errors_of(client.published[uri]['diagnostics']))
        ends_well('company', client)


# ---- checks ----

def checks():
    with Client(ASAN) as client:
        client.initialize(window={'workDoneProgress': True},
                          workspace={'codeLens': {'refreshSupport': True}})

        def lens(uri, name):
            return next(each['command'] for each in client.ask('codeLens', uri)
                        if each['command']['arguments'][1] == name)

        def execute(command):
            return client.request('workspace/executeCommand', {
                'command': command['command'], 'arguments': command['arguments']})['result']

        uri = client.open(os.path.join(ROOT, 'examples/philosophers/phils.mil'))
        client.diagnostics(uri)
        names = [each['command']['arguments'][1] for each in client.ask('codeLens', uri)]
        check('a lens for each property', len(names) == 3 and 'can_eat' in names, names)
        for name in names:
            before = lens(uri, name)
            check(f'{name}: the lens offers a check', before['title'] == 'check this property',
                  before)
            told = run('check', path_of(uri), '-p', name)
            verdict = {0: 'holds', 1: 'violated'}[told.returncode]
            answer = execute(before)
            check(f'{name}: {verdict}', answer['verdict'] == verdict, answer)
            check(f'{name}: the lens says so', verdict in lens(uri, name)['title'])
            shown = [each for each in client.published[uri]['diagnostics']
                     if each['code'] == verdict]
            check(f'{name}: a violation is a diagnostic with its run',
                  bool(shown) == (verdict == 'violated')
                  and all(each['relatedInformation'] for each in shown), shown)
            check(f'{name}: a message was shown', any(
                each['method'] == 'window/showMessage' and name in each['params']['message']
                for each in client.told))
        kinds = [each['params']['value']['kind'] for each in client.told
                 if each['method'] == '$/progress']
        check('progress begins and ends', kinds[:2] == ['begin', 'end'], kinds)
        client.change(uri, client.texts[uri] + '\n')
        check('verdicts are gone when the text is changed', client.diagnostics(uri) == []
              and lens(uri, 'can_eat')['title'] == 'check this property')
        for name, asked in (('examples/cruise-control/contexts.cdl', None),
                            ('examples/cash-point/queue.xgdl', 'queue')):
            other = client.open(os.path.join(ROOT, name))
            client.diagnostics(other)
            asked = asked or client.ask('codeLens', other)[0]['command']['arguments'][1]
            if LONG or name.endswith('.cdl'):
                answer = execute(lens(other, asked))
                check(f'{name}: {asked} is checked', answer['verdict'] in ('holds', 'violated'),
                      answer)
        ends_well('checks', client)


BIG = ('VARIABLES ' + ' '.join(f'x{i} : 8 := 0;' for i in range(8)) + ' END\nACTIONS '
       + ', '.join(f'a{i}' for i in range(8)) + '; END\nMAIN CASE\n'
       + '\n'.join(f'[a{i}] true : x{i} := x{i} + 1;' for i in range(8)) + '\nEND END\n'
       + 'CTL p : AG EF x0 == 1; END\n')


def limited_checks():
    with Client() as client:
        client.initialize({'check': {'seconds': 1, 'mebibytes': 256}})
        uri = client.open('untitled:big', BIG, 'milestones')
        client.diagnostics(uri)
        command = {'command': 'cairn.check', 'arguments': [uri, 'p']}
        answer = client.request('workspace/executeCommand', command)['result']
        check('a limit ends a check', answer['verdict'] in ('unknown', 'failed', 'holds'), answer)
        ends_well('a limit', client)
    with Client() as client:
        client.initialize({'check': {'seconds': 1000}})
        uri = client.open('untitled:big', BIG, 'milestones')
        client.diagnostics(uri)
        number = client.begin('workspace/executeCommand', {
            'command': 'cairn.check', 'arguments': [uri, 'deadlock']})
        until(lambda: children(client.process.pid))
        check('others are answered meanwhile', client.ask('documentSymbol', uri))
        client.notify('$/cancelRequest', {'id': number})
        answer = client.answer(number)
        check('a check is cancelled', answer['error']['code'] == -32800, answer)
        until(lambda: not children(client.process.pid))
        number = client.begin('workspace/executeCommand', {
            'command': 'cairn.check', 'arguments': [uri, 'deadlock']})
        client.request('shutdown')
        check('shutdown ends checks', client.answer(number)['error']['code'] == -32800)
        client.notify('exit')
        check('and then it ends', client.process.wait(PATIENCE) == 0)
    with Client() as client:
        client.initialize({'check': {'seconds': 1000}})
        uri = client.open('untitled:big', BIG, 'milestones')
        client.diagnostics(uri)
        client.begin('workspace/executeCommand', {
            'command': 'cairn.check', 'arguments': [uri, 'deadlock']})
        until(lambda: children(client.process.pid))
        client.process.stdin.close()
        check('without a client nothing goes on', client.process.wait(PATIENCE) == 1)


def children(process):
    try:
        with open(f'/proc/{process}/task/{process}/children', encoding='ascii') as file:
            return file.read().split()
    except OSError:
        return []


def hostile_texts():
    """What cannot be analysed is told, and nothing else happens."""
    many = ('LOCAL P VARIABLES x : 3 := 0; END ACTIONS a; END CASE [a] true : x := 1; END END\n'
            'MAIN PROC p : P[60000]; END END\nLTL f : G p[0].x < 9; END\n')
    deep = 'INVARIANTS a : ' + '(' * 200000 + '1' + ')' * 200000 + ' == 1; END'
    wide = 'VARIABLES ' + ' '.join(f'v{i} : 3 := 0;' for i in range(20000)) + ' END'
    macros = '#define A0 x x\n' + '\n'.join(f'#define A{i} A{i - 1} A{i - 1}' for i in range(1, 60))
    with Client(ASAN) as client:
        client.initialize()
        for name, text, language in (('deep', deep, 'milestones'), ('one line', wide, 'milestones'),
                                     ('empty', '', 'fiacre'), ('macros', macros + '\nA59\n',
                                                               'fiacre'),
                                     ('itself', '#include "untitled:itself.fcr"\n', 'fiacre'),
                                     ('xml', '<nta>' * 5000, 'uppaal'),
                                     ('brackets', '{' * 100000, 'cdl'),
                                     ('guide', 'guide g = ' + '(' * 100000, 'xgdl'),
                                     ('xta', 'process P() { state ' + 'a, ' * 50000, 'xta'),
                                     ('zeros', '\u0000' * 1000, 'cairn')):
            uri = client.open(f'untitled:{name}', text, language)
            found = client.diagnostics(uri)
            check(f'hostile: {name}', bool(found) == (name != 'one line'), found[:3])
            client.ask('documentSymbol', uri)
            client.close(uri)
        ends_well('hostile texts', client)
    with Client() as client:
        client.initialize()
        uri = client.open('untitled:many', many, 'milestones')
        # whoever ends the analysis, the server goes on
        until(lambda: children(client.process.pid))
        for child in children(client.process.pid):
            os.kill(int(child), 9)
        found = client.diagnostics(uri)
        check('an analysis that was killed is told', [each['code'] for each in found] == ['bug']
              or found == [], found)
        client.change(uri, 'VARIABLES x : 1 := 0; END\n')
        check('and the next one is good', client.diagnostics(uri) == [])
        ends_well('killed', client)


def damaged_texts():
    """Examples with pieces removed, repeated and exchanged: whatever comes of it, it is no crash,
    and every question has an answer."""
    chance = random.Random(SEED + 2)
    names = [name for name in EXAMPLES if os.path.getsize(name) < 12000]
    with Client(ASAN) as client:
        client.initialize()
        for number in range(600 if LONG else 60):
            name = chance.choice(names)
            with open(name, encoding='utf-8') as file:
                text = file.read()
            for _ in range(chance.randrange(1, 5)):
                low = chance.randrange(len(text))
                high = min(len(text), low + chance.choice((1, 3, 20, 200)))
                piece = chance.choice(('', text[low:high] * 2, text[high:high + 30], '}', '(',
                                       chance.choice(words_of(name, text) or [(0, 'x')])[1]))
                text = (text[:low] + piece + text[high:]) or 'x'
            ending = os.path.splitext(name)[1]
            uri = client.open(f'untitled:{number}{ending}', text)
            found = client.diagnostics(uri)
            check(f'damaged {short(name)}, number {number}',
                  all(each['code'] != 'bug' for each in found), text)
            words = words_of(name, text)
            for offset, _ in chance.sample(words, min(3, len(words))):
                place = position(text, offset)
                for question in ('hover', 'definition', 'completion', 'documentHighlight'):
                    client.ask(question, uri, *place)
                client.references(uri, *place)
            client.ask('documentSymbol', uri)
            client.close(uri)
        ends_well('damaged texts', client)


# ---- quick fixes ----

def fixes():
    """A suggestion is a quick fix, which mends the text."""
    local = 'LOCAL P VARIABLES count : 3 := 0; END END MAIN PROC p : P[2]; END END\n'
    cases = [('milestones', '§CONS§ n = 1; END\nVARIABLES x : n := 0; END\n', 'CONST'),
             ('milestones', local + 'INVARIANTS a : p[0].§cout§ == 0; END\n', 'count'),
             ('milestones', local + 'INVARIANTS a : §pp§[0].count == 0; END\n', 'p'),
             ('fiacre', 'process P is states idle var count : 0..3 := 0\n'
              'from idle §cuont§ := 1; to idle\nP\n', 'count'),
             ('fiacre', 'type Number is 0..3\nprocess P is states s var x : §Numbr§ := 0\n'
              'from s x := 1; to s\nP\n', 'Number'),
             ('cdl', 'event go is { sync a }\ncdl c is { main is { go } }\n'
              '§actvity§ x is { go }\n', 'activity'),
             ('xgdl', '§gide§ g = a;\n', 'guide')]
    with Client(ASAN) as client:
        client.initialize()
        for number, (language, marked, right) in enumerate(cases):
            _, wrong, _ = marked.split('§')
            uri = client.open(f'untitled:fix{number}', marked.replace('§', ''), language)
            found = client.diagnostics(uri)
            everywhere = {'start': {'line': 0, 'character': 0},
                          'end': {'line': 99, 'character': 0}}
            actions = client.ask('codeAction', uri, range=everywhere,
                                 context={'diagnostics': found})
            edits = [action['edit']['changes'][uri][0] for action in actions]
            check(f'{language}: {right} for {wrong}',
                  edits and edits[0]['newText'] == right, (found, actions))
            client.changes(uri, [{'range': edit['range'], 'text': edit['newText']}
                                 for edit in edits[:1]])
            check(f'{language}: with {right} for {wrong} it is good',
                  not errors_of(client.diagnostics(uri)), client.diagnostics(uri))
        ends_well('fixes', client)


# ---- completion ----

def completion():
    cases = [
        ('milestones', 'LOCAL P VARIABLES pc : 1 := 0; xx : 2 := 0; END END\nLOCAL Q VARIABLES '
         'yy : 2 := 0; END END\nMAIN PROC p : P[2]; q : Q; END END\nINVARIANTS\n a : p[0].| == 0;'
         '\nEND\n', {'pc', 'xx'}, {'yy', 'CASE'}),
        ('milestones', 'CONST nn = 2; END\nLOCAL P VARIABLES xx : 2 := 0; END ACTIONS aa; END '
         'CASE\n[aa] | : xx := 1;\nEND END\nMAIN PROC p : P; END END\n', {'xx', 'nn', 'aa', 'CASE'},
         set()),
        ('fiacre', 'type r is record left, right : bool end\nprocess P is states s var v : r := '
         '{left = true, right = true} from s v.left := v.|; to s\nP\n', {'left', 'right'},
         {'s', 'from'}),
        ('xta', 'typedef struct { int aa; int bb; } t;\nt v;\nprocess P() { state l; init l; trans '
         'l -> l { assign v.aa = v.|; }; }\nsystem P;\n', {'aa', 'bb'}, {'process'}),
        ('xgdl', 'let one = a;\nguide two = |one;\n', {'one', 'two', 'guide'}, set()),
    ]
    with Client(ASAN) as client:
        client.initialize()
        for i, (language, text, has, lacks) in enumerate(cases):
            mark = text.index('|')
            # first good, then as it is while one types
            good = text.replace('.|', '.' + sorted(has)[0]).replace('|', '')
            if 'true' not in good and language == 'milestones' and '[aa]' in good:
                good = good.replace('[aa] ', '[aa] true ')
            uri = client.open(f'untitled:complete{i}', good, language)
            client.diagnostics(uri)
            client.change(uri, text.replace('|', ''))
            items = client.ask('completion', uri, *position(text, mark))
            labels = {item['label'] for item in items}
            check(f'{language}: {sorted(has)} can stand there', has <= labels, labels)
            check(f'{language}: {sorted(lacks)} cannot', not lacks & labels, lacks & labels)
        ends_well('completion', client)


def hovers():
    cases = [('milestones', 'CONST n = 5; END\nVARIABLES xx : 3 := 0; END\n'
              'INVARIANTS a : xx < n; END\n', [('xx', 'values 0 to 7'), ('n', 'value 5')]),
             ('fiacre', 'const k : nat is 4\nprocess P is states s var xx : 2..k+1 := 2 from s '
              'xx := 3; to s\nP\n', [('xx', 'values 2 to 5'), ('xx', '2 .. k + 1')]),
             ('xta', 'const int N = 6;\nint[1, N] xx = 1;\nprocess P() { state l; init l; trans '
              'l -> l { assign xx = 2; }; }\nsystem P;\n', [('xx', 'values 1 to 6')])]
    with Client(ASAN) as client:
        client.initialize()
        for language, text, wanted in cases:
            uri = client.open(f'untitled:{language}', text, language)
            client.diagnostics(uri)
            for word, told in wanted:
                place = position(text, re.search(rf'\b{word}\b', text).start())
                hover = client.ask('hover', uri, *place)
                check(f'{language}: the hover of {word} has {told}',
                      told in hover['contents']['value'], hover)
        ends_well('hovers', client)


# ---- what editors are configured with ----

def grammars():
    folder = os.path.join(ROOT, 'editors', 'vscode')
    with open(os.path.join(folder, 'package.json'), encoding='utf-8') as file:
        package = json.load(file)
    with open(os.path.join(folder, 'language-configuration.json'), encoding='utf-8') as file:
        json.load(file)
    listed = {each['language']: each['path'] for each in package['contributes']['grammars']}
    check('a grammar for each language', set(listed) == {'milestones', 'fiacre', 'cdl', 'xgdl',
                                                         'xta'}, listed)
    with open(os.path.join(ROOT, 'src/base/version.h'), encoding='utf-8') as file:
        version = re.search(r'CAIRN_VERSION "([\d.]+)', file.read()).group(1)
    check('the extension has the version of the program', package['version'] == version)
    with Client() as client:
        client.initialize()
        for language, name in listed.items():
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                grammar = json.load(file)
            patterns = list(patterns_of(grammar))
            for pattern in patterns:
                check(f'{language}: {pattern} compiles', compiles(pattern))
            client.open(f'untitled:{language}', '', language)
            words = {item['label'] for item in client.ask('completion', f'untitled:{language}')}
            check(f'{language} has keywords', len(words) > 4)
            lists = [re.compile(pattern) for pattern in patterns if pattern.startswith('\\b(?:')]
            unknown = [word for word in sorted(words)
                       if not any(each.fullmatch(word) for each in lists)]
            check(f'{language}: the grammar knows each keyword', not unknown, unknown)
        ends_well('grammars', client)
    for name in ('editors/neovim/cairn.lua', 'editors/emacs/cairn.el'):
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            text = file.read()
        check(f'{name} starts the server', re.search(r"'lsp'|\"lsp\"", text))
        check(f'{name} has its brackets in pairs', text.count('(') == text.count(')')
              or name.endswith('.lua'))


def patterns_of(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ('match', 'begin', 'end') and isinstance(value, str):
                yield value
            else:
                yield from patterns_of(value)
    elif isinstance(node, list):
        for each in node:
            yield from patterns_of(each)


def compiles(pattern):
    try:
        return re.compile(pattern)
    except re.error:
        return None


section(every_example)
section(definitions)
section(complete_references)
section(renamed)
section(positions)
section(random_edits)
section(malformed)
section(odd_requests)
section(company)
section(checks)
section(limited_checks)
section(hostile_texts)
section(damaged_texts)
section(fixes)
section(completion)
section(hovers)
section(grammars)
finish()
