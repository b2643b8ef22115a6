"""Reviews edits of the model whose answers were written by hand before, and refactors that change nothing; counts what is right.

PYTHONPATH=conformance python -m campaigns.review                 all of them; goes on where it was left, as long as model and judge are the same
PYTHONPATH=conformance python -m campaigns.review --only WORD     those with this word in their name, printed, nothing written

Each edit is a replacement in the model's text (`review_edits`): it fails loudly where the model moved. The result,
`conformance/results/review.json`, is stamped with the trees it was made with. Where an answer by hand was wrong, `review_notes.py`
says so beside it; the answer itself stays as it was written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import msgspec

from campaigns.review_edits import Edit, Moved, apply, cancelling, driving, edited, refactors
from campaigns.review_notes import NOTES
from lifecycle_conformance.review.causes import Cause, Witness
from lifecycle_conformance.review.product import effort
from lifecycle_conformance.review.remote import Remote
from lifecycle_conformance.review.review import Review, review
from lifecycle_conformance.systems.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "model" / "lifecycle_model"
RESULT = ROOT / "conformance" / "results" / "review.json"
__all__ = ["EDITS", "Moved", "apply", "cancelling", "copied", "edited", "judged", "right", "summary"]
SOURCES = (
    "model/lifecycle_model",
    "conformance/lifecycle_conformance/review",
    "conformance/campaigns/review_edits",
    "conformance/vectors",
)
EDITS: tuple[Edit, ...] = (*cancelling.EDITS, *driving.EDITS, *refactors.EDITS)


def stamp() -> dict[str, str]:
    """What the result was made with, each a git tree; `changed` tells uncommitted work."""
    git = ("git", "-C", str(ROOT))
    trees = {
        name: subprocess.run(
            [*git, "rev-parse", f"HEAD:{name}"], capture_output=True, text=True, check=True
        ).stdout.strip()[:12]
        for name in SOURCES
    }
    changed = subprocess.run(
        [*git, "status", "--porcelain", *SOURCES], capture_output=True, text=True, check=True
    ).stdout
    return {**trees, **({"changed": "yes"} if changed.strip() else {})}


def copied(into: Path) -> Path:
    """A copy of the model's package."""
    package = into / "lifecycle_model"
    shutil.copytree(MODEL, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def reviewed(base: Remote, one: Edit) -> Review:
    """The review of an edit: every standard scope, the vectors and the properties, as the command makes it."""
    with tempfile.TemporaryDirectory(prefix="lifecycle-edit-") as folder:
        apply(one, copied(Path(folder)))
        head = Remote(Path(folder), one.name)
        try:
            return review(base, head, ("base", one.name), lambda text: None)
        finally:
            head.close()


def size(witness: Witness) -> int:
    """The commands of a run, those of listeners included; holds and watches do not count."""
    return sum(effort(command) for made in witness.bursts for command in made)


def witnesses(causes: tuple[Cause, ...]) -> list[Witness]:
    """All of them; none of a run that differed before."""
    return [one for cause in causes for one in cause.witnesses if not one.parted]


def judged(one: Edit, found: Review, seconds: float) -> dict[str, Any]:
    """What was due, what was found, and whether it is right."""
    shown = witnesses(found.causes)
    named = {clause for cause in found.causes for clause in cause.clauses}
    named |= {clause for each in shown for clause in each.clauses} | {
        word for line in found.broken for word in line.split()
    }
    shortest = min((size(each) for each in shown), default=0)
    fact: dict[str, Any] = {
        "name": one.name,
        "kind": one.kind,
        "due": one.verdict,
        "found": found.verdict,
        "behaviour due": one.does,
        "behaviour found": found.behaviour,
        "seconds": round(seconds, 1),
        "runs performed": sum(each.performed for each in found.visited),
    }
    if one.does != "same":
        fact |= {
            "clauses": sorted(set(one.clauses) & named) or f"none of {', '.join(one.clauses)}",
            "run due": one.run,
            "commands due": one.size,
            "commands found": shortest,
        }
    return fact


def right(fact: dict[str, Any]) -> dict[str, bool]:
    """Which parts of an answer agree with what was written by hand."""
    told = fact["behaviour due"] != "same"
    return {
        "verdict": fact["due"] == fact["found"],
        "behaviour": fact["behaviour due"] == fact["behaviour found"],
        "clause": not told or isinstance(fact["clauses"], list),
        "shortest": not told or 0 < fact["commands found"] <= fact["commands due"],
    }


def summary(facts: list[dict[str, Any]]) -> dict[str, Any]:
    """Recall, false reports, and how many are right in each part."""
    edits = [one for one in facts if one["due"] != "same"]
    alike = [one for one in facts if one["due"] == "same"]
    parts = [right(one) for one in edits]
    return {
        "edits": len(edits),
        "recall": sum(one["found"] != "same" for one in edits),
        **{
            f"{part} as written by hand": sum(one[part] for one in parts)
            for part in ("verdict", "behaviour", "clause", "shortest")
        },
        "shorter than by hand": sum(
            0 < one["commands found"] < one["commands due"] for one in edits if "commands found" in one
        ),
        "refactors": len(alike),
        "false reports": sum(one["found"] != "same" for one in alike),
        "notes where hand or tool was wrong": sum("note" in one for one in facts),
    }


def asked(bases: SimpleQueue[Remote], one: Edit) -> dict[str, Any]:
    """The fact about an edit; that it cannot be reviewed is an answer, too."""
    base, began = bases.get(), time.perf_counter()
    try:
        return judged(one, reviewed(base, one), time.perf_counter() - began)
    except UsageError as error:
        lacking = {"clauses": "none", "run due": one.run, "commands due": one.size, "commands found": 0}
        due = {"name": one.name, "kind": one.kind, "due": one.verdict, "behaviour due": one.does}
        return {**due, "found": f"cannot be built: {error}", "behaviour found": "none", **lacking}
    finally:
        bases.put(base)


def noted(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The facts with what the notes say beside them."""
    return [{**one, "note": NOTES[one["name"]]} if one["name"] in NOTES else one for one in facts]


def main() -> int:
    """Review every edit; exit 1 if one differs from its answer and no note says why."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    made = stamp()
    before = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    known = {one["name"]: one for one in before.get("edits", [])} if before.get("stamp") == made else {}
    wanted = [one for one in EDITS if options.only in one.name]
    bases: SimpleQueue[Remote] = SimpleQueue()
    for _ in range(options.jobs):
        bases.put(Remote(MODEL.parent, "base"))
    with ThreadPoolExecutor(options.jobs) as pool:
        mixed = sorted(
            wanted, key=lambda one: hashlib.sha256(one.name.encode()).digest()
        )  # so that a part of them is a sample
        waiting = {one.name: pool.submit(asked, bases, one) for one in mixed if options.only or one.name not in known}
        for name, coming in waiting.items():
            known[name] = coming.result()
            said = "ok   " if all(right(known[name]).values()) else "OTHER"
            print(f"{said} {json.dumps(known[name], ensure_ascii=False)}", file=sys.stderr, flush=True)
            if not options.only:
                write(made, [known[one.name] for one in wanted if one.name in known])
    while not bases.empty():
        bases.get().close()
    facts = noted([known[one.name] for one in wanted])
    if not options.only:
        write(made, facts)
    print(json.dumps(summary(facts), indent=1))
    return int(any(not all(right(one).values()) and "note" not in one for one in facts))


def write(made: dict[str, str], facts: list[dict[str, Any]]) -> None:
    """Store what is known so far."""
    facts = noted(facts)
    result = {"stamp": made, "written": len(EDITS), "reviewed": len(facts), "summary": summary(facts), "edits": facts}
    RESULT.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")


if __name__ == "__main__":
    raise SystemExit(main())
