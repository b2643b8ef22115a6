"""The README's examples run and print what it says."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_run() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(compile(block, str(README), "exec"), {"__name__": "readme"})
    assert printed.getvalue().splitlines() == ["greeter running", "greeter idle", "greeter disposed"]
    for line in printed.getvalue().splitlines():
        assert f"`{line}`" in README.read_text(encoding="utf-8")
