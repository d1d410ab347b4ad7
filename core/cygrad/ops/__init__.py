"""The ops: what they are called, what they take, what they refuse, and which kernels and which node they are made of.

`registry` turns a definition into function, method, in-place form and `out=`; `entry` is what that becomes for users.
Ops that are one pointwise kernel are rows of `pointwise_table` (applied by `pointwise`, published by `arithmetic`). The
other modules have the ops that they are named after, but for these, which ops share: `places` (index tensors),
`sequences` and `arrays` (Python's and NumPy's data), `lookup` and `ties` (loops over values in host memory), `batches`
and `lapack` (matrices), `geometry` (windows on storages), `draws` (random numbers).
"""
