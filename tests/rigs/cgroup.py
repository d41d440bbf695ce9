"""A control group with a memory limit, of version 1 or 2, for tests. It needs root and a writable
hierarchy."""
import os
import pathlib
import time

ROOT = pathlib.Path('/sys/fs/cgroup')


def place():
    """The folder in which memory groups can be made, and the name of the file with the limit; None
    without such a folder."""
    one = ROOT / 'memory'
    if (one / 'memory.limit_in_bytes').exists():
        return one, 'memory.limit_in_bytes'
    control = ROOT / 'cgroup.subtree_control'
    if control.exists() and 'memory' in control.read_text().split():
        return ROOT, 'memory.max'
    return None


def missing():
    """Why this machine cannot have a control group; empty when it can."""
    if os.geteuid() != 0:
        return 'control groups need root'
    if place() is None:
        return 'no control groups of memory here'
    try:
        with Memory(1 << 30):
            return ''
    except OSError as refused:
        return f'control groups cannot be made: {refused}'


class Memory:
    made = 0

    def __init__(self, limit):
        Memory.made += 1
        self.limit = limit

    def __enter__(self):
        folder, file = place()
        self.folder = folder / f'ulnet-test-{os.getpid()}-{Memory.made}'
        self.folder.mkdir()
        try:
            (self.folder / file).write_text(str(self.limit))
        except OSError:
            self.folder.rmdir()
            raise
        return self

    def __exit__(self, *_):
        """The group's processes have ended; the system may need a moment to remove the last one."""
        end = time.monotonic() + 20
        while True:
            try:
                return self.folder.rmdir()
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def enter(self):
        """Puts the calling process into the group: for preexec_fn."""
        (self.folder / 'cgroup.procs').write_text(str(os.getpid()))

    def kills(self):
        """How many processes of the group the system killed for lack of memory."""
        for name in ('memory.events', 'memory.oom_control'):
            file = self.folder / name
            for line in file.read_text().splitlines() if file.exists() else ():
                word, number = line.split()
                if word == 'oom_kill':
                    return int(number)
        return 0
