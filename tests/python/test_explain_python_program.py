# SPDX-License-Identifier: Apache-2.0
"""`python -m tenstride explain` of files and standard input, and how its text is laid out."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pkgutil
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tenstride import explaining
from tenstride.explaining import declared, explain_code
from tenstride.explaining.program import is_for_python

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "explain-python.md"
BLOCK = re.compile(  # what it shows: a file, a command, its output
    r"```\n(?:\$ cat (?P<name>\S+)\n(?P<code>.*?))?"
    r"\$ python -m tenstride explain (?P<words>[^\n]*)\n(?P<output>.*?)```",
    re.DOTALL,
)
CODE = "import torch\nx = torch.arange(6).view(2, 3)\nprint(x.T.shape)\ny = x.T.reshape(-1)\n"
TABLE = """\
explain runs this code (torch and einops stand for tenstride's tracing modules; numpy is NumPy, watched)

1  line 2  torch.arange(6)  (6):(1)+0      int64  contiguous      new   48 B
2  line 2  .view(2, 3)      (2,3):(3,1)+0  int64  contiguous      view
3  line 3  x.T              (3,2):(1,3)+0  int64  not contiguous  view  axes out of order
   line 3: | torch.Size([3, 2])
4  line 4  x.T              (3,2):(1,3)+0  int64  not contiguous  view  axes out of order
5  line 4  x.T.reshape(-1)  (6):(1)+0      int64  contiguous      copy  96 B moved: no view: axes 0 and 1 would merge, axis 0 has stride 1 and must have 6 (since step 4)

1 copy, 96 B moved
"""  # noqa: E501


def run(*arguments, text=None, folder=None, **environment):
    command = [sys.executable, "-m", "tenstride", "explain", *map(str, arguments)]
    result = subprocess.run(
        command,
        input=text,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        cwd=folder,
        check=False,
    )
    return result.returncode, result.stdout, result.stderr


def test_a_file_and_standard_input_are_explained(tmp_path):
    (tmp_path / "q.py").write_text(CODE, encoding="utf-8")
    assert run(tmp_path / "q.py") == (0, TABLE, "")
    assert run("-", text="\ufeff" + CODE) == (0, TABLE, "")
    (tmp_path / "paste").write_text(f">>> {CODE}".replace("\n", "\n>>> "), encoding="utf-8")
    assert run(tmp_path / "paste")[1] == TABLE


def test_options(tmp_path):
    code = "y = x.permute(2, 0, 1).view(n, -1)\n"
    status, out, _ = run("-", "--let", "x=2x3x4:float16", "--let", "n=4", "--json", text=code)
    data = json.loads(out)
    assert status == 0 and [step["dtype"] for step in data["steps"]] == ["float16"] * 3
    status, out, _ = run("-", text=code)
    assert status == 1 and "x and n are not defined: say their sizes, --let x=2x3x4 --let n=2x3x4" in out
    assert run("-", "--strict", text="import torch\nx = torch.zeros(2, 3).view(3, 2)")[0] == 1
    assert "stopped after 3 steps" in run("-", "--steps", "3", text="import torch\nwhile 1: torch.zeros(1)")[1]
    status, out, _ = run("--help")
    assert status == 0 and "files,\nnetwork and processes are NOT kept from it" in out


def test_the_real_pytorch_is_asked_for_where_it_is_missing(tmp_path):
    missing = tmp_path / "torch.py"  # found before one that is installed
    missing.write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n", encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    status, out, said = run("-", "--real", text=CODE, PYTHONPATH=paths)
    assert (status, out) == (2, "") and said.startswith("tenstride: --real runs the code with PyTorch (1.13 or newer)")


def test_names_that_were_declared_in_vain_are_told():
    out = run("-", "--let", "x=2x3", "--let", "z=3", text=CODE)[1]
    assert "note: --let z: the code has no such name" in out and "note: --let x: not needed" in out


def test_wrong_calls_say_what_is_wrong(tmp_path):
    assert run(tmp_path / "none.py")[::2] == (
        2,
        f"tenstride: [Errno 2] No such file or directory: '{tmp_path}/none.py'\n",
    )
    assert run("-", text="def f(:\n")[::2] == (2, "tenstride: line 1 is no Python: invalid syntax: def f(:\n")
    status, _, said = run("-", "--let", "x", text="")
    assert status == 2 and said.startswith("tenstride: --let x: a name and its sizes must be given, as x=2x3x4")


@pytest.mark.parametrize(
    ("arguments", "python"),
    [
        (["question.py"], True),
        (["-"], True),
        (["torch.arange(6).view(2, 3)"], False),
        (["-", "--plan"], False),
        (["x.py", "--input", "x.npy"], False),
        (["x.view(-1)", "--let", "x=2x3"], True),
        (["x", "--json"], False),
        ([], False),
        (["--help"], True),
    ],
)
def test_what_goes_to_the_program(arguments, python):
    assert is_for_python(arguments) is python


def test_text_is_folded_at_the_width_of_the_terminal(tmp_path):
    (tmp_path / "q.py").write_text(CODE, encoding="utf-8")
    for width in (60, 80, 100):
        lines = run(tmp_path / "q.py", COLUMNS=str(width))[1].split("\n")
        assert max(map(len, lines[1:])) <= width, width
        assert "line 4" in lines[-8] + lines[-7] + lines[-6] + lines[-5] + lines[-4], lines


def test_text_is_ascii_where_the_locale_has_no_more():
    code = "import torch\nx = torch.zeros(20, 30).t()\nx.view(600)\nprint('\u00e9')\n"
    status, out, said = run("-", text=code, PYTHONIOENCODING="ascii")
    assert status == 1 and said == "" and out.isascii() and "0 30 ... 570" in out and "| \\xe9" in out
    assert "0 30 \u2026 570" in run("-", text=code, PYTHONIOENCODING="utf-8")[1]


def test_what_a_loop_repeats_is_counted():
    explanation = explain_code("import torch\nfor i in range(50):\n    x = torch.zeros(2, 3).t().contiguous()\n")
    text = str(explanation)
    assert text.count("torch.zeros(2, 3)") == 3 and "141 further steps repeat what their lines did before" in text
    assert len(explanation.steps) == 150 and text.endswith("50 copies, 2400 B moved")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("x=2x3", "x", (2, 3)),
        ("x = 2x3:int64", "x", ((2, 3), "int64")),
        ("n=5", "n", 5),
        ("v=(5,)", "v", (5,)),
        ("v=5:uint8", "v", ((5,), "uint8")),
        ("s=()", "s", ()),
    ],
)
def test_what_let_understands(text, name, value):
    assert declared.parse(text) == (name, value)


@pytest.mark.parametrize("text", ["x", "x=", "=2x3", "2=3", "x=2x", "x=axb", "x=2x3:"])
def test_what_let_refuses(text):
    with pytest.raises(ValueError, match="a name and its sizes must be given"):
        declared.parse(text)


def test_the_document_shows_what_is_printed(tmp_path):
    pytest.importorskip("numpy")
    blocks = list(BLOCK.finditer(DOCUMENT.read_text(encoding="utf-8")))
    assert len(blocks) == 4
    for block in blocks:
        if block["name"]:
            (tmp_path / block["name"]).write_text(block["code"], encoding="utf-8")
        assert run(*shlex.split(block["words"]), folder=tmp_path)[1] == block["output"]


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(explaining.__path__)])
def test_examples_of_the_package_give_what_they_say(name):
    if name == "real":
        pytest.importorskip("numpy")
    import tenstride

    module = importlib.import_module(f"tenstride.explaining.{name}")
    assert doctest.testmod(module, extraglobs={"tenstride": tenstride}).failed == 0


def test_ctrl_c_ends_the_run_and_not_the_explanation(tmp_path):
    ready = tmp_path / "ready"
    code = f"import torch\nx = torch.zeros(2)\nopen({str(ready)!r}, 'w').close()\nwhile True: pass\n"
    (tmp_path / "q.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "tenstride", "explain", str(tmp_path / "q.py"), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        while not ready.exists() and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        data = json.loads(process.communicate(timeout=900)[0])
    assert process.returncode == 1 and data["ended"] == "stopped by Ctrl-C" and len(data["steps"]) == 1
