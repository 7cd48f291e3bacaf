# SPDX-License-Identifier: Apache-2.0
"""What a report says of copies, in every form; made of NumPy's arrays, so that it runs wherever NumPy is."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

np = pytest.importorskip("numpy", reason="NumPy is not installed for this Python")

import tenstride.audit  # noqa: E402
from tenstride.audit import allow, audit  # noqa: E402
from tenstride.audit.layouts import Layout  # noqa: E402
from tenstride.audit.strip import sample, svg  # noqa: E402
from tenstride.audit.text import bytes_text  # noqa: E402


def line():
    """The number of the caller's line."""
    return inspect.currentframe().f_back.f_lineno


@pytest.fixture
def report():
    """Three copies on three lines, one of them twice, and a scramble."""
    with audit() as found:
        x = found.watch(np.zeros((20, 3)))
        for _ in range(2):
            x.T.ravel()
        x.astype(np.float32)
        x[:2].copy()
        x.reshape(3, 20)
    return found


def test_the_module_is_the_scope_too(report):
    with tenstride.audit() as other:
        other.watch(np.zeros((2, 3))).copy()
    assert len(other.copies) == 1
    assert report.copies[0].allowed == ""


def test_sums(report):
    assert [copy.bytes_moved for copy in report.copies] == [960, 960, 720, 96]
    assert (report.bytes_read, report.bytes_written, report.total_bytes) == (1488, 1248, 2736)
    assert [len(report.of_kind(kind)) for kind in ("silent", "explicit", "conversion")] == [2, 1, 1]
    assert [len(group) for group in report.groups()] == [2, 1, 1]


def test_text_is_sorted_by_bytes_and_says_all(report):
    lines = str(report).splitlines()
    assert lines[0] == "4 copies (2 silent, 1 explicit, 1 conversion), 1488 B read, 1248 B written; 1 scramble"
    heads = [text.split("  ")[:5] for text in lines if text[:1].isdigit()][1:]
    assert [head[1:4] for head in heads] == [
        ["ravel", "silent", "2 x"],
        ["astype", "conversion", "720 B"],
        ["copy", "explicit", "96 B"],
    ]
    text = str(report)
    for copy in report.copies:
        for part in (copy.why, copy.fix, str(copy.src), str(copy.dst), copy.place.short, copy.code):
            assert part in text
    assert str(report.scrambles[0].reordering) in text


def test_nothing_copied():
    with audit() as found:
        pass
    assert str(found) == "no copies"
    assert "Nothing was copied." in found.to_html()
    assert json.loads(found.to_trace()) == []
    found.assert_no_copies()


def test_json_is_what_the_dict_is(report):
    found = json.loads(report.to_json(indent=1))
    assert found == json.loads(json.dumps(report.to_dict()))
    assert found["totals"] == {
        "copies": 4,
        "silent": 2,
        "explicit": 1,
        "conversion": 1,
        "transfer": 0,
        "scrambles": 1,
        "bytes_read": 1488,
        "bytes_written": 1248,
        "bytes_transferred": 0,
        "saves": report.saves,
    }
    first = found["copies"][0]
    assert first["src"] == {"layout": "(3,20):(1,3)+0", "dtype": "float64"}
    assert first["dst"] == {"layout": "(60):(1)+0", "dtype": "float64"}
    assert (first["file"], first["operation"], first["kind"]) == (__file__, "ravel", "silent")
    assert found["scrambles"][0]["fix"] == ".transpose(0, 1)"
    assert found["scrambles"][0]["certainty"] == "certain"


def test_trace_has_an_event_for_each_copy_in_order(report):
    events = json.loads(report.to_trace())
    threads = [event for event in events if event["ph"] == "M"]
    assert [event["args"]["name"] for event in threads] == ["MainThread"]
    spans = [event for event in events if event["ph"] == "X"]
    assert [event["name"] for event in spans] == [copy.operation for copy in report.copies]
    for event, after in zip(spans, [*spans[1:], None]):
        assert event["dur"] > 0 and event["ts"] >= 0 and event["tid"] == threads[0]["tid"]
        assert after is None or event["ts"] + event["dur"] <= after["ts"]
        assert event["args"]["reason"]


def elements(text):
    """The page as XML, which it is too."""
    root = xml.fromstring(text.partition("\n")[2])
    return root, lambda name: root.iter("{http://www.w3.org/1999/xhtml}" + name)


def test_page_stands_alone_and_holds_each_copy(report):
    text = report.to_html("A <title> & more")
    root, every = elements(text)
    assert next(every("title")).text == "A <title> & more"
    assert not list(every("script")) and not list(every("link")) and not list(every("img"))
    assert "url(" not in text and "@import" not in text
    assert not any("href" in name or name == "src" for one in root.iter() for name in one.attrib)
    cards = list(every("article"))
    assert [card.get("class") for card in cards] == ["silent", "conversion", "explicit", "scramble"]
    for card, group in zip(cards, report.groups()):
        words = " ".join("".join(card.itertext()).split())
        copy = group[0]
        for part in (copy.operation, copy.why, copy.fix, str(copy.src), str(copy.dst), copy.place.short):
            assert part in words
    assert "2 times" in "".join(cards[0].itertext())
    assert "prefers-color-scheme: dark" in text


def test_page_draws_before_and_after(report):
    _, every = elements(report.to_html())
    pictures = [card.findall(".//{http://www.w3.org/2000/svg}svg") for card in every("article")]
    assert [len(found) for found in pictures] == [1, 1, 1, 0]


def test_strips_follow_each_element():
    """The definition: walk every index of both layouts in row-major order."""
    src, dst = Layout((2, 3, 2), (1, 4, 2), 5), Layout((4, 3), (3, 1), 0)

    def walk(layout):
        return [
            layout.offset + sum(i * s for i, s in zip(index, layout.strides)) for index in np.ndindex(*layout.shape)
        ]

    everywhere = list(zip(walk(src), walk(dst)))
    found = sample(src, dst)
    assert len(found) == 12
    assert [(one.source, one.result) for one in found] == everywhere
    assert sample(Layout((2,), (1,)), Layout((3,), (1,))) is None
    assert svg(None, dst) == ""


def test_strips_of_large_tensors_are_corners():
    src, dst = Layout((100, 200, 300), (1, 100, 20000), 0), Layout((6000000,), (1,), 0)
    found = sample(src, dst)
    assert 8 <= len(found) <= 24
    for one in found:
        a, b, c = one.number // 60000, one.number // 300 % 200, one.number % 300
        assert one.source == a + 100 * b + 20000 * c and one.result == one.number


def test_assert_no_copies_says_what_where_why(report):
    with pytest.raises(AssertionError) as error:
        report.assert_no_copies()
    text = str(error.value)
    assert text.startswith("assert_no_copies: 4 copies, 2736 B moved\n1  ravel  silent  2 x  1920 B  ")
    for copy in report.copies:
        assert copy.why in text and copy.place.short in text and copy.fix in text


def test_exceptions_name_operations_files_lines_and_callables(report):
    where = {copy.operation: copy.line for copy in report.copies}
    name = os.path.basename(__file__)
    report.assert_no_copies(except_=["ravel", "astype", "copy"])
    report.assert_no_copies(except_=name)
    report.assert_no_copies(except_=[f"{name}:{number}" for number in where.values()])
    report.assert_no_copies(except_=lambda copy: copy.bytes_moved < 1000)
    report.assert_no_copies(except_=__file__)
    for left, given in [
        ("ravel", ["astype", "copy"]),
        ("copy", ["ravel", f"{name}:{where['astype']}"]),
        ("astype", ["ravel", "copy", "report.py", f"{name}:1"]),
    ]:
        with pytest.raises(AssertionError) as error:
            report.assert_no_copies(except_=given)
        assert [text.split()[1] for text in str(error.value).splitlines() if text[0].isdigit()] == [left]


def test_kinds_narrow_the_check(report):
    with pytest.raises(AssertionError, match="1 copy, 96 B moved"):
        report.assert_no_copies(kinds=["explicit"])
    with pytest.raises(AssertionError, match="2 copies"):
        report.assert_no_copies(kinds="silent")
    with pytest.raises(ValueError, match=r"kinds \['loud'\] must be of silent, explicit, conversion, transfer"):
        report.assert_no_copies(kinds=["loud"])


def test_allowed_copies_pass_and_are_shown():
    with audit() as found:
        x = found.watch(np.zeros((2, 3)))
        with allow("batching"):
            x.T.ravel()
        x.view()
    found.assert_no_copies()
    assert [copy.allowed for copy in found.copies] == ["batching"]
    assert "allowed  batching" in str(found) and "batching" in found.to_html()


def test_skipped_packages_are_not_the_users(tmp_path):
    package = tmp_path / "site-packages" / "middleman"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def rows(x):\n    return x.T.ravel()\n")
    sys.path.insert(0, str(package.parent))
    try:
        import middleman

        places = []
        for skip in ([], ["middleman"]):
            with audit(skip=skip) as found:
                middleman.rows(found.watch(np.zeros((2, 3))))
                expected = line() - 1
            places.append((os.path.basename(found.copies[0].file), found.copies[0].line))
    finally:
        sys.path.remove(str(package.parent))
    assert places == [("__init__.py", 2), (os.path.basename(__file__), expected)]


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match=r"audit: names 'guess' must be 'stack', 'functions' or None"):
        audit(names="guess")


def run(code, **environment):
    folder = os.path.dirname(os.path.dirname(tenstride.__file__))
    env = {**os.environ, "PYTHONPATH": folder, **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)


BARE = """
import sys, types
package = types.ModuleType("tenstride"); package.__path__ = [PATH]; sys.modules["tenstride"] = package
""".replace("PATH", repr(next(iter(tenstride.__path__))))


def test_import_loads_neither_torch_nor_numpy():
    found = run(BARE + "import tenstride.audit; print(sorted({'torch', 'numpy'} & set(sys.modules)))")
    assert found.stdout == "[]\n", found.stderr


def test_what_is_missing_is_said_where_there_is_nothing_to_look_at():
    hide = "import importlib.util as u; u.find_spec = lambda name, *more: None\n"
    found = run(BARE + "import tenstride.audit\n" + hide + "tenstride.audit.audit()")
    assert found.stderr.splitlines()[-1].startswith(
        "ImportError: audit: looks at PyTorch (1.13 or newer) and NumPy programs, and neither is installed"
    )


def test_an_older_pytorch_is_refused():
    old = "sys.modules['torch'] = types.ModuleType('torch'); sys.modules['torch'].__version__ = '1.12.1+cpu'\n"
    found = run(BARE + "import tenstride.audit\n" + old + "tenstride.audit.audit()")
    assert "ImportError: audit: PyTorch 1.12.1+cpu must be 1.13 or newer" in found.stderr


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (9999, "9999 B"), (10000, "10.0 kB"), (123456, "123 kB"), (999600, "1.00 MB")],
)
def test_bytes_in_words(count, text):
    assert bytes_text(count) == text
