/* Templates of input files, as a workbook or as CSV. */

import { writeFile } from 'node:fs/promises';
import { writeError } from '../disk/file-system.ts';
import type { Need, Template, TemplateColumn } from '../domain/tables/table.ts';
import { explanationTitles } from '../domain/tables/values-sheet.ts';
import { byteOrderMark, csvText } from './files/replacement-file.ts';
import type { CellStyle, SheetCell } from './workbook/sheet.ts';
import { type WorkbookSheet, workbookBytes } from './workbook/workbook.ts';

const headerStyles: Readonly<Record<Need, CellStyle>> = {
  required: 'header-required',
  sometimes: 'header-sometimes',
  optional: 'header-optional',
};

const MS_IN_DAY = 86_400_000;
/** Day 0 of spreadsheets, for days after February 1900. */
const DAY_ZERO = Date.UTC(1899, 11, 30);
const LEAST_WIDTH = 12;
const MOST_WIDTH = 40;

/** A template as a workbook: a sheet to fill in, named after the kind, and a sheet that explains its columns. */
export function templateWorkbook(template: Template): Promise<Buffer> {
  return workbookBytes([sheetToFillIn(template), explanation(template)]);
}

function sheetToFillIn({ kind, columns, exampleRows }: Template): WorkbookSheet {
  return {
    name: kind,
    columns: columns.map((column, index) => ({
      width: widthFor([column.name, ...exampleRows.map((row) => row[index] ?? '')]),
      style: column.content,
    })),
    rows: [
      columns.map(({ name, need }) => ({ value: name, style: headerStyles[need] })),
      ...exampleRows.map((row) => columns.map((column, index) => exampleCell(column, row[index] ?? ''))),
    ],
    dropDowns: columns.flatMap(({ choices }, column) => (choices === null ? [] : [{ column, ...choices }])),
    notes: columns.map((column, index) => ({ row: 1, column: index, text: noteOf(column) })),
  };
}

function exampleCell({ content }: TemplateColumn, text: string): SheetCell | null {
  if (text === '') return null;
  switch (content) {
    case 'text':
      return { value: text, style: 'example-text' };
    case 'day':
      return { value: (Date.parse(`${text}T00:00:00Z`) - DAY_ZERO) / MS_IN_DAY, style: 'example-day' };
    case 'amount':
      return { value: Number(text), style: 'example-amount' };
  }
}

function noteOf({ description, needInWords, example, choices }: TemplateColumn): string {
  const lines = [description, `Needed: ${needInWords}`, `Example: ${example}`];
  if (choices !== null) lines.push(valuesOf(choices));
  return lines.join('\n');
}

function valuesOf({ values, isClosed }: NonNullable<TemplateColumn['choices']>): string {
  return `${isClosed ? 'Possible' : 'Usual'}: ${values.join(', ')}`;
}

const explanationWidths = [24, 40, 56, 38, 50];

/** The sheet that explains the columns. An import recognises it by its titles and leaves it out. */
function explanation({ columns }: Template): WorkbookSheet {
  const cell = (value: string, style: CellStyle): SheetCell => ({ value, style });
  const rows = columns.map(({ name, need, needInWords, description, example, choices }) => [
    cell(name, headerStyles[need]),
    cell(needInWords, 'wrapped'),
    cell(description, 'wrapped'),
    cell(example, 'wrapped'),
    cell(choices === null ? '' : valuesOf(choices), 'wrapped'),
  ]);
  const legend = [
    [null, cell('dark: required in every row', 'header-required')],
    [null, cell('medium: required in some rows, see above', 'header-sometimes')],
    [null, cell('light: optional', 'header-optional')],
  ];
  const advice = 'The rows in grey are examples: overwrite or delete them.';
  return {
    name: 'Columns',
    columns: explanationWidths.map((width) => ({ width, style: 'wrapped' })),
    rows: [
      explanationTitles.map((title) => cell(title, 'header-sometimes')),
      ...rows,
      [],
      ...legend,
      [null, cell(advice, 'text')],
    ],
    dropDowns: [],
    notes: [],
  };
}

/** A width for the column's texts, in the unit of spreadsheets: the width of a digit. */
function widthFor(texts: readonly string[]): number {
  const longest = Math.max(...texts.map((text) => Array.from(text).length));
  return Math.min(Math.max(longest + 3, LEAST_WIDTH), MOST_WIDTH);
}

/** A template as CSV: its header, and the example rows. */
export function templateCsv({ columns, exampleRows }: Template): Buffer {
  return Buffer.from(byteOrderMark + csvText([columns.map(({ name }) => name), ...exampleRows]), 'utf8');
}

/**
 * Writes a template for people to fill in. It does not overwrite a file unless asked to, because a file of that name
 * may already have a person's rows.
 *
 * @returns whether it was written: false when a file of that name exists and `overwrite` is not set
 * @throws OutputError
 */
export async function writeTemplateFile(path: string, bytes: Buffer, overwrite: boolean): Promise<boolean> {
  try {
    await writeFile(path, bytes, { flag: overwrite ? 'w' : 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw writeError(path, error);
  }
}
