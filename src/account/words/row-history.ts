/* The data and the history of a row, in sentences. */

import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { RowEvent } from '../../domain/rows/result-row.ts';

/** The data of a row besides its status. */
interface ToldRow {
  readonly objectId: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly notes: readonly string[];
  readonly sameAs: number | null;
  readonly keyRunsOutAt: string | null;
}

/** The sentences about a row: its reason, its object, the row that it repeats, when its key expires, and its notes. */
export function standingSentences(row: ToldRow): readonly string[] {
  const { objectId: id, code, message, notes, keyRunsOutAt: runsOutAt, sameAs } = row;
  const said = message === null ? code : `${message}${code === null ? '' : ` (${code})`}`;
  return [
    ...(said === null ? [] : [said]),
    ...(id === null ? [] : [`object ${id}`]),
    ...(sameAs === null ? [] : [`the same as row ${sameAs}, whose fate it shares`]),
    ...(runsOutAt === null
      ? []
      : [
          `its key runs out at ${runsOutAt.slice(0, 19).replace('T', ' ')} UTC; then only a person may decide`,
        ]),
    ...notes.map((note) => `note: ${note}`),
  ];
}

/** An event as a sentence, without its time. */
export function eventSentence(event: RowEvent): string {
  switch (event.event) {
    case 'staged':
      return 'checked and staged';
    case 'request_written':
      return `${runOf(event)}: request to ${event.path} written, under key ${event.idempotencyKey}`;
    case 'attempt':
      return `${runOf(event)}: ${attemptSentence(event)}`;
    case 'verdict': {
      const object = event.objectId === null ? '' : ` ${event.objectId}`;
      const note = event.note === '' ? '' : `: ${event.note}`;
      const sent = ` (after ${countOf(event.attempts, 'request')})`;
      return `verdict of ${event.decidedBy} on the ${event.fromState} row: ${event.verdict}${object}${note}${sent}`;
    }
    case 'late_answer':
      return `an answer that came too late had created object ${event.objectId} under key ${event.idempotencyKey}`;
  }
}

function runOf({ run }: { readonly run: number | null }): string {
  return run === null ? 'a run of a lost ledger' : `run ${run}`;
}

function attemptSentence(event: Extract<RowEvent, { event: 'attempt' }>): string {
  const { attempt, outcome, reason, httpStatus, objectId: id, durationInMs: duration } = event;
  const because = reason === null || reason === outcome ? '' : ` (${reason})`;
  const answered = httpStatus === null ? 'no answer' : `HTTP ${httpStatus}`;
  const object = id === null ? '' : `, object ${id}`;
  return `request ${attempt}: ${outcome.replaceAll('_', ' ')}${because}, ${answered} after ${groupedNumber(duration)} ms${object}`;
}

/**
 * For a killed run and a rebuilt ledger, only the possible number of requests is known.
 * @returns null where every request is listed
 */
export function untoldSentence(attempts: number, history: readonly RowEvent[]): string | null {
  const told = history.filter(({ event }) => event === 'attempt').length;
  if (told >= attempts) return null;
  return `${groupedNumber(attempts - told)} of ${groupedNumber(attempts)} requests have no answer in this ledger: a run that was killed may have sent them, or the ledger was rebuilt from a run log.`;
}
