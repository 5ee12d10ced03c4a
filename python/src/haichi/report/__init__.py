"""Pages and figures of comparisons."""

from haichi.report.figures import write_figures
from haichi.report.page import write_report

__all__ = ["write_figures", "write_report"]
