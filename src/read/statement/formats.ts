/* The formats of account statements that are read, and what is said of all others. */

import { InputError } from '../file/input-error.ts';
import { camt } from './camt.ts';
import { type StatementFormat, UnknownStatement } from './entry.ts';
import { mt940 } from './mt940.ts';

/** A new format is one more file in this folder, and one more element of this list. */
const formats: readonly StatementFormat[] = [camt, mt940];

/** Other formats of bank statements, by how they begin. */
const otherFormats: readonly (readonly [name: string, start: RegExp])[] = [
  ['an OFX file', /^(?:OFXHEADER:|<OFX>|<\?xml[\s\S]*<\?OFX\b)/],
  ['a QIF file', /^!(?:Type|Account|Option):/],
  ['a BAI2 file', /^01,[^,\n]*,[^,\n]*,\d{6},[^\n]*\/\s*\n0[23],/],
];

const webPageOrWorkbook = /<(?:!doctype html|html|\?mso-application|[a-z]+:?workbook)\b/i;

/**
 * The statement format that a file's first bytes show; null for a file that is not a statement.
 * @throws InputError that names a bank's message or statement that is not supported
 */
export function statementFormat(start: string): Pick<StatementFormat, 'name' | 'entries'> | null {
  try {
    const format = formats.find(({ recognises }) => recognises(start));
    if (format !== undefined) return { ...format, entries: (...file) => entriesIn(format, ...file) };
    requireNoOther(start.trimStart());
    return null;
  } catch (error) {
    throw withWhatIsRead(error);
  }
}

/** @throws UnknownStatement */
function requireNoOther(start: string): void {
  const other = otherFormats.find(([, begins]) => begins.test(start));
  if (other !== undefined) throw new UnknownStatement(`This is ${other[0]}, which is not read`);
  if (start.startsWith('<?xml') && !webPageOrWorkbook.test(start)) {
    throw new UnknownStatement('This XML file is no statement that is read');
  }
}

/** @throws InputError where the statement is damaged, or contains another message */
async function* entriesIn(
  { entries }: StatementFormat,
  ...file: Parameters<StatementFormat['entries']>
): ReturnType<StatementFormat['entries']> {
  try {
    yield* entries(...file);
  } catch (error) {
    throw withWhatIsRead(error);
  }
}

/** Names the formats of the list to people whose statement has another one; other errors are returned unchanged. */
function withWhatIsRead(error: unknown): unknown {
  if (!(error instanceof UnknownStatement)) return error;
  const names = formats.flatMap(({ messages }) => messages);
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  const readFormats = `Statements are read as ${listed}; anything else as CSV or a workbook.`;
  return new InputError('unknown_statement', error.message, `${error.advice} ${readFormats}`.trim());
}
