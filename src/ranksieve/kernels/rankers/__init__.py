"""Loops of single rankers: boosting, perceptrons, networks, kernels, structured hinges."""
