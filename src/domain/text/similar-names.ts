/* Comparing names as people write them, and the placeholders that stand for no value. */

/** A name without regard to case, accents and spaces, for comparing names as people write them. */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\s]/gu, '')
    .toLowerCase();
}

function pairsOf(folded: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const padded = `^${folded}$`;
  for (let at = 0; at + 1 < padded.length; at += 1) {
    const pair = padded.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's coefficient of two names' letter pairs: 0 for nothing in common, 1 for the same. */
function similarity(left: Map<string, number>, right: Map<string, number>): number {
  let shared = 0;
  let total = 0;
  for (const [pair, count] of left) {
    shared += Math.min(count, right.get(pair) ?? 0);
    total += count;
  }
  for (const count of right.values()) total += count;
  return (2 * shared) / total;
}

/**
 * A search for the names most like a given one, best first, among names that stay the same. `atLeast` leaves
 * out those that are less alike: from 0, anything in common, to 1, the same.
 */
export function createNameSearch(
  names: readonly string[],
): (name: string, atMost: number, atLeast?: number) => readonly string[] {
  let prepared: { name: string; pairs: Map<string, number> }[] | undefined;
  return (name, atMost, atLeast = 0) => {
    prepared ??= names.map((candidate) => ({ name: candidate, pairs: pairsOf(foldName(candidate)) }));
    const wanted = pairsOf(foldName(name));
    return prepared
      .map((candidate) => ({ name: candidate.name, score: similarity(wanted, candidate.pairs) }))
      .filter(({ score }) => score > 0 && score >= atLeast)
      .sort((left, right) => right.score - left.score || (left.name < right.name ? -1 : 1))
      .slice(0, atMost)
      .map((candidate) => candidate.name);
  };
}

/** What is written where there is nothing to say: a word of the formats of statements for that. */
const placeholderWord = /^(?:NON?REF|NOTPROVIDED|NOTAVAILABLE|NOTAPPLICABLE|NONE|NULL|NIL|NA|UNKNOWN)?$/;

/** Whether a name stands for none: records that have the same placeholder have nothing in common. */
export function isPlaceholder(name: string): boolean {
  return placeholderWord.test(lettersAndFigures(name));
}

/** Whether the number that a bank gives an entry stands for none: zeros do too. */
export function isPlaceholderNumber(number: string): boolean {
  return isPlaceholder(number) || /^0+$/.test(lettersAndFigures(number));
}

function lettersAndFigures(text: string): string {
  return text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
}
