/* How the values of a column are written, and which other conventions would read them too. */

import { canonicalAmount } from '../../domain/money/money.ts';
import { shorten } from './value-text.ts';

/** One way of writing the values of a column. */
export interface Convention {
  /** As messages show it: `1.234,50`, `DD/MM/YYYY`. */
  readonly example: string;
  /** The value; undefined where it is not written this way. */
  readonly read: (text: string, currency: string | undefined) => string | undefined;
  /** Whether it reads all values that the convention in force reads, in the same way. */
  readonly isExtension: boolean;
}

/** How amounts are written, both signs stated. */
export interface NumberStyle {
  readonly decimal: '.' | ',';
  readonly thousands: '' | '.' | ',' | ' ' | "'";
}

/** The conventions for amounts that people confuse: the plain form first, then those with fewer separators. */
export const numberStyles: readonly NumberStyle[] = [
  { decimal: '.', thousands: '' },
  { decimal: ',', thousands: '' },
  { decimal: '.', thousands: ',' },
  { decimal: ',', thousands: '.' },
  { decimal: '.', thousands: ' ' },
  { decimal: ',', thousands: ' ' },
  { decimal: '.', thousands: "'" },
];

/** A value, and its row. */
export interface Seen {
  readonly row: number;
  readonly text: string;
}

/** Another convention that has read every value so far. */
export interface RivalReading extends Convention {
  /** The first value that it and the convention in force read differently. */
  readonly misread?: Seen & { readonly inForce: string; readonly own: string };
}

/** How many values are quoted as proof. */
export const proofsNamed = 3;

/** With this many values read as intended, a single one that is not is a separate mistake. */
const enoughBesideOne = 10;

/**
 * Which conventions are still possible for one column, value by value. Values that no convention reads are
 * separate mistakes, and show nothing about the others.
 */
export class ColumnProfile {
  readonly title: string;
  readonly inForce: Convention;
  readonly #all: readonly Convention[];
  #rivals: readonly RivalReading[];
  #proofs: readonly Seen[] = [];
  /** Values that the convention in force reads. */
  #read = 0;

  constructor(title: string, inForce: Convention, others: readonly Convention[]) {
    this.title = title;
    this.inForce = inForce;
    this.#all = others;
    this.#rivals = others;
  }

  /** Whether no further value can contradict the convention in force: then the rest of a large file need not be checked. */
  get isSettled(): boolean {
    return this.#rivals.every(({ isExtension }) => isExtension);
  }

  /** Values that the convention in force does not read, and another one does. */
  get proofs(): readonly Seen[] {
    return this.#proofs;
  }

  /** The other conventions that read every value which any convention reads. */
  get rivals(): readonly RivalReading[] {
    return this.#rivals;
  }

  /** Takes a value that every convention reads in the same way. */
  takeNeutral(): void {
    this.#read += 1;
  }

  /** @returns whether any convention reads it */
  take(seen: Seen, currency: string | undefined): boolean {
    const inForce = this.inForce.read(seen.text, currency);
    if (inForce === undefined && !this.#all.some(({ read }) => read(seen.text, currency) !== undefined))
      return false;
    if (inForce !== undefined) this.#read += 1;
    if (inForce === undefined && this.#proofs.length < proofsNamed) this.#proofs = [...this.#proofs, seen];
    this.#rivals = this.#rivals.flatMap((rival): RivalReading[] => {
      if (rival.isExtension && inForce !== undefined) return [rival];
      const own = rival.read(seen.text, currency);
      if (own === undefined) return [];
      if (inForce === undefined || rival.misread !== undefined) return [rival];
      // Dates are compared as text; they are no decimals.
      const [meantInForce, meant] = [canonicalAmount(inForce), canonicalAmount(own)];
      if (meantInForce === meant) return [rival];
      return [{ ...rival, misread: { ...seen, inForce: meantInForce, own: meant } }];
    });
    return true;
  }

  /**
   * The conventions by which the column contradicts the one in force. A convention that only reads more (`1,500` beside
   * `950.00`) is no contradiction: the values that the one in force reads are read as intended.
   */
  contradictedBy(areSomeRows: boolean): readonly RivalReading[] {
    if (this.#proofs.length === 0) return [];
    const misreading = this.#rivals.filter(({ misread }) => misread !== undefined);
    if (misreading.length > 0 || areSomeRows) return misreading;
    if (this.#proofs.length === 1 && this.#read >= enoughBesideOne) return [];
    return this.isSettled || this.#rivals.some(({ isExtension }) => isExtension) ? [] : this.#rivals;
  }
}

/** Values with their rows, in a sentence. */
export function namedValues(seen: readonly Seen[]): string {
  return seen.map(({ row, text }) => `${shorten(text)} in row ${row}`).join(', ');
}

/** A sentence, after a blank, about a value that the convention in force reads differently; empty without one. */
export function misreadingText({ misread }: RivalReading): string {
  if (misread === undefined) return '';
  return ` ${namedValues([misread])} would be read as ${misread.inForce}, and means ${misread.own}.`;
}
