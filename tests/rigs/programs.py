"""The programs under test. ULNET_BIN names the folders that have them, separated by colons, as CMake's tests set it; without it they are
those of the release build."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = os.environ.get('ULNET_BIN', f'{ROOT}/build/release/bin:{ROOT}/build/release/tests/bin').split(':')


def program(name):
    """The path of a program of ours; of one that was not built, where it would be."""
    paths = [os.path.abspath(os.path.join(folder, name)) for folder in FOLDERS]
    return next((path for path in paths if os.access(path, os.X_OK)), paths[0])
