"""docs/text.md has the commands that were run, and the numbers that were stored."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import cranfield, cranfield_page, figure_8, figure_8_page
from ranksieve.extract.features.families import feature_groups

PAGE = Path(__file__).parents[2] / "docs" / "text.md"


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    "command",
    [cranfield.EXTRACT, cranfield.COMPARE, cranfield.REPORT, cranfield.SIEVE],
    ids=["extract", "compare", "report", "sieve"],
)
def test_the_commands_of_the_page_are_those_of_the_stored_run(text, command):
    flat = " ".join(text.replace("\\\n", " ").split())
    assert f"ranksieve {command.removesuffix(' --force')}" in flat


def test_tables_of_cranfield_are_made_from_the_stored_run(text):
    stored = json.loads(cranfield.STORE.read_text("utf-8"))
    assert "\n".join(cranfield_page.comparison(stored["compare"])) in text
    assert "\n".join(cranfield_page.survivors(stored["compare"])) in text
    assert stored["extract"]["seconds"] < 60


def test_tables_of_figure_8_are_made_from_the_stored_run(text):
    assert figure_8_page.tables(json.loads(figure_8.STORE.read_text("utf-8"))) in text


def test_every_feature_has_a_formula_on_the_page(text):
    table = text.split("| name | formula |")[1].split("\n\n")[0]
    named = set(re.findall(r"`([a-z0-9_]+)(?:_\.\.\.)?`", table))
    for entry in feature_groups(with_links=True):
        name = entry.feature.rpartition(".")[2]
        family = re.sub(r"_(sum|mean|min|max|variance)$", "", name)
        assert {name, family, f"{family}_sum"} & named, name
