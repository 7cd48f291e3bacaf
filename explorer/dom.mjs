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

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** "1.5 KiB", as the program writes it. */
export function bytesText(count) {
  let unit = 0, value = count;
  while (Math.abs(value) >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Places of the library, counted in bytes of UTF-8, as places of a JavaScript string. */
export function placesIn(text) {
  const bytes = encoder.encode(text);
  return bytes.length === text.length ? place => place : place => decoder.decode(bytes.slice(0, place)).length;
}

/** Whether the reader wants things to stand still. */
export const standsStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
