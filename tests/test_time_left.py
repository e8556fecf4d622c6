"""Time left: within a factor of two after a tenth of the work, by a clock that is simulated."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.cli._progress import Work
from ranksieve.progress import TimeLeft, listening, report, silent, step


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def ratios(finished, *, total, before=0.0):
    """Report units at the times at which they finish; estimates to truth after a tenth of them."""
    clock = Clock()
    clock.now += before
    work = Work(clock)
    work.add("trials", 0, total)
    start, end = clock.now, clock.now + finished[-1]
    estimates = []
    for done, when in enumerate(finished[:-1], start=1):
        clock.now = start + when
        work.add("trials", done * total / len(finished), total)
        if done >= max(len(finished) / 10, 1):
            estimates.append(work.moment().left / (end - clock.now))
    return np.array(estimates)


def within_a_factor_of_two(values):
    return bool(((values >= 0.5) & (values <= 2.0)).all())


@pytest.mark.parametrize("n_units", [10, 40, 1000])
def test_even_work_is_told_well(n_units):
    finished = np.arange(1, n_units + 1) * 3.0
    np.testing.assert_allclose(ratios(finished, total=n_units), 1.0, rtol=0.2)


def test_time_counts_from_where_the_phase_begins():
    finished = np.arange(1, 41) * 3.0
    np.testing.assert_allclose(ratios(finished, total=40, before=3600.0), 1.0, rtol=0.2)


@pytest.mark.parametrize("compiling", [5.0, 20.0, 60.0])
def test_a_first_unit_that_compiles_is_not_taken_for_the_rest(compiling):
    finished = compiling + np.arange(1, 61) * 1.0
    values = ratios(finished, total=60)
    assert within_a_factor_of_two(values)


@pytest.mark.parametrize("factor", [1e-3, 30.0])
def test_units_that_are_wrong_by_a_factor_change_nothing(factor):
    finished = np.arange(1, 41) * 2.0
    np.testing.assert_allclose(
        ratios(finished, total=40 * factor), ratios(finished, total=40), rtol=1e-9
    )


@pytest.mark.parametrize("n_workers", [2, 4])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_workers_that_finish_in_bursts(n_workers, seed):
    delays = np.random.default_rng(seed).uniform(0.0, 0.2, size=(40, n_workers))
    finished = np.sort((10.0 * np.arange(1, 41)[:, None] + delays).ravel())
    assert within_a_factor_of_two(ratios(finished, total=len(finished))[:-n_workers])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_units_of_random_length(seed):
    lengths = np.random.default_rng(seed).uniform(0.5, 1.5, size=200)
    assert within_a_factor_of_two(ratios(np.cumsum(lengths), total=200)[:-5])


@pytest.mark.parametrize("slower", [0.01, 0.1, 0.5, 3.0, 10.0])
def test_a_change_of_speed_is_followed(slower):
    finished = np.cumsum([1.0] * 100 + [slower] * 100)
    values = ratios(finished, total=200)
    # A tenth of the units later, and until the last ones.
    assert within_a_factor_of_two(values[-80:-2])


@pytest.mark.parametrize("faster", [0.05, 0.1])
@pytest.mark.parametrize("n_workers", [2, 4])
def test_workers_that_become_faster_are_followed(n_workers, faster):
    lengths = np.repeat([10.0, 10.0 * faster], 40)
    jitter = np.random.default_rng(0).uniform(0.98, 1.02, size=(80, n_workers))
    finished = np.sort(np.cumsum(lengths[:, None] * jitter, axis=0).ravel())
    values = ratios(finished, total=len(finished))
    assert within_a_factor_of_two(values[-32 * n_workers : -4 * n_workers])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_units_of_very_different_length_are_told_well_most_of_the_time(seed):
    lengths = np.random.default_rng(seed).lognormal(sigma=1.0, size=400)
    values = ratios(np.cumsum(lengths), total=400)[:-20]
    assert ((values >= 0.5) & (values <= 2.0)).mean() > 0.9


def test_phases_of_different_speed_do_not_mix():
    clock = Clock()
    work = Work(clock)
    for _ in range(2):  # a quick phase, then a slow one, of the same name
        for seconds in (0.01, 6.0):
            for done in range(20):
                work.add("trials", done, 20)
                if done >= 2:
                    assert work.moment().left == pytest.approx((20 - done) * seconds, rel=0.3)
                clock.now += seconds
            work.add("trials", 20, 20)
            clock.now += 100.0


def test_a_phase_that_ended_early_does_not_count_for_the_next():
    clock = Clock()
    work = Work(clock)
    for done in range(8):
        work.add("training", done, 100)
        clock.now += 600.0
    for done in range(12):
        work.add("training", done, 100)
        clock.now += 1.0
    assert work.moment().left == pytest.approx(88.0, rel=0.2)


def test_seconds_pass_between_reports_and_never_become_less_than_none():
    clock = Clock()
    work = Work(clock)
    for done in range(6):
        work.add("trials", done, 10)
        clock.now += 10.0
    lefts = []
    for _ in range(12):
        clock.now += 10.0
        lefts.append(work.moment().left)
    assert lefts[0] == pytest.approx(30.0)
    assert min(lefts) > 0.0


def test_work_without_a_known_end_has_neither_share_nor_time():
    work = Work(Clock())
    work.add("solving", 5, None)
    assert str(work.moment()) == "solving"


def test_what_is_inside_a_step_is_not_heard():
    seen = []
    with listening(lambda *message: seen.append(message)):
        for number in range(2):
            with step("validation", number, 2):
                for done in range(3):
                    with step("folds", done, 3):
                        report("training", done, 3)
        with silent():
            report("training", 1, 2)
        report("reading", 1, 1)
    labels = [label for label, _ in itertools.groupby(seen, key=lambda message: message[0])]
    assert labels == ["validation", "reading"]


def test_steps_end_with_all_of_them_and_not_after_an_error():
    seen = []
    with listening(lambda *message: seen.append(message)):
        with step("folds", 0, 1):
            pass
        with pytest.raises(ZeroDivisionError), step("folds", 0, 1):
            raise ZeroDivisionError
    assert seen == [("folds", 0, 1), ("folds", 1, 1), ("folds", 0, 1)]


@pytest.mark.parametrize(("total", "known"), [(1000, False), (11, False), (10, True), (2, True)])
def test_a_first_unit_that_may_have_compiled_tells_nothing_about_many_others(total, known):
    left = TimeLeft()
    left.add(0, total, now=0.0)
    left.add(1, total, now=20.0)
    assert (left.seconds(now=20.0) is not None) == known
    left.add(2, total, now=22.0)
    assert left.seconds(now=22.0) == pytest.approx((total - 2) * 2.0)
