"""Features of a query and its documents: one idea per file.

base                 what a family of features is, and what it sees of a field
matches              how many terms of the query occur, and whether all do
frequencies          sums, means, extremes and variances of tf, idf, tf-idf, normalised tf
bm25, language_models    scores of retrieval models
proximity            how close the terms stand to each other
lengths, links       what does not depend on the query
families             all of them, by field
"""
