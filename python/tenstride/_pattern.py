# SPDX-License-Identifier: Apache-2.0
"""What a pattern of einops' notation consists of."""

from __future__ import annotations

import re


def tokens_of(side: str) -> list[str]:
    """The names, numbers, brackets and dots of a pattern or of one of its sides.

    `tokens_of("b (h 2) ...")` is `["b", "(", "h", "2", ")", "..."]`.
    """
    return re.findall(r"\.\.\.|…|->|[()]|[^\s()]+", side)
