"""`python -m cygrad`: version, build and devices; `python -m cygrad new KIND NAME`: the start of a package."""
import platform
import sys

from cygrad import backends, version


def main():
    """What the command line asks for; returns the exit status."""
    if len(sys.argv) == 1:
        return describe()
    command, _, kind = sys.argv[1].partition("-")                  # new backend NAME, or new-backend NAME
    if command == "new":
        from cygrad import scaffold      # start-up time
        return scaffold.main([kind, *sys.argv[2:]] if kind else sys.argv[2:])
    print("usage: python -m cygrad [new backend|plugin NAME]", file=sys.stderr)
    return 2


def describe():
    """Print what a bug report needs."""
    rows = backends.listing_apart()
    print(f"cygrad {version.cygrad}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    for row in rows:
        for key, value in row["build"].items():
            print(f"{key}: {value}" if row["name"] == "cpu" else f"{row['name']}: {key}: {value}")
    print()
    backends.print_listing(rows)


if __name__ == "__main__":
    sys.exit(main())
