"""What some operations cost before, in instructions, from before.json. They are kept as counts since a rate of one machine says nothing
about another; a count is that of the compiler and the flags that the file names."""
import json
import os


def instructions(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'before.json')) as file:
        return json.load(file)['instructions'][name]
