"""If one of these fails, compressed gradients or weights that are averaged now and then end on other values."""
import json

import pytest
from extras import need_mpi
from ranks import succeeded
from test_data_parallel import TRAINING

import cygrad
import cygrad.distributed as dist
from cygrad.distributed.algorithms.ddp_comm_hooks import DDPCommHookType, register_ddp_comm_hook
from cygrad.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, orthogonalize, powerSGD_hook
from cygrad.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from cygrad.distributed.algorithms.model_averaging.hierarchical_model_averager import HierarchicalModelAverager
from cygrad.distributed.algorithms.model_averaging.utils import get_params_to_average
from cygrad.distributed.collective_utils import all_gather, broadcast
from cygrad.distributed.elastic.multiprocessing.errors import record
from cygrad.distributed.optim import PostLocalSGDOptimizer

pytestmark = pytest.mark.slow         # `tox` has the collectives and the models; these start ranks by the dozen


@pytest.fixture
def alone():
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_full_rank_is_no_compression(tmp_path):
    """P and Q of as many columns as the matrix has hold all of it: weights end on those of one process."""
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + """
    from cygrad.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power
    for hook in (power.powerSGD_hook, power.batched_powerSGD_hook):
        for options in ({}, {"use_error_feedback": False, "warm_start": False}):
            model = DDP(network(), bucket_cap_mb=0.001)
            state = power.PowerSGDState(None, 1000, 2, 1e-9, **options)
            model.register_comm_hook(state, hook)
            trained(model, part)
            close(model, alone, 1e-7)
            equal_bits(model)
            assert state.iter == 5 and state.compression_stats()[1] == 3 * sum(p.numel() for p in model.parameters())
    """)


def test_what_is_left_out_comes_later(alone):
    """One column of a constant gradient is sent at a time; by error feedback the sum over steps is all of it."""
    layer = cygrad.nn.Linear(16, 12, bias=False)
    model = cygrad.nn.parallel.DistributedDataParallel(layer)
    state = PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=2)
    model.register_comm_hook(state, powerSGD_hook)
    cygrad.manual_seed(0)
    wanted, total, steps = cygrad.randn(12, 16), cygrad.zeros(12, 16), 150
    for step in range(2 + steps):
        layer.weight.grad = None
        (model(cygrad.eye(16)).t() * wanted).sum().backward()
        if step < 2:
            assert cygrad.allclose(layer.weight.grad, wanted)
        else:
            assert cygrad.linalg.matrix_rank(layer.weight.grad, rtol=1e-4) == 1
            total += layer.weight.grad
    assert (total / steps - wanted).norm() < 0.2 * wanted.norm()
    assert state.compression_stats() == (pytest.approx(12 * 16 / 28), 12 * 16 * steps, 28 * steps)


@pytest.mark.parametrize("epsilon", [0, 1e-12])
def test_columns_become_orthonormal(epsilon):
    matrix = cygrad.randn(9, 4, dtype=cygrad.float64, generator=cygrad.Generator().manual_seed(3))
    before = matrix.clone()
    orthogonalize(matrix, epsilon)
    assert cygrad.allclose(matrix.t() @ matrix, cygrad.eye(4, dtype=cygrad.float64))
    assert cygrad.allclose(matrix @ (matrix.t() @ before), before)


def test_states(alone):
    with pytest.raises(ValueError, match="Expect `start_powerSGD_iter` > 1"):
        PowerSGDState(None, start_powerSGD_iter=1)
    import pickle
    state = PowerSGDState(dist.group.WORLD, start_powerSGD_iter=7)
    copied = pickle.loads(pickle.dumps(state))
    assert copied.start_powerSGD_iter == 7 and copied.process_group is None
    model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(2, 2))
    register_ddp_comm_hook(DDPCommHookType.BATCHED_POWER_SGD_RANK2, model)
    assert model.reducer.hook_state.matrix_approximation_rank == 2


def test_weights_are_averaged_when_it_is_time(tmp_path):
    need_mpi()
    succeeded(tmp_path, 4, """
    from cygrad.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
    from cygrad.distributed.algorithms.model_averaging.hierarchical_model_averager import HierarchicalModelAverager
    from cygrad.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as local
    weight = cygrad.nn.Parameter(cygrad.zeros(3))
    weight.grad = cygrad.ones(3)

    def seen(averager, steps):
        found = []
        for _ in range(steps):
            with cygrad.no_grad():
                weight.fill_(rank)
            averager.average_parameters([weight])
            found.append(weight[0].item())
        return found

    assert seen(PeriodicModelAverager(2, 1), 5) == [rank, 1.5, rank, 1.5, rank]
    pair = rank // 2 * 2 + 0.5
    assert seen(HierarchicalModelAverager({2: 2, 4: 4}, 1), 6) == [rank, rank, pair, rank, 1.5, rank]

    model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(1, 1, bias=False))
    own, _ = dist.new_subgroups(2)
    model.register_comm_hook(local.PostLocalSGDState(None, own, 2), local.post_localSGD_hook)
    found = []
    for _ in range(4):
        model.zero_grad()
        (rank * model(cygrad.ones(1))).sum().backward()
        found.append(model.module.weight.grad.item())
    assert found == [1.5, 1.5, pair, pair], found
    """)


def test_optimizers_that_average(alone):
    model = cygrad.nn.Linear(2, 1)
    optimizer = PostLocalSGDOptimizer(cygrad.optim.SGD(model.parameters(), lr=0.5), PeriodicModelAverager(2))
    before = model.weight.detach().clone()
    model(cygrad.ones(2)).sum().backward()
    optimizer.step()
    assert cygrad.allclose(model.weight, before - 0.5) and optimizer.state_dict()["step"] == 1
    optimizer.load_state_dict(dict(optimizer.state_dict(), step=9))
    assert optimizer.averager.step == 9
    state = optimizer.state_dict()
    del state["step"]
    with pytest.warns(UserWarning, match="does not contain a step counter"):
        optimizer.load_state_dict(state)
    optimizer.zero_grad()
    assert get_params_to_average(optimizer.param_groups) == [] and optimizer.averager.step == 0


@pytest.mark.parametrize("make, words", [
    (lambda: PeriodicModelAverager(0), "``period`` must be a positive"),
    (lambda: PeriodicModelAverager(2, -1), "non-negative"),
    (lambda: HierarchicalModelAverager({}), "must not be empty"),
    (lambda: HierarchicalModelAverager({2: 7}), "must be equal to the size"),
    (lambda: HierarchicalModelAverager({4: 1, 2: 1}), "must grow")])
def test_periods_that_are_none(alone, make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_what_one_rank_finds_out(tmp_path):
    def fails():
        raise OSError("no such thing")

    for call in (broadcast, all_gather):
        with pytest.raises(RuntimeError, match="no such thing") as caught:
            call(fails)
        assert isinstance(caught.value.__cause__, OSError)
    need_mpi()
    succeeded(tmp_path, 2, """
    from cygrad.distributed.collective_utils import all_gather, broadcast
    assert broadcast(lambda: 10 + rank, rank=1, pg=dist.group.WORLD) == 11
    assert all_gather(lambda: 10 + rank, pg=dist.group.WORLD) == [10, 11]
    for call in (lambda: broadcast(lambda: 1 // 0, pg=dist.group.WORLD),
                 lambda: all_gather(lambda: 1 // (rank - 1), pg=dist.group.WORLD)):
        try:
            call()
        except RuntimeError as error:
            assert "division" in str(error) or "zero" in str(error), error
        else:
            raise AssertionError
    """)


def test_failures_are_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))

    @record
    def main(n):
        return 1 / n

    assert main(2) == 0.5 and not (tmp_path / "error.json").exists()
    with pytest.raises(ZeroDivisionError):
        main(0)
    said = json.loads((tmp_path / "error.json").read_text())["message"]
    assert said["message"] == "ZeroDivisionError: division by zero"
    assert "return 1 / n" in said["extraInfo"]["py_callstack"]
