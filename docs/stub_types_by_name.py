"""What stubs say of words: types of parameters by name, of results by their functions' names, of docstrings' phrases.

Types are written as a module without names of its own would: `int` is Python's. `_dtype`, `_device`, `_layout` and
`_memory_format` are cygrad's; `_Number`, `_Axis`, `_Dims` and `_DeviceLike` are aliases that `cygrad/__init__.pyi` has.
"""

# Parameters whose names mean the same in every op.
TYPES = {type_: names.split() for type_, names in {
    "Tensor": "input target query key tensor mask index source mat mat1 mat2 batch1 batch2 vec vec1 vec2 tensor1 "
              "tensor2 A B L LU pivots LU_data LU_pivots sorted_sequence template the_template boundaries",
    "Sequence[Tensor]": "tensors",
    "Tensor | _Number": "src other exponent value values end_",
    "_Dims": "dim dims",
    "_Axis": "dim0 dim1 dim2 axis0 axis1 start_dim end_dim",
    "int": "k n m diagonal offset steps num_samples length chunks r "
           "minlength dimension step size_ row col N decimals seed driver_",
    "bool": "keepdim requires_grad descending stable largest sorted upper left unitriangular transpose replacement "
            "unbiased accumulate pin_memory return_inverse return_counts as_tuple equal_nan right out_int32 pivot "
            "some compute_uv get_infos hermitian full_matrices with_replacement include_self create_graph "
            "non_blocking copy force increasing unpack_data unpack_pivots sparse_grad density adjoint check_errors "
            "mode_ sci_mode vectorize strict raise_exception fast_mode check_undefined_grad check_grad_dtypes "
            "check_batched_grad",
    "float": "rtol atol eps lambd rcond std_ base",
    "_Number": "alpha beta fill_value start end negative_slope min_val max_val threshold_ maxnorm",
    "_Number | None": "correction",
    "_dtype | None": "dtype",
    "_DeviceLike | None": "device",
    "_layout | None": "layout",
    "_memory_format | None": "memory_format",
    "Generator | None": "generator",
    "Sequence[int] | int": "size stride",
    "Sequence[int]": "shape sizes split_sizes",
    "Sequence[str | None] | None": "names",
    "bool | None": "retain_graph",
    "Tensor | Sequence[Tensor | None] | None": "grad_outputs grad_tensors",
    "Tensor | None": "gradient weight weights fweights aweights prepend append sorter bias attn_mask",
    "str": "reduce interpolation indexing UPLO ord_ rounding_mode_",
    "str | None": "rounding_mode side",
}.items()}
TYPES = {name: type_ for type_, names in TYPES.items() for name in names}

# What a name means in one function only.
SPECIAL = {("select", "index"): "int", ("select_scatter", "index"): "int", ("full", "fill_value"): "_Number",
           ("moveaxis", "source"): "int | Sequence[int]", ("movedim", "source"): "int | Sequence[int]",
           ("arange", "end"): "_Number | None", ("round", "decimals"): "int", ("manual_seed", "seed"): "int",
           ("slice_scatter", "start"): "int | None", ("slice_scatter", "end"): "int | None",
           ("narrow", "start"): "int | Tensor", ("narrow_copy", "start"): "int", ("dot", "tensor"): "Tensor",
           ("set_default_dtype", "d"): "_dtype", ("set_default_device", "where"): "_DeviceLike | None",
           ("type", "dtype"): "Any", ("promote_types", "type1"): "_dtype", ("promote_types", "type2"): "_dtype",
           ("can_cast", "from_"): "_dtype", ("can_cast", "to"): "_dtype", ("set_rng_state", "new_state"): "Tensor",
           ("scaled_dot_product_attention", "value"): "Tensor"}
SPECIAL |= {(name, "weight"): "Tensor" for name in (
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution", "linear")}
STARRED = {"tensors": "Any", "size": "int | Sequence[int]", "sizes": "int | Sequence[int]",
           "shape": "int | Sequence[int]", "dims": "_Axis | Sequence[_Axis]", "repeats": "int | Sequence[int]",
           "reps": "int | Sequence[int]"}

# Parameters of Python's parts whose docstrings say nothing of them.
NAMES = {type_: names.split() for type_, names in {
    "Tensor": "input x y value target tensor grad input1 input2 x1 x2 tgt src memory anchor positive negative "
              "log_probs targets log_input hidden mask output",
    "Tensor | None": "src_mask tgt_mask memory_mask src_key_padding_mask tgt_key_padding_mask "
                     "memory_key_padding_mask attn_mask key_padding_mask",
    "Sequence[int]": "sample_shape batch_shape event_shape",
    "bool | None": "validate_args",
    "bool": "keepdim recurse remove_duplicate strict expand is_causal tgt_is_causal memory_is_causal",
    "Callable[[], Any] | None": "closure",
    "dict[str, Any]": "state_dict destination",
    "Callable[..., Any]": "hook fn func function",
    "Module": "module model",
    "str": "name prefix",
    "int": "dim rank world_size epoch idx",
    "object": "other_",
}.items()}
NAMES = {name: type_ for type_, names in NAMES.items() for name in names}

# Results of functions, methods and properties that no docstring tells.
RESULTS = {result: names.split() for result, names in {
    "int": "autocast_increment_nesting autocast_decrement_nesting "
           "dim ndimension numel nelement element_size data_ptr storage_offset initial_seed seed "
           "get_num_threads __len__ __int__ __index__ __hash__ nbytes",
    "float": "__float__",
    "bool": "equal allclose can_cast has_names gradcheck gradgradcheck __contains__ __bool__ __eq__ __ne__ __lt__ "
            "__le__ __gt__ __ge__ is_available is_initialized",
    "None": "backward retain_grad save set_default_device set_default_dtype set_default_tensor_type set_printoptions "
            "set_rng_state set_float32_matmul_precision set_num_threads record_stream clear_autocast_cache "
            "set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled use_deterministic_algorithms "
            "set_deterministic_debug_mode set_warn_always set_multithreading_enabled __init__ __setitem__ __delitem__ "
            "__exit__ reset_parameters __set__ __delete__ __setattr__ __delattr__",
    "str": "typename get_float32_matmul_precision extra_repr __repr__ __str__",
    "_dtype": "result_type promote_types get_default_dtype get_autocast_dtype get_autocast_cpu_dtype "
              "get_autocast_gpu_dtype",
    "_device": "get_default_device",
    "int | float | bool": "item",
    "Any": "tolist load storage untyped_storage atleast_1d atleast_2d __call__ "
           "atleast_3d lu unique unique_consecutive histogramdd hessian jacobian vjp jvp vhp hvp "
           "namespace vmap storage_type __getitem__ __next__ __getattr__ __get__ compile cond while_loop "
           "__deepcopy__",
    "RemovableHandle": "register_hook register_post_accumulate_grad_hook",
    "Iterator[Any]": "__iter__ __reversed__",
    "Self": "__enter__ __iadd__ __imul__ __ior__ __copy__",
    "Tensor": "forward sample rsample log_prob cdf icdf entropy mean mode variance stddev enumerate_support "
              "log_abs_det_jacobian check perplexity probs logits",
    "Size": "broadcast_shapes forward_shape inverse_shape batch_shape event_shape param_shape",
    "tuple[Tensor, ...]": "unbind split split_with_sizes chunk tensor_split hsplit vsplit dsplit meshgrid "
                          "broadcast_tensors grad align_tensors",
    "tuple[Tensor, Tensor]": "std_mean var_mean",
    "tuple[Tensor, Tensor, Tensor]": "native_layer_norm",
    "Generator": "manual_seed",
    "_Array": "numpy __array__",
}.items()}
RESULTS = {name: result for result, names in RESULTS.items() for name in names}

_EXTREME = [("", "Tensor"), ("dim: _Axis, keepdim: bool = False, *, out: Any = None", "return_types.{name}")]
OVERLOADS = {  # after the tensor itself
    "max": _EXTREME + [("other: Tensor, *, out: Tensor | None = None", "Tensor")],
    "min": _EXTREME + [("other: Tensor, *, out: Tensor | None = None", "Tensor")],
    "median": _EXTREME, "nanmedian": _EXTREME,
    "diagonal": [("offset: int = 0, dim1: _Axis = 0, dim2: _Axis = 1", "Tensor"),
                 ("*, outdim: str | None, offset: int = 0, dim1: _Axis = 0, dim2: _Axis = 1", "Tensor")],
    "flatten": [("start_dim: _Axis = 0, end_dim: _Axis = -1, out_dim: str | None = None", "Tensor"),
                ("dims: Sequence[_Axis], out_dim: str | None = None", "Tensor")],
    "unflatten": [("dim: _Axis, sizes: Sequence[int]", "Tensor"),
                  ("dim: _Axis, sizes: Sequence[tuple[str, int]] | dict[str, int]", "Tensor")],
    "nonzero": [("*, out: Tensor | None = None, as_tuple: Literal[False] = False", "Tensor"),
                ("*, as_tuple: Literal[True]", "tuple[Tensor, ...]")],
    "size": [("dim: None = None", "Size"), ("dim: _Axis", "int")],
    "stride": [("dim: None = None", "tuple[int, ...]"), ("dim: _Axis", "int")],
    "type": [("dtype: None = None", "str"), ("dtype: Any, non_blocking: bool = False", "Tensor")],
}

FUNCTIONS = {  # overloads of functions whose first argument is no `input`
    "where": [("condition: Tensor", "tuple[Tensor, ...]"),
              ("condition: Tensor, input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None",
               "Tensor")],
}

ATTRIBUTES = {kind: names.split() for kind, names in {
    "int": "ndim itemsize nbytes output_nr", "Size": "shape", "_dtype": "dtype", "_device": "device",
    "_layout": "layout", "Tensor | None": "grad", "Tensor": "data T mT H mH real imag",
    "bool": "requires_grad is_leaf retains_grad volatile is_cpu is_cuda is_meta is_quantized is_sparse is_ipu is_maia "
            "is_mkldnn is_mps is_mtia is_nested is_sparse_csr is_vulkan is_xla is_xpu training",
    "tuple[str | None, ...]": "names",
}.items()}
ATTRIBUTES = {name: kind for kind, names in ATTRIBUTES.items() for name in names}

# Words of docstrings: as a parameter's type, and as a result's where that is another one.
WORDS = {"int": "int", "float": "float", "bool": "bool", "complex": "complex", "str": "str", "bytes": "bytes",
         "string": "str", "None": "None", "object": "Any", "number": "_Number", "callable": "Callable[..., Any]",
         "iterable": "Iterable[Any]", "sequence": "Sequence[Any]", "list": "list[Any]", "tuple": "tuple[Any, ...]",
         "dict": "dict[Any, Any]", "mapping": "Mapping[Any, Any]", "Mapping": "Mapping[Any, Any]", "set": "set[Any]",
         "OrderedDict": "dict[Any, Any]", "type": "type[Any]", "dtype": "_dtype", "device": "_DeviceLike",
         "layout": "_layout", "memory_format": "_memory_format", "path": "str | PathLike[str]",
         "iterator": "Iterator[Any]", "context manager": "AbstractContextManager[Any]", "sized": "Sized",
         "Size": "Sequence[int]", "slice": "slice", "timedelta": "timedelta", "BaseException": "BaseException"}
RESULT_WORDS = {"dict": "dict[str, Any]", "device": "_device", "Size": "Size", "mapping": "dict[Any, Any]"}
PLURALS = {"list": ("Sequence[{}]", "list[{}]"), "tuple": ("Sequence[{}]", "tuple[{}, ...]"),
           "sequence": ("Sequence[{}]", "Sequence[{}]"), "iterable": ("Iterable[{}]", "Iterable[{}]"),
           "iterator": ("Iterator[{}]", "Iterator[{}]"), "set": ("Iterable[{}]", "set[{}]"),
           "pair": ("Sequence[{}]", "tuple[{0}, {0}]"), "triple": ("Sequence[{}]", "tuple[{0}, {0}, {0}]")}
PHRASES = {"iterable of Tensor, or Tensor": "Iterable[Tensor] | Tensor",
           "Tensor, or two of them for an LSTM": "Tensor | tuple[Tensor, Tensor] | None",
           "mapping of str to Module, or iterable of pairs": "Mapping[str, Module] | Iterable[tuple[str, Module]]",
           "iterable of Parameter or dict":
               "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]",
           "tuple or list of int": "Sequence[int]", "iterable of (Module, str)": "Iterable[tuple[Module, str]]",
           "Tensor or (nested) tuple of Tensor": "Any",
           "params : iterable": "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]"}
