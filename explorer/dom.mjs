// SPDX-License-Identifier: Apache-2.0
// Elements and texts, and the sizes of both.

/** Makes an element: properties are set, what is none of these (aria-label, role) becomes an attribute, null nothing. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** "1536 B", "10.0 KiB", as the program writes it. */
export function bytesText(count) {
  if (count < 10_000) return `${count} B`;
  let unit = 0, amount = count / 1024;
  while (amount >= 999.95 && unit + 1 < units.length) {
    amount /= 1024;
    ++unit;
  }
  return `${amount.toFixed(1)} ${units[unit]}`;
}

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Places of the library, counted in bytes of UTF-8, as places of a JavaScript string. */
export function placesIn(text) {
  const bytes = encoder.encode(text);
  return bytes.length === text.length ? place => place : place => decoder.decode(bytes.slice(0, place)).length;
}

/** Whether the reader wants things to stand still. */
export const standsStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
