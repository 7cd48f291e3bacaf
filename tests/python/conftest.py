# SPDX-License-Identifier: Apache-2.0
"""What all tests of the Python package share; `build/<preset>/python` is expected in PYTHONPATH."""

from __future__ import annotations

import doctest

import pytest
import tenstride

# Three dots at the beginning of a line would go on with the code: an ellipsis is the character, which doctest compares
# in this form.
doctest.ELLIPSIS_MARKER = r"\u2026"


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    """The names that examples in docstrings use."""
    doctest_namespace["torch"] = tenstride
    doctest_namespace["tenstride"] = tenstride
