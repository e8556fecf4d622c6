"""The answer of a sieve as a page, from the result to HTML.

view                                      the result in the units of the page, and what sets are
axes                                      from numbers to positions in a picture
cells                                     cells and headings of tables, intervals in them
ladder_plot, frontier_plot, query_plot    the pictures: changes, measure against cost, queries
features, sets, queries                   the tables that sort
answer                                    the first screen: the sentences, key figures, the ladder
making                                    how it was made, and what the words mean
page                                      all of it as one HTML file
"""
