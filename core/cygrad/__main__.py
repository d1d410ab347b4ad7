"""`python -m cygrad`: version, build and devices; `python -m cygrad new KIND NAME`: the start of a package."""
import platform
import sys

import cygrad
from cygrad.backends import main as list_backends
from cygrad.devices import discovery


def main():
    """What the command line asks for; returns the exit status."""
    if len(sys.argv) == 1:
        return describe()
    command, _, kind = sys.argv[1].partition("-")                  # new backend NAME, or new-backend NAME
    if command == "new":
        from cygrad import scaffold
        return scaffold.main([kind, *sys.argv[2:]] if kind else sys.argv[2:])
    print("usage: cygrad [new KIND NAME]", file=sys.stderr)
    return 2


def describe():
    """Print what a bug report needs."""
    cpu = discovery.load("cpu")
    print(f"cygrad {cygrad.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    for name, value in cpu.build_info().items():
        print(f"{name}: {value}")
    print()
    list_backends()


if __name__ == "__main__":
    sys.exit(main())
