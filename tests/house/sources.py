#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file begins with its licence; no header has a macro (but export.hpp its one), a `using namespace` or a backend
#if."""

import re

import house

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = {".hpp", ".h", ".cpp", ".inc", ".py", ".pyi", ".sh", ".cmake"}
RULES = (
    (
        re.compile(r"^[ \t]*#[ \t]*(define|undef)\b", re.MULTILINE),
        "a header has no macros; use a constant, a template or a .cpp",
    ),
    (
        re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)\b.*(TENSTRIDE_|HWY_|TBB|__AVX|__SSE|__ARM)", re.MULTILINE),
        "a public header does not ask which backend there is; ask in a .cpp",
    ),
    (re.compile(r"\busing\s+namespace\b"), "a header has no `using namespace`; name the things"),
)


def check(root):
    complaints = []
    for path in house.files(root, (*house.CODE_FOLDERS, "cmake", "scripts"), SUFFIXES):
        lines = (root / path).read_text(encoding="utf-8").splitlines() or [""]
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if LICENCE not in first:
            complaints.append(f"{path}:1: the first line must say {LICENCE}")
    for path in house.files(root, ("include",), {".hpp", ".h", ".inc"}):
        complaints += header(root, path, RULES if path.name != "export.hpp" else RULES[2:])
    for path in house.files(root, ("src", "tools", "tests", "bench"), {".hpp", ".h"}):
        # NAME-inl.h is read once for each instruction set, by design of Highway.
        if not path.name.endswith("-inl.h"):
            complaints += header(root, path, RULES[2:])
    return complaints


def header(root, path, rules):
    text = house.without_comments((root / path).read_text(encoding="utf-8"), strings_too=True)
    complaints = []
    for pattern, why in rules:
        for match in pattern.finditer(text):
            complaints.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {why}")
    if not re.search(r"^#pragma once$", text, re.MULTILINE):
        complaints.append(f"{path}:1: a header has `#pragma once`")
    return complaints


def self_test():
    spdx = f"// {LICENCE}\n"
    with house.Tree(
        {
            "include/tenstride/base/export.hpp": spdx + "#pragma once\n#define TENSTRIDE_API\n",
            "include/tenstride/layout/layout.hpp": spdx + "#pragma once\n// #define NO; using namespace std\n",
            "scripts/a.sh": f"#!/bin/bash\n# {LICENCE}\n",
            "src/a.cpp": spdx + "#define FINE_HERE\nusing namespace std;\n",
        }
    ) as root:
        house.expect(check(root))
    with house.Tree(
        {
            "include/tenstride/base/dims.hpp": spdx + "int x;\n",
            "include/tenstride/layout/layout.hpp": spdx
            + "#pragma once\n# define YES 1\n#ifdef TENSTRIDE_HAS_TBB\n#endif\n",
            "include/tenstride/layout/views.hpp": spdx + "#pragma once\nusing  namespace std;\n",
            "src/a.cpp": "int x;\n",
        }
    ) as root:
        house.expect(
            check(root),
            "src/a.cpp:1: the first line",
            "dims.hpp:1: a header has `#pragma once`",
            "layout.hpp:3: a header has no macros",
            "layout.hpp:4: a public header does not ask",
            "views.hpp:3: a header has no `using namespace`",
        )


if __name__ == "__main__":
    house.main(check, self_test)
