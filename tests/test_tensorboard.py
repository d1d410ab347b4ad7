"""If one of these fails, a training program's curves don't reach TensorBoard."""
import importlib
import importlib.util
import struct
import sys

import cygrad
import pytest
from extras import lacking

if importlib.util.find_spec("tensorboardX") is None:
    lacking("the extra 'tensorboard' is not installed")


def values(folder):
    """{tag: [(step, summary value), ...]} of the event files in a folder."""
    from tensorboardX.proto.event_pb2 import Event
    found = {}
    for path in sorted(folder.glob("events.*")):
        data = path.read_bytes()
        while data:                 # a record: its length, a checksum of 4 bytes, the event, another checksum
            (length,) = struct.unpack("<Q", data[:8])
            event = Event.FromString(data[12:12 + length])
            for value in event.summary.value:
                found.setdefault(value.tag, []).append((event.step, value))
            data = data[16 + length:]
    return found


def test_what_a_training_program_writes(tmp_path):
    from cygrad.utils.tensorboard import SummaryWriter
    with SummaryWriter(tmp_path / "run") as writer:
        assert writer.log_dir == writer.get_logdir() == str(tmp_path / "run")
        writer.add_scalar("loss", cygrad.tensor(0.5, requires_grad=True), 1)
        writer.add_scalar("loss", cygrad.tensor([0.25], dtype=cygrad.bfloat16), global_step=2, new_style=True)
        writer.add_scalars("rates", {"low": cygrad.tensor(1.0), "high": 2.0}, 1)
        writer.add_histogram("weights", cygrad.arange(10, dtype=cygrad.bfloat16), 1)
        writer.add_image("picture", cygrad.rand(3, 4, 6).conj(), 0)
        writer.add_images("pictures", cygrad.rand(2, 4, 6, 3).transpose(0, 1).contiguous().transpose(0, 1), 0,
                          dataformats="NHWC")
        writer.add_text("note", "hello")
        writer.add_pr_curve("curve", cygrad.tensor([0, 1, 1]), cygrad.tensor([0.1, 0.8, 0.4]))
        writer.add_embedding(cygrad.eye(3), metadata=["a", "b", "c"])
        writer.add_hparams({"rate": 0.1, "width": cygrad.tensor(3)}, {"accuracy": cygrad.tensor(0.5)}, run_name="end")
    found = values(tmp_path / "run")
    assert [(step, value.simple_value) for step, value in found["loss"]] == [(1, 0.5), (2, 0.25)]
    histogram = found["weights"][0][1].histo
    assert (histogram.min, histogram.max, histogram.num, histogram.sum) == (0, 9, 10, 45)
    picture, row = found["picture"][0][1].image, found["pictures"][0][1].image
    assert (picture.height, picture.width, row.height, row.width) == (4, 6, 4, 12)
    assert "curve" in found and any(tag.startswith("note") for tag in found)
    rates = [value.simple_value for path in (tmp_path / "run" / "rates").glob("*") for tag in values(path).values()
             for _, value in tag]
    assert sorted(rates) == [1, 2]
    assert values(tmp_path / "run" / "end")["accuracy"][0][1].simple_value == 0.5
    assert (tmp_path / "run" / "00000" / "default" / "tensors.tsv").read_text().split() == \
        "1.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 1.0".split()


def test_graphs_are_refused(tmp_path):
    from cygrad.utils.tensorboard import SummaryWriter
    with SummaryWriter(tmp_path) as writer, pytest.raises(NotImplementedError, match="no compiler"):
        writer.add_graph(cygrad.nn.Linear(1, 1), cygrad.ones(1))


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    monkeypatch.delitem(sys.modules, "cygrad.utils.tensorboard", raising=False)
    with pytest.raises(ImportError, match=r"pip install \"cygrad\[tensorboard\]\""):
        importlib.import_module("cygrad.utils.tensorboard")


def test_a_writer_without_its_inside(tmp_path):
    """What `copy` and `pickle` make before they fill it in has attributes to refuse, not to look for for ever."""
    from cygrad.utils.tensorboard import SummaryWriter
    with pytest.raises(AttributeError, match="'SummaryWriter' object has no attribute '_writer'"):
        SummaryWriter.__new__(SummaryWriter).add_scalar("loss", 1.0, 1)
