/**
 * Proposes how to read a file without a mapping: the reading with which most rows pass. The proposal is computed each
 * time from the grid and a person's decisions, so that an answer can be undone.
 */

import type { Kind } from '../../domain/batches/batch.ts';
import { eachInTurn } from '../../domain/machine/map-in-turns.ts';
import { hasLetters } from '../../domain/text/characters.ts';
import { countryOfCurrency, isCurrencyOf } from '../../kinds/fields/currency.ts';
import { columnsOf, kindForName, kinds, ruleOf } from '../../kinds/registry.ts';
import type { MappingFile } from '../../read/mapping/mapping-schema.ts';
import { amountsInUnits } from '../columns/amount-units.ts';
import { type Assignment, assignments } from '../columns/assignment.ts';
import { currenciesCountry, currencyFound } from '../columns/currencies.ts';
import { type CustomerZeros, customerZerosIn } from '../columns/customer-zeros.ts';
import { divisionsOf } from '../columns/divided-cells.ts';
import { type KnownShares, nothingKnown } from '../columns/evidence.ts';
import { valuesOfGroups } from '../columns/group-values.ts';
import {
  countryOfInstitutions,
  createInstitutionMatcher,
  institutionShare,
} from '../columns/institution-names.ts';
import {
  cellsOfOtherTypes,
  followsInstitutions,
  payeeTypeMeant,
  payeeTypeOf,
  suits,
} from '../columns/payee-types.ts';
import { type Places, placesOf } from '../columns/places.ts';
import { type ValueTable, valueTables } from '../columns/value-tables.ts';
import { type Writing, writingOf } from '../columns/writing.ts';
import { type Decisions, decidedColumns, decidedText, markedField, type Proposing } from '../decisions.ts';
import type { FieldOption } from '../question.ts';
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
  /** The zeros of customers' numbers that the ledger proves; null if it proves none. */
  readonly customerZeros: CustomerZeros | null;
  /** The possible questions, those with the largest effect first. */
  readonly points: readonly Point[];
  /** The mapping after a person agrees to leave out cells that only other payee types use. */
  readonly agreed?: MappingFile;
}

/** The maximum number of assignments that are tried with the validator. */
const triedReadings = 3;
/** An assignment is not tried if its score is lower than the best one by this difference. */
const worthTrying = 2;

/**
 * The readings of the file that are worth trying, the likeliest first. The caller tries them with the validator and
 * proposes the reading with which most rows pass.
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
  const shares = await sharesOf(proposing, decisions, sheet, wanted);
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
  // Several payee types share fewer required columns. This does not count against them. Payee types that lack columns
  // do not displace a kind that lacks none.
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
  const ofRows = [
    ...strange.map((found) => ({ name: 'only_where_used' as const, ...found })),
    ...valuesOfGroups(sheet, assignment).map((found) => ({ name: 'value_above' as const, ...found })),
    ...amountsInUnits(sheet, assignment, places, decisions),
  ];
  const writing = await writingOf(assignment, places, decisions, ofRows);
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

/** The labels of the customers' accounts, for rows that need a label and lack it. */
async function labelsOf({ facts }: Proposing, { missing, uses }: Assignment): Promise<Labels> {
  const customers = uses.find(({ fields }) => fields.includes('customer_external_id'))?.column;
  const isMissing = missing.some((group) => group.includes('destination_label'));
  if (!isMissing || customers === undefined) return new Map();
  return facts.accountLabels(customers.values.slice(0, idsAskedAbout).map(({ text }) => text));
}

/** Adds the label that is proposed if nearly all customers have an account and all these accounts have this label. */
function withLabel(places: Places, labels: Labels): Places {
  const [only, another] = [...labels];
  if (only === undefined || another !== undefined || only[1] < nearlyAll) return places;
  return { ...places, constants: { ...places.constants, destination_label: only[0] } };
}

const nearlyAll = 0.9;

/** The ledger's facts about columns that may hold customers' references. */
async function sharesOf(
  { facts }: Proposing,
  decisions: Decisions,
  sheet: Sheet,
  wanted: readonly Kind[],
): Promise<ReadonlyMap<Column, KnownShares>> {
  const shares = new Map<Column, KnownShares>();
  const decided = decidedText(decisions.get('constant:currency'))?.trim().toUpperCase();
  const currency = decided ?? currencyFound(sheet, undefined);
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
  const parts = sheet.columns.flatMap((column) =>
    divisionsOf(column, 2).flatMap((division) => division.parts),
  );
  await eachInTurn([...sheet.columns, ...parts], async (column) => {
    const ids = column.values
      .slice(0, idsAskedAbout)
      .map(({ text }) => text)
      .filter((text) => text.length <= 64);
    // Repeated values prove nothing, because a few customers may have many rows each.
    const customers = refersToCustomers && ids.length > 0 ? await facts.knownCustomers(ids) : 0;
    shares.set(column, {
      ...nothingKnown,
      customers,
      institutions: institutionShare(column, (text) => hasLetters(text, 2) && matcher.match(text)),
      bankCodes: institutionShare(column, matcher.matchCode),
    });
  });
  return shares;
}
