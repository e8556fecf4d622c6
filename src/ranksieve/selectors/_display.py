"""What a fitted selector shows in a notebook: a table, a chart, and what it kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ranksieve import catalog
from ranksieve.data.check import check_feature_names
from ranksieve.data.small_table import SmallTable, as_frame

# Features that a notebook lists of those that were kept.
_LISTED = 20


class Displayed:
    """Ways to look at a selector: all of them read what `fit` has set, and change nothing."""

    order_: NDArray[np.int64]
    scores_: NDArray[np.float64]
    n_features_: int
    n_features_in_: int
    feature_names_: tuple[str, ...] | None

    def table(self) -> Any:
        """Return all features from best to worst, as a pandas frame.

        Columns are `feature`, its name; `score`, the method's own number; `importance`, NaN where
        the method uses none; `weight`, of methods that are linear models; and `kept`. Without
        pandas it is a small table that prints, with `table["score"]` for a column.

        Examples
        --------
        >>> from ranksieve import TopK, make_ranking
        >>> data, _ = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=2)
        >>> table = TopK("ndcg@10", n_features_to_select=2).fit(data).table()
        >>> list(table.columns), table["kept"].tolist()
        (['feature', 'score', 'importance', 'kept'], [True, True, False, False])
        """
        check_is_fitted(self)
        return as_frame(dict(self._columns()))

    def plot(self, *, n_features: int = 40) -> Any:
        """Return a chart of the scores of the first features, with those kept in colour.

        Where the number was chosen on validation queries, how each number did is beside it. It
        is an Altair chart, which a notebook shows and `chart.save("kept.html")` writes; it needs
        `pip install 'ranksieve[report]'`. See `ranksieve.report.plot_selection`.

        Parameters
        ----------
        n_features : int, how many to draw, from the best on
        """
        check_is_fitted(self)
        return catalog.chart("selection")(self, n_features=n_features)

    def _columns(self) -> Iterator[tuple[str, NDArray[Any]]]:
        order = self.order_
        names = check_feature_names(self.feature_names_, self.n_features_in_)
        importance = getattr(self, "importance_", None)
        weights = getattr(self, "coef_", None)
        yield "feature", np.array(names, dtype=object)[order]
        yield "score", self.scores_[order]
        yield "importance", np.full(len(order), np.nan) if importance is None else importance[order]
        if weights is not None:
            yield "weight", np.ravel(weights)[order]
        yield "kept", np.arange(len(order)) < self.n_features_

    def _repr_html_inner(self) -> str:
        # What scikit-learn's `_repr_html_` returns where its diagrams are switched on.
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]
        return diagram + self._selected_html()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._selected_html()
        return bundle

    def _selected_html(self) -> str:
        """Return the features that were kept as a table; nothing before `fit`."""
        if not hasattr(self, "order_"):
            return ""
        n_listed = min(self.n_features_, _LISTED)
        columns = {name: values[:n_listed] for name, values in self._columns() if name != "kept"}
        if np.isnan(columns["importance"]).all():
            del columns["importance"]
        left = self.n_features_ - n_listed
        more = f"<p>and {left} more: <code>.table()</code> has all</p>" if left else ""
        return (
            f"<details open><summary>{self.n_features_} of {self.n_features_in_} features kept"
            f"</summary>{SmallTable(columns)._repr_html_()}{more}</details>"
        )
