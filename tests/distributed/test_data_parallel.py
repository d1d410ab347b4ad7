"""If one of these fails, training on several ranks ends on other weights than training in one process."""
import pytest
from extras import need_mpi
from ranks import run, succeeded

import cygrad
import cygrad.distributed as dist

# A network, its data and its training, the same in every rank; `part` is a rank's share of a batch.
TRAINING = """
    from cygrad import nn
    from cygrad.nn.parallel import DistributedDataParallel as DDP

    def network(dtype=cygrad.float64, seed=0):
        cygrad.manual_seed(seed)
        return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3)).to(dtype)

    def data(dtype=cygrad.float64):
        cygrad.manual_seed(7)
        return cygrad.randn(12, 6).to(dtype), cygrad.randint(0, 3, (12,))

    def part(values):
        return values[rank * 12 // size:(rank + 1) * 12 // size]

    def trained(model, share, steps=5, make=lambda p: cygrad.optim.SGD(p, 0.1, momentum=0.9), dtype=cygrad.float64):
        x, y = (share(each) for each in data(dtype))
        optimizer = make(model.parameters())
        for _ in range(steps):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        return optimizer

    def close(one, other, tolerance=1e-9):
        for a, b in zip(one.parameters(), other.parameters()):
            assert cygrad.allclose(a, b, rtol=tolerance, atol=tolerance), (a - b).abs().max()

    def equal_bits(model):
        for each in model.parameters():
            found = [cygrad.empty_like(each) for _ in range(size)]
            dist.all_gather(found, each.detach())
            assert all(cygrad.equal(found[0], other) for other in found)

    alone = network()
    trained(alone, lambda values: values)
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_weights_are_those_of_one_process(tmp_path, ranks):
    need_mpi()
    succeeded(tmp_path, ranks, TRAINING + """
    for options in ({}, {"bucket_cap_mb": 0.0005}, {"gradient_as_bucket_view": True, "bucket_cap_mb": 0.001},
                    {"find_unused_parameters": True}, {"static_graph": True}):
        model = DDP(network(seed=rank), **options) if not options else DDP(network(), **options)
        if not options:
            model.module.load_state_dict(network().state_dict())
        trained(model, part)
        close(model, alone)
        equal_bits(model)
    single = network(cygrad.float32)
    trained(single, lambda values: values, dtype=cygrad.float32)
    model = DDP(network(cygrad.float32))
    trained(model, part, dtype=cygrad.float32)
    close(model, single, 1e-5)
    equal_bits(model)
    """)


def test_parameters_and_buffers_begin_as_those_of_rank_0(tmp_path):
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + """
    cygrad.manual_seed(rank)
    model = DDP(nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4)))
    equal_bits(model)
    assert list(model.state_dict())[0] == "module.0.weight"
    x = part(data(cygrad.float32)[0])
    model(x).sum().backward()
    mean = model.module[1].running_mean.clone()
    model(x).sum().backward()
    found = [cygrad.empty_like(mean) for _ in range(2)]
    dist.all_gather(found, mean)
    assert not cygrad.equal(found[0], found[1])     # each rank's own, until the next pass gives them rank 0's
    model.module[1].momentum = 0.0
    model(x)
    dist.all_gather(found, model.module[1].running_mean)
    assert cygrad.equal(found[0], found[1])
    """)


def test_no_sync_gathers_and_unused_parameters_stay(tmp_path):
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + """
    model, x = DDP(nn.Linear(2, 1, bias=False)), cygrad.full((1, 2), rank + 1.0)
    with model.no_sync():
        model(x).sum().backward()
        assert model.module.weight.grad.tolist() == [[rank + 1.0] * 2]
    model(x).sum().backward()
    assert model.module.weight.grad.tolist() == [[3.0, 3.0]]

    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = (nn.Linear(2, 1, bias=False) for _ in range(3))

        def forward(self, x):
            return self.a(x) if rank == 0 else self.b(x)

    model = DDP(Branches(), find_unused_parameters=True, bucket_cap_mb=0.000001)
    for step in (1, 2):
        model(x).sum().backward()
        a, b, c = (each.weight.grad for each in (model.module.a, model.module.b, model.module.c))
        assert a.tolist() == [[0.5, 0.5]] and b.tolist() == [[1.0, 1.0]] and c is None, (a, b, c)
        model.zero_grad()
    model = DDP(Branches())
    model(x).sum().backward()
    try:
        model(x)
    except RuntimeError as error:
        assert "Expected to have finished reduction in the prior iteration" in str(error)
    else:
        raise AssertionError("unused parameters went by")
    """)


def test_hooks(tmp_path):
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + """
    from cygrad.distributed.algorithms.ddp_comm_hooks import debugging_hooks, default_hooks as hooks
    for hook, tolerance in ((hooks.allreduce_hook, 1e-9), (hooks.fp16_compress_hook, 1e-2),
                            (hooks.bf16_compress_hook, 1e-1),
                            (hooks.fp16_compress_wrapper(hooks.allreduce_hook), 1e-2)):
        model = DDP(network(), bucket_cap_mb=0.001)
        model.register_comm_hook(None, hook)
        trained(model, part)
        close(model, alone, tolerance)
        equal_bits(model)
    seen = []
    def mine(state, bucket):
        state.append((bucket.index(), bucket.is_last(), [g.shape for g in bucket.gradients()], bucket.buffer().shape))
        return debugging_hooks.noop_hook(None, bucket)
    model = DDP(nn.Linear(2, 1))
    model.register_comm_hook(seen, mine)
    model(cygrad.ones(1, 2) * rank).sum().backward()
    assert seen == [(0, True, [(1,), (1, 2)], (3,))] and model.module.weight.grad.tolist() == [[rank, rank]]
    try:
        model.register_comm_hook(None, mine)
    except RuntimeError as error:
        assert "can only be called once" in str(error)
    """)


def test_modules_that_differ(tmp_path):
    need_mpi()
    ended = run(tmp_path, 2, TRAINING + """
    DDP(nn.Linear(2, 1 + rank))
    """)
    assert ended.code and "appears not to match across ranks" in ended.err


def test_refused():
    dist.init_process_group("gloo", rank=0, world_size=1)
    try:
        with pytest.raises(RuntimeError, match="not needed when a module doesn't have any parameter that"):
            cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.ReLU())
        model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(2, 1))
        with pytest.raises(TypeError, match="Communication hook must be callable"):
            model.register_comm_hook(None, 3)
    finally:
        dist.destroy_process_group()


def test_the_sampler_asks_the_group(tmp_path):
    need_mpi()
    lines = succeeded(tmp_path, 2, """
        from cygrad.utils.data import DistributedSampler
        say(str(list(DistributedSampler(range(6), shuffle=False))))
    """)
    assert lines == ["[0, 2, 4]", "[1, 3, 5]"]


def test_ranks_with_different_numbers_of_inputs(tmp_path):
    """Rank r has r + 2 inputs: steps that rank 0 does not make any more are those of the others."""
    need_mpi()
    succeeded(tmp_path, 3, TRAINING + """
    from cygrad.distributed.algorithms.join import Join
    from cygrad.distributed.optim import ZeroRedundancyOptimizer
    x, y = data()
    loss = lambda m, rows: nn.functional.cross_entropy(m(x[rows]), y[rows], reduction="sum")
    for divide, options in ((True, {}), (False, {}), (True, {"find_unused_parameters": True})):
        single = network()
        optimizer = cygrad.optim.SGD(single.parameters(), 0.1, momentum=0.5)
        for step in range(4):
            busy = [r for r in range(3) if step < r + 2]
            optimizer.zero_grad()
            (sum(loss(single, [4 * r + step % 4]) for r in busy) / (3 if divide else len(busy))).backward()
            optimizer.step()
        model = DDP(network(), **options)
        optimizer = ZeroRedundancyOptimizer(model.parameters(), cygrad.optim.SGD, lr=0.1, momentum=0.5)
        with Join([model, optimizer], divide_by_initial_world_size=divide):
            for step in range(rank + 2):
                optimizer.zero_grad()
                loss(model, [4 * rank + step % 4]).backward()
                optimizer.step()
        close(model, single)
        equal_bits(model)
    normed = DDP(nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Linear(4, 3)).double())
    with normed.join():
        for step in range(rank + 1):
            nn.functional.cross_entropy(normed(x[step:step + 5]), y[step:step + 5]).backward()
    found = [cygrad.zeros(4).double() for _ in range(3)]
    dist.all_gather(found, normed.module[1].running_mean)
    assert cygrad.equal(found[0], found[1]) and cygrad.equal(found[0], found[2])
    try:
        with normed.join(throw_on_early_termination=True):
            for step in range(rank + 1):
                nn.functional.cross_entropy(normed(x[:5]), y[:5]).backward()
    except RuntimeError as error:
        assert "Detected at least one rank that exhausted inputs" in str(error)
    else:
        raise AssertionError
    dist.barrier()
    """)


def test_gradients_travel_while_the_backward_pass_goes_on():
    """The last layer's gradients are under way before the first layer's are computed."""
    dist.init_process_group("gloo", rank=0, world_size=1)
    try:
        events, nn = [], cygrad.nn
        layers = nn.Sequential(*[nn.Linear(4, 4) for _ in range(4)])
        model = nn.parallel.DistributedDataParallel(layers, bucket_cap_mb=1e-5)
        reduce = model.reducer.hook

        def hook(state, bucket):
            events.append(f"bucket {bucket.index()}")
            return reduce(state, bucket)

        model.register_comm_hook(None, hook)
        x = cygrad.ones(2, 4, requires_grad=True)
        for number, layer in enumerate(layers):
            layer.weight.register_hook(lambda grad, number=number: events.append(f"layer {number}"))
        model(x).sum().backward()
        assert events.index("bucket 0") < events.index("layer 0"), events
        assert len([event for event in events if event.startswith("bucket")]) > 2
    finally:
        dist.destroy_process_group()


def test_gradients_of_passes_without_synchronisation_count_as_used(tmp_path):
    """A parameter that only an unsynchronised pass of one rank has used gets its mean on all of them."""
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + """
    class Turns(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers, self.turn = nn.ModuleList([nn.Linear(1, 1) for _ in range(4)]), 0

        def forward(self, x):
            self.turn += 1
            return self.layers[2 * rank + self.turn - 1](x)

    model = DDP(Turns(), find_unused_parameters=True)
    with model.no_sync():
        model(cygrad.ones(1)).sum().backward()
    model(cygrad.ones(1)).sum().backward()
    assert [each.grad.tolist() for each in model.parameters()] == [[[0.5]], [0.5]] * 4
    """)


def test_copies_and_other_ways_to_make_one(tmp_path):
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + """
    import copy, io
    model = DDP(network())
    trained(model, part, 2)
    file = io.BytesIO()
    cygrad.save(model, file)
    file.seek(0)
    for other in (copy.deepcopy(model), cygrad.load(file, weights_only=False)):
        trained(other, part, 3)
        equal_bits(other)
    pair = DDP(network(), process_group=dist.new_group())
    try:
        copy.deepcopy(pair)
    except RuntimeError as error:
        assert "DDP Pickling/Unpickling are only supported" in str(error)
    else:
        raise AssertionError("a module of another group was copied")
    static = DDP(network(), device_mesh=dist.init_device_mesh("cpu", (2,)))
    static._set_static_graph()
    trained(static, part)
    close(static, alone)
    try:
        model._set_static_graph()
    except RuntimeError as error:
        assert "should be called before training loop starts" in str(error)
    else:
        raise AssertionError
    """)


@pytest.mark.parametrize("arguments, error, words", [
    ({"device_ids": [0]}, ValueError, "device_ids and output_device arguments only work with"),
    ({"device_ids": [0, 1]}, ValueError, "can only be None or contain a single element"),
    ({"module": cygrad.nn.ReLU()}, RuntimeError, "doesn't have any parameter that requires a gradient"),
    ({"module": cygrad.nn.LazyLinear(2)}, RuntimeError, "Modules with uninitialized parameters")])
def test_what_is_refused(arguments, error, words):
    dist.init_process_group("gloo", rank=0, world_size=1)
    try:
        with pytest.raises(error, match=words):
            cygrad.nn.parallel.DistributedDataParallel(**{"module": cygrad.nn.Linear(2, 2), **arguments})
    finally:
        dist.destroy_process_group()


def test_annotations_of_hooks():
    def good(state, bucket: dist.GradBucket) -> cygrad.futures.Future[cygrad.Tensor]:
        return None

    def other_bucket(state, bucket: int):
        return None

    def other_result(state, bucket) -> int:
        return None

    dist.init_process_group("gloo", rank=0, world_size=1)
    try:
        model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(2, 2))
        with pytest.raises(ValueError, match="bucket annotation should be dist.GradBucket"):
            model.register_comm_hook(None, other_bucket)
        with pytest.raises(ValueError, match="return annotation should be torch.futures.Future"):
            model.register_comm_hook(None, other_result)
        model.register_comm_hook(None, good)
    finally:
        dist.destroy_process_group()


def test_outputs_may_be_ignored():
    dist.init_process_group("gloo", rank=0, world_size=1)
    try:
        nn = cygrad.nn
        layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
        layers.forward = lambda x: layers[0](x)
        model = nn.parallel.DistributedDataParallel(layers, find_unused_parameters=True)
        for _ in range(3):
            model(cygrad.ones(2))
        model(cygrad.ones(2)).sum().backward()
        assert layers[0].bias.grad.tolist() == [1, 1] and layers[1].bias.grad is None
    finally:
        dist.destroy_process_group()


def test_what_the_inner_optimizer_says_of_itself():
    class Counting(cygrad.optim.SGD):
        def step(self, closure=None):
            super().step(closure)
            self.param_groups[0]["steps"] = self.param_groups[0].get("steps", 0) + 1

    dist.init_process_group("gloo", rank=0, world_size=1)
    try:
        weight = cygrad.ones(1, requires_grad=True)
        optimizer = dist.optim.ZeroRedundancyOptimizer([weight], Counting, lr=0.1)
        weight.sum().backward()
        for count in (1, 2):
            optimizer.step()
            assert optimizer.param_groups[0]["steps"] == count
        with pytest.raises(TypeError, match="should be an iterable of Tensors"):
            dist.optim.ZeroRedundancyOptimizer(weight, cygrad.optim.SGD, lr=0.1)
    finally:
        dist.destroy_process_group()


@pytest.mark.parametrize("returned, words", [
    (lambda: 1, "callback must return a torch.futures.Future object, but got"),
    (lambda: None, "callback must return a torch.futures.Future object, but got"),
    (lambda: settled(1), "gives no tensor like the bucket's"),
    (lambda: settled(cygrad.ones(3)), "gives no tensor like the bucket's")])
def test_what_hooks_return(returned, words):
    dist.init_process_group("gloo", rank=0, world_size=1)
    try:
        model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(2, 2))
        model.register_comm_hook(None, lambda state, bucket: returned())
        with pytest.raises(RuntimeError, match=words):
            model(cygrad.ones(2)).sum().backward()
    finally:
        dist.destroy_process_group()


def settled(value):
    future = cygrad.futures.Future()
    future.set_result(value)
    return future
