// SPDX-License-Identifier: Apache-2.0
// Runs texts beside the page, so that typing never waits. Gets {module} once, then {id, calls: [[name, request], …]}, and
// answers {id, answers, bytes}, or {id, broken} where the library did not survive the text. Besides the library's functions
// there is "told": what is explained of a text, Python's lines left out, and the picture of what was run.
import {library} from "./wasi.mjs";
import {explainPasted} from "./pasted.mjs";

let ready = null;

function tell(tenstride, {picture, ...request}) {
  const explained = explainPasted(tenstride, request);
  const isDrawn = !explained.refused && explained.run.trim() !== "";
  return {explained, picture: isDrawn ? tenstride.call("picture", {...picture, text: explained.run}) : null};
}

onmessage = async ({data}) => {
  if (data.module) {
    ready = library(data.module);
    return;
  }
  try {
    const tenstride = await ready;
    const answers = data.calls.map(([name, request]) => name === "told" ? tell(tenstride, request) : tenstride.call(name, request));
    postMessage({id: data.id, answers, bytes: tenstride.bytes()});
  } catch (error) {
    postMessage({id: data.id, broken: error instanceof RangeError ? "it calls too deeply" : String(error.message ?? error)});
  }
};
