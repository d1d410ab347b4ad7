"""`TCPStore`: keys and values that one process keeps, and others reach over the network."""
import errno
import socket
import struct
import threading
import time
from datetime import timedelta

from cygrad.distributed.errors import DistNetworkError, DistStoreError
from cygrad.distributed.store import HIDDEN, STEP, KeyStore

__all__ = ["TCPStore"]


class TCPStore(KeyStore):
    """
    A store that one process keeps and others reach over the network.

    Parameters
    ----------
    host_name : str
        Of the process that keeps it.
    port : int
        0: any that is free; `port` says which.
    world_size : int, optional
        How many processes use it, the one that keeps it included.
    is_master : bool
        Keep it here.
    timeout : timedelta
        Of its calls, and to reach it.
    wait_for_workers : bool
        Where it is kept: wait until `world_size` processes are there.
    multi_tenant : bool
        Several stores of this process keep one and the same at this port.
    master_listen_fd : int, optional
        A socket that is bound already, to listen on; with `use_libuv=False`, as in PyTorch.
    use_libuv : bool
        Of no other effect: there is one way of keeping it.

    Raises
    ------
    ValueError
        If `world_size` is 0.
    DistNetworkError
        If it can't be reached within the timeout, or the port is in use.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> store = dist.TCPStore("localhost", 0, 1, is_master=True)
    >>> store.add("count", 3), dist.TCPStore("localhost", store.port).add("count", 4)
    (3, 7)
    """

    def __init__(self, host_name, port, world_size=None, is_master=False, timeout=timedelta(seconds=300),
                 wait_for_workers=True, multi_tenant=False, master_listen_fd=None, use_libuv=True):
        super().__init__()
        if world_size == 0:
            raise ValueError("TCPStore world size cannot be 0")
        if use_libuv and master_listen_fd is not None:
            raise NotImplementedError("The libuv TCPStore backend does not support initialization with an listen fd")
        self.timeout, self.host, self._lock, self.libuvBackend = timeout, host_name, threading.RLock(), use_libuv
        self._server = _Server.shared(port, multi_tenant, master_listen_fd) if is_master else None
        self.port = self._server.port if is_master else port
        self._connection = self._reach(timeout.total_seconds())
        if wait_for_workers and world_size:
            self.own_keys = 1
            self._wait_for_all(world_size)

    late = "wait timeout"           # PyTorch's words for this store

    def __repr__(self):
        def address(pair):
            return f"{self.host if pair[0].startswith('127.') or pair[0] == '::1' else pair[0]}:{pair[1]}"
        own = self._connection
        server = f"TCPServer(port={self.port})" if self._server is not None else "<nullptr>"
        return (f"TCPStore(client=TCPClient(SocketImpl(fd={own.fileno()}, addr={address(own.getsockname())}, "
                f"remote={address(own.getpeername())})), server={server})")

    def _reach(self, seconds):
        until = time.monotonic() + seconds
        while True:
            try:
                connection = socket.create_connection((self.host, self.port), timeout=max(seconds, 0.1))
                connection.settimeout(None)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection
            except OSError as error:
                if time.monotonic() > until:
                    raise DistNetworkError(f"The client socket has timed out after {seconds * 1000:.0f}ms while trying "
                                           f"to connect to ({self.host}, {self.port}): {error}") from error
                time.sleep(0.05)

    def _wait_for_all(self, count):
        self.add(HIDDEN + "here", 1)
        if self._server is None:
            return
        until = time.monotonic() + self.timeout.total_seconds()
        while int(self._read(HIDDEN + "here") or 0) < count:
            if time.monotonic() > until:
                raise DistStoreError(f"Timed out after {self.timeout.total_seconds():g} seconds waiting for clients. "
                                     f"{self._read(HIDDEN + 'here').decode()}/{count} clients joined.")
            time.sleep(STEP)

    def _ask(self, *parts):
        with self._lock:
            try:
                send(self._connection, parts)
                return receive(self._connection)
            except OSError as error:
                raise DistNetworkError(f"the store at {self.host}:{self.port} is gone: {error}") from error

    def _read(self, key):
        there, *value = self._ask(b"read", key.encode())
        return value[0] if there else None

    def _keys(self):
        return [key.decode() for key in self._ask(b"keys")]

    def _change(self, key, change):
        while True:                     # tried again if another process was faster
            old = self._read(key)
            new = change(old)
            parts = [b"" if each is None else b"=" + each for each in (old, new)]
            if self._ask(b"swap", key.encode(), *parts)[0]:
                return new

    def close(self):
        """Leave, and stop keeping it."""
        self._connection.close()
        if self._server is not None:
            self._server.close()

    def __del__(self):
        if "_connection" in self.__dict__:
            self.close()


COUNT, LENGTH = struct.Struct("<I"), struct.Struct("<Q")


def send(connection, parts):
    """Write several runs of bytes: first how many, then each behind its length."""
    connection.sendall(COUNT.pack(len(parts)) + b"".join(LENGTH.pack(len(part)) + part for part in parts))


def receive(connection):
    """The runs of bytes that the other side gave to `send`."""
    def exactly(count):
        found = bytearray()
        while len(found) < count:
            part = connection.recv(count - len(found))
            if not part:
                raise ConnectionError("the other side has closed the connection")
            found += part
        return bytes(found)
    return [exactly(LENGTH.unpack(exactly(LENGTH.size))[0]) for _ in range(COUNT.unpack(exactly(COUNT.size))[0])]


class _Server:
    """Keeps the values of a TCPStore; a thread for each process that uses it."""

    ports = {}          # {port: server} of those that several stores of this process may keep

    @classmethod
    def shared(cls, port, multi_tenant, listening):
        """The server of a port: that of another store, if both may share it."""
        made = cls.ports.get(port) if multi_tenant else None
        if made is None:
            made = cls(port, listening)
            if multi_tenant:
                cls.ports[made.port] = made
        made.users += 1
        return made

    def __init__(self, port, listening=None):
        self.values, self.lock, self.users = {}, threading.Lock(), 0
        if listening is not None:
            self.listening = socket.socket(fileno=listening)
            self.listening.listen(1024)
        else:
            self.listening = self._bound(port)
        self.port, self.connections = self.listening.getsockname()[1], []
        threading.Thread(target=self._accept, daemon=True, name="cygrad-store").start()

    @staticmethod
    def _bound(port):
        try:
            return socket.create_server(("", port), backlog=1024)
        except OSError as error:
            raise DistNetworkError(
                f"The server socket has failed to listen on any local network address. port: {port}, useIpv6: false, "
                f"code: -{error.errno}, name: {errno.errorcode.get(error.errno)}, message: {error.strerror}") from error

    def _accept(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True, name="cygrad-store").start()

    def _serve(self, connection):
        try:
            while True:
                send(connection, self._answer(*receive(connection)))
        except (OSError, struct.error, ValueError, TypeError):
            connection.close()

    def _answer(self, what, key=b"", old=b"", new=b""):
        with self.lock:
            if what == b"read":
                return [b"1", self.values[key]] if key in self.values else [b""]
            if what == b"keys":
                return list(self.values)
            now = b"=" + self.values[key] if key in self.values else b""
            if now != old:
                return [b""]
            if new:
                self.values[key] = new[1:]
            else:
                self.values.pop(key, None)
            return [b"1"]

    def close(self):
        self.users -= 1
        if self.users > 0:
            return
        self.ports.pop(self.port, None)
        self.listening.close()
        for connection in self.connections:
            connection.close()
