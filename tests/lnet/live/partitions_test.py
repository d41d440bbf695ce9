"""Tests CPU partitions from outside: ulnetd on the CPUs of this machine, examined with ulnetctl.
spec/core-semantics.md 13."""
import ctypes
import os
import platform
import re
import struct
import unittest

from tests.rigs import daemon_rig
from tests.rigs.daemon_rig import E2e, address, run, wait_until, yaml_of

CPUS = sorted(os.sched_getaffinity(0))
NEEDS_TWO = unittest.skipUnless(len(CPUS) >= 2, 'this process may use one CPU only: it can have no partitions')

# Makes the system refuse to bind the threads of a child process, as in a container without that right.
LIBC = ctypes.CDLL(None, use_errno=True)
SCHED_SETAFFINITY = {'x86_64': 203, 'aarch64': 122}.get(platform.machine())
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2


def refuse_binding():
    """Installs a filter of system calls: sched_setaffinity fails with EPERM, all others are allowed."""
    program = b''.join(struct.pack('HBBI', *instruction) for instruction in (
        (0x20, 0, 0, 0), (0x15, 0, 1, SCHED_SETAFFINITY), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)))
    memory = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(program) // 8, ctypes.addressof(memory)))
    if LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), 'no filter')


def cpus_of(text):
    """The CPUs in a list of Linux's format: 0-2,5."""
    ranges = [part.split('-') for part in text.split(',')]
    return [cpu for one in ranges for cpu in range(int(one[0]), int(one[-1]) + 1)]


def threads_of(daemon):
    """The CPUs of each thread of the driver."""
    threads = []
    for status in daemon.threads():
        if status.startswith('Name:\tulnet-sock\n'):
            threads.append(cpus_of(re.search(r'^Cpus_allowed_list:\t(.*)$', status, re.M)[1]))
    return sorted(threads)


class Partitioned(E2e):
    def two(self, *arguments, **more):
        return self.running('--set', 'cpu_npartitions=2', *arguments, **more)

    def said_by_ctl(self, daemon, *arguments):
        code, out, err = daemon.ctl(*arguments)
        self.assertEqual((code, err), (0, ''), arguments)
        return out

    def table(self, daemon):
        """The file cpu_partition_table: the CPUs of each partition."""
        lines = self.said_by_ctl(daemon, 'file', 'cpu_partition_table').splitlines()
        for number, line in enumerate(lines):
            self.assertRegex(line, rf'^{number}\t:( \d+)+$')
        return [[int(cpu) for cpu in line.split(':')[1].split()] for line in lines]

    def cpts(self, daemon):
        """The CPT of every NI that `net show -v` prints, 0@lo first."""
        return re.findall(r'^ *CPT: "(.*)"$', self.said_by_ctl(daemon, 'net', 'show', '-v'), re.M)


class Shown(Partitioned):
    @NEEDS_TWO
    def test_files(self):
        daemon = self.two()
        first, second = self.table(daemon)
        self.assertEqual(sorted(first + second), CPUS)
        self.assertLessEqual(abs(len(first) - len(second)), 1)
        distance = self.said_by_ctl(daemon, 'file', 'cpu_partition_distance')
        self.assertRegex(distance, r'^0\t: 0:(\d+) 1:(\d+)\n1\t: 0:\2 1:\d+\n$')

    @NEEDS_TWO
    def test_some_cpus_only(self):
        daemon = self.running('--set', f'cpu_pattern=0[{CPUS[-1]}]')
        self.assertEqual(self.table(daemon), [CPUS[-1:]])

    def test_without_parameters_the_number_is_by_the_machine(self):
        wanted = 1
        while len(CPUS) > 4 and (2 * wanted) ** 2 <= len(CPUS):
            wanted *= 2
        self.assertEqual(len(self.table(self.running())), wanted)

    @NEEDS_TWO
    def test_cpt_of_nid(self):
        daemon = self.two()
        nids = [f'10.1.2.{host}@tcp' for host in range(4)]
        shown = self.said_by_ctl(daemon, 'cpt-of-nid', *nids)
        self.assertEqual(re.findall(r'nid: (.*)\n', shown), nids)
        # The CPT follows from the sum of the NID's eight bytes: net type 2, net 0, the address
        # (13.2).
        self.assertEqual(re.findall(r'cpt: (\d+)', shown), [str((2 + 10 + 1 + 2 + host) % 2) for host in range(4)])

    @NEEDS_TWO
    def test_nis(self):
        daemon = self.two('--if', address(1))
        self.assertEqual(self.cpts(daemon), ['[0,1]', '[0,1]'])
        self.said_by_ctl(daemon, 'net', 'add', '--net', 'tcp1', '--if', address(1), '--cpt', 1)
        self.assertEqual(self.cpts(daemon), ['[0,1]', '[0,1]', '[1]'])
        self.assertIn('dev cpt: -1\n', self.said_by_ctl(daemon, 'net', 'show', '-v'), 'the loopback device belongs to no NUMA node')
        code, _, err = daemon.ctl('net', 'add', '--net', 'tcp2', '--if', address(1), '--cpt', 2)
        self.assertNotEqual(code, 0)
        self.assertIn('errno: -34\n', err)
        self.assertIn('invalid CPT value', err)
        self.assertEqual(len(self.cpts(daemon)), 3, 'the refused NI leaves nothing behind')
        for nid in (f'{address(1)}@tcp', f'{address(1)}@tcp1'):
            self.assertFalse(daemon.ping(nid)['failed'])

    @NEEDS_TWO
    def test_export_is_imported_again(self):
        first = self.two('--if', address(1), name='first')
        self.said_by_ctl(first, 'net', 'add', '--net', 'tcp1', '--if', address(2), '--cpt', 1)
        self.said_by_ctl(first, 'net', 'add', '--net', 'tcp1', '--if', address(3), '--cpt', '[0,1]')
        file = self.folder.file('state.yaml', self.said_by_ctl(first, 'export'))
        backup, cpts = self.said_by_ctl(first, 'export', '--backup'), self.cpts(first)
        self.assertEqual(cpts, ['[0,1]', '[0,1]', '[1]', '[0,1]'])
        self.assertEqual(first.end(), 0)
        second = self.two(name='second')
        self.said_by_ctl(second, 'import', file)
        self.assertEqual(self.said_by_ctl(second, 'export', '--backup'), backup)
        self.assertEqual(self.cpts(second), cpts)


class Refused(Partitioned):
    def refused(self, *parameters, **popen):
        """--check and a start both refuse the parameters with exit code 3. Returns the reason."""
        arguments = [word for parameter in parameters for word in ('--set', parameter)]
        code, out, reason = run('--check', *arguments, **popen)
        self.assertEqual((code, out), (3, ''), reason)
        socket = self.folder.path / 'refused.sock'
        code, out, started = run('--control', socket, *arguments, **popen)
        self.assertEqual((code, out, started), (3, '', reason))
        self.assertFalse(socket.exists())
        return reason

    def test_patterns(self):
        one = CPUS[0]
        for pattern, words in (
                (f'0[{one}] 1[{one}]', f"cpu_pattern: '1[{one}]': CPU {one} is in partition 0 already"),
                (f'0[{one}] 0[4095]', "cpu_pattern: '0[4095]'"),
                (f'0[{one}] 1[4095]', "cpu_pattern: '1[4095]': CPU 4095 is not online"),
                (f'0[{one}] 2[{one}]', f"cpu_pattern: '2[{one}]'"),
                ('N 0[0] 1[999]', "cpu_pattern: '1[999]': no CPUs on node 999"),
                (f'0[{one}', f"cpu_pattern: '0[{one}'"),
                ('perhaps', "cpu_pattern: 'perhaps'"),
                (f'0[{one}] and', "cpu_pattern: 'and'"),
        ):
            with self.subTest(pattern=pattern):
                self.assertIn(words, self.refused(f'cpu_pattern={pattern}'))

    def test_numbers(self):
        if len(CPUS) < 256:
            self.assertIn(f'{len(CPUS) + 1} CPU partitions on {len(CPUS)} CPUs',
                          self.refused(f'cpu_npartitions={len(CPUS) + 1}'))
        for bad in ('257', '-1', 'many'):
            self.assertEqual(run('--check', '--set', f'cpu_npartitions={bad}')[0], 2, bad)

    @NEEDS_TWO
    def test_cpus_that_the_process_may_not_use_are_absent(self):
        def on_one_cpu():
            os.sched_setaffinity(0, CPUS[:1])
        self.assertIn(f'CPU {CPUS[1]} is not online', self.refused(f'cpu_pattern=0[{CPUS[0]}] 1[{CPUS[1]}]', preexec_fn=on_one_cpu))
        self.assertIn('2 CPU partitions on 1 CPUs', self.refused('cpu_npartitions=2', preexec_fn=on_one_cpu))

    @NEEDS_TWO
    def test_an_ni_on_a_partition_that_is_not_there(self):
        file = self.folder.file('a.yaml', yaml_of(('tcp', address(1)), cpu_npartitions=2).replace(
            f'0: {address(1)}\n', f'0: {address(1)}\n          CPT: "[0,2]"\n'))
        code, _, err = run('--check', '--config', file)
        self.assertEqual(code, 3)
        self.assertIn(f'adding tcp({address(1)}): invalid CPT value 2: the last CPU partition is 1', err)


class Threads(Partitioned):
    @NEEDS_TWO
    def test_are_bound_to_their_partition(self):
        daemon = self.two('--if', address(1))
        table = sorted(self.table(daemon))
        # Each thread binds itself soon after it has started.
        wait_until(lambda: threads_of(daemon) == table, f'threads are bound to {table}')
        self.assertNotIn('cannot be bound', daemon.said())

    def test_are_free_where_one_partition_covers_the_machine(self):
        daemon = self.running('--set', 'cpu_npartitions=1', '--if', address(1))
        for cpus in wait_until(lambda: threads_of(daemon), 'there are threads'):
            self.assertEqual(cpus, CPUS)

    @NEEDS_TWO
    @unittest.skipUnless(SCHED_SETAFFINITY, 'the number of the system call is not known here')
    def test_run_anywhere_where_the_system_refuses(self):
        for mode in ('shared', 'dedicated'):
            with self.subTest(mode=mode):
                try:
                    daemon = self.two('--if', address(1), '--set', f'mode={mode}', name=mode, preexec_fn=refuse_binding)
                except daemon_rig.subprocess.SubprocessError:
                    self.skipTest('this system does not filter system calls')
                daemon.says('cannot be bound to partition')
                self.assertEqual(daemon.said().count('cannot be bound to partition'), 1)
                self.assertIn('Operation not permitted; such threads run on any CPU', daemon.said())
                wait_until(lambda: threads_of(daemon) == [CPUS, CPUS], 'threads run on any CPU')
                self.assertEqual(len(self.table(daemon)), 2)
                self.assertFalse(daemon.ping(f'{address(1)}@tcp')['failed'])
                self.assertEqual(daemon.end(), 0)
