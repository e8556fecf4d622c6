"""RankSVM in the feature space of a kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError
from ranksieve.estimator import DefaultGrid, check_number, decades
from ranksieve.kernels.linear.products import scores_of_rows
from ranksieve.losses import SquaredHingeLoss
from ranksieve.problems import RidgePairs
from ranksieve.rankers._description import Description, LinearDescription
from ranksieve.rankers._fitted_values import fitted_array
from ranksieve.rankers._kernel_features import Kernel, choose_landmarks, feature_map, mapped_data
from ranksieve.rankers._solved import SolvedRanker
from ranksieve.rankers._standard import total_variance
from ranksieve.rankers.base import queries_with_pairs
from ranksieve.solvers import NewtonCG

_KERNELS = ("rbf", "polynomial", "linear")
# Below this, squares of differences would be rounded away.
_LEAST_VARIANCE = 1e-290


class KernelRankSVM(SolvedRanker):
    """Nonlinear ranking: RankSVM with the inner products of a kernel, to the optimum.

        minimise  |w|^2 / 2 + C * sum over queries and pairs i above j of
                  max(0, 1 - (w . phi(x_i) - w . phi(x_j)))^2

    where phi(x) . phi(x') = k(x, x') is one of

        rbf          exp(-gamma |x - x'|^2)
        polynomial   (gamma x . x' + coef0)^degree
        linear       x . x', which is RankSVM

    Pairs are documents of one query with different grades; queries with one grade do not count.

    Parameters
    ----------
    kernel : {"rbf", "polynomial", "linear"}
    C : float
        Weight of the sum over pairs, as in RankSVM: data with more pairs wants a smaller C.
    gamma : float or "scale"
        "scale" is 1 / (sum of the features' variances), so that the mean of gamma |x - x'|^2
        over documents is 2.
    degree : int
    coef0 : float, at least 0
    n_landmarks : int
        Documents that the model may be made of. With no more distinct documents than this in
        the training data the optimum is exact; with more, this number is chosen by
        `random_state`, and w is the best combination of these (Nystroem's approximation).
    tol : float
        Relative gap at which to stop, see `gap_`.
    max_iter : int
        Newton iterations at most.
    random_state : int
    weighting : {"pairs", "queries"}
        Whether every pair counts the same, so that queries with many pairs count most, or every
        query, see `PairLoss`; the weights of all pairs sum up to their number either way.

    Attributes
    ----------
    landmarks_ : (n, n_features) array, documents of the training data
    dual_coef_ : (n,) array; the score of x is the sum of dual_coef_ * k(x, landmarks_)
    gamma_ : float
    exact_ : bool, whether all distinct documents are landmarks
    objective_ : float
    gap_ : float
        A proven bound of (objective - optimum) / objective, among all models made of the
        landmarks.
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int

    Notes
    -----
    By the representer theorem the optimal w is a combination of phi of the training documents.
    With K = U diag(v) U' over the landmarks, documents get the features k(x, landmarks) U
    v^(-1/2), whose inner products are the kernel's; a linear RankSVM on them is the kernel
    machine, without any matrix over pairs. Eigenvalues that are rounding are left out.

    Cost, for n documents and m landmarks: O(n m p) for the kernel, O(m^3 + n m^2) for the
    features, then O(n m) a product of Newton's method, tens to hundreds in all. Memory: 8 n m
    bytes. `predict` takes O(m p) a document.

    Features are used as given, and a kernel of distances is ruled by the widest of them: scale
    them per query (`ranksieve.data.scale`) where their ranges differ.

    References
    ----------
    Chapelle and Keerthi, Efficient algorithms for ranking with SVMs, 2010. Williams and Seeger,
    Using the Nystroem method to speed up kernel machines, NIPS 2000.

    Examples
    --------
    Documents are relevant where two features have the same sign, which no weights can say.

    >>> from ranksieve import KernelRankSVM, RankSVM, make_ranking
    >>> data, _ = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=1, truth="nonlinear")
    >>> kernel = KernelRankSVM(n_landmarks=200).fit(data)
    >>> kernel.score(data) > RankSVM().fit(data).score(data) + 0.1
    True
    """

    default_grid: ClassVar[DefaultGrid] = {"C": decades(-4, -1), "gamma": ("scale", 0.1, 1.0)}

    def __init__(
        self,
        kernel: str = "rbf",
        *,
        C: float = 1.0,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        n_landmarks: int = 1000,
        tol: float = 1e-6,
        max_iter: int = 100,
        random_state: int = 0,
        weighting: str = "pairs",
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.weighting = weighting

    def _fit(self, data: RankingData) -> None:
        self.check_parameters()
        data = data.queries(queries_with_pairs(data)).gathered()
        self.landmarks_, self.exact_ = choose_landmarks(data, self.n_landmarks, self.random_state)
        self.gamma_ = self._scale(data) if self.gamma == "scale" else float(self.gamma)
        mapping = feature_map(self._kernel(), self.landmarks_, data.dtype)
        mapped = mapped_data(data, self._kernel(), self.landmarks_, mapping)
        problem = RidgePairs(mapped, SquaredHingeLoss(self.weighting), self.C)
        solution = NewtonCG(self.tol, self.max_iter).solve(problem)
        self.dual_coef_ = mapping @ solution.weights
        self._keep_ending(solution)

    def _scores(self, X: NDArray[Any]) -> NDArray[np.float64]:
        scores = np.empty(len(X))
        for part, values in self._kernel().chunks(X, slice(0, len(X)), self.landmarks_):
            scores_of_rows(values, 0, len(values), self.dual_coef_, scores[part])
        return scores

    def _description(self, names: tuple[str, ...]) -> Description:
        if self.kernel == "linear":
            return LinearDescription(names, self.dual_coef_ @ self.landmarks_)
        raise ParameterError(
            f"a {self.kernel} kernel compares each document with {len(self.landmarks_)} documents "
            "of the training data, which no engine does. Take kernel='linear', RankSVM, or trees."
        )

    def _set_payload(self, payload: bytes) -> None:
        super()._set_payload(payload)
        self.check_parameters()
        check_number("gamma_", self.gamma_, above=0)
        # Kernels take shapes on trust.
        self.landmarks_ = fitted_array("landmarks_", self.landmarks_, (None, self.n_features_in_))
        self.dual_coef_ = fitted_array("dual_coef_", self.dual_coef_, (len(self.landmarks_),))

    def _kernel(self) -> Kernel:
        return Kernel(self.kernel, self.gamma_, self.degree, self.coef0)

    def _scale(self, data: RankingData) -> float:
        if len(self.landmarks_) == 1:
            return 1.0
        total = total_variance(data)
        if not _LEAST_VARIANCE < total < np.inf:
            raise DataError(
                "the sum of the features' variances must be a number that has an inverse, but is "
                f"{total:g}. Scale the features first."
            )
        return 1.0 / total

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        check_choice("kernel", self.kernel, _KERNELS)
        if isinstance(self.gamma, str):
            if self.gamma != "scale":
                raise ParameterError(
                    f"gamma must be 'scale' or a number above 0, but is {self.gamma!r}"
                )
        else:
            check_number("gamma", self.gamma, above=0)
        check_number("degree", self.degree, least=1, integer=True)
        check_number("coef0", self.coef0, least=0)
        check_number("n_landmarks", self.n_landmarks, least=1, integer=True)
        check_number("random_state", self.random_state, least=0, integer=True)
