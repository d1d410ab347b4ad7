"""What pooling refuses, in PyTorch's order and words, and the sizes of its results."""
from functools import lru_cache

WORDS = {2: "two", 3: "three"}


def out_size(size, kernel, stride, padding, dilation, ceil_mode):
    """How many windows there are; the last one has to begin before the end."""
    if stride == 0:
        raise RuntimeError("stride should not be zero")
    if padding < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {padding}")
    if padding > ((kernel - 1) * dilation + 1) // 2:
        raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={padding}, "
                           f"kernel_size={kernel} and dilation={dilation}")
    found = (size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)) // stride + 1
    return found - 1 if ceil_mode and (found - 1) * stride >= size + padding else found


def single_number(function, name, value):
    """The number of an argument that is one, or holds one."""
    if isinstance(value, int):
        return value
    if len(value) != 1:
        raise RuntimeError(f"{function}() argument '{name}' should contain one int (got {len(value)})")
    return value[0]


def each_axis(function, axes, kernel, stride, padding, dilation):
    """The four arguments as tuples with a number for each axis."""
    words, found, either = WORDS[axes], [], "" if function == "avg_pool3d" else "either "
    for name, value, text in (
            ("kernel_size", kernel, f"must {either}be a single int, or a tuple of {words} ints"),
            ("stride", stride, f"must either be omitted, a single int, or a tuple of {words} ints"),
            ("padding", padding, f"must either be a single int, or a tuple of {words} ints"),
            ("dilation", dilation, f"must be either a single int, or a tuple of {words} ints")):
        if name == "stride" and (value is None or not isinstance(value, int) and len(value) == 0):
            value = found[0]
        value = (value,) if isinstance(value, int) else tuple(value)
        if len(value) not in (1, axes):
            raise RuntimeError(f"{function}: {name} {text}")
        found.append(value * axes if len(value) == 1 else value)
    return found


def named(names, values):
    return " ".join(f"{name}: {value}" for name, value in zip(names, values))


def check_planes_2d(function, shape, kernel, stride, padding, dilation, ceil_mode):
    """Refuse what PyTorch refuses; the sizes of the result's last two axes."""
    if len(shape) not in (3, 4):
        if function == "avg_pool2d" and len(shape) < 3:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-max(len(shape), 1)}, "
                             f"{max(len(shape), 1) - 1}], but got -3)")
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    sizes = tuple(out_size(n, *numbers, ceil_mode)
                  for n, *numbers in zip(shape[-2:], kernel, stride, padding, dilation))
    for name, prefix, values in (("kernel size", ("kH", "kW"), kernel), ("stride", ("dH", "dW"), stride),
                                 ("dilation", ("dilationH", "dilationW"), dilation)):
        if min(values) <= 0:
            raise RuntimeError(f"{name} should be greater than zero, but got {named(prefix, values)}")
    if 0 in (shape if len(shape) == 3 else shape[1:]):
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
                           f"got:{list(shape)}")
    if kernel[1] // 2 < padding[1] or kernel[0] // 2 < padding[0]:
        raise RuntimeError("pad should be smaller than or equal to half of kernel size, but got padW = "
                           f"{padding[1]}, padH = {padding[0]}, kW = {kernel[1]}, kH = {kernel[0]}")
    check_sizes(shape[-3:], sizes)
    return sizes


def check_planes_3d(function, shape, kernel, stride, padding, dilation, ceil_mode):
    """Refuse what PyTorch refuses; the sizes of the result's last three axes."""
    if len(shape) not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    sizes = tuple(out_size(n, *numbers, ceil_mode)
                  for n, *numbers in zip(shape[-3:], kernel, stride, padding, dilation))
    for name, prefix, values in (("kernel size", ("kT", "kH", "kW"), kernel), ("stride", ("dT", "dH", "dW"), stride),
                                 ("dilation", ("dilationT", "dilationH", "dilationW"), dilation)):
        if min(values) <= 0:
            raise RuntimeError(f"{name} should be greater than zero, but got {named(prefix, values)}")
    for i in range(len(shape) - 4, len(shape)) if len(shape) == 5 else range(4):
        if shape[i] == 0:
            name = "max_pool3d_with_indices_out_cpu_template" if function == "max_pool3d" else function
            raise RuntimeError(f"{name}(): Expected input's non-batch dimensions to have positive length, but input "
                               f"has a shape of {list(shape)} and non-batch dimension {shape[i]} has length zero!")
    if function == "avg_pool3d" and any(n < k for n, k in zip(shape[-3:], kernel)):
        raise RuntimeError(f"input image ({named('THW', shape[-3:])}) smaller than kernel size "
                           f"({named(('kT', 'kH', 'kW'), kernel)})")
    if any(k // 2 < p for k, p in zip(kernel, padding)):
        raise RuntimeError("pad should be smaller than or equal to half of kernel size, but got "
                           f"kT: {kernel[0]} kW: {kernel[2]} kH: {kernel[1]} padT: {padding[0]} padW: {padding[2]} "
                           f"padH: {padding[1]}")
    check_sizes(shape[-4:], sizes)
    return sizes


def check_sizes(planes, sizes):
    if min(sizes) < 1:
        raise RuntimeError(f"Given input size: ({'x'.join(map(str, planes))}). Calculated output size: "
                           f"({'x'.join(map(str, (planes[0], *sizes)))}). Output size is too small")


@lru_cache(1024, typed=True)
def check_largest_1d(shape, kernel_size, stride, padding, dilation, ceil_mode):
    """Refuse what `max_pool1d` refuses; kernel, stride, padding and dilation as numbers."""
    if not (len(shape) == 2 and 0 not in shape or len(shape) == 3 and 0 not in shape[1:]):
        raise RuntimeError("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
                           "input, "
                           f"but got:{list(shape)}")
    found = []
    for name, value, omitted in (("kernel_size", kernel_size, ""), ("stride", stride, "None, "),
                                 ("padding", padding, ""), ("dilation", dilation, "")):
        value = (value,) if isinstance(value, int) else tuple(value)
        if name == "stride" and not value:
            value = found[:1]
        if len(value) != 1:
            comma = "," if name != "kernel_size" else ""
            raise RuntimeError(f"max_pool1d() {name} must be {omitted}an int, list of ints{comma} or tuple of ints of "
                               f"size 1 but got size {len(value)}")
        found.append(value[0])
    kernel, step, pad, apart = found
    if kernel <= 0:
        raise RuntimeError(f"max_pool1d() kernel_size must be greater than zero, but got {kernel}")
    if step <= 0:
        raise RuntimeError(f"max_pool1d() stride must be greater than zero, but got {step}")
    if pad < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {pad}")
    if pad > kernel // 2:
        raise RuntimeError("max_pool1d() padding should be at most half of kernel size, but got "
                           f"padding={pad} and kernel_size={kernel}")
    if apart <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {apart}")
    size = out_size(shape[-1], kernel, step, pad, apart, ceil_mode)
    if size <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")
    return found
