"""The searches behind GAS, in the order in which a fit runs through them.

- `search`: what is maximised over sets of features; the greedy order, and swaps from it
- `sets`: the same where two or three features together explain another
- `exact`: the proven optimum, from a bound of all sets and from HiGHS on what that leaves
- `points`: sets on the way from most importance to least similarity, swept or proven
- `pareto`: the front that those points make, and its knee
"""
