"""The answer of a sieve as a page, from the result to HTML.

view                                      the result in the units of the page, and what sets are
axes, cells                               scales of pictures; cells and headings of tables
ladder_plot, frontier_plot, query_plot    the pictures: changes, measure against cost, queries
feature_table, ladder_table, query_table  the tables that sort
answer                                    the first screen: the sentences, key figures, the ladder
making                                    how it was made, and what the words mean
page                                      all of it as one HTML file
"""
