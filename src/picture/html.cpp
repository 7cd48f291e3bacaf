// SPDX-License-Identifier: Apache-2.0
// The page: the SVG as it is, and a script that follows one element through all of it.
#include "base/message.hpp"
#include "picture/scene.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::detail {
namespace {

constexpr std::string_view page_style = R"(<style>
:root{color-scheme:light dark}
body{margin:0;font:15px/1.45 sans-serif;background:#ffffff;color:#1f2328}
main{max-width:1100px;margin:0 auto;padding:16px 20px 180px}
h1{font-size:20px;margin:8px 0 4px}
p{margin:4px 0 12px;color:#59636e}
figure{margin:0;overflow-x:auto;outline-offset:4px}
svg{display:block;max-width:none}
.e,.p{cursor:default}
.e rect,.p rect{transition:none}
.same rect.c{stroke:#1f2328;stroke-width:3}
.chosen rect.c{stroke:#b3261e;stroke-width:4}
.faded{opacity:.35}
#panel{position:fixed;left:0;right:0;bottom:0;max-height:38vh;overflow-y:auto;background:#f6f8fa;border-top:1px solid #8c959f;padding:10px 20px}
#panel table{border-collapse:collapse;font:13px/1.5 monospace;margin:0 auto;min-width:60%}
#panel th{font:bold 12px sans-serif;text-align:left;color:#59636e}
#panel td,#panel th{padding:1px 22px 1px 0}
#tip{position:fixed;pointer-events:none;background:#1f2328;color:#ffffff;font:12px/1.4 monospace;padding:5px 9px;border-radius:5px;white-space:pre;display:none}
kbd{font:12px monospace;border:1px solid #8c959f;border-radius:3px;padding:0 4px}
@media (prefers-color-scheme:dark){
body{background:#0d1117;color:#e6edf3}
p{color:#9da7b3}
#panel{background:#161b22;border-color:#57606a}
#panel th{color:#9da7b3}
#tip{background:#e6edf3;color:#0d1117}
.same rect.c{stroke:#e6edf3}
.chosen rect.c{stroke:#ff8a80}
}
</style>
)";

constexpr std::string_view script = R"js(<script>
"use strict";
const figure = document.querySelector("figure"), body = document.querySelector("#panel tbody"), tip = document.querySelector("#tip");
const cells = [...document.querySelectorAll("g.e,g.p")], elements = cells.filter(c => c.classList.contains("e"));
const titles = JSON.parse(document.querySelector("#steps").textContent);
let chosen = null;
const fact = c => ({step: +c.dataset.step, index: c.dataset.index, position: +c.dataset.position, byte: +c.dataset.byte, root: c.dataset.root});
function words(c) {
  const f = fact(c);
  return (f.index === undefined ? "storage" : "index (" + f.index + ")") + "\nposition " + f.position + "\nbyte " + f.byte + " of storage " + titles[f.step].storage;
}
function show(c) {
  chosen = c;
  const root = c && c.dataset.root, shared = new Set();
  for (const other of cells) {
    const same = c !== null && other.dataset.root === root;
    other.classList.toggle("same", same && other !== c);
    if (same) other.parentNode.append(other);  // over its neighbours
    other.classList.toggle("chosen", other === c);
  }
  body.replaceChildren(...titles.map((title, step) => {
    const found = c === null ? [] : elements.filter(e => +e.dataset.step === step && e.dataset.root === root);
    const spots = c === null ? [] : cells.filter(e => +e.dataset.step === step && e.dataset.root === root);
    const row = document.createElement("tr");
    const list = (of, key) => [...new Set(of.map(e => e.dataset[key]))];
    const short = l => l.length > 4 ? l.slice(0, 4).join(" ") + " … " + l.length + " in all" : l.join(" ");
    const texts = [title.title, short(list(found, "index").map(i => "(" + i + ")")), short(list(spots, "position")), spots.length ? short(list(spots, "byte")) + " of " + title.storage : ""];
    if (c !== null && !spots.length) texts[1] = "not drawn, or not in it";
    row.append(...texts.map(t => { const cell = document.createElement("td"); cell.textContent = t; return cell; }));
    return row;
  }));
}
function place(x, y, c) {
  tip.textContent = words(c);
  tip.style.display = "block";
  tip.style.left = Math.min(x + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(y + 16, innerHeight - tip.offsetHeight - 8) + "px";
}
figure.addEventListener("mousemove", event => {
  const c = event.target.closest("g.e,g.p");
  if (!c) { tip.style.display = "none"; return; }
  if (c !== chosen) show(c);
  place(event.clientX, event.clientY, c);
});
figure.addEventListener("mouseleave", () => { tip.style.display = "none"; });
const centre = c => { const b = c.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; };
figure.addEventListener("keydown", event => {
  const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
  if (event.key === "Escape") { show(null); tip.style.display = "none"; return; }
  if (!way || !cells.length) return;
  event.preventDefault();
  let next = cells[0];
  if (chosen) {
    const [x, y] = centre(chosen);
    let best = Infinity;
    next = chosen;
    for (const c of cells) {
      const [cx, cy] = centre(c), along = (cx - x) * way[0] + (cy - y) * way[1], aside = Math.abs((cx - x) * way[1]) + Math.abs((cy - y) * way[0]);
      if (along > 4 && along + 4 * aside < best) { best = along + 4 * aside; next = c; }
    }
  }
  show(next);
  next.scrollIntoView({block: "nearest", inline: "nearest"});
  const [cx, cy] = centre(next);
  place(cx, cy, next);
});
show(null);
figure.focus({preventScroll: true});
</script>
)js";

/// The text as a string of JSON that may stand in a script element.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result + '"';
}

}  // namespace
}  // namespace tenstride::detail

namespace tenstride {

std::string to_html(const Picture& picture, const PictureOptions& options) {
  const std::string svg = to_svg(picture, options);
  std::string steps = "[";
  for (const PictureTensor& tensor : picture.tensors) {
    steps += detail::message(steps.size() > 1 ? "," : "", "{\"title\":", detail::quoted(tensor.title),
                             ",\"storage\":", detail::quoted(picture.storages[tensor.storage].name), "}");
  }
  const std::string title = picture.tensors.empty() ? "A refused expression" : picture.tensors.back().title;
  return detail::message(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      detail::escaped(title), "</title>\n", detail::page_style, "</head>\n<body>\n<main>\n<h1>",
      "Where each element lies</h1>\n<p>Point at an element, or move with the arrow keys "
      "(<kbd>Esc</kbd> lets go): the same element is marked in every step and in the storage.</p>\n"
      "<figure tabindex=\"0\" aria-label=\"Elements; move with the arrow keys\">\n",
      svg,
      "</figure>\n</main>\n<section id=\"panel\" "
      "aria-live=\"polite\"><table>\n<thead><tr><th>step</th><th>index</th>",
      "<th>position</th><th>byte of storage</th></tr></thead>\n<tbody></tbody>\n</table></section>\n<div "
      "id=\"tip\" role=\"status\"></div>\n",
      "<script type=\"application/json\" id=\"steps\">", steps, "]</script>\n", detail::script,
      "</body>\n</html>\n");
}

}  // namespace tenstride
