"""swish, as a differentiable function for cygrad: `cygrad.functions.swish(x, beta)`."""
import cygrad
from cygrad.autograd import Function


class Swish(Function):
    """x * sigmoid(beta * x); `beta` is a tensor that broadcasts, or a number."""

    @staticmethod
    def forward(ctx, x, beta=1.0):
        if not isinstance(beta, cygrad.Tensor):
            beta = cygrad.tensor(beta, dtype=x.dtype, device=x.device)
        ctx.save_for_backward(x, beta)
        return x * cygrad.sigmoid(beta * x)

    @staticmethod
    def backward(ctx, grad):
        x, beta = ctx.saved_tensors
        s = cygrad.sigmoid(beta * x)
        slope = s * (1 - s)
        for_x = grad * (s + beta * x * slope)
        for_beta = grad * x * x * slope if ctx.needs_input_grad[1] else None
        return for_x, for_beta
