// SPDX-License-Identifier: Apache-2.0
// The notation's tokens, for colours. What the library refuses is marked by its own places, not by these.

const token = /(?<comment>#[^\n]*)|(?<text>[fF]?(?:'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?))|(?<number>\b\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?j?)|(?<word>\b(?:for|in|and|or|not|is|if|else|import|True|False|None)\b)|(?<name>[A-Za-z_]\w*)(?=\s*\()|(?<other>[\s\S])/g;

/** The text as [{kind, text, begin}], whole; kinds are those of the pattern, "name" being what is called. */
export function tokens(text) {
  const found = [];
  for (const match of text.matchAll(token)) {
    const kind = Object.keys(match.groups).find(name => match.groups[name] !== undefined);
    const last = found.at(-1);
    if (kind === "other" && last?.kind === "other") last.text += match[0];
    else found.push({kind, text: match[0], begin: match.index});
  }
  return found;
}

/** Whole numbers in the text that say a size: [{begin, end, value, name}], `name` where "name = NUMBER" is all of a statement. */
export function sizesIn(text) {
  const sizes = [];
  let depth = 0;
  const all = tokens(text);
  all.forEach((each, i) => {
    if (each.kind === "other") {
      for (const character of each.text) depth += "([{".includes(character) ? 1 : ")]}".includes(character) ? -1 : 0;
    }
    if (each.kind !== "number" || !/^\d+$/.test(each.text)) return;
    const before = text.slice(0, each.begin), after = text.slice(each.begin + each.text.length);
    const bound = before.match(/(?:^|[\n;])\s*([A-Za-z_]\w*)\s*=\s*$/)?.[1];
    const isWhole = bound && /^\s*(?:$|[\n;#])/.test(after);
    sizes.push({begin: each.begin, end: each.begin + each.text.length, value: Number(each.text), name: isWhole ? bound : null, depth});
  });
  return sizes;
}
