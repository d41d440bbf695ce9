"""What tests of the upstream suite's cases share: commands that must succeed or fail, and what
nodes show of peers and health."""
from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import E2e, wait_until, yaml_of

# The time that `ping` and `trace` wait for an answer, 1 s by default: a busy machine stops a node
# for longer. The commands accept 180 s at most.
PATIENCE_S = round(min(15 * daemon_rig.TIME_FACTOR, 180))


def patient(command, *arguments, patience_s=PATIENCE_S):
    """The words of a command, which waits `patience_s` for each answer."""
    if command in ('ping', 'trace') and '--timeout' not in arguments:
        return command, '--timeout', patience_s, *arguments
    return command, *arguments


def items(*peers):
    """`peer:` of (primary, nid...)."""
    text = 'peer:\n'
    for primary, *nids in peers:
        text += f'    - primary nid: {primary}\n      Multi-Rail: true\n'
        if nids:
            text += '      peer ni:\n' + ''.join(f'        - nid: {nid}\n' for nid in nids)
    return text


class Upstream(E2e):
    def said(self, daemon, *arguments):
        code, out, err = daemon.ctl(*patient(*arguments))
        self.assertEqual((code, err), (0, ''), arguments)
        return out

    def refused(self, daemon, *arguments):
        """The error output of a command that must fail."""
        code, _, err = daemon.ctl(*arguments)
        self.assertNotEqual(code, 0, arguments)
        return err

    def backup(self, daemon):
        return self.said(daemon, 'export', '--backup')

    def imported(self, daemon, text, *options):
        file = self.folder.file('import.yaml', text)
        self.said(daemon, 'import', *options, file)
        return file

    def peers(self, daemon):
        """The NIDs of each peer, by its primary NID."""
        shown = daemon.get('/v1/peer')['peer']
        return {peer['primary nid']: [ni['nid'] for ni in peer['peer ni']] for peer in shown}

    def add(self, daemon, primary, nids=None, *more):
        self.said(daemon, 'peer', 'add', '--prim_nid', primary, *(['--nid', nids] if nids else []), *more)

    def with_nets(self, *nets, **more):
        """A node that starts with these nets, given as for yaml_of()."""
        name = more.setdefault('name', 'a')
        return self.running('--config', self.folder.file(f'{name}.yaml', yaml_of(*nets)), **more)

    def nis(self, daemon):
        """The data of each NI except 0@lo, by its NID."""
        return {ni['nid']: ni for net in daemon.get('/v1/net')['net'] if net['net type'] != 'lo' for ni in net['local NI(s)']}

    def peer_nis(self, daemon):
        """The data of each peer NI, by its NID."""
        return {ni['nid']: ni for peer in daemon.get('/v1/peer')['peer'] for ni in peer['peer ni']}

    @staticmethod
    def health(shown):
        """The health of NIs or peer NIs, by NID."""
        return {nid: ni['health stats']['health value'] for nid, ni in shown.items()}

    def comes_up(self, daemon, nid, up=True):
        status = 'up' if up else 'down'
        wait_until(lambda: self.nis(daemon)[nid]['status'] == status, f'{nid} is {status}')

    def gets_fail(self, daemon, error, source, dest):
        """GETs, and so pings, fail with this error when the node sends them."""
        self.said(daemon, 'fault', 'drop', 'add', '-s', source, '-d', dest, '-m', 'GET', '-e', error, '-r', 1)
