"""What of a log had a judgement, and what had none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JudgementCounts:
    """Documents of a log beside their judgements.

    Attributes
    ----------
    n_documents : documents in the log, over all queries
    n_unjudged : those without a judgement, which are left out
    n_queries : queries in the log
    n_unjudged_queries : those of which no document has a judgement
    n_unused : judgements of documents that the log does not have
    """

    n_documents: int
    n_unjudged: int
    n_queries: int
    n_unjudged_queries: int
    n_unused: int

    def sentence(self) -> str:
        """Return what had no judgement, in words.

        Examples
        --------
        >>> JudgementCounts(10, 2, 3, 1, 0).sentence()
        '2 of 10 documents have no judgement and were left out, with 1 of 3 queries.'
        """
        verb = "judgement is" if self.n_unused == 1 else "judgements are"
        unused = (
            f" {self.n_unused:,} {verb} of documents that the log does not have."
            if self.n_unused
            else ""
        )
        if not self.n_unjudged:
            return f"All {self.n_documents:,} documents have a judgement.{unused}"
        queries = (
            f", with {self.n_unjudged_queries:,} of {self.n_queries:,} queries"
            if self.n_unjudged_queries
            else ""
        )
        return (
            f"{self.n_unjudged:,} of {self.n_documents:,} documents have no judgement and were "
            f"left out{queries}.{unused}"
        )
