"""Own the promise that the process ends: signals noticed at once, and a deadline that nothing can outstay (F5).

Refuses to clean up: whoever is told to stop does, and has the grace to do it in.
"""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable

EXIT_FORCED = 1


class ExitWatch:
    """Watches for SIGTERM and SIGINT, and forces the exit `grace` seconds after the end began.

    A thread of its own reads the signals, so that a busy or stuck event loop delays neither. A second signal ends the
    process at once. Bash commands are below supervisors that end them when this process is gone, however it went.
    """

    def __init__(self, grace: float) -> None:
        self._grace = grace
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self.signal: int | None = None

    def begin(self) -> None:
        """Start the deadline; callable from any thread, and more than once."""
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(self._grace, self._force)
                self._timer.daemon = True
                self._timer.start()

    def release(self) -> None:
        """Lift the deadline, unless a thread is left that would keep the process alive."""
        lingering = [thread for thread in threading.enumerate() if not thread.daemon]
        if self._timer is not None and lingering == [threading.main_thread()]:
            self._timer.cancel()

    def listen(self, stop: Callable[[], None]) -> None:
        """Have `stop` called, in another thread, at the first SIGTERM or SIGINT. From the main thread only."""
        reading, writing = socket.socketpair()
        writing.setblocking(False)
        for number in (signal.SIGTERM, signal.SIGINT):
            # the handler does nothing: it is there so that the number is written to the socket
            signal.signal(number, lambda _number, _frame: None)
        signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        keep = (reading, writing)
        threading.Thread(target=self._read, args=(keep, stop), name="signals", daemon=True).start()

    def _read(self, sockets: tuple[socket.socket, socket.socket], stop: Callable[[], None]) -> None:
        while True:
            for number in sockets[0].recv(16):
                if number not in (signal.SIGTERM, signal.SIGINT):
                    continue
                if self.signal is not None:
                    os._exit(128 + number)
                self.signal = number
                self.begin()
                stop()

    def _force(self) -> None:
        with contextlib.suppress(Exception):
            sys.stderr.write(f"lifecycle agent: not everything ended within {self._grace:g} s; exiting all the same\n")
            sys.stderr.flush()
        os._exit(EXIT_FORCED)
