"""What surrounds the code: citation, changes, links between pages, and plain words."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import ranksieve

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])
SOURCES = sorted(ROOT.glob("src/**/*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# Names of variables and arguments that do not say what they hold.
VAGUE = {
    *("found", "one", "place", "here", "own", "said", "some", "known", "wanted", "what", "how"),
    *("kept", "made", "whole", "who", "rest", "given", "asked", "told", "near", "shown", "others"),
    *("many", "few"),
}
# The share of them that is allowed.
MOST_VAGUE = 0.01
BANNED = re.compile(
    r"\banew\b|\bso many\b|\bwhat tells\b|\bone (value|number|name|id|line|row) an? "
    r"(query|document|feature|line|row|fold)\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CITED = re.compile(r'(?:  - )?(?:(?P<key>[a-z-]+): ?)?(?P<value>"[^"]*"|[^"]*)')


def citation():
    """The keys of CITATION.cff, in the part of YAML that it uses: texts, and lists of texts."""
    content = {}
    for line in (ROOT / "CITATION.cff").read_text("utf-8").splitlines():
        match = _CITED.fullmatch(line)
        assert match is not None, f"cannot read {line!r}"
        value = match["value"].strip('"')
        if not line.startswith("  - "):
            section = content[match["key"]] = value or []
        else:
            section.append(value)
    return content


def links(page):
    text = _FENCE.sub("", page.read_text("utf-8"))
    targets = (match[1] or match[2] for match in _LINK.finditer(text))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", _FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


def test_the_citation_is_of_this_version_and_these_authors():
    cited = citation()
    assert cited["cff-version"] == "1.2.0"
    assert cited["version"] == ranksieve.__version__
    assert cited["authors"] == [author["name"] for author in PROJECT["authors"]]
    assert cited["license"] == PROJECT["license"]
    assert {"message", "title"} <= cited.keys()


def test_changes_begin_with_this_version_and_every_other_one_has_a_date():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert versions[0].split()[0] == ranksieve.__version__
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)", line) for line in versions[1:])
    sections = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed"}


def test_hooks_before_a_commit_run_tools_of_this_project_alone():
    text = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert set(re.findall(r"repo: (.*)", text)) == {"local"}
    entries = re.findall(r"entry: (\S+)", text)
    assert entries
    assert all(entry.startswith(".venv/bin/") for entry in entries)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_link_of_a_page_is_broken(page):
    for target in links(page):
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.name} links to {target}, which does not exist"
        if anchor and linked.suffix == ".md":
            assert anchor in anchors(linked), f"{page.name} links to {target}: no such heading"


def test_the_readme_leads_to_every_page():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]
    assert [page.name for page in PAGES if page not in reached] == []


def test_code_and_pages_use_plain_words():
    texts = [*SOURCES, *PAGES, ROOT / "Makefile"]
    phrases = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in texts
        for match in BANNED.finditer(path.read_text("utf-8"))
    ]
    assert phrases == []


def test_names_in_the_code_say_what_they_hold():
    names = [name for path in SOURCES for name in bound_names(path)]
    vague = sum(name in VAGUE for name in names)
    assert vague / len(names) < MOST_VAGUE


def bound_names(path):
    """The names of arguments and of variables that a file sets."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
