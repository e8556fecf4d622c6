"""Embedded selection: the weights of a sparse linear model decide.

In the order of a fit:

- `_penalised_selector`: a loss over pairs plus a penalty, as a family of models by strength
- `_models`: the models of a family, and the one with a number of features
- `_embedded_selector`: which model is taken, by number, by folds or as given, and its order

and the methods: `sparseranksvm`; `fsmrank`, with `_components` (its importance and similarity) and
`_bound` (its bound of the error); `fsmsvm`; `fenchelrank`; `multitasksparseranksvm`, with
`_query_clusters` (tasks found by clusters), `_task_models` (its family of models) and
`_task_ranker` (scores by task).
"""
