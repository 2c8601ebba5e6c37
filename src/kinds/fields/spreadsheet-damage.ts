/* Finds values that a spreadsheet program has damaged, and writes cells so that their meaning is kept. */

import type { Finding } from '../../domain/rows/finding.ts';
import { say } from '../../domain/settings/message.ts';
import type { NumericIdentifiers, ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import type { FieldType } from '../definition.ts';
import { ruleOf } from '../registry.ts';
import type { RowChecker } from '../row-check.ts';
import { fieldTypes, shownAs } from './field-types.ts';
import { createTranslation, type ValueRefusal } from './value-text.ts';

/** Error texts of Excel, LibreOffice and Google Sheets, and the signs that fill a column that is too narrow. */
const errorText =
  /^(?:#(?:REF|VALUE|NAME|NULL|NUM|DIV\/0|SPILL|CALC|FIELD|BLOCKED|UNKNOWN|CONNECT|BUSY|EXTERNAL|PYTHON|ERROR|CIRCULAR|GETTING_DATA|LOADING)[!?…]?|#N\/A!?|#{3,}|Err:\d{3})$/i;

/** `1.23457E+11`, `1E+11`: spreadsheets always write the sign of the exponent. Real identifiers rarely contain it. */
const scientific = /^[+-]?\d{1,3}(?:[.,]\d+)?E[+-]\d{1,3}$/i;
/** Whether a number is in scientific notation, with which a spreadsheet has lost digits. */
export function isScientific(text: string): boolean {
  return scientific.test(text.trim());
}

const wholeWithFraction = /^[+-]?\d+[.,]0+$/;
const booleanText = /^(?:TRUE|FALSE)$/;
const acceptableNumber = /^\d{1,15}$/;

function areDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Whether a formula has left an error, or no result, instead of a value. */
export function findSpreadsheetError(text: string, kind: CellKind | undefined): ValueRefusal | undefined {
  if (kind === 'formula_without_value') {
    const message =
      'is a formula without a stored result; open the file in a spreadsheet program, save it, and import it again';
    return { code: 'spreadsheet_error', message };
  }
  const first = text.charCodeAt(0);
  const mayBeError = first === 0x23 || first === 0x45 || first === 0x65;
  if (kind !== 'error' && !(mayBeError && errorText.test(text))) return undefined;
  const message = 'holds the error of a spreadsheet formula instead of a value; correct the formula';
  return { code: 'spreadsheet_error', message };
}

/** A mapping's statement about the number cells of one column; see `NumericIdentifiers`. */
export type AcceptedNumbers = 'refuse' | 'accept' | number;

/** A mapping's statement about a field's number cells. */
export function acceptedNumbersOf(field: string, declared: NumericIdentifiers): AcceptedNumbers {
  return typeof declared === 'string' ? declared : (declared[field] ?? 'refuse');
}

/** Whether the digits of a number cell may be used unchanged. */
export function isAcceptedNumber(text: string, accepted: AcceptedNumbers): boolean {
  if (accepted === 'refuse' || !acceptableNumber.test(text)) return false;
  return accepted === 'accept' || text.length === accepted;
}

/** Whether a spreadsheet has converted an identifier to a number. No digit is ever added or guessed here. */
export function findDamage(
  text: string,
  kind: CellKind | undefined,
  type: FieldType,
  accepted: AcceptedNumbers,
): ValueRefusal | undefined {
  const what = describeDamage(text, kind, accepted);
  if (what === undefined) return undefined;
  const message = say`${shownAs(type, text)} ${what}, so digits may be lost; give the column the format "Text" and enter the value again`;
  return { code: 'damaged_number', message };
}

function describeDamage(
  text: string,
  kind: CellKind | undefined,
  accepted: AcceptedNumbers,
): string | undefined {
  if (kind === 'number' && isAcceptedNumber(text, accepted)) return undefined;
  if (kind === 'number' && typeof accepted === 'number')
    return `is a number of ${text.length} digits in the spreadsheet, and the mapping takes only those of ${accepted}`;
  if (kind === 'number') return 'is a number in the spreadsheet, not text';
  if (kind === 'date') return 'is a date in the spreadsheet, not text';
  const first = text.charCodeAt(0);
  if (kind === 'boolean' || ((first === 0x54 || first === 0x46) && booleanText.test(text)))
    return 'is a truth value in the spreadsheet, not text';
  // Most identifiers begin with a letter or consist of digits only. Damaged numbers do neither.
  if (first > 0x39 || areDigits(text)) return undefined;
  if (isScientific(text)) return 'is a number in scientific notation';
  if (wholeWithFraction.test(text)) return 'is a number with a fraction of zero';
  return undefined;
}

const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/;
const plainNumber = /^0*(\d+(?:\.\d+)?)$/;
const wholeNumber = /^[+-]?\d+$/;

/** An error text that is always refused. In a text file it represents a formula without a result. */
const missingResult = '#N/A';

/** The cells of a row in the form for result files. */
type KeptCells = RowChecker['keptCells'];

/**
 * Makes the function that writes a table's cells as text. A failed file must have the same meaning when it is read again in
 * the way in which the table was read. In text the type of a cell is lost, and dates and amounts follow the mapping. A cell
 * that was refused because of its type is written so that it is refused again until a person corrects it. A repaired cell is
 * written with its intended value, since the rows that confirmed it may be missing in the failed file.
 */
export function createKeptCells({ kind, columns }: TableMapping, reading: ReadingRules): KeptCells {
  const typed = columns.flatMap((column) => {
    const type = ruleOf(kind, column.field)?.type;
    if (column.index === null || type === undefined) return [];
    return [{ column, index: column.index, type, translate: createTranslation(column.values) }];
  });
  return ({ cells, kinds }, { findings, mended }) => {
    if (kinds === undefined && mended === undefined) return cells;
    const kept = [...cells];
    for (const { column, index, type, translate } of typed) {
      const cellKind = kinds?.get(index);
      const cell = mended?.get(index);
      if (cell !== undefined) kept[index] = cell;
      if (cell !== undefined || cellKind === undefined) continue;
      if (translate(cells[index]?.trim() ?? '') !== undefined) continue;
      kept[index] = written(cells[index] ?? '', cellKind, { field: column.field, type }, reading, findings);
    }
    return kept;
  };
}

function written(
  text: string,
  kind: CellKind,
  { field, type }: { readonly field: string; readonly type: FieldType },
  reading: ReadingRules,
  findings: readonly Finding[],
): string {
  if (kind === 'formula_without_value') return findings.length === 0 ? text : missingResult;
  if (kind === 'date' && type === 'birth_date') return dayIn(reading.dateFormat, text);
  if ((kind === 'number' || kind === 'shown_number') && type === 'amount') return amountIn(reading, text);
  if (kind !== 'number' || !fieldTypes[type].isIdentifier) return text;
  // This applies whatever else is wrong with the row. Otherwise the number would pass as text once the other fault is
  // corrected.
  const isAccepted = isAcceptedNumber(text, acceptedNumbersOf(field, reading.numericIdentifiers));
  return findings.length > 0 && !isAccepted && wholeNumber.test(text) ? `${text}.0` : text;
}

function dayIn(format: string, text: string): string {
  const [, year, month, day] = isoDay.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return text;
  // A date of ISO 8601 is always read, and a year of two digits would not show the century.
  if (!format.includes('YYYY')) return text;
  return format.replace('YYYY', year).replace(/MM?/, month).replace(/DD?/, day);
}

/** Without thousands separators, which are never needed. */
function amountIn({ decimal }: ReadingRules, text: string): string {
  const plain = plainNumber.exec(text)?.[1];
  return plain === undefined ? text : plain.replace('.', decimal);
}
