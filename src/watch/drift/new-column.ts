/* Judges a column that the remembered mapping does not know: whether it could mean something. */

import type { ColumnWatch } from './profile.ts';

const meaningfulShare = 0.3;
const longText = 16;
const fewValues = 12;
const half = 0.5;

/**
 * Whether a new column may say something about whom or what its rows pay: amounts, days, accounts, names, or a few words
 * again and again. Sentences and empty columns do not.
 * @param isOwnName whether its title is a name of one of our fields
 */
export function mayMeanSomething(
  { filled, classes, names, fullNames, characters, values }: ColumnWatch,
  rows: number,
  isOwnName: boolean,
): boolean {
  if (filled === 0) return false;
  if (isOwnName) return true;
  const ofClass = (name: string): number => classes.counts.get(name)?.rows ?? 0;
  if (filled - ofClass('words') - ofClass('mixed') >= meaningfulShare * filled) return true;
  // A remark may be one word with a capital; where every row has one, they are names.
  if (fullNames >= meaningfulShare * filled || (names >= half * filled && filled >= half * rows)) return true;
  const isSentences = characters / filled >= longText;
  return !isSentences && values !== null && values.size <= fewValues && filled >= 2 * values.size;
}
