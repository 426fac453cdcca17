"""The command line: one command for each section of the paper, one for views, one for data.

What a command needs is imported when it runs, so that ``bertattn --help`` takes no time.
"""

from bertattn.cli.running import main

__all__ = ["main"]
