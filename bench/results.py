"""The results: their shape, the file that keeps them, and the table that is printed."""
import json
import os
import statistics


def row(name, unit, runs):
    """The result of several rounds; each round is {'ours': x, 'reference': y}."""
    def median(values):
        return statistics.median(list(values))
    return {'name': name, 'ours': median(r['ours'] for r in runs), 'reference': median(r['reference'] for r in runs),
            'ratio': median(r['ours'] / r['reference'] for r in runs), 'unit': unit, 'runs': runs}


def load(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)


def merge(path, rows):
    """Replaces the rows of the file that have these names; keeps the other rows and their order."""
    kept = {r['name']: r for r in load(path)}
    kept.update({r['name']: r for r in rows})
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    partial = path + '.new'
    with open(partial, 'w') as file:
        json.dump(list(kept.values()), file, indent=1)
        file.write('\n')
    os.replace(partial, path)


def number(value):
    for limit, digits in ((10, 3), (100, 2), (1000, 1)):
        if abs(value) < limit:
            return f'{value:.{digits}f}'
    return f'{value:,.0f}'


def span(values):
    values = list(values)
    return f'[{number(min(values))}–{number(max(values))}]'


def print_table(table, congestion, cpus):
    """`table`: (result, mode) pairs."""
    print(f'medians [min–max]; congestion control {congestion}; CPUs {cpus[0]} and {cpus[-1]}')
    lines = [('name', 'ours', '', 'reference', '', '×', 'unit', 'mode')]
    for result, mode in table:
        runs = result['runs']
        ratios = [r['ours'] / r['reference'] for r in runs]
        lines.append((result['name'], number(result['ours']), span(r['ours'] for r in runs), number(result['reference']),
                      span(r['reference'] for r in runs), f'{result["ratio"]:.3f} {span(ratios)}', result['unit'], mode))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        print('  '.join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
