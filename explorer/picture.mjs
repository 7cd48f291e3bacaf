// SPDX-License-Identifier: Apache-2.0
// The library's pictures: an element is followed through all steps, a copy is walked, one step becomes the next.
import {make, standsStill} from "./dom.mjs";
import {Drawing} from "./drawing.mjs";

/** "2·12 + 1·4 + 3·1 = 31": an index in a layout such as "(4,3,4):(12,4,1)+0", exact beyond 2^53. */
export function positionText(index, layout) {
  const [, strides, offset] = layout.match(/^\(.*\):\((.*)\)\+(\d+)$/);
  const steps = strides.split(",").filter(Boolean);
  const terms = index.map((i, axis) => `${i}·${steps[axis]}`);
  if (offset !== "0" || terms.length === 0) terms.unshift(offset);
  const position = index.reduce((sum, i, axis) => sum + BigInt(i) * BigInt(steps[axis]), BigInt(offset));
  return `${terms.join(" + ").replaceAll("·-", "·−")} = ${position}`;
}

/** Steps that are told to who cannot see the picture. */
const maxWords = 12;

/** The least size of a picture, of its own. */
const smallest = 0.75;

const centre = cell => {
  const box = cell.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};

/** The next one in a direction, those aside of it counting as farther. */
function neighbour(cells, from, [dx, dy]) {
  const [x, y] = centre(from);
  let best = Infinity, found = from;
  for (const cell of cells) {
    const [cx, cy] = centre(cell);
    const along = (cx - x) * dx + (cy - y) * dy, aside = Math.abs((cx - x) * dy) + Math.abs((cy - y) * dx);
    if (along > 4 && along + 4 * aside < best) {
      best = along + 4 * aside;
      found = cell;
    }
  }
  return found;
}

export class PictureView {
  #drawing;
  #figure;
  #words;
  #panel;
  #walk;
  #morph;
  #cells = [];
  #steps = [];
  #chosen = null;

  /** `id` is no other element's. */
  constructor(id) {
    this.#drawing = new Drawing(id);
    this.#words = make("p", {id: `${id}-words`, className: "unseen"});
    this.#figure = make("figure", {tabIndex: 0, role: "application", "aria-describedby": this.#words.id, "aria-label": "Elements and storage; the arrow keys move from element to element, Escape lets go"});
    this.#panel = make("div", {className: "element", role: "status", ariaLive: "polite"});
    this.#walk = new Walk(this.#figure);
    this.#morph = make("button", {type: "button", className: "morph", hidden: true, onclick: () => this.#play()}, "▶ From step to step");
    this.element = make("div", {className: "picture"}, make("div", {className: "tools"}, this.#walk.element, this.#morph), make("div", {className: "scroll"}, this.#figure), this.#words, this.#panel);
    this.#figure.addEventListener("mouseover", event => {
      const cell = event.target.closest?.("g.e,g.p");
      if (cell && cell !== this.#chosen) this.#choose(cell);
    });
    this.#figure.addEventListener("mouseleave", () => this.#choose(null));
    this.#figure.addEventListener("click", event => {
      const cell = event.target.closest?.("g.e,g.p");
      if (cell) this.#choose(cell);
    });
    this.#figure.addEventListener("keydown", event => this.#key(event));
  }

  get svg() {
    return this.#figure.querySelector("svg");
  }

  /** Shows an answer of "picture"; `steps` are the explanation's. */
  show(answer, steps) {
    this.#steps = steps;
    this.#choose(null);
    this.point(null);
    this.#words.textContent = pictureText(steps.slice(0, maxWords));
    if (!answer || answer.refused || answer.text !== undefined) {
      this.#figure.replaceChildren(make("pre", {}, answer?.text ?? answer?.refused ?? ""));
      this.#cells = [];
    } else {
      this.#drawing.show(answer.svg);
      if (this.svg !== this.#drawing.element) this.#figure.replaceChildren(this.#drawing.element);
      this.#cells = [...this.#figure.querySelectorAll("g.e,g.p")];
      // Made smaller as long as digits can be read; then it is scrolled.
      const width = `${Math.round(smallest * this.svg.width.baseVal.value)}px`;
      if (this.svg.style.minWidth !== width) this.svg.style.minWidth = width;
    }
    this.#morph.hidden = this.#rows().length < 2;
    this.#walk.begin();
  }

  /** Marks the rows of a step of the explanation; null lets go. */
  point(step) {
    for (const row of this.#figure.querySelectorAll("[data-explain-step]")) {
      row.classList.toggle("pointed", step !== null && Number(row.dataset.explainStep) === step);
    }
  }

  #rows() {
    return [...this.#figure.querySelectorAll("g.row")].filter(row => row.querySelector("g.e"));
  }

  #choose(cell) {
    if (cell === null && this.#chosen === null) return;
    this.#chosen = cell;
    const root = cell?.dataset.root;
    const same = cell ? this.#cells.filter(other => other.dataset.root === root) : [];
    for (const other of this.#cells) {
      other.classList.toggle("same", other !== cell && same.includes(other));
      other.classList.toggle("chosen", other === cell);
    }
    for (const other of same) other.parentNode.append(other); // over its neighbours
    this.#figure.classList.toggle("follows", cell !== null);
    this.#panel.replaceChildren(...(cell ? this.#places(same) : []));
  }

  /** One line for each step that has the element: its index, and how the strides make of it a position. */
  #places(same) {
    const lines = [];
    for (const row of this.#rows()) {
      const elements = same.filter(cell => row.contains(cell) && cell.classList.contains("e"));
      const title = row.querySelector("text.t")?.textContent ?? "";
      const step = this.#steps[Number(row.dataset.explainStep)];
      if (elements.length === 0) {
        lines.push(make("li", {}, make("b", {}, title), " not drawn, or not in it"));
        continue;
      }
      const {index, position} = elements[0].dataset;
      const at = index === "" ? [] : index.split(",");
      const sum = step ? positionText(at, step.layout) : `position ${position}`;
      const more = elements.length > 1 ? ` and ${elements.length - 1} more of its indexes` : "";
      lines.push(make("li", {}, make("b", {}, title), ` [${at.join(",")}] → ${sum}${more}`));
    }
    return [make("ul", {}, ...lines)];
  }

  #key(event) {
    const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
    if (event.key === "Escape") this.#choose(null);
    if (!way || this.#cells.length === 0) return;
    event.preventDefault();
    const next = this.#chosen ? neighbour(this.#cells, this.#chosen, way) : this.#cells[0];
    this.#choose(next);
    next.scrollIntoView({block: "nearest", inline: "nearest"});
  }

  /** Elements glide from where one step has them to where the next one has them. */
  async #play() {
    if (this.#morph.disabled) return;
    this.#morph.disabled = true;
    const picture = this.svg, rows = this.#rows();
    for (let i = 0; i + 1 < rows.length && this.svg === picture; ++i) await this.#glide(rows[i], rows[i + 1]);
    for (const row of rows) row.classList.remove("hidden", "pointed");
    this.#morph.disabled = false;
  }

  async #glide(from, to) {
    to.scrollIntoView({block: "nearest", behavior: standsStill() ? "auto" : "smooth"});
    to.classList.add("pointed");
    const rest = standsStill() ? 900 : 0;
    if (rest) {
      await new Promise(resolve => setTimeout(resolve, rest));
      to.classList.remove("pointed");
      return;
    }
    const place = cell => {
      const rect = cell.querySelector("rect");
      return [Number(rect.getAttribute("x")), Number(rect.getAttribute("y"))];
    };
    const before = new Map([...from.querySelectorAll("g.e")].map(cell => [cell.dataset.root, cell]));
    const moves = [];
    for (const cell of to.querySelectorAll("g.e")) {
      const source = before.get(cell.dataset.root);
      if (!source) continue;
      const copy = cell.cloneNode(true), [x, y] = place(cell), [x0, y0] = place(source);
      copy.classList.add("gliding");
      to.append(copy);
      cell.classList.add("hidden");
      const path = [{transform: `translate(${x0 - x}px, ${y0 - y}px)`}, {transform: "translate(0, 0)"}];
      const done = copy.animate(path, {duration: 1400, easing: "ease-in-out"}).finished;
      moves.push(done.catch(() => {}).then(() => {
        copy.remove();
        cell.classList.remove("hidden");
      }));
    }
    await Promise.all(moves);
    to.classList.remove("pointed");
    await new Promise(resolve => setTimeout(resolve, 350));
  }
}

/** Steps through a copy in the order in which its plan visits both sides. */
class Walk {
  #figure;
  #slider;
  #told;
  #button;
  #timer = 0;
  #visits = [];

  constructor(figure) {
    this.#figure = figure;
    this.#slider = make("input", {type: "range", min: 0, max: 0, value: 0, ariaLabel: "Visit of the copy", oninput: () => this.#show()});
    this.#button = make("button", {type: "button", onclick: () => this.#play()}, "▶ Walk");
    this.#told = make("output");
    this.element = make("div", {className: "walk", hidden: true}, this.#button, this.#slider, this.#told);
  }

  begin() {
    this.#stop();
    this.#visits = [...this.#figure.querySelectorAll("g.visit")];
    this.element.hidden = this.#visits.length === 0;
    if (this.element.hidden) return;
    this.#slider.max = Math.max(...this.#visits.map(visit => Number(visit.dataset.visit)));
    this.#slider.value = this.#slider.max;
    this.#show();
  }

  #show() {
    const now = Number(this.#slider.value), positions = [];
    for (const visit of this.#visits) {
      const number = Number(visit.dataset.visit);
      visit.classList.toggle("later", number > now);
      visit.classList.toggle("now", number === now);
      if (number === now) positions.push(visit.dataset.position);
    }
    const pairs = [];
    for (let i = 0; i + 1 < positions.length; i += 2) pairs.push(`${positions[i]} → ${positions[i + 1]}`);
    this.#told.textContent = `visit ${now + 1} of ${Number(this.#slider.max) + 1}: ${pairs.join(", ")}`;
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#button.textContent = "▶ Walk";
  }

  #play() {
    if (this.#timer) return this.#stop();
    if (Number(this.#slider.value) >= Number(this.#slider.max)) this.#slider.value = 0;
    this.#button.textContent = "❚❚ Pause";
    this.#show();
    this.#timer = setInterval(() => {
      this.#slider.value = Number(this.#slider.value) + 1;
      this.#show();
      if (Number(this.#slider.value) >= Number(this.#slider.max)) this.#stop();
    }, 300);
  }
}

/** A text for who cannot see the picture. */
function pictureText(steps) {
  return steps.map((step, i) => `Step ${i + 1}, ${step.call}: ${step.layout}, ${step.kind}.`).join(" ");
}
