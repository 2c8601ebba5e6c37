const numberOrQuote = /-?\d[\d.eE+-]*|"/g;

/** The place behind a string that begins at `start`: its closing quote has no, or an even number of, backslashes before it. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return json.length;
}

/**
 * Parses JSON with every number as the text that it was written with, so that no digit of an amount is
 * lost to binary floating point. (A reviver's access to that text is not in every supported Node.)
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJsonWithNumberTexts(json: string): unknown {
  // Only in valid JSON is every run of number characters outside of strings exactly one number.
  JSON.parse(json);
  const parts: string[] = [];
  let copied = 0;
  // Strings are skipped by hand: an expression that matches them overflows the stack on long ones.
  numberOrQuote.lastIndex = 0;
  for (let token = numberOrQuote.exec(json); token !== null; token = numberOrQuote.exec(json)) {
    if (token[0] === '"') {
      numberOrQuote.lastIndex = endOfString(json, token.index);
      continue;
    }
    parts.push(json.slice(copied, token.index), `"${token[0]}"`);
    copied = numberOrQuote.lastIndex;
  }
  parts.push(json.slice(copied));
  return JSON.parse(parts.join(''));
}
