"""The device: its buffers, transfers of any bytes, compiled kernels and the queue of work.

Work is recorded into one command encoder and submitted when somebody waits, when the host writes, or when there is much
of it. WebGPU's calls are not for several threads at once, so everything here is done under one lock.
"""
import threading
from collections import OrderedDict

import numpy as np
import wgpu

GROUP = 64                                # invocations of a workgroup
GROUPS = 65535                            # workgroups along one axis of a dispatch; more go along a second one
PENDING = 128                             # dispatches after which what is recorded is submitted
KEPT = 256                                # small buffers of parameters that are kept for the next call like it
USAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST


def adapters():
    """The adapters that compute: those of one API for each piece of hardware, [] where there is no driver."""
    try:
        found = wgpu.gpu.enumerate_adapters_sync()
    except Exception:                     # no library, no driver
        return []
    return [adapter for adapter in found if adapter.info["backend_type"] in ("Vulkan", "Metal", "D3D12")]


class Buffer:
    """Memory of a device, which kernels and transfers find through it."""

    def __init__(self, device, gpu, nbytes):
        self.device, self.gpu, self.nbytes = device, gpu, nbytes


class Device:
    """One adapter, opened."""

    def __init__(self, adapter):
        names = ("max-storage-buffer-binding-size", "max-buffer-size")
        self.limits = {name: adapter.limits[name] for name in names}
        self.device = adapter.request_device_sync(required_limits=self.limits)
        self.queue = self.device.queue
        self.lock = threading.RLock()
        self.free, self.kernels, self.parameters = {}, {}, OrderedDict()
        self.encoder, self.recorded = None, 0
        self.last = self.device.create_buffer(size=4, usage=USAGE)

    # ---- memory

    def alloc(self, nbytes):
        """A buffer, one that was given back before if there is one of its size."""
        size = max(-(-nbytes // 256) * 256, 256)
        if size > min(self.limits.values()):
            raise MemoryError(f"webgpu: {nbytes} bytes are more than a buffer can have: {min(self.limits.values())}")
        with self.lock:
            kept = self.free.get(size)
            if kept:
                return kept.pop()
            try:
                return Buffer(self, self.device.create_buffer(size=size, usage=USAGE), size)
            except wgpu.GPUOutOfMemoryError as error:
                raise MemoryError(f"webgpu: {error}") from None

    def give_back(self, buffer):
        """Keep a buffer for the next `alloc` of its size: work that uses it comes before what will be given to it."""
        with self.lock:
            self.free.setdefault(buffer.nbytes, []).append(buffer)

    def write(self, buffer, start, host):
        """Host to device; WebGPU writes whole words, so those at the ends are read first."""
        if not len(host):
            return
        with self.lock:
            self.submit()
            first, last = start // 4 * 4, -(-(start + len(host)) // 4) * 4
            if last - first == len(host):
                self.queue.write_buffer(buffer.gpu, start, host)
                return
            words = bytearray(last - first)
            for word in {first, last - 4}:
                words[word - first:word - first + 4] = self.queue.read_buffer(buffer.gpu, word, 4)
            words[start - first:start - first + len(host)] = host
            self.queue.write_buffer(buffer.gpu, first, words)

    def read(self, buffer, start, host):
        """Device to host, when all work before is done."""
        if not len(host):
            return
        with self.lock:
            self.submit()
            first, last = start // 4 * 4, -(-(start + len(host)) // 4) * 4
            found = self.queue.read_buffer(buffer.gpu, first, last - first)
            host[:] = found[start - first:start - first + len(host)]

    def wait(self):
        """Until the device is idle."""
        with self.lock:
            self.submit()
            self.queue.read_buffer(self.last, 0, 4)         # which comes after all that is in the queue

    # ---- work

    def submit(self):
        """Hand what is recorded to the device."""
        if self.encoder is not None:
            self.queue.submit([self.encoder.finish()])
            self.encoder, self.recorded = None, 0

    def launch(self, key, make, buffers, parameters, groups):
        """Record a dispatch of the kernel `key`, whose text `make()` gives when it is needed for the first time.

        `buffers` are bound in their order, and behind them the parameters, a list of integers.
        """
        with self.lock:
            kernel = self.kernels.get(key)
            if kernel is None:
                module = self.device.create_shader_module(code=make())
                kernel = self.kernels[key] = self.device.create_compute_pipeline(
                    layout="auto", compute={"module": module, "entry_point": "main"})
            bound = [buffer.gpu for buffer in buffers] + [self._parameters(parameters)]
            group = self.device.create_bind_group(layout=kernel.get_bind_group_layout(0), entries=[
                {"binding": i, "resource": {"buffer": gpu, "offset": 0, "size": gpu.size}}
                for i, gpu in enumerate(bound)])
            if self.encoder is None:
                self.encoder = self.device.create_command_encoder()
            work = self.encoder.begin_compute_pass()
            work.set_pipeline(kernel)
            work.set_bind_group(0, group)
            rows = -(-groups // GROUPS)
            work.dispatch_workgroups(-(-groups // rows), rows)
            work.end()
            self.recorded += 1
            if self.recorded >= PENDING:
                self.submit()

    def _parameters(self, values):
        """A buffer of these integers; programs call the same kernels with the same shapes again and again."""
        data = np.array(values, "int64").astype("uint32").tobytes()
        found = self.parameters.pop(data, None)
        if found is None:
            found = self.device.create_buffer_with_data(data=data, usage=wgpu.BufferUsage.STORAGE)
            if len(self.parameters) >= KEPT:
                self.parameters.popitem(last=False)
        self.parameters[data] = found
        return found
