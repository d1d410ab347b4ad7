"""What the transforms share: which arguments are differentiated, and PyTorch's errors about arguments and outputs."""
import functools

from cygrad.autograd.grad_mode import inference_mode, no_grad
from cygrad.autograd.modes import inference_mode_enabled
from cygrad.tensor import Tensor


def outside_inference(function):
    """Have a function make tensors that are none of inference mode, inside it, too, as PyTorch's transforms do."""
    @functools.wraps(function)
    def called(*args, **kwargs):
        if not inference_mode_enabled():
            return function(*args, **kwargs)
        with inference_mode(False), no_grad():
            return function(*args, **kwargs)
    return called


def differentiated(args, argnums):
    """The arguments that `argnums` names: one, or a tuple of them."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, int):
        return args[_place(argnums, len(args))]
    if not argnums:
        raise RuntimeError("argnums must be non-empty")
    places = tuple(_place(number, len(args)) for number in argnums)
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {places}")
    return tuple(args[place] for place in places)


def replaced(args, argnums, values):
    """The arguments with others in the places that `argnums` names."""
    args = list(args)
    if isinstance(argnums, int):
        args[_place(argnums, len(args))] = values
    else:
        for number, value in zip(argnums, values):
            args[_place(number, len(args))] = value
    return tuple(args)


def _place(number, count):
    if not isinstance(number, int):
        raise RuntimeError(f"argnum must be int, got: {type(number)}")
    if not -count <= number < count:
        raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    return number % count


def output_and_aux(found, caller):
    """What a function with `has_aux` returned."""
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(f"{caller}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return found


def as_tensor(value):
    """What `func` returned beside its output, which has to be a nest of tensors."""
    if not isinstance(value, Tensor):
        raise RuntimeError(f"Expected tensors, got unsupported type {type(value)}")
    return value


def check_tensors(outputs, caller):
    """Refuse outputs that are no tensors."""
    if len(outputs) < 1 or len(outputs) == 1 and outputs[0] is None:
        raise RuntimeError(f"{caller}: Expected f to be a function that has non-empty output (got output = {outputs})")
    for output in outputs:
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{caller}: expected f(*primals) to return only tensors, got unsupported type "
                               f"{type(output)}")


def check_list(values, caller, name):
    """Refuse an argument without tensors, or with anything else."""
    if not values:
        raise RuntimeError(f"{caller}: Expected {name} to contain at least one Tensor.")
    for value in values:
        if not isinstance(value, Tensor):
            raise RuntimeError(f"{caller}: Expected {name} to only contain Tensors, got {type(value)}")


def refuse_complex(caller, values, what):
    for i, value in enumerate(values):
        if isinstance(value, Tensor) and value.is_complex():
            raise RuntimeError(f"{caller}: Expected all {what} to be real but received complex tensor at flattened "
                               f"input idx: {i}")
