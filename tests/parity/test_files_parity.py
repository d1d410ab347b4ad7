"""If one of these fails, files no longer travel between this package and PyTorch (`weights_only=True`), either way."""
import datetime
import io
import random
from collections import Counter, OrderedDict

import cygrad
import numpy as np
import pytest
import torch
from cygrad import safetensors as ours
from op_db import ALL
from op_db.table import FLOATS_OF_8_BITS, HALF_COMPLEX, WIDE_UNSIGNED
from safetensors import torch as theirs


def through(source, target, value, **options):
    """`value` saved by one module and loaded by the other."""
    file = io.BytesIO()
    source.save(value, file)
    file.seek(0)
    return target.load(file, **options)


def described(m, value, seen=None):
    """A value as plain data: of tensors the numbers, dtype, geometry, and which of the storages is theirs."""
    seen = {} if seen is None else seen
    if isinstance(value, m.Tensor):
        storage = value.untyped_storage()
        place = seen.setdefault(storage.data_ptr() if storage.nbytes() else None, len(seen))
        return ("tensor", str(value.dtype).split(".")[-1], tuple(value.shape), value.stride(), value.storage_offset(),
                value.requires_grad, value.is_leaf, storage.nbytes(), place, str(value.detach().tolist()),
                value.device.type)
    if isinstance(value, m.Size):
        return "Size", list(value)
    if isinstance(value, (dict, OrderedDict)):
        return type(value).__name__, [(described(m, k, seen), described(m, v, seen)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [described(m, v, seen) for v in value]
    if isinstance(value, set):
        return "set", sorted(map(str, value))
    return type(value).__name__.lower().removeprefix("d"), str(value).replace("cygrad", "torch")


def both_ways(make):
    """``make(m)`` arrives in the other module as it is in its own."""
    mine, other = make(cygrad), make(torch)
    assert described(cygrad, mine) == described(torch, other)
    assert described(torch, through(cygrad, torch, mine, weights_only=True)) == described(torch, other)
    assert described(cygrad, through(torch, cygrad, other)) == described(cygrad, mine)
    assert described(cygrad, through(cygrad, cygrad, mine)) == described(cygrad, mine)


@pytest.mark.parametrize("dtype", ALL)
def test_dtypes_and_views(dtype):
    def make(m):
        x = m.arange(24, dtype=m.float32).sub(5).reshape(2, 3, 4).to(getattr(m, dtype))
        return [x, x.t() if x.dim() == 2 else x.permute(2, 0, 1), x[1], x[:, ::2, 1:], x[1, 2, 3], x[:0],
                x[:, :1].expand(2, 5, 4), x.view(-1)[7:], x.dtype, x.as_strided((3, 3), (1, 1), 2)]
    both_ways(make)


@pytest.mark.parametrize("dtype", WIDE_UNSIGNED + HALF_COMPLEX + FLOATS_OF_8_BITS)
def test_dtypes_without_kernels(dtype):
    both_ways(lambda m: [m.arange(6).to(getattr(m, dtype)), m.tensor([2**16 - 1] * 4, dtype=getattr(m, dtype))[1::2],
                         getattr(m, dtype)])


@pytest.mark.parametrize("value", [np.ones((2, 3)), np.float32(2.5), np.int64(3), range(3), slice(1, 2),
                                   datetime.date(2020, 1, 2), {"a": [np.arange(2)]}], ids=repr)
def test_objects(value):
    """What `load` refuses by default, in both, and either reads from the other where it is asked for."""
    for source, target in ((cygrad, torch), (torch, cygrad), (cygrad, cygrad)):
        with pytest.raises(Exception, match="^Weights only load failed"):
            through(source, target, value)
        assert repr(through(source, target, value, weights_only=False)) == repr(value)


def test_plain_values():
    both_ways(lambda m: {
        "numbers": [0, 255, 256, 65535, 65536, -1, 2**31, -2**31, 2**63, -2**200, 1.5, -0.0, float("inf"), 1e-320, 1j],
        "text": ["", "abc", "Größe 数 \0\n", "x" * 70_000], "bytes": [b"", bytes(range(256)), bytearray(b"ab")],
        "none": None, "truth": (True, False), "nested": ((), [], {}, [[[]]], ({"a": ({},)},)), "set": {1, 2, "x"},
        "size": m.Size([2, 3]), "device": m.device("cpu"), "dtype": [m.float16, m.bool], "layout": m.strided,
        1: 2, (1, "a"): 3, None: 4, 2.5: 5, True: 6,  # noqa: F601  the key 1, with another value
        "ordered": OrderedDict(b=1, a=OrderedDict()),
        "long": list(range(3000)), "many": {i: str(i) for i in range(2500)}})


def test_shared_things():
    def make(m):
        x, name = m.arange(6.), "the same text"
        both = [x, name]
        return {"both": both, "again": both, "view": x[2:], "alias": x.view(2, 3), "text": name, "other": x.clone()}
    for source, target in ((cygrad, torch), (torch, cygrad), (cygrad, cygrad)):
        found = through(source, target, make(source))
        assert found["both"] is found["again"] and found["both"][0].data_ptr() == found["alias"].data_ptr()
        found["both"][0][4] = 50
        assert found["view"][2] == found["alias"][1, 1] == 50 != found["other"][4]


def test_leaves():
    both_ways(lambda m: [m.ones(2, requires_grad=True), m.ones(2), m.ones(2).requires_grad_().detach()])
    for m, other in ((cygrad, torch), (torch, cygrad)):
        found = through(m, other, m.ones(2, requires_grad=True) * 2)
        assert found.requires_grad and found.is_leaf


def test_what_only_pytorch_has_arrives_as_tensors():
    parameter = torch.nn.Parameter(torch.ones(2))
    assert described(cygrad, through(torch, cygrad, parameter)) == described(torch, parameter)
    parameter.mark = 1
    assert through(torch, cygrad, parameter).requires_grad
    tensor = torch.ones(2)
    tensor.mark = 1
    assert through(torch, cygrad, tensor).tolist() == [1, 1]
    buffer = torch.nn.Buffer(torch.ones(2))
    assert through(torch, cygrad, buffer).tolist() == [1, 1]
    assert through(torch, cygrad, torch.tensor([1 + 2j]).conj()).tolist() == [1 - 2j]
    assert through(torch, cygrad, torch.tensor([1 + 2j]).conj().imag).tolist() == [-2]
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    state, found = model.state_dict(), through(torch, cygrad, model.state_dict())
    assert list(found) == list(state) and found._metadata == state._metadata
    assert all(found[k].tolist() == v.tolist() for k, v in state.items())
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.rand(5, 3)).sum().backward()
    optimizer.step()
    state = optimizer.state_dict()
    assert through(torch, cygrad, state)["state"][0]["exp_avg"].tolist() == state["state"][0]["exp_avg"].tolist()


def test_a_state_of_ours_loads_into_a_module():
    state = OrderedDict(weight=cygrad.arange(6.).reshape(2, 3), bias=cygrad.ones(2, requires_grad=True).detach())
    model = torch.nn.Linear(3, 2)
    model.load_state_dict(through(cygrad, torch, state))
    assert model.weight.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("make", [
    lambda: torch.eye(2).to_sparse(),
    lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)])
def test_tensors_that_do_not_exist_here(make):
    with pytest.raises(cygrad.serialization.UnpicklingError, match=r"refers to torch\.[\w.]+, which"):
        through(torch, cygrad, make())


def test_storages():
    for m, other in ((cygrad, torch), (torch, cygrad), (cygrad, cygrad)):
        found = through(m, other, [m.arange(4.).storage(), m.arange(4.).untyped_storage()])
        assert list(found[0]) == [0, 1, 2, 3] and found[1].nbytes() == 16


@pytest.mark.parametrize("map_location", ["cpu", None, {"cpu": "cpu"}, lambda storage, location: storage,
                                          lambda storage, location: None])
def test_map_location(map_location):
    for m, other in ((cygrad, torch), (torch, cygrad)):
        assert through(m, other, m.ones(2), map_location=map_location).tolist() == [1, 1]


def test_paths(tmp_path):
    for m, other in ((cygrad, torch), (torch, cygrad)):
        for path in (tmp_path / f"{m.__name__}.pt", str(tmp_path / f"{m.__name__}.any.thing"), tmp_path / "数"):
            m.save({"x": m.arange(3)}, path)
            assert other.load(path)["x"].tolist() == [0, 1, 2]
            with open(path, "rb") as file:
                assert other.load(file)["x"].tolist() == [0, 1, 2]


def test_large_storages_are_mapped_by_pytorch(tmp_path):
    """PyTorch's mmap=True needs the alignment of entries that its own writer gives them."""
    cygrad.save([cygrad.arange(100_000), cygrad.arange(3.), cygrad.ones(5, dtype=cygrad.float64)], tmp_path / "x")
    a, b, c = torch.load(tmp_path / "x", mmap=True)
    assert a.sum() == 4999950000 and b.tolist() == [0, 1, 2] and c.sum() == 5
    assert all(t.data_ptr() % 64 == 0 for t in (a, b, c))


def test_random_nests():
    rng = random.Random(0)

    def plan(depth):
        """A recipe that makes the same nest in any module."""
        kind = rng.choice(("list", "tuple", "dict", "ordered")) if depth and rng.random() < 0.7 else "leaf"
        if kind == "leaf":
            return rng.choice(("number", "text", "none", "tensor", "view", "size")), rng.randrange(1000)
        return kind, [plan(depth - 1) for _ in range(rng.randrange(5))]

    def build(m, recipe, base):
        kind, parts = recipe
        if kind == "tensor":
            dtype = getattr(m, ALL[parts % len(ALL)])
            return m.arange(parts % 7).to(dtype)
        simple = {"number": lambda: parts / 8 if parts % 2 else parts * 2**(parts % 80),
                  "text": lambda: "ä" * (parts % 9),
                  "none": lambda: None, "view": lambda: base[parts % 3:, parts % 4:], "size": lambda: m.Size([parts])}
        if kind in simple:
            return simple[kind]()
        made = [build(m, part, base) for part in parts]
        return {"list": made, "tuple": tuple(made), "dict": dict(enumerate(made)),
                "ordered": OrderedDict((str(i), v) for i, v in enumerate(made))}[kind]

    for _ in range(60):
        recipe = plan(4)
        both_ways(lambda m: build(m, recipe, m.arange(12.).reshape(3, 4)))


def test_safetensors_both_ways(tmp_path):
    names = [name for name in ALL if name != "complex128"]
    tensors = {m: {name: m.arange(-3, 9).reshape(3, 4).to(getattr(m, name)) for name in names} | {
        "0-d": m.tensor(2.5), "empty": m.ones(0, 3)} for m in (cygrad, torch)}
    assert ours.save(tensors[cygrad], {"a": "b"}) == theirs.save(tensors[torch], {"a": "b"})
    for found, want in ((theirs.load(ours.save(tensors[cygrad])), tensors[torch]),
                        (ours.load(theirs.save(tensors[torch])), tensors[cygrad])):
        assert sorted(found) == sorted(want)
        for name, tensor in want.items():
            assert found[name].dtype is tensor.dtype and found[name].tolist() == tensor.tolist(), name
            assert found[name].shape == tensor.shape
    ours.save_file(tensors[cygrad], tmp_path / "x")
    assert theirs.load_file(tmp_path / "x")["bfloat16"].tolist() == tensors[torch]["bfloat16"].tolist()
    theirs.save_file(tensors[torch], tmp_path / "y", {"k": "v"})
    assert ours.load_file(tmp_path / "y")["bfloat16"].tolist() == tensors[torch]["bfloat16"].tolist()
    assert ours.load_metadata(tmp_path / "y") == {"k": "v"}


def test_names_of_axes():
    """PyTorch restores the names as an attribute, and a file of its with such an attribute has names here."""
    named = cygrad.arange(6.0).reshape(2, 3).refine_names("N", None)
    assert through(cygrad, torch, {"a": named}, weights_only=True)["a"].names == ("N", None)
    t = torch.ones(2, 3)
    t.names = ("N", "C")
    assert through(torch, cygrad, t).names == ("N", "C")
    t.names = ("N", "N")
    with pytest.raises(cygrad.serialization.UnpicklingError, match="names are wrong"):
        through(torch, cygrad, t)


# -------------------------------------------------------------------- PyTorch's older format, and Counters

def written(value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    return file.getvalue()


def older():
    shared = torch.arange(6.)
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    return {"w": shared, "part": shared[2:4], "rows": shared.view(2, 3).t(), "half": torch.ones(3).bfloat16(),
            "empty": torch.empty(0, dtype=torch.int64), "state": model.state_dict(), "n": (1, "a", None)}


def test_files_before_the_zip_format():
    content = written(older(), _use_new_zipfile_serialization=False)
    ours, theirs = cygrad.load(io.BytesIO(content)), torch.load(io.BytesIO(content))
    assert described(cygrad, ours) == described(torch, theirs)
    for cut in range(0, len(content) - 1, 13):
        with pytest.raises((cygrad.serialization.UnpicklingError, EOFError)):
            cygrad.load(io.BytesIO(content[:cut]))


def test_a_counter_and_its_protocols():
    value = Counter("aab")
    assert through(torch, cygrad, value) == value == through(cygrad, torch, value)
    assert type(through(torch, cygrad, value)) is Counter
    for protocol in (3, 4, 5):
        content = written({"t": torch.ones(2), "c": value}, pickle_protocol=protocol)
        assert cygrad.load(io.BytesIO(content))["c"] == value
