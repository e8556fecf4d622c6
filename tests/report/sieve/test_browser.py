"""The page of a sieve in Chromium: what a reader sees, clicks and prints."""

from __future__ import annotations

import re

import pytest

from ranksieve.report import sieve_page
from tests.report.sieve.results import certificate, long_result, result

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PRICES = [100.0, 1.0, 40.0, 2.0, 8.0, 3.0, 30.0, 5.0, 9.0, 2.0]
LONG_NAMES = [f"body_stream_length_normalised_{'very' * 12}_{n}" for n in range(10)]
RESULTS = {
    "certified": lambda: result(claim="certified", certificate=certificate(), prices=PRICES),
    "early": lambda: result(
        claim="none", n_supported=1, interrupted=True, certificate=certificate(reopened=True)
    ),
    "names": lambda: result(names=LONG_NAMES, query_names=[f"{n}{'q' * 150}" for n in range(180)]),
    "long": long_result,
}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sieve")
    for name, make in RESULTS.items():
        text = sieve_page(make(), source="train.txt", features="sieved/features.json")
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def visit(visits, pages):
    """Open the page of a result."""

    def open_page(name, *, height=800, **options):
        return visits.open(pages / f"{name}.html", height=height, **options)

    return open_page


def names_shown(page):
    rows = page.locator("#features tbody tr:visible th")
    return [re.sub(r"permuted.*|constant", "", text) for text in rows.all_text_contents()]


def bottom(page, selector):
    box = page.locator(selector).first.bounding_box()
    return box["y"] + box["height"]


@pytest.mark.parametrize("name", RESULTS)
def test_the_first_screen_has_the_answer_and_the_ladder(visit, name):
    page = visit(name)
    sieved = RESULTS[name]()
    assert page.locator("h1").is_visible()
    for sentence in sieved.sentences():
        assert page.get_by_text(sentence, exact=True).is_visible()
    for selector in (".verdict", ".figures", "svg.ladder.broad", ".chips"):
        assert bottom(page, selector) <= 800, selector
    box = page.locator("svg.ladder.broad").bounding_box()
    assert box["width"] > 500
    assert box["height"] > 250


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen_and_texts_stand_out(visit, width, scheme):
    for name in RESULTS:
        page = visit(name, width=width, color_scheme=scheme)
        assert page.evaluate(OVERFLOW) <= 0, name
        page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        assert page.evaluate(OVERFLOW) <= 0, name
        shown, hidden = ("narrow", "broad") if width < 500 else ("broad", "narrow")
        assert page.locator(f"svg.ladder.{shown}").is_visible()
        assert not page.locator(f"svg.ladder.{hidden}").is_visible()
        # Labels of the picture stay inside the screen.
        edges = page.evaluate(
            f"""[...document.querySelectorAll("svg.{shown} text")].map((text) => {{
                const box = text.getBoundingClientRect();
                return [box.left, box.right];
            }})"""
        )
        assert min(left for left, _ in edges) >= 0, name
        assert max(right for _, right in edges) <= width, name
    paper, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (paper, ink)]
    assert (brightness[0] > brightness[1]) is (scheme == "light")
    assert abs(brightness[0] - brightness[1]) > 400


def test_the_table_of_features_sorts_by_numbers_with_empty_cells_last(visit):
    page = visit("certified")
    sieved = RESULTS["certified"]()
    heading = page.locator("#features th", has_text="loss when permuted").locator("button")
    heading.click()
    losses = {
        feature.name: feature.loss for feature in sieved.features if feature.loss == feature.loss
    }
    falling = sorted(losses, key=lambda name: -losses[name])
    assert names_shown(page)[:8] == falling
    heading.click()
    assert names_shown(page)[:8] == falling[::-1]
    page.locator("#features th", has_text="cost").locator("button").click()
    assert names_shown(page)[0] == "feature_0"


def test_rows_are_filtered_and_cut_without_scripts(visit):
    page = visit("long", java_script_enabled=False)
    assert len(names_shown(page)) == 40
    page.get_by_label("dropped (440)").check()
    assert names_shown(page)[0] == "some_group.feature_060"
    assert len(names_shown(page)) == 40
    page.get_by_label("show more than 40 rows").check()
    assert len(names_shown(page)) == 440
    page.get_by_label("kept (60)").check()
    assert len(names_shown(page)) == 60


def test_a_sorted_long_table_shows_its_new_first_rows(visit):
    page = visit("long")
    heading = page.locator("#features th").first.locator("button")
    heading.click()
    heading.click()
    assert names_shown(page)[0] == "some_group.feature_499"
    assert len(names_shown(page)) == 40


@pytest.mark.parametrize("name", RESULTS)
def test_paper_has_the_folded_parts_and_light_colours(visit, name):
    # A4 with the usual edges.
    page = visit(name, width=718, color_scheme="dark")
    page.emulate_media(media="print")
    page.wait_for_selector("#making[open]")
    assert page.get_by_text("What the words mean").is_visible()
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour == "rgb(255, 255, 255)"
    assert not page.locator("#rows-all").is_visible()
    assert page.evaluate(OVERFLOW) <= 0
    assert len(names_shown(page)) == (40 if name == "long" else 10)
