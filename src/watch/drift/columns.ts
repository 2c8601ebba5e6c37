/* The columns of a table, and what its mapping makes of each. */

import { hash } from 'node:crypto';
import type { MappedColumn, ReadingRules, TableMapping } from '../../domain/tables/mapping.ts';
import type { FieldType } from '../../kinds/definition.ts';
import { normaliseHeader, ownReferenceOf, ruleOf } from '../../kinds/registry.ts';
import { type Role, roleOf } from './value-look.ts';

/** A column as it is compared with last time. */
export interface DriftColumn {
  readonly title: string;
  /** Its place in the file, counted from 0. */
  readonly index: number;
  readonly role: Role;
  readonly type: FieldType | undefined;
  /** The field whose value is that of the whole cell; null where there is none. */
  readonly field: string | null;
  /** Whether any field takes its value from the column. */
  readonly isRead: boolean;
  /** Whether a known person keeps the value from file to file. */
  readonly isLasting: boolean;
  /** Whether it has one of few words, each of which means something to the API. */
  readonly isClosed: boolean;
  readonly decimal: '.' | ',';
}

/** Further columns are not compared. */
const mostColumns = 40;

/** The columns of a table; those that are read come first where there are too many. */
export function driftColumnsOf(
  header: readonly string[],
  mapping: TableMapping,
  { decimal }: Pick<ReadingRules, 'decimal'>,
): readonly DriftColumn[] {
  const columns = header.map((title, index): DriftColumn => {
    const readers = mapping.columns.filter((column) => placesOf(column).includes(index));
    const [first] = readers;
    const whole = first?.index === index && first.split === undefined ? first.field : null;
    const type = first === undefined ? undefined : ruleOf(mapping.kind, first.field)?.type;
    const fields = readers.map(({ field }) => field);
    return {
      ...{ title, index, role: roleOf(type), type, field: whole, decimal },
      isRead: readers.length > 0,
      isLasting: fields.some((field) => isLasting(mapping, field)),
      isClosed: fields.some((field) => closedFields.has(field)),
    };
  });
  const named = columns.filter(({ title }) => title !== '');
  if (named.length <= mostColumns) return named;
  return named.sort((one, other) => Number(other.isRead) - Number(one.isRead)).slice(0, mostColumns);
}

function placesOf({ index, joined = [] }: MappedColumn): readonly number[] {
  return index === null ? joined.map((part) => part.index) : [index];
}

const closedFields: ReadonlySet<string> = new Set([
  ...['institution_name', 'institution_id', 'bank_name', 'currency', 'country', 'institution_country'],
  ...['payee_type', 'account_type', 'account_owner_type', 'type', 'methods', 'source_type'],
]);

const lastingTexts: ReadonlySet<string> = new Set([
  ...['account_name', 'first_name', 'middle_name', 'last_name'],
  ...['institution_name', 'bank_name'],
]);

/** Payments are numbered anew each time; what identifies a person is not. */
function isLasting({ kind, columns }: TableMapping, field: string): boolean {
  const type = ruleOf(kind, field)?.type;
  const isOfPayment =
    field === ownReferenceOf(kind) &&
    type === 'identifier' &&
    columns.some((column) => ruleOf(kind, column.field)?.type === 'amount');
  if (isOfPayment) return false;
  const role = roleOf(type);
  return (
    role === 'account' ||
    role === 'phone' ||
    role === 'reference' ||
    role === 'day' ||
    lastingTexts.has(field)
  );
}

/**
 * The key of a layout: the kind of its rows and the titles that are read, in any order. A file with further columns has the
 * same one.
 */
export function layoutKeyOf(header: readonly string[], { kind, columns }: TableMapping): string {
  const places = new Set(columns.flatMap(placesOf));
  const titles = [...places].map((index) => normaliseHeader(header[index] ?? '')).sort();
  return hash('sha256', JSON.stringify([kind, titles]), 'hex');
}
