// SPDX-License-Identifier: Apache-2.0
// The page: one text or two side by side, the stories, and what can be taken away.
import {make} from "./dom.mjs";
import {Engine} from "./engine.mjs";
import {addressOf, hashOf, markdownOf, stateOf} from "./link.mjs";
import {Pane} from "./pane.mjs";
import {pngOf, save, svgFile} from "./save.mjs";
import {stories} from "./stories.mjs";

const isEmbedded = new URLSearchParams(location.search).has("embed");
const find = selector => document.querySelector(selector);
const engine = new Engine();
const panes = [];
let told = 0, remembering = 0;

function say(words) {
  find("#said").textContent = words;
  clearTimeout(told);
  told = setTimeout(() => { find("#said").textContent = ""; }, 4000);
}

function state() {
  return {code: panes[0].text, beside: panes[1]?.text ?? null, view: panes[0].view, cost: panes[0].cost};
}

function addPane() {
  const label = panes.length === 0 ? "Expression" : "Expression to compare with";
  const pane = new Pane({engine: panes.length === 0 ? engine : new Engine(), label, changed: remember});
  panes.push(pane);
  find("#panes").append(pane.element);
  showPanes();
  return pane;
}

function showPanes() {
  const isTwo = panes.length === 2;
  find("#panes").classList.toggle("two", isTwo);
  find("#compare").setAttribute("aria-pressed", String(isTwo));
}

function compare(text) {
  if (text === null) {
    panes.splice(1).forEach(pane => pane.element.remove());
  } else {
    (panes[1] ?? addPane()).text = text;
  }
  showPanes();
  remember();
}

function remember() {
  document.documentElement.dataset.settled = String(panes.every(pane => pane.isSettled));
  if (panes.length === 0 || isRestoring) return;
  // Browsers refuse to be told of each key.
  clearTimeout(remembering);
  remembering = setTimeout(() => history.replaceState(null, "", hashOf(state())), 200);
}

let isRestoring = false;
function restore(found) {
  isRestoring = true;
  panes[0].cost = found.cost;
  panes[0].view = found.view;
  panes[0].text = found.code;
  compare(found.beside);
  isRestoring = false;
}

function begin() {
  const open = find("#open");
  if (isEmbedded) {
    document.documentElement.classList.add("embedded");
    open.hidden = false;
    open.addEventListener("click", () => { open.href = addressOf(state()); });
  }
  const [[, code]] = stories[0].examples;
  const found = stateOf(location.hash);
  addPane();
  restore(found.code ? found : {...found, code});
  addEventListener("hashchange", () => {
    if (location.hash !== hashOf(state())) restore(stateOf(location.hash));
  });
  if (!isEmbedded && matchMedia("(pointer: fine)").matches) panes[0].focus();
}

const choice = find("#stories");
for (const {title, examples} of stories) {
  choice.append(make("optgroup", {label: title}, ...examples.map(([name, code, beside]) =>
    make("option", {value: JSON.stringify([code, beside ?? null])}, name))));
}
choice.addEventListener("change", () => {
  if (choice.value === "") return;
  const [code, beside] = JSON.parse(choice.value);
  choice.value = "";
  panes[0].text = code;
  compare(beside);
});
find("#compare").addEventListener("click", () => compare(panes.length === 2 ? null : panes[0].text));

async function copy(words, what) {
  try {
    await navigator.clipboard.writeText(words);
    say(`${what} copied`);
  } catch {
    // Without the clipboard, as in a page from a file: to be copied by hand.
    const field = find("#by-hand");
    field.hidden = false;
    field.value = words;
    field.select();
    say(`${what} is selected; copy it`);
  }
}

const takeaways = {
  link: () => copy(addressOf(state()), "the link"),
  text: async () => copy(await panes[0].programText(), "the text"),
  markdown: async () => copy(markdownOf(state(), await panes[0].programText()), "Markdown"),
  embed: () => copy(`<iframe src="${addressOf(state(), {embed: true}).replaceAll("&", "&amp;")}" width="100%" height="480" title="tenstride explorer"></iframe>`, "the code to embed"),
  svg: () => panes[0].svg ? save(svgFile(panes[0].svg), "tenstride.svg") : say("there is no picture"),
  png: async () => panes[0].svg ? save(await pngOf(panes[0].svg), "tenstride.png") : say("there is no picture"),
};
for (const button of document.querySelectorAll("[data-take]")) {
  button.addEventListener("click", () => {
    button.closest("details")?.removeAttribute("open");
    takeaways[button.dataset.take]();
  });
}

begin();
