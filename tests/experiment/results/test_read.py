"""Results equal what the same components give, trained by hand on the same folds."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from ranksieve import GAS, FSMRank, RankSVM, SparseRankSVM, load
from ranksieve.experiment import ALL, Study, compare, make_plan, read_results
from ranksieve.importance import as_importance
from ranksieve.measures import parse_measure
from tests.experiment.cases import small_study, write_folds

MEASURES = ["ndcg@10", "map"]


@pytest.fixture(scope="module", params=[1, 2])
def case(request, tmp_path_factory):
    """A folder with two folds, another for each parameter."""
    return write_folds(tmp_path_factory.mktemp("reading") / "two", 2, seed=request.param)


def parts(folder, number):
    return [load(folder / f"Fold{number}" / f"{part}.txt") for part in ("train", "vali", "test")]


def per_query(data, scores):
    return [parse_measure(text).per_query(data.y, scores, qid=data.qid) for text in MEASURES]


def ranked_by(train, vali, test, features, C):
    """Validation mean of the first measure, test values and weights of a RankSVM by hand."""
    kept = np.sort(features)
    model = RankSVM(C=C).fit(train.X[:, kept], train.y, qid=train.qid)
    on_vali = per_query(vali, model.predict(vali.X[:, kept]))[0].mean()
    weights = dict(zip(kept.tolist(), model.coef_.tolist(), strict=True))
    return on_vali, per_query(test, model.predict(test.X[:, kept])), weights


def outcome(results, method, variant="", number=None):
    found = results.chosen if number is None else results.curves
    (one,) = (o for o in found if (o.method, o.variant, o.number) == (method, variant, number))
    return one


def assert_fold_is(one, place, expected):
    """The values and weights of a fold are those of the best of several by validation."""
    _, values, weights = max(expected, key=lambda candidate: candidate[0])
    for measure, wanted in zip(MEASURES, values, strict=True):
        assert one.values[measure][one.fold_of == place].tolist() == wanted.tolist()
    chosen = one.folds[place]
    assert chosen.weights.tolist() == [weights[feature] for feature in chosen.features.tolist()]


def test_a_filter_and_all_features_by_hand(case, tmp_path):
    study = small_study(case, selectors=["GAS(balance=[0.1, 1])"], numbers=[1, 3])
    results = compare(study, tmp_path / "runs.db")
    for place in range(2):
        train, vali, test = parts(case, place + 1)
        everything = np.arange(train.n_features)
        plain = [ranked_by(train, vali, test, everything, C) for C in (0.01, 1)]
        assert_fold_is(outcome(results, "all features"), place, plain)
        candidates = {}
        for number in (1, 3):
            orders = [
                GAS(n_features_to_select=number, balance=b).fit(train).order_[:number]
                for b in (0.1, 1)
            ]
            candidates[number] = [
                ranked_by(train, vali, test, order, C) for order in orders for C in (0.01, 1)
            ]
            assert_fold_is(outcome(results, "GAS", number=number), place, candidates[number])
        # Equal means go to fewer features, which `max` finds first.
        assert_fold_is(outcome(results, "GAS"), place, candidates[1] + candidates[3])


def test_both_variants_of_an_embedded_method_by_hand(case, tmp_path):
    strengths = [0.01, 0.001]
    study = small_study(
        case, selectors=[f"SparseRankSVM(strength={strengths})"], numbers=[2, "all"]
    )
    results = compare(study, tmp_path / "runs.db")
    for place in range(2):
        train, vali, test = parts(case, place + 1)
        rows = (
            SparseRankSVM(measure="ndcg@10", random_state=0)
            .path(train, strengths=strengths)
            .weights
        )
        own = {2: [], ALL: []}
        for w in rows:
            order = np.argsort(-np.abs(w), kind="stable")
            for number in own:
                cut = w.copy()
                cut[order[2:] if number == 2 else []] = 0.0
                mean = per_query(vali, vali.X @ cut)[0].mean()
                own[number].append((mean, per_query(test, test.X @ cut), dict(enumerate(cut))))
        best = rows[int(np.argmax([mean for mean, _, _ in own[ALL]]))]
        order = np.argsort(-np.abs(best), kind="stable")
        heads = {2: order[:2], ALL: order[: np.count_nonzero(best)]}
        for number in own:
            assert_fold_is(outcome(results, "SparseRankSVM", "weights", number), place, own[number])
            again = [ranked_by(train, vali, test, heads[number], C) for C in (0.01, 1)]
            assert_fold_is(outcome(results, "SparseRankSVM", "refit", number), place, again)


def test_fsmsvm_by_hand(case, tmp_path):
    text = "FSMSVM(similarity_strength=0.01, importance_strength=[0.001, 0.01], C=[0.01, 1])"
    results = compare(
        small_study(case, selectors={"both": text}, rankers=[], numbers=[2]), tmp_path / "runs.db"
    )
    for place in range(2):
        train, vali, test = parts(case, place + 1)
        first = FSMRank(similarity_strength=0.01, measure="ndcg@10", random_state=0)
        rows = first.path(train, strengths=[0.01, 0.001]).weights
        means = [per_query(vali, vali.X @ w)[0].mean() for w in rows]
        kept = np.argsort(-np.abs(rows[int(np.argmax(means))]), kind="stable")[:2]
        again = [ranked_by(train, vali, test, kept, C) for C in (0.01, 1)]
        assert_fold_is(outcome(results, "both", "refit", 2), place, again)


def test_query_ids_and_folds_go_with_the_values(undisturbed, folds):
    for one in read_results(undisturbed).chosen:
        expected = [
            f"Fold{place + 1}:{qid}"
            for place in range(3)
            for qid in parts(folds, place + 1)[2].query_ids
        ]
        assert one.query_ids.tolist() == expected
        assert one.fold_of.tolist() == [int(text[4]) - 1 for text in expected]
        assert all(len(values) == len(expected) for values in one.values.values())


@pytest.mark.parametrize("seed", range(6))
def test_partial_stores_give_partial_results(seed, undisturbed, tmp_path):
    store = tmp_path / "runs.db"
    shutil.copy(undisturbed, store)
    rng = np.random.default_rng(seed)
    with closing(sqlite3.connect(store)) as connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM trial")]
        gone = rng.choice(ids, int(rng.integers(1, len(ids) + 1)), replace=False)
        connection.executemany("DELETE FROM trial WHERE id = ?", [(int(one),) for one in gone])
        connection.commit()
    whole, partial = read_results(undisturbed), read_results(store)
    assert partial.n_trials == len(ids) - len(gone) == whole.n_trials - len(gone)
    names = {(one.name, one.number) for one in whole.curves}
    assert {(one.name, one.number) for one in partial.curves} <= names
    assert all(len(one.folds) == 3 for one in (*partial.curves, *partial.chosen))


def test_methods_and_rankers_with_settings_in_common_each_have_all_of_theirs(folds, tmp_path):
    few, many = "GAS(balance=[0, 0.1])", "GAS(balance=[0.1, 1])"
    weak, strong = "RankSVM(C=[0.001, 0.01])", "RankSVM(C=[0.01, 1])"
    both = small_study(
        folds, selectors={"few": few, "many": many}, rankers={"weak": weak, "strong": strong}
    )
    found = compare(both, tmp_path / "both.db")
    plan = make_plan(both)
    assert found.n_trials == plan.n_trials < sum(len(job.trials) for job in plan.jobs)
    for label, selector in (("few", few), ("many", many)):
        for name, ranker in (("weak", weak), ("strong", strong)):
            alone = small_study(folds, selectors={label: selector}, rankers={name: ranker})
            expected = compare(alone, tmp_path / f"{label}-{name}.db")
            for one in (*expected.chosen, *expected.curves):
                same = [
                    other
                    for other in (*found.chosen, *found.curves)
                    if (other.name, other.number) == (one.name, one.number)
                ]
                assert len(same) == 1
                assert same[0].values["map"].tolist() == one.values["map"].tolist()


def test_the_same_data_by_two_names_is_two_data_sets(folds, tmp_path):
    shutil.copytree(folds, tmp_path / "copy")
    study = small_study(folds, selectors=['TopK("ndcg@10")'])
    store = tmp_path / "runs.db"
    first = compare(study, store)
    compare(small_study(tmp_path / "copy", selectors=['TopK("ndcg@10")']), store)
    again = read_results(store, study=0)
    assert [one.data for one in again.chosen] == [one.data for one in first.chosen]
    assert [facts.name for facts in again.data] == ["three"]
    assert [facts.name for facts in read_results(store).data] == ["copy"]


def test_one_study_of_the_same_data_by_two_names_has_both(folds, tmp_path):
    shutil.copytree(folds, tmp_path / "copy")
    data = [str(folds), str(tmp_path / "copy")]
    found = compare(Study(data, ['TopK("ndcg@10")'], ["RankSVM(C=1)"]), tmp_path / "runs.db")
    by_data = {name: [o for o in found.chosen if o.data == name] for name in ("three", "copy")}
    assert [o.name for o in by_data["three"]] == [o.name for o in by_data["copy"]]
    for one, other in zip(*by_data.values(), strict=True):
        assert len(one.folds) == 3
        assert one.values["map"].tolist() == other.values["map"].tolist()


def test_while_a_run_lasts_the_folds_that_it_is_done_with_are_shown(undisturbed, tmp_path):
    copy = tmp_path / "runs.db"
    shutil.copy(undisturbed, copy)
    whole = read_results(copy)
    last = whole.data[0].fingerprints[-1]
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DELETE FROM trial WHERE fingerprint = ? AND selector != ''", (last,))
    partial = read_results(copy)
    assert partial.data[0].folds == whole.data[0].folds[:-1]
    assert [one.name for one in partial.chosen] == [one.name for one in whole.chosen]
    assert all(len(one.folds) == len(partial.data[0].folds) for one in partial.chosen)
    assert "not finished: 2 of 3 folds" in partial.conventions[0]


def test_parts_of_other_studies_in_a_store_are_not_shown(folds, tmp_path):
    store = tmp_path / "runs.db"
    compare(small_study(folds), store)
    results = compare(small_study(folds, selectors=['TopK("ndcg@10")']), store)
    assert [list(of) for of in results.importance.values()] == [
        ["MeasureImportance(measure=NDCG(10))"]
    ]
    assert results.similarity == {}
    assert results.traces == ()


def test_what_a_random_order_scores_is_stored_with_an_importance(folds, tmp_path):
    store = tmp_path / "runs.db"
    results = compare(small_study(folds, selectors=['TopK("ndcg@10")']), store)
    trains = [load(path) for path in sorted(folds.glob("*/train.txt"))]
    # The score of a constant feature, which the data of the study does not have.
    constants = [load((np.zeros((len(one), 1)), one.y, one.qid)) for one in trains]
    expected = np.mean([as_importance("ndcg@10").scores(one)[0] for one in constants])
    ((scores,),) = (of_data.values() for of_data in results.random_orders.values())
    assert scores == pytest.approx(expected, abs=1e-12)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE part SET content = json_set(content, '$.content', json('{}'))")
    older = read_results(store)
    assert older.random_orders == {}
    assert older.importance.keys() == results.importance.keys()


def test_the_time_of_a_selection_counts_what_it_shares_with_others(folds, tmp_path):
    store = tmp_path / "runs.db"
    compare(small_study(folds), store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE part SET seconds = 1000 WHERE kind = 'importance'")
        connection.execute("UPDATE part SET seconds = 100 WHERE kind = 'similarity'")
        connection.execute("UPDATE trial SET selection_seconds = 1")
    found = {one.name: one.folds[0].selection_seconds for one in read_results(store).chosen}
    assert found == {
        "all features + RankSVM": 1,
        "GAS + RankSVM": 1 + 1000 + 100,
        "TopK(importance='ndcg@10') + RankSVM": 1 + 1000,
        # A sparse model is its own selection: its fit is counted as training.
        "SparseRankSVM": 0,
        "SparseRankSVM, refit + RankSVM": 1,
        "FSMRank(importance_strength=0.01)": 1000 + 100,
        "FSMRank(importance_strength=0.01), refit + RankSVM": 1 + 1000 + 100,
    }
