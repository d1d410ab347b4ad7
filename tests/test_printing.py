"""If this fails, what users see when they print a tensor has changed; the texts are PyTorch 2.13's."""

import textwrap
import time

import cygrad
import pytest
from cygrad.tensors.printing import get_printoptions, printoptions, tensor_repr


@pytest.fixture(autouse=True)
def _restore_options():
    with printoptions():
        yield


def shows(t, text):
    """Whether `t` prints as `text`, an indented block whose first line is empty, or one line."""
    if text.startswith("\n"):
        text = textwrap.dedent(text).strip("\n")
    assert repr(t) == text
    assert str(t) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (1.5, "tensor(1.5000)"),
        (2.0, "tensor(2.)"),
        (0.0, "tensor(0.)"),
        (-0.0, "tensor(-0.)"),
        (7, "tensor(7)"),
        (True, "tensor(True)"),
        ([], "tensor([])"),
        ([1, -20, 300], "tensor([  1, -20, 300])"),
        ([True, False], "tensor([ True, False])"),
        ([1.0, -2.0], "tensor([ 1., -2.])"),
        ([0.1, -22.25], "tensor([  0.1000, -22.2500])"),
        (float("nan"), "tensor(nan)"),
        ([1.0, float("nan"), float("-inf")], "tensor([1., nan, -inf])"),
        ([1.5, float("nan"), float("inf")], "tensor([1.5000,    nan,    inf])"),
        ([1.5, -0.0], "tensor([1.5000, -0.0000])"),
        ([0.0, 0.0], "tensor([0., 0.])"),
        (1e-4, "tensor(1.0000e-04)"),  # in float32 a little less than 1e-4
        (1.1e-4, "tensor(0.0001)"),
        (1e8, "tensor(100000000.)"),
        (1.1e8, "tensor(1.1000e+08)"),
        ([1.0, 1000.0], "tensor([   1., 1000.])"),
        ([1.0, 1001.0], "tensor([1.0000e+00, 1.0010e+03])"),
        ([0.0, 1e10], "tensor([0.0000e+00, 1.0000e+10])"),
        (1 + 2j, "tensor(1.+2.j)"),
        (1 - 2.5j, "tensor(1.-2.5000j)"),
        ([10 + 1j, -1 - 20j], "tensor([10.+1.j, -1.-20.j])"),
        (complex(0.5, float("nan")), "tensor(0.5000+nanj)"),
    ],
    ids=repr,
)
def test_elements(values, text):
    shows(cygrad.tensor(values), text)


def test_digits_come_from_the_exact_stored_value():
    shows(cygrad.tensor([2.00005, 1.0]), "tensor([2.0001, 1.0000])")  # stored as 2.00005006790...
    shows(cygrad.tensor([2.00005, 1.0], dtype=cygrad.float64), "tensor([2.0000, 1.0000], dtype=cygrad.float64)")
    shows(cygrad.tensor([0.03125, 1.0]), "tensor([0.0312, 1.0000])")  # a tie goes to the even digit
    shows(cygrad.tensor([0.09375, 1.0]), "tensor([0.0938, 1.0000])")


def test_nesting():
    shows(
        cygrad.tensor([[1.0, 2.0], [3.0, -4.5]]),
        """
        tensor([[ 1.0000,  2.0000],
                [ 3.0000, -4.5000]])
        """,
    )
    shows(
        cygrad.tensor([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]),
        """
        tensor([[[1, 2],
                 [3, 4]],

                [[5, 6],
                 [7, 8]]])
        """,
    )
    shows(
        cygrad.tensor([[[[1], [2]]], [[[3], [4]]]]),
        """
        tensor([[[[1],
                  [2]]],


                [[[3],
                  [4]]]])
        """,
    )


def test_long_rows_break():
    shows(
        cygrad.arange(30),
        """
        tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,
                18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
        """,
    )
    with printoptions(linewidth=23):
        shows(
            cygrad.tensor([[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]),
            """
            tensor([[1.5000,
                     2.5000,
                     3.5000],
                    [4.5000,
                     5.5000,
                     6.5000]])
            """,
        )


def test_large_tensors_show_their_edges():
    shows(cygrad.arange(1000), _all_of(range(1000)))
    shows(cygrad.arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])")
    shows(
        cygrad.arange(1200).reshape(40, 30),
        """
        tensor([[   0,    1,    2,  ...,   27,   28,   29],
                [  30,   31,   32,  ...,   57,   58,   59],
                [  60,   61,   62,  ...,   87,   88,   89],
                ...,
                [1110, 1111, 1112,  ..., 1137, 1138, 1139],
                [1140, 1141, 1142,  ..., 1167, 1168, 1169],
                [1170, 1171, 1172,  ..., 1197, 1198, 1199]])
        """,
    )
    shows(
        cygrad.arange(2000).reshape(2, 500, 2),
        """
        tensor([[[   0,    1],
                 [   2,    3],
                 [   4,    5],
                 ...,
                 [ 994,  995],
                 [ 996,  997],
                 [ 998,  999]],

                [[1000, 1001],
                 [1002, 1003],
                 [1004, 1005],
                 ...,
                 [1994, 1995],
                 [1996, 1997],
                 [1998, 1999]]])
        """,
    )


def _all_of(numbers):
    """Elements of width 3 with comma and space take 5 columns, and 73 are left after the bracket: 14 a line."""
    texts = [f"{number:3d}" for number in numbers]
    lines = [", ".join(texts[i : i + 14]) for i in range(0, len(texts), 14)]
    return "tensor([" + (",\n" + " " * 8).join(lines) + "])"


def test_hidden_elements_do_not_count():
    """Width, sign and notation come from the shown elements alone."""
    t = cygrad.ones(2000)
    t[1000] = -1e12
    shows(t, "tensor([1., 1., 1.,  ..., 1., 1., 1.])")


def test_suffixes():
    shows(cygrad.tensor([1.0], dtype=cygrad.float64), "tensor([1.], dtype=cygrad.float64)")
    shows(cygrad.tensor(3, dtype=cygrad.uint8), "tensor(3, dtype=cygrad.uint8)")
    shows(cygrad.tensor(1j, dtype=cygrad.complex128), "tensor(0.+1.j, dtype=cygrad.complex128)")
    shows(cygrad.empty(0, 3), "tensor([], size=(0, 3))")
    shows(cygrad.empty(0, dtype=cygrad.int64), "tensor([], dtype=cygrad.int64)")
    shows(cygrad.empty(2, 0, dtype=cygrad.bool), "tensor([], size=(2, 0), dtype=cygrad.bool)")
    x = cygrad.tensor([1.0, 2.0], requires_grad=True)
    shows(x, "tensor([1., 2.], requires_grad=True)")
    shows(x * 2, "tensor([2., 4.], grad_fn=<MulBackward0>)")
    shows((x * 2).detach(), "tensor([2., 4.])")
    shows(cygrad.ones(2000, requires_grad=True), "tensor([1., 1., 1.,  ..., 1., 1., 1.], requires_grad=True)")


def test_suffixes_break_the_line_where_they_would_pass_its_end():
    """The elements take 43 columns and ", dtype=torch.float64" 21; PyTorch reckons 2 more, 66 in all.

    Lines break where PyTorch's do, so the longer name of the package doesn't count.
    """
    t = cygrad.tensor([1.0] * 9, dtype=cygrad.float64, requires_grad=True)
    with printoptions(linewidth=66):
        shows(
            t,
            """
            tensor([1., 1., 1., 1., 1., 1., 1., 1., 1.], dtype=cygrad.float64,
                   requires_grad=True)
            """,
        )
    with printoptions(linewidth=65):
        shows(
            t,
            """
            tensor([1., 1., 1., 1., 1., 1., 1., 1., 1.],
                   dtype=cygrad.float64, requires_grad=True)
            """,
        )


def test_default_dtype_is_not_shown():
    before = cygrad.get_default_dtype()
    cygrad.set_default_dtype(cygrad.float64)
    try:
        shows(cygrad.tensor(1.0), "tensor(1.)")
        shows(cygrad.tensor(1.0, dtype=cygrad.float32), "tensor(1., dtype=cygrad.float32)")
        shows(cygrad.tensor(1j), "tensor(0.+1.j)")
        shows(cygrad.tensor(1j, dtype=cygrad.complex64), "tensor(0.+1.j, dtype=cygrad.complex64)")
    finally:
        cygrad.set_default_dtype(before)


class _Device:
    type = "cuda"

    def __str__(self):
        return "cuda:1"


class _Tensor:
    """What printing reads of a tensor, with the parts that not every machine can make."""

    shape = (2,)
    device = _Device()
    dtype = cygrad.float32
    requires_grad = True
    is_meta = False
    names = ("N", None)

    def numel(self):
        return 2

    def dim(self):
        return 1

    def tolist(self):
        return [1.0, 2.0]

    @property
    def grad_fn(self):
        raise RuntimeError("A view was created in no_grad mode and its base was modified in place")


def test_device_names_and_an_invalid_grad_fn():
    text = "_Tensor([1., 2.], device='cuda:1', grad_fn=<Invalid>, names=('N', None))"
    assert tensor_repr(_Tensor()) == text


def test_contents_in_place_of_the_elements():
    t = cygrad.tensor([1, 2], dtype=cygrad.int32)
    assert tensor_repr(t, tensor_contents="...") == "tensor(..., dtype=cygrad.int32)"


def test_options():
    t = cygrad.tensor([1.23456, 2.0])
    cygrad.set_printoptions(precision=2)
    shows(t, "tensor([1.23, 2.00])")
    cygrad.set_printoptions(sci_mode=True)
    shows(t, "tensor([1.23e+00, 2.00e+00])")
    cygrad.set_printoptions(precision=0)  # and sci_mode back to None
    shows(t, "tensor([1, 2])")
    cygrad.set_printoptions(profile="default")
    shows(t, "tensor([1.2346, 2.0000])")
    shows(cygrad.tensor([1e-9, 1.0]), "tensor([1.0000e-09, 1.0000e+00])")
    cygrad.set_printoptions(sci_mode=False)
    shows(cygrad.tensor([1e-9, 1.0]), "tensor([0.0000, 1.0000])")
    cygrad.set_printoptions(profile="short")
    shows(cygrad.arange(2000), "tensor([   0,    1,  ..., 1998, 1999])")
    cygrad.set_printoptions(profile="full")
    assert repr(cygrad.arange(2000)).count(",") == 1999
    cygrad.set_printoptions(profile="default", threshold=4, edgeitems=1)
    shows(cygrad.arange(5), "tensor([0,  ..., 4])")
    cygrad.set_printoptions(edgeitems=0)
    shows(cygrad.arange(5), "tensor([...], size=(5,))")


def test_options_are_restored():
    before = get_printoptions()
    with pytest.raises(KeyError), printoptions(precision=9, linewidth=10, sci_mode=True):
        assert get_printoptions() == {**before, "precision": 9, "linewidth": 10, "sci_mode": True}
        raise KeyError
    assert get_printoptions() == before


def test_cost_does_not_grow_with_the_tensor():
    """Reading ten million elements takes tenths of a second; the six shown, microseconds."""
    t = cygrad.zeros(10_000_000)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        repr(t)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.01
