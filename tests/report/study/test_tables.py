from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment import Failure
from ranksieve.report import study_csv, study_latex, study_markdown, study_page
from ranksieve.report.shared.table import Column, Row, Table
from ranksieve.report.shared.text import csv_text, latex_text, markdown_text
from ranksieve.report.study.significance import QueryTest
from ranksieve.report.study.standings import intervals, standings_of
from ranksieve.report.study.tables.registry import study_tables
from ranksieve.report.study.view import StudyView
from tests.report.studies import HOSTILE, study


def only(view, data, measure):
    return [one for one in view.standings if one.outcome.data == data and one.measure == measure]


def named(standings, name):
    (found,) = (one for one in standings if one.outcome.name == name)
    return found


def tables(results, **options):
    return {table.key: table for table in study_tables(StudyView.of(results, **options))}


@pytest.mark.parametrize("seed", range(3))
def test_means_and_tests_are_those_of_the_queries(seed):
    results = study(random_state=seed)
    view = StudyView.of(results)
    here = only(view, "MQ2008", "map")
    assert len(here) == sum(outcome.data == "MQ2008" for outcome in results.chosen)
    assert [one.mean for one in here] == sorted((one.mean for one in here), reverse=True)
    for one in here:
        values = one.outcome.values["map"]
        folds = [values[one.outcome.fold_of == fold] for fold in range(3)]
        assert one.mean == pytest.approx(sum(np.nanmean(fold) for fold in folds) / 3)
        assert one.low < one.mean < one.high
        if not one.reference:
            continue
        theirs = named(here, one.reference).outcome.values["map"]
        counts = ~np.isnan(values)
        expected = stats.ttest_rel(values[counts], theirs[counts]).pvalue
        assert one.p_value == pytest.approx(expected)
        assert one.difference == pytest.approx(one.mean - named(here, one.reference).mean)
        assert one.record == (
            int((values > theirs).sum()),
            int((values == theirs).sum()),
            int((values < theirs).sum()),
        )


def test_holm_adjusts_over_the_comparisons_of_a_table():
    here = only(StudyView.of(study()), "OHSUMED", "ndcg@10")
    compared = sorted((one for one in here if one.reference), key=lambda one: one.p_value)
    running = 0.0
    for place, one in enumerate(compared):
        running = max(running, min(1.0, (len(compared) - place) * one.p_value))
        assert one.adjusted == pytest.approx(running)
        assert one.mark == (
            ("better" if one.difference > 0 else "worse") if running <= 0.05 else ""
        )


def test_methods_are_compared_with_all_features_and_the_same_ranker():
    here = only(StudyView.of(study()), "OHSUMED", "ndcg@10")
    assert named(here, "GAS + LightGBM").reference == "all features + LightGBM"
    assert named(here, "GAS + RankSVM").reference == "all features + RankSVM"
    # Its own weights rank: the first ranker of all features stands in.
    assert named(here, "SparseRankSVM").reference == "all features + RankSVM"
    assert named(here, "all features + LightGBM").mark == "reference"


def test_a_reference_is_a_method_or_a_method_with_its_ranker():
    here = only(StudyView.of(study(), reference="GAS"), "OHSUMED", "map")
    assert named(here, "TopK + LightGBM").reference == "GAS + LightGBM"
    here = only(StudyView.of(study(), reference="GAS + RankSVM"), "OHSUMED", "map")
    assert named(here, "TopK + LightGBM").reference == "GAS + RankSVM"
    assert named(here, "GAS + RankSVM").mark == "reference"


def test_without_all_features_the_best_mean_is_the_reference():
    for facts in (results := study(all_features=False)).data:
        for measure in results.measures:
            here = only(StudyView.of(results), facts.name, measure)
            assert not here[0].reference
            assert {one.reference for one in here[1:]} == {here[0].outcome.name}


@pytest.mark.parametrize(
    ("test", "of_scipy"),
    [
        ("wilcoxon", lambda d: stats.wilcoxon(d).pvalue),
        ("t", lambda d: stats.ttest_1samp(d, 0.0).pvalue),
    ],
)
def test_the_test_can_be_chosen(test, of_scipy):
    here = only(StudyView.of(study(), test=test), "OHSUMED", "ndcg@10")
    for one in here:
        if one.reference:
            theirs = named(here, one.reference).outcome.values["ndcg@10"]
            differences = one.outcome.values["ndcg@10"] - theirs
            counting = differences[~np.isnan(differences)]
            assert one.p_value == pytest.approx(of_scipy(counting), rel=1e-3)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize(
    ("test", "of_scipy"),
    [
        ("wilcoxon", lambda d, side: stats.wilcoxon(d, alternative=side).pvalue),
        ("t", lambda d, side: stats.ttest_1samp(d, 0.0, alternative=side).pvalue),
    ],
)
def test_a_one_sided_test_is_that_of_scipy_in_both_kinds_of_table(test, of_scipy, alternative):
    results = study(data=("OHSUMED",), measures=("ndcg@10",))
    view = StudyView.of(results, test=test, alternative=alternative)
    here = only(view, "OHSUMED", "ndcg@10")
    points = view.numbers_for("OHSUMED", "ndcg@10")
    for one in (*here, *points):
        if one.reference:
            theirs = named(here, one.reference).outcome.values["ndcg@10"]
            differences = one.outcome.values["ndcg@10"] - theirs
            counting = differences[~np.isnan(differences)]
            assert one.p_value == pytest.approx(of_scipy(counting, alternative), rel=1e-3)


@pytest.mark.parametrize(
    ("alternative", "allowed"),
    [("greater", {"better"}), ("less", {"worse"}), ("two-sided", {"better", "worse"})],
)
def test_a_one_sided_test_marks_its_side_alone(alternative, allowed):
    results = study(random_state=3, n_queries=40, measures=("map",))
    view = StudyView.of(results, alternative=alternative)
    marks = {one.mark for one in view.numbers} - {"", "reference"}
    assert marks == allowed


def test_ranks_that_lean_against_the_mean_are_not_marked_on_the_side_that_was_not_asked_for():
    # Many small wins and a few large losses: the ranks are above, the mean is below.
    by_ranks = QueryTest("wilcoxon", "greater")
    differences = np.r_[np.full(40, 0.01), np.full(4, -0.9)] * np.linspace(0.9, 1.1, 44)
    result = by_ranks(differences, np.zeros(44))
    assert result.p_value < 0.05
    assert result.mean_difference < 0
    assert by_ranks.verdict(result.mean_difference) == ""
    assert QueryTest("wilcoxon").verdict(result.mean_difference) == "worse"


@pytest.mark.parametrize("make", [study_markdown, study_latex, study_csv, study_page])
def test_every_format_says_on_which_side_was_tested(make):
    results = study(data=("OHSUMED",), measures=("map",))
    one_sided, two_sided = make(results, alternative="greater"), make(results)
    assert "p, greater" in one_sided
    assert "p adjusted, greater" in one_sided
    assert "p, greater" not in two_sided
    if make is not study_csv:
        assert "one-sided, asking whether the method is above its reference" in one_sided
        assert "two-sided" in two_sided
    if make in (study_markdown, study_page):
        assert "significantly better." in one_sided
        assert "significantly worse" not in one_sided


def test_a_randomisation_test_agrees_with_the_t_test_on_well_behaved_differences():
    by_t = only(StudyView.of(study()), "OHSUMED", "ndcg@10")
    by_signs = only(StudyView.of(study(), test="randomisation"), "OHSUMED", "ndcg@10")
    for one, other in zip(by_t, by_signs, strict=True):
        if one.reference:
            assert abs(one.p_value - other.p_value) < 0.03


def test_intervals_are_around_the_mean_over_folds_of_unequal_sizes():
    outcome = study().chosen[0]
    uneven = replace(outcome, fold_of=np.where(np.arange(36) < 4, 0, outcome.fold_of.clip(1)))
    ((mean, low, high),) = intervals([(uneven, "map")])
    values = uneven.values["map"]
    of_folds = [np.nanmean(values[uneven.fold_of == fold]) for fold in range(3)]
    assert mean == pytest.approx(sum(of_folds) / 3)
    ((_, even_low, even_high),) = intervals([(outcome, "map")])
    shift = mean - np.nanmean(values)
    plain_shift = outcome.mean("map") - np.nanmean(values)
    assert low - shift == pytest.approx(even_low - plain_shift)
    assert high - shift == pytest.approx(even_high - plain_shift)


def test_no_verdict_goes_against_the_queries_that_were_tested():
    good, bad = (replace(study().chosen[place]) for place in (0, 2))
    # 4 queries much better in fold 0; 32 a little worse in folds 1 and 2, of 16 each.
    fold_of = np.repeat([0, 1, 2], [4, 16, 16])
    theirs = np.linspace(0.4, 0.5, 36)
    ours = theirs + np.where(fold_of == 0, 0.03, -0.01) + np.tile([1e-4, -1e-4], 18)
    outcomes = [
        replace(good, fold_of=fold_of, values={"map": theirs}),
        replace(bad, fold_of=fold_of, values={"map": ours}),
    ]
    one = named(standings_of(outcomes, study().data[0], ["map"]), outcomes[1].name)
    assert one.difference == pytest.approx((0.03 - 0.01 - 0.01) / 3)
    assert one.tested == pytest.approx((4 * 0.03 - 32 * 0.01) / 36)
    assert (one.adjusted <= 0.05, one.mark) == (True, "")


@pytest.mark.parametrize("folds", [(0,), (0, 1, 2)])
def test_folds_in_which_no_query_counts_are_left_out_of_every_table(folds):
    results = study(measures=("map",), numbers=(2, 5), traces=False)
    results = replace(results, importance={}, similarity={})
    blind = [_without(one, folds) for one in (*results.chosen, *results.curves)]
    n_chosen = len(results.chosen)
    changed = replace(results, chosen=tuple(blind[:n_chosen]), curves=tuple(blind[n_chosen:]))
    one = blind[0]
    counting = [np.mean(one.values["map"][one.fold_of == f]) for f in range(3) if f not in folds]
    expected = np.mean(counting) if counting else np.nan
    assert one.mean("map") == pytest.approx(expected, nan_ok=True)
    assert ("unified" in tables(changed)) == bool(counting)
    assert ("Best: " in study_page(changed)) == bool(counting)


def _without(outcome, folds):
    values = np.where(np.isin(outcome.fold_of, folds), np.nan, outcome.values["map"])
    return replace(outcome, values={"map": values})


def test_a_method_without_one_fold_is_compared_on_the_queries_that_both_have():
    results = study(methods=("GAS",), embedded=(), rankers=("RankSVM",), data=("A",))
    whole, partial = results.chosen
    kept = partial.fold_of < 2
    values = {measure: of[kept] for measure, of in partial.values.items()}
    partial = replace(
        partial,
        folds=partial.folds[:2],
        values=values,
        query_ids=partial.query_ids[kept],
        fold_of=partial.fold_of[kept],
    )
    results = replace(results, chosen=(whole, partial))
    found = named(StudyView.of(results, measures=["map"]).standings, "GAS + RankSVM")
    ours, theirs = values["map"], whole.values["map"][kept]
    counts = ~np.isnan(ours)
    assert found.p_value == pytest.approx(stats.ttest_rel(ours[counts], theirs[counts]).pvalue)
    assert "Not on all folds" in " ".join(tables(results)["leaderboard"].notes)


def test_features_that_are_zero_everywhere_do_not_count_as_kept():
    results = study()
    one = named(only(StudyView.of(results), "OHSUMED", "map"), "all features + RankSVM")
    assert one.n_features == 20  # one of them unused
    assert one.sparsity == 1.0


def test_unified_ranks_leave_out_methods_that_some_data_set_lacks():
    results = study()
    lacking = tuple(
        outcome
        for outcome in results.chosen
        if not (outcome.data == "MQ2008" and outcome.name == "GAS + RankSVM")
    )
    table = tables(replace(results, chosen=lacking))["unified"]
    methods = [(row.method, row.ranker) for row in table.rows]
    assert ("GAS", "LightGBM") in methods
    assert ("GAS", "RankSVM") not in methods
    assert "GAS + RankSVM" in table.notes[-1]
    scores = [row.values[2] for row in table.rows]
    assert scores == sorted(scores, reverse=True)
    # By ranks alone: over C columns and M methods all scores add up to C (M + 1) / 2, less ties.
    assert sum(scores) == pytest.approx(6 * (len(scores) + 1) / 2, abs=0.2)


def test_features_that_are_zero_everywhere_do_not_make_random_sets_stable():
    results = study(data=("A",), n_features=6, numbers=(2,))
    chosen, facts = results.chosen[2], results.data[0]
    # Of four used features two each: with one in common, that is what chance gives.
    folds = [replace(chosen.folds[0], features=np.array(some)) for some in ([0, 1], [1, 2])]
    used = np.array([True, True, True, True, False, False])
    changed = replace(
        results,
        data=(replace(facts, used=used),),
        chosen=(replace(chosen, folds=tuple(folds), fold_of=chosen.fold_of.clip(0, 1)),),
    )
    (row,) = tables(changed)["stability"].rows
    assert row.values[5] == pytest.approx(0.0)


def test_equal_sets_are_stable_and_costs_are_means_over_folds():
    results = study(methods=("GAS",), embedded=(), data=("A",), rankers=("R",))
    outcome = results.chosen[1]
    same = tuple(replace(one, features=np.array([3, 1])) for one in outcome.folds)
    results = replace(results, chosen=(results.chosen[0], replace(outcome, folds=same)))
    found = tables(results)
    assert found["stability"].rows[0].values[3:] == (3, 2.0, 1.0, (1.0, 1.0), 1.0)
    selection, training, together, memory = found["costs"].rows[1].values[3:]
    assert selection == pytest.approx(sum(one.selection_seconds for one in same) / 3)
    assert together == pytest.approx(selection + training)
    assert memory == max(one.peak_memory for one in same)


def test_a_study_of_one_fold_has_no_stability_and_no_radar_is_needed():
    found = tables(study(n_folds=1))
    assert "stability" not in found
    assert len(found["data"].rows) == 2


def test_what_failed_is_listed_and_nothing_else_is_an_error():
    results = study()
    (row,) = tables(results)["failures"].rows
    assert row.values[-1] == "MemoryError: not enough memory"
    empty = replace(
        results, chosen=(), curves=(), failures=(Failure("A", "F", "m", "r", 1, "x"),) * 2
    )
    with pytest.raises(DataError, match=r"nothing to report.*2 of them failed"):
        StudyView.of(empty)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["ndgc@10"]}, r"no measure 'ndgc@10': did you mean 'ndcg@10'"),
        ({"reference": "GSA"}, r"no reference 'GSA': did you mean 'GAS'"),
        ({"test": "sign"}, r"test must be one of 't'"),
        ({"alternative": "more"}, r"alternative must be one of 'two-sided'"),
    ],
)
def test_unknown_names_are_named_with_the_nearest(options, message):
    with pytest.raises(ParameterError, match=message):
        StudyView.of(study(), **options)


def test_csv_holds_every_value_unrounded():
    results = study()
    lines = list(csv.DictReader(io.StringIO(study_csv(results))))
    means = {
        (line["data"], line["measure"], line["method"], line["ranker"]): line["value"]
        for line in lines
        if line["table"] == "leaderboard" and line["quantity"] == "mean"
    }
    assert len(means) == len(results.chosen) * len(results.measures)
    for outcome in results.chosen:
        method = f"{outcome.method}, refit" if outcome.variant == "refit" else outcome.method
        key = (outcome.data, "map", method, outcome.ranker or "own weights")
        assert float(means[key]) == outcome.mean("map")
    assert {line["quantity"] for line in lines} >= {"low", "high", "wins", "p adjusted"}


def test_only_the_measures_that_are_asked_for_are_shown():
    text = study_markdown(study(), measures=["map"])
    assert "### OHSUMED, map" in text
    assert "### OHSUMED, precision@5" not in text


def test_markdown_has_as_many_cells_in_each_line_whatever_names_hold():
    results = study(data=HOSTILE, methods=HOSTILE, rankers=HOSTILE, title=HOSTILE[2])
    text, block = study_markdown(results), []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            block.append(line.replace("\\\\", "").replace("\\|", "").count("|"))
        elif block:
            assert len(set(block)) == 1
            block = []
    assert "<script" not in text.replace("\\<", "")


def test_latex_is_balanced_whatever_names_hold():
    text = study_latex(study(data=HOSTILE, methods=HOSTILE, rankers=HOSTILE))
    bare = text.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
    assert bare.count("{") == bare.count("}")
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") > 5
    body = [line for line in text.splitlines() if line.endswith("\\\\")]
    for line in body:
        for letter in "#$%_^~":
            plain = line.replace("$\\uparrow$", "").replace("$\\downarrow$", "")
            assert letter not in plain.replace("\\" + letter, "")


def test_texts_are_escaped_letter_by_letter():
    assert latex_text("\\end{x}_1^2~") == (
        r"\textbackslash{}end\{x\}\_1\textasciicircum{}2\textasciitilde{}"
    )
    assert markdown_text("a|b\nc*") == r"a\|b c\*"


@pytest.mark.parametrize("name", ["=1+1", "+A1", "-A1", "@SUM(A1)", " @x", "\t=1"])
def test_csv_has_no_cell_that_a_spreadsheet_would_run(name):
    column = Column(name)
    table = Table("t", "T", (column,), (Row((name,), data=name, method=name),), ())
    (line,) = list(csv.reader(io.StringIO(csv_text([table]))))[1:]
    assert [cell for cell in line if cell.strip()[:1] in tuple("=+-@")] == []
    assert line.count(f"'{name}") == 4


def test_numbers_in_csv_keep_their_sign():
    table = Table("t", "T", (Column("change"),), (Row((-0.25,)),), ())
    assert csv_text([table]).splitlines()[1].endswith(",change,-0.25")


@pytest.mark.parametrize("make", [latex_text, markdown_text])
def test_marks_of_direction_do_not_turn_a_table_round(make):
    for mark in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200e\u200f\u061c":
        assert make(f"a{mark}b") == "a?b"
    assert make("naïve Größe") == "naïve Größe"
