"""Published tables beside those of any store, for owners of the papers' data."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import sem, ttest_rel

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import unified_rank
from ranksieve.experiment import ALL, Chosen, DataFacts, Outcome, Results, read_study
from ranksieve.experiment.published import (
    MAP,
    best_tables,
    rank_tables,
    ratio_tables,
    value_tables,
)
from ranksieve.experiment.published.rows import NAMES, READINGS, Line, StoredRows
from ranksieve.report.published import (
    published_csv,
    published_latex,
    published_markdown,
    published_tables,
)

MEASURES = ("letor-map", *(f"letor-ndcg@{k}" for k in range(1, 11)))
QUERIES = 10


def chosen(fold, n_features):
    return Chosen(
        trial=1,
        fold=fold,
        selector="GAS()",
        ranker="RankSVM()",
        wanted=n_features,
        features=np.arange(n_features),
        weights=None,
        validation={},
        seconds=0.1,
        selection_seconds=0.1,
        peak_memory=None,
        ending={},
    )


def outcome(data, line, rng):
    folds = np.repeat([0, 1], QUERIES // 2)
    return Outcome(
        data=data,
        method=line.method,
        variant=line.variant,
        ranker=line.ranker,
        number=ALL if line.all_features else None,
        folds=(chosen("Fold1", int(rng.integers(1, 8))), chosen("Fold2", int(rng.integers(1, 8)))),
        values={measure: rng.uniform(0.2, 0.7, QUERIES) for measure in MEASURES},
        query_ids=np.array([f"Fold{f + 1}:{q}" for q, f in enumerate(folds)]),
        fold_of=folds,
    )


def results(data, lines=None, seed=0, title="mine"):
    """Made-up outcomes of some lines (all that stand for rows) on data sets."""
    rng = np.random.default_rng(seed)
    if lines is None:
        lines = [each for found in NAMES.values() for each in found[:1]]
    outcomes = [outcome(name, line, rng) for name in data for line in dict.fromkeys(lines)]
    used, sizes = np.arange(10) < 8, ((60, 20, 20), (60, 20, 20))
    names = tuple(f"x{j}" for j in range(10))
    return Results(
        title=title,
        command="ranksieve compare ...",
        versions={},
        conventions=(),
        measures=MEASURES,
        data=tuple(
            DataFacts(n, ("Fold1", "Fold2"), ("a", "b"), names, used, sizes, sizes) for n in data
        ),
        chosen=tuple(each for each in outcomes if each.number is None),
        curves=tuple(each for each in outcomes if each.number == ALL),
    )


def shown(tables, key, title=""):
    (table,) = (each for each in tables if each.key == key and title in each.title)
    names = [column.name for column in table.columns]
    return [dict(zip(names, row.values, strict=True)) for row in table.rows], table


@pytest.mark.parametrize("name", ["HP2004", "hp2004", "2004_hp_dataset"])
@pytest.mark.parametrize("seed", [0, 1])
def test_means_are_those_of_the_stored_lines(name, seed):
    study = results([name], seed=seed)
    tables = published_tables([study])
    stored = StoredRows.of([study])
    for published in value_tables(["HP2004"]):
        rows, _ = shown(tables, "published", f"{published.paper} paper, Table {published.number},")
        assert len(rows) == len(published.rows) * len(published.measures) + sum(
            len(published.measures)
            for method in published.rows
            for _, other in stored.readings(method, "HP2004")
            if other is not None
        )
        for row in rows:
            if row["published"] is None or row["method"] not in published.rows:
                continue
            own = stored.row(row["method"], "HP2004")
            assert own.data == name
            measure = row["measure"]
            assert row["published"] == published.value(row["method"], measure)
            assert row["ranksieve"] == pytest.approx(own.mean(measure))
            assert row["difference"] == pytest.approx(row["ranksieve"] - row["published"])
            assert row["standard error"] == pytest.approx(sem(own.values[measure]))


def test_every_published_data_set_has_its_tables():
    for name in ("TD2003", "MQ2007", "OHSUMED"):
        tables = published_tables([results([name])])
        assert [each.key for each in tables].count("ratios") == 1
        assert [each.key for each in tables].count("best") == 2
        assert [each.key for each in tables].count("published") == len(value_tables([name]))
        assert all(name in each.title for each in tables if each.key != "unified")


def test_ratios_are_of_the_features_that_are_not_always_0():
    study = results(["MQ2007"])
    rows, table = shown(published_tables([study]), "ratios")
    (published,) = ratio_tables(["MQ2007"])
    stored = StoredRows.of([study])
    for row in rows:
        numbers = stored.row(row["method"], "MQ2007").n_features
        assert row["published"] == published.ratios[row["method"]]
        assert row["ranksieve"] == pytest.approx(np.mean(numbers / 8))
        assert row["features by fold"] == ", ".join(str(number) for number in numbers)
    assert any("half as many as MCP" in note for note in table.notes)


@pytest.mark.parametrize("seed", range(3))
def test_decreases_from_the_best_are_what_scipy_says(seed):
    study = results(["MQ2007"], seed=seed)
    rows, _ = shown(published_tables([study]), "best", "Table V,")
    stored = StoredRows.of([study])
    values = {row["method"]: stored.row(row["method"], "MQ2007").values[MAP] for row in rows}
    best = max(values, key=lambda method: values[method].mean())
    for row in rows:
        own = values[row["method"]]
        assert row["ranksieve"] == pytest.approx(own.mean())
        if row["method"] == best:
            assert row["p"] is None
            continue
        lost = 100 * (values[best].mean() - own.mean()) / values[best].mean()
        assert row["decrease, %"] == pytest.approx(lost)
        expected = ttest_rel(values[best], own, alternative="greater").pvalue
        assert row["p"] == pytest.approx(expected)
    printed = {row["method"]: row["published"] for row in rows}
    assert printed["FSM"] == "0.4672, best"
    assert printed["l1"] == "~"
    assert printed["log"] == "-0.7 %, p <0.001"


def test_two_methods_alike_in_every_query_have_no_decrease():
    study = results(["MQ2007"])
    for each in study.curves:
        for measure in each.values:
            each.values[measure][:] = 0.0
    rows, _ = shown(published_tables([study]), "best", "Table V,")
    assert {row["decrease, %"] for row in rows} == {None, 0.0}


def test_unified_ranks_are_over_the_data_sets_that_are_here():
    study = results(["NP2004", "MQ2008"])
    stored = StoredRows.of([study])
    tables = published_tables([study])
    for ranks in rank_tables():
        rows, _ = shown(tables, "unified", f"Table {ranks.number},")
        here = [each for each in ranks.tables if each.data in ("NP2004", "MQ2008")]
        methods = [row["method"] for row in rows]
        assert methods == list(ranks.scores)
        printed = unified_rank([[v for t in here for v in t.rows[m]] for m in methods])
        own = unified_rank(
            [[stored.row(m, t.data).mean(k) for t in here for k in t.measures] for m in methods]
        )
        assert [row["published, these"] for row in rows] == pytest.approx(list(printed.scores))
        assert [row["ranksieve, these"] for row in rows] == pytest.approx(list(own.scores))


def test_lines_may_come_from_several_studies_and_the_last_counts():
    gas, boost = NAMES["GAS-E"][0], NAMES["RankBoost"][0]
    first, second = results(["HP2004"], [gas], seed=1), results(["HP2004"], [gas, boost], seed=2)
    stored = StoredRows.of([first, second])
    assert stored.row("GAS-E", "HP2004") is second.chosen[0]
    assert stored.row("RankBoost", "HP2004") is second.chosen[1]
    assert StoredRows.of([second, first]).row("GAS-E", "HP2004") is first.chosen[0]


def test_a_study_that_ran_twice_on_different_data_keeps_both():
    title = read_study("letor").title
    gas = NAMES["GAS-E"]
    studies = [results([name], gas, title=title) for name in ("MQ2007", "HP2004", "TD2003")]
    stored = StoredRows.of(studies)
    for name, study in zip(("MQ2007", "HP2004", "TD2003"), studies, strict=True):
        assert stored.row("GAS-E", name) is study.chosen[0]
    again = results(["HP2004"], gas, seed=1, title=title)
    assert StoredRows.of([*studies, again]).row("GAS-E", "HP2004") is again.chosen[0]
    assert StoredRows.of([*studies, again]).row("GAS-E", "MQ2007") is studies[0].chosen[0]


def test_a_study_without_letor_measures_does_not_stand_for_a_row():
    study = replace(results(["HP2004"]), measures=("map", "ndcg@10"))
    assert StoredRows.of([study]).row("GAS-E", "HP2004") is None


def test_methods_of_a_study_of_ones_own_are_known_by_their_classes():
    study = results(["HP2004"], [Line("", "GAS", "", "RankSVM"), Line("", "FSSCPR", "", "RankSVM")])
    stored = StoredRows.of([study])
    assert stored.row("GAS-E", "HP2004").method == "GAS"
    assert stored.row("FS-SCPR", "HP2004").method == "FSSCPR"


def test_what_is_not_stored_is_said_with_what_it_needs():
    study = results(["HP2004"], [NAMES["GAS-E"][0]])
    _, table = shown(published_tables([study]), "published", "FSMRank paper, Table II,")
    (note,) = (note for note in table.notes if note.startswith("Not stored"))
    assert "RankBoost needs all features + RankBoost (letor-rankers)" in note
    assert all(row.values[3] is None for row in table.rows)


def test_other_readings_stand_beneath_and_relatives_without_a_published_figure():
    lines = [line for found in NAMES.values() for line in found[:1]]
    lines += [each.line for found in READINGS.values() for each in found]
    tables = published_tables([results(["HP2004"], lines)])
    rows, _ = shown(tables, "ratios")
    names = [row["method"] for row in rows]
    place = names.index("MCP")
    assert names[place : place + 3] == ["MCP", "MCP, fixed width", "MCP, sum units"]
    rows, _ = shown(tables, "published", "FSMRank paper, Table I,")
    by_method = {row["method"]: row for row in rows}
    assert by_method["FSMRank, the paper's stop"]["published"] is not None
    assert by_method["GAS-L"]["published"] is None
    assert by_method["GAS-L"]["difference"] is None


def test_other_data_of_the_same_name_is_noticed():
    _, table = shown(published_tables([results(["MQ2007"])]), "facts")
    assert [row.values for row in table.rows] == [
        ("features", 46.0, 10),
        ("queries", 1692.0, 40),
        ("documents", 69623.0, 40),
    ]
    assert "Not the data of the papers: features, queries, documents differ" in table.notes[0]


def test_measures_can_be_chosen():
    tables = published_tables([results(["HP2004"])], measures=["letor-map"])
    assert {row.measure for each in tables if each.key == "published" for row in each.rows} == {
        "letor-map"
    }
    assert [each.measure for each in tables if each.key == "best"] == ["letor-map"]


def test_measures_that_no_study_has_are_left_out():
    study = replace(results(["HP2004"]), measures=("letor-map", "letor-ndcg@5", "ndcg@10"))
    tables = published_tables([study])
    measures = {row.measure for each in tables if each.key == "published" for row in each.rows}
    assert measures == {"letor-map", "letor-ndcg@5"}


def test_mistakes_are_named():
    with pytest.raises(DataError, match=r"none is known for A, B\. .* the name of its folder: OHS"):
        published_tables([results(["A", "B"])])
    with pytest.raises(ParameterError, match=r"not 'map'\. They print: letor-ndcg@1"):
        published_tables([results(["HP2004"])], measures=["map"])


def test_formats():
    study = results(["HP2004"])
    text = published_markdown([study], title="HP2004 again")
    assert text.startswith("# HP2004 again\n")
    assert "### HP2004: sparse RankSVM paper, Table IV, sparsity ratio" in text
    assert "\n    ranksieve compare ...\n" in text
    assert published_latex([study]).count(r"\caption") == len(published_tables([study]))
    lines = list(csv.DictReader(io.StringIO(published_csv([study]))))
    (exact,) = {
        line["value"]
        for line in lines
        if (line["table"], line["row"], line["quantity"]) == ("ratios", "1", "ranksieve")
    }
    stored = StoredRows.of([study])
    assert float(exact) == stored.ratio(stored.row("Fenchel", "HP2004"))


def test_the_note_on_an_odd_figure_is_shown():
    _, table = shown(
        published_tables([results(["HP2004"])]), "published", "FS-SCPR paper, Table 3,"
    )
    assert "FS-SCPR, letor-ndcg@1: not a multiple of 1/75" in table.notes[0]


def test_the_tables_name_methods_that_have_lines():
    names = {m for each in value_tables() for m in each.rows}
    names |= {m for each in ratio_tables() for m in each.ratios}
    names |= {each.method for each in best_tables()}
    assert names == set(NAMES)
