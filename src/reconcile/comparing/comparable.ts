/* What two sides have in common, and what is therefore compared: keys, amounts, dates, texts and fields. */

import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ExportRole } from '../../kinds/export-roles.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { columnsOf, kindNamed } from '../../kinds/registry.ts';
import { constantsOf } from '../export/mapping.ts';
import type { ExportTable } from '../export/records.ts';
import type { AmountsLeftOut, MatchRules } from '../matching/rules.ts';

/** The keys and values that both sides have and that are therefore compared. */
export interface Comparable {
  /** The keys that identify records, where both sides have them. */
  readonly keys: readonly ExportRole[];
  readonly compares: MatchRules['compares'];
  /** In the order of the values on both sides. */
  readonly fields: readonly string[];
  /** Values that only some of the files have and that are therefore not compared. */
  readonly onlyInSome: readonly string[];
  /** Why amounts are not compared, as far as it is known before the files are read. */
  readonly amountsLeftOut: Exclude<AmountsLeftOut, 'not_read'>;
}

/** Facts about paybatch's own side that decide what is compared. */
interface OwnSide {
  /** Whether any of paybatch's own rows has an amount. */
  readonly hasAmounts: boolean;
  /** The names of what is compared; null, when not stated, for everything. */
  readonly wanted: readonly string[] | null;
}

/**
 * The common keys and values of a batch and the tables of an export.
 * @throws PaybatchError for a wanted field that they do not have
 */
export function comparableWithBatch(
  kind: Kind,
  tables: readonly ExportTable[],
  { hasAmounts, wanted }: OwnSide = { hasAmounts: true, wanted: null },
): Comparable {
  const own = new Set(columnsOf(kind));
  const compares = {
    ...namesCompared,
    amount: own.has('amount') && hasAmounts && haveAmounts(tables),
    currency: own.has('currency') && everyTableHasRole(tables, 'currency'),
    day: haveComparableDays(tables),
    text: haveTexts(tables),
  };
  const { referenceField } = kindNamed(kind);
  const special = new Set(['amount', 'currency', referenceField]);
  const isOwn = (field: string): boolean => own.has(field) && !special.has(field);
  const all = {
    keys: keysIn(tables),
    compares,
    fields: sharedFields(tables).filter(isOwn),
    onlyInSome: [...rolesInSome(tables), ...fieldsInSome(tables).filter(isOwn)],
  };
  const names = wanted?.map((name) => (name === referenceField ? 'reference' : name)) ?? null;
  return onlyWanted(all, names, own.has('currency') && !everyTableHasRole(tables, 'currency'));
}

/**
 * The common keys and values of two files without a ledger.
 * @throws PaybatchError (`usage`) when only one has currencies
 */
export function comparableFiles(
  left: readonly ExportTable[],
  right: readonly ExportTable[],
  wanted: readonly string[] | null = null,
): Comparable {
  const both = (role: ExportRole): boolean => everyTableHasRole(left, role) && everyTableHasRole(right, role);
  const compares = {
    ...namesCompared,
    amount: haveAmounts(left) && haveAmounts(right),
    currency: both('currency'),
    day: haveComparableDays(left) && haveComparableDays(right),
    text: haveTexts(right),
  };
  const theirs = new Set(sharedFields(right));
  const all = {
    keys: keysIn(left).filter((key) => keysIn(right).includes(key)),
    compares,
    fields: sharedFields(left).filter((field) => theirs.has(field)),
    onlyInSome: [...new Set([left, right].flatMap((side) => [...rolesInSome(side), ...fieldsInSome(side)]))],
  };
  return onlyWanted(
    all,
    wanted,
    everyTableHasRole(left, 'currency') !== everyTableHasRole(right, 'currency'),
  );
}

/** What is compared: by the call, else by the files' mappings; null for everything. */
export function wantedNames(
  stated: readonly string[] | null,
  tables: readonly ExportTable[],
): readonly string[] | null {
  if (stated !== null) return stated;
  const named = tables.flatMap(({ mapping }) => (mapping.compare === undefined ? [] : [mapping.compare]));
  return named.length === tables.length ? [...new Set(named.flat())] : null;
}

/** Differing ids or references are a difference unless the call or a mapping states what is compared. */
const namesCompared = { id: true, reference: true } as const;

/** The names that can be compared besides fields. An amount is compared together with its currency. */
const comparedRoles = ['id', 'reference', 'group', 'text', 'amount', 'currency', 'date'] as const;

/**
 * Leaves out what is not to be compared.
 * @param wanted names of what is compared; null for everything
 * @throws PaybatchError for a name that the two sides do not have
 */
function onlyWanted(
  all: Omit<Comparable, 'amountsLeftOut'>,
  wanted: readonly string[] | null,
  isCurrencyOneSided: boolean,
): Comparable {
  const names = new Set(wanted ?? [...comparedRoles, ...all.fields]);
  const { compares } = all;
  const isAmountWanted = names.has('amount');
  const found = {
    ...compares,
    id: names.has('id'),
    reference: names.has('reference'),
    amount: compares.amount && isAmountWanted,
    currency: compares.currency && (names.has('currency') || isAmountWanted),
    day: compares.day && names.has('date'),
  };
  requireCurrency(found, isCurrencyOneSided);
  if (wanted !== null) requireWanted(all, wanted);
  return {
    ...all,
    keys: all.keys.filter((key) => names.has(key)),
    compares: found,
    fields: all.fields.filter((field) => names.has(field)),
    onlyInSome: all.onlyInSome.filter((name) => names.has(name) || wanted === null),
    amountsLeftOut: isAmountWanted ? 'not_there' : 'not_wanted',
  };
}

function requireWanted(all: Omit<Comparable, 'amountsLeftOut'>, wanted: readonly string[]): void {
  const possible = [...new Set(['id', 'reference', ...comparedNames(all)])];
  const lacking = wanted.find((name) => !possible.includes(name));
  if (lacking === undefined) return;
  throw new PaybatchError(
    'compare_impossible',
    `${shorten(lacking)} is to be compared, and not both sides have it; both have: ${possible.join(', ')}.`,
    'name its column in the mapping of the export (docs/reconciling.md), or leave it out of what is compared',
  );
}

/** The names of everything that is compared, for people. */
export function comparedNames({
  keys,
  compares,
  fields,
}: Pick<Comparable, 'keys' | 'compares' | 'fields'>): string[] {
  return [
    ...keys,
    ...(compares.amount ? ['amount'] : []),
    ...(compares.currency ? ['currency'] : []),
    ...(compares.day ? ['date'] : []),
    ...fields,
  ];
}

/** An amount without its currency would be compared with amounts of any other. */
function requireCurrency({ amount }: MatchRules['compares'], isOneSided: boolean): void {
  if (!amount || !isOneSided) return;
  throw new PaybatchError(
    'currency_missing',
    'Only one side says in which currency its amounts are.',
    'name the column in the mapping, or give it there as a constant: {"constants": {"currency": "KES"}}',
  );
}

function everyTableHasRole(tables: readonly ExportTable[], role: ExportRole): boolean {
  return tables.every(({ columns, mapping }) => columns.roles.has(role) || constantsOf(mapping).has(role));
}

/** An amount: one column, or one for money in and one for money out. */
function haveAmounts(tables: readonly ExportTable[]): boolean {
  return tables.every(
    (table) =>
      everyTableHasRole([table], 'amount') ||
      everyTableHasRole([table], 'credit') ||
      everyTableHasRole([table], 'debit'),
  );
}

/** A statement's booking date of a payment is not the date of its request. */
function haveComparableDays(tables: readonly ExportTable[]): boolean {
  return everyTableHasRole(tables, 'date') && tables.every(({ columns }) => columns.texts.length === 0);
}

function haveTexts(tables: readonly ExportTable[]): boolean {
  return tables.some(({ columns }) => columns.texts.length > 0);
}

function keysIn(tables: readonly ExportTable[]): ExportRole[] {
  const keys = ['id', 'reference', 'group'] as const;
  return [
    ...keys.filter((key) => tables.some(({ columns }) => columns.roles.has(key))),
    ...(haveTexts(tables) ? (['text'] as const) : []),
  ];
}

/** Names of compared values that only some tables of a side have. */
function rolesInSome(tables: readonly ExportTable[]): string[] {
  return (['amount', 'currency', 'date'] as const).filter(
    (role) => !everyTableHasRole(tables, role) && tables.some((table) => everyTableHasRole([table], role)),
  );
}

function fieldsInSome(tables: readonly ExportTable[]): string[] {
  const shared = new Set(sharedFields(tables));
  const all = new Set(tables.flatMap(({ columns }) => [...columns.fields.keys()]));
  return [...all].filter((field) => !shared.has(field));
}

function sharedFields(tables: readonly ExportTable[]): string[] {
  const [first, ...others] = tables.map(({ columns }) => [...columns.fields.keys()]);
  return (first ?? []).filter((field) => others.every((fields) => fields.includes(field)));
}
