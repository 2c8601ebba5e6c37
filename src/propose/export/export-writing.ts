/* How the amounts and dates of an export are written, according to their values and paybatch's own rows. */

import { filled } from '../../domain/tables/mapping.ts';
import { columnOfField, type Use } from '../columns/column-use.ts';
import { currencyFound } from '../columns/currencies.ts';
import { dateStyle } from '../columns/day-writing.ts';
import { amountStyle } from '../columns/writing.ts';
import { type Decisions, decidedText } from '../decisions.ts';
import type { Column } from '../sheet/column.ts';
import type { Sheet } from '../sheet/sheet.ts';
import type { OwnEvidence } from './own-rows.ts';

/** The content of an export's mapping. */
export interface ProposedExportMapping {
  readonly columns: Readonly<Record<string, string>>;
  readonly constants?: { readonly currency: string };
  readonly compare?: readonly string[];
  readonly dateFormat?: string;
  readonly decimal?: '.' | ',';
  readonly thousands?: '' | ',' | '.' | ' ' | "'";
  readonly currencySigns?: 'accept';
  readonly minorUnits?: true;
}

/** How the amounts and dates of an export are written. */
export interface ExportWriting {
  readonly mapping: Omit<ProposedExportMapping, 'columns'>;
  readonly isDecimalUnclear: boolean;
  readonly likelyDecimal: string | null;
  readonly dateFormats: readonly string[];
  readonly isCurrencyMissing: boolean;
}

/** Finds how the used columns are written. */
export function exportWritingOf(
  sheet: Sheet,
  uses: readonly Use[],
  own: OwnEvidence | null,
  decisions: Decisions,
): ExportWriting {
  const amount = amountsOf(uses);
  const day = columnOfField(uses, 'date');
  const hasCurrency = columnOfField(uses, 'currency') !== undefined;
  const ofSheet = currencyFound(sheet, amount);
  const agreement = amount === undefined ? undefined : own?.amounts(amount);
  const isProven = agreement !== undefined && agreement.share >= 0.5;
  const stated = decidedText(decisions.get('constant:currency'))?.trim().toUpperCase();
  const currency = hasCurrency ? null : (stated ?? ofSheet ?? (isProven ? (own?.currency ?? null) : null));
  const style = amountStyle(amount, { currency }, decisions);
  const dates = dateStyle(day === undefined ? undefined : withoutTimes(day), decisions);
  const proven = day === undefined ? undefined : own?.days(day);
  const order = proven !== undefined && proven.share >= 0.8 ? proven.order : undefined;
  const possible = dates.possible.filter((format) => order === undefined || orderOf(format) === order);
  const [only] = possible;
  const isDateClear = possible.length === 1 && only !== undefined;
  const { decimal, thousands } = style.isUnclear && isProven ? agreement.style : style.mapping;
  return {
    isDecimalUnclear: style.isUnclear && !isProven,
    likelyDecimal: style.proposed,
    dateFormats: isDateClear ? [] : possible,
    isCurrencyMissing: amount !== undefined && !hasCurrency && currency === null,
    mapping: filled({
      constants: currency === null || amount === undefined ? undefined : { currency },
      dateFormat: isDateClear ? only : exportFormat(dates.mapping.dateFormat),
      decimal,
      thousands: thousands || undefined,
      currencySigns: style.mapping.currencySigns === undefined ? undefined : ('accept' as const),
      minorUnits: isProven && agreement.isMinor ? (true as const) : undefined,
    }),
  };
}

/**
 * The format of dates in a mapping of exports. It declares two digits for a part that a single letter declares as one
 * or two digits. Dates in ISO 8601 are read whatever the format is.
 */
function exportFormat(format: string | undefined): string | undefined {
  if (format === 'YYYY-MM-DD') return undefined;
  return format?.replace(/(?<!D)D(?!D)/, 'DD').replace(/(?<!M)M(?!M)/, 'MM');
}

function orderOf(format: string): string {
  return format.replace(/[^YMD]/g, '').replace(/(.)\1+/g, '$1');
}

/** The amounts, or credits and debits together. */
export function amountsOf(uses: readonly Use[]): Column | undefined {
  const [amount, credit, debit] = ['amount', 'credit', 'debit'].map((field) => columnOfField(uses, field));
  if (credit === undefined || debit === undefined) return amount ?? credit ?? debit;
  return {
    ...credit,
    cells: [...credit.cells, ...debit.cells],
    values: [...credit.values, ...debit.values],
  };
}

/** The dates of a column, without the times after them. */
function withoutTimes(column: Column): Column {
  const day = (text: string): string => text.split(/[ T]/)[0] ?? '';
  return {
    ...column,
    cells: column.cells.map((cell) => ({ ...cell, text: day(cell.text) })),
    values: column.values.map(({ text, rows }) => ({ text: day(text), rows })),
  };
}
