"""Reports: facts about data and results, and pages that show them."""

from ranksieve.report.inspection import Inspection, inspect
from ranksieve.report.inspection_page import inspection_page

__all__ = ["Inspection", "inspect", "inspection_page"]
