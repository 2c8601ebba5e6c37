import type { ScratchSql } from '../../../src/ledger/connection/open.ts';
import { comparableWithBatch } from '../../../src/reconcile/comparing/comparable.ts';
import { compareSides, type ExplainedLine } from '../../../src/reconcile/comparing/compare.ts';
import { readColumns } from '../../../src/reconcile/export/columns.ts';
import { parseExportMapping } from '../../../src/reconcile/export/mapping.ts';
import { readExportRecords, type SideNotes } from '../../../src/reconcile/export/records.ts';
import { ownMatchRecords } from '../../../src/reconcile/export/values.ts';
import type { SideTotals } from '../../../src/reconcile/matching/records.ts';
import { columnsOf, ledgerRows, mappingOf, renderFiles, type Variation } from './rendering.ts';
import type { HereRecord, Plan, ThereRecord } from './world.ts';

/** The parts of the program that the model judges; a copy with a planted bug has the same. */
export interface Engine {
  readonly comparableWithBatch: typeof comparableWithBatch;
  readonly compareSides: typeof compareSides;
  readonly readColumns: typeof readColumns;
  readonly parseExportMapping: typeof parseExportMapping;
  readonly readExportRecords: typeof readExportRecords;
  readonly ownMatchRecords: typeof ownMatchRecords;
}

export const engine: Engine = {
  comparableWithBatch,
  compareSides,
  readColumns,
  parseExportMapping,
  readExportRecords,
  ownMatchRecords,
};

/** One line of the result, in the model's own records. */
export interface JudgedLine {
  readonly state: string;
  readonly here: HereRecord | null;
  readonly there: ThereRecord | null;
  readonly line: ExplainedLine;
}

/** What a comparison came to. */
export interface Found {
  readonly lines: readonly JudgedLine[];
  readonly totals: { readonly here: SideTotals; readonly there: SideTotals };
  readonly states: readonly { readonly side: string; readonly state: string; readonly records: number }[];
  readonly foundIds: ReadonlyMap<number, string>;
}

async function* inGroups<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += 5) yield items.slice(at, at + 5);
}

/** Compares both sides of a world as the program does for a batch with `--against`. */
export async function compareWorld(
  engine: Engine,
  sql: ScratchSql,
  plan: Plan,
  here: readonly HereRecord[],
  variation: Variation,
): Promise<Found> {
  const { kind } = plan;
  const columns = columnsOf(plan, variation.files.flat());
  const mapping = engine.parseExportMapping(JSON.stringify(mappingOf(plan, columns)), 'm.json');
  const tables = renderFiles(plan, columns, variation).map(({ header, rows }, at) => ({
    name: `file ${at}`,
    header,
    columns: engine.readColumns(header, mapping, kind),
    mapping,
    rows: () => inGroups(rows),
  }));
  const wanted = mapping.compare ?? null;
  const comparable = engine.comparableWithBatch(kind, tables, { hasAmounts: true, wanted });
  const notes: SideNotes = { remarks: [], unread: [] };
  const lines: JudgedLine[] = [];
  const { proof, foundIds } = await engine.compareSides(
    sql,
    {
      here: engine.ownMatchRecords(inGroups(ledgerRows(here)), kind, mapping, comparable.fields),
      there: engine.readExportRecords(tables, kind, comparable.fields, notes),
      hasUnreadAmounts: (side) => side === 'there' && notes.unread.some(({ hasAmounts }) => hasAmounts),
      fields: comparable.fields,
      rules: {
        tolerance: { absolute: plan.tolerance, percent: '0', days: 0 },
        coversFrom: plan.covers?.from ?? null,
        coversTo: plan.covers?.to ?? null,
        graceInDays: plan.covers?.grace ?? 0,
        compares: comparable.compares,
        amountsLeftOut: comparable.amountsLeftOut,
      },
    },
    async (found) => {
      for (const line of found) lines.push(judgedLine(line, here, variation));
    },
  );
  return { lines, totals: { here: proof.here, there: proof.there }, states: proof.states, foundIds };
}

function judgedLine(
  line: ExplainedLine,
  here: readonly HereRecord[],
  { files, copies }: Variation,
): JudgedLine {
  const own = line.here === null ? null : (here[line.here.row - 2] ?? null);
  const theirs =
    line.there === null ? null : ([...files, copies][line.there.file]?.[line.there.row - 2] ?? null);
  return { state: line.state, here: own, there: theirs, line };
}
