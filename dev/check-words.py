#!/usr/bin/env python3
"""Checks the language of comments and documents (docs/CONTRIBUTING.md). No sentence begins with Of,
By, Who, That or 'What has', and no sentence uses a word for which the field has another one. The
check reads the comments of C++, Python, shell and CMake, and Python's docstrings. It skips code in
documents, and tables below `<!-- printed by PROGRAM -->`. With --count it prints the number of
findings in each folder."""

import ast
import collections
import functools
import io
import re
import tokenize

import tree

OPENINGS = re.compile(r"(?:^|(?<=[.!?:;] )|(?<=\. \())(Of|By|Who|That|What has)\b(?!\s*[=(<])")
# Each word, with the words to write instead. Outside LNET the words letter and home have their
# common meaning.
LNET = ("src/lnet", "src/sim", "tests/lnet/shard_msgs", "tests/lnet/scenarios", "docs/", "README.md")
NOT_LNET = ("docs/LAB.md", "docs/FGR.md")  # names of letters and digits; a file system for home directories
WORDS_OF_LNET = {
    r"letters?\b": "inter-shard message",
    r"homes?\b": "owner shard",
}
WORDS = {
    r"mails?\b|mailed\b": "inter-shard message",
    r"cards?\b": "peer entry",
    r"told\b|tells?\b|telling\b": "reported, advertised, notified, acknowledged: whichever it is",
    r"wish(?:es|ed)?\b": "requested, configured",
    r"so many\b": "a count",
    r"is none\b|are none\b": "does not exist",
    r"doors?\b": "control API",
    r"another life\b|lives of\b|earlier life\b|former life\b": "incarnation",
    r"(?<!is )(?<!has )(?<!no )rooms?\b(?! for\b)": "module",
    r"floors?\b": "layer",
    r"house\b": "source checks",
    r"weather\b": "network conditions",
    r"infected\b|canar(?:y|ies)\b": "planted bug",
}


def patterns(words):
    """The patterns of words, which do not match in names of code, files and hosts."""
    return [(re.compile(r"(?<![\w/.`\"'-])" + f"(?:{word})" + r"(?![\w/`(\"-]|\.h|\.cc|::|:\S)", re.IGNORECASE), instead)
            for word, instead in words.items()]


EVERYWHERE, IN_LNET = patterns(WORDS), patterns(WORDS_OF_LNET)
# Parts of names, at an underscore or a capital.
IN_NAMES = re.compile(r"mails?|mailed|cards?|told|untold|tells?|telling|wish(?:es|ed)?|doors?|rooms?|house|weather|canar(?:y|ies)|infected")
NAMES_TO_KEEP = {"Door", "door", "kDoorLifeCycle", "cards"}
KEYS = {"letter delay"}  # of scenario files
NAME = re.compile(r"\b[A-Za-z_]\w*")
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# A line that is a comment, and a comment at the end of a line.
SLASHES = re.compile(r"^\s*///?<?\s?(.*)$"), re.compile(r"\s///?<?\s(.*)$")
HASHES = re.compile(r"^\s*#(?!!)\s?(.*)$"), re.compile(r"\s#\s(.*)$")
HASHED = re.compile(r".*(\.(sh|cmake|cmake\.in)|CMakeLists\.txt)$")
DOCUMENTS = ("docs/", "README.md")
NO_DOCUMENTS = ("docs/spec", "docs/decisions", "docs/COVERAGE.md")  # about LNet; history; lists of tests
ITEM = re.compile(r"\s*(?:[-*]|\d+\.|#+) +")
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\]\([^)]*\)")
MARK = re.compile(r"<!--.*?-->|[\[*]")
PRINTED = "<!-- printed by "


def comments(text, marks=SLASHES):
    """(line number, words) of each comment, with its lines joined."""
    block, start = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        whole = marks[0].match(line)
        if whole:
            if not block:
                start = number
            block.append(whole[1])
            continue
        if block:
            yield start, " ".join(block)
            block = []
        trailing = marks[1].search(line)
        if trailing and "http" not in line:
            yield number, trailing[1]
    if block:
        yield start, " ".join(block)


def cxx(text):
    """The comments of a C++ file, and its string literals that have several words."""
    yield from comments(text)
    for match in tree.NO_CODE.finditer(text):
        if match[0].startswith('"') and " " in match[0] and match[0][1:-1] not in KEYS:
            yield text.count("\n", 0, match.start()) + 1, match[0][1:-1]


def names(text):
    """(line number, name) of each name in C++ code that has a word to replace."""
    code = tree.NO_CODE.sub(lambda match: " " + "\n" * match[0].count("\n"), text)
    for number, line in enumerate(code.splitlines(), 1):
        for name in NAME.findall(line):
            if name not in NAMES_TO_KEEP and any(IN_NAMES.fullmatch(part.lower()) for part in PART.findall(name)):
                yield number, name


def python(text):
    """The docstrings and the comments of a Python program."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, " ".join(ast.get_docstring(node).split())
    lines = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            code = token.line[:token.start[1]].strip() and "code "
            lines[token.start[0] - 1] = code + token.string
    yield from comments("\n".join(lines), HASHES)


def prose(text):
    """(line number, words) of each paragraph, item of a list, heading and cell of a table of a
    document. Code becomes ``."""
    block, start, fenced, printed = [], 0, False, False

    def plain(words):
        return MARK.sub("", LINK.sub("", CODE.sub("``", words))).strip()

    for number, line in enumerate([*text.splitlines(), ""], 1):
        table, item = line.startswith("|"), ITEM.match(line)
        printed = line.startswith(PRINTED) or (printed and table)
        if block and (fenced or table or item or not line.strip() or tree.FENCE.match(line)):
            yield start, plain(" ".join(block))
            block = []
        if tree.FENCE.match(line):
            fenced = not fenced
        elif table and not printed:
            yield from ((number, plain(cell)) for cell in CODE.sub("``", line).split("|"))
        elif line.strip() and not (fenced or table):
            start = start if block else number
            block.append(line[item.end():] if item else line.strip())


def is_document(path):
    return str(path).startswith(DOCUMENTS) and not str(path).startswith(NO_DOCUMENTS)


def reader(root, path):
    """The function that reads the file's comments or prose; None: the file has none to check."""
    if path.suffix == ".md":
        return prose if is_document(path) else None
    if path.parts[:2] == ("tests", "data"):
        return None
    if path.suffix in tree.SOURCE:
        return cxx
    first = "" if path.suffix else tree.text(root, path).partition("\n")[0]  # there a program without suffix names its language
    if path.suffix == ".py" or re.match("#!.*python", first):
        return python
    if HASHED.match(str(path)) or re.match("#!.*sh", first):
        return functools.partial(comments, marks=HASHES)
    return None


def findings_of(root, path, read):
    banned = EVERYWHERE + IN_LNET if str(path).startswith(LNET) and str(path) not in NOT_LNET else EVERYWHERE
    if read is cxx:
        for number, name in names(tree.text(root, path)):
            yield f"{path}:{number}: the name {name}: docs/GLOSSARY.md has the words of the field"
    for number, words in read(tree.text(root, path)):
        if words.startswith("namespace"):
            continue
        for opening in OPENINGS.finditer(words):
            yield f"{path}:{number}: a sentence begins with '{opening[1]}': {words[opening.start():opening.start() + 60]}"
        for pattern, instead in banned:
            for found in pattern.finditer(words):
                yield f"{path}:{number}: '{found[0]}': write {instead}: ...{words[max(0, found.start() - 25):found.end() + 25]}"


def main():
    parser = tree.arguments(__doc__)
    parser.add_argument("--count", action="store_true", help="print the number of findings in each folder")
    options = parser.parse_args()
    readers = {path: reader(options.root, path) for path in tree.files(options.root)}
    sources = {path: read for path, read in readers.items() if read}
    findings = [(path, finding) for path, read in sources.items() for finding in findings_of(options.root, path, read)]
    if options.count:
        for folder, count in sorted(collections.Counter(str(path.parent) for path, _ in findings).items()):
            print(f"{count:5} {folder}")
    tree.report("check-words", [finding for _, finding in findings if not options.count], f"{len(sources)} files")


if __name__ == "__main__":
    main()
