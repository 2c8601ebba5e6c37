export type Payee = Readonly<Record<string, string>>;

/** A row of the second month, and what has to be reported for it. */
export interface MonthRow {
  readonly record: Payee;
  /** Null where nothing has changed. */
  readonly expected: 'payee_details_changed' | 'account_shared' | null;
  /** In what way it differs from the first month, for the reader of a mistake. */
  readonly what: string;
  /** The kind of a hidden change; absent for all others. */
  readonly kind?: string;
  /** The row that it contradicts: the later one of the two in the file is reported, with the place of the other. */
  readonly contradicts?: MonthRow;
}
