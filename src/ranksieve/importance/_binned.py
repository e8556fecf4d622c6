class BinnedImportance: ...


def binned_scores(a, b):
    return []
