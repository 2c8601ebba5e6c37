import { damagedFile } from '../file/input-error.ts';
import { type StatementEntry, signedAmount } from './entries.ts';

/**
 * The fields of a statement line, tag 61: value date, booking date without its year, mark (C, D, and with an R
 * their reversals), code of funds, amount, type, the account owner's reference, the bank's reference.
 */
const statementLine =
  /^(\d{6})(\d{4})?(RC|RD|C|D)([A-Z])?(\d{1,15},\d{0,5})([A-Z][A-Z0-9]{3})(.{0,34}?)(?:\/\/(.{0,34}))?$/;

interface OpenEntry {
  readonly line: string;
  readonly supplement: string[];
  readonly information: string[];
}

/** Reads the lines of an MT940 file and gives its entries, in any number of statements. */
export class Mt940Reader {
  readonly #take: (entry: StatementEntry) => void;
  #statement = '';
  #account = '';
  #currency = '';
  #entry: OpenEntry | null = null;
  #tag = '';
  #number = 0;

  constructor(take: (entry: StatementEntry) => void) {
    this.#take = take;
  }

  /** @throws InputError for a statement line that cannot be read: no amount is guessed */
  line(text: string): void {
    this.#number += 1;
    const content = text.trimEnd().replace(/^\{.*\{4:$/, '');
    const [, tag, value = ''] = /^:(\d{2}[A-Z]?):(.*)$/.exec(content) ?? [];
    if (tag === undefined) {
      if (content.startsWith('-}') || content === '-') this.#endEntry();
      else this.#continue(content);
      return;
    }
    this.#tag = tag;
    if (tag === '86') {
      this.#entry?.information.push(value);
      return;
    }
    this.#endEntry();
    if (tag === '20') [this.#statement, this.#account, this.#currency] = [value, '', ''];
    else if (tag === '25') this.#account = value;
    else if (tag === '28C') this.#statement += ` ${value}`;
    else if (tag === '60F' || tag === '60M') this.#currency = value.slice(7, 10);
    else if (tag === '61') this.#entry = { line: value, supplement: [], information: [] };
  }

  end(): void {
    this.#endEntry();
  }

  #continue(content: string): void {
    if (this.#tag === '61') this.#entry?.supplement.push(content);
    if (this.#tag === '86') this.#entry?.information.push(content);
  }

  #endEntry(): void {
    const entry = this.#entry;
    this.#entry = null;
    if (entry === null) return;
    const parts = statementLine.exec(entry.line);
    if (parts === null) {
      throw damagedFile(`a statement line (tag 61) before line ${this.#number} cannot be read`);
    }
    const [, value = '', booked = '', mark = '', , amount = '', , own = '', banks = ''] = parts;
    const plain = signedAmount(amount.replace(',', '.'), mark === 'D' || mark === 'RC');
    if (plain === null) throw damagedFile(`an amount before line ${this.#number} cannot be read`);
    this.#take({
      statement: this.#statement,
      account: this.#account,
      entry: banks,
      date: bookingDay(value, booked),
      amount: plain,
      currency: this.#currency,
      status: 'BOOK',
      isReversal: mark.startsWith('R'),
      texts: [
        own === 'NONREF' ? '' : own,
        entry.supplement.join(' '),
        ...informationTexts(entry.information),
      ],
    });
  }
}

/** The booking date has no year: it is the one that brings it next to the value date. */
function bookingDay(value: string, booked: string): string {
  const [yearText, month, day] = [value.slice(0, 2), value.slice(2, 4), value.slice(4, 6)];
  const year = 2000 + Number(yearText);
  if (booked === '') return `${year}-${month}-${day}`;
  const [bookedMonth, bookedDay] = [booked.slice(0, 2), booked.slice(2, 4)];
  const apart = Number(bookedMonth) - Number(month);
  const shift = apart > 6 ? -1 : apart < -6 ? 1 : 0;
  return `${year + shift}-${bookedMonth}-${bookedDay}`;
}

/** Tag 86: its lines are one text; subfields that a bank marks with `?` are texts of their own. */
function informationTexts(lines: readonly string[]): string[] {
  const text = lines.join(' ');
  if (!/\?\d{2}/.test(text)) return [text];
  const fields = lines.join('').split(/\?(?=\d{2})/);
  const purpose = fields.filter((field) => /^(2\d|6[0-3])/.test(field)).map((field) => field.slice(2));
  const others = fields.filter((field) => !/^(2\d|6[0-3])/.test(field)).map((field) => field.slice(2));
  return [purpose.join(' '), purpose.join(''), ...others];
}
