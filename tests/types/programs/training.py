"""A network that is trained: losses, an optimiser with groups, a schedule, clipping, a checkpoint."""
import io
from typing import Any

import cygrad as torch
from cygrad import nn, optim
from cygrad.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, ReduceLROnPlateau, StepLR


class Net(nn.Module):
    """Two layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, width)
        self.second = nn.Linear(width, 1, bias=False, dtype=torch.float32)
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One number for each row."""
        hidden: torch.Tensor = torch.relu(self.first(x))
        return self.second(hidden)


def main() -> None:
    """A few steps."""
    torch.manual_seed(0)
    model = Net(8).to(torch.float32).train()
    groups: list[dict[str, Any]] = [
        {"params": list(model.first.parameters())}, {"params": model.second.parameters(), "lr": 0.2}]
    optimizer = optim.SGD(groups, lr=0.1, momentum=0.9, nesterov=True)
    schedule = StepLR(optimizer, step_size=2, gamma=0.5)
    loss_of = nn.MSELoss()
    x, y = torch.randn(16, 2), torch.randn(16, 1)
    losses: list[float] = []
    for _ in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss: torch.Tensor = loss_of(model(x), y)
        loss.backward()
        norm: torch.Tensor = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        assert norm.item() >= 0
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    rates: list[float] = schedule.get_last_lr()
    assert len(rates) == 2 and optimizer.param_groups[0]["lr"] == rates[0] and losses[-1] < losses[0]
    first: torch.Tensor = model.first.weight
    nn.init.zeros_(model.first.bias)
    names: dict[str, nn.Parameter] = dict(model.named_parameters())
    assert names["first.weight"] is first and isinstance(model.eval(), Net)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    model.load_state_dict(torch.load(file))
    adam = optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1)

    def closure() -> torch.Tensor:
        adam.zero_grad()
        found: torch.Tensor = loss_of(model(x), y)
        found.backward()
        return found

    value: torch.Tensor = adam.step(closure)
    for each in (CosineAnnealingLR(adam, T_max=3), LambdaLR(adam, lambda epoch: 0.9 ** epoch)):
        each.step()
    ReduceLROnPlateau(adam, patience=1).step(float(value))
