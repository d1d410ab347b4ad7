"""The ops: what they are called, what they take, what they refuse, and which kernels and which node they are made of.

A folder for each family. `declare` turns a definition into function, method, in-place form and `out=`, and has what
that becomes for users. Ops that are one pointwise kernel are rows of `pointwise/table` (`single_kernel` applies them,
`arithmetic` publishes them). Modules have the ops that they are named after, but for these, which ops share:
`index/tensor_places`, `create/sequences` and `create/arrays` (Python's and NumPy's data), `sort/host_loops` and
`sort/ties` (loops over values in host memory), `linalg/batches` and `linalg/lapack`, `shape/geometry` (windows on
storages), `random/rand`.
"""
