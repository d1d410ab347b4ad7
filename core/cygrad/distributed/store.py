"""Stores: keys and values that several processes share, to meet and to count each other.

MPI needs none to begin; programs that were written for PyTorch use them for what is theirs. Values are bytes; a missing
key is waited for. `HashStore` is for threads of one process, `FileStore` for processes that see one file, `TCPStore`
for those that reach one address; `PrefixStore` keeps users of one store apart.
"""
import os
import socket
import struct
import threading
import time
from datetime import timedelta

try:
    import fcntl            # optional dependency: not on Windows
except ImportError:
    fcntl = None

from cygrad.distributed.errors import DistNetworkError, DistStoreError, QueueEmptyError

__all__ = ["FileStore", "HashStore", "PrefixStore", "Store", "TCPStore"]

STEP = 0.01         # seconds between looks at a file
HIDDEN = "\0"        # keys that begin so are the stores' own


def as_bytes(value):
    """A value as it is kept: text in UTF-8, bytes as they are."""
    return value.encode() if isinstance(value, str) else bytes(value)


class Store:
    """
    What all stores have in common, over four entries: `_read`, `_change`, `_keys` and `_pause`.

    Attributes
    ----------
    timeout : timedelta
        How long `get` and `wait` wait; five minutes at first.
    """

    def __init__(self):
        self.timeout = timedelta(seconds=300)

    # ------------------------------------------------------------ entries of each store

    def _read(self, key):
        """The value of a key, or None."""
        raise NotImplementedError

    def _change(self, key, change):
        """Set a key to `change(value or None)` (None: delete it) while nobody else reads or writes; the new value."""
        raise NotImplementedError

    def _keys(self):
        raise NotImplementedError

    def _pause(self, seconds):
        """Wait so long, or until something has changed."""
        time.sleep(min(seconds, STEP))

    # ------------------------------------------------------------ what users call

    def set_timeout(self, timeout):
        """How long `get` and `wait` wait from now on, a timedelta."""
        self.timeout = timeout

    def set(self, key, value):
        """Set a key to a text or bytes."""
        value = as_bytes(value)
        self._change(key, lambda _: value)

    def get(self, key):
        """
        The bytes of a key, which is waited for.

        Parameters
        ----------
        key : str

        Returns
        -------
        bytes

        Raises
        ------
        DistStoreError
            If it is not there within the timeout.
        """
        self.wait([key])
        found = self._read(key)
        return self.get(key) if found is None else found

    def add(self, key, amount):
        """Add a number to that of a key, 0 at first; the sum."""
        return int(self._change(key, lambda old: str(int(old or 0) + amount).encode()))

    def append(self, key, value):
        """Put bytes behind those of a key."""
        value = as_bytes(value)
        self._change(key, lambda old: (old or b"") + value)

    def compare_set(self, key, expected_value, desired_value):
        """
        Set a key if it has the value that is expected; one that is not there, if none is.

        Parameters
        ----------
        key, expected_value, desired_value : str

        Returns
        -------
        bytes
            Its value now; the expected one, where there is none.
        """
        expected, desired = as_bytes(expected_value), as_bytes(desired_value)
        if self._read(key) is None and expected:
            return expected
        return self._change(key, lambda old: desired if (old or b"") == expected else old)

    def check(self, keys):
        """Whether all these keys are there."""
        return all(self._read(key) is not None for key in keys)

    def wait(self, keys, timeout=None):
        """
        Wait for keys.

        Parameters
        ----------
        keys : list of str
        timeout : timedelta, optional
            The store's otherwise.

        Raises
        ------
        DistStoreError
            If one is not there in time.
        """
        seconds = (self.timeout if timeout is None else timeout).total_seconds()
        until = time.monotonic() + seconds
        while not self.check(keys):
            left = until - time.monotonic()
            if left <= 0:
                raise DistStoreError(f"Wait timeout after {seconds * 1000:.0f}ms, keys: /{', /'.join(keys)}")
            self._pause(left)

    def delete_key(self, key):
        """Forget a key; whether it was there."""
        there = []
        self._change(key, lambda old: there.append(old is not None))
        return there[0]

    def num_keys(self):
        """How many keys there are."""
        return len(self.list_keys())

    def list_keys(self):
        """The keys."""
        return sorted(key for key in self._keys() if not key.startswith(HIDDEN))

    def multi_get(self, keys):
        """The values of several keys."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys, values):
        """Set several keys."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def has_extended_api(self):
        """Whether `append`, `multi_get` and `multi_set` are there: always."""
        return True

    def queue_push(self, key, value):
        """Put a value at the end of a queue."""
        self.set(f"{HIDDEN}{key}/{self.add(f'{HIDDEN}{key}/pushed', 1)}", value)

    def queue_pop(self, key, block=True):
        """The first value of a queue, which is taken away; waits for one, or raises QueueEmptyError."""
        if not block and self.queue_len(key) < 1:
            raise QueueEmptyError(f"queue is empty: {key}")
        name = f"{HIDDEN}{key}/{self.add(f'{HIDDEN}{key}/popped', 1)}"
        found = self.get(name)
        self.delete_key(name)
        return found

    def queue_len(self, key):
        """How many values a queue has."""
        return self.add(f"{HIDDEN}{key}/pushed", 0) - self.add(f"{HIDDEN}{key}/popped", 0)


class HashStore(Store):
    """
    A store of one process, for its threads.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> store = dist.HashStore()
    >>> store.set("key", "value")
    >>> store.get("key"), store.add("count", 2), store.num_keys()
    (b'value', 2, 2)
    """

    def __init__(self):
        super().__init__()
        self._values, self._changed = {}, threading.Condition()

    def _read(self, key):
        return self._values.get(key)

    def _change(self, key, change):
        with self._changed:
            value = change(self._values.get(key))
            if value is None:
                self._values.pop(key, None)
            else:
                self._values[key] = value
            self._changed.notify_all()
            return value

    def _keys(self):
        return list(self._values)

    def _pause(self, seconds):
        with self._changed:
            self._changed.wait(min(seconds, STEP))


class FileStore(Store):
    """
    A store in a file, which is there while processes use it.

    Parameters
    ----------
    file_name : str
        On a file system that all of them see.
    world_size : int
        How many processes use it; the last to go removes the file. -1: it stays.

    Examples
    --------
    >>> import cygrad.distributed as dist, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = dist.FileStore(os.path.join(folder, "store"))
    ...     store.set("key", "value")
    ...     dist.FileStore(store.path).get("key")
    b'value'
    """

    HEAD = struct.Struct("<qq")         # lengths of key and value; -1: the key is deleted

    def __init__(self, file_name, world_size=-1):
        super().__init__()
        if fcntl is None:
            raise NotImplementedError("FileStore needs file locks of POSIX; use TCPStore")
        self.path, self._size = os.fspath(file_name), world_size
        self._values, self._seen, self._own = {}, 0, threading.RLock()
        open(self.path, "ab").close()

    def _locked(self, kind, use):
        """Bring what is known up to date with the file, and `use` it, while others are kept out."""
        with self._own, open(self.path, "r+b") as file:
            fcntl.flock(file, kind)
            file.seek(self._seen)
            text = file.read()
            place = 0
            while place + self.HEAD.size <= len(text):
                length, size = self.HEAD.unpack_from(text, place)
                start = place + self.HEAD.size
                if start + length + max(size, 0) > len(text):
                    break               # a process died while it wrote this
                key = text[start:start + length].decode()
                place = start + length + max(size, 0)
                if size < 0:
                    self._values.pop(key, None)
                else:
                    self._values[key] = text[start + length:place]
            self._seen += place
            return use(file)

    def _read(self, key):
        return self._locked(fcntl.LOCK_SH, lambda _: self._values.get(key))

    def _keys(self):
        return self._locked(fcntl.LOCK_SH, lambda _: list(self._values))

    def _change(self, key, change):
        def write(file):
            value = change(self._values.get(key))
            name = key.encode()
            file.seek(self._seen)
            file.truncate()
            file.write(self.HEAD.pack(len(name), -1 if value is None else len(value)) + name + (value or b""))
            file.flush()
            self._seen = file.tell()
            self._values[key] = value
            if value is None:
                del self._values[key]
            return value
        return self._locked(fcntl.LOCK_EX, write)

    def __del__(self):
        try:
            if self._size > 0 and self.add(HIDDEN + "gone", 1) >= self._size:
                os.unlink(self.path)
        except (OSError, ValueError, AttributeError):
            pass


class PrefixStore(Store):
    """
    A store within another: its keys begin with a prefix.

    Parameters
    ----------
    prefix : str
    store : Store

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> store = dist.HashStore()
    >>> dist.PrefixStore("mine", store).set("key", "value")
    >>> store.get("mine/key")
    b'value'
    """

    def __init__(self, prefix, store):
        self.prefix, self.underlying_store = prefix, store

    @property
    def timeout(self):
        """That of the store underneath."""
        return self.underlying_store.timeout

    @timeout.setter
    def timeout(self, timeout):
        self.underlying_store.set_timeout(timeout)

    def _read(self, key):
        return self.underlying_store._read(f"{self.prefix}/{key}")

    def _change(self, key, change):
        return self.underlying_store._change(f"{self.prefix}/{key}", change)

    def _keys(self):
        start = f"{self.prefix}/"
        return [key[len(start):] for key in self.underlying_store._keys() if key.startswith(start)]

    def _pause(self, seconds):
        self.underlying_store._pause(seconds)


class TCPStore(Store):
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
        Wait until `world_size` processes are there.
    multi_tenant, master_listen_fd, use_libuv : optional
        Not used.

    Raises
    ------
    DistNetworkError
        If it can't be reached within the timeout.

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
        self.timeout, self.host, self._lock = timeout, host_name, threading.RLock()
        self._server = _Server(port) if is_master else None
        self.port = self._server.port if is_master else port
        self._connection = self._reach(timeout.total_seconds())
        if wait_for_workers and world_size:
            self._wait_for_all(world_size)

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
                    raise DistNetworkError(f"The client socket has failed to connect to {self.host}:{self.port} within "
                                           f"{seconds:g} s: {error}") from error
                time.sleep(0.05)

    def _wait_for_all(self, count):
        self.add(HIDDEN + "here", 1)
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

    def __init__(self, port):
        self.values, self.lock = {}, threading.Lock()
        self.listening = socket.create_server(("", port), backlog=1024)
        self.port, self.connections = self.listening.getsockname()[1], []
        threading.Thread(target=self._accept, daemon=True, name="cygrad-store").start()

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
        self.listening.close()
        for connection in self.connections:
            connection.close()
