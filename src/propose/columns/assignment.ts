import type { Kind } from '../../domain/batches/batch.ts';
import { eachInTurn } from '../../domain/machine/map-in-turns.ts';
import { hasLetters } from '../../domain/text/characters.ts';
import type { FieldRule, ResourceDefinition } from '../../kinds/definition.ts';
import { columnsOf, definitionsOf, ruleOf } from '../../kinds/registry.ts';
import { hasMeanings } from '../../kinds/words-of-files.ts';
import type { DecidedColumns } from '../decisions.ts';
import type { Column } from '../sheet/column.ts';
import { isOtherThanPaid, namesIdentifier, titleScores } from '../sheet/title-words.ts';
import { withTogether } from './column-groups.ts';
import { type Candidate, chosen, least, type Taken, type Use, useOf, weighEvidence } from './column-use.ts';
import { withDividedColumns } from './divided-columns.ts';
import { codesScore, isDistinctive, type KnownShares, nothingKnown, valueScore } from './evidence.ts';
import { namesBankCode } from './institution-names.ts';

/**
 * Assigns columns to fields, for a kind and some of its payee types. Titles and values are weighed together. A person's
 * decision about a column takes precedence over both.
 */

/** A possible kind of the rows, with the resulting use of the columns. */
export interface Assignment {
  readonly kind: Kind;
  /** The payee types that the rows may be of; the only definition for a kind without payee types. */
  readonly definitions: readonly ResourceDefinition[];
  readonly uses: readonly Use[];
  /** Required fields without a column, as groups in which one field is enough. */
  readonly missing: readonly (readonly string[])[];
  /** The strength of the whole assignment. Only the order of scores has a meaning. */
  readonly score: number;
}

/** The columns, and facts about them from the ledger, the API's lists and a person. */
interface ColumnFacts {
  readonly columns: readonly Column[];
  readonly known: ReadonlyMap<Column, KnownShares>;
  readonly decided: DecidedColumns;
  /**
   * Reads a value of a column of payee types; undefined for an unknown value. It is absent if a person has decided how
   * the rows are paid, because such a column then decides nothing.
   */
  readonly payeeTypeOf?: (column: Column, value: string) => string | undefined;
}

/** Every plausible assignment of the rows, the likeliest first. */
export async function assignments(
  kinds: readonly Kind[],
  facts: ColumnFacts,
): Promise<readonly Assignment[]> {
  const ofKinds = await eachInTurn(kinds, (kind) => assignmentsOf(kind, facts));
  return ofKinds.flat().sort((left, right) => right.score - left.score);
}

/**
 * Assignments for rows of one payee type, for rows of all types with an institution (whose kind decides the type), and
 * for rows of any type. If a column has the payee types, only these types are tried.
 */
async function assignmentsOf(kind: Kind, facts: ColumnFacts): Promise<readonly Assignment[]> {
  const all = definitionsOf(kind);
  const ofAny = await assign(kind, all, facts);
  if (all.length === 1) return [ofAny];
  const named = payeeTypesNamed(ofAny, facts);
  if (named !== undefined) {
    const own = await assign(kind, named.definitions, facts, named.columnsOfOthers);
    // Required fields that these payee types lack must not count in favour of another kind.
    return [{ ...own, score: Math.max(own.score, ofAny.score) }];
  }
  const atInstitutions = all.filter(({ institution }) => institution !== null);
  const some = [...all.map((definition) => [definition]), atInstitutions];
  return [...(await eachInTurn(some, (definitions) => assign(kind, definitions, facts))), ofAny];
}

/** The payee types that a column of them contains. */
interface NamedPayeeTypes {
  readonly definitions: readonly ResourceDefinition[];
  /** Columns that are filled only in rows with an unknown payee type. They may belong to any type. */
  readonly columnsOfOthers: ReadonlySet<Column>;
}

/**
 * Finds the payee types of the values. An unknown value, such as a mistyped one, decides nothing for other rows or for
 * a column.
 */
function payeeTypesNamed(
  { uses, definitions }: Assignment,
  { columns, payeeTypeOf }: ColumnFacts,
): NamedPayeeTypes | undefined {
  const own = uses.find(({ fields: [field, another] }) => field === 'payee_type' && another === undefined);
  if (own === undefined || payeeTypeOf === undefined) return undefined;
  const { column } = own;
  const types = new Map(column.values.map(({ text }) => [text, payeeTypeOf(column, text)]));
  const named = new Set(types.values());
  const matching = definitions.filter(({ payeeType }) => payeeType !== null && named.has(payeeType));
  if (matching.length === 0) return undefined;
  const understood = new Set(
    column.cells.flatMap(({ row, text }) => (types.get(text) === undefined ? [] : [row])),
  );
  const ofOthers = columns.filter(({ cells }) => cells.every(({ row }) => !understood.has(row)));
  return { definitions: matching, columnsOfOthers: new Set(ofOthers) };
}

/** @param ofAny columns that may be fields of other payee types too */
async function assign(
  kind: Kind,
  definitions: readonly ResourceDefinition[],
  { columns, known, decided }: ColumnFacts,
  ofAny: ReadonlySet<Column> = new Set(),
): Promise<Assignment> {
  const fields = usableFields(kind, definitions);
  const fieldsOfAny = ofAny.size === 0 ? fields : usableFields(kind, definitionsOf(kind));
  const required = requiredGroups(definitions);
  const isRequired = (field: string): boolean => required.some((group) => group.includes(field));
  const filled = columns.filter((column) => column.cells.length > 0);
  const ofColumns = await eachInTurn(filled, (column) => {
    const possible = ofAny.has(column) ? fieldsOfAny : fields;
    return candidatesOf(column, kind, possible, known.get(column) ?? nothingKnown, isRequired, definitions);
  });
  const candidates = ofColumns.flat();
  const grouping = { kind, columns, decided, isRequired };
  const taken = withDividedColumns(grouping, chosen(columns, candidates, decided), { fields, known });
  const joined = withTogether(grouping, taken, candidates);
  const placed = withNextBest(taken, joined, candidates, decided);
  const uses = columns.map((column): Use => useOf(column, placed, candidates, decided));
  const there = new Set(uses.flatMap((use) => use.fields));
  const missing = required.filter((group) => !group.some((field) => there.has(field)));
  return { kind, definitions, uses, missing, score: scoreOf(uses, missing, required, definitions) };
}

/**
 * Finds the next best field for columns whose field other columns together have taken over, such as a name in parts.
 */
function withNextBest(
  taken: Taken,
  joined: Taken,
  candidates: readonly Candidate[],
  decided: DecidedColumns,
): Taken {
  const fields = new Set([...joined.values()].flatMap((own) => own.fields ?? [own.field]));
  const left = [...taken.keys()].filter((column) => !joined.has(column));
  const others = candidates.filter(({ column, field }) => left.includes(column) && !fields.has(field));
  return left.length === 0 ? joined : new Map([...joined, ...chosen(left, others, decided)]);
}

function usableFields(kind: Kind, definitions: readonly ResourceDefinition[]): readonly string[] {
  return columnsOf(kind).filter((field) =>
    definitions.some(({ rules }) => rules.some((rule) => rule.field === field && rule.presence !== 'unused')),
  );
}

/** The fields that all of these payee types require, each with its alternatives. */
export function requiredGroups(definitions: readonly ResourceDefinition[]): readonly (readonly string[])[] {
  const groups = definitions.map(({ rules }) =>
    rules
      .filter((rule) => rule.presence === 'required' && rule.whenEmpty === undefined)
      .map((rule) => (rule.orElse === undefined ? [rule.field] : [rule.field, rule.orElse])),
  );
  const [first = [], ...others] = groups;
  return first.filter((group) => others.every((other) => other.some((each) => each.join() === group.join())));
}

/** If the title of a column of unknown codes has at least this score, the column is taken for a field of few words. */
const certain = 0.9;

async function candidatesOf(
  column: Column,
  kind: Kind,
  fields: readonly string[],
  known: KnownShares,
  isRequired: (field: string) => boolean,
  definitions: readonly ResourceDefinition[],
): Promise<readonly Candidate[]> {
  const words = titleScores(kind, column.title);
  const found = await eachInTurn(fields, (field): Candidate[] => {
    const rule = ruleOf(kind, field);
    if (rule === undefined) return [];
    const word = words.get(field) ?? 0;
    // A field that is not sent needs a matching title. Values alone are no reason to keep it.
    if (word < 0.6 && isNotSent(field, definitions)) return [];
    // Codes of payee types are excluded, because they would decide which other columns are read.
    const mayBeCodes = word >= certain && isRequired(field) && field !== 'payee_type';
    const value = Math.max(valueScore(column, rule, known), mayBeCodes ? codesScore(column, rule) : 0);
    const score = weigh(kind, word, value, rule, known, column);
    if (score < least) return [];
    // If two columns have similar titles, the column with more filled cells is preferred.
    const fullness = 0.06 * (column.rows === 0 ? 0 : column.cells.length / column.rows);
    return [{ field, column, word, score: score + fullness + (isRequired(field) ? 0.08 : 0) }];
  });
  return found.flat();
}

function isNotSent(field: string, definitions: readonly ResourceDefinition[]): boolean {
  const rules = definitions.flatMap((definition) => definition.rules.filter((rule) => rule.field === field));
  return rules.every(({ presence }) => presence === 'not_sent' || presence === 'unused');
}

/** Weighs title and values together. Impossible values weigh more than any title except the field's own name. */
function weigh(
  kind: Kind,
  word: number,
  value: number,
  rule: FieldRule,
  known: KnownShares,
  column: Column,
): number {
  const isNoAmount = isOtherThanPaid(column.title, kind) || namesIdentifier(column.title);
  if (rule.field === 'amount' && isNoAmount) return 0;
  if (rule.field === 'customer_external_id' && known.customers >= 0.5) return 0.7 + 0.3 * known.customers;
  if (rule.field === 'institution_name' && known.institutions >= 0.5)
    return (word > 0 ? 0.6 : 0.5) + 0.35 * known.institutions;
  // Codes count less than names. So a column of names beside a column of codes becomes the institution.
  if (rule.field === 'institution_name' && known.bankCodes >= 0.5 && namesBankCode(column.title))
    return 0.45 + 0.2 * known.bankCodes;
  return weighEvidence(word, value, isDistinctive(rule.type) || areDistinctiveWords(column, rule));
}

/**
 * Whether the values are several whole words of the field, such as `Particulier` and `Société`. Single letters or a
 * single word prove nothing.
 */
function areDistinctiveWords({ values }: Column, { field }: FieldRule): boolean {
  return hasMeanings(field) && values.filter(({ text }) => hasLetters(text, 3)).length >= 2;
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
  // A field without a column may have the same value in all rows. An account or a name never has.
  const lost = missing.reduce(
    (sum, group) => sum + (group.some((field) => constantFields.has(field)) ? 0.1 : 1),
    0,
  );
  // Several payee types need a column or an institution that distinguishes them.
  const isUnclear =
    definitions.length > 1 &&
    !uses.some(({ fields }) => fields.includes('payee_type') || fields.includes('institution_name'));
  return gained - lost - (isUnclear ? 1 : 0) - (definitions.length > 1 ? 0.05 : 0);
}

/** Fields that may have one value for all rows of a file. */
export const constantFields: ReadonlySet<string> = new Set([
  ...['payee_type', 'currency', 'country', 'institution_country', 'account_owner_type', 'account_type'],
  ...['type', 'blockchain_network', 'label', 'destination_label', 'methods', 'source_type'],
  ...['destination_type', 'institution_name', 'institution_id'],
]);
