"""plain.c becomes a shared library in the package; nothing of it is a Python module."""
from cygrad.devices.c_table import headers
from setuptools import Extension, setup

setup(ext_modules=[Extension("cygrad_plain._plain", ["cygrad_plain/plain.c"], include_dirs=[headers()],
                             export_symbols=["cygrad_backend"], libraries=["m"])])
