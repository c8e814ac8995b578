"""Figures of the study: drawn from estimates, never from numbers typed in."""

from coldcache.figures.counts import draw_counts
from coldcache.figures.goals import draw_goals, draw_trend
from coldcache.figures.grid import draw_grid
from coldcache.figures.levels import draw_levels
from coldcache.figures.paired import draw_paired
from coldcache.figures.picture import Picture
from coldcache.figures.provisioning import draw_provisioning
from coldcache.figures.repetitions import draw_repetitions
from coldcache.figures.residuals import draw_residuals
from coldcache.figures.sentinel import draw_sentinel
from coldcache.figures.series import draw_series
from coldcache.figures.threads import draw_over_threads

__all__ = [
    "Picture", "draw_counts", "draw_goals", "draw_grid", "draw_levels", "draw_over_threads", "draw_paired",
    "draw_provisioning", "draw_repetitions", "draw_residuals", "draw_sentinel", "draw_series", "draw_trend",
]  # fmt: skip
