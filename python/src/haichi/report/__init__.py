"""The HTML page and the figures of a comparison."""

from haichi.report.figures import write_figures
from haichi.report.page import write_report

__all__ = ["write_figures", "write_report"]
