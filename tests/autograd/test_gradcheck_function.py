"""If this fails, gradcheck passes wrong gradients or refuses right ones, and every gradient test is worth less."""

import subprocess
import sys

import cygrad
import pytest
from cygrad.autograd import Function, gradcheck, gradgradcheck
from cygrad.autograd.function import once_differentiable
from cygrad.autograd.gradcheck import GradcheckError


def tensor(values, dtype=None, requires_grad=True):
    return cygrad.tensor(values, dtype=dtype or cygrad.float64, requires_grad=requires_grad)


@pytest.fixture
def x():
    return tensor([[0.5, -1.5, 2.0], [0.25, 1.0, -0.75]])


@pytest.fixture
def z():
    return tensor([1 + 2j, -0.5 + 0.25j], cygrad.complex128)


def function_of(forward, backward):
    """A Function made of two plain functions; backward gets the input saved."""

    class Made(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, grad):
            return backward(grad, *ctx.saved_tensors)

    return Made.apply


wrong_factor = function_of(lambda x: x * x, lambda grad, x: grad * 3 * x)
wrong_sign = function_of(lambda x: x * x, lambda grad, x: grad * -2 * x)
wrong_one_element = function_of(lambda x: x * 1, lambda grad, x: grad + grad * (x == 0.25) * 0.01)
wrong_zero = function_of(lambda x: x * 1, lambda grad, x: None)
wrong_nan = function_of(lambda x: x * 1, lambda grad, x: grad * float("nan"))
not_linear = function_of(lambda x: x * 1, lambda grad, x: grad + 1e-9)
wrong_conjugate = function_of(lambda z: z * z, lambda grad, z: grad * 2 * z)
right_conjugate = function_of(lambda z: z * z, lambda grad, z: grad * 2 * z.conj())
wrong_second = function_of(lambda x: x**3, lambda grad, x: grad * 3 * x * x.detach())


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * x,
        lambda x: x.exp().sum(),
        lambda x: x.t() @ x,
        lambda x: (x.sin(), x.sum(1), x[0]),
        lambda x: [x.cos(), x.expand(2, 2, 3)],
        lambda x: x,
        lambda x: (x + 0).mul_(2),
        lambda x: x[:0] * 2,
        lambda x: x * (1 + 2j),
    ],
)
def test_right_gradients_pass(function, x, fast_mode):
    assert gradcheck(function, (x,), fast_mode=fast_mode) is True


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("function", [wrong_factor, wrong_sign, wrong_zero, wrong_nan, wrong_one_element])
def test_wrong_gradients_fail(function, x, fast_mode):
    with pytest.raises(GradcheckError, match="^Jacobian mismatch for output 0 with respect to input 0,\nnumerical:"):
        gradcheck(function, (x,), fast_mode=fast_mode)
    assert gradcheck(function, (x,), fast_mode=fast_mode, raise_exception=False) is False


def test_the_error_shows_both_jacobians():
    with pytest.raises(GradcheckError) as error:
        gradcheck(wrong_factor, (tensor([1.0, 2.0]),))
    numerical, analytical = str(error.value).split("numerical:")[1].split("analytical:")
    assert "[2.0000, 0.0000]" in numerical and "[0.0000, 4.0000]" in numerical
    assert "[3., 0.]" in analytical and "[0., 6.]" in analytical
    assert isinstance(error.value, RuntimeError)


def test_the_error_names_output_and_input(x):
    def function(a, b):
        return a * b, wrong_factor(b)

    with pytest.raises(GradcheckError, match="^Jacobian mismatch for output 1 with respect to input 1,"):
        gradcheck(function, (x, x.detach().clone().requires_grad_()))


def test_fast_mode_shows_the_jacobians_too():
    with pytest.raises(GradcheckError) as error:
        gradcheck(wrong_factor, (tensor([1.0, 2.0]),), fast_mode=True)
    assert "[2.0000, 0.0000]" in str(error.value)
    assert "[3., 0.]" in str(error.value)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_complex_gradients(z, fast_mode):
    right = [right_conjugate, lambda z: z * z, lambda z: z.abs(), lambda z: z.real * z.imag, lambda z: z.conj()]
    for function in right:
        assert gradcheck(function, (z,), fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match="^While considering the (real|imaginary) part of complex outputs only, J"):
        gradcheck(wrong_conjugate, (z,), fast_mode=fast_mode)


def test_real_inputs_of_complex_outputs(x):
    right = function_of(lambda x: x * (1 + 2j), lambda grad, x: (grad * (1 - 2j)).real)
    wrong = function_of(lambda x: x * (1 + 2j), lambda grad, x: (grad * (1 + 2j)).real)
    assert gradcheck(right, (x,))
    with pytest.raises(GradcheckError, match="^While considering the imaginary part of complex outputs only"):
        gradcheck(wrong, (x,))


def test_inputs_are_restored(x):
    before = x.detach().clone()
    gradcheck(lambda x: x * x, (x,))
    assert cygrad.equal(x.detach(), before)

    def raises(x):
        if bool((x.detach() != before).any()):
            raise KeyError("lost")
        return x * 2

    with pytest.raises(KeyError, match="lost"):
        gradcheck(raises, (x,))
    assert cygrad.equal(x.detach(), before)
    assert x.grad is None


def test_inputs_may_be_anything_but_overlapping(x):
    assert gradcheck(lambda x: x * x, x)
    assert gradcheck(lambda x, factor: x * factor, [x, 3.0])
    assert gradcheck(lambda a, b: a * b, (x, x))
    assert gradcheck(lambda x: x * x, (x * 2,))
    assert gradcheck(lambda x: x * x, (x.detach().t().requires_grad_(),))
    assert gradcheck(lambda x: x * x, (x.detach()[:, ::2].requires_grad_(),))
    assert gradcheck(lambda x: x * x, (tensor(2.0),))
    assert gradcheck(lambda x: x * x, (tensor([]),))
    for expanded in (x.detach()[:, :1].expand(2, 3).requires_grad_(), x[:, :1].expand(2, 3)):
        with pytest.raises(RuntimeError, match="^The 0th input has a dimension with stride 0. gradcheck only supports"):
            gradcheck(lambda x: x * x, (expanded,))


def test_some_input_must_require_a_gradient(x):
    with pytest.raises(ValueError, match="^gradcheck expects at least one input tensor to require gradient"):
        gradcheck(lambda x: x * x, (x.detach(),))
    with pytest.raises(ValueError, match="^gradcheck expects at least one input tensor to require gradient"):
        gradgradcheck(lambda x: x * x, (x.detach(),))


def test_single_precision_warns():
    x = tensor([1.0, 2.0], cygrad.float32)
    with pytest.warns(UserWarning, match="^Input #0 requires gradient and is not a double precision floating point or"):
        assert gradcheck(lambda x: x * x, (x,), eps=1e-2, atol=1e-2)


def test_outputs_without_a_graph_must_be_constant(x):
    assert gradcheck(lambda x: cygrad.ones(2), (x,))
    assert gradcheck(lambda x: x.argmax(), (x,))
    assert gradcheck(lambda x: (x * 2, x.detach()), (x,))
    with pytest.raises(GradcheckError, match="^Numerical gradient for function expected to be zero$"):
        gradcheck(lambda x: x.detach(), (x,))


def test_errors_of_the_function_are_its_own(x):
    for raise_exception in (True, False):
        with pytest.raises(ZeroDivisionError):
            gradcheck(lambda x: 1 / 0, (x,), raise_exception=raise_exception)


def test_the_step_is_eps_wide():
    x = tensor([1.0])
    assert gradcheck(lambda x: x**2, (x,), eps=0.1)  # central differences are exact for quadratics
    with pytest.raises(GradcheckError):  # and off by eps^2 = 0.01 for cubes
        gradcheck(lambda x: x**3, (x,), eps=0.1)
    assert gradcheck(lambda x: x**3, (x,), eps=0.1, atol=0.011, rtol=0)
    assert not gradcheck(lambda x: x**3, (x,), eps=0.1, atol=0.009, rtol=0, raise_exception=False)


def test_a_backward_must_repeat_itself(x):
    calls = []

    def drifting(grad, x):
        calls.append(None)
        return grad * (1 + 1e-9 * len(calls))

    function = function_of(lambda x: x * 1, drifting)
    with pytest.raises(GradcheckError, match="^Backward is not reentrant, i.e., running backward with same input and"):
        gradcheck(function, (x,))
    assert gradcheck(function, (x,), nondet_tol=1e-6)


def test_a_backward_must_be_linear(x):
    with pytest.raises(GradcheckError, match="^backward not multiplied by grad_output$"):
        gradcheck(not_linear, (x,))


class Pair(Function):
    """Two outputs; `backward` is wrong where neither has a gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 1, x * 2

    @staticmethod
    def backward(ctx, first, second):
        if first is None and second is None:
            return cygrad.ones(2, 3, dtype=cygrad.float64)
        return (0 if first is None else first) + (0 if second is None else second * 2)


def test_undefined_gradients_give_zeros(x):
    with pytest.raises(GradcheckError, match="^Expected all input grads to be undefined or zero when all output grads"):
        gradcheck(Pair.apply, (x,))
    assert gradcheck(Pair.apply, (x,), check_undefined_grad=False)


def test_gradients_have_their_inputs_dtypes(x):
    assert gradcheck(lambda x: x * x, (x,), check_grad_dtypes=True)


def test_second_derivatives(x, z):
    assert gradgradcheck(lambda x: x**3, (x,)) is True
    assert gradgradcheck(lambda a, b: (a * b).sin(), (x, x.detach().clone().requires_grad_()))
    assert gradgradcheck(lambda x: x * 3, (x,))
    assert gradgradcheck(lambda x: (x.exp(), x.sum()), (x,), gen_non_contig_grad_outputs=True)
    assert gradgradcheck(lambda x: x**3, (x,), fast_mode=True)
    assert gradgradcheck(lambda z: z * z * z.abs(), (z,))


def test_wrong_second_derivatives_fail(x):
    assert gradcheck(wrong_second, (x,))
    with pytest.raises(GradcheckError, match="^Jacobian mismatch for output 0 with respect to input 0,"):
        gradgradcheck(wrong_second, (x,))
    assert gradgradcheck(wrong_second, (x,), raise_exception=False) is False
    assert gradgradcheck(wrong_second, (x,), raise_exception=False, fast_mode=True) is False


def test_a_function_that_is_once_differentiable_fails(x):
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensors[0]

    assert gradcheck(Once.apply, (x,))
    with pytest.raises(RuntimeError, match="twice|Jacobian mismatch"):
        gradgradcheck(Once.apply, (x,))


def test_given_grad_outputs(x):
    ones = cygrad.ones(2, 3, dtype=cygrad.float64)
    assert gradgradcheck(lambda x: x**3, (x,), ones)
    assert gradgradcheck(lambda x: x**3, (x,), (ones.clone().requires_grad_(),))
    with pytest.raises(GradcheckError):
        gradgradcheck(wrong_second, (x,), ones)


def test_it_is_a_function_however_it_was_imported():
    script = "import cygrad; from cygrad.autograd.gradcheck import GradcheckError; cygrad.autograd.gradcheck.__call__"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_librarys_random_stream_is_left_alone(x):
    cygrad.manual_seed(3)
    expected = cygrad.rand(2)
    cygrad.manual_seed(3)
    gradcheck(lambda x: x * x, (x,), fast_mode=True)
    assert cygrad.equal(cygrad.rand(2), expected)


def test_what_makes_no_sense_is_refused(x):
    with pytest.raises(AssertionError, match="check_forward_ad"):
        gradcheck(lambda x: x * x, (x,), check_batched_forward_grad=True)
    with pytest.raises(AssertionError, match="check_fwd_over_rev"):
        gradgradcheck(lambda x: x * x, (x,), check_rev_over_rev=False)
    with pytest.raises(AssertionError, match="check_backward_ad"):
        gradcheck(lambda x: x * x, (x,), check_backward_ad=False)
    with pytest.raises(TypeError):
        gradcheck(lambda x: x * x, (x,), 1e-6)


def test_jacobians_by_their_deprecated_names():
    from cygrad.autograd.gradcheck import get_analytical_jacobian, get_numerical_jacobian
    x, y = (cygrad.rand(2, dtype=cygrad.float64, requires_grad=True) for _ in range(2))

    def both(inputs):
        return inputs[0] ** 2 + 3 * inputs[1], inputs[1]
    slopes = (2 * x.detach()).diag(), 3 * cygrad.eye(2, dtype=cygrad.float64)
    with pytest.warns(FutureWarning, match="`get_numerical_jacobian` was part of PyTorch's private API"):
        found = get_numerical_jacobian(both, (x, y), eps=1e-6)
    assert len(found) == 2 and all(one.allclose(other) for one, other in zip(found, slopes))
    with pytest.warns(FutureWarning):
        (one,) = get_numerical_jacobian(both, (x, y), target=y, eps=1e-6)
    assert one.allclose(slopes[1])
    with pytest.warns(FutureWarning, match="`get_analytical_jacobian`"):
        found, *flags = get_analytical_jacobian((x, y), both((x, y))[0])
    assert all(one.allclose(other) for one, other in zip(found, slopes)) and flags == [True, True, True]
    for call in (lambda: get_numerical_jacobian(both, (x, y), grad_out=2.0),
                 lambda: get_analytical_jacobian((x, y), both((x, y))[0], grad_out=2.0)):
        with pytest.warns(FutureWarning), pytest.raises(ValueError, match="Expected grad_out to be 1.0"):
            call()
