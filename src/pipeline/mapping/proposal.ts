import { unprotectCell } from '../../domain/formula-cell.ts';
import type { Kind } from '../../domain/kind.ts';
import { eitherOf, shorten } from '../../resources/check/wording.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import { definitionsOf, fieldForHeader, kinds, requiredColumns } from '../../resources/registry.ts';
import { type ColumnProposal, guessColumn, isNamed, openColumn, type SampledColumn } from './column-guess.ts';
import type { MappingFile } from './mapping-file.ts';
import { detectKind } from './table-mapping.ts';
import { payeeTypeLike, writingOf } from './writing-guess.ts';

/** A mapping for a file that nobody has described yet. */
export interface MappingProposal {
  readonly kind: Kind;
  readonly mapping: MappingFile;
  readonly columns: readonly ColumnProposal[];
  /** What a person has to see to beside the open columns, in sentences. */
  readonly open: readonly string[];
}

/** A header, and the values that stand below it. */
export interface SampledTable {
  readonly sheet: string | null;
  readonly header: readonly string[];
  /** The first rows, as the file has them: cell texts by column. */
  readonly rows: readonly (readonly string[])[];
}

/** Whether a row of cells looks like a header, also one of other people's names for our columns. */
export function looksLikeAnyHeader(cells: readonly string[]): boolean {
  const titles = cells.map(unprotectCell).filter((cell) => cell.trim() !== '');
  return (
    titles.length > 1 &&
    kinds.some((kind) => titles.filter((title) => isNamed(kind, title)).length * 2 > titles.length)
  );
}

/**
 * The kind that a table is of: what a validation would say, else the one whose columns the header has most names
 * of. Where several have as many, the one with most names that only it has; undefined when that is none either.
 */
export function likeliestKind(table: Pick<SampledTable, 'sheet' | 'header'>): Kind | undefined {
  const detected = detectKind(table, {});
  if (detected !== undefined) return detected;
  const named = table.header.filter((title) => title !== '');
  const most = kindsWithMost((kind) => named.filter((title) => isNamed(kind, title)).length, kinds);
  const [best, second] = kindsWithMost(
    (kind) => named.filter((title) => isNamedOnlyIn(kind, title)).length,
    most,
  );
  return second === undefined ? best : undefined;
}

/** The kinds of the highest score, if that is more than zero. */
function kindsWithMost(scoreOf: (kind: Kind) => number, among: readonly Kind[]): Kind[] {
  if (among.length < 2) return [...among];
  const highest = Math.max(...among.map(scoreOf));
  return highest === 0 ? [] : among.filter((kind) => scoreOf(kind) === highest);
}

function isNamedOnlyIn(kind: Kind, title: string): boolean {
  return kinds.every((other) => isNamed(other, title) === (other === kind));
}

/** Proposes how to read a table whose rows are of that kind, from its header and its first rows. */
export function proposeMapping(kind: Kind, table: SampledTable): MappingProposal {
  const sampled = table.header.flatMap((title, index): SampledColumn[] => {
    const cells = table.rows.map((row) => unprotectCell(row[index] ?? '').trim());
    const values = [...new Set(cells.filter((cell) => cell !== ''))];
    if (title === '' && values.length === 0) return [];
    return title.toLowerCase().startsWith('result_') ? [] : [{ title, values }];
  });
  const definitions = definitionsIn(kind, sampled);
  const guessed = sampled.map((column) => guessColumn(column, sampled, kind, definitions));
  const columns = decideBetween(guessed, kind);
  const valuesOf = (field: string): readonly string[] =>
    sampled[columns.findIndex((column) => column.field === field)]?.values ?? [];
  const writing = writingOf(kind, columns, valuesOf);
  return {
    kind,
    columns,
    mapping: { ...namesOf(kind, columns), ...writing.mapping },
    open: [...writing.open, ...missingColumns(kind, columns, definitions)],
  };
}

/** The payee types that the rows are of, as far as a column says so; else all of the kind's. */
function definitionsIn(kind: Kind, columns: readonly SampledColumn[]): readonly ResourceDefinition[] {
  const all = definitionsOf(kind);
  const seen = columns.flatMap(({ values }) => {
    const meant = values.map((value) => payeeTypeLike(kind, value));
    return meant.length > 0 && meant.every((type) => type !== undefined) ? [meant] : [];
  });
  const types = new Set(seen[0]);
  return types.size === 0 ? all : all.filter(({ payeeType }) => payeeType !== null && types.has(payeeType));
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
  const ignore = columns.filter(({ field, certainty }) => field === null && certainty !== 'open');
  return {
    ...(renamed.length === 0 ? {} : { columns: Object.fromEntries(renamed) }),
    ...(ignore.length === 0 ? {} : { ignore: ignore.map(({ title }) => title) }),
  };
}

/** What the rows cannot do without, and no column gives. */
function missingColumns(
  kind: Kind,
  columns: readonly ColumnProposal[],
  definitions: readonly ResourceDefinition[],
): string[] {
  const present = new Set(columns.map(({ field }) => field));
  const isMixed = definitions.length > 1;
  const groups = isMixed ? requiredColumns(kind) : requiredOf(definitions[0]);
  return groups
    .filter((group) => !group.some((field) => present.has(field)))
    .map(
      (group) =>
        `No column is ${eitherOf(group)} yet, which every row needs; "constants" can give all rows the same value.`,
    );
}

function requiredOf(definition: ResourceDefinition | undefined): readonly (readonly string[])[] {
  return (definition?.rules ?? [])
    .filter((rule) => rule.presence === 'required' && rule.whenEmpty === undefined)
    .map((rule) => (rule.orElse === undefined ? [rule.field] : [rule.field, rule.orElse]));
}
