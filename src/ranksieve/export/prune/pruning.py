"""Pruning: the definition of features that an engine has, without those that are not needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ranksieve.catalog import check_choice
from ranksieve.errors import ParameterError
from ranksieve.export.prune import feature_files, feature_sets, feature_stores, rank_profiles
from ranksieve.export.prune.closure import Closure, check_names, closure
from ranksieve.export.prune.json_text import json_list, parsed

ENGINES = ("elasticsearch", "opensearch", "solr", "vespa", "ranklib")
# What needs a function of a rank profile where no feature does.
_REMAINDER = "the rest of the profile"


@dataclass(frozen=True)
class Pruned:
    """A definition without the features that are not needed.

    Attributes
    ----------
    text : the definition
    kept : names that it still has, in their order
    dropped : names that it no longer has, in their order
    dependences : pairs of a name that was not asked for and the name that needs it
    unfollowed : kept script features that may read further features, by names that are not
        written in them; these cannot be followed
    """

    text: str
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    dependences: tuple[tuple[str, str], ...] = ()
    unfollowed: tuple[str, ...] = ()


def prune(definition: str, kept: Sequence[str], *, engine: str) -> Pruned:
    """Return a definition of features with the chosen ones and what they depend on.

    Features stay in their order, and everything else in the text stays as it is written.
    Dependences are followed to the end. The order of the request does not matter.

    Parameters
    ----------
    definition : text of the definition
        Elasticsearch and OpenSearch: a feature set in JSON, as it is sent or as it is got. Solr: a
        feature store in JSON. Vespa: a rank profile, or the schema that has it. RankLib: a
        feature file.
    kept : names of the features to keep
    engine : "elasticsearch", "opensearch", "solr", "vespa" or "ranklib"

    Raises
    ------
    DataError
        The definition does not have a name, or cannot be read; names that are near are listed.

    Notes
    -----
    *Elasticsearch, OpenSearch.* An expression uses each feature whose name is a variable in it. A
    script uses each feature whose name is a quoted text in its source or a text among its
    parameters: a script that reads the vector by other names is in `unfollowed`.

    *Vespa.* Features are the items of match-features, summary-features and rank-features, and
    functions. A function goes if a dropped feature used it and nothing that remains in the text
    does; functions that no list leads to stay. What other files use is not seen.

    *RankLib.* A line is a number, or a name, or a number, a tab and a name. Comments stay.

    Examples
    --------
    >>> store = '[{"name": "bm25"}, {"name": "clicks"},  {"name": "age"}]'
    >>> prune(store, ["age", "bm25"], engine="solr")
    Pruned(text='[{"name": "bm25"},  {"name": "age"}]', kept=('bm25', 'age'), dropped=('clicks',),
           dependences=(), unfollowed=())
    """
    check_choice("engine", engine, ENGINES)
    if isinstance(kept, str):
        raise ParameterError(f"kept must be a list of names, but is the text {kept!r}")
    requested = [str(name) for name in kept]
    if engine == "vespa":
        return _pruned_profile(definition, requested)
    if engine == "ranklib":
        return _pruned_file(definition, requested)
    if engine == "solr":
        return _pruned_store(definition, requested)
    return _pruned_set(definition, requested)


def listed_features(definition: str) -> list[tuple[str, str | None]]:
    """Return name and language of each feature of a set, a store or a profile, in their order.

    The language is that of a template of Elasticsearch and OpenSearch; None for features of Solr
    and Vespa.

    Examples
    --------
    >>> listed_features('{"features": [{"name": "bm25", "template": {}}]}')
    [('bm25', 'mustache')]
    """
    if not definition.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return [(name, None) for name in rank_profiles.rank_profiles(definition).items()]
    path = feature_sets.features_path(parsed(definition, feature_sets.SOURCE))
    features = json_list(definition, path).elements
    return [
        (name, feature.get("template_language", "mustache") if "template" in feature else None)
        for name, feature in zip(feature_sets.feature_names(features), features, strict=True)
    ]


def _pruned_set(definition: str, requested: Sequence[str]) -> Pruned:
    path = feature_sets.features_path(parsed(definition, feature_sets.SOURCE))
    listing = json_list(definition, path)
    names = feature_sets.feature_names(listing.elements)
    check_names(requested, names, feature_sets.SOURCE)
    dependences = {
        feature["name"]: feature_sets.feature_dependences(feature, names)
        for feature in listing.elements
    }
    needed = closure(requested, names, dependences)
    positions = [index for index, name in enumerate(names) if name in needed.names]
    unfollowed = [
        names[index] for index in positions if feature_sets.reads_more(listing.elements[index])
    ]
    return _pruned(listing.only(positions), names, needed, tuple(unfollowed))


def _pruned_store(definition: str, requested: Sequence[str]) -> Pruned:
    path = feature_stores.features_path(parsed(definition, feature_stores.SOURCE))
    listing = json_list(definition, path)
    names = feature_stores.feature_names(listing.elements)
    check_names(requested, names, feature_stores.SOURCE)
    needed = closure(requested, list(dict.fromkeys(names)), {})
    positions = [index for index, name in enumerate(names) if name in needed.names]
    return _pruned(listing.only(positions), list(dict.fromkeys(names)), needed)


def _pruned_file(definition: str, requested: Sequence[str]) -> Pruned:
    lines = feature_files.feature_lines(definition)
    known_names = [line.name for line in lines if line.name is not None]
    titles = [line.title for line in lines if line.title is not None]
    check_names(requested, [*known_names, *titles], feature_files.SOURCE)
    wanted_names = frozenset(requested)
    remaining = [line for line in lines if line.name is None or line.answers_to(wanted_names)]
    names = frozenset(line.name for line in remaining if line.name is not None)
    text = "".join(line.text for line in remaining)
    return _pruned(text, known_names, Closure(names, ()))


def _pruned_profile(definition: str, requested: Sequence[str]) -> Pruned:
    profiles = rank_profiles.rank_profiles(definition)
    names, dependences = profiles.names(), profiles.dependences()
    functions = [function.name for function in profiles.functions]
    requested = [rank_profiles.canonical(name) for name in requested]
    check_names(requested, names, rank_profiles.SOURCE)
    needed = closure(requested, names, dependences)
    unlisted = [name for name in profiles.items() if name not in set(requested)]
    # Only what a dropped feature leads to may go: other functions may serve profiles elsewhere.
    candidates = closure(unlisted, names, dependences).names.intersection(functions)
    callers = {
        name: phase
        for phase in sorted(profiles.other_words)
        for name in profiles.other_words[phase]
    }
    roots = [name for name in functions if name in callers or name not in candidates]
    serving = closure(roots, names, dependences)
    remaining = needed.names | serving.names.intersection(functions)
    removed = [name for name in functions if name not in remaining]
    needers = {**dict(serving.needed_by), **dict(needed.needed_by)}
    only_needed = (remaining & candidates) | (needed.names - set(requested))
    reasons = tuple(
        (name, needers.get(name) or callers.get(name) or _REMAINDER)
        for name in names
        if name in only_needed and name not in set(requested)
    )
    text = profiles.without(unlisted, removed)
    return _pruned(text, names, Closure(frozenset(remaining), reasons))


def _pruned(
    text: str, names: Sequence[Any], needed: Closure, unfollowed: tuple[str, ...] = ()
) -> Pruned:
    return Pruned(
        text,
        tuple(name for name in names if name in needed.names),
        tuple(name for name in names if name not in needed.names),
        needed.needed_by,
        unfollowed,
    )
