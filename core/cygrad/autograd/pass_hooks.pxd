"""Hooks, gradients that are retained, and anomaly mode: what a pass does for its users beside the gradients."""
from cygrad.autograd.node cimport Attached, Node
from cygrad.tensor cimport Tensor

cdef object run_hooks(object hooks, object grad)
cdef int run_tensor_hooks(Node node, list grads) except -1
cdef int run_pre_hooks(Node node, list grads) except -1
cdef int run_leaf_hooks(Tensor leaf) except -1
cdef int run_post_hooks(Node node, list results, list grads) except -1
cdef int check_nan(object value, Node node, Py_ssize_t position) except -1
cdef int report_anomaly(Node node) except -1
