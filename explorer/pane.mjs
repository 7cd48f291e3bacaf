// SPDX-License-Identifier: Apache-2.0
// One text and all that is told of it.
import {CostPanel} from "./cost.mjs";
import {make, placesIn} from "./dom.mjs";
import {Editor} from "./editor.mjs";
import {PictureView} from "./picture.mjs";
import {problemPanel} from "./problem.mjs";
import {resultPanel} from "./result.mjs";
import {stepsTable, totalsText} from "./steps.mjs";

/** Milliseconds without a key after which a text is run; and after which a run that goes on is told. */
const pause = 30, slow = 300;

/** What is drawn: [name, title, the library's subject and form]. */
export const views = [
  ["tensors", "Elements and storage", {subject: "tensors"}],
  ["walk", "Walk of the copies", {subject: "walk"}],
  ["atoms", "Chain", {subject: "atoms"}],
  ["text", "As text", {form: "text"}],
];

let numberOfPanes = 0;

export class Pane {
  #engine;
  #id = `pane-${++numberOfPanes}`;
  #editor;
  #view = "tensors";
  #answer = null;
  #picture = new PictureView(`${this.#id}-drawn`);
  #cost;
  #told = make("div", {className: "told"});
  #status = make("p", {className: "status", role: "status", ariaLive: "polite"});
  #stop = make("button", {type: "button", className: "stop", hidden: true, onclick: () => this.#engine.stop()}, "Stop");
  #tabs;
  #timer = 0;
  #asked = 0;
  #shown = 0;
  #changed;

  /** `changed()` is called when the text, the view or the sizes are others, and when what is told of them is. */
  constructor({engine, label, changed}) {
    this.#engine = engine;
    this.#changed = changed;
    this.#editor = new Editor({label, changed: () => this.#wait(), complete: text => this.#complete(text)});
    this.#cost = new CostPanel(engine, changed);
    const panel = `${this.#id}-picture`;
    this.#tabs = views.map(([name, title]) => make("button", {
      type: "button", role: "tab", id: `${this.#id}-${name}`, "aria-controls": panel, onclick: () => { this.view = name; },
    }, title));
    const tabs = make("div", {role: "tablist", className: "tabs", "aria-label": "Pictures"}, ...this.#tabs);
    tabs.addEventListener("keydown", event => this.#moveTab(event));
    const shown = make("div", {id: panel, role: "tabpanel", tabIndex: -1}, this.#picture.element);
    this.element = make("section", {className: "pane", "aria-label": label},
      make("div", {className: "said"}, this.#editor.element, make("div", {className: "state"}, this.#status, this.#stop), this.#told, this.#cost.element),
      make("div", {className: "drawn"}, tabs, shown));
    this.#showTabs();
  }

  get text() {
    return this.#editor.text;
  }

  set text(text) {
    this.#editor.text = text;
  }

  get cost() {
    return this.#cost.state;
  }

  set cost(state) {
    this.#cost.state = state;
  }

  get view() {
    return this.#view;
  }

  set view(name) {
    const known = views.some(([each]) => each === name) ? name : "tensors";
    if (known === this.#view) return;
    this.#view = known;
    this.#showTabs();
    this.#changed();
    this.#run();
  }

  get svg() {
    return this.#picture.svg;
  }

  /** What the program prints of the text. */
  async programText() {
    const {answers} = await this.#engine.call(`${this.#id} text`, [["text", {text: this.#answer?.run ?? this.text}]]);
    return answers?.[0]?.text ?? "";
  }

  focus() {
    this.#editor.focus();
  }

  #showTabs() {
    this.#tabs.forEach((tab, i) => {
      const isShown = views[i][0] === this.#view;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    });
  }

  #moveTab(event) {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) return;
    const at = this.#tabs.indexOf(document.activeElement);
    const next = this.#tabs[(at + by + this.#tabs.length) % this.#tabs.length];
    next.click();
    next.focus();
  }

  async #complete(text) {
    const bound = [...this.text.matchAll(/(?:^|[\n;])\s*([A-Za-z_]\w*)\s*=(?!=)/g)].map(match => match[1]);
    const {answers} = await this.#engine.call(`${this.#id} complete`, [["complete", {text, names: [...new Set(bound)]}]]);
    return answers?.[0];
  }

  /** Whether what is in the editor is what is told. */
  get isSettled() {
    return this.#asked === this.#shown;
  }

  #wait() {
    clearTimeout(this.#timer);
    ++this.#asked;
    this.#timer = setTimeout(() => this.#run(), this.#answer ? pause : 0);
    this.#changed();
  }

  async #run() {
    const text = this.text, asked = ++this.#asked;
    this.#changed();
    const [, , drawn] = views.find(([name]) => name === this.#view);
    const width = Math.max(40, Math.min(160, Math.floor(this.#picture.element.clientWidth / 8)));
    const told = setTimeout(() => this.#tellBusy(asked), slow);
    const request = {text, typed: this.#editor.lineBeingTyped, picture: {width, ...drawn}};
    const {replaced, broken, answers} = await this.#engine.call(this.#id, [["told", request]]);
    clearTimeout(told);
    if (replaced || asked !== this.#asked) return;
    this.#stop.hidden = true;
    const why = broken ?? answers[0].explained.refused;
    if (why) this.#showBroken(why);
    else this.#show(text, answers[0].explained, answers[0].picture);
    this.#shown = asked;
    performance.mark("told");
    this.#changed();
  }

  #tellBusy(asked) {
    if (asked !== this.#asked) return;
    this.#status.textContent = "running …";
    this.#stop.hidden = false;
  }

  #showBroken(why) {
    this.#answer = null;
    this.#editor.mark({error: null, message: "", left: []});
    this.#status.textContent = `No answer: ${why}. The page goes on; change the text.`;
    this.#told.replaceChildren();
    this.#picture.show(null, []);
  }

  #show(text, answer, picture) {
    this.#answer = answer;
    const place = placesIn(text), rangeOf = ([begin, end]) => ({begin: place(begin), end: place(end)});
    const {error, steps} = answer;
    // While a name is being completed it is unfinished, not wrong.
    const isUnfinished = error?.notation && this.#editor.isOffering;
    const line = error ? `${error.type}: ${error.message.split("\n")[0]}` : "";
    this.#editor.mark({error: error && !isUnfinished ? rangeOf(error.range) : null, message: isUnfinished ? "" : line, left: answer.needsPython});
    this.#status.textContent = isUnfinished ? "" : error ? `refused: ${error.type}` : steps.length ? totalsText(answer) : "";
    if (isUnfinished) return;
    const table = stepsTable(answer, {
      pointed: step => {
        this.#editor.point(step === null ? null : rangeOf((steps[step] ?? error).range));
        this.#picture.point(step);
      },
      chosen: step => this.#editor.select(rangeOf((steps[step] ?? error).range)),
    });
    const problem = problemPanel(error, edits => this.#editor.edit(edits.map(edit => ({...rangeOf(edit.range), text: edit.text}))));
    this.#told.replaceChildren(...[problem, table, resultPanel(answer)].filter(Boolean));
    this.#picture.show(picture, steps);
    this.#cost.show(answer.run === text ? text : answer.run);
  }
}
