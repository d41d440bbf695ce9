"""Peers that one program plays, many at a time, each with a NID that it claims; and a pair of nodes
that must not notice them."""
import pathlib
import threading

from tests.rigs import peer

MIB = 1 << 20
LAZY = 50  # the portal of selftest's requests: a PUT that finds no buffer there waits


class Attacker:
    """Connects to a node with accept=trust; leave() ends all connections."""

    def __init__(self, node, port):
        self.node, self.port, self.lines = node, port, []

    def silent(self, source):
        """A connection from the address `source` on which the attacker sends nothing."""
        line = peer.Line(self.node, self.port, source)
        self.lines.append(line)
        return line

    def claims(self, nid, source):
        """A connection whose hello claims the NID `nid`@tcp."""
        line = self.silent(source)
        line.us = peer.nid4(nid)
        line.send(line.request() + line.hello())
        return line

    def payload(self, peers, sources):
        """Each of `peers` peers claims a NID and sends 1 MiB to a lazy portal, or as much of it as
        the node reads."""
        for k in range(peers):
            line = self.claims(f'11.0.{k // 250}.{k % 250 + 1}', sources[k % len(sources)])
            line.read()
            line.sock.setblocking(False)
            try:
                line.sock.send(line.put(LAZY, 1 << 40, bytes(MIB - 4096)))
            except BlockingIOError:
                pass

    def leave(self):
        for line in self.lines:
            line.sock.close()
        self.lines.clear()


class Innocents:
    """Two daemons that ping each other, in turn, until end()."""
    PAUSE_S = 0.02  # between two pings: the pings shall go on without filling the machine

    def __init__(self, one, one_nid, other, other_nid):
        self.ways = ((one, other_nid), (other, one_nid))
        self.pings, self.failed = 0, []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.over.wait(self.PAUSE_S):
            for daemon, nid in self.ways:
                try:
                    answer = daemon.ping(nid)
                except (OSError, AssertionError) as wrong:
                    answer = {'failed': [f'{daemon.name} does not answer: {wrong!r}']}
                self.failed += answer['failed']
                self.pings += 1

    def end(self):
        self.over.set()
        self.thread.join()


def resident(pid, name='RssAnon'):
    """The value of a line of the process's status file, in bytes."""
    for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith(f'{name}:'):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f'no {name}')
