"""The table of sweeps shows the question of each, and why one has no data."""

from dataclasses import replace

import pytest

from coldcache.dataset.reader import open_limits, open_table
from coldcache.dataset.sweep_table import tabulate_sweeps
from coldcache.workflow.configuration import draft_design


def test_every_sweep_has_a_row_with_what_it_varies_at_full_scale(invent):
    table = open_table(invent("dell-lustre", "sequential"), "sweeps").set_index("sweep")
    assert len(table) == 15
    row = table.loc["stripes"]
    assert (row["item"], row.operations, row.varied) == (
        "sec 4.3, topologies", "file-create file-stat file-remove",
        "threads stripe_count stripe_size",
    )  # fmt: skip
    assert (table.state == "measured").to_dict() == {name: name == "sequential" for name in table.index}
    assert table.loc["random", "why"] == "the site dell-testbed is described for plans only"


def test_the_limits_that_the_site_states_are_attributes(invent):
    assert open_limits(invent("dell-lustre", "sequential"), "dell-lustre") == {}


@pytest.mark.parametrize(("tool", "in_place_of"), [("fio", "mdtest"), ("mdtest", "")])
def test_a_substitute_names_the_tool_of_the_document(root, monkeypatch, tool, in_place_of):
    monkeypatch.chdir(root)
    campaign = draft_design({"studies": "pixstor-nvme", "site": "local"})
    tools = {**campaign.environment.tools, "pixstor-nvme/metadata": tool}
    chosen = replace(campaign, environment=campaign.environment._replace(tools=tools))
    table = tabulate_sweeps(chosen, []).set_index("sweep")
    assert table.loc["metadata", ["tool", "in_place_of"]].tolist() == [tool, in_place_of]


def test_the_sweeps_of_a_guest_are_marked(root, monkeypatch):
    monkeypatch.chdir(root)
    campaign = draft_design({"studies": "quick,anf-nfs", "site": "local"})
    table = tabulate_sweeps(campaign, [])
    in_guest = table[table.in_guest == 1]
    assert set(in_guest.study) == {"anf-nfs"}
    # Those that a guest cannot offer, and the sentinel, which the site itself runs.
    assert set(table[table.study == "anf-nfs"].sweep) - set(in_guest.sweep) == {"tuned", "mtu", "sentinel"}
