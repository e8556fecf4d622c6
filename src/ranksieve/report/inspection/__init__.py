"""An inspection of data, from facts to a page.

facts               queries, grades and features: counts, constants, copies
importance_facts    what each feature says alone, beside a random order
collect             `inspect`: all facts of data as one `Inspection`
judgement           what they mean for selection: the verdict, what can go, the next command
tables              facts as tables that sort
importance_plot     sorted importance as a picture
similarity_map      the heat map of similarity
page                all of it as one HTML file
"""

from ranksieve.report.inspection.judgement import Verdict, advice, next_command, verdict

__all__ = ["Verdict", "advice", "next_command", "verdict"]
