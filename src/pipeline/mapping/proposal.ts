import type { Kind } from '../../domain/batches/kind.ts';
import type { CellKind } from '../../domain/tables/cell.ts';
import { unprotectCell } from '../../domain/tables/formula-cell.ts';
import { eitherOf, shorten } from '../../resources/check/wording.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import {
  columnsOf,
  definitionsOf,
  fieldForHeader,
  kinds,
  requiredColumns,
} from '../../resources/registry.ts';
import {
  type ColumnProposal,
  guessColumn,
  namedFields,
  openColumn,
  type SampledColumn,
} from './column-guess.ts';
import { numberCells } from './identifier-guess.ts';
import { controlLineIn, leavingOut, type SampledLine, tellLinesApart } from './line-guess.ts';
import { type MappingFile, readingRulesOf } from './mapping-file.ts';
import { payeeTypeLike, payeeTypeWriting, possibleDefinitions } from './payee-type-guess.ts';
import { phoneWriting, placeWriting } from './place-guess.ts';
import { fieldColumns, type Guess, type ProposedReading, type Sampled } from './proposed-reading.ts';
import { amountWriting, currencyOfTitle, dateWriting, genderWriting } from './writing-guess.ts';

/** A mapping for a file that nobody has described yet. */
export interface MappingProposal {
  readonly kind: Kind;
  readonly mapping: MappingFile;
  readonly columns: readonly ColumnProposal[];
  /** How the values are written; all of it is in the mapping. */
  readonly readings: readonly ProposedReading[];
  /** Of each of these, a person has to choose one. */
  readonly alternatives: readonly (readonly ProposedReading[])[];
  /** What every row needs and no column gives: groups of fields of which one is enough. */
  readonly missing: readonly (readonly string[])[];
  /** What a person has to see to beside the open columns, in sentences. */
  readonly open: readonly string[];
}

/** A header, and the values that stand below it. */
export interface SampledTable {
  readonly sheet: string | null;
  readonly header: readonly string[];
  /** The first rows, as the file has them: cell texts by column. */
  readonly rows: readonly (readonly string[])[];
  /** YYYY-MM-DD in UTC. */
  readonly today: string;
  /** What stands above the header. */
  readonly above?: readonly SampledLine[];
  /** What the cells of each row were, where that is more than text. */
  readonly kinds?: readonly (ReadonlyMap<number, CellKind> | undefined)[];
}

/** What a person has said of columns, by their titles: a field, or null for one that is left out. */
export type DecidedColumns = ReadonlyMap<string, string | null>;

/**
 * Proposes how to read a table whose rows are of that kind, from its header and its first rows.
 * @param decided columns that nothing is guessed about any more
 */
export function proposeMapping(
  kind: Kind,
  table: SampledTable,
  decided: DecidedColumns = new Map(),
): MappingProposal {
  const lines = tellLinesApart(table.header, table.above ?? [], linesBelow(table));
  const sampled = columnsIn(table, lines.rows);
  const definitions = definitionsIn(kind, sampled);
  const guessed = sampled.map((column) => guessColumn(column, sampled, kind, definitions));
  const columns = withDecided(withJoined(decideBetween(guessed, kind), kind), decided);
  const guesses = guessWriting({ kind, columns, sampled, definitions, today: table.today });
  const ofValues = guesses.flatMap((guess) => guess.readings);
  const written = mappingOf(namesOf(kind, columns), ofValues);
  const control = controlLineIn(lines, readingRulesOf(written), amountColumn(table.header, columns));
  const ofLines = [...control.guess.readings, ...leavingOut(lines, control.line)];
  const readings = [...ofValues, ...ofLines];
  const mapping = mappingOf(written, ofLines);
  const missing = missingColumns(kind, mapping, columns, definitions);
  const open = [
    ...guesses.flatMap((guess) => guess.open),
    ...missing.map(
      (group) =>
        `No column is ${eitherOf(group)} yet, which every row needs; "constants" can give all rows the same value.`,
    ),
  ];
  const alternatives = guesses.flatMap((guess) => (guess.alternatives?.length ? [guess.alternatives] : []));
  return { kind, columns, readings, alternatives, mapping, missing, open };
}

function linesBelow({ rows, kinds = [] }: SampledTable): SampledLine[] {
  return rows.map((cells, index) => ({ cells, kinds: kinds[index] }));
}

function mappingOf(names: MappingFile, readings: readonly ProposedReading[]): MappingFile {
  return readings.map((reading) => reading.mapping).reduce(joinMappings, names);
}

function amountColumn(header: readonly string[], columns: readonly ColumnProposal[]): number | null {
  const amount = columns.find(({ field }) => field === 'amount');
  return amount === undefined ? null : header.indexOf(amount.title);
}

/** The columns as a person has decided; where that is what was proposed, the proposal stands. */
function withDecided(columns: readonly ColumnProposal[], decided: DecidedColumns): ColumnProposal[] {
  return columns.map((column) => {
    const field = decided.get(column.title);
    if (field === undefined || (field === column.field && column.certainty !== 'open')) return column;
    return { title: column.title, field, certainty: 'sure', why: 'decided' };
  });
}

function columnsIn({ header }: SampledTable, rows: readonly SampledLine[]): SampledColumn[] {
  return header.flatMap((title, index): SampledColumn[] => {
    const cells = rows.map((row) => ({
      text: unprotectCell(row.cells[index] ?? '').trim(),
      isNumber: row.kinds?.get(index) === 'number',
    }));
    const filled = cells.filter(({ text }) => text !== '');
    const values = [...new Set(filled.map(({ text }) => text))];
    if (title === '' && values.length === 0) return [];
    const numbers = [...new Set(filled.filter(({ isNumber }) => isNumber).map(({ text }) => text))];
    return title.toLowerCase().startsWith('result_') ? [] : [{ title, values, numbers }];
  });
}

/** How the values are written, each guess with what those before it have found. */
function guessWriting(table: Sampled): Guess[] {
  const inTitle = currencyOfTitle(table);
  const currencies = currenciesIn(table, inTitle);
  const phones = phoneWriting(table, currencies);
  const phoneCountry = phones.readings[0]?.mapping.phoneCountry;
  return [
    payeeTypeWriting(table),
    inTitle,
    dateWriting(table),
    amountWriting(table, currencies),
    placeWriting(table),
    phones,
    numberCells(table, phoneCountry, currencies),
    genderWriting(table),
  ];
}

/** The currencies of all rows: those of their column, or of the amount's title. */
function currenciesIn(table: Sampled, inTitle: Guess): readonly string[] {
  const constant = inTitle.readings[0]?.mapping.constants?.['currency'];
  if (typeof constant === 'string') return [constant];
  const column = fieldColumns(table).find(({ field }) => field === 'currency');
  return [...new Set((column?.values ?? []).map((value) => value.toUpperCase()))];
}

/** Two mappings as one; what both say of one section is put together. */
export function joinMappings(left: MappingFile, right: MappingFile): MappingFile {
  const sections = ['columns', 'constants', 'values', 'join'] as const;
  const both = sections.filter((section) => left[section] !== undefined && right[section] !== undefined);
  const joined = Object.fromEntries(
    both.map((section) => [section, { ...left[section], ...right[section] }]),
  );
  const numbers = [left, right].map(({ numericIdentifiers }) => numericIdentifiers);
  const numericIdentifiers = numbers.every((value) => typeof value === 'object')
    ? { numericIdentifiers: Object.assign({}, ...numbers) }
    : {};
  return { ...left, ...right, ...joined, ...numericIdentifiers };
}

/** The payee types that the rows are of, as far as a column says so, or the columns that there are. */
function definitionsIn(kind: Kind, columns: readonly SampledColumn[]): readonly ResourceDefinition[] {
  const seen = columns.flatMap(({ values }) => {
    const meant = values.map((value) => payeeTypeLike(kind, value));
    return meant.length > 0 && meant.every((type) => type !== undefined) ? [meant] : [];
  });
  const types = new Set(seen[0]);
  const all = definitionsOf(kind);
  if (types.size > 0) return all.filter(({ payeeType }) => payeeType !== null && types.has(payeeType));
  if (columns.some(({ title }) => namedFields(kind, title).includes('payee_type'))) return all;
  return possibleDefinitions(kind, (field) =>
    columns.some(({ title, values }) => values.length > 0 && namedFields(kind, title).includes(field)),
  );
}

/** First, middle and last name where the rows have one name only: what a customer's columns are called elsewhere. */
function withJoined(columns: readonly ColumnProposal[], kind: Kind): ColumnProposal[] {
  const target = 'account_name';
  if (!columnsOf(kind).includes(target) || columns.some(({ field }) => field === target)) return [...columns];
  const parts = ['first_name', 'middle_name', 'last_name'];
  const found = parts.map((part) =>
    columns.findIndex(({ title, certainty }) => certainty === 'open' && namesOfPart(title).includes(part)),
  );
  const [first, , last] = found;
  if (first === -1 || last === -1 || first === last) return [...columns];
  const order = [...new Set(found)].filter((index) => index !== -1);
  return columns.map((column, index) => {
    const place = order.indexOf(index);
    if (place === -1) return column;
    const why = `a part of the name, joined into ${target}`;
    return { title: column.title, field: null, certainty: 'likely', why, partOf: { field: target, place } };
  });
}

function namesOfPart(title: string): readonly string[] {
  return kinds.flatMap((kind) => namedFields(kind, title));
}

/** Of several columns for one field, the surest counts if it is alone; the others are for a person. */
function decideBetween(columns: readonly ColumnProposal[], kind: Kind): ColumnProposal[] {
  return columns.map((column) => {
    const { field, title } = column;
    if (field === null) return column;
    const rivals = columns.filter((other) => other !== column && other.field === field);
    const isBeaten = rivals.some((rival) => sureness(rival, kind) >= sureness(column, kind));
    if (!isBeaten) return column;
    const others = rivals.map((rival) => shorten(rival.title));
    return openColumn(title, `would be ${field}, and so would ${others.join(', ')}`);
  });
}

/** A column with the field's own name is that field whatever a mapping says of others. */
function sureness({ title, field, certainty }: ColumnProposal, kind: Kind): number {
  if (fieldForHeader(kind, title) === field) return 2;
  return certainty === 'sure' ? 1 : 0;
}

/** Columns that have their own names need no mention. */
function namesOf(kind: Kind, columns: readonly ColumnProposal[]): MappingFile {
  const renamed = columns.flatMap(({ title, field }) =>
    field === null || fieldForHeader(kind, title) === field ? [] : [[title, field] as const],
  );
  const ignore = columns.filter(
    ({ field, certainty, partOf }) => field === null && certainty !== 'open' && partOf === undefined,
  );
  const parts = columns.filter(({ partOf }) => partOf !== undefined);
  const inOrder = [...parts].sort((left, right) => (left.partOf?.place ?? 0) - (right.partOf?.place ?? 0));
  const [joined] = parts;
  return {
    ...(joined?.partOf === undefined
      ? {}
      : { join: { [joined.partOf.field]: inOrder.map(({ title }) => title) } }),
    ...(renamed.length === 0 ? {} : { columns: Object.fromEntries(renamed) }),
    ...(ignore.length === 0 ? {} : { ignore: ignore.map(({ title }) => title) }),
  };
}

/** What the rows cannot do without, and neither a column nor a constant gives. */
function missingColumns(
  kind: Kind,
  { constants = {}, join = {} }: MappingFile,
  columns: readonly ColumnProposal[],
  definitions: readonly ResourceDefinition[],
): (readonly string[])[] {
  const present = new Set([
    ...columns.map(({ field }) => field),
    ...Object.keys(constants),
    ...Object.keys(join),
  ]);
  const isMixed = definitions.length > 1;
  const groups = isMixed ? requiredColumns(kind) : requiredOf(definitions[0]);
  return groups.filter((group) => !group.some((field) => present.has(field)));
}

function requiredOf(definition: ResourceDefinition | undefined): readonly (readonly string[])[] {
  return (definition?.rules ?? [])
    .filter((rule) => rule.presence === 'required' && rule.whenEmpty === undefined)
    .map((rule) => (rule.orElse === undefined ? [rule.field] : [rule.field, rule.orElse]));
}
