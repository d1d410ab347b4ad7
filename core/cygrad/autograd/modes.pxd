"""Whether this thread records ops, and is in inference mode."""

cdef int autocasts                 # how many modes of autocast are on, of all threads and kinds of devices

cdef bint grad_enabled() noexcept
cdef bint set_grad_enabled(bint enabled) noexcept
cdef bint inference_enabled() noexcept
cdef int enter_inference(bint enabled) noexcept
