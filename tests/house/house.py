# SPDX-License-Identifier: Apache-2.0
"""What the house checks share: a tree to read, complaints to print, and a self-test on a tree made wrong on purpose.

A check is a function `check(root) -> list of complaints`; each complaint is `file:line: what is wrong; the fix`.
"""

import argparse
import pathlib
import re
import sys
import tempfile

CODE_FOLDERS = ("include", "src", "wasm", "tools", "tests", "bench", "examples", "python")


def files(root, folders, suffixes):
    """Every file below the folders with one of the suffixes, sorted, as paths relative to root."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix in suffixes:
                found.append(path.relative_to(root))
    return sorted(found)


def without_comments(text, strings_too=False):
    """The text with comments (and the insides of string literals) blanked, line numbers kept."""

    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        return '""' if strings_too else token

    token = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(token, blank, text, flags=re.DOTALL)


def expect(complaints, *needles):
    """Self-test: one complaint for each needle, in order, and no other."""
    texts = [str(complaint) for complaint in complaints]
    assert len(texts) == len(needles), f"expected {len(needles)} complaints, found {texts}"
    for text, needle in zip(texts, needles):
        assert needle in text, f"expected {needle!r} in {text!r}"


class Tree:
    """A temporary tree: `with Tree({"src/a.cpp": "..."}) as root`."""

    def __init__(self, contents):
        self.contents = contents

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tenstride-house-")
        root = pathlib.Path(self.folder.name)
        for name, text in self.contents.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return root

    def __exit__(self, *_):
        self.folder.cleanup()


def main(check, self_test, arguments=()):
    """Runs `check(root, **extra)` or, with --self-test, `self_test(**extra)`; status 1 where there is a complaint."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--self-test", action="store_true", help="show that the check finds violations")
    for name, options in arguments:
        parser.add_argument(name, **options)
    given = vars(parser.parse_args())
    root, testing = given.pop("root"), given.pop("self_test")
    if testing:
        self_test(**given)
        print("the check finds what it looks for")
        return
    complaints = check(root, **given)
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(f"{len(complaints)} complaint(s)")
    print("nothing to complain about")
