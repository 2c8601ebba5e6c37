/* Amounts that are in thousands, millions or cents, as the title of their column or a line above the titles says. */

import { fractionDigitsOf } from '../../domain/money/money.ts';
import { filled, plainReadingRules } from '../../domain/tables/mapping.ts';
import { createAmountCheck } from '../../kinds/fields/amount.ts';
import { powerOf, type UnitRepair, unitNamed } from '../../kinds/fields/amount-units.ts';
import { noOtherValues, passedValue } from '../../kinds/fields/value-text.ts';
import type { Decisions } from '../decisions.ts';
import type { RepairSample } from '../question.ts';
import type { Column } from '../sheet/column.ts';
import { cellText } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import type { Assignment } from './assignment.ts';
import { columnOfField } from './column-use.ts';
import type { Places } from './places.ts';
import { amountStyle } from './writing.ts';

interface AmountsInUnits {
  readonly name: UnitRepair;
  readonly column: Column;
  readonly cells: readonly RepairSample[];
}

/** The amounts of the column that is paid, in its currency, if the file says that they are in another unit. */
export function amountsInUnits(
  sheet: Sheet,
  { uses }: Assignment,
  places: Places,
  decisions: Decisions,
): readonly AmountsInUnits[] {
  const column = columnOfField(uses, 'amount');
  const name = column === undefined ? undefined : (unitNamed(column.title) ?? unitAbove(sheet));
  if (column === undefined || name === undefined) return [];
  // A number format may show whole amounts in thousands. The title is then about what is shown.
  if (column.cells.some(({ isShown }) => isShown === true)) return [];
  const currencies = columnOfField(uses, 'currency')?.values.map(({ text }) => text) ?? [
    places.currency ?? '',
  ];
  // A currency without cents has no smaller unit.
  const hasCents = currencies.some((code) => fractionDigitsOf(code.toUpperCase()) !== 0);
  if (name === 'amounts_in_cents' && !hasCents) return [];
  const { mapping } = amountStyle(column, places, decisions);
  const power = powerOf(new Set([name])) ?? 0;
  const check = createAmountCheck({ ...plainReadingRules, ...filled(mapping), power });
  const cells = column.cells.flatMap(({ row, text, isNumber }): RepairSample[] => {
    const after = passedValue(check(text, isNumber ? 'number' : undefined, noOtherValues));
    return after === undefined ? [] : [{ row, before: text, after }];
  });
  return [{ name, column, cells }];
}

/** A line of text that says the unit of all amounts: `Amounts in thousands of FCFA`, `(montants en milliers)`. */
const saysUnit = /(?<!\p{L})(?:in|en|em|w|v|i|в|katika|dalam)\s+(?<unit>.+)$/iu;
const mostCells = 3;

function unitAbove({ grid, header: [first] }: Sheet): UnitRepair | undefined {
  for (const row of grid.rows) {
    if (row.number >= first) return undefined;
    const texts = row.cells.map((_, index) => cellText(row, index)).filter((text) => text !== '');
    if (texts.length > mostCells) continue;
    for (const text of texts) {
      const words = saysUnit.exec(text)?.groups?.['unit']?.split(/\s+/).slice(0, 2).join(' ');
      const unit = words === undefined ? undefined : unitNamed(words);
      if (unit !== undefined) return unit;
    }
  }
  return undefined;
}
