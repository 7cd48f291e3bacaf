# SPDX-License-Identifier: Apache-2.0
"""What programs write to a terminal, and what is typed there."""

import contextlib
import os
import pty
import re
import select
import signal

from cli_case import HANGS

ASKS = re.compile(rb"(?:^|\n)\r?(?:>>>|\.\.\.) (?:\x1b\[[0-9;?]*[A-Za-z])*$")


def read_terminal(leader):
    """All bytes that were written to the other end, which no program has open any more; closes this one. Under load
    they come in parts, so that one `os.read` may give too few; their end is an error."""
    text = b""
    with contextlib.suppress(OSError), open(leader, "rb", buffering=0) as terminal:
        while part := terminal.read(65536):
            text += part
    return text


def at_terminal(program, *arguments, keys=(), **environment):
    """What the terminal shows, line ends as in a file, and the exit code. Each of the keys is typed when a prompt
    (>>> or ...) stands in a new line with nothing behind it, so that the program waits for it."""
    child, terminal = pty.fork()
    if child == 0:
        # libedit never gives back the names of the functions that are added to it.
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        known = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_CTYPE", "COLUMNS")}
        known |= {"TERM": "xterm", "NO_COLOR": "1", "XDG_STATE_HOME": "/dev/null", "ASAN_OPTIONS": sanitizer}
        os.execve(program, [program, *arguments], {**known, **environment})
    output, asked = b"", 0
    pending = list(keys)
    with contextlib.suppress(OSError):  # the end of what is shown
        while select.select([terminal], [], [], HANGS)[0]:
            output += os.read(terminal, 65536)
            if pending and ASKS.search(output[asked:]):
                asked = len(output)
                os.write(terminal, pending.pop(0).encode())
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return output.decode(errors="replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)
