/** What a finding does to its row: an `invalid` row is never sent, a `held` one waits for a person. */
export type Severity = 'invalid' | 'held';

/**
 * Something that validation has to say about a row. `field` is paybatch's own column name; `column`
 * is what the file calls it. `message` is a sentence for people: it says what is wrong, what was
 * found (identifiers masked) and what would be right.
 */
export interface Finding {
  readonly severity: Severity;
  readonly field: string;
  readonly column: string;
  readonly code: string;
  readonly message: string;
  /** Values that may be meant instead, the nearest first; never chosen without a person. */
  readonly nearest?: readonly string[];
}

/** All findings of a row in one cell, each with the column it is about; one between rows has none. */
export function joinFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ column, message }) => (column === '' ? message : `${column}: ${message}`))
    .join('; ');
}
