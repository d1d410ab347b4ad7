"""What `cygrad.cuda` has beside what every backend's namespace has; named as in ``torch.cuda``."""
from typing import NamedTuple

from cygrad.devices import discovery
from cygrad.errors import OutOfMemoryError  # noqa: F401
from cygrad.ops.random import seeding

from cygrad_cuda import compiler
from cygrad_cuda.graphs import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing, make_graphed_callables  # noqa: F401
from cygrad_cuda.streams import (Event, ExternalStream, Stream, current_stream, default_stream, opened,  # noqa: F401
                                 set_stream, stream)

StreamContext = stream
get_stream_from_external = ExternalStream


def init():
    """Start the driver now; it starts by itself when a device is first used."""
    opened()


def is_initialized():
    """Whether the driver was started."""
    return discovery.load("cuda").driver is not None


def get_device_name(device=None):
    """NVIDIA's name of a device."""
    index = device if isinstance(device, int) else opened(device).context.index
    return discovery.load("cuda").device_name(index)


def get_device_capability(device=None):
    """(major, minor) of the compute capability."""
    return opened(device).capability


class DeviceProperties(NamedTuple):
    """What there is to know of a device."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int
    max_threads_per_multi_processor: int
    shared_memory_per_block: int
    shared_memory_per_block_optin: int
    regs_per_multiprocessor: int
    L2_cache_size: int
    clock_rate: int
    memory_clock_rate: int
    memory_bus_width: int
    is_integrated: int
    pci_bus_id: int
    pci_device_id: int
    pci_domain_id: int


def get_device_properties(device=None):
    """What the driver says of a device."""
    found = opened(device)
    wanted = ("MULTIPROCESSOR_COUNT", "WARP_SIZE", "MAX_THREADS_PER_MULTIPROCESSOR", "MAX_SHARED_MEMORY_PER_BLOCK",
              "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", "MAX_REGISTERS_PER_MULTIPROCESSOR", "L2_CACHE_SIZE", "CLOCK_RATE",
              "MEMORY_CLOCK_RATE", "GLOBAL_MEMORY_BUS_WIDTH", "INTEGRATED", "PCI_BUS_ID", "PCI_DEVICE_ID",
              "PCI_DOMAIN_ID")
    _, total = found.context.call("cuMemGetInfo")
    return DeviceProperties(found.name, *found.capability, total, *map(found.attribute, wanted))


def get_arch_list():
    """The architectures that kernels can be compiled for."""
    return [f"sm_{each}" for each in compiler.version()[1]]


def is_bf16_supported(including_emulation=True):
    """Whether there is a device, which computes with bfloat16 (before compute capability 8.0, by float32)."""
    if not discovery.load("cuda").device_count():
        return False
    return including_emulation or get_device_capability() >= (8, 0)


def is_tf32_supported():
    """Whether the current device multiplies in TF32."""
    return bool(discovery.load("cuda").device_count()) and get_device_capability() >= (8, 0)


def can_device_access_peer(device, peer_device):
    """Whether one device reaches another's memory past the host."""
    a, b = opened(device), opened(peer_device)
    if a is b:
        return False
    return bool(a.context.call("cuDeviceCanAccessPeer", a.context.device, b.context.device))


def set_per_process_memory_fraction(fraction, device=None):
    """Let tensors take no more than this part of a device's memory."""
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    found = opened(device)
    _, total = found.context.call("cuMemGetInfo")
    found.pool.limit(int(fraction * total))


def memory_summary(device=None, abbreviated=False):
    """`memory_stats` of a device as a table."""
    found = opened(device)
    stats = found.pool.counts()
    lines = [f"Memory of cuda:{found.context.index}, {found.name}",
             f"retries: {stats['num_alloc_retries']}, out of memory: {stats['num_ooms']}",
             f"{'':18}{'now':>16}{'at most':>16}{'allocated':>18}{'freed':>18}"]
    for name in ("allocated_bytes", "reserved_bytes", *(() if abbreviated else ("allocation", "segment"))):
        now, most, ever, freed = (stats[f"{name}.all.{what}"] for what in ("current", "peak", "allocated", "freed"))
        lines.append(f"{name.replace('_', ' '):18}{now:>16,}{most:>16,}{ever:>18,}{freed:>18,}")
    return "\n".join(lines)


# ---- random numbers: the host's, so that they are the same on every device

def get_rng_state(device=None):
    """State of the default generator."""
    return seeding.get_rng_state()


def get_rng_state_all():
    """`get_rng_state` of each device."""
    return [seeding.get_rng_state() for _ in range(discovery.load("cuda").device_count())]


def set_rng_state(new_state, device=None):
    """Set the default generator's state."""
    seeding.set_rng_state(new_state)


def set_rng_state_all(new_states):
    """Set the default generator's state to the first of the given ones."""
    for state in new_states[:1]:
        seeding.set_rng_state(state)


def seed():
    """Seed the default generator by chance."""
    seeding.seed()


seed_all = seed


def initial_seed():
    """What the default generator was last seeded with."""
    return seeding.initial_seed()


NAMES = frozenset(name for name in dir() if not name.startswith("_"))
