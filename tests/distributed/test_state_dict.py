"""If one of these fails, a checkpoint by names fits no other arrangement of ranks, or loads other values."""
import pytest
from extras import need_mpi
from ranks import succeeded
from test_data_parallel import TRAINING
from test_fully_sharded import SHARDED

import cygrad
import cygrad.distributed.checkpoint as dcp
from cygrad import nn
from cygrad.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp
from cygrad.distributed.checkpoint.state_dict import (StateDictOptions, get_model_state_dict, get_optimizer_state_dict,
                                                      get_state_dict, set_optimizer_state_dict, set_state_dict)

NAMES = ["0.bias", "0.weight", "1.bias", "1.weight"]


def trained(steps=2, make=cygrad.optim.Adam):
    cygrad.manual_seed(steps)
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    optimizer = make(model.parameters(), lr=0.1)
    for _ in range(steps):
        model(cygrad.ones(2, 3)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer


def same(one, other):
    assert one.keys() == other.keys()
    for key, value in one.items():
        if isinstance(value, dict):
            same(value, other[key])
        else:
            assert cygrad.equal(value, other[key]) if isinstance(value, cygrad.Tensor) else value == other[key], key


@pytest.mark.parametrize("flatten", [False, True])
def test_there_and_back(flatten):
    options = StateDictOptions(flatten_optimizer_state_dict=flatten)
    model, optimizer = trained()
    weights, state = get_state_dict(model, optimizer, options=options)
    assert sorted(weights) == NAMES
    if flatten:
        assert state["state.0.bias.step"] == 2 and state["param_groups.1.weight.lr"] == 0.1
    else:
        assert sorted(state["state"]) == sorted(state["param_groups"][0]["params"]) == NAMES
    other, fresh = trained(0)
    fresh.param_groups[0]["lr"] = 7.0
    set_state_dict(other, fresh, model_state_dict=weights, optim_state_dict=state, options=options)
    again, state_again = get_state_dict(other, fresh, options=options)
    same(again, weights)
    same(state_again if flatten else state_again["state"], state if flatten else state["state"])
    assert fresh.param_groups[0]["lr"] == 0.1


def test_an_optimizer_without_steps_gets_its_state_and_nothing_moves():
    model, optimizer = trained(0)
    before = [each.clone() for each in model.parameters()]
    state = get_optimizer_state_dict(model, optimizer)
    assert sorted(state["state"]["0.bias"]) == ["exp_avg", "exp_avg_sq", "step"]
    assert all(cygrad.equal(a, b) for a, b in zip(before, model.parameters()))
    assert optimizer.param_groups[0]["lr"] == 0.1 and all(each.grad is None for each in model.parameters())
    model, optimizer = trained(0)
    model(cygrad.ones(2, 3)).sum().backward()
    with pytest.raises(RuntimeError, match="the gradients are not None"):
        get_optimizer_state_dict(model, optimizer)


def test_parts():
    model, optimizer = trained()
    model[0].bias.requires_grad_(False)
    frozen = get_model_state_dict(model, options=StateDictOptions(ignore_frozen_params=True))
    assert sorted(frozen) == ["0.weight", "1.bias", "1.weight"]
    assert sorted(get_model_state_dict(model, submodules={model[1]})) == ["1.bias", "1.weight"]
    short = get_model_state_dict(model, submodules={model[1]}, options=StateDictOptions(keep_submodule_prefixes=False))
    assert sorted(short) == ["bias", "weight"]
    assert sorted(get_optimizer_state_dict(model, optimizer, submodules={model[0]})["state"]) == ["0.bias", "0.weight"]
    second = cygrad.optim.SGD([model[1].bias], lr=3.0, momentum=0.9)
    first = cygrad.optim.Adam([model[0].weight, model[1].weight])
    both = get_optimizer_state_dict(model, [first, second])
    assert sorted(both["state"]) == ["0.weight", "1.bias", "1.weight"] and len(both["param_groups"]) == 2
    set_optimizer_state_dict(model, [second, first], both)
    state = get_optimizer_state_dict(model, first)
    del state["state"]["0.weight"]
    with pytest.raises(KeyError, match="0.weight is not in the optimizer state dict"):
        set_optimizer_state_dict(model, first, state)
    with pytest.raises(ValueError, match="full_state_dict must be True"):
        StateDictOptions(broadcast_from_rank0=True)


def test_names_are_those_of_the_module_alone_and_any_arrangement_reads_them(tmp_path):
    need_mpi()
    succeeded(tmp_path, 2, TRAINING + SHARDED + f"""
    import copy
    import cygrad.distributed.checkpoint as dcp
    from cygrad.distributed.checkpoint.state_dict import *
    place, adam = {str(tmp_path / "named")!r}, lambda p: cygrad.optim.Adam(p)
    expected = network()
    other = trained(expected, lambda values: values, make=adam)
    wanted = get_state_dict(expected, other)

    divided = sharded(network())
    optimizer = trained(divided, part, make=adam)
    weights, state = get_state_dict(divided, optimizer)
    dcp.save({{"model": weights, "optimizer": state}}, checkpoint_id=place)
    whole, state = get_state_dict(divided, optimizer, options=StateDictOptions(full_state_dict=True))
    for name, value in wanted[0].items():
        assert cygrad.allclose(whole[name], value, rtol=1e-9, atol=1e-12), name
        for key in ("exp_avg", "exp_avg_sq", "step"):
            assert cygrad.allclose(state["state"][name][key], wanted[1]["state"][name][key], rtol=1e-7, atol=1e-12)
    only_first = get_model_state_dict(divided, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    assert bool(only_first) == (rank == 0)

    model = DDP(network(seed=3))                        # whole parameters read divided ones
    optimizer = adam(model.parameters())
    weights, state = get_state_dict(model, optimizer)
    assert list(weights) == list(wanted[0])
    loaded = {{"model": weights, "optimizer": state}}
    dcp.load(loaded, checkpoint_id=place)
    set_state_dict(model, optimizer, model_state_dict=loaded["model"], optim_state_dict=loaded["optimizer"])
    close(model, expected)

    divided = sharded(network(seed=5))                  # and divided ones read what rank 0 alone has
    optimizer = adam(divided.parameters())
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    state = copy.deepcopy(wanted) if rank == 0 else ({{}}, {{}})
    set_state_dict(divided, optimizer, model_state_dict=state[0], optim_state_dict=state[1], options=options)
    trained(divided, part, steps=1, make=lambda _: optimizer)
    trained(expected, lambda values: values, steps=1, make=lambda _: other)
    for name, value in get_model_state_dict(divided, options=StateDictOptions(full_state_dict=True)).items():
        assert cygrad.allclose(value, wanted[0][name], rtol=1e-9, atol=1e-12), name
    """)


def test_folders_by_their_objects(tmp_path):
    state = {"model": {"a": cygrad.ones(2)}, "steps": [3, 4], "step": 1}
    dcp.save(state, storage_writer=dcp.FileSystemWriter(tmp_path / "parts"))
    with pytest.raises(RuntimeError, match="Checkpoint already exists"):
        dcp.save(state, storage_writer=dcp.FileSystemWriter(tmp_path / "parts", overwrite=False))
    with pytest.raises(RuntimeError, match="`checkpoint_id` must be specified"):
        dcp.save(state)
    loaded = {"model": {"a": cygrad.zeros(2)}, "steps": [0, 0], "step": 0}
    dcp.load(loaded, storage_reader=dcp.FileSystemReader(tmp_path / "parts"))
    assert loaded["steps"] == [3, 4] and loaded["step"] == 1 and cygrad.equal(loaded["model"]["a"], cygrad.ones(2))
    dcp_to_torch_save(tmp_path / "parts", tmp_path / "whole.pt")
    whole = cygrad.load(tmp_path / "whole.pt")
    assert whole["steps"] == {0: 3, 1: 4} and cygrad.equal(whole["model"]["a"], cygrad.ones(2))
    torch_save_to_dcp(tmp_path / "whole.pt", tmp_path / "again")
    with pytest.warns(FutureWarning, match="'save_state_dict' is deprecated"):
        dcp.save_state_dict({"a": cygrad.ones(2)}, dcp.FileSystemWriter(tmp_path / "old"))
    state = {"a": cygrad.zeros(2)}
    with pytest.warns(FutureWarning, match="'load_state_dict' is deprecated"):
        dcp.load_state_dict(state, dcp.FileSystemReader(tmp_path / "old"))
    assert cygrad.equal(state["a"], cygrad.ones(2))
    assert isinstance(trained()[0], dcp.Stateful)
