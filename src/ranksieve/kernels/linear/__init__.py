"""Products of matrices and vectors, and the small quadratic problems that solvers solve."""
