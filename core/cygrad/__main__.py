"""`python -m cygrad`: version, build and devices."""
import platform
import sys

import cygrad
from cygrad import discovery
from cygrad.backends import main as list_backends


def main():
    """Print what a bug report needs."""
    cpu = discovery.load("cpu")
    print(f"cygrad {cygrad.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    for name, value in cpu.build_info().items():
        print(f"{name}: {value}")
    print()
    list_backends()


if __name__ == "__main__":
    sys.exit(main())
