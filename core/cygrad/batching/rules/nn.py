"""Rules of layers' functions: the batch goes along with the axis that they have for one, or among the channels."""
import cygrad
from cygrad.batching.dispatch import in_place_error, one_by_one
from cygrad.batching.draws import RANDOM_ERROR, SAME_OF_BATCH
from cygrad.batching.levels import left
from cygrad.batching.rules.helpers import apart, axis, folded, is_batched, ranked, rule, whole
from cygrad.batching.rules.linalg import check
from cygrad.batching.rules.reduce import raise_no_rule
from cygrad.batching.wrapping import batched
from cygrad.tensor import Tensor


@rule("linear")
def linear(level, op, x, weight, bias=None):
    check("matmul", x, weight)
    if not is_batched(weight, level) and not (bias is not None and is_batched(bias, level)):
        return op(x.value, weight, bias)
    found = cygrad.matmul(x, weight.mT if weight.dim() == 2 else weight)
    return found if bias is None else found + bias


@rule("conv1d conv2d")
def convolutions(level, op, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    plain = x.dim() == weight.dim() - 1
    if plain:
        x = x.unsqueeze(0)
    later = bias is not None and (is_batched(bias, level) or is_batched(weight, level))
    options = (None if later else bias, stride, padding, dilation)
    if not is_batched(weight, level):
        value = apart(op(folded(whole(x, level)), weight, *options, groups), level)
    else:
        value = with_filters_of_examples(level, op, x, weight, options, groups)
    found = batched(value, level)
    if later:
        found = found + bias.reshape(-1, *(1,) * (weight.dim() - 2))
    return found.squeeze(0) if plain else found


def with_filters_of_examples(level, op, x, weight, options, groups):
    """Each example's filters see its channels alone: as many groups as there are examples."""
    values = whole(x, level).movedim(0, 1)
    joined = op(values.flatten(1, 2), folded(weight.value), *options, level.size * groups)
    return joined.unflatten(1, (level.size, -1)).movedim(1, 0)


@rule("""
    max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices avg_pool1d
    avg_pool2d avg_pool3d lp_pool1d lp_pool2d lp_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
    adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d adaptive_max_pool1d_with_indices
    adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices""")
def pools(level, op, x, *args, **kwargs):
    spatial = int(next(c for c in op.op if c.isdigit()))
    if x.dim() == spatial + 1:
        return op(x.value, *args, **kwargs)
    if x.dim() != spatial + 2 or not level.size:
        raise_no_rule()
    found = op(folded(x.value), *args, **kwargs)
    if isinstance(found, tuple):
        return tuple(apart(each, level) for each in found)
    return apart(found, level)


@rule("layer_norm rms_norm")
def normalizes_last(level, op, x, shape, weight=None, *args, **kwargs):
    args, bias = list(args), None
    if op.op == "layer_norm":
        bias = args.pop(0) if args else kwargs.pop("bias", None)
    eps = args.pop(0) if args else kwargs.pop("eps", None)
    if not is_batched(x, level):
        raise_no_rule()
    rest = {} if eps is None else {"eps": eps}
    shared = not any(t is not None and is_batched(t, level) for t in (weight, bias))
    if shared:
        return op(x.value, shape, weight, bias, **rest) if op.op == "layer_norm" else op(x.value, shape, weight, **rest)
    found = batched(op(x.value, shape, **rest), level)
    found = found if weight is None else found * weight
    return found if bias is None else found + bias


@rule("group_norm instance_norm")
def normalizes_channels(level, op, x, *args, **kwargs):
    if not is_batched(x, level) or any(isinstance(t, Tensor) for t in args) and any(
            is_batched(t, level) for t in (*args, *kwargs.values()) if isinstance(t, Tensor)):
        raise_no_rule()
    if not level.size or op.op == "instance_norm" and any(isinstance(t, Tensor) for t in args[:2]):
        raise_no_rule()
    return apart(op(folded(x.value), *args, **kwargs), level)


@rule("pad constant_pad_nd")
def pads(level, op, x, pad, *args, **kwargs):
    if op.op == "pad" and (args and args[0] != "constant" or kwargs.get("mode", "constant") != "constant"):
        if not level.size or x.dim() != len(pad) // 2 + 2:
            raise_no_rule()
        return apart(op(folded(x.value), pad, *args, **kwargs), level)
    if len(pad) // 2 > x.dim():
        raise_no_rule()
    return op(x.value, pad, *args, **kwargs)


@rule("glu")
def gates(level, op, x, dim=-1):
    return op(x.value, axis(dim, x.dim()))


@rule("normalize")
def normalizes(level, op, x, p=2.0, dim=1, eps=1e-12, out=None):
    return x / cygrad.linalg.vector_norm(x, p, dim, True).clamp_min(eps).expand_as(x)


@rule("scaled_dot_product_attention")
def attends(level, op, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, **kwargs):
    if dropout_p:
        raise_no_rule()
    tensors = [whole(t, level) for t in (query, key, value)]
    mask = attn_mask
    if mask is not None and is_batched(mask, level):
        mask = mask.value[(slice(None), *(None,) * (query.dim() - mask.dim()))]
    return op(*tensors, mask, dropout_p, is_causal, **kwargs)


# ------------------------------------------------------------------------------ losses

def reduced(loss, reduction):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


@rule("""
    mse_loss l1_loss smooth_l1_loss huber_loss soft_margin_loss binary_cross_entropy binary_cross_entropy_with_logits
    kl_div poisson_nll_loss""")
def losses_of_elements(level, op, x, target, *args, **kwargs):
    """The losses of all elements, then each example's own reduction."""
    if args or kwargs.get("size_average") is not None or kwargs.get("reduce") is not None:
        raise_no_rule()
    reduction = kwargs.pop("reduction", "mean")
    if reduction == "batchmean":
        return losses_of_elements(level, op, x, target, reduction="sum", **kwargs) / (x.shape[0] if x.dim() else 1)
    if op.op.startswith("binary") and x.shape != target.shape:
        op(cygrad.zeros(x.shape), cygrad.zeros(target.shape))       # which is refused
    values = [whole(t, level) for t in cygrad.broadcast_tensors(x, target)]
    for name in ("weight", "pos_weight"):
        if isinstance(kwargs.get(name), Tensor) and is_batched(kwargs[name], level):
            raise_no_rule()
    return reduced(batched(op(*values, reduction="none", **kwargs), level), reduction)


@rule("nll_loss cross_entropy")
def losses_of_classes(level, op, x, target, weight=None, *args, **kwargs):
    if args or kwargs.get("size_average") is not None or kwargs.get("reduce") is not None:
        raise_no_rule()
    if target.is_floating_point() or kwargs.get("label_smoothing", 0.0) or weight is not None and is_batched(
            weight, level):
        raise_no_rule()
    reduction, ignored = kwargs.get("reduction", "mean"), kwargs.get("ignore_index", -100)
    classes = 0 if x.dim() == 1 else 1
    logs = x.log_softmax(classes) if op.op == "cross_entropy" else x
    kept = target != ignored
    places = cygrad.where(kept, target, 0)
    loss = -logs.gather(classes, places.unsqueeze(classes)).squeeze(classes)
    share = kept.to(loss.dtype) if weight is None else cygrad.where(kept, weight[places], 0)
    loss = loss * share
    return loss.sum() / share.sum() if reduction == "mean" else reduced(loss, reduction)


# ------------------------------------------------------------------------------ random numbers

@rule("gumbel_softmax native_dropout")
def composed(level, op, *args, **kwargs):
    """Composites, whose own ops take the batch, and draw for it."""
    return op.function(*args, **kwargs)


@rule("dropout alpha_dropout feature_dropout bernoulli rand_like randn_like randint_like normal poisson multinomial "
      "binomial")
def draws(level, op, x, *args, **kwargs):
    if op.op.endswith("dropout") and (args[:1] == (0,) or False in (*args[1:2], kwargs.get("training"),
                                                                   kwargs.get("train"))):
        return op(x.value, *args, **kwargs)
    if level.randomness == "error":
        raise RuntimeError(RANDOM_ERROR)
    if op.op == "dropout" and level.randomness == "same":
        p = args[0] if args else kwargs.get("p", 0.5)
        training = args[1] if len(args) > 1 else kwargs.get("training", kwargs.get("train", True))
        mask = op(cygrad.ones(x.shape, dtype=x.dtype, device=x.device), p, training)
        return x * mask
    if level.randomness == "same":
        if op.op.endswith("_like"):
            found = op(cygrad.empty(x.shape, dtype=x.dtype, device=x.device), *args, **kwargs)
            return found.expand(level.size, *found.shape)
        raise RuntimeError(SAME_OF_BATCH)
    with left(level):
        if not isinstance(x, Tensor) or not is_batched(x, level) or op.op == "multinomial":
            return one_by_one(op, level, (x, *args), kwargs)
        rank = max([t.dim() for t in (x, *args) if isinstance(t, Tensor)])
        return op(ranked(x, level, rank), *of_rank(args, level, rank), **kwargs)


def of_rank(args, level, rank):
    """What a draw's other operands have for all examples."""
    return [ranked(t, level, rank) if isinstance(t, Tensor) and is_batched(t, level) else t for t in args]


@rule("uniform_ normal_ random_ bernoulli_ exponential_ cauchy_ log_normal_ geometric_")
def draws_in_place(level, op, x, *args, **kwargs):
    if level.randomness == "error":
        raise RuntimeError(RANDOM_ERROR)
    if level.randomness == "same" and any(is_batched(t, level) for t in args if isinstance(t, Tensor)):
        raise RuntimeError(SAME_OF_BATCH)
    if not is_batched(x, level):
        raise RuntimeError(in_place_error(level))
    if level.randomness == "same":
        value = cygrad.empty(x.shape, dtype=x.dtype, device=x.device)
        x.value.copy_(op(value, *args, **kwargs))
    else:
        with left(level):
            op(x.value, *of_rank(args, level, x.dim()), **kwargs)
    return x
