"""Costs of ulnet-fgr for a system of 180 SSUs (360 OSSs, 482 routers), as rows with limits: to
write all files of all hosts, to check these files against the site, to simulate one minute of full
load, flat and fine-grained, also with 25,000 clients, and to read a log of the system."""
import contextlib
import functools
import os
import resource
import subprocess
import tempfile
import time

from loops import find_program

SSUS = 180
PLAN_SECONDS = 2.0
CHECK_SECONDS = 2.0
SIMULATE_SECONDS = 300.0
SIMULATE_BYTES = 4 * 2**30
CLIENTS = 25000


@contextlib.contextmanager
def site(folders, ssus):
    """The program, and the path of a site file in a folder of its own."""
    program = find_program(folders, 'ulnet-fgr')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'site.yaml')
        with open(path, 'w') as file:
            subprocess.run([program, 'new', '--ssu', str(ssus), '--cluster', 'snx11001', '--net', 'o2ib6000'], stdout=file, check=True)
        yield program, path


def seconds(*words):
    begin = time.monotonic()
    subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def user_seconds(*words):
    """The CPU time in user mode, which does not depend on other work on the machine."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    seconds(*words)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def plan_seconds(folders, quick):
    with site(folders, 2 if quick else SSUS) as (program, path):
        return [{'ours': user_seconds(program, 'plan', path, '--force', '-o', path + '.out'), 'reference': PLAN_SECONDS}
                for _ in range(1 if quick else 5)]


def check_seconds(folders, quick):
    with site(folders, 2 if quick else SSUS) as (program, path):
        seconds(program, 'plan', path, '-o', path + '.out')
        return [{'ours': user_seconds(program, 'check', path, path + '.out'), 'reference': CHECK_SECONDS} for _ in range(1 if quick else 5)]


def simulate_seconds(folders, quick):
    with site(folders, 2 if quick else SSUS) as (program, path):
        return [{'ours': seconds(program, 'simulate', path, *(('--messages', 100) if quick else ())), 'reference': SIMULATE_SECONDS}]


@functools.cache
def with_all_clients(folders, quick):
    """The seconds of a simulation with all clients, and its largest memory in bytes."""
    with site(folders, 2 if quick else SSUS) as (program, path):
        begin = time.monotonic()
        process = subprocess.Popen([str(program), 'simulate', path, '--clients', str(100 if quick else CLIENTS)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, process.args)
        return time.monotonic() - begin, usage.ru_maxrss * 1024


def simulate_all_clients_seconds(folders, quick):
    return [{'ours': with_all_clients(tuple(folders), quick)[0], 'reference': SIMULATE_SECONDS}]


def simulate_all_clients_bytes(folders, quick):
    return [{'ours': with_all_clients(tuple(folders), quick)[1], 'reference': SIMULATE_BYTES}]


def explain_log_seconds(folders, quick):
    """Reads a log of 64 MB, in which every line has a NID, so often that it makes 1 GB. The log is
    in the page cache."""
    with site(folders, 2 if quick else SSUS) as (program, path):
        log = path + '.log'
        with open(log, 'w') as file:
            for i in range(1000 if quick else 640_000):
                file.write(f'Nov 14 22:13:20 n1 kernel: LustreError: 11-0: home-OST{i % 720:04x}: '
                           f'10.10.{100 + i % 4}.{i % 251}@o2ib{6002 + i % 120} timed out\n')
        logs = [log] * (1 if quick else 1_000_000_000 // os.path.getsize(log))
        return [{'ours': seconds(program, 'explain-log', path, *logs), 'reference': seconds('sh', '-c', 'grep -c "timed out" "$@" | cat', 'sh', *logs)}
                for _ in range(1 if quick else 5)]


ROWS = (
    ('fgr_plan_180_ssu_s', plan_seconds, 's', 'user time; reference: the limit; ulnet-fgr plan -o: all files of all hosts'),
    ('fgr_check_180_ssu_s', check_seconds, 's', 'user time; reference: the limit; ulnet-fgr check: reads these files, against the site'),
    ('fgr_explain_log_gb_s', explain_log_seconds, 's', "1 GB of lines with a NID each; reference: grep -c 'timed out'"),
    ('fgr_simulate_180_ssu_s', simulate_seconds, 's', 'reference: the limit; ulnet-fgr simulate: 60 s of full load, flat and fine-grained'),
    ('fgr_simulate_180_ssu_25000_s', simulate_all_clients_seconds, 's', 'reference: the limit; the same with 25,000 clients'),
    ('fgr_simulate_180_ssu_25000_bytes', simulate_all_clients_bytes, 'bytes', 'reference: the limit; the largest memory of that run'))
