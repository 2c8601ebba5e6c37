/* Institutions: banks and mobile money providers. */

import { formatDecimal, parseNumberText } from './money/money.ts';

/**
 * A bank or mobile money provider of one country. The amounts are decimal strings, exactly as in the API's JSON, so that
 * floating-point conversion loses no digits.
 */
export interface Institution {
  readonly id: string;
  readonly name: string;
  readonly country: string;
  readonly currency: string;
  /** `bank_account_number` means a bank; any other value means a mobile money provider. */
  readonly accountNumberType: string;
  readonly minAmount: string | null;
  readonly maxAmount: string | null;
}

/** The type of an institution: it is a bank if its `account_number_type` is `bank_account_number`. */
export type InstitutionType = 'bank' | 'mobile_money';

export function typeOfInstitution({
  accountNumberType,
}: Pick<Institution, 'accountNumberType'>): InstitutionType {
  return accountNumberType === 'bank_account_number' ? 'bank' : 'mobile_money';
}

/** An institution's limits as plain decimals without a sign; undefined if it has none. */
interface Limits {
  readonly least: string | undefined;
  readonly most: string | undefined;
}

const knownLimits = new WeakMap<Institution, Limits>();

/** Amounts are positive, so a limit below zero means the same as zero. */
function readLimit(text: string | null): string | undefined {
  const limit = text === null ? undefined : parseNumberText(text);
  if (limit === undefined) return undefined;
  return limit.units < 0n ? '0' : formatDecimal(limit);
}

/** The limits of an institution, read once. */
export function limitsOf(institution: Institution): Limits {
  const known = knownLimits.get(institution);
  if (known !== undefined) return known;
  const limits = { least: readLimit(institution.minAmount), most: readLimit(institution.maxAmount) };
  knownLimits.set(institution, limits);
  return limits;
}

/** One country's institutions, as the directory returns them. All look-ups take constant time. */
export interface InstitutionList {
  readonly country: string;
  /** False if the directory could not be read completely. Then a missing institution is unverifiable, but not wrong. */
  readonly isComplete: boolean;
  /** In the order of the API. */
  readonly all: readonly Institution[];
  readonly byId: (id: string) => Institution | undefined;
  /**
   * Finds institutions by name, without regard to case, accents and spaces. If none has that name, hyphens, dots and the
   * words `Bank`, `Ltd` and `Plc` are ignored too. Several results mean that the name is ambiguous.
   */
  readonly byName: (name: string) => readonly Institution[];
  /** The most similar names, best first, for a message. They are never chosen automatically. */
  readonly nearestNames: (name: string, suits: InstitutionType | 'any') => readonly string[];
}

/** One country's institutions as fetched. They are stored from run to run. */
export interface InstitutionSnapshot {
  readonly country: string;
  readonly institutions: readonly Institution[];
  readonly isComplete: boolean;
  readonly fetchedAt: Date;
  /** SHA-256, in hex, of everything except the time, so that equal content has the same hash. */
  readonly hash: string;
}

/** Sorted by name, as people look for them; institutions with the same name are sorted by id. */
export function sortedInstitutions(institutions: readonly Institution[]): Institution[] {
  const collator = new Intl.Collator('en');
  return [...institutions].sort(
    (left, right) => collator.compare(left.name, right.name) || collator.compare(left.id, right.id),
  );
}
