#!/usr/bin/env python3
"""Checks docs/coverage. Its pages have a row for every clause of docs/spec, and no other rows.
Every row names the tests that show the clause, or gives a reason why no test shows it. Every named
test exists. Every clause that the comment of a test cites has a row. And every source of the core
begins with a comment that names the page of the rules that it follows."""

import re
import sys

import citations
import tree

ROW = re.compile(r"^\|\s*(\d[\w.]*)\s*\|([^|]*)\|([^|]*)\|\s*$")
TEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP|RC_GTEST_TYPED_FIXTURE_PROP)"
                  r"\s*\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)
SPAN = re.compile(r"`([^`]+)`")
REASON = re.compile(r"^none: \S.{7,}$")
# A comment in a test such as "spec/wire-socklnd.md 4.5, 4.6".
CITED = re.compile(r"spec/([\w-]+)\.md ((?:§?\d+(?:\.\d+)*[a-z]?)(?:(?:, | and | to )\d+(?:\.\d+)*[a-z]?)*)")
NUMBER = re.compile(r"\d+(?:\.\d+)*")
HEAD = re.compile(r"(?://.*\n)+")
RULES = re.compile(r"spec/[\w-]+\.md|DESIGN\.md|decisions? \d")
# Pages of docs/spec without rules of their own: byte strings, tests of others, a design by others,
# records, the landing page.
WITHOUT_RULES = {"README", "vectors", "upstream-tests", "design-vs-today", "observed", "observed-routing"}


def tests_of(root):
    """{name: file} of all GoogleTest cases."""
    found = {}
    for path in tree.files(root, {".cc"}):
        if path.parts[0] in {"src", "tests", "bench"}:
            for suite, name in TEST.findall(tree.text(root, path)):
                found[f"{suite}.{name}"] = path
    return found


def rows_of(root, path):
    for number, line in enumerate(tree.text(root, path).splitlines(), 1):
        match = ROW.match(line)
        if match:
            yield number, match.group(1), match.group(3).strip()


def check_row(root, where, clause, shown, tests):
    named = SPAN.findall(shown)
    if not named:
        if not REASON.match(shown):
            yield f"{where}: clause {clause} has neither a test nor a reason"
        return
    for name in named:
        path, _, case = name.partition(": ")
        if "/" in path:
            if not (root / path).is_file():
                yield f"{where}: clause {clause} names {path}, which does not exist"
            elif case and case not in (root / path).read_text(encoding="utf-8", errors="replace"):
                yield f"{where}: clause {clause} names {case}, which is not in {path}"
        elif name not in tests:
            yield f"{where}: clause {clause} names the test {name}, which does not exist"


def in_order(clauses):
    return sorted(clauses, key=lambda clause: [(not part.isdigit(), part.zfill(4)) for part in clause.split(".")])


def check_against_specification(page, rows, specified):
    """`rows`: the clauses that the page of docs/coverage lists; `specified`: the clauses of the
    same page of docs/spec. A row "4.2a" is part of clause 4.2. The rows of the clauses below a
    clause cover the clause itself."""
    whole = {re.sub(r"(?<=\d)[a-z]$", "", row) for row in rows}
    for clause in in_order(whole - specified):
        yield f"docs/coverage/{page}.md: clause {clause} is not in docs/spec/{page}.md"
    lowest = {clause for clause in specified if not any(other.startswith(clause + ".") for other in specified)}
    for clause in in_order(lowest - whole):
        yield f"docs/coverage/{page}.md: clause {clause} of docs/spec/{page}.md has no row"


def check_pages(root, rows):
    """`rows`: the clauses that each page of docs/coverage lists."""
    pages = {path.stem: tree.text(root, path) for path in tree.files(root, {".md"}) if path.parts[:2] == ("docs", "spec")}
    for page in sorted(set(rows) - set(pages)):
        yield f"docs/coverage/{page}.md: there is no docs/spec/{page}.md"
    for page in sorted(set(pages) - WITHOUT_RULES):
        yield from check_against_specification(page, rows.get(page, set()), citations.clauses_of(pages[page]))


def cited_clauses(root):
    """(file, line, document, number) of every clause that the comment of a test names."""
    for path in tree.files(root, {".cc", ".h", ".py", ".sh"}):
        if "_test" not in path.stem and path.parts[0] != "tests":
            continue
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            for document, clauses in CITED.findall(line):
                for clause in NUMBER.findall(clauses):
                    yield path, number, document, clause


def sources_without_rules(root):
    for path in tree.files(root, {".cc"}):
        if path.parts[:3] != ("src", "lnet", "core") or path.stem.endswith("_test"):
            continue
        head = HEAD.match(tree.text(root, path))
        if head is None or not RULES.search(head[0]):
            yield f"{path}:1: begins with what the file does, and with the clause that it follows, by name of its page: of docs/spec or DESIGN.md, or a decision"


def main():
    parser = tree.arguments(__doc__)
    parser.add_argument("--cited", action="store_true", help="print each clause that the comment of a test names, with the place of the comment, and end")
    args = parser.parse_args()
    root = args.root
    if args.cited:
        for path, number, document, clause in sorted(cited_clauses(root), key=lambda c: (c[2], c[3], str(c[0]), c[1])):
            print(f"{document} {clause}\t{path}:{number}")
        sys.exit(0)

    tests = tests_of(root)
    findings, clauses = [], {}
    for path in tree.files(root, {".md"}):
        if path.parts[:2] != ("docs", "coverage"):
            continue
        seen = clauses.setdefault(path.stem, set())
        for number, clause, shown in rows_of(root, path):
            where = f"{path}:{number}"
            if clause in seen:
                findings.append(f"{where}: clause {clause} is listed twice")
            seen.add(clause)
            findings += check_row(root, where, clause, shown, tests)
    findings += check_pages(root, clauses)
    findings += sources_without_rules(root)
    for path, number, document, clause in cited_clauses(root):
        known = clauses.get(document)
        if known is not None and not any(c == clause or re.match(re.escape(clause) + r"(\.|[a-z])", c) for c in known):
            findings.append(f"{path}:{number}: {document} {clause} is not a clause of docs/coverage/{document}.md")
    tree.report("check-coverage", findings, f"{sum(map(len, clauses.values()))} clauses, {len(tests)} tests")


if __name__ == "__main__":
    main()
