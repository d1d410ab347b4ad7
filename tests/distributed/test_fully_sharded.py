"""If one of these fails, training with divided parameters ends on other weights, or holds more memory than it says."""
import pytest
from extras import need_mpi
from ranks import succeeded
from test_data_parallel import TRAINING

# A network of four divided parts, whose rows don't divide equally, and its whole weights.
SHARDED = TRAINING + """
    from cygrad.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, ShardedParameter, fully_shard

    def sharded(model, **options):
        for layer in model:
            if list(layer.parameters()):
                fully_shard(layer, **options)
        return fully_shard(model, **options)

    def whole(model):
        return [p.full_tensor() for p in model.parameters()]

    def as_alone(model, tolerance=1e-9, other=None):
        for a, b in zip(whole(model), (other or alone).parameters(), strict=True):
            assert cygrad.allclose(a, b, rtol=tolerance, atol=tolerance), (a - b).abs().max()
"""


@pytest.mark.parametrize("ranks", [1, 3, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 4))])
def test_weights_are_those_of_one_process(tmp_path, ranks):
    need_mpi()
    succeeded(tmp_path, ranks, SHARDED + """
    for options in ({}, {"reshard_after_forward": False}, {"reshard_after_forward": True}):
        model = sharded(network(), **options)
        assert isinstance(model, FSDPModule) and isinstance(model, nn.Sequential)
        optimizer = trained(model, part)
        as_alone(model)
        for p in model.parameters():
            first, end = p.rows()
            assert isinstance(p, ShardedParameter) and p.shape[0] == end - first == p.grad.shape[0]
            state = optimizer.state[p]["momentum_buffer"]
            assert state.shape == p.shape
            found = [cygrad.empty_like(p.full_tensor()) for _ in range(size)]
            dist.all_gather(found, p.full_tensor())
            assert all(cygrad.equal(found[0], other) for other in found)
        total = [None] * size
        dist.all_gather_object(total, sum(p.numel() for p in model.parameters()))
        assert sum(total) == sum(p.numel() for p in alone.parameters())
    single = fully_shard(network())             # one part alone
    trained(single, part)
    as_alone(single)
    """)


def test_other_ways_of_training(tmp_path):
    need_mpi()
    succeeded(tmp_path, 3, SHARDED + """
    x, y = (part(each) for each in data())
    # float32 within rounding; Adam
    single = network(cygrad.float32)
    trained(single, lambda values: values, make=lambda p: cygrad.optim.Adam(p), dtype=cygrad.float32)
    model = sharded(network(cygrad.float32))
    trained(model, part, make=lambda p: cygrad.optim.Adam(p), dtype=cygrad.float32)
    as_alone(model, 2e-4, single)

    # gradients gathered over two passes; their norm cut; a factor of one's own
    single, model = network(), sharded(network())
    loss = lambda m, x, y: nn.functional.cross_entropy(m(x), y)
    model.set_requires_gradient_sync(False)
    loss(model, x, y).backward()
    assert all(p.grad is None for p in model.parameters())
    model.set_requires_gradient_sync(True)
    loss(model, x, y).backward()
    both = data()
    (2 * loss(single, *both)).backward()
    for a, b in zip(model.parameters(), single.parameters()):
        first, end = a.rows()
        assert cygrad.allclose(a.grad, b.grad[first:end])
    for kind in (2.0, 1.0, float("inf")):
        one, other = (nn.utils.clip_grad_norm_(m.parameters(), 0.01, kind) for m in (model, single))
        assert cygrad.allclose(one, other), (one, other)
    for a, b in zip(model.parameters(), single.parameters()):
        first, end = a.rows()
        assert cygrad.allclose(a.grad, b.grad[first:end])
        a.grad = None
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.set_gradient_divide_factor(1.0)
    single.zero_grad()
    loss(model, x, y).backward()
    (size * loss(single, *both)).backward()
    for a, b in zip(model.parameters(), single.parameters()):
        first, end = a.rows()
        assert cygrad.allclose(a.grad, b.grad[first:end])

    # 16 bits on the way; evaluation; parameters that are used twice, not at all, or not trained
    model = sharded(network(cygrad.float32), mp_policy=MixedPrecisionPolicy(cygrad.bfloat16, cygrad.float32,
                                                                            cygrad.float32))
    assert model(x.float()).dtype == cygrad.float32
    trained(model, part, dtype=cygrad.float32)
    assert all(p.dtype == p.grad.dtype == cygrad.float32 for p in model.parameters())
    as_alone(model, 0.05, alone.float())
    alone.double()
    with cygrad.no_grad():
        again = sharded(network())
        assert cygrad.allclose(again(x), network()(x))

    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            cygrad.manual_seed(1)
            self.a, self.unused, self.frozen = (nn.Linear(6, 6).double() for _ in range(3))
            self.frozen.requires_grad_(False)
            self.last = nn.Linear(6, 3).double()
            self.tied = nn.Linear(6, 6).double()
            self.tied.weight = self.frozen.weight

        def forward(self, x):
            return self.last(self.a(self.tied(self.frozen(self.a(x).tanh()))))

    single, model = Twice(), Twice()
    for layer in (model.a, model.unused, model.last):
        fully_shard(layer)
    fully_shard(model)
    assert model.tied.weight is model.frozen.weight
    make = lambda p: cygrad.optim.SGD([each for each in p if each.requires_grad], 0.1)
    trained(single, lambda values: values, make=make)
    trained(model, part, make=make)
    as_alone(model, 1e-9, single)
    """)


def test_memory_is_given_back_and_asked_for_ahead(tmp_path):
    need_mpi()
    succeeded(tmp_path, 2, SHARDED + """
    cygrad.manual_seed(0)
    model = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(6)]).double()
    layers = list(model)
    for layer in layers:
        fully_shard(layer)
    fully_shard(model)
    units = [layer._fsdp_unit for layer in layers]
    seen = []

    def look(module, args, *_):
        seen.append([unit.full is not None for unit in units].count(True) + 0.1 * [
            unit.arriving is not None for unit in units].count(True))

    for layer in layers:
        layer[1].register_forward_hook(look)
    x = cygrad.randn(2, 8).double()
    for _ in range(2):
        seen.clear()
        model(x).sum().backward()
    assert seen == [1.1] * 5 + [1.0], seen          # this layer's, and the next one's under way
    assert all(unit.full is None and unit.arriving is None for unit in units)
    layers[0].unshard()
    assert layers[0][0].weight.shape == (8, 8)
    layers[0].reshard()
    assert layers[0][0].weight.shape == (4, 8)

    # an exception in a pass, then passes as ever
    def refuse(module, args):
        raise ValueError("no")
    handle = layers[3].register_forward_pre_hook(refuse)
    try:
        model(x)
    except ValueError:
        handle.remove()
    assert all(unit.full is None for unit in units) and layers[0][0].weight.shape == (4, 8)
    model.zero_grad()
    model(x).sum().backward()

    # a checkpointed layer gathers again what it computes again
    from cygrad.utils.checkpoint import checkpoint
    grads = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    class Checkpointed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(layers)
        def forward(self, x):
            for layer in self.layers:
                x = checkpoint(layer, x, use_reentrant=False)
            return x
    fully_shard(Checkpointed())(x).sum().backward()
    for a, b in zip(grads, model.parameters()):
        assert cygrad.allclose(a, b.grad)
    # changed between the passes
    y = model(x).sum()
    with cygrad.no_grad():
        list(model.parameters())[-2].mul_(2)
    try:
        y.backward()
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
    else:
        raise AssertionError
    """)


def test_a_grid_of_ranks(tmp_path):
    """Parameters are divided along one axis of the grid and kept twice along the other."""
    need_mpi()
    succeeded(tmp_path, 4, SHARDED + """
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "parts"))
    assert repr(mesh) == "DeviceMesh((copies=2, parts=2), 'cpu', stride=(2, 1))"
    assert mesh.get_coordinate() == (rank // 2, rank % 2) and mesh["parts"].get_local_rank() == rank % 2
    assert repr(mesh["parts"]) == "DeviceMesh((parts=2), 'cpu', stride=(1,))" and mesh["parts"].ndim == 1
    assert dist.get_process_group_ranks(mesh.get_group("copies")) == [rank % 2, rank % 2 + 2]
    assert mesh["copies", "parts"] == mesh and mesh.size(0) == 2 and len(mesh.get_all_groups()) == 2
    model = sharded(network(), mesh=mesh)
    trained(model, part)
    as_alone(model)
    model = sharded(network(), mesh=mesh["parts"])      # two networks of their own, each by two ranks
    half = lambda values: values[rank % 2 * 6:rank % 2 * 6 + 6]
    trained(model, half)
    as_alone(model)
    line = dist.init_device_mesh("cpu", (4,))
    assert line.get_group() is dist.group.WORLD and line.get_local_rank() == rank
    """)


def test_refused(tmp_path):
    need_mpi()
    succeeded(tmp_path, 1, """
    from cygrad import nn
    from cygrad.distributed.fsdp import fully_shard

    class Scalar(nn.Module):
        def __init__(self):
            super().__init__()
            self.p = nn.Parameter(cygrad.tensor(1.0))

    done = fully_shard(nn.Linear(2, 2))
    for kind, words, call in (
            (ValueError, "does not support containers that do not implement forward",
             lambda: fully_shard(nn.ModuleList([nn.Linear(2, 2)]))),
            (AssertionError, "can only be applied to a module once", lambda: fully_shard(done)),
            (ValueError, "fully_shard doesn't support scalar parameters. Change p to a 1D",
             lambda: fully_shard(Scalar())),
            (RuntimeError, "Mesh should not be bigger than default world size 1, but found 8 ranks!",
             lambda: dist.init_device_mesh("cpu", (2, 4))),
            (RuntimeError, "same length! Found len(mesh_dim_names): 1 and len(mesh_shape):2.",
             lambda: dist.init_device_mesh("cpu", (1, 1), mesh_dim_names=("a",))),
            (RuntimeError, "Found repeated mesh_dim_name in mesh_dim_names ('a', 'a')",
             lambda: dist.init_device_mesh("cpu", (1, 1), mesh_dim_names=("a", "a"))),
            (RuntimeError, "Device type with index is not supported but got cpu:0.",
             lambda: dist.init_device_mesh("cpu:0", (1,))),
            (RuntimeError, "Found the DeviceMesh have 2 dimensions",
             lambda: dist.init_device_mesh("cpu", (1, 1)).get_group()),
            (RuntimeError, "Cannot slice a DeviceMesh without mesh_dim_names!",
             lambda: dist.init_device_mesh("cpu", (1, 1))["a"]),
            (KeyError, "Invalid mesh_dim_names ('b',) specified",
             lambda: dist.init_device_mesh("cpu", (1, 1), mesh_dim_names=("a", "c"))["b"]),
            (KeyError, "Mesh dim indices should be in ascending order.",
             lambda: dist.init_device_mesh("cpu", (1, 1), mesh_dim_names=("a", "c"))["c", "a"])):
        try:
            call()
        except kind as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)
    """.replace("\\n    ", "\\n"))


def test_axes_of_a_mesh_as_one(tmp_path):
    need_mpi()
    succeeded(tmp_path, 4, """
    mesh = dist.init_device_mesh("cpu", (2, 1, 2), mesh_dim_names=("copies", "lines", "parts"))
    both = mesh["copies", "lines"]._flatten()
    assert both.mesh.tolist() == [rank % 2, rank % 2 + 2] and both.mesh_dim_names == ("copies_lines",)
    assert mesh["copies_lines"] is both and mesh["copies", "lines"]._flatten() is both
    x = cygrad.tensor(float(rank))
    dist.all_reduce(x, group=both.get_group())
    assert x == 2 * (rank % 2) + 2 and both.get_local_rank() == rank // 2
    apart = mesh["copies", "parts"]._flatten("all")
    assert apart.mesh.tolist() == [0, 1, 2, 3] and mesh["all"].size() == 4
    for name in ("parts", "all"):
        try:
            mesh["copies", "lines"]._flatten(name)
        except ValueError as error:
            assert "another valid mesh_dim_name" in str(error)
        else:
            raise AssertionError(name)
    try:
        dist.DeviceMesh.from_group(dist.group.WORLD, "cpu", [[0, 1], [2, 3]])
    except ValueError as error:
        assert "Invalid mesh [[0, 1], [2, 3]] for ProcessGroup with ranks [0, 1, 2, 3]" in str(error)
    else:
        raise AssertionError
    """)
