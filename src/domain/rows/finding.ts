import type { NameMarks } from '../text/payee-names.ts';

/* What is said of a row whose payee differs from the payees that are known. */

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
  /** Marks of the name's words (`domain/text/payee-names.ts`), as they are kept. */
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

/* What is said about a row, and how the findings of many rows are counted. */

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
  /**
   * The cell as its program shows it, where result files have it in another form: a number that was refused is written so
   * that it is refused again.
   */
  readonly shown?: ShownCell;
}

/** A cell as its program shows it. */
export interface ShownCell {
  /** Of its column in the header, from 0. */
  readonly place: number;
  readonly text: string;
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
function summaryOfNote(note: string): string {
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

const FIRST_ROWS = 5;
/** Codes are few and columns are at most a thousand, but both together could fill a screen many times. */
const SHOWN_GROUPS = 30;
const SHOWN_NOTES = 12;
/** Notes may name another row; should each row have its own, they are counted together. */
const KEPT_NOTES = 200;
const KEPT_ALIASES = 20;

/** Findings of one code on one column. */
export interface FindingGroup {
  readonly severity: Severity;
  readonly code: string;
  /** As the file calls it; empty where the finding is about the row as a whole. */
  readonly column: string;
  readonly count: number;
  /** The numbers of the first rows, at most five. */
  readonly firstRows: readonly number[];
  /** What the first of them has to say. */
  readonly message: string;
}

/** A note and how many rows have it. */
interface NoteGroup {
  readonly note: string;
  readonly count: number;
}

/** Everything that validation had to say about a table, in groups. */
export interface TalliedFindings {
  readonly count: number;
  /** The largest first. */
  readonly groups: readonly FindingGroup[];
  readonly groupsLeftOut: number;
  /** The most frequent first. */
  readonly notes: readonly NoteGroup[];
  readonly notesLeftOut: number;
  /** For the `values` of a mapping: by field, values that mean nothing and the nearest ones that would. */
  readonly aliases: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type GrowingGroup = { -readonly [Key in keyof FindingGroup]: FindingGroup[Key] } & { firstRows: number[] };

/** Counts findings and notes while they pass by; what is kept does not grow with the number of rows. */
export class FindingsTally {
  readonly #groups = new Map<string, GrowingGroup>();
  readonly #notes = new Map<string, number>();
  readonly #aliases = new Map<string, Map<string, string>>();
  #count = 0;
  #otherNotes = 0;

  add(row: number, findings: readonly Finding[], notes: readonly string[]): void {
    for (const finding of findings) this.#addFinding(row, finding);
    for (const note of notes.map(summaryOfNote)) {
      const isKept = this.#notes.has(note) || this.#notes.size < KEPT_NOTES;
      if (isKept) this.#notes.set(note, (this.#notes.get(note) ?? 0) + 1);
      else this.#otherNotes += 1;
    }
  }

  /** Notes a value of a field, and what is nearest to it among those that would do. */
  addAlias(field: string, value: string, nearest: string): void {
    const ofField = this.#aliases.get(field) ?? new Map<string, string>();
    if (ofField.size < KEPT_ALIASES) ofField.set(value, nearest);
    this.#aliases.set(field, ofField);
  }

  result(): TalliedFindings {
    const groups = [...this.#groups.values()].sort((left, right) => right.count - left.count);
    const notes = [...this.#notes]
      .map(([note, count]) => ({ note, count }))
      .sort((left, right) => right.count - left.count);
    const hidden = notes.slice(SHOWN_NOTES).reduce((sum, { count }) => sum + count, 0);
    return {
      count: this.#count,
      groups: groups.slice(0, SHOWN_GROUPS),
      groupsLeftOut: Math.max(groups.length - SHOWN_GROUPS, 0),
      notes: notes.slice(0, SHOWN_NOTES),
      notesLeftOut: hidden + this.#otherNotes,
      aliases: Object.fromEntries(
        [...this.#aliases].map(([field, values]) => [field, Object.fromEntries(values)]),
      ),
    };
  }

  #addFinding(row: number, { severity, code, column, message }: Finding): void {
    this.#count += 1;
    const key = JSON.stringify([severity, code, column]);
    const group = this.#groups.get(key);
    if (group === undefined) {
      this.#groups.set(key, { severity, code, column, count: 1, firstRows: [row], message });
      return;
    }
    group.count += 1;
    if (group.firstRows.length < FIRST_ROWS && group.firstRows.at(-1) !== row) group.firstRows.push(row);
  }
}
