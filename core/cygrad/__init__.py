"""cygrad: PyTorch's tensor and autograd API on a small Cython core, with backends and Functions installed by pip.

    import cygrad as torch

Values, dtypes, shapes, printed text and errors are PyTorch's; `docs/design.md` says how it is built.
"""

import builtins as _builtins
import gc as _gc
import importlib as _importlib
from math import e, inf, nan, pi

from cygrad import _compiled     # before all others: it is the library that they are in
from cygrad.dtype import DType as dtype
from cygrad.dtype import all_dtypes as _all_dtypes
from cygrad.dtype import can_cast, finfo, get_default_dtype, iinfo, promote_types, set_default_dtype
from cygrad.devices.device import (channels_last, channels_last_3d, contiguous_format, device, layout,
                                  memory_format, preserve_format, strided)
from cygrad.tensors.size import Size
from cygrad.tensor import Tensor, attach_methods as _attach_methods
from cygrad.devices.default_device import get_default_device, set_default_device
from cygrad.devices.discovery import load as _load_backend
from cygrad.random.generator import Generator
from cygrad.devices.precision import get_float32_matmul_precision, set_float32_matmul_precision
from cygrad.tensors.printing import set_printoptions
from cygrad.ops.declare import op_forms as _op_forms

newaxis = None

for _dtype in _all_dtypes():
    globals()[_dtype.name] = _dtype
half, float, double = globals()["float16"], globals()["float32"], globals()["float64"]
short, int, long = globals()["int16"], globals()["int32"], globals()["int64"]
chalf, cfloat, cdouble = globals()["complex32"], globals()["complex64"], globals()["complex128"]

_OPS = ("ops.pointwise.arithmetic", "ops.shape.views", "ops.shape.expand", "ops.shape.transpose_and_squeeze",
        "ops.shape.slices", "ops.create.filled", "ops.create.from_data", "ops.create.copying",
        "ops.create.fill_in_place", "ops.linalg.products", "ops.linalg.matmul", "ops.linalg.addmm",
        "ops.create.new_tensors", "ops.shape.cat_and_stack", "ops.shape.unflatten_and_atleast",
        "ops.shape.broadcasting", "ops.shape.moved_axes", "ops.shape.stacking", "ops.shape.splitting",
        "ops.shape.rearranging", "ops.shape.inplace_geometry", "ops.index.gathering", "ops.index.scattering",
        "ops.index.index_along", "ops.index.masks", "ops.index.nonzero", "ops.index.scatter_views",
        "ops.index.index_put", "ops.sort.sorting", "ops.sort.uniqueness", "ops.sort.searching", "ops.random.fills",
        "ops.random.random_tensors", "ops.random.seeding", "ops.random.distributions", "ops.create.ranges",
        "ops.pointwise.lerp_and_addcmul", "ops.pointwise.where", "ops.pointwise.signs_and_rounding",
        "ops.pointwise.angles", "ops.pointwise.float_parts", "ops.pointwise.float_power", "ops.pointwise.clamping",
        "ops.pointwise.special", "ops.pointwise.complex_parts", "ops.pointwise.comparison", "ops.reduce.sums",
        "ops.reduce.any_all", "ops.reduce.extremes", "ops.reduce.scans", "ops.reduce.softmax", "ops.reduce.differences",
        "ops.reduce.norms", "ops.reduce.variance", "ops.reduce.logsumexp", "ops.reduce.covariance",
        "ops.sort.order_statistics", "ops.nn.smooth_activations", "ops.nn.piecewise_activations",
        "ops.linalg.composed_products", "ops.linalg.added_products", "ops.linalg.matrices", "ops.linalg.einsum",
        "ops.linalg.solvers", "ops.linalg.lu", "ops.linalg.cholesky", "ops.linalg.determinants",
        "ops.linalg.decompositions", "ops.linalg.matrix_functions", "ops.linalg.pseudo_inverse",
        "ops.linalg.matrix_norms", "ops.nn.padding", "ops.nn.normalization", "ops.nn.convolution", "ops.nn.shuffles",
        "ops.nn.dropout", "named_tensors.naming", "ops.linalg.distances", "tensors.queries", "tensors.apply_and_map",
        "tensors.detaching", "tensors.hooks", "tensors.array_protocols", "tensors.pickling", "tensors.methods",
        "devices.pinning")
# Modules of ops that are imported when a name is first missing, and methods that are in one of them.
_LATER = ("nn.element_losses", "nn.margin_losses", "nn.ctc", "nn.embeddings", "nn.batch_normalization",
          "nn.group_normalization", "nn.scale_normalization", "nn.pooling", "nn.adaptive_pooling",
          "nn.random_activations", "nn.recurrent", "nn.recurrent_cells", "fourier.short_time", "pointwise.bessel",
          "shape.view_copies", "pointwise.gamma_functions", "linalg.householder", "linalg.low_rank",
          "index.segment_reduction", "reduce.hashing", "nn.learned_slopes", "nn.torch_namespace", "shape.combinations",
          "index.unravel_index", "linalg.least_squares", "linalg.block_eigenvalues", "reduce.integration",
          "create.signal_windows", "create.file_memory", "sort.histograms")
_LATER_METHODS = ("stft", "istft", "i0", "i0_", "unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk", "igamma",
                  "igamma_", "igammac", "igammac_", "mvlgamma", "mvlgamma_", "geqrf", "orgqr", "ormqr", "prelu",
                  "hash_tensor", "bincount", "histc", "histogram")
_collects = _gc.isenabled()
_gc.disable()       # nothing that modules make is garbage: a tenth of the time went into looking
try:
    for _name in _OPS:
        _importlib.import_module("cygrad." + _name)
finally:
    if _collects:
        _gc.enable()
from cygrad import random  # noqa: E402
from cygrad.tensors import legacy_types as _legacy, typed_storage as _typed_storage  # noqa: E402
from cygrad.tensors.legacy_types import set_default_tensor_type  # noqa: E402
from cygrad.ops.random.rand import default_generator  # noqa: E402
from cygrad import autograd  # noqa: E402
from cygrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled  # noqa: E402
from cygrad.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402
from cygrad.errors import is_warn_always_enabled, set_warn_always  # noqa: E402
from cygrad.autograd.modes import is_grad_enabled  # noqa: E402
from cygrad.autograd.modes import inference_mode_enabled as is_inference_mode_enabled  # noqa: E402

globals().update(_legacy.types_of("cpu"))
_op_forms.publish(globals(), Tensor, _attach_methods)
_attach_methods(Tensor, {_name: _op_forms.Later(_name, lambda: _load_later()) for _name in _LATER_METHODS})


def is_tensor(obj):
    """Whether `obj` is a Tensor.

    Parameters
    ----------
    obj : object
        Anything.

    Returns
    -------
    bool
        True for tensors.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_tensor(cygrad.ones(1)), cygrad.is_tensor([1])
    (True, False)
    """
    return isinstance(obj, Tensor)


def _assert(condition, message):
    """`assert` as a function, which models for PyTorch call so that a tracer sees it."""
    if not condition:
        raise AssertionError(message)


def typename(obj):
    """The name of an object's type with its module; of a tensor, that of its legacy type.

    Parameters
    ----------
    obj : object
        An object, or a type.

    Returns
    -------
    str
        With the module, unless that is Python's own.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.typename(cygrad.ones(1)), cygrad.typename([])
    ('cygrad.FloatTensor', 'list')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if isinstance(obj, type) or hasattr(obj, "__qualname__") else type(obj)
    return kind.__qualname__ if kind.__module__ in (None, "builtins") else f"{kind.__module__}.{kind.__qualname__}"


def get_num_threads():
    """How many threads the CPU's kernels use.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_num_threads() >= 1
    True
    """
    return _load_backend("cpu").get_num_threads()


def set_num_threads(threads):
    """Let the CPU's kernels use this many threads.

    Parameters
    ----------
    threads : int
        At least 1.

    Raises
    ------
    RuntimeError
        For anything else.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_num_threads(cygrad.get_num_threads())
    """
    _need_count(threads, "set_num_threads")
    _load_backend("cpu").set_num_threads(threads)


def _need_count(threads, name):
    if not isinstance(threads, _builtins.int) or isinstance(threads, _builtins.bool):
        raise RuntimeError(f"{name} expects an int, but got {type(threads).__name__}")
    if threads <= 0:
        raise RuntimeError(f"{name} expects a positive integer")


def set_flush_denormal(mode):
    """Let the CPU take floats below the least ordinary one for 0, in this thread.

    Parameters
    ----------
    mode : bool
        Whether they are 0.

    Returns
    -------
    bool
        Whether the processor can.

    Examples
    --------
    >>> import cygrad
    >>> _ = cygrad.set_flush_denormal(False)
    >>> bool(cygrad.tensor([1e-42]) > 0)
    True
    """
    if not isinstance(mode, _builtins.bool):
        raise TypeError(f"set_flush_denormal expects a bool, but got {type(mode).__name__}")
    return _load_backend("cpu").set_flush_denormal(mode)


def is_storage(obj):
    """Whether `obj` is a storage.

    Parameters
    ----------
    obj : object
        Anything.

    Returns
    -------
    bool
        True for storages, typed or not.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_storage(cygrad.ones(1).untyped_storage())
    True
    """
    return isinstance(obj, (_typed_storage.TypedStorage, _typed_storage.UntypedStorage))


def is_floating_point(input):
    """Whether the tensor's dtype is a floating-point one.

    Returns
    -------
    bool
        Also of 16-bit floats; False for complex dtypes.

    Examples
    --------
    >>> cygrad.is_floating_point(cygrad.ones(1))
    True
    """
    return input.is_floating_point()


def is_complex(input):
    """Whether the tensor's dtype is complex.

    Returns
    -------
    bool
        Of the dtype alone.

    Examples
    --------
    >>> cygrad.is_complex(cygrad.ones(1))
    False
    """
    return input.is_complex()


def is_signed(input):
    """Whether the tensor's dtype has negative values.

    Returns
    -------
    bool
        False for bool and uint8.

    Examples
    --------
    >>> cygrad.is_signed(cygrad.ones(1))
    True
    """
    return input.is_signed()


def numel(input):
    """Number of elements.

    Returns
    -------
    int
        The product of the sizes.

    Examples
    --------
    >>> cygrad.numel(cygrad.ones(2, 3))
    6
    """
    return input.numel()


for _name in ("is_floating_point", "is_complex", "is_signed", "numel"):
    globals()[_name] = _op_forms.public(_name, globals()[_name])


_complete = False


def _load_later():
    """Import the ops that only some programs use, once: a program may ask often for a name that isn't here."""
    global _complete
    if _complete:
        return
    for name in _LATER:
        _importlib.import_module("cygrad.ops." + name)
    _op_forms.publish(globals(), Tensor, _attach_methods)
    _complete = True


# Modules, and names of modules, that are imported when they are first asked for; of names {name: module}.
_MODULES = frozenset("""
    _C __config__ __future__ _dynamo _vmap_internals accelerator amp array_api backends compiler
    distributed distributions fft func functional functions futures hub jit linalg masked multiprocessing
    nn optim overrides plugins profiler quasirandom safetensors serialization signal special testing
    torch_version types utils version""".split())
_LAZY = {name: module for module, names in {
    "amp": "GradScaler",
    "amp.autocast_mode":
        "autocast autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype "
        "get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled is_autocast_cpu_enabled "
        "is_autocast_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled "
        "set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype",
    "compiler": "compile",
    "devices.determinism":
        "are_deterministic_algorithms_enabled get_deterministic_debug_mode "
        "is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode use_deterministic_algorithms",
    "devices.interop_threads": "get_num_interop_threads set_num_interop_threads",
    "devices.namespaces": "cpu cuda get_device_module mps mtia opencl xpu",
    "devices.streams": "Event Stream",
    "func": "vmap",
    "errors": "OutOfMemoryError",
    "func.eager_control": "cond while_loop",
    "func.traced_numbers":
        "SymBool SymFloat SymInt sym_float sym_int sym_ite sym_max sym_min sym_not sym_sum _check _check_index "
        "_check_is_size _check_not_implemented _check_tensor_all _check_tensor_all_with _check_type _check_value "
        "_check_with",
    "futures": "Future",
    "ops.pointwise.lists": "_foreach_update_",
    "ops.nn.packed_sequences": "_pack_padded_sequence",
    "ops.nn.weight_normalization": "_weight_norm",
    "ops.random.gammas": "_dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad",
    "serialization": "load save",
    "tensors.storage_sources": " ".join(["Storage", *(_word + "Storage" for _word in _legacy.KINDS.values())]),
    "tensors.typed_storage": "TypedStorage UntypedStorage",
    "torch_version": "__version__",
    "utils.dlpack": "to_dlpack",
}.items() for name in names.split()}
_LAZY_PREFIXES = {"_foreach_": "ops.pointwise.foreach"}
_INTERNAL = frozenset(("backend", "backends", "batching", "devices", "dispatch", "errors", "formulas", "named_tensors",
                       "opencl", "ops", "tensors", "view"))
# Public names that `from cygrad import *` leaves out, as PyTorch's does.
_NOT_STARRED = frozenset("""
    BFloat16Tensor ComplexDoubleTensor ComplexFloatTensor HalfTensor BFloat16Storage ComplexDoubleStorage
    ComplexFloatStorage HalfStorage Storage align_tensors broadcast_shapes channels_last
    channels_last_3d contiguous_format from_dlpack lu pca_lowrank preserve_format set_default_dtype set_grad_enabled
    segment_reduce strided svd_lowrank to_dlpack unique cpu cuda mps mtia xpu while_loop""".split())


def __dir__():
    """All public names, those of the parts that are imported when first used included; no modules of the inside."""
    _load_later()
    return sorted({name for name in (*globals(), *_LAZY, *_MODULES)
                   if name not in _INTERNAL and name.isidentifier() and (name[0] != "_" or name[:2] == "__")})


def _starred():
    """`__all__`, found when somebody asks for it: the public names but those of modules."""
    module = type(_builtins)
    return [name for name in __dir__() if name[0] != "_" and name not in _NOT_STARRED and name not in _MODULES
            and not isinstance(globals().get(name), module)]


def __getattr__(name):
    """What is imported when it is first asked for, and the namespaces of backends that other packages bring."""
    if name == "__all__":
        return globals().setdefault(name, _starred())
    if name in _MODULES:
        return _importlib.import_module("cygrad." + name)
    if name == "torch":             # PyTorch has itself by this name, and editors write `from torch import torch`
        return _importlib.import_module("cygrad")
    place = _LAZY.get(name) or next((_LAZY_PREFIXES[each] for each in _LAZY_PREFIXES if name.startswith(each)), None)
    if place is not None:
        found = getattr(_importlib.import_module("cygrad." + place), name, None)
        if found is not None:       # `Storage` is another one for each default dtype
            return found if name == "Storage" else globals().setdefault(name, found)
    elif not name.startswith("_"):
        _load_later()
        if name in globals():
            return globals()[name]
        from cygrad.devices.namespaces import installed, namespace      # knot: it needs this module
        if installed(name):
            return namespace(name)
    from cygrad.utils.not_here import missing      # start-up time
    raise missing("", name)


from cygrad.tensors.watched_imports import watch as _watch  # noqa: E402

_watch()
del tensors, view       # noqa: F821 (what `import` left here): PyTorch has nothing by these names, which mistakes find
