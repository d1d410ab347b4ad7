# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Callable, Sequence
from cygrad import Tensor
from typing import Any
class GradcheckError(RuntimeError): ...
def gradcheck(func: Callable[..., Any], inputs: Tensor | tuple[Any, ...], *, eps: float = 1e-06, atol: float = 1e-05,
        rtol: float = 0.001, raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
        check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
        check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None =
        None) -> bool: ...
def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Tensor | Sequence[Tensor] | None = None, *, eps:
        float = 1e-06, atol: float = 1e-05, rtol: float = 0.001, gen_non_contig_grad_outputs: bool = False,
        raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes:
        bool = False, check_batched_grad: bool = False, check_fwd_over_rev: bool = False, check_rev_over_rev: bool =
        True, fast_mode: bool = False, masked: bool = False) -> bool: ...
