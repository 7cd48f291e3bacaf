# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments are refused in the library's words: the binding's own text never reaches a user."""

from __future__ import annotations

import inspect
import re

import pytest
import tenstride as torch
import tenstride.numpy as tnp

# The binding's words, its names for parameters without one ("arg0: object"), and C++'s.
FOREIGN = re.compile(
    r"incompatible function arguments|nanobind|Unable to convert|bad_cast|\barg\d*\b|::|nullopt|\bNULL\b"
)
X = torch.ones(2, 3)


class Odd:
    """No argument of anything."""

    def __repr__(self):
        return "Odd()"


SPECIAL = [
    "__init__",
    "__getitem__",
    "__setitem__",
    "__format__",
    "__array__",
    "__dlpack__",
    "__dlpack_device__",
    "__complex__",
    "__copy__",
]

WRONG = [
    ((), {}),
    ((None,), {}),
    ((Odd(),), {}),
    ((1.5,), {}),
    (("a",), {}),
    (([None],), {}),
    ((None, None), {}),
    ((Odd(), Odd()), {}),
    (("a", None, {}), {}),
    ((Odd(),) * 9, {}),
    ((), {"nonsense": 1}),
    ((Odd(),), {"nonsense": None}),
    ((X, None), {}),
    ((X, Odd()), {}),
]


def public_callables():
    """Every public function and class, every method of every class, with what it is called on."""
    for home, prefix in (
        (torch, "torch"),
        (torch.linalg, "torch.linalg"),
        (tnp, "tnp"),
        (torch._tenstride._numpy, "_numpy"),
    ):
        for name in sorted(vars(home)):
            if name.startswith("_") or inspect.ismodule(getattr(home, name)):
                continue
            if callable(getattr(home, name)):
                yield f"{prefix}.{name}", lambda home=home, name=name: getattr(home, name)
    for name, member in sorted(vars(torch).items()):
        if not inspect.isclass(member) or name.startswith("_"):
            continue
        for method in sorted(vars(member)):
            is_plain = not method.startswith("_") or method in SPECIAL
            if is_plain and callable(getattr(member, method)):
                yield f"torch.{name}.{method}", lambda member=member, method=method: getattr(member, method)
    for make in (lambda: torch.zeros(2, 3), lambda: torch.zeros(2).storage(), lambda: torch.zeros(2).untyped_storage()):
        for method in dir(type(make())):
            if method in ("__class__", "__new__", "__init_subclass__", "__subclasshook__"):
                continue
            if callable(getattr(type(make()), method)):
                yield f"{type(make()).__name__}().{method}", lambda make=make, method=method: getattr(make(), method)


CALLABLES = dict(public_callables())


@pytest.mark.parametrize("name", CALLABLES)
@pytest.mark.filterwarnings("ignore")
def test_wrong_arguments_are_refused_in_our_words(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what takes a path may write one
    for arguments, named in WRONG:
        target = CALLABLES[name]()
        try:
            target(*arguments, **named)
        except Exception as error:
            text = str(error)
            assert not FOREIGN.search(text), (name, arguments, named, text)


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x.__setitem__(0, None),
        lambda x: x.__setitem__(0, Odd()),
        lambda x: x.__setitem__(Odd(), 0),
        lambda x: x[[[None, 1]]],
        lambda x: x[Odd()],
        lambda x: x + Odd(),
        lambda x: x.storage().__setitem__(0, None),
        lambda x: torch.tensor([Odd()]),
        lambda x: torch.Tensor([None]),
        lambda x: torch.Tensor(Odd(), 2),
    ],
)
def test_syntax_is_refused_in_our_words(use):
    with pytest.raises((TypeError, IndexError, RuntimeError)) as refused:
        use(torch.zeros(3, 3))
    assert not FOREIGN.search(str(refused.value))


def test_the_text_names_what_was_given_and_what_is_taken():
    with pytest.raises(TypeError) as refused:
        torch.manual_seed("a")
    assert str(refused.value) == "manual_seed: the arguments (str) must fit manual_seed(seed: int) -> None"


def test_a_private_function_refuses_by_its_public_name():
    with pytest.raises(TypeError) as refused:
        torch.pack([torch.zeros(2)], 5)
    assert "_pack" not in str(refused.value)


def test_a_refused_copy_names_the_arguments_of_python():
    with pytest.raises(ValueError) as refused:
        tnp.reshape(torch.arange(6).view(2, 3).T, (6,), copy=False)
    assert str(refused.value) == (
        "reshape: layout (3,2):(1,3)+0 must be copied to take the shape (6), and copy=False forbids it; use copy=None"
    )
    with torch.NoCopy(), pytest.raises(torch.NoCopyError) as refused:
        torch.ones(2).clone()
    assert "NoCopy.Allow" in str(refused.value) and "::" not in str(refused.value)
