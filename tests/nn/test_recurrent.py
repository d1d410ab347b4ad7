"""If this fails, a recurrent layer mixes up sequences, steps, directions or threads."""
import cygrad
import pytest
from cygrad import nn
from cygrad.nn.utils.rnn import pack_padded_sequence, pack_sequence, unpack_sequence
from cygrad.ops.nn import recurrent

LAYERS = ["LSTM", "GRU", "RNN"]


def made(name, *args, **kwargs):
    cygrad.manual_seed(1)
    return getattr(nn, name)(*args, **kwargs).double()


def first(state):
    return state[0] if isinstance(state, tuple) else state


@pytest.mark.parametrize("name", LAYERS)
def test_a_packed_sequence_is_what_it_is_alone(name):
    layer = made(name, 3, 4, 2, bidirectional=True)
    sequences = [cygrad.randn(n, 3, dtype=cygrad.float64) for n in (2, 5, 3, 5)]
    packed, state = layer(pack_sequence(sequences, enforce_sorted=False))
    for place, (sequence, found) in enumerate(zip(sequences, unpack_sequence(packed))):
        alone, last = layer(sequence)
        assert cygrad.allclose(found, alone) and cygrad.allclose(first(state)[:, place], first(last))


@pytest.mark.parametrize("name", LAYERS)
def test_packed_results_may_be_changed(name):
    layer = made(name, 3, 4)
    rows = cygrad.randn(7, 3, dtype=cygrad.float64, requires_grad=True)
    expected = cygrad.autograd.grad((layer(pack_sequence([rows[:4], rows[4:]]))[0].data * 2).sin().sum(), rows)
    found = layer(pack_sequence([rows[:4], rows[4:]]))[0].data
    assert found.grad_fn.name() == "CatBackward0"
    found *= 2
    assert cygrad.equal(cygrad.autograd.grad(found.sin().sum(), rows)[0], expected[0])


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_its_cell_at_each_step(name):
    layer, cell = made(name, 3, 4), made(name + "Cell", 3, 4)
    for weight in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(cell, weight, getattr(layer, weight + "_l0"))
    x, state = cygrad.randn(5, 2, 3, dtype=cygrad.float64), None
    for step, found in zip(x, layer(x)[0]):
        state = cell(step, state)
        assert cygrad.allclose(found, first(state))


@pytest.mark.parametrize("name", LAYERS)
def test_threads_change_nothing(name):
    layer, x = made(name, 8, 64), cygrad.randn(6, 40, 8, dtype=cygrad.float64)
    found, threads = [], cygrad.get_num_threads()
    try:
        for count in (1, 3):
            cygrad.set_num_threads(count)
            layer.zero_grad()
            out = layer(x)[0]
            out.square().sum().backward()
            found.append([out, *[p.grad for p in layer.parameters()]])
    finally:
        cygrad.set_num_threads(threads)
    assert all(cygrad.allclose(a, b) for a, b in zip(*found))


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_gradients_of_some_weights_are_those_of_all(name, bidirectional):
    layer, x = made(name, 3, 4, bidirectional=bidirectional), cygrad.randn(5, 2, 3, dtype=cygrad.float64)
    names = [key for key, _ in layer.named_parameters()]

    def gradients(wanted):
        layer.zero_grad()
        for key, p in layer.named_parameters():
            p.requires_grad_(key in wanted)
        layer(x)[0].square().sum().backward()
        return {key: p.grad for key, p in layer.named_parameters()}

    whole = gradients(names)
    for key in names:
        some = gradients([key])
        assert cygrad.allclose(some[key], whole[key]) and some[key].is_contiguous()
        assert all(grad is None for other, grad in some.items() if other != key)


def test_a_projection_shortens_the_state():
    out, (h, c) = made("LSTM", 3, 5, proj_size=2)(cygrad.ones(4, 1, 3, dtype=cygrad.float64))
    assert out.shape == (4, 1, 2) and h.shape == (1, 1, 2) and c.shape == (1, 1, 5)


def test_dropout_is_between_layers_only():
    layer, x = made("GRU", 3, 4, 2, dropout=1.0), cygrad.ones(2, 1, 3, dtype=cygrad.float64)
    silent = layer(x)[0]
    zeros, _ = nn.GRU.forward(layer.eval(), x)
    assert not cygrad.allclose(silent, zeros)
    with pytest.warns(UserWarning, match="num_layers greater than 1"):
        nn.GRU(3, 4, dropout=0.5)


@pytest.mark.parametrize("sizes", [[1, 2], [2, 2], [2, 0], [3]], ids=str)
def test_batch_sizes_that_do_not_fit_are_refused(sizes):
    layer, h = made("GRU", 3, 4), cygrad.zeros(1, 2, 4, dtype=cygrad.float64)
    with pytest.raises(RuntimeError, match="batch_sizes"):
        cygrad.gru(cygrad.ones(3, 3, dtype=cygrad.float64), cygrad.tensor(sizes), h, list(layer.parameters()), True, 1,
                   0.0, False, False)


def test_states_of_another_size_are_refused():
    layer, x = made("LSTM", 3, 4), cygrad.ones(2, 1, 3, dtype=cygrad.float64)
    h = cygrad.zeros(1, 1, 4, dtype=cygrad.float64)
    with pytest.raises(RuntimeError, match=r"Expected hidden\[1\] size"):
        layer(x, (h, h[..., :3]))
    with pytest.raises(RuntimeError, match=r"input.size\(-1\)"):
        layer(x[..., :2])
    for wrong in (h[..., :3], cygrad.zeros(1, 2, 4, dtype=cygrad.float64)):
        with pytest.raises(RuntimeError):
            cygrad.gru(x, wrong, list(made("GRU", 3, 4).parameters()), True, 1, 0.0, False, False, False)


@pytest.mark.parametrize("layer, node", [("LSTM", "MkldnnRnnLayerBackward0"), ("GRU", "StackBackward0"),
                                         ("RNN", "StackBackward0")])
def test_outputs_are_shown_as_pytorchs_and_may_be_changed(layer, node):
    made = getattr(nn, layer)(3, 4)
    x = cygrad.randn(5, 2, 3, requires_grad=True)
    out = made(x)[0]
    assert out.grad_fn.name() == node and not out._is_view()
    if layer != "LSTM":
        expected, = cygrad.autograd.grad(out.sum(), x)
        out = made(x)[0]
        out.mul_(2)
        assert cygrad.allclose(cygrad.autograd.grad(out.sum(), x)[0], 2 * expected)
    both = getattr(nn, layer)(3, 4, bidirectional=True)(x)[0]
    both.add_(1).sum().backward()
    assert both.grad_fn.name() == "AddBackward0" and x.grad.abs().sum() > 0


def states_and_gradients(name, packed, bidirectional, bias):
    """What a layer gives without a graph and with one, and all gradients."""
    layer = made(name, 5, 7, 2, bidirectional=bidirectional, bias=bias)
    x = cygrad.randn(9, 4, 5, dtype=cygrad.float64, requires_grad=True)
    states = [cygrad.randn(4 if bidirectional else 2, 4, 7, dtype=cygrad.float64, requires_grad=True) for _ in range(2)]
    given = (pack_padded_sequence(x, cygrad.tensor([9, 6, 6, 2])) if packed else x,
             tuple(states) if name == "LSTM" else states[0])
    with cygrad.no_grad():
        alone, last = layer(*given)
    out, last_recorded = layer(*given)
    alone, out = (alone.data, out.data) if packed else (alone, out)
    weights = cygrad.arange(out.numel(), dtype=out.dtype).reshape(out.shape)
    ((out * weights).sum() + 3 * first(last_recorded).sum()).backward()
    tensors = x, *states, *layer.parameters()
    return [alone, out, first(last), first(last_recorded)] + [t.grad for t in tensors if t.grad is not None]


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("bidirectional, bias", [(False, False), (True, True)])
def test_chunks_of_steps_give_what_all_steps_give(name, packed, bidirectional, bias, monkeypatch):
    expected = states_and_gradients(name, packed, bidirectional, bias)
    monkeypatch.setattr(recurrent, "FEW", 1)
    for rows in (1, 4, 10, 17):
        monkeypatch.setattr(recurrent, "CACHED", rows * recurrent.GATES[recurrent.CELLS.index(
            name.lower() if name != "RNN" else "rnn_tanh")] * 7 * 8)
        found = states_and_gradients(name, packed, bidirectional, bias)
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            assert cygrad.allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_of_a_batch_at_once_are_those_one_by_one(name):
    layer, x = made(name, 5, 4, bidirectional=True), cygrad.rand(3, 2, 5, dtype=cygrad.float64, requires_grad=True)
    out, tensors = layer(x)[0], [x, *layer.parameters()]
    grads = cygrad.rand(4, *out.shape, dtype=out.dtype)
    together = cygrad.autograd.grad(out, tensors, grads, is_grads_batched=True, retain_graph=True)
    alone = zip(*[cygrad.autograd.grad(out, tensors, grad, retain_graph=True) for grad in grads])
    for a, b in zip(together, alone):
        assert not a.requires_grad and cygrad.allclose(a, cygrad.stack(b), rtol=1e-12, atol=1e-12)
