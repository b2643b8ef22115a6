"""The pictures, as data over machines and programs: one view for one idea. A new section of the contract adds a line.

Refuses to draw; a view whose machine or programs a contract lacks is not one of its views.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lifecycle_diagrams.difference import compared_edges, compared_graphs
from lifecycle_diagrams.errors import DiagramError
from lifecycle_diagrams.flow import Flow
from lifecycle_diagrams.graph import Graph
from lifecycle_diagrams.machine_graph import arrows, machine_graph
from lifecycle_diagrams.moves import Moves
from lifecycle_diagrams.overview_graph import overview_graph
from lifecycle_diagrams.program_graph import Part, program_graph
from lifecycle_diagrams.tones import Paint, carrying, focused, plain, toned, warmed
from lifecycle_model.table import Contract, Machine


@dataclass(frozen=True)
class View:
    """One picture: of a machine, or of programs, or, with neither, of all machines."""

    name: str
    title: str
    sentence: str
    machines: tuple[str, ...] = ()
    """The machine drawn: the first of these that the contract has."""
    order: tuple[str, ...] = ()
    """States from top to bottom; those left out follow."""
    main: tuple[str, ...] = ()
    """The main path among them, which is drawn straight."""
    again: tuple[str, ...] = ()
    """States to which far arrows end in a small copy."""
    parts: tuple[Part, ...] = ()
    needs: str = ""
    """A program without which this is not the view of this name."""
    link: str = ""
    """The clause by which a row of a whole program matters later in a program shown for that clause."""


OTHERS = "others"
"""The name of the picture of the programs that no other one shows."""


def _parts(*programs: str) -> tuple[Part, ...]:
    return tuple(Part(program) for program in programs)


VIEWS = (
    View("overview", "How the machines touch",
         "Which machine a command reaches, which programs move two machines or run on another, and which gates the environment decides."),
    View("agent-status", "Agent status", "From created to gone: the frames are the status that others read, the boxes the phases behind it.",
         machines=("agent",), main=("Unpublished", "Published", "Parked", "Woken", "Reserved", "InTurn", "Settling", "Between"),
         again=("Between", "Disposing", "Quiet")),
    View("turn", "The life of a turn", "Where the driver waits in a message turn, and what is logged on the way from one gate to the next.",
         machines=("turn",), order=("NoTurn", "Started", "Policy", "Step", "Assembly", "Prefix", "PreStep", "Model", "Recovery", "Batch", "Tool",
                                    "PostStep", "Continuation", "Stopping", "Flush"),
         again=("NoTurn", "Step", "Flush")),
    View("driver", "Between two turns", "What the driver does after each flush and when it wakes: re-route, park, reserve, claim, start a turn.",
         parts=_parts("driver.loop", "driver.wake"), needs="driver.loop"),
    View("driver", "Between two turns", "What the driver does when it wakes, and when it leaves.", parts=_parts("driver.wake", "wake", "exit"), needs="wake"),
    View("inbox", "The inbox verbs", "What send, steer, inject and when_idle do in their one segment.",
         parts=_parts("send", "remove", "replace", "inject", "when_idle")),
    View("cancel", "Cancellation and the pre-run marker",
         "The cancel procedure step by step, what listeners hear between the steps, and who consumes the marker later.",
         parts=(Part("cancel"), Part("driver.wake", "C9"), Part("driver.loop", "C9")), link="C9"),
    View("close", "The close of a turn", "From the last checkpoint to the settled flush, and what failed flushes publish.",
         parts=_parts("close", "flush", "inject.flushed")),
    View("creation", "The creation transaction", "Where a create or resume waits, and every way it is rolled back.",
         machines=("transaction", "creation"), order=("New", "Preparing", "Loading", "Minting", "SettingUp", "Publishing", "Live", "Released", "Unwinding", "Rejected"),
         main=("New", "Preparing", "Minting", "SettingUp", "Publishing", "Live", "Released"), again=("Rejected",)),
    View("creation-steps", "The steps of a creation", "From the call to the handle: admit, load, mint, set up, publish; a check behind every wait.",
         parts=_parts("create", "resume", "load", "loaded", "task", "mint", "minted", "setup", "ready")),
    View("publication", "Publication and its rollback", "One segment enters, announces and starts; each check behind an announcement can still take it all back.",
         parts=_parts("publish", "publish_sync", "rollback")),
    View("rollback", "Giving a creation up", "What deactivation does at each gate, and how the scope unwinds before the rejection.",
         parts=_parts("abort", "deactivate", "cut", "unwind", "unwound", "reject", "finished"), needs="unwound"),
    View("teardown", "The teardown ladder", "One ordered teardown, whichever trigger came first: every later one joins it.",
         parts=_parts("dispose", "teardown", "drain", "unwind", "scope"), needs="drain"),
    View("teardown", "The teardown ladder", "One ordered teardown, whichever trigger came first: every later one joins it.",
         parts=_parts("dispose", "teardown", "driver.exit", "drained", "detach", "leave", "unwinding", "scope", "release")),
    View("unload", "Unloading an owner or a provider", "Everything recorded is deactivated or torn down, and the unload waits for all of it.",
         parts=_parts("unload_owner", "unload_provider", "stop", "unload", "begin", "forget", "over", "unloaded")),
    View("teardown-states", "The states of a teardown", "From live to released.", machines=("teardown",)),
    View("entry", "A session in its store", "How a session object is entered, announced and detached, and what that publishes.", machines=("entry",)),
    View("detach", "Deferred detach", "A detach asked for while the entry is busy waits for the last dispatch and then runs once.",
         parts=_parts("detach_session", "withdraw", "announce", "append", "depart")),
    View("durability", "The log and its storage", "What is stored under an id, when it is drained, and who repairs it.", machines=("storage",)),
    View("listing", "An agent in the registry", "How an agent is entered, announced and taken out again.", machines=("listing",)),
    View("owner", "An owner", "From active to unloaded: an unload waits for everything recorded.", machines=("owner",)),
    View("provider", "A provider", "From serving to stopped: the slot is free at once, the unload waits.", machines=("provider",)),
    View("tasks", "A background task", "From start to end: killed at once or completed, and gone when its process is.", machines=("task",)),
    View("task-steps", "Starting, reading and killing a task", "Who may touch a task, and what ends it; a refused call changes nothing.",
         parts=_parts("background", "background.begin")),
    View("task-notice", "A completion and the reload gap",
         "The notice goes to the live agent whose id is the token, if the tool is loaded just then: in the gap of a reload it is lost for good.",
         parts=_parts("exit", "plugin"), needs="plugin"),
    View("executor", "The unload of an executor", "It silences completions, kills every task and waits for each exit.",
         parts=_parts("executor", "perish", "emptied", "vanish")),
    View("executor-states", "An executor", "From loaded to unloaded.", machines=("executor",)),
    View("tool", "The tool plugin", "Loaded or not: only a loaded one gives notices.", machines=("tool",)),
    View("turn-steps", "From the prompt to the model", "What the driver does behind each gate of a step, until the request is made.",
         parts=_parts("policy", "step", "assembly", "prefix", "pre_step")),
    View("model-steps", "From the model to the next step", "What follows a reply: recovery, tool calls in order, post-step, continuation, stop.",
         parts=_parts("model", "recovery", "batch", "tool", "post_step", "continuation", "stopping")),
    View("sessions", "The session verbs", "Preparing, creating and entering sessions, and flushes that were asked for.",
         parts=_parts("session", "prepare", "create_session", "enter", "flush_session", "flush_session.done")),
    View("aside", "An out-of-band append", "With a turn open it joins that turn, else it is wrapped in one of its own and flushed.",
         parts=_parts("aside", "aside.flushed")),
    View("log", "Draining, loading and repairing a log", "What is stored at s+, each flush and s-, and how an open tail is closed on loading.",
         parts=_parts("log.begin", "store", "log.drain", "log.flushed", "log.end", "log.loading", "log.loaded", "log.repair", "log.released",
                      "log.cease", "storage")),
    View("asides", "Small programs", "A value mutated after the call, a provider loaded, a call that has its handle.",
         parts=_parts("mutate", "load_provider", "returned")),
    View("acp-connection", "The ACP connection", "From open to quiesced.", machines=("connection", "bridge")),
    View("acp-slot", "The ACP prompt slot", "One prompt at a time: sent, claimed, drained, settled.", machines=("slot", "prompt"),
         order=("None", "Free", "Sent", "Claimed", "Draining", "Unwanted"), again=("Free",)),
    View("acp-prompt", "An ACP prompt, step by step", "The slot is occupied before sending; the prompt settles once, when its ordered output has drained.",
         parts=_parts("prompt", "withdraw_prompt", "slot.claim", "slot.drop", "slot.veto", "slot.converge", "settle", "slot.update", "slot.possible", "output",
                      "replay"), needs="prompt"),
    View("acp-calls", "ACP calls and closing", "What the client asks of the bridge, and how disconnect and teardown reach one boundary.",
         parts=_parts("acp", "given", "refused", "quiesce", "abandon", "spare", "drop", "part", "parted", "slot.disposer", "fault", "quieted")),
    View("config", "A config-started agent", "What the provider starts by itself, and what it waits for.", machines=("starter",)),
    View("config-steps", "A start by configuration", "A successor waits until its predecessor's entries are gone; each failure is reported once.",
         parts=_parts("start", "awaited", "lookup", "started", "give_up"), needs="give_up"),
)  # fmt: skip
"""A machine that none of these draws gets a picture of its own, named after it; programs that none draws share one."""


_FLOWS: dict[int, tuple[Contract, Flow]] = {}


def flow_of(contract: Contract) -> Flow:
    """A contract's flow, computed once; a contract holds mappings, so it is known by its identity."""
    if id(contract) not in _FLOWS:
        _FLOWS[id(contract)] = (contract, Flow(contract))
    return _FLOWS[id(contract)][1]


_MOVES: dict[tuple[int, str], Moves] = {}


def moves_of(contract: Contract, machine: str) -> Moves:
    """A machine's moves, computed once."""
    flow = flow_of(contract)
    if (id(contract), machine) not in _MOVES:
        _MOVES[id(contract), machine] = Moves(flow, machine)
    return _MOVES[id(contract), machine]


def views_of(contract: Contract) -> tuple[View, ...]:
    """The views that a contract has something to show for."""
    shown = {view.name: view for view in reversed(VIEWS) if _shows(contract, view)}
    found = [view for view in VIEWS if shown.get(view.name) is view]
    drawn = {machine.name for view in found if (machine := _machine(contract, view)) is not None}
    left = [machine for machine in contract.machines if machine.name not in drawn]
    found += [View(f"machine-{one.name}", f"Machine {one.name}", one.about, (one.name,)) for one in left]
    told = {part.program for view in found for part in view.parts if not part.clause}
    others = [program.id for program in contract.programs if program.id not in told]
    return (
        *found,
        *([View(OTHERS, "Other programs", "What no other picture shows.", parts=_parts(*others))] if others else ()),
    )


def _shows(contract: Contract, view: View) -> bool:
    if view.machines:
        return _machine(contract, view) is not None
    programs = {program.id for program in contract.programs}
    if view.needs and view.needs not in programs:
        return False
    return not view.parts or any(part.program in programs and not part.clause for part in view.parts)


def view_named(contract: Contract, name: str) -> View:
    """A view of a contract by name; DiagramError lists those that exist."""
    for view in views_of(contract):
        if view.name == name:
            return view
    known = ", ".join(view.name for view in views_of(contract))
    raise DiagramError(f"contract {contract.name} has no picture {name!r}", hint=f"there are {known}")


def build(
    contract: Contract,
    view: View,
    focus: str | None = None,
    clause: str | None = None,
    coverage: Mapping[str, int] | None = None,
) -> Graph:
    """The graph of a view; see `render` for what stands out."""
    if clause is not None and coverage is not None:
        raise DiagramError("a picture shows one clause or a run's coverage, not both")
    if clause is not None and clause not in _clauses(contract):
        raise DiagramError(f"contract {contract.name} has no clause {clause!r}", hint="`lifecycle explain` lists them")
    paint = carrying(clause) if clause is not None else warmed(coverage) if coverage is not None else plain
    graph = _built(contract, view, paint)
    if paint is not plain:
        graph = toned(graph)
    return graph if focus is None else focused(graph, focus)


def build_difference(base: Contract, head: Contract, view: View) -> Graph:
    """Both contracts on one picture: what head adds, removes and changes. Either may lack the view's machine."""
    if not view.machines:
        return toned(compared_graphs(_built(base, view, plain), _built(head, view, plain)))
    old, new = _machine(base, view), _machine(head, view)
    machine = _united(old, new)
    before = arrows(moves_of(base, old.name)) if old else []
    after = arrows(moves_of(head, new.name)) if new else []
    moves = moves_of(head, new.name) if new else moves_of(base, machine.name)
    edges = compared_edges(before, after)
    graph = machine_graph(
        view.name, view.title, view.sentence, moves, machine, edges, view.order, view.again, view.main
    )
    graph = toned(graph)
    known = {state for one in (old, new) if one for state in one.states}
    shared = set(old.states) & set(new.states) if old and new else set[str]()
    fresh = {state: "added" if new and state in new.states else "removed" for state in known - shared}
    return replace(graph, nodes=tuple(replace(node, tone=fresh.get(node.id, node.tone)) for node in graph.nodes))


def _clauses(contract: Contract) -> set[str]:
    return {*contract.clauses, *(clause for row in contract.rows for clause in row.clauses)}


def _machine(contract: Contract, view: View) -> Machine | None:
    known = {machine.name: machine for machine in contract.machines}
    return next((known[name] for name in view.machines if name in known), None)


def _united(old: Machine | None, new: Machine | None) -> Machine:
    if old is None or new is None:
        found = new or old
        assert found is not None
        return found
    states = (*new.states, *(state for state in old.states if state not in new.states))
    return replace(new, states=states, parents={**old.parents, **new.parents})


def _built(contract: Contract, view: View, paint: Paint) -> Graph:
    flow = flow_of(contract)
    machine = _machine(contract, view)
    if machine is not None:
        moves = moves_of(contract, machine.name)
        edges = [replace(edge, ways=tuple(map(paint, edge.ways))) for edge in arrows(moves)]
        return machine_graph(
            view.name, view.title, view.sentence, moves, machine, edges, view.order, view.again, view.main
        )
    if view.parts:
        return program_graph(flow, view.name, view.title, view.sentence, view.parts, paint, view.link)
    return overview_graph(flow, view.name, view.title, view.sentence, paint)
