"""A JupyterLab of the tests' own, and what a reader does in it."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from playwright.sync_api import Page

from tests.conftest import ROOT

SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
START = 60  # seconds in which the server must answer
RUN = 90_000  # milliseconds in which a notebook must have run
READY = """() => {
  const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === "connected" && kernel?.status === "idle";
}"""


@dataclass(frozen=True)
class Lab:
    """A server that runs."""

    origin: str
    token: str
    folder: Path

    def write(self, name: str, cells: Sequence[str], outputs: Sequence[dict] = ()) -> None:
        """Put a notebook of code cells into the server's folder; the last one has outputs."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        notebook.cells[-1].outputs = list(outputs)
        nbformat.write(notebook, self.folder / f"{name}.ipynb")

    def open(self, page: Page, name: str) -> None:
        """Open a notebook and wait for its kernel: the toolbar says idle before there is one."""
        page.goto(f"{self.origin}/lab/tree/{name}.ipynb?token={self.token}&reset")
        page.wait_for_function(READY, timeout=RUN)


def run_all(page: Page) -> None:
    """Run all cells and wait until the last has run."""
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(READY, timeout=RUN)


def sources(page: Page) -> list[str]:
    """What the notebook's cells hold now."""
    return page.evaluate(
        "window.jupyterapp.shell.currentWidget.content.widgets.map(w => w.model.sharedModel.source)"
    )


def active_cell(page: Page) -> int:
    """The number of the selected cell."""
    return page.evaluate("window.jupyterapp.shell.currentWidget.content.activeCellIndex")


@contextmanager
def serving(folder: Path) -> Iterator[Lab]:
    """Start a server in a process group of its own, and end that group."""
    lab = Lab(f"http://127.0.0.1:{_free_port()}", secrets.token_hex(16), folder / "notebooks")
    lab.folder.mkdir()
    log = folder / "log"
    with log.open("w") as written:
        server = subprocess.Popen(
            _command(lab),
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,
        )
    try:
        _await(lab, server, log)
        yield lab
    finally:
        _end(server)


def _command(lab: Lab) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={lab.origin.rpartition(':')[2]}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={lab.folder}",
        f"--IdentityProvider.token={lab.token}",
        "--LabApp.expose_app_in_browser=True",
        # should the tests be ended from without, the server ends by itself
        "--ServerApp.shutdown_no_activity_timeout=300",
        "--MappingKernelManager.cull_idle_timeout=300",
        "--MappingKernelManager.cull_connected=True",
    ]


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the reader's own settings, and the package and tests that are tested."""
    overrides = folder / "config" / "labconfig" / "default_setting_overrides.json"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(json.dumps(SETTINGS))
    own = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    paths = {name: str(folder / part) for name, part in own.items()}
    return {**os.environ, **paths, "PYTHONPATH": str(ROOT)}


def _await(lab: Lab, server: subprocess.Popen, log: Path) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + START
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(f"{lab.origin}/api/status?token={lab.token}", timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"wanted JupyterLab within {START} s, got:\n{log.read_text()[-2000:]}")


def _end(server: subprocess.Popen) -> None:
    """End the group that was started, kernels included."""
    os.killpg(server.pid, signal.SIGTERM)
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
