"""Containers of modules and parameters, and what lazy modules do. Run by test_nn_parity.py; see transcript.py."""

import torch

# %% Sequential
from collections import OrderedDict
nn = torch.nn
m = nn.Sequential(nn.Identity(), nn.Linear(2, 3), nn.Linear(3, 1))
m
len(m), bool(nn.Sequential())
m[0], m[-1], m[1:], m[::2], m[:0]
m[3]
m[-4]
m["a"]
m[1.0]
m[torch.tensor(1)]
m[0] = nn.Linear(2, 2)
m[0]
m[5] = nn.Identity()
m[0] = 3
del m[1]
m
del m[0:1]
m
del m[3]
m = nn.Sequential(OrderedDict([("first", nn.Identity()), ("second", nn.Linear(1, 2))]))
m
m.first, m[1]
del m[0]
m
nn.Sequential(3)
nn.Sequential([nn.Identity()])
nn.Sequential(None)
nn.Sequential()(5)
nn.Sequential(nn.Linear(2, 3), nn.Identity())(torch.ones(1, 2)).shape
[type(x).__name__ for x in m]

# %% Sequential arithmetic
nn = torch.nn
a, b = nn.Sequential(nn.Identity()), nn.Sequential(nn.Linear(1, 2), nn.Linear(2, 1))
a + b
a + 3
a + [nn.Identity()]
a += b
a
a += 3
b * 2
2 * b
b * 0
b * 1.5
b *= 2
b
b *= -1
b[0] is b[2]
a.append(nn.Identity()) is a
a.append(3)
a.insert(1, nn.Linear(7, 7)) is a
a
a.insert(-1, nn.Linear(8, 8))
a
a.insert(99, nn.Identity())
a.insert(0, 3)  # types
a.extend([nn.Identity(), nn.Linear(9, 9)])
a.pop(0)
a.pop(-1)
a
a.pop(slice(0, 2))
a

# %% ModuleList
nn = torch.nn
m = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)] + [nn.Identity()])
m
len(m), m[-1], m[1:3], m[::-1]
m[4]
m["x"]
m.append(nn.Identity()) is m
m += [nn.Linear(1, 2)]
m + [nn.Linear(5, 5)]
m
m.insert(0, nn.Linear(9, 9))
m
m.pop(0)
del m[0:3]
m
del m[-1]
m
m[0] = nn.Linear(3, 3)
m
m.extend(3)
m.extend([3])
nn.ModuleList(3)
nn.ModuleList()
repr(nn.ModuleList([nn.Sequential(nn.Identity()), nn.Sequential(nn.Identity())]))
nn.ModuleList([None, nn.Identity()])
m(3)
list(m.state_dict())
"0" in dir(m)

# %% ModuleDict
nn = torch.nn
m = nn.ModuleDict({"a": nn.Identity(), "b": nn.Linear(1, 1)})
m
m["a"], "a" in m, "z" in m, len(m), list(m), list(m.keys()), [k for k, v in m.items()], len(m.values())
m["z"]
m["c"] = nn.Identity()
m["c"] = 3
m["d.e"] = nn.Identity()
m["keys"] = nn.Identity()
m[3] = nn.Identity()
m.update([("x", nn.Identity()), ("y", nn.Linear(2, 2))])
m
m.update({"x": nn.Linear(5, 5)})
m.update(nn.ModuleDict({"w": nn.Identity()}))
m.update(3)
m.update([3])
m.update([("a", nn.Identity(), 4)])
m.pop("a")
m.pop("a")
del m["b"]
m
del m["b"]
m.clear()
len(m), m.c

# %% ParameterList
nn = torch.nn
m = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1, 3)), "text", 5])
m
len(m), m[0], m[-1], m[2]
m[1:3]
m[9]
m["x"]
m[0] = torch.zeros(4)
m[0]
m.append(torch.ones(2, dtype=torch.float64)) is m
m.append(torch.ones(2, dtype=torch.int32))
m.extend([torch.ones(1)])
m.extend(torch.ones(1))
m.extend(3)
m += [1]
[name for name, _ in m.named_parameters()]
[type(x).__name__ for x in m]
m()
nn.ParameterList()
list(m.state_dict())

# %% ParameterDict
nn = torch.nn
m = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.zeros(1, 3)), "c": "text"})
m
m["a"], "a" in m, len(m), list(m), list(reversed(m)), list(m.keys()), [k for k, _ in m.items()], len(list(m.values()))
m["z"]
m[3] = torch.ones(1)
m["d"] = torch.ones(1)
m.d
m.get("d"), m.get("z"), m.get("z", 3)
m.setdefault("e", torch.zeros(1))
m.setdefault("e", torch.ones(5))
m.pop("e")
m.pop("e")
m.popitem()
list(m)
m.copy()
m | nn.ParameterDict({"q": torch.ones(1)})
m |= {"r": torch.ones(1)}
m
m.update([("s", torch.ones(1)), ("t", 2)])
m.update(3)
m.update([3])
m.update([("a", 1, 2)])
m.fromkeys(["x", "y"], torch.ones(1))
del m["s"]
del m["s"]
m.clear()
len(m)
m.popitem()
m(1)
{"z": 1} | m  # types

# %% Container
nn = torch.nn
nn.Container(a=nn.Identity())

# %% Parameter
import copy
import pickle
nn = torch.nn
p = nn.Parameter(torch.ones(2))
p
repr(p), str(p), f"{p}"
[p]
nn.Parameter(torch.ones(2), requires_grad=False)
nn.Parameter(torch.ones(2), False)
nn.Parameter()
nn.Parameter([1.0])
nn.Parameter(torch.tensor([1]))
nn.Parameter(torch.tensor([1]), requires_grad=False)
[type(x).__name__ for x in (p + 1, p.detach(), p.data, p.clone(), p.to(torch.float64), p.to(torch.float32))]
[type(x).__name__ for x in (p.requires_grad_(False), p.view(2), p[0])]
t = torch.ones(2)
q = nn.Parameter(t)
t[0] = 5
q
q.is_leaf, isinstance(q, torch.Tensor), isinstance(q, nn.Parameter), isinstance(t, nn.Parameter)
q.data_ptr() == t.data_ptr()
(q * 2).sum().backward()
q.grad
r = nn.Parameter(q * 2)
r.is_leaf, r.requires_grad
q.mark = 3
c = copy.deepcopy(q)
type(c).__name__, c, c.grad, hasattr(c, "mark")
c = copy.copy(q)
type(c).__name__, c.grad, c.mark, c.data_ptr() == q.data_ptr()
c = pickle.loads(pickle.dumps(q))
type(c).__name__, c, c.mark
q.data = torch.zeros(3)
q
nn.Parameter(nn.Parameter(torch.ones(1)))
q.__dict__
class Mine(nn.Parameter):
    pass
type(Mine(torch.ones(1))), isinstance(Mine(torch.ones(1)), nn.Parameter)
Mine(torch.ones(1))
m = nn.Module()
m.p = Mine(torch.ones(1))
list(m.named_parameters())
nn.Parameter.__name__, nn.Parameter.__mro__[1].__name__

# %% Buffer
nn = torch.nn
b = nn.Buffer(torch.ones(2))
b, type(b).__name__, isinstance(b, nn.Buffer), isinstance(torch.ones(1), nn.Buffer), b.persistent
nn.Buffer(torch.ones(2), persistent=False).persistent
nn.Buffer()
nn.Buffer([1])
isinstance(b + 1, nn.Buffer), isinstance(b, nn.Parameter)

# %% uninitialized
import copy
import pickle
nn = torch.nn
u = nn.UninitializedParameter()
u
str(u)
isinstance(u, nn.Parameter), u.requires_grad, u.dtype, u.device
u.shape
u + 1  # types
u.add(1)  # types
u.numel()  # types
len(u)  # types
u == 1  # types
bool(u)  # types
u[0]  # types
u.share_memory_()
copy.deepcopy(u)
pickle.loads(pickle.dumps(u))
u.materialize((2, 3))
type(u).__name__, u.shape, u.requires_grad
u.sum().shape
v = nn.UninitializedParameter(requires_grad=False, dtype=torch.float64)
v.materialize((2,), dtype=torch.float32)
v.dtype, v.requires_grad, type(v)
b = nn.UninitializedBuffer(dtype=torch.float64)
b
isinstance(b, nn.Buffer), isinstance(b, nn.Parameter), b.persistent
b.materialize((4,))
type(b).__name__, b.shape, b.dtype
torch.nn.parameter.is_lazy(u), torch.nn.parameter.is_lazy(nn.UninitializedParameter())

# %% lazy modules
import copy
nn = torch.nn
torch.manual_seed(0)
m = nn.LazyLinear(3)
m
m.weight
m.weight.shape
list(m.state_dict())
m.has_uninitialized_params()
m.reset_parameters()
c = copy.deepcopy(m)
m(torch.ones(2, 5)).shape
m, type(m)
m.weight.shape
hasattr(m, "_initialize_hook"), len(m._forward_pre_hooks)
c
c.load_state_dict(nn.Linear(7, 3).state_dict())
c.weight.shape, type(c)
c(torch.ones(1, 7)).shape
type(c).__name__, c
d = nn.LazyLinear(2, bias=False)
d.bias
nn.Linear(7, 2).load_state_dict(d.state_dict())
d.load_state_dict(nn.LazyLinear(2, bias=False).state_dict())
d.double()
d(torch.ones(1, 4, dtype=torch.float64)).dtype
class Unfinished(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.UninitializedParameter()
    def initialize_parameters(self, x):
        pass
    def forward(self, x):
        return x
Unfinished()(1)
class Nothing(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def forward(self, x):
        return x
Nothing()(1)

# %% DataParallel without devices
nn = torch.nn
torch.manual_seed(0)
m = nn.DataParallel(nn.Linear(2, 3))
m
list(m.state_dict()), m.device_ids, [name for name, _ in m.named_parameters()]
m(torch.ones(1, 2)), m(input=torch.ones(1, 2)).shape
