/*
 * Staging of the tables of one call. A batch and a run are begun for each table, and its rows are written. Then all tables
 * are accepted, or none.
 */

import { randomUUID } from 'node:crypto';
import type { ClockPort } from '../call/context.ts';
import type { BatchRecord, Environment, LeasedBatch } from '../domain/batches/batch.ts';
import { FilesRefused, isRefusal, type PaybatchError } from '../domain/failures/paybatch-error.ts';
import { readAhead } from '../domain/machine/map-in-turns.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import { compareKinds } from '../kinds/registry.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { batchIdOf, type InputTable, identityOf, namedInput } from '../read/rows/input-table.ts';
import { type Holding, holdBatch } from './hold.ts';
import { keepLeases, type Leases } from './lease.ts';

/** A table, and the batch and run under which its rows are staged. */
export interface HeldTable {
  readonly own: LeasedBatch;
  readonly inputTable: InputTable;
}

/**
 * The tables of one call while they are staged. All batches are held from the start, in the order in which kinds depend on
 * each other. They stay unstaged until all are accepted; otherwise all are given up. Reading the files may take longer than
 * a lease, so the runs are kept alive until the end.
 */
export class Staging {
  readonly held: HeldTable[] = [];
  readonly refused: RefusedTable[] = [];
  readonly #verbs: LedgerVerbs;
  readonly #leases: Leases;

  constructor(verbs: LedgerVerbs, clock: ClockPort) {
    this.#verbs = verbs;
    this.#leases = keepLeases({ ledger: verbs, clock });
  }

  get batches(): readonly LeasedBatch[] {
    return this.held.map(({ own }) => own);
  }

  /** Holds a batch for each table. A table whose batch a person has closed is refused. */
  async hold(
    inputTables: readonly InputTable[],
    environment: Environment,
    holding: Holding & { readonly importId?: string },
  ): Promise<void> {
    const { importId = randomUUID() } = holding;
    for (const inputTable of inOrder(inputTables, environment)) {
      try {
        const own = await holdTable(this.#verbs, inputTable, environment, { ...holding, importId });
        this.held.push({ own, inputTable });
        this.#leases.keep(own);
      } catch (error) {
        this.refuse(inputTable, error);
      }
    }
  }

  /** Writes the rows of a table under its batch. */
  async stage(
    { own }: HeldTable,
    rows: AsyncIterable<readonly StagedRow[]>,
    onRows: (count: number) => void = () => {},
  ): Promise<void> {
    await stageTable(this.#verbs, own, rows, (count) => {
      this.#leases.requireHeld();
      onRows(count);
    });
  }

  /**
   * Keeps the reason why a table is refused.
   * @throws any other error
   */
  refuse(inputTable: InputTable, error: unknown): void {
    if (!isRefusal(error)) throw error;
    this.refused.push({ inputTable, failure: error });
  }

  /**
   * Checks that no table was refused.
   * @throws TablesRefused
   */
  requireNoneRefused(): void {
    if (this.refused.length > 0) throw new TablesRefused(this.refused);
  }

  /**
   * Checks that all batches are still held.
   * @throws PaybatchError (`lease_lost`) once another run has taken over a batch
   */
  requireHeld(): void {
    this.#leases.requireHeld();
  }

  /**
   * Accepts all tables.
   * @param known the same batches, with the findings about their logs
   */
  accept(known: readonly LeasedBatch[]): Promise<LeasedBatch[]> {
    return Promise.all(
      this.held.map(async ({ own, inputTable: { table } }, at) => {
        const batch = known[at] ?? own;
        if (!batch.isNew) return batch;
        const rowCount = await this.#verbs.finishStaging(batch.batch.id, batch.run.id, table.notes);
        return { ...batch, batch: { ...batch.batch, rowCount, notes: table.notes } };
      }),
    );
  }

  /** Gives up the batches that are new, and ends the runs of the others. */
  async giveUp(): Promise<void> {
    // A batch that another run has taken over must not be given up by this one.
    if (this.#leases.isLost()) return;
    for (const { batch, run, isNew } of this.batches) {
      if (isNew) await this.#verbs.giveUpBatch(batch.id, run.id);
      else await this.#verbs.endRun(run.id, 'file_refused');
    }
  }

  /** Ends the heartbeats. */
  end(): void {
    this.#leases.stop();
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

/** Sorts the tables by kind. The same content in two inputs is one batch, under the name of the first input. */
function inOrder(inputTables: readonly InputTable[], environment: Environment): InputTable[] {
  const byBatch = new Map<string, InputTable>();
  for (const inputTable of inputTables) {
    const id = batchIdOf(inputTable, environment);
    if (!byBatch.has(id)) byBatch.set(id, inputTable);
  }
  return [...byBatch.values()].sort((left, right) => compareKinds(left.mapping.kind, right.mapping.kind));
}

async function holdTable(
  verbs: LedgerVerbs,
  inputTable: InputTable,
  environment: Environment,
  holding: Holding & { readonly importId: string },
): Promise<LeasedBatch> {
  const begun = await verbs.beginBatch(identityOf(inputTable, environment), {
    fileName: namedInput(inputTable).fileName,
    givenName: inputTable.fileName === '-' ? 'standard input' : inputTable.fileName,
    header: inputTable.table.header,
    importId: holding.importId,
    // paybatch itself wrote a failed file that comes back. The way in which a person has saved it says nothing about the
    // partner's files.
    ...(inputTable.hasLineEnd === undefined || inputTable.firstInput !== undefined
      ? {}
      : { hasLineEnd: inputTable.hasLineEnd }),
  });
  const run = await holdBatch(verbs, begun, holding);
  // The state is certain only after the lease is held: until now another run may have completed the staging.
  const batch = (await verbs.findBatch(begun.id)) ?? begun;
  return { batch, run, isNew: batch.rowCount === null };
}

/**
 * Writes a whole table under a batch, which stays unstaged until every file of the import is accepted. While one group is
 * written, the next is queued, and another is checked. When the function ends, with or without failure, no work is left
 * running.
 */
export async function stageTable(
  ledger: Pick<LedgerVerbs, 'emptyUnstaged' | 'stageRows'>,
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
      // A failure is thrown when the write is awaited.
      begun.catch(() => {});
      writing.push(begun);
      if (writing.length > 1) await writing.shift();
    }
    await Promise.all(writing);
  } finally {
    await Promise.allSettled(writing);
  }
}
