/* Records the answers of a batch in groups, and watches for rows that are all refused for one reason. */

import { setTimeout as sleep, setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { RowConclusion } from '../domain/rows/ledger-row.ts';
import { reasonOfRefusal } from '../domain/sending/answer.ts';
import type { Conclusion } from '../domain/sending/outcome.ts';
import type { RefusedAlike } from '../domain/sending/stops.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

interface RefusalWatchOptions {
  readonly ledger: Pick<LedgerVerbs, 'stopIfRefusedAlike'>;
  readonly batchId: string;
  /** Number of rows refused for one reason that stops the batch, if none was created; null for never. */
  readonly limit: number | null;
  readonly onStop: (refused: RefusedAlike) => void;
}

/**
 * Watches whether the rows of a batch are all refused for one reason. The ledger decides, since it knows the rows of all
 * runs. Once this run alone has as many refusals as the limit, no further row is sent until the ledger has decided: only
 * rows in flight are still sent.
 */
export class RefusalWatch {
  readonly #options: RefusalWatchOptions;
  readonly #alike = new Map<string, number>();
  #isOver: boolean;
  /** Refusals that the ledger has not judged yet. */
  #unjudged = 0;
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  constructor(options: RefusalWatchOptions) {
    this.#options = options;
    this.#isOver = options.limit === null;
  }

  /** What a row waits for before it leaves; null for nothing. */
  get verdict(): Promise<void> | null {
    return this.#gate?.opened ?? null;
  }

  /** Called with a row as soon as it is concluded. */
  concluded({ state, code, message }: Conclusion): void {
    const { limit } = this.#options;
    if (this.#isOver || limit === null) return;
    if (state === 'created') this.end();
    if (state !== 'rejected') return;
    this.#unjudged += 1;
    const reason = reasonOfRefusal(code, message);
    const rows = (this.#alike.get(reason) ?? 0) + 1;
    this.#alike.set(reason, rows);
    if (rows >= limit) this.#gate ??= closedGate();
  }

  /** Called with rows once the ledger has them. Asks the ledger whether the batch is to stop. */
  async recorded(conclusions: readonly RowConclusion[]): Promise<void> {
    const { ledger, batchId, limit, onStop } = this.#options;
    const refused = conclusions.filter(({ conclusion }) => conclusion.state === 'rejected').length;
    if (this.#isOver || refused === 0) return;
    const verdict = await ledger.stopIfRefusedAlike(batchId, limit);
    this.#unjudged -= refused;
    if (verdict !== null && verdict !== 'some_created') onStop(verdict);
    if (verdict !== null) this.end();
    else if (this.#unjudged <= 0) this.#open();
  }

  /** Ends the watch; no row waits for it any more. */
  end(): void {
    this.#isOver = true;
    this.#open();
  }

  #open(): void {
    this.#gate?.open();
    this.#gate = null;
  }
}

function closedGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/**
 * How long a run gathers answers between two groups: answers of a fast API share one statement, and with a slow API the
 * delay is small. A crash in between leaves the rows unknown, and they are sent again.
 */
const gatherInMs = 25;

/** Resolves when the answers of that time have come. */
export const gatherAnswers = (): Promise<void> => sleep(gatherInMs);

/** Collects conclusions and records them in groups: while one group is written, the next one gathers. */
export interface Recorder {
  /** Takes a conclusion. `onDone` reports its result. */
  readonly record: (conclusion: RowConclusion) => void;
  /** Announces that few more conclusions will come: from now on nothing waits for them. */
  readonly hurry: () => void;
}

export interface RecorderOptions {
  readonly ledger: Pick<LedgerVerbs, 'recordConclusions'>;
  readonly batchId: string;
  readonly runId: string;
  /**
   * Waits between two groups: answers that arrive meanwhile share one statement and one commit, which would cost the
   * database several times as much for each row alone. Without it the next group is written at once.
   */
  readonly gather?: () => Promise<void>;
  /** Called with those that count; a conclusion whose lease was lost meanwhile does not. */
  readonly onRecorded: (conclusions: readonly RowConclusion[]) => void;
  /** Called when a group is finished, with the ledger's error if it failed. */
  readonly onDone: (rows: number, failure: { readonly error: unknown } | null) => void;
}

export function createRecorder(options: RecorderOptions): Recorder {
  let gathering: RowConclusion[] = [];
  let isWriting = false;
  let isHurried = false;
  let endGathering = (): void => {};

  const gatherMore = (): Promise<void> | undefined => {
    if (options.gather === undefined || isHurried) return undefined;
    const { gather } = options;
    return new Promise((resolve, reject) => {
      endGathering = resolve;
      gather().then(resolve, reject);
    });
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (gathering.length > 0) {
      // An embedded ledger that runs in this thread blocks it while it writes. The answers that arrived meanwhile have to
      // be read first, or each would be written alone.
      await turnOfEventLoop();
      const group = gathering;
      gathering = [];
      await writeGroup(options, group);
      await gatherMore();
    }
    isWriting = false;
  };

  return {
    record: (conclusion) => {
      gathering.push(conclusion);
      if (!isWriting) void writeAll();
    },
    hurry: () => {
      isHurried = true;
      endGathering();
    },
  };
}

async function writeGroup(options: RecorderOptions, group: readonly RowConclusion[]): Promise<void> {
  try {
    const recorded = await options.ledger.recordConclusions(options.batchId, options.runId, group);
    options.onRecorded(group.filter(({ row }) => recorded.has(row)));
    options.onDone(group.length, null);
  } catch (error) {
    options.onDone(group.length, { error });
  }
}
