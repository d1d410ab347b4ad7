"""If this fails, a machine without a GPU gets no word why, or the CUDA backend mistakes what its driver says.

No GPU is needed: fake_cuda.py stands in for the driver. What it can't show is whether kernels compute what they should.
"""
import os
import struct
import subprocess
import sys

import cygrad
import fake_cuda
import pytest
from cygrad.devices import entry_points
from cygrad.errors import BackendError, BackendUnavailable, KernelBuildError, OutOfMemoryError
from fake_cuda import CUresult
from fake_packages import install

# ---- no GPU

def refused():
    with pytest.raises(BackendUnavailable) as caught:
        cygrad.ones(1, device="cuda")
    assert not cygrad.cuda.is_available() and cygrad.cuda.device_count() == 0
    assert "pip install cygrad[cuda]" in str(caught.value)
    assert cygrad.cuda.memory_allocated() == cygrad.cuda.memory_reserved() == 0
    with pytest.raises(BackendUnavailable, match="there is no device cuda:0: "):
        cygrad.cuda.get_device_name(0)
    return str(caught.value)


def test_without_cuda_bindings(machine):
    machine(None)
    assert "cuda-bindings can't be imported" in refused()


def test_without_a_driver(machine):
    class NoLibrary(fake_cuda.FakeDriver):
        def cuInit(self, flags):
            raise RuntimeError("libcuda.so.1: cannot open shared object file")

    machine(NoLibrary())
    assert "libcuda.so.1: cannot open shared object file" in refused()


def test_with_a_driver_that_refuses(machine):
    driver = fake_cuda.FakeDriver()
    driver.failing["cuInit"] = CUresult.CUDA_ERROR_NO_DEVICE
    machine(driver)
    assert "cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device)" in refused()


def test_with_a_driver_that_sees_none(machine):
    machine(fake_cuda.FakeDriver(devices=0))
    assert "the driver sees no GPU" in refused()


def test_a_device_that_does_not_open(machine):
    driver = fake_cuda.FakeDriver()
    driver.failing["cuDevicePrimaryCtxRetain"] = CUresult.CUDA_ERROR_ILLEGAL_ADDRESS
    machine(driver)
    with pytest.raises(BackendUnavailable, match="cuda:0 does not open: .*cuDevicePrimaryCtxRetain failed: CUDA_"):
        cygrad.ones(1, device="cuda")
    driver.failing.clear()
    assert cygrad.empty(1, device="cuda").is_cuda


def test_the_machine_as_it_is(tmp_path):
    """The installed backend, with whatever this machine has of drivers and packages."""
    if "cuda" not in entry_points.find("cygrad.backends"):
        install(tmp_path, "cygrad-checkout", {"cygrad.backends": {"cuda": "cygrad_cuda:CUDABackend"}})
    code = """if 1:
        import sys, cygrad
        assert not [name for name in sys.modules if name.startswith(("cuda", "cygrad_cuda", "cygrad_gpu"))]
        if cygrad.cuda.is_available():
            assert cygrad.empty(3, device="cuda").is_cuda
        else:
            try:
                cygrad.empty(3, device="cuda")
            except cygrad.errors.BackendUnavailable as error:
                assert "has no usable device on this machine: " in str(error), error
        print("fine")
    """
    path = os.pathsep.join([str(tmp_path), *sys.path])
    made = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True,
                          text=True)
    assert made.stdout.strip() == "fine", made.stderr


# ---- devices and memory

def test_values_go_there_and_back(gpu):
    assert cygrad.cuda.is_available() and cygrad.cuda.device_count() == 2
    assert cygrad.cuda.get_device_name(1) == "Fake 1" and cygrad.cuda.get_device_capability() == (9, 0)
    x = cygrad.arange(12.0).view(3, 4)
    y = x.cuda()
    assert y.is_cuda and str(y.device) == "cuda:0" and y.data_ptr() in gpu.driver.memory
    assert y.tolist() == x.tolist() and y[1:].cpu().tolist() == x[1:].tolist()
    z = y.to("cuda:1")
    assert z.tolist() == x.tolist() and gpu.driver.memory[z.data_ptr()].context == 1001
    assert "cuMemcpyPeerAsync" in gpu.driver.calls


def test_memory_is_reused_and_given_back(gpu):
    x = cygrad.empty(1000, device="cuda")
    place = x.data_ptr()
    assert cygrad.cuda.memory_allocated() == cygrad.cuda.memory_reserved() == 4096
    del x
    assert cygrad.cuda.memory_allocated() == 0 and cygrad.cuda.max_memory_allocated() == 4096
    assert cygrad.empty(1000, device="cuda").data_ptr() == place
    assert gpu.driver.calls.count("cuMemAlloc") == 1 and cygrad.cuda.mem_get_info() == (1 << 20, 1 << 20)
    cygrad.cuda.empty_cache()
    assert cygrad.cuda.memory_reserved() == 0 and not gpu.driver.memory


def test_a_full_device_gives_up_what_it_kept_before_it_refuses(gpu):
    gpu.driver.limit = 1 << 20
    kept = cygrad.empty(1000, dtype=cygrad.uint8, device="cuda")
    del kept
    gpu.driver.limit -= 4096                            # another process takes some
    whole = cygrad.empty((1 << 20) - (1 << 17), dtype=cygrad.uint8, device="cuda")
    assert len(gpu.driver.memory) == 2
    with pytest.raises(OutOfMemoryError, match=r"no buffer of 131072 bytes .*OUT_OF_MEMORY \(out of memory\)"):
        cygrad.empty(1 << 17, dtype=cygrad.uint8, device="cuda")
    assert len(gpu.driver.memory) == 1 and cygrad.cuda.memory_reserved() == cygrad.cuda.memory_allocated()
    with pytest.raises(OutOfMemoryError, match="at most 1048576 in one"):
        cygrad.empty(1 << 40, dtype=cygrad.uint8, device="cuda")
    del whole
    assert cygrad.empty(1 << 17, dtype=cygrad.uint8, device="cuda").numel() == 1 << 17


@pytest.mark.parametrize("call, use", [
    ("cuMemcpyHtoDAsync", lambda x: cygrad.ones(3).cuda()), ("cuMemcpyDtoHAsync", lambda x: x.tolist()),
    ("cuMemcpyPeerAsync", lambda x: x.to("cuda:1")), ("cuCtxSynchronize", lambda x: cygrad.cuda.synchronize()),
    ("cuLaunchKernel", lambda x: x.fill_(1)), ("cuModuleLoadData", lambda x: x.zero_())])
def test_what_the_driver_refuses_is_said_in_its_words(gpu, call, use):
    x = cygrad.empty(3, device="cuda")
    gpu.driver.failing[call] = CUresult.CUDA_ERROR_ILLEGAL_ADDRESS
    with pytest.raises(BackendError, match=rf"CUDA: {call}.* failed: CUDA_ERROR_ILLEGAL_ADDRESS \(an illegal memory"):
        use(x)


# ---- programs and launches

def test_a_launch_passes_its_arguments(gpu):
    x = cygrad.empty(3300, device="cuda:1")[300:]
    x.fill_(0.5)
    launch, = gpu.driver.launches
    number, = struct.unpack("q", struct.pack("d", 0.5))
    assert (launch.groups, launch.items, launch.context, launch.stream) == (3, 256, 1001, 0)
    assert launch.arguments[:3] == [x.data_ptr() - 1200, 300, number]
    source, options = gpu.nvrtc.built[0]
    assert f"KERNEL({launch.name})".encode() in source
    assert b"--gpu-architecture=sm_90" in options


def test_the_second_device_needs_no_first(gpu):
    x = cygrad.empty(4, 5, device="cuda:1")
    x @ x.t()
    x.sum()
    assert {launch.context for launch in gpu.driver.launches} == {1001} and gpu.backend.memory_allocated(0) == 0


def test_programs_are_compiled_once_on_a_machine(machine):
    first, second = machine(fake_cuda.FakeDriver()), None
    for _ in range(3):
        cygrad.empty(5, device="cuda").fill_(2)
    assert cygrad.cuda.program_stats()["built"] == 1 and len(first.driver.launches) == 3
    second = machine(fake_cuda.FakeDriver())
    cygrad.empty(5, device="cuda").fill_(2)
    assert cygrad.cuda.program_stats()["built"] == 0 and cygrad.cuda.program_stats()["loaded"] == 1
    assert not second.nvrtc.built and len(second.driver.launches) == 1


def test_a_damaged_cache_is_not_used(machine, tmp_path, monkeypatch):
    from cygrad_gpu.runtime import binary_cache
    machine(fake_cuda.FakeDriver())
    cygrad.empty(5, device="cuda").fill_(2)
    file, = (tmp_path / "cuda").iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    machine(fake_cuda.FakeDriver())
    monkeypatch.setattr(binary_cache, "_complained", False)
    with pytest.warns(RuntimeWarning, match="damaged"):
        cygrad.empty(5, device="cuda").fill_(2)
    assert cygrad.cuda.program_stats()["built"] == 1


def test_a_kernel_that_does_not_compile_raises_with_the_log(gpu):
    cygrad.empty(1, device="cuda")
    with pytest.raises(KernelBuildError, match="error: nonsense"):
        gpu.backend.kernel(0, "test", lambda traits: ("name", "nonsense here", 1))


def test_architectures_the_compiler_does_not_know(gpu):
    from cygrad_cuda import compiler
    assert compiler.target(80) == ("sm_80", True) and compiler.target(120) == ("compute_90", False)
    with pytest.raises(BackendError, match="compute capability 7.0; it begins at 7.5"):
        compiler.target(70)


# ---- the rest of cygrad.cuda

def test_what_a_device_says_of_itself(gpu):
    assert not cygrad.cuda.is_initialized()
    cygrad.cuda.init()
    assert cygrad.cuda.is_initialized()
    found = cygrad.cuda.get_device_properties("cuda:1")
    assert (found.name, found.major, found.minor) == ("Fake 1", 9, 0)
    assert (found.multi_processor_count, found.warp_size) == (4, 32)
    assert found.total_memory == 1 << 20 and found.shared_memory_per_block == 49152
    assert cygrad.cuda.get_arch_list() == ["sm_75", "sm_80", "sm_90"] and cygrad.cuda.get_device_name() == "Fake 0"
    assert cygrad.cuda.is_bf16_supported() and cygrad.cuda.is_tf32_supported()
    with pytest.raises(ValueError, match="Expected a cuda device"):
        cygrad.cuda.get_device_properties("cpu")
    with pytest.raises(AttributeError, match="has no 'nonsense'"):
        cygrad.cuda.nonsense


def test_what_memory_is_counted(gpu):
    x = cygrad.empty(1000, device="cuda")
    y = cygrad.empty(1000, device="cuda")
    del y
    stats = cygrad.cuda.memory_stats()
    assert (stats["allocated_bytes.all.current"], stats["allocated_bytes.all.peak"]) == (4096, 8192)
    assert (stats["allocation.all.allocated"], stats["allocation.all.freed"], stats["segment.all.current"]) == (2, 1, 2)
    assert cygrad.cuda.max_memory_reserved() == cygrad.cuda.memory_reserved() == 8192
    lines = cygrad.cuda.memory_summary().splitlines()
    assert lines[0] == "Memory of cuda:0, Fake 0" and len(lines) == 7
    assert lines[3].split() == ["allocated", "bytes", "4,096", "8,192", "8,192", "4,096"]
    assert len(cygrad.cuda.memory_summary(abbreviated=True).splitlines()) == 5
    cygrad.cuda.reset_accumulated_memory_stats()
    cygrad.cuda.reset_peak_memory_stats()
    cygrad.cuda.empty_cache()
    assert cygrad.cuda.max_memory_allocated() == 4096 and cygrad.cuda.memory_reserved() == 4096
    assert cygrad.cuda.memory_stats()["allocation.all.allocated"] == 1
    del x


def test_a_part_of_the_memory(gpu):
    cygrad.cuda.set_per_process_memory_fraction(0.25)
    with pytest.raises(OutOfMemoryError, match="at most 262144 in one"):
        cygrad.empty(1 << 19, dtype=cygrad.uint8, device="cuda")
    with pytest.raises(ValueError, match="Allowed range: 0~1"):
        cygrad.cuda.set_per_process_memory_fraction(2)
    assert cygrad.cuda.OutOfMemoryError is OutOfMemoryError


def test_random_numbers_are_the_hosts(gpu):
    cygrad.cuda.manual_seed_all(3)
    assert cygrad.cuda.initial_seed() == 3
    state, first = cygrad.cuda.get_rng_state(), cygrad.rand(3)
    cygrad.cuda.set_rng_state_all(cygrad.cuda.get_rng_state_all())
    cygrad.cuda.set_rng_state(state)
    assert cygrad.equal(cygrad.rand(3, device="cuda").cpu(), first)
    cygrad.cuda.seed_all()
    assert cygrad.cuda.initial_seed() != 3


def test_streams_need_a_device(machine):
    machine(fake_cuda.FakeDriver(devices=0))
    for make in (cygrad.cuda.Stream, cygrad.cuda.current_stream, cygrad.cuda.Event().record, cygrad.cuda.init):
        with pytest.raises(BackendUnavailable, match="the driver sees no GPU"):
            make()
    assert not cygrad.cuda.is_current_stream_capturing() and not cygrad.cuda.is_bf16_supported()
