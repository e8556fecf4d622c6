"""Embedded selection: the weights of a sparse linear model decide."""
