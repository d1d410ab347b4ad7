"""If this fails, an OpenCL device's memory, programs or processes are not as users are told."""
import os
import subprocess
import sys

import cygrad
import pytest
from extras import need_opencl

need_opencl()


# ---- memory

def test_buffers_are_reused_and_given_back(opencl):
    cygrad.opencl.empty_cache()
    before = cygrad.opencl.memory_allocated()
    x = cygrad.empty(1 << 20, device=opencl)
    assert cygrad.opencl.memory_allocated() - before >= 4 << 20
    place = x.data_ptr()
    del x
    assert cygrad.opencl.memory_allocated() == before
    assert cygrad.empty(1 << 20, device=opencl).data_ptr() == place
    cygrad.opencl.empty_cache()
    assert cygrad.opencl.memory_reserved() == cygrad.opencl.memory_allocated()


def test_out_of_memory_says_how_much_and_leaves_the_rest_well(opencl):
    from cygrad.errors import OutOfMemoryError
    x = cygrad.ones(10, device=opencl)
    with pytest.raises(OutOfMemoryError, match="bytes"):
        cygrad.empty(1 << 50, device=opencl)
    assert (x + x).sum().item() == 20


def test_buffers_of_pyopencl_are_shared_both_ways(opencl):
    import numpy as np
    import pyopencl as cl
    import pyopencl.array
    queue = cygrad.opencl.queue()
    buffer = cl.Buffer(cygrad.opencl.context(), cl.mem_flags.READ_WRITE, 64)
    x = cygrad.opencl.from_buffer(buffer, cygrad.float32, (3, 4), offset=2)
    x.fill_(5)
    host = np.empty(16, "f4")
    cl.enqueue_copy(queue, host, buffer)
    assert host[2:14].tolist() == [5.0] * 12
    array = cl.array.to_device(queue, np.arange(12, dtype="f4").reshape(3, 4))
    y = cygrad.opencl.from_array(array[:, ::2])
    y += 100
    assert array.get()[:, 0].tolist() == [100.0, 104.0, 108.0] and array.get()[0, 1] == 1.0
    z = cygrad.arange(6.0, device=opencl).view(2, 3)
    assert cygrad.opencl.to_array(z.t()).strides == (4, 12)
    cygrad.opencl.to_array(z[1]).fill(7)
    assert z.tolist() == [[0.0, 1.0, 2.0], [7.0, 7.0, 7.0]]
    assert cygrad.opencl.to_buffer(z).size >= 24
    with pytest.raises(ValueError, match="do not fit"):
        cygrad.opencl.from_buffer(buffer, cygrad.float32, (17,))


def test_host_memory_is_shared(opencl):
    import numpy as np
    array = np.arange(4096, dtype="f4")
    x = cygrad.opencl.from_host(array)
    assert (x * 2).sum().item() == array.sum() * 2
    y = cygrad.arange(6, device=opencl).view(2, 3)
    with cygrad.opencl.mapped(y[1]) as memory:
        assert memory.tolist() == [3, 4, 5]
        memory[0] = -1
    assert y.tolist() == [[0, 1, 2], [-1, 4, 5]]


def test_events_measure_the_device(opencl):
    start, end = cygrad.opencl.Event(), cygrad.opencl.Event()
    start.record()
    x = cygrad.rand(1 << 20, device=opencl).exp().sum()
    end.record()
    assert start.elapsed_time(end) >= 0 and end.query() and x.item() > 1 << 20


# ---- devices, programs, processes

ADD = "import cygrad; x = cygrad.arange(5., device='opencl'); assert (x + x).tolist() == [0, 2, 4, 6, 8]\n"


def test_importing_and_listing_start_no_driver(python):
    python("""
        import sys, cygrad
        from cygrad.devices import discovery
        assert "opencl" in discovery.entry_points.find(discovery.GROUP)
        assert "pyopencl" not in sys.modules and "cygrad_opencl" not in sys.modules
    """)


def test_a_device_is_chosen_by_name_or_index(python):
    text = "import cygrad; print(cygrad.ones(1, device='opencl').device, cygrad.opencl.device_name())"
    assert "opencl:0" in python(text, CYGRAD_OPENCL_DEVICE="0").stdout
    name = python(text).stdout.split(maxsplit=1)[1].strip()
    assert name in python(text, CYGRAD_OPENCL_DEVICE=name[:5].upper()).stdout
    refused = python(text, check=False, CYGRAD_OPENCL_DEVICE="no such thing")
    assert "CYGRAD_OPENCL_DEVICE='no such thing'" in refused.stderr and name in refused.stderr


def test_a_second_process_compiles_nothing(python):
    text = ADD + "print(cygrad.opencl.program_stats()['built'], cygrad.opencl.program_stats()['loaded'])"
    built, loaded = map(int, python(text).stdout.split())
    assert built > 0 and loaded == 0
    assert python(text).stdout.split() == ["0", str(built)]


def test_a_damaged_cache_is_named_once_and_not_used(python, tmp_path):
    python(ADD)
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:-7] + b"garbage")
    result = python(ADD + "print(cygrad.opencl.program_stats()['built'])")
    assert int(result.stdout) > 0 and result.stderr.count("RuntimeWarning") == 1 and "damaged" in result.stderr
    assert python(ADD + "print(cygrad.opencl.program_stats()['built'])").stdout.strip() == "0"


def test_without_a_place_for_the_cache_it_still_works(python, tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = python(ADD, CYGRAD_CACHE_DIR=str(tmp_path / "file"))
    assert result.stderr.count("RuntimeWarning") == 1
    assert python(ADD, CYGRAD_CACHE_DIR="off").stderr == ""


def test_processes_may_start_at_once_with_an_empty_cache(packages, tmp_path, opencl):
    path = os.pathsep.join([str(packages), *sys.path])
    variables = os.environ | {"CYGRAD_CACHE_DIR": str(tmp_path), "PYTHONPATH": path}
    started = [subprocess.Popen([sys.executable, "-c", ADD], env=variables, stderr=subprocess.PIPE) for _ in range(8)]
    for process in started:
        error = process.communicate(timeout=300)[1]
        assert process.returncode == 0 and b"Warning" not in error, error.decode()


def test_a_kernel_that_does_not_compile_raises_with_the_log(opencl):
    from cygrad.errors import KernelBuildError
    backend = cygrad.ones(1, device=opencl)._backend()
    with pytest.raises(KernelBuildError, match="nonsense"):
        backend.kernel(0, "test", lambda traits: ("name", "nonsense here", 1))
    assert cygrad.ones(3, device=opencl).sum().item() == 3


def test_options_for_the_compiler(opencl, monkeypatch):
    import pyopencl
    from cygrad_opencl.binaries import Programs
    from cygrad_opencl.devices import devices
    device = devices()[cygrad.ones(1, device=opencl).device.index]
    monkeypatch.setenv("CYGRAD_CACHE_DIR", "off")
    monkeypatch.setenv("CYGRAD_OPENCL_OPTIONS", "-cl-opt-disable -D ANSWER=42")
    programs = Programs(pyopencl.Context([device]), device)
    assert programs.options[-3:] == ["-cl-opt-disable", "-D", "ANSWER=42"]
    programs.get("__kernel void answer(__global int *a) { *a = ANSWER; }")           # which else is no name
    assert programs.built == 1


@pytest.mark.parametrize("code, kind, words", [
    (-4, "OutOfMemoryError", "clEnqueueCopy failed: MEM_OBJECT_ALLOCATION_FAILURE"),
    (-2, "BackendError", "DEVICE_NOT_AVAILABLE; the process can't use the device any more"),
    (-36, "BackendError", "INVALID_COMMAND_QUEUE; the process can't use the device any more"),
    (-52, "BackendError", "clEnqueueCopy failed: INVALID_KERNEL_ARGS")])
def test_what_a_failed_call_raises(opencl, code, kind, words):
    from cygrad_opencl import driver
    error = driver.failure(code, "clEnqueueCopy")
    assert type(error).__name__ == kind and words in str(error)


def test_long_building_is_shown(opencl, monkeypatch):
    """On a terminal, after some seconds of building, also within one build; not when it was quick."""
    import io
    import time

    from cygrad_opencl import binaries

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    made = cygrad.opencl.context().devices[0]
    monkeypatch.setattr(binaries, "SLOW", 0.1)
    for seconds, lines in ((0.0, 0), (0.35, 2)):        # after 0.1 and 0.2 seconds, not yet after 0.4
        shown = Terminal()
        monkeypatch.setattr(sys, "stderr", shown)
        with binaries.Programs(cygrad.opencl.context(), made).progress:
            time.sleep(seconds)
        assert shown.getvalue().count("cygrad: compiling kernels for ") == lines


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize("use", ["x + x", "x.add_(1)", "x.tolist()", "x.numpy()", "cygrad.as_tensor(numpy.ones(3))",
                                 "print(x)", "x.copy_(cygrad.ones(5, device='cpu'))", "cygrad.opencl.synchronize()"])
def test_a_forked_child_is_refused(python, use):
    """At home, where a tensor may share its memory with NumPy, too; a child that waited would wait for ever."""
    result = python(ADD + f"""
import numpy, os, signal
pid = os.fork()
if pid == 0:
    signal.alarm(60)
    try:
        {use}
    except RuntimeError as error:
        print("refused:", "fork" in str(error), flush=True)
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
assert (x + 1).tolist() == [1, 2, 3, 4, 5]
""", CYGRAD_BACKEND="opencl")
    assert result.stdout.strip() == "refused: True"


def test_an_array_keeps_the_memory_it_shares(python):
    python("""
        import cygrad
        x = cygrad.ones(3)
        array = x.numpy()
        try:
            x.resize_(100_000)
        except RuntimeError as error:
            assert "not resizable" in str(error)
        else:
            raise AssertionError("resized")
        x += 1
        assert array.tolist() == [2, 2, 2]
        del x
        others = [cygrad.zeros(3) for _ in range(100)]
        array[:] = 5
        assert all(other.sum().item() == 0 for other in others)
    """, CYGRAD_BACKEND="opencl")


def test_threads_share_a_device(opencl):
    from concurrent.futures import ThreadPoolExecutor

    def work(seed):
        x = cygrad.full((1000,), float(seed), device=opencl)
        for _ in range(20):
            x = (x * 2 - x).relu()
        return x.sum().item()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == [1000.0 * seed for seed in range(16)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs child processes that begin where their parent is")
def test_a_fork_after_devices_were_counted_is_refused():
    code = ("import cygrad, os; assert cygrad.opencl.device_count(); child = os.fork()\n"
            "if not child:\n"
            "    try: cygrad.ones(2).opencl()\n"
            "    except Exception as error: os._exit(3 if 'forked' in str(error) else 4)\n"
            "    os._exit(5)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "3\n", done.stderr
