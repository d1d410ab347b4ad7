"""`cygrad.func`: functions that turn functions into their derivatives, and into functions of whole batches."""
from cygrad.func.vmapping import vmap
from cygrad.func.forward import jvp, linearize
from cygrad.func.functional_modules import (functional_call, functionalize, replace_all_batch_norm_modules_,
                                            stack_module_state)
from cygrad.func.jacobians import hessian, jacfwd, jacrev
from cygrad.func.axis_patterns import rearrange
from cygrad.func.reverse import grad, grad_and_value, vjp

__all__ = ["functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
           "linearize", "rearrange", "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap"]
