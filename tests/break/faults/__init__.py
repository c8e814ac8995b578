"""Each fault is staged in a scene at a random moment; what it returns did not hold, and is empty where all did."""

from faults.disks import fill_raw, fill_target, replace_target, turn_read_only, unmount_target, use_up_inodes
from faults.hostile import hostile_archives, hostile_design, hostile_text, hostile_tree
from faults.kills import kill_notebook, kill_runner, kill_settings, kill_snakemake, kill_tool
from faults.seals import alter_sealed
from faults.starts import start_twice, start_two_campaigns
from faults.tools import change_version, garbage, hang, set_clock, stop_tool, zero_rates

#: Each fault of the suite: how often it is staged at full length, and whether it needs root.
FAULTS = {
    kill_runner: (200, False), kill_snakemake: (200, False), kill_tool: (200, False), kill_notebook: (200, False),
    kill_settings: (50, True), fill_target: (20, True), fill_raw: (20, True), use_up_inodes: (20, True),
    turn_read_only: (10, True), unmount_target: (10, True), replace_target: (10, True), hang: (20, False),
    garbage: (20, False), zero_rates: (20, False), change_version: (20, False), stop_tool: (20, False),
    set_clock: (20, False), start_twice: (50, False), start_two_campaigns: (50, False), alter_sealed: (1, False),
    hostile_design: (1, False), hostile_archives: (1, False), hostile_tree: (1, False), hostile_text: (1, True),
}  # fmt: skip
