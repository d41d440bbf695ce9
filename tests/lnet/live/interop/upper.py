"""The upper layer of our node during a replay: carries out our LNet steps, and at the end checks
the events of our node."""
import subprocess

from tests.lnet.live.interop import translate
from tests.rigs import pdu
from tests.rigs.daemon_rig import DEADLINE_S, ULNETCTL


class ByActor:
    """Uses the actor: sends each PUT and GET of our node in the recording, and attaches a buffer
    for each of the other side."""

    def __init__(self, actor, script, session, ping_seconds):
        self.actor, self.script, self.session, self.ping_seconds = actor, script, session, ping_seconds
        for step in script.lnet(ours=False):
            if step.pdu.type in (pdu.PUT, pdu.GET) and (step.pdu.portal != 0 or step.pdu.type == pdu.PUT):
                self._attach(step)
        for step in script.lnet(ours=False):
            if step.pdu.type in (pdu.PUT, pdu.GET) and step.pdu.portal != 0:
                line = actor.wait(lambda l, i=step.index: l.get('id') == i and l.get('did') == 'attach')
                if not line or line['rc'] != 0:
                    raise AssertionError(f'attach for {step}: {line}')

    def _attach(self, step):
        one = step.pdu
        if one.portal == 0:
            return  # the node's own push target
        command = dict(op='attach', id=step.index, portal=one.portal, bits=one.match_bits, put=one.type == pdu.PUT)
        if one.type == pdu.PUT:
            command['size'] = one.payload_length
        else:
            command['data'] = self._reply_to(step).payload.hex()
        self.actor.send_command(**command)

    def _reply_to(self, step):
        return next(s.pdu for s in self.script.lnet(not step.ours, pdu.REPLY) if s.pdu.dst_wmd == step.pdu.return_wmd)

    def _nid(self, raw):
        return translate.nid_text(raw, self.session.place)

    def take(self, step):
        one = step.pdu
        command = dict(id=step.index, target=self._nid(one.dst_nid), self=self._nid(one.src_nid), portal=one.portal,
                       bits=one.match_bits)
        if one.type == pdu.PUT:
            info = self.session.theirs(one)[len(one.data) - one.payload_length:] if one.payload_length else b''
            command.update(op='put', data=info.hex(), hdr_data=one.hdr_data, offset=one.offset,
                           ack=one.ack_wmd != pdu.NO_HANDLE)
        elif one.portal == 0 and one.sink_length == 3960:  # the size of a GET of `lnetctl ping`
            command.update(op='ping', timeout_ms=int(self.ping_seconds * 1000))
        else:
            command.update(op='get', size=one.sink_length)
        self.actor.send_command(**command)

    def fileno(self):
        return self.actor.fileno()

    def pump(self):
        return self.actor.pump()

    def problems(self):
        """Events that the upper layer should have got and did not get."""
        out = []
        for step in self.script.lnet(ours=True) + self.script.lnet(ours=False):
            if step.optional or step.by_node or step.pdu.type not in (pdu.PUT, pdu.GET):
                continue
            expected = self._expected(step)
            for what, wanted in expected:
                if not self.actor.wait(lambda l: l.get('id') == step.index and self._agrees(l, wanted)):
                    heard = [l for l in self.actor.lines if l.get('id') == step.index]
                    out.append(f'{step}\n    no {what} {wanted}\n    heard {heard}')
        return out

    @staticmethod
    def _agrees(line, wanted):
        return all(line.get(key) == value for key, value in wanted.items())

    def _expected(self, step):
        one = step.pdu
        if not step.ours:
            if one.portal == 0:
                return []
            length = one.payload_length if one.type == pdu.PUT else self._reply_to(step).payload_length
            event = dict(event='put' if one.type == pdu.PUT else 'get', status=0, mlength=length, match_bits=one.match_bits)
            if one.type == pdu.PUT:
                event.update(data=one.payload.hex(), hdr_data=one.hdr_data)
            return [('event', event)]
        if one.portal == 0 and one.type == pdu.GET and one.sink_length == 3960:
            answered = any(s.pdu.dst_wmd == one.return_wmd for s in self.script.lnet(False, pdu.REPLY))
            return [('answer', dict(did='ping', rc=0))] if answered else []
        events = [('event', dict(event='send', status=0))]
        if one.type == pdu.PUT and one.ack_wmd != pdu.NO_HANDLE:
            ack = next(s.pdu for s in self.script.lnet(False, pdu.ACK) if s.pdu.dst_wmd == one.ack_wmd)
            events.append(('event', dict(event='ack', status=0, mlength=ack.mlength)))
        if one.type == pdu.GET:
            reply = self._reply_to(step)
            sent = self.session.theirs(reply)
            events.append(('event', dict(event='reply', status=0, data=sent[len(sent) - reply.payload_length:].hex())))
        return events


class BySelftest:
    """Uses our selftest: it answers by itself, sends the requests of the recorded console, and runs
    a test client in place of the recorded one."""

    def __init__(self, actor, script, session, ping_seconds):
        self.actor, self.script, self.session = actor, script, session
        self.asked, self.tests = [], []
        actor.send_command(op='selftest', id=-1)
        if not actor.wait(lambda l: l.get('did') == 'selftest' and l['rc'] == 0):
            raise AssertionError('the selftest did not start')
        requests = []
        for step in script.lnet(ours=True):
            step.by_node = step.pdu.type in (pdu.PUT, pdu.GET) and step.pdu.portal in (pdu.TEST_PORTAL, pdu.REPLY_PORTAL)
            if step.by_node and step.pdu.portal == pdu.TEST_PORTAL:
                requests.append(step)
        self.loop = len(requests)
        for step in requests[:1]:
            step.by_node = False  # the first one starts the test

    def take(self, step):
        one = step.pdu
        command = dict(id=step.index, target=translate.nid_text(one.dst_nid, self.session.place))
        if one.portal == 0:
            return self.actor.send_command(op='ping', timeout_ms=10000, **command)
        command.update(data=one.payload.hex())
        if one.portal == pdu.FRAMEWORK_PORTAL:
            self.asked.append(step)
            return self.actor.send_command(op='rpc', **command)
        self.tests.append(step)
        return self.actor.send_command(op='test', loop=self.loop, **command)

    def fileno(self):
        return self.actor.fileno()

    def pump(self):
        return self.actor.pump()

    def problems(self):
        out = []
        for step in self.asked:
            heard = self.actor.wait(lambda l, i=step.index: l.get('id') == i and l.get('did') == 'rpc')
            if not heard or heard['rc'] != 0 or heard['status'] != 0:
                out.append(f'{step}: heard {heard}')
        for step in self.tests:
            out += self._problems_of_test(step)
        return out

    def _problems_of_test(self, step):
        number = 10 ** 6
        while number < 10 ** 6 + 100:
            number += 1
            self.actor.send_command(op='result', id=number)
            heard = self.actor.wait(lambda l, i=number: l.get('id') == i)
            if not heard or heard['running'] == 0:
                break
        wanted = dict(running=0, errors=0, well=self.loop)
        return [] if heard and all(heard[k] == v for k, v in wanted.items()) else [f'{step}: {wanted} was due, heard {heard}']


class ByDaemon:
    """Uses ulnetd, which pings for ulnetctl. For captures in which our part only pings or answers."""

    def __init__(self, daemon, script, session, ping_seconds):
        self.daemon, self.script, self.session, self.ping_seconds = daemon, script, session, ping_seconds
        self.pings = []

    def reach(self, recorded):
        """Makes our node connect to that address, for a script in which no message gets through."""
        self._ping(f'{self.session.place.address(recorded)}@tcp', answered=False)

    def take(self, step):
        assert step.pdu.type == pdu.GET and step.pdu.portal == 0, f'not for ulnetctl: {step}'
        answered = any(s.pdu.dst_wmd == step.pdu.return_wmd for s in self.script.lnet(False, pdu.REPLY))
        self._ping(translate.nid_text(step.pdu.dst_nid, self.session.place), answered)

    def _ping(self, target, answered):
        seconds = min(DEADLINE_S, 180) if answered else self.ping_seconds
        process = subprocess.Popen([ULNETCTL, 'ping', '--timeout', f'{seconds:.0f}', target], env=self.daemon.client_environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.pings.append((target, answered, process))

    def fileno(self):
        return None

    def pump(self):
        return self.daemon.alive()

    def problems(self):
        out = []
        for target, answered, process in self.pings:
            text, _ = process.communicate(timeout=self.ping_seconds + 2 * DEADLINE_S)
            if (process.returncode == 0) != answered:
                out.append(f'ulnetctl ping {target}: exit code {process.returncode}, '
                           f'{"an answer" if answered else "a failure"} was due\n{text}')
        if not self.daemon.alive():
            out.append('ulnetd is gone')
        return out
