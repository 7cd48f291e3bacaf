// SPDX-License-Identifier: Apache-2.0
// Answers of the page's library outside a browser, each as text: `node answers.mjs LIBRARY < requests.json`, requests being
// [[name, request], …].
// Without requests it prints the stories' texts.
import {readFileSync} from "node:fs";
import {stories} from "../../explorer/stories.mjs";
import {library} from "../../explorer/wasi.mjs";

const [, , path] = process.argv;
if (path === undefined) {
  const texts = stories.flatMap(({examples}) => examples.flatMap(([, code, beside]) => [code, beside].filter(Boolean)));
  process.stdout.write(JSON.stringify(texts));
} else {
  const module = await WebAssembly.compile(readFileSync(path));
  let tenstride = await library(module);
  const answers = [];
  for (const [name, request] of JSON.parse(readFileSync(0, "utf8"))) {
    try {
      answers.push(tenstride.answer(name, request));
    } catch (error) {
      answers.push(JSON.stringify({broken: String(error)}));
      tenstride = await library(module);
    }
  }
  process.stdout.write(JSON.stringify({answers, bytes: tenstride.bytes()}));
}
