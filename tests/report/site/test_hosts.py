"""The page on the system shows each property of the hosts once, and the properties that differ."""

import json

from coldcache.report.site.hosts import values_of_hosts

ALPHA = {
    "kernel": "6.1.0", "product": "m5n.large", "governor": "performance", "numa_nodes": 2,
    "disk": {"model": "QEMU", "firmware": ""}, "modules": ["ext4", "nfs"],
}  # fmt: skip


def write(folder, **hosts):
    (folder / "hosts.json").write_text(json.dumps(hosts))
    return values_of_hosts(folder)


def test_properties_of_one_host_have_readable_labels(tmp_path):
    found = write(tmp_path, alpha=ALPHA)
    assert (found["hosts"], found["differing"]) == (1, "")
    for name, value in (
        ("Product, or instance type", "m5n.large"), ("CPU governor", "performance"), ("NUMA nodes", "2"),
        ("Disk model", "QEMU"), ("Disk firmware", "not recorded"), ("Modules loaded", "ext4,<wbr> nfs"),
    ):  # fmt: skip
        assert f'<th scope="row">{name}</th><td>{value}</td>' in found["alike"].replace(",<wbr> or", ", or"), name
    # The trials tell it, each for itself.
    assert "6.1.0" not in found["alike"]


def test_differences_are_listed_by_value_with_the_hosts_that_have_it(tmp_path):
    beta = {**ALPHA, "kernel": "5.10.0", "modules": ["ext4"], "disk": {"model": "QEMU", "firmware": "2.0"}}
    found = write(tmp_path, alpha=ALPHA, beta=beta, gamma=beta)
    rows = found["differing"].split("<tr>")[2:]
    told = [row.replace("<td>", "").replace("</tr>", "").split("</td>")[:3] for row in rows]
    assert told == [
        ["disk firmware", "not recorded", "alpha"], ["disk firmware", "2.0", "beta,<wbr> gamma"],
        ["kernel", "6.1.0", "alpha"], ["kernel", "5.10.0", "beta,<wbr> gamma"],
        ["modules nfs", "there", "alpha"], ["modules nfs", "none", "beta,<wbr> gamma"],
    ]  # fmt: skip
    assert "firmware" not in found["alike"]
    assert "<td>ext4</td>" in found["alike"]


def test_a_campaign_without_hosts_says_nothing(tmp_path):
    assert values_of_hosts(tmp_path) == {"hosts": 0, "alike": "", "differing": ""}
