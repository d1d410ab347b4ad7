"""If this fails, jacobian, hessian or a product with one of them is wrong, or nests or refuses otherwise than PyTorch.

Expected values come from calculus, written beside each case.
"""

import cygrad
import pytest
from cygrad.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

ALL = [jacobian, hessian, vjp, jvp, vhp, hvp]
PRODUCTS = [vjp, jvp, vhp, hvp]


def tensor(values, **options):
    return cygrad.tensor(values, dtype=cygrad.float64, **options)


def is_close(found, expected):
    expected = tensor(expected)
    assert found.shape == expected.shape
    return cygrad.allclose(found.detach(), expected)


def cube_sum(x):
    return (x**3).sum()


def two_outputs(a, b):
    return a.sum() * b, a * 2


@pytest.fixture
def x():
    return tensor([1.0, 2.0])


# -- values


def test_jacobian_of_an_elementwise_function(x):
    found = jacobian(lambda x: x**3, x)
    assert is_close(found, [[3.0, 0.0], [0.0, 12.0]])  # 3 x^2 on the diagonal
    assert not found.requires_grad


def test_jacobian_shape_is_outputs_then_inputs():
    weights = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = jacobian(lambda x: weights @ x, cygrad.ones((3, 2), dtype=cygrad.float64))
    assert found.shape == (2, 2, 3, 2)
    assert is_close(found[1, 0], [[4.0, 0.0], [5.0, 0.0], [6.0, 0.0]])  # d (W x)[1, 0] / d x[k, l] = W[1, k] [l = 0]


def test_jacobian_nests_outputs_then_inputs(x):
    found = jacobian(two_outputs, (x, tensor([3.0, 4.0])))
    (a_in_sum, b_in_sum), (a_in_double, b_in_double) = found
    assert is_close(a_in_sum, [[3.0, 3.0], [4.0, 4.0]])  # d (sum(a) b_i) / d a_j = b_i
    assert is_close(b_in_sum, [[3.0, 0.0], [0.0, 3.0]])  # d (sum(a) b_i) / d b_j = sum(a) [i = j]
    assert is_close(a_in_double, [[2.0, 0.0], [0.0, 2.0]])
    assert is_close(b_in_double, [[0.0, 0.0], [0.0, 0.0]])


def test_tuples_of_one_stay_tuples(x):
    assert isinstance(jacobian(lambda x: x, (x,)), tuple)
    assert isinstance(jacobian(lambda x: (x,), x), tuple)
    assert isinstance(jacobian(lambda x: (x,), (x,))[0], tuple)
    assert isinstance(hessian(cube_sum, (x,))[0], tuple)
    assert isinstance(jacobian(lambda x: x, x), cygrad.Tensor)
    assert isinstance(vjp(cube_sum, (x,))[1], tuple)


def test_jacobian_of_scalars_and_of_nothing():
    assert is_close(jacobian(lambda x: x * 5, tensor(2.0)), 5.0)
    with pytest.raises(RuntimeError, match="non-empty"):         # as in PyTorch
        jacobian(lambda x: x * 2, tensor([]))


def test_jacobian_of_constants_is_zero(x):
    assert is_close(jacobian(lambda _: tensor([1.0, 2.0, 3.0]), x), [[0.0, 0.0]] * 3)
    assert is_close(jacobian(lambda x: x.detach(), x), [[0.0, 0.0]] * 2)


def test_hessian(x):
    assert is_close(hessian(cube_sum, x), [[6.0, 0.0], [0.0, 12.0]])  # 6 x on the diagonal


def test_hessian_of_two_inputs(x):
    (aa, ab), (ba, bb) = hessian(lambda a, b: (a * a * b).sum(), (x, tensor([3.0, 4.0])))
    assert is_close(aa, [[6.0, 0.0], [0.0, 8.0]])  # 2 b
    assert is_close(ab, [[2.0, 0.0], [0.0, 4.0]])  # 2 a
    assert is_close(ba, [[2.0, 0.0], [0.0, 4.0]])
    assert is_close(bb, [[0.0, 0.0], [0.0, 0.0]])


def test_hessian_of_one_element_of_any_shape(x):
    assert is_close(hessian(lambda x: cube_sum(x).reshape(1, 1), x), [[6.0, 0.0], [0.0, 12.0]])


def test_vjp_and_jvp(x):
    def function(x):
        return x.sum() * x  # J = x 1' + sum(x) I = [[4, 1], [2, 5]] at (1, 2)

    v = tensor([1.0, 10.0])
    value, product = vjp(function, x, v)
    assert is_close(value, [3.0, 6.0])
    assert is_close(product, [24.0, 51.0])  # v' J
    value, product = jvp(function, x, v)
    assert is_close(value, [3.0, 6.0])
    assert is_close(product, [14.0, 52.0])  # J v


def test_products_of_several_inputs_and_outputs(x):
    b = tensor([3.0, 4.0])
    ones = cygrad.ones(2, dtype=cygrad.float64)
    (first, _), (for_a, for_b) = vjp(two_outputs, (x, b), (ones, ones))
    assert is_close(first, [9.0, 12.0])
    assert is_close(for_a, [9.0, 9.0])  # sum(b) + 2
    assert is_close(for_b, [3.0, 3.0])  # sum(a)
    _, (of_first, of_second) = jvp(two_outputs, (x, b), (ones, ones))
    assert is_close(of_first, [9.0, 11.0])  # 2 b + sum(a)
    assert is_close(of_second, [2.0, 2.0])


@pytest.mark.parametrize("product", [vhp, hvp])
def test_hessian_products(product, x):
    value, found = product(cube_sum, x, tensor([1.0, 10.0]))
    assert is_close(value, 9.0)
    assert is_close(found, [6.0, 120.0])
    value, (for_a, for_b) = product(lambda a, b: (a * a * b).sum(), (x, x), (x, x))
    assert is_close(value, 9.0)
    assert is_close(for_a, [4.0, 16.0])  # 2 b v + 2 a v with v = a = b
    assert is_close(for_b, [2.0, 8.0])  # 2 a v


@pytest.mark.parametrize(("product", "expected"), [(vjp, 12.0), (jvp, 12.0), (vhp, 12.0), (hvp, 12.0)])
def test_v_may_be_left_out_for_one_element(product, expected):
    value, found = product(cube_sum, tensor(2.0))  # 3 x^2 = 6 x = 12 at 2
    assert is_close(value, 8.0)
    assert is_close(found, expected)


def test_products_of_linear_functions_are_constant(x):
    assert is_close(jvp(lambda x: x * 2, x, tensor([1.0, 3.0]))[1], [2.0, 6.0])
    assert is_close(vhp(lambda x: (x * 2).sum(), x, tensor([1.0, 3.0]))[1], [0.0, 0.0])
    assert is_close(hvp(lambda x: (x * 2).sum(), x, tensor([1.0, 3.0]))[1], [0.0, 0.0])


# -- graphs


def test_results_are_detached_by_default(x):
    x = x.requires_grad_()
    v = tensor([1.0, 1.0])
    for value in (jacobian(lambda x: x**3, x), hessian(cube_sum, x), *vhp(cube_sum, x, v), *hvp(cube_sum, x, v)):
        assert not value.requires_grad
    assert x.grad is None


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jacobian(lambda x: x**3, x, create_graph=True).sum(),
        lambda x: vjp(lambda x: x**3, x, tensor([1.0, 1.0]), create_graph=True)[1].sum(),
        lambda x: jvp(lambda x: x**3, x, tensor([1.0, 1.0]), create_graph=True)[1].sum(),
    ],
)
def test_create_graph_of_first_derivatives(function, x):
    x.requires_grad_()
    function(x).backward()  # the sum of 3 x^2
    assert is_close(x.grad, [6.0, 12.0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: hessian(cube_sum, x, create_graph=True).sum(),
        lambda x: vhp(cube_sum, x, tensor([1.0, 1.0]), create_graph=True)[1].sum(),
        lambda x: hvp(cube_sum, x, tensor([1.0, 1.0]), create_graph=True)[1].sum(),
    ],
)
def test_create_graph_of_second_derivatives(function, x):
    x.requires_grad_()
    function(x).backward()  # the sum of 6 x
    assert is_close(x.grad, [6.0, 6.0])


def test_create_graph_reaches_v(x):
    v = tensor([1.0, 1.0], requires_grad=True)
    vjp(lambda x: x**2, x, v, create_graph=True)[1].sum().backward()
    assert is_close(v.grad, [2.0, 4.0])


def test_no_grad_outside_does_not_matter(x):
    with cygrad.no_grad():
        assert is_close(jacobian(lambda x: x**2, x), [[2.0, 0.0], [0.0, 4.0]])
        assert is_close(hessian(cube_sum, x), [[6.0, 0.0], [0.0, 12.0]])
        assert is_close(jvp(lambda x: x**2, x, x)[1], [2.0, 8.0])
        assert is_close(hvp(cube_sum, x, x)[1], [6.0, 24.0])


# -- strict mode



@pytest.mark.parametrize("function", ALL)
def test_strict_refuses_an_output_without_a_graph(function, x):
    arguments = () if function in (jacobian, hessian) else ((tensor(1.0),) if function is vjp else (x,))
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function does not require gradients"):
        function(lambda x: x.detach().sum(), x, *arguments, strict=True)


def test_strict_refuses_independent_inputs(x):
    def ignores_b(a, b):
        return cube_sum(a)

    with pytest.raises(RuntimeError, match="^Output 0 of the user-provided function is independent of input 1. This"):
        jacobian(ignores_b, (x, x), strict=True)
    for function, v in [(vjp, None), (jvp, (x, x)), (vhp, (x, x)), (hvp, (x, x))]:
        with pytest.raises(RuntimeError, match="^The output of the user-provided function is independent of input 1."):
            function(ignores_b, (x, x), v, strict=True)
    with pytest.raises(RuntimeError, match="jacobian of the user-provided function with respect to input 1 is indep"):
        hessian(ignores_b, (x, x), strict=True)


@pytest.mark.parametrize("function", [hessian, vhp, hvp])
def test_strict_second_derivatives_refuse_linear_functions(function, x):
    arguments = () if function is hessian else (x,)
    with pytest.raises(RuntimeError, match="found that the jacobian of the user-provided function with respect to inp"):
        function(lambda x: (x * 2).sum(), x, *arguments, strict=True)


@pytest.mark.parametrize("function", [jacobian, vjp, jvp])
def test_strict_with_create_graph_refuses_linear_functions(function, x):
    arguments = () if function is jacobian else (x,)
    with pytest.raises(RuntimeError, match="The jacobian of the user-provided function is independent of input 0. .*"):
        function(lambda x: x * 2, x, *arguments, create_graph=True, strict=True)


def test_strict_accepts_what_is_differentiable(x):
    assert is_close(jacobian(lambda x: x * 2, x, strict=True), [[2.0, 0.0], [0.0, 2.0]])
    assert is_close(hessian(cube_sum, x, strict=True), [[6.0, 0.0], [0.0, 12.0]])
    assert is_close(jvp(lambda x: x**2, x, x, strict=True, create_graph=True)[1], [2.0, 8.0])
    assert is_close(hvp(cube_sum, x, x, strict=True, create_graph=True)[1], [6.0, 24.0])


# -- bad arguments


@pytest.mark.parametrize("function", ALL)
def test_inputs_must_be_tensors(function, x):
    name = function.__name__
    with pytest.raises(TypeError, match=f"^The inputs given to {name} must be either a Tensor or a tuple of Tensors "
                                        "but the given inputs has type <class 'list'>.$"):
        function(cube_sum, [x])
    with pytest.raises(TypeError, match="but the value at index 1 has type <class 'float'>.$"):
        function(cube_sum, (x, 2.0))


@pytest.mark.parametrize("function", ALL)
def test_outputs_must_be_tensors(function):
    x = tensor(2.0)
    with pytest.raises(TypeError, match=f"^The outputs of the user-provided function given to {function.__name__} must "
                                        "be either a Tensor or a tuple of Tensors but the given outputs of the "
                                        "user-provided function has type <class 'int'>.$"):
        function(lambda x: 3, x)
    with pytest.raises(TypeError, match="but the value at index 1 has type <class 'str'>.$"):
        function(lambda x: (x, "no"), x)


@pytest.mark.parametrize("function", [hessian, vhp, hvp])
def test_second_derivatives_are_of_one_element(function):
    x = tensor([2.0])
    with pytest.raises(RuntimeError, match=f"^The function given to {function.__name__} should return a single Tens"):
        function(lambda x: (x.sum(), x.sum()), x)
    with pytest.raises(RuntimeError, match=f"^The Tensor returned by the function given to {function.__name__} should "
                                           "contain a single element$"):
        function(lambda x: x * cygrad.ones(3), x)


@pytest.mark.parametrize("product", PRODUCTS)
def test_v_must_fit(product, x):
    function = cube_sum if product in (vhp, hvp) else (lambda x: x**3)
    with pytest.raises(RuntimeError, match=r"^The vector v can only be None if the .* a single Tensor with a single"):
        product(function, x)
    with pytest.raises(RuntimeError, match=r"^v has invalid size: should be torch.Size\(\[2\]\) but got .*\(\[3\]\)"
                                           .replace("torch", cygrad.__name__)):
        product(function, x, tensor([1.0, 2.0, 3.0]))
    with pytest.raises(RuntimeError, match="^The given v should contain a single Tensor.$"):
        product(function, x, (x, x))
    with pytest.raises(TypeError, match="^The v given to .* must be either a Tensor or a tuple of Tensors but"):
        product(function, x, 3.0)


def test_v_must_fit_several_inputs(x):
    with pytest.raises(RuntimeError, match="^v is a tuple of invalid length: should be 2 but got 1.$"):
        jvp(two_outputs, (x, x), (x,))
    with pytest.raises(RuntimeError, match="^Entry 1 in v has invalid size"):
        jvp(two_outputs, (x, x), (x, x[:1]))


def test_integers_have_no_derivatives():
    with pytest.raises(RuntimeError, match="only Tensors of floating point"):
        jacobian(lambda x: x * 2, cygrad.tensor([1, 2]))


def test_hints_change_no_value(x):
    expected = jacobian(lambda x: x**3, x)
    assert cygrad.equal(jacobian(lambda x: x**3, x, vectorize=True), expected)
    assert cygrad.equal(jacobian(lambda x: x**3, x, vectorize=True, strategy="forward-mode"), expected)
    assert is_close(hessian(cube_sum, x, vectorize=True), [[6.0, 0.0], [0.0, 12.0]])


def test_hints_that_exclude_each_other(x):
    with pytest.raises(AssertionError, match="Expected strategy to be either"):
        jacobian(cube_sum, x, strategy="sideways")
    with pytest.raises(AssertionError, match="Expected strategy to be either"):
        hessian(cube_sum, x, outer_jacobian_strategy="sideways")
    with pytest.raises(RuntimeError, match="strict=True"):
        jacobian(cube_sum, x, strict=True, vectorize=True)
    with pytest.raises(NotImplementedError, match="vectorize=True"):
        jacobian(cube_sum, x, strategy="forward-mode")
