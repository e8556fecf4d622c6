"""What `ranksieve select` says on how a search ended."""

from __future__ import annotations

import json

from tests.cli.test_select_validation import letor, run  # noqa: F401 - a fixture


def test_the_exact_solver_says_what_it_proved(capsys, monkeypatch, letor):  # noqa: F811
    monkeypatch.setenv("COLUMNS", "200")
    status, out, _ = run(capsys, "select", letor, "-k", "3", "-m", 'GAS(solver="exact")')
    assert status == 0
    assert "proven best; greedy: 0.0" in out
    _, out, _ = run(capsys, "select", letor, "-k", "3", "-m", 'GAS(solver="exact")', "--json")
    search = json.loads(out)["search"]
    assert search["converged"] is True
    assert search["bound"] - search["objective"] <= 1e-6


def test_a_search_out_of_time_warns_in_plain_words(capsys, letor):  # noqa: F811
    method = (
        'GAS(4, balance=1.0, solver="exact", trade_off="pareto", time_limit=1e-9, '
        'unproven="published")'
    )
    status, _, err = run(capsys, "select", letor, "-m", method)
    assert status == 0
    assert "Warning: " in err
    assert ".py:" not in err


def test_auto_is_a_number_for_the_method_that_has_it(capsys, letor):  # noqa: F811
    status, out, _ = run(capsys, "select", letor, "-k", "auto", "-m", "FSSCPR", "--json")
    assert status == 0
    assert len(json.loads(out)["selected"]) >= 1
    status, _, err = run(capsys, "select", letor, "-k", "auto")
    assert status == 1
    assert "n_features_to_select" in err or "-k" in err
