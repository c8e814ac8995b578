import re


def test_the_summary_holds_findings_and_figures_and_leads_nowhere(reference_report):
    html = (reference_report / "summary.html").read_text()
    assert "<p>391 of 555 trials are valid, 163 suspect, 1 void, 0 missing.</p>" in html
    assert "<h3>How many random operations per second, and at what latency?</h3>" in html
    assert "random reads peak at 22.9 k/s (16.9 to 28.1 k/s; 5 of 10 trials suspect) with 4 threads" in html
    assert html.count('<svg role="img" aria-label="') == html.count("<figure") >= 4
    assert not re.search("<a |<script|<link|src=", html)
