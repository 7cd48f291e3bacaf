// SPDX-License-Identifier: Apache-2.0
// An SVG that becomes the next one: of its rows only those are made anew that are others, as text takes long to lay out.

const parsed = (markup, id) => {
  const template = document.createElement("template");
  // Ids are those of every picture.
  template.innerHTML = markup.replace(/id="(title|desc)"/g, `id="${id}-$1"`)
    .replace('aria-labelledby="title desc"', `aria-labelledby="${id}-title ${id}-desc"`);
  return template.content.firstElementChild;
};

export class Drawing {
  #id;
  #rows = [];
  element = null;

  /** `id` begins the ids in the picture. */
  constructor(id) {
    this.#id = id;
  }

  /** Shows the library's SVG, which escapes all texts. */
  show(markup) {
    const [head, ...rows] = markup.replace(/<\/svg>\s*$/, "").split(/^(?=<g class="row)/m);
    const document = parsed(`${head}</svg>`, this.#id);
    if (rows.length === 0 || this.#rows.length === 0) {
      this.element = document;
      this.#rows = [];
    } else {
      this.#showHead(document);
    }
    rows.forEach((row, i) => {
      if (this.#rows[i]?.markup === row) return;
      const nodes = [...parsed(`<svg>${row}</svg>`, this.#id).childNodes];
      const before = this.#rows[i]?.nodes[0] ?? null;
      for (const node of nodes) this.element.insertBefore(node, before);
      this.#remove(i, i + 1);
      this.#rows[i] = {markup: row, nodes};
    });
    this.#remove(rows.length, this.#rows.length);
    this.#rows.length = rows.length;
  }

  /** The document, its texts for who cannot see it, its styles, and the card behind all. */
  #showHead(head) {
    for (const {name, value} of head.attributes) {
      if (this.element.getAttribute(name) !== value) this.element.setAttribute(name, value);
    }
    const own = [...this.element.children].filter(child => !child.matches("g.row"));
    for (const [i, child] of [...head.children].entries()) {
      if (!own[i]?.isEqualNode(child)) own[i].replaceWith(child);
    }
  }

  #remove(from, to) {
    for (const row of this.#rows.slice(from, to)) row.nodes.forEach(node => node.remove());
  }
}
