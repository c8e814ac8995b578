"""Judge a trial by every rule: one function and one code per rule."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from coldcache.verdicts import suspect_rules as suspect
from coldcache.verdicts import void_rules as void
from coldcache.verdicts.cold_proof import READS, ColdProof, judge_cold, judge_read
from coldcache.verdicts.evidence import Evidence, find_evidence
from coldcache.verdicts.log_rules import stale_log, wrong_level
from coldcache.verdicts.observation import Finding, Observation, list_operations


class Judgement(NamedTuple):
    """The verdict of a trial.

    Attributes
    ----------
    verdict : str
        ``valid``, ``suspect``, ``void`` or ``missing``.
    codes : tuple of str
        The rules that object, worst first.
    reasons : tuple of str
        The sentence of each of these rules.
    cold : str
        The verdict on a read, as in `ColdProof`.
    colds : tuple of ColdProof
        The verdict on each read, with the figures behind it.
    evidence : mapping of str to Evidence
        Whether the work of each operation reached the storage.
    """

    verdict: str
    codes: tuple[str, ...]
    reasons: tuple[str, ...]
    cold: str
    colds: tuple[ColdProof, ...] = ()
    evidence: Mapping[str, Evidence] = {}

    def cold_of(self, operation: str) -> str:
        """Return the verdict on one operation's reads."""
        return next((found.verdict for found in self.colds if found.operation == operation), "not applicable")

    @property
    def reached(self) -> str:
        """How far the trial's work got: that of the operation which got least far; ``unknown`` for a missing trial."""
        found = {one.reached for one in self.evidence.values()}
        return next((word for word in ("memory", "unknown") if word in found), "storage" if found else "unknown")

    def reached_by(self, operation: str) -> str:
        """Return ``storage``, ``memory`` or ``unknown``: how far the work of an operation got."""
        return self.evidence[operation].reached if operation in self.evidence else "unknown"


#: Code, verdict and function of every rule, worst verdict first.
RULES: tuple[tuple[str, str, Callable[[Observation], Finding]], ...] = (
    ("preparation-failed", "void", void.preparation_failed),
    ("target-lost", "void", void.target_lost),
    ("setting-not-in-force", "void", void.setting_not_in_force),
    ("time-limit", "void", void.time_limit),
    ("exit-status", "void", void.exit_status),
    ("log-refused", "void", void.log_refused),
    ("wrong-operation", "void", void.wrong_operation),
    ("wrong-level", "void", wrong_level),
    ("stale-log", "void", stale_log),
    ("contradicted", "void", void.contradicted),
    ("ambiguous-figure", "void", void.ambiguous_figure),
    ("coarse-clock", "void", void.coarse_clock),
    ("tool-changed", "void", void.tool_changed),
    ("too-short", "suspect", suspect.too_short),
    ("unsteady", "suspect", suspect.unsteady),
    ("clock-step", "suspect", suspect.clock_step),
    ("served-from-cache", "suspect", suspect.served_from_cache),
    ("wrote-less", "suspect", suspect.wrote_less),
    ("above-ceiling", "suspect", suspect.above_ceiling),
    ("burst-credit", "suspect", suspect.on_burst_credit),
    ("slow-process-hidden", "suspect", suspect.slow_process_hidden),
    ("foreign-transfers", "suspect", suspect.foreign_transfers),
    ("busy-machine", "suspect", suspect.busy_machine),
    ("foreign-load", "suspect", suspect.foreign_load),
    ("model-saturated", "suspect", suspect.model_saturated),
    ("suspended", "suspect", suspect.suspended),
    ("drift", "suspect", suspect.drifted),
    ("two-modes", "suspect", suspect.two_modes),
    ("little-space", "suspect", suspect.little_space),
    ("fill-drift", "suspect", suspect.fill_drift),
    ("kernel-changed", "suspect", suspect.kernel_changed),
)


def judge(trial: Observation) -> Judgement:
    """Return the verdict of a trial: void if any such rule objects, else suspect if any does, else valid."""
    objections = [(code, verdict, rule(trial)) for code, verdict, rule in RULES]
    found = [(code, verdict, reason) for code, verdict, reason in objections if reason is not None]
    verdicts = {verdict for _, verdict, _ in found}
    verdict = "void" if "void" in verdicts else "suspect" if "suspect" in verdicts else "valid"
    evidence = {operation: find_evidence(trial, operation) for operation in list_operations(trial)}
    colds = tuple(judge_read(trial, operation) for operation in trial.outcome.operations if operation in READS)
    codes, reasons = tuple(code for code, _, _ in found), tuple(reason for _, _, reason in found)
    return Judgement(verdict, codes, reasons, judge_cold(trial).verdict, colds, evidence)
