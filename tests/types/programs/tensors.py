"""Tensors: indexing, results with names, `out=`, numbers, NumPy, files, devices."""
import cygrad as torch
import numpy as np


def main() -> None:
    """Each of them once."""
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    row: torch.Tensor = x[0]
    block: torch.Tensor = x[:, 1:3]
    picked: torch.Tensor = x[x > 3]
    x[0, 0], x[..., -1] = 5, torch.zeros(3)
    values, places = x.max(dim=1)
    found = torch.topk(x, k=2, dim=1, largest=True)
    top: torch.Tensor = found.values + found.indices
    rows, columns = torch.where(x > 3)
    chosen: torch.Tensor = torch.where(x > 3, x, 0.0)
    where: tuple[torch.Tensor, ...] = torch.nonzero(x, as_tuple=True)
    out = torch.empty(3, 4)
    same: torch.Tensor = torch.add(x, 1, out=out)
    assert row.shape == (4,) and block.shape == (3, 2) and picked.dim() == 1 and same is out
    assert values.shape == places.shape == (3,) and top.shape == (3, 2) and rows.shape == columns.shape
    assert chosen.shape == x.shape and len(where) == 2
    size: torch.Size = x.size()
    count: int = size[0] * x.size(1) + x.numel() + len(x) + x.stride(0)
    number: float = x.sum().item() + float(x.mean())
    array: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = x.numpy()
    back: torch.Tensor = torch.from_numpy(array)
    assert count == 12 + 12 + 3 + 4 and number > 0 and back.shape == x.shape
    a, b = torch.split(x, [1, 2])
    joined: torch.Tensor = torch.cat([a, b], dim=0) if a is not b else torch.stack((a, b))
    product: torch.Tensor = x @ x.T + torch.einsum("ij,kj->ik", x, x)
    u, s, vh = torch.linalg.svd(product)
    q, r = torch.linalg.qr(product)
    assert joined.shape == x.shape and u.shape == vh.shape == q.shape == r.shape and s.dim() == 1
    kind: torch.dtype = x.double().dtype
    place: torch.device = x.to("cpu", torch.float16).device
    spectrum: torch.Tensor = torch.fft.rfft(torch.ones(4)).abs()
    steady: torch.Tensor = torch.special.expit(torch.zeros(2)).add_(1).clamp_(max=2)
    assert kind is torch.float64 and place.type == "cpu" and spectrum.shape == (3,) and steady.dim() == 1
    moments: tuple[torch.Tensor, torch.Tensor] = torch.std_mean(x)
    pieces: list[list[float]] = x.tolist()
    for each in x.unbind(0):
        assert each.shape == (4,)
    assert len(moments) == 2 and len(pieces) == 3 and bool((x == x).all()) and not torch.cuda.is_available()
