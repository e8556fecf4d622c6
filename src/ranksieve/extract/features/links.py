"""Links between documents: how many lead in and out, and PageRank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ranksieve.errors import RunError

NAMES = ("in_degree", "out_degree", "pagerank")
DAMPING = 0.85
_TOLERANCE, _MAX_ROUNDS = 1e-12, 1000


def link_features(links: sparse.csr_array) -> NDArray[np.float64]:
    """Return (documents, 3): in-degree, out-degree and PageRank of each document.

        pagerank(d) = (1 - 0.85) / N + 0.85 (sum over links c -> d of pagerank(c) / out(c)
                                             + sum over c without links of pagerank(c) / N)

    They depend on no query and are computed once for the collection. PageRank sums to 1.

    Examples
    --------
    >>> links = sparse.csr_array(np.array([[0.0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    >>> link_features(links)[:, :2].tolist()
    [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]
    """
    into = np.asarray(links.sum(axis=0)).ravel()
    out = np.asarray(links.sum(axis=1)).ravel()
    return np.stack([into, out, pagerank(links, out)], axis=1)


def pagerank(links: sparse.csr_array, out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return PageRank by repeated products, until it changes by less than 1e-12 in all."""
    n_documents = links.shape[0]
    dangling = out == 0
    incoming = links.T.tocsr()
    rank = np.full(n_documents, 1.0 / n_documents)
    for _ in range(_MAX_ROUNDS):
        share = np.divide(rank, out, out=np.zeros_like(rank), where=~dangling)
        spread = (incoming @ share) + rank[dangling].sum() / n_documents
        following = (1.0 - DAMPING) / n_documents + DAMPING * spread
        change = np.abs(following - rank).sum()
        rank = following
        if change < _TOLERANCE:
            normalised: NDArray[np.float64] = rank / rank.sum()
            return normalised
    raise RunError(f"PageRank still changes by {change:.1e} after {_MAX_ROUNDS} rounds")
