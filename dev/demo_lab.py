"""The demo's part with routers: the two-SSU system of examples/fgr/figure-5.yaml is planned, drawn and run on loopback as the plan says;
traffic goes through its routers, one of which is killed meanwhile, and the picture has the bytes that took each path."""

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
SURVIVORS = ("nid00009", "nid00010", "nid00011")  # the first one is of the lost router's group
# A lost router, and what it had, is given up sooner than by default.
SETTINGS = """settings:
    alive_router_check_interval: 2
    router_ping_timeout: 2
    lnet_transaction_timeout: 20
"""
PATIENCE = 60  # seconds for anything to start or to end
SECONDS = 12  # of traffic
BEFORE_S = 2  # after its start the router is killed
# Of what the routers of the other group pass on meanwhile, the survivor of the lost router's group passes at least this share.
# Most RPCs of that group run into the lost router, since each has four messages or more, and stand still until rpc_timeout, 6 s; what
# is left of them goes on at once, and all of them after it.
SHARE_OF_SURVIVOR = 0.1


class Laboratory:
    """The laboratory of a topology file. Use it with `with`: it takes everything down."""

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
        """The payload that the NIs of a node have sent; nothing when it does not answer."""
        door = UnixConnection(self.run("exec", node, "--", "sh", "-c", "echo $ULNET_CONTROL").stdout.strip())
        try:
            door.request("GET", "/v1/counters")
            return sum(ni["sent_bytes"] for ni in json.loads(door.getresponse().read())["nis"].values())
        except (OSError, ValueError, LookupError):
            return None
        finally:
            door.close()


def plan(build, folder, picture, say):
    """Plans the site and draws it. The topology file of its laboratory."""
    def fgr(*words):
        return subprocess.run([build / "bin/ulnet-fgr", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
    planned = fgr("plan", SITE, "-o", folder / "plan", "--lab-clients", CLIENTS)
    drawn = fgr("draw", SITE, "-o", picture)
    if planned.returncode != 0 or drawn.returncode != 0:
        raise OSError(f"the site is not planned and drawn: {(planned.stderr + drawn.stderr).strip()[-600:]}")
    for line in (folder / "plan/groups.txt").read_text().splitlines():
        say(f"      {line}")
    topology = folder / "plan/lab.yaml"
    topology.write_text(topology.read_text() + SETTINGS)
    return topology


def show(build, pictures, say):
    """Runs it; `pictures` are those of the plan and of the paths. Returns the reasons why this part of the demo fails; empty: it does
    not."""
    with tempfile.TemporaryDirectory() as folder:
        return run(build, plan(build, pathlib.Path(folder), pictures[0], say), pictures[1], say)


def run(build, topology, picture, say):
    with Laboratory(build, topology) as lab:
        say(f"      {CLIENTS} clients, 4 routers and 6 servers run as planned; every client writes to every OSS for {SECONDS} s, and {KILLED} is "
            f"killed after {BEFORE_S} s")
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
            found.append("nothing passed the routers")
        if test["wrong_data"]:
            found.append(f"the data of {test['wrong_data']} writes differed")
    except (ValueError, LookupError):
        found.append(f"measuring gave no figures (code {code}): {err.strip()[-400:]}")
    at_kill, at_end = carried
    silent = [name for name in SURVIVORS if at_kill[name] is None or at_end[name] is None]
    found += [f"{name} does not tell what has passed it" for name in silent]
    after = {name: at_end[name] - at_kill[name] for name in SURVIVORS if name not in silent}
    say(f"      passed on by the others since {KILLED} was gone: " + ", ".join(f"{name} {sent / (1 << 20):,.0f} MiB" for name, sent in after.items()))
    least = SHARE_OF_SURVIVOR * min((after[name] for name in SURVIVORS[1:] if name in after), default=0)
    found += [f"{name} has passed on too little since then" for name, sent in after.items() if sent <= 0 or sent < least]
    if drawn.returncode != 0:
        found.append(f"the picture was not drawn: {drawn.stderr.strip()}")
    return found
