"""Sums over the pairs of documents with different grades, without ever building the pairs."""
