# SPDX-License-Identifier: Apache-2.0
"""Explanations and pictures of tensors, of expressions in PyTorch's notation, and of Python code."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from . import _tenstride
from ._kinds import looked_at
from ._tenstride import Explanation, Picture, Tensor, ViewExplanation

if TYPE_CHECKING:
    from ._display import Exploration
    from .explaining import CodeExplanation


@overload
def explain(
    what: str, *, strict: bool = False, let: Mapping[str, Any] | None = None, real: bool = False, **inputs: Any
) -> Explanation | CodeExplanation: ...
@overload
def explain(what: Any, *, strict: bool = False) -> str: ...
def explain(
    what: Any, *, strict: bool = False, let: Mapping[str, Any] | None = None, real: bool = False, **inputs: Any
) -> Explanation | CodeExplanation | str:
    """What happens in memory, step by step, in an expression or in Python code; or how a tensor lies.

    An expression gives an Explanation: print it, or read `copies`, `bytes_moved`, `error` and `to_json()`. Names
    stand for the tensors given as keyword arguments; without any the expression makes its own. With `strict` a
    reshape that was probably meant to be a transpose is a failure. A tensor gives a text.

    A text with an `import`, and one that the notation does not understand (with a loop or a function, say), is run
    as Python code and gives a CodeExplanation, as does any with `let` (sizes of names that it does not define) or
    `real` (run by the PyTorch that is installed).

    >>> tenstride.explain("torch.arange(6).view(2, 3).T.reshape(-1)").copies
    1
    >>> tenstride.explain("import torch as t; y = x.permute(2, 0, 1).reshape(-1)", let={"x": (2, 3, 4)}).copies
    1
    >>> print(tenstride.explain(torch.zeros(2, 3).T))
    (3,2):(1,3)+0 float32 on cpu, 24 B of elements in a storage of 24 B
    not contiguous
    …
    """
    if not isinstance(what, str):
        return _tenstride._facts(_tensor(what, "explain")).rstrip("\n")
    if let is None and not real and not _has_imports(what):
        given = {name: _tensor(value, "explain") for name, value in inputs.items()}
        explanation = _tenstride._explain(what, strict, given)
        if not (explanation.error or "").startswith(_NOT_UNDERSTOOD) or not _is_python(what):
            return explanation
    from .explaining import explain_code

    return explain_code(what, let=let, inputs=inputs, real=real, strict=strict)


def explore(text: str, *, height: int = 600) -> Exploration:
    """What `explain(text)` says, as a notebook shows it: a table of the steps, and a picture of them below it.

    The picture is that of `show(text)`, and scrolls where it is higher than `height` pixels. Of Python code it shows
    the last value; where no tensor was made there is none. Outside of a notebook it is the explanation's text. Text
    that is refused is shown with its error, as by `explain`. Raises TypeError for what is no text, and ValueError for a
    height below 1.

    >>> steps = tenstride.explore("torch.arange(6).view(2, 3).T.contiguous()")
    >>> print(steps)
    1  torch.arange(6)  (6):(1)+0      int64  contiguous      new   48 B
    2  .view(2, 3)      (2,3):(3,1)+0  int64  contiguous      view
    3  .T               (3,2):(1,3)+0  int64  not contiguous  view  axes out of order
    4  .contiguous()    (3,2):(2,1)+0  int64  contiguous      copy  96 B moved: …
    …
    >>> steps.explanation.copies
    1
    """
    if not isinstance(text, str):
        raise TypeError(f"explore: the text ({type(text).__name__}) must be a str; `show` draws a tensor")
    if not isinstance(height, int):
        raise TypeError(f"explore: the height ({type(height).__name__}) must be an int, in pixels")
    if height < 1:
        raise ValueError(f"explore: the height ({height}) must be at least 1 pixel")
    from ._display import Exploration

    return Exploration(explain(text), height)


_NOT_UNDERSTOOD = ("SyntaxError", "NameError", "AttributeError", "NotImplementedError")


def _has_imports(text: str) -> bool:
    """Whether the text is Python that imports: its names may be those of other modules."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return any(
            line.lstrip().startswith((">>> import", ">>> from", "import ", "from ", "```"))
            for line in text.splitlines()
        )
    return any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(tree))


def _is_python(text: str) -> bool:
    from .explaining.paste import clean

    try:
        return not clean(text).left_out
    except SyntaxError:
        return False


def why_not_view(obj: Any, shape: Any) -> ViewExplanation | None:
    """Why `obj.view(shape)` is refused: the axes, the numbers, the fixes; None where the view exists.

    >>> print(tenstride.why_not_view(torch.zeros(2, 3).T, (6,)).fixes[0].code)
    .reshape(6)
    """
    return _tenstride._why_not_view(_tensor(obj, "why_not_view"), shape)


def why_not_contiguous(obj: Any) -> str | None:
    """Why the elements do not lie one after another in row-major order; None where they do.

    >>> tenstride.why_not_contiguous(torch.zeros(2, 3)) is None
    True
    """
    return _tenstride._why_not_contiguous(_tensor(obj, "why_not_contiguous"))


def show(
    what: Any,
    *,
    title: str = "x",
    subject: str = "tensors",
    color: str = "axis",
    axis: int = 0,
    **inputs: Any,
) -> Picture:
    """A picture of a tensor, or of each step of an expression: the grid, the storage, the strides.

    Notebooks draw it; `.save("x.svg")` and `.save("x.html")` write it. `subject` is 'tensors', 'atoms' (the
    chain's axes) or 'walk' (the order in which a copy visits both sides); `color` is 'axis' or 'position'.

    >>> tenstride.show("torch.arange(6).view(2, 3).T").to_svg()[:4]
    '<svg'
    """
    converted = {name: _tensor(value, "show") for name, value in inputs.items()}
    subject_of = what if isinstance(what, str) else _tensor(what, "show")
    return _tenstride._show(subject_of, title, subject, color, axis, converted)


def _tensor(value: Any, operation: str) -> Tensor:
    return value if isinstance(value, Tensor) else looked_at(value, operation)
