"""Reductions, scans, histograms and sorting: dtypes of `out`, infinite logarithms."""

import torch

# %% values and places of other dtypes
numbers = torch.tensor([1, 2], dtype=torch.uint8)
wrong = torch.empty(0, dtype=torch.int8), torch.empty(0, dtype=torch.int64)
wrong_places = torch.empty(0, dtype=torch.uint8), torch.empty(0)
torch.mode(numbers, 0, out=wrong)
torch.mode(numbers, 0, out=wrong_places)
torch.kthvalue(numbers, 1, 0, out=wrong)
torch.kthvalue(numbers, 1, 0, out=wrong_places)
torch.median(numbers, 0, out=wrong)
torch.nanmedian(numbers, 0, out=wrong_places)
torch.topk(numbers, 1, 0, out=wrong)
torch.topk(numbers, 1, 0, out=wrong_places)
torch.sort(numbers, 0, out=wrong)

# %% histograms
torch.histogram(torch.ones(3), bins=3, range=(0.0, 1.0), weight=torch.ones(3).double())
torch.histogram(torch.ones(3), bins=torch.ones(3).double())
torch.histogram(torch.ones(3), bins=torch.ones(3), weight=torch.ones(4))
torch.histogram(torch.ones(3, 2), bins=2, weight=torch.ones(2, 3))

# %% a hash of everything
torch.hash_tensor(torch.tensor([1, 2]), None)

# %% logarithms of complex sums, with infinite parts
inf, nan = float("inf"), float("nan")
torch.logcumsumexp(torch.tensor([complex(-1e3, 1e3), complex(inf, -inf)]), 0)
torch.logcumsumexp(torch.tensor([complex(inf, 0), complex(inf, -inf), complex(nan), 1.0]), 0)
torch.logcumsumexp(torch.tensor([complex(inf, 2), complex(-inf, 3), 1.0, complex(inf)]), 0)
torch.logcumsumexp(torch.tensor([complex(inf, 2), complex(inf, 3), 1.0, complex(inf)]), 0)
torch.logcumsumexp(torch.tensor([complex(-inf, 2), complex(-inf, 3), 1.0, complex(inf)]), 0)
torch.logcumsumexp(torch.tensor([complex(nan, 2), complex(-inf, 3), 1.0, complex(inf)]), 0)
torch.logcumsumexp(torch.tensor(2 + 1j), 0)

# %% where to cut
torch.tensor_split(torch.ones(3), torch.tensor(1.5))
torch.tensor_split(torch.ones(3), torch.tensor([[1]]))
torch.tensor(2).unsafe_split(2, dim=5)
torch.tensor(2).unsafe_split_with_sizes([2], dim=5)

# %% which of two faults
torch.mean(torch.ones(3), 5, out=torch.zeros(3, dtype=torch.bool))

# %% the spread of one infinite number
torch.std(torch.tensor(float("inf")), 0, out=torch.zeros((), dtype=torch.float64))
torch.var_mean(torch.tensor(float("inf")), 0, correction=0)

# %% a loss of integers
whole = torch.tensor([[1, 0], [0, 1]])
torch.nn.functional.margin_ranking_loss(whole, whole, target=whole)
torch.nn.functional.margin_ranking_loss(whole, whole, target=whole, reduction="none", margin=1)

# %% an axis that a tensor without axes lacks
torch.quantile(torch.tensor(1.), 0.5, dim=1)
torch.nanquantile(torch.tensor(1.), 0.5, dim=-2)
torch.nanquantile(torch.tensor(1.), 0.5, dim=-1, keepdim=True)

# %% an axis under two words
torch.sum(torch.ones(2, 2), dim=0, axis=0)
torch.ones(2, 2).mean(dim=0, axis=0)
torch.prod(torch.ones(2, 2), dim=0, keepdim=True, keepdims=True)

# %% what is joined to differences that are not taken
torch.diff(torch.ones(3), n=0, prepend=torch.ones(2, 2))
torch.diff(torch.ones(3), n=0, append=torch.ones(2, 2))
torch.diff(torch.ones(3), n=0, prepend=torch.ones(1))

# %% a histogram with one tensor for both results
torch.histogram(torch.rand(4), 3, out=(torch.zeros(3),))

# %% means of integers, whatever they go into
torch.mean(torch.arange(3), out=torch.zeros(0)), torch.mean(torch.arange(3), dim=0, out=torch.zeros(0))
torch.mean(torch.arange(3), dim=None, out=torch.zeros(0))
torch.mean(torch.arange(3), out=torch.zeros(0, dtype=torch.int64))
