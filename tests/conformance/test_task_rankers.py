"""The selector with weights for each task ranks as rankers do."""

from __future__ import annotations

from ranksieve import MultiTaskSparseRankSVM
from ranksieve.testing import RankerSuite


class TestTaskRankers(RankerSuite):
    components = (MultiTaskSparseRankSVM,)
    quick = {MultiTaskSparseRankSVM: {"n_folds": 2, "n_strengths": 4}}  # noqa: RUF012

    # Sparse rankers that select say by weights of 0 that one grade teaches nothing: laws of
    # selectors, and read from text as such.
    test_text_form_builds_the_same_ranker = None
    test_one_grade_throughout_is_an_error_that_says_so = None
    test_a_failed_fit_leaves_no_model_behind = None
    # The suite of selectors runs these.
    test_scikit_learns_own_check = None
