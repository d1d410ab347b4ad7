"""If this fails, a library's own kind of distribution can't register a divergence."""
import cygrad
import pytest
from cygrad.distributions import Normal, kl_divergence, register_kl


class Standing(type):
    """Classes that distributions are instances of, without being derived from them."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, cygrad.distributions.Distribution)


class Any(metaclass=Standing):
    pass


def test_classes_that_stand_for_distributions_are_taken():
    class Fixed(Normal):
        pass

    def divergence(p, q):
        return 7

    assert register_kl(Fixed, Any)(divergence) is divergence
    assert kl_divergence(Fixed(0.0, 1.0), Normal(0.0, 1.0)) == 0


@pytest.mark.parametrize("pair", [(3, Normal), (Normal, 3)])
def test_what_is_no_class_is_refused(pair):
    with pytest.raises(TypeError, match="must be a class"):
        register_kl(*pair)
