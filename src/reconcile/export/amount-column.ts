import { type AmountWriting, isAmount } from './values.ts';

/** The ways of writing amounts that people confuse. */
const writings = [
  { decimal: '.', thousands: '' },
  { decimal: ',', thousands: '' },
  { decimal: '.', thousands: ',' },
  { decimal: ',', thousands: '.' },
  { decimal: ',', thousands: ' ' },
  { decimal: '.', thousands: "'" },
] as const satisfies readonly AmountWriting[];

/** Fewer amounts than this say nothing about how a column is written. */
const fewest = 2;

/** The amounts of one table, watched as they are read, for saying how the whole column seems to be written. */
export class AmountColumn {
  readonly #declared: { readonly decimal: '.' | ','; readonly thousands: string };
  #fitting: readonly (typeof writings)[number][] = writings;
  #count = 0;
  #fractions = 0;
  #isGrouped = true;

  constructor({ decimal = '.', thousands = '' }: AmountWriting) {
    this.#declared = { decimal, thousands };
  }

  /** @param fractionDigits how many the currency has; undefined where nobody knows */
  add(text: string, fractionDigits: number | undefined): void {
    this.#count += 1;
    if (!this.#fitting.every((writing) => isAmount(text, writing))) {
      this.#fitting = this.#fitting.filter((writing) => isAmount(text, writing));
    }
    const point = text.indexOf(this.#declared.decimal);
    if (point === -1) return;
    this.#fractions += 1;
    const digits = text.length - point - 1;
    if (digits !== 3 || fractionDigits === undefined || fractionDigits >= 3) this.#isGrouped = false;
  }

  /** The writing in which every amount can be read, in words; null where none can, or the declared one can. */
  otherWriting(): string | null {
    const isDeclared = (writing: AmountWriting): boolean =>
      writing.decimal === this.#declared.decimal && writing.thousands === this.#declared.thousands;
    const [first] = this.#fitting;
    if (first === undefined || this.#count < fewest || this.#fitting.some(isDeclared)) return null;
    const told = this.#fitting.find(({ thousands }) => thousands === '') ?? first;
    return writingText(told);
  }

  /**
   * What would be right if the column's decimal points were separators of thousands: every one of them has
   * three digits behind it, and the currency has fewer. Null where they cannot be.
   */
  groupedWriting(): string | null {
    if (!this.#isGrouped || this.#fractions < fewest || this.#declared.thousands !== '') return null;
    const { decimal } = this.#declared;
    return writingText({ decimal: decimal === '.' ? ',' : '.', thousands: decimal });
  }
}

function writingText({
  decimal,
  thousands,
}: {
  readonly decimal: string;
  readonly thousands: string;
}): string {
  return `"decimal": "${decimal}"${thousands === '' ? '' : `, "thousands": "${thousands}"`}`;
}
