/* Begins a batch and a run for each table, and stages the rows. */

import type { BatchRecord, Environment, LeasedBatch } from '../domain/batches/batch.ts';
import { FilesRefused, isRefusal, type PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ClockPort } from '../domain/machine/clock.ts';
import { readAhead } from '../domain/machine/map-in-turns.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import { compareKinds } from '../kinds/registry.ts';
import { batchIdOf, type InputTable, identityOf, namedInput } from '../read/rows/input-table.ts';
import { keepLeases } from './lease.ts';
import { holdBatch } from './run.ts';
import type { LedgerPort } from './send-ports.ts';

export interface StageInputContext {
  readonly ledger: LedgerPort;
  readonly environment: Environment;
  readonly command: string;
  /** Whether a batch may be one that a person has closed: nothing is sent then. False when absent. */
  readonly ofClosed?: boolean;
  readonly importId: string;
  readonly newRunId: () => string;
  /** Who starts the runs: the maker of staged batches. */
  readonly actor: { readonly name: string; readonly door: string };
  readonly clock: ClockPort;
  /**
   * Judges a table's rows.
   * @param importBatches the batches of this call, whose rows may be referred to before they are created
   * @param isAfterRefusal whether a table of this call, whose rows may be referred to, was refused before
   */
  readonly judge: (
    inputTable: InputTable,
    batch: BatchRecord,
    importBatches: readonly string[],
    isAfterRefusal: boolean,
  ) => AsyncIterable<readonly StagedRow[]>;
  readonly onRows: (batch: BatchRecord, count: number) => void;
  /**
   * Checks a table that was read to its end.
   * @throws PaybatchError (`file_refused`) that refuses it
   */
  readonly checkRead?: (inputTable: InputTable) => void;
  /**
   * Called with the staged batches before any of them is accepted; if it fails, none is.
   * @returns the same batches, with what was found out about them
   */
  readonly beforeAccepting?: (held: readonly LeasedBatch[]) => Promise<readonly LeasedBatch[]>;
}

/**
 * Reads, judges and stages every table before anything is sent, in the order in which kinds depend on each other. If one
 * is refused as a whole, nothing of any is kept. A table whose batch exists already is not staged again: the same file is
 * the same batch.
 * @throws TablesRefused that names every refused table
 */
export async function stageInput(
  inputTables: readonly InputTable[],
  context: StageInputContext,
): Promise<LeasedBatch[]> {
  const held: LeasedBatch[] = [];
  const pairs: { own: LeasedBatch; inputTable: InputTable }[] = [];
  const refused: RefusedTable[] = [];
  // Reading the files may outlast a lease.
  const leases = keepLeases(context);
  try {
    for (const inputTable of inOrder(inputTables, context.environment)) {
      const own = await holdOrRefuse(inputTable, context, refused);
      if (own === null) continue;
      held.push(own);
      pairs.push({ own, inputTable });
      leases.keep(own);
    }
    const ids = held.map(({ batch }) => batch.id);
    for (const { own, inputTable } of pairs) {
      try {
        if (own.isNew) {
          const rows = context.judge(inputTable, own.batch, ids, refused.length > 0);
          await stage(rows, own, context, leases.requireHeld);
        }
        context.checkRead?.(inputTable);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused.push({ inputTable, failure: error });
      }
    }
    if (refused.length > 0) throw new TablesRefused(refused);
    const known = (await context.beforeAccepting?.(held)) ?? held;
    return await Promise.all(
      pairs.map(({ own, inputTable }, at) => acceptStaged(known[at] ?? own, inputTable, context.ledger)),
    );
  } catch (error) {
    // A batch that another run has taken over must not be given up by this one.
    if (!leases.isLost()) await giveUp(held, context.ledger);
    throw error;
  } finally {
    leases.stop();
  }
}

/** A table that is refused as a whole, and why. */
interface RefusedTable {
  readonly inputTable: InputTable;
  readonly failure: PaybatchError;
}

/** Tables of one call that are refused after they were read. */
export class TablesRefused extends FilesRefused {
  readonly tables: readonly RefusedTable[];

  constructor(tables: readonly RefusedTable[]) {
    super(tables.map(({ failure }) => failure));
    this.tables = tables;
  }
}

/** By kind. The same content in two inputs is one batch, under the name of the first. */
function inOrder(inputTables: readonly InputTable[], environment: Environment): InputTable[] {
  const byBatch = new Map<string, InputTable>();
  for (const inputTable of inputTables) {
    const id = batchIdOf(inputTable, environment);
    if (!byBatch.has(id)) byBatch.set(id, inputTable);
  }
  return [...byBatch.values()].sort((left, right) => compareKinds(left.mapping.kind, right.mapping.kind));
}

/** @returns null for a refused table: a person has closed its batch */
async function holdOrRefuse(
  inputTable: InputTable,
  context: StageInputContext,
  refused: RefusedTable[],
): Promise<LeasedBatch | null> {
  try {
    return await hold(inputTable, context);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refused.push({ inputTable, failure: error });
    return null;
  }
}

async function hold(inputTable: InputTable, context: StageInputContext): Promise<LeasedBatch> {
  const begun = await context.ledger.beginBatch(identityOf(inputTable, context.environment), {
    fileName: namedInput(inputTable).fileName,
    givenName: inputTable.fileName === '-' ? 'standard input' : inputTable.fileName,
    header: inputTable.table.header,
    importId: context.importId,
    // paybatch itself wrote a failed file that comes back; how a person has saved it says nothing of the partner's files.
    ...(inputTable.hasLineEnd === undefined || inputTable.firstInput !== undefined
      ? {}
      : { hasLineEnd: inputTable.hasLineEnd }),
  });
  const run = await holdBatch(context.ledger, begun, context);
  // Only the holder of the lease knows: until now another run may have completed the staging.
  const batch = (await context.ledger.findBatch(begun.id)) ?? begun;
  return { batch, run, isNew: batch.rowCount === null };
}

function stage(
  groups: AsyncIterable<readonly StagedRow[]>,
  own: LeasedBatch,
  context: StageInputContext,
  requireHeld: () => void,
): Promise<void> {
  return stageTable(context.ledger, own, groups, (count) => {
    requireHeld();
    context.onRows(own.batch, count);
  });
}

async function acceptStaged(
  own: LeasedBatch,
  inputTable: InputTable,
  ledger: LedgerPort,
): Promise<LeasedBatch> {
  if (!own.isNew) return own;
  const { notes } = inputTable.table;
  const rowCount = await ledger.finishStaging(own.batch.id, own.run.id, notes);
  return { ...own, batch: { ...own.batch, rowCount, notes } };
}

async function giveUp(held: readonly LeasedBatch[], ledger: LedgerPort): Promise<void> {
  for (const { batch, run, isNew } of held) {
    if (isNew) await ledger.giveUpBatch(batch.id, run.id);
    else await ledger.endRun(run.id, 'file_refused');
  }
}

/**
 * Writes a whole table under a batch, which stays unstaged until every file of the import is accepted. While one group is
 * written, the next is queued, and another is judged. When the function ends, with or without failure, no work is left
 * running.
 */
export async function stageTable(
  ledger: LedgerPort,
  { batch, run }: { readonly batch: BatchRecord; readonly run: { readonly id: string } },
  groups: AsyncIterable<readonly StagedRow[]>,
  onRows: (count: number) => void,
): Promise<void> {
  await ledger.emptyUnstaged(batch.id, run.id);
  const writing: Promise<void>[] = [];
  const write = async (group: readonly StagedRow[]): Promise<void> => {
    await ledger.stageRows(batch, run.id, group);
    onRows(group.length);
  };
  try {
    for await (const group of readAhead(groups)) {
      const begun = write(group);
      // A failure is thrown when its turn comes.
      begun.catch(() => {});
      writing.push(begun);
      if (writing.length > 1) await writing.shift();
    }
    await Promise.all(writing);
  } finally {
    await Promise.allSettled(writing);
  }
}
