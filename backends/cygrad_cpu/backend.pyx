# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""The CPU backend: every entry of the kernel interface, in its order, forwarded to the module that does the work.

The caller (cygrad's core) has checked everything; see `cygrad.backend` for what holds before each call.
"""
cimport cython
from libc.string cimport memcpy

from cygrad.backend cimport Backend
from cygrad.storage cimport Storage
from cygrad.view cimport View
from cygrad_cpu.runtime.allocator cimport allocate_storage, give, release_storage, take
from cygrad_cpu.nn.attention cimport cpu_attention
from cygrad_cpu.nn.convolution cimport cpu_conv2d, cpu_conv2d_backward
from cygrad_cpu.pointwise.elementwise cimport cpu_elementwise
from cygrad_cpu.index.gather_scatter cimport cpu_gather, cpu_nonzero, cpu_scatter
from cygrad_cpu.index.gather_sum cimport cpu_gather_sum
from cygrad_cpu.linalg.routines cimport cpu_linalg
from cygrad_cpu.reduce.map_reduce cimport cpu_map_reduce
from cygrad_cpu.products.matmul cimport cpu_addmm, cpu_matmul
from cygrad_cpu.pointwise.pointwise cimport (cpu_arange, cpu_binary, cpu_binary_scalar, cpu_copy, cpu_fill, cpu_unary,
                                             cpu_where)
from cygrad_cpu.pointwise.unsigned_conversions cimport cpu_convert_unsigned
from cygrad_cpu.reduce.argreduce cimport cpu_argreduce
from cygrad_cpu.runtime.philox cimport cpu_random
from cygrad_cpu.reduce.reduce cimport cpu_reduce
from cygrad_cpu.reduce.scan cimport cpu_scan
from cygrad_cpu.nn.ctc cimport cpu_ctc_loss, cpu_ctc_loss_backward
from cygrad_cpu.nn.class_losses cimport cpu_nll_loss, cpu_nll_loss_backward
from cygrad_cpu.nn.pool cimport cpu_pool, cpu_pool_backward
from cygrad_cpu.nn.recurrent cimport cpu_recurrent, cpu_recurrent_backward
from cygrad_cpu.nn.resampling cimport cpu_grid_sample, cpu_grid_sample_backward, cpu_resample
from cygrad_cpu.nn.normalization cimport (cpu_group_norm, cpu_group_norm_backward, cpu_layer_norm,
                                          cpu_layer_norm_backward)
from cygrad_cpu.nn.softmax cimport cpu_softmax, cpu_softmax_backward
from cygrad_cpu.sort.sorted_rows cimport cpu_sort

from cygrad_cpu.runtime import allocator, instruction_sets, openblas, thread_count
from cygrad_cpu.runtime.denormals import flush_denormal


cdef object fourier = None


@cython.final
cdef class CPUBackend(Backend):
    """cygrad's backend for the machine's own processor."""

    checks_places = walks_backwards = rounds_steps = found_in_base = True

    def __cinit__(self):
        self.name = "cpu"
        self.host_memory = True

    # ---- memory

    cdef int allocate(self, Storage storage) except -1:
        return allocate_storage(storage)

    cdef void release(self, Storage storage) noexcept:
        release_storage(storage)

    cpdef device_count(self):
        return 1

    cpdef alloc(self, int index, Py_ssize_t nbytes):
        return <size_t>take(nbytes)

    cpdef free(self, int index, object buffer, Py_ssize_t nbytes):
        give(<void *><size_t>buffer, nbytes)

    cpdef h2d(self, object host, Storage storage, Py_ssize_t start):
        cdef const unsigned char[::1] source = host
        if source.shape[0]:
            memcpy(<char *>storage.pointer + start, &source[0], source.shape[0])

    cpdef d2h(self, Storage storage, Py_ssize_t start, object host):
        cdef unsigned char[::1] target = host
        if target.shape[0]:
            memcpy(&target[0], <char *>storage.pointer + start, target.shape[0])

    cpdef address(self, object buffer):
        return buffer

    cpdef memory_info(self, int index):
        return allocator.memory_info()

    # ---- what only this backend has: cygrad.cpu.NAME

    def memory_allocated(self, device=None):
        """Bytes that tensors hold now."""
        return allocator.memory_allocated()

    def max_memory_allocated(self, device=None):
        """Most bytes that tensors held at once since the start or `reset_peak_memory_stats`."""
        return allocator.max_memory_allocated()

    def memory_reserved(self, device=None):
        """Bytes taken from the system: held by tensors, or free in the cache."""
        return allocator.memory_reserved()

    def memory_stats(self, device=None):
        """All counters of the allocator, a dict of bytes."""
        return allocator.memory_stats()

    def reset_peak_memory_stats(self, device=None):
        """Start `max_memory_allocated` again from what is held now."""
        allocator.reset_peak_memory_stats()

    def empty_cache(self):
        """Give cached free memory back to the system."""
        allocator.empty_cache()

    def set_cache_limit(self, Py_ssize_t nbytes):
        """Bound the free memory kept for reuse, as ``CYGRAD_CPU_CACHE`` does at the start."""
        allocator.set_cache_limit(nbytes)

    def set_flush_denormal(self, bint mode):
        """Let this thread take numbers below the least ordinary one for 0, or not; False where it can't."""
        return flush_denormal(mode)

    def get_num_threads(self):
        """Number of threads that kernels may use."""
        return thread_count.get_num_threads()

    def set_num_threads(self, int threads):
        """Set the number of threads that kernels may use; 1 means serial."""
        thread_count.set_num_threads(threads)

    def build_info(self):
        """Instruction set, BLAS and threads, a dict of texts."""
        return {"instruction set": instruction_sets.active(), "BLAS": openblas.blas_config(),
                "threads": str(thread_count.get_num_threads())}

    # ---- kernels every backend should have

    cpdef fill(self, View out, object value):
        return cpu_fill(out, value)

    cpdef copy(self, View src, View out):
        return cpu_copy(src, out)

    def convert_unsigned(self, View src not None, View out not None):
        """`copy` where a dtype is uint16, uint32 or uint64: beside the contract, asked for before stand-ins."""
        return cpu_convert_unsigned(src, out)

    cpdef unary(self, int op, View a, View out):
        return cpu_unary(op, a, out)

    cpdef binary(self, int op, View a, View b, View out):
        return cpu_binary(op, a, b, out)

    cpdef where(self, View cond, View a, View b, View out):
        return cpu_where(cond, a, b, out)

    cpdef reduce(self, int op, View a, View out):
        return cpu_reduce(op, a, out)

    cpdef argreduce(self, int op, View a, View out):
        return cpu_argreduce(op, a, out)

    cpdef matmul(self, View a, View b, View out):
        return cpu_matmul(a, b, out)

    cpdef gather(self, View src, View index, int dim, View out):
        return cpu_gather(src, index, dim, out)

    cpdef scatter(self, int mode, View out, int dim, View index, View src):
        return cpu_scatter(mode, out, dim, index, src)

    # ---- optional kernels

    cpdef binary_scalar(self, int op, View a, object x, bint swapped, View out):
        return cpu_binary_scalar(op, a, x, swapped, out)

    cpdef elementwise(self, tuple program, tuple ins, tuple outs):
        if cpu_elementwise(self, program, ins, outs) is NotImplemented:
            return Backend.elementwise(self, program, ins, outs)

    cpdef map_reduce(self, tuple program, tuple ins, tuple ops, tuple finish, tuple numbers, tuple outs):
        return cpu_map_reduce(program, ins, ops, finish, numbers, outs)

    cpdef arange(self, View out, object start, object step):
        return cpu_arange(out, start, step)

    cpdef scan(self, int op, View a, View out, View index):
        return cpu_scan(op, a, out, index)

    cpdef sort(self, View a, bint descending, bint stable, View values, View index):
        return cpu_sort(a, descending, 0, values, index)

    cpdef partial_sort(self, View a, bint descending, Py_ssize_t first, View values, View index):
        return cpu_sort(a, descending, first, values, index)

    cpdef nonzero(self, View a, object allocate):
        return cpu_nonzero(a, allocate)

    cpdef addmm(self, View bias, View a, View b, double beta, double alpha, View out):
        return cpu_addmm(bias, a, b, beta, alpha, out)

    cpdef softmax(self, View a, bint log, View out):
        return cpu_softmax(a, log, out)

    cpdef softmax_backward(self, View grad, View result, bint log, View out):
        return cpu_softmax_backward(grad, result, log, out)

    cpdef layer_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd):
        return cpu_layer_norm(a, weight, bias, eps, out, mean, rstd)

    cpdef layer_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a,
                              View grad_weight, View grad_bias):
        return cpu_layer_norm_backward(grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias)

    def group_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd):
        return cpu_group_norm(a, weight, bias, eps, out, mean, rstd)

    def group_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a, View grad_weight,
                            View grad_bias):
        return cpu_group_norm_backward(grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias)

    cpdef conv2d(self, View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                 View out):
        return cpu_conv2d(a, weight, bias, stride, padding, dilation, groups, out)

    cpdef conv2d_backward(self, View grad, View a, View weight, tuple stride, tuple padding, tuple dilation, int groups,
                          View grad_a, View grad_weight, View grad_bias):
        return cpu_conv2d_backward(grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias)

    def pool(self, int op, View a, tuple boxes, View out, View index):
        return cpu_pool(op, a, boxes, out, index)

    def pool_backward(self, View grad, View index, View out):
        return cpu_pool_backward(grad, index, out)

    def nll_loss(self, View a, View target, View weight, long long ignore, bint mean, View out, View outside):
        return cpu_nll_loss(a, target, weight, ignore, mean, out, outside)

    def nll_loss_backward(self, View grad, View target, View weight, long long ignore, bint mean, View grad_a):
        return cpu_nll_loss_backward(grad, target, weight, ignore, mean, grad_a)

    def ctc_loss(self, View a, View labels, View starts, View counts, View steps, int blank, View out, View sums,
                 View outside):
        return cpu_ctc_loss(a, labels, starts, counts, steps, blank, out, sums, outside)

    def ctc_loss_backward(self, View grad, View a, View labels, View starts, View counts, View steps, int blank,
                          View losses, View sums, bint zero_infinity, View grad_a):
        return cpu_ctc_loss_backward(grad, a, labels, starts, counts, steps, blank, losses, sums, zero_infinity, grad_a)

    def gather_sum(self, View a, View index, View starts, View weights, View out):
        return cpu_gather_sum(a, index, starts, weights, out)

    def resample(self, View a, View places, View weights, View out):
        return cpu_resample(a, places, weights, out)

    def grid_sample(self, int mode, int padding, bint align, View a, View grid, View out):
        return cpu_grid_sample(mode, padding, align, a, grid, out)

    def grid_sample_backward(self, int mode, int padding, bint align, View grad, View a, View grid, View grad_a,
                             View grad_grid):
        return cpu_grid_sample_backward(mode, padding, align, grad, a, grid, grad_a, grad_grid)

    cpdef attention(self, View query, View key, View value, View mask, bint causal, double scale, View out):
        return cpu_attention(query, key, value, mask, causal, scale, out)

    def recurrent(self, int cell, tuple steps, View gates, View weight, View bias, View h, View c, View values,
                  View kept, View out, View last_h, View last_c):
        return cpu_recurrent(cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c)

    def recurrent_backward(self, int cell, tuple steps, View grad_out, View grad_h, View grad_c, View values, View kept,
                           View before, View weight, View slopes, View hidden, View slope_h, View slope_c):
        return cpu_recurrent_backward(cell, steps, grad_out, grad_h, grad_c, values, kept, before, weight, slopes,
                                      hidden, slope_h, slope_c)

    cpdef random(self, int kind, View out, object seed, object offset, double a, double b):
        return cpu_random(kind, out, seed, offset, a, b)

    cpdef linalg(self, str routine, tuple ins, tuple outs, dict options):
        return cpu_linalg(routine, ins, outs, options)

    def fft(self, View a, View out, tuple axes, bint inverse, str norm):
        global fourier
        if fourier is None:
            from cygrad_cpu.fourier.pocketfft import fourier      # start-up time
        return fourier(a, out, axes, inverse, norm)
