"""Wrappers: selection by models that are trained on sets of features.

- `rankrfe`: the least features of a ranker or selector go, round by round; `_rankrfe_estimators`
  says who may judge, `_rankrfe_rounds` has the rounds
- `boruta`: features beside shuffled copies of themselves
- `bestfirst`: groups of features by search; `_bestfirst_nodes` has the sets that it visits
- `greedyrankrls`: one feature after the other, by least squares; `_centred_rows` and `_greedy_rls`
  make that linear in time
- `hierarchicaliltr`: a feature of each cluster, by a ranker's weights
"""
