#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names, comments, texts and documents use the field's words (HACKING.md, "The words"), not words of our own."""

import functools
import pathlib
import re
import typing

import house


class Word(typing.NamedTuple):
    """A word that is not used. The patterns ignore case.

    `names` is searched in an identifier written as `_its_parts_`, `prose` in comments, strings and documents. `fine`
    says which matches of either are ordinary English, or another library's word. `where` is searched in the path.
    """

    names: str
    prose: str
    instead: str
    fine: str = ""
    where: str = ""


KERNELS = r"^(src|tests)/(checksum|copy|elementwise|ops|plan|random|reduce)/"
ENGINE = KERNELS + r"|^(include|docs|bench|HACKING|README)"
REDUCING = r"^(include|src|docs|bench|tests/(copy|einops|elementwise|io|plan|reduce|support))/|^README|^HACKING"
CODE_BUT_PICTURES = r"^(?!.*(picture|/layout/|story|show|completion)).*\.(cpp|hpp|h)$"

WORDS = (
    Word(
        r"_turn(s|ed|ing|er)?_",
        r"\bturn(s|ed|ing)?\b",
        "transpose (two axes), reverse (an axis), rotate, convert, round (of a benchmark)",
        fine=r"_in_turn_|_turns_upright_|(in|by) turns?\b|tak(e|es|ing) turns|turns? (\w+ )?(upright|off)\b|turns? it\b"
        r"|quarter turns?",
    ),
    Word(r"_in_turn_", "", "sequential (one after the other) or alternating (a piece of each)"),
    Word(r"_(weave|weaves|woven|weaving)_", r"\b(weave|weaves|woven|weaving)\b", "interleave, deinterleave"),
    Word(
        r"_(take|takes|taken|taking)_(\w+_)?apart_",
        r"\b(take|takes|taken|taking) (\w+ )?apart\b",
        "deinterleave (elements), parse (a text), split",
    ),
    Word(
        r"_leaf_|_leaves_(for|of)_|_the_leaves_|_(converting|find|all)_leaves_",
        r"\bleaf\b|\b(the|all|two|these|its|engine's|plan's|kernels?'?|converting) leaves\b"
        r"|\bleaves (of|for|are|that|which|in registers)\b",
        "kernel",
        fine=r"_is_leaf_|\bcpuid leaf",  # autograd's and the processor's own
        where=r"^(?!src/plan/machine|src/plan/processor).*\.(cpp|hpp|h|md)$",
    ),
    Word(r"_odometers?_", r"\bodometers?\b", "cursor"),
    Word(r"_untold_", r"\buntold\b", "muted"),
    Word("", r"\b(copies|copy|transfers?) (is|are|was|were|be|being) (not )?told\b", "recorded"),
    Word(r"_listed_", "", "indexed", where=KERNELS),
    Word("", r"\blisted (tiles?|rows?|columns?|places?|positions?|offsets?|items?|blocks?)\b", "indexed"),
    Word(
        r"_(kept|carried)_lines?_|_lines?_(kept|carried)_",
        r"\b(kept|carried) lines?\b|\blines? (is|are) carried\b",
        "partial line (a cache line that two rows share)",
        where=ENGINE,
    ),
    Word(
        r"_ask(s|ed)?_|_ahead_",
        r"\bask(s|ed|ing)? for (it|them)\b",
        "prefetch, prefetch distance",
        fine=r"_ask(s|ed)_for_",
        where=KERNELS,
    ),
    Word(
        "",
        r"\bask(s|ed|ing)? for (\w+ ){0,3}(lines?|pages?|caches?|rows?)\b|\basked for (ahead|before)\b",
        "prefetch",
        where=ENGINE,
    ),
    Word(r"_past_(the_)?caches?_", r"\bpast (the|all|its) caches?\b", "streaming (non-temporal) store"),
    Word(r"_pending_$|_pending_lines_", r"\bpending (lines?|stores?)\b", "store queue", where=r"^src/(copy|plan)/"),
    Word("", r"\bput side by side\b|\bputs? (\w+ )?side by side\b", "pack"),
    Word("", r"\b(go|goes) (to )?where (they|it) belongs?\b", "scatter"),
    Word(r"^_(most|least)_\w", "", "max_, min_ and what is bounded", fine=r"^_most_steps_$"),
    Word(r"^_(few|much|little)_\w|^_(few|much)_$", "", "a name that says what it bounds or holds"),
    Word(r"^_(little|some)_$", "", "a name that says what it bounds or holds", where=KERNELS),
    Word(
        r"_fold(s|ed|ing)?_",
        r"\bfold(s|ed|ing)?\b",
        "reduce, accumulate, combine (numbers), merge (axes), reverse (negative strides)",
        fine=r"at compile time|constant folding|\.fold\b|\bunfold",
        where=REDUCING,
    ),
    Word(r"_(walk|walked|walking|walker)_", "", "loop nest, cursor, visit", where=CODE_BUT_PICTURES),
    Word("", r"\b(the|a|each|this|one) walk\b", "loop nest, cursor", where=KERNELS),
)

COMMENT_OR_TEXT = re.compile(
    r'R"([^(\s]*)\(.*?\)\1"|//(?:[^\n\\]|\\.)*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'',
    re.DOTALL,
)
PYTHON_COMMENT_OR_TEXT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
NAME = re.compile(r"(?<!std::endian::)\b[A-Za-z_][A-Za-z0-9_]*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
SUFFIXES = {".hpp", ".h", ".cpp", ".inc", ".py", ".pyi", ".sh", ".cmake", ".md"}
FOLDERS = (*house.CODE_FOLDERS, "cmake", "docs", "scripts")
TOP_FILES = ("README.md", "HACKING.md", "CHANGELOG.md", "Makefile", "CMakeLists.txt")
EXCEPT = ("tests/data/", "tests/house/words.py")


def check(root):
    paths = [path for path in house.files(root, FOLDERS, SUFFIXES) if not path.as_posix().startswith(EXCEPT)]
    paths += [pathlib.PurePosixPath(name) for name in TOP_FILES if (root / name).is_file()]
    complaints = []
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        if path.name == "CHANGELOG.md":
            text = unreleased(text)
        complaints += complaints_of(path.as_posix(), text)
    return complaints


def unreleased(text):
    """A change log up to its second section: what was released stays as it was written."""
    sections = [match.start() for match in re.finditer(r"^## ", text, re.MULTILINE)]
    return text[: sections[1]] if len(sections) > 1 else text


def complaints_of(path, text):
    names, prose = parts_of(path, text)
    found = [
        (start, name, word.instead) for start, name in names for word in words_in(name) if re.search(word.where, path)
    ]
    for word, in_prose, fine in IN_PROSE:
        if re.search(word.where, path):
            plain = fine.sub(lambda match: blank(match[0]), prose) if fine else prose
            found += [(match.start(), " ".join(match[0].split()), word.instead) for match in in_prose.finditer(plain)]
    return [
        f"{path}:{text.count(chr(10), 0, start) + 1}: '{what}' is not used; say {instead}"
        for start, what, instead in sorted(set(found))
    ]


def pattern_of(text):
    """A blank of the pattern also stands for the end of a line and the marks of a comment, which are blanks by then."""
    return re.compile(text.replace(" ", r"\s+"), re.IGNORECASE) if text else None


IN_NAMES = [(word, pattern_of(word.names), pattern_of(word.fine)) for word in WORDS if word.names]
IN_PROSE = [(word, pattern_of(word.prose), pattern_of(word.fine)) for word in WORDS if word.prose]


@functools.cache
def words_in(name):
    """The words that an identifier has among its parts: `_copy_plan_` for `CopyPlan` and for `copy_plan_`."""
    parts = "_" + "_".join(PART.findall(name)).lower() + "_"
    return [word for word, pattern, fine in IN_NAMES if pattern.search(parts) and not (fine and fine.search(parts))]


def parts_of(path, text):
    """The names of a file with where they begin, and its prose: as long as the text, with blanks for all else."""
    if path.endswith((".md", ".sh", ".cmake", "Makefile", "CMakeLists.txt")):
        names = [(match.start(), match[0]) for match in NAME.finditer(text) if is_identifier(match[0])]
        return names, text.replace("#", " ")
    pattern = PYTHON_COMMENT_OR_TEXT if path.endswith((".py", ".pyi")) else COMMENT_OR_TEXT
    prose, code, end = [], [], 0
    for match in pattern.finditer(text):
        code.append(text[end : match.start()])
        code.append(blank(match[0]))
        prose.append(blank(text[end : match.start()]))
        prose.append(re.sub(r'//+<?|/\*+|\*/|#|"', lambda mark: " " * len(mark[0]), match[0]))
        end = match.end()
    code.append(text[end:])
    prose.append(blank(text[end:]))
    code, prose = "".join(code), "".join(prose)
    names = [(match.start(), match[0]) for match in NAME.finditer(code)]
    names += [(match.start(), match[0]) for match in NAME.finditer(prose) if is_identifier(match[0])]
    return names, prose


def is_identifier(word):
    """Whether a word of a text is a name of the code: `max_rows`, `CopyPlan`."""
    return "_" in word or re.search(r"[a-z][A-Z]", word) is not None


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def self_test():
    spdx = "// SPDX-License-Identifier: Apache-2.0\n"
    with house.Tree(
        {
            "CHANGELOG.md": "# Changes\n## Unreleased\nFast.\n## 1.0\nMatrices are turned.\n",
            "docs/a.md": "Each returns in turn; `--upright` turns it upright, and `x.unfold` makes a window.\n",
            "python/tenstride/a.py": '"""What a run leaves behind."""\nimport ast\nast.walk(ast.parse("x"))\n',
            "src/copy/a.cpp": spdx + "int at_most(int max_rows);  // leaves the rest as it was, returns 1'000\n",
            "src/layout/b.hpp": spdx + "// an axis that is walked backwards; told apart by its stride\n",
            "src/copy/kernels/c.cpp": spdx + "static_assert(std::endian::native == std::endian::little);\n",
            "tests/data/c.md": "turned and woven\n",
        }
    ) as root:
        house.expect(check(root))
    with house.Tree(
        {
            "CHANGELOG.md": "# Changes\n## Unreleased\nMatrices are turned faster.\n## 1.0\nThey are turned.\n",
            "HACKING.md": "An odometer. `most_rows`\n",
            "docs/a.md": "Rows are stored past the\ncache.\n",
            "python/tenstride/a.py": 'few = 3\nraise ValueError("the text is taken apart")\n',
            "src/copy/a.cpp": spdx + "int turn_rows(Walk walk);\n// Both are kept\n// lines.\nUntold untold;\n",
            "src/reduce/b.hpp": spdx + 'const char* text = R"(folds\nthe leaves of it)";\n',
            "tests/copy/c.cpp": spdx + "TEST(Weaves, RowsTurnedByALeaf) {}\n",
        }
    ) as root:
        house.expect(
            check(root),
            "docs/a.md:1: 'past the cache' is not used; say streaming (non-temporal) store",
            "a.py:1: 'few' is not used; say a name that says what it bounds",
            "a.py:2: 'taken apart' is not used; say deinterleave (elements), parse (a text), split",
            "a.cpp:2: 'turn_rows' is not used; say transpose",
            "a.cpp:2: 'Walk' is not used; say loop nest, cursor",
            "a.cpp:2: 'walk' is not used; say loop nest, cursor",
            "a.cpp:3: 'kept lines' is not used; say partial line",
            "a.cpp:5: 'Untold' is not used; say muted",
            "a.cpp:5: 'untold' is not used; say muted",
            "b.hpp:2: 'folds' is not used; say reduce",
            "b.hpp:3: 'the leaves' is not used; say kernel",
            "c.cpp:2: 'Weaves' is not used; say interleave",
            "c.cpp:2: 'RowsTurnedByALeaf' is not used; say kernel",
            "c.cpp:2: 'RowsTurnedByALeaf' is not used; say transpose",
            "HACKING.md:1: 'odometer' is not used; say cursor",
            "HACKING.md:1: 'most_rows' is not used; say max_",
            "CHANGELOG.md:3: 'turned' is not used; say transpose",
        )


if __name__ == "__main__":
    house.main(check, self_test)
