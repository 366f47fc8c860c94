"""Making the notebook, and running it without a browser."""

import asyncio
import importlib.util
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from pronghorn.environment import absolute, passed_on
from pronghorn.errors import HostError, Interrupted
from pronghorn.model.summary import Summary
from pronghorn.report.notebook.source import sources

NEEDED = ("nbformat", "nbclient", "ipykernel")
"""The packages of the extra `notebook`."""

CELL_LIMIT_S = 600
"""After this time a cell counts as stuck."""


def require() -> None:
    """HostError where a package is missing that writing a notebook needs."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise HostError(
            f"a notebook can't be written: {', '.join(missing)} not installed.",
            hint="pip install 'pronghorn[notebook]'",
        )


def executed(summary: Summary, run: Path, folder: Path) -> str:
    """The notebook of the run in the directory `run`, executed in `folder`, in which it will lie, as nbformat
    4 JSON; the same run gives the same text with the same packages.

    It reads `summary.json` and `trials.parquet` there, and imports nothing from there: a run may be another
    person's. HostError where a cell fails, or no kernel can be
    started; Interrupted, once its kernel has ended, where that was raised meanwhile.
    """
    require()
    import nbclient
    import nbformat

    notebook = _notebook(summary, Path(os.path.relpath(run.resolve(), folder.resolve())))
    client = nbclient.NotebookClient(
        notebook,
        kernel_name="python3",
        kernel_manager_class=_manager(),
        timeout=CELL_LIMIT_S,
        record_timing=False,
        extra_arguments=["--log-level=ERROR", "--InteractiveShellApp.ignore_cwd=True"],
        resources={"metadata": {"path": str(folder)}},
    )
    with tempfile.TemporaryDirectory(prefix="pronghorn-notebook-") as private:
        try:
            _run(client, _environment(private))
        except nbclient.exceptions.CellExecutionError as error:
            raise HostError(f"the notebook failed: {error.ename}: {error.evalue}.") from error
        except (nbclient.exceptions.CellTimeoutError, RuntimeError, OSError) as error:
            raise HostError(f"the notebook could not be executed: {error}.") from error
    return f"{nbformat.writes(notebook)}\n"


def _manager() -> Any:
    """What starts this Python's kernel, whatever other kernels the person has, without the folder in which it
    stands on its path (-P)."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    argv = [sys.executable, "-P", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    specification = KernelSpec(argv=argv, display_name="Python 3", language="python")
    return type("OwnKernel", (AsyncKernelManager,), {"kernel_spec": specification})


def _environment(private: str) -> dict[str, str]:
    """The kernel's; `private` takes the place of the person's settings."""
    return {
        **passed_on(),
        "IPYTHONDIR": private,
        "JUPYTER_CONFIG_DIR": private,
        "JUPYTER_NO_CONFIG": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONPATH": absolute(os.environ.get("PYTHONPATH", "")),
        "PYTHONSAFEPATH": "1",
    }


def _run(client: Any, environment: dict[str, str]) -> None:
    """Runs it in another thread: in the main one nbclient takes the signals for itself, and a notebook that
    was interrupted would look like one that failed."""
    loop = asyncio.new_event_loop()
    work = loop.create_task(_executing(client, environment))
    with ThreadPoolExecutor(max_workers=1) as threads:
        running = threads.submit(loop.run_until_complete, work)
        try:
            running.result()
        except Interrupted:
            loop.call_soon_threadsafe(work.cancel)
            wait([running])
            raise
        finally:
            loop.close()


async def _executing(client: Any, environment: dict[str, str]) -> None:
    try:
        await client.async_execute(env=environment)
    finally:
        # Where it is cancelled while its kernel starts, nbclient leaves that running.
        if client.km is not None and await client.km.is_alive():
            await client.km.shutdown_kernel(now=True)


def _notebook(summary: Summary, run: Path) -> Any:
    import nbformat.v4

    form: Any = nbformat.v4
    made = {"markdown": form.new_markdown_cell, "code": form.new_code_cell}
    cells = [
        made[source.kind](source.text, id=f"cell-{number}")
        for number, source in enumerate(sources(summary, run), 1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return form.new_notebook(cells=cells, metadata={"kernelspec": kernel})
