"""Linear algebra: what is refused, in which words, and the dtypes of `out`."""

import torch

# %% pivots beside the matrix
LU, pivots = torch.linalg.lu_factor(torch.eye(2).expand(3, 2, 2))
pivots[0] = 0
torch.linalg.lu_solve(LU, pivots, torch.ones(3, 2, 2))
pivots[0] = 3
torch.linalg.lu_solve(LU, pivots, torch.ones(3, 2, 2))
torch.lu_solve(torch.ones(3, 2, 2), LU, pivots)

# %% tolerances and dtypes
torch.linalg.matrix_rank(torch.eye(2), out=torch.tensor(False))
torch.linalg.matrix_rank(torch.eye(2), out=torch.tensor(0.0))
torch.linalg.pinv(torch.eye(2), rtol=torch.tensor(1j))
torch.linalg.pinv(torch.eye(2), torch.tensor(1j))
torch.slogdet(torch.eye(2).bfloat16())
torch.logdet(torch.eye(2).half())
torch.linalg.det(torch.eye(2).half())
torch.linalg.matrix_norm(torch.eye(2), ord=2 + 0j)
torch.linalg.norm(torch.eye(2), ord=2 + 0j)

# %% out= of solvers and eigenvectors
system = torch.ones(2, 1), torch.eye(2)
tuple(torch.triangular_solve(*system, out=(torch.empty(0), torch.empty(0))))
torch.triangular_solve(*system, out=(torch.empty(0), torch.empty(0, dtype=torch.int64)))
torch.linalg.eig(torch.eye(2), out=(torch.empty(0, dtype=torch.complex64), torch.empty(0)))
torch.linalg.eig(torch.eye(2), out=(torch.empty(0), torch.empty(0, dtype=torch.complex64)))
wide = torch.empty(0, dtype=torch.complex128), torch.empty(0, dtype=torch.complex64)
torch.linalg.eig(torch.eye(2), out=wide).eigenvalues
torch.nuclear_norm(torch.eye(2), out=torch.empty(0))
torch.nuclear_norm(torch.eye(2), (0, 1), out=torch.empty(0))

# %% products of one or no matrix
torch.chain_matmul(torch.eye(2))
torch.chain_matmul()
torch.einsum("", [])
torch.addr(torch.tensor(1.0), torch.ones(2).half(), torch.ones(2).half(), beta=0.5, alpha=2)

# %% residuals without unknowns
[t.shape for t in torch.linalg.lstsq(torch.ones(2, 1, 0), torch.ones(2, 1, 0), driver="gelsd")]
[t.shape for t in torch.linalg.lstsq(torch.ones(2, 1, 0), torch.ones(2, 1, 3), driver="gelsy")]

# %% each step of addr is rounded in 16 bits
ones = torch.arange(1, 40) / 7
(ones.outer(ones) / 3).half().addr(ones.half(), ones.half(), beta=0.3, alpha=1.7).tolist()
(ones.outer(ones) / 3).bfloat16().addr(ones.bfloat16(), ones.bfloat16(), beta=0.5, alpha=2).tolist()

# %% a bias with NaN in one part is added, not multiplied
half_known = torch.tensor([complex(1, float("nan"))])
torch.nn.functional.linear(torch.ones(3, 2, dtype=torch.complex64), torch.ones(1, 2, dtype=torch.complex64), half_known)
torch.addmm(half_known, torch.ones(3, 2, dtype=torch.complex64), torch.ones(2, 1, dtype=torch.complex64), alpha=2)
torch.addmm(half_known, torch.ones(3, 2, dtype=torch.complex64), torch.ones(2, 1, dtype=torch.complex64), beta=2)

# %% singular and empty matrices, factors that are not wanted
torch.lu(torch.zeros(2, 2)), torch.tensor([[1., 2.], [2., 4.]]).lu()
torch.linalg.lu_factor_ex(torch.ones(0, 3), pivot=False), torch.linalg.lu(torch.ones(0, 3, 3), pivot=False)
torch.linalg.lu(torch.ones(3, 3), pivot=False)
u, s, v = torch.tensor([[1 + 2j, 3], [0, 1j]]).svd(compute_uv=False)
u, s, v, v.is_conj(), u._version, v._version
torch.svd(torch.eye(3), out=[torch.zeros(0, dtype=torch.float64) for _ in range(3)])
torch.qr(torch.eye(3), out=[torch.zeros(0, dtype=torch.float64) for _ in range(2)])

# %% norms of the parts along one axis, Fourier transforms of real numbers into `out`
x = torch.arange(12.).view(2, 2, 3).requires_grad_()
for dim in range(3):
    norms = torch.norm_except_dim(x, dim=dim)
    print(norms.stride(), type(norms.grad_fn).__name__)
out = torch.empty(0, dtype=torch.complex64)
torch.fft.ifft(x, out=out).requires_grad, type(out.grad_fn).__name__
torch.fft.ihfft(x.detach(), out=torch.empty(0, dtype=torch.complex64).requires_grad_())

# %% batches of least squares
torch.linalg.lstsq(torch.ones(3, 4, 2), torch.ones(4, 1))  # types
torch.linalg.lstsq(torch.eye(4, 2).repeat(4, 1, 1), torch.ones(4, 5))[0].shape
torch.linalg.lstsq(torch.eye(4, 2)[None], torch.ones(4, 5))[0].shape
