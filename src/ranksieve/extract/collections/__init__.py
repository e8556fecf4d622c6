"""Text collections: documents, queries, judgements and links, read one at a time.

lines           lines of a file as text, with a limit of length and a count of bad bytes
html            text without tags
records         a document, a query; what was left out or repaired
cranfield, trec, json_lines    readers, for each format
formats         which reader takes a file
judgements      grades of documents for queries, and the rule that makes them
links           which document links to which
"""
