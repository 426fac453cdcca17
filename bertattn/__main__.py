"""``python -m bertattn`` is the command ``bertattn``."""

import sys

from bertattn.cli import main

sys.exit(main())
