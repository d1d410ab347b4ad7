"""What each rank of this host is doing, in memory that all of them see: so that errors can say who is missing and why.

A rank writes its own slot and reads those of others. Nothing waits for it and no result depends on it; a slot read
while it is written gives a garbled text at worst.
"""
import hashlib
import mmap
import os
import socket
import struct
import tempfile

__all__ = ["FAILED", "LEFT", "LEAVING", "RUNNING", "Board"]

SLOT = 512                          # bytes of a rank
PATH = 256                          # and of the file's name
HEAD = struct.Struct("<BIH")        # state, process, length of the text
RUNNING, FAILED, LEAVING, LEFT = 1, 2, 3, 4


class Board:
    """
    Slots of all ranks; only those on this host are ever written.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        Of all processes, whose ranks number the slots.
    MPI : module
    wait : callable
        Waits for a request.
    """

    def __init__(self, world, MPI, wait):
        self.rank, self.pid = world.rank, os.getpid()

        def of_all(own):
            """What each rank says, all as many bytes."""
            found = bytearray(world.size * len(own))
            wait(world.Iallgather([own, MPI.BYTE], [found, len(own), MPI.BYTE]))
            return [bytes(found[i * len(own):(i + 1) * len(own)]) for i in range(world.size)]

        place = this_host()
        self.here = {rank for rank, other in enumerate(of_all(place)) if other == place}
        first = world.rank == min(self.here)
        own = make_file(world.size * SLOT).encode() if first else b""
        path = of_all(own.ljust(PATH, b"\0"))[min(self.here)].rstrip(b"\0").decode()
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), world.size * SLOT)
        self.write(RUNNING, "")
        wait(world.Ibarrier())
        if first:
            os.unlink(path)
            forget_names_of_mpi()
        # Containers may share memory but not the numbers of processes: then nobody is called dead.
        said = of_all(bytes([all(map(self.is_process, self.here))]))
        self.sees_processes = all(said[rank] == b"\1" for rank in self.here)

    def write(self, state, text):
        """Say what this rank is doing."""
        words = text.encode("utf-8", "replace")[:SLOT - HEAD.size]
        start = self.rank * SLOT
        self.memory[start:start + HEAD.size + len(words)] = HEAD.pack(state, self.pid, len(words)) + words

    def read(self, rank):
        """(state, process, text) of a rank; state 0 of one on another host."""
        start = rank * SLOT
        state, pid, length = HEAD.unpack_from(self.memory, start)
        text = self.memory[start + HEAD.size:start + HEAD.size + length].decode("utf-8", "replace")
        return state, pid, text

    def is_process(self, rank):
        """Whether a rank's process is there and not at its end."""
        pid = self.read(rank)[1]
        if os.name != "posix":
            return True
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
        except OSError:
            return True

    def gone(self, rank):
        """Why a rank will not answer any more, or None."""
        if rank not in self.here:
            return None
        state, pid, text = self.read(rank)
        if state == FAILED:
            return f"failed ({text})"
        if state in (LEAVING, LEFT):
            return "has left the program"
        if self.sees_processes and not self.is_process(rank):
            return f"(process {pid}) died" + (f" in {text}" if text else "")
        return None

    def ended(self, rank):
        """Whether a rank will do nothing more that others could wait for."""
        state = self.read(rank)[0]
        return state in (FAILED, LEFT) or self.sees_processes and not self.is_process(rank)

    def doing(self, rank):
        """What a rank is doing, in words."""
        if rank not in self.here:
            return "is on another host"
        return self.gone(rank) or self._call(rank)

    def _call(self, rank):
        text = self.read(rank)[2]
        return f"is in {text}" if text else "is in no collective"


def shared_folder():
    """Where files are that ranks of this host see: in memory, where the system has that."""
    return "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()


def this_host():
    """32 bytes that are the same for processes that see one `shared_folder`: of one system, and one file system."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            system = file.read().strip()
    except OSError:
        system = socket.gethostname()
    return hashlib.sha256(f"{system} {os.stat(shared_folder()).st_dev}".encode()).digest()


def make_file(size):
    """The name of a new file of this size in the `shared_folder`."""
    handle, path = tempfile.mkstemp(prefix="cygrad-", dir=shared_folder())
    os.ftruncate(handle, size)
    os.close(handle)
    return path


def forget_names_of_mpi():
    """Unlink the file that MPICH has mapped on this host, which it does itself only at an end without failures: what a
    killed program left in memory (3 MB a time) stayed until the system's next start."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            names = {line.split()[-1] for line in file if "/mpich_shm_" in line}
        for name in names:
            os.unlink(name)
    except OSError:
        pass                    # another system, or it is not called so any more
