import { leaveOutRows } from '../../domain/tables/row-marks.ts';
import { unitRepairs } from '../../kinds/fields/amount-units.ts';
import { checkIban } from '../../kinds/fields/bank-numbers.ts';
import { isDittoSign } from '../../kinds/fields/cell-repairs.ts';
import { passedValue } from '../../kinds/fields/value-text.ts';
import { columnsOf, definitionsOf, ruleOf } from '../../kinds/registry.ts';
import { constantFields } from '../columns/assignment.ts';
import { type Use, unsure } from '../columns/column-use.ts';
import { dividedCells } from '../columns/divided-cells.ts';
import { isRunning, mayBeField } from '../columns/evidence.ts';
import { type ValueTable, wordsToChoose } from '../columns/value-tables.ts';
import { fileQuestions } from './file-questions.ts';
import { markedPoints } from './marked-rows.ts';
import { aboutColumn, formQuestions, type Point, type ReadingParts, reading } from './point.ts';
import { otherPossibleAmounts } from './rivals.ts';

/** The possible questions about a reading: every open point, with its proposal and its options. */

const samplesShown = 4;

/** All open points that are not decided yet. */
export function pointsOf(looked: ReadingParts): readonly Point[] {
  const points = [
    ...fileQuestions(looked),
    ...payeeTypeQuestion(looked),
    ...columnQuestions(looked),
    ...markedPoints(looked),
    ...constantQuestions(looked),
    ...formatQuestions(looked),
    ...valueQuestions(looked),
    ...repairQuestions(looked),
  ];
  const { weight } = looked.sheet;
  const isOfWhole = ({ subject }: Point): boolean => subject.kind === 'values';
  return points
    .filter(({ id }) => !looked.decisions.has(id))
    .map((point) => (isOfWhole(point) ? point : { ...point, rows: Math.round(point.rows * weight) }));
}

function payeeTypeQuestion({ assignment, others, sheet, payeeType }: ReadingParts): Point[] {
  if (payeeType === null || payeeType === 'column') return [];
  const rivals = others.filter(
    (other) => other.kind === assignment.kind && other.definitions !== assignment.definitions,
  );
  if (rivals.length === 0) return [];
  const types = definitionsOf(assignment.kind).flatMap(({ payeeType }) => payeeType ?? []);
  const options = [
    ...types.map((id) => ({ id, label: `all rows are ${id}` })),
    { id: 'institution_name', label: 'a bank account or mobile money, by the institution of the row' },
  ];
  const proposal = typeof payeeType === 'string' ? payeeType : 'institution_name';
  return [
    reading('payee_type', {
      about: 'payee_type',
      rows: sheet.rows.length,
      proposal,
      options,
      why: { code: 'several_payee_types' },
    }),
  ];
}

function columnQuestions(looked: ReadingParts): Point[] {
  const { assignment, sheet, decisions } = looked;
  const { uses, kind, missing } = assignment;
  const all = columnsOf(kind);
  // A missing field that may have one value for all rows becomes a question about a constant.
  const wanted = new Set(missing.filter((group) => !group.some((field) => constantFields.has(field))).flat());
  const isReviewed = decisions.has('review:first');
  const isOpen = (use: Use): boolean => {
    if (use.column.cells.length === 0) return false;
    // Columns shown at the review were agreed to there. Two similar columns are easily overlooked, so they are asked
    // about.
    if (use.fields.length > 0) return use.rival !== undefined || (use.score < unsure && !isReviewed);
    return (
      isReviewed &&
      [...wanted].some((field) => mayBeField(use.column, field)) &&
      !isRunning(use.column) &&
      use.column.cells.length * 2 > sheet.rows.length
    );
  };
  return uses.flatMap((use): Point[] => {
    const { column, fields, evidence } = use;
    const amounts = otherPossibleAmounts(use, looked);
    if (evidence === 'decided' || (amounts.length === 0 && !isOpen(use))) return [];
    const likely = fields.length === 0 ? 'ignore' : fields.length === 1 ? (fields[0] ?? 'ignore') : fields;
    return [
      {
        id: `column:${column.title}`,
        ...aboutColumn(column),
        why:
          amounts.length > 0
            ? { code: 'several_amounts', columns: amounts.map(({ title }) => title) }
            : evidence === null
              ? { code: 'column_unused', missing: [...wanted] }
              : { code: 'column_taken', fields, evidence },
        options: [
          ...all
            .filter((id) => mayBeField(column, id) || fields.includes(id))
            .map((id) => ({ id, label: ruleOf(kind, id)?.description ?? id })),
          { id: 'ignore', label: 'leave the column out' },
        ],
        freeText: false,
        isNeeded: fields.length > 0,
        stage: 2,
        // No amount is proposed, because a hasty agreement would pay it.
        subject: { kind: 'column', proposal: amounts.length > 0 ? null : likely, ...dividedCells(column) },
      },
    ];
  });
}

/** Questions about fields that every row needs and that no column has. */
function constantQuestions(looked: ReadingParts): Point[] {
  const { assignment, sheet, places, payeeType, labels } = looked;
  const { missing, kind, uses } = assignment;
  const has = (field: string): boolean => uses.some(({ fields }) => fields.includes(field));
  const groups = missing
    .map((group) => group.filter((field) => constantFields.has(field)))
    .filter((group) => group.length > 0);
  const asked = groups.filter((group) => !group.includes('payee_type') || payeeType === null);
  const fields = asked
    .map((group) => group.at(-1) ?? '')
    .filter(
      (field) =>
        field !== '' &&
        field !== 'payee_type' &&
        // A person always sees the account that is paid into, even if it is certain.
        (places.constants[field] === undefined || field === 'destination_label'),
    );
  // An address needs its country as soon as the file has any part of the address.
  const ofAddress = assignment.definitions
    .flatMap(({ rules }) => rules)
    .filter(({ field, requiredWith }) => requiredWith?.some(has) && !has(field))
    .map(({ field }) => field)
    .filter((field) => places.constants[field] === undefined && !fields.includes(field));
  const needsCountry =
    columnsOf(kind).includes('institution_country') &&
    has('institution_name') &&
    places.country === null &&
    !has('institution_country');
  return [...fields, ...ofAddress, ...(needsCountry ? ['institution_country'] : [])].map((field): Point => {
    const rule = ruleOf(kind, field);
    const options =
      field === 'destination_label'
        ? [...labels].map(([id, share]) => ({
            id,
            label: `${id}: ${customersWith(share)} such an account`,
          }))
        : wordsToChoose(field, rule?.seen ?? []);
    return {
      id: `constant:${field}`,
      about: field,
      rows: sheet.rows.length,
      samples: [],
      why: {
        code: 'field_missing',
        field,
        description: rule?.description ?? '',
        neededBy: ofAddress.includes(field) ? 'rows_with_address' : 'every_row',
      },
      options,
      freeText: true,
      isNeeded: true,
      stage: 2,
      subject: { kind: 'constant', proposal: places.constants[field] ?? likelyValue(field, looked) },
    };
  });
}

/** `98 % of the file's customers have`. It says `all` only if no customer lacks it. */
function customersWith(share: number): string {
  if (share >= 1) return "all of the file's customers have";
  return `${Math.min(99, Math.round(share * 100)) || 'less than 1'} % of the file's customers have`;
}

/**
 * A likely value for a field. If all IBANs are of one country, the address probably is too, but a person has to confirm
 * it.
 */
function likelyValue(field: string, { sheet: { columns }, places }: ReadingParts): string | null {
  if (field !== 'country') return null;
  const countries = new Set(
    columns.flatMap(({ values }) =>
      values.flatMap(({ text }) => passedValue(checkIban(text))?.slice(0, 2) ?? []),
    ),
  );
  const [first = null] = countries;
  return countries.size === 1 ? first : places.country;
}

function formatQuestions({ writing, sheet, places, assignment }: ReadingParts): Point[] {
  const points = formQuestions(writing);
  const split = assignment.uses.find(({ fields }) => fields.length > 1 && fields.includes('first_name'));
  if (split !== undefined) {
    points.push(
      reading('name_order', {
        ...aboutColumn(split.column),
        proposal: writing.nameOrder,
        options: [
          { id: 'first_last', label: 'first name first: Amina Otieno' },
          { id: 'last_first', label: 'last name first: Otieno Amina' },
        ],
        why: { code: 'whole_name' },
        isNeeded: true,
        stage: 3,
      }),
    );
  }
  if (places.phoneCountry === null && places.phoneCountries.length > 0) {
    points.push(
      reading('phone_country', {
        about: 'phone_country',
        rows: sheet.rows.length,
        proposal: null,
        options: places.phoneCountries.slice(0, 12).map((id) => ({ id, label: `numbers of ${id}` })),
        why: { code: 'phone_country_unclear' },
        freeText: true,
        isNeeded: true,
        stage: 2,
      }),
    );
  }
  return points;
}

/* The questions about values: their meaning and their repairs. */

/** The answer that leaves the rows of a value out of the file. */
export const leaveOutOption = { id: leaveOutRows, label: 'leave these rows out' };

function valueQuestions({ tables }: ReadingParts): Point[] {
  return tables.filter(({ lines }) => lines.some(({ isSure }) => !isSure)).map(valuePoint);
}

/** The question about the values of a column. Its rows are those whose values have no decision. */
export function valuePoint({ column, field, lines, choices, fillers }: ValueTable): Point {
  const unsure = lines.filter(({ isSure }) => !isSure);
  const open = unsure.length > 0 ? unsure : lines;
  return {
    id: `values:${column.title}`,
    about: column.title,
    rows: open.reduce((sum, { rows }) => sum + rows, 0),
    samples: open.slice(0, samplesShown).map(({ value }) => value),
    why: { code: fillers === undefined ? 'values_to_translate' : 'words_may_be_nothing', field },
    options: [],
    freeText: true,
    isNeeded: true,
    stage: 3,
    subject: {
      kind: 'values',
      field,
      proposal: null,
      values: lines.map(({ value, rows, meaning }) => ({
        value,
        rows,
        proposal: meaning,
        options: [...choices(value), leaveOutOption],
      })),
    },
  };
}

/** Questions about repairs. Harmless repairs were shown at the review and accepted there. */
function repairQuestions({ writing, decisions }: ReadingParts): Point[] {
  const isReviewed = decisions.has('review:first');
  return writing.offers
    .filter(({ isHarmless }) => !isHarmless || !isReviewed)
    .map(
      ({ name, column, cells, samples, isHarmless }): Point => ({
        id: `repair:${column.title}:${name}`,
        about: column.title,
        rows: cells,
        samples,
        why: { code: 'repair', repair: name },
        options: [
          { id: 'yes', label: 'repair the column like this' },
          { id: 'no', label: 'leave the cells as they are' },
        ],
        freeText: false,
        // Nothing else in a row shows that an amount is in another unit, or that a text is not its value.
        isNeeded:
          unitRepairs.some((unit) => unit === name) ||
          (name === 'ditto' && column.cells.some(({ text }) => isDittoSign(text))),
        stage: 4,
        subject: { kind: 'repair', repair: name, proposal: isHarmless ? 'yes' : null },
      }),
    );
}
