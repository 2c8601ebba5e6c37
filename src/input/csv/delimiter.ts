import { InputError } from '../file/input-error.ts';

/** How a CSV file separates its values. */
export interface Delimiter {
  readonly character: string;
  /** Characters of a `sep=;` line at the start, which is an instruction and not a row; 0 without one. */
  readonly instructionLength: number;
}

const CANDIDATES = [',', ';', '\t', '|'];
const RECORDS_LOOKED_AT = 100;
const INSTRUCTION = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r|$)/i;

/** @throws InputError when it is not one character that can stand between values */
export function statedDelimiter(delimiter: string): string {
  if (delimiter === '\\t') return '\t';
  if ([...delimiter].length === 1 && !/["\r\n\0\uFFFD]/.test(delimiter)) return delimiter;
  throw new InputError(
    'invalid_delimiter',
    'The stated delimiter cannot be used.',
    'State one character that stands between values: , or ; or | or \\t for a tab.',
  );
}

/** How many times `delimiter` stands outside quotes in each of the first records with something in it. */
function countsPerRecord(text: string, delimiter: string): number[] {
  const counts: number[] = [];
  let count = 0;
  let inQuotes = false;
  let atValueStart = true;
  let isEmpty = true;
  for (let at = 0; at < text.length && counts.length < RECORDS_LOOKED_AT; at += 1) {
    const character = text[at];
    if (inQuotes) {
      if (character === '"') inQuotes = false;
      continue;
    }
    if (character === '\n' || character === '\r') {
      if (!isEmpty) counts.push(count);
      count = 0;
      isEmpty = true;
      atValueStart = true;
      continue;
    }
    isEmpty = false;
    // A quote right after a closing one is an escaped quote, and its value goes on.
    if (character === '"' && (atValueStart || text[at - 1] === '"')) inQuotes = true;
    else if (character === delimiter) count += 1;
    atValueStart = character === delimiter;
  }
  if (counts.length === 0 && !isEmpty) counts.push(count);
  return counts;
}

/** The most frequent count that is not 0, and the share of records that have it. */
function regularity(counts: readonly number[]): { share: number; count: number } {
  const frequencies = new Map<number, number>();
  for (const count of counts) {
    if (count > 0) frequencies.set(count, (frequencies.get(count) ?? 0) + 1);
  }
  let best = { share: 0, count: 0 };
  for (const [count, frequency] of frequencies) {
    const share = frequency / counts.length;
    if (share > best.share || (share === best.share && count > best.count)) best = { share, count };
  }
  return best;
}

/**
 * Finds the delimiter: an instruction line `sep=;`, as spreadsheet programs write and honour it, else the one
 * of `,` `;` tab `|` that stands the same number of times in most of the first records, quotes left out.
 *
 * @param sample - the text's beginning
 */
export function findDelimiter(sample: string): Delimiter {
  const instruction = INSTRUCTION.exec(sample);
  if (instruction?.[1] !== undefined) {
    return { character: statedDelimiter(instruction[1]), instructionLength: instruction[0].length };
  }
  let best = { character: ',', share: 0, count: 0 };
  for (const character of CANDIDATES) {
    const { share, count } = regularity(countsPerRecord(sample, character));
    if (share > best.share || (share === best.share && count > best.count))
      best = { character, share, count };
  }
  return { character: best.character, instructionLength: 0 };
}

/** The instruction line is not a row, even where the delimiter was stated. */
export function instructionLength(sample: string): number {
  return INSTRUCTION.exec(sample)?.[0].length ?? 0;
}
