"""Exercises with and without their solutions, from one source.

A source marks a solution as nbgrader does. Inside a function it stands where its body will be, and
what a student gets there is ``return ...``; elsewhere it follows a stub, and is taken out:

    def to_previous(weights):               chance = ...
        ### BEGIN SOLUTION                  ### BEGIN SOLUTION
        return np.trace(weights, -1)        chance = 2 / 128
        ### END SOLUTION                    ### END SOLUTION
"""

import re

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_BLOCK = re.compile(rf"^([ ]*){BEGIN}\n(?:.*\n)*?[ ]*{END}(?:\n|\Z)", re.MULTILINE)
_MARK = re.compile(rf"^[ ]*(?:{BEGIN}|{END})(?:\n|\Z)", re.MULTILINE)


def without(source: str) -> str:
    """A cell as a student gets it.

    Raises:
        ValueError: If a mark has no other half.
    """
    stripped = _BLOCK.sub(lambda m: f"{m[1]}return ...\n" if m[1] else "", source)
    if _MARK.search(stripped):
        raise ValueError(f"a solution is not marked at both ends:\n{source}")
    return stripped.rstrip("\n")


def shown(source: str) -> str:
    """A cell as an instructor gets it: solved, without the marks."""
    return _MARK.sub("", source).rstrip("\n")
