"""What this process has taken of the machine."""

import sys
from pathlib import Path


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
