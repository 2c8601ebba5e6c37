/* The messages between the program that converts a whole workbook and its caller. */

import type { ErrorCode } from '../../../domain/failures/error-codes.ts';
import type { Remedy } from '../../../domain/failures/paybatch-error.ts';
import type { RowNote } from '../../../domain/rows/finding.ts';
import type { RowLook } from '../../../domain/tables/row-marks.ts';
import type { CellKind } from '../../../domain/tables/table.ts';
import type { RawRow } from '../../rows/header.ts';
import type { MergedRange } from '../../rows/input-table.ts';
import type { SheetRowRange } from '../sheet/sheets.ts';

/** A sheet of a workbook that was read as a whole. */
export interface SheetFacts {
  readonly name: string;
  readonly notes: readonly string[];
  readonly isHidden: boolean;
  readonly merged: readonly MergedRange[];
  /** The rows that the sheet declares as filled; null for an empty sheet. */
  readonly range: SheetRowRange | null;
}

/** A sheet whose rows are in a separate file, one per line. */
export interface ConvertedSheet extends SheetFacts {
  /** The number of rows in the file. */
  readonly rows: number;
  /** The numbers of the first rows, where a header may be. */
  readonly startRows: readonly number[];
  readonly file: string;
}

/** The converter's answer on its standard output. */
export type ConverterAnswer =
  | { readonly sheets: readonly ConvertedSheet[] }
  | {
      readonly refused: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly remedies: readonly Remedy[];
        readonly row?: number;
      };
    };

/** A row as one line: number, cells, kinds, notes, whether it is hidden, and how it looks. */
type Line = [number, string[], [number, CellKind][], RowNote[], boolean, RowLook | null];

export function rowLine({ number, cells, kinds, notes, isHidden, look }: RawRow): string {
  const line: Line = [number, cells, [...(kinds ?? [])], [...(notes ?? [])], isHidden === true, look ?? null];
  return `${JSON.stringify(line)}\n`;
}

export function parseRowLine(text: string): RawRow {
  const [number, cells, kinds, notes, isHidden, look]: Line = JSON.parse(text);
  return {
    number,
    cells,
    ...(kinds.length === 0 ? {} : { kinds: new Map(kinds) }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(isHidden ? { isHidden } : {}),
    ...(look === null ? {} : { look }),
  };
}
