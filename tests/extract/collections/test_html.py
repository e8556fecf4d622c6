"""Tags of HTML are removed, and what only looks like them is not."""

from __future__ import annotations

import pytest

from ranksieve.extract.collections.html import has_html, without_tags


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ('<p class="x">lift</p><br/>drag', "lift drag"),
        ("<!-- hidden <b> -->lift", "lift"),
        ("<style>p {color: red}</style><SCRIPT>x < y</SCRIPT>lift", "lift"),
        ("wing&nbsp;body &lt; 3", "wing body < 3"),
        ("<a href='x>y'>link</a>", "link"),
    ],
)
def test_html_becomes_its_text(html, words):
    assert without_tags(html).split() == words.split()


@pytest.mark.parametrize("text", ["a < b and c > d", "<x, y>", "if p<i and q>0", "<b, c>"])
def test_comparisons_are_no_tags(text):
    assert not has_html(text)
    assert without_tags(text) == text


def test_elements_that_never_end_are_read_in_linear_time():
    assert without_tags("<p " * 200_000 + "lift").endswith("lift")
    assert without_tags("<!--" * 200_000 + "lift").endswith("lift")
    assert without_tags("<script>" * 50_000 + "lift").endswith("lift")
    assert without_tags("<p a=" * 200_000 + "lift").endswith("lift")
    assert without_tags("<p a='" * 200_000 + "lift").endswith("lift")
