"""state_dict and load_state_dict, copies and conversions of modules. Run by test_nn_parity.py; see transcript.py."""

import torch

# %% state_dict
nn = torch.nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 3), nn.Identity(), nn.Linear(3, 1, bias=False))
m.register_buffer("b", torch.ones(2))
m.register_buffer("t", torch.ones(2), persistent=False)
m.register_buffer("n", None)
s = m.state_dict()
s
s._metadata
type(s)
[type(v).__name__ for v in s.values()]
[v.requires_grad for v in s.values()]
[type(v).__name__ for v in m.state_dict(keep_vars=True).values()]
s["0.weight"].data_ptr() == m[0].weight.data_ptr()
list(m.state_dict(prefix="pre."))
m.state_dict(prefix="pre.")._metadata
d = {}
m.state_dict(destination=d) is d
list(d)
list(m.state_dict({}, "a.", True))

# %% load_state_dict
nn = torch.nn
torch.manual_seed(0)
a, b = nn.Linear(2, 3), nn.Linear(2, 3)
b.load_state_dict(a.state_dict())
(a.weight == b.weight).all()
b.weight.data_ptr() == a.weight.data_ptr()
found = b.load_state_dict({"weight": torch.ones(3, 2)}, strict=False)
found
found.missing_keys, found.unexpected_keys
b.weight
b.load_state_dict({"weight": torch.ones(3, 2)})
b.load_state_dict({"weight": torch.ones(3, 2), "bias": torch.ones(3), "x": 1, "y.z": 2})
b.load_state_dict({"weight": torch.ones(4), "bias": torch.ones(5, 2)})
b.load_state_dict({"weight": 3, "bias": "text"})
b.load_state_dict({"weight": torch.ones(4), "c": torch.ones(5)}, strict=False)
b.load_state_dict([1])
b.load_state_dict(None)
b.load_state_dict({})
b.load_state_dict({"weight": torch.ones(3, 2, dtype=torch.float64), "bias": torch.ones(3, dtype=torch.int32)})
b.weight, b.bias

# %% another model
nn = torch.nn
a = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4)))
b = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 5))
b.load_state_dict(a.state_dict())
b.load_state_dict(a.state_dict(), strict=False)
a.load_state_dict(b.state_dict())

# %% scalars of old files
nn = torch.nn
m = nn.Module()
m.s = nn.Parameter(torch.tensor(3.0))
m.load_state_dict({"s": torch.tensor([5.0])})
m.s

# %% assign
nn = torch.nn
torch.manual_seed(0)
m = nn.Linear(2, 3)
m.bias.requires_grad_(False)
new = {"weight": torch.ones(3, 2, dtype=torch.float64), "bias": nn.Parameter(torch.zeros(3))}
m.load_state_dict(new, assign=True)
m.weight, m.bias
m.bias is new["bias"], m.weight.data_ptr() == new["weight"].data_ptr()
type(m.weight)
m.load_state_dict({"weight": torch.ones(3), "bias": torch.ones(3)}, assign=True)
s = nn.Linear(2, 3).state_dict()
m.load_state_dict(s, assign=True)
s._metadata

# %% extra state
nn = torch.nn
class Extra(nn.Module):
    note = "none"
    def get_extra_state(self):
        return {"note": self.note}
    def set_extra_state(self, state):
        self.note = state["note"]
a, b = nn.Sequential(Extra()), nn.Sequential(Extra())
a[0].note = "some"
a.state_dict()
b.load_state_dict(a.state_dict())
b[0].note
b.load_state_dict({})
nn.Identity().load_state_dict({"_extra_state": 3})
nn.Sequential(nn.Identity()).load_state_dict({"0._extra_state": 3})
nn.Identity().get_extra_state()
nn.Identity().set_extra_state(1)

# %% hooks of state_dict
nn = torch.nn
torch.manual_seed(0)
seen = []
m = nn.Sequential(nn.Linear(1, 1, bias=False))
h = m.register_state_dict_pre_hook(lambda module, prefix, keep: seen.append((prefix, keep)))
def post(module, state, prefix, meta):
    seen.append((type(module).__name__, list(state), prefix, meta))
    state["more"] = 1
h2 = m.register_state_dict_post_hook(post)
list(m.state_dict(prefix="p."))
seen
h.remove()
h2.remove()
list(m.state_dict())
m._register_state_dict_hook(post)
h = m.register_state_dict_post_hook(lambda *args: {})
m.state_dict()
h.remove()
h = m._register_state_dict_hook(lambda module, state, prefix, meta: {"replaced": 1})
m.state_dict()
nn.Sequential(m).state_dict()

# %% hooks of load_state_dict
nn = torch.nn
seen = []
m = nn.Sequential(nn.Linear(1, 1, bias=False))
def pre(module, state, prefix, meta, strict, missing, unexpected, errors):
    seen.append((type(module).__name__, list(state), prefix, meta, strict))
    if prefix + "old" in state:
        state[prefix + "weight"] = state.pop(prefix + "old")
h = m[0].register_load_state_dict_pre_hook(pre)
m.load_state_dict({"0.old": torch.ones(1, 1)})
seen
m[0].weight
h.remove()
m.load_state_dict({"0.old": torch.ones(1, 1)})
h = m._register_load_state_dict_pre_hook(lambda state, *rest: seen.append(len(rest)))
m.load_state_dict(m.state_dict())
seen[-1]
h.remove()
def after(module, keys):
    seen.append(keys)
    keys.missing_keys.clear()
h = m.register_load_state_dict_post_hook(after)
m.load_state_dict({})
seen[-1]
h.remove()
h = m.register_load_state_dict_post_hook(lambda module, keys: 3)
m.load_state_dict(m.state_dict())

# %% versions
nn = torch.nn
class New(nn.Module):
    _version = 2
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        if local_metadata.get("version", None) is None:
            state_dict[prefix + "w"] = state_dict.pop(prefix + "old_w")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)
m = nn.Sequential(New())
m.state_dict()._metadata
m.load_state_dict({"0.old_w": torch.zeros(1)})
m[0].w

# %% dtypes
nn = torch.nn
m = nn.Sequential(nn.Linear(1, 2))
m.register_buffer("count", torch.tensor(3))
m.register_buffer("scale", torch.tensor(3.0))
w = m[0].weight
m.double() is m
[v.dtype for v in m.state_dict().values()]
m[0].weight is w
m.half()[0].weight.dtype
m.bfloat16()[0].weight.dtype
m.float()[0].weight.dtype
m.type(torch.float64).count.dtype
m.type("torch.FloatTensor").count.dtype
m.to(torch.float16)[0].bias.dtype
m.to("cpu", torch.float64)[0].bias.dtype
m.to(torch.ones(1))[0].bias.dtype
m.to(device="cpu")[0].bias.dtype
m.to(dtype=torch.float64, non_blocking=True)[0].bias.dtype
m.to(torch.int32)
m.to() is m
m.to(None) is m
m.to(torch.complex64)[0].bias.dtype
m.count.dtype
m.to("cpu", "cpu")
m.to(foo=1)
m.cpu() is m

# %% gradients go along
nn = torch.nn
m = nn.Linear(1, 2)
m(torch.ones(1, 1)).sum().backward()
g = m.weight.grad
m.double()
m.weight.grad.dtype, m.weight.grad is g
m.zero_grad()
m.weight.grad
m(torch.ones(1, 1, dtype=torch.float64)).sum().backward()
m.zero_grad(set_to_none=False)
m.weight.grad
m.requires_grad_(False) is m
[p.requires_grad for p in m.parameters()]
m.requires_grad_()
[p.requires_grad for p in m.parameters()]
m.to_empty(device="cpu").weight.shape

# %% apply
nn = torch.nn
seen = []
m = nn.Sequential(nn.Identity(), nn.Sequential(nn.Identity()))
m.apply(lambda x: seen.append(len(list(x.children())))) is m
seen

# %% deepcopy
import copy
nn = torch.nn
m = nn.Sequential(nn.Linear(2, 3), nn.Identity())
m.tied = m[0].weight
m.note = {"a": [1]}
c = copy.deepcopy(m)
c.tied is c[0].weight, c.tied is m.tied, (c.tied == m.tied).all()
c.note is m.note, c.note
c[0].weight = nn.Parameter(torch.zeros(1))
m[0].weight.shape, c[0].weight.shape
c._modules["0"] is c[0]
c[0]._parameters["weight"] is c[0].weight
c

# %% copy
import copy
nn = torch.nn
m = nn.Linear(2, 3)
c = copy.copy(m)
c.weight is m.weight
c.weight = nn.Parameter(torch.zeros(1))
m.weight.shape, c.weight.shape
c.note = 3
hasattr(m, "note")
c.bias = None
m.bias

# %% pickle
import pickle
nn = torch.nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 3), nn.Identity()).eval()
m.register_buffer("b", torch.ones(1), persistent=False)
c = pickle.loads(pickle.dumps(m))
c
(c[0].weight == m[0].weight).all(), c[0].weight.requires_grad, type(c[0].weight)
c.training, c.b, c._non_persistent_buffers_set
c[0].weight = nn.Parameter(torch.zeros(2))
c[0].weight
c(torch.ones(1, 2))  # types

# %% state of a module set by hand
import copy
nn = torch.nn
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.secret = 1
    def __getstate__(self):
        state = self.__dict__.copy()
        del state["secret"]
        return state
    def __setstate__(self, state):
        self.__dict__.update(state)
        self.secret = 2
c = copy.deepcopy(Own())
c.w, c.secret
c.w = nn.Parameter(torch.zeros(1))
c.w
list(c.parameters())
del c.w
c.w

# %% share_memory and compile do not change results
nn = torch.nn
m = nn.Linear(2, 3)
m._get_name(), m.extra_repr()
m.dump_patches, m.call_super_init
