"""`DeviceMesh`: ranks in a grid, with a process group along each of its axes."""
import math

import cygrad
from cygrad.distributed import groups

__all__ = ["DeviceMesh", "init_device_mesh"]


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    """
    All ranks in a grid, row by row. All of them call it.

    Parameters
    ----------
    device_type : str
        ``"cpu"``, or the type of the device that the tensors are on.
    mesh_shape : tuple of int
        As many places as there are ranks.
    mesh_dim_names : tuple of str, optional
        What the axes are for.
    backend_override : dict, optional
        Not used: all groups are of the world's kind.

    Returns
    -------
    DeviceMesh

    Raises
    ------
    RuntimeError
        If the ranks don't fill the grid, or names are missing or given twice.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> mesh = dist.init_device_mesh("cpu", (1, 1), mesh_dim_names=("data", "tensor"))
    >>> mesh, mesh["data"].get_local_rank()
    (DeviceMesh((data=1, tensor=1), 'cpu', stride=(1, 1)), 0)
    >>> dist.destroy_process_group()
    """
    mesh_shape = tuple(mesh_shape)
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError("Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names "
                               f"{tuple(mesh_dim_names)}")
        if len(mesh_dim_names) != len(mesh_shape):
            raise RuntimeError("mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                               f"{len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}.")
    if ":" in device_type:
        raise RuntimeError(f"Device type with index is not supported but got {device_type}. "
                           "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.")
    return DeviceMesh(device_type, cygrad.arange(math.prod(mesh_shape)).view(mesh_shape), mesh_dim_names=mesh_dim_names)


class DeviceMesh:
    """
    Some ranks in a grid. All ranks of the world make it, those that are not in it, too.

    Parameters
    ----------
    device_type : str
    mesh : Tensor or nested lists of int
        The world's ranks, each once.
    mesh_dim_names : tuple of str, optional

    Attributes
    ----------
    mesh : Tensor
        Of int32.
    mesh_dim_names : tuple of str or None
    device_type : str

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.DeviceMesh("cpu", [[0]]).get_coordinate()
    (0, 0)
    >>> dist.destroy_process_group()
    """

    def __init__(self, device_type, mesh, *, mesh_dim_names=None, backend_override=None):
        if not groups.is_initialized():
            groups.init_process_group()
        mesh = cygrad.as_tensor(mesh).detach().to(device="cpu", dtype=cygrad.int32)
        if mesh.dim() == 0:
            raise ValueError("`mesh` must be at least 1-dimensional, got a scalar")
        ranks = mesh.flatten().tolist()
        size = groups.get_world_size()
        if len(ranks) > size:
            raise RuntimeError(f"Mesh should not be bigger than default world size {size}, but found {len(ranks)} "
                               "ranks!")
        if len(set(ranks)) != len(ranks):
            raise RuntimeError(f"DeviceMesh cannot have duplicate ranks, but found {mesh.tolist()}")
        self._set(device_type, mesh, mesh_dim_names and tuple(mesh_dim_names), None)
        self._groups = list(map(self._group_along, range(self.ndim)))

    def _set(self, device_type, mesh, names, found):
        self.device_type, self.mesh, self.mesh_dim_names, self._groups = device_type, mesh, names, found
        place = (mesh == groups.get_rank()).nonzero()
        self._place = tuple(place[0].tolist()) if len(place) else None
        self._root, self._axes, self._flat = self, tuple(range(self.ndim)), {}

    def _group_along(self, axis):
        """The group of this rank and its neighbours along an axis; all ranks make all groups of the axis."""
        world = list(range(groups.get_world_size()))
        if self.mesh.shape[axis] == len(world) and self.mesh.flatten().tolist() == world:
            return groups.group.WORLD
        own = None
        name = f"mesh_{self.mesh_dim_names[axis] if self.mesh_dim_names else axis}"
        for line in self.mesh.movedim(axis, -1).reshape(-1, self.mesh.shape[axis]).tolist():
            made = groups.new_group(line, group_desc=name, sort_ranks=False)
            if groups.get_rank() in line:
                own = made
        return own

    @classmethod
    def _of(cls, device_type, mesh, names, found):
        """A mesh whose groups there are already."""
        made = cls.__new__(cls)
        made._set(device_type, mesh, names, found)
        return made

    @staticmethod
    def from_group(group, device_type, mesh=None, *, mesh_dim_names=None):
        """
        The mesh of groups that there are.

        Parameters
        ----------
        group : ProcessGroup or list of ProcessGroup
            One for each axis.
        device_type : str
        mesh : Tensor or nested lists of int, optional
            The ranks; those of the group, by default, where there is one.
        mesh_dim_names : tuple of str, optional

        Returns
        -------
        DeviceMesh
        """
        found = list(group) if isinstance(group, (list, tuple)) else [group]
        if not found:
            raise ValueError("Expects at least one ProcessGroup to be specified")
        if mesh is None:
            if len(found) > 1:
                raise ValueError("Must pass mesh if passing multiple ProcessGroups")
            mesh = groups.get_process_group_ranks(found[0])
        mesh = cygrad.as_tensor(mesh).to(cygrad.int32)
        if not isinstance(group, (list, tuple)) and mesh.tolist() != groups.get_process_group_ranks(group):
            raise ValueError(f"Invalid mesh {mesh.tolist()} for ProcessGroup with ranks "
                             f"{groups.get_process_group_ranks(group)}")
        if mesh.dim() != len(found):
            raise ValueError(f"Expects mesh with ndim equal to number of ProcessGroups but got mesh {mesh.tolist()} "
                             f"and {len(found)} ProcessGroups")
        return DeviceMesh._of(device_type, mesh, mesh_dim_names and tuple(mesh_dim_names), found)

    # ------------------------------------------------------------ what it looks like

    @property
    def ndim(self):
        """How many axes there are."""
        return self.mesh.dim()

    @property
    def shape(self):
        """How many ranks there are along each axis."""
        return tuple(self.mesh.shape)

    def size(self, mesh_dim=None):
        """How many ranks there are, or how many along an axis."""
        return self.mesh.numel() if mesh_dim is None else self.mesh.shape[mesh_dim]

    def __repr__(self):
        shape = self.shape
        if self.mesh_dim_names:
            words = ", ".join(f"{name}={size}" for name, size in zip(self.mesh_dim_names, shape))
        else:
            words = ", ".join(map(str, shape))
        return f"DeviceMesh(({words}), {self.device_type!r}, stride={self._strides()})"

    def _strides(self):
        if self.mesh.numel() < 2:
            return tuple(self.mesh.stride())
        first = self.mesh[(0,) * self.ndim].item()
        steps = []
        for axis in range(self.ndim):
            there = [0] * self.ndim
            there[axis] = min(1, self.mesh.shape[axis] - 1)
            steps.append(self.mesh[tuple(there)].item() - first or self.mesh.stride(axis))
        return tuple(steps)

    def __eq__(self, other):
        return self is other or (isinstance(other, DeviceMesh) and self._key() == other._key())

    def __hash__(self):
        return hash(self._key())

    def _key(self):
        return self.device_type, self.shape, tuple(self.mesh.flatten().tolist()), self.mesh_dim_names

    # ------------------------------------------------------------ this rank in it

    def get_rank(self):
        """This process's rank in the world."""
        return groups.get_rank()

    def get_coordinate(self):
        """This rank's place along each axis, or None if it is not in the mesh."""
        return self._place

    def get_local_rank(self, mesh_dim=None):
        """This rank's place along an axis: a number, or a name; needed where there are several."""
        return groups.get_rank(self.get_group(self._the_axis(mesh_dim, "")))

    def get_group(self, mesh_dim=None):
        """
        The group of this rank and its neighbours along an axis.

        Parameters
        ----------
        mesh_dim : int or str, optional
            Needed where there are several.

        Returns
        -------
        ProcessGroup
        """
        axis = self._the_axis(mesh_dim, "If you want to get the list of all the ProcessGroups in the DeviceMesh, "
                                        "please use `get_all_groups()` instead.")
        found = self._groups[axis]
        return groups.GroupMember.NON_GROUP_MEMBER if found is None else found

    def get_all_groups(self):
        """This rank's groups along all axes."""
        return list(map(self.get_group, range(self.ndim)))

    def _the_axis(self, mesh_dim, more):
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` needs "
                                   f"to be specified when device_mesh.ndim > 1. {more}".rstrip())
            return 0
        if isinstance(mesh_dim, str):
            if mesh_dim not in (self.mesh_dim_names or ()):
                raise KeyError(f"Mesh dimension '{mesh_dim}' does not exist. Available mesh dimensions are: "
                               f"mesh_dim_names={self.mesh_dim_names}")
            return self.mesh_dim_names.index(mesh_dim)
        return mesh_dim

    def __getitem__(self, mesh_dim_names):
        """The part of the mesh along these axes in which this rank is."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if names == self.mesh_dim_names:
            return self
        if len(names) == 1 and names[0] in self._flat:
            return self._flat[names[0]]
        if not names or any(name not in self.mesh_dim_names for name in names):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are "
                           f"{list(self.mesh_dim_names)}.")
        axes = list(map(self.mesh_dim_names.index, names))
        if axes != sorted(set(axes)):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order.")
        place = self._place or (0,) * self.ndim
        part = self.mesh[tuple(slice(None) if axis in axes else place[axis] for axis in range(self.ndim))]
        made = DeviceMesh._of(self.device_type, part.clone(), names, [self._groups[axis] for axis in axes])
        made._root, made._axes = self._root, tuple(self._axes[axis] for axis in axes)
        return made

    def _flatten(self, mesh_dim_name=None):
        """
        A mesh of one axis with all ranks of this one, and their group; all ranks of the mesh that this is a part of
        call it. That mesh knows it by its name afterwards.

        Parameters
        ----------
        mesh_dim_name : str, optional
            The names of the axes, joined by underscores, by default.

        Returns
        -------
        DeviceMesh
        """
        root = self._root
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = "_".join(self.mesh_dim_names) if mesh_dim_name is None else mesh_dim_name
        if self.ndim == 1 and name == self.mesh_dim_names[0]:
            return self
        if name in root.mesh_dim_names:
            raise ValueError(f"{name} already exists for submesh of the {root}. Please specify another valid "
                             "mesh_dim_name.")
        if name in root._flat:
            if root._flat[name]._axes != self._axes:
                raise ValueError(f"Flatten mesh with mesh_dim_name {name} has been created before, Please specify "
                                 "another valid mesh_dim_name.")
            return root._flat[name]
        own = None
        for line in root.mesh.movedim(self._axes, tuple(range(-self.ndim, 0))).reshape(-1, self.mesh.numel()).tolist():
            made = groups.new_group(line, group_desc=f"mesh_{name}", sort_ranks=False)
            if groups.get_rank() in line:
                own = made
        flat = DeviceMesh._of(self.device_type, self.mesh.flatten(), (name,), [own])
        flat._root, flat._axes = root, self._axes
        root._flat[name] = flat
        return flat
