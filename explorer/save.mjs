// SPDX-License-Identifier: Apache-2.0
// Pictures as files.

/** The picture as a document of its own, without the page's marks. */
export function svgFile(svg) {
  const copy = svg.cloneNode(true);
  for (const element of copy.querySelectorAll(".same,.chosen,.pointed,.later,.now,.hidden")) {
    element.classList.remove("same", "chosen", "pointed", "later", "now", "hidden");
  }
  return new Blob([new XMLSerializer().serializeToString(copy)], {type: "image/svg+xml"});
}

/** Twice as fine as on the screen. */
export async function pngOf(svg) {
  const address = URL.createObjectURL(svgFile(svg));
  try {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * Number(svg.getAttribute("width"));
    canvas.height = 2 * Number(svg.getAttribute("height"));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise(resolve => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
