"""Random tensors from a device's own generator: the backend's `random` entry, and what is made of its numbers.

Nothing here is PyTorch's stream; a user who gives `generator=cygrad.Generator(device=...)` chooses speed over that.
"""
from cygrad.backend import BINARY, RANDOM
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.raw import binary_op, copy_
from cygrad.dtype import all_dtypes
from cygrad.random.sampler_parameters import integer_range
from cygrad.ops.pointwise.complex_parts import view_as_real

FLOAT32 = next(d for d in all_dtypes() if d.name == "float32")
LT, TO_BOOL = BINARY.index("lt"), 2
UNIFORM, NORMAL, INTEGERS = map(RANDOM.index, ("uniform", "normal", "integers"))


def check(out, generator):
    """Refuse a tensor of another device than the generator's."""
    if out.device != generator.device:
        raise RuntimeError(f"Expected a '{out.device.type}' device type for generator but found "
                           f"'{generator.device.type}' (the tensor is on {out.device}, the generator on "
                           f"{generator.device})")


def draw(out, sampler, params, generator):
    """Fill `out` with what a sampler of `Generator.fill` would draw, from a device's stream."""
    check(out, generator)
    if out.dtype.is_complex:
        return draw(view_as_real(out.detach()), sampler, params, generator)
    generator.fill(sampler, 0, 0, out.dtype.code, *params)              # checks the parameters
    if sampler == "uniform":
        fill(out, UNIFORM, *params, generator)
    elif sampler in ("normal", "normal_strided"):
        fill(out, NORMAL, *params, generator)
    elif sampler == "random":
        first, count = integer_range(out.dtype.code, *params)
        if int(float(first)) != first or int(float(first + count)) != first + count:
            raise RuntimeError(f"random_: a generator of {generator.device} draws integers between bounds that float64 "
                               f"can hold, got {first} and {first + count}")
        fill(out, INTEGERS, first, first + count, generator)
    elif sampler == "bernoulli":
        bernoulli(out, params[0], generator)
    else:
        generator.fill(sampler, 0, out.numel(), out.dtype.code, *params)       # raises: not drawn on devices


def fill(out, kind, a, b, generator):
    """Fill `out` from the next part of the stream, row-major whatever its layout."""
    if out.numel() == 0:
        return
    target = out if out.is_contiguous() else empty_near(out, out.shape)
    seed, offset = generator.reserve(-(-out.numel() // (2 if out.element_size() == 8 else 4)))
    call(target, "random", (kind, target, seed, offset, float(a), float(b)), (1,))
    if target is not out:
        copy_(out, target)


def bernoulli(out, p, generator):
    """Ones where a uniform number is less than `p`, a number or a tensor of out's shape."""
    check(out, generator)
    drawn = empty_near(out, out.shape, FLOAT32)
    fill(drawn, UNIFORM, 0, 1, generator)
    copy_(out, binary_op(LT, drawn, p, TO_BOOL))
