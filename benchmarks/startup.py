"""What a library costs before the first tensor: seconds to import it, memory after that, megabytes on disk.

Every import runs in a fresh interpreter, the libraries in turn, and the median counts. NumPy is measured too, since
cygrad and PyTorch import it.
"""

import argparse
import statistics
import subprocess
import sys
from importlib import metadata

SCRIPT = """
import sys, time
start = time.perf_counter()
for name in {names!r}: __import__(name)
seconds = time.perf_counter() - start
try:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
except ImportError:
    peak = float("nan")
print(seconds, peak)
"""
IMPORTS = {"NumPy": ["numpy"], "cygrad": ["numpy", "cygrad"], "PyTorch": ["numpy", "torch"]}


def start(names):
    """Seconds to import the modules and MiB of memory afterwards, in a fresh interpreter."""
    result = subprocess.run([sys.executable, "-c", SCRIPT.format(names=names)], capture_output=True, text=True)
    return [float(number) for number in result.stdout.split()] if result.returncode == 0 else None


def installed_megabytes(name):
    """Size of an installed distribution's files, without what it depends on."""
    try:
        files = metadata.files(name) or []
    except metadata.PackageNotFoundError:
        return None
    return sum(file.locate().stat().st_size for file in files if file.locate().exists()) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11, help="imports of each library (default: %(default)s)")
    rounds = [{name: start(modules) for name, modules in IMPORTS.items()} for _ in range(parser.parse_args().rounds)]
    print("| library | import | beyond NumPy | memory | on disk |\n|---|---|---|---|---|")
    for name, modules in IMPORTS.items():
        if rounds[0][name] is None:
            print(f"| {name} | not installed | | | |")
            continue
        seconds = statistics.median(each[name][0] for each in rounds)
        beyond = statistics.median(each[name][0] - each["NumPy"][0] for each in rounds)
        memory = statistics.median(each[name][1] for each in rounds)
        size = installed_megabytes(modules[-1])
        disk = f"{size:.1f} MB" if size else "not from a wheel"
        print(f"| {name} | {seconds * 1e3:.0f} ms | {beyond * 1e3:.0f} ms | {memory:.0f} MiB | {disk} |")


if __name__ == "__main__":
    main()
