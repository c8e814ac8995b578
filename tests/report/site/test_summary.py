import re


def test_the_summary_holds_findings_and_figures_and_leads_nowhere(reference_report):
    html = (reference_report / "summary.html").read_text().replace("\xa0", " ")
    assert "555 runs: 363 clean, 154 flagged (83 too short), 38 void.</p>" in html
    assert "<h3>How many random operations per second, and at what latency?</h3>" in html
    peak = "22.9 k/s (95 %: 16.9 to 28.1 k/s; 5 of 10 flagged) with 4 threads (the most tried)"
    assert f"random reads reach {peak}" in html
    assert html.count('<svg role="img" aria-label="') == html.count("<figure") >= 4
    assert not re.search("<a |<script|<link|src=", html)
