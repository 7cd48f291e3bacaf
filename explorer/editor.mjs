// SPDX-License-Identifier: Apache-2.0
// Several lines of the notation: colours, the error at its place, completions, and a slider for the number at the cursor.
import {make, placesIn} from "./dom.mjs";
import {sizesIn, tokens} from "./highlight.mjs";

let editors = 0;

export class Editor {
  #field;
  #mirror;
  #names;
  #slider;
  #marks = {error: null, message: "", here: null, left: new Set()};
  #complete;
  #offered = null;
  #changed;

  /** `changed()` is told of each change; `complete(text)` resolves to {begin, names} or null. */
  constructor({label, changed, complete}) {
    const id = `names-${++editors}`;
    this.#changed = changed;
    this.#complete = complete;
    this.#mirror = make("pre", {className: "mirror", ariaHidden: "true"});
    this.#field = make("textarea", {
      spellcheck: false, autocapitalize: "off", autocomplete: "off", rows: 1, wrap: "soft",
      "aria-label": label, "aria-controls": id, "aria-autocomplete": "list",
    });
    this.#names = make("ul", {id, role: "listbox", className: "names", hidden: true, "aria-label": "Completions"});
    this.#slider = make("div", {className: "number", hidden: true});
    this.element = make("div", {className: "editor"}, make("div", {className: "field"}, this.#mirror, this.#field, this.#names), this.#slider);
    this.#field.addEventListener("input", () => {
      this.#draw();
      this.#offer();
      this.#changed();
    });
    this.#field.addEventListener("keydown", event => this.#key(event));
    this.#field.addEventListener("blur", () => this.#close());
    this.#field.addEventListener("scroll", () => { this.#mirror.scrollTop = this.#field.scrollTop; });
    for (const kind of ["keyup", "click", "focus"]) this.#field.addEventListener(kind, () => this.#offerSlider());
  }

  get text() {
    return this.#field.value;
  }

  set text(text) {
    if (text === this.#field.value) return;
    this.#field.value = text;
    this.#marks = {error: null, message: "", here: null, left: new Set()};
    this.#close();
    this.#draw();
    this.#changed();
  }

  /** Replaces parts, [{begin, end, text}], so that undoing brings them back. */
  edit(parts) {
    this.#field.focus();
    for (const part of [...parts].sort((a, b) => b.begin - a.begin)) {
      this.#field.setSelectionRange(part.begin, part.end);
      // The one way to write into a field that its history knows of; what has no such command loses the history alone.
      const isDone = part.text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, part.text);
      if (!isDone) this.#field.setRangeText(part.text, part.begin, part.end, "end");
    }
    this.#close();
    this.#draw();
    this.#changed();
  }

  focus() {
    this.#field.focus();
  }

  /** The line with the cursor, from 0 on; nothing where the field is left. */
  get lineBeingTyped() {
    if (document.activeElement !== this.#field) return undefined;
    return this.text.slice(0, this.#field.selectionEnd).split("\n").length - 1;
  }

  get isOffering() {
    return !this.#names.hidden;
  }

  /** Marks the error (places of the string, and a line of text), the lines that are left out, by number. */
  mark({error, message, left}) {
    this.#marks = {...this.#marks, error, message, left: new Set(left)};
    this.#field.setAttribute("aria-invalid", error ? "true" : "false");
    this.#draw();
  }

  /** Marks a step's call. */
  point(range) {
    this.#marks.here = range;
    this.#draw();
  }

  select({begin, end}) {
    this.#field.focus();
    this.#field.setSelectionRange(begin, end);
  }

  #draw() {
    const text = this.text, {error, here, left} = this.#marks;
    const cuts = new Set([0, text.length]);
    for (const range of [error, here]) {
      if (range) cuts.add(range.begin).add(range.end);
    }
    const pieces = [];
    for (const {kind, text: words, begin} of tokens(text)) {
      let from = begin;
      const inside = [...cuts].filter(cut => cut > begin && cut < begin + words.length).sort((a, b) => a - b);
      for (const to of [...inside, begin + words.length]) {
        pieces.push({kind, text: text.slice(from, to), begin: from});
        from = to;
      }
    }
    const within = (range, begin) => range && begin >= range.begin && begin < range.end;
    const lineOf = begin => text.slice(0, begin).split("\n").length - 1;
    const errorLine = error ? lineOf(Math.max(Math.min(error.end, text.length) - 1, 0)) : -1;
    const nodes = [];
    let line = 0;
    const endLine = () => {
      if (line === errorLine && this.#marks.message) nodes.push(make("span", {className: "beside"}, this.#marks.message));
      if (left.has(line) && !left.has(line - 1)) nodes.push(make("span", {className: "beside"}, "needs Python: python -m tenstride explain"));
    };
    for (const piece of pieces) {
      const parts = piece.text.split("\n");
      parts.forEach((part, i) => {
        if (i > 0) {
          endLine();
          nodes.push("\n");
          ++line;
        }
        if (part === "") return;
        const classes = [piece.kind];
        if (within(error, piece.begin)) classes.push("error");
        if (within(here, piece.begin)) classes.push("here");
        if (left.has(line)) classes.push("left");
        nodes.push(make("span", {className: classes.join(" ")}, part));
      });
    }
    // An error at the end of the text has no character of its own.
    if (error && error.begin >= text.length) nodes.push(make("span", {className: "error"}, " "));
    endLine();
    this.#mirror.replaceChildren(...nodes, "\n");
    this.#field.style.height = "auto";
    this.#field.style.height = `${Math.max(this.#field.scrollHeight, 48)}px`;
  }

  async #offer() {
    const at = this.#field.selectionEnd, text = this.text;
    const before = text.slice(0, at);
    const isWord = /[A-Za-z_.]\w*$/.test(before) && !/^\w/.test(text.slice(at));
    if (!isWord) return this.#close();
    const found = await this.#complete(before);
    if (!found || this.text !== text || this.#field.selectionEnd !== at) return;
    const begin = placesIn(before)(found.begin);
    const begun = before.slice(begin);
    const names = found.names.filter(name => name !== begun).slice(0, 50);
    if (names.length === 0 || (begun === "" && !before.endsWith("."))) return this.#close();
    this.#offered = {begin, names, chosen: -1};
    this.#names.replaceChildren(...names.map((name, i) => make("li", {
      role: "option", id: `${this.#names.id}-${i}`, "aria-selected": "false",
      onmousedown: event => { event.preventDefault(); this.#take(i); },
    }, make("b", {}, begun), name.slice(begun.length))));
    this.#names.hidden = false;
    this.#placeNames(before.slice(0, begin));
  }

  /** Below the line with the cursor, as far to the right as the name begins. */
  #placeNames(before) {
    const probe = make("pre", {className: "mirror probe"}, before, make("span", {}, "​"));
    this.#mirror.after(probe);
    const mark = probe.lastChild, box = mark.getBoundingClientRect(), field = this.#field.getBoundingClientRect();
    this.#names.style.top = `${box.bottom - field.top + 2}px`;
    this.#names.style.left = `${Math.max(0, Math.min(box.left - field.left, field.width - 180))}px`;
    probe.remove();
  }

  #choose(which) {
    const items = [...this.#names.children];
    this.#offered.chosen = (which + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === this.#offered.chosen)));
    const item = items[this.#offered.chosen];
    item.scrollIntoView({block: "nearest"});
    this.#field.setAttribute("aria-activedescendant", item.id);
  }

  #take(which) {
    const {begin, names} = this.#offered;
    this.edit([{begin, end: this.#field.selectionEnd, text: names[which]}]);
  }

  #close() {
    this.#offered = null;
    this.#names.hidden = true;
    this.#field.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (!this.isOffering || event.isComposing) return;
    const {chosen} = this.#offered;
    if (event.key === "ArrowDown") this.#choose(chosen + 1);
    else if (event.key === "ArrowUp") this.#choose(chosen < 0 ? -1 : chosen - 1);
    else if (event.key === "Escape") {
      this.#close();
      this.#changed();
    } else if (event.key === "Tab" && !event.shiftKey) this.#take(Math.max(chosen, 0));
    else if (event.key === "Enter" && chosen >= 0) this.#take(chosen);
    else return;
    event.preventDefault();
  }

  /** A slider for the whole number at the cursor. */
  #offerSlider() {
    const at = this.#field.selectionEnd;
    const size = sizesIn(this.text).find(each => at >= each.begin && at <= each.end);
    this.#slider.hidden = !size;
    if (!size) return;
    const limit = Math.max(16, 4 * size.value);
    const set = value => {
      const now = sizesIn(this.text).find(each => each.begin === size.begin);
      if (!now || value === "" || Number(value) === now.value) return;
      this.#field.setRangeText(String(Number(value)), now.begin, now.end, "end");
      exact.value = range.value = value;
      this.#draw();
      this.#changed();
    };
    const range = make("input", {type: "range", min: 0, max: limit, value: size.value, ariaLabel: `The number ${size.value}, by a slider`, oninput: () => set(range.value)});
    const exact = make("input", {type: "number", min: 0, value: size.value, ariaLabel: "The number at the cursor", oninput: () => set(exact.value)});
    this.#slider.replaceChildren(make("span", {}, size.name ? `${size.name} =` : "number"), range, exact);
  }
}
