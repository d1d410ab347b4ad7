"""If one of these fails, a gradient through a collective, a divided optimiser or a batch norm over ranks is wrong."""
from extras import need_mpi
from ranks import succeeded
from test_data_parallel import TRAINING


def test_gradients_through_collectives(tmp_path):
    """Each rank's loss weighs what it got; gradients are those of the sum of all losses, computed on one rank."""
    need_mpi()
    succeeded(tmp_path, 2, """
        from cygrad.distributed.nn import functional as f
        cygrad.manual_seed(0)
        values = cygrad.randn(2, 4, dtype=cygrad.float64)
        weight = cygrad.randn(2, 2, 4, dtype=cygrad.float64)

        def check(collective, reference):
            mine = values[rank].clone().requires_grad_()
            found = collective(mine)
            found = found if isinstance(found, tuple) else (found,)
            sum((weight[rank, i][:len(each)] * each).sum() for i, each in enumerate(found)).backward()
            both = values.clone().requires_grad_()
            total = 0
            for r in range(2):
                expected = reference(both, r)
                total = total + sum((weight[r, i][:len(e)] * e).sum() for i, e in enumerate(expected))
                if r == rank:
                    for one, other in zip(found, expected):
                        assert cygrad.allclose(one, other), (one, other)
            total.backward()
            assert cygrad.allclose(mine.grad, both.grad[rank]), (collective, mine.grad, both.grad)

        check(lambda x: f.all_reduce(x), lambda x, r: (x.sum(0),))
        check(lambda x: f.all_gather(x), lambda x, r: (x[0], x[1]))
        check(lambda x: f.broadcast(x, 1), lambda x, r: (x[1],))
        check(lambda x: f.gather(x, 1), lambda x, r: (x[0], x[1]) if r else (0 * x[0], 0 * x[1]))
        check(lambda x: f.scatter([x, 2 * x], 1), lambda x, r: (x[1] * (1 + r),))
        check(lambda x: f.reduce_scatter(cygrad.empty(2, dtype=x.dtype), list(x.split(2))),
              lambda x, r: (x.sum(0).split(2)[r],))
        check(lambda x: f.all_to_all([cygrad.empty(2, dtype=x.dtype)] * 2, list(x.split(2))),
              lambda x, r: (x[0].split(2)[r], x[1].split(2)[r]))
        check(lambda x: f.all_to_all_single(cygrad.empty_like(x), x),
              lambda x, r: (cygrad.cat([x[0].split(2)[r], x[1].split(2)[r]]),))
    """)


def test_a_divided_optimizer_is_the_whole_one(tmp_path):
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + """
    from cygrad.distributed.optim import ZeroRedundancyOptimizer
    adam = lambda p: cygrad.optim.Adam(p, lr=0.05)
    zero = lambda p: ZeroRedundancyOptimizer(p, cygrad.optim.Adam, lr=0.05)
    single = network()
    whole = trained(single, lambda values: values, make=adam)
    model = DDP(network())
    optimizer = trained(model, part, make=zero)
    close(model, single)
    equal_bits(model)
    sizes = [None, None]
    dist.all_gather_object(sizes, sum(p.numel() for p in optimizer.optim.state))
    assert sum(sizes) == sum(p.numel() for p in model.parameters()) and max(sizes) < 0.7 * sum(sizes)
    optimizer.consolidate_state_dict(to=0)
    if rank == 0:
        saved, expected = optimizer.state_dict(), whole.state_dict()
        assert saved["state"].keys() == expected["state"].keys()
        for number, state in expected["state"].items():
            for name in state:
                assert cygrad.allclose(saved["state"][number][name], state[name]), (number, name)
    sent = [saved if rank == 0 else None]
    dist.broadcast_object_list(sent)
    again = DDP(network())
    again.module.load_state_dict(model.module.state_dict())
    other = zero(again.parameters())
    other.load_state_dict(sent[0])
    for network_, steps in ((model, optimizer), (again, other)):
        x, y = (part(each) for each in data())
        steps.zero_grad()
        nn.functional.cross_entropy(network_(x), y).backward()
        steps.step()
    close(model, again)
    try:
        other.state_dict()
    except RuntimeError as error:
        assert "Optimizer state has not been consolidated on this rank" in str(error)
    else:
        raise AssertionError
    """)


def test_batch_norm_over_ranks(tmp_path):
    need_mpi()
    succeeded(tmp_path, 3, TRAINING + """
    def normed(seed=0):
        cygrad.manual_seed(seed)
        return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)).double()
    single = normed()
    trained(single, lambda values: values)
    model = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(normed()))
    trained(model, part)
    close(model, single)
    for name in ("running_mean", "running_var", "num_batches_tracked"):
        assert cygrad.allclose(getattr(model.module[1], name), getattr(single[1], name)), name
    model.eval()
    x = data()[0]
    assert cygrad.allclose(model(x), single.eval()(x))
    """)
