"""Finds citations of the pages in docs: the page and the clauses that a text names, and the clauses
that a page has. Citations of pages of the folder spec, and of DESIGN.md, have no docs/ in front."""

import re

CLAUSE = r"§?(?:\d+(?:\.(?:\d+|[A-Z]))*[a-z]?|[A-Z])\b(?![\w%°])"
CITED = re.compile(
    r"(?P<folder>(?:docs/)?(?:[a-z-]+/)*)(?P<page>[A-Za-z][\w-]*)\.md\b`?"
    rf"(?P<clauses>\s+{CLAUSE}(?:(?:,| and| to| or)\s+{CLAUSE})*)?")
# A line break with the mark of a comment: a citation may continue after it.
NEXT_LINE = re.compile(r"\n[ \t]*(?://[/<!]*|#+|\*|\")?[ \t]*")
OWN = re.compile(r"§(\d+(?:\.\d+)*)")
HEADING = re.compile(r"^(#+)\s+(\d+(?:\.\d+)*|[A-Za-z])\.?\s+(.*)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)  # drawings and examples have no clauses
ITEM = re.compile(r"^ *(?:[-*] +)?\**(\d+)\. (.*)")
CASE = re.compile(r"\| (\d+[a-z]?(?:(?:, | / )\d+[a-z]?)*) \|([^|]*)\|")  # a row of a table whose first column is `#`


def path_of(folder, page, pages):
    """The file that a citation names, relative to the root. None when it names no page of docs."""
    if folder in {"spec/", "docs/spec/"}:
        return f"docs/spec/{page}.md"
    if folder == "docs/" or folder.startswith("docs/"):
        return f"{folder}{page}.md"
    if folder == "":
        return next((path for path in (f"docs/spec/{page}.md", f"docs/{page}.md") if path in pages), None)
    return None


def cited(text, pages):
    """(line, path, clauses) of every page that a text names. `pages`: the paths of the existing
    pages, in which bare names such as "vectors.md 29" are looked up."""
    joined = NEXT_LINE.sub(lambda match: " " * len(match.group()), text)
    for match in CITED.finditer(joined):
        path = path_of(match["folder"], match["page"], pages)
        if path is not None:
            clauses = [clause.lstrip("§") for clause in re.findall(CLAUSE, match["clauses"] or "")]
            yield text.count("\n", 0, match.start()) + 1, path, clauses


def cited_of_itself(text):
    """(line, clause) of every "§4.2" that is not part of a citation of a page: it cites a clause of
    the page in which it is."""
    joined = NEXT_LINE.sub(lambda match: " " * len(match.group()), text)
    taken = [match.span() for match in CITED.finditer(joined)]
    for match in OWN.finditer(joined):
        if not any(begin <= match.start() < end for begin, end in taken):
            yield text.count("\n", 0, match.start()) + 1, match[1]


def clauses_of(text):
    """{clause: the line that it begins with} of a page: its numbered headings, the numbered items
    below them (item 3 below heading 5 is "5.3"), and the rows of its tables of numbered cases."""
    found, path, cases = {}, [], False
    for line in FENCED.sub("", text).splitlines():
        cases = line.startswith("| # |") or (cases and line.startswith("|"))
        if heading := HEADING.match(line):
            depth, number = len(heading[1]), heading[2]
            path = [(level, name) for level, name in path if level < depth]
            own = number if "." in number or not path else f"{path[-1][1]}.{number}"
            path.append((depth, own))
            found[own] = heading[3]
        elif line.startswith("#"):
            path = [(level, name) for level, name in path if level < len(line) - len(line.lstrip("#"))]
        elif path and (item := ITEM.match(line)):
            found.setdefault(f"{path[-1][1]}.{item[1]}", item[2])
        elif cases and (row := CASE.match(line)):
            found |= dict.fromkeys(re.split(r", | / ", row[1]), row[2].strip())
    return found
