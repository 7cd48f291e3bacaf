// SPDX-License-Identifier: Apache-2.0
// Pasted Python: what the notation has is run, the other lines are left out and told.

const maxLeftOut = 200;
const pythonOnly = /^\s*(?:from|import|def|class|with|if|elif|else|while|try|except|finally|return|raise|assert|global|nonlocal|del|yield|async|await|lambda|pass|break|continue|@)\b|^\s*@/;
const bytesOf = new TextEncoder();

/** The number of the line with a place, a count of bytes of UTF-8. */
function lineAt(lines, place) {
  let begin = 0;
  for (let i = 0; i < lines.length; ++i) {
    begin += bytesOf.encode(lines[i]).length + 1;
    if (place < begin) return i;
  }
  return lines.length - 1;
}

/** A comment of the same length in bytes, so that all places stay where they are. */
const blanked = line => "#".padEnd(bytesOf.encode(line).length, " ").slice(0, bytesOf.encode(line).length);

/** Lines that begin deeper than a line that was left out belong to it. */
function blockAt(lines, first) {
  const depth = line => line.length - line.trimStart().length;
  let last = first;
  for (let i = first + 1; i < lines.length; ++i) {
    if (lines[i].trim() === "") continue;
    if (depth(lines[i]) <= depth(lines[first])) break;
    last = i;
  }
  return last;
}

/**
 * Explains a text of several lines as if those that need Python were not there: answer.needsPython has their numbers. The
 * line that is being typed, request.typed, is never one of them.
 */
export function explainPasted(tenstride, request) {
  const lines = request.text.split("\n");
  const needsPython = [];
  const leaveOut = line => {
    for (let i = line; i <= blockAt(lines, line); ++i) {
      if (!needsPython.includes(i) && lines[i].trim() !== "") needsPython.push(i);
    }
    for (const i of needsPython) lines[i] = blanked(lines[i]);
  };
  let answer = tenstride.call("explain", request);
  while (answer.error?.notation && lines.length > 1 && needsPython.length < maxLeftOut) {
    const line = lineAt(lines, answer.error.range[0]);
    if (needsPython.includes(line) || line === request.typed) break;
    // One line that can be nothing but Python's tells that all is; without, a mistyped name is a mistake to be told.
    if (needsPython.length === 0 && !pythonOnly.test(lines[line])) break;
    leaveOut(line);
    answer = tenstride.call("explain", {...request, text: lines.join("\n")});
  }
  if (needsPython.length) answer.expr = request.text;
  answer.needsPython = needsPython.sort((a, b) => a - b);
  answer.run = lines.join("\n");
  return answer;
}
