// SPDX-License-Identifier: Apache-2.0
// The table of steps: layout, view or copy, bytes, and why.
import {bytesText, make} from "./dom.mjs";

const words = {new: "new", view: "view", copy: "copy", self: "in place", transfer: "transfer", file: "file"};

/** What a reader sees before the word: no colour alone says what happened. */
const signs = {new: "+", view: "◇", copy: "■", self: "◆", transfer: "⇄", file: "▤", refused: "✕"};

export function kindMark(kind) {
  return make("span", {className: `kind ${kind}`}, make("span", {ariaHidden: "true"}, signs[kind] ?? "·"), ` ${words[kind] ?? kind}`);
}

function contiguityText(step) {
  if (step.contiguous) return "contiguous";
  const why = step.not_contiguous;
  if (!why) return "not contiguous";
  const facts = [
    why.order.length ? "axes out of order" : "", why.repeats ? "repeats elements" : "", why.backwards ? "backwards" : "",
    why.gaps ? "gaps" : "", why.may_overlap ? "may overlap itself" : "",
  ].filter(Boolean);
  return facts.length ? `not contiguous: ${facts.join(", ")}` : "not contiguous";
}

function costText(step) {
  const parts = [];
  if (step.transfer) parts.push(`${bytesText(step.transfer.bytes)} over the link`);
  else if (step.kind === "new" || step.kind === "file") parts.push(bytesText(step.bytes_allocated));
  if (step.bytes_moved) parts.push(`${bytesText(step.bytes_moved)} moved`);
  return parts.join(", ");
}

const cell = (label, className, ...children) => make("td", {className, "data-label": label}, ...children);

function stepRow(step, number) {
  const why = [make("div", {className: step.contiguous ? "dtype" : ""}, contiguityText(step))];
  if (step.reason) {
    const since = step.kind === "copy" && step.cause && step.cause !== number ? ` (since step ${step.cause})` : "";
    why.push(make("div", {className: "reason"}, step.reason + since));
  }
  return make("tr", {tabIndex: 0, "data-step": number - 1},
    cell("step", "n", String(number)),
    cell("call", "code", step.call),
    cell("kind", "kindcell", kindMark(step.kind)),
    cell("layout", "layout", make("div", {}, make("code", {}, step.layout), " ", make("span", {className: "dtype"}, step.dtype)), ...why),
    cell("bytes", "bytes", costText(step)));
}

const maxRows = 200;

/**
 * The table; `pointed(step)` is told which row is pointed at or focused (null: none), `chosen(step)` which is clicked.
 */
export function stepsTable(answer, {pointed, chosen}) {
  const {steps, error} = answer;
  if (steps.length === 0 && !error?.call) return null;
  const rows = steps.slice(0, maxRows).map((step, i) => stepRow(step, i + 1));
  if (steps.length > maxRows) {
    rows.push(make("tr", {}, make("td", {colSpan: 5}, `… and ${steps.length - maxRows} more steps`)));
  }
  if (error?.call) {
    rows.push(make("tr", {className: "no"}, cell("step", "n", String(steps.length + 1)), cell("call", "code", error.call),
      cell("kind", "kindcell", kindMark("refused")), cell("layout", "layout", error.type), cell("bytes", "bytes")));
  }
  const titles = ["step", "call", "", "shape : strides + offset, in elements", "bytes"];
  const body = make("tbody", {}, ...rows);
  const numberOf = target => target.closest("tr")?.dataset.step;
  const point = event => pointed(numberOf(event.target) === undefined ? null : Number(numberOf(event.target)));
  body.addEventListener("mouseover", point);
  body.addEventListener("focusin", point);
  body.addEventListener("mouseleave", () => pointed(null));
  body.addEventListener("focusout", () => pointed(null));
  const choose = event => {
    const number = numberOf(event.target);
    if (number !== undefined) chosen(Number(number));
  };
  body.addEventListener("click", choose);
  body.addEventListener("keydown", event => {
    if (event.key === "Enter") choose(event);
    const way = {ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling"}[event.key];
    const next = way && event.target.closest("tr")?.[way];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  return make("div", {className: "steps"},
    make("table", {}, make("thead", {}, make("tr", {}, ...titles.map(title => make("th", {scope: "col"}, title)))), body));
}

export function totalsText({totals}) {
  const copies = totals.copies === 0 ? "no copy" : totals.copies === 1 ? "1 copy" : `${totals.copies} copies`;
  const link = totals.transfers ? `; ${bytesText(totals.bytes_transferred)} over a link` : "";
  return `${copies}, ${bytesText(totals.bytes_moved)} moved, at most ${bytesText(totals.peak_bytes)} held${link}`;
}
