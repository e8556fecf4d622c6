"""ranksieve costs: what features cost, from what a search engine has measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ranksieve.data.profiles import FeatureCosts, ProfiledFeature

_EXAMPLES = """\b
Examples:
  ranksieve costs profile.json --featureset featureset.json -o costs.csv
  ranksieve costs monday.ndjson.gz tuesday.ndjson.gz -o costs.csv
  ranksieve sieve train.txt --costs costs.csv
"""
_LISTED = 12


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("profiles", metavar="PROFILE...", nargs=-1, required=True)
@click.option(
    "--featureset",
    metavar="FILE",
    help="The features in their order: a feature set, a feature store, a rank profile, or a name "
    "per line.  [default: those that the responses log]",
)
@click.option("-o", "--out", metavar="FILE", help="CSV to write.  [default: standard output]")
@click.option("-f", "--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(
    profiles: tuple[str, ...], featureset: str | None, out: str | None, force: bool, as_json: bool
) -> None:
    """Make the costs that `ranksieve sieve --costs` reads from profiles of a search engine.

    PROFILE has responses of Elasticsearch or OpenSearch with "profile": true, of Solr with
    debug=timing, or of Vespa with trace.profiling. A cost is the median over the responses, in
    milliseconds. Time that belongs to no feature is reported, and in no cost. The page
    docs/logs.md says what can be told apart.
    """
    import csv
    import sys

    from ranksieve.cli._output import print_json
    from ranksieve.cli._progress import progress_bars
    from ranksieve.data.profiles import profile_costs

    _check_target(out, [*profiles, *([featureset] if featureset else [])], force)
    features = None if featureset is None else _features(featureset)
    with progress_bars():
        result = profile_costs(profiles, features)
    if out is not None:
        result.write(out)
    if as_json:
        print_json(_content(result))
    elif out is None:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(("feature", "cost"))
        writer.writerows((name, f"{cost:.9g}") for name, cost in result.costs.items())
    _summarise(result, out, to_error=out is None or as_json)


def _check_target(out: str | None, sources: list[str], force: bool) -> None:
    """Raise where the result would be written over its input, or over another file."""
    from ranksieve.errors import DataError

    if out is None or not Path(out).exists():
        return
    for source in sources:
        if Path(source).exists() and Path(source).samefile(out):
            raise DataError(f"{out} is read and cannot be written. Choose another name.")
    if not force:
        raise DataError(f"{out} exists. Choose another name, or pass overwrite=True to replace it.")


def _features(path: str) -> list[ProfiledFeature]:
    """Return the features of a set, a store or a profile, or of a file with a name per line."""
    from ranksieve.data.feature_lists import read_names
    from ranksieve.data.profiles import ProfiledFeature
    from ranksieve.errors import DataError
    from ranksieve.export.prune import listed_features

    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path}: {error}") from None
    is_definition = text.lstrip().startswith(("{", "[")) or "-features" in text
    if not is_definition:
        return [ProfiledFeature(name) for name in read_names(path)]
    return [ProfiledFeature(name, language) for name, language in listed_features(text)]


def _content(result: FeatureCosts) -> dict[str, object]:
    return {
        "unit": "ms",
        "responses": result.n_responses,
        "features": [
            {"feature": name, "cost": cost, "measured": result.n_measured[name]}
            for name, cost in result.costs.items()
        ],
        "attributed": result.attributed,
        "unattributed": result.unattributed,
        "unmeasured": list(result.unmeasured),
    }


def _summarise(result: FeatureCosts, out: str | None, *, to_error: bool) -> None:
    """Say how much was measured, what belongs to no feature, and which features have no cost."""
    target = "" if out is None else f"{out}: "
    lines = [
        f"{target}{len(result.costs)} features, the median of {result.n_responses:,} responses, in "
        "milliseconds."
    ]
    outside = sum(result.unattributed.values())
    if outside:
        share = outside / (outside + result.attributed)
        kinds = sorted(result.unattributed.items(), key=lambda pair: -pair[1])
        listed = ", ".join(f"{kind} {value:.4g} ms" for kind, value in kinds)
        lines.append(f"{share:.0%} of the time belongs to no feature: {listed}.")
    if result.unmeasured:
        names = ", ".join(result.unmeasured[:_LISTED])
        more = len(result.unmeasured) - _LISTED
        verb = "feature has" if len(result.unmeasured) == 1 else "features have"
        lines.append(
            f"{len(result.unmeasured)} {verb} no cost: {names}"
            f"{f' and {more} more' if more > 0 else ''}."
        )
    for line in lines:
        click.echo(line, err=to_error)
