"""What each rule found in a trial, and what to do about it, in words."""

from coldcache.verdicts.judge import RULES

#: What a rule says of the trials that it flags, and what to do.
FLAGS = {
    "too-short": ("too short", "raise `file_size`"),
    "unsteady": ("with a rate that changed meanwhile", "measure longer, with `SECONDS=`"),
    "clock-step": ("with the clock set meanwhile", "measure them again"),
    "served-from-cache": ("read from memory", "read with direct I/O, or files larger than memory"),
    "wrote-less": ("with less written than moved", "see whether the storage honours a sync"),
    "above-ceiling": ("above the stated ceiling", "verify the ceiling in the site"),
    "burst-credit": ("on burst credit", "measure until the credit is used"),
    "slow-process-hidden": ("with a slow process hidden", "raise `file_size`"),
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

#: What each rule found, in the words of its docstring.
RULE_MEANINGS = {rule: (judge.__doc__ or "").splitlines()[0].partition(": ")[2] for rule, _, judge in RULES} | {
    "not-run": "the trial has not been measured yet."
}

#: What to do about trials that a rule flags; the first page writes settings as Markdown.
REMEDIES = {rule: remedy.replace("`", "") for rule, (_, remedy) in FLAGS.items()} | {
    "coarse-clock": FLAGS["too-short"][1].replace("`", ""),
    "not-run": "start the campaign again",
    "exit-status": "see stderr.txt of the trial",
    "log-refused": "see the log of the trial",
}
