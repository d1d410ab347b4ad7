"""The batching rules: what an op does with the values of all examples, one row for each op in sections by family.

    @rule("sum mean")
    def reduces(level, op, x, dim=None, keepdim=False, **options): ...

A rule gets the level and the op, then the op's own arguments. Of the tensors among them those that are batched at the
level have `.value`, with the examples along axis 0; `whole(t, level)` spreads the others. What a rule returns is
batched again, unless it is already, as the result of a rule in terms of other ops is.
"""
from cygrad.batching.rules import index, linalg, nn, pointwise, reduce, shape
from cygrad.batching.rules.helpers import RULES

__all__ = ["RULES", "index", "linalg", "nn", "pointwise", "reduce", "shape"]
