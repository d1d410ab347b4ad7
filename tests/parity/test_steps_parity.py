"""If one of these fails, several writes to one place of a 16-bit tensor are rounded otherwise than in PyTorch.

PyTorch's `index_add`, `index_put`, `put_` and `index_reduce` round after each step on the CPU, `scatter_add` and
`scatter_reduce` once; `index_add` along the first or last of several axes is a `scatter_add`. Rows that PyTorch adds by
vectors (`index_add` with alpha, rows of 32 elements and more) are not drawn: it rounds alpha's product elsewhere only.
`python tests/parity/test_steps_parity.py FIRST LAST` counts what differs on these seeds.
"""
import random
import sys
from math import prod

import cygrad
import pytest
import torch

DTYPES = ("float16", "bfloat16")


class Draw:
    """One draw as both libraries have it: a tensor, its axis, what is added to it, and places."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.dtype = self.random.choice(DTYPES)
        rank = self.random.choice((1, 1, 2, 2, 3))
        self.shape = tuple(self.random.randrange(1, 6) for _ in range(rank))
        self.dim, self.count = self.random.randrange(rank), self.random.choice((3, 8, 30))
        self.wide = (*self.shape[:self.dim], self.count, *self.shape[self.dim + 1:])
        self.alpha = self.random.choice((1, 1, 2, 0.3, -1.7))
        self.include = self.random.random() < 0.5
        self.turned = [len(self.shape) > 1 and self.random.random() < 0.3 for _ in range(2)]
        size = self.shape[self.dim]
        self.numbers = {
            "x": self.floats(self.shape), "src": self.floats(self.wide), "line": self.floats((self.count,)),
            "rows": self.floats((self.count, *self.shape[1:])),
            "index": self.places((self.count,), size), "places": self.places(self.wide, size),
            "first": self.places((self.count,), self.shape[0]), "flat": self.places((self.count,), prod(self.shape))}

    def floats(self, shape):
        draw = self.random
        return shape, [draw.choice((draw.uniform(-3, 3), draw.uniform(-300, 300), draw.randrange(-5, 5) * 0.5))
                       for _ in range(prod(shape))]

    def places(self, shape, size):
        return shape, [self.random.randrange(size) for _ in range(prod(shape))]

    def tensors(self, m):
        """The operands by name, as tensors of library `m`."""
        made = {name: m.tensor(values).reshape(shape) for name, (shape, values) in self.numbers.items()}
        made = {name: t.to(getattr(m, self.dtype)) if t.is_floating_point() else t for name, t in made.items()}
        for name, turned in zip(("x", "src"), self.turned):
            if turned:
                made[name] = made[name].transpose(0, 1).contiguous().transpose(0, 1)
        made["spread"] = made["index"].reshape(-1, *[1] * (len(self.shape) - self.dim - 1)).expand(self.wide)
        return made


def gradient(of, by):
    """A call that gives the gradient in x of `of(m, d, x, t)`, backwards from the operand `by`."""
    def call(m, d, t):
        x = t["x"].clone().requires_grad_()
        out = of(m, d, x, t)
        out.backward(t[by].reshape(out.shape))
        return x.grad
    return call


def reducing(name, index, reduce):
    return lambda m, d, t: getattr(t["x"], name)(d.dim, t[index], t["src"], reduce, include_self=d.include)


CALLS = {
    "index_add": lambda m, d, t: t["x"].index_add(d.dim, t["index"], t["src"], alpha=d.alpha),
    "index_add int32": lambda m, d, t: t["x"].index_add(d.dim, t["index"].int(), t["src"]),
    "index_add_": lambda m, d, t: t["x"].clone().index_add_(d.dim, t["index"], t["src"], alpha=d.alpha),
    "scatter_add": lambda m, d, t: t["x"].scatter_add(d.dim, t["places"], t["src"]),
    "scatter_add of one index": lambda m, d, t: t["x"].scatter_add(d.dim, t["spread"], t["src"]),
    "scatter add": lambda m, d, t: t["x"].scatter(d.dim, t["places"], t["src"], reduce="add"),
    "scatter multiply": lambda m, d, t: t["x"].scatter(d.dim, t["places"], t["src"], reduce="multiply"),
    "index_put": lambda m, d, t: t["x"].index_put((t["first"],), t["rows"], accumulate=True),
    "index_put of a number": lambda m, d, t: t["x"].index_put((t["first"],), t["x"].new_tensor(.3), accumulate=True),
    "index_put_": lambda m, d, t: t["x"].clone().index_put_((t["first"],), t["rows"], accumulate=True),
    "put_": lambda m, d, t: t["x"].clone().put_(t["flat"], t["line"], accumulate=True),
    "x[index] backwards": gradient(lambda m, d, x, t: x[t["first"]], "rows"),
    "index_select backwards": gradient(lambda m, d, x, t: x.index_select(d.dim, t["index"]), "src"),
    "gather backwards": gradient(lambda m, d, x, t: x.gather(d.dim, t["places"]), "src"),
    "take backwards": gradient(lambda m, d, x, t: x.take(t["flat"]), "line"),
    "embedding backwards": gradient(
        lambda m, d, x, t: m.nn.functional.embedding(t["first"], x) if x.dim() == 2 else x[t["first"]], "rows"),
    **{f"index_reduce {r}": reducing("index_reduce", "index", r) for r in ("prod", "mean", "amax", "amin")},
    **{f"scatter_reduce {r}": reducing("scatter_reduce", "places", r) for r in ("sum", "prod", "mean", "amax", "amin")},
}


def differs(name, seed):
    """Whether a call's values differ; not where PyTorch refuses its own call (`index_reduce` of one element)."""
    draw = Draw(seed)
    try:
        expected = CALLS[name](torch, draw, draw.tensors(torch))
    except RuntimeError as error:
        assert "INTERNAL ASSERT" in str(error)
        return False
    found = CALLS[name](cygrad, draw, draw.tensors(cygrad))
    return not torch.equal(torch.tensor(found.double().tolist()).nan_to_num(7.),
                           torch.tensor(expected.double().tolist()).nan_to_num(7.))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_16_bit_writes_to_one_place_are_rounded_as_in_pytorch(name):
    assert [seed for seed in range(40) if differs(name, seed)] == []


if __name__ == "__main__":
    seeds = range(int(sys.argv[1]), int(sys.argv[2]))
    for each in CALLS:
        print(each, sum(differs(each, seed) for seed in seeds), "of", len(seeds))
