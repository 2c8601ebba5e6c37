/* Records a person's decisions on a batch: verdicts on its rows, and its closing. */

import type { WrittenBatches } from '../account/result.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { requireOutFolder } from '../disk/file-system.ts';
import {
  type BatchClosing,
  type BatchRecord,
  type LeasedBatch,
  shortBatchId,
} from '../domain/batches/batch.ts';
import type { Selection } from '../domain/batches/open-rows.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { verdicts } from '../domain/rows/ledger-row.ts';
import { batchClosed } from '../ledger/batches/closing.ts';
import { inScratch } from '../ledger/connection/open.ts';
import { bindVerbs, type LedgerVerbs } from '../ledger/verbs.ts';
import {
  type DecidedVerdict,
  decideVerdicts,
  FoundProblems,
  type GivenVerdict,
  refusedVerdicts,
  resolvedEvent,
} from '../reconcile/verdicts/decide-rows.ts';
import {
  type GivenVerdicts,
  noteRepeatedVerdicts,
  openVerdictFile,
  type VerdictsInFile,
} from '../reconcile/verdicts/verdict-file.ts';
import { closeUnsentRows, settleBatch, supersedeOwnRows } from '../send/batches/settle.ts';
import { withDecidedBatch } from '../send/hold.ts';
import { type RunToLive, withRun } from '../send/run.ts';
import { openBatchLog } from '../send/run-log.ts';
import { agreementMissing, selectRows, type VerdictForMany, verdictsOn } from './selection.ts';

/** A person's verdicts on rows of one batch. */
export interface ResolveRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  readonly verdicts: GivenVerdict | VerdictsInFile | VerdictForMany;
}

/** The result of recording verdicts. */
interface ResolveResult extends WrittenBatches {
  /** Number of verdicts. */
  readonly recorded: number;
  /** The rows selected by a verdict for many rows; null for other verdicts. */
  readonly selection: Selection | null;
}

/** Records verdicts on rows of one batch, all of them or none, and writes its result files again. */
export async function resolveRows(app: CallContext, request: ResolveRequest): Promise<ResolveResult> {
  await requireOutFolder(app.settings.output);
  const { verdicts } = request;
  if ('where' in verdicts) return resolveIn(app, await app.connections.ledger(), request.batch, verdicts);
  const opened = 'file' in verdicts ? await openVerdictFile(verdicts) : oneVerdict(verdicts);
  try {
    return await resolveIn(app, await app.connections.ledger(), request.batch, opened);
  } finally {
    await opened.close();
  }
}

/** Turns a single verdict, as on a command line, into a list of verdicts. */
function oneVerdict(verdict: GivenVerdict): GivenVerdicts {
  async function* pages(): AsyncGenerator<readonly GivenVerdict[]> {
    yield [verdict];
  }
  return { file: null, pages, close: async () => {} };
}

/**
 * Turns a verdict for many rows into verdicts on the rows that a person has agreed to. Fails if the agreement is missing.
 */
async function selectVerdicts(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  many: VerdictForMany,
): Promise<{ readonly selection: Selection; readonly opened: GivenVerdicts | PaybatchError }> {
  const selected = await selectRows(verbs, batch, many);
  const { selection } = selected;
  app.report({ kind: 'rows.selected', selection });
  const missing = await agreementMissing(app, verbs, batch, selection, many.selection);
  if (missing !== null) return { selection, opened: missing };
  const pages = (): ReturnType<typeof verdictsOn> => verdictsOn(selected, many);
  return { selection, opened: { file: null, pages, close: async () => {} } };
}

async function resolveIn(
  app: CallContext,
  access: LedgerAccess,
  named: string,
  wanted: GivenVerdicts | VerdictForMany,
): Promise<ResolveResult> {
  const { verbs } = access;
  return withDecidedBatch(app, access, { command: 'resolve', named }, async (own, leases) => {
    const { batch, run } = own;
    const { selection, opened } =
      'where' in wanted
        ? await selectVerdicts(app, verbs, batch, wanted)
        : { selection: null, opened: wanted };
    const environment = { mode: batch.mode, origin: batch.origin };
    if (opened instanceof PaybatchError) {
      leases.ended(run.id);
      await verbs.endRun(run.id, opened.kind);
      return { outcome: opened.kind, batches: [], failure: opened, environment, recorded: 0, selection };
    }
    await requireSuitable(access, batch, opened);
    let recorded = 0;
    const life: RunToLive = { kind: 'decides', outcomeOf: () => 'done', leases };
    const { account } = await withRun(app, access, own, life, async () => {
      recorded = await recordVerdicts(app, access, own, opened);
      await settleBatch(app, verbs, batch.id);
      // In a closed batch, rows whose objects do not exist must stay unsent as well.
      await closeUnsentRows(verbs, batch.id);
    });
    return { outcome: 'done', batches: [account], failure: null, environment, recorded, selection };
  });
}

/**
 * Checks all verdicts, page by page, without changing anything.
 * @throws PaybatchError if there is no verdict, or with the numbers of all rows whose verdict does not suit them;
 *   (`batch_closed`) for a verdict that would send a row of a closed batch
 */
async function requireSuitable(
  { ledger, verbs }: LedgerAccess,
  batch: BatchRecord,
  opened: GivenVerdicts,
): Promise<void> {
  const problems = new FoundProblems();
  const closing = await verbs.findClosing(batch.id);
  // Only verdicts from a file can name a row twice.
  if (opened.file !== null)
    await inScratch(ledger.database, (sql) => noteRepeatedVerdicts(sql, opened.pages(problems), problems));
  let count = 0;
  for await (const page of opened.pages()) {
    count += page.length;
    if (closing !== null && page.some(({ verdict }) => verdict === 'send'))
      throw batchClosed(batch.id, closing);
    const { problems: found } = await decideVerdicts(verbs, batch, page);
    for (const problem of found) problems.add(problem);
  }
  if (problems.count > 0) throw refusedVerdicts(problems, batch, opened.file);
  if (count > 0 || opened.file === null) return;
  // A returned file without any verdict is a mistake of the caller.
  throw new PaybatchError(
    'verdicts_missing',
    `${opened.file} has no verdict: its column "verdict" is empty in every line. Nothing was changed.`,
    `fill in its column "verdict": ${verdicts.join(', ')}`,
  );
}

/**
 * Records all verdicts or none; they have been checked. A verdict is in the log before it is in the ledger, just as a key
 * is in the log before its request is sent.
 * @returns the number of verdicts
 */
async function recordVerdicts(
  app: CallContext,
  { verbs }: LedgerAccess,
  { batch, run }: LeasedBatch,
  opened: GivenVerdicts,
): Promise<number> {
  let recorded = 0;
  const runLog = await openBatchLog(app, verbs, { batch, run });
  try {
    for await (const decided of decidedPages(verbs, batch, opened)) {
      recorded += decided.length;
      runLog.append(decided.map(resolvedEvent));
      await runLog.flush();
    }
    await runLog.seal();
    const by = { runId: run.id, user: app.actor.name };
    const isRecorded = await verbs.writeVerdicts(batch.id, by, (transaction) =>
      decidedPages(bindVerbs(transaction), batch, opened),
    );
    if (!isRecorded) throw movedOn(batch);
    return recorded;
  } finally {
    await runLog.close();
  }
}

function movedOn(batch: BatchRecord): PaybatchError {
  return new PaybatchError(
    'row_moved_on',
    'A row moved on while the verdicts were being recorded. Nothing was changed.',
    { action: 'reconcile', batch: shortBatchId(batch.id), environment: batch },
  );
}

async function* decidedPages(
  verbs: LedgerVerbs,
  batch: BatchRecord,
  opened: GivenVerdicts,
): AsyncGenerator<readonly DecidedVerdict[]> {
  for await (const page of opened.pages()) {
    const { decided, problems } = await decideVerdicts(verbs, batch, page);
    if (problems.length > 0) throw movedOn(batch);
    yield decided;
  }
}

/* Closes a batch: no run continues it, and its rows that were never sent stay unsent. */

/** A batch to close. */
interface CloseRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** The reason, kept in the ledger. */
  readonly note: string;
}

/** A batch that is closed. */
export interface CloseResult extends WrittenBatches {
  readonly closing: BatchClosing;
  /** Number of rows that stay unsent because of this call. */
  readonly closedRows: number;
  /** Whether this call has closed the batch; false if an earlier call did. */
  readonly isNew: boolean;
}

/**
 * Closes a batch and writes its result files again. Nothing is sent, and no created object is reversed. A batch that is
 * already closed keeps its first note.
 * @throws PaybatchError (`usage`) without a note; (`busy`) while a run is alive; (`rows_in_doubt`) when rows may exist
 */
export async function closeBatch(app: CallContext, request: CloseRequest): Promise<CloseResult> {
  const note = request.note.trim();
  if (note === '') {
    const noted = { action: 'set', oneOf: [{ setting: 'note' }] } as const;
    throw new PaybatchError(
      'usage',
      'A batch is closed with a note that says why. Nothing was changed.',
      noted,
    );
  }
  await requireOutFolder(app.settings.output);
  const access = await app.connections.ledger();
  const { verbs } = access;
  return withDecidedBatch(app, access, { command: 'close', named: request.batch }, async (own, leases) => {
    const { batch, run } = own;
    // A row that is corrected elsewhere is marked as corrected, whatever happens to its batch.
    await supersedeOwnRows(app, verbs, batch.id);
    const closed = await verbs.closeBatch(batch.id, { by: app.actor.name, note });
    if (closed === 'in_doubt') throw rowsInDoubt(batch);
    // If a crash has interrupted an earlier call, this call completes it. Otherwise only the files have to be written.
    const isComplete =
      closed === 'closed_before' &&
      (await verbs.listRuns(batch.id)).some(
        ({ command, outcome }) => command === 'close' && outcome === 'done',
      );
    let closedRows = 0;
    const kind = isComplete ? 'decides' : 'closes';
    const life: RunToLive = { kind, outcomeOf: () => 'done', leases };
    const { account } = await withRun(app, access, own, life, async ({ runLog }) => {
      if (runLog === undefined) return;
      runLog.append([{ event: 'batch.closed', run: run.id }]);
      // The closing is on disk before the call reports success. A ledger that is lost later and recovered from the log does
      // not send the rows either.
      await runLog.seal();
      closedRows = await closeUnsentRows(verbs, batch.id);
    });
    const { closing, environment } = account;
    if (closing === null) throw new Error('a batch was closed and is not');
    const isNew = closed === 'closed';
    return { outcome: 'done', batches: [account], failure: null, environment, closing, closedRows, isNew };
  });
}

function rowsInDoubt({ id, mode, origin }: BatchRecord): PaybatchError {
  const of = { batch: shortBatchId(id), environment: { mode, origin } };
  return new PaybatchError(
    'rows_in_doubt',
    'Rows of the batch were sent and have no conclusive answer: they may exist. They have to be decided before the batch is closed. Nothing was changed.',
    [
      { action: 'reconcile', ...of, effect: 'writes them into a file for verdicts' },
      { action: 'reconcile', ...of, replay: true, effect: 'sends them alone again, under their own keys' },
    ],
  );
}
