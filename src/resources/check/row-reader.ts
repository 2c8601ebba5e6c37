import { readingNote } from '../../domain/rows/finding.ts';
import type { ColumnPlace, TableMapping } from '../../domain/tables/mapping.ts';
import type { CellKind, Cells } from '../../domain/tables/table.ts';
import { isDittoMark, refuseDitto, treatText, wordForNothing } from './cell-repairs.ts';
import type { FieldPlan } from './definition-plan.ts';
import { createCountryCheck } from './places.ts';
import type { RowValues } from './row-values.ts';
import {
  createTranslation,
  passedValue,
  type Translate,
  type ValueCheck,
  type ValueResult,
} from './value-text.ts';

/** Reads a field of a row: '' where its cells are empty, else what its check made of them. */
export function readCell(row: Cells, plan: FieldPlan, values: RowValues): ValueResult {
  if (plan.joined !== undefined) return readJoined(row, plan, plan.joined, values);
  if (plan.index === null) return plan.check(plan.constant, undefined, undefined, values);
  const raw = row.cells[plan.index] ?? '';
  const kind: CellKind | undefined = row.kinds?.get(plan.index);
  if (raw === '' && kind === undefined && plan.emptyIsEmpty) return '';
  return plan.check(raw, kind, row.earlier?.get(plan.index), values);
}

/** Cells that are joined by a space, without empty ones. What is wrong with one of them is wrong with all. */
function readJoined(
  row: Cells,
  plan: FieldPlan,
  places: readonly ColumnPlace[],
  values: RowValues,
): ValueResult {
  const treated = places.map((place) => treatText(row.cells[place.index] ?? '', place));
  const texts = treated.map(({ text }) => text.trim()).filter((text) => text !== '');
  const done = [...new Set(treated.flatMap((part) => part.done))];
  const ditto = places.findIndex(
    ({ repairs }, at) => repairs?.has('ditto') === true && isDittoMark(treated[at]?.text ?? ''),
  );
  if (ditto !== -1) return refuseDitto(treated[ditto]?.text ?? '');
  const damaged = places.find(
    ({ index }, at) =>
      treated[at]?.done.includes(wordForNothing) !== true && isDamagedKind(row.kinds?.get(index)),
  );
  if (damaged !== undefined) {
    return plan.check(row.cells[damaged.index] ?? '', row.kinds?.get(damaged.index), undefined, values);
  }
  const text = texts.join(' ');
  const result = text === '' ? '' : plan.check(text, undefined, undefined, values);
  if (typeof result !== 'string') return result;
  const note = result === '' || texts.length < 2 ? '' : readingNote(result);
  if (done.length > 0) return { value: result, note, repaired: done.join(', ') };
  return note === '' ? result : { value: result, note };
}

function isDamagedKind(kind: CellKind | undefined): boolean {
  return kind === 'error' || kind === 'formula_without_value';
}

/** The values of the row that is being read. One object serves all rows, since each is read to its end by itself. */
export class ValuesOfRow implements RowValues {
  readonly #phoneCountry: TableMapping['phoneCountry'];
  readonly #translateCountry: Translate;
  readonly #checkCountry: ValueCheck;
  #row: Cells = { cells: [] };
  #fields: readonly FieldPlan[] = [];

  constructor({ phoneCountry, columns }: TableMapping) {
    this.#phoneCountry = phoneCountry;
    // The column is mostly the row's country as well, whose values may mean other ones.
    const index = phoneCountry === undefined || 'country' in phoneCountry ? null : phoneCountry.index;
    const column = index === null ? undefined : columns.find((other) => other.index === index);
    this.#translateCountry = createTranslation(column?.values);
    this.#checkCountry = createCountryCheck('names');
  }

  begin(row: Cells, fields: readonly FieldPlan[]): void {
    this.#row = row;
    this.#fields = fields;
  }

  valueOf(field: string): string | undefined {
    const plan = this.#fields.find((other) => other.field === field);
    return plan === undefined ? undefined : passedValue(readCell(this.#row, plan, this));
  }

  phoneCountry(): string | null | undefined {
    const declared = this.#phoneCountry;
    if (declared === undefined) return null;
    if ('country' in declared) return declared.country;
    const cell = this.#row.cells[declared.index]?.trim() ?? '';
    const meant = this.#translateCountry(cell);
    if (meant === null) return undefined;
    const text = meant ?? cell;
    return text === '' ? undefined : passedValue(this.#checkCountry(text, undefined, this));
  }
}
