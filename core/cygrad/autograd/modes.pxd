"""Whether this thread records ops, and is in inference mode."""

cdef bint grad_enabled() noexcept
cdef bint set_grad_enabled(bint enabled) noexcept
cdef bint inference_enabled() noexcept
cdef int enter_inference(bint enabled) noexcept
