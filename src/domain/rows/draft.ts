/* Corrections that people prepare, cell by cell: which rows may be corrected, and what a change for many makes of a value. */

import type { ResultStatus } from './row-state.ts';

/** Something that a person types in place of a cell. */
export interface CellEdit {
  readonly row: number;
  /** Of the column in the header of the batch, from 0. */
  readonly place: number;
  /** What the person saw in the cell, a draft's value included. */
  readonly before: string;
  readonly after: string;
  /** Whether the person says of a refused number that it is right: then it counts although nothing was typed. */
  readonly isRight?: boolean;
}

/** Whether an edit changes nothing: it says that a number which was refused is right as it is. */
export function isSaidRight({ before, after }: Pick<CellEdit, 'before' | 'after'>): boolean {
  return before === after;
}

/** Spreadsheet programs keep no more digits of a number than these. */
const mostDigits = 15;
const wholeNumber = /^(\+?\d+)(?:[.,]0+)?$/;

/**
 * The number in a cell that was refused as damaged, of which a person may say that it is right as it is. Nothing of it can
 * be lost but what stood before it, which a person sees. Undefined where a program has certainly changed it.
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

/** An edit as it was made, and what became of it. */
export interface KeptEdit extends DraftEdit {
  /** Null while it counts. */
  readonly end: {
    readonly how: 'replaced' | 'discarded' | 'planned';
    readonly by: string;
    readonly at: string;
    /** The correction that has taken it over. */
    readonly plannedBatch: string | null;
  } | null;
}

/** Why a cell is not changed: it, or its row, is not what the person saw. */
export interface EditConflict {
  readonly row: number;
  readonly place: number;
  /** What the cell has now. */
  readonly now: string;
  /** The status of the row now; null where the batch has no such row. */
  readonly status: ResultStatus | null;
  /** Whoever has changed the cell since; null where it is as the file has it. */
  readonly changedBy: string | null;
  readonly changedAt: string | null;
}

/** What becomes of the values of one column in many rows. */
export type ColumnChange =
  /** Another beginning: `with` stands in place of `beginning`, which may be empty. Only values that begin so change. */
  | { readonly kind: 'begin'; readonly beginning: string; readonly with: string }
  /** Exactly this value is another one. */
  | { readonly kind: 'replace'; readonly value: string; readonly with: string }
  /** Every row has this value. */
  | { readonly kind: 'set'; readonly with: string }
  /** Numbers that were refused as damaged are right as they are. */
  | { readonly kind: 'confirm' };

/** What a change makes of a value; the value itself where it is none. */
export function changedValue(value: string, change: Exclude<ColumnChange, { kind: 'confirm' }>): string {
  switch (change.kind) {
    case 'begin': {
      // What is not there has no beginning, and what is repeated by mistake is not put before it twice.
      const isChanged = value !== '' && value.startsWith(change.beginning);
      const isDone = change.beginning === '' && value.startsWith(change.with);
      return isChanged && !isDone ? change.with + value.slice(change.beginning.length) : value;
    }
    case 'replace':
      return value === change.value ? change.with : value;
    case 'set':
      return change.with;
  }
}

const correctable: ReadonlySet<ResultStatus> = new Set([
  'invalid',
  'rejected',
  'not_sent',
  'waiting',
  'held',
]);

/** Whether a corrected row may take the place of one: nothing of it exists, or may exist, and no other has taken it. */
export function isCorrectable({
  status,
  code,
}: {
  readonly status: ResultStatus;
  readonly code: string | null;
}): boolean {
  return correctable.has(status) && code !== 'superseded';
}
