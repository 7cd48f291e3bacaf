# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays in explained code: views and copies as NumPy makes them, with byte strides, orders and reasons."""

from __future__ import annotations

import pytest
from tenstride.explaining import explain_code

numpy = pytest.importorskip("numpy")

HEAD = "import numpy as np\na = np.arange(6, dtype='int64').reshape(2, 3)\n"


def last(code: str):
    explanation = explain_code(HEAD + code)
    assert explanation.errors == (), str(explanation)
    return explanation.steps[-1]


@pytest.mark.parametrize(
    ("code", "kind", "layout", "contiguous", "reason"),
    [
        ("a.T", "view", "(3,2):(1,3)+0", "F contiguous", None),
        ("a[:, ::-1]", "view", "(2,3):(3,-1)+2", "not contiguous", None),
        ("a[1:, 1]", "view", "(1):(3)+4", "C, F contiguous", None),
        ("np.transpose(a, (1, 0))", "view", "(3,2):(1,3)+0", "F contiguous", None),
        ("a.reshape(3, 2, order='F')", "copy", "(3,2):(1,3)+0", "F contiguous", "no view in order F: axes 0 and 1"),
        ("a.T.reshape(-1)", "copy", "(6):(1)+0", "C, F contiguous", "no view: axes 0 and 1 would merge"),
        ("a.T.ravel('F')", "view", "(6):(1)+0", "C, F contiguous", None),
        ("a.flatten()", "copy", "(6):(1)+0", "C, F contiguous", "flatten always copies"),
        (
            "np.asfortranarray(a)",
            "copy",
            "(2,3):(1,2)+0",
            "F contiguous",
            "strides (3,1) are not the column-major (1,2)",
        ),
        ("np.ascontiguousarray(a)", "self", "(2,3):(3,1)+0", "C contiguous", None),
        ("a[[0, 1]]", "copy", "(2,3):(3,1)+0", "C contiguous", "indexing with lists"),
        ("a[a > 2]", "copy", "(3):(1)+0", "C, F contiguous", "indexing with lists"),
        ("a.astype(np.float32)", "copy", "(2,3):(3,1)+0", "C contiguous", "astype copies"),
        ("np.concatenate([a, a])", "copy", "(4,3):(3,1)+0", "C contiguous", "concatenate writes"),
        ("a + 1", "new", "(2,3):(3,1)+0", "C contiguous", None),
        ("a.sum(axis=0)", "new", "(3):(1)+0", "C, F contiguous", None),
        ("np.broadcast_to(a[0], (4, 3))", "view", "(4,3):(0,1)+0", "not contiguous", None),
        ("np.add.reduce(a, 1)", "new", "(2):(1)+0", "C, F contiguous", None),
        ("np.r_[a[0], a[1]]", "new", "(6):(1)+0", "C, F contiguous", None),
        ("np.random.default_rng(0).normal(size=(2, 2))", "new", "(2,2):(2,1)+0", "C contiguous", None),
        ("a[0] = 5", "self", "(2,3):(3,1)+0", "C contiguous", None),
        ("a.shape = 3, 2  # as meant", "self", "(3,2):(2,1)+0", "C contiguous", None),
    ],
)
def test_a_call_of_numpy(code, kind, layout, contiguous, reason):
    step = last(code)
    assert (step.kind, str(step.layout), step.contiguous) == (kind, layout, contiguous)
    assert step.reason == reason or step.reason.startswith(reason)


def test_steps_have_byte_strides_and_what_cannot_be_written():
    step = last("np.broadcast_to(a.T, (4, 3, 2))")
    assert step.strides_in_bytes == (0, 8, 24) and step.notes == ["read-only"]
    assert "strides (0, 8, 24) bytes; read-only" in str(explain_code(HEAD + "np.broadcast_to(a.T, (4, 3, 2))"))


def test_a_copy_names_the_step_since_which_it_is_one():
    explanation = explain_code(HEAD + "b = a.T\nc = b.reshape(6)\n")
    assert explanation.steps[-1].cause == 3 and explanation.bytes_moved == 96


def test_a_shape_that_cannot_be_assigned_is_explained():
    explanation = explain_code(HEAD + "b = a.T\nb.shape = (-1,)\nc = b.copy()\n")
    refused = explanation.steps[-2]
    assert refused.error.startswith("AttributeError: ") and "axes 0 and 1 would merge" in refused.error
    assert refused.error.endswith("since: a.T (step 3) made (3,2):(1,3)+0 of the contiguous (2,3):(3,1)+0")
    assert explanation.steps[-1].kind == "copy"


def test_scrambles_are_told_in_numpys_names():
    step = last("a.reshape(3, 2)")
    assert step.scramble.startswith("the sizes (2,3) are reordered") and "meant: .swapaxes(0, 1)" in step.scramble
    step = last("np.zeros((2, 3, 4)).reshape(4, 2, 3)")
    assert "meant: .transpose(2, 0, 1)" in step.scramble
    assert last("a.reshape(3, 2, order='F')").scramble is None


def test_arrays_answer_as_numpys_do():
    code = (
        "print(a.flags['C_CONTIGUOUS'], a.T.base is a.base, len(a), a.strides, isinstance(a, np.ndarray))\n"
        "print([row.tolist() for row in a], a == a, 5 in a, int(a[1, 2]), f'{a.sum():3}')\n"
        "print(np.shares_memory(a, a.T), np.allclose(a, a), a.dtype == np.int64, np.float32(1.5))\n"
    )
    plain: list[str] = []
    namespace = {"print": lambda *args: plain.append(" ".join(map(str, args))), "np": numpy}
    exec(code, {**namespace, "a": numpy.arange(6, dtype="int64").reshape(2, 3)})
    # `base is` compares the wrappers, which are made anew.
    expected = "\n".join(plain).replace("True True 2 (24", "True False 2 (24", 1) + "\n"
    assert explain_code(HEAD + code).printed == expected


def test_tensors_and_arrays_share_memory():
    code = "import torch\nt = torch.from_numpy(a)\nt[0] = 7\nprint(a[0])\n"
    code += "b = t.t().numpy()\nc = np.asarray(t)\nd = torch.tensor(a)\n"
    explanation = explain_code(HEAD + code)
    assert explanation.printed == "[7 7 7]\n" and explanation.errors == ()
    kinds = [(step.library, step.kind) for step in explanation.steps[2:]]
    assert kinds == [
        ("torch", "view"),
        ("torch", "self"),
        ("numpy", "view"),
        ("torch", "view"),
        ("numpy", "view"),
        ("numpy", "view"),
        ("torch", "copy"),
    ]


def test_einops_verbs_of_arrays():
    step = last("from einops import rearrange\nrearrange(a, 'h w -> w h')")
    assert (step.library, step.kind, str(step.layout)) == ("numpy", "view", "(3,2):(1,3)+0")
    step = last("from einops import rearrange\nrearrange(a, 'h w -> (w h)')")
    assert step.kind == "copy" and step.reason.startswith("no view")


def test_declared_names_are_arrays_where_the_code_knows_no_torch():
    step = explain_code("import numpy as np\ny = np.swapaxes(x, 0, 1)\n", let={"x": (2, 3)}).steps[-1]
    assert (step.library, step.dtype, step.strides_in_bytes) == ("numpy", "float64", (8, 24))
