"""How a sweep scales is computed once for each cube."""

from coldcache.analysis import scaling


def test_a_curve_is_described_once(rise, monkeypatch):
    sweep, seen = rise({"read": [10, 20, 40, 40, 40, 40], "write": [30] * 6}), []
    described = scaling.describe_scaling

    def count(runs):
        seen.append(runs)
        return described(runs)

    monkeypatch.setattr(scaling, "_KNOWN", {})
    monkeypatch.setattr(scaling, "describe_scaling", count)
    assert scaling.find_knee(sweep, "read") == scaling.find_knee(sweep, "read") == 4
    assert len(seen) == 1


def test_a_curve_that_rises_or_has_few_points_has_no_knee(rise):
    assert scaling.find_knee(rise({"read": [10, 20, 40, 80, 160, 320], "write": [30] * 6}), "read") is None
    assert scaling.find_knee(rise({"read": [10, 20], "write": [10, 20]}), "read") is None
