"""What nn.utils does with modules and parameters. Run by test_nn_parity.py; see transcript.py."""

import torch

# %% clipping
from torch.nn import utils
nn = torch.nn
utils = nn.utils
p, q = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))
utils.clip_grad_norm_([p, q], 1.0)
p.grad, q.grad = torch.tensor([3.0, 0.0]), torch.tensor([0.0, 4.0, 0.0])
utils.get_total_norm([p.grad, q.grad])
utils.get_total_norm(p.grad, 1)
utils.get_total_norm([])
utils.clip_grad_norm_([p, q], 10.0)
p.grad
utils.clip_grad_norm_([p, q], 2.5)
p.grad, q.grad
utils.clip_grad_norm_(p, 0.5, norm_type=1)
p.grad
utils.clip_grad_norm_(iter([p, q]), 0.1, float("inf"))
p.grad, q.grad
p.grad[0] = float("nan")
utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
utils.clip_grad_norm_([p], 1.0)
utils.clip_grad_value_([q], 0.01)
q.grad
utils.clip_grad_value_(q, 0.001)
q.grad
utils.clip_grads_with_norm_([q], 1e-4, torch.tensor(0.5))
q.grad
utils.clip_grad_norm(q, 1.0)
utils.clip_grad_norm_([nn.Parameter(torch.ones(1))], 1.0)

# %% vectors
nn = torch.nn
m = nn.Linear(2, 2)
v = nn.utils.parameters_to_vector(m.parameters())
v.shape
nn.utils.vector_to_parameters(torch.arange(6.0), m.parameters())
m.weight, m.bias
nn.utils.vector_to_parameters(3, m.parameters())
nn.utils.vector_to_parameters(torch.arange(5.0), m.parameters())
nn.utils.parameters_to_vector([])

# %% packed sequences
nn = torch.nn
R = nn.utils.rnn
x = torch.arange(12.0).reshape(3, 2, 2)
p = R.pack_padded_sequence(x, [3, 1])
p
p.data, p.batch_sizes, p.sorted_indices, p.unsorted_indices
R.pad_packed_sequence(p)
R.pad_packed_sequence(p, batch_first=True, padding_value=-1.0, total_length=4)
R.pad_packed_sequence(p, total_length=2)
p = R.pack_padded_sequence(x, torch.tensor([1, 3]), enforce_sorted=False)
p
R.pad_packed_sequence(p)
R.pack_padded_sequence(x, [1, 3])
R.pack_padded_sequence(x, [3, 0])
R.pack_padded_sequence(x, [3])
R.pack_padded_sequence(x, torch.tensor([[3, 1]]))
R.pack_padded_sequence(x[:, :0], [])
R.pack_padded_sequence(x, [2, 2], batch_first=True)
R.pack_padded_sequence(x, [2, 2, 1], batch_first=True)
R.pack_sequence([torch.ones(2), torch.ones(3)])
R.pack_sequence([torch.ones(2), torch.zeros(3)], enforce_sorted=False)
R.unpack_sequence(R.pack_sequence([torch.ones(2, 1), torch.zeros(3, 1)], enforce_sorted=False))
p.to(torch.float64).data.dtype, p.double().data.dtype, p.int().data.dtype, p.half().data.dtype, p.byte().data.dtype
p.to("cpu") is p, p.cpu() is p, p.is_cuda
p.is_pinned()
R.PackedSequence(torch.ones(2))
R.PackedSequence((torch.ones(2), torch.tensor([2])))
R.PackedSequence(torch.ones(2), torch.tensor([2]), torch.tensor([1, 0]))
R.invert_permutation(torch.tensor([2, 0, 1])), R.invert_permutation(None)
y = torch.ones(3, 2, 1, requires_grad=True)
R.pad_packed_sequence(R.pack_padded_sequence(y, [3, 2]))[0].sum().backward()
y.grad

# %% padded sequences
nn = torch.nn
R = nn.utils.rnn
a, b = torch.ones(3, 2), torch.zeros(1, 2) + 5
R.pad_sequence([a, b])
R.pad_sequence([a, b], batch_first=True, padding_value=-2.5)
R.pad_sequence([a, b], padding_side="left")
R.pad_sequence([a, b], padding_side="middle")
R.pad_sequence(3)
R.pad_sequence([])
R.pad_sequence([a, 3])
R.pad_sequence([a, torch.ones(2)])
R.pad_sequence([a, torch.ones(2, 3)])
R.pad_sequence(torch.ones(2, 3))
R.unpad_sequence(R.pad_sequence([a, b]), torch.tensor([3, 1]))
R.unpad_sequence(R.pad_sequence([a, b], batch_first=True), torch.tensor([3, 1]), batch_first=True)
c = torch.ones(2, requires_grad=True)
R.pad_sequence([c, torch.ones(3)]).sum().backward()
c.grad

# %% weight norm
nn = torch.nn
torch.manual_seed(0)
m = nn.utils.weight_norm(nn.Linear(3, 2))
m
list(m.state_dict())
m.weight_g.shape, m.weight_v.shape, m.weight
m.weight_g.data.fill_(1)
m(torch.ones(1, 3))
m.weight.norm(dim=1)
m(torch.ones(1, 3)).sum().backward()
m.weight_g.grad, m.weight_v.grad
nn.utils.weight_norm(m)
nn.utils.remove_weight_norm(m)
list(m.state_dict()), type(m.weight).__name__
m.weight
nn.utils.remove_weight_norm(m)
nn.utils.weight_norm(nn.Linear(3, 2), dim=None).weight_g.shape
nn.utils.weight_norm(nn.Linear(3, 2), dim=1).weight_g.shape
nn.utils.weight_norm(nn.LazyLinear(2))
nn.utils.weight_norm(nn.Linear(3, 2), "nothing")

# %% spectral norm
nn = torch.nn
torch.manual_seed(0)
m = nn.utils.spectral_norm(nn.Linear(3, 2))
m
list(m.state_dict())
m.weight_u, m.weight_v
m.state_dict()._metadata
m(torch.ones(1, 3))
m.weight
m.weight_u, m.weight_v
m.eval()(torch.ones(1, 3))
m.train()(torch.ones(1, 3)).sum().backward()
m.weight_orig.grad
nn.utils.spectral_norm(m)
n = nn.utils.spectral_norm(nn.Linear(3, 2))
n.load_state_dict(m.state_dict())
n.weight_u
nn.utils.remove_spectral_norm(m)
list(m.state_dict()), len(m._state_dict_hooks), len(m._forward_pre_hooks)
m.weight
nn.utils.remove_spectral_norm(m)
nn.utils.spectral_norm(nn.Linear(3, 2), n_power_iterations=0)
nn.utils.spectral_norm(nn.Linear(3, 2, bias=False), "bias")
nn.utils.spectral_norm(nn.Conv2d(2, 3, 3), dim=1).weight_u.shape

# %% spectral norm of old files
nn = torch.nn
torch.manual_seed(0)
m = nn.utils.spectral_norm(nn.Linear(2, 3))
s = m.state_dict()
old = {"weight_orig": s["weight_orig"], "weight_u": s["weight_u"], "weight": s["weight_orig"] / 2.0, "bias": s["bias"]}
m.load_state_dict(old)
m.weight_v
m.load_state_dict({"bias": s["bias"]})
m.load_state_dict({key: s[key] for key in ("bias", "weight_orig", "weight_u", "weight_v")})

# %% parametrize
import copy
nn = torch.nn
P = nn.utils.parametrize
torch.manual_seed(0)
class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT
    def right_inverse(self, x):
        return x.triu()
class Double(nn.Module):
    def forward(self, x):
        return x * 2
m = P.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
m
type(m).__name__, P.type_before_parametrizations(m).__name__
P.is_parametrized(m), P.is_parametrized(m, "weight"), P.is_parametrized(m, "bias"), P.is_parametrized(nn.Identity())
list(m.state_dict())
m.weight, m.parametrizations.weight.original
m.weight = torch.tensor([[1.0, 2.0], [2.0, 3.0]])
m.weight
m(torch.ones(1, 2)).sum().backward()
m.parametrizations.weight.original.grad
P.register_parametrization(m, "weight", Double())
m.weight
m.weight = torch.ones(2, 2)
P.register_parametrization(m, "bias", Double())
m.bias.shape, list(m.parametrizations)
c = copy.deepcopy(m)
c.weight
c.weight is m.weight, type(c) is type(m)
c.parametrizations.weight.original is m.parametrizations.weight.original
import pickle
pickle.dumps(m)
with P.cached():
    same = m.weight is m.weight
same, m.weight is m.weight
P.remove_parametrizations(m, "weight")
m.weight, type(m.weight).__name__
P.remove_parametrizations(m, "weight")
P.remove_parametrizations(m, "bias", leave_parametrized=False)
m, type(m).__name__
list(m.state_dict())
m(torch.ones(1, 2)).shape

# %% parametrize: wrong ones
nn = torch.nn
P = nn.utils.parametrize
class Cut(nn.Module):
    def forward(self, x):
        return x[:1]
class Cast(nn.Module):
    def forward(self, x):
        return x.double()
class Nothing(nn.Module):
    def forward(self, x):
        return 3
class Back(nn.Module):
    def __init__(self, what):
        super().__init__()
        self.what = what
    def forward(self, *x):
        return x[0]
    def right_inverse(self, x):
        return self.what
P.register_parametrization(nn.Linear(2, 2), "weight", Cut())
P.register_parametrization(nn.Linear(2, 2), "weight", Cast())
P.register_parametrization(nn.Linear(2, 2), "weight", Nothing())
P.register_parametrization(nn.Linear(2, 2), "weight", Cut(), unsafe=True).weight.shape
P.register_parametrization(nn.Linear(2, 2), "nothing", Cut())
P.register_parametrization(nn.Linear(2, 2), "weight", Back(3))
P.register_parametrization(nn.Linear(2, 2), "weight", Back(torch.ones(2, 2).double()))
P.register_parametrization(nn.Linear(2, 2), "weight", Back((torch.ones(2, 2), 3)))
m = P.register_parametrization(nn.Linear(2, 2), "weight", Back((torch.ones(2, 2), torch.ones(1))))
list(m.state_dict())
m.weight = torch.zeros(2, 2)
m.parametrizations.weight[0].what = (torch.ones(2, 2),)
m.weight = torch.zeros(2, 2)
m.parametrizations.weight[0].what = 3
m.weight = torch.zeros(2, 2)
P.remove_parametrizations(m, "weight", leave_parametrized=False)
P.register_parametrization(m, "weight", Cut())
P.register_parametrization(m, "weight", Cast())
P.register_parametrization(m, "weight", Nothing())
P.ParametrizationList([], torch.ones(1))

# %% parametrize: transfer
nn = torch.nn
P = nn.utils.parametrize
torch.manual_seed(0)
class Square(nn.Module):
    def forward(self, x):
        return x * x
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
P.register_parametrization(a, "weight", Square())
P.transfer_parametrizations_and_params(a, b) is b
(a.weight == b.weight).all()
b.parametrizations.weight.original is a.parametrizations.weight.original
P.transfer_parametrizations_and_params(nn.Identity(), b) is b

# %% parametrized weight norm
nn = torch.nn
torch.manual_seed(0)
m = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
m
list(m.state_dict())
m.weight
m.parametrizations.weight.original0
m(torch.ones(1, 3)).sum().backward()
m.parametrizations.weight.original0.grad, m.parametrizations.weight.original1.grad
old = {"bias": torch.zeros(2), "weight_g": torch.ones(2, 1), "weight_v": torch.ones(2, 3)}
m.load_state_dict(old)
m.weight
nn.utils.parametrizations.weight_norm(nn.Linear(3, 2), dim=None).parametrizations.weight.original0

# %% parametrized spectral norm
nn = torch.nn
torch.manual_seed(0)
m = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2))
m
list(m.state_dict())
m.weight
m.weight
m.eval().weight
m(torch.ones(1, 3)).sum().backward()
m.parametrizations.weight.original.grad
nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2), dim=5)
nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2), n_power_iterations=0)
nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2), "nothing")
nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2), "bias").bias

# %% parametrized orthogonal matrices
nn = torch.nn
O = nn.utils.parametrizations.orthogonal
torch.manual_seed(0)
w = torch.tensor([[0.5, 0.25, 1.0], [1.5, -0.5, 0.75], [0.125, 2.0, -1.0]])
def made(map=None, rows=3, columns=3, **options):
    m = nn.Linear(columns, rows).double()
    with torch.no_grad():
        m.weight.copy_(w[:rows, :columns])
    m = O(m, "weight", map, **options)
    m.parametrizations.weight.original.data.copy_(w[:rows, :columns])
    m.weight.sum().backward()
    return m.weight.detach().abs(), m.parametrizations.weight.original.grad.abs()
made("matrix_exp", use_trivialization=False)
made("cayley", use_trivialization=False)
made("householder", use_trivialization=False)
made("householder", 3, 2, use_trivialization=False)
made("householder", 2, 3, use_trivialization=False)
made("cayley", 3, 2, use_trivialization=False)
made("matrix_exp", 2, 3, use_trivialization=False)
made()[0], made("cayley")[0], made("householder")[0]
m = O(nn.Linear(3, 3), use_trivialization=False, orthogonal_map="householder")
q = torch.tensor([[0.0, 1.0, 0.0], [0.6, 0.0, 0.8], [-0.8, 0.0, 0.6]])
m.weight = q
m.weight
m = O(nn.Linear(3, 3))
m.weight = q
m.weight
m.weight = torch.ones(2, 2)
m = O(nn.Linear(3, 3), use_trivialization=False)
m.weight = q
O(nn.Linear(3, 3), "bias")
O(nn.Linear(3, 3), "nothing")
O(nn.Linear(3, 3), orthogonal_map="other")

# %% prune
nn = torch.nn
P = __import__("importlib").import_module(torch.__name__ + ".nn.utils.prune")
torch.manual_seed(0)
m = P.random_unstructured(nn.Linear(4, 3), "weight", amount=0.3)
m.weight, m.weight_mask
list(m.state_dict()), [n for n, _ in m.named_parameters()]
P.is_pruned(m), P.is_pruned(nn.Identity())
P.l1_unstructured(m, "weight", amount=2).weight
P.ln_structured(m, "weight", amount=1, n=2, dim=0).weight
P.random_structured(m, "weight", amount=1, dim=1).weight
len(m._forward_pre_hooks), [type(x).__name__ for x in list(m._forward_pre_hooks.values())[0]]
m(torch.ones(1, 4))
P.remove(m, "weight")
m.weight, list(m.state_dict())
P.remove(m, "weight")
P.identity(m, "bias").bias
P.custom_from_mask(m, "weight", torch.ones(3, 4).tril()).weight
P.custom_from_mask(nn.Linear(2, 2), "weight", torch.ones(3))
P.l1_unstructured(nn.Linear(2, 2), "weight", amount=2.5)
P.l1_unstructured(nn.Linear(2, 2), "weight", amount=-1)
P.l1_unstructured(nn.Linear(2, 2), "weight", amount="x")
n = nn.Linear(2, 2)
P.l1_unstructured(n, "weight", amount=50)
list(n.state_dict())
P.ln_structured(nn.Linear(2, 2), "bias", amount=1, n=2, dim=0)
P.ln_structured(nn.Linear(2, 2), "weight", amount=1, n=2, dim=5)
P.l1_unstructured(nn.Linear(2, 2), "weight", 1, importance_scores=torch.ones(3))
P.l1_unstructured(nn.Linear(2, 2), "weight", 1, importance_scores=torch.tensor([[1.0, 2], [3, 0]])).weight_mask
P.L1Unstructured(1).prune(torch.tensor([3.0, 1.0, 2.0]))
P.L1Unstructured(1).prune(torch.ones(2), importance_scores=torch.ones(3))

# %% prune several parameters as one
nn = torch.nn
P = __import__("importlib").import_module(torch.__name__ + ".nn.utils.prune")
torch.manual_seed(0)
a, b = nn.Linear(3, 2), nn.Linear(2, 2)
P.global_unstructured([(a, "weight"), (b, "weight")], pruning_method=P.L1Unstructured, amount=5)
a.weight_mask, b.weight_mask
P.global_unstructured(3, P.L1Unstructured, amount=1)
P.global_unstructured([(a, "weight")], P.L1Unstructured, importance_scores=3, amount=1)
P.global_unstructured([(a, "bias")], P.LnStructured, amount=1, n=1)  # types

# %% fusion
nn = torch.nn
F = nn.utils
torch.manual_seed(0)
b = nn.BatchNorm2d(3)
with torch.no_grad():
    b.running_mean.copy_(torch.arange(3.0))
    b.weight.copy_(torch.arange(3.0) + 2)
c = nn.Conv2d(2, 3, 1)
F.fuse_conv_bn_eval(c, b)
c.eval(), b.eval()
f = F.fuse_conv_bn_eval(c, b)
f
x = torch.ones(1, 2, 2, 2)
(f(x) - b(c(x))).abs().max() < 1e-5
F.fuse_conv_bn_eval(nn.Conv2d(2, 3, 1, bias=False).eval(), nn.BatchNorm2d(3, affine=False).eval()).bias
l, n = nn.Linear(2, 3).eval(), nn.BatchNorm1d(3).eval()
(F.fuse_linear_bn_eval(l, n)(torch.ones(1, 2)) - n(l(torch.ones(1, 2)))).abs().max() < 1e-5
F.fuse_linear_bn_eval(nn.Linear(2, 4).eval(), n)
F.fuse_conv_bn_eval(c, nn.BatchNorm2d(3, track_running_stats=False).eval())

# %% other parameters for one call
nn = torch.nn
S = nn.utils.stateless
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 1), nn.Identity())
w = {"0.weight": torch.ones(1, 2), "0.bias": torch.zeros(1)}
S.functional_call(m, w, torch.ones(1, 2))
S.functional_call(m, w, (torch.ones(1, 2),), {})
S.functional_call(m, w, kwargs={"input": torch.ones(1, 2)})
m[0].weight
S.functional_call(m, {"0.nothing": torch.ones(1)}, torch.ones(1, 2))
S.functional_call(m, {"5.weight": torch.ones(1)}, torch.ones(1, 2))
S.functional_call(m, {"0.weight": 3}, torch.ones(1, 2))
S.functional_call(nn.DataParallel(m), {}, torch.ones(1, 2))
m[0].weight
S.functional_call(m, {"0.weight": torch.ones(1, 2)}, torch.ones(1, 2), strict=True)
S.functional_call(m, {"0.weight": torch.ones(1, 2), "x": 3}, torch.ones(1, 2), strict=True)
type(m[0].weight).__name__
m.tied = m[0].weight
S.functional_call(m, {"tied": torch.ones(1, 2), "0.bias": torch.zeros(1)}, torch.ones(1, 2))
S.functional_call(m, {"tied": torch.ones(1, 2), "0.weight": torch.zeros(1, 2)}, torch.ones(1, 2))
S.functional_call(m, {"tied": torch.ones(1, 2), "0.bias": torch.zeros(1)}, torch.ones(1, 2), tie_weights=False).shape
class Count(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(1))
    def forward(self, x):
        self.n = self.n + 1
        return x + self.n
c, given = Count(), {"n": torch.tensor([5.0])}
S.functional_call(c, given, torch.zeros(1))
c.n, given
p = torch.ones(1, 2, requires_grad=True)
S.functional_call(m, {"0.weight": p * 2}, torch.ones(1, 2)).backward()
p.grad

# %% skip_init
nn = torch.nn
torch.manual_seed(0)
m = nn.utils.skip_init(nn.Linear, 2, 3, dtype=torch.float64)
m, m.weight.dtype, m.weight.requires_grad
torch.rand(1)
nn.utils.skip_init(int, 3)
class Plain(nn.Module):
    pass
nn.utils.skip_init(Plain)

# %% gradients of convolutions as functions
nn = torch.nn
from importlib import import_module
grad = import_module(nn.__name__ + ".grad")
torch.manual_seed(0)
x, w = torch.randn(2, 4, 7, 6, dtype=torch.float64), torch.randn(6, 2, 3, 3, dtype=torch.float64)
g = torch.randn_like(nn.functional.conv2d(x, w, None, 2, 1, 1, 2))
grad.conv2d_input(x.shape, w, g, 2, 1, 1, 2).sum(0)
grad.conv2d_weight(x, w.shape, g, 2, 1, 1, 2).sum(0)
grad.conv1d_input((1, 1, 5), torch.ones(1, 1, 2), torch.ones(1, 1, 4))
grad.conv3d_weight(torch.ones(1, 1, 2, 2, 2), (1, 1, 1, 1, 1), torch.ones(1, 1, 2, 2, 2))

# %% response norm across maps
nn = torch.nn
torch.manual_seed(0)
x = torch.randn(2, 7, 2, 3, dtype=torch.float64, requires_grad=True)
[(size, m := nn.CrossMapLRN2d(size, 0.1, 0.5, 2), m(x).detach().sum((2, 3))) for size in range(1, 8)]

# %% memory of weights
nn = torch.nn
m = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ConvTranspose2d(2, 3, 3), nn.Linear(2, 2))
nn.utils.convert_conv2d_weight_memory_format(m, torch.channels_last) is m
[p.stride() for p in m.parameters()]
m = nn.utils.convert_conv3d_weight_memory_format(nn.Conv3d(2, 3, 2), torch.channels_last_3d)
m.weight.stride(), m.weight.requires_grad

# %% classes in the modules where PyTorch has them
from importlib import import_module
name = torch.nn.__name__ + ".modules."
[getattr(import_module(name + file), kind).__name__ for file, kind in (
    ("loss", "TripletMarginLoss"), ("loss", "LinearCrossEntropyLoss"), ("conv", "LazyConv2d"), ("batchnorm", "SyncBatchNorm"))]
