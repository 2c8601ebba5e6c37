import type { NumericIdentifiers } from '../../domain/tables/mapping.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import type { FieldType } from '../definition.ts';
import { show } from './field-types.ts';
import type { ValueRefusal } from './value-text.ts';

/** Error texts of Excel, LibreOffice and Google Sheets, and the signs that fill a column that is too narrow. */
const errorText =
  /^(?:#(?:REF|VALUE|NAME|NULL|NUM|DIV\/0|SPILL|CALC|FIELD|BLOCKED|UNKNOWN|CONNECT|BUSY|EXTERNAL|PYTHON|ERROR|CIRCULAR|GETTING_DATA|LOADING)[!?…]?|#N\/A!?|#{3,}|Err:\d{3})$/i;

/** `1.23457E+11`, `1E+11`: spreadsheets always write the exponent's sign, real identifiers hardly ever have it. */
const scientific = /^[+-]?\d{1,3}(?:[.,]\d+)?E[+-]\d{1,3}$/i;
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

/** Whether a formula has left an error, or nothing, in place of a value. */
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

/** What a mapping says of the number cells of one column: see `NumericIdentifiers`. */
export type AcceptedNumbers = 'refuse' | 'accept' | number;

/** What a mapping says of a field's number cells. */
export function acceptedNumbersOf(field: string, declared: NumericIdentifiers): AcceptedNumbers {
  return typeof declared === 'string' ? declared : (declared[field] ?? 'refuse');
}

/** Whether the digits of a number cell may be taken as they are. */
export function isAcceptedNumber(text: string, accepted: AcceptedNumbers): boolean {
  if (accepted === 'refuse' || !acceptableNumber.test(text)) return false;
  return accepted === 'accept' || text.length === accepted;
}

/** Whether a spreadsheet has taken an identifier for a number. Nothing is ever padded or guessed. */
export function findDamage(
  text: string,
  kind: CellKind | undefined,
  type: FieldType,
  accepted: AcceptedNumbers,
): ValueRefusal | undefined {
  const what = describeDamage(text, kind, accepted);
  if (what === undefined) return undefined;
  const message = `${show(type, text)} ${what}, so digits may be lost; give the column the format "Text" and enter the value again`;
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
  // Most identifiers begin with a letter or hold nothing but digits; damaged numbers do neither.
  if (first > 0x39 || areDigits(text)) return undefined;
  if (scientific.test(text)) return 'is a number in scientific notation';
  if (wholeWithFraction.test(text)) return 'is a number with a fraction of zero';
  return undefined;
}
