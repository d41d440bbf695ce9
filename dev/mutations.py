"""Finds small changes to make in a C++ file that clang-format has formatted: to comparisons, + and
-, && and ||, negations and numbers, and statements to leave out. Some changes do not compile; the
compiler shows that. Assertions and log lines are not changed, because they are not the function of
the program."""

import re

# Text that is not code: comments, strings, characters, preprocessor lines.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*', re.S | re.M)
# Statements that are not changed: from the word to the end of the statement.
SPARED = re.compile(r"\b(?:ULNET_ASSERT|static_assert|static_cast<void>|step\.note|note)\(.*?;", re.S)

BINARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "&&": "||", "||": "&&",
          "+=": "-=", "-=": "+="}
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||\+=|-=|<|>|\+|-)(?=[ \n])")
STEP = re.compile(r"\+\+|--")
NOT = re.compile(r"!(?![=])")
CONDITION = re.compile(r"\b(?:if|while) (?:constexpr )?\(")
DECLARATION = re.compile(r"\s*(?:const\b|auto\b|[\w:<>]+[ *&]+\w+ = )")
# Conditions that are not negated: another mutant already reverses their operator.
FLIPPED = re.compile(r"(?:!|[^&|]*(?:==|!=))[^&|]*$")
NUMBER = re.compile(r"(?<![\w.'])(0[xX][0-9a-fA-F']+|\d[\d']*)([uUlL]*)(?![\w.'])")
# Sizes in headers are not changed: such a mutant would fail only because tests and library disagree
# about a layout.
LAYOUT = re.compile(r"^.*(?:std::array<|\[\w*\]|alignas|kCacheLine).*$", re.M)
TRUTH = re.compile(r"\b(true|false)\b")
STATEMENT = re.compile(r"(?<=[;{}\n)])(?P<space>\s*\n *)(?P<text>(?:\+\+|--|\w)[^;{}\n]*;)(?=[ \n]|$)")
CALL_OR_ASSIGNMENT = re.compile(r"^(?:\+\+|--)|^[\w.>:\[\]()*-]+(?:\(| (?:[+|&-]?=) |\+\+;|--;)")
KEYWORD = re.compile(r"^(?:return|using|break|continue|case|default|goto|else|throw|typedef|extern|friend|template|namespace)\b")


class Mutant:
    """One change: text[offset : offset + len(old)] becomes `new`."""

    def __init__(self, path, text, offset, old, new):
        self.path, self.offset, self.old, self.new = path, offset, old, new
        self.line = text.count("\n", 0, offset) + 1
        begin = text.rfind("\n", 0, offset) + 1
        self.column = offset - begin + 1
        self.context = text[begin:text.find("\n", offset)].strip()

    def apply(self, text):
        return text[:self.offset] + self.new + text[self.offset + len(self.old):]

    def as_dict(self):
        return {"path": self.path, "line": self.line, "column": self.column, "old": self.old, "new": self.new,
                "context": self.context}

    def __str__(self):
        old, new = " ".join(self.old.split()), " ".join(self.new.split())
        change = f"without {old}" if new == ";" else f"{old} -> {new}   in: {self.context}"
        return f"{self.path}:{self.line}:{self.column}: {change}"


def blank(pattern, text):
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def next_number(digits):
    value = int(digits.replace("'", ""), 0)
    return "1" if value == 0 else "0" if value == 1 else str(value + 1)


def closing(code, opening):
    """The position of the parenthesis that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(code)):
        depth += (code[at] == "(") - (code[at] == ")")
        if depth == 0:
            return at
    return None



def find(path, text):
    """Every mutant of a file, in the order of the file."""
    code = blank(SPARED, blank(NOT_CODE, text))
    if path.endswith(".h"):
        code = blank(LAYOUT, code)
    changes = []
    for match in OPERATOR.finditer(code):
        changes.append((match.start(), match.group(), BINARY[match.group()]))
    for match in STEP.finditer(code):
        changes.append((match.start(), match.group(), "--" if match.group() == "++" else "++"))
    for match in NOT.finditer(code):
        changes.append((match.start(), "!", ""))
    for match in CONDITION.finditer(code):
        end = closing(code, match.end() - 1)
        inside = code[match.end():end] if end else ";"
        if ";" not in inside and not DECLARATION.match(inside) and not FLIPPED.match(inside):
            old = text[match.end():end]
            changes.append((match.end(), old, f"!({old})"))
    for match in NUMBER.finditer(code):
        changes.append((match.start(), match.group(), next_number(match.group(1)) + match.group(2)))
    for match in TRUTH.finditer(code):
        changes.append((match.start(), match.group(), "false" if match.group() == "true" else "true"))
    for match in STATEMENT.finditer(code):
        statement = match.group("text")
        if CALL_OR_ASSIGNMENT.match(statement) and not KEYWORD.match(statement):
            changes.append((match.start("text"), text[match.start("text"):match.end("text")], ";"))
    return [Mutant(path, text, *change) for change in sorted(changes)]
