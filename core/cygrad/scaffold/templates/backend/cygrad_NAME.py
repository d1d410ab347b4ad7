"""The backend NAME for cygrad: ``device="NAME"``, or CYGRAD_BACKEND=NAME for everything."""
from cygrad.backend import Backend


class TITLEBackend(Backend):
    """Memory of the device. What has no kernel here, cygrad composes of other entries or runs on the CPU."""

    interface_version = 1               # of the kernel interface that this is written for, not of cygrad or of this

    def device_count(self):
        """How many devices there are; 0 on a machine without any, never an error."""
        return 1

    def open(self, index):
        """Called once before the first use of a device; an error tells the user what the driver said."""

    def alloc(self, index, nbytes):
        """A buffer: any object of yours. Every call below finds it as `storage.buffer` or `view.buffer`."""
        return bytearray(nbytes)

    def h2d(self, host, storage, start):
        """Copy the bytes of `host` to the device, from byte `start` of the buffer on."""
        storage.buffer[start:start + len(host)] = host

    def d2h(self, storage, start, host):
        """Fill `host` with what lies on the device from byte `start` on, when all work before is done."""
        host[:] = storage.buffer[start:start + len(host)]
