"""Laws about the code itself: which rooms reach into which, and what things are called."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from importlib import import_module
from pathlib import Path

import pytest

import ranksieve

ROOT = Path(ranksieve.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py"))

# Private by their spelling only: of named tuples, of notebooks, and of Python itself.
ALLOWED = {"_asdict", "_replace", "_fields", "_repr_html_", "_exit", "_getframe"}
# Of numba's compiler and files and LightGBM's names of parameters, which have no public way in.
OF_LIBRARIES = {
    ("kernels", "_cache"),
    ("kernels", "_compile_for_args"),
    ("kernels", "_data_layout"),
    ("kernels", "_function_pass_manager"),
    ("kernels", "_library_class"),
    ("kernels", "_locator_classes"),
    ("rankers", "_ConfigAliases"),
}


def room(path):
    """Return the package or module under ranksieve that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def is_own(node):
    """Tell whether an expression is the object whose method this is."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("super", "type")
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def defined(nodes):
    """Return the private names that a file defines, for modules, classes and objects."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute) and is_own(node.value):
                yield node.attr


def reached(nodes):
    """Return line and name of every private thing of an object that is taken from outside it."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and not is_own(node.value):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            by_name = node.func.id in ("getattr", "hasattr", "setattr") and not is_own(node.args[0])
            if by_name and isinstance(node.args[1], ast.Constant):
                yield node.lineno, str(node.args[1].value)


def imported(nodes):
    """Return line, module and names of imports from ranksieve."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ranksieve."):
            yield node.lineno, node.module.split(".")[1:], [alias.name for alias in node.names]


def back_doors(trees):
    """Return the places where a room uses what only another room defines as private."""
    own = defaultdict(set)
    nodes = {path: list(ast.walk(tree)) for path, tree in trees.items()}
    for path in trees:
        own[room(path)].update(filter(is_private, defined(nodes[path])))
    for path in trees:
        place = path.relative_to(ROOT)
        for line, name in reached(nodes[path]):
            allowed = name in ALLOWED or (room(path), name) in OF_LIBRARIES
            if is_private(name) and not allowed and name not in own[room(path)]:
                yield f"{place}:{line}: {name}"
        for line, module, names in imported(nodes[path]):
            if module[0] != room(path) and any(map(is_private, [*module, *names])):
                yield f"{place}:{line}: {'.'.join(module)}"


def test_no_room_uses_the_private_parts_of_another():
    assert list(back_doors({path: ast.parse(path.read_text("utf-8")) for path in FILES})) == []


@pytest.mark.parametrize(
    "line",
    [
        "selector._knob",
        "getattr(selector, '_knob')",
        "make()._knob()",
        "from ranksieve.selectors import _knob",
        "from ranksieve.selectors._base import Knob",
    ],
)
def test_a_back_door_is_seen(line):
    trees = {
        ROOT / "selectors" / "base.py": ast.parse("class A:\n    def _knob(self): ...\n"),
        ROOT / "experiment" / "run.py": ast.parse(line),
    }
    assert len(list(back_doors(trees))) == 1


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_exported_has_the_name_of_a_module(package):
    parts = package.relative_to(ROOT).parts
    module = import_module(".".join(("ranksieve", *parts)))
    modules = {path.stem for path in package.glob("*.py")} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }
    nodes = list(ast.walk(ast.parse((package / "__init__.py").read_text("utf-8"))))
    names = {name for _, _, names in imported(nodes) for name in names} | set(defined(nodes))
    exported = names.union(getattr(module, "__all__", ()))
    assert {name for name in exported & modules if not is_private(name)} == set()


def test_no_two_private_modules_share_a_name():
    counts = Counter(path.stem for path in FILES if is_private(path.stem))
    assert [name for name, count in counts.items() if count > 1] == []


def walk():
    """The files that CONTRIBUTING.md lists for a reader of one comparison."""
    text = (ROOT.parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    listed = text.split("read twenty files in this order", 1)[1].split("```")[1]
    return [line.split()[0] for line in listed.splitlines()[1:]]


def names_imported(path):
    """Modules of ranksieve, and names that it imports from them, anywhere in a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("ranksieve"):
            for alias in node.names:
                yield node.module, alias.name


def files_behind(module, name):
    """The file of a module, and where a package has a name from."""
    path = ROOT.parent.joinpath(*module.split("."))
    yield from (path.with_suffix(".py"), path.joinpath(name).with_suffix(".py"))
    package = path / "__init__.py"
    if package.exists():
        for inner, exported in names_imported(package):
            if exported == name:
                yield from files_behind(inner, name)


def test_one_comparison_is_read_in_twenty_files_each_called_by_one_before_it():
    files = [ROOT / name for name in walk()]
    assert len(files) == 20
    # The two commands are where a reader begins.
    reached = {ROOT / "cli/compare.py", ROOT / "cli/report.py"}
    for path in files:
        assert path in reached, path
        for module, name in names_imported(path):
            reached.update(files_behind(module, name))
