"""The part of the demo with routers. It plans and draws the two-SSU system of
examples/fgr/figure-5.yaml and runs it on loopback as planned. It sends traffic through the routers,
kills one of them meanwhile, and draws a picture with the bytes on each path."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.rigs.daemon_rig import UnixConnection

SITE = ROOT / "examples/fgr/figure-5.yaml"
CLIENTS = 4
TO_OSSS = [word for host in range(4, 8) for word in ("--to", f"snx11001n{host:03}")]
KILLED = "nid00008"
SURVIVORS = ("nid00009", "nid00010", "nid00011")  # the first one is in the group of the killed router
# With these settings the nodes give up a dead router, and the messages at it, sooner than by
# default.
SETTINGS = """settings:
    alive_router_check_interval: 2
    router_ping_timeout: 2
    lnet_transaction_timeout: 20
"""
PATIENCE = 60  # seconds for anything to start or to end
SECONDS = 12  # of traffic
BEFORE_S = 2  # from the start of the traffic until the router is killed
# After the kill the survivor of the killed router's group passes on at least this share of the
# bytes of a router of the other group. The share is small, because most RPCs of its group lose a
# message at the killed router (an RPC has four messages or more) and wait for rpc_timeout, 6 s. The
# other RPCs of the group go on at once, and all of them go on after that time.
SHARE_OF_SURVIVOR = 0.1


class Laboratory:
    """The laboratory of a topology file. Use it with `with`, which takes everything down at the
    end."""

    def __init__(self, build, topology):
        self.programs = build / "bin"
        self.topology = topology
        self.name = f"demo-{os.getpid()}"
        self.environment = {**os.environ, "ULNET_LAB": self.name}

    def __enter__(self):
        try:
            done = self.run("up", self.topology, "--name", self.name)
            if done.returncode != 0:
                raise OSError(f"the laboratory does not start: {done.stderr.strip()[-600:]}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.run("clean", self.name)

    def words(self, *words):
        return [self.programs / "ulnet-lab", *map(str, words)]

    def run(self, *words):
        return subprocess.run(self.words(*words), env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)

    def bytes_of(self, node):
        """The payload bytes that the NIs of a node have sent. None when the node does not
        answer."""
        connection = UnixConnection(self.run("exec", node, "--", "sh", "-c", "echo $ULNET_CONTROL").stdout.strip())
        try:
            connection.request("GET", "/v1/counters")
            return sum(ni["sent_bytes"] for ni in json.loads(connection.getresponse().read())["nis"].values())
        except (OSError, ValueError, LookupError):
            return None
        finally:
            connection.close()


def plan(build, folder, picture, say):
    """Plans the site and draws it. Returns the topology file of its laboratory."""
    def fgr(*words):
        return subprocess.run([build / "bin/ulnet-fgr", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
    planned = fgr("plan", SITE, "-o", folder / "plan", "--lab-clients", CLIENTS)
    drawn = fgr("draw", SITE, "-o", picture)
    if planned.returncode != 0 or drawn.returncode != 0:
        raise OSError(f"ulnet-fgr could not plan or draw the site: {(planned.stderr + drawn.stderr).strip()[-600:]}")
    for line in (folder / "plan/groups.txt").read_text().splitlines():
        say(f"      {line}")
    topology = folder / "plan/lab.yaml"
    topology.write_text(topology.read_text() + SETTINGS)
    return topology


def show(build, pictures, say):
    """Runs this part of the demo. `pictures`: the files for the pictures of the plan and of the
    paths. Returns the reasons why this part fails; empty when it does not fail."""
    with tempfile.TemporaryDirectory() as folder:
        return run(build, plan(build, pathlib.Path(folder), pictures[0], say), pictures[1], say)


def run(build, topology, picture, say):
    with Laboratory(build, topology) as lab:
        say(f"      {CLIENTS} clients, 4 routers and 6 servers run as planned; every client writes to every OSS for {SECONDS} s; the demo kills "
            f"{KILLED} after {BEFORE_S} s")
        measuring = subprocess.Popen(lab.words("measure", "--from", "xe", *TO_OSSS, "--distribute", "1:4", "--write", "--sizes",
                                               "256k", "--time", f"{SECONDS}s", "--json"),
                                     env=lab.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(BEFORE_S)
            killed = lab.run("kill", KILLED)
            at_kill = {name: lab.bytes_of(name) for name in SURVIVORS}
            out, err = measuring.communicate(timeout=PATIENCE)
        finally:
            if measuring.poll() is None:
                measuring.kill()
                measuring.wait()
        drawn = lab.run("draw", "--lab", lab.name, "-o", picture)
        carried = {name: lab.bytes_of(name) for name in SURVIVORS}
    return complaints(killed, measuring.returncode, out, err, drawn, (at_kill, carried), say)


def complaints(killed, code, out, err, drawn, carried, say):
    found = []
    if killed.returncode != 0:
        found.append(f"{KILLED} was not killed: {killed.stderr.strip()}")
    try:
        test = json.loads(out)["tests"][0]
        say(f"      {test['rpcs']:,} writes of 256 KiB ended well; {test['rpcs_per_s'] * 0.25:,.0f} MiB/s through the routers")
        if test["errors"]:
            say(f"      {test['errors']} failed, as expected: {KILLED} died while they were on their way through it")
        if test["rpcs"] == 0:
            found.append("no write passed the routers")
        if test["wrong_data"]:
            found.append(f"the data of {test['wrong_data']} writes differed")
    except (ValueError, LookupError):
        found.append(f"ulnet-lab measure gave no figures (code {code}): {err.strip()[-400:]}")
    at_kill, at_end = carried
    silent = [name for name in SURVIVORS if at_kill[name] is None or at_end[name] is None]
    found += [f"{name} does not report the bytes that it passed on" for name in silent]
    after = {name: at_end[name] - at_kill[name] for name in SURVIVORS if name not in silent}
    say(f"      passed on by the other routers since the kill of {KILLED}: " + ", ".join(f"{name} {sent / (1 << 20):,.0f} MiB" for name, sent in after.items()))
    least = SHARE_OF_SURVIVOR * min((after[name] for name in SURVIVORS[1:] if name in after), default=0)
    found += [f"{name} has passed on too few bytes since the kill" for name, sent in after.items() if sent <= 0 or sent < least]
    if drawn.returncode != 0:
        found.append(f"the picture was not drawn: {drawn.stderr.strip()}")
    return found
