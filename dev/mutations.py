"""Finds small changes to make in a C++ file that clang-format has formatted: to comparisons, + and
-, && and ||, negations and numbers, and statements to leave out. Some changes do not compile; the
compiler shows that. Assertions and log lines are not changed, because they are not the function of
the program. Code that only runs when a bug is planted (src/lnet/base/canary.h) is not changed
either."""

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
# A planted bug: false except in the programs of tests/sim/planted.
CANARY = re.compile(r"(?P<not>!?)ULNET_CANARY\(\w+\)")
ADDED_TO_CANARY = re.compile(r"[+-](?= ULNET_CANARY\()")
OPERAND_EDGE = re.compile(r"&&|\|\||(?<!:):(?!:)|(?<= )=(?= )|\breturn\b|[;,?]")
CALL_OR_ASSIGNMENT = re.compile(r"^(?:\+\+|--)|^[\w.>:\[\]()*-]+(?:\(| (?:[+|&-]?=) |\+\+;|--;)")
# A planted bug: the constant false except in the programs of tests/sim/planted.
CANARY = re.compile(r"(?P<not>!?)ULNET_CANARY\(\w+\)")
OPERAND_ENDS = re.compile(r"&&|\|\||[;,?{}]|(?<!:):(?!:)|(?<= )=(?= )|\breturn\b")
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


def operand_end(code, at):
    """The end of the operand of && or || that begins at `at`."""
    depth = 0
    while at < len(code) and (depth > 0 or not (code[at] in ")]}" or OPERAND_EDGE.match(code, at))):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        at += 1
    return at


def operand_begin(code, at):
    """The beginning of the operand of && or || that ends before `at`."""
    depth = 0
    while at > 0:
        at -= 1
        edge = OPERAND_EDGE.match(code, at)
        if depth == 0 and (code[at] in "([{" or edge):
            return edge.end() if edge else at + 1
        depth += (code[at] in ")]}") - (code[at] in "([{")
    return at


def statement_end(code, at):
    """The end of the statement that begins at `at`."""
    depth = 0
    for end in range(at, len(code)):
        depth += (code[end] in "([{") - (code[end] in ")]}")
        if depth == 0 and code[end] in ";}":
            return end
    return len(code)


def of_planted_bugs(code):
    """(begin, end) of the code without an effect while ULNET_CANARY is false: the other operands of
    && (of || after a negation), the statement or value that it guards, and + and - before it."""
    for canary in CANARY.finditer(code):
        operator = r"\s*\|\|\s*" if canary["not"] else r"\s*&&\s*"
        begin, end = canary.span()
        while follows := re.compile(operator).match(code, end):
            end = operand_end(code, follows.end())
            yield follows.end(), end
        while precedes := re.search(f"{operator}$", code[:begin]):
            begin = operand_begin(code, precedes.start())
            yield begin, precedes.start()
        if canary["not"]:
            continue
        if choice := re.compile(r"\s*\?").match(code, end):
            yield choice.end(), operand_end(code, choice.end())
        if re.search(r"\bif \($", code[:begin]) and code[end:end + 1] == ")":
            yield end + 1, statement_end(code, end + 1)
    for match in ADDED_TO_CANARY.finditer(code):
        yield match.span()


def find(path, text):
    """Every mutant of a file, in the order of the file."""
    code = blank(SPARED, blank(NOT_CODE, text))
    for begin, end in [*of_planted_bugs(code)]:
        code = code[:begin] + re.sub(r"[^\n]", " ", code[begin:end]) + code[end:]
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
