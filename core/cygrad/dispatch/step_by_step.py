"""A pointwise program done one op after another, for dtypes of which backends have no kernels."""
from cygrad.backend import BINARY, UNARY
from cygrad.dispatch.operands import scalar_near
from cygrad.dispatch.raw import binary_op, cast_to, copy_, unary_op, where_op
from cygrad.dtype import all_dtypes
from cygrad.tensor import Tensor

BOOL = next(d for d in all_dtypes() if d.name == "bool")
EQ = BINARY.index("eq")
PREDICATES = tuple(map(UNARY.index, ("logical_not", "isnan", "isinf", "isfinite")))
TO_BOOL = 2                     # the rule of comparisons (promotion.pxd)


def run_in_steps(program, ins, outs, dtype):
    """`elementwise` of a backend by calls of `unary`, `binary` and `where`, whose operands are all of one dtype."""
    like = outs[0]
    stack, kept, results = [], {}, []

    def common(a, b):
        return (a, b) if a.dtype is b.dtype else (cast_to(a, dtype), cast_to(b, dtype))

    for kind, *rest in program:
        if kind == "in" or kind == "number":
            value = ins[rest[0]] if kind == "in" else rest[0]
            if not isinstance(value, Tensor):
                value = scalar_near(like, value, dtype).expand(tuple(like.shape))
            stack.append(value if value.dtype is BOOL else cast_to(value, dtype))
        elif kind == "keep":
            kept[rest[0]] = stack[len(stack) - 1]
        elif kind == "kept":
            stack.append(kept[rest[0]])
        elif kind == "unary":
            stack.append(unary_op(rest[0], stack.pop(), TO_BOOL if rest[0] in PREDICATES else 0))
        elif kind == "out":
            results.append((stack.pop(), outs[rest[0]]))
        else:
            b, a = stack.pop(), stack.pop()
            a, b = common(a, b)
            stack.append(where_op(stack.pop(), a, b) if kind == "where" else
                         binary_op(rest[0], a, b, TO_BOOL if rest[0] >= EQ else 0))
    for value, out in results:
        copy_(out, value)
