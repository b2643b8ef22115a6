"""The black-box judge for agents that speak the Agent Client Protocol, version 1, on stdio."""

from lifecycle_conformance.acp.errors import AcpError, UsageError
from lifecycle_conformance.acp.judge import judge, judge_async
from lifecycle_conformance.acp.options import Limits, Options, load_options
from lifecycle_conformance.acp.render import render
from lifecycle_conformance.acp.report import Finding, Report, from_json, to_json
from lifecycle_conformance.acp.sentences import CHECKS, Check

__all__ = [
    "CHECKS",
    "AcpError",
    "Check",
    "Finding",
    "Limits",
    "Options",
    "Report",
    "UsageError",
    "from_json",
    "judge",
    "judge_async",
    "load_options",
    "render",
    "to_json",
]
