// SPDX-License-Identifier: Apache-2.0
// What the same text costs at sizes of one's own: bytes, peak memory and plans, with nothing carried out.
import {bytesText, make} from "./dom.mjs";
import {sizesIn} from "./highlight.mjs";

const maxFields = 12;

/** The sizes that one may change: names bound to whole numbers; where there are none, the numbers within brackets. */
function free(text) {
  const all = sizesIn(text);
  const named = all.filter(size => size.name !== null);
  return (named.length ? named : all.filter(size => size.depth > 0)).slice(0, maxFields);
}

export class CostPanel {
  #engine;
  #text = "";
  #values = new Map();
  #machine = "";
  #fields = make("div", {className: "sizes"});
  #told = make("div", {role: "status", ariaLive: "polite"});
  #machines = make("select", {ariaLabel: "Processor"});
  #changed;

  constructor(engine, changed) {
    this.#engine = engine;
    this.#changed = changed;
    this.#machines.addEventListener("change", () => {
      this.#machine = this.#machines.value;
      this.#run();
    });
    this.element = make("details", {className: "cost"}, make("summary", {}, "What it costs at other sizes"),
      make("div", {className: "inner"}, this.#fields, make("label", {className: "machine"}, "plans for ", this.#machines), this.#told));
    this.element.addEventListener("toggle", () => this.#run());
  }

  /** What a link needs to bring this back: "batch=32,2=64;zen4", or empty. */
  get state() {
    if (!this.element.open) return "";
    return `${[...this.#values].map(([key, value]) => `${key}=${value}`).join(",")};${this.#machine}`;
  }

  set state(state) {
    this.element.open = state !== "";
    const [values, machine] = state.split(";");
    this.#values = new Map(values.split(",").filter(Boolean).map(pair => pair.split("=")));
    this.#machine = machine ?? "";
  }

  show(text) {
    if (text === this.#text) return;
    this.#text = text;
    this.#draw();
    this.#run();
  }

  #key(size, i) {
    return size.name ?? String(i);
  }

  #draw() {
    const sizes = free(this.#text);
    const keys = sizes.map((size, i) => this.#key(size, i));
    for (const key of this.#values.keys()) {
      if (!keys.includes(key)) this.#values.delete(key);
    }
    this.#fields.replaceChildren(...sizes.map((size, i) => {
      const key = keys[i], line = this.#text.slice(0, size.begin).split("\n").at(-1).trimStart();
      const label = size.name ?? `${line.slice(-18)}▯`;
      return make("label", {}, make("span", {}, label), make("input", {
        type: "number", min: 0, value: this.#values.get(key) ?? size.value,
        oninput: event => {
          this.#values.set(key, event.target.value || "0");
          this.#run();
        },
      }));
    }));
  }

  #textAtSizes() {
    let text = this.#text;
    const sizes = free(text);
    sizes.map((size, i) => [size, this.#values.get(this.#key(size, i))]).reverse().forEach(([size, value]) => {
      if (value !== undefined && /^\d+$/.test(value)) text = text.slice(0, size.begin) + value + text.slice(size.end);
    });
    return text;
  }

  async #run() {
    this.#changed();
    if (!this.element.open || this.#text === "") return;
    if (this.#machines.length === 0) {
      const {answers} = await this.#engine.call("machines", [["complete", {text: "", machines: true}]]);
      if (!answers || this.#machines.length) return;
      this.#machines.append(make("option", {value: ""}, "this page"), ...answers[0].names.map(name => make("option", {value: name}, name)));
      this.#machines.value = this.#machine;
    }
    const {answers, broken} = await this.#engine.call("cost", [["explain", {text: this.#textAtSizes(), max_bytes: 0, plans: true, machine: this.#machine}]]);
    if (broken) this.#told.textContent = `It was not foretold: ${broken}.`;
    if (answers) this.#told.replaceChildren(...this.#tell(answers[0]));
  }

  #tell(answer) {
    if (answer.refused) return [answer.refused];
    if (answer.error) return [make("p", {}, `${answer.error.type}: ${answer.error.message.split("\n")[0]}`)];
    const {totals, steps} = answer;
    const facts = [
      ["copies", String(totals.copies)], ["moved", bytesText(totals.bytes_moved)], ["held at most", bytesText(totals.peak_bytes)],
    ];
    if (totals.transfers) facts.push(["over links", bytesText(totals.bytes_transferred)]);
    const plans = steps.flatMap((step, i) => [...step.plans, ...step.reductions].map(plan => `step ${i + 1}, ${step.call}:\n${plan.text}`));
    return [
      make("dl", {className: "facts"}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
      plans.length ? make("pre", {}, plans.join("\n\n")) : make("p", {}, "Nothing is copied, so there is no plan."),
    ];
  }
}
