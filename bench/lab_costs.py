"""Costs of ulnet-lab, as rows with limits: to start a laboratory on loopback."""
import os
import subprocess
import tempfile
import time

from loops import find_program

LIMIT_UP_SECONDS = 5.0


def up_seconds(folders, quick):
    """From `up` until all nodes run: clients, two routers and servers on two nets."""
    program = find_program(folders, 'ulnet-lab')
    text = (f'nodes:\n    client[1-{2 if quick else 28}]: tcp\n    router[1-2]: {{nets: [tcp, tcp1], routing: yes}}\n'
            '    server[1-2]: tcp1\n')
    return [up_run(program, text) for _ in range(1 if quick else 5)]


def up_run(program, text):
    name = f'bench{os.getpid()}'
    with tempfile.TemporaryDirectory(prefix='ulnet-bench-') as folder:
        path = os.path.join(folder, 'lab.yaml')
        with open(path, 'w') as file:
            file.write(text)

        def lab(*words):
            subprocess.run([program, *words], env=dict(os.environ, XDG_RUNTIME_DIR=folder), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
        begin = time.monotonic()
        lab('up', path, '--name', name)
        seconds = time.monotonic() - begin
        lab('down', name)
    return {'ours': seconds, 'reference': LIMIT_UP_SECONDS}


ROWS = (('lab_up_32_nodes_s', up_seconds, 's', 'reference: the limit; ulnet-lab up on loopback'),)
