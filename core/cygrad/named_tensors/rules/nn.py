"""Names of results of layers and losses of networks: channels are the weight's, all else is the input's."""
from cygrad.named_tensors.rules.helpers import rule, without
from cygrad.named_tensors.names import unified, unify


def is_reduced(call):
    """Whether a loss is one number: by a word, or its number in functions of `cygrad` itself."""
    older = [call[name] for name in ("size_average", "reduce") if name in call.parameters.names]
    if any(value is not None for value in older):
        return older[-1] is None or bool(older[-1])
    return call["reduction"] not in ("none", 0)


@rule("""
    binary_cross_entropy binary_cross_entropy_with_logits gaussian_nll_loss hinge_embedding_loss huber_loss kl_div
    margin_ranking_loss poisson_nll_loss smooth_l1_loss soft_margin_loss""")
def compares_elements(call):
    found = unified(call.tensors)
    return () if is_reduced(call) else found


@rule("""
    cosine_embedding_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss triplet_margin_loss
    triplet_margin_with_distance_loss""")
def compares_rows(call):
    """A number for each row: the last axis is gone."""
    found = call.names[:-1]
    return () if is_reduced(call) else found


@rule("ctc_loss")
def reads_sequences(call):
    """A number for each sequence; steps and classes, the first axis and the last, are gone."""
    return () if is_reduced(call) else without(call.names, {0, call.input.dim() - 1})


@rule("embedding")
def looks_up_rows(call):
    """The axes of the indices, and the width of the table."""
    indices = call["indices" if "indices" in call.parameters.names else "input"]
    return indices.names + call["weight"].names[-1:]


@rule("""
    embedding_bag im2col col2im affine_grid affine_grid_generator grid_sample grid_sampler grid_sampler_2d
    grid_sampler_3d""")
def combines_rows(call):
    """Bags have no name, nor have windows and grids."""


@rule("embedding_renorm_")
def shortens_rows(call):
    return call.names


@rule("lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell")
def recurs(call):
    """The axes of hidden states get no names."""


@rule("multi_head_attention_forward")
def attends(call):
    """The axis of heads gets no name."""


@rule("native_batch_norm")
def normalises_channels(call):
    """The statistics have the axis of the channels."""
    return [call.names, call.names[1:2], call.names[1:2]] if call["training"] else [call.names, (None,), (None,)]


@rule("native_group_norm")
def normalises_groups(call):
    """The statistics have the axis of the batch, and one of groups."""
    return [call.names, (*call.names[:1], None), (*call.names[:1], None)]


@rule("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution")
def convolves(call):
    """Channels are the weight's; the batch and the places are the input's."""
    own, weight = call.names, call["weight"].names
    batch = own[:len(own) - len(weight) + 1]
    return batch + weight[:1] + own[len(batch) + 1:]


@rule("bilinear")
def maps_two(call):
    """The batch is the inputs', the last axis the weight's."""
    found = unify(call["input1"].names[:-1], call["input2"].names[:-1]) + call["weight"].names[:1]
    return found if call["bias"] is None else unify(found, call["bias"].names)


@rule("linear")
def maps(call):
    weight = call["weight"].names
    found = call.names[:-1] + weight[:-1]
    return found if call["bias"] is None else unify(found, call["bias"].names)


@rule("scaled_dot_product_attention")
def looks_up_values(call):
    """One row for each query, of the values' width."""
    query, key, value = (call[name].names for name in ("query", "key", "value"))
    return unify(unify(query[:-2], key[:-2]), value[:-2]) + query[-2:-1] + value[-1:]
