"""Tables show four digits of what was measured, and every digit of what was counted."""

import pandas as pd

from coldcache.analysis.tables import Table


def cells(frame):
    html = Table.plain(frame, "A caption")._repr_mimebundle_()["text/html"]
    return [cell.partition("</td>")[0] for cell in html.split("<td>")[1:]]


def test_counts_keep_every_digit_although_one_is_missing():
    assert cells(pd.DataFrame({"WRITE calls (1)": [16384, None, 131072.0]})) == ["16,384", "–", "131,072"]


def test_measured_values_havefour_digits():
    assert cells(pd.DataFrame({"rate": [0.0123456, 1.23456, 999.94, 1542.4]})) == ["0.01235", "1.235", "999.9", "1,542"]
