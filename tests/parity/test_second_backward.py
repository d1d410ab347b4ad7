"""If one of these fails, a second pass through a node is refused where PyTorch allows it, or allowed where it is
refused: which ops keep a tensor for backward is part of what a user sees.
"""
import cygrad
import pytest
import torch

EXPRESSIONS = """
    x*2, x/2, 2*x, 2/x, x+2, x-2, x**2, 2**x, 1-x, x*True, -x, x*x, x+x, x@x, x**x, x**0.5, x**0, x**1
    x.sum(), x.mean(), x.prod(), x.max(), x.min(), x.amax(), x.norm(), x.std(), x.var(), x.median()
    x.logsumexp(0), x.sum(0)
    x.exp(), x.log(), x.sin(), x.sqrt(), x.rsqrt(), x.reciprocal(), x.square(), x.abs(), x.sigmoid(), x.tanh(), x.relu()
    x.floor(), x.round(), x.trunc(), x.frac(), x.sign(), x.erf(), x.expm1(), x.log1p(), x.lgamma(), x.deg2rad()
    x.view(-1), x[0], x[[0]], x[x>0], x.t(), x.expand(3,2), x.squeeze(), x.unsqueeze(0), x.flip(0)
    x.repeat(2), x.roll(1)
    x.diag(), x.cumsum(0), x.cumprod(0), x.softmax(0), x.sort()[0], x.topk(1)[0], x.kthvalue(1)[0], x.max(0)[0]
    x.lerp(x,x), x.lerp(x.detach(),0.5), x.addcmul(x,x), x.clamp(0), x.clamp(0,1), x.copysign(x), x.atan2(x), x.hypot(x)
    x.masked_fill(x>0,2.), x.masked_select(x>0), x.where(x>0,x), x.gather(0,torch.tensor([0])), x.outer(x), x.kron(x)
    x.double(), x.clone(), x.contiguous(), x.reshape(2,1), x.unfold(0,1,1), x.split(1)[0], x.unbind()[0], x%2, x.fmod(2)
    x.mul(torch.tensor(2)), x.true_divide(3), x.sub(x,alpha=2), x.add(2,alpha=3), torch.cat([x,x]), torch.stack([x,x])
    torch.maximum(x,torch.tensor(2.)), torch.where(x>0,x,0), torch.dist(x,x)
    torch.addmm(torch.ones(2,2),x.view(2,1),x.view(1,2))
    """


def split(text):
    """The expressions, which are separated by a comma and a blank or a line."""
    return [part.strip() for line in text.strip().splitlines() for part in line.split(", ")]


def second_pass(m, expression):
    """What a second backward says; "" if nothing."""
    x = m.tensor([1., 2.], requires_grad=True)
    y = eval(expression, {"torch": m, "x": x})
    y = y.sum() if y.dim() else y
    y.backward()
    try:
        y.backward()
    except RuntimeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("expression", split(EXPRESSIONS))
def test_second_backward(expression):
    try:
        want = second_pass(torch, expression)
    except RuntimeError as error:
        with pytest.raises(RuntimeError):
            second_pass(cygrad, expression)
        assert "not implemented" in str(error)
    else:
        assert second_pass(cygrad, expression) == want
