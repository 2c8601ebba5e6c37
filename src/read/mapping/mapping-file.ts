/* A mapping as its file states it, checked and free of contradictions. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { plainReadingRules, type ReadingRules, type Repair } from '../../domain/tables/mapping.ts';
import { createNameSearch } from '../../domain/text/characters.ts';
import type { FieldType } from '../../kinds/definition.ts';
import { unitRepairs } from '../../kinds/fields/amount-units.ts';
import { fieldTypes } from '../../kinds/fields/field-types.ts';
import { typesOfTextRepair } from '../../kinds/fields/text-repairs.ts';
import { columnsOf, fieldForHeader, kinds, ruleOf } from '../../kinds/registry.ts';
import { entryFor, hasTitle, isSameTitle, type MappingFile, mappingFileSchema } from './mapping-schema.ts';
import { fieldsOfSplit } from './split.ts';

/**
 * The mapping without its expectations about one file's content, since another file has other sums, and without its open
 * points, which do not change how a file is read.
 */
export function withoutExpectations(mapping: MappingFile): MappingFile {
  const { expectRows: _, expectTotal: __, open: ___, ...reading } = mapping;
  return reading;
}

/** The mapping without the parts that select the table and its file. */
export function withoutPlace(mapping: MappingFile): MappingFile {
  const { kind: _, sheet: __, hidden: ___, encoding: ____, delimiter: _____, ...others } = mapping;
  const { sheets: ______, leaveOutSheets: _______, ...reading } = others;
  return reading;
}

/** The sheets that a mapping is for; none where it is for all. */
export function sheetsOf({ sheet, sheets }: Pick<MappingFile, 'sheet' | 'sheets'>): readonly string[] {
  return sheets ?? (sheet === undefined ? [] : [sheet]);
}

/** @throws PaybatchError (`usage`) that names the first thing that is wrong */
export function parseMappingFile(text: string, path: string): MappingFile {
  const refuse = (problem: string): PaybatchError =>
    new PaybatchError(
      'mapping_invalid',
      `The mapping ${path} ${problem}.`,
      'correct the mapping file (docs/mapping.md)',
    );
  if (text.trim() === '') throw refuse('is empty: the command that was to write it seems to have failed');
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw refuse('is not JSON');
  }
  const parsed = mappingFileSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join(' > ') ?? '';
    throw refuse(
      `is not valid${place === '' ? '' : ` at "${place}"`}: ${issue?.message ?? 'unknown problem'}`,
    );
  }
  const contradiction = contradictionIn(parsed.data);
  if (contradiction !== undefined) throw refuse(contradiction);
  return parsed.data;
}

/** How values are written; what the mapping leaves out is read in its plain form. */
export function readingRulesOf(mapping: MappingFile): ReadingRules {
  const { numericIdentifiers = plainReadingRules.numericIdentifiers } = mapping;
  return {
    dateFormat: mapping.dateFormat ?? plainReadingRules.dateFormat,
    decimal: mapping.decimal ?? plainReadingRules.decimal,
    thousands: mapping.thousands ?? plainReadingRules.thousands,
    currencySigns: mapping.currencySigns ?? plainReadingRules.currencySigns,
    // A file that needs a mapping was made for people, so its places may be names instead of codes.
    places: mapping.places ?? (isEmptyMapping(mapping) ? plainReadingRules.places : 'names'),
    lineBreaks: mapping.lineBreaks ?? plainReadingRules.lineBreaks,
    numericIdentifiers:
      typeof numericIdentifiers === 'string' ? numericIdentifiers : byOwnNames(numericIdentifiers),
  };
}

/** Settings about which rows are read, where they are and their sums do not change how values are written. */
function isEmptyMapping(mapping: MappingFile): boolean {
  const {
    $schema: _,
    leaveOut: __,
    controlLine: ___,
    asked: ____,
    acceptTotals: _____,
    markedRows: ______,
    markedValues: _______,
    kept: ________,
    ...meaning
  } = withoutPlace(withoutExpectations(mapping));
  return Object.keys(meaning).length === 0;
}

/** By paybatch's own field names, however the mapping writes them. */
function byOwnNames<Value>(declared: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => {
      const field = kinds.map((kind) => fieldForHeader(kind, name)).find((own) => own !== undefined);
      return [field ?? name, value];
    }),
  );
}

/** The first contradiction in a mapping, whatever file it is used with; undefined for none. */
function contradictionIn(mapping: MappingFile): string | undefined {
  if ((mapping.decimal ?? '.') === mapping.thousands) return 'gives the same sign for decimals and thousands';
  return (
    contradictionOfNames(mapping) ??
    contradictionOfKind(mapping) ??
    contradictionOfUses(mapping) ??
    contradictionOfDerivation(mapping) ??
    contradictionOfRepairs(mapping) ??
    contradictionOfWords(mapping) ??
    numericFieldsOf(mapping)
      .filter((field) => typesOf(field, mapping).every((type) => !fieldTypes[type].isIdentifier))
      .map((field) => `has "numericIdentifiers" for "${field}", which holds no identifiers`)[0]
  );
}

/** Checks the sections by paybatch's own columns and those by the file's columns. */
function contradictionOfNames(mapping: MappingFile): string | undefined {
  const { columns = {}, constants = {}, join = {}, values = {}, split = {}, repair = {} } = mapping;
  const fields = [
    Object.values(columns),
    ...[constants, join, values].map((section) => Object.keys(section)),
  ];
  const stranger = [...fields.flat(), ...numericFieldsOf(mapping)].find(
    (field) => !kinds.some((kind) => fieldForHeader(kind, field) !== undefined),
  );
  if (stranger !== undefined)
    return `names a column "${stranger}" that paybatch does not have${near(stranger)}`;
  const { dittoMarks = {}, units = {}, markedValues = {}, kept = {}, empty } = mapping;
  const byColumn = [columns, split, repair, emptyByColumn(empty), kept, dittoMarks, units, markedValues];
  const sections = [...byColumn, constants, join, values];
  const twice = sections.map((section) => repeated(Object.keys(section))).find((name) => name !== undefined);
  if (twice !== undefined)
    return `names "${twice}" twice, since case, spaces, hyphens and underscores do not count`;
  return undefined;
}

/** A mapping for one kind must not name fields of another. */
function contradictionOfKind({ kind, columns = {}, constants = {}, join = {}, split = {} }: MappingFile) {
  if (kind === undefined) return undefined;
  const fields = [
    ...Object.values(columns),
    ...[constants, join].flatMap((section) => Object.keys(section)),
    ...Object.values(split).flatMap(fieldsOfSplit),
  ];
  const stranger = fields.find((field) => fieldForHeader(kind, field) === undefined);
  return stranger === undefined ? undefined : `names a column "${stranger}", which ${kind} do not have`;
}

/** Each column of the file has one use, and each field comes from one place. */
function contradictionOfUses(mapping: MappingFile): string | undefined {
  const { columns = {}, constants = {}, ignore = [], join = {}, split = {}, repair = {} } = mapping;
  const parts = Object.values(join).flat();
  const joinedTwice = repeated(parts);
  if (joinedTwice !== undefined) return `joins the column "${joinedTwice}" twice`;
  const names = Object.values(split).flatMap(fieldsOfSplit);
  const splitTwice = repeated(names);
  if (splitTwice !== undefined) return `splits two columns into "${splitTwice}"`;
  const [joinFields, constantFields] = [Object.keys(join), Object.keys(constants)];
  const [readTitles, splitTitles] = [Object.keys(columns), Object.keys(split)];
  const oneOfEach = [
    { join: parts, columns: readTitles, split: splitTitles, ignore },
    { join: joinFields, columns: Object.values(columns), split: names },
    // A column and a constant for one field may apply to two different files of a call.
    { join: joinFields, constants: constantFields },
    { split: names, constants: constantFields },
    { repair: Object.keys(repair), ignore },
  ];
  return oneOfEach.map(inSeveralOf).find((found) => found !== undefined);
}

/** @param sections titles by the name of their section */
function inSeveralOf(sections: Readonly<Record<string, readonly string[]>>): string | undefined {
  const entries = Object.entries(sections);
  for (const [index, [leftName, left]] of entries.entries()) {
    for (const [rightName, right] of entries.slice(index + 1)) {
      const both = left.find((title) => hasTitle(right, title));
      if (both !== undefined) return `lists "${both}" under "${leftName}" and under "${rightName}"`;
    }
  }
  return undefined;
}

function contradictionOfDerivation({ constants = {}, values = {} }: MappingFile): string | undefined {
  for (const [field, constant] of Object.entries(constants)) {
    if (typeof constant === 'string') continue;
    if (!isSameTitle(field, 'payee_type'))
      return `derives "${field}", but only payee_type follows from the institution`;
    if (entryFor(field, values) !== undefined)
      return 'derives payee_type from the institution, and translates it under "values" too';
  }
  return undefined;
}

/** The types that a repair makes sense for; absent for all types. */
const typesOfRepair: Partial<Record<Repair, (type: FieldType) => boolean>> = {
  lost_zeros: (type) => fieldTypes[type].isIdentifier,
  number_cells: (type) => fieldTypes[type].isIdentifier,
  numbers_as_shown: (type) => fieldTypes[type].isIdentifier,
  amount_marks: (type) => type === 'amount',
  thousands_marks: (type) => type === 'amount',
  ...Object.fromEntries(unitRepairs.map((name) => [name, (type: FieldType) => type === 'amount'])),
  negative_in_brackets: (type) => type === 'amount',
  short_years: (type) => type === 'birth_date',
  day_signs: (type) => type === 'birth_date',
  zeros_in_front: (type) => type === 'postal_code',
  // An amount or a number of a payee is never one for several rows. For a customer's number see `mayHaveSeveral`.
  value_above: (type) => type !== 'amount' && !fieldTypes[type].isIdentifier,
  ...Object.fromEntries(
    Object.entries(typesOfTextRepair).map(([name, types]) => [
      name,
      (type: FieldType) => types.includes(type),
    ]),
  ),
};

/** Whether a list may state the number of a customer once for several rows: a customer has several accounts, and invoices. */
function mayHaveSeveral(field: string | undefined, kind: MappingFile['kind']): boolean {
  return field === 'customer_external_id' && kind !== 'recipients';
}

function contradictionOfRepairs(mapping: MappingFile): string | undefined {
  const { repair = {}, columns = {}, phoneCountry, empty } = mapping;
  for (const [title, agreed] of Object.entries(repair)) {
    const byCountry = agreed.find((name) => name === 'local_phone' || name === 'phones_of_country');
    if (byCountry !== undefined && phoneCountry === undefined)
      return `repairs ${byCountry} in "${title}", but has no "phoneCountry"`;
    const words = Array.isArray(empty) ? empty : entryFor(title, empty);
    if (agreed.includes('empty_words') && words === undefined)
      return `repairs empty_words in "${title}", but has no "empty" for it`;
    const field = entryFor(title, columns);
    const types = field === undefined ? [] : typesOf(field, mapping);
    const unfit = agreed.find(
      (name) =>
        types.length > 0 &&
        !types.some(typesOfRepair[name] ?? (() => true)) &&
        !(name === 'value_above' && mayHaveSeveral(field, mapping.kind)),
    );
    if (unfit !== undefined) return `repairs ${unfit} in "${title}", which is ${field} and has none`;
  }
  return undefined;
}

/** Marks need the repair that fills them in, and only amounts have units. */
function contradictionOfWords({
  columns = {},
  dittoMarks = {},
  units = {},
  repair = {},
  ...mapping
}: MappingFile) {
  for (const title of Object.keys(dittoMarks)) {
    if (entryFor(title, repair)?.includes('ditto') !== true)
      return `has "dittoMarks" for "${title}", but does not repair ditto in it`;
  }
  for (const title of Object.keys(units)) {
    const field = entryFor(title, columns);
    if (field === undefined || typesOf(field, mapping).includes('amount')) continue;
    return `has "units" for "${title}", which is ${field} and no amount`;
  }
  return undefined;
}

/** The words for nothing that are stated for single columns. */
export function emptyByColumn(empty: MappingFile['empty']): Readonly<Record<string, readonly string[]>> {
  return empty === undefined || Array.isArray(empty) ? {} : empty;
}

function numericFieldsOf({ numericIdentifiers }: MappingFile): readonly string[] {
  return typeof numericIdentifiers === 'object' ? Object.keys(numericIdentifiers) : [];
}

/** The types of a field in the kinds that may have it. */
function typesOf(name: string, { kind }: MappingFile): readonly FieldType[] {
  return kinds
    .filter((other) => kind === undefined || kind === other)
    .flatMap((other) => {
      const field = fieldForHeader(other, name);
      const type = field === undefined ? undefined : ruleOf(other, field)?.type;
      return type ?? [];
    });
}

function near(field: string): string {
  const [nearest] = createNameSearch([...new Set(kinds.flatMap(columnsOf))])(field, 1);
  return nearest === undefined ? '' : ` (the nearest is "${nearest}")`;
}

function repeated(titles: readonly string[]): string | undefined {
  return titles.find((title, index) => hasTitle(titles.slice(0, index), title));
}
