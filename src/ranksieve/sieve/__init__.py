"""The sieve: which features can go, at what cost, and how sure that is.

costs, margin (what is asked) -> search (sets from all features down to one) -> decide (the
choice and the claim) -> certify (queries that nothing has seen) -> evidence, result.
"""

from ranksieve.sieve.result import SieveResult
from ranksieve.sieve.selector import Sieve

__all__ = ["Sieve", "SieveResult"]
