"""The page of a sieve: what it shows of a result, whatever the result."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from ranksieve.report import sieve_page
from ranksieve.report.shared.markup import page_file
from ranksieve.report.sieve.features import N_ROWS
from ranksieve.report.sieve.frontier_plot import frontier_svg
from ranksieve.report.sieve.ladder_plot import ladder_svg
from ranksieve.report.sieve.query_plot import changes_of, query_svg
from ranksieve.report.sieve.view import SieveView
from ranksieve.sieve.decide.claim import Difference
from ranksieve.sieve.margin import Margin
from tests.report.sieve.results import EVERYTHING, STEPS, certificate, long_result, result

PRICES = [100.0, 1.0, 40.0, 2.0, 8.0, 3.0, 30.0, 5.0, 9.0, 2.0]
NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "a & b",
    "</style></title>",
    "' onload='x",
    "\u202eevil\n",
    *"ghij",
]


class Page(HTMLParser):
    """Tags with their attributes, and the text of each; tags must be closed in order."""

    EMPTY = ("meta", "wbr", "input")

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attributes):
        self.tags.append((name, dict(attributes)))
        self.texts.append("")
        if name not in self.EMPTY:
            self.open.append((name, len(self.tags) - 1))

    def handle_endtag(self, name):
        assert self.open.pop()[0] == name

    def handle_data(self, text):
        for _, index in self.open:
            self.texts[index] += text

    def with_class(self, name, kind):
        """Attributes and texts of the elements of a name that have a class."""
        return [
            (attributes, text)
            for (tag_name, attributes), text in zip(self.tags, self.texts, strict=True)
            if tag_name == name and kind in (attributes.get("class") or "").split()
        ]

    @property
    def text(self):
        return self.texts[0]


def ladder(view_of, **size):
    return Page(ladder_svg(SieveView(view_of), **size))


def heights(page, name="circle"):
    return {
        float(attributes["cy"])
        for tag_name, attributes in page.tags
        if tag_name == name and attributes.get("class") == "shape"
    }


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def test_the_page_is_complete_and_asks_for_nothing_outside():
    text = sieve_page(result(certificate=certificate(), claim="certified", prices=PRICES))
    page = Page(text)
    assert text.startswith("<!doctype html>")
    assert not re.search(r"https?://|@import|url\(", text)
    assert not [a for _, a in page.tags if {"src", "srcset", "action"} & a.keys()]
    links = [a["href"] for name, a in page.tags if name == "a"]
    identifiers = {a["id"] for _, a in page.tags if "id" in a}
    assert links
    assert {link.removeprefix("#") for link in links} <= identifiers
    (policy,) = (a["content"] for _, a in page.tags if "http-equiv" in a)
    assert policy.startswith("default-src 'none'")


def test_the_same_result_gives_the_same_bytes():
    assert sieve_page(result()) == sieve_page(result())


@pytest.mark.parametrize("claim", ["certified", "supported", "none"])
def test_the_sentences_and_the_claim_are_at_the_top(claim):
    sieved = result(claim=claim, certificate=certificate(proven=claim == "certified"))
    page = Page(sieve_page(sieved))
    for sentence in sieved.sentences():
        assert sentence in page.text
    ((_, badge),) = page.with_class("span", "badge")
    assert badge.endswith({"none": "no claim"}.get(claim, claim))
    assert "Keep 4 of 10 features" in page.text


def test_without_a_claim_the_figures_say_how_many_queries_are_needed():
    assert "about 1,234 needed" in Page(sieve_page(result(claim="none"))).text
    assert "about 1,234 needed" not in Page(sieve_page(result())).text


@pytest.mark.parametrize("sieved", [result(), result(prices=PRICES), long_result()])
def test_every_feature_has_one_row_kept_ones_first(sieved):
    page = Page(sieve_page(sieved))
    rows = page.with_class("tr", "kept") + page.with_class("tr", "dropped")
    names = [
        attributes["data-value"]
        for attributes, _ in page.with_class("th", "name")
        if "data-value" in attributes
    ]
    assert names == [feature.name for feature in sieved.features]
    assert len(page.with_class("tr", "kept")) == sieved.chosen.n_features
    assert len(rows) == len(sieved.features)


def test_kept_and_dropped_names_are_listed_once_each():
    page = Page(sieve_page(result()))
    chips = [text for name, text in zip(page.tags, page.texts, strict=True) if name[0] == "li"]
    assert chips[:10] == [feature.name for feature in result().features]


@pytest.mark.parametrize("size", [{}, {"width": 350.0, "height": 340.0}])
@pytest.mark.parametrize("prices", [None, PRICES])
def test_every_set_of_the_ladder_is_drawn_from_right_to_left(size, prices):
    page = ladder(result(prices=prices), **size)
    marks = page.with_class("g", "set")
    assert [int(a["data-position"]) for a, _ in marks] == list(range(len(STEPS)))
    whiskers = [numbers(a["d"])[0] for a, _ in page.with_class("path", "whisker")]
    assert whiskers == sorted(whiskers, reverse=True)
    states = [a["class"].split()[1] for a, _ in marks]
    assert states == ["supported"] * 3 + ["open"] * 2


def test_the_band_reaches_from_no_change_to_the_margin():
    page = ladder(result())
    ((band, _),) = page.with_class("rect", "band")
    top, bottom = float(band["y"]), float(band["y"]) + float(band["height"])
    # Discs of all features at 0 and of the next set at +0.4 %: 1 % is as high as 2.5 times that.
    first, second = sorted(heights(page), reverse=True)[0], min(heights(page))
    assert top == pytest.approx(first, abs=0.02)
    assert bottom - top == pytest.approx((first - second) / 0.4, abs=0.1)


def test_an_absolute_margin_is_drawn_in_units_of_the_measure():
    sieved = result(margin=Margin(0.01, relative=False))
    page = ladder(sieved)
    ((band, _),) = page.with_class("rect", "band")
    first, second = max(heights(page)), min(heights(page))
    assert float(band["height"]) == pytest.approx((first - second) * 0.01 / 0.002, abs=0.2)
    assert "margin -0.01" in page.text
    assert "%" not in page.text


def test_the_choice_has_a_ring_and_a_line_where_its_set_stands():
    page = ladder(result())
    ((chosen, _),) = page.with_class("g", "chosen")
    assert chosen["data-position"] == "2"
    ((ring, _),) = page.with_class("circle", "ring")
    ((line, _),) = page.with_class("path", "choice-line")
    assert numbers(line["d"])[0] == float(ring["cx"])
    assert float(ring["cy"]) in heights(page)
    assert "choice: 4 features" in page.text


def test_the_claim_reaches_from_all_features_to_the_smallest_supported_set():
    page = ladder(result())
    whiskers = [numbers(a["d"])[0] for a, _ in page.with_class("path", "whisker")]
    ((line, _),) = page.with_class("path", "claim-line")
    right, _, left, _ = numbers(line["d"])
    assert (right, left) == (whiskers[0], whiskers[2])
    assert "supported down to 4" in page.text
    alone = ladder(result(n_supported=1, claim="none"))
    assert alone.with_class("path", "claim-line") == []
    assert "no smaller set is supported" in alone.text


def test_sets_that_lose_much_are_arrows_with_their_loss():
    page = ladder(result())
    assert [text for _, text in page.with_class("text", "low-label")] == ["-40.0 %"]
    assert "▽ below the picture" in Page(sieve_page(result())).text
    assert "▽" not in Page(sieve_page(result(steps=STEPS[:3]))).text


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ({}, "certified"),
        ({"proven": False}, "not certified"),
        ({"reopened": True}, "opened before"),
    ],
)
def test_the_certificate_is_drawn_with_its_own_interval(options, verdict):
    sieved = result(certificate=certificate(**options))
    page = ladder(sieved)
    ((mark, text),) = page.with_class("g", "test")
    assert mark["data-position"] == "2"
    assert ("proven" in mark["class"].split()) is (verdict == "certified")
    assert text.endswith(verdict)
    assert "-0.2 % (-0.7 to +0.3 %)" in text
    whole_page = Page(sieve_page(sieved)).text
    assert "certifying-fingerprint" in whole_page
    assert ("certificate reopened" in whole_page) is (verdict == "opened before")


def test_an_interrupted_search_is_labelled():
    text = Page(sieve_page(result(interrupted=True))).text
    assert "So far: keep 4 of 10 features" in text
    assert "The search was ended before its last set." in text
    assert "So far" not in Page(sieve_page(result())).text


def test_few_queries_are_said_to_give_another_set_with_another_seed():
    few = result()
    change = replace(few.chosen.change, n_queries=60)
    ladder_sets = tuple(replace(each, change=change) for each in few.ladder)
    caution = "another seed may give another set"
    assert caution in Page(sieve_page(replace(few, ladder=ladder_sets))).text
    assert caution not in Page(sieve_page(few)).text


def test_sets_judged_on_a_sample_are_told_from_those_that_failed():
    sieved = result(n_supported=1)
    sampled = replace(
        sieved.ladder[1], change=replace(sieved.ladder[1].change, n_queries=50), supported=False
    )
    sieved = replace(sieved, ladder=(sieved.ladder[0], sampled, *sieved.ladder[2:]), claim="none")
    states = [a["class"].split()[1] for a, _ in ladder(sieved).with_class("g", "set")]
    assert states == ["supported", "sampled", "open", "open", "open"]
    assert "looked at on a sample" in Page(sieve_page(sieved)).text


def test_costs_are_shown_where_features_have_them():
    sieved = result(prices=PRICES)
    page = Page(sieve_page(sieved))
    assert f"143 instead of {sum(PRICES):g}" in page.text
    assert "28 %" in page.text
    assert page.with_class("svg", "frontier")
    priceless = Page(sieve_page(result()))
    assert priceless.with_class("svg", "frontier") == []
    assert "the frontier of measure against cost is the ladder" in priceless.text


def test_the_frontier_marks_the_sets_that_no_cheaper_one_beats():
    sieved = result(prices=PRICES)
    page = Page(frontier_svg(SieveView(sieved)))
    best = [int(a["data-position"]) for a, _ in page.with_class("g", "best")]
    assert sorted(best) == sorted(sieved.frontier)
    assert len(page.with_class("g", "beaten")) == len(sieved.ladder) - len(best)


def test_free_features_stand_on_the_logarithmic_axis_too():
    prices = [0.0, 0.0, *PRICES[2:]]
    page = ladder(result(prices=prices))
    marks = page.with_class("g", "set")
    assert len(marks) == len(STEPS)
    assert sieve_page(result(prices=[0.0] * 10))


def test_the_table_of_sets_says_what_is_dropped_at_each_step():
    page = Page(sieve_page(result()))
    cells = [text for _, text in page.with_class("td", "members")]
    assert cells[:4] == [
        "",
        "feature_6, feature_7",
        "feature_4, feature_5",
        "feature_2, feature_3",
    ]
    assert "500 features" not in Page(sieve_page(long_result())).with_class("td", "members")[1][1]
    assert "250 features" in Page(sieve_page(long_result())).with_class("td", "members")[1][1]


def test_queries_are_counted_as_worse_the_same_and_better():
    view = SieveView(result())
    worse, n_same, better = changes_of(view)
    assert (len(worse), n_same, len(better)) == (60, 60, 60)
    page = Page(query_svg(view))
    bars = [text for _, text in page.with_class("rect", "bar")]
    assert sum(int(text.split()[0]) for text in bars) == 180
    whole_page = Page(sieve_page(result())).text
    assert "40 more queries lose less" in whole_page
    assert whole_page.index("q0") < whole_page.index("q19")
    assert "q20" not in whole_page


def test_names_that_hold_html_are_shown_and_do_nothing():
    sieved = result(names=NASTY, query_names=[f"{NASTY[0]}{n}" for n in range(180)])
    page = Page(sieve_page(sieved, source=NASTY[1], features=NASTY[0]))
    names = [name for name, _ in page.tags]
    assert names.count("script") == 1
    assert "img" not in names
    assert not [a for _, a in page.tags if any(key.startswith("on") for key in a)]
    for name in NASTY[:5]:
        assert name in page.text
    assert "\u202e" not in "".join(
        t for (n, _), t in zip(page.tags, page.texts, strict=True) if n in ("td", "li")
    )


def test_evidence_of_constant_features_is_empty_and_sorts_last():
    page = Page(sieve_page(result()))
    assert page.text.count("constant") >= 2
    assert "permuted across queries" in page.text
    assert not re.search(r"\bnan\b", page.text)
    empty = [a for a, text in page.with_class("td", "number") if a.get("data-value") == ""]
    assert len(empty) == 2 * 2 + 4


@pytest.mark.parametrize("n_features", [1, 2])
def test_few_features_have_a_page(n_features):
    steps = tuple((n, 0.0, 0.0) for n in range(n_features, 0, -1))
    names = [f"f{n}" for n in range(n_features)]
    sieved = result(names=names, steps=steps, n_supported=1, choice=0, n_queries=3)
    page = Page(sieve_page(sieved))
    assert len(page.with_class("tr", "kept")) == n_features
    assert len(page.with_class("g", "set")) == 2 * n_features


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_left_out_of_the_pictures(odd):
    change = Difference(odd, odd, odd, math.inf, 1, math.inf)
    sieved = result(prices=PRICES)
    odd_set = replace(sieved.ladder[3], change=change, mean=odd)
    wide = replace(
        sieved.ladder[4], change=replace(sieved.ladder[4].change, low=-math.inf, high=math.inf)
    )
    query = replace(sieved.queries[0], chosen=odd)
    sieved = replace(
        sieved,
        ladder=(*sieved.ladder[:3], odd_set, wide),
        queries=(query, *sieved.queries[1:]),
    )
    text = sieve_page(sieved)
    pictures = re.findall(r'(?:d|x|y|cx|cy|width|height|viewBox)="([^"]*)"', text)
    assert pictures
    assert not [value for value in pictures if "nan" in value or "inf" in value]


def test_where_the_measure_is_zero_with_all_features_there_is_a_page():
    steps = tuple((n, 0.0, 0.0) for n in (8, 4, 1))
    sieved = result(steps=steps, choice=1)
    zero = tuple(replace(each, mean=0.0) for each in sieved.ladder)
    assert Page(sieve_page(replace(sieved, ladder=zero)))


def test_how_it_was_made_is_told_and_how_to_go_on():
    sieved = result(certificate=certificate(), claim="certified")
    page = Page(sieve_page(sieved, source="my data.txt", features="out/features.json"))
    command = "ranksieve train 'my data.txt' --features out/features.json -o model.txt"
    assert page.text.count(command) == 2
    for words in ("RankSVM(C=0.01)", "data-fingerprint", "61", "ranksieve 9.8.7", "12.5 s", "900"):
        assert words in page.text
    (part,) = (a for a, _ in page.with_class("details", "part"))
    assert "open" not in part


def test_changes_are_shares_of_the_measure_with_all_features():
    view = SieveView(result())
    assert view.everything == pytest.approx(EVERYTHING)
    for position, (_, mean, half) in enumerate(STEPS):
        expected = (mean, mean - half, mean + half)
        assert tuple(view.set_change(position)) == pytest.approx(expected)


def test_the_style_sheet_cuts_long_tables_after_the_rows_that_are_announced():
    cuts = re.findall(r"nth-child\(n \+ (\d+)", page_file("sieve", "page.css"))
    assert len(cuts) == 6
    assert {int(cut) for cut in cuts} == {N_ROWS + 1}
