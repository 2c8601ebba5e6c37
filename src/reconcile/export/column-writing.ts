import {
  ColumnProfile,
  type Convention,
  misreadingText,
  type NumberStyle,
  namedValues,
  numberStyles,
} from '../../resources/check/column-profile.ts';
import { type AmountWriting, amountOf, dayOf } from './values.ts';

/** Fewer amounts than this say nothing about how a column is written. */
const fewest = 2;

/** How the values of a column are written instead. */
export interface OtherWriting {
  /** What a mapping says of it. */
  readonly setting: string;
  /** The values that the declared writing does not read, and one that it reads as something else. */
  readonly proof: string;
  /** Whether the declared writing is wrong, and does not only lack the separator of thousands. */
  readonly isContradiction: boolean;
}

/** The amounts of one table, watched as they are read, for saying how the whole column seems to be written. */
export class AmountColumn {
  readonly #declared: NumberStyle;
  readonly #profile: ColumnProfile;
  #fractions = 0;
  #isGrouped = true;

  constructor({ decimal = '.', thousands = '' }: AmountWriting) {
    this.#declared = { decimal, thousands };
    const conventionOf = (writing: NumberStyle): Convention => ({
      example: settingOf(writing),
      isExtension: writing.decimal === decimal && thousands === '' && writing.thousands !== '',
      read: (text) => amountOf(text, writing) ?? undefined,
    });
    const others = numberStyles.filter((each) => each.decimal !== decimal || each.thousands !== thousands);
    this.#profile = new ColumnProfile(
      'amount',
      conventionOf({ decimal, thousands }),
      others.map((writing) => conventionOf(writing)),
    );
  }

  /** @param fractionDigits how many the currency has; undefined where nobody knows */
  add(row: number, text: string, fractionDigits: number | undefined): void {
    this.#profile.take({ row, text }, undefined);
    const point = text.indexOf(this.#declared.decimal);
    if (point === -1) return;
    this.#fractions += 1;
    const digits = text.length - point - 1;
    if (digits !== 3 || fractionDigits === undefined || fractionDigits >= 3) this.#isGrouped = false;
  }

  /** The writing in which every amount can be read; null where none can, or the declared one can. */
  otherWriting(): OtherWriting | null {
    return otherWritingOf(this.#profile);
  }

  /**
   * What would be right if the column's decimal points were separators of thousands: every one of them has
   * three digits behind it, and the currency has fewer. Null where they cannot be.
   */
  groupedWriting(): string | null {
    if (!this.#isGrouped || this.#fractions < fewest || this.#declared.thousands !== '') return null;
    const { decimal } = this.#declared;
    return settingOf({ decimal: decimal === '.' ? ',' : '.', thousands: decimal });
  }
}

/** The orders of a day's parts that people confuse, with every usual separator. */
const dateFormats: readonly string[] = ['/', '.', '-'].flatMap((separator) =>
  ['DD MM YYYY', 'MM DD YYYY', 'YYYY MM DD'].map((order) => order.replaceAll(' ', separator)),
);

/** The dates of one table, watched in the same way. */
export class DateColumn {
  readonly #profile: ColumnProfile;

  /** @param read gives the day of a text as the table is read */
  constructor(dateFormat: string | undefined, read: (text: string) => string | null) {
    const others = dateFormats.filter((format) => format !== (dateFormat ?? 'YYYY-MM-DD'));
    this.#profile = new ColumnProfile(
      'date',
      { example: '', isExtension: false, read: (text) => read(text) ?? undefined },
      others.map((format) => ({
        example: `"dateFormat": "${format}"`,
        isExtension: false,
        read: (text) => dayOf(text, { dateFormat: format }) ?? undefined,
      })),
    );
  }

  add(row: number, text: string): void {
    if (!this.#profile.isSettled) this.#profile.take({ row, text }, undefined);
  }

  /** The order in which every date can be read; null where none can, or the declared one can. */
  otherWriting(): OtherWriting | null {
    return otherWritingOf(this.#profile);
  }
}

function otherWritingOf(profile: ColumnProfile): OtherWriting | null {
  const { proofs, rivals } = profile;
  if (proofs.length === 0) return null;
  const [contradicting] = profile.contradictedBy(false);
  const rival = contradicting ?? rivals[0];
  if (rival === undefined) return null;
  return {
    setting: rival.example,
    proof: `(${namedValues(proofs)}).${misreadingText(rival)}`,
    isContradiction: contradicting !== undefined,
  };
}

function settingOf({ decimal, thousands }: NumberStyle): string {
  return `"decimal": "${decimal}"${thousands === '' ? '' : `, "thousands": "${thousands}"`}`;
}
