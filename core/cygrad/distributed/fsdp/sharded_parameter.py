"""`ShardedParameter`: this rank's rows of a parameter that is divided among ranks."""
import cygrad
import cygrad.distributed as dist
from cygrad.nn import Parameter

__all__ = ["ShardedParameter", "rows_of"]


def rows_of(count, rank, size):
    """(first, last + 1) of the rows that a rank has: parts of one size, the last ones shorter or empty."""
    each = -(-count // size)
    return min(rank * each, count), min((rank + 1) * each, count)


class ShardedParameter(Parameter):
    """
    This rank's rows of a parameter, and of what optimisers keep beside it. It is made by `fully_shard`.

    What is computed with it is computed with these rows: elementwise optimisers need not know more.

    Parameters
    ----------
    local : Tensor
        The rows.
    full_shape : Size
        Of the whole parameter.
    group : ProcessGroup
        Its ranks have the others.
    requires_grad : bool

    Attributes
    ----------
    full_shape : Size
    process_group : ProcessGroup
    """

    def __new__(cls, local, full_shape, group, requires_grad=True):
        made = super().__new__(cls, local.detach(), requires_grad)
        made.full_shape, made.process_group = cygrad.Size(full_shape), group
        return made

    def rows(self):
        """(first, last + 1) of the whole parameter's rows that are here."""
        return rows_of(self.full_shape[0], self.process_group.rank(), self.process_group.size())

    def to_local(self):
        """The rows as a tensor on the same memory."""
        return self.detach()

    def full_tensor(self):
        """
        The whole parameter. All ranks of the group call it.

        Returns
        -------
        Tensor
            Without a graph.
        """
        size = self.process_group.size()
        own = self.detach()
        padded = own.new_zeros(-(-self.full_shape[0] // size), *self.full_shape[1:])
        padded[:own.shape[0]] = own
        found = own.new_empty(size * padded.shape[0], *self.full_shape[1:])
        dist.all_gather_into_tensor(found, padded, self.process_group)
        return found[:self.full_shape[0]].clone()

    def like_this(self, tensor):
        """A tensor of these rows' shape, such as an optimiser's state, as a part of a whole one."""
        return ShardedParameter(tensor, self.full_shape, self.process_group, False)

    def total_norm(self, norm, norm_type):
        """The norm over all ranks' rows, given that over this rank's; all ranks call it."""
        total = norm.detach().clone()
        if norm_type == float("inf"):
            dist.all_reduce(total, dist.ReduceOp.MAX, self.process_group)
            return total
        total = total.pow_(norm_type)
        dist.all_reduce(total, group=self.process_group)
        return total.pow_(1 / norm_type)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = ShardedParameter(self.detach().clone(), self.full_shape, self.process_group,
                                              self.requires_grad)
        return memo[id(self)]

    def __copy__(self):
        return ShardedParameter(self.detach(), self.full_shape, self.process_group, self.requires_grad)

    def __reduce_ex__(self, protocol):
        return self.detach().__reduce_ex__(protocol)

    def __repr__(self):
        first, end = self.rows()
        return f"ShardedParameter(rows {first} to {end} of {tuple(self.full_shape)},\n{self.detach()!r})"

    __str__ = __repr__
