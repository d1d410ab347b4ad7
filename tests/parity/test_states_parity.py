"""If one of these fails, a statement leaves a tensor in another state than PyTorch does, or PyTorch refuses it.

After each statement the state of every tensor is compared: dtype, shape, strides, values, version, whether it is a view
and a leaf, its node, the nodes before that, its gradient's state. The programs of `state_programs.txt` showed a fault;
others are drawn: tensors of any dtype and layout, changed in place, written to by `out=`, copied and differentiated.
`python tests/parity/test_states_parity.py COUNT SEED` lists what differs in others.
"""
import copy
import pickle
import random
import re
import sys
import warnings
from pathlib import Path

import cygrad
import numpy as np
import pytest
import torch
from compare import close

PROGRAMS = (Path(__file__).parent / "state_programs.txt").read_text().splitlines()

# Losses by q whose gradients are to be differentiated again.
LOSSES = """
    q = m.ones(2, 3); l = m.nn.functional.multi_margin_loss(q, m.tensor([0, 1]))
    q = m.ones(2, 3); l = m.nn.functional.multilabel_margin_loss(q, m.tensor([[0, -1, 0], [1, 0, -1]]))
    q = m.ones(1, 1, 3, 3); l = m.nn.functional.grid_sample(q, m.zeros(1, 2, 2, 2), align_corners=False)
    q = m.ones(2, 3); l = m.pdist(q, 0.)
    q = m.ones(2, 3); l = m.cdist(q, m.zeros(2, 3), 0.)
    q = m.ones(3); l = m.nn.functional.layer_norm(m.ones(2, 3), (3,), q)
    q = m.ones(1); l = m.nn.functional.prelu(m.ones(2, 2), q)
    q = m.ones(0); l = q.prod()
    q = m.ones(0, 3); l = q.prod(0)
    q = m.ones(1, 2); l = q.cumprod(0)
    q = m.ones(3, 1, 1); l = m.linalg.det(q)
    q = m.zeros(0, 2, 2); l = m.linalg.det(q)
    q = m.ones(1, 2, 3); l = m.nn.functional.affine_grid(q, (1, 1, 2, 2), align_corners=False)
    q = m.arange(5.); l = m.segment_reduce(q, 'sum', lengths=m.tensor([2, 3]))
    q = m.arange(5.); l = m.segment_reduce(q, 'max', lengths=m.tensor([2, 0, 3]), initial=1.)
    q = m.arange(5.); l = m.segment_reduce(q, 'min', offsets=m.tensor([0, 2, 5]), initial=2.)
    q = m.ones(8); l = m.view_as_real(m.stft(q, 4, return_complex=True))
""".strip().splitlines()


def state(value, depth=0):
    """What can be seen of a value without its library."""
    if isinstance(value, (torch.Tensor, cygrad.Tensor)):
        numbers = value.detach().resolve_conj().tolist()
        node = value.grad_fn
        version = None if value.is_inference() else value._version
        strides = [step for step, n in zip(value.stride(), value.shape) if n > 1] if value.numel() else []
        before = node and [n and n.name().split("::")[-1] for n, _ in node.next_functions]
        grad = state(value.grad, depth + 1) if depth == 0 and (value.is_leaf or value.retains_grad) else None
        return [str(value.dtype).split(".")[-1], tuple(value.shape), strides, version, value._is_view(), value.is_leaf,
                value.requires_grad, node and node.name(), before, grad], numbers
    if isinstance(value, (tuple, list)):
        return [state(each) for each in value], type(value).__name__
    return value


def alike(want, got):
    """Whether two states are one, floats but for their last digits."""
    if isinstance(want, (tuple, list)):
        return type(want) is type(got) and len(want) == len(got) and all(map(alike, want, got))
    if isinstance(want, (float, complex)):
        return type(want) is type(got) and bool(close(np.array(want), np.array(got), 2e-3, 1e-5))
    return want == got


def slopes_of(m):
    """Functions whose gradients round 16-bit floats once, or after each step."""
    return [m.sin, m.cos, m.tan, m.atan, m.sinh, m.cosh, m.tanh, m.sigmoid, m.erf, m.erfc, m.reciprocal, m.expm1, m.exp,
            m.nn.functional.silu, m.nn.functional.gelu, m.nn.functional.softsign]


def recorded(m, f, q):
    """A gradient that can be differentiated again, without its graph."""
    return m.autograd.grad(f(q), q, q.detach(), create_graph=True)[0].detach()


def slopes_that_are_recorded(m):
    return lambda result, *leaves: m.autograd.grad(result, leaves, m.ones_like(result), create_graph=True)


def inferred(m):
    """A function that gives a tensor made in inference mode, which requires a gradient."""
    @m.inference_mode()
    def copied(t):
        return t.clone().requires_grad_()
    return copied


def run(program):
    """The states of both libraries' tensors after each statement, up to the first that fails."""
    spaces = [{"m": m, "np": np, "copy": copy, "pickle": pickle, "SLOPES": slopes_of(m),
               "recorded": recorded, "slopes": slopes_that_are_recorded(m), "inferred": inferred(m)}
              for m in (torch, cygrad)]
    for m in (torch, cygrad):
        m.manual_seed(3)
    for statement in program:
        found = []
        for space in spaces:
            try:
                exec(statement, space)
                found.append([(name, state(value)) for name, value in space.items() if re.fullmatch("[a-ln-z]", name)])
            except Exception as error:
                found.append(next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins"))
        yield statement, *found
        if isinstance(found[0], str):
            return


def first_difference(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement, want, got in run(program):
            if not alike(want, got):
                return f"{'; '.join(program)}\n  at {statement}\n  want {want}\n  got  {got}"
    return None


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_showed_a_fault(program):
    assert first_difference([part.strip() for part in program.split("; ")]) is None


@pytest.mark.parametrize("program", LOSSES)
def test_gradients_that_are_recorded(program):
    leaf, loss = program.strip().split("; ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for made in zip(*[list(run_recorded(m, leaf, loss)) for m in (torch, cygrad)]):
            assert made[0] == made[1]


def run_recorded(m, leaf, loss):
    """What a loss and its gradient are, but for the nodes behind."""
    space = {"m": m}
    exec(leaf, space)
    space["q"].requires_grad_()
    exec(loss, space)
    slope, = m.autograd.grad(space["l"].sum(), space["q"], create_graph=True)
    for t in (space["l"], slope):
        yield t.tolist(), tuple(t.shape), t.stride() if t.numel() else (), t.requires_grad, t._is_view(), t.is_leaf
    yield space["l"].grad_fn.name().split("::")[-1]


def test_a_gradient_has_its_leafs_dtype():
    leaves = [m.ones(2, requires_grad=True) for m in (torch, cygrad)]
    for m, leaf in zip((torch, cygrad), leaves):
        leaf.backward(m.ones(2, dtype=m.int64))
    assert len({str(leaf.grad.dtype).split(".")[1] for leaf in leaves}) == 1


MADE = ["m.arange(6.).reshape(2, 3)", "m.arange(6.).reshape(3, 2).t().clone()", "m.arange(6).reshape(2, 3)",
    "m.ones(2, 3).half()", "m.ones(())", "m.ones(2, 3, dtype=m.complex64)", "m.ones(2, 3) > 0",
    "m.ones(1, 3, dtype=m.uint8)", "m.full((3,), .5).double()"]
OTHERS = ["2", "1.5", "True", "np.float32(1.5)", "np.int64(2)", "m.tensor(2.)", "m.ones(3)",
    "m.ones(2, 1).double()", "x", "m.tensor([1, 2, 3])", "-1"]
SEEN = ["x.view(-1)", "x.t()", "x[0]", "x[..., :1]", "x.unsqueeze(0)", "x.detach()", "x.data",
    "x.reshape(-1)", "x[..., None]", "x.narrow(0, 0, 1)", "x.select(-1, 0)", "x.squeeze()", "x.diagonal()",
    "x * 1", "x.chunk(2)[0]", "x.unbind(0)[0]"]
STEPS = ["y = {seen}", "y = {seen}; y.mul_(2)", "x {op}= {other}", "y {op}= {other}", "x[0] = {other}",
    "x[..., 0] {op}= {other}", "z = x {op} {other}", "m.add(x, {other}, out=y)", "m.mul(y, 2, out=x)",
    "m.sum(x, 0, out=m.zeros(0))", "x.zero_()", "x.requires_grad_()", "y.sum().backward()",
    "(x * y).sum().backward()", "z = y.retains_grad", "z = copy.deepcopy(x)", "with m.no_grad(): y = {seen}",
    "with m.no_grad(): x {op}= {other}", "with m.no_grad(): x[:2, ...] {op}= {other}",
    "x[0] = x[:1]", "y.detach_()", "z = m.autograd.grad(y.sum(), x)",
    "z = m.autograd.grad((y * y).sum(), [x], allow_unused=True)", "x.copy_({other_tensor})",
    "z = m.stack([x, x])", "z = m.exp(x, out=y)", "x.clamp_(0, 1)", "y.t_()", "z = x.to(m.float64)",
    "z = m.where(x > 0, x, {other})", "x.neg_()", "x.masked_fill_(x > 0, 2)", "z = x.sum(0)", "z = x.mean()",
    "z = copy.copy(y)", "x.grad.mul_(2)", "z = x.cumsum(0)"]


def drawn(r):
    end = r.choice(["", "", ".clone().requires_grad_()", ".clone()"])
    program = [f"x = {r.choice(MADE)}{end}", f"y = {r.choice(SEEN)}"]
    for _ in range(r.randrange(2, 7)):
        program.append(r.choice(STEPS).format(seen=r.choice(SEEN), op=r.choice("+-*/"), other=r.choice(OTHERS),
                                              other_tensor=r.choice(OTHERS[5:-1])))
    return [part for statement in program for part in statement.split("; ")]


# What autograd's rules are about: tensors made in its modes and views of them; then, by themes: what changes them, what
# looks on, what is kept, what is asked.
TAKEN = """y = x * w; y = x * 1; y = x.exp(); y = x.view(3); y = y.view(3); y = y[:2]; y = y.unbind()[0]; y = y.detach()
    y = x.data; y = m.ones(3)[:2].requires_grad_(); x = w * 1; y = m.ones(3); x = m.ones(4)[1:]; y = y.sort()[0]
    with m.no_grad(): y = x[:2]; with m.no_grad(): y = y.view(-1); with m.inference_mode(): y = m.ones(3)
    with m.inference_mode(): y = x.view(3); with m.inference_mode(): y = y * 1"""
THEMES = """
    y.mul_(2); x.mul_(2); y.mul_(w[0]); y.eq_(2); x[0] = w[0]; y[...] = 3; y.copy_(w[0]); y.view(1, -1).lt_(y.view(-1))
    y.resize_(1); m.linspace(0, 1, 3, out=y); m.add(w, 1, out=y); z = y * w[0]; x.requires_grad_(); y.requires_grad_()
    x.data = m.zeros(3); y.set_(m.ones(3)); with m.no_grad(): y.mul_(2); ^

    y.register_hook(see('y')); y.register_hook(lambda g: g * 2); x.register_hook(see('x')); ^; ^
    y.grad_fn.register_hook(see('n')); y.grad_fn.register_prehook(see('p'))
    x.register_post_accumulate_grad_hook(see('a')); x.register_post_accumulate_grad_hook(lambda t: t / 2)
    @.register_hook(see('l')); @.register_prehook(see('q'))

    y.retain_grad(); z, = m.autograd.grad((y * y).sum(), y); z.mul_(0); z = y.grad; y.mul_(3); (y * y).sum().backward()

    z = y.numpy().tolist(); with m.no_grad(): z = y.numpy().tolist(); m.cuda.manual_seed_all(2); z = m.rand(2)
    z = [n for n in dir((y * w).grad_fn) if '_saved' in n[:6]]; z = (y * w).grad_fn(m.ones(3), m.ones(3))
    z = m.autograd.grad(y.sum(), [x, w], materialize_grads=True, create_graph=True); z = (y * w).grad_fn(m.ones(3))
"""


def statements(text):
    text = text.replace("^", "(y * w[0]).sum().backward()").replace("@", "x.view_as(x).grad_fn.next_functions[0][0]")
    return [part.strip() for line in text.strip().splitlines() for part in line.split(";")]


TAKEN, THEMES = statements(TAKEN), [statements(theme) for theme in THEMES.split("\n\n")]


def ruled(r):
    program = ["s = []", "see = lambda name: lambda *given: s.append(name)", "x = m.ones(3, requires_grad=True)",
               "w = m.tensor([1., 2., 3.], requires_grad=True)", r.choice(["y = x * 1", "y = x.view(3)", "y = x * w"])]
    theme = r.choice(THEMES)
    for _ in range(r.randrange(4, 12)):
        program.append(r.choice(TAKEN if r.random() < 0.15 else theme if r.random() < 0.9 else r.choice(THEMES)))
    return program


@pytest.mark.parametrize("make", [drawn, ruled])
def test_drawn_programs(make):
    r = random.Random(0)
    found = [text for text in (first_difference(make(r)) for _ in range(400)) if text]
    assert not found, "\n".join(found[:10])


if __name__ == "__main__":
    r = random.Random(int(sys.argv[2]))
    for _ in range(int(sys.argv[1])):
        if text := first_difference(drawn(r)):
            print(text)
