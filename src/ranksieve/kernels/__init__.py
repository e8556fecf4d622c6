"""Compiled loops: plain arrays in, plain arrays out.

Module-level functions under `compiled`, without classes and without other imports from
ranksieve. They release the interpreter lock, so a thread pool runs them side by side.

text (files to arrays) -> columns (one look at each feature) -> measures, importance, similarity,
relief (features beside grades and each other) -> pairs, linear (losses and solvers) -> rankers.
`sorting` serves all of them; `compile` has their decorators, and says which types reach them.
"""
