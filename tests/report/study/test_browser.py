"""The page of a study in Chromium: what a reader sees, clicks and prints."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest

from ranksieve import make_ranking
from ranksieve.report import inspect, inspection_page, study_page
from ranksieve.report.study.still_page import static_page
from tests.report.browsing import Visits
from tests.report.studies import HOSTILE, study

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DRAWN = "html[data-drawn=yes]"
# Parts of the page and the legend; tables that are long stay folded.
UNFOLD = 'document.querySelectorAll(".part, .legend").forEach((part) => { part.open = true; })'
NUMBERS = '.table[data-table="numbers"]:not([hidden])'
LEADERBOARD = '.table[data-table="leaderboard"]:not([hidden])'


@pytest.fixture(scope="module")
def results():
    return study(numbers=(1, 3, 8, 15), n_features=16)


@pytest.fixture(scope="module")
def written(results, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(study_page(results), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A study with more rows by number than are unfolded at first, and its page."""
    results = study(data=("A",), measures=("map",), numbers=range(1, 13))
    path = tmp_path_factory.mktemp("long") / "report.html"
    path.write_text(study_page(results), encoding="utf-8")
    return results, path


def opened(visits, path, *, figures=None, unfold=True, charts=True, **options):
    """Open a page, wait until its charts are drawn, and unfold its parts.

    Drawing is most of the time: a test that names its figures has a page with these alone.
    """
    page = visits.open(path if figures is None else with_figures(path, figures), **options)
    if charts:
        page.wait_for_selector(DRAWN, state="attached")
    if unfold:
        page.evaluate(UNFOLD)
    return page


def with_figures(path, keys):
    """Write a page beside another, with some of its figures alone."""

    def only_named(figure):
        return figure[0] if figure[1] in keys else ""

    text = path.read_text(encoding="utf-8")
    text = re.sub(
        '<figure class="chart" data-figure="(.*?)">.*?</figure>', only_named, text, flags=re.S
    )
    part = path.with_stem("-".join([path.stem, "with", *keys]))
    part.write_text(text, encoding="utf-8")
    return part


@pytest.fixture
def visit(visits):
    """Open a page for a test alone."""
    return partial(opened, visits)


@pytest.fixture(scope="module")
def left_open(chromium):
    """Pages of `look`, by width."""
    visits, pages = Visits(chromium), {}
    yield visits, pages
    visits.close()


@pytest.fixture
def look(left_open, written):
    """Open the page for tests that point and scroll at most: one load for each width."""
    visits, pages = left_open

    def open_page(width=1280):
        if width not in pages:
            pages[width] = opened(visits, written, width=width)
        return pages[width]

    yield open_page
    assert visits.complaints == []


def redrawn(page, action):
    """Do something that changes what is shown, and wait for the charts."""
    before = page.evaluate("charts.rounds()")
    action()
    # The page forbids the eval that waiting for a condition would need.
    for _ in range(500):
        if page.evaluate("charts.rounds()") != before:
            break
        page.wait_for_timeout(20)
    page.wait_for_selector(DRAWN, state="attached")


def visible_rows(page, table=LEADERBOARD):
    return page.locator(f"{table} tbody tr:not([hidden])")


def panel_titles(page, figure):
    return page.locator(f'[data-figure="{figure}"] .panel h4').all_text_contents()


def test_every_chart_is_drawn(look):
    page = look()
    figures = page.locator("figure.chart")
    assert figures.count() == 10
    for index in range(figures.count()):
        plots = figures.nth(index).locator(".plot")
        assert plots.count() >= 2
        for place in range(plots.count()):
            picture = plots.nth(place).locator("svg.marks, canvas.marks")
            box = picture.bounding_box()
            assert box["width"] > 200
            assert box["height"] > 60
            if plots.nth(place).locator("svg.marks").count():
                assert plots.nth(place).locator("svg .mark-symbol path, svg path").count() > 3
    # A canvas has no elements to count: something must have been painted on it.
    painted = page.evaluate(
        """() => [...document.querySelectorAll("canvas.marks")].map((canvas) => {
             const { data } = canvas.getContext("2d")
               .getImageData(0, 0, canvas.width, canvas.height);
             return new Set(Array.from({ length: data.length / 4 },
               (_, i) => data.slice(4 * i, 4 * i + 4).join())).size;
           })"""
    )
    assert len(painted) >= 4
    assert min(painted) > 10


def test_numbers_in_tables_are_those_of_the_results(look, results):
    page = look()
    for data in ("OHSUMED", "MQ2008"):
        rows = page.locator(f'{LEADERBOARD}[data-data="{data}"] tbody tr')
        found = {
            (row.get_attribute("data-method"), row.get_attribute("data-ranker")): float(
                row.locator("td").nth(3).get_attribute("data-value")
            )
            for row in rows.all()
        }
        assert found == {
            (
                f"{one.method}, refit" if one.variant == "refit" else one.method,
                one.ranker or "own weights",
            ): one.mean("ndcg@10")
            for one in results.chosen
            if one.data == data
        }
    embedded = page.evaluate("JSON.parse(document.getElementById('results').textContent)")
    assert [one["means"]["map"] for one in embedded["chosen"]] == [
        one.mean("map") for one in results.chosen
    ]


def test_rows_by_number_unfold_sort_and_follow_the_filters(visit, long):
    results, path = long
    page = visit(path, figures=["difference"])
    assert page.locator(f"{NUMBERS} tbody tr").count() == 0
    page.locator(f"{NUMBERS} summary").click()
    page.wait_for_selector(f"{NUMBERS} tbody tr")
    assert visible_rows(page, NUMBERS).count() == len(results.curves)
    cells = page.locator(f"{NUMBERS} td:nth-child(5)")
    assert cells.all_text_contents() == [f"{one.mean('map'):.4f}" for one in results.curves]
    page.locator(f"{NUMBERS} th button", has_text="mean").click()
    found = [float(text) for text in cells.all_text_contents()]
    assert found == sorted(found, reverse=True)
    redrawn(page, lambda: page.select_option("#ranker", "LightGBM"))
    rankers = {row.get_attribute("data-ranker") for row in visible_rows(page, NUMBERS).all()}
    assert rankers == {"LightGBM", "own weights"}


def test_without_validation_the_table_by_number_is_open_at_first(visit, tmp_path, results):
    data = tuple(
        replace(one, n_queries=tuple((train, 0, test) for train, _, test in one.n_queries))
        for one in results.data
    )
    chosen = tuple(one for one in results.chosen if one.method == "all features")
    path = tmp_path / "curves.html"
    path.write_text(study_page(replace(results, data=data, chosen=chosen)), encoding="utf-8")
    page = visit(path, figures=["features"])
    curves = [one for one in results.curves if one.data == "MQ2008"]
    table = f'{NUMBERS}[data-data="MQ2008"]'
    assert visible_rows(page, table).count() == len(curves)
    assert "no validation queries" in page.locator("#short").text_content()
    assert len(panel_titles(page, "features")) == 4


def test_the_box_in_short_follows_data_set_and_measure(visit, written):
    page = visit(written, figures=["difference"])
    shown = page.locator("#short p[data-measure]:not([hidden]) strong")
    answers = page.locator("#short .answer:not([hidden]) strong")
    assert shown.all_text_contents() == ["OHSUMED, ndcg@10. ", "MQ2008, ndcg@10. "]
    assert [text.split(":")[0] for text in answers.all_text_contents()] == ["OHSUMED", "MQ2008"]
    redrawn(page, lambda: page.select_option("#measure", "map"))
    redrawn(page, lambda: page.select_option("#data", "MQ2008"))
    assert shown.all_text_contents() == ["MQ2008, map. "]
    (answer,) = answers.all_text_contents()
    assert answer.startswith("MQ2008: ")
    assert " of map." in answer


def test_contents_go_to_their_sections_and_keep_what_is_shown(visit, written):
    page = visit(written, address="#data=MQ2008")
    page.locator("nav a", has_text="Time and memory").click()
    top = page.locator("#time").evaluate("section => section.getBoundingClientRect().top")
    bar = page.locator("#controls").evaluate("bar => bar.getBoundingClientRect().bottom")
    assert bar <= top + 60 < 900
    assert page.evaluate("location.hash") == "#data=MQ2008"


@pytest.mark.parametrize(("width", "bar", "tallest"), [(1280, "#controls", 105), (390, ".bar", 60)])
def test_controls_stay_small_in_sight_and_above_everything(look, width, bar, tallest):
    page = look(width)
    page.evaluate("document.querySelector('#features').scrollIntoView()")
    page.evaluate("scrollBy(0, 60)")
    box = page.locator(bar).bounding_box()
    assert box["y"] == 0
    assert box["height"] <= tallest
    on_top = page.evaluate(
        """([bar, width]) => [...Array(40).keys()].every((place) => {
             const element = document.elementFromPoint((place + 0.5) * width / 40, 12);
             return element.closest(bar) || !element.closest("main");
           })""",
        [bar, width],
    )
    assert on_top


def test_headings_stay_while_a_long_table_scrolls(visit, long):
    page = visit(long[1], figures=[])
    page.locator(f"{NUMBERS} summary").click()
    page.wait_for_selector(f"{NUMBERS} tbody tr")
    box = page.locator(f"{NUMBERS} .scroll")
    box.evaluate("box => { box.scrollTop = 150; }")
    assert box.evaluate("box => box.scrollTop") == 150
    top = "element => element.getBoundingClientRect().top"
    inside = box.locator("th").first.evaluate(top) - box.evaluate(top)
    assert 0 <= inside < 2


def test_on_a_phone_names_stay_while_a_table_scrolls_sideways(look):
    page = look(390)
    box = page.locator(f"{LEADERBOARD} .scroll").first
    left = "cell => cell.getBoundingClientRect().left"
    name = box.locator("tbody td.name").first
    before = name.evaluate(left)
    box.evaluate("box => { box.scrollLeft = 200; }")
    assert box.evaluate("box => box.scrollLeft") == 200
    assert name.evaluate(left) == pytest.approx(before, abs=2)
    assert "sideways" in box.evaluate("box => getComputedStyle(box, '::before').content")


def test_usual_names_leave_all_columns_in_sight(look):
    page = look()
    box = page.locator(f"{LEADERBOARD} .scroll").first
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_data_set_filters_tables_and_charts(visit, written):
    page = visit(written, figures=["features"])
    assert len(panel_titles(page, "features")) == 4
    redrawn(page, lambda: page.select_option("#data", "MQ2008"))
    assert page.locator(LEADERBOARD).count() == 1
    assert "MQ2008" in page.locator(f"{LEADERBOARD} caption").text_content()
    costs = visible_rows(page, '[data-table="costs"]')
    assert {row.locator("td").first.text_content() for row in costs.all()} == {"MQ2008"}
    assert panel_titles(page, "features") == ["MQ2008, RankSVM", "MQ2008, LightGBM"]
    assert page.evaluate("location.hash") == "#data=MQ2008"


def test_a_measure_changes_tables_and_the_axis_of_charts(visit, written):
    page = visit(written, figures=["features"])
    redrawn(page, lambda: page.select_option("#measure", "map"))
    captions = page.locator(f"{LEADERBOARD} caption").all_text_contents()
    assert captions == ["OHSUMED, map", "MQ2008, map"]
    assert page.locator('[data-figure="features"] svg text', has_text="map").count() == 4
    assert page.locator('[data-figure="features"] svg text', has_text="ndcg@10").count() == 0


def test_a_ranker_keeps_methods_with_weights_of_their_own(visit, written):
    page = visit(written, figures=["features"])
    redrawn(page, lambda: page.select_option("#ranker", "LightGBM"))
    rankers = {row.get_attribute("data-ranker") for row in visible_rows(page).all()}
    assert rankers == {"LightGBM", "own weights"}
    assert panel_titles(page, "features") == ["OHSUMED, LightGBM", "MQ2008, LightGBM"]
    redrawn(page, lambda: page.select_option("#ranker", "own weights"))
    assert {row.get_attribute("data-ranker") for row in visible_rows(page).all()} == {"own weights"}
    assert panel_titles(page, "features") == ["OHSUMED, own weights", "MQ2008, own weights"]


def test_part_of_a_name_keeps_only_its_methods(visit, written):
    page = visit(written, figures=["time"])
    marks = page.locator('[data-figure="time"] svg .mark-symbol.role-mark path')
    before = marks.count()
    redrawn(page, lambda: page.fill("#method", "sparse"))
    methods = {row.get_attribute("data-method") for row in visible_rows(page).all()}
    assert methods == {"SparseRankSVM", "SparseRankSVM, refit"}
    assert 0 < marks.count() < before
    redrawn(page, lambda: page.fill("#method", "no such method"))
    assert visible_rows(page).count() == 0
    assert "Nothing fits" in page.locator('[data-figure="time"] .panels').text_content()
    redrawn(page, lambda: page.click("#reset"))
    assert marks.count() == before


def test_the_legend_takes_colours_away_and_hides_what_has_none(visit, written):
    page = visit(written, figures=["difference"])
    chip = page.locator("#methods button", has_text="GAS")
    assert chip.get_attribute("aria-pressed") == "true"
    redrawn(page, chip.click)
    assert chip.get_attribute("aria-pressed") == "false"
    assert visible_rows(page).locator("td", has_text="GAS").count() > 0
    redrawn(page, lambda: page.check("#only"))
    assert visible_rows(page).locator("td", has_text="GAS").count() == 0
    page.reload()
    page.wait_for_selector(DRAWN, state="attached")
    assert visible_rows(page).locator("td", has_text="GAS").count() == 0


def test_headings_sort_by_unrounded_values_also_by_keyboard(visit, written):
    page = visit(written, figures=["time"])
    heading = page.locator(f'{LEADERBOARD}[data-data="OHSUMED"] th', has_text="features").first
    cells = page.locator(f'{LEADERBOARD}[data-data="OHSUMED"] tbody td:nth-child(6)')

    def values():
        return [float(cell.get_attribute("data-value")) for cell in cells.all()]

    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert values() == sorted(values(), reverse=True)
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert values() == sorted(values())
    assert "sort=leaderboard" in page.evaluate("location.hash")
    sorted_before = values()
    page.reload()
    page.wait_for_selector(DRAWN, state="attached")
    assert values() == sorted_before


def test_the_address_restores_what_was_shown(visit, written):
    page = visit(
        written, figures=["features"], address="#data=OHSUMED&measure=map&ranker=RankSVM&theme=dark"
    )
    assert page.input_value("#data") == "OHSUMED"
    assert page.input_value("#measure") == "map"
    assert panel_titles(page, "features") == ["OHSUMED, RankSVM"]
    assert page.evaluate("document.documentElement.dataset.scheme") == "dark"
    strange = visit(written, figures=[], address="#data=nowhere&measure=%22&sort=x:9:y&coloured=zz")
    assert strange.input_value("#data") == ""
    assert strange.locator(LEADERBOARD).count() == 2


def test_charts_have_choices_of_their_own(visit, written):
    page = visit(written, figures=["importance", "gap"])
    choice = page.locator('[data-figure="importance"] select')
    redrawn(page, lambda: choice.select_option("Pearson"))
    axis = page.locator('[data-figure="importance"] svg text', has_text="Pearson")
    assert axis.count() == 2
    redrawn(page, lambda: page.locator('[data-figure="gap"] select').select_option("second"))
    assert page.locator('[data-figure="gap"] svg text', has_text="second").count() == 2


def test_pointing_at_a_mark_shows_its_numbers(look):
    page = look()
    figure = page.locator('[data-figure="time"] .plot').first
    figure.scroll_into_view_if_needed()
    figure.locator(".mark-symbol.role-mark path").first.hover(force=True)
    words = page.locator("#vg-tooltip-element.visible").text_content()
    assert "ndcg@10" in words
    assert "95 % from" in words


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_needs_no_sideways_scrolling(look, width):
    page = look(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    table = page.locator(f"{LEADERBOARD} .scroll").first
    assert table.evaluate("box => box.scrollWidth > box.clientWidth")
    # What needs room for its labels scrolls in a box of its own.
    right = "all => all.map((one) => one.getBoundingClientRect().right)"
    pictures = ".panel:not(.whole) .plot svg, .panel:not(.whole) .plot canvas, .plot"
    assert max(page.locator(pictures).evaluate_all(right)) <= width


def test_the_dark_scheme_follows_the_system_and_the_switch(visit, written):
    page = visit(written, figures=["features"], color_scheme="dark")

    def lightness():
        return page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        )

    def axis():
        return page.locator('[data-figure="features"] svg .role-axis-label text').first

    assert max(lightness()) < 60
    dark = axis().get_attribute("fill")
    redrawn(page, lambda: page.click("#scheme"))
    assert min(lightness()) > 200
    assert axis().get_attribute("fill") != dark
    assert "theme=light" in page.evaluate("location.hash")


def test_paper_has_no_controls_and_everything_open(visit, written):
    page = visit(written, figures=["importance"])
    page.emulate_media(media="print")
    page.wait_for_selector('[data-table="choices"] tbody tr')
    for control in ("#data", "#measure", "#method", "#only", "#reset", "#scheme", ".choice select"):
        assert not page.locator(control).first.is_visible()
    assert page.locator("#methods button").first.is_visible()
    assert "ndcg@10" in page.locator("#shown").text_content()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_hostile_names_are_shown_and_do_nothing(visit, tmp_path):
    names = [f"{place}{HOSTILE[place % 3]}" for place in range(8)]
    hostile = study(
        data=[f"data {name}" for name in HOSTILE],
        methods=HOSTILE,
        rankers=HOSTILE[:2],
        feature_names=names,
        numbers=(1, 4),
        title=HOSTILE[0],
    )
    path = tmp_path / "hostile.html"
    path.write_text(study_page(hostile), encoding="utf-8")
    page = visit(path)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("h1").text_content() == HOSTILE[0]
    chips = page.locator("#methods button").all_text_contents()
    assert set(HOSTILE) <= set(chips)
    redrawn(page, lambda: page.select_option("#data", f"data {HOSTILE[1]}"))
    assert page.locator(LEADERBOARD).count() == 1
    redrawn(page, lambda: page.locator("#methods button").nth(1).click())
    assert page.evaluate("window.hacked") is None


def test_charts_are_left_out_where_the_results_have_nothing_for_them(visit, tmp_path):
    small = study(
        data=("A",), methods=("GAS",), embedded=(), rankers=("R",), n_folds=1, traces=False
    )
    small = replace(small, curves=(), importance={}, similarity={}, failures=())
    path = tmp_path / "small.html"
    path.write_text(study_page(small), encoding="utf-8")
    page = visit(path)
    keys = [one.get_attribute("data-figure") for one in page.locator("figure.chart").all()]
    assert keys == ["difference", "features", "sparsity", "selections", "time"]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_screen_has_the_answer_and_the_rest_is_folded(visit, written, width, scheme):
    page = visit(written, figures=["difference"], width=width, color_scheme=scheme, unfold=False)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    answer = page.locator("#short .answer:not([hidden])").first
    assert answer.bounding_box()["y"] + answer.bounding_box()["height"] < 900
    assert answer.locator("p").count() == 3
    assert "--features-out features.json" in answer.text_content()
    assert page.locator('[data-figure="difference"] svg.marks').first.is_visible()
    assert page.locator(f"{LEADERBOARD} tbody tr").first.is_visible()
    for part in ("set", "size", "features", "time", "choices", "data-sets", "guide", "made"):
        assert page.locator(f"#{part}").get_attribute("open") is None
    headings = page.locator("main h2, main h3")
    assert all(text.strip() for text in headings.all_text_contents())


def test_links_open_what_they_lead_to(visit, written):
    page = visit(written, figures=["difference"], unfold=False)
    for part in ("data-sets", "choices"):
        page.locator(f'nav a[href="#{part}"]').click()
        assert page.locator(f"#{part} tbody tr").first.is_visible()
        top = page.locator(f"#{part}").evaluate("part => part.getBoundingClientRect().top")
        assert top < 900
    page.locator('#short a[href="#set"]').first.click()
    assert page.locator("#set tbody tr").first.is_visible()
    direct = visit(written, figures=["time"], address="#time", unfold=False)
    assert direct.locator("#time").get_attribute("open") is not None


def test_paper_has_every_part_and_every_chart(visit, written):
    page = visit(written, unfold=False)
    page.emulate_media(media="print")
    page.wait_for_selector("#time[open]")
    plots = page.locator(".plot svg.marks, .plot canvas.marks")
    assert plots.count() > 20
    for plot in plots.all():
        box = plot.bounding_box()
        assert box["width"] > 100
    for heading in page.locator(".part > summary h2").all():
        assert heading.is_visible()
    page.emulate_media(media="screen")
    page.wait_for_selector("#time:not([open])", state="attached")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("figure", ["difference", "features", "sparsity", "objective"])
def test_every_line_has_its_name_beside_it_and_no_name_lies_on_another(look, width, figure):
    page = look(width)
    # The name of the reference stands on its line, at the left.
    text = ".mark-text.role-mark:not(.reference_marks) text"
    for plot in page.locator(f'[data-figure="{figure}"] .plot').all():
        boxes = plot.locator(text).evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect())"
            ".map(({top, bottom, right}) => [top, bottom, right])"
        )
        lines = plot.locator(".mark-line.role-mark path").count()
        names = len(set(plot.locator(text).all_text_contents()))
        assert names == len(boxes) >= 2
        # Beside the dashed line of all features stands a name too.
        dashed = plot.locator(".mark-rule.role-mark [stroke-dasharray]").count()
        assert names == {"objective": 2, "difference": lines}.get(figure, lines + dashed)
        boxes.sort()
        middles = [(top + bottom) / 2 for top, bottom, _ in boxes]
        assert all(b - a > 10 for a, b in pairwise(middles))
        assert max(right for *_, right in boxes) <= width


@pytest.mark.parametrize("width", [1280, 390])
def test_among_too_many_lines_those_with_a_colour_are_drawn_and_a_click_draws_another(
    visit, tmp_path, width
):
    methods = [f"M{number}" for number in range(26)]
    results = study(data=("A",), methods=methods, measures=("map",), numbers=(1, 8))
    path = tmp_path / "many.html"
    path.write_text(study_page(results), encoding="utf-8")
    page = visit(path, figures=["difference", "removed"], width=width)

    def drawn():
        plot = page.locator('[data-figure="difference"] .plot').first
        lines = plot.locator(".mark-line.role-mark path").count()
        names = plot.locator(".mark-text.role-mark:not(.reference_marks) text").count()
        heading = page.locator('[data-figure="difference"] h4').first.text_content()
        return lines, names, heading

    lines, names, heading = drawn()
    assert lines == names < 10
    assert heading.endswith("of 29 methods")
    page.locator("#methods [aria-pressed=false]").first.click()
    page.wait_for_selector(DRAWN)
    assert drawn()[:2] == (lines + 1, names + 1)
    radars = page.locator('[data-figure="removed"] .plot').first
    titles = radars.locator(".role-column-header text, .role-title text").all_text_contents()
    assert 1 < len({title for title in titles if title}) <= 12


@pytest.fixture(scope="module")
def still_pages(results, tmp_path_factory):
    """Pages without a library of charts: of a study, and of inspected data."""
    folder = tmp_path_factory.mktemp("still")
    data, _ = make_ranking(
        30, n_relevant=4, n_redundant=8, n_irrelevant=30, n_constant=3, random_state=0
    )
    (folder / "study.html").write_text(static_page(results), encoding="utf-8")
    (folder / "inspection.html").write_text(inspection_page(inspect(data)), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["study", "inspection"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_still_pages_fit_every_screen_in_both_schemes(visit, still_pages, name, width, scheme):
    page = visit(still_pages / f"{name}.html", width=width, color_scheme=scheme, charts=False)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    )
    assert max(paper) < 60 if scheme == "dark" else min(paper) > 200
    pictures = page.locator("figure svg:visible")
    assert pictures.count() >= 2
    text = page.locator("figure svg:visible text").first
    ink = text.evaluate("one => getComputedStyle(one).fill.match(/\\d+/g).map(Number)")
    assert abs(sum(ink) - sum(paper)) > 150
    for box in [picture.bounding_box() for picture in pictures.all()]:
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("name", ["study", "inspection"])
def test_still_pages_are_whole_on_paper(visit, still_pages, name):
    page = visit(still_pages / f"{name}.html", unfold=False, charts=False)
    page.emulate_media(media="print")
    page.wait_for_selector("details[open]")
    assert page.locator("details:not([open])").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")


def test_links_of_the_still_page_open_what_they_lead_to(visit, still_pages):
    page = visit(still_pages / "study.html", unfold=False, charts=False)
    assert not page.locator("#set tbody tr").first.is_visible()
    page.locator('a[href="#set"]').first.click()
    assert page.locator("#set tbody tr").first.is_visible()
    heading = page.locator("#leaderboards th", has_text="mean").first
    heading.locator("button").click()
    cells = page.locator("#leaderboards table").first.locator("td:nth-child(4)")
    shown = [float(text) for text in cells.all_text_contents()]
    assert shown == sorted(shown, reverse=True)
