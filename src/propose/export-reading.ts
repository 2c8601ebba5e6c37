import type { Kind } from '../domain/batches/batch.ts';
import type { Use } from './assignment.ts';
import { type Decisions, decidedColumns, decidedText, type FieldOption } from './decisions.ts';
import { type Column, columnOf } from './evidence.ts';
import { exportVocabulary, placeExportColumns } from './export-columns.ts';
import { choicesOf, exportPointsOf } from './export-points.ts';
import { type ExportWriting, exportWritingOf, type ProposedExportMapping } from './export-writing.ts';
import type { Grid } from './grid.ts';
import { type OwnFacts, ownEvidenceOf } from './own-rows.ts';
import type { Point } from './point.ts';
import type { Sheet } from './sheet.ts';

/** How an export of the other side may be read, and what a person may be asked about that. */

/** What a reading of an export is proposed from. */
export interface ExportProposing {
  /** The header, and the records below it. */
  readonly grid: Grid;
  /** What the batch holds; null where two files are compared without a ledger, or the batch is not known. */
  readonly kind: Kind | null;
  /** Our own rows; null where the batch is not known. */
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
  /** What is read without anybody's word: no column and no way of writing is in it that is a guess. */
  readonly certain: ProposedExportMapping;
}

/** Proposes how an export is read; with our own rows, what agrees with them is sure. */
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

/** The sheet of an export, every line of which is a record: what leaves the account has few cells too. */
async function sheetOfExport(grid: Grid): Promise<Sheet> {
  const [header, ...rows] = grid.rows;
  const number = header?.number ?? 0;
  const titles = await grid.titles([number]);
  return {
    grid,
    header: [number],
    titles,
    rows,
    columns: titles.flatMap((title, index) => (title === '' ? [] : [columnOf(index, title, rows)])),
    ...{ otherLines: 0, hiddenRows: 0, weight: 1 },
    countryOf: () => undefined,
  };
}

/**
 * Columns whose values can be read in one way only, without a question. What has a title of ours is read as its mapping
 * says, and refused where it cannot be.
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
    ...(constants === undefined || !hasAmount ? {} : { constants }),
    ...others,
    // Somebody has said that amounts do not matter: then everything else is compared.
    ...(compare.length === 0 ? {} : { compare }),
  };
}

/** What is compared of what is read; keys that only find records are not. */
function comparedOf(read: readonly string[]): string[] {
  const unnamed = new Set(['group', 'entry', 'account', 'counterparty', 'text', 'credit', 'debit']);
  return [...new Set(read)].filter((field) => !unnamed.has(field));
}
