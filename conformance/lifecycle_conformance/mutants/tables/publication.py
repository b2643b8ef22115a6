"""Mutants of create and resume: admission, checks, announcements and rollbacks (section P)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "agent-announced-first",
        "The agent is announced before its session.",
        "creation",
        """
        provider.store.announce(teardown.session_entry)
        self._check()
        provider.agents.announce(teardown.agent_entry)
        self._check()
        """,
        """
        provider.agents.announce(teardown.agent_entry)
        self._check()
        provider.store.announce(teardown.session_entry)
        self._check()
        """,
        ("P2", "P/r9", "P/r10", "I14"),
        ("F131",),
    ),
    Mutant(
        "announced-before-setup",
        "The session is entered and announced before setup runs.",
        "creation",
        """
        if self._spec.setup is not None:
            setup = self._spec.setup
            await self._race(lambda: setup(agent, self._setup_signal))
            self._check()
        return self._publish(agent)
        """,
        """
        handle = self._publish(agent)
        if self._spec.setup is not None:
            setup = self._spec.setup
            await self._race(lambda: setup(agent, self._setup_signal))
        return handle
        """,
        ("P1", "I13", "P/r6", "P2"),
        ("F130", "F131"),
    ),
    Mutant(
        "setup-result-unchecked",
        "A setup that succeeds after the creation was deactivated is published.",
        "creation",
        """
            await self._race(lambda: setup(agent, self._setup_signal))
            self._check()
        return self._publish(agent)
        """,
        """
            await self._race(lambda: setup(agent, self._setup_signal))
        return self._publish(agent)
        """,
        ("P6", "I13", "P8", "R2"),
        ("F133", "F088"),
    ),
    Mutant(
        "announcement-unchecked",
        "A creation deactivated while its session is announced goes on to announce its agent.",
        "creation",
        """
        provider.store.announce(teardown.session_entry)
        self._check()
        """,
        """
        provider.store.announce(teardown.session_entry)
        """,
        ("P5", "P6", "P/r9", "R4"),
        ("F133",),
    ),
    Mutant(
        "start-despite-deactivation",
        "A creation deactivated while its agent is announced goes on to announce its start.",
        "creation",
        """
        provider.agents.announce(teardown.agent_entry)
        self._check()
        """,
        """
        provider.agents.announce(teardown.agent_entry)
        """,
        ("P5", "P6", "P/r10", "R5"),
        ("F133",),
    ),
    Mutant(
        "start-listener-deactivation-ignored",
        "A creation deactivated by a start listener returns a live handle.",
        "creation",
        """
        core.publish(SessionStart(agent, self._source))
        self._check()
        """,
        """
        core.publish(SessionStart(agent, self._source))
        """,
        ("P5", "R6", "P/r11", "P6"),
        ("F133",),
    ),
    Mutant(
        "sync-rollback-missing",
        "A synchronous create that fails leaves its entries.",
        "creation",
        """
        except Exception:
            self._roll_back()
            raise
        finally:
        """,
        """
        except Exception:
            raise
        finally:
        """,
        ("P7", "P14", "I13"),
        ("F138", "F139", "F143"),
    ),
    Mutant(
        "rejected-before-rollback",
        "A failed create rejects before its rollback is through.",
        "creation",
        """
        self._roll_back()
        if self._teardown is not None:
            await self._teardown.begin()
        raise
        """,
        """
        self._roll_back()
        raise
        """,
        ("P11", "P7"),
        ("F142",),
    ),
    Mutant(
        "signal-kills-live-agent",
        "The creation signal still works after the handle was returned.",
        "creation",
        """
        self._unsubscribe()
        return handle
        """,
        """
        return handle
        """,
        ("P9", "T11"),
        ("F221",),
    ),
    Mutant(
        "signal-ignored",
        "A creation ignores its signal.",
        "creation",
        """
        if spec.signal is not None:
            signal = spec.signal
        """,
        """
        if False:
            signal = spec.signal
        """,
        ("P9", "P8", "P11"),
        ("F017", "F245"),
    ),
    Mutant(
        "deactivation-waits-for-setup",
        "A deactivated creation rejects only when its setup settles.",
        "creation",
        """
        await first_of(task, self._deactivated)
        """,
        """
        await first_of(task)
        """,
        ("P11", "V7", "D5"),
        ("F044", "F081"),
    ),
    Mutant(
        "first-reason-rejects",
        "A creation rejects with the first deactivation reason although the provider is gone.",
        "creation",
        """
        raise self._reason if self._provider.active else _inactive_provider(self._id)
        """,
        """
        raise self._reason
        """,
        ("P8",),
    ),
    Mutant(
        "last-reason-rejects",
        "A later deactivation replaces the reason a creation rejects with.",
        "creation",
        """
        elif self._reason is None:
            self._reason = reason
            self._deactivated.set_result(None)
        """,
        """
        elif self._reason is not None:
            self._reason = reason
        else:
            self._reason = reason
            self._deactivated.set_result(None)
        """,
        ("P8",),
    ),
    Mutant(
        "abort-reason-unwrapped",
        "A signal's reason that is an error is wrapped instead of being what the creation rejects with.",
        "creation",
        """
        if isinstance(reason, Exception):
            return reason
        """,
        """
        """,
        ("P8", "P9"),
    ),
    Mutant(
        "owner-record-left",
        "A creation that ended leaves its record on the owner.",
        "creation",
        """
        self._owner_effect.release()
        self._provider_effect.release()
        """,
        """
        self._provider_effect.release()
        """,
        ("P7", "T10", "T/r7"),
        ("F139", "F095"),
    ),
    Mutant(
        "unload-does-not-join",
        "An unload does not wait for the teardown of the agents it takes down.",
        "creation",
        """
        await self._finished
        if self._teardown is not None:
            await self._teardown.begin()
        """,
        """
        await self._finished
        """,
        ("P13", "T1", "V6"),
        ("F086", "F145"),
    ),
    Mutant(
        "ids-not-checked",
        "Entering does not refuse an id that is taken.",
        "entries",
        """
        if entry_id in self._entries:
            raise DuplicateId(f"{self._kind} {entry_id!r} already exists; dispose it or choose another id")
        """,
        """
        """,
        ("P10", "L/r7", "I12", "P7"),
        ("F119", "F121", "F123", "F124", "F125"),
    ),
    Mutant(
        "provider-slot-kept",
        "A provider that is unloading keeps the slot taken.",
        "registry",
        """
        if self._provider is not None and self._provider.active:
            raise ProviderTaken("an agent provider is loaded already; unload it first")
        """,
        """
        if self._provider is not None:
            raise ProviderTaken("an agent provider is loaded already; unload it first")
        """,
        ("P15",),
        ("F223",),
    ),
    Mutant(
        "provider-slot-shared",
        "A second provider replaces the first.",
        "registry",
        """
        if self._provider is not None and self._provider.active:
            raise ProviderTaken("an agent provider is loaded already; unload it first")
        """,
        """
        """,
        ("P15",),
        ("F084", "F226"),
    ),
    Mutant(
        "session-veto-ignored",
        "A listener that vetoes a session's creation is ignored.",
        "store",
        """
        self.table.announce(entry, lambda: self.bus.vetoing(event, scope))
        """,
        """
        self.table.announce(entry, lambda: self.bus.contained(event, scope))
        """,
        ("P3", "R4", "L/r8", "P/r9"),
    ),
    Mutant(
        "agent-veto-ignored",
        "A listener that vetoes an agent's creation is ignored.",
        "registry",
        """
        self.table.announce(entry, lambda: self._bus.vetoing(event, entry.value.ctx.scope))
        """,
        """
        self.table.announce(entry, lambda: self._bus.contained(event, entry.value.ctx.scope))
        """,
        ("P3", "R5", "P/r10", "P4"),
    ),
    Mutant(
        "silent-detach-announced",
        "An agent that was never announced is announced as disposed.",
        "registry",
        """
        if entry.announced:
            self._bus.contained(AgentDisposed(entry.value), entry.value.ctx.scope)
        """,
        """
        self._bus.contained(AgentDisposed(entry.value), entry.value.ctx.scope)
        """,
        ("P4", "R4", "I14", "L5"),
        ("F118",),
    ),
    Mutant(
        "child-is-root",
        "An agent created through another's context is a root.",
        "registry",
        """
        if parent is not None:
            self._parents[agent] = parent
        """,
        """
        """,
        ("P18",),
        ("F054",),
    ),
    Mutant(
        "resume-starts-up",
        "A resume announces itself as a startup.",
        "creation",
        """
        core.publish(SessionStart(agent, self._source))
        """,
        """
        core.publish(SessionStart(agent, "startup"))
        """,
        ("P2", "P/r11", "G/r4"),
    ),
    Mutant(
        "stale-resume-published",
        "A resume is published although the log changed since it was loaded.",
        "creation",
        """
        if self._load is not None:
            self._load.require_current()
        """,
        """
        """,
        ("P17", "P/r7", "D7"),
        ("F225", "F217"),
    ),
    Mutant(
        "async-failure-unwatched",
        "An asynchronous failure of a vetoing listener goes unnoticed.",
        "bus",
        """
        except asyncio.CancelledError as error:
            raise GateCancelled(f"a listener of {event.name} raised a cancellation") from error
        self._watch(event, outcome)
        """,
        """
        except asyncio.CancelledError as error:
            raise GateCancelled(f"a listener of {event.name} raised a cancellation") from error
        """,
        ("P3",),
        ("F234", "F237"),
    ),
)
