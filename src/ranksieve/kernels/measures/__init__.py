"""Ranking measures, one value per query: ordering sorts the documents, the others count."""
