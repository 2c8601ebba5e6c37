/* The formats of bank statements that are read, and the entries that each of them gives. */

import type { CellKind, TableRow } from '../../domain/tables/table.ts';
import { isPlaceholderNumber } from '../../domain/text/characters.ts';
import { InputError, type InputErrorDetails } from '../file/input-error.ts';

/** @returns the number or the reference, empty for a bank's placeholder */
export function withoutPlaceholder(text: string): string {
  return isPlaceholderNumber(text) ? '' : text.trim();
}

/** The columns of a statement's table, whatever its format. */
export const statementColumns = [
  'Statement',
  'Account',
  'Entry',
  'Date',
  'Amount',
  'Currency',
  'Status',
  'Reversal',
  'Counterparty',
  'Text',
] as const;

/** One booked entry, or one payment of an entry that books several. */
export interface StatementEntry {
  readonly statement: string;
  readonly account: string;
  /** The bank's own number of the entry, unique in its account; empty where it has none. */
  readonly entry: string;
  /** The booking day, `YYYY-MM-DD`; empty where there is none. */
  readonly date: string;
  /** A plain decimal, negative for money that left the account. */
  readonly amount: string;
  readonly currency: string;
  /** As CAMT writes it: `BOOK`, `PDNG`, `INFO`. */
  readonly status: string;
  readonly isReversal: boolean;
  /** The payer or payee, with the account; empty where the format has no field for it. */
  readonly counterparty: string;
  /** Each text that may contain the payer's reference. */
  readonly texts: readonly string[];
}

const kinds: ReadonlyMap<number, CellKind> = new Map([
  [statementColumns.indexOf('Date'), 'date'],
  [statementColumns.indexOf('Amount'), 'number'],
]);

/** @param number the entry's place in the file, from 1 */
export function rowOfEntry(entry: StatementEntry, number: number): TableRow {
  const texts = entry.texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '');
  return {
    number,
    cells: [
      ...[entry.statement, entry.account, entry.entry, entry.date, entry.amount, entry.currency],
      ...[entry.status, entry.isReversal ? 'yes' : '', entry.counterparty, [...new Set(texts)].join('\n')],
    ],
    kinds,
  };
}

/** A plain decimal with its sign: leading zeros and a bare point at the end are removed. */
export function signedAmount(text: string, isNegative: boolean): string | null {
  const match = /^0*(\d+)(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  const plain = fraction === '' ? whole : `${whole}.${fraction}`;
  return isNegative && /[1-9]/.test(plain) ? `-${plain}` : plain;
}

const sumDecimals = 10;

/** The sum of plain decimals with at most ten decimals, as a whole number of the smallest unit. */
export function unitsOf(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => {
    const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
    const units = BigInt(whole + fraction.slice(0, sumDecimals).padEnd(sumDecimals, '0'));
    return amount.startsWith('-') ? sum - units : sum + units;
  }, 0n);
}

/** The formats of account statements that are read. */
export type StatementFormat = 'camt' | 'mt940';

const readFormats =
  'Statements are read as CAMT.053, CAMT.054 and MT940; anything else as CSV or a workbook.';

/** The error of a recognised statement in an unsupported format; `what` names it. */
export function unknownStatement(what: string, advice = ''): InputError {
  return new InputError('unknown_statement', `${what}.`, `${advice} ${readFormats}`.trim());
}

/** The error of a statement that is cut off, or has an unreadable essential part. */
export function damagedStatement(what: string, details: InputErrorDetails = {}): InputError {
  return new InputError(
    'file_damaged',
    `The statement is damaged: ${what}.`,
    'get it again from the bank, and give it as the bank made it',
    details,
  );
}

const interimAdvice = 'Its entries are not final: ask the bank for the statement of the day.';

/** The error of an intraday report, whose entries may change and are not those of a statement. */
export function interimReport(name: string): InputError {
  return unknownStatement(`This is ${name}, an interim report, and no statement`, interimAdvice);
}

/** Other formats of bank statements, by how they begin. */
const otherFormats: readonly (readonly [name: string, start: RegExp])[] = [
  ['an OFX file', /^(?:OFXHEADER:|<OFX>|<\?xml[\s\S]*<\?OFX\b)/],
  ['a QIF file', /^!(?:Type|Account|Option):/],
  ['a BAI2 file', /^01,[^,\n]*,[^,\n]*,\d{6},[^\n]*\/\s*\n0[23],/],
];

const isoMessage = /urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.\d{3}\.\d{3}\.\d{2})/;
const webPageOrWorkbook = /<(?:!doctype html|html|\?mso-application|[a-z]+:?workbook)\b/i;

/**
 * The statement format that a file's first bytes show; null for a file that is not a statement.
 * @throws InputError that names a bank's message or statement that is not supported
 */
export function statementFormat(start: string): StatementFormat | null {
  const text = start.trimStart();
  const message = text.startsWith('<') ? isoMessage.exec(text)?.[1] : undefined;
  if (message?.startsWith('camt.053.') || message?.startsWith('camt.054.')) return 'camt';
  if (message?.startsWith('camt.052.')) throw interimReport(`a ${message} message`);
  if (message !== undefined) throw unknownStatement(`This is a ${message} message, and no statement`);
  const other = otherFormats.find(([, begins]) => begins.test(text));
  if (other !== undefined) throw unknownStatement(`This is ${other[0]}, which is not read`);
  if (text.startsWith('<?xml') && !webPageOrWorkbook.test(text)) {
    throw unknownStatement('This XML file is no statement that is read');
  }
  return isSwift(start) ? 'mt940' : null;
}

/** The most lines before the first tag of a message. */
const envelopeLines = 8;

/** A line before the first tag: blocks in braces, a bank's code, the type of the message alone or as a tag. */
const envelopeLine = /^(?:\{[1-5]:.*|[A-Z0-9][A-Z0-9 ]{1,39}|:9\d{2}:)$/;

/** The SWIFT message types of account statements. */
const statementTypes: ReadonlySet<string> = new Set(['940', '950']);

/** Whether the text begins as a SWIFT message, in any bank's envelope. */
function isSwift(start: string): boolean {
  const types: string[] = [];
  let lines = 0;
  for (const written of start.split(/\r\n|\r|\n/)) {
    const line = withoutControls(written).trim();
    if (line === '') continue;
    if (/^(?:\{.*\{4:)?:20:/.test(line)) {
      types.push(...messageTypes(line));
      requireStatementType(types);
      return true;
    }
    lines += 1;
    if (lines > envelopeLines || !envelopeLine.test(line)) return false;
    types.push(...messageTypes(line));
  }
  return false;
}

/** The types of messages that a line of an envelope names: block 2, `940 00`, `:940:`. */
function messageTypes(line: string): string[] {
  const [, inBlock, alone] = /\{2:[IO](\d{3})|^:?(9\d{2})(?::| \d{2})?$/.exec(line) ?? [];
  return [inBlock, alone].filter((type) => type !== undefined);
}

/** @throws InputError where an envelope names a message type that is not a statement */
function requireStatementType(types: readonly string[]): void {
  const other = types.find((type) => !statementTypes.has(type));
  if (other === '942') throw interimReport('an MT942 message');
  if (other !== undefined) throw unknownStatement(`This is an MT${other} message, and no statement`);
}

/** Removes transmission marks (start and end of text), which are not part of a line. */
export function withoutControls(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
  return line.replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufeff]/g, '');
}
