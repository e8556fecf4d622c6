"""The steps of FS-SCPR on a graph of features, in their order.

- `pagerank`: how relevant each feature is, biased by its own score
- `clusters`: groups of features that are alike, and how many there are
"""
