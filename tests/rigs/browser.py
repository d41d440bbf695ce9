"""A headless Chromium for tests of web pages, driven through chromedriver's WebDriver protocol (HTTP and JSON)."""
import base64
import http.client
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from tests.rigs.daemon_rig import DEADLINE_S, wait_until

ARGUMENTS = ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions',
             '--disable-background-networking', '--disable-component-update', '--disable-sync', '--window-size=1500,1000')


def missing():
    """Why this machine has no browser; empty when it has one."""
    absent = [program for program in ('chromedriver', 'chromium') if shutil.which(program) is None]
    return f'{" and ".join(absent)} cannot be found (packages chromium, chromium-driver)' if absent else ''


class Browser:
    """One window. close() ends it and its processes."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='ulnet-browser-'))
        self.log = self.folder / 'log'
        self.session = ''
        with self.log.open('wb') as log:
            self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            started = wait_until(lambda: re.search(r'started successfully on port (\d+)', self.log.read_text(errors='replace')),
                                 'chromedriver says its port')
            self.port = int(started[1])
            options = {'args': [*ARGUMENTS, f'--user-data-dir={self.folder}/profile']}
            answer = self.ask('POST', '/session', {'capabilities': {'alwaysMatch': {'browserName': 'chrome', 'goog:chromeOptions': options}}})
            self.session = answer['sessionId']
        except BaseException:
            self.close()
            raise

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=2 * DEADLINE_S)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {'Content-Type': 'application/json'})
            value = json.loads(connection.getresponse().read())['value']
        finally:
            connection.close()
        if isinstance(value, dict) and 'error' in value:
            raise AssertionError(f'{path}: {value["error"]}: {value["message"]}')
        return value

    def open(self, address):
        self.ask('POST', f'/session/{self.session}/url', {'url': address})

    def run(self, script, *arguments):
        """Runs the script, the body of a function with these arguments, and returns its result."""
        return self.ask('POST', f'/session/{self.session}/execute/sync', {'script': script, 'args': list(arguments)})

    def until(self, script, *arguments, what=None):
        """Runs the script until its result is true, and returns this result."""
        return wait_until(lambda: self.run(script, *arguments), what or script)

    def press(self, xpath, hold_ms=0):
        """Presses the mouse on an element and releases it after `hold_ms`, wherever the element is
        then."""
        found = self.ask('POST', f'/session/{self.session}/element', {'using': 'xpath', 'value': xpath})
        actions = [{'type': 'pointerMove', 'duration': 0, 'origin': found, 'x': 0, 'y': 0}, {'type': 'pointerDown', 'button': 0},
                   {'type': 'pause', 'duration': hold_ms}, {'type': 'pointerUp', 'button': 0}]
        self.ask('POST', f'/session/{self.session}/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': actions}]})

    def picture(self, path):
        """Saves what the window shows, as PNG."""
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask('GET', f'/session/{self.session}/screenshot')))

    def close(self):
        if self.session:
            try:
                self.ask('DELETE', f'/session/{self.session}')
            except (OSError, AssertionError, ValueError):
                pass
        self.driver.terminate()
        try:
            self.driver.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
