"""ranksieve report: the results of a study as a page, tables and figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ranksieve.experiment import Results

_EXAMPLES = """\b
Examples:
  ranksieve report runs.db -o report.html
  ranksieve report runs.db --format latex --measure ndcg@10 -o tables.tex
  ranksieve report runs.db --figures figures --figure-format pdf
  ranksieve report runs.db --features-out features.json --margin 0.005
  ranksieve report runs.db --features-out features.json --row 'GAS + RankSVM' --number 10
  ranksieve report mq2007.db --published
"""


def _number(context: click.Context, option: click.Parameter, text: str | None) -> int | str | None:
    if text is None or text.strip().lower() == "all":
        return text and "all"
    if text.strip().isdecimal():
        return int(text)
    raise click.BadParameter(f"{text!r} is no number of features, and not 'all'")


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("runs")
@click.option("-o", "--out", metavar="FILE", help="Where to write; text is printed without it.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["html", "md", "latex", "csv"]),
    help="A page, or tables as text; by default what FILE's ending says.",
)
@click.option("--figures", "folder", metavar="FOLDER", help="Also write each chart as a file.")
@click.option(
    "--figure-format",
    "figure_formats",
    type=click.Choice(["svg", "png", "pdf"]),
    multiple=True,
    help="Of the charts' files: svg by default; may be given again.",
)
@click.option(
    "--reference", metavar="NAME", help="Method to compare with; all features by default."
)
@click.option(
    "--measure", "measures", multiple=True, help="Show only this one; may be given again."
)
@click.option(
    "--test",
    type=click.Choice(["t", "randomisation", "wilcoxon"]),
    default="t",
    show_default=True,
    help="Of differences to the reference, over queries.",
)
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="Does a method differ from the reference, or is it above it, or below it?",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0, min_open=True),
    default=0.01,
    show_default=True,
    help="The largest loss that the fewest features of the summary may have.",
)
@click.option(
    "--features-out",
    metavar="FILE",
    help="Write the features of a row as JSON, for `--features` of `train` and `select`: of the "
    "summary's fewest features, or of --row.",
)
@click.option(
    "--row", metavar="NAME", help="Of --features-out: a row of the tables, 'GAS + RankSVM'."
)
@click.option(
    "--number",
    metavar="K",
    callback=_number,
    help="With --row: of the table by number of features, 10 or 'all'; without it validation "
    "chose the number.",
)
@click.option("--data", metavar="NAME", help="Of --features-out, where RUNS has several data sets.")
@click.option("--title", metavar="TEXT", help="Of the report.")
@click.option(
    "--study",
    type=click.IntRange(min=1),
    metavar="N",
    help="Which study of RUNS, 1 for the first; without it the one last asked for.",
)
@click.option(
    "--published",
    is_flag=True,
    help="Tables that papers print on this data (OHSUMED, MQ2007, TD2003, ...), ours beside them.",
)
@click.option("-f", "--force", is_flag=True, help="Replace FILE and figures if they exist.")
def command(
    runs: str,
    out: str | None,
    kind: str | None,
    folder: str | None,
    figure_formats: tuple[str, ...],
    features_out: str | None,
    row: str | None,
    number: int | str | None,
    data: str | None,
    force: bool,
    study: int | None,
    published: bool,
    **options: Any,
) -> None:
    """Show what the comparison stored in RUNS found.

    Leaderboards with intervals and tests, curves over the number of features, stability, time,
    and what each fold chose: one page that works offline, or tables for a paper.
    """
    from ranksieve.data.paths import exists

    if not exists(runs):
        from ranksieve.errors import DataError

        raise DataError(f"{runs} does not exist. `ranksieve compare` makes a store.")
    if published:
        _published(runs, out, kind, folder, study, options, force=force)
        return
    _check_row(features_out, row, number, data)
    output = _kind(kind, out, folder or features_out)
    _check_places(runs, out, output, folder, figure_formats, force=force)
    if kind is None and out is not None:
        from ranksieve.cli._output import check_ending

        check_ending(out, tuple(_KINDS), "or say what to write with --format")
    if features_out is not None:
        from ranksieve.cli._output import check_out

        check_out(features_out, source=runs, force=force)
    chosen = {**options, "measures": options["measures"] or None}
    from ranksieve.cli._progress import progress_bars

    with progress_bars():
        results = _results(runs, study)
        _check_options(results, chosen)
        if features_out is not None:
            _write_features(results, features_out, row=row, number=number, data=data, **chosen)
        if folder is not None:
            _write_figures(results, folder, figure_formats or ("svg",), chosen, force=force)
        text = None if output is None else _text(results, output, chosen)
    if text is not None:
        _write(text, out)


def _published(
    runs: str,
    out: str | None,
    kind: str | None,
    folder: str | None,
    study: int | None,
    options: dict[str, Any],
    *,
    force: bool,
) -> None:
    """Print or write published tables, with lines of all studies of RUNS unless one is named."""
    from ranksieve.cli._output import check_out
    from ranksieve.cli._progress import progress_bars
    from ranksieve.errors import ParameterError
    from ranksieve.experiment import read_results, studies_in
    from ranksieve.report import published

    kind = kind or (_KINDS.get(Path(out).suffix.lower(), "md") if out is not None else "md")
    if kind == "html" or folder is not None:
        raise ParameterError(
            "--published makes tables as text: --format md, latex or csv, without --figures. "
            "The page and its charts are made without --published."
        )
    if out is not None:
        check_out(out, source=runs, force=force)
    with progress_bars():
        if study is not None:
            studies = [_results(runs, study)]
        else:
            studies = [read_results(runs, study=number) for number in range(len(studies_in(runs)))]
        measures = options["measures"] or None
        if kind == "md":
            text = published.published_markdown(studies, measures=measures, title=options["title"])
        elif kind == "latex":
            text = published.published_latex(studies, measures=measures)
        else:
            text = published.published_csv(studies, measures=measures)
    _write(text, out)


# From the ending of a file's name to what is written to it.
_KINDS = {".html": "html", ".htm": "html", ".md": "md", ".tex": "latex", ".csv": "csv"}


def _kind(kind: str | None, out: str | None, beside: str | None) -> str | None:
    """Return what to write besides figures or features; None where only these are asked for."""
    if kind is not None:
        return kind
    if out is None:
        return None if beside is not None else "html"
    return _KINDS.get(Path(out).suffix.lower(), "html")


def _check_row(
    features_out: str | None, row: str | None, number: int | str | None, data: str | None
) -> None:
    """Raise where a row is named and nothing is written of it."""
    if features_out is None and (row, number, data) != (None, None, None):
        raise click.UsageError("--row, --number and --data are for --features-out FILE.")
    if row is None and number is not None:
        raise click.UsageError("--number goes with --row: the method that it is of.")


def _check_places(
    runs: str,
    out: str | None,
    kind: str | None,
    folder: str | None,
    figure_formats: tuple[str, ...],
    *,
    force: bool,
) -> None:
    """Raise, before any work, where something cannot be written."""
    from ranksieve.cli._output import check_out
    from ranksieve.errors import ParameterError

    if kind == "html" and out is None:
        raise ParameterError(
            "a page needs a file: give -o report.html. "
            "Tables are printed with --format md, latex or csv."
        )
    if figure_formats and folder is None:
        raise ParameterError("--figure-format needs --figures FOLDER, where they are written.")
    if out is not None:
        check_out(out, source=runs, force=force)


def _results(runs: str, study: int | None) -> Results:
    from ranksieve.errors import DataError
    from ranksieve.experiment import read_results, studies_in

    studies = studies_in(runs)
    if study is None and len(studies) > 1:
        # Not to standard output, where tables may go.
        click.echo(
            f"{runs} holds {len(studies)} studies; this is the last. For --study N:", err=True
        )
        for number, words in enumerate(studies, start=1):
            click.echo(f"  {number}. {words}", err=True)
    if study is not None and study > len(studies):
        raise DataError(
            f"--study {study}: {runs} holds {len(studies)}. "
            + " ".join(f"{number}. {words}." for number, words in enumerate(studies, start=1))
        )
    return read_results(runs, study=-1 if study is None else study - 1)


def _check_options(results: Results, options: dict[str, Any]) -> None:
    from ranksieve.report.study.view import StudyView

    StudyView.of(results, **options)


def _text(results: Results, kind: str, options: dict[str, Any]) -> str:
    from ranksieve.report import study_csv, study_latex, study_markdown, study_page

    make = {
        "html": study_page,
        "md": study_markdown,
        "latex": study_latex,
        "csv": study_csv,
    }[kind]
    return make(results, **options)


def _write(text: str, out: str | None) -> None:
    from ranksieve.data.atomic import replacing

    if out is None:
        print(text, end="")
        return
    with replacing(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(f"Written to {out}.")


def _write_features(results: Results, path: str, **options: Any) -> None:
    from ranksieve.cli._output import write_json
    from ranksieve.report import study_features

    content = study_features(results, **options)
    write_json(content, path)
    n_folds, selected = len(content["row"]["folds"]), content["selected"]
    times = {entry["feature"]: entry["folds"] for entry in content["order"]}
    stable = sum(times[name] == n_folds for name in selected)
    folds = f" {stable} of them in all {n_folds} folds." if n_folds > 1 else ""
    if 2 * stable < len(selected):
        folds += " Folds differ much: rather select once more, on all training data, by its method."
    # Not to standard output, where tables may go.
    click.echo(
        f"{len(selected)} features of {content['method']} ({content['row']['number']}) on "
        f"{content['data']['source']} written to {path}.{folds}",
        err=True,
    )


def _write_figures(
    results: Results,
    folder: str,
    formats: tuple[str, ...],
    options: dict[str, Any],
    *,
    force: bool,
) -> None:
    from ranksieve.report import write_figures

    written = write_figures(results, folder, formats, overwrite=force, **options)
    # Not to standard output, where tables may go.
    click.echo(f"{len(written)} figures written to {folder}.", err=True)
