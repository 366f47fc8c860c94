"""Runs that are refused as bad input."""

from ..laboratory import Laboratory


def refused(laboratory: Laboratory, *arguments: str) -> str:
    """The message of a run that is refused as bad input, before anything was started or written."""
    result = laboratory.run("run", *arguments)
    assert result.status == 2, (result.stdout, result.stderr)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr
