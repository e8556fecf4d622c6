"""A study: what is compared with what, on which data, by which measures; and studies in files."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ranksieve.catalog import check_choice, suggestion
from ranksieve.data.check import check_seed
from ranksieve.data.paths import is_file
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment.grids import Grid, grid, label_of
from ranksieve.measures import parse_measure
from ranksieve.sources import Source, as_source

# The number of features that stands for all that a method keeps.
ALL = -1
# What the method without selection is called.
ALL_FEATURES = "all features"
VARIANTS = ("weights", "refit")
JOINT, RANKER_FIRST = "joint", "ranker-first"
TUNINGS = (JOINT, RANKER_FIRST)
NUMBERS = (1, 2, 5, 10, 20, ALL)
MEASURES = ("ndcg@10", "map")
# Studies that come with the package, and what a study's file may say.
_BUILT_IN = Path(__file__).parent / "studies"
_KEYS = (
    "title",
    "description",
    "data",
    "selectors",
    "rankers",
    "k",
    "measures",
    "variants",
    "seed",
    "tune",
)

Labelled = Mapping[str, str] | Sequence[str]


@dataclass(frozen=True)
class Study:
    """Data sets x folds x selectors x numbers of features x rankers x settings.

    The protocol: select and train on the train part of a fold, choose settings (and the number
    of features) on its validation part by the first measure, report on its test part. Each
    ranker is trained with all features too, for comparison.

    Parameters
    ----------
    data : sources, or their text: a folder with Fold1, Fold2, ..., or a call
    selectors, rankers : texts, or labels to texts
        A list for a parameter is a grid: "GAS(balance=[0, 0.1])". What a text leaves out has the
        class's `default_grid`, or its default.
    numbers : numbers of features; `ALL`, or "all", for all
    measures : texts; the first one chooses
    variants : of embedded methods
        "weights" ranks by the k largest weights of the model, without another fit; "refit" trains
        each ranker on the k features with the largest weights of the model that is best on
        the validation part.
    seed : int, the `random_state` of components that are given none
    title : str
    tune : {"joint", "ranker-first"}
        "joint" chooses among all combinations of settings. "ranker-first" fixes the setting of
        each ranker, fold by fold, with all features, then chooses the selector's setting and
        the number of features: far fewer trials. Trials are the same, so both share a store.

    Examples
    --------
    >>> study = Study(["MQ2008"], ["GAS(balance=0.1)", "FSMRank"], ["RankSVM"], numbers=[5, "all"])
    >>> [one.label for one in study.selector_grids]
    ['GAS', 'FSMRank']
    >>> study.rankers
    (('RankSVM', 'RankSVM'),)
    """

    data: Sequence[str | Source]
    selectors: Labelled = ()
    rankers: Labelled = ("RankSVM",)
    numbers: Sequence[int | str] = NUMBERS
    measures: Sequence[str] = MEASURES
    variants: Sequence[str] = VARIANTS
    seed: int = 0
    title: str = field(default="", compare=False)
    tune: str = JOINT

    def __post_init__(self) -> None:
        values = {
            "data": tuple(_source(source) for source in _several("data", self.data)),
            "selectors": _labelled("selectors", self.selectors),
            "rankers": _labelled("rankers", self.rankers),
            "numbers": _numbers(self.numbers),
            "measures": tuple(str(parse_measure(m)) for m in _several("measures", self.measures)),
            "variants": tuple(_several("variants", self.variants)),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check()

    @property
    def sources(self) -> tuple[Source, ...]:
        """The data sets."""
        return self.data  # type: ignore[return-value]

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of features, rising; `ALL` last."""
        return self.numbers  # type: ignore[return-value]

    @cached_property
    def selector_grids(self) -> list[Grid]:
        """Each selector with the settings that are tried."""
        return self._grids("selectors", self.selectors)

    @cached_property
    def ranker_grids(self) -> list[Grid]:
        """Each ranker with the settings that are tried."""
        return self._grids("rankers", self.rankers)

    def _grids(self, family: str, labelled: Any) -> list[Grid]:
        fixed = {"random_state": self.seed, "measure": self.measures[0]}
        return [grid(label, text, family, fixed=fixed) for label, text in labelled]

    def to_json(self) -> str:
        """Return the study as text, from which `from_json` makes it again."""
        # A joint study is spelled as before there was a choice, so that stores still know it.
        tune = {} if self.tune == JOINT else {"tune": self.tune}
        return json.dumps(
            {
                "data": [repr(source) for source in self.sources],
                "selectors": list(map(list, self.selectors)),
                "rankers": list(map(list, self.rankers)),
                "numbers": list(self.numbers),
                "measures": list(self.measures),
                "variants": list(self.variants),
                "seed": self.seed,
                "title": self.title,
                **tune,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Study:
        """Return the study that `to_json` wrote."""
        content: dict[str, Any] = json.loads(text)
        for family in ("selectors", "rankers"):
            content[family] = dict(content[family])
        return cls(**content)

    def _check(self) -> None:
        if not self.data:
            raise ParameterError("a study needs data: give at least one folder with folds")
        if not self.measures:
            raise ParameterError("a study needs measures: give at least one, such as 'ndcg@10'")
        if not isinstance(self.title, str):
            raise ParameterError(f"the title must be a text, but is {self.title!r}")
        if not self.rankers and not self.selectors:
            raise ParameterError("a study needs rankers or selectors: give at least one")
        names = [source.name for source in self.sources]
        _check_different("data sets", names, "Give one folder or file another name.")
        check_choice("tune", self.tune, TUNINGS)
        if not self.variants:
            raise ParameterError(f"variants are some of {', '.join(VARIANTS)}: give at least one")
        for variant in self.variants:
            check_choice("a variant", variant, VARIANTS)
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ParameterError(f"the seed must be a whole number from 0 on, but is {self.seed!r}")
        check_seed(self.seed, "the seed")
        remedy = "Give them labels of their own: [selectors] and [rankers] in a study's file."
        labels = [grid.label for grid in self.selector_grids]
        # What lines of tables are called besides: all features, and the refit of a method.
        reserved = [ALL_FEATURES, *(f"{label}, refit" for label in dict.fromkeys(labels))]
        _check_different("methods", [*labels, *reserved], remedy)
        _check_different("rankers", [grid.label for grid in self.ranker_grids], remedy)


def _source(value: Any) -> Source:
    if not isinstance(value, str | Source):
        raise ParameterError(f"data is a folder or a file, as text, but is {value!r}")
    return as_source(value)


def _several(name: str, values: Any) -> Sequence[Any]:
    if isinstance(values, str | Source):
        return (values,)
    if not isinstance(values, Sequence):
        raise ParameterError(f"{name} must be a list, but is {values!r}")
    return values


def _labelled(name: str, components: Labelled) -> tuple[tuple[str, str], ...]:
    """Return labels with texts; a text alone is labelled by itself."""
    if isinstance(components, Mapping):
        return tuple((str(label), str(text)) for label, text in components.items())
    return tuple(_label_and_text(name, component) for component in _several(name, components))


def _label_and_text(family: str, component: Any) -> tuple[str, str]:
    if isinstance(component, str):
        return label_of(component, family), component
    pair = tuple(component) if isinstance(component, tuple | list) else ()
    if len(pair) != 2 or not all(isinstance(part, str) for part in pair):
        raise ParameterError(
            f"{family} are texts such as 'GAS', or pairs of a label and a text, but one is "
            f"{component!r}"
        )
    return pair


def _numbers(values: Sequence[int | str]) -> tuple[int, ...]:
    """Return numbers of features, rising, with all of them last."""
    numbers = set()
    for value in _several("numbers", values):
        if value == ALL or (isinstance(value, str) and value.strip().lower() == "all"):
            numbers.add(ALL)
        elif isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            numbers.add(value)
        else:
            raise ParameterError(
                f"a number of features is a whole number from 1 on, or 'all', but is {value!r}"
            )
    if not numbers:
        raise ParameterError("a study needs numbers of features, such as [5, 10, 'all']")
    return tuple(sorted(numbers, key=lambda number: (number == ALL, number)))


def _check_different(kind: str, names: list[str], remedy: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(
            f"two {kind} are called {twice[0]!r}: tables could not tell them apart. {remedy}"
        )


def study_names() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(path.stem for path in _BUILT_IN.glob("*.toml"))


def study_titles() -> dict[str, str]:
    """Return title to name of the studies that come with the package."""
    return {str(_content(name)["title"]): name for name in study_names()}


def read_study(spelled: str | os.PathLike[str], **changes: Any) -> Study:
    """Return the study in a TOML file, or one that comes with the package, by its name.

    Parameters
    ----------
    spelled : path of a file, or a name out of `study_names()`
    **changes : parameters of `Study` that replace those of the file
    """
    content = _content(spelled)
    unknown = [key for key in content if key not in _KEYS]
    if unknown:
        raise ParameterError(
            f"{spelled}: unknown key {unknown[0]!r}{suggestion(unknown[0], _KEYS)} "
            f"A study has: {', '.join(_KEYS)}."
        )
    content.pop("description", None)
    if "k" in content:
        content["numbers"] = content.pop("k")
    content = content | changes
    if not content.get("data"):
        raise ParameterError(f"{spelled} names no data: add data = [...], or give folders")
    return Study(**content)


def _content(spelled: str | os.PathLike[str]) -> dict[str, Any]:
    path = Path(spelled).expanduser()
    built_in = _BUILT_IN / f"{spelled}.toml"
    if not is_file(path):
        if str(spelled) not in study_names():
            similar = suggestion(str(spelled), study_names())
            raise DataError(
                f"{spelled} is neither a file nor a study that comes with ranksieve{similar} "
                f"Those are: {', '.join(study_names()) or 'none'}."
            )
        path = built_in
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not TOML: {error}. Check that line.") from None
