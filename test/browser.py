"""A browser for tests: Debian's chromium, driven by chromedriver (W3C WebDriver) with nothing but
the standard library. It has no network but loopback: every name resolves to nothing, and requests
that a page makes are told."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
KEYS = {'left': '\ue012', 'right': '\ue014', 'home': '\ue011', 'end': '\ue010', 'up': '\ue013',
        'down': '\ue015'}


class Browser:
    """Use as `with Browser() as browser`; OSError when no browser can be started."""

    def __init__(self, width=1280, height=1000, dark=False):
        self.width, self.height, self.dark = width, height, dark
        self.folder = self.driver = self.session = None

    def __enter__(self):
        program, driver = shutil.which('chromium'), shutil.which('chromedriver')
        if not program or not driver:
            raise OSError('chromium or chromedriver is not installed')
        self.folder = tempfile.mkdtemp(prefix='cairn-browser-')
        log = os.path.join(self.folder, 'port')
        try:
            with open(log, 'w', encoding='utf-8') as out:
                self.driver = subprocess.Popen([driver, '--port=0'], stdout=out,
                                               stderr=subprocess.STDOUT)
            self.port = self.find_port(log)
            self.open_session(program)
        except Exception as error:
            self.__exit__()
            raise OSError(f'chromium does not start: {error}') from error
        return self

    def find_port(self, log):
        for _ in range(600):
            with open(log, encoding='utf-8') as file:
                text = file.read()
            if 'successfully on port ' in text:
                return int(text.split('successfully on port ')[-1].split()[0].rstrip('.'))
            if self.driver.poll() is not None:
                raise OSError(text[-300:])
            time.sleep(0.05)
        raise OSError('chromedriver says no port')

    def open_session(self, program):
        flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
                 '--disable-background-networking', '--disable-component-update',
                 '--disable-sync', '--disable-default-apps', '--hide-scrollbars',
                 '--no-proxy-server',
                 '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
                 f'--user-data-dir={self.folder}/data',
                 f'--window-size={self.width},{self.height}']
        if self.dark:
            flags.append('--blink-settings=preferredColorScheme=0')
        wanted = {'browserName': 'chrome', 'goog:chromeOptions': {
            'binary': program, 'args': flags,
            'perfLoggingPrefs': {'enableNetwork': True, 'enablePage': False}},
            'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}
        answer = self.ask('POST', '', {'capabilities': {'alwaysMatch': wanted}})
        self.session = answer['sessionId']

    def ask(self, method, path, body=None):
        address = f'http://127.0.0.1:{self.port}/session'
        if self.session:
            address += f'/{self.session}'
        data = json.dumps(body if body is not None else {}).encode() if method == 'POST' else None
        request = urllib.request.Request(address + path, data=data, method=method,
                                         headers={'Content-Type': 'application/json'})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=300) as reply:
                return json.load(reply)['value']
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors='replace')[:600]) from error

    def open(self, file):
        self.visit('file://' + urllib.request.pathname2url(file))

    def visit(self, address):
        self.ask('POST', '/url', {'url': address})

    def run(self, script, *arguments):
        """Runs JavaScript in the page; `return` gives a value back."""
        return self.ask('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def texts(self, selector):
        return self.run('return [...document.querySelectorAll(arguments[0])]'
                        '.map(each => each.textContent)', selector)

    def find(self, selector):
        return self.ask('POST', '/element', {'using': 'css selector', 'value': selector})[ELEMENT]

    def click(self, selector):
        self.ask('POST', f'/element/{self.find(selector)}/click')

    def type(self, *keys):
        """Keys go to what has the focus."""
        actions = [action for key in keys for action in (
            {'type': 'keyDown', 'value': KEYS.get(key, key)},
            {'type': 'keyUp', 'value': KEYS.get(key, key)})]
        self.ask('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keys',
                                                   'actions': actions}]})

    def faults(self):
        """What the console complains about, since the last question."""
        return [entry['message'] for entry in self.ask('POST', '/se/log', {'type': 'browser'})
                if entry['level'] in ('SEVERE', 'WARNING')]

    def requests(self):
        """Addresses that were asked for, since the last question."""
        found = []
        for entry in self.ask('POST', '/se/log', {'type': 'performance'}):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                found.append(message['params']['request']['url'])
        return found

    def cpu_seconds(self):
        """Time that the page's process has worked, as far as the browser tells."""
        values = self.ask('POST', '/goog/cdp/execute', {'cmd': 'Performance.getMetrics',
                                                        'params': {}})['metrics']
        return {each['name']: each['value'] for each in values}.get('TaskDuration', 0)

    def command(self, name, **parameters):
        return self.ask('POST', '/goog/cdp/execute', {'cmd': name, 'params': parameters})

    def picture(self, file, selector=None):
        path = f'/element/{self.find(selector)}/screenshot' if selector else '/screenshot'
        with open(file, 'wb') as out:
            out.write(base64.b64decode(self.ask('GET', path)))

    def __exit__(self, *_):
        try:
            if self.session:
                self.ask('DELETE', '')
        except (OSError, RuntimeError):
            pass
        if self.driver:
            self.driver.terminate()
            self.driver.wait()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
