# SPDX-License-Identifier: Apache-2.0
"""`python -m tenstride …` is the program `tenstride …`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program() -> str | None:
    """The path of the program: the one of this package, of the build around it, or of PATH."""
    package = Path(__file__).parent
    built = Path(sys.modules["tenstride._tenstride"].__file__).parents[2] / "bin" / "tenstride"
    for candidate in (package / "bin" / "tenstride", built):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    return shutil.which("tenstride")


def main() -> int:
    """Becomes the program, with the arguments of this process."""
    found = program()
    if found is None:
        print("tenstride: the program is not part of this installation, and none is in PATH", file=sys.stderr)
        return 127
    os.execv(found, ["tenstride", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
