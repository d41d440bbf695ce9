#!/usr/bin/env python3
"""Checks the layers (docs/ARCHITECTURE.md): a file includes only from floors below its own, never from another room on its floor;
in rooms whose folders have an order, only from its own folder and those before it, in the core never in a circle; and pure rooms do not use
threads, clocks, sockets or randomness of the system."""

import os.path
import re

import tree

# Room -> floor. A file belongs to the room with the longest matching folder; a room inside another belongs to it (see PARTS).
FLOORS = {
    "src/base": 0,
    "src/wire": 1, "src/cpt": 1,
    "src/core": 2,
    "src/svc": 3, "src/conf": 3, "src/plan": 3,
    "src/lnd": 4, "src/lnd/lo": 4, "src/lnd/sock": 4, "src/lnd/pipe": 4, "src/lnd/stack": 4, "src/machine": 4,
    "src/node": 5, "src/sim": 5, "src/ctl": 5,
    "src/control": 6, "src/dlc": 6,
    "src/tools": 7,
}
# Rooms whose folders have an order, lowest first ("": the room's own folder). Tests and fixtures of such a room may include all of
# it.
ORDERED = {
    "src/core": ["udsp", "contract", "memory", "path", "flow"],
    "src/lnd/sock": ["engine", "reactor", ""],
}
# Rooms without circles of includes, where a source and its header count as one file.
WITHOUT_CIRCLES = {"src/core"}
# Each public header belongs to the floor of the types that it uses; all others belong to the node's.
PUBLIC = {"result.hpp": "src/base", "cxx20.hpp": "src/base", "nid.hpp": "src/base", "export.h": "src/base", "lnet.hpp": "src/core", "cyaml.h": "src/dlc",
          "lnetconfig.h": "src/dlc", "lnetconfig_hld.h": "src/dlc",
          "event_queue.hpp": "src/machine", "lifetime.hpp": "src/machine"}  # they have threads wait, on any Lnet
PUBLIC_REST = "src/node"
# A driver includes the contract of all drivers, and of the core only ports.h.
CONTRACT = "src/lnd"
CORE_DOOR = {"core/contract/ports.h"}

# Pure: all floors below the drivers, the connection engine of lnd/sock, and the simulator.
PURE_FLOORS = {0, 1, 2, 3}
PURE_FOLDERS = {"src/lnd/sock/engine", "src/sim"}
BANNED_HEADERS = {
    "thread", "mutex", "shared_mutex", "condition_variable", "future", "atomic", "semaphore", "latch", "barrier", "stop_token",
    "random", "iostream", "fstream", "pthread.h", "poll.h", "sys/socket.h", "sys/epoll.h", "sys/eventfd.h", "sys/timerfd.h",
    "netinet/tcp.h", "netdb.h", "ifaddrs.h", "sys/time.h", "sys/stat.h", "fcntl.h",
}
BANNED_WORDS = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock|clock_gettime|gettimeofday|std::this_thread|std::thread|std::jthread"
    r"|std::mutex|std::atomic|pthread_\w+|random_device|mt19937\w*|std::rand|srand|drand48|getrandom|std::cout|std::cerr"
    r"|nanosleep|usleep|epoll_\w+|thread_local)\b|(?<![\w.>:])(rand|time|clock|sleep)\s*\((NULL|nullptr|0|\))")

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
COMMENT = re.compile(r"//.*$")


def room_of(path):
    """The room of a file of the repository; None for files outside the layers (tests, bench, fuzz, examples)."""
    name = str(path)
    if name.startswith("include/ulnet/"):
        return PUBLIC.get(path.name, PUBLIC_REST)
    fitting = [room for room in FLOORS if name.startswith(room + "/")]
    return max(fitting, key=len) if fitting else None


def target_of(path, quoted, included, known):
    """The file of the repository that an include names, or None for a header of a library."""
    candidates = [f"src/{included}", f"include/{included}"]
    if quoted:
        candidates.insert(0, os.path.normpath(path.parent / included))
    for candidate in candidates:
        if candidate in known:
            return known[candidate]
    return None


def allowed(room, target_room, included):
    if room == target_room:
        return True
    if room.startswith(CONTRACT + "/") and target_room == CONTRACT:
        return True
    if room.startswith(CONTRACT) and target_room == "src/core" and not included.startswith("ulnet/"):
        return included in CORE_DOOR
    return FLOORS[target_room] < FLOORS[room]


def is_pure(path, room):
    if FLOORS[room] in PURE_FLOORS:
        return True
    return any(str(path).startswith(folder + "/") for folder in PURE_FOLDERS) and not path.stem.endswith("_test")


def is_for_tests(path):
    return path.stem.endswith(("_test", "_fixture"))


def folder_in(room, path):
    """The folder of an ordered room that a file lies in."""
    return str(path.parent.relative_to(room)).removesuffix(".")


def circles(uses):
    """The circles in {file: files that it includes}, each once, as lists that end where they begin."""
    done = set()

    def visit(file, way):
        if file in way:
            yield [*way[way.index(file):], file]
        elif file not in done:
            for used in sorted(uses.get(file, ())):
                yield from visit(used, [*way, file])
            done.add(file)

    for file in sorted(uses):
        yield from visit(file, [])


def check_order(root, room, known):
    """The arrows up among the folders of an ordered room, and the circles of its files."""
    order = ORDERED[room]
    uses = {}
    for path in known.values():
        if room_of(path) != room or path.suffix not in {".h", ".cc"} or is_for_tests(path):
            continue
        if folder_in(room, path) not in order:
            yield f"{path}: in no folder of {room}"
            continue
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            match = INCLUDE.match(line)
            target = match and target_of(path, match.group(1) == '"', match.group(2), known)
            if not target or room_of(target) != room or target.parts[0] != "src":
                continue
            here, there = folder_in(room, path), folder_in(room, target)
            if there in order and order.index(there) > order.index(here):
                yield f"{path}:{number}: {here} includes {match.group(2)}, which lies above it"
            if target.with_suffix("") != path.with_suffix(""):
                uses.setdefault(str(path.with_suffix("")), set()).add(str(target.with_suffix("")))
    for circle in circles(uses) if room in WITHOUT_CIRCLES else ():
        yield f"a circle of includes: {' -> '.join(circle)}"


def check_file(root, path, known):
    room = room_of(path)
    example = path.parts[0] == "examples"
    for number, line in enumerate(tree.text(root, path).splitlines(), 1):
        where = f"{path}:{number}"
        match = INCLUDE.match(line)
        if match:
            quoted, included = match.group(1) == '"', match.group(2)
            target = target_of(path, quoted, included, known)
            if example and target and not (str(target).startswith("include/") or target.parts[0] == "examples"):
                yield f"{where}: an example includes {included}; it may use the public headers only"
            if room is None:
                continue
            target_room = room_of(target) if target else None
            if path.parts[0] == "include" and target and target.parts[0] != "include":
                yield f"{where}: a public header includes {included}, which is not installed"
            elif target and target_room is None:
                yield f"{where}: {room} includes {included}, which is outside the house"
            elif target and not allowed(room, target_room, included):
                yield (f"{where}: {room} (floor {FLOORS[room]}) includes {included} of {target_room} "
                       f"(floor {FLOORS[target_room]})")
            if is_pure(path, room) and not target and included in BANNED_HEADERS and not (
                    path.stem.endswith("_test") and included in {"fstream", "random"}):
                yield f"{where}: <{included}> in {room}, which must not touch the world"
        elif room is not None and path.parts[0] == "src" and is_pure(path, room):
            word = BANNED_WORDS.search(COMMENT.sub("", line))
            if word:
                yield f"{where}: {word.group(0)} in {room}, which must not touch the world"


def main():
    root = tree.arguments(__doc__).parse_args().root
    sources = [p for p in tree.files(root, tree.SOURCE) if p.parts[0] in {"src", "include", "examples"}]
    known = {str(p): p for p in tree.files(root)}
    findings = [finding for path in sources for finding in check_file(root, path, known)]
    findings += [finding for room in ORDERED for finding in check_order(root, room, known)]
    strays = [f"{p}: in no room of the house" for p in sources if p.parts[0] == "src" and room_of(p) is None]
    tree.report("check-floors", findings + strays, f"{len(sources)} files")


if __name__ == "__main__":
    main()
