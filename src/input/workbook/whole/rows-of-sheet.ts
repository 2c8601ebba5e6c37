import type { CellObject, WorkSheet } from '@e965/xlsx';
import type { InputLimits } from '../../file/limits.ts';
import type { RawRow } from '../../table/header.ts';
import { type CellValue, type DateSystem, EMPTY_CELL, numericCell } from '../sheet/cell-value.ts';
import { builtInNumberFormat, type NumberFormat, parseNumberFormat } from '../sheet/number-format.ts';
import { RowBuilder } from '../sheet/row-builder.ts';

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
  if (value === undefined || value === null || type === 'z') return EMPTY_CELL;
  if (type === 'n')
    return numericCell(Number(value), typeof code === 'string' ? formatOf(code) : GENERAL, system);
  if (type === 'b') return { text: value ? 'TRUE' : 'FALSE', kind: 'boolean' };
  return { text: String(value), kind: null };
}

/** The places with something in them: a list of one cell far to the right is not gone through from the left. */
function columnsOf(line: readonly unknown[], limits: InputLimits): Iterable<number> {
  return line.length <= limits.columns ? line.keys() : Object.keys(line).map(Number);
}

/** The rows of a sheet that was read as a whole; rows without any value are left out. */
export function* rowsOfSheet(sheet: WorkSheet, system: DateSystem, limits: InputLimits): Generator<RawRow> {
  const formatOf = formatReader();
  const lines: (readonly (CellObject | undefined)[] | undefined)[] = sheet['!data'] ?? [];
  for (const [index, line] of lines.entries()) {
    if (line === undefined) continue;
    const builder = new RowBuilder(index + 1, sheet['!rows']?.[index]?.hidden === true, limits);
    for (const column of columnsOf(line, limits)) {
      const cell = line[column];
      if (cell !== undefined) builder.put(column + 1, cellValue(cell, formatOf, system));
    }
    const row = builder.build();
    if (row !== null) yield row;
  }
}
