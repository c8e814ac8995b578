"""Each fault is staged in a scene at random moments, several times in one campaign.

A fault takes a scene, what draws the moments, and how often it is to be staged; it counts in the scene how often it was
staged, and returns what did not hold, which is empty where all did.
"""

from collections.abc import Callable
from typing import NamedTuple

from scene import measure_undisturbed

from staged.disks import fill_raw, fill_target, replace_target, turn_read_only, unmount_target, use_up_inodes
from staged.hostile import hostile_archives, hostile_design, hostile_names, hostile_text, hostile_tree
from staged.kills import execute_undisturbed, kill_notebook, kill_runner, kill_settings, kill_snakemake, kill_tool
from staged.model import (
    cut_model_link,
    fill_model,
    lose_model_metadata,
    lose_model_metadata_with_standby,
    lose_model_target,
    lose_model_target_for_good,
    slow_model_link,
    unmount_model_client,
)
from staged.seals import alter_sealed
from staged.starts import start_twice, start_two_campaigns
from staged.storage import cache_below, drop_nothing, free_inodes, slow_device, write_beside
from staged.tools import (
    change_version,
    garbage,
    hang,
    move_nothing,
    other_levels,
    replay_log,
    set_clock,
    short_clock,
    stop_tool,
    zero_rates,
)


class Count(NamedTuple):
    """How often a fault is staged.

    Attributes
    ----------
    times : int
        At full length; 1 where all kinds of a fault are staged in one campaign.
    together : int
        In one campaign, at most.
    before : callable
        Measures, once and before anything is disturbed, what the campaigns are compared with.
    root : bool
        Whether it needs root.
    """

    times: int
    together: int
    before: Callable[[], object]
    root: bool = False


def _nothing() -> None:
    """Measure nothing before: the fault has a design of its own."""


#: Each fault of the suite.
FAULTS = {
    kill_runner: Count(200, 20, measure_undisturbed),
    kill_snakemake: Count(200, 10, measure_undisturbed),
    kill_tool: Count(200, 12, measure_undisturbed),
    kill_notebook: Count(200, 10, execute_undisturbed),
    kill_settings: Count(50, 10, _nothing, root=True),
    fill_target: Count(20, 5, measure_undisturbed, root=True),
    fill_raw: Count(20, 5, measure_undisturbed, root=True),
    use_up_inodes: Count(20, 5, measure_undisturbed, root=True),
    turn_read_only: Count(10, 5, measure_undisturbed, root=True),
    unmount_target: Count(10, 5, measure_undisturbed, root=True),
    replace_target: Count(10, 5, measure_undisturbed, root=True),
    hang: Count(20, 10, _nothing),
    garbage: Count(20, 10, measure_undisturbed),
    zero_rates: Count(20, 10, measure_undisturbed),
    change_version: Count(20, 10, measure_undisturbed),
    replay_log: Count(20, 10, measure_undisturbed),
    other_levels: Count(20, 10, measure_undisturbed),
    short_clock: Count(20, 10, measure_undisturbed),
    move_nothing: Count(20, 10, measure_undisturbed),
    stop_tool: Count(20, 10, measure_undisturbed),
    set_clock: Count(20, 10, measure_undisturbed),
    start_twice: Count(50, 10, measure_undisturbed),
    start_two_campaigns: Count(50, 10, measure_undisturbed),
    drop_nothing: Count(20, 5, _nothing, root=True),
    cache_below: Count(20, 5, _nothing, root=True),
    write_beside: Count(20, 5, _nothing, root=True),
    slow_device: Count(20, 5, _nothing, root=True),
    free_inodes: Count(20, 5, _nothing, root=True),
    lose_model_target: Count(20, 5, _nothing, root=True),
    lose_model_target_for_good: Count(20, 5, _nothing, root=True),
    lose_model_metadata: Count(20, 5, _nothing, root=True),
    lose_model_metadata_with_standby: Count(20, 5, _nothing, root=True),
    unmount_model_client: Count(20, 5, _nothing, root=True),
    cut_model_link: Count(20, 5, _nothing, root=True),
    slow_model_link: Count(20, 5, _nothing, root=True),
    fill_model: Count(20, 5, _nothing, root=True),
    alter_sealed: Count(1, 1, _nothing),
    hostile_design: Count(1, 1, _nothing),
    hostile_names: Count(1, 1, _nothing),
    hostile_archives: Count(1, 1, _nothing),
    hostile_tree: Count(1, 1, _nothing),
    hostile_text: Count(1, 1, _nothing, root=True),
}
