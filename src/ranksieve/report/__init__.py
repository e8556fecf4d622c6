"""Reports: facts about data and results, and pages that show them.

Three processes, each a folder with a station for every step: `inspection` (of data, before
selecting), `sieve` (of the answer of a sieve) and `study` (of the results of a comparison).
`shared` holds what they draw with, `published` puts figures of papers beside a study's, and
`selection_chart` shows one selector.
"""

from ranksieve.report.inspection.collect import Inspection, inspect
from ranksieve.report.inspection.page import inspection_page
from ranksieve.report.selection_chart import plot_selection
from ranksieve.report.sieve.page import sieve_page
from ranksieve.report.study.charts.export import study_figures, write_figures
from ranksieve.report.study.feature_file import study_features
from ranksieve.report.study.page import study_page
from ranksieve.report.study.still_page import static_page
from ranksieve.report.study.text import study_csv, study_latex, study_markdown

__all__ = [
    "Inspection",
    "inspect",
    "inspection_page",
    "plot_selection",
    "sieve_page",
    "static_page",
    "study_csv",
    "study_features",
    "study_figures",
    "study_latex",
    "study_markdown",
    "study_page",
    "write_figures",
]
