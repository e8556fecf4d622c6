"""The search: sets of features from all down to one, judged on queries that did not choose them.

canonical (data in an order of its own) -> ladder (which costs are tried) -> model (a quick
copy of the ranker) -> permutation (what each feature is worth to it) -> elimination (the loop).
"""
