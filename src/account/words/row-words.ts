/*
 * A row in words: its data, its history, and what can be done about it. Each channel has its own names for these
 * actions.
 */

import { readFileSync } from 'node:fs';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { Verdict } from '../../domain/rows/ledger-row.ts';
import type { RowEvent } from '../../domain/rows/result-row.ts';
import {
  type DifferenceKind,
  type RowRemedy,
  sentAgainText,
  type UnclearState,
} from '../../domain/rows/row-state.ts';
import { plainText } from '../../domain/settings/message.ts';

/* The kinds of differences of a reconciliation for people: the meaning of each, and what to do about it. */

/** A kind of difference in words. */
interface DifferenceWords {
  readonly name: string;
  readonly meaning: string;
  readonly next: string;
}

/** The words for kinds of differences, and for states of a comparison that are not clear. */
export interface RowWords {
  readonly differences: Readonly<Record<DifferenceKind, DifferenceWords>>;
  readonly unclear: Readonly<Record<UnclearState, string>>;
}

const words: RowWords = JSON.parse(readFileSync(new URL('./row-words.json', import.meta.url), 'utf8'));

/** A kind of difference in words. */
export function differenceWords(kind: DifferenceKind): DifferenceWords {
  return words.differences[kind];
}

/** A channel's names for its steps. */
export interface StepNames {
  readonly verdict: (verdict: Verdict) => string;
  /** To continue the batch of the row. */
  readonly resume: string;
  readonly resumeBatch: string;
  /** To continue another batch, or to decide about a row of it. */
  readonly resumeOrResolveNamed: string;
  readonly resolveNamed: string;
  /** To record a verdict for a row: `resolve row 7 as created`. */
  readonly resolve: (row: number, verdict: Verdict) => string;
  /** To record that the row was created, once its id is known. */
  readonly resolveAsCreated: string;
  readonly correct: string;
}

/** The names of the command line. Verdict files use them as well. */
export const commandStepNames: StepNames = {
  verdict: (verdict) => verdict,
  resume: 'resume',
  resumeBatch: 'resume the batch',
  resumeOrResolveNamed: 'resume or resolve the batch of the row that it names first',
  resolveNamed: 'resolve the row that it names first',
  resolve: (row, verdict) => `resolve row ${row} as ${verdict}`,
  resolveAsCreated: 'resolve it as created',
  correct: 'correct it in the failed file',
};

/** What can be done about a row, as part of a sentence. */
export function rowRemedyText(remedy: RowRemedy, names: StepNames): string {
  const { verdict, resume, resolve } = names;
  switch (remedy.action) {
    case 'ask_provider':
      return `ask the provider about its key or content: ${verdict('created')} with its id, or ${verdict('not-created')}`;
    case 'resume_interrupted':
      return `another run is sending it, or ended while it did: ${names.resumeBatch}`;
    case 'resume': {
      const own = remedy.needsOwnApiKey ? ' with the API key that it was sent under' : '';
      return `${resume}${own}: ${sentAgainText(1, remedy.runsOutAt)}`;
    }
    case 'decide':
      return decideText(remedy.reason, names);
    case 'confirm_found':
      return `the export has it: ${verdict('created')}, with the id ${remedy.id}, once somebody has checked that`;
    case 'resolve_as_created':
      return `${resolve(remedy.row, 'created')} with the id ${remedy.id}`;
    case 'resolve_as_not_created':
      return `${resolve(remedy.row, 'not-created')}, if the export is complete`;
    case 'find_id':
      return `find out which id row ${remedy.row} has there, then ${names.resolveAsCreated}`;
    case 'look_into':
      return words.unclear[remedy.state];
  }
}

function decideText(reason: Extract<RowRemedy, { action: 'decide' }>['reason'], names: StepNames): string {
  const [existing, send] = [names.verdict('existing'), names.verdict('send')];
  switch (reason) {
    case 'differs_from_created':
      return `${existing} if the earlier object stands, ${send} if this is another one`;
    case 'unknown_elsewhere':
      return `${names.resolveNamed}, then ${existing} or ${send}`;
    case 'corrects_in_doubt':
      return `${names.resumeOrResolveNamed}: it goes on by itself once that row is refused, or ${names.verdict('not-created')}`;
    case 'payee_details_changed':
      return `ask the payee, by another way than this file, which account is right: ${existing} if the earlier one stands, ${send} if the new one is right`;
    case 'account_shared':
      return `ask whose account it is: ${send} if it is right, else ${names.correct}`;
    case 'corrects_created':
      return `${existing} if the object that is there stands, ${send} if this one is to be created as well`;
    case 'file_may_be_cut':
      return `compare it with its source: ${send} if it is whole, else import the whole file and close this batch`;
    case 'marked_row':
      return `ask the person who marked it: ${send} if it is to be sent, else close this batch`;
    case 'institution_unverifiable':
      return `${names.resume}: it goes on by itself once the list of institutions is complete; else ${names.correct}`;
    case null:
      return `check what the message says: ${existing} with an id, or ${send}`;
  }
}

/** A remedy as a call: `resume({"batch":"961a3f1c"})`. Advice and remedies for rows are sentences in every channel. */
export const callWords: Phrasebook = {
  remedy: (remedy) => {
    if (remedy.action === 'advice') return plainText(remedy.text);
    const { action, purpose: _, effect: __, remark: ___, next: ____, ...rest } = remedy;
    return `${action}(${JSON.stringify(rest)})`;
  },
  rowRemedy: (remedy) => rowRemedyText(remedy, commandStepNames),
};

/* The data and the history of a row, in sentences. */

/** The data of a row besides its status. */
interface StandingRow {
  readonly objectId: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly notes: readonly string[];
  readonly sameAs: number | null;
  readonly keyRunsOutAt: string | null;
}

/** The sentences about a row: its reason, its object, the row that it repeats, when its key expires, and its notes. */
export function standingSentences(row: StandingRow): readonly string[] {
  const { objectId: id, code, message, notes, keyRunsOutAt: runsOutAt, sameAs } = row;
  const said = message === null ? code : `${message}${code === null ? '' : ` (${code})`}`;
  return [
    ...(said === null ? [] : [said]),
    ...(id === null ? [] : [`object ${id}`]),
    ...(sameAs === null ? [] : [`the same as row ${sameAs}, and ends as that row does`]),
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
 * Says how many requests have no answer in the history. After a killed run or in a rebuilt ledger, only the possible
 * number of requests is known.
 * @returns null if every request is listed
 */
export function unansweredSentence(attempts: number, history: readonly RowEvent[]): string | null {
  const answered = history.filter(({ event }) => event === 'attempt').length;
  if (answered >= attempts) return null;
  return `${groupedNumber(attempts - answered)} of ${groupedNumber(attempts)} requests have no answer in this ledger: a run that was killed may have sent them, or the ledger was rebuilt from a run log.`;
}
