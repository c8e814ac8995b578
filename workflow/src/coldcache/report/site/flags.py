"""What each rule found in a trial, and what to do about it, in words."""

from coldcache.verdicts.judge import RULES

#: What a rule says of the trials that it flags, and what to do.
FLAGS = {
    "too-short": ("too short", "raise `seconds` or `file_size`"),
    "unsteady": ("with a rate that changed meanwhile", "measure longer, with `SECONDS=`"),
    "clock-step": ("with the clock set meanwhile", "measure them again"),
    "served-from-cache": ("read from memory", "read with direct I/O, or files larger than memory"),
    "wrote-less": ("with less written than moved", "see whether the storage honours a sync"),
    "above-ceiling": ("above the ceiling", "verify the ceiling"),
    "burst-credit": ("on burst credit", "measure until the credit is used"),
    "slow-process-hidden": ("with a slow process hidden", "find the slow process in the log, and what slows it"),
    "foreign-transfers": ("with other transfers on the device", "stop what else uses the device"),
    "busy-machine": ("on a busy machine", "stop other programs"),
    "foreign-load": ("beside other load", "stop other programs"),
    "model-saturated": ("with the machine as the limit of the model", "run the model on more cores"),
    "suspended": ("suspended meanwhile", "keep the machine awake"),
    "drift": ("while the storage changed its pace", "measure at a quiet time"),
    "two-modes": ("of cases with two typical figures", "find out what differs between the two"),
    "little-space": ("with little space left", "free space on the target"),
    "fill-drift": ("while the file system filled", "let nothing else write to it"),
    "kernel-changed": ("on another kernel", "measure a campaign per kernel"),
}

#: The same of a rule that makes a trial void.
VOIDS = {
    "preparation-failed": ("that could not be prepared", "see the reason of the trial"),
    "target-lost": ("whose target was lost", "bring the target back, and measure them again"),
    "setting-not-in-force": ("whose settings were not in force", "see the settings on the page of the system"),
    "time-limit": ("ended at their time limit", "raise `limits.seconds` of the site"),
    "exit-status": ("whose tool failed", "see `stderr.txt` of the trial"),
    "log-refused": ("with a log that cannot be trusted", "see the log of the trial"),
    "wrong-operation": ("of another operation", "see the command line of the trial"),
    "wrong-level": ("at other levels than planned", "remove from `options` what a factor sets"),
    "stale-log": ("with the log of another run", "see what the tool's command runs"),
    "contradicted": ("whose log contradicts itself", "see the log of the trial"),
    "ambiguous-figure": ("with a figure of unclear meaning", "see the log of the trial"),
    "coarse-clock": ("too short for the tool's clock", FLAGS["too-short"][1]),
    "tool-changed": ("by another version of the tool", "measure a campaign per version"),
}

#: Words and remedy of every rule.
DOUBTS = FLAGS | VOIDS

#: What to do where logs were imported, of which nothing can be measured again here.
_IMPORTED = dict.fromkeys(("too-short", "coarse-clock", "unsteady"), "import logs of longer runs") | {
    "exit-status": "see the log of the trial"
}

#: What each rule found, in the words of its docstring.
RULE_MEANINGS = {rule: (judge.__doc__ or "").splitlines()[0].partition(": ")[2] for rule, _, judge in RULES} | {
    "not-run": "the trial has not been measured yet."
}

_NOT_RUN = {"not-run": ("not measured", "start the campaign again")}


def find_remedy(rule: str, is_imported: bool = False) -> str:
    """Return what to do about trials to which a rule objects, in Markdown; empty for a rule without remedy."""
    _, remedy = (DOUBTS | _NOT_RUN).get(rule, ("", ""))
    return _IMPORTED.get(rule, remedy) if is_imported else remedy
