# SPDX-License-Identifier: Apache-2.0
"""What to write instead of a copy, and what that was found to save."""

from __future__ import annotations

from typing import NamedTuple


class Fix(NamedTuple):
    """Advice about one copy.

    `saves` is how many bytes fewer are written when it is followed, as tried on the recorded layouts; 0 where it
    could not be tried, or where the copy has to stay. `edit` says how the call itself is changed, for whoever
    follows it by program: ``"drop"`` (the operand is handed on), ``"expand"``, ``"slice"``, or nothing.
    """

    text: str
    saves: int = 0
    edit: str = ""
