// SPDX-License-Identifier: Apache-2.0
// The library behind a worker: the newest text is run, the ones in between are not, and what does not end is ended.
import {compiled, newWorker} from "./parts.mjs";

/** A worker whose memory has grown beyond this is replaced: WebAssembly's memory never shrinks. */
const maxKeptBytes = 64 * 2 ** 20;
/** After so many milliseconds a run is ended. */
export const patience = 10_000;

export class Engine {
  #worker = null;
  /** Starts while the library is compiled. */
  #prepared = newWorker();
  #running = null;
  #waiting = new Map();
  #number = 0;

  /**
   * Calls functions of the library, as [name, request], with one answer for each: resolves to {answers}, to {broken: TEXT}
   * where they could not be given, and to {replaced: true} where a later call of the same `purpose` came first.
   */
  call(purpose, calls) {
    return new Promise(resolve => {
      this.#waiting.get(purpose)?.resolve({replaced: true});
      this.#waiting.set(purpose, {purpose, calls, resolve});
      this.#next();
    });
  }

  /** Ends what runs. */
  stop(why = "it was stopped") {
    if (!this.#running) return;
    this.#end();
    this.#settle({broken: why});
  }

  get isBusy() {
    return this.#running !== null;
  }

  async #next() {
    if (this.#running || this.#waiting.size === 0) return;
    const [purpose, task] = this.#waiting.entries().next().value;
    this.#waiting.delete(purpose);
    this.#running = task;
    task.id = ++this.#number;
    try {
      if (!this.#worker) await this.#begin();
    } catch (error) {
      this.#settle({broken: `the library could not be loaded: ${error.message}`});
      return;
    }
    if (this.#running !== task) return;
    task.timer = setTimeout(() => this.stop(`it did not end within ${patience / 1000} s`), patience);
    this.#worker.postMessage({id: task.id, calls: task.calls});
  }

  async #begin() {
    const module = await compiled();
    const worker = this.#prepared ?? newWorker();
    this.#prepared = null;
    worker.postMessage({module});
    worker.onmessage = ({data}) => {
      if (worker !== this.#worker || data.id !== this.#running?.id) return;
      if (data.broken !== undefined || data.bytes > maxKeptBytes) this.#end();
      this.#settle(data);
    };
    worker.onerror = event => {
      if (worker !== this.#worker) return;
      this.#end();
      this.#settle({broken: event.message || "the page's worker could not be started"});
    };
    this.#worker = worker;
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #settle(result) {
    const task = this.#running;
    this.#running = null;
    clearTimeout(task?.timer);
    task?.resolve(result);
    this.#next();
  }
}
