import type { Kind } from '../../domain/batches/batch.ts';
import { filled } from '../../domain/tables/mapping.ts';
import { exportRoles, roleDescription } from '../../kinds/export-roles.ts';
import { titlesApart } from '../../read/mapping/titles.ts';
import { columnOfField, type Use, unsure } from '../columns/column-use.ts';
import { mayBeAmount } from '../columns/evidence.ts';
import { type Decisions, decidedColumns, decidedText } from '../decisions.ts';
import type { FieldOption, QuestionReason } from '../question.ts';
import { aboutColumn, formQuestions, type Point } from '../questions/point.ts';
import { type Column, columnOf } from '../sheet/column.ts';
import type { Grid } from '../sheet/grid.ts';
import type { Sheet } from '../sheet/sheet.ts';
import { type ExportPlacement, exportVocabulary, placeExportColumns } from './export-columns.ts';
import {
  amountsOf,
  type ExportWriting,
  exportWritingOf,
  type ProposedExportMapping,
} from './export-writing.ts';
import { type OwnFacts, ownEvidenceOf } from './own-rows.ts';

/** The possible readings of the other side's export, and the questions about them for a person. */

/** All roles, and all fields of rows of this kind. */
function choicesOf(kind: Kind | null): readonly FieldOption[] {
  const { fields } = exportVocabulary(kind);
  const known = new Map(fields.map(({ field, description }) => [field, description]));
  const roles = exportRoles.map((role) => ({ id: role, label: roleDescription(role) }));
  const others = [...known].filter(([field]) => !roles.some(({ id }) => id === field));
  return [...roles, ...others.map(([id, label]) => ({ id, label }))];
}

/** The questions that are open about a reading. */
function exportPointsOf(
  sheet: Sheet,
  { uses, sure }: ExportPlacement,
  writing: ExportWriting,
  decisions: Decisions,
  kind: Kind | null,
): readonly Point[] {
  const points = [
    ...columnPoints(uses, sure, decisions, kind),
    ...amountsPoint(sheet, uses, decisions),
    ...currencyPoint(sheet, writing),
    ...formQuestions({ ...writing, amounts: amountsOf(uses), days: columnOfField(uses, 'date') }),
  ];
  return points.filter(({ id }) => !decisions.has(id));
}

function columnPoints(
  uses: readonly Use[],
  sure: ReadonlySet<Column>,
  decisions: Decisions,
  kind: Kind | null,
): Point[] {
  const isReviewed = decisions.has('review:first');
  const isAmountOpen = amountsOf(uses) === undefined;
  const options = [...choicesOf(kind), { id: 'ignore', label: 'leave the column out' }];
  return uses.flatMap((use): Point[] => {
    const { column, fields, evidence, rival, score } = use;
    const [field] = fields;
    if (evidence === 'decided' || column.cells.length === 0) return [];
    const isOpen =
      field === undefined
        ? isReviewed && isAmountOpen && mayBeAmount(column)
        : (rival !== undefined && !sure.has(column)) || (score < unsure && !isReviewed);
    if (!isOpen) return [];
    const why: QuestionReason =
      evidence === null || field === undefined
        ? { code: 'column_unused', missing: ['amount'] }
        : { code: 'column_taken', fields, evidence };
    return [
      {
        id: `column:${column.title}`,
        ...aboutColumn(column),
        why,
        options,
        freeText: false,
        isNeeded: true,
        stage: 2,
        subject: { kind: 'column', proposal: field ?? 'ignore' },
      },
    ];
  });
}

/** The question whether amounts matter, if there are amounts but no column is the amount. */
function amountsPoint({ rows }: Sheet, uses: readonly Use[], decisions: Decisions): Point[] {
  const beside = uses.filter(({ fields, column }) => fields.length === 0 && mayBeAmount(column));
  const isReviewed = decisions.has('review:first');
  if (!isReviewed || amountsOf(uses) !== undefined || beside.length === 0) return [];
  const areOpen = beside.some(({ evidence }) => evidence !== 'decided');
  if (areOpen) return [];
  return [
    {
      id: 'reading:amounts',
      about: 'amounts',
      rows: rows.length,
      samples: beside.map(({ column }) => column.title),
      why: { code: 'amounts_unread' },
      options: [
        { id: 'needed', label: 'amounts matter: no record counts as matched without them' },
        { id: 'without', label: 'compare without amounts' },
      ],
      freeText: false,
      isNeeded: true,
      stage: 4,
      subject: { kind: 'reading', proposal: 'needed' },
    },
  ];
}

function currencyPoint({ rows }: Sheet, { isCurrencyMissing }: ExportWriting): Point[] {
  if (!isCurrencyMissing) return [];
  return [
    {
      id: 'constant:currency',
      about: 'currency',
      rows: rows.length,
      samples: [],
      why: {
        code: 'field_missing',
        field: 'currency',
        description: 'the currency of the amounts',
        neededBy: 'every_row',
      },
      options: [],
      freeText: true,
      isNeeded: true,
      stage: 3,
      subject: { kind: 'constant', proposal: null },
    },
  ];
}

/** The input of a proposal for an export's reading. */
export interface ExportProposing {
  /** The header, and the records below it. */
  readonly grid: Grid;
  /** The kind of the batch; null if two files are compared without a ledger, or if the batch is not known. */
  readonly kind: Kind | null;
  /** paybatch's own rows; null if the batch is not known. */
  readonly own: OwnFacts | null;
}

/** A way to read an export. */
export interface ExportReading {
  readonly sheet: Sheet;
  readonly uses: readonly Use[];
  readonly about: string;
  readonly fields: readonly FieldOption[];
  readonly repairs: Readonly<Record<string, never>>;
  readonly mapping: ProposedExportMapping;
  readonly points: readonly Point[];
  readonly tables: readonly [];
  /** The part that is certain without a person's decision: no guessed column or format. */
  readonly certain: ProposedExportMapping;
}

/** Proposes how an export is read. If there are own rows of paybatch, columns that match them are certain. */
export async function proposeExport(
  { grid, kind, own: facts }: ExportProposing,
  decisions: Decisions,
): Promise<ExportReading> {
  const sheet = await sheetOfExport(grid);
  const own = facts === null ? null : await ownEvidenceOf(sheet, facts);
  const placement = placeExportColumns(sheet, kind, own, decidedColumns(decisions));
  const writing = exportWritingOf(sheet, placement.uses, own, decisions);
  const certainUses = placement.uses.filter(({ column }) => placement.sure.has(column));
  const certainWriting = exportWritingOf(sheet, certainUses, own, decisions);
  return {
    sheet,
    uses: placement.uses,
    about: kind ?? 'export',
    fields: choicesOf(kind),
    mapping: mappingOf(placement.uses, writing, decisions),
    points: exportPointsOf(sheet, placement, writing, decisions, kind),
    tables: [],
    repairs: {},
    certain: mappingOf(readableOf(certainUses, certainWriting, kind), certainWriting, decisions),
  };
}

/** The sheet of an export. Every line of it is a record, because debits also fill only few cells. */
async function sheetOfExport(grid: Grid): Promise<Sheet> {
  const [header, ...rows] = grid.rows;
  const number = header?.number ?? 0;
  const titles = titlesApart(await grid.titles([number]));
  return {
    grid,
    header: [number],
    titles,
    rows,
    columns: titles.flatMap((title, index) => (title === '' ? [] : [columnOf(index, title, rows)])),
    ...{ otherLines: 0, hiddenRows: 0, weight: 1 },
  };
}

/**
 * Columns whose values can be read in only one way, so that no question is needed. A column with a title that paybatch
 * itself uses is read by its mapping, or refused.
 */
function readableOf(uses: readonly Use[], writing: ExportWriting, kind: Kind | null): readonly Use[] {
  const { ownField } = exportVocabulary(kind);
  const unclear = new Set<string>([
    ...(writing.isDecimalUnclear || writing.isCurrencyMissing ? ['amount', 'credit', 'debit'] : []),
    ...(writing.dateFormats.length > 0 ? ['date'] : []),
  ]);
  const isReadable = ({ column, fields: [field = ''] }: Use): boolean =>
    !unclear.has(field) && (field !== 'date' || column.cells.every(isDay));
  return uses.filter((use) => ownField(use.column.title) === use.fields[0] || isReadable(use));
}

function isDay({ text, isDate }: Column['cells'][number]): boolean {
  return isDate || /^\d{1,4}[./-]\d{1,2}[./-]\d{2,4}(?:\D|$)/.test(text);
}

function mappingOf(
  uses: readonly Use[],
  { mapping }: ExportWriting,
  decisions: Decisions,
): ProposedExportMapping {
  const columns = Object.fromEntries(
    uses.flatMap(({ column, fields: [field] }) => (field === undefined ? [] : [[column.title, field]])),
  );
  const read = Object.values(columns);
  const hasAmount = ['amount', 'credit', 'debit'].some((field) => read.includes(field));
  const { constants, ...others } = mapping;
  const isWithout = decidedText(decisions.get('reading:amounts')) === 'without' && !hasAmount;
  const compare = isWithout ? comparedOf(read) : [];
  return {
    columns,
    ...filled({ constants: hasAmount ? constants : undefined }),
    ...others,
    // A person has decided that amounts do not matter. So everything else is compared.
    ...filled({ compare }),
  };
}

/** The fields to compare among those that are read. Keys that only find records are left out. */
function comparedOf(read: readonly string[]): string[] {
  const unnamed = new Set(['group', 'entry', 'account', 'counterparty', 'text', 'credit', 'debit']);
  return [...new Set(read)].filter((field) => !unnamed.has(field));
}
