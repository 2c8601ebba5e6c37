/* Proposes what somebody may have meant who mistyped a word. */

/**
 * What somebody may have meant who mistyped a word: the candidate that takes the fewest changes of a letter (put
 * in, left out, another one, two the wrong way round), if these are few for its length; undefined where none is.
 */
export function nearestTo(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const changes = changesBetween(word.toLowerCase(), candidate.toLowerCase());
    if (changes < fewest && changes <= mostChanges(candidate)) {
      best = candidate;
      fewest = changes;
    }
  }
  return best;
}

/** A short word is soon another one. */
function mostChanges({ length }: string): number {
  return Math.max(1, Math.floor(length / 3));
}

/** The Damerau-Levenshtein distance in which no part is changed twice (optimal string alignment). */
function changesBetween(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      let changes = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && isSwapped) {
        changes = Math.min(changes, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(changes);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}

/** `Did you mean import?`, behind a sentence that says what there is not; nothing where nothing is near. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const nearest = nearestTo(word, candidates);
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`;
}
