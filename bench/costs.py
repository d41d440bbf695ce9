"""Costs of a node other than its speed: memory of an idle peer and of a list of many peers, the
time to import many nets, peers and routes, CPU time of an idle node, instructions of a ping."""
import contextlib
import http.client
import json
import os
import re
import resource
import socket
import subprocess
import tempfile
import threading
import time

import callgrind
from loops import as_words, find_program, free_port
from swarm import Swarm

LIMIT_BYTES_PER_PEER = 4096
LIMIT_IMPORT_SECONDS = 2.0
LIMIT_IDLE_CPU_MS = 10.0
LIMIT_PEER_LIST_MIB = 8.0


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def rss_bytes(pid):
    with open(f'/proc/{pid}/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGESIZE')


def cpu_seconds(pid):
    """The CPU time of all threads of a process, with a finer resolution than the ticks of
    /proc/PID/stat."""
    total = 0
    for task in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{task}/schedstat') as file:
            total += int(file.read().split()[0])
    return total / 1e9


def idle_cpu(folders, quick):
    """Milliseconds of CPU in 10 s while 100 connected peers are idle, with the default waiting
    strategy."""
    raise_descriptor_limit()
    return [idle_cpu_run(find_program(folders, 'ulnet_loop'), *((10, 0.1) if quick else (100, 10))) for _ in range(1 if quick else 3)]


def idle_cpu_run(loop, peers, seconds):
    with idle_node(loop) as (node, port), Swarm('127.0.0.2', port) as swarm:
        swarm.add(peers)
        time.sleep(0.5)  # until the peers have connected and their traffic is over
        before = cpu_seconds(node.pid)
        time.sleep(seconds)
        return {'ours': (cpu_seconds(node.pid) - before) * 1e3 * 10 / seconds, 'reference': LIMIT_IDLE_CPU_MS}


@contextlib.contextmanager
def idle_node(loop):
    """Starts a node in shared mode that does nothing by itself. Gives its process and its port."""
    port = free_port()
    node = subprocess.Popen([loop, 'idle', 'serve', *as_words({'host': '127.0.0.2', 'port': port, 'mode': 'shared'})],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if node.stdout.readline().strip() != 'ready':
            raise RuntimeError('the node did not start')
        yield node, port
    finally:
        node.stdin.close()
        node.wait(30)


def memory_per_peer(folders, quick):
    """Growth of the RSS per peer while 1,000 peers connect (a control and two bulk connections
    each) and ping once."""
    raise_descriptor_limit()
    return [memory_run(find_program(folders, 'ulnet_loop'), 20 if quick else 1000) for _ in range(1 if quick else 3)]


def memory_run(loop, peers):
    with idle_node(loop) as (node, port), Swarm('127.0.0.2', port) as swarm:
        swarm.add(1)
        before = rss_bytes(node.pid)
        swarm.add(peers)
        after = rss_bytes(node.pid)
    return {'ours': (after - before) / peers, 'reference': LIMIT_BYTES_PER_PEER}


def nets_yaml(count):
    lines = ['net:']
    for i in range(1, count + 1):
        lines += [f'    - net type: tcp{i}', '      local NI(s):', '        - interfaces:',
                  f'              0: 127.9.{i // 250}.{i % 250 + 1}']
    return '\n'.join(lines) + '\n'


def import_seconds(folders, quick):
    count = 5 if quick else 500
    raise_descriptor_limit()
    return [import_run(folders, nets_yaml(count), lambda shown: len(re.findall(r'127\.9\.', shown)), ('list_nids',), count)
            for _ in range(1 if quick else 5)]


def peers_yaml(count):
    lines = ['peer:']
    for i in range(1, count + 1):
        lines += [f'    - primary nid: 10.{i // 250}.{i % 250 + 1}.1@tcp', '      Multi-Rail: True', '      peer ni:']
        lines += [f'        - nid: 10.{i // 250}.{i % 250 + 1}.{n}@tcp' for n in range(1, 5)]
    return '\n'.join(lines) + '\n'


def import_peers_seconds(folders, quick):
    count = 5 if quick else 5000
    return [import_run(folders, peers_yaml(count), lambda shown: len(re.findall(r'primary nid: 10\.', shown)), ('peer', 'show'), count)
            for _ in range(1 if quick else 5)]


def routes_yaml(count):
    """`count` routes to at most 20 nets, by at most 500 gateways on the net tcp."""
    gateways = -(-count // 20)
    lines = ['net:', '    - net type: tcp', '      local NI(s):', '        - interfaces:', '              0: 127.0.0.2', 'route:']
    for i in range(count):
        gateway = i % gateways
        lines += [f'    - net: tcp{1 + i // gateways}', f'      gateway: 10.8.{gateway // 250}.{gateway % 250 + 1}@tcp']
    return '\n'.join(lines) + '\n'


def import_routes_seconds(folders, quick):
    count = 40 if quick else 10000
    return [import_run(folders, routes_yaml(count), lambda shown: len(re.findall(r'gateway: 10\.8\.', shown)), ('route', 'show'), count)
            for _ in range(1 if quick else 5)]


def import_run(folders, yaml, count_in, show, count):
    """Imports `yaml` and measures the time. `count_in` counts the imported items in the output of
    `ulnetctl` with the words `show`."""
    ctl = find_program(folders, 'ulnetctl')
    with running_daemon(folders) as (_, folder, environment):
        file_name = os.path.join(folder, 'all.yaml')
        with open(file_name, 'w') as file:
            file.write(yaml)
        start = time.monotonic()
        subprocess.run([ctl, 'import', file_name], env=environment, check=True)
        seconds = time.monotonic() - start
        found = count_in(subprocess.run([ctl, *show], env=environment, capture_output=True, text=True, check=True).stdout)
        if found != count:
            raise RuntimeError(f'after the import the node shows {found} of {count} items')
        return {'ours': seconds, 'reference': LIMIT_IMPORT_SECONDS}


@contextlib.contextmanager
def running_daemon(folders):
    """Starts an ulnetd without nets. Gives its process, its folder, and the environment in which
    ulnetctl talks to it."""
    with tempfile.TemporaryDirectory(prefix='ulnet-bench-') as folder:
        environment = dict(os.environ, ULNET_CONTROL=os.path.join(folder, 'control.sock'), XDG_RUNTIME_DIR=folder, XDG_CONFIG_HOME=folder)
        empty = os.path.join(folder, 'empty.conf')
        open(empty, 'w').close()
        port = free_port()
        ctl = find_program(folders, 'ulnetctl')
        daemon = subprocess.Popen([find_program(folders, 'ulnetd'), '--config', empty, '--set', 'accept=trust', '--set',
                                   f'accept_port={port}', '--set', f'accept_port_bulk={port}'], env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: subprocess.run([ctl, 'global', 'show'], env=environment, capture_output=True).returncode == 0)
            yield daemon, folder, environment
        finally:
            daemon.terminate()
            daemon.wait(30)


class ControlConnection(http.client.HTTPConnection):
    """HTTP over the control socket."""

    def __init__(self, path):
        super().__init__('ulnet', timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None):
        """Sends a request and drops the answer as it comes. Returns the answer's bytes and the
        number of peers in it."""
        self.request(method, path, body)
        answer = self.getresponse()
        size = peers = 0
        rest = b''
        while piece := answer.read(1 << 16):
            size += len(piece)
            rest += piece
            peers += rest.count(b'"primary nid"')
            rest = rest[-12:]  # shorter than the word that is counted
        if answer.status != 200:
            raise RuntimeError(f'{method} {path}: {answer.status}')
        return size, peers


def peer_list_mib(folders, quick):
    """The most memory that a daemon with 20,000 peers needs in addition while 8 clients list them
    at the same time."""
    return [peer_list_run(folders, 100 if quick else 20000) for _ in range(1 if quick else 3)]


def peer_list_run(folders, count):
    with running_daemon(folders) as (daemon, _, environment):
        path = environment['ULNET_CONTROL']
        connection = ControlConnection(path)
        # Few peers at a time: a large batch would leave the daemon free memory, which a list could
        # use.
        for first in range(0, count, 50):
            nids = [f'10.{i // 62500 + 1}.{i // 250 % 250}.{i % 250 + 1}@tcp' for i in range(first, min(first + 50, count))]
            connection.ask('POST', '/v1/batch', json.dumps({'requests': [
                {'method': 'POST', 'path': '/v1/peer', 'body': {'primary nid': nid}} for nid in nids]}))
        found = []
        clients = [threading.Thread(target=lambda: found.append(ControlConnection(path).ask('GET', '/v1/peer')[1])) for _ in range(8)]
        with open(f'/proc/{daemon.pid}/clear_refs', 'w') as file:
            file.write('5')  # resets VmHWM
        before = status_kib(daemon.pid, 'VmRSS')
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        peak = status_kib(daemon.pid, 'VmHWM')
        if found != [count] * len(clients):
            raise RuntimeError(f'{found} of {count} peers were listed')
        return {'ours': (peak - before) / 1024, 'reference': LIMIT_PEER_LIST_MIB}


def status_kib(pid, name):
    with open(f'/proc/{pid}/status') as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ':'))


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError('the condition did not come true in time')
        time.sleep(0.02)


def ping_instructions(folders, quick):
    """Instructions of one ping, with many nets and with one: the slope between two numbers of
    pings, which leaves out start-up and configuration. The pinging node blocks while it waits, so
    waiting takes no instructions."""
    few, more = (2, 4) if quick else (50, 150)

    def of_one(nets):
        return callgrind.slope(lambda count: instructions(folders, nets, count), few, more)
    return [{'ours': of_one(5 if quick else 500), 'reference': of_one(1)}]


def instructions(folders, nets, count):
    loop = find_program(folders, 'ulnet_loop')
    with idle_node(loop) as (_, port):
        words = {'port': port, 'mode': 'inline', 'wait': 'block', 'count': count, 'host': '127.0.0.3', 'peer': '127.0.0.2', 'nets': nets}
        return callgrind.instructions(loop, 'ping', 'drive', *as_words(words))
