"""plain.c and rows.c become shared libraries in the package; nothing of them is a Python module."""
from cygrad.devices.c_table import headers
from setuptools import Extension, setup

setup(ext_modules=[Extension(f"cygrad_plain._{name}", [f"cygrad_plain/{name}.c"], include_dirs=[headers()],
                             depends=["cygrad_plain/plain.c"], export_symbols=["cygrad_backend"], libraries=["m"])
                   for name in ("plain", "rows")])
