"""The backends on this machine: `python -m cygrad.backends` lists them with their state.

``cygrad.backends.NAME`` has the functions about one backend's devices, as ``cygrad.cuda`` has them for CUDA.
"""
from cygrad.devices import discovery, entry_points
from cygrad.dispatch.fallback import counters  # noqa: F401


def listing():
    """One row for each installed backend: name, package, version, number of devices, why it can't be used.

    Returns
    -------
    list of dict
        Keys ``name``, ``package``, ``version``, ``devices``, ``names`` (of the devices, where the backend has a
        ``device_name(index)``), ``reason`` (empty when usable).
    """
    from cygrad import __version__
    rows = []
    found = entry_points.find(discovery.GROUP)
    for name in sorted({"cpu", *found}):
        package, version = entry_points.package_of(found[name][0]) if name in found else ("cygrad", __version__)
        row = {"name": name, "package": package, "version": version, "devices": 0, "names": [], "reason": ""}
        try:
            backend = discovery.load(name)
            row["devices"] = discovery.count(backend)
            if hasattr(backend, "device_name"):
                row["names"] = [backend.device_name(index) for index in range(row["devices"])]
            if not row["devices"]:
                row["reason"] = f"no usable device{discovery.absence(backend)}"
        except Exception as error:
            row["reason"] = str(error)
        rows.append(row)
    return rows


def __getattr__(name):
    """The namespace of an installed backend."""
    from cygrad.devices.namespaces import KNOWN, namespace
    if name in KNOWN or not name.startswith("_") and name in entry_points.find(discovery.GROUP):
        return namespace(name)
    raise AttributeError(f"module 'cygrad.backends' has no attribute {name!r}")


def _ready(names):
    return "ready: " + ", ".join(names) if names else "ready"


def main():
    """Print the list."""
    entry_points.print_table([("backend", "package", "version", "devices", "state")] + [
        (row["name"], row["package"], row["version"], str(row["devices"]), row["reason"] or _ready(row["names"]))
        for row in listing()])


if __name__ == "__main__":
    main()
