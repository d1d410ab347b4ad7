"""Parametrizations: orthogonal weights, and weights by length and direction or over their largest singular value."""
import cygrad
from cygrad import Tensor
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module
from cygrad.nn.utils import parametrize
from cygrad.nn.utils.spectral_norm import outputs_axis

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _weight_of(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


# ------------------------------------------------------------------ orthogonal

def _is_orthogonal(q):
    rows, columns = q.shape[-2:]
    identity = cygrad.eye(columns, dtype=q.dtype, device=q.device)
    return cygrad.allclose(q.mH @ q, identity, atol=10.0 * rows * cygrad.finfo(q.dtype).eps)


def _make_orthogonal(a):
    """Q of A = QR, with the signs that make the diagonal of R positive."""
    q, r = cygrad.linalg.qr(a)
    return q.mul_(r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2))


def _reflectors(q):
    """Vectors v (unit lower triangular) and tau so that the reflections 1 - tau v v^T make up an orthogonal Q.

    The i-th takes away what is below the diagonal in column i, after those before it.
    """
    rest, columns = q.clone(), q.size(-1)
    v, tau = cygrad.zeros_like(q), q.new_zeros(*q.shape[:-2], columns)
    for i in range(columns):
        x = rest[..., i:, i]
        head, tail = x[..., 0], x[..., 1:]
        norm = cygrad.linalg.vector_norm(x, dim=-1)
        beta = cygrad.where(head < 0, norm, -norm)
        flat = (tail == 0).all(-1)
        below = cygrad.where(flat, cygrad.ones_like(head), head - beta)
        v[..., i, i] = 1
        v[..., i + 1:, i] = tail / below.unsqueeze(-1)
        tau[..., i] = cygrad.where(flat, cygrad.zeros_like(head), (beta - head) / beta)
        vector = v[..., i:, i]
        along = (vector.unsqueeze(-2) @ rest[..., i:, :]) * tau[..., i, None, None]
        rest[..., i:, :] -= vector.unsqueeze(-1) * along
    return v, tau, rest.diagonal(dim1=-2, dim2=-1)


def _product_of_reflections(below):
    """The first columns of the product of 1 - tau v v^T, for v with ones above what is given, and tau = 2 / |v|^2.

    It is 1 - V T V^T, where T is triangular and its inverse has the products of the vectors (Joffrain et al., 2006).
    """
    n, k = below.shape[-2:]
    identity = cygrad.eye(n, k, dtype=below.dtype, device=below.device)
    v = below + identity
    inverse = (v.mT @ v).triu(1) + cygrad.diag_embed((v * v).sum(-2) / 2)
    return identity - v @ cygrad.linalg.solve_triangular(inverse, v[..., :k, :].mT, upper=True)


class _Orthogonal(Module):
    """An orthogonal matrix by a map from all matrices, times one that is kept (`base`), unless it is the map alone."""

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x):
        wide = x.size(-2) < x.size(-1)
        x = x.mT if wide else x
        q = self._by_reflections(x) if self.orthogonal_map == "householder" else self._of_skew(x)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if wide else q

    def _of_skew(self, x):
        """The exponential, or the Cayley map, of the skew-symmetric matrix with x below its diagonal."""
        n, k = x.shape[-2:]
        x = x.tril()
        if n != k:
            x = cygrad.cat([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], dim=-1)
        a = x - x.mH
        if self.orthogonal_map == "matrix_exp":
            q = cygrad.matrix_exp(a)
        else:
            identity = cygrad.eye(n, dtype=a.dtype, device=a.device)
            q = cygrad.linalg.solve(cygrad.add(identity, a, alpha=-0.5), cygrad.add(identity, a, alpha=0.5))
        return q[..., :k] if n != k else q

    def _by_reflections(self, x):
        """Reflections with x below their diagonals; the signs on x's diagonal are those of the columns."""
        q = _product_of_reflections(x.tril(diagonal=-1))
        return q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @cygrad.no_grad()
    def right_inverse(self, q):
        if q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                             f"{q.shape}.")
        given, wide = q, q.size(-2) < q.size(-1)
        q = q.mT if wide else q
        if not hasattr(self, "base"):
            return self._reflections_of(q, wide)
        n, k = q.shape[-2:]
        if n != k:
            q = cygrad.cat([q, cygrad.randn(*q.shape[:-2], n, n - k, dtype=q.dtype, device=q.device)], dim=-1)
        self.base = q.clone() if n == k and _is_orthogonal(q) else _make_orthogonal(q)
        minus_identity = cygrad.zeros_like(given)
        minus_identity.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return minus_identity

    def _reflections_of(self, q, wide):
        if self.orthogonal_map != "householder":
            raise NotImplementedError("It is not possible to assign to the matrix exponential or the Cayley "
                                      "parametrizations when use_trivialization=False.")
        v, tau, diagonal = _reflectors(q)
        x = v.tril(-1)
        x.diagonal(dim1=-2, dim2=-1).copy_(diagonal.sign() * cygrad.where(tau == 0.0, -1.0, 1.0).to(q.dtype))
        return x.mT if wide else x


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Let a matrix be orthogonal: its columns (or rows, if these are fewer) are orthonormal.

    Parameters
    ----------
    module : Module
    name : str
        Of a parameter that is a matrix, or a batch of them.
    orthogonal_map : str, optional
        "matrix_exp", "cayley" or "householder"; by default the first for square and complex matrices, else the last.
    use_trivialization : bool
        Whether the matrix is one that is kept times what the map gives (Lezcano-Casado, 2019).

    Returns
    -------
    Module
        The same.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.utils.parametrizations.orthogonal(cygrad.nn.Linear(20, 3))
    >>> cygrad.dist(layer.weight @ layer.weight.T, cygrad.eye(3)) < 1e-5
    tensor(True)
    """
    weight = _weight_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError('orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
                         f"{orthogonal_map}")
    found = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, found, unsafe=True)


# ----------------------------------------------------------------- weight norm

class _WeightNorm(Module):
    """A weight by its length (along all axes but one) and direction."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return cygrad._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return cygrad.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Let a weight be a length times a direction (Salimans and Kingma, 2016).

    Parameters
    ----------
    module : Module
    name : str
    dim : int or None
        The axis whose places have a length each; None for one length in all.

    Returns
    -------
    Module
        The same; `parametrizations.weight.original0` is the length, `original1` the direction.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict, prefix, *rest):
        """Take files with the names of the older form."""
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for place, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{place}"] = state_dict.pop(key)
    module._register_load_state_dict_pre_hook(rename)
    return module


# --------------------------------------------------------------- spectral norm

class _SpectralNorm(Module):
    """A weight divided by u^T W v, where u and v get closer to the singular vectors at each call in training."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.dim = dim if dim >= 0 else dim + rank
        self.eps = eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._as_matrix(weight)
            rows, columns = matrix.size()
            u, v = matrix.new_empty(rows).normal_(0, 1), matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", self._unit(u))
            self.register_buffer("_v", self._unit(v))
            self._power_method(matrix, 15)

    def _unit(self, vector):
        return F.normalize(vector, dim=0, eps=self.eps)

    def _as_matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *[axis for axis in range(weight.dim()) if axis != self.dim])
        return weight.flatten(1)

    @cygrad.no_grad()
    def _power_method(self, matrix, steps):
        for _ in range(steps):
            self._u.copy_(self._unit(cygrad.mv(matrix, self._v)))
            self._v.copy_(self._unit(cygrad.mv(matrix.H, self._u)))

    def forward(self, weight):
        if weight.ndim == 1:
            return self._unit(weight)
        matrix = self._as_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()     # a later call changes them in place
        return weight / cygrad.vdot(u, cygrad.mv(matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Let a weight be divided by its largest singular value (Miyato et al., 2018).

    Parameters
    ----------
    module : Module
    name : str
    n_power_iterations : int
        Steps of the power method at each call in training.
    eps : float
        What norms are at least.
    dim : int, optional
        The axis of the outputs; 0 by default, and 1 for transposed convolutions.

    Returns
    -------
    Module
        The same.
    """
    weight = _weight_of(module, name)
    dim = outputs_axis(module) if dim is None else dim
    return parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
