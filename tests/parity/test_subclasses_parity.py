"""If one of these fails, a subclass of Tensor or a mode of functions behaves otherwise than PyTorch's."""
import copy
import pickle

import cygrad
import pytest
import torch

SETUP = """
calls = []
class Sub(torch.Tensor):
    pass
class SubSub(Sub):
    pass
class Other(torch.Tensor):
    pass
class Log(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        calls.append((func.__name__, tuple(t.__name__ for t in types)))
        return super().__torch_function__(func, types, args, kwargs)
class Meta(torch.Tensor):
    @staticmethod
    def __new__(cls, data, extra, *args, **kwargs):
        return super().__new__(cls, data, *args, **kwargs)
    def __init__(self, data, extra):
        self.extra = extra
class Off(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl
class Duck:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return ("duck", func.__name__, len(args), sorted(kwargs or {}))
class Refuses:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented
class Mode(torch.overrides.TorchFunctionMode):
    def __init__(self, name="m"):
        self.name = name
    def __torch_function__(self, func, types, args=(), kwargs=None):
        calls.append((self.name, func.__name__))
        return func(*args, **(kwargs or {}))
class Doubles(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is torch.Tensor.add or func is torch.add:
            return "added"
        return super().__torch_function__(func, types, args, kwargs)
class Copies(torch.Tensor):
    def new_empty(self, *args, **kwargs):
        return torch.Tensor.new_empty(self.as_subclass(torch.Tensor), *args, **kwargs).as_subclass(Copies)
p = torch.arange(6.).reshape(2, 3)
s = p.as_subclass(Sub)
l = p.as_subclass(Log)
def kinds(x):
    return type(x).__name__ + (str([kinds(i) for i in x]) if isinstance(x, (tuple, list)) else "")
def logged(f):
    del calls[:]
    return kinds(f()), list(calls)
"""

OPS = """
s+1 | 1+s | 1-s | 2/s | s*p | p*s | -s | abs(s) | s**2 | 2**s | s@p.t() | s==1 | s<p | ~(s>1) | (s>1)&True | s//2
5%(s+1)
s[0] | s[0, 1] | s[:, 1:] | s[s>2] | p[s>2] | s[None] | list(s) | s.sum() | torch.sum(s) | s.max(0) | s.split(1)
s.unbind(1)
torch.cat([p, s]) | torch.stack([s, s]) | torch.where(s>1, s, p) | torch.nn.functional.relu(s) | s.t() | s.T | s.mT
s.data
torch.nn.functional.linear(s, p) | torch.nn.functional.softmax(s, -1) | torch.einsum("ij->j", s)
torch.add(p, 1, out=s)
torch.zeros_like(s) | s.new_zeros(2) | s.detach() | s.clone() | s.to(torch.float64) | s.int() | s.contiguous()
s.grad | s.shape
torch.tensor(s) | torch.as_tensor(s) | s.view(-1) | s.tolist() | s.numpy() | s[0, 0].item() | s.real | s.norm()
s.unique()
s.add_(1) is s | s.requires_grad_() is s | torch.fft.fft(s) | torch.linalg.norm(s) | reversed(s) | s.size() | len(s)
s.dim()
p.as_subclass(SubSub) + s | s + p.as_subclass(SubSub) | s.as_subclass(SubSub).sum()
Off.__torch_function__ is torch.nn.Parameter.__torch_function__
p.as_subclass(Off) + 1 | torch.nn.Parameter(p) * 2 | torch.nn.Parameter(p) + s | torch.nn.Parameter(s)
isinstance(torch.nn.Parameter(s), torch.nn.Parameter)
Sub([1., 2.]) | Sub(2, 3) | Sub(p) | Sub() | Meta([1., 2.], "e") | Meta(p, 3).extra
torch.Tensor._make_subclass(Sub, p) | torch.Tensor._make_subclass(Sub, p, True).requires_grad
s.as_subclass(torch.Tensor) | (s + 1).as_subclass(torch.Tensor) | s.__rsub__(1) | s.__rmatmul__(p.t())
"""

LOGGED = """
l + 1 | 1 - l | l * l | l.sum(0) | torch.sum(l, dim=0) | l[0] | l.shape | l.T | torch.cat([l, p]) | -l | l == 1
l.size(0) | l.dim()
l.detach() | l.data | l.to(torch.float64) | torch.nn.functional.relu(l) | l.add_(1) | l.__iadd__(1) | l @ p.t()
2 / l | 2 ** l
bool(l.sum() > 0) | float(l.sum()) | l.is_floating_point() | l.requires_grad | l.device | l.dtype | repr(l)
l.clone().zero_()
l.stride() | l.numel() | l.is_contiguous() | l.item | l.new_ones(2) | l.tolist() | 1. in l | l.storage_offset()
l.data_ptr() > 0
p[l > 1] | torch.where(l > 1, l, p) | torch.stack([p, l]) | l.requires_grad_() | l.sum().requires_grad_().backward()
l.cpu()
"""

VALUES = """
repr(s) | str(s + 1) | repr(s.as_subclass(SubSub)) | torch.add(Duck(), 1) | torch.cat([Duck(), p])
torch.sum(p, dim=Duck()) | torch.nn.functional.linear(p, Duck(), bias=None)
torch.add(Refuses(), 1) | p + Duck() | p * Refuses() | p.as_subclass(Doubles) + 1
torch.add(p, p.as_subclass(Doubles)) | p.as_subclass(Doubles) - 1
s + p.as_subclass(Other) | torch.add(s, p.as_subclass(Other)) | (s.requires_grad_() * 2).grad_fn.name() | s.is_leaf
s._base is p
p.as_subclass(int) | p.as_subclass(3) | torch.Tensor._make_subclass(Sub, 3) | torch.Tensor.add(Duck(), 1)
copy.deepcopy(s) | type(copy.copy(s)).__name__ | type(copy.deepcopy(p.as_subclass(Copies))).__name__
torch.overrides.has_torch_function((s,)) | torch.overrides.has_torch_function((p, torch.nn.Parameter(p)))
torch.overrides.has_torch_function_unary(s) | torch.overrides.has_torch_function_variadic(p, s)
torch.overrides.is_tensor_like(p) | torch.overrides.is_tensor_like(Duck()) | torch.overrides.is_tensor_like(3)
torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
torch.overrides.is_tensor_method_or_property(torch.add)
torch.overrides.is_tensor_method_or_property(torch.Tensor.shape.__get__)
torch.overrides.resolve_name(torch.Tensor.add) | torch.overrides.resolve_name(torch.add)
torch.overrides.resolve_name(torch.nn.functional.relu)
torch.add in torch.overrides.get_overridable_functions()[torch]
torch.Tensor.sum in torch.overrides.get_overridable_functions()[torch.Tensor]
torch.overrides.get_testing_overrides()[torch.add](1, 2) | torch.zeros in torch.overrides.get_ignored_functions()
"""

SCRIPTS = ["""
x = p.as_subclass(Sub).requires_grad_()
y = (x * x).sum()
y.backward()
print(kinds(x.grad), x.grad, kinds(y), y.grad_fn.name())
print(kinds(torch.autograd.grad((x * 2).sum(), x)))
""", """
with Mode():
    x = torch.ones(2)
    y = x + 1
    z = y.shape, y.sum(), y[0], -y
print(calls)
""", """
with Mode("a"):
    with Mode("b"):
        torch.zeros(2).exp()
print(calls)
""", """
with Mode():
    l.sum()
print(calls)
""", """
def double(x):
    if torch.overrides.has_torch_function_unary(x):
        return torch.overrides.handle_torch_function(double, (x,), x)
    return x + x
print(kinds(double(l)), calls, kinds(double(p)))
""", """
def dispatcher(x): return (x,)
@torch.overrides.wrap_torch_function(dispatcher)
def double(x): return x + x
print(kinds(double(l)), calls)
""", """
with torch._C.DisableTorchFunctionSubclass():
    print(kinds(s + 1), kinds(l.sum()))
print(calls, kinds(s + 1))
""", """
m = torch.nn.Linear(3, 2)
print(kinds(m(s)), kinds(m.weight * 1), kinds(m.weight))
""", """
x = pickle.loads(pickle.dumps(Meta(torch.ones(2), "e")))
print(kinds(x), x, x.extra)
""", """
x = p.as_subclass(Copies); x.tag = [1]
y = copy.deepcopy(x)
y.tag.append(2)
print(kinds(y), y, x.tag, y.tag, y.data_ptr() == x.data_ptr())
z = copy.copy(x)
print(kinds(z), z.tag is x.tag, z.data_ptr() == x.data_ptr())
""", """
class Unit(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        out = super().__torch_function__(func, types, args, kwargs)
        units = {a.unit for a in args if isinstance(a, Unit) and "unit" in a.__dict__}
        if isinstance(out, Unit) and units and "unit" not in out.__dict__:
            out.unit = units.pop()
        return out
x = torch.ones(2).as_subclass(Unit); x.unit = "m"
print((x * 2).unit, x.sum().unit, x)
""", """
class Scalar:
    def __init__(self, value): self.value = value
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        args = [a.value if isinstance(a, Scalar) else a for a in args]
        return Scalar(func(*args, **(kwargs or {})))
x = torch.mul(Scalar(torch.tensor(3.)), torch.tensor(2.))
print(type(x).__name__, x.value, torch.mean(Scalar(torch.ones(2))).value)
"""]


def text_of(statement, module):
    """What a statement shows with a module: the text of its value, or its error."""
    space = {"torch": module, "copy": copy, "pickle": pickle, "__name__": __name__}
    shown = []
    space["print"] = lambda *values: shown.append(" ".join(map(str, values)))
    exec(SETUP, space)
    for name in ("Meta", "Copies", "Sub"):
        globals()[name] = space[name]                  # where pickle looks for them
        space[name].__module__ = __name__
    try:
        if "\n" in statement:
            exec(statement, space)
            found = "\n".join(shown)
        else:
            found = str(eval(statement, space))
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return found.replace("cygrad", "torch")


def statements(text):
    return [each.strip() for line in text.strip().split("\n") for each in line.split(" | ")]


@pytest.mark.parametrize("statement", statements(OPS))
def test_results_of_ops_are_instances_of_the_subclass(statement):
    assert text_of(f"kinds({statement})", cygrad) == text_of(f"kinds({statement})", torch)


@pytest.mark.parametrize("statement", statements(LOGGED))
def test_calls_come_by_the_same_names(statement):
    assert text_of(f"logged(lambda: {statement})", cygrad) == text_of(f"logged(lambda: {statement})", torch)


@pytest.mark.parametrize("statement", statements(VALUES))
def test_values_and_errors(statement):
    assert text_of(statement, cygrad) == text_of(statement, torch)


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts(script):
    assert text_of(script, cygrad) == text_of(script, torch)
