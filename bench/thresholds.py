"""Compares measured rows with thresholds.json."""
import json


def verdict(limit, row):
    """(whether the threshold holds, a text that says why)."""
    if row is None:
        return False, 'not measured'
    low, high = limit.get('ratio_min'), limit.get('ratio_max')
    holds = (low is None or row['ratio'] >= low) and (high is None or row['ratio'] <= high)
    wanted = f'at least {low}' if low is not None else f'at most {high}'
    return holds, f'{row["ratio"]:.3f}, {wanted}'


def hold(path, rows):
    """Prints a line for every threshold. Returns False when a threshold is missed or its figure was
    not measured."""
    with open(path) as file:
        limits = json.load(file)
    measured = {row['name']: row for row in rows}
    missed = 0
    for limit in limits:
        holds, text = verdict(limit, measured.get(limit['name']))
        missed += not holds
        print(f'{"ok    " if holds else "MISSED"} {limit["name"]:28} {text}')
    return missed == 0
