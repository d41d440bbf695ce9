"""Costs of a node other than its speed: memory per idle peer, time to import many nets, CPU of an idle node, instructions of a ping."""
import contextlib
import os
import re
import resource
import subprocess
import tempfile
import time

import callgrind
from loops import as_words, find_program, free_port
from swarm import Swarm

LIMIT_BYTES_PER_PEER = 4096
LIMIT_IMPORT_SECONDS = 2.0
LIMIT_IDLE_CPU_MS = 10.0


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def rss_bytes(pid):
    with open(f'/proc/{pid}/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGESIZE')


def cpu_seconds(pid):
    """The CPU time of all threads of a process; finer than the ticks of /proc/PID/stat."""
    total = 0
    for task in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{task}/schedstat') as file:
            total += int(file.read().split()[0])
    return total / 1e9


def idle_cpu(folders, quick):
    """Milliseconds of CPU in 10 s while 100 connected peers are idle, with the default waiting strategy."""
    raise_descriptor_limit()
    return [idle_cpu_run(find_program(folders, 'ulnet_loop'), *((10, 0.1) if quick else (100, 10))) for _ in range(1 if quick else 3)]


def idle_cpu_run(loop, peers, seconds):
    with idle_node(loop) as (node, port), Swarm('127.0.0.2', port) as swarm:
        swarm.add(peers)
        time.sleep(0.5)  # until the traffic of their connecting is over
        before = cpu_seconds(node.pid)
        time.sleep(seconds)
        return {'ours': (cpu_seconds(node.pid) - before) * 1e3 * 10 / seconds, 'reference': LIMIT_IDLE_CPU_MS}


@contextlib.contextmanager
def idle_node(loop):
    """Starts a node in shared mode that does nothing by itself; its process and its port."""
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
    """RSS before and after 1,000 peers have connected (control and two bulk connections each) and pinged once."""
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
    """`count` routes, to 20 nets or fewer, by 500 gateways or fewer of the net tcp."""
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
    """`count_in` counts what was imported in the output of `ulnetctl` with the words `show`."""
    with tempfile.TemporaryDirectory(prefix='ulnet-bench-') as folder:
        control = os.path.join(folder, 'control.sock')
        environment = dict(os.environ, ULNET_CONTROL=control, XDG_RUNTIME_DIR=folder, XDG_CONFIG_HOME=folder)
        empty, file_name = os.path.join(folder, 'empty.conf'), os.path.join(folder, 'all.yaml')
        open(empty, 'w').close()
        with open(file_name, 'w') as file:
            file.write(yaml)
        port = free_port()
        ctl = find_program(folders, 'ulnetctl')
        daemon = subprocess.Popen([find_program(folders, 'ulnetd'), '--config', empty, '--set', 'accept=trust', '--set',
                                   f'accept_port={port}', '--set', f'accept_port_bulk={port}'], env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: subprocess.run([ctl, 'global', 'show'], env=environment, capture_output=True).returncode == 0)
            start = time.monotonic()
            subprocess.run([ctl, 'import', file_name], env=environment, check=True)
            seconds = time.monotonic() - start
            found = count_in(subprocess.run([ctl, *show], env=environment, capture_output=True, text=True, check=True).stdout)
            if found != count:
                raise RuntimeError(f'{found} of {count} are there after the import')
            return {'ours': seconds, 'reference': LIMIT_IMPORT_SECONDS}
        finally:
            daemon.terminate()
            daemon.wait(30)


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError('time is over')
        time.sleep(0.02)


def ping_instructions(folders, quick):
    """Instructions of one ping, with many nets and with one: the slope between two numbers of pings, so that start-up and configuration
    do not count. The pinging node blocks while it waits, so that waiting does not count either."""
    few, more = (2, 4) if quick else (50, 150)

    def of_one(nets):
        return callgrind.slope(lambda count: instructions(folders, nets, count), few, more)
    return [{'ours': of_one(5 if quick else 500), 'reference': of_one(1)}]


def instructions(folders, nets, count):
    loop = find_program(folders, 'ulnet_loop')
    with idle_node(loop) as (_, port):
        words = {'port': port, 'mode': 'inline', 'wait': 'block', 'count': count, 'host': '127.0.0.3', 'peer': '127.0.0.2', 'nets': nets}
        return callgrind.instructions(loop, 'ping', 'drive', *as_words(words))
