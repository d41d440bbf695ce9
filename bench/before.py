"""The costs of some operations at an earlier commit, in instructions, from before.json. They are
counts, because a rate of one machine cannot be compared with one of another. A count holds for the
compiler and the flags that the file names."""
import json
import os


def instructions(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'before.json')) as file:
        return json.load(file)['instructions'][name]
