"""What is known of features and queries after a search.

retraining (the chosen set without a feature) -> resamples (how often other queries would have
chosen a feature) -> twins (what could replace it) -> features (all of it, for each feature);
queries (what each query gains or loses).
"""
