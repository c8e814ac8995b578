"""Predictions follow from the limits alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coldcache.design.model.predict import (
    predict_case,
    predict_requests,
    predict_throughput,
)
from coldcache.design.model.specification import Specification
from coldcache.design.model.stripes import Layout, deal_stripes
from coldcache.design.settings.model import ModelSetting

MODEL = Specification(targets=8, storage_nodes=2, clients=4, target_rate=1e7)


def predict(threads, targets, stripes=1, model=MODEL, **others):
    return predict_throughput(model, threads, Layout(targets, stripes), "read", **others)


@pytest.mark.parametrize("targets", [1, 2, 4, 8])
def test_the_knee_lies_where_threads_equal_targets(targets):
    rates = [predict(threads, targets).rate for threads in (1, 2, 4, 8, 16, 32, 64)]
    assert rates == [1e7 * min(threads, targets) for threads in (1, 2, 4, 8, 16, 32, 64)]


def test_threads_that_do_not_divide_wait_for_the_fullest_target():
    assert predict(3, 2).rate == pytest.approx(1.5e7)
    assert predict(3, 2).bound == "target 1"


@pytest.mark.parametrize("stripes", [1, 2, 4, 8])
def test_one_thread_is_as_fast_as_its_stripes(stripes):
    assert predict(1, stripes, stripes).rate == pytest.approx(1e7 * stripes)
    assert predict_throughput(MODEL, 1, Layout(stripes, stripes), "write").rate == pytest.approx(1e7 * stripes)


def test_a_small_window_leaves_stripes_idle():
    small = MODEL.change(read_ahead=4 << 20)
    bounded = predict(1, 8, 8, small)
    assert (bounded.rate, bounded.bound) == (pytest.approx(4e7), "what a thread has under way")
    assert predict_throughput(small, 1, Layout(8, 8), "write").rate == pytest.approx(8e7)
    assert predict_throughput(MODEL, 1, Layout(8, 4, 8 << 20), "read").rate == pytest.approx(2e7)


def kind(of, **stated):
    return ModelSetting(kind="model", of=of, **stated)


@pytest.mark.parametrize(
    ("operation", "levels", "rate"),
    [
        ("read", {"threads": 2, "targets": 8}, 2e7),
        ("read", {"threads": 64, "targets": 4}, 4e7),
        ("write", {"threads": 1, "stripe_count": 8.0, "stripe_size": 1 << 20}, 8e7),
        ("read", {"threads": 8, "target_rate": 500_000}, 4e6),
        ("read", {"threads": 8, "target_limit": "off"}, None),
        ("write", {"threads": 8, "client_rate": 2_500_000}, 1e7),
        ("write", {"threads": 8, "nodes": 1, "client_rate": 2_500_000}, 2.5e6),
        ("file-create", {"threads": 8}, None),
    ],
)
def test_a_case_is_predicted_from_its_levels(operation, levels, rate):
    settings = {name: kind(name) for name in ("targets", "stripe_count", "stripe_size", "target_rate", "client_rate")}
    settings["target_limit"] = kind("target_rate", values={"on": "10 MB/s", "off": "none"})
    found = predict_case(MODEL, settings, operation, levels).rate
    assert found == (None if rate is None else pytest.approx(rate))


def test_random_transfers_past_the_caches_are_bounded_by_the_requests_of_the_targets_in_use():
    model, levels = MODEL.change(target_iops=50), {"transfer_size": 4096, "direct_io": True}
    for threads, rate in ((1, 50), (8, 400), (64, 400)):
        found = predict_case(model, {}, "random-read", {**levels, "threads": threads})
        assert (found.rate, found.bound) == (rate, "requests of the targets")
    assert predict_case(model, {}, "random-write", {**levels, "threads": 8, "direct_io": False}).rate is None


def test_a_link_bounds_what_crosses_it():
    assert predict(8, 8, model=MODEL.change(client_rate=1.5e7)).rate == pytest.approx(6e7)
    assert predict(8, 8, model=MODEL.change(client_rate=1.5e7), clients=1).rate == pytest.approx(1.5e7)
    bounded = predict(8, 8, model=MODEL.change(node_rate=2e7))
    assert (bounded.rate, bounded.bound) == (pytest.approx(4e7), "link of storage node 1")


def test_without_limits_nothing_is_predicted():
    assert predict(8, 8, model=MODEL.change(target_rate=None)).rate is None


def test_writes_follow_the_write_cache():
    slow = MODEL.change(write_cache=False, uncached_write_rate=2.5e6)
    assert predict_throughput(slow, 8, Layout(8), "write").rate == pytest.approx(2e7)
    assert predict_throughput(slow, 8, Layout(8), "read").rate == pytest.approx(8e7)


def test_requests_are_bounded_by_the_first_of_three():
    model = MODEL.change(target_iops=100.0)
    assert predict_requests(model, 8, Layout(8), "read", 4096).rate == 800
    assert predict_requests(model, 4, Layout(8), "read", 4096).rate == 400
    assert predict_requests(model, 8, Layout(8), "read", 1 << 20).rate == pytest.approx(8e7 / (1 << 20))
    delayed = predict_requests(model.change(network_delay=0.1), 8, Layout(8), "read", 4096)
    assert (delayed.rate, delayed.bound) == (pytest.approx(40), "delay of the network")


@given(st.integers(1, 64), st.integers(1, 8), st.data())
def test_no_prediction_exceeds_the_sum_of_the_targets(threads, targets, data):
    stripes = data.draw(st.integers(1, targets))
    rate = predict(threads, targets, stripes).rate
    assert 0 < rate <= 1e7 * min(targets, threads * stripes) * (1 + 1e-9)


@given(st.integers(1, 64), st.integers(1, 8), st.data())
def test_stripes_are_dealt_out_evenly(files, targets, data):
    stripes = data.draw(st.integers(1, targets))
    places = deal_stripes(files, Layout(targets, stripes))
    counts = [sum(place.count(target) for place in places) for target in range(1, targets + 1)]
    assert max(counts) - min(counts) <= 1
    assert all(len(set(place)) == stripes for place in places)


@pytest.mark.parametrize(("threads", "stripes"), [(1, 8), (64, 8), (64, 2)])
def test_a_file_that_all_share_is_as_fast_as_its_stripes_at_any_number_of_threads(threads, stripes):
    assert predict(threads, 8, stripes, shared=True).rate == pytest.approx(1e7 * stripes)


@pytest.mark.parametrize(("transfer", "rate"), [(2**20, 1e7), (4 * 2**20, 4e7), (2**16, 1e7)])
def test_past_the_caches_a_thread_keeps_as_many_stripes_busy_as_its_transfer_has(transfer, rate):
    assert predict(1, 8, 8, direct=transfer).rate == pytest.approx(rate)
    assert predict_throughput(MODEL, 1, Layout(8, 8), "write", direct=transfer).rate == pytest.approx(rate)
    assert predict(16, 8, 8, direct=transfer).rate == pytest.approx(8e7)


def test_a_case_says_whether_threads_share_a_file_and_pass_the_caches():
    stripes = {"stripe_count": ModelSetting(kind="model", of="stripe_count")}
    shared = {"threads": 4, "file_layout": "shared-file"}
    assert predict_case(MODEL, {}, "read", shared).rate == pytest.approx(8e7)
    assert predict_case(MODEL, stripes, "read", {**shared, "stripe_count": 2}).rate == pytest.approx(2e7)
    direct = {"threads": 1, "stripe_count": 8, "direct_io": True, "transfer_size": 2**20}
    assert predict_case(MODEL, stripes, "write", direct).rate == pytest.approx(1e7)
    assert predict_case(MODEL, stripes, "write", {**direct, "direct_io": False}).rate == pytest.approx(8e7)
