# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""Launching: kernels found by key, arguments packed in C, and the base class of the OpenCL and CUDA backends.

A kernel takes its arguments in the order in which they were added. A View gives two: the buffer, and the offset of its
first element (`ARRAY` and `OPEN` in the templates). An int is `long`, a float is `number` (double; float on devices
without it), axes are `long8`. Launches are one-dimensional: a number of groups of `Kernel.group` items.

Families in Python work out their launches in several microseconds. What they launch for operands of one geometry is
kept as a Plan and launched again for others of that geometry, without Python.
"""
import threading

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_Check
from cpython.pythread cimport PyThread_get_thread_ident
from libc.string cimport memcpy

from cygrad.dtype cimport INT32, DType, dtype_of
from cygrad.storage cimport Storage, new_storage
from cygrad.view cimport View, fill_dense, make_view
from cygrad_gpu.runtime.memory_pool cimport Memory

from cygrad.devices import discovery
from cygrad.errors import BackendError


cdef class Kernel:
    pass


cdef class GPUDevice:
    pass


cdef class Launch:
    pass


cdef class Plan:
    pass


cdef enum:
    PLANS = 1024                        # kept at most
    WORDS = 128                         # of a geometry, at most


# ---- arguments

cdef void begin(Arguments *arguments, bint wide) noexcept:
    arguments.count = 0
    arguments.used = 0
    arguments.views = 0
    arguments.wide = wide


cdef inline void *reserve(Arguments *arguments, size_t size) except NULL:
    """Room for one more argument of `size` bytes, in whole words."""
    cdef void *place = &arguments.room[arguments.used]
    cdef size_t words = (size + 7) // 8
    if arguments.count >= MAX_ARGUMENTS or arguments.used + words > MAX_WORDS:
        raise BackendError("a kernel has too many arguments")
    arguments.sizes[arguments.count] = size
    arguments.values[arguments.count] = place
    arguments.count += 1
    arguments.used += words
    return place


cdef int add_view(Arguments *arguments, View v) except -1:
    arguments.viewed[arguments.views] = <void *>v
    arguments.places[arguments.views] = <int>arguments.used
    arguments.views += 1
    (<size_t *>reserve(arguments, sizeof(size_t)))[0] = (<Memory?>v.memory.handle).address
    (<long long *>reserve(arguments, 8))[0] = v.offset
    return 0


cdef int add_long(Arguments *arguments, long long value) except -1:
    (<long long *>reserve(arguments, 8))[0] = value
    return 0


cdef int add_number(Arguments *arguments, double value) except -1:
    if arguments.wide:
        (<double *>reserve(arguments, 8))[0] = value
    else:
        (<float *>reserve(arguments, 4))[0] = <float>value
    return 0


cdef int add_axes(Arguments *arguments, const Py_ssize_t *values, int count) except -1:
    """Up to 8 sizes or strides as one `long8`."""
    cdef long long *place = <long long *>reserve(arguments, 64)
    cdef int i
    for i in range(8):
        place[i] = values[i] if i < count else 0
    return 0


# ---- plans

cdef object geometry_of(tuple operands):
    """Devices, dtypes, sizes and strides of Views (or None) as bytes; None where there are too many axes.

    A View that stands twice is only named the second time: its plan has one operand for both.
    """
    cdef Py_ssize_t words[WORDS]
    cdef Py_ssize_t used = 0
    cdef View v
    cdef int axis, first, place = -1
    for operand in operands:
        place += 1
        first = 0
        while first < place and operands[first] is not operand:
            first += 1
        if operand is None or first < place:
            words[used] = -1 if operand is None else -2 - first
            used += 1
            continue
        v = <View>operand
        if used + 1 + 2 * v.rank + len(operands) > WORDS:
            return None
        words[used] = (v.memory.index << 16) | (v.dtype.code << 8) | v.rank
        used += 1
        for axis in range(v.rank):
            words[used] = v.sizes[axis]
            words[used + 1] = v.strides[axis]
            used += 2
    return PyBytes_FromStringAndSize(<char *>words, used * sizeof(Py_ssize_t))


cdef Launch launch_of(Plan plan, Kernel kernel, Py_ssize_t groups, const Arguments *arguments, View own):
    """A launch of a plan in the making; None where a View is neither operand, scratch nor the device's own."""
    cdef Launch launch = Launch.__new__(Launch)
    cdef int i, k
    launch.kernel, launch.groups, launch.count, launch.views = kernel, groups, arguments.count, arguments.views
    launch.words = PyBytes_FromStringAndSize(<char *>arguments.room, arguments.used * 8)
    for i in range(arguments.count):
        launch.sizes[i] = <unsigned char>arguments.sizes[i]
    for k in range(arguments.views):
        launch.places[k] = <short>arguments.places[k]
        if arguments.viewed[k] == <void *>own:
            launch.which[k] = OWN
            continue
        for i in range(len(plan.views)):
            if <void *>plan.views[i] == arguments.viewed[k]:
                launch.which[k] = <unsigned char>i
                break
        else:
            return None
    return launch


# ---- the base class

cdef class GPUBackend(Backend):
    """A backend whose kernels are compiled from the sources of this package when first needed.

    A subclass has `device_count`, `device_opened`, the copies between host and device, `synchronize` and `run`. What
    users call on ``cygrad.NAME`` comes last.
    """

    def __cinit__(self):
        self.opened = []
        self.kernels = []
        self.plans = {}
        self.lock = threading.RLock()

    # ---- devices and their memory

    def device_opened(self, int index):
        """A GPUDevice; raises BackendError with the driver's words."""
        raise NotImplementedError

    cpdef open(self, int index):
        while len(self.opened) <= index:
            self.opened.append(None)
        if self.opened[index] is None:
            self.opened[index] = self.device_opened(index)

    cdef GPUDevice device(self, int index):
        return <GPUDevice>(<list>self.opened)[index]

    def traits(self, int index):
        """The `Traits` of a device."""
        return self.device(index).traits

    cdef int allocate(self, Storage storage) except -1:
        storage.handle = self.device(storage.index).pool.take(storage.nbytes_)
        return 0

    cdef void release(self, Storage storage) noexcept:
        try:
            if storage.handle is not None:
                self.device(storage.index).pool.give(<Memory>storage.handle)
        except Exception:
            pass                        # no memory for a list: the buffer goes back to the driver

    cpdef alloc(self, int index, Py_ssize_t nbytes):
        return self.device(index).pool.take(nbytes)

    cpdef free(self, int index, object buffer, Py_ssize_t nbytes):
        self.device(index).pool.give(<Memory?>buffer)

    cpdef address(self, object buffer):
        return (<Memory>buffer).address

    def fail_allocation(self, int index, Py_ssize_t number):
        """Let the number-th allocation on a device fail (0: none), for tests; gives how far off the last one was."""
        pool = self.device(index).pool
        left, pool.failing = pool.failing, number
        return left

    # ---- kernels

    def compile(self, int index, str name, str source, int group):
        """The Kernel `name` of a program, which may be one compiled already for another kernel."""
        cdef Kernel kernel = Kernel.__new__(Kernel)
        kernel.program, function = self.device(index).programs.kernel(source, name)
        kernel.function = <void *><size_t>function
        kernel.name = name
        kernel.group = group
        return kernel

    cdef int run(self, int index, Kernel kernel, Py_ssize_t groups, Arguments *arguments) except -1:
        """Enqueue a kernel."""
        raise NotImplementedError

    cdef Kernel kernel_of(self, int index, object key):
        """The kernel known by `key` on a device, or None."""
        if index >= len(<list>self.kernels):
            return None
        return <Kernel>(<dict>(<list>self.kernels)[index]).get(key)

    def kernel(self, int index, key, make, *args):
        """The kernel known by `key` on a device, made by ``make(traits, *args) -> (name, source, group)`` at first.

        Parameters
        ----------
        index : int
            The device.
        key : hashable
            Of a family's own form; families don't meet if it starts with their name.
        make : callable
            Writes the source; several kernels may share one source.
        """
        found = self.kernel_of(index, key)
        if found is not None:
            return found
        with self.lock:
            while len(self.kernels) <= index:
                self.kernels.append({})
            found = self.kernels[index].get(key)
            if found is None:
                name, source, group = make(self.traits(index), *args)
                found = self.kernels[index][key] = self.compile(index, name, source, group)
        return found

    def launch(self, Kernel kernel not None, Py_ssize_t groups, *args):
        """Enqueue `groups` groups of a kernel; the device is that of the first View.

        Parameters
        ----------
        args : View, int, float or tuple of int
            A View is passed as buffer and offset, an int as ``long``, a float as ``number``, up to 8 axes as ``long8``.
        """
        cdef Arguments arguments
        cdef Py_ssize_t axes[8]
        cdef int index = -1, i
        for value in args:
            if isinstance(value, View):
                index = (<View>value).memory.index
                break
        begin(&arguments, self.traits(index).fp64)
        for value in args:
            if isinstance(value, View):
                add_view(&arguments, <View>value)
            elif PyFloat_Check(value):
                add_number(&arguments, value)
            elif PyLong_Check(value):
                add_long(&arguments, value)
            else:
                if len(value) > 8:
                    raise BackendError(f"a kernel takes at most 8 axes, not {len(value)}")
                for i in range(len(value)):
                    axes[i] = value[i]
                add_axes(&arguments, axes, len(value))
        return self.enqueue(index, kernel, groups, &arguments)

    cdef int enqueue(self, int index, Kernel kernel, Py_ssize_t groups, Arguments *arguments) except -1:
        """`run`, and keep it for the plan in the making."""
        cdef Plan plan = self.planning
        if plan is not None and plan.launches is not None and plan.thread == PyThread_get_thread_ident():
            launch = launch_of(plan, kernel, groups, arguments, self.device(index).arrivals)
            if launch is None:
                plan.launches = None
            else:
                plan.launches.append(launch)
        return self.run(index, kernel, groups, arguments)

    cdef object planned(self, object family, tuple operands, tuple numbers):
        """``family(self, device, *operands, *numbers)``, by the plan of an earlier call if there is one.

        What the function launches must depend on nothing but numbers and the geometry of its operands (Views or None,
        the first one a View), and it must not wait for results.
        """
        cdef int index = (<View>operands[0]).memory.index
        cdef Plan plan, found
        geometry = geometry_of(operands)
        key = (family, numbers, geometry)
        if self.planning is None and geometry is not None:
            found = <Plan>(<dict>self.plans).get(key)
            if found is not None:
                self.launch_again(found, operands)
                return None
            plan = Plan.__new__(Plan)
            plan.thread = PyThread_get_thread_ident()
            plan.views, plan.scratch, plan.launches = list(operands), [], []
            with self.lock:
                if self.planning is None:
                    self.planning = plan
            if self.planning is plan:
                try:
                    result = family(self, index, *operands, *numbers)
                finally:
                    self.planning = None
                plan.views = None
                if result is None and plan.launches is not None:
                    if len(self.plans) >= PLANS:
                        self.plans = {}
                    self.plans[key] = plan
                return result
        return family(self, index, *operands, *numbers)

    cdef int launch_again(self, Plan plan, tuple operands) except -1:
        """Launch what a plan says with other operands."""
        cdef Arguments arguments
        cdef Launch launch
        cdef View v
        cdef int index = (<View>operands[0]).memory.index, i, k, which, known = len(operands)
        cdef size_t used
        cdef list scratch = [new_storage(self, index, nbytes) for nbytes in plan.scratch]
        for launch in plan.launches:
            memcpy(arguments.room, PyBytes_AS_STRING(launch.words), PyBytes_GET_SIZE(launch.words))
            for k in range(launch.views):
                which = launch.which[k]
                if which == OWN:
                    pass                # its address is among the words
                elif which < known:
                    v = <View>operands[which]
                    arguments.room[launch.places[k]] = <long long>(<Memory?>v.memory.handle).address
                    arguments.room[launch.places[k] + 1] = v.offset
                else:
                    handle = (<Storage>scratch[which - known]).handle
                    arguments.room[launch.places[k]] = <long long>(<Memory?>handle).address
                arguments.places[k] = launch.places[k]
            arguments.count, arguments.views = launch.count, launch.views
            used = 0
            for i in range(launch.count):
                arguments.sizes[i] = launch.sizes[i]
                arguments.values[i] = &arguments.room[used]
                used += (launch.sizes[i] + 7) // 8
            arguments.used = used
            self.run(index, launch.kernel, launch.groups, &arguments)
        return 0

    def scratch(self, int index, DType dtype not None, *sizes):
        """An uninitialised row-major View, for what a kernel keeps between two launches."""
        cdef Py_ssize_t extents[8]
        cdef Py_ssize_t count = 1
        cdef View v = View.__new__(View)
        cdef Plan plan = self.planning
        cdef int i
        for i in range(len(sizes)):
            extents[i] = sizes[i]
            count *= sizes[i]
        count = max(count, 1) * dtype.itemsize
        fill_dense(v, new_storage(self, index, count), dtype, len(sizes), extents)
        if plan is not None and plan.thread == PyThread_get_thread_ident():
            plan.views.append(v)
            plan.scratch.append(count)
        return v

    def arrivals(self, int index):
        """A View of zeros, int32, 16 for each unit of a device: kernels count groups in it (``LAST_ARRIVED``).

        It belongs to no tensor, and whoever counts leaves zeros behind.
        """
        cdef GPUDevice device = self.device(index)
        cdef Storage storage
        cdef Py_ssize_t extents[1]
        if device.arrivals is None:
            with self.lock:
                extents[0] = 16 * device.traits.units
                storage = Storage.__new__(Storage)
                storage.index, storage.nbytes_ = index, 4 * extents[0]
                storage.handle = device.pool.make(storage.nbytes_)
                self.h2d(memoryview(bytes(storage.nbytes_)), storage, 0)
                made = View.__new__(View)
                fill_dense(made, storage, dtype_of(INT32), 1, extents)
                device.arrivals = made
        return device.arrivals

    def window(self, View v not None, shape, strides, Py_ssize_t start=0):
        """Another View of a View's memory, `start` elements after its first one. The geometry is not checked."""
        cdef Py_ssize_t sizes[8]
        cdef Py_ssize_t steps[8]
        cdef int i, rank = len(shape)
        if rank > 8 or len(strides) != rank:
            raise BackendError(f"a window has up to 8 axes and a stride for each, not {rank} and {len(strides)}")
        for i in range(rank):
            sizes[i], steps[i] = shape[i], strides[i]
        return make_view(v.memory, v.dtype, v.offset + start, rank, sizes, steps)

    # ---- what users may ask of devices

    def at(self, int index):
        """A device that is named without a tensor: opened if it is not yet."""
        discovery.open_device(self, index)
        return self.opened[index]

    def pool_of(self, int index):
        """The memory of a device; None where it is not opened, and so holds nothing."""
        device = self.opened[index] if 0 <= index < len(self.opened) else None
        return None if device is None else device.pool

    def memory_allocated(self, int device=0):
        """Bytes that tensors hold on a device now."""
        pool = self.pool_of(device)
        return 0 if pool is None else pool.used

    def max_memory_allocated(self, int device=0):
        """Most bytes that tensors held at once since the start or `reset_peak_memory_stats`."""
        pool = self.pool_of(device)
        return 0 if pool is None else pool.peak

    def memory_reserved(self, int device=0):
        """Bytes taken from the driver: held by tensors, or kept for reuse."""
        pool = self.pool_of(device)
        return 0 if pool is None else pool.held

    def max_memory_reserved(self, int device=0):
        """Most bytes that were taken from the driver at once since the start or `reset_peak_memory_stats`."""
        pool = self.pool_of(device)
        return 0 if pool is None else pool.peak_held

    def memory_stats(self, int device=0):
        """Counts of bytes and buffers by PyTorch's names; empty where the device is not opened."""
        pool = self.pool_of(device)
        return {} if pool is None else pool.counts()

    def reset_peak_memory_stats(self, int device=0):
        """Start `max_memory_allocated` and `max_memory_reserved` again from what is held now."""
        pool = self.pool_of(device)
        if pool is not None:
            pool.reset_peaks()

    def reset_accumulated_memory_stats(self, int device=0):
        """Start the sums of `memory_stats` again."""
        pool = self.pool_of(device)
        if pool is not None:
            pool.reset_sums()

    def empty_cache(self):
        """Give the memory kept for reuse back to the driver."""
        for device in self.opened:
            if device is not None:
                device.pool.empty()

    def program_stats(self, int device=0):
        """How many programs were compiled and how many came from the disk, and the seconds both took: a dict."""
        programs = self.at(device).programs
        return {"built": programs.built, "loaded": programs.loaded, "seconds": programs.seconds}
