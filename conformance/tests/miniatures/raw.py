"""Speaks the protocol by hand and goes wrong in the way its argument names."""

import json
import os
import sys
import time

from honest import Honest

from lifecycle_model.wire import to_json


def say(*lines: object) -> None:
    """Lines of output, in one write."""
    os.write(1, b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def main(how: str) -> None:
    """Answer `initialize` truthfully, everything after it wrongly."""
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["method"] == "initialize":
            description = json.loads(to_json(Honest().describe()))
            if how == "other_protocol":
                description["protocol"] = 2
            say({"jsonrpc": "2.0", "id": asked["id"], "result": [] if how == "no_description" else description})
            continue
        if asked["method"] == "reset" and how != "refuses":
            say({"jsonrpc": "2.0", "id": asked["id"], "result": {}})
            continue
        good = {"jsonrpc": "2.0", "id": asked["id"], "result": {"bursts": [{"calls": [], "seen": []}]}}
        wrongs: dict[str, list[object]] = {
            "wrong_id": [good | {"id": asked["id"] + 7}],
            "two_lines": [good, good],
            "notification": [{"jsonrpc": "2.0", "method": "log", "params": {}}],
            "no_version": [{"id": asked["id"], "result": {}}],
            "no_result": [{"jsonrpc": "2.0", "id": asked["id"]}],
            "wrong_shape": [good | {"result": {"bursts": [{"calls": [{"refused": 7}]}]}}],
            "refuses": [{"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32000, "message": "no such thing"}}],
            "array": [[good]],
            "half_a_line": [],
            "floods": [],
            "dribbles": [],
            "closes": [],
        }
        say(*wrongs[how])
        if how == "half_a_line":
            os.write(1, b'{"jsonrpc":"2.0","id":')
            os._exit(0)
        if how == "floods":
            while True:
                os.write(1, b"x" * 65536)
        if how == "dribbles":
            while True:
                os.write(1, b" ")
                time.sleep(0.02)
        if how == "closes":
            os.close(1)
            time.sleep(3600)


if __name__ == "__main__":
    main(sys.argv[1])
