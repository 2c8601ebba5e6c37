/* Reads the run logs of one batch, and determines what they prove. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { damageText } from '../account/words/note-text.ts';
import type { CallContext } from '../call/context.ts';
import { type RowEventFiles, readRunLog, readRunLogLines } from '../disk/log/read-run-log.ts';
import { readRunHead } from '../disk/log/run-head.ts';
import { type BatchRecord, shortBatchId } from '../domain/batches/batch.ts';
import type { LogProof } from '../domain/batches/run.ts';
import type { ErrorCode } from '../domain/failures/error-codes.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import { countOf } from '../domain/money/money.ts';
import { unprotectCell } from '../domain/tables/table.ts';
import type { LoggedCreation } from '../ledger/protocol/late-creations.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { InputError } from '../read/file/input-error.ts';
import { openInput } from '../read/sources/open-file.ts';
import { loggedOutcome } from './compare-log.ts';
import type { LoggedEvent, LoggedRowEvent, PlacedEvent } from './logged-rows.ts';
import type { RestoredRows } from './restore.ts';
import { type BatchHistory, readHistory } from './run-history.ts';

/*
 * Rows that are created according to result files beside a run log. They are evidence against a log in which these rows are
 * not created.
 */

type ShownEvent = Extract<LoggedEvent, { event: 'row.shown' }>;

/** The name endings of files with created objects, including files that an earlier recovery has renamed. */
const endings = /^(results|objects)(?:\.before-recover(?:-\d+)?)?\.csv$/;

/** The result files beside a log with the same name. Files with idempotency keys come last, since the last entry counts. */
function resultFilesBeside(log: string): string[] {
  const [folder, name] = [dirname(log), basename(log)];
  const stem = /^(.+)\.run\.jsonl$/.exec(name)?.[1];
  if (stem === undefined || !existsSync(folder)) return [];
  const files = readdirSync(folder).filter(
    (file) => file.startsWith(`${stem}.`) && endings.test(file.slice(stem.length + 1)),
  );
  return files.sort().map((file) => join(folder, file));
}

/**
 * The rows of a batch that are created according to result files beside a log.
 * @param batch whole id; rows of other batches are skipped if the file names their batch
 */
async function* shownObjects(app: CallContext, log: string, batch: string): AsyncGenerator<ShownEvent> {
  for (const path of resultFilesBeside(log)) {
    try {
      yield* shownIn(path, batch);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const text = `${path} cannot be read, and is no evidence of what was created: ${error.message}`;
      app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
    }
  }
}

async function* shownIn(path: string, batch: string): AsyncGenerator<ShownEvent> {
  const file = await openInput(path, {
    delimiter: ',',
    encoding: 'utf-8',
    isHeader: (cells) => cells.includes('result_row') && cells.includes('result_status'),
  });
  try {
    const [table] = file.tables;
    if (table === undefined) return;
    // The columns of the source file come first and may have the same titles, so the last column with a title is used.
    const placeOf = (title: string): number => table.header.lastIndexOf(title);
    const [row, status, id] = ['result_row', 'result_status', 'result_id'].map(placeOf);
    const [key, ofBatch] = ['result_idempotency_key', 'result_batch'].map(placeOf);
    for await (const group of table.rows()) {
      for (const { cells } of group) {
        const cell = (place = -1): string => unprotectCell(cells[place] ?? '');
        const number = Number(cell(row));
        const isOther = ofBatch !== -1 && cell(ofBatch) !== batch;
        if (cell(status) !== 'created' || cell(id) === '' || !Number.isInteger(number) || isOther) continue;
        const shown = { event: 'row.shown', time: '', batch, row: number, id: cell(id) } as const;
        yield { ...shown, key: cell(key) === '' ? null : cell(key) };
      }
    }
  } finally {
    await file.close();
  }
}

/** The error for logs or a file that a recovery cannot use. Nothing was changed. */
export function refusedRecovery(code: ErrorCode, message: string, next: Remedies): PaybatchError {
  return new PaybatchError(code, message, next, { kind: 'file_refused' });
}

/** The input of a recovery. */
export interface RecoveryLogs {
  /** Paths of the batch's run logs: several if it ran in several places. */
  readonly logs: readonly string[];
  /** Whether to hold rows without a final event if their log is not proven to be complete. */
  readonly holdRest?: boolean;
}

/** The contents of a batch's logs. */
export interface LogEvidence {
  readonly history: BatchHistory;
  /** What each log proves, in the order of the request. */
  readonly proofs: readonly LogProof[];
}

/**
 * Reads the run logs of one batch, and the result files beside them.
 * @param events stores the events of rows during the reading, since a log may be larger than memory
 * @throws PaybatchError (`file_refused`) when the logs are not those of one batch
 */
export async function readLogs(
  app: CallContext,
  { logs, holdRest = false }: RecoveryLogs,
  events: RowEventFiles<LoggedRowEvent>,
): Promise<LogEvidence> {
  const proofs: LogProof[] = [];
  try {
    const history = await readHistory(eventsOf(app, logs, proofs), events, { proofs, holdsRest: holdRest });
    return { history, proofs };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Error') throw error;
    throw refusedRecovery(
      'log_unusable',
      `The run log cannot be used: ${error.message}.`,
      'give the logs of one batch',
    );
  }
}

async function* eventsOf(
  app: CallContext,
  logs: readonly string[],
  proofs: LogProof[],
): AsyncGenerator<PlacedEvent> {
  let batch: string | undefined;
  for (const [log, path] of logs.entries()) {
    for await (const event of eventsOfLog(app, path, log, (proof) => proofs.push(proof))) {
      batch ??= event.batch;
      yield event;
    }
  }
  if (batch === undefined) return;
  for (const path of logs) yield* shownObjects(app, path, batch);
}

async function* eventsOfLog(
  app: CallContext,
  path: string,
  log: number,
  onProof: (proof: LogProof) => void,
): AsyncGenerator<PlacedEvent> {
  // Counts events that were cut off. If this was the answer of a row, the row is `unknown`, and is sent again under its own
  // key.
  let torn = 0;
  const tornLines = new Set<number>();
  const onTorn = (line: number): void => {
    torn += 1;
    if (tornLines.size < tornShown) tornLines.add(line);
  };
  const head = await readRunHead(path);
  const known = { head, kept: [] };
  for await (const { event, line } of readRunLogLines(path, { onTorn, known, onProof })) {
    const outcome = loggedOutcome(event) ?? ({ event: 'other', batch: event.batch } as const);
    yield { ...outcome, place: { log, line } };
  }
  // The claim in the head was made by the ledger that is being rebuilt.
  if (typeof head === 'object' && head.claimed !== null) {
    const { batch, claimed } = head;
    yield { event: 'claim.made', batch, run: claimed.run, claim: claimed.claim };
  }
  if (torn > 0)
    app.report({ kind: 'note', note: { code: 'log_torn', log: path, events: torn, lines: [...tornLines] } });
}

const tornShown = 10;

/* Reports on run logs from which a batch was recovered. */

/** Reports logs that are not proven complete. */
export function reportProofs(
  { report }: CallContext,
  { logs, holdRest = false }: RecoveryLogs,
  { history, proofs }: LogEvidence,
): void {
  for (const [at, { head, isLinked, lines }] of proofs.entries()) {
    if (head === 'there') continue;
    report({
      kind: 'note',
      note: {
        code: 'log_unproven',
        log: logs[at] ?? '',
        isUnlinked: !isLinked,
        lines,
        isFinished: history.unfinished.length === 0,
        isHeld: holdRest,
      },
    });
  }
}

/**
 * The end of a recovery whose logs are damaged, or contradicted by result files beside them. Their data is recovered, and a
 * person has to check the rest.
 * @returns null if the logs are sound
 */
export function damagedLogs(
  { id, mode, origin }: BatchRecord,
  {
    logs,
    proofs,
    rows: { held, shown },
  }: Pick<LogEvidence, 'proofs'> & { readonly logs: readonly string[]; readonly rows: RestoredRows },
): PaybatchError | null {
  const damaged = proofs.flatMap(({ damages }, at) =>
    damages.length === 0 ? [] : [`The run log ${logs[at] ?? ''} is damaged: ${damageText(damages)}.`],
  );
  const shownText =
    shown === 0
      ? []
      : [
          `Result files beside the run log have ${countOf(shown, 'row')} as created that it does not: a log is missing, or was cut.`,
        ];
  if (damaged.length + shownText.length === 0) return null;
  const open = held + shown;
  const heldText =
    open === 0
      ? 'No row had to be held: the log still has the key of every row that was sent.'
      : `${countOf(open, 'row')} may have been sent, and ${open === 1 ? 'is' : 'are'} held.`;
  const accounting = { action: 'reconcile', batch: shortBatchId(id), environment: { mode, origin } } as const;
  return new PaybatchError(
    'run_log_damaged',
    [...damaged, ...shownText, heldText].join(' '),
    open === 0
      ? [{ ...accounting, effect: 'accounts for every row before anything else is sent' }]
      : [
          { ...accounting, effect: 'lists the rows that are held' },
          'get an undamaged copy of the log from a backup, with its head (.run.head), and recover from that: rows of which it tells everything are not held any more',
        ],
  );
}

/* Whether a ledger has all data of its run logs, and data of the logs that it has to keep. */

/** Number of claims in one query. */
const claimsPerGroup = 2_000;

/** Whether a ledger has made all claims in the logs and their heads. If so, it has the data that a log may lack. */
export async function knowsAllOf(
  verbs: LedgerVerbs,
  { id }: BatchRecord,
  { history: { claims }, proofs }: LogEvidence,
): Promise<boolean> {
  if (proofs.some(({ head }) => head !== 'there')) return false;
  for (let at = 0; at < claims.length; at += claimsPerGroup) {
    const group = claims.slice(at, at + claimsPerGroup);
    if ((await verbs.countUnknownClaims(id, group)) > 0) return false;
  }
  return true;
}

const answersPerGroup = 1_000;
const answersAlone: ReadonlySet<'row.answered'> = new Set(['row.answered']);

/**
 * Keeps objects as evidence that a run log names and no row has.
 * @returns how many objects were kept
 */
export async function keepLostObjects(verbs: LedgerVerbs, batch: BatchRecord, path: string): Promise<number> {
  let kept = 0;
  let group: LoggedCreation[] = [];
  const keep = async (): Promise<void> => {
    kept += await verbs.keepLoggedCreations(batch.id, group);
    group = [];
  };
  for await (const event of readRunLog(path, { events: answersAlone, passesOverDamage: true })) {
    if (event.event !== 'row.answered' || event.outcome !== 'created' || event.id === null) continue;
    const { row, key: idempotencyKey, attempt: number, status: httpStatus, id: objectId } = event;
    group.push({ row, idempotencyKey, number, httpStatus, objectId });
    if (group.length >= answersPerGroup) await keep();
  }
  await keep();
  return kept;
}
