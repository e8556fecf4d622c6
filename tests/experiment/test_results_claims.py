"""Claims of significance and curves of figures, from stores that are small or made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from benchmarks.results import page
from benchmarks.results_claims import CLAIMS, Claim, Pair, claim_table, verdict
from benchmarks.results_curves import by_query, curve_table
from benchmarks.results_cut import cut_curve
from benchmarks.results_data import characteristics, data_table
from benchmarks.results_fsmrank import CUT, fsmrank_figures
from benchmarks.results_stores import Stored, read_stores
from benchmarks.results_tuning import RANKER_FIRST, tuning_tables
from ranksieve import catalog, make_ranking
from ranksieve.data import letor_folds, load, write_text
from ranksieve.experiment import ALL, Study, compare, read_study
from ranksieve.measures import parse_measure
from tests.experiment.test_results_page import MEASURES, outcome, results, rows_under, stored

GRID = "FSMRank(similarity_strength=[0.001, 0.1], importance_strength=[0.001, 0.01])"


def made_up(seed=0):
    """The papers' rows, and the curves that claims are about."""
    rng = np.random.default_rng(seed)
    runs = stored(seed)
    numbers = (3, 6, 10, ALL)
    curves = [
        outcome("OHSUMED", method, variant, ranker, number, rng)
        for method, variant, ranker in (
            ("FSMRank", "weights", ""),
            ("FSMRank", "refit", "RankSVM"),
            ("GAS-E", "", "RankSVM"),
        )
        for number in numbers
    ]
    measures = ("MAP(threshold=2)", "ndcg@10")
    gas = [
        outcome("OHSUMED", method, "", ranker, number, rng, measures)
        for ranker in ("RankSVM", "RankNet")
        for method, some in (("all features", [ALL]), ("CHI", [3, 14, 15, ALL]))
        for number in some
    ]
    letor = runs.studies["letor"]
    more = [
        outcome(data, method, variant, ranker, number, rng)
        for data in ("OHSUMED", "MQ2008")
        for method, variant, ranker, number in (
            ("FSMRank, similarity only", "weights", "", ALL),
            ("all features", "", "RankSVM", None),
        )
    ]
    return Stored(
        {
            **runs.studies,
            "letor": replace(
                letor,
                chosen=(*letor.chosen, *(o for o in more if o.number is None)),
                curves=(*letor.curves, *(o for o in more if o.number == ALL)),
            ),
            "fsmrank-figures": results("fsmrank-figures", [], curves, data=("OHSUMED",)),
            "gas-figures": results("gas-figures", [], gas, measures, ("OHSUMED",)),
        }
    )


@pytest.mark.parametrize("seed", range(3))
def test_every_claim_is_tested_as_scipy_does(seed, monkeypatch):
    runs = made_up(seed)
    curves = {o.number: o for o in runs.studies["fsmrank-figures"].curves[:4]}
    monkeypatch.setattr("benchmarks.results_fsmrank.cut_curve", lambda *_: curves)
    for claim in CLAIMS:
        answer, pairs = verdict(claim, runs), claim.pairs(runs)
        assert pairs, claim
        p_values = [
            ttest_rel(
                pair.upper.values[claim.measure],
                pair.lower.values[claim.measure],
                alternative="greater",
            ).pvalue
            for pair in pairs
        ]
        np.testing.assert_allclose(answer.p_values, p_values)
        gaps = [p.upper.mean(claim.measure) - p.lower.mean(claim.measure) for p in pairs]
        expected = [
            (p <= 0.05 and gap > 0) if claim.differs else p > 0.05
            for p, gap in zip(p_values, gaps, strict=True)
        ]
        assert list(answer.reproduced) == expected


def test_the_numbers_of_features_are_those_that_the_papers_speak_of(monkeypatch):
    runs = made_up()
    curves = {o.number: o for o in runs.studies["fsmrank-figures"].curves[:4]}
    monkeypatch.setattr("benchmarks.results_fsmrank.cut_curve", lambda *_: curves)
    by_source = {claim.source: claim for claim in CLAIMS}
    above_five = by_source["Figure 1"].pairs(runs)
    assert [(pair.upper.number, pair.lower.number) for pair in above_five] == [(6, 6), (10, 10)]
    chi = by_source["Figure 4"].pairs(runs)
    assert [(pair.upper.method, pair.lower.number) for pair in chi] == [
        ("all features", 3),
        ("all features", 14),
    ]


def one_claim(gap, differs):
    rng = np.random.default_rng(0)
    low = outcome("OHSUMED", "a", "", "r", None, rng)
    noise = rng.normal(0, 0.01, len(low.query_ids))
    high = replace(low, values={m: v + gap + noise for m, v in low.values.items()})
    return Claim(
        "paper", "Table", "words", "OHSUMED", "letor-map", lambda _: [Pair(high, low)], differs
    )


@pytest.mark.parametrize(
    ("gap", "differs", "expected"),
    [(0.05, True, "yes"), (0.0, True, "no"), (-0.05, True, "no"), (0.05, False, "no")],
)
def test_a_claim_is_reproduced_only_on_its_side(gap, differs, expected, monkeypatch):
    monkeypatch.setattr("benchmarks.results_claims.CLAIMS", (one_claim(gap, differs),))
    (row,) = rows_under(claim_table(Stored({})), "## Claims")
    assert row[-1] == expected
    assert float(row[4]) == pytest.approx(gap, abs=0.01)


def test_claims_that_no_store_has_are_said():
    rows = rows_under(claim_table(Stored({})), "## Claims")
    assert len(rows) == len(CLAIMS)
    assert {row[4] for row in rows} == {"not stored"}


def test_a_query_that_two_folds_test_counts_once():
    one = outcome("OHSUMED", "a", "", "r", None, np.random.default_rng(0))
    twice = replace(one, query_ids=np.array([f"Fold{1 + q // 6}:{q % 6}" for q in range(12)]))
    names, values = by_query(twice, "letor-map")
    stored_values = one.values["letor-map"]
    assert names.tolist() == [str(q) for q in range(6)]
    np.testing.assert_allclose(values, (stored_values[:6] + stored_values[6:]) / 2)
    # Generated points have one name for all: they are other points in each fold.
    points = replace(one, query_ids=np.array([f"run{q:02d}-1:test" for q in range(12)]))
    np.testing.assert_array_equal(by_query(points, "letor-map")[1], stored_values)


@pytest.fixture(scope="module")
def small_store(tmp_path_factory):
    """A store of a small FSMRank study on data in two folds, and the data."""
    tmp_path = tmp_path_factory.mktemp("fsmrank")
    data, _ = make_ranking(18, 8, n_relevant=3, n_redundant=2, n_irrelevant=3, random_state=1)
    for number in (1, 2):
        folder = tmp_path / "OHSUMED" / f"Fold{number}"
        folder.mkdir(parents=True)
        for place, part in enumerate(("train", "vali", "test")):
            first = 6 * ((place + number) % 3)
            write_text(data.queries(list(range(first, first + 6))), folder / f"{part}.txt")
    study = Study(
        [str(tmp_path / "OHSUMED")],
        {"FSMRank": GRID, "GAS-E": "GAS(balance=0.1)", "NDCG@10 alone": 'TopK("letor-ndcg@10")'},
        {"RankSVM": "RankSVM(C=0.1)"},
        numbers=[1, 2, 6, "all"],
        measures=("letor-map", "letor-ndcg@10"),
        title=read_study("fsmrank-figures").title,
    )
    compare(study, tmp_path / "runs.db")
    return tmp_path


def test_a_cut_curve_is_one_model_with_its_largest_weights(small_store):
    runs = read_stores([small_store / "runs.db"])
    curve = cut_curve(runs, "fsmrank-figures", "FSMRank", "OHSUMED")
    assert set(curve) == {1, 2, 6, ALL}
    folds = letor_folds(small_store / "OHSUMED")
    measure = parse_measure("letor-ndcg@10")
    whole = curve[ALL]
    for place, fold in enumerate(folds):
        model = catalog.parse(whole.folds[place].selector, "selectors").fit(fold.train)
        for number, outcome_of in curve.items():
            kept = np.argsort(-np.abs(model.coef_), kind="stable")[: number if number > 0 else None]
            weights = np.zeros_like(model.coef_)
            weights[kept] = model.coef_[kept]
            scores = fold.test.X @ weights
            expected = measure.per_query(fold.test.y, scores, qid=fold.test.qid)
            own = outcome_of.values["letor-ndcg@10"][outcome_of.fold_of == place]
            np.testing.assert_allclose(own, expected, atol=1e-9)
    settings = {tuple(chosen.selector for chosen in each.folds) for each in curve.values()}
    assert len(settings) == 1


def test_figures_of_a_stored_study_have_curves_and_single_features(small_store, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    runs = read_stores([small_store / "runs.db"])
    lines = fsmrank_figures(runs, tmp_path)
    rows = {row[0]: row for row in rows_under(lines, "NDCG@10 of each method on OHSUMED")}
    curve = cut_curve(runs, "fsmrank-figures", "FSMRank", "OHSUMED")
    shown = [float(cell) for cell in rows[CUT][1:]]
    np.testing.assert_allclose(
        shown, [curve[n].mean("letor-ndcg@10") for n in (1, 2, 6, ALL)], atol=5.1e-5
    )
    assert {"FSMSVM", "GAS-E", "all features"} <= set(rows)
    assert (tmp_path / "results-fsmrank-figures-OHSUMED.svg").exists()
    assert (tmp_path / "results-fsmrank-figure-4.svg").exists()
    assert any("With more than 5 features FSMRank is" in line for line in lines)


def test_without_the_store_itself_the_cut_curve_is_left_out(small_store):
    runs = read_stores([small_store / "runs.db"])
    assert cut_curve(Stored(runs.studies), "fsmrank-figures", "FSMRank", "OHSUMED") == {}


def test_both_ways_of_tuning_stand_beside_each_other():
    rng = np.random.default_rng(0)
    lines = [("GAS-E", ""), ("FSMRank", "refit"), ("all features", "")]
    joint, first = (
        [
            outcome(data, method, variant, "RankSVM", None, rng, n_features=n_features)
            for data in ("OHSUMED", "MQ2008")
            for method, variant in lines
        ]
        for n_features in (4, 6)
    )
    runs = Stored({"letor": results("letor", joint, []), RANKER_FIRST: results("letor", first, [])})
    text = tuning_tables(runs)
    rows = rows_under(text, "MQ2008, RankSVM")
    assert [row[0] for row in rows] == ["GAS-E", "FSMRank, refit"]
    # The published MAP and NDCG@10 of GAS-E on MQ2008, in Table I of the FSMRank paper.
    expected = [0.4767, joint[3].mean("letor-map"), first[3].mean("letor-map")]
    np.testing.assert_allclose([float(cell) for cell in rows[0][1:4]], expected, atol=5.1e-5)
    assert float(rows[0][4]) == 0.2290
    assert rows[0][-2:] == ["5.0", "7.0"]
    assert any("found with test figures in view" in line for line in text)
    alone = tuning_tables(Stored({"letor": runs.studies["letor"]}))
    assert any("--config letor-ranker-first" in line for line in alone)


def test_the_data_is_what_the_papers_describe(real_data):
    rows = rows_under(data_table(real_data), "## Data sets")
    assert [row[1] for row in rows] == ["published", "files"] * 2
    for published, files in (rows[:2], rows[2:]):
        assert published[2:6] == files[2:6]
        # OHSUMED has 16,140 / 106 = 152.26 documents a query, and 152.2 is printed.
        means = [[float(cell) for cell in row[6:]] for row in (published, files)]
        np.testing.assert_allclose(*means, atol=0.101)


def test_preferences_are_pairs_of_different_grades():
    queries = [[2, 1, 0, 0], [1, 1]]
    y = np.concatenate(queries)
    data = load((np.zeros((6, 3)), y, np.repeat([1, 2], [4, 2])))
    # Of the first query's 6 pairs one is of equal grades; the second query has none.
    assert characteristics([data]) == (3, 2, 6, 5, 3.0, 2.0, 3)
    assert "not at hand" in "\n".join(data_table(None))


def test_what_the_importance_of_gas_accounts_for_is_said(tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    rng, measures, data = np.random.default_rng(0), ("ndcg@10",), ("some points",)
    gas = ("RankFilter", "GAS", "GAS, Kendall's tau")
    curves = [
        outcome("some points", method, "", "RankSVM, RBF", number, rng, measures)
        for method in gas
        for number in (3, 6, ALL)
    ]
    runs = Stored(
        {"rankfilter-figure-3": results("rankfilter-figure-3", [], curves, measures, data)}
    )
    text = page(runs, tmp_path)
    means = {
        m: np.mean([c.mean("ndcg@10") for c in curves if c.method == m and c.number != ALL])
        for m in gas
    }
    accounts = means["GAS, Kendall's tau"] - means["GAS"]
    assert f"a setting of GAS, accounts for {accounts:+.4f}" in text


def test_a_table_of_curves_without_curves_is_empty():
    assert curve_table({}, None, "letor-map", "nothing") == []


def test_measures_of_the_figures_are_those_of_the_tables():
    assert set(read_study("fsmrank-figures").measures) == set(MEASURES)
