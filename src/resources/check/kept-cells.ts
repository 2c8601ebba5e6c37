import type { Finding } from '../../domain/rows/finding.ts';
import type { ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import type { CellKind } from '../../domain/tables/table.ts';
import type { FieldType, RowChecker } from '../definition.ts';
import { ruleOf } from '../registry.ts';
import { fieldTypes } from './field-types.ts';
import { acceptedNumbersOf, isAcceptedNumber } from './spreadsheet-damage.ts';
import { createTranslation } from './value-text.ts';

const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/;
const plainNumber = /^0*(\d+(?:\.\d+)?)$/;
const wholeNumber = /^[+-]?\d+$/;

/** An error that every reading refuses: what a formula without a result stands as in a file of text. */
const missingResult = '#N/A';

/** The cells of a row as result files have them. */
type KeptCells = RowChecker['keptCells'];

/**
 * Makes the writing of a table's rows as text, so that a failed file means the same when it is read again, in the
 * way in which the table was read: a cell's kind is lost there, and days and amounts follow the mapping. What was
 * refused for its kind is written so that it is refused again until a person corrects it; what was mended as it is
 * meant, since the rows that confirmed it may be gone there.
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
  // Whatever else is wrong with the row: once that is corrected, the number must not pass for text.
  const isAccepted = isAcceptedNumber(text, acceptedNumbersOf(field, reading.numericIdentifiers));
  return findings.length > 0 && !isAccepted && wholeNumber.test(text) ? `${text}.0` : text;
}

function dayIn(format: string, text: string): string {
  const [, year, month, day] = isoDay.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return text;
  // A day of ISO 8601 is read in any case, and two digits would not say the century.
  if (!format.includes('YYYY')) return text;
  return format.replace('YYYY', year).replace(/MM?/, month).replace(/DD?/, day);
}

/** Without separators of thousands, which are never needed. */
function amountIn({ decimal }: ReadingRules, text: string): string {
  const plain = plainNumber.exec(text)?.[1];
  return plain === undefined ? text : plain.replace('.', decimal);
}
