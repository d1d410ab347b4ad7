"""Who this process is: `RANK` and `WORLD_SIZE` as torchrun sets them, or what MPI's launchers and SLURM set."""
import os

__all__ = ["LAUNCHERS", "launched", "local_rank", "place", "set_variables"]

# What starts the processes, and its variables for: rank, number of processes, rank on this host, processes here.
LAUNCHERS = {
    "MPICH": ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                 "OMPI_COMM_WORLD_LOCAL_SIZE"),
    "SLURM": ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_TASKS_PER_NODE"),
}
VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")


def number(variable):
    """The number that a variable begins with (SLURM writes "4(x2)"), or None."""
    digits = os.environ.get(variable, "").partition("(")[0].partition(",")[0].strip()
    return int(digits) if digits.lstrip("-").isdigit() else None


def launched():
    """(rank, world size, local rank, local world size) of the launcher, or None where none has started this process."""
    for variables in LAUNCHERS.values():
        found = list(map(number, variables))
        if found[0] is not None and found[1] is not None:
            return tuple(found)
    return None


def place(rank, world_size, init_method):
    """(rank, world size) of what was passed, else of the variables, else of the launcher.

    Raises ValueError where nothing says them, in PyTorch's words.
    """
    scheme = (init_method or "env://").partition("://")[0]
    if scheme not in ("env", "tcp", "file"):
        raise RuntimeError(f"No rendezvous handler for {scheme}://")
    if "?" in (init_method or ""):
        options = dict(part.partition("=")[::2] for part in init_method.partition("?")[2].split("&"))
        rank = int(options.get("rank", rank)) if rank == -1 else rank
        world_size = int(options.get("world_size", world_size)) if world_size == -1 else world_size
    started = launched()
    found = []
    for given, variable, at in ((rank, "RANK", 0), (world_size, "WORLD_SIZE", 1)):
        if given == -1 and scheme == "env":
            given = number(variable)
        if given in (None, -1) and started is not None:
            given = started[at]
        if given in (None, -1):
            missing = (f"environment variable {variable} expected, but not set" if scheme == "env"
                       else f"{variable.lower().replace('_', ' ')} parameter missing")
            raise ValueError(f"Error initializing torch.distributed using {scheme}:// rendezvous: {missing}")
        found.append(given)
    return tuple(found)


def local_rank():
    """This process's number on its host, or None."""
    started = launched()
    found = number("LOCAL_RANK")
    return found if found is not None else started[2] if started else None


def set_variables():
    """Let scripts that read RANK, WORLD_SIZE, LOCAL_RANK and LOCAL_WORLD_SIZE find them, whatever the launcher."""
    started = launched()
    for variable, value in zip(VARIABLES, started or ()):
        if value is not None:
            os.environ[variable] = str(value)
