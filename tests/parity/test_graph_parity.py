"""If one of these fails, hooks on what is saved, edges or checkpoints do not do what PyTorch's do."""
from importlib import import_module

import pytest

import cygrad
from both import same, what_happens


def rounded(tensor):
    return [round(value, 4) for value in tensor.flatten().tolist()]


# -------------------------------------------------------------------- hooks

@pytest.mark.parametrize("op", ["exp", "tanh", "sin", "sqrt"])
def test_hooks_see_what_is_saved(op):
    def compute(torch):
        seen = []

        def pack(tensor):
            seen.append(("pack", rounded(tensor), tensor.requires_grad))
            return tensor.detach().clone()

        def unpack(tensor):
            seen.append(("unpack", rounded(tensor)))
            return tensor

        x = torch.tensor([1., 2.], requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = getattr(x * 2, op)()
        y.sum().backward()
        return seen, rounded(x.grad)
    same(compute)


@pytest.mark.parametrize("pack", [lambda t: t, lambda t: t.detach().clone()])
def test_a_second_derivative_through_hooks(pack):
    def compute(torch):
        x = torch.tensor([2., 3.], requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            y = (x ** 3).exp().log() * x
        first, = torch.autograd.grad(y.sum(), x, create_graph=True)
        return rounded(first), rounded(torch.autograd.grad(first.sum(), x)[0])
    same(compute)


def test_a_function_and_an_op_in_place():
    def compute(torch):
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                result = x * x
                ctx.save_for_backward(x, result)
                return result

            @staticmethod
            def backward(ctx, grad):
                x, result = ctx.saved_tensors
                return 2 * x * grad + 0 * result

        seen = []
        x = torch.tensor([2., 3.], requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: seen.append(1) or t):
            y = Square.apply(x).exp_().sigmoid_()
        first, = torch.autograd.grad(y.sum(), x, create_graph=True)
        return len(seen), rounded(first), rounded(torch.autograd.grad(first.sum(), x)[0])
    same(compute)


def test_refusals():
    def compute(torch):
        graph = torch.autograd.graph

        def squared(pack, unpack):
            x = torch.ones(2, requires_grad=True).clone()
            with graph.saved_tensors_hooks(pack, unpack):
                y = x * x
            y.sum().backward()

        def disabled():
            with graph.disable_saved_tensors_hooks("none here"), graph.save_on_cpu():
                pass

        def nested():
            with graph.allow_mutation_on_saved_tensors(), graph.allow_mutation_on_saved_tensors():
                pass

        return [what_happens(call) for call in (
            lambda: squared(lambda t: t.mul_(2), lambda t: t), lambda: squared(lambda t: 1, lambda t: t), disabled,
            nested, lambda: squared(lambda t: t, lambda t: t),
            lambda: graph.register_multi_grad_hook((torch.ones(1),), print, mode="some"),
            lambda: graph.get_gradient_edge(torch.ones(1)))]
    same(compute)


def test_saved_on_the_host_and_changed_since():
    def compute(torch):
        graph = torch.autograd.graph
        x = torch.tensor([2., 3.], requires_grad=True)
        with graph.save_on_cpu():
            y = x * x
        y.sum().backward()
        with graph.allow_mutation_on_saved_tensors():
            copy = x.clone()
            loss = (copy ** 2).sum()
            copy.sin_()
            loss.backward()
        return rounded(x.grad)
    same(compute)


def test_hooks_on_several_gradients_and_edges():
    def compute(torch):
        graph, seen = torch.autograd.graph, []
        a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
        c, d = a * b, a * b
        handles = [graph.register_multi_grad_hook((a, b, c, d), lambda grads: seen.append([g is None for g in grads])),
                   graph.register_multi_grad_hook((a, b, c, d), lambda grad: seen.append(rounded(grad)), mode="any")]
        c.sum().backward(retain_graph=True)
        c.sum().backward(inputs=(a,), retain_graph=True)
        (c + d).sum().backward(retain_graph=True)
        for handle in handles:
            handle.remove()
        inner, leaf = graph.get_gradient_edge(c), graph.get_gradient_edge(a)
        seen.append([(edge.node.name(), edge.output_nr) for edge in (inner, leaf)])
        seen.append([rounded(t) for t in torch.autograd.grad(c.sum(), (inner, b), retain_graph=True)])
        torch.autograd.backward(inner, torch.ones(2), inputs=[leaf])
        return seen, rounded(a.grad), isinstance(c.grad_fn, graph.Node)
    same(compute)


# -------------------------------------------------------------------- checkpoints

WAYS = [dict(use_reentrant=False), dict(use_reentrant=True), dict(use_reentrant=False, early_stop=False)]


def parts(torch):
    checkpoints = import_module(torch.__name__ + ".utils.checkpoint")
    torch.manual_seed(0)
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
    return checkpoints, net, torch.randn(5, 4, requires_grad=True)


def gradients(torch, net, x, call):
    net.zero_grad()
    x.grad = None
    torch.manual_seed(1)
    y = call(x)
    y.pow(2).sum().backward()
    return [rounded(y), rounded(x.grad), *[rounded(p.grad) for p in net.parameters()]]


@pytest.mark.parametrize("way", WAYS)
def test_checkpoints(way):
    def compute(torch):
        checkpoints, net, x = parts(torch)
        sequential = {key: value for key, value in way.items() if key == "use_reentrant"}
        return [gradients(torch, net, x, call) for call in (
            net, lambda x: checkpoints.checkpoint(net, x, **way),
            lambda x: checkpoints.checkpoint_sequential(net, 3, x, **sequential))]
    same(compute)
    plain, whole, segments = compute(cygrad)
    assert plain == whole == segments


def test_a_checkpoint_in_a_checkpoint_and_second_derivatives():
    def compute(torch):
        checkpoints, net, x = parts(torch)

        def checkpoint(function, x):
            return checkpoints.checkpoint(function, x, use_reentrant=False)
        nested = gradients(torch, net, x, lambda x: checkpoint(lambda y: checkpoint(net, y * 1) * 1, x))
        first, = torch.autograd.grad(checkpoint(lambda x: (x ** 3).sin(), x).sum(), x, create_graph=True)
        loss = checkpoint(lambda x: x.exp().sin(), x).sum()
        loss.backward(retain_graph=True)
        loss.backward()
        return nested, rounded(first), rounded(torch.autograd.grad(first.sum(), x)[0]), rounded(x.grad)
    same(compute)


def test_refusals_of_checkpoints():
    def compute(torch):
        checkpoints, _, x = parts(torch)
        checkpoint = checkpoints.checkpoint
        calls = []

        def less(x):
            calls.append(x)
            return x.sin() if len(calls) > 1 else x.sin().cos()

        return [what_happens(call) for call in (
            lambda: torch.autograd.grad(checkpoint(torch.sin, x, use_reentrant=True).sum(), x),
            lambda: checkpoint(torch.sin, x), lambda: checkpoint(torch.sin, x.detach(), use_reentrant=True),
            lambda: checkpoint(torch.sin, x, use_reentrant=True, foo=1),
            lambda: checkpoint(torch.sin, x, use_reentrant=True, debug=True),
            lambda: checkpoint(torch.sin, x, use_reentrant=False, determinism_check="x"),
            lambda: checkpoints.checkpoint_sequential([torch.sin], 1, x, use_reentrant=False, foo=1),
            lambda: checkpoints.checkpoint_sequential([torch.sin], 1, x))], what_happens(
                lambda: checkpoint(less, x, use_reentrant=False).sum().backward())[0][1][:150]
    same(compute)
