"""cairn serve: every errand against what the command line says; a scripted attacker against the
sanitized program; the live page in a real browser."""
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from browser import Browser
from lib import (ASAN, CAIRN, LONG, ROOT, SEED, check, family, finish, path, run, section, told,
                 until, write)
from reportpage import differences
from server import Server

PHILS, GATE = 'examples/philosophers/phils.mil', 'examples/uppaal/gate.xml'
LOGIN = 'examples/device-login/timed.fcr'
SECRET = 'the-text-of-a-file-outside'
# Reaching its end takes many minutes.
ENDLESS = '''process P (&x, &y : nat) is states a
  from a on x < 40000; x := x + 1; to a
  from a on y < 40000; y := y + 1; to a
component Main is var x, y : nat par P(&x, &y) end
property small is invariant x + y < 100000
Main
'''


def text_of(file):
    with open(os.path.join(ROOT, file), encoding='utf-8') as opened:
        return opened.read()


def model_of(file, **more):
    return {'file': os.path.basename(file), 'text': text_of(file), **more}


def folder_of(name, *files):
    """A folder with copies of these files."""
    folder = path(name)
    os.makedirs(folder, exist_ok=True)
    for file in files:
        shutil.copy(os.path.join(ROOT, file), folder)
    return folder


# ---- errands

def files():
    folder = folder_of('files', PHILS, LOGIN, 'examples/device-login/contexts.cdl')
    os.makedirs(os.path.join(folder, 'sub'))
    write('files/sub/a.mil', 'x')
    write('files/note.txt', 'x')
    with Server(os.path.join(folder, 'phils.mil')) as server:
        hello = server.tell('hello')
        check('files: the model and its folder', hello['model'] == 'phils.mil'
              and hello['folder'] == os.path.realpath(folder)
              and hello['engines'] == ['explicit', 'symbolic', 'bounded', 'timed'], hello)
        listed = server.ask('files')['files']
        check('files: those that mean something', [(f['name'], f['kind']) for f in listed] == [
            ('contexts.cdl', 'context'), ('phils.mil', 'model'), ('sub/a.mil', 'model'),
            ('timed.fcr', 'model')], listed)
        check('files: read', server.ask('read', {'file': 'phils.mil'})['text'] == text_of(PHILS))
        server.ask('write', {'file': 'sub/b.mil', 'text': 'é\n'})
        check('files: written', text_of(os.path.join(folder, 'sub/b.mil')) == 'é\n'
              and sorted(os.listdir(os.path.join(folder, 'sub'))) == ['a.mil', 'b.mil'])
        kept = server.ask('write', {'file': 'sub/b.mil', 'text': 'x', 'before': 'other'})
        new = server.ask('write', {'file': 'sub/b.mil', 'text': 'ü', 'before': 'é\n'})
        check('files: what somebody else wrote is kept', kept == {'written': False}
              and new == {'written': True} and text_of(os.path.join(folder, 'sub/b.mil')) == 'ü')
        status, errors, left = server.end(signal.SIGINT)
        check('files: SIGINT ends it', status == 0 and not errors and not left, (status, errors))
    with Server(folder=folder) as server:
        check('files: the current folder', server.tell('hello')['model'] is None)
        second = run('serve', '--port', server.port)
        check('files: a port that is taken', second.returncode == 2 and not second.stdout
              and 'Address already in use' in second.stderr, second.stderr)
        check('files: SIGTERM ends it', server.end()[0] == 0)
    with open('/dev/full', 'w', encoding='ascii') as full:
        mute = subprocess.run([CAIRN, 'serve', folder], stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False)
    check('files: an address that nobody can read', mute.returncode == 2
          and 'standard output' in mute.stderr, mute.stderr)
    refused = run('serve', path('nowhere.mil'))
    check('files: a model that is not there', refused.returncode == 2
          and 'No such file' in refused.stderr)


def models(server):
    """Diagnostics as --diagnostics json has them; facts about the model."""
    broken = write('broken.mil', text_of(PHILS).replace('take_left;', 'take_lefd;'))
    expected = [json.loads(line) for line in run('check', broken, '--diagnostics', 'json')
                .stderr.splitlines() if line.startswith('{')]
    answer = server.tell('model', {'model': {'file': 'broken.mil', 'text': text_of(broken)}})
    got = [dict(line, file=None) for line in answer['lines']]
    check('models: diagnostics', got == [dict(line, file=None) for line in expected] and got
          and not answer['answer']['good'], answer['lines'])
    answer = server.ask('model', {'model': model_of(LOGIN, context='contexts.cdl:deadline2')})
    check('models: a context', answer['good'] and answer['result']['timed']
          and 'deadline2' in answer['result']['contexts']
          and {'name', 'kind', 'text', 'asked'} == set(answer['result']['properties'][0]))
    answer = server.tell('model', {'model': model_of(LOGIN, context='contexts.cdl')})
    check('models: several contexts', not answer['answer']['good']
          and 'deadline2' in answer['answer']['result']['contexts']
          and 'several contexts' in answer['lines'][0]['text'])
    for file in (PHILS, GATE):
        answer = server.ask('model', {'model': model_of(file)})
        asked = [p['name'] for p in answer['result']['properties'] if p['asked']]
        usual = [p['name'] for p in told('check', file)[1]['properties']]
        check(f'models: what is asked of {os.path.basename(file)}', sorted(asked) == sorted(usual),
              (asked, usual))
    answer = server.ask('model', {'model': model_of(PHILS, define={'n': 3})})
    check('models: constants', len(answer['result']['rules']) == 12)


def listed(file, choices):
    """What `simulate -i` lists after these choices."""
    shown = run('simulate', file, '-i', stdin=''.join(f'{k + 1}\n' for k in choices) + 'q\n')
    last = shown.stdout.split('\n> ')[len(choices)]
    return [line.split(':', 1)[1].split('  ')[0].strip() for line in last.splitlines()
            if line.split(':')[0].strip().isdigit()]


def runs(server, folder):
    """Random runs: the same steps as `simulate -i`, saved ones replay, loaded ones are the same."""
    dice = random.Random(SEED + 7)
    for file in (PHILS, 'examples/peterson/peterson.mil', GATE, LOGIN):
        model = model_of(file)
        labels = [rule[0] for rule in server.ask('model', {'model': model})['result']['rules']]
        answer = server.ask('run', {'model': model, 'run': {'cells': None, 'steps': []}})
        cells, steps, choices = answer['run']['cells'], [], []
        timed = 'patience' in answer
        for _ in range(12):
            if not answer['enabled']:
                break
            choice = dice.randrange(len(answer['enabled']))
            step = answer['enabled'][choice]
            choices.append(choice)
            steps.append([step['rule'], str(step['delay']) if timed else None])
            known = len(steps) - 1
            answer = server.ask('run', {'model': model, 'run': {'cells': cells, 'steps': steps},
                                        'known': known})
            if not answer or len(answer['run']['steps']) != 1:
                break
        name = os.path.basename(file)
        told_ = set(re.findall(r'\[(\S+)\] at \S+ is possible', answer['here']))
        check(f'runs: {name}: what is possible is told', told_ <= set(labels) and
              (timed or told_ == {labels[step['rule']] for step in answer['enabled']}),
              answer['here'])
        enabled = [labels[step['rule']] for step in answer['enabled']]
        check(f'runs: {name}: as simulate -i', enabled == listed(file, choices)
              and (len(steps) == 12 or not enabled), (enabled, listed(file, choices)))
        request = {'model': model, 'run': {'cells': cells, 'steps': steps},
                   'file': 'saved.itf.json'}
        saved = server.ask('save', request)
        replayed = run('replay', os.path.join(folder, 'saved.itf.json'), '--model',
                       os.path.join(ROOT, file))
        check(f'runs: {name}: saved, and replayed', saved and replayed.returncode == 0,
              replayed.stderr)
        loaded = server.ask('replay', {'model': model, 'file': 'saved.itf.json'})
        whole = server.ask('run', request)
        check(f'runs: {name}: loaded', loaded == whole and loaded['run']['cells'] == cells)
    delays(server)


def delays(server):
    """Delays: the interval that is offered, others refused, odd fractions."""
    model = model_of(GATE)
    first = server.ask('run', {'model': model, 'run': {'steps': []}})
    cells = first['run']['cells']
    near = first['enabled'][0]['rule']

    def after(*steps):
        return server.tell('run', {'model': model, 'run': {'cells': cells, 'steps': list(steps)}})
    told_ = after([near, '5/2'])
    here = told_['answer']
    check('delays: a fraction', here['run']['steps'][0][2:4] == ['5/2', '5/2'])
    step = next(each for each in here['enabled'] if each['window']['low'] == 10)
    check('delays: the interval', step['window'] == {
        'low': 10, 'low_open': False, 'high': 20, 'high_open': False}
        and here['patience']['window']['high'] == 20, step)
    check('delays: within', after([near, '5/2'], [step['rule'], '20'])['answer']
          and after([near, '5/2'], [step['rule'], '70001/7000'])['answer'])
    for bad in ('9', '20.5', '-1', 'x', '', '1/0', '1/123456789123456789'):
        refused = after([near, '5/2'], [step['rule'], bad])
        check(f'delays: {bad!r} is refused', refused['answer'] is None and refused['lines'])
    for bad in ([near + 1000, '0'], [-1, '0'], [None], [], 3, [near, 7]):
        refused = after([near, '5/2'], bad)
        check(f'delays: the step {bad} is refused or the least', refused['status'] in (0, 2))
    refused = server.tell('run', {'model': model, 'run': {'cells': [99] * len(cells)}})
    check('delays: no initial state', refused['answer'] is None
          and 'initial' in refused['lines'][0]['text'])


class Told:
    """Data of a check, as differences() wants it."""

    def __init__(self, data):
        self.data = data


def checks(server):
    """Results are those of --json; contexts all at once; limits."""
    for name, file, more in (('phils', PHILS, {}), ('gate', GATE, {}),
                             ('login', LOGIN, {'context': 'contexts.cdl:deadline2'}),
                             ('matrix', LOGIN, {'context': 'contexts.cdl'})):
        given = more.get('context')
        arguments = ['--context', f'examples/device-login/{given}'] if given else []
        _, claim = told('check', file, *arguments)
        answer, _ = server.watch(server.check(model_of(file, **more)))
        data = answer['answer']
        for row in [claim, *claim.get('contexts', [])]:
            if 'model' in row:
                row['model'] = os.path.basename(row['model'])
        wrong = differences(Told(data), claim) if data else answer
        wrong = [each for each in wrong if each[0] != 'assurance']  # it names the file
        check(f'checks: {name}: as --json', not wrong, wrong[:3])
    model = model_of(PHILS)
    answer, _ = server.watch(server.check(model, {
        'properties': ['deadlock'], 'engine': 'symbolic', 'formulas': [
            {'kind': 'ltl', 'text': 'G true'}, {'kind': 'find', 'text': 'phil[1].pc == eating'}]}))
    result = answer['answer']['results'][0]['result']
    verdicts = {p['name']: p['verdict'] for p in result['properties']}
    check('checks: what is asked', result['engine'] == 'symbolic' and verdicts == {
        'ltl[1]': 'holds', 'find[0]': 'holds', 'deadlock': 'violated', 'runtime-error': 'holds'},
          verdicts)
    answer, lines = server.watch(server.check(model, {'properties': ['nobody']}))
    check('checks: an unknown property', answer['answer'] is None and answer['status'] == 2
          and 'nobody' in lines[0]['text'])
    answer, lines = server.watch(server.check(model, {'engine': 'bounded', 'order': 'dfs'}))
    check('checks: what does not go together', answer['answer'] is None and lines)
    answer, _ = server.watch(server.check({'file': 'e.fcr', 'text': ENDLESS}, {'time': 0.5}))
    result = answer['answer']['results'][0]['result']
    check('checks: a limit', result['verdict'] == 'unknown' and not result['complete'])


def stopping(server):
    """Watched, stopped, killed: nobody is left behind."""
    endless = {'file': 'e.fcr', 'text': ENDLESS}
    number = server.check(endless)
    _, lines = server.watch(number, lambda seen: any(
        line.get('progress') == 'search' and line['states'] > 1000 for line in seen))
    check('stopping: progress', lines[-1]['memory_bytes'] > 0)
    server.tell(f'stop?id={number}')
    answer, _ = server.watch(number)
    result = answer['answer']['results'][0]['result']
    check('stopping: what is known', answer['stopped'] and result['verdict'] == 'unknown'
          and result['states'] > 1000 and not result['complete'], answer['status'])
    for _ in range(12):
        number = server.check(endless)
        server.tell(f'stop?id={number}')
        answer, _ = server.watch(number)
        if not answer['stopped'] or answer['status'] is None:
            break
    check('stopping: many times', answer['stopped'])
    running = [server.check(endless) for _ in range(4)]
    status, text = server.request(path='/api/check',
                                  body=json.dumps({'model': endless}).encode())
    check('stopping: not more than four at the same time', status == 503 and 'stop' in text)
    child = max(set(family(server.process.pid)) - {server.process.pid})
    os.kill(child, signal.SIGKILL)
    told_ = [server.watch(number, lambda lines: True)[0] for number in running]
    until(lambda: any(server.tell(f'progress?id={number}')['status'] == -9 for number in running))
    told_ = [server.tell(f'progress?id={number}') for number in running]
    check('stopping: a crash is told', [each['status'] for each in told_].count(-9) == 1
          and server.tell('hello'))
    status, errors, left = server.end()
    check('stopping: the server ends its checks', status == 0 and not left and not errors,
          (status, errors, left))


def errands():
    files()
    folder = folder_of('work', PHILS, LOGIN, GATE, 'examples/device-login/contexts.cdl')
    with Server(os.path.join(folder, 'phils.mil')) as server:
        models(server)
        runs(server, folder)
        checks(server)
        stopping(server)


# ---- the attacker

def prepare_attack():
    folder = folder_of('attacked/inside', PHILS, GATE)
    write('attacked/secret.mil', f'// {SECRET}\n')
    write('attacked/secret.cdl', f'// {SECRET}\n')
    write('attacked/secret.fcr', f'const c is {SECRET}\n')
    write('attacked/inside/.hidden.mil', f'// {SECRET}\n')
    os.symlink('../secret.mil', os.path.join(folder, 'link.mil'))
    os.symlink('..', os.path.join(folder, 'up'))
    os.symlink('/dev/zero', os.path.join(folder, 'zero.mil'))
    os.mkfifo(os.path.join(folder, 'pipe.mil'))
    os.mkdir(os.path.join(folder, 'folder.mil'))
    return folder


def foreigners(server):
    """Who is refused, with which status."""
    cases = [('a foreign host', 403, {'Host': 'evil.example'}),
             ('a foreign host with our port', 403, {'Host': f'evil.example:{server.port}'}),
             ('another port', 403, {'Host': '127.0.0.1:1'}),
             ('a longer host', 403, {'Host': f'127.0.0.1:{server.port}.evil.example'}),
             ('a foreign origin', 403, {'Origin': 'http://evil.example'}),
             ('another port as origin', 403, {'Origin': 'http://127.0.0.1:1'}),
             ('a null origin', 403, {'Origin': 'null'}),
             ('https', 403, {'Origin': f'https://127.0.0.1:{server.port}'}),
             ('a cross-site request', 403, {'Sec_Fetch_Site': 'cross-site'}),
             ('a same-site request', 403, {'Sec_Fetch_Site': 'same-site'}),
             ('a wrong token', 403, {'X_Cairn_Token': '0' * 32}),
             ('a short token', 403, {'X_Cairn_Token': server.token[:31]}),
             ('a long token', 403, {'X_Cairn_Token': server.token + '0'}),
             ('an empty token', 403, {'X_Cairn_Token': ''}),
             ('a form', 415, {'Content_Type': 'text/plain'}),
             ('chunks', 411, {'Transfer_Encoding': 'chunked'}),
             ('100 MB', 413, {'Content_Length': str(100 << 20)}),
             ('very much', 413, {'Content_Length': '99999999999999999'})]
    for name, status, headers in cases:
        got = server.request(**headers)
        check(f'foreigners: {name} is refused', got[0] == status, got)
    for drop, status in (('Host', (400, 403)), ('X-Cairn-Token', (403,)),
                         ('Content-Type', (415,)), ('Content-Length', (411,))):
        got = server.request(drop=(drop,))
        check(f'foreigners: without {drop}', got[0] in status, got)
    check('foreigners: a second token', server.request(
        X_Cairn_Token=f'{server.token}\r\nX-Cairn-Token: 1')[0] == 400)
    check('foreigners: a second host', server.request(
        Host=f'evil.example\r\nHost: 127.0.0.1:{server.port}')[0] in (400, 403))
    check('foreigners: without an origin, with the token', server.request(drop=('Origin',))[0]
          == 200)
    for where, status in ((f'/?token={server.token}', 200), ('/', 403), ('/?token=', 403),
                          (f'/?token={server.token[:-1]}x', 403), ('/page.js', 200),
                          ('/../secret.mil', 404), ('/%2e%2e/secret.mil', 404),
                          ('/phils.mil', 404), ('/api/hello', 404),
                          ('//evil.example/', 404)):
        got = server.request('GET', where)
        check(f'foreigners: GET {where[:20]}', got[0] == status and SECRET not in got[1], got[0])
    got = server.request('GET', f'/?token={server.token}', Host='evil.example')
    check('foreigners: the page for another host', got[0] == 403)
    for method in ('PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'):
        got = server.request(method)
        check(f'foreigners: {method}', got[0] in (400, 405, 0), got)
    for act in ('nothing', '', '../hello', 'files/..', 'check/1', 'progress', 'stop?id=7',
                'progress?id=x&since=-1', 'progress?id=18446744073709551617'):
        got = server.request(path=f'/api/{act}')
        check(f'foreigners: /api/{act}', got[0] == 404, got)
    head = server.raw(f'GET /?token={server.token} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n'
                      '\r\n'.encode()).split(b'\r\n\r\n')[0].decode()
    check('foreigners: headers', all(word in head for word in (
        "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", 'nosniff',
        'no-referrer', 'no-store')) and 'Access-Control' not in head, head)


def bodies(server):
    """Large, wrong and broken ones."""
    before = family(server.process.pid)
    memory = resident(server.process.pid)
    got = server.raw(f'POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n'
                     f'X-Cairn-Token: {server.token}\r\nContent-Type: application/json\r\n'
                     f'Content-Length: {100 << 20}\r\n\r\n'.encode() + b' ' * (100 << 20))
    check('bodies: 100 MB are not read', got == b'' or b' 413 ' in got[:20], got[:100])
    check('bodies: nor kept', resident(server.process.pid) < memory + (16 << 20))
    good = b'{"model": {"file": "phils.mil"}}' + b' ' * (4 << 20)
    check('bodies: 4 MiB and a little', server.request(path='/api/model', body=good)[0] == 413)
    check('bodies: 4 MiB', server.tell('model', good[:4 << 20])['answer']['good'])
    broken = [b'', b'{', b'[]', b'null', b'3', b'"x"', b'{}', b'{"model": 3}', b'{"model": {}}',
              b'{"model": {"file": 3}}', b'{"model": {"file": ""}}', b'\xff\xfe', b'{"a": "\xff"}',
              b'{"a": 1, "a": 2}', b'{"model": {"file": "a\\u0000b.mil"}}', b'[' * 100000,
              b'{"model":' * 5000, b'{"model": {"file": "phils.mil", "text": 7}}',
              b'{"model": {"file": "phils.mil", "define": {"n": 1e999}}}',
              b'{"model": {"file": "phils.mil", "define": {"n": "3"}}}',
              b'{"model": {"file": "phils.mil", "define": {"n": 99999999999999999999}}}']
    for number, body in enumerate(broken):
        for act in ('model', 'run', 'read', 'write', 'save', 'replay'):
            told_ = server.tell(act, body)
            sane = told_ and told_['status'] in (0, 2) and not told_['killed']
            if not check(f'bodies: broken {number} for {act}', sane, (body[:60], told_)):
                break
    check('bodies: nobody is left', set(family(server.process.pid)) <= set(before))


def resident(process):
    with open(f'/proc/{process}/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def paths(server, folder):
    """Nothing outside of the folder is read or written."""
    seen = json.dumps(server.tell('files'))
    check('paths: what is listed', SECRET not in seen and 'link' not in seen and 'zero' not in seen
          and 'pipe' not in seen and 'secret' not in seen and 'hidden' not in seen, seen)
    names = ('../secret.mil', os.path.join(os.path.dirname(folder), 'secret.mil'), 'link.mil',
             'up/secret.mil', 'up/inside/phils.mil', '.hidden.mil', './phils.mil',
             'x/../../secret.mil', '..', '.', '', '/', '//', 'folder.mil/', 'folder.mil',
             'pipe.mil', 'zero.mil', '-', 'phils.mil/', 'a//phils.mil', '/dev/stdin',
             '/etc/passwd', 'x' * 300 + '.mil', 'x/' * 3000 + 'a.mil', '/proc/self/environ')
    for name in names:
        for act, body in (('read', {'file': name}), ('model', {'model': {'file': name}}),
                          ('replay', {'model': {'file': 'phils.mil'}, 'file': name}),
                          ('model', {'model': {'file': 'phils.mil', 'context': name}}),
                          ('model', {'model': {'file': 'phils.mil', 'guide': name}})):
            told_ = server.tell(act, body)
            text = json.dumps(told_)
            opened = told_['answer'] and told_['answer'].get('good', True)
            check(f'paths: {act} {name[:40]!r} is refused', not told_['killed'] and SECRET not in
                  text and (not opened or name == '' and act == 'model'), text[:300])
    include = f'#include "../secret.fcr"\n#include "{os.path.dirname(folder)}/secret.fcr"\n'
    told_ = server.tell('model', {'model': {'file': 'x.fcr', 'text': include}})
    check('paths: includes', not told_['answer']['good'] and SECRET not in json.dumps(told_),
          told_)
    told_ = server.tell('model', {'model': {'file': '/dev/zero', 'text': text_of(PHILS)}})
    check('paths: the name of a text', told_['answer'] is None)
    before = sorted(os.listdir(folder)), sorted(os.listdir(os.path.dirname(folder)))
    for name in (*names, 'x.sh', 'x', 'x.html', '.x.mil', '.git/config', 'x.mil\n', 'up/new.mil'):
        if server.tell('write', {'file': name, 'text': 'evil'})['answer']:
            check(f'paths: {name[:40]!r} is not written', False)
        run_ = {'model': model_of(PHILS), 'run': {'steps': []}, 'file': name}
        if name and server.tell('save', run_)['answer']:
            check(f'paths: {name[:40]!r} is not saved', False)
    check('paths: nothing was written', (sorted(os.listdir(folder)), sorted(os.listdir(
        os.path.dirname(folder)))) == before and SECRET in text_of(os.path.join(
            os.path.dirname(folder), 'secret.mil')))


def junk(dice, value):
    """The value with something wrong somewhere in it."""
    if isinstance(value, dict) and value and dice.random() < 0.85:
        key = dice.choice(list(value))
        return {**value, key: junk(dice, value[key])}
    if isinstance(value, list) and value and dice.random() < 0.85:
        place = dice.randrange(len(value))
        return value[:place] + [junk(dice, value[place])] + value[place + 1:]
    if isinstance(value, str) and value and dice.random() < 0.6:
        place = dice.randrange(len(value))
        return value[:place] + dice.choice(['', '(', '\u2028', '</script>', value]) + value[
            place + dice.randrange(3):]
    return dice.choice([None, True, -1, 0, 2**63 - 1, 2**64, 1.5, 1e300, '', 'x', [], {}, [[]],
                        {'a': {}}, 'a' * 5000])


def damaged(server):
    """Requests with something wrong in them: refused or answered, never a crash."""
    dice = random.Random(SEED)
    gate, phils = model_of(GATE), model_of(PHILS, define={'n': 3})
    near = server.ask('run', {'model': gate, 'run': {'steps': []}})
    cells = near['run']['cells']
    requests = [
        ('run', {'model': gate, 'run': {'cells': cells, 'seed': 4, 'steps': [
            [near['enabled'][0]['rule'], '5/2']]}, 'known': 1}),
        ('run', {'model': phils, 'run': {'seed': 4, 'steps': [[0, None], [4, None]]}}),
        ('model', {'model': phils}), ('save', {'model': phils, 'run': {'steps': [[0, None]]}}),
        ('check', {'model': phils, 'ask': {
            'properties': ['deadlock'], 'formulas': [{'kind': 'ctl', 'text': 'EF true'}],
            'engine': 'auto', 'order': 'bfs', 'reduce': 'none', 'bound': 7, 'memory': 100,
            'time': 1, 'threads': 1, 'first': True, 'no_deadlock': False}})]
    wrong = []
    for number in range(2000 if LONG else 120):
        act, body = requests[number % len(requests)]
        body = junk(dice, body)
        told_ = server.tell(act, body)
        if act == 'check' and told_:
            if 'id' not in told_:
                wrong.append((act, body, told_))
                continue
            told_, _ = server.watch(told_['id'])
        if not told_ or told_['status'] not in (0, 2, 3) or told_['killed']:
            wrong.append((act, body, told_))
    check('damaged: every request has an answer', not wrong, wrong[:2])


def crowds(server):
    """1,000 connections that say nothing: others are served."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 1200:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    crowd = []
    for _ in range(1000):
        try:
            crowd.append(server.connect())
        except OSError:
            break
    check('crowds: they are there', len(crowd) > 900, len(crowd))
    check('crowds: others are served', server.tell('hello') and server.ask('files'))
    for connection in crowd:
        connection.close()
    check('crowds: and later', server.tell('hello'))


class Slow:
    """A client that sends a byte now and then, and one that takes nothing of what it asked for."""

    def __init__(self, server):
        self.server, self.closed = server, threading.Event()
        self.connection = server.connect()
        self.head = (f'POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n'
                     f'X-Cairn-Token: {server.token}\r\nContent-Type: application/json\r\n'
                     'Content-Length: 4000000\r\n\r\n').encode()
        self.thread = threading.Thread(target=self.drip, daemon=True)
        self.thread.start()

    def drip(self):
        try:
            self.connection.sendall(self.head)
            self.connection.settimeout(0.5)
            while True:
                self.connection.sendall(b' ')
                try:
                    if not self.connection.recv(100):
                        break
                except socket.timeout:
                    continue
        except OSError:
            pass
        self.closed.set()


def attacker():
    folder = prepare_attack()
    with Server(os.path.join(folder, 'phils.mil'), program=ASAN) as server:
        slow = [Slow(server) for _ in range(3)]
        foreigners(server)
        bodies(server)
        paths(server, folder)
        damaged(server)
        for each in slow:
            each.thread.join(timeout=120)
        check('slow clients are cut', all(each.closed.is_set() for each in slow))
        crowds(server)
        check('attacker: it still serves', server.ask('model', {'model': model_of(PHILS)})['good'])
        status, errors, left = server.end()
        check('attacker: it ends as it should', status == 0 and not errors and not left,
              (status, errors, left))


# ---- the page

def at(browser):
    return browser.run('return cairn.simulator.view ? cairn.simulator.view.at : -1')


def settled(browser):
    """Waits until the page knows what is possible at the slider; the labels of these steps."""
    until(lambda: browser.run('return cairn.simulator.where !== null'))
    return browser.texts('#enabled .take b')


def open_model(browser, server, name=None):
    browser.visit(server.address)
    until(lambda: browser.run('return window.cairn !== undefined && cairn.live.isGood'))
    if name:
        browser.run('cairn.openFile(arguments[0])', name)
        until(lambda: browser.run('return cairn.editor.file === arguments[0] '
                                  '&& cairn.live.isGood', name))


def write_code(browser, text):
    browser.run('const code = document.getElementById("code"); code.value = arguments[0];'
                'code.dispatchEvent(new Event("input"))', text)


def editing(browser, server):
    """Diagnostics at their lines, and gone when the mistake is."""
    open_model(browser, server)
    check('editing: the text of the model', browser.run('return cairn.editor.value')
          == text_of(PHILS) and '20 rules' in browser.texts('#facts')[0])
    lines = text_of(PHILS).split('\n')
    number = next(k for k, line in enumerate(lines) if 'END' in line and 'take_left' in line) + 1
    write_code(browser, text_of(PHILS).replace('take_left;', 'take_lefd;', 1))
    until(lambda: browser.texts('#diagnostics li.error'))
    told_ = server.tell('model', {'model': {'file': 'phils.mil', 'text': browser.run(
        'return cairn.editor.value')}})
    shown = browser.run('return [...document.querySelectorAll(".mark.error")].map(m => '
                        '[Number(m.dataset.line), m.querySelector(".words").textContent])')
    check('editing: diagnostics at their lines', shown == [
        [line['line'], line['text']] for line in told_['lines'] if line['severity'] == 'error']
        and shown and number, shown)
    browser.click('#tab-simulate')
    check('editing: no steps of a broken model', not browser.texts('#enabled li')
          and 'mistakes' in browser.texts('#notes')[0])
    browser.click('#tab-model')
    write_code(browser, text_of(PHILS))
    until(lambda: browser.run('return cairn.live.isGood'))
    check('editing: mended', not browser.texts('#diagnostics li') and not browser.texts('.mark'))
    browser.run('document.getElementById("define").value = "n=2";'
                'document.getElementById("define").dispatchEvent(new Event("change"))')
    until(lambda: '8 rules' in browser.texts('#facts')[0])
    check('editing: constants', '8 rules' in browser.texts('#facts')[0])
    browser.run('window.prompt = () => "new.mil"')
    browser.click('#new')
    until(lambda: browser.run('return cairn.editor.file') == 'new.mil')
    write_code(browser, text_of('examples/peterson/peterson.mil'))
    until(lambda: browser.run('return cairn.live.isGood'))
    browser.click('#save')
    until(lambda: 'is saved' in browser.texts('#message')[0])
    check('editing: a new model', text_of(os.path.join(path('browsed'), 'new.mil'))
          == text_of('examples/peterson/peterson.mil'))


def simulating(browser, server):
    """Steps, undo, a branch, keys, saved and loaded."""
    open_model(browser, server)
    browser.click('#tab-simulate')
    first = settled(browser)
    check('simulating: what is possible', first == ['take_left'] * 5, first)
    browser.click('#enabled li:nth-child(2) .take')
    until(lambda: at(browser) == 1)
    second = settled(browser)
    check('simulating: after a step', sorted(second) == ['take_left'] * 4 + ['take_right']
          and browser.texts('#what')[0].startswith('take_left by phil[1]'), second)
    browser.type('1')
    until(lambda: at(browser) == 2)
    settled(browser)
    browser.click('#undo')
    until(lambda: at(browser) == 1)
    check('simulating: undo', settled(browser) == second
          and browser.texts('#branches .branch') == ['run 1 2 steps'])
    browser.type('5')
    until(lambda: len(browser.texts('#branches .branch')) == 2)
    until(lambda: at(browser) == 2)
    settled(browser)
    check('simulating: a branch beside it', [text.rstrip('×') for text in browser.texts(
        '#branches .branch')] == ['run 1 2 steps', 'run 2 2 steps'])
    browser.run('cairn.simulator.show(cairn.simulator.branches[0], 2)')
    check('simulating: back to the other', settled(browser) is not None and at(browser) == 2)
    for _ in range(8):
        before = at(browser)
        if not settled(browser):
            break
        browser.type('1')
        until(lambda: at(browser) > before)
    settled(browser)
    browser.type('home')
    check('simulating: a jump', at(browser) == 0 and settled(browser) == first)
    browser.type('end')
    length = at(browser)
    settled(browser)
    browser.run('document.getElementById("trace-name").value = "page.itf.json"')
    browser.click('#save-run')
    until(lambda: 'saved' in browser.texts('#message')[0])
    replayed = run('replay', os.path.join(path('browsed'), 'page.itf.json'))
    check('simulating: saved, and replayed', replayed.returncode == 0 and length >= 8,
          (length, replayed.stderr))
    browser.click('#load-run')
    until(lambda: len(browser.texts('#branches .branch')) == 3)
    check('simulating: loaded', at(browser) == length and browser.run(
        'const [a, , c] = cairn.simulator.branches; '
        'return JSON.stringify(a.trace.steps) === JSON.stringify(c.trace.steps)'))


def deadlocked(browser, server):
    """All take their left fork: the page says who waits for whom, as the check does."""
    open_model(browser, server)
    browser.click('#tab-simulate')
    for number in range(5):
        until(lambda: at(browser) == number)
        steps = settled(browser)
        place = max(k for k, label in enumerate(steps) if label == 'take_left') + 1
        browser.click(f'#enabled li:nth-child({place}) .take')
    until(lambda: at(browser) == 5)
    until(lambda: 'Deadlock' in ''.join(browser.texts('#notes')))
    check('deadlocked: told, with its reason', 'fork[0].taken' in browser.texts('#notes')[0],
          browser.texts('#notes'))


def timed(browser, server):
    """Delays to choose, in their intervals."""
    open_model(browser, server, 'gate.xml')
    browser.click('#tab-simulate')
    settled(browser)
    browser.run('document.querySelector("#enabled input.delay").value = "5/2"')
    browser.click('#enabled li:nth-child(1) .take')
    until(lambda: at(browser) == 1)
    settled(browser)
    check('timed: the date', ' at 5/2' in browser.texts('#what')[0])
    words = browser.texts('#enabled li')
    place = next(k for k, text in enumerate(words) if 'in [10, 20]' in text) + 1
    check('timed: how long the state lasts', '20 at most' in browser.texts('#patience')[0])
    browser.run('document.querySelector(arguments[0]).value = "9"',
                f'#enabled li:nth-child({place}) input')
    browser.click(f'#enabled li:nth-child({place}) .take')
    until(lambda: 'not possible' in browser.texts('#message')[0])
    check('timed: too early', at(browser) == 1)
    settled(browser)
    browser.run('document.querySelector(arguments[0]).value = "12.5"',
                f'#enabled li:nth-child({place}) input')
    browser.click(f'#enabled li:nth-child({place}) .take')
    until(lambda: at(browser) == 2)
    check('timed: in time', ' at 15' in browser.texts('#what')[0]
          and browser.texts('#time-line .clock'), browser.texts('#what'))


def checking(browser, server):
    """A check in the page is the report page; from a counterexample to a run by hand."""
    open_model(browser, server)
    browser.click('#tab-check')
    browser.click('#start')
    until(lambda: browser.texts('#verdict'))
    _, claim = told('check', PHILS)
    check('checking: verdicts', browser.texts('#checked .property .chip')
          == [p['verdict'] for p in claim['properties']]
          and browser.texts('#verdict') == ['violated'])
    browser.type('left')
    check('checking: keys move the slider', browser.run('return Number(document.getElementById('
                                                        '"slider").value)') == 4)
    browser.click('#go-on')
    until(lambda: at(browser) == 4)
    check('checking: a counterexample goes on by hand', len(settled(browser)) > 1)
    browser.click('#tab-model')
    write_code(browser, text_of(PHILS).replace('n = 5', 'n = 17'))
    until(lambda: browser.run('return cairn.live.isGood'))
    browser.click('#tab-check')
    browser.run('document.getElementById("engine").value = "explicit"')
    browser.click('#start')
    until(lambda: 'state' in browser.texts('#progress')[0])
    browser.click('#stop')
    until(lambda: browser.texts('#verdict'))
    check('checking: stopped', 'stopped' in browser.texts('#progress')[0]
          and not browser.run('return document.getElementById("start").disabled'))
    browser.click('#start')
    until(lambda: 'state' in browser.texts('#progress')[0])
    browser.run('cairn.editor.note()')
    browser.visit(server.address)
    until(lambda: 'state' in ''.join(browser.texts('#progress'))
          or browser.run('return window.cairn && cairn.checker.id !== null'))
    browser.click('#tab-check')
    until(lambda: 'state' in browser.texts('#progress')[0])
    browser.click('#stop')
    until(lambda: browser.texts('#verdict'))
    check('checking: another page goes on with it', 'stopped' in browser.texts('#progress')[0])


def contexts(browser, server):
    """All contexts of a file: a matrix."""
    open_model(browser, server)
    browser.run('cairn.openFile("timed.fcr")')  # the context comes before it is read
    until(lambda: browser.run('return cairn.editor.file === "timed.fcr"'))
    browser.run('document.getElementById("context").value = "contexts.cdl";'
                'document.getElementById("context").dispatchEvent(new Event("change"))')
    until(lambda: 'several contexts' in browser.texts('#facts')[0])
    browser.click('#tab-check')
    browser.click('#start')
    until(lambda: browser.texts('#checked tr[data-context]'))
    claim = told('check', LOGIN, '--context', 'examples/device-login/contexts.cdl')[1]
    rows = browser.run('return [...document.querySelectorAll("tr[data-context]")].map(row => '
                       '[row.dataset.context, ...[...row.querySelectorAll("td.verdict")].map('
                       'cell => cell.className.split(" ")[1])])')
    expected = [[row['context'], sorted(p['verdict'] for p in row.get('properties', []))]
                for row in claim['contexts']]
    check('contexts: a matrix', [[row[0], sorted(row[1:])] for row in rows] == expected,
          (rows, expected))


def writing_contexts(browser, server):
    """Contexts and guides beside the model: shown, changed, read with it before they are saved,
    begun anew."""
    folder = path('browsed')
    open_model(browser, server, 'open.fcr')
    choose = ('const field = document.getElementById(arguments[0]); field.value = arguments[1];'
              'field.dispatchEvent(new Event("change"))')
    pick = 'document.querySelector(`#texts [data-file="${arguments[0]}"]`).click()'
    check('contexts: a model alone has no tabs', not browser.run(
        'return document.getElementById("texts").checkVisibility()'))
    browser.run(choose, 'context', 'people.cdl:visitor')
    until(lambda: browser.run('return cairn.editor.texts.size === 2 && cairn.live.isGood'))
    rules = browser.texts('#facts')[0]
    browser.run(pick, 'people.cdl')
    before = text_of('examples/airlock/people.cdl')
    check('contexts: its text', browser.run('return document.getElementById("code").value')
          == before)
    write_code(browser, before.replace('event in; event out', 'event in; event owt', 1))
    until(lambda: browser.texts('#diagnostics li.error'))
    marks = browser.run('return [...document.querySelectorAll(".mark.error")].map(m => '
                        'Number(m.dataset.line))')
    line = next(k for k, each in enumerate(before.split('\n')) if 'cdl visitor' in each) + 1
    check('contexts: a mistake at its line', marks == [line], marks)
    check('contexts: told of its file', 'people.cdl:' in browser.texts('#diagnostics li')[0])
    write_code(browser, before.replace('event in; event out', 'event in; event out; event in', 1))
    until(lambda: browser.run('return cairn.live.isGood'))
    check('contexts: read before it is saved', browser.texts('#facts')[0] != rules
          or browser.run('return Object.values(cairn.editor.others)[0].includes("out; event in")'))
    check('contexts: the file is as it was',
          text_of(os.path.join(folder, 'people.cdl')) == before)
    browser.click('#save')
    until(lambda: 'people.cdl is saved' in browser.texts('#message')[0])
    check('contexts: saved', 'event out; event in' in text_of(os.path.join(folder, 'people.cdl')))
    browser.run('window.prompt = () => "two.cdl"')
    browser.click('#new')
    until(lambda: browser.run('return cairn.editor.file') == 'two.cdl')
    write_code(browser, 'event in is { send INNER to {Controller}1 }\n'
               'cdl once is { main is { event in } }\n')
    until(lambda: browser.run('return cairn.live.isGood'))
    browser.click('#tab-simulate')
    check('contexts: a new one is stepped through', any('in' in each for each in settled(browser)))
    browser.click('#tab-model')
    browser.click('#save')
    until(lambda: 'two.cdl is saved' in browser.texts('#message')[0])
    check('contexts: a new one is saved', os.path.exists(os.path.join(folder, 'two.cdl')))
    browser.run(pick, 'open.fcr')
    browser.run('window.prompt = () => "tour.xgdl"')
    browser.click('#new')
    until(lambda: browser.run('return cairn.editor.file') == 'tour.xgdl')
    write_code(browser, 'guide')
    until(lambda: browser.texts('#diagnostics li.error'))
    check('contexts: a guide is read, too', 'tour.xgdl' in browser.texts('#diagnostics li')[0])


def hostile(browser, server):
    """Names and texts stay text."""
    open_model(browser, server, '</script><img src=x onerror=evil=1>.mil')
    evil = '</script><script>window.evil=1</script><img src=x onerror=evil=1>'
    write_code(browser, f'// {evil}\n{evil}\n' + text_of(PHILS))
    until(lambda: browser.texts('#diagnostics li'))
    browser.click('#tab-simulate')
    browser.click('#tab-check')
    browser.click('#start')
    until(lambda: browser.texts('#messages li'))
    check('hostile: nothing is executed, everything is shown',
          browser.run('return window.evil === undefined && !document.querySelector("img")')
          and any('</script>' in text for text in browser.texts('#file option')))
    browser.run('cairn.editor.note()')


def empty(browser, _):
    """A folder without models: every button may be pressed."""
    os.makedirs(path('empty'))
    with Server(path('empty')) as server:
        browser.visit(server.address)
        until(lambda: 'no model' in browser.texts('#message')[0])
        for button in ('tab-simulate', 'new-run', 'undo', 'random', 'save-run', 'load-run',
                       'tab-check', 'start', 'tab-model'):
            browser.click(f'#{button}')
        browser.type('1', 'u', 'r', 'left')
        faults = browser.faults()
        check('empty: a word, and no complaint', not faults, faults)


def browsed():
    folder = folder_of('browsed', PHILS, GATE, LOGIN, 'examples/device-login/contexts.cdl',
                       'examples/airlock/open.fcr', 'examples/airlock/people.cdl')
    os.makedirs(os.path.join(folder, '<'))
    shutil.copy(os.path.join(ROOT, PHILS),
                os.path.join(folder, '<', 'script><img src=x onerror=evil=1>.mil'))
    try:
        with Browser() as browser, Server(os.path.join(folder, 'phils.mil')) as server:
            browser.requests()
            for each in (editing, simulating, deadlocked, timed, checking, contexts,
                         writing_contexts, hostile, empty):
                each(browser, server)
            faults = browser.faults()
            check('page: nothing on the console', not faults, faults)
            here = 'http://127.0.0.1:'
            asked = [url for url in browser.requests()
                     if not url.startswith((here, 'data:', 'chrome:'))]
            check('page: no request leaves the server', not asked, asked)
            browser.visit('about:blank')
            status, errors, left = server.end()
            check('page: the server ends as it should', status == 0 and not errors and not left,
                  (status, errors))
    except OSError as error:
        print(f'skipped: {error}')
        check('the browser cannot be started: nothing to test here', True)


def missing():
    """Whether the program was built without the library: then it says how to get it."""
    with Server(path('.')) as server:
        words = '' if server.address else server.process.stderr.read()
    if 'libmicrohttpd' not in words:
        return False
    print('skipped: cairn was built without libmicrohttpd')
    return check('it says how to get the library', 'libmicrohttpd-dev' in words)


if missing():
    finish()
section(errands)
section(attacker)
section(browsed)
finish()
