"""The backends on this machine: `python -m cygrad.backends` lists them with their state."""
from cygrad import discovery
from cygrad.fallback import counters  # noqa: F401


def _package_version(point):
    return point.dist.version if getattr(point, "dist", None) is not None else ""


def listing():
    """One row for each installed backend: name, package, version, number of devices, why it can't be used.

    Returns
    -------
    list of dict
        Keys ``name``, ``package``, ``version``, ``devices``, ``reason`` (empty when usable).
    """
    rows = []
    points = discovery.entry_points()
    for name in sorted({"cpu", *points}):
        row = {"name": name, "package": "cygrad_cpu", "version": "", "devices": 0, "reason": ""}
        if name in points:
            row["package"], row["version"] = points[name].value.partition(":")[0], _package_version(points[name])
        try:
            backend = discovery.load(name)
            row["devices"] = discovery.count(backend)
            if not row["devices"]:
                row["reason"] = "no usable device"
        except Exception as error:
            row["reason"] = str(error)
        rows.append(row)
    return rows


def main():
    """Print the list."""
    print(f"{'backend':<12}{'package':<20}{'version':<12}{'devices':<9}state")
    for row in listing():
        print(f"{row['name']:<12}{row['package']:<20}{row['version']:<12}{row['devices']:<9}{row['reason'] or 'ready'}")


if __name__ == "__main__":
    main()
