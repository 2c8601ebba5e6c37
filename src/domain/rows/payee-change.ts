/* What is said of a row whose payee differs from the payees that are known. */

import type { NameMarks } from '../text/name-marks.ts';

/** The codes of the two findings, in the order in which they are told. */
export const payeeChangeCodes = ['payee_details_changed', 'account_shared'] as const;

export type PayeeChangeCode = (typeof payeeChangeCodes)[number];

/** What a payee is looked up by: 16 bytes each, a byte in each character; hashes but for the marks. */
export interface PayeeSigns {
  readonly customer: string;
  /** Of the name without what people write differently. */
  readonly name: string;
  readonly marks: NameMarks;
  /** Of what belongs to one person only: an IBAN, a phone number, an account at one institution. */
  readonly account: string;
}

/** Everything that stands for a payee. */
export interface PayeeKeys extends Omit<PayeeSigns, 'marks'> {
  /** Marks of the name's words (`domain/text/name-marks.ts`), as they are kept. */
  readonly nameMarks: string;
  /** A hash of payee type, account and institution: where exactly the money goes. */
  readonly details: string;
}

/** One finding about one row. */
export interface PayeeChange {
  readonly row: number;
  readonly code: PayeeChangeCode;
  /** The row that it was compared with; `batch` is null for a row of the same file. */
  readonly earlier: { readonly batch: string | null; readonly row: number };
  readonly keys: PayeeKeys;
}

/** A payee as people read about it: values as they stand in its row. */
export interface ShownPayee {
  readonly name: string;
  /** Account number, IBAN or phone number. */
  readonly account: string;
  /** Bank, provider or routing number. */
  readonly institution: string;
  readonly customer: string;
}

/** A finding with both sides of it, for people. */
export interface ShownChange {
  readonly row: number;
  readonly code: PayeeChangeCode;
  readonly before: ShownPayee;
  readonly after: ShownPayee;
  readonly amount: string | null;
  readonly currency: string | null;
  /** Where the earlier one comes from. */
  readonly earlier: {
    /** The batch's whole id; null for a row of the same file. */
    readonly batch: string | null;
    readonly file: string;
    readonly row: number;
    /** ISO 8601, UTC; null while its object is not created. */
    readonly createdAt: string | null;
  };
  /** Whether this file also uses the earlier account; null where nobody has looked. */
  readonly isStillUsed: boolean | null;
}

/** How many rows have each finding. */
export type PayeeChangeCounts = Readonly<Partial<Record<PayeeChangeCode, number>>>;
