"""The page of results: every number on it is that of a stored line, and gaps are said."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import ttest_rel

from benchmarks.published_tables import ALL_MEASURES, DATA, MAP, NDCG10, RATIOS, TABLES, table
from benchmarks.results import page
from benchmarks.results_headline import NEAR, differences, headline
from benchmarks.results_sparse import sparse_tables
from benchmarks.results_stores import (
    NAMES,
    READINGS,
    Stored,
    curve,
    fold_means,
    read_stores,
    standard_error,
)
from benchmarks.results_tables import unified_ranks, value_tables
from ranksieve import make_ranking
from ranksieve.data import write_text
from ranksieve.evaluate import unified_rank
from ranksieve.experiment import (
    ALL,
    Chosen,
    DataFacts,
    Outcome,
    Results,
    Study,
    compare,
    read_study,
)

MEASURES = ("letor-map", *(m for m in ALL_MEASURES if m != "letor-map"))
QUERIES = 12


def chosen(fold, n_features):
    return Chosen(
        trial=hash((fold, n_features)) % 1000,
        fold=fold,
        selector="GAS(balance=0.3)",
        ranker="RankSVM(C=0.1)",
        wanted=n_features,
        features=np.arange(n_features),
        weights=None,
        validation={"letor-map": 0.5},
        seconds=0.1,
        selection_seconds=0.1,
        peak_memory=None,
        ending={},
    )


def outcome(data, method, variant, ranker, number, rng, measures=MEASURES, n_features=4):
    of_folds = np.repeat([0, 1], QUERIES // 2)
    return Outcome(
        data=data,
        method=method,
        variant=variant,
        ranker=ranker,
        number=number,
        folds=(chosen("Fold1", n_features), chosen("Fold2", n_features + 2)),
        values={m: rng.uniform(0.2, 0.7, QUERIES) for m in measures},
        query_ids=np.array([f"Fold{f + 1}:{q}" for q, f in enumerate(of_folds)]),
        fold_of=of_folds,
    )


def facts(name, n_features=10):
    used = np.arange(n_features) < 8
    names = tuple(f"x{j}" for j in range(n_features))
    sizes = ((60, 20, 20), (60, 20, 20))
    return DataFacts(name, ("Fold1", "Fold2"), ("a", "b"), names, used, sizes, sizes)


@cache
def title_of(study):
    return read_study(study).title


def results(study, chosen_ones, curves, measures=MEASURES, data=DATA):
    return Results(
        title=title_of(study),
        command=f"ranksieve compare --config {study} --store runs.db",
        versions={"ranksieve": "0"},
        conventions=(),
        measures=tuple(measures),
        data=tuple(facts(name) for name in data),
        chosen=tuple(chosen_ones),
        curves=tuple(curves),
        n_trials=len(chosen_ones),
    )


def stored(seed=0, without=(), readings=False):
    """Made-up outcomes for all rows of the papers but some."""
    rng = np.random.default_rng(seed)
    lines = {line for name, found in NAMES.items() if name not in without for line in found[:1]}
    if readings:
        lines |= {each.line for found in READINGS.values() for each in found}
    ones = {
        study: {
            whole: [
                outcome(data, line.method, line.variant, line.ranker, ALL if whole else None, rng)
                for line in sorted(lines, key=str)
                for data in DATA
                if (line.study, line.all_features) == (study, whole)
            ]
            for whole in (False, True)
        }
        for study in ("letor", "letor-rankers")
    }
    return Stored({name: results(name, parts[False], parts[True]) for name, parts in ones.items()})


def rows_under(lines, heading):
    """Cells of the first table after a heading."""
    start = next(place for place, line in enumerate(lines) if line.startswith(heading))
    first = next(p for p in range(start, len(lines)) if lines[p].startswith("|"))
    found = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.replace("\\|", "/").strip("|").split("|")])
    return found[2:]


@pytest.mark.parametrize("paper", ["FSMRank", "FS-SCPR"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_table_has_the_published_value_ours_and_the_difference(paper, seed):
    runs = stored(seed)
    lines = value_tables(runs, paper)
    for published in (one for one in TABLES if one.paper == paper):
        heading = f"### Table {published.number}: {published.title}, {published.data}"
        rows = [row for row in rows_under(lines, heading) if "not stored" not in row[1]]
        rows = [row for row in rows if not row[1].startswith("ranksieve, ")]
        assert len(rows) == 3 * len(published.rows)
        for place, (method, theirs) in enumerate(published.rows.items()):
            ours = runs.row(method, published.data)
            shown = [[float(cell) for cell in row[2:]] for row in rows[3 * place : 3 * place + 3]]
            means = [ours.mean(measure) for measure in published.measures]
            assert shown[0] == list(theirs)
            np.testing.assert_allclose(shown[1], means, atol=5.1e-5)
            np.testing.assert_allclose(shown[2], np.subtract(means, theirs), atol=5.1e-5)


@pytest.mark.parametrize("paper", ["FSMRank", "FS-SCPR"])
def test_other_readings_stand_beneath_the_row_of_their_method(paper):
    runs = stored(readings=True)
    lines = value_tables(runs, paper)
    for published in (one for one in TABLES if one.paper == paper):
        heading = f"### Table {published.number}: {published.title}, {published.data}"
        method, shown = "", {}
        for row in rows_under(lines, heading):
            method = row[0] or method
            shown[method.replace("/", "|"), row[1]] = row[2:]
        for method in published.rows:
            for reading, outcome in runs.readings(method, published.data):
                cells = [float(cell) for cell in shown[method, f"ranksieve, {reading.label}"]]
                means = [outcome.mean(measure) for measure in published.measures]
                np.testing.assert_allclose(cells, means, atol=5.1e-5)


def test_a_reading_is_compared_with_the_published_figure_only_where_it_is_one_of_it():
    lines = value_tables(stored(readings=True), "FSMRank")
    text = {line.split("**")[1]: line for line in lines if line.startswith("- **")}
    assert "Read otherwise: the paper's stop, MAP " in text["FSMRank"]
    assert "GAS-L" not in text["GAS-E"]
    assert "Read otherwise" not in text["s = 1"]


def test_table_iii_says_how_its_rows_are_spelled():
    lines = value_tables(stored(), "FSMRank")
    (heading,) = (place for place, line in enumerate(lines) if line.startswith("### Table III"))
    assert '`FSMRank(similarity_strength=0, importance="ones")`' in lines[heading + 2]
    assert '`similarity="identity"`' in lines[heading + 2]


def test_embedded_methods_are_shown_with_all_features_that_they_keep():
    runs = stored()
    assert runs.row("FSMRank", "OHSUMED").number == ALL
    assert runs.row("FSMSVM", "OHSUMED").number is None
    assert runs.row("FSMSVM", "OHSUMED").variant == "refit"


def test_a_method_that_no_store_has_is_said_and_left_out():
    runs = stored(without=("FS-SCPR", "MCP"))
    lines = value_tables(runs, "FS-SCPR") + sparse_tables(runs) + unified_ranks(runs)
    text = "\n".join(lines)
    assert "**FS-SCPR**: FS-SCPR + RankSVM (letor) is in no store." in text
    assert "Left out, since not stored: FS-SCPR." in text
    rows = {row[0]: row for row in rows_under(lines, "### Table IV")}
    assert rows["MCP"][2] == "not stored"
    assert rows["l1"][2] != "not stored"


def test_a_page_of_empty_stores_says_what_is_missing(tmp_path):
    text = page(Stored({}), tmp_path)
    assert text.count("not stored") > 10
    assert "`ranksieve compare --config gas-figures` makes it" in text
    assert not list(tmp_path.iterdir())


def test_a_ratio_is_of_the_features_that_are_not_always_0():
    rows = {row[0]: row for row in rows_under(sparse_tables(stored()), "### Table IV")}
    for method, published in RATIOS[0].ratios.items():
        ours = (4 / 8 + 6 / 8) / 2
        assert rows[method][1:3] == [f"{published:.2f}", f"{ours:.2f}"]
        assert rows[method][4] == "4, 6"


@pytest.mark.parametrize("seed", range(4))
def test_who_is_significantly_below_the_best_is_what_scipy_says(seed):
    runs = stored(seed)
    lines = sparse_tables(runs)
    for number, measure in (("V", "letor-map"), ("VI", "letor-ndcg@10")):
        rows = rows_under(lines, f"### Table {number}:")
        for row in (row for row in rows if row[0] in DATA):
            data, cells = row[0], dict(zip(RATIOS[0].ratios, row[5:], strict=True))
            found = {method: runs.row(method, data) for method in cells}
            best = max(found, key=lambda method: found[method].mean(measure))
            assert row[3] == best
            for method, cell in cells.items():
                p = ttest_rel(
                    found[best].values[measure],
                    found[method].values[measure],
                    alternative="greater",
                ).pvalue
                if found[method] is found[best]:
                    assert cell.startswith("**") == (method == best) or cell.endswith("~")
                else:
                    assert cell.endswith("~") == (p >= 0.05)


def of_features(outcome, *numbers):
    return replace(
        outcome,
        folds=tuple(chosen(f"Fold{f}", number) for f, number in enumerate(numbers, start=1)),
    )


def with_features(runs, numbers):
    """The runs with so many features in the folds of some own-weights methods."""
    letor = runs.studies["letor"]
    curves = tuple(
        of_features(each, *numbers[each.method]) if each.method in numbers else each
        for each in letor.curves
    )
    return Stored({**runs.studies, "letor": replace(letor, curves=curves)})


def test_the_three_readings_of_mcp_stand_beside_each_other_and_the_nearest_is_named():
    # Of 8 features that are not always 0: ratios 0.125, 0.25 and 0.75; published 0.34 and 0.27.
    numbers = {"MCP": (1, 1), "MCP, fixed width": (2, 2), "MCP, sum units": (6, 6), "l1": (6, 6)}
    lines = sparse_tables(with_features(stored(readings=True), numbers))
    rows = {row[0]: row for row in rows_under(lines, "### Table IV")}
    shown = [rows[name][1:3] for name in ("MCP", "MCP, fixed width", "MCP, sum units")]
    assert shown == [["0.34", "0.12"], ["0.34", "0.25"], ["0.34", "0.75"]]
    (note,) = (line for line in lines if line.startswith("- **MCP**: of"))
    assert "of 3 readings, the fixed width comes nearest" in note
    assert "(0.25 and 0.25; published 0.34 and 0.27)" in note
    assert "l1's own number of features in every fold" in note


def test_that_mcp_in_units_of_the_sum_is_l1_is_said_only_where_it_is():
    numbers = {"MCP, sum units": (6, 5), "l1": (6, 6)}
    text = "\n".join(sparse_tables(with_features(stored(readings=True), numbers)))
    assert "it keeps l1's number of features in 2 of 4 folds" in text
    assert "every fold" not in text


def test_readings_that_no_store_has_are_said():
    lines = sparse_tables(stored())
    rows = {row[0]: row for row in rows_under(lines, "### Table IV")}
    assert rows["MCP, fixed width"][2] == "not stored"
    assert "- **MCP**: too few of its readings are stored to compare them." in lines
    text = "\n".join(value_tables(stored(), "FS-SCPR"))
    assert "|  | strict ties: not stored |" in text


@pytest.mark.parametrize("seed", [0, 1])
def test_the_headline_is_computed_from_the_stores(seed):
    runs = stored(seed)
    near, order, selection = [line for line in headline(runs) if line.startswith("- ")]
    for measure, name in ((MAP, "MAP"), (NDCG10, "NDCG@10")):
        apart = {
            (each.data, runs.used[method, each.data][0]): runs.row(method, each.data).mean(measure)
            - each.value(method, measure)
            for each in TABLES
            for method in each.rows
            if runs.row(method, each.data) is not None
        }
        assert len(apart) == len(differences(runs, measure))
        within = sum(abs(value) <= NEAR for value in apart.values())
        assert f"in {name} {within} of {len(apart)} within {NEAR}" in near
        assert f"{max(apart.values(), key=abs):+.4f}" in near
    same = 0
    for each in TABLES:
        ours = {method: runs.row(method, each.data).mean(MAP) for method in each.rows}
        top = max(each.value(method, MAP) for method in each.rows)
        same += each.value(max(ours, key=ours.get), MAP) == top
    assert f"the best method is the published one in {same} of {len(TABLES)} tables" in order
    assert "less than the standard error" in order
    assert selection.endswith("are not both stored.")


def test_the_headline_counts_who_differs_from_all_features():
    rng = np.random.default_rng(0)
    plain = outcome("OHSUMED", "all features", "", "RankSVM", None, rng, n_features=10)
    better = outcome("OHSUMED", "GAS-E", "", "RankSVM", None, rng)
    worse = outcome("OHSUMED", "IG", "", "RankSVM", None, rng)
    other = outcome("OHSUMED", "GAS-E", "", "LightGBM", None, rng)
    noise = rng.uniform(0.01, 0.02, QUERIES)
    better.values[MAP][:] = plain.values[MAP] + noise
    worse.values[MAP][:] = plain.values[MAP] - noise
    runs = Stored({"letor": results("letor", [plain, better, worse, other], [])})
    (line,) = (line for line in headline(runs) if "What selection gains" in line)
    assert "on OHSUMED 1 of 2 methods are significantly better and 1 worse" in line
    assert f"the best, GAS-E + RankSVM, has {better.mean(MAP):.4f} with 5.0 features" in line
    assert f"all features {plain.mean(MAP):.4f} with 11" in line
    assert "MQ2008" not in line


def test_the_finding_comes_first_and_empty_stores_have_none(tmp_path):
    lines = page(Stored({}), tmp_path).split("\n")
    assert lines[2] == "## In short"
    assert lines[4].startswith("- No row of the papers is stored")


def test_unified_ranks_are_computed_alike_on_both_sides():
    runs = stored()
    rows = {row[0]: row for row in rows_under(unified_ranks(runs), "### Table 11")}
    methods = list(rows)
    published = [
        [v for n, d in (("9", "OHSUMED"), ("10", "MQ2008")) for v in table("FS-SCPR", n, d).rows[m]]
        for m in methods
    ]
    five = table("FS-SCPR", "9", "OHSUMED").measures
    ours = [[runs.row(m, d).mean(each) for d in DATA for each in five] for m in methods]
    for place, method in enumerate(methods):
        assert float(rows[method][2]) == pytest.approx(unified_rank(published).scores[place])
        assert float(rows[method][4]) == pytest.approx(unified_rank(ours).scores[place], abs=0.005)


def test_every_number_can_be_traced_to_a_row_of_the_store(tmp_path):
    runs = stored()
    lines = page(runs, tmp_path).split("\n")
    rows = rows_under(lines, "## What each fold chose")
    for line, data in {(line, data) for (_, data), (line, _) in runs.used.items()}:
        found = runs.line(line, data)
        own = [row for row in rows if row[:2] == [str(line), data]]
        assert [row[2] for row in own] == ["Fold1", "Fold2"]
        assert [row[3] for row in own] == [str(each.trial) for each in found.folds]
        np.testing.assert_allclose(
            [float(row[7]) for row in own], fold_means(found, "letor-map"), atol=5.1e-5
        )


def test_a_figure_study_becomes_a_table_and_a_chart(tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    rng, measures, data = np.random.default_rng(0), ("kendall-tau",), ("some points",)
    curves = [
        outcome("some points", method, "", "RankSVM, RBF", number, rng, measures)
        for method, numbers in (("all features", [ALL]), ("GAS", [3, 6, ALL]), ("IG", [3, 6, ALL]))
        for number in numbers
    ]
    runs = Stored(
        {"rankfilter-figure-2": results("rankfilter-figure-2", [], curves, measures, data)}
    )
    lines = page(runs, tmp_path).split("\n")
    rows = rows_under(lines, "Kendall's tau of RankSVM, RBF on some points")
    assert [row[0] for row in rows] == ["GAS", "IG", "all features"]
    np.testing.assert_allclose(
        [float(cell) for cell in rows[0][1:]],
        [one.mean("kendall-tau") for one in curves if one.method == "GAS"],
        atol=5.1e-5,
    )
    assert rows[2][1:] == ["", "", f"{curves[0].mean('kendall-tau'):.4f}"]
    svg = (tmp_path / "results-rankfilter-figure-2.svg").read_text()
    assert svg.startswith("<svg")
    assert "GAS" in svg


def test_the_standard_error_is_over_the_queries_that_count():
    one = outcome("OHSUMED", "GAS-E", "", "RankSVM", None, np.random.default_rng(0))
    values = one.values["letor-map"]
    values[3] = np.nan
    kept = np.delete(values, 3)
    expected = np.sqrt(np.sum((kept - kept.mean()) ** 2) / 10 / 11)
    assert standard_error(one, "letor-map") == pytest.approx(expected)


def test_stores_are_known_by_the_titles_of_their_studies(tmp_path):
    data, _ = make_ranking(12, 6, n_relevant=2, n_redundant=0, n_irrelevant=2)
    for number in (1, 2):
        folder = tmp_path / "OHSUMED" / f"Fold{number}"
        folder.mkdir(parents=True)
        for place, part in enumerate(("train", "vali", "test")):
            first = 4 * ((place + number) % 3)
            write_text(data.queries(list(range(first, first + 4))), folder / f"{part}.txt")
    store = tmp_path / "runs.db"
    folder = str(tmp_path / "OHSUMED")
    plain = {"numbers": [2, "all"], "measures": MEASURES}
    first = Study(
        [folder],
        {"GAS-E": "GAS(balance=0.1)", "l1": 'SparseRankSVM("l1", strength=0.01)'},
        {"RankSVM": "RankSVM(C=0.1)"},
        title=read_study("letor").title,
        **plain,
    )
    compare(first, store)
    second = Study([folder], ["TopK"], ["RankSVM(C=0.1)"], title="one of my own", **plain)
    compare(second, store)
    runs = read_stores([store])
    assert list(runs.studies) == ["letor"]
    assert runs.places == {"letor": (store, 0)}
    gas = curve(runs.studies["letor"], "OHSUMED", NAMES["GAS-E"][0])
    assert sorted(gas) == [ALL, 2]
    assert runs.row("GAS-E", "OHSUMED").ranker == "RankSVM"
    assert runs.row("l1", "OHSUMED").number == ALL
    # The rankers' own study is not there: the baseline of the selectors' study stands in.
    assert runs.row("RankSVM-primal", "OHSUMED").method == "all features"
    assert runs.row("ListNet", "OHSUMED") is None
