#!/usr/bin/env python3
"""Checks that the tests show every clause of the rules in docs/spec. A test shows the clauses that
its tag cites: the comment above the test, or the one behind its head ("spec/wire-lnet.md 1.2, 1.3").
dev/untested.txt has the reason why no test shows a clause. docs/COVERAGE.md lists clauses and tests,
as --page prints them. And every source of the core begins with a comment that names the page of the
rules that it follows."""

import collections
import pathlib
import re

import citations
import tree

TEST = re.compile(r"^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP|RC_GTEST_TYPED_FIXTURE_PROP)"
                  r"\s*\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)
# A case of a live test, or a recording in tests/lnet/live/interop/cases.py.
LIVE = re.compile(r"^[ \t]*(?:def (test_\w+)\(|\*?(?:both|Case|episode)\('([\w-]+)')", re.MULTILINE)
COMMENT = re.compile(r"\s*(?://|#|@)")  # or a decorator
HEAD = re.compile(r"(?://.*\n)+")
RULES = re.compile(r"spec/[\w-]+\.md|DESIGN\.md|decisions? \d")
# Pages of docs/spec without rules of their own: byte strings, a design by others, records, the
# landing page.
WITHOUT_RULES = {"README", "vectors", "design-vs-today", "observed", "observed-routing"}
CASES = "upstream-tests"  # cases, of which not every one can be run here
UNTESTED = "dev/untested.txt"
PAGE = "docs/COVERAGE.md"
HEADING = """# Coverage: the clauses of docs/spec, and the tests that show them

`dev/check-coverage.py --page` prints this page from the tags of the tests (`docs/TESTING.md`).
"""
LONGEST_TITLE = 80


def tests_in(root):
    """(file, line, name) of all tests; lines are counted from 0."""
    for path in tree.files(root, {".cc", ".py"}):
        if path.parts[0] not in {"src", "tests", "bench"} or (path.suffix == ".py" and path.parts[0] != "tests"):
            continue
        text = tree.text(root, path)
        for match in (TEST if path.suffix == ".cc" else LIVE).finditer(text):
            name = f"{match[1]}.{match[2]}" if path.suffix == ".cc" else f"{path}: {match[1] or match[2]}"
            yield path, text.count("\n", 0, match.start()), name


def tests_of(root):
    """{name: file} of all GoogleTest cases."""
    return {name: path for path, _, name in tests_in(root) if path.suffix == ".cc"}


def tag(lines, at, opening):
    """The comment above the test that begins at this line, and the test's head, which ends with the
    line that has `opening`."""
    begin = end = at
    while begin > 0 and COMMENT.match(lines[begin - 1]):
        begin -= 1
    while opening not in lines[end] and end + 1 < len(lines):
        end += 1
    return "\n".join(lines[begin:end + 1])


def shown_by(root, pages):
    """{(page, clause): [test]}, in the order of the files."""
    shown = collections.defaultdict(list)
    lines = {}
    for path, at, name in tests_in(root):
        if path not in lines:
            lines[path] = tree.text(root, path).splitlines()
        for _, page, clauses in citations.cited(tag(lines[path], at, "{" if path.suffix == ".cc" else "("), pages):
            for clause in clauses:
                if name not in shown[page, clause]:
                    shown[page, clause].append(name)
    return shown


def reasons(root):
    """{(page, clause): the reason why no test shows it}."""
    found = {}
    for line in tree.text(root, UNTESTED).splitlines() if (root / UNTESTED).exists() else ():
        if line and not line.startswith("#"):
            place, reason = line.split(": ", 1)
            page, clause = place.split()
            found[f"docs/spec/{page}.md", clause] = reason
    return found


def in_order(clauses):
    return sorted(clauses, key=lambda clause: [(part.isalpha(), re.sub(r"\d+", lambda number: number[0].zfill(4), part))
                                               for part in clause.split(".")])


def lowest(clauses):
    return {clause for clause in clauses if not any(other.startswith(clause + ".") for other in clauses)}


def title(words):
    """The first words of a clause, as text of a table."""
    words = re.sub(r"[*`|\[\]<>]", "", words).strip()
    return words if len(words) <= LONGEST_TITLE else words[:LONGEST_TITLE].rsplit(" ", 1)[0] + " …"


def page_of(pages, shown, untested):
    """The text of docs/COVERAGE.md."""
    parts = [HEADING]
    for page, clauses in pages.items():
        rows = {clause for clause in clauses if (page, clause) in shown or (page, clause) in untested}
        if not rows:
            continue
        parts += ["", f"## {pathlib.PurePosixPath(page).stem}", "", "<!-- printed by dev/check-coverage.py --page -->",
                  "| clause | begins | shown by |", "|---|---|---|"]
        for clause in in_order(rows):
            tests = ", ".join(f"`{name}`" for name in shown.get((page, clause), ())) or f"none: {untested[page, clause]}"
            parts.append(f"| {clause} | {title(clauses[clause])} | {tests} |")
    return "\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def findings_of(pages, shown, untested):
    for page, clauses in pages.items():
        for clause in in_order(lowest(clauses)) if pathlib.PurePosixPath(page).stem != CASES else ():
            if (page, clause) not in shown and (page, clause) not in untested:
                yield f"{page}: no test shows clause {clause}: a test's tag has to cite it, or {UNTESTED} to give the reason"
    for page, clause in untested:
        if clause not in pages.get(page, ()):
            yield f"{UNTESTED}: {page} has no clause {clause}"
        elif (page, clause) in shown:
            yield f"{UNTESTED}: a test shows clause {clause} of {page}"


def sources_without_rules(root):
    for path in tree.files(root, {".cc"}):
        if path.parts[:3] != ("src", "lnet", "core") or path.stem.endswith("_test"):
            continue
        head = HEAD.match(tree.text(root, path))
        if head is None or not RULES.search(head[0]):
            yield f"{path}:1: begins with what the file does, and with the clause that it follows, by name of its page: of docs/spec or DESIGN.md, or a decision"


def main():
    parser = tree.arguments(__doc__)
    parser.add_argument("--page", action="store_true", help=f"print {PAGE}, and end")
    args = parser.parse_args()
    root = args.root
    pages = {str(path): citations.clauses_of(tree.text(root, path)) for path in tree.files(root, {".md"})
             if path.parts[:2] == ("docs", "spec") and path.stem not in WITHOUT_RULES}
    shown, untested = shown_by(root, pages), reasons(root)
    printed = page_of(pages, shown, untested)
    if args.page:
        print(printed, end="")
        return
    findings = [*findings_of(pages, shown, untested), *sources_without_rules(root)]
    if not (root / PAGE).exists() or tree.text(root, PAGE) != printed:
        findings.append(f"{PAGE}: is not what dev/check-coverage.py --page prints")
    tree.report("check-coverage", findings, f"{sum(len(lowest(clauses)) for clauses in pages.values())} clauses, {len(tests_of(root))} tests")


if __name__ == "__main__":
    main()
