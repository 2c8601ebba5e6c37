/*
 * Checks rows with the values of a draft as an import of their correction would, and finds out what its plan would decide
 * about the rows that pass. Nothing is staged, and no findings are written.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { originLayout, type ResultLayout } from '../../account/files/failed-layout.ts';
import { byteOrderMark, csvText } from '../../account/files/replacement-file.ts';
import type { CallContext } from '../../call/context.ts';
import { judgeInputTable } from '../../check/judging.ts';
import { openCheckAccess } from '../../check/judging-access.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import { eachInTurn } from '../../domain/machine/map-in-turns.ts';
import type { Reason, StagedRow } from '../../domain/rows/ledger-row.ts';
import type { ResultRow } from '../../domain/rows/result-row.ts';
import { type ResultStatus, resultStatus } from '../../domain/rows/row-state.ts';
import type { Message } from '../../domain/settings/message.ts';
import { judgeRival } from '../../kinds/owned-key.ts';
import type { ReferencePort } from '../../kinds/request.ts';
import { temporaryFolder, writeTemporaryFile } from '../../read/file/source.ts';
import { openInputsOfCall } from '../../read/sources/inputs-of-call.ts';
import { candidatesOf, decideRows } from '../../send/prepare.ts';

/** The checker's result for a row with the values of the draft. */
export interface CheckedRow {
  readonly row: number;
  /**
   * `not_sent` where the row passes and the plan of its correction would send it. If it passes and the plan would not send
   * it, the status that the plan would give it.
   */
  readonly status: ResultStatus;
  /**
   * What is wrong with the row, or why it would not be sent. The column is the title in the file; empty for the whole row.
   */
  readonly findings: readonly { readonly column: string; readonly code: string; readonly message: Message }[];
}

/**
 * Checks rows as an import of their correction would, and finds out what its plan would decide about the rows that pass.
 * @param rows with the values of the draft in their cells
 * @throws PaybatchError as a check of their file would
 */
export async function checkRows(
  app: CallContext,
  batch: BatchRecord,
  rows: readonly ResultRow[],
): Promise<ReadonlyMap<number, CheckedRow>> {
  const checked = new Map<number, CheckedRow>();
  if (rows.length === 0) return checked;
  const folder = await temporaryFolder();
  try {
    const path = join(folder, 'draft.csv');
    // Only the columns that a check reads are written: the earlier findings of a row are longer than its cells.
    await writeTemporaryFile(path, await correctionText(originLayout(batch.header, batch.id), rows));
    // A page shows all findings and asks no questions, so there is no limit of invalid rows.
    const controls = { ...app.settings.controls, maxInvalid: undefined };
    const silent = { ...app, report: () => {}, settings: { ...app.settings, controls } };
    const { inputTables, close } = await openInputsOfCall(silent, [path]);
    try {
      const access = await openCheckAccess(silent);
      const originals = new Map(rows.map((row) => [row.row, row]));
      const passing: PassingRow[] = [];
      for (const inputTable of inputTables) {
        const judging = { ...access, onContradiction: () => {} };
        for await (const group of judgeInputTable(silent, judging, inputTable)) {
          for (const row of group) {
            noteCheckedRow(checked, row);
            const original = row.state === 'staged' ? originals.get(row.corrects?.row ?? 0) : undefined;
            if (original !== undefined) passing.push({ staged: row, original });
          }
        }
      }
      for (const [row, { status, reason }] of await foreseenDecisions(access.references, batch, passing)) {
        const { field, code, message } = reason;
        checked.set(row, { row, status, findings: [{ column: field ?? '', code, message }] });
      }
    } finally {
      await close();
    }
    return checked;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function noteCheckedRow(
  checked: Map<number, CheckedRow>,
  { corrects, state, findings, reason }: StagedRow,
): void {
  if (corrects === undefined) return;
  const own =
    findings.length > 0 || reason === null
      ? findings
      : [{ column: reason.field ?? '', code: reason.code, message: reason.message }];
  checked.set(corrects.row, {
    row: corrects.row,
    status: state === 'duplicate' ? 'not_sent' : resultStatus(state),
    findings: own.map(({ column, code, message }) => ({ column, code, message })),
  });
}

/** Number of rows that are written before other work of the process gets its turn. */
const rowsOfATurn = 200;

/** The text of a file of corrections: each row names its batch and number, and has the values of the draft. */
export async function correctionText(layout: ResultLayout, rows: readonly ResultRow[]): Promise<string> {
  const starts = Array.from(
    { length: Math.ceil(rows.length / rowsOfATurn) },
    (_, turn) => turn * rowsOfATurn,
  );
  const texts = await eachInTurn(starts, (start) =>
    csvText(rows.slice(start, start + rowsOfATurn).map(layout.record)),
  );
  return byteOrderMark + csvText([layout.header]) + texts.join('');
}

/*
 * What the plan of a correction would decide about rows that pass the check. It looks at the objects of other rows, which
 * the check of a corrected row does not do.
 */

/** A row that passes the check with the values of the draft. */
interface PassingRow {
  readonly staged: Pick<StagedRow, 'resource' | 'record'>;
  /** The row that is corrected. */
  readonly original: Pick<ResultRow, 'row' | 'status' | 'attempts'>;
}

/** Why a plan would not send a row. */
interface Foreseen {
  readonly status: Extract<ResultStatus, 'held' | 'waiting' | 'existing'>;
  readonly reason: Reason;
}

/** The rows that a plan of their corrections would not send now, by the numbers of the rows that they correct. */
async function foreseenDecisions(
  references: ReferencePort,
  batch: Pick<BatchRecord, 'id' | 'fileName'>,
  rows: readonly PassingRow[],
): Promise<ReadonlyMap<number, Foreseen>> {
  const corrected = new Set(rows.map(({ original }) => original.row));
  const candidates = await candidatesOf(
    { references },
    rows.flatMap(({ staged: { resource, record }, original: { row } }) =>
      resource === null ? [] : [{ row, resource, record, generation: 0 }],
    ),
  );
  const context = {
    batchId: batch.id,
    references: withoutOwn(references, batch.id, corrected),
    isPlanned: true,
  };
  const decisions = await decideRows(context, candidates);
  const foreseen = new Map<number, Foreseen>();
  for (const decision of decisions) {
    if (decision.to !== 'ready') foreseen.set(decision.row, { status: decision.to, reason: decision.reason });
  }
  for (const { original } of rows) {
    if (original.status !== 'held' || original.attempts === 0) continue;
    const rival = {
      ...original,
      state: 'held',
      batch: batch.id,
      fileName: batch.fileName,
      objectId: null,
    } as const;
    foreseen.set(original.row, { status: 'held', reason: judgeRival(rival).reason });
  }
  return foreseen;
}

/**
 * Leaves out keys that the corrected rows own: a row that was never sent gives up its key once its correction is planned.
 */
function withoutOwn(
  references: ReferencePort,
  batchId: string,
  corrected: ReadonlySet<number>,
): ReferencePort {
  return {
    ...references,
    findKeyOwners: async (kind, keys) => {
      const owners = await references.findKeyOwners(kind, keys);
      return new Map(
        [...owners].filter(
          ([, { batch, row, state }]) => !(batch === batchId && state === 'ready' && corrected.has(row)),
        ),
      );
    },
  };
}
