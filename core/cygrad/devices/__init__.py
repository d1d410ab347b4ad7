"""Devices: what names them, which backends there are, the home device, bytes on their way between devices."""
