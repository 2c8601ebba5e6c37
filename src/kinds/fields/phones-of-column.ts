import { readNationalPhone, readPhone } from './phone.ts';

/** The least number of phones that shows the country of their column. */
const fewestPhones = 5;

/**
 * What the phones of a column show of its country: a number that could also be of another one is of this one only where all
 * others are.
 */
export class PhonesOfColumn {
  readonly #country: string;
  readonly #isPhone: boolean;
  #own = 0;
  #doubtful = 0;
  #others = 0;

  /**
   * @param country ISO 3166-1 alpha-2: that of numbers without `+`
   * @param isPhone whether every value is a phone, and none an account number
   */
  constructor(country: string, isPhone: boolean) {
    this.#country = country;
    this.#isPhone = isPhone;
  }

  add(text: string): void {
    const stated = /^(?:\+|00)/.test(text) ? readPhone(text.replace(/^00/, '+')) : undefined;
    if (stated !== undefined) {
      if (stated.country === this.#country) this.#own += 1;
      else this.#others += 1;
      return;
    }
    const reading = readNationalPhone(text, this.#country);
    if (typeof reading === 'object') this.#own += 1;
    else if (reading === 'two_countries') this.#doubtful += 1;
    // Among account numbers, other digits are no phones.
    else if (this.#isPhone && readPhone(`+${text.replace(/^\+/, '')}`)?.isValid === true) this.#others += 1;
  }

  /** Whether all phones that can only be of one country are of this one, and are the most. */
  get isOfCountry(): boolean {
    return this.#others === 0 && this.#own >= fewestPhones && this.#own > this.#doubtful;
  }

  /** Whether they speak against the country, so that it was right for an earlier file only. A short file does not. */
  get isContradicted(): boolean {
    return this.#others > 0 || (this.#doubtful >= fewestPhones && this.#doubtful >= this.#own);
  }

  /** The numbers that could be of another country too. */
  get doubtful(): number {
    return this.#doubtful;
  }
}
