"""How much runs with the other tests of what has thousands of cases: a part; `tox -e slow` runs all of them."""
import pytest

some_or_all = pytest.mark.parametrize("every", [pytest.param(16, id="part"),
                                                pytest.param(1, id="whole", marks=pytest.mark.slow)])


def share(cases, every):
    """One case of so many."""
    return list(cases)[::every]
