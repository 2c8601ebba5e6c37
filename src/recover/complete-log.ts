/* Adds entries to a run log that only the ledger has. */

import type { PipelineEvent } from '../disk/log/run-event.ts';
import type { RunLogPort } from '../disk/log/run-log.ts';
import type { LoggableAnswer } from '../domain/rows/result-row.ts';
import { type RowState, resultStatus, resultStatuses } from '../domain/rows/row-state.ts';
import { answeredEvent } from '../kinds/request.ts';
import { NumbersOfRows } from './compare-log.ts';
import type { LoggedEvent } from './logged-rows.ts';

/** Names of the events that show which answers and final states a log has. */
export const completingEvents = ['row.answered', 'row.final'] as const;

/** The entries of a log for each row. */
class LoggedRows {
  /** The highest number of an attempt. */
  readonly attempts = new NumbersOfRows();
  /** The last status, as its position in the list of statuses, from 1. */
  readonly statuses = new NumbersOfRows();

  note(event: LoggedEvent): void {
    if (event.event === 'row.answered')
      this.attempts.set(event.row, Math.max(this.attempts.of(event.row), event.attempt));
    else if (event.event === 'row.final')
      this.statuses.set(event.row, 1 + resultStatuses.indexOf(event.status));
  }
}

/**
 * Writes answers from the ledger to a log that lacks them: answers that were in memory when their run was killed, or whose
 * log was lost. Each answer is written with the time of its arrival, after its key.
 * @param logged the events of the log
 * @param answers by row and attempt
 * @returns how many rows the log lacked anything of
 */
export async function completeLog(
  runLog: RunLogPort,
  batchId: string,
  logged: AsyncIterable<LoggedEvent>,
  answers: AsyncIterable<readonly LoggableAnswer[]>,
): Promise<number> {
  const rows = new LoggedRows();
  for await (const event of logged) if (event.batch === batchId) rows.note(event);
  let written = 0;
  for await (const page of answers) {
    for (const ofRow of byRow(page)) if (writeRow(runLog, rows, ofRow)) written += 1;
    await runLog.flush();
  }
  return written;
}

function byRow(page: readonly LoggableAnswer[]): Iterable<LoggableAnswer[]> {
  const rows = new Map<number, LoggableAnswer[]>();
  for (const answer of page) rows.set(answer.row, [...(rows.get(answer.row) ?? []), answer]);
  return rows.values();
}

/**
 * Writes the missing entries of one row.
 * @returns whether the log lacked anything of the row
 */
function writeRow(runLog: RunLogPort, rows: LoggedRows, answers: readonly LoggableAnswer[]): boolean {
  const lacking = answers.filter(({ row, attempt }) => (attempt?.number ?? 1) > rows.attempts.of(row));
  let key: string | null = null;
  for (const answer of lacking) {
    if (answer.key !== key) runLog.append([stagedEvent(answer)], new Date(answer.writtenAt));
    key = answer.key;
    const { row, attempt } = answer;
    if (attempt === null) continue;
    const event = answeredEvent({ row, idempotencyKey: key }, { ...attempt, answer: null });
    runLog.append([event], new Date(attempt.recordedAt));
  }
  const end = endOf(answers);
  const lacksEnd =
    end !== null && (lacking.length > 0 || resultStatuses[rows.statuses.of(end.row) - 1] !== end.status);
  if (lacksEnd) runLog.append([end], new Date(answers.at(-1)?.changedAt ?? 0));
  return lacking.length > 0 || lacksEnd;
}

/** States of a row in which no more requests are sent under its key. */
const endingStates: ReadonlySet<RowState> = new Set(['created', 'rejected', 'held']);

function stagedEvent({ row, key, generation, requestHash }: LoggableAnswer): PipelineEvent {
  return { event: 'row.staged', row, key, attempt: 0, generation, request_hash: requestHash };
}

/** The final event of a row; null while its state can still change without a person. */
function endOf(answers: readonly LoggableAnswer[]): Extract<PipelineEvent, { event: 'row.final' }> | null {
  const last = answers.at(-1);
  if (last === undefined || last.state === 'duplicate') return null;
  const { row, state, objectId, code } = last;
  const event = { event: 'row.final', row, status: resultStatus(state), id: objectId, code } as const;
  if (state === 'existing') return { ...event, key: null, attempt: 0 };
  const isRefused = state === 'waiting' && last.generation === last.rowGeneration - 1;
  const isOfItsKey = last.generation === last.rowGeneration && endingStates.has(state);
  if (!isOfItsKey && !isRefused) return null;
  return { ...event, key: last.key, attempt: last.attempt?.number ?? 0 };
}
