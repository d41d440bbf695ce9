#!/usr/bin/env python3
"""Checks the layers (docs/ARCHITECTURE.md). The products have an order, and the folders of each
product have an order: a file includes only files of its own folder and of the folders before it. It
includes only those files of another product that the product offers. In the core no files include
each other in a circle. Pure folders do not use threads, clocks, sockets or randomness of the
system."""

import os.path
import re
import textwrap

import tree

# The products, lowest first, and the folders of each, lowest first (".": the product's own folder).
# Tests and fixtures of a product may include all of the product, and all products below it.
PRODUCTS = {
    "lnet": ["base", "wire", "cpt", "core/udsp", "core/contract", "core/memory", "core/path", "core/flow", "config",
             "lnd", "lnd/lo", "lnd/pipe", "lnd/mpi/engine", "lnd/mpi", "lnd/sock/engine", "lnd/sock/reactor", "lnd/sock", "catalog", "os", "node/runtime", "node", "node/capi"],
    "text": [".", "shell", "chart"],
    "admin": ["conf", "api", "client", "dlc", "http", "server", "ulnetctl"],
    "selftest": ["service", "console", "host", "api", "ulst", "ulst/run"],
    "sim": ["kernel", "network", "world", "foreign", "load", "checkers", "scenario", "tool"],
    "lab": ["topology", "live", "view", "experiment", "."],
    "fgr": ["fabric", "plan", "verify", "check", "log", "site", "hints", "output", "hosts", "existing", "lab", "measure", "picture", "simulate",
            "."],
    "ulnetd": ["."],
}
ABOUT = {
    "lnet": "LNet: bytes, decisions without I/O, drivers, nodes with threads",
    "text": "YAML with places, quantities, command lines, charts",
    "admin": "configuration, the control API and its client, the DLC library, ulnetctl",
    "selftest": "LNet selftest: service, console, ulst",
    "sim": "the simulator: nodes on virtual time and a virtual network, ulnet-sim",
    "lab": "laboratories of nodes that run, ulnet-lab",
    "fgr": "fine-grained routing, ulnet-fgr",
    "ulnetd": "the daemon: joins what a node needs",
}
# The folders or single headers that a product offers to the products above it. The simulator hosts
# the core and uses more of lnet.
OFFERS = {
    "lnet": ["base", "wire", "config", "core/contract", "core/udsp", "lnd", "catalog", "os", "node", "node/runtime"],
    "text": [".", "shell", "chart"],
    "admin": ["conf", "api", "client", "dlc", "http", "server"],
    "selftest": ["service", "console", "host", "api", "ulst", "ulst/run"],
    "sim": ["scenario", "world/world.h", "world/actor.h", "world/checker.h"],
    "lab": ["topology", "live"],
    "fgr": [],
    "ulnetd": [],
}
OFFERS_TO = {
    "sim": {"lnet": ["core/memory", "core/path", "core/flow", "lnd/lo", "lnd/sock/engine"]},
}
# Folders without circles of includes, where a source and its header count as one file.
WITHOUT_CIRCLES = ["lnet/core/udsp", "lnet/core/contract", "lnet/core/memory", "lnet/core/path", "lnet/core/flow"]
# Each of these public headers belongs to the folder of the types that it uses. All others belong to
# PUBLIC_REST.
PUBLIC = {"result.hpp": "lnet/base", "cxx20.hpp": "lnet/base", "nid.hpp": "lnet/base", "export.h": "lnet/base", "lnet.hpp": "lnet/core/contract",
          "cyaml.h": "admin/dlc", "lnetconfig.h": "admin/dlc", "lnetconfig_hld.h": "admin/dlc"}
PUBLIC_REST = "lnet/os"
# A driver includes the contract of all drivers, and of the core only ports.h.
DRIVERS = "lnet/lnd"
CORE_PORTS = "src/lnet/core/contract/ports.h"
# Only these files of lnet include headers of one driver, besides its own and tests. OFFERS_TO says
# what other products may include of one.
LISTS_OF_DRIVERS = {"src/lnet/node/runtime/drivers.cc", "src/lnet/catalog/known_drivers.cc"}

# Pure folders: all below the drivers, the connection engine, the services, the simulator and the
# planner.
PURE = ["lnet/base", "lnet/wire", "lnet/cpt", "lnet/core", "lnet/config", "lnet/lnd/mpi/engine", "lnet/lnd/sock/engine", "lnet/catalog", "admin/conf", "admin/api", "selftest/service",
        "selftest/console", "sim/kernel", "sim/network", "sim/world", "sim/foreign", "sim/load", "sim/checkers", "sim/scenario",
        "fgr/fabric", "fgr/plan", "fgr/verify", "fgr/check"]
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
ORDER = [f"{product}/{folder}".removesuffix("/.") for product, folders in PRODUCTS.items() for folder in folders]


def folder_of(path):
    """The folder of a product to which a file belongs, such as "lnet/core/flow". None outside src
    and include."""
    if path.parts[:2] == ("include", "ulnet"):
        return PUBLIC.get(path.name, PUBLIC_REST)
    return str(path.parent.relative_to("src")) if path.parts[0] == "src" else None


def product_of(folder):
    return folder.split("/")[0]


def driver_of(folder):
    """The driver whose folder this is, such as "sock". None: it is no driver's."""
    return folder.removeprefix(f"{DRIVERS}/").split("/")[0] if folder.startswith(f"{DRIVERS}/") else None


def target_of(path, quoted, included, known):
    """The file of the repository that an include names, or None for a header of a library."""
    candidates = [f"src/{included}", f"include/{included}"]
    if quoted:
        candidates.insert(0, os.path.normpath(path.parent / included))
    for candidate in candidates:
        if candidate in known:
            return known[candidate]
    return None


def is_for_tests(path):
    return path.stem.endswith(("_test", "_fixture"))


def is_offered(target, product, to):
    """Whether `product` offers its header `target` to the product `to`."""
    inside = target.relative_to(f"src/{product}")
    return {str(inside.parent), str(inside)} & {*OFFERS[product], *OFFERS_TO.get(to, {}).get(product, [])}


def includes(root, path, known):
    """The line numbers and files of the repository that a file includes."""
    for number, line in enumerate(tree.text(root, path).splitlines(), 1):
        match = INCLUDE.match(line)
        target = match and target_of(path, match.group(1) == '"', match.group(2), known)
        if target:
            yield number, target


def why_not(path, here, target):
    """The reason why a file of the folder `here` must not include the target. None: it may."""
    there = folder_of(target)
    if there is None:
        return "which is in no product"
    if here == there or (str(path) in LISTS_OF_DRIVERS and driver_of(there)):
        return None
    mine, other = product_of(here), product_of(there)
    if is_for_tests(path):
        above = list(PRODUCTS).index(other) > list(PRODUCTS).index(mine)
    else:
        above = ORDER.index(there) > ORDER.index(here)
    if above:
        return f"which lies above {here}"
    if is_for_tests(path) or target.parts[0] == "include":
        return None
    if here.startswith(DRIVERS) and there.startswith("lnet/core") and str(target) != CORE_PORTS:
        return "a driver includes only ports.h of the core"
    if mine == other and driver_of(there) not in {None, driver_of(here)}:
        return "which is one driver's"
    if mine != other and not is_offered(target, other, mine):
        return f"which {other} does not offer"
    return None


def is_pure(folder):
    return any(f"{folder}/".startswith(f"{pure}/") for pure in PURE)


def touches_the_world(root, path, known):
    """The uses of threads, clocks, sockets and randomness in a file of a pure folder."""
    test = path.stem.endswith("_test")
    for number, line in enumerate(tree.text(root, path).splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            included = match.group(2)
            if included in BANNED_HEADERS and not target_of(path, False, included, known) and not (test and included in {"fstream", "random"}):
                yield f"{path}:{number}: <{included}> in a pure folder"
        elif word := BANNED_WORDS.search(COMMENT.sub("", line)):
            yield f"{path}:{number}: {word.group(0)} in a pure folder"


def check_file(root, path, known):
    here = folder_of(path)
    if path.parts[0] == "src" and here not in ORDER:
        yield f"{path}: {here} is no folder of a product"
        return
    for number, target in includes(root, path, known):
        where = f"{path}:{number}: {target}"
        if path.parts[0] == "examples":
            if target.parts[0] not in {"include", "examples"}:
                yield f"{where}: an example may use the public headers only"
        elif path.parts[0] == "include":
            if target.parts[0] != "include":
                yield f"{where}: a public header includes only what is installed"
        elif reason := why_not(path, here, target):
            yield f"{where}: {reason}"
    if path.parts[0] == "src" and is_pure(here):
        yield from touches_the_world(root, path, known)


def circles(uses):
    """The circles in {file: files that it includes}, each once, as lists that end with their first
    file."""
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


def check_circles(root, known):
    uses = {}
    for path in known.values():
        if path.suffix not in {".h", ".cc"} or path.parts[0] != "src" or is_for_tests(path) or folder_of(path) not in WITHOUT_CIRCLES:
            continue
        here = path.with_suffix("")
        for _, target in includes(root, path, known):
            if target.parts[0] == "src" and folder_of(target) in WITHOUT_CIRCLES and target.with_suffix("") != here:
                uses.setdefault(str(here), set()).add(str(target.with_suffix("")))
    for circle in circles(uses):
        yield f"a circle of includes: {' -> '.join(circle)}"


def picture():
    """The layers as docs/ARCHITECTURE.md shows them, highest first."""
    lines = []
    for product in reversed(PRODUCTS):
        lines.append(f"{product:9} {ABOUT[product]}")
        folders = [folder for folder in PRODUCTS[product] if folder != "."]
        lines += textwrap.wrap(" < ".join(folders), 100, initial_indent=" " * 12, subsequent_indent=" " * 12, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def check_picture(root):
    page = root / "docs/ARCHITECTURE.md"
    if page.exists() and f"```\n{picture()}```\n" not in page.read_text(encoding="utf-8"):
        yield "docs/ARCHITECTURE.md: its picture of the layers differs from what `dev/check-layers.py --picture` prints"


def main():
    parser = tree.arguments(__doc__)
    parser.add_argument("--picture", action="store_true", help="print the layers, highest first, as docs/ARCHITECTURE.md shows them, and end")
    options = parser.parse_args()
    if options.picture:
        print(picture(), end="")
        return
    root = options.root
    sources = [p for p in tree.files(root, tree.SOURCE) if p.parts[0] in {"src", "include", "examples"}]
    known = {str(p): p for p in tree.files(root)}
    findings = [finding for path in sources for finding in check_file(root, path, known)]
    tree.report("check-layers", [*findings, *check_circles(root, known), *check_picture(root)], f"{len(sources)} files")


if __name__ == "__main__":
    main()
