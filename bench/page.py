"""Writes the table of the page of figures, between its two marks, from the figures of one run and
their thresholds."""
import datetime
import json
import os
import platform

import results
import thresholds

BEGIN, END = '<!-- figures -->', '<!-- end of figures -->'


def asked(limit):
    if limit is None:
        return ''
    return f'≥ {limit["ratio_min"]}' if 'ratio_min' in limit else f'≤ {limit["ratio_max"]}'


def table(rows, limits, modes):
    """The table as lines of Markdown: a row for each figure that has a threshold or was
    measured."""
    measured = {row['name']: row for row in rows}
    lines = ['| figure | ours | reference | × | asked | | unit | |', '|---|---:|---:|---:|---:|---|---|---|']
    for name, mode in modes.items():
        row, limit = measured.get(name), limits.get(name)
        if row is None and limit is None:
            continue
        if row is None:
            lines.append(f'| `{name}` | | | | {asked(limit)} | not measured | | {mode} |')
            continue
        state = '' if limit is None else 'reached' if thresholds.verdict(limit, row)[0] else '**missed**'
        lines.append(f'| `{name}` | {results.number(row["ours"])} | {results.number(row["reference"])} | {row["ratio"]:.3f} | '
                     f'{asked(limit)} | {state} | {row["unit"]} | {mode} |')
    return lines


def write(path, rows, modes):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'thresholds.json')) as file:
        limits = {limit['name']: limit for limit in json.load(file)}
    with open(path) as file:
        before, rest = file.read().split(BEGIN)
    _, after = rest.split(END)
    said = f'Measured in one run of one build on {datetime.date.today()}, {os.cpu_count()} CPUs ({platform.machine()}).'
    with open(path, 'w') as file:
        file.write('\n'.join([before + BEGIN, said, '', *table(rows, limits, modes), END + after]))
