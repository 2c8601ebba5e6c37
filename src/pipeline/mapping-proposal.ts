import { unprotectCell } from '../domain/formula-cell.ts';
import { type Kind, kinds } from '../domain/kind.ts';
import { createNameSearch } from '../domain/similar-names.ts';
import { eitherOf, shorten } from '../resources/check/wording.ts';
import type { FieldRule, ResourceDefinition } from '../resources/definition.ts';
import {
  columnsOf,
  definitionsOf,
  fieldForHeader,
  fieldsForSynonym,
  normaliseHeader,
  requiredColumns,
} from '../resources/registry.ts';
import type { MappingFile } from './mapping-file.ts';
import { kindOfSheet, leastSimilarity } from './table-mapping.ts';
import { dateFormatOf, isNoneOfType, lookOf, numberStyleOf } from './value-look.ts';

/** How much a proposal is to be relied on. What a person must decide is left out of the mapping. */
export type Certainty = 'sure' | 'likely' | 'open';

/** What one column of the file is proposed to mean. */
export interface ColumnProposal {
  readonly title: string;
  /** Null for a column that is to be left out, and for an open one. */
  readonly field: string | null;
  readonly certainty: Certainty;
  readonly why: string;
}

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

/** A column with the values of its first rows, empty ones left out. */
interface SampledColumn {
  readonly title: string;
  readonly values: readonly string[];
}

/** Titles of columns that the API has no use for. */
const unusedTitles =
  /^(?:swift|bic|swiftcode|biccode|swiftbic|bicswift|remarks?|comments?|notes?|sno|sn|srno|serialno|rowno|no|nr|line)$/;
/** So alike that it can hardly be another column: one letter of a longer name is wrong or missing. */
const typingMistake = 0.8;

/** Whether a row of cells looks like a header, also one of other people's names for our columns. */
export function looksLikeAnyHeader(cells: readonly string[]): boolean {
  const titles = cells.map(unprotectCell).filter((cell) => cell.trim() !== '');
  return (
    titles.length > 1 &&
    kinds.some((kind) => titles.filter((title) => isNamed(kind, title)).length * 2 > titles.length)
  );
}

function isNamed(kind: Kind, title: string): boolean {
  return fieldForHeader(kind, title) !== undefined || synonymsOf(kind, title).length > 0;
}

/** A title may say its format in brackets: `DOB (DD/MM/YYYY)`. */
function synonymsOf(kind: Kind, title: string): readonly string[] {
  const whole = fieldsForSynonym(kind, title);
  const short = title.replace(/\(.*?\)|\[.*?\]/g, '').trim();
  if (whole.length > 0 || short === '' || short === title) return whole;
  const own = fieldForHeader(kind, short.replace(/\*+$/, ''));
  return own === undefined ? fieldsForSynonym(kind, short) : [own];
}

/** The kind whose columns a header has most names of; undefined when that is none, or more than one. */
export function likeliestKind({ sheet, header }: Pick<SampledTable, 'sheet' | 'header'>): Kind | undefined {
  const bySheet = kindOfSheet(sheet);
  if (bySheet !== undefined) return bySheet;
  const scores = kinds
    .map((kind) => ({ kind, score: header.filter((title) => title !== '' && isNamed(kind, title)).length }))
    .sort((left, right) => right.score - left.score);
  const [best, second] = scores;
  return best !== undefined && best.score > (second?.score ?? 0) ? best.kind : undefined;
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
  const guessed = sampled.map((column) => guess(column, sampled, kind, definitions));
  const columns = decideBetween(guessed);
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

/** The payee type that a value means, apart from case, spaces, hyphens and underscores. */
function payeeTypeLike(kind: Kind, value: string): string | undefined {
  const types = definitionsOf(kind).flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType]));
  return types.find((type) => normaliseHeader(type) === normaliseHeader(value));
}

function ruleOf(kind: Kind, field: string): FieldRule | undefined {
  return definitionsOf(kind)
    .flatMap(({ rules }) => rules)
    .find((rule) => rule.field === field);
}

function guess(
  column: SampledColumn,
  all: readonly SampledColumn[],
  kind: Kind,
  definitions: readonly ResourceDefinition[],
): ColumnProposal {
  const { title } = column;
  if (title === '') return open(title, 'has values and no name: give it a name in the file, or empty it');
  const own = fieldForHeader(kind, title);
  if (own !== undefined) return checkedAgainstValues(column, own, 'sure', 'is its name here', kind);
  const synonyms = synonymsOf(kind, title);
  const [only] = synonyms;
  if (only !== undefined && synonyms.length === 1)
    return checkedAgainstValues(column, only, 'sure', `is another name of ${only}`, kind);
  if (synonyms.length > 1) return chooseSynonym(column, synonyms, kind, definitions);
  if (unusedTitles.test(normaliseHeader(title).replace(/[^\p{L}]/gu, '')))
    return { title, field: null, certainty: 'likely', why: 'left out: the API has no field for it' };
  return guessByLooks(column, all, kind) ?? guessByName(column, kind);
}

function open(title: string, why: string): ColumnProposal {
  return { title, field: null, certainty: 'open', why };
}

/** A name may promise what the values do not keep. */
function checkedAgainstValues(
  { title, values }: SampledColumn,
  field: string,
  certainty: Certainty,
  why: string,
  kind: Kind,
): ColumnProposal {
  const rule = ruleOf(kind, field);
  const look = lookOf(values);
  if (rule?.type === 'account_number' && look === 'iban' && columnsOf(kind).includes('iban'))
    return { title, field: 'iban', certainty: 'likely', why: 'its values are IBANs' };
  if (rule === undefined || !isNoneOfType(rule.type, values)) return { title, field, certainty, why };
  const instead = rule.orElse ?? ofType(kind, look)[0];
  if (rule.type === 'uuid' && rule.orElse !== undefined && look === undefined)
    return {
      title,
      field: rule.orElse,
      certainty: 'likely',
      why: `its values are no ids of the API, so not ${field}`,
    };
  if (look !== undefined)
    return open(title, `its name says ${field}, its values look like ${instead ?? look}`);
  return { title, field, certainty, why: `${why}, but no value looked at is valid: ${rule.description}` };
}

function ofType(kind: Kind, type: string | undefined): readonly string[] {
  return columnsOf(kind).filter((field) => ruleOf(kind, field)?.type === type);
}

/** Of several fields that others call so, the one that every payee type in the file needs. */
function chooseSynonym(
  column: SampledColumn,
  fields: readonly string[],
  kind: Kind,
  definitions: readonly ResourceDefinition[],
): ColumnProposal {
  const needed = fields.filter((field) => definitions.every((definition) => needs(definition, field)));
  const [only] = needed;
  if (only === undefined || needed.length > 1) return open(column.title, `may be ${eitherOf(fields)}`);
  const why = `may be ${eitherOf(fields)}; these rows need ${only}`;
  return checkedAgainstValues(column, only, 'likely', why, kind);
}

function needs({ rules }: ResourceDefinition, field: string): boolean {
  return rules.some(
    (rule) =>
      rule.presence === 'required' &&
      rule.whenEmpty === undefined &&
      (rule.orElse === undefined ? rule.field === field : [rule.field, rule.orElse].includes(field)),
  );
}

/** Values that can be one field only tell more than a strange name, unless another column has that field. */
function guessByLooks(
  { title, values }: SampledColumn,
  all: readonly SampledColumn[],
  kind: Kind,
): ColumnProposal | undefined {
  const fields = ofType(kind, lookOf(values));
  const [field] = fields;
  if (field === undefined || fields.length > 1) return undefined;
  const isTaken = all.some(
    (other) => fieldForHeader(kind, other.title) === field || synonymsOf(kind, other.title).includes(field),
  );
  const why = `its values look like ${field}`;
  return isTaken
    ? open(title, `${why}, which another column is`)
    : { title, field, certainty: 'likely', why };
}

function guessByName(column: SampledColumn, kind: Kind): ColumnProposal {
  const search = createNameSearch(columnsOf(kind));
  const [mistyped] = search(column.title, 1, typingMistake);
  if (mistyped !== undefined)
    return checkedAgainstValues(column, mistyped, 'likely', `looks like ${mistyped}, mistyped`, kind);
  const near = search(column.title, 2, leastSimilarity);
  return open(
    column.title,
    near.length === 0
      ? `is not known: leave it out under "ignore"?`
      : `is not known; the nearest are ${eitherOf(near)}`,
  );
}

/** Of several columns for one field, the surest counts if it is alone; the others are for a person. */
function decideBetween(columns: readonly ColumnProposal[]): ColumnProposal[] {
  return columns.map((column) => {
    const { field, title, certainty } = column;
    if (field === null) return column;
    const rivals = columns.filter((other) => other !== column && other.field === field);
    const isBeaten = rivals.some((rival) => certainty === 'likely' || rival.certainty === 'sure');
    if (!isBeaten) return column;
    const others = rivals.map((rival) => shorten(rival.title));
    return open(title, `would be ${field}, and so would ${others.join(', ')}`);
  });
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

/** How dates, amounts and payee types are written, where that is not as paybatch reads them by itself. */
function writingOf(
  kind: Kind,
  columns: readonly ColumnProposal[],
  valuesOf: (field: string) => readonly string[],
): { readonly mapping: MappingFile; readonly open: readonly string[] } {
  const problems: string[] = [];
  const mapping: MappingFile = {};
  const birthDate = columns.find(({ field }) => field !== null && ruleOf(kind, field)?.type === 'birth_date');
  if (birthDate?.field) {
    const stated = /\b(?:DD?([./-])MM?|MM?([./-])DD?)[./-]YYYY\b/.exec(birthDate.title.toUpperCase())?.[0];
    const format = stated ?? dateFormatOf(valuesOf(birthDate.field));
    const place = shorten(birthDate.title);
    if (format === 'unclear')
      problems.push(
        `${place}: day or month first? State "dateFormat": "DD/MM/YYYY" or "MM/DD/YYYY", with the file's own separator.`,
      );
    else if (format === null) problems.push(`${place}: the dates are not all written in one known way.`);
    else if (format !== 'YYYY-MM-DD') mapping.dateFormat = format;
  }
  const amount = columns.find(({ field }) => field !== null && ruleOf(kind, field)?.type === 'amount');
  if (amount?.field) {
    const style = numberStyleOf(valuesOf(amount.field));
    const place = shorten(amount.title);
    if (style === 'unclear')
      problems.push(
        `${place}: is a comma or point there the decimal sign, or between thousands? State "decimal" and "thousands".`,
      );
    else if (style === null) problems.push(`${place}: the amounts are not all written in one known way.`);
    else {
      if (style.decimal !== '.') mapping.decimal = style.decimal;
      if (style.thousands !== '') mapping.thousands = style.thousands;
    }
  }
  const translations: Record<string, string> = {};
  for (const value of valuesOf('payee_type')) {
    const meant = payeeTypeLike(kind, value);
    if (meant === undefined)
      problems.push(`payee_type: what does ${shorten(value)} mean? State it under "values".`);
    else if (meant !== value) translations[value] = meant;
  }
  if (Object.keys(translations).length > 0) mapping.values = { payee_type: translations };
  return { mapping, open: problems };
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
