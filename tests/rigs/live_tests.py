"""Prints the live tests for CMake, a line each: MODULE.CLASS, then the properties that ctest gets. A class of a file *_test.py is a test
when it has tests or is derived from a class of its file that has some; a class without a base only lends its tests. CTEST, in the class
or in the file, names properties: labels as in CMake, COST in seconds, RUN_SERIAL, PROCESSORS; SANITIZED: 0 keeps it out of sanitizer builds.

    python3 -m tests.rigs.live_tests FILE..."""
import ast
import os
import sys


def has_tests(node, classes):
    """Whether the class has tests of its own, or through bases in its file."""
    return (any(isinstance(part, ast.FunctionDef) and part.name.startswith('test') for part in node.body)
            or any(has_tests(classes[base.id], classes) for base in node.bases if isinstance(base, ast.Name) and base.id in classes))


def properties_in(node):
    return next((ast.literal_eval(part.value) for part in node.body
                 if isinstance(part, ast.Assign) and getattr(part.targets[0], 'id', '') == 'CTEST'), {})


def main(paths):
    for path in paths:
        with open(path, encoding='utf-8') as file:
            tree = ast.parse(file.read())
        classes = {part.name: part for part in tree.body if isinstance(part, ast.ClassDef)}
        module = os.path.relpath(path).removesuffix('.py').replace('/', '.')
        for name, node in classes.items():
            if node.bases and has_tests(node, classes):
                properties = {**properties_in(tree), **properties_in(node)}
                print(f'{module}.{name}', *(word for pair in properties.items() for word in pair))


main(sys.argv[1:])
