"""Two answers that are never mixed: the set to take, and what the data proves about it.

choice (which set) -> claim (what cross-fitting supports, which margin could be proven) ->
betting (what queries that nothing has seen certify).
"""
