"""The sieve: which features can go, at what cost, and how sure that is.

costs, margin (what is asked) -> search (sets from all features down to one) -> decide (the
choice and the claim) -> final (the ranker, trained on a set) -> openings, certify (queries that
nothing has seen) -> evidence -> answer -> result.
"""

from ranksieve.sieve.result import SieveResult
from ranksieve.sieve.search.interruption import best_so_far
from ranksieve.sieve.selector import Sieve

__all__ = ["Sieve", "SieveResult", "best_so_far"]
