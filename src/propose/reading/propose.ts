/**
 * Proposes how to read a file without a mapping: the reading with which most rows pass. It is computed anew from the
 * grid and a person's decisions, so that an answer can be undone.
 */

import type { Kind } from '../../domain/batches/batch.ts';
import { type Institution, typeOfInstitution } from '../../domain/institution.ts';
import { eachInTurn } from '../../domain/machine/map-in-turns.ts';
import type { ResourceDefinition } from '../../kinds/definition.ts';
import { countryOfCurrency, isCurrencyOf } from '../../kinds/fields/amount.ts';
import { columnsOf, kindForName, kinds, ruleOf } from '../../kinds/registry.ts';
import { meaningOf } from '../../kinds/words-of-files.ts';
import type { MappingFile } from '../../read/mapping/mapping-file.ts';
import { type Assignment, assignments } from '../columns/assignment.ts';
import { type KnownShares, nothingKnown } from '../columns/evidence.ts';
import {
  countryOfInstitutions,
  createInstitutionMatcher,
  institutionShare,
} from '../columns/names-and-codes.ts';
import { currenciesCountry, currencyFound, type Places, placesOf } from '../columns/places.ts';
import { type CustomerZeros, customerZerosIn } from '../columns/repaired-values.ts';
import { type ValueTable, valueTables } from '../columns/value-tables.ts';
import { type Writing, writingOf } from '../columns/writing.ts';
import {
  type Decisions,
  decidedColumns,
  decidedText,
  decidedValues,
  markedField,
  type PayeeType,
  type Proposing,
} from '../decisions.ts';
import type { FieldOption, RepairSample } from '../question.ts';
import type { Point, ReadingParts } from '../questions/point.ts';
import { pointsOf } from '../questions/points.ts';
import type { Column } from '../sheet/column.ts';
import { legendsIn } from '../sheet/explanations.ts';
import { type Sheet, sheetOf } from '../sheet/sheet.ts';
import { withoutFillers, withoutMarks, withRefusedAnswers, withRowsLeftOut } from './refused-answers.ts';
import { mappingOf, withKeptParts } from './written-mapping.ts';

/** A way to read the whole file. */
export interface Reading {
  readonly sheet: Sheet;
  readonly assignment: Assignment;
  readonly uses: Assignment['uses'];
  readonly about: Kind;
  readonly fields: readonly FieldOption[];
  readonly repairs: NonNullable<MappingFile['repair']>;
  readonly places: Places;
  readonly writing: Writing;
  readonly tables: readonly ValueTable[];
  readonly mapping: MappingFile;
  /** The zeros of customers' numbers that the ledger proves; null for none. */
  readonly customerZeros: CustomerZeros | null;
  /** The possible questions, those with the largest effect first. */
  readonly points: readonly Point[];
  /** The mapping after a person agrees to leave out cells that only other payee types use. */
  readonly agreed?: MappingFile;
}

/** The most assignments that are tried with the validator. */
const triedReadings = 3;
/** An assignment whose score is lower by this much is not tried. */
const worthTrying = 2;

/**
 * The readings of the file that are worth trying, the likeliest first. The caller tries them with the validator and
 * proposes the one with which most rows pass.
 */
export async function proposeReadings(
  proposing: Proposing,
  decisions: Decisions,
): Promise<readonly Reading[]> {
  const sheet = await sheetOf(proposing, decisions);
  const { stated } = proposing;
  const decidedKind = decidedText(decisions.get('reading:kind'));
  const named = kindForName(decidedKind ?? sheet.grid.sheet ?? '');
  const wanted: readonly Kind[] =
    stated.kind !== undefined
      ? [stated.kind]
      : decidedKind !== undefined && named !== undefined
        ? [named]
        : kinds;
  const shares = await sharesOf(proposing, sheet, wanted);
  const payeeType = decidedText(decisions.get('reading:payee_type'));
  const all = await assignments(wanted, {
    columns: sheet.columns,
    known: shares,
    decided: decidedColumns(decisions),
    ...(payeeType === undefined || payeeType.startsWith('column:')
      ? { payeeTypeOf: (column, value) => payeeTypeMeant(decisions, column, value) }
      : {}),
  });
  const suiting = payeeType === undefined ? all : all.filter((one) => suits(one, payeeType));
  const [best] = suiting.length > 0 ? suiting : all;
  if (best === undefined) return [];
  const possible = (suiting.length > 0 ? suiting : all).filter(
    ({ score }) => score > best.score - worthTrying,
  );
  // Several payee types share fewer required columns, which does not count against them. Payee types that lack columns do not
  // crowd out a kind that lacks none.
  const isTried = (one: Assignment, at: number): boolean =>
    at < triedReadings || followsInstitutions(one) || one.missing.length === 0;
  const tried = possible.filter(isTried);
  const ofKinds = kinds.flatMap((kind) => all.find((one) => one.kind === kind) ?? []);
  return eachInTurn(tried, (assignment) =>
    readingOf(proposing, decisions, sheet, assignment, { others: tried, ofKinds }),
  );
}

async function readingOf(
  proposing: Proposing,
  decisions: Decisions,
  sheet: Sheet,
  assignment: Assignment,
  choices: Pick<ReadingParts, 'others' | 'ofKinds'>,
): Promise<Reading> {
  const labels = await labelsOf(proposing, assignment);
  const places = withLabel(placesOf(sheet, assignment, decisions), labels);
  const institutions = places.country === null ? [] : await proposing.facts.institutions(places.country);
  const matcher = createInstitutionMatcher(places.country ?? '', institutions);
  const legends = legendsIn(proposing.grids, sheet.grid);
  const tables = valueTables(sheet, assignment, places, { institutions, matcher }, decisions, legends);
  const payeeType = payeeTypeOf(assignment, tables, institutions, decisions);
  const strange = cellsOfOtherTypes(assignment, tables, institutions);
  const writing = await writingOf(assignment, places, decisions, strange);
  const parts = { sheet, assignment, places, writing, tables, payeeType };
  const read = withRowsLeftOut(mappingOf(proposing, decisions, parts), tables);
  const proposed = withoutFillers(read, tables);
  const found = withoutMarks(proposed, assignment.uses);
  const answered = withRefusedAnswers(found, assignment.uses, decisions);
  const mapping = withKeptParts(answered, proposing.earlier, decisions);
  const points = pointsOf({
    proposing,
    decisions,
    sheet,
    assignment,
    places,
    writing,
    tables,
    payeeType,
    institutions,
    labels,
    ...choices,
  });
  const customerZeros = await customerZerosIn(proposing.facts, assignment.uses, sheet.grid);
  const isOpen = writing.offers.some(({ name }) => name === 'only_where_used');
  const { kind, uses } = assignment;
  return {
    sheet,
    assignment,
    uses,
    about: kind,
    fields: [
      ...columnsOf(kind).map((id) => ({ id, label: ruleOf(kind, id)?.description ?? id })),
      { id: markedField, label: 'Each value is asked about: send its rows, leave them out, or hold them' },
    ],
    places,
    writing,
    tables,
    mapping,
    repairs: mapping.repair ?? {},
    customerZeros,
    points,
    ...(isOpen ? { agreed: withOffered(mapping, writing) } : {}),
  };
}

/** The mapping after a person agrees to leave out cells of other payee types. */
function withOffered(mapping: MappingFile, { offers }: Writing): MappingFile {
  const repair = { ...mapping.repair };
  for (const { name, column } of offers)
    if (name === 'only_where_used')
      repair[column.title] = [...new Set([...(repair[column.title] ?? []), name])];
  return { ...mapping, repair };
}

const idsAskedAbout = 300;

type Labels = ReadonlyMap<string, number>;

/** The labels of the customers' accounts, for rows that need one but lack it. */
async function labelsOf({ facts }: Proposing, { missing, uses }: Assignment): Promise<Labels> {
  const customers = uses.find(({ fields }) => fields.includes('customer_external_id'))?.column;
  const isMissing = missing.some((group) => group.includes('destination_label'));
  if (!isMissing || customers === undefined) return new Map();
  return facts.accountLabels(customers.values.slice(0, idsAskedAbout).map(({ text }) => text));
}

/** If nearly all customers have an account, and all these accounts have one label, that label is proposed. */
function withLabel(places: Places, labels: Labels): Places {
  const [only, another] = [...labels];
  if (only === undefined || another !== undefined || only[1] < nearlyAll) return places;
  return { ...places, constants: { ...places.constants, destination_label: only[0] } };
}

const nearlyAll = 0.9;

/** The ledger's facts about columns that may hold customers' references. */
async function sharesOf(
  { facts }: Proposing,
  sheet: Sheet,
  wanted: readonly Kind[],
): Promise<ReadonlyMap<Column, KnownShares>> {
  const shares = new Map<Column, KnownShares>();
  const currency = currencyFound(sheet, undefined);
  const ofCurrency = currency === null ? currenciesCountry(sheet) : countryOfCurrency(currency);
  const named = new Set(
    ofCurrency !== undefined
      ? []
      : sheet.columns.flatMap(
          (column) =>
            countryOfInstitutions(column, (code) => currency === null || isCurrencyOf(currency, code)) ?? [],
        ),
  );
  const [only] = named;
  const country = ofCurrency ?? (named.size === 1 ? only : undefined);
  const institutions =
    country === undefined || wanted.every((kind) => kind === 'customers')
      ? []
      : await facts.institutions(country);
  const matcher = createInstitutionMatcher(country ?? '', institutions);
  const refersToCustomers = wanted.some((kind) => kind !== 'customers');
  await eachInTurn(sheet.columns, async (column) => {
    const ids = column.values
      .slice(0, idsAskedAbout)
      .map(({ text }) => text)
      .filter((text) => text.length <= 64);
    // A few customers may have many rows each, so repeated values prove nothing.
    const customers = refersToCustomers && ids.length > 0 ? await facts.knownCustomers(ids) : 0;
    shares.set(column, {
      ...nothingKnown,
      customers,
      institutions: institutionShare(column, (text) => /\p{L}{2}/u.test(text) && matcher.match(text)),
      bankCodes: institutionShare(column, matcher.matchCode),
    });
  });
  return shares;
}

function followsInstitutions({ definitions, uses }: Assignment): boolean {
  return (
    definitions.length > 1 &&
    definitions.every(({ institution }) => institution !== null) &&
    uses.some(({ fields }) => fields.includes('institution_name'))
  );
}

/** The payee type that a column's value means: by a person's decision, or by its own word. */
function payeeTypeMeant(decisions: Decisions, { title }: Column, value: string): string | undefined {
  const said = decidedValues(decisions, title).get(value);
  return said === undefined ? meaningOf('payee_type', value) : (said ?? undefined);
}

function suits({ definitions, uses }: Assignment, payeeType: string): boolean {
  if (payeeType.startsWith('column:')) return uses.some(({ fields }) => fields.includes('payee_type'));
  if (payeeType === 'institution_name')
    return definitions.length > 1 && definitions.every(({ institution }) => institution !== null);
  return definitions.length === 1 && definitions[0]?.payeeType === payeeType;
}

function payeeTypeOf(
  { definitions, uses }: Assignment,
  tables: readonly ValueTable[],
  institutions: readonly Institution[],
  decisions: Decisions,
): PayeeType {
  if (definitions.every(({ payeeType }) => payeeType === null)) return null;
  const decided = decidedText(decisions.get('reading:payee_type'));
  if (decided === 'institution_name') return { from: 'institution_name' };
  if (uses.some(({ fields }) => fields.includes('payee_type'))) return 'column';
  const [only] = definitions;
  if (definitions.length === 1 && only?.payeeType != null) return only.payeeType;
  return kindsOfInstitutions(tables, institutions, definitions) ?? { from: 'institution_name' };
}

/** The payee type, where all institutions of the file are of one sort. */
function kindsOfInstitutions(
  tables: readonly ValueTable[],
  institutions: readonly Institution[],
  definitions: readonly ResourceDefinition[],
): string | undefined {
  const table = tables.find(({ field }) => field === 'institution_name');
  if (table === undefined) return undefined;
  const named = table.lines.flatMap(({ meaning }) => institutions.filter(({ name }) => name === meaning));
  const isBank = new Set(named.map(({ accountNumberType }) => accountNumberType === 'bank_account_number'));
  if (isBank.size !== 1) return undefined;
  const wanted = isBank.has(true) ? 'bank' : 'mobile_money';
  return definitions.find(({ institution }) => institution?.suits({}) === wanted)?.payeeType ?? undefined;
}

/*
 * Cells of rows whose payee type has no such field, such as the phone number of a row paid to a bank account. The
 * list's author fills in both, and states elsewhere in the row how it is paid.
 */

/** The columns that some payee types of the file do not use, and their cells that are filled nevertheless. */
function cellsOfOtherTypes(
  assignment: Assignment,
  tables: readonly ValueTable[],
  institutions: readonly Institution[],
): readonly { readonly column: Column; readonly cells: readonly RepairSample[] }[] {
  if (assignment.definitions.length < 2) return [];
  const definitionOf = rowDefinitions(assignment, tables, institutions);
  if (definitionOf === undefined) return [];
  return assignment.uses.flatMap(({ column, fields }) => {
    const [field, another] = fields;
    if (field === undefined || another !== undefined) return [];
    const isUnused = (definition: ResourceDefinition): boolean =>
      hasNoUse(definition, field, (other) => assignment.uses.some((use) => use.fields.includes(other)));
    if (!assignment.definitions.some((definition) => hasUse(definition, field))) return [];
    const cells = column.cells.flatMap(({ row, text }): RepairSample[] => {
      const definition = definitionOf(row);
      return definition !== undefined && isUnused(definition) ? [{ row, before: text, after: '' }] : [];
    });
    // A column that no row may fill in does not belong to this field.
    return cells.length === 0 || cells.length === column.cells.length ? [] : [{ column, cells }];
  });
}

function hasUse({ rules }: ResourceDefinition, field: string): boolean {
  return rules.some((rule) => rule.field === field && rule.presence === 'required');
}

/** Whether a payee type refuses a field, or takes it only instead of another one that the file has. */
function hasNoUse(
  { rules }: ResourceDefinition,
  field: string,
  isThere: (field: string) => boolean,
): boolean {
  const presence = rules.find((rule) => rule.field === field)?.presence ?? 'unused';
  if (presence === 'unused') return true;
  return presence === 'checked' && rules.some((rule) => rule.orElse === field && isThere(rule.field));
}

/** The payee type of a row, by its own column or by the institution that it names. */
function rowDefinitions(
  { uses, definitions }: Assignment,
  tables: readonly ValueTable[],
  institutions: readonly Institution[],
): ((row: number) => ResourceDefinition | undefined) | undefined {
  const telling = ['payee_type', 'institution_name']
    .map((field) => ({ field, column: uses.find((use) => use.fields.includes(field))?.column }))
    .find(({ column }) => column !== undefined);
  const table = tables.find(({ field }) => field === telling?.field);
  if (telling?.column === undefined || table === undefined) return undefined;
  const byMeaning = (meaning: string): ResourceDefinition | undefined => {
    if (telling.field === 'payee_type') return definitions.find(({ payeeType }) => payeeType === meaning);
    const named = institutions.find(({ name }) => name === meaning);
    if (named === undefined) return undefined;
    const type = typeOfInstitution(named);
    return definitions.find(({ institution }) => institution?.suits({}) === type);
  };
  const byText = new Map(
    table.lines.flatMap(({ value, meaning }) => {
      const definition = meaning === null ? undefined : byMeaning(meaning);
      return definition === undefined ? [] : [[value, definition] as const];
    }),
  );
  const byRow = new Map(telling.column.cells.map(({ row, text }) => [row, byText.get(text)]));
  return (row) => byRow.get(row);
}
