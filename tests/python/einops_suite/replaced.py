# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: einops' functions are tenstride's, its tests run over NumPy's arrays and tenstride's tensors.

    python -m pytest -p replaced FOLDER    (with this folder in PYTHONPATH)

Replaced are `rearrange`, `reduce`, `repeat`, `parse_shape`, `pack` and `unpack`, in `einops` and in `einops.array_api`.
What else the tests call (einops' parser, `einsum`, the layers) stays einops' own. Each outcome is written as one line
of JSON, {"id", "outcome", "detail"}, to the file that TENSTRIDE_EINOPS_OUTCOMES names.
"""

from __future__ import annotations

import functools
import json
import os

os.environ["EINOPS_TEST_BACKENDS"] = "numpy,tenstride"

import einops
import einops.array_api
import einops.einops
import einops.packing
import einops.tests
import numpy
import tenstride
from einops._backends import AbstractBackend, NumpyBackend

NAMES = ("rearrange", "reduce", "repeat", "parse_shape", "pack", "unpack")


class TenstrideBackend(AbstractBackend):
    """How einops' tests make tensors of tenstride and read them."""

    framework_name = "tenstride"

    def is_appropriate_type(self, tensor):
        return isinstance(tensor, tenstride.Tensor)

    def from_numpy(self, x):
        return tenstride.from_numpy(numpy.ascontiguousarray(x).reshape(x.shape))

    def to_numpy(self, x):
        return numpy.asarray(x)

    def arange(self, start, stop):
        return tenstride.arange(start, stop)

    def tile(self, x, repeats):
        return x.repeat(repeats)

    def is_float_type(self, x):
        return x.dtype.is_floating_point


def replace(module):
    """Puts tenstride's functions in the place of the module's, with the docstrings whose examples the tests run."""
    for name in NAMES:
        if hasattr(module, name):
            setattr(module, name, functools.wraps(getattr(module, name))(forwarding(getattr(tenstride, name))))


def forwarding(function):
    return lambda *args, **kwargs: function(*args, **kwargs)


for replaced in (einops, einops.einops, einops.packing, einops.array_api):
    replace(replaced)
einops.EinopsError = RuntimeError  # the kind of tenstride's refusals
del tenstride.Tensor.grad  # the tests take a tensor that has it for one with autograd


def collect_test_backends(symbolic=False, layers=False):
    """The backends that the tests go through: those that compute at once, of which none has layers."""
    return [] if symbolic or layers else [NumpyBackend(), TenstrideBackend()]


einops.tests.collect_test_backends = collect_test_backends


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome == "skipped":
        detail = "" if report.passed else str(report.longrepr)[-600:]
        line = {"id": report.nodeid.rpartition("/")[2], "outcome": report.outcome, "detail": detail}
        with open(os.environ["TENSTRIDE_EINOPS_OUTCOMES"], "a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
