"""Models of embedded methods in a study are what the selectors fit alone."""

from __future__ import annotations

import numpy as np

from ranksieve import catalog, make_ranking
from ranksieve.experiment.run.select import models


def test_a_similarity_strength_by_folds_is_chosen_anew_for_each_setting():
    data, _ = make_ranking(15, 10, n_relevant=3, n_redundant=3, n_irrelevant=3, random_state=0)
    settings = [f'FSMRank("cv", {strength}, n_folds=3, tol=1e-9)' for strength in (0.3, 0.03, 1e-4)]
    solved = models(settings, data, lambda shared: shared.numbers(data))
    fits = [catalog.parse(text, "selectors").fit(data) for text in settings]
    assert len({fit.similarity_strength_ for fit in fits}) > 1
    np.testing.assert_array_equal(solved.arrays["weights"], [fit.coef_ for fit in fits])
