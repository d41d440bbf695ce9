"""Turns a capture into a script for two sides: the steps of the production side, which the replay
peer plays, and the steps of our node.

The steps of all captured connections are one list in order of time. `us` are the recorded addresses
whose part our node plays; the replay peer plays all others.
"""
from dataclasses import dataclass, field

from tests.rigs import pcap, pdu


@dataclass
class Step:
    index: int
    connection: int         # index into Script.connections
    ours: bool
    kind: str               # 'open', 'pdu', 'end'
    pdu: object = None
    how: str = ''           # for 'end': 'fin' or 'rst'
    part: int = 0           # number of the capture that the step came from
    optional: bool = False
    by_node: bool = False   # a step of our node that it takes without its upper layer
    done: bool = False

    def __str__(self):
        who = 'ours' if self.ours else 'theirs'
        return f'#{self.index} connection {self.connection} {who} {self.kind} {self.pdu or self.how}'


@dataclass
class Script:
    connections: list = field(default_factory=list)   # (active, passive) as recorded
    steps: list = field(default_factory=list)
    us: frozenset = frozenset()

    def peers(self):
        """The recorded addresses whose part the replay peer plays."""
        return sorted({end[0] for ends in self.connections for end in ends} - self.us)

    def opened_by_us(self, connection):
        return self.connections[connection][0][0] in self.us

    def lnet(self, ours, kind=None):
        return [s for s in self.steps if s.kind == 'pdu' and s.ours == ours and s.pdu.kind == 'lnet'
                and kind in (None, s.pdu.type)]


class Builder:
    """Adds captures one after the other. A connection may continue in a later capture."""

    def __init__(self, us):
        self.script = Script(us=frozenset(us))
        self.timed = []
        self.base = 0.0
        self.splitters = {}
        self.continued = {}
        self.part = 0

    def add(self, path, window=(0.0, 1e9), keep=lambda pdu: True):
        for recorded in pcap.connections(path):
            ends = (recorded.active, recorded.passive)
            addresses = {recorded.active[0], recorded.passive[0]}
            if not addresses & self.script.us or addresses <= self.script.us:
                continue
            inside = [h for h in recorded.happenings if window[0] <= h.time <= window[1]]
            if not inside or all(h.kind in ('open', 'rst') for h in inside):
                continue  # a SYN whose answer belonged to an older connection
            self._connection(recorded, ends, inside, keep)
        self.base = max((t for t, _ in self.timed), default=0.0) + 1.0
        self.part += 1
        return self

    def _connection(self, recorded, ends, inside, keep):
        if recorded.opened:
            index = len(self.script.connections)
            self.script.connections.append(ends)
            self.continued[ends] = index
            self.splitters[index] = pdu.Splitter()
        elif ends in self.continued:
            index = self.continued[ends]
        else:
            raise ValueError(f'{ends}: neither its opening nor an earlier capture of it')
        active_is_us = ends[0][0] in self.script.us
        ended = False
        for h in inside:
            ours = h.by_active == active_is_us
            time = self.base + h.time
            if h.kind == 'open':
                self.timed.append((time, self._step(index, ours, 'open')))
            elif h.kind in ('fin', 'rst') and not ended:
                ended = True  # a later one is only TCP's answer to the first
                self.timed.append((time, self._step(index, ours, 'end', how=h.kind)))
            elif h.kind == 'bytes':
                for one in self.splitters[index].feed(h.by_active, h.data):
                    if keep(one):
                        self.timed.append((time, self._step(index, ours, 'pdu', pdu=one, optional=ended)))

    def _step(self, index, ours, kind, **more):
        return Step(0, index, ours, kind, part=self.part, **more)

    def build(self, zero_copy=False):
        self.timed.sort(key=lambda pair: pair[0])
        self.script.steps = [step for _, step in self.timed]
        self._drop_what_is_not_replayed(zero_copy)
        for index, step in enumerate(self.script.steps):
            step.index = index
        self._mark_answers()
        return self.script

    def _mark_answers(self):
        """Marks pushes of ours that answer one of theirs: our node makes them without its upper
        layer."""
        pushed = set()
        for step in self.script.steps:
            if step.kind == 'pdu' and pdu.is_push(step.pdu):
                peer = next(a for a, _ in self.script.connections[step.connection] if a not in self.script.us)
                step.by_node = step.ours and (peer, False) in pushed and (peer, True) not in pushed
                pushed.add((peer, step.ours))

    def _drop_what_is_not_replayed(self, zero_copy):
        """Drops our recorded keepalives, which depend on time, and the other side's zero-copy ACKs
        when our node asks for none."""
        asked = set() if zero_copy else {s.pdu.cookie0 for s in self.script.lnet(ours=True) if 'cookie0' in s.pdu.values} - {0}

        def replayed(step):
            if step.kind != 'pdu' or step.pdu.kind != 'noop':
                return True
            if step.pdu.cookie1 == 1:
                return not step.ours
            return step.ours or step.pdu.cookie1 not in asked
        self.script.steps = [s for s in self.script.steps if replayed(s)]
