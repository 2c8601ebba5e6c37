/* The results of validation about rows: findings, notes, and how these are counted over many rows. */

import { type Message, plainText, say, withParts } from '../settings/message.ts';
import { isAtMost, mask } from '../text/characters.ts';
import type { NameMarks } from '../text/payee-names.ts';

/** The message about a row that repeats the header. */
export const headerAgain = say`this row has names of columns, as a header has: take it out, or ${{ setting: 'leaveOutNonRows' }} does`;

const shownCharacters = 255;

/**
 * The message of a finding with the whole value in place of its visible end, for people who may read the cell.
 * @param cell the cell that the finding is about
 */
export function unmasked(message: Message, cell: string): Message {
  const text = cell.trim();
  if (text === '' || !isAtMost(text, shownCharacters)) return message;
  // Some checks use values without their separators.
  const compact = text.replace(/[\s\p{Pd}.()]/gu, '');
  const shown = [text, compact, compact.toUpperCase()].map(mask);
  return withParts(message, (part) =>
    'value' in part && part.isMasked && shown.includes(part.value) ? `“${text}”` : part,
  );
}

/* Findings about a row whose payee differs from the known payees. */

/** The codes of the two findings, in the order in which they are shown. */
export const payeeChangeCodes = ['payee_details_changed', 'account_shared'] as const;

export type PayeeChangeCode = (typeof payeeChangeCodes)[number];

/** The keys for looking up a payee, 16 bytes each; each character represents one byte. All except the marks are hashes. */
export interface PayeeSigns {
  readonly customer: string;
  /** The key of the name without differences of spelling. */
  readonly name: string;
  readonly marks: NameMarks;
  /** The key of identifiers that belong to only one person: an IBAN, a phone number, an account at one institution. */
  readonly account: string;
}

/** All keys of a payee. */
export interface PayeeKeys extends Omit<PayeeSigns, 'marks'> {
  /** Marks of the name's words (`domain/text/payee-names.ts`), in the stored form. */
  readonly nameMarks: string;
  /** A hash of payee type, account and institution, which together are the exact destination of the money. */
  readonly details: string;
}

/** One finding about one row. */
export interface PayeeChange {
  readonly row: number;
  readonly code: PayeeChangeCode;
  /** The earlier row with which it was compared; `batch` is null for a row of the same file. */
  readonly earlier: { readonly batch: string | null; readonly row: number };
  readonly keys: PayeeKeys;
}

/** A payee as shown to people, with the values of its row. */
export interface ShownPayee {
  readonly name: string;
  /** Account number, IBAN or phone number. */
  readonly account: string;
  /** Bank, provider or routing number. */
  readonly institution: string;
  readonly customer: string;
}

/** A finding with both compared payees, for people. */
export interface ShownChange {
  readonly row: number;
  readonly code: PayeeChangeCode;
  readonly before: ShownPayee;
  readonly after: ShownPayee;
  readonly amount: string | null;
  readonly currency: string | null;
  /** Where the earlier payee comes from. */
  readonly earlier: {
    /** The batch's full id; null for a row of the same file. */
    readonly batch: string | null;
    readonly file: string;
    readonly row: number;
    /** ISO 8601, UTC; null until its object is created. */
    readonly createdAt: string | null;
  };
  /** Whether this file also uses the earlier account; null if this was not checked. */
  readonly isStillUsed: boolean | null;
}

/** How many rows have each finding. */
export type PayeeChangeCounts = Readonly<Partial<Record<PayeeChangeCode, number>>>;

/* Messages about a row, and how the findings of many rows are counted. */

/** The effect of a finding on its row: an `invalid` row is never sent, a `held` row waits for a person. */
export type Severity = 'invalid' | 'held';

/**
 * A finding of validation about a row. `field` is paybatch's own column name, and `column` is the column's title in the
 * file. `message` is a sentence for people. It states what is wrong, which value was found (identifiers masked) and what
 * would be right. It is stored in its parts; files contain its plain text.
 */
export interface Finding {
  readonly severity: Severity;
  readonly field: string;
  readonly column: string;
  readonly code: string;
  readonly message: Message;
  /** Values that may be meant instead, the most similar first. A person always chooses. */
  readonly nearest?: readonly string[];
  /**
   * The cell as its program shows it, if result files show it in another form: a refused number is written so that it is
   * refused again.
   */
  readonly shown?: ShownCell;
}

/** A cell as its program shows it. */
interface ShownCell {
  /** The column's index in the header, from 0. */
  readonly place: number;
  readonly text: string;
}

/** All findings of a row in one cell, each with its column. A finding that compares rows has no column. */
export function joinFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ column, message }) => (column === '' ? plainText(message) : `${column}: ${plainText(message)}`))
    .join('; ');
}

/* Notes about a row: information that does not prevent it from being sent. */

/** A note about a row. A summary counts equal notes of many rows; a plain text is counted as it is. */
export type RowNote = string | CountedNote;

/** A note with another text in a summary. */
interface CountedNote {
  /** The text in result files. */
  readonly text: string;
  /** The text without the row's own values, so that equal notes are counted together; null if a summary omits the note. */
  readonly counted: string | null;
}

/** The text of a note, in the form in which it is stored and written into result files. */
export function noteText(note: RowNote): string {
  return typeof note === 'string' ? note : note.text;
}

/** A note about one value. */
export type ValueNote =
  | { readonly kind: 'read_as'; readonly value: string }
  | { readonly kind: keyof typeof valueNoteTexts };

const valueNoteTexts = {
  not_sent: 'not sent',
  unseen_value: 'unseen value',
  unusual_number: 'possible but not valid by the numbering plan',
  unknown_subdivision: 'unknown subdivision',
} as const;

/** The note about a value whose form in the file differs from the form that is sent. */
export function readAs(value: string): ValueNote {
  return { kind: 'read_as', value };
}

/**
 * The note about a row, from the notes about the value of one column.
 * @param title the column's title in the file
 * @param notes at least one
 */
export function noteOnColumn(title: string, notes: readonly ValueNote[]): CountedNote {
  return { text: `${notes.map(valueNoteText).join(', ')}: ${title}`, counted: countedAs(title, notes[0]) };
}

/** The note's text without its column: `read as +254712345678`. */
export function valueNoteText(note: ValueNote): string {
  return note.kind === 'read_as' ? `read as ${note.value}` : valueNoteTexts[note.kind];
}

function countedAs(title: string, first: ValueNote | undefined): string {
  switch (first?.kind) {
    case 'not_sent':
      return `${title} is checked and not sent`;
    case 'unseen_value':
      return `${title} has a word that the API's specification does not show; it is sent as it is`;
    case 'unusual_number':
    case 'unknown_subdivision':
      return `${valueNoteTexts[first.kind]}: ${title}`;
    default:
      return `read in another form: ${title}`;
  }
}

/** The note about a cell that was repaired with a person's consent. It contains no value. */
export function repairNote(title: string, repaired: string): string {
  return `repaired ${title}: ${repaired}`;
}

const FIRST_ROWS = 5;
/** The maximum number of groups. Codes are few and columns at most a thousand, but combinations could fill screens. */
const SHOWN_GROUPS = 30;
const SHOWN_NOTES = 12;
/** Notes may name another row. If each row has a different note, they are counted together. */
const KEPT_NOTES = 200;
const KEPT_ALIASES = 20;

/** Findings with one code about one column. */
export interface FindingGroup {
  readonly severity: Severity;
  readonly code: string;
  /** The column's title in the file; empty if the finding is about the row as a whole. */
  readonly column: string;
  readonly count: number;
  /** The numbers of the first rows, at most five. */
  readonly firstRows: readonly number[];
  /** The message of the first row's finding. */
  readonly message: Message;
}

/** A note and the number of rows that have it. */
interface NoteGroup {
  readonly note: string;
  readonly count: number;
}

/** All findings of validation about a table, in groups. */
export interface TalliedFindings {
  readonly count: number;
  /** The largest first. */
  readonly groups: readonly FindingGroup[];
  readonly groupsLeftOut: number;
  /** The most frequent first. */
  readonly notes: readonly NoteGroup[];
  readonly notesLeftOut: number;
  /** For the `values` of a mapping: by field, values without a meaning and the most similar valid values. */
  readonly aliases: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type GrowingGroup = { -readonly [Key in keyof FindingGroup]: FindingGroup[Key] } & { firstRows: number[] };

/** Counts findings and notes as they occur; its memory does not grow with the number of rows. */
export class FindingsTally {
  readonly #groups = new Map<string, GrowingGroup>();
  readonly #notes = new Map<string, number>();
  readonly #aliases = new Map<string, Map<string, string>>();
  #count = 0;
  #otherNotes = 0;

  add(row: number, findings: readonly Finding[], notes: readonly RowNote[]): void {
    for (const finding of findings) this.#addFinding(row, finding);
    for (const each of notes) {
      const note = typeof each === 'string' ? each : each.counted;
      if (note === null) continue;
      const isKept = this.#notes.has(note) || this.#notes.size < KEPT_NOTES;
      if (isKept) this.#notes.set(note, (this.#notes.get(note) ?? 0) + 1);
      else this.#otherNotes += 1;
    }
  }

  /** Records an invalid value of a field, and the most similar valid value. */
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
