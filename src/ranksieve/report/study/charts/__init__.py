"""The charts of a study.

figure          what a chart is: its rows, its panels, and names beside lines
rows            the rows that charts are drawn from
outcomes        charts of measures: by number of features, sparsity and time
radar           radars of removed features
features        charts of features: importance, similarity, choices; and of convergence
registry        every chart, with its section of the page
export          charts outside of the page: altair charts and files
"""
