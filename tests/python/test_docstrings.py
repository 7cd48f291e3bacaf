# SPDX-License-Identifier: Apache-2.0
"""Every docstring's example is run, and everything public has a docstring."""

from __future__ import annotations

import doctest
import inspect

import pytest
import tenstride

# Values, which cannot have a docstring of their own.
VALUES = (tenstride.dtype, tenstride.layout, tenstride.memory_format, int, float, type(annotations))


def public_objects():
    """Everything a user can reach by name: (name, object), methods and attributes of classes too."""
    for name in sorted(vars(tenstride.linalg)):
        if not name.startswith("_"):
            yield f"linalg.{name}", getattr(tenstride.linalg, name)
    yield "distributed", tenstride.distributed
    for name in tenstride.distributed.__all__:
        yield f"distributed.{name}", getattr(tenstride.distributed, name)
    seen = set()
    for name in tenstride.__all__:
        value = getattr(tenstride, name)
        if inspect.ismodule(value) or isinstance(value, VALUES[:-1]):
            continue
        yield name, value
        if inspect.isclass(value) and value not in seen and not issubclass(value, BaseException):
            seen.add(value)
            for member in sorted(vars(value)):
                if not member.startswith("_"):
                    yield f"{name}.{member}", getattr(value, member)


OBJECTS = dict(public_objects())


@pytest.mark.parametrize("name", OBJECTS)
def test_says_what_it_is(name):
    assert (inspect.getdoc(OBJECTS[name]) or "").strip(), f"{name} has no docstring"


def needs_an_example(name):
    """Functions, classes, and methods of Tensor; another class has one for all its members."""
    value = OBJECTS[name]
    is_error = inspect.isclass(value) and issubclass(value, BaseException)
    return not is_error and ("." not in name or name.startswith(("Tensor.", "linalg.", "distributed.")))


@pytest.mark.parametrize("name", [name for name in OBJECTS if needs_an_example(name)])
def test_has_an_example(name):
    assert ">>>" in inspect.getdoc(OBJECTS[name]), f"{name} has no example"


def is_run_here(name):
    """Examples with ranks are run by distributed_ranks.py."""
    text = inspect.getdoc(OBJECTS[name]) or ""
    return ">>>" in text and "mpi4py import" not in text


@pytest.mark.parametrize("name", [name for name in OBJECTS if is_run_here(name)])
def test_example_gives_what_it_says(name):
    names = {"torch": tenstride, "tenstride": tenstride}
    text = inspect.getdoc(OBJECTS[name])
    examples = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    output = []
    runner.run(examples, out=output.append)
    assert runner.failures == 0, "".join(output)
