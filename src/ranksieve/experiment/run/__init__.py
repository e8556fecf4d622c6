"""Doing jobs: from a plan to finished trials in the store, in the order of the data.

shared     importances and similarities, computed once for each fold; what a computation costs
select     the features that a selector takes, or the models of an embedded method
train      a ranker on these features, measured query by query
jobs       the trials of a job: each selected, trained and written as soon as it is finished
workers    one process or several that do jobs until none is left
remote     the same on the workers of a cluster, whose trials come back to the client
progress   how much of the run is done, seen from the store
"""
