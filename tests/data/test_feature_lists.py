"""Lists of features: names, numbers, ranges, patterns."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import load
from ranksieve.data.feature_lists import ExactNames, read_names, selected_features
from ranksieve.errors import DataError

NAMED = ["bm25", "url_depth", "url_length", "clicks", "6-10"]
NUMBERED = [str(number) for number in range(1, 13)]


@pytest.mark.parametrize(
    ("names", "items", "chosen"),
    [
        (NAMED, "bm25, clicks", ["bm25", "clicks"]),
        (NAMED, "url_*", ["url_depth", "url_length"]),
        (NAMED, "2-3", ["url_depth", "url_length"]),
        (NAMED, "1", ["bm25"]),
        (NAMED, "6-10", ["6-10"]),
        (NAMED, "*[th]", ["url_depth", "url_length"]),
        (NUMBERED, "6-10", ["6", "7", "8", "9", "10"]),
        (NUMBERED, "1,11-99", ["1", "11", "12"]),
        (NUMBERED, "1*", ["1", "10", "11", "12"]),
        (["0", "1", "5"], "0-1", ["0", "1"]),
    ],
)
def test_items_stand_for_names_numbers_ranges_and_patterns(names, items, chosen):
    assert selected_features(names, "data", features=items) == chosen
    assert selected_features(names, "data", exclude=items) == [n for n in names if n not in chosen]


def test_a_list_gives_the_order_and_a_text_leaves_that_of_the_data():
    assert selected_features(NAMED, "data", features=["clicks", "bm25"]) == ["clicks", "bm25"]
    assert selected_features(NAMED, "data", features="clicks,bm25") == ["bm25", "clicks"]
    assert selected_features(NAMED, "data", features="url_*,clicks", exclude="2") == [
        "url_length",
        "clicks",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exclude": "bm52"}, "train.csv has no feature 'bm52': did you mean 'bm25'?"),
        ({"exclude": "9"}, "has no feature '9': they are numbered 1 to 5"),
        ({"features": "title_*"}, r"has no feature 'title_\*': no name is like that"),
        ({"exclude": "*"}, "all 5 are excluded"),
        ({"features": "bm25,bm25"}, "has 'bm25' twice"),
        ({"features": " ,"}, "list of features is empty"),
        ({"features": ExactNames(["1"])}, "has no feature '1'"),
    ],
)
def test_what_no_feature_is_called_is_an_error(options, message):
    with pytest.raises(DataError, match=message):
        selected_features(NAMED, "train.csv", **options)


def test_names_come_from_a_file_with_a_name_a_line(tmp_path):
    file = tmp_path / "names.txt"
    file.write_text("﻿bm25\nurl length\n\n", encoding="utf-8")
    assert read_names(file) == ["bm25", "url length"]
    for content, message in (
        ("a\n\nb\n", "line 2: there is no name"),
        ("a\nb\na\n", "line 3: 'a' appears a second time"),
        ("", "has no names"),
    ):
        file.write_text(content)
        with pytest.raises(DataError, match=message):
            read_names(file)
    with pytest.raises(DataError, match="cannot read the names in"):
        read_names(tmp_path / "none.txt")


def test_every_kind_of_source_takes_features_exclude_and_names(tmp_path):
    X = np.arange(12.0).reshape(4, 3)
    arrays = (X, [0, 1, 0, 2], [1, 1, 2, 2])
    data = load(arrays, names=["a", "b", "c"])
    assert load(arrays, names=["a", "b", "c"], exclude="b").feature_names == ("a", "c")
    assert load(data, features=["c"]).X.tolist() == X[:, 2:].tolist()
    text = tmp_path / "train.txt"
    text.write_text("1 qid:1 1:5 2:6 3:7\n0 qid:1 1:8 2:9\n")
    assert load(text, exclude="2").feature_names == ("1", "3")
    assert load(text, exclude="2", sort=True).X.tolist() == [[5, 7], [8, 0]]
    named = load(text, names=["a", "b", "c", "d"], features=["d", "b"])
    assert named.feature_names == ("d", "b")
    assert named.X.tolist() == [[0, 6], [0, 9]]
    with pytest.raises(DataError, match="has 3 features, but 2 names are given"):
        load(text, names=["a", "b"])


@pytest.mark.parametrize("sort", [False, True])
def test_missing_values_of_features_that_are_left_out_do_not_matter(tmp_path, sort):
    text = tmp_path / "train.txt"
    text.write_text("1 qid:1 1:5 2:NULL 3:7\n0 qid:1 1:8 2:9 3:nan\n")
    assert load(text, exclude="2-3", sort=sort).X.tolist() == [[5], [8]]
    with pytest.raises(DataError, match="row 1, feature '3' is missing"):
        load(text, exclude="2", sort=sort)
    filled = load(text, exclude="2", missing="query-minimum", sort=sort)
    assert filled.X.tolist() == [[5, 7], [8, 7]]
