"""Runs the public suite of the array API standard on `cygrad.array_api`: `python tools/array_api_suite.py [FOLDER]`.

FOLDER holds a clone of https://github.com/data-apis/array-api-tests with its submodule; without it, one is made in a
temporary folder. Further options go to pytest: `-k linalg`, `--max-examples 20` (5 by default), `--hypothesis-seed 1`.
`--module numpy` runs it on another library, to compare.
"""
import os
import subprocess
import sys
import tempfile

SOURCE = "https://github.com/data-apis/array-api-tests"


def clone(folder):
    """Fetch the suite and the standard's text, from which it takes names, signatures and special cases."""
    subprocess.run(["git", "clone", "--depth", "1", "--recurse-submodules", "--shallow-submodules", SOURCE, folder],
                   check=True)


def run(folder, options):
    """The suite's exit status."""
    options = options if "--max-examples" in options else ["--max-examples", "5", *options]
    module = "cygrad.array_api"
    if "--module" in options:
        at = options.index("--module")
        module, options = options[at + 1], options[:at] + options[at + 2:]
    command = [sys.executable, "-m", "pytest", "-q", "--disable-deadline", "--tb=short", "-p", "no:cacheprovider",
               *options]
    environment = {**os.environ, "ARRAY_API_TESTS_MODULE": module}
    return subprocess.run(command, cwd=folder, env=environment).returncode


def main(arguments):
    if arguments and not arguments[0].startswith("-"):
        return run(arguments[0], arguments[1:])
    with tempfile.TemporaryDirectory() as folder:
        clone(folder)
        return run(folder, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
