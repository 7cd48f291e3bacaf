# SPDX-License-Identifier: Apache-2.0
"""A report as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from .strip import svg
from .text import bytes_text

if TYPE_CHECKING:
    from .findings import Findings
    from .record import Copy

_STYLE = """
:root { color-scheme: light dark; --back:#f6f7f9; --card:#fff; --text:#1d2430; --dim:#667080;
  --line:#dfe3e8; --code:#eef1f4; --silent:#c2410c; --explicit:#1d6fb8; --conversion:#7c4dbd; --transfer:#0f766e;
  --warn:#a16207; }
@media (prefers-color-scheme: dark) { :root { --back:#14171c; --card:#1d2127; --text:#e4e8ee; --dim:#98a2b0;
  --line:#323842; --code:#272c34; --silent:#fb923c; --explicit:#6db7f2; --conversion:#bb97f0; --transfer:#5eead4;
  --warn:#eab308; } }
* { box-sizing: border-box; }
body { margin:0; background:var(--back); color:var(--text); font:15px/1.45 system-ui,sans-serif; }
main { max-width:1060px; margin:0 auto; padding:22px 18px 40px; }
h1 { font-size:23px; margin:0 0 12px; }
h2 { font-size:17px; margin:26px 0 8px; }
.sums { display:flex; flex-wrap:wrap; gap:10px; margin:0 0 16px; padding:0; list-style:none; }
.sums li { background:var(--card); border:1px solid var(--line); border-radius:8px; padding:8px 14px; }
.sums b { display:block; font-size:20px; } .sums span { color:var(--dim); font-size:13px; }
article { background:var(--card); border:1px solid var(--line); border-left:4px solid var(--tone);
  border-radius:8px; padding:10px 16px 12px; margin:0 0 12px; }
.silent { --tone:var(--silent); } .explicit { --tone:var(--explicit); }
.conversion { --tone:var(--conversion); }
.transfer { --tone:var(--transfer); }
.scramble { --tone:var(--warn); }
header { display:flex; align-items:baseline; gap:10px; flex-wrap:wrap; }
header b { font-size:16px; } .kind { color:var(--tone); font-size:13px; }
.moved { margin-left:auto; font-weight:600; }
.bar { height:4px; border-radius:2px; background:var(--code); margin:7px 0 9px; }
.bar i { display:block; height:4px; border-radius:2px; background:var(--tone); }
code { font:13px/1.45 ui-monospace,Menlo,Consolas,monospace; }
pre { margin:0 0 8px; background:var(--code); border-radius:6px; padding:6px 10px; overflow-x:auto; }
dl { display:grid; grid-template-columns:max-content 1fr; gap:2px 12px; margin:8px 0 0; }
dt { color:var(--dim); } dd { margin:0; overflow-wrap:anywhere; }
.where { color:var(--dim); }
.pictures { overflow-x:auto; } .strip { display:block; margin:8px 0 2px; }
.strip text { font:11px ui-monospace,Menlo,Consolas,monospace; text-anchor:middle; }
.strip .name { text-anchor:start; fill:var(--dim); font-size:12px; }
.strip .gap, .strip .at { fill:var(--dim); }
.strip .at { font-size:9px; } .strip .in { fill:#17202c; }
footer, .note { color:var(--dim); font-size:13px; }
"""


def _item(name: str, text: str) -> str:
    return f"<dt>{escape(name)}</dt><dd>{text}</dd>"


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _card(group: Sequence[Copy], most: int) -> str:
    copy = group[0]
    moved = sum(one.bytes_moved for one in group)
    src, dst = copy.sides()
    times = f' <span class="where">{len(group)} times</span>' if len(group) > 1 else ""
    phase = ", in the backward pass" if copy.phase == "backward" else ""
    place = copy.place.short if copy.place else "place unknown"
    inside = f' in <span class="where">{escape(copy.inside.short)}</span>' if copy.inside else ""
    items = [_item("from", _code(src)), _item("to", _code(dst))]
    if copy.inside and copy.inside.code:
        items.insert(0, _item("in", _code(copy.inside.code)))
    items.append(_item("why", escape(copy.why)))
    step = copy.since
    if step is not None:
        items.append(_item("since", _code(f"{step}")))
    if copy.allowed:
        items.append(_item("allowed", escape(copy.allowed)))
    else:
        items.append(_item("fix", escape(copy.fix)))
    read, written = sum(one.bytes_read for one in group), sum(one.bytes_written for one in group)
    code = f"<pre>{_code(copy.code)}</pre>" if copy.code else ""
    picture = svg(copy.src, copy.dst)
    return (
        f'<article class="{copy.kind}"><header><b>{escape(copy.operation)}</b>'
        f'<span class="kind">{copy.kind}{phase}</span>{times}'
        f'<span class="where">{escape(place)}{inside}</span>'
        f'<span class="moved" title="{read} B read, {written} B written">{bytes_text(moved)}</span></header>'
        f'<div class="bar"><i style="width:{100 * moved / max(most, 1):.1f}%"></i></div>{code}'
        f"<dl>{''.join(items)}</dl>" + (f'<div class="pictures">{picture}</div>' if picture else "") + "</article>"
    )


def _kind_words(kind: str, count: int) -> str:
    if kind in ("conversion", "transfer"):
        return kind if count == 1 else f"{kind}s"
    return f"{kind} copy" if count == 1 else f"{kind} copies"


def _sums(report: Findings) -> str:
    kinds = [(kind, len(report.of_kind(kind))) for kind in ("silent", "explicit", "conversion", "transfer")]
    cells = [(str(count), _kind_words(kind, count)) for kind, count in kinds if count]
    cells += [(bytes_text(report.bytes_read), "read"), (bytes_text(report.bytes_written), "written")]
    if report.saves:
        cells.append((bytes_text(report.saves), "saved by the fixes"))
    if report.scrambles:
        cells.append((str(len(report.scrambles)), "scramble" + "s" * (len(report.scrambles) > 1)))
    if report.left_out:
        cells.append((str(report.left_out), "more, not listed"))
    return '<ul class="sums">' + "".join(f"<li><b>{a}</b><span>{b}</span></li>" for a, b in cells) + "</ul>"


def page(report: Findings, title: str) -> str:
    """The page: sums, then a card for each group of copies alike, the most bytes first. Also well-formed XML."""
    groups = report.groups()
    most = max((sum(one.bytes_moved for one in group) for group in groups), default=0)
    parts: list[str] = [f"<h1>{escape(title)}</h1>", _sums(report)]
    if not groups:
        parts.append('<p class="note">Nothing was copied.</p>')
    parts += [_card(group, most) for group in groups]
    if report.scrambles:
        parts.append("<h2>Sizes moved, elements not</h2>")
    for scramble in report.scrambles:
        place = scramble.place.short if scramble.place else "place unknown"
        parts.append(
            f'<article class="scramble"><header><b>{escape(scramble.operation)}</b><span class="where">'
            f"{escape(place)}</span></header><pre>{_code(scramble.code)}</pre>"
            f"<div>{escape(str(scramble.reordering))}</div></article>"
        )
    if report.missed:
        parts.append("<h2>Not seen</h2>")
        parts.append("<ul>" + "".join(f"<li>{escape(one)}</li>" for one in report.missed) + "</ul>")
    parts.append(
        "<footer>Layouts are shape:strides+offset in elements. A strip shows a corner of the tensor in the "
        "order of memory; below each cell its position, inside it its place in the result.</footer>"
    )
    return (
        '<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )
