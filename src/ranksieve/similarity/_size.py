"""What a matrix of similarities takes, said before it is begun."""

from __future__ import annotations

from ranksieve.data.memory import memory_limit, size_text
from ranksieve.errors import DataError
from ranksieve.threads import n_threads


def check_matrix_size(n_features: int) -> None:
    """Raise where matrices of features by features do not fit into memory.

    Each thread has one for its piece of the data, and one or two more wait or add them up.
    """
    n_matrices = n_threads() + 3
    needed = n_matrices * n_features * n_features * 8
    limit = memory_limit()
    if needed > limit:
        raise DataError(
            f"similarities of {n_features:,} features with each other need {size_text(needed)} "
            f"({n_matrices} matrices while they are added up), and {size_text(limit)} are allowed. "
            "Keep the most important features first, such as TopK(n_features_to_select=2000), use "
            "fewer threads (RANKSIEVE_THREADS=1), or allow more: --memory, or RANKSIEVE_MEMORY."
        )
