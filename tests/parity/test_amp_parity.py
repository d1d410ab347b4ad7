"""If one of these fails, ops compute in another precision under autocast than PyTorch's, or losses scale otherwise."""

import pytest
import torch
from both import same, what_happens
from torch.testing._internal.autocast_test_lists import AutocastCPUTestLists

import cygrad


def rows():
    """(list, op, arguments, keywords) of PyTorch's own test for the ops that are here."""
    lists = AutocastCPUTestLists("cpu")
    for kind in ("torch_16", "torch_fp32", "nn_16", "nn_fp32", "torch_need_autocast_promote",
                 "torch_expect_builtin_promote"):
        for name, args, *more in getattr(lists, kind):
            keywords = more[0] if more and isinstance(more[0], dict) else {}
            if hasattr(cygrad, name) or hasattr(cygrad.nn.functional, name):
                yield kind, name, args, keywords


def namesake(module, kind, name):
    places = (module.nn.functional, module) if kind.startswith("nn") else (module, module.nn.functional)
    return next(getattr(place, name) for place in places if hasattr(place, name))


def brought(value):
    if isinstance(value, torch.Tensor):
        dtype = getattr(cygrad, str(value.dtype).removeprefix("torch."))
        return cygrad.tensor(value.double().tolist()).to(dtype)
    return type(value)(map(brought, value)) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("row", list(rows()), ids=lambda row: "-".join(row[:2]))
def test_dtypes_of_results(row, dtype):
    kind, name, args, keywords = row
    found = []
    for module, each in ((torch, args), (cygrad, brought(args))):
        with module.autocast("cpu", dtype=getattr(module, dtype)):
            try:
                found.append(str(namesake(module, kind, name)(*each, **keywords).dtype).split(".")[-1])
            except RuntimeError as error:
                if "at::autocast::prioritize" in str(error):        # refused by PyTorch: float16 beside bfloat16
                    return
                raise
    assert found[0] == found[1]


LOSSES = """
    F.binary_cross_entropy_with_logits(a, p)
    F.binary_cross_entropy_with_logits(a, p, weight=p, pos_weight=f)
    torch.nn.BCEWithLogitsLoss()(a, p)
    F.cross_entropy(a, lab)
    F.cross_entropy(a, p)
    F.nll_loss(a, lab)
    F.mse_loss(a, p)
    F.l1_loss(a, b)
    F.smooth_l1_loss(a, b)
    F.huber_loss(a, b)
    F.kl_div(a, p, reduction="batchmean")
    F.poisson_nll_loss(a, p)
    F.cosine_embedding_loss(a, b, sign)
    F.hinge_embedding_loss(a[:, 0], sign)
    F.margin_ranking_loss(a[:, 0], b[:, 0], sign)
    F.soft_margin_loss(a[:, 0], sign)
    F.triplet_margin_loss(a, b, a + b)
    F.triplet_margin_with_distance_loss(a, b, a + b)
    F.multi_margin_loss(a, lab)
    F.multilabel_margin_loss(a, lab[:, None].expand(4, 5).contiguous())
    F.multilabel_soft_margin_loss(a, p)
    F.gaussian_nll_loss(a, b, p)
    F.ctc_loss(a.float().log_softmax(-1)[:, None], lab[None, :1], (4,), (1,))
    F.pairwise_distance(a, b)
    F.pdist(a.float())
    """.strip().split("\n    ")


@pytest.mark.parametrize("loss", LOSSES)
def test_values_of_losses(loss):
    """That they are those of float32: the functions are known by other names than the ops under them."""
    found = []
    for m in (torch, cygrad):
        m.manual_seed(0)
        space = {"torch": m, "F": m.nn.functional, "a": m.randn(4, 5).bfloat16(), "b": m.randn(4, 5).bfloat16(),
                 "p": m.rand(4, 5), "f": m.rand(5), "lab": m.tensor([0, 1, 2, 3]), "sign": m.tensor([1., -1., 1., 1.])}
        with m.autocast("cpu", dtype=m.bfloat16):
            value = eval(loss, space)
        found.append((str(value.dtype).split(".")[-1], value.double().flatten().tolist()))
    assert found[0][0] == found[1][0] and found[1][1] == pytest.approx(found[0][1], rel=1e-5)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("use", ["layer(x)", "layer(packed)", "layer(x[:, 0])", "cell(x[0])", "cell(x[0].bfloat16())"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent(kind, use, half):
    """Dtypes of results and gradients, with inputs that another layer has left in autocast's dtype, too."""
    found = []
    for m in (torch, cygrad):
        m.manual_seed(0)
        layer, cell, x = getattr(m.nn, kind)(4, 3), getattr(m.nn, kind + "Cell")(4, 3), m.rand(5, 2, 4)
        x = x.bfloat16() if half else x
        with m.autocast("cpu", dtype=m.bfloat16):
            packed = m.nn.utils.rnn.pack_padded_sequence(x, [5, 3])
            value = eval(use, {"layer": layer, "cell": cell, "x": x, "packed": packed})
            results = leaves(value)
            sum(each.float().sum() for each in results).backward()
        gradients = [each.grad for each in (layer if "layer" in use else cell).parameters()]
        found.append([(str(each.dtype).split(".")[-1], each.double().flatten().tolist())
                      for each in (*results, *gradients)])
    other_way = kind == "LSTM" and use == "layer(packed)" and not half     # not by oneDNN: its states are float32
    for theirs, ours in zip(*found, strict=True):
        assert other_way or ours[0] == theirs[0]
        assert ours[1] == pytest.approx(theirs[1], rel=0.03, abs=0.03)


def leaves(value):
    """The tensors of floats in a result."""
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in leaves(each)]
    return [] if value is None or not value.is_floating_point() else [value]


def name_of(dtype):
    return str(dtype).split(".")[-1]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_step_in_mixed_precision(dtype):
    def compute(torch):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
        x, weight, dtypes = torch.randn(5, 4), torch.nn.Parameter(torch.randn(4, 4)), []
        with torch.autocast("cpu", dtype=getattr(torch, dtype)):
            y = net(x)
            loss = torch.nn.functional.cross_entropy(y, torch.tensor([0, 1, 2, 0, 1]))
            with torch.autocast("cpu", enabled=False):
                dtypes += [net[0](x).dtype, torch.is_autocast_enabled("cpu")]
            twice = (x @ weight).float() + x.mm(weight).float()       # the weight is cast once
            dtypes += [y.dtype, loss.dtype, torch.get_autocast_dtype("cpu"), torch.is_autocast_enabled("cpu")]
        (loss + twice.sum()).backward()
        dtypes += [(x @ x.t()).dtype, net[0].weight.grad.dtype]
        grads = [[round(value, 2) for value in p.grad.flatten().tolist()] for p in [weight, *net.parameters()]]
        return list(map(name_of, dtypes)), grads
    same(compute)


def test_functions_of_users():
    def compute(torch):
        seen = []

        class Product(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                seen.append((name_of(a.dtype), torch.is_autocast_enabled("cpu")))
                return a @ b

            @staticmethod
            @torch.amp.custom_bwd(device_type="cpu")
            def backward(ctx, grad):
                a, b = ctx.saved_tensors
                seen.append(torch.is_autocast_enabled("cpu"))
                return grad @ b.t(), a.t() @ grad

        a = torch.ones(2, 2, dtype=torch.bfloat16, requires_grad=True)
        with torch.autocast("cpu"):
            y = Product.apply(a, torch.ones(2, 2))
        y.sum().backward()
        return seen, name_of(a.grad.dtype), name_of(torch.autocast("cpu")(lambda a: a @ a)(torch.ones(2, 2)).dtype)
    same(compute)


def test_refusals_and_warnings():
    def compute(torch):
        return [what_happens(call) for call in (
            lambda: torch.autocast("cpu", dtype=torch.float32), lambda: torch.autocast(3),
            lambda: torch.cpu.amp.autocast(), lambda: torch.autocast("cpu")(3),
            lambda: torch.amp.custom_fwd(device_type=1), lambda: torch.cpu.amp.GradScaler(),
            lambda: torch.amp.is_autocast_available("cpu"))]
    same(compute)


@pytest.mark.parametrize("name, options", [("SGD", dict(lr=0.1)), ("Adam", dict(lr=0.1, fused=True))])
def test_scaled_steps(name, options):
    def compute(torch):
        seen = []
        p = torch.nn.Parameter(torch.ones(3))
        optimizer = getattr(torch.optim, name)([p], **options)
        scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        for k in range(5):
            optimizer.zero_grad()
            scaler.scale((p * (float("inf") if k == 2 else 1.0)).sum()).backward()
            if k == 3:
                scaler.unscale_(optimizer)
                seen.append(what_happens(lambda: scaler.unscale_(optimizer)))
            scaler.step(optimizer)
            seen.append(what_happens(lambda: scaler.step(optimizer)))
            scaler.update()
            seen.append((scaler.get_scale(), [round(value, 5) for value in p.tolist()]))
        other = torch.amp.GradScaler("cpu")
        other.load_state_dict(scaler.state_dict())
        seen += [scaler.state_dict(), other.get_scale()]
        seen += [what_happens(call) for call in (
            lambda: torch.amp.GradScaler("cpu").step(optimizer), lambda: torch.amp.GradScaler("cpu").update(),
            lambda: torch.amp.GradScaler("cpu", growth_factor=1.0), lambda: scaler.step(optimizer, closure=1),
            lambda: other.load_state_dict({}), lambda: scaler.scale(3))]
        return seen
    same(compute)
