# SPDX-License-Identifier: Apache-2.0
"""How a notebook shows an explanation: a table of its steps, what was refused or printed, and a picture."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Union

from . import _tenstride
from ._kinds import looked_at
from ._tenstride import Explanation, Tensor
from .audit.text import bytes_text

if TYPE_CHECKING:
    from .explaining import CodeExplanation

# Pixels of the picture before it scrolls, also where `explore` is told none: three small tensors; twelve would fill
# three screens.
HEIGHT = 600
# Steps of a loop could make a table that no notebook opens: the first and the last of more are shown.
_MAX_ROWS = 200

_LIGHT = """
.told{color-scheme:light;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--paper:#ffffff;--card:#f6f8fa}
.told{--copy:#8a4600;--view:#116329;--new:#0550ae;--bad:#b3261e}
"""
_DARK = """
.told{color-scheme:dark;--ink:#e6edf3;--soft:#9da7b3;--line:#30363d;--paper:#0d1117;--card:#161b22}
.told{--copy:#ffb86b;--view:#7ee787;--new:#79c0ff;--bad:#ff8a80}
"""
# JupyterLab's colours, where it says them; the background is set with the ink, so that both are of one scheme.
_STYLE = """
.told{color:var(--jp-content-font-color1,var(--ink));background:var(--jp-layout-color0,var(--paper));padding:6px 8px}
.told{font:14px/1.45 var(--jp-content-font-family,system-ui,sans-serif)}
.told .scroll{overflow:auto}
.told .steps{border-collapse:collapse;border:0;margin:0;font-size:14px;color:inherit;table-layout:auto}
.told .steps caption{caption-side:top;text-align:left;padding:0 0 6px;color:var(--jp-content-font-color2,var(--soft))}
.told .steps th,.told .steps td{text-align:left;vertical-align:top;padding:5px 14px 5px 0;border:0;max-width:44em}
.told .steps th,.told .steps td{line-height:1.45}
.told .steps th{font-weight:600;color:var(--jp-content-font-color2,var(--soft))}
.told .steps thead th{font-size:12px;padding-top:0}
.told .steps thead tr,.told .steps tbody tr:nth-child(n){background:none;border:0}
.told .steps tbody tr:nth-child(n){border-top:1px solid var(--jp-border-color2,var(--line))}
.told .steps .code,.told .steps .layout,.told pre{font:13px/1.5 var(--jp-code-font-family,ui-monospace,monospace)}
.told .steps .code{font-weight:600;white-space:pre-wrap;min-width:18ch}
.told .steps .reason{min-width:16em}
.told .steps .layout,.told .steps .dtype,.told .steps .bytes,.told .steps .kind{white-space:nowrap}
.told .steps .kind{font-weight:600}
.told .steps .kind.copy,.told .steps .kind.transfer{color:var(--copy)}
.told .steps .kind.view,.told .steps .kind.self{color:var(--view)}
.told .steps .kind.new,.told .steps .kind.file{color:var(--new)}
.told .steps .kind.refused,.told .refusal b{color:var(--bad)}
.told pre{margin:0;padding:0;border:0;overflow:auto;max-height:360px;white-space:pre-wrap;color:inherit;background:none}
.told .said,.told .steps td.said{padding:6px 12px;max-width:none;background:var(--card)}
.told .said,.told .steps td.said{border-left:4px solid var(--line)}
.told div.said{margin-top:8px}
.told .said.refusal,.told .steps td.said.refusal{border-left-color:var(--bad)}
.told .said .label{color:var(--jp-content-font-color2,var(--soft))}
.told .picture{margin-top:10px}
.told .picture svg{display:block}
"""

# A step as the columns of the table, or what is said between steps: its kind, its place in the code, its text.
_Said = tuple[str, str, str]
_Row = Union[dict[str, str], _Said]


class Exploration:
    """What `explore` gives: a notebook draws it, `print` writes the explanation's text."""

    def __init__(self, explanation: Explanation | CodeExplanation, height: int) -> None:
        self.explanation, self.height = explanation, height

    def _repr_html_(self) -> str:
        return html(self.explanation, self.height)

    def __repr__(self) -> str:
        return repr(self.explanation)


def html(explanation: Explanation | CodeExplanation, height: int = HEIGHT) -> str:
    """The table and, where there is one, the picture, as well-formed XHTML that changes nothing around it."""
    rows = list(_of_notation(explanation) if isinstance(explanation, Explanation) else _of_code(explanation))
    if len(rows) > _MAX_ROWS:
        half = _MAX_ROWS // 2
        rows[half:-half] = [("note", "", f"… {len(rows) - _MAX_ROWS} further rows …")]
    copies = {0: "no copy", 1: "1 copy"}.get(explanation.copies, f"{explanation.copies} copies")
    totals = f"{copies}, {bytes_text(explanation.bytes_moved)} moved"
    table = _table(rows or [("note", "", totals)], f"What each call does in memory: {totals}")
    picture = _picture(explanation)
    light, dark = _LIGHT, _DARK
    if picture:
        style = re.search(r"<style>\n(.*?)@media[^{]*\{\n(.*?)\}\n</style>\n", picture, re.DOTALL)
        assert style is not None, "the picture has a style for each scheme"
        light, dark = light + style[1], dark + style[2]
        name = f"tenstride-{token_hex(6)}"
        picture = picture.replace(style[0], "", 1).replace("title desc", f"{name}-title {name}-desc", 1)
        for part in ("title", "desc"):
            picture = picture.replace(f'id="{part}"', f'id="{name}-{part}"', 1)
        picture = (
            '<div class="scroll picture" role="group" aria-label="Picture" tabindex="0" '
            f'style="max-height:{height}px">{picture}</div>'
        )
    sheet = (
        _scoped(light + _STYLE, ".tenstride-explained")
        + f"@media (prefers-color-scheme:dark){{{_scoped(dark, '.tenstride-explained')}}}"
        + _scoped(light, '[data-jp-theme-light="true"] .tenstride-explained')
        + _scoped(dark, '[data-jp-theme-light="false"] .tenstride-explained')
    )
    return (
        f'<div class="tenstride-explained"><style>{sheet}</style><div class="told">'
        f'<div class="scroll" role="group" aria-label="Steps" tabindex="0">{table}</div>{picture}</div></div>'
    )


def _scoped(rules: str, scope: str) -> str:
    """The rules, one in each line, for what stands in the scope alone."""
    return re.sub(r"(?m)^\.[^{]*", lambda found: ",".join(f"{scope} {one}" for one in found[0].split(",")), rules)


def _picture(explanation: Explanation | CodeExplanation) -> str:
    """The SVG of each step, or of the value where the text needs names or is Python; empty where there is none.

    A text with names is not carried out again: what they stand for may have changed since, and would be changed again.
    """
    value = explanation.value
    drawn: list[Any] = [] if isinstance(value, str) else [value]
    if isinstance(explanation, Explanation):
        drawn.insert(0, json.loads(explanation.to_json())["expr"])
    for what in drawn:
        try:
            what = what if isinstance(what, (str, Tensor)) else looked_at(what, "explain")
            return _tenstride._show(what, "value", "tensors", "axis", 0, {}).to_svg()
        except (TypeError, ValueError, RuntimeError, BufferError):  # no tensor, a name, an array that none can read
            continue
    return ""


def _of_notation(explanation: Explanation) -> Iterator[_Row]:
    told = json.loads(explanation.to_json())
    for number, step in enumerate(told["steps"], 1):
        layout = (step["shape"], step["strides"], step["offset"])
        step["not_contiguous"] = _tenstride._contiguity_summary(layout)
        yield _row({**step, "step": number})
    error = told["error"]
    if error and error["call"]:
        yield {"step": str(error["step"] + 1), "call": error["call"], "kind": "refused"}
    said = [("printed", told["printed"]), ("refusal", explanation.error), ("value", told["value_text"])]
    yield from ((kind, "", text) for kind, text in [*said, ("note", told["note"])] if text)


def _of_code(explanation: CodeExplanation) -> Iterator[_Row]:
    from .explaining.steps import Printed, Remark, Step
    from .explaining.text import without_repeats

    events, hidden = without_repeats(explanation._events)
    for event in events:
        if isinstance(event, Step):
            yield {"line": str(event.line or "--let"), **_row({**event.to_dict(), "layout": event.layout})}
            said = [("note", event.scramble), ("refusal", event.error)]
            yield from ((kind, "", text) for kind, text in said if text)
            continue
        if isinstance(event, Printed):
            kind = "value" if event.is_value else "printed"
        else:
            kind = "note" if isinstance(event, Remark) or event.is_skip else "refusal"
        yield (kind, f"line {event.line}: " if event.line else "", event.text)
    if hidden:
        yield ("note", "", f"{hidden} further steps repeat what their lines did before")
    if explanation._run.ended:
        yield ("note", "", explanation._run.ended)


def _row(step: dict[str, Any]) -> dict[str, str]:
    """A step of either JSON as what its row says."""
    moved, kind, reason = step["bytes_moved"], step["kind"], step["reason"]
    if step.get("transfer"):
        cost = f"{bytes_text(step['transfer']['bytes'])} over the link"
    elif moved:
        cost = f"{bytes_text(moved)} {'moved' if moved > step.get('bytes_written', 0) else 'written'}"
    else:
        cost = bytes_text(step["bytes_allocated"]) if step["bytes_allocated"] else ""
    if reason and moved and step["cause"] and step["cause"] != step["step"]:
        reason += f" (since step {step['cause']})"
    strides = step.get("strides_in_bytes")
    why = [reason, step["not_contiguous"] if kind != "copy" else None, *step.get("notes", [])]
    why += [f"strides ({', '.join(map(str, strides))}) bytes"] if strides else []
    return {
        "step": str(step["step"]),
        "call": step.get("call") or step["code"],
        "layout": str(step["layout"] or ""),
        "dtype": step["dtype"] or "",
        "kind": kind,
        "bytes": cost,
        "reason": "; ".join(part for part in why if part),
    }


def _table(rows: Iterable[_Row], caption: str) -> str:
    """The rows as a table; without any step only what is said."""
    rows = list(rows)
    steps = [row for row in rows if isinstance(row, dict)]
    if not steps:
        return "".join(f'<div class="said {row[0]}">{_said(*row)}</div>' for row in rows if isinstance(row, tuple))
    columns = ["step", "line", "call", "layout", "dtype", "kind", "bytes", "reason"]
    if "line" not in steps[0]:
        columns.remove("line")
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    body = []
    for row in rows:
        if isinstance(row, tuple):
            body.append(f'<tr><td class="said {row[0]}" colspan="{len(columns)}">{_said(*row)}</td></tr>')
            continue
        names = {"call": "code", "kind": f"kind {row['kind']}"}
        cells = "".join(f'<td class="{names.get(one, one)}">{_text(row.get(one, ""))}</td>' for one in columns[1:])
        body.append(f'<tr><th scope="row">{row["step"]}</th>{cells}</tr>')
    return (
        f'<table class="steps"><caption>{_text(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _said(kind: str, place: str, text: str) -> str:
    """What was refused, its first line as a sentence; or what was printed, the value, a note."""
    text = text.rstrip("\n")
    if kind == "refusal":
        first, _, rest = text.partition("\n")
        name, colon, sentence = first.partition(":")
        return f"{place}<b>{_text(name)}</b>{colon}{_text(sentence)}" + (f"<pre>{_text(rest)}</pre>" if rest else "")
    return f'<span class="label">{place}{kind}</span><pre>{_text(text)}</pre>'


def _text(text: str) -> str:
    """The text for XML, which does not take every character."""
    return escape(re.sub("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))
