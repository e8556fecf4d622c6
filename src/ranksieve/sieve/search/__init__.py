"""The search: sets of features from all down to one, judged on queries that did not choose them.

folds         queries dealt into folds, more than once
guide         orders that cost one fit, which steady the elimination
ladder        the costs that sets may have, and what is left of a set at each
elimination   the loop: from rung to rung, each fold with its own set
crossfit      the trainings: on all folds but one, judged on that one
resume        trainings that outlive a run
interruption  Ctrl-C that ends the loop with what is finished
sample        how many queries are searched, of many
search        all of it, and the last rungs on everything
"""
