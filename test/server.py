"""A client of `cairn serve` for tests: starts the program, asks it, and knows what became of it."""
import json
import os
import signal
import socket
import subprocess
from lib import CAIRN, PATIENCE, ROOT, family, until


class Server:
    """Use as `with Server(MODEL) as server`. `folder` is its working folder."""

    def __init__(self, *arguments, program=None, folder=ROOT):
        self.arguments, self.program, self.folder = arguments, program or CAIRN, folder
        self.process = self.token = self.port = self.address = None

    def __enter__(self):
        environment = dict(os.environ, ASAN_OPTIONS='detect_leaks=1:allocator_may_return_null=1')
        self.process = subprocess.Popen(
            [self.program, 'serve', *self.arguments], cwd=self.folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors='replace')
        self.address = self.process.stdout.readline().strip()
        if self.address:
            self.port = int(self.address.split(':')[2].split('/')[0])
            self.token = self.address.split('=')[1]
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self, number=signal.SIGTERM):
        """Ends it; (status, standard error, processes that are left)."""
        everyone = set(family(self.process.pid)) - {self.process.pid}
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=PATIENCE)
        until(lambda: not any(os.path.exists(f'/proc/{one}') for one in everyone))
        left = [one for one in everyone if os.path.exists(f'/proc/{one}')]
        return self.process.returncode, errors, left

    def connect(self):
        return socket.create_connection(('127.0.0.1', self.port), timeout=PATIENCE)

    def raw(self, data):
        """Sends these bytes, and reads until the end; b'' when it was cut."""
        with self.connect() as connection:
            try:
                connection.sendall(data)
            except OSError:
                pass  # an answer may come before all of it is sent
            answer = b''
            while True:
                try:
                    piece = connection.recv(1 << 16)
                except OSError:
                    return answer
                if not piece:
                    return answer
                answer += piece

    def request(self, method='POST', path='/api/hello', body=b'{}', drop=(), **headers):
        """A request as the page makes it, but for these headers; (status, text)."""
        lines = {'Host': f'127.0.0.1:{self.port}', 'Origin': f'http://127.0.0.1:{self.port}',
                 'Content-Type': 'application/json', 'X-Cairn-Token': self.token,
                 'Content-Length': str(len(body))}
        if method == 'GET':
            body = b''
            for name in ('Origin', 'Content-Type', 'X-Cairn-Token', 'Content-Length'):
                del lines[name]
        lines.update({name.replace('_', '-'): value for name, value in headers.items()})
        head = ''.join(f'{name}: {value}\r\n' for name, value in lines.items() if name not in drop)
        answer = self.raw(f'{method} {path} HTTP/1.1\r\n{head}\r\n'.encode() + body)
        head, _, text = answer.partition(b'\r\n\r\n')
        words = head.split(b' ')
        return (int(words[1]) if len(words) > 1 else 0), text.decode(errors='replace')

    def tell(self, act, body=None):
        """What the server tells of an errand: {status, lines, answer, ...}, or None."""
        text = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        status, answer = self.request(path='/api/' + act, body=text)
        return json.loads(answer) if status == 200 else None

    def ask(self, act, body=None):
        """The answer alone."""
        return (self.tell(act, body) or {}).get('answer')

    def check(self, model, ask=None):
        """Starts a check: its number."""
        return self.tell('check', {'model': model, 'ask': ask or {}})['id']

    def watch(self, number, enough=lambda lines: False):
        """Waits until a check has ended, or `enough` of its lines; (what was told last, lines)."""
        lines, told, since = [], None, 0

        def over():
            nonlocal told, since
            told = self.tell(f'progress?id={number}&since={since}')
            since = told['next']
            lines.extend(told['lines'])
            return told['status'] is not None or enough(lines)
        until(over, pause=0.02)
        return told, lines
