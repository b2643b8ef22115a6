"""The reference runtime: a small, real agent runtime. Knows nothing of the model that judges it."""

from lifecycle_runtime.agent import Agent, Inspection
from lifecycle_runtime.behaviour import Behaviour
from lifecycle_runtime.context import Context
from lifecycle_runtime.core import Policies
from lifecycle_runtime.errors import LifecycleError
from lifecycle_runtime.executor import Executor, provide_executor
from lifecycle_runtime.handle import AgentSpec, Handle
from lifecycle_runtime.persistence import Persistence, provide_persistence
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.session import Session
from lifecycle_runtime.signals import AbortController, Signal
from lifecycle_runtime.startup import ConfigAgent
from lifecycle_runtime.status import Status
from lifecycle_runtime.storage_memory import MemoryStorage

__all__ = [
    "AbortController",
    "Agent",
    "AgentProvider",
    "AgentSpec",
    "Behaviour",
    "ConfigAgent",
    "Context",
    "Executor",
    "Handle",
    "Inspection",
    "LifecycleError",
    "MemoryStorage",
    "Persistence",
    "Policies",
    "ProviderOptions",
    "Runtime",
    "Session",
    "Signal",
    "Status",
    "provide_executor",
    "provide_persistence",
]
