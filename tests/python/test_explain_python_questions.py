# SPDX-License-Identifier: Apache-2.0
"""Thirty questions that people asked about layouts, each explained to its end with the outcomes its header tells."""

from __future__ import annotations

import json

import pytest
from questions import questions, unmet
from tenstride.explaining import explain_code

pytest.importorskip("numpy")

QUESTIONS = questions()
# A question may go wrong in PyTorch's or NumPy's own words only.
NOT_UNDERSTOOD = (
    "explain has no rule",
    "has no attribute",
    "is no Python",
    "not understood",
    "NeedsElements",
    "not defined",
)


def test_there_are_thirty_each_with_its_link_and_its_outcomes():
    assert len(QUESTIONS) == 30
    for number, question in enumerate(QUESTIONS, 1):
        assert question.name.startswith(f"{number:02}-"), question.name
        assert question.link and question.expected, question.name


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_a_question_is_explained(question):
    explanation = explain_code(question.code)
    text = str(explanation)
    assert unmet(question, explanation) == [], text
    for error in explanation.errors:
        assert not any(words in error for words in NOT_UNDERSTOOD), error
    refused = {step.line for step in explanation.steps if step.kind == "refused"}
    assert not [error for error in explanation.errors if "skipped" not in error] or refused, text
    assert len(json.loads(explanation.to_json())["steps"]) == len(explanation.steps)
