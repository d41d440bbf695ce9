#!/usr/bin/env python3
"""Checks that no two files of the products have six equal lines of code in a row. It passes over
includes, comments, blank lines and lines with only braces; indentation makes no difference."""

import collections
import itertools
import re

import tree

MOST = 5  # the number of equal lines in a row that is allowed
PASSED_OVER = re.compile(r"#\s*(include\b.*|pragma once)|[{};\s]*")


def lines_of(root, path):
    """[(number, line)] of the code that counts."""
    lines = enumerate(tree.without_comments(tree.text(root, path)).splitlines(), 1)
    stripped = ((number, " ".join(line.split())) for number, line in lines)
    return [(number, line) for number, line in stripped if not PASSED_OVER.fullmatch(line)]


def copies(files):
    """(file, line, other file, its line, number of equal lines) of each run that is longer than
    allowed. `files`: {path: lines_of(path)}."""
    places = collections.defaultdict(list)
    for path, lines in files.items():
        for at in range(len(lines) - MOST):
            places[tuple(line for _, line in lines[at:at + MOST + 1])].append((path, at))
    for (one, at), (other, there) in (pair for found in places.values() for pair in itertools.combinations(found, 2)):
        begins = at == 0 or there == 0 or files[one][at - 1][1] != files[other][there - 1][1]
        if one == other or not begins:
            continue
        pairs = zip(files[one][at:], files[other][there:])
        length = sum(1 for _ in itertools.takewhile(lambda pair: pair[0][1] == pair[1][1], pairs))
        yield one, files[one][at][0], other, files[other][there][0], length


def main():
    root = tree.arguments(__doc__).parse_args().root
    files = {path: lines_of(root, path) for path in filter(tree.of_product, tree.files(root))}
    tree.report("check-copies", [f"{one}:{line}: {length} lines of code as in {other}:{there}, {MOST} are allowed"
                                 for one, line, other, there, length in sorted(copies(files))], f"{len(files)} files")


if __name__ == "__main__":
    main()
