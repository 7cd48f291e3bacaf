// SPDX-License-Identifier: Apache-2.0
// The library as a WebAssembly module, wherever JavaScript runs: call(name, request) gives the answer of one of its functions.

/** What the library asks of a system: the time, an environment without variables, files of which there are none. */
function system(memory) {
  const view = () => new DataView(memory().buffer);
  const badDescriptor = 8, notSupported = 52;
  const functions = {
    clock_time_get(_clock, _precision, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_get: () => 0,
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    fd_prestat_get: () => badDescriptor,
    proc_exit(code) {
      throw new Error(`the library ended (${code})`);
    },
  };
  return new Proxy(functions, {get: (known, name) => known[name] ?? (() => notSupported)});
}

/** Makes an instance of a compiled module. */
export async function library(module) {
  let instance = null;
  const memory = () => instance.exports.memory;
  instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: system(memory)});
  const exports = instance.exports;
  exports._initialize();
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  return {
    /** The answer as text, whose numbers may be larger than JavaScript's are exact. */
    answer(name, request) {
      const bytes = encoder.encode(JSON.stringify(request));
      // Addresses above 2 GiB would come as negative numbers.
      const room = exports.tenstride_room(bytes.length) >>> 0;
      new Uint8Array(memory().buffer, room, bytes.length).set(bytes);
      const at = exports[`tenstride_${name}`]() >>> 0;
      const size = exports.tenstride_answer_size() >>> 0;
      return decoder.decode(new Uint8Array(memory().buffer, at, size));
    },
    /** name: "explain", "text", "picture" or "complete"; see wasm/explorer.cpp. Throws what the instance does not survive. */
    call(name, request) {
      return JSON.parse(this.answer(name, request));
    },
    bytes: () => memory().buffer.byteLength,
  };
}
