import type { Kind } from '../../domain/batches/batch.ts';
import type { FieldRule, ResourceDefinition } from '../../resources/definition.ts';
import { columnsOf, definitionsOf, ruleOf } from '../../resources/registry.ts';
import { hasMeanings } from '../../resources/value-meanings.ts';
import { type Column, isTelling, type KnownShares, nothingKnown, valueScore } from './evidence.ts';
import { isOtherThanPaid, titleScores, wordsOf } from './title-words.ts';

/**
 * Which column is which field, if the rows are of a kind and of some of its payee types. Words and values are weighed
 * together; a person's word about a column stands above both.
 */

/** What a person has said of a column: a field, several into which it is split, or null for one that is left out. */
export type DecidedColumns = ReadonlyMap<string, string | readonly string[] | null>;

/** What one column is taken for. */
export interface Use {
  readonly column: Column;
  /** One field; several where its values are split; none where it is left out. */
  readonly fields: readonly string[];
  /** From 0 to 1: how much speaks for it. */
  readonly score: number;
  readonly why: string;
  /** Another column that might be this field as well, or nearly so. */
  readonly rival?: Column;
}

/** What the rows may be, and what the columns are then. */
export interface Assignment {
  readonly kind: Kind;
  /** The payee types that the rows may be of; the only definition for a kind without payee types. */
  readonly definitions: readonly ResourceDefinition[];
  readonly uses: readonly Use[];
  /** Required fields that no column is, as groups of which one is enough. */
  readonly missing: readonly (readonly string[])[];
  /** How much speaks for the whole; only its order means anything. */
  readonly score: number;
}

const least = 0.42;
/** A second column that comes so near is worth a question. */
const nearlySame = 0.12;

/** Every way in which the rows may be taken that has a chance, the likeliest first. */
export function assignments(
  columns: readonly Column[],
  known: ReadonlyMap<Column, KnownShares>,
  kinds: readonly Kind[],
  decided: DecidedColumns,
): readonly Assignment[] {
  return kinds
    .flatMap((kind) =>
      definitionSets(kind).map((definitions) => assign(kind, definitions, columns, known, decided)),
    )
    .sort((left, right) => right.score - left.score);
}

/** Rows of one payee type, or of all that name an institution, whose kind then tells the payee type. */
function definitionSets(kind: Kind): readonly (readonly ResourceDefinition[])[] {
  const all = definitionsOf(kind);
  if (all.length === 1) return [all];
  const atInstitutions = all.filter(({ institution }) => institution !== null);
  return [...all.map((definition) => [definition]), atInstitutions, all];
}

interface Candidate {
  readonly field: string;
  readonly column: Column;
  readonly score: number;
  readonly word: number;
}

function assign(
  kind: Kind,
  definitions: readonly ResourceDefinition[],
  columns: readonly Column[],
  known: ReadonlyMap<Column, KnownShares>,
  decided: DecidedColumns,
): Assignment {
  const fields = usableFields(kind, definitions);
  const required = requiredGroups(definitions);
  const isRequired = (field: string): boolean => required.some((group) => group.includes(field));
  const candidates = columns
    .filter((column) => column.cells.length > 0)
    .flatMap((column) =>
      candidatesOf(column, kind, fields, known.get(column) ?? nothingKnown, isRequired, definitions),
    );
  const taken = chosen(columns, candidates, decided);
  const whole = withSecondSurname(columns, withHouseNumber(columns, taken), decided);
  const joined = withNameParts(kind, columns, whole, candidates, decided);
  const uses = columns.map((column): Use => useOf(column, joined, candidates, decided));
  const there = new Set(uses.flatMap((use) => use.fields));
  const missing = required.filter((group) => !group.some((field) => there.has(field)));
  return { kind, definitions, uses, missing, score: scoreOf(uses, missing, required, definitions) };
}

function usableFields(kind: Kind, definitions: readonly ResourceDefinition[]): readonly string[] {
  return columnsOf(kind).filter((field) =>
    definitions.some(({ rules }) => rules.some((rule) => rule.field === field && rule.presence !== 'unused')),
  );
}

/** Required fields with what may stand instead: those that all of the payee types require. */
function requiredGroups(definitions: readonly ResourceDefinition[]): readonly (readonly string[])[] {
  const groups = definitions.map(({ rules }) =>
    rules
      .filter((rule) => rule.presence === 'required' && rule.whenEmpty === undefined)
      .map((rule) => (rule.orElse === undefined ? [rule.field] : [rule.field, rule.orElse])),
  );
  const [first = [], ...others] = groups;
  return first.filter((group) => others.every((other) => other.some((each) => each.join() === group.join())));
}

function candidatesOf(
  column: Column,
  kind: Kind,
  fields: readonly string[],
  known: KnownShares,
  isRequired: (field: string) => boolean,
  definitions: readonly ResourceDefinition[],
): Candidate[] {
  const words = titleScores(kind, column.title);
  return fields.flatMap((field): Candidate[] => {
    const rule = ruleOf(kind, field);
    if (rule === undefined) return [];
    const word = words.get(field) ?? 0;
    // What is not sent needs a name: values alone are no reason to keep it.
    if (word < 0.6 && isNotSent(field, definitions)) return [];
    const value = valueScore(column, rule, known);
    const score = weigh(word, value, rule, known, column);
    return score < least ? [] : [{ field, column, word, score: score + (isRequired(field) ? 0.08 : 0) }];
  });
}

function isNotSent(field: string, definitions: readonly ResourceDefinition[]): boolean {
  const rules = definitions.flatMap((definition) => definition.rules.filter((rule) => rule.field === field));
  return rules.every(({ presence }) => presence === 'not_sent' || presence === 'unused');
}

/** Words and values together. Values that cannot be the field's weigh more than any word but its own name. */
function weigh(word: number, value: number, rule: FieldRule, known: KnownShares, column: Column): number {
  if (rule.field === 'amount' && isOtherThanPaid(column.title)) return 0;
  if (rule.field === 'customer_external_id' && known.customers >= 0.5) return 0.7 + 0.3 * known.customers;
  if (rule.field === 'institution_name' && known.institutions >= 0.5)
    return (word > 0 ? 0.6 : 0.5) + 0.35 * known.institutions;
  if (value < 0.1) return word === 1 ? 0.45 : 0;
  if (word >= 0.4) return 0.6 * word + 0.4 * value;
  if ((isTelling(rule.type) || isTellingWords(column, rule)) && value >= 0.7) return 0.45 + 0.2 * value;
  return 0.35 * word + 0.3 * value;
}

/** Several whole words of the field, such as `Particulier` and `Société`: letters and a single word may mean anything. */
function isTellingWords({ values }: Column, { field }: FieldRule): boolean {
  return hasMeanings(field) && values.filter(({ text }) => /\p{L}{3}/u.test(text)).length >= 2;
}

/** The surest pair first; a column is one field, and a field is one column. What a person has said is not weighed. */
function chosen(
  columns: readonly Column[],
  candidates: readonly Candidate[],
  decided: DecidedColumns,
): ReadonlyMap<Column, Candidate> {
  const taken = new Map<Column, Candidate>();
  const fields = new Set<string>();
  for (const column of columns) {
    const said = decided.get(column.title);
    // What a person says to be another part of a name or an address is joined to the part that was shown.
    for (const field of [said ?? []].flat()) if (!joinableFields.has(field)) fields.add(field);
  }
  for (const candidate of [...candidates].sort((left, right) => right.score - left.score)) {
    const { column, field } = candidate;
    if (decided.has(column.title) || taken.has(column) || fields.has(field)) continue;
    taken.set(column, candidate);
    fields.add(field);
  }
  return taken;
}

/** Fields whose values may stand in several columns. */
const joinableFields: ReadonlySet<string> = new Set([
  ...['account_name', 'first_name', 'middle_name', 'last_name'],
  ...['address_line1', 'address_line2'],
]);

/** What a column was chosen for. */
interface Placed {
  readonly field: string;
  readonly column: Column;
  readonly score: number;
  /** Where its values are split into several fields. */
  readonly fields?: readonly string[];
}

type Taken = ReadonlyMap<Column, Placed>;

const houseNumberWords = /^(?:no|haus(?:nr|nummer|no)?|house|street no|civico|huis(?:nr|nummer)?|numero)\b/;

/** A column of house numbers stands right behind the street, and belongs to it. */
function withHouseNumber(columns: readonly Column[], taken: Taken): Taken {
  const street = [...taken.values()].find(({ field }) => field === 'address_line1');
  const next = street === undefined ? undefined : columns[columns.indexOf(street.column) + 1];
  if (street === undefined || next === undefined || taken.has(next)) return taken;
  const isNumbered = houseNumberWords.test(wordsOf(next.title).join(' '));
  const isShort = next.cells.filter(({ text }) =>
    /^(?:\d{1,5}\s?[\p{L}/-]{0,4}\d{0,3}|s\/?n)$/iu.test(text),
  ).length;
  if (!isNumbered || isShort < next.cells.length * 0.7) return taken;
  return new Map<Column, Placed>([...taken, [next, { field: 'address_line1', column: next, score: 0.6 }]]);
}

const surnameWords = /\b(?:apellidos?|sobrenomes?|surnames?|family name)\b/;

/** Where surnames stand in two columns, as in Spain and Latin America, the second belongs to the first. */
function withSecondSurname(columns: readonly Column[], taken: Taken, decided: DecidedColumns): Taken {
  const own = [...taken.values()].find(({ field }) => field === 'last_name')?.column;
  if (own === undefined) return taken;
  const isSurname = ({ title }: Column): boolean => surnameWords.test(wordsOf(title).join(' '));
  const next = columns.find(
    (column) =>
      column !== own &&
      !taken.has(column) &&
      !decided.has(column.title) &&
      isSurname(column) &&
      isSurname(own),
  );
  if (next === undefined || next.cells.length === 0) return taken;
  return new Map<Column, Placed>([...taken, [next, { field: 'last_name', column: next, score: 0.8 }]]);
}

/** First and last name are parts of an account holder's name; a full name is split into a customer's. */
function withNameParts(
  kind: Kind,
  columns: readonly Column[],
  taken: Taken,
  candidates: readonly Candidate[],
  decided: DecidedColumns,
): Taken {
  const fields = columnsOf(kind);
  const free = (column: Column): boolean =>
    !decided.has(column.title) &&
    column.cells.length > 0 &&
    (!taken.has(column) || nameFields.has(taken.get(column)?.field ?? ''));
  const saidSo = new Set([...decided.values()].flatMap((said) => said ?? []));
  if (fields.includes('account_name') && !saidSo.has('account_name')) {
    const current = candidates.find((one) => one.field === 'account_name' && taken.get(one.column) === one);
    const parts = ['first_name', 'middle_name', 'last_name'].flatMap(
      (part) => bestNamed(part, columns.filter(free)) ?? [],
    );
    const surnames = columns.filter(
      (column) => free(column) && surnameWords.test(wordsOf(column.title).join(' ')),
    );
    const distinct = [...new Set([...parts, ...surnames])];
    if (
      distinct.length < 2 ||
      (current !== undefined && current.word >= 0.9 && !distinct.includes(current.column))
    )
      return taken;
    const others = [...taken].filter(([, { field }]) => field !== 'account_name');
    return new Map<Column, Placed>([
      ...others,
      ...distinct.map((column): [Column, Placed] => [column, { field: 'account_name', column, score: 0.8 }]),
    ]);
  }
  if (fields.includes('first_name') && !saidSo.has('first_name')) {
    const there = new Set([...taken.values()].map(({ field }) => field));
    if (there.has('first_name') && there.has('last_name')) return taken;
    const whole = columns.filter(free).find((column) => isWholeName(column));
    if (whole === undefined) return taken;
    const others = [...taken].filter(([column, { field }]) => column !== whole && !nameFields.has(field));
    return new Map<Column, Placed>([
      ...others,
      [whole, { field: 'first_name', column: whole, score: 0.7, fields: ['first_name', 'last_name'] }],
    ]);
  }
  return taken;
}

const nameFields: ReadonlySet<string> = new Set(['account_name', 'first_name', 'middle_name', 'last_name']);

function bestNamed(part: string, columns: readonly Column[]): Column | undefined {
  const scored = columns
    .map((column) => ({ column, score: titleScores('customers', column.title).get(part) ?? 0 }))
    .filter(({ score }) => score >= 0.7)
    .sort((left, right) => right.score - left.score);
  return scored[0]?.column;
}

/** A column called like the name of a person, whose values have two words or more. */
function isWholeName({ title, values, cells }: Column): boolean {
  const word = Math.max(
    titleScores('recipients', title).get('account_name') ?? 0,
    titleScores('customers', title).get('last_name') ?? 0,
  );
  const several = values.filter(({ text }) => /\p{L}+[\s,]+\p{L}/u.test(text)).length;
  return word >= 0.6 && cells.length > 0 && several >= values.length * 0.6;
}

function useOf(column: Column, taken: Taken, candidates: readonly Candidate[], decided: DecidedColumns): Use {
  const said = decided.get(column.title);
  if (said !== undefined)
    return { column, fields: said === null ? [] : [said].flat(), score: 1, why: 'decided' };
  const own = taken.get(column);
  if (own === undefined) {
    const why = column.cells.length === 0 ? 'it is empty' : 'nothing that is sent or checked';
    return { column, fields: [], score: 0, why };
  }
  const rival = candidates.find(
    (other) =>
      other.field === own.field &&
      other.column !== column &&
      other.score > own.score - nearlySame &&
      !sharesField(taken, other),
  );
  const word = titleScoresText(column, own.field, candidates);
  return {
    column,
    fields: own.fields ?? [own.field],
    score: own.score,
    why: word,
    ...(rival === undefined ? {} : { rival: rival.column }),
  };
}

function sharesField(taken: Taken, { column, field }: Candidate): boolean {
  const use = taken.get(column);
  return use !== undefined && (use.field === field || use.score > 0.8);
}

function titleScoresText(column: Column, field: string, candidates: readonly Candidate[]): string {
  const candidate = candidates.find((each) => each.column === column && each.field === field);
  if (candidate === undefined || candidate.word >= 0.6) return 'its name and its values';
  return candidate.word > 0 ? 'its values, and a part of its name' : 'its values';
}

function scoreOf(
  uses: readonly Use[],
  missing: readonly (readonly string[])[],
  required: readonly (readonly string[])[],
  definitions: readonly ResourceDefinition[],
): number {
  const isRequired = (field: string): boolean => required.some((group) => group.includes(field));
  const gained = uses
    .filter(({ fields }) => fields.length > 0)
    .reduce((sum, { fields, score }) => sum + score * (fields.some(isRequired) ? 1 : 0.4), 0);
  // What no column has may be the same for all rows; an account or a name never is.
  const lost = missing.reduce(
    (sum, group) => sum + (group.some((field) => constantFields.has(field)) ? 0.1 : 1),
    0,
  );
  // Several payee types need a column, or an institution, that tells them apart.
  const isUnclear =
    definitions.length > 1 &&
    !uses.some(({ fields }) => fields.includes('payee_type') || fields.includes('institution_name'));
  return gained - lost - (isUnclear ? 1 : 0) - (definitions.length > 1 ? 0.05 : 0);
}

/** Fields that may well be one value for all rows of a file. */
export const constantFields: ReadonlySet<string> = new Set([
  ...[
    'payee_type',
    'currency',
    'country',
    'institution_country',
    'account_owner_type',
    'account_type',
    'type',
  ],
  ...[
    'blockchain_network',
    'label',
    'destination_label',
    'methods',
    'source_type',
    'destination_type',
    'institution_name',
    'institution_id',
  ],
]);
