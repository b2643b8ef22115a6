"""Several systems in one table: checks by systems, as JSON, Markdown and one self-contained page."""

from lifecycle_conformance.board.from_acp import LEGEND, acp_column, acp_rows
from lifecycle_conformance.board.from_check import clause_column, clause_rows
from lifecycle_conformance.board.markdown import to_markdown
from lifecycle_conformance.board.page import to_html
from lifecycle_conformance.board.table import Board, Cell, Column, Failure, Row, from_json, shortest, to_json

__all__ = [
    "LEGEND",
    "Board",
    "Cell",
    "Column",
    "Failure",
    "Row",
    "acp_column",
    "acp_rows",
    "clause_column",
    "clause_rows",
    "from_json",
    "shortest",
    "to_html",
    "to_json",
    "to_markdown",
]
