"""A client of the Language Server Protocol, for tests: one server on pipes.

    with Client(program) as client:
        client.initialize()
        uri = client.open(path)
        client.diagnostics(uri)             # of the present version, when they come
        client.ask('hover', uri, line, character)
"""
import json
import os
import queue
import re
import subprocess
import threading
import urllib.parse

from lib import CAIRN, PATIENCE, ROOT

LANGUAGES = {'.mil': 'milestones', '.fcr': 'fiacre', '.cdl': 'cdl', '.xgdl': 'xgdl',
             '.xta': 'xta', '.ta': 'xta', '.xml': 'uppaal', '.cairn': 'cairn', '.tck': 'tchecker'}


def uri_of(path):
    return 'file://' + urllib.parse.quote(os.path.abspath(path))


def path_of(uri):
    return urllib.parse.unquote(uri.removeprefix('file://'))


class Client:
    def __init__(self, program=None):
        environment = dict(os.environ, ASAN_OPTIONS='detect_leaks=1:allocator_may_return_null=1')
        self.process = subprocess.Popen([program or CAIRN, 'lsp'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
                                        env=environment)
        self.messages = queue.Queue()
        self.errors = b''
        self.told = []       # notifications and requests of the server
        self.published = {}  # the last diagnostics, by document
        self.versions = {}
        self.texts = {}
        self.numbers = 0
        self.answers = {}
        threading.Thread(target=self.listen, daemon=True).start()
        threading.Thread(target=self.hear_errors, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    # ---- frames ----

    def hear_errors(self):
        for line in self.process.stderr:
            self.errors += line

    def listen(self):
        while True:
            header = b''
            while not header.endswith(b'\r\n\r\n'):
                byte = self.process.stdout.read(1)
                if not byte:
                    self.messages.put(None)
                    return
                header += byte
            length = int(re.search(rb'Content-Length: (\d+)', header).group(1))
            self.messages.put(json.loads(self.process.stdout.read(length)))

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.raw(b'Content-Length: %d\r\n\r\n' % len(body) + body)

    def receive(self):
        """The next message, or None at the end."""
        message = self.messages.get(timeout=PATIENCE)
        if message is None:
            return None
        if 'method' in message:
            self.told.append(message)
            if message['method'] == 'textDocument/publishDiagnostics':
                params = message['params']
                self.published[params['uri']] = params
            if 'id' in message:
                self.send({'jsonrpc': '2.0', 'id': message['id'], 'result': None})
        else:
            self.answers[json.dumps(message['id'])] = message
        return message

    def notify(self, method, params=None):
        self.send({'jsonrpc': '2.0', 'method': method, 'params': params or {}})

    def begin(self, method, params=None):
        """Sends a request; returns its number."""
        self.numbers += 1
        self.send({'jsonrpc': '2.0', 'id': self.numbers, 'method': method,
                   'params': params or {}})
        return self.numbers

    def answer(self, number):
        """The whole answer to a request."""
        while json.dumps(number) not in self.answers:
            if self.receive() is None:
                raise EOFError(f'the server has ended: {self.errors.decode()[-3000:]}')
        return self.answers.pop(json.dumps(number))

    def request(self, method, params=None):
        return self.answer(self.begin(method, params))

    # ---- the protocol ----

    def initialize(self, options=None, **capabilities):
        general = {'textDocument': {'hover': {'contentFormat': ['markdown']}}}
        general.update(capabilities)
        answer = self.request('initialize', {'processId': None, 'rootUri': None,
                                             'capabilities': general,
                                             'initializationOptions': options})
        self.notify('initialized')
        return answer['result']

    def open(self, path, text=None, language=None):
        uri = path if '://' in path or path.startswith('untitled:') else uri_of(path)
        if text is None:
            with open(path, encoding='utf-8') as file:
                text = file.read()
        self.versions[uri] = self.versions.get(uri, 0) + 1
        self.texts[uri] = text
        self.notify('textDocument/didOpen', {'textDocument': {
            'uri': uri, 'version': self.versions[uri], 'text': text,
            'languageId': language or LANGUAGES.get(os.path.splitext(path)[1], 'plain')}})
        return uri

    def change(self, uri, text):
        """Replaces all of it."""
        self.changes(uri, [{'text': text}])
        self.texts[uri] = text

    def changes(self, uri, list):
        self.versions[uri] += 1
        self.notify('textDocument/didChange', {
            'textDocument': {'uri': uri, 'version': self.versions[uri]}, 'contentChanges': list})

    def close(self, uri):
        self.notify('textDocument/didClose', {'textDocument': {'uri': uri}})

    def diagnostics(self, uri):
        """Those of the present version."""
        while self.published.get(uri, {}).get('version') != self.versions[uri]:
            if self.receive() is None:
                raise EOFError(f'the server has ended: {self.errors.decode()[-3000:]}')
        return self.published[uri]['diagnostics']

    def ask(self, question, uri, line=0, character=0, **more):
        params = {'textDocument': {'uri': uri}, 'position': {'line': line, 'character': character}}
        params.update(more)
        return self.request(f'textDocument/{question}', params)['result']

    def references(self, uri, line, character):
        return self.ask('references', uri, line, character, context={'includeDeclaration': True})

    def end(self):
        """Shuts the server down; returns its exit status."""
        self.request('shutdown')
        self.notify('exit')
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        return status


def utf16(text):
    return len(text.encode('utf-16-le')) // 2


def position(text, offset):
    """The position of an offset in characters."""
    before = text[:offset]
    return before.count('\n'), utf16(before[before.rfind('\n') + 1:])
