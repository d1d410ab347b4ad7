"""If one of these fails, docs/distributed.md promises another number of messages or bytes than the algorithms send."""
import importlib.util
from pathlib import Path

import pytest
from extras import need_mpi

PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "distributed_model.py"
SPEC = importlib.util.spec_from_file_location("distributed_model", PATH)
model = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(model)


@pytest.mark.parametrize("name", model.ALGORITHMS)
@pytest.mark.parametrize("ranks", [2, 4, 8, 32, 64, 128])
def test_formulas_are_what_is_counted(name, ranks):
    size = 4096 if name != "notes" else model.NOTE
    rounds = model.ALGORITHMS[name](ranks, size)
    assert (len(rounds), model.sent_by_busiest(rounds)) == pytest.approx(model.formula(name, ranks, size))


@pytest.mark.parametrize("name", model.ALGORITHMS)
@pytest.mark.parametrize("ranks", [3, 5, 6, 12, 33])
def test_any_number_of_ranks_gets_everything(name, ranks):
    """Each algorithm raises where a rank lacks something."""
    assert model.ALGORITHMS[name](ranks, 600)


@pytest.mark.parametrize("name", [name for name in model.ALGORITHMS if name != "tree"])
def test_times_of_many_ranks_are_those_of_the_rounds(name):
    network = model.NETWORKS[0]
    for ranks in (2, 16, 64):
        size = 4096 if name != "notes" else model.NOTE
        counted = network.seconds(model.ALGORITHMS[name](ranks, size))
        assert model.symmetric_seconds(network, name, ranks, size) == pytest.approx(counted)


def test_a_step_sends_eight_bytes_a_parameter():
    """The ring's bytes don't grow with the ranks: 2 n (N - 1) / N of n = 4 P bytes."""
    for ranks in (8, 64, 4096):
        assert model.formula("ring", ranks, 4.0)[1] < 8


def test_notes_are_as_the_library_sends_them():
    need_mpi()
    from cygrad_mpi import group        # needs mpi4py
    assert (group.NOTE, group.FEW) == (model.NOTE, model.FEW)


def test_a_broken_ring_is_refused():
    with pytest.raises(AssertionError, match="has not got everything"):
        model.complete([{0, 1}, {1}], 2)
