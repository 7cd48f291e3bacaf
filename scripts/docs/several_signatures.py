# SPDX-License-Identifier: Apache-2.0
"""An extension of Sphinx: a declaration's directive takes several signatures in the one line that MyST gives it."""

from __future__ import annotations

from typing import Any

SEPARATOR = " ;; "
DIRECTIVES = {"cpp": ("function", "member", "type"), "py": ("function", "method")}


def setup(app: Any) -> dict[str, bool]:
    for name, directives in DIRECTIVES.items():
        domain = app.registry.domains[name]
        for directive in directives:
            app.add_directive_to_domain(name, directive, taking_several(domain.directives[directive]), override=True)
    return {"parallel_read_safe": True}


def taking_several(base: type) -> type:
    """The directive whose argument `int a() ;; int b()` is two signatures."""

    class Several(base):  # type: ignore[misc]
        def get_signatures(self) -> list[str]:
            return [signature.strip() for signature in self.arguments[0].split(SEPARATOR.strip())]

    Several.__name__ = base.__name__
    return Several
