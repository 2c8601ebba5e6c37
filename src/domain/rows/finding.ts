/*
 * What is found while a row is read and checked: findings, notes on how a value was read, contradictions between
 * rows.
 */

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

const beginning = 'read as ';

/** What is noted about a value that was written in another form than the one that is sent. */
export function readingNote(value: string): string {
  return `${beginning}${value}`;
}

/** Whether a note says only that a value was written in another form. */
export function isReadingNote(note: string): boolean {
  return note.startsWith(beginning);
}

/** What is noted about a cell that was mended as a person has agreed to; it holds no value. */
export function repairNote(title: string, repaired: string): string {
  return `repaired ${title}: ${repaired}`;
}

/**
 * A note for a summary, where what single rows were read as is counted by column: `read in another form: Phone`
 * for `read as +254712345678: Phone`. It holds no value then.
 */
export function summaryOfNote(note: string): string {
  const [, short = '', column = ''] = /^(not sent|unseen value): (.+)$/.exec(note) ?? [];
  if (short === 'not sent') return `${column} is checked and not sent`;
  if (short === 'unseen value')
    return `${column} has a word that the API's specification does not show; it is sent as it is`;
  if (!note.startsWith(beginning)) return note;
  const title = /: (?<title>[^:]*)$/.exec(note)?.groups?.['title'];
  return title === undefined ? 'read in another form' : `read in another form: ${title}`;
}

/** Rows that contradict each other about one object. */
export interface Contradiction {
  /**
   * `natural_key`: one natural key has two ids. `unrecorded`: an object was created for a row that does not
   * have it. `id`, one id on two rows, stands in reconciliations of earlier versions only: now such a row is held.
   */
  readonly kind: 'id' | 'natural_key' | 'unrecorded';
  readonly objectIds: readonly string[];
  readonly rows: readonly { readonly batch: string; readonly row: number }[];
}
