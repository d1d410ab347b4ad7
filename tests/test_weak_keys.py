"""If one of these fails, a dictionary whose keys are tensors mixes them up, or keeps them alive."""
import copy
import gc

import cygrad
import pytest
from cygrad.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary


def test_equal_tensors_are_two_keys():
    x, y = cygrad.zeros(2), cygrad.zeros(2)
    found = WeakTensorKeyDictionary({x: 1})
    found[y] = 2
    assert len(found) == 2 and found[x] == 1 and found[y] == 2 and x.clone() not in found and 13 not in found
    with pytest.raises(KeyError):
        found[x.clone()]
    with pytest.raises(TypeError):
        found[13] = 1


def test_keys_live_no_longer_for_it():
    tensors = [cygrad.zeros(2) for _ in range(3)]
    found = WeakIdKeyDictionary((x, i) for i, x in enumerate(tensors))
    kept, pairs = tensors[1], iter(found.items())
    del tensors[:]
    gc.collect()
    assert next(iter(found.items()))[0] is kept and list(found.values()) == [1] and len(found) == 1
    assert list(pairs) == list(found.items()) and len(found.keyrefs()) == 1
    assert found.popitem() == (kept, 1) and not found
    with pytest.raises(KeyError):
        found.popitem()


def test_copies_and_unions():
    x, y = cygrad.zeros(2), cygrad.zeros(2)
    one, two = WeakIdKeyDictionary({x: [1]}), WeakIdKeyDictionary({y: [2]})
    deep = copy.deepcopy(one)
    assert deep == one and deep[x] is not one[x] and copy.copy(one)[x] is one[x]
    assert dict((one | two).items()).keys() == {x, y} and type({x: 3} | two) is WeakIdKeyDictionary
    assert one != two and one.__or__(3) is NotImplemented
    one |= {y: 4}
    assert one[y] == 4


def test_an_update_that_fails_changes_nothing():
    x = cygrad.zeros(2)

    class Failing:
        def keys(self):
            return [x]

        def __getitem__(self, key):
            raise ArithmeticError

    found = WeakIdKeyDictionary()
    for pairs in (Failing(), iter([(x, 1), (1, 2, 3)])):
        with pytest.raises((ArithmeticError, ValueError)):
            found.update(pairs)
    assert not found


def test_references():
    x = cygrad.zeros(2)
    reference, one, two = TensorWeakRef(x), WeakIdRef(x), WeakIdRef(x.clone())
    assert reference() is x and one == WeakIdRef(x) and hash(one) == hash(WeakIdRef(x))
    assert one != two and two == two and two() is None
    del x
    assert reference() is None and one() is None
    with pytest.raises(AssertionError, match="expected torch.Tensor"):
        TensorWeakRef(3)
