"""If this fails, kernels that somebody else planted run on a user's device, or the folder of kernels grows for ever."""
import os
import warnings

import pytest
from cygrad_gpu.runtime import binary_cache

SOURCE = ["source", "driver 1.0"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A folder of its own, and nothing said yet."""
    monkeypatch.setenv("CYGRAD_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.delenv("CYGRAD_CACHE_SIZE", raising=False)
    monkeypatch.setattr(binary_cache, "_complained", False)
    return tmp_path / "kernels" / "test"


def load(parts=SOURCE):
    return binary_cache.load("test", parts, bytes)


def test_what_was_kept_comes_back(cache):
    assert load() is None
    binary_cache.store("test", SOURCE, b"program")
    assert load() == b"program"
    assert load(["another", "driver 1.0"]) is None
    if os.name == "posix":
        assert cache.stat().st_mode & 0o077 == 0 and next(cache.iterdir()).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no numbers of users here")
@pytest.mark.parametrize("foreign", ["file", "folder"])
def test_what_belongs_to_another_user_is_not_taken(cache, monkeypatch, foreign):
    binary_cache.store("test", SOURCE, b"program")
    real, own = os.fstat if foreign == "file" else os.stat, os.getuid()

    def of_another(path, **settings):
        status = list(real(path, **settings))
        status[4] = own + 1                             # st_uid
        return os.stat_result(status)

    monkeypatch.setattr(binary_cache.os, "fstat" if foreign == "file" else "stat", of_another)
    with pytest.warns(RuntimeWarning, match=f"the {foreign} belongs to the user with the number {own + 1}, not to you"):
        assert load() is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions mean something else here")
@pytest.mark.parametrize("open_to_all", ["file", "folder"])
def test_what_anybody_may_write_is_not_taken(cache, open_to_all):
    binary_cache.store("test", SOURCE, b"program")
    (cache if open_to_all == "folder" else next(cache.iterdir())).chmod(0o777)
    with pytest.warns(RuntimeWarning, match=f"the {open_to_all} may be written by anybody: chmod o-w"):
        assert load() is None


def test_the_oldest_go_when_the_folder_is_full(cache, monkeypatch):
    monkeypatch.setenv("CYGRAD_CACHE_SIZE", "10K")
    for i in range(9):
        binary_cache.store("test", [str(i)], bytes(1000))
        os.utime(binary_cache.path_of("test", [str(i)]), (i, i))
    assert load(["0"]) is not None                      # in use again, so the youngest
    binary_cache.store("test", ["9"], bytes(1000))
    assert sum(size for _, size, _ in binary_cache.files_in(cache)) <= 10 << 10
    for i in (10, 11):
        binary_cache.store("test", [str(i)], bytes(1000))
    assert sum(size for _, size, _ in binary_cache.files_in(cache)) <= 10 << 10
    assert load(["1"]) is None and load(["2"]) is None
    assert load(["0"]) is not None and load(["11"]) is not None


@pytest.mark.parametrize("wish", ["much", "-1", "1.5M", "M"])
def test_a_senseless_bound_is_said_once(monkeypatch, wish):
    monkeypatch.setenv("CYGRAD_CACHE_SIZE", wish)
    with pytest.warns(RuntimeWarning, match="CYGRAD_CACHE_SIZE: expected a number of bytes such as"):
        binary_cache.store("test", SOURCE, b"program")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        binary_cache.store("test", SOURCE, b"program")


def test_the_summary_says_how_large_it_is(cache, monkeypatch):
    binary_cache.store("test", SOURCE, bytes(3 << 20))
    assert binary_cache.summary("test") == f"3.0 MB in {cache}, at most 256 MB (CYGRAD_CACHE_SIZE)"
    monkeypatch.setenv("CYGRAD_CACHE_DIR", "off")
    assert binary_cache.summary("test") == "not kept (CYGRAD_CACHE_DIR=off)"
