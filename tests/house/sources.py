#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file begins with its licence; no header has a macro (but export.hpp its one), a `using namespace` or a backend
#if; no kernel calls an operation of Highway that is a loop over items on AVX2; no runner of a copy's way decides."""

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
# Read in Highway 1.0's ops/x86_256-inl.h: 32 ns for 32 bytes where a store takes 1. On AVX-512 they are instructions.
# What a runner may not ask for, because its way says it.
DECIDED = re.compile(r"\bplan\.(kernel|streaming|conversion)\b|\bis_none\(|\bconversion\.kind\b|\baccess_of\(")
LOOPS = re.compile(r"\bhn::(BlendedStore|MaskedStore|Scatter\w*|Gather\w*|Compress\w*|Expand)\b")


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
    for path in house.files(root, ("src",), {".h", ".cpp"}):
        complaints += loops_of_highway(path, (root / path).read_text(encoding="utf-8"))
    for path in house.files(root, ("src/copy/ways",), {".hpp", ".cpp"}):
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            if found := DECIDED.search(line):
                complaints.append(f"{path}:{number}: a runner asks for {found[0]}; its way has to say what follows")
    return complaints


def loops_of_highway(path, text):
    complaints = []
    conditions = []
    for number, line in enumerate(house.without_comments(text).splitlines(), 1):
        if re.match(r"\s*#\s*if", line):
            conditions.append(line)
        elif re.match(r"\s*#\s*endif", line):
            conditions.pop()
        elif (found := LOOPS.search(line)) and not any("HWY_AVX3" in condition for condition in conditions):
            complaints.append(
                f"{path}:{number}: {found[0]} is a loop on AVX2; store whole vectors, or ask for HWY_AVX3"
            )
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
            "src/b.cpp": spdx + "#if HWY_TARGET == HWY_AVX3\nhn::BlendedStore(v, m, d, p);\n#endif\n",
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
            "src/b.cpp": spdx + "#if HWY_ARCH_X86\nhn::BlendedStore(v, m, d, p);\n#endif\n",
        }
    ) as root:
        house.expect(
            check(root),
            "src/a.cpp:1: the first line",
            "dims.hpp:1: a header has `#pragma once`",
            "layout.hpp:3: a header has no macros",
            "layout.hpp:4: a public header does not ask",
            "views.hpp:3: a header has no `using namespace`",
            "src/b.cpp:3: hn::BlendedStore is a loop on AVX2",
        )


if __name__ == "__main__":
    house.main(check, self_test)
