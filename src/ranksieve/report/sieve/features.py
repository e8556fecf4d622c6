"""The table of features: kept and dropped ones, with the evidence for each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.words import percent
from ranksieve.report.sieve.cells import (
    IntervalPicture,
    heading,
    name_text,
    number_cell,
    sortable,
)
from ranksieve.report.sieve.view import Interval, SieveView, cost_text

if TYPE_CHECKING:
    from ranksieve.sieve.result import FeatureEvidence, Twin

# How many rows are shown at first; the style sheet knows the number too.
N_ROWS = 40
# Longer tables are cut to these rows on paper too.
_PRINTED = 150
_FILTERS = (("all", "all"), ("kept", "kept"), ("dropped", "dropped"))


def feature_table(view: SieveView) -> Markup:
    """Return a row for each feature, kept ones first, with filters that need no script."""
    features = view.result.features
    losses = [view.permutation_loss(feature) for feature in features]
    retrained = [view.retraining_loss(feature) for feature in features]
    picture = IntervalPicture.over([*losses, *(each for each in retrained if each is not None)])
    rows = [
        _row(view, feature, loss, without, picture)
        for feature, loss, without in zip(features, losses, retrained, strict=True)
    ]
    return tag(
        "div",
        *_controls(view),
        sortable(_headings(view), rows, "features"),
        class_="features long" if len(features) > _PRINTED else "features",
    )


def _controls(view: SieveView) -> list[Markup]:
    """Return what filters rows, and shows all of a long table: the style sheet does the work."""
    n_features = len(view.result.features)
    n_kept = view.result.chosen.n_features
    counts = {"all": n_features, "kept": n_kept, "dropped": n_features - n_kept}
    parts = []
    for key, words in _FILTERS:
        chosen = key == "all"
        parts.append(
            tag("input", type="radio", name="rows", id=f"rows-{key}", checked=chosen, value=key)
        )
        parts.append(tag("label", f"{words} ({counts[key]:,})", for_=f"rows-{key}"))
    if n_features > N_ROWS:
        parts.append(tag("input", type="checkbox", id="every-row"))
        parts.append(tag("label", f"show more than {N_ROWS} rows", for_="every-row"))
    return parts


def _headings(view: SieveView) -> list[Markup]:
    unit = view.unit_words
    headings = [
        heading("feature"),
        heading("kept"),
        heading(
            "loss when permuted",
            number=True,
            title=f"What a query loses when the feature's values change places, in {unit}",
        ),
        heading(
            "loss when retrained without",
            number=True,
            title=f"The chosen set trained again without the feature, in {unit}",
        ),
        heading("folds", number=True, title="Share of the folds that chose it"),
        heading("resamples", number=True, title="Share of resamples of the queries that chose it"),
    ]
    if view.result.priced:
        headings.append(heading("cost", number=True))
    headings.append(heading("near-twins", title="Features that order documents nearly alike"))
    return headings


def _row(
    view: SieveView,
    feature: FeatureEvidence,
    loss: Interval,
    without: Interval | None,
    picture: IntervalPicture,
) -> Markup:
    cells = [
        _name(feature),
        tag("td", "✓ kept" if feature.kept else "dropped", class_="verdict-cell"),
        _loss_cell(view, loss, picture, f"Permuted in a set of {feature.n_features:,} features"),
        _loss_cell(view, without, picture),
        number_cell(percent(feature.fold_share, 1.0), feature.fold_share),
        number_cell(percent(feature.resample_share, 1.0), feature.resample_share),
    ]
    if view.result.priced:
        cells.append(number_cell(cost_text(feature.price), feature.price))
    cells.append(_twins(feature.twins))
    return tag("tr", *cells, class_="kept" if feature.kept else "dropped")


def _name(feature: FeatureEvidence) -> Markup:
    remark = _remark(feature)
    words = tag("small", remark) if remark else Markup()
    name = name_text(feature.name)
    return tag("th", name, words, scope="row", class_="name", data_value=feature.name)


def _remark(feature: FeatureEvidence) -> str:
    if feature.n_features == 0:
        return "constant"
    return "permuted across queries" if feature.permuted == "across" else ""


def _loss_cell(
    view: SieveView, loss: Interval | None, picture: IntervalPicture, title: str | None = None
) -> Markup:
    if loss is None or math.isnan(loss.mean):
        return number_cell("", math.nan)
    return tag(
        "td",
        tag("span", view.unsigned(loss.mean), class_="value"),
        tag("small", view.loss_between(loss)),
        picture.draw(loss),
        class_="number loss",
        data_value=repr(loss.mean),
        title=title,
    )


def _twins(twins: tuple[Twin, ...]) -> Markup:
    parts: list[str] = []
    for twin in twins:
        name = name_text(twin.name)
        parts.append(tag("strong", name, " ✓") if twin.kept else tag("span", name))
        parts.append(f" {twin.similarity:.2f}")
        parts.append(", ")
    return tag("td", *parts[:-1], class_="twins")
