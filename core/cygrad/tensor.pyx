# cython: binding=False, always_allow_keywords=False, embedsignature=True, embedsignature.format=clinic
"""Tensor: what a user holds. A View (storage, sizes, strides, dtype) with gradient bookkeeping.

This file has the type itself: its fields, properties and the protocols Python calls through slots (operators,
indexing, conversion to numbers). All other methods come from the ops, which `publish` of `ops/declare/op_forms.py`
attaches. Rarely used or wordy parts live in `tensors/`, attached the same way. Methods are plain method
descriptors, which the interpreter calls in less time than Cython's functions, and say their signatures as those can.
"""
cimport cython
from cpython.object cimport Py_TPFLAGS_HEAPTYPE, PyTypeObject
from cpython.ref cimport Py_CLEAR, Py_DECREF, Py_INCREF

from cygrad.autograd.modes cimport interceptions, grad_enabled, inference_enabled, refuse_in_transforms
from cygrad.backend cimport Backend
from cygrad.dtype cimport CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER, plain_of
from cygrad.storage cimport VersionCounter, counter_at
from cygrad.tensors.operators cimport (ABS, ADD, AND, DIV, EQ, FLOOR_DIVIDE, GE, GT, INVERT, LE, LEFT_SHIFT,
                                       LT, MUL, NE, NEG, OR, REMAINDER, RIGHT_SHIFT, SUB, XOR, operators)
from cygrad.tensors cimport overriding
from cygrad.tensors.overriding cimport (function_modes, getter_is_watched, hand_over_inplace, hand_over_key,
                                        hand_over_method, hand_over_named, hand_over_pair, is_watched, mode_here,
                                        pair_is_watched)
from cygrad.tensors.object_reuse cimport PyObject_GenericGetDict, keep_whole, lazy_dict
from cygrad.view cimport View, fill_strided, size_of, tuple_of, wrap_dim

cdef extern from "Python.h":
    void PyType_Modified(PyTypeObject *)
    int PyObject_GenericSetDict(object, object, void *) except -1

cdef extern from *:
    Tensor whole_tensor "whole_instance"(object cls, tuple no_args)

from cygrad.devices import device as _device
from cygrad.errors import warn, warn_once
from cygrad.tensors.overriding import as_subclass_too
from cygrad.named_tensors.names import position, rename_
from cygrad.dtype import get_default_dtype


ZERO_DIM_T = "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
NO_MATRIX_T = ("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
               "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute("
               "*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.")

cdef tuple NO_ARGS = ()
cdef int[6] COMPARISONS = [LT, LE, EQ, NE, GT, GE]     # by Python's numbers of the comparisons


cdef inline object unary(int operator, object x):
    if is_watched(x):
        return hand_over_pair(operator, x, None)
    return operators.unary(operators.ops[operator], x)


cdef inline object binary(int operator, object x, object y):
    if function_modes and mode_here():      # operands whose types override are found by the op
        return hand_over_pair(operator, x, y)
    return operators.binary(operators.ops[operator], x, y)


cdef inline object inplace(int operator, object x, object y):
    if pair_is_watched(x, y):
        return hand_over_inplace(operator, x, y)
    return operators.inplace(operators.ops[operator], x, y)


cdef class Tensor(View):
    """A multi-dimensional array of elements of one dtype on one device, with gradients.

    Made by `cygrad.tensor`, `cygrad.zeros` and the other creation functions. Called as a constructor it behaves as
    PyTorch's legacy one: ``Tensor(2, 3)`` is uninitialised, ``Tensor([1, 2])`` holds the values, in the default dtype.
    """

    def __cinit__(self):
        self.inference = inference_enabled()

    def __init__(self, *args, **kwargs):
        if type(self) is Tensor:            # of a subclass, `__new__` has done it
            from cygrad.tensors.legacy_types import construct      # knot: it needs this module
            construct(self, args, kwargs)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """An op's call with an instance of a subclass: the op on plain tensors, its results instances of the subclass.

        Parameters
        ----------
        func : callable
            The op, as it was called: a function, a method of Tensor, or a property's `__get__`.
        types : tuple of type
            The types among the arguments that have this method.
        args : tuple
            The call's arguments.
        kwargs : dict, optional
            Those by name.

        Returns
        -------
        object
            The op's result, its tensors as instances of `cls`; NotImplemented if a type is no base of `cls`.
        """
        return as_subclass_too(cls, func, types, args, kwargs)

    # ------------------------------------------------------------- properties

    @property
    def device(self):
        """Where the elements are."""
        return _device.of(self.memory.backend, self.memory.index)

    @property
    def shape(self):
        """Sizes of the axes, a `cygrad.Size`."""
        if getter_is_watched(self):
            return hand_over_method("shape.__get__", self)
        return size_of(self)

    @property
    def ndim(self):
        """Number of axes."""
        return self.rank

    @property
    def itemsize(self):
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.elements * self.dtype.itemsize

    @property
    def layout(self):
        return _device.strided

    @property
    def is_cuda(self):
        return (<Backend>self.memory.backend).name == "cuda"

    @property
    def is_cpu(self):
        return (<Backend>self.memory.backend).name == "cpu"

    @property
    def is_sparse(self):
        return False

    @property
    def is_quantized(self):
        return False

    @property
    def is_meta(self):
        return (<Backend>self.memory.backend).name == "meta"

    @property
    def requires_grad(self):
        """Whether backward computes a gradient for this tensor."""
        return bool((self.requires | (0 if self.base is None else self.base.requires)) & 1)

    @requires_grad.setter
    def requires_grad(self, value):
        if value is not True and value is not False:
            raise RuntimeError("requires_grad must be a bool")
        set_requires_grad(self, value is True)

    @property
    def is_leaf(self):
        """Whether a user made it (no op computed it), or it needs no gradient."""
        return node_of(self) is None

    @property
    def grad_fn(self):
        """The node of the op that computed this tensor; None for a leaf."""
        return node_of(self)

    @property
    def _grad_fn(self):
        """`grad_fn`, by PyTorch's older name."""
        return self.grad_fn

    @_grad_fn.deleter
    def _grad_fn(self):
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    @property
    def grad(self):
        """The accumulated gradient of a leaf (or of a tensor that retains it), or None."""
        if (self.gradient is None and self.node is not None and not self.retains):
            warn("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
                 "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
                 "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
                 "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
                 "github.com/pytorch/pytorch/pull/30531 for more information.")
        return self.gradient

    @grad.setter
    def grad(self, value):
        if value is not None:
            value = checked_gradient(self, value)
        self.gradient = value

    @grad.deleter
    def grad(self):
        self.gradient = None

    @property
    def grad_dtype(self):
        """The dtype to which gradients of this leaf are cast, its own by default; None where any goes.

        Raises
        ------
        RuntimeError
            If the tensor is no leaf; when it is set, if there is a gradient of another dtype.

        Examples
        --------
        >>> import cygrad
        >>> x = cygrad.ones(2, requires_grad=True)
        >>> x.grad_dtype = cygrad.float64
        >>> (x * 3).sum().backward()
        >>> x.grad
        tensor([3., 3.], dtype=cygrad.float64)
        """
        from cygrad.autograd.grad_dtypes import declared_dtype      # knot: it needs this module
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        return declared_dtype(self)

    @grad_dtype.setter
    def grad_dtype(self, value):
        from cygrad.autograd.grad_dtypes import declare      # knot: it needs this module
        declare(self, value)

    @property
    def data(self):
        """The same elements without history and with a version counter of their own."""
        cdef Tensor out = alias(self)
        out.counter = VersionCounter.__new__(VersionCounter)
        return out

    @data.setter
    def data(self, value):
        from cygrad.tensors.methods import set_data      # knot: it needs this module
        set_data(self, value)

    @property
    def T(self):
        """All axes in reverse order."""
        if self.rank != 2:
            warn(ZERO_DIM_T if self.rank == 0 else NO_MATRIX_T)
        if self.names_ is not None:
            return self.permute(*range(self.rank - 1, -1, -1))
        return operators.reverse(self)

    @property
    def mT(self):
        """The last two axes swapped."""
        if self.rank == 0:
            warn("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.")
            return self
        if self.rank < 2:
            raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {self.rank}-D "
                               "tensor.")
        if self.names_ is not None:
            return self.transpose(-2, -1)
        return operators.transpose(self, self.rank - 2, self.rank - 1)

    @property
    def H(self):
        """The conjugate of a matrix, its axes swapped."""
        from cygrad.ops.shape.moved_axes import conjugate_transpose  # knot: it needs this module
        return conjugate_transpose(self)

    @property
    def mH(self):
        """The conjugate of a matrix or batch of matrices, the last two axes swapped."""
        from cygrad.ops.shape.moved_axes import matrix_adjoint  # knot: it needs this module
        return matrix_adjoint(self)

    @property
    def _version(self):
        """Number of in-place changes so far."""
        if self.inference and self.counter is None:
            raise RuntimeError("Inference tensors do not track version counter.")
        return version_of(self)

    @property
    def _base(self):
        """The tensor this one is a view of, or None."""
        return self.base

    @property
    def retains_grad(self):
        """Whether a non-leaf keeps its gradient (`retain_grad`)."""
        return self.retains

    @property
    def volatile(self):
        """False. It once meant that no graph was made; `no_grad` does that."""
        warn("volatile was removed (Variable.volatile is always False)")
        return False

    @volatile.setter
    def volatile(self, value):
        warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")

    @property
    def output_nr(self):
        """Which output of `grad_fn` this is."""
        return self.output_number

    @property
    def names(self):
        """Names of the axes; None for each axis without one."""
        return (None,) * self.rank if self.names_ is None else self.names_

    @names.setter
    def names(self, names):
        rename_(self, names)

    @property
    def __dict__(self):
        """What was set on the tensor by name."""
        return PyObject_GenericGetDict(self, NULL)

    @__dict__.setter
    def __dict__(self, attributes):
        PyObject_GenericSetDict(self, attributes, NULL)

    def _is_view(self):
        return self.base is not None

    # ------------------------------------------------------------ simple methods

    def dim(self):
        """Number of axes.

        Returns
        -------
        int
            0 for a single number.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, 3).dim()
        2
        """
        if is_watched(self):
            return hand_over_method("dim", self)
        return self.rank

    def ndimension(self):
        """Number of axes.

        Returns
        -------
        int
            0 for a single number.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, 3).ndimension()
        2
        """
        if is_watched(self):
            return hand_over_method("ndimension", self)
        return self.rank

    def numel(self):
        """Number of elements.

        Returns
        -------
        int
            The product of the sizes.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, 3).numel()
        6
        """
        if is_watched(self):
            return hand_over_method("numel", self)
        # View has it, too; a type's own methods are called in less time
        return self.elements

    def nelement(self):
        """Number of elements.

        Returns
        -------
        int
            The product of the sizes.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, 3).nelement()
        6
        """
        if is_watched(self):
            return hand_over_method("nelement", self)
        return self.elements

    def size(self, dim=None):
        """The shape, or the size of one axis.

        Parameters
        ----------
        dim : int or str, optional
            The axis.

        Returns
        -------
        Size or int
            All sizes, or that one.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, 3).size(), cygrad.zeros(2, 3).size(1)
        (cygrad.Size([2, 3]), 3)
        """
        if is_watched(self):
            return hand_over_named("size", (self,) if dim is None else (self, dim))
        if dim is None:
            return size_of(self)
        if dim is True or dim is False or type(dim) is str and self.names_ is None:
            raise TypeError(f"size(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")
        if type(dim) is str:
            dim = position(self, dim)
        cdef Py_ssize_t axis = dim
        if self.rank == 0:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return self.sizes[wrap_dim(axis, self.rank)]

    def stride(self, dim=None):
        """The strides in elements, or that of one axis.

        Parameters
        ----------
        dim : int or str, optional
            The axis.

        Returns
        -------
        tuple of int, or int
            All strides, or that one.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, 3).stride()
        (3, 1)
        """
        if is_watched(self):
            return hand_over_named("stride", (self,) if dim is None else (self, dim))
        if dim is None:
            return tuple_of(self.strides, self.rank)
        if dim is True or dim is False or type(dim) is str and self.names_ is None:
            raise TypeError(f"stride(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")
        if type(dim) is str:
            dim = position(self, dim)
        cdef Py_ssize_t axis = dim
        if self.rank == 0:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return self.strides[wrap_dim(axis, self.rank)]

    def is_contiguous(self, *, memory_format=None):
        """Whether the elements lie in row-major order without gaps.

        Parameters
        ----------
        memory_format : memory_format, optional
            `channels_last` or `channels_last_3d`: whether they lie in that order.

        Returns
        -------
        bool
            True for tensors of no elements, too.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, 3).t().is_contiguous()
        False
        """
        if is_watched(self):
            return hand_over_method("is_contiguous", self)
        cdef Py_ssize_t step = 1
        if memory_format is None or memory_format.order is None:
            return self.dense
        if self.rank != len(memory_format.order):
            return False
        for axis in memory_format.order:
            if self.sizes[axis] != 1:
                if self.strides[axis] != step:
                    return False
                step *= self.sizes[axis]
        return True

    def item(self):
        """The only element as a Python number.

        Returns
        -------
        bool, int, float or complex
            By the dtype.

        Raises
        ------
        RuntimeError
            Unless there is one element.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.tensor([5]).item()
        5
        """
        if is_watched(self):
            return hand_over_method("item", self)
        if self.elements != 1:
            raise RuntimeError(f"a Tensor with {self.elements} elements cannot be converted to Scalar")
        return operators.item(self)

    def detach(self):
        """The same elements, storage and version counter, without history.

        Returns
        -------
        Tensor
            A leaf that requires no gradient.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.ones(1, requires_grad=True).detach().requires_grad
        False
        """
        if is_watched(self):
            return hand_over_method("detach", self)
        cdef Tensor out = alias(self)
        if self.inference and not inference_enabled():      # which then counts by itself, as `data` does
            out.counter = VersionCounter.__new__(VersionCounter)
        return out

    def requires_grad_(self, requires_grad=True):
        """Set `requires_grad` and return the tensor.

        Parameters
        ----------
        requires_grad : bool
            The new value.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is of integers, or no leaf; inside of a transform of `cygrad.func`.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.ones(1).requires_grad_()
        tensor([1.], requires_grad=True)
        """
        if is_watched(self):
            return hand_over_named("requires_grad_", (self, requires_grad))
        if requires_grad is not True and requires_grad is not False:
            raise TypeError("requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                            f"{type(requires_grad).__name__}")
        if requires_grad and self.dtype.category < CATEGORY_FLOAT:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        refuse_in_transforms("requires_grad_")
        if not requires_grad or self.node is None or not self.requires_grad:
            set_requires_grad(self, requires_grad)
        return self

    def storage_offset(self):
        """Where in its storage the first element is, in elements.

        Returns
        -------
        int
            0 unless it is a view.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(5)[2:].storage_offset()
        2
        """
        if is_watched(self):
            return hand_over_method("storage_offset", self)
        return self.offset

    def element_size(self):
        """Bytes of one element.

        Returns
        -------
        int
            By the dtype.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(5).element_size()
        4
        """
        if is_watched(self):
            return hand_over_method("element_size", self)
        return self.dtype.itemsize

    def data_ptr(self):
        """Where the first element is in memory.

        Returns
        -------
        int
            The address.

        Examples
        --------
        >>> import cygrad
        >>> x = cygrad.zeros(5)
        >>> x[1:].data_ptr() - x.data_ptr()
        4
        """
        if is_watched(self):
            return hand_over_method("data_ptr", self)
        if self.elements == 0:
            return 0
        return self.memory.data_ptr() + self.offset * self.dtype.itemsize

    def is_floating_point(self):
        """Whether the dtype is a floating-point one.

        Returns
        -------
        bool
            Also of 16-bit floats; False for complex dtypes.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.ones(1).is_floating_point()
        True
        """
        if is_watched(self):
            return hand_over_method("is_floating_point", self)
        return self.dtype.category == CATEGORY_FLOAT

    def is_complex(self):
        """Whether the dtype is complex.

        Returns
        -------
        bool
            Of the dtype alone.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.ones(1).is_complex()
        False
        """
        if is_watched(self):
            return hand_over_method("is_complex", self)
        return self.dtype.category == CATEGORY_COMPLEX

    def is_signed(self):
        """Whether the dtype has negative values.

        Returns
        -------
        bool
            False for bool and uint8.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.ones(1).is_signed()
        True
        """
        if is_watched(self):
            return hand_over_method("is_signed", self)
        return self.dtype.is_signed

    def is_inference(self):
        """Whether it was made in inference mode.

        Returns
        -------
        bool
            Autograd never takes such a tensor.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.ones(1).is_inference()
        False
        """
        if is_watched(self):
            return hand_over_method("is_inference", self)
        return bool(self.inference)

    def has_names(self):
        """Whether any axis has a name.

        Returns
        -------
        bool
            False for a tensor without axes.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, names=("N",)).has_names()
        True
        """
        return self.names_ is not None

    # C-level bookkeeping for Python modules of the core

    def _bump_version(self):
        bump_version(self)

    def _tracked(self):
        """Whether ops on it are recorded, for backward or for its tangent."""
        return bool(grad_enabled() and requires_grad(self))

    def _check_inplace(self):
        operators.check_inplace(self)

    def _overwrite(self, Tensor value not None):
        """Raw self[...] = value, shapes equal; no history."""
        if self.shape != value.shape:
            raise RuntimeError(f"expected a tensor of shape {self.shape}, not of {value.shape}")
        operators.copy(value, self)
        bump_version(self)

    def _count_from(self, unsigned int version):
        """Have a version of its own from now on, whatever is written to its memory through others."""
        cdef VersionCounter counter = VersionCounter.__new__(VersionCounter)
        counter.value = version
        self.counter = counter

    def _take(self, Tensor other not None):
        """Become a window on other's storage with other's geometry and dtype; history and version counter stay."""
        if self.counter is None and other.memory is not self.memory and not self.inference:
            self.counter = counter_at(self.memory)
        fill_strided(self, other.memory, other.dtype, other.offset, other.rank, other.sizes, other.strides)

    def _become(self, Tensor other not None):
        """Be what another tensor is, for a constructor: its window, with its base and its place in the graph."""
        self.counter, self.base, self.view_version = other.counter, other.base, other.view_version
        self.node, self.output_number, self.requires = other.node, other.output_number, other.requires
        fill_strided(self, other.memory, other.dtype, other.offset, other.rank, other.sizes, other.strides)

    def _forget_accumulator(self):
        """Have another node for `.grad` from now on: the former was made for what the tensor was."""
        self.accumulator = NULL

    def _set_inference(self, bint inference):
        self.inference = inference

    def _set_names(self, names):
        self.names_ = names

    def _plain(self):
        return plain(self)

    def _view_instead(self, Tensor of not None, Tensor original not None):
        """Make a view of the plain alias `of` one of the tensor it stands for."""
        if self.base is of:
            self.base = original

    def _backend(self):
        return self.memory.backend

    def _storage(self):
        return self.memory

    def _device_index(self):
        return self.memory.index

    def _get_post_hooks(self):
        return self.post_hooks

    def _set_post_hooks(self, hooks):
        self.post_hooks = hooks

    @staticmethod
    def _make_subclass(cls, given, require_grad=False):
        """A leaf of a subclass of Tensor, on data's elements: what a subclass's `__new__` returns."""
        if type(require_grad) is not bool:
            raise TypeError("_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
                            f"{type(require_grad).__name__}")
        if not isinstance(cls, type):
            raise TypeError(f"cls must be a type (got {type(cls).__name__})")
        if not isinstance(given, Tensor):
            raise TypeError("_make_subclass(): argument 'data' (position 2) must be Tensor, not "
                            f"{type(given).__name__}")
        if require_grad is not True and require_grad is not False:
            raise TypeError("_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
                            f"{type(require_grad).__name__}")
        cdef Tensor data = <Tensor>given, made = <Tensor>_bare_instance(cls)
        fill_strided(made, data.memory, data.dtype, data.offset, data.rank, data.sizes, data.strides)
        made.counter = data.counter
        made.inference = data.inference
        made.names_ = data.names_
        if require_grad and data.dtype.category < CATEGORY_FLOAT:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        if require_grad and data.inference and not inference_enabled():
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        made.requires = require_grad is True
        return made

    def _make_plain(self):
        """Turn an instance of a subclass into one of Tensor itself, which assigning `__class__` refuses."""
        kind = type(self)
        if (<PyTypeObject *>kind).tp_basicsize != (<PyTypeObject *>Tensor).tp_basicsize:
            raise TypeError(f"__class__ assignment: 'Tensor' object layout differs from '{kind.__name__}'")
        if kind is not Tensor:
            Py_SET_TYPE(self, <PyTypeObject *>Tensor)
            Py_DECREF(kind)         # its instance counted it

    def _drop_history(self):
        self.node = None
        self.output_number = 0
        self.requires = False

    # ---------------------------------------------------------------- operators

    def __add__(x, y):
        return binary(ADD, x, y)

    def __radd__(x, y):
        return binary(ADD, y, x)

    def __sub__(x, y):
        return binary(SUB, x, y)

    def __rsub__(x, y):
        return binary(SUB, y, x)

    def __mul__(x, y):
        return binary(MUL, x, y)

    def __rmul__(x, y):
        return binary(MUL, y, x)

    def __truediv__(x, y):
        return binary(DIV, x, y)

    def __rtruediv__(x, y):
        if pair_is_watched(x, y):
            return hand_over_named("__rdiv__", (x, y))
        if isinstance(y, Tensor):               # x is of a subclass, such as Parameter: Python asks it first
            return binary(DIV, y, x)
        return operators.reciprocal(x, y)

    def __floordiv__(x, y):
        return binary(FLOOR_DIVIDE, x, y)

    def __rfloordiv__(x, y):
        return binary(FLOOR_DIVIDE, y, x)

    def __mod__(x, y):
        return binary(REMAINDER, x, y)

    def __rmod__(x, y):
        return binary(REMAINDER, y, x)

    def __pow__(x, y, z):
        if interceptions or pair_is_watched(x, y):
            return x.pow(y)
        return operators.power(x, y)

    def __rpow__(x, y, z):
        if pair_is_watched(x, y):
            return hand_over_named("__rpow__", (x, y))
        return operators.power(y, x)

    def __and__(x, y):
        return binary(AND, x, y)

    def __rand__(x, y):
        return binary(AND, y, x)

    def __or__(x, y):
        return binary(OR, x, y)

    def __ror__(x, y):
        return binary(OR, y, x)

    def __xor__(x, y):
        return binary(XOR, x, y)

    def __rxor__(x, y):
        return binary(XOR, y, x)

    def __lshift__(x, y):
        return binary(LEFT_SHIFT, x, y)

    def __rlshift__(x, y):
        return binary(LEFT_SHIFT, y, x)

    def __rshift__(x, y):
        return binary(RIGHT_SHIFT, x, y)

    def __rrshift__(x, y):
        return binary(RIGHT_SHIFT, y, x)

    def __matmul__(x, y):
        if pair_is_watched(x, y):
            return hand_over_named("matmul", (x, y))
        if not isinstance(x, Tensor) or not isinstance(y, Tensor):
            return NotImplemented
        if (<Tensor>x).names_ is not None or (<Tensor>y).names_ is not None or interceptions:
            return x.matmul(y)
        if (<Tensor>x).memory.backend is not (<Tensor>y).memory.backend:
            return x.matmul(y)          # which knows what to do
        return operators.matmul(x, y)

    def __iadd__(self, y):
        return inplace(ADD, self, y)

    def __isub__(self, y):
        return inplace(SUB, self, y)

    def __imul__(self, y):
        return inplace(MUL, self, y)

    def __itruediv__(self, y):
        return inplace(DIV, self, y)

    def __ifloordiv__(self, y):
        return inplace(FLOOR_DIVIDE, self, y)

    def __imod__(self, y):
        return inplace(REMAINDER, self, y)

    def __ipow__(self, y, z=None):
        try:
            return self.pow_(y)
        except TypeError:                               # as in PyTorch, ** is tried, and what y makes of it
            return NotImplemented

    def __iand__(self, y):
        return inplace(AND, self, y)

    def __ior__(self, y):
        return inplace(OR, self, y)

    def __ixor__(self, y):
        return inplace(XOR, self, y)

    def __ilshift__(self, y):
        return inplace(LEFT_SHIFT, self, y)

    def __irshift__(self, y):
        return inplace(RIGHT_SHIFT, self, y)

    def __neg__(self):
        return unary(NEG, self)

    def __pos__(self):
        return self.positive()

    def __abs__(self):
        return unary(ABS, self)

    def __invert__(self):
        if self.dtype.category > CATEGORY_INTEGER:
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
        return unary(INVERT, self)

    def __richcmp__(self, other, int op):
        return binary(COMPARISONS[op], self, other)

    def __hash__(self):
        return <Py_ssize_t><void *>self

    # ------------------------------------------------------- Python's protocols

    def __bool__(self):
        if is_watched(self):
            return hand_over_method("__bool__", self)
        if self.elements != 1:
            if self.elements == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(operators.item(self))

    def __int__(self):
        if is_watched(self):
            return hand_over_method("__int__", self)
        return int(single(self, "int64_t"))

    def __float__(self):
        if is_watched(self):
            return hand_over_method("__float__", self)
        return float(differentiable_single(self, "double"))

    def __complex__(self):
        if is_watched(self):
            return hand_over_method("__complex__", self)
        return complex(differentiable_single(self, None))

    def __index__(self):
        if is_watched(self):
            return hand_over_method("__index__", self)
        if self.elements != 1 or self.dtype.category > CATEGORY_INTEGER:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(operators.item(self))

    def __len__(self):
        if is_watched(self):
            return hand_over_method("__len__", self)
        if self.rank == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.sizes[0]

    def __iter__(self):
        if self.rank == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element):
        if is_watched(self):
            return hand_over_named("__contains__", (self, element))
        from cygrad.tensors.methods import contains      # knot: it needs this module
        return contains(self, element)

    def __getitem__(self, index):
        if is_watched(self):
            return hand_over_key(self, index)
        if self.names_ is not None:
            from cygrad.named_tensors.indexing import getitem      # knot: it needs this module
            return getitem(self, index)
        return operators.getitem(self, index)

    def __setitem__(self, index, value):
        if pair_is_watched(self, value):
            hand_over_named("__setitem__", (self, index, value))
            return
        if self.names_ is not None or (isinstance(value, Tensor) and (<Tensor>value).names_ is not None):
            from cygrad.named_tensors.indexing import setitem      # knot: it needs this module
            setitem(self, index, value)
            return
        operators.setitem(self, index, value)

    def __delitem__(self, index):
        raise TypeError("Tensor does not support deleting items")

    def __repr__(self):
        if is_watched(self):
            return hand_over_method("__repr__", self)
        from cygrad.tensors.printing import tensor_repr      # knot: it needs this module
        return tensor_repr(self)

    def __str__(self):
        return repr(self)

    def __format__(self, spec):
        if is_watched(self):
            return hand_over_named("__format__", (self, spec))
        if not isinstance(spec, str):
            return object.__format__(self, spec)            # which is refused; `format` raises a SystemError
        if self.rank == 0 and type(self) is Tensor and (<Backend>self.memory.backend).name != "meta":
            return format(operators.item(self), spec)
        if spec:
            raise TypeError("unsupported format string passed to Tensor.__format__")
        return str(self)


cdef object single(Tensor t, str real_type):
    """The only element, for int() and float(); `real_type` is what can't hold a complex one."""
    if t.elements != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    value = operators.item(t)
    if real_type is not None and type(value) is complex:
        if value.imag != 0:
            raise RuntimeError(f"value cannot be converted to type {real_type} without overflow")
        return value.real
    return value


cdef object differentiable_single(Tensor t, str real_type):
    """`single`, with a warning where its place in the graph is lost; int() has none in PyTorch."""
    if requires_grad(t) and t.elements == 1 and grad_enabled():
        warn_once("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                  "Consider using tensor.detach() first.")
    return single(t, real_type)


cdef Tensor checked_gradient(Tensor t, object value):
    """What was assigned to `.grad`, if it can be t's gradient."""
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    cdef Tensor g = <Tensor>value
    from cygrad.autograd.grad_dtypes import declared_dtype      # knot: it needs this module
    wanted = declared_dtype(t)
    if wanted is not None and plain_of(g.dtype) is not wanted:
        from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES      # knot: it needs this module
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{C_TYPES[g.dtype.code]}' to a tensor with "
            f"grad_dtype '{SCALAR_NAMES[wanted.code]}'. The gradient must match the tensor's grad_dtype (defaults to "
            "the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
            "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may "
            "break downstream systems that assume they match.")
    if g.memory.backend is not t.memory.backend or g.memory.index != t.memory.index:
        from cygrad.devices.home import brought      # knot: it needs this module
        value = brought(g, t.device)
        if value is None:
            raise RuntimeError(f"attempting to assign a gradient with device type '{g.device.type}' to a tensor with "
                               f"device type '{t.device.type}'. Please ensure that the gradient and the tensor are on "
                               "the same device")
        g = <Tensor>value
    if size_of(g) != size_of(t):
        raise RuntimeError(f"attempting to assign a gradient of size '{list(size_of(g))}' to a tensor of size "
                           f"'{list(size_of(t))}'. Please ensure that the gradient and the tensor are the same size")
    return g


cdef Tensor new_tensor():
    """A tensor without storage and geometry."""
    cdef Tensor made = whole_tensor(Tensor, NO_ARGS)
    made.inference = inference_enabled()
    return made


cdef void blank(Tensor t) noexcept:
    """Make a tensor that nobody refers to any more as it was when new, but for its dtype."""
    t.memory = None
    t.requires = 0
    t.retains = False
    t.creation = CREATED_NORMALLY
    t.output_number = 0
    t.view_version = 0
    t.accumulator = NULL
    if t.room is not None:
        t.room = None
    if t.shape_ is not None:
        t.shape_ = None
    if t.node is not None:
        t.node = None
    if t.gradient is not None:
        t.gradient = None
    if t.base is not None:
        t.base = None
    if t.counter is not None:
        t.counter = None
    if t.hooks is not None:
        t.hooks = None
    if t.post_hooks is not None:
        t.post_hooks = None
    if t.names_ is not None:
        t.names_ = None
    if t.tangents is not None:
        t.tangents = None
    if t.attributes != NULL:
        Py_CLEAR(t.attributes)


cdef object node_of(Tensor t):
    """The node of the op that computed a tensor; None for a leaf, and for what needs no gradient."""
    if not requires_grad(t):
        return None
    if t.base is not None:
        operators.gradient_edge(t)
    return t.node


cdef int set_requires_grad(Tensor t, bint value) except -1:
    if t.node is not None and requires_grad(t):             # as it is: a view's node is made anew when it is asked for
        raise RuntimeError("you can only change requires_grad flags of leaf variables." + (
            "" if value else " If you want to use a computed variable in a subgraph that doesn't require "
            "differentiation use var_no_grad = var.detach()."))
    if value and t.dtype.category < CATEGORY_FLOAT:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    if value and t.inference and not inference_enabled():
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
    t.requires = (t.requires & 2) | value       # the other bit: it has a tangent
    return 0


cdef Tensor alias(Tensor t):
    """A tensor on the same elements and version counter, without history."""
    cdef Tensor out = new_tensor()
    fill_strided(out, t.memory, t.dtype, t.offset, t.rank, t.sizes, t.strides)
    out.counter = t.counter
    out.inference = t.inference
    out.names_ = t.names_
    return out


cdef Tensor plain(Tensor t):
    """`t` without names: an alias in t's place in the graph, for an op that knows nothing of names."""
    cdef Tensor out = alias(t)
    out.names_ = None
    if requires_grad(t):
        out.node = operators.gradient_edge(t)
        out.output_number = t.output_number if t.node is not None else 0
        out.requires = out.node is not None
        if t.tangents is not None:
            out.tangents = t.tangents
            out.requires |= t.requires & 2
    out.base = t.base
    out.view_version = t.view_version
    out.creation = t.creation
    return out


cdef Tensor view_of(Tensor t, Py_ssize_t offset, int rank, const Py_ssize_t *sizes, const Py_ssize_t *strides):
    """A view of `t` with this geometry, tied to t's base; the caller records the op."""
    cdef Tensor out = new_tensor()
    fill_strided(out, t.memory, t.dtype, offset, rank, sizes, strides)
    out.counter = t.counter
    out.inference = t.inference
    if t.inference:
        return out
    out.base = t if t.base is None else t.base
    out.view_version = version_of(out)
    if inference_enabled():
        out.creation = CREATED_IN_INFERENCE
    elif not grad_enabled():
        out.creation = CREATED_IN_NO_GRAD
    elif t.base is not None:
        out.creation = t.creation
    return out


cdef Tensor subclass_view(cls, Tensor t):
    """A view of the whole of `t` that is an instance of a subclass of Tensor; the caller records the op."""
    cdef Tensor view = view_of(t, t.offset, t.rank, t.sizes, t.strides), out = <Tensor>_bare_instance(cls)
    fill_strided(out, t.memory, t.dtype, t.offset, t.rank, t.sizes, t.strides)
    out.counter, out.inference, out.base = view.counter, view.inference, view.base
    out.view_version, out.creation = view.view_version, view.creation
    return out


def as_tensor_view(View v not None):
    """A plain View as a Tensor without history, for Python code of the core."""
    cdef Tensor out
    if isinstance(v, Tensor):
        return alias(<Tensor>v)
    out = new_tensor()
    fill_strided(out, v.memory, v.dtype, v.offset, v.rank, v.sizes, v.strides)
    return out


def attach_methods(cls not None, dict methods not None):
    """Put functions into an extension type's namespace, which refuses `setattr`."""
    cdef dict namespace = <dict>(<PyTypeObject *>cls).tp_dict
    for name, function in methods.items():
        if name not in namespace or type(namespace[name]).__name__ == "Later":
            namespace[name] = function
    PyType_Modified(<PyTypeObject *>cls)


cdef object _bare_instance = Tensor.__new__         # without a storage: for those alone who give it one


def blank_instance(cls, *args, **kwargs):
    """`__new__` as Python code calls it: what the arguments say, or a tensor without elements, without `__init__`."""
    from cygrad.devices import discovery      # knot: it needs this module
    from cygrad.dispatch.allocation import empty_on
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"Tensor.__new__(X): X is not a subtype of Tensor, but {cls!r}")
    built = cls
    while built.__flags__ & Py_TPFLAGS_HEAPTYPE:
        built = built.__base__
    if built is not Tensor:             # its fields are for those to fill in who make its instances
        raise TypeError(f"cannot create '{built.__name__}' instances")
    cdef Tensor made = <Tensor>_bare_instance(cls)
    made._take(empty_on(discovery.load("cpu"), 0, get_default_dtype(), (0,)))
    if args or kwargs:
        from cygrad.tensors.legacy_types import construct      # knot: it needs this module
        construct(made, args, kwargs)
    return made


(<dict>(<PyTypeObject *>Tensor).tp_dict)["__new__"] = staticmethod(blank_instance)
PyType_Modified(<PyTypeObject *>Tensor)

cdef extern from *:
    """
    static void cygrad_set_name(PyTypeObject *type, const char *name) { type->tp_name = name; }
    """
    void cygrad_set_name(PyTypeObject *, const char *)


# ---------------------------------------------------------- getters that may be overridden

ctypedef object (*Get)(object, void *)
ctypedef int (*Set)(object, PyObject *, void *) except -1

cdef extern from *:
    """
    static PyGetSetDef *cygrad_getters(PyTypeObject *type) { return type->tp_getset; }
    """
    ctypedef struct PyGetSetDef:
        const char *name
        Get get
        Set set
        void *closure
    PyGetSetDef *cygrad_getters(PyTypeObject *)

cdef struct Getter:
    Get get
    Set set
    PyObject *name

cdef Getter[64] getters
cdef int n_getters = 0


cdef object watched_get(object self, void *place):
    if getter_is_watched(self):
        return hand_over_named(<object>(<Getter *>place).name + ".__get__", (self,))
    return (<Getter *>place).get(self, NULL)


cdef int watched_set(object self, PyObject *value, void *place) except -1:
    if getter_is_watched(self):
        if value == NULL:
            hand_over_named(<object>(<Getter *>place).name + ".__delete__", (self,))
        else:
            hand_over_named(<object>(<Getter *>place).name + ".__set__", (self, <object>value))
        return 0
    return (<Getter *>place).set(self, value, NULL)


cdef int watch_getters(PyTypeObject *kind) except -1:
    """Put the question whether they are overridden before a type's properties."""
    global n_getters
    cdef PyGetSetDef *each = cygrad_getters(kind)
    while each.name != NULL:
        if each.name not in UNWATCHED:
            getters[n_getters].get, getters[n_getters].set = each.get, each.set
            name = each.name.decode()
            Py_INCREF(name)                 # it lives as long as the type
            getters[n_getters].name = <PyObject *>name
            each.closure = &getters[n_getters]
            each.get = watched_get
            if each.set != NULL:
                each.set = watched_set
            n_getters += 1
        each += 1
    return 0


cdef tuple UNWATCHED = (b"__dict__", b"names", b"buffer", b"shape")     # which looks by itself
overriding.tensor_type = <PyTypeObject *>Tensor
watch_getters(<PyTypeObject *>Tensor)
watch_getters(<PyTypeObject *>View)

cdef Tensor _sample = Tensor.__new__(Tensor)
lazy_dict(Tensor, <char *>&_sample.attributes - <char *><void *>_sample)
_sample = None


# CPython's own messages show a type's C name ("'Tensor' object has no attribute ..."), from which it also takes the
# module of a type that is no class statement's. So the name is bare and the module is the metatype's to tell.

class TensorMeta(type):
    """Type of Tensor and its subclasses."""
    __slots__ = ()

    @property
    def __module__(cls):
        return cls.__dict__.get("__module__", "cygrad")

    @__module__.setter
    def __module__(cls, value):
        type.__dict__["__module__"].__set__(cls, value)

    @cython.binding(True)
    def __repr__(cls):
        return "<class 'cygrad.Tensor'>" if cls is Tensor else type.__repr__(cls)


cdef extern from "Python.h":
    void Py_SET_TYPE(object, PyTypeObject *)

cygrad_set_name(<PyTypeObject *>Tensor, "Tensor")
Py_INCREF(TensorMeta)
Py_SET_TYPE(Tensor, <PyTypeObject *>TensorMeta)
keep_whole(Tensor, <void *>blank, False)     # between two tensors of a chain there is a node
