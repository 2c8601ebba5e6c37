/* Institutions: banks and mobile money providers. */

/**
 * A bank or mobile money provider of one country. The amounts are decimal strings, exactly as the
 * API's JSON numbers were written, so that no digit is lost to binary floating point.
 */
export interface Institution {
  readonly id: string;
  readonly name: string;
  readonly country: string;
  readonly currency: string;
  /** `bank_account_number` marks a bank; any other value a mobile money provider. */
  readonly accountNumberType: string;
  readonly minAmount: string | null;
  readonly maxAmount: string | null;
}

/** What an institution is: an `account_number_type` of `bank_account_number` marks a bank. */
export type InstitutionType = 'bank' | 'mobile_money';

export function typeOfInstitution({
  accountNumberType,
}: Pick<Institution, 'accountNumberType'>): InstitutionType {
  return accountNumberType === 'bank_account_number' ? 'bank' : 'mobile_money';
}

/** One country's institutions, as the directory returns them. All look-ups take constant time. */
export interface InstitutionList {
  readonly country: string;
  /** False when the directory could not be read in full: then a missing institution is unverifiable, not wrong. */
  readonly isComplete: boolean;
  /** In the order of the API. */
  readonly all: readonly Institution[];
  readonly byId: (id: string) => Institution | undefined;
  /**
   * By name without regard to case, accents and spaces; where none has that name, without regard to hyphens, dots
   * and the words `Bank`, `Ltd` and `Plc` either. More than one when the name is ambiguous.
   */
  readonly byName: (name: string) => readonly Institution[];
  /** The nearest names, best first, for a message; never chosen automatically. */
  readonly nearestNames: (name: string, suits: InstitutionType | 'any') => readonly string[];
}

/** One country's institutions as fetched, kept from run to run. */
export interface InstitutionSnapshot {
  readonly country: string;
  readonly institutions: readonly Institution[];
  readonly isComplete: boolean;
  readonly fetchedAt: Date;
  /** SHA-256, in hex, of everything except the time: equal for equal content. */
  readonly hash: string;
}

/** By name, as people look for them; those with the same name by id. */
export function sortedInstitutions(institutions: readonly Institution[]): Institution[] {
  const collator = new Intl.Collator('en');
  return [...institutions].sort(
    (left, right) => collator.compare(left.name, right.name) || collator.compare(left.id, right.id),
  );
}
