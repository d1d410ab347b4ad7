"""Inner loops: each .pyx here is compiled once for each instruction set (setup.py)."""
