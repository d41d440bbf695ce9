#!/usr/bin/env python3
"""Checks docs/decisions. The numbers have no gaps. Each decision has a status. A status names only
decisions that exist. The index, README.md, has a row for each decision, as `--index` prints it."""

import re

import tree

FOLDER = "docs/decisions"
NAME = re.compile(r"(\d{3})-[a-z0-9]+(?:-[a-z0-9]+)*\.md$")
HEAD = re.compile(r"# (\d+)\. (\S.*)\n\nStatus: (.*)\n\n\S")
NUMBERS = r"\d{3}(?:, \d{3})*(?: and \d{3})?"
# `completed`: a later decision built what this one left open. The other words say that a later
# decision changes this one.
PART = re.compile(rf"accepted|(?:superseded|revised|completed) by {NUMBERS}|built as {NUMBERS} describes?")
FIRST_ROW = "| | decision | status |\n|---|---|---|\n"


def decisions(root):
    """(path, number in the file name, (number, title, status) in the text or None) of each
    decision."""
    for path in tree.files(root, {".md"}):
        if str(path.parent) != FOLDER or path.name == "README.md":
            continue
        name, head = NAME.match(path.name), HEAD.match(tree.text(root, path))
        yield path, name and name.group(1), head and head.groups()


def index(found):
    return FIRST_ROW + "".join(f"| {number} | [{head[1]}]({path.name}) | {head[2]} |\n" for path, number, head in found if number and head)


def findings_of(root, found):
    numbers = {number for _, number, _ in found}
    for expected, (path, number, head) in enumerate(found, 1):
        if not number or int(number) != expected:
            yield f"{path}: is decision {expected}: its name has to begin with {expected:03}-"
        elif not head or int(head[0]) != expected:
            yield f"{path}: does not begin with '# {expected}. TITLE' and 'Status: ...'"
        else:
            for part in head[2].split("; "):
                if not PART.fullmatch(part):
                    yield f"{path}: '{part}' is not a status; CONTRIBUTING.md lists them"
                yield from (f"{path}: its status names {other}, which does not exist"
                            for other in re.findall(r"\d+", part) if other not in numbers)
    page = root / FOLDER / "README.md"
    if not page.exists() or not page.read_text().endswith("\n\n" + index(found)):
        yield f"{FOLDER}/README.md: its table is not what `dev/check-decisions.py --index` prints"


def main():
    parser = tree.arguments(__doc__)
    parser.add_argument("--index", action="store_true", help="print the table of docs/decisions/README.md, and end")
    args = parser.parse_args()
    found = list(decisions(args.root))
    if args.index:
        print(index(found), end="")
        return
    tree.report("check-decisions", list(findings_of(args.root, found)), f"{len(found)} decisions")


if __name__ == "__main__":
    main()
