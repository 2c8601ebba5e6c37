import type { CellObject, WorkSheet } from '@e965/xlsx';
import { type CellValue, type DateSystem, EMPTY_CELL, numericCell } from '../cell-value.ts';
import type { RawRow } from '../header.ts';
import { limitExceeded } from '../input-error.ts';
import type { InputLimits } from '../limits.ts';
import { builtInNumberFormat, type NumberFormat, parseNumberFormat } from '../number-format.ts';
import type { CellKind } from '../table.ts';

/** Error cells hold a number in the file. */
const ERRORS: ReadonlyMap<unknown, string> = new Map([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
]);

const GENERAL = builtInNumberFormat(0);

function formatReader(): (code: string) => NumberFormat {
  const known = new Map<string, NumberFormat>();
  return (code) => {
    const format = known.get(code) ?? parseNumberFormat(code);
    if (known.size < 10_000) known.set(code, format);
    return format;
  };
}

function cellValue(
  cell: CellObject,
  formatOf: (code: string) => NumberFormat,
  system: DateSystem,
): CellValue {
  const { t: type, v: value, z: code } = cell;
  if (type === 'e') return { text: ERRORS.get(value) ?? '#ERROR!', kind: 'error' };
  if (value === undefined || value === null || type === 'z') {
    return cell.f === undefined ? EMPTY_CELL : { text: '', kind: 'formula_without_value' };
  }
  if (type === 'n')
    return numericCell(Number(value), typeof code === 'string' ? formatOf(code) : GENERAL, system);
  if (type === 'b') return { text: value ? 'TRUE' : 'FALSE', kind: 'boolean' };
  return { text: String(value), kind: null };
}

/** The rows of a sheet that was read as a whole; rows without any value are left out. */
export function* rowsOfSheet(sheet: WorkSheet, system: DateSystem, limits: InputLimits): Generator<RawRow> {
  const formatOf = formatReader();
  const lines: (readonly (CellObject | undefined)[] | undefined)[] = sheet['!data'] ?? [];
  for (const [index, line] of lines.entries()) {
    if (line === undefined) continue;
    const number = index + 1;
    const cells: string[] = [];
    const kinds = new Map<number, CellKind>();
    for (const [column, cell] of line.entries()) {
      if (cell === undefined) continue;
      const { text, kind } = cellValue(cell, formatOf, system);
      if (text === '' && kind === null) continue;
      if (column >= limits.columns) throw tooFar(number, limits);
      while (cells.length < column) cells.push('');
      cells.push(text);
      if (kind !== null) kinds.set(column, kind);
    }
    if (cells.length === 0) continue;
    const isHidden = sheet['!rows']?.[index]?.hidden === true;
    yield {
      number,
      cells,
      ...(kinds.size === 0 ? {} : { kinds }),
      ...(isHidden ? { notes: ['hidden row'] } : {}),
    };
  }
}

function tooFar(row: number, limits: InputLimits) {
  return limitExceeded(
    `row ${row} has something beyond the ${limits.columns}th column`,
    'Remove what stands so far to the right.',
    { row },
  );
}
