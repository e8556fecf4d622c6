"""What tests of pages share: the browser."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.report.browsing import Visits


@pytest.fixture(scope="session")
def chromium():
    """Debian's browser, started once."""
    # The shell is Chromium without its windows: a page takes two thirds of the time in it.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = next((each for each in map(shutil.which, names) if each), None)
    if path is None:
        pytest.skip(f"no browser is installed: none of {', '.join(names)} is on the PATH")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    # The sandbox cannot be set up by root.
    arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def visits(chromium):
    """Pages of one test; whatever they complain about or ask the network for fails it."""
    visits = Visits(chromium)
    yield visits
    visits.close()
    assert visits.complaints == []
