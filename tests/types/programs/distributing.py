"""Distributions, transforms, divergences; processes, mixed precision, profiling and other parts."""
import cygrad as torch
import cygrad.distributed as dist
from cygrad import amp
from cygrad.distributions import (AffineTransform, Categorical, Distribution, Independent, Normal,
                                  TransformedDistribution, constraints, kl_divergence)
from cygrad.utils.benchmark import Timer


def entropy_of(distribution: Distribution) -> torch.Tensor:
    """Of any of them."""
    return distribution.entropy()


def main() -> None:
    """Each of them once."""
    normal = Normal(torch.zeros(3), 1.0)
    sample: torch.Tensor = normal.rsample((2,))
    density: torch.Tensor = normal.log_prob(sample)
    mean: torch.Tensor = normal.mean + normal.variance
    shape: torch.Size = normal.batch_shape
    wider: Normal = normal.expand((2, 3))
    assert density.shape == sample.shape == wider.batch_shape and mean.shape == shape
    kinds = Categorical(logits=torch.zeros(4))
    assert kinds.probs.shape == (4,) and kinds.sample().item() in range(4)
    joint = Independent(normal, 1)
    assert joint.event_shape == (3,) and kl_divergence(normal, wider).shape == (2, 3)
    moved = TransformedDistribution(normal, [AffineTransform(1.0, 2.0)])
    check: torch.Tensor = constraints.positive.check(torch.ones(2))
    assert moved.sample().shape == (3,) and bool(check.all()) and entropy_of(normal).shape == (3,)
    scaler = amp.GradScaler("cpu", enabled=False)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=True):
        product: torch.Tensor = torch.ones(2, 2) @ torch.ones(2, 2)
    scaled: torch.Tensor = scaler.scale(product)
    assert scaled.dtype is torch.bfloat16
    available: bool = dist.is_available() and not dist.is_initialized()
    assert available in (True, False)
    timer = Timer("x + 1", globals={"x": torch.ones(1)})
    assert timer.timeit(1).median >= 0
    generator: torch.Generator = torch.Generator(device="cpu")
    drawn: torch.Tensor = torch.randn(2, 3, generator=generator, device="cpu", dtype=torch.float64)
    threads: int = torch.get_num_threads()
    assert drawn.shape == (2, 3) and threads >= 1
