"""Whether this thread records ops, and is in inference mode."""

cdef int interceptions             # how many modes of autocast, and of functions, are on in all threads

cdef bint grad_enabled() noexcept
cdef bint set_grad_enabled(bint enabled) noexcept
cdef bint inference_enabled() noexcept
cdef int enter_inference(bint enabled) noexcept
cdef int transforms() noexcept     # in how many transforms of `cygrad.func` this thread is
cdef int refuse_in_transforms(str method) except -1
