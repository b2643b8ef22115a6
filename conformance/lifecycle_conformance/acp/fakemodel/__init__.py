"""A controllable model on a loopback port: three wire forms, gates, and a log that clocks can start from."""

from lifecycle_conformance.acp.fakemodel.log import KEY, Log, ModelRequest
from lifecycle_conformance.acp.fakemodel.script import Call, Fail, Hold, Reply, Say, Slow, Tool
from lifecycle_conformance.acp.fakemodel.server import FakeModel

__all__ = ["KEY", "Call", "Fail", "FakeModel", "Hold", "Log", "ModelRequest", "Reply", "Say", "Slow", "Tool"]
