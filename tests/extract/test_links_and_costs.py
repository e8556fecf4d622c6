"""Features of links, and what features cost."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy import sparse

from ranksieve.data import scale
from ranksieve.errors import DataError
from ranksieve.extract import extract_features, write_features
from ranksieve.extract.features.links import link_features
from ranksieve.sieve.costs import read_costs
from tests.extract.conftest import by_document
from tests.extract.test_features_reference import random_collection


def test_degrees_and_pagerank_of_a_graph_worked_out_by_hand():
    # a -> b, a -> c, b -> c; c has no links, so that its rank goes to all.
    links = sparse.csr_array(np.array([[0.0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    features = link_features(links)
    assert features[:, 0].tolist() == [0, 1, 2]
    assert features[:, 1].tolist() == [2, 1, 0]
    rank = features[:, 2]
    assert rank.sum() == pytest.approx(1)
    base = 0.15 / 3 + 0.85 * rank[2] / 3
    assert rank[0] == pytest.approx(base)
    assert rank[1] == pytest.approx(base + 0.85 * rank[0] / 2)
    assert rank[2] == pytest.approx(base + 0.85 * (rank[0] / 2 + rank[1]))


def test_links_of_a_file_become_features_and_unknown_ones_are_counted(collect, tmp_path):
    documents, queries, grades = random_collection(1)
    links = tmp_path / "links.tsv"
    links.write_text("d1\td2\nd1\td3\nd2\td3\nd2\td3\nd3\td3\nd3\tnowhere\n")
    collection = collect(documents, queries, grades, links=links)
    row = by_document(extract_features(collection))["q0", "d3"]
    assert (row["in_degree"], row["out_degree"]) == (2, 0)
    assert collection.tally.counts["link of an unknown document"] == 1
    links.write_text("d1 d2 d3\n")
    with pytest.raises(DataError, match="line 1: a link is two ids, from and to"):
        collect(documents, queries, grades, links=links)


def test_costs_are_those_of_groups_that_share_what_they_read(collect, tmp_path):
    documents, queries, grades = random_collection(2)
    extraction = extract_features(collect(documents, queries, grades))
    times, names = extraction.times, extraction.data.feature_names
    assert times.n_documents == extraction.data.n_documents
    assert set(times.prices) == {
        f"{field}.{part}"
        for field in ("title", "body", "both")
        for part in ("counts", "positions", "lengths")
    }
    assert all(price > 0 for price in times.prices.values())
    for group, price in times.prices.items():
        inside = [entry.feature for entry in times.groups if entry.group == group]
        assert price >= sum(times.arithmetic[name] for name in inside)
    times.write(tmp_path / "costs.csv")
    costs = read_costs(tmp_path / "costs.csv", names)
    assert len(costs.prices) == 9
    titles = np.array([name.startswith("title.") for name in names])
    only_bm25 = np.array([name == "title.bm25" for name in names])
    assert costs.price(only_bm25) < costs.price(titles)
    rows = list(csv.DictReader((tmp_path / "costs.csv").read_text().splitlines()))
    assert {row["group"] for row in rows if row["feature"] == "title.bm25"} == {"title.counts"}


@pytest.mark.parametrize("ending", [".parquet", ".txt"])
@pytest.mark.parametrize("scaling", [None, "minmax"])
def test_a_file_has_what_is_extracted_in_memory(collect, tmp_path, ending, scaling):
    from ranksieve import load

    documents, queries, grades = random_collection(4)
    collection = collect(documents, queries, grades)
    target = tmp_path / f"features{ending}"
    written = write_features(collection, target, scaling=scaling)
    data = extract_features(collection).data
    expected = data if scaling is None else scale(data, scaling)
    read = load(target)
    np.testing.assert_array_equal(read.X, expected.X)
    np.testing.assert_array_equal(read.y, expected.y)
    assert read.qid.tolist() == expected.qid.tolist()
    assert written.n_documents == data.n_documents
    if ending == ".parquet":
        assert read.feature_names == data.feature_names
    with pytest.raises(DataError, match="exists"):
        write_features(collection, target)
