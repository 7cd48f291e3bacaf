# SPDX-License-Identifier: Apache-2.0
"""Expressions of the documents, each with a link that opens the explorer with it, where the site has the explorer."""

from __future__ import annotations

import os
import re
import urllib.parse

# A fence that begins with a command that explains or shows one expression, and does no more.
FENCE = re.compile(
    r"^```(?:sh|console)?\n(?:\$ )?tenstride (?:explain|show) ('[^'\n]+'|\"[^\"\n]+\")\n.*?^```$\n",
    re.MULTILINE | re.DOTALL,
)
# The page that has the explorer within it.
HOME = "docs/explorer.md"
SHOWN = "x = torch.randn(2, 3, 2)\nx.permute(0, 2, 1).view(-1)"


def address(page: str, code: str, query: str = "") -> str:
    """The explorer with an expression, as seen from a page."""
    place = os.path.relpath("explorer/index.html", os.path.dirname(page) or ".")
    return f"{place}{query}#{urllib.parse.urlencode({'code': code})}"


def with_links(text: str, page: str) -> str:
    def linked(fence: re.Match[str]) -> str:
        code = fence[1][1:-1]
        if "open(" in code:
            return fence[0]  # the page opens no files
        return f'{fence[0]}\n<p class="try-it"><a href="{address(page, code)}">Try it</a></p>\n'

    if page == HOME:
        title, first, rest = text.split("\n\n", 2)
        frame = f'<iframe class="explorer" title="The explorer" src="{address(page, SHOWN, "?embed")}"></iframe>'
        text = "\n\n".join((title, first, frame, rest))
    return FENCE.sub(linked, text)
