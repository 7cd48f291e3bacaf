// SPDX-License-Identifier: Apache-2.0
// The page's state in the link: after the #, so that no server gets to see it.

/** {code, beside, view, cost, besideCost} of an address's hash; what is absent is empty. */
export function stateOf(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const field = name => fields.get(name) ?? "";
  return {code: field("code"), beside: fields.has("beside") ? field("beside") : null, view: field("view"), cost: field("cost")};
}

export function hashOf({code, beside, view, cost}) {
  const fields = new URLSearchParams();
  fields.set("code", code);
  if (beside !== null && beside !== undefined) fields.set("beside", beside);
  if (view && view !== "tensors") fields.set("view", view);
  if (cost) fields.set("cost", cost);
  return `#${fields}`;
}

/** The page's address with a state; `embed` is the page without its head. */
export function addressOf(state, {embed = false} = {}) {
  const address = new URL(location.href);
  address.search = embed ? "?embed" : "";
  address.hash = hashOf(state);
  return address.href;
}

/** For an issue or an answer in a forum: the code, what the program says of it, and the link. */
export function markdownOf(state, text) {
  const address = addressOf(state);
  const link = address.startsWith("http") ? `\n\n[in the tenstride explorer](${address})` : "";
  const fence = "`".repeat(Math.max(3, ...(`${state.code}\n${text}`.match(/`+/g) ?? []).map(run => run.length + 1)));
  return `${fence}python\n${state.code}\n${fence}\n\n${fence}text\n${text.trimEnd()}\n${fence}${link}\n`;
}
