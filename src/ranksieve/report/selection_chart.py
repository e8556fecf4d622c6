"""A chart of what a fitted selector kept."""

from __future__ import annotations

import math
from typing import Any

from ranksieve.data.check import check_count
from ranksieve.packages import require
from ranksieve.report.shared.colours import COLOURS, GREY
from ranksieve.selectors import Selector

_STEP, _WIDTH, _HEIGHT = 16, 320, 240


def plot_selection(selector: Selector, *, n_features: int = 40) -> Any:
    """Return an Altair chart of a fitted selector: the scores of its first features.

    Features stand in the order of the method, kept ones in colour; a tick is the importance,
    where that is another number than the score. A second panel has the mean by number of features
    with one standard error on either side, where validation queries chose the number.

    Parameters
    ----------
    selector : a fitted selector
    n_features : int, how many features to draw, from the best on

    Examples
    --------
    >>> from ranksieve import TopK, make_ranking
    >>> data, _ = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=2)
    >>> chart = plot_selection(TopK(n_features_to_select=2).fit(data))
    >>> [row["kept"] for row in chart.to_dict()["data"]["values"]]
    [True, True, False, False]
    """
    check_count("n_features", n_features, 1)
    alt = require("altair", extra="report", caller="the chart of a selector")
    chart = _scores(alt, selector, n_features)
    curve = getattr(selector, "validation_", None)
    return chart if curve is None else alt.hconcat(chart, _curve(alt, curve))


def _scores(alt: Any, selector: Selector, n_features: int) -> Any:
    rows = _rows(selector, n_features)
    drawn, total = len(rows), selector.n_features_in_
    first = "" if drawn == total else f"; the first {drawn} are drawn"
    title = alt.Title(
        type(selector).__name__,
        subtitle=f"{selector.n_features_} of {total} features kept{first}",
    )
    base = alt.Chart(alt.Data(values=rows))
    y = alt.Y("feature:N", sort=None, title=None)
    colours = alt.Scale(domain=[True, False], range=[COLOURS["light"][0], GREY["light"]])
    tips = [alt.Tooltip(f"{name}:{kind}") for name, kind in _fields(rows)]
    drawing = base.mark_bar().encode(
        x=alt.X("score:Q"), y=y, color=alt.Color("kept:N", scale=colours), tooltip=tips
    )
    if any(row["importance"] not in (None, row["score"]) for row in rows):
        drawing += base.mark_tick(thickness=2, color=COLOURS["light"][1]).encode(
            x=alt.X("importance:Q", title="score; importance as a tick"), y=y, tooltip=tips
        )
    return drawing.properties(width=_WIDTH, height=alt.Step(_STEP), title=title)


def _rows(selector: Selector, n_features: int) -> list[dict[str, Any]]:
    """Return the first features, without numbers that JSON does not have."""
    table = selector.table()
    columns = {name: list(table[name])[:n_features] for name in table.columns}
    plain = {name: [_plain(value, name) for value in values] for name, values in columns.items()}
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def _plain(value: Any, name: str) -> Any:
    if name == "feature":
        return str(value)
    if name == "kept":
        return bool(value)
    return float(value) if math.isfinite(value) else None


def _fields(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (name, "N" if name in ("feature", "kept") else "Q")
        for name in rows[0]
        if any(row[name] is not None for row in rows)
    ]


def _curve(alt: Any, curve: Any) -> Any:
    """Return how each number of features did on the validation queries."""
    rows = [
        {
            "features": int(number),
            "mean": float(mean),
            "low": float(mean - error) if math.isfinite(error) else float(mean),
            "high": float(mean + error) if math.isfinite(error) else float(mean),
            "chosen": bool(number == curve.chosen),
        }
        for number, mean, error in zip(
            curve.numbers, curve.means, curve.standard_errors, strict=True
        )
    ]
    title = alt.Title(
        f"Validation chose {curve.chosen}",
        subtitle=f"mean ± standard error on {curve.n_queries} queries",
    )
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("features:Q", title="number of features")
    )
    mean = alt.Y("mean:Q", title=curve.measure, scale=alt.Scale(zero=False))
    sizes = alt.condition("datum.chosen", alt.value(140), alt.value(30))
    drawing = (
        base.mark_rule(color=GREY["light"]).encode(y=alt.Y("low:Q"), y2="high:Q")
        + base.mark_line(color=COLOURS["light"][0]).encode(y=mean)
        + base.mark_point(filled=True, opacity=1, color=COLOURS["light"][0]).encode(
            y=mean, size=sizes, tooltip=["features:Q", "mean:Q"]
        )
    )
    return drawing.properties(width=_WIDTH, height=_HEIGHT, title=title)
