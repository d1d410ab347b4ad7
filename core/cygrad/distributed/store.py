"""Stores: keys and values that several processes share, to meet and to count each other.

MPI needs none to begin; programs that were written for PyTorch use them for what is theirs. Values are bytes; a missing
key is waited for. `HashStore` is for threads of one process, `FileStore` for processes that see one file, `TCPStore`
for those that reach one address; `PrefixStore` keeps users of one store apart.
"""
import os
import struct
import threading
import time
from datetime import timedelta

try:
    import fcntl            # optional dependency: not on Windows
except ImportError:
    fcntl = None

from cygrad.distributed.errors import DistStoreError, QueueEmptyError

__all__ = ["FileStore", "HashStore", "KeyStore", "PrefixStore", "Store"]

STEP = 0.01         # seconds between looks at a file
HIDDEN = "\0"        # keys that begin so are the stores' own


def as_bytes(value):
    """A value as it is kept: text in UTF-8, bytes as they are."""
    return value.encode() if isinstance(value, str) else bytes(value)


class Store:
    """
    Keys and values that processes share: base of all stores, and of those that users write.

    A subclass has `set`, `get`, `add`, `compare_set`, `check` and `wait`, as far as they are called; `append`,
    `multi_get` and `multi_set` are extra, and `has_extended_api` says whether they are there.
    """

    def _lacks(self, *_, **__):
        raise RuntimeError("Not implemented.")

    set = get = add = compare_set = check = wait = delete_key = num_keys = list_keys = _lacks
    append = multi_get = multi_set = queue_push = queue_pop = queue_len = _lacks

    timeout = timedelta(seconds=300)

    def set_timeout(self, timeout):
        """How long `get` and `wait` wait from now on, a timedelta."""
        self.timeout = timeout

    def has_extended_api(self):
        """Whether `append`, `multi_get` and `multi_set` are there."""
        return False


class KeyStore(Store):
    """
    A store over four entries: `_read`, `_change`, `_keys` and `_pause`.

    Attributes
    ----------
    timeout : timedelta
        How long `get` and `wait` wait; five minutes at first.
    """

    own_keys = 0            # that `num_keys` counts, as PyTorch's stores count theirs
    late = "Wait timeout"

    def __init__(self):
        super().__init__()
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
                raise DistStoreError(f"{self.late} after {seconds * 1000:.0f}ms, keys: /{', /'.join(keys)}")
            self._pause(left)

    def delete_key(self, key):
        """Forget a key; whether it was there."""
        there = []
        self._change(key, lambda old: there.append(old is not None))
        return there[0]

    def num_keys(self):
        """How many keys there are; FileStore and a TCPStore that has waited for its users count one of their own."""
        return len(self.list_keys()) + self.own_keys

    def list_keys(self):
        """The keys."""
        return sorted(key for key in self._keys() if not key.startswith(HIDDEN))

    def multi_get(self, keys):
        """The values of several keys."""
        return list(map(self.get, keys))

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


class HashStore(KeyStore):
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


class FileStore(KeyStore):
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

    own_keys = 1
    HEAD = struct.Struct("<qq")         # lengths of key and value; -1: the key is deleted

    def __init__(self, file_name, world_size=-1):
        super().__init__()
        if fcntl is None:
            raise NotImplementedError("FileStore needs file locks of POSIX; use TCPStore")
        self.path, self._size = os.fspath(file_name), world_size
        self._values, self._seen, self._own = {}, 0, threading.RLock()
        open(self.path, "ab").close()
        self.add(HIDDEN + "users", 1)

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
            left = self.add(HIDDEN + "users", -1)
            if self._size > 0 and self.add(HIDDEN + "gone", 1) >= self._size and left == 0:
                os.unlink(self.path)
        except (OSError, ValueError, AttributeError, NameError):      # the last: at the end of the program
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
        if store is None:
            raise ValueError("PrefixStore: store argument cannot be None")
        self.prefix, self.underlying_store = prefix, store

    @property
    def _underlying_non_prefix_store(self):
        """The store below all prefixes."""
        below = self.underlying_store
        return below._underlying_non_prefix_store if isinstance(below, PrefixStore) else below

    @property
    def timeout(self):
        """That of the store underneath."""
        return self.underlying_store.timeout

    def set_timeout(self, timeout):
        """How long `get` and `wait` wait from now on, a timedelta."""
        self.underlying_store.set_timeout(timeout)

    def _name(self, key):
        return f"{self.prefix}/{key}"

    def _names(self, keys):
        return list(map(self._name, keys))

    def set(self, key, value):
        """As `HashStore.set`."""
        self.underlying_store.set(self._name(key), as_bytes(value))

    def get(self, key):
        """As `HashStore.get`."""
        return self.underlying_store.get(self._name(key))

    def add(self, key, amount):
        """As `HashStore.add`."""
        return self.underlying_store.add(self._name(key), amount)

    def compare_set(self, key, expected_value, desired_value):
        """As `HashStore.compare_set`."""
        return self.underlying_store.compare_set(self._name(key), as_bytes(expected_value), as_bytes(desired_value))

    def check(self, keys):
        """As `HashStore.check`."""
        return self.underlying_store.check(self._names(keys))

    def wait(self, keys, timeout=None):
        """As `HashStore.wait`."""
        self.underlying_store.wait(self._names(keys), *(() if timeout is None else (timeout,)))

    def delete_key(self, key):
        """As `HashStore.delete_key`."""
        return self.underlying_store.delete_key(self._name(key))

    def num_keys(self):
        """How many keys the store underneath has."""
        return self.underlying_store.num_keys()

    def list_keys(self):
        """The keys with this prefix, without it."""
        start = self._name("")
        return [key[len(start):] for key in self.underlying_store.list_keys() if key.startswith(start)]

    def has_extended_api(self):
        """Whether the store underneath has `append`, `multi_get` and `multi_set`; else they are made of others."""
        return self.underlying_store.has_extended_api()

    def append(self, key, value):
        """As `HashStore.append`."""
        value = as_bytes(value)
        if self.has_extended_api():
            self.underlying_store.append(self._name(key), value)
        else:
            self.set(key, self.get(key) + value)

    def multi_get(self, keys):
        """As `HashStore.multi_get`."""
        if self.has_extended_api():
            return self.underlying_store.multi_get(self._names(keys))
        return list(map(self.get, keys))

    def multi_set(self, keys, values):
        """As `HashStore.multi_set`."""
        if self.has_extended_api():
            self.underlying_store.multi_set(self._names(keys), list(map(as_bytes, values)))
            return
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def queue_push(self, key, value):
        """As `HashStore.queue_push`."""
        self.underlying_store.queue_push(self._name(key), as_bytes(value))

    def queue_pop(self, key, block=True):
        """As `HashStore.queue_pop`."""
        return self.underlying_store.queue_pop(self._name(key), block)

    def queue_len(self, key):
        """As `HashStore.queue_len`."""
        return self.underlying_store.queue_len(self._name(key))
