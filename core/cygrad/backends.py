"""The backends on this machine: `python -m cygrad.backends` lists them with their state.

``cygrad.backends.NAME`` has the functions about one backend's devices, as ``cygrad.cuda`` has them for CUDA.
``cygrad.backends.cudnn``, ``.mps`` and their kind are PyTorch's switches, which change nothing.
"""
import sys

from cygrad import version as versions
from cygrad.devices import discovery, entry_points
from cygrad.devices.watched_calls import watch  # noqa: F401
from cygrad.dispatch.fallback import counters  # noqa: F401

__path__ = []       # so that `import cygrad.backends.cudnn` asks cygrad.devices.namespaces.find_spec
PATIENCE = 120      # seconds until a backend that is asked in a process of its own counts as hanging
ASKED = """
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from cygrad import backends
print("\\n" + json.dumps(backends.row(sys.argv[1])))
"""


def listing():
    """One row for each installed backend: name, package, version, number of devices, why it can't be used.

    Returns
    -------
    list of dict
        Keys ``name``, ``package``, ``version``, ``devices``, ``names`` (of the devices, where the backend has a
        ``device_name(index)``), ``build`` (what its ``build_info()`` tells, where it has one), ``reason`` (empty when
        usable).
    """
    return list(map(row, installed()))


def installed():
    """The names of all backends, in order."""
    return sorted({"cpu", *entry_points.find(discovery.GROUP)})


def row(name):
    """One backend's row of `listing`."""
    found = empty_row(name)
    try:
        discovery.refuse_name(name)
        backend = discovery.load(name)
        found["devices"] = discovery.count(backend)
        if hasattr(backend, "device_name"):
            found["names"] = list(map(backend.device_name, range(found["devices"])))
        if found["devices"] and hasattr(backend, "build_info"):
            found["build"] = {key: str(value) for key, value in backend.build_info().items()}
        if not found["devices"]:
            found["reason"] = f"no usable device{discovery.absence(backend)}"
    except Exception as error:
        found["reason"] = str(error)
    return found


def empty_row(name):
    """What is known of a backend before it is loaded."""
    points = entry_points.find(discovery.GROUP).get(name)
    package, version = entry_points.package_of(points[0]) if points else ("cygrad", versions.cygrad)
    return {"name": name, "package": package, "version": version, "devices": 0, "names": [], "build": {}, "reason": ""}


def listing_apart():
    """`listing`, each backend asked in a process of its own: one that ends it, or never answers, has a row, too."""
    asked = [(name, ask(name)) for name in installed()]
    return [answer(name, process) for name, process in asked]


def ask(name):
    """Start a process that prints one backend's row as the last line of its output."""
    import json                                                 # start-up time
    import subprocess
    return subprocess.Popen([sys.executable, "-c", ASKED, name, json.dumps(sys.path)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


def answer(name, process):
    """The row that a process of `ask` printed, or one that says how the process ended."""
    import json                                                 # start-up time
    import subprocess
    try:
        printed, said = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return empty_row(name) | {"reason": f"did not answer within {PATIENCE} s of being loaded"}
    try:
        return json.loads(printed.splitlines()[-1])
    except (IndexError, ValueError):
        last = f": {said.strip().splitlines()[-1]}" if said.strip() else ""
        return empty_row(name) | {"reason": f"{how_it_ended(process.returncode)} while it was loaded{last}"}


def how_it_ended(status):
    """A process's exit status in words."""
    if status >= 0:
        return f"ended the process with status {status}"
    import signal                                               # start-up time
    return f"ended the process by {signal.Signals(-status).name}"


def __getattr__(name):
    """The namespace of an installed backend, or the switches of a library that PyTorch uses."""
    from cygrad.devices import library_switches                         # start-up time
    from cygrad.devices.namespaces import KNOWN, namespace      # start-up time
    if name in library_switches.SWITCHES:
        return library_switches.module(name)
    if name in KNOWN or not name.startswith("_") and name in entry_points.find(discovery.GROUP):
        return namespace(name)
    raise AttributeError(f"module 'cygrad.backends' has no attribute {name!r}")


def _ready(names):
    return "ready: " + ", ".join(names) if names else "ready"


def main():
    """Print the list."""
    print_listing(listing_apart())


def print_listing(rows):
    """Print rows of `listing` as a table."""
    entry_points.print_table([("backend", "package", "version", "devices", "state")] + [
        (row["name"], row["package"], row["version"], str(row["devices"]), row["reason"] or _ready(row["names"]))
        for row in rows])


if __name__ == "__main__":
    main()
