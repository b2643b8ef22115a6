"""What the runs showed: where an answer written by hand was wrong, or the review is. The answers stay as they were."""

from __future__ import annotations

NOTES: dict[str, str] = {
    "an idle injection ends its turn before its message": "by hand: no invariant of the four explorations looks at where an injection's "
    "message stands, so behaviour changes and nothing breaks",
    "inject into the disposed is taken": "by hand: overlooked that a property notices records after disposal (`breaks` is right)",
    "skipped results have no code": "by hand: overlooked that the reachable `call skipped` asks for the code, which is never seen now",
    "a failed setup is published": "by hand: overlooked that in `birth-reactions` a setup may fail, and entries then come of a failed one",
    "the assistant message is not logged": "by hand: which properties look at the message was not checked; one changes its answer",
    "anyone may kill a task": "by hand: forgot that the owner has to be created first; whether three commands would do was not settled",
    "failed starts are not reported": "by hand: counted one command where the review found two; which is shortest was not settled",
    "any cause is taken": "the review: missed, no run of its scopes and no vector cancelled with a cause the contract does not know; vector XC01-cause came of it",
    "any cancel in disposal may be told": "by hand: overlooked that `rebirth` cancels in disposal at default policies, where I8 forbids any word",
    "a row split by its guard": "by hand: the reachable `cleared unborn` knows row `C10 clear` by its name and finds `C10 clears` taken "
    "instead; behaviour is `same`, and the property did change its answer",
    "the code of a send to the disposed is open": "not run before: writing the answer showed that the review compared the code `*` as one code; "
    "now what is left open allows every code",
}
