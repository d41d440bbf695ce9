"""Helpers of the checks in this folder: the files of the repository, and the report of findings."""

import argparse
import io
import pathlib
import re
import subprocess
import sys
import tarfile

FENCE = re.compile(r"\s*(```|~~~)")  # the first or the last line of a block of code in a document
SOURCE = (".cc", ".c", ".h", ".hpp")
# What is no code in C++: a comment, or a text in quotes, which may look like a comment.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def arguments(description):
    """A parser with --root, with which the tests of a check run it on another tree."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the tree to check (default: this repository)")
    return parser


def files(root, suffixes=None):
    """Paths relative to root, sorted: the files that git tracks or would track, or every file if
    the tree is not in git."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "--", "."],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        paths = {pathlib.PurePosixPath(line) for line in listed.stdout.splitlines()}
    else:
        paths = {pathlib.PurePosixPath(p.relative_to(root).as_posix()) for p in root.rglob("*")}
        paths = {p for p in paths if not p.parts[0].startswith((".git", "build"))}
    return sorted(p for p in paths
                  if (suffixes is None or p.suffix in suffixes) and (root / p).is_file() and not (root / p).is_symlink())


def text(root, path):
    return (root / path).read_text(encoding="utf-8", errors="replace")


def of_product(path):
    """Whether the file is C++ of a product, and not of its tests."""
    return path.parts[0] in {"src", "include"} and path.suffix in SOURCE and not path.stem.endswith(("_test", "_fixture"))


def products(root, revision=None):
    """(path, text) of each C++ file of the products; with `revision` as it was in that commit."""
    if revision is None:
        for path in filter(of_product, files(root)):
            yield path, text(root, path)
        return
    archive = subprocess.run(["git", "archive", revision, "src", "include"], cwd=root, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            path = pathlib.PurePosixPath(member.name)
            if member.isfile() and of_product(path):
                yield path, tar.extractfile(member).read().decode("utf-8")


def without_comments(code):
    """C++ without its comments; the other lines keep their numbers."""
    return NO_CODE.sub(lambda token: "\n" * token[0].count("\n") if token[0].startswith("/") else token[0], code)


def report(name, findings, looked_at):
    """Prints the findings, one per line, and ends the program, with exit code 0 without findings
    and 1 with some."""
    for finding in findings:
        print(finding)
    print(f"{name}: {looked_at} looked at, {len(findings)} findings" if findings else f"{name}: {looked_at} looked at, clean")
    sys.exit(1 if findings else 0)
