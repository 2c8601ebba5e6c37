/* The values of a cell that has several, for columns that a person has agreed to split. */

import { ignoredPart, type NumberSplit, type SignSplit } from '../../domain/tables/mapping.ts';
import { type CellCheck, shorten, type ValueRefusal } from './value-text.ts';

/** The check of one value of such a cell. */
export function createDividedCheck(
  check: CellCheck,
  split: SignSplit | NumberSplit,
  title: string,
): CellCheck {
  const place = split.into.indexOf(split.part);
  return (raw, kind, earlier, row) => {
    const text = raw.normalize('NFC').trim();
    if (text === '' || kind === 'error' || kind === 'formula_without_value') {
      return check(raw, kind, earlier, row);
    }
    const parts =
      'at' in split
        ? divideAtSign(withMissingParts(text, split), split.into.length, split)
        : divideByNumber(text, split.into.indexOf(split.number));
    if (parts === undefined) return refuseUndivided(title, split);
    const part = parts[place] ?? '';
    // A numeric cell is one value. It may have lost zeros, so its type stays known.
    return check(part, part === text ? kind : undefined, undefined, row);
  };
}

function refuseUndivided(title: string, split: SignSplit | NumberSplit): ValueRefusal {
  const fields = split.into.map((field) => (field === ignoredPart ? 'what is not read' : field));
  if (!('at' in split)) {
    const message = `has several numbers: write ${fields.join(' and ')} in ${shorten(title)}`;
    return { code: 'required', message, isOfCell: true };
  }
  const sign = split.at.trim() || split.at;
  const message = `does not have ${fields.length} values with "${sign}" between them: write ${fields.join(` ${sign} `)} in ${shorten(title)}`;
  return { code: 'required', message, isOfCell: true };
}

/** The text with the signs of parts that it lacks, if nobody reads these: an IBAN without the ignored BIC behind it. */
function withMissingParts(text: string, { into, at, rest }: SignSplit): string {
  const missing = into.length - plainSpaces(text).split(at).length;
  if (missing <= 0) return text;
  const lacks = rest === 'first' ? into.slice(0, missing) : into.slice(-missing);
  if (lacks.some((field) => field !== ignoredPart)) return text;
  return rest === 'first' ? at.repeat(missing) + text : text + at.repeat(missing);
}

function plainSpaces(text: string): string {
  return text.replace(/\s+/gu, ' ');
}

/**
 * Divides a text at a sign. A part may be empty. Any white space counts as one blank. An opening bracket takes its closing one
 * with it: `Borg Ltd (S1047)`.
 * @param count the number of parts
 * @returns undefined if the text has too few signs
 */
export function divideAtSign(
  text: string,
  count: number,
  { at, rest }: Pick<SignSplit, 'at' | 'rest'>,
): readonly string[] | undefined {
  const pieces = plainSpaces(text).split(at);
  const further = pieces.length - count;
  if (further < 0) return undefined;
  const joined =
    rest === 'first'
      ? [pieces.slice(0, further + 1).join(at), ...pieces.slice(further + 1)]
      : [...pieces.slice(0, count - 1), pieces.slice(count - 1).join(at)];
  const values = joined.map((piece) => piece.trim());
  return at.trim() === '('
    ? values.map((value, place) => (place > 0 ? value.replace(/\s*\)$/, '') : value))
    : values;
}

/** A number of at least six digits, in groups or not, that is no part of a word or of an e-mail address. */
const longNumber = /(?<![\p{L}\d@._+-])\+?\d(?:[ \u00a0-]?\d){5,}(?![\p{L}\d@]|[._-][\p{L}\d])/gu;

/** Signs around words beside a number: `(UBA)`, `GTBank -`, `a/c:`. */
const aroundWords = /^[\s()[\],;:/|–—-]+|[\s()[\],;:/|–—-]+$/gu;

/**
 * Divides a text into its number and the words before or behind it. Either may be empty.
 * @param place the place of the number in the result, 0 or 1
 * @returns undefined if the text has several numbers
 */
export function divideByNumber(text: string, place: number): readonly string[] | undefined {
  const [first, another] = text.matchAll(longNumber);
  if (another !== undefined) return undefined;
  const number = first?.[0] ?? '';
  const at = first?.index ?? 0;
  const sides = [text.slice(0, at), text.slice(at + number.length)];
  const words = sides
    .map((side) => side.replaceAll(aroundWords, ''))
    .filter((side) => side !== '')
    .join(' ');
  return place === 0 ? [number, words] : [words, number];
}
