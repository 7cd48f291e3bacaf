# SPDX-License-Identifier: Apache-2.0
"""What all tests of the Python package share; `build/<preset>/python` is expected in PYTHONPATH."""

from __future__ import annotations

import contextlib
import doctest
import signal

import pytest
import tenstride

# Before netCDF4, whose libhdf5 the filters would find in place of h5py's.
with contextlib.suppress(ImportError):
    import hdf5plugin  # noqa: F401

# Three dots at the beginning of a line would go on with the code: an ellipsis is the character, which doctest compares
# in this form.
doctest.ELLIPSIS_MARKER = r"\u2026"

# How long an example takes to be drawn or tried says nothing about the package.
with contextlib.suppress(ImportError):  # the tests that draw examples are skipped without it
    from hypothesis import HealthCheck, settings

    settings.register_profile("busy", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")

# A shell that runs the tests in the background ignores Ctrl-C for them, which programs inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    """The names that examples in docstrings use."""
    doctest_namespace["torch"] = tenstride
    doctest_namespace["tenstride"] = tenstride
