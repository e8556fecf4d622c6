"""How well each feature alone ranks or predicts grades.

ranked sorts each feature once for many scores, discretise cuts it into bins, and differences
compares it with a random order.
"""
