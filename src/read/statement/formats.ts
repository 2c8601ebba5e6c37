import { camt } from './camt.ts';
import { type StatementFormat, unknownStatement } from './entry.ts';
import { mt940 } from './mt940.ts';

/** The formats of account statements that are read. */
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
export function statementFormat(start: string): StatementFormat | null {
  const format = formats.find(({ recognises }) => recognises(start));
  if (format !== undefined) return format;
  const text = start.trimStart();
  const other = otherFormats.find(([, begins]) => begins.test(text));
  if (other !== undefined) throw unknownStatement(`This is ${other[0]}, which is not read`);
  if (text.startsWith('<?xml') && !webPageOrWorkbook.test(text)) {
    throw unknownStatement('This XML file is no statement that is read');
  }
  return null;
}
