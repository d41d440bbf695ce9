#!/usr/bin/env python3
"""Checks that the tests, the commands and options of the programs, and the targets of make that the
documents name exist, and that "not yet" links to an entry of docs/NOT-YET.md. It does not look at
docs/spec, which is about LNet, and at docs/decisions, which is history."""

import importlib
import pathlib
import re
import shlex

import tree

coverage = importlib.import_module("check-coverage")

SKIPPED = [pathlib.PurePosixPath("docs/spec"), pathlib.PurePosixPath("docs/decisions"), pathlib.PurePosixPath("tests/data")]
FENCE = re.compile(r"^[ \t]*```(\w*)\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
NO_SHELL = {"cpp", "c", "yaml", "json"}
SPAN = re.compile(r"`([^`\n]+)`")

TEST = re.compile(r"[A-Z]\w*\.(?:[A-Z]\w*[*…]?|\*)")
LIVE = re.compile(r"e2e\.(\w+)\.([A-Z]\w*)")  # a class of tests/PRODUCT/live/NAME_test.py
PY_CASE = re.compile(r"(tests/[\w/]+\.py): (\w+)")

CLI11_COMMAND = re.compile(r"\badd(?:_\w+)?\((?:app, )?\s*\"([a-z][\w-]*)\"")
TABLE_COMMAND = re.compile(r"^\s*\{\"([a-z][\w-]*)\",\s*(?:\"|k[A-Z])", re.MULTILINE)
# Each program: the folder of its sources, and the pattern of its commands in them. ulnetd has no
# commands.
PROGRAMS = {"ulnetd": ("src/ulnetd", None), "ulnetctl": ("src/admin/ulnetctl", TABLE_COMMAND), "ulst": ("src/selftest/ulst", TABLE_COMMAND),
            "ulnet-sim": ("src/sim/tool", CLI11_COMMAND), "ulnet-lab": ("src/lab", CLI11_COMMAND), "ulnet-fgr": ("src/fgr", CLI11_COMMAND)}
PASSED_ON = {"ulnet-lab": "ulst"}  # `ulnet-lab measure` takes the options of `ulst run`
FOR_ALL = "src/text/shell"
NOT_OURS = {"--nodelist", "--health_sensitivity"}  # an option of Slurm, and one in the description of lnetctl
OTHER_NAMES = {"lctl"}  # a source for ulnetctl called by another name
TABLE_GROUP = re.compile(r"\{\"([a-z][\w-]*)\",\s*(?:\"(?:[^\"\\]|\\.)*\"\s*)+,\s*nullptr,")
LITERAL_OPTION = re.compile(r"\"(?:-\w,)?(--[a-z][\w-]*)")
TABLE_OPTION = re.compile(r"\"([a-z][\w-]*)\",\s*(?:'.'|0),\s*Option::k")
OPTION = re.compile(r"--[a-z][\w-]*")
WORD = re.compile(r"[a-z][\w-]*")
NEXT = re.compile(r"\s(?:\||&&|\|\||;|>|>>|<)\s|;\s|\$\(")
BEFORE = re.compile(r"^(?:\w+[#$] |[$#] |sudo |[A-Z_]+=\S* )*(?:[\w./]*/)?")
TARGET = re.compile(r"^([a-z][\w-]*):", re.MULTILINE)

LIST = pathlib.PurePosixPath("docs/NOT-YET.md")
NOT_YET = re.compile(r"\bnot(?: \w+)? yet\b|\bnot built(?! in\b)|\bno \w+ yet\b|\(yet\)|(?<!\w)later:", re.IGNORECASE)
ENTRY_LINK = re.compile(r"\]\([^)\s]*NOT-YET\.md#([\w-]+)\)")


def documents(root):
    for path in tree.files(root, {".md"}):
        if not any(folder in path.parents for folder in SKIPPED):
            yield path, tree.text(root, path)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def spans(text):
    """(line, text) of each code span, outside of fenced blocks."""
    plain = FENCE.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in SPAN.finditer(plain):
        yield line_of(plain, match.start()), match[1].replace("\\|", "|")


def commands(text):
    """(line, text) of each code span, and of each line of a fenced block that may be for a
    shell."""
    yield from spans(text)
    for match in FENCE.finditer(text):
        if match[1] not in NO_SHELL:
            first = line_of(text, match.start()) + 1
            yield from enumerate(match[2].splitlines(), first)


def wrong_tests(root, text, tests):
    for line, span in spans(text):
        if TEST.fullmatch(span):
            begin = span.rstrip("*…")
            if begin not in tests and (begin == span or not any(name.startswith(begin) for name in tests)):
                yield line, f"the test {span}, which does not exist"
        elif case := LIVE.fullmatch(span) or PY_CASE.fullmatch(span):
            paths = root.glob(case[1] if "/" in case[1] else f"tests/**/{case[1]}_test.py")
            if not any(re.search(rf"\b(?:class|def) {case[2]}\b", path.read_text()) for path in paths):
                yield line, f"the test {span}, which does not exist"


class Program:
    """The commands and options of a program, read from its sources."""

    def __init__(self, root, folder, command):
        self.commands, self.groups, self.options = {"help"} if command else set(), set(), {"--help", "--version"}
        for path in tree.files(root, {".cc", ".h"}):
            its_own = pathlib.PurePosixPath(folder) in path.parents
            if "_test" in path.stem or path.stem in OTHER_NAMES or not (its_own or pathlib.PurePosixPath(FOR_ALL) in path.parents):
                continue
            text = tree.text(root, path)
            self.options |= set(LITERAL_OPTION.findall(text)) | {f"--{name}" for name in TABLE_OPTION.findall(text)}
            if its_own and command:
                self.commands |= set(command.findall(text))
                self.groups |= set(TABLE_GROUP.findall(text))

    def unknown(self, words):
        """The commands and options among the words after the program's name that the program does
        not have."""
        for word in words:
            option = word.partition("=")[0].rstrip(".,:")
            if OPTION.fullmatch(option) and option not in self.options:
                yield f"the option {option}"
        named = [word for word in words if not word.startswith("-")][:3]
        known = [i for i, word in enumerate(named) if any(one in self.commands for one in word.split("|"))]
        if not self.commands or not named or not WORD.match(named[0]):
            return
        if not known:
            yield f"the command {named[0]}"
        elif named[known[0]] in self.groups and known[0] + 1 < len(named) and WORD.fullmatch(named[known[0] + 1]):
            if named[known[0] + 1] not in self.commands:
                yield f"the command {named[known[0]]} {named[known[0] + 1]}"


def wrong_options(text, programs):
    """Code spans that begin with an option that no program has."""
    known = NOT_OURS.union(*(program.options for program in programs.values()))
    for line, span in spans(text):
        if (option := OPTION.match(span)) and option[0] not in known:
            yield line, f"the option {option[0]}, which no program has"


def words_of(command):
    try:
        return shlex.split(re.sub(r"[\[\](){}]", " ", command), comments=True)
    except ValueError:
        return command.split()


def wrong_commands(text, programs, targets):
    for line, written in commands(text):
        for command in NEXT.split(written):
            words = words_of(BEFORE.sub("", command.strip(), count=1))
            if len(words) < 2:
                continue
            if words[0] in programs:
                for what in programs[words[0]].unknown(words[1:]):
                    yield line, f"{what} of {words[0]}, which does not exist"
            elif words[0] == "make" and re.fullmatch(r"[a-z][a-z-]*", words[1]) and words[1] not in targets:
                yield line, f"make {words[1]}, which the Makefile does not have"


def entries_of(text):
    """{anchor: heading} of the entries of the list."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"): heading for heading in re.findall(r"^## (.+)$", text, re.MULTILINE)}


def wrong_not_yet(text, entries, linked):
    """Paragraphs and rows of tables that say "not yet" without a link to an entry of the list."""
    plain = FENCE.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in re.finditer(r"^\|.*$|(?:^(?!\||\s*$).*\n?)+", plain, re.MULTILINE):
        anchors = ENTRY_LINK.findall(match[0])
        linked |= set(anchors)
        for anchor in anchors:
            if anchor not in entries:
                yield line_of(plain, match.start()), f"the entry #{anchor} of {LIST}, which does not exist"
        said = NOT_YET.search(SPAN.sub(lambda span: "x" * len(span[0]), match[0]))
        if said and not anchors:
            yield line_of(plain, match.start() + said.start()), f"'{said[0]}' without a link to an entry of {LIST}"


def main():
    root = tree.arguments(__doc__).parse_args().root
    tests = coverage.tests_of(root)
    programs = {name: Program(root, *where) for name, where in PROGRAMS.items()}
    for name, other in PASSED_ON.items():
        programs[name].options |= programs[other].options
    makefile = root / "Makefile"
    targets = set(TARGET.findall(makefile.read_text())) if makefile.exists() else set()
    entries = entries_of(tree.text(root, LIST)) if (root / LIST).exists() else {}
    findings, linked, count = [], set(), 0
    for path, text in documents(root):
        count += 1
        wrong = [*wrong_tests(root, text, tests), *wrong_commands(text, programs, targets), *wrong_options(text, programs)]
        if path != LIST:
            wrong += wrong_not_yet(text, entries, linked)
        findings += [f"{path}:{line}: names {what}" for line, what in sorted(wrong)]
    findings += [f"{LIST}: nothing links to '{heading}'" for anchor, heading in entries.items() if anchor not in linked]
    tree.report("check-docs", findings, f"{count} documents")


if __name__ == "__main__":
    main()
