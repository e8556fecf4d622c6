"""Laws of the folder: what is drawn is registered, and a name means one thing."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import partial
from html.parser import HTMLParser

import pytest

import ranksieve.report
from ranksieve.report import study_page
from ranksieve.report.shared.table import Table
from ranksieve.report.study import charts, tables
from ranksieve.report.study.charts.registry import figures
from ranksieve.report.study.sections import SECTIONS
from ranksieve.report.study.tables.registry import TABLE_KINDS, study_tables
from ranksieve.report.study.view import StudyView
from tests.report.studies import study

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(ranksieve.report.__path__, "ranksieve.report.")
]
KEYS = [section.key for section in SECTIONS]


def own_functions(package):
    """Return the public functions that the modules of a package define, by name."""
    return {
        name: function
        for module in MODULES
        if module.__name__.startswith(f"{package.__name__}.")
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def test_every_function_that_makes_a_table_of_a_study_is_registered_once():
    makers = {
        function
        for name, function in own_functions(tables).items()
        if function.__annotations__["return"] in ("Table", "list[Table]") and name != "study_tables"
    }
    registered = [kind.make for kind in TABLE_KINDS]
    assert makers == set(registered)
    assert len(registered) == len(set(registered))
    assert len({kind.key for kind in TABLE_KINDS}) == len(TABLE_KINDS)


def test_every_function_that_draws_a_chart_of_a_study_is_registered_once():
    drawn = [
        figure.draw.func if isinstance(figure.draw, partial) else figure.draw
        for figure in figures(StudyView.of(study()))
    ]
    makers = {function for name, function in own_functions(charts).items() if "_chart" in name}
    assert makers == set(drawn)
    assert len(drawn) == len(makers)


def test_tables_have_the_key_of_their_kind():
    view = StudyView.of(study())
    for kind in TABLE_KINDS:
        made = kind.tables(view)
        assert made
        assert {table.key for table in made} == {kind.key}
    assert all(isinstance(table, Table) for table in study_tables(view))


class Sections(HTMLParser):
    """What stands in which section of a page: keys of tables and charts."""

    def __init__(self, text):
        super().__init__()
        self.section, self.found = "", {}
        self.feed(text)

    def handle_starttag(self, name, attributes):
        given = dict(attributes)
        if given.get("id") in KEYS:
            self.section = given["id"]
        for key in ("data-table", "data-figure"):
            if key in given:
                self.found.setdefault((key, given[key]), set()).add(self.section)


def test_the_page_shows_every_table_and_chart_in_its_section():
    results = study()
    found = Sections(study_page(results)).found
    expected = {("data-table", kind.key): {kind.section} for kind in TABLE_KINDS}
    for figure in figures(StudyView.of(results)):
        expected["data-figure", figure.key] = {figure.section}
    assert found == expected
    assert set.union(*expected.values()) == set(KEYS)


@pytest.mark.parametrize("module", [ranksieve.report, *MODULES], ids=lambda one: one.__name__)
def test_nothing_has_the_name_of_a_module(module):
    last = module.__name__.rpartition(".")[2]
    functions = dict(inspect.getmembers(module, lambda value: callable(value)))
    assert last not in functions
    if hasattr(module, "__path__"):
        modules = {found.name for found in pkgutil.iter_modules(module.__path__)}
        assert not modules & set(getattr(module, "__all__", ()))
        assert last not in modules
