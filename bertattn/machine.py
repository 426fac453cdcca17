"""What this process has taken of the machine, and keeps of it."""

import ctypes
import os
import platform
import sys
from pathlib import Path

KEPT = 256 << 20  # bytes of freed memory
MAPPED = 32 << 20  # bytes of one block, from where it is the system's own
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def peak_bytes() -> int:
    """The most resident memory of this process so far, in bytes; 0 where it cannot be told.

    Linux's own record is read where it is: ``ru_maxrss`` there also counts what the process
    that started this one held.

    Example:
        >>> peak_bytes() > 1_000_000
        True
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def keep_freed_memory() -> bool:
    """Have glibc keep memory that was freed for the next layer's maps, up to 256 MiB.

    By itself it gives a few MiB at a time back to the system, and has every page of them cleared
    and mapped anew at the next layer. The most memory that a process takes stays as it is. Nothing
    is done where another library allocates, or where ``MALLOC_TRIM_THRESHOLD_`` says otherwise.

    Returns:
        Whether it was done.

    Example:
        >>> isinstance(keep_freed_memory(), bool)
        True
    """
    if platform.libc_ver()[0] != "glibc" or "MALLOC_TRIM_THRESHOLD_" in os.environ:
        return False
    allocator = ctypes.CDLL(None)
    return all(
        allocator.mallopt(option, size) == 1
        for option, size in ((M_MMAP_THRESHOLD, MAPPED), (M_TRIM_THRESHOLD, KEPT))
    )
