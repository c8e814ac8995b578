"""Figures of the study: drawn from estimates, never from numbers typed in."""

from coldcache.analysis.figures.benchmarks import draw_goals, draw_trend
from coldcache.analysis.figures.counts import draw_counts
from coldcache.analysis.figures.grid import draw_grid
from coldcache.analysis.figures.levels import draw_levels
from coldcache.analysis.figures.metadata_iops import draw_provisioning
from coldcache.analysis.figures.paired import draw_paired
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.repetitions import draw_repetitions
from coldcache.analysis.figures.residuals import draw_residuals
from coldcache.analysis.figures.sentinel import draw_sentinel
from coldcache.analysis.figures.series import draw_series
from coldcache.analysis.figures.threads import draw_over_threads

__all__ = [
    "Picture", "draw_counts", "draw_goals", "draw_grid", "draw_levels", "draw_over_threads", "draw_paired",
    "draw_provisioning", "draw_repetitions", "draw_residuals", "draw_sentinel", "draw_series", "draw_trend",
]  # fmt: skip
