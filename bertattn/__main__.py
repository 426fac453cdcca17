"""``python -m bertattn`` is the command ``bertattn``."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  the install refuses it; this is a checkout run as it is
    sys.exit("bertattn needs Python 3.11 or newer, this is " + sys.version.split()[0])

from bertattn.cli import main

sys.exit(main())
