from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from ranksieve import make_ranking
from ranksieve.data import from_arrays, write_text
from ranksieve.report import inspect, inspection_page
from ranksieve.report.inspection.importance_plot import importance_svg, moved_up, nice_ticks
from ranksieve.report.inspection.judgement import advice, next_command
from ranksieve.report.shared.colours import palette_png, shades
from ranksieve.report.shared.heat_map import N_LEVELS, HeatMap
from ranksieve.report.shared.markup import Markup, breakable, tag

NASTY = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "a & b", "</script>"]


class Page(HTMLParser):
    """Tags with their attributes, texts of elements, and whether tags are closed in order."""

    EMPTY = ("meta", "img", "wbr")

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, name, attributes):
        self.tags.append((name, dict(attributes)))
        if name not in self.EMPTY:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, text):
        self.texts.append((self.open[-1] if self.open else "", text))

    def find(self, name):
        return [attributes for found, attributes in self.tags if found == name]


def example(**options):
    data, _ = make_ranking(
        40, n_relevant=4, n_redundant=8, n_irrelevant=6, n_constant=2, random_state=0
    )
    return inspect(data, **options)


def named(names):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, len(names)))
    X[:, -1] = X[:, 0]
    qid = np.repeat(np.arange(8), 5)
    return inspect(from_arrays(X, rng.integers(0, 3, 40), qid, feature_names=names))


def test_the_page_is_whole_and_asks_for_nothing_outside():
    text = inspection_page(example())
    page = Page(text)
    assert page.open == []
    assert text.startswith("<!doctype html>")
    addresses = [
        value
        for _, attributes in page.tags
        for key, value in attributes.items()
        if key in ("src", "href", "srcset", "action", "data") and value
    ]
    assert addresses
    assert all(address.startswith("data:image/png;base64,") for address in addresses)
    assert not re.search(r"https?://|@import|url\(", text)
    (policy,) = (m["content"] for m in page.find("meta") if "http-equiv" in m)
    assert "default-src 'none'" in policy


def test_the_box_names_what_can_go_and_the_next_command(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 12))
    X[:, 5:8] = 1.0
    X[:, 9] = X[:, 0]
    X[:, 10] = np.repeat(np.arange(12), 5)
    X[:, 11] = X[:, 1] + 0.01 * X[:, 2]
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    qid = np.repeat(np.arange(12), 5)
    names = [str(index + 1) for index in range(12)]
    path = tmp_path / "my data.txt"
    write_text(from_arrays(X, y, qid, feature_names=names), path)
    found = inspect(path)
    assert advice(found)[:3] == [
        "Drop 6-8: constant.",
        "Drop 11: constant in each query.",
        "Drop 10: a copy of 1.",
    ]
    assert "(or 12)" in advice(found)[3] or "(or 2)" in advice(found)[3]
    command = next_command(found)
    assert command.startswith("ranksieve select 'my data.txt' --method ")
    texts = "".join(text for _, text in Page(inspection_page(found)).texts)
    for sentence in (*advice(found), command):
        assert sentence in texts


def test_arrays_have_no_command_and_facts_of_zero_are_left_out():
    found = example()
    assert next_command(found) == ""
    texts = [text for name, text in Page(inspection_page(found)).texts if name in ("dt", "dd")]
    assert "0" not in texts
    assert "missing values" not in texts
    assert "constant features" in texts


def test_the_best_eight_and_the_rows_of_the_map_have_names():
    found = example()
    page = Page(inspection_page(found))
    svg = importance_svg(found)
    best = [found.feature_names[f] for f in found.importance.order[:8]]
    labels = re.findall(r'class="note best">([^<]*)<', svg)
    assert labels == best
    places = [float(y) for y in re.findall(r' y="([\d.]+)" class="note best"', svg)]
    assert all(b - a >= 13 for a, b in pairwise(places))
    spans = [text for name, text in page.texts if name == "span"]
    order = [found.feature_names[f] for f in found.similarity.order]
    start = spans.index(order[0])
    assert spans[start : start + len(order)] == order


@pytest.mark.parametrize("seed", range(3))
def test_labels_are_a_step_apart_and_inside_whatever_the_heights(seed):
    heights = sorted(np.random.default_rng(seed).uniform(5, 120, 8).tolist())
    places = moved_up(heights, step=13.0)
    assert min(np.diff(places)) >= 13 - 1e-9
    assert min(places) >= 6.5
    apart = moved_up([100.0 * index for index in range(1, 9)], step=13.0)
    assert apart == [100.0 * index for index in range(1, 9)]


def test_the_same_data_gives_the_same_page():
    assert inspection_page(example()) == inspection_page(example())


def test_names_that_hold_html_are_shown_and_do_nothing():
    text = inspection_page(named(NASTY))
    page = Page(text)
    assert page.open == []
    assert len(page.find("script")) == 2
    assert len(page.find("img")) == 1
    assert not any("onerror" in attributes for _, attributes in page.tags)
    shown = "".join(text for _, text in page.texts)
    for name in NASTY:
        assert name in shown


def test_the_script_gets_names_and_values_of_the_map():
    found = named(NASTY)
    page = Page(inspection_page(found))
    (content,) = (json.loads(text) for name, text in page.texts if text.startswith('{"names"'))
    order = found.similarity.order
    assert content["names"] == [NASTY[feature] for feature in order]
    levels = np.frombuffer(base64.b64decode(content["cells"]), dtype=np.uint8)
    rows, columns = np.tril_indices(len(order))
    values = content["low"] + (content["high"] - content["low"]) * levels / (content["steps"] - 1)
    expected = found.similarity.scaled[order[rows], order[columns]]
    np.testing.assert_allclose(values, expected, atol=0.0051)


def test_every_feature_has_a_row_and_a_mark_in_both_pictures():
    found = example()
    page = Page(inspection_page(found))
    titles = [text for name, text in page.texts if name == "title"]
    assert len(titles) == 1 + 2 * found.n_features
    cells = [attributes for attributes in page.find("td") if attributes.get("class") == "name"]
    assert len(cells) == found.n_features + len(found.similarity.blocks)


def test_marks_stand_at_their_scores_and_point_in_their_direction():
    found = example()
    svg = Page(importance_svg(found))
    paths = [a for _, a in svg.tags if a.get("class") in ("high", "low")]
    ranked = found.importance.order[: len(paths)]
    kinds = ["high" if found.importance.directions[f] > 0 else "low" for f in ranked]
    assert [a["class"] for a in paths] == kinds
    starts = np.array([re.match(r"M([\d.-]+) ([\d.-]+)h", a["d"]).groups() for a in paths], float)
    assert (np.diff(starts[:, 0]) > 0).all()
    heights = starts[:, 1] - 3.0 * found.importance.directions[ranked]
    slope = np.polyfit(found.importance.scores[ranked], heights, 1)
    fitted = np.polyval(slope, found.importance.scores[ranked])
    assert slope[0] < 0
    np.testing.assert_allclose(heights, fitted, atol=0.2)
    assert len([a for name, a in svg.tags if name == "circle"]) == 2


@pytest.mark.parametrize(
    ("X", "y", "qid"),
    [
        ([[1.0], [2.0], [3.0]], [0, 1, 2], [1, 1, 1]),
        ([[1.0, 2.0]] * 4, [0, 1, 0, 1], [1, 1, 2, 2]),
        ([[1.0, 2.0], [2.0, 1.0]], [0, 1], [1, 2]),
        ([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0]], [1, 1, 1], [1, 1, 1]),
        ([[1.0, np.nan], [2.0, np.nan], [3.0, np.nan]], [0.5, 1.5, 2], [1, 1, 1]),
    ],
    ids=["one feature", "constants", "one document a query", "one grade", "a missing column"],
)
def test_corners_have_a_page(X, y, qid):
    text = inspection_page(inspect((X, y, qid)))
    assert Page(text).open == []
    assert not re.search(r">\s*nan|nan<", text)


def test_a_missing_column_is_remarked():
    X = np.stack([np.arange(6.0), np.full(6, np.nan)], axis=1)
    text = inspection_page(inspect((X, [0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2])))
    assert "missing everywhere, constant" in text
    assert "filled by the rule &#x27;query-minimum&#x27;" in text


def test_many_features_share_the_cells_of_the_map():
    rng = np.random.default_rng(0)
    found = inspect((rng.normal(size=(30, 50)), rng.integers(0, 2, 30), np.repeat([1, 2], 15)))
    cells = HeatMap.of(found.similarity, 20)
    assert cells.values.shape == (20, 20)
    assert (np.diff(cells.edges) >= 2).all()
    assert cells.edges[-1] == 50
    order = found.similarity.order
    first, second = order[cells.edges[0] : cells.edges[1]], order[cells.edges[3] : cells.edges[4]]
    expected = found.similarity.scaled[np.ix_(first, second)].mean()
    assert cells.values[0, 3] == pytest.approx(expected)
    assert cells.levels.max() < N_LEVELS


def test_a_png_holds_its_cells():
    cells = np.array([[0, 1, 2], [2, 1, 0]], dtype=np.uint8)
    png = palette_png(cells, shades(3))
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(png):
        length = int.from_bytes(png[place : place + 4])
        kind, content = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        checksum = int.from_bytes(png[place + 8 + length : place + 12 + length])
        assert checksum == zlib.crc32(kind + content)
        chunks[kind] = content
        place += 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    assert (int.from_bytes(chunks[b"IHDR"][:4]), int.from_bytes(chunks[b"IHDR"][4:8])) == (3, 2)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(2, 4)
    np.testing.assert_array_equal(rows, np.column_stack([[0, 0], cells]))
    np.testing.assert_array_equal(
        np.frombuffer(chunks[b"PLTE"], dtype=np.uint8).reshape(3, 3), shades(3)
    )


def test_shades_fall_evenly_from_light_to_dark():
    luminance = shades(N_LEVELS).astype(float) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(luminance) < 0).all()


def test_text_is_escaped_in_tags_and_attributes_and_once_only():
    assert tag("p", "<b>", Markup("<i>")) == "<p>&lt;b&gt;<i></p>"
    assert tag("p", title='"x" & y') == '<p title="&quot;x&quot; &amp; y"></p>'
    assert tag("p", hidden=True, id=None, data_value="1") == '<p hidden data-value="1"></p>'
    assert breakable("<a_b>") == "&lt;a_<wbr>b&gt;"


@pytest.mark.parametrize(("low", "high"), [(0.29, 0.48), (1, 136), (-3.0, 5.0), (1e-6, 3e-6)])
def test_ticks_are_few_rising_and_inside(low, high):
    ticks = nice_ticks(low, high)
    assert 2 <= len(ticks) <= 7
    assert all(low <= tick <= high for tick in ticks)
    np.testing.assert_allclose(np.diff(ticks), ticks[1] - ticks[0])
