"""The process groups of this program: the one of all processes, and those made of some of them."""
import os
import sys
import traceback
import warnings
from datetime import timedelta

from cygrad.distributed import environment, providers
from cygrad.distributed.backend import Backend
from cygrad.distributed.process_group import DEFAULT_TIMEOUT, ProcessGroup

__all__ = ["GroupMember", "destroy_process_group", "get_backend", "get_backend_config", "get_global_rank",
           "get_group_rank", "get_node_local_rank", "get_pg_count", "get_process_group_ranks", "get_rank",
           "get_world_size", "group", "init_process_group", "is_initialized", "new_group", "new_subgroups",
           "new_subgroups_by_enumeration", "split_group"]


class _World:
    """What `init_process_group` made; a process has one world at a time."""

    default = None          # the group of all processes
    rank = None             # in it, or in the last one
    made = 0                # how many groups were made in this world: their names
    groups = []             # all groups of the world that this process is in


class _WorldOf(type):
    """Lets `group.WORLD` be the group of all processes, which comes and goes."""

    @property
    def WORLD(cls):
        return _World.default


class group(metaclass=_WorldOf):
    """`group.WORLD`: the group of all processes, or None before `init_process_group`."""


class GroupMember(metaclass=_WorldOf):
    """`GroupMember.WORLD`, and what `new_group` returns on processes that are not in it."""

    NON_GROUP_MEMBER = -100


# ---------------------------------------------------------------------- beginning and end

def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    """
    Make the group of all processes of this program. All of them call it, once.

    Parameters
    ----------
    backend : str, optional
        ``"mpi"``; ``"gloo"``, PyTorch's name for processes that meet in host memory, which MPI serves too, and which
        needs no package for a program of one process; or what another package provides.
    init_method : str, optional
        ``"env://"``: rank and number of processes are in `RANK` and `WORLD_SIZE`, or in the variables of ``mpiexec``
        or SLURM. Of ``tcp://`` and ``file://`` only the parameters are read: MPI knows how the processes meet.
    timeout : timedelta, optional
        After which a collective that others don't join is an error; 30 minutes by default.
    world_size, rank : int, optional
        As `RANK` and `WORLD_SIZE`.
    store : Store, optional
        Given to what `Backend.register_backend` was told of; else not used.
    pg_options, device_id : optional
        Not used.

    Raises
    ------
    ValueError
        If there is a group already, or nothing says who this process is.
    ProcessGroupLoadError
        If no package provides the backend, or it needs one that is not installed.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.get_rank(), dist.get_world_size()
    (0, 1)
    >>> dist.destroy_process_group()
    """
    if _World.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    name = providers.named(backend)
    timeout = checked_timeout(DEFAULT_TIMEOUT if timeout is None else timeout)
    if name == "mpi":
        if (world_size, rank) != (-1, -1):
            warnings.warn(f"For MPI backend, world_size ({world_size}) and rank ({rank}) are ignored since they are "
                          "assigned by the MPI runtime.", stacklevel=2)
        rank = world_size = -1
    else:
        rank, world_size = environment.place(rank, world_size, init_method)
        if not 0 <= rank < world_size:
            raise ValueError(f"rank {rank} is not one of 0 to {world_size - 1}")
    _name_rank_in_tracebacks()
    alone = name == "gloo" and world_size == 1 and environment.launched() in (None, (0, 1, 0, 1))
    if name in providers.registered:
        made = providers.made_by_user(name, init_method, store, rank, world_size, timeout)
    else:
        made = providers.load("local" if alone else name).open(rank, world_size, timeout)
    made.backend, made.group_name, made.group_desc = name, "0", "default_pg"
    _World.default, _World.made, _World.groups = made, 1, [made]
    _World.rank = made.rank()


def destroy_process_group(group=None):
    """
    Give a group back; without one, all of them: `init_process_group` may be called again.

    Parameters
    ----------
    group : ProcessGroup, optional

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.destroy_process_group()
    >>> dist.is_initialized()
    False
    """
    if group == GroupMember.NON_GROUP_MEMBER:
        return
    made = group or _World.default
    if made is None:
        raise AssertionError("Process group cannot be None")
    if made not in _World.groups:
        raise ValueError("Invalid process group specified")
    ending = list(reversed(_World.groups)) if made is _World.default else [made]
    for each in ending:
        each.close()
        _World.groups.remove(each)
    if made is _World.default:
        _World.default = None


def _name_rank_in_tracebacks():
    """Begin the lines of this process's last traceback with its rank. Before the group is made, which may have a hook
    of its own around this one."""
    before = sys.excepthook
    if getattr(before, "names_rank", False):
        return

    def hook(kind, error, trace):
        rank = _World.rank
        if before is not sys.__excepthook__ or rank is None:
            before(kind, error, trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write("".join(f"[rank{rank}]: {line}\n" for line in text.rstrip().split("\n")))
        sys.stderr.flush()

    hook.names_rank = True
    sys.excepthook = hook


# ---------------------------------------------------------------------- groups and ranks

def resolved(given):
    """The group that an argument stands for: None is that of all processes."""
    if given is None or given is _World.default:
        return default()
    return given


def default():
    """The group of all processes; raises ValueError before `init_process_group`."""
    if _World.default is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _World.default


def outside(given):
    """Whether this process is not in the group."""
    return given is not None and given == GroupMember.NON_GROUP_MEMBER


def warn_outside(name):
    """Say that a call does nothing here, since this process is not in the group."""
    rank = -1 if _World.default is None else _World.default.rank()
    warnings.warn(f"Running {name} on global rank {rank} which does not belong to the given group.", stacklevel=3)


def checked_timeout(timeout):
    """The timeout, if it is a timedelta."""
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    return timeout


def is_initialized():
    """Whether `init_process_group` was called."""
    return _World.default is not None


def get_rank(group=None):
    """This process's rank in a group, by default in that of all processes; -1 if it is not in it."""
    if outside(group):
        return -1
    world = default()
    return world.rank() if group is None or group is world else get_group_rank(group, world.rank())


def get_world_size(group=None):
    """How many processes a group has; -1 if this one is not in it."""
    return -1 if outside(group) else resolved(group).size()


def get_backend(group=None):
    """The name with which the group was made."""
    if outside(group) or resolved(group) not in _World.groups:
        raise ValueError("Invalid process group specified")
    return Backend(resolved(group).backend)


def get_backend_config(group=None):
    """The group's name for each kind of device, as PyTorch writes it."""
    name = get_backend(group)
    return f"cpu:{name},cuda:{name}"


def get_process_group_ranks(group=None):
    """The world's ranks that are in a group."""
    return list(resolved(group).ranks)


def get_pg_count():
    """How many groups this process is in."""
    return len(_World.groups)


def get_group_rank(group, global_rank):
    """The rank in a group of one of the world's ranks."""
    if group is _World.default:
        return global_rank
    _known(group)
    if global_rank not in group.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return group.ranks.index(global_rank)


def get_global_rank(group, group_rank):
    """The world's rank of a rank in a group."""
    if group is _World.default:
        return group_rank
    _known(group)
    if not 0 <= group_rank < group.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return group.ranks[group_rank]


def _known(group):
    if group not in _World.groups:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")


def rank_in(group, global_rank, group_rank, default_rank=None):
    """The rank in the group that an argument pair such as `src` and `group_src` names, and which there is."""
    if group_rank is not None:
        if global_rank is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
    else:
        if global_rank is None:
            global_rank = default_rank
        if global_rank is None:
            raise ValueError("Must specify global_rank or group_rank")
        group_rank = get_group_rank(group, global_rank)
    if not isinstance(group_rank, int):
        raise TypeError(f"a rank is an int, but got {type(group_rank).__name__}")
    if not 0 <= group_rank < group.size():
        raise ValueError(f"Invalid rank {group_rank}: the group has ranks 0 to {group.size() - 1}")
    return group_rank


def get_node_local_rank(fallback_rank=None):
    """This process's number on its host."""
    found = environment.local_rank()
    if found is None:
        found = fallback_rank
    if found is None:
        raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
                           "`get_node_local_rank` to work, assuming you are not running in a multi-device context and "
                           "want the code to run locally instead.")
    return int(found)


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False,
              group_desc=None, device_id=None, sort_ranks=True):
    """
    A group of some of the processes. All processes call it, those outside too, in the same order.

    Parameters
    ----------
    ranks : list of int, optional
        The world's ranks; all by default.
    timeout : timedelta, optional
        For the group's collectives; 30 minutes by default.
    backend : str, optional
        Its name; the group is of the world's kind in any case.
    use_local_synchronization : bool
        Only the members call it.
    group_desc : str, optional
        What the group is for.
    pg_options, device_id : optional
        Not used.

    Returns
    -------
    ProcessGroup
        On members; `GroupMember.NON_GROUP_MEMBER` on others.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.get_process_group_ranks(dist.new_group([0]))
    [0]
    >>> dist.destroy_process_group()
    """
    world = default()
    if use_local_synchronization:
        if world.backend == "mpi":
            raise ValueError("MPI backend doesn't support use_local_synchronization=True")
        if ranks is not None and world.rank() not in ranks:
            return None
    ranks = _members(ranks, world.size(), sort_ranks)
    return _part(world, ranks, timeout, backend, group_desc, use_local_synchronization and len(ranks) < world.size())


def _part(parent, ranks, timeout, backend, group_desc, members_only=False):
    """The group of these of the world's ranks, which are in `parent`; all ranks of `parent` call it, or the members."""
    timeout = checked_timeout(DEFAULT_TIMEOUT if timeout is None else timeout)
    made = parent.split(ranks, timeout, f"new_group({ranks})", members_only)
    name = str(_World.made)
    _World.made += 1
    if made is None:
        return GroupMember.NON_GROUP_MEMBER
    made.backend = providers.named(backend) if backend else parent.backend
    made.group_name, made.group_desc = name, group_desc or "undefined"
    _World.groups.append(made)
    return made


def _members(ranks, world_size, sort_ranks):
    """The ranks of a new group, checked."""
    if ranks is None:
        return list(range(world_size))
    ranks = sorted(ranks) if sort_ranks else list(ranks)
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    if len(ranks) > world_size:
        raise ValueError("the new group's world size should be less or equal to the world size set by "
                         "init_process_group")
    for rank in ranks:
        if not 0 <= rank < world_size:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {world_size - 1} "
                             f"(world_size={world_size})")
    if not ranks:
        raise ValueError("a group needs at least one rank")
    return ranks


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """
    Groups of `group_size` neighbours each.

    Parameters
    ----------
    group_size : int, optional
        By default the number of processes on each host.
    group : ProcessGroup, optional
        Whose ranks are divided, and call it; all by default.
    timeout, backend, pg_options, group_desc : optional
        As in `new_group`.

    Returns
    -------
    tuple
        The group that this process is in, and a list of all.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.new_subgroups(1)[0].ranks
    [0]
    >>> dist.destroy_process_group()
    """
    if group_size is None:
        group_size = environment.number("LOCAL_WORLD_SIZE") or (environment.launched() or (0, 0, 0, 1))[3] or 1
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    world_size = get_world_size(group)
    if world_size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({world_size})")
    if world_size % group_size:
        raise ValueError(f"The world size ({world_size}) must be divisible by '{group_size=}'")
    ranks = get_process_group_ranks(group)
    parts = [ranks[i:i + group_size] for i in range(0, len(ranks), group_size)]
    return _parts(resolved(group), parts, timeout, backend, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None,
                                 group_desc=None):
    """
    A group for each of these lists of ranks, which don't overlap.

    Parameters
    ----------
    ranks_per_subgroup_list : list of list of int
    timeout, backend, pg_options, group_desc : optional
        As in `new_group`.

    Returns
    -------
    tuple
        The group that this process is in, or None, and a list of all.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.new_subgroups_by_enumeration([[0]])[0].ranks
    [0]
    >>> dist.destroy_process_group()
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    return _parts(default(), ranks_per_subgroup_list, timeout, backend, group_desc)


def _parts(parent, lists, timeout, backend, group_desc):
    """The group that this process is in, or None, and a list of all: parts of `parent`, whose ranks call it."""
    made, own, seen = [], None, {}
    for ranks in lists:
        ranks = _members(ranks, default().size(), True)
        made.append(_part(parent, ranks, timeout, backend, group_desc))
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {ranks}")
            seen[rank] = ranks
            if rank == get_rank():
                own = made[-1]
    return own, made


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, backend=None):
    """
    Groups of some of a group's ranks, which don't overlap; all ranks of the group call it.

    Parameters
    ----------
    parent_pg : ProcessGroup, optional
        All processes by default.
    split_ranks : list of list of int
        Ranks in that group.
    timeout, pg_options, group_desc, backend : optional
        As in `new_group`.

    Returns
    -------
    ProcessGroup or None
        The one that this process is in.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.split_group(split_ranks=[[0]]).ranks
    [0]
    >>> dist.destroy_process_group()
    """
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    parent = resolved(parent_pg)
    lists = [[get_global_rank(parent, rank) for rank in ranks] for ranks in split_ranks]
    return _parts(parent, lists, timeout, backend, group_desc)[0]


def is_torchelastic_launched():
    """Whether `python -m cygrad.distributed.run`, or torchrun, has started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def another(given, description):
    """A further group of the same ranks, for calls beside the program's; all ranks of the group call it."""
    made = given.split(given.ranks, given.timeout, f"new_group({given.ranks})")
    made.backend, made.group_name, made.group_desc = given.backend, f"{given.group_name}.{description}", description
    _World.groups.append(made)
    return made


def known(given):
    """Whether a value is a group of this world."""
    return isinstance(given, ProcessGroup) and given in _World.groups
