#!/usr/bin/env python3
"""Reads the results that ctest (JUnit) and GoogleTest write. `count FILE...` prints how many tests
passed, failed and were skipped. `failures STAGE=FILE...` prints the tests that failed, each with
the end of its output. ctest reports a part of a test program as one test; that counts only if the
part failed, because GoogleTest reports the cases in it."""

import re
import sys
import xml.etree.ElementTree as tree

MOST_TESTS = 10
MOST_LINES = 40  # printed of a test
MOST_CHARACTERS = 400  # printed of a line
MOST_NAMES = 50  # printed of further tests


def cases(path):
    for case in tree.parse(path).getroot().iter("testcase"):
        if failed(case) or not re.fullmatch(r"\w+_test\.part\d", case.get("name")):
            yield case


def failed(case):
    return case.find("failure") is not None or case.get("status") == "fail"


def count(paths):
    every = [case for path in paths for case in cases(path)]
    bad = sum(map(failed, every))
    skipped = sum(not failed(case) and (case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"))
                  for case in every)
    return len(every) - bad - skipped, bad, skipped


def name_of(case):
    """ctest writes the whole name, twice; GoogleTest writes the suite and the test."""
    name, suite = case.get("name"), case.get("classname")
    return name if suite in (name, None) else f"{suite}.{name}"


def said(case):
    """The lines that ctest or GoogleTest kept: ctest keeps the output of the test, GoogleTest keeps
    its failures."""
    text = case.findtext("system-out") or "\n".join(bad.text or bad.get("message", "") for bad in case.iter("failure"))
    return re.sub(r"\n{2,}", "\n", text).strip().splitlines()


def failures(reports):
    bad = [(stage, case) for stage, path in reports for case in cases(path) if failed(case)]
    for stage, case in bad[:MOST_TESTS]:
        lines = said(case)
        yield (f"---- {stage}: {name_of(case)} failed after {float(case.get('time', 0)):.1f} s and said {len(lines)} lines"
               + (f", the last {MOST_LINES}:" if len(lines) > MOST_LINES else ":"))
        yield from (line[:MOST_CHARACTERS] for line in lines[-MOST_LINES:])
    more = [f"{stage}: {name_of(case)}" for stage, case in bad[MOST_TESTS:]]
    if more:
        yield f"---- {len(more)} more failed: {', '.join(more[:MOST_NAMES])}" + (", ..." if len(more) > MOST_NAMES else "")


if __name__ == "__main__":
    if sys.argv[1] == "count":
        print(*count(sys.argv[2:]))
    else:
        print(*failures(report.split("=", 1) for report in sys.argv[2:]), sep="\n")
