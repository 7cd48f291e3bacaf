// SPDX-License-Identifier: Apache-2.0
// What was printed, the value, and what the steps would cost as one chain.
import {bytesText, make} from "./dom.mjs";

export function resultPanel(answer) {
  const {printed, value_text: value, note, chain} = answer;
  const children = [];
  if (printed) children.push(make("pre", {}, printed));
  if (value) children.push(make("pre", {}, value));
  if (note) children.push(make("p", {className: "note"}, note));
  if (chain && chain.bytes_saved > 0) {
    const {eager, lazy} = chain;
    const bill = ({copies, bytes_read: read, bytes_written: written}) =>
      copies === 0 ? "no copy" : `${copies} ${copies === 1 ? "copy" : "copies"}, ${bytesText(read)} read, ${bytesText(written)} written`;
    children.push(make("details", {},
      make("summary", {}, `As one chain: ${bytesText(chain.bytes_saved)} less to move`),
      make("p", {}, `One by one: ${bill(eager)}. `),
      make("p", {}, "As ", make("code", {}, "lazy(x)….materialize()"), `: ${bill(lazy)}.`),
      make("ul", {}, ...lazy.plan.map(({from, to}) => make("li", {}, make("code", {}, `${from} → ${to}`))))));
  }
  return children.length ? make("section", {className: "result", "aria-label": "Result"}, ...children) : null;
}
