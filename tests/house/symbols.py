#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library neither prints nor exits nor aborts: the static libraries' undefined symbols name nothing that does."""

import re
import subprocess

import house

# Formatting into a buffer (snprintf) and writing a file (fwrite, write) stay allowed.
FORBIDDEN = re.compile(
    r"^("
    r"(__)?v?f?printf(_chk)?|v?dprintf|puts|fputs|putchar|putc|fputc|putchar_unlocked|perror|psignal|"
    r"stdout|stderr|"
    r"exit|_exit|_Exit|quick_exit|abort|raise|kill|__assert_fail|__assert_perror_fail|error|errx?|warnx?|"
    r"std::w?(cout|cerr|clog)|std::ios_base::Init::.*|std::terminate\(\)|std::quick_exit.*|"
    r"std::__glibcxx_assert_fail.*|std::__replacement_assert.*|hwy::Abort.*"
    r")$"
)

# A child of fork has to end without the destructors and handlers of its parent.
ALLOWED = {("libhdf5_child.cpp.o", "_exit")}


def check(root, nm, libraries):
    del root
    if not libraries:
        return ["no library given; pass --libraries build/dev/lib/*.a"]
    listing = subprocess.run(
        [nm, "--demangle", "--undefined-only", *libraries], check=True, text=True, stdout=subprocess.PIPE
    ).stdout
    member, complaints, seen = "", [], 0
    for line in listing.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        found = re.match(r"\s+[Uw] (.*)$", line)
        if not found:
            continue
        seen += 1
        name = found.group(1).partition("@")[0]
        if FORBIDDEN.match(name) and (member, name) not in ALLOWED:
            complaints.append(f"{member}: refers to {name}; the library throws, its caller prints and exits")
    if not seen:
        complaints.append(f"{libraries}: no undefined symbol at all; nm did not read it")
    return complaints


def self_test(nm, libraries):
    del libraries
    compiler = "c++"
    fine = (
        "#include <cstdio>\n#include <string>\n"
        'std::string f(int i) { char b[9]; std::snprintf(b, 9, "%d", i); return b; }\n'
    )
    wrong = (
        "#include <cassert>\n#include <cstdio>\n#include <cstdlib>\n#include <iostream>\n"
        'void f(int i) { assert(i); std::cout << i; std::printf("%d", i); std::exit(i); }\n'
        "void g() { std::abort(); }\n"
    )
    with house.Tree({"fine.cpp": fine, "wrong.cpp": wrong}) as root:
        for name in ("fine", "wrong"):
            subprocess.run([compiler, "-UNDEBUG", "-c", f"{name}.cpp"], cwd=root, check=True)
            subprocess.run(["ar", "rc", f"lib{name}.a", f"{name}.o"], cwd=root, check=True)
        house.expect(check(root, nm, [str(root / "libfine.a")]))
        found = " ".join(check(root, nm, [str(root / "libwrong.a")]))
        for name in ("__assert_fail", "std::cout", "printf", "exit", "abort"):
            assert f"refers to {name};" in found, f"{name} not found in {found}"


if __name__ == "__main__":
    house.main(check, self_test, (("--nm", {"default": "nm"}), ("--libraries", {"nargs": "*"})))
