"""Cython finds `cygrad`'s declarations (.pxd) where cygrad is installed."""
from Cython.Build import cythonize
from setuptools import setup

setup(ext_modules=cythonize("cygrad_loops/backend.pyx", language_level=3))
