"""Filters: selection before any model is trained.

`topk`, `gas`, `fsscpr` and `hierarchicalbem` are the methods; `_unproven` says which features come
after the others, `_gas` and `_scpr` have the algorithms of the two that search, and `_clusters` those
of hierarchical selection, whose methods share `_delegates`.
"""
