"""How long a diagnostic takes in an editor: from a change of one character to its diagnostics, on
texts of 2,000 lines in every language. Run it on a machine with nothing else to do:

    python3 test/bench/editor.py
"""
import os
import statistics
import sys
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import scratch
from lspclient import Client, position

LINES, ROUNDS = 2000, 30


def milestones():
    count = LINES // 10
    text = 'VARIABLES turn : 8 := 0; END\n'
    for i in range(count):
        text += (f'LOCAL P{i}\n  LOCATIONS idle, busy; END\n  ACTIONS go, stop; END\n'
                 '  VARIABLES pc : 1 := idle; x : 4 := 0; END\n  CASE\n'
                 f'    [idle] [go] turn == {i % 200} : pc := busy; x := x + 1;\n'
                 '    [busy] [stop] x < 9 : pc := idle; turn := turn + 1;\n  END\nEND\n\n')
    text += 'MAIN PROC ' + ' '.join(f'p{i} : P{i};' for i in range(count)) + ' END END\n'
    return text + 'INVARIANTS low : p0.x < 10; END\n', 'x < 9'


def fiacre():
    count = LINES // 8
    text = ''
    for i in range(count):
        text += (f'process P{i} (&n : 0..9) is\n  states idle, busy\n'
                 '  var x : 0..5 := 0\n  from idle\n    on x < 5; x := x + 1; to busy\n'
                 '  from busy\n    n := 0; x := 0; to idle\n\n')
    parts = '\n  || '.join(f'P{i} (&n)' for i in range(count))
    text += f'component Main is\n  var n : 0..9 := 0\n  par {parts} end\nMain\n'
    return text, 'x < 5'


def xta():
    count = LINES // 8
    text = 'int[0, 9] n;\n'
    for i in range(count):
        text += (f'process P{i}() {{\n  clock x;\n  state a {{ x <= 5 }}, b;\n  init a;\n  trans\n'
                 '    a -> b { guard x >= 2 && n < 9; assign x = 0, n = 1; },\n'
                 '    b -> a { assign n = 0; };\n}\n')
    return text + 'system ' + ', '.join(f'P{i}' for i in range(count)) + ';\n', 'n < 9'


def cdl():
    count = LINES // 2
    text = ''.join(f'event e{i} is {{ sync go of {{P{i % 200}}}1 }}\n'
                   f'predicate q{i} is {{ {{P{i % 200}}}1:x < 9 }}\n' for i in range(count))
    return ('// model: model.mil\n' + text + 'cdl all is { assert '
            + ', '.join(f'q{i}' for i in range(count)) + ' main is { e0 ; e1 } }\n', 'x < 9')


def xgdl():
    return ('// model: model.mil\n'
            + ''.join(f'let a{i} = go [] stop; // {i}\n' for i in range(LINES))
            + 'guide g = ' + ' [] '.join(f'a{i}' for i in range(LINES)) + ';\n', 'go [] stop')


def measure(name, text, mark):
    file = os.path.join(scratch.name, name)
    line, character = position(text, text.index(mark, len(text) // 2) + len(mark))
    with Client() as client:
        client.initialize()
        uri = client.open(file, text)
        found = client.diagnostics(uri)
        times = []
        for i in range(ROUNDS):
            at = {'line': line, 'character': character}
            behind = {'line': line, 'character': character + 2}
            change = [{'range': {'start': at, 'end': at}, 'text': ' @'} if i % 2 == 0 else
                      {'range': {'start': at, 'end': behind}, 'text': ''}]
            before = time.perf_counter()
            client.changes(uri, change)
            client.diagnostics(uri)
            times.append(1000 * (time.perf_counter() - before))
        client.end()
    good, broken = times[1::2], times[0::2]
    print(f'{name:10} {text.count(chr(10)):6} lines {len(found):3} messages at first   '
          f'good text {statistics.median(good):6.1f} ms (at most {max(good):6.1f})   '
          f'broken {statistics.median(broken):6.1f} ms (at most {max(broken):6.1f})')


def main():
    with open(os.path.join(scratch.name, 'model.mil'), 'w', encoding='utf-8') as file:
        file.write(milestones()[0])
    for name, make in (('model.mil', milestones), ('model.fcr', fiacre), ('model.xta', xta),
                       ('ways.cdl', cdl), ('ways.xgdl', xgdl)):
        measure(name, *make())


if __name__ == '__main__':
    main()
