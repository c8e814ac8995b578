"""The state in which a campaign, its sweeps and its machines began, to compare each trial with."""

from coldcache.core.outcome import Outcome
from coldcache.verdicts.drift import Drift
from coldcache.verdicts.observation import Baseline


class Baselines:
    """Baseline tool version, kernel, fill level and drift at the start of a campaign and of its sweeps.

    Parameters
    ----------
    outcomes : list of Outcome
        Of all trials of the campaign.
    drifts : dict of str to Drift, optional
        The drift of each study's sentinel.
    """

    def __init__(self, outcomes: list[Outcome], drifts: dict[str, Drift] | None = None):
        self._drifts = drifts or {}
        self._tools: dict[str, str] = {}
        self._kernels: dict[str, str] = {}
        self._fills: dict[tuple[str, str], float] = {}
        for outcome in sorted(filter(lambda outcome: outcome.start, outcomes), key=lambda outcome: outcome.start or ""):
            if outcome.tool_version is not None:
                self._tools.setdefault(outcome.tool, outcome.tool_version)
            if outcome.host is not None and outcome.kernel is not None:
                self._kernels.setdefault(outcome.host, outcome.kernel)
            if outcome.fill_level is not None:
                self._fills.setdefault((outcome.study, outcome.sweep), outcome.fill_level)

    def of(self, outcome: Outcome) -> Baseline:
        """Return the baseline of a trial: that of its tool, its machine and its sweep."""
        drift = self._drifts.get(outcome.study)
        return Baseline(
            self._tools.get(outcome.tool),
            self._kernels.get(outcome.host) if outcome.host is not None else None,
            self._fills.get((outcome.study, outcome.sweep)),
            drift.around(outcome.start) if drift and outcome.start else None,
        )
