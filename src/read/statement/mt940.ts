/* MT940: how a SWIFT statement is recognised in any bank's envelope, and its entries. */

import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import {
  damagedStatement,
  interimReport,
  type StatementEntry,
  type StatementFormat,
  signedAmount,
  UnknownStatement,
  withoutPlaceholder,
} from './entry.ts';

/** Account statements of SWIFT. */
export const mt940: StatementFormat = {
  name: 'mt940',
  messages: ['MT940'],
  recognises: isSwift,
  entries: (bytes, { start }) => entriesOf(bytes, isUtf16(start)),
};

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
  if (other !== undefined) throw new UnknownStatement(`This is an MT${other} message, and no statement`);
}

async function* entriesOf(
  bytes: AsyncIterable<Buffer>,
  isWide: boolean,
): AsyncGenerator<readonly StatementEntry[]> {
  let found: StatementEntry[] = [];
  const reader = new Mt940Reader((entry) => found.push(entry));
  const stream = Readable.from(bytes, { objectMode: false }).setEncoding(isWide ? 'utf16le' : 'latin1');
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    reader.line(isWide ? line : decoded(line));
    if (found.length < 1_000) continue;
    yield found;
    found = [];
  }
  reader.end();
  yield found;
}

function isUtf16(start: Buffer): boolean {
  return start[0] === 0xff && start[1] === 0xfe;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A line of bytes as text: SWIFT allows ASCII only; banks that write other letters use UTF-8 or Latin-1. */
function decoded(line: string): string {
  if (!/[\u0080-\u00ff]/.test(line)) return line;
  try {
    return utf8.decode(Buffer.from(line, 'latin1'));
  } catch {
    return line;
  }
}

/** Removes transmission marks (start and end of text), which are not part of a line. */
function withoutControls(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
  return line.replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufeff]/g, '');
}

/**
 * The fields of a statement line, tag 61: value date, booking date without its year (blank with some banks), mark (C,
 * D, and with an R their reversals), code of funds (the currency's third letter), amount, type (which some fill up
 * with blanks, or leave out), the account owner's reference, the bank's reference. Nothing may come between the
 * amount and the next field: no amount is guessed.
 */
const statementLine =
  /^(\d{6})(\d{4}| {4})?(RC|RD|C|D)([A-Z])?(\d{1,15}(?:,\d{0,5})?) *(?:[A-Z][A-Z0-9 ]{3}(.*?))?(?:\/\/(.*))?$/;

/** A tag and its value. Sberbank writes further texts of an entry in its own tag NS. */
const tagLine = /^:(\d{2}[A-Z]?|NS):(.*)$/;

/** Tags of interim reports only: floor limits, and sums of the entries so far. */
const interimTags: ReadonlySet<string> = new Set(['34F', '90C', '90D']);

interface OpenEntry {
  readonly line: string;
  readonly supplement: string[];
  readonly information: string[];
  readonly further: string[];
}

/** Reads the lines of an MT940 file and gives its entries, in any number of statements. */
class Mt940Reader {
  readonly #take: (entry: StatementEntry) => void;
  #statement = '';
  #account = '';
  #currency = '';
  #entry: OpenEntry | null = null;
  #tag = '';
  #number = 0;
  #hasBalance = false;

  constructor(take: (entry: StatementEntry) => void) {
    this.#take = take;
  }

  /** @throws InputError for an unreadable statement line, and for input that is not a statement */
  line(text: string): void {
    this.#number += 1;
    // Blanks at the end are kept, since at the end of a full line they may separate two words.
    const content = withoutControls(text).replace(/^\{.*\{4:/, '');
    const [, tag, value = ''] = tagLine.exec(content) ?? [];
    if (tag === undefined) {
      if (/^(?:-$|-\}|\{\d:)/.test(content.trimEnd())) this.#endEntry();
      else this.#continue(content);
      return;
    }
    this.#tag = tag;
    if (tag === '86') this.#entry?.information.push(value);
    else if (tag === 'NS') this.#entry?.further.push(value);
    else this.#begin(tag, value.trim());
  }

  /** @throws InputError when no message was a statement */
  end(): void {
    this.#endEntry();
    if (!this.#hasBalance) {
      throw new UnknownStatement('No message in it is a statement: none has an opening balance (tag 60F)');
    }
  }

  #begin(tag: string, value: string): void {
    this.#endEntry();
    if (interimTags.has(tag)) throw interimReport('an MT942 message');
    if (tag === '20') [this.#statement, this.#account, this.#currency] = [value, '', ''];
    else if (tag === '25' || tag === '25P') this.#account = value;
    else if (tag === '28' || tag === '28C') this.#statement += ` ${value}`;
    else if (tag === '60F' || tag === '60M') {
      this.#currency = value.slice(7, 10);
      this.#hasBalance = true;
    } else if (tag === '61') this.#entry = { line: value, supplement: [], information: [], further: [] };
  }

  #continue(content: string): void {
    if (this.#tag === '61') this.#entry?.supplement.push(content.trim());
    if (this.#tag === '86') this.#entry?.information.push(content);
    if (this.#tag === 'NS') this.#entry?.further.push(content);
  }

  #endEntry(): void {
    const entry = this.#entry;
    this.#entry = null;
    if (entry === null) return;
    const parts = statementLine.exec(entry.line);
    if (parts === null) {
      throw damagedStatement(`a statement line (tag 61) before line ${this.#number} cannot be read`);
    }
    const [, value = '', booked = '', mark = '', , amount = '', own = '', banks = ''] = parts;
    const plain = signedAmount(amount.replace(',', '.'), mark === 'D' || mark === 'RC');
    if (plain === null) throw damagedStatement(`an amount before line ${this.#number} cannot be read`);
    this.#take({
      statement: this.#statement,
      account: this.#account,
      entry: withoutPlaceholder(banks),
      date: bookingDay(value, booked.trim()),
      amount: plain,
      currency: this.#currency,
      status: 'BOOK',
      isReversal: mark.startsWith('R'),
      // The other party is among the texts of tag 86.
      counterparty: '',
      texts: [
        withoutPlaceholder(own),
        entry.supplement.join(' '),
        ...informationTexts(entry.information),
        ...furtherTexts(entry.further),
      ],
    });
  }
}

/** The booking date has no year, so the year that is nearest to the value date is taken. */
function bookingDay(value: string, booked: string): string {
  const [yearText, month, day] = [value.slice(0, 2), value.slice(2, 4), value.slice(4, 6)];
  const year = 2000 + Number(yearText);
  if (booked === '') return dayText(year, month, day);
  const [bookedMonth, bookedDay] = [booked.slice(0, 2), booked.slice(2, 4)];
  const apart = Number(bookedMonth) - Number(month);
  const shift = apart > 6 ? -1 : apart < -6 ? 1 : 0;
  return dayText(year + shift, bookedMonth, bookedDay);
}

/** In a bank's 360-day year, February has 30 days. Such a day is read as the last of February. */
function dayText(year: number, month: string, day: string): string {
  if (month !== '02' || (day !== '29' && day !== '30')) return `${year}-${month}-${day}`;
  const last = new Date(Date.UTC(year, 2, 0)).getUTCDate();
  return `${year}-02-${Math.min(Number(day), last)}`;
}

/** SWIFT breaks a text after this many characters, even within a word. */
const fullLine = 65;

/** The lengths of a full subfield, by the rules of German and French banks. */
const fullSubfields: ReadonlySet<number> = new Set([27, 35]);

/** Joins the pieces of a text: directly after a full piece, with a blank after a shorter one. */
function continued(pieces: readonly string[], isFull: (piece: string) => boolean): string {
  return pieces.reduce((text, piece, at) => {
    const before = pieces[at - 1];
    return text + (before === undefined || isFull(before) ? '' : ' ') + piece;
  }, '');
}

/** Tag 86: its lines are one text; subfields that a bank marks with a sign and a number are separate texts. */
function informationTexts(lines: readonly string[]): string[] {
  const sign = subfieldSign(lines);
  if (sign === null) return [continued(lines, ({ length }) => length === fullLine)];
  const cut = new RegExp(`${sign}\\d?\\d?$`);
  const text = continued(lines, (line) => line.length === fullLine || cut.test(line));
  const fields = text.split(new RegExp(`${sign}(?=\\d{2})`));
  const isPurpose = (field: string): boolean => /^(2\d|6[0-3])/.test(field);
  const content = (field: string): string => field.slice(2);
  return [
    purposeText(fields.filter(isPurpose).map(content)),
    ...fields.filter((field) => !isPurpose(field)).map(content),
  ];
}

function purposeText(subfields: readonly string[]): string {
  return continued(subfields, ({ length }) => fullSubfields.has(length));
}

/** The sign before the number of a subfield, for a regular expression; null where a text has none. */
function subfieldSign(lines: readonly string[]): string | null {
  const [, sign] = /^\d{0,3}([?>~<^])\d{2}/.exec(lines[0] ?? '') ?? [];
  if (sign !== undefined) return `\\${sign}`;
  return lines.some((line) => /\?\d{2}/.test(line)) ? '\\?' : null;
}

/** Tag NS: each line begins with its number, and is as long as a subfield. */
function furtherTexts(lines: readonly string[]): string[] {
  return [purposeText(lines.map((line) => line.replace(/^\d{2}/, '')))];
}
