"""Finds the Chromium that the tests drive, and installs Debian's where it may.

``python -m tests.browser.chromium`` says which one it is.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

VARIABLE = "BERTATTN_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome")
REMEDY = f"install Chromium (Debian: apt-get install chromium) or name it in {VARIABLE}"


def find(environment: Mapping[str, str] = os.environ) -> str | None:
    """The path of the named Chromium, or of the first on PATH; None where there is none."""
    named = environment.get(VARIABLE)
    if named:
        path = shutil.which(named, path=environment.get("PATH"))
        if path is None:
            raise SystemExit(f"{VARIABLE} wants a program, got {named!r}; {REMEDY}")
        return path
    found = (shutil.which(name, path=environment.get("PATH")) for name in NAMES)
    return next((path for path in found if path), None)


def install() -> None:
    """Let apt-get fetch Debian's, where there is an apt-get and we may."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise SystemExit(f"wanted Chromium for the tests in a browser, found none: {REMEDY}")
    print("installing Debian's chromium", flush=True)
    for arguments in (["update", "-qq"], ["install", "-y", "--no-install-recommends", "chromium"]):
        done = subprocess.run(["apt-get", *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise SystemExit(f"apt-get {arguments[0]} failed ({' '.join(last)}); {REMEDY}")


def found_or_installed() -> str:
    """The path of a Chromium, come what may."""
    path = find()
    if path is None:
        install()
        path = find()
    if path is None:
        raise SystemExit(f"apt-get brought no {' nor '.join(NAMES)}; {REMEDY}")
    return path


def main() -> None:
    """Say which Chromium the tests will drive."""
    path = found_or_installed()
    asked = subprocess.run([path, "--version"], capture_output=True, text=True)
    if asked.returncode != 0:
        sys.exit(f"{path} does not start: {asked.stderr.strip()}; {REMEDY}")
    print(f"{asked.stdout.strip()} at {path}")


if __name__ == "__main__":
    main()
