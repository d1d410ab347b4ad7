"""Setting, finding and deleting members of modules; text; paths. Run by test_nn_parity.py; see transcript.py."""

import torch
from torch import nn

# %% parameters by attribute
nn = torch.nn
m = nn.Module()
m.w = nn.Parameter(torch.ones(2))
m.w
m.w is m._parameters["w"]
[name for name, p in m.named_parameters()]
m.w = 3
m.w = torch.zeros(2)
m.w = nn.Module()
m.w = None
m.w
list(m._parameters.items())
m.w = nn.Parameter(torch.zeros(3))
m.w
del m.w
m.w
hasattr(m, "w"), "w" in m._parameters

# %% before __init__
nn = torch.nn
class Early(nn.Module):
    def __init__(self, what):
        self.x = what
Early(nn.Parameter(torch.ones(1)))
Early(nn.Identity())
Early(torch.ones(1)).x
Early(nn.Buffer(torch.ones(1)))
class Late(nn.Module):
    def __init__(self):
        self.register_buffer("b", torch.ones(1))
Late()
class Later(nn.Module):
    def __init__(self):
        self.register_parameter("b", None)
Later()
Early(3)._parameters

# %% arguments of __init__
nn = torch.nn
nn.Module(1)
nn.Module(1, 2)
nn.Module(a=1)
class Base:
    def __init__(self, size):
        self.size = size
class Both(nn.Module, Base):
    call_super_init = True
    def __init__(self, size):
        super().__init__(size)
Both(3).size, Both(3).training

# %% registering parameters
nn = torch.nn
m = nn.Module()
m.register_parameter(3, None)
m.register_parameter("a.b", None)
m.register_parameter("", None)
m.register_parameter("forward", None)
m.register_parameter("p", torch.ones(1))
m.register_parameter("p", 3)
m.register_parameter("p", nn.Parameter(torch.ones(1)) * 2)
m.register_parameter("p", None)
m.p
m.plain = 3
m.register_parameter("plain", None)
m.register_parameter("p", nn.Parameter(torch.ones(1)))
m.p
m.plain = nn.Parameter(torch.ones(2))
m.plain
"plain" in dict(m.named_parameters())

# %% non-leaf as a parameter
nn = torch.nn
m = nn.Module()
p = nn.Parameter(torch.ones(2))
q = p * 2
m.q = q
m.q
m.r = p
m.r is p

# %% buffers
nn = torch.nn
m = nn.Module()
m.register_buffer("b", torch.ones(2))
m.b
m.register_buffer("c", None, persistent=False)
m.c
list(m.state_dict())
m.register_buffer(1, None)
m.register_buffer("x.y", None)
m.register_buffer("", None)
m.register_buffer("b", 3)
m.register_buffer("train", torch.ones(1))
m.b = torch.zeros(3)
m.b
m.b = 4
m.b = None
m.b
m._buffers
m.b = torch.ones(1)
list(m.named_buffers())
m.n = nn.Buffer(torch.ones(2), persistent=False)
m.n
sorted(m._non_persistent_buffers_set)
m.n = torch.zeros(2)
sorted(m._non_persistent_buffers_set)
m.n = nn.Buffer(torch.zeros(2))
sorted(m._non_persistent_buffers_set)
del m.n
m.n
m.k = torch.ones(2)
"k" in m._buffers
m.k = nn.Buffer(torch.ones(2))
"k" in m._buffers
m.k = nn.Parameter(torch.ones(2))
"k" in m._buffers, "k" in m._parameters

# %% register_buffer overridden
nn = torch.nn
class Old(nn.Module):
    def register_buffer(self, name, tensor):
        super().register_buffer(name, tensor)
m = Old()
m.b = nn.Buffer(torch.ones(1))
m.b
m.c = nn.Buffer(torch.ones(1), persistent=False)

# %% submodules
nn = torch.nn
m = nn.Module()
m.a = nn.Identity()
m.a
m.a = 3
m.a = torch.ones(1)
m.a = None
m.a
list(m.named_modules())
m.add_module("x", 3)
m.add_module("x.y", nn.Identity())
m.add_module("", nn.Identity())
m.add_module(3, nn.Identity())
m.add_module("forward", nn.Identity())
m.add_module("b", None)
m.b
m.register_module("c", nn.Identity())
m.c
m.x = 5
m.x = nn.Identity()
m.x
del m.x
m.x
del m.nothing
m.a = nn.Identity()
m.a = nn.Parameter(torch.ones(1))
m.a
list(m.named_children())

# %% class attributes
nn = torch.nn
class Shadow(nn.Module):
    conv = None
    def __init__(self):
        super().__init__()
        self.conv = nn.Identity()
m = Shadow()
m.conv
list(m.named_children())
class Computed(nn.Module):
    @property
    def weight(self):
        return 3
m = Computed()
m.weight
m.weight = nn.Parameter(torch.ones(1))
m.weight = 4
class Hidden(nn.Module):
    weight = None
m = Hidden()
m.weight = nn.Parameter(torch.ones(1))
m.bias = nn.Parameter(torch.ones(1))

# %% the dicts themselves
nn = torch.nn
m = nn.Module()
m._parameters["w"] = nn.Parameter(torch.ones(2))
m.w
m._parameters["w"] = nn.Parameter(torch.zeros(3))
m.w
m._parameters["w"] = None
m.w
del m._parameters["w"]
m.w
m._parameters.update(w=nn.Parameter(torch.ones(1)), v=None)
m.w, m.v
m._parameters.pop("w")
m.w
m._parameters.pop("w", 5)
m._parameters.pop("w")
m._parameters.setdefault("z", nn.Parameter(torch.ones(1)))
m.z
m._parameters.popitem()[0]
m.z
m._parameters.clear()
m.v
m._modules["a"] = nn.Identity()
m.a
m._modules = {"b": nn.Identity()}
m.a
m.b
m._buffers = {}
m._buffers["c"] = torch.ones(1)
m.c
m.__dict__["_buffers"]["c"].shape
m._parameters = {"w": None}
m.w
m._parameters |= {"u": nn.Parameter(torch.ones(1))}
m.u

# %% __init__ called again
nn = torch.nn
m = nn.Linear(2, 3)
m.__init__(3, 4)
m.weight.shape
nn.Module.__init__(m)
m.weight
list(m.parameters())

# %% __getattr__ of one's own
nn = torch.nn
class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
        self.extra = nn.Parameter(torch.ones(1))
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)
m = Wrapper(nn.Linear(2, 3))
m.weight.shape, m.extra, m.in_features
m.nothing
class Asked(nn.Module):
    def __getattr__(self, name):
        if name == "weight":
            return "asked"
        return super().__getattr__(name)
m = Asked()
m.weight = nn.Parameter(torch.ones(1))
m.weight

# %% dir
nn = torch.nn
m = nn.Sequential(nn.Linear(2, 3), nn.Identity())
"0" in dir(m), "weight" in dir(m[0]), dir(m[0]).count("weight"), "forward" in dir(m), "training" in dir(m)
m[0].scale = 3
dir(m[0]).count("scale"), "_forward_hooks" in dir(m), "_parameters" in dir(m)

# %% text
nn = torch.nn
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3, bias=False)
        self.b = nn.Sequential(nn.Identity(), nn.Sequential())
        self.c = None
        self.register_module("d", None)
    def extra_repr(self):
        return "x=1\ny=2"
Two()
repr(Two())
str(Two())
class One(nn.Module):
    def extra_repr(self):
        return "only=this"
repr(One())
class Lines(nn.Module):
    def extra_repr(self):
        return "first\n\nlast"
repr(nn.Sequential(Lines(), One()))
repr(nn.Module())
class Named(nn.Linear):
    def _get_name(self):
        return "Other"
repr(Named(1, 2))

# %% paths
nn = torch.nn
m = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Identity(), nn.Linear(3, 1)))
m.register_buffer("count", torch.zeros(1))
m.get_submodule("") is m
m.get_submodule("1.1")
m.get_submodule("1.2")
m.get_submodule("count")
m.get_submodule("0.weight")
m.get_parameter("1.1.weight").shape
m.get_parameter("1.1.nothing")
m.get_parameter("count")
m.get_parameter("1")
m.get_buffer("count")
m.get_buffer("0.weight")
m.get_buffer("nothing")
m.set_submodule("1.1", nn.Identity())
m.set_submodule("1.5", nn.Identity())
m
m.set_submodule("1.7", nn.Identity(), strict=True)
m.set_submodule("", nn.Identity())
m.set_submodule("1.1", 3)
m.set_submodule("0.weight", nn.Identity())
m.set_submodule("count", nn.Identity())
m.set_submodule("7.1", nn.Identity())
m.set_submodule("2", nn.Identity())
m.get_submodule("2")

# %% iteration
nn = torch.nn
shared = nn.Linear(2, 2)
m = nn.Sequential(shared, nn.Sequential(shared, nn.Identity()))
m.w = nn.Parameter(torch.ones(1))
m[1].v = m.w
[name for name, _ in m.named_parameters()]
[name for name, _ in m.named_parameters(remove_duplicate=False)]
[name for name, _ in m.named_parameters("pre", recurse=False)]
[name for name, _ in m.named_parameters(prefix="pre")]
[name for name, _ in m.named_modules()]
[name for name, _ in m.named_modules(remove_duplicate=False)]
[name for name, _ in m.named_modules(prefix="x")]
[name for name, _ in m.named_modules(memo={m[1]})]
len(list(m.modules())), len(list(m.modules(remove_duplicate=False))), len(list(m.children()))
[name for name, _ in m.named_children()]
m.register_buffer("b", torch.ones(1))
[name for name, _ in m.named_buffers()], len(list(m.buffers())), len(list(m.buffers(recurse=False)))
len(list(m.parameters())), len(list(m.parameters(False)))

# %% training mode
nn = torch.nn
m = nn.Sequential(nn.Identity(), nn.Sequential(nn.Identity()))
m.eval() is m
[x.training for x in m.modules()]
m.train()
[x.training for x in m.modules()]
m.train(1)
m[1].train(False)
[x.training for x in m.modules()]

# %% no forward
nn = torch.nn
nn.Module()(1)
nn.ModuleList([])(1)
class Empty(nn.Module):
    pass
Empty()(torch.ones(1))

# %% forward in the object's own dict
nn = torch.nn
m = nn.Linear(2, 2)
m.forward = lambda x: "mine"
m(1)
del m.forward
m(torch.ones(1, 2)).shape
m(input=torch.ones(1, 2)).shape
m(nothing=1)  # types
m()  # types

# %% factory_kwargs
nn = torch.nn
nn.factory_kwargs(None)
nn.factory_kwargs({"dtype": torch.float64, "factory_kwargs": {"device": "cpu"}})
nn.factory_kwargs({"dtype": 1, "foo": 2})
nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}})

# %% hooks on registration
nn = torch.nn
from_hooks = []
def see(module, name, what):
    from_hooks.append((type(module).__name__, name, type(what).__name__))
M = torch.nn.modules.module
kinds = "parameter", "buffer", "module"
handles = [getattr(M, f"register_module_{kind}_registration_hook")(see) for kind in kinds]
m = nn.Sequential(nn.Linear(2, 2))
m.register_buffer("b", torch.ones(1))
m.c = nn.Identity()
m.c = None
[h.remove() for h in handles]
from_hooks
m.d = nn.Identity()
len(from_hooks)
h = M.register_module_parameter_registration_hook(lambda module, name, p: nn.Parameter(torch.zeros(3)))
m.w = nn.Parameter(torch.ones(2))
h.remove()
m.w
