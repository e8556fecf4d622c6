"""Relief: weights from what differs between near documents; sees features that act together.

In the order of the data:

- `_scaling`: every feature between 0 and 1
- `_neighbours`: the nearest documents of each visited document, level by level
- `_weights`: what each neighbour adds: its share of the positions times the gain of a rule
- `_sums`: the three above in passes over the data, inside queries or over all documents
- `_relief`: the estimators, for grades that are levels and for scores

and the four methods, each a rule: `relieff`, `rrelieff`, `rankfilter`, `rankwrapper`.
"""
