# SPDX-License-Identifier: Apache-2.0
"""Explains Python code by running it while `torch`, `numpy` and `einops` are watched.

`tenstride.explain(text)` and `python -m tenstride explain FILE.py` come here; docs/explain-python.md tells of its use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .explanation import CodeExplanation
from .runner import Run

__all__ = ["CodeExplanation", "explain_code"]


def explain_code(
    code: str,
    *,
    let: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    real: bool = False,
    strict: bool = False,
    most_steps: int = 0,
) -> CodeExplanation:
    """Runs the code and tells what each of its calls did with memory. SyntaxError where it is no Python.

    `let` says the sizes of names that the code does not define, `inputs` gives tensors for them. With `real` the code
    runs with the PyTorch that is installed.
    """
    run = Run(code, let or {}, inputs or {}, real, most_steps)
    run.run()
    return CodeExplanation(run, real, strict)
