/* Corrections that people prepare in a draft, cell by cell: which rows may be corrected, and how a bulk change alters a value. */

import type { ResultRow } from '../rows/result-row.ts';
import type { ResultStatus } from '../rows/row-state.ts';

/** Text that a person types in place of a cell. */
export interface CellEdit {
  readonly row: number;
  /** Of the column in the header of the batch, from 0. */
  readonly place: number;
  /** What the person saw in the cell, including a draft's value. */
  readonly before: string;
  readonly after: string;
  /**
   * Whether the person confirms a refused number as right: then the edit counts although nothing was typed. False takes
   * that back.
   */
  readonly isRight?: boolean;
}

/** An edit that is to be made. */
export interface WantedEdit extends Omit<CellEdit, 'before'> {
  /** Null of a cell that the person did not see: whatever it has is replaced. */
  readonly before: string | null;
}

/** Whether an edit changes nothing: it confirms that a refused number is right. */
export function isSaidRight({ before, after }: Pick<CellEdit, 'before' | 'after'>): boolean {
  return before === after;
}

/** Spreadsheet programs keep no more digits of a number than these. */
const mostDigits = 15;
const wholeNumber = /^(\+?\d+)(?:[.,]0+)?$/;

/**
 * The number in a cell that was refused as damaged, which a person may confirm as right. It can have lost only
 * leading characters, which a person can check. Undefined where a program has certainly changed it.
 */
export function numberToConfirm(text: string): string | undefined {
  const [, number = ''] = wholeNumber.exec(text.trim()) ?? [];
  const digits = number.replace('+', '').length;
  return digits === 0 || digits > mostDigits ? undefined : number;
}

/** An edit that counts: the value that the cell has in the draft. */
export interface DraftEdit extends CellEdit {
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** An edit as it was made, and its outcome. */
export interface KeptEdit extends DraftEdit {
  /** Null while it counts. */
  readonly end: {
    readonly how: 'replaced' | 'discarded' | 'planned';
    readonly by: string;
    readonly at: string;
    /** The correction that includes it. */
    readonly plannedBatch: string | null;
  } | null;
}

/** A cell that a step has changed. A step is all that one person has changed at once. */
export interface StepCell {
  readonly row: number;
  readonly place: number;
  /** What the cell had before the step. */
  readonly before: string;
  /** What it has had since; null where the step restored the value of the file. */
  readonly after: string | null;
  readonly by: string;
  /** Whether the cell is unchanged since. */
  readonly isCurrent: boolean;
}

/** Why a cell is not changed: it, or its row, differs from what the person saw. */
export interface EditConflict {
  readonly row: number;
  readonly place: number;
  /** What the cell has now. */
  readonly now: string;
  /** The status of the row now; null where the batch has no such row. */
  readonly status: ResultStatus | null;
  /** The user who has changed the cell since; null where it is as in the file. */
  readonly changedBy: string | null;
  readonly changedAt: string | null;
}

/** How the values of one column in many rows change. */
export type ColumnChange =
  /** Another beginning: `with` replaces `from`, which may be empty. Only values with that beginning change. */
  | { readonly kind: 'begin'; readonly from: string; readonly with: string }
  /** Another ending: `with` replaces `from`, which may be empty. Only values with that ending change. */
  | { readonly kind: 'end'; readonly from: string; readonly with: string }
  /** A text is replaced wherever a value has it. */
  | { readonly kind: 'find'; readonly from: string; readonly with: string }
  /** Exactly this value is replaced. */
  | { readonly kind: 'replace'; readonly from: string; readonly with: string }
  /** Every row gets this value. */
  | { readonly kind: 'set'; readonly with: string }
  /** Numbers that were refused as damaged are right as they are. */
  | { readonly kind: 'confirm' };

/** What a change makes of a value; the value itself where it does not apply. */
export function changedValue(value: string, change: Exclude<ColumnChange, { kind: 'confirm' }>): string {
  switch (change.kind) {
    case 'begin': {
      // An empty value has no beginning, and repeating the change by mistake does not add the beginning twice.
      const isChanged = value !== '' && value.startsWith(change.from);
      const isDone = change.from === '' && value.startsWith(change.with);
      return isChanged && !isDone ? change.with + value.slice(change.from.length) : value;
    }
    case 'end': {
      const isChanged = value !== '' && value.endsWith(change.from);
      const isDone = change.from === '' && value.endsWith(change.with);
      return isChanged && !isDone ? value.slice(0, value.length - change.from.length) + change.with : value;
    }
    case 'find':
      return change.from === '' ? value : value.replaceAll(change.from, () => change.with);
    case 'replace':
      return value === change.from ? change.with : value;
    case 'set':
      return change.with;
  }
}

/** A character, and behind it the beginning of an ending: a sign, or a letter behind a digit. */
const beginsAPart = /^(?:\S[^\p{L}\p{N}\p{M}]|\p{N}\p{L})/u;
const isCutCharacter = /^[\uDC00-\uDFFF]/;

/** Limits of a shared ending: its characters, and how many of the values have it. */
const longestEnding = 12;
const fewestWithEnding = 3;
const shareWithEnding = 0.6;

/**
 * The endings that most of the faulty values of a column share and none of the others has, the shortest first. An ending
 * is a part of its own: it begins with a sign, or with a letter behind a digit.
 */
export function sharedEndings(faulty: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const value of faulty) {
    for (let at = Math.max(1, value.length - longestEnding); at < value.length; at += 1) {
      const ending = value.slice(at);
      if (isCutCharacter.test(ending) || !beginsAPart.test(value.slice(at - 1))) continue;
      counts.set(ending, (counts.get(ending) ?? 0) + 1);
    }
  }
  const least = Math.max(fewestWithEnding, Math.ceil(faulty.length * shareWithEnding));
  return [...counts]
    .filter(([ending, count]) => count >= least && !others.some((value) => value.endsWith(ending)))
    .map(([ending]) => ending)
    .sort((one, other) => one.length - other.length);
}

const correctable: ReadonlySet<ResultStatus> = new Set([
  'invalid',
  'rejected',
  'not_sent',
  'waiting',
  'held',
]);

/** Whether a corrected row may replace a row: no object of it exists, or may exist, and no other row has replaced it. */
export function isCorrectable({ status, code }: Pick<ResultRow, 'status' | 'code'>): boolean {
  return correctable.has(status) && code !== 'superseded';
}
