# SPDX-License-Identifier: Apache-2.0
"""What people paste becomes Python: prompts, outputs, fences, indentation and magics are taken away."""

from __future__ import annotations

import pytest
from tenstride.explaining import explain_code, names
from tenstride.explaining.paste import clean


@pytest.mark.parametrize(
    ("pasted", "python"),
    [
        ("x = 1\n", "x = 1\n"),
        ("\ufeffx = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
        ("    x = 1\n    if x:\n        y = 2\n", "x = 1\nif x:\n    y = 2\n"),
        (">>> x = 1\n>>> x\n1\n", "x = 1\nx\n\n"),
        (">>> def f():\n...     return 1\n...\n>>> f()\n1\n", "def f():\n    return 1\n\nf()\n\n"),
        ("In [1]: x = 1\nIn [2]: x\nOut[2]: 1\n", "x = 1\nx\n\n"),
        ("In [3]: def f():\n   ...:     return 1\n   ...: \n\nIn [4]: f()", "def f():\n    return 1\n\n\nf()"),
        ("I tried:\n```python\nx = 1\n```\nand then\n```\ny = 2\n```\nHelp!", "\n\nx = 1\n\n\n\ny = 2\n\n"),
        ("%matplotlib inline\n!pip install einops\nx = 1", "\n\nx = 1"),
        ("print 'a', 1\nif 1:\n    print 2\nprint\n", "print('a', 1)\nif 1:\n    print(2)\nprint()\n"),
    ],
)
def test_pasted_text_becomes_python(pasted, python):
    paste = clean(pasted)
    assert paste.text == python and paste.left_out == []


def test_a_docstring_with_fences_stays():
    code = 'def f():\n    """\n    ```\n    x\n    ```\n    """\n'
    assert clean(code).text == code


def test_lines_that_are_no_python_are_left_out_and_named():
    paste = clean("x = 1\ny = 2\nRuntimeError: size mismatch at line 3\nz = 3\n")
    assert paste.text == "x = 1\ny = 2\n\nz = 3\n" and paste.left_out == [(3, "RuntimeError: size mismatch at line 3")]
    explanation = explain_code("import torch\nx = torch.zeros(2)\nwhat is wrong here?\ny = x[None]\n")
    assert explanation.notes == ("left out, as it is no Python: what is wrong here?",)
    assert [step.line for step in explanation.steps] == [2, 4]


@pytest.mark.parametrize("text", ["def f(:\n    pass\n", "this is a text\nthat has no code\n", "\0"])
def test_text_without_python_is_a_syntax_error(text):
    with pytest.raises(SyntaxError):
        explain_code(text)


def test_line_numbers_are_those_of_the_paste():
    pasted = (
        "Look:\n\n>>> import torch\n>>> x = torch.arange(6).view(2, 3)\n>>> x.t()\ntensor([[0, 3],\n        [1, 4]])\n"
    )
    assert [step.line for step in explain_code(pasted).steps] == [4, 4, 5]


def test_names_of_statements():
    def code(text):
        return compile(text, "", "exec")

    assert names.needed(code("y = [a + i for i in b] + (lambda: c)()")) == ["b", "a", "c"]
    assert names.needed(code("def f(x=a):\n    return later")) == ["a"]
    assert names.needed(code("class A(B):\n    n = m\n    k = n\n    def f(self): return later")) == ["B", "m"]
    assert names.bound(code("import torch.nn as nn\nfrom a import b\n(c, *d), e[0] = x\ndef f(): pass")) == [
        "nn",
        "b",
        "c",
        "d",
        "f",
    ]
    assert names.undefined([code("def f(): return a + b\nx = len(y)"), code("a = 1")]) == ["y", "b"]
