"""If this fails, a tensor shows a shape that it had once: its Size is kept until its geometry changes."""
import cygrad
import pytest

CHANGES = {
    "resize_": (lambda t: t.resize_(3, 4), (3, 4)),
    "t_": (lambda t: t.t_(), (3, 2)),
    "transpose_": (lambda t: t.transpose_(0, 1), (3, 2)),
    "unsqueeze_": (lambda t: t.unsqueeze_(0), (1, 2, 3)),
    "as_strided_": (lambda t: t.as_strided_((2,), (1,)), (2,)),
    "set_": (lambda t: t.set_(cygrad.zeros(5)), (5,)),
    "out=": (lambda t: cygrad.add(cygrad.ones(4), 1, out=t.resize_(0)), (4,)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_shape_follows_geometry(name):
    change, shape = CHANGES[name]
    t = cygrad.zeros(2, 3)
    assert t.shape == (2, 3) and t.size() is t.shape
    change(t)
    assert t.shape == shape and tuple(t.size()) == shape


def test_shape_after_new_data():
    t = cygrad.zeros(2, 3)
    assert t.shape == (2, 3)
    t.data = cygrad.zeros(4)
    assert t.shape == (4,)


def test_memory_of_freed_tensors_brings_no_shape_along():
    for n in range(1, 50):
        assert cygrad.zeros(n).shape == (n,) and cygrad.zeros(n, 2)[0].shape == (2,)


def test_methods_show_their_arguments():
    import inspect
    assert str(inspect.signature(cygrad.Tensor.size)) == "(self, /, dim=None)"
    assert cygrad.zeros(2, 3).size(dim=1) == 3


def test_more_parts_than_memory_holds_are_refused():
    with pytest.raises(MemoryError, match="tensor_split"):
        cygrad.ones(3).tensor_split(2**40)


def test_set_grows_a_storage_for_row_major_geometry():
    x = cygrad.empty(1)
    assert x.set_(x.untyped_storage(), 7, (2, 3)).stride() == (3, 1) and x.untyped_storage().nbytes() == 52
