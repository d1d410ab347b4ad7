"""State dicts under names that don't depend on how a module is distributed: those of the module by itself.

An optimiser's state goes by the names of its parameters, not by numbers, so that a checkpoint of one arrangement of
ranks is read in another. What `fully_shard` has divided stays divided (`checkpoint.save` knows what to do with it), or
is put together: `StateDictOptions(full_state_dict=True)`.
"""
from collections.abc import Mapping
from dataclasses import dataclass

import cygrad
import cygrad.distributed as dist

__all__ = ["StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict",
           "set_model_state_dict", "set_optimizer_state_dict", "set_state_dict"]

GROUPS, STATE, PARAMETERS = "param_groups", "state", "params"


@dataclass
class StateDictOptions:
    """
    What a state dict is like.

    Parameters
    ----------
    full_state_dict : bool
        Divided tensors are put together; all ranks call.
    cpu_offload : bool
        Tensors are in host memory; with `full_state_dict` on rank 0 only, and others get an empty dict.
    ignore_frozen_params : bool
        Leave out parameters that require no gradient.
    keep_submodule_prefixes : bool
        With `submodules`: names are those of the whole module.
    strict : bool
        As in `Module.load_state_dict`.
    broadcast_from_rank0 : bool
        To set a full state dict that only rank 0 has.
    flatten_optimizer_state_dict : bool
        One dict of names such as ``state.layer.weight.exp_avg`` and ``param_groups.layer.weight.lr``.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False

    def __post_init__(self):
        if self.broadcast_from_rank0 and not self.full_state_dict:
            raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")


# ---------------------------------------------------------------------- names

def own_name(model, name):
    """A parameter's name without the wrappers around modules on its way: `DistributedDataParallel`, `compile`."""
    kept, here = [], model
    for part in name.split("."):
        wrapped = part == "module" and hasattr(here, "reducer") or part == "_orig_mod"
        if not wrapped:
            kept.append(part)
        here = getattr(here, part, None)
    return ".".join(kept)


def parameters_of(model):
    """{identity of a parameter: its name}."""
    return {id(parameter): own_name(model, name)
            for name, parameter in model.named_parameters(remove_duplicate=False)}


def checked(options):
    return StateDictOptions() if options is None else options


def listed(optimizers):
    return [optimizers] if isinstance(optimizers, cygrad.optim.Optimizer) else list(optimizers)


# ---------------------------------------------------------------------- tensors

def given(value, options):
    """A value as the options want it; the same calls on all ranks."""
    if isinstance(value, dict):
        return {key: given(each, options) for key, each in value.items()}
    if not isinstance(value, cygrad.Tensor):
        return value
    if options.full_state_dict and hasattr(value, "full_shape"):
        value = value.full_tensor()
    return value.detach().cpu() if options.cpu_offload and not hasattr(value, "full_shape") else value


def part_for(parameter, value):
    """What this rank needs of a whole tensor: its rows, where the parameter is divided."""
    if isinstance(value, cygrad.Tensor) and hasattr(parameter, "full_shape") and not hasattr(value, "full_shape") \
            and value.shape == parameter.full_shape:
        first, end = parameter.rows()
        return value[first:end]
    return value


def elsewhere(options):
    """Whether this rank gives an empty state dict, since rank 0 has it all."""
    return options.full_state_dict and options.cpu_offload and dist.is_initialized() and dist.get_rank() > 0


def from_first(state, options):
    """Rank 0's state dict, on all ranks."""
    if not options.broadcast_from_rank0 or not dist.is_initialized():
        return state
    sent = [state if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(sent, 0)
    return sent[0]


# ---------------------------------------------------------------------- modules

def get_model_state_dict(model, *, submodules=None, options=None):
    """
    The state dict of a module, whatever is around it.

    Parameters
    ----------
    model : Module
        Also one in `DistributedDataParallel`, or after `fully_shard`.
    submodules : set of Module, optional
        Of these only.
    options : StateDictOptions, optional

    Returns
    -------
    dict

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributed.checkpoint.state_dict import get_model_state_dict
    >>> list(get_model_state_dict(cygrad.nn.Sequential(cygrad.nn.Linear(2, 1))))
    ['0.weight', '0.bias']
    """
    options = checked(options)
    frozen = {own_name(model, name) for name, each in model.named_parameters(remove_duplicate=False)
              if not each.requires_grad} if options.ignore_frozen_params else ()
    found = {}
    for name, value in model.state_dict().items():
        name = own_name(model, name)
        if name not in frozen:
            found[name] = given(value, options)
    if submodules:
        found = below(model, submodules, found, options.keep_submodule_prefixes)
    return {} if elsewhere(options) else found


def below(model, submodules, state, keep_prefixes):
    """Of a state dict what belongs to these modules."""
    found = {}
    for name, module in model.named_modules():
        if module in submodules:
            start = own_name(model, name) + "."
            found.update({key if keep_prefixes else key[len(start):]: value for key, value in state.items()
                          if key.startswith(start)})
    return found


def set_model_state_dict(model, model_state_dict, *, options=None):
    """
    Load what `get_model_state_dict` has given, into a module that may be arranged otherwise.

    Parameters
    ----------
    model : Module
    model_state_dict : dict
        Also whole tensors for a module that is divided.
    options : StateDictOptions, optional

    Returns
    -------
    IncompatibleKeys
        `missing_keys` and `unexpected_keys`.

    Raises
    ------
    RuntimeError
        If keys or shapes differ, and `options.strict` is not False.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
    >>> model = cygrad.nn.Linear(2, 1)
    >>> set_model_state_dict(model, get_model_state_dict(model))
    <All keys matched successfully>
    """
    options = checked(options)
    state = from_first(model_state_dict, options)
    if not state:               # of the ranks that were given none
        return type(model.load_state_dict({}, strict=False))([], [])
    targets = {own_name(model, name): (name, value) for name, value in model.state_dict().items()}
    loaded = {}
    for name, value in state.items():
        there, like = targets.get(name, (name, None))
        loaded[there] = part_for(like, value)
    return model.load_state_dict(loaded, strict=options.strict)


# ---------------------------------------------------------------------- optimisers

def made_up(optimizer):
    """See that an optimiser has its state: by a step of length 0, if it has made none."""
    if optimizer.state:
        return
    parameters = [each for group in optimizer.param_groups for each in group[PARAMETERS] if each.requires_grad]
    if any(parameter.grad is not None for parameter in parameters):
        raise RuntimeError("state_dict can only be used if the optimizer states are initialized (usually after one "
                           "step() with gradients) or gradients are None. For the later case, state_dict will fake the "
                           "gradients as zero to initialize the optimizer states. However, the gradients are not None.")
    rates = [group.get("lr") for group in optimizer.param_groups]
    for group, rate in zip(optimizer.param_groups, rates):
        if rate is not None:
            group["lr"] = cygrad.zeros_like(rate) if isinstance(rate, cygrad.Tensor) else 0.0
    try:
        for parameter in parameters:
            parameter.grad = cygrad.zeros_like(parameter)
        optimizer.step(closure=None)
    finally:
        for group, rate in zip(optimizer.param_groups, rates):
            if rate is not None:
                group["lr"] = rate
        optimizer.zero_grad(set_to_none=True)


def get_optimizer_state_dict(model, optimizers, *, submodules=None, options=None):
    """
    The state of a module's optimisers, by the names of its parameters.

    Parameters
    ----------
    model : Module
    optimizers : Optimizer or iterable of Optimizer
        One that has made no step gets its first state.
    submodules : set of Module, optional
        Of the parameters of these only.
    options : StateDictOptions, optional

    Returns
    -------
    dict
        ``{"state": {name: {...}}, "param_groups": [...]}``; of all optimisers in one.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributed.checkpoint.state_dict import get_optimizer_state_dict
    >>> model = cygrad.nn.Linear(2, 1)
    >>> found = get_optimizer_state_dict(model, cygrad.optim.Adam(model.parameters()))
    >>> sorted(found["state"]), sorted(found["state"]["bias"])
    (['bias', 'weight'], ['exp_avg', 'exp_avg_sq', 'step'])
    """
    options, names = checked(options), parameters_of(model)
    found = {STATE: {}, GROUPS: []}
    for optimizer in listed(optimizers):
        made_up(optimizer)
        own, numbers = optimizer.state_dict(), numbered(optimizer)
        found[STATE].update({names[id(numbers[number])]: given(state, options) for number, state in own[STATE].items()})
        found[GROUPS] += [dict(group, params=[names[id(numbers[number])] for number in group[PARAMETERS]])
                          for group in own[GROUPS]]
    if submodules:
        found = of_modules(found, below(model, submodules, dict.fromkeys(names.values()), True))
    if options.flatten_optimizer_state_dict:
        found = flattened(found)
    return {} if elsewhere(options) else found


def of_modules(state, names):
    """Of an optimiser's state what these names have."""
    groups = [dict(group, params=[name for name in group[PARAMETERS] if name in names]) for group in state[GROUPS]]
    return {STATE: {name: each for name, each in state[STATE].items() if name in names},
            GROUPS: [group for group in groups if group[PARAMETERS]]}


def numbered(optimizer):
    """An optimiser's parameters, in the order in which its state dict numbers them."""
    return [parameter for group in optimizer.param_groups for parameter in group[PARAMETERS]]


def flattened(state):
    """One dict of dotted names."""
    found = {f"{STATE}.{name}.{key}": value for name, each in state[STATE].items() for key, value in each.items()}
    for group in state[GROUPS]:
        found.update({f"{GROUPS}.{name}.{key}": value for name in group[PARAMETERS] for key, value in group.items()
                      if key != PARAMETERS})
    return found


def unflattened(state, optimizers, names):
    """What `flattened` was given, for these optimisers."""
    found = {STATE: {}, GROUPS: []}
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            own = [names[id(parameter)] for parameter in group[PARAMETERS]]
            options = {key: state[f"{GROUPS}.{own[0]}.{key}"] for key in group
                       if own and f"{GROUPS}.{own[0]}.{key}" in state}
            found[GROUPS].append(dict(options, params=own))
            for name in own:
                start = f"{STATE}.{name}."
                found[STATE][name] = {key[len(start):]: value for key, value in state.items() if key.startswith(start)}
    return found


def set_optimizer_state_dict(model, optimizers, optim_state_dict, *, options=None):
    """
    Load what `get_optimizer_state_dict` has given, into optimisers of a module that may be arranged otherwise.

    Parameters
    ----------
    model : Module
    optimizers : Optimizer or iterable of Optimizer
    optim_state_dict : dict
        Flattened or not.
    options : StateDictOptions, optional

    Raises
    ------
    KeyError
        If a parameter's group is not there; its state, too, unless `options.strict` is False.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
    >>> model = cygrad.nn.Linear(2, 1)
    >>> optimizer = cygrad.optim.SGD(model.parameters(), lr=0.1)
    >>> state = get_optimizer_state_dict(model, cygrad.optim.SGD(model.parameters(), lr=0.5))
    >>> set_optimizer_state_dict(model, optimizer, state)
    >>> optimizer.param_groups[0]["lr"]
    0.5
    """
    options, names = checked(options), parameters_of(model)
    state = from_first(optim_state_dict, options)
    if not state:
        return
    optimizers = listed(optimizers)
    if GROUPS not in state:
        state = unflattened(state, optimizers, names)
    groups = {name: group for group in state[GROUPS] for name in group[PARAMETERS]}
    for optimizer in optimizers:
        made_up(optimizer)
        own, parameters = optimizer.state_dict(), numbered(optimizer)
        for group in own[GROUPS]:
            for number in group[PARAMETERS]:
                name, parameter = names[id(parameters[number])], parameters[number]
                if name in state[STATE]:
                    own[STATE][number] = part_of_state(parameter, state[STATE][name])
                elif number in own[STATE] and options.strict:
                    raise KeyError(f"{name} is not in the optimizer state dict")
                if name not in groups:
                    raise KeyError(f"{name} is in no group of the optimizer state dict")
                group.update({key: value for key, value in groups[name].items() if key != PARAMETERS})
        optimizer.load_state_dict(own)


def part_of_state(parameter, state):
    """A parameter's state, of which each tensor of its shape is divided as it is."""
    return {key: part_for(parameter, value) for key, value in state.items()} if isinstance(state, Mapping) else state


# ---------------------------------------------------------------------- both

def get_state_dict(model, optimizers, *, submodules=None, options=None):
    """
    `get_model_state_dict` and `get_optimizer_state_dict`.

    Parameters
    ----------
    model : Module
    optimizers : Optimizer or iterable of Optimizer
    submodules : set of Module, optional
    options : StateDictOptions, optional

    Returns
    -------
    tuple of dict

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributed.checkpoint.state_dict import get_state_dict
    >>> model = cygrad.nn.Linear(2, 1)
    >>> weights, state = get_state_dict(model, cygrad.optim.Adam(model.parameters()))
    """
    return (get_model_state_dict(model, submodules=submodules, options=options),
            get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options))


def set_state_dict(model, optimizers, *, model_state_dict, optim_state_dict, options=None):
    """
    `set_model_state_dict` and `set_optimizer_state_dict`.

    Parameters
    ----------
    model : Module
    optimizers : Optimizer or iterable of Optimizer
    model_state_dict, optim_state_dict : dict
    options : StateDictOptions, optional

    Returns
    -------
    IncompatibleKeys
        Of the module.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
    >>> model = cygrad.nn.Linear(2, 1)
    >>> optimizer = cygrad.optim.Adam(model.parameters())
    >>> weights, state = get_state_dict(model, optimizer)
    >>> set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=state)
    <All keys matched successfully>
    """
    found = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return found
