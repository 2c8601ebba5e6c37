import { InputError } from '../file/input-error.ts';
import { defaultLimits } from '../file/limits.ts';
import type { InputOptions } from '../table/opened-table.ts';

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

/** The values of the first records with something in them, cut at a delimiter that is outside quotes. */
function firstRecords(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let values: string[] = [];
  let value = '';
  let inQuotes = false;
  const endValue = () => {
    values.push(value);
    value = '';
  };
  const endRecord = () => {
    endValue();
    if (values.length > 1 || values[0] !== '') records.push(values);
    values = [];
  };
  for (let at = 0; at < text.length && records.length < RECORDS_LOOKED_AT; at += 1) {
    const character = text[at] ?? '';
    if (inQuotes) {
      if (character === '"') inQuotes = false;
    } else if (character === '\n' || character === '\r') {
      endRecord();
      continue;
    } else if (character === delimiter) {
      endValue();
      continue;
      // A quote right after a closing one is an escaped quote, and its value goes on.
    } else if (character === '"' && (value === '' || text[at - 1] === '"')) inQuotes = true;
    value += character;
  }
  // The sample may break off in the middle of a record; the only one counts all the same.
  if (records.length === 0) endRecord();
  return records;
}

/** The most frequent count of delimiters that is not 0, and the share of records that have it. */
function regularity(records: readonly string[][]): { share: number; count: number } {
  const frequencies = new Map<number, number>();
  for (const values of records) {
    const count = values.length - 1;
    if (count > 0) frequencies.set(count, (frequencies.get(count) ?? 0) + 1);
  }
  let best = { share: 0, count: 0 };
  for (const [count, frequency] of frequencies) {
    const share = frequency / records.length;
    if (share > best.share || (share === best.share && count > best.count)) best = { share, count };
  }
  return best;
}

/** A value as a title: without the quotes around it, double or single. */
function titleOf(value: string): string {
  return value
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
}

/**
 * Finds the delimiter: an instruction line `sep=;`, as spreadsheet programs write and honour it; else the one of
 * `,` `;` tab `|` that makes one of the first rows a header; else the one that stands the same number of times in
 * most of the first records, quotes left out.
 *
 * @param sample - the text's beginning
 * @param isHeader - knows a header by its titles, which commas in texts cannot outvote
 */
export function findDelimiter(sample: string, isHeader?: InputOptions['isHeader']): Delimiter {
  const instruction = INSTRUCTION.exec(sample);
  if (instruction?.[1] !== undefined) {
    return { character: statedDelimiter(instruction[1]), instructionLength: instruction[0].length };
  }
  const all = CANDIDATES.map((character) => ({ character, records: firstRecords(sample, character) }));
  const withHeader = all.filter(({ records }) =>
    records.slice(0, defaultLimits.headerRows).some((values) => isHeader?.(values.map(titleOf)) ?? false),
  );
  let best = { character: ',', share: 0, count: 0 };
  for (const { character, records } of withHeader.length > 0 ? withHeader : all) {
    const { share, count } = regularity(records);
    if (share > best.share || (share === best.share && count > best.count))
      best = { character, share, count };
  }
  return { character: best.character, instructionLength: 0 };
}

/** The instruction line is not a row, even where the delimiter was stated. */
export function instructionLength(sample: string): number {
  return INSTRUCTION.exec(sample)?.[0].length ?? 0;
}
