"""If this fails, work in several CUDA streams, or on several devices, may read what is not there yet.

No GPU is needed: the stand-in for the driver notes every use of memory that no event orders (fake_cuda.py), and the
`machine` fixture fails when there is one.
"""
import threading

import cygrad
import pytest
from cygrad import cuda
from cygrad.errors import BackendError
from fake_cuda import CUresult


def stream_of_launches(gpu):
    return [launch.stream for launch in gpu.driver.launches]


# ---- streams

def test_work_goes_to_the_current_stream(gpu):
    x = cygrad.empty(8, device="cuda")
    s = cuda.Stream()
    assert cuda.current_stream() == cuda.default_stream() and cuda.current_stream().cuda_stream == 0
    x.fill_(1)
    s.wait_stream(cuda.current_stream())
    with cuda.stream(s) as inside:
        assert inside is s and cuda.current_stream() == s != cuda.default_stream()
        x.fill_(2)
    with s:
        x.fill_(3)
    cuda.set_stream(s)
    x.fill_(4)
    cuda.set_stream(cuda.default_stream())
    assert stream_of_launches(gpu) == [0, s.cuda_stream, s.cuda_stream, s.cuda_stream]
    assert repr(s) == f"<cygrad.cuda.Stream device=cuda:0 cuda_stream={s.cuda_stream:#x}>" and hash(s) != 0
    assert s.query()
    s.synchronize()
    with cuda.stream(None):
        assert cuda.current_stream() == cuda.default_stream()


def test_each_thread_and_device_has_its_own_current_stream(gpu):
    found = []
    first, second = cuda.Stream(0), cuda.Stream("cuda:1")
    with cuda.stream(first), cuda.stream(second):
        assert cuda.current_device() == 1 and cuda.current_stream(0) == first and cuda.current_stream() == second
        thread = threading.Thread(target=lambda: found.extend([cuda.current_stream(0), cuda.current_stream(1)]))
        thread.start()
        thread.join()
    assert [s.cuda_stream for s in found] == [0, 0] and [s.device.index for s in found] == [0, 1]
    assert cuda.current_device() == 0 and cuda.current_stream(1) == cuda.default_stream(1)


def test_priorities_and_the_pool_of_streams(gpu):
    low, high = cuda.Stream(priority=5), cuda.Stream(priority=-9)
    streams = gpu.driver.streams
    assert (streams[low.cuda_stream].priority, streams[high.cuda_stream].priority) == (0, -2)
    handles = [cuda.Stream().cuda_stream for _ in range(40)]
    assert len(set(handles)) == 32


def test_a_stream_of_another_library(gpu):
    _, handle = gpu.driver.cuStreamCreateWithPriority(1, 0)
    gpu.driver.streams[handle].context = 1001
    with cuda.stream(cuda.ExternalStream(handle, device=1)):
        cygrad.empty(3, device="cuda").fill_(0)
    launch, = gpu.driver.launches
    assert (launch.stream, launch.context) == (handle, 1001)


def test_the_driver_would_see_a_missing_wait(gpu):
    x = cygrad.empty(8, device="cuda")
    x.fill_(1)
    with cuda.stream(cuda.Stream()):
        x.fill_(2)
    assert "does not wait for" in gpu.driver.misuse.pop() and not gpu.driver.misuse


# ---- events

def test_events(gpu):
    start, end = (cuda.Event(enable_timing=True) for _ in range(2))
    assert start.query() and start.cuda_event == 0 and start.device is None
    with pytest.raises(ValueError, match="must be recorded before"):
        start.elapsed_time(end)
    start.record()
    end.record(cuda.current_stream())
    end.synchronize()
    assert end.query() and start.elapsed_time(end) == 1.5
    with pytest.raises(ValueError, match="'enable_timing=True'"):
        start.elapsed_time(cuda.Event())
    with pytest.raises(RuntimeError, match="Event device cuda:0 does not match"):
        end.record(cuda.default_stream(1))
    del start, end
    assert gpu.driver.calls.count("cuEventDestroy") == 2


def test_an_event_of_a_busy_stream_has_not_come(gpu):
    s = cuda.Stream()
    gpu.driver.stall(s.cuda_stream)
    event = s.record_event()
    assert not event.query() and not s.query()
    event.synchronize()
    assert event.query() and s.query()


def test_streams_wait_for_each_other(computing_gpu):
    a, b = cuda.Stream(), cuda.Stream()
    computing_gpu.driver.stall(a.cuda_stream)
    with cuda.stream(a):
        x = cygrad.ones(4, device="cuda")
        y = x + 1
    b.wait_stream(a)
    with cuda.stream(b):
        z = y * 3
        y.record_stream(b)
    cuda.current_stream().wait_stream(b)
    assert z.tolist() == [6, 6, 6, 6]


# ---- memory

def test_freed_memory_goes_to_the_same_stream_at_once(gpu):
    a, b = cuda.Stream(), cuda.Stream()
    with cuda.stream(a):
        x = cygrad.empty(1000, device="cuda")
        place = x.data_ptr()
        x.fill_(1)
        gpu.driver.stall(a.cuda_stream)
        x.fill_(2)
        del x
    with cuda.stream(b):
        other = cygrad.empty(1000, device="cuda")
        assert other.data_ptr() != place                # a is busy with it
        other.fill_(3)
    with cuda.stream(a):
        assert cygrad.empty(1000, device="cuda").fill_(4).data_ptr() == place


def test_a_stream_takes_memory_of_an_idle_one_before_the_driver_is_asked(gpu):
    with cuda.stream(cuda.Stream()):
        x = cygrad.empty(1000, device="cuda").fill_(1)
        place = x.data_ptr()
        del x
    with cuda.stream(cuda.Stream()):
        assert cygrad.empty(1000, device="cuda").fill_(2).data_ptr() == place
    assert gpu.driver.calls.count("cuMemAlloc") == 1


def test_recorded_streams_keep_memory_from_reuse(gpu):
    s = cuda.Stream()
    x = cygrad.empty(1000, device="cuda").fill_(1)
    place = x.data_ptr()
    s.wait_stream(cuda.current_stream())
    gpu.driver.stall(s.cuda_stream)
    with cuda.stream(s):
        x.fill_(2)
        x.record_stream(s)
    del x
    other = cygrad.empty(1000, device="cuda").fill_(3)
    assert other.data_ptr() != place
    s.synchronize()
    assert cygrad.empty(1000, device="cuda").fill_(4).data_ptr() == place


def test_a_full_device_waits_for_what_streams_still_read(gpu):
    s = cuda.Stream()
    x = cygrad.empty(900_000, dtype=cygrad.uint8, device="cuda")
    x.record_stream(s)
    gpu.driver.stall(s.cuda_stream)
    s.record_event()
    del x
    assert cygrad.empty(800_000, dtype=cygrad.uint8, device="cuda").numel() == 800_000
    assert cuda.memory_stats()["num_alloc_retries"] <= 1 and cuda.memory_reserved() < 1 << 20


def test_record_stream_needs_streams():
    with pytest.raises(NotImplementedError, match="'cpu' has no streams"):
        cygrad.ones(2).record_stream(None)


# ---- page-locked memory, copies that don't wait

def test_pinned_memory(gpu):
    x = cygrad.arange(6.0).view(2, 3)
    y = x.pin_memory()
    assert y.is_pinned() and not x.is_pinned() and y.pin_memory() is y and y.tolist() == x.tolist()
    assert y.t().is_pinned() and y.data_ptr() in gpu.driver.pinned
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        x.cuda().pin_memory()
    place = y.data_ptr()
    del y
    assert cygrad.ones(6).pin_memory().data_ptr() == place
    cuda.empty_cache()
    assert not gpu.driver.pinned


def test_copies_that_do_not_wait(gpu):
    x = cygrad.arange(4.0).pin_memory()
    s = cuda.Stream()
    gpu.driver.stall(s.cuda_stream)
    with cuda.stream(s):
        y = x.to("cuda", non_blocking=True)
        back = y.to("cpu", non_blocking=True)
        assert back.is_pinned() and back.tolist() != x.tolist()
        late = cygrad.zeros(4).pin_memory().copy_(y, non_blocking=True)
        y.record_stream(s)
    assert "cuStreamSynchronize" not in gpu.driver.calls
    x[0] = 7                                            # the copy reads it only now, as a device may
    s.synchronize()
    assert back.tolist() == late.tolist() == [7, 1, 2, 3] == y.tolist()


def test_what_is_not_pinned_is_waited_for(gpu):
    x = cygrad.arange(4.0)
    y = x.to("cuda", non_blocking=True)
    x[0] = 7
    assert y.tolist() == [0, 1, 2, 3]
    pinned = x.pin_memory()
    z = pinned.cuda()
    pinned[1] = 9
    assert z.tolist() == [7, 1, 2, 3]


def test_pinned_memory_is_not_reused_while_a_copy_reads_it(gpu):
    x = cygrad.ones(4).pin_memory()
    place, s = x.data_ptr(), cuda.Stream()
    gpu.driver.stall(s.cuda_stream)
    with cuda.stream(s):
        y = x.cuda(non_blocking=True)
        del x
        assert cygrad.zeros(4).pin_memory().data_ptr() != place
    s.synchronize()
    assert y.tolist() == [1, 1, 1, 1] and cygrad.zeros(4).pin_memory().data_ptr() == place


def test_without_a_device_nothing_is_pinned(machine):
    machine(None)
    assert not cygrad.ones(1).is_pinned()
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available"):
        cygrad.ones(1).pin_memory()


# ---- several devices

def test_copies_between_devices_keep_the_order_of_both(computing_gpu):
    x = cygrad.arange(5.0, device="cuda:0") + 1
    y = x.to("cuda:1")
    x.add_(1)
    y.mul_(2)
    x.copy_(y)
    assert y.tolist() == x.tolist() == [2, 4, 6, 8, 10]
    assert "cuCtxEnablePeerAccess" in computing_gpu.driver.calls and cuda.can_device_access_peer(0, 1)
    assert not cuda.can_device_access_peer(0, 0)


def test_copies_between_devices_in_streams(computing_gpu):
    a, b = cuda.Stream(0), cuda.Stream(1)
    computing_gpu.driver.stall(a.cuda_stream)
    with cuda.stream(a):
        x = cygrad.arange(5.0, device="cuda:0") + 1
        with cuda.stream(b):
            y = x.to("cuda:1") * 2
            assert y.tolist() == [2, 4, 6, 8, 10]


def test_the_current_device(gpu):
    with cuda.device(1):
        assert cygrad.empty(1, device="cuda").device.index == cuda.current_device() == 1
        with cuda.device_of(cygrad.empty(1, device="cuda:0")):
            assert cuda.current_device() == 0
    cuda.set_device("cuda:1")
    assert cuda.Stream().device.index == 1 and cuda.current_stream().device.index == 1
    cuda.set_device(0)


def test_a_lost_device_says_so(gpu):
    x = cygrad.empty(3, device="cuda")
    gpu.driver.failing["cuStreamSynchronize"] = CUresult.CUDA_ERROR_LAUNCH_FAILED
    with pytest.raises(BackendError, match="cuStreamSynchronize failed: CUDA_ERROR_LAUNCH_FAILED .*start it again"):
        x.tolist()
    gpu.driver.failing.clear()


@pytest.mark.parametrize("make", [
    lambda **options: cygrad.empty(3, **options), lambda **options: cygrad.zeros(2, 3, **options),
    lambda **options: cygrad.full((2,), 4.0, **options), lambda **options: cygrad.tensor([1.0, 2.0], **options),
    lambda **options: cygrad.rand(5, **options), lambda **options: cygrad.randint(3, (4,), **options),
    lambda **options: cygrad.arange(4, **options), lambda **options: cygrad.eye(3, **options),
    lambda **options: cygrad.ones(3).new_zeros(2, **options),
    lambda **options: cygrad.ones_like(cygrad.ones(2), **options),
    lambda **options: cygrad.hann_window(5, **options), lambda **options: cygrad.tril_indices(3, 3, **options),
    lambda **options: cygrad.empty_strided((2, 2), (1, 2), **options)])
def test_factories_pin(gpu, make):
    made = make(pin_memory=True)
    assert made.is_pinned() and not make().is_pinned() and made.shape == make().shape
    if made.is_floating_point():
        assert made.requires_grad_().is_leaf


def test_factories_without_a_device(machine):
    machine(None)
    with pytest.raises(RuntimeError, match="pin_memory=True requires a CUDA or other accelerator backend"):
        cygrad.zeros(2, pin_memory=True)
