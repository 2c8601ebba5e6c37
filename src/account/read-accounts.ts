/*
 * Reads accounts of batches: the ledger's facts about them in one snapshot, which of their files exist, and which runs
 * failed without a batch.
 */

import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { keyLifetimesFor } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { logOfHead, readRunHead } from '../disk/log/run-head.ts';
import type { Attention, BatchAccount, InputAccount, RunAccount } from '../domain/batches/account.ts';
import type { BatchRecord, Mode } from '../domain/batches/batch.ts';
import type {
  BatchFacts,
  BatchFiles,
  ChangesSummary,
  FailedRun,
  RowTotals,
} from '../domain/batches/batch-facts.ts';
import { OpenRowsCounter } from '../domain/batches/open-rows.ts';
import type { RunRecord } from '../domain/batches/run.ts';
import type { CallOutcome } from '../domain/failures/paybatch-error.ts';
import { StatusSums } from '../domain/money/sums.ts';
import type { ResultRow } from '../domain/rows/result-row.ts';
import type { ResultStatus, StatusCounts } from '../domain/rows/row-state.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { AttentionCollector, valuesRefusedIn } from './attention.ts';
import { isUnderWay, rowsForPerson, stateOf } from './figures.ts';
import { resultStem } from './files/result-files.ts';
import { nextSteps } from './next-steps.ts';

/* The data that are gathered in one pass over all rows of a batch. */

/** Adds up the rows of a batch, and collects their faults. Memory does not grow with the rows. */
export class RowsWalk {
  readonly #attention: AttentionCollector;
  readonly #sums = new StatusSums();
  readonly #open = new OpenRowsCounter();
  readonly #counts: Partial<Record<ResultStatus, number>> = {};
  readonly #repeats: Partial<Record<ResultStatus, number>> = {};

  /** @param header the header cells of the batch's file */
  constructor(header: readonly string[]) {
    this.#attention = new AttentionCollector(header);
  }

  add(rows: readonly ResultRow[]): void {
    for (const row of rows) this.#add(row);
  }

  #add(row: ResultRow): void {
    const { status, sameAs } = row;
    this.#counts[status] = (this.#counts[status] ?? 0) + 1;
    // A row that repeats another one is about the same payment, so its amount is not added again.
    if (sameAs === undefined) this.#sums.add(status, row.money);
    else this.#repeats[status] = (this.#repeats[status] ?? 0) + 1;
    this.#open.add(row);
    this.#attention.add(row);
  }

  result(): { readonly totals: RowTotals; readonly attention: Attention } {
    const attention = this.#attention.result();
    const totals = {
      counts: this.#counts,
      repeats: this.#repeats,
      contradicted: attention.contradicted,
      sums: this.#sums.result(),
      open: this.#open.result(),
      valuesRefusedIn: valuesRefusedIn(attention),
    };
    return { totals, attention };
  }
}

/** The folder and files of a call that reads batches. */
interface AccountPlace {
  /** The folder of results. */
  readonly out: string;
  /** Paths of the files that the call reads. */
  readonly files: readonly string[];
  readonly now: Date;
  /** How long rows may be sent again under their keys. */
  readonly keyLifetimeInMs: Readonly<Record<Mode, number>>;
}

/** The current accounts of batches. The number of statements does not depend on the number of batches. */
export async function readAccounts(
  verbs: Pick<LedgerVerbs, 'readFacts'>,
  batches: readonly BatchRecord[],
  place: AccountPlace,
): Promise<readonly BatchAccount[]> {
  if (batches.length === 0) return [];
  const facts = await verbs.readFacts(
    batches.map(({ id, mode }) => ({ id, keyLifetimeInMs: place.keyLifetimeInMs[mode] })),
  );
  return batches.map((batch) =>
    accountOf(batch, factsOf(batch, facts), {
      files: existingFiles(place.out, batch),
      source: sourceOf(place.files, batch),
      notes: batch.notes,
      now: place.now,
    }),
  );
}

/** What a call found while it read the rows of a batch. */
type Walked = Pick<Observed, 'files' | 'notes' | 'attention' | 'changes'> & {
  /** The totals of the rows; they are not counted again. */
  readonly totals: RowTotals;
};

/** The account of one batch whose rows the call has just read. */
export async function readWalkedAccount(
  verbs: Pick<LedgerVerbs, 'readFacts'>,
  batch: BatchRecord,
  place: AccountPlace,
  { totals, ...seen }: Walked,
): Promise<BatchAccount> {
  const asked = { id: batch.id, keyLifetimeInMs: place.keyLifetimeInMs[batch.mode], totals };
  const facts = factsOf(batch, await verbs.readFacts([asked]));
  const logHead = await logHeadOf(seen.files);
  return accountOf(batch, facts, { ...seen, logHead, source: sourceOf(place.files, batch), now: place.now });
}

/** The last line of a batch's run log at the latest claim; null if there is no readable head file beside the log. */
async function logHeadOf({ logHead }: BatchFiles): Promise<InputAccount['logHead']> {
  if (logHead == null) return null;
  const head = await readRunHead(logOfHead(logHead));
  return typeof head === 'object' ? head : null;
}

function factsOf<Facts>({ id }: BatchRecord, all: ReadonlyMap<string, Facts>): Facts {
  const facts = all.get(id);
  if (facts === undefined) throw new Error('a batch was found, and the ledger knows nothing of it');
  return facts;
}

/** The beginning of the names of a batch's files. */
export function stemOf({ id: batchId, fileName, sheet }: BatchRecord): string {
  return resultStem({ fileName, sheet, batchId });
}

/** A batch's files in the folder of results; null for missing ones. */
export function existingFiles(out: string, batch: BatchRecord): BatchFiles {
  const find = (ending: string): string | null => {
    const path = join(resolve(out), `${stemOf(batch)}.${ending}`);
    return existsSync(path) ? path : null;
  };
  return {
    results: find('results.csv'),
    failed: find('failed.csv'),
    failedWorkbook: find('failed.xlsx'),
    log: find('run.jsonl'),
    logHead: find('run.head'),
    report: find('report.html'),
    objects: find('objects.csv'),
    changes: find('changes.csv'),
    instructions: find('instructions.html'),
  };
}

/**
 * The path of the file that a batch was read from, for the next call: the path in this call, or null if it is unknown.
 * The ledger has only the file's name. The name is a valid path if the file is in the working folder.
 */
export function sourceOf(
  files: readonly string[],
  { fileName }: Pick<BatchRecord, 'fileName'>,
): string | null {
  return files.find((path) => basename(path) === fileName) ?? (existsSync(fileName) ? fileName : null);
}

/* Builds the account of a batch from the ledger's data, the call's observations, and the conclusions from both. */

/** What a call knows about a batch besides the ledger's data. */
export interface Observed extends Pick<BatchAccount, 'files' | 'source' | 'notes'> {
  readonly now: Date;
  readonly attention?: Attention;
  readonly changes?: ChangesSummary;
  readonly logHead?: BatchAccount['logHead'];
}

/** Builds the account of a batch. */
export function accountOf(batch: BatchRecord, facts: BatchFacts, observed: Observed): BatchAccount {
  const { id, kind, mode, origin, fileName: file, sheet, createdAt } = batch;
  const { now, attention = null, changes = null, logHead = null, ...seen } = observed;
  const runs = facts.runs.map((run, at) => runOf(run, at, now));
  const known = {
    ...facts,
    ...seen,
    ...{ id, kind, environment: { mode, origin }, file, sheet, createdAt, runs, attention, changes, logHead },
    rows: rowsIn(facts.counts),
    state: stateOf({ ...facts, runs }),
    needsPerson: rowsForPerson(facts),
    plan: null,
    lastRunAt: runs.at(-1)?.startedAt ?? null,
  };
  return { ...known, next: nextSteps(known) };
}

/** The same account with the end of a run that the ledger does not have yet. */
export function withEndOf(
  account: BatchAccount,
  ended: { readonly runId: string; readonly endedAt: string; readonly outcome: CallOutcome },
): BatchAccount {
  const { runId, endedAt, outcome } = ended;
  const runs = account.runs.map((run) =>
    run.id === runId ? { ...run, endedAt, outcome, isUnderWay: false } : run,
  );
  return { ...account, runs, state: stateOf({ ...account, runs }) };
}

function runOf(run: RunRecord, at: number, now: Date): RunAccount {
  const { id, command, actor, owner, startedAt, endedAt, outcome } = run;
  return {
    ...{ id, number: at + 1, command, actor, host: owner.host, startedAt, endedAt, outcome },
    // The part after the process id distinguishes this process from earlier ones with the same id.
    process: owner.process.split(' ', 1)[0] ?? '',
    isUnderWay: isUnderWay(run, now),
  };
}

function rowsIn(counts: StatusCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The folder and files of a call that reads batches. */
export function placeOf(app: CallContext): AccountPlace {
  return {
    out: app.settings.output.out,
    files: app.files ?? [],
    now: app.clock.now(),
    keyLifetimeInMs: keyLifetimesFor(app),
  };
}

/** A failure that has not occurred again for this many days is not shown any more. */
const shown = { days: 14, limit: 50 } as const;

/**
 * Runs that failed without a batch and that no later run has resolved, the last ones first. A refused file needs no
 * action if it does not exist any more, as far as this machine can tell.
 */
export async function failedRunsOf(
  verbs: Pick<LedgerVerbs, 'listFailedRuns'>,
): Promise<readonly FailedRun[]> {
  return (await verbs.listFailedRuns(shown)).filter((run) => !isGone(run));
}

function isGone({ file, host }: FailedRun): boolean {
  return file !== null && isAbsolute(file) && host === hostname() && !existsSync(file);
}
