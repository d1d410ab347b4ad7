"""What came of the cases: counts for each entry, the first failures in words, as text or as Markdown."""
from collections import Counter
from dataclasses import dataclass, field
from textwrap import indent

from cygrad import version

FAILURES_SHOWN = 3                        # of each entry
# What a backend that declines need not explain.
REASONS = dict.fromkeys(["gather_looking", "scatter_looking"], "the core looks first")


def reasons_of(backend):
    """{entry: why it is declined}, where the backend or the contract says so."""
    return REASONS | dict(getattr(backend, "declines", {}))


@dataclass
class Report:
    """Outcomes, entry by entry, in the order in which they came.

    Attributes
    ----------
    device : str
    against : str
    counts : dict of str to Counter
        For each entry, how many cases passed, were composed by the core, declined and failed.
    failures : dict of str to list
        For each entry (key, outcome) of the cases that failed.
    reasons : dict of str to str
        Why the backend declines an entry, where it says so (its attribute `declines`).
    """

    device: str
    against: str
    traceback: bool = False
    counts: dict = field(default_factory=dict)
    failures: dict = field(default_factory=dict)
    reasons: dict = field(default_factory=dict)

    def add(self, key, outcome):
        """Count the outcome of a case."""
        self.counts.setdefault(key.entry, Counter())[outcome.state] += 1
        if outcome.state == "fail":
            self.failures.setdefault(key.entry, []).append((key, outcome))

    @property
    def failed(self):
        """Number of cases that failed."""
        return sum(count["fail"] for count in self.counts.values())

    def verdict(self, entry):
        """One or two words on an entry."""
        count = self.counts[entry]
        if count["fail"]:
            return "FAIL"
        kinds = [kind for kind in ("pass", "composed", "declined") if count[kind]]
        words = ", some ".join(kinds)
        reason = self.reasons.get(entry) if kinds != ["pass"] else None
        return f"{words}: {reason}" if reason else words

    def rows(self):
        """(entry, passed, declined, failed, verdict) of every entry, and their sum."""
        total = sum(self.counts.values(), Counter())
        rows = [(entry, *self._numbers(count), self.verdict(entry)) for entry, count in self.counts.items()]
        return [*rows, ("all", *self._numbers(total), "FAIL" if self.failed else "pass")]

    @staticmethod
    def _numbers(count):
        return count["pass"], count["declined"] + count["composed"], count["fail"]

    def text(self):
        """The table for a terminal."""
        lines = [f"{'entry':<22}{'pass':>7}{'declined':>10}{'fail':>7}   "]
        lines += [f"{entry:<22}{passed:>7}{declined:>10}{failed:>7}   {verdict}"
                  for entry, passed, declined, failed, verdict in self.rows()]
        return "\n".join(lines)

    def markdown(self):
        """The table for a README."""
        lines = ["| entry | pass | declined | fail | |", "|---|--:|--:|--:|---|"]
        lines += [f"| {entry} | {passed} | {declined} | {failed} | {verdict} |"
                  for entry, passed, declined, failed, verdict in self.rows()]
        title = f"`python -m cygrad.testing {self.device}` against {self.against}, cygrad {version.cygrad}:"
        return "\n".join([title, "", *lines])

    def details(self):
        """The first failures of every entry, and how to run each alone."""
        lines = []
        for entry, failures in self.failures.items():
            lines.append(f"\n{entry}: {len(failures)} failed")
            for key, outcome in failures[:FAILURES_SHOWN]:
                lines += [f"  {outcome.text}", f"    python -m cygrad.testing {self.device} --case {key}"]
                if self.traceback and outcome.trace:
                    lines.append(indent(outcome.trace, "    ").rstrip())
            if len(failures) > FAILURES_SHOWN:
                lines.append(f"  and {len(failures) - FAILURES_SHOWN} more: --entry {entry} --list names all cases")
        return "\n".join(lines)
