# SPDX-License-Identifier: Apache-2.0
"""The table of shape rules: what PyTorch computes and tenstride does not, each with the shape of what it gives.

A rule takes tensors without elements and gives such; it raises PyTorch's errors where the shapes do not fit.
"""

from __future__ import annotations

from typing import Any, Callable

from . import rules_elements, rules_layers, rules_products

METHODS: dict[str, Callable[..., Any]] = {**rules_elements.ELEMENTS, **rules_products.PRODUCTS}
"""Those that are methods of a tensor, and functions of `torch` too."""

FUNCTIONAL: dict[str, Callable[..., Any]] = {
    **METHODS,
    **rules_elements.FUNCTIONAL,
    **rules_products.FUNCTIONAL,
    **rules_layers.FUNCTIONAL,
}
"""What `torch.nn.functional` has; `torch` itself has many of them, too."""

LINALG: dict[str, Callable[..., Any]] = {
    "cholesky": rules_elements.inverse,
    "det": rules_elements.determinant,
    "eigh": rules_elements.eigh,
    "inv": rules_elements.inverse,
    "matmul": rules_products.matmul,
    "norm": rules_elements.linalg_norm,
    "pinv": rules_elements.inverse,
    "qr": rules_elements.qr,
    "solve": rules_elements.solve,
    "svd": rules_elements.linalg_svd,
    "vector_norm": rules_elements.linalg_norm,
}
"""Those of `torch.linalg`."""
