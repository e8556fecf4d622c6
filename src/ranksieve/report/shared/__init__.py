"""What reports are made of, from data to pages.

clustering, similarity_facts    which features rank alike
heat_map                        their similarity as cells of a picture
colours                         of methods and of similarity, and pictures as PNG
ticks                           round numbers for axes
table                           a table as plain data: values, and how each column shows them
text                            tables as Markdown, LaTeX and CSV
packing                         rows as compact JSON
words, markup                   numbers and names as words; HTML that no name can break
html                            tables as HTML
"""
