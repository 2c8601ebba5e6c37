/* Text that arrives in pieces, as lines. */

/**
 * Lines that end with a newline; the last may lack it. `readline` of newer versions of Node.js also ends a line at U+2028
 * and U+2029, which JSON has within its texts as they are.
 */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    rest += first;
    for (const other of others) {
      yield rest;
      rest = other;
    }
  }
  if (rest !== '') yield rest;
}
