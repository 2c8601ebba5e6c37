import type { Kind } from '../../domain/batches/kind.ts';
import { createNameSearch } from '../../domain/text/similar-names.ts';
import { currencyCodes } from '../../resources/check/currency.ts';
import { eitherOf } from '../../resources/check/wording.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import {
  columnsOf,
  fieldForHeader,
  fieldsForSynonym,
  normaliseHeader,
  ruleOf,
} from '../../resources/registry.ts';
import { leastSimilarity } from './table-mapping.ts';
import { isNoneOfType, lookOf } from './value-look.ts';

/** How much a proposal is to be relied on. What a person must decide is left out of the mapping. */
export type Certainty = 'sure' | 'likely' | 'open';

/** What one column of the file is proposed to mean. */
export interface ColumnProposal {
  readonly title: string;
  /** Null for a column that is to be left out, and for an open one. */
  readonly field: string | null;
  readonly certainty: Certainty;
  readonly why: string;
  /** The field that the column is joined into with others, in this place. */
  readonly partOf?: { readonly field: string; readonly place: number };
}

/** A column with the values of its first rows, empty ones left out. */
export interface SampledColumn {
  readonly title: string;
  readonly values: readonly string[];
  /** Those of its values that stand in number cells. */
  readonly numbers?: readonly string[];
}

/** Titles of columns that the API has no use for. */
const unusedTitles =
  /^(?:swift|bic|swiftcode|biccode|swiftbic|bicswift|remarks?|comments?|notes?|sno|sn|srno|serial|serialno|rowno|no|nr|lfdnr|line|item|department|dept|branch|branchcode|designation|signature|bemerkung(?:en)?|kommentar|remarques?|maoni|observa(?:ção|coes|ções))$/;
/** So alike that it can hardly be another column: one letter of a longer name is wrong or missing. */
const typingMistake = 0.8;

/** Whether a title is a column of the kind, or what others call one. */
export function isNamed(kind: Kind, title: string): boolean {
  return fieldForHeader(kind, title) !== undefined || synonymsOf(kind, title).length > 0;
}

/** The fields that a title names: its own name, else what others call so. */
export function namedFields(kind: Kind, title: string): readonly string[] {
  const own = fieldForHeader(kind, title);
  return own === undefined ? synonymsOf(kind, title) : [own];
}

/** A title without its format or currency: `DOB (DD/MM/YYYY)`, `Amt (KES)`, `Betrag in EUR`. */
function withoutUnit(title: string): string {
  const short = title.replace(/\(.*?\)|\[.*?\]/g, '').trim();
  const { unit = '' } = /[\s,/-](?<unit>[A-Z]{3})$/.exec(short)?.groups ?? {};
  if (!currencyCodes.includes(unit)) return short;
  return short.slice(0, -unit.length).replace(/[\s,/-]+(?:(?:in|en|em|kwa)\s+)?$/i, '');
}

function synonymsOf(kind: Kind, title: string): readonly string[] {
  const whole = fieldsForSynonym(kind, title);
  const short = withoutUnit(title);
  if (whole.length > 0 || short === '' || short === title) return whole;
  const own = fieldForHeader(kind, short.replace(/\*+$/, ''));
  return own === undefined ? fieldsForSynonym(kind, short) : [own];
}

/** What a column most probably means, by its name and its values. */
export function guessColumn(
  column: SampledColumn,
  all: readonly SampledColumn[],
  kind: Kind,
  definitions: readonly ResourceDefinition[],
): ColumnProposal {
  const { title } = column;
  if (title === '')
    return openColumn(title, 'has values and no name: give it a name in the file, or empty it');
  const own = fieldForHeader(kind, title);
  if (own !== undefined) return checkedAgainstValues(column, own, 'sure', 'its own name', kind);
  const synonyms = synonymsOf(kind, title);
  const [only] = synonyms;
  if (only !== undefined && synonyms.length === 1)
    return checkedAgainstValues(column, only, 'sure', 'a known name of it', kind);
  if (synonyms.length > 1) return chooseSynonym(column, synonyms, all, kind, definitions);
  if (unusedTitles.test(normaliseHeader(title).replace(/[^\p{L}]/gu, '')))
    return { title, field: null, certainty: 'likely', why: 'the API has no field for it' };
  return guessByLooks(column, all, kind) ?? guessByName(column, kind);
}

/** A column that a person must decide about. */
export function openColumn(title: string, why: string): ColumnProposal {
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
  if (field === 'account_number' && look === 'iban' && columnsOf(kind).includes('iban'))
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
    return openColumn(title, `its name says ${field}, its values look like ${instead ?? look}`);
  return { title, field, certainty, why: `${why}, but no value looked at is valid: ${rule.description}` };
}

function ofType(kind: Kind, type: string | undefined): readonly string[] {
  return columnsOf(kind).filter((field) => ruleOf(kind, field)?.type === type);
}

/** Of several fields that others call so, the only one that is left, or that every payee type in the file needs. */
function chooseSynonym(
  column: SampledColumn,
  fields: readonly string[],
  all: readonly SampledColumn[],
  kind: Kind,
  definitions: readonly ResourceDefinition[],
): ColumnProposal {
  const others = all.filter((other) => other !== column);
  const free = fields.filter((field) => !others.some((other) => isOnly(kind, other.title, field)));
  const needed = free.filter((field) => definitions.every((definition) => needs(definition, field)));
  const [only] = free.length === 1 ? free : needed;
  if (only === undefined || (free.length !== 1 && needed.length > 1))
    return openColumn(column.title, `may be ${eitherOf(fields)}`);
  const reason = free.length === 1 ? 'another column is the other' : `these rows need ${only}`;
  return checkedAgainstValues(column, only, 'likely', `may be ${eitherOf(fields)}; ${reason}`, kind);
}

/** Whether a title means that field and can mean no other. */
function isOnly(kind: Kind, title: string, field: string): boolean {
  const own = fieldForHeader(kind, title);
  if (own !== undefined) return own === field;
  const synonyms = synonymsOf(kind, title);
  return synonyms.length === 1 && synonyms[0] === field;
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
  const isTaken = all.some((other) => isOnly(kind, other.title, field));
  const why = `its values look like ${field}`;
  return isTaken
    ? openColumn(title, `${why}, which another column is`)
    : { title, field, certainty: 'likely', why };
}

function guessByName(column: SampledColumn, kind: Kind): ColumnProposal {
  const search = createNameSearch(columnsOf(kind));
  const [mistyped] = search(column.title, 1, typingMistake);
  if (mistyped !== undefined)
    return checkedAgainstValues(column, mistyped, 'likely', `looks like ${mistyped}, mistyped`, kind);
  const near = search(column.title, 2, leastSimilarity);
  return openColumn(
    column.title,
    near.length === 0
      ? `is not known; "ignore" leaves it out`
      : `is not known; the nearest are ${eitherOf(near)}`,
  );
}
