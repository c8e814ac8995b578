"""The page on validity: trials by rule and by verdict, whether reads were cold, and every trial that a rule flagged."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from coldcache.analysis.report_links import TRIALS_FOLDER
from coldcache.campaign.campaign import Campaign
from coldcache.core.vocabulary import VERDICTS
from coldcache.report.site.context import ReportContext
from coldcache.report.site.evidence_page import link_sweep
from coldcache.report.site.flags import RULE_MEANINGS, find_remedy
from coldcache.report.site.format import show_repetitions
from coldcache.report.site.html import code, link, table, trials_table
from coldcache.report.site.validity import READ_VERDICTS, CampaignValidity, read_rows


def describe_validity_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `validity.md`."""
    validity = context.validity
    return {
        "summary": validity.summary(context.campaign.planned or None),
        "imported": _summarise_imported(context),
        "rules": _tabulate_rules(validity.codes, is_imported=not context.campaign.planned),
        **_tabulate_both("verdicts", validity.verdicts, "Trials", VERDICTS),
        **_tabulate_both("colds", validity.colds, "Reads", READ_VERDICTS),
        "flagged": trials_table(("Case", "Repetition", "Verdict", "Reason"), _list_flagged(validity)),
        "flagged_count": sum(len(flagged.repetitions) for flagged in validity.flagged),
        "folder": code(f"raw/{context.campaign.name}/<study>/<sweep>/<case>/<repetition>"),
        "unread": _list_unread(context.campaign),
        **_describe_rejudged(context),
    }


def _describe_rejudged(context: ReportContext) -> dict[str, Any]:
    """Return how many trials are judged otherwise than when the campaign was sealed, and a table of the changes."""
    path = context.results / "rejudged.csv"
    keys = {"version", "before", "codes_before", "verdict", "codes"}
    rows = read_rows(path, keys) if path.is_file() else []
    if not rows:
        return {"rejudged": "", "rejudged_summary": ""}
    changes = Counter((row["before"] or "none", row["verdict"], _say_rules(row)) for row in rows)
    total = sum(counts.total() for counts in context.validity.verdicts.values())
    told = f"Version {rows[0]['version']}, which sealed the campaign, judged {len(rows)} of {total} trials otherwise"
    shown = [(before, now, rules, count) for (before, now, rules), count in changes.most_common()]
    return {
        "rejudged_summary": told,
        "rejudged": table(("Then", "Now", "Rules", "Trials"), shown, ("Trials",)),
    }


def _say_rules(row: Mapping[str, str]) -> str:
    """Return which rules object now that did not then, and which no longer do."""
    then, now = row["codes_before"].split(), row["codes"].split()
    added, gone = [rule for rule in now if rule not in then], [rule for rule in then if rule not in now]
    parts = [f"now {', '.join(added)}"] if added else []
    parts += [f"no longer {', '.join(gone)}"] if gone else []
    return "; ".join(parts)


def _summarise_imported(context: ReportContext) -> str | None:
    """Return how many imported trials count; None unless the campaign has both measured and imported studies."""
    campaign = context.campaign
    return context.validity.summary(campaign.foreign) if campaign.planned and campaign.foreign else None


def _list_unread(campaign: Campaign) -> Markup | None:
    """Return a table of the imported files that could not be read, with the reasons; None if there is none."""
    rows = [
        (code(f"{study.origin.folder}/{unread.file}"), unread.reason)
        for study in campaign.foreign for unread in study.origin.unread
    ]  # fmt: skip
    return table(("File", "Reason"), rows) if rows else None


def _tabulate_rules(codes: Mapping[str, int], is_imported: bool) -> Markup | str:
    """Return a table of the rules that flagged trials, the most frequent first, with a remedy where one is known."""
    rows = [
        (
            code(rule), link(f"{count:,}", "#table-flagged"), RULE_MEANINGS.get(rule, ""),
            find_remedy(rule, is_imported).replace("`", ""),
        )
        for rule, count in sorted(codes.items(), key=lambda found: -found[1])
    ]  # fmt: skip
    return table(("Rule", "Trials", "What it found", "Remedy"), rows, ("Trials",)) if rows else ""


def _tabulate_both(
    name: str, counts: Mapping[tuple[str, str], Counter[str]], counted: str, verdicts: Sequence[str]
) -> dict[str, Any]:
    """Return a table per sweep, and one per study before it where there are several."""
    studies: dict[str, Counter[str]] = {}
    for (study, _), found in counts.items():
        studies.setdefault(study, Counter()).update(found)
    rows = [(link(study, f"{study}/index.html"), found) for study, found in studies.items()]
    return {
        name: _tabulate(counts, counted, verdicts) if counts else "",
        f"{name}_of_studies": _count(rows, "Study", counted, verdicts) if len(studies) > 1 else "",
        f"{name}_count": len(counts),
    }


def _tabulate(counts: Mapping[tuple[str, str], Counter[str]], counted: str, verdicts: Sequence[str]) -> Markup:
    rows = [(_name_sweep(study, sweep, counts), found) for (study, sweep), found in counts.items()]
    return _count(rows, "Sweep", counted, verdicts)


def _count(named: Sequence[tuple[Markup, Counter[str]]], what: str, counted: str, verdicts: Sequence[str]) -> Markup:
    """Return a table with a row of counts for each name, and their sums."""
    head = (what, counted, *(verdict.capitalize() for verdict in verdicts))
    every = [*named, ("all", sum((found for _, found in named), Counter()))]
    rows = [(name, found.total(), *(found[verdict] for verdict in verdicts)) for name, found in every]
    return table(head, rows, numbers=head[1:])


def _name_sweep(study: str, sweep: str, sweeps: Mapping[tuple[str, str], Any]) -> Markup:
    """Return a link to the page of a sweep; its text names the study only if there are several."""
    name = f"{study}/{sweep}" if len({study for study, _ in sweeps}) > 1 else sweep
    return link_sweep(study, sweep, name)


def _list_flagged(validity: CampaignValidity) -> Iterator[tuple[Markup, tuple[Any, ...]]]:
    for flagged in validity.flagged:
        group = _name_sweep(flagged.study, flagged.sweep, validity.verdicts)
        folder = quote(f"{flagged.study}/{flagged.sweep}/{flagged.case}", safe="/=,")
        case = link(flagged.case, f"{TRIALS_FOLDER}/{folder}/index.html")
        shown = show_repetitions(flagged.repetitions)
        first = shown
        if flagged.verdict != "missing":
            first = link(shown, f"{TRIALS_FOLDER}/{folder}/r{flagged.repetitions[0]}.html")
        yield group, (case, first, flagged.verdict, flagged.reason)
