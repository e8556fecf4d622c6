"""Reports: facts about data and results, and pages that show them."""

from ranksieve.report.inspection import Inspection, inspect
from ranksieve.report.inspection_page import inspection_page
from ranksieve.report.selection_chart import plot_selection
from ranksieve.report.study_features import study_features
from ranksieve.report.study_page import study_page
from ranksieve.report.study_pictures import study_figures, write_figures
from ranksieve.report.study_texts import study_csv, study_latex, study_markdown

__all__ = [
    "Inspection",
    "inspect",
    "inspection_page",
    "plot_selection",
    "study_csv",
    "study_features",
    "study_figures",
    "study_latex",
    "study_markdown",
    "study_page",
    "write_figures",
]
