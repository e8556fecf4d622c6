"""Filters: selection before any model is trained.

`topk`, `gas` and `fsscpr` are the methods; `_unproven` says which features come after the others,
`_gas` and `_scpr` have the algorithms of the two that search.
"""
