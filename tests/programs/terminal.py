# SPDX-License-Identifier: Apache-2.0
"""What programs write to a terminal."""

import contextlib


def read_terminal(leader):
    """All bytes that were written to the other end, which no program has open any more; closes this one. Under load
    they come in parts, so that one `os.read` may give too few; their end is an error."""
    text = b""
    with contextlib.suppress(OSError), open(leader, "rb", buffering=0) as terminal:
        while part := terminal.read(65536):
            text += part
    return text
