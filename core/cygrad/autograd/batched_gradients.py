"""Gradients for many gradients of the outputs at once, which `grad` gives with `is_grads_batched`."""
import cygrad
from cygrad.batching.levels import uncounted


def batched(differentiate, outputs, given, tensors):
    """Gradients of `tensors` for each example of the gradients `given`; `differentiate` is the pass for one."""
    unused = []
    for i, (output, seed) in enumerate(zip(outputs, given)):
        if seed is not None and seed[0].shape != output.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{i}] has a shape of {seed.shape[1:]} and "
                f"output[{i}] has a shape of {output.shape}. If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap.".replace("cygrad.", "torch."))

    for output, seed in zip(outputs, given):
        if seed is None and output.requires_grad and (output.numel() != 1 or output.is_complex()):
            return differentiate(given)        # which refuses it
        if seed is None:
            what = ("some input, but that input is a Tensor of dimensionality 0 so expected in_dim to satisfy 0 <= "
                    "in_dim < 0." if output.requires_grad else "an input but the input is of type <class 'NoneType'>. "
                    "We cannot vmap over non-Tensor arguments, please use None as the respective in_dim")
            raise ValueError(f"vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for {what}")

    def one(*each):
        grads = differentiate(each)
        unused[:] = [grad is None for grad in grads]
        return tuple([cygrad.zeros_like(t) if grad is None else grad for grad, t in zip(grads, tensors)])

    return [None if none else found for none, found in zip(unused, cygrad.func.vmap(uncounted(one))(*given))]
