// SPDX-License-Identifier: Apache-2.0
// What is refused: why, and the ways out, each a button that writes it into the text.
import {bytesText, make} from "./dom.mjs";

const labelled = /^ {2}(from|walk|free|since|note):? +(.*)$/;

/** The lines of the message as terms and what they say; the fixes are buttons in place of lines. */
function reasons(lines) {
  const list = make("dl");
  let isFix = false;
  for (const line of lines) {
    const found = line.match(labelled);
    if (/^ {2}fixes:/.test(line) || (isFix && /^ {9}/.test(line))) {
      isFix = true;
      continue;
    }
    isFix = false;
    if (found) list.append(make("dt", {}, found[1]), make("dd", {}, found[2]));
    else if (line.trim() !== "") list.append(make("dt", {}, list.children.length ? "" : "why"), make("dd", {}, line.trim()));
  }
  return list;
}

function fixPrice(fix) {
  if (fix.bytes_copied === 0) return fix.reorders ? "no copy, another element order" : "no copy";
  return `copies ${bytesText(fix.bytes_copied)}${fix.code.startsWith(".contiguous") ? ", visibly" : ", silently"}`;
}

/** The panel; `apply(edits)` is called with the edits of a fix that is clicked. Null where nothing is refused. */
export function problemPanel(error, apply) {
  if (!error) return null;
  const [first, ...rest] = error.message.split("\n");
  const children = [make("h2", {}, error.type), make("p", {}, first)];
  const fixes = error.obstacle?.fixes ?? [];
  if (error.obstacle) children.push(reasons(rest));
  else if (rest.length) children.push(make("pre", {}, rest.join("\n")));
  if (fixes.length) {
    children.push(make("ul", {className: "fixes", "aria-label": "Ways out"}, ...fixes.map(fix => make("li", {},
      fix.edits.length ? make("button", {type: "button", onclick: () => apply(fix.edits)}, fix.code) : make("code", {}, fix.code),
      " ", make("span", {}, fixPrice(fix))))));
  }
  return make("section", {className: "problem", "aria-label": "Refused"}, ...children);
}
