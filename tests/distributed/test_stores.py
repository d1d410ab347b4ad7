"""If one of these fails, processes that count or meet by a store see other values than they set."""
import threading
from datetime import timedelta

import pytest

import cygrad.distributed as dist

KINDS = {"hash": lambda folder: dist.HashStore(), "file": lambda folder: dist.FileStore(str(folder / "store")),
         "tcp": lambda folder: dist.TCPStore("localhost", 0, 1, True),
         "prefix": lambda folder: dist.PrefixStore("p", dist.HashStore())}


@pytest.fixture(params=KINDS)
def store(request, tmp_path):
    return KINDS[request.param](tmp_path)


def test_values(store):
    store.set("a", "b")
    store.set("bytes", b"\x00\xff")
    assert (store.get("a"), store.get("bytes")) == (b"b", b"\x00\xff")
    assert (store.add("n", 3), store.add("n", -1), store.get("n")) == (3, 2, b"2")
    assert store.compare_set("a", "b", "c") == store.compare_set("a", "b", "d") == b"c"
    assert store.compare_set("q", "x", "y") == b"x" and store.compare_set("q", "", "y") == b"y"
    assert store.check(["a", "n"]) and not store.check(["a", "zz"])
    assert store.delete_key("a") and not store.delete_key("a") and not store.check(["a"])
    store.append("text", "x")
    store.append("text", "y")
    store.multi_set(["k1", "k2"], ["v1", "v2"])
    assert store.get("text") == b"xy" and store.multi_get(["k1", "k2"]) == [b"v1", b"v2"]
    store.queue_push("queue", "1")
    assert (store.queue_len("queue"), store.queue_pop("queue"), store.queue_len("queue")) == (1, b"1", 0)
    with pytest.raises(dist.QueueEmptyError, match="queue is empty"):
        store.queue_pop("queue", False)
    own = isinstance(store, (dist.FileStore, dist.TCPStore))         # these count a key of theirs, as in PyTorch
    assert store.num_keys() == 6 + own and store.list_keys() == ["bytes", "k1", "k2", "n", "q", "text"]


def test_waiting(store):
    with pytest.raises(dist.DistStoreError, match="[Ww]ait timeout after 50ms, keys: /"):
        store.wait(["none"], timedelta(seconds=0.05))
    store.set_timeout(timedelta(seconds=20))
    assert store.timeout == timedelta(seconds=20)
    threading.Timer(0.1, lambda: store.set("late", "1")).start()
    assert store.get("late") == b"1"


def test_counting_by_many(store):
    """No two of eight threads get the same number."""
    found = []

    def count():
        found.extend(store.add("n", 1) for _ in range(20))

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(1, 161))


def test_other_processes(tmp_path):
    import subprocess
    import sys
    store = dist.TCPStore("localhost", 0, 1, True)
    code = ("import sys; import cygrad.distributed as dist; path, port = sys.argv[1:]; "
            "print([s.add('n', 1) for s in (dist.FileStore(path), dist.TCPStore('localhost', int(port)))])")
    files = dist.FileStore(str(tmp_path / "store"))
    files.add("n", 4)
    for expected in ("[5, 1]", "[6, 2]"):
        done = subprocess.run([sys.executable, "-c", code, files.path, str(store.port)], capture_output=True, text=True)
        assert done.stdout.strip() == expected, done.stderr
    del store
    words = r"client socket has timed out after 100ms while trying to connect to \(localhost, 1\)"
    with pytest.raises(dist.DistNetworkError, match=words):
        dist.TCPStore("localhost", 1, timeout=timedelta(seconds=0.1))


def test_a_file_that_ends_in_the_middle(tmp_path):
    """What a process that died has written of its value is passed over."""
    store = dist.FileStore(str(tmp_path / "store"))
    store.set("a", "1")
    with open(store.path, "ab") as file:
        file.write(b"\x05\x00\x00")
    again = dist.FileStore(store.path)
    again.set("b", "2")
    assert dist.FileStore(store.path).multi_get(["a", "b"]) == store.multi_get(["a", "b"]) == [b"1", b"2"]


def test_the_address_says_which(tmp_path):
    store, rank, size = next(dist.rendezvous(f"file://{tmp_path}/store?rank=0&world_size=1"))
    assert (type(store), rank, size) == (dist.FileStore, 0, 1)
    dist.register_rendezvous_handler("mine", lambda url: iter([(url, 1, 2)]))
    assert next(dist.rendezvous("mine://here")) == ("mine://here", 1, 2)
    with pytest.raises(RuntimeError, match="No rendezvous handler for xyz"):
        next(dist.rendezvous("xyz://"))


class Plain(dist.Store):
    """A store that a user wrote: no more than it needs."""

    def __init__(self):
        super().__init__()
        self.values = {}

    def set(self, key, value):
        self.values[key] = value

    def get(self, key):
        return self.values.get(key, b"")


def test_stores_of_users():
    plain = Plain()
    with pytest.raises(RuntimeError, match="Not implemented."):
        plain.append("a", "b")
    store = dist.PrefixStore("p", dist.PrefixStore("q", plain))
    assert not store.has_extended_api() and store._underlying_non_prefix_store is plain
    store.append("a", "x")
    store.append("a", "y")
    store.multi_set(["b"], ["z"])
    assert plain.values == {"q/p/a": b"xy", "q/p/b": b"z"} and store.multi_get(["b", "a"]) == [b"z", b"xy"]
    with pytest.raises(ValueError, match="store argument cannot be None"):
        dist.PrefixStore("p", None)


def test_ports():
    first = dist.TCPStore("localhost", 0, 1, True, multi_tenant=True)
    second = dist.TCPStore("localhost", first.port, 1, True, multi_tenant=True, wait_for_workers=False)
    first.set("key", "value")
    first.close()
    assert second.get("key") == b"value" and repr(second).endswith(f"server=TCPServer(port={second.port}))")
    in_use = "^The server socket has failed to listen on any local .*EADDRINUSE"
    with pytest.raises(dist.DistNetworkError, match=in_use):
        dist.TCPStore("localhost", second.port, 1, True)
    with pytest.raises(ValueError, match="TCPStore world size cannot be 0"):
        dist.TCPStore("localhost", 0, 0)


def test_a_file_is_there_while_it_is_used(tmp_path):
    path = tmp_path / "store"
    first, second = dist.FileStore(str(path), 1), dist.FileStore(str(path), 1)
    del first
    assert path.exists() and second.num_keys() == 1
    del second
    assert not path.exists()


def test_addresses_that_say_too_little():
    with pytest.raises(RuntimeError, match="^No rendezvous handler for none://"):
        dist.rendezvous("none://")
    with pytest.raises(AssertionError, match="has node-specific arguments"):
        dist.rendezvous("file://foo?rank=12&world_size=16", 12, 16)
    for address, lacks in (("file://?rank=0&world_size=1", "path missing"),
                           ("tcp://h?rank=0&world_size=1", "port number")):
        with pytest.raises(ValueError, match=lacks):
            next(dist.rendezvous(address))
