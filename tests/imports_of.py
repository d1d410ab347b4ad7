"""What files import and what an import loads, for tests of packages."""
import ast
import subprocess
import sys


def imports(tree):
    """(module, name or None) of each import in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


def loaded_after(statement):
    """Names of the modules that a process has loaded after a statement."""
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
