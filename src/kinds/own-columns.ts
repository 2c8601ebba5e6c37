/*
 * The columns of a person's own file by which people recognise its rows: in refusals of the API, and in files about objects.
 */

import type { Kind } from '../domain/batches/batch.ts';
import { inCurrency } from '../domain/money/money.ts';
import type { NormalisedRecord } from '../domain/rows/ledger-row.ts';
import type { TableMapping } from '../domain/tables/mapping.ts';
import { amountsAreOnlyChecked, columnsOf, definitionsOf, isNameOf, kindNamed, kinds } from './registry.ts';

/** The message with which the API refused a row. */
interface ApiRefusal {
  readonly code: string | null;
  readonly message: string | null;
}

/** Prefixes and suffixes of codes that name a field: `invalid_iban`, `phone_number_required`. */
const codeWords =
  /^(?:invalid|missing|unknown|unsupported|wrong|bad)_|_(?:invalid|required|missing|mismatch|unknown)$/g;

/**
 * The column of the file to which a refusal refers, by its title. The form of the API's errors is not specified. A field
 * counts if the API's sentence or code names it, with or without its path (`address.city`).
 * @returns null if no field is named, or if no column of the file is read as the named field
 */
export function refusedColumn(
  refusal: ApiRefusal,
  { kind, columns }: Pick<TableMapping, 'kind' | 'columns'>,
): string | null {
  const field = refusedField(refusal, columnsOf(kind));
  if (field === null) return null;
  const own =
    columns.find((column) => column.field === field) ??
    columns.find(({ field: other }) => isSameThing(field, other));
  if (own === undefined) return null;
  return own.index === null ? (own.joined?.[0]?.title ?? null) : own.title;
}

/** The field that is named first; if two names begin at the same place, the longer one. */
function refusedField({ code, message }: ApiRefusal, fields: readonly string[]): string | null {
  let first: { readonly field: string; readonly at: number } | null = null;
  for (const field of [...fields].sort((left, right) => right.length - left.length)) {
    const at = placeIn(message ?? '', field);
    if (at !== null && (first === null || at < first.at)) first = { field, at };
  }
  const named = (code ?? '').replace(codeWords, '');
  return first?.field ?? (fields.includes(named) ? named : null);
}

/**
 * The place at which a sentence names a field. A field of one word (`city`, `amount`) is an ordinary word, unless it is at
 * the beginning, in quotation marks, or after a dot.
 */
function placeIn(message: string, field: string): number | null {
  const name = field.split('_').join('[._]');
  const before = field.includes('_') ? '(?<![\\w])' : '(?:(?<=^(?:the |field )?)|(?<=[."\'`“‘]))';
  const found = new RegExp(`${before}${name}(?!\\w)`, 'i').exec(message);
  return found === null ? null : found.index;
}

/**
 * Whether two fields refer to the same object: `institution_id` is sent for the file's `institution_name`, `customer_id` for
 * its `customer_external_id`.
 */
function isSameThing(field: string, other: string): boolean {
  const [thing, own] = [
    /^(\w+?)_id$/.exec(field)?.[1],
    /^(\w+?)_(?:external_id|name|label)$/.exec(other)?.[1],
  ];
  return thing !== undefined && thing === own;
}

/**
 * A column of the objects file by which a person recognises a row. It comes from the row itself, not from the answer. The
 * cell has the record's value if a field of the record is read from the column, else the file's value.
 */
export interface OwnColumn {
  readonly name: string;
  readonly cellOf: (record: NormalisedRecord, cells: readonly string[]) => string;
}

/** The columns of a file, and the field that each is read as; undefined for columns that are not read. */
interface ReadHeader {
  readonly titles: readonly string[];
  readonly fieldOf: (index: number) => string | undefined;
}

/**
 * The own columns in the objects file of a kind: the customer first; then the type of the account, which requests contain
 * but answers do not repeat; then amount and reference, if no request contains them.
 * @param mapping how the file was read; null if that is no longer known
 */
export function ownColumnsOf(
  kind: Kind,
  titles: readonly string[],
  mapping: TableMapping | null,
): readonly OwnColumn[] {
  const header = readHeader(titles, mapping);
  return [
    ...(columnsOf(kind).includes('customer_external_id') ? [customerColumn(kind, header)] : []),
    ...(columnsOf(kind).includes('account_type') ? [accountTypeColumn] : []),
    ...(amountsAreOnlyChecked(kind) ? [amountColumn(header), referenceColumn(kind, header)] : []),
  ];
}

function readHeader(titles: readonly string[], mapping: TableMapping | null): ReadHeader {
  if (mapping === null) return { titles: [], fieldOf: () => undefined };
  const fields = new Map<number, string>();
  for (const { field, index, joined = [] } of mapping.columns) {
    if (index !== null) fields.set(index, field);
    for (const place of joined) fields.set(place.index, field);
  }
  return { titles, fieldOf: (index) => fields.get(index) };
}

/** If rows name their customer only by its id, a column that is not read may still contain the customer's name. */
function customerColumn(kind: Kind, header: ReadHeader): OwnColumn {
  const unread = unreadColumn(header, (title) => isNameOf(kind, 'customer_external_id', title));
  return {
    name: 'customer_external_id',
    cellOf: (record, cells) =>
      record['customer_external_id'] ?? record['client_customer_id'] ?? cellAt(cells, unread),
  };
}

const accountTypeColumn: OwnColumn = {
  name: 'account_type',
  cellOf: (record) => record['account_type'] ?? '',
};

function amountColumn(header: ReadHeader): OwnColumn {
  const read = header.titles.findIndex((_, index) => header.fieldOf(index) === 'amount');
  return {
    name: 'amount',
    cellOf: (record, cells) =>
      record['amount'] === undefined
        ? cellAt(cells, read)
        : inCurrency(record['amount'], record['currency'] ?? null),
  };
}

/** The kind has no field for it, so it is a column that is not read, such as an invoice number or payment reference. */
function referenceColumn(kind: Kind, header: ReadHeader): OwnColumn {
  const isReference = (title: string): boolean =>
    !isNameOf(kind, 'customer_external_id', title) && isReferenceTitle(title);
  const unread = unreadColumn(header, isReference);
  return { name: 'reference', cellOf: (_, cells) => cellAt(cells, unread) };
}

/** The index of the file's column with the name of the person or business of each row; null if no column is read as such. */
export function nameColumn({ kind, columns }: TableMapping): number | null {
  const fields = definitionsOf(kind).flatMap(({ nameFields = [], ownReference }) => [
    ...nameFields,
    ownReference,
  ]);
  for (const field of fields) {
    const own = columns.find((column) => column.field === field);
    const place = own?.index ?? own?.joined?.[0]?.index;
    if (place !== undefined) return place;
  }
  return null;
}

/** The columns that are not read, but identify the person or business of a row: a staff number, a reference. */
export function namingColumns(
  kind: Kind,
  titles: readonly string[],
  mapping: TableMapping,
): readonly number[] {
  const header = readHeader(titles, mapping);
  return titles.flatMap((title, index) =>
    header.fieldOf(index) === undefined &&
    (isNameOf(kind, 'customer_external_id', title) || isReferenceTitle(title))
      ? [index]
      : [],
  );
}

function isReferenceTitle(title: string): boolean {
  return kinds.some((each) => {
    const { referenceField } = kindNamed(each);
    return referenceField !== null && isNameOf(each, referenceField, title);
  });
}

function unreadColumn({ titles, fieldOf }: ReadHeader, isMeant: (title: string) => boolean): number {
  return titles.findIndex((title, index) => fieldOf(index) === undefined && isMeant(title));
}

function cellAt(cells: readonly string[], index: number): string {
  return index === -1 ? '' : (cells[index] ?? '').trim();
}
