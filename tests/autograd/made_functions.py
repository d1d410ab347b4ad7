"""Functions of users, made of plain functions."""

from cygrad.autograd import Function


def make(forward, backward=lambda ctx, grad: grad, name="Made", **methods):
    """A Function class out of plain functions."""
    methods.update(forward=forward, backward=backward)
    return type(name, (Function,), {key: staticmethod(value) for key, value in methods.items()})


def saving(forward, backward, name="Made"):
    """A Function that saves its arguments, for `backward(grad, *saved)`."""

    def save(ctx, *tensors):
        ctx.save_for_backward(*tensors)
        return forward(*tensors)

    return make(save, lambda ctx, grad: backward(grad, *ctx.saved_tensors), name)
