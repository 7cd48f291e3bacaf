// SPDX-License-Identifier: Apache-2.0
// Where the page's parts are: beside it in its folder, or within it, where offline.html has everything in one file.

const within = id => document.getElementById(id);
let module = null;

async function compile() {
  const packed = within("packed-library");
  if (packed) {
    const bytes = Uint8Array.from(atob(packed.textContent.trim()), character => character.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
  }
  const address = new URL("tenstride.wasm", import.meta.url);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status} ${answer.statusText}`);
  // A server that does not know the kind of the file cannot have it compiled on the way.
  const isKnown = answer.headers.get("Content-Type")?.startsWith("application/wasm");
  return isKnown ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

/** The library, compiled once. */
export function compiled() {
  module ??= compile();
  return module;
}

/** A worker that runs the library. */
export function newWorker() {
  const source = within("worker-source");
  if (!source) return new Worker(new URL("worker.mjs", import.meta.url), {type: "module"});
  const address = URL.createObjectURL(new Blob([source.textContent], {type: "text/javascript"}));
  return new Worker(address);
}
