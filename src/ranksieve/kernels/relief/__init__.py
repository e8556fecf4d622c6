"""Nearest documents, and sums of differences between rows, for the Relief family."""
