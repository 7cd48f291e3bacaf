# SPDX-License-Identifier: Apache-2.0
"""What the generators of malformed files share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple


class Malformed(NamedTuple):
    """One file that must be refused. A folder is a mapping of paths in it to bytes."""

    name: str
    content: bytes | Mapping[str, bytes]
    #: What is wrong, in words.
    wrong: str
    #: Of the program, behind the file.
    options: tuple[str, ...] = ()


def patched(data: bytes, at: int, new: bytes) -> bytes:
    """The data with other bytes from `at` on."""
    assert 0 <= at <= len(data) - len(new), (at, len(data))
    return data[:at] + new + data[at + len(new) :]


def json_bytes(value: object) -> bytes:
    return json.dumps(value).encode()


def without(fields: Mapping, name: str) -> dict:
    """The fields but one."""
    assert name in fields
    return {key: value for key, value in fields.items() if key != name}
