# SPDX-License-Identifier: Apache-2.0
"""What all tests of the Python package share; `build/<preset>/python` is expected in PYTHONPATH."""

from __future__ import annotations

import doctest

import pytest
import tenstride

# An ellipsis of three dots cannot begin a line of doctest's output.
doctest.ELLIPSIS_MARKER = "…"


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    """The names that examples in docstrings use."""
    doctest_namespace["torch"] = tenstride
    doctest_namespace["tenstride"] = tenstride
