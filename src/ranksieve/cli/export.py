"""ranksieve export: a model and its features for a search engine."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ranksieve.cli._export_source import Source
    from ranksieve.export import Export

_EXAMPLES = """\b
Examples:
  ranksieve export sieved --to elasticsearch --featureset featureset.json
  ranksieve export sieved --to opensearch --engine-version 3.2 --name books -o model.json
  ranksieve export model.txt --to solr --featureset features.json --store books
  ranksieve export model.json --to vespa --names rank-features.txt
  ranksieve export model.json --to onnx -o model.onnx
"""
_TARGETS = ("elasticsearch", "opensearch", "solr", "vespa", "ranklib", "onnx", "json")
# Engines with definitions of features, and the call that installs one.
_SET_CALLS = {
    "elasticsearch": "curl -X POST 'http://ENGINE_HOST:9200/_ltr/_featureset/{name}' "
    "-H 'Content-Type: application/json' --data-binary @{file}",
    "solr": "curl -X PUT 'http://ENGINE_HOST:8983/solr/COLLECTION/schema/feature-store' "
    "-H 'Content-Type: application/json' --data-binary @{file}",
}
_SET_CALLS["opensearch"] = _SET_CALLS["elasticsearch"]
_WITH_SETS = ("elasticsearch", "opensearch", "solr", "vespa", "ranklib")
# Names that the terminal lists of each kind.
_LISTED = 12


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("out")
@click.option("--to", type=click.Choice(_TARGETS), required=True, help="The engine or format.")
@click.option(
    "--engine-version",
    metavar="VERSION",
    help="Such as 3.8: what missing values do depends on it.  [default: the newest]",
)
@click.option(
    "--featureset",
    metavar="FILE",
    help="The engine's definition of features: it is pruned to those that are needed.",
)
@click.option(
    "--name", default="ranksieve", show_default=True, help="The model's name in the engine."
)
@click.option("--store", metavar="NAME", help="Name of the feature set or store in the engine.")
@click.option(
    "--names",
    metavar="FILE",
    help="Names of the features in the engine, one per line, in the model's order.",
)
@click.option(
    "--missing",
    type=click.Choice(["zero", "learned"]),
    default="zero",
    show_default=True,
    help="What a missing feature does in trees: as 0, or what the library learned.",
)
@click.option(
    "--model-type",
    type=click.Choice(["model/linear", "model/xgboost+json", "model/ranklib"]),
    help="Elasticsearch, OpenSearch: the kind of model.  [default: one of the first two]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write; others go beside it.  [default: NAME.ENGINE and its ending]",
)
@click.option("-f", "--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(
    out: str,
    to: str,
    featureset: str | None,
    names: str | None,
    output: str | None,
    force: bool,
    as_json: bool,
    store: str | None,
    **options: Any,
) -> None:
    """Write a model for a search engine, and the features that it needs.

    OUT is the folder of `ranksieve sieve`, its features.json, or a model of `ranksieve train`.
    The scores in the engine are those of `ranksieve predict`; where they may differ, the command
    says so. It prints what was kept and dropped, and the calls that install the result.
    """
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._export_source import read_source
    from ranksieve.cli._output import print_json

    with plain_warnings():
        source = read_source(out)
        result = _exported(source, to, featureset, names, store, options)
        target = Path(output or _default_path(options["name"], to, result.suffix))
        inputs = [*source.files, *(Path(each) for each in (featureset, names) if each)]
        result.write(target, inputs, force=force)
    if as_json:
        print_json(result.as_dict(target))
    else:
        _print(result, target)


def _default_path(name: str, to: str, suffix: str) -> str:
    """Return the file to write where none is named.

    Examples
    --------
    >>> _default_path("books", "solr", ".json"), _default_path("books", "onnx", ".onnx")
    ('books.solr.json', 'books.onnx')
    """
    return f"{name}{suffix}" if suffix == f".{to}" else f"{name}.{to}{suffix}"


@dataclass(frozen=True)
class _Result:
    """A model, a pruned definition, or both, and what was kept."""

    export: Export | None
    pruned: Any
    set_name: str | None
    to: str
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    unused: tuple[str, ...]
    set_ending: str

    @property
    def suffix(self) -> str:
        """The ending of the name of the first file."""
        return self.set_ending if self.export is None else self.export.suffix

    def files(self, target: Path) -> dict[Path, bytes]:
        """Return what is written, by path: the first is the target."""
        files: dict[Path, bytes] = {}
        if self.export is not None:
            files[target] = self.export.data
            for name, text in self.export.attachments.items():
                files[target.with_name(name)] = text.encode()
        if self.pruned is not None:
            files[self.set_path(target)] = self.pruned.text.encode()
        return files

    def set_path(self, target: Path) -> Path:
        """Return where the pruned definition goes."""
        if self.export is None:
            return target
        return target.with_name(f"{target.stem}.features{self.set_ending}")

    def write(self, target: Path, inputs: list[Path], *, force: bool) -> None:
        """Write all files or none, and never over an input."""
        from ranksieve.cli._output import check_out
        from ranksieve.data.atomic import replacing

        files = self.files(target)
        for path in files:
            for each in inputs:
                check_out(str(path), source=str(each), force=force)
        with ExitStack() as stack:
            for path, content in files.items():
                stack.enter_context(replacing(path)).write_bytes(content)

    def calls(self, target: Path) -> list[str]:
        """Return the lines that install the files, with the engine's host to be filled in."""
        calls = []
        if self.pruned is not None and self.to in _SET_CALLS:
            file = shlex.quote(str(self.set_path(target)))
            calls.append(_SET_CALLS[self.to].format(name=self.set_name or "FEATURESET", file=file))
        if self.export is not None:
            file = shlex.quote(str(target))
            calls += [call.replace("{file}", file) for call in self.export.calls]
        return calls

    def notes(self) -> list[str]:
        """Return what is to be known, and no warning."""
        dependences = getattr(self.pruned, "dependences", ())
        return [
            *(() if self.export is None else self.export.notes),
            *(f"{name!r} is kept, since {needer!r} needs it." for name, needer in dependences),
        ]

    def warnings(self) -> list[str]:
        """Return where the engine may do otherwise than the model."""
        unfollowed = getattr(self.pruned, "unfollowed", ())
        return [
            *(() if self.export is None else self.export.warnings),
            *(
                f"The script of {name!r} may read further features, by names that are not written "
                "in it: see that they are kept."
                for name in unfollowed
            ),
        ]

    def as_dict(self, target: Path) -> dict[str, Any]:
        """Return everything but the files' content, for JSON."""
        return {
            "to": self.to,
            "kind": None if self.export is None else self.export.kind,
            "files": [str(path) for path in self.files(target)],
            "kept": list(self.kept),
            "dropped": list(self.dropped),
            "unused": list(self.unused),
            "notes": self.notes(),
            "warnings": self.warnings(),
            "calls": self.calls(target),
        }


def _exported(
    source: Source,
    to: str,
    featureset: str | None,
    names_file: str | None,
    store: str | None,
    options: dict[str, Any],
) -> _Result:
    from ranksieve.data.feature_lists import read_names
    from ranksieve.errors import DataError
    from ranksieve.export import export_model

    if source.model is None and featureset is None:
        raise DataError(
            f"{source.files[0]} is a list of features without a model beside it. Give the "
            "engine's definition as --featureset to prune it, or a model of `ranksieve train`."
        )
    if featureset is not None and to not in _WITH_SETS:
        raise click.UsageError(f"--featureset is for engines with features, and not for {to}.")
    names = None if names_file is None else read_names(names_file)
    if source.model is None:
        if names is not None:
            raise click.UsageError("--names is for the features of a model, and there is none.")
        pruned = _pruned(featureset, source.selected, to)
        return _of(None, pruned, store, to, source, source.selected, featureset)
    rename = dict(zip(source.model.description().names, names or (), strict=False))
    export = export_model(source.model, to, names=names, store=store, **options)
    pruned, set_name = None, store
    if featureset is not None:
        pruned = _pruned(featureset, export.features, to)
        set_name = store or _set_name(pruned.text)
        # Again, now that the order and the name of the set are known.
        export = export_model(
            source.model, to, names=names, store=set_name, feature_set=pruned.kept, **options
        )
    selected = tuple(rename.get(name, name) for name in source.selected)
    return _of(export, pruned, set_name, to, source, selected, featureset)


def _of(
    export: Export | None,
    pruned: Any,
    set_name: str | None,
    to: str,
    source: Source,
    selected: tuple[str, ...],
    featureset: str | None,
) -> _Result:
    used = selected if export is None else export.features
    return _Result(
        export=export,
        pruned=pruned,
        set_name=set_name,
        to=to,
        kept=used if pruned is None else tuple(pruned.kept),
        dropped=source.dropped if pruned is None else tuple(pruned.dropped),
        unused=tuple(name for name in selected if name not in set(used)),
        set_ending="" if featureset is None else Path(featureset).suffix,
    )


def _pruned(featureset: str | None, names: tuple[str, ...], to: str) -> Any:
    from ranksieve.errors import DataError

    try:
        text = Path(str(featureset)).expanduser().read_text("utf-8")
    except OSError as error:
        raise DataError(f"cannot read {featureset}: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise DataError(f"{featureset} is no text in UTF-8, and no definition.") from None
    return import_module("ranksieve.export.prune").prune(text, list(names), engine=to)


def _set_name(text: str) -> str | None:
    """Return the name that a definition in JSON gives its set or store, if it does."""
    import json

    try:
        content = json.loads(text)
    except ValueError:
        return None
    if isinstance(content, list) and content and isinstance(content[0], dict):
        name = content[0].get("store")
    else:
        inner = content.get("featureset", content) if isinstance(content, dict) else None
        name = inner.get("name") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else None


def _print(result: _Result, target: Path) -> None:
    from ranksieve.cli._output import console

    export = result.export
    kind = "features" if export is None else f"{export.kind} {export.name!r}"
    console().print(f"{kind} for {result.to}", style="bold")
    for heading, names in (("Keep", result.kept), ("Drop", result.dropped)):
        console().print(f"{heading} ({len(names)}): {_shortened(names)}")
    if result.unused:
        console().print(
            f"Chosen, but not read by the model ({len(result.unused)}): {_shortened(result.unused)}"
        )
    for note in result.notes():
        console().print(note)
    for warning in result.warnings():
        click.echo(f"Warning: {warning}", err=True)
    console().print(f"Written: {', '.join(str(path) for path in result.files(target))}.")
    if result.calls(target):
        console().print("To install:")
        for call in result.calls(target):
            # In one line, whatever the terminal's width, so that it can be copied.
            click.echo(f"  {call}")


def _shortened(names: tuple[str, ...]) -> str:
    """Return names with commas; of many, the first.

    Examples
    --------
    >>> _shortened(("a", "b")), _shortened(())
    ('a, b', 'none')
    """
    if len(names) <= _LISTED:
        return ", ".join(names) or "none"
    return f"{', '.join(names[:_LISTED])} and {len(names) - _LISTED} more"
