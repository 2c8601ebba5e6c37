import { classifyAnswer } from '../domain/sending/answer.ts';
import type { CreationReading, Outcome } from '../domain/sending/outcome.ts';
import type { Attempt } from '../domain/sending/request.ts';
import type { Reply } from './exchange.ts';

/** Longer answers are not kept as evidence: what an API says about one object is far shorter. */
const mostEvidenceCharacters = 64 * 1024;

/** What a reply means, a missing one included. */
export function outcomeOf(reply: Reply, readAnswer: (json: unknown) => CreationReading, now: Date): Outcome {
  switch (reply.kind) {
    case 'answer':
      return classifyAnswer(reply, readAnswer, now);
    case 'maybe_sent':
      return { kind: 'unknown', reason: reply.reason };
    case 'not_sent':
      return { kind: 'not_sent', reason: reply.reason };
  }
}

/** When a request left, in ms after the first one of its claim, and how long its answer took. */
export interface AttemptTimes {
  readonly sentAfterMs: number;
  readonly durationInMs: number;
}

/** One request in the form in which the ledger and the run log keep it. */
export function attemptOf(number: number, reply: Reply, outcome: Outcome, times: AttemptTimes): Attempt {
  const text = reply.kind === 'answer' && reply.body.state === 'whole' ? reply.body.text : null;
  return {
    number,
    outcome: outcome.kind,
    reason: reasonOf(outcome),
    httpStatus: reply.kind === 'answer' ? reply.status : null,
    objectId: outcome.kind === 'created' ? outcome.objectId : null,
    durationInMs: wholeMs(times.durationInMs),
    sentAfterMs: wholeMs(times.sentAfterMs),
    answer: text !== null && text.length <= mostEvidenceCharacters ? text : null,
  };
}

/** Not below zero, whatever a clock does. */
function wholeMs(ms: number): number {
  return Math.max(0, Math.round(ms));
}

function reasonOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'created':
      return null;
    case 'refused':
      return outcome.code;
    case 'conflict':
    case 'throttled':
      return outcome.kind;
    default:
      return outcome.reason;
  }
}
