"""Names that PyTorch has and cygrad has not: why, and what to use instead.

Read when a name was looked for in vain. A word of a row that ends in `*` stands for all names that begin so.
"""
_COMPILER = ("there is no compiler of graphs here: ops run one by one, and cygrad.compile and cygrad.jit return what "
             "they are given")
_QUANTISATION = "there is no quantisation here: float16 and bfloat16 tensors are the small ones"
_SPARSE = ("there are no sparse tensors here: keep indices and values in tensors, and go from one to the other by "
           "index_put, index_add, gather and nonzero")
_ONE_LIBRARY = "this is one library's kernel: the op without {0!r} in its name runs on every device"
_REMOVED = "PyTorch removed it, too: use cygrad.linalg.{0}"

# Of each module, {name: why}.
_WHY = {
    "": {
        _SPARSE:
            "sparse sparse_* ccol_indices_copy col_indices_copy crow_indices_copy row_indices_copy indices_copy "
            "values_copy spmm dsmm hsmm hspmm smm saddmm sspaddmm resize_as_sparse_",
        "there are no nested tensors here: pad, or pack sequences with nn.utils.rnn": "nested jagged",
        _QUANTISATION:
            "ao quantization quantize* quantized* fake_quantize* fused_moving_avg_obs_fake_quant dequantize "
            "choose_qparams_optimized empty_quantized int_repr q_* qint* quint* qscheme per_channel* per_tensor* "
            "fbgemm* QInt* QUInt*",
        "there are no dtypes of less than a byte here: the smallest are bool, int8, uint8 and float8":
            "bit bits* int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7 float4_e2m1fn_x2",
        _COMPILER:
            "AliasDb AnyType Argument* AwaitType Block BoolType BufferDict CallStack Capsule ClassType Code "
            "CompilationUnit CompleteArgumentSpec ComplexType ConcreteModuleType* DeepCopyMemoTable "
            "DeserializationStorageContext DeviceObjType DictType EnumType ErrorReport ExecutionPlan FileCheck "
            "FloatType FunctionSchema FutureType Gradient Graph GraphExecutorState IODescriptor InferredType IntType "
            "InterfaceType JITException ListType LiteScriptModule LockingLogger LoggerBase ModuleDict Node NoneType "
            "NoopLogger NumberType OperatorInfo OptionalType ParameterDict PyObjectType RRefType Script* "
            "SerializationStorageContext StaticModule StreamObjType StringType SymBoolType SymIntType TensorType "
            "TracingState TupleType Type UnionType Use Value export fx import_ir_module* parse_ir parse_schema "
            "parse_type_comment merge_type_from_type_comment unify_type_list sym_* AVG SUM AggregationType "
            "nativert profiler_allow_cudagraph_cupti_lazy_reinit_cuda12",
        "ops have no dispatcher here: an op with a derivative of its own is a cygrad.autograd.Function, and a device "
        "is a backend (docs/backends.md)":
            "library classes Dispatch* ExcludeDispatchKeyGuard Tag slice_inverse PRIVATE_OPS",
        "cygrad.jit has it": "fork wait",
        _ONE_LIBRARY: "cudnn_* miopen_* mkldnn_*",
        "cygrad.nn.functional.batch_norm does all of it in one call": "batch_norm_* native_norm",
        _REMOVED.format("eig"): "eig",
        _REMOVED.format("eigh"): "symeig",
        _REMOVED.format("lstsq"): "lstsq",
        _REMOVED.format("matrix_rank"): "matrix_rank",
        _REMOVED.format("solve"): "solve",
        "ops run in one pool of threads: cygrad.set_num_threads": "init_num_threads thread_safe_generator",
        "use cygrad.autograd.set_detect_anomaly": "set_anomaly_enabled",
        "cygrad.overrides has what turns __torch_function__ off": "DisableTorchFunction*",
        "use cygrad.signal.windows": "windows",
        "there is no such device here, `python -m cygrad` lists them":
            "get_autocast_ipu_dtype get_autocast_xla_dtype is_autocast_ipu_enabled is_autocast_xla_enabled "
            "set_autocast_ipu_* set_autocast_xla_* is_vulkan_available AcceleratorError FatalError",
        "cygrad.save and cygrad.load write and read files": "package PyTorchFileReader PyTorchFileWriter get_file_path",
        "cygrad.utils.benchmark measures": "BenchmarkConfig BenchmarkExecutionStats ThroughputBenchmark monitor",
        "cygrad.UntypedStorage and cygrad.TypedStorage are the storages": "StorageBase",
        "this is about how PyTorch itself was built":
            "USE_* compiled_with_cxx11_abi cpp has_* prepare_multiprocessing_environment classproperty "
            "legacy_contiguous_format contrib numa",
        "there is no exporter here: Tensor.numpy and files of safetensors take numbers elsewhere": "onnx",
    },
    "nn": {
        "this is about how PyTorch itself was built": "backends cpp",
        _QUANTISATION: "intrinsic qat quantizable quantized",
    },
    "nn.functional": {
        "there are no grouped or scaled products here: multiply with cygrad.bmm, and scale the result":
            "grouped_mm scaled_grouped_mm scaled_mm ScalingType SwizzleType",
        "cygrad.overrides has it": "handle_torch_function has_torch_function*",
        "cygrad.jit has what is left of TorchScript": "BroadcastingList* boolean_dispatch assert_int_or_pair",
    },
    "utils": {
        "cygrad.utils.benchmark measures": "ThroughputBenchmark throughput_benchmark",
        "a device is a backend (docs/backends.md)":
            "backend_registration rename_privateuse1_backend generate_methods_for_privateuse1_backend",
        "this is about how PyTorch itself was built":
            "backcompat cmake_prefix_path collect_env cpp_backtrace debug_log file_baton get_cpp_backtrace hipify "
            "mkldnn serialization set_module viz",
        "kernels in C, C++ and Rust are a backend (docs/backends.md)": "cpp_extension",
        _COMPILER: "bundled_inputs jit mobile_optimizer model_dump",
        "`python -m pickletools` shows what a pickle holds": "show_pickle",
    },
    "autograd": {
        "cygrad.profiler has what is measured here":
            "DeviceType ProfilerActivity ProfilerConfig ProfilerEvent ProfilerState kineto_available profiler_legacy "
            "profiler_util",
        "cygrad.overrides has it": "handle_torch_function has_torch_function is_tensor_like",
        "a cygrad.autograd.Function of plain arguments does it": "NestedIOFunction",
        "gradients have the strides that their ops give them": "enforce_grad_layout_policy is_view_replay_enabled",
    },
}


def missing(module, name, names=()):
    """The AttributeError for a name that a module, given by its name inside cygrad, lacks; `names` are what it has."""
    why = next((reason.format(name[:name.find("_") + 1]) for reason, words in _WHY.get(module, {}).items()
                for word in words.split() if word == name or word[-1] == "*" and name.startswith(word[:-1])), None)
    if why is None and names:
        import difflib      # start-up time
        near = difflib.get_close_matches(name, names, 1, 0.75)
        why = f"did you mean {near[0]!r}?" if near else None
    return AttributeError(f"module '{('cygrad.' + module).rstrip('.')}' has no attribute {name!r}"
                          + (f"; {why}" if why else ""))
