"""The charts of a study outside of its page: as altair charts, and as files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, product
from pathlib import Path
from typing import Any

from ranksieve.catalog import check_choice
from ranksieve.data.atomic import replacing
from ranksieve.errors import DataError
from ranksieve.experiment import Results
from ranksieve.report.shared.colours import COLOURS, GREY
from ranksieve.report.shared.packing import Rows
from ranksieve.report.study.charts.figure import (
    Figure,
    Words,
    altair,
    coloured,
    named_rows,
    panel_height,
    vl_convert,
)
from ranksieve.report.study.charts.registry import figures
from ranksieve.report.study.names import OWN_WEIGHTS, distinct, file_name
from ranksieve.report.study.view import StudyView

FORMATS = ("svg", "png", "pdf")
_WIDTH, _HEIGHT = 460, 300


def study_figures(results: Results, **options: Any) -> dict[str, Any]:
    """Return the charts of a study as altair charts, by names that are fit for files.

    One for each data set and ranker, measure, or component, as the kind of chart has them.

    Parameters
    ----------
    results : Results
    options : of `study_page`
    """
    alt, view = altair(), StudyView.of(results, **options)
    # What altair made itself needs no second check.
    return {
        name: _chart_class(alt, spec).from_dict(spec, validate=False)
        for name, spec in _named_specs(view).items()
    }


def _chart_class(alt: Any, spec: dict[str, Any]) -> Any:
    if "facet" in spec:
        return alt.FacetChart
    return alt.LayerChart if "layer" in spec else alt.Chart


def write_figures(
    results: Results,
    folder: str | os.PathLike[str],
    formats: Sequence[str] = ("svg",),
    *,
    overwrite: bool = False,
    **options: Any,
) -> list[Path]:
    """Write each chart as a file in a folder, which is created, and return the files.

    Parameters
    ----------
    results : Results
    folder : path
    formats : some of "svg", "png" and "pdf"
    overwrite : bool, replace files that exist
    options : of `study_page`
    """
    for name in formats:
        check_choice("format", name, FORMATS)
    vl_convert()
    target = Path(folder)
    view = StudyView.of(results, **options)
    specs = _named_specs(view)
    paths = {
        target / f"{name}.{kind}": (name, kind) for name in specs for kind in distinct(formats)
    }
    _make_folder(target)
    _check_absent(paths, overwrite)
    for path, (name, kind) in paths.items():
        with replacing(path) as temporary:
            temporary.write_bytes(_picture(specs[name], kind))
    return list(paths)


def _make_folder(target: Path) -> None:
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot create the folder {target}: {error.strerror or error}. Choose another place."
        ) from error


def _check_absent(paths: Iterable[Path], overwrite: bool) -> None:
    existing = [path for path in paths if path.exists()]
    if existing and not overwrite:
        raise DataError(
            f"{existing[0]} exists, as do {len(existing) - 1} more figures. "
            "Choose another folder, or pass overwrite=True to replace them."
        )


def panel_svgs(figure: Figure, view: StudyView, style: dict[str, Any]) -> list[str]:
    """Return each panel of a chart as SVG; `style` replaces parts of its specification."""
    return [_picture({**spec, **style}, "svg").decode() for _, spec in _specs(figure, view)]


def panels(rows: Rows, fields: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Rows]]:
    """Return the rows of each panel; methods with weights of their own are beside every ranker."""
    values = [_values(rows, field) for field in fields]
    for panel in product(*values):
        matching = [
            row
            for row in rows
            if all(
                row[field] == value or (field == "ranker" and row[field] == OWN_WEIGHTS)
                for field, value in zip(fields, panel, strict=True)
            )
        ]
        if matching:
            yield panel, matching


def _picture(spec: dict[str, Any], kind: str) -> bytes:
    """Return a chart as the content of a file."""
    convert = vl_convert()
    version = ".".join(altair().SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    if kind == "png":
        png: bytes = convert.vegalite_to_png(spec, vl_version=version, scale=2.0)
        return png
    if kind == "pdf":
        pdf: bytes = convert.vegalite_to_pdf(spec, vl_version=version)
        return pdf
    return str(convert.vegalite_to_svg(spec, vl_version=version)).encode()


def _values(rows: Rows, field: str) -> tuple[str, ...]:
    values = distinct(row[field] for row in rows)
    rankers = tuple(value for value in values if field != "ranker" or value != OWN_WEIGHTS)
    return rankers or values


def _named_specs(view: StudyView) -> dict[str, dict[str, Any]]:
    """Return all charts by name; names that differ in signs alone get a number."""
    specs: dict[str, dict[str, Any]] = {}
    for name, spec in (pair for figure in figures(view) for pair in _specs(figure, view)):
        again = (f"{name}-{number}" for number in count(2))
        specs[name if name not in specs else next(new for new in again if new not in specs)] = spec
    return specs


def _specs(figure: Figure, view: StudyView) -> Iterator[tuple[str, dict[str, Any]]]:
    fields = [*figure.panels]
    fields += [name for name in ("measure", figure.select) if name and name in figure.rows[0]]
    coloured_rows = coloured(figure.drawn, view.coloured, COLOURS["light"], GREY["light"])
    drawn_panels = [
        (dict(zip(fields, panel, strict=True)), every_row, named_rows(figure, every_row))
        for panel, every_row in panels(coloured_rows, fields)
        if not figure.branches or len({row[figure.branches] for row in every_row}) >= 3
    ]
    for about, every_row, rows in drawn_panels:
        same = [
            row
            for other, _, panel_rows in drawn_panels
            if _same_range(about, other)
            for row in panel_rows
        ]
        for words, axis in figure.axes.items() or (("", ""),):
            drawn = [row | {"x": row[axis]} for row in rows] if axis else rows
            texts = Words(about.get("measure", ""), words or about.get(figure.select, ""))
            title = ", ".join(
                [about[field] for field in figure.panels] + _left_out(every_row, rows)
            )
            spec = _with_range(_spec(figure, drawn, texts, view, title), figure, same)
            # A measure is in the name only where there are several.
            parts_of_name = [
                value for key, value in about.items() if key != "measure" or view.measures[1:]
            ]
            yield file_name(figure.key, *parts_of_name, words), spec


def _same_range(about: dict[str, str], other: dict[str, str]) -> bool:
    """Whether two panels are of one data set and measure, and so have one range of values."""
    return all(about.get(key) == other.get(key) for key in ("data", "measure"))


def _left_out(every_row: Rows, rows: Rows) -> list[str]:
    """Return how many methods of a panel are drawn, where these are not all."""
    n_methods, n_drawn = (len({row.get("method") for row in of}) for of in (every_row, rows))
    return [f"{n_drawn} of {n_methods} methods"] if n_drawn < n_methods else []


def _spec(figure: Figure, rows: Rows, words: Words, view: StudyView, title: str) -> dict[str, Any]:
    chart = figure.draw(altair().NamedData(name="rows"), words, True)
    sizes: dict[str, Any] = {"width": _WIDTH}
    if figure.least:
        sizes = {}
    elif figure.ratio is not None:
        sizes["height"] = round(_WIDTH * figure.ratio)
    elif figure.lines:
        sizes["height"] = figure.height * len({(row["method"], row["fold"]) for row in rows})
        sizes["width"] = max(_WIDTH, round(figure.step * len({row["feature"] for row in rows})))
    else:
        sizes["height"] = panel_height(figure, rows, _HEIGHT)
    chart = chart.properties(title=title, **sizes)
    spec: dict[str, Any] = chart.to_dict()
    spec.setdefault("config", {})["view"] = {"stroke": None}
    spec["datasets"] = {**spec.get("datasets", {}), "rows": rows}
    return _with_legend(spec, rows, view)


def _with_legend(spec: dict[str, Any], rows: Rows, view: StudyView) -> dict[str, Any]:
    """Return the chart with the colours of its legend."""
    for node in _nodes(spec):
        if node.get("field") == "method" and "domain" in node.get("scale", {}):
            methods = distinct(row["method"] for row in rows)
            colours = {row["method"]: row["colour"] for row in rows}
            node["scale"] = {
                "domain": list(methods),
                "range": [colours[method] for method in methods],
            }
            named = [method for method in methods if method in view.coloured]
            node["legend"] = {
                "title": None,
                "values": named,
                "symbolType": "circle",
                "symbolOpacity": 1,
                "symbolStrokeWidth": 0,
            }
    return spec


def _with_range(spec: dict[str, Any], figure: Figure, same: Rows) -> dict[str, Any]:
    """Return the chart with the range of the rows that panels of a data set and measure show."""
    params = {param["name"]: param for param in spec.get("params", ())}
    if "lowest" in params:
        # Of all values, and of the intervals that are drawn.
        ends = [row[figure.value] for row in same]
        ends += [row[end] for row in same if _has_whisker(figure, row) for end in figure.ends]
        values = [end for end in ends if end is not None]
        if not values:
            return spec  # no query counts
        low, high = min(values), max(values)
        if figure.margin:
            low = max(low, min(high, 0.0) - 5 * figure.margin)
            low, high = min(low, -1.5 * figure.margin), max(high, 1.5 * figure.margin)
        room = 0.02 * (high - low) or 0.01
        params["lowest"]["value"] = low - room
        params["highest"]["value"] = high + room
    return spec


def _has_whisker(figure: Figure, row: dict[str, Any]) -> bool:
    return bool(row["fewest"] if figure.margin else row["kind"] != "curve")


def _nodes(spec: Any) -> Iterator[dict[str, Any]]:
    if isinstance(spec, dict):
        yield spec
        for value in spec.values():
            yield from _nodes(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from _nodes(value)
