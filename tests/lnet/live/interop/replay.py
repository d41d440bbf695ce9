"""The replay peer: plays the production side of a capture, byte for byte, to a running node of
ours, and compares what it gets.

It uses sockets only and makes no decisions. Steps of the other side ("theirs"): the replay peer
sends each when everything recorded before it has happened. Steps of our node ("ours"): a PDU has to
equal one that was recorded on this connection before the next of theirs. compare.py says what may
differ.
"""
import selectors
import socket
import struct
import time

from tests.rigs import pdu, peer
from tests.lnet.live.interop.compare import Session

PROGRESS_SECONDS = 1.0   # after this time without progress, only the order of connections, and within each of them, is kept


class Mismatch(Exception):
    pass


class Live:
    """One live connection and the recorded one that it stands for."""

    def __init__(self, index, sock):
        self.index, self.sock = index, sock
        self.splitter = pdu.Splitter()
        self.dialling = False
        self.closed = False


class Replay:
    def __init__(self, script, place, recorder=None, **session):
        self.script, self.place, self.recorder = script, place, recorder
        self.session = Session(script, place, **session)
        self.selector = selectors.DefaultSelector()
        self.live, self.listeners, self.unused = {}, [], []
        self.upper = None
        self.moved = time.monotonic()
        self.taken = set()
        self.own_pushes = 0
        self.discovered = set()
        for address in script.peers():
            self._listen(address)

    # ---- sockets ----

    def _family(self, address):
        return socket.AF_INET6 if ':' in address else socket.AF_INET

    def _listen(self, recorded):
        address = self.place.address(recorded)
        listener = socket.socket(self._family(address))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, self.place.port))
        listener.listen()
        listener.setblocking(False)
        self.selector.register(listener, selectors.EVENT_READ, self._accept)
        self.listeners.append(listener)

    def _accept(self, listener):
        sock, peer = listener.accept()[:2]
        here = sock.getsockname()[0]
        step = next((s for s in self.script.steps if s.kind == 'open' and s.ours and not s.done and
                     self.place.address(self.script.connections[s.connection][0][0]) == peer[0] and
                     self.place.address(self.script.connections[s.connection][1][0]) == here), None)
        if step is None:
            sock.close()
            raise Mismatch(f'a connection from {peer[0]} to {here} that production did not make')
        if self.place.privileged and peer[1] > 1023:
            raise Mismatch(f'a connection from port {peer[1]}')
        self._begin(step, sock)

    def _dial(self, step):
        active, passive = self.script.connections[step.connection]
        sock = socket.socket(self._family(active[0]))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((self.place.address(active[0]), active[1] if self.place.privileged else 0))
        sock.connect((self.place.address(passive[0]), self.place.port))
        self._begin(step, sock)

    def _begin(self, step, sock):
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        live = Live(step.connection, sock)
        self.live[step.connection] = live
        self.selector.register(sock, selectors.EVENT_READ, lambda _: self._read(live))
        if self.recorder:
            self.recorder.open(*self.script.connections[step.connection])
        self._did(step)

    def _ends(self, live, ours):
        active, passive = self.script.connections[live.index]
        return (active, passive) if self.script.opened_by_us(live.index) == ours else (passive, active)

    def _read(self, live):
        try:
            data = live.sock.recv(1 << 20)
        except ConnectionResetError:
            data = b''
        if not data:
            return self._ended(live)
        if self.recorder:
            self.recorder.data(*self._ends(live, ours=True), data)
        for one in live.splitter.feed(self.script.opened_by_us(live.index), data):
            self._arrived(live, one)

    def _ended(self, live):
        self.selector.unregister(live.sock)
        live.sock.close()
        live.closed = True
        if self.recorder:
            self.recorder.end(*self._ends(live, ours=True))
        step = next((s for s in self.script.steps if s.connection == live.index and s.kind == 'end' and not s.done), None)
        if step is None:
            raise Mismatch(f'connection {live.index} was closed; production kept it\n  next: {self._next(live.index)}')
        self._did(step)

    def _next(self, index):
        return next((s for s in self.script.steps if s.connection == index and not s.done), None)

    # ---- ours ----

    def _candidates(self, index):
        """The PDUs that our node may send now on a connection: those before the other side's next
        PDU on it."""
        for step in self.script.steps:
            if step.connection == index and not step.done and step.kind == 'pdu':
                if not step.ours:
                    return
                yield step

    def _arrived(self, live, one):
        reasons = []
        for step in self._candidates(live.index):
            differences = self.session.differences(step.pdu, one)
            if not differences:
                self.session.learn(step.pdu, one)
                return self._did(step)
            reasons.append(f'  against {step}\n    ' + '\n    '.join(differences))
        if self._is_own_push(one):
            self.own_pushes += 1
            return self._send(live, peer.build_ack(one))
        if pdu.is_discovery_ping(one) and one.dst_nid not in self.discovered:
            # Production's node had discovered its peer before the recording began.
            self.discovered.add(one.dst_nid)
            return self._send(live, peer.build_ping_reply(one))
        raise Mismatch(f'connection {live.index} carried what production did not send there:\n  {one}\n  {one.data.hex()}\n' +
                       ('\n'.join(reasons) or '  no PDU of our node was due'))

    def _is_own_push(self, one):
        """Whether our node answers an unexpected push with a push. The production node had run
        discovery itself, and had pushed before, or on another rail."""
        pushed = any(s.done and not s.ours and s.kind == 'pdu' and pdu.is_push(s.pdu) for s in self.script.steps)
        return pushed and pdu.is_push(one) and self.session.info in (None, self.session.without_sequence(one))

    def _is_ours_to_take(self, step):
        return step.ours and not step.by_node and step.kind == 'pdu' and step.pdu.kind == 'lnet' and step.pdu.type in (pdu.PUT, pdu.GET)

    def _take_ours(self):
        for step in self.script.steps:
            if step.done or not self._is_ours_to_take(step):
                continue
            earlier = [s for s in self.script.steps[:step.index] if not s.done and not s.optional]
            blocked = [s for s in earlier if s.part < step.part or (s.kind == 'pdu' and s.pdu.kind == 'lnet')]
            if blocked:
                return
            if step.index not in self.taken:
                self.taken.add(step.index)
                self.upper.take(step)

    # ---- theirs ----

    def _ready(self, step, relaxed):
        for earlier in self.script.steps[:step.index]:
            if earlier.done or earlier.optional:
                continue
            same = earlier.connection == step.connection or earlier.kind == step.kind == 'open'
            if same or not relaxed or earlier.part < step.part or (earlier.kind == 'pdu' and earlier.pdu.kind == 'lnet'):
                return False
        return step.kind == 'open' or step.connection in self.live

    def _play_theirs(self):
        relaxed = time.monotonic() - self.moved > PROGRESS_SECONDS
        for step in self.script.steps:
            if not step.done and not step.ours and self._ready(step, relaxed):
                self._play(step)

    def _play(self, step):
        if step.kind == 'open':
            return self._dial(step)
        live = self.live[step.connection]
        if live.closed:
            raise Mismatch(f'connection {step.connection} was closed before {step}')
        if step.kind == 'end':
            return self._end(live, step)
        self._send(live, self.session.theirs(step.pdu))
        self._did(step)

    def _send(self, live, data):
        live.sock.setblocking(True)
        live.sock.sendall(data)
        live.sock.setblocking(False)
        for _ in live.splitter.feed(not self.script.opened_by_us(live.index), data):
            pass
        if self.recorder:
            self.recorder.data(*self._ends(live, ours=False), data)

    def _end(self, live, step):
        if step.how == 'rst':
            live.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.selector.unregister(live.sock)
        live.sock.close()
        live.closed = True
        if self.recorder:
            self.recorder.end(*self._ends(live, ours=False), step.how)
        self._did(step)

    # ---- the run ----

    def _did(self, step):
        step.done = True
        self.moved = time.monotonic()

    def pending(self):
        return [s for s in self.script.steps if not s.done and not s.optional]

    def run(self, upper, seconds, quiet=0.3, own_pushes=0):
        """Plays the script to its end, then listens for `quiet` seconds, in which nothing more may
        come. Raises Mismatch."""
        self.upper = upper
        if not any(self._is_ours_to_take(s) for s in self.script.steps) and self.script.opened_by_us(0):
            upper.reach(self.script.connections[0][1][0])
        if upper.fileno() is not None:
            self.selector.register(upper.fileno(), selectors.EVENT_READ, lambda _: upper.pump())
        deadline = time.monotonic() + seconds
        while self.pending() or self.own_pushes < own_pushes:
            if time.monotonic() > deadline:
                raise Mismatch('time is over; still to come:\n  ' + '\n  '.join(map(str, self.pending()[:8])))
            self._take_ours()
            self._play_theirs()
            self._poll(0.05)
            if not upper.pump():
                raise Mismatch('our node is gone')
        self.listen_for(quiet)
        if self.own_pushes != own_pushes:
            raise Mismatch(f'{self.own_pushes} pushes of our node\'s own, {own_pushes} were due')

    def listen_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._poll(0.05)

    def _poll(self, seconds):
        for key, _ in self.selector.select(seconds):
            key.data(key.fileobj)

    def probe(self):
        """Checks that a connection that production would still use still answers a ping. Returns
        None, or the reason why not."""
        for index, live in self.live.items():
            hello = next((s.pdu for s in self.script.steps if s.connection == index and s.ours and s.done and
                          s.kind == 'pdu' and s.pdu.kind == 'hello'), None)
            if live.closed or hello is None or live.splitter.version != 3 or hello.ctype != pdu.CONTROL:
                continue
            us = struct.unpack('<Q', self.place.nid4(hello.src_nid))[0]
            them = struct.unpack('<Q', self.place.nid4(hello.dst_nid))[0]
            return self._probe(live, peer.build_ping(us, them, b'probe of replay.'))
        return None

    def _probe(self, live, ping):
        live.sock.setblocking(True)
        live.sock.settimeout(30)
        live.sock.sendall(ping)
        ours = self.script.opened_by_us(live.index)
        for _ in live.splitter.feed(not ours, ping):
            pass
        while True:
            try:
                data = live.sock.recv(65536)
            except OSError as error:
                return f'no answer to a last ping on connection {live.index}: {error}'
            if not data:
                return f'connection {live.index} was closed on a last ping'
            for one in live.splitter.feed(ours, data):
                if one.kind == 'lnet' and one.type == pdu.REPLY and one.dst_wmd == b'probe of replay.':
                    return None

    def close(self):
        for live in self.live.values():
            if not live.closed:
                live.sock.close()
        for listener in self.listeners:
            listener.close()
        self.selector.close()
