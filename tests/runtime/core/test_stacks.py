"""Work that is done on a thread of its own where the asking one is not fit."""

import subprocess
import sys
from pathlib import Path

# In a process of its own, whose handler of signals is Python's.
INTERRUPTED = """
import signal, threading
from runtime.core.stacks import on_fit_thread

signal.signal(signal.SIGINT, signal.default_int_handler)
asked, done = threading.Event(), threading.Event()

def work():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    asked.wait(60)
    done.set()

try:
    on_fit_thread(work)
except KeyboardInterrupt:
    print("interrupted", done.is_set())
asked.set()
print("ended", done.wait(60))
print("on the main thread:", on_fit_thread(threading.current_thread) is threading.main_thread())
"""


def test_an_interrupt_ends_the_wait_and_not_the_work() -> None:
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=root, capture_output=True, text=True, timeout=180
    )
    assert done.stderr == ""
    assert done.stdout == "interrupted False\nended True\non the main thread: False\n"
