"""Filters: selection before any model is trained.

- `topk`: importance alone; `_sparse_columns` for sparse matrices
- `gas`, `miqubo`: sets by importance and similarity, or by information; `_gas` has their searches,
  `_information` the counts
- `mrmr`, `ngas`, `xgas`, `hcas`: nested orders from importance and similarity, by `_rated`;
  `_walk` is what the two walks share
- `fsscpr`, `hierarchicalbem`: a feature of each cluster; `_scpr` has the first one's algorithm,
  `_clusters` and `_delegates` the second's

`_unproven` says which features come after the others.
"""
