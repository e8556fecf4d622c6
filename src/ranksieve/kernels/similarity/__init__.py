"""How alike all pairs of features are: Kendall by bit sets or, for long queries, by merging."""
