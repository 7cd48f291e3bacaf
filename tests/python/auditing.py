# SPDX-License-Identifier: Apache-2.0
"""What the tests of the audit of PyTorch share."""

from __future__ import annotations

import inspect
import sys

NAMES = ["functions"] + (["stack"] if sys.version_info >= (3, 11) else [])


def line():
    """The number of the caller's line."""
    return inspect.currentframe().f_back.f_lineno


def operations(report):
    return [copy.operation for copy in report.copies]


def is_copy(before, after):
    """By address: the result does not lie in the source's memory."""
    begin = (
        before.storage().data_ptr() if not hasattr(before, "untyped_storage") else before.untyped_storage().data_ptr()
    )
    end = after.storage().data_ptr() if not hasattr(after, "untyped_storage") else after.untyped_storage().data_ptr()
    return begin != end
