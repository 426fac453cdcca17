"""How long a reader's code may take."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType


class OutOfTime(BaseException):
    """Code took too long. No ``Exception``, so that an ``except Exception`` lets it through."""


def at_most(seconds: float) -> AbstractContextManager[None]:
    """Stop what runs inside after so many seconds.

    In the main thread an alarm does it where the system has alarms, which ends a sleep, too. In
    other threads, and on Windows, a second thread has the exception raised between two steps of
    Python: a call into C ends first. Code that catches everything by a bare ``except`` goes on.

    Raises:
        OutOfTime: If it took longer.

    Example:
        >>> try:
        ...     with at_most(0.05):
        ...         while True:
        ...             pass
        ... except OutOfTime:
        ...     print("stopped")
        stopped
    """
    in_main = threading.current_thread() is threading.main_thread()
    return _by_alarm(seconds) if in_main and hasattr(signal, "setitimer") else _by_thread(seconds)


def _ring(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


@contextmanager
def _by_alarm(seconds: float) -> Iterator[None]:
    theirs = signal.signal(signal.SIGALRM, _ring)
    left = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if theirs is None else theirs)
        signal.setitimer(signal.ITIMER_REAL, *left)  # another's alarm goes on, if there was one


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    here, lock, over = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event()

    def interrupt() -> None:
        with lock:
            if not over.is_set():
                raised = ctypes.py_object(OutOfTime)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(here, raised)

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over.set()
        timer.cancel()
