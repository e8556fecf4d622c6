"""Family and name to class, and text to component: `GAS(balance=0.3)`.

A component is a class in a file of its family's folder. The catalog reads the folder, so
a new file is enough: there is no list of names to keep. Files are scanned as text and
imported only when one of their names is asked for.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from ranksieve.errors import ParameterError

_ROOT = Path(__file__).parent
_CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)
_MAX_TEXT = 10_000
# Characters of it that a message shows.
_MAX_SHOWN = 200

# From a name to its class.
Finder = Callable[[str], Any]

# Families whose classes are public names of the package itself.
PUBLIC_FAMILIES = ("measures", "selectors", "rankers")
FAMILIES = (
    *PUBLIC_FAMILIES,
    "importance",
    "similarity",
    "losses",
    "penalties",
    "solvers",
    "choices",
    "sources",
)

# `KendallSimilarity` in the folder similarity/ is "kendall".
_SUFFIX = {
    "importance": "Importance",
    "similarity": "Similarity",
    "losses": "Loss",
    "penalties": "Penalty",
}

# What a lower floor lets an upper one draw: a name to a module and its function. They are looked up
# when a chart is asked for, so that imports go down only.
_CHARTS = {"selection": ("ranksieve.report.selection_chart", "plot_selection")}


class Entry(NamedTuple):
    """Where a component is: its class's name, its short name, and its module."""

    class_name: str
    short_name: str
    module: str

    def load(self) -> Any:
        """Import the module and return the class."""
        return getattr(importlib.import_module(self.module), self.class_name)


# Selectors of an upper floor: found by name like the others, but in no list of methods to compare.
_ABOVE = (Entry("Sieve", "Sieve", "ranksieve.sieve.selector"),)


@cache
def entries(family: str) -> tuple[Entry, ...]:
    """All components of a family, in the order of their names.

    Examples
    --------
    >>> entries("similarity")[0]
    Entry(class_name='FootruleSimilarity', short_name='footrule',
          module='ranksieve.similarity.footrule')
    """
    if family not in FAMILIES:
        raise ParameterError(f"unknown family {family!r}{suggestion(family, FAMILIES)}")
    candidates = [_entry(family, path) for path in sorted((_ROOT / family).rglob("*.py"))]
    return tuple(sorted(entry for entry in candidates if entry is not None))


def get(family: str, name: str) -> Any:
    """Return the class of a family by its name or short name, in any case."""
    folded = _fold(name)
    for entry in (*entries(family), *_above(family)):
        if folded in (_fold(entry.class_name), _fold(entry.short_name)):
            return entry.load()
    _refuse_other_family(name, family)
    names = [entry.short_name for entry in entries(family)]
    raise ParameterError(
        f"unknown {_singular(family)} {name!r}{suggestion(name, names)} Known: {', '.join(names)}."
    )


def _refuse_other_family(text: str, family: str) -> None:
    """Raise with a hint if a text spells no selector or ranker but something near to one."""
    if family not in ("selectors", "rankers") or knows(family, text.partition("(")[0]):
        return
    hint = _other_family(text, family)
    if hint is not None:
        names = ", ".join(entry.short_name for entry in entries(family))
        raise ParameterError(f"{hint} {family.capitalize()}: {names}.")


def _other_family(text: str, family: str) -> str | None:
    """Return what to do with a component of another family where a selector or ranker is expected.

    Examples
    --------
    >>> print(_other_family("ranksvm(C=1)", "selectors"))
    RankSVM ranks documents and does not select features itself. RankRFE(RankSVM(C=1))
    selects by it.
    >>> print(_other_family("ndcg@10", "selectors"))
    'ndcg@10' judges features one by one. TopK('ndcg@10') selects by it, and
    GAS(importance='ndcg@10') looks at similarity too.
    """
    name, bracket, arguments = text.strip().partition("(")
    if family == "selectors" and knows("rankers", name):
        ranker = _class_name("rankers", name)
        call = f"{ranker}({arguments}" if bracket else f"{ranker}()"
        return (
            f"{ranker} ranks documents and does not select features itself. RankRFE({call}) "
            "selects by it."
        )
    importance = knows("importance", name) or knows("measures", name.partition("@")[0])
    if family == "selectors" and importance and not bracket:
        return (
            f"{name!r} judges features one by one. TopK({name!r}) selects by it, and "
            f"GAS(importance={name!r}) looks at similarity too."
        )
    if family == "rankers" and knows("selectors", name):
        selector = _class_name("selectors", name)
        if hasattr(get("selectors", selector), "save"):
            return (
                f"{selector} is a selector that ranks with its own weights, and no ranker for the "
                "features of others: give it as a selector, or to `ranksieve train`."
            )
        return f"{selector} selects features and does not rank documents."
    return None


def _class_name(family: str, name: str) -> str:
    folded = _fold(name.strip())
    return next(
        entry.class_name
        for entry in entries(family)
        if folded in (_fold(entry.class_name), _fold(entry.short_name))
    )


def knows(family: str, name: str) -> bool:
    """Tell whether a family has a component of this class or short name.

    Examples
    --------
    >>> knows("selectors", "gas"), knows("selectors", "ndcg")
    (True, False)
    """
    folded = _fold(name.strip())
    return any(
        folded in (_fold(entry.class_name), _fold(entry.short_name))
        for entry in (*entries(family), *_above(family))
    )


def _above(family: str) -> tuple[Entry, ...]:
    return _ABOVE if family == "selectors" else ()


def parse(text: str, family: str) -> Any:
    """Build the component that `text` spells: a name, or a constructor call with literals.

    The text is parsed, never evaluated: arguments are numbers, strings, booleans, None,
    lists, tuples, or components.

    Examples
    --------
    >>> parse("GAS(balance=0.3)", "selectors")
    GAS(balance=0.3)
    >>> parse("gas", "selectors")
    GAS()
    """
    _refuse_other_family(text, family)
    return _build(_expression(text), partial(get, family), text)


def parse_with(text: str, find: Finder) -> Any:
    """Build what `text` spells as `parse` does, of classes that `find(name)` returns.

    `find` raises ParameterError for a name that it does not know.

    Examples
    --------
    >>> from fractions import Fraction
    >>> parse_with("Fraction(1, 2)", {"Fraction": Fraction}.__getitem__)
    Fraction(1, 2)
    """
    return _build(_expression(text), find, text)


def given_parameters(text: str, family: str) -> tuple[str, ...]:
    """Return the names of the parameters that a component's text gives a value.

    Examples
    --------
    >>> given_parameters("GAS(10, balance=0.3)", "selectors"), given_parameters("gas", "selectors")
    (('n_features_to_select', 'balance'), ())
    """
    parse(text, family)  # raises what is to be said of a text that spells nothing
    node = _expression(text)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return ()
    signature = inspect.signature(get(family, node.func.id))
    positional = list(signature.parameters)[: len(node.args)]
    return (*positional, *(str(keyword.arg) for keyword in node.keywords))


def chart(name: str) -> Callable[..., Any]:
    """Return the function that draws a kind of chart.

    Examples
    --------
    >>> chart("selection").__name__
    'plot_selection'
    """
    module, function = _CHARTS[name]
    draw: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return draw


def exported(package: str, name: str) -> Any:
    """Return what the package of a family exports: a component by its class's name, or `__all__`.

    For `__getattr__` of `ranksieve.penalties` and the others: a new file is enough to be imported
    from there, and a component is loaded when it is first asked for.

    Examples
    --------
    >>> exported("ranksieve.similarity", "KendallSimilarity").__name__
    'KendallSimilarity'
    """
    module, family = sys.modules[package], package.rpartition(".")[2]
    if name == "__all__":
        defined = {key for key, value in vars(module).items() if _is_of(package, key, value)}
        return sorted(defined.union(entry.class_name for entry in entries(family)))
    for entry in entries(family) if name[:1].isupper() else ():
        if entry.class_name == name:
            setattr(module, name, entry.load())
            return getattr(module, name)
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def _is_of(package: str, name: str, value: Any) -> bool:
    """Tell whether a name of a package is its own: a class, a function or a constant of it."""
    if name.startswith("_") or name == "TYPE_CHECKING":
        return False
    return name.isupper() or str(getattr(value, "__module__", "")).startswith(package)


def public(name: str) -> Any:
    """Return the class behind a public name of the package; KeyError where there is none."""
    for family in PUBLIC_FAMILIES:
        for entry in (*entries(family), *_above(family)):
            if entry.class_name == name:
                return entry.load()
    raise KeyError(name)


def public_names() -> list[str]:
    """Return the names of all measures, selectors and rankers."""
    return sorted(
        entry.class_name
        for family in PUBLIC_FAMILIES
        for entry in (*entries(family), *_above(family))
    )


def suggestion(name: str, candidates: Any) -> str:
    """Return `: did you mean 'x'?` for the nearest known name, or a full stop.

    Examples
    --------
    >>> suggestion("gass", ["gas", "topk"])
    ": did you mean 'gas'?"
    >>> suggestion("zzz", ["gas", "topk"])
    '.'
    """
    folded = {str(candidate).lower(): str(candidate) for candidate in candidates}
    matches = difflib.get_close_matches(str(name).lower(), folded, n=1, cutoff=0.5)
    return f": did you mean {folded[matches[0]]!r}?" if matches else "."


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise unless a parameter is one of the allowed names.

    Examples
    --------
    >>> check_choice("rule", "bets", ("best", "one-standard-error"))
    Traceback (most recent call last):
    ...
    ranksieve.errors.ParameterError: rule must be one of 'best', 'one-standard-error', but is
    'bets': did you mean 'best'?
    """
    if isinstance(value, str) and value in allowed:
        return
    choices = ", ".join(repr(choice) for choice in allowed)
    raise ParameterError(
        f"{name} must be one of {choices}, but is {value!r}{suggestion(str(value), allowed)}"
    )


def _entry(family: str, path: Path) -> Entry | None:
    parts = path.relative_to(_ROOT / family).parts
    if any(part.startswith("_") for part in parts) or path.stem == "base":
        return None
    match = _CLASS.search(path.read_text(encoding="utf-8"))
    if match is None:
        return None
    module = ".".join(("ranksieve", *path.relative_to(_ROOT).with_suffix("").parts))
    return Entry(match[1], _short_name(family, match[1]), module)


def _short_name(family: str, class_name: str) -> str:
    if family in ("selectors", "rankers"):
        return class_name
    stem = class_name.removesuffix(_SUFFIX.get(family, "")) or class_name
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", stem).lower()


def _fold(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).lower()


def _singular(family: str) -> str:
    return {"losses": "loss", "penalties": "penalty"}.get(family, family.removesuffix("s"))


def _expression(text: str) -> ast.expr:
    if len(text) > _MAX_TEXT:
        raise ParameterError(f"a component's text has at most {_MAX_TEXT} characters")
    # A short name may have a hyphen, which Python would read as a minus.
    bare = text.strip()
    name, bracket, arguments = bare.partition("(")
    bare = name.replace("-", "_") + bracket + arguments if bracket else bare
    if re.fullmatch(r"[A-Za-z][\w-]*", bare):
        return ast.Name(id=bare)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in a literal is not our user's code
            return ast.parse(bare, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ParameterError(
            f"cannot read {_short(text)!r}: write a name, or a call with named literals, "
            "such as 'GAS(balance=0.3)'"
        ) from None


def _build(node: ast.expr, find: Finder, text: str) -> Any:
    if isinstance(node, ast.Name):
        return find(node.id)()
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ParameterError(
            f"cannot read {_short(text)!r}: expected a name, or a call such as 'GAS(balance=0.3)'"
        )
    component = find(node.func.id)
    if any(keyword.arg is None for keyword in node.keywords):
        raise ParameterError(f"cannot read {_short(text)!r}: '**' is not a literal")
    if len({keyword.arg for keyword in node.keywords}) < len(node.keywords):
        raise ParameterError(f"cannot read {_short(text)!r}: a parameter is given twice")
    inner = _inner_finder(component, find)
    positional = [_argument(value, inner, text) for value in node.args]
    named = {str(keyword.arg): _argument(keyword.value, inner, text) for keyword in node.keywords}
    _check_parameters(component, positional, named)
    return component(*positional, **named)


def _inner_finder(component: Any, find: Finder) -> Finder:
    """Return the function that finds the classes among a component's arguments.

    It looks in all families; a component that takes other classes has its own `find_part`.
    Inside an object from elsewhere, the function that found that object.
    """
    if not component.__module__.startswith("ranksieve."):
        return find
    finder: Finder = getattr(component, "find_part", _find)
    return finder


def _argument(node: ast.expr, find: Finder, text: str) -> Any:
    if isinstance(node, ast.Call):
        return _build(node, find, text)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        name = node.id if isinstance(node, ast.Name) else ""
        is_component = any(knows(family, name) for family in FAMILIES)
        remedy = f". Write {name}()" if is_component else ""
        raise ParameterError(
            f"cannot read {_source(node, text)!r} in {_short(text)!r}: arguments are literals "
            f"(numbers, quoted text, True, False, None, lists) or components{remedy}"
        ) from None


def _source(node: ast.expr, text: str) -> str:
    """Return the text of a part; of all of it where the part is nested too deep to be written."""
    try:
        return _short(ast.unparse(node))
    except RecursionError:
        return _short(text)


def _short(text: str) -> str:
    """Return a text for a message: only its beginning where it is long."""
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def _find(name: str) -> Any:
    for candidate in FAMILIES:
        if knows(candidate, name):
            return get(candidate, name)
    names = [entry.class_name for candidate in FAMILIES for entry in entries(candidate)]
    raise ParameterError(f"unknown component {name!r}{suggestion(name, names)}")


def _check_parameters(component: Any, positional: list[Any], named: dict[str, Any]) -> None:
    signature = inspect.signature(component)
    for name in named:
        if name not in signature.parameters:
            raise ParameterError(
                f"{component.__name__} has no parameter {name!r}"
                f"{suggestion(name, signature.parameters)} "
                f"It has: {', '.join(signature.parameters)}."
            )
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        raise ParameterError(f"{component.__name__}: {error}") from None
