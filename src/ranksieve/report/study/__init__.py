"""The report of a study, from its results to a page.

names           what methods are called
significance    the test over queries
standings       each method beside its reference: mean, interval, test
differences     paired differences by number of features, and the fewest that lose little
view            the results with a report's options, and all comparisons that follow
feature_file    the features of a row, as a file for `select` and `train`
tables/         every table, registered with its section
charts/         every chart, registered with its section; charts as files
sections        the sections of the page, in their order
summary         the box: the fewest features that lose little
frame, guide    head, foot, and how to read the page
record          the numbers for machines
text            tables as Markdown, LaTeX and CSV
page            the page: one HTML file with charts that can be filtered
still_page      a page of pictures, without scripts for charts
"""
