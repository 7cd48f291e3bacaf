# SPDX-License-Identifier: Apache-2.0
"""`python -m tenstride …` is the program `tenstride …`; Python itself explains files of Python, and
serves the explorer."""

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
    """Explains Python code, serves the explorer, or becomes the program, with the arguments of this process."""
    if sys.argv[1:2] == ["explain"]:
        from .explaining import program as explaining

        if explaining.is_for_python(sys.argv[2:]):
            return explaining.main(sys.argv[2:])
    if sys.argv[1:2] == ["explore"]:
        from . import _explorer

        return _explorer.main(sys.argv[2:])
    found = program()
    if found is None:
        print("tenstride: the program is not part of this installation, and none is in PATH", file=sys.stderr)
        return 127
    os.execv(found, ["tenstride", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
