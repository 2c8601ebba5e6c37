/* The end of a use case: its result, and what it leaves for people who did not watch it. */

import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, resolve } from 'node:path';
import type { CallContext } from '../call/context.ts';
import { asKnownFailure } from '../call/start.ts';
import { type BatchAccount, type InputAccount, isBatch } from '../domain/batches/account.ts';
import { type Environment, localSandboxPrefix } from '../domain/batches/batch.ts';
import type { FailedRun, RunFailure } from '../domain/batches/batch-facts.ts';
import type { ErrorKind } from '../domain/failures/error-codes.ts';
import {
  type CallOutcome,
  describeUnexpected,
  FilesRefused,
  gravest,
  isUnread,
  type PaybatchError,
  type Remedy,
} from '../domain/failures/paybatch-error.ts';
import type { LeftOutSheet } from '../domain/tables/table.ts';
import type { FailureToNote } from '../ledger/batches/failed-runs.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** The end of a use case. */
export interface CallResult {
  readonly outcome: CallOutcome;
  readonly batches: readonly InputAccount[];
  /** Why the use case stopped before its end; null if it did not. */
  readonly failure: PaybatchError | null;
  /** Sheets that have rows, and of which nothing was read; absent if there are no such sheets. */
  readonly leftOutSheets?: readonly LeftOutSheet[];
}

/** The end of a use case that concerns no batch. */
export const noBatches = { outcome: 'done', batches: [], failure: null } as const;

/** Batches whose files were written, and their folder. */
export interface WrittenBatches extends CallResult {
  readonly batches: readonly BatchAccount[];
  readonly environment: Environment;
}

/** Adds the sheets that were left out to a result. A person has to know them, because they may have rows to send. */
export function withLeftOut<Result extends CallResult>(
  result: Result,
  leftOutSheets: readonly LeftOutSheet[],
): Result {
  if (leftOutSheets.length === 0) return result;
  return { ...result, leftOutSheets, outcome: gravest([result.outcome, 'rows_need_correction']) };
}

/**
 * Adds the refused files to the result for the other files. The refused files count in the outcome, and are reported.
 */
export function withRefused<Result extends CallResult>(
  result: Result,
  refused: readonly PaybatchError[],
): Result {
  if (refused.length === 0) return result;
  const failure = result.failure ?? new FilesRefused(refused);
  return { ...result, failure, outcome: gravest([result.outcome, ...refused.map(({ kind }) => kind)]) };
}

/*
 * What a call leaves for people who did not watch it: a notice, and the failures without a batch, which are recorded in
 * the ledger.
 */

/** Commands that read files for a batch, or send one. */
const keptCommands = ['import', 'plan', 'submit', 'resume', 'retry'] as const;

/** The kinds of errors that the batch itself shows, or the run that holds the batch. */
const shownByBatch: ReadonlySet<ErrorKind> = new Set(['approval_needed', 'decision_needed', 'busy']);

/** Whether a failure is recorded. An interrupted call is not: the person who stopped it knows about it. */
function isNoted({ kind, code }: PaybatchError): boolean {
  return !shownByBatch.has(kind) && code !== 'interrupted';
}

/**
 * Whether a page asks at once how to read the only file of a call. Then the file has open questions, and nothing has
 * failed.
 */
function isAsked({ actor }: CallContext, { files }: CallEnd, failure: PaybatchError): boolean {
  return actor.channel === 'console' && files.length === 1 && isUnread(failure);
}

/** The codes of errors after which there is no ledger to record them in. */
const withoutLedger = /^(?:database_|ledger_(?:locked|unreadable|gave_up))/;

/** The end of a call. */
interface CallEnd {
  readonly command: string;
  /** Paths of the call's files; empty if the call reads no file. */
  readonly files: readonly string[];
  readonly startedAt: Date;
  /** Null if the call has no result. */
  readonly result: (CallResult & { readonly sentRows?: number; readonly environment?: Environment }) | null;
  readonly failure: PaybatchError | null;
}

/**
 * Does the work of a call. It records the failure of the call in the ledger, or marks the earlier failures that the
 * call has resolved. The call's result or error is not changed. If there is no ledger, or it cannot be reached, nothing
 * is recorded.
 */
export async function withEndKept<Result>(
  command: string,
  app: CallContext,
  request: unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!(keptCommands as readonly string[]).includes(command)) return work();
  const begun = { command, files: filesOf(request), startedAt: app.clock.now() };
  try {
    const result = await work();
    const ended = isCallResult(result) ? result : null;
    await keepEnd(app, { ...begun, result: ended, failure: ended?.failure ?? null });
    return result;
  } catch (error) {
    await keepEnd(app, { ...begun, result: null, failure: asKnownFailure(error) });
    throw error;
  }
}

async function keepEnd(app: CallContext, end: CallEnd): Promise<void> {
  const noted = await noteEnd(app, end);
  const path = app.settings.output.notice;
  if (path === undefined) return;
  try {
    await writeFile(path, await noticeOf(app, end, noted), { mode: 0o600 });
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : describeUnexpected(error);
    app.report({ kind: 'note', note: { code: 'notice_not_written', path, reason } });
  }
}

/**
 * The text of the notice; empty if there is nothing to report. The caller writes an empty text too, because the file
 * may have the notice of an earlier run.
 */
async function noticeOf(app: CallContext, end: CallEnd, noted: readonly FailedRun[]): Promise<string> {
  const { noticeText } = await import('./notice.ts');
  const { command, startedAt, result, failure } = end;
  const { mode, baseUrl, localSandbox } = app.settings.api;
  const failures = failure === null ? [] : eachOf(failure).map((each) => failureOf(app, each));
  return noticeText({
    command,
    outcome: result?.outcome ?? failure?.kind ?? 'internal',
    isInterrupted: app.interrupted.aborted,
    failures: failures.map(
      (own) => noted.find(({ file, code }) => file === own.file && code === own.code) ?? own,
    ),
    batches: (result?.batches ?? []).filter(isBatch),
    sentRows: result?.sentRows ?? 0,
    mode,
    origin: result?.environment?.origin ?? (localSandbox ? localSandboxPrefix : (baseUrl ?? null)),
    startedBy: app.actor.name,
    host: hostname(),
    startedAt: startedAt.toISOString(),
    endedAt: app.clock.now().toISOString(),
    words: app.words,
  });
}

async function noteEnd(app: CallContext, end: CallEnd): Promise<readonly FailedRun[]> {
  const { failure, result } = end;
  const verbs = failure !== null && withoutLedger.test(failure.code) ? null : await ledgerOf(app);
  if (verbs === null) return [];
  const failures = failure === null || isAsked(app, end, failure) ? [] : failuresOf(app, failure);
  try {
    if (result !== null) await settle(app, verbs, { ...end, result }, failures);
    if (failures.length === 0) return [];
    const { command } = end;
    return await verbs.noteFailedRun({ target: targetOf(app), command, actor: app.actor, failures });
  } catch (error) {
    app.report({
      kind: 'detail',
      text: `how the call ended is not noted in the ledger: ${describeUnexpected(error)}`,
    });
    return [];
  }
}

/** A call that completes resolves its earlier failures of every kind. */
function settle(
  app: CallContext,
  verbs: Pick<LedgerVerbs, 'settleFailedRuns'>,
  { command, files, result }: CallEnd & { readonly result: NonNullable<CallEnd['result']> },
  failures: readonly FailureToNote[],
): Promise<void> {
  const refused = new Set(failures.map(({ subject }) => subject));
  const isWhole = result.batches.length > 0 && failures.every(({ file }) => file !== null);
  return verbs.settleFailedRuns({
    // A failure caused by a missing address is resolved by a call with any address.
    targets: [targetOf(app), 'live ', 'sandbox '],
    subjects: files.map((file) => subjectOf(app, file)).filter((subject) => !refused.has(subject)),
    commands: isWhole ? (command === 'plan' ? ['plan'] : keptCommands) : [],
    isKeyTaken: (result.sentRows ?? 0) > 0 && isWhole,
  });
}

function failuresOf(app: CallContext, failure: PaybatchError): FailureToNote[] {
  return eachOf(failure)
    .filter(isNoted)
    .map((each) => {
      const subject = each.file === null ? `run ${each.code}` : subjectOf(app, each.file);
      return { subject, ...failureOf(app, each) };
    });
}

function eachOf(failure: PaybatchError): readonly PaybatchError[] {
  return failure instanceof FilesRefused ? failure.each : [failure];
}

function failureOf(app: CallContext, { file, kind, code, said, remedies }: PaybatchError): RunFailure {
  const path = file === null ? null : pathOf(app, file);
  return { file: path, outcome: kind, code, message: said, remedies: remedies.map(fromAnywhere) };
}

/** The same remedy with absolute paths, for a person in another folder. */
function fromAnywhere(remedy: Remedy): Remedy {
  return {
    ...remedy,
    ...('files' in remedy ? { files: remedy.files.map(absolute) } : {}),
    ...('file' in remedy && remedy.file !== null ? { file: absolute(remedy.file) } : {}),
    ...(remedy.next === undefined ? {} : { next: fromAnywhere(remedy.next) }),
  };
}

function absolute(path: string): string {
  return path === '-' ? path : resolve(path);
}

function subjectOf(app: CallContext, file: string): string {
  return `file ${pathOf(app, file)}`;
}

/**
 * Uploads with the same name count as the same file. Each upload is in a folder of its own, so the name identifies it.
 */
function pathOf({ actor }: CallContext, file: string): string {
  return actor.channel === 'console' ? basename(file) : absolute(file);
}

/** Mode and address of the API, as far as the settings have them. */
function targetOf({ settings: { api, ledger } }: CallContext): string {
  const { mode, localSandbox, baseUrl = '' } = api;
  if (localSandbox) return `${mode} ${api.sandboxDir ?? ledger.ledgerDir}`;
  return `${mode} ${URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl}`;
}

async function ledgerOf({ connections }: CallContext): Promise<LedgerVerbs | null> {
  if (!connections.isLedgerThere()) return null;
  const access = await connections.ledger().catch(() => null);
  return access?.verbs ?? null;
}

function filesOf(request: unknown): readonly string[] {
  const files: unknown =
    typeof request === 'object' && request !== null && 'files' in request ? request.files : [];
  return Array.isArray(files) ? files.map(String) : [];
}

function isCallResult(result: unknown): result is NonNullable<CallEnd['result']> {
  return typeof result === 'object' && result !== null && 'batches' in result && 'failure' in result;
}
