import { batchId } from '../domain/batch.ts';
import type { Environment } from '../domain/environment.ts';
import { exitCodes } from '../domain/exit-code.ts';
import { compareKinds } from '../domain/kind.ts';
import type { BatchRecord, RunRecord, StagedRow } from '../domain/ledger-row.ts';
import type { TableMapping } from '../domain/mapping.ts';
import { leaseInMs } from './heartbeat.ts';
import type { LedgerPort, SourceTable } from './ports.ts';
import { stageTable } from './stage.ts';

/** One table to be imported: what identifies its batch, and how its rows are judged. */
export interface Intake {
  readonly fileName: string;
  readonly contentHash: string;
  /** SHA-256 over everything that changes how the bytes are read. */
  readonly readingHash: string;
  readonly table: SourceTable;
  readonly mapping: TableMapping;
}

/** A batch that this program holds a run of. */
export interface HeldBatch {
  readonly batch: BatchRecord;
  readonly run: RunRecord;
  /** Whether this call staged it; the others were staged by an earlier one. */
  readonly isNew: boolean;
}

export interface TakeInContext {
  readonly ledger: LedgerPort;
  readonly environment: Environment;
  readonly command: string;
  readonly importId: string;
  readonly newRunId: () => string;
  /**
   * Judges a table's rows.
   * @param importBatches the batches of this call, whose rows may be referred to before they are created
   */
  readonly judge: (
    intake: Intake,
    batch: BatchRecord,
    importBatches: readonly string[],
  ) => AsyncIterable<readonly StagedRow[]>;
  readonly onRows: (batch: BatchRecord, count: number) => void;
}

/**
 * Reads, judges and stages every table before anything is sent, in the order in which kinds depend on
 * each other. If one is refused as a whole, nothing of any stays. A table whose batch is there already
 * is not staged again: the same file is the same batch.
 */
export async function takeIn(intakes: readonly Intake[], context: TakeInContext): Promise<HeldBatch[]> {
  const held: HeldBatch[] = [];
  try {
    for (const intake of inOrder(intakes, context.environment)) held.push(await hold(intake, context));
    const ids = held.map(({ batch }) => batch.id);
    const pairs = pairUp(held, inOrder(intakes, context.environment));
    for (const { own, intake } of pairs) {
      if (own.isNew) await stage(intake, own.batch, ids, context);
    }
    return await Promise.all(pairs.map(({ own, intake }) => acceptStaged(own, intake, context.ledger)));
  } catch (error) {
    await giveUp(held, context.ledger);
    throw error;
  }
}

/** By kind; the same content named twice on one command line is one batch. */
function inOrder(intakes: readonly Intake[], environment: Environment): Intake[] {
  const byBatch = new Map(intakes.map((intake) => [batchId(identityOf(intake, environment)), intake]));
  return [...byBatch.values()].sort((left, right) => compareKinds(left.mapping.kind, right.mapping.kind));
}

function identityOf(intake: Intake, environment: Environment): Parameters<typeof batchId>[0] {
  return {
    environment,
    kind: intake.mapping.kind,
    sheet: intake.table.sheet,
    contentHash: intake.contentHash,
    readingHash: intake.readingHash,
  };
}

async function hold(intake: Intake, context: TakeInContext): Promise<HeldBatch> {
  const batch = await context.ledger.beginBatch(identityOf(intake, context.environment), {
    fileName: intake.fileName,
    header: intake.table.header,
    importId: context.importId,
  });
  const run = await holdBatch(batch, context);
  return { batch, run, isNew: batch.rowCount === null };
}

/** Begins a run of a batch, unless another run holds it and this one does not want to join. */
export function holdBatch(
  batch: BatchRecord,
  context: Pick<TakeInContext, 'ledger' | 'command' | 'newRunId'>,
  join = false,
): Promise<RunRecord> {
  const { ledger, command, newRunId } = context;
  return ledger.beginRun({ id: newRunId(), batchId: batch.id, command, leaseInMs, join });
}

function stage(
  intake: Intake,
  batch: BatchRecord,
  importBatches: readonly string[],
  context: TakeInContext,
): Promise<void> {
  const groups = context.judge(intake, batch, importBatches);
  return stageTable(context.ledger, batch, groups, (count) => context.onRows(batch, count));
}

async function acceptStaged(own: HeldBatch, intake: Intake, ledger: LedgerPort): Promise<HeldBatch> {
  if (!own.isNew) return own;
  const { notes } = intake.table;
  const rowCount = await ledger.finishStaging(own.batch.id, notes);
  return { ...own, batch: { ...own.batch, rowCount, notes } };
}

function pairUp(
  held: readonly HeldBatch[],
  intakes: readonly Intake[],
): { own: HeldBatch; intake: Intake }[] {
  return intakes.flatMap((intake, index) => {
    const own = held[index];
    return own === undefined ? [] : [{ own, intake }];
  });
}

async function giveUp(held: readonly HeldBatch[], ledger: LedgerPort): Promise<void> {
  for (const { batch, run, isNew } of held) {
    if (isNew) await ledger.giveUpBatch(batch.id);
    else await ledger.endRun(run.id, exitCodes.fileRefused);
  }
}
