"""If this fails, OpenCL on the processor adds up wrongly with several threads, or these are in each other's way."""
import os
from types import SimpleNamespace

import pytest
from extras import need_opencl

need_opencl()

AFFINITIES = """
    import os
    import cygrad

    def tasks():
        return set(os.listdir("/proc/self/task"))

    before = tasks()
    cygrad.ones(3, device="opencl").sum().item()
    for task in tasks() - before:
        print(sorted(os.sched_getaffinity(int(task))))
    """
SUMS = """
    import cygrad

    assert cygrad.opencl.device_name(0).count("pthread")
    CASES = ((600_000,), 0), ((3, 400_000), 1), ((400_000, 3), 0), ((2000, 300), 0), ((2, 3, 100_000), (1, 2))
    for shape, dim in CASES:
        for dtype in (cygrad.float32, cygrad.float64, cygrad.float16, cygrad.int64, cygrad.bool, cygrad.complex64):
            host = (cygrad.arange(cygrad.Size(shape).numel()).view(shape) * 7 % 5 - 1).to(dtype)
            there = host.to("opencl")
            for turn in range(3):                           # what groups are counted in is left as it was found
                assert there.sum(dim).cpu().allclose(host.sum(dim), rtol=1e-3), (shape, dtype)
                if dtype.is_floating_point or dtype == cygrad.int64:
                    assert there.amax(dim).cpu().equal(host.amax(dim)), (shape, dtype)
                    assert there.t().amin(dim if dim else -1).cpu().equal(host.t().amin(dim if dim else -1)) \
                        if host.dim() == 2 else True
                if dtype.is_floating_point:
                    assert there.norm().cpu().allclose(host.norm(), rtol=1e-3), (shape, dtype)
    """


@pytest.fixture
def processors():
    if not hasattr(os, "sched_getaffinity") or os.sched_getaffinity(0) != set(range(os.cpu_count())):
        pytest.skip("only Linux, and only a process that may use all processors, has its threads kept apart")
    return os.cpu_count()


def test_each_thread_of_the_driver_has_a_processor_of_its_own(python, processors, monkeypatch):
    monkeypatch.delenv("POCL_MAX_PTHREAD_COUNT", raising=False)
    monkeypatch.delenv("POCL_AFFINITY", raising=False)
    alone = [line for line in python(AFFINITIES).stdout.splitlines() if "," not in line]
    assert processors == 1 or sorted(alone) == sorted(f"[{i}]" for i in range(processors))


@pytest.mark.parametrize("environment", [{"POCL_MAX_PTHREAD_COUNT": "1"}, {"POCL_AFFINITY": "0"}])
def test_threads_are_left_alone_where_that_is_said(python, processors, monkeypatch, environment):
    monkeypatch.delenv("POCL_AFFINITY", raising=False)
    everywhere = str(list(range(processors)))
    assert set(python(AFFINITIES, **environment).stdout.splitlines()) == {everywhere}


@pytest.mark.parametrize("threads", [pytest.param("1", marks=pytest.mark.slow),
                                     pytest.param("2", marks=pytest.mark.slow), "3"])
def test_groups_that_share_a_sum_add_it_up_once(python, threads):
    python(SUMS, POCL_MAX_PTHREAD_COUNT=threads, POCL_AFFINITY="0")


def test_reading_sees_what_was_enqueued_and_writing_waits_for_readers(python):
    python("""
        import cygrad
        x = cygrad.zeros(300_000, device="opencl")
        host = cygrad.arange(300_000, dtype=cygrad.float32)
        for turn in range(50):
            y = x + turn
            x.copy_(host)                                   # y's kernel has read the old values
            assert y[-1].item() == (turn if turn == 0 else 299_999 + turn)
            assert x[turn].item() == turn
        """)


@pytest.mark.parametrize("known, level, repaired", [
    ("generic", "x86-64-v4", True), ("generic", "x86-64-v3", True), ("znver3", "x86-64-v4", True),
    ("znver3", "x86-64-v3", False), ("skylake-avx512", "x86-64-v4", False)])
def test_a_processor_that_the_compiler_takes_for_an_older_one_is_called_by_its_level(monkeypatch, known, level,
                                                                                  repaired):
    from cygrad_opencl import pocl
    monkeypatch.setattr(pocl, "level", lambda: level)
    device = SimpleNamespace(platform=SimpleNamespace(name="Portable Computing Language"),
                             version=f"OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-{known}")
    assert pocl.needs_repair(device) == repaired
    # the caches know the device by the old name, and a program for another level may not run here
    assert pocl.options(device) == ([f"-DCOMPILED_FOR={level}"] if repaired else [])


def test_a_kernel_is_compiled_once(python, tmp_path):
    """PoCL would put it into each of three functions; now they call a fourth."""
    python("""
        import cygrad
        x = cygrad.arange(12.0, device="opencl").view(3, 4)
        assert (x.t() + 1).sum(1).tolist() == [15.0, 18.0, 21.0, 24.0]
        x.cumsum(1), x.softmax(1), x @ x.t(), x.sort()
        cygrad.opencl.synchronize()
        """, POCL_CACHE_DIR=str(tmp_path))
    made = [path.read_bytes() for path in tmp_path.rglob("*.so")]
    assert len(made) >= 6 and all(b"_body\0" in each for each in made)
    assert not any(b"libc.so" in each for each in made)         # nor linked with what the process has


def test_no_program_is_built_with_the_drivers_header(python):
    """Neither read, nor skipped; and none is refused without it, which would be built again."""
    python("""
        import cygrad
        from cygrad_opencl import binaries, pocl

        built, options = binaries.Programs._built, []

        def recorded(self, source, given):
            options.append(given)
            return built(self, source, given)

        binaries.Programs._built = recorded
        x = cygrad.arange(12.0, device="opencl").view(3, 4)
        x.sum(), x.exp(), x.double() @ x.double().t(), x.sort(), x.half().neg()
        cygrad.opencl.synchronize()
        known = "\\t-remap-file\\t" if pocl._without_header() else ""
        assert len(options) >= 6 and all(pocl.LEAN_OPTION in given and known in given[-1] for given in options)
        """, CYGRAD_CACHE_DIR="off")


def test_programs_of_others_are_built_and_linked_as_ever(python):
    """The driver's functions, the compiler's (a quotient of 128 bits) and the C library's (memset) are all found."""
    python("""
        import cygrad, numpy, pyopencl
        x = cygrad.zeros(3, device="opencl")
        program = pyopencl.Program(cygrad.opencl.context(), '''
            kernel void other(global float *a, global long *b, int n) {
                __int128 wide = (__int128)b[0] << n;
                b[1] = (long)(wide / b[0]);
                a[0] = native_exp(a[0]) + pow(2.0f, a[1]);
                for (int i = 3; i < n; i++) a[i] = 0;
            }''').build()
        queue = cygrad.opencl.queue()
        a, b = numpy.array([0, 3, 5] + 90 * [1], "float32"), numpy.array([3, 0])
        buffers = [pyopencl.Buffer(queue.context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=each) for each in (a, b)]
        program.other(queue, (1,), None, *buffers, numpy.int32(40))
        for each, buffer in zip((a, b), buffers):
            pyopencl.enqueue_copy(queue, each, buffer)
        assert a[:4].tolist() == [9, 3, 5, 0] and a[39:41].tolist() == [0, 1] and b.tolist() == [3, 1 << 40]
        """)


def test_signs_of_halfs_are_changed_in_vectors(python):
    """The compiler narrowed them to halfs, which took eight times as long as a conversion."""
    python("""
        import time
        import cygrad

        def least(function):
            taken = []
            for turn in range(8):
                start = time.process_time()
                for _ in range(20):
                    function()
                cygrad.opencl.synchronize()
                taken.append(time.process_time() - start)
            return min(taken)

        floats = cygrad.randn(100_000, device="opencl")
        halfs = floats.half()
        conversion = least(floats.half)
        for function in (halfs.neg, halfs.abs, lambda: cygrad.copysign(halfs, halfs)):
            assert least(function) < 4 * conversion
        """, POCL_MAX_PTHREAD_COUNT="1")
