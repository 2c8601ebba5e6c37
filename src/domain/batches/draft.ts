/*
 * Drafts of corrections, which people edit cell by cell: which rows may be corrected, and how a bulk change alters a value.
 */

import type { ResultRow } from '../rows/result-row.ts';
import type { ResultStatus } from '../rows/row-state.ts';

/** Text that a person types in place of a cell. */
export interface CellEdit {
  readonly row: number;
  /** The column's index in the header of the batch, from 0. */
  readonly place: number;
  /** The value that the person saw in the cell, including an earlier edit of the draft. */
  readonly before: string;
  readonly after: string;
  /**
   * Whether the person confirms that a refused number is right. Then the edit is valid although no value was typed. False
   * revokes the confirmation.
   */
  readonly isRight?: boolean;
}

/** An edit to be made. */
export interface WantedEdit extends Omit<CellEdit, 'before'> {
  /** Null if the person did not see the cell; then any value of the cell is replaced. */
  readonly before: string | null;
}

/** Whether an edit only confirms that a refused number is right, and changes no value. */
export function isSaidRight({ before, after }: Pick<CellEdit, 'before' | 'after'>): boolean {
  return before === after;
}

/** Spreadsheet programs store no more digits of a number than this. */
const mostDigits = 15;
const wholeNumber = /^(\+?\d+)(?:[.,]0+)?$/;

/**
 * The number in a cell that was refused as damaged and that a person may confirm as right. It can have lost only leading
 * characters, which a person can check. Undefined if a program has certainly changed it.
 */
export function numberToConfirm(text: string): string | undefined {
  const [, number = ''] = wholeNumber.exec(text.trim()) ?? [];
  const digits = number.replace('+', '').length;
  return digits === 0 || digits > mostDigits ? undefined : number;
}

/** A valid edit: the value of the cell in the draft. */
export interface DraftEdit extends CellEdit {
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** An edit in the history of a cell, with its outcome. */
export interface KeptEdit extends DraftEdit {
  /** Null while the edit is valid. */
  readonly end: {
    readonly how: 'replaced' | 'discarded' | 'planned';
    readonly by: string;
    readonly at: string;
    /** The batch of the correction that includes it. */
    readonly plannedBatch: string | null;
  } | null;
}

/** A cell that a step has changed. A step is everything that one person has changed at once. */
export interface StepCell {
  readonly row: number;
  readonly place: number;
  /** The value of the cell before the step. */
  readonly before: string;
  /** The value of the cell after the step; null if the step restored the value of the file. */
  readonly after: string | null;
  readonly by: string;
  /** Whether the cell has not changed since the step. */
  readonly isCurrent: boolean;
}

/** The reason why a cell is not changed: the cell or its row differs from what the person saw. */
export interface EditConflict {
  readonly row: number;
  readonly place: number;
  /** The present value of the cell. */
  readonly now: string;
  /** The present status of the row; null if the batch has no such row. */
  readonly status: ResultStatus | null;
  /** The user who has changed the cell meanwhile; null if it has the value of the file. */
  readonly changedBy: string | null;
  readonly changedAt: string | null;
}

/** How the values of one column in many rows change. */
export type ColumnChange =
  /** Replaces the beginning `from`, which may be empty, by `with`. Only values with that beginning change. */
  | { readonly kind: 'begin'; readonly from: string; readonly with: string }
  /** Replaces the ending `from`, which may be empty, by `with`. Only values with that ending change. */
  | { readonly kind: 'end'; readonly from: string; readonly with: string }
  /** Replaces a text wherever it occurs in a value. */
  | { readonly kind: 'find'; readonly from: string; readonly with: string }
  /** Replaces exactly this value. */
  | { readonly kind: 'replace'; readonly from: string; readonly with: string }
  /** Gives every row this value. */
  | { readonly kind: 'set'; readonly with: string }
  /** Confirms that numbers which were refused as damaged are right. */
  | { readonly kind: 'confirm' };

/** The value after a change; the same value if the change does not apply. */
export function changedValue(value: string, change: Exclude<ColumnChange, { kind: 'confirm' }>): string {
  switch (change.kind) {
    case 'begin': {
      // An empty value has no beginning. If the change is repeated by mistake, it does not add the beginning twice.
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

/** A character, followed by the beginning of an ending: a sign, or a letter after a digit. */
const beginsAPart = /^(?:\S[^\p{L}\p{N}\p{M}]|\p{N}\p{L})/u;
const isCutCharacter = /^[\uDC00-\uDFFF]/;

/** The limits of a shared ending: its number of characters, and how many of the values have it. */
const longestEnding = 12;
const fewestWithEnding = 3;
const shareWithEnding = 0.6;

/**
 * The endings that most of the faulty values of a column have and that none of the other values has, the shortest first. An
 * ending is a separate part of the value: it begins with a sign, or with a letter after a digit.
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

/**
 * Whether a corrected row may replace a row: the row has no object and cannot have one, and no other row has replaced it.
 */
export function isCorrectable({ status, code }: Pick<ResultRow, 'status' | 'code'>): boolean {
  return correctable.has(status) && code !== 'superseded';
}
