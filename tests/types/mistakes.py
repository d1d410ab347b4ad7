"""Mistakes, each of which a type checker has to see on its own line, as the word behind it says; nobody runs this."""
import cygrad as torch
from cygrad import nn, optim
from cygrad.distributions import Normal
from cygrad.nn.modules import linear
from cygrad.ops.shape import views  # attr-defined
from cygrad.utils.data import DataLoader, Dataset

x = torch.ones(2, 3)
x.sun()  # attr-defined
nn.Linear(4)  # call-arg
nn.Linear("4", 3)  # arg-type
nn.Linear(4, 3, biass=True)  # call-arg
nn.functional.rellu(x)  # attr-defined
torch.zeros(2, dtype="float32")  # arg-type
optim.Adam(lr=0.1)  # call-arg
optim.SGD([x], lr="0.1")  # arg-type
number: int = x.max()  # assignment
both: torch.Tensor = x.max(dim=0)  # assignment
x.sort().valeus  # attr-defined
torch.save(x)  # call-arg
Normal(0.0, 1.0).log_probs(x)  # attr-defined
DataLoader([1, 2], batchsize=2)  # call-arg
torch.manual_seed("0")  # arg-type
size: list[int] = x.shape  # assignment
nn.Sequential(nn.ReLU(), torch.relu)  # call-overload
nn.ReLU()(1)  # arg-type
for name, parameter in nn.Linear(2, 2).named_parameters():
    name.grad  # attr-defined
linear.Liner  # attr-defined


class Numbers(Dataset[int]):
    """The items are numbers, and not what is given back here."""

    def __getitem__(self, index: int) -> str:  # override
        return str(index)
