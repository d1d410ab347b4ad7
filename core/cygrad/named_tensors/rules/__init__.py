"""The table of names: which names an op's result has, one rule for each family of ops.

A rule is a function of the call (`named_tensors.call.Call`; axes are numbers by then) that returns the names of the
results: a tuple for all of them, a list with one for each, or None for no names. It raises where names don't match, and
may put arguments right that only a named tensor takes (`out_dim` of flatten). Rules run before the op; the in-place
form of an op has its rule.

`flatten`, `unflatten` and `diagonal` (`op_forms.GIVES_NAMES`) are given names of new axes; their rules take these away,
then call `number_axes` themselves. An op without a rule refuses named tensors: `reshape`, where sizes say nothing of
axes, and factorizations of matrices, whose results have axes that no name of the input is right for.
"""
from cygrad.named_tensors.rules import linalg, nn, pointwise, reduce, shape
from cygrad.named_tensors.rules.helpers import RULES, UNSUPPORTED

# The parameters that are axes: where a name may stand for a number.
AXES = frozenset("axis axis0 axis1 destination dim dim0 dim1 dim2 dimension dims end_dim source start_dim".split())
