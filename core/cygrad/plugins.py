"""The plug-in Functions on this machine: `python -m cygrad.plugins` lists them with their state.

(`python -m cygrad.backends` does the same for backends.)
"""
from cygrad import functions
from cygrad.devices import entry_points


def listing():
    """One row for each installed function: name, package, version, why it can't be used.

    Returns
    -------
    list of dict
        Keys ``name``, ``package``, ``version``, ``reason`` (empty when usable).
    """
    rows = []
    found = entry_points.find(functions._GROUP)
    for name in sorted(found):
        package, version = entry_points.package_of(found[name][0])
        row = {"name": name, "package": package, "version": version, "reason": ""}
        try:
            getattr(functions, name)
        except Exception as error:
            row["reason"] = str(error)
        rows.append(row)
    return rows


def main():
    """Print the list."""
    entry_points.print_table([("function", "package", "version", "state")] + [
        (row["name"], row["package"], row["version"], row["reason"] or "ready") for row in listing()])


if __name__ == "__main__":
    main()
