"""Probabilities that are given as such or by their logits: what distributions share that take one or the other."""
from cygrad.distributions.utils import lazy_property, logits_to_probs, of_part, probs_to_logits


def the_given(probs, logits):
    """The name and the value of what is given, which has to be one of them."""
    given = [(name, value) for name, value in (("probs", probs), ("logits", logits)) if value is not None]
    if len(given) != 1:
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return given[0]


def probs_and_logits(is_binary):
    """Two lazy properties, `probs` and `logits`, each of which is computed from the other."""
    def probs(self):
        """The probabilities; from the logits if these were given."""
        return logits_to_probs(self.logits, is_binary=is_binary)

    def logits(self):
        """The logits; from the probabilities if these were given."""
        return probs_to_logits(self.probs, is_binary=is_binary)

    return lazy_property(probs), lazy_property(logits)


class OddsOfEvents:
    """Of distributions that have the probability of an event, or its log odds."""

    probs, logits = probs_and_logits(is_binary=True)
    param_shape = of_part("_param.shape", "The shape of the parameter that was given.")
    _parts = {"_param": 0, "probs": 0, "logits": 0}

    def _take_odds(self, probs, logits, **others):
        """Keep what is given, and other parameters, all of one shape; return it."""
        name, given = the_given(probs, logits)
        shape = self._take(**others, **{name: given})
        self._param = getattr(self, name)
        return shape


class OfCategories:
    """Of distributions that have a categorical one inside."""

    probs = of_part("_categorical.probs", "The probabilities.")
    logits = of_part("_categorical.logits", "Logarithms of the probabilities.")
    param_shape = of_part("_categorical.param_shape", "The shape of the parameter that was given.")
    _param = of_part("_categorical._param", "The parameter that was given.")
    _parts = {"_categorical": 0}
