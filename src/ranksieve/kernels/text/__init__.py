"""Ranking text to arrays and back.

lines (where documents start) -> query_tokens, decimal (with eisel_lemire), comments -> parse;
shortest (numbers as text) -> line_writer.
"""
