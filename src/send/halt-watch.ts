/* Stops a run soon after a person has stopped everything, even if the ledger does not answer any more. */

import { haltedSince } from '../account/words/check-text.ts';
import type { ClockPort } from '../call/context.ts';
import type { Halt } from '../domain/controls/controls.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { elapsedInMs, type Heartbeat, momentOf } from './lease.ts';

/** How often the ledger is asked. This interval and the response time together have to be less than two seconds. */
const everyInMs = 1_000;

/**
 * After this time without an answer, it is unknown whether everything was stopped. A request that begins just before must
 * begin within twenty seconds of the last answer.
 */
const silenceInMs = 18_000;

/**
 * The error that says why nothing is sent, with the note of the person who stopped everything.
 * @param halt null if the stop was lifted meanwhile
 */
export function haltedFailure(halt: Halt | null): PaybatchError {
  const message =
    halt === null
      ? 'Everything was halted when rows were to be sent, and is not any more.'
      : haltedSince(halt);
  return new PaybatchError('halted', message, {
    action: 'advice',
    text: 'a person who may change the policy lifts that; then the next run goes on',
  });
}

/** @throws PaybatchError (`halted`) while a person has stopped everything */
export async function requireNoHalt(verbs: Pick<LedgerVerbs, 'readHalt'>): Promise<void> {
  const halt = await verbs.readHalt();
  if (halt !== null) throw haltedFailure(halt);
}

/** A watch over stops during a run. */
interface HaltWatch {
  /**
   * Whether the ledger has answered recently that nothing is stopped. The result comes from memory; after a pause of the
   * program the ledger is asked.
   */
  readonly maySend: () => boolean | Promise<boolean>;
  readonly end: () => void;
}

/**
 * Asks the ledger every second whether everything was stopped.
 * @param options.isEmbedded whether the ledger is in this process. Its one connection may be busy for a long time, and no
 *   other process can stop anything in it
 * @param options.onStop called with the reason why nothing more may be sent
 */
export function watchHalts(options: {
  readonly ledger: Pick<LedgerVerbs, 'readHalt'>;
  readonly clock: ClockPort;
  readonly isEmbedded: boolean;
  readonly onStop: (failure: PaybatchError) => void;
}): HaltWatch {
  const { ledger, clock, isEmbedded, onStop } = options;
  let lastAnswer = momentOf(clock);
  let asking: Promise<void> | undefined;
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
    clearInterval(timer);
  };
  const stop = (failure: PaybatchError): void => {
    if (isEnded) return;
    end();
    onStop(failure);
  };
  const isSilent = (): boolean => !isEmbedded && elapsedInMs(lastAnswer, clock) > silenceInMs;
  const askOnce = async (): Promise<void> => {
    const askedAt = momentOf(clock);
    try {
      const halt = await ledger.readHalt();
      lastAnswer = askedAt;
      if (halt !== null) stop(haltedFailure(halt));
    } catch {
      // The ledger did not answer. The claims and records of the run report what is wrong with it.
    }
  };
  const ask = (): Promise<void> => {
    asking ??= askOnce().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const timer = setInterval(() => {
    void ask();
    if (isSilent()) stop(unanswered);
  }, everyInMs);
  timer.unref();
  const askNow = async (): Promise<boolean> => {
    await ask();
    return !isEnded && !isSilent();
  };
  return { maySend: () => !isEnded && (!isSilent() || askNow()), end };
}

const unanswered = new PaybatchError(
  'database_unavailable',
  'The ledger did not answer for a long time, in which this run could not have been halted.',
  { action: 'again', effect: 'when the database is back' },
);

/** A check whether a request may begin: only while the run holds its batch and nothing is halted. */
export function unlessHalted({ holds }: Heartbeat, { maySend }: HaltWatch): Heartbeat['holds'] {
  return () => {
    const [isHeld, isFree] = [holds(), maySend()];
    if (typeof isHeld === 'boolean' && typeof isFree === 'boolean') return isHeld && isFree;
    return Promise.all([isHeld, isFree]).then((both) => both.every(Boolean));
  };
}
