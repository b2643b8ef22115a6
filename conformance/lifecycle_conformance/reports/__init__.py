"""The report of a whole check, and its forms: text, JSON, Markdown, JUnit XML, one HTML page."""

from lifecycle_conformance.reports.report import (
    Coverage,
    Picture,
    Reason,
    RunReport,
    Told,
    from_json,
    to_json,
    told,
)
from lifecycle_conformance.reports.write import (
    ReportError,
    Written,
    check_path,
    keep_trace,
    print_text,
    write_file,
    write_report,
)

__all__ = [
    "Coverage",
    "Picture",
    "Reason",
    "ReportError",
    "RunReport",
    "Told",
    "Written",
    "check_path",
    "from_json",
    "keep_trace",
    "print_text",
    "to_json",
    "told",
    "write_file",
    "write_report",
]
