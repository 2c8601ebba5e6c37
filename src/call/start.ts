import type { CallContext } from './context.ts';
import { addOutcomes, type CallEvent, noOutcomes } from './events.ts';
import { asFailure } from './stop-cause.ts';

/** A use case under way. */
export interface Running<Result> {
  /**
   * What happens during the call, until the use case ends; `result` alone says how it ended. Can be read once. If the
   * events are not read, the newest are kept.
   */
  readonly events: AsyncIterable<CallEvent>;
  /** Rejected with a `PaybatchError` for every expected error. */
  readonly result: Promise<Result>;
}

/** Maximum of events that wait for their reader. */
const mostWaiting = 1_000;

/** Starts a use case, and returns its reports as an iterable. */
export function start<Result>(work: (report: CallContext['report']) => Promise<Result>): Running<Result> {
  const waiting: CallEvent[] = [];
  let hasEnded = false;
  let wake = (): void => {};
  const report = (event: CallEvent): void => {
    add(waiting, event);
    wake();
  };
  const ended = (): void => {
    hasEnded = true;
    wake();
  };
  const result = Promise.resolve()
    .then(() => work(report))
    .catch((error: unknown) => {
      throw asFailure(error);
    })
    .finally(ended);
  // A caller may read the events first and the result later: until then its error is not unhandled.
  result.catch(() => {});
  async function* events(): AsyncGenerator<CallEvent> {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (hasEnded) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
  return { events: events(), result };
}

/** Progress since the last read is joined into one event. */
function add(waiting: CallEvent[], event: CallEvent): void {
  const last = waiting.at(-1);
  if (event.kind === 'step.advanced' && last?.kind === 'step.advanced') {
    const [one, other] = [last.outcomes, event.outcomes];
    const outcomes = addOutcomes(one ?? noOutcomes, other ?? noOutcomes);
    const isSent = one !== undefined || other !== undefined;
    const share = event.share ?? last.share;
    waiting[waiting.length - 1] = {
      kind: event.kind,
      rows: last.rows + event.rows,
      ...(share === undefined ? {} : { share }),
      ...(isSent ? { outcomes } : {}),
    };
    return;
  }
  waiting.push(event);
  if (waiting.length > mostWaiting) waiting.shift();
}
