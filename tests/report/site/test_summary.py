import re


def test_the_summary_holds_findings_and_figures_and_leads_nowhere(reference_report):
    html = (reference_report / "summary.html").read_text()
    assert "<p>392 of 555 trials are valid, 125 suspect, 38 void, 0 missing.</p>" in html
    assert "<h3>How many random operations per second, and at what latency?</h3>" in html
    peak = (
        "22.9 k/s (95 %: 3.40 to 48.3 k/s; 10 runs worth 1.4; 5 of 10 trials suspect) with 4 threads (the most tried)"
    )
    assert f"random reads reach {peak}" in html
    assert html.count('<svg role="img" aria-label="') == html.count("<figure") >= 4
    assert not re.search("<a |<script|<link|src=", html)
