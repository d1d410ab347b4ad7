"""If one of these fails, a checkpoint of several ranks can't be read again, or a failed one has spoilt the last."""
import pytest
from extras import need_mpi
from ranks import succeeded
from test_data_parallel import TRAINING
from test_fully_sharded import SHARDED

import cygrad
import cygrad.distributed.checkpoint as dcp

pytestmark = pytest.mark.slow         # `tox` has the collectives and the models; these start ranks by the dozen


def test_ranks_write_parts_and_others_read_them(tmp_path):
    need_mpi()
    place = tmp_path / "checkpoint"
    succeeded(tmp_path, 3, TRAINING + f"""
    import cygrad.distributed.checkpoint as dcp
    model = DDP(network())
    optimizer = trained(model, part, make=lambda p: cygrad.optim.Adam(p))
    state = {{"model": model.module.state_dict(), "optimizer": optimizer, "step": 5, f"only {{rank}}": rank}}
    dcp.save(state, checkpoint_id={str(place)!r})
    files = sorted(os.listdir({str(place)!r}))
    assert files == [".metadata", "__0_0.distcp", "__1_0.distcp", "__2_0.distcp"], files
    sizes = [os.path.getsize({str(place)!r} + "/" + name) for name in files[1:]]
    assert max(sizes) < 0.6 * sum(sizes), sizes
    """)
    succeeded(tmp_path, 2, TRAINING + f"""
    import cygrad.distributed.checkpoint as dcp
    expected = DDP(network())
    other = trained(expected, lambda values: values, make=lambda p: cygrad.optim.Adam(p))
    model = DDP(network(seed=3))
    optimizer = trained(model, part, steps=1, make=lambda p: cygrad.optim.Adam(p))
    state = {{"model": model.module.state_dict(), "optimizer": optimizer, "step": 0, "only 2": None}}
    dcp.load(state, checkpoint_id={str(place)!r})
    assert state["step"] == 5 and state["only 2"] == 2
    close(model, expected)
    for a, b in zip(model.parameters(), expected.parameters()):
        for name in ("step", "exp_avg", "exp_avg_sq"):
            assert cygrad.allclose(optimizer.state[a][name], other.state[b][name]), name
    """)


def test_a_failed_save_leaves_the_last_one(tmp_path):
    need_mpi()
    place = tmp_path / "checkpoint"
    succeeded(tmp_path, 2, f"""
    import cygrad.distributed.checkpoint as dcp
    place = {str(place)!r}
    state = {{"a": cygrad.ones(3), "b": cygrad.ones(3)}}
    dcp.save(state, checkpoint_id=place)
    whole = cygrad.save
    def full(value, path):
        if rank == 1:
            raise OSError(28, "No space left on device")
        whole(value, path)
    cygrad.save = full
    try:
        dcp.save({{"a": cygrad.zeros(3), "b": cygrad.zeros(3)}}, checkpoint_id=place)
    except dcp.CheckpointException as error:
        assert list(error.failures) == [1] and "rank 1: OSError: [Errno 28] No space left" in str(error)
    else:
        raise AssertionError
    dist.barrier()
    assert os.listdir(os.path.dirname(place)).count("checkpoint.writing") == 0
    found = {{"a": cygrad.zeros(3), "b": cygrad.zeros(3)}}
    dcp.load(found, checkpoint_id=place)
    assert found["a"].sum() == found["b"].sum() == 3
    """.replace("\n    ", "\n"))


def test_one_process(tmp_path):
    state = {"a": [cygrad.ones(2), {"b": 3.5}], "empty": {}, "text": "x"}
    dcp.save(state, checkpoint_id=tmp_path / "one")
    found = {"a": [cygrad.zeros(2), {"b": None}], "empty": {}, "text": None}
    dcp.load(found, checkpoint_id=tmp_path / "one")
    assert repr(found) == repr(state)
    for wrong, words in (({"c": 1}, "Missing key in checkpoint state_dict: c"),
                         ({"a": [cygrad.zeros(3)]}, "Size mismatch between saved")):
        with pytest.raises(dcp.CheckpointException, match=words):
            dcp.load(wrong, checkpoint_id=tmp_path / "one")
    with pytest.raises(dcp.CheckpointException, match="could not be read"):
        dcp.load({}, checkpoint_id=tmp_path / "none")


def test_divided_parameters_are_read_on_other_numbers_of_ranks(tmp_path):
    need_mpi()
    place, whole = tmp_path / "divided", tmp_path / "whole"
    succeeded(tmp_path, 3, SHARDED + f"""
    import cygrad.distributed.checkpoint as dcp
    model = sharded(network())
    optimizer = trained(model, part, make=lambda p: cygrad.optim.Adam(p))
    dcp.save({{"model": model.state_dict(), "optimizer": optimizer.state_dict()}}, checkpoint_id={str(place)!r})
    dcp.save({{"model": {{name: each.full_tensor() for name, each in model.state_dict().items()}}}},
             checkpoint_id={str(whole)!r})
    """)
    reading = SHARDED + f"""
    import cygrad.distributed.checkpoint as dcp
    expected = network()
    other = trained(expected, lambda values: values, make=lambda p: cygrad.optim.Adam(p))
    model = sharded(network(seed=3))
    optimizer = trained(model, part, steps=1, make=lambda p: cygrad.optim.Adam(p))
    dcp.load({{"model": model, "optimizer": optimizer}}, checkpoint_id={str(place)!r})
    as_alone(model, 1e-9, expected)
    for a, b in zip(model.parameters(), expected.parameters()):
        first, end = a.rows()
        for name in ("exp_avg", "exp_avg_sq"):
            assert cygrad.allclose(optimizer.state[a][name], other.state[b][name][first:end]), name
    again = sharded(network(seed=4))
    dcp.load({{"model": again}}, checkpoint_id={str(whole)!r})
    as_alone(again, 1e-9, expected)
    plain = network(seed=5)
    dcp.load({{"model": plain}}, checkpoint_id={str(place)!r})
    close(plain, expected)
    """
    for ranks in (1, 2):
        succeeded(tmp_path, ranks, reading)


def test_a_thread_writes_while_training_goes_on(tmp_path):
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + f"""
    import cygrad.distributed.checkpoint as dcp
    folder = {str(tmp_path)!r}
    model = DDP(network())
    states, futures = [], []
    for step in range(3):
        trained(model, part, steps=1)
        states.append([p.detach().clone() for p in model.parameters()])
        futures.append(dcp.async_save({{"model": model.module.state_dict()}}, checkpoint_id=f"{{folder}}/{{step}}"))
    trained(model, part, steps=2)
    for step, future in enumerate(futures):
        assert future.result() is None
        found = network(seed=9)
        dcp.load({{"model": found}}, checkpoint_id=f"{{folder}}/{{step}}")
        for a, b in zip(found.parameters(), states[step]):
            assert cygrad.equal(a, b)

    def full(value, path):
        raise OSError(28, "No space left on device")
    if rank == 1:
        cygrad.save = full
    failed = dcp.async_save({{"a": cygrad.zeros(3), "b": cygrad.zeros(3)}}, checkpoint_id=f"{{folder}}/0")
    trained(model, part, steps=1)
    assert "rank 1: OSError" in str(failed.exception())
    dcp.load({{"model": found}}, checkpoint_id=f"{{folder}}/0")
    assert all(cygrad.equal(a, b) for a, b in zip(found.parameters(), states[0]))
    """)
