"""What a site lacks for a sweep, and what exceeds its limits, is named in one line."""

import pytest
from drafts import make_site, make_study, sweep

from coldcache.design.feasibility import explain_excess, explain_lack
from coldcache.design.site import Site
from coldcache.tools.run import Run

LIMIT = {"kind": "cgroup"}


def draft(**more):
    return make_study(one=sweep(more=more, **({"device_iops": [500, 2000]} if "settings" in more else {}))).sweeps[
        "one"
    ]


def site_with(**more):
    return Site.model_validate({"site": "x", "title": "t", "targets": {"a": {"path": "/t"}}, **more})


def test_a_site_that_has_all_lacks_nothing():
    assert explain_lack(draft(), make_site()) is None
    assert explain_lack(draft(needs=["several OSTs"]), site_with(offers=["several OSTs"])) is None


def test_a_site_for_plans_runs_nothing():
    assert explain_lack(draft(), site_with(plan_only=True)) == "the site x is described for plans only"


def test_a_need_that_the_site_does_not_offer_is_named():
    expected = "needs several OSTs, which the site x does not offer"
    assert explain_lack(draft(needs=["several OSTs"]), make_site()) == expected


def test_a_setting_that_the_site_does_not_state_is_named_by_its_label():
    expected = "the site x has no setting for limit of the device's IOPS"
    assert explain_lack(draft(settings={"device_iops": "site"}), make_site()) == expected


@pytest.mark.parametrize("stated", ["site", LIMIT])
def test_a_control_group_holds_on_one_machine_and_not_on_the_nodes_of_a_job(stated):
    limited, one = draft(settings={"device_iops": stated}), site_with(settings={"device_iops": LIMIT})
    cluster = site_with(settings={"device_iops": LIMIT}, clients={"nodes": 2, "cores": 2, "launcher": "srun"})
    assert explain_lack(limited, one) is None
    assert explain_lack(limited, cluster) == (
        "a control group puts limit of the device's IOPS in force on one machine, and not on those of a job"
    )


def test_a_run_within_the_limits_exceeds_none():
    run = Run(operations=("write",), directory="/t", threads=4, file_size=2**28)
    assert explain_excess(run, make_site(bytes="1 GiB", threads=4)) is None


def test_the_limit_that_a_run_exceeds_is_named_bytes_first():
    run = Run(operations=("write",), directory="/t", threads=4, file_size=2**28)
    assert explain_excess(run, make_site(bytes="512 MiB", threads=2)) == (
        "keeps 1 GiB on the target, the site x allows 512 MiB"
    )
    assert explain_excess(run, make_site(bytes="1 GiB", threads=2)) == "runs 4 threads, the site x allows 2"
